// Constants and macros of exp, float64, in registers of two; ref.go defines
// what expquad_neon_f64_arm64.h computes with them.
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

// What stays in registers: magic, log2e, ln2hi, ln2lo.
#define EXP_CONSTS \
	MOVD  $expf64<>(SB), consts; \
	FMOVQ EXP_MAGIC(consts), F31; \
	FMOVQ EXP_LOG2E(consts), F30; \
	FMOVQ EXP_LN2HI(consts), F29; \
	FMOVQ EXP_LN2LO(consts), F28; \
	ADD   $EXP_TABLE, consts, table

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
#define EXP_C7 128
#define EXP_C6 144
#define EXP_C5 160
#define EXP_C4 176
#define EXP_C3 192
#define EXP_C2 208
#define EXP_C1 224
#define EXP_C0 240
#define EXP_TABLE 256

DATA expf64<>+0(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA expf64<>+8(SB)/8, $0x4308000000000000
DATA expf64<>+16(SB)/8, $0x3ff71547652b82fe
DATA expf64<>+24(SB)/8, $0x3ff71547652b82fe
DATA expf64<>+32(SB)/8, $0x3fe62e42fefa39ef
DATA expf64<>+40(SB)/8, $0x3fe62e42fefa39ef
DATA expf64<>+48(SB)/8, $0x3c7abc9e3b39803f
DATA expf64<>+56(SB)/8, $0x3c7abc9e3b39803f
DATA expf64<>+64(SB)/8, $0x408f400000000000 // 1000
DATA expf64<>+72(SB)/8, $0x408f400000000000
DATA expf64<>+80(SB)/8, $0xc08f400000000000 // −1000
DATA expf64<>+88(SB)/8, $0xc08f400000000000
DATA expf64<>+96(SB)/8, $0x0000000000000008 // 8, an integer
DATA expf64<>+104(SB)/8, $0x0000000000000008
DATA expf64<>+112(SB)/8, $0x3ff0000000000000 // 1
DATA expf64<>+120(SB)/8, $0x3ff0000000000000
DATA expf64<>+128(SB)/8, $0x3f2a0170b70d2998
DATA expf64<>+136(SB)/8, $0x3f2a0170b70d2998
DATA expf64<>+144(SB)/8, $0x3f56c1cbb8b26d2c
DATA expf64<>+152(SB)/8, $0x3f56c1cbb8b26d2c
DATA expf64<>+160(SB)/8, $0x3f81111111e36bf3
DATA expf64<>+168(SB)/8, $0x3f81111111e36bf3
DATA expf64<>+176(SB)/8, $0x3fa5555554334325
DATA expf64<>+184(SB)/8, $0x3fa5555554334325
DATA expf64<>+192(SB)/8, $0x3fc555555506fb7e
DATA expf64<>+200(SB)/8, $0x3fc555555506fb7e
DATA expf64<>+208(SB)/8, $0x3fdfffffff8a7f82
DATA expf64<>+216(SB)/8, $0x3fdfffffff8a7f82
DATA expf64<>+224(SB)/8, $0x3fefffffff8a7d70
DATA expf64<>+232(SB)/8, $0x3fefffffff8a7d70
DATA expf64<>+240(SB)/8, $0xbe0d60a3fd941ecc
DATA expf64<>+248(SB)/8, $0xbe0d60a3fd941ecc
DATA expf64<>+256(SB)/8, $0x3ff00000003ac148
DATA expf64<>+264(SB)/8, $0x3fef72b83cbd641d
DATA expf64<>+272(SB)/8, $0x3fef06fe0a779648
DATA expf64<>+280(SB)/8, $0x3feebfdad5825c48
DATA expf64<>+288(SB)/8, $0x3feea09e66d25362
DATA expf64<>+296(SB)/8, $0x3feeace542853daf
DATA expf64<>+304(SB)/8, $0x3feee89f99bda3ff
DATA expf64<>+312(SB)/8, $0x3fef5818dd67665c
GLOBL expf64<>(SB), RODATA|NOPTR, $320
