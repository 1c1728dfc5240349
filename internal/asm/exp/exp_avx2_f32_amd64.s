// exp, float32, AVX2 + FMA.
//
//	dst[i] = exp(x[i])      0≤i<n
//
// Same bits as    ref32 in ref.go.
// Layout          x, dst n elements, contiguous; dst may be x. n ≥ 1.
// Tile            32 elements as long as all |x| ≤ 87, where the scaling by 2^⌊k⌋ stays
//                 within the normal numbers and is an addition to the bits of T; blocks
//                 that hold another x go 8 by 8 through the general body, which clamps x
//                 and scales y in steps that are exact but for the last.
// Tail            the general body, for the last n mod 8 with masked load and store. No
//                 access outside the slices.
// Special values  a NaN may take either way: q is NaN then, and so is q·T + T.
// Registers       SI x · DI dst · CX elements left · DX elements of the general body ·
//                 AX sign bits, mask · Y0–Y3 x, t, then T · Y4–Y7 r · Y8–Y11 k, then q
//                 and y · Y12 a constant · Y13 table entry · Y14 table · Y15 magic.
// Source          own.

//go:build amd64 && !purego

#include "textflag.h"
#include "expdata_avx2_f32_amd64.h"
#include "mask_amd64.h"

#define src SI
#define out DI
#define left CX
#define todo DX
#define c Y12
#define entry Y13
#define entries Y14
#define magic Y15

// fma4(off) is one Horner step of four vectors: q = q·r + c.
#define fma4(off) \
	VBROADCASTSS expf32<>+off(SB), c; \
	VFMADD213PS  c, Y4, Y8; \
	VFMADD213PS  c, Y5, Y9; \
	VFMADD213PS  c, Y6, Y10; \
	VFMADD213PS  c, Y7, Y11

// fnma4 subtracts k·c from four r.
#define fnma4(off) \
	VBROADCASTSS expf32<>+off(SB), c; \
	VFNMADD231PS c, Y8, Y4; \
	VFNMADD231PS c, Y9, Y5; \
	VFNMADD231PS c, Y10, Y6; \
	VFNMADD231PS c, Y11, Y7

// table sets t = magic + n/4 to T·2^⌊k⌋.
#define table(t) \
	VPERMILPS t, entries, entry; \
	VPSLLD    $21, t, t; \
	VPADDD    entry, t, t

// func expAVX2F32(n int, dst, x *float32)
TEXT ·expAVX2F32(SB), NOSPLIT, $0-24
	MOVQ           n+0(FP), left
	MOVQ           dst+8(FP), out
	MOVQ           x+16(FP), src
	VBROADCASTSS   expf32<>+MAGIC(SB), magic
	VBROADCASTF128 expf32<>+TABLE(SB), entries

loop:
	SUBQ $32, left
	JLT  tail

	// all |x| ≤ 87, by their bits without the sign
	VMOVUPS   (src), Y0
	VMOVUPS   32(src), Y1
	VMOVUPS   64(src), Y2
	VMOVUPS   96(src), Y3
	VPADDD    Y0, Y0, Y4
	VPADDD    Y1, Y1, Y5
	VPADDD    Y2, Y2, Y6
	VPADDD    Y3, Y3, Y7
	VPMAXUD   Y4, Y5, Y4
	VPMAXUD   Y6, Y7, Y6
	VPMAXUD   Y4, Y6, Y4
	VPSRLD    $1, Y4, Y4
	VPCMPGTD  expf32<>+FASTLIMIT(SB), Y4, Y4
	VMOVMSKPS Y4, AX
	TESTL     AX, AX
	JNE       outside

	// t = x·log2e + magic, k = t − magic
	VMOVAPS      Y0, Y4
	VMOVAPS      Y1, Y5
	VMOVAPS      Y2, Y6
	VMOVAPS      Y3, Y7
	VBROADCASTSS expf32<>+LOG2E(SB), c
	VFMADD213PS  magic, c, Y0
	VFMADD213PS  magic, c, Y1
	VFMADD213PS  magic, c, Y2
	VFMADD213PS  magic, c, Y3
	VSUBPS       magic, Y0, Y8
	VSUBPS       magic, Y1, Y9
	VSUBPS       magic, Y2, Y10
	VSUBPS       magic, Y3, Y11

	// r = x − k·ln 2
	fnma4(LN2HI)
	fnma4(LN2LO)

	// q = exp(r)/E − 1; between the steps T·2^⌊k⌋, a shuffle's work
	VBROADCASTSS expf32<>+C4(SB), Y8
	VMOVAPS      Y8, Y9
	VMOVAPS      Y8, Y10
	VMOVAPS      Y8, Y11
	fma4(C3)
	table(Y0)
	table(Y1)
	fma4(C2)
	table(Y2)
	table(Y3)
	fma4(C1)
	fma4(C0)

	// q·T + T
	VFMADD213PS Y0, Y0, Y8
	VFMADD213PS Y1, Y1, Y9
	VFMADD213PS Y2, Y2, Y10
	VFMADD213PS Y3, Y3, Y11
	VMOVUPS     Y8, (out)
	VMOVUPS     Y9, 32(out)
	VMOVUPS     Y10, 64(out)
	VMOVUPS     Y11, 96(out)
	ADDQ        $128, src
	ADDQ        $128, out
	JMP         loop

