// vec, float64, AVX2 + FMA.
//
//	dst[i] = x[i] / y[i]      #{ i : not lo ≤ x[i] ≤ hi }      0≤i<n
//
// Same bits as    divideRef and countOutsideRef in ref.go: division is correctly
//                 rounded at any width.
// Layout          dst x y n, contiguous. n ≥ 1.
// Tile            8 elements, two registers.
// Tail            masked loads, stores in pieces. No access outside the slices.
// Special values  follow the arithmetic; comparisons with NaN are false.
// Registers       SI x · DX y · DI dst · CX place · R9 bytes in whole steps ·
//                 R10 bytes · Y12 Y13 masks · Y10 lo · Y11 hi · Y8 Y9 counts.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"

#define p AX
#define c CX
#define yp DX
#define xp SI
#define dp DI
#define whole R9
#define bytes R10
#define masklo Y12
#define maskhi Y13
#define to AX
#define rest CX

#include "tail_avx2_amd64.h"

// func divideAVX2F64(n int, dst, x, y *float64)
TEXT ·divideAVX2F64(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), bytes
	MOVQ dst+8(FP), dp
	MOVQ x+16(FP), xp
	MOVQ y+24(FP), yp
	SHLQ $3, bytes
	MOVQ bytes, whole
	ANDQ $-64, whole
	XORL c, c
	CMPQ whole, $0
	JEQ  tail

loop:
	// dst_i = x_i / y_i, eight elements
	VMOVUPD (xp)(c*1), Y0
	VMOVUPD 32(xp)(c*1), Y1
	VDIVPD  (yp)(c*1), Y0, Y0
	VDIVPD  32(yp)(c*1), Y1, Y1
	VMOVUPD Y0, (dp)(c*1)
	VMOVUPD Y1, 32(dp)(c*1)
	ADDQ    $64, c
	CMPQ    c, whole
	JLT     loop

tail:
	CMPQ c, bytes
	JEQ  done

	// the short step
	TAILMASKS(p, masklo, maskhi)
	VMASKMOVPD (xp)(c*1), masklo, Y0
	VMASKMOVPD (yp)(c*1), masklo, Y2
	VDIVPD     Y2, Y0, Y0
	VMASKMOVPD 32(xp)(c*1), maskhi, Y1
	VMASKMOVPD 32(yp)(c*1), maskhi, Y3
	VDIVPD     Y3, Y1, Y1
	LEAQ       (dp)(c*1), to
	MOVQ       bytes, rest
	SUBQ       whole, rest

#include "store_avx2_amd64.h"

done:
	VZEROUPPER
	RET

// func countOutsideAVX2F64(n int, x *float64, lo, hi float64) int
TEXT ·countOutsideAVX2F64(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), bytes
	MOVQ         x+8(FP), xp
	VBROADCASTSD lo+16(FP), Y10
	VBROADCASTSD hi+24(FP), Y11
	VXORPD       Y8, Y8, Y8
	VXORPD       Y9, Y9, Y9
	SHLQ         $3, bytes
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	XORL         c, c
	CMPQ         whole, $0
	JEQ          tail

loop:
	// count −1 for lo ≤ x_i and x_i ≤ hi, eight elements
	VMOVUPD (xp)(c*1), Y0
	VMOVUPD 32(xp)(c*1), Y1
	VCMPPD  $0x12, Y0, Y10, Y2
	VCMPPD  $0x12, Y1, Y10, Y3
	VCMPPD  $0x12, Y11, Y0, Y4
	VCMPPD  $0x12, Y11, Y1, Y5
	VANDPD  Y4, Y2, Y2
	VANDPD  Y5, Y3, Y3
	VPADDQ  Y2, Y8, Y8
	VPADDQ  Y3, Y9, Y9
	ADDQ    $64, c
	CMPQ    c, whole
	JLT     loop

tail:
	CMPQ c, bytes
	JEQ  store

	// the short step
	TAILMASKS(p, masklo, maskhi)
	VMASKMOVPD (xp)(c*1), masklo, Y0
	VMASKMOVPD 32(xp)(c*1), maskhi, Y1
	VCMPPD     $0x12, Y0, Y10, Y2
	VCMPPD     $0x12, Y1, Y10, Y3
	VCMPPD     $0x12, Y11, Y0, Y4
	VCMPPD     $0x12, Y11, Y1, Y5
	VANDPD     Y4, Y2, Y2
	VANDPD     Y5, Y3, Y3
	VANDPD     masklo, Y2, Y2
	VANDPD     maskhi, Y3, Y3
	VPADDQ     Y2, Y8, Y8
	VPADDQ     Y3, Y9, Y9

store:
	// n − inside
	VPADDQ       Y9, Y8, Y8
	VEXTRACTI128 $1, Y8, X9
	VPADDQ       X9, X8, X8
	VPEXTRQ      $1, X8, AX
	VMOVQ        X8, CX
	ADDQ         CX, AX
	SHRQ         $3, bytes
	ADDQ         bytes, AX
	MOVQ         AX, ret+32(FP)
	VZEROUPPER
	RET
