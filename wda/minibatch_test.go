package wda

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// batchesOf returns the mini-batches of samples, with the objective of all, λ and ridge
// of p.
func batchesOf(t *testing.T, x *mat.Dense, labels []int, p *mat.Dense, set Settings) (*batches[float64], *objective[float64]) {
	t.Helper()
	s, err := newSamples(context.Background(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	_, set.Components = p.Dims()
	if set, err = pinned(set).withDefaults(context.Background(), s.n, s.d, len(s.classes)); err != nil {
		t.Fatal(err)
	}
	o, err := objectiveFor[float64](context.Background(), s, &set, exactSamples, exactClasses)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.prepare(t.Context(), &set, p); err != nil {
		t.Fatal(err)
	}
	return newBatches(o, o.whole.population(), &set, set.Optimizer.Method.(MiniBatch).BatchSize, streamBatches), o
}

func mustDraw(t *testing.T, b *batches[float64]) *objective[float64] {
	t.Helper()
	o, err := b.draw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestBatchOfAll: mini-batches that take every class whole have the exact objective and
// gradient.
func TestBatchOfAll(t *testing.T) {
	x, labels := parts3(1, 60, 5)
	p := uniform(2, 5, 2)
	b, o := batchesOf(t, x, labels, p, Settings{Optimizer: Optimizer{Method: MiniBatch{BatchSize: 30}}, Objective: Objective{Proportional: true}})
	mustDraw(t, b)
	part := mustDraw(t, b)
	var got, want mat.Dense
	got.ReuseAs(5, 2)
	want.ReuseAs(5, 2)
	for o, g := range map[*objective[float64]]*mat.Dense{o: &want, part: &got} {
		if err := o.evaluate(t.Context(), p, true); err != nil {
			t.Fatal(err)
		}
		o.pullBack(context.Background(), g, 1, 1)
	}
	if part.b != o.b || part.w != o.w || !bitsEqual(&got, &want) {
		t.Errorf("σ_b², σ_w² = %v, %v instead of %v, %v; gradient off by %g", part.b, part.w, o.b, o.w, off(&got, &want))
	}
}

// TestBatchesAreFair: every sample is drawn equally often from its class, and the
// weights of the pairs of classes have the expectation that they should.
func TestBatchesAreFair(t *testing.T) {
	t.Parallel()
	var labels []int
	for i := range 280 {
		labels = append(labels, i%40) // 40 classes of 7
	}
	x := uniform(3, 280, 3)
	b, o := batchesOf(t, x, labels, uniform(2, 3, 2), Settings{Optimizer: Optimizer{Method: MiniBatch{BatchSize: 3}}, Objective: Objective{Proportional: true}})
	pairs, rows := map[[2]int]float64{}, make([]int, 280)
	const draws = 4000
	for range draws {
		part := mustDraw(t, b)
		if part.s.n != 3*mostClasses {
			t.Fatalf("%d samples in a mini-batch", part.s.n)
		}
		for _, q := range part.pairs {
			pairs[[2]int{part.s.classes[q.c], part.s.classes[q.e]}] += q.weight
		}
		seen := map[int]bool{}
		for i, r := range b.rows {
			if seen[r] {
				t.Fatalf("row %d twice in a mini-batch", r)
			}
			seen[r] = true
			rows[r]++
			if part.x.At(i, 1) != o.whole.x.At(r, 1) {
				t.Fatalf("sample %d is not row %d", i, r)
			}
		}
		for c := range part.s.classes {
			for _, r := range b.rows[part.s.offset[c]:part.s.offset[c+1]] {
				if o.whole.classes[classOf(o.whole, r)] != part.s.classes[c] {
					t.Fatalf("row %d is not of class %d", r, part.s.classes[c])
				}
			}
		}
	}
	for _, q := range o.pairs {
		// A class is in a share of 0.8, a pair in 0.64: five standard deviations.
		limit := 5 * math.Sqrt((1/0.63-1)/draws)
		if got := pairs[[2]int{o.s.classes[q.c], o.s.classes[q.e]}] / draws; !(math.Abs(got/q.weight-1) <= limit) {
			t.Errorf("classes %d and %d: mean weight %v instead of %v", q.c, q.e, got, q.weight)
		}
	}
	for r, k := range rows {
		if want := draws * 0.8 * 3 / 7; !(math.Abs(float64(k)-want) <= 5*math.Sqrt(want)) {
			t.Errorf("row %d drawn %d times, expected %v", r, k, want)
		}
	}
}

func classOf(s *samples, row int) int {
	for c := range s.classes {
		if row < s.offset[c+1] {
			return c
		}
	}
	return -1
}

// TestBatchBias: the costs of mini-batches are biased, less the larger they are: the
// cost between classes is too large, and J with it.
func TestBatchBias(t *testing.T) {
	x, labels := clusters(5, 4, 150, 150)
	p := uniform(6, 4, 2)
	_, o := batchesOf(t, x, labels, p, Settings{Optimizer: Optimizer{Method: MiniBatch{}}})
	if err := o.evaluate(t.Context(), p, false); err != nil {
		t.Fatal(err)
	}
	before := math.Inf(1)
	for _, size := range []int{4, 16, 64} {
		b, _ := batchesOf(t, x, labels, p, Settings{Optimizer: Optimizer{Method: MiniBatch{BatchSize: size}}})
		var between, within float64
		draws := 6000 / size
		for range draws {
			part := mustDraw(t, b)
			if err := part.evaluate(t.Context(), p, false); err != nil {
				t.Fatal(err)
			}
			between += part.b / float64(draws)
			within += part.w / float64(draws)
		}
		bias := (between/within)/(o.b/o.w) - 1
		t.Logf("%d samples a class: σ_b² %+.2f %%, σ_w² %+.2f %%, J %+.2f %%", size, 100*(between/o.b-1), 100*(within/o.w-1), 100*bias)
		if !(bias > 0 && bias < before/2) {
			t.Errorf("J is off by %v with %d samples of a class, by %v with fewer", bias, size, before)
		}
		before = bias
	}
	if !(before < 0.05) {
		t.Errorf("J is still off by %v", before)
	}
}

// TestMiniBatchFits: J comes near the optimum from mini-batches of a part of the
// samples.
func TestMiniBatchFits(t *testing.T) {
	t.Parallel()
	x, labels := clusters(5, 12, 120, 60, 90)
	exact := mustFit(t, x, labels, &Settings{Components: 3, Objective: Objective{Shrinkage: FixedShrinkage(0)}})
	for _, f32 := range []bool{false, true} {
		if !testdata.IsLong() && !f32 {
			continue
		}
		set := &Settings{Components: 3, Optimizer: Optimizer{Method: MiniBatch{BatchSize: 24}}, Objective: Objective{Float32: f32, Shrinkage: FixedShrinkage(0)}}
		m := mustFit(t, x, labels, set)
		r := m.Report()
		if r.ObjectiveSamples != 270 || !r.Status.Converged() || r.Steps == 0 {
			t.Errorf("J of %d samples, %v after %d steps", r.ObjectiveSamples, r.Status, r.Steps)
		}
		if gap := 1 - r.Objective/exact.report.Objective; !(gap < 0.01) {
			t.Errorf("J is %.2g %% below the optimum", 100*gap)
		}
		set.Optimizer.MaxSteps = 3
		m = mustFit(t, x, labels, set)
		if again := mustFit(t, x, labels, set); !bitsEqual(again.projection, m.projection) {
			t.Error("the same seed gives another result")
		}
		set.Seed = 1
		if other := mustFit(t, x, labels, set); bitsEqual(other.projection, m.projection) {
			t.Error("the seed does not matter")
		}
	}
}

// TestMiniBatchLarge: of too many samples J is never evaluated. The report is of a part
// of them, with the λ and weights of all.
func TestMiniBatchLarge(t *testing.T) {
	t.Parallel()
	x, labels := clusters(5, 4, 700, 400, 100)
	for _, solver := range []Method{MiniBatch{}, ConjugateGradient{}} {
		set := pinned(Settings{Components: 2, Optimizer: Optimizer{Method: solver, MaxSteps: 4}, Objective: Objective{Proportional: true}})
		prepared, err := Prepare(t.Context(), x, labels, set.preparation())
		if err != nil {
			t.Fatal(err)
		}
		prepared.exact = 303
		m, err := prepared.fit(t.Context(), set, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		checkModel(t, m)
		r, want := m.Report(), 1200
		if solver == Method(MiniBatch{}) {
			want = 176 + 101 + 25
		}
		if r.ObjectiveSamples != want {
			t.Errorf("%v: J of %d samples, want %d", solver, r.ObjectiveSamples, want)
		}
		all, err := newObjective[float64](context.Background(), prepared.s, &r.Settings)
		if err == nil {
			err = all.setLambdas(context.Background(), &r.Settings, prepared.start)
		}
		if err != nil {
			t.Fatal(err)
		}
		if e := off(r.Lambda, all.lambdas()); !(e <= 1e-14) {
			t.Errorf("%v: λ is off by %g", solver, e)
		}
		all.ridge = r.Ridge / prepared.s.units(1)
		if err := all.evaluate(t.Context(), m.projection, false); err != nil {
			t.Fatal(err)
		}
		limit := 0.05
		if solver != Method(MiniBatch{}) {
			limit = 1e-13
		}
		if e := relative(r.Objective, all.ratio()); !(e <= limit) {
			t.Errorf("%v: J = %v of %d samples, %v of all", solver, r.Objective, r.ObjectiveSamples, all.ratio())
		}
		if r.Objective < r.History[0].Objective*(1-1e-12) {
			t.Errorf("%v: J falls from %v to %v", solver, r.History[0].Objective, r.Objective)
		}
	}
}

// TestRunning: the running mean is the mean of the first terms, and follows later ones.
func TestRunning(t *testing.T) {
	var mean float64
	for age := range 10 {
		mean = running(mean, float64(age), 0.9, age)
	}
	if math.Abs(mean-4.5) > 1e-14 {
		t.Errorf("mean of 0 … 9 is %v", mean)
	}
	for age := 10; age < 200; age++ {
		mean = running(mean, 3, 0.9, age)
	}
	if math.Abs(mean-3) > 1e-7 {
		t.Errorf("after many 3 it is %v", mean)
	}
}
