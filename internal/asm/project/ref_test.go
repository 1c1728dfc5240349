package project

import (
	"math"
	"math/big"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestRefBound checks the bound of doc.go: the error of a chain of d terms is at most γ_d·Σ|x_k b_k| for normal values.
func TestRefBound(t *testing.T) {
	t.Run("float64", testRefBound[float64])
	t.Run("float32", testRefBound[float32])
}

func testRefBound[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(2)
	var worst asmtest.Worst
	for range 4000 {
		d := 1 + rng.IntN(40)
		if rng.IntN(20) == 0 {
			d = 300
		}
		x, b := make([]T, d), make([]T, d)
		asmtest.Fill(rng, x, asmtest.Gauss)
		asmtest.Fill(rng, b, asmtest.Gauss)
		if k := rng.IntN(d + 1); k > 0 { // the last d − k terms cancel earlier terms
			for i := range d - k {
				x[k+i], b[k+i] = x[i%k], -b[i%k]
			}
		}
		var want asmtest.ExactSum
		for k := range d {
			want.Add(float64(x[k]), float64(b[k]))
		}
		var y, g, n [1]T
		normsRef(d, n[:], x, d, false)
		if mulRef(1, 1, d, y[:], 1, x, d, x, 1, false); !asmtest.SameBits(n[0], y[0]) {
			t.Fatalf("Norms has %v, Mul %v for x = %v", n[0], y[0], x)
		}
		mulRef(1, 1, d, y[:], 1, x, d, b, 1, false)
		transMulRef(d, 1, 1, g[:], 1, b, 1, x, 1, false)
		if !asmtest.SameBits(y[0], g[0]) {
			t.Fatalf("Mul has %v, TransMul %v for x = %v, b = %v", y[0], g[0], x, b)
		}
		bound := big.NewFloat(asmtest.Gamma[T](d))
		worst.See(asmtest.Error(float64(y[0]), want.Value(), bound.Mul(bound, want.Magnitude())), "x = %v, b = %v", x, b)
	}
	worst.Report(t, "product")
}

func TestEmpty(t *testing.T) {
	y := []float64{1, 2, 3, 4}
	Mul(2, 2, 0, y, 2, nil, 0, nil, 2, true)
	TransMul(0, 2, 2, y, 2, nil, 2, nil, 2, true)
	if y[0] != 1 || y[3] != 4 {
		t.Errorf("an empty chain with add changed the output to %v", y)
	}
	Mul(2, 2, 0, y, 2, nil, 0, nil, 2, false)
	g := []float64{1, 2, 3, 4}
	TransMul(0, 2, 2, g, 2, nil, 2, nil, 2, false)
	for i := range y {
		if math.Float64bits(y[i]) != 0 || math.Float64bits(g[i]) != 0 {
			t.Errorf("an empty chain stored %v and %v", y[i], g[i])
		}
	}
	Mul[float64](0, 3, 5, nil, 3, nil, 5, make([]float64, 15), 3, false)
	TransMul[float64](3, 0, 5, nil, 5, make([]float64, 15), 5, nil, 0, false)
}

func TestAllocations(t *testing.T) {
	const m, p, d = 30, 10, 50
	x, b, y, g := make([]float64, m*d), make([]float64, d*p), make([]float64, m*p), make([]float64, p*d)
	for lv := range asmtest.Each(t) {
		if n := asmtest.Allocations(func() {
			Mul(m, p, d, y, p, x, d, b, p, false)
			TransMul(m, p, d, g, d, x, d, y, p, false)
		}); n != 0 {
			t.Errorf("%v: %v allocations", lv, n)
		}
	}
}
