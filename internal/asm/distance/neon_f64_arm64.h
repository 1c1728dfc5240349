// Elements of a kernel text that is written once for both types: here float64, two
// to a register. Arithmetic takes register numbers, destination first. Copies of
// this file in other folders are identical.

#define ESIZE 8
#define ESHIFT 3
#define LANES 2
#define ONEBIT 1  // bit of a number of elements that stands for one register …
#define PAIRBIT 2 // … and for two

#define FADD(d, n, m) FADD_2D(d, n, m)
#define FSUB(d, n, m) FSUB_2D(d, n, m)
#define FMUL(d, n, m) FMUL_2D(d, n, m)
#define FDIV(d, n, m) FDIV_2D(d, n, m)
#define FMLA(d, n, m) FMLA_2D(d, n, m)
#define FMLA_E(d, n, m, i) FMLA_2D_E(d, n, m, i)
#define FMLS_E(d, n, m, i) FMLS_2D_E(d, n, m, i)
#define FMUL_E(d, n, m, i) FMUL_2D_E(d, n, m, i)
#define FCMGT(d, n, m) FCMGT_2D(d, n, m)
#define FCMGE(d, n, m) FCMGE_2D(d, n, m)
#define FMAXNM(d, n, m) FMAXNM_2D(d, n, m)
#define ADDI(d, n, m) ADD_2D(d, n, m)

// One element: loaded into lane 0 (the others become zero), into all lanes, and the
// same with p moved on.
#define LDE(p, f) FMOVD (p), f
#define LDE_P(p, f) FMOVD.P 8(p), f
#define LDDUP_P(p, v) VLD1R.P 8(p), [v.D2]
#define STE_P(f, p) FMOVD.P f, 8(p)

// The first e elements of a vector, 0 < e < LANES; the other lanes become zero. t is
// spoiled. f and v name the same register.
#define LDPART(p, e, f, v, t) FMOVD (p), f
#define STPART(f, v, p, e, t) FMOVD f, (p)

// The first min(r, LANES) elements of a vector, none if r ≤ 0; lanes that are
// not loaded keep the zero they must have.
#define LDANY(p, r, f, v, t) \
	CMP   $LANES, r; \
	BLT   3(PC); \
	FMOVQ (p), f; \
	B     4(PC); \
	CMP   $0, r; \
	BLE   2(PC); \
	LDPART(p, r, f, v, t)
#define STANY(f, v, p, r, t) \
	CMP   $LANES, r; \
	BLT   3(PC); \
	FMOVQ f, (p); \
	B     4(PC); \
	CMP   $0, r; \
	BLE   2(PC); \
	STPART(f, v, p, r, t)

// One element into lane 1.
#define LDLANE1(p, v) VLD1 (p), v.D[1]
#define DUP1(d, n) DUP_2D_E(d, n, 1)

// Four numbers, one to a row: two registers.
#define LDROWS(p, f, g) FLDPQ (p), (f, g)
#define STROWS_P(f, g, p) FSTPQ.P (f, g), 32(p)
#define FDIV_ROWS(d, e, n, o, m, p) \
	FDIV_2D(d, n, m); \
	FDIV_2D(e, o, p)
#define FMUL_ROWS(d, e, n, o, m, p) \
	FMUL_2D(d, n, m); \
	FMUL_2D(e, o, p)
#define DUP_ROW0(d, r, s) DUP_2D_E(d, r, 0)
#define DUP_ROW1(d, r, s) DUP_2D_E(d, r, 1)
#define DUP_ROW2(d, r, s) DUP_2D_E(d, s, 0)
#define DUP_ROW3(d, r, s) DUP_2D_E(d, s, 1)
#define FMLA_ROW0(d, n, r, s) FMLA_2D_E(d, n, r, 0)
#define FMLA_ROW1(d, n, r, s) FMLA_2D_E(d, n, r, 1)
#define FMLA_ROW2(d, n, r, s) FMLA_2D_E(d, n, s, 0)
#define FMLA_ROW3(d, n, r, s) FMLA_2D_E(d, n, s, 1)

// The last folds, lane 0 + lane 1: of the registers a b c d into the numbers of four
// rows (registers r, s), and of register a into lane 0 of d.
#define FOLD_ROWS(r, s, a, b, c, d) \
	FADDP_2D(r, a, b); \
	FADDP_2D(s, c, d)
#define FOLD_ROW(d, a) FADDP_2D(d, a, a)

// The maximum of the lanes of register a in its lane 0; t is spoiled.
#define FOLD_MAX(a, t) \
	TRN2_2D(t, a, a); \
	FMAXNM_2D(a, a, t)
