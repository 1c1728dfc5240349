package stiefel_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/stiefel"
)

var ctx = context.Background()

// shapes covers d = 1, p = 1, p = d, the remainders of every unrolled loop, and a tall matrix.
var shapes = [][2]int{{1, 1}, {2, 1}, {2, 2}, {5, 1}, {5, 3}, {7, 7}, {8, 4}, {11, 2}, {20, 5}, {64, 10}, {301, 17}}

func forShapes(t *testing.T, f func(t *testing.T, m *stiefel.Manifold, rnd *rand.Rand)) {
	t.Helper()
	for _, s := range shapes {
		t.Run(fmt.Sprintf("d=%d/p=%d", s[0], s[1]), func(t *testing.T) {
			f(t, stiefel.New(s[0], s[1]), rand.New(rand.NewPCG(uint64(s[0]), uint64(s[1]))))
		})
	}
}

func gaussianMatrix(m *stiefel.Manifold, rnd *rand.Rand) *mat.Dense {
	d, p := m.Dims()
	a := mat.NewDense(d, p, nil)
	for i := range d {
		for j := range p {
			a.Set(i, j, rnd.NormFloat64())
		}
	}
	return a
}

func randomPoint(m *stiefel.Manifold, rnd *rand.Rand) *mat.Dense {
	var x mat.Dense
	m.Random(ctx, &x, rnd)
	return &x
}

// tangent returns a random tangent vector of norm 1 at x. If the tangent space has dimension 0, it
// returns 0.
func tangent(m *stiefel.Manifold, x *mat.Dense, rnd *rand.Rand) *mat.Dense {
	v := gaussianMatrix(m, rnd)
	m.Tangent(ctx, v, x, v)
	if n := mat.Norm(v, 2); m.Dimension() > 0 {
		v.Scale(1/n, v)
		m.Tangent(ctx, v, x, v)
	}
	return v
}

// infeasibility computes Manifold.Infeasibility with gonum.
func infeasibility(x *mat.Dense) float64 {
	var g mat.Dense
	g.Mul(x.T(), x)
	_, p := x.Dims()
	for j := range p {
		g.Set(j, j, g.At(j, j)-1)
	}
	return mat.Norm(&g, 2)
}

// symmetricPart returns ‖PᵀV + VᵀP‖_F, which is 0 for a tangent vector.
func symmetricPart(x, v *mat.Dense) float64 {
	var a, s mat.Dense
	a.Mul(x.T(), v)
	s.Add(&a, a.T())
	return mat.Norm(&s, 2)
}

func onManifold(t *testing.T, m *stiefel.Manifold, x *mat.Dense) {
	t.Helper()
	_, p := m.Dims()
	limit := 2e-15 * math.Sqrt(float64(p))
	if got := m.Infeasibility(ctx, x); !(got <= limit) {
		t.Errorf("‖PᵀP − I‖ = %.3g, want ≤ %.3g", got, limit)
	}
	if got := infeasibility(x); !(got <= limit) {
		t.Errorf("‖PᵀP − I‖ by gonum = %.3g, want ≤ %.3g", got, limit)
	}
}

func distance(a, b *mat.Dense) float64 {
	var c mat.Dense
	c.Sub(a, b)
	return mat.Norm(&c, 2)
}

func TestTangent(t *testing.T) {
	forShapes(t, func(t *testing.T, m *stiefel.Manifold, rnd *rand.Rand) {
		x, g := randomPoint(m, rnd), gaussianMatrix(m, rnd)
		norm := mat.Norm(g, 2)
		var v, again, want mat.Dense
		m.Tangent(ctx, &v, x, g)
		if got := symmetricPart(x, &v); got > 4e-15*norm {
			t.Errorf("symmetric part of PᵀV is %.3g", got)
		}
		m.Tangent(ctx, &again, x, &v)
		if got := distance(&v, &again); got > 2e-15*norm {
			t.Errorf("not idempotent: %.3g", got)
		}
		// Compare with the formula, computed by gonum.
		var a, s mat.Dense
		a.Mul(x.T(), g)
		s.Add(&a, a.T())
		s.Scale(0.5, &s)
		want.Mul(x, &s)
		want.Sub(g, &want)
		if got := distance(&v, &want); got > 4e-15*norm {
			t.Errorf("differs from the definition by %.3g", got)
		}
		// The component that Tangent removed is orthogonal to every tangent vector.
		var normal mat.Dense
		normal.Sub(g, &v)
		if got := m.Inner(x, &normal, tangent(m, x, rnd)); math.Abs(got) > 4e-15*norm {
			t.Errorf("removed part has inner product %.3g with a tangent vector", got)
		}
	})
}

