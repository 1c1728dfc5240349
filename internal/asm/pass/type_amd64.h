// Macros that depend on the types, for the kernels of this folder. The including file defines F64 or F32,
// the type of the matrix and the vectors, or MIXED for a float32 matrix with float64 vectors. Then it
// includes this file before the kernels.
//
//	size         bytes of an element of a vector
//	logk         logarithm of the bytes of an element of K
//	step half    a step processes 64 bytes of a vector and step bytes of K, and half is step/2. The last step
//	             of a row is called the partial step if the row ends within the step
//	twice        bytes of a vector for a byte of K
//	four eight   registers of four and eight elements; fourt and eightt are two more registers
//	klo khi      AVX2: masks of the partial step of K, in Y12 Y13 or their lower halves
//	mask ytail   AVX-512: mask of the partial step, and the elements of q in the partial step
//
// Names of macros for AVX-512 end in Z.

#ifdef size
#undef size
#undef move
#undef moveone
#undef maskmove
#undef bcast
#undef add
#undef mul
#undef mulone
#undef div
#undef divone
#undef fma
#undef fma213
#undef compare
#undef addcount
#undef movez
#undef mulz
#undef four
#undef fourt
#undef eight
#undef eightt
#undef SPREAD
#undef FOLDLAST
#undef FOLDLAST1
#undef LAST8Z
#undef LAST4Z
#undef LAST1Z
#undef logk
#undef step
#undef half
#undef twice
#undef klo
#undef khi
#undef FMA
#undef LOADSHORT
#undef VMASKS
#undef TOKMASKS
#undef LOADZ
#undef ADDZ
#else
// tailmask has the masks of the partial step: 64 bytes of ones, then 64 bytes of zeros.
DATA tailmask<>+0x00(SB)/8, $-1
DATA tailmask<>+0x08(SB)/8, $-1
DATA tailmask<>+0x10(SB)/8, $-1
DATA tailmask<>+0x18(SB)/8, $-1
DATA tailmask<>+0x20(SB)/8, $-1
DATA tailmask<>+0x28(SB)/8, $-1
DATA tailmask<>+0x30(SB)/8, $-1
DATA tailmask<>+0x38(SB)/8, $-1
GLOBL tailmask<>(SB), RODATA|NOPTR, $128

// KMASKS sets klo and khi to the masks of the two halves of the partial step of K. The byte count of the partial
// step is the difference of the registers bytes and whole. KMASKS overwrites t.
#define KMASKS(t) \
	LEAQ tailmask<>+64(SB), t; \
	ADDQ whole, t;             \
	SUBQ bytes, t;             \
	move (t), klo;             \
	move half(t), khi

// FOLDROWS adds the upper half of the lanes of four rows to the lower half. The lanes of row r are in
// Y(2r) and Y(2r+1). FOLDPAIRS adds the upper half of the remaining lanes to the lower half. It leaves rows 0 and 2 in
// Y0, and rows 1 and 3 in Y2. FOLDFOUR folds once more, and leaves the remaining lanes in Y0. For float64 these lanes are
// the four sums, in order. FOLDONE folds the lanes of one row in Y0 and Y1.
#define FOLDROWS \
	add Y1, Y0, Y0; \
	add Y3, Y2, Y2; \
	add Y5, Y4, Y4; \
	add Y7, Y6, Y6

#define FOLDPAIRS \
	VPERM2F128 $0x20, Y4, Y0, Y1; \
	VPERM2F128 $0x31, Y4, Y0, Y0; \
	VPERM2F128 $0x20, Y6, Y2, Y3; \
	VPERM2F128 $0x31, Y6, Y2, Y2; \
	add        Y0, Y1, Y0;        \
	add        Y2, Y3, Y2

#define FOLDFOUR \
	VUNPCKLPD Y2, Y0, Y1; \
	VUNPCKHPD Y2, Y0, Y0; \
	add       Y0, Y1, Y0

#define FOLDONE \
	add          Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	add          X1, X0, X0; \
	VUNPCKHPD    X0, X0, X1; \
	add          X1, X0, X0

// FMASHORT is like FMA, but for half of the partial step. It multiplies the elements of K that mask selects by u, and adds the
// products to acc. K is at the address a, and tx is the lower half of t.
#define FMASHORT(a, mask, u, acc, tx, t) \
	LOADSHORT(a, mask, tx, t); \
	fma t, u, acc

// MASKZ sets mask to the mask of the partial step of K. The byte count of the partial step is the difference
// of the registers bytes and whole. MASKZ overwrites t and CX.
#define MASKZ(t) \
	MOVQ  bytes, CX; \
	SUBQ  whole, CX; \
	SHRQ  $logk, CX; \
	MOVL  $1, t;     \
	SHLL  CX, t;     \
	DECL  t;         \
	KMOVW t, mask

// FMAZ is like FMA, but for the partial step, which it pads with zeros.
#define FMAZ(a, u, acc, t) \
	LOADZ(a, t);  \
	fma t, u, acc

// HALFZ adds the upper half of the lanes of two rows, in a and b, to the lower half. It leaves the first row in the lower
// half of a, and the second row in the upper half. QUARTERZ does the same for the remaining lanes of four rows.
#define HALFZ(a, b) \
	VSHUFF64X2 $0x44, b, a, Z8; \
	VSHUFF64X2 $0xee, b, a, a;  \
	add        Z8, a, a

#define QUARTERZ(a, b) \
	VSHUFF64X2 $0x88, b, a, Z8; \
	VSHUFF64X2 $0xdd, b, a, a;  \
	add        Z8, a, a

