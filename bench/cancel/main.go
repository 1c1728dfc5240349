// Command cancel measures how long package wda works on after its context has ended: fits,
// Prepare, Score and CrossValidate of data of many shapes are ended at random times, and it
// prints the median, the 99th percentile and the longest time from the end to the return.
//
//	go run ./bench/cancel -trials 40
//	go run ./bench/cancel -only CrossValidate -stacks 50ms    who is it that works on?
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
)

// work is something that takes long, and what it is called in the table.
type work struct {
	name string
	do   func(ctx context.Context) error
}

func main() {
	trials := flag.Int("trials", 40, "times that each is ended")
	longest := flag.Duration("longest", 3*time.Second, "latest time at which it is ended")
	only := flag.String("only", "", "regular expression of the names of what is measured")
	stacks := flag.Duration("stacks", 0, "print where goroutines are, so long after the end")
	flag.Parse()
	names := regexp.MustCompile(*only)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "work\tp50 ms\tp99 ms\tmax ms")
	var all []time.Duration
	rng := rand.New(rand.NewPCG(1, 1))
	for _, w := range works() {
		if !names.MatchString(w.name) {
			continue
		}
		times := latencies(w, *trials, *longest, *stacks, rng)
		all = append(all, times...)
		line(out, w.name, times)
	}
	line(out, "all", all)
	out.Flush()
}

func line(out *tabwriter.Writer, name string, times []time.Duration) {
	slices.Sort(times)
	at := func(q float64) float64 { return times[int(q*float64(len(times)-1)+0.5)].Seconds() * 1e3 }
	fmt.Fprintf(out, "%s\t%.2f\t%.2f\t%.2f\n", name, at(0.5), at(0.99), at(1))
}

// latencies ends w at random times before it would end by itself, or before the longest.
func latencies(w work, trials int, longest, stacks time.Duration, rng *rand.Rand) []time.Duration {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	began := time.Now()
	w.do(ctx)
	cancel()
	span := min(time.Since(began), longest)
	var times []time.Duration
	for len(times) < trials {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan time.Time, 1)
		time.AfterFunc(time.Duration(rng.Float64()*float64(span)), func() {
			ended <- time.Now()
			cancel()
		})
		done := make(chan struct{})
		if stacks > 0 {
			go tell(ctx, done, w.name, stacks)
		}
		err := w.do(ctx)
		returned := time.Now()
		close(done)
		at := <-ended
		if err == nil && returned.Before(at) {
			span = span * 9 / 10 // it was done before
			continue
		}
		times = append(times, max(0, returned.Sub(at)))
	}
	return times
}

// tell prints the stacks of all goroutines if it is not done so long after the end.
func tell(ctx context.Context, done <-chan struct{}, name string, after time.Duration) {
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(after):
		buf := make([]byte, 1<<20)
		fmt.Fprintf(os.Stderr, "%s, %v after the end:\n%s\n", name, after, buf[:runtime.Stack(buf, true)])
	}
}

// data are classes of normal samples, half a unit apart.
func data(n, d, classes int) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x, labels := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		labels[i] = i % classes
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		row[labels[i]%d] += 2
	}
	return x, labels
}

func works() []work {
	fixed := func(o wda.Objective) wda.Objective {
		o.Lambda, o.Shrinkage = wda.Lambda{Value: 1}, wda.Shrinkage{Value: 0.5}
		return o
	}
	plain := func(s wda.Settings) *wda.Settings {
		s.Data.Whitening, s.Scale, s.Objective = wda.NoWhitening(), wda.Orthonormal, fixed(s.Objective)
		return &s
	}
	fit := func(n, d, classes int, s *wda.Settings) func(context.Context) error {
		x, labels := data(n, d, classes)
		return func(ctx context.Context) error { _, err := wda.Fit(ctx, x, labels, s); return err }
	}
	whitened := plain(wda.Settings{Components: 5})
	whitened.Data.Whitening = wda.DiagonalWhitening(0.1)
	wide, wideLabels := data(1500, 6000, 5)
	tall, tallLabels := data(40000, 300, 10)
	return []work{
		{"fit, all left open, n = 2000, d = 300", fit(2000, 300, 10, nil)},
		{"fit, n = 20000, d = 300", fit(20000, 300, 10, plain(wda.Settings{Components: 5}))},
		{"fit, two classes of 6000", fit(12000, 20, 2, plain(wda.Settings{}))},
		{"fit, L = 10000, n = 1000", fit(1000, 50, 5, plain(wda.Settings{Objective: wda.Objective{Iterations: 10000}}))},
		{"fit, 200 classes of 20", fit(4000, 200, 200, plain(wda.Settings{Components: 10}))},
		{"fit, n = 1500, d = 6000", fit(1500, 6000, 5, plain(wda.Settings{Components: 10}))},
		{"fit, n = 1500, d = 6000, whitened", fit(1500, 6000, 5, whitened)},
		{"fit, n = 4000, d = 1500, whitened", fit(4000, 1500, 5, whitened)},
		{"fit, p = 400 of d = 800", fit(1600, 800, 4, plain(wda.Settings{Components: 400}))},
		{"fit, implicit gradient, λ = 30", func() func(context.Context) error {
			s := plain(wda.Settings{Objective: wda.Objective{Gradient: sinkhorn.Implicit}})
			s.Objective.Lambda = wda.Lambda{Value: 30}
			return fit(2000, 20, 2, s)
		}()},
		{"fit, eigen, n = 4000, d = 400", fit(4000, 400, 5, plain(wda.Settings{Optimizer: wda.Optimizer{Method: wda.Eigen}}))},
		{"fit, mini-batches, n = 40000, d = 300", fit(40000, 300, 10, plain(wda.Settings{Optimizer: wda.Optimizer{Method: wda.MiniBatch}}))},
		{"fit, validation, n = 6000, d = 100", fit(6000, 100, 10, plain(wda.Settings{Validation: &wda.Validation{Every: 1}}))},
		{"Prepare, n = 1500, d = 6000", func(ctx context.Context) error { _, err := wda.Prepare(ctx, wide, wideLabels, nil); return err }},
		{"Score, n = 40000, d = 300", func(ctx context.Context) error {
			_, err := wda.Score(ctx, tall, tallLabels, tall.Slice(0, 300, 0, 5), nil)
			return err
		}},
		{"CrossValidate, n = 40000, d = 300", func(ctx context.Context) error {
			_, err := wda.CrossValidate(ctx, tall, tallLabels, &wda.CrossValidation{Fit: wda.Settings{Optimizer: wda.Optimizer{MaxSteps: 5}}})
			return err
		}},
	}
}
