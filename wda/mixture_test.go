package wda

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// distancesOf returns the squared distances between all pairs of rows of x, projected by p.
func distancesOf(x, p *mat.Dense) []float64 {
	var y mat.Dense
	y.Mul(x, p)
	n, _ := y.Dims()
	var out []float64
	for i := range n {
		for j := range i {
			var sum float64
			for k, v := range y.RawRowView(i) {
				d := v - y.At(j, k)
				sum += float64(d * d)
			}
			out = append(out, sum)
		}
	}
	return out
}

// TestMixture checks that a default fit to few rows is a mixture of the candidates that its report lists as best. The fit
// has as many components as features, so the squared distances of the mixture must be proportional to the mean squared
// distances of its members. The reported ratios, σ_b² and σ_w² must describe the mixture.
func TestMixture(t *testing.T) {
	t.Parallel()
	x, labels := parts3(4, 60, 2)
	asked := Settings{Components: 2, Objective: Objective{Lambda: AbsoluteLambda(0.1)}, Data: Data{Whitening: NoWhitening()}}
	m := mustChoose(t, x, labels, &asked)
	r := m.Report()
	c := r.Choice
	if c.Mixed < 2 || c.Mixed > maxMixed || len(r.Settings.Mixture.Members()) != c.Mixed {
		t.Fatalf("a mixture of %d, settings %v", c.Mixed, r.Settings.Mixture)
	}
	var mean []float64
	leading := 0
	for _, member := range c.Members[:c.Mixed] {
		set := member.applyTo(r.Settings)
		set.Mixture = Mixture{}
		alone := mustChoose(t, x, labels, &set)
		if alone.Report().Choice != nil {
			t.Fatal("the settings of a member leave something open")
		}
		leading = max(leading, member.Leading)
		squares := distancesOf(x, alone.projection)
		if mean == nil {
			mean = make([]float64, len(squares))
		}
		for i, v := range squares {
			mean[i] += v
		}
	}
	if r.Settings.Leading != leading {
		t.Errorf("%d components are informative, want %d", r.Settings.Leading, leading)
	}
	if leading < 2 {
		t.Fatal("the components of the mixture are cut: the test needs other samples")
	}
	got := distancesOf(x, m.projection)
	unit := got[0] / mean[0]
	for i, v := range got {
		if math.Abs(v-unit*mean[i]) > 1e-9*v {
			t.Fatalf("squared distance %d: %v, want %v", i, v, unit*mean[i])
		}
	}
	_, p := m.Dims()
	y := mat.NewDense(len(labels), p, nil)
	y.Mul(x, m.projection)
	if v := withinOf(y, labels, p); math.Abs(v-1) > 1e-9 {
		t.Errorf("a mean variance within classes of %v", v)
	}
	// The projection spans all features, and J depends only on the span, so the identity matrix has the same J.
	eye := mat.NewDense(2, 2, nil)
	for i := range 2 {
		eye.Set(i, i, 1)
	}
	sc, err := Score(t.Context(), x, labels, eye, &Scoring{Objective: Objective{Lambda: AbsoluteLambda(0.1), Shrinkage: FixedShrinkage(0)}})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Between/sc.Between-1) > 1e-6 || math.Abs(r.Within/sc.Within-1) > 1e-6 || math.Abs(r.Objective/(r.Between/(r.Within+r.Ridge))-1) > 1e-9 {
		t.Errorf("J %v = %v / (%v + %v), want %v and %v", r.Objective, r.Between, r.Within, r.Ridge, sc.Between, sc.Within)
	}
	if len(r.Ratios) != 2 || slices.Max(r.Ratios) < r.Objective || slices.Min(r.Ratios) > r.Objective {
		t.Errorf("ratios %v of J = %v", r.Ratios, r.Objective)
	}
}

