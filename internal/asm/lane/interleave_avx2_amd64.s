// interleave for float64 and float32 with AVX2 + FMA.
//
//	dst[(i*ldd+j)*w+p] = x[p][i*ldx+j]
//	for 0≤i<m, 0≤j<n and 0≤p<w, where w = 8 (float32: 16)
//
// Same bits as    interleaveRef in ref.go. The kernel only copies.
// Layout          x contains w slices, one for each problem. An element of dst contains the values of all w
//                 problems (64 bytes). ldx and ldd count elements. m and n are positive.
// Tile            8 problems × 2 columns (float32: 4 columns). The float32 kernel copies problems 0–7, then
//                 problems 8–15. A register holds 128 bits of each of two problems, so all shuffles stay
//                 within 128 bits.
// Tail            one column at a time. No access outside the slices.
// Special values  copied.
// Registers       SI DI R8–R13 x[p] at the row · BX offset in the row, then bytes to the next
//                 row · DX dst · CX columns left · AX x, then rows left. Y0–Y3 x, Y4–Y7 shuffled.
// Source          written for this project. AVX-512 would need the same loads of 128 bits and as many shuffles.

//go:build amd64 && !purego

#include "textflag.h"

#define rows AX
#define at BX
#define left CX
#define to DX
#define x0 SI
#define x1 DI
#define x2 R8
#define x3 R9
#define x4 R10
#define x5 R11
#define x6 R12
#define x7 R13

// FOUR loads the pointers of four slices. The slice headers are adjacent and begin at offset o from AX.
#define FOUR(o, a, b, c, d) \
	MOVQ (o)(AX), a;    \
	MOVQ (o+24)(AX), b; \
	MOVQ (o+48)(AX), c; \
	MOVQ (o+72)(AX), d

// NEXT adds the byte count in register at to four pointers.
#define NEXT(a, b, c, d) \
	ADDQ at, a; \
	ADDQ at, b; \
	ADDQ at, c; \
	ADDQ at, d

// NEXTROW advances the pointers into x and dst to the next row. An element of x has 1<<log bytes.
#define NEXTROW(log) \
	MOVQ ldx+40(FP), at;  \
	SHLQ $log, at;        \
	NEXT(x0, x1, x2, x3); \
	NEXT(x4, x5, x6, x7); \
	MOVQ ldd+24(FP), at;  \
	SUBQ n+8(FP), at;     \
	SHLQ $6, at;          \
	ADDQ at, to

// PAIR loads 128 bits of each of two problems into register y. Register x is the lower half of y.
#define PAIR(p, q, x, y) \
	VMOVUPS     (p)(at*1), x;       \
	VINSERTF128 $1, (q)(at*1), y, y

// MERGE loads one float32 column of four problems into register x.
#define MERGE(a, b, c, d, x) \
	VMOVSS    (a)(at*1), x;         \
	VINSERTPS $0x10, (b)(at*1), x, x; \
	VINSERTPS $0x20, (c)(at*1), x, x; \
	VINSERTPS $0x30, (d)(at*1), x, x

TEXT ·interleaveAVX2F64(SB), NOSPLIT, $0-48
	MOVQ x+32(FP), AX
	FOUR(0, x0, x1, x2, x3)
	FOUR(96, x4, x5, x6, x7)
	MOVQ dst+16(FP), to
	MOVQ m+0(FP), rows

rowloop:
	XORL at, at
	MOVQ n+8(FP), left
	SUBQ $2, left
	JLT  tail

pairloop:
	// Each PAIR loads two consecutive elements of a row from each of two problems.
	PAIR(x0, x2, X0, Y0)
	PAIR(x1, x3, X1, Y1)
	PAIR(x4, x6, X2, Y2)
	PAIR(x5, x7, X3, Y3)
	VUNPCKLPD Y1, Y0, Y4
	VUNPCKHPD Y1, Y0, Y5
	VUNPCKLPD Y3, Y2, Y6
	VUNPCKHPD Y3, Y2, Y7
	VMOVUPD   Y4, (to)
	VMOVUPD   Y6, 32(to)
	VMOVUPD   Y5, 64(to)
	VMOVUPD   Y7, 96(to)
	ADDQ      $16, at
	ADDQ      $128, to
	SUBQ      $2, left
	JGE       pairloop

tail:
	ADDQ $2, left
	JEQ  rowdone

	// the last column of the row
	VMOVSD      (x0)(at*1), X0
	VMOVHPD     (x1)(at*1), X0, X0
	VMOVSD      (x2)(at*1), X1
	VMOVHPD     (x3)(at*1), X1, X1
	VMOVSD      (x4)(at*1), X2
	VMOVHPD     (x5)(at*1), X2, X2
	VMOVSD      (x6)(at*1), X3
	VMOVHPD     (x7)(at*1), X3, X3
	VMOVUPD     X0, (to)
	VMOVUPD     X1, 16(to)
	VMOVUPD     X2, 32(to)
	VMOVUPD     X3, 48(to)
	ADDQ        $64, to

rowdone:
	NEXTROW(3)
	DECQ rows
	JNE  rowloop
	VZEROUPPER
	RET

TEXT ·interleaveAVX2F32(SB), NOSPLIT, $0-48
	MOVQ x+32(FP), AX
	MOVQ dst+16(FP), to

halfloop:
	FOUR(0, x0, x1, x2, x3)
	FOUR(96, x4, x5, x6, x7)
	MOVQ m+0(FP), rows

rowloop:
	XORL at, at
	MOVQ n+8(FP), left
	SUBQ $4, left
	JLT  tail

quadloop:
	// Each PAIR loads four consecutive elements of a row from each of two problems.
	PAIR(x0, x4, X0, Y0)
	PAIR(x1, x5, X1, Y1)
	PAIR(x2, x6, X2, Y2)
	PAIR(x3, x7, X3, Y3)
	VUNPCKLPS Y1, Y0, Y4
	VUNPCKHPS Y1, Y0, Y5
	VUNPCKLPS Y3, Y2, Y6
	VUNPCKHPS Y3, Y2, Y7
	VUNPCKLPD Y6, Y4, Y0
	VUNPCKHPD Y6, Y4, Y1
	VUNPCKLPD Y7, Y5, Y2
	VUNPCKHPD Y7, Y5, Y3
	VMOVUPS   Y0, (to)
	VMOVUPS   Y1, 64(to)
	VMOVUPS   Y2, 128(to)
	VMOVUPS   Y3, 192(to)
	ADDQ      $16, at
	ADDQ      $256, to
	SUBQ      $4, left
	JGE       quadloop

tail:
	ADDQ $4, left
	JEQ  rowdone

tailloop:
	MERGE(x0, x1, x2, x3, X0)
	MERGE(x4, x5, x6, x7, X1)
	VMOVUPS X0, (to)
	VMOVUPS X1, 16(to)
	ADDQ    $4, at
	ADDQ    $64, to
	DECQ    left
	JNE     tailloop

rowdone:
	NEXTROW(2)
	DECQ rows
	JNE  rowloop

	// Repeat for problems 8–15.
	MOVQ x+32(FP), AX
	ADDQ $192, AX
	MOVQ dst+16(FP), at
	ADDQ $32, at
	MOVQ ldd+24(FP), left
	IMULQ m+0(FP), left
	SHLQ $6, left
	SUBQ left, to
	CMPQ to, at
	MOVQ at, to
	JLT  halfloop
	VZEROUPPER
	RET
