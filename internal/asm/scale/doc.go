// Package scale is the row half and the column half of a Sinkhorn iteration in one
// pass over the kernel matrix.
//
//	for i = 0 … m−1:   s    = Σ_j K_ij v[j]           row sum in the lanes of the contract
//	                   u[i] = a[i] / s
//	                   q[j] = q[j] + u[i] K_ij        one FMA, i ascending
//
// With q = 0 before, u = a ⊘ K v and q = Kᵀ u after; v = b ⊘ q (vec.Divide) then
// completes the iteration. A pair of matrix-vector products reads K twice; here a
// block of rows is still in the first-level cache when it is added to q.
//
// IterateMixed is the same with K in float32 and the vectors in float64: an element of
// K is widened, exactly, where it is loaded, so that the bits are those of Iterate
// with the same K in float64, from half the bytes.
//
// Shapes          K: m × n, row-major, stride ldk; v, q: n; a, u: m.
// Aliasing        u and q overlap no input.
// Accuracy        for positive data u is within γ_(k+2) of a ⊘ K v, k = ⌈n/w⌉ + log₂w, and q within γ_m of q + Kᵀ u; γ_k = ku/(1 − ku).
// Special values  follow the arithmetic: a row whose sum underflows gives u = +Inf or NaN.
// Cost            2·m·n FMAs, m divisions; m·n elements read once.
//
// # What was tried
//
// On AVX2, one core of a Zen 3 (32 KB, 512 KB, 32 MB of cache), the time of
// "interleaved" as 1: the row sums of four rows and, in the same loop, what the four rows
// before them add to q, from the last column on. Going back through the columns finds
// their end still in the first-level cache.
//
//	                                                  float64                float32
//	                                         n = 64    256   1000   4000    1000   4000
//	sums of 4 rows, then the same to q         1.12   1.10    .94   1.05     .96   1.08
//	the same, to q from the first column on    1.17   1.17   1.07   1.08
//	interleaved, q from the first column on    1.00   1.04   1.07    .99
//	interleaved, 8 rows apart                   .99   1.15   1.03   1.15
//	interleaved every 256 bytes                       1.06   1.00   1.04    1.01   1.03
//	sums of 4 and 4 rows, then 8 to q           .97   1.12    .99   1.09    1.02   1.07
//	the same, the fours in turn every 512 B           1.17   1.06    .96    1.01   1.08
//	the same, interleaved                             1.39   1.10   1.25    1.23   1.24
//	sums of 8 rows one by one, then 8 to q            1.38   1.13   1.38    1.09
//	sums of 2 rows, then 2 to q                1.53   1.49   1.04   1.24    1.04
//	next sums before q, not interleaved         .99   1.17   1.12   1.05
//	sums of 8 rows, q 8 rows behind            1.02   1.39
//	all sums, then all of q                     .98   1.41
//	prefetching 512 bytes ahead                1.09   1.12   1.02   1.03    1.03   1.05
//	prefetching the next 4 rows                1.28   1.35   1.41   1.20    1.42
//	prefetching where pages begin                     1.01   1.02   1.13    1.03   1.18
//	4 sums, 4 to q, prefetching the next 4     1.14   1.08   1.17   1.37     .97   1.30
//	4 sums, 4 to q, the next rows' beginnings         1.07    .95   1.04     .94   1.06
//	row sums alone, for comparison              .51    .69    .64    .80     .63   .84
//
// (4000: in pieces of 64 rows, the best tenth of thousands, on a busy machine; ± .03.)
// Which hint a prefetch gives, and whether pages are huge, makes no difference. From the
// second-level cache on, each form takes the time of its row sums plus that of reading
// the block again from that cache: both fill the first-level cache, at 32 bytes a cycle.
// The second read is free only where the block has stayed there. Hence two exceptions:
//
//   - Rows of 3.6 to 8.5 KB: four of them fit if nothing else is read in between, so the
//     sums come first, then q: float64 .91 at 64 × 600 to 800, .95 at 1000. Longer rows
//     come from memory, where the interleaved loop hides more of the wait.
//   - K of at most 36 KB: no wait at all. q follows eight rows behind the sums, eight rows at
//     a time, which reads q half as often and hides the folding and the division:
//     float32 .76 at n = 36, .86 at 64, .89 at 96; float64 .78 at 36, .95 at 64.
//
// Where a row ends in the first half of its last step, that half is all that is loaded:
// float32 .97 at n = 100.
//
// What does not grow with K: Iterate with one row of 8 takes 27 ns, vec.Divide of 8
// elements 15 and clear 4, of 290 for an iteration with n = 64 in float32.
//
// IterateMixed against Iterate in float64, the same machine: 1.29, 1.24, .87, .55, .55,
// .55 of its time at n = 64, 100, 256, 1000, 2000, 4000. A conversion from memory takes
// no shuffle and no port that an FMA needs, but an instruction of its own; the loads,
// 20 for 4 rows and 8 columns, are as many as in float64, and at n = 256 the loop takes
// what they take. Another order of its instructions, with the two registers of q's
// short step freed for it, changes nothing (.61 … .63 µs at n = 64); q eight rows at a
// time, eight behind the sums, gains 6 % at n = 64 and nothing from 100 on.
package scale
