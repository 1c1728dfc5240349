package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

type sinkhornFlags struct {
	read          textFlags
	table         columnFlags // flags for the columns of x and y
	header        string
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
}

func newSinkhorn(a *app) *cobra.Command {
	f := new(sinkhornFlags)
	cmd := &cobra.Command{
		Use:   "sinkhorn (--x FILE --y FILE | --cost FILE | --pairs FILE) --lambda λ [flags]",
		Short: "Solve an entropy-regularized optimal transport problem",
		Long: `Sinkhorn solves an entropy-regularized optimal transport problem: it finds the plan
that moves the mass of one weighted point cloud to another at the least cost, and
prints the cost. Costs are squared Euclidean distances, or come from a file.`,
		Example: `  monge sinkhorn --x X.csv --y Y.csv --lambda 10
  monge sinkhorn --x X.csv --y Y.csv --a a.csv --b b.csv --lambda 10 --plan plan.csv
  monge sinkhorn --cost cost.csv --lambda 5 --tolerance 1e-12 --json
  monge sinkhorn --pairs pairs.csv --lambda 10 --tolerance 1e-6`,
		Annotations: map[string]string{details: sinkhornDetails},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.sinkhorn(cmd, f) },
	}
	f.addProblem(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.pairs, "pairs", "", "`FILE`: file with many problems, instead of one: see below")
	fs.Float64Var(&f.lambda, "lambda", 0, "`λ`: inverse of the regularization: 1/λ is called reg or epsilon elsewhere (required)")
	fs.Float64Var(&f.tolerance, "tolerance", 1e-9, "`ERROR`: iterate until the marginal error is at most this, relative to the mass")
	fs.StringVar(&f.plan, "plan", "", "`FILE`: where to write the plan, .csv or .npy, or a picture of it, .png or .svg")
	func() {
		defer groupFlags(cmd, methodFlags)()
		fs.IntVar(&f.iterations, "iterations", 0, "`NUMBER`: make exactly this many iterations, instead of --tolerance")
		fs.IntVar(&f.maxIterations, "max-iterations", 10000, "`NUMBER`: limit on the iterations with --tolerance; if it is reached, the exit code is 3")
		fs.Float64Var(&f.rhoA, "penalty-a", 0, "`NUMBER`: marginal penalty for a (default none: the marginal equals a)")
		fs.Float64Var(&f.rhoB, "penalty-b", 0, "`NUMBER`: marginal penalty for b (default none: the marginal equals b)")
		fs.Float64Var(&f.mass, "mass", 0, "`MASS`: move only this mass, at most the sum of a and the sum of b (default all)")
		fs.StringVar(&f.domain, "domain", sinkhorn.DomainAuto.String(), "`NAME`: what to compute with, plain numbers (plain), logarithms (log), or auto (logarithms where plain numbers would underflow)")
		completeValues(cmd, "domain", "auto", "plain", "log")
	}()
	fs.SetNormalizeFunc(oldFlagName)
	f.addFiles(cmd, a)
	return cmd
}

// addProblem adds the flags that name the files of a transport problem.
func (f *sinkhornFlags) addProblem(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.x, "x", "", "`FILE`: file with points to move from: n × d numbers")
	fs.StringVar(&f.y, "y", "", "`FILE`: file with points to move to: m × d numbers")
	fs.StringVar(&f.cost, "cost", "", "`FILE`: file with costs, n × m numbers, instead of points")
	fs.StringVar(&f.a, "a", "", "`FILE`: file with n weights of x (default all 1/n)")
	fs.StringVar(&f.b, "b", "", "`FILE`: file with m weights of y (default all 1/m)")
}

// addFiles adds the flags for reading files.
func (f *sinkhornFlags) addFiles(cmd *cobra.Command, a *app) {
	fs := cmd.Flags()
	f.read.add(cmd)
	f.table.app = a
	defer groupFlags(cmd, dataFlags)()
	fs.StringVar(&f.header, "header", "auto", "`NAME`: whether the first line of CSV contains column names, one of auto, present, absent. Costs, weights and pairs have names only with present")
	completeValues(cmd, "header", "auto", "present", "absent")
	fs.StringSliceVar(&f.table.columns, "columns", nil, "`NAMES`: the columns of x and y that are coordinates, separated by commas: names, patterns, numbers from 0, or ranges (default all columns)")
	fs.StringSliceVar(&f.table.drop, "drop", nil, "`NAMES`: columns of x and y to leave out, named as for --columns")
	fs.StringVar(&f.table.decimal, "decimal", "", "`CHARACTER`: in CSV files of x and y, the decimal separator, such as a comma (default a point)")
}