func TestInner(t *testing.T) {
	forShapes(t, func(t *testing.T, m *stiefel.Manifold, rnd *rand.Rand) {
		x, u, v := randomPoint(m, rnd), gaussianMatrix(m, rnd), gaussianMatrix(m, rnd)
		var a mat.Dense
		a.Mul(u.T(), v)
		limit := 2e-15 * mat.Norm(u, 2) * mat.Norm(v, 2)
		if got, want := m.Inner(x, u, v), mat.Trace(&a); math.Abs(got-want) > limit {
			t.Errorf("⟨U, V⟩ = %v, want %v", got, want)
		}
		if m.Inner(x, u, v) != m.Inner(x, v, u) {
			t.Error("not symmetric")
		}
	})
}

func TestTransport(t *testing.T) {
	forShapes(t, func(t *testing.T, m *stiefel.Manifold, rnd *rand.Rand) {
		x := randomPoint(m, rnd)
		v := tangent(m, x, rnd)
		var y, moved mat.Dense
		if err := m.Retract(ctx, &y, x, v, 0.7); err != nil {
			t.Fatal(err)
		}
		m.Transport(ctx, &moved, &y, v)
		if got := symmetricPart(&y, &moved); got > 5e-15 {
			t.Errorf("transported vector is %.3g off the tangent space", got)
		}
		if mat.Norm(&moved, 2) > mat.Norm(v, 2)+1e-15 {
			t.Error("transport lengthens")
		}
		w := tangent(m, &y, rnd)
		if a, b := m.Inner(&y, w, &moved), m.Inner(&y, w, v); math.Abs(a-b) > 2e-15 {
			t.Errorf("⟨W, transported⟩ = %v, ⟨W, V⟩ = %v", a, b)
		}
		// A short step changes the vector only a little.
		if err := m.Retract(ctx, &y, x, v, 1e-8); err != nil {
			t.Fatal(err)
		}
		m.Transport(ctx, &moved, &y, v)
		if got := distance(&moved, v); got > 2e-8 {
			t.Errorf("transport over 1e-8 changes the vector by %.3g", got)
		}
	})
}

// slope returns the slope of log e over log t between two points.
func slope(t0, t1, e0, e1 float64) float64 { return math.Log(e1/e0) / math.Log(t1/t0) }

func TestRetract(t *testing.T) {
	forShapes(t, func(t *testing.T, m *stiefel.Manifold, rnd *rand.Rand) {
		x := randomPoint(m, rnd)
		v := tangent(m, x, rnd)
		var y mat.Dense
		for _, step := range []float64{0, 1e-12, 1e-3, 1, 1e3, 1e8, 1e300, -0.5} {
			if err := m.Retract(ctx, &y, x, v, step); err != nil {
				t.Fatalf("step %v: %v", step, err)
			}
			onManifold(t, m, &y)
		}
		// R = QᵀA is upper triangular with a positive diagonal.
		if err := m.Retract(ctx, &y, x, v, 3); err != nil {
			t.Fatal(err)
		}
		var a, r mat.Dense
		a.Scale(3, v)
		a.Add(x, &a)
		r.Mul(y.T(), &a)
		_, p := m.Dims()
		for i := range p {
			if r.At(i, i) <= 0 {
				t.Errorf("R[%d,%d] = %v", i, i, r.At(i, i))
			}
			for j := range i {
				if math.Abs(r.At(i, j)) > 1e-14 {
					t.Errorf("R[%d,%d] = %v below the diagonal", i, j, r.At(i, j))
				}
			}
		}
		if m.Dimension() == 0 {
			return
		}
		// ‖R(tV) − (P + tV)‖ = O(t²), so the logarithm of this distance has slope 2 as a function
		// of log t.
		deviation := func(step float64) float64 {
			if err := m.Retract(ctx, &y, x, v, step); err != nil {
				t.Fatal(err)
			}
			a.Scale(step, v)
			a.Add(x, &a)
			return distance(&y, &a)
		}
		if got := slope(1e-4, 1e-2, deviation(1e-4), deviation(1e-2)); math.Abs(got-2) > 0.02 {
			t.Errorf("slope of the deviation from P + tV is %.4f, want 2", got)
		}
	})
}

