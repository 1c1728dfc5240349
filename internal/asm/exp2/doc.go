// Package exp2 computes powers of two, for the Gibbs kernel K = exp(−λM) of a cost
// matrix M: with c = −λ·log₂e the change of base costs nothing.
//
//	dst_i = 2^y_i,  y_i = c·x_i rounded once
//
// y is reduced to k + f with k a multiple of 1/8 (float32: 1/4), exactly and by
// additions alone; 2^(k mod 1) is looked up and 2^f − 1 a polynomial of degree 7
// (4), as in package exp; see ref.go. Other kernels fuse the core into something else:
// exp2_*.h has it as macros, of which they carry an identical copy, and [Ref] is
// its definition.
//
// Shapes          x: n; dst: n or longer; c: a number.
// Aliasing        dst may be x; otherwise they do not overlap.
// Accuracy        0.63 ULP of 2^y in float64; 0.68 in float32, the largest of all y. The rounding of y itself moves the result by up to |y|·2^-53.5 (2^-24.5) of its size.
// Special values  2^y = +0 for y < −1022 (float32: −126), in constant time: there are no subnormal results. 2^y = +Inf for y ≥ 1023.9375 (127.875), the end of the last octave included, whose true values are finite. NaN gives NaN; whole y are exact.
// Cost            1 multiplication and 8 FMAs an element (float32: 1 and 5), 3 additions, a table look-up; one read and one write. In AVX2 a block with a y beyond the upper limit takes about twice as long.
// # What was measured
//
// Package exp has the choice of table and degree. AVX2 on a Zen 3 core at 3.24 GHz:
// .70 ns an element in float64, .226 in float32. Less is not there because look-up
// and comparisons take the ports that the reduction by additions leaves free. The
// prototype for AVX-512 on Zen 4, 16 entries and degree 6, took .33 and .105.
//
// The limit below costs a comparison, a maximum and an AND-NOT. The comparison
// clears S, not the result, so that nothing but S, f and q lives through the
// polynomial; y is raised to the limit first, or f of −Inf would be a NaN.
package exp2
