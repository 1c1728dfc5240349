// norms for float64 and float32 with AVX2 + FMA.
//
//	n[i] = n[i] + Σ_k x[i*ldx+k]²      if add is set
//	n[i] = Σ_k x[i*ldx+k]²             otherwise
//
// The row index i is from 0 to rows−1, and the column index k is from 0 to d−1.
//
// Same bits as    normsRef in ref.go. A row sum adds its terms in ascending order of k, with one FMA per term.
// Layout          x is rows×d, row-major, with 12 rows (float64) or 24 rows (float32). d ≥ 1.
// Tile            four columns of all rows, transposed in registers. The sums of all rows fill three vectors, with one
//                 row in each lane. A vector has one group of four rows (float64) or two groups (float32). The loop
//                 prefetches every row 128 bytes ahead.
// Tail            columns: one in each iteration. The rows have no tail.
// Special values  propagate as in ordinary arithmetic.
// Registers       AX BX CX DX DI R8 groups of rows at column k · SI ldx · R9 3·ldx · R10 k left · R11 n ·
//                 Y0–Y2 sums · Y4–Y12 x and its transpose.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define g0 AX
#define g1 BX
#define g2 CX
#define g3 DX
#define g4 DI
#define g5 R8
#define ldxb SI
#define three R9
#define left R10
#define norm R11

// gather loads one element of each of four rows. It puts the elements of rows 0 and 1 in t0, and of rows 2 and 3 in t2.
#define gather(move1, unpack, g, t0, t1, t2, t3) \
	move1  (g), t0;          \
	move1  (g)(ldxb*1), t1;  \
	move1  (g)(ldxb*2), t2;  \
	move1  (g)(three*1), t3; \
	unpack t1, t0, t0;       \
	unpack t3, t2, t2

// fetch prefetches four rows two cache lines ahead.
#define fetch(g) \
	PREFETCHT0 128(g);          \
	PREFETCHT0 128(g)(ldxb*1);  \
	PREFETCHT0 128(g)(ldxb*2);  \
	PREFETCHT0 128(g)(three*1)

#define F64
#include "type_amd64.h"

// two(i, g, s) loads two elements from each of four rows and adds their squares to the lanes of s. The elements of the
// first row begin at the address g + i.
#define two(i, g, s) \
	VMOVUPD     i(g), X4;                    \
	VMOVUPD     i(g)(ldxb*1), X5;            \
	VINSERTF128 $1, i(g)(ldxb*2), Y4, Y4;    \
	VINSERTF128 $1, i(g)(three*1), Y5, Y5;   \
	VUNPCKLPD   Y5, Y4, Y6;                  \
	VUNPCKHPD   Y5, Y4, Y7;                  \
	fma         Y6, Y6, s;                   \
	fma         Y7, Y7, s

// last64 adds the squares of one element of each of four rows to the lanes of s.
#define last64(g, s) \
	gather(VMOVSD, VUNPCKLPD, g, X4, X5, X6, X7); \
	VINSERTF128 $1, X6, Y4, Y4;                   \
	fma         Y4, Y4, s

// func normsAVX2F64(d int, n, x *float64, ldx int, add bool)
TEXT ·normsAVX2F64(SB), NOSPLIT, $0-33
	MOVQ    d+0(FP), left
	MOVQ    n+8(FP), norm
	MOVQ    x+16(FP), g0
	MOVQ    ldx+24(FP), ldxb
	SHLQ    $logsize, ldxb
	LEAQ    (ldxb)(ldxb*2), three
	LEAQ    (g0)(ldxb*4), g1
	LEAQ    (g1)(ldxb*4), g2
	VXORPD  Y0, Y0, Y0
	VXORPD  Y1, Y1, Y1
	VXORPD  Y2, Y2, Y2
	CMPB    add+32(FP), $0
	JEQ     sum
	VMOVUPD (norm), Y0
	VMOVUPD 32(norm), Y1
	VMOVUPD 64(norm), Y2

sum:
	SUBQ $4, left
	JLT  few

kloop:
	fetch(g0)
	fetch(g1)
	fetch(g2)
	two(0, g0, Y0)
	two(0, g1, Y1)
	two(0, g2, Y2)
	two(16, g0, Y0)
	two(16, g1, Y1)
	two(16, g2, Y2)
	ADDQ $32, g0
	ADDQ $32, g1
	ADDQ $32, g2
	SUBQ $4, left
	JGE  kloop

few:
	ADDQ $4, left
	JEQ  store

