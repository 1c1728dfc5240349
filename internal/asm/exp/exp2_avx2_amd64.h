// The core of 2^y on AVX2, as macros: one vector each unless the name says more.
// exp/ref.go defines what they compute; packages that fuse it into something else
// carry an identical copy of this file.
//
// In: y in any register, NaN and −Inf included, below 1023.9375 (127.875): the
// core does not make +Inf above, see EXP2_OVER. Out: q = 2^y, +0 where y < −1022
// (−126), the bits of Ref2. magic and least are registers with these constants.
//
//	EXP2_CONST_F64(EXP2_F64_MAGIC, magic)    broadcast a constant
//	EXP2_CONST_F64(EXP2_F64_LEAST, least)
//
//	EXP2_SPLIT_F64(y, t, u, k)       y ← f, t ← magic + k, u ← ones where y < least
//	EXP2_TABLE_F64(t, u, i, j)       t ← S = 2^k·E, or +0 where u is set
//	EXP2_CONST_F64(EXP2_F64_C7, q)   q ← 2^f/E − 1 by Horner steps; _C4 in float32
//	EXP2_STEP_F64(EXP2_F64_C6, c, q, y)      … down to C0
//	EXP2_LAST_F64(q, t)              q ← q·S + S
//
// Live from one step to the next are y, t, u, then y, t, q; k, i, j and c are
// scratch and can be one register but for i ≠ j (float32 has no j). The dependent
// chain is about 60 cycles long: take at least two vectors at a time, step by step.
//
// A short step needs no mask before the store: lanes of zeros, as masked loads
// leave them, are harmless.

// EXP2_OVER sets q to +Inf where y, the original, is 1023.9375 (127.875) or more.
#define EXP2_OVER_F64(y, q, c, u) \
	VBROADCASTSD exp2f64<>+EXP2_F64_ABOVE(SB), c; \
	VCMPPD       $0x1d, c, y, u; \
	VBROADCASTSD exp2f64<>+EXP2_F64_INF(SB), c; \
	VBLENDVPD    u, c, q, q

#define EXP2_CONST_F64(name, c) VBROADCASTSD exp2f64<>+name(SB), c

// Of a NaN and a number VMAXPD returns its first operand, y.
#define EXP2_SPLIT_F64(y, t, u, k) \
	VCMPPD $0x11, least, y, u; \
	VMAXPD y, least, y; \
	VADDPD magic, y, t; \
	VSUBPD magic, t, k; \
	VSUBPD k, y, y

// The eight entries of 64 bits are looked up as two times eight of 32; both halves
// need the index, the last three bits of t, in their own 32 bits.
#define EXP2_TABLE_F64(t, u, i, j) \
	VPSHUFD  $0xa0, t, i; \
	VPERMPS  exp2f64<>+EXP2_F64_TABLELO(SB), t, j; \
	VPERMPS  exp2f64<>+EXP2_F64_TABLEHI(SB), i, i; \
	VPBLENDD $0x55, j, i, i; \
	VPSLLQ   $49, t, t; \
	VPADDQ   i, t, t; \
	VANDNPD  t, u, t

#define EXP2_STEP_F64(name, c, q, f) \
	VBROADCASTSD exp2f64<>+name(SB), c; \
	VFMADD213PD  c, f, q

#define EXP2_STEP2_F64(name, c, q0, f0, q1, f1) \
	VBROADCASTSD exp2f64<>+name(SB), c; \
	VFMADD213PD  c, f0, q0; \
	VFMADD213PD  c, f1, q1

#define EXP2_STEP4_F64(name, c, q0, f0, q1, f1, q2, f2, q3, f3) \
	VBROADCASTSD exp2f64<>+name(SB), c; \
	VFMADD213PD  c, f0, q0; \
	VFMADD213PD  c, f1, q1; \
	VFMADD213PD  c, f2, q2; \
	VFMADD213PD  c, f3, q3

#define EXP2_LAST_F64(q, s) VFMADD213PD s, s, q

#define EXP2_OVER_F32(y, q, c, u) \
	VBROADCASTSS exp2f32<>+EXP2_F32_ABOVE(SB), c; \
	VCMPPS       $0x1d, c, y, u; \
	VBROADCASTSS exp2f32<>+EXP2_F32_INF(SB), c; \
	VBLENDVPS    u, c, q, q

#define EXP2_CONST_F32(name, c) VBROADCASTSS exp2f32<>+name(SB), c

#define EXP2_SPLIT_F32(y, t, u, k) \
	VCMPPS $0x11, least, y, u; \
	VMAXPS y, least, y; \
	VADDPS magic, y, t; \
	VSUBPS magic, t, k; \
	VSUBPS k, y, y

#define EXP2_TABLE_F32(t, u, i) \
	VBROADCASTF128 exp2f32<>+EXP2_F32_TABLE(SB), i; \
	VPERMILPS      t, i, i; \
	VPSLLD         $21, t, t; \
	VPADDD         i, t, t; \
	VANDNPS        t, u, t

#define EXP2_STEP_F32(name, c, q, f) \
	VBROADCASTSS exp2f32<>+name(SB), c; \
	VFMADD213PS  c, f, q

#define EXP2_STEP2_F32(name, c, q0, f0, q1, f1) \
	VBROADCASTSS exp2f32<>+name(SB), c; \
	VFMADD213PS  c, f0, q0; \
	VFMADD213PS  c, f1, q1

#define EXP2_STEP4_F32(name, c, q0, f0, q1, f1, q2, f2, q3, f3) \
	VBROADCASTSS exp2f32<>+name(SB), c; \
	VFMADD213PS  c, f0, q0; \
	VFMADD213PS  c, f1, q1; \
	VFMADD213PS  c, f2, q2; \
	VFMADD213PS  c, f3, q3

