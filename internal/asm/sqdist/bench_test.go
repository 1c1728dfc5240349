package sqdist

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func BenchmarkSqDist(b *testing.B) {
	for _, s := range []struct{ m, n, d int }{
		{100, 100, 10}, {101, 103, 7}, // L1 and L2
		{256, 256, 64},                                     // L2
		{1000, 1000, 2}, {1000, 1000, 10}, {1000, 96, 256}, // dst in L3; a panel as package dist calls it
		{3000, 3000, 10}, // dst beyond L3
	} {
		benchmark[float64](b, "f64", s.m, s.n, s.d)
		benchmark[float32](b, "f32", s.m, s.n, s.d)
	}
}

func benchmark[T num.Float](b *testing.B, name string, m, n, d int) {
	for _, lv := range asm.Available() {
		b.Run(fmt.Sprintf("type=%s/isa=%v/m=%d/n=%d/d=%d", name, lv, m, n, d), func(b *testing.B) {
			x, zt, dst := make([]T, m*d), make([]T, d*n), make([]T, m*n)
			asmtest.Fill(newRand(1), x, asmtest.Gauss)
			asmtest.Fill(newRand(2), zt, asmtest.Gauss)
			var e T
			b.SetBytes(int64(len(x)+len(zt)+len(dst)) * int64(unsafe.Sizeof(e)))
			for b.Loop() {
				Block(lv, m, n, d, dst, n, x, d, zt, n, false)
			}
			// a difference is not counted: it takes no FMA slot
			b.ReportMetric(2*float64(m*n*d)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
