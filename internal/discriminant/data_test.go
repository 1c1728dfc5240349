package discriminant

import (
	"context"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/discriminant/wdatest"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

var (
	uniform     = wdatest.Uniform
	clusters    = wdatest.Clusters
	parts3      = wdatest.Parts3
	bitsEqual   = wdatest.BitsEqual
	off         = wdatest.Off
	relative    = wdatest.Relative
	manyClasses = wdatest.ManyClasses
	stretched   = wdatest.Stretched
)

// settings contains the parameters of the objective function in a test.
type settings struct {
	components, iterations, workers int
	lambda                          LambdaRule
	rho                             float64
	proportional                    bool
	gradient                        sinkhorn.GradientMode
}

// usualSettings returns the settings of most tests: relative λ = 1, ρ = 1, 10 iterations.
func usualSettings(components int) settings {
	return settings{components: components, iterations: 10, lambda: relativeLambda(1), rho: 1}
}

func relativeLambda(v float64) LambdaRule { return LambdaRule{Value: v, Relative: true} }

func configOf[T dist.Float](set settings) *Config[T] {
	return &Config[T]{Components: set.components, Iterations: set.iterations, Gradient: set.gradient, Proportional: set.proportional, Workers: set.workers}
}

func mustSamples(t testing.TB, x mat.Matrix, labels []int) *Samples {
	t.Helper()
	s, err := NewSamples(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// objectiveOf returns the objective of the samples, with λ and ridge determined at p.
func objectiveOf[T dist.Float](t testing.TB, s *Samples, set settings, p *mat.Dense) *Objective[T] {
	t.Helper()
	o, err := NewObjective(t.Context(), s, configOf[T](set))
	if err == nil {
		err = o.Prepare(t.Context(), set.lambda, set.rho, p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
