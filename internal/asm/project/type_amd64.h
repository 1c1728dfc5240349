// Macros that depend on the type, for the AVX2 and AVX-512 kernels of this folder. The including file
// defines F64 or F32 and includes this file before each kernel. tailmask has
// the masks for the last, partial vector of AVX2: 64 bytes of ones, then 64 bytes of zeros. A load at byte 64 − r sets
// the first r bytes of a register to ones.

#ifdef size
#undef size
#undef logsize
#undef move
#undef maskmove
#undef bcast
#undef fma
#undef add
#undef sub
#undef max
#undef mul
#undef move1
#undef mul1
#else
DATA tailmask<>+0x00(SB)/8, $-1
DATA tailmask<>+0x08(SB)/8, $-1
DATA tailmask<>+0x10(SB)/8, $-1
DATA tailmask<>+0x18(SB)/8, $-1
DATA tailmask<>+0x20(SB)/8, $-1
DATA tailmask<>+0x28(SB)/8, $-1
DATA tailmask<>+0x30(SB)/8, $-1
DATA tailmask<>+0x38(SB)/8, $-1
GLOBL tailmask<>(SB), RODATA|NOPTR, $128
#endif

#ifdef F64
#define size 8
#define logsize 3
#define move VMOVUPD
#define maskmove VMASKMOVPD
#define bcast VBROADCASTSD
#define fma VFMADD231PD
#define add VADDPD
#define sub VSUBPD
#define max VMAXPD
#define mul VMULPD
#define move1 VMOVSD
#define mul1 VMULSD
#else
#define size 4
#define logsize 2
#define move VMOVUPS
#define maskmove VMASKMOVPS
#define bcast VBROADCASTSS
#define fma VFMADD231PS
#define add VADDPS
#define sub VSUBPS
#define max VMAXPS
#define mul VMULPS
#define move1 VMOVSS
#define mul1 VMULSS
#endif
