package discriminant

import (
	"context"
	"testing"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/discriminant/wdatest"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/subspace"
	"github.com/gomonge/monge/wda/baseline"
	"gonum.org/v1/gonum/mat"
)

// TestPhasesCheckContext runs every phase of a fit whose work grows with the data. It checks that
// the phase checks the context often enough and stops when the context has ended.
// TestPhasesCheckContext counts checks instead of measuring time, so the result does not depend on
// the machine.
func TestPhasesCheckContext(t *testing.T) {
	t.Parallel()
	const n, d = 720, 200 // enough rows for two checks in each pass over the samples
	x, labels := parts3(1, n, d)
	ctx := context.Background()
	s, err := NewSamples(ctx, x, labels)
	if err != nil {
		t.Fatal(err)
	}
	wide, wideLabels := parts3(2, 150, 300)
	w, err := NewSamples(ctx, wide, wideLabels)
	if err != nil {
		t.Fatal(err)
	}
	p, g := uniform(3, d, 4), mat.NewDense(d, 4, nil)
	set := usualSettings(4)
	set.workers = 1
	o := objectiveOf[float64](t, s, set, p)
	if err := o.Evaluate(ctx, p, true); err != nil {
		t.Fatal(err)
	}
	e, err := newEigen(ctx, o, n, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.assembleGraph(ctx, p); err != nil {
		t.Fatal(err)
	}
	definite := func() matrix.Matrix[float64] {
		a := gram(ctx, dense.View(w.X), 1)
		for i := range a.Rows {
			a.Set(i, i, a.At(i, i)+1)
		}
		return a
	}
	chol, ok := algebra.NewCholesky(ctx, definite())
	if !ok {
		t.Fatal("no factor")
	}
	tall, sw := uniform(6, d, 90), NewSpan(ctx, w, ConditionLimit, 1)
	for _, phase := range []struct {
		name  string
		least int // minimum number of checks
		do    func(ctx context.Context)
	}{
		{"newSamples", 10, func(ctx context.Context) { NewSamples(ctx, x, labels) }},
		{"standardize", 4, func(ctx context.Context) { c := *s; c.X = mat.DenseCopyOf(s.X); c.Standardize(ctx, x, labels) }},
		{"arranged", 2, func(ctx context.Context) { s.NormalizedRows(ctx, x) }},
		{"to float32", 2, func(ctx context.Context) { matrixOf[float32](ctx, s.X) }},
		{"rows", 2, func(ctx context.Context) { s.classSubset(ctx, []int{0, 1}) }},
		{"spreads", 2, func(ctx context.Context) { s.StandardDeviations(ctx) }},
		{"classVariance", 2, func(ctx context.Context) { s.classVariance(ctx, 0) }},
		{"residuals", 6, func(ctx context.Context) { s.eachResiduals(ctx, func(int, matrix.Matrix[float64]) {}) }},
		{"scaledWithin", 8, func(ctx context.Context) { s.scaledWithin(ctx) }},
		{"projected", n / 64, func(ctx context.Context) { s.projected(ctx, p, 1) }},
		{"transProduct", d / 64, func(ctx context.Context) {
			transProduct(ctx, 1, matrix.New[float64](4, d, nil), o.y, dense.View(s.X))
		}},
		{"gram", 150/gramColumns + 150*150/2/gramColumns/64, func(ctx context.Context) { gram(ctx, dense.View(w.X), 1) }},
		{"PivotedCholesky", 140, func(ctx context.Context) { algebra.PivotedCholesky(ctx, definite(), 1e-10) }},
		{"newSpan", 140, func(ctx context.Context) { NewSpan(ctx, w, ConditionLimit, 1) }},
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
		{"singular", 90, func(ctx context.Context) { decompose(ctx, tall) }},
		{"lift", 150 + 3, func(ctx context.Context) { sw.lift(ctx, uniform(7, sw.Samples.D, 3), NearestOrthonormal) }},
		{"Eigen", 150, func(ctx context.Context) { algebra.Eigen(ctx, definite()) }},
		{"Pencil", 150, func(ctx context.Context) { algebra.Pencil(ctx, definite(), definite()) }},
		{"Jacobi", 180, func(ctx context.Context) { algebra.Jacobi(ctx, definite().RowRange(0, 60).ColRange(0, 60)) }},
		{"Dense", 150, func(ctx context.Context) {
			subspace.Dense(ctx, mat.NewDense(150, 150, definite().Data), nil, 3)
		}},
		{"PCA", d, func(ctx context.Context) { baseline.Fit(ctx, s.X, nil, d/3, baseline.PCA{Workers: 1}) }},
		{"PCA, few of many", d / 96 * n / 128, func(ctx context.Context) { baseline.Fit(ctx, s.X, nil, 3, baseline.PCA{Workers: 1}) }},
		{"PCA, dual", 30, func(ctx context.Context) { baseline.Fit(ctx, w.X, nil, 3, baseline.PCA{Workers: 1}) }},
		{"principal", 3 * (n + d) / 64, func(ctx context.Context) { s.PrincipalComponents(ctx, 3, 1e-6, 1) }},
		{"fisher", 3, func(ctx context.Context) { s.fisherDirections(ctx, p, 1e-4) }},
		{"whitening", 2 * d / gramColumns, func(ctx context.Context) {
			WholeSpan(s).Whitened(ctx, &WhiteningRule{Features: true, Intensity: 0.5}, ConditionLimit, 1)
		}},
		{"project and solve", n/64 + 6, func(ctx context.Context) { o.Evaluate(ctx, p, true) }},
		{"pullBack", d / 64, func(ctx context.Context) { o.pullBack(ctx, g, 1, 1) }},
		{"plans", 6, func(ctx context.Context) { e.assembleGraph(ctx, p) }},
		{"product", (2*n + d) / 64, func(ctx context.Context) { e.betweenOperator(ctx)(mat.NewDense(d, 4, nil), p) }},
		{"matrices", 2 * (2*n + d) / 64, func(ctx context.Context) { e.scatterMatrices(ctx, 1) }},
		{"canonical", n/64 + 2*6, func(ctx context.Context) { o.Canonical(ctx, p) }},
	} {
		wdatest.PhaseChecks(t, phase.name, phase.least, phase.do)
	}
}
