// Macros of the distance tiles, for both types. Copies of this file in other folders
// are identical.

#define ZERO4(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// One row, x in register x, against V16–V19: s = x − z, a = fma(s, s, a), …
#define SQ1X4(x, s, t, u, v, a, b, c, d) \
	FSUB(s, x, 16); \
	FSUB(t, x, 17); \
	FSUB(u, x, 18); \
	FSUB(v, x, 19); \
	FMLA(a, s, s); \
	FMLA(b, t, t); \
	FMLA(c, u, u); \
	FMLA(d, v, v)

// Four rows, x in V20–V23, against V16; distances V0 V4 V8 V12.
#define SQ4X1 \
	FSUB(24, 20, 16); \
	FSUB(25, 21, 16); \
	FSUB(26, 22, 16); \
	FSUB(27, 23, 16); \
	FMLA(0, 24, 24); \
	FMLA(4, 25, 25); \
	FMLA(8, 26, 26); \
	FMLA(12, 27, 27)
