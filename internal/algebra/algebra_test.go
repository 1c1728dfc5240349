package algebra

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/matrix"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

func randomMatrix(rng *rand.Rand, rows, cols int) matrix.Matrix[float64] {
	m := matrix.New[float64](rows, cols, nil)
	for i := range m.Data {
		m.Data[i] = rng.Float64() - 0.5
	}
	return m
}

func clone(m matrix.Matrix[float64]) matrix.Matrix[float64] {
	c := matrix.New[float64](m.Rows, m.Cols, nil)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}

// definite returns G·Gᵀ + shift·I for a random n × n matrix G.
func definite(rng *rand.Rand, n int, shift float64) matrix.Matrix[float64] {
	g, a := randomMatrix(rng, n, n), matrix.New[float64](n, n, nil)
	gonum(a).Mul(gonum(g), gonum(g).T())
	for i := range n {
		a.Set(i, i, a.At(i, i)+shift)
	}
	return a
}

func gonum(m matrix.Matrix[float64]) *mat.Dense { return mat.NewDense(m.Rows, m.Cols, m.Data) }

// largestDifference returns max |a − b|.
func largestDifference(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return math.Max(mat.Max(&d), -mat.Min(&d))
}

func TestCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 7, 47, 48, 49, 96, 97, 150} {
		a := definite(rng, n, 1)
		c, ok := NewCholesky(ctx, clone(a))
		if !ok {
			t.Fatalf("n = %d: not positive definite", n)
		}
		l := mat.NewDense(n, n, nil)
		for i := range n {
			copy(l.RawRowView(i), c.l.Row(i)[:i+1])
		}
		var back mat.Dense
		back.Mul(l, l.T())
		if e := largestDifference(&back, gonum(a)); e > 1e-15*float64(n)*a.At(0, 0) {
			t.Errorf("n = %d: LLᵀ is off by %g", n, e)
		}
		for _, rows := range []int{0, 1, 5, n, 3*n + 1} {
			if rows == 0 {
				c.SolveRows(ctx, matrix.New[float64](0, n, nil))
				continue
			}
			x := randomMatrix(rng, rows, n)
			y := clone(x)
			c.SolveRows(ctx, y)
			back.Reset()
			back.Mul(gonum(y), l.T())
			if e := largestDifference(&back, gonum(x)); e > 1e-14*float64(n) {
				t.Errorf("n = %d: rows of X·L⁻ᵀ·Lᵀ are off by %g", n, e)
			}
		}
		v := randomMatrix(rng, n, 3)
		w := clone(v)
		c.SolveTrans(ctx, w)
		back.Reset()
		back.Mul(l.T(), gonum(w))
		if e := largestDifference(&back, gonum(v)); e > 1e-14*float64(n) {
			t.Errorf("n = %d: Lᵀ·L⁻ᵀ·V is off by %g", n, e)
		}
		x := clone(v)
		c.Solve(ctx, x)
		back.Reset()
		back.Mul(gonum(a), gonum(x))
		if e := largestDifference(&back, gonum(v)); e > 1e-14*float64(n) {
			t.Errorf("n = %d: A·A⁻¹·V is off by %g", n, e)
		}
		c.MulTrans(ctx, w)
		if e := largestDifference(gonum(w), gonum(v)); e > 1e-14*float64(n) {
			t.Errorf("n = %d: MulTrans is off by %g", n, e)
		}
	}
}

func TestCholeskyRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 60, 100} {
		for _, bad := range []float64{-1, 0, math.NaN(), math.Inf(1)} {
			a := definite(rng, n, 1)
			a.Set(n-1, n-1, bad)
			if _, ok := NewCholesky(ctx, a); ok {
				t.Errorf("n = %d: a matrix with %v on its diagonal has a factor", n, bad)
			}
		}
	}
}

func TestJacobi(t *testing.T) {
	testEigen(t, Jacobi, 1, 2, 3, 10, 33)
}

func TestEigen(t *testing.T) {
	testEigen(t, Eigen, 1, 2, 3, 10, 31, 32, 33, 34, 64, 65, 66, 100, 150)
}

