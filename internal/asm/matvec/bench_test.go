package matvec

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func random[T num.Float](n int) []T {
	s := make([]T, n)
	asmtest.Fill(newRand(), s, asmtest.Unit)
	return s
}

func BenchmarkRows(b *testing.B) {
	benchmark(b, "f64", Rows[float64])
	benchmark(b, "f32", Rows[float32])
	benchmark(b, "mixed", RowsMixed)
}

func BenchmarkColumns(b *testing.B) {
	benchmark(b, "f64", Columns[float64])
	benchmark(b, "f32", Columns[float32])
	benchmark(b, "mixed", ColumnsMixed)
}

func benchmark[K, T num.Float](b *testing.B, name string, f func(lv asm.Level, m, n int, s []T, k []K, ldk int, v []T)) {
	for _, lv := range asm.Available() {
		for _, n := range []int{64, 100, 256, 1000, 2000, 4000} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d", name, lv, n), func(b *testing.B) {
				k, v, s := random[K](n*n), random[T](n), make([]T, n)
				b.SetBytes(int64(n*n) * int64(unsafe.Sizeof(k[0])))
				for b.Loop() {
					f(lv, n, n, s, k, n, v)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*n), "ns/elem")
			})
		}
	}
}
