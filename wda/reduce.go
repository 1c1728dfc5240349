package wda

import (
	"math"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/project"
	"github.com/gomonge/monge/wda/stiefel"
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

const (
	// rankTolerance: a pivot below this share of the first is rounding.
	rankTolerance = 1e-13
	// conditionLimit: Q is orthonormal to 2⁻⁵² times the ratio of the first pivot to
	// the last. With a smaller pivot than this share of the first one the samples are
	// taken as they are.
	conditionLimit = 1e-5
)

// span is the space that a fit is done in.
type span struct {
	s    *samples   // the samples, or their coordinates
	full *samples   // the samples
	rows []int      // of full that span it; nil if s is full
	tri  *mat.Dense // L₁
}

// newSpan reduces s if that is exact and saves time.
func newSpan(s *samples, set *Settings) (*span, error) {
	whole := &span{s: s, full: s}
	if s.d <= s.n || set.Init != nil {
		return whole, nil
	}
	l, rows, ok := pivotedCholesky(s.gram(set), rankTolerance, conditionLimit)
	if !ok || len(rows) < set.Components {
		return whole, nil
	}
	r := len(rows)
	t := *s
	t.d, t.mean = r, make([]float64, r)
	t.x = mat.DenseCopyOf(l.Slice(0, s.n, 0, r))
	tri := mat.NewDense(r, r, nil)
	for i, row := range rows {
		copy(tri.RawRowView(i), t.x.RawRowView(row))
	}
	return &span{s: &t, full: s, rows: rows, tri: tri}, nil
}

// gram returns XXᵀ.
func (s *samples) gram(set *Settings) *mat.Dense {
	xt := mat.DenseCopyOf(s.x.T())
	g := mat.NewDense(s.n, s.n, nil)
	in, t, out := s.x.RawMatrix(), xt.RawMatrix(), g.RawMatrix()
	each(workerCount(set.Workers), s.n, 16, func(i, j int) {
		// The lower triangle is enough.
		project.Mul(asm.Best(), j-i, j, s.d, out.Data[i*out.Stride:], out.Stride, in.Data[i*in.Stride:], in.Stride, t.Data, t.Stride, false)
	})
	return g
}

// pivotedCholesky factorises the symmetric, positive semidefinite matrix of which g
// has the lower triangle. It returns the n × n array whose first r columns are L,
// its rows in the order of g, and the r pivots. It reports false if a pivot is
// between tolerance and limit, relative to the first. g is overwritten.
func pivotedCholesky(g *mat.Dense, tolerance, limit float64) (l *mat.Dense, pivots []int, ok bool) {
	n, _ := g.Dims()
	l = mat.NewDense(n, n, nil)
	left := make([]float64, n) // diagonal of what is left
	used := make([]bool, n)
	for i := range left {
		left[i] = g.At(i, i)
	}
	var first float64
	for k := range n {
		at := -1
		for i, v := range left {
			if !used[i] && (at < 0 || v > left[at]) {
				at = i
			}
		}
		if k == 0 {
			first = left[at]
		}
		if !(left[at] > tolerance*first) {
			return l, pivots, len(pivots) > 0
		}
		if left[at] < limit*first {
			return nil, nil, false
		}
		used[at] = true
		pivots = append(pivots, at)
		root := math.Sqrt(left[at])
		pivot := l.RawRowView(at)
		pivot[k] = root
		for i := range n {
			if used[i] {
				continue
			}
			row := l.RawRowView(i)
			v := g.At(max(i, at), min(i, at))
			for m, x := range row[:k] {
				v = math.FMA(-x, pivot[m], v)
			}
			row[k] = v / root
			left[i] = math.FMA(-row[k], row[k], left[i])
		}
	}
	return l, pivots, true
}

// lift returns the projection of the samples that p is in the span.
func (sp *span) lift(p *mat.Dense) (*mat.Dense, error) {
	if sp.rows == nil {
		return p, nil
	}
	r, k := p.Dims()
	// L₁ᵀ Z = P', from the last row up.
	z := mat.DenseCopyOf(p)
	for i := r - 1; i >= 0; i-- {
		zi := z.RawRowView(i)
		for m := i + 1; m < r; m++ {
			c := sp.tri.At(m, i)
			for j, v := range z.RawRowView(m) {
				zi[j] = math.FMA(-c, v, zi[j])
			}
		}
		for j := range zi {
			zi[j] /= sp.tri.At(i, i)
		}
	}
	// P = X₁ᵀ Z.
	q := mat.NewDense(sp.full.d, k, nil)
	for i, row := range sp.rows {
		zi := z.RawRowView(i)
		for a, x := range sp.full.x.RawRowView(row) {
			out := q.RawRowView(a)
			for j, v := range zi {
				out[j] = math.FMA(x, v, out[j])
			}
		}
	}
	// Orthonormal up to rounding already: the polar factor changes it least.
	if err := stiefel.New(sp.full.d, k).Project(q, q); err != nil {
		return nil, err
	}
	return q, nil
}
