package descent

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Problem is a real function f to be minimized, with its gradient in the ambient
// space ℝ^{d×p}: the matrix of partial derivatives ∂f/∂P_ij, which [Minimize]
// projects onto the tangent space itself.
type Problem interface {
	// Evaluate returns f(P) and, unless grad is nil, sets grad to ∂f/∂P. It must
	// neither modify nor keep p and grad. grad holds anything on entry.
	//
	// A value or gradient that is NaN or infinite, or an error, means that f
	// cannot be computed at this point. The line search then tries shorter steps. If
	// none works, Minimize ends with status [EvaluationFailed]. An
	// error that wraps context.Canceled or context.DeadlineExceeded, or any error
	// while the context of Minimize is done, ends it at once.
	Evaluate(p, grad *mat.Dense) (value float64, err error)
}

// Reverser is a [Problem] that keeps the forward pass of its latest Evaluate.
// Minimize then calls Evaluate with a nil gradient, and Gradient after it for
// those points whose gradient it needs.
type Reverser interface {
	Problem

	// Gradient sets grad to ∂f/∂P at the point of the latest call of Evaluate,
	// which returned a finite value and no error.
	Gradient(grad *mat.Dense) error
}

// Manifold is a Riemannian manifold embedded in ℝ^{d×p}, as *stiefel.Manifold
// is. A destination may be one of the operands. What takes a context may leave the destination
// unfinished when that ends.
type Manifold interface {
	// Dims returns the shape d×p of points and vectors.
	Dims() (d, p int)

	// Tangent sets dst to the projection of g onto the tangent space at p.
	Tangent(ctx context.Context, dst, p, g *mat.Dense)

	// Inner returns the inner product of two tangent vectors at p.
	Inner(p, u, v *mat.Dense) float64

	// Retract sets dst to the point reached from p by the step t·v. An error
	// counts as a failed evaluation.
	Retract(ctx context.Context, dst, p, v *mat.Dense, t float64) error

	// Transport sets dst to the tangent vector v of another point moved to q.
	Transport(ctx context.Context, dst, q, v *mat.Dense)

	// Project sets dst to the point nearest to the matrix a. Only
	// [ProjectedGradient] needs it.
	Project(ctx context.Context, dst, a *mat.Dense) error

	// Infeasibility returns how far p is from the manifold, 0 on it.
	Infeasibility(ctx context.Context, p *mat.Dense) float64
}
