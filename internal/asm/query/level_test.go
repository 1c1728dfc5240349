package query

import (
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

// sizes contains the row counts n and the row lengths d of the tests. Every loop has zero to three iterations in some
// tests, and more iterations in other tests.
var sizes = struct{ n, d []int }{[]int{0, 8, 16, 24, 40}, []int{0, 16, 32, 48, 64, 384, 1024}}

// TestLevels compares every instruction-set level with the Go reference implementation, for all sizes and classes of
// values.
func TestLevels(t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range sizes.n {
			seed++ // seed selects the kind of memory; the increment changes the kind for each d from one n to the next
			for _, d := range sizes.d {
				seed++
				asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
					SqEuclidean(a.Out(n), a.In(d, class), a.In(n*d, class))
				})
				asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
					Dot(a.Out(n), a.In(d, class), a.In(n*d, class))
				})
				asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
					SqEuclideanFar(a.Out(n), a.In(d, class), a.In(n*d, class))
				})
				asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
					DotFar(a.Out(n), a.In(d, class), a.In(n*d, class))
				})
				if t.Failed() {
					t.Fatalf("class %v, n = %d, d = %d", class, n, d)
				}
			}
		}
	}
}

// TestHalfLevels is like TestLevels, for rows of 16-bit numbers. The numbers have random bits, so NaN, infinities and
// subnormal numbers occur.
func TestHalfLevels(t *testing.T) {
	seed := uint64(0)
	for _, format := range []Half{BFloat16, Float16} {
		for _, n := range sizes.n {
			seed++ // seed selects the kind of memory; the increment changes the kind for each d from one n to the next
			for _, d := range sizes.d {
				for _, class := range []asmtest.Class{asmtest.Gauss, asmtest.Special} {
					seed++
					asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
						x, at := halves(a, n*d)
						SqEuclideanHalf(a.Out(n), a.In(d, class), x[at:], format)
						DotHalf(a.Out(n), a.In(d, class), x[at:], format)
					})
				}
				if t.Failed() {
					t.Fatalf("format %d, n = %d, d = %d", format, n, d)
				}
			}
		}
	}
}

// halves returns a slice x of random 16-bit numbers in the memory of an arena. The last k of them are x[start:]. In half of
// the calls, most of the numbers are small.
func halves(a *asmtest.Arena[float32], k int) (x []uint16, start int) {
	in := a.InOut((k+1)/2, asmtest.Gauss)
	if k == 0 {
		return nil, 0
	}
	x = unsafe.Slice((*uint16)(unsafe.Pointer(&in[0])), 2*len(in))
	wild := a.Rand.IntN(2) == 0
	for i := range x {
		x[i] = uint16(a.Rand.Uint32())
		if !wild && i%64 > 0 {
			x[i] = x[i]&^0x4000 | 0x3000
		}
	}
	return x, len(x) - k
}

// TestInt8Levels is like TestLevels, for rows of int8 with a scale.
func TestInt8Levels(t *testing.T) {
	seed := uint64(0)
	for _, n := range sizes.n {
		seed++
		for _, d := range sizes.d {
			for _, class := range asmtest.Classes() {
				seed++
				asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
					var x []int8
					if in := a.InOut(n*d/4, asmtest.Gauss); len(in) > 0 {
						x = unsafe.Slice((*int8)(unsafe.Pointer(&in[0])), 4*len(in))
						for i := range x {
							x[i] = int8(a.Rand.Uint32())
						}
					}
					SqEuclideanInt8(a.Out(n), a.In(d, class), x, a.In(n, class))
					DotInt8(a.Out(n), a.In(d, class), x, a.In(n, class))
				})
				if t.Failed() {
					t.Fatalf("class %v, n = %d, d = %d", class, n, d)
				}
			}
		}
	}
}

// TestEveryHalf checks the conversion of all 65536 numbers of both 16-bit formats, at every instruction-set level.
func TestEveryHalf(t *testing.T) {
	const d = 16
	q, x, got, want := make([]float32, d), make([]uint16, Rows*d), make([]float32, Rows), make([]float32, Rows)
	for _, format := range []Half{BFloat16, Float16} {
		for lv := range asmtest.Each(t) {
			for h := 0; h < 1<<16; h += Rows {
				clear(q)
				clear(x)
				k := h / Rows % d
				q[k] = 1
				for i := range Rows {
					x[i*d+k] = uint16(h + i)
				}
				DotHalf(got, q, x, format)
				dotHalfRef(want, q, x, format)
				for i := range got {
					if v := format.Widen(uint16(h + i)); !asmtest.SameBits(got[i], v+0) || !asmtest.SameBits(got[i], want[i]) {
						t.Fatalf("%v, format %d: %#x is %v, want %v, %v", lv, format, h+i, got[i], v, want[i])
					}
				}
			}
		}
	}
}

// TestLanes checks that every element is added to the right lane of the right row. One element is so large that the
// rounding of the sum depends on the order in which the lanes are folded.
func TestLanes(t *testing.T) {
	const n, d = 8, 32
	x, q, got, want := make([]float32, n*d), make([]float32, d), make([]float32, n), make([]float32, n)
	for lv := range asmtest.Each(t) {
		for i := range n {
			for k := range d {
				clear(x)
				for at := range q {
					q[at] = 1 + float32(at)/7
					x[i*d+at] = float32(at*at)/3 - float32(i)
				}
				x[i*d+k] = 3e7
				sqEuclideanRef(want, q, x)
				if SqEuclidean(got, q, x); got[i] != want[i] {
					t.Fatalf("%v: squared distance of row %d: %v, want %v", lv, i, got[i], want[i])
				}
				dotRef(want, q, x)
				if Dot(got, q, x); got[i] != want[i] {
					t.Fatalf("%v: product of row %d: %v, want %v", lv, i, got[i], want[i])
				}
			}
		}
	}
}

// TestPieces checks that the result of a row does not depend on the other rows, even if the rows take several calls of
// assembly.
func TestPieces(t *testing.T) {
	const n, d = 1400, 192
	x, q := asmtest.Random[float32](n*d), asmtest.Random[float32](d + 5)[5:]
	got, want := make([]float32, n), make([]float32, n)
	for lv := range asmtest.Each(t) {
		for _, f := range []func(dst, q, x []float32){SqEuclidean, Dot} {
			f(got, q, x)
			for i := 0; i < n; i += Rows {
				f(want[i:i+Rows], q, x[i*d:])
			}
			for i := range got {
				if got[i] != want[i] || got[i] == 0 {
					t.Fatalf("%v: row %d: %v, want %v", lv, i, got[i], want[i])
				}
			}
		}
	}
}

func TestPanics(t *testing.T) {
	for _, f := range []func(){
		func() { SqEuclidean(make([]float32, 7), make([]float32, 16), make([]float32, 8*16)) },
		func() { Dot(make([]float32, 8), make([]float32, 15), make([]float32, 8*16)) },
		func() { Dot(make([]float32, 8), make([]float32, 16), make([]float32, 8*16-1)) },
		func() { DotHalf(make([]float32, 8), make([]float32, 16), make([]uint16, 8*16-1), Float16) },
		func() { SqEuclideanHalf(make([]float32, 8), make([]float32, 15), make([]uint16, 8*16), Float16) },
		func() { DotInt8(make([]float32, 8), make([]float32, 16), make([]int8, 8*16), make([]float32, 7)) },
		func() {
			SqEuclideanInt8(make([]float32, 9), make([]float32, 16), make([]int8, 9*16), make([]float32, 9))
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}
