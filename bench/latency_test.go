package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/sinkhorn"
)

// loads are what goroutines do on all cores while something else has to get through.
var loads = []struct {
	name string
	work func() (step func())
}{
	{"none", nil},
	{"go", func() func() { // for comparison: preemptible everywhere
		x := normal[float64](1, 1<<16, 1).Data
		return func() {
			for i, v := range x {
				x[i] = v*.999 + .001
			}
		}
	}},
	{"exp", func() func() {
		x := normal[float64](1, 1<<20, 1).Data
		dst := make([]float64, len(x))
		return func() { dist.Exp(dst, x) }
	}},
	{"sqdist", func() func() {
		x, dst := normal[float64](1000, 784, 1), dist.NewMatrix[float64](1000, 1000, nil)
		return func() { dist.SqEuclidean(dst, x, x) }
	}},
	{"project", func() func() {
		x, p, dst := normal[float64](2000, 784, 1), normal[float64](784, 10, 2), dist.NewMatrix[float64](2000, 10, nil)
		return func() { dist.Project(dst, x, p) }
	}},
	{"solve", func() func() { return solver(2000, sinkhorn.Plain) }},
	{"solvelog", func() func() { return solver(1000, sinkhorn.Log) }},
}

// solver returns one solve of n against n points with its gradient.
func solver(n int, domain sinkhorn.Domain) func() {
	s, err := sinkhorn.NewSolver[float64](sinkhorn.Settings{Lambda: .1, Domain: domain, Gradient: true})
	if err != nil {
		panic(err)
	}
	p := &sinkhorn.Problem[float64]{X: normal[float64](n, 10, 1), Y: normal[float64](n, 10, 2)}
	dx, dy := dist.NewMatrix[float64](n, 10, nil), dist.NewMatrix[float64](n, 10, nil)
	return func() {
		r, err := s.Solve(context.Background(), p)
		if err == nil {
			err = r.PointGradientTo(dx, dy)
		}
		if err != nil {
			panic(err)
		}
	}
}

// keepBusy runs work on n goroutines until the returned function is called.
func keepBusy(n int, work func() func()) (stop func()) {
	if work == nil {
		return func() {}
	}
	var done atomic.Bool
	var ready, wg sync.WaitGroup
	for range n {
		ready.Add(1)
		wg.Go(func() {
			step := work()
			step()
			ready.Done()
			for !done.Load() {
				step()
			}
		})
	}
	ready.Wait()
	return func() {
		done.Store(true)
		wg.Wait()
	}
}

// BenchmarkStopTheWorld is how long a stop-the-world takes while every core runs
// kernels, which cannot be preempted. cause=memstats is runtime.ReadMemStats, which
// does little else than to stop the world; cause=gc is a whole runtime.GC, two stops
// and the marking between them, on cores that it has to share. Read p50-ns and
// max-ns; ns/op includes the pauses between the measurements.
func BenchmarkStopTheWorld(b *testing.B) {
	causes := []struct {
		name string
		stop func()
	}{
		{"memstats", func() {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
		}},
		{"gc", runtime.GC},
	}
	for _, l := range loads {
		for _, c := range causes {
			b.Run(fmt.Sprintf("isa=%v/load=%s/cause=%s", asm.Best(), l.name, c.name), func(b *testing.B) {
				defer keepBusy(runtime.GOMAXPROCS(0), l.work)()
				var times []time.Duration
				for b.Loop() {
					time.Sleep(time.Millisecond) // the others are running again
					began := time.Now()
					c.stop()
					times = append(times, time.Since(began))
				}
				percentiles(b, times)
			})
		}
	}
}

func percentiles(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	for _, p := range []struct {
		name  string
		share float64
	}{{"p50-ns", .5}, {"p99-ns", .99}, {"p99.9-ns", .999}, {"max-ns", 1}} {
		b.ReportMetric(float64(times[int(p.share*float64(len(times)-1))]), p.name)
	}
}
