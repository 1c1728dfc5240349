package block

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
)

// operands contains the operands of Rows, Columns and Iterate.
type operands[K, T num.Float] struct {
	m, n, ldk  int
	k          []K
	v, a, u, q [Size][]T
	scratch    []T
}

// A kernel contains a pass over a block of vectors (run) and the Go reference implementation for
// vector s of the block (ref).
type kernel[K, T num.Float] struct {
	name string
	run  func(o *operands[K, T])
	ref  func(o *operands[K, T], s int)
}

func kernels[K, T num.Float]() []kernel[K, T] {
	return []kernel[K, T]{
		{"Rows", func(o *operands[K, T]) {
			Rows(o.m, o.n, &o.u, o.k, o.ldk, &o.v, o.scratch)
		}, func(o *operands[K, T], s int) { pass.Rows(o.m, o.n, o.u[s], o.k, o.ldk, o.v[s]) }},
		{"Columns", func(o *operands[K, T]) { Columns(o.m, o.n, &o.q, o.k, o.ldk, &o.a) },
			func(o *operands[K, T], s int) { pass.Columns(o.m, o.n, o.q[s], o.k, o.ldk, o.a[s]) }},
		{"Iterate", func(o *operands[K, T]) {
			Iterate(o.m, o.n, o.k, o.ldk, &o.v, &o.a, &o.u, &o.q, o.scratch)
		}, func(o *operands[K, T], s int) {
			pass.Iterate(o.m, o.n, o.k, o.ldk, o.v[s], o.a[s], o.u[s], o.q[s])
		}},
	}
}

// forEachKernel runs a subtest for every kernel and every combination of types: f64, f32 and mixed.
func forEachKernel(t *testing.T, f64 func(*testing.T, kernel[float64, float64]), f32 func(*testing.T, kernel[float32, float32]), mixed func(*testing.T, kernel[float32, float64])) {
	for i, k := range kernels[float64, float64]() {
		t.Run(k.name+"/f64", func(t *testing.T) { f64(t, k) })
		t.Run(k.name+"/f32", func(t *testing.T) { f32(t, kernels[float32, float32]()[i]) })
		t.Run(k.name+"/mixed", func(t *testing.T) { mixed(t, kernels[float32, float64]()[i]) })
	}
}

// arenaOperands returns operands of class c from the arena.
func arenaOperands[K, T num.Float](a *asmtest.Arena[T], m, n int, c asmtest.Class) *operands[K, T] {
	ldk := n + a.Rand.IntN(2)*a.Rand.IntN(10)
	o := &operands[K, T]{m: m, n: n, ldk: ldk, k: asmtest.InOf[K](a, asmtest.Cells(m, n, ldk), c), scratch: a.InOut(Scratch[T](), c)}
	clear(o.scratch)
	for s := range Size {
		o.v[s], o.a[s], o.u[s], o.q[s] = a.In(n, c), a.In(m, c), a.Out(m), a.InOut(n, c)
	}
	return o
}

// TestLevels covers rows of up to five tiles, and strips whose last group of four rows is
// incomplete.
func TestLevels(t *testing.T) {
	forEachKernel(t, checkKernel[float64, float64], checkKernel[float32, float32], checkKernel[float32, float64])
}

func checkKernel[K, T num.Float](t *testing.T, k kernel[K, T]) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, steps := range []int{1, 2, 3, 5, 8, 31, 32, 33, 64, 150} {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
				m := a.Rand.IntN(12)
				if steps < 10 {
					m = a.Rand.IntN(3 * stripRows)
				}
				k.run(arenaOperands[K](a, m, steps*num.Lanes[T](), class))
			})
			if t.Failed() {
				t.Fatalf("class %v, %d steps", class, steps)
			}
		}
	}
}

// TestEachVector compares passes over large blocks with one call of package pass for each vector.
func TestEachVector(t *testing.T) {
	forEachKernel(t, eachVector[float64, float64], eachVector[float32, float32], eachVector[float32, float64])
}

