// The core of 2^y on NEON, as macros. exp2Ref in ref.go of package exp is the reference;
// package distance includes this file for its Gibbs kernel.
//
// EXP2_CONSTS loads the constants of EXP2_QUAD into V24, V25 and V28–V31. EXP2_QUAD sets
// V20–V23 to 2^y for y in V0–V3, which it keeps. It changes V4–V15, and in float64
// the registers bit0 and bit1. Register consts holds the address of the constants.

// Offsets of the constants of ref.go and coef.go in EXP2_F32 or EXP2_F64, which are in
// exp_neon_arm64.s of package exp. In float32 the table is followed by constants of LOOKUP: the number
// of a lane's lowest byte, and the numbers of the bytes in a lane. Float32 lacks
// C5 … C7.
#define EXP2_F64 github·com∕gomonge∕monge∕internal∕asm∕exp·exp2f64NEON
#define EXP2_F32 github·com∕gomonge∕monge∕internal∕asm∕exp·exp2f32NEON
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

// Constants that stay in registers: magic, least, above, Inf, and the constants of LOOKUP.
#define EXP2_CONSTS \
	MOVD  $OF_TYPE(EXP2_F32, EXP2_F64)(SB), consts; \
	FMOVQ EXP2_MAGIC(consts), F31; \
	FMOVQ EXP2_LEAST(consts), F30; \
	FMOVQ EXP2_ABOVE(consts), F29; \
	FMOVQ EXP2_INF(consts), F28; \
	LOOKUP_CONSTS

// t = y + magic, k = t − magic
#define EXP2_SPLIT \
	FADD(4, 0, 31); \
	FADD(5, 1, 31); \
	FADD(6, 2, 31); \
	FADD(7, 3, 31); \
	FSUB(8, 4, 31); \
	FSUB(9, 5, 31); \
	FSUB(10, 6, 31); \
	FSUB(11, 7, 31)

// f = y − k; the table entry n mod 2^TABLE
#define EXP2_ENTRY \
	FSUB(8, 0, 8); \
	FSUB(9, 1, 9); \
	FSUB(10, 2, 10); \
	FSUB(11, 3, 11); \
	LOOKUP(F4, V4, F20, V20, V12); \
	LOOKUP(F5, V5, F21, V21, V13); \
	LOOKUP(F6, V6, F22, V22, V14); \
	LOOKUP(F7, V7, F23, V23, V15)

// S: the bits of the table entry plus n·2^(MANTISSA−TABLE)
#define EXP2_POWER \
	VSHL $(MANTISSA-TABLE), V4.ARR, V4.ARR; \
	VSHL $(MANTISSA-TABLE), V5.ARR, V5.ARR; \
	VSHL $(MANTISSA-TABLE), V6.ARR, V6.ARR; \
	VSHL $(MANTISSA-TABLE), V7.ARR, V7.ARR; \
	VADD V4.ARR, V20.ARR, V20.ARR; \
	VADD V5.ARR, V21.ARR, V21.ARR; \
	VADD V6.ARR, V22.ARR, V22.ARR; \
	VADD V7.ARR, V23.ARR, V23.ARR

// The first terms of q = 2^f/E − 1, down to C3; float64 has three more terms.
#define EXP2_TERM(c, f) FMOVQ c(consts), f
#define EXP2_HIGH \
	ONLY_F64(EXP2_TERM(EXP2_C7, F12)); \
	ONLY_F64(HORNER_4(EXP2_C6, 8, 9, 10, 11, 12, 12, 12, 12)); \
	ONLY_F64(HORNER_12(EXP2_C5, 8, 9, 10, 11, 4, 5, 6, 7)); \
	ONLY_F64(HORNER_4(EXP2_C4, 8, 9, 10, 11, 12, 13, 14, 15)); \
	ONLY_F64(HORNER_12(EXP2_C3, 8, 9, 10, 11, 4, 5, 6, 7)); \
	ONLY_F32(EXP2_TERM(EXP2_C4, F4)); \
	ONLY_F32(HORNER_12(EXP2_C3, 8, 9, 10, 11, 4, 4, 4, 4))

// The last terms of q, then S + q·S
#define EXP2_LOW \
	HORNER_4(EXP2_C2, 8, 9, 10, 11, 12, 13, 14, 15); \
	HORNER_12(EXP2_C1, 8, 9, 10, 11, 4, 5, 6, 7); \
	HORNER_4(EXP2_C0, 8, 9, 10, 11, 12, 13, 14, 15); \
	FMLA(20, 4, 20); \
	FMLA(21, 5, 21); \
	FMLA(22, 6, 22); \
	FMLA(23, 7, 23)

// Masks: y < least, y ≥ above
#define EXP2_BEYOND \
	FCMGT(12, 30, 0); \
	FCMGT(13, 30, 1); \
	FCMGT(14, 30, 2); \
	FCMGT(15, 30, 3); \
	FCMGE(4, 0, 29); \
	FCMGE(5, 1, 29); \
	FCMGE(6, 2, 29); \
	FCMGE(7, 3, 29)

// 0 or Inf where the masks are set
#define EXP2_ENDS \
	BIC_16B(20, 20, 12); \
	BIC_16B(21, 21, 13); \
	BIC_16B(22, 22, 14); \
	BIC_16B(23, 23, 15); \
	BIT_16B(20, 28, 4); \
	BIT_16B(21, 28, 5); \
	BIT_16B(22, 28, 6); \
	BIT_16B(23, 28, 7)

#define EXP2_QUAD \
	EXP2_SPLIT; \
	EXP2_ENTRY; \
	EXP2_POWER; \
	EXP2_HIGH; \
	EXP2_LOW; \
	EXP2_BEYOND; \
	EXP2_ENDS
