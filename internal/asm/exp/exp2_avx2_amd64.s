// exp2, float64 and float32, AVX2 + FMA.
//
//	dst[i] = 2^(c·x[i])      0≤i<n
//
// Same bits as    Ref2 in ref.go, of y = c·x[i], rounded.
// Layout          x, dst n elements, contiguous; dst may be x. n ≥ 1.
// Tile            4 vectors, in constant time while all y < 1023.9375 (127.875); a block that holds
//                 a larger one or a NaN goes vector by vector through the general body.
// Tail            the general body, for the last n mod lanes with masked load and store. No
//                 access outside the slices.
// Special values  a NaN may take either way: q is NaN then, and so is q·S + S.
// Registers       SI x · DI dst · CX elements left · DX elements of the general body ·
//                 AX sign bits, mask · Y0–Y3 y, then f · Y4–Y7 t, then S · Y8–Y11 under-
//                 flow, then q · Y12 a constant, scratch · Y13 c · Y14 least y, scratch · Y15 magic.
// Source          own; the core is exp2core_avx2_amd64.h.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2core_avx2_amd64.h"

#define lanes (32/size)
#define src SI
#define out DI
#define left CX
#define todo DX
#define tmp Y12
#define factor Y13
#define least Y14
#define magic Y15

#define F64
#include "type_amd64.h"

// func exp2AVX2F64(n int, dst, x *float64, c float64)
TEXT ·exp2AVX2F64(SB), NOSPLIT, $0-32
#include "exp2_avx2_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func exp2AVX2F32(n int, dst, x *float32, c float32)
TEXT ·exp2AVX2F32(SB), NOSPLIT, $0-28
#include "exp2_avx2_amd64.h"
#undef F32
