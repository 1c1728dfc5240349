package wda

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gomonge/monge/internal/enum"
	"gonum.org/v1/gonum/mat"
)

// Lambda is the choice of λ_cc' for every pair of classes. The zero value leaves it to Fit.
// A Value is relative to the data,
//
//	λ_cc' = λ / mean_ij ‖P⁰ᵀ(x_i − x_j)‖²   with i in class c and j in c',
//
// fixed at the start P⁰, or, Absolute, λ_cc' = λ for every pair of classes, in the inverse
// square of the units of the data. A Matrix, in place of both, is λ_cc' element by element:
// C × C, symmetric, positive, in the order of the sorted labels.
type Lambda struct {
	Value    float64
	Absolute bool
	Matrix   mat.Matrix
}

// open reports whether λ is left to Fit.
func (l Lambda) open() bool { return l == Lambda{} }

// relative reports whether λ is relative to the data.
func (l Lambda) relative() bool { return l.Value != 0 && !l.Absolute }

// lambdaTexts stand before, or for, the number in a text. A relative λ is the number.
const (
	chosenText   = "auto"
	matrixText   = "matrix"
	absoluteText = "absolute:"
)

// String returns the text that UnmarshalText reads.
func (l Lambda) String() string {
	switch number := strconv.FormatFloat(l.Value, 'g', -1, 64); {
	case l.open():
		return chosenText
	case l.Matrix != nil:
		return matrixText
	case l.Absolute:
		return absoluteText + number
	default:
		return number
	}
}

// MarshalText implements encoding.TextMarshaler. The elements of a matrix are not in
// the text.
func (l Lambda) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler: "auto" is the zero value, a number
// a relative λ, "absolute:" before it an absolute one.
func (l *Lambda) UnmarshalText(text []byte) error {
	if string(text) == chosenText {
		*l = Lambda{}
		return nil
	}
	number, absolute := strings.CutPrefix(string(text), absoluteText)
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || v == 0 {
		return fmt.Errorf("%w: λ %q is neither %s, a positive number, nor %s and one", ErrSettings, text, chosenText, absoluteText)
	}
	*l = Lambda{Value: v, Absolute: absolute}
	return nil
}

// check looks at λ for so many classes.
func (l Lambda) check(classes int) error {
	switch {
	case l.open():
		return nil
	case l.Matrix != nil && (l.Value != 0 || l.Absolute):
		return fmt.Errorf("%w: λ = %v beside a matrix of them", ErrSettings, l.Value)
	case l.Matrix != nil:
		return checkLambdas(l.Matrix, classes)
	case !(l.Value > 0) || math.IsInf(l.Value, 1):
		return fmt.Errorf("%w: λ = %v; it must be positive and finite", ErrSettings, l.Value)
	}
	return nil
}

// Shrinkage is the choice of ρ, at most 1e12, beyond which nothing would be left of σ_w² in
// J. The zero value leaves it to Fit.
type Shrinkage struct {
	Value float64 // ρ
	None  bool    // ρ = 0: the objective of the paper
}

// fixedShrinkage is ρ as it is, 0 included.
func fixedShrinkage(rho float64) Shrinkage { return Shrinkage{rho, rho == 0} }

// open reports whether ρ is left to Fit.
func (s Shrinkage) open() bool { return s == Shrinkage{} }

// String returns the text that UnmarshalText reads: a number, or auto for the zero value.
func (s Shrinkage) String() string {
	if s.open() {
		return chosenText
	}
	return strconv.FormatFloat(s.Value, 'g', -1, 64)
}

// MarshalText implements encoding.TextMarshaler.
func (s Shrinkage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Shrinkage) UnmarshalText(text []byte) error {
	if string(text) == chosenText {
		*s = Shrinkage{}
		return nil
	}
	rho, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("%w: shrinkage %q is neither %s nor a number", ErrSettings, text, chosenText)
	}
	v := fixedShrinkage(rho)
	if err := v.check(); err != nil {
		return err
	}
	*s = v
	return nil
}

// maxShrinkage is the largest ρ.
const maxShrinkage = 1e12

