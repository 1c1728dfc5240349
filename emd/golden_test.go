package emd

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/random"
)

// TestGoldenBits checks that plans, dual variables, assignments and distances have the same bits on every machine and for every
// instruction set.
func TestGoldenBits(t *testing.T) {
	const n, m, d = 90, 70, 3
	rng := random.New(1, 49)
	x, y := dist.NewMatrix[float64](n, d, nil), dist.NewMatrix[float64](m, d, nil)
	for _, c := range [2]dist.Matrix[float64]{x, y} {
		for k := range c.Data {
			c.Data[k] = random.Normal(rng)
		}
	}
	a := make([]float64, n)
	for i := range a {
		a[i] = float64(i%7) / float64(3*n)
	}
	cost := dist.NewMatrix[float64](n, m, nil)
	dist.SqEuclidean(cost, x, y)
	for lv := range asmtest.Each(t) {
		var s Solver[float64]
		h := fnv.New64a()
		put := func(v ...float64) {
			for _, v := range v {
				var b [8]byte
				binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
				h.Write(b[:])
			}
		}
		check := func(what, want string, err error) {
			if got := fmt.Sprintf("%016x", h.Sum64()); err != nil || got != want {
				t.Errorf("%v, %s: %s, not %s, %v", lv, what, got, want, err)
			}
			h.Reset()
		}
		for _, p := range []*Problem[float64]{{X: x, Y: y}, {X: x, Y: y, A: a, Mass: 0.25}} {
			r, err := s.Solve(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range r.Plan {
				put(float64(e.Row), float64(e.Column), e.Mass)
			}
			put(r.U...)
			put(r.V...)
			put(r.Cost, r.Price, r.Certificate.Violation, r.Certificate.Gap)
		}
		check("plans", "846db6d84e46b6e8", nil)
		dst := make([]int, n)
		sum, err := s.Assign(t.Context(), dst, cost)
		for _, j := range dst {
			put(float64(j))
		}
		put(sum)
		check("assignment", "7ee63ed0b6280df4", err)
		for _, p := range []float64{1, 2, 2.5} {
			w, err := s.Distance1D(t.Context(), x.Data, y.Data, nil, nil, p)
			if err != nil {
				t.Fatal(err)
			}
			put(w)
		}
		dx, dy := dist.NewMatrix[float64](n, d, nil), dist.NewMatrix[float64](m, d, nil)
		w, err := s.Sliced(t.Context(), dx, dy, &Problem[float64]{X: x, Y: y}, &SlicedOptions{Order: 1.5})
		put(w)
		put(dx.Data...)
		put(dy.Data...)
		check("lines", "20f8ab23a3e19c0e", err)
	}
}