// TestProjectIsSecondOrder checks that the polar factor is a second-order retraction: the tangent
// component of Π(P + tV) − P − tV is O(t³).
func TestProjectIsSecondOrder(t *testing.T) {
	forShapes(t, func(t *testing.T, m *stiefel.Manifold, rnd *rand.Rand) {
		if m.Dimension() == 0 {
			return
		}
		x := randomPoint(m, rnd)
		v := tangent(m, x, rnd)
		deviation := func(step float64) float64 {
			var a, y mat.Dense
			a.Scale(step, v)
			a.Add(x, &a)
			if err := m.Project(ctx, &y, &a); err != nil {
				t.Fatal(err)
			}
			y.Sub(&y, &a)
			m.Tangent(ctx, &y, x, &y)
			return mat.Norm(&y, 2)
		}
		if got := slope(1e-3, 1e-2, deviation(1e-3), deviation(1e-2)); math.Abs(got-3) > 0.02 {
			t.Errorf("slope is %.4f, want 3", got)
		}
	})
}

func TestOrthonormalize(t *testing.T) {
	forShapes(t, func(t *testing.T, m *stiefel.Manifold, rnd *rand.Rand) {
		d, p := m.Dims()
		a := gaussianMatrix(m, rnd)
		var q, r, back mat.Dense
		rank, err := m.Orthonormalize(ctx, &q, a)
		if err != nil || rank != p {
			t.Fatalf("rank %d, error %v", rank, err)
		}
		onManifold(t, m, &q)
		r.Mul(q.T(), a)
		back.Mul(&q, &r)
		if got := distance(&back, a); got > 4e-15*mat.Norm(a, 2) {
			t.Errorf("‖QR − A‖ = %.3g", got)
		}

		// Scaling the columns by powers of two does not change the bits of Q.
		scaled, q2 := mat.DenseCopyOf(a), mat.NewDense(d, p, nil)
		for j := range p {
			s := math.Ldexp(1, 500*(j%3-1)+j)
			for i := range d {
				scaled.Set(i, j, s*a.At(i, j))
			}
		}
		if rank, err := m.Orthonormalize(ctx, q2, scaled); err != nil || rank != p || !mat.Equal(q2, &q) {
			t.Errorf("scaled columns: rank %d, error %v, equal %v", rank, err, mat.Equal(q2, &q))
		}
	})
}

// TestEveryCondition checks that Q is orthonormal and QR = A up to rounding errors. The condition
// numbers are on both sides of the limit between Cholesky-QR2 and Householder's method.
func TestEveryCondition(t *testing.T) {
	for _, s := range [][2]int{{8, 8}, {60, 7}, {784, 20}} {
		m := stiefel.New(s[0], s[1])
		rnd := rand.New(rand.NewPCG(5, 2))
		var v mat.Dense
		stiefel.New(s[1], s[1]).Random(ctx, &v, rnd)
		for e := 0.; e <= 20; e++ {
			// A = Q₁ diag(1 … 10⁻ᵉ) V
			a := randomPoint(m, rnd)
			for j := range s[1] {
				f := math.Pow(10, -e*float64(j)/float64(s[1]-1))
				for i := range s[0] {
					a.Set(i, j, f*a.At(i, j))
				}
			}
			a.Mul(a, &v)
			var q, r, back mat.Dense
			rank, err := m.Orthonormalize(ctx, &q, a)
			if err != nil || rank != s[1] && e < 12 {
				t.Fatalf("%v, condition 1e%g: rank %d, error %v", s, e, rank, err)
			}
			onManifold(t, m, &q)
			r.Mul(q.T(), a)
			back.Mul(&q, &r)
			if got := distance(&back, a); got > 4e-15*mat.Norm(a, 2) {
				t.Errorf("%v, condition 1e%g: ‖QR − A‖ = %.3g", s, e, got)
			}
			for j := range s[1] {
				if r.At(j, j) < -1e-15 {
					t.Errorf("%v, condition 1e%g: R has %g on its diagonal", s, e, r.At(j, j))
				}
			}
		}
	}
}

