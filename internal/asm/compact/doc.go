// Package compact compares vectors of bytes, and converts float32 to fewer bits and back.
//
//	DotInt8          Σ a_i·b_i           signed bytes
//	SqEuclideanInt8  Σ (a_i − b_i)²      signed bytes
//	Hamming          number of bits in which a and b differ
//	WidenFloat16     dst_i = src_i, where src is IEEE 754 binary16
//	WidenBFloat16    dst_i = src_i, where src is bfloat16 (the upper half of a float32)
//	NarrowFloat16    dst_i = src_i, rounded to binary16
//	NarrowBFloat16   dst_i = src_i, rounded to bfloat16
//	SignBits         bit i of dst is 1 if src_i < 0, and 0 otherwise
//	RoundInt8        dst_i = src_i·r, rounded to an integer
//	QuantizeInt8     dst_i = src_i/s, rounded to an integer; s is max|src_i|/127, rounded up to 17 bits
//
// Integer sums are exact in any order of the additions. All roundings are to nearest, ties to even.
//
// RoundInt8 rounds twice: t = FMA(src_i, r, 1.5·2²²) is a multiple of 2⁻³⁰, and t + (1.5·2⁵² − 1.5·2²²) is an integer.
// QuantizeInt8 sets r = 1/s, rounded to float64. The results are the exact quotients q = src_i/s, rounded once. |q| is below
// 127.5, so src_i·r differs from q by less than 2⁻⁴⁵. If q lies halfway between two integers, t is q + 1.5·2²². Otherwise q differs from
// every halfway point by at least 2⁻²⁶: src_i = V·2^a and s = S·2^b with |V| < 2²⁴ and S < 2¹⁷. Where |q| is near ½ or above, a ≥ b − 9.
// So q − (k + ½) = (V·2^(a+1−b) − S·(2k + 1))/(2S) is a multiple of 2⁻⁸/(2S), and 2S < 2¹⁸.
//
// The contract:
//
//   - Shapes: a and b, or dst and src, have the same length, which may be 0. SignBits needs
//     ⌈len(src)/8⌉ bytes.
//   - Aliasing: a and b may be the same slice; dst must not overlap src.
//   - Accuracy: sums and Widen are exact; conversions to fewer bits are rounded once.
//   - Special values: Subnormal numbers and infinities are converted like other numbers. A NaN
//     becomes 0x7e00 or 0x7fc0, and its sign bit is 0 in SignBits. If an element of src is not
//     finite, QuantizeInt8 returns the scale NaN and integers 0. RoundInt8 expects products from
//     −128.5 to 127.5.
//   - Cost: one multiplication for each element, or a part of an instruction that counts bits.
//
// Assembly requires a multiple of 16 elements, and 32-bit sums must not overflow. Go code processes the remaining
// elements. The kernels use the extensions AVX512-VNNI, AVX512-VPOPCNTDQ and FEAT_DotProd if the machine has them.
package compact
