package query

import (
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

func Benchmark(b *testing.B) {
	for _, size := range []struct{ n, d int }{{8, 384}, {1000, 128}, {1000, 384}, {1000, 1536}, {10_000, 384}, {100_000, 384}} {
		x, q, dst := make([]float32, size.n*size.d), asmtest.Random[float32](size.d), make([]float32, size.n)
		for i := range x {
			x[i] = float32(i%97) / 97
		}
		halves, bytes, scale := make([]uint16, len(x)), make([]int8, len(x)), make([]float32, size.n)
		for i := range x {
			halves[i], bytes[i] = uint16(0x3c00+i%97), int8(i%97)
		}
		for _, f := range []struct {
			name  string
			bytes int
			call  func()
		}{
			{"sqeuclidean/f32", 4, func() { SqEuclidean(dst, q, x) }},
			{"dot/f32", 4, func() { Dot(dst, q, x) }},
			{"sqeuclidean/far", 4, func() { SqEuclideanFar(dst, q, x) }},
			{"dot/far", 4, func() { DotFar(dst, q, x) }},
			{"sqeuclidean/bf16", 2, func() { SqEuclideanHalf(dst, q, halves, BFloat16) }},
			{"dot/bf16", 2, func() { DotHalf(dst, q, halves, BFloat16) }},
			{"sqeuclidean/f16", 2, func() { SqEuclideanHalf(dst, q, halves, Float16) }},
			{"dot/f16", 2, func() { DotHalf(dst, q, halves, Float16) }},
			{"sqeuclidean/int8", 1, func() { SqEuclideanInt8(dst, q, bytes, scale) }},
			{"dot/int8", 1, func() { DotInt8(dst, q, bytes, scale) }},
		} {
			for lv := range asmtest.Each(b) {
				b.Run(fmt.Sprintf("%s/n=%d/d=%d/%v", f.name, size.n, size.d, lv), func(b *testing.B) {
					b.SetBytes(int64(f.bytes * len(x)))
					for b.Loop() {
						f.call()
					}
				})
			}
		}
	}
}

// BenchmarkMany measures 15 queries in separate calls and in one call.
func BenchmarkMany(b *testing.B) {
	const m = 5 * Queries
	for _, size := range []struct{ n, d int }{{168, 384}, {1000, 128}, {10_000, 384}} {
		q, dst := asmtest.Random[float32](m*size.d), make([]float32, m*size.n)
		x, halves, codes, scale := asmtest.Random[float32](size.n*size.d), make([]uint16, size.n*size.d), make([]int8, size.n*size.d), make([]float32, size.n)
		for i := range x {
			halves[i], codes[i] = uint16(0x3c00+i%97), int8(i%97)
		}
		each := func(f func(dst, q []float32)) {
			for j := range m {
				f(dst[j*size.n:][:size.n], q[j*size.d:][:size.d])
			}
		}
		for _, f := range []struct {
			name      string
			one, many func()
		}{
			{"sqeuclidean/f32", func() { each(func(dst, q []float32) { SqEuclidean(dst, q, x) }) }, func() { SqEuclideanMany(m, size.n, size.d, dst, size.n, q, x) }},
			{"dot/f32", func() { each(func(dst, q []float32) { Dot(dst, q, x) }) }, func() { DotMany(m, size.n, size.d, dst, size.n, q, x) }},
			{"sqeuclidean/f16", func() { each(func(dst, q []float32) { SqEuclideanHalf(dst, q, halves, Float16) }) }, func() { SqEuclideanHalfMany(m, size.n, size.d, dst, size.n, q, halves, Float16) }},
			{"dot/bf16", func() { each(func(dst, q []float32) { DotHalf(dst, q, halves, BFloat16) }) }, func() { DotHalfMany(m, size.n, size.d, dst, size.n, q, halves, BFloat16) }},
			{"sqeuclidean/int8", func() { each(func(dst, q []float32) { SqEuclideanInt8(dst, q, codes, scale) }) }, func() { SqEuclideanInt8Many(m, size.n, size.d, dst, size.n, q, codes, scale) }},
			{"dot/int8", func() { each(func(dst, q []float32) { DotInt8(dst, q, codes, scale) }) }, func() { DotInt8Many(m, size.n, size.d, dst, size.n, q, codes, scale) }},
		} {
			for lv := range asmtest.Each(b) {
				if lv == asm.Ref {
					continue
				}
				for how, call := range map[string]func(){"one": f.one, "many": f.many} {
					b.Run(fmt.Sprintf("%s/n=%d/d=%d/%v/%s", f.name, size.n, size.d, lv, how), func(b *testing.B) {
						for b.Loop() {
							call()
						}
						b.ReportMetric(float64(m*len(x))*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "terms/ns")
					})
				}
			}
		}
	}
}
