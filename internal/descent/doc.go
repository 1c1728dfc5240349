// Package descent minimizes a differentiable function over a Riemannian manifold of matrices by
// first-order methods: projected gradient, steepest descent, conjugate gradient and limited-memory
// BFGS. All methods share one line search. The package does not depend on optimal transport or on
// discriminant analysis.
//
// # Sign
//
// [Minimize] minimizes. To maximize J, minimize −J, or 1/J if J > 0, and pass the gradient of the
// function that is minimized.
//
// # Forward and reverse passes
//
// The functions that this package was made for have a forward pass that computes the value, and a
// reverse pass that computes the gradient from data stored by the forward pass. A line search tries
// several points and rejects some of them. If a [Problem] is also a [Reverser], Minimize first
// requests only the value of a trial point. It requests the gradient, by a reverse pass, only if it
// may accept the point. Minimize never repeats a forward pass. For other problems Minimize requests
// the value and the gradient at every trial point.
//
// # Determinism
//
// The iterates are reproducible bit for bit if the problem and the manifold are reproducible.
// Minimize uses no random numbers, no parallelism and no clock.
//
// Sources: Absil, Mahony and Sepulchre, Optimization Algorithms on Matrix Manifolds, Princeton
// 2008; Hager and Zhang, A new conjugate gradient method with guaranteed descent and an efficient
// line search, SIAM J. Optim. 2005; Sakai and Iiduka, Hybrid Riemannian conjugate gradient methods
// with global convergence properties, Comput. Optim. Appl. 2020; Manopt.
package descent
