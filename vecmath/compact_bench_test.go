package vecmath_test

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/random"
	"github.com/gomonge/monge/vecmath"
)

var sink int64

// benchmarkLevels measures the plain Go loop once. It measures the function of package vecmath at
// every instruction-set level, with and without optional instructions.
func benchmarkLevels(b *testing.B, name string, n int, plain, ours func() int64) {
	run := func(level string, f func() int64) {
		b.Run(fmt.Sprintf("%s/n=%d/isa=%s", name, n, level), func(b *testing.B) {
			for b.Loop() {
				sink += f()
			}
		})
	}
	run("plain", plain)
	for range asmtest.Each(b) {
		asmtest.EachExtensions(b, func() { run(strings.ReplaceAll(vecmath.InstructionSet(), " ", ""), ours) })
	}
}

// BenchmarkCompact measures the functions of bytes and 64-bit words.
func BenchmarkCompact(b *testing.B) {
	for _, n := range []int{16, 64, 100, 256, 768, 1536, 4096} {
		rng := random.New(1, 1)
		x, y, v, w := make([]int8, n), make([]int8, n), make([]uint64, n), make([]uint64, n)
		p, q := make([]byte, n), make([]byte, n)
		for i := range x {
			v[i], w[i] = rng.Uint64(), rng.Uint64()
			x[i], y[i], p[i], q[i] = int8(v[i]), int8(w[i]), byte(v[i]), byte(w[i])
		}
		for _, f := range []struct {
			name        string
			plain, ours func() int64
		}{
			{"DotInt8", func() int64 { return plainDot(x, y) }, func() int64 { return vecmath.DotInt8(x, y) }},
			{"SqEuclideanInt8", func() int64 { return plainSqEuclidean(x, y) }, func() int64 { return vecmath.SqEuclideanInt8(x, y) }},
			{"HammingBytes", func() int64 { return plainHammingBytes(p, q) }, func() int64 { return int64(vecmath.Hamming(p, q)) }},
			{"HammingWords", func() int64 { return plainHammingWords(v, w) }, func() int64 { return int64(vecmath.Hamming(v, w)) }},
		} {
			benchmarkLevels(b, f.name, n, f.plain, f.ours)
		}
	}
}

// BenchmarkConversions times conversions of float32 to fewer bits.
func BenchmarkConversions(b *testing.B) {
	for _, n := range []int{16, 64, 256, 1024} {
		rng := random.New(1, 1)
		x, codes, signs, halves := make([]float32, n), make([]int8, n), make([]byte, n/8), make([]uint16, n)
		for i := range x {
			x[i] = 2*rng.Float32() - 1
		}
		benchmarkLevels(b, "QuantizeInt8", n, func() int64 { return int64(plainQuantize(codes, x)) }, func() int64 { return int64(vecmath.QuantizeInt8(codes, x)) })
		benchmarkLevels(b, "SignBits", n, func() int64 { return plainSigns(signs, x) }, func() int64 { vecmath.SignBits(signs, x); return 0 })
		benchmarkLevels(b, "ToFloat16", n, func() int64 { return plainFloat16(halves, x) }, func() int64 { vecmath.ToFloat16(halves, x); return 0 })
		benchmarkLevels(b, "ToBFloat16", n, func() int64 { return plainBFloat16(halves, x) }, func() int64 { vecmath.ToBFloat16(halves, x); return 0 })
	}
}

//go:noinline
func plainQuantize(dst []int8, src []float32) float32 {
	top := float32(0)
	for _, v := range src {
		top = max(top, v, -v)
	}
	scale := top / 127
	for i, v := range src {
		dst[i] = int8(math.RoundToEven(float64(v) / float64(scale)))
	}
	return scale
}

//go:noinline
func plainSigns(dst []byte, src []float32) int64 {
	clear(dst)
	for i, v := range src {
		if v < 0 {
			dst[i/8] |= 1 << (i % 8)
		}
	}
	return 0
}

//go:noinline
func plainFloat16(dst []uint16, src []float32) int64 {
	for i, v := range src {
		b := math.Float32bits(v)
		sign, size := uint16(b>>16)&0x8000, b&^(1<<31)
		switch {
		case size > 0x7f800000:
			dst[i] = 0x7e00
		case size >= 0x477ff000:
			dst[i] = sign | 0x7c00
		case size < 0x38800000:
			dst[i] = sign | uint16(math.Float32bits(math.Float32frombits(size)+0.5)-math.Float32bits(0.5))
		default:
			dst[i] = sign | uint16((size-(127-15)<<23+0xfff+size>>13&1)>>13)
		}
	}
	return 0
}

//go:noinline
func plainBFloat16(dst []uint16, src []float32) int64 {
	for i, v := range src {
		b := math.Float32bits(v)
		if b += 0x7fff + b>>16&1; v != v {
			b = 0x7fc00000
		}
		dst[i] = uint16(b >> 16)
	}
	return 0
}

//go:noinline
func plainDot(a, b []int8) (sum int64) {
	for i, v := range a {
		sum += int64(v) * int64(b[i])
	}
	return sum
}

//go:noinline
func plainSqEuclidean(a, b []int8) (sum int64) {
	for i, v := range a {
		d := int64(v) - int64(b[i])
		sum += d * d
	}
	return sum
}

//go:noinline
func plainHammingBytes(a, b []byte) (count int64) {
	for i, v := range a {
		count += int64(bits.OnesCount8(v ^ b[i]))
	}
	return count
}

//go:noinline
func plainHammingWords(a, b []uint64) (count int64) {
	for i, v := range a {
		count += int64(bits.OnesCount64(v ^ b[i]))
	}
	return count
}
