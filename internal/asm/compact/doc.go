// Package compact compares vectors of bytes, exactly.
//
//	DotInt8          Σ a_i·b_i           signed bytes
//	SqEuclideanInt8  Σ (a_i − b_i)²      signed bytes
//	Hamming          number of bits in which a and b differ
//
// Integers have no rounding, so that the order of the additions is free.
//
// Shapes          a and b have the same length, which may be 0.
// Aliasing        a and b may be the same slice.
// Accuracy        exact.
// Special values  none.
// Cost            One multiplication for each element, or a part of an instruction that counts bits.
//
// Assembly takes whole steps of 16 bytes, and at most so many that sums of 32 bits do not overflow; Go adds what is left. Forms:
// AVX512-VNNI and AVX512-VPOPCNTDQ at AVX512, FEAT_DotProd at NEON.
package compact
