// The core of 2^y on AVX-512, as macros: one vector each unless the name says more.
// exp/ref.go defines what they compute; packages that fuse it into something else
// carry an identical copy of this file.
//
// In: y in any register, NaN and ±Inf included. Out: q = 2^y, +0 where y < −1022
// (−126), the bits of Ref2; +Inf where y ≥ 1023.9375 (127.875) takes the two steps
// in brackets. magic and table are registers with EXP2_F64_MAGIC broadcast and with the
// 64 bytes at EXP2_F64_TABLE.
//
//	EXP2_UNDER_F64(y, keep)         opmask: not y < −1022
//	[EXP2_OVER_F64(y, over)]        opmask: y ≥ 1023.9375
//	EXP2_SPLIT_F64(y, t, f)         f ← y − k, t ← magic + k
//	EXP2_TABLE_F64(t, y)            t ← S = 2^k·E; y is scratch
//	EXP2_FIRST_F64(y)               y ← q = 2^f/E − 1 by Horner steps: the first term;
//	EXP2_STEP_F64(EXP2_F64_C6, y, f)   … down to C0; from C3 in float32
//	EXP2_LAST_F64(y, t, keep)       y ← q·S + S, or 0
//	[EXP2_INF_F64(y, over)]         y ← +Inf
//
// The dependent chain is about 60 cycles long; exp2three_*.h takes three vectors at a
// time, step by step, without the steps in brackets.

#define EXP2_UNDER_F64(y, keep) VCMPPD.BCST $0x15, exp2f64<>+EXP2_F64_LEAST(SB), y, keep

#define EXP2_OVER_F64(y, over) VCMPPD.BCST $0x1d, exp2f64<>+EXP2_F64_ABOVE(SB), y, over

#define EXP2_SPLIT_F64(y, t, f) \
	VADDPD magic, y, t; \
	VSUBPD magic, t, f; \
	VSUBPD f, y, f

#define EXP2_TABLE_F64(t, s) \
	VPERMPD table, t, s; \
	VPSLLQ  $49, t, t;   \
	VPADDQ  s, t, t

#define EXP2_FIRST_F64(q) VBROADCASTSD exp2f64<>+EXP2_F64_C7(SB), q

#define EXP2_STEP_F64(name, q, f) VFMADD213PD.BCST exp2f64<>+name(SB), f, q

#define EXP2_STEP3_F64(name, q0, f0, q1, f1, q2, f2) \
	VFMADD213PD.BCST exp2f64<>+name(SB), f0, q0; \
	VFMADD213PD.BCST exp2f64<>+name(SB), f1, q1; \
	VFMADD213PD.BCST exp2f64<>+name(SB), f2, q2

#define EXP2_LAST_F64(q, s, keep) VFMADD213PD.Z s, s, keep, q

#define EXP2_INF_F64(q, over) VBROADCASTSD exp2f64<>+EXP2_F64_INF(SB), over, q

#define EXP2_UNDER_F32(y, keep) VCMPPS.BCST $0x15, exp2f32<>+EXP2_F32_LEAST(SB), y, keep

#define EXP2_OVER_F32(y, over) VCMPPS.BCST $0x1d, exp2f32<>+EXP2_F32_ABOVE(SB), y, over

#define EXP2_SPLIT_F32(y, t, f) \
	VADDPS magic, y, t; \
	VSUBPS magic, t, f; \
	VSUBPS f, y, f

#define EXP2_TABLE_F32(t, s) \
	VPERMPS table, t, s; \
	VPSLLD  $21, t, t;   \
	VPADDD  s, t, t

#define EXP2_FIRST_F32(q) VBROADCASTSS exp2f32<>+EXP2_F32_C4(SB), q

#define EXP2_STEP_F32(name, q, f) VFMADD213PS.BCST exp2f32<>+name(SB), f, q

#define EXP2_STEP3_F32(name, q0, f0, q1, f1, q2, f2) \
	VFMADD213PS.BCST exp2f32<>+name(SB), f0, q0; \
	VFMADD213PS.BCST exp2f32<>+name(SB), f1, q1; \
	VFMADD213PS.BCST exp2f32<>+name(SB), f2, q2

#define EXP2_LAST_F32(q, s, keep) VFMADD213PS.Z s, s, keep, q

#define EXP2_INF_F32(q, over) VBROADCASTSS exp2f32<>+EXP2_F32_INF(SB), over, q

