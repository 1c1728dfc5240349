// block for float64, float32 and mixed with NEON.
//
//	sums    lanes[i, s][j mod w] += k[i*ldk+j] v[s][j]
//	update  u[s][i] = a[s][i] / fold(lanes[i, s]), or u[s][i] = fold(lanes[i, s]) if a is nil; then lanes[i, s] = 0
//	add     q[s][j] += Σ_i u[s][i] k[i*ldk+j]                       0≤i<m  0≤j<n  0≤s<4
//
// Same bits as    the passes of package pass, called for each s. A float32 k is widened exactly. A row sum
//                 has w lanes (partial sums): w is 8 for float64 and 16 for float32. fold adds the upper half
//                 of the lanes to the lower half until one sum remains. Each row adds to q[j] with one FMA,
//                 in ascending order of i.
// Layout          k is an m×n row-major matrix with a stride of ldk elements. v, q, a and u are four slices
//                 each. The kernels begin at element j of v and q, and at element i of a and u. The lanes of
//                 row i and vector s are 64 bytes at byte offset 256 i + 64 s. m is a positive multiple of 4,
//                 and n is a positive multiple of w.
// Tile            2 rows × 4 vectors × 32 bytes of a vector. V16–V19 hold k. In sums, V0–V15 hold one half of
//                 the lanes at a time, and V20–V27 hold v. In add, V0–V7 hold u, and V8–V15 hold q.
//                 update processes 4 rows and one vector at a time.
// Tail            none: the caller computes the last rows. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       named below.
// Source          written for this project; the code is in block_neon_arm64.h and update_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define rows R0  // rows left
#define cols R1
#define row R2   // pointer to the next two rows of k
#define ld R3
#define x0 R4    // v or q
#define x1 R5
#define x2 R6
#define x3 R7
#define lane R8  // pointer to the lanes (partial sums) of a row
#define half R9
#define left R10 // columns left
#define k0 R11   // moving pointers into two rows of k
#define k1 R12
#define y0 R13   // moving pointers into v or q
#define y1 R14
#define y2 R15
#define y3 R16
#define at R17   // byte offset in the slices a and u
#define ai R19   // pointer into a, v or q, which are arrays of slice headers
#define ui R20   // pointer into u, an array of slice headers
#define p R21

// SLICES loads the data pointers of four adjacent slice headers at address s into registers a, b, c
// and d. SLICES also converts the index i to a byte offset. FROM advances the four pointers by i
// bytes.
#define SLICES(s, i, a, b, c, d) \
	LSL  $ESHIFT, i; \
	MOVD (s), a; \
	MOVD 24(s), b; \
	MOVD 48(s), c; \
	MOVD 72(s), d
#define FROM(i, a, b, c, d) \
	ADD i, a; \
	ADD i, b; \
	ADD i, c; \
	ADD i, d

// LANES2 loads 32 bytes of lanes at p into a and b, and 32 bytes of lanes at p+64 into c and d.
// STORE2 stores the four registers at the same addresses. Both macros add 128 to p.
#define LANES2(a, b, c, d) \
	FLDPQ   64(p), (c, d); \
	FLDPQ.P 128(p), (a, b)
#define STORE2(a, b, c, d) \
	FSTPQ   (c, d), 64(p); \
	FSTPQ   (a, b), (p); \
	ADD     $128, p

// SUM2 loads part of a vector from y into registers f and g, whose numbers are n and m. It multiplies two
// rows of k by f and g, and adds the products to the sums of these rows: a and b, and c and d.
#define SUM2(y, f, g, n, m, a, b, c, d) \
	FLDPQ.P 64(y), (f, g); \
	FMLA(a, 16, n); \
	FMLA(b, 17, m); \
	FMLA(c, 18, n); \
	FMLA(d, 19, m)

// ADD2 multiplies two rows of k by their elements of u, in registers a and b, and adds the products to q. It
// loads q into registers f and g, whose numbers are n and m.
#define ADD2(y, f, g, n, m, a, b) \
	FLDPQ   (y), (f, g); \
	FMLA(n, 16, a); \
	FMLA(m, 17, a); \
	FMLA(n, 18, b); \
	FMLA(m, 19, b); \
	FSTPQ   (f, g), (y); \
	ADD     $32, y

#include "type_arm64.h"
#define SUMS ·sumsNEONF64(SB)
#define ADDS4 ·addNEONF64(SB)
#define UPDATE ·updateNEONF64(SB)
#include "block_neon_arm64.h"
#include "update_neon_arm64.h"
#undef SUMS
#undef ADDS4
#undef UPDATE

#define F32
#include "type_arm64.h"
#define SUMS ·sumsNEONF32(SB)
#define ADDS4 ·addNEONF32(SB)
#define UPDATE ·updateNEONF32(SB)
#include "block_neon_arm64.h"
#include "update_neon_arm64.h"
#undef F32
#undef SUMS
#undef ADDS4
#undef UPDATE

#define MIXED
#include "type_arm64.h"
#define SUMS ·sumsNEONMixed(SB)
#define ADDS4 ·addNEONMixed(SB)
#include "block_neon_arm64.h"