func (s Shrinkage) check() error {
	if s.None && s.Value != 0 {
		return fmt.Errorf("%w: shrinkage %v, and none", ErrSettings, s.Value)
	}
	if !(s.Value >= 0 && s.Value <= maxShrinkage) {
		return fmt.Errorf("%w: shrinkage %v; it must be between 0 and %g", ErrSettings, s.Value, float64(maxShrinkage))
	}
	return nil
}

// Method is a way to maximize J.
type Method uint8

const (
	// Auto looks for a good start first: of P⁰, the principal components, and what
	// a few steps of the eigenvalue iteration of the ratio trace problem make of
	// these, at three ridges (one with more than 128 features), it takes the best and
	// goes on with limited-memory BFGS on the manifold and the exact gradient. With
	// hardly more samples than features (n ≤ d + 1) there is always a J that only fits noise:
	// it begins at principal components or discriminants, as what is chosen from does.
	Auto Method = iota
	// ConjugateGradient is Riemannian conjugate gradient with the exact gradient.
	ConjugateGradient
	// SteepestDescent is Riemannian steepest descent.
	SteepestDescent
	// ProjectedGradient is Algorithm 1 of the paper.
	ProjectedGradient
	// Eigen improves plans and projection in turn, without a derivative: for fixed
	// plans J's ratio trace is maximized by generalized eigenvectors (H. Liu, Y. Cai,
	// Y.-L. Chen and P. Li, NeurIPS 2020). The best iterate is the result. It is not
	// stationary for J, which further steps lower: SOLVERS.md says by how much.
	Eigen
	// EigenTraceRatio is Eigen with the trace ratio in the place of the ratio trace,
	// that is J itself for fixed plans (D. M. Roh, Z. Bai and R.-C. Li,
	// arXiv:2211.11891).
	EigenTraceRatio
	// MiniBatch is Riemannian stochastic gradient ascent with momentum, from the
	// start of Auto, for data that are too many for the exact methods: each step sees
	// BatchSize samples of some classes, and nothing ever takes time or memory in the
	// square of the number of samples. The transport of mini-batches is biased: see
	// SOLVERS.md for by how much.
	MiniBatch
	// Principal is the end ρ → ∞ of the family, P⁰ itself: the principal components of
	// the (whitened) features, without a step.
	Principal
	// Fisher is the end λ → 0: the leading directions in which the means of the classes
	// differ, with whitened features those of regularized discriminant analysis. Beyond the
	// first C − 1 components follow principal ones, with next to no weight.
	Fisher

	numMethods
)

var methodNames = enum.New("Method", ErrSettings, "auto", "cg", "sd", "pg", "eigen", "eigen-trace", "minibatch", "principal", "fisher")

// String returns the name that UnmarshalText reads: auto, cg, sd, pg, eigen,
// eigen-trace, minibatch, principal or fisher.
func (m Method) String() string { return methodNames.Name(uint8(m)) }

