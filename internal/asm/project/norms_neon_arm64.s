// norms for float64 and float32 with NEON.
//
//	n[i] = n[i] + Σ_k x[i*ldx+k]²      if add is set
//	n[i] = Σ_k x[i*ldx+k]²             otherwise
//
// The row index i is from 0 to rows−1, and the column index k is from 0 to d−1.
//
// Same bits as    normsRef in ref.go. A row sum adds its terms in ascending order of k, with one FMA per term.
// Layout          x is rows×d, row-major. The rows fill six registers: 12 rows of float64, 24 of float32. d ≥ 1.
// Tile            each lane sums one row. A tile has six registers of rows and two columns (four for float32), transposed in
//                 registers.
// Tail            columns: one in each iteration. The rows have no tail.
// Special values  propagate as in ordinary arithmetic.
// Registers       R0 k left · R1 n · R2 x at k · R3 ldx · R4 a row of x · V0–V5 sums · V16–V27 x and its transpose.
// Source          written for this project.

//go:build arm64 && !purego

#include "textflag.h"

#define left R0
#define np R1
#define xk R2
#define ldxb R3
#define xr R4

// BEGIN loads the arguments of the kernel. Register xr holds the argument add. An element has 1<<log bytes.
#define BEGIN(log) \
	MOVD  d+0(FP), left;   \
	MOVD  n+8(FP), np;     \
	MOVD  x+16(FP), xk;    \
	MOVD  ldx+24(FP), ldxb; \
	LSL   $log, ldxb;      \
	MOVBU add+32(FP), xr

#define ZERO \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V1.B16, V1.B16, V1.B16; \
	VEOR V2.B16, V2.B16, V2.B16; \
	VEOR V3.B16, V3.B16, V3.B16; \
	VEOR V4.B16, V4.B16, V4.B16; \
	VEOR V5.B16, V5.B16, V5.B16

#define LOAD \
	FLDPQ (np), (F0, F1);   \
	FLDPQ 32(np), (F2, F3); \
	FLDPQ 64(np), (F4, F5)

#define STORE \
	FSTPQ (F0, F1), (np);   \
	FSTPQ (F2, F3), 32(np); \
	FSTPQ (F4, F5), 64(np)

// TWO adds the squares of two float64 elements of each of two rows to s. It advances xr by two rows.
#define TWO(s) \
	FMOVQ (xr), F16;                  \
	ADD   ldxb, xr;                   \
	FMOVQ (xr), F17;                  \
	ADD   ldxb, xr;                   \
	VZIP1 V17.D2, V16.D2, V18.D2;     \
	VZIP2 V17.D2, V16.D2, V19.D2;     \
	VFMLA V18.D2, V18.D2, s.D2;       \
	VFMLA V19.D2, V19.D2, s.D2

// LAST2 adds the squares of the last elements of two rows to s.
#define LAST2(s) \
	FMOVD (xr), F16;            \
	ADD   ldxb, xr;             \
	VLD1  (xr), V16.D[1];       \
	ADD   ldxb, xr;             \
	VFMLA V16.D2, V16.D2, s.D2

// ROWS4 loads four float32 elements of each of four rows at xr, and advances xr by four rows.
#define ROWS4 \
	FMOVQ (xr), F16; \
	ADD   ldxb, xr;  \
	FMOVQ (xr), F17; \
	ADD   ldxb, xr;  \
	FMOVQ (xr), F18; \
	ADD   ldxb, xr;  \
	FMOVQ (xr), F19; \
	ADD   ldxb, xr

// TRANSPOSE transposes the 4 × 4 matrix in V16–V19. The result is in V24–V27.
#define TRANSPOSE \
	VZIP1 V18.S4, V16.S4, V20.S4; \
	VZIP2 V18.S4, V16.S4, V21.S4; \
	VZIP1 V19.S4, V17.S4, V22.S4; \
	VZIP2 V19.S4, V17.S4, V23.S4; \
	VZIP1 V22.S4, V20.S4, V24.S4; \
	VZIP2 V22.S4, V20.S4, V25.S4; \
	VZIP1 V23.S4, V21.S4, V26.S4; \
	VZIP2 V23.S4, V21.S4, V27.S4

// FOUR adds the squares of four elements of each of four rows to s.
#define FOUR(s) \
	ROWS4;                      \
	TRANSPOSE;                  \
	VFMLA V24.S4, V24.S4, s.S4; \
	VFMLA V25.S4, V25.S4, s.S4; \
	VFMLA V26.S4, V26.S4, s.S4; \
	VFMLA V27.S4, V27.S4, s.S4

// ELEMENTS loads one element of each of four rows into the lanes of V16. LAST4 does the same, and adds the squares of the
// four elements to s.
#define ELEMENTS \
	FMOVS (xr), F16;      \
	ADD   ldxb, xr;       \
	VLD1  (xr), V16.S[1]; \
	ADD   ldxb, xr;       \
	VLD1  (xr), V16.S[2]; \
	ADD   ldxb, xr;       \
	VLD1  (xr), V16.S[3]; \
	ADD   ldxb, xr
#define LAST4(s) \
	ELEMENTS;                      \
	VFMLA V16.S4, V16.S4, s.S4

// func normsNEONF64(d int, n, x *float64, ldx int, add bool)
TEXT ·normsNEONF64(SB), NOSPLIT, $0-33
	BEGIN(3)
	ZERO
	CBZ  xr, sum
	LOAD

sum:
	SUBS $2, left
	BLT  few

kloop:
	MOVD xk, xr
	TWO(V0)
	TWO(V1)
	TWO(V2)
	TWO(V3)
	TWO(V4)
	TWO(V5)
	ADD  $16, xk
	SUBS $2, left
	BGE  kloop

few:
	TBZ  $0, left, store
	MOVD xk, xr
	LAST2(V0)
	LAST2(V1)
	LAST2(V2)
	LAST2(V3)
	LAST2(V4)
	LAST2(V5)

store:
	STORE
	RET

// func normsNEONF32(d int, n, x *float32, ldx int, add bool)
TEXT ·normsNEONF32(SB), NOSPLIT, $0-33
	BEGIN(2)
	ZERO
	CBZ  xr, sum
	LOAD

sum:
	SUBS $4, left
	BLT  few

kloop:
	MOVD xk, xr
	FOUR(V0)
	FOUR(V1)
	FOUR(V2)
	FOUR(V3)
	FOUR(V4)
	FOUR(V5)
	ADD  $16, xk
	SUBS $4, left
	BGE  kloop

few:
	ADDS $4, left
	BEQ  store

ktail:
	MOVD xk, xr
	LAST4(V0)
	LAST4(V1)
	LAST4(V2)
	LAST4(V3)
	LAST4(V4)
	LAST4(V5)
	ADD  $4, xk
	SUBS $1, left
	BNE  ktail

store:
	STORE
	RET
