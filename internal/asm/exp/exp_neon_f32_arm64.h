// Constants and macros of exp, float32, in registers of four; ref.go defines
// what expquad_neon_f32_arm64.h computes with them.
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

// What stays in registers: magic, log2e, ln2hi, ln2lo, the table and the
// number of a lane's lowest byte.
#define EXP_CONSTS \
	MOVD  $expf32<>(SB), consts; \
	FMOVQ EXP_MAGIC(consts), F31; \
	FMOVQ EXP_LOG2E(consts), F30; \
	FMOVQ EXP_LN2HI(consts), F29; \
	FMOVQ EXP_LN2LO(consts), F28; \
	FMOVQ EXP_BYTE0(consts), F24; \
	FMOVQ EXP_TABLE(consts), F25

// The addend of a Horner step, four times.
#define EXP_LOAD(name, a, b, c, d) \
	FMOVQ name(consts), a; \
	FMOVQ name(consts), b; \
	FMOVQ name(consts), c; \
	FMOVQ name(consts), d

#define EXP_MAGIC 0
#define EXP_LOG2E 16
#define EXP_LN2HI 32
#define EXP_LN2LO 48
#define EXP_LIMIT 64
#define EXP_NEGLIMIT 80
#define EXP_UNIT 96
#define EXP_ONE 112
#define EXP_C4 128
#define EXP_C3 144
#define EXP_C2 160
#define EXP_C1 176
#define EXP_C0 192
#define EXP_TABLE 208
#define EXP_BYTE0 224
#define EXP_BYTES 240

DATA expf32<>+0(SB)/8, $0x4a4000004a400000 // 1.5·2^21
DATA expf32<>+8(SB)/8, $0x4a4000004a400000
DATA expf32<>+16(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA expf32<>+24(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA expf32<>+32(SB)/8, $0x3f3172183f317218
DATA expf32<>+40(SB)/8, $0x3f3172183f317218
DATA expf32<>+48(SB)/8, $0xb102e308b102e308
DATA expf32<>+56(SB)/8, $0xb102e308b102e308
DATA expf32<>+64(SB)/8, $0x4300000043000000 // 128
DATA expf32<>+72(SB)/8, $0x4300000043000000
DATA expf32<>+80(SB)/8, $0xc3000000c3000000 // −128
DATA expf32<>+88(SB)/8, $0xc3000000c3000000
DATA expf32<>+96(SB)/8, $0x0000000400000004 // 4, an integer
DATA expf32<>+104(SB)/8, $0x0000000400000004
DATA expf32<>+112(SB)/8, $0x3f8000003f800000 // 1
DATA expf32<>+120(SB)/8, $0x3f8000003f800000
DATA expf32<>+128(SB)/8, $0x3d2acdae3d2acdae
DATA expf32<>+136(SB)/8, $0x3d2acdae3d2acdae
DATA expf32<>+144(SB)/8, $0x3e2ab6cd3e2ab6cd
DATA expf32<>+152(SB)/8, $0x3e2ab6cd3e2ab6cd
DATA expf32<>+160(SB)/8, $0x3efff1423efff142
DATA expf32<>+168(SB)/8, $0x3efff1423efff142
DATA expf32<>+176(SB)/8, $0x3f7ff1443f7ff144
DATA expf32<>+184(SB)/8, $0x3f7ff1443f7ff144
DATA expf32<>+192(SB)/8, $0xb96b92d3b96b92d3
DATA expf32<>+200(SB)/8, $0xb96b92d3b96b92d3
DATA expf32<>+208(SB)/4, $0x3f80075d
DATA expf32<>+212(SB)/4, $0x3f7840b2
DATA expf32<>+216(SB)/4, $0x3f750f5d
DATA expf32<>+220(SB)/4, $0x3f77515f
DATA expf32<>+224(SB)/8, $0x0404040400000000
DATA expf32<>+232(SB)/8, $0x0c0c0c0c08080808
DATA expf32<>+240(SB)/8, $0x0302010003020100
DATA expf32<>+248(SB)/8, $0x0302010003020100
GLOBL expf32<>(SB), RODATA|NOPTR, $256
