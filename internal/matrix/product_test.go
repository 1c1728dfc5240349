package matrix

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestProducts checks that every element is computed with one FMA for each k, in ascending order.
// The first FMA adds to 0, or to the previous element if add is set.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, s := range [][3]int{{1, 784, 10}, {9, 33, 3}, {20, 5, 64}, {3, 0, 2}, {17, 300, 11}, {0, 4, 2}, {4, 3, 0}} {
		a, b := strided[float64](rng, s[0], s[1], 1), strided[float64](rng, s[1], s[2], 2)
		at := strided[float64](rng, s[1], s[0], 3)
		Transpose(at, a)
		for range asmtest.Each(t) {
			for _, add := range []bool{false, true} {
				y, yt := strided[float64](rng, s[0], s[2], 3), strided[float64](rng, s[0], s[2], 1)
				want := strided[float64](rng, s[0], s[2], 1)
				for i := range want.Rows {
					copy(y.Row(i), want.Row(i))
					copy(yt.Row(i), want.Row(i))
					for l := range want.Cols {
						sum := 0.
						if add {
							sum = want.At(i, l)
						}
						for k := range a.Cols {
							sum = math.FMA(a.At(i, k), b.At(k, l), sum)
						}
						want.Set(i, l, sum)
					}
				}
				Mul(y, a, b, add)
				TransMul(yt, at, b, add)
				checkEqual(t, yt, want)
				for i := range want.Rows {
					for l, w := range want.Row(i) {
						if y.At(i, l) != w {
							t.Fatalf("%v, add %v: Y[%d][%d] = %v, want %v", s, add, i, l, y.At(i, l), w)
						}
					}
				}
			}
		}
	}
}

// TestMulVec compares MulVec with Mul up to rounding errors, because the summation orders differ.
func TestMulVec(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	a, x := strided[float64](rng, 7, 45, 2), strided[float64](rng, 45, 1, 0)
	want, got := New[float64](7, 1, nil), make([]float64, 7)
	Mul(want, a, x, false)
	MulVec(got, a, x.Data)
	for i, g := range got {
		if !(math.Abs(g-want.At(i, 0)) <= 1e-14) {
			t.Errorf("row %d: %v, want %v", i, g, want.At(i, 0))
		}
	}
}

// TestWiden checks every element of the destination. It also checks that Widen leaves the memory
// around the destination unchanged.
func TestWiden(t *testing.T) {
	x, dst := New[float32](3, 12, nil), New[float64](3, 17, nil)
	for i := range x.Data {
		x.Data[i] = float32(i) / 3
	}
	Widen(dst.ColRange(2, 11), x.ColRange(1, 10))
	for i := range dst.Rows {
		for j := range dst.Cols {
			want := 0.
			if 2 <= j && j < 11 {
				want = float64(x.At(i, j-1))
			}
			if v := dst.At(i, j); v != want {
				t.Errorf("(%d, %d) is %v, want %v", i, j, v, want)
			}
		}
	}
	mustPanic(t, asm.ShapePanic, func() { Widen(dst, x) })
	mustPanic(t, asm.ShapePanic, func() { Widen(dst.RowRange(0, 2), x.ColRange(0, 12)) })
	mustPanic(t, asm.ShapePanic, func() { Widen(dst.RowRange(0, 2).ColRange(0, 12), x) })
}
