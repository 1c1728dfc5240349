package sinkhorn

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestGoldenBits checks that all results of a solve have the same bits on every machine and with every instruction set. The
// test covers both domains, every storage, annealing, Newton's method, unequal masses, batches with lanes and with a shared K,
// and gradients.
func TestGoldenBits(t *testing.T) {
	for level := range asmtest.Each(t) {
		if got, want := goldenBits[float64](t), "fce9aed4d5978bd3"; got != want {
			t.Errorf("%v, float64: %s, want %s", level, got, want)
		}
		if got, want := goldenBits[float32](t), "05e3fd5527fdd48a"; got != want {
			t.Errorf("%v, float32: %s, want %s", level, got, want)
		}
	}
}

func goldenBits[T dist.Float](t *testing.T) string {
	rng := rand.New(rand.NewPCG(3, 8))
	uniform := func(n, d int) dist.Matrix[T] {
		x := dist.NewMatrix[T](n, d, nil)
		for k := range x.Data {
			x.Data[k] = T(rng.IntN(1<<16)) / (1 << 16)
		}
		return x
	}
	h := sha256.New()
	put := func(v ...any) {
		for _, v := range v {
			_ = binary.Write(h, binary.LittleEndian, v) // to a hash
		}
	}
	said := func(p *Problem[T], r *Result[T], err error) []any {
		if err != nil {
			t.Fatal(err)
		}
		got := answerOf(t, p, r, nil)
		return []any{r.Cost, int64(r.Iterations), r.MarginalError, uint8(r.Status), uint8(r.Domain), got.regularized, got.plan, got.f, got.g}
	}
	tolerance := 1e-9
	if _, ok := any(T(0)).(float32); ok {
		tolerance = 1e-4
	}
	x, y := uniform(41, 3), uniform(37, 3)
	a, b := uniform(1, 41).Data, uniform(1, 37).Data
	priced := func(rhoA, rhoB, mass float64) Problem[T] {
		return Problem[T]{X: x, Y: y, A: a, B: b, PenaltyA: rhoA, PenaltyB: rhoB, Mass: mass}
	}
	for _, c := range []struct {
		Settings
		Problem[T]
	}{
		{Settings{Lambda: 5, Iterations: 7}, Problem[T]{X: x, Y: y}},
		{Settings{Lambda: 5, Iterations: 7, Storage: StorageMatrixFree}, Problem[T]{X: x, Y: y}},
		{Settings{Lambda: 5, Iterations: 7, Storage: StorageMixed}, Problem[T]{X: x, Y: y}},
		{Settings{Lambda: 5, Iterations: 7, Domain: DomainLog}, Problem[T]{X: x, Y: y}},
		{Settings{Lambda: 300, Tolerance: tolerance, Anneal: 4, Unaccelerated: true}, Problem[T]{X: x, Y: y}},
		{Settings{Lambda: 300, Tolerance: tolerance}, Problem[T]{X: x, Y: y}},
		{Settings{Lambda: 300, Tolerance: tolerance, Domain: DomainLog}, Problem[T]{X: x, Y: y}},
		{Settings{Lambda: 60, Tolerance: tolerance}, priced(1, 0.3, 0)},
		{Settings{Lambda: 60, Tolerance: tolerance, Domain: DomainLog}, priced(0.02, 0, 0)},
		{Settings{Lambda: 20, Iterations: 50}, priced(0, 0, 9)},
	} {
		s, err := NewSolver[T](&c.Settings)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(t.Context(), &c.Problem)
		put(said(&c.Problem, r, err)...)
		for _, mode := range []GradientMode{GradientFrozen, GradientImplicit} {
			dx, dy := dist.NewMatrix[T](41, 3, nil), dist.NewMatrix[T](37, 3, nil)
			if mode == GradientImplicit && c.Tolerance == 0 {
				continue // the implicit gradient needs convergence
			}
			if err := r.PointGradientTo(t.Context(), dx, dy, mode); err != nil {
				t.Fatalf("%+v, %v: %v", c.Settings, mode, err)
			}
			put(dx.Data, dy.Data)
		}
	}
	// Some problems of this batch are solved in vector lanes, and some problems share a kernel matrix K.
	small := uniform(9, 3)
	batch := []Problem[T]{{X: x, Y: y, Lambda: 3}, {X: x, Y: x, Lambda: 3, A: a, B: a}, {X: small, Y: small, Lambda: 4}, {X: small, Y: uniform(5, 3), Lambda: 4}, {X: uniform(12, 3), Y: small, Lambda: 2}}
	s, err := NewSolver[T](&Settings{Iterations: 9, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	answers := make([][]any, len(batch)) // indexed by problem, because the order of visits may vary
	if err := s.SolveBatch(t.Context(), batch, func(i int, r *Result[T], err error) {
		answers[i] = said(&batch[i], r, err)
	}); err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		put(a...)
	}
	if s, err = NewSolver[T](&Settings{Lambda: 5, Iterations: 7, Gradient: true}); err != nil {
		t.Fatal(err)
	}
	p := Problem[T]{X: x, Y: y}
	r, err := s.Solve(t.Context(), &p)
	put(said(&p, r, err)...)
	dx, dy := dist.NewMatrix[T](41, 3, nil), dist.NewMatrix[T](37, 3, nil)
	if err := r.PointGradientTo(t.Context(), dx, dy, GradientUnrolled); err != nil {
		t.Fatal(err)
	}
	put(dx.Data, dy.Data)
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}
