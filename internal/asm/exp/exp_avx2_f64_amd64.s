// exp, float64, AVX2 + FMA.
//
//	dst[i] = exp(x[i])      0≤i<n
//
// Same bits as    ref64 in ref.go.
// Layout          x, dst n elements, contiguous; dst may be x. n ≥ 1.
// Tile            16 elements as long as all |x| < 708, where the scaling by 2^⌊k⌋
//                 stays within the normal numbers and is an addition to the bits of T;
//                 blocks that hold another x go 4 by 4 through the general body, which
//                 clamps x and scales y in steps that are exact but for the last.
// Tail            the general body, for the last n mod 4 with masked load and store. No
//                 access outside the slices.
// Special values  a NaN may take either way: q is NaN then, and so is q·T + T.
// Registers       SI x · DI dst · CX elements left · DX elements of the general body ·
//                 AX sign bits, mask · Y0–Y3 x, t, then T · Y4–Y7 r · Y8–Y11 k, then q
//                 and y · Y12 Y13 table entry and half of it · Y14 a constant · Y15 magic.
// Source          own; two VPERMPS of 32-bit halves look up eight float64. Lookups between
//                 the Horner steps gain 4 % over lookups before them.

//go:build amd64 && !purego

#include "textflag.h"
#include "expdata_avx2_f64_amd64.h"
#include "mask_amd64.h"

#define src SI
#define out DI
#define left CX
#define todo DX
#define entry Y12
#define half Y13
#define c Y14
#define magic Y15

// fma4(off) is one Horner step of four vectors: q = q·r + c.
#define fma4(off) \
	VBROADCASTSD expf64<>+off(SB), c; \
	VFMADD213PD  c, Y4, Y8; \
	VFMADD213PD  c, Y5, Y9; \
	VFMADD213PD  c, Y6, Y10; \
	VFMADD213PD  c, Y7, Y11

// fnma4 subtracts k·c from four r.
#define fnma4(off) \
	VBROADCASTSD expf64<>+off(SB), c; \
	VFNMADD231PD c, Y8, Y4; \
	VFNMADD231PD c, Y9, Y5; \
	VFNMADD231PD c, Y10, Y6; \
	VFNMADD231PD c, Y11, Y7

// lookup sets entry to number n mod 8 of the table, where t = magic + n/8: both
// halves of an entry need the index in their own 32 bits.
#define lookup(t) \
	VPSHUFD  $0xa0, t, entry; \
	VPERMPS  expf64<>+TABLELO(SB), t, half; \
	VPERMPS  expf64<>+TABLEHI(SB), entry, entry; \
	VPBLENDD $0x55, half, entry, entry

// table sets t to T·2^⌊k⌋.
#define table(t) \
	lookup(t); \
	VPSLLQ $49, t, t; \
	VPADDQ entry, t, t

// func expAVX2F64(n int, dst, x *float64)
TEXT ·expAVX2F64(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), left
	MOVQ         dst+8(FP), out
	MOVQ         x+16(FP), src
	VBROADCASTSD expf64<>+MAGIC(SB), magic

loop:
	SUBQ $16, left
	JLT  tail

	// all |x| < 708, by the upper halves of their bits without the sign
	VMOVUPD   (src), Y0
	VMOVUPD   32(src), Y1
	VMOVUPD   64(src), Y2
	VMOVUPD   96(src), Y3
	VPADDD    Y0, Y0, Y4
	VPADDD    Y1, Y1, Y5
	VPADDD    Y2, Y2, Y6
	VPADDD    Y3, Y3, Y7
	VPMAXUD   Y4, Y5, Y4
	VPMAXUD   Y6, Y7, Y6
	VPMAXUD   Y4, Y6, Y4
	VPSRLD    $1, Y4, Y4
	VPCMPGTD  expf64<>+FASTLIMIT(SB), Y4, Y4
	VMOVMSKPS Y4, AX
	TESTL     AX, AX
	JNE       outside

	// t = x·log2e + magic, k = t − magic
	VMOVAPD      Y0, Y4
	VMOVAPD      Y1, Y5
	VMOVAPD      Y2, Y6
	VMOVAPD      Y3, Y7
	VBROADCASTSD expf64<>+LOG2E(SB), c
	VFMADD213PD  magic, c, Y0
	VFMADD213PD  magic, c, Y1
	VFMADD213PD  magic, c, Y2
	VFMADD213PD  magic, c, Y3
	VSUBPD       magic, Y0, Y8
	VSUBPD       magic, Y1, Y9
	VSUBPD       magic, Y2, Y10
	VSUBPD       magic, Y3, Y11

	// r = x − k·ln 2
	fnma4(LN2HI)
	fnma4(LN2LO)

	// q = exp(r)/E − 1; between the steps T·2^⌊k⌋, a shuffle's work
	VBROADCASTSD expf64<>+C7(SB), Y8
	VMOVAPD      Y8, Y9
	VMOVAPD      Y8, Y10
	VMOVAPD      Y8, Y11
	fma4(C6)
	table(Y0)
	fma4(C5)
	table(Y1)
	fma4(C4)
	table(Y2)
	fma4(C3)
	table(Y3)
	fma4(C2)
	fma4(C1)
	fma4(C0)

	// q·T + T
	VFMADD213PD Y0, Y0, Y8
	VFMADD213PD Y1, Y1, Y9
	VFMADD213PD Y2, Y2, Y10
	VFMADD213PD Y3, Y3, Y11
	VMOVUPD     Y8, (out)
	VMOVUPD     Y9, 32(out)
	VMOVUPD     Y10, 64(out)
	VMOVUPD     Y11, 96(out)
	ADDQ        $128, src
	ADDQ        $128, out
	JMP         loop

