package bench

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/random"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkCompact measures predictions for queries of 384 numbers with stored rows of 16 bytes. The time includes the
// projection to 32 numbers. The background loads are like those of BenchmarkLatency. The data imitate embeddings of 77
// classes. The metric least-p99-ns takes the least time of each query, and reports the 99th percentile over all queries. The
// least time excludes interruptions by other programs.
func BenchmarkCompact(b *testing.B) {
	const dim, p, classes, queries, fitted = 384, 32, 77, 500, 2000
	x, labels := embeddings(100_000+queries, dim, classes)
	rows := func(from, to int) mat.Matrix { return x.Slice(from, to, 0, dim) }
	model, err := wda.Fit(b.Context(), rows(0, fitted), labels[:fitted], &wda.Settings{Components: p, Optimizer: wda.Optimizer{Method: wda.Fisher{}}})
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{10_000, 100_000} {
		whole, err := wda.NewClassifier(b.Context(), model, rows(queries, queries+n), labels[queries:queries+n], 5)
		if err != nil {
			b.Fatal(err)
		}
		for _, storage := range []wda.Storage{wda.StoragePQ(16, 8), wda.StoragePQ(32, 4)} {
			c, err := whole.WithStorage(b.Context(), storage, 0)
			if err != nil {
				b.Fatal(err)
			}
			for _, l := range []struct {
				name             string
				garbage, solvers int
			}{{"none", 0, 0}, {"gc", 1, 0}, {"gc+solve", 1, runtime.GOMAXPROCS(0)}} {
				b.Run(fmt.Sprintf("isa=%v/n=%d/storage=%v/load=%s", asm.Current(), n, storage, l.name), func(b *testing.B) {
					defer keepBusy(l.garbage, garbageMaker)()
					defer keepBusy(l.solvers, func() func() { return solver[float64](64, sinkhorn.DomainPlain) })()
					w := new(wda.Workspace)
					times, least := make([]time.Duration, 0, 1<<20), make([]time.Duration, queries)
					for i := 0; b.Loop(); i++ {
						began := time.Now()
						_, err := c.Predict(x.RawRowView(i%queries), w)
						took := time.Since(began)
						if err != nil {
							b.Fatal(err)
						}
						if times = append(times, took); i < queries || took < least[i%queries] {
							least[i%queries] = took
						}
					}
					percentiles(b, times)
					slices.Sort(least)
					b.ReportMetric(float64(least[queries*99/100]), "least-p99-ns")
				})
			}
		}
	}
}

// embeddings returns n rows of unit norm in the given number of classes, and their labels. Later coordinates have a smaller
// variance.
func embeddings(n, dim, classes int) (*mat.Dense, []int) {
	rng := random.New(7, 384)
	x, labels, centers := mat.NewDense(n, dim, nil), make([]int, n), mat.NewDense(classes, dim, nil)
	for c := range classes {
		for k := range dim {
			centers.Set(c, k, random.Normal(rng))
		}
	}
	for i := range n {
		labels[i] = i % classes
		row := x.RawRowView(i)
		for k, center := range centers.RawRowView(labels[i]) {
			row[k] = center/float64(8+k) + random.Normal(rng)/float64(20+k)
		}
		floats.Scale(1/floats.Norm(row, 2), row)
	}
	return x, labels
}
