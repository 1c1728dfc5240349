// Package vecmath computes dot products, distances and sums of slices of float64 and float32, and exponentials,
// logarithms and softmax, with AVX2, AVX-512 and NEON. Results are bit-identical on every machine, unlike
// package math; only the sign and payload bits of a NaN may differ.
//
// All functions are safe for concurrent use on different destinations. They do not allocate, except TopK. A destination must
// have the length of its source. Unless documented otherwise, it may be the source itself, but it must not partially overlap
// the source. Functions panic if lengths or shapes do not match, or if the destination overlaps the source in a way that is
// not allowed.
//
// # Accuracy
//
// The table contains bounds of the errors in ULP, units in the last place of the result. Subnormal
// results have separate bounds. Tests compare Exp, Exp2, Log and Log2 with 130-bit results, for all
// float32 arguments and for millions of float64 arguments. The bound of Sigmoid is derived: twice the
// rounding errors of the exponential and of the sum 1 + exp(−x), plus the rounding error of the
// quotient. docs/benchmarks/accuracy.md lists the largest errors found.
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
//   - [Sum] and [Dot] have an absolute error of at most s·u·Σ|term|, with s = ⌈n/(4w)⌉ + log₂(4w). [Dot] does not
//     round products before adding them.
//   - [SqEuclidean] and [Manhattan] have a relative error of at most (s + 2)·u and (s + 1)·u, unless a square
//     underflows; [Norm] has (s/2 + 1)·u, and an element of [Normalize] (s/2 + 3)·u.
//   - [CosineSimilarity] has an absolute error of at most (2c + 3)·u, with c = ⌈n/(2w)⌉ + log₂(2w), for all finite vectors.
//
// # Sums
//
// Lane l of a sum adds the elements l, l + 4w, l + 8w, … in this order. The three sums of a cosine have 2w lanes, so
// a cosine is not exactly Dot(a, b)/(Norm(a)·Norm(b)). The sums of search.Searcher have w lanes: its results differ
// from Dot and SqEuclidean by rounding errors, at most by the sum of both bounds.
//   - [Softmax], [LogSoftmax] and [LogSumExp] sum the exponentials of the differences from the largest element. The
//     sum s excludes the largest element itself: [LogSumExp] is its value plus ln(1 + s), which stays accurate if s
//     is tiny. Differences below −708 (float32: −87) count as −∞. Elements are summed in w lanes, in blocks of 256w.
//     A block uses the largest element so far; when a larger element is found, the sum is rescaled. Softmax of more
//     than one block first finds the largest element of all blocks.
//   - Let r be the largest difference that does not count as −∞, b the number of blocks, and t the value for the
//     elements of one block. Then ln(1 + s) has a relative error of at most (1.25r + t + b + 4)·u. [LogSumExp] adds
//     one more rounding error, for the sum with the largest element, and [LogSoftmax] adds two, for two differences.
//   - An element of [Softmax] that is not 0 has a relative error of at most (2.5r + t + b + 5)·u, unless it is below the least
//     normal number.
//
// NOTES.md in the folder of this package contains measurements, and the reasons why there is no
// Tanh.
package vecmath
