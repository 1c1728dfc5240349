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
#undef min
#undef compare
#undef fma
#undef fma213
#undef fnma
#undef CTOPREG
#undef and
#undef andn
#undef xor
#undef moveone
#undef addone
#undef divone
#undef maxone
#undef addbits
#undef subbits
#undef shiftleft
#undef bcastbits
#undef permute
#undef expc
#undef exp2c
#undef mantissa
#undef indexbits
#undef indexshift
#undef shiftright
#undef xorbits
#undef testbits
#undef ternlog
#undef scalef
#undef CTOP
#undef EXP2_TOP
#undef EXP2_LOOKUP
#undef onlyf64
#undef onlyf32
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
#define min VMINPD
#define compare VCMPPD
#define fma VFMADD231PD
#define fma213 VFMADD213PD
#define fnma VFNMADD231PD
#define CTOPREG Z23
#define and VANDPD
#define andn VANDNPD
#define xor VXORPD
#define moveone VMOVSD
#define addone VADDSD
#define divone VDIVSD
#define maxone VMAXSD
#define addbits VPADDQ
#define subbits VPSUBQ
#define shiftleft VPSLLQ
#define bcastbits VPBROADCASTQ
#define permute VPERMPD
#define expc expf64<>
#define exp2c EXP2_F64
#define mantissa 52
#define indexbits 3
#define indexshift 49
#define shiftright VPSRLQ
#define xorbits VPXORQ
#define testbits VPTESTMQ
#define ternlog VPTERNLOGQ
#define scalef VSCALEFPD
#define CTOP C7
#define EXP2_TOP EXP2_C7
#define EXP2_LOOKUP(t, u, i, j) EXP2_LOOKUP_F64(t, u, i, j)
#define onlyf64(text) text
#define onlyf32(text)
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
#define min VMINPS
#define compare VCMPPS
#define fma VFMADD231PS
#define fma213 VFMADD213PS
#define fnma VFNMADD231PS
#define CTOPREG Z20
#define and VANDPS
#define andn VANDNPS
#define xor VXORPS
#define moveone VMOVSS
#define addone VADDSS
#define divone VDIVSS
#define maxone VMAXSS
#define addbits VPADDD
#define subbits VPSUBD
#define shiftleft VPSLLD
#define bcastbits VPBROADCASTD
#define permute VPERMPS
#define expc expf32<>
#define exp2c EXP2_F32
#define mantissa 23
#define indexbits 2
#define indexshift 21
#define shiftright VPSRLD
#define xorbits VPXORD
#define testbits VPTESTMD
#define ternlog VPTERNLOGD
#define scalef VSCALEFPS
#define CTOP C4
#define EXP2_TOP EXP2_C4
#define EXP2_LOOKUP(t, u, i, j) EXP2_LOOKUP_F32(t, u, i, j)
#define onlyf64(text)
#define onlyf32(text) text
#endif
