package fuzz

import (
	"errors"
	"math"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/emd"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

func FuzzTransportFloat64(f *testing.F) { fuzzTransport[float64](f) }
func FuzzTransportFloat32(f *testing.F) { fuzzTransport[float32](f) }

// fuzzTransport solves exact transport problems and assignment problems with every instruction set. The solver must return
// a typed error, or a result with a small duality gap and with the same bits for every instruction set.
func fuzzTransport[T dist.Float](f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		rng := asmtest.NewRand(uint64(in.byte()))
		n, m := 1+in.numberUpTo(40), 1+in.numberUpTo(40)
		p := &emd.Problem[T]{Cost: dist.NewMatrix[T](n, m, nil)}
		class := asmtest.Class(in.numberUpTo(5))
		whole := in.numberUpTo(3) == 0
		for k := range p.Cost.Data {
			if p.Cost.Data[k] = asmtest.Value[T](rng, class); whole {
				p.Cost.Data[k] = T(rng.IntN(4))
			}
		}
		p.Cost.Data[in.numberUpTo(n*m-1)] = scalar[T](in, rng)
		weights := func(n int) []T {
			w, sum := make([]T, n), T(0)
			for i := range w {
				w[i] = T(in.numberUpTo(3))
				sum += w[i]
			}
			w[0] += max(1-sum, 0)
			return w
		}
		if in.numberUpTo(1) == 0 {
			p.A, p.B = weights(n), weights(m)
			p.Mass = float64(in.numberUpTo(3))
		}
		var s emd.Solver[T]
		dst := make([]int, n)
		var cost, best float64
		first := true
		for lv := range asmtest.Each(t) {
			got, sum := math.NaN(), math.NaN()
			r, err := s.Solve(t.Context(), p)
			if err == nil {
				c := r.Certificate
				size, mass, largest := 0., 0., 0.
				for _, e := range r.Plan {
					size += e.Mass * math.Abs(float64(p.Cost.At(e.Row, e.Column)))
				}
				for i := range r.U {
					mass += 1
					if p.A != nil {
						mass += float64(p.A[i])
					}
					for _, v := range r.V {
						largest = max(largest, math.Abs(r.U[i])+math.Abs(v)+math.Abs(r.Price))
					}
				}
				if got = r.Cost; !(c.Gap <= max(1e-12*size, 0x1p-47*(mass+float64(n+m)*3)*largest)) {
					t.Fatalf("%v: %+v of Σ T|c| %v, largest dual variables %v", lv, c, size, largest)
				}
			} else if !errors.Is(err, emd.ErrNotFinite) && !errors.Is(err, emd.ErrRange) && !errors.Is(err, emd.ErrMarginals) {
				t.Fatal(err)
			}
			if a, err := s.Assign(t.Context(), dst, p.Cost); err == nil {
				sum = a
			} else if !errors.Is(err, emd.ErrNotFinite) && !errors.Is(err, emd.ErrRange) && !errors.Is(err, emd.ErrInfeasible) {
				t.Fatal(err)
			}
			if !first && (!asmtest.SameBits(got, cost) || !asmtest.SameBits(sum, best)) {
				t.Fatalf("%v: %v and %v, at ref %v and %v", lv, got, sum, cost, best)
			}
			first, cost, best = false, got, sum
		}
	})
}