tail:
	ADDQ $16, left
	JEQ  done
	MOVQ left, todo
	XORL left, left
	JMP  general

outside:
	MOVL $16, todo

general:
	SUBQ    $4, todo
	JLT     maskload
	VMOVUPD (src), Y0

body:
	// clamp; of a NaN and a number VMINPD and VMAXPD return the first operand here
	VBROADCASTSD expf64<>+LIMIT(SB), Y1
	VBROADCASTSD expf64<>+NEGLIMIT(SB), Y2
	VMINPD       Y0, Y1, Y0
	VMAXPD       Y0, Y2, Y0

	// t = x·log2e + magic, k = t − magic, r = x − k·ln 2
	VMOVAPD      Y0, Y4
	VBROADCASTSD expf64<>+LOG2E(SB), c
	VFMADD213PD  magic, c, Y0
	VSUBPD       magic, Y0, Y8
	VBROADCASTSD expf64<>+LN2HI(SB), Y1
	VBROADCASTSD expf64<>+LN2LO(SB), Y2
	VFNMADD231PD Y1, Y8, Y4
	VFNMADD231PD Y2, Y8, Y4

	// where y·2^⌊k⌋ will be subnormal; not where k is a NaN
	VBROADCASTSD expf64<>+LEASTK(SB), Y1
	VCMPPD       $0x11, Y1, Y8, Y5

	// T: the entry, to which n mod 8 is added back
	lookup(Y0)
	VPSLLQ $61, Y0, Y1
	VPSRLQ $12, Y1, Y1
	VPADDQ Y1, entry, Y3

	// q = exp(r)/E − 1, y = q·T + T
	VBROADCASTSD expf64<>+C7(SB), Y8
	VBROADCASTSD expf64<>+C6(SB), Y1
	VBROADCASTSD expf64<>+C5(SB), Y2
	VFMADD213PD  Y1, Y4, Y8
	VFMADD213PD  Y2, Y4, Y8
	VBROADCASTSD expf64<>+C4(SB), Y1
	VBROADCASTSD expf64<>+C3(SB), Y2
	VFMADD213PD  Y1, Y4, Y8
	VFMADD213PD  Y2, Y4, Y8
	VBROADCASTSD expf64<>+C2(SB), Y1
	VBROADCASTSD expf64<>+C1(SB), Y2
	VFMADD213PD  Y1, Y4, Y8
	VFMADD213PD  Y2, Y4, Y8
	VBROADCASTSD expf64<>+C0(SB), Y1
	VFMADD213PD  Y1, Y4, Y8
	VFMADD213PD  Y3, Y3, Y8

	// e = ⌊k⌋ from the lower half of t; +1022 where y·2^e is subnormal
	VPSRAD       $3, Y0, Y2
	VPBROADCASTQ expf64<>+MINEXP(SB), Y1
	VPAND        Y1, Y5, Y3
	VPSUBD       Y3, Y2, Y2

	// z = y·2^(e/2)·2^(e − e/2)
	VPBROADCASTQ expf64<>+BIAS(SB), Y1
	VPSRAD       $1, Y2, Y3
	VPSUBD       Y3, Y2, Y2
	VPADDD       Y1, Y2, Y2
	VPADDD       Y1, Y3, Y3
	VPSLLQ       $52, Y2, Y2
	VPSLLQ       $52, Y3, Y3
	VMULPD       Y3, Y8, Y8
	VMULPD       Y2, Y8, Y8

	// a subnormal result is a multiple of 2^−1074: 1 + z rounds z to one of
	// 2^−52, and its bits above those of 1 are those of the result
	VBROADCASTSD expf64<>+ONE(SB), Y1
	VADDPD       Y1, Y8, Y2
	VPSUBQ       Y1, Y2, Y2
	VBLENDVPD    Y5, Y2, Y8, Y8

	TESTQ   todo, todo
	JLT     maskstore
	VMOVUPD Y8, (out)
	ADDQ    $32, src
	ADDQ    $32, out
	TESTQ   todo, todo
	JNE     general
	TESTQ   left, left
	JNE     loop

done:
	VZEROUPPER
	RET

maskload:
	LEAQ       tailmask<>(SB), AX
	SHLQ       $3, todo
	SUBQ       todo, AX
	VMOVUPD    (AX), c
	VMASKMOVPD (src), c, Y0
	JMP        body

maskstore:
	VMOVUPD    (AX), c
	VMASKMOVPD Y8, c, (out)
	VZEROUPPER
	RET