// oldFlagName replaces the flag names rho-a and rho-b, from before version 1, by their new names.
func oldFlagName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if side, ok := strings.CutPrefix(name, "rho-"); ok {
		name = "penalty-" + side
	}
	return pflag.NormalizedName(name)
}

const sinkhornDetails = `
The plan is T = diag(u) K diag(v) with K = exp(−λM), where M_ij = ‖x_i − y_j‖² or a
given cost. An iteration is v = b ⊘ Kᵀu, then u = a ⊘ K v, from u = 1.

The cost that is printed is ⟨T, M⟩. If x and y have the same mass, and all of it moves,
it exceeds the cost without entropy by at most log(min(n, m))/λ times the mass.

Iterations are made until ‖Tᵀ1 − b‖₁ is below --tolerance times the mass. Where they
converge slowly, Newton's method on the dual problem takes over; a pass over K then
counts as an iteration. If --max-iterations are not enough, the result is printed, a
line on standard error says so, and the exit code is 3.

--penalty-a and --penalty-b are for unbalanced transport: the terms
penalty_a·KL(T1 | a) and penalty_b·KL(Tᵀ1 | b) are added to the problem, and a and b may
have different sums. With --mass only that mass is moved, and a and b are upper
bounds. The regularized cost and the Sinkhorn divergence are in Go only: package
sinkhorn.

Points are rows of a file of any format that monge fit reads, with column names or
without. If both files have names, the columns of y are matched to those of x by name.
Costs and weights are CSV or NPY: one row of costs, or one weight, on each line. CSV has
no header unless --header present says so. A drawn plan is dark where much is moved.

A file for --pairs has a point on each row: the number of the problem, 0 for a point
of x or 1 for a point of y, its weight, its coordinates. The rows of a problem follow
one another. One line is printed for each problem, with --json one object. A problem
that cannot be solved has an error there, and the exit code is 1.`

func (f *sinkhornFlags) settings(cmd *cobra.Command) (s sinkhorn.Settings, err error) {
	if err := requireFlags(cmd, "lambda"); err != nil {
		return s, err
	}
	switch {
	case f.pairs != "" && f.x+f.y+f.cost+f.a+f.b+f.plan != "":
		return s, usagef("--pairs cannot be used with --x, --y, --cost, --a, --b or --plan: leave these out")
	case f.cost != "" && f.x+f.y != "":
		return s, usagef("--cost cannot be used with --x or --y: give costs or points")
	case f.pairs == "" && ((f.x == "") != (f.y == "") || (f.x == "") == (f.cost == "")):
		return s, usagef("either --x and --y, or --cost, or --pairs is required; see monge help sinkhorn")
	}
	if err := checkPositive("lambda", f.lambda); err != nil {
		return s, err
	}
	changed := cmd.Flags().Changed
	for _, x := range []struct {
		name  string
		value float64
	}{{"penalty-a", f.rhoA}, {"penalty-b", f.rhoB}, {"mass", f.mass}} {
		if changed(x.name) {
			if err := checkPositive(x.name, x.value); err != nil {
				return s, err
			}
		}
	}
	if f.mass > 0 && f.rhoA+f.rhoB > 0 {
		return s, usagef("--mass cannot be used with --penalty-a or --penalty-b: leave out one of them")
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
		return s, usagef("--iterations cannot be used with --tolerance or --max-iterations: give a number of iterations or a tolerance")
	default:
		if err := checkRange("iterations", f.iterations, 1, math.MaxInt32); err != nil {
			return s, err
		}
		s.Iterations = f.iterations
	}
	var header dataset.Header
	if err := header.UnmarshalText([]byte(f.header)); err != nil {
		return s, usagef("--header must be auto, present or absent, not %q", f.header)
	}
	f.read.named = header == dataset.HeaderPresent
	if s.Domain.UnmarshalText([]byte(f.domain)) != nil {
		return s, usagef("--domain must be auto, plain or log, not %q", f.domain)
	}
	return s, nil
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
	Mass          number `json:"mass,omitempty"` // mass of the plan, with marginal penalties
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
		if ext, err = checkExtension("plan", f.plan, ".csv", ".npy", ".png", ".svg"); err != nil {
			return err
		}
		if err := checkOutput(f.plan, f.x, f.y, f.cost, f.a, f.b); err != nil {
			return err
		}
	}
	p, n, m, err := f.readProblem()
	if err != nil {
		return err
	}
	solver, err := sinkhorn.NewSolver[float64](&set)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	r, err := solver.Solve(ctx, p)
	if f.domain == sinkhorn.DomainPlain.String() && errors.Is(err, sinkhorn.ErrRange) {
		return fmt.Errorf("%w; use --domain auto or log", err)
	}
	if err != nil {
		return marginalsError(err, p, sinkhornMassAdvice)
	}
	if f.plan != "" {
		if err := writePlan(cmd.Context(), f.plan, ext, r, n, m); err != nil {
			return err
		}
	}
	out := newSinkhornResult(r, n, m)
	out.Plan = f.plan
	if out.Mass, err = f.massMoved(ctx, r, n, m); err != nil {
		return err
	}
	err = a.report(out, func(w io.Writer) {
		fmt.Fprintf(w, "cost\t%.15g\n", r.Cost)
		fmt.Fprintf(w, "iterations\t%s\n", iterationsText(&set, r))
		fmt.Fprintf(w, "marginal error\t%.3g\n", r.MarginalError)
		if out.Mass > 0 {
			fmt.Fprintf(w, "mass moved\t%.6g, of %.6g in x and %.6g in y\n", float64(out.Mass), massOf(p.A), massOf(p.B))
		}
		plan := fmt.Sprintf("plan\t%d × %d", n, m)
		if f.plan != "" {
			plan += "\t" + f.plan
		}
		fmt.Fprintln(w, plan)
	})
	return errors.Join(err, unfinishedError(&set, r))
}

