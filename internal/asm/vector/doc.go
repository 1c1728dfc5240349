// Package vector computes elementwise functions and the maximum of vectors. Softmax and log-sum-exp use
// these functions together with package exp. The package also computes logarithms.
//
//	Affine   dst_i = (x_i − c)·s            one difference, one product
//	Shift    dst_i = (x_i − c) − b          two differences
//	Max      max_i x_i                      ignores NaN; a zero is +0; −Inf if x is empty
//	Log      dst_i = ln x_i
//	Log2     dst_i = log₂ x_i
//
// In float64, Log and Log2 return the same bits as num.Log and num.Log2. In float32, Log and Log2 use a table
// of eight logarithms and a polynomial. See ref.go.
//
// The contract:
//
//   - Shapes: x: n; dst: n or longer; b, c, s: numbers.
//   - Aliasing: dst may be x. Otherwise dst and x must not overlap.
//   - Accuracy: Log, Log2: 0.70 ULP in float64; 0.65 and 0.69 in float32, the largest of all
//     arguments. Affine, Shift: two roundings.
//   - Special values: Log(±0) = −Inf, Log(x < 0) = NaN, Log(+Inf) = +Inf, Log(NaN) = NaN, Log(1) =
//     +0. Log2 of a power of two is exact.
//   - Cost: Log takes 10 FMAs, a division and about 25 other operations in float64, and 8 FMAs, three
//     table look-ups and about 12 other operations in float32. The Go reference implementation computes
//     groups of 64 bytes with a NaN or a zero, negative, subnormal or infinite number. It is about 10
//     times slower. Memory bandwidth limits all other functions.
//
// Assembly computes whole groups of 64 bytes. The Go reference implementation computes the remaining
// elements.
package vector
