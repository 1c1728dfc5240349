package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/project"
)

// Where conjugate gradients take many steps, the matrix of Newton's steps is factorized:
// scaled by its diagonal it is, but for a little more on the diagonal,
//
//	H = (1 + δ)I − SᵀS + s sᵀ,   S_ij = T_ij/√(a_i c_j),   s_j = √(c_j/Σc),
//
// of which s sᵀ moves the eigenvalue 0 of s, by which potentials are free, to 1; with prices
// it is left out, as they are not. Conjugate gradients go on with H⁻¹ as their
// preconditioner: for Newton's next steps, too, as long as they are few with the old one.
// internal/algebra's factor stands on gonum, which this package does without.

const (
	directFrom  = 100     // steps of conjugate gradients before a factor is made,
	directShare = 6       // and this part of the columns
	directAgain = 8       // part of them that a factor of another step may take
	directStrip = 128     // rows of S that are multiplied at once,
	directLines = 96      // and rows of H that are computed
	directWork  = 1 << 26 // multiplications between two looks at the context
	directShift = 1e-13   // δ
)

// direct is the factor of H = RᵀR.
type direct[T dist.Float] struct {
	m       int
	h       []float64 // m × m, of which the upper triangle is H, and R then
	scale   []float64 // 1/√diag, 0 where there is none
	x       []float64
	scratch []float64
	made    bool
	pass    squarePass[T]
}

// affordsDirect reports whether H may be factorized: the memory that the settings allow must
// be enough for it. What float32 vectors can tell, conjugate gradients find without: with a
// factor they took 998 passes for 750.
func (s *Solver[T]) affordsDirect() bool {
	m := float64(s.geo.m)
	elements := m * (m + 2*directStrip + directLines)
	return num.IsFloat64[T]() && !s.geo.free && s.taken+float64(elements*8) <= float64(s.settings.MaxMemory)
}

// factorize makes the factor of H at the iterate, if it has one.
func (s *Solver[T]) factorize(ctx context.Context, diag, rows []T) error {
	geo, d := &s.geo, &s.newton.direct
	m := geo.m
	d.made, d.m = false, m
	grow(&d.h, m*m)
	grow(&d.scale, m)
	grow(&d.x, m)
	p := &d.pass
	grow(&p.u, geo.n)
	grow(&p.v, m)
	for i, a := range rows {
		p.u[i] = 0
		if a > 0 {
			p.u[i] = T(float64(s.fu[i]) / math.Sqrt(float64(a)))
		}
	}
	for j, c := range diag[:m] {
		d.scale[j], p.v[j] = 0, 0
		if c > 0 {
			d.scale[j] = 1 / math.Sqrt(float64(c))
			p.v[j] = T(float64(s.fv[j]) * d.scale[j])
		}
	}
	p.ctx, p.h = ctx, d.h
	defer func() { p.ctx = nil }()
	for piece := range geo.pieces {
		if err := geo.strips[0].walk(ctx, p, directStrip, piece, nil); err != nil {
			return err
		}
	}
	for j, c := range d.scale {
		d.x[j] = 0
		if c > 0 && !s.unequal.on {
			d.x[j] = 1 / (c * math.Sqrt(s.mass))
		}
	}
	for j, sj := range d.x {
		row := d.h[j*m:][:m]
		for k, x := range row[j:] {
			row[j+k] = num.FMA(sj, d.x[j+k], -x)
		}
		row[j] += 1 + directShift
	}
	ok, err := d.triangular(ctx, geo.level)
	d.made = ok
	return err
}

// triangular makes R of H, and reports whether H is positive definite to rounding.
func (d *direct[T]) triangular(ctx context.Context, lv asm.Level) (bool, error) {
	m := d.m
	grow(&d.scratch, m*directLines)
	for j := 0; j < m; j += directLines {
		k := min(j+directLines, m)
		// what is left of rows j … k−1 without those above
		for i, step := 0, directWork/(directLines*(m-j))+1; i < j; i += step {
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			above := min(step, j-i)
			less := d.scratch[:above*(k-j)]
			for l := range above {
				for c, x := range d.h[(i+l)*m+j:][:k-j] {
					less[l*(k-j)+c] = -x
				}
			}
			project.TransMul(lv, above, k-j, m-j, d.h[j*m+j:], m, d.h[i*m+j:], m, less, k-j, true)
		}
		for r := j; r < k; r++ {
			row, less := d.h[r*m+r:][:m-r], d.scratch[:r-j]
			for i := range less {
				less[i] = -d.h[(j+i)*m+r]
			}
			pass.Columns(lv, r-j, m-r, row, d.h[j*m+r:], m, less)
			if !(row[0] > 0) || math.IsInf(row[0], 1) {
				return false, nil
			}
			root := math.Sqrt(row[0])
			for c := range row {
				row[c] /= root
			}
		}
	}
	return true, nil
}

// solve sets x = H⁻¹x.
func (d *direct[T]) solve(lv asm.Level, x []float64) {
	m, h := d.m, d.h
	less := d.scratch[:directLines]
	for j := 0; j < m; j += directLines {
		k := min(j+directLines, m)
		for r := j; r < k; r++ {
			row := h[r*m+r:][:k-r]
			x[r] /= row[0]
			less[r-j] = -x[r]
			for c := 1; c < len(row); c++ {
				x[r+c] = num.FMA(less[r-j], row[c], x[r+c])
			}
		}
		pass.Columns(lv, k-j, m-k, x[k:], h[min(j*m+k, len(h)):], m, less)
	}
	for k := m; k > 0; {
		j := (k - 1) / directLines * directLines
		pass.Rows(lv, k-j, m-k, less, h[min(j*m+k, len(h)):], m, x[k:])
		for r := k - 1; r >= j; r-- {
			row := h[r*m+r:][:k-r]
			y := x[r] - less[r-j]
			for c := 1; c < len(row); c++ {
				y = num.FMA(-row[c], x[r+c], y)
			}
			x[r] = y / row[0]
		}
		k = j
	}
}

// apply sets z = D^(−½) H⁻¹ D^(−½) r.
func (d *direct[T]) apply(lv asm.Level, z, r []T) {
	for j, s := range d.scale {
		d.x[j] = float64(r[j]) * s
	}
	d.solve(lv, d.x)
	for j, s := range d.scale {
		z[j] = T(d.x[j] * s)
	}
}

// squarePass sets the upper triangle of h to that of SᵀS, S = diag(u) K diag(v).
type squarePass[T dist.Float] struct {
	ctx  context.Context
	u, v []T
	h    []float64
}

func (p *squarePass[T]) rows(b *strip[T]) {
	r, m := b.r, b.m
	grow(&b.adjointRows, r*m)
	k, _, _ := b.both()
	b.scaled(b.adjointRows, m, k, r, p.u[b.i:], p.v)
	rows := num.F64(b.adjointRows)
	for j := 0; j < m && p.ctx.Err() == nil; j += directLines {
		w := min(directLines, m-j)
		project.TransMul(b.level, r, w, m-j, p.h[j*m+j:], m, rows[j:], m, rows[j:], m, b.i > 0)
	}
}
