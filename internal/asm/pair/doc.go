// Package pair computes sums over two vectors of the same length, or over one vector.
//
//	Dot           Σ x_i·y_i
//	SqEuclidean   Σ (x_i − y_i)²
//	Manhattan     Σ |x_i − y_i|
//	Sum           Σ x_i
//	Cosine        Σ x_i·y_i / √(Σ x_i²·Σ y_i²)
//	Norm          √Σ x_i²
//
// The term of element i is added to lane i mod w, in ascending order. One FMA adds a product, with one rounding.
// The number of lanes w is 64 for float32 and 32 for float64. The lanes fill four registers of AVX-512, eight of AVX2
// or 16 of NEON. Fewer lanes would not hide the latency of an addition. Let a_l be the value of lane l. The fold
// first computes (a_l + a_(l+w/4)) + (a_(l+w/2) + a_(l+3w/4)) for every l below w/4. Then it repeatedly adds the upper
// half of these w/4 sums to the lower half.
//
// Cosine computes its three sums in one pass. Every sum has w/2 lanes, because AVX2 has too few registers for
// more. The fold of these lanes repeatedly adds the upper half to the lower half. If a sum of squares is out of
// range, Cosine and Norm multiply the vectors by powers of two and sum again.
//
// All lanes begin at −0, the neutral element of an addition: x + −0 is x for every x. So a lane without an element
// changes no sum, and a short vector needs only its first register. The sum of no elements is +0.
//
// Package query compares one vector or three vectors with many rows. It has 16 lanes, because 64 lanes were slower
// (NOTES.md). So its results differ from the results of this package by rounding errors.
//
// The contract:
//
//   - Shapes: x, y: n each.
//   - Aliasing: nothing is written.
//   - Accuracy: γ_k Σ|term|, k = ⌈n/w⌉ + log₂ w; for SqEuclidean k + 2, for Manhattan k + 1. The
//     errors of SqEuclidean and Manhattan are relative. Cosine: absolute error γ_(2k+3), k =
//     ⌈2n/w⌉ + log₂ w − 1; Norm: relative error of half of k + 2 roundings.
//   - Special values: propagate as in ordinary arithmetic. SqEuclidean and Manhattan of
//     equal finite vectors are +0. A sum is −0 only if all its terms are −0.
//   - Cost: one load of each element. One call of assembly sums up to 32Ki elements. Longer slices take
//     several calls, and the lanes are in memory between the calls.
package pair
