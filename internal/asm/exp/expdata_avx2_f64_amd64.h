// Constants of exp, float64: those of ref.go and coef.go, polynomial first degree last.
#define MAGIC 0
#define LOG2E 8
#define LN2HI 16
#define LN2LO 24
#define LIMIT 32
#define NEGLIMIT 40
#define BIAS 48
#define MINEXP 56
#define ONE 64
#define LEASTK 72
#define C7 80
#define C6 88
#define C5 96
#define C4 104
#define C3 112
#define C2 120
#define C1 128
#define C0 136
#define FASTLIMIT 160
#define TABLELO 192
#define TABLEHI 224

DATA expf64<>+0(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA expf64<>+8(SB)/8, $0x3ff71547652b82fe
DATA expf64<>+16(SB)/8, $0x3fe62e42fefa39ef
DATA expf64<>+24(SB)/8, $0x3c7abc9e3b39803f
DATA expf64<>+32(SB)/8, $0x408f400000000000 // 1000
DATA expf64<>+40(SB)/8, $0xc08f400000000000 // −1000
DATA expf64<>+48(SB)/8, $0x00000000000003ff // exponent bias
DATA expf64<>+56(SB)/8, $0x00000000fffffc02 // −1022, lower half
DATA expf64<>+64(SB)/8, $0x3ff0000000000000 // 1
DATA expf64<>+72(SB)/8, $0xc08ff00000000000 // −1022
DATA expf64<>+80(SB)/8, $0x3f2a0170b70d2998
DATA expf64<>+88(SB)/8, $0x3f56c1cbb8b26d2c
DATA expf64<>+96(SB)/8, $0x3f81111111e36bf3
DATA expf64<>+104(SB)/8, $0x3fa5555554334325
DATA expf64<>+112(SB)/8, $0x3fc555555506fb7e
DATA expf64<>+120(SB)/8, $0x3fdfffffff8a7f82
DATA expf64<>+128(SB)/8, $0x3fefffffff8a7d70
DATA expf64<>+136(SB)/8, $0xbe0d60a3fd941ecc
DATA expf64<>+160(SB)/8, $0x408620007fffffff // upper half: of 708
DATA expf64<>+168(SB)/8, $0x408620007fffffff
DATA expf64<>+176(SB)/8, $0x408620007fffffff
DATA expf64<>+184(SB)/8, $0x408620007fffffff
DATA expf64<>+192(SB)/4, $0x003ac148
DATA expf64<>+196(SB)/4, $0x3cbd641d
DATA expf64<>+200(SB)/4, $0x0a779648
DATA expf64<>+204(SB)/4, $0xd5825c48
DATA expf64<>+208(SB)/4, $0x66d25362
DATA expf64<>+212(SB)/4, $0x42853daf
DATA expf64<>+216(SB)/4, $0x99bda3ff
DATA expf64<>+220(SB)/4, $0xdd67665c
DATA expf64<>+224(SB)/4, $0x3ff00000
DATA expf64<>+228(SB)/4, $0x3fef72b8
DATA expf64<>+232(SB)/4, $0x3fef06fe
DATA expf64<>+236(SB)/4, $0x3feebfda
DATA expf64<>+240(SB)/4, $0x3feea09e
DATA expf64<>+244(SB)/4, $0x3feeace5
DATA expf64<>+248(SB)/4, $0x3feee89f
DATA expf64<>+252(SB)/4, $0x3fef5818
GLOBL expf64<>(SB), RODATA|NOPTR, $256
