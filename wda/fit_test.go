package wda

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// TestCanceled checks that a fit whose context ends returns its best projection so far and the context's error, or no
// model if there is no projection yet. The reported objective must equal the objective of the last step.
func TestCanceled(t *testing.T) {
	t.Parallel()
	x, labels := parts3(1, 60, 8)
	forEverySolver(t, Settings{Components: 2}, func(t *testing.T, set *Settings) {
		cause := errors.New("enough")
		for _, after := range []int{0, 1, 4} {
			if after == 4 && (set.Optimizer.Method == Method(Eigen{}) || set.Optimizer.Method == Method(Eigen{TraceRatio: true})) {
				continue // the two Eigen methods end before the fourth step
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			var last, start Step
			set.Progress = func(p Progress) error {
				s := p.Step
				if s.Index == 0 {
					start = s
				}
				if last = s; s.Index == after {
					cancel(cause)
				}
				return nil
			}
			m, err := fitPinned(ctx, x, labels, set)
			if !errors.Is(err, cause) || m == nil {
				t.Fatalf("after step %d: model %v, error %v", after, m != nil, err)
			}
			checkModel(t, m)
			r := m.Report()
			if r.Status != StatusCanceled || r.Steps != after || last.Index != after {
				t.Errorf("after step %d: status %v, %d steps, last call %d", after, r.Status, r.Steps, last.Index)
			}
			limit := 1e-9
			if set.Objective.Float32 {
				limit = 1e-4
			}
			if !(relative(r.Objective, last.Objective) <= limit) || r.Objective < start.Objective*(1-limit) {
				t.Errorf("after step %d: J = %v, the last step had %v, the start %v", after, r.Objective, last.Objective, start.Objective)
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		set.Progress = nil
		if m, err := fitPinned(ctx, x, labels, set); m != nil || !(errors.Is(err, cause) || errors.Is(err, context.Canceled)) {
			t.Errorf("before the start: model %v, error %v", m != nil, err)
		}
	})
}

// TestCanceledAnywhere cancels fits at different times, so that every phase is canceled.
func TestCanceledAnywhere(t *testing.T) {
	if !testdata.IsLong() {
		t.Skip("slow")
	}
	x, labels := parts3(2, 150, 140)
	set := &Settings{Components: 3, Optimizer: Optimizer{Starts: 3, MaxSteps: 20}, Validation: &Validation{}}
	began := time.Now()
	mustFit(t, x, labels, set)
	whole := time.Since(began)
	models := 0
	for k := range 12 {
		ctx, cancel := context.WithTimeout(t.Context(), whole*time.Duration(k)/12)
		m, err := fitPinned(ctx, x, labels, set)
		cancel()
		if m != nil {
			models++
			checkModel(t, m)
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) || err == nil && m == nil {
			t.Errorf("after %d of 12 parts of the time: model %v, error %v", k, m != nil, err)
		}
	}
	if models == 0 {
		t.Error("no canceled fit gave a model")
	}
}

// TestManyWorkers checks that surplus workers use no memory and do not change any bit of the result.
func TestManyWorkers(t *testing.T) {
	x, labels := parts3(1, 60, 8)
	few := Settings{Components: 2, Workers: 1, Optimizer: Optimizer{MaxSteps: 2}}
	many := few
	many.Workers = 1e6
	want := mustFit(t, x, labels, &few)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := mustFit(t, x, labels, &many)
	runtime.ReadMemStats(&after)
	if !bitsEqual(got.projection, want.projection) {
		t.Error("other bits")
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
		t.Errorf("a million workers take %d MB", took>>20)
	}
}

// TestProgressError checks that an error of Progress ends the fit and is returned with the best projection so far.
func TestProgressError(t *testing.T) {
	x, labels := parts3(1, 60, 8)
	forEverySolver(t, Settings{Components: 2, Optimizer: Optimizer{Starts: 3}}, func(t *testing.T, set *Settings) {
		stop := errors.New("stop")
		calls := 0
		set.Progress = func(p Progress) error {
			s := p.Step
			if calls++; s.Start == 1 && s.Index == 1 {
				return stop
			}
			return nil
		}
		m, err := fitPinned(t.Context(), x, labels, set)
		if !errors.Is(err, stop) || m == nil {
			t.Fatalf("model %v, error %v", m != nil, err)
		}
		checkModel(t, m)
		if r := m.Report(); len(r.StartObjectives) != 2 || r.Objective < r.StartObjectives[r.Start]*(1-1e-4) {
			t.Errorf("objectives of the starts %v, result %v from start %d", r.StartObjectives, r.Objective, r.Start)
		}
	})
}

// TestReport checks that the history and the number of evaluations are consistent, that J rises in every step, and that
// Score agrees with the report.
func TestReport(t *testing.T) {
	t.Parallel()
	x, labels := parts3(5, 80, 6)
	forEverySolver(t, Settings{Components: 2, Objective: Objective{Shrinkage: FixedShrinkage(0.2)}}, func(t *testing.T, set *Settings) {
		steps := 0
		set.Progress = func(p Progress) error {
			s := p.Step
			if _, draws := set.Optimizer.Method.(MiniBatch); draws && s.Index == steps-1 {
				return nil // a report about a mini-batch, not about a step
			}
			if s.Index != steps || s.Start != 0 {
				t.Errorf("call %d is step %d of start %d", steps, s.Index, s.Start)
			}
			steps++
			return nil
		}
		m := mustFit(t, x, labels, set)
		r := m.Report()
		if !r.Status.Converged() {
			t.Errorf("status %v", r.Status)
		}
		if r.Steps != steps-1 || len(r.History) != steps || r.Evaluations.Values < r.Steps || r.Elapsed <= 0 || r.Settings.Optimizer.Method.String() != set.Optimizer.Method.String() {
			t.Errorf("%d calls, %d steps, history of %d, %+v in %v by %v", steps, r.Steps, len(r.History), r.Evaluations, r.Elapsed, r.Settings.Optimizer.Method)
		}
		noise := 1e-11
		if set.Objective.Float32 {
			noise = 1e-5
		}
		for i, h := range r.History[1:] {
			if h.Objective < r.History[i].Objective*(1-noise) {
				t.Errorf("J falls from %v to %v", r.History[i].Objective, h.Objective)
			}
		}
		// Score with the reported λ must return the same σ_b² and σ_w² as the fit.
		s := mustScore(t, x, labels, m.projection, &Settings{Objective: Objective{Lambda: LambdaMatrix(r.Lambda), Float32: set.Objective.Float32}})
		if e := relative(s.Between, r.Between) + relative(s.Within, r.Within); !(e < 10*noise) {
			t.Errorf("σ_b², σ_w² = %v, %v, but Score says %v, %v", r.Between, r.Within, s.Between, s.Within)
		}
		if e := relative(r.Between/(r.Within+r.Ridge), r.Objective); !(e < 10*noise) {
			t.Errorf("J = %v is not the ratio of its parts", r.Objective)
		}
		start := mustScore(t, x, labels, pca(t, x, 2), &Settings{Objective: Objective{Float32: set.Objective.Float32}})
		if e := relative(r.Ridge, 0.2*start.Within); !(e < 10*noise) {
			t.Errorf("ridge %v instead of ρ·σ_w² = %v", r.Ridge, 0.2*start.Within)
		}
		if e := off(r.Lambda, start.Lambda); !(e < 1e-12) {
			t.Errorf("λ is not that of the principal components: off by %g", e)
		}
	})
}

func pca(t *testing.T, x *mat.Dense, p int) *mat.Dense {
	t.Helper()
	m := mustFit(t, x, append(repeated(0, x.RawMatrix().Rows/2), repeated(1, (x.RawMatrix().Rows+1)/2)...), &Settings{
		Components: p,
		Optimizer:  Optimizer{Method: ConjugateGradient{}, Tolerance: math.Inf(1)},
	})
	if m.report.Steps != 0 {
		t.Fatalf("%d steps in spite of an infinite tolerance", m.report.Steps)
	}
	return m.projection
}

// TestFewSamples checks the starting point of Auto. With n samples and at least n − 1 features, Auto must start at the
// better of the results of Principal and Fisher. With fewer features, Auto starts with eigenvalue iterations.
func TestFewSamples(t *testing.T) {
	for d, few := range map[int]bool{40: true, 29: true, 28: false} {
		x, y := clusters(3, d, 10, 10, 10)
		set := Settings{Components: 3, Scale: ScaleOrthonormal, Data: Data{Whitening: NoWhitening()}, Objective: Objective{Lambda: RelativeLambda(1), Shrinkage: FixedShrinkage(1)}}
		ends := 0.
		for _, set.Optimizer.Method = range []Method{Principal{}, Fisher{}} {
			ends = max(ends, mustFit(t, x, y, &set).Report().Objective)
		}
		set.Optimizer.Method = Auto{}
		begins := mustFit(t, x, y, &set).Report().History[0].Objective
		if got := relative(begins, ends) <= 1e-9; got != few {
			t.Errorf("30 samples of %d features: J is %v at the start, %v at the better end", d, begins, ends)
		}
	}
}

// TestStarts checks that a fit with several starting points returns the best result among them. This result must be
// better than the result from the first starting point. The seed must determine the other starting points.
func TestStarts(t *testing.T) {
	if !testdata.IsLong() {
		t.Skip("slow")
	}
	g := loadGolden(t, "circles")
	// From this starting point, steepest descent ends in a poor optimum.
	g.settings.Optimizer.Method, g.settings.Optimizer.Init = SteepestDescent{}, mat.NewDense(10, 2, nil)
	stiefel.New(10, 2).Random(ctx, g.settings.Optimizer.Init.(*mat.Dense), rand.New(rand.NewPCG(1, 0)))
	one := mustFit(t, g.x, g.y, &g.settings)
	g.settings.Optimizer.Starts = 6
	six := mustFit(t, g.x, g.y, &g.settings)
	again := mustFit(t, g.x, g.y, &g.settings)
	g.settings.Seed = 5
	other := mustFit(t, g.x, g.y, &g.settings)
	r := six.Report()
	// The result is rotated to its principal axes, so J changes by rounding errors.
	same := func(a, b float64) bool { return relative(a, b) <= 1e-12 }
	if len(r.StartObjectives) != 6 || !same(r.StartObjectives[0], one.report.Objective) {
		t.Errorf("objectives %v, the first alone %v", r.StartObjectives, one.report.Objective)
	}
	for i, j := range r.StartObjectives {
		if j > r.Objective && !same(j, r.Objective) || i == r.Start && !same(j, r.Objective) {
			t.Errorf("J = %v of start %d, but starts reached %v", r.Objective, r.Start, r.StartObjectives)
		}
	}
	if r.Objective <= one.report.Objective {
		t.Errorf("six starts reach %v, one %v: the test shows nothing", r.Objective, one.report.Objective)
	}
	if !bitsEqual(six.projection, again.projection) {
		t.Error("the same seed gives another result")
	}
	if other.report.StartObjectives[0] != r.StartObjectives[0] || other.report.StartObjectives[1] == r.StartObjectives[1] {
		t.Errorf("another seed reaches %v after %v", other.report.StartObjectives, r.StartObjectives)
	}
	if r.Evaluations.Values <= one.report.Evaluations.Values {
		t.Error("evaluations of further starts are not counted")
	}
}

// TestValidation checks that a fit returns the projection of the step with the lowest validation error. Without
// shrinkage and with few samples, later steps overfit and have a higher validation error.
func TestValidation(t *testing.T) {
	x, labels := parts3(3, 90, 60)
	held, heldLabels := parts3(3, 90, 60) // other samples of classes with the same centers
	noise := uniform(77, 90, 60)
	for i, l := range heldLabels {
		center := uniform(4, 3, 60).RawRowView(l/10 - 1)
		for j := range 60 {
			held.Set(i, j, 0.8*center[j]+noise.At(i, j))
		}
	}
	for _, f32 := range []bool{false, true} {
		set := &Settings{Components: 4, Objective: Objective{Shrinkage: FixedShrinkage(0), Lambda: RelativeLambda(0.1), Float32: f32}, Optimizer: Optimizer{Method: ConjugateGradient{}, MaxSteps: 100}, Validation: &Validation{X: held, Labels: heldLabels, Every: 1, Patience: 4, Neighbors: 3}}
		m := mustFit(t, x, labels, set)
		r := m.Report()
		least, at, since := 2.0, -1, 0
		for _, v := range r.Validations {
			since++
			if v.Error < least {
				least, at, since = v.Error, v.Step, 0
			}
		}
		if least != r.ValidationError || len(r.Validations) != r.Steps+1 {
			t.Errorf("validation error %v, but the points are %v after %d steps", r.ValidationError, r.Validations, r.Steps)
		}
		if r.Status == StatusStopped && since != 4 || r.Status != StatusStopped && since >= 4 {
			t.Errorf("status %v after %d judgements without improvement, best at step %d", r.Status, since, at)
		}
		if !(relative(r.Objective, r.History[at].Objective) < 1e-5) {
			t.Errorf("J = %v, but step %d had %v", r.Objective, at, r.History[at].Objective)
		}
		c, err := NewClassifier(t.Context(), m, x, labels, 3)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.PredictLabels(t.Context(), nil, held, 0)
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for i := range got {
			wrong += b2i(got[i] != heldLabels[i])
		}
		if e := float64(wrong) / 90; math.Abs(e-r.ValidationError) > 1e-12 {
			t.Errorf("the model's error is %v, reported is %v", e, r.ValidationError)
		}
	}
}

// TestHeldOutFraction checks that the same fraction of every class is held out, that the seed determines which samples
// are held out, and that at least two samples of each class remain.
func TestHeldOutFraction(t *testing.T) {
	x, labels := clusters(1, 3, 40, 20, 3, 2)
	for _, fraction := range []float64{0, 0.5, 0.99} {
		h, err := (&Validation{Fraction: fraction}).holdOut(context.Background(), x, labels, 1)
		if err != nil {
			t.Fatal(err)
		}
		if fraction == 0 {
			fraction = 0.25
		}
		in, out := map[int]int{}, map[int]int{}
		seen := map[float64]bool{}
		for i, l := range h.trainLabels {
			in[l]++
			seen[h.trainX.At(i, 0)] = true
		}
		for i, l := range h.labels {
			out[l]++
			if seen[h.x.At(i, 0)] {
				t.Error("a sample is on both sides")
			}
		}
		for c, n := range []int{40, 20, 3, 2} {
			l := 10 * (c + 1)
			want := min(int(math.Round(fraction*float64(n))), n-2)
			if out[l] != want || in[l] != n-want {
				t.Errorf("fraction %v: of %d samples %d are held out, %d left", fraction, n, out[l], in[l])
			}
		}
	}
	a, _ := (&Validation{}).holdOut(context.Background(), x, labels, 1)
	b, _ := (&Validation{}).holdOut(context.Background(), x, labels, 2)
	if mat.Equal(a.x, b.x) {
		t.Error("the seed does not matter")
	}
	pairs := append(repeated(1, 2), repeated(2, 2)...)
	if _, err := fitPinned(t.Context(), uniform(1, 4, 2), pairs, &Settings{Validation: &Validation{}}); !errors.Is(err, ErrSettings) {
		t.Errorf("nothing to hold out: %v", err)
	}
}

// TestPaperSettings checks that PaperSettings does not depend on the data.
func TestPaperSettings(t *testing.T) {
	x, labels := parts3(1, 30, 40)
	m := mustFit(t, x, labels, PaperSettings(2))
	r := m.Report()
	if r.Ridge != 0 || r.Settings.Objective.Lambda != (RelativeLambda(0.01)) || r.Settings.Objective.Iterations != 10 || r.Settings.Optimizer.Method != Method(ProjectedGradient{}) || r.Settings.Objective.Proportional {
		t.Errorf("%+v", r.Settings)
	}
	if !warnsOf(r.Warnings, WarningNoShrinkage) {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// TestAutoEnds checks that Auto stops early, and that a smaller tolerance lets Auto continue. The relative
// increase of J from the additional steps must be less than 10⁻⁵.
func TestAutoEnds(t *testing.T) {
	d := dataset.Simulation{Seed: 1}.Generate(100)
	set := Settings{Components: 2, Optimizer: Optimizer{MaxSteps: 1000, Starts: 1}}
	usual := mustFit(t, d.X, d.Labels, &set).Report()
	set.Optimizer.Tolerance = 1e-9
	far := mustFit(t, d.X, d.Labels, &set).Report()
	if usual.Status != StatusFunctionTolerance || usual.Steps > far.Steps*3/4 {
		t.Errorf("%v after %d steps; with a tolerance %v after %d", usual.Status, usual.Steps, far.Status, far.Steps)
	}
	if lost := 1 - usual.Objective/far.Objective; !(lost < 1e-5) {
		t.Errorf("J is %v, %.2g below %v", usual.Objective, lost, far.Objective)
	}
}
