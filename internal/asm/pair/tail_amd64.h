// Constants for each type.
// tail: 32 bytes of ones and 32 bytes of zeros, for masks; then 32 bytes of zeros and 32 bytes of −0, for the elements
// outside a mask.

DATA tailf32<>+0(SB)/8, $-1
DATA tailf32<>+8(SB)/8, $-1
DATA tailf32<>+16(SB)/8, $-1
DATA tailf32<>+24(SB)/8, $-1
DATA tailf32<>+96(SB)/8, $0x8000000080000000
DATA tailf32<>+104(SB)/8, $0x8000000080000000
DATA tailf32<>+112(SB)/8, $0x8000000080000000
DATA tailf32<>+120(SB)/8, $0x8000000080000000
GLOBL tailf32<>(SB), RODATA|NOPTR, $128

DATA tailf64<>+0(SB)/8, $-1
DATA tailf64<>+8(SB)/8, $-1
DATA tailf64<>+16(SB)/8, $-1
DATA tailf64<>+24(SB)/8, $-1
DATA tailf64<>+96(SB)/8, $0x8000000000000000
DATA tailf64<>+104(SB)/8, $0x8000000000000000
DATA tailf64<>+112(SB)/8, $0x8000000000000000
DATA tailf64<>+120(SB)/8, $0x8000000000000000
GLOBL tailf64<>(SB), RODATA|NOPTR, $128

// quotient: the lower and the upper bound of the range in which a sum of squares is accurate, then 1 and −1. Each
// constant has 16 bytes.

DATA quotientf32<>+0(SB)/8, $0x2180000021800000
DATA quotientf32<>+8(SB)/8, $0x2180000021800000
DATA quotientf32<>+16(SB)/8, $0x5d8000005d800000
DATA quotientf32<>+24(SB)/8, $0x5d8000005d800000
DATA quotientf32<>+32(SB)/8, $0x3f8000003f800000
DATA quotientf32<>+40(SB)/8, $0x3f8000003f800000
DATA quotientf32<>+48(SB)/8, $0xbf800000bf800000
DATA quotientf32<>+56(SB)/8, $0xbf800000bf800000
GLOBL quotientf32<>(SB), RODATA|NOPTR, $64

DATA quotientf64<>+0(SB)/8, $0x20b0000000000000
DATA quotientf64<>+8(SB)/8, $0x20b0000000000000
DATA quotientf64<>+16(SB)/8, $0x5f30000000000000
DATA quotientf64<>+24(SB)/8, $0x5f30000000000000
DATA quotientf64<>+32(SB)/8, $0x3ff0000000000000
DATA quotientf64<>+40(SB)/8, $0x3ff0000000000000
DATA quotientf64<>+48(SB)/8, $0xbff0000000000000
DATA quotientf64<>+56(SB)/8, $0xbff0000000000000
GLOBL quotientf64<>(SB), RODATA|NOPTR, $64