#define EXP2_LAST_F32(q, s) VFMADD213PS s, s, q

// Constants of ref.go and coef.go, polynomial highest degree first.
#define EXP2_F64_MAGIC 0
#define EXP2_F64_LEAST 8
#define EXP2_F64_ABOVE 16
#define EXP2_F64_INF 24
#define EXP2_F64_C7 32
#define EXP2_F64_C6 40
#define EXP2_F64_C5 48
#define EXP2_F64_C4 56
#define EXP2_F64_C3 64
#define EXP2_F64_C2 72
#define EXP2_F64_C1 80
#define EXP2_F64_C0 88
#define EXP2_F64_FAST 96
#define EXP2_F64_TABLELO 128
#define EXP2_F64_TABLEHI 160

DATA exp2f64<>+0(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA exp2f64<>+8(SB)/8, $0xc08ff00000000000 // −1022
DATA exp2f64<>+16(SB)/8, $0x408fff8000000000 // 1024 − 1/16
DATA exp2f64<>+24(SB)/8, $0x7ff0000000000000 // +Inf
DATA exp2f64<>+32(SB)/8, $0x3eeffb3fb1842f75
DATA exp2f64<>+40(SB)/8, $0x3f2430e52d41b726
DATA exp2f64<>+48(SB)/8, $0x3f55d87fee7145b0
DATA exp2f64<>+56(SB)/8, $0x3f83b2ab6eb3b29d
DATA exp2f64<>+64(SB)/8, $0x3fac6b08d69c1f54
DATA exp2f64<>+72(SB)/8, $0x3fcebfbdff11dcea
DATA exp2f64<>+80(SB)/8, $0x3fe62e42fea8c64b
DATA exp2f64<>+88(SB)/8, $0xbe0d60a3fd941ecc
DATA exp2f64<>+96(SB)/8, $0x408fff7f7fffffff // upper half: of the last below 1024 − 1/16
DATA exp2f64<>+104(SB)/8, $0x408fff7f7fffffff
DATA exp2f64<>+112(SB)/8, $0x408fff7f7fffffff
DATA exp2f64<>+120(SB)/8, $0x408fff7f7fffffff
DATA exp2f64<>+128(SB)/4, $0x003ac148
DATA exp2f64<>+132(SB)/4, $0x3cbd641d
DATA exp2f64<>+136(SB)/4, $0x0a779648
DATA exp2f64<>+140(SB)/4, $0xd5825c48
DATA exp2f64<>+144(SB)/4, $0x66d25362
DATA exp2f64<>+148(SB)/4, $0x42853daf
DATA exp2f64<>+152(SB)/4, $0x99bda3ff
DATA exp2f64<>+156(SB)/4, $0xdd67665c
DATA exp2f64<>+160(SB)/4, $0x3ff00000
DATA exp2f64<>+164(SB)/4, $0x3fef72b8
DATA exp2f64<>+168(SB)/4, $0x3fef06fe
DATA exp2f64<>+172(SB)/4, $0x3feebfda
DATA exp2f64<>+176(SB)/4, $0x3feea09e
DATA exp2f64<>+180(SB)/4, $0x3feeace5
DATA exp2f64<>+184(SB)/4, $0x3feee89f
DATA exp2f64<>+188(SB)/4, $0x3fef5818
GLOBL exp2f64<>(SB), RODATA|NOPTR, $192

#define EXP2_F32_MAGIC 0
#define EXP2_F32_LEAST 4
#define EXP2_F32_ABOVE 8
#define EXP2_F32_INF 12
#define EXP2_F32_C4 16
#define EXP2_F32_C3 20
#define EXP2_F32_C2 24
#define EXP2_F32_C1 28
#define EXP2_F32_C0 32
#define EXP2_F32_FAST 64
#define EXP2_F32_TABLE 96

DATA exp2f32<>+0(SB)/4, $0x4a400000 // 1.5·2^21
DATA exp2f32<>+4(SB)/4, $0xc2fc0000 // −126
DATA exp2f32<>+8(SB)/4, $0x42ffc000 // 128 − 1/8
DATA exp2f32<>+12(SB)/4, $0x7f800000 // +Inf
DATA exp2f32<>+16(SB)/4, $0x3c1d8295
DATA exp2f32<>+20(SB)/4, $0x3d6364ea
DATA exp2f32<>+24(SB)/4, $0x3e75efce
DATA exp2f32<>+28(SB)/4, $0x3f3167e2
DATA exp2f32<>+32(SB)/4, $0xb96b92d3
DATA exp2f32<>+64(SB)/4, $0x42ffbfff // the last below 128 − 1/8
DATA exp2f32<>+68(SB)/4, $0x42ffbfff
DATA exp2f32<>+72(SB)/4, $0x42ffbfff
DATA exp2f32<>+76(SB)/4, $0x42ffbfff
DATA exp2f32<>+80(SB)/4, $0x42ffbfff
DATA exp2f32<>+84(SB)/4, $0x42ffbfff
DATA exp2f32<>+88(SB)/4, $0x42ffbfff
DATA exp2f32<>+92(SB)/4, $0x42ffbfff
DATA exp2f32<>+96(SB)/4, $0x3f80075d
DATA exp2f32<>+100(SB)/4, $0x3f7840b2
DATA exp2f32<>+104(SB)/4, $0x3f750f5d
DATA exp2f32<>+108(SB)/4, $0x3f77515f
GLOBL exp2f32<>(SB), RODATA|NOPTR, $112
