package codes

import (
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

func Benchmark(b *testing.B) {
	for _, n := range []int{9984, 99968} {
		for _, m := range []int{8, 16, 32} {
			codes, table := make([]byte, n*m), asmtest.Random[float32](256*m)
			rng := asmtest.NewRand(1)
			for i := range codes {
				codes[i] = byte(rng.Uint32())
			}
			dst, dst4 := make([]float32, n), make([]uint16, n)
			for _, f := range []struct {
				name string
				call func()
				each int
			}{
				{"sums8", func() { Sums8(dst, codes, table) }, n * m},
				{"sums4", func() { Sums4(dst4, codes, bytesOf(table)[:32*m]) }, 2 * n * m},
			} {
				for lv := range asmtest.Each(b) {
					b.Run(fmt.Sprintf("%s/n=%d/bytes=%d/%v", f.name, n, m, lv), func(b *testing.B) {
						for b.Loop() {
							f.call()
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(f.each), "ns/code")
					})
				}
			}
		}
	}
}
