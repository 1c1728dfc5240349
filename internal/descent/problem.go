package descent

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Problem is a real function f to be minimized, with its gradient in the ambient space ℝ^{d×p}: the
// matrix of partial derivatives ∂f/∂P_ij. [Minimize] projects the gradient onto the tangent space.
type Problem interface {
	// Evaluate returns f(P). If grad is not nil, Evaluate sets it to ∂f/∂P. Evaluate must not
	// modify p and must not retain p or grad. The contents of grad on entry are unspecified.
	//
	// An error, or a value or gradient that is NaN or infinite, means that f cannot be computed at
	// this point. The line search then tries shorter steps. If it cannot evaluate any step,
	// Minimize ends with status [EvaluationFailed]. Minimize ends at once on an error that wraps
	// context.Canceled or context.DeadlineExceeded, and on any error after the context of Minimize
	// has ended.
	Evaluate(p, grad *mat.Dense) (value float64, err error)
}

// Reverser is a [Problem] that keeps the data of its latest forward pass. Minimize calls Evaluate
// with a nil gradient, and then Gradient at the points whose gradient it needs.
type Reverser interface {
	Problem

	// Gradient sets grad to ∂f/∂P at the point of the latest call of Evaluate, which returned a
	// finite value and no error.
	Gradient(grad *mat.Dense) error
}

// Manifold is a Riemannian manifold embedded in ℝ^{d×p}, such as *stiefel.Manifold. The destination
// of a method may be one of its operands. If ctx ends, a method may leave its destination
// unfinished.
type Manifold interface {
	// Dims returns the shape d×p of points and vectors.
	Dims() (d, p int)

	// Tangent sets dst to the projection of g onto the tangent space at p.
	Tangent(ctx context.Context, dst, p, g *mat.Dense)

	// Inner returns the inner product of two tangent vectors at p.
	Inner(p, u, v *mat.Dense) float64

	// Retract sets dst to the point reached from p by the step t·v. Minimize treats an error as a
	// failed evaluation.
	Retract(ctx context.Context, dst, p, v *mat.Dense, t float64) error

	// Transport sets dst to the tangent vector v, transported from another point to q.
	Transport(ctx context.Context, dst, q, v *mat.Dense)

	// Project sets dst to the point of the manifold nearest to the matrix a. Only
	// [ProjectedGradient] needs it.
	Project(ctx context.Context, dst, a *mat.Dense) error

	// Infeasibility returns the distance of p from the manifold. It is 0 for a point on the
	// manifold.
	Infeasibility(ctx context.Context, p *mat.Dense) float64
}
