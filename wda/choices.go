package wda

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/enum"
	"gonum.org/v1/gonum/mat"
)

// autoText is the text of an automatic setting, which Fit chooses.
const autoText = "auto"

// Lambda is the setting for λ, the strength with which transport prefers near neighbors. λ
// multiplies the cost; other libraries call 1/λ reg or ε. With a small λ, transport is almost
// uniform, and WDA acts like Fisher's discriminant analysis. With a large λ, only near neighbors
// matter, so a class may consist of several clusters.
//
// The zero value lets Fit choose λ. RelativeLambda, AbsoluteLambda and LambdaMatrix return other
// values.
type Lambda struct {
	kind   lambdaKind
	value  float64
	matrix *mat.Dense
}

type lambdaKind uint8

const (
	lambdaAuto lambdaKind = iota
	lambdaRelative
	lambdaAbsolute
	lambdaMatrix
)

// RelativeLambda returns a dimensionless λ, relative to the spread of the data. The λ of two classes c
// and c' is
//
//	λ_cc' = v / mean_ij ‖P⁰ᵀ(x_i − x_j)‖²   with i in class c and j in class c',
//
// where P⁰ is the starting point of the fit. Usual values of v are 0.1 to 10. Fit returns ErrSettings
// unless v is positive and finite.
func RelativeLambda(v float64) Lambda { return Lambda{kind: lambdaRelative, value: v} }

// AbsoluteLambda returns λ = v for every pair of classes. The unit of λ is the inverse square of the
// unit of the data. Fit returns ErrSettings unless v is positive and finite.
func AbsoluteLambda(v float64) Lambda { return Lambda{kind: lambdaAbsolute, value: v} }

// LambdaMatrix returns a separate λ for each pair of classes. Element (c, c') of m is the λ of
// classes c and c', in the order of the sorted labels. The unit of λ is the inverse square of the
// unit of the data. LambdaMatrix copies m. Fit returns ErrSettings unless m is symmetric, positive
// and finite, and ErrShape unless m is C × C for C classes.
func LambdaMatrix(m mat.Matrix) Lambda {
	l := Lambda{kind: lambdaMatrix}
	if m != nil {
		l.matrix = mat.DenseCopyOf(m)
	}
	return l
}

// IsAuto reports whether l is the zero Lambda, which lets Fit choose λ.
func (l Lambda) IsAuto() bool { return l.kind == lambdaAuto }

// IsAbsolute reports whether l was made by AbsoluteLambda.
func (l Lambda) IsAbsolute() bool { return l.kind == lambdaAbsolute }

// Value returns the argument of RelativeLambda or AbsoluteLambda, or 0.
func (l Lambda) Value() float64 { return l.value }

// Matrix returns a copy of the argument of LambdaMatrix, or nil.
func (l Lambda) Matrix() *mat.Dense {
	if l.matrix == nil {
		return nil
	}
	return mat.DenseCopyOf(l.matrix)
}

const (
	matrixText   = "matrix"
	absoluteText = "absolute:"
)

// String returns "auto", a number for a relative λ, "absolute:" and a number, or "matrix".
func (l Lambda) String() string {
	switch number := strconv.FormatFloat(l.value, 'g', -1, 64); l.kind {
	case lambdaAuto:
		return autoText
	case lambdaMatrix:
		return matrixText
	case lambdaAbsolute:
		return absoluteText + number
	default:
		return number
	}
}

// MarshalText implements encoding.TextMarshaler. It returns the text of String. The elements of a
// matrix are not in the text.
func (l Lambda) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It reads the texts that String returns, except
// "matrix".
func (l *Lambda) UnmarshalText(text []byte) error {
	if string(text) == autoText {
		*l = Lambda{}
		return nil
	}
	number, absolute := strings.CutPrefix(string(text), absoluteText)
	v, err := strconv.ParseFloat(number, 64)
	t := RelativeLambda(v)
	if absolute {
		t = AbsoluteLambda(v)
	}
	if err != nil || t.check(0) != nil {
		return fmt.Errorf("%w: invalid λ %q: use %s, a positive number such as 0.5, or %s0.5", ErrSettings, text, autoText, absoluteText)
	}
	*l = t
	return nil
}

// rule returns l as a LambdaRule of package discriminant. l must not be automatic.
func (l Lambda) rule() discriminant.LambdaRule {
	return discriminant.LambdaRule{Matrix: l.matrix, Value: l.value, Relative: l.kind == lambdaRelative}
}

