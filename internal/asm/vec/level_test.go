package vec

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func TestDivideLevels(t *testing.T) {
	t.Run("f64", divideLevels[float64])
	t.Run("f32", divideLevels[float32])
}

func divideLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range asmtest.Lengths() {
			for alias := range 3 {
				seed++
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
					switch alias {
					case 0:
						Divide(lv, a.Out(n), a.In(n, class), a.In(n, class))
					case 1:
						x := a.InOut(n, class)
						Divide(lv, x, x, a.In(n, class))
					case 2:
						y := a.InOut(n, class)
						Divide(lv, y, a.In(n, class), y)
					}
				})
				if t.Failed() {
					t.Fatalf("class %v, n = %d", class, n)
				}
			}
		}
	}
}

func TestCountOutsideLevels(t *testing.T) {
	t.Run("f64", countOutsideLevels[float64])
	t.Run("f32", countOutsideLevels[float32])
}

func countOutsideLevels[T num.Float](t *testing.T) {
	inf, nan := T(math.Inf(1)), T(math.NaN())
	bounds := [][2]T{
		{-1, 1}, {0, 0.5}, {0.25, 0.25}, {1, -1}, {-inf, inf}, {inf, -inf},
		{nan, 1}, {0, nan}, {asmtest.Next[T](1, -1), asmtest.Next[T](1, 1)},
	}
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range asmtest.Lengths() {
			for _, b := range bounds {
				seed++
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
					a.InOut(1, class)[0] = T(CountOutside(lv, a.In(n, class), b[0], b[1]))
				})
				if t.Failed() {
					t.Fatalf("class %v, n = %d, [%v, %v]", class, n, b[0], b[1])
				}
			}
		}
	}
}

// TestNarrowLevels and TestWidenLevels convert values of every class, and those
// around the least normal float32 and the largest one, where a result becomes 0 or
// infinite.
func TestNarrowLevels(t *testing.T) {
	edges := []float64{math.MaxFloat32, 0x1.ffffffp127, 0x1p-126, 0x1p-149, 1 + 0x1p-24, 1 + 3*0x1p-24}
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range asmtest.Lengths() {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[float64], lv asm.Level) {
				x := a.InOut(n, class)
				for i := range x {
					if e := a.Rand.IntN(3 * len(edges)); e < len(edges) {
						x[i] = asmtest.Next(edges[e], a.Rand.IntN(5)-2)
						if a.Rand.IntN(2) == 0 {
							x[i] = -x[i]
						}
					}
				}
				Narrow(lv, a.Narrow().Out(n), x)
			})
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

func TestWidenLevels(t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range asmtest.Lengths() {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[float64], lv asm.Level) {
				Widen(lv, a.Out(n), a.Narrow().In(n, class))
			})
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

// TestPieces holds the calls that the work is cut into against one call of the
// definition.
func TestPieces(t *testing.T) {
	t.Run("f64", pieces[float64])
	t.Run("f32", pieces[float32])
}

func pieces[T num.Float](t *testing.T) {
	for _, lv := range asm.Available() {
		n := 2*asm.Budget + 5
		x, y := random[T](n), random[T](n)
		got, want := make([]T, n), make([]T, n)
		divideRef(want, x, y)
		Divide(lv, got, x, y)
		for i := range got {
			if !asmtest.SameBits(got[i], want[i]) {
				t.Fatalf("%v: [%d] = %v, in one call %v", lv, i, got[i], want[i])
			}
		}
		if c, w := CountOutside(lv, x, 0.25, 0.75), countOutsideRef(x, 0.25, 0.75); c != w {
			t.Errorf("%v: %d outside, in one call %d", lv, c, w)
		}
	}
}

func TestPiecesMixed(t *testing.T) {
	for _, lv := range asm.Available() {
		n := 2*asm.Budget + 5
		x, narrow, wantNarrow := random[float64](n), make([]float32, n), make([]float32, n)
		narrowRef(wantNarrow, x)
		Narrow(lv, narrow, x)
		asmtest.SameSlices(t, lv.String(), narrow, wantNarrow)
		wide, wantWide := make([]float64, n), make([]float64, n)
		widenRef(wantWide, narrow)
		Widen(lv, wide, narrow)
		asmtest.SameSlices(t, lv.String(), wide, wantWide)
	}
}
