// vec between the types, float64, AVX2 + FMA.
//
//	narrow  dst[i] = x[i] rounded to float32, or +0 if |x[i]| < 2⁻¹²⁶
//	widen   dst[i] = x[i]                                                0≤i<n
//
// Same bits as    narrowRef and widenRef in ref.go: a conversion is correctly rounded
//                 at any width.
// Layout          dst x n, contiguous. n ≥ 1.
// Tile            8 elements: two registers of float64, one of float32.
// Tail            masked loads, stores in pieces. No access outside the slices.
// Special values  as converted; a comparison with NaN is false.
// Registers       SI x · DI dst · CX place · R9 bytes in whole steps · R10 bytes, those
//                 of the float32 slice · Y12 Y13 masks · Y10 2⁻¹²⁶ · Y11 all bits but the
//                 sign.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"

#define p AX
#define c CX
#define xp SI
#define dp DI
#define whole R9
#define bytes R10
#define least Y10
#define unsigned Y11
#define to AX
#define rest CX

#include "tail_avx2_mixed_amd64.h"

// FLUSH sets a, and b, to +0 where it is less than least in size.
#define FLUSH(a, b, s, t) \
	VANDPD  a, unsigned, s;    \
	VANDPD  b, unsigned, t;    \
	VCMPPD  $0x11, least, s, s; \
	VCMPPD  $0x11, least, t, t; \
	VANDNPD a, s, a;           \
	VANDNPD b, t, b

// func narrowAVX2Mixed(n int, dst *float32, x *float64)
TEXT ·narrowAVX2Mixed(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), bytes
	MOVQ         dst+8(FP), dp
	MOVQ         x+16(FP), xp
	MOVQ         $0x3810000000000000, AX // 2⁻¹²⁶
	VMOVQ        AX, X10
	VPBROADCASTQ X10, least
	VPCMPEQD     unsigned, unsigned, unsigned
	VPSRLQ       $1, unsigned, unsigned
	SHLQ         $2, bytes
	MOVQ         bytes, whole
	ANDQ         $-32, whole
	XORL         c, c
	CMPQ         whole, $0
	JEQ          tail

loop:
	// dst_i = float32(x_i), eight elements
	VMOVUPD    (xp)(c*2), Y0
	VMOVUPD    32(xp)(c*2), Y1
	FLUSH(Y0, Y1, Y2, Y3)
	VCVTPD2PSY Y0, X0
	VCVTPD2PSY Y1, X1
	VMOVUPS    X0, (dp)(c*1)
	VMOVUPS    X1, 16(dp)(c*1)
	ADDQ       $32, c
	CMPQ       c, whole
	JLT        loop

tail:
	CMPQ c, bytes
	JEQ  done

	// the short step
	TAILMASKS(p, Y12, Y13)
	VMASKMOVPD  (xp)(c*2), Y12, Y0
	VMASKMOVPD  32(xp)(c*2), Y13, Y1
	FLUSH(Y0, Y1, Y2, Y3)
	VCVTPD2PSY  Y0, X0
	VCVTPD2PSY  Y1, X1
	VINSERTF128 $1, X1, Y0, Y0
	LEAQ        (dp)(c*1), to
	MOVQ        bytes, rest
	SUBQ        whole, rest

#include "store_avx2_amd64.h"

done:
	VZEROUPPER
	RET

// func widenAVX2Mixed(n int, dst *float64, x *float32)
TEXT ·widenAVX2Mixed(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), bytes
	MOVQ dst+8(FP), dp
	MOVQ x+16(FP), xp
	SHLQ $2, bytes
	MOVQ bytes, whole
	ANDQ $-32, whole
	XORL c, c
	CMPQ whole, $0
	JEQ  tail

loop:
	// dst_i = float64(x_i), eight elements
	VCVTPS2PD (xp)(c*1), Y0
	VCVTPS2PD 16(xp)(c*1), Y1
	VMOVUPD   Y0, (dp)(c*2)
	VMOVUPD   Y1, 32(dp)(c*2)
	ADDQ      $32, c
	CMPQ      c, whole
	JLT       loop

tail:
	CMPQ c, bytes
	JEQ  done

	// the short step
	TAILMASKSK(p, X12, X13)
	LDTAIL((xp)(c*1), X12, X0, Y0)
	LDTAIL(16(xp)(c*1), X13, X1, Y1)
	LEAQ (dp)(c*2), to
	MOVQ bytes, rest
	SUBQ whole, rest
	SHLQ $1, rest

#include "store_avx2_amd64.h"

done:
	VZEROUPPER
	RET
