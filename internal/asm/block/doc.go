// Package block has passes over the kernel matrix K for a block of four vectors: problems
// that have K in common, each with marginals of its own.
//
//	Rows     r_s[i] = Σ_j K_ij v_s[j]
//	Columns  q_s[j] = q_s[j] + Σ_i u_s[i] K_ij
//	Iterate  u_s[i] = a_s[i] / Σ_j K_ij v_s[j],   then Columns          s = 0 … 3
//
// The definition is that of package pass, one vector after the other, and so are the bits,
// the accuracy and the special values. Level Ref and the last m mod 4 rows are passed
// over in just that way.
//
// A pass for one vector reads an element of K for two FMAs: from the second-level cache
// on it takes the time of the loads. Here K goes through the registers once for four
// vectors. In the tile of four rows by four vectors every lane of every row sum is an
// accumulator, as it is for one vector; what four rows add to q_s[j] is the same chain, i
// ascending. So nothing has to be emulated. Lanes rest in scratch between one tile of
// columns and the next, and are folded when the row is over.
//
// Shapes          K m×n row-major, stride ldk; n a positive multiple of the lanes w; v_s, q_s: n; a_s, u_s, r_s: m; scratch of Scratch elements, zero before and after.
// Aliasing        what is set overlaps nothing else.
// Cost            8·m·n FMAs for Iterate, 4·m·n for the others; K is read once from memory, and once more from the second-level cache by Iterate.
//
// # Measured
//
// µs a problem of sixteen of one cost matrix, ten iterations, in brackets a hundred, on one
// core of a Sapphire Rapids with AVX-512 that others use, too (2 GHz, 2 MB of second-level
// cache): Solve one after the other, and SolveBatch; the lesser of two runs (n = 4000: one) of
//
//	go test -run '^$' -bench Together -count 2 ./sinkhorn
//
//	           n = 64          256             1000              4000
//	float64    11.3 (72.9)     139 (918)       5598 (38404)      136345 (1009073)
//	  together  7.5 (63.4)      71 (579)       1575 (12155)       49099 (239275)
//	float32     5.6 (41.5)      75 (492)       2531 (15713)
//	  together  5.1 (35.5)      37 (293)        747 (6133)
//
// Two FMAs an element and vector are .0625 ns in float64 at 2 GHz. Tiles in the first-level
// cache take .069 to .075, from the second-level cache .09 to .12: it delivers four lines
// of K in the eight cycles of sixteen FMAs, and add stores four besides. A pass for one
// vector at n = 256 takes no more than twice the FMAs' time, so that little can be gained
// there: 1.6 times with a hundred iterations. At n = 64 the calls of three functions for 32
// rows and the folding of lanes, which is that of one vector, are what is left.
//
// Below n = 128, and with AVX2: how many times as many problems as a loop of Solve, ten
// iterations and, in brackets, a hundred, medians of 15 interleaved runs, alone for a minute:
//
//	              n = 32        48            64            80            100           128           256
//	AVX-512  f64  1.2 (1.3)     1.3 (1.0)     1.4 (1.0)     1.6 (1.3)     1.7 (1.3)     1.7 (1.5)     2.0 (1.6)
//	         f32  1.7 (2.2)     1.3 (1.1)     1.3 (1.1)     1.3 (1.1)     1.6 (1.2)     1.6 (1.3)     1.8 (1.5)
//	AVX2     f64  1.4 (1.1)     1.4 (1.1)     1.4 (1.1)     1.4 (1.1)     1.6 (1.1)     1.5 (1.1)     1.5 (1.1)
//	         f32  1.3 (1.1)     1.3 (1.1)     1.3 (1.1)     1.4 (1.0)     1.6 (1.0)     1.5 (1.4)     1.6 (1.2)
//
// (n = 32 with AVX-512 is package lane.) A K of at most 32 KB stays in the first-level cache,
// from which four vectors at a time are no faster than one: package sinkhorn takes it once,
// and passes over it for one after the other. With blocks there a hundred iterations at n = 64
// were 1.06, .97, .95 and .94 times as many (rows as above).
//
// # What was tried
//
// Prefetching the next four rows from the second-level cache: .97 to 1.3 of the time. NEON was
// not timed.
//
// Another design for AVX-512 and rows of one tile: one text for all of an iteration, four rows'
// sums in registers, folded and divided there, and then what the four rows before add, so that
// K comes from the second-level cache once, lanes never rest in scratch, and divisions go on
// behind FMAs; with and without fetching the next rows ahead. The least of 47 interleaved
// runs, ns an element: at n = 256 .095 for .098 in float64, .047 for .044 in float32, .107 for .107
// mixed; at 64 .098 for .096, .068 for .075, .134 for .120. So it is neither the cache nor the
// calls: there are 28 to 31 instructions for sixteen FMAs either way. It was left. With
// the divisions, two cycles for every element of u and v, FMAs at their peak would be 2.0
// times Solve at n = 256; what is reached is 1.6.
package block
