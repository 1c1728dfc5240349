package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/emd"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/spf13/cobra"
)

func newEMD(a *app) *cobra.Command {
	f := new(sinkhornFlags)
	cmd := &cobra.Command{
		Use:   "emd (--x FILE --y FILE | --cost FILE) [flags]",
		Short: "Solve an optimal transport problem exactly",
		Long: `Emd solves an optimal transport problem without entropy: it finds the plan that moves
the mass of one weighted point cloud to another at the least cost, and proves that it is the
least. Costs are squared Euclidean distances, or come from a file.`,
		Example: `  monge emd --x X.csv --y Y.csv
  monge emd --x X.csv --y Y.csv --a a.csv --b b.csv --plan plan.csv
  monge emd --cost cost.csv --mass 0.5 --json`,
		Annotations: map[string]string{details: emdDetails},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.emd(cmd, f) },
	}
	f.addProblem(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.plan, "plan", "", "`FILE`: where to write the plan: its entries, .csv, or all of it, .npy, or a picture of it, .png or .svg")
	fs.Float64Var(&f.mass, "mass", 0, "`MASS`: move only this mass, at most the sum of a and the sum of b (default all)")
	f.addFiles(cmd, a)
	return cmd
}

const emdDetails = `
The plan T has the row sums a and the column sums b, and the least ⟨T, M⟩, where
M_ij = ‖x_i − y_j‖² or a given cost. With --mass only that mass is moved, and a and b are
upper bounds.

The cost that is printed is at most the gap above the optimum. The gap is computed from
dual variables by one pass over all costs: it is the mass times their largest violation,
and the difference of the primal and the dual value. --json prints these numbers. The keys
are cost, gap, violation, marginal_error, primal, dual, pivots, status, rows, columns,
entries and plan. The dual variables are in the result of Go package emd only.

--plan writes a line "row,column,mass" for each entry of the plan to a CSV file. Rows and
columns are counted from 0. There are at most n + m − 1 entries.

Files of points, costs and weights are as for monge sinkhorn, which solves the problem
with entropy: use it for unequal masses, and for very large problems.`

type emdResult struct {
	Cost          number `json:"cost"`
	Gap           number `json:"gap"`
	Violation     number `json:"violation"`
	MarginalError number `json:"marginal_error"`
	Primal        number `json:"primal"`
	Dual          number `json:"dual"`
	Pivots        int    `json:"pivots"`
	Status        string `json:"status"`
	Rows          int    `json:"rows"`
	Columns       int    `json:"columns"`
	Entries       int    `json:"entries"`
	Plan          string `json:"plan,omitempty"`
}

func (a *app) emd(cmd *cobra.Command, f *sinkhornFlags) error {
	switch {
	case f.cost != "" && f.x+f.y != "":
		return usagef("--cost cannot be used with --x or --y: give costs or points")
	case (f.x == "") != (f.y == "") || (f.x == "") == (f.cost == ""):
		return usagef("either --x and --y, or --cost is required; see monge help emd")
	}
	if cmd.Flags().Changed("mass") {
		if err := checkPositive("mass", f.mass); err != nil {
			return err
		}
	}
	var ext string
	var err error
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
	var solver emd.Solver[float64]
	r, err := solver.Solve(cmd.Context(), &emd.Problem[float64]{Cost: p.Cost, X: p.X, Y: p.Y, A: p.A, B: p.B, Mass: p.Mass})
	if errors.Is(err, emd.ErrMarginals) {
		err = fmt.Errorf("%w%.0w", marginalsError(sinkhorn.ErrMarginals, p, emdMassAdvice), err)
	}
	if err != nil {
		return err
	}
	if f.plan != "" {
		if err := writeEntries(cmd, f.plan, ext, r, n, m); err != nil {
			return err
		}
	}
	c := r.Certificate
	out := emdResult{
		Cost: number(r.Cost), Gap: number(c.Gap), Violation: number(c.Violation), MarginalError: number(c.MarginalError), Primal: number(c.Primal),
		Dual: number(c.Dual), Pivots: r.Pivots, Status: r.Status.String(), Rows: n, Columns: m, Entries: len(r.Plan), Plan: f.plan,
	}
	return a.report(out, func(w io.Writer) {
		fmt.Fprintf(w, "cost\t%.15g\n", r.Cost)
		fmt.Fprintf(w, "gap\t%.3g: the optimum is not further below the cost\n", c.Gap)
		fmt.Fprintf(w, "marginal error\t%.3g\n", c.MarginalError)
		fmt.Fprintf(w, "plan\t%d × %d, %d entries\t%s\n", n, m, len(r.Plan), f.plan)
	})
}

// writeEntries writes the nonzero entries of the transport plan to a CSV file, writes the whole
// matrix to an NPY file, or draws a picture.
func writeEntries(cmd *cobra.Command, path, ext string, r *emd.Result[float64], n, m int) error {
	set := func(row []float64, i int) error {
		return r.PlanTo(cmd.Context(), dist.NewMatrix(1, m, row), i)
	}
	switch ext {
	case ".png", ".svg":
		return drawPlan(path, ext, n, m, set)
	case ".npy":
		return writeRows(path, ext, n, m, set)
	}
	return outfile.WriteFile(path, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		fmt.Fprintln(out, "row,column,mass")
		for _, e := range r.Plan {
			fmt.Fprintf(out, "%d,%d,%s\n", e.Row, e.Column, strconv.FormatFloat(e.Mass, 'g', -1, 64))
		}
		return out.Flush()
	})
}
