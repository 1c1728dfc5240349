// Macros that depend on the type, for the kernels of this folder. The including file defines F64 or F32
// and includes this file before the kernels.

#ifdef move
#undef move
#undef add
#undef sub
#undef mul
#undef div
#undef fma
#undef compare
#endif

#ifdef F64
#define move VMOVUPD
#define add VADDPD
#define sub VSUBPD
#define mul VMULPD
#define div VDIVPD
#define fma VFMADD231PD
#define compare VCMPPD
#else
#define move VMOVUPS
#define add VADDPS
#define sub VSUBPS
#define mul VMULPS
#define div VDIVPS
#define fma VFMADD231PS
#define compare VCMPPS
#endif
