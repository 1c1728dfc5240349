package exp

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

func TestExpLevels(t *testing.T) {
	t.Run("f64", expLevels[float64])
	t.Run("f32", expLevels[float32])
}

func expLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range asmtest.Lengths() {
			for extra := range 2 {
				seed++
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
					Exp(lv, a.Out(n+3*extra), a.In(n, class))
				})
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
					x := a.InOut(n, class)
					Exp(lv, x, x)
				})
				if t.Failed() {
					t.Fatalf("class %v, n = %d", class, n)
				}
			}
		}
	}
}

// edges returns the values at which something changes, each with its neighbors.
func edges[T num.Float]() []T {
	xs := []T{limit32, 1}
	if num.IsFloat64[T]() {
		xs = append(xs, limit64)
		for _, x := range thresholds64 {
			xs = append(xs, T(x))
		}
	} else {
		for _, x := range thresholds32 {
			xs = append(xs, T(x))
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
	x, got := make([]T, n), make([]T, n)
	for _, lv := range asmtest.Levels(t) {
		for _, e := range edges[T]() {
			for at := range n {
				for i := range x {
					x[i] = T(i)/8 - 5
				}
				x[at] = e
				Exp(lv, got, x)
				for i := range x {
					if want := Ref(x[i]); !asmtest.SameBits(got[i], want) {
						t.Fatalf("%v: %v (%#x) at %d: exp(%v) = %v, want %v", lv, e, asmtest.Bits(e), at, x[i], got[i], want)
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
	n := 20_000
	x, got := make([]T, n), make([]T, n)
	for _, lv := range asmtest.Levels(t) {
		for _, r := range [][2]float64{{-20, 20}, {-709, 710}, {-746, -707}, {-89, 89}, {-104, -86}, {-1, 1}} {
			for i := range x {
				x[i] = T(r[0] + (r[1]-r[0])*rng.Float64())
			}
			Exp(lv, got, x)
			for i := range x {
				if want := Ref(x[i]); !asmtest.SameBits(got[i], want) {
					t.Fatalf("%v: exp(%v) = %v, want %v", lv, x[i], got[i], want)
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
	Exp(asm.Ref, make([]float64, 3), make([]float64, 4))
}

func TestNoAllocation(t *testing.T) {
	for _, lv := range asm.Available() {
		if n := testing.AllocsPerRun(100, func() {
			var x [20]float64
			Exp(lv, x[:], x[:])
			var y [20]float32
			Exp(lv, y[:], y[:])
		}); n != 0 {
			t.Errorf("%v: %v allocations", lv, n)
		}
	}
}

// BenchmarkExp takes arguments of ordinary size; results=sub ones whose results
// are all subnormal.
func BenchmarkExp(b *testing.B) {
	benchmark[float64](b, "f64", -745)
	benchmark[float32](b, "f32", -103)
}

func benchmark[T num.Float](b *testing.B, name string, sub float64) {
	run := func(b *testing.B, lv asm.Level, n int, lo, hi float64) {
		rng := rand.New(rand.NewPCG(6, 6))
		x, dst := make([]T, n), make([]T, n)
		for i := range x {
			x[i] = T(lo + (hi-lo)*rng.Float64())
		}
		b.SetBytes(2 * int64(n) * int64(unsafe.Sizeof(x[0])))
		for b.Loop() {
			Exp(lv, dst, x)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
	}
	for _, lv := range asm.Available() {
		for _, n := range []int{10, 100, 1024, 1031, 32768, 4 << 20} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d", name, lv, n), func(b *testing.B) { run(b, lv, n, -20, 20) })
		}
		b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d/results=sub", name, lv, 1024), func(b *testing.B) { run(b, lv, 1024, sub, sub+16) })
	}
	if num.IsFloat64[T]() {
		b.Run("type=f64/isa=math/n=1024", func(b *testing.B) {
			x, dst := make([]float64, 1024), make([]float64, 1024)
			for i := range x {
				x[i] = float64(i)/26 - 20
			}
			b.SetBytes(2 * 8 * 1024)
			for b.Loop() {
				for i, v := range x {
					dst[i] = math.Exp(v)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/elem")
		})
	}
}
