package sketch

import (
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

// BenchmarkFilter compares rows in a second-level cache, and rows in memory with one query.
func BenchmarkFilter(b *testing.B) {
	const d = 128
	for name, n := range map[string]int{"cache": 64, "memory": 3125} {
		codes, groups, masks := make([]uint8, n*d*Rows), make([]Group, n), make([]uint32, n*Queries)
		queries := make([]int8, Queries*d)
		var q [Queries]Query
		rng := asmtest.NewRand(1)
		for i := range codes {
			codes[i] = uint8(rng.IntN(127) + 1)
		}
		for i := range queries {
			queries[i] = int8(rng.IntN(255) - 127)
		}
		b.Run(name+"/many", func(b *testing.B) {
			for b.Loop() {
				Filter(masks, codes, groups, queries, &q)
			}
			b.ReportMetric(float64(b.N)*float64(n*Rows*Queries*d)/float64(b.Elapsed().Nanoseconds()), "products/ns")
		})
		b.Run(name+"/one", func(b *testing.B) {
			b.SetBytes(int64(n * Rows * (d + 12)))
			for b.Loop() {
				FilterOne(masks[:n], codes, groups, queries[:d], &q[0])
			}
		})
	}
}

func BenchmarkQuantize(b *testing.B) {
	const d = 128
	x, codes := asmtest.Random[float32](d), make([]uint8, d*Rows)
	for b.Loop() {
		QuantizeRow(codes, x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/d, "ns/element")
}
