// Constants and macros of 2^y, float64, in registers of two; ref.go of
// package exp defines what exp2quad_neon_f64_arm64.h computes
// with them. Copies of this file in other folders are identical.
//
// Registers named by the including file: consts (a pointer to all constants), table (to the
// table).

// The entry of the eight that the last three bits of each lane of t (register ft vt)
// name, into s: element by element; a and b are spoiled.
#define LOOKUP(ft, vt, fs, vs, a, b) \
	FMOVD ft, a; \
	VMOV  vt.D[1], b; \
	UBFIZ $3, a, $3, a; \
	UBFIZ $3, b, $3, b; \
	FMOVD (table)(a), fs; \
	ADD   table, b, b; \
	VLD1  (b), vs.D[1]

// What stays in registers: magic, least, above, Inf.
#define EXP2_CONSTS \
	MOVD  $exp2f64<>(SB), consts; \
	FMOVQ EXP2_MAGIC(consts), F31; \
	FMOVQ EXP2_LEAST(consts), F30; \
	FMOVQ EXP2_ABOVE(consts), F29; \
	FMOVQ EXP2_INF(consts), F28; \
	ADD   $EXP2_TABLE, consts, table

// The addend of a Horner step, four times.
#define EXP2_LOAD(name, a, b, c, d) \
	FMOVQ name(consts), a; \
	FMOVQ name(consts), b; \
	FMOVQ name(consts), c; \
	FMOVQ name(consts), d

#define EXP2_MAGIC 0
#define EXP2_LEAST 16
#define EXP2_ABOVE 32
#define EXP2_INF 48
#define EXP2_C7 64
#define EXP2_C6 80
#define EXP2_C5 96
#define EXP2_C4 112
#define EXP2_C3 128
#define EXP2_C2 144
#define EXP2_C1 160
#define EXP2_C0 176
#define EXP2_TABLE 192

DATA exp2f64<>+0(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA exp2f64<>+8(SB)/8, $0x4308000000000000
DATA exp2f64<>+16(SB)/8, $0xc08ff00000000000 // −1022
DATA exp2f64<>+24(SB)/8, $0xc08ff00000000000
DATA exp2f64<>+32(SB)/8, $0x408fff8000000000 // 1024 − 0x1p−4
DATA exp2f64<>+40(SB)/8, $0x408fff8000000000
DATA exp2f64<>+48(SB)/8, $0x7ff0000000000000 // +Inf
DATA exp2f64<>+56(SB)/8, $0x7ff0000000000000
DATA exp2f64<>+64(SB)/8, $0x3eeffb3fb1842f75
DATA exp2f64<>+72(SB)/8, $0x3eeffb3fb1842f75
DATA exp2f64<>+80(SB)/8, $0x3f2430e52d41b726
DATA exp2f64<>+88(SB)/8, $0x3f2430e52d41b726
DATA exp2f64<>+96(SB)/8, $0x3f55d87fee7145b0
DATA exp2f64<>+104(SB)/8, $0x3f55d87fee7145b0
DATA exp2f64<>+112(SB)/8, $0x3f83b2ab6eb3b29d
DATA exp2f64<>+120(SB)/8, $0x3f83b2ab6eb3b29d
DATA exp2f64<>+128(SB)/8, $0x3fac6b08d69c1f54
DATA exp2f64<>+136(SB)/8, $0x3fac6b08d69c1f54
DATA exp2f64<>+144(SB)/8, $0x3fcebfbdff11dcea
DATA exp2f64<>+152(SB)/8, $0x3fcebfbdff11dcea
DATA exp2f64<>+160(SB)/8, $0x3fe62e42fea8c64b
DATA exp2f64<>+168(SB)/8, $0x3fe62e42fea8c64b
DATA exp2f64<>+176(SB)/8, $0xbe0d60a3fd941ecc
DATA exp2f64<>+184(SB)/8, $0xbe0d60a3fd941ecc
DATA exp2f64<>+192(SB)/8, $0x3ff00000003ac148
DATA exp2f64<>+200(SB)/8, $0x3fef72b83cbd641d
DATA exp2f64<>+208(SB)/8, $0x3fef06fe0a779648
DATA exp2f64<>+216(SB)/8, $0x3feebfdad5825c48
DATA exp2f64<>+224(SB)/8, $0x3feea09e66d25362
DATA exp2f64<>+232(SB)/8, $0x3feeace542853daf
DATA exp2f64<>+240(SB)/8, $0x3feee89f99bda3ff
DATA exp2f64<>+248(SB)/8, $0x3fef5818dd67665c
GLOBL exp2f64<>(SB), RODATA|NOPTR, $256
