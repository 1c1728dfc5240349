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

// With more features than samples, n < d, the principal components, every gradient
// XᵀG and thus every iterate lie in the span of the rows of X, and J depends on XP
// alone. With a pivoted Cholesky factorisation of the Gram matrix
//
//	Π XXᵀ Πᵀ = L Lᵀ,    L = (L₁ ; L₂) n × r,
//
// Q = X₁ᵀ L₁⁻ᵀ is an orthonormal basis of the span, X₁ being the r rows that the
// pivots have chosen, and L the coordinates of the samples in it. The fit is then
// one of n × r samples, and P = Q P'.
//
// A start of the caller's may have a part E = P⁰ − QQᵀP⁰ outside of the span. Every
// iterate then lies in the span of Q and W, an orthonormal basis of that of E: the
// tangent projection G − P sym(PᵀG) and the retractions combine the columns of P and
// of G. As XW = 0 the samples get as many coordinates more as W has columns, all 0.

const (
	// leastRank: a pivot below this share of the first is rounding, as is one below
	// (n + d)·2⁻⁵², what sums over so many features leave of a pivot that is 0.
	leastRank = 1e-13
	// conditionLimit: Q is orthonormal to 2⁻⁵² times the ratio of the first pivot to
	// the last. With a smaller pivot than this share of the first one the samples are
	// taken as they are.
	ConditionLimit = 1e-7
	// rankDeficient: a start whose smallest singular value is no larger a share of the
	// largest has no full rank.
	rankDeficient = 1e-12
	// outside: a start with no larger a part outside of the span is taken to lie in it.
	outside = 1e-8
)

// Span is the space that a fit is done in.
type Span struct {
	Samples *Samples   // the samples, or their coordinates
	Full    *Samples   // the samples
	rows    []int      // of full that span it; nil if s is full
	tri     *mat.Dense // L₁
	rest    *mat.Dense // W, or nil
	// white is the L that the coordinates in s are whitened by, or nil.
	white *algebra.Cholesky
	// within is the covariance within classes of coordinates that are not whitened, if it
	// is known.
	within *covariance
	// factor is what the features were multiplied by before, or nil.
	factor []float64
	// alpha is the intensity that the covariance was shrunk with.
	alpha float64
	// meanVariances are those of the class means in every feature before whitening, if S_b is shrunk
	// by them. The features themselves are overwritten.
	meanVariances []float64
}

// NewSpan reduces s if that saves time and no pivot is below limit, relative to the first.
func NewSpan(ctx context.Context, s *Samples, limit float64, workers int) *Span {
	sp := WholeSpan(s)
	if s.D <= s.N {
		return sp
	}
	products := gram(ctx, dense.View(s.X), workers)
	l, rows, least := algebra.PivotedCholesky(ctx, products, max(leastRank, 0x1p-52*float64(s.N+s.D)))
	if len(rows) == 0 || !(least >= limit) {
		return sp
	}
	r := len(rows)
	sp.rows, sp.tri = rows, mat.NewDense(r, r, nil)
	for i, row := range rows {
		copy(sp.tri.RawRowView(i), l.Row(row))
	}
	sp.Samples = s.coordinates(ctx, l, r)
	return sp
}

// WholeSpan returns the space of all features of s.
func WholeSpan(s *Samples) *Span { return &Span{Samples: s, Full: s} }

// Reduced reports whether the span has fewer dimensions than features, and coordinates of its own.
func (sp *Span) Reduced() bool { return sp.rows != nil }

// WithFeatures returns sp for the same rows with other features, or in another metric, that are
// whitened feature by feature.
func (sp *Span) WithFeatures(full *Samples) *Span {
	t := *sp
	t.Full = full
	return &t
}

// coordinates returns the samples whose first coordinates are x, and 0 the others of d.
func (s *Samples) coordinates(ctx context.Context, x matrix.Matrix[float64], d int) *Samples {
	t := *s
	t.D, t.Mean, t.X = d, make([]float64, d), mat.NewDense(s.N, d, nil)
	dense.EachRow(ctx, 0, s.N, d, func(i int) { copy(t.X.RawRowView(i), x.Row(i)) })
	return &t
}

// Whole returns the space of all features.
func (sp *Span) Whole() *Span { return WholeSpan(sp.Full) }