ktail:
	last64(g0, Y0)
	last64(g1, Y1)
	last64(g2, Y2)
	ADDQ $8, g0
	ADDQ $8, g1
	ADDQ $8, g2
	DECQ left
	JNE  ktail

store:
	VMOVUPD Y0, (norm)
	VMOVUPD Y1, 32(norm)
	VMOVUPD Y2, 64(norm)
	VZEROUPPER
	RET
#undef F64

#define F32
#include "type_amd64.h"

// four(g, h) loads four elements of each of eight rows: four rows at g and four rows at h.
#define four(g, h) \
	VMOVUPS     (g), X4;                    \
	VMOVUPS     (g)(ldxb*1), X5;            \
	VMOVUPS     (g)(ldxb*2), X6;            \
	VMOVUPS     (g)(three*1), X7;           \
	VINSERTF128 $1, (h), Y4, Y4;            \
	VINSERTF128 $1, (h)(ldxb*1), Y5, Y5;    \
	VINSERTF128 $1, (h)(ldxb*2), Y6, Y6;    \
	VINSERTF128 $1, (h)(three*1), Y7, Y7

// half(unpack, s) transposes two of the four elements of every row, and adds their squares to s. The instruction
// unpack selects the first two or the last two elements.
#define half(unpack, s) \
	unpack    Y5, Y4, Y8;   \
	unpack    Y7, Y6, Y9;   \
	VUNPCKLPD Y9, Y8, Y10;  \
	VUNPCKHPD Y9, Y8, Y11;  \
	fma       Y10, Y10, s;  \
	fma       Y11, Y11, s

// The macro eight adds the squares of four elements of each of eight rows to the lanes of s.
#define eight(g, h, s) \
	four(g, h);         \
	half(VUNPCKLPS, s); \
	half(VUNPCKHPS, s)

// last32 adds the squares of one element of each of eight rows to the lanes of s.
#define last32(g, h, s) \
	gather(VMOVSS, VUNPCKLPS, g, X4, X5, X6, X7);   \
	gather(VMOVSS, VUNPCKLPS, h, X8, X9, X10, X11); \
	VUNPCKLPD   X6, X4, X4;                         \
	VUNPCKLPD   X10, X8, X8;                        \
	VINSERTF128 $1, X8, Y4, Y4;                     \
	fma         Y4, Y4, s

// next(i) adds the byte count i to the pointers of all six groups of rows.
#define next(i) \
	ADDQ $i, g0; \
	ADDQ $i, g1; \
	ADDQ $i, g2; \
	ADDQ $i, g3; \
	ADDQ $i, g4; \
	ADDQ $i, g5

// func normsAVX2F32(d int, n, x *float32, ldx int, add bool)
TEXT ·normsAVX2F32(SB), NOSPLIT, $0-33
	MOVQ    d+0(FP), left
	MOVQ    n+8(FP), norm
	MOVQ    x+16(FP), g0
	MOVQ    ldx+24(FP), ldxb
	SHLQ    $logsize, ldxb
	LEAQ    (ldxb)(ldxb*2), three
	LEAQ    (g0)(ldxb*4), g1
	LEAQ    (g1)(ldxb*4), g2
	LEAQ    (g2)(ldxb*4), g3
	LEAQ    (g3)(ldxb*4), g4
	LEAQ    (g4)(ldxb*4), g5
	VXORPS  Y0, Y0, Y0
	VXORPS  Y1, Y1, Y1
	VXORPS  Y2, Y2, Y2
	CMPB    add+32(FP), $0
	JEQ     sum
	VMOVUPS (norm), Y0
	VMOVUPS 32(norm), Y1
	VMOVUPS 64(norm), Y2

sum:
	SUBQ $4, left
	JLT  few

kloop:
	fetch(g0)
	fetch(g1)
	fetch(g2)
	fetch(g3)
	fetch(g4)
	fetch(g5)
	eight(g0, g1, Y0)
	eight(g2, g3, Y1)
	eight(g4, g5, Y2)
	next(16)
	SUBQ $4, left
	JGE  kloop

few:
	ADDQ $4, left
	JEQ  store

ktail:
	last32(g0, g1, Y0)
	last32(g2, g3, Y1)
	last32(g4, g5, Y2)
	next(4)
	DECQ left
	JNE  ktail

store:
	VMOVUPS Y0, (norm)
	VMOVUPS Y1, 32(norm)
	VMOVUPS Y2, 64(norm)
	VZEROUPPER
	RET
#undef F32
