package wda

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/subspace"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/baseline"
	"gonum.org/v1/gonum/mat"
)

// TestPhasesAsk: everything in a fit that grows with the data asks the context once for
// every piece of a size that does not, and does nothing any more when it has ended. Work
// is counted, not timed: who does not ask fails, however fast the machine.
func TestPhasesAsk(t *testing.T) {
	t.Parallel()
	const n, d = 720, 200 // two looks at the context a pass over the samples
	x, labels := parts3(1, n, d)
	ctx := context.Background()
	s, err := newSamples(ctx, x, labels)
	if err != nil {
		t.Fatal(err)
	}
	wide, wideLabels := parts3(2, 150, 300)
	w, err := newSamples(ctx, wide, wideLabels)
	if err != nil {
		t.Fatal(err)
	}
	p, g := uniform(3, d, 4), mat.NewDense(d, 4, nil)
	set, err := pinned(Settings{Components: 4, Workers: 1}).withDefaults(ctx, n, d, 3)
	if err != nil {
		t.Fatal(err)
	}
	o, err := newObjective[float64](ctx, s, &set)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.prepare(ctx, &set, p); err != nil {
		t.Fatal(err)
	}
	if err := o.evaluate(ctx, p, true); err != nil {
		t.Fatal(err)
	}
	e, err := newEigen(ctx, o, &set, n, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.assemble(ctx, p); err != nil {
		t.Fatal(err)
	}
	definite := func() matrix.Matrix[float64] {
		a := gram(ctx, dense.View(w.x), 1)
		for i := range a.Rows {
			a.Set(i, i, a.At(i, i)+1)
		}
		return a
	}
	chol, ok := algebra.NewCholesky(ctx, definite())
	if !ok {
		t.Fatal("no factor")
	}
	tall, sw := uniform(6, d, 90), newSpan(ctx, w, conditionLimit, 1)
	for _, phase := range []struct {
		name  string
		least int // times that it asks
		do    func(ctx context.Context)
	}{
		{"checkFinite", 2, func(ctx context.Context) { checkFinite(ctx, x) }},
		{"newSamples", 10, func(ctx context.Context) { newSamples(ctx, x, labels) }},
		{"standardize", 4, func(ctx context.Context) { c := *s; c.x = mat.DenseCopyOf(s.x); c.standardize(ctx, x, labels) }},
		{"arranged", 2, func(ctx context.Context) { s.arranged(ctx, x) }},
		{"to float32", 2, func(ctx context.Context) { matrixOf[float32](ctx, s.x) }},
		{"rows", 2, func(ctx context.Context) { s.only(ctx, []int{0, 1}) }},
		{"subset", 2, func(ctx context.Context) { subset(ctx, x, labels, make([]int, n)) }},
		{"spreads", 2, func(ctx context.Context) { s.spreads(ctx) }},
		{"classVariance", 2, func(ctx context.Context) { s.classVariance(ctx, 0) }},
		{"residuals", 6, func(ctx context.Context) { s.eachResiduals(ctx, func(int, matrix.Matrix[float64]) {}) }},
		{"scaledWithin", 8, func(ctx context.Context) { s.scaledWithin(ctx) }},
		{"projected", n / 64, func(ctx context.Context) { s.projected(ctx, p, 1) }},
		{"transProduct", d / 64, func(ctx context.Context) {
			transProduct(ctx, 1, matrix.New[float64](4, d, nil), o.y, dense.View(s.x))
		}},
		{"gram", 150/gramColumns + 150*150/2/gramColumns/64, func(ctx context.Context) { gram(ctx, dense.View(w.x), 1) }},
		{"PivotedCholesky", 140, func(ctx context.Context) { algebra.PivotedCholesky(ctx, definite(), 1e-10) }},
		{"newSpan", 140, func(ctx context.Context) { newSpan(ctx, w, conditionLimit, 1) }},
		{"NewCholesky", 150 / 48, func(ctx context.Context) { algebra.NewCholesky(ctx, definite()) }},
		{"SolveRows", 4, func(ctx context.Context) { chol.SolveRows(ctx, matrix.New[float64](4000, 150, nil)) }},
		{"Solve", 8, func(ctx context.Context) { chol.Solve(ctx, matrix.New[float64](150, 4, nil)) }},
		{"SolveTrans", 4, func(ctx context.Context) { chol.SolveTrans(ctx, matrix.New[float64](150, 4, nil)) }},
		{"MulTrans", 150, func(ctx context.Context) { chol.MulTrans(ctx, matrix.New[float64](150, 4, nil)) }},
		{"QR by Householder", 2 * 90, func(ctx context.Context) {
			stiefel.New(d, 90).Orthonormalize(ctx, new(mat.Dense), mat.NewDense(d, 90, nil))
		}},
		{"QR by Cholesky", 2 * (2 + 2*90), func(ctx context.Context) {
			stiefel.New(d, 90).Orthonormalize(ctx, new(mat.Dense), tall)
		}},
		{"polar factor", d + 4*90, func(ctx context.Context) { stiefel.New(d, 90).Project(ctx, new(mat.Dense), tall) }},
		{"Gram-Schmidt", 150, func(ctx context.Context) { gramSchmidt(ctx, definite()) }},
		{"Ledoit and Wolf", 150 + 300, func(ctx context.Context) {
			ledoitWolf(ctx, definite(), 300, algebra.AddFourth(ctx, 0, matrix.New[float64](300, 150, nil)))
		}},
		{"covarianceWithin", 8, func(ctx context.Context) { covarianceWithin(ctx, s, 1) }},
		{"tangent", 4, func(ctx context.Context) {
			stiefel.New(4*d, d).Tangent(ctx, new(mat.Dense), mat.NewDense(4*d, d, nil), mat.NewDense(4*d, d, nil))
		}},
		{"singular", 90, func(ctx context.Context) { singular(ctx, tall) }},
		{"lift", 150 + 3, func(ctx context.Context) { sw.lift(ctx, uniform(7, sw.s.d, 3), nearest) }},
		{"Eigen", 150, func(ctx context.Context) { algebra.Eigen(ctx, definite()) }},
		{"Pencil", 150, func(ctx context.Context) { algebra.Pencil(ctx, definite(), definite()) }},
		{"Jacobi", 180, func(ctx context.Context) { algebra.Jacobi(ctx, definite().RowRange(0, 60).ColRange(0, 60)) }},
		{"Dense", 150, func(ctx context.Context) {
			subspace.Dense(ctx, mat.NewDense(150, 150, definite().Data), nil, 3)
		}},
		{"PCA", d, func(ctx context.Context) { baseline.Fit(ctx, s.x, nil, d/3, baseline.PCA{Workers: 1}) }},
		{"PCA, few of many", d / 96 * n / 128, func(ctx context.Context) { baseline.Fit(ctx, s.x, nil, 3, baseline.PCA{Workers: 1}) }},
		{"PCA, dual", 30, func(ctx context.Context) { baseline.Fit(ctx, w.x, nil, 3, baseline.PCA{Workers: 1}) }},
		{"principal", 3 * (n + d) / 64, func(ctx context.Context) { s.principal(ctx, 3, 1e-6, 1) }},
		{"fisher", 3, func(ctx context.Context) { s.fisher(ctx, p, whitePrincipal) }},
		{"whitening", 2 * d / gramColumns, func(ctx context.Context) {
			(&span{s: s, full: s}).whitened(ctx, DiagonalWhitening(0.5), conditionLimit, 1)
		}},
		{"project and solve", n/64 + 6, func(ctx context.Context) { o.evaluate(ctx, p, true) }},
		{"pullBack", d / 64, func(ctx context.Context) { o.pullBack(ctx, g, 1, 1) }},
		{"plans", 6, func(ctx context.Context) { e.assemble(ctx, p) }},
		{"product", (2*n + d) / 64, func(ctx context.Context) { e.betweenTimes(ctx)(mat.NewDense(d, 4, nil), p) }},
		{"matrices", 2 * (2*n + d) / 64, func(ctx context.Context) { e.matrices(ctx, 1) }},
		{"NewClassifier", 5, func(ctx context.Context) { NewClassifier(ctx, newModel(s, uniform(8, d, d), Report{}), x, labels, 1) }},
		{"canonical", n/64 + 2*6, func(ctx context.Context) { o.canonical(ctx, p) }},
	} {
		c := ending.At(0)
		phase.do(c)
		if c.Asked() < phase.least {
			t.Errorf("%s asks %d times, want %d", phase.name, c.Asked(), phase.least)
			continue
		}
		// What ends the phase is asked by those around it as well, on their way out.
		c = ending.At((c.Asked() + 1) / 2)
		phase.do(c)
		if c.Late() > 25 {
			t.Errorf("%s asks %d times after the end", phase.name, c.Late())
		}
	}
}

// TestEndsAnywhere: whenever the context ends, a fit returns its cause, and hardly anybody
// asks again.
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
			if err != nil && m != nil && m.Report().Status != StatusCancelled {
				return fmt.Errorf("a model with status %v", m.Report().Status)
			}
			return err
		}
	}
	for name, do := range map[string]func(context.Context) error{
		"choice":        fit(tall, *quick(Settings{Optimizer: few})),
		"wide choice":   fit(broad, Settings{Optimizer: few}),
		"standardized":  fit(tall, *pinned(Settings{Data: Data{Standardize: true}, Optimizer: few, Objective: Objective{Float32: true}})),
		"whitened":      fit(broad, *pinned(Settings{Data: Data{Whitening: DiagonalWhitening(LedoitWolf)}, Optimizer: few})),
		"eigen":         fit(tall, *pinned(Settings{Optimizer: Optimizer{Method: Eigen{}, MaxSteps: 3}})),
		"trace ratio":   fit(tall, *pinned(Settings{Optimizer: Optimizer{Method: Eigen{TraceRatio: true}, MaxSteps: 3}})),
		"mini-batches":  fit(tall, *pinned(Settings{Optimizer: Optimizer{Method: MiniBatch{BatchSize: 8}, MaxSteps: 2}})),
		"Fisher":        fit(tall, *pinned(Settings{Optimizer: Optimizer{Method: Fisher{}}})),
		"paper, starts": fit(tall, Settings{Objective: PaperSettings(2).Objective, Data: PaperSettings(2).Data, Scale: ScaleOrthonormal, Optimizer: Optimizer{Method: ProjectedGradient{}, MaxSteps: 3, Starts: 2}}),
		"validation":    fit(tall, *pinned(Settings{Validation: &Validation{}, Optimizer: few})),
		"own start":     fit(broad, *pinned(Settings{Optimizer: Optimizer{Init: uniform(6, 40, 2), MaxSteps: 3}})),
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
			step := max(1, all.Asked()/tries)
			for last := 1; last < all.Asked(); last += step {
				c := ending.At(last)
				err := do(c)
				if !errors.Is(err, ending.ErrAt) {
					t.Fatalf("ended at %d of %d: %v", last, all.Asked(), err)
				}
				if c.Late() > 60 {
					t.Fatalf("ended at %d of %d: asked %d times more", last, all.Asked(), c.Late())
				}
			}
		})
	}
}
