package main

import (
	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/emd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// exactKinds contains the kinds of the cases that measure package emd.
var exactKinds = []string{"emd", "emdtiny", "assign", "line", "sliced"}

// exactJob returns a job that calls package emd. The results are costs or distances.
func exactJob[T dist.Float](s spec, dir string) *job {
	n, d := s.int("n"), s.int("d")
	solver, costs := new(emd.Solver[T]), make([]float64, max(1, s.int("count")))
	var run func() error
	switch s.kind {
	case "emd":
		a, b := loadWeights[T](s, dir)
		p := &emd.Problem[T]{Cost: loadMatrix[T](dir, "x", n, n), A: a, B: b}
		run = func() error {
			r, err := solver.Solve(background, p)
			if err == nil {
				costs[0] = r.Cost
			}
			return err
		}
	case "emdtiny":
		x, problems := load[T](dir, "x"), make([]emd.Problem[T], len(costs))
		for i := range problems {
			problems[i].Cost = dist.NewMatrix(n, n, x[i*n*n:][:n*n])
		}
		run = func() error {
			return solver.SolveBatch(background, problems, func(i int, r *emd.Result[T], err error) {
				if err != nil {
					panic(err)
				}
				costs[i] = r.Cost
			})
		}
	case "assign":
		x, columns := load[T](dir, "x"), make([]int, n)
		run = func() (err error) {
			for i := range costs {
				if costs[i], err = solver.Assign(background, columns, dist.NewMatrix(n, n, x[i*n*n:][:n*n])); err != nil {
					return err
				}
			}
			return nil
		}
	case "line":
		x, y, order := load[T](dir, "x"), load[T](dir, "y"), s.float("order")
		run = func() (err error) {
			costs[0], err = solver.Distance1D(background, x, y, nil, nil, order)
			return err
		}
	case "sliced":
		p := &emd.Problem[T]{X: loadMatrix[T](dir, "x", n, d), Y: loadMatrix[T](dir, "y", n, d)}
		o := &emd.SlicedOptions{Directions: s.int("directions")}
		run = func() (err error) {
			costs[0], err = solver.Sliced(background, dist.Matrix[T]{}, dist.Matrix[T]{}, p, o)
			return err
		}
	}
	return &job{
		run: func() {
			if err := run(); err != nil {
				panic(err)
			}
		},
		result: func() []float64 { return costs },
	}
}

// loadWeights returns the weights a and b of the two marginals in a case of kind emd.
func loadWeights[T dist.Float](s spec, dir string) (a, b []T) {
	y := load[T](dir, "y")
	return y[:s.int("n")], y[s.int("n"):]
}

// mostLP limits the transport problems of n × n points that gonum's linear programming solves. For n = mostLP, gonum takes 10
// to 40 ms. The time grows at least tenfold when n doubles.
const mostLP = 16

// gonumLP solves a transport problem as a linear program in standard form. It omits the constraint of the last column,
// because the constraints must be independent.
func gonumLP(s spec, dir string) *job {
	n := s.int("n")
	if n > mostLP {
		return nil
	}
	c, y := load[float64](dir, "x"), load[float64](dir, "y")
	constraints := mat.NewDense(2*n-1, n*n, nil)
	for i := range n {
		for j := range n {
			constraints.Set(i, i*n+j, 1)
			if j < n-1 {
				constraints.Set(n+j, i*n+j, 1)
			}
		}
	}
	var cost float64
	return &job{
		run: func() {
			var err error
			if cost, _, err = lp.Simplex(c, constraints, y[:2*n-1], 1e-10, nil); err != nil {
				panic(err)
			}
		},
		result: func() []float64 { return []float64{cost} },
	}
}
