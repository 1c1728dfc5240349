package quantize

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/nearest"
	"github.com/gomonge/monge/internal/random"
)

// BenchmarkNearest searches for the 5 nearest of n rows in 32 dimensions. A row takes 16 bytes, or
// 32 bytes with bits=0 (Grid). The rows come from one normal distribution, the worst case for a
// filter, or from 77 classes. The metric min-ns is the mean over the queries of the minimum time of
// each query.
func BenchmarkNearest(b *testing.B) {
	const dim, queries = 32, 20
	for _, n := range []int{10_000, 100_000} {
		for _, classes := range []int{1, 77} {
			rng := random.New(1, 2)
			y, centers := matrix.New[float64](n+queries, dim, nil), matrix.New[float64](classes, dim, nil)
			for i := range centers.Data {
				centers.Data[i] = 2 * random.Normal(rng)
			}
			for i := range y.Rows {
				for k, c := range centers.Row(i % classes) {
					y.Set(i, k, c+random.Normal(rng))
				}
			}
			for _, c := range []struct{ parts, bits int }{{16, 8}, {32, 4}, {32, 0}} {
				var q *Quantizer
				if c.bits == 0 {
					offset, scale, err := GridOf(y)
					if err != nil {
						b.Fatal(err)
					}
					q = Grid(offset, scale)
				} else {
					// These rows need no rotation, so a few k-means steps are enough.
					t := newTrainer(y.RowRange(0, 4096), c.parts, c.bits, 0)
					for k := range dim {
						t.q.rotation.Set(k, k, 1)
					}
					if _, err := t.trainStep(b.Context(), 2); err != nil {
						b.Fatal(err)
					}
					q = t.q
				}
				codes, err := q.Encode(b.Context(), y.RowRange(0, n))
				if err != nil {
					b.Fatal(err)
				}
				r := q.Pack(codes)
				b.Run(fmt.Sprintf("n=%d/classes=%d/parts=%d/bits=%d", n, classes, c.parts, c.bits), func(b *testing.B) {
					var s Scratch
					var set nearest.Set[float64]
					best := make([]time.Duration, queries)
					for i := 0; b.Loop(); i++ {
						began := time.Now()
						set.Reset(5)
						if err := Nearest(context.Background(), &set, r, y.Row(n+i%queries), &s); err != nil || math.IsInf(set.Bound(), 1) {
							b.Fatal(err)
						}
						if took := time.Since(began); i < queries || took < best[i%queries] {
							best[i%queries] = took
						}
					}
					var sum time.Duration
					for _, t := range best {
						sum += t
					}
					b.ReportMetric(float64(sum)/queries, "min-ns")
				})
			}
		}
	}
}