// check returns an error unless l is valid for the given number of classes.
func (l Lambda) check(classes int) error {
	switch {
	case l.kind == lambdaAuto:
		return nil
	case l.kind == lambdaMatrix:
		return checkLambdaMatrix(l.matrix, classes)
	case !(l.value > 0) || math.IsInf(l.value, 1):
		return fmt.Errorf("%w: λ is %v; it must be positive and finite", ErrSettings, l.value)
	}
	return nil
}

func checkLambdaMatrix(l *mat.Dense, classes int) error {
	if l == nil {
		return fmt.Errorf("%w: the λ matrix is nil", ErrSettings)
	}
	if r, c := l.Dims(); r != classes || c != classes {
		return fmt.Errorf("%w: the λ matrix is %d × %d; for %d classes it must be %d × %d", ErrShape, r, c, classes, classes, classes)
	}
	for i := range classes {
		for j := range classes {
			switch v := l.At(i, j); {
			case !(v > 0) || math.IsInf(v, 1):
				return fmt.Errorf("λ matrix: %w", &PositionError{Row: i, Column: j, Value: v, Err: fmt.Errorf("%w: λ must be positive and finite", ErrSettings)})
			case v != l.At(j, i):
				return fmt.Errorf("%w: the λ matrix is not symmetric: elements (%d, %d) and (%d, %d) differ", ErrSettings, i, j, j, i)
			}
		}
	}
	return nil
}

// Shrinkage is the setting for ρ, which reduces overfitting. The ridge in the objective is
// ρ·σ_w²(P⁰), where σ_w²(P⁰) is the within-class cost at the starting point P⁰ of the fit. A large ρ
// makes the components similar to principal components; ρ = 0 gives the objective of the paper.
//
// The zero value lets Fit choose ρ. FixedShrinkage returns other values.
type Shrinkage struct {
	fixed bool
	rho   float64
}

// FixedShrinkage returns the shrinkage rho, which may be 0. Fit returns ErrSettings unless
// 0 ≤ rho ≤ 1e12.
func FixedShrinkage(rho float64) Shrinkage { return Shrinkage{true, rho} }

// IsAuto reports whether s is the zero Shrinkage, which lets Fit choose ρ.
func (s Shrinkage) IsAuto() bool { return !s.fixed }

// Value returns ρ, or 0 if s is automatic.
func (s Shrinkage) Value() float64 { return s.rho }

// String returns "auto" or a number.
func (s Shrinkage) String() string {
	if s.IsAuto() {
		return autoText
	}
	return strconv.FormatFloat(s.rho, 'g', -1, 64)
}

// MarshalText implements encoding.TextMarshaler. It returns the text of String.
func (s Shrinkage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It reads the texts that String returns.
func (s *Shrinkage) UnmarshalText(text []byte) error {
	if string(text) == autoText {
		*s = Shrinkage{}
		return nil
	}
	rho, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("%w: invalid shrinkage %q: use %s or a number that is at least 0", ErrSettings, text, autoText)
	}
	v := FixedShrinkage(rho)
	if err := v.check(); err != nil {
		return err
	}
	*s = v
	return nil
}

// maxShrinkage is the largest ρ. With a larger ρ, rounding would remove σ_w² from the denominator of
// the objective.
const maxShrinkage = 1e12

func (s Shrinkage) check() error {
	if !(s.rho >= 0 && s.rho <= maxShrinkage) {
		return fmt.Errorf("%w: shrinkage is %v; it must be between 0 and %g", ErrSettings, s.rho, float64(maxShrinkage))
	}
	return nil
}

// Scale is the setting for the lengths of the components. The lengths decide how much each
// component counts in a distance, for example for nearest neighbors. The zero value, ScaleAuto,
// lets Fit choose the scale.
//
// ScaleOrthonormal is the scale of the paper. Each of the other scales first determines the ratios of
// the lengths. All components are then multiplied by a common factor, which makes the mean variance
// within classes of the projected training samples y_i equal to 1 in the q leading components:
//
//	Σ_c Σ_{i in c} Σ_{k ≤ q} (y_ik − m_ck)² = n·q,    m_c the mean of class c.
//
// Distances therefore have the same unit in every fit, whatever the units of the features and the
// settings that Fit chooses. (If the variance within classes is less than 10⁻⁶ times the total
// variance, the factor is computed from 10⁻⁶ times the total variance instead. A fit that was
// interrupted has orthonormal components.)
type Scale uint8

