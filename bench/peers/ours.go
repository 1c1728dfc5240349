package main

import (
	"math"
	"runtime"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/search"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/vecmath"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
)

var makers = map[string]maker{
	"ours":     func(s spec, dir string) *job { return byType(s, dir, ourJob[float64], ourJob[float32]) },
	"ours-f32": func(s spec, dir string) *job { return fitJob(s, dir, true) },
	// ours-mixed stores the kernel matrix K in float32, and computes in float64.
	"ours-mixed": func(s spec, dir string) *job { return mixedJob(s, dir) },
	// ours-plain searches without sketches (copies of the rows with one byte per element).
	"ours-plain": func(s spec, dir string) *job { return plainSearches(s, dir) },
	// ours-2 and ours-2-f32 run in a process with two threads.
	"ours-2":     func(s spec, dir string) *job { return parallel(s, dir, false) },
	"ours-2-f32": func(s spec, dir string) *job { return fitJob(s, dir, true) },
	"naive":      func(s spec, dir string) *job { return byType(s, dir, naive[float64], naive[float32]) },
	"gonum":      func(s spec, dir string) *job { return gonum(s, dir) },
	"vek":        func(s spec, dir string) *job { return vekPeer(s, dir) },
	"tphakala":   tphakalaPeer,
	"x448":       x448Peer,
	"hnsw":       hnswPeer,
	"chromem":    chromemPeer,
}

func byType(s spec, dir string, f64, f32 maker) *job {
	if s.text("type") == "f64" {
		return f64(s, dir)
	}
	return f32(s, dir)
}

// ourJob returns a job that calls this module. It uses the public API where possible.
func ourJob[T dist.Float](s spec, dir string) *job {
	n, d, p := s.int("n"), s.int("d"), s.int("p")
	switch s.kind {
	case "exp", "log", "softmax", "logsumexp":
		return elementwise(s, dir, map[string]func(dst, x []T){
			"exp": vecmath.Exp[T], "log": vecmath.Log[T], "softmax": vecmath.Softmax[T],
			"logsumexp": func(dst, x []T) { dst[0] = vecmath.LogSumExp(x) },
		})
	case "bytes":
		return oursBytes(s, dir)
	case "convert":
		return oursConversion(s, dir)
	case "pair":
		return oursPair[T](s, dir)
	case "query", "nearest":
		return queryJob(s, dir)
	case "search":
		return searchJob(s, dir)
	case "codes":
		return quantized(s, dir)
	case "sqdist", "gibbs":
		x, z, dst := loadMatrix[T](dir, "x", n, d), loadMatrix[T](dir, "y", n, d), dist.NewMatrix[T](n, n, nil)
		lambda := T(s.float("lambda"))
		run := func() { dist.SqEuclidean(dst, x, z) }
		if s.kind == "gibbs" {
			run = func() { dist.Gibbs(dst, x, z, lambda) }
		}
		return &job{run: run, result: func() []float64 { return widen(dst.Data) }}
	case "project":
		x, b, dst := loadMatrix[T](dir, "x", n, d), loadMatrix[T](dir, "y", d, p), dist.NewMatrix[T](n, p, nil)
		return &job{run: func() { matrix.Mul(dst, x, b, false) }, result: func() []float64 { return widen(dst.Data) }}
	case "iterate":
		return iterate[T](n, dir)
	case "lse":
		return logSumExp[T](n, dir)
	case "sinkhorn", "sinkhornlog":
		return solve[T](s, dir, sinkhorn.StorageDense)
	case "tiny", "many":
		return batchJob[T](s, dir)
	case "free":
		return matrixFree[T](s, dir)
	case "emd", "emdtiny", "assign", "line", "sliced":
		return exactJob[T](s, dir)
	case "wda", "fit":
		return fitJob(s, dir, false)
	}
	return nil
}

func loadMatrix[T dist.Float](dir, name string, rows, cols int) dist.Matrix[T] {
	return dist.NewMatrix(rows, cols, load[T](dir, name))
}

// queryJob returns a job that compares one query with stored rows.
func queryJob(s spec, dir string) *job {
	n, d, k := s.int("n"), s.int("d"), s.int("k")
	rows, err := search.NewRows(loadMatrix[float32](dir, "x", n, d), search.StorageFloat32)
	if err != nil {
		panic(err)
	}
	query, values := loadMatrix[float32](dir, "y", 1, d), dist.NewMatrix[float32](1, n, nil)
	var searcher search.Searcher
	if s.kind == "query" {
		return &job{
			run: func() {
				if err := searcher.Compare(background, values, rows, query, search.MeasureSqEuclidean); err != nil {
					panic(err)
				}
			},
			result: func() []float64 { return widen(values.Data) },
		}
	}
	var found [][]search.Neighbor
	return &job{
		run: func() {
			if found, err = searcher.Nearest(background, rows, query, k, search.MeasureSqEuclidean); err != nil {
				panic(err)
			}
		},
		result: func() []float64 {
			out := make([]float64, 0, k)
			for _, f := range found[0] {
				out = append(out, float64(f.Value))
			}
			return out
		},
	}
}