func TestExtremeScale(t *testing.T) {
	m := stiefel.New(9, 3)
	rnd := rand.New(rand.NewPCG(3, 1))
	a := gaussianMatrix(m, rnd)
	var want, got, scaled mat.Dense
	if err := m.Project(ctx, &want, a); err != nil {
		t.Fatal(err)
	}
	for _, s := range []float64{0x1p-1000, 0x1p-300, 0x1p300, 0x1p1020} {
		scaled.Scale(s, a)
		if err := m.Project(ctx, &got, &scaled); err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(&got, &want, 1e-14) {
			t.Errorf("Π(%g A) ≠ Π(A)", s)
		}
	}
	// Test matrices whose elements have the largest or the smallest positive magnitude.
	for _, s := range []float64{math.MaxFloat64, math.SmallestNonzeroFloat64} {
		b := mat.NewDense(9, 3, nil)
		for i := range 9 {
			for j := range 3 {
				b.Set(i, j, math.Copysign(s, a.At(i, j)))
			}
		}
		if rank, err := m.Orthonormalize(ctx, &got, b); err != nil || rank != 3 {
			t.Errorf("entries ±%g: rank %d, error %v", s, rank, err)
		}
		onManifold(t, m, &got)
		if err := m.Project(ctx, &got, b); err != nil {
			t.Error(err)
		}
		onManifold(t, m, &got)
	}
}

// deficient returns named matrices of rank less than p.
func deficient(d, p int, rnd *rand.Rand) map[string]*mat.Dense {
	m := stiefel.New(d, p)
	equal, last := gaussianMatrix(m, rnd), gaussianMatrix(m, rnd)
	for i := range d {
		for j := range p {
			equal.Set(i, j, equal.At(i, 0))
		}
		last.Set(i, p-1, last.At(i, 0)-2*last.At(i, 1))
	}
	one := mat.NewDense(d, p, nil)
	one.Set(d-1, 0, -3)
	return map[string]*mat.Dense{"zero": mat.NewDense(d, p, nil), "equal": equal, "last": last, "one": one}
}

func TestRankDeficient(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	for _, s := range [][2]int{{3, 3}, {6, 3}, {40, 8}} {
		d, p := s[0], s[1]
		m := stiefel.New(d, p)
		want := map[string]int{"zero": 0, "equal": 1, "last": p - 1, "one": 1}
		for name, a := range deficient(d, p, rnd) {
			var q, x mat.Dense
			rank, err := m.Orthonormalize(ctx, &q, a)
			if err != nil || rank != want[name] {
				t.Errorf("%s %v: rank %d, error %v, want rank %d", name, s, rank, err, want[name])
			}
			onManifold(t, m, &q)
			if err := m.Project(ctx, &x, a); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			onManifold(t, m, &x)
			// A point X of the manifold is nearest to A if ⟨X, A⟩ is the nuclear norm of A.
			var svd mat.SVD
			svd.Factorize(a, mat.SVDNone)
			var nuclear float64
			for _, v := range svd.Values(nil) {
				nuclear += v
			}
			if got := m.Inner(&x, &x, a); math.Abs(got-nuclear) > 1e-14*(1+nuclear)*float64(p) {
				t.Errorf("%s: ⟨Π(A), A⟩ = %v, nuclear norm %v", name, got, nuclear)
			}
		}
	}
}

