// Macros that depend on the type, for the kernels of this folder. The including file defines F64 or F32 and
// includes this file before each kernel.

#ifdef DOUBLE
#undef DOUBLE
#undef ARR
#undef LOGC
#undef SARG
#undef BARG
#undef DUPARG
#endif

// DUPARG broadcasts an argument to v, which is register f.
#ifdef F32
#define DOUBLE 0
#define ARR S4 // arrangement of a register
#define LOGC logf32<>
#define SARG s+28(FP)
#define BARG b+32(FP)
#define DUPARG(arg, f, v) \
	FMOVS arg, f; \
	VDUP  v.S[0], v.S4
#endif

#ifdef F64
#define DOUBLE 1
#define ARR D2
#define LOGC logf64<>
#define SARG s+32(FP)
#define BARG b+40(FP)
#define DUPARG(arg, f, v) \
	FMOVD arg, f; \
	VDUP  v.D[0], v.D2
#endif
