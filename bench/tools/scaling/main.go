//go:build unix

// Command scaling measures the CPU time of one evaluation of the objective J with its gradient, and draws
// plots. It varies the number of samples n, the Sinkhorn iterations L, the components p and the features d,
// one quantity at a time.
//
//	go run ./bench/tools/scaling -out bench/tools/results/scaling
//
// The command above writes scaling.csv and scaling.png. The expected time is a·n + b·n² for n, and a + b·x for every other
// quantity x. Comments in the CSV file contain the largest relative deviation from each expected time. The machine should
// be idle.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// problem contains the sizes of a problem with 10 classes of n/10 samples.
type problem struct{ n, l, p, d int }

var base = problem{n: 1000, l: 10, p: 10, d: 784}

// axis is a quantity that the command varies.
type axis struct {
	name, label string
	values      []int
	set         func(*problem, int)
	power       int // the expected time for a value x on the axis is a·x^(power−1) + b·x^power
}

// No problem has more features than samples. Otherwise a fit would work in the span of the samples, and d would not matter.
var axes = []axis{
	{"n", "samples n", []int{800, 1000, 1400, 2000, 2800, 4000}, func(p *problem, v int) { p.n = v }, 2},
	{"L", "iterations L", []int{2, 5, 10, 20, 30, 40}, func(p *problem, v int) { p.l = v }, 1},
	{"p", "components p", []int{4, 8, 16, 24, 32, 40}, func(p *problem, v int) { p.p = v }, 1},
	{"d", "features d", []int{100, 200, 400, 600, 800, 1000}, func(p *problem, v int) { p.d = v }, 1},
}

func main() {
	out := flag.String("out", "scaling", "path of the results, without .csv and .png")
	rounds := flag.Int("rounds", 7, "rounds, of which the fastest counts")
	flag.Parse()
	if err := run(*out, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(1)
	}
}

func run(out string, rounds int) error {
	type point struct {
		a, v int
		p    problem
	}
	var points []point
	for a := range axes {
		for _, v := range axes[a].values {
			p := base
			axes[a].set(&p, v)
			points = append(points, point{a, v, p})
		}
	}
	debug.SetGCPercent(-1) // the loop below collects garbage between evaluations
	// Each round measures every point once, so other load on the machine affects all points.
	times := make([]float64, len(points))
	for round := range rounds {
		for i, pt := range points {
			runtime.GC()
			ms, err := evaluation(pt.p)
			if err != nil {
				return fmt.Errorf("%s = %d: %w", axes[pt.a].name, pt.v, err)
			}
			if round == 0 || ms < times[i] {
				times[i] = ms
			}
		}
	}
	var csv bytes.Buffer
	fmt.Fprintf(&csv, "# one J and its gradient, float64, %v, one thread; n = %d, L = %d, p = %d, d = %d where not varied\n", asm.Current(), base.n, base.l, base.p, base.d)
	csv.WriteString("axis,value,ms,fit_ms\n")
	plots := make([][]*plot.Plot, 2)
	at := 0
	for a, ax := range axes {
		x, y := make([]float64, len(ax.values)), times[at:at+len(ax.values)]
		at += len(ax.values)
		for i, v := range ax.values {
			x[i] = float64(v)
		}
		c0, c1 := fitCurve(x, y, ax.power)
		power := float64(ax.power)
		fit := func(v float64) float64 { return c0*math.Pow(v, power-1) + c1*math.Pow(v, power) }
		formula := fmt.Sprintf("%.2g + %.2g·%s", c0, c1, ax.name)
		if ax.power == 2 {
			formula = fmt.Sprintf("%.2g·n + %.2g·n²", c0, c1)
		}
		worst := 0.0
		for i, v := range ax.values {
			fmt.Fprintf(&csv, "%s,%d,%.4g,%.4g\n", ax.name, v, y[i], fit(x[i]))
			worst = max(worst, math.Abs(y[i]/fit(x[i])-1))
		}
		fmt.Fprintf(&csv, "# %s ms, off by %.1f %% at most\n", formula, 100*worst)
		p := picture.New(formula, ax.label, "ms")
		line := plotter.NewFunction(fit)
		line.Color = picture.Palette[1]
		line.XMin, line.XMax = 0, x[len(x)-1]
		dots, err := plotter.NewScatter(points2(x, y))
		if err != nil {
			return err
		}
		dots.Shape, dots.Color, dots.Radius = draw.CircleGlyph{}, picture.Palette[0], vg.Points(3)
		p.Add(line, dots)
		p.X.Min, p.Y.Min = 0, 0
		p.X.Max, p.Y.Max = x[len(x)-1], max(y[len(y)-1], fit(x[len(x)-1]))
		plots[a/2] = append(plots[a/2], p)
	}
	img := vgimg.New(16*vg.Centimeter, 12*vg.Centimeter)
	dc := draw.New(img)
	for j, row := range plot.Align(plots, draw.Tiles{Rows: 2, Cols: 2, PadX: vg.Points(14), PadY: vg.Points(14), PadTop: vg.Points(6), PadBottom: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(10)}, dc) {
		for i, c := range row {
			plots[j][i].Draw(c)
		}
	}
	var png bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(&png); err != nil {
		return err
	}
	for ext, b := range map[string][]byte{".csv": csv.Bytes(), ".png": png.Bytes()} {
		if err := write(out+ext, b); err != nil {
			return err
		}
	}
	fmt.Print(csv.String())
	return nil
}

