// Package vecmath computes dot products, distances and sums of slices of float64 and float32, and exponentials,
// logarithms and softmax, with AVX2, AVX-512 and NEON. Results are bit-identical on every machine, unlike
// package math; only the sign and payload bits of a NaN may differ.
//
// All functions are safe for concurrent use on different destinations, and allocate nothing.
// A destination has the length of its source. It may be the source; it must not overlap it in
// any other way. Functions panic if lengths or shapes do not match.
//
// # Accuracy
//
// The table bounds the errors in ULP, units in the last place of the result. Results below the
// least normal number have bounds of their own. Tests compare Exp, Exp2, Log and Log2 with results of
// 130 bits: for all arguments in float32, and for millions in float64. The bound of Sigmoid is
// derived: twice the rounding errors of the exponential and of the sum 1 + exp(−x), plus that of
// the quotient. The largest errors found are in docs/benchmarks/accuracy.md.
//
//	           float64   float32   results below the least normal number
//	Exp        0.70      0.72      0.85, in float32 0.82
//	Exp2       0.63      0.68      0.85
//	Log        0.70      0.65
//	Log2       0.70      0.69
//	Sigmoid    2.95      2.95      2.95; the result is 0 where exp(−x) overflows
//
// Let u be 2⁻⁵³ (2⁻²⁴ in float32), n the number of elements, w = 8 (16) the number of lanes, and
// t = ⌈n/w⌉ + log₂w. To first order:
//   - [Sum] and [Dot] have an absolute error of at most s·u·Σ|term|, with s = ⌈n/(4w)⌉ + log₂(4w). Products of [Dot] are not
//     rounded before they are added.
//   - [SqEuclidean] and [Manhattan] have a relative error of at most (s + 2)·u and (s + 1)·u, unless a square
//     underflows; [Norm] has (s/2 + 1)·u, and an element of [Normalize] (s/2 + 3)·u.
//   - [CosineSimilarity] has an absolute error of at most (2c + 3)·u, with c = ⌈n/(2w)⌉ + log₂(2w), for all finite vectors.
//
// # Sums
//
// Element i goes to lane i mod 4w of a sum, in ascending order; the three sums of a cosine have 2w lanes. So a cosine is not exactly
// Dot(a, b)/(Norm(a)·Norm(b)). search.Searcher has w lanes: its results differ from those of Dot and SqEuclidean by rounding errors, which are
// within the sum of both bounds.
//   - [Softmax], [LogSoftmax] and [LogSumExp] sum the exponentials of the differences from the largest element. It is not in the sum
//     itself: [LogSumExp] is top + ln(1 + s), so that it keeps its digits where s is tiny. Differences below −708 (float32:
//     −87) count as −∞. Elements are summed in w lanes, in blocks of 256w. The largest element is that of the blocks so far;
//     when it grows, the sum is scaled. Softmax of more than one block finds the largest element of all first.
//   - Let r be the largest difference that does not count as −∞, b the number of blocks, and t that of a block's elements.
//     Then ln(1 + s) has a relative error of at most (1.25r + t + b + 4)·u. [LogSumExp] rounds the sum with the
//     largest element once more, [LogSoftmax] two differences.
//   - An element of [Softmax] that is not 0 has a relative error of at most (2.5r + t + b + 5)·u, unless it is below the least
//     normal number.
//
// NOTES.md in the folder of this package says what was measured, and why there is no Tanh.
package vecmath
