package sinkhorn

import (
	"errors"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/fault"
)

// Problem is one transport problem between n source points and m target points. The cost is
// either a matrix, or the squared Euclidean distances between the rows of two point clouds.
//
// A solver never changes the data of a problem. It reads them until the result is no longer
// used.
type Problem[T dist.Float] struct {
	// Cost is the n × m cost matrix M. All elements must be finite. Leave it zero to give
	// points instead.
	Cost dist.Matrix[T]
	// X and Y are point clouds, n × p and m × p, with one point per row. X and Y may be the
	// same matrix.
	X, Y dist.Matrix[T]
	// A and B are the marginals: n and m weights. nil means uniform weights, 1/n or 1/m.
	//
	// Weights must be finite and not negative, and are used as they are. A zero weight is
	// allowed. A positive weight must be at least 2⁻⁸⁰⁰ (2⁻⁸⁰ in float32 and with
	// StorageMixed). With StorageMixed no weight may exceed the largest float32.
	//
	// Unless a marginal penalty or Mass is given, the sums of A and B must agree to a relative
	// 1e-6 (1e-4 in float32). No sum may exceed a quarter of the largest float64.
	A, B []T
	// PenaltyA and PenaltyB, if positive, are marginal penalties: unbalanced transport. The
	// plan T then minimizes
	//
	//	⟨T, M⟩ + KL(T | a⊗b)/λ + PenaltyA·KL(T1 | a) + PenaltyB·KL(Tᵀ1 | b),
	//
	// with KL(x | y) = Σ x log(x/y) − x + y, and A and B may have different sums.
	//
	// 0 and +Inf mean that the marginal holds exactly. If both marginals hold exactly, or if
	// λ times the penalty is at least 2⁶⁰, the answer is that of the balanced problem, bit for
	// bit. If one marginal holds exactly, its sum is the mass of the plan. A penalty cannot be
	// combined with Settings.Gradient. With StorageMixed, a tolerance below 1e-6 may be out of
	// reach if some points are far from all others.
	PenaltyA, PenaltyB float64
	// Mass, if positive, is the mass of the plan, and A and B are upper bounds of its
	// marginals: partial transport. Mass is at most the smaller sum of A and B. It cannot be
	// combined with penalties or Settings.Gradient.
	Mass float64
	// Lambda is λ. It multiplies the cost in exp(−λM). 0 means Settings.Lambda.
	Lambda float64
	// Start is the natural logarithm of the first scaling u⁰, n numbers. nil means u⁰ = 1.
	// To continue from a similar problem, pass the potentials f that Result.PotentialsTo
	// returned for it. Nothing else is needed: an iteration first computes v from u.
	//
	// −Inf is allowed where A is 0. A common constant in all elements does not change the
	// plan, but a large one costs digits; see StatusLowPrecision and ErrRange. With Settings.Anneal
	// the annealing starts from Start·λ₀/λ.
	Start []T
}

// unequal reports whether the problem allows marginals other than A and B.
func (p *Problem[T]) unequal() bool { return p.PenaltyA != 0 || p.PenaltyB != 0 || p.Mass != 0 }

// Errors of this package. A returned error wraps one of them and says what is wrong and where.
// ErrShape, ErrNotFinite and ErrSettings are the same values as in package wda.
var (
	// ErrShape: sizes do not fit together.
	ErrShape = fault.ErrShape
	// ErrNotFinite: the input contains NaN or infinity. In a matrix, a dist.PositionError says where.
	ErrNotFinite = fault.ErrNotFinite
	// ErrMarginals: a weight is negative, not finite or too small, or the sums of A and B
	// differ.
	ErrMarginals = errors.New("bad marginals")
	// ErrSettings: a setting or a problem's λ is invalid, a problem needs more than
	// Settings.MaxMemory, or something was asked for that the settings exclude.
	ErrSettings = fault.ErrSettings
	// ErrRange: the costs, λ, a starting potential or a result exceed the range of the type, or λ times
	// the largest cost is too large for logarithms (see DomainLog). With
	// DomainPlain it also means that a scaling has left the range in which plain iterations
	// are accurate; DomainAuto and DomainLog solve such problems. DomainAuto may also solve a
	// problem that DomainLog refuses, if plain iterations are accurate: λ·cost is then not needed.
	ErrRange = errors.New("λ·cost is beyond the floating-point range")
	// ErrNotConverged: the implicit gradient exists at convergence only, and the iterations
	// ended before.
	ErrNotConverged = errors.New("the iterations have not converged")
	// ErrNoResult: the context ended before the first iteration, so that there is no plan.
	ErrNoResult = errors.New("the solve was cancelled before its first iteration")
)

// errUnderflow is the error of DomainPlain where DomainAuto would switch to logarithms.
var errUnderflow = fmt.Errorf("%w of the plain domain: a scaling overflows or underflows; use DomainAuto or DomainLog", ErrRange)

// errNoGradient is the error of unrolled gradients without Settings.Gradient.
var errNoGradient = fmt.Errorf("%w: an unrolled gradient needs Settings.Gradient", ErrSettings)