const (
	// ScaleAuto lets Fit choose between ScaleEqual and ScaleUnit.
	ScaleAuto Scale = iota
	// ScaleOrthonormal makes PᵀP = I, as in the paper; with whitening, P is orthonormal for the
	// whitened features. The canonical components are orthonormalized one after the other, so the
	// first q components span the same subspace as the first q canonical components.
	ScaleOrthonormal
	// ScaleUnit makes vᵀ(S_w + ridge/p·I)v equal for all canonical components v, where S_w is the
	// within-class transport matrix. Discriminant analysis scales its components in this way.
	ScaleUnit
	// ScaleRatio multiplies the components of ScaleUnit by √(μ/(1 + μ)), where μ is the ratio of
	// the component in Report.Ratios. A component that separates the classes poorly therefore
	// contributes little to distances.
	ScaleRatio
	// ScaleEqual multiplies all components of ScaleOrthonormal by the same factor, so PᵀP = c·I.
	ScaleEqual

	numScales
)

var scaleNames = enum.New("Scale", ErrSettings, autoText, "orthonormal", "unit", "ratio", "equal")

// equalLengths reports whether the components are orthogonal and of equal length.
func (s Scale) equalLengths() bool { return s == ScaleOrthonormal || s == ScaleEqual }

// lengths converts s to the type Lengths of package discriminant. leading is the number of leading components, or
// 0 for all components.
func (s Scale) lengths(leading int) discriminant.Lengths {
	return discriminant.Lengths{Orthonormal: s.equalLengths(), ByRatio: s == ScaleRatio, Leading: leading}
}

// String returns "auto", "orthonormal", "unit", "ratio" or "equal".
func (s Scale) String() string { return scaleNames.Name(uint8(s)) }

// MarshalText implements encoding.TextMarshaler. It returns the text of String.
func (s Scale) MarshalText() ([]byte, error) { return scaleNames.Text(uint8(s)) }

// UnmarshalText implements encoding.TextUnmarshaler. It reads the texts that String returns.
func (s *Scale) UnmarshalText(text []byte) error { return enum.Parse(s, text, scaleNames) }

// Use is the setting for the kind of classifier that will be used on the projected samples. When Fit
// chooses settings, it compares candidates by the loss of this kind of classifier on held-out rows.
// The zero value, UseAuto, means UseNeighbors.
type Use uint8

const (
	// UseAuto means UseNeighbors.
	UseAuto Use = iota
	// UseNeighbors is for nearest neighbors, and for other methods that use distances between
	// samples.
	UseNeighbors
	// UseLinear is for linear classifiers, such as logistic regression. Fit compares candidates by
	// linear discriminant analysis of the projected samples.
	UseLinear
	// UseCentroid is for classification by the nearest class mean. Fit compares candidates by
	// a model of the projected samples in which every class is normally distributed and all
	// classes have the same spherical covariance.
	UseCentroid

	numUses
)

var useNames = enum.New("Use", ErrSettings, autoText, "neighbors", "linear", "centroid")

// String returns "auto", "neighbors", "linear" or "centroid".
func (u Use) String() string { return useNames.Name(uint8(u)) }

// MarshalText implements encoding.TextMarshaler. It returns the text of String.
func (u Use) MarshalText() ([]byte, error) { return useNames.Text(uint8(u)) }

// UnmarshalText implements encoding.TextUnmarshaler. It reads the texts that String returns.
func (u *Use) UnmarshalText(text []byte) error { return enum.Parse(u, text, useNames) }

// Whitening is the setting for the metric of the features. Whitening makes the variances of the
// features within the classes more equal and their correlations smaller. It uses the covariance
// within the classes, shrunken so that it can be inverted. Projections are orthonormal in the
// whitened features. With a small λ the result is regularized discriminant analysis (J. H.
// Friedman, "Regularized discriminant analysis", JASA 84, 1989).
//
// The zero value lets Fit choose the whitening. NoWhitening, SphericalWhitening and
// DiagonalWhitening return other values.
//
// Let S be the pooled covariance within classes (d × d, or in the span of the samples if n ≤ d) and
// μ = tr S / d. Whitening replaces the features x of a sample by L⁻¹x, where
//
//	L·Lᵀ = (1 − α)·S + α·μ·I
//
// for spherical whitening with intensity α. Diagonal whitening first divides every feature
// by its own standard deviation within classes, so that S shrinks toward its diagonal.
type Whitening struct {
	kind      whiteningKind
	intensity float64
}

type whiteningKind uint8

const (
	whiteningAuto whiteningKind = iota
	whiteningNone
	whiteningSpherical
	whiteningDiagonal
)

