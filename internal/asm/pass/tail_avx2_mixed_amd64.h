// Masks for the last, short step of a row whose matrix is float32 and whose vectors
// are float64: 64 bytes of ones, then 64 of zeros. whole and bytes count the bytes of
// the matrix, so a step has bytes − whole < 32 of them and twice as many of a vector.
DATA tailmask<>+0x00(SB)/8, $-1
DATA tailmask<>+0x08(SB)/8, $-1
DATA tailmask<>+0x10(SB)/8, $-1
DATA tailmask<>+0x18(SB)/8, $-1
DATA tailmask<>+0x20(SB)/8, $-1
DATA tailmask<>+0x28(SB)/8, $-1
DATA tailmask<>+0x30(SB)/8, $-1
DATA tailmask<>+0x38(SB)/8, $-1
GLOBL tailmask<>(SB), RODATA|NOPTR, $128

// lo and hi get the masks of the two halves of a step of a vector; t is scratch.
#define TAILMASKS(t, lo, hi) \
	LEAQ    tailmask<>+64(SB), t; \
	SUBQ    bytes, t;             \
	SUBQ    bytes, t;             \
	LEAQ    (t)(whole*2), t;      \
	VMOVUPD (t), lo;              \
	VMOVUPD 32(t), hi

// The same of the matrix, in the lower halves of registers.
#define TAILMASKSK(t, lo, hi) \
	LEAQ    tailmask<>+64(SB), t; \
	SUBQ    bytes, t;             \
	VMOVUPS (t)(whole*1), lo;     \
	VMOVUPS 16(t)(whole*1), hi

// LDTAIL loads and widens half of the short step of a row, at a, with its mask of
// TAILMASKSK.
#define LDTAIL(a, mask, x, y) \
	VMASKMOVPS a, mask, x; \
	VCVTPS2PD  x, y