// From returns the space that a fit from p, orthonormal, is done in, and p there.
func (sp *Span) From(ctx context.Context, p *mat.Dense) (*Span, *mat.Dense, error) {
	if sp.rows == nil {
		return sp, p, nil
	}
	t := *sp
	init, err := t.divide(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	if d, _ := init.Dims(); d >= sp.Full.D {
		return sp.Whole(), p, nil
	} else if t.rest != nil {
		t.Samples = sp.Samples.coordinates(ctx, dense.View(sp.Samples.X), d)
	}
	return &t, init, nil
}

// Orthonormal returns p, made orthonormal.
func Orthonormal(ctx context.Context, init mat.Matrix) (*mat.Dense, error) {
	p := mat.DenseCopyOf(init)
	_, k := p.Dims()
	m := stiefel.New(p.Dims())
	if m.Infeasibility(ctx, p) > 1e-12*float64(k) {
		svd := singular(ctx, p)
		if svd == nil {
			return nil, fault.Ended(ctx, fmt.Errorf("%w: the start has no singular values", fault.ErrSettings))
		}
		if v := svd.Values; !(v[k-1] > rankDeficient*v[0]) {
			return nil, fmt.Errorf("%w: the columns of the start are dependent: singular values from %g to %g", fault.ErrSettings, v[0], v[k-1])
		}
		if err := m.Project(ctx, p, p); err != nil {
			return nil, fault.Ended(ctx, fmt.Errorf("%w: the start cannot be made orthonormal: %w", fault.ErrSettings, err))
		}
	}
	return p, fault.Ended(ctx, nil)
}

// singular returns the singular value decomposition of p, or nil if p is not finite or the
// context ends.
func singular(ctx context.Context, p *mat.Dense) *algebra.SVD {
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

// divide sets rest for the start p and returns p's coordinates.
func (sp *Span) divide(ctx context.Context, p *mat.Dense) (*mat.Dense, error) {
	d, k := p.Dims()
	a, e := sp.coordinates(ctx, p), mat.NewDense(d, k, nil)
	r := len(sp.rows)
	sp.spread(ctx, e, a)
	e.Sub(p, e)
	init := a
	if rows := e.RawMatrix().Data; math.Sqrt(algebra.Dot(rows, rows)) > outside {
		svd := singular(ctx, e)
		if svd == nil {
			return nil, fault.Ended(ctx, fmt.Errorf("%w: the part of the start outside of the samples' span", fault.ErrSettings))
		}
		columns := 0
		for _, sigma := range svd.Values {
			if sigma > outside/float64(k) {
				columns++
			}
		}
		w := mat.DenseCopyOf(mat.NewDense(k, d, svd.U.Data).Slice(0, columns, 0, d).T())
		// Rounding of a small part may lie in the span.
		back := mat.NewDense(d, columns, nil)
		sp.spread(ctx, back, sp.coordinates(ctx, w))
		w.Sub(w, back)
		if _, err := stiefel.New(d, columns).Orthonormalize(ctx, w, w); err != nil {
			return nil, err
		}
		sp.rest = w
		init = mat.NewDense(r+columns, k, nil)
		init.Slice(0, r, 0, k).(*mat.Dense).Copy(a)
		dense.TransMul(ctx, init.Slice(r, r+columns, 0, k).(*mat.Dense), w, p)
	}
	return init, stiefel.New(init.Dims()).Project(ctx, init, init)
}

// coordinates returns Qᵀp = L₁⁻¹ X₁ p.
func (sp *Span) coordinates(ctx context.Context, p *mat.Dense) *mat.Dense {
	_, k := p.Dims()
	z := mat.NewDense(len(sp.rows), k, nil)
	sp.spanning(ctx, func(from, to int, x matrix.Matrix[float64]) {
		matrix.Mul(dense.View(z).RowRange(from, to), x, dense.View(p), false)
	})
	for i := range sp.rows {
		if ctx.Err() != nil {
			break
		}
		zi := z.RawRowView(i)
		for m, c := range sp.tri.RawRowView(i)[:i] {
			addMultiple(zi, -c, z.RawRowView(m))
		}
		for j := range zi {
			zi[j] /= sp.tri.At(i, i)
		}
	}
	return z
}

// spanning calls f for the rows from … to−1 of X₁, some at a time, in their order, until the context
// ends.
func (sp *Span) spanning(ctx context.Context, f func(from, to int, x matrix.Matrix[float64])) {
	const some = 64
	block := matrix.New[float64](some, sp.Full.D, nil)
	for from := 0; from < len(sp.rows) && ctx.Err() == nil; from += some {
		to := min(from+some, len(sp.rows))
		for i := from; i < to; i++ {
			copy(block.Row(i-from), sp.Full.X.RawRowView(sp.rows[i]))
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

// gram returns X·Xᵀ of rows X, whose lower triangle is all that is defined.
func gram(ctx context.Context, x matrix.Matrix[float64], workers int) matrix.Matrix[float64] {
	g := matrix.New[float64](x.Rows, x.Rows, nil)
	addGram(ctx, g, x, workers)
	return g
}

// addGram adds X·Xᵀ to the lower triangle of g, and spoils the rest of it.
func addGram(ctx context.Context, g, x matrix.Matrix[float64], workers int) {
	parallel.ForContext(ctx, parallel.Count(workers), x.Rows, gramColumns, func(i, j int) {
		panel := matrix.New[float64](x.Cols, j-i, nil)
		matrix.Transpose(panel, x.RowRange(i, j))
		parallel.ForContext(ctx, 1, x.Rows-i, productPiece(x.Cols*(j-i)), func(from, to int) {
			matrix.Mul(g.RowRange(i+from, i+to).ColRange(i, j), x.RowRange(i+from, i+to), panel, true)
		})
	})
}

// gramColumns is the number of columns of a Gram matrix that are computed at a time.
const gramColumns = 48

// RowsIn returns the coordinates in the span of rows x of features: L₁⁻¹ X₁ xᵀ of each.
func (sp *Span) RowsIn(ctx context.Context, x *mat.Dense) *mat.Dense {
	if sp.rows == nil {
		return x
	}
	n, d := x.Dims()
	basis := matrix.New[float64](d, len(sp.rows), nil)
	for i, row := range sp.rows {
		for k, v := range sp.Full.X.RawRowView(row) {
			basis.Data[k*basis.Stride+i] = v
		}
	}
	out := mat.NewDense(n, len(sp.rows), nil)
	product(ctx, 1, dense.View(out), dense.View(x), basis)
	algebra.CholeskyOf(dense.View(sp.tri)).SolveRows(ctx, dense.View(out))
	return out
}

// Polish is what is done to an orthonormal p that comes out of the span, orthonormal up to rounding.
type Polish uint8

const (
	AsItIs   Polish = iota // nothing: p is not orthonormal
	Nearest                // it becomes the nearest that is
	AnyBasis               // it becomes another basis of its span, which takes a fraction of the time
)

// lift returns the projection of the samples that p is in the span.
func (sp *Span) lift(ctx context.Context, p *mat.Dense, how Polish) (*mat.Dense, error) {
	if sp.white != nil {
		p = mat.DenseCopyOf(p)
		if err := sp.white.SolveTrans(ctx, dense.View(p)); err != nil {
			return nil, err
		}
	}
	if sp.rows == nil {
		return p, nil
	}
	_, k := p.Dims()
	q := mat.NewDense(sp.Full.D, k, nil)
	sp.spread(ctx, q, p)
	if sp.rest != nil {
		first := len(sp.rows)
		for a := range sp.Full.D {
			for i, w := range sp.rest.RawRowView(a) {
				addMultiple(q.RawRowView(a), w, p.RawRowView(first+i))
			}
		}
	}
	if sp.white != nil || how == AsItIs {
		return q, fault.Ended(ctx, nil)
	}
	m := stiefel.New(sp.Full.D, k)
	if how == Nearest {
		return q, m.Project(ctx, q, q)
	}
	_, err := m.Orthonormalize(ctx, q, q)
	return q, err
}

// spread sets q = Q p = X₁ᵀ L₁⁻ᵀ p, with the first rows of p.
func (sp *Span) spread(ctx context.Context, q, p *mat.Dense) {
	r := len(sp.rows)
	_, k := p.Dims()
	// L₁ᵀ Z = P', from the last row up.
	z := mat.DenseCopyOf(p.Slice(0, r, 0, k))
	for i := r - 1; i >= 0 && ctx.Err() == nil; i-- {
		zi := z.RawRowView(i)
		for m := i + 1; m < r; m++ {
			addMultiple(zi, -sp.tri.At(m, i), z.RawRowView(m))
		}
		for j := range zi {
			zi[j] /= sp.tri.At(i, i)
		}
	}
	t := matrix.New[float64](k, sp.Full.D, nil)
	sp.spanning(ctx, func(from, to int, x matrix.Matrix[float64]) {
		matrix.TransMul(t, dense.View(z).RowRange(from, to), x, true)
	})
	matrix.Transpose(dense.View(q), t)
}
