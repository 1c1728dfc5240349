// Macros that depend on the types, for the kernels of this folder. The including file defines F64 or F32,
// the type of matrix and vectors, or MIXED for a float32 matrix with float64 vectors, and
// includes this file before the kernels.
//
//	size          bytes of an element of a vector
//	step          bytes of K for 64 bytes of a vector
//	twice         bytes of a vector for one byte of K
//	logk          log₂ of the bytes of an element of K
//	four fourt    two registers of four elements

#ifdef size
#undef logk
#undef step
#undef twice
#undef TAKE
#undef size
#undef four
#undef fourt
#undef move
#undef bcast
#undef add
#undef div
#undef fma
#undef LAST4
#else
// SLICES loads the data pointers of the four adjacent slice headers at p into a, b, c and d. FROM
// advances the four pointers by i elements.
#define SLICES(p, a, b, c, d) \
	MOVQ (p), a;   \
	MOVQ 24(p), b; \
	MOVQ 48(p), c; \
	MOVQ 72(p), d

#define FROM(i, a, b, c, d) \
	LEAQ (a)(i*size), a; \
	LEAQ (b)(i*size), b; \
	LEAQ (c)(i*size), c; \
	LEAQ (d)(i*size), d

#endif

#ifdef F32
#define size 4
#define four X0
#define fourt X1
#define move VMOVUPS
#define bcast VBROADCASTSS
#define add VADDPS
#define div VDIVPS
#define fma VFMADD231PS

// LAST4 adds lane 1 to lane 0 of four rows. Each quarter of Y0 holds lanes 0 and 1 of one row.
#define LAST4 \
	VEXTRACTF128 $1, Y0, X1;        \
	VSHUFPS      $0x88, X1, X0, X2; \
	VSHUFPS      $0xdd, X1, X0, X0; \
	VADDPS       X0, X2, X0

#else
#define size 8
#define four Y0
#define fourt Y1
#define move VMOVUPD
#define bcast VBROADCASTSD
#define add VADDPD
#define div VDIVPD
#define fma VFMADD231PD

// LAST4 is empty for float64, because Y0 already contains the four row sums.
#define LAST4
#endif

// TAKE loads the elements of K at a into t.
#ifdef MIXED
#define logk 2
#define step 32
#define twice 2
#define TAKE(a, t) VCVTPS2PD a, t
#else
#define logk (2+size/8)
#define step 64
#define twice 1
#define TAKE(a, t) move a, t
#endif
