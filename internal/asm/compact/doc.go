// Package compact compares vectors of bytes, and converts float32 to fewer bits and back.
//
//	DotInt8          Σ a_i·b_i           signed bytes
//	SqEuclideanInt8  Σ (a_i − b_i)²      signed bytes
//	Hamming          number of bits in which a and b differ
//	WidenFloat16     dst_i = src_i, IEEE 754 binary16
//	WidenBFloat16    dst_i = src_i, the upper half of a float32
//	NarrowFloat16    dst_i = src_i, rounded to binary16
//	NarrowBFloat16   dst_i = src_i, rounded to the upper half of a float32
//	SignBits         bit i of dst = src_i < 0
//	RoundInt8        dst_i = src_i·r, rounded to an integer
//	QuantizeInt8     dst_i = src_i/s, rounded to an integer; s is max|src_i|/127, rounded up to 17 bits
//
// Integer sums are exact, so the order of the additions is free. All roundings are to nearest, ties to even.
//
// RoundInt8 rounds twice: t = FMA(src_i, r, 1.5·2²²) has a last place of 2⁻³⁰, and t + (1.5·2⁵² − 1.5·2²²) a last place of 1.
// QuantizeInt8 sets r = 1/s, rounded to float64. Its integers are the rounded exact quotients q = src_i/s. |q| is below
// 127.5, so src_i·r differs from q by less than 2⁻⁴⁵. If q lies halfway between two integers, t is this point. Otherwise q differs from
// every halfway point by at least 2⁻²⁶: src_i = V·2^a and s = S·2^b with |V| < 2²⁴ and S < 2¹⁷. Where |q| is near ½ or above, a ≥ b − 9.
// So q − (k + ½) = (V·2^(a+1−b) − S·(2k + 1))/(2S) is a multiple of 2⁻⁸/(2S), and 2S < 2¹⁸.
//
// The contract:
//
//   - Shapes: a and b, or dst and src, have the same length, which may be 0. SignBits needs
//     ⌈len(src)/8⌉ bytes.
//   - Aliasing: a and b may be the same slice; dst must not overlap src.
//   - Accuracy: sums and Widen are exact; conversions to fewer bits are rounded once.
//   - Special values: none in integers. Subnormal numbers and infinities are converted like other
//     numbers. A NaN becomes 0x7e00 and 0x7fc0, and is not negative. A src that is not finite has
//     the scale NaN, and codes of 0. RoundInt8 expects products from −128.5 to 127.5.
//   - Cost: one multiplication for each element, or a part of an instruction that counts bits.
//
// Assembly requires a multiple of 16 elements, few enough for sums of 32 bits. Go code computes the remaining elements.
// Extensions of levels: AVX512-VNNI and AVX512-VPOPCNTDQ for AVX512, FEAT_DotProd for NEON.
package compact
