package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

// pairResult is the output for one of many problems.
type pairResult struct {
	Pair int64 `json:"pair"`
	*sinkhornResult
	Error string `json:"error,omitempty"`
}

// solvePairs solves the problems of a file of pairs in parallel and prints the results in the order
// of the file. With --json it prints one object per line.
func (a *app) solvePairs(cmd *cobra.Command, f *sinkhornFlags, set *sinkhorn.Settings) error {
	m, err := f.read.readMatrix(f.pairs)
	if err != nil {
		return err
	}
	names, problems, err := f.pairProblems(m)
	if err != nil {
		return err
	}
	solver, err := sinkhorn.NewSolver[float64](set)
	if err != nil {
		return err
	}
	results := make([]pairResult, len(problems))
	err = solver.SolveBatch(cmd.Context(), problems, func(i int, r *sinkhorn.Result[float64], err error) {
		results[i].Pair = names[i]
		if err != nil {
			results[i].Error = marginalsError(err, &problems[i], sinkhornMassAdvice).Error()
			return
		}
		one := newSinkhornResult(r, problems[i].X.Rows, problems[i].Y.Rows)
		if one.Mass, err = f.massMoved(cmd.Context(), r, one.Rows, one.Columns); err != nil {
			results[i].Error = err.Error()
			return
		}
		results[i].sinkhornResult = &one
	})
	if err != nil {
		return err
	}
	failed, rough := 0, 0
	for i := range results {
		if r := results[i].sinkhornResult; r == nil {
			failed++
		} else if r.Status == sinkhorn.StatusIterationLimit.String() || r.Status == sinkhorn.StatusLowPrecision.String() {
			rough++
		}
	}
	if err := a.reportPairs(results); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%s: %d of %d pairs could not be solved; their errors are in the output", f.pairs, failed, len(results))
	}
	if rough > 0 {
		return fmt.Errorf("%s: %w: %d of %d pairs have not reached the tolerance %g; use more --max-iterations, a larger --tolerance or a smaller --lambda",
			f.pairs, errUnfinished, rough, len(results), set.Tolerance)
	}
	return nil
}

// reportPairs prints a line for each pair.
func (a *app) reportPairs(results []pairResult) error {
	if !a.json {
		return a.report(nil, func(w io.Writer) {
			fmt.Fprintln(w, "pair\tcost\titerations\tmarginal error\tstatus")
			for _, r := range results {
				if r.Error != "" {
					fmt.Fprintf(w, "%d\t\t\t\t%s\n", r.Pair, r.Error)
					continue
				}
				fmt.Fprintf(w, "%d\t%.15g\t%d\t%.3g\t%s, %s domain\n", r.Pair, float64(r.Cost), r.Iterations, float64(r.MarginalError), r.Status, r.Domain)
			}
		})
	}
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	for i := range results {
		if err := enc.Encode(&results[i]); err != nil {
			return err
		}
	}
	return nil
}

// pairProblems returns one problem for each pair of samples x and y in m. A row of m is a point. It
// contains the number of the pair, the side (0 for x, 1 for y), the weight, and the coordinates. The
// rows of a pair are consecutive.
func (f *sinkhornFlags) pairProblems(m *mat.Dense) (names []int64, problems []sinkhorn.Problem[float64], err error) {
	rows, cols := m.Dims()
	d := cols - 3
	if d < 1 {
		return nil, nil, fmt.Errorf("%s: %d columns, but at least 4 are needed: the number of the pair, 0 for x or 1 for y, the weight, and the coordinates", f.pairs, cols)
	}
	seen := map[int64]bool{}
	for i := range rows {
		row := m.RawRowView(i)
		name := int64(row[0])
		if !(math.Abs(row[0]) < 1<<53) { // from 2⁵³ on, float64 cannot represent every whole number
			return nil, nil, fmt.Errorf("%s: row %d, column 1: the number of a pair must be below 2⁵³ = 9007199254740992, not %.0f: larger ones are not exact; number the pairs anew", f.pairs, i+1, row[0])
		}
		if float64(name) != row[0] {
			return nil, nil, fmt.Errorf("%s: row %d, column 1: the number of a pair must be a whole number, not %v", f.pairs, i+1, row[0])
		}
		if row[1] != 0 && row[1] != 1 {
			return nil, nil, fmt.Errorf("%s: row %d, column 2: must be 0 for a point of x or 1 for a point of y, not %v", f.pairs, i+1, row[1])
		}
		if row[2] < 0 {
			return nil, nil, fmt.Errorf("%s: row %d, column 3: the weight %v is negative; weights are positive or 0", f.pairs, i+1, row[2])
		}
		if len(names) == 0 || names[len(names)-1] != name {
			if seen[name] {
				return nil, nil, fmt.Errorf("%s: row %d: pair %d appears again; sort the file, so that the rows of a pair follow one another", f.pairs, i+1, name)
			}
			seen[name] = true
			names = append(names, name)
			problems = append(problems, sinkhorn.Problem[float64]{Lambda: f.lambda, PenaltyA: f.rhoA, PenaltyB: f.rhoB, Mass: f.mass})
		}
		p := &problems[len(problems)-1]
		points, weights := &p.X, &p.A
		if row[1] == 1 {
			points, weights = &p.Y, &p.B
		}
		*weights = append(*weights, row[2])
		*points = dist.Matrix[float64]{Rows: points.Rows + 1, Cols: d, Stride: d, Data: append(points.Data, row[3:]...)}
	}
	for i := range problems {
		if p := &problems[i]; p.X.Rows == 0 || p.Y.Rows == 0 {
			return nil, nil, fmt.Errorf("%s: pair %d has %d points of x and %d points of y; at least one of each is needed", f.pairs, names[i], p.X.Rows, p.Y.Rows)
		}
	}
	return names, problems, nil
}
