package vecmath_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/vecmath"
)

// TestIntegerSums compares DotInt8, SqEuclideanInt8 and Hamming with simple loops.
func TestIntegerSums(t *testing.T) {
	rng := asmtest.NewRand(1)
	for n := range 70 {
		a, b, p, q, v, w := make([]int8, n), make([]int8, n), make([]byte, n), make([]byte, n), make([]uint64, n), make([]uint64, n)
		var dot, sq int64
		bytes, words := 0, 0
		for i := range n {
			a[i], b[i] = int8(rng.Uint32()), int8(rng.Uint32())
			if rng.IntN(4) == 0 {
				a[i], b[i] = -128, 127
			}
			p[i], q[i], v[i], w[i] = byte(a[i]), byte(b[i]), rng.Uint64(), rng.Uint64()
			dot += int64(a[i]) * int64(b[i])
			sq += (int64(a[i]) - int64(b[i])) * (int64(a[i]) - int64(b[i]))
			for k := range 64 {
				if k < 8 && p[i]>>k&1 != q[i]>>k&1 {
					bytes++
				}
				if v[i]>>k&1 != w[i]>>k&1 {
					words++
				}
			}
		}
		if d, s := vecmath.DotInt8(a, b), vecmath.SqEuclideanInt8(a, b); d != dot || s != sq {
			t.Errorf("n = %d: %d, %d, want %d, %d", n, d, s, dot, sq)
		}
		if x, y := vecmath.Hamming(p, q), vecmath.Hamming(v, w); x != bytes || y != words {
			t.Errorf("n = %d: %d and %d bits differ, want %d and %d", n, x, y, bytes, words)
		}
	}
}

// TestQuantizeInt8 checks that quantization errors are at most half of the scale, and that non-finite values are
// reported.
func TestQuantizeInt8(t *testing.T) {
	rng := asmtest.NewRand(1)
	for n := range 50 {
		x, c := asmtest.Values[float32](rng, n, asmtest.Gauss), make([]int8, n)
		top := float32(0)
		for _, v := range x {
			top = max(top, v, -v)
		}
		scale := vecmath.QuantizeInt8(c, x)
		if n > 0 && !(scale >= top/127 && scale <= top/127*(1+0x1p-16)) || bits.TrailingZeros32(math.Float32bits(scale)) < 7 {
			t.Errorf("n = %d: scale %v of numbers up to %v", n, scale, top)
		}
		for i, v := range x {
			if d := math.Abs(float64(scale)*float64(c[i]) - float64(v)); d > float64(scale)/2 {
				t.Errorf("n = %d: %v became %v·%v", n, v, scale, c[i])
			}
		}
	}
	c := []int8{5, 5}
	if scale := vecmath.QuantizeInt8(c, []float32{1, float32(math.Inf(1))}); scale == scale || c[0] != 0 {
		t.Error(scale, c)
	}
}

// TestSignBits tests a negative number at every position, and checks that unused bits are zero.
func TestSignBits(t *testing.T) {
	for n := range 20 {
		for at := range n {
			x, dst := make([]float32, n), make([]byte, (n+7)/8)
			for i := range dst {
				dst[i] = 255
			}
			x[at], x[(at+1)%n] = -1, float32(math.Copysign(0, -1))
			if n == 1 {
				x[0] = -1
			}
			vecmath.SignBits(dst, x)
			for i := range 8 * len(dst) {
				if got := dst[i/8]>>(i%8)&1 == 1; got != (i == at) {
					t.Fatalf("n = %d, a negative number at %d: bits %08b", n, at, dst)
				}
			}
		}
	}
}

// TestHalfConversions checks that all 65536 numbers survive a round trip, and that other numbers are rounded to nearest, ties
// to even.
func TestHalfConversions(t *testing.T) {
	for name, f := range map[string]struct {
		to       func([]uint16, []float32)
		from     func([]float32, []uint16)
		inf, nan uint16
	}{"float16": {vecmath.ToFloat16, vecmath.FromFloat16, 0x7c00, 0x7e00}, "bfloat16": {vecmath.ToBFloat16, vecmath.FromBFloat16, 0x7f80, 0x7fc0}} {
		h, x, back := make([]uint16, 1<<16), make([]float32, 1<<16), make([]uint16, 1<<16)
		for i := range h {
			h[i] = uint16(i)
		}
		f.from(x, h)
		f.to(back, x)
		for i, v := range x {
			want := h[i]
			if v != v {
				want = f.nan
			}
			if back[i] != want {
				t.Fatalf("%s: %#x is %v, and comes back as %#x", name, i, v, back[i])
			}
		}
		for i := range f.inf - 1 { // test the midpoint of two 16-bit numbers, and the float32 numbers next to it
			middle := float32((float64(x[i]) + float64(x[i+1])) / 2)
			in := []float32{asmtest.Next(middle, -1), middle, asmtest.Next(middle, 1), -middle}
			out := make([]uint16, 4)
			f.to(out, in)
			even := i + i&1
			if out[0] != i || out[1] != even || out[2] != i+1 || out[3] != even|1<<15 {
				t.Fatalf("%s: %v become %#x, want %#x, %#x, %#x", name, in, out, i, even, i+1)
			}
		}
		out := make([]uint16, 3)
		f.to(out, []float32{math.MaxFloat32, float32(math.Inf(-1)), -math.MaxFloat32})
		if out[0] != f.inf || out[1] != f.inf|1<<15 || out[2] != f.inf|1<<15 {
			t.Errorf("%s: numbers beyond the range become %#x", name, out)
		}
	}
}
