package discriminant

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// If there are more features than samples (n < d), then the principal components, every gradient
// XᵀG and therefore every iterate lie in the span of the rows of X, and J depends only on XP.
// Consider the pivoted Cholesky factorization of the Gram matrix
//
//	Π XXᵀ Πᵀ = L Lᵀ,    L = (L₁ ; L₂) n × r.
//
// The permutation Π moves the r rows of X chosen by the pivots to the top. Let X₁ contain these
// rows. Then Q = X₁ᵀ L₁⁻ᵀ is an orthonormal basis of the span, and L contains the coordinates of
// the samples in this basis. The fit uses these n × r coordinates as samples. If it finds the
// projection P' of the coordinates, then P = Q P' is the projection of the features.
//
// If the caller gives a start P⁰, the start may have a component E = P⁰ − QQᵀP⁰ outside the span. Let
// W be an orthonormal basis of the columns of E. Every iterate lies in the span of Q and W, because
// the tangent projection G − P sym(PᵀG) and the retractions combine columns of P and G. The samples
// therefore get an additional coordinate for each column of W. These coordinates are 0, because
// XW = 0.

const (
	// A pivot counts as rounding error if its ratio to the first pivot is below minPivot or below
	// (n + d)·2⁻⁵². The second bound is the rounding error of sums over d features.
	minPivot = 1e-13
	// ConditionLimit is the smallest allowed ratio of the last pivot to the first pivot. If the ratio
	// is smaller, the span is not used. The basis Q of the span is orthonormal up to an error of 2⁻⁵² divided by this ratio.
	ConditionLimit = 1e-7
	// A start is rank-deficient if its smallest singular value is at most minStartRatio times its
	// largest singular value.
	minStartRatio = 1e-12
	// A start lies in the span if the norm of its component outside the span is at most
	// outsideTolerance.
	outsideTolerance = 1e-8
)

// Span is the space that contains the iterates of a fit. It has all features, or it is spanned by samples.
type Span struct {
	Samples      *Samples   // coordinates of the samples in this space
	Full         *Samples   // samples with all features
	spanningRows []int      // rows of Full that span the space; nil if the space has all features
	lower        *mat.Dense // L₁, the Cholesky factor of the Gram matrix of the spanning rows
	outsideBasis *mat.Dense // W, a basis of the part of the start outside the span, or nil
	// whitening is the Cholesky factor that whitens the coordinates. It is nil if nothing is
	// whitened.
	whitening *algebra.Cholesky
	// withinCovariance is the covariance within classes before whitening, if known.
	withinCovariance *covariance
	// featureScales are the factors applied to the features before whitening, or nil.
	featureScales []float64
	// shrinkage is the shrinkage intensity of the covariance.
	shrinkage float64
	// meanVariances contains the variance of the class means in every feature. It is computed
	// before whitening, which overwrites the features. It is nil if S_b is not shrunk.
	meanVariances []float64
}

// NewSpan reduces s to its span if the reduction saves time and if the ratio of the last pivot to
// the first pivot is at least limit.
func NewSpan(ctx context.Context, s *Samples, limit float64, workers int) *Span {
	sp := WholeSpan(s)
	if s.D <= s.N {
		return sp
	}
	products := gram(ctx, dense.View(s.X), workers)
	l, rows, least := algebra.PivotedCholesky(ctx, products, max(minPivot, 0x1p-52*float64(s.N+s.D)))
	if len(rows) == 0 || !(least >= limit) {
		return sp
	}
	r := len(rows)
	sp.spanningRows, sp.lower = rows, mat.NewDense(r, r, nil)
	for i, row := range rows {
		copy(sp.lower.RawRowView(i), l.Row(row))
	}
	sp.Samples = s.coordinates(ctx, l, r)
	return sp
}

// WholeSpan returns the Span with all features of s.
func WholeSpan(s *Samples) *Span { return &Span{Samples: s, Full: s} }

