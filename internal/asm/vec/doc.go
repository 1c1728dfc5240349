// Package vec has the elementwise work between two passes over a kernel matrix, and
// the conversions of one that is kept in float32.
//
//	Divide        dst[i] = x[i] / y[i]                     v = b ⊘ q
//	CountOutside  #{ i : not lo ≤ x[i] ≤ hi }              has a scaling left the safe range?
//	Narrow        dst[i] = x[i] rounded to float32, or +0 if |x[i]| < 2⁻¹²⁶
//	Widen         dst[i] = x[i], float32 to float64
//
// Shapes          x, y, dst: n.
// Aliasing        dst may be x or y; in Narrow and Widen they do not overlap.
// Accuracy        correctly rounded, but for what Narrow sets to 0; the count is exact.
// Special values  IEEE division; a NaN counts as outside. Narrow: no result is subnormal, in constant time, as in package exp2; beyond the largest float32 ±Inf; NaN stays NaN.
// Cost            n divisions, 3n elements moved; n comparisons, n elements read; n conversions, 12n bytes moved.
package vec