// testEigen compares eigen with gonum and checks residuals and orthogonality.
func testEigen(t *testing.T, eigen func(context.Context, matrix.Matrix[float64]) ([]float64, matrix.Matrix[float64], bool), sizes ...int) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, n := range sizes {
		a := definite(rng, n, -1)
		values, v, ok := eigen(ctx, clone(a))
		if !ok {
			t.Fatalf("n = %d: no convergence", n)
		}
		var e mat.EigenSym
		e.Factorize(mat.NewSymDense(n, clone(a).Data), true)
		want := e.Values(nil)
		for k, l := range values {
			if d := math.Abs(l - want[n-1-k]); d > 1e-14*float64(n)*math.Abs(values[0]) {
				t.Errorf("n = %d: eigenvalue %d is %v, gonum's %v", n, k, l, want[n-1-k])
			}
		}
		var av, vl, vv mat.Dense
		av.Mul(gonum(a), gonum(v))
		vl.Mul(gonum(v), mat.NewDiagDense(n, values))
		if d := largestDifference(&av, &vl); d > 1e-14*float64(n)*math.Abs(values[0])+1e-15 {
			t.Errorf("n = %d: residual %g", n, d)
		}
		vv.Mul(gonum(v).T(), gonum(v))
		if d := largestDifference(&vv, eye(n)); d > 1e-14*float64(n) {
			t.Errorf("n = %d: eigenvectors are orthonormal to %g", n, d)
		}
		for k := range n {
			column := make([]float64, n)
			mat.Col(column, k, gonum(v))
			if Sign(column) < 0 {
				t.Errorf("n = %d: vector %d has the other sign", n, k)
			}
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, _, ok := eigen(ctx, matrix.New(2, 2, []float64{1, 0, bad, 1})); ok {
			t.Errorf("%v has eigenvalues", bad)
		}
	}
}

// TestJacobiRelative checks that Jacobi computes a tiny eigenvalue of a badly scaled definite
// matrix with a small relative error.
func TestJacobiRelative(t *testing.T) {
	a := matrix.New(2, 2, []float64{1, 0, 1e-12, 1e-20})
	values, _, ok := Jacobi(ctx, a)
	// det = 1e-20 − 1e-24
	if want := 1e-20 - 1e-24; !ok || math.Abs(values[1]/want-1) > 1e-14 {
		t.Errorf("%v, want 1 and %g", values, want)
	}
}

func TestPencil(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, n := range []int{1, 2, 20, 60} {
		a, b := definite(rng, n, -0.5), definite(rng, n, 0.1)
		values, v, ok := Pencil(ctx, clone(a), clone(b))
		if !ok {
			t.Fatal("no solution")
		}
		var av, bv, vbv mat.Dense
		av.Mul(gonum(a), gonum(v))
		bv.Mul(gonum(b), gonum(v))
		vbv.Mul(gonum(v).T(), &bv)
		bv.Mul(&bv, mat.NewDiagDense(n, values))
		if d := largestDifference(&av, &bv); d > 1e-12*float64(n)*math.Abs(values[0])+1e-15 {
			t.Errorf("n = %d: residual %g", n, d)
		}
		if d := largestDifference(&vbv, eye(n)); d > 1e-12*float64(n) {
			t.Errorf("n = %d: VᵀBV is I to %g", n, d)
		}
	}
	if _, _, ok := Pencil(ctx, definite(rng, 3, 0), matrix.New[float64](3, 3, nil)); ok {
		t.Error("a pencil with B = 0 has a solution")
	}
}

func eye(n int) mat.Matrix {
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	return mat.NewDiagDense(n, ones)
}