func TestProject(t *testing.T) {
	forShapes(t, func(t *testing.T, m *stiefel.Manifold, rnd *rand.Rand) {
		a := gaussianMatrix(m, rnd)
		var x, u, v, want mat.Dense
		if err := m.Project(ctx, &x, a); err != nil {
			t.Fatal(err)
		}
		onManifold(t, m, &x)
		var svd mat.SVD
		svd.Factorize(a, mat.SVDThin)
		svd.UTo(&u)
		svd.VTo(&v)
		want.Mul(&u, v.T())
		if got := distance(&x, &want); got > 1e-13*svd.Cond() {
			t.Errorf("differs from UVᵀ by %.3g, condition %.3g", got, svd.Cond())
		}
		// x is the nearest point of the manifold. A point of the manifold is its own projection.
		for range 20 {
			if y := randomPoint(m, rnd); distance(y, a) < distance(&x, a)-1e-14 {
				t.Error("a random point is nearer")
			}
		}
		y := randomPoint(m, rnd)
		if err := m.Project(ctx, &x, y); err != nil || distance(&x, y) > 5e-15*math.Sqrt(float64(len(y.RawMatrix().Data))) {
			t.Errorf("Π(P) − P = %.3g, %v", distance(&x, y), err)
		}
	})
}

// TestTinyColumn checks matrices that have columns of order 1 and a column of tiny elements. The
// squares of the tiny elements are subnormal or underflow.
func TestTinyColumn(t *testing.T) {
	m := stiefel.New(12, 3)
	rnd := rand.New(rand.NewPCG(8, 2))
	for _, s := range []float64{1e-130, 1e-150, 1e-158, 3e-162, 1e-200, 1e-300, 5e-324} {
		a := gaussianMatrix(m, rnd)
		for i := range 12 {
			a.Set(i, 1, s*a.At(i, 1))
		}
		var x mat.Dense
		if err := m.Project(ctx, &x, a); err != nil {
			t.Error(err)
		}
		onManifold(t, m, &x)
	}
}

func TestIllConditioned(t *testing.T) {
	// The matrix has condition number 10¹². A single Gram–Schmidt pass and Cholesky-QR fail for it.
	m := stiefel.New(50, 6)
	rnd := rand.New(rand.NewPCG(8, 1))
	a := gaussianMatrix(m, rnd)
	for i := range 50 {
		for j := 1; j < 6; j++ {
			a.Set(i, j, a.At(i, 0)+1e-12*a.At(i, j))
		}
	}
	var q mat.Dense
	if rank, err := m.Orthonormalize(ctx, &q, a); err != nil || rank != 6 {
		t.Errorf("rank %d, error %v", rank, err)
	}
	onManifold(t, m, &q)
	if err := m.Project(ctx, &q, a); err != nil {
		t.Error(err)
	}
	onManifold(t, m, &q)
}

func TestNotFinite(t *testing.T) {
	m := stiefel.New(6, 2)
	rnd := rand.New(rand.NewPCG(1, 1))
	x := randomPoint(m, rnd)
	v := tangent(m, x, rnd)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for k := range 12 {
			a := gaussianMatrix(m, rnd)
			a.Set(k/2, k%2, bad)
			dst := randomPoint(m, rnd)
			before := mat.DenseCopyOf(dst)
			if _, err := m.Orthonormalize(ctx, dst, a); !errors.Is(err, stiefel.ErrNotFinite) {
				t.Errorf("Orthonormalize: %v", err)
			}
			if err := m.Project(ctx, dst, a); !errors.Is(err, stiefel.ErrNotFinite) {
				t.Errorf("Project: %v", err)
			}
			if err := m.Retract(ctx, dst, x, a, 1); !errors.Is(err, stiefel.ErrNotFinite) {
				t.Errorf("Retract: %v", err)
			}
			if !mat.Equal(dst, before) {
				t.Error("destination changed")
			}
			angles := []float64{7, 7}
			if err := m.PrincipalAngles(ctx, angles, x, a); !errors.Is(err, stiefel.ErrNotFinite) || angles[0] != 7 {
				t.Errorf("PrincipalAngles: %v, %v", err, angles)
			}
			if !math.IsNaN(m.Infeasibility(ctx, a)) && !math.IsInf(m.Infeasibility(ctx, a), 0) {
				t.Error("Infeasibility is finite")
			}
		}
	}
	if err := m.Retract(ctx, x, x, v, math.Inf(1)); !errors.Is(err, stiefel.ErrNotFinite) {
		t.Errorf("infinite step: %v", err)
	}
}

