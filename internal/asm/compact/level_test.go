package compact

import (
	"math"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/testdata"
)

// extremes contains 0, ±1 and the bytes at the ends of the range of int8.
var extremes = []byte{0, 1, 127, 128, 129, 255}

// bytesIn returns n bytes of the arena. For a kind below len(extremes), all bytes are
// extremes[kind]. If kind is len(extremes), the bytes are random elements of extremes. For larger
// kinds, the bytes are random. The bytes are at the beginning or at the end of an arena slice,
// which an unreadable page may follow.
func bytesIn(a *asmtest.Arena[float64], n, kind int) []byte {
	words := a.InOut((n+7)/8, asmtest.Unit)
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
	if a.Rand.IntN(2) == 0 { // use the last n bytes of the arena slice
		b = b[len(b)-n:]
	}
	for i := range b {
		switch {
		case kind < len(extremes):
			b[i] = extremes[kind]
		case kind == len(extremes):
			b[i] = extremes[a.Rand.IntN(len(extremes))]
		default:
			b[i] = byte(a.Rand.Uint32())
		}
	}
	return b[:n]
}

func signedBytes(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

// wordsOf returns the whole 64-bit words of b.
func wordsOf(b []byte) []uint64 {
	if len(b) < 8 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// TestLevels compares every instruction-set level and its extensions with the reference
// implementation. It tests lengths up to two iterations of each loop. It also tests the longest
// pieces of one assembly call, with bytes that give the largest sums.
func TestLevels(t *testing.T) {
	compare := func(n, kind, other int) {
		asmtest.Compare(t, uint64(100*n+10*kind+other), func(a *asmtest.Arena[float64]) {
			x, y := bytesIn(a, n, kind), bytesIn(a, n, other)
			results := a.Out(4)
			results[0] = float64(DotInt8(signedBytes(x), signedBytes(y)))
			results[1] = float64(SqEuclideanInt8(signedBytes(x), signedBytes(y)))
			results[2] = float64(Hamming(x, y))
			results[3] = float64(HammingWords(wordsOf(x), wordsOf(y)))
		})
		if t.Failed() {
			t.Fatalf("n = %d, kinds %d and %d", n, kind, other)
		}
	}
	asmtest.EachExtensions(t, func() {
		for n := range 2*512 + 1 {
			if n > 2*step && n%step > 1 && !testdata.IsLong() {
				continue
			}
			compare(n, 7, 7)
			compare(n, 6, 6)
		}
		for _, n := range []int{1 << 15, 1 << 16, 1<<16 + 16, 1<<17 + 3} {
			for kind := range extremes {
				compare(n, kind, 2)
				compare(n, kind, 3)
			}
		}
	})
}

// TestWiden compares every instruction-set level with the reference implementation, for all 16-bit
// numbers and for all lengths up to three iterations of the loop.
func TestWiden(t *testing.T) {
	for n := range 4 * step {
		asmtest.Compare(t, uint64(n), func(a *asmtest.Arena[float32]) {
			words := a.InOut((n+1)/2, asmtest.Unit)
			src := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))
			for i := range src {
				src[i] = uint16(a.Rand.Uint32())
			}
			WidenFloat16(a.Out(n), src[len(src)-n:])
			WidenBFloat16(a.Out(n), src[len(src)-n:])
		})
	}
	all := make([]uint16, 1<<16)
	for i := range all {
		all[i] = uint16(i)
	}
	asmtest.Compare(t, 1, func(a *asmtest.Arena[float32]) {
		WidenFloat16(a.Out(len(all)), all)
		WidenBFloat16(a.Out(len(all)), all)
	})
}

