package discriminant

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// TestTimeToResult prints the table of wda/SOLVERS.md that compares ways to maximize J. The table
// has the milliseconds and evaluations until J is within 1 % and 0.1 % of the best known J. It also
// has the time until the error of 5 nearest neighbors on test rows is within 0.002 of the minimum.
// The environment variable MONGE_PROGRESS lists files of the shared data, each with a number of
// rows: "mnist:1000 isolet:1560 suite/banking77:1540". All runs use p = 10, λ = 1, ρ = 1 and one
// goroutine.
func TestTimeToResult(t *testing.T) {
	names := os.Getenv("MONGE_PROGRESS")
	if names == "" {
		t.Skip("an experiment of minutes: set MONGE_PROGRESS")
	}
	for name := range strings.FieldsSeq(names) {
		file, rows := name, 1000
		if i := strings.LastIndex(name, ":"); i > 0 {
			file = name[:i]
			if _, err := fmt.Sscan(name[i+1:], &rows); err != nil {
				t.Fatal(err)
			}
		}
		all, err := dataset.ReadFile(testdata.Shared(t, "data", file+".npz"), nil)
		if err != nil {
			t.Fatal(err)
		}
		all, err = all.Sample(rows+2000, 1)
		if err != nil {
			t.Fatal(err)
		}
		test, train, err := all.TrainTest(float64(rows)/float64(all.Len()), 1)
		if err != nil {
			t.Fatal(err)
		}
		w := newWays(t, train, test)
		w.race(t, file)
	}
}

// ways contains training and test rows, and objectives for different ways to maximize J.
type ways struct {
	exact, frozen *Objective[float64]
	single        *Objective[float32]
	start         *mat.Dense
	train, test   *mat.Dense
	labels, own   []int
}

func newWays(t *testing.T, train, test *dataset.Dataset) *ways {
	ctx := t.Context()
	set := usualSettings(10)
	set.workers = 1
	s := mustSamples(t, train.X, train.Labels)
	sp := NewSpan(ctx, s, ConditionLimit, 1)
	w := &ways{train: sp.Samples.X, labels: test.Labels, own: s.LabelsOf(indicesBelow(s.N))}
	w.test = sp.Coordinates(ctx, s.NormalizedRows(ctx, test.X))
	var err error
	if w.start, err = sp.Samples.PrincipalComponents(ctx, 10, 1e-9, 1); err != nil {
		t.Fatal(err)
	}
	w.exact = objectiveOf[float64](t, sp.Samples, set, w.start)
	w.single = objectiveOf[float32](t, sp.Samples, set, w.start)
	set.gradient = sinkhorn.GradientFrozen
	w.frozen = objectiveOf[float64](t, sp.Samples, set, w.start)
	return w
}