// searchJob returns a job that finds the nearest rows of many queries.
func searchJob(s spec, dir string, options ...search.RowOption) *job {
	m, k := s.int("m"), s.int("k")
	rows, err := search.NewRows(loadMatrix[float32](dir, "x", s.int("n"), s.int("d")), search.StorageFloat32, options...)
	if err != nil {
		panic(err)
	}
	queries, measure := loadMatrix[float32](dir, "y", m, s.int("d")), search.MeasureSqEuclidean
	if s.text("of") == "ip" {
		measure = search.MeasureInnerProduct
	}
	var searcher search.Searcher
	var found [][]search.Neighbor
	return &job{
		run: func() {
			if found, err = searcher.Nearest(background, rows, queries, k, measure); err != nil {
				panic(err)
			}
		},
		result: func() []float64 {
			out := make([]float64, 0, m*k)
			for _, neighbors := range found {
				for _, f := range neighbors {
					out = append(out, float64(f.Value))
				}
			}
			return out
		},
	}
}

func plainSearches(s spec, dir string) *job {
	if s.kind != "search" {
		return nil
	}
	return searchJob(s, dir, search.NoSketch)
}

// iterate returns a job that runs one Sinkhorn iteration. It calls the kernels directly.
func iterate[T dist.Float](n int, dir string) *job {
	k := load[T](dir, "x")
	u, v, q, w := make([]T, n), make([]T, n), make([]T, n), make([]T, n)
	for i := range w {
		v[i], w[i] = 1, 1/T(n)
	}
	run := func() {
		clear(q)
		pass.Iterate(n, n, k, n, v, w, u, q)
		pass.Divide(v, w, q)
	}
	return &job{run: run, result: func() []float64 {
		run()
		run() // the third
		return widen(u)
	}}
}

// mixedJob returns a job that calls monge with the kernel matrix K in float32 and vectors in float64.
func mixedJob(s spec, dir string) *job {
	switch {
	case s.text("type") != "f64":
		return nil
	case s.kind == "iterate":
		return iterateMixed(s.int("n"), dir)
	case s.kind == "sinkhorn", s.kind == "sinkhornlog":
		return solve[float64](s, dir, sinkhorn.StorageMixed)
	}
	return nil
}

// iterateMixed is like iterate, but with the kernel matrix K in float32.
func iterateMixed(n int, dir string) *job {
	k := make([]float32, n*n)
	pass.Narrow(k, load[float64](dir, "x"))
	u, v, q, w := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range w {
		v[i], w[i] = 1, 1/float64(n)
	}
	run := func() {
		clear(q)
		pass.Iterate(n, n, k, n, v, w, u, q)
		pass.Divide(v, w, q)
	}
	return &job{run: run, result: func() []float64 {
		run()
		run() // the third
		return u
	}}
}

// logSumExp returns a job that computes the log-sum-exp of every row. It runs a log-domain iteration with the
// potential g = 0. The iteration also computes the column sums of the softmax, which the peers do not compute.
func logSumExp[T dist.Float](n int, dir string) *job {
	x := load[T](dir, "x")
	g, a, top, sum, q, e := make([]T, n), make([]T, n), make([]T, n), make([]T, n), make([]T, n), make([]T, n)
	for i := range a {
		a[i] = 1
	}
	c := T(math.Log2E)
	out := make([]float64, n)
	return &job{
		run: func() {
			clear(q)
			exp.LogRows(n, n, x, n, -c, g, a, top, sum, q, e)
			for i := range out {
				out[i] = float64(top[i])*math.Ln2 + math.Log(float64(sum[i]))
			}
		},
		result: func() []float64 { return out },
	}
}

func solve[T dist.Float](s spec, dir string, storage sinkhorn.Storage) *job {
	n := s.int("n")
	set := sinkhorn.Settings{Lambda: s.float("lambda"), Iterations: s.int("iters"), Domain: sinkhorn.DomainPlain, Storage: storage}
	if s.kind == "sinkhornlog" {
		set.Domain = sinkhorn.DomainLog
	}
	solver, err := sinkhorn.NewSolver[T](&set)
	if err != nil {
		panic(err)
	}
	problem := &sinkhorn.Problem[T]{Cost: loadMatrix[T](dir, "x", n, n)}
	plan := dist.NewMatrix[T](n, n, nil)
	return &job{
		run: func() {
			r, err := solver.Solve(background, problem)
			if err != nil {
				panic(err)
			}
			if err := r.PlanTo(background, plan, 0); err != nil {
				panic(err)
			}
		},
		result: func() []float64 { return widen(plan.Data) },
	}
}

