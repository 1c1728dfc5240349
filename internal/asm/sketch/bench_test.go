package sketch

import (
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

// BenchmarkFilter measures Filter for rows in the second-level cache, in the last-level cache and in memory. It runs with
// and without the optional instructions of the machine, such as VNNI.
func BenchmarkFilter(b *testing.B) {
	const d = 128
	for _, n := range []int{64, 3125, 25000} {
		codes, groups, masks := make([]uint8, n*d*Rows), make([]Group, n), make([]uint32, n*Queries)
		queries := make([]int8, Queries*d)
		var q [Queries]Query
		rng := asmtest.NewRand(1)
		for i := range codes {
			codes[i] = uint8(1 + i%127)
		}
		for i := range queries {
			queries[i] = int8(rng.IntN(255) - 127)
		}
		for _, set := range []asm.Extension{asm.AvailableExtensions(), 0} {
			restore := asm.SwitchExtensions(set)
			b.Run(fmt.Sprintf("many/rows=%d/extensions=%v", n*Rows, set), func(b *testing.B) {
				for b.Loop() {
					Filter(masks, codes, groups, queries, &q)
				}
				b.ReportMetric(float64(b.N)*float64(n*Rows*Queries*d)/float64(b.Elapsed().Nanoseconds()), "products/ns")
			})
			b.Run(fmt.Sprintf("one/rows=%d/extensions=%v", n*Rows, set), func(b *testing.B) {
				b.SetBytes(int64(n * Rows * (d + 12)))
				for b.Loop() {
					FilterOne(masks[:n], codes, groups, queries[:d], &q[0])
				}
			})
			restore()
		}
	}
}

func BenchmarkQuantize(b *testing.B) {
	for _, d := range []int{128, 768} {
		x, codes := asmtest.Random[float32](d), make([]uint8, d*Rows)
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			for b.Loop() {
				QuantizeRow(codes, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(d), "ns/element")
		})
	}
}
