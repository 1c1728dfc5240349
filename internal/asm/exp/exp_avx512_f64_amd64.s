// exp, float64, AVX-512 F.
//
//	dst[i] = exp(x[i])      0≤i<n
//
// Same bits as    ref64 in ref.go; VSCALEFPD rounds once where ref64 multiplies by two
//                 powers of two, the first of which is exact.
// Layout          x, dst n elements, contiguous; dst may be x. n ≥ 1.
// Tile            32 elements, four vectors; those that hold a NaN or an x far outside of
//                 the range go through the clamp first. Then one vector at a time.
// Tail            opmask K1. No access outside the slices.
// Special values  of a NaN and a number VMINPD and VMAXPD return the first operand here.
// Registers       SI x · DI dst · CX elements left · AX scratch · K1 mask · Z0–Z3 x, then r ·
//                 Z4–Z7 t, then T · Z8–Z11 k · Z12–Z15 q · Z16 Z17 limits ·
//                 Z18 bits of sign and exponent · Z30 table · Z31 magic.
// Source          own; from shared prototypes (exp/expk.h).

//go:build amd64 && !purego

#include "textflag.h"
#include "expdata_avx512_f64_amd64.h"

#define src SI
#define out DI
#define left CX
#define mask K1
#define table Z30
#define magic Z31

// clamp limits x to ±LIMIT; x is the first operand, which a NaN survives in.
#define clamp(x, limit, neglimit) \
	VMINPD x, limit, x;   \
	VMAXPD x, neglimit, x

// reduce sets k and, in place of x, r: k = t − magic, r = x − k·ln 2.
#define reduce(x, t, k) \
	VSUBPD            magic, t, k;              \
	VFNMADD231PD.BCST expf64<>+LN2HI(SB), k, x; \
	VFNMADD231PD.BCST expf64<>+LN2LO(SB), k, x

// step4 is one Horner step of four vectors: q = q·r + c.
#define step4(c) \
	VFMADD213PD.BCST expf64<>+c(SB), Z0, Z12; \
	VFMADD213PD.BCST expf64<>+c(SB), Z1, Z13; \
	VFMADD213PD.BCST expf64<>+c(SB), Z2, Z14; \
	VFMADD213PD.BCST expf64<>+c(SB), Z3, Z15

#define step1(c) VFMADD213PD.BCST expf64<>+c(SB), Z0, Z12

// finish sets q to (q·T + T)·2^⌊k⌋.
#define finish(q, s, k) \
	VFMADD213PD s, s, q; \
	VSCALEFPD   k, q, q

// func expAVX512F64(n int, dst, x *float64)
TEXT ·expAVX512F64(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), left
	MOVQ         dst+8(FP), out
	MOVQ         x+16(FP), src
	VBROADCASTSD expf64<>+MAGIC(SB), magic
	VMOVDQU64    expf64<>+TABLE(SB), table
	VPADDQ       expf64<>+STEPS(SB), table, table
	VBROADCASTSD expf64<>+LIMIT(SB), Z16
	VBROADCASTSD expf64<>+NEGLIMIT(SB), Z17
	VBROADCASTSD expf64<>+HIGH(SB), Z18

loop:
	SUBQ $32, left
	JLT  tail

	VMOVUPD (src), Z0
	VMOVUPD 64(src), Z1
	VMOVUPD 128(src), Z2
	VMOVUPD 192(src), Z3

	// t = x·log2e + magic
	VMOVAPD          magic, Z4
	VMOVAPD          magic, Z5
	VMOVAPD          magic, Z6
	VMOVAPD          magic, Z7
	VFMADD231PD.BCST expf64<>+LOG2E(SB), Z0, Z4
	VFMADD231PD.BCST expf64<>+LOG2E(SB), Z1, Z5
	VFMADD231PD.BCST expf64<>+LOG2E(SB), Z2, Z6
	VFMADD231PD.BCST expf64<>+LOG2E(SB), Z3, Z7

	// has a sum left the binade of magic? Within, r is small enough without the clamp,
	// and the scaling makes the same zeros and infinities.
	VPXORQ     magic, Z4, Z12
	VPTERNLOGQ $0xf6, magic, Z5, Z12
	VPTERNLOGQ $0xf6, magic, Z6, Z12
	VPTERNLOGQ $0xf6, magic, Z7, Z12
	VPTESTMQ   Z18, Z12, K2
	KORTESTW   K2, K2
	JNE        outside

inside:
	reduce(Z0, Z4, Z8)
	reduce(Z1, Z5, Z9)
	reduce(Z2, Z6, Z10)
	reduce(Z3, Z7, Z11)

	// T, by the last bits of t
	VPERMPD table, Z4, Z4
	VPERMPD table, Z5, Z5
	VPERMPD table, Z6, Z6
	VPERMPD table, Z7, Z7

	// q = exp(r)/E − 1
	VBROADCASTSD expf64<>+C7(SB), Z12
	VMOVAPD      Z12, Z13
	VMOVAPD      Z12, Z14
	VMOVAPD      Z12, Z15
	step4(C6)
	step4(C5)
	step4(C4)
	step4(C3)
	step4(C2)
	step4(C1)
	step4(C0)

	finish(Z12, Z4, Z8)
	finish(Z13, Z5, Z9)
	finish(Z14, Z6, Z10)
	finish(Z15, Z7, Z11)
	VMOVUPD Z12, (out)
	VMOVUPD Z13, 64(out)
	VMOVUPD Z14, 128(out)
	VMOVUPD Z15, 192(out)
	ADDQ    $256, src
	ADDQ    $256, out
	JMP     loop

outside:
	clamp(Z0, Z16, Z17)
	clamp(Z1, Z16, Z17)
	clamp(Z2, Z16, Z17)
	clamp(Z3, Z16, Z17)
	VMOVAPD          magic, Z4
	VMOVAPD          magic, Z5
	VMOVAPD          magic, Z6
	VMOVAPD          magic, Z7
	VFMADD231PD.BCST expf64<>+LOG2E(SB), Z0, Z4
	VFMADD231PD.BCST expf64<>+LOG2E(SB), Z1, Z5
	VFMADD231PD.BCST expf64<>+LOG2E(SB), Z2, Z6
	VFMADD231PD.BCST expf64<>+LOG2E(SB), Z3, Z7
	JMP              inside

tail:
	ADDQ  $32, left
	JEQ   done
	MOVL  $-1, AX
	KMOVW AX, mask

tailloop:
	CMPQ left, $8
	JGE  vector

	// the mask of the short step
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, mask

vector:
	VMOVUPD.Z        (src), mask, Z0
	clamp(Z0, Z16, Z17)
	VMOVAPD          magic, Z4
	VFMADD231PD.BCST expf64<>+LOG2E(SB), Z0, Z4
	reduce(Z0, Z4, Z8)
	VPERMPD          table, Z4, Z4
	VBROADCASTSD     expf64<>+C7(SB), Z12
	step1(C6)
	step1(C5)
	step1(C4)
	step1(C3)
	step1(C2)
	step1(C1)
	step1(C0)
	finish(Z12, Z4, Z8)
	VMOVUPD          Z12, mask, (out)
	ADDQ             $64, src
	ADDQ             $64, out
	SUBQ             $8, left
	JGT              tailloop

done:
	VZEROUPPER
	RET
