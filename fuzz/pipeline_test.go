package fuzz

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/sinkhorn"
)

func FuzzPipelineFloat64(f *testing.F) {
	fuzzPipeline[float64](f, sinkhorn.StorageDense, sinkhorn.StorageMatrixFree)
}
func FuzzPipelineFloat32(f *testing.F) {
	fuzzPipeline[float32](f, sinkhorn.StorageDense, sinkhorn.StorageMatrixFree)
}
func FuzzPipelineMixed(f *testing.F) {
	fuzzPipeline[float64](f, sinkhorn.StorageMixed, sinkhorn.StorageMixed)
}

// fuzzPipeline solves transport problems between points. It checks that the result and the gradient have the same bits for
// every instruction set, for one and two workers, and for both storage settings. A non-finite result without an error
// fails the test.
func fuzzPipeline[T dist.Float](f *testing.F, storage, other sinkhorn.Storage) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		set, problem := decode[T](&input{data})
		set.Storage, set.Workers = storage, 1
		var want outcome[T]
		asmtest.At(t, asm.Ref, func() { want = solve(t, set, problem) })
		if want.err == "" {
			for name, s := range want.values {
				for i, x := range s {
					if x != x || x-x != 0 && name != "potentials" {
						t.Fatalf("%s[%d] = %v without an error (%v)\n%s", name, i, x, want.status, describe(set, problem))
					}
				}
			}
		}
		same := func() {
			t.Helper()
			got := solve(t, set, problem)
			if got.err != want.err || got.status != want.status {
				t.Fatalf("%v, %v: %s, error %q; at ref, %v %s, error %q\n%s", asm.Current(), set.Storage, got.status, got.err, storage, want.status, want.err, describe(set, problem))
			}
			for name, s := range want.values {
				for i, x := range s {
					if !asmtest.SameBits(got.values[name][i], x) {
						t.Fatalf("%v, %v: %s[%d] = %v, at ref, %v %v (%s)\n%s", asm.Current(), set.Storage, name, i, got.values[name][i], storage, x, want.status, describe(set, problem))
					}
				}
			}
		}
		for range asmtest.Each(t) {
			same()
		}
		set.Storage, set.Workers = other, 2
		same()
	})
}

// decode reads the settings and the problem from the input. Most values are ordinary, and some may be extreme.
func decode[T dist.Float](in *input) (sinkhorn.Settings, *sinkhorn.Problem[T]) {
	rng := rand.New(rand.NewPCG(uint64(in.byte()), 2))
	n, m, p := 1+in.numberUpTo(39), 1+in.numberUpTo(39), 1+in.numberUpTo(15)
	set := sinkhorn.Settings{
		Lambda:     math.Pow(10, float64(in.numberUpTo(48)-24)/2),
		Iterations: 1 + in.numberUpTo(11),
		Domain:     sinkhorn.Domain(in.numberUpTo(2)),
		Gradient:   true,
	}
	if in.numberUpTo(3) == 3 {
		digits := 1 + in.numberUpTo(9)
		set.Tolerance = math.Pow(10, -float64(digits))
		if set.Gradient = digits%2 == 1; !set.Gradient { // without Gradient, the solver may use Newton's method
			set.Iterations *= 20
		}
	}
	if in.numberUpTo(7) == 7 {
		set.Anneal = float64(2 + in.numberUpTo(6))
	}
	scale := 1.0
	if in.numberUpTo(3) == 3 {
		scale = math.Pow(10, float64(in.numberUpTo(60)-30)*5)
	}
	cloud := func(rows int) dist.Matrix[T] {
		c := dist.NewMatrix[T](rows, p, nil)
		class := asmtest.Class(in.numberUpTo(len(asmtest.Classes()) + 4))
		if int(class) >= len(asmtest.Classes()) {
			class = asmtest.Gauss
		}
		asmtest.Fill(rng, c.Data, class)
		for i := range c.Data {
			c.Data[i] *= T(scale)
		}
		if in.numberUpTo(7) == 7 {
			c.Data[in.numberUpTo(len(c.Data)-1)] = bits[T](in)
		}
		if in.numberUpTo(3) == 3 { // duplicates
			copy(c.Row(in.numberUpTo(rows-1)), c.Row(in.numberUpTo(rows-1)))
		}
		return c
	}
	problem := &sinkhorn.Problem[T]{X: cloud(n)}
	problem.Y = problem.X
	if in.numberUpTo(3) > 0 {
		problem.Y = cloud(m)
	}
	for _, v := range append(problem.X.Data, problem.Y.Data...) {
		x := math.Abs(float64(v))
		switch {
		case set.Anneal > 0 && x > 1e6:
			set.Anneal = 1e30 // avoids hundreds of annealing stages with a thousand iterations each
		case set.Anneal > 0 && float64(set.Lambda*x*x) > 1e8:
			set.Anneal = max(set.Anneal, 1e3) // avoids thousands of iterations, which take 10 s on a busy machine
		}
		if !(float64(set.Lambda*x*x) < 1e12) {
			set.Unaccelerated = true // avoids ε-scaling, because the fuzzing engine reports a run of 10 s as a hang
		}
	}
	if in.numberUpTo(1) == 1 {
		problem.A = randomWeights[T](in, rng, n)
		problem.B = randomWeights[T](in, rng, problem.Y.Rows)
	}
	return set, problem
}

