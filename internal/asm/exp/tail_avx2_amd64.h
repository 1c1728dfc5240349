// Masks for the last, short step of a row: 64 bytes of ones, then 64 of zeros.
DATA tailmask<>+0x00(SB)/8, $-1
DATA tailmask<>+0x08(SB)/8, $-1
DATA tailmask<>+0x10(SB)/8, $-1
DATA tailmask<>+0x18(SB)/8, $-1
DATA tailmask<>+0x20(SB)/8, $-1
DATA tailmask<>+0x28(SB)/8, $-1
DATA tailmask<>+0x30(SB)/8, $-1
DATA tailmask<>+0x38(SB)/8, $-1
GLOBL tailmask<>(SB), RODATA|NOPTR, $128

// lo and hi get the masks of the two halves of a step that has bytes − whole < 64
// bytes; t is scratch.
#define TAILMASKS(t, lo, hi) \
	LEAQ    tailmask<>+64(SB), t; \
	ADDQ    whole, t; \
	SUBQ    bytes, t; \
	VMOVUPD (t), lo; \
	VMOVUPD 32(t), hi