// LedoitWolf is a special value of the intensity of a Whitening. It selects the intensity that the
// estimator of O. Ledoit and M. Wolf computes from the residuals within classes ("A well-conditioned
// estimator for large-dimensional covariance matrices", J. Multivariate Anal. 88, 2004).
const LedoitWolf = -1.0

// NoWhitening returns the setting that does not whiten the features, as in the paper.
func NoWhitening() Whitening { return Whitening{kind: whiteningNone} }

// SphericalWhitening returns whitening by the covariance within classes, shrunken toward a multiple of
// the identity. alpha is the intensity, 0 < alpha ≤ 1, or LedoitWolf; Fit returns ErrSettings for other
// values. Use spherical whitening for features of one kind, such as pixels, and for more features than
// samples. alpha = 1 only divides all features by the same number.
func SphericalWhitening(alpha float64) Whitening { return Whitening{whiteningSpherical, alpha} }

// DiagonalWhitening returns whitening by the covariance within classes, shrunken toward its diagonal.
// alpha is the intensity, 0 < alpha ≤ 1, or LedoitWolf; Fit returns ErrSettings for other values. Use
// diagonal whitening for features of different kinds. alpha = 1 divides every feature by its standard
// deviation within classes.
func DiagonalWhitening(alpha float64) Whitening { return Whitening{whiteningDiagonal, alpha} }

// IsAuto reports whether w is the zero Whitening, which lets Fit choose the whitening.
func (w Whitening) IsAuto() bool { return w.kind == whiteningAuto }

const (
	noneText      = "none"
	sphericalText = "spherical"
	diagonalText  = "diagonal"
)

// String returns "auto", "none", "spherical" or "diagonal". An intensity other than
// LedoitWolf follows after a colon, as in "spherical:0.5".
func (w Whitening) String() string {
	name := ""
	switch w.kind {
	case whiteningNone:
		return noneText
	case whiteningSpherical:
		name = sphericalText
	case whiteningDiagonal:
		name = diagonalText
	default:
		return autoText
	}
	if w.intensity != LedoitWolf {
		name += ":" + strconv.FormatFloat(w.intensity, 'g', -1, 64)
	}
	return name
}

// MarshalText implements encoding.TextMarshaler. It returns the text of String.
func (w Whitening) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It reads the texts that String returns.
func (w *Whitening) UnmarshalText(text []byte) error {
	name, number, with := strings.Cut(string(text), ":")
	t := Whitening{}
	switch name {
	case autoText:
	case noneText:
		t = NoWhitening()
	case sphericalText:
		t = SphericalWhitening(LedoitWolf)
	case diagonalText:
		t = DiagonalWhitening(LedoitWolf)
	default:
		return fmt.Errorf("%w: invalid whitening %q: use %s, %s, %s or %s", ErrSettings, text, autoText, noneText, sphericalText, diagonalText)
	}
	if with {
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || t.kind < whiteningSpherical || !(v > 0 && v <= 1) {
			return fmt.Errorf("%w: invalid whitening %q: %s and %s may be followed by a colon and an intensity above 0 and at most 1, as in %s:0.5", ErrSettings, text, sphericalText, diagonalText, sphericalText)
		}
		t.intensity = v
	}
	*w = t
	return nil
}

// rule returns w as a WhiteningRule of package discriminant, or nil for no whitening. w must not be
// automatic.
func (w Whitening) rule() *discriminant.WhiteningRule {
	if w.kind < whiteningSpherical {
		return nil
	}
	return &discriminant.WhiteningRule{Features: w.kind == whiteningDiagonal, Intensity: w.intensity}
}

func (w Whitening) check() error {
	if w.kind < whiteningSpherical || w.intensity == LedoitWolf || w.intensity > 0 && w.intensity <= 1 {
		return nil
	}
	return fmt.Errorf("%w: the intensity of whitening is %v; it must be greater than 0 and at most 1, or LedoitWolf", ErrSettings, w.intensity)
}

// Mixture is the setting for mixing the projections of several candidates. If there are few rows, the
// losses of several candidates on held-out rows differ by less than twice the standard error of the
// difference. A mixture of these candidates depends less on the seed than the best candidate alone.
//
// Let P_1 … P_k be the projections of k candidates, scaled to unit mean variance within classes. The
// projection of the mixture is
//
//	P = c·(P_1 … P_k)·V
//
// where the columns of V are the p leading principal components of X·(P_1 … P_k), and the factor c
// makes the mean variance within classes 1. The squared distance of two projected samples is
// therefore close to the mean of their k squared distances in the projections P_i. The number of
// informative components is the maximum over the candidates.
//
// The zero value mixes up to three candidates if they are compared on fewer than 1000 rows.
// NoMixture and MixtureOf return other values. There is no mixture if Scale, Leading,
// Optimizer.Method, Optimizer.Init, Validation or a matrix for λ is given, or if Fit compares no
// candidates.
//
// Report.Settings of a mixture contains a Mixture that lists the members. A fit with these settings
// compares no candidates and has the same result, bit for bit.
type Mixture struct {
	limit   int
	members []Member // settings of the candidates that are mixed, or nil
}