// Constants of ref.go and coef.go, polynomial highest degree first. The table of
// float32 is repeated: the index has four bits of which the last two count.
#define EXP2_F64_LEAST 0
#define EXP2_F64_ABOVE 8
#define EXP2_F64_INF 16
#define EXP2_F64_MAGIC 24
#define EXP2_F64_C7 32
#define EXP2_F64_C6 40
#define EXP2_F64_C5 48
#define EXP2_F64_C4 56
#define EXP2_F64_C3 64
#define EXP2_F64_C2 72
#define EXP2_F64_C1 80
#define EXP2_F64_C0 88
#define EXP2_F64_FAST 96
#define EXP2_F64_TABLE 128

DATA exp2f64<>+0(SB)/8, $0xc08ff00000000000 // −1022
DATA exp2f64<>+8(SB)/8, $0x408fff8000000000 // 1024 − 2^−4
DATA exp2f64<>+16(SB)/8, $0x7ff0000000000000 // +Inf
DATA exp2f64<>+24(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA exp2f64<>+32(SB)/8, $0x3eeffb3fb1842f75
DATA exp2f64<>+40(SB)/8, $0x3f2430e52d41b726
DATA exp2f64<>+48(SB)/8, $0x3f55d87fee7145b0
DATA exp2f64<>+56(SB)/8, $0x3f83b2ab6eb3b29d
DATA exp2f64<>+64(SB)/8, $0x3fac6b08d69c1f54
DATA exp2f64<>+72(SB)/8, $0x3fcebfbdff11dcea
DATA exp2f64<>+80(SB)/8, $0x3fe62e42fea8c64b
DATA exp2f64<>+88(SB)/8, $0xbe0d60a3fd941ecc
DATA exp2f64<>+96(SB)/8, $0x408fff7f7fffffff // upper half: of the last below
DATA exp2f64<>+128(SB)/8, $0x3ff00000003ac148
DATA exp2f64<>+136(SB)/8, $0x3fef72b83cbd641d
DATA exp2f64<>+144(SB)/8, $0x3fef06fe0a779648
DATA exp2f64<>+152(SB)/8, $0x3feebfdad5825c48
DATA exp2f64<>+160(SB)/8, $0x3feea09e66d25362
DATA exp2f64<>+168(SB)/8, $0x3feeace542853daf
DATA exp2f64<>+176(SB)/8, $0x3feee89f99bda3ff
DATA exp2f64<>+184(SB)/8, $0x3fef5818dd67665c
GLOBL exp2f64<>(SB), RODATA|NOPTR, $192

#define EXP2_F32_LEAST 0
#define EXP2_F32_ABOVE 4
#define EXP2_F32_INF 8
#define EXP2_F32_MAGIC 12
#define EXP2_F32_C4 16
#define EXP2_F32_C3 20
#define EXP2_F32_C2 24
#define EXP2_F32_C1 28
#define EXP2_F32_C0 32
#define EXP2_F32_FAST 36
#define EXP2_F32_TABLE 64

DATA exp2f32<>+0(SB)/4, $0xc2fc0000 // −126
DATA exp2f32<>+4(SB)/4, $0x42ffc000 // 128 − 2^−3
DATA exp2f32<>+8(SB)/4, $0x7f800000 // +Inf
DATA exp2f32<>+12(SB)/4, $0x4a400000 // 1.5·2^21
DATA exp2f32<>+16(SB)/4, $0x3c1d8295
DATA exp2f32<>+20(SB)/4, $0x3d6364ea
DATA exp2f32<>+24(SB)/4, $0x3e75efce
DATA exp2f32<>+28(SB)/4, $0x3f3167e2
DATA exp2f32<>+32(SB)/4, $0xb96b92d3
DATA exp2f32<>+36(SB)/4, $0x42ffbfff // the last below
DATA exp2f32<>+64(SB)/4, $0x3f80075d
DATA exp2f32<>+68(SB)/4, $0x3f7840b2
DATA exp2f32<>+72(SB)/4, $0x3f750f5d
DATA exp2f32<>+76(SB)/4, $0x3f77515f
DATA exp2f32<>+80(SB)/4, $0x3f80075d
DATA exp2f32<>+84(SB)/4, $0x3f7840b2
DATA exp2f32<>+88(SB)/4, $0x3f750f5d
DATA exp2f32<>+92(SB)/4, $0x3f77515f
DATA exp2f32<>+96(SB)/4, $0x3f80075d
DATA exp2f32<>+100(SB)/4, $0x3f7840b2
DATA exp2f32<>+104(SB)/4, $0x3f750f5d
DATA exp2f32<>+108(SB)/4, $0x3f77515f
DATA exp2f32<>+112(SB)/4, $0x3f80075d
DATA exp2f32<>+116(SB)/4, $0x3f7840b2
DATA exp2f32<>+120(SB)/4, $0x3f750f5d
DATA exp2f32<>+124(SB)/4, $0x3f77515f
GLOBL exp2f32<>(SB), RODATA|NOPTR, $128
