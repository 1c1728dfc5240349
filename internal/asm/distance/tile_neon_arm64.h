// Names and macros of sqdist_neon_arm64.h.

#define rows R0
#define cols R1
#define depth R2
#define dp R3      // a row of D
#define lddb R4
#define xp R5
#define ldxb R6
#define zp R7
#define ldzb R8
#define x0 R10     // four rows of x, moving, and of D
#define x1 R11
#define x2 R12
#define x3 R13
#define d0 R14
#define d1 R15
#define d2 R16
#define d3 R17
#define zc R19     // zt at the tile's columns
#define zk R20     // zt, moving down
#define left R21   // columns left
#define kk R22
#define depthb R23
#define step R24   // rows at once
#define spare R25

// One row, x in register x, against V16–V19: s = x − z, a = fma(s, s, a), …
#define SQ1X4(x, s, t, u, v, a, b, c, d) \
	FSUB(s, x, 16); \
	FSUB(t, x, 17); \
	FSUB(u, x, 18); \
	FSUB(v, x, 19); \
	FMLA(a, s, s); \
	FMLA(b, t, t); \
	FMLA(c, u, u); \
	FMLA(d, v, v)

// Four rows, x in V20–V23, against V16; distances V0 V4 V8 V12.
#define SQ4X1 \
	FSUB(24, 20, 16); \
	FSUB(25, 21, 16); \
	FSUB(26, 22, 16); \
	FSUB(27, 23, 16); \
	FMLA(0, 24, 24); \
	FMLA(4, 25, 25); \
	FMLA(8, 26, 26); \
	FMLA(12, 27, 27)
