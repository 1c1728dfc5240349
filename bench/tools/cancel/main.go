// Command cancel measures how long a call continues after its context has ended. It cancels fits,
// predictions, baselines, transport problems and reads of data at random times. It prints the median, the
// 99th percentile and the maximum of the time from the end of the context to the return of the call.
//
//	go run ./bench/tools/cancel -trials 40
//	go run ./bench/tools/cancel -only CrossValidate -stacks 50ms    prints what continues after 50 ms
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/emd"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// work is a long computation. The table shows its name.
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
	for _, w := range computations() {
		if !names.MatchString(w.name) {
			continue
		}
		times := latencies(w, *trials, *longest, *stacks, rng)
		all = append(all, times...)
		printPercentiles(out, w.name, times)
	}
	printPercentiles(out, "all", all)
	out.Flush()
}

func printPercentiles(out *tabwriter.Writer, name string, times []time.Duration) {
	slices.Sort(times)
	at := func(q float64) float64 { return times[int(q*float64(len(times)-1)+0.5)].Seconds() * 1e3 }
	fmt.Fprintf(out, "%s\t%.2f\t%.2f\t%.2f\n", name, at(0.5), at(0.99), at(1))
}

// latencies runs w several times and cancels each run after a random time. It returns the times from each cancellation to the
// return of w. The random time is at most the duration longest, and at most the time that w takes without cancellation.
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
			go reportLate(ctx, done, w.name, stacks)
		}
		err := w.do(ctx)
		returned := time.Now()
		close(done)
		at := <-ended
		if err == nil && returned.Before(at) {
			span = span * 9 / 10 // the work was complete before the context ended
			continue
		}
		times = append(times, max(0, returned.Sub(at)))
	}
	return times
}

