// exp2, float64 and float32, AVX-512 F.
//
//	dst[i] = 2^(c·x[i])      0≤i<n
//
// Same bits as    Ref2 in ref.go, of y = c·x[i], rounded.
// Layout          x, dst n elements, contiguous; dst may be x. n ≥ 1.
// Tile            Three vectors, in constant time while none overflows; else,
//                 and at the end, one vector at a time.
// Tail            opmask K1. No access outside the slices.
// Special values  opmasks tell what is below the least normal number and what overflows; a
//                 positive NaN takes the slower way to the same NaN.
// Registers       SI x · DI dst · DX elements left · CX elements to take one vector at a
//                 time · AX scratch · K1 mask of a vector · Z0–Z2 y, then q · Z24–Z26 t, then
//                 S · Z27–Z29 f · Z22 the largest y in three vectors · Z23 c · Z30 table ·
//                 Z31 magic.
// Source          own; the core is exp2core_avx512_amd64.h.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2core_avx512_amd64.h"

#define lanes (64/size)
#define src SI
#define out DI
#define left DX
#define todo CX
#define mask K1
#define fast Z22
#define factor Z23
#define table Z30
#define magic Z31

#define F64
#include "type_amd64.h"

// func exp2AVX512F64(n int, dst, x *float64, c float64)
TEXT ·exp2AVX512F64(SB), NOSPLIT, $0-32
#include "exp2_avx512_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func exp2AVX512F32(n int, dst, x *float32, c float32)
TEXT ·exp2AVX512F32(SB), NOSPLIT, $0-28
#include "exp2_avx512_amd64.h"
#undef F32
