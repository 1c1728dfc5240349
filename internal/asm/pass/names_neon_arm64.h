// Names and macros of pass_neon_arm64.h, for every kernel that includes it.

#define rows R0
#define cols R1
#define kp R2     // first row of the block
#define ldkb R3   // row stride in bytes
#define vp R4     // vector of the row sums
#define ap R5     // what belongs to a row: read …
#define up R6     // … and written
#define qp R7     // column sums
#define row0 R8   // rows of the block, moving
#define row1 R9
#define row2 R10
#define row3 R11
#define cur R12   // place in vp or qp
#define left R13  // columns left
#define part R14  // columns of the last, partial register
#define spare R15
#define moved R16 // bytes

// lane_l = fma(K_ij, v_j, lane_l) of one row: v in V16–V19, K in V20–V23 or V24–V27.
#define DOT_A(a, b, c, d) \
	FMLA(a, 20, 16); \
	FMLA(b, 21, 17); \
	FMLA(c, 22, 18); \
	FMLA(d, 23, 19)
#define DOT_B(a, b, c, d) \
	FMLA(a, 24, 16); \
	FMLA(b, 25, 17); \
	FMLA(c, 26, 18); \
	FMLA(d, 27, 19)

// The same of four rows and one register, v in V16: loaded, or the last part of one, v in
// V17.
#define DOT4(a, b, c, d) \
	LDK1(row0, mat0, F20, 20); \
	LDK1(row1, mat1, F21, 21); \
	LDK1(row2, mat2, F22, 22); \
	LDK1(row3, mat3, F23, 23); \
	FMLA(a, 20, 16); \
	FMLA(b, 21, 16); \
	FMLA(c, 22, 16); \
	FMLA(d, 23, 16)
#define DOT4PART(a, b, c, d) \
	FMLA(a, 24, 17); \
	FMLA(b, 25, 17); \
	FMLA(c, 26, 17); \
	FMLA(d, 27, 17)

// The padding: turns −0 into +0 (V31 = 0).
#define PAD4(a, b, c, d) \
	FADD(a, a, 31); \
	FADD(b, b, 31); \
	FADD(c, c, 31); \
	FADD(d, d, 31)

// The pointers of four rows: at their start, and moved.
#define START4(first, ld, a, b, c, d) \
	MOVD first, a; \
	ADD  ld, a, b; \
	ADD  ld, b, c; \
	ADD  ld, c, d
#define MOVE4(op, bytes, a, b, c, d) \
	op bytes, a; \
	op bytes, b; \
	op bytes, c; \
	op bytes, d
