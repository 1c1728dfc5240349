// block for float64, float32 and mixed with AVX-512 F.
//
//	sums    lanes[i, s][j mod w] += k[i*ldk+j] v[s][j]
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
// Tile            4 rows × 4 vectors × 64 bytes of a vector. Z16–Z19 hold k. In sums, Z0–Z15 hold the lanes,
//                 and Z20–Z23 hold v. In add, Z0–Z15 hold u, and Z20–Z23 hold q.
// Tail            none: the caller computes the last rows. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI row of k · DX ldk · R8 3 ldk · DI R9 R10 R11 v or q · CX offset in the
//                 row · R12 bytes of a row of k · R13 rows left · BX lanes, or offset in u.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define lane BX
#define ui BX
#define c CX
#define ld DX
#define row SI
#define x0 DI
#define ld3 R8
#define x1 R9
#define x2 R10
#define x3 R11
#define bytes R12
#define rows R13

// FOUR broadcasts elements ui, ui+1, ui+2 and ui+3 of the slice at p to registers a, b, c and d.
#define FOUR(p, a, b, c, d) \
	bcast (p)(ui*size), a;         \
	bcast size(p)(ui*size), b;     \
	bcast (2*size)(p)(ui*size), c; \
	bcast (3*size)(p)(ui*size), d

#define F64
#include "type_amd64.h"
#define SUMS ·sumsAVX512F64(SB)
#define ADD ·addAVX512F64(SB)
#include "block_avx512_amd64.h"
#undef F64
#undef SUMS
#undef ADD

#define F32
#include "type_amd64.h"
#define SUMS ·sumsAVX512F32(SB)
#define ADD ·addAVX512F32(SB)
#include "block_avx512_amd64.h"
#undef F32
#undef SUMS
#undef ADD

#define MIXED
#include "type_amd64.h"
#define SUMS ·sumsAVX512Mixed(SB)
#define ADD ·addAVX512Mixed(SB)
#include "block_avx512_amd64.h"
