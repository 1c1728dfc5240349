// Macros of the passes over a float32 matrix with float64 vectors; the register names
// are those of pass_neon_arm64.h. Copies of this file in other folders are identical.

// WIDEN8 makes V20–V23 of the eight numbers in registers a and b.
#define WIDEN8(a, b) \
	FCVTL_2D(20, a);  \
	FCVTL2_2D(21, a); \
	FCVTL_2D(22, b);  \
	FCVTL2_2D(23, b)

// Two columns of v and of each of four rows, or one, with zeros beside it.
#define DOT4_LOADK \
	FMOVQ.P 16(cur), F16; \
	FMOVD.P 8(row0), F20; \
	FMOVD.P 8(row1), F21; \
	FMOVD.P 8(row2), F22; \
	FMOVD.P 8(row3), F23
#define DOT4_LOADK1 \
	FMOVD (cur), F16;  \
	FMOVS (row0), F20; \
	FMOVS (row1), F21; \
	FMOVS (row2), F22; \
	FMOVS (row3), F23
#define DOT4_FMLAK(a, b, c, d) \
	FCVTL_2D(20, 20);   \
	FCVTL_2D(21, 21);   \
	FCVTL_2D(22, 22);   \
	FCVTL_2D(23, 23);   \
	FMLA_2D(a, 20, 16); \
	FMLA_2D(b, 21, 16); \
	FMLA_2D(c, 22, 16); \
	FMLA_2D(d, 23, 16)

// The same in the row sum of one row.
#define DOT1_LOADK \
	FMOVQ.P 16(cur), F16; \
	FMOVD.P 8(row0), F20
#define DOT1_LOADK1 \
	FMOVD (cur), F16; \
	FMOVS (row0), F20
#define DOT1_FMLAK(a) \
	FCVTL_2D(20, 20); \
	FMLA_2D(a, 20, 16)

// Two columns of q, or one, and what four rows add to them.
#define AXPY4_LOADK \
	FMOVD.P 8(row0), F20; \
	FMOVD.P 8(row1), F21; \
	FMOVD.P 8(row2), F22; \
	FMOVD.P 8(row3), F23
#define AXPY4_LOADK1 \
	FMOVS (row0), F20; \
	FMOVS (row1), F21; \
	FMOVS (row2), F22; \
	FMOVS (row3), F23
#define AXPY4_FMLAK \
	FCVTL_2D(20, 20);         \
	FCVTL_2D(21, 21);         \
	FCVTL_2D(22, 22);         \
	FCVTL_2D(23, 23);         \
	FMLA_ROW0(0, 20, 28, 29); \
	FMLA_ROW1(0, 21, 28, 29); \
	FMLA_ROW2(0, 22, 28, 29); \
	FMLA_ROW3(0, 23, 28, 29)
