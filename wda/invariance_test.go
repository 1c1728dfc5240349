package wda

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// mustScore returns the scores of the projection p, computed with set.Objective. If set does not specify a shrinkage,
// mustScore uses the shrinkage 0.
func mustScore(t testing.TB, x mat.Matrix, labels []int, p mat.Matrix, set *Settings) *Scores {
	t.Helper()
	scoring := &Scoring{Objective: set.Objective, Workers: set.Workers}
	if scoring.Objective.Shrinkage.IsAuto() {
		scoring.Objective.Shrinkage = FixedShrinkage(0)
	}
	s, err := Score(t.Context(), x, labels, p, scoring)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFisherLimit checks that J tends to a trace ratio for λ → 0. In this limit, the transport plans are uniform, and
// the cost between two classes is the mean of all squared distances.
func TestFisherLimit(t *testing.T) {
	x, labels := clusters(5, 6, 12, 20, 31)
	p := uniform(6, 6, 2)
	var y mat.Dense
	y.Mul(x, p)
	// Compute the scatter of the classes from its definition.
	var mean [3][2]float64
	var variance, pi [3]float64
	for pass := range 3 {
		for i, l := range labels {
			c := l/10 - 1
			for k := range 2 {
				switch pass {
				case 0:
					if k == 0 {
						pi[c] += 1.0 / float64(len(labels))
					}
				case 1:
					mean[c][k] += y.At(i, k) / (pi[c] * float64(len(labels)))
				case 2:
					e := y.At(i, k) - mean[c][k]
					variance[c] += e * e / (pi[c] * float64(len(labels)))
				}
			}
		}
	}
	for _, proportional := range []bool{false, true} {
		var b, w float64
		for c := range 3 {
			wc := 1.0
			if proportional {
				wc = pi[c]
			}
			w += wc * 2 * variance[c]
			for e := c + 1; e < 3; e++ {
				wce := 1.0
				if proportional {
					wce = pi[c] * pi[e]
				}
				b += wce * (variance[c] + variance[e] + math.Pow(mean[c][0]-mean[e][0], 2) + math.Pow(mean[c][1]-mean[e][1], 2))
			}
		}
		before := math.Inf(1)
		for _, lambda := range []float64{1e-2, 1e-4, 1e-6, 1e-8} {
			s := mustScore(t, x, labels, p, &Settings{Objective: Objective{Lambda: RelativeLambda(lambda), Proportional: proportional}})
			e := relative(s.Objective, b/w)
			if !(e < before/50) {
				t.Errorf("proportional %v, λ = %g: J = %v is off %v by %.3g, at 100 λ by %.3g", proportional, lambda, s.Objective, b/w, e, before)
			}
			before = max(e, 1e-13)
		}
		if !(before < 1e-8) {
			t.Errorf("proportional %v: J does not converge to the Fisher ratio", proportional)
		}
	}
}

// TestInvariances checks transformations of the data that must not change J or the projection.
func TestInvariances(t *testing.T) {
	x, labels := parts3(1, 60, 5)
	n, d := x.Dims()
	p := uniform(2, d, 2)
	set := &Settings{Objective: Objective{Shrinkage: FixedShrinkage(0.3)}}
	want := mustScore(t, x, labels, p, set)
	check := func(name string, limit float64, s *Scores, gradient mat.Matrix) {
		t.Helper()
		if e := relative(s.Objective, want.Objective); !(e <= limit) {
			t.Errorf("%s: J changes by %.3g", name, e)
		}
		if e := off(gradient, want.Gradient); !(e <= 100*limit) {
			t.Errorf("%s: gradient changes by %.3g", name, e)
		}
	}

	shift := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			shift.Set(i, j, x.At(i, j)+float64(100*j-70))
		}
	}
	s := mustScore(t, shift, labels, p, set)
	check("translation", 1e-11, s, s.Gradient)

	// A rotation Q changes X to X Q and P to QᵀP, so the product X P is unchanged.
	q := mat.NewDense(d, d, nil)
	stiefel.New(d, d).Random(ctx, q, rand.New(rand.NewPCG(1, 2)))
	var xq, qp, back mat.Dense
	xq.Mul(x, q)
	qp.Mul(q.T(), p)
	s = mustScore(t, &xq, labels, &qp, set)
	back.Mul(q, s.Gradient)
	check("rotation", 1e-12, s, &back)

	order := rand.New(rand.NewPCG(3, 4)).Perm(n)
	px, pl := copyRows(context.Background(), x, labels, order)
	s = mustScore(t, px, pl, p, set)
	check("permutation", 1e-12, s, s.Gradient)

	// Label values do not matter if their order is unchanged. The order matters because a finite number of iterations
	// does not treat the two classes of a pair equally.
	named := make([]int, n)
	for i, l := range labels {
		named[i] = 3*l - 70
	}
	if s := mustScore(t, x, named, p, set); s.Objective != want.Objective || !bitsEqual(s.Gradient, want.Gradient) {
		t.Error("other labels: other bits")
	}

	// Scaling by a power of two is exact in every operation.
	for _, e := range []int{-400, -30, 1, 30, 400} {
		for _, f32 := range []bool{false, true} {
			set := &Settings{Objective: Objective{Shrinkage: FixedShrinkage(0.3), Float32: f32}}
			a := mustScore(t, x, labels, p, set)
			b := mustScore(t, scaledMatrix(math.Ldexp(1, e), x), labels, p, set)
			if a.Objective != b.Objective || !bitsEqual(a.Gradient, b.Gradient) || math.Ldexp(a.Between, 2*e) != b.Between || math.Ldexp(a.Within, 2*e) != b.Within {
				t.Errorf("scaling by 2^%d, float32 %v: other bits", e, f32)
			}
		}
	}
	a := mustFit(t, x, labels, &Settings{Components: 2})
	b := mustFit(t, scaledMatrix(0x1p-70, x), labels, &Settings{Components: 2})
	if !bitsEqual(a.Projection(), b.Projection()) {
		t.Error("scaling by 2^-70: another projection")
	}
}

