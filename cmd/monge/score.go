package main

import (
	"fmt"
	"io"

	"github.com/gomonge/monge/wda"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

type scoreFlags struct {
	trainFlags
	rows       rowFlags
	objective  objectiveFlags
	projection string
	model      string
	adaptive   bool
	shrinkage  string
}

func newScore(a *app) *cobra.Command {
	f := new(scoreFlags)
	cmd := &cobra.Command{
		Use:   "score --data FILE (--projection FILE | --model FILE) [flags]",
		Short: "Evaluate the objective at a given projection",
		Long: `Score prints J = σ_b² / (σ_w² + ridge), σ_b², σ_w² and the norm of the Riemannian
gradient G − P·sym(PᵀG) of J at a projection P, however it was found, so that any
projection can be compared with any other.

--lambda is taken as it is; with --adaptive that of two classes is --lambda divided
by the mean squared distance of their samples in P. λ is held fixed in the gradient.
There is no ridge unless --shrinkage ρ asks for ρ·σ_w². P is used as it is,
orthonormal or not.

Of an NPZ file with an array split the rows where it is 0 are used, as in fit.`,
		Example: `  monge score --data X.csv --labels y.csv --projection P.csv --lambda 1 --adaptive
  monge score --data X.csv --labels y.csv --projection P.csv --lambda-matrix lam.csv --iterations 10 --json
  monge score --data wine.csv --model wine.wda --lambda 1e-3`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.score(cmd, f) },
	}
	f.trainFlags.add(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.projection, "projection", "", "file of P (d × p, CSV without header or NPY)")
	fs.StringVar(&f.model, "model", "", "model file to take P from, instead of --projection")
	f.objective.add(cmd)
	fs.BoolVar(&f.adaptive, "adaptive", false, "--lambda is relative to the mean squared distances in P")
	fs.StringVar(&f.shrinkage, "shrinkage", "0", "ρ ≥ 0, the ridge as a multiple of σ_w²; auto is 1")
	f.rows.add(cmd, "training rows")
	return cmd
}

type scoreResult struct {
	Objective     number `json:"objective"`
	Between       number `json:"between"`
	Within        number `json:"within"`
	GradientNorm  number `json:"gradient_norm"`
	Ridge         number `json:"ridge"`
	Infeasibility number `json:"infeasibility"`
	Samples       int    `json:"samples"`
	Components    int    `json:"components"`
}

func (a *app) score(cmd *cobra.Command, f *scoreFlags) error {
	if err := requireFlags(cmd, "data"); err != nil {
		return err
	}
	if (f.projection == "") == (f.model == "") {
		return usagef("one of --projection and --model is required; see monge help score")
	}
	set, err := f.objective.settings(cmd)
	if err != nil {
		return err
	}
	if f.adaptive && f.objective.lambdaMatrix != "" {
		return usagef("--adaptive and --lambda-matrix exclude each other")
	}
	if !f.adaptive {
		set.Objective.Lambda = wda.Lambda{Value: f.objective.lambda, Absolute: true}
	}
	if set.Objective.Shrinkage, err = parseShrinkage(f.shrinkage); err != nil {
		return err
	}
	if err := f.rows.check(); err != nil {
		return err
	}
	p, source, err := f.readProjection()
	if err != nil {
		return err
	}
	d, err := f.train(&f.rows, maxClass)
	if err != nil {
		return err
	}
	switch r, c := p.Dims(); {
	case r != columns(d):
		return fmt.Errorf("%s: the projection has %d rows for the %d features of %s", source, r, columns(d), f.data)
	case c > r:
		return fmt.Errorf("%s: the projection has %d columns, more than its %d rows", source, c, r)
	}
	if f.objective.lambdaMatrix != "" {
		l, err := f.readLambdas(f.objective.lambdaMatrix, len(classNames(d)))
		if err != nil {
			return err
		}
		set.Objective.Lambda = wda.Lambda{Matrix: l}
	}
	s, err := wda.Score(cmd.Context(), d.X, d.Labels, p, &wda.Scoring{Objective: set.Objective, Workers: set.Workers})
	if err != nil {
		return inFile(f.data, explain(err))
	}
	out := scoreResult{
		Objective: number(s.Objective), Between: number(s.Between), Within: number(s.Within), GradientNorm: number(s.GradientNorm),
		Ridge: number(s.Ridge), Infeasibility: number(s.Infeasibility), Samples: d.Len(), Components: p.RawMatrix().Cols,
	}
	return a.report(out, func(w io.Writer) {
		fmt.Fprintf(w, "J\t%.15g\n", s.Objective)
		fmt.Fprintf(w, "between\t%.15g\n", s.Between)
		fmt.Fprintf(w, "within\t%.15g\n", s.Within)
		fmt.Fprintf(w, "ridge\t%.15g\n", s.Ridge)
		fmt.Fprintf(w, "gradient norm\t%.15g\n", s.GradientNorm)
		fmt.Fprintf(w, "‖PᵀP − I‖\t%.3g\n", s.Infeasibility)
	})
}

// readProjection returns P and the file it is from.
func (f *scoreFlags) readProjection() (p *mat.Dense, source string, err error) {
	if f.model == "" {
		p, err = f.readMatrix(f.projection)
		return p, f.projection, err
	}
	m, err := readModel(f.model)
	if err != nil {
		return nil, f.model, err
	}
	return m.Projection(), f.model, nil
}
