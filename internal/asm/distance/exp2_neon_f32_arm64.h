// Constants and macros of 2^y, float32, in registers of four; ref.go of
// package exp defines what exp2quad_neon_f32_arm64.h computes
// with them. Copies of this file in other folders are identical.
//
// Registers named by the including file: consts (a pointer to all constants).

// The entry of the four that the last two bits of each lane of t name, into s
// (register fs vs), from the table in V25: the index into all bytes of its lane (V24
// says which byte that is), two bits of it times 4 plus the number of the byte. u is
// spoiled.
#define LOOKUP(bytes, vt, fs, vs, u) \
	VTBL  V24.B16, [vt.B16], u.B16; \
	VSHL  $6, u.B16, u.B16; \
	FMOVQ bytes(consts), fs; \
	VUSRA $4, u.B16, vs.B16; \
	VTBL  vs.B16, [V25.B16], vs.B16

// What stays in registers: magic, least, above, Inf, the table and the
// number of a lane's lowest byte.
#define EXP2_CONSTS \
	MOVD  $exp2f32<>(SB), consts; \
	FMOVQ EXP2_MAGIC(consts), F31; \
	FMOVQ EXP2_LEAST(consts), F30; \
	FMOVQ EXP2_ABOVE(consts), F29; \
	FMOVQ EXP2_INF(consts), F28; \
	FMOVQ EXP2_BYTE0(consts), F24; \
	FMOVQ EXP2_TABLE(consts), F25

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
#define EXP2_C4 64
#define EXP2_C3 80
#define EXP2_C2 96
#define EXP2_C1 112
#define EXP2_C0 128
#define EXP2_TABLE 144
#define EXP2_BYTE0 160
#define EXP2_BYTES 176

DATA exp2f32<>+0(SB)/8, $0x4a4000004a400000 // 1.5·2^21
DATA exp2f32<>+8(SB)/8, $0x4a4000004a400000
DATA exp2f32<>+16(SB)/8, $0xc2fc0000c2fc0000 // −126
DATA exp2f32<>+24(SB)/8, $0xc2fc0000c2fc0000
DATA exp2f32<>+32(SB)/8, $0x42ffc00042ffc000 // 128 − 0x1p−3
DATA exp2f32<>+40(SB)/8, $0x42ffc00042ffc000
DATA exp2f32<>+48(SB)/8, $0x7f8000007f800000 // +Inf
DATA exp2f32<>+56(SB)/8, $0x7f8000007f800000
DATA exp2f32<>+64(SB)/8, $0x3c1d82953c1d8295
DATA exp2f32<>+72(SB)/8, $0x3c1d82953c1d8295
DATA exp2f32<>+80(SB)/8, $0x3d6364ea3d6364ea
DATA exp2f32<>+88(SB)/8, $0x3d6364ea3d6364ea
DATA exp2f32<>+96(SB)/8, $0x3e75efce3e75efce
DATA exp2f32<>+104(SB)/8, $0x3e75efce3e75efce
DATA exp2f32<>+112(SB)/8, $0x3f3167e23f3167e2
DATA exp2f32<>+120(SB)/8, $0x3f3167e23f3167e2
DATA exp2f32<>+128(SB)/8, $0xb96b92d3b96b92d3
DATA exp2f32<>+136(SB)/8, $0xb96b92d3b96b92d3
DATA exp2f32<>+144(SB)/4, $0x3f80075d
DATA exp2f32<>+148(SB)/4, $0x3f7840b2
DATA exp2f32<>+152(SB)/4, $0x3f750f5d
DATA exp2f32<>+156(SB)/4, $0x3f77515f
DATA exp2f32<>+160(SB)/8, $0x0404040400000000
DATA exp2f32<>+168(SB)/8, $0x0c0c0c0c08080808
DATA exp2f32<>+176(SB)/8, $0x0302010003020100
DATA exp2f32<>+184(SB)/8, $0x0302010003020100
GLOBL exp2f32<>(SB), RODATA|NOPTR, $192
