package wda

import (
	"errors"
	"fmt"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

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
	chol.SolveRows(dense.View(t.x))
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
	sp.white.MulTrans(dense.View(p))
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
