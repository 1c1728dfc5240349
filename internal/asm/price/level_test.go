package price

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestLevels compares every instruction-set level with the Go reference implementation, for all lengths and classes of
// values.
func TestLevels(t *testing.T) {
	t.Run("f64", testLevels[float64])
	t.Run("f32", testLevels[float32])
}

func testLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range asmtest.Lengths() {
			for kind := range 4 {
				seed++
				asmtest.Compare(t, seed, func(a *asmtest.Arena[float64]) {
					c, v, u := asmtest.InOf[T](a, n, class), a.In(n+n%3, class), a.In(1, class)
					out := a.Out(3)
					least, at, second := 0., 0, 0.
					switch kind {
					case 0:
						least, at = Least(c, u[0], v)
					case 1:
						least, at = Relax(a.InOut(n+n%2, class), c, u[0], v)
					case 2:
						least, at, second = Two(c, v)
					case 3:
						Lower(a.InOut(n+n%2, class), c, u[0], v)
					}
					out[0], out[1], out[2] = least, float64(at), second
				})
			}
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

// TestTies checks that the functions return the lowest index if several elements tie for the
// minimum. The values +0 and −0 are equal.
func TestTies(t *testing.T) {
	negative := math.Copysign(0, -1)
	for _, n := range []int{3, 16, 50, 1 << 19} {
		c, v := make([]float32, n), make([]float64, n)
		for lv := range asmtest.Each(t) {
			for at := 0; at < n; at = 2*at + 1 {
				for j := range c {
					c[j] = 7
				}
				c[0] = 5
				c[at], c[n-1], v[at] = float32(negative), 0, 0
				d := make([]float64, n)
				for j := range d {
					d[j] = 7
				}
				d[at] = negative
				least, got := Least(c, 0, v)
				least2, got2 := Relax(d, c, 0, v)
				least3, got3, second := Two(c, v)
				others := 5.
				if at < n-1 {
					others = 0
				}
				if got3 != at || math.Signbit(least3) != (at < n-1) || second != others {
					t.Errorf("%v, n = %d: %v at %d, then %v, want %d", lv, n, least3, got3, second, at)
				}
				if got != at || math.Signbit(least) != (at < n-1) || got2 != at || math.Signbit(least2) != true {
					t.Errorf("%v, n = %d: %v at %d, %v at %d, want %d", lv, n, least, got, least2, got2, at)
				}
			}
		}
	}
	inf := []float64{math.Inf(1), math.NaN(), math.Inf(1)}
	if least, at := Least(inf, 0, make([]float64, 3)); at != -1 || !math.IsInf(least, 1) {
		t.Error(least, at)
	}
}