// TestGoldenBits compares a hash of the results of several functions with a constant. The results
// are bit-identical on every machine.
func TestGoldenBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	const n = 101
	a := matrix.New[float64](n, n, nil)
	for i := range n {
		for j := range i + 1 {
			a.Set(i, j, float64(rng.IntN(256)-128)/256)
		}
		a.Set(i, i, n)
	}
	b := clone(a)
	for i := range n {
		b.Set(i, i, n+float64(i))
	}
	values, v, ok := Pencil(ctx, b, a)
	if !ok {
		t.Fatal("no solution")
	}
	s := NewSVD(20, 7)
	for i := range s.U.Data {
		s.U.Data[i] = float64(rng.IntN(256)-128) / 256
	}
	if !s.Factorize(ctx) {
		t.Fatal("not finite")
	}
	polar := matrix.New[float64](20, 7, nil)
	s.Polar(ctx, polar)
	relative, _, _ := Jacobi(ctx, clone(a).RowRange(0, 12).ColRange(0, 12))
	h := sha256.New()
	for _, x := range [][]float64{values, v.Data, s.Values, s.U.Data, s.V.Data, polar.Data, relative} {
		_ = binary.Write(h, binary.LittleEndian, x)
	}
	const want = "84b5c8844029c4b4"
	if got := fmt.Sprintf("%x", h.Sum(nil))[:16]; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func BenchmarkCholesky(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 6))
	const n = 784
	a, x := definite(rng, n, 1), randomMatrix(rng, 1000, n)
	w := clone(a)
	b.Run("op=factorize/impl=own", func(b *testing.B) {
		for b.Loop() {
			copy(w.Data, a.Data)
			NewCholesky(ctx, w)
		}
	})
	b.Run("op=factorize/impl=gonum", func(b *testing.B) {
		s := mat.NewSymDense(n, clone(a).Data)
		for b.Loop() {
			var c mat.Cholesky
			c.Factorize(s)
		}
	})
	copy(w.Data, a.Data)
	c, _ := NewCholesky(ctx, w)
	y := clone(x)
	b.Run("op=rows/impl=own", func(b *testing.B) {
		for b.Loop() {
			copy(y.Data, x.Data)
			c.SolveRows(ctx, y)
		}
	})
}

func BenchmarkEigen(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 7))
	for _, n := range []int{10, 42, 128, 784} {
		a := definite(rng, n, 1)
		w := clone(a)
		run := func(impl string, f func()) {
			b.Run(fmt.Sprintf("impl=%s/n=%d", impl, n), func(b *testing.B) {
				for b.Loop() {
					copy(w.Data, a.Data)
					f()
				}
			})
		}
		run("ql", func() { Eigen(ctx, w) })
		if n < 128 {
			run("jacobi", func() { Jacobi(ctx, w) })
		}
		run("gonum", func() {
			var e mat.EigenSym
			e.Factorize(mat.NewSymDense(n, w.Data), true)
			var v mat.Dense
			e.VectorsTo(&v)
		})
	}
}

func TestSVD(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	for _, shape := range [][3]int{{1, 1, 1}, {3, 3, 3}, {9, 4, 4}, {40, 10, 10}, {30, 30, 30}, {5, 5, 0}, {6, 4, 1}, {20, 12, 7}} {
		m, n, rank := shape[0], shape[1], shape[2]
		s := NewSVD(m, n)
		a := matrix.New[float64](n, m, nil) // transposed
		if rank > 0 {
			gonum(a).Mul(gonum(randomMatrix(rng, n, rank)), gonum(randomMatrix(rng, rank, m)))
		}
		for i := range n { // give the columns very different lengths
			Scale(a.Row(i), math.Ldexp(1, -3*i))
		}
		copy(s.U.Data, a.Data)
		if !s.Factorize(ctx) {
			t.Fatal("not finite")
		}
		var want mat.SVD
		want.Factorize(gonum(a), mat.SVDNone)
		for k, v := range want.Values(nil) {
			if d := math.Abs(v - s.Values[k]); d > 1e-14*s.Values[0] {
				t.Errorf("%v: singular value %d is %v, gonum's %v", shape, k, s.Values[k], v)
			}
		}
		var back, uu, vv mat.Dense
		back.Mul(mat.NewDiagDense(n, s.Values), gonum(s.U))
		back.Mul(gonum(s.V).T(), &back)
		if d := largestDifference(&back, gonum(a)); d > 1e-14*s.Values[0] {
			t.Errorf("%v: UΣVᵀ is off by %g", shape, d)
		}
		uu.Mul(gonum(s.U), gonum(s.U).T())
		vv.Mul(gonum(s.V), gonum(s.V).T())
		if u, v := largestDifference(&uu, eye(n)), largestDifference(&vv, eye(n)); u > 2e-15*float64(n) || v > 2e-15*float64(n) {
			t.Errorf("%v: U and V are orthonormal to %g and %g", shape, u, v)
		}
	}
	s := NewSVD(2, 2)
	s.U.Data[2] = math.NaN()
	if s.Factorize(ctx) {
		t.Error("NaN has singular values")
	}
}
