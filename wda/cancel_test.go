package wda

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/discriminant/wdatest"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// TestPhasesCheckContext checks that functions that run before or after the solver check the context several times and
// return soon after the context has ended.
func TestPhasesCheckContext(t *testing.T) {
	t.Parallel()
	const n, d = 720, 200
	x, labels := parts3(1, n, d)
	s, err := discriminant.NewSamples(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	wdatest.PhaseChecks(t, "checkFinite", 2, func(ctx context.Context) { checkFinite(ctx, x) })
	wdatest.PhaseChecks(t, "subset", 2, func(ctx context.Context) { copyRows(ctx, x, labels, make([]int, n)) })
	wdatest.PhaseChecks(t, "NewClassifier", 5, func(ctx context.Context) {
		NewClassifier(ctx, newModel(s, uniform(8, d, d), Report{}), x, labels, 1)
	})
}

// TestEndsAnywhere checks that a fit returns the cause of its context if the context ends at any point of the fit.
// After the context has ended, the fit may check the context at most 60 times.
func TestEndsAnywhere(t *testing.T) {
	t.Parallel()
	x, labels := parts3(4, 90, 8)
	wide, wideLabels := parts3(5, 24, 40)
	few := Optimizer{MaxSteps: 3}
	type data struct {
		x      *mat.Dense
		labels []int
	}
	tall, broad := data{x, labels}, data{wide, wideLabels}
	fit := func(d data, set Settings) func(context.Context) error {
		set.Workers = 1
		return func(ctx context.Context) error {
			m, err := Fit(ctx, d.x, d.labels, &set)
			if err != nil && m != nil && m.Report().Status != StatusCanceled {
				return fmt.Errorf("a model with status %v", m.Report().Status)
			}
			return err
		}
	}
	for name, do := range map[string]func(context.Context) error{
		"choice":        fit(tall, *withFixedScale(Settings{Optimizer: few})),
		"wide choice":   fit(broad, Settings{Optimizer: few}),
		"standardized":  fit(tall, *paperSettings(Settings{Data: Data{Standardize: true}, Optimizer: few, Objective: Objective{Float32: true}})),
		"whitened":      fit(broad, *paperSettings(Settings{Data: Data{Whitening: DiagonalWhitening(LedoitWolf)}, Optimizer: few})),
		"eigen":         fit(tall, *paperSettings(Settings{Optimizer: Optimizer{Method: Eigen{}, MaxSteps: 3}})),
		"trace ratio":   fit(tall, *paperSettings(Settings{Optimizer: Optimizer{Method: Eigen{TraceRatio: true}, MaxSteps: 3}})),
		"mini-batches":  fit(tall, *paperSettings(Settings{Optimizer: Optimizer{Method: MiniBatch{BatchSize: 8}, MaxSteps: 2}})),
		"Fisher":        fit(tall, *paperSettings(Settings{Optimizer: Optimizer{Method: Fisher{}}})),
		"paper, starts": fit(tall, Settings{Objective: PaperSettings(2).Objective, Data: PaperSettings(2).Data, Scale: ScaleOrthonormal, Optimizer: Optimizer{Method: ProjectedGradient{}, MaxSteps: 3, Starts: 2}}),
		"validation":    fit(tall, *paperSettings(Settings{Validation: &Validation{}, Optimizer: few})),
		"own start":     fit(broad, *paperSettings(Settings{Optimizer: Optimizer{Init: uniform(6, 40, 2), MaxSteps: 3}})),
		"Prepare":       func(ctx context.Context) error { _, err := Prepare(ctx, wide, wideLabels, nil); return err },
		"Score": func(ctx context.Context) error {
			_, err := Score(ctx, x, labels, uniform(7, 8, 2), &Scoring{Workers: 1})
			return err
		},
		"CrossValidate": func(ctx context.Context) error {
			_, err := CrossValidate(ctx, x, labels, &CrossValidation{Fit: Settings{Optimizer: few, Workers: 1}, Folds: 2})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "wide choice" {
				testdata.Long(t)
			}
			all := ending.At(0)
			if err := do(all); err != nil {
				t.Fatal(err)
			}
			tries := 100
			if !testdata.IsLong() {
				tries = 3
			}
			step := max(1, all.Checks()/tries)
			for last := 1; last < all.Checks(); last += step {
				c := ending.At(last)
				err := do(c)
				if !errors.Is(err, ending.ErrAt) {
					t.Fatalf("ended at %d of %d: %v", last, all.Checks(), err)
				}
				if c.ChecksAfterEnd() > 60 {
					t.Fatalf("ended at %d of %d: %d more checks", last, all.Checks(), c.ChecksAfterEnd())
				}
			}
		})
	}
}
