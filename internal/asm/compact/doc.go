// Package compact compares vectors of bytes, and widens numbers of 16 bits, exactly.
//
//	DotInt8          Σ a_i·b_i           signed bytes
//	SqEuclideanInt8  Σ (a_i − b_i)²      signed bytes
//	Hamming          number of bits in which a and b differ
//	WidenFloat16     dst_i = src_i, IEEE 754 binary16
//	WidenBFloat16    dst_i = src_i, the upper half of a float32
//
// Integers have no rounding, so that the order of the additions is free.
//
// Shapes          a and b, or dst and src, have the same length, which may be 0.
// Aliasing        a and b may be the same slice; dst must not overlap src.
// Accuracy        exact.
// Special values  none in integers. Subnormal numbers, infinities and NaN are widened, too.
// Cost            One multiplication for each element, or a part of an instruction that counts bits.
//
// Assembly takes whole steps of 16 elements, and at most so many that sums of 32 bits do not overflow; Go adds what is left. Forms:
// AVX512-VNNI and AVX512-VPOPCNTDQ at AVX512, FEAT_DotProd at NEON.
package compact
