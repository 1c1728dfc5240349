//go:build !purego

// This file contains loops that measure the throughput of a machine with AVX-512 F. No instruction waits for another
// instruction of the same iteration.

#include "textflag.h"

#define v0 Z0
#define v1 Z1
#define v2 Z2
#define v3 Z3
#define v4 Z4
#define v5 Z5
#define v6 Z6
#define v7 Z7
#define v8 Z8
#define v9 Z9
#define v10 Z10
#define v11 Z11
#define v12 Z12
#define v13 Z13
#define width 64
#define zero(x) VPXORD x, x, x

// func fmaAVX512(n int)
TEXT ·fmaAVX512(SB), NOSPLIT, $0-8
#include "fma_amd64.h"

#define numbers(a, b) VBROADCASTSD numbers64<>+0(SB), a; VBROADCASTSD numbers64<>+8(SB), b
#define op(x) VDIVPD v8, v9, x

// func divAVX512F64(n int)
TEXT ·divAVX512F64(SB), NOSPLIT, $0-8
#include "eight_amd64.h"
#undef op

#define op(x) VSQRTPD v8, x

// func sqrtAVX512F64(n int)
TEXT ·sqrtAVX512F64(SB), NOSPLIT, $0-8
#include "eight_amd64.h"
#undef op
#undef numbers

#define numbers(a, b) VBROADCASTSS numbers32<>+0(SB), a; VBROADCASTSS numbers32<>+4(SB), b
#define op(x) VDIVPS v8, v9, x

// func divAVX512F32(n int)
TEXT ·divAVX512F32(SB), NOSPLIT, $0-8
#include "eight_amd64.h"
#undef op

#define op(x) VSQRTPS v8, x

// func sqrtAVX512F32(n int)
TEXT ·sqrtAVX512F32(SB), NOSPLIT, $0-8
#include "eight_amd64.h"
#undef op
#undef numbers

#define move(mem, x) VMOVUPS mem, x
#define fetch(mem)

// func readAVX512(p *byte, turns, stride, step, rounds int)
TEXT ·readAVX512(SB), NOSPLIT, $0-40
#include "move_amd64.h"
#undef fetch

#define fetch(mem) PREFETCHT2 4096 mem; PREFETCHT2 4160 mem

// func readFarAVX512(p *byte, turns, stride, step, rounds int)
TEXT ·readFarAVX512(SB), NOSPLIT, $0-40
#include "move_amd64.h"
#undef fetch

#define fetch(mem) PREFETCHNTA 1024 mem; PREFETCHNTA 1088 mem

// func readOnceAVX512(p *byte, turns, stride, step, rounds int)
TEXT ·readOnceAVX512(SB), NOSPLIT, $0-40
#include "move_amd64.h"
#undef fetch
#undef move

#define fetch(mem)
#define move(mem, x) VMOVUPS v0, mem

// func writeAVX512(p *byte, turns, stride, step, rounds int)
TEXT ·writeAVX512(SB), NOSPLIT, $0-40
#include "move_amd64.h"
#undef move

// The numbers are not powers of two, because some machines divide powers of two faster than other numbers.
DATA numbers64<>+0(SB)/8, $1.7
DATA numbers64<>+8(SB)/8, $3.1
GLOBL numbers64<>(SB), RODATA|NOPTR, $16
DATA numbers32<>+0(SB)/4, $1.7
DATA numbers32<>+4(SB)/4, $3.1
GLOBL numbers32<>(SB), RODATA|NOPTR, $8
