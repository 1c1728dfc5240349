// Package search finds the rows that are nearest to a query among stored vectors of float32. The answers are exact.
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
// # Sketches
//
// Beside the rows, [NewRows] and [Collection.Append] store a sketch of each: one byte for each element, and three
// numbers. A search computes an upper bound of what a row can reach from its sketch, and compares only the rows whose bound
// reaches the results so far. So it reads a quarter of the memory, and mostly multiplies bytes. The results are the same rows in the same order
// with the same bits as without sketches. Searches use sketches from 2048 rows and 8 columns on. Rows of
// [StorageInt8] have none. [NoSketch] leaves them out.
//
// The bound is as follows. A row x is s·c with integers c from −63 to 63, and a rest; a query q is t·p with integers p from −127
// to 127, and a rest. Let u = 2⁻²⁴ be the rounding error of float32, and m = ⌈d/16⌉ for d elements.
//
//	r ≥ ‖x − s·c‖   n ≥ ‖x‖   g ≥ ‖q − t·p‖   h ≥ ‖q‖
//	q·x = s·t·(c·p) + q·(x − s·c) + (q − t·p)·(s·c) ≤ s·t·(c·p) + r·(h+g) + n·g
//
// by Cauchy and Schwarz, since ‖s·c‖ ≤ n + r. The sums of squares of the norms are computed in float64, with a relative error below
// 2⁻³⁸, and c·p is an integer. The norms are multiplied by 1 + 2⁻³⁰ and rounded up to float32, so that n ≤ ‖x‖·(1 + 2⁻²²). The filter
// computes
//
//	b = a·(c·p) + r·ρ + n·ν + n²·ω
//
// with a = s and coefficients ρ, ν and ω of the query, each divided by t, so that b is an upper bound divided by t. Divisions round up. It compares b with a threshold
// τ, also divided by t, that rounds down. A row passes unless b < τ. The errors to allow for are:
//
//   - The float32 operations of the filter err by at most 5.01·u·(|a·(c·p)| + |r·ρ| + |n·ν| + |n²·ω|). Because r is at most 1.01·n, the
//     first three terms are at most 41·u·n·h, in units of 1/t.
//   - A float32 sum over 16 lanes of m products each, folded in four steps, errs by at most γ·Σ|q_k·x_k| ≤ γ·n·h with
//     γ = (m+4)·u/(1 − (m+4)·u) ≤ (m+7)·u, as d is at most 100 000.
//   - Underflow adds at most 2⁻¹⁴⁷ to the filter and d·2⁻¹⁴⁹ to the sum. Norms are at least 2⁻³⁶, so that this is below
//     2⁻³⁰·u·n·h. Norms are at most 2³⁶, so that nothing overflows. A row with another norm passes every filter, except
//     a row of zeros, whose b is exact. For a query with another norm no row is filtered.
//
// So ρ = h + g always, and with σ = (m+48)·u:
//
//   - Inner product, of at least C in the results: ν = g + σ·h, ω = 0, τ = C.
//   - Squared distance, of at most D: ν = g + σ·h. Differences, squares and their sum have a relative error of at most (m+9)·u, so that the exact
//     distance of a row in the results is at most L = (D + 2⁻¹⁰⁰)·(1 + σ). As ‖q − x‖² = ‖q‖² − 2·(q·x − ‖x‖²/2), τ = (‖q‖² − L)/2. The square
//     n² is too large by a factor of up to 1 + 10·u, and ω = −(1 − 16·u)/2 makes up for it and for the error of the filter's last term.
//   - Cosine, of at least C: the product is divided by two norms from sums with an error of γ each, which then is rounded twice in float64 and
//     once in float32. So the value exceeds the exact cosine by at most (2·m+32)·u, and with C' = C − (2·m+32)·u, ν = g + σ·h − C'·h + 2⁻²²·|C'|·h and
//     τ = 0, where the last term allows for the error of n and h. Scaling by a power of two is exact, and only of vectors whose
//     norm is out of the range above. For a row of zeros b = 0, so that it passes.
//
// A row that reaches the last result exactly passes, because the smaller identifier wins. Nothing is filtered while a threshold is infinite,
// and a b of NaN passes.
//
// # Errors
//
// A query with NaN or infinity is an error that wraps [ErrNotFinite]. So is the end of a context, which is asked
// between blocks of at most 2²² products. Wrong shapes panic, as in package dist: check the length of a query that
// comes from outside.
package search
