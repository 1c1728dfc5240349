// Package exp computes the exponential function of a vector, over its whole range.
//
//	dst_i = exp(x_i)
//
// The kernel reduces x = k·ln 2 + r with k a multiple of 1/8 (float32: 1/4), takes
// 2^(k mod 1) from a table of 8 (4), exp(r) − 1 from a polynomial of degree 7 (4),
// and scales by 2^⌊k⌋; see ref.go.
//
// Shapes          x: n; dst: n or longer.
// Aliasing        dst may be x; otherwise they do not overlap.
// Accuracy        0.70 ULP in float64, 0.85 where the result is subnormal; 0.72 and 0.82 in float32, the largest errors of all 2^32 arguments.
// Special values  exp(±0) = 1 exactly, exp(+Inf) = +Inf, exp(−Inf) = +0, exp(NaN) = NaN. Underflow is gradual, and overflow to +Inf happens only where the true value rounds to it: math.Exp has +Inf from 709.44 on amd64 (true values are finite to 709.78) and no subnormal results on arm64.
// Cost            11 FMAs an element in float64, 8 in float32, and a table look-up; one read and one write. Results that are subnormal or overflow take the general body of the kernel, about three times as long.
// # What was measured
//
// One definition serves all instruction sets, so it was chosen by the sum over
// them. AVX2 in ns per element on a Zen 3 core at 3.24 GHz (glibc's libmvec 1.14
// in float64 and .43 in float32, SLEEF 3.5 u10 1.80 and .65 in the same runs);
// AVX-512 as measured on Zen 4 with C prototypes (libmvec .68, SLEEF .88 and .26),
// or ≈ from these by the number of FMAs.
//
//	float64                                   AVX2       AVX-512
//	8 entries + degree 7, two VPERMPS         .69        ≈ .43      chosen
//	the same, look-ups before the polynomial  .71
//	the same, polynomial in three levels      .76
//	8 entries + degree 7, lane loads          .71 – .77
//	16 entries + degree 6, lane loads         .71 – .74  .40
//	16 entries + degree 6, VPEXTRQ (C)        .78        .40
//	16 entries + degree 6, gather (C)         .92        .40
//	4 entries + degree 8, one VPERMPS (C)     .69        ≈ .47
//	no table, degree 11 (C)                   .69        .51
//
//	float32
//	4 entries + degree 4, VPERMILPS           .213       ≈ .15      chosen
//	8 entries + degree 3, VPERMPS             .207       .138
//	no table, degree 6 (C)                    .230       .166
//
// On Zen 3 a VPERMPS takes as long as two FMAs and runs on the same ports, which
// is what eats the gain of the table over degree 11; Zen 4 and Intel have cheaper
// ones, and in AVX-512 one VPERMPD of a register is the whole look-up. Degree 11
// misses the goals there (1.5 times libmvec, 1.9 times SLEEF); 16 entries gain
// 7 % there, and need stack and scalar registers in AVX2. Degree 3 was
// written first in float32: it is off by 1.038 ULP at exp(0.64979964).
package exp

//go:generate go run ./gencoef -dir ..
