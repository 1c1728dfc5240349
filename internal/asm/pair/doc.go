// Package pair computes sums over two vectors of the same length, or over one vector.
//
//	Dot           Σ x_i·y_i
//	SqEuclidean   Σ (x_i − y_i)²
//	Manhattan     Σ |x_i − y_i|
//	Sum           Σ x_i
//	Cosine        Σ x_i·y_i / √(Σ x_i²·Σ y_i²)
//	Norm          √Σ x_i²
//
// Element i goes to lane i mod w, in ascending order; a product is added with one rounding, FMA(x_i, y_i, lane). There
// are w = 64 lanes of float32, 32 of float64, which is four registers of AVX-512, eight of AVX2 and
// 16 of NEON. Fewer lanes would not hide the latency of an addition. Lanes fold as (l, l + w/4) and
// (l + w/2, l + 3w/4), and their sums; then in halves.
//
// One pass computes the three sums of a cosine. They have w/2 lanes each, folded in halves, because AVX2 has no registers
// for more. If a sum of squares is out of range, Cosine and Norm multiply by powers of two and sum again.
//
// All lanes begin at −0, the neutral element of an addition: x + −0 is x for every x. So a lane without an element
// changes nothing, and a short vector needs its first register only. The sum of no element is +0.
//
// Package query, which compares one vector or three with many rows, has 16 lanes. With
// 64 lanes and AVX2, three vectors against rows of 64, 128 and 256 elements took 1.85, 1.38 and 1.25 times as long
// (NOTES.md). So their results differ from those of this package by rounding errors.
//
// The contract:
//
//   - Shapes: x, y: n each.
//   - Aliasing: nothing is written.
//   - Accuracy: γ_k Σ|term|, k = ⌈n/w⌉ + log₂ w; for SqEuclidean k + 2, for Manhattan k + 1. The
//     errors of SqEuclidean and Manhattan are relative. Cosine: absolute error γ_(2k+3), k =
//     ⌈2n/w⌉ + log₂ w − 1; Norm: relative error of half of k + 2 roundings.
//   - Special values: follow the arithmetic. SqEuclidean and Manhattan of equal finite vectors are
//     +0. A sum is −0 only if all terms are.
//   - Cost: one load of each element. 32Ki elements are one call of assembly; longer slices carry
//     their lanes through memory.
package pair
