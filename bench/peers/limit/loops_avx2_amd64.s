//go:build !purego

// This file contains loops that measure the throughput of a machine with AVX2 + FMA. No instruction waits for another
// instruction of the same iteration.

#include "textflag.h"

#define v0 Y0
#define v1 Y1
#define v2 Y2
#define v3 Y3
#define v4 Y4
#define v5 Y5
#define v6 Y6
#define v7 Y7
#define v8 Y8
#define v9 Y9
#define v10 Y10
#define v11 Y11
#define v12 Y12
#define v13 Y13
#define width 32
#define zero(x) VXORPS x, x, x

// func fmaAVX2(n int)
TEXT ·fmaAVX2(SB), NOSPLIT, $0-8
#include "fma_amd64.h"

#define numbers(a, b) VBROADCASTSD numbers64<>+0(SB), a; VBROADCASTSD numbers64<>+8(SB), b
#define op(x) VDIVPD v8, v9, x

// func divAVX2F64(n int)
TEXT ·divAVX2F64(SB), NOSPLIT, $0-8
#include "eight_amd64.h"
#undef op

#define op(x) VSQRTPD v8, x

// func sqrtAVX2F64(n int)
TEXT ·sqrtAVX2F64(SB), NOSPLIT, $0-8
#include "eight_amd64.h"
#undef op
#undef numbers

#define numbers(a, b) VBROADCASTSS numbers32<>+0(SB), a; VBROADCASTSS numbers32<>+4(SB), b
#define op(x) VDIVPS v8, v9, x

// func divAVX2F32(n int)
TEXT ·divAVX2F32(SB), NOSPLIT, $0-8
#include "eight_amd64.h"
#undef op

#define op(x) VSQRTPS v8, x

// func sqrtAVX2F32(n int)
TEXT ·sqrtAVX2F32(SB), NOSPLIT, $0-8
#include "eight_amd64.h"
#undef op
#undef numbers

#define move(mem, x) VMOVUPS mem, x
#define fetch(mem)

// func readAVX2(p *byte, turns, stride, step, rounds int)
TEXT ·readAVX2(SB), NOSPLIT, $0-40
#include "move_amd64.h"
#undef fetch

#define fetch(mem) PREFETCHT2 4096 mem

// func readFarAVX2(p *byte, turns, stride, step, rounds int)
TEXT ·readFarAVX2(SB), NOSPLIT, $0-40
#include "move_amd64.h"
#undef fetch

#define fetch(mem) PREFETCHNTA 1024 mem

// func readOnceAVX2(p *byte, turns, stride, step, rounds int)
TEXT ·readOnceAVX2(SB), NOSPLIT, $0-40
#include "move_amd64.h"
#undef fetch
#undef move

#define fetch(mem)
#define move(mem, x) VMOVUPS v0, mem

// func writeAVX2(p *byte, turns, stride, step, rounds int)
TEXT ·writeAVX2(SB), NOSPLIT, $0-40
#include "move_amd64.h"
#undef move

// The numbers are not powers of two, because some machines divide powers of two faster than other numbers.
DATA numbers64<>+0(SB)/8, $1.7
DATA numbers64<>+8(SB)/8, $3.1
GLOBL numbers64<>(SB), RODATA|NOPTR, $16
DATA numbers32<>+0(SB)/4, $1.7
DATA numbers32<>+4(SB)/4, $3.1
GLOBL numbers32<>(SB), RODATA|NOPTR, $8