// NoMixture returns the setting that uses the best candidate alone.
func NoMixture() Mixture { return Mixture{limit: 1} }

// MixtureOf returns the setting that mixes at most n candidates, for any number of rows. Fit returns
// ErrSettings unless n ≥ 1.
func MixtureOf(n int) Mixture {
	if n == 0 {
		n = -1 // invalid, because the limit 0 would let Fit choose
	}
	return Mixture{limit: n}
}

// IsAuto reports whether m is the zero Mixture, which lets Fit choose.
func (m Mixture) IsAuto() bool { return m.limit == 0 && m.members == nil }

// Members returns a copy of the candidates of a mixture in the order of their losses, without the
// losses. The result is nil unless m comes from Report.Settings or from UnmarshalText with a text that
// lists candidates.
func (m Mixture) Members() []Member { return slices.Clone(m.members) }

// String returns "auto", a number, or the members, separated by semicolons. The text of a member
// contains its whitening, method, λ, ρ, scale and number of informative components.
func (m Mixture) String() string {
	if m.IsAuto() {
		return autoText
	}
	if m.members == nil {
		return strconv.Itoa(m.limit)
	}
	var out []string
	for _, c := range m.members {
		out = append(out, fmt.Sprintf("%v %v %v %v %v %d", c.Whitening, c.Method, c.Lambda, c.Shrinkage, c.Scale, c.Leading))
	}
	return strings.Join(out, "; ")
}

// MarshalText implements encoding.TextMarshaler. It returns the text of String.
func (m Mixture) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It reads the texts that String returns.
func (m *Mixture) UnmarshalText(text []byte) error {
	if string(text) == autoText {
		*m = Mixture{}
		return nil
	}
	if n, err := strconv.Atoi(string(text)); err == nil {
		t := MixtureOf(n)
		if err := t.check(); err != nil {
			return err
		}
		*m = t
		return nil
	}
	var t Mixture
	for i, part := range strings.Split(string(text), ";") {
		var c Member
		words := strings.Fields(part)
		if len(words) != 6 {
			return fmt.Errorf("%w: invalid mixture %.100q: member %d has %d words instead of 6", ErrSettings, text, i, len(words))
		}
		var err error
		if c.Method, err = ParseMethod(words[1]); err != nil {
			return err
		}
		for _, v := range []struct {
			to   interface{ UnmarshalText([]byte) error }
			from string
		}{{&c.Whitening, words[0]}, {&c.Lambda, words[2]}, {&c.Shrinkage, words[3]}, {&c.Scale, words[4]}} {
			if err := v.to.UnmarshalText([]byte(v.from)); err != nil {
				return err
			}
		}
		if c.Leading, err = strconv.Atoi(words[5]); err != nil {
			return fmt.Errorf("%w: invalid mixture %.100q: member %d has %q informative components", ErrSettings, text, i, words[5])
		}
		t.members = append(t.members, c)
	}
	if err := t.check(); err != nil {
		return err
	}
	*m = t
	return nil
}

// mixtureOf returns the mixture of members, without their losses.
func mixtureOf(members []Member) Mixture {
	out := slices.Clone(members)
	for i := range out {
		out[i].Loss, out[i].Error, out[i].Folds = 0, 0, 0
	}
	return Mixture{members: out}
}

func (m Mixture) check() error {
	if m.limit < 0 {
		return fmt.Errorf("%w: a mixture needs at least 1 candidate", ErrSettings)
	}
	if len(m.members) == 1 {
		return fmt.Errorf("%w: the mixture has one member; at least two are needed", ErrSettings)
	}
	for i, c := range m.members {
		open := c.Whitening.IsAuto() || c.Lambda.IsAuto() || c.Shrinkage.IsAuto() || c.Scale == ScaleAuto
		if stepless := c.Method.traits().stepless; open || c.Leading < 1 || !stepless && !c.Method.traits().chooses {
			return fmt.Errorf("%w: member %d of the mixture, %v, is not a candidate that Fit compares", ErrSettings, i, mixtureOf([]Member{c}))
		}
	}
	return nil
}
