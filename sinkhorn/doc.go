// Package sinkhorn solves entropy-regularized optimal transport by Sinkhorn's iterations, in
// float64 and float32, and differentiates through them.
//
// For a cost matrix M (n × m), marginals a and b, and λ > 0, let K = exp(−λM). Starting from
// u⁰ = 1, iteration k sets
//
//	v^k = b ⊘ Kᵀu^(k−1),    u^k = a ⊘ K v^k,
//
// and the transport plan after L iterations is T = diag(u^L) K diag(v^L). λ multiplies the cost. The
// parameter reg or ε of other libraries is 1/λ. See M. Cuturi, "Sinkhorn distances: lightspeed computation of
// optimal transport", 2013.
//
// # Use
//
// Create a [Solver] and use it for one [Problem] after another:
//
//	s, err := sinkhorn.NewSolver[float64](&sinkhorn.Settings{Tolerance: 1e-9})
//	if err != nil {
//		return err
//	}
//	r, err := s.Solve(ctx, &sinkhorn.Problem[float64]{X: x, Y: y, Lambda: 2}) // x, y: n × p and m × p points
//	if err != nil {
//		return err
//	}
//	plan := dist.NewMatrix[float64](x.Rows, y.Rows, nil)
//	err = r.PlanTo(ctx, plan, 0) // r.Cost is ⟨plan, M⟩
//
// [Solver.SolveBatch] solves thousands of small problems. [Solver.Divergence] computes the Sinkhorn
// divergence of two point clouds. A [Pool] shares solvers between goroutines, in bounded memory. A
// [Result] provides the cost, the plan, the potentials, the barycentric projection and gradients.
// Problems may have marginal penalties (unbalanced transport) or move only part of the mass (partial
// transport).
//
// Set either the number of iterations, as is usual in learning, or a Tolerance. The default is ten
// iterations. With a tolerance, slow iterations are replaced by ε-scaling and Newton's method. If λ is so
// large that Newton's method stalls, it restarts from the solution of the unregularized problem.
//
// # Promises
//
// Accuracy: no epsilon is added to denominators. Before a scaling leaves the range in which it is
// accurate, the iteration continues in the log domain. For every λ and every scale of the data the
// result is finite and accurate, unless its Status or an error says otherwise.
//
// Same bits: an answer does not depend on the machine, its instruction set, the number of workers, the
// storage (except StorageMixed), Settings.MaxMemory, or whether a problem is solved alone or in a batch.
//
// Allocation: a solver does not allocate after it has solved its largest problem. It rejects
// problems that need more than Settings.MaxMemory.
//
// Cancellation: long-running calls take a context. They usually return within 10 ms after it ends, and
// within 0.1 s if a core is free. Solve then returns the best result so far together with the error.
//
// # Memory
//
// In addition to the problem itself, a solve needs memory for this many elements:
//
//	StorageDense        2nm for points, nm for a cost matrix
//	StorageMixed        1.5nm for points, 0.5nm for a cost matrix
//	StorageMatrixFree   24 rows of m for every worker, and at least 16 sums of m
//	all                 about 25 (n + m)
//	Settings.Gradient   3·Iterations·(n + m) more
//	Tolerance           64 bytes for each of the n + m points. Where Newton's steps take long, also
//	                    30 bytes for each of at most min(nm/12, 2²⁴) elements and, in float64,
//	                    m(m + 1024) elements if m ≤ 8192 and m ≤ 4n. Unaccelerated and Gradient
//	                    need none of this
//
// An iteration and a step of a gradient each read K once. An iteration in the log domain computes
// one exponential for each element.
package sinkhorn
