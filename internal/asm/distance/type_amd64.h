// Macros that depend on the type, for the AVX2 and AVX-512 kernels of this folder. The including file
// defines F64 or F32 and includes this file before each kernel. tailmask contains
// the masks of partial vectors for AVX2: 64 bytes of ones, then 64 bytes of zeros. A register loaded from byte 64 − r
// has ones in its first r bytes.

#ifdef size
#undef size
#undef logsize
#undef move
#undef copy
#undef maskmove
#undef bcast
#undef blend
#undef add
#undef sub
#undef mul
#undef max
#undef compare
#undef fma
#undef fma213
#undef fnma
#undef fnma213
#undef xor
#undef compareone
#undef addbits
#undef compareint
#undef shiftleft
#undef permute
#undef exp2c
#undef indexshift
#undef EXP2_TOP
#undef EXP2_LOOKUP
#undef onlyf64
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
#define copy VMOVAPD
#define maskmove VMASKMOVPD
#define bcast VBROADCASTSD
#define blend VBLENDVPD
#define add VADDPD
#define sub VSUBPD
#define mul VMULPD
#define max VMAXPD
#define compare VCMPPD
#define fma VFMADD231PD
#define fma213 VFMADD213PD
#define fnma VFNMADD231PD
#define fnma213 VFNMADD213PD
#define xor VXORPD
#define compareone VUCOMISD
#define addbits VPADDQ
#define compareint CMPQ
#define shiftleft VPSLLQ
#define permute VPERMPD
#define exp2c EXP2_F64
#define indexshift 49
#define EXP2_TOP EXP2_C7
#define EXP2_LOOKUP(t, u, i, j) EXP2_LOOKUP_F64(t, u, i, j)
#define onlyf64(text) text
#else
#define size 4
#define logsize 2
#define move VMOVUPS
#define copy VMOVAPS
#define maskmove VMASKMOVPS
#define bcast VBROADCASTSS
#define blend VBLENDVPS
#define add VADDPS
#define sub VSUBPS
#define mul VMULPS
#define max VMAXPS
#define compare VCMPPS
#define fma VFMADD231PS
#define fma213 VFMADD213PS
#define fnma VFNMADD231PS
#define fnma213 VFNMADD213PS
#define xor VXORPS
#define compareone VUCOMISS
#define addbits VPADDD
#define compareint CMPL
#define shiftleft VPSLLD
#define permute VPERMPS
#define exp2c EXP2_F32
#define indexshift 21
#define EXP2_TOP EXP2_C4
#define EXP2_LOOKUP(t, u, i, j) EXP2_LOOKUP_F32(t, u, i, j)
#define onlyf64(text)
#endif
