// exp, exp2, sumExp for float32 and float64 with NEON.
//
//	exp         dst[i] = exp(x[i])
//	exp2        dst[i] = 2^(c·x[i])
//	sumExp      top = max(s[0], max x[i])
//	            dst[i] = exp(x[i] − top)                     dst may be nil
//	            s = {top, Σ dst[i] over all x[i] ≠ top, number of x[i] = top}
//	for 0≤i<n
//
// Same bits as    expRef, exp2Ref and sumExpRef in ref.go; exp2 rounds the product c·x[i]. With the
//                 variables of expRef, let e = ⌊k⌋ and g = ⌊(e+1)/2⌋. expRef multiplies y by 2^(e−g)
//                 exactly, and then by 2^g. Instead of the first product, the kernel exp adds the integer
//                 n·2^(MANTISSA−TABLE) − g·2^MANTISSA to the bits of the table entry. If x is a NaN, so
//                 are q and the result.
// Layout          x and dst have n contiguous elements. dst may be x. n ≥ 1.
// Tile            four registers, in constant time.
// Tail            the same body, with loads and stores of single lanes. No access outside the
//                 slices.
// Special values  exp: the clamp keeps a NaN in x, so q is NaN, too. exp2:
//                 masks select zeros and infinities beyond the limits.
// Registers       named below; V20–V23 S, the result · V24 V25 lookup (float32). exp: V0–V3 x,
//                 then r · V4–V7 t, then the polynomial, in turn with V12–V15 · V8–V11 k,
//                 then g · V16 −limit · V27 a constant · V28 ln2lo · V29 ln2hi · V30 log2e ·
//                 V31 magic. exp2: V0–V3 y · V4–V15 see exp2core_neon_arm64.h · V27 c ·
//                 V28–V31 constants. sumExp: R8 s · V0–V3 d · V4–V15 as exp2 · V16–V19 maxima, then sums · V26 V27
//                 counts · V28 −top · V29 limit · V30 log2e · V31 magic.
// Source          written for this project; exp2core_neon_arm64.h contains the core of exp2.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "exp2core_neon_arm64.h"

#define src R0
#define out R1
#define left R2   // number of elements left
#define last R3   // number of elements in the tail
#define rest R4   // number of elements left in the tail
#define spare R5
#define bit0 R6
#define bit1 R7
#define peak R8
#define consts R9
#define more R10
#define cur R11
#define todo R12

// The names below are byte offsets in expf32 and expf64. The table is at offset 0. In expf32, the
// constants of LOOKUP follow the table. All other constants are repeated in all lanes of a register.
#define EXP_TABLE 0
#define EXP_MAGIC 64
#define EXP_LOG2E 80
#define EXP_LN2HI 96
#define EXP_LN2LO 112
#define EXP_LIMIT 128
#define EXP_NEGLIMIT 144
#define EXP_UNIT 160
#define EXP_ONE 176
#define EXP_C0 192
#define EXP_C1 208
#define EXP_C2 224
#define EXP_C3 240
#define EXP_C4 256
#define EXP_C5 272
#define EXP_C6 288
#define EXP_C7 304
#define EXP_LEASTD OF_TYPE(272, 320)

// mask contains 64 bytes 0xff, followed by 64 zero bytes. To mask the first b bytes of four
// registers, the kernels load the 64 bytes at offset 64 − b.
DATA mask<>+0(SB)/8, $-1
DATA mask<>+8(SB)/8, $-1
DATA mask<>+16(SB)/8, $-1
DATA mask<>+24(SB)/8, $-1
DATA mask<>+32(SB)/8, $-1
DATA mask<>+40(SB)/8, $-1
DATA mask<>+48(SB)/8, $-1
DATA mask<>+56(SB)/8, $-1
GLOBL mask<>(SB), RODATA|NOPTR, $128

