// matvec with a float32 matrix, float64, AVX-512 F.
//
//	s[i] = Σ_j k[i*ldk+j] v[j]      q[j] = q[j] + Σ_i u[i] k[i*ldk+j]      0≤i<m  0≤j<n
//
// Same bits as    rowsRef and columnsRef in ref.go: k widened, exactly, and the row
//                 sum in 8 lanes, folded in halves; q[j] one FMA a row, i ascending.
// Layout          k m×n row-major, stride ldk in elements; v q n; u s m. m, n ≥ 1.
// Tile            8 rows × 8 columns: Z0–Z7 lanes of the row sums; or Z16–Z23 u, Z0 q,
//                 from the last column to the first; k is widened as it is loaded, to
//                 Z9–Z12. Then 4 rows, the last m mod 4 one by one.
// Tail            columns: opmask K1, n mod 8 elements of q in Z31 from the first row
//                 to the last. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       SI row of k · AX row + 4 ldk · DI v · BX q · R11 u or s · R13 rows
//                 left · DX ldk · R8 3 ldk · R9 bytes in whole steps · R10 bytes of a
//                 row · CX place in the row · K1 mask · Z31 tail of q; bytes
//                 are those of k, a vector has twice as many.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"

#define row4 AX
#define y BX
#define c CX
#define ld DX
#define row SI
#define x DI
#define ld3 R8
#define whole R9
#define bytes R10
#define ui R11
#define si R11
#define rows R13
#define mask K1
#define ytail Z31

// TAILMASK sets mask to the elements of the short step, bytes − whole of them.
#define TAILMASK \
	MOVQ  bytes, c; \
	SUBQ  whole, c; \
	SHRQ  $2, c;    \
	MOVL  $1, AX;   \
	SHLL  CX, AX;   \
	DECL  AX;       \
	KMOVW AX, mask

// func rowsAVX512Mixed(m, n int, s *float64, k *float32, ldk int, v *float64)
TEXT ·rowsAVX512Mixed(SB), NOSPLIT, $0-48
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
	TAILMASK

rowloop:
	SUBQ $8, rows
	JLT  rowtail

#include "dot8_avx512_mixed_amd64.h"

	VMOVUPD Z0, (si)
	ADDQ    $(8*8), si
	SUBQ    c, row
	LEAQ    (row)(ld*8), row
	JMP     rowloop

rowtail:
	ADDQ $4, rows
	JLT  row1tail

#include "dot4_avx512_mixed_amd64.h"

	VMOVUPD Y0, (si)
	ADDQ    $(4*8), si
	SUBQ    c, row
	LEAQ    (row)(ld*4), row
	SUBQ    $4, rows

row1tail:
	ADDQ $4, rows
	JEQ  done

row1loop:
#include "dot1_avx512_mixed_amd64.h"

	VMOVSD X0, (si)
	ADDQ   $8, si
	ADDQ   ld, row
	DECQ   rows
	JNE    row1loop

done:
	VZEROUPPER
	RET

// func columnsAVX512Mixed(m, n int, q *float64, k *float32, ldk int, u *float64)
TEXT ·columnsAVX512Mixed(SB), NOSPLIT, $0-48
	MOVQ      m+0(FP), rows
	MOVQ      n+8(FP), bytes
	MOVQ      q+16(FP), y
	MOVQ      k+24(FP), row
	MOVQ      ldk+32(FP), ld
	MOVQ      u+40(FP), ui
	SHLQ      $2, bytes
	SHLQ      $2, ld
	LEAQ      (ld)(ld*2), ld3
	MOVQ      bytes, whole
	ANDQ      $-32, whole
	TAILMASK
	VMOVUPD.Z (y)(whole*2), mask, ytail

	// the place in the first row: its short step
	MOVQ whole, c
	ADDQ c, row

rowloop:
	SUBQ         $8, rows
	JLT          rowtail
	VBROADCASTSD (ui), Z16
	VBROADCASTSD (1*8)(ui), Z17
	VBROADCASTSD (2*8)(ui), Z18
	VBROADCASTSD (3*8)(ui), Z19
	VBROADCASTSD (4*8)(ui), Z20
	VBROADCASTSD (5*8)(ui), Z21
	VBROADCASTSD (6*8)(ui), Z22
	VBROADCASTSD (7*8)(ui), Z23

#include "axpy8_avx512_mixed_amd64.h"

	ADDQ $(8*8), ui
	LEAQ (row)(ld*8), row
	MOVQ whole, c
	ADDQ c, row
	JMP  rowloop

rowtail:
	ADDQ         $4, rows
	JLT          row1tail
	VBROADCASTSD (ui), Z16
	VBROADCASTSD (1*8)(ui), Z17
	VBROADCASTSD (2*8)(ui), Z18
	VBROADCASTSD (3*8)(ui), Z19

#include "axpy4_avx512_mixed_amd64.h"

	ADDQ $(4*8), ui
	LEAQ (row)(ld*4), row
	MOVQ whole, c
	ADDQ c, row
	SUBQ $4, rows

row1tail:
	SUBQ c, row
	ADDQ $4, rows
	JEQ  store

row1loop:
	VBROADCASTSD (ui), Z16

#include "axpy1_avx512_mixed_amd64.h"

	ADDQ $8, ui
	ADDQ ld, row
	MOVQ whole, c
	DECQ rows
	JNE  row1loop

store:
	VMOVUPD ytail, mask, (y)(whole*2)
	VZEROUPPER
	RET
