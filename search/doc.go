// Package search finds the rows that are nearest to a query among stored vectors of float32, exactly: every row is
// compared.
//
// [NewRows] stores the rows of a matrix once. A [Collection] appends and deletes rows while others search: a
// [Collection.Snapshot] is a [Rows] that does not change. [Rows.Nearest] and [Rows.Within] answer one query, with
// options to filter the rows and to use several goroutines. A [Searcher] answers many queries at once, and takes less
// time for each.
//
//	rows, err := search.NewRows(x, search.StorageFloat32) // x is a dist.Matrix
//	found, err := rows.Nearest(ctx, nil, query, 10, search.MeasureCosine, nil)
//	fmt.Println(found[0].Row, found[0].Value) // the nearest row
//
// A value depends on the query and the row alone: not on other rows, on their number, on options, or on the machine.
// Values of float32 rows differ by rounding errors from those of package vecmath, which sums in another order.
//
// A query with NaN or infinity is an error that wraps [ErrNotFinite]. So is the end of a context, which is asked
// between blocks of at most 2²² products. Wrong shapes panic, as in package dist: check the length of a query that
// comes from outside.
package search
