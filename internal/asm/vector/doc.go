// Package vector computes elementwise functions and the maximum of vectors: what softmax and
// log-sum-exp need in addition to package exp, and the logarithm.
//
//	Affine   dst_i = (x_i − c)·s            one difference, one product
//	Shift    dst_i = (x_i − c) − b          two differences
//	Max      max_i x_i                      NaN ignored; a zero is +0; −Inf if x is empty
//	Log      dst_i = ln x_i
//	Log2     dst_i = log₂ x_i
//
// In float64, Log and Log2 are num.Log and num.Log2: x = 2^k·m with √½ ≤ m < √2, a polynomial for
// the logarithm of m, and the rounding error of the sum with k. In float32 a table has the
// logarithms of eight numbers near m, and a polynomial computes the logarithm of the quotient. See
// ref.go.
//
// The contract:
//
//   - Shapes: x: n; dst: n or longer; b, c, s: numbers.
//   - Aliasing: dst may be x; otherwise they do not overlap.
//   - Accuracy: Log, Log2: 0.70 ULP in float64; 0.65 and 0.69 in float32, the largest of all
//     arguments. Affine, Shift: two roundings.
//   - Special values: Log(±0) = −Inf, Log(x < 0) = NaN, Log(+Inf) = +Inf, Log(NaN) = NaN, Log(1) =
//     +0. Log2 of a power of two is exact.
//   - Cost: Log: in float64 10 FMAs, a division and some 25 other operations; in float32 8 FMAs,
//     three table look-ups and some 12 others; a group of 64 bytes with a zero, a negative,
//     subnormal or infinite number or a NaN is computed by the reference, in Go, some 10 times as
//     long. Loads limit all other functions.
//
// Assembly takes whole groups of 64 bytes. The reference computes the rest.
package vector
