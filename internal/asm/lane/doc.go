// Package lane has the passes over K for w small problems at once, one to a lane: w = 8
// problems in float64, 16 in float32, each with a K and vectors of its own.
//
//	Rows        s[i] = Σ_j K_ij v[j]                  row sum in the lanes of the contract
//	Columns     q[j] = q[j] + Σ_i u[i] K_ij           one chain of FMAs, i ascending
//	Divide      x[i] = a[i] / y[i], and which problems have an x outside their safe range
//	SqEuclidean      D_ij = Σ_k (x_ik − y_jk)²             one chain of FMAs, k ascending
//	Mul         z[i] = x[i] y[i]
//	Interleave  dst_ij = x_p[i ldx+j], matrices laid out for the others
//
// for every problem. Problems lie interleaved: element i of problem p is at iw+p of a
// vector, element (i, j) of an m × n matrix at (in+j)w+p. So nothing is shuffled: the
// virtual lanes of a row sum, w of them, are w registers, and what is a fold within a
// register for one problem is a sum of registers for all. A short row is padded to a
// multiple of w columns by whoever lays it out, with v = 0; rows are padded to a multiple
// of four, with K > 0 and a = 0.
//
// Shapes          m a multiple of 4, n of w; K: m·n·w; v, q: n·w; u, s: m·w; lo, hi, outside: w. Interleave: any m and n.
// Aliasing        what is set overlaps nothing else; z may be x.
// Accuracy        that of packages pass and distance, whose bits these are.
// Special values  follow the arithmetic. In Divide a NaN is outside, a 0 that belongs to a weight of 0 is not; with clear, what belongs to a weight of 0 is 0.
// Cost            Rows, Columns: m·n·w FMAs. Divide: n·w divisions.
//
// # Measured
//
// µs a problem of ten thousand, n against n points in two dimensions, ten iterations, K and
// all checks included, on one core of a Sapphire Rapids with AVX-512: minima of four runs of
// go test -run '^$' -bench Tiny ./sinkhorn, at commit 2803110; in brackets the least seen
// before Interleave, when the machine was faster.
//
//	n     float64: Solve   SolveBatch         float32: Solve   SolveBatch
//	8     4.21 (2.64)      1.32 (.69)  3.2    5.11 (2.45)      1.02 (.55)  5.0
//	16    7.55 (2.56)      2.31 (1.35) 3.3    6.87 (2.44)      1.40 (.91)  4.9
//	32    12.5 (4.75)      7.97 (4.27) 1.6    7.75 (3.88)      3.32 (2.32) 2.3
//
// Costs given: 3.8, 2.0, 1.4 times in float64, 5.6, 3.6, 2.1 in float32. With all of two cores
// in SolveBatch and one in the loop of Solve, as it is written without goroutines: 5.2, 4.3, 2.9
// in float64, 7.7, 6.1, 3.5 in float32.
//
// Twice as many at n = 32 in float64 is out of reach. At 2 GHz the FMAs of a problem take
// .70 µs (22 passes, 16 a cycle), its divisions .64 (8 in 16 cycles: 8.0 ns measured), its
// exponentials .33, one way as the other; 1.7 of the 2.4 to 3.5 µs that half of Solve's time
// is, before anything has been loaded. K of eight problems is 64 KB, more than the
// first-level cache has, where the 8 KB of one stay: an FMA of 64 bytes takes .85 ns in Rows
// and .65 in Columns at 32 × 32, .45 and .6 with 16 KB of K, .25 at the peak. Four problems
// at a time, two columns a register, would be in that cache: by these figures half a µs is
// all that it could save. What did pay: SqEuclidean, Exp2 and the first Columns, and Mul and Rows
// of the costs, on 16 KB of rows after the other, and less of copying (1.11 times as fast as
// without, 1.2 at n = 16).
//
// Laying costs out in Go, an element of eight problems after the other, was .7 ns an
// element at n = 32; Interleave takes .26 where they are in the first-level cache, .5
// where in the third and .5 to 1 where in memory. It, room that is looked for once for
// problems of one shape, and u and v that stay in the lanes until somebody asks for them,
// made of 1.22, 2.5 and 6.5 µs a problem .97, 1.97 and 5.8 (n = 8, 16, 32, costs given, float64,
// medians of six interleaved runs beside other programs). By a profile, of what is left
// divisions are a seventh at n = 8, checks and room a fifth, laying out an eighth; at n = 32 Rows,
// which takes 1.25 cycles for every line of K from the second-level cache, a fifth, and
// Columns, Divide, Exp2 and laying out an eighth each.
//
// # What was tried
//
// Asking ahead for the next problems' costs during the iterations, rows by rows: 1.71 for 1.97 µs at n = 16,
// .98 for .97 at 8, 7.2 for 5.8 at 32, where K's lines wait for them.
//
// Columns of rows before, while the divisions of those at hand go on, in steps of 4, 8 and
// 16 KB: 1.17, 1.18 and 1.10 of the time at n = 32. Steps of 8 KB without that: 1.19.
//
// With AVX2, costs given, medians of four runs: 6.3 for Solve and 2.35 µs, 10.3 and 5.4 at n = 16. At 32, .95 times as many
// as Solve before Interleave, problems go one by one. NEON has the bits, under emulation, and no timings.
package lane
