// largest, quantize for float64 and float32 with AVX-512 F, VL.
//
//	largest    max_k |x_k|                                     0≤k<d
//	quantize   t_k = FMA(x_k, inverse, shift), code_k = lowest byte of t_k
//	           e_k = FMA(−scale, t_k − shift, x_k)
//	           Σ_k x_k², Σ_k e_k²
//
// Same bits as    largestRef and quantizeRef in ref.go. Lane k mod 8 accumulates the term of element k, in ascending order of k. The
//                 fold repeatedly adds the upper half of the eight float64 lanes to the lower half.
// Layout          x has d elements. d is a positive multiple of 4. The kernel stores groups of four codes, which start stride bytes apart.
// Tile            largest: 16 elements. quantize: 8 elements in one register of float64.
// Tail            largest: a masked load of up to 15 elements. quantize: four elements, and a mask for the sums.
// Special values  none, because elements are finite.
// Registers       SI x · CX elements left · DI codes · R8 stride · AX BX scratch · Z0 Σx² · Z1 Σe² · Z2 inverse · Z3 scale · Z4 shift ·
//                 Z5 x · Z6 t, then e · Z7 codes. largest: Z0 maximum · Z1 elements · Z2 mask of all bits except the sign.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

// FOLD adds the eight lanes of register z in halves, and stores the sum in the lowest lane of x. Registers y and x are the lowest
// 256 and 128 bits of z.
#define FOLD(z, y, x) \
	VEXTRACTF64X4 $1, z, Y5; \
	VADDPD        Y5, y, y;  \
	VEXTRACTF128  $1, y, X5; \
	VADDPD        X5, x, x;  \
	VPERMILPD     $1, x, X5; \
	VADDSD        X5, x, x

// TERMS quantizes the eight elements in Z5. It stores their codes in X7, and the quantization errors e in Z6.
#define TERMS \
	VMOVAPD      Z5, Z6;      \
	VFMADD213PD  Z4, Z2, Z6;  \
	VPMOVQB      Z6, X7;      \
	VSUBPD       Z4, Z6, Z6;  \
	VFNMADD213PD Z5, Z3, Z6

// func largestAVX512(x *float32, d int) float32
TEXT ·largestAVX512(SB), NOSPLIT, $0-20
	MOVQ       x+0(FP), SI
	MOVQ       d+8(FP), CX
	VPXORD     Z0, Z0, Z0
	VPTERNLOGD $0xff, Z2, Z2, Z2
	VPSRLD     $1, Z2, Z2
	SUBQ       $16, CX
	JL         last

loop:
	VPANDD  (SI), Z2, Z1
	VPMAXUD Z1, Z0, Z0
	ADDQ    $64, SI
	SUBQ    $16, CX
	JGE     loop

last:
	ADDQ      $16, CX
	JEQ       fold
	MOVL      $1, AX
	SHLL      CX, AX
	DECL      AX
	KMOVW     AX, K1
	VPANDD.Z  (SI), Z2, K1, Z1
	VPMAXUD   Z1, Z0, Z0

fold:
	VEXTRACTI64X4 $1, Z0, Y1
	VPMAXUD       Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPMAXUD       X1, X0, X0
	VPSHUFD       $0xee, X0, X1
	VPMAXUD       X1, X0, X0
	VPSHUFD       $0x55, X0, X1
	VPMAXUD       X1, X0, X0
	VMOVSS        X0, ret+16(FP)
	VZEROUPPER
	RET

// func quantizeAVX512(codes *uint8, stride int, x *float32, d int, inverse, scale, shift float64) (square, rest float64)
TEXT ·quantizeAVX512(SB), NOSPLIT, $0-72
	MOVQ         codes+0(FP), DI
	MOVQ         stride+8(FP), R8
	MOVQ         x+16(FP), SI
	MOVQ         d+24(FP), CX
	VBROADCASTSD inverse+32(FP), Z2
	VBROADCASTSD scale+40(FP), Z3
	VBROADCASTSD shift+48(FP), Z4
	VPXORD       Z0, Z0, Z0
	VPXORD       Z1, Z1, Z1
	SUBQ         $8, CX
	JL           last

loop:
	VCVTPS2PD   (SI), Z5
	TERMS
	VFMADD231PD Z5, Z5, Z0
	VFMADD231PD Z6, Z6, Z1
	VMOVD       X7, (DI)
	VMOVSHDUP   X7, X7
	VMOVD       X7, (DI)(R8*1)
	ADDQ        $32, SI
	LEAQ        (DI)(R8*2), DI
	SUBQ        $8, CX
	JGE         loop

last:
	ADDQ        $8, CX
	JEQ         fold
	MOVL        $15, AX
	KMOVW       AX, K1
	VMOVUPS     (SI), X5
	VCVTPS2PD   Y5, Z5
	TERMS
	VFMADD231PD Z5, Z5, K1, Z0
	VFMADD231PD Z6, Z6, K1, Z1
	VMOVD       X7, (DI)

fold:
	FOLD(Z0, Y0, X0)
	FOLD(Z1, Y1, X1)
	VMOVSD X0, square+56(FP)
	VMOVSD X1, rest+64(FP)
	VZEROUPPER
	RET
