package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/spf13/cobra"
)

type sinkhornFlags struct {
	read          textFlags
	x, y, cost    string
	a, b          string
	pairs         string
	lambda        float64
	iterations    int
	tolerance     float64
	maxIterations int
	rhoA, rhoB    float64
	mass          float64
	domain        string
	plan          string
	level         string
}

func newSinkhorn(a *app) *cobra.Command {
	f := new(sinkhornFlags)
	cmd := &cobra.Command{
		Use:   "sinkhorn (--x FILE --y FILE | --cost FILE | --pairs FILE) --lambda λ [flags]",
		Short: "Solve an entropy-regularized optimal transport problem",
		Long: `Sinkhorn computes the plan T = diag(u) K diag(v), K = exp(−λM), between two weighted
point clouds (rows are points, M_ij = ‖x_i − y_j‖²) or for a given cost matrix M, and
prints the cost ⟨T, M⟩. From u = 1, an iteration is v = b ⊘ Kᵀu, u = a ⊘ K v. The
reg or ε of other programs is 1/λ.

Exactly --iterations are made, or as many as bring ‖Tᵀ1 − b‖₁ below --tolerance times
the mass, which is the default: where iterations are slow, Newton's method on the dual
takes over, and a pass over K counts as one. Where numbers would underflow, the same iterations
are made on logarithms; --domain plain fails there instead.

--rho-a and --rho-b are prices for marginals that are not a and b, which may then have
different sums: ρ_a KL(T1 | a) and ρ_b KL(Tᵀ1 | b) are added to the problem. With --mass
just so much is moved, and a and b are upper bounds.

All files are CSV without a header or NPY: points and costs one row per line,
weights one per line. A plan whose name ends in .png or .svg is drawn, as dark as much is
moved.

--pairs is for many problems in one file, a point per row: the number of the pair, 0 for a
point of x or 1 for one of y, its weight, its coordinates; the rows of a pair follow one
another. A line is printed for each pair, with --json an object; all are solved, and those
that cannot be have an error.`,
		Example: `  monge sinkhorn --x X.csv --y Y.csv --lambda 10
  monge sinkhorn --x X.csv --y Y.csv --a a.csv --b b.csv --lambda 100 --iterations 50 --plan T.csv
  monge sinkhorn --cost M.npy --lambda 5 --tolerance 1e-12 --json
  monge sinkhorn --x X.csv --y Y.csv --a a.csv --b b.csv --lambda 10 --rho-a 1 --rho-b 1
  monge sinkhorn --pairs pairs.csv --lambda 10 --tolerance 1e-6 --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.sinkhorn(cmd, f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.x, "x", "", "file of points, n × d")
	fs.StringVar(&f.y, "y", "", "file of points, m × d")
	fs.StringVar(&f.cost, "cost", "", "file of costs M, n × m, instead of points")
	fs.StringVar(&f.pairs, "pairs", "", "file of many problems: pair, 0 (x) or 1 (y), weight, coordinates")
	fs.StringVar(&f.a, "a", "", "file of n weights of x (default uniform)")
	fs.StringVar(&f.b, "b", "", "file of m weights of y (default uniform)")
	fs.Float64Var(&f.lambda, "lambda", 0, "λ > 0, multiplies the cost (required)")
	fs.IntVar(&f.iterations, "iterations", 0, "make exactly this many iterations")
	fs.Float64Var(&f.tolerance, "tolerance", 1e-9, "largest error of the marginal b at the end")
	fs.IntVar(&f.maxIterations, "max-iterations", 10000, "most iterations for --tolerance")
	fs.Float64Var(&f.rhoA, "rho-a", 0, "price of a marginal that is not a (default: it holds)")
	fs.Float64Var(&f.rhoB, "rho-b", 0, "price of a marginal that is not b (default: it holds)")
	fs.Float64Var(&f.mass, "mass", 0, "mass to move, at most that of a and of b (default: all)")
	fs.StringVar(&f.domain, "domain", sinkhorn.DomainAuto.String(), "auto, plain or log")
	fs.StringVar(&f.plan, "plan", "", "file to write the plan T to, .csv or .npy, or to draw it in, .png or .svg")
	f.read.add(cmd)
	addLevel(cmd, &f.level)
	return cmd
}

func (f *sinkhornFlags) settings(cmd *cobra.Command) (s sinkhorn.Settings, err error) {
	if err := requireFlags(cmd, "lambda"); err != nil {
		return s, err
	}
	switch {
	case f.pairs != "" && f.x+f.y+f.cost+f.a+f.b+f.plan != "":
		return s, usagef("--pairs excludes --x, --y, --cost, --a, --b and --plan")
	case f.pairs == "" && ((f.x == "") != (f.y == "") || (f.x == "") == (f.cost == "")):
		return s, usagef("either --x and --y or --cost or --pairs is required; see monge help sinkhorn")
	}
	if err := checkPositive("lambda", f.lambda); err != nil {
		return s, err
	}
	changed := cmd.Flags().Changed
	for _, x := range []struct {
		name  string
		value float64
	}{{"rho-a", f.rhoA}, {"rho-b", f.rhoB}, {"mass", f.mass}} {
		if changed(x.name) {
			if err := checkPositive(x.name, x.value); err != nil {
				return s, err
			}
		}
	}
	if f.mass > 0 && f.rhoA+f.rhoB > 0 {
		return s, usagef("--mass excludes --rho-a and --rho-b")
	}
	switch {
	case !changed("iterations"):
		if err := checkPositive("tolerance", f.tolerance); err != nil {
			return s, err
		}
		if err := checkRange("max-iterations", f.maxIterations, 1, math.MaxInt32); err != nil {
			return s, err
		}
		s.Tolerance, s.Iterations = f.tolerance, f.maxIterations
	case changed("tolerance"), changed("max-iterations"):
		return s, usagef("--iterations excludes --tolerance and --max-iterations")
	default:
		if err := checkRange("iterations", f.iterations, 1, math.MaxInt32); err != nil {
			return s, err
		}
		s.Iterations = f.iterations
	}
	if s.Domain.UnmarshalText([]byte(f.domain)) != nil {
		return s, usagef("--domain must be auto, plain or log, not %q", f.domain)
	}
	_, err = checkLevel(f.level)
	return s, err
}

type sinkhornResult struct {
	Cost          number `json:"cost"`
	Iterations    int    `json:"iterations"`
	MarginalError number `json:"marginal_error"`
	Status        string `json:"status"`
	Domain        string `json:"domain"`
	Rows          int    `json:"rows"`
	Columns       int    `json:"columns"`
	Plan          string `json:"plan,omitempty"`
}

func (a *app) sinkhorn(cmd *cobra.Command, f *sinkhornFlags) error {
	set, err := f.settings(cmd)
	if err != nil {
		return err
	}
	if f.pairs != "" {
		return a.solvePairs(cmd, f, &set)
	}
	var ext string
	if f.plan != "" {
		if ext, err = extension("plan", f.plan, ".csv", ".npy", ".png", ".svg"); err != nil {
			return err
		}
		if err := checkOutput(f.plan, f.x, f.y, f.cost, f.a, f.b); err != nil {
			return err
		}
	}
	p, n, m, err := f.problem()
	if err != nil {
		return err
	}
	solver, err := sinkhorn.NewSolver[float64](&set)
	if err != nil {
		return err
	}
	ctx, err := f.withLevel(cmd.Context())
	if err != nil {
		return err
	}
	r, err := solver.Solve(ctx, p)
	if f.domain == sinkhorn.DomainPlain.String() && errors.Is(err, sinkhorn.ErrRange) {
		return fmt.Errorf("%w; --domain auto or log may do it", err)
	}
	if err != nil {
		return err
	}
	if f.plan != "" {
		if err := writePlan(cmd.Context(), f.plan, ext, r, n, m); err != nil {
			return err
		}
	}
	out := resultOf(r, n, m)
	out.Plan = f.plan
	return a.report(out, func(w io.Writer) {
		fmt.Fprintf(w, "cost\t%.15g\n", r.Cost)
		fmt.Fprintf(w, "iterations\t%d (%s, %s domain)\n", r.Iterations, r.Status, r.Domain)
		fmt.Fprintf(w, "marginal error\t%.3g\n", r.MarginalError)
		plan := fmt.Sprintf("plan\t%d × %d", n, m)
		if f.plan != "" {
			plan += "\t" + f.plan
		}
		fmt.Fprintln(w, plan)
	})
}

// resultOf is what is printed of an n × m problem.
func resultOf(r *sinkhorn.Result[float64], n, m int) sinkhornResult {
	return sinkhornResult{
		Cost: number(r.Cost), Iterations: r.Iterations, MarginalError: number(r.MarginalError), Status: r.Status.String(),
		Domain: r.Domain.String(), Rows: n, Columns: m,
	}
}

// withLevel returns ctx with the instruction set that was asked for.
func (f *sinkhornFlags) withLevel(ctx context.Context) (context.Context, error) {
	if f.level == "" {
		return ctx, nil
	}
	level, err := checkLevel(f.level)
	return asm.WithLevel(ctx, level), err
}

// writePlan writes or draws the plan row by row: it may be larger than the memory.
func writePlan(ctx context.Context, path, ext string, r *sinkhorn.Result[float64], n, m int) error {
	set := func(row []float64, i int) error {
		return r.PlanTo(ctx, dist.NewMatrix(1, m, row), i)
	}
	if ext == ".png" || ext == ".svg" {
		return drawPlan(path, ext, n, m, set)
	}
	return writeRows(path, ext, n, m, set)
}

// problem reads the files.
func (f *sinkhornFlags) problem() (p *sinkhorn.Problem[float64], n, m int, err error) {
	p = &sinkhorn.Problem[float64]{Lambda: f.lambda, PenaltyA: f.rhoA, PenaltyB: f.rhoB, Mass: f.mass}
	read := func(path string) (dist.Matrix[float64], error) {
		m, err := f.read.readMatrix(path)
		if err != nil {
			return dist.Matrix[float64]{}, err
		}
		return matrixOf(m), nil
	}
	if f.cost != "" {
		if p.Cost, err = read(f.cost); err != nil {
			return nil, 0, 0, err
		}
		n, m = p.Cost.Rows, p.Cost.Cols
	} else {
		if p.X, err = read(f.x); err != nil {
			return nil, 0, 0, err
		}
		if p.Y, err = read(f.y); err != nil {
			return nil, 0, 0, err
		}
		if p.X.Cols != p.Y.Cols {
			return nil, 0, 0, fmt.Errorf("%s has points of %d dimensions, %s of %d", f.x, p.X.Cols, f.y, p.Y.Cols)
		}
		n, m = p.X.Rows, p.Y.Rows
	}
	for _, w := range []struct {
		name, path string
		size       int
		dst        *[]float64
	}{{"a", f.a, n, &p.A}, {"b", f.b, m, &p.B}} {
		if w.path == "" {
			continue
		}
		if *w.dst, err = f.read.readVector(w.path, "the weights "+w.name, w.size); err != nil {
			return nil, 0, 0, err
		}
		var sum float64
		for i, v := range *w.dst {
			if v < 0 {
				return nil, 0, 0, fmt.Errorf("%s: row %d: weight %v is negative", w.path, i+1, v)
			}
			sum += v
		}
		if !(sum > 0) {
			return nil, 0, 0, fmt.Errorf("%s: no weight is positive", w.path)
		}
	}
	return p, n, m, nil
}