// sinkhornMassAdvice and emdMassAdvice suggest flags for weights with different sums.
const (
	sinkhornMassAdvice = "use --penalty-a and --penalty-b (unbalanced) or --mass (partial)"
	emdMassAdvice      = "use --mass (partial); monge sinkhorn also solves unbalanced problems"
)

// marginalsError replaces sinkhorn.ErrMarginals by an error with the sums of the weights and the
// advice. It returns other errors unchanged.
func marginalsError(err error, p *sinkhorn.Problem[float64], advice string) error {
	if !errors.Is(err, sinkhorn.ErrMarginals) {
		return err
	}
	x, y := massOf(p.A), massOf(p.B)
	if p.Mass > 0 {
		return fmt.Errorf("--mass is %v, but x has the mass %v and y %v; it may be at most %v", p.Mass, x, y, math.Min(x, y))
	}
	if x != y {
		return fmt.Errorf("the weights of x sum to %v, but those of y to %v; scale one of them, or %s", x, y, advice)
	}
	return err
}

// massOf returns the sum of the weights, or 1 without weights.
func massOf(weights []float64) float64 {
	if weights == nil {
		return 1
	}
	return floats.Sum(weights)
}

// massMoved returns the sum of the n × m transport plan. It returns 0 if there are no marginal
// penalties, because the weights then determine the sum.
func (f *sinkhornFlags) massMoved(ctx context.Context, r *sinkhorn.Result[float64], n, m int) (sum number, err error) {
	if f.rhoA+f.rhoB == 0 {
		return 0, nil
	}
	row := dist.NewMatrix[float64](1, m, nil)
	for i := range n {
		if err := r.PlanTo(ctx, row, i); err != nil {
			return 0, err
		}
		sum += number(floats.Sum(row.Data))
	}
	return sum, nil
}

// iterationsText describes the number of iterations and how they ended.
func iterationsText(set *sinkhorn.Settings, r *sinkhorn.Result[float64]) string {
	text := fmt.Sprintf("%d, in the %s domain", r.Iterations, r.Domain)
	switch r.Status {
	case sinkhorn.StatusCompleted:
		return text + ", as many as asked for"
	case sinkhorn.StatusConverged:
		return text + fmt.Sprintf(": converged to the tolerance %g", set.Tolerance)
	case sinkhorn.StatusIterationLimit:
		return text + fmt.Sprintf(": not converged to the tolerance %g", set.Tolerance)
	case sinkhorn.StatusLowPrecision:
		return text + ": the plan is inaccurate, because λ times the largest cost exceeds the precision of float64"
	}
	return text + ": " + r.Status.String()
}

