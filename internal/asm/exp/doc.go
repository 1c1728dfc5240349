// Package exp has the exponentials: of a vector to the bases e and 2, and fused into
// the passes of a Sinkhorn iteration in the log domain.
//
//	Exp     dst_i = exp(x_i), over its whole range
//	Exp2    dst_i = 2^y_i,  y_i = c·x_i rounded once
//
// Exp reduces x = k·ln 2 + r with k a multiple of 1/8 (float32: 1/4), takes
// 2^(k mod 1) from a table of 8 (4), exp(r) − 1 from a polynomial of degree 7 (4),
// and scales by 2^⌊k⌋. Exp2 is for the Gibbs kernel K = exp(−λM) of a cost matrix M:
// with c = −λ·log₂e the change of base costs nothing. It reduces y to k + f, exactly
// and by additions alone, and has a polynomial for 2^f − 1. See ref.go.
//
// Shapes          x: n; dst: n or longer; c: a number.
// Aliasing        dst may be x; otherwise they do not overlap.
// Accuracy        Exp: 0.70 ULP in float64, 0.85 where the result is subnormal; 0.72 and 0.82 in float32, the largest errors of all 2^32 arguments. Exp2: 0.63 ULP of 2^y in float64; 0.68 in float32, the largest of all y; the rounding of y itself moves the result by up to |y|·2^-53.5 (2^-24.5) of its size.
// Special values  exp(±0) = 1 exactly, exp(+Inf) = +Inf, exp(−Inf) = +0, exp(NaN) = NaN. Underflow of Exp is gradual, and overflow to +Inf happens only where the true value rounds to it: math.Exp has +Inf from 709.44 on amd64 (true values are finite to 709.78) and no subnormal results on arm64. Exp2 has 2^y = +0 for y < −1022 (float32: −126), in constant time: no subnormal results; and +Inf for y ≥ 1023.9375 (127.875), the end of the last octave included, whose true values are finite. NaN gives NaN; whole y are exact.
// Cost            Exp: 11 FMAs an element in float64, 8 in float32, and a table look-up; results that are subnormal or overflow take the general body of the kernel, about three times as long. Exp2: 1 multiplication and 8 FMAs (float32: 1 and 5), 3 additions, a table look-up; in AVX2 a block with a y beyond the upper limit takes about twice as long. One read and one write.
//
// # The log domain
//
// Where λ is large, K underflows, and potentials, base-2 logarithms, take the place
// of u and v: f = log₂u, g = log₂v, and c = λ·log₂e turns a cost into bits, so that
// T_ij = 2^(f[i] + g[j] − c M_ij). LogRows, one full iteration's pass over M:
//
//	for i = 0 … m−1:   x_j    = g[j] − c M_ij                 one FMA
//	                   max[i] = max_j x_j                     NaN ignored; a zero is +0
//	                   e_j    = 2^(x_j − max[i])              as Exp2
//	                   sum[i] = Σ_j e_j                       row sum in the lanes of the contract
//	                   w      = a[i] / sum[i]
//	                   q[j]   = q[j] + w e_j                  one FMA, i ascending
//
// so that log₂ Σ_j 2^x_j = max[i] + log₂ sum[i] is never out of range, f[i] is log₂a[i]
// minus that, and q gathers the column sums of the plan that results, for
// g[j] + log₂(b[j]/q[j]) to be the next potential. Each element takes one
// exponential for the row and the column update together. Where a column of the
// plan is so small that q underflows, its log-sum-exp is taken for itself, and
// LogPlan writes the plan out:
//
//	LogColumnMax   h[j] = max(h[j], f[i] − c M_ij)            NaN ignored, i ascending
//	LogColumnSum   s[j] = s[j] + 2^(f[i] − c M_ij − h[j])     i ascending
//	LogPlan        T_ij = 2^((g[j] − c M_ij) + f[i])
//
// Shapes          M, T: m × n, strides ldm, ldt; f, a, max, sum: m; g, q, h, s, e (scratch): n.
// Aliasing        T may be M; otherwise outputs overlap no input and not each other.
// Accuracy        an exponent x that becomes y by the second rounding costs 2^y a relative (|x| + |y|) u ln 2, its power 2.2u; a sum of k terms adds γ_k.
// Special values  f[i] = −Inf or g[j] = −Inf stand for a zero weight and give zeros; a row in which every x is −Inf or NaN has max −Inf and sum NaN.
// Cost            LogRows: one FMA, one exponential and one more FMA an element, M read once.
//
// # What was measured
//
// One definition serves all instruction sets, so it was chosen by the sum over
// them. AVX2 in ns per element on a Zen 3 core at 3.24 GHz (glibc's libmvec 1.14
// in float64 and .43 in float32, SLEEF 3.5 u10 1.80 and .65 in the same runs);
// AVX-512 as measured on Zen 4 with C prototypes (libmvec .68, SLEEF .88 and .26),
// or ≈ from these by the number of FMAs. Of Exp:
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
//
// Exp2 in AVX2 on the same core: .70 ns an element in float64, .226 in float32. Less
// is not there because look-up and comparisons take the ports that the reduction by
// additions leaves free. The prototype for AVX-512 on Zen 4, 16 entries and degree 6,
// took .33 and .105. Its lower limit costs a comparison, a maximum and an AND-NOT.
// The comparison clears S, not the result, so that nothing but S, f and q lives
// through the polynomial; y is raised to the limit first, or f of −Inf would be a NaN.
package exp

//go:generate go run ./gencoef -dir .
