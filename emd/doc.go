// Package emd solves optimal transport problems exactly, without entropy, and proves its answers.
//
// For costs M (n × m) and weights a and b, the earth mover's distance is the least ⟨T, M⟩ = Σ_ij T_ij M_ij over the
// plans T ≥ 0 with row sums a and column sums b. Its dual is the largest Σ_i a_i u_i + Σ_j b_j v_j with
// u_i + v_j ≤ M_ij.
//
// # Use
//
// Make a [Solver], and give it one [Problem] after the other:
//
//	var s emd.Solver[float64]
//	r, err := s.Solve(ctx, &emd.Problem[float64]{X: x, Y: y, A: a, B: b}) // x, y: n × p and m × p points
//	if err != nil {
//		return err
//	}
//	for _, e := range r.Plan { // at most n + m − 1 entries
//		fmt.Println(e.Row, e.Column, e.Mass)
//	}
//	fmt.Println(r.Cost, r.Certificate.Gap) // the optimum is at least Cost − Gap
//
// [Solver.SolveBatch] solves many small problems. [Solver.Assign] finds the best assignment of a square or rectangular
// matrix. [Solver.Distance1D] and [Solver.Sliced] need no matrix at all: distances of samples on a line, and the sliced
// distance of two point clouds. A problem may move a part of the mass (partial transport).
//
// Package sinkhorn solves the same problems with an entropy term. Use emd for the exact cost, a sparse plan or an
// assignment, up to some ten thousand points. Use sinkhorn for gradients, for marginal penalties, and for large
// problems that need no more than a few digits.
//
// # Method
//
// Solve uses the network simplex method (R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network flows", 1993, chapter 11),
// with integer flows, which never cycles. If all weights are equal, it starts from the best assignment. Assign uses shortest augmenting paths after an augmenting row
// reduction (R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
// problems", Computing 38, 1987; D. F. Crouse, "On implementing 2D rectangular assignment algorithms", IEEE Trans.
// Aerosp. Electron. Syst. 52, 2016).
//
// Gromov–Wasserstein distances, low-rank and semidiscrete transport and barycenters are out of scope.
//
// # Promises
//
// Proof: every result has a [Certificate], found by one full pass over the costs.
//
// Same bits: an answer does not depend on the machine, its instruction set, the number of workers or
// Settings.MaxMemory, or whether a problem is solved alone or in a batch.
//
// Allocation: a solver allocates nothing once it has seen its largest problem.
//
// Cancellation: calls that can take long take a context, and usually return within 10 ms after it ends. They look at the
// clock themselves if it has a deadline. Solve returns a feasible plan beside the error, and needs about 0.1 µs more for
// each point to make it.
//
// # Memory
//
// Besides the problem, Solve takes about 260 bytes for each of the n + m points, and one row of costs. For
// points, distances of up to 32 MB are stored, and otherwise computed when they are needed. Assign takes about 70
// bytes for each row and column, and a transposed copy of a matrix that has more rows than columns.
package emd
