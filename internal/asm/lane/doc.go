// Package lane has the passes over K for w small problems at once, one to a lane: w = 8
// problems in float64, 16 in float32, each with a K and vectors of its own.
//
//	Rows     s[i] = Σ_j K_ij v[j]                  row sum in the lanes of the contract
//	Columns  q[j] = q[j] + Σ_i u[i] K_ij           one chain of FMAs, i ascending
//	Divide   x[i] = a[i] / y[i], and which problems have an x outside their safe range
//	SqDist   D_ij = Σ_k (x_ik − y_jk)²             one chain of FMAs, k ascending
//	Mul      z[i] = x[i] y[i]
//
// for every problem. Problems lie interleaved: element i of problem p is at iw+p of a
// vector, element (i, j) of an m × n matrix at (in+j)w+p. So nothing is shuffled: the
// virtual lanes of a row sum, w of them, are w registers, and what is a fold within a
// register for one problem is a sum of registers for all. A short row is padded to a
// multiple of w columns by whoever lays it out, with v = 0; rows are padded to a multiple
// of four, with K > 0 and a = 0.
//
// Shapes          m a multiple of 4, n of w; K: m·n·w; v, q: n·w; u, s: m·w; lo, hi, outside: w.
// Aliasing        what is set overlaps nothing else; z may be x.
// Accuracy        that of packages pass and distance, whose bits these are.
// Special values  follow the arithmetic. In Divide a NaN is outside, a 0 that belongs to a weight of 0 is not; with clear, what belongs to a weight of 0 is 0.
// Cost            Rows, Columns: m·n·w FMAs. Divide: n·w divisions.
//
// # Measured
//
// µs a problem of ten thousand, n against n points in two dimensions, float64, ten
// iterations, K and all checks included, on one core of a Sapphire Rapids with AVX-512: the
// lesser of two runs of go test -run '^$' -bench Tiny ./sinkhorn with all else stopped; POT
// 0.9.7 in processor time with other work, one thread, n × n costs given, the least of three.
//
//	n     Solve   SolveBatch   ot.sinkhorn in a loop   ot.batch.solve_batch
//	8      3.69         1.17                     294                     73
//	16     3.38         1.74                     326                    319
//	32     4.75         4.56                     291                   1149
//
// 3.2, 1.9 and 1.0 times as many as Solve. At n = 32 K of eight problems is 64 KB, more than
// the first-level cache has, where the 8 KB of one stay, and lanes save none of the n + m
// divisions of an iteration; what it takes of the time was not measured.
//
// With AVX2, in processor time with other work: 2.2, 1.2 and .95 times as many. NEON was not
// timed.
package lane