func TestRandom(t *testing.T) {
	forShapes(t, func(t *testing.T, m *stiefel.Manifold, rnd *rand.Rand) {
		x := randomPoint(m, rnd)
		onManifold(t, m, x)
		a, b := randomPoint(m, rand.New(rand.NewPCG(1, 2))), randomPoint(m, rand.New(rand.NewPCG(1, 2)))
		if !mat.Equal(a, b) {
			t.Error("same seed, different points")
		}
		if d, p := m.Dims(); d > 1 && p < d && mat.Equal(x, randomPoint(m, rnd)) {
			t.Error("same point twice")
		}
	})
	// In the Haar distribution, E[P] = 0 and E[x_ij²] = 1/d. The limits are five standard errors.
	const d, p, n = 4, 2, 4000
	m := stiefel.New(d, p)
	rnd := rand.New(rand.NewPCG(9, 9))
	var mean, square [d * p]float64
	var x mat.Dense
	for range n {
		m.Random(ctx, &x, rnd)
		for k, v := range x.RawMatrix().Data {
			mean[k] += v / n
			square[k] += v * v / n
		}
	}
	for k := range mean {
		if math.Abs(mean[k]) > 5*math.Sqrt(1./d/n) {
			t.Errorf("mean of element %d is %v", k, mean[k])
		}
		// The square of an element of a random unit vector has variance 3/(d(d+2)) − 1/d².
		if math.Abs(square[k]-1./d) > 5*math.Sqrt((3./(d*(d+2))-1./d/d)/n) {
			t.Errorf("mean square of element %d is %v", k, square[k])
		}
	}
}

func TestAnglesAndDistance(t *testing.T) {
	// x and y are constructed so that the angles between their subspaces are the elements of want.
	// The columns of y are then rotated within their subspace.
	want := []float64{0, 1e-12, 1e-5, 0.3, math.Pi/2 - 1e-9, math.Pi / 2}
	p := len(want)
	const d = 15
	m := stiefel.New(d, p)
	rnd := rand.New(rand.NewPCG(2, 7))
	rotation, basis := stiefel.New(p, p), stiefel.New(d, d)
	r, b := randomPoint(rotation, rnd), randomPoint(basis, rnd)
	x, y := mat.NewDense(d, p, nil), mat.NewDense(d, p, nil)
	var chordal float64
	for j, theta := range want {
		s, c := math.Sincos(theta)
		chordal += s * s
		for i := range d {
			x.Set(i, j, b.At(i, j))
			y.Set(i, j, c*b.At(i, j)+s*b.At(i, p+j))
		}
	}
	y.Mul(y, r)
	got := make([]float64, p)
	if err := m.PrincipalAngles(ctx, got, x, y); err != nil {
		t.Fatal(err)
	}
	for k := range want {
		if math.Abs(got[k]-want[k]) > 3e-15 {
			t.Errorf("angle %d is %v, want %v", k, got[k], want[k])
		}
	}
	if got, want := m.Distance(ctx, x, y), math.Sqrt(chordal); math.Abs(got-want) > 4e-15 {
		t.Errorf("distance %v, want %v", got, want)
	}
	if a, b := m.Distance(ctx, x, y), m.Distance(ctx, y, x); !scalar.EqualWithinRel(a, b, 4e-15) {
		t.Errorf("distance is not symmetric: %v, %v", a, b)
	}
	var turned mat.Dense
	turned.Mul(x, r)
	if got := m.Distance(ctx, x, &turned); got > 4e-15 {
		t.Errorf("distance between bases of one subspace is %v", got)
	}
	// For p = d there is only one subspace.
	if err := rotation.PrincipalAngles(ctx, got, r, randomPoint(rotation, rnd)); err != nil || got[p-1] > 4e-15 {
		t.Errorf("angles in the whole space: %v, %v", got, err)
	}
}

