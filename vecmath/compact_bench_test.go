package vecmath_test

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/random"
	"github.com/gomonge/monge/vecmath"
)

var sink int64

// BenchmarkCompact times functions of bytes and words at every level, with the forms of the machine and without, and a plain loop.
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
			run := func(level string, g func() int64) {
				b.Run(fmt.Sprintf("%s/n=%d/isa=%s", f.name, n, level), func(b *testing.B) {
					for b.Loop() {
						sink += g()
					}
				})
			}
			run("plain", f.plain)
			for range asmtest.Each(b) {
				asmtest.EachForms(b, func() { run(strings.ReplaceAll(vecmath.InstructionSet(), " ", ""), f.ours) })
			}
		}
	}
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
