// What the AVX2 tiles of either element type share. The including file defines
// logsize, the logarithm of an element's bytes, and names the instructions of its
// type: move, bcast, maskmove, fma.
//
// Arguments in memory change their meaning. Strides and cols are counted in bytes,
// cols down. a points behind the first row's chain, at a[depth*ka], so that the
// offset koff in a chain runs from −depth·ka, which depth then holds, to 0; rows
// holds where the chain of a row behind the last one would end.

// p = q + ra; but p = q if that row does not exist: the tile then computes its last
// row again and stores only what it has.
#define nextrow(q, p) \
	LEAQ    (q)(koff*1), p; \
	CMPQ    p, rows+0(FP); \
	CMOVQCC q, p

// Strides and cols in bytes.
#define prologue1 \
	SHLQ $logsize, cols+8(FP); \
	SHLQ $logsize, ldc+32(FP); \
	SHLQ $logsize, ra+48(FP); \
	SHLQ $logsize, ka+56(FP); \
	MOVQ ldb+72(FP), ldbb; \
	SHLQ $logsize, ldbb

// a = &a[depth*ka], rows = &a[depth*ka + rows*ra], depth = −depth·ka.
#define prologue2 \
	MOVQ  ka+56(FP), kab; \
	MOVQ  depth+16(FP), koff; \
	IMULQ kab, koff; \
	ADDQ  koff, a+40(FP); \
	NEGQ  koff; \
	MOVQ  koff, depth+16(FP); \
	MOVQ  rows+0(FP), koff; \
	IMULQ ra+48(FP), koff; \
	ADDQ  a+40(FP), koff; \
	MOVQ  koff, rows+0(FP)
