// Names and macros of Begin, which reads a second matrix beside K, for both types;
// they go on from pass_neon_arm64.h.

#define mp R16   // first row of the block in the second matrix
#define ldmb R17 // its row stride in bytes
#define mat0 R19 // its rows, moving
#define mat1 R20
#define mat2 R21
#define mat3 R22
#define wp R23   // w, read
#define rp R24   // r, written
#define move R25

#define MATS4 \
	MOVD mp, mat0; \
	ADD  ldmb, mat0, mat1; \
	ADD  ldmb, mat1, mat2; \
	ADD  ldmb, mat2, mat3
#define MOVEMATS4(op, bytes) \
	op bytes, mat0; \
	op bytes, mat1; \
	op bytes, mat2; \
	op bytes, mat3

// Four registers of a row of K and of M, then their products into four lanes.
#define DOTKM_STEP(row, mat) \
	FLDPQ   32(row), (F22, F23); \
	FLDPQ.P 64(row), (F20, F21); \
	FLDPQ   32(mat), (F26, F27); \
	FLDPQ.P 64(mat), (F24, F25)
#define DOTKM_FMLA(a, b, c, d) \
	FMUL(20, 20, 24); \
	FMUL(21, 21, 25); \
	FMUL(22, 22, 26); \
	FMUL(23, 23, 27); \
	FMLA(a, 20, 16); \
	FMLA(b, 21, 17); \
	FMLA(c, 22, 18); \
	FMLA(d, 23, 19)

// One register of v (V16) and of the products of each of four rows (V20–V23).
#define DOTKM1_LOAD(row, mat, f, n) \
	FMOVQ.P 16(row), f; \
	FMOVQ.P 16(mat), F18; \
	FMUL(n, n, 18)
#define DOTKM4_LOAD \
	FMOVQ.P 16(cur), F16; \
	DOTKM1_LOAD(row0, mat0, F20, 20); \
	DOTKM1_LOAD(row1, mat1, F21, 21); \
	DOTKM1_LOAD(row2, mat2, F22, 22); \
	DOTKM1_LOAD(row3, mat3, F23, 23)

// The last, partial register of v (V17) and of the products (V24–V27).
#define DOTKM1_LDPART(row, mat, f, v, n) \
	LDPART(row, part, f, v, spare); \
	LDPART(mat, part, F18, V18, spare); \
	FMUL(n, n, 18)
#define DOTKM4_LDPART \
	LDPART(cur, part, F17, V17, spare); \
	DOTKM1_LDPART(row0, mat0, F24, V24, 24); \
	DOTKM1_LDPART(row1, mat1, F25, V25, 25); \
	DOTKM1_LDPART(row2, mat2, F26, V26, 26); \
	DOTKM1_LDPART(row3, mat3, F27, V27, 27)

// Four registers of a row of K and of M, and s_i four times; u_i M_ij is to be added
// to that before it is multiplied by K_ij.
#define AXPYKM_STEP(row, mat, si) \
	FLDPQ   32(row), (F18, F19); \
	FLDPQ.P 64(row), (F16, F17); \
	FLDPQ   32(mat), (F22, F23); \
	FLDPQ.P 64(mat), (F20, F21); \
	VMOV    si.B16, V4.B16; \
	VMOV    si.B16, V5.B16; \
	VMOV    si.B16, V6.B16; \
	VMOV    si.B16, V7.B16
#define AXPYKM_FMLA \
	FMLA(0, 16, 4); \
	FMLA(1, 17, 5); \
	FMLA(2, 18, 6); \
	FMLA(3, 19, 7)
