// Package pass has the passes over the kernel matrix K: row sums, column sums, both at
// once for an iteration forward or back, and the elementwise work between two of them.
//
//	Rows     s[i] = Σ_j K_ij v[j]                    row sum in the lanes of the contract
//	Columns  q[j] = q[j] + Σ_i u[i] K_ij             one chain of FMAs, i ascending
//
// Iterate is the row half and the column half of a Sinkhorn iteration. A pair of
// matrix-vector products reads K twice; here a block of rows is still in the first-level
// cache when it is added to q:
//
//	for i = 0 … m−1:   u[i] = a[i] / Σ_j K_ij v[j]
//	                   q[j] = q[j] + u[i] K_ij       one FMA, i ascending
//
// With q = 0 before, u = a ⊘ K v and q = Kᵀ u after; v = b ⊘ q (Divide) then completes
// the iteration.
//
// Sweep is the reverse sweep's step from one iteration to the one before, Begin the step
// from the transport cost W = ⟨diag(u) K diag(v), M⟩ back to u and v:
//
//	Sweep    for i = 0 … m−1:   s[i] = w[i] Σ_j K_ij t[j]
//	                            q[j] = q[j] + s[i] K_ij
//	Begin    for i = 0 … m−1:   r[i] = Σ_j (K_ij M_ij) v[j]
//	                            s[i] = w[i] r[i]
//	                            q[j] = q[j] + K_ij (u[i] M_ij + s[i])      two FMAs
//
// With w = −u² ⊘ a (u of that iteration), s is the adjoint of K v on the way to u
// and q the adjoint of v; t = −q ⊙ v² ⊘ b leads on to the iteration before
// (package sinkhorn calls them s^k and t^k). W = Σ_i u[i] r[i].
//
// Where K is float32 and the vectors are float64, an element of K is widened, exactly,
// where it is loaded: the bits are those of K in float64, from half the bytes. Begin,
// which is called once, is given widened rows instead.
//
//	Divide        dst[i] = x[i] / y[i]                     v = b ⊘ q
//	CountOutside  #{ i : not lo ≤ x[i] ≤ hi }              has a scaling left the safe range?
//	Narrow        dst[i] = x[i] rounded to float32, or +0 if |x[i]| < 2⁻¹²⁶
//	Widen         dst[i] = x[i], float32 to float64
//
// Shapes          K, M: m × n, row-major, strides ldk and ldm; v, t, q: n; a, u, w, r, s: m. x, y, dst: of one length.
// Aliasing        s, u, r and q overlap no input and not each other; dst may be x or y, but not in Narrow and Widen.
// Accuracy        with γ_k = ku/(1 − ku) and k = ⌈n/w⌉ + log₂w for a row sum of w lanes: Rows is within γ_k Σ|terms|; u of Iterate within γ_(k+2) of a ⊘ K v for positive data; s within γ_(k+1) in Sweep, r within γ_(k+1) and s within γ_(k+2) in Begin; q, given u or s, within γ_m, in Begin within γ_(m+1). Divide is correctly rounded, Narrow but for what it sets to 0; the count is exact.
// Special values  follow the arithmetic: a row whose sum underflows gives u = +Inf or NaN. A NaN counts as outside. Narrow: no result is subnormal, in constant time, as in package exp2; beyond the largest float32 ±Inf; NaN stays NaN.
// Cost            Rows, Columns: m·n FMAs and m·n elements read. Iterate, Sweep: 2·m·n FMAs, m divisions or products, m·n elements read once. Begin: 3·m·n FMAs, 2·m·n elements. Divide: n divisions, 3n elements moved. CountOutside: n elements read. Narrow, Widen: 12n bytes moved.
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
// The same with AVX-512, whose 8 rows are summed and then added: the additions that wait for
// the division fill the scheduler (97 entries), and the next sums do not begin. Sixteen
// rows behind in the sums' loop, a Sapphire Rapids, minima in turn in one process: float64
// .80 at n = 32 to 80, .82 at 96, .89 at 104 to 144, .96 at 160, 1.02 at 192, 1.2 at 256;
// float32 .76 to .87 up to 256, .90 at 304, 1.0 at 400; K in float32 and vectors in float64
// .91 at 64, .95 to .99 up to 304. Hence rows of 1280 bytes at most. With the next rows
// fetched in that loop .80 to .83 at n = 96 to 104 in float64, but .90 for .85 at 64 and
// 1.04 for .96 at 160; float32 the same or more: rejected.
//
// Where a row ends in the first half of its last step, that half is all that is loaded:
// float32 .97 at n = 100.
//
// What does not grow with K: Iterate with one row of 8 takes 27 ns, Divide of 8
// elements 15 and clear 4, of 290 for an iteration with n = 64 in float32.
//
// Iterate with K in float32 and vectors in float64 against all in float64, the same
// machine: 1.29, 1.24, .87, .55, .55, .55 of its time at n = 64, 100, 256, 1000, 2000,
// 4000. A conversion from memory takes no shuffle and no port that an FMA needs, but an
// instruction of its own; the loads, 20 for 4 rows and 8 columns, are as many as in
// float64, and at n = 256 the loop takes what they take. Another order of its
// instructions, with the two registers of q's short step freed for it, changes nothing
// (.61 … .63 µs at n = 64); q eight rows at a time, eight behind the sums, gains 6 % at
// n = 64 and nothing from 100 on. The first of the exceptions is not for a float32 K: with
// the sums first Iterate takes 1.22 of the time at n = 1000 (one core of a Sapphire
// Rapids at AVX2).
//
// The four passes in one text that tests v and q, against a text for each (that machine,
// medians of alternating calls): which pass it is, compared in memory, cost rows of 64
// 3 % and 8 × 8 up to 8 %; tested in registers, 0 to 2 %. In the interleaved loop of one
// type the order matters where two threads share the core: row sums first, then q, 1.09
// at 100 × 100 in float64; each of q's after one of the sums', 1.00.
//
// Rows that are a power of two apart: a stride of one or two lines more takes .97 to 1.06 of
// Iterate's time at n = 256, 512, 1024 and 2048, all types, AVX2 and AVX-512 (a Sapphire Rapids,
// medians of 21 ratios, two runs), and most at n = 512 in float64, 1.02 to 1.06: four or eight rows
// fit in the 12 ways of a set. K keeps its stride.
package pass
