package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/sinkhorn"
)

// loads contains the background work of the measurements. A goroutine on every core repeats this work.
var loads = []struct {
	name string
	work func() (step func())
}{
	{"none", nil},
	{"go", func() func() { // the scheduler can preempt plain Go anywhere
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
		return func() { matrix.Exp(dst, x) }
	}},
	{"sqdist", func() func() {
		x, dst := normal[float64](1000, 784, 1), dist.NewMatrix[float64](1000, 1000, nil)
		return func() { dist.SqEuclidean(dst, x, x) }
	}},
	{"project", func() func() {
		x, p, dst := normal[float64](2000, 784, 1), normal[float64](784, 10, 2), dist.NewMatrix[float64](2000, 10, nil)
		return func() { matrix.Mul(dst, x, p, false) }
	}},
	{"solve/n=64", func() func() { return solver[float64](64, sinkhorn.DomainPlain) }},
	{"solve/n=256", func() func() { return solver[float64](256, sinkhorn.DomainPlain) }},
	{"solve/n=2000", func() func() { return solver[float64](2000, sinkhorn.DomainPlain) }},
	{"solvelog/n=1000", func() func() { return solver[float64](1000, sinkhorn.DomainLog) }},
}

// solver returns a function that runs ten Sinkhorn iterations between two sets of n points in ten dimensions. The function
// also computes the gradient.
func solver[T dist.Float](n int, domain sinkhorn.Domain) func() {
	s, err := sinkhorn.NewSolver[T](&sinkhorn.Settings{Lambda: .1, Domain: domain, Gradient: true})
	if err != nil {
		panic(err)
	}
	p := &sinkhorn.Problem[T]{X: normal[T](n, 10, 1), Y: normal[T](n, 10, 2)}
	dx, dy := dist.NewMatrix[T](n, 10, nil), dist.NewMatrix[T](n, 10, nil)
	return func() {
		r, err := s.Solve(context.Background(), p)
		if err == nil {
			err = r.PointGradientTo(context.Background(), dx, dy, sinkhorn.GradientUnrolled)
		}
		if err != nil {
			panic(err)
		}
	}
}

// keepBusy starts n goroutines. Each goroutine calls work once. It then repeatedly calls the
// function that work returned, until stop is called.
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

// BenchmarkStopTheWorld measures stop-the-world phases while every core runs kernels, which cannot be preempted.
// The case cause=memstats measures runtime.ReadMemStats, which does little more than stop the world. The case cause=gc measures
// runtime.GC, which stops the world twice and marks objects between the two stops.
//
// The metrics wait-…, measured by package runtime/metrics, are the times from a stop request until all goroutines have stopped.
// These times should be below 1 ms. The metrics p50-ns to max-ns are the times of the whole call. The metric ns/op includes the
// pauses between the measurements.
func BenchmarkStopTheWorld(b *testing.B) {
	causes := []struct {
		name, waits string
		stop        func()
	}{
		{"memstats", "/sched/pauses/stopping/other:seconds", func() {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
		}},
		{"gc", "/sched/pauses/stopping/gc:seconds", runtime.GC},
	}
	for _, l := range loads {
		for _, c := range causes {
			b.Run(fmt.Sprintf("isa=%v/cause=%s/load=%s", asm.Current(), c.name, l.name), func(b *testing.B) {
				defer keepBusy(runtime.GOMAXPROCS(0), l.work)()
				before := histogram(c.waits)
				var times []time.Duration
				for b.Loop() {
					time.Sleep(time.Millisecond) // lets the other goroutines run again
					began := time.Now()
					c.stop()
					times = append(times, time.Since(began))
				}
				percentiles(b, times)
				reportWaits(b, before, histogram(c.waits))
			})
		}
	}
}

// histogram reads a metric of package runtime/metrics.
func histogram(name string) *metrics.Float64Histogram {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Float64Histogram()
}

// reportWaits reports the median, the 99th percentile and the maximum of the times that were added between two readings of a
// histogram. The reported times are the upper ends of the histogram buckets.
func reportWaits(b *testing.B, before, after *metrics.Float64Histogram) {
	total := uint64(0)
	for i, n := range after.Counts {
		total += n - before.Counts[i]
	}
	for _, p := range []struct {
		name  string
		share float64
	}{{"wait-p50-ns", .5}, {"wait-p99-ns", .99}, {"wait-max-ns", 1}} {
		seen, rank := uint64(0), uint64(math.Ceil(p.share*float64(total)))
		for i, n := range after.Counts {
			if seen += n - before.Counts[i]; seen >= max(rank, 1) {
				b.ReportMetric(1e9*after.Buckets[i+1], p.name)
				break
			}
		}
	}
}