// TestAliasAndStride checks that every method gives the same bits if the destination is an operand
// or if the operands are strided.
func TestAliasAndStride(t *testing.T) {
	m := stiefel.New(13, 3)
	rnd := rand.New(rand.NewPCG(4, 4))
	x := randomPoint(m, rnd)
	g := gaussianMatrix(m, rnd)
	strided := func(a *mat.Dense) *mat.Dense {
		wide := mat.NewDense(15, 7, nil)
		for i := range 15 {
			for j := range 7 {
				wide.Set(i, j, math.NaN())
			}
		}
		s := wide.Slice(1, 14, 2, 5).(*mat.Dense)
		s.Copy(a)
		return s
	}
	methods := map[string]func(dst, x, g *mat.Dense) error{
		"Tangent":        func(dst, x, g *mat.Dense) error { m.Tangent(ctx, dst, x, g); return nil },
		"Transport":      func(dst, x, g *mat.Dense) error { m.Transport(ctx, dst, x, g); return nil },
		"Retract":        func(dst, x, g *mat.Dense) error { return m.Retract(ctx, dst, x, g, 0.1) },
		"Project":        func(dst, _, g *mat.Dense) error { return m.Project(ctx, dst, g) },
		"Orthonormalize": func(dst, _, g *mat.Dense) error { _, err := m.Orthonormalize(ctx, dst, g); return err },
	}
	for name, f := range methods {
		var want mat.Dense
		if err := f(&want, x, g); err != nil {
			t.Fatal(err)
		}
		check := func(what string, dst, x, g *mat.Dense) {
			if err := f(dst, x, g); err != nil || !mat.Equal(dst, &want) {
				t.Errorf("%s with %s differs, error %v", name, what, err)
			}
		}
		a := mat.DenseCopyOf(g)
		check("dst = g", a, x, a)
		a = mat.DenseCopyOf(x)
		check("dst = x", a, a, g)
		check("strides", strided(g), strided(x), strided(g))
	}
	if m.Inner(x, x, g) != m.Inner(x, strided(x), strided(g)) || m.Infeasibility(ctx, g) != m.Infeasibility(ctx, strided(g)) ||
		m.Distance(ctx, x, g) != m.Distance(ctx, strided(x), strided(g)) {
		t.Error("a number depends on the stride")
	}
}

// bits returns a hash of all results that have the same bits on every machine.
func bits(d, p int) uint64 {
	m := stiefel.New(d, p)
	rnd := rand.New(rand.NewPCG(uint64(d), 77))
	h := fnv.New64a()
	put := func(v float64) {
		var b [8]byte
		for k, u := 0, math.Float64bits(v); k < 8; k++ {
			b[k] = byte(u >> (8 * k))
		}
		h.Write(b[:])
	}
	putAll := func(a *mat.Dense) {
		for _, v := range a.RawMatrix().Data {
			put(v)
		}
	}
	x, y := randomPoint(m, rnd), randomPoint(m, rnd)
	putAll(x)
	var v, z mat.Dense
	m.Tangent(ctx, &v, x, y)
	putAll(&v)
	if err := m.Retract(ctx, &z, x, &v, 0.37); err != nil {
		return 0
	}
	putAll(&z)
	m.Transport(ctx, &v, &z, &v)
	putAll(&v)
	put(m.Inner(x, &v, y))
	put(m.Distance(ctx, x, y))
	put(m.Infeasibility(ctx, &v))
	return h.Sum64()
}

// TestSameBitsEverywhere compares hashes of results with hashes computed on amd64.
func TestSameBitsEverywhere(t *testing.T) {
	for _, c := range []struct {
		d, p int
		want uint64
	}{
		{1, 1, 0x1c32acdb133abb8d},
		{7, 7, 0xa83f1408ba61ba63},
		{33, 5, 0x2d0fb1029e48ee0b},
		{200, 10, 0x98291949d63ad709},
	} {
		if got := bits(c.d, c.p); got != c.want {
			t.Errorf("{%d, %d, %#x},", c.d, c.p, got)
		}
	}
}

