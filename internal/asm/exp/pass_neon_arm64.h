// Names and macros of the passes over a matrix, for both types. The register names
// are those of every kernel that makes such a pass. Copies of this file in other
// folders are identical.

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

// Row pointers at the start of four rows.
#define ROWS4 \
	MOVD kp, row0; \
	ADD  ldkb, row0, row1; \
	ADD  ldkb, row1, row2; \
	ADD  ldkb, row2, row3

// One register of v and of each of four rows.
#define DOT4_LOAD \
	FMOVQ.P 16(cur), F16; \
	FMOVQ.P 16(row0), F20; \
	FMOVQ.P 16(row1), F21; \
	FMOVQ.P 16(row2), F22; \
	FMOVQ.P 16(row3), F23
#define DOT4_FMLA(a, b, c, d) \
	FMLA(a, 20, 16); \
	FMLA(b, 21, 16); \
	FMLA(c, 22, 16); \
	FMLA(d, 23, 16)

// The last, partial register of v (V17) and of each row (V24–V27).
#define DOT4_LDPART \
	LDPART(cur, part, F17, V17, spare); \
	LDPART(row0, part, F24, V24, spare); \
	LDPART(row1, part, F25, V25, spare); \
	LDPART(row2, part, F26, V26, spare); \
	LDPART(row3, part, F27, V27, spare)
#define DOT4_FMLAPART(a, b, c, d) \
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

// Pointers of four rows and cur moved by the same number of bytes.
#define MOVE4(op, bytes) \
	op bytes, cur; \
	op bytes, row0; \
	op bytes, row1; \
	op bytes, row2; \
	op bytes, row3