// FOLDFOURZ folds the lanes that HALFZ(Z0, Z2), HALFZ(Z1, Z3) and QUARTERZ(Z0, Z1) leave of four
// rows. For float64, the result is the four sums, in order.
#define FOLDFOURZ \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VUNPCKLPD     Y1, Y0, Y8; \
	VUNPCKHPD     Y1, Y0, Y0; \
	add           Y8, Y0, Y0

// FOLDONEZ folds the lanes of one row.
#define FOLDONEZ \
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
#define moveone VMOVSS
#define maskmove VMASKMOVPS
#define bcast VBROADCASTSS
#define add VADDPS
#define mul VMULPS
#define mulone VMULSS
#define div VDIVPS
#define divone VDIVSS
#define fma VFMADD231PS
#define fma213 VFMADD213PS
#define compare VCMPPS
#define addcount VPADDD
#define movez VMOVUPS.Z
#define mulz VMULPS.Z
#define four X0
#define fourt X1
#define eight Y0
#define eightt Y1

// SPREAD broadcasts the elements of four to Y8–Y11.
#define SPREAD \
	VBROADCASTSS X0, Y8;     \
	VMOVSHDUP    X0, X1;     \
	VBROADCASTSS X1, Y9;     \
	VUNPCKHPD    X0, X0, X2; \
	VBROADCASTSS X2, Y10;    \
	VUNPCKHPD    X1, X1, X3; \
	VBROADCASTSS X3, Y11

// FOLDLAST adds lane 1 to lane 0 after FOLDFOUR: rows 0 and 1 are in the lower half,
// rows 2 and 3 in the upper half. FOLDLAST1 adds lane 1 to lane 0 after FOLDONE.
#define FOLDLAST \
	VEXTRACTF128 $1, Y0, X1;        \
	VSHUFPS      $0x88, X1, X0, X2; \
	VSHUFPS      $0xdd, X1, X0, X0; \
	VADDPS       X0, X2, X0

#define FOLDLAST1 \
	VMOVSHDUP X0, X1;    \
	VADDSS    X1, X0, X0

// LAST8Z, LAST4Z and LAST1Z add lane 1 to lane 0 for 8 rows, 4 rows and 1 row. LAST8Z and LAST4Z then pack the sums,
// which are the elements with even indices.
#define LAST8Z \
	VMOVSHDUP Z0, Z8;     \
	add       Z8, Z0, Z0; \
	VPMOVQD   Z0, Y0

#define LAST4Z \
	VMOVSHDUP Y0, Y8;     \
	add       Y8, Y0, Y0; \
	VPMOVQD   Y0, X0

#define LAST1Z \
	VMOVSHDUP X0, X8;    \
	add       X8, X0, X0

#else
#define size 8
#define move VMOVUPD
#define moveone VMOVSD
#define maskmove VMASKMOVPD
#define bcast VBROADCASTSD
#define add VADDPD
#define mul VMULPD
#define mulone VMULSD
#define div VDIVPD
#define divone VDIVSD
#define fma VFMADD231PD
#define fma213 VFMADD213PD
#define compare VCMPPD
#define addcount VPADDQ
#define movez VMOVUPD.Z
#define mulz VMULPD.Z
#define four Y0
#define fourt Y1
#define eight Z0
#define eightt Z1

#define SPREAD \
	VPERMPD $0x00, Y0, Y8;  \
	VPERMPD $0x55, Y0, Y9;  \
	VPERMPD $0xaa, Y0, Y10; \
	VPERMPD $0xff, Y0, Y11

// float64 has half as many lanes as float32, so the preceding macros have added all lanes.
#define FOLDLAST
#define FOLDLAST1
#define LAST8Z
#define LAST4Z
#define LAST1Z
#endif

#ifdef F64
#define logk 3
#else
#define logk 2
#endif

#ifdef MIXED
#define step 32
#define half 16
#define twice 2
#define klo X12
#define khi X13

// FMA loads the elements of K at address a, and converts them to float64 in t. It adds u·t to acc.
#define FMA(a, u, acc, t) \
	VCVTPS2PD a, t;     \
	fma       t, u, acc

// LOADSHORT sets t to the elements of K at address a that mask selects. It sets all other lanes to zero.
#define LOADSHORT(a, mask, tx, t) \
	VMASKMOVPS a, mask, tx; \
	VCVTPS2PD  tx, t

// VMASKS sets Y12 and Y13 to the masks of the two halves of the partial step of a vector.
#define VMASKS(t) \
	LEAQ tailmask<>+64(SB), t; \
	SUBQ bytes, t;             \
	SUBQ bytes, t;             \
	LEAQ (t)(whole*2), t;      \
	move (t), Y12;             \
	move 32(t), Y13

// TOKMASKS converts the masks of a vector to masks of K.
#define TOKMASKS(t) KMASKS(t)

// LOADZ sets t to the elements of K at address a that mask selects. It sets all other lanes to zero.
#define LOADZ(a, t) VCVTPS2PD.Z a, mask, t

// ADDZ adds the product of u and the partial step of K at address a to the partial step of q.
#define ADDZ(a, u) \
	VCVTPS2PD.Z a, mask, Z9;       \
	fma         Z9, u, mask, ytail

#else
#define step 64
#define half 32
#define twice 1
#define klo Y12
#define khi Y13
#define FMA(a, u, acc, t) fma a, u, acc
#define LOADSHORT(a, mask, tx, t) maskmove a, mask, t
#define VMASKS(t) KMASKS(t)
#define TOKMASKS(t)
#define LOADZ(a, t) movez a, mask, t
#define ADDZ(a, u) fma a, u, mask, ytail
#endif
