package discriminant

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// TestWhitened checks that whitened samples have covariance I, apart from shrinkage. It also checks
// that a projection of whitened samples corresponds to a projection of the original samples.
func TestWhitened(t *testing.T) {
	for _, c := range []struct{ n, d int }{{80, 7}, {20, 50}} {
		x, labels := parts3(6, c.n, c.d)
		s := mustSamples(t, x, labels)
		for _, w := range []WhiteningRule{{false, 1e-9}, {true, 1e-9}, {false, 0.3}, {true, LedoitWolf}} {
			sp, err := NewSpan(context.Background(), s, ConditionLimit, 1).Whitened(context.Background(), &w, ConditionLimit, 1)
			if err != nil {
				t.Fatal(err)
			}
			if w.Intensity == 1e-9 && c.n > c.d {
				cov := covarianceWithin(context.Background(), sp.Samples, 1).s
				for i := range c.d {
					for j := range i + 1 {
						if e := math.Abs(cov.At(i, j) - float64(b2i(i == j))); e > 1e-6 {
							t.Errorf("%v: covariance (%d, %d) is %v", w, i, j, cov.At(i, j))
						}
					}
				}
			}
			p := mat.DenseCopyOf(uniform(4, sp.Samples.D, 2))
			var y, z mat.Dense
			y.Mul(sp.Samples.X, p)
			q, err := sp.ToFeatures(ctx, p, NearestOrthonormal)
			if err != nil {
				t.Fatal(err)
			}
			z.Mul(s.X, q)
			if e := off(&y, &z); !(e < 1e-9) {
				t.Errorf("%d × %d, %v: projected samples are off by %g", c.n, c.d, w, e)
			}
		}
	}
}

