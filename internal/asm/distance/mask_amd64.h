// Masks for the last, short vector: 32 bytes of ones, then 32 of zeros. Loaded at
// byte 32 − r, a register has ones in its first r bytes.
DATA tailmask<>+0x00(SB)/8, $-1
DATA tailmask<>+0x08(SB)/8, $-1
DATA tailmask<>+0x10(SB)/8, $-1
DATA tailmask<>+0x18(SB)/8, $-1
GLOBL tailmask<>(SB), RODATA|NOPTR, $64