// write replaces the file atomically: it writes the whole file or leaves the old file unchanged.
func write(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".scaling-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	if err == nil {
		err = f.Chmod(0o666 &^ 0o022)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

func points2(x, y []float64) plotter.XYs {
	p := make(plotter.XYs, len(x))
	for i := range p {
		p[i].X, p[i].Y = x[i], y[i]
	}
	return p
}

// fitCurve fits the curve a·x^(power−1) + b·x^power to the points (x, y) and returns a and b. It
// minimizes the sum of squared relative deviations.
func fitCurve(x, y []float64, power int) (a, b float64) {
	m, one := mat.NewDense(len(x), 2, nil), mat.NewVecDense(len(x), nil)
	for i := range x {
		m.Set(i, 0, math.Pow(x[i], float64(power-1))/y[i])
		m.Set(i, 1, math.Pow(x[i], float64(power))/y[i])
		one.SetVec(i, 1)
	}
	var c mat.VecDense
	if err := c.SolveVec(m, one); err != nil {
		return math.NaN(), math.NaN()
	}
	return c.AtVec(0), c.AtVec(1)
}

// evaluation returns the CPU time of one evaluation of J with its gradient, in milliseconds. It runs a few
// conjugate gradient steps and divides their time by the number of gradients.
func evaluation(s problem) (float64, error) {
	x, labels := gaussianClusters(s)
	var times []float64
	set := &wda.Settings{
		Components: s.p,
		Objective:  wda.Objective{Iterations: s.l, Shrinkage: wda.FixedShrinkage(.5)},
		Optimizer:  wda.Optimizer{Method: wda.ConjugateGradient{}, MaxSteps: 4, Init: startBasis(s)},
		Workers:    1,
		Progress:   func(wda.Progress) error { times = append(times, cpuTime()); return nil },
	}
	m, err := wda.Fit(context.Background(), x, labels, set)
	if err != nil {
		return 0, err
	}
	n := len(times) - 1
	return (times[n] - times[0]) / float64(m.Report().Evaluations.Gradients-1), nil
}

// cpuTime returns the CPU time of the process in milliseconds.
func cpuTime() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return math.NaN()
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e6
}

// gaussianClusters returns samples of 10 Gaussian classes, and their labels.
func gaussianClusters(s problem) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, labels := mat.NewDense(s.n, s.d, nil), make([]int, s.n)
	center := mat.NewDense(10, s.d, nil)
	for _, m := range []*mat.Dense{center, x} {
		for i, raw := 0, m.RawMatrix().Data; i < len(raw); i++ {
			raw[i] = rng.NormFloat64()
		}
	}
	for i := range labels {
		labels[i] = i % 10
		for j, c := range center.RawRowView(labels[i]) {
			x.Set(i, j, x.At(i, j)+c)
		}
	}
	return x, labels
}

// startBasis returns the first p unit vectors, as the initial projection.
func startBasis(s problem) *mat.Dense {
	p := mat.NewDense(s.d, s.p, nil)
	for j := range s.p {
		p.Set(j, j, 1)
	}
	return p
}
