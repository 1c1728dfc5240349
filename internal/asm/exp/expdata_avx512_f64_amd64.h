// Constants of exp, float64, for AVX-512: those of ref.go and coef.go, polynomial first
// degree last. TABLE + STEPS, entry by entry, is 2^(j/8)·E itself.
#define MAGIC 0
#define LOG2E 8
#define LN2HI 16
#define LN2LO 24
#define LIMIT 32
#define NEGLIMIT 40
#define C7 48
#define C6 56
#define C5 64
#define C4 72
#define C3 80
#define C2 88
#define C1 96
#define C0 104
#define HIGH 112
#define TABLE 128
#define STEPS 192

DATA expf64<>+0(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA expf64<>+8(SB)/8, $0x3ff71547652b82fe
DATA expf64<>+16(SB)/8, $0x3fe62e42fefa39ef
DATA expf64<>+24(SB)/8, $0x3c7abc9e3b39803f
DATA expf64<>+32(SB)/8, $0x408f400000000000 // 1000
DATA expf64<>+40(SB)/8, $0xc08f400000000000 // −1000
DATA expf64<>+48(SB)/8, $0x3f2a0170b70d2998
DATA expf64<>+56(SB)/8, $0x3f56c1cbb8b26d2c
DATA expf64<>+64(SB)/8, $0x3f81111111e36bf3
DATA expf64<>+72(SB)/8, $0x3fa5555554334325
DATA expf64<>+80(SB)/8, $0x3fc555555506fb7e
DATA expf64<>+88(SB)/8, $0x3fdfffffff8a7f82
DATA expf64<>+96(SB)/8, $0x3fefffffff8a7d70
DATA expf64<>+104(SB)/8, $0xbe0d60a3fd941ecc
DATA expf64<>+112(SB)/8, $0xfff0000000000000 // sign and exponent
DATA expf64<>+128(SB)/8, $0x3ff00000003ac148
DATA expf64<>+136(SB)/8, $0x3fef72b83cbd641d
DATA expf64<>+144(SB)/8, $0x3fef06fe0a779648
DATA expf64<>+152(SB)/8, $0x3feebfdad5825c48
DATA expf64<>+160(SB)/8, $0x3feea09e66d25362
DATA expf64<>+168(SB)/8, $0x3feeace542853daf
DATA expf64<>+176(SB)/8, $0x3feee89f99bda3ff
DATA expf64<>+184(SB)/8, $0x3fef5818dd67665c
DATA expf64<>+192(SB)/8, $0x0000000000000000
DATA expf64<>+200(SB)/8, $0x0002000000000000
DATA expf64<>+208(SB)/8, $0x0004000000000000
DATA expf64<>+216(SB)/8, $0x0006000000000000
DATA expf64<>+224(SB)/8, $0x0008000000000000
DATA expf64<>+232(SB)/8, $0x000a000000000000
DATA expf64<>+240(SB)/8, $0x000c000000000000
DATA expf64<>+248(SB)/8, $0x000e000000000000
GLOBL expf64<>(SB), RODATA|NOPTR, $256
