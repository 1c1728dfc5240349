// Package search finds the rows that are nearest to a query among stored vectors of float32. The answers are exact.
//
// [NewRows] stores the rows of a matrix once. A [Collection] appends and deletes rows while other goroutines search:
// a [Collection.Snapshot] is a [Rows] that does not change. [Rows.Nearest] and [Rows.Within] answer one query, with
// options to filter the rows and to use several goroutines. A [Searcher] answers many queries at once, in less time
// per query.
//
//	rows, err := search.NewRows(x, search.StorageFloat32) // x is a dist.Matrix
//	found, err := rows.Nearest(ctx, nil, query, 10, search.MeasureCosine, nil)
//	fmt.Println(found[0].Row, found[0].Value) // the nearest row
//
// The value of a row depends only on the query and the row, not on other rows, their number, options or the machine.
// Values of float32 rows differ by rounding errors from the results of package vecmath, which sums in a different order.
//
// # Sketches
//
// [NewRows] and [Collection.Append] also store a sketch of each row: one byte for each element, and three numbers.
// From the sketch, a search computes a bound on how near the row can be to the query. It reads the full row only if
// the bound is good enough for the results so far. It therefore reads about a quarter of the memory and mostly
// multiplies bytes. The results are the same rows in the same order with the same bits as without sketches. Searches
// use sketches from 2048 rows and 8 columns on. Rows of [StorageInt8] have no sketches, and [NoSketch] leaves them
// out.
//
// The comment in sketch.go derives the bound.
//
// # Errors
//
// A query that contains NaN or infinity is an error that wraps [ErrNotFinite]. If the context ends, the error is its
// cause. The context is checked between blocks of at most 2²² products. Wrong shapes panic, as in package dist: check
// the length of queries from untrusted sources.
package search
