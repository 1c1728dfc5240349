package query

import (
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestManyLevels compares every instruction-set level with the Go reference implementation, for all sizes, classes of
// values and element types. It uses dst matrices with and without stride padding.
func TestManyLevels(t *testing.T) {
	seed := uint64(100)
	for _, class := range asmtest.Classes() {
		for _, n := range sizes.n {
			for _, d := range sizes.d {
				if d > 64 && n > 16 {
					continue
				}
				seed++
				m, ldd := Queries*int(seed%3), n+int(seed/3%2)*5
				for _, f := range []func(a *asmtest.Arena[float32], dst, q []float32){
					func(a *asmtest.Arena[float32], dst, q []float32) {
						x := a.In(n*d, class)
						SqEuclideanMany(m, n, d, dst, ldd, q, x)
					},
					func(a *asmtest.Arena[float32], dst, q []float32) {
						x := a.In(n*d, class)
						DotMany(m, n, d, dst, ldd, q, x)
					},
					func(a *asmtest.Arena[float32], dst, q []float32) {
						x, at := halves(a, n*d)
						SqEuclideanHalfMany(m, n, d, dst, ldd, q, x[at:], Half(seed/6%2))
					},
					func(a *asmtest.Arena[float32], dst, q []float32) {
						x, at := halves(a, n*d)
						DotHalfMany(m, n, d, dst, ldd, q, x[at:], Half(seed/6%2))
					},
					func(a *asmtest.Arena[float32], dst, q []float32) {
						x := bytes(a, n*d)
						SqEuclideanInt8Many(m, n, d, dst, ldd, q, x, a.In(n, class))
					},
					func(a *asmtest.Arena[float32], dst, q []float32) {
						x := bytes(a, n*d)
						DotInt8Many(m, n, d, dst, ldd, q, x, a.In(n, class))
					},
				} {
					asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
						f(a, a.InOut(max(m-1, 0)*ldd+min(m, 1)*n, asmtest.Gauss), a.In(m*d, class))
					})
				}
				if t.Failed() {
					t.Fatalf("class %v, m = %d, n = %d, d = %d, ldd = %d", class, m, n, d, ldd)
				}
			}
		}
	}
}

// bytes returns k bytes in the memory of an arena.
func bytes(a *asmtest.Arena[float32], k int) []int8 {
	in := a.InOut(k/4, asmtest.Gauss)
	if len(in) == 0 {
		return nil
	}
	x := unsafe.Slice((*int8)(unsafe.Pointer(&in[0])), 4*len(in))
	for i := range x {
		x[i] = int8(a.Rand.Uint32())
	}
	return x
}

// TestMany checks that the Many functions give the same results as separate calls for every vector.
func TestMany(t *testing.T) {
	const m, n, d = 2 * Queries, 5 * Rows, 1024 // forEachTile splits the rows into five tiles
	q, x := asmtest.Random[float32](m*d), asmtest.Random[float32](n*d)
	halves, codes, scale := make([]uint16, n*d), make([]int8, n*d), make([]float32, n)
	for i := range n {
		scale[i] = 1.0 / 128
		for k := range d {
			codes[i*d+k] = int8(100 * x[i*d+k])
			halves[i*d+k], _ = Float16.Narrow(x[i*d+k])
		}
	}
	got, want := make([]float32, m*n), make([]float32, m*n)
	for lv := range asmtest.Each(t) {
		for name, f := range map[string]struct {
			many func()
			one  func(dst, q []float32)
		}{
			"SqEuclidean":     {func() { SqEuclideanMany(m, n, d, got, n, q, x) }, func(dst, q []float32) { SqEuclidean(dst, q, x) }},
			"Dot":             {func() { DotMany(m, n, d, got, n, q, x) }, func(dst, q []float32) { Dot(dst, q, x) }},
			"SqEuclideanHalf": {func() { SqEuclideanHalfMany(m, n, d, got, n, q, halves, Float16) }, func(dst, q []float32) { SqEuclideanHalf(dst, q, halves, Float16) }},
			"DotHalf":         {func() { DotHalfMany(m, n, d, got, n, q, halves, Float16) }, func(dst, q []float32) { DotHalf(dst, q, halves, Float16) }},
			"SqEuclideanInt8": {func() { SqEuclideanInt8Many(m, n, d, got, n, q, codes, scale) }, func(dst, q []float32) { SqEuclideanInt8(dst, q, codes, scale) }},
			"DotInt8":         {func() { DotInt8Many(m, n, d, got, n, q, codes, scale) }, func(dst, q []float32) { DotInt8(dst, q, codes, scale) }},
		} {
			f.many()
			for j := range m {
				f.one(want[j*n:][:n], q[j*d:][:d])
			}
			asmtest.SameSlices(t, lv.String()+" "+name, got, want)
		}
	}
}

func TestManyPanics(t *testing.T) {
	q, x, h, b := make([]float32, 48), make([]float32, 128), make([]uint16, 128), make([]int8, 128)
	dst := make([]float32, 24)
	for i, f := range []func(){
		func() { SqEuclideanMany(2, 8, 16, dst, 8, q, x) },
		func() { SqEuclideanMany(3, 7, 16, dst, 8, q, x) },
		func() { SqEuclideanMany(3, 8, 15, dst, 8, q, x) },
		func() { DotMany(3, 8, 16, dst, 7, q, x) },
		func() { DotMany(3, 8, 16, dst[1:], 8, q, x) },
		func() { SqEuclideanHalfMany(3, 8, 16, dst, 8, q[1:], h, Float16) },
		func() { DotHalfMany(3, 8, 16, dst, 8, q, h[1:], Float16) },
		func() { SqEuclideanInt8Many(3, 8, 16, dst, 8, q, b, x[:7]) },
		func() { DotInt8Many(3, 8, 16, dst, 8, q, b[1:], x[:8]) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("call %d: no panic", i)
				}
			}()
			f()
		}()
	}
}
