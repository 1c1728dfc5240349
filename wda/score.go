package wda

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// Scores contains the objective and its parts at a given projection. See Report for their units.
type Scores struct {
	Objective       float64 // J, with the ridge of the settings
	Between, Within float64 // σ_b² and σ_w², in the units of the data
	Ridge           float64
	Gradient        *mat.Dense    // Euclidean gradient ∂J/∂P (d × p), computed in the mode Objective.Gradient
	GradientNorm    float64       // ‖G − P sym(PᵀG)‖_F with G = Gradient: the norm of the Riemannian gradient if PᵀP = I
	Infeasibility   float64       // ‖PᵀP − I‖_F: 0 if P is orthonormal
	Lambda          *mat.SymDense // λ_cc', in the inverse squared unit of the data
}

// Scoring configures Score. The zero value works.
type Scoring struct {
	Objective Objective
	// Workers is the largest number of goroutines. Default GOMAXPROCS.
	Workers int
	// Executor, if not nil, runs parts of the work in other processes.
	Executor Executor
}

// Score evaluates J and its gradient at the projection p (d × k) for the samples x (n × d) and
// their labels. p need not be orthonormal. A relative λ and the ridge are computed at p. scoring may
// be nil. Errors are those of Fit.
func Score(ctx context.Context, x mat.Matrix, labels []int, p mat.Matrix, scoring *Scoring) (*Scores, error) {
	if err := checkSamples(ctx, x, labels); err != nil {
		return nil, err
	}
	s, err := discriminant.NewSamples(ctx, x, labels)
	if err != nil {
		return nil, err
	}
	d, k := p.Dims()
	if d != s.D {
		return nil, fmt.Errorf("%w: the projection has %d rows for %d features", ErrShape, d, s.D)
	}
	if err := checkFinite(ctx, p); err != nil {
		return nil, fmt.Errorf("projection: %w", err)
	}
	set := Settings{Components: k}
	if scoring != nil {
		set.Objective, set.Workers, set.Executor = scoring.Objective, scoring.Workers, scoring.Executor
	}
	set.Objective = set.Objective.withFixedDefaults()
	if set, err = set.withDefaults(ctx, s.N, s.D, len(s.Classes)); err != nil {
		return nil, err
	}
	if set.Objective.Float32 {
		return score[float32](ctx, s, p, set)
	}
	return score[float64](ctx, s, p, set)
}

func score[T dist.Float](ctx context.Context, s *discriminant.Samples, p mat.Matrix, set Settings) (*Scores, error) {
	o, err := discriminant.NewObjective(ctx, s, objectiveConfig[T](&set, s.D))
	if err != nil {
		return nil, err
	}
	at := mat.DenseCopyOf(p)
	if err := o.Prepare(ctx, set.Objective.Lambda.rule(), set.Objective.Shrinkage.rho, at); err != nil {
		return nil, err
	}
	sc := &Scores{Gradient: mat.NewDense(s.D, set.Components, nil), Lambda: o.Lambdas()}
	f, err := o.Negative(ctx, at, sc.Gradient)
	if err != nil {
		return nil, err
	}
	costs := o.Costs()
	sc.Objective, sc.Between, sc.Within, sc.Ridge = -f, clampReported(s.ToDataUnits(costs.Between)), clampReported(s.ToDataUnits(costs.Within)), clampReported(s.ToDataUnits(o.Ridge))
	sc.Gradient.Scale(-1, sc.Gradient)
	m := stiefel.New(s.D, set.Components)
	tangent := mat.NewDense(s.D, set.Components, nil)
	m.Tangent(ctx, tangent, at, sc.Gradient)
	sc.GradientNorm, sc.Infeasibility = math.Sqrt(m.Inner(at, tangent, tangent)), m.Infeasibility(ctx, at)
	return sc, fault.Ended(ctx, nil)
}
