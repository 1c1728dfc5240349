// What the AVX-512 texts of this folder say of the types. The including file defines F64
// or F32, the type of matrix and vectors, or MIXED, a float32 matrix with float64
// vectors, and includes this before the texts of each.
//
//	size     bytes of an element of a vector
//	logk     logarithm of the bytes of an element of K
//	step     bytes of K in a step, 64 bytes of a vector
//	twice    bytes of a vector for a byte of K
//	eight    register of eight elements, four of four; eightt and fourt are others

#ifdef size
#undef size
#undef move
#undef movez
#undef moveone
#undef bcast
#undef add
#undef mul
#undef mulz
#undef mulone
#undef div
#undef divone
#undef fma
#undef fma213
#undef eight
#undef eightt
#undef four
#undef fourt
#undef FOLDLAST8
#undef FOLDLAST4
#undef FOLDLAST1
#undef logk
#undef step
#undef twice
#undef FMA
#undef LOADTAIL
#undef ADDTAIL
#else
// TAILMASK sets mask to the elements of the short step, bytes − whole of K; t is scratch.
#define TAILMASK(t) \
	MOVQ  bytes, CX; \
	SUBQ  whole, CX; \
	SHRQ  $logk, CX; \
	MOVL  $1, t;     \
	SHLL  CX, t;     \
	DECL  t;         \
	KMOVW t, mask

// FMATAIL is FMA for the short step, padded with zeros.
#define FMATAIL(a, u, acc, t) \
	LOADTAIL(a, t); \
	fma t, u, acc

// HALF adds the upper half of the lanes of two rows, in a and b, to the lower: those of
// row a to the lower half of a. QUARTER adds the upper quarter of what is left of four.
#define HALF(a, b) \
	VSHUFF64X2 $0x44, b, a, Z8; \
	VSHUFF64X2 $0xee, b, a, a;  \
	add        Z8, a, a

#define QUARTER(a, b) \
	VSHUFF64X2 $0x88, b, a, Z8; \
	VSHUFF64X2 $0xdd, b, a, a;  \
	add        Z8, a, a

// FOLDFOUR folds what HALF(Z0, Z2), HALF(Z1, Z3) and QUARTER(Z0, Z1) have left of four
// rows: float64 has its sums, in order.
#define FOLDFOUR \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VUNPCKLPD     Y1, Y0, Y8; \
	VUNPCKHPD     Y1, Y0, Y0; \
	add           Y8, Y0, Y0

// FOLDONE folds the lanes of one row.
#define FOLDONE \
	VEXTRACTF64X4 $1, Z0, Y8; \
	add           Y8, Y0, Y0; \
	VEXTRACTF128  $1, Y0, X8; \
	add           X8, X0, X0; \
	VPERMILPD     $1, X0, X8; \
	add           X8, X0, X0
#endif

#ifdef F32
#define size 4
#define move VMOVUPS
#define movez VMOVUPS.Z
#define moveone VMOVSS
#define bcast VBROADCASTSS
#define add VADDPS
#define mul VMULPS
#define mulz VMULPS.Z
#define mulone VMULSS
#define div VDIVPS
#define divone VDIVSS
#define fma VFMADD231PS
#define fma213 VFMADD213PS
#define eight Y0
#define eightt Y1
#define four X0
#define fourt X1

// FOLDLAST8, 4 and 1 add lane 1 to lane 0, of as many rows; the sums are the even elements.
#define FOLDLAST8 \
	VMOVSHDUP Z0, Z8;     \
	add       Z8, Z0, Z0; \
	VPMOVQD   Z0, Y0

#define FOLDLAST4 \
	VMOVSHDUP Y0, Y8;     \
	add       Y8, Y0, Y0; \
	VPMOVQD   Y0, X0

#define FOLDLAST1 \
	VMOVSHDUP X0, X8; \
	add       X8, X0, X0
#else
#define size 8
#define move VMOVUPD
#define movez VMOVUPD.Z
#define moveone VMOVSD
#define bcast VBROADCASTSD
#define add VADDPD
#define mul VMULPD
#define mulz VMULPD.Z
#define mulone VMULSD
#define div VDIVPD
#define divone VDIVSD
#define fma VFMADD231PD
#define fma213 VFMADD213PD
#define eight Z0
#define eightt Z1
#define four Y0
#define fourt Y1

// float64 has half the lanes: nothing is left to fold.
#define FOLDLAST8
#define FOLDLAST4
#define FOLDLAST1
#endif

#ifdef F64
#define logk 3
#else
#define logk 2
#endif

#ifdef MIXED
#define step 32
#define twice 2

// FMA adds u times the elements of K at a to acc; they are widened to t.
#define FMA(a, u, acc, t) \
	VCVTPS2PD a, t; \
	fma       t, u, acc

// LOADTAIL sets t to the elements of K at a that mask has, zeros elsewhere.
#define LOADTAIL(a, t) VCVTPS2PD.Z a, mask, t

// ADDTAIL adds u times the short step of K at a to q's.
#define ADDTAIL(a, u) \
	VCVTPS2PD.Z a, mask, Z9; \
	fma         Z9, u, mask, ytail
#else
#define step 64
#define twice 1
#define FMA(a, u, acc, t) fma a, u, acc
#define LOADTAIL(a, t) movez a, mask, t
#define ADDTAIL(a, u) fma a, u, mask, ytail
#endif
