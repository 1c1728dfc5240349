// Macros that depend on the type, for the AVX2 and AVX-512 kernels of this folder. The including file
// defines F64 or F32 and includes this file before each kernel.

#ifdef size
#undef size
#undef logsize
#undef logc
#undef move
#undef copy
#undef bcast
#undef bcastbits
#undef compare
#undef signs
#undef allsigns
#undef add
#undef sub
#undef mul
#undef div
#undef larger
#undef fma
#undef fma213
#undef fms213
#undef fnma
#undef addbits
#undef subbits
#undef shiftright
#undef mantissa
#undef andbits
#undef orbits
#undef sarg
#undef barg
#undef allmask
#endif

#ifdef F64
#define size 8
#define logsize 3
#define logc logf64<>
#define move VMOVUPD
#define copy VMOVAPD
#define bcast VBROADCASTSD
#define bcastbits VPBROADCASTQ
#define compare VCMPPD
#define signs VMOVMSKPD
#define allsigns $0xf
#define add VADDPD
#define sub VSUBPD
#define mul VMULPD
#define div VDIVPD
#define larger VMAXPD
#define fma VFMADD231PD
#define fma213 VFMADD213PD
#define fms213 VFMSUB213PD
#define fnma VFNMADD231PD
#define addbits VPADDQ
#define subbits VPSUBQ
#define shiftright VPSRLQ
#define mantissa $52
#define andbits VPANDQ
#define orbits VPORQ
#define sarg s+32(FP)
#define barg b+40(FP)
#define allmask $0xff
#else
#define size 4
#define logsize 2
#define logc logf32<>
#define move VMOVUPS
#define copy VMOVAPS
#define bcast VBROADCASTSS
#define bcastbits VPBROADCASTD
#define compare VCMPPS
#define signs VMOVMSKPS
#define allsigns $0xff
#define add VADDPS
#define sub VSUBPS
#define mul VMULPS
#define div VDIVPS
#define larger VMAXPS
#define fma VFMADD231PS
#define fma213 VFMADD213PS
#define fms213 VFMSUB213PS
#define fnma VFNMADD231PS
#define addbits VPADDD
#define subbits VPSUBD
#define shiftright VPSRLD
#define mantissa $23
#define andbits VPANDD
#define orbits VPORD
#define sarg s+28(FP)
#define barg b+32(FP)
#define allmask $0xffff
#endif
