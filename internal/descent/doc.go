// Package descent minimizes a differentiable function over a Riemannian
// manifold of matrices by first-order methods: projected gradient, steepest
// descent, conjugate gradient and limited-memory BFGS, with one line search. It knows no optimal
// transport and no classes.
//
// # Sign
//
// [Minimize] minimizes. To maximize J hand over −J, or 1/J where J > 0, with the
// gradient to match.
//
// # One sweep
//
// Value and gradient of the functions this package is for come from one sweep:
// a forward pass gives the value, a reverse pass over what the forward pass
// stored gives the gradient. A line search tries points and rejects some. A
// [Problem] that is also a [Reverser] is asked for the value of a trial point
// first, and for its gradient, by the reverse pass alone, only if the point may
// be accepted; no forward pass is ever repeated. A plain Problem is asked for
// both at every trial.
//
// # Determinism
//
// The same problem, start and settings give the same iterates in the same bits,
// as far as problem and manifold do: nothing is drawn at random, nothing runs in
// parallel, nothing depends on time.
//
// Sources: Absil, Mahony and Sepulchre, Optimization Algorithms on Matrix
// Manifolds, Princeton 2008; Hager and Zhang, A new conjugate gradient method
// with guaranteed descent and an efficient line search, SIAM J. Optim. 2005;
// Sakai and Iiduka, Hybrid Riemannian conjugate gradient methods with global
// convergence properties, Comput. Optim. Appl. 2020; Manopt.
package descent