tail:
	ADDQ $32, left
	JEQ  done
	MOVQ left, todo
	XORL left, left
	JMP  general

outside:
	MOVL $32, todo

general:
	SUBQ    $8, todo
	JLT     maskload
	VMOVUPS (src), Y0

body:
	// clamp; of a NaN and a number VMINPS and VMAXPS return the first operand here
	VBROADCASTSS expf32<>+LIMIT(SB), Y1
	VBROADCASTSS expf32<>+NEGLIMIT(SB), Y2
	VMINPS       Y0, Y1, Y0
	VMAXPS       Y0, Y2, Y0

	// t = x·log2e + magic, k = t − magic, r = x − k·ln 2
	VMOVAPS      Y0, Y4
	VBROADCASTSS expf32<>+LOG2E(SB), c
	VFMADD213PS  magic, c, Y0
	VSUBPS       magic, Y0, Y8
	VBROADCASTSS expf32<>+LN2HI(SB), Y1
	VBROADCASTSS expf32<>+LN2LO(SB), Y2
	VFNMADD231PS Y1, Y8, Y4
	VFNMADD231PS Y2, Y8, Y4

	// where y·2^⌊k⌋ will be subnormal; not where k is a NaN
	VBROADCASTSS expf32<>+LEASTK(SB), Y1
	VCMPPS       $0x11, Y1, Y8, Y5

	// T: the entry, to which n mod 4 is added back
	VPERMILPS Y0, entries, Y3
	VPSLLD    $30, Y0, Y1
	VPSRLD    $9, Y1, Y1
	VPADDD    Y1, Y3, Y3

	// q = exp(r)/E − 1, y = q·T + T
	VBROADCASTSS expf32<>+C4(SB), Y8
	VBROADCASTSS expf32<>+C3(SB), Y1
	VBROADCASTSS expf32<>+C2(SB), Y2
	VFMADD213PS  Y1, Y4, Y8
	VFMADD213PS  Y2, Y4, Y8
	VBROADCASTSS expf32<>+C1(SB), Y1
	VBROADCASTSS expf32<>+C0(SB), Y2
	VFMADD213PS  Y1, Y4, Y8
	VFMADD213PS  Y2, Y4, Y8
	VFMADD213PS  Y3, Y3, Y8

	// e = ⌊k⌋ from the lower bits of t; +126 where y·2^e is subnormal
	VPSLLD       $10, Y0, Y0
	VPSRAD       $12, Y0, Y2
	VPBROADCASTD expf32<>+MINEXP(SB), Y1
	VPAND        Y1, Y5, Y3
	VPSUBD       Y3, Y2, Y2

	// z = y·2^(e/2)·2^(e − e/2)
	VPBROADCASTD expf32<>+BIAS(SB), Y1
	VPSRAD       $1, Y2, Y3
	VPSUBD       Y3, Y2, Y2
	VPADDD       Y1, Y2, Y2
	VPADDD       Y1, Y3, Y3
	VPSLLD       $23, Y2, Y2
	VPSLLD       $23, Y3, Y3
	VMULPS       Y3, Y8, Y8
	VMULPS       Y2, Y8, Y8

	// a subnormal result is a multiple of 2^−149: 1 + z rounds z to one of 2^−23,
	// and its bits above those of 1 are those of the result
	VBROADCASTSS expf32<>+ONE(SB), Y1
	VADDPS       Y1, Y8, Y2
	VPSUBD       Y1, Y2, Y2
	VBLENDVPS    Y5, Y2, Y8, Y8

	TESTQ   todo, todo
	JLT     maskstore
	VMOVUPS Y8, (out)
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
	SHLQ       $2, todo
	SUBQ       todo, AX
	VMOVUPS    (AX), c
	VMASKMOVPS (src), c, Y0
	JMP        body

maskstore:
	VMOVUPS    (AX), c
	VMASKMOVPS Y8, c, (out)
	VZEROUPPER
	RET
