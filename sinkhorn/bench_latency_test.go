package sinkhorn

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
)

// BenchmarkLatency is the time of one solve of n against n points in 10 dimensions,
// ten iterations with gradient, as a service sees it: while as many goroutines as
// there are cores solve, and another fills the heap so that collections follow one
// another. p50, p99 and p99.9 in µs, of the goroutine that is measured.
func BenchmarkLatency(b *testing.B) {
	for _, n := range []int{64, 256} {
		for _, load := range []bool{false, true} {
			b.Run(fmt.Sprintf("type=f64/n=%d/load=%v", n, load), func(b *testing.B) {
				stop := func() {}
				if load {
					stop = disturb(b, n)
				}
				one := newRequest(b, n)
				var times []time.Duration
				for b.Loop() {
					start := time.Now()
					one(b)
					times = append(times, time.Since(start))
				}
				stop()
				slices.Sort(times)
				at := func(q float64) float64 {
					return float64(times[min(len(times)-1, int(q*float64(len(times))))].Nanoseconds()) / 1e3
				}
				b.ReportMetric(at(.5), "p50-µs")
				b.ReportMetric(at(.99), "p99-µs")
				b.ReportMetric(at(.999), "p99.9-µs")
			})
		}
	}
}

// newRequest returns a function that solves one problem, with a solver of its own.
func newRequest(b testing.TB, n int) func(testing.TB) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := &Problem[float64]{X: cloud[float64](rng, n, 10, 0), Y: cloud[float64](rng, n, 10, 0.3), Lambda: 0.05}
	s, err := NewSolver[float64](Settings{Gradient: true})
	if err != nil {
		b.Fatal(err)
	}
	dx, dy := dist.NewMatrix[float64](n, 10, nil), dist.NewMatrix[float64](n, 10, nil)
	return func(b testing.TB) {
		r, err := s.Solve(b.Context(), p)
		if err == nil {
			err = r.PointGradientTo(dx, dy)
		}
		if err != nil {
			b.Error(err)
		}
	}
}

var garbage atomic.Pointer[[]*[64]byte]

// disturb solves on all cores and makes garbage until the function it returns is
// called.
func disturb(b *testing.B, n int) (stop func()) {
	var done atomic.Bool
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		one := newRequest(b, n)
		wg.Go(func() {
			for !done.Load() {
				one(b)
			}
		})
	}
	wg.Go(func() {
		for !done.Load() {
			heap := make([]*[64]byte, 1<<16) // 4 MiB of pointers and objects to mark
			for i := range heap {
				heap[i] = new([64]byte)
			}
			garbage.Store(&heap)
			time.Sleep(time.Millisecond)
		}
	})
	return func() {
		done.Store(true)
		wg.Wait()
	}
}

// BenchmarkStopTheWorld is how long a stop of the world waits while every core is
// solving an n × n problem: the whole of runtime.ReadMemStats, which stops it; what
// is idle, go for a loop in plain Go that can be preempted anywhere, or solve. A
// machine that does other things adds its own waits, to go as to solve: compare
// these two, and see the least, which no other work has disturbed. Goal: below 1 ms.
func BenchmarkStopTheWorld(b *testing.B) {
	b.Run("type=f64/what=idle", func(b *testing.B) { stopTheWorld(b, nil) })
	b.Run("type=f64/what=go", func(b *testing.B) {
		stopTheWorld(b, func() func(testing.TB) { return func(testing.TB) { spin() } })
	})
	for _, n := range []int{64, 256, 2000} {
		b.Run(fmt.Sprintf("type=f64/what=solve/n=%d", n), func(b *testing.B) {
			stopTheWorld(b, func() func(testing.TB) { return newRequest(b, n) })
		})
	}
}

var spun atomic.Uint64

//go:noinline
func spin() {
	x := uint64(1)
	for range 1000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	spun.Store(x)
}

func stopTheWorld(b *testing.B, work func() func(testing.TB)) {
	var done atomic.Bool
	var wg sync.WaitGroup
	if work != nil {
		for range runtime.GOMAXPROCS(0) {
			one := work()
			wg.Go(func() {
				for !done.Load() {
					one(b)
				}
			})
		}
	}
	var m runtime.MemStats
	var times []time.Duration
	for b.Loop() {
		time.Sleep(200 * time.Microsecond) // into the middle of something
		start := time.Now()
		runtime.ReadMemStats(&m)
		times = append(times, time.Since(start))
	}
	done.Store(true)
	wg.Wait()
	slices.Sort(times)
	for name, k := range map[string]int{"min": 0, "p10": len(times) / 10, "p50": len(times) / 2, "max": len(times) - 1} {
		b.ReportMetric(float64(times[k].Nanoseconds())/1e3, name+"-µs")
	}
}