// BenchmarkLatency measures the latency of solving one problem of n × n points and computing its gradient, as a server would.
// In the case load=none, the process is otherwise idle. In the case load=gc, a goroutine makes garbage all the time. In the case
// load=gc+solve, goroutines on all cores also solve problems of the same size. The metric gc/s is the number of garbage
// collections per second.
func BenchmarkLatency(b *testing.B) {
	benchmarkLatency[float64](b)
	benchmarkLatency[float32](b)
}

func benchmarkLatency[T dist.Float](b *testing.B) {
	for _, n := range []int{16, 64, 256} {
		for _, l := range []struct {
			name             string
			garbage, solvers int
		}{{"none", 0, 0}, {"gc", 1, 0}, {"gc+solve", 1, runtime.GOMAXPROCS(0)}} {
			b.Run(fmt.Sprintf("type=%s/isa=%v/n=%d/load=%s", typeName[T](), asm.Current(), n, l.name), func(b *testing.B) {
				defer keepBusy(l.garbage, garbageMaker)()
				defer keepBusy(l.solvers, func() func() { return solver[T](n, sinkhorn.DomainPlain) })()
				one := solver[T](n, sinkhorn.DomainPlain)
				one()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				var times []time.Duration
				for b.Loop() {
					began := time.Now()
					one()
					times = append(times, time.Since(began))
				}
				runtime.ReadMemStats(&after)
				percentiles(b, times)
				b.ReportMetric(float64(after.NumGC-before.NumGC)/b.Elapsed().Seconds(), "gc/s")
			})
		}
	}
}

// BenchmarkDeadline measures how late Solve returns after a deadline of half a millisecond, for n × n points and an unlimited
// number of iterations. In the case load=none, the process is otherwise idle. In the case load=solve, goroutines on all cores
// solve other problems of 64 × 64 points. The metric iterations is the median number of iterations. Only the context allocates
// memory. The delays in µs of a thousand solves on two cores of a Sapphire Rapids were:
//
//	            n = 16              64              256
//	         p50 p99 p99.9    p50 p99 p99.9    p50 p99 p99.9
//	none     1.2 9.4    21    2.3  21    79     15  74   101
//	solve    1.6 2e4   2e4    2.6 1e4   2e4     16 2e4   2e4
//
// The delays of 10 and 20 ms are time slices of the Go scheduler, in which the other solves run.
func BenchmarkDeadline(b *testing.B) {
	for _, n := range []int{16, 64, 256} {
		for _, l := range []struct {
			name    string
			solvers int
		}{{"none", 0}, {"solve", runtime.GOMAXPROCS(0)}} {
			b.Run(fmt.Sprintf("type=f64/isa=%v/n=%d/load=%s", asm.Current(), n, l.name), func(b *testing.B) {
				defer keepBusy(l.solvers, func() func() { return solver[float64](64, sinkhorn.DomainPlain) })()
				s, err := sinkhorn.NewSolver[float64](&sinkhorn.Settings{Lambda: .1, Iterations: math.MaxInt32})
				if err != nil {
					b.Fatal(err)
				}
				p := &sinkhorn.Problem[float64]{X: normal[float64](n, 10, 1), Y: normal[float64](n, 10, 2)}
				var late []time.Duration
				var iterations []int
				b.ReportAllocs()
				for b.Loop() {
					ctx, cancel := context.WithTimeout(context.Background(), 500*time.Microsecond)
					deadline, _ := ctx.Deadline()
					r, err := s.Solve(ctx, p)
					late = append(late, time.Since(deadline))
					if err != context.DeadlineExceeded || r != nil && !(r.MarginalError >= 0) {
						b.Fatal(r, err)
					}
					if r != nil {
						iterations = append(iterations, r.Iterations)
					}
					cancel()
				}
				percentiles(b, late)
				slices.Sort(iterations)
				b.ReportMetric(float64(iterations[len(iterations)/2]), "iterations")
			})
		}
	}
}

var garbage atomic.Pointer[[]*[64]byte]

// garbageMaker returns a function that makes 4 MiB of garbage, which consists of pointers and objects.
func garbageMaker() func() {
	return func() {
		heap := make([]*[64]byte, 1<<16)
		for i := range heap {
			heap[i] = new([64]byte)
		}
		garbage.Store(&heap)
		time.Sleep(time.Millisecond)
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
