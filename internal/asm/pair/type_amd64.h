// Macros that depend on the type, for the AVX2 and AVX-512 kernels of this folder. The including file
// defines F64 or F32 and includes this file before each kernel. unit and unitz are the numbers of
// elements in a register of AVX2 and AVX-512; group is the number of lanes of a sum. tail contains
// the masks of a partial register of AVX2 and, 64 bytes later, −0 where the mask is zero.

#ifdef size
#undef size
#undef logsize
#undef unit
#undef unitz
#undef group
#undef tail
#undef move
#undef moveone
#undef maskmove
#undef bcast
#undef add
#undef addone
#undef sub
#undef mul
#undef fma
#undef and
#undef or
#undef LASTFOLD
#undef SWAP
#undef quotient
#undef compare
#undef mulone
#undef divone
#undef sqrtone
#undef minone
#undef maxone
#undef order
#undef PAIRFOLD
#undef both
#undef signs
#endif

#ifdef F64
#define size 8
#define logsize 3
#define unit 4
#define unitz 8
#define group 32
#define tail tailf64<>
#define move VMOVUPD
#define moveone VMOVSD
#define maskmove VMASKMOVPD
#define bcast VBROADCASTSD
#define add VADDPD
#define addone VADDSD
#define sub VSUBPD
#define mul VMULPD
#define fma VFMADD231PD
#define and VANDPD
#define or VORPD
#define quotient quotientf64<>
#define compare VCMPPD
#define mulone VMULSD
#define divone VDIVSD
#define sqrtone VSQRTSD
#define minone VMINSD
#define maxone VMAXSD
#define order VUCOMISD
#define signs VMOVMSKPD
#define SWAP(x, t) VPERMILPD $1, x, t
#define both 3
#define PAIRFOLD(x, t)
#define LASTFOLD(x, t)
#else
#define size 4
#define logsize 2
#define unit 8
#define unitz 16
#define group 64
#define tail tailf32<>
#define move VMOVUPS
#define moveone VMOVSS
#define maskmove VMASKMOVPS
#define bcast VBROADCASTSS
#define add VADDPS
#define addone VADDSS
#define sub VSUBPS
#define mul VMULPS
#define fma VFMADD231PS
#define and VANDPS
#define or VORPS
#define quotient quotientf32<>
#define compare VCMPPS
#define mulone VMULSS
#define divone VDIVSS
#define sqrtone VSQRTSS
#define minone VMINSS
#define maxone VMAXSS
#define order VUCOMISS
#define signs VMOVMSKPS
#define SWAP(x, t) VMOVSHDUP x, t
#define both 15
// PAIRFOLD sets lane 0 to the sum of lanes 0 and 1, and lane 1 to the sum of lanes 2 and 3. It copies both sums to lanes 2
// and 3.
#define PAIRFOLD(x, t) \
	VSHUFPS $0x88, x, x, t; \
	VSHUFPS $0xdd, x, x, x; \
	VADDPS  t, x, x
// LASTFOLD adds lanes 2 and 3 to lanes 0 and 1.
#define LASTFOLD(x, t) \
	VPERMILPD $1, x, t; \
	VADDPS    t, x, x;
#endif
