// Package emd solves optimal transport problems exactly, without entropy, and proves that its results are optimal.
//
// For costs M (n × m) and weights a and b, the earth mover's distance is the minimum of ⟨T, M⟩ = Σ_ij T_ij M_ij over all
// transport plans T ≥ 0 with row sums a and column sums b. The dual problem is to maximize Σ_i a_i u_i + Σ_j b_j v_j subject to
// u_i + v_j ≤ M_ij.
//
// # Use
//
// Create a [Solver] and call [Solver.Solve] for each [Problem]:
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
// [Solver.SolveBatch] solves many small problems. [Solver.Assign] finds an optimal assignment for a square or rectangular
// matrix. [Solver.Distance1D] computes distances of samples on a line and [Solver.Sliced] the sliced distance of two point
// clouds; neither needs a cost matrix. If [Problem].Mass is set, only this part of the mass is moved (partial transport).
//
// Package sinkhorn solves the same problems with an entropy term. Use emd for the exact cost, a sparse plan or an assignment,
// for up to some ten thousand points. Use sinkhorn for gradients, for marginal penalties, and for large problems that need only
// a few digits.
//
// # Method
//
// Solve uses the network simplex method (R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network flows", 1993, chapter 11) with
// integer flows, so that it never cycles. If all weights are equal, it starts from an optimal assignment. Assign uses shortest
// augmenting paths after an augmenting row reduction (R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense
// and sparse linear assignment problems", Computing 38, 1987; D. F. Crouse, "On implementing 2D rectangular assignment
// algorithms", IEEE Trans. Aerosp. Electron. Syst. 52, 2016).
//
// Gromov–Wasserstein distances, low-rank and semidiscrete transport and barycenters are out of scope.
//
// # Promises
//
// Proof: every result contains a [Certificate], computed in one full pass over the costs.
//
// Same bits: results do not depend on the machine, its instruction set, the number of workers or Settings.MaxMemory, or on
// whether a problem is solved alone or in a batch.
//
// Allocation: a Solver does not allocate after it has solved its largest problem.
//
// Cancellation: long-running methods take a context and usually return within 10 ms after the context ends. They compare its
// deadline with the clock and do not wait for its timer. A canceled Solve also returns a feasible plan, which takes about 0.1
// µs for each point.
//
// # Memory
//
// Besides the problem, Solve needs about 260 bytes for each of the n + m points, and one row of costs. It stores distances of
// points if they fit in 32 MB, and otherwise computes them when they are needed. Assign needs about 70 bytes for each row and
// column, and a transposed copy of the matrix if it has more rows than columns.
package emd
