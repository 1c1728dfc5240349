package sinkhorn

import (
	"errors"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/fault"
)

// Problem is one transport problem between n source points and m target points. The cost is either a matrix, or the squared
// Euclidean distances between the rows of two point clouds.
//
// A solver never changes the data of a problem. Do not change the data while the result is in use, because the methods of the
// result read the data.
type Problem[T dist.Float] struct {
	// Cost is the n × m cost matrix M. All elements must be finite. Leave it zero to give
	// points instead.
	Cost dist.Matrix[T]
	// X and Y are point clouds, n × p and m × p, with one point per row. X and Y may be the
	// same matrix.
	X, Y dist.Matrix[T]
	// A and B are the marginals: n and m weights. nil means uniform weights, 1/n or 1/m.
	//
	// Weights must be finite and not negative, and are not rescaled. A zero weight is allowed. A positive weight must be at
	// least 2⁻⁸⁰⁰ (2⁻⁸⁰ in float32 and with StorageMixed). With StorageMixed no weight may exceed the largest float32.
	//
	// Unless a marginal penalty or Mass is given, the relative difference of the sums of A and B must be at most 1e-6 (1e-4 in
	// float32). No sum may exceed a quarter of the largest float64.
	A, B []T
	// PenaltyA and PenaltyB, if positive, are marginal penalties (unbalanced transport). The plan T then minimizes
	//
	//	⟨T, M⟩ + KL(T | a⊗b)/λ + PenaltyA·KL(T1 | a) + PenaltyB·KL(Tᵀ1 | b),
	//
	// where KL(x | y) = Σ x log(x/y) − x + y. A and B may have different sums.
	//
	// A penalty of 0, +Inf or at least 2⁶⁰/λ means that its marginal holds exactly. If both marginals hold exactly, the result has
	// the same bits as for the balanced problem. If one marginal holds exactly, its sum is the mass of the plan. A penalty cannot
	// be combined with Settings.Gradient. With StorageMixed, a tolerance below 1e-6 may be out of reach if some points are far from
	// all other points.
	PenaltyA, PenaltyB float64
	// Mass, if positive, is the mass of the plan, and A and B are upper bounds of its marginals (partial transport). The plan
	// minimizes ⟨T, M⟩ + KL(T | a⊗b)/λ. Mass is at most the smaller sum of A and B. Mass cannot be combined with penalties or Settings.Gradient.
	Mass float64
	// Lambda is λ. It multiplies the cost in exp(−λM). 0 means Settings.Lambda.
	Lambda float64
	// Start contains the n natural logarithms of the first scaling u⁰. nil means u⁰ = 1. To start from the solution of a
	// similar problem, pass the potentials f from Result.PotentialsTo. The potentials g are not needed, because an iteration
	// first computes v from u.
	//
	// −Inf is allowed where A is 0. Adding a constant to all elements does not change the plan, but a large constant costs
	// digits; see StatusLowPrecision and ErrRange. With Settings.Anneal the annealing starts from Start·λ₀/λ, where λ₀ is the
	// first λ of the annealing.
	Start []T
}

// unequal reports whether the problem allows marginals other than A and B.
func (p *Problem[T]) unequal() bool { return p.PenaltyA != 0 || p.PenaltyB != 0 || p.Mass != 0 }

// Errors of this package wrap one of these values, and describe the invalid value and its position. Package wda exports
// ErrShape, ErrNotFinite and ErrSettings, too.
var (
	// ErrShape means that sizes do not match.
	ErrShape = fault.ErrShape
	// ErrNotFinite means that the input contains NaN or infinity. For a matrix, a dist.PositionError
	// contains the position.
	ErrNotFinite = fault.ErrNotFinite
	// ErrMarginals means that a weight is negative, not finite or too small, or that the sums of A
	// and B differ.
	ErrMarginals = errors.New("bad marginals")
	// ErrSettings means that a setting or a problem's λ is invalid, that a problem needs more than
	// Settings.MaxMemory, or that the settings do not support the requested result.
	ErrSettings = fault.ErrSettings
	// ErrRange means that the costs, λ, a starting potential or a result exceed the range of the type, or that λ times the
	// largest cost is too large for the log domain (see DomainLog). With DomainPlain, ErrRange also means that a scaling has
	// left the range in which plain iterations are accurate; DomainAuto and DomainLog solve such problems. DomainAuto can also
	// solve some problems that DomainLog rejects, because plain iterations do not compute λ·cost.
	ErrRange = errors.New("λ·cost is beyond the floating-point range")
	// ErrNotConverged means that the implicit gradient was requested, but the iterations have not converged. The implicit
	// gradient exists only at convergence.
	ErrNotConverged = errors.New("the iterations have not converged")
	// ErrNoResult means that the context ended before the first iteration, so there is no plan.
	ErrNoResult = errors.New("the solve was canceled before its first iteration")
)

// errUnderflow is the error that DomainPlain returns when DomainAuto would switch to logarithms.
var errUnderflow = fmt.Errorf("%w of the plain domain: a scaling overflows or underflows; use DomainAuto or DomainLog", ErrRange)

// errNoGradient is the error of unrolled gradients without Settings.Gradient.
var errNoGradient = fmt.Errorf("%w: an unrolled gradient needs Settings.Gradient", ErrSettings)