DATA expf32<>+0(SB)/4, $0x3f80075d
DATA expf32<>+4(SB)/4, $0x3f7840b2
DATA expf32<>+8(SB)/4, $0x3f750f5d
DATA expf32<>+12(SB)/4, $0x3f77515f
DATA expf32<>+16(SB)/8, $0x0404040400000000
DATA expf32<>+24(SB)/8, $0x0c0c0c0c08080808
DATA expf32<>+32(SB)/8, $0x0302010003020100
DATA expf32<>+40(SB)/8, $0x0302010003020100
DATA expf32<>+64(SB)/8, $0x4a4000004a400000 // 1.5·2^21
DATA expf32<>+72(SB)/8, $0x4a4000004a400000
DATA expf32<>+80(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA expf32<>+88(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA expf32<>+96(SB)/8, $0x3f3172183f317218
DATA expf32<>+104(SB)/8, $0x3f3172183f317218
DATA expf32<>+112(SB)/8, $0xb102e308b102e308
DATA expf32<>+120(SB)/8, $0xb102e308b102e308
DATA expf32<>+128(SB)/8, $0x4300000043000000 // 128
DATA expf32<>+136(SB)/8, $0x4300000043000000
DATA expf32<>+144(SB)/8, $0xc3000000c3000000 // −128
DATA expf32<>+152(SB)/8, $0xc3000000c3000000
DATA expf32<>+160(SB)/8, $0x0000000400000004 // 4, an integer
DATA expf32<>+168(SB)/8, $0x0000000400000004
DATA expf32<>+176(SB)/8, $0x3f8000003f800000 // 1
DATA expf32<>+184(SB)/8, $0x3f8000003f800000
DATA expf32<>+192(SB)/8, $0xb96b92d3b96b92d3
DATA expf32<>+200(SB)/8, $0xb96b92d3b96b92d3
DATA expf32<>+208(SB)/8, $0x3f7ff1443f7ff144
DATA expf32<>+216(SB)/8, $0x3f7ff1443f7ff144
DATA expf32<>+224(SB)/8, $0x3efff1423efff142
DATA expf32<>+232(SB)/8, $0x3efff1423efff142
DATA expf32<>+240(SB)/8, $0x3e2ab6cd3e2ab6cd
DATA expf32<>+248(SB)/8, $0x3e2ab6cd3e2ab6cd
DATA expf32<>+256(SB)/8, $0x3d2acdae3d2acdae
DATA expf32<>+264(SB)/8, $0x3d2acdae3d2acdae
DATA expf32<>+272(SB)/8, $0xc2ae0000c2ae0000 // −87
DATA expf32<>+280(SB)/8, $0xc2ae0000c2ae0000
GLOBL expf32<>(SB), RODATA|NOPTR, $288

DATA expf64<>+0(SB)/8, $0x3ff00000003ac148
DATA expf64<>+8(SB)/8, $0x3fef72b83cbd641d
DATA expf64<>+16(SB)/8, $0x3fef06fe0a779648
DATA expf64<>+24(SB)/8, $0x3feebfdad5825c48
DATA expf64<>+32(SB)/8, $0x3feea09e66d25362
DATA expf64<>+40(SB)/8, $0x3feeace542853daf
DATA expf64<>+48(SB)/8, $0x3feee89f99bda3ff
DATA expf64<>+56(SB)/8, $0x3fef5818dd67665c
DATA expf64<>+64(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA expf64<>+72(SB)/8, $0x4308000000000000
DATA expf64<>+80(SB)/8, $0x3ff71547652b82fe
DATA expf64<>+88(SB)/8, $0x3ff71547652b82fe
DATA expf64<>+96(SB)/8, $0x3fe62e42fefa39ef
DATA expf64<>+104(SB)/8, $0x3fe62e42fefa39ef
DATA expf64<>+112(SB)/8, $0x3c7abc9e3b39803f
DATA expf64<>+120(SB)/8, $0x3c7abc9e3b39803f
DATA expf64<>+128(SB)/8, $0x408f400000000000 // 1000
DATA expf64<>+136(SB)/8, $0x408f400000000000
DATA expf64<>+144(SB)/8, $0xc08f400000000000 // −1000
DATA expf64<>+152(SB)/8, $0xc08f400000000000
DATA expf64<>+160(SB)/8, $0x0000000000000008 // 8, an integer
DATA expf64<>+168(SB)/8, $0x0000000000000008
DATA expf64<>+176(SB)/8, $0x3ff0000000000000 // 1
DATA expf64<>+184(SB)/8, $0x3ff0000000000000
DATA expf64<>+192(SB)/8, $0xbe0d60a3fd941ecc
DATA expf64<>+200(SB)/8, $0xbe0d60a3fd941ecc
DATA expf64<>+208(SB)/8, $0x3fefffffff8a7d70
DATA expf64<>+216(SB)/8, $0x3fefffffff8a7d70
DATA expf64<>+224(SB)/8, $0x3fdfffffff8a7f82
DATA expf64<>+232(SB)/8, $0x3fdfffffff8a7f82
DATA expf64<>+240(SB)/8, $0x3fc555555506fb7e
DATA expf64<>+248(SB)/8, $0x3fc555555506fb7e
DATA expf64<>+256(SB)/8, $0x3fa5555554334325
DATA expf64<>+264(SB)/8, $0x3fa5555554334325
DATA expf64<>+272(SB)/8, $0x3f81111111e36bf3
DATA expf64<>+280(SB)/8, $0x3f81111111e36bf3
DATA expf64<>+288(SB)/8, $0x3f56c1cbb8b26d2c
DATA expf64<>+296(SB)/8, $0x3f56c1cbb8b26d2c
DATA expf64<>+304(SB)/8, $0x3f2a0170b70d2998
DATA expf64<>+312(SB)/8, $0x3f2a0170b70d2998
DATA expf64<>+320(SB)/8, $0xc086200000000000 // −708
DATA expf64<>+328(SB)/8, $0xc086200000000000
GLOBL expf64<>(SB), RODATA|NOPTR, $336

// The constants below belong to the macros of exp2core_neon_arm64.h. Package distance uses them, too.
DATA ·exp2f32NEON+0(SB)/4, $0x3f80075d
DATA ·exp2f32NEON+4(SB)/4, $0x3f7840b2
DATA ·exp2f32NEON+8(SB)/4, $0x3f750f5d
DATA ·exp2f32NEON+12(SB)/4, $0x3f77515f
DATA ·exp2f32NEON+16(SB)/8, $0x0404040400000000
DATA ·exp2f32NEON+24(SB)/8, $0x0c0c0c0c08080808
DATA ·exp2f32NEON+32(SB)/8, $0x0302010003020100
DATA ·exp2f32NEON+40(SB)/8, $0x0302010003020100
DATA ·exp2f32NEON+64(SB)/8, $0x4a4000004a400000 // 1.5·2^21
DATA ·exp2f32NEON+72(SB)/8, $0x4a4000004a400000
DATA ·exp2f32NEON+80(SB)/8, $0xc2fc0000c2fc0000 // −126
DATA ·exp2f32NEON+88(SB)/8, $0xc2fc0000c2fc0000
DATA ·exp2f32NEON+96(SB)/8, $0x42ffc00042ffc000 // 128 − 0x1p−3
DATA ·exp2f32NEON+104(SB)/8, $0x42ffc00042ffc000
DATA ·exp2f32NEON+112(SB)/8, $0x7f8000007f800000 // +Inf
DATA ·exp2f32NEON+120(SB)/8, $0x7f8000007f800000
DATA ·exp2f32NEON+128(SB)/8, $0xb96b92d3b96b92d3
DATA ·exp2f32NEON+136(SB)/8, $0xb96b92d3b96b92d3
DATA ·exp2f32NEON+144(SB)/8, $0x3f3167e23f3167e2
DATA ·exp2f32NEON+152(SB)/8, $0x3f3167e23f3167e2
DATA ·exp2f32NEON+160(SB)/8, $0x3e75efce3e75efce
DATA ·exp2f32NEON+168(SB)/8, $0x3e75efce3e75efce
DATA ·exp2f32NEON+176(SB)/8, $0x3d6364ea3d6364ea
DATA ·exp2f32NEON+184(SB)/8, $0x3d6364ea3d6364ea
DATA ·exp2f32NEON+192(SB)/8, $0x3c1d82953c1d8295
DATA ·exp2f32NEON+200(SB)/8, $0x3c1d82953c1d8295
GLOBL ·exp2f32NEON(SB), RODATA|NOPTR, $208

DATA ·exp2f64NEON+0(SB)/8, $0x3ff00000003ac148
DATA ·exp2f64NEON+8(SB)/8, $0x3fef72b83cbd641d
DATA ·exp2f64NEON+16(SB)/8, $0x3fef06fe0a779648
DATA ·exp2f64NEON+24(SB)/8, $0x3feebfdad5825c48
DATA ·exp2f64NEON+32(SB)/8, $0x3feea09e66d25362
DATA ·exp2f64NEON+40(SB)/8, $0x3feeace542853daf
DATA ·exp2f64NEON+48(SB)/8, $0x3feee89f99bda3ff
DATA ·exp2f64NEON+56(SB)/8, $0x3fef5818dd67665c
DATA ·exp2f64NEON+64(SB)/8, $0x4308000000000000 // 1.5·2^49
DATA ·exp2f64NEON+72(SB)/8, $0x4308000000000000
DATA ·exp2f64NEON+80(SB)/8, $0xc08ff00000000000 // −1022
DATA ·exp2f64NEON+88(SB)/8, $0xc08ff00000000000
DATA ·exp2f64NEON+96(SB)/8, $0x408fff8000000000 // 1024 − 0x1p−4
DATA ·exp2f64NEON+104(SB)/8, $0x408fff8000000000
DATA ·exp2f64NEON+112(SB)/8, $0x7ff0000000000000 // +Inf
DATA ·exp2f64NEON+120(SB)/8, $0x7ff0000000000000
DATA ·exp2f64NEON+128(SB)/8, $0xbe0d60a3fd941ecc
DATA ·exp2f64NEON+136(SB)/8, $0xbe0d60a3fd941ecc
DATA ·exp2f64NEON+144(SB)/8, $0x3fe62e42fea8c64b
DATA ·exp2f64NEON+152(SB)/8, $0x3fe62e42fea8c64b
DATA ·exp2f64NEON+160(SB)/8, $0x3fcebfbdff11dcea
DATA ·exp2f64NEON+168(SB)/8, $0x3fcebfbdff11dcea
DATA ·exp2f64NEON+176(SB)/8, $0x3fac6b08d69c1f54
DATA ·exp2f64NEON+184(SB)/8, $0x3fac6b08d69c1f54
DATA ·exp2f64NEON+192(SB)/8, $0x3f83b2ab6eb3b29d
DATA ·exp2f64NEON+200(SB)/8, $0x3f83b2ab6eb3b29d
DATA ·exp2f64NEON+208(SB)/8, $0x3f55d87fee7145b0
DATA ·exp2f64NEON+216(SB)/8, $0x3f55d87fee7145b0
DATA ·exp2f64NEON+224(SB)/8, $0x3f2430e52d41b726
DATA ·exp2f64NEON+232(SB)/8, $0x3f2430e52d41b726
DATA ·exp2f64NEON+240(SB)/8, $0x3eeffb3fb1842f75
DATA ·exp2f64NEON+248(SB)/8, $0x3eeffb3fb1842f75
GLOBL ·exp2f64NEON(SB), RODATA|NOPTR, $256

#define F32
#define EXP ·expNEONF32
#define EXP2 ·exp2NEONF32
#define SUMEXP ·sumExpNEONF32
#define exp2args 28
#include "type_arm64.h"
#include "exp_neon_arm64.h"
#undef F32
#undef EXP
#undef EXP2
#undef SUMEXP
#undef exp2args

#define F64
#define EXP ·expNEONF64
#define EXP2 ·exp2NEONF64
#define SUMEXP ·sumExpNEONF64
#define exp2args 32
#include "type_arm64.h"
#include "exp_neon_arm64.h"
#undef F64
#undef EXP
#undef EXP2
#undef SUMEXP
#undef exp2args
