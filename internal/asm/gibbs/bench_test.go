package gibbs

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func BenchmarkGibbs(b *testing.B) {
	for _, s := range []struct{ m, n, d int }{
		{50, 50, 2}, {53, 61, 7}, // L1
		{100, 100, 10}, {200, 200, 64}, // L2
		{1000, 1000, 2}, {1000, 1000, 10}, {1000, 1000, 64}, // L3
		{3000, 3000, 10}, // beyond L3
	} {
		benchmark[float64](b, "f64", s.m, s.n, s.d)
		benchmark[float32](b, "f32", s.m, s.n, s.d)
	}
}

func benchmark[T num.Float](b *testing.B, name string, m, n, d int) {
	for _, lv := range asm.Available() {
		b.Run(fmt.Sprintf("type=%s/isa=%v/m=%d/n=%d/d=%d", name, lv, m, n, d), func(b *testing.B) {
			x, zt, k := make([]T, m*d), make([]T, d*n), make([]T, m*n)
			asmtest.Fill(newRand(1), x, asmtest.Gauss)
			asmtest.Fill(newRand(2), zt, asmtest.Gauss)
			var e T
			b.SetBytes(int64(len(x)+len(zt)+len(k)) * int64(unsafe.Sizeof(e)))
			for b.Loop() {
				Block(lv, m, n, d, k, n, nil, 0, x, d, zt, n, T(-1/float64(d)))
			}
			ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(ns/float64(m*n), "ns/elem")
			b.ReportMetric(2*float64(m*n*(d+8))/ns, "GFLOP/s") // 8 FMAs for the power, as in doc.go
		})
	}
}