// TestWorkersDoNotMatter checks that the objective, the gradient and a whole fit have the same bits for any number of
// goroutines.
func TestWorkersDoNotMatter(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, shape := range []struct{ n, d int }{{90, 9}, {40, 150}, {150, 140}} {
		if !testdata.IsLong() && shape.d > 100 {
			continue
		}
		x, labels := clusters(4, shape.d, shape.n/6, shape.n/6, shape.n/3, shape.n/3)
		p := uniform(2, shape.d, 3)
		for _, f32 := range []bool{false, true} {
			var first *Scores
			var model *Model
			for i, procs := range []int{1, 2, 7} {
				runtime.GOMAXPROCS(procs)
				set := &Settings{Components: 3, Optimizer: Optimizer{MaxSteps: 12}, Objective: Objective{Float32: f32}}
				if i == 2 {
					set.Workers = 3
				}
				s := mustScore(t, x, labels, p, set)
				m := mustFit(t, x, labels, set)
				if first == nil {
					first, model = s, m
					continue
				}
				if s.Objective != first.Objective || !bitsEqual(s.Gradient, first.Gradient) {
					t.Errorf("%v, float32 %v: objective or gradient depends on workers", shape, f32)
				}
				if !bitsEqual(m.projection, model.projection) || m.report.Objective != model.report.Objective || m.report.Steps != model.report.Steps {
					t.Errorf("%v, float32 %v: the fit depends on workers", shape, f32)
				}
			}
		}
	}
}