// unfinishedError returns an error if the result is less precise than required.
func unfinishedError(set *sinkhorn.Settings, r *sinkhorn.Result[float64]) error {
	switch r.Status {
	case sinkhorn.StatusIterationLimit:
		return fmt.Errorf("%w: after %d iterations the marginal error is %.3g, above the tolerance %g; use more --max-iterations, a larger --tolerance or a smaller --lambda",
			errUnfinished, r.Iterations, r.MarginalError, set.Tolerance)
	case sinkhorn.StatusLowPrecision:
		return fmt.Errorf("%w: λ times the largest cost is beyond the precision of float64; use a smaller --lambda", errUnfinished)
	}
	return nil
}

// newSinkhornResult returns the output for an n × m problem.
func newSinkhornResult(r *sinkhorn.Result[float64], n, m int) sinkhornResult {
	return sinkhornResult{
		Cost: number(r.Cost), Iterations: r.Iterations, MarginalError: number(r.MarginalError), Status: r.Status.String(),
		Domain: r.Domain.String(), Rows: n, Columns: m,
	}
}

// writePlan writes or draws the transport plan row by row, because the whole matrix may not fit in
// memory.
func writePlan(ctx context.Context, path, ext string, r *sinkhorn.Result[float64], n, m int) error {
	set := func(row []float64, i int) error {
		return r.PlanTo(ctx, dist.NewMatrix(1, m, row), i)
	}
	if ext == ".png" || ext == ".svg" {
		return drawPlan(path, ext, n, m, set)
	}
	return writeRows(path, ext, n, m, set)
}

// readPoints reads the points x and y. It sorts the named columns of y in the order of the columns
// of x.
func (f *sinkhornFlags) readPoints() (x, y dist.Matrix[float64], err error) {
	var sets [2]*dataset.Dataset
	for i, path := range []string{f.x, f.y} {
		opt, err := f.read.options()
		if err != nil {
			return x, y, err
		}
		opt.Labels, opt.Vector = dataset.NoLabels(), true
		opt.Header.UnmarshalText([]byte(f.header)) // cannot fail, because sinkhornFlags.settings has checked f.header
		if err := f.table.apply(&opt); err != nil {
			return x, y, err
		}
		if sets[i], err = f.table.readNumbers(path, &opt); err != nil {
			err = pointsError(err)
			if fe, ok := errors.AsType[*dataset.FileError](err); ok && fe.Row == 0 && f.table.drop != nil {
				err = fmt.Errorf("%w; columns of --drop must be in both files: otherwise choose the coordinates by --columns", err)
			}
			return x, y, err
		}
	}
	a, b := sets[0], sets[1]
	x, y = matrixOf(a.X), matrixOf(b.X)
	if x.Cols != y.Cols {
		return x, y, fmt.Errorf("%s has points of %d dimensions, but %s has points of %d; both need the same", displayName(f.x), x.Cols, displayName(f.y), y.Cols)
	}
	if a.Columns == nil || b.Columns == nil || slices.Equal(a.Columns, b.Columns) {
		return x, y, nil
	}
	ordered := mat.NewDense(y.Rows, y.Cols, nil)
	for j, name := range a.Columns {
		k := slices.Index(b.Columns, name)
		if k < 0 {
			return x, y, fmt.Errorf("%s has no column %q, which %s has; use --columns or --drop to choose columns that both have", displayName(f.y), name, displayName(f.x))
		}
		ordered.SetCol(j, mat.Col(nil, k, b.X))
	}
	return x, matrixOf(ordered), nil
}

// pointsError is like readError, but has its own suggestions for text columns and missing values.
func pointsError(err error) error {
	if fe, ok := errors.AsType[*dataset.FileError](err); ok {
		switch fe.Option {
		case "OneHot":
			return fmt.Errorf("%w; use --drop %s to leave the column out", err, quoteForShell(flagColumn(fe)))
		case "KeepMissing":
			return fmt.Errorf("%w; every point needs all of its coordinates", err)
		}
	}
	return readError(err)
}

// readProblem reads the files of a problem.
func (f *sinkhornFlags) readProblem() (p *sinkhorn.Problem[float64], n, m int, err error) {
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
		if p.X, p.Y, err = f.readPoints(); err != nil {
			return nil, 0, 0, err
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
				return nil, 0, 0, fmt.Errorf("%s: row %d: the weight %v is negative; weights are positive or 0", w.path, i+1, v)
			}
			sum += v
		}
		if !(sum > 0) {
			return nil, 0, 0, fmt.Errorf("%s: all weights are 0; at least one must be positive", w.path)
		}
	}
	return p, n, m, nil
}