// randomWeights returns n weights with the sum 1. Depending on the input, some weights are 0.
func randomWeights[T dist.Float](in *input, rng *rand.Rand, n int) []T {
	zeros := in.numberUpTo(3) == 3
	w, sum := make([]float64, n), 0.0
	for i := range w {
		w[i] = rng.ExpFloat64()
		if zeros && i > 0 && rng.IntN(4) == 0 {
			w[i] = 0
		}
		sum += w[i]
	}
	out := make([]T, n)
	for i := range w {
		out[i] = T(w[i] / sum)
	}
	return out
}

// outcome contains everything that a solve returns.
type outcome[T dist.Float] struct {
	err    string
	status string
	values map[string][]T
}

func solve[T dist.Float](t *testing.T, set sinkhorn.Settings, p *sinkhorn.Problem[T]) outcome[T] {
	t.Helper()
	ctx := context.Background()
	s, err := sinkhorn.NewSolver[T](&set)
	if err != nil {
		t.Fatalf("%v\n%s", err, describe(set, p))
	}
	r, err := s.Solve(ctx, p)
	if err != nil {
		return outcome[T]{err: err.Error()}
	}
	n, m, d := p.X.Rows, p.Y.Rows, p.X.Cols
	plan := dist.NewMatrix[T](n, m, nil)
	dx, dy := dist.NewMatrix[T](n, d, nil), dist.NewMatrix[T](m, d, nil)
	potentials := make([]T, n+m)
	if err := r.PlanTo(ctx, plan, 0); err != nil {
		t.Fatal(err)
	}
	r.PotentialsTo(potentials[:n], potentials[n:])
	o := outcome[T]{status: fmt.Sprint(r.Status, r.Domain, r.Iterations, math.Float64bits(r.Cost), math.Float64bits(r.MarginalError))}
	o.values = map[string][]T{"plan": plan.Data, "potentials": potentials}
	if !(math.Abs(r.Cost) <= math.MaxFloat64) {
		t.Fatalf("%v: cost %v without an error (%v)\n%s", asm.Current(), r.Cost, r.Status, describe(set, p))
	}
	if err := r.PointGradientTo(ctx, dx, dy, sinkhorn.GradientUnrolled); err != nil {
		o.status += err.Error()
		return o
	}
	o.values["dx"], o.values["dy"] = dx.Data, dy.Data
	return o
}

func describe[T dist.Float](set sinkhorn.Settings, p *sinkhorn.Problem[T]) string {
	return fmt.Sprintf("%+v\nX %v\nY %v\nA %v\nB %v", set, p.X, p.Y, p.A, p.B)
}
