// Constants of 2^y; ref.go of package exp defines what exp2quad_neon_arm64.h computes
// with them. In the block of float32 the table is followed by the number of a lane's
// lowest byte and by the numbers of the bytes in a lane, for LOOKUP; it has no C5 … C7.
//
// Registers named by the including file: consts (a pointer to the block).

#define EXP2_TABLE 0
#define EXP2_MAGIC 64
#define EXP2_LEAST 80
#define EXP2_ABOVE 96
#define EXP2_INF 112
#define EXP2_C0 128
#define EXP2_C1 144
#define EXP2_C2 160
#define EXP2_C3 176
#define EXP2_C4 192
#define EXP2_C5 208
#define EXP2_C6 224
#define EXP2_C7 240

// What stays in registers: magic, least, above, Inf, and what LOOKUP wants.
#define EXP2_CONSTS \
	MOVD  $OF_TYPE(exp2f32, exp2f64)<>(SB), consts; \
	FMOVQ EXP2_MAGIC(consts), F31; \
	FMOVQ EXP2_LEAST(consts), F30; \
	FMOVQ EXP2_ABOVE(consts), F29; \
	FMOVQ EXP2_INF(consts), F28; \
	LOOKUP_CONSTS

DATA exp2f32<>+0(SB)/4, $0x3f80075d
DATA exp2f32<>+4(SB)/4, $0x3f7840b2
DATA exp2f32<>+8(SB)/4, $0x3f750f5d
DATA exp2f32<>+12(SB)/4, $0x3f77515f
DATA exp2f32<>+16(SB)/8, $0x0404040400000000
DATA exp2f32<>+24(SB)/8, $0x0c0c0c0c08080808
DATA exp2f32<>+32(SB)/8, $0x0302010003020100
DATA exp2f32<>+40(SB)/8, $0x0302010003020100
DATA exp2f32<>+64(SB)/8, $0x4a4000004a400000 // 1.5·2^21
DATA exp2f32<>+72(SB)/8, $0x4a4000004a400000
DATA exp2f32<>+80(SB)/8, $0xc2fc0000c2fc0000 // −126
DATA exp2f32<>+88(SB)/8, $0xc2fc0000c2fc0000
DATA exp2f32<>+96(SB)/8, $0x42ffc00042ffc000 // 128 − 0x1p−3
DATA exp2f32<>+104(SB)/8, $0x42ffc00042ffc000
DATA exp2f32<>+112(SB)/8, $0x7f8000007f800000 // +Inf
DATA exp2f32<>+120(SB)/8, $0x7f8000007f800000
DATA exp2f32<>+128(SB)/8, $0xb96b92d3b96b92d3
DATA exp2f32<>+136(SB)/8, $0xb96b92d3b96b92d3
DATA exp2f32<>+144(SB)/8, $0x3f3167e23f3167e2
DATA exp2f32<>+152(SB)/8, $0x3f3167e23f3167e2
DATA exp2f32<>+160(SB)/8, $0x3e75efce3e75efce
DATA exp2f32<>+168(SB)/8, $0x3e75efce3e75efce
DATA exp2f32<>+176(SB)/8, $0x3d6364ea3d6364ea
DATA exp2f32<>+184(SB)/8, $0x3d6364ea3d6364ea
DATA exp2f32<>+192(SB)/8, $0x3c1d82953c1d8295
DATA exp2f32<>+200(SB)/8, $0x3c1d82953c1d8295
GLOBL exp2f32<>(SB), RODATA|NOPTR, $208

DATA exp2f64<>+0(SB)/8, $0x3ff00000003ac148
DATA exp2f64<>+8(SB)/8, $0x3fef72b83cbd641d
DATA exp2f64<>+16(SB)/8, $0x3fef06fe0a779648
DATA exp2f64<>+24(SB)/8, $0x3feebfdad5825c48
DATA exp2f64<>+32(SB)/8, $0x3feea09e66d25362
DATA exp2f64<>+40(SB)/8, $0x3feeace542853daf
DATA exp2f64<>+48(SB)/8, $0x3feee89f99bda3ff
DATA exp2f64<>+56(SB)/8, $0x3fef5818dd67665c
DATA exp2f64<>+64(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA exp2f64<>+72(SB)/8, $0x4308000000000000
DATA exp2f64<>+80(SB)/8, $0xc08ff00000000000 // −1022
DATA exp2f64<>+88(SB)/8, $0xc08ff00000000000
DATA exp2f64<>+96(SB)/8, $0x408fff8000000000 // 1024 − 0x1p−4
DATA exp2f64<>+104(SB)/8, $0x408fff8000000000
DATA exp2f64<>+112(SB)/8, $0x7ff0000000000000 // +Inf
DATA exp2f64<>+120(SB)/8, $0x7ff0000000000000
DATA exp2f64<>+128(SB)/8, $0xbe0d60a3fd941ecc
DATA exp2f64<>+136(SB)/8, $0xbe0d60a3fd941ecc
DATA exp2f64<>+144(SB)/8, $0x3fe62e42fea8c64b
DATA exp2f64<>+152(SB)/8, $0x3fe62e42fea8c64b
DATA exp2f64<>+160(SB)/8, $0x3fcebfbdff11dcea
DATA exp2f64<>+168(SB)/8, $0x3fcebfbdff11dcea
DATA exp2f64<>+176(SB)/8, $0x3fac6b08d69c1f54
DATA exp2f64<>+184(SB)/8, $0x3fac6b08d69c1f54
DATA exp2f64<>+192(SB)/8, $0x3f83b2ab6eb3b29d
DATA exp2f64<>+200(SB)/8, $0x3f83b2ab6eb3b29d
DATA exp2f64<>+208(SB)/8, $0x3f55d87fee7145b0
DATA exp2f64<>+216(SB)/8, $0x3f55d87fee7145b0
DATA exp2f64<>+224(SB)/8, $0x3f2430e52d41b726
DATA exp2f64<>+232(SB)/8, $0x3f2430e52d41b726
DATA exp2f64<>+240(SB)/8, $0x3eeffb3fb1842f75
DATA exp2f64<>+248(SB)/8, $0x3eeffb3fb1842f75
GLOBL exp2f64<>(SB), RODATA|NOPTR, $256