// mustPrincipal returns the three principal components.
func mustPrincipal(t *testing.T, s *Samples) *mat.Dense {
	t.Helper()
	p, err := s.PrincipalComponents(t.Context(), 3, 1e-9, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// residuals returns the samples minus their class means.
func residuals(t *testing.T, s *Samples) matrix.Matrix[float64] {
	r := matrix.New[float64](s.N, s.D, nil)
	s.eachResiduals(t.Context(), func(first int, block matrix.Matrix[float64]) {
		for i := range block.Rows {
			copy(r.Row(first+i), block.Row(i))
		}
	})
	return r
}

// TestCovarianceInBlocks compares two covariances of many rows: one computed in blocks of rows, and
// one computed from all rows at once.
func TestCovarianceInBlocks(t *testing.T) {
	const d = 1100
	n := residualRows + 7
	x, labels := uniform(5, n, d), make([]int, n)
	for i := range labels {
		labels[i] = i % 3
	}
	s := mustSamples(t, x, labels)
	if max(residualRows, residualElements/d) >= n {
		t.Fatal("the rows are one block")
	}
	r, blocks := matrix.New[float64](n, d, nil), 0
	s.eachResiduals(t.Context(), func(first int, block matrix.Matrix[float64]) {
		blocks++
		for i := range block.Rows {
			copy(r.Row(first+i), block.Row(i))
		}
	})
	mean := make([]float64, d)
	for c := range s.Classes {
		s.classMean(t.Context(), mean, c)
		for i := s.Offset[c]; i < s.Offset[c+1]; i++ {
			for j, v := range s.X.RawRowView(i) {
				if r.At(i, j) != v-mean[j] {
					t.Fatalf("row %d, feature %d: %v, want %v", i, j, r.At(i, j), v-mean[j])
				}
			}
		}
	}
	trans := matrix.New[float64](d, n, nil)
	matrix.Transpose(trans, r)
	want, got := gram(t.Context(), trans, 1), covarianceWithin(t.Context(), s, 2)
	var trace, square float64
	for i := range d {
		for j := range i + 1 {
			v := want.At(i, j) / float64(n)
			if got.s.At(i, j) != v {
				t.Fatalf("element (%d, %d) in %d blocks: %v, want %v", i, j, blocks, got.s.At(i, j), v)
			}
			if square += v * v; i == j {
				trace += v
			} else {
				square += v * v
			}
		}
	}
	if want := algebra.LedoitWolf(t.Context(), r, trace, square); math.Abs(got.intensity-want) > 1e-9 {
		t.Errorf("intensity %v, want %v", got.intensity, want)
	}
}

// TestLedoitWolf compares the intensity with a direct evaluation of its formula, and checks that
// the intensity is 1 for a multiple of I.
func TestLedoitWolf(t *testing.T) {
	x, labels := stretched(7, 40, 5, 2)
	s := mustSamples(t, x, labels)
	c, r := covarianceWithin(context.Background(), s, 2), residuals(t, s)
	n, d := float64(s.N), s.D
	var mu, d2, b2 float64
	for i := range d {
		mu += c.s.At(i, i) / float64(d)
	}
	for i := range d {
		for j := range d {
			v := c.s.At(max(i, j), min(i, j)) - mu*float64(b2i(i == j))
			d2 += v * v
			for k := range s.N {
				e := r.At(k, i)*r.At(k, j) - c.s.At(max(i, j), min(i, j))
				b2 += e * e / n / n
			}
		}
	}
	if got, want := c.intensity, min(b2, d2)/d2; math.Abs(got-want) > 1e-12 || got <= 0 || got >= 1 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := ledoitWolf(t.Context(), matrix.New(2, 2, []float64{1, 0, 0, 1}), 2, 2); got != 1 {
		t.Errorf("%v for a multiple of I", got)
	}
}

// TestScatters compares the transport scatters with a direct calculation. The classes are far from
// each other and from 0.
func TestScatters(t *testing.T) {
	const apart = 1e5
	x, labels := parts3(8, 30, 5)
	for i, l := range labels {
		x.Set(i, l%5, x.At(i, l%5)+float64(apart*float64(l)))
	}
	s := mustSamples(t, x, labels)
	set := usualSettings(3)
	set.proportional = true
	p := mustPrincipal(t, s)
	o := objectiveOf[float64](t, s, set, p)
	b, w, err := o.scatters(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var want [2][9]float64
	for _, q := range o.pairs {
		x, y, to := classRows(s, o.y, q.c), classRows(s, o.y, q.e), &want[0]
		if q.withinClass() {
			to = &want[1]
		}
		res, err := o.local.workers[0].solver.Solve(t.Context(), &sinkhorn.Problem[float64]{X: x, Y: y, Lambda: q.lambda})
		if err != nil {
			t.Fatal(err)
		}
		plan := dist.NewMatrix[float64](x.Rows, y.Rows, nil)
		if err := res.PlanTo(t.Context(), plan, 0); err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows {
			for j := range y.Rows {
				for k := range 9 {
					to[k] += q.weight * plan.At(i, j) * (x.At(i, k/3) - y.At(j, k/3)) * (x.At(i, k%3) - y.At(j, k%3))
				}
			}
		}
	}
	for i, got := range []matrix.Matrix[float64]{b, w} {
		trace := want[i][0] + want[i][4] + want[i][8]
		for k, v := range got.Data {
			if e := math.Abs(v-want[i][k]) / trace; !(e < 1e-10) {
				t.Errorf("within %t, element %d: %v, want %v (%.2g of the trace)", i == 1, k, v, want[i][k], e)
			}
		}
	}
}

// TestFisherShrunk checks that, for scaled features, the results are the leading eigenvectors of
// the shrunk S_b and S_w. It also checks that a few informative features are found among many other
// features.
func TestFisherShrunk(t *testing.T) {
	const classes, few = 4, 3
	for _, d := range []int{12, 150} { // dense and iterative
		rng := rand.New(rand.NewPCG(uint64(d), 8))
		x, labels := mat.NewDense(100, d, nil), make([]int, 100)
		for i := range labels {
			labels[i] = i % classes
			row := x.RawRowView(i)
			for j := range row {
				row[j] = rng.NormFloat64()
			}
			if c := labels[i]; c < few {
				row[c] += 3
			}
		}
		const alpha = 0.7
		s := mustSamples(t, x, labels)
		sp, err := WholeSpan(s).Whitened(t.Context(), &WhiteningRule{Features: true, Intensity: alpha}, ConditionLimit, 1)
		if err != nil {
			t.Fatal(err)
		}
		start, err := sp.Samples.PrincipalComponents(t.Context(), 5, 1e-4, 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := sp.ToFeatures(t.Context(), sp.FisherDirections(t.Context(), start, 1e-4), NoPolish)
		if err != nil {
			t.Fatal(err)
		}
		p = s.ToInput(p)
		scaled, factor := s.scaledWithin(t.Context())
		b := scaled.betweenFactor(t.Context())
		between, within := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
		r := residuals(t, scaled)
		for i := range d {
			for j := range i + 1 {
				var sb, sw float64
				for c := range classes {
					sb += b.At(c, i) * b.At(c, j)
				}
				for k := range r.Rows {
					sw += r.At(k, i) * r.At(k, j) / float64(r.Rows)
				}
				if i != j {
					sb, sw = (1-alpha)*sb, (1-alpha)*sw
				}
				between.SetSym(i, j, sb)
				within.SetSym(i, j, sw)
			}
		}
		var chol mat.Cholesky
		var l mat.TriDense
		var a mat.Dense
		chol.Factorize(within)
		chol.LTo(&l)
		if err := a.Solve(&l, between); err != nil {
			t.Fatal(err)
		}
		if err := a.Solve(&l, mat.DenseCopyOf(a.T())); err != nil {
			t.Fatal(err)
		}
		symmetric := mat.NewSymDense(d, nil)
		for i := range d {
			for j := range i + 1 {
				symmetric.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
			}
		}
		var eigen mat.EigenSym
		var v, want mat.Dense
		eigen.Factorize(symmetric, true)
		eigen.VectorsTo(&v)
		if err := want.Solve(l.T(), v.Slice(0, d, d-few, d)); err != nil {
			t.Fatal(err)
		}
		var noise, all float64
		for j, f := range factor {
			for k := range few {
				want.Set(j, k, want.At(j, k)*f*s.Scale)
				g := p.At(j, k)
				all += g * g
				if j >= few {
					noise += g * g
				}
			}
		}
		if noise > 0.25*all {
			t.Errorf("d = %d: %.3f of the projection is of features that tell nothing", d, noise/all)
		}
		// Compare the spaces of got and want, because their bases may differ.
		var coefficients, back mat.Dense
		got := p.Slice(0, d, 0, few)
		if err := coefficients.Solve(&want, got); err != nil {
			t.Fatal(err)
		}
		back.Mul(&want, &coefficients)
		if e := off(&back, mat.DenseCopyOf(got)); !(e < 1e-3) {
			t.Errorf("d = %d: off by %g of the largest", d, e)
		}
	}
}

// TestCanonical checks that the traces of the transport scatters are the transport costs, that the
// scatters are diagonal in the canonical components, and that the ratios descend.
func TestCanonical(t *testing.T) {
	x, labels := parts3(8, 60, 7)
	s := mustSamples(t, x, labels)
	p := mustPrincipal(t, s)
	o := objectiveOf[float64](t, s, settings{components: 3, iterations: 10, lambda: relativeLambda(1)}, p)
	b, w, err := o.scatters(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Evaluate(t.Context(), p, false); err != nil {
		t.Fatal(err)
	}
	trace := func(m matrix.Matrix[float64]) (sum float64) {
		for i := range m.Rows {
			sum += m.At(i, i)
		}
		return sum
	}
	if e := relative(trace(b), o.betweenCost); !(e < 1e-12) {
		t.Errorf("tr S_b = %v, σ_b² = %v", trace(b), o.betweenCost)
	}
	if e := relative(trace(w), o.withinCost); !(e < 1e-12) {
		t.Errorf("tr S_w = %v, σ_w² = %v", trace(w), o.withinCost)
	}
	c, err := o.Canonical(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(c.Ratios, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Errorf("ratios %v", c.Ratios)
	}
	// The transport scatter at P·V is VᵀSV, where S is the transport scatter at P. VᵀSV is diagonal
	// if both scatters use the λ and the transport plans of P.
	var v mat.Dense
	if err := v.Solve(p, c.P); err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]matrix.Matrix[float64]{"between": b, "within": w} {
		var h mat.Dense
		h.Mul(v.T(), mat.NewDense(3, 3, m.Data))
		h.Mul(&h, &v)
		for i := range 3 {
			for j := range i {
				if e := math.Abs(h.At(i, j)) / math.Sqrt(h.At(i, i)*h.At(j, j)); e > 1e-9 {
					t.Errorf("%s: element (%d, %d) is %g of the diagonal", name, i, j, e)
				}
			}
		}
	}
}
