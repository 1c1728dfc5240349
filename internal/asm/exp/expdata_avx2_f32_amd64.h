// Constants of exp, float32: those of ref.go and coef.go, polynomial first degree last.
#define MAGIC 0
#define LOG2E 4
#define LN2HI 8
#define LN2LO 12
#define LIMIT 16
#define NEGLIMIT 20
#define BIAS 24
#define MINEXP 28
#define ONE 32
#define LEASTK 36
#define C4 40
#define C3 44
#define C2 48
#define C1 52
#define C0 56
#define FASTLIMIT 64
#define TABLE 96

DATA expf32<>+0(SB)/4, $0x4a400000 // 1.5·2^21
DATA expf32<>+4(SB)/4, $0x3fb8aa3b
DATA expf32<>+8(SB)/4, $0x3f317218
DATA expf32<>+12(SB)/4, $0xb102e308
DATA expf32<>+16(SB)/4, $0x43000000 // 128
DATA expf32<>+20(SB)/4, $0xc3000000 // −128
DATA expf32<>+24(SB)/4, $0x0000007f // exponent bias
DATA expf32<>+28(SB)/4, $0xffffff82 // −126
DATA expf32<>+32(SB)/4, $0x3f800000 // 1
DATA expf32<>+36(SB)/4, $0xc2fc0000 // −126
DATA expf32<>+40(SB)/4, $0x3d2acdae
DATA expf32<>+44(SB)/4, $0x3e2ab6cd
DATA expf32<>+48(SB)/4, $0x3efff142
DATA expf32<>+52(SB)/4, $0x3f7ff144
DATA expf32<>+56(SB)/4, $0xb96b92d3
DATA expf32<>+64(SB)/4, $0x42ae0000 // 87
DATA expf32<>+68(SB)/4, $0x42ae0000
DATA expf32<>+72(SB)/4, $0x42ae0000
DATA expf32<>+76(SB)/4, $0x42ae0000
DATA expf32<>+80(SB)/4, $0x42ae0000
DATA expf32<>+84(SB)/4, $0x42ae0000
DATA expf32<>+88(SB)/4, $0x42ae0000
DATA expf32<>+92(SB)/4, $0x42ae0000
DATA expf32<>+96(SB)/4, $0x3f80075d
DATA expf32<>+100(SB)/4, $0x3f7840b2
DATA expf32<>+104(SB)/4, $0x3f750f5d
DATA expf32<>+108(SB)/4, $0x3f77515f
GLOBL expf32<>(SB), RODATA|NOPTR, $112