// TestCallersDataStay checks that functions do not modify their arguments.
func TestCallersDataStay(t *testing.T) {
	x, labels := parts3(8, 40, 5)
	init := scaledMatrix(3, uniform(9, 5, 2))
	lambdas := mat.NewDense(3, 3, []float64{1, 2, 3, 2, 1, 2, 3, 2, 1})
	held := uniform(10, 9, 5)
	set := &Settings{Components: 2, Optimizer: Optimizer{Init: init, MaxSteps: 5, Starts: 2}, Objective: Objective{Lambda: LambdaMatrix(lambdas)}, Validation: &Validation{X: held, Labels: repeated(10, 9)}}
	sum := func() string {
		h := sha256.New()
		for _, m := range []*mat.Dense{x, init, lambdas, held} {
			writeBits(h.Write, m)
		}
		for _, l := range labels {
			binary.Write(h, binary.LittleEndian, int64(l))
		}
		return string(h.Sum(nil))
	}
	before, copyOf := sum(), *set
	for _, solver := range stepping {
		set.Optimizer.Method = solver
		m := mustFit(t, x, labels, set)
		mustScore(t, x, labels, init, set)
		var y mat.Dense
		m.Transform(&y, x)
		p := m.Projection()
		p.Set(0, 0, 99)
		m.Mean()[0], m.Labels()[0] = 99, 99
		if m.projection.At(0, 0) == 99 || m.mean[0] == 99 || m.labels[0] == 99 {
			t.Error("the model hands out its own memory")
		}
		if sum() != before {
			t.Fatalf("%v: data of the caller have changed", solver)
		}
	}
	set.Optimizer.Method = copyOf.Optimizer.Method
	if set.Components != copyOf.Components || set.Objective.Lambda != copyOf.Objective.Lambda || set.Optimizer.MaxSteps != 5 || set.Validation.Every != 0 {
		t.Error("settings of the caller have changed")
	}
}

func writeBits(write func([]byte) (int, error), m mat.Matrix) {
	r, c := m.Dims()
	var b [8]byte
	for i := range r {
		for j := range c {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(m.At(i, j)))
			write(b[:])
		}
	}
}

// TestGoldenBits checks that the objective, its parts, the gradient and Transform have fixed bits on every machine and
// every instruction set.
func TestGoldenBits(t *testing.T) {
	const want = "b4e9be4724440857a46e90ff3320d5a6"
	x, labels := clusters(11, 37, 23, 40, 9)
	p := mat.NewDense(37, 5, nil)
	if _, err := stiefel.New(37, 5).Orthonormalize(ctx, p, uniform(12, 37, 5)); err != nil {
		t.Fatal(err)
	}
	for level := range asmtest.Each(t) {
		h := sha256.New()
		number := func(v ...float64) { writeBits(h.Write, mat.NewDense(1, len(v), v)) }
		for _, set := range []Scoring{
			{Objective: Objective{Shrinkage: FixedShrinkage(0)}}, {Objective: Objective{Proportional: true, Shrinkage: FixedShrinkage(0.5), Iterations: 3}}, {Objective: Objective{Lambda: AbsoluteLambda(0.3), Shrinkage: FixedShrinkage(0)}}, {Objective: Objective{Lambda: RelativeLambda(2000), Shrinkage: FixedShrinkage(0)}},
		} {
			for _, f32 := range []bool{false, true} {
				set.Objective.Float32 = f32
				s, err := Score(t.Context(), x, labels, p, &set)
				if err != nil {
					t.Fatal(err)
				}
				number(s.Objective, s.Between, s.Within, s.Ridge, s.GradientNorm)
				writeBits(h.Write, s.Gradient)
				if err := checkFinite(context.Background(), s.Gradient); err != nil {
					t.Fatalf("%+v: gradient: %v", set, err)
				}
				writeBits(h.Write, s.Lambda)
			}
		}
		s, err := discriminant.NewSamples(context.Background(), x, labels)
		if err != nil {
			t.Fatal(err)
		}
		m := newModel(s, p, Report{})
		var y mat.Dense
		m.Transform(&y, x)
		writeBits(h.Write, &y)
		x32, y32 := dist.NewMatrix[float32](72, 37, nil), dist.NewMatrix[float32](72, 5, nil)
		for i := range x32.Data {
			x32.Data[i] = float32(x.RawMatrix().Data[i])
		}
		m.Transform32(y32, x32)
		for _, v := range y32.Data {
			number(float64(v))
		}
		if got := hex.EncodeToString(h.Sum(nil))[:32]; got != want {
			t.Errorf("level %v: bits have the hash %s, want %s", level, got, want)
		}
	}
}
