package vector

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestLevels compares every instruction-set level with the Go reference implementation, for all lengths and classes of
// values.
func TestLevels(t *testing.T) {
	t.Run("f64", checkLevels[float64])
	t.Run("f32", checkLevels[float32])
}

func checkLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range asmtest.Lengths() {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
				c := a.In(2, class)
				Affine(a.Out(n+3*(n%2)), a.In(n, class), c[0], c[1])
			})
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
				x := a.InOut(n, class)
				Affine(x, x, 1, 3)
			})
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
				c := a.In(2, class)
				Shift(a.Out(n+3*(n%2)), a.In(n, class), c[0], c[1])
			})
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
				x := a.In(n, class)
				a.Out(1)[0] = Max(x)
			})
			for _, f := range []func(dst, x []T){Log[T], Log2[T]} {
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) { f(a.Out(n+3*(n%2)), a.In(n, class)) })
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
					x := a.InOut(n, class)
					f(x, x)
				})
			}
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

// TestLogLanes checks special values, and values near the branches of the algorithm, at every position of a slice of
// ordinary values.
func TestLogLanes(t *testing.T) {
	t.Run("f64", logLanes[float64])
	t.Run("f32", logLanes[float32])
}

func logLanes[T num.Float](t *testing.T) {
	values := asmtest.Specials[T]()
	for _, x := range []T{1, math.Sqrt2, math.Sqrt2 / 2, 2, .5, asmtest.Least[T]()} {
		for d := -2; d <= 2; d++ {
			values = append(values, asmtest.Next(x, d), -asmtest.Next(x, d))
		}
	}
	x, got := make([]T, 55), make([]T, 55)
	for _, v := range values {
		for at := range x {
			for i := range x {
				x[i] = T(i+1) / 8
			}
			x[at] = v
			for lv := range asmtest.Each(t) {
				Log(got, x)
				for i := range x {
					if want := Ref(x[i]); !asmtest.SameBits(got[i], want) {
						t.Fatalf("%v: ln %v = %v, want %v", lv, x[i], got[i], want)
					}
				}
				Log2(got, x)
				for i := range x {
					if want := Ref2(x[i]); !asmtest.SameBits(got[i], want) {
						t.Fatalf("%v: log₂ %v = %v, want %v", lv, x[i], got[i], want)
					}
				}
			}
		}
	}
}

// TestLogMany compares the instruction-set levels with the Go reference implementation on many small and large values.
func TestLogMany(t *testing.T) {
	t.Run("f64", logMany[float64])
	t.Run("f32", logMany[float32])
}

func logMany[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(7)
	x, got := make([]T, 20_000), make([]T, 20_000)
	for _, spread := range []float64{.01, 1, 80} {
		for i := range x {
			x[i] = T(math.Exp(spread * (2*rng.Float64() - 1)))
		}
		for lv := range asmtest.Each(t) {
			Log(got, x)
			for i := range x {
				if want := Ref(x[i]); got[i] != want {
					t.Fatalf("%v: ln %v = %v, want %v", lv, x[i], got[i], want)
				}
			}
			Log2(got, x)
			for i := range x {
				if want := Ref2(x[i]); got[i] != want {
					t.Fatalf("%v: log₂ %v = %v, want %v", lv, x[i], got[i], want)
				}
			}
		}
	}
}

// TestMaxIgnoresNaN tests all positions of a NaN and of the largest element.
func TestMaxIgnoresNaN(t *testing.T) {
	x := make([]float32, 70)
	for lv := range asmtest.Each(t) {
		for at := range x {
			for i := range x {
				x[i] = -float32(i) - 1
			}
			x[at] = 5
			x[(at+1)%len(x)] = float32(math.NaN())
			if hi := Max(x); hi != 5 {
				t.Errorf("%v: %v, place %d", lv, hi, at)
			}
		}
		if hi := Max([]float64{math.NaN()}); !math.IsInf(hi, -1) {
			t.Error(lv, hi)
		}
		if hi := Max([]float64{math.Copysign(0, -1), -3}); math.Signbit(hi) {
			t.Error(lv, hi)
		}
	}
}