// batchJob returns a job that solves many problems in one call. In cases of kind "tiny", every problem has its own cost matrix. In
// cases of kind "many", the problems share one matrix and have different marginals. The results are the transport costs.
func batchJob[T dist.Float](s spec, dir string) *job {
	n, costs := s.int("n"), make([]float64, s.int("count"))
	solver, err := sinkhorn.NewSolver[T](&sinkhorn.Settings{Lambda: s.float("lambda"), Iterations: s.int("iters")})
	if err != nil {
		panic(err)
	}
	x, problems := load[T](dir, "x"), make([]sinkhorn.Problem[T], len(costs))
	for i := range problems {
		if s.kind == "tiny" {
			problems[i].Cost = dist.NewMatrix(n, n, x[i*n*n:][:n*n])
		} else {
			problems[i].Cost, problems[i].B = dist.NewMatrix(n, n, x), load[T](dir, "y")[i*n:][:n]
		}
	}
	return &job{
		run: func() {
			err := solver.SolveBatch(background, problems, func(i int, r *sinkhorn.Result[T], err error) {
				if err != nil {
					panic(err)
				}
				costs[i] = r.Cost
			})
			if err != nil {
				panic(err)
			}
		},
		result: func() []float64 { return costs },
	}
}

// matrixFree returns a job that solves a transport problem between points without storing a matrix. The result is the potential
// of the first point set, with its mean subtracted.
func matrixFree[T dist.Float](s spec, dir string) *job {
	n, d := s.int("n"), s.int("d")
	solver, err := sinkhorn.NewSolver[T](&sinkhorn.Settings{
		Lambda: s.float("lambda"), Iterations: s.int("iters"), Storage: sinkhorn.StorageMatrixFree, Workers: runtime.GOMAXPROCS(0),
	})
	if err != nil {
		panic(err)
	}
	problem := &sinkhorn.Problem[T]{X: loadMatrix[T](dir, "x", n, d), Y: loadMatrix[T](dir, "y", n, d)}
	f, g := make([]T, n), make([]T, n)
	return &job{
		run: func() {
			r, err := solver.Solve(background, problem)
			if err != nil {
				panic(err)
			}
			r.PotentialsTo(f, g)
		},
		result: func() []float64 {
			out := widen(f)
			mean := 0.0
			for _, x := range out {
				mean += x / float64(n)
			}
			for i := range out {
				out[i] -= mean
			}
			return out
		},
	}
}

// parallel returns a job that calls monge with two threads. It returns nil for cases that are measured with one thread only.
func parallel(s spec, dir string, single bool) *job {
	switch s.kind {
	case "wda", "fit":
		return fitJob(s, dir, single)
	case "tiny", "many":
		return batchJob[float64](s, dir)
	case "sinkhorn", "sinkhornlog", "free":
		if s.int("n") >= 1000 {
			return byType(s, dir, ourJob[float64], ourJob[float32])
		}
	}
	return nil
}

// fitJob returns a job that measures WDA. Cases of kind "wda" measure one evaluation of the cost with its gradient. The job runs a
// fit with a few conjugate gradient steps, and divides the time between the first and the last step by the number of gradients.
// This time is an upper bound, because line searches evaluate the cost more often than the gradient. Cases of kind "fit" measure
// a whole fit without shrinkage.
func fitJob(s spec, dir string, single bool) *job {
	if s.kind != "wda" && s.kind != "fit" {
		return nil
	}
	n, d, p, classes := s.int("n"), s.int("d"), s.int("p"), s.int("classes")
	x, start := mat.NewDense(n, d, load[float64](dir, "x")), mat.NewDense(d, p, load[float64](dir, "y"))
	labels := make([]int, n)
	for i := range labels {
		labels[i] = i / (n / classes)
	}
	set := wda.Settings{
		Components: p, Workers: runtime.GOMAXPROCS(0),
		Objective: wda.Objective{Lambda: wda.RelativeLambda(s.float("lambda")), Iterations: s.int("iters"), Shrinkage: wda.FixedShrinkage(0), Float32: single},
	}
	if s.kind == "fit" {
		set.Optimizer.MaxSteps = s.int("steps")
		var m *wda.Model
		return &job{
			run: func() {
				var err error
				if m, err = wda.Fit(background, x, labels, &set); err != nil {
					panic(err)
				}
			},
			result: func() []float64 { return []float64{1 / m.Report().Objective} },
		}
	}
	set.Optimizer = wda.Optimizer{Method: wda.ConjugateGradient{}, Init: start, MaxSteps: 6}
	var first, last time.Time
	set.Progress = func(at wda.Progress) error {
		last = time.Now()
		if at.Step.Index == 0 {
			first = last
		}
		return nil
	}
	var gradients int
	return &job{
		run: func() {
			m, err := wda.Fit(background, x, labels, &set)
			if err != nil {
				panic(err)
			}
			gradients = m.Report().Evaluations.Gradients
		},
		elapsed: func() float64 { return float64(last.Sub(first)) / float64(gradients-1) },
		result: func() []float64 {
			sc, err := wda.Score(background, x, labels, start, &wda.Scoring{Objective: set.Objective, Workers: set.Workers})
			if err != nil {
				panic(err)
			}
			j := sc.Objective // POT minimizes 1/J
			out := []float64{1 / j}
			for _, g := range sc.Gradient.RawMatrix().Data {
				out = append(out, -g/(j*j))
			}
			return out
		},
	}
}