func indicesBelow(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// waypoint is the state of a run after a step.
type waypoint struct {
	at    time.Duration
	evals int
	j     float64
	err   float64
}

// walk records the steps of one run.
type walk struct {
	*ways
	ctx     context.Context
	began   time.Time
	without time.Duration // time spent on measurements, which does not count as time of the run
	evals   int
	points  []waypoint
}

func (w *walk) record(j float64, evals int, p *mat.Dense) {
	now := time.Now()
	q := waypoint{at: now.Sub(w.began) - w.without, evals: w.evals + evals, j: j, err: math.NaN()}
	predicted, err := knn.Predict(w.ctx, Project(w.ctx, w.train, p, 1), w.own, Project(w.ctx, w.test, p, 1), []int{5}, &knn.Settings{Workers: 1})
	if err == nil {
		q.err = knn.ErrorRate(predicted[0], w.labels)
	}
	w.points = append(w.points, q)
	w.without += time.Since(now)
}

// minimize continues a run from p with the given method.
func minimize[T dist.Float](w *walk, o *Objective[T], method descent.Method, p *mat.Dense, tolerance, noise float64, steps int) *mat.Dense {
	ds := &descent.Settings{Method: method, MaxSteps: steps, GradientTolerance: 1e-9, GradientToValue: tolerance, Noise: noise}
	if tolerance > 1e-5 {
		ds.FunctionTolerance = tolerance
	}
	ds.Progress = func(d descent.Step, p *mat.Dense) error {
		w.record(1/d.Value, d.Evaluations.Values, p)
		return nil
	}
	res, err := descent.Minimize(w.ctx, descentProblem{w.ctx, o.inverseRatio}, stiefel.New(p.Dims()), p, ds)
	if err != nil || res == nil {
		return p
	}
	w.evals += res.Evaluations.Values
	return res.Point
}

func (w *ways) race(t *testing.T, name string) {
	const steps = 200
	all := []struct {
		name string
		run  func(k *walk)
	}{
		{"conjugate gradients, principal components", func(k *walk) { minimize(k, w.exact, descent.ConjugateGradient, w.start, 1e-7, 1e-12, steps) }},
		{"L-BFGS, principal components", func(k *walk) { minimize(k, w.exact, descent.LBFGS, w.start, 1e-7, 1e-12, steps) }},
		{"steepest descent, principal components", func(k *walk) { minimize(k, w.exact, descent.SteepestDescent, w.start, 1e-7, 1e-12, steps) }},
		{"conjugate gradients, eigen starts", func(k *walk) {
			minimize(k, w.exact, descent.ConjugateGradient, eigenStart(k, w.exact), 1e-7, 1e-12, steps)
		}},
		{"L-BFGS, eigen starts", func(k *walk) { minimize(k, w.exact, descent.LBFGS, eigenStart(k, w.exact), 1e-7, 1e-12, steps) }},
		{"frozen plans, then conjugate gradients", func(k *walk) {
			p := minimize(k, w.frozen, descent.ConjugateGradient, w.start, 1e-3, 1e-12, 20)
			minimize(k, w.exact, descent.ConjugateGradient, p, 1e-7, 1e-12, steps)
		}},
		{"float32, principal components", func(k *walk) { minimize(k, w.single, descent.ConjugateGradient, w.start, 1e-5, 1e-6, steps) }},
		{"float32, eigen starts", func(k *walk) {
			minimize(k, w.single, descent.ConjugateGradient, eigenStart(k, w.single), 1e-5, 1e-6, steps)
		}},
		{"float32 and eigen starts, then float64", func(k *walk) {
			p := minimize(k, w.single, descent.ConjugateGradient, eigenStart(k, w.single), 1e-4, 1e-6, steps)
			minimize(k, w.exact, descent.ConjugateGradient, p, 1e-7, 1e-12, steps)
		}},
	}
	best, walks := 0., make([]*walk, len(all))
	for i, a := range all {
		k := &walk{ways: w, ctx: t.Context(), began: time.Now()}
		a.run(k)
		walks[i] = k
		for _, q := range k.points {
			best = max(best, q.j)
		}
	}
	t.Logf("%s, %d × %d, best J %.5f, error there: ms and evaluations until", name, w.exact.Samples.N, w.exact.Samples.D, best)
	t.Logf("| | 1 %% | 0.1 %% | 0.01 %% | error | end | J below the best, error |")
	for i, a := range all {
		k := walks[i]
		least := slices.MinFunc(k.points, func(a, b waypoint) int { return cmp.Compare(a.err, b.err) }).err
		first := func(ok func(q waypoint) bool) string {
			if at := slices.IndexFunc(k.points, ok); at >= 0 {
				q := k.points[at]
				return fmt.Sprintf("%.0f, %d", q.at.Seconds()*1e3, q.evals)
			}
			return ""
		}
		within := func(share float64) string { return first(func(q waypoint) bool { return q.j >= best*(1-share) }) }
		last := k.points[len(k.points)-1]
		t.Logf("| %s | %s | %s | %s | %s | %.0f, %d, steps %d | %.2g %%, %.4f |", a.name, within(1e-2), within(1e-3), within(1e-4),
			first(func(q waypoint) bool { return q.err <= least+.002 }), last.at.Seconds()*1e3, last.evals, len(k.points)-1, 100*(1-last.j/best), last.err)
		if os.Getenv("MONGE_TRACE") != "" {
			for s, q := range k.points {
				t.Logf("%d %d %.8f %.4f", s, q.evals, q.j, q.err)
			}
		}
	}
}

func eigenStart[T dist.Float](k *walk, o *Objective[T]) *mat.Dense {
	p, err := o.searchStart(k.ctx, k.start, false)
	if err != nil {
		return k.start
	}
	return p
}

// BenchmarkEvaluation measures the parts of an evaluation of J and its gradient on one goroutine,
// for p = 10. It reports the minimum time of each part in milliseconds, for 1000 digits of MNIST
// and for 77 small classes.
func BenchmarkEvaluation(b *testing.B) {
	for _, data := range []struct {
		name, file string
		rows       int
	}{{"mnist", "mnist", 1000}, {"banking77", "suite/banking77", 1540}} {
		all, err := dataset.ReadFile(testdata.Shared(b, "data", data.file+".npz"), nil)
		if err == nil {
			all, err = all.Sample(data.rows, 1)
		}
		if err != nil {
			b.Fatal(err)
		}
		b.Run("data="+data.name+"/type=f64", func(b *testing.B) { benchmarkEvaluation[float64](b, all) })
		b.Run("data="+data.name+"/type=f32", func(b *testing.B) { benchmarkEvaluation[float32](b, all) })
	}
}

func benchmarkEvaluation[T dist.Float](b *testing.B, all *dataset.Dataset) {
	ctx := b.Context()
	set := usualSettings(10)
	set.workers = 1
	sp := NewSpan(ctx, mustSamples(b, all.X, all.Labels), ConditionLimit, 1)
	start, err := sp.Samples.PrincipalComponents(ctx, 10, 1e-9, 1)
	if err != nil {
		b.Fatal(err)
	}
	o := objectiveOf[T](b, sp.Samples, set, start)
	grad := mat.NewDense(o.Samples.D, o.p, nil)
	least := map[string]time.Duration{}
	part := func(name string, f func()) {
		began := time.Now()
		f()
		if d := time.Since(began); least[name] == 0 || d < least[name] {
			least[name] = d
		}
	}
	for b.Loop() {
		part("all", func() { o.inverseRatio(ctx, start, grad) })
		part("XP", func() { o.projectSamples(ctx, start) })
		o.job.pairs, o.job.Gradient = o.pairs, true
		o.job.Results = slices.Grow(o.job.Results[:0], len(o.pairs))[:len(o.pairs)]
		part("transport+gradient", func() { o.local.SolvePairs(ctx, &o.job) })
		part("sums", func() { o.accumulateGradients(ctx) })
		part("XtG", func() { o.pullBack(ctx, grad, 1, 1) })
		o.job.Gradient = false
		part("transport", func() { o.local.SolvePairs(ctx, &o.job) })
	}
	for name, d := range least {
		b.ReportMetric(d.Seconds()*1e3, name+"-ms")
	}
}