// TestNarrow compares every instruction-set level with the reference implementation. It tests
// random bits and special values for all lengths up to three iterations of the loop. It also tests
// the numbers of both formats, the midpoints of neighboring numbers, and the neighbors of the
// midpoints.
func TestNarrow(t *testing.T) {
	for n := range 4 * step {
		for _, class := range asmtest.Classes() {
			asmtest.Compare(t, uint64(n), func(a *asmtest.Arena[float32]) { narrow(a, a.In(n, class)) })
		}
	}
	const middles = 1 << 12 // float32 ULPs between a binary16 number and the midpoint to the next binary16 number
	x := make([]float32, 0, 3<<14)
	for b := uint64(0); b < 1<<32; b += middles {
		if x = append(x, math.Float32frombits(uint32(b-1)), math.Float32frombits(uint32(b)), math.Float32frombits(uint32(b+1))); len(x) == cap(x) {
			asmtest.Compare(t, 1, func(a *asmtest.Arena[float32]) { narrow(a, x) })
			x = x[:0]
		}
	}
}

// narrow converts x to float16, to bfloat16 and to sign bits. The results are in memory of the arena.
func narrow(a *asmtest.Arena[float32], x []float32) {
	halves, bhalves, signs := outOf[uint16](a, len(x)), outOf[uint16](a, len(x)), outOf[byte](a, (len(x)+7)/8)
	NarrowFloat16(halves, x)
	NarrowBFloat16(bhalves, x)
	SignBits(signs, x)
	numbers := a.Out(2*len(x) + len(signs)) // integer results converted to float32; the raw bits could be NaNs, which the arena treats as equal
	for i := range x {
		numbers[2*i], numbers[2*i+1] = float32(halves[i]), float32(bhalves[i])
	}
	for i, b := range signs {
		numbers[2*len(x)+i] = float32(b)
	}
}

// outOf returns n elements at the end of an arena slice, which an unreadable page may follow.
func outOf[T byte | uint16 | int8](a *asmtest.Arena[float32], n int) []T {
	size := int(unsafe.Sizeof(T(0)))
	words := a.Out((n*size + 3) / 4)
	all := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), 4/size*len(words))
	clear(all)
	return all[len(all)-n:]
}

// TestRound compares every instruction-set level with the reference implementation, for products at
// the midpoint of two integers and next to the midpoint.
func TestRound(t *testing.T) {
	for n := range 4 * step {
		for _, inverse := range []float64{1, 1.0 / 3, 127, 0x1p-100} {
			asmtest.Compare(t, uint64(n), func(a *asmtest.Arena[float32]) {
				x := a.InOut(n, asmtest.Unit)
				for i := range x {
					x[i] = asmtest.Next(float32((float64(a.Rand.IntN(254)-127)+0.5)/inverse), a.Rand.IntN(3)-1)
				}
				codes, numbers := outOf[int8](a, n), a.Out(n)
				RoundInt8(codes, x, inverse)
				for i, c := range codes {
					numbers[i] = float32(c)
				}
			})
		}
	}
}

// TestPanics checks that slices of different lengths cause a panic.
func TestPanics(t *testing.T) {
	for i, f := range []func(){
		func() { DotInt8(make([]int8, 17), make([]int8, 16)) },
		func() { SqEuclideanInt8(make([]int8, 17), make([]int8, 16)) },
		func() { Hamming(make([]byte, 17), make([]byte, 16)) },
		func() { HammingWords(make([]uint64, 17), make([]uint64, 16)) },
		func() { WidenFloat16(make([]float32, 17), make([]uint16, 16)) },
		func() { WidenBFloat16(make([]float32, 17), make([]uint16, 16)) },
		func() { NarrowFloat16(make([]uint16, 17), make([]float32, 16)) },
		func() { NarrowBFloat16(make([]uint16, 17), make([]float32, 16)) },
		func() { QuantizeInt8(make([]int8, 17), make([]float32, 16)) },
		func() { RoundInt8(make([]int8, 17), make([]float32, 16), 1) },
		func() { SignBits(make([]byte, 2), make([]float32, 17)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("case %d: no panic", i)
				}
			}()
			f()
		}()
	}
}
