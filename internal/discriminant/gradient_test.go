package discriminant

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

type gradientCase struct {
	name  string
	d     int
	set   settings
	sizes []int
	inLog bool // whether the transport problems require the log domain
}

func gradientCases() []gradientCase {
	lambdas := LambdaRule{Matrix: mat.NewDense(3, 3, []float64{0.7, 1.1, 0.4, 1.1, 0.2, 2.5, 0.4, 2.5, 1.6})}
	with := func(components int, change func(*settings)) settings {
		set := usualSettings(components)
		change(&set)
		return set
	}
	cases := []gradientCase{
		{name: "default", set: usualSettings(3)},
		{name: "proportional", set: with(3, func(s *settings) { s.proportional = true })},
		{name: "shrinkage", set: with(3, func(s *settings) { s.rho = 0.7 })},
		{name: "absolute", set: with(3, func(s *settings) { s.lambda = LambdaRule{Value: 0.3} })},
		{name: "matrix", set: with(3, func(s *settings) { s.lambda = lambdas })},
		{name: "small lambda", set: with(3, func(s *settings) { s.lambda.Value = 1e-3 })},
		{name: "large lambda", set: with(3, func(s *settings) { s.lambda.Value = 30 })},
		{name: "log domain", set: with(3, func(s *settings) { s.lambda.Value = 1e3 }), inLog: true},
		{name: "p = 1", set: usualSettings(1)},
		{name: "p = d", set: usualSettings(6)},
		{name: "d = 1", d: 1, set: usualSettings(1)},
		{name: "two classes", sizes: []int{9, 14}, set: usualSettings(2)},
		{name: "pairs of samples", sizes: []int{2, 2, 2, 3}, set: usualSettings(2)},
		{name: "everything", set: with(2, func(s *settings) { s.proportional, s.rho, s.lambda, s.iterations = true, 0.3, lambdas, 7 })},
	}
	for _, l := range []int{1, 2, 5, 25, 50} {
		cases = append(cases, gradientCase{name: fmt.Sprintf("L = %d", l), set: with(3, func(s *settings) { s.iterations = l })})
	}
	return cases
}

// TestGradientSlope checks that the error of central differences is quadratic in the step. The
// error must decrease a hundredfold per decade until rounding dominates. With a wrong factor or
// term in the gradient, the error would not decrease.
func TestGradientSlope(t *testing.T) {
	for i, c := range gradientCases() {
		x, labels := c.data(uint64(i))
		f, p, g, dir := gradientOf[float64](t, x, labels, c)
		want := inner(g, dir)
		var errs []float64
		for h := 0.3; h > 1e-7; h /= 10 {
			errs = append(errs, math.Abs((f(p, dir, h)-f(p, dir, -h))/(2*h)-want))
		}
		if !slopeOfTwo(errs) {
			t.Errorf("%s: errors of central differences do not fall 100 times per decade: %.3g (derivative %.3g)", c.name, errs, want)
		}
	}
}

// TestGradientFloat32 compares the float32 gradient with the float64 gradient. The two gradients
// must agree to single precision. Central differences in float32 would be too inaccurate to show a
// slope.
func TestGradientFloat32(t *testing.T) {
	for i, c := range gradientCases() {
		limit := 3e-5
		if c.inLog {
			// λ is large. The transport plan contains exp(−λM), so the rounding error of λM, half an
			// ulp, becomes a relative error of the plan.
			limit = 2e-4
		}
		x, labels := c.data(uint64(i))
		_, _, want, _ := gradientOf[float64](t, x, labels, c)
		_, _, got, _ := gradientOf[float32](t, x, labels, c)
		if e := off(got, want); !(e <= limit) {
			t.Errorf("%s: off by %.3g of the largest entry", c.name, e)
		}
	}
}

func (c *gradientCase) data(seed uint64) (*mat.Dense, []int) {
	if c.d == 0 {
		c.d = 6
	}
	if c.sizes == nil {
		c.sizes = []int{8, 13, 10}
	}
	return clusters(seed, c.d, c.sizes...)
}