// IsReduced reports whether the samples are represented by coordinates in a span. The number of
// coordinates is then less than the number of features.
func (sp *Span) IsReduced() bool { return sp.spanningRows != nil }

// WithFeatures returns a copy of sp with a different field Full. The new samples must be the rows of
// sp with different or rescaled features. Whitened uses Full if WhiteningRule.Features is set.
func (sp *Span) WithFeatures(full *Samples) *Span {
	t := *sp
	t.Full = full
	return &t
}

// coordinates returns samples with d coordinates. The first coordinates are x, and the other
// coordinates are 0.
func (s *Samples) coordinates(ctx context.Context, x matrix.Matrix[float64], d int) *Samples {
	t := *s
	t.D, t.Mean, t.X = d, make([]float64, d), mat.NewDense(s.N, d, nil)
	dense.EachRow(ctx, 0, s.N, d, func(i int) { copy(t.X.RawRowView(i), x.Row(i)) })
	return &t
}

// Whole returns the Span with all features.
func (sp *Span) Whole() *Span { return WholeSpan(sp.Full) }

// WithStart returns the space for a fit that begins at p, and the coordinates of p in this space.
// The start p must be orthonormal.
func (sp *Span) WithStart(ctx context.Context, p *mat.Dense) (*Span, *mat.Dense, error) {
	if sp.spanningRows == nil {
		return sp, p, nil
	}
	t := *sp
	init, err := t.splitStart(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	if d, _ := init.Dims(); d >= sp.Full.D {
		return sp.Whole(), p, nil
	} else if t.outsideBasis != nil {
		t.Samples = sp.Samples.coordinates(ctx, dense.View(sp.Samples.X), d)
	}
	return &t, init, nil
}

// Orthonormal returns an orthonormalized copy of init.
func Orthonormal(ctx context.Context, init mat.Matrix) (*mat.Dense, error) {
	p := mat.DenseCopyOf(init)
	_, k := p.Dims()
	m := stiefel.New(p.Dims())
	if m.Infeasibility(ctx, p) > 1e-12*float64(k) {
		svd := decompose(ctx, p)
		if svd == nil {
			return nil, fault.Ended(ctx, fmt.Errorf("%w: the start has no singular values", fault.ErrSettings))
		}
		if v := svd.Values; !(v[k-1] > minStartRatio*v[0]) {
			return nil, fmt.Errorf("%w: the columns of the start are dependent: singular values from %g to %g", fault.ErrSettings, v[0], v[k-1])
		}
		if err := m.Project(ctx, p, p); err != nil {
			return nil, fault.Ended(ctx, fmt.Errorf("%w: the start cannot be made orthonormal: %w", fault.ErrSettings, err))
		}
	}
	return p, fault.Ended(ctx, nil)
}

// decompose returns the singular value decomposition of p, or nil if p is not finite or the context
// ends.
func decompose(ctx context.Context, p *mat.Dense) *algebra.SVD {
	svd := algebra.NewSVD(p.Dims())
	for i := range p.RawMatrix().Rows {
		for j, v := range p.RawRowView(i) {
			svd.U.Set(j, i, v)
		}
	}
	if !svd.Factorize(ctx) {
		return nil
	}
	return svd
}

// splitStart sets outsideBasis for the start p, and returns the coordinates of p in the span and in
// outsideBasis.
func (sp *Span) splitStart(ctx context.Context, p *mat.Dense) (*mat.Dense, error) {
	d, k := p.Dims()
	a, e := sp.coordinates(ctx, p), mat.NewDense(d, k, nil)
	r := len(sp.spanningRows)
	sp.applyBasis(ctx, e, a)
	e.Sub(p, e)
	init := a
	if rows := e.RawMatrix().Data; math.Sqrt(algebra.Dot(rows, rows)) > outsideTolerance {
		svd := decompose(ctx, e)
		if svd == nil {
			return nil, fault.Ended(ctx, fmt.Errorf("%w: the part of the start outside of the samples' span", fault.ErrSettings))
		}
		columns := 0
		for _, sigma := range svd.Values {
			if sigma > outsideTolerance/float64(k) {
				columns++
			}
		}
		w := mat.DenseCopyOf(mat.NewDense(k, d, svd.U.Data).Slice(0, columns, 0, d).T())
		// If the component of p outside the span is small, w contains large rounding errors within the
		// span. Remove them.
		back := mat.NewDense(d, columns, nil)
		sp.applyBasis(ctx, back, sp.coordinates(ctx, w))
		w.Sub(w, back)
		if _, err := stiefel.New(d, columns).Orthonormalize(ctx, w, w); err != nil {
			return nil, err
		}
		sp.outsideBasis = w
		init = mat.NewDense(r+columns, k, nil)
		init.Slice(0, r, 0, k).(*mat.Dense).Copy(a)
		dense.TransMul(ctx, init.Slice(r, r+columns, 0, k).(*mat.Dense), w, p)
	}
	return init, stiefel.New(init.Dims()).Project(ctx, init, init)
}

// coordinates returns Qᵀp = L₁⁻¹ X₁ p, the coordinates of p in the span.
func (sp *Span) coordinates(ctx context.Context, p *mat.Dense) *mat.Dense {
	_, k := p.Dims()
	z := mat.NewDense(len(sp.spanningRows), k, nil)
	sp.eachSpanningBlock(ctx, func(from, to int, x matrix.Matrix[float64]) {
		matrix.Mul(dense.View(z).RowRange(from, to), x, dense.View(p), false)
	})
	for i := range sp.spanningRows {
		if ctx.Err() != nil {
			break
		}
		zi := z.RawRowView(i)
		for m, c := range sp.lower.RawRowView(i)[:i] {
			addMultiple(zi, -c, z.RawRowView(m))
		}
		for j := range zi {
			zi[j] /= sp.lower.At(i, i)
		}
	}
	return z
}

// eachSpanningBlock calls f for consecutive blocks of rows of X₁ until the context ends. The arguments
// of f are the index of the first row, the index after the last row, and the rows.
func (sp *Span) eachSpanningBlock(ctx context.Context, f func(from, to int, x matrix.Matrix[float64])) {
	const some = 64
	block := matrix.New[float64](some, sp.Full.D, nil)
	for from := 0; from < len(sp.spanningRows) && ctx.Err() == nil; from += some {
		to := min(from+some, len(sp.spanningRows))
		for i := from; i < to; i++ {
			copy(block.Row(i-from), sp.Full.X.RawRowView(sp.spanningRows[i]))
		}
		f(from, to, block.RowRange(0, to-from))
	}
}

// addMultiple sets y = y + a·x.
func addMultiple(y []float64, a float64, x []float64) {
	for j, v := range x {
		y[j] = math.FMA(a, v, y[j])
	}
}

// gram returns X·Xᵀ. Only the lower triangle is defined.
func gram(ctx context.Context, x matrix.Matrix[float64], workers int) matrix.Matrix[float64] {
	g := matrix.New[float64](x.Rows, x.Rows, nil)
	addGram(ctx, g, x, workers)
	return g
}

// addGram adds X·Xᵀ to the lower triangle of g. The upper triangle becomes undefined.
func addGram(ctx context.Context, g, x matrix.Matrix[float64], workers int) {
	parallel.ForContext(ctx, parallel.Count(workers), x.Rows, gramColumns, func(i, j int) {
		panel := matrix.New[float64](x.Cols, j-i, nil)
		matrix.Transpose(panel, x.RowRange(i, j))
		parallel.ForContext(ctx, 1, x.Rows-i, productRows(x.Cols*(j-i)), func(from, to int) {
			matrix.Mul(g.RowRange(i+from, i+to).ColRange(i, j), x.RowRange(i+from, i+to), panel, true)
		})
	})
}

// gramColumns is the number of columns of a Gram matrix computed at a time.
const gramColumns = 48

// Coordinates returns the coordinates of the rows of x in the span. The coordinates of a row x_i
// are L₁⁻¹ X₁ x_iᵀ, where X₁ contains the spanning rows and X₁X₁ᵀ = L₁L₁ᵀ.
func (sp *Span) Coordinates(ctx context.Context, x *mat.Dense) *mat.Dense {
	if sp.spanningRows == nil {
		return x
	}
	n, d := x.Dims()
	basis := matrix.New[float64](d, len(sp.spanningRows), nil)
	for i, row := range sp.spanningRows {
		for k, v := range sp.Full.X.RawRowView(row) {
			basis.Data[k*basis.Stride+i] = v
		}
	}
	out := mat.NewDense(n, len(sp.spanningRows), nil)
	product(ctx, 1, dense.View(out), dense.View(x), basis)
	algebra.CholeskyOf(dense.View(sp.lower)).SolveRows(ctx, dense.View(out))
	return out
}

// Polish selects how to correct the rounding errors of an orthonormal projection that is converted
// from the span to the features.
type Polish uint8

const (
	NoPolish            Polish = iota // no correction; the projection is not orthonormal
	NearestOrthonormal                // use the nearest orthonormal matrix
	AnyOrthonormalBasis               // use any orthonormal basis of the column space, which is much faster
)

// lift converts p, a projection of coordinates in the span, to a projection of all features.
func (sp *Span) lift(ctx context.Context, p *mat.Dense, how Polish) (*mat.Dense, error) {
	if sp.whitening != nil {
		p = mat.DenseCopyOf(p)
		if err := sp.whitening.SolveTrans(ctx, dense.View(p)); err != nil {
			return nil, err
		}
	}
	if sp.spanningRows == nil {
		return p, nil
	}
	_, k := p.Dims()
	q := mat.NewDense(sp.Full.D, k, nil)
	sp.applyBasis(ctx, q, p)
	if sp.outsideBasis != nil {
		first := len(sp.spanningRows)
		for a := range sp.Full.D {
			for i, w := range sp.outsideBasis.RawRowView(a) {
				addMultiple(q.RawRowView(a), w, p.RawRowView(first+i))
			}
		}
	}
	if sp.whitening != nil || how == NoPolish {
		return q, fault.Ended(ctx, nil)
	}
	m := stiefel.New(sp.Full.D, k)
	if how == NearestOrthonormal {
		return q, m.Project(ctx, q, q)
	}
	_, err := m.Orthonormalize(ctx, q, q)
	return q, err
}

// applyBasis sets q = Q p = X₁ᵀ L₁⁻ᵀ p. Let r be the number of rows of X₁. Only the first r rows of p
// are used. These rows are coordinates in the span.
func (sp *Span) applyBasis(ctx context.Context, q, p *mat.Dense) {
	r := len(sp.spanningRows)
	_, k := p.Dims()
	// Solve L₁ᵀ Z = p by back substitution.
	z := mat.DenseCopyOf(p.Slice(0, r, 0, k))
	for i := r - 1; i >= 0 && ctx.Err() == nil; i-- {
		zi := z.RawRowView(i)
		for m := i + 1; m < r; m++ {
			addMultiple(zi, -sp.lower.At(m, i), z.RawRowView(m))
		}
		for j := range zi {
			zi[j] /= sp.lower.At(i, i)
		}
	}
	t := matrix.New[float64](k, sp.Full.D, nil)
	sp.eachSpanningBlock(ctx, func(from, to int, x matrix.Matrix[float64]) {
		matrix.TransMul(t, dense.View(z).RowRange(from, to), x, true)
	})
	matrix.Transpose(dense.View(q), t)
}