// reportLate waits until ctx has ended, and then for the given duration. If the channel done has not been closed by then,
// reportLate prints the stacks of all goroutines.
func reportLate(ctx context.Context, done <-chan struct{}, name string, after time.Duration) {
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

// randomSamples returns normal samples of several classes. The mean of a class is 2 in one feature and 0 in all other features.
func randomSamples(n, d, classes int) (*mat.Dense, []int) {
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

func computations() []work {
	fixed := func(o wda.Objective) wda.Objective {
		o.Lambda, o.Shrinkage = wda.RelativeLambda(1), wda.FixedShrinkage(0.5)
		return o
	}
	plain := func(s wda.Settings) *wda.Settings {
		s.Data.Whitening, s.Scale, s.Objective = wda.NoWhitening(), wda.ScaleOrthonormal, fixed(s.Objective)
		return &s
	}
	fit := func(n, d, classes int, s *wda.Settings) func(context.Context) error {
		x, labels := randomSamples(n, d, classes)
		return func(ctx context.Context) error { _, err := wda.Fit(ctx, x, labels, s); return err }
	}
	whitened := plain(wda.Settings{Components: 5})
	whitened.Data.Whitening = wda.DiagonalWhitening(0.1)
	wide, wideLabels := randomSamples(1500, 6000, 5)
	tall, tallLabels := randomSamples(40000, 300, 10)
	works := []work{
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
			s := plain(wda.Settings{Objective: wda.Objective{Gradient: sinkhorn.GradientImplicit}})
			s.Objective.Lambda = wda.RelativeLambda(30)
			return fit(2000, 20, 2, s)
		}()},
		{"fit, eigen, n = 4000, d = 400", fit(4000, 400, 5, plain(wda.Settings{Optimizer: wda.Optimizer{Method: wda.Eigen{}}}))},
		{"fit, mini-batches, n = 40000, d = 300", fit(40000, 300, 10, plain(wda.Settings{Optimizer: wda.Optimizer{Method: wda.MiniBatch{}}}))},
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
	s := plain(wda.Settings{Optimizer: wda.Optimizer{MaxSteps: 1}})
	model, err := wda.Fit(context.Background(), tall.Slice(0, 300, 0, 300), tallLabels[:300], s)
	if err != nil {
		panic(err)
	}
	nearest, err := wda.NewClassifier(context.Background(), model, tall, tallLabels, 5)
	if err != nil {
		panic(err)
	}
	works = append(works,
		work{"PredictLabels, 40000 by 40000", func(ctx context.Context) error { _, err := nearest.PredictLabels(ctx, nil, tall, 0); return err }},
		work{"Neighbors, 1000 of each of 40000", func(ctx context.Context) error { _, err := nearest.Neighbors(ctx, tall, 1000, 0); return err }},
	)
	return slices.Concat(works, baselines(), transports(), exactTransports(), readers())
}

// baselines returns fits of the methods of package baseline.
func baselines() []work {
	fit := func(m baseline.Method, n, d int) work {
		x, labels := randomSamples(n, d, 5)
		return work{fmt.Sprintf("%v, n = %d, d = %d", m, n, d), func(ctx context.Context) error {
			_, err := baseline.Fit(ctx, x, labels, min(d, 5), m)
			return err
		}}
	}
	return []work{
		fit(baseline.PCA{}, 20000, 1000), fit(baseline.PCA{}, 1500, 6000),
		fit(baseline.FDA{Shrinkage: 0.1}, 20000, 1000), fit(baseline.FDA{LedoitWolf: true}, 1500, 6000),
	}
}

// transports returns transport problems. There is one problem for each solver that has its own loops.
func transports() []work {
	cloud := func(n, d int) dist.Matrix[float64] {
		x, _ := randomSamples(n, d, 3)
		return dist.NewMatrix(n, d, x.RawMatrix().Data)
	}
	solve := func(name string, set sinkhorn.Settings, p sinkhorn.Problem[float64], then func(context.Context, *sinkhorn.Result[float64]) error) work {
		solver, err := sinkhorn.NewSolver[float64](&set)
		if err != nil {
			panic(err)
		}
		return work{name, func(ctx context.Context) error {
			r, err := solver.Solve(ctx, &p)
			if err == nil && r.Status == sinkhorn.StatusCanceled {
				err = context.Cause(ctx)
			}
			if err == nil && then != nil {
				err = then(ctx, r)
			}
			return err
		}}
	}
	x, y := cloud(3000, 10), cloud(3000, 10)
	points := sinkhorn.Problem[float64]{X: x, Y: y, Lambda: 10}
	priced, partial, hard := points, points, points
	priced.PenaltyA, priced.PenaltyB, partial.Mass, hard.Lambda = 1, 2, 0.7, 100
	exact := sinkhorn.Settings{Tolerance: 1e-12, Iterations: 1 << 20}
	long := sinkhorn.Settings{Iterations: 1 << 20}
	batch := func(name string, count, n int, one bool) work {
		solver, err := sinkhorn.NewSolver[float64](&sinkhorn.Settings{Iterations: 10000})
		if err != nil {
			panic(err)
		}
		problems := make([]sinkhorn.Problem[float64], count)
		for i := range problems {
			if problems[i].Lambda = 1; one && i > 0 {
				problems[i].X, problems[i].Y = problems[0].X, problems[0].Y
			} else {
				problems[i].X, problems[i].Y = cloud(n, 3), cloud(n, 3)
			}
		}
		return work{name, func(ctx context.Context) error {
			return solver.SolveBatch(ctx, problems, func(int, *sinkhorn.Result[float64], error) {})
		}}
	}
	big := cloud(50000, 3)
	divergence, err := sinkhorn.NewSolver[float64](&exact)
	if err != nil {
		panic(err)
	}
	dx, dy := dist.NewMatrix(3000, 10, make([]float64, 30000)), dist.NewMatrix(3000, 10, make([]float64, 30000))
	return []work{
		solve("Solve, iterations, n = 3000", long, points, nil),
		solve("Solve, log domain, n = 3000", sinkhorn.Settings{Iterations: 1 << 20, Domain: sinkhorn.DomainLog}, points, nil),
		solve("Solve, matrix-free, n = 50000", long, sinkhorn.Problem[float64]{X: big, Y: big, Lambda: 1}, nil),
		solve("Solve, Newton, λ = 100, n = 3000", exact, hard, nil),
		solve("Solve, annealed, λ = 100, n = 3000", sinkhorn.Settings{Tolerance: 1e-12, Iterations: 1 << 20, Anneal: 4, Unaccelerated: true}, hard, nil),
		solve("Solve, prices for mass, n = 3000", exact, priced, nil),
		solve("Solve, partial mass, n = 3000", exact, partial, nil),
		solve("gradient, unrolled, n = 3000", sinkhorn.Settings{Iterations: 1000, Gradient: true}, points, func(ctx context.Context, r *sinkhorn.Result[float64]) error {
			return r.PointGradientTo(ctx, dx, dy, sinkhorn.GradientUnrolled)
		}),
		{"Divergence, n = 3000", func(ctx context.Context) error {
			_, err := divergence.Divergence(ctx, dist.Matrix[float64]{}, dist.Matrix[float64]{}, &hard)
			return err
		}},
		batch("SolveBatch, 2000 of 20, in lanes", 2000, 20, false),
		batch("SolveBatch, 64 of 300, one K", 64, 300, true),
		batch("SolveBatch, 64 of 300", 64, 300, false),
	}
}

// exactTransports returns calls of the functions of package emd.
func exactTransports() []work {
	rng := rand.New(rand.NewPCG(4000, 1))
	random := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.Float64()
		}
		return v
	}
	normed := func(w []float64) []float64 {
		var sum float64
		for _, v := range w {
			sum += v
		}
		for i := range w {
			w[i] /= sum
		}
		return w
	}
	cloud := func(n, d int) dist.Matrix[float64] { return dist.NewMatrix(n, d, random(n*d)) }
	solver := new(emd.Solver[float64])
	solve := func(name string, p emd.Problem[float64]) work {
		return work{name, func(ctx context.Context) error { _, err := solver.Solve(ctx, &p); return err }}
	}
	var works []work
	for _, n := range []int{2000, 4000} {
		size := fmt.Sprintf(", n = %d", n)
		a, b := normed(random(n)), normed(random(n))
		x, y, cost := cloud(n, 2), cloud(n, 2), cloud(n, n)
		assigned := make([]int, n)
		works = append(works,
			solve("emd Solve, points, equal weights"+size, emd.Problem[float64]{X: x, Y: y}),
			solve("emd Solve, points, random weights"+size, emd.Problem[float64]{X: x, Y: y, A: a, B: b}),
			solve("emd Solve, random costs, equal weights"+size, emd.Problem[float64]{Cost: cost}),
			solve("emd Solve, random costs, random weights"+size, emd.Problem[float64]{Cost: cost, A: a, B: b}),
			solve("emd Solve, partial mass"+size, emd.Problem[float64]{X: x, Y: y, A: a, B: b, Mass: 0.7}),
			work{"emd Assign" + size, func(ctx context.Context) error { _, err := solver.Assign(ctx, assigned, cost); return err }},
		)
	}
	tall, few := cloud(400000, 12), cloud(12, 400000)
	assigned := make([]int, tall.Rows)
	plan := dist.NewMatrix(8, 400000, make([]float64, 8*400000))
	whole := dist.NewMatrix(4000, 4000, make([]float64, 4000*4000))
	heavy, other := normed(random(tall.Rows)), normed(random(few.Rows))
	planTo := func(name string, p emd.Problem[float64], dst dist.Matrix[float64]) work {
		var solver emd.Solver[float64]
		result := sync.OnceValue(func() *emd.Result[float64] {
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			r, err := solver.Solve(ended, &p)
			if r == nil {
				panic(err)
			}
			return r
		})
		return work{name, func(ctx context.Context) error {
			r := result()
			for range 100 {
				if err := r.PlanTo(ctx, dst, 0); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	long, other1D := random(3000000), random(2999999)
	wide := emd.Problem[float64]{X: cloud(10000, 1000), Y: cloud(10000, 1000)}
	gradient := dist.NewMatrix(10000, 1000, make([]float64, 10000*1000))
	line := func(name string, p float64, a, b []float64) work {
		return work{name, func(ctx context.Context) error {
			_, err := solver.Distance1D(ctx, long, other1D, a, b, p)
			return err
		}}
	}
	return append(works,
		solve("emd Solve, 400000 × 12", emd.Problem[float64]{Cost: tall, A: heavy, B: other}),
		solve("emd Solve, 12 × 400000", emd.Problem[float64]{Cost: few, A: other, B: heavy}),
		solve("emd Solve, points, n = 10000, d = 1000", wide),
		work{"emd Assign, 400000 × 12", func(ctx context.Context) error { _, err := solver.Assign(ctx, assigned, tall); return err }},
		work{"emd Assign, 12 × 400000", func(ctx context.Context) error { _, err := solver.Assign(ctx, assigned[:12], few); return err }},
		planTo("emd PlanTo, 4000 × 4000", emd.Problem[float64]{X: cloud(4000, 2), Y: cloud(4000, 2)}, whole),
		planTo("emd PlanTo, 8 × 400000", emd.Problem[float64]{Cost: dist.NewMatrix(8, 400000, few.Data[:8*400000])}, plan),
		line("emd Distance1D, p = 2", 2, nil, nil),
		line("emd Distance1D, p = 1.5, weights", 1.5, normed(random(len(long))), normed(random(len(other1D)))),
		work{"emd Sliced, n = 10000, d = 1000, gradient", func(ctx context.Context) error {
			_, err := solver.Sliced(ctx, gradient, dist.Matrix[float64]{}, &wide, nil)
			return err
		}},
	)
}

// readers returns computations that read data. A computation stops when its underlying reader returns an error.
func readers() []work {
	x, labels := randomSamples(100000, 100, 5)
	var csv, npy bytes.Buffer
	for i := range 30000 {
		for _, v := range x.RawRowView(i) {
			csv.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + ",")
		}
		fmt.Fprintln(&csv, labels[i])
	}
	if err := outfile.NPY(&npy, x); err != nil {
		panic(err)
	}
	read := func(name string, b []byte, opt *dataset.Options) work {
		return work{name, func(ctx context.Context) error {
			r, err := dataset.NewReader(until{ctx, bytes.NewReader(b)}, opt)
			if err == nil {
				_, err = dataset.Collect(func() (*dataset.Block, error) { return r.Next(4096) }, opt)
			}
			return err
		}}
	}
	return []work{
		read("CSV, 30000 × 101", csv.Bytes(), &dataset.Options{Format: dataset.FormatCSV}),
		read("NPY, 100000 × 100", npy.Bytes(), &dataset.Options{Format: dataset.FormatNPY, Labels: dataset.NoLabels()}),
	}
}

// until is a reader that returns an error after its context has ended.
type until struct {
	ctx context.Context
	r   io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.r.Read(p)
}