// gradientOf returns a random point p, the gradient g of −J at p, a random direction dir, and a
// function f that computes −J at p + h·dir. λ and the ridge do not depend on p. J is defined for any
// matrix P, so the direction need not be tangent.
func gradientOf[T dist.Float](t *testing.T, x *mat.Dense, labels []int, c gradientCase) (f func(p, dir *mat.Dense, h float64) float64, p, g, dir *mat.Dense) {
	t.Helper()
	s := mustSamples(t, x, labels)
	o := objectiveOf[T](t, s, c.set, uniform(7, c.d, c.set.components))
	p, dir, g = uniform(8, c.d, c.set.components), uniform(9, c.d, c.set.components), mat.NewDense(c.d, c.set.components, nil)
	problem := descentProblem{context.Background(), o.Negative}
	if _, err := problem.Evaluate(p, g); err != nil {
		t.Fatal(err)
	}
	if num.IsFloat64[T]() && c.inLog != (o.logDomainPairs > 0) {
		t.Fatalf("%s: %d of %d pairs were solved in the log domain", c.name, o.logDomainPairs, len(o.pairs))
	}
	return func(p, dir *mat.Dense, h float64) float64 {
		var q mat.Dense
		q.Scale(h, dir)
		q.Add(p, &q)
		v, err := problem.Evaluate(&q, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}, p, g, dir
}

func inner(a, b *mat.Dense) float64 {
	var m mat.Dense
	m.MulElem(a, b)
	return mat.Sum(&m)
}

// TestInverseGradient checks that the gradients of 1/J and −J differ by the factor 1/J².
func TestInverseGradient(t *testing.T) {
	x, labels := parts3(3, 40, 5)
	s := mustSamples(t, x, labels)
	p := uniform(1, 5, 2)
	o := objectiveOf[float64](t, s, settings{components: 2, iterations: 10, lambda: relativeLambda(1), rho: 0.2}, p)
	a, b := mat.NewDense(5, 2, nil), mat.NewDense(5, 2, nil)
	v, err := descentProblem{t.Context(), o.inverseRatio}.Evaluate(p, a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (descentProblem{t.Context(), o.Negative}).Evaluate(p, b); err != nil {
		t.Fatal(err)
	}
	b.Scale(v*v, b)
	if e := off(a, b); !(e < 1e-14) {
		t.Errorf("gradients differ by %g", e)
	}
}

// TestEvaluationAllocatesNothing checks that, after a warm-up, computing J and its gradient does
// not allocate, except for goroutines that the runtime starts.
func TestEvaluationAllocatesNothing(t *testing.T) {
	x, labels := clusters(4, 60, 30, 30, 30, 40)
	s := mustSamples(t, x, labels)
	t.Run("float64", func(t *testing.T) { allocations[float64](t, s) })
	t.Run("float32", func(t *testing.T) { allocations[float32](t, s) })
}

func allocations[T dist.Float](t *testing.T, s *Samples) {
	for _, workers := range []int{1, 3} {
		p, g := mat.NewDense(s.D, 4, nil), mat.NewDense(s.D, 4, nil)
		stiefel.New(s.D, 4).Random(ctx, p, rand.New(rand.NewPCG(1, 2)))
		set := usualSettings(4)
		set.workers = workers
		o := objectiveOf[T](t, s, set, p)
		var problem descent.Problem = descentProblem{t.Context(), o.inverseRatio}
		if n := asmtest.Allocations(func() {
			if _, err := problem.Evaluate(p, g); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%d workers: %v allocations", workers, n)
		}
	}
}

// slopeOfTwo reports whether two successive ratios of neighboring errors are about 100. Each error
// belongs to a central difference whose step is a tenth of the previous step.
func slopeOfTwo(errs []float64) bool {
	for k := 0; k+2 < len(errs); k++ {
		a, b := errs[k]/errs[k+1], errs[k+1]/errs[k+2]
		if a > 85 && a < 117 && b > 85 && b < 117 {
			return true
		}
	}
	return false
}

// TestImplicitGradientSlope checks that the implicit gradient is the derivative of the converged J.
func TestImplicitGradientSlope(t *testing.T) {
	for i, c := range gradientCases() {
		if c.inLog || c.set.iterations != 10 {
			// Skip the cases with large λ, in which the iterations do not converge. Of the other cases,
			// test only those with 10 iterations, because the test replaces this number.
			continue
		}
		c.set.gradient, c.set.iterations = sinkhorn.GradientImplicit, 10000
		x, labels := c.data(uint64(i))
		f, p, g, dir := gradientOf[float64](t, x, labels, c)
		want := inner(g, dir)
		var errs []float64
		for h := 0.3; h > 1e-5; h /= 10 {
			errs = append(errs, math.Abs((f(p, dir, h)-f(p, dir, -h))/(2*h)-want))
		}
		// If a sample is far from the other samples of its class, the Sinkhorn iterations end at
		// their limit, and J has errors of 1e-7. In this case, one division of the step h by 10
		// must divide the error of the central difference by about 100.
		good := slopeOfTwo(errs)
		for k := 0; k+1 < len(errs); k++ {
			ratio := errs[k] / errs[k+1]
			good = good || ratio > 85 && ratio < 117 && slices.Min(errs) <= 1e-6*math.Abs(want)
		}
		if !good {
			t.Errorf("%s: errors of central differences do not fall 100 times per decade: %.3g (derivative %.3g)", c.name, errs, want)
		}
	}
}

// TestFrozenGradientSlope checks that the frozen gradient is the derivative of J for fixed
// transport plans.
func TestFrozenGradientSlope(t *testing.T) {
	for i, c := range gradientCases() {
		if c.d == 1 {
			continue // J does not depend on P if the plans are fixed
		}
		c.set.gradient = sinkhorn.GradientFrozen
		x, labels := c.data(uint64(i))
		_, p, g, dir := gradientOf[float64](t, x, labels, c)
		f := frozen(t, x, labels, c, p)
		want := inner(g, dir)
		var errs []float64
		for h := 0.3; h > 1e-7; h /= 10 {
			errs = append(errs, math.Abs((f(p, dir, h)-f(p, dir, -h))/(2*h)-want))
		}
		if !slopeOfTwo(errs) {
			t.Errorf("%s: errors of central differences do not fall 100 times per decade: %.3g (derivative %.3g)", c.name, errs, want)
		}
	}
}

// frozen returns a function that computes −J at p + h·dir with plain loops. The function always uses
// the transport plans of the projection that was passed to frozen.
func frozen(t *testing.T, x *mat.Dense, labels []int, c gradientCase, p *mat.Dense) func(p, dir *mat.Dense, h float64) float64 {
	t.Helper()
	s := mustSamples(t, x, labels)
	o := objectiveOf[float64](t, s, c.set, uniform(7, c.d, c.set.components))
	solver, err := sinkhorn.NewSolver[float64](&sinkhorn.Settings{Iterations: c.set.iterations})
	if err != nil {
		t.Fatal(err)
	}
	o.projectSamples(context.Background(), p)
	plans := make([]dist.Matrix[float64], len(o.pairs))
	for i, q := range o.pairs {
		a, b := classRows(s, o.y, q.c), classRows(s, o.y, q.e)
		res, err := solver.Solve(t.Context(), &sinkhorn.Problem[float64]{X: a, Y: b, Lambda: q.lambda})
		if err != nil {
			t.Fatal(err)
		}
		plans[i] = dist.NewMatrix[float64](a.Rows, b.Rows, nil)
		if err := res.PlanTo(t.Context(), plans[i], 0); err != nil {
			t.Fatal(err)
		}
	}
	return func(p, dir *mat.Dense, h float64) float64 {
		var at, y mat.Dense
		at.Scale(h, dir)
		at.Add(p, &at)
		y.Mul(s.X, &at)
		var between, within float64
		for k, q := range o.pairs {
			var cost float64
			for i := range plans[k].Rows {
				for j, v := range plans[k].Row(i) {
					for l, a := range y.RawRowView(s.Offset[q.c] + i) {
						e := a - y.At(s.Offset[q.e]+j, l)
						cost += v * e * e
					}
				}
			}
			if q.withinClass() {
				within += q.weight * cost
			} else {
				between += q.weight * cost
			}
		}
		return -between / (within + o.Ridge)
	}
}
