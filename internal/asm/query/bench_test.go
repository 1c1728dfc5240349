package query

import (
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

func Benchmark(b *testing.B) {
	for _, size := range []struct{ n, d int }{{8, 384}, {1000, 128}, {1000, 384}, {10_000, 384}, {100_000, 384}} {
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