// MarshalText implements encoding.TextMarshaler.
func (m Method) MarshalText() ([]byte, error) { return methodNames.Text(uint8(m)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Method) UnmarshalText(text []byte) error { return enum.Parse(m, text, methodNames) }

// Scale is the length of the components of a model. Between them it is what distances
// weigh them by. The zero value leaves it to Fit.
type Scale uint8

const (
	chosenScale Scale = iota
	// Orthonormal components are those of the paper, PᵀP = I: the canonical components
	// made orthonormal one after the other, so that the first q span what the first q
	// canonical components do.
	Orthonormal
	// UnitWithin gives every canonical component the same transport within classes,
	// vᵀ(S_w + ridge/p·I)v = 1, as discriminant analysis does.
	UnitWithin
	// ByRatio multiplies UnitWithin by √(μ/(1 + μ)), so that components in which classes
	// differ little count for little.
	ByRatio

	numScales
)

var scaleNames = enum.New("Scale", ErrSettings, chosenText, "orthonormal", "unit", "ratio")

// String returns the name that UnmarshalText reads: auto, orthonormal, unit or ratio.
func (s Scale) String() string { return scaleNames.Name(uint8(s)) }

// MarshalText implements encoding.TextMarshaler.
func (s Scale) MarshalText() ([]byte, error) { return scaleNames.Text(uint8(s)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Scale) UnmarshalText(text []byte) error { return enum.Parse(s, text, scaleNames) }

// Whitening is the choice of a metric for the features: NoWhitening, or that of a
// shrunken covariance within the classes, in which projections are then orthonormal.
// The zero value leaves it to Fit.
//
// With S the pooled covariance within classes of the samples (n × d, or their
// coordinates in the span if n ≤ d) and μ = tr S / d, features x become L⁻¹x with
//
//	L·Lᵀ = (1 − α)·S + α·μ·I       Spherical
//
// and Diagonal first divides every feature by its own standard deviation within
// classes, so that S shrinks towards its diagonal. α = 0 is the estimate of Ledoit and
// Wolf ("A well-conditioned estimator for large-dimensional covariance matrices",
// J. Multivariate Anal. 88, 2004), made of the residuals within classes. Spherical with
// α = 1 is no whitening; Diagonal with α = 1 is standardization within classes. In whitened
// features WDA with λ → 0 is regularized discriminant analysis (J. H. Friedman,
// "Regularized discriminant analysis", JASA 84, 1989).
type Whitening struct {
	kind      whiteningKind
	intensity float64
}

type whiteningKind uint8

const (
	chosenWhitening whiteningKind = iota
	noWhitening
	sphericalWhitening
	diagonalWhitening
)

// NoWhitening leaves the features as they are: the paper.
func NoWhitening() Whitening { return Whitening{kind: noWhitening} }

// SphericalWhitening is whitening by the covariance within classes, shrunken towards a
// multiple of the identity with intensity α, 0 < α ≤ 1, or that of Ledoit and Wolf for 0.
// For features of one kind, as pixels, and for more features than samples.
func SphericalWhitening(alpha float64) Whitening {
	return Whitening{sphericalWhitening, alpha}
}

// DiagonalWhitening is whitening by the covariance within classes, shrunken towards its
// diagonal with intensity α, 0 < α ≤ 1, or that of Ledoit and Wolf for 0. For features of
// different kinds.
func DiagonalWhitening(alpha float64) Whitening { return Whitening{diagonalWhitening, alpha} }

const (
	noneText      = "none"
	sphericalText = "spherical"
	diagonalText  = "diagonal"
)

// String returns the text that UnmarshalText reads.
func (w Whitening) String() string {
	name := ""
	switch w.kind {
	case noWhitening:
		return noneText
	case sphericalWhitening:
		name = sphericalText
	case diagonalWhitening:
		name = diagonalText
	default:
		return chosenText
	}
	if w.intensity != 0 {
		name += ":" + strconv.FormatFloat(w.intensity, 'g', -1, 64)
	}
	return name
}

// MarshalText implements encoding.TextMarshaler.
func (w Whitening) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler: "auto" is the zero value, "none",
// "spherical" and "diagonal" what they say, the latter two with ":" and α behind them if
// it is not that of Ledoit and Wolf.
func (w *Whitening) UnmarshalText(text []byte) error {
	name, number, with := strings.Cut(string(text), ":")
	t := Whitening{}
	switch name {
	case chosenText:
	case noneText:
		t.kind = noWhitening
	case sphericalText:
		t.kind = sphericalWhitening
	case diagonalText:
		t.kind = diagonalWhitening
	default:
		return fmt.Errorf("%w: whitening %q is none of %s, %s, %s and %s", ErrSettings, text, chosenText, noneText, sphericalText, diagonalText)
	}
	if with {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || t.kind < sphericalWhitening || v == 0 {
			return fmt.Errorf("%w: whitening %q: behind %s: or %s: stands α, a number in (0, 1]", ErrSettings, text, sphericalText, diagonalText)
		}
		t.intensity = v
	}
	if err := t.check(); err != nil {
		return err
	}
	*w = t
	return nil
}

func (w Whitening) check() error {
	if !(w.intensity >= 0 && w.intensity <= 1) {
		return fmt.Errorf("%w: whitening with intensity %v; it must be between 0 and 1", ErrSettings, w.intensity)
	}
	return nil
}