// TestMixtureAgain checks that a second fit with the settings that the first fit reported gives the same
// projection, bit for bit. The second fit must not compare settings again, even if the settings were read from a
// file.
func TestMixtureAgain(t *testing.T) {
	t.Parallel()
	x, labels := clusters(101, 4, 14, 16, 12, 13)
	m := mustChoose(t, x, labels, &Settings{Components: 3})
	r := m.Report()
	if members := r.Settings.Mixture.Members(); len(members) < 2 || !members[0].Method.traits().stepless || members[len(members)-1].Method.traits().stepless {
		t.Fatalf("mixture %v: want one whose first member takes no steps, but another does", r.Settings.Mixture)
	}
	if again := mustChoose(t, x, labels, &r.Settings); !bitsEqual(again.projection, m.projection) {
		t.Errorf("mixture %v: another projection", r.Settings.Mixture)
	}
	x, labels = parts3(4, 60, 4)
	m = mustChoose(t, x, labels, withFixedWhitening(Settings{Components: 3, Seed: 3}))
	file, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	loaded, _, err := Load(bytes.NewReader(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Report{m.Report(), loaded.Report()} {
		if len(r.Settings.Mixture.Members()) < 2 {
			t.Fatal("no mixture: the test needs other samples")
		}
		again := mustChoose(t, x, labels, &r.Settings)
		if !bitsEqual(again.projection, m.projection) || again.Report().Choice != nil {
			t.Errorf("mixture %v: another projection, or another choice", r.Settings.Mixture)
		}
		if got, want := again.Report().Settings.Mixture.String(), r.Settings.Mixture.String(); got != want {
			t.Errorf("mixture %q, want %q", got, want)
		}
	}
	set := m.Report().Settings
	for name, change := range map[string]func(){
		"fewer components": func() { set.Components = 1 },
		"a start":          func() { set.Optimizer.Init = mat.NewDense(4, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}) },
		"validation":       func() { set.Validation = new(Validation) },
	} {
		set = m.Report().Settings
		if change(); name == "fewer components" && slices.MaxFunc(set.Mixture.Members(), func(a, b Member) int { return a.Leading - b.Leading }).Leading < 2 {
			continue
		}
		if _, err := Fit(t.Context(), x, labels, &set); !errors.Is(err, ErrSettings) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMixtureLeading checks the number of informative components of a mixture. The number must be the maximum over the
// members of the mixture, in any order of the members. The other components must be almost zero.
func TestMixtureLeading(t *testing.T) {
	t.Parallel()
	x, labels := parts3(4, 60, 4)
	set := mustChoose(t, x, labels, withFixedWhitening(Settings{Components: 3, Seed: 3})).Report().Settings
	members := set.Mixture.Members()
	for _, leading := range [][]int{{1, 2}, {2, 1}} {
		for i, q := range leading {
			members[i].Leading = q
		}
		set.Mixture = mixtureOf(members[:2])
		m := mustChoose(t, x, labels, &set)
		if got := m.Report().Settings.Leading; got != 2 {
			t.Errorf("members with %v informative components: %d in the mixture, want 2", leading, got)
		}
		var norms [3]float64
		for k := range norms {
			norms[k] = mat.Norm(m.projection.ColView(k), 2)
		}
		if norms[1] < norms[0]/100 || norms[2] > norms[1]/100 {
			t.Errorf("members with %v informative components: the components have lengths %v", leading, norms)
		}
	}
}

// TestMixtureText checks that UnmarshalText reads the output of String, and describes errors in other texts.
func TestMixtureText(t *testing.T) {
	for _, text := range []string{"auto", "1", "12", "none auto 1 0.2 equal 3; diagonal fisher absolute:0.5 1 unit 2; spherical:0.5 principal 3 5 equal 1"} {
		var m Mixture
		if err := m.UnmarshalText([]byte(text)); err != nil || m.String() != text {
			t.Errorf("%q: %q, %v", text, m, err)
		}
		if got := m.IsAuto(); got != (text == "auto") {
			t.Errorf("%q: IsAuto %v", text, got)
		}
	}
	for _, text := range []string{"", "0", "-1", "none auto 1 0.2 equal 3", "none auto 1 0.2 equal; none auto 1 1 equal 3", "auto auto 1 1 equal 2; none auto 1 1 equal 2",
		"none cg 1 1 equal 2; none auto 1 1 equal 2", "none auto auto 1 equal 2; none auto 1 1 equal 2", "none auto 1 x equal 2; none auto 1 1 equal 2",
		"none auto 1 1 auto 2; none auto 1 1 equal 2", "none auto 1 1 equal 0; none auto 1 1 equal 2", "none auto 1 1 equal x; none auto 1 1 equal 2", "none no 1 1 equal 2; none auto 1 1 equal 2"} {
		m := MixtureOf(7)
		if err := m.UnmarshalText([]byte(text)); !errors.Is(err, ErrSettings) || m.String() != "7" {
			t.Errorf("%q: %v, mixture %v", text, err, m)
		}
	}
}

// TestMixturePinned checks which settings exclude a mixture.
func TestMixturePinned(t *testing.T) {
	open := Settings{Optimizer: Optimizer{Method: Auto{}}}
	with := func(change func(s *Settings)) *Settings {
		s := open
		change(&s)
		return &s
	}
	for name, c := range map[string]struct {
		set  *Settings
		rows int
		want int
	}{
		"few rows":    {&open, mixtureRows - 1, maxMixed},
		"many rows":   {&open, mixtureRows, 1},
		"asked for":   {with(func(s *Settings) { s.Mixture = MixtureOf(5) }), 5000, 5},
		"one":         {with(func(s *Settings) { s.Mixture = NoMixture() }), 50, 1},
		"scale":       {with(func(s *Settings) { s.Scale = ScaleEqual }), 50, 1},
		"leading":     {with(func(s *Settings) { s.Leading = 2 }), 50, 1},
		"method":      {with(func(s *Settings) { s.Optimizer.Method = ConjugateGradient{} }), 50, 1},
		"init":        {with(func(s *Settings) { s.Optimizer.Init = mat.NewDense(1, 1, nil) }), 50, 1},
		"validation":  {with(func(s *Settings) { s.Validation = new(Validation) }), 50, 1},
		"some pinned": {with(func(s *Settings) { s.Data.Whitening = NoWhitening() }), 50, maxMixed},
	} {
		if got := (&comparison{set: c.set, rows: c.rows}).maxMixture(); got != c.want {
			t.Errorf("%s: a mixture of %d, want %d", name, got, c.want)
		}
	}
	x, labels := parts3(4, 30, 4)
	for _, m := range []Mixture{MixtureOf(0), MixtureOf(-1), mixtureOf(make([]Member, 1))} {
		if _, err := Fit(t.Context(), x, labels, &Settings{Mixture: m}); !errors.Is(err, ErrSettings) {
			t.Errorf("a mixture of %d: %v", m.limit, err)
		}
	}
}

// TestMixtureSize checks that a mixture consists of the candidate settings whose losses are within two standard errors
// of the best loss.
func TestMixtureSize(t *testing.T) {
	c := &comparison{set: &Settings{Optimizer: Optimizer{Method: Auto{}}}, rows: 50}
	list := []Member{{Scale: ScaleEqual}, {Scale: ScaleUnit}, {Scale: ScaleRatio}}
	for i := range list {
		list[i].Method = Auto{}
	}
	c.candidates = list
	// Compared with the first loss, the other two losses are larger by 0.1 and 0.2 on average. The standard deviation
	// of these differences is 0.1, so the standard error over four folds is 0.05.
	small := math.Sqrt(0.75) / 10
	var losses [][][]loss
	for _, sign := range []float64{1, -1, 1, -1} {
		losses = append(losses, [][]loss{{{score: 0.5}}, {{score: 0.6 + sign*small}}, {{score: 0.7 - sign*small}}})
	}
	for _, of := range []struct {
		second, third float64
		folds, want   int
	}{
		{0.6, 0.7, 4, 2}, {0.601, 0.7, 4, 1}, {0.59, 0.6, 4, 3}, {0.59, 0.601, 4, 2}, {0.59, 0.6, 3, 2},
	} {
		members := slices.Clone(list)
		for i, v := range []float64{0.5, of.second, of.third} {
			members[i].Loss, members[i].Folds = v, 4
		}
		members[2].Folds = of.folds
		if got := c.mixtureSize(members, losses); got != of.want {
			t.Errorf("losses 0.5, %v and %v: %d are alike, want %d", of.second, of.third, got, of.want)
		}
	}
}

// TestMixtureInterrupted checks that the step count of Progress continues from one fit of a mixture to the next. If the
// second fit of a mixture is interrupted, the result must equal the first fit.
func TestMixtureInterrupted(t *testing.T) {
	t.Parallel()
	x, labels := parts3(4, 60, 4)
	set := Settings{Components: 2, Workers: 1}
	stop, limit := errors.New("enough"), math.MaxInt
	var last, starts int
	set.Progress = func(p Progress) error {
		if p.Phase != PhaseFit {
			return nil
		}
		if p.Done < last || p.Done > p.Total {
			t.Errorf("%d of %d steps after %d", p.Done, p.Total, last)
		}
		if p.Step.Index == 0 && p.Step.Start == 0 {
			starts++
		}
		if last = p.Done; starts == limit {
			return stop
		}
		return nil
	}
	whole := mustChoose(t, x, labels, &set)
	r := whole.Report()
	var fits []Member
	for _, m := range r.Settings.Mixture.Members() {
		if !slices.ContainsFunc(fits, func(of Member) bool { return sameFit(of, m) }) {
			fits = append(fits, m)
		}
	}
	if len(fits) < 2 {
		t.Fatal("members of a mixture by one fit: the test needs other samples")
	}
	if starts != len(fits) {
		t.Errorf("%d fits for members that need %d", starts, len(fits))
	}
	last, starts, limit = 0, 0, 2
	m, err := Fit(t.Context(), x, labels, &set)
	if !errors.Is(err, stop) || m == nil {
		t.Fatalf("error %v, model %v", err, m)
	}
	first := r.Choice.Members[0].applyTo(r.Settings)
	first.Progress, first.Mixture = nil, Mixture{}
	want := mustChoose(t, x, labels, &first)
	if got := m.Report(); got.Choice.Mixed != 1 || got.Settings.Mixture.String() != "1" || got.Status != StatusStopped || !bitsEqual(m.projection, want.projection) {
		t.Errorf("a mixture of %d, status %v", got.Choice.Mixed, got.Status)
	}
	if !testdata.IsLong() {
		return
	}
	if one := mustChoose(t, x, labels, &Settings{Components: 2, Mixture: NoMixture()}).Report(); one.Choice.Mixed != 1 {
		t.Errorf("Mixture 1: a mixture of %d", one.Choice.Mixed)
	}
	ctx, cancel := context.WithCancel(t.Context())
	last, starts, limit = 0, 0, math.MaxInt
	tell := set.Progress
	set.Progress = func(p Progress) error {
		if err := tell(p); starts == 2 {
			cancel()
			return err
		}
		return nil
	}
	if m, err = Fit(ctx, x, labels, &set); !errors.Is(err, context.Canceled) || m == nil || m.Report().Choice.Mixed != 1 || m.Report().Status != StatusCanceled {
		t.Errorf("error %v", err)
	}
}

// TestSharedFits checks that candidate settings that differ only in scale share a fit, and that sharing does not change
// any bit.
func TestSharedFits(t *testing.T) {
	t.Parallel()
	x, labels := parts3(4, 60, 4)
	ctx, set := t.Context(), Settings{Components: 3, Workers: 1}
	m, err := prepare(ctx, x, labels, set.preparation(), true, 0)
	if err != nil {
		t.Fatal(err)
	}
	if set, err = set.withDefaults(ctx, m.samples.N, m.samples.D, len(m.samples.Classes)); err != nil {
		t.Fatal(err)
	}
	comparisons := [2]*comparison{}
	for i := range comparisons {
		if comparisons[i], err = newComparison(ctx, m.span, &set); err != nil {
			t.Fatal(err)
		}
	}
	shared, alone := comparisons[0], comparisons[1]
	at := slices.IndexFunc(shared.candidates, func(m Member) bool { return m.Method == Method(Auto{}) })
	pair := shared.candidates[at:][:2]
	if !sameFit(pair[0], pair[1]) || pair[0].Scale == pair[1].Scale {
		t.Fatalf("%v and %v: the test needs other candidates", pair[0], pair[1])
	}
	shared.finalistFits.setFinalists(pair)
	numbers := slices.Repeat([]bool{true}, len(shared.componentCounts))
	for i, member := range pair {
		var got [2][]loss
		for k, c := range comparisons {
			if got[k], err = c.compareComponentCounts(ctx, &piece{Fold: 1, From: at + i, To: at + i + 1, Numbers: numbers}, 1); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got[0], got[1]) || len(got[0]) != len(numbers) {
			t.Errorf("%v: losses %v, alone %v", member.Scale, got[0], got[1])
		}
	}
	if len(shared.finalistFits.components) != len(shared.componentCounts) || len(alone.finalistFits.components) != 0 {
		t.Errorf("%d and %d fits are kept", len(shared.finalistFits.components), len(alone.finalistFits.components))
	}

	var first *outcome[float64]
	for i, member := range pair {
		member.Leading = 2
		s := member.applyTo(set)
		own, err := newOutcome[float64](ctx, m, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = own
			continue
		}
		got, err := first.fitOrReuse(ctx, []*outcome[float64]{first}, s)
		if err != nil || !bitsEqual(got.projection, own.projection) || got.best != first.best {
			t.Errorf("%v by the fit of another: %v, or other bits", member.Scale, err)
		}
		if bitsEqual(got.projection, first.projection) {
			t.Error("both scales are the same")
		}
	}
}
