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
// Beside the rows, [NewRows] and [Collection.Append] store a sketch of each row: one byte for each element, and three
// numbers. From the sketch, a search computes an upper bound of how near the row can be. It compares only the rows whose
// bound reaches the results so far. So it reads a quarter of the memory, and mostly multiplies bytes. The results are the
// same rows in the same order with the same bits as without sketches. Searches use sketches from 2048 rows and 8 columns
// on. Rows of [StorageInt8] have no sketches, and [NoSketch] leaves them out.
//
// The bound is as follows. A row x is s·c with integers c from −63 to 63, and a rest. A query q is t·p with integers p
// from −127 to 127, and a rest. Let u = 2⁻²⁴ be the rounding error of float32, and m = ⌈d/16⌉ for d elements.
//
//	r ≥ ‖x − s·c‖   n ≥ ‖x‖   g ≥ ‖q − t·p‖   h ≥ ‖q‖
//	q·x = s·t·(c·p) + q·(x − s·c) + (q − t·p)·(s·c) ≤ s·t·(c·p) + r·(h+g) + n·g
//
// by Cauchy and Schwarz, since ‖s·c‖ ≤ n + r. The integer c·p is exact. Float64 sums give the squares of the norms with a
// relative error below 2⁻³⁸. The norms are multiplied by 1 + 2⁻³⁰, and r and n are rounded up to float32, so that
// n ≤ ‖x‖·(1 + 2⁻²²). The filter computes
//
//	b = a·(c·p) + r·ρ + n·ν + n²·ω
//
// with a = s and coefficients ρ, ν and ω of the query, which are divided by t. So b is an upper bound divided by t. The
// coefficients are rounded up. The filter compares b with a threshold τ, which is also divided by t, and rounded down. A
// row passes unless b < τ. The coefficients allow for these errors:
//
//   - The float32 operations of the filter err by at most 5.01·u·(|a·(c·p)| + |r·ρ| + |n·ν| + |n²·ω|). Because r is at most
//     1.01·n and g at most 1.01·h, the first three terms are at most 41·u·n·h, in units of 1/t.
//   - A float32 sum over 16 lanes of m products each, folded in four steps, errs by at most γ·Σ|q_k·x_k| ≤ γ·n·h with
//     γ = (m+4)·u/(1 − (m+4)·u) ≤ (m+7)·u, as d is at most 100 000.
//   - Underflow adds at most 2⁻¹⁴⁷ to the filter and d·2⁻¹⁴⁹ to the sum. Norms are at least 2⁻³⁶, so that both are below
//     2⁻³⁰·u·n·h. Norms are at most 2³⁶, so that nothing overflows. A row with another norm passes every filter. A row of
//     zeros is an exception: its b is exact. If the norm of the query is out of range, no row is filtered.
//
// So ρ = h + g always. With σ = (m+48)·u, the other coefficients are:
//
//   - Inner product of at least C: ν = g + σ·h, ω = 0, τ = C.
//   - Squared distance of at most D: ν = g + σ·h, ω = −(1 − 16·u)/2, τ = (‖q‖² − L)/2 with L = (D + 2⁻¹⁰⁰)·(1 + σ).
//     Differences, squares and their sum have a relative error of at most (m+9)·u, so that the exact distance of a row in
//     the results is at most L. Then q·x − ‖x‖²/2 is at least τ, because ‖q − x‖² = ‖q‖² − 2·(q·x − ‖x‖²/2). The square n²
//     is too large by a factor of up to 1 + 10·u. The term 16·u in ω allows for this factor and for the error of n²·ω.
//   - Cosine of at least C, where C is at most 1: ν = g + σ·h − C'·h + 2⁻²²·|C'|·h, ω = 0, τ = 0 with
//     C' = C − (2·m+32)·u. The product is divided by two norms, whose sums have an error of γ each. The quotient is rounded
//     twice in float64 and once in float32. So it exceeds the exact cosine by at most (2·m+32)·u. The last term of ν allows
//     for the errors of n and h. Vectors whose norm is out of range are scaled by a power of two, which is exact. A row
//     of zeros has b = 0 and passes.
//
// A row with b = τ passes, because the smaller identifier wins among rows with the same value. Nothing is filtered while
// a threshold is infinite, and a b of NaN passes.
//
// # Errors
//
// A query with NaN or infinity is an error that wraps [ErrNotFinite]. If the context ends, the error is its cause. The
// context is checked between blocks of at most 2²² products. Wrong shapes panic, as in package dist: check the length of
// a query that comes from outside.
package search
