package exp2

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func TestScaleLevels(t *testing.T) {
	t.Run("f64", scaleLevels[float64])
	t.Run("f32", scaleLevels[float32])
}

func scaleLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range asmtest.Lengths() {
			for extra := range 2 {
				seed++
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
					Scale(lv, a.Out(n+3*extra), a.In(n, class), factor[T](extra))
				})
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
					x := a.InOut(n, class)
					Scale(lv, x, x, factor[T](extra))
				})
				if t.Failed() {
					t.Fatalf("class %v, n = %d", class, n)
				}
			}
		}
	}
}

// factor is 1, or such that the ordinary values reach both limits.
func factor[T num.Float](i int) T { return [...]T{1, -41.7}[i] }

// edges returns the values at which something changes, each with its neighbors.
func edges[T num.Float]() []T {
	xs := []T{1, above32, least32, 127, -127}
	if num.IsFloat64[T]() {
		for _, y := range []float64{above64, least64, 1023, -1023, 1024, -1074, -1075} {
			xs = append(xs, T(y))
		}
	}
	out := asmtest.Specials[T]()
	for _, x := range xs {
		for d := -1; d <= 1; d++ {
			out = append(out, asmtest.Next(x, d), asmtest.Next(-x, d))
		}
	}
	return append(out, quietNaNs[T]()...)
}

// quietNaNs have payloads that make the integer side of the formula large,
// small, positive and negative.
func quietNaNs[T num.Float]() []T {
	var out []T
	for _, b := range []uint64{0, 1, 1 << 31, 0xc0000000, 0xffffffff, 0x7_ffff_ffff_ffff, 1 << 48} {
		for _, sign := range []uint64{0, 1} {
			if num.IsFloat64[T]() {
				out = append(out, T(math.Float64frombits(sign<<63|0x7ff8<<48|b)))
			} else {
				out = append(out, T(math.Float32frombits(uint32(sign)<<31|0x7fc00000|uint32(b)>>10)))
			}
		}
	}
	return out
}

// TestEdgeLanes puts every edge at every place of a block of ordinary values, and
// of the short block after it.
func TestEdgeLanes(t *testing.T) {
	t.Run("f64", edgeLanes[float64])
	t.Run("f32", edgeLanes[float32])
}

func edgeLanes[T num.Float](t *testing.T) {
	const n = 64 + 31
	const c = 1
	x, got := make([]T, n), make([]T, n)
	for _, lv := range asmtest.Levels(t) {
		for _, e := range edges[T]() {
			for at := range n {
				for i := range x {
					x[i] = T(i)/8 - 5
				}
				x[at] = e
				Scale(lv, got, x, c)
				for i := range x {
					if want := Ref(T(c * x[i])); !asmtest.SameBits(got[i], want) {
						t.Fatalf("%v: %v (%#x) at %d: 2^%v = %v, want %v", lv, e, asmtest.Bits(e), at, x[i], got[i], want)
					}
				}
			}
		}
	}
}

// TestManyValues compares whole regions: one call per region and level.
func TestManyValues(t *testing.T) {
	t.Run("f64", manyValues[float64])
	t.Run("f32", manyValues[float32])
}

func manyValues[T num.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const c = -1.44269504088896
	n := 20_000
	x, got := make([]T, n), make([]T, n)
	for _, lv := range asmtest.Levels(t) {
		for _, r := range [][2]float64{{-20, 20}, {-709, 710}, {706, 712}, {-89, 89}, {86, 89}, {-1, 1}} {
			for i := range x {
				x[i] = T(r[0] + (r[1]-r[0])*rng.Float64())
			}
			Scale(lv, got, x, c)
			for i := range x {
				if want := Ref(T(c * x[i])); !asmtest.SameBits(got[i], want) {
					t.Fatalf("%v: 2^(c·%v) = %v, want %v", lv, x[i], got[i], want)
				}
			}
		}
	}
}

func TestShortOutput(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Scale(asm.Ref, make([]float64, 3), make([]float64, 4), 1)
}

func TestNoAllocation(t *testing.T) {
	for _, lv := range asm.Available() {
		if n := testing.AllocsPerRun(100, func() {
			var x [20]float64
			Scale(lv, x[:], x[:], 1)
			var y [20]float32
			Scale(lv, y[:], y[:], 1)
		}); n != 0 {
			t.Errorf("%v: %v allocations", lv, n)
		}
	}
}

// BenchmarkScale takes arguments of ordinary size; results=zero ones whose results
// all vanish.
func BenchmarkScale(b *testing.B) {
	benchmark[float64](b, "f64")
	benchmark[float32](b, "f32")
}

func benchmark[T num.Float](b *testing.B, name string) {
	run := func(b *testing.B, lv asm.Level, n int, lo, hi float64) {
		rng := rand.New(rand.NewPCG(6, 6))
		x, dst := make([]T, n), make([]T, n)
		for i := range x {
			x[i] = T(lo + (hi-lo)*rng.Float64())
		}
		b.SetBytes(2 * int64(n) * int64(unsafe.Sizeof(x[0])))
		for b.Loop() {
			Scale(lv, dst, x, -1.44)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
	}
	for _, lv := range asm.Available() {
		for _, n := range []int{10, 100, 1024, 1031, 32768, 4 << 20} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d", name, lv, n), func(b *testing.B) { run(b, lv, n, 0, 20) })
		}
		b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d/results=zero", name, lv, 1024), func(b *testing.B) { run(b, lv, 1024, 800, 900) })
	}
}
