//go:build unix

// Command converge compares three methods that iterate to a tolerance: plain iterations, plain iterations
// after ε-scaling with factor 4, and the default method. It solves many problems and prints one line for each problem. It
// marks the problems for which the default is not the fastest method, and prints median ratios.
//
//	go run ./bench/tools/converge [-n 256,1000] [-scales 1e2,1e3,1e4] [-tolerance 1e-9] [-budget 20s] [-runs 3] [-rho 0.1]
//
// Every time is the least CPU time of several runs. The methods take turns. All methods use one worker,
// float64 and StorageDense. A method stops if it has not converged within the budget, or within ten times
// the time of the default. In this case its time is marked with >, and its ratio is a lower bound.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/sinkhorn"
)

func main() {
	sizes := flag.String("n", "256,1000", "numbers of points")
	scales := flag.String("scales", "1e2,1e3,1e4", "λ·max M")
	tolerance := flag.Float64("tolerance", 1e-9, "marginal error to reach")
	budget := flag.Duration("budget", 20*time.Second, "longest solve")
	runs := flag.Int("runs", 3, "solves, of which the fastest counts")
	rho := flag.Float64("rho", 0, "price of mass that differs from a and b, times max M; 0 is balanced")
	flag.Parse()
	if err := table(*sizes, *scales, *tolerance, *rho, *budget, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "converge:", err)
		os.Exit(1)
	}
}

var methods = [3]struct {
	name string
	set  sinkhorn.Settings
}{
	{"plain", sinkhorn.Settings{Unaccelerated: true}},
	{"annealed", sinkhorn.Settings{Unaccelerated: true, Anneal: 4}},
	{"default", sinkhorn.Settings{}},
}

// outcome contains the time of a method and its number of passes over the kernel matrix.
type outcome struct {
	seconds float64
	passes  int
	reached bool
}

func (o outcome) String() string {
	mark := ""
	if !o.reached {
		mark = "> "
	}
	return fmt.Sprintf("%s%.3g | %d", mark, o.seconds*1e3, o.passes)
}

func table(sizes, scales string, tolerance, rho float64, budget time.Duration, runs int) error {
	fmt.Printf("tolerance %g, milliseconds and passes over K\n\n| cloud | n | λ·max M | plain | | annealed | | default | | plain/default | annealed/default | |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n", tolerance)
	var overPlain, overAnnealed []float64
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		for _, c := range clouds {
			for _, scale := range strings.Split(scales, ",") {
				lm, err := strconv.ParseFloat(scale, 64)
				if err != nil {
					return err
				}
				best, err := measure(c.problem(n, lm, rho), tolerance, budget, runs)
				if err != nil {
					return err
				}
				p, a := best[0].seconds/best[2].seconds, best[1].seconds/best[2].seconds
				overPlain, overAnnealed = append(overPlain, p), append(overAnnealed, a)
				note := ""
				switch {
				case !best[2].reached && !best[0].reached && !best[1].reached:
					note = "nobody"
				case !best[2].reached || min(p, a) < 0.95:
					note = "lost"
				}
				fmt.Printf("| %s | %d | %g | %v | %v | %v | %.2f | %.2f | %s |\n", c.name, n, lm, best[0], best[1], best[2], p, a, note)
			}
		}
	}
	fmt.Printf("\nmedian of plain/default %.3g, of annealed/default %.3g\n", median(overPlain), median(overAnnealed))
	return nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// Methods that take less than 0.2 seconds run nine times.
const short, shortRuns = 0.2, 9

// measure solves a problem several times with every method. Each run begins with the default method.
func measure(p *sinkhorn.Problem[float64], tolerance float64, budget time.Duration, runs int) (best [len(methods)]outcome, err error) {
	var solvers [len(methods)]*sinkhorn.Solver[float64] // later runs reuse the memory of the first run
	for i, m := range methods {
		set := m.set
		set.Tolerance, set.Iterations, set.Workers, set.Storage = tolerance, 1<<30, 1, sinkhorn.StorageDense
		if solvers[i], err = sinkhorn.NewSolver[float64](&set); err != nil {
			return best, err
		}
	}
	for run := range max(runs, shortRuns) {
		for i, s := range slices.Backward(solvers[:]) {
			if run > 0 && best[i].seconds > budget.Seconds()/10 || run >= runs && best[i].seconds > short {
				continue
			}
			most := budget.Seconds()
			if d := best[len(methods)-1]; i < len(methods)-1 && d.reached {
				most = min(most, 10*d.seconds)
			}
			start := cpuTime()
			ctx := &bounded{Context: context.Background(), end: start + most}
			r, err := s.Solve(ctx, p)
			o := outcome{seconds: cpuTime() - start}
			if r != nil {
				o.passes, o.reached = r.Iterations+r.Annealing, r.Status == sinkhorn.StatusConverged
			}
			if err != nil && !ctx.over {
				return best, err
			}
			if run == 0 || o.seconds < best[i].seconds {
				best[i] = o
			}
		}
	}
	return best, nil
}

// bounded is a context that ends when the CPU time of the process exceeds a limit.
type bounded struct {
	context.Context
	end   float64
	asked int
	over  bool
}

// Err reads the clock in every eighth call.
func (b *bounded) Err() error {
	if b.asked++; b.asked%8 == 0 && !b.over {
		b.over = cpuTime() > b.end
	}
	if b.over {
		return context.DeadlineExceeded
	}
	return nil
}

// cpuTime returns the CPU time of the process in seconds.
func cpuTime() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

// cloud is a distribution of points or costs.
type cloud struct {
	name string
	d    int // dimension of the points, or 0 for a matrix of random costs
	draw func(rng *rand.Rand, second bool) float64
}

var clouds = []cloud{
	{"uniform, d = 2", 2, func(rng *rand.Rand, _ bool) float64 { return rng.Float64() }},
	{"uniform, d = 10", 10, func(rng *rand.Rand, _ bool) float64 { return rng.Float64() }},
	{"normal, shifted, d = 2", 2, func(rng *rand.Rand, second bool) float64 {
		if second {
			return rng.NormFloat64() + 1
		}
		return rng.NormFloat64()
	}},
	{"uniform costs", 0, func(rng *rand.Rand, _ bool) float64 { return rng.Float64() }},
}

func (c cloud) problem(n int, lm, rho float64) *sinkhorn.Problem[float64] {
	rng := rand.New(rand.NewPCG(uint64(n), 77))
	if c.d == 0 {
		m := dist.NewMatrix[float64](n, n, nil)
		for i := range m.Data {
			m.Data[i] = c.draw(rng, false)
		}
		most := slices.Max(m.Data)
		return &sinkhorn.Problem[float64]{Cost: m, Lambda: lm / most, PenaltyA: rho * most, PenaltyB: rho * most}
	}
	x, y := dist.NewMatrix[float64](n, c.d, nil), dist.NewMatrix[float64](n, c.d, nil)
	for i := range x.Data {
		x.Data[i], y.Data[i] = c.draw(rng, false), c.draw(rng, true)
	}
	m := dist.NewMatrix[float64](n, n, nil)
	dist.SqEuclidean(m, x, y)
	most := slices.Max(m.Data)
	return &sinkhorn.Problem[float64]{X: x, Y: y, Lambda: lm / most, PenaltyA: rho * most, PenaltyB: rho * most}
}
