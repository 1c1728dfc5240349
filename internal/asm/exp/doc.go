// Package exp computes the exponentials of a vector, to base e or 2. It also computes the passes of
// a Sinkhorn iteration in the log domain.
//
//	Exp     dst_i = exp(x_i)
//	SumExp  top = max_i x_i                  NaN ignored; a zero is +0
//	        dst_i = exp(x_i − top)           the difference is rounded once; 0 if it is below −708 (float32: −87)
//	        rest = Σ dst_i, x_i ≠ top        in the lanes that package asm defines
//	        count = #{i: x_i = top}
//	Exp2    dst_i = 2^y_i,  y_i = c·x_i rounded once
//
// Exp reduces x = k·ln 2 + r, where k is a multiple of 1/8 (float32: 1/4). A table of 8 (float32: 4)
// entries gives 2^(k mod 1). A polynomial of degree 7 (float32: 4) gives exp(r) − 1. Finally, Exp
// multiplies by 2^⌊k⌋.
//
// SumExp is for softmax and log-sum-exp. The sum leaves out the largest element, whose exponential,
// 1, would hide the other terms. Therefore log Σ exp(x_i) = top + log1p(rest + count − 1) keeps its digits if
// rest is tiny. A call reads x twice: for top, then for the sum.
//
// Exp2 is for the Gibbs kernel K = exp(−λM) of a cost matrix M, with c = −λ·log₂e ([Bits]). It
// reduces y to k + f exactly, by additions alone, and takes 2^f − 1 from a polynomial. See ref.go
// for both.
//
// The contract:
//
//   - Shapes: x: n; dst: n or longer, for SumExp also nil; c: a number.
//   - Aliasing: dst may be x; otherwise dst and x do not overlap.
//   - Accuracy: Exp: 0.70 ULP in float64, 0.85 if the result is subnormal; 0.72 and 0.82 in
//     float32, the largest errors of all 2^32 arguments. SumExp: 0.65 (0.75) ULP of the exponential
//     of a difference d, and a relative error of 0.13·|d|·u (0.23·|d|·u). Exp2: 0.63 ULP of 2^y in
//     float64; 0.68 in float32, the largest of all y; the rounding of y itself changes the result
//     by a relative |y|·2^-53.5 (2^-24.5) at most.
//   - Special values: exp(±0) = 1 exactly, exp(+Inf) = +Inf, exp(−Inf) = +0, exp(NaN) = NaN.
//     Underflow of Exp is gradual. Exp overflows to +Inf only if the true value rounds to it;
//     math.Exp returns +Inf from 709.44 on amd64, though true values are finite up to 709.78, and
//     no subnormal results on arm64. Exp2 returns no subnormal results, in constant time: 2^y = +0
//     for y < −1022 (float32: −126). It returns +Inf for y ≥ 1023.9375 (127.875), including the end
//     of the last octave, whose true values are finite. NaN gives NaN. Exp2 of an integer is exact.
//   - Cost: Exp: 11 FMAs an element in float64, 8 in float32, and a table lookup; results that are
//     subnormal or overflow take about three times as long. SumExp: 10 (7) FMAs an element, a
//     maximum, three differences and sums, and a lookup; in AVX2 and AVX-512 a block of four
//     registers that contains a NaN, the largest element, or an element more than 708 (87) below
//     it, is computed one register at a time. Exp2: 1 multiplication and 8 FMAs (float32: 1 and 5),
//     3 additions, a table lookup; in AVX2 a block with a y beyond the upper limit takes about
//     twice as long. One read and one write.
//
// # The log domain
//
// If λ is large, K underflows. Then base-2 logarithms replace u and v: f = log₂u and g = log₂v.
// With c = λ·log₂e the plan is T_ij = 2^(f[i] + g[j] − c M_ij). LogRows is the pass over M of one
// full iteration:
//
//	for i = 0 … m−1:   x_j    = g[j] − c M_ij                 one FMA
//	                   max[i] = max_j x_j                     NaN ignored; a zero is +0
//	                   e_j    = 2^(x_j − max[i])              as Exp2
//	                   sum[i] = Σ_j e_j                       row sum in the lanes of the contract
//	                   w      = a[i] / sum[i]
//	                   q[j]   = q[j] + w e_j                  one FMA, i ascending
//
// Then log₂ Σ_j 2^x_j = max[i] + log₂ sum[i], which is never out of range. The caller sets f[i] to
// log₂a[i] minus this value. q has the column sums of the resulting plan, and the next potential is
// g[j] + log₂(b[j]/q[j]). One exponential of each element serves both the row and the column
// update.
//
// If a column of the plan is so small that q underflows, LogColumnMax and LogColumnSum compute its
// log-sum-exp. LogPlan stores the plan:
//
//	LogColumnMax   h[j] = max(h[j], f[i] − c M_ij)            NaN ignored, i ascending
//	LogColumnSum   s[j] = s[j] + 2^(f[i] − c M_ij − h[j])     i ascending
//	LogPlan        T_ij = 2^((g[j] − c M_ij) + f[i])
//
// The contract:
//
//   - Shapes: M, T: m × n, strides ldm, ldt; f, a, max, sum: m; g, q, h, s, e (scratch): n.
//   - Aliasing: T may be M; otherwise an output overlaps no input and no other output.
//   - Accuracy: if the second rounding changes an exponent x to y, 2^y has a relative error of
//     (|x| + |y|) u ln 2 from it; the power adds 2.2u, and a sum of k terms γ_k.
//   - Special values: f[i] = −Inf and g[j] = −Inf represent zero weights and give zeros; a row in
//     which every x is −Inf or NaN has max −Inf and sum NaN.
//   - Cost: LogRows: one FMA, one exponential and one more FMA an element; M is read once.
//
// NOTES.md has measurements and rejected ideas. docs/PROOF.md lists the functions whose assembly is
// proved to return the same bits as ref.go.
package exp

//go:generate go run github.com/gomonge/monge/prove/gencoef -dir .
