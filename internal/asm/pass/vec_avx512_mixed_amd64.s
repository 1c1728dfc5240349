// vec between the types, float64, AVX-512 F.
//
//	narrow  dst[i] = x[i] rounded to float32, or +0 if |x[i]| < 2⁻¹²⁶
//	widen   dst[i] = x[i]                                                0≤i<n
//
// Same bits as    narrowRef and widenRef in ref.go: a conversion is correctly rounded
//                 at any width.
// Layout          dst x n, contiguous. n ≥ 1.
// Tile            8 elements, one register of float64.
// Tail            opmask K1. No access outside the slices.
// Special values  as converted; a comparison with NaN is false.
// Registers       SI x · DI dst · CX place · R9 bytes in whole steps · R10 bytes, those
//                 of the float32 slice · AX scratch · K1 mask · K2 not flushed ·
//                 Z10 2⁻¹²⁶ · Z11 all bits but the sign.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"

#define c CX
#define xp SI
#define dp DI
#define whole R9
#define bytes R10
#define mask K1
#define least Z10
#define unsigned Z11

// TAILMASK sets mask to the elements of the short step, bytes − whole of them.
#define TAILMASK \
	MOVQ  bytes, c; \
	SUBQ  whole, c; \
	SHRQ  $2, c;    \
	MOVL  $1, AX;   \
	SHLL  CX, AX;   \
	DECL  AX;       \
	KMOVW AX, mask

// func narrowAVX512Mixed(n int, dst *float32, x *float64)
TEXT ·narrowAVX512Mixed(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), bytes
	MOVQ         dst+8(FP), dp
	MOVQ         x+16(FP), xp
	MOVQ         $0x3810000000000000, AX // 2⁻¹²⁶
	VPBROADCASTQ AX, least
	VPTERNLOGQ   $0xff, unsigned, unsigned, unsigned
	VPSRLQ       $1, unsigned, unsigned
	SHLQ         $2, bytes
	MOVQ         bytes, whole
	ANDQ         $-32, whole
	TAILMASK
	XORL         c, c
	CMPQ         whole, $0
	JEQ          tail

loop:
	// dst_i = float32(x_i), eight elements; not less than 2⁻¹²⁶, or NaN
	VMOVUPD     (xp)(c*2), Z0
	VPANDQ      Z0, unsigned, Z1
	VCMPPD      $0x15, least, Z1, K2
	VCVTPD2PS.Z Z0, K2, Y0
	VMOVUPS     Y0, (dp)(c*1)
	ADDQ        $32, c
	CMPQ        c, whole
	JLT         loop

tail:
	CMPQ        c, bytes
	JEQ         done
	VMOVUPD.Z   (xp)(c*2), mask, Z0
	VPANDQ      Z0, unsigned, Z1
	VCMPPD      $0x15, least, Z1, K2
	VCVTPD2PS.Z Z0, K2, Y0
	VMOVUPS     Z0, mask, (dp)(c*1)

done:
	VZEROUPPER
	RET

// func widenAVX512Mixed(n int, dst *float64, x *float32)
TEXT ·widenAVX512Mixed(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), bytes
	MOVQ dst+8(FP), dp
	MOVQ x+16(FP), xp
	SHLQ $2, bytes
	MOVQ bytes, whole
	ANDQ $-32, whole
	TAILMASK
	XORL c, c
	CMPQ whole, $0
	JEQ  tail

loop:
	// dst_i = float64(x_i), eight elements
	VCVTPS2PD (xp)(c*1), Z0
	VMOVUPD   Z0, (dp)(c*2)
	ADDQ      $32, c
	CMPQ      c, whole
	JLT       loop

tail:
	CMPQ        c, bytes
	JEQ         done
	VCVTPS2PD.Z (xp)(c*1), mask, Z0
	VMOVUPD     Z0, mask, (dp)(c*2)

done:
	VZEROUPPER
	RET
