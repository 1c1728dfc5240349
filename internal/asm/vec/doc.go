// Package vec has the elementwise work between two passes over a kernel matrix.
//
//	Divide        dst[i] = x[i] / y[i]                     v = b ⊘ q
//	CountOutside  #{ i : not lo ≤ x[i] ≤ hi }              has a scaling left the safe range?
//
// Shapes          x, y, dst: n.
// Aliasing        dst may be x or y.
// Accuracy        correctly rounded; the count is exact.
// Special values  IEEE division; a NaN counts as outside.
// Cost            n divisions, 3n elements moved; n comparisons, n elements read.
package vec
