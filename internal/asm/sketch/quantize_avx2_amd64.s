// largest, quantize for float64 and float32 with AVX2 + FMA.
//
//	largest    max_k |x_k|                                     0≤k<d
//	quantize   t_k = FMA(x_k, inverse, shift), code_k = lowest byte of t_k
//	           e_k = FMA(−scale, t_k − shift, x_k)
//	           Σ_k x_k², Σ_k e_k²
//
// Same bits as    largestRef and quantizeRef in ref.go. Lane k mod 8 accumulates the term of element k, in ascending order of k. The
//                 fold repeatedly adds the upper half of the eight float64 lanes to the lower half.
// Layout          x has d elements. d is a positive multiple of 4. The kernel stores groups of four codes, which start stride bytes apart.
// Tile            largest: 8 elements. quantize: 8 elements in two registers of float64.
// Tail            four elements.
// Special values  none, because elements are finite.
// Registers       SI x · CX elements left · DI codes · R8 stride · Y0 Y1 Σx² · Y2 Y3 Σe² · Y4 inverse · Y5 scale · Y6 shift · Y7 x · Y8 t, then
//                 e · Y9 X10 codes · X11 byte order of the codes. largest: Y0 maximum · Y1 elements · Y2 mask of all bits except the sign.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

// FOLD sums the four lanes of register y and the four lanes of register z, in halves. It stores the sum in the lowest lane of
// the XMM register x, which is the lower half of y.
#define FOLD(z, y, x) \
	VADDPD       z, y, y;    \
	VEXTRACTF128 $1, y, X7;  \
	VADDPD       X7, x, x;   \
	VPERMILPD    $1, x, X7;  \
	VADDSD       X7, x, x

// CODES stores four codes at the address place. The codes are the lowest bytes of the four lanes of Y8.
#define CODES(place) \
	VEXTRACTF128 $1, Y8, X9;          \
	VSHUFPS      $0x88, X9, X8, X9;   \
	VPSHUFB      X11, X9, X9;         \
	VMOVD        X9, place

// SUM quantizes the four elements x in Y7 and stores the codes at the address place. It adds x² to register squares. It adds the
// squares of the quantization errors to register rests.
#define SUM(place, squares, rests) \
	VMOVAPD      Y7, Y8;          \
	VFMADD213PD  Y6, Y4, Y8;      \
	CODES(place);                 \
	VSUBPD       Y6, Y8, Y8;      \
	VFNMADD213PD Y7, Y5, Y8;      \
	VFMADD231PD  Y7, Y7, squares; \
	VFMADD231PD  Y8, Y8, rests

// func largestAVX2(x *float32, d int) float32
TEXT ·largestAVX2(SB), NOSPLIT, $0-20
	MOVQ     x+0(FP), SI
	MOVQ     d+8(FP), CX
	VPXOR    Y0, Y0, Y0
	VPCMPEQD Y2, Y2, Y2
	VPSRLD   $1, Y2, Y2
	SUBQ     $8, CX
	JL       last

loop:
	VPAND   (SI), Y2, Y1
	VPMAXUD Y1, Y0, Y0
	ADDQ    $32, SI
	SUBQ    $8, CX
	JGE     loop

last:
	VEXTRACTI128 $1, Y0, X1
	VPMAXUD      X1, X0, X0
	ADDQ         $8, CX
	JEQ          fold
	VPAND        (SI), X2, X1
	VPMAXUD      X1, X0, X0

fold:
	VPSHUFD $0xee, X0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0x55, X0, X1
	VPMAXUD X1, X0, X0
	VMOVSS  X0, ret+16(FP)
	VZEROUPPER
	RET

// func quantizeAVX2(codes *uint8, stride int, x *float32, d int, inverse, scale, shift float64) (square, rest float64)
TEXT ·quantizeAVX2(SB), NOSPLIT, $0-72
	MOVQ         codes+0(FP), DI
	MOVQ         stride+8(FP), R8
	MOVQ         x+16(FP), SI
	MOVQ         d+24(FP), CX
	VBROADCASTSD inverse+32(FP), Y4
	VBROADCASTSD scale+40(FP), Y5
	VBROADCASTSD shift+48(FP), Y6
	MOVL         $0x0c080400, AX
	VMOVD        AX, X11
	VPXOR        Y0, Y0, Y0
	VPXOR        Y1, Y1, Y1
	VPXOR        Y2, Y2, Y2
	VPXOR        Y3, Y3, Y3
	SUBQ         $8, CX
	JL           last

loop:
	VCVTPS2PD (SI), Y7
	SUM((DI), Y0, Y2)
	VCVTPS2PD 16(SI), Y7
	SUM((DI)(R8*1), Y1, Y3)
	ADDQ      $32, SI
	LEAQ      (DI)(R8*2), DI
	SUBQ      $8, CX
	JGE       loop

last:
	ADDQ      $8, CX
	JEQ       fold
	VCVTPS2PD (SI), Y7
	SUM((DI), Y0, Y2)

fold:
	FOLD(Y1, Y0, X0)
	FOLD(Y3, Y2, X2)
	VMOVSD X0, square+56(FP)
	VMOVSD X2, rest+64(FP)
	VZEROUPPER
	RET
