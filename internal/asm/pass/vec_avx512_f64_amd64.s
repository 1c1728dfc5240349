// vec, float64, AVX-512 F.
//
//	dst[i] = x[i] / y[i]      #{ i : not lo ≤ x[i] ≤ hi }      0≤i<n
//
// Same bits as    divideRef and countOutsideRef in ref.go: division is correctly
//                 rounded at any width.
// Layout          dst x y n, contiguous. n ≥ 1.
// Tile            8 elements, one register.
// Tail            opmask K1. No access outside the slices.
// Special values  follow the arithmetic; comparisons with NaN are false.
// Registers       SI x · DX y · DI dst · CX place · R9 bytes in whole steps · R10 bytes ·
//                 AX elements inside · BX scratch · K1 mask · Z10 lo · Z11 hi.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"

#define inside AX
#define tmp BX
#define c CX
#define yp DX
#define xp SI
#define dp DI
#define whole R9
#define bytes R10
#define mask K1

// TAILMASK sets mask to the elements of the short step, bytes − whole of them.
#define TAILMASK \
	MOVQ  bytes, CX; \
	SUBQ  whole, CX; \
	SHRQ  $3, CX;    \
	MOVL  $1, tmp;   \
	SHLL  CX, tmp;   \
	DECL  tmp;       \
	KMOVW tmp, mask

// func divideAVX512F64(n int, dst, x, y *float64)
TEXT ·divideAVX512F64(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), bytes
	MOVQ dst+8(FP), dp
	MOVQ x+16(FP), xp
	MOVQ y+24(FP), yp
	SHLQ $3, bytes
	MOVQ bytes, whole
	ANDQ $-64, whole
	TAILMASK
	XORL c, c
	CMPQ whole, $0
	JEQ  tail

loop:
	// dst_i = x_i / y_i, 8 elements
	VMOVUPD (xp)(c*1), Z0
	VDIVPD  (yp)(c*1), Z0, Z0
	VMOVUPD Z0, (dp)(c*1)
	ADDQ    $64, c
	CMPQ    c, whole
	JLT     loop

tail:
	CMPQ      c, bytes
	JEQ       done
	VMOVUPD.Z (xp)(c*1), mask, Z0
	VMOVUPD.Z (yp)(c*1), mask, Z1
	VDIVPD    Z1, Z0, Z0
	VMOVUPD   Z0, mask, (dp)(c*1)

done:
	VZEROUPPER
	RET

// func countOutsideAVX512F64(n int, x *float64, lo, hi float64) int
TEXT ·countOutsideAVX512F64(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), bytes
	MOVQ         x+8(FP), xp
	VBROADCASTSD lo+16(FP), Z10
	VBROADCASTSD hi+24(FP), Z11
	SHLQ         $3, bytes
	MOVQ         bytes, whole
	ANDQ         $-64, whole
	TAILMASK
	XORL         inside, inside
	XORL         c, c
	CMPQ         whole, $0
	JEQ          tail

loop:
	// inside += #{ lo ≤ x_i and x_i ≤ hi }, 8 elements
	VMOVUPD (xp)(c*1), Z0
	VCMPPD  $0x12, Z0, Z10, K2
	VCMPPD  $0x12, Z11, Z0, K2, K3
	KMOVW   K3, tmp
	POPCNTL tmp, tmp
	ADDQ    tmp, inside
	ADDQ    $64, c
	CMPQ    c, whole
	JLT     loop

tail:
	CMPQ      c, bytes
	JEQ       store
	VMOVUPD.Z (xp)(c*1), mask, Z0
	VCMPPD    $0x12, Z0, Z10, mask, K2
	VCMPPD    $0x12, Z11, Z0, K2, K3
	KMOVW     K3, tmp
	POPCNTL   tmp, tmp
	ADDQ      tmp, inside

store:
	// n − inside
	SHRQ $3, bytes
	SUBQ inside, bytes
	MOVQ bytes, ret+32(FP)
	VZEROUPPER
	RET
