// Elements of a kernel text that is written once for both types: here float32, four
// to a register. Arithmetic takes register numbers, destination first. Copies of
// this file in other folders are identical.

#define ESIZE 4
#define ESHIFT 2
#define LANES 4
#define ONEBIT 2  // bit of a number of elements that stands for one register …
#define PAIRBIT 3 // … and for two

#define FADD(d, n, m) FADD_4S(d, n, m)
#define FSUB(d, n, m) FSUB_4S(d, n, m)
#define FMUL(d, n, m) FMUL_4S(d, n, m)
#define FDIV(d, n, m) FDIV_4S(d, n, m)
#define FMLA(d, n, m) FMLA_4S(d, n, m)
#define FMLA_E(d, n, m, i) FMLA_4S_E(d, n, m, i)
#define FMLS_E(d, n, m, i) FMLS_4S_E(d, n, m, i)
#define FMUL_E(d, n, m, i) FMUL_4S_E(d, n, m, i)
#define FCMGT(d, n, m) FCMGT_4S(d, n, m)
#define FCMGE(d, n, m) FCMGE_4S(d, n, m)
#define FMAXNM(d, n, m) FMAXNM_4S(d, n, m)
#define ADDI(d, n, m) ADD_4S(d, n, m)

// One element: loaded into lane 0 (the others become zero), into all lanes, and the
// same with p moved on.
#define LDE(p, f) FMOVS (p), f
#define LDE_P(p, f) FMOVS.P 4(p), f
#define LDDUP_P(p, v) VLD1R.P 4(p), [v.S4]
#define STE_P(f, p) FMOVS.P f, 4(p)

// The first e elements of a vector, 0 < e < LANES; the other lanes become zero. t is
// spoiled. f and v name the same register.
#define LDPART(p, e, f, v, t) \
	TBZ  $1, e, 6(PC); \
	FMOVD (p), f; \
	TBZ  $0, e, 5(PC); \
	ADD  $8, p, t; \
	VLD1 (t), v.S[2]; \
	B    2(PC); \
	FMOVS (p), f
#define STPART(f, v, p, e, t) \
	TBZ  $1, e, 6(PC); \
	FMOVD f, (p); \
	TBZ  $0, e, 5(PC); \
	ADD  $8, p, t; \
	VST1 v.S[2], (t); \
	B    2(PC); \
	FMOVS f, (p)

// The first min(r, LANES) elements of a vector, none if r ≤ 0; lanes that are
// not loaded keep the zero they must have.
#define LDANY(p, r, f, v, t) \
	CMP   $LANES, r; \
	BLT   3(PC); \
	FMOVQ (p), f; \
	B     10(PC); \
	CMP   $0, r; \
	BLE   8(PC); \
	LDPART(p, r, f, v, t)
#define STANY(f, v, p, r, t) \
	CMP   $LANES, r; \
	BLT   3(PC); \
	FMOVQ f, (p); \
	B     10(PC); \
	CMP   $0, r; \
	BLE   8(PC); \
	STPART(f, v, p, r, t)

// One element into lane 1.
#define LDLANE1(p, v) VLD1 (p), v.S[1]
#define DUP1(d, n) DUP_4S_E(d, n, 1)

// Four numbers, one to a row: one register, the other is not used.
#define LDROWS(p, f, g) FMOVQ (p), f
#define STROWS_P(f, g, p) FMOVQ.P f, 16(p)
#define FDIV_ROWS(d, e, n, o, m, p) FDIV_4S(d, n, m)
#define FMUL_ROWS(d, e, n, o, m, p) FMUL_4S(d, n, m)
#define DUP_ROW0(d, r, s) DUP_4S_E(d, r, 0)
#define DUP_ROW1(d, r, s) DUP_4S_E(d, r, 1)
#define DUP_ROW2(d, r, s) DUP_4S_E(d, r, 2)
#define DUP_ROW3(d, r, s) DUP_4S_E(d, r, 3)
#define FMLA_ROW0(d, n, r, s) FMLA_4S_E(d, n, r, 0)
#define FMLA_ROW1(d, n, r, s) FMLA_4S_E(d, n, r, 1)
#define FMLA_ROW2(d, n, r, s) FMLA_4S_E(d, n, r, 2)
#define FMLA_ROW3(d, n, r, s) FMLA_4S_E(d, n, r, 3)

// The last folds, lanes 0 1 + lanes 2 3, then lane 0 + lane 1: of the registers
// a b c d into the numbers of four rows (register r; s is spoiled), and of register
// a into lane 0 of d.
#define FOLD_ROWS(r, s, a, b, c, d) \
	TRN1_2D(r, a, b); \
	TRN2_2D(s, a, b); \
	FADD_4S(r, r, s); \
	TRN1_2D(s, c, d); \
	TRN2_2D(c, c, d); \
	FADD_4S(s, s, c); \
	FADDP_4S(r, r, s)
#define FOLD_ROW(d, a) \
	TRN2_2D(d, a, a); \
	FADD_4S(d, d, a); \
	FADDP_4S(d, d, d)

// The maximum of the lanes of register a in its lane 0; t is spoiled.
#define FOLD_MAX(a, t) \
	TRN2_2D(t, a, a); \
	FMAXNM_4S(a, a, t); \
	DUP_4S_E(t, a, 1); \
	FMAXNM_4S(a, a, t)