func TestAllocations(t *testing.T) {
	for _, s := range [][2]int{{30, 4}, {128, 128}} {
		m := stiefel.New(s[0], s[1])
		rnd := rand.New(rand.NewPCG(1, 9))
		x, y := randomPoint(m, rnd), randomPoint(m, rnd)
		v := tangent(m, x, rnd)
		var dst mat.Dense
		m.Random(ctx, &dst, rnd)
		for name, f := range map[string]func(){
			"Tangent":        func() { m.Tangent(ctx, &dst, x, y) },
			"Inner":          func() { m.Inner(x, v, y) },
			"Retract":        func() { _ = m.Retract(ctx, &dst, x, v, 0.1) },
			"Orthonormalize": func() { _, _ = m.Orthonormalize(ctx, &dst, v) },
			"Project":        func() { _ = m.Project(ctx, &dst, v) },
			"Random":         func() { m.Random(ctx, &dst, rnd) },
			"Infeasibility":  func() { m.Infeasibility(ctx, x) },
			"Distance":       func() { m.Distance(ctx, x, y) },
		} {
			if n := asmtest.Allocations(f); n != 0 {
				t.Errorf("%v %s allocates %v times", s, name, n)
			}
		}
	}
}

func TestPanics(t *testing.T) {
	m := stiefel.New(4, 2)
	good, bad := mat.NewDense(4, 2, nil), mat.NewDense(2, 4, nil)
	for name, f := range map[string]func(){
		"New(2, 3)":       func() { stiefel.New(2, 3) },
		"New(2, 0)":       func() { stiefel.New(2, 0) },
		"Tangent":         func() { m.Tangent(ctx, good, bad, good) },
		"Retract":         func() { _ = m.Retract(ctx, bad, good, good, 1) },
		"Project":         func() { _ = m.Project(ctx, good, bad) },
		"Inner":           func() { m.Inner(good, good, bad) },
		"PrincipalAngles": func() { _ = m.PrincipalAngles(ctx, make([]float64, 3), good, good) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if _, ok := recover().(string); !ok {
					t.Error("no panic with a constant string")
				}
			}()
			f()
		})
	}
}

func TestDimension(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 0}, {3, 1, 2}, {3, 3, 3}, {784, 10, 7785}} {
		if got := stiefel.New(c[0], c[1]).Dimension(); got != c[2] {
			t.Errorf("dim St(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func BenchmarkStiefel(b *testing.B) {
	for _, s := range [][2]int{{784, 10}, {784, 20}, {64, 2}} {
		m := stiefel.New(s[0], s[1])
		rnd := rand.New(rand.NewPCG(1, 9))
		x, v := randomPoint(m, rnd), gaussianMatrix(m, rnd)
		m.Tangent(ctx, v, x, v)
		var dst mat.Dense
		for _, op := range []struct {
			name string
			f    func()
		}{
			{"tangent", func() { m.Tangent(ctx, &dst, x, v) }},
			{"inner", func() { m.Inner(x, v, v) }},
			{"retract", func() { _ = m.Retract(ctx, &dst, x, v, 0.1) }},
			{"project", func() { _ = m.Project(ctx, &dst, v) }},
		} {
			b.Run(fmt.Sprintf("op=%s/d=%d/p=%d", op.name, s[0], s[1]), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					op.f()
				}
			})
		}
	}
}

// TestContextEnds checks that Orthonormalize stops soon after its context has ended.
func TestContextEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a := mat.NewDense(40, 30, nil)
	for i := range 40 {
		for j := range 20 { // the other columns are zero, so QR uses reflections
			a.Set(i, j, rng.NormFloat64())
		}
	}
	for last, late := range []int{0, 3, 3} {
		ctx := ending.At(last)
		m := stiefel.New(40, 30)
		_, err := m.Orthonormalize(ctx, new(mat.Dense), a)
		if last > 0 && (!errors.Is(err, ending.ErrAt) || ctx.ChecksAfterEnd() > late) {
			t.Errorf("ended at %d: %v, %d more checks", last, err, ctx.ChecksAfterEnd())
		}
	}
}
