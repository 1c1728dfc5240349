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
		Long: `Score evaluates the objective J of WDA at any given projection, so that
projections can be compared. It prints J, its transport costs, and the norm of its
gradient.`,
		Example: `  monge score --data X.csv --labels y.csv --projection P.csv --lambda 1 --adaptive
  monge score --data X.csv --labels y.csv --projection P.npy --lambda-matrix lambda.csv --json
  monge score --data wine.csv --model wine.wda --adaptive`,
		Annotations: map[string]string{details: scoreDetails},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.score(cmd, f) },
	}
	f.trainFlags.add(a, cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.projection, "projection", "", "`FILE`: file with the projection: d × p numbers, CSV without a header or NPY")
	fs.StringVar(&f.model, "model", "", "`FILE`: model to take the projection from, instead of --projection")
	f.objective.add(cmd)
	fs.BoolVar(&f.adaptive, "adaptive", false, "take --lambda relative to the mean squared distance of the classes after the projection")
	fs.StringVar(&f.shrinkage, "shrinkage", "0", "`ρ`: the ridge as a multiple of the cost within classes, 0 for none; auto is 1")
	f.rows.add(cmd, "the training rows")
	setMainFlags(cmd, "data", "model", "projection", "lambda", "adaptive", "shrinkage", "labels", "label-column")
	return cmd
}

const scoreDetails = `
J = between / (within + ridge), with the transport costs σ_b² between and σ_w² within the
classes. The gradient is the Riemannian one, G − P·sym(PᵀG), with λ held fixed.

--lambda is λ itself, in the units of the data. With --adaptive, the λ of two classes is
--lambda divided by the mean squared distance of their rows after the projection. The
ridge is 0, or ρ·σ_w² with --shrinkage ρ.

P is used without changes. If its columns are not orthonormal, as in most models of
monge fit, J depends on their length: use --adaptive then.

In an NPZ file with an array split, score uses the rows whose split is 0, as monge fit
does.`

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
	switch {
	case f.projection == "" && f.model == "":
		return usagef("either --projection or --model is required; see monge help score")
	case f.projection != "" && f.model != "":
		return exclusiveFlagsError("--projection", "--model")
	}
	set, err := f.objective.settings(cmd)
	if err != nil {
		return err
	}
	if f.adaptive && f.objective.lambdaMatrix != "" {
		return exclusiveFlagsError("--adaptive", "--lambda-matrix")
	}
	if !f.adaptive {
		set.Objective.Lambda = wda.AbsoluteLambda(f.objective.lambda)
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
	d, err := f.readTraining(&f.rows, maxClass)
	if err != nil {
		return err
	}
	switch r, c := p.Dims(); {
	case r != columnCount(d):
		return fmt.Errorf("%s: the projection has %d rows, but must have one for each of the %d features of %s", source, r, columnCount(d), f.data)
	case c > r:
		return fmt.Errorf("%s: the projection has %d columns, but cannot have more than its %d rows; is it transposed?", source, c, r)
	}
	if f.objective.lambdaMatrix != "" {
		l, err := f.readLambdas(f.objective.lambdaMatrix, len(classNames(d)))
		if err != nil {
			return err
		}
		set.Objective.Lambda = wda.LambdaMatrix(l)
	}
	s, err := wda.Score(cmd.Context(), d.X, d.Labels, p, &wda.Scoring{Objective: set.Objective, Workers: set.Workers})
	if err != nil {
		return withPath(f.data, explainNoSpread(err))
	}
	out := scoreResult{
		Objective: number(s.Objective), Between: number(s.Between), Within: number(s.Within), GradientNorm: number(s.GradientNorm),
		Ridge: number(s.Ridge), Infeasibility: number(s.Infeasibility), Samples: d.Len(), Components: p.RawMatrix().Cols,
	}
	return a.report(out, func(w io.Writer) {
		fmt.Fprintf(w, "J\t%.15g\tbetween / (within + ridge)\n", s.Objective)
		fmt.Fprintf(w, "between\t%.15g\ttransport cost between the classes, σ_b²\n", s.Between)
		fmt.Fprintf(w, "within\t%.15g\ttransport cost within the classes, σ_w²\n", s.Within)
		fmt.Fprintf(w, "ridge\t%.15g\tρ times the cost within\n", s.Ridge)
		fmt.Fprintf(w, "gradient norm\t%.15g\tzero at a maximum of J\n", s.GradientNorm)
		fmt.Fprintf(w, "‖PᵀP − I‖\t%.3g\tzero if the columns of P are orthonormal\n", s.Infeasibility)
		if !f.adaptive && f.objective.lambdaMatrix == "" && s.Infeasibility > 1e-6 {
			fmt.Fprintf(w, "\nThe columns of P are not orthonormal, so λ = %g does not mean what it means for other projections.\nUse --adaptive to compare J with others.\n", f.objective.lambda)
		}
	})
}

// readProjection returns a projection matrix and the path of its file.
func (f *scoreFlags) readProjection() (p *mat.Dense, source string, err error) {
	if f.model == "" {
		p, err = f.readMatrix(f.projection)
		return p, f.projection, err
	}
	m, err := readModel(f.model)
	if err != nil {
		return nil, f.model, err
	}
	f.useSchemaOf(f.model, m)
	return m.Projection(), f.model, nil
}