func eachVector[K, T num.Float](t *testing.T, k kernel[K, T]) {
	for _, shape := range [][2]int{{701, 64}, {43, 1024}, {5, 16000}} {
		want := randomOperands[K, T](shape[0], shape[1])
		asmtest.At(t, asm.Ref, func() {
			for s := range Size {
				k.ref(want, s)
			}
		})
		for lv := range asmtest.Each(t) {
			got := randomOperands[K, T](shape[0], shape[1])
			k.run(got)
			for s := range Size {
				asmtest.SameSlices(t, fmt.Sprintf("%v: u[%d]", lv, s), got.u[s], want.u[s])
				asmtest.SameSlices(t, fmt.Sprintf("%v: q[%d]", lv, s), got.q[s], want.q[s])
			}
			asmtest.SameSlices(t, lv.String()+": scratch", got.scratch, want.scratch)
			if a := asmtest.Allocations(func() { k.run(got) }); a != 0 {
				t.Errorf("%v: %v allocations", lv, a)
			}
		}
	}
}

// randomOperands returns operands with uniform values in (0, 1]. Every call returns the same values.
func randomOperands[K, T num.Float](m, n int) *operands[K, T] {
	rng := asmtest.NewRand(1)
	o := &operands[K, T]{m: m, n: n, ldk: n, k: asmtest.Random[K](m * n), scratch: make([]T, Scratch[T]())}
	for s := range Size {
		o.v[s], o.a[s] = asmtest.Values[T](rng, n, asmtest.Unit), asmtest.Values[T](rng, m, asmtest.Unit)
		o.q[s], o.u[s] = asmtest.Values[T](rng, n, asmtest.Unit), make([]T, m)
	}
	return o
}

// TestShapes checks that invalid shapes panic.
func TestShapes(t *testing.T) {
	for name, change := range map[string]func(o *operands[float64, float64]){
		"half a step":     func(o *operands[float64, float64]) { o.n -= 4 },
		"negative":        func(o *operands[float64, float64]) { o.m = -1 },
		"stride":          func(o *operands[float64, float64]) { o.ldk = 8 },
		"matrix":          func(o *operands[float64, float64]) { o.k = o.k[1:] },
		"vector":          func(o *operands[float64, float64]) { o.v[3] = o.v[3][1:] },
		"row vector":      func(o *operands[float64, float64]) { o.u[1] = o.u[1][1:]; o.a[1] = o.a[1][1:] },
		"sums":            func(o *operands[float64, float64]) { o.q[2], o.v[0] = o.q[2][1:], nil },
		"without columns": func(o *operands[float64, float64]) { o.n = 0 },
		"scratch":         func(o *operands[float64, float64]) { o.scratch = o.scratch[1:] },
	} {
		for _, k := range kernels[float64, float64]() {
			if k.name == "Columns" && (name == "vector" || name == "scratch") {
				continue
			}
			o := randomOperands[float64, float64](9, 16)
			change(o)
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s is taken", k.name, name)
					}
				}()
				k.run(o)
			}()
		}
	}
}

// BenchmarkBlock measures each pass over a block. The metric ns/elem is the time for one vector, as
// in BenchmarkPass.
func BenchmarkBlock(b *testing.B) {
	benchmark(b, "f64", kernels[float64, float64]())
	benchmark(b, "f32", kernels[float32, float32]())
	benchmark(b, "mixed", kernels[float32, float64]())
}

func benchmark[K, T num.Float](b *testing.B, types string, ks []kernel[K, T]) {
	for _, k := range ks {
		for lv := range asmtest.Each(b) {
			for _, n := range []int{64, 256, 1008, 4000} {
				b.Run(fmt.Sprintf("kernel=%s/type=%s/isa=%v/n=%d", k.name, types, lv, n), func(b *testing.B) {
					o := randomOperands[K, T](n, n)
					b.SetBytes(int64(n*n) * int64(unsafe.Sizeof(o.k[0])))
					for b.Loop() {
						for s := range Size {
							clear(o.q[s])
						}
						k.run(o)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(Size*n*n), "ns/elem")
				})
			}
		}
	}
}
