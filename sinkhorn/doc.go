// Package sinkhorn solves entropy-regularized optimal transport by Sinkhorn's
// iterations, in float64 and float32, and differentiates through them.
//
// For a cost matrix M (n × m), marginals a and b and λ > 0, let K = exp(−λM). From
// u⁰ = 1, iteration k sets
//
//	v^k = b ⊘ Kᵀu^(k−1),    u^k = a ⊘ K v^k,
//
// and the plan after L iterations is T = diag(u^L) K diag(v^L), with T1 = a. λ
// multiplies the cost; the reg or ε of other libraries is 1/λ (M. Cuturi,
// "Sinkhorn distances: lightspeed computation of optimal transport", 2013).
//
// A [Solver] has [Settings], a workspace that it reuses, and three entrances: Solve
// for one problem, SolveBatch for thousands of small ones, Divergence for the
// Sinkhorn divergence of two clouds. A [Result] has costs, plan, potentials,
// projection and gradients.
//
// # What can be relied on
//
// Nothing is added to a denominator. When a scaling is about to leave the range in
// which this is accurate, the iteration is made on logarithms, and its potentials
// are absorbed into K for those that follow (forward.go). Whatever λ and the scale
// of the data, the result is finite and right, or its Status or an error says what
// it is not.
//
// The answers are the same bits on every machine, with every instruction set, and for
// every Storage (but for StorageMixed) and number of Workers. Problems of more than 2¹⁹ elements are cut into
// pieces of rows, by their size alone, and shared by Settings.Workers goroutines.
//
// A solver allocates nothing once it has seen its largest problem, and refuses one that
// would take more than Settings.MaxMemory. Everything that can take long has a context,
// which is asked before every block of rows of every pass: it ends the call within some
// 10 ms, with the context's cause.
//
// # To a tolerance
//
// With Settings.Tolerance, iterations that turn out to be slow are followed by Newton's
// method on the dual (newton.go), where its linear systems take long over the elements of the
// plan that matter (sparse.go), and where they are ill-conditioned they are factorized
// (direct.go). Medians over 12 problems of each size, λ·max M = 10², 10³ and 10⁴, marginal
// error 1e-9: at n = m = 256, 1000 and 4000 at least 10 times as fast as plain iterations and
// as ε-scaling (9.9 at 1000); more where λ is large, and where few iterations do as fast as
// these. All cases by go run ./bench/converge in bench/README.md. A number of iterations
// without a Tolerance is made as it says.
//
// Tried, in passes over K at n = 256, before systems were factorized: conjugate gradients
// that end when the residual has not halved for 40 steps, as the implicit gradient's do, take more than 200 000 in five of
// the twelve (it halves after hundreds). Without ε-scaling before them, 6496, 18 552 and
// more than 20 000 for 4111, 4249 and 4583 at λ·max M = 10⁴. Steps of twice the length where
// the dual still rises by a quarter of its slope: 2 to 35 % fewer; left out, for one rule
// less. Over-relaxation of both scalings (A. Thibault et al.), in numpy on other draws of the
// same clouds, with the best of six constant ω, which nobody knows beforehand: 58, 201, 80
// and 34 iterations where the default takes 44, 156, 72 and 39 passes (uniform, d = 2, at 10²
// and 10³; d = 10 and normal, shifted, at 10²), and none of the six gets there in 4000 where
// the default takes longest (d = 10, 10³).
// With another ω it is 1.5 to 5 times as many. So there is nothing for it to do before
// Newton's steps; the dual as their safeguard is what was kept of it. A factor's cost held
// against the steps of one direction alone, or those of earlier ones counted half: a third
// longer in three of six cases at n = 1000, up to a quarter less in some of 256.
//
// With prices for mass the same steps are made (12 problems, n = 256, ρ = max M: at least 10 times
// as fast as plain iterations and as ε-scaling; ρ = max M/10: 4.7 and 4.8); not with
// Problem.Mass, whose dual has kinks.
//
// # Cost
//
// An iteration reads K once, as does a step of the reverse pass; a log-domain
// iteration that is not on scalings takes one exponential an element. Memory beyond
// the problem, in elements:
//
//	stored        2nm (nm for a cost matrix) + O(n + m)
//	mixed         1.5nm (0.5nm for a cost matrix) + O(n + m)
//	matrix-free   O(n + m), of which 24 rows of m for every worker and 16 or more
//	              partial sums of m
//	gradient      3·Iterations·(n + m) more
//	tolerance     if MaxMemory has them, where Newton's steps take long, 3.5 for each element
//	              of a list of the plan (at most nm/12, nor more than 2²⁴), and in float64
//	              m(m + 1024), up to m = 8192, where they are factorized
//
// # What was measured
//
// AVX2 on one Zen 3 core, on a machine with other work, the least of many solves in
// µs: n = m points in 10 dimensions, ten iterations, float64 | float32; log is λ =
// 5 in the log domain; gradient includes the solve.
//
//	n      cost          gradient      log           log, gradient
//	64     13.8 | 7.8    34 | 21       29 | 17       50 | 37
//	100    31 | 19       74 | 48       65 | 37       108 | 80
//	256    218 | 93      512 | 228     390 | 166     679 | 391
//
// StorageMixed against StorageDense, 100 iterations for a cost matrix, in processor time: 78 µs for
// 65 at n = 64, 174 for 143 at 100, 0.89 ms for 1.10 at 256, 25 for 34 at 1000, 0.66 s
// for 1.05 at 4000. Gradients in the log domain took a quarter longer: the stretches of
// the reverse pass are shorter.
//
// DomainLog-domain iterations with a log-sum-exp each took 114 | 78 at n = 64 and 1480 |
// 880 at n = 256. Matrix-free in two dimensions, a pass takes 1.1 ns an element up
// to m = 4000 and 1.3 at m = 100 000, where 12 rows of K are 10 MB and in the
// third-level cache: tiles of columns with row sums carried from tile to tile would
// gain 15 % at most, and need a kernel of their own. n = m = 100 000: 62 MB
// allocated in all, with two workers.
//
// The symmetric problem, a cloud with itself, is not treated apart: an iteration
// reads K once for two half-steps and 2nm FMAs; half of K, twice, is the same.
//
// K is stored with its columns and its stride rounded up to whole vectors of 64 bytes. On
// a Sapphire Rapids with AVX-512 and other work, an iteration (BenchmarkIteration, the
// least of 8 runs) takes .90, .74 and .73 of the time without at n = 97, 101 and 301 in
// float64, and .76, .90 and .74 in float32. A stride of one more line where it is a
// multiple of 2 KiB makes .85 to 1.19, without a trend, and was left.
package sinkhorn
