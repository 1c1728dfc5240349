// For each type: 32 bytes of ones and 32 of zeros, as masks, then 32 bytes of zeros and 32 of −0.

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
