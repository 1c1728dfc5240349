// The core of 2^y on NEON, as macros. exp2Ref in ref.go of package exp is the Go reference
// implementation; package distance includes this file for its Gibbs kernel.
//
// EXP2_CONSTS loads the constants of EXP2_QUAD into V24, V25 and V28–V31. EXP2_QUAD sets
// V20–V23 to 2^y for y in V0–V3, and does not change V0–V3. It changes V4–V15, and for float64
// the registers bit0 and bit1. Register consts holds the address of the constants.

// Offsets of the constants of ref.go and coef.go in EXP2_F32 or EXP2_F64, which exp_neon_arm64.s of package exp defines.
// In float32, two constants of LOOKUP follow the table: for each byte, the position of the lowest byte of its lane, and
// the number of the byte in the lane. float32 has no C5, C6 and C7.
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

// EXP2_CONSTS loads the constants that stay in registers: magic, least, above, Inf, and the constants of LOOKUP.
#define EXP2_CONSTS \
	MOVD  $OF_TYPE(EXP2_F32, EXP2_F64)(SB), consts; \
	FMOVQ EXP2_MAGIC(consts), F31; \
	FMOVQ EXP2_LEAST(consts), F30; \
	FMOVQ EXP2_ABOVE(consts), F29; \
	FMOVQ EXP2_INF(consts), F28; \
	LOOKUP_CONSTS

// EXP2_SPLIT computes t = y + magic and k = t − magic.
#define EXP2_SPLIT \
	FADD(4, 0, 31); \
	FADD(5, 1, 31); \
	FADD(6, 2, 31); \
	FADD(7, 3, 31); \
	FSUB(8, 4, 31); \
	FSUB(9, 5, 31); \
	FSUB(10, 6, 31); \
	FSUB(11, 7, 31)

// EXP2_ENTRY computes f = y − k, and looks up table entry n mod 2^TABLE.
#define EXP2_ENTRY \
	FSUB(8, 0, 8); \
	FSUB(9, 1, 9); \
	FSUB(10, 2, 10); \
	FSUB(11, 3, 11); \
	LOOKUP(F4, V4, F20, V20, V12); \
	LOOKUP(F5, V5, F21, V21, V13); \
	LOOKUP(F6, V6, F22, V22, V14); \
	LOOKUP(F7, V7, F23, V23, V15)

// EXP2_POWER computes S: it adds n·2^(MANTISSA−TABLE) to the bits of the table entry.
#define EXP2_POWER \
	VSHL $(MANTISSA-TABLE), V4.ARR, V4.ARR; \
	VSHL $(MANTISSA-TABLE), V5.ARR, V5.ARR; \
	VSHL $(MANTISSA-TABLE), V6.ARR, V6.ARR; \
	VSHL $(MANTISSA-TABLE), V7.ARR, V7.ARR; \
	VADD V4.ARR, V20.ARR, V20.ARR; \
	VADD V5.ARR, V21.ARR, V21.ARR; \
	VADD V6.ARR, V22.ARR, V22.ARR; \
	VADD V7.ARR, V23.ARR, V23.ARR

// EXP2_HIGH computes the Horner steps of q = 2^f/E − 1 from the first coefficient, C7 (float32: C4), to C3.
#define EXP2_TERM(c, f) FMOVQ c(consts), f
#define EXP2_HIGH \
	ONLY_F64(EXP2_TERM(EXP2_C7, F12)); \
	ONLY_F64(HORNER_4(EXP2_C6, 8, 9, 10, 11, 12, 12, 12, 12)); \
	ONLY_F64(HORNER_12(EXP2_C5, 8, 9, 10, 11, 4, 5, 6, 7)); \
	ONLY_F64(HORNER_4(EXP2_C4, 8, 9, 10, 11, 12, 13, 14, 15)); \
	ONLY_F64(HORNER_12(EXP2_C3, 8, 9, 10, 11, 4, 5, 6, 7)); \
	ONLY_F32(EXP2_TERM(EXP2_C4, F4)); \
	ONLY_F32(HORNER_12(EXP2_C3, 8, 9, 10, 11, 4, 4, 4, 4))

// EXP2_LOW computes the Horner steps of q from C2 to C0, then S + q·S.
#define EXP2_LOW \
	HORNER_4(EXP2_C2, 8, 9, 10, 11, 12, 13, 14, 15); \
	HORNER_12(EXP2_C1, 8, 9, 10, 11, 4, 5, 6, 7); \
	HORNER_4(EXP2_C0, 8, 9, 10, 11, 12, 13, 14, 15); \
	FMLA(20, 4, 20); \
	FMLA(21, 5, 21); \
	FMLA(22, 6, 22); \
	FMLA(23, 7, 23)

// EXP2_BEYOND sets masks where y < least and where y ≥ above.
#define EXP2_BEYOND \
	FCMGT(12, 30, 0); \
	FCMGT(13, 30, 1); \
	FCMGT(14, 30, 2); \
	FCMGT(15, 30, 3); \
	FCMGE(4, 0, 29); \
	FCMGE(5, 1, 29); \
	FCMGE(6, 2, 29); \
	FCMGE(7, 3, 29)

// EXP2_ENDS sets the result to 0 where y < least, and to +Inf where y ≥ above.
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
