// interleave for float64 and float32 with NEON.
//
//	dst[(i*ldd+j)*w+p] = x[p][i*ldx+j]
//	for 0≤i<m, 0≤j<n and 0≤p<w, where w = 8 (float32: 16)
//
// Same bits as    interleaveRef in ref.go. The kernel only copies.
// Layout          x contains w slices, one for each problem. An element of dst contains the values of all w
//                 problems (64 bytes). ldx and ldd count elements. m and n are positive.
// Tile            2 problems × 2 columns (float32: 4 problems × 4 columns). A tile is 16 bytes of each of
//                 two elements of dst (float32: of four elements).
// Tail            one column at a time. No access outside the slices.
// Special values  copied.
// Registers       R0–R11 as named below. V0–V3 x, V4–V11 shuffled.
// Source          written for this project.

//go:build arm64 && !purego

#include "textflag.h"

#define rows R0    // rows left
#define left R1    // columns left
#define to R2      // dst
#define from R3    // x
#define x0 R4      // pointer to the next column of x[p]
#define x1 R5
#define x2 R6
#define x3 R7
#define skip R8    // bytes from the end of a row of x to the next row
#define skipto R9  // bytes from the end of a row of dst to the next row
#define quarter R10
#define at R11

// BEGIN loads the arguments of the kernel. An element of x has 1<<log bytes.
#define BEGIN(log) \
	MOVD n+8(FP), at;      \
	MOVD ldx+40(FP), skip; \
	SUB  at, skip;         \
	LSL  $log, skip;       \
	MOVD ldd+24(FP), skipto; \
	SUB  at, skipto;       \
	LSL  $6, skipto;       \
	MOVD x+32(FP), from

// BEGINQUARTER sets the pointer into dst to the current quarter of the first 64-byte element, and resets the row count.
#define BEGINQUARTER \
	MOVD dst+16(FP), to; \
	ADD  quarter, to;    \
	MOVD m+0(FP), rows

// NEXTQUARTER advances to the next quarter of the 64-byte elements, and sets the flags for the branch that follows the macro.
#define NEXTQUARTER \
	ADD $16, quarter; \
	CMP $64, quarter

TEXT ·interleaveNEONF64(SB), NOSPLIT, $0-48
	BEGIN(3)
	MOVD $0, quarter

quarterloop:
	MOVD (from), x0
	MOVD 24(from), x1
	ADD  $48, from
	BEGINQUARTER

rowloop:
	MOVD n+8(FP), left
	SUBS $2, left
	BLT  tail

pairloop:
	// Copy the next two columns of two problems.
	FMOVQ.P 16(x0), F0
	FMOVQ.P 16(x1), F1
	VZIP1   V1.D2, V0.D2, V4.D2
	VZIP2   V1.D2, V0.D2, V5.D2
	FMOVQ   F4, (to)
	FMOVQ   F5, 64(to)
	ADD     $128, to
	SUBS    $2, left
	BGE     pairloop

tail:
	ADDS $2, left
	BEQ  rowdone

	// Copy the last column of the row.
	FMOVD.P 8(x0), F0
	FMOVD.P 8(x1), F1
	VZIP1   V1.D2, V0.D2, V4.D2
	FMOVQ.P F4, 64(to)

rowdone:
	ADD  skip, x0
	ADD  skip, x1
	ADD  skipto, to
	SUBS $1, rows
	BNE  rowloop
	NEXTQUARTER
	BNE quarterloop
	RET

TEXT ·interleaveNEONF32(SB), NOSPLIT, $0-48
	BEGIN(2)
	MOVD $0, quarter

quarterloop:
	MOVD (from), x0
	MOVD 24(from), x1
	MOVD 48(from), x2
	MOVD 72(from), x3
	ADD  $96, from
	BEGINQUARTER

rowloop:
	MOVD n+8(FP), left
	SUBS $4, left
	BLT  tail

quadloop:
	// Copy the next four columns of four problems.
	FMOVQ.P 16(x0), F0
	FMOVQ.P 16(x1), F1
	FMOVQ.P 16(x2), F2
	FMOVQ.P 16(x3), F3
	VZIP1   V2.S4, V0.S4, V4.S4
	VZIP2   V2.S4, V0.S4, V5.S4
	VZIP1   V3.S4, V1.S4, V6.S4
	VZIP2   V3.S4, V1.S4, V7.S4
	VZIP1   V6.S4, V4.S4, V8.S4
	VZIP2   V6.S4, V4.S4, V9.S4
	VZIP1   V7.S4, V5.S4, V10.S4
	VZIP2   V7.S4, V5.S4, V11.S4
	FMOVQ   F8, (to)
	FMOVQ   F9, 64(to)
	FMOVQ   F10, 128(to)
	FMOVQ   F11, 192(to)
	ADD     $256, to
	SUBS    $4, left
	BGE     quadloop

tail:
	ADDS $4, left
	BEQ  rowdone

tailloop:
	FMOVS.P 4(x0), F0
	FMOVS.P 4(x1), F1
	FMOVS.P 4(x2), F2
	FMOVS.P 4(x3), F3
	VZIP1   V2.S4, V0.S4, V4.S4
	VZIP1   V3.S4, V1.S4, V6.S4
	VZIP1   V6.S4, V4.S4, V8.S4
	FMOVQ.P F8, 64(to)
	SUBS    $1, left
	BNE     tailloop

rowdone:
	ADD  skip, x0
	ADD  skip, x1
	ADD  skip, x2
	ADD  skip, x3
	ADD  skipto, to
	SUBS $1, rows
	BNE  rowloop
	NEXTQUARTER
	BNE quarterloop
	RET
