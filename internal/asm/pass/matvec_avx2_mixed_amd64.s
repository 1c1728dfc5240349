// matvec with a float32 matrix, float64, AVX2 + FMA.
//
//	s[i] = Σ_j k[i*ldk+j] v[j]      q[j] = q[j] + Σ_i u[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    rowsRef and columnsRef in ref.go: k widened, exactly, and the row
//                 sum in 8 lanes, folded in halves; q[j] one FMA a row, i ascending.
// Layout          k m×n row-major, stride ldk in elements; v q n; u s m. m, n ≥ 1.
// Tile            4 rows × 8 columns: Y0–Y7 lanes of the row sums; or Y8–Y11 u, Y0 Y1 q.
//                 k is widened as it is loaded. The last m mod 4 rows one by one.
// Tail            columns: masked loads, n mod 8 elements of q in Y14 Y15 from the
//                 first row to the last; rows: 1 row. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       SI row · AX place in the row · CX the same from 0 · DI v · BX q ·
//                 R11 u or s · R13 rows left · DX ldk · R8 3 ldk ·
//                 R9 bytes in whole steps · R10 bytes of a row; bytes are those of
//                 k, a vector has twice as many.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"

#define p AX
#define to AX
#define y BX
#define c CX
#define rest CX
#define ld DX
#define row SI
#define x DI
#define ld3 R8
#define whole R9
#define bytes R10
#define ui R11
#define si R11
#define rows R13

#include "tail_avx2_mixed_amd64.h"

// func rowsAVX2Mixed(m, n int, s *float64, k *float32, ldk int, v *float64)
TEXT ·rowsAVX2Mixed(SB), NOSPLIT, $0-48
	MOVQ m+0(FP), rows
	MOVQ n+8(FP), bytes
	MOVQ s+16(FP), si
	MOVQ k+24(FP), row
	MOVQ ldk+32(FP), ld
	MOVQ v+40(FP), x
	SHLQ $2, bytes
	SHLQ $2, ld
	LEAQ (ld)(ld*2), ld3
	MOVQ bytes, whole
	ANDQ $-32, whole

rowloop:
	SUBQ $4, rows
	JLT  rowtail

#include "dot4_avx2_mixed_amd64.h"

	VMOVUPD Y0, (si)
	ADDQ    $32, si
	LEAQ    (row)(ld*4), row
	JMP     rowloop

rowtail:
	ADDQ $4, rows
	JEQ  done

row1loop:
#include "dot1_avx2_mixed_amd64.h"

	VMOVSD X0, (si)
	ADDQ   $8, si
	ADDQ   ld, row
	DECQ   rows
	JNE    row1loop

done:
	VZEROUPPER
	RET

// func columnsAVX2Mixed(m, n int, q *float64, k *float32, ldk int, u *float64)
TEXT ·columnsAVX2Mixed(SB), NOSPLIT, $0-48
	MOVQ m+0(FP), rows
	MOVQ n+8(FP), bytes
	MOVQ q+16(FP), y
	MOVQ k+24(FP), row
	MOVQ ldk+32(FP), ld
	MOVQ u+40(FP), ui
	SHLQ $2, bytes
	SHLQ $2, ld
	LEAQ (ld)(ld*2), ld3
	MOVQ bytes, whole
	ANDQ $-32, whole
	CMPQ whole, bytes
	JEQ  rowloop

	// the short step of q
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPD (y)(whole*2), Y12, Y14
	VMASKMOVPD 32(y)(whole*2), Y13, Y15

rowloop:
	SUBQ         $4, rows
	JLT          rowtail
	VBROADCASTSD (ui), Y8
	VBROADCASTSD 8(ui), Y9
	VBROADCASTSD 16(ui), Y10
	VBROADCASTSD 24(ui), Y11

#include "axpy4_avx2_mixed_amd64.h"

	ADDQ $32, ui
	LEAQ (row)(ld*4), row
	JMP  rowloop

rowtail:
	ADDQ $4, rows
	JEQ  store

row1loop:
	VBROADCASTSD (ui), Y8

#include "axpy1_avx2_mixed_amd64.h"

	ADDQ $8, ui
	ADDQ ld, row
	DECQ rows
	JNE  row1loop

store:
	// the short step of q
	VMOVAPD Y14, Y0
	VMOVAPD Y15, Y1
	LEAQ    (y)(whole*2), to
	MOVQ    bytes, rest
	SUBQ    whole, rest
	SHLQ    $1, rest

#include "store_avx2_amd64.h"

	VZEROUPPER
	RET
