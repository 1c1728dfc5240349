// Constants of exp, float32, for AVX-512: those of ref.go and coef.go, polynomial first
// degree last. TABLE + STEPS, entry by entry, is 2^(j/8)·E itself; both are repeated, for
// an index of four bits of which the last two count.
#define MAGIC 0
#define LOG2E 4
#define LN2HI 8
#define LN2LO 12
#define LIMIT 16
#define NEGLIMIT 20
#define C4 24
#define C3 28
#define C2 32
#define C1 36
#define C0 40
#define HIGH 44
#define TABLE 64
#define STEPS 128

DATA expf32<>+0(SB)/4, $0x4a400000 // 1.5·2^21
DATA expf32<>+4(SB)/4, $0x3fb8aa3b
DATA expf32<>+8(SB)/4, $0x3f317218
DATA expf32<>+12(SB)/4, $0xb102e308
DATA expf32<>+16(SB)/4, $0x43000000 // 128
DATA expf32<>+20(SB)/4, $0xc3000000 // −128
DATA expf32<>+24(SB)/4, $0x3d2acdae
DATA expf32<>+28(SB)/4, $0x3e2ab6cd
DATA expf32<>+32(SB)/4, $0x3efff142
DATA expf32<>+36(SB)/4, $0x3f7ff144
DATA expf32<>+40(SB)/4, $0xb96b92d3
DATA expf32<>+44(SB)/4, $0xff800000 // sign and exponent
DATA expf32<>+64(SB)/4, $0x3f80075d
DATA expf32<>+68(SB)/4, $0x3f7840b2
DATA expf32<>+72(SB)/4, $0x3f750f5d
DATA expf32<>+76(SB)/4, $0x3f77515f
DATA expf32<>+80(SB)/4, $0x3f80075d
DATA expf32<>+84(SB)/4, $0x3f7840b2
DATA expf32<>+88(SB)/4, $0x3f750f5d
DATA expf32<>+92(SB)/4, $0x3f77515f
DATA expf32<>+96(SB)/4, $0x3f80075d
DATA expf32<>+100(SB)/4, $0x3f7840b2
DATA expf32<>+104(SB)/4, $0x3f750f5d
DATA expf32<>+108(SB)/4, $0x3f77515f
DATA expf32<>+112(SB)/4, $0x3f80075d
DATA expf32<>+116(SB)/4, $0x3f7840b2
DATA expf32<>+120(SB)/4, $0x3f750f5d
DATA expf32<>+124(SB)/4, $0x3f77515f
DATA expf32<>+128(SB)/4, $0x00000000
DATA expf32<>+132(SB)/4, $0x00200000
DATA expf32<>+136(SB)/4, $0x00400000
DATA expf32<>+140(SB)/4, $0x00600000
DATA expf32<>+144(SB)/4, $0x00000000
DATA expf32<>+148(SB)/4, $0x00200000
DATA expf32<>+152(SB)/4, $0x00400000
DATA expf32<>+156(SB)/4, $0x00600000
DATA expf32<>+160(SB)/4, $0x00000000
DATA expf32<>+164(SB)/4, $0x00200000
DATA expf32<>+168(SB)/4, $0x00400000
DATA expf32<>+172(SB)/4, $0x00600000
DATA expf32<>+176(SB)/4, $0x00000000
DATA expf32<>+180(SB)/4, $0x00200000
DATA expf32<>+184(SB)/4, $0x00400000
DATA expf32<>+188(SB)/4, $0x00600000
GLOBL expf32<>(SB), RODATA|NOPTR, $192
