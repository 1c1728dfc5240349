package wda

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

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

const (
	// leastWithin is the least share of its variance that a feature has within classes
	// for DiagonalWhitening: one that is constant in every class would be stretched without
	// limit.
	leastWithin = 1e-4
	// leastSpread is the share of the largest variance of a feature below which another is
	// taken for constant, as rounding makes it.
	leastSpread = 1e-24
	// leastIntensity keeps a covariance that Ledoit and Wolf find nothing wrong with
	// definite.
	leastIntensity = 1e-10
)

// whitened returns sp with its samples whitened. The samples of a span are those of a
// part of its classes' rows only if they are centred; these are.
func (sp *span) whitened(w Whitening, workers int) (*span, error) {
	if w.kind == noWhitening {
		return sp, nil
	}
	from, factor := sp, []float64(nil)
	if w.kind == diagonalWhitening {
		scaled, by := sp.full.scaledWithin()
		from, factor = &span{s: scaled, full: scaled}, by
		if sp.rows != nil {
			from = newSpan(scaled, workers)
		}
	}
	s := from.s
	cov, residuals := s.covarianceWithin()
	alpha := w.intensity
	if alpha == 0 {
		alpha = max(ledoitWolf(cov, residuals), leastIntensity)
	}
	var trace float64
	for j := range s.d {
		trace += cov.At(j, j)
	}
	mu := trace / float64(s.d)
	for i := range s.d {
		row := cov.Row(i)
		for j := range row {
			row[j] *= 1 - alpha
		}
		row[i] += float64(alpha * mu)
	}
	chol, ok := algebra.NewCholesky(cov)
	if !ok {
		return nil, fmt.Errorf("%w within classes", ErrNoSpread)
	}
	t := *s
	t.x, t.scale = mat.DenseCopyOf(s.x), 1
	chol.SolveRows(viewOf(t.x))
	out := *from
	out.s, out.white, out.factor = &t, chol, factor
	return &out, nil
}

// effective returns what the projection p of the span is for the samples that the span
// was made of.
func (sp *span) effective(p *mat.Dense) (*mat.Dense, error) {
	out, err := sp.lift(p)
	if err != nil || sp.factor == nil {
		return out, err
	}
	for j, f := range sp.factor {
		row := out.RawRowView(j)
		for k := range row {
			row[k] *= f
		}
	}
	return out, nil
}

// whitenedInit returns the start p (d × k), orthonormal, of the caller: its part in the
// space of the samples, which is all that they see, orthonormal in whitened features.
func (sp *span) whitenedInit(p *mat.Dense) (*mat.Dense, error) {
	p = mat.DenseCopyOf(p)
	for j, f := range sp.factor {
		row := p.RawRowView(j)
		for k := range row {
			row[k] /= f
		}
	}
	if sp.rows != nil {
		p = sp.coordinates(p)
	}
	sp.white.MulTrans(viewOf(p))
	_, k := p.Dims()
	rank, err := stiefel.New(sp.s.d, k).Orthonormalize(p, p)
	if err == nil && rank < k {
		err = errRankDeficient
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the start cannot be made orthonormal: %w", ErrSettings, err)
	}
	return p, nil
}

var errRankDeficient = errors.New("its columns are linearly dependent for these samples")

// scaledWithin returns the samples with every feature divided by its standard deviation
// within classes, and what they were multiplied by.
func (s *samples) scaledWithin() (*samples, []float64) {
	total, within := make([]float64, s.d), make([]float64, s.d)
	residuals := s.residuals()
	for i := range s.n {
		for j, v := range s.x.RawRowView(i) {
			total[j] += float64(v * v)
		}
		for j, v := range residuals.Row(i) {
			within[j] += float64(v * v)
		}
	}
	var top float64
	for _, v := range total {
		top = max(top, v)
	}
	t := *s
	t.feature, t.scale = make([]float64, s.d), 1
	for j := range t.feature {
		f := 1.
		if total[j] > leastSpread*top {
			f = 1 / math.Sqrt(max(within[j], leastWithin*total[j])/float64(s.n))
		}
		within[j] = f
		if s.feature != nil {
			f *= s.feature[j]
		}
		t.feature[j] = f
	}
	t.x = mat.DenseCopyOf(s.x)
	for i := range s.n {
		row := t.x.RawRowView(i)
		for j := range row {
			row[j] *= within[j]
		}
	}
	return &t, within
}

// residuals returns the samples less the means of their classes.
func (s *samples) residuals() matrix.Matrix[float64] {
	r := matrix.New[float64](s.n, s.d, nil)
	mean := make([]float64, s.d)
	for c := range s.classes {
		s.classMean(mean, c)
		for i := s.offset[c]; i < s.offset[c+1]; i++ {
			row := r.Row(i)
			for j, v := range s.x.RawRowView(i) {
				row[j] = v - mean[j]
			}
		}
	}
	return r
}

// classMean sets mean to that of class c.
func (s *samples) classMean(mean []float64, c int) {
	clear(mean)
	for i := s.offset[c]; i < s.offset[c+1]; i++ {
		for j, v := range s.x.RawRowView(i) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(s.size(c))
	}
}

// covarianceWithin returns RᵀR/n of the residuals R, and R.
func (s *samples) covarianceWithin() (cov, residuals matrix.Matrix[float64]) {
	residuals = s.residuals()
	cov = matrix.New[float64](s.d, s.d, nil)
	trans := matrix.New[float64](s.d, s.n, nil)
	matrix.Transpose(trans, residuals)
	// The lower triangle is enough, a block of columns from its first row on.
	const block = 48
	for j := 0; j < s.d; j += block {
		k := min(j+block, s.d)
		matrix.Mul(asm.Best(), cov.RowRange(j, s.d).ColRange(j, k), trans.RowRange(j, s.d), residuals.ColRange(j, k), false)
	}
	for i := range s.d {
		for j := range i + 1 {
			v := cov.At(i, j) / float64(s.n)
			cov.Set(i, j, v)
			cov.Set(j, i, v)
		}
	}
	return cov, residuals
}

// ledoitWolf returns the intensity of shrinkage towards μ·I, equations 14 and 15 of
// Ledoit and Wolf, for the covariance S = RᵀR/n of centred rows R:
//
//	α = min(b̄², d²)/d²    d² = ‖S − μI‖²    b̄² = (Σ_i ‖r_i‖⁴/n − ‖S‖²)/n
func ledoitWolf(cov, rows matrix.Matrix[float64]) float64 {
	var trace, square, fourth float64
	for i := range cov.Rows {
		trace += cov.At(i, i)
		for _, v := range cov.Row(i) {
			square += float64(v * v)
		}
	}
	for i := range rows.Rows {
		var q float64
		for _, v := range rows.Row(i) {
			q += float64(v * v)
		}
		fourth += float64(q * q)
	}
	n := float64(rows.Rows)
	d2 := square - float64(trace*trace)/float64(cov.Rows)
	b2 := (fourth/n - square) / n
	switch {
	case !(d2 > 0) || b2 >= d2:
		return 1
	case b2 <= 0:
		return 0
	}
	return b2 / d2
}
