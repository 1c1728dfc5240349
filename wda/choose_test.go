package wda

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// errorOf returns the error rate of a 5-nearest-neighbors classifier for the test samples y with the labels actual.
func errorOf(t *testing.T, m *Model, x *mat.Dense, labels []int, y *mat.Dense, actual []int) float64 {
	t.Helper()
	var a, b mat.Dense
	m.Transform(&a, x)
	m.Transform(&b, y)
	p, err := knn.Predict(t.Context(), dense.View(&a), labels, dense.View(&b), []int{5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return knn.ErrorRate(p[0], actual)
}

// TestChoiceWhitens checks that Fit chooses whitening if only a whitened metric separates the classes. Additional
// components must not raise the error.
func TestChoiceWhitens(t *testing.T) {
	t.Parallel()
	x, labels := stretched(1, 200, 12, 4)
	y, actual := stretched(2, 400, 12, 4)
	for _, p := range []int{2, 6} {
		if p > 2 && !testdata.IsLong() {
			continue
		}
		m, err := Fit(t.Context(), x, labels, &Settings{Components: p})
		if err != nil {
			t.Fatal(err)
		}
		if e := errorOf(t, m, x, labels, y, actual); e > 0.06 {
			t.Errorf("p = %d: error %v, want at most 0.06", p, e)
		}
		r := m.Report()
		if r.Settings.Data.Whitening == NoWhitening() || r.Settings.leavesOpen() {
			t.Errorf("p = %d: chosen settings %+v, want whitening and no open settings", p, r.Settings)
		}
		// Principal components without whitening have a larger error.
		plain := mustFit(t, x, labels, &Settings{Components: p, Optimizer: Optimizer{Method: Principal{}}})
		if e := errorOf(t, plain, x, labels, y, actual); e < 0.2 {
			t.Errorf("p = %d: error %v of the principal components, want at least 0.2: the data are too easy", p, e)
		}
	}
}

// TestChoiceWide checks that held-out rows do not influence the training of a fold when there are far more features
// than samples. The labels are random, so no candidate settings may predict better than chance.
func TestChoiceWide(t *testing.T) {
	t.Parallel()
	x, labels := stretched(3, 60, 300, 3)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	r := mustChoose(t, x, labels, withFixedScale(Settings{Components: 2})).Report()
	for _, c := range r.Choice.Members {
		if c.Error < 0.5 {
			t.Errorf("%+v: error below 0.5 with random labels", c)
		}
	}
}

// TestChoiceReport checks that the report lists the candidate settings in order of their losses, and that a fit with
// the reported settings has the same bits.
func TestChoiceReport(t *testing.T) {
	t.Parallel()
	x, labels := parts3(4, 90, 8)
	m := mustChoose(t, x, labels, withFixedScale(Settings{Components: 3, Mixture: NoMixture()}))
	c, least := m.Report().Choice, 20
	if !testdata.IsLong() {
		least = 6
	}
	if c == nil || c.Mixed != 1 || len(c.Members) < least || c.Neighbors != 5 || c.Rows != 90 {
		t.Fatalf("choice %+v, want at least %d members of 90 rows, none mixed, and 5 neighbors", c, least)
	}
	for i, a := range c.Members[1:] {
		if b := c.Members[i]; b.Folds < a.Folds || b.Folds == a.Folds && b.Loss > a.Loss {
			t.Errorf("%+v is listed before the better %+v", b, a)
		}
		if !(a.Loss >= 0 && a.Error >= 0 && a.Error <= 1) {
			t.Errorf("loss or error out of range: %+v", a)
		}
	}
	set := m.Report().Settings
	again, err := Fit(t.Context(), x, labels, &set)
	if err != nil {
		t.Fatal(err)
	}
	if !bitsEqual(again.projection, m.projection) || again.Report().Choice != nil {
		t.Error("the reported settings give another projection, or another choice")
	}
	if !testdata.IsLong() {
		return // TestSameBitsOfFits varies the number of workers
	}
	for _, workers := range []int{1, 3} {
		other, err := Fit(t.Context(), x, labels, &Settings{Components: 3, Mixture: NoMixture(), Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if !bitsEqual(other.projection, m.projection) {
			t.Errorf("%d workers: the projection differs from the one with all workers", workers)
		}
	}
}

// TestChoicePins checks that all candidate settings keep the values that the caller has fixed.
func TestChoicePins(t *testing.T) {
	t.Parallel()
	x, labels := parts3(4, 60, 6)
	for name, c := range map[string]struct {
		set  Settings
		keep func(m Member) bool
	}{
		"whitening": {Settings{Data: Data{Whitening: DiagonalWhitening(0.3)}}, func(m Member) bool { return m.Whitening == DiagonalWhitening(0.3) }},
		"λ":         {Settings{Objective: Objective{Lambda: RelativeLambda(7)}}, func(m Member) bool { return m.Lambda == RelativeLambda(7) && m.Method == Method(Auto{}) }},
		"ρ":         {Settings{Objective: Objective{Shrinkage: FixedShrinkage(0)}}, func(m Member) bool { return m.Shrinkage == FixedShrinkage(0) && m.Method == Method(Auto{}) }},
		"scale":     {Settings{Scale: ScaleRatio}, func(m Member) bool { return m.Scale == ScaleRatio }},
		"method":    {Settings{Optimizer: Optimizer{Method: SteepestDescent{}}}, func(m Member) bool { return m.Method == Method(SteepestDescent{}) }},
	} {
		if !testdata.IsLong() && (name == "ρ" || name == "scale") {
			continue
		}
		members := mustChoose(t, x, labels, withFixedScale(c.set)).Report().Choice.Members
		if len(members) < 2 || slices.ContainsFunc(members, func(m Member) bool { return !c.keep(m) }) {
			t.Errorf("%s: members %+v, want several that keep the setting", name, members)
		}
	}
}

// TestChoiceCancel checks that the comparison of settings stops when its context ends.
func TestChoiceCancel(t *testing.T) {
	x, labels := parts3(4, 90, 8)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if m, err := Fit(ctx, x, labels, nil); m != nil || !errors.Is(err, cause) {
		t.Errorf("model %v, error %v", m != nil, err)
	}
}

// TestChoiceFolds checks the division of rows into folds. With few rows, each row is held out equally often. With many
// rows, at most maxFitted rows are used for training. The number of neighbors K is at most the size of a typical class.
func TestChoiceFolds(t *testing.T) {
	for _, c := range []struct {
		sizes          []int
		folds, largest int
	}{{[]int{30, 40, 50}, 40, 5}, {[]int{3, 3, 3, 3}, 50, 3}, {[]int{400, 300}, 3, 5}, {[]int{200, 150}, 10, 5}, {[]int{1000, 800}, 3, 5}, {[]int{4, 5, 6}, 50, 5}} {
		s := &discriminant.Samples{Offset: []int{0}, D: 1}
		for i, n := range c.sizes {
			s.N += n
			s.Classes, s.Offset = append(s.Classes, i), append(s.Offset, s.N)
		}
		folds := divideRows(s, 1)
		if len(folds) != c.folds {
			t.Errorf("%v: %d folds, want %d", c.sizes, len(folds), c.folds)
		}
		held := make([]int, s.N)
		for _, f := range folds {
			if f.neighbors%2 == 0 || f.neighbors > c.largest || len(c.sizes) < 4 && f.neighbors < c.largest-2 {
				t.Errorf("%v: K = %d, want %d", c.sizes, f.neighbors, c.largest)
			}
			for _, i := range f.heldRows {
				held[i]++
				if slices.Contains(f.trainRows, i) {
					t.Fatalf("%v: row %d is in the training and the test set of a fold", c.sizes, i)
				}
			}
		}
		if s.N > maxFitted {
			fitted := slices.DeleteFunc(slices.Clone(held), func(times int) bool { return times == c.folds })
			if n := len(fitted); n < maxFitted-len(c.sizes) || n > maxFitted {
				t.Errorf("%v: %d training rows, want about %d", c.sizes, n, maxFitted)
			}
			held = fitted
		}
		if slices.Min(held) != slices.Max(held) && len(c.sizes) != 4 {
			t.Errorf("%v: rows are held out %v times, want equal numbers", c.sizes, held)
		}
	}
}

// TestNeighborLoss compares the score, which is the Brier score plus the error rate, with hand-computed values. If only
// three neighbors vote instead of five, the two missing votes are divided evenly among the classes.
func TestNeighborLoss(t *testing.T) {
	x := dist.Matrix[float64]{Rows: 6, Cols: 1, Stride: 1, Data: []float64{-1, 1, 2, 7, 8, 9}}
	y := dist.Matrix[float64]{Rows: 1, Cols: 1, Stride: 1, Data: []float64{0}}
	for _, c := range []struct {
		k    int
		want [3]float64 // sum of the votes for each class
	}{
		{3, [3]float64{1.6 + 2./3, 0.5 + 2./3, 2. / 3}}, // the first two votes weigh 1/(1 + 1/4), the third 1/2
		{5, [3]float64{2 / (1 + 1./64), 1 / (1 + 4./64), 1/(1+49./64) + 0.5}},
	} {
		var sum, want float64
		for _, v := range c.want {
			sum += v
		}
		for class, v := range c.want {
			if v /= sum; class == 1 {
				v--
			}
			want += v * v
		}
		l, err := neighborLoss(t.Context(), new(knn.Search[float64]), knn.New(x, []int{0, 0, 1, 2, 2, 2}), y, []int{1}, c.k)
		if err != nil || math.Abs(l.score-(want+1)) > 1e-15 || l.error != 1 {
			t.Errorf("K = %d: %+v, %v, want %v", c.k, l, err, want)
		}
	}
}

// TestGaussianLoss checks the losses of the linear classifier and the nearest-mean classifier. For classes of equal size
// and equal variance, the losses must follow from the posteriors of normal distributions. Unequal class sizes must move
// only the boundary of the linear classifier. A feature with a large variance within classes must mislead only the
// nearest-mean classifier.
func TestGaussianLoss(t *testing.T) {
	column := func(v ...float64) dist.Matrix[float64] {
		return dist.Matrix[float64]{Rows: len(v), Cols: 1, Stride: 1, Data: v}
	}
	// The classes have means −1 and 1 and variance 1. At y = 1, the posterior of the class with mean 1 is
	// 1/(1 + e⁻²).
	for _, use := range []Use{UseLinear, UseCentroid} {
		l, err := gaussianLoss(t.Context(), column(-2, 0, 0, 2), []int{3, 3, 7, 7}, column(1), []int{7}, use)
		wrong := 1 / (1 + math.Exp(2))
		if want := 2 * wrong * wrong; err != nil || math.Abs(l.score-want) > 1e-12 || l.error != 0 {
			t.Errorf("%v: %+v, %v, want %v", use, l, err, want)
		}
		if l, err = gaussianLoss(t.Context(), column(-2, 0, 0, 2), []int{3, 3, 7, 7}, column(1), []int{3}, use); err != nil || l.error != 1 || l.score < 1.5 {
			t.Errorf("%v: %+v of a row of the other class, %v", use, l, err)
		}
		l, err = gaussianLoss(t.Context(), column(-2, 0, -2, 0, -2, 0, 0, 2), []int{3, 3, 3, 3, 3, 3, 7, 7}, column(0.2), []int{7}, use)
		if err != nil || (l.error == 1) != (use == UseLinear) {
			t.Errorf("%v: %+v of a row near the boundary, %v", use, l, err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var x, y [2]dist.Matrix[float64]
	var labels [2][]int
	for i := range x {
		x[i] = dist.NewMatrix[float64](200, 2, nil)
		for r := range 200 {
			labels[i] = append(labels[i], r%2)
			copy(x[i].Row(r), []float64{50 * rng.NormFloat64(), float64(r%2) + 0.2*rng.NormFloat64()})
		}
		y[i] = dist.NewMatrix[float64](200, 2, nil)
	}
	for use, most := range map[Use]float64{UseLinear: 0.05, UseCentroid: 1} {
		copy(y[0].Data, x[0].Data)
		copy(y[1].Data, x[1].Data)
		if l, err := gaussianLoss(t.Context(), y[0], labels[0], y[1], labels[1], use); err != nil || l.error > most || use == UseCentroid && l.error < 0.2 {
			t.Errorf("%v: %+v, %v", use, l, err)
		}
	}
}

// TestGaussianLossScalesCovariance checks that the loss does not rise if training rows are closer to their class means
// than held-out rows. This happens in a projection that was fitted to the training rows.
func TestGaussianLossScalesCovariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	n := 400
	labels, noise := make([]int, n), make([]float64, n)
	for i := range n {
		labels[i], noise[i] = i%2, rng.NormFloat64()
	}
	for _, use := range []Use{UseLinear, UseCentroid} {
		var losses [2]loss
		for k, spread := range []float64{1, 0.25} {
			x, y := dist.NewMatrix[float64](n, 1, nil), dist.NewMatrix[float64](n, 1, nil)
			for i := range n {
				// Rows come in pairs on both sides of the class mean, so the class mean is the same for all spreads.
				sign := float64(1 - i/2%2*2)
				x.Data[i] = float64(2*labels[i]) + spread*math.Abs(noise[i/4])*sign
				y.Data[i] = float64(2*labels[i]) + noise[i]
			}
			var err error
			if losses[k], err = gaussianLoss(t.Context(), x, labels, y, labels, use); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := losses[0].score, losses[1].score; math.Abs(a-b) > 0.02*a || losses[0].error == 0 {
			t.Errorf("%v: loss %v with the variance of the held-out rows, %v with a sixteenth of it", use, a, b)
		}
	}
}

// TestChoiceFor checks that the kind of classifier in Settings.For decides which candidate settings are chosen. Along the
// first feature, one class lies on both sides of the other class. A nearest-neighbors classifier separates these classes,
// but a linear classifier does not. Along the second feature, the class means differ a little.
func TestChoiceFor(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 2))
	x, labels := mat.NewDense(160, 4, nil), make([]int, 160)
	for i := range labels {
		labels[i] = i % 2
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		row[0] += float64((1 - i%2) * 6 * (i%4 - 1))
		row[1] += float64(2 * (i % 2))
	}
	for _, use := range []Use{UseAuto, UseLinear, UseCentroid} {
		m := mustChoose(t, x, labels, &Settings{Components: 1, For: use})
		r := m.Report()
		if means := math.Abs(m.projection.At(1, 0)) > math.Abs(m.projection.At(0, 0)); means != (use != UseAuto) || (r.Choice.Neighbors == 0) != (use != UseAuto) {
			t.Errorf("%v: projection %v, %d neighbors", use, mat.Col(nil, 0, m.projection), r.Choice.Neighbors)
		}
		if want := max(use, UseNeighbors); r.Settings.For != want {
			t.Errorf("the settings say %v, want %v", r.Settings.For, want)
		}
	}
	if _, err := Fit(t.Context(), x, labels, &Settings{For: numUses}); !errors.Is(err, ErrSettings) {
		t.Errorf("an unknown use: %v", err)
	}
}

// TestChoiceDuplicates checks that equal rows are held out together, even with different labels. Equal rows of one
// class must have a single vote. Repeating a row must not change the folds.
func TestChoiceDuplicates(t *testing.T) {
	x, labels := parts3(4, 60, 6)
	twice, both := mat.NewDense(121, 6, nil), make([]int, 121)
	for i := range 60 {
		twice.SetRow(i, x.RawRowView(i))
		twice.SetRow(60+i, x.RawRowView(i))
		both[i], both[60+i] = labels[i], labels[i]
	}
	twice.SetRow(120, x.RawRowView(0)) // of another class
	both[120] = labels[1]
	s, err := discriminant.NewSamples(t.Context(), twice, both)
	if err != nil {
		t.Fatal(err)
	}
	first, different := equalRows(s)
	if different != 60 {
		t.Fatalf("%d different rows, want 60", different)
	}
	folds := divideRows(s, 1)
	if len(folds) != 50 {
		t.Errorf("%d folds, want 50", len(folds))
	}
	for _, f := range folds {
		held := map[int]bool{}
		for _, r := range f.heldRows {
			held[first[r]] = true
		}
		for _, r := range f.trainRows {
			if held[first[r]] {
				t.Fatalf("row %d is used for training although an equal row is held out", r)
			}
		}
		votes := map[[2]int]bool{}
		for _, i := range f.voters {
			c := s.LabelsOf(f.trainRows[i : i+1])[0]
			if key := [2]int{first[f.trainRows[i]], c}; votes[key] {
				t.Fatalf("row %d of class %d votes twice", f.trainRows[i], c)
			} else {
				votes[key] = true
			}
		}
		if n := len(f.trainRows); len(votes) != n/2 && len(votes) != (n+1)/2 {
			t.Errorf("%d votes of %d rows, want half of the rows", len(votes), n)
		}
	}
}

// TestColumnSigns checks that the columns of the projection have a fixed sign for every Scale, and that Report.Ratios
// has a value for each column.
func TestColumnSigns(t *testing.T) {
	x, labels := parts3(8, 60, 7)
	for scale := ScaleOrthonormal; scale < numScales; scale++ {
		m, err := fitPinned(t.Context(), x, labels, &Settings{Components: 3, Scale: scale, Optimizer: Optimizer{MaxSteps: 2}})
		if err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			if algebra.Sign(mat.Col(nil, k, m.projection)) < 0 {
				t.Errorf("%v: the sign of column %d is wrong", scale, k)
			}
		}
		if len(m.Report().Ratios) != 3 {
			t.Errorf("%v: ratios %v, want 3", scale, m.Report().Ratios)
		}
	}
}

// TestLeading checks that Fit finds the two informative components when classes differ in two dimensions, and scales
// the other components to almost zero. A repeated fit with the reported settings must have the same bits.
func TestLeading(t *testing.T) {
	t.Parallel()
	seeds := []uint64{1, 2}
	if !testdata.IsLong() {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		train, test := dataset.Simulation{Seed: seed}.Generate(100), dataset.Simulation{Seed: seed + 100}.Generate(1000)
		m := mustChoose(t, train.X, train.Labels, &Settings{Components: 5, Mixture: NoMixture()})
		r := m.Report()
		if r.Settings.Leading != 2 || r.Settings.Components != 5 || len(r.Ratios) != 5 || r.Ratios[1] < 1 || r.Ratios[2] != 0 {
			t.Fatalf("seed %d: %d informative components with the ratios %v, want 2 of 5", seed, r.Settings.Leading, r.Ratios)
		}
		if e := errorOf(t, m, train.X, train.Labels, test.X, test.Labels); e > 0.06 {
			t.Errorf("seed %d: error %v, want at most 0.06", seed, e)
		}
		norm := func(k int) float64 { return mat.Norm(m.projection.ColView(k), 2) }
		if !(norm(4) < norm(0)/100 && norm(4) > 0) {
			t.Errorf("seed %d: columns 0 and 4 have the lengths %v and %v, want a ratio above 100", seed, norm(0), norm(4))
		}
		again := mustChoose(t, train.X, train.Labels, &r.Settings)
		if !bitsEqual(again.projection, m.projection) {
			t.Errorf("seed %d: the reported settings give another projection", seed)
		}
		// A fit of two components must have the same bits as the first two of the five components.
		set := r.Settings
		set.Components = 2
		cut, err := m.Cut(2)
		if two := mustChoose(t, train.X, train.Labels, &set); err != nil || !bitsEqual(two.projection, cut.projection) {
			t.Errorf("seed %d: a fit of two components differs from the first two of five", seed)
		}
	}
	x, labels := parts3(4, 60, 6)
	for _, leading := range []int{-1, 4} {
		if _, err := Fit(t.Context(), x, labels, &Settings{Components: 3, Leading: leading}); !errors.Is(err, ErrSettings) {
			t.Errorf("Leading = %d of 3 components: error %v, want ErrSettings", leading, err)
		}
	}
}

// withFixedWhitening returns a copy of the settings set. Unless MONGE_LONG=1, the copy has a fixed whitening, so that Fit
// compares only a third of the candidate settings.
func withFixedWhitening(set Settings) *Settings {
	if !testdata.IsLong() && set.Data.Whitening.IsAuto() {
		set.Data.Whitening = DiagonalWhitening(LedoitWolf)
	}
	return &set
}

// withFixedScale is like withFixedWhitening, but also fixes the scale unless MONGE_LONG=1.
func withFixedScale(set Settings) *Settings {
	set = *withFixedWhitening(set)
	if !testdata.IsLong() && set.Scale == ScaleAuto {
		set.Scale = ScaleUnit
	}
	return &set
}

func mustChoose(t *testing.T, x *mat.Dense, labels []int, set *Settings) *Model {
	t.Helper()
	m, err := Fit(t.Context(), x, labels, set)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestAverageLosses checks that fewer components are chosen only if their loss is not significantly higher, given the
// variation between folds.
func TestAverageLosses(t *testing.T) {
	counts := []int{5, 2}
	for _, c := range []struct {
		all, few []float64
		want     int
	}{
		{[]float64{0.4, 0.5, 0.6}, []float64{0.3, 0.4, 0.5}, 2},
		{[]float64{0.4, 0.5, 0.6}, []float64{0.41, 0.51, 0.61}, 5},
		{[]float64{0.4, 0.5, 0.6}, []float64{0.5, 0.45, 0.57}, 2}, // worse by chance
		{[]float64{0.4, 0.5, 0.6}, []float64{0.5, 0.48, 0.64}, 5}, // significantly worse
		{[]float64{0.4, 0.5, 0.6}, []float64{0.5, 0.6, 0.7}, 5},
	} {
		list, losses := []Member{{}}, make([][][]loss, 3)
		for f := range losses {
			losses[f] = [][]loss{{{c.all[f], 0.2}, {c.few[f], 0.1}}}
		}
		averageLosses(list, counts, losses)
		want := c.all
		if c.want == 2 {
			want = c.few
		}
		if m := list[0]; m.Leading != c.want || m.Folds != 3 || math.Abs(m.Loss-(want[0]+want[1]+want[2])/3) > 1e-15 {
			t.Errorf("losses %+v: chosen %+v, want %d components", c, m, c.want)
		}
	}
}

// TestRoundEnds checks at which folds candidate settings are eliminated, which candidate settings remain, and which
// numbers of components remain.
func TestRoundEnds(t *testing.T) {
	for _, c := range []struct {
		folds, held int
		want        []int
	}{{1, 30, []int{1}}, {3, 333, []int{1, 3}}, {6, 250, []int{1, 3, 6}}, {5, 80, []int{2, 4, 5}}, {10, 40, []int{4, 8, 10}}, {50, 20, []int{8, 16, 24, 50}}, {50, 5, []int{10, 20, 30, 50}}} {
		x := comparison{folds: make([]choiceFold, c.folds)}
		x.folds[0].heldRows = make([]int, c.held)
		if got := x.roundEnds(); !slices.Equal(got, c.want) {
			t.Errorf("%d folds of %d rows: rounds end at %v, want %v", c.folds, c.held, got, c.want)
		}
	}
	list := []Member{{Loss: 4}, {Loss: 1}, {Loss: 0}, {Loss: 3}, {Loss: 2}, {Loss: 5}}
	alive := []bool{true, true, false, true, true, true}
	if eliminate(list, alive, 0.5); !slices.Equal(alive, []bool{false, true, false, true, true, false}) {
		t.Errorf("remaining candidates %v, want 1, 3 and 4", alive)
	}
	for _, c := range []struct {
		few  [2][]float64 // losses with four and with two components; all losses with eight components are 1
		want []bool
	}{
		{[2][]float64{{1.04}, {1.12}}, []bool{true, true, false}},
		{[2][]float64{{0.9, 1, 1.1}, {1.01, 1.02, 1.01}}, []bool{true, true, false}}, // four components may be better than eight; two components are worse
		{[2][]float64{{1.01, 1.01, 1.01}, {0.99, 0.99, 0.99}}, []bool{true, false, true}},
		{[2][]float64{{1.01, 1.02, 1.01}, {math.Inf(1), 0.5, 0.5}}, []bool{true, false, false}},
	} {
		numbers := []bool{true, true, true}
		var losses [][][]loss
		for f := range c.few[0] {
			losses = append(losses, [][]loss{{{1, 0}, {c.few[0][f], 0}, {c.few[1][f], 0}}})
		}
		losses = append(losses, [][]loss{nil}) // not fitted
		if any := keepBetterCounts([]int{8, 4, 2}, losses, numbers); !slices.Equal(numbers, c.want) || any != (c.want[1] || c.want[2]) {
			t.Errorf("losses %v: remaining numbers %v, want %v (any %v)", c.few, numbers, c.want, any)
		}
	}
}

// TestComponentCounts checks that numbers of components are tried in descending order, and that a number that loses
// class information excludes all smaller numbers.
func TestComponentCounts(t *testing.T) {
	for _, c := range []struct {
		p, classes int
		want       []int
	}{{10, 10, []int{10, 9, 8, 6, 4, 3, 2, 1}}, {5, 3, []int{5, 4, 3, 2, 1}}, {20, 77, []int{20, 16, 12, 8, 6, 4, 3, 2, 1}}, {1, 2, []int{1}}} {
		if got := (&Settings{Components: c.p}).componentCounts(&discriminant.Samples{Classes: make([]int, c.classes)}); !slices.Equal(got, c.want) {
			t.Errorf("%d components, %d classes: %v", c.p, c.classes, got)
		}
	}
	of := []loss{{0.2, 0.1}, {0.3, 0.2}, {0.41, 0.3}, {0.1, 0.1}}
	for k, want := range []bool{false, false, true} {
		if discardSmallerCounts(of, k) != want {
			t.Errorf("number %d: out of the question is %v", k, !want)
		}
	}
	list := []Member{{}}
	if averageLosses(list, []int{8, 4, 2, 1}, [][][]loss{{of}, {of}}); list[0].Leading != 8 || list[0].Loss != 0.2 {
		t.Errorf("%+v of losses %v", list[0], of)
	}
}

// TestCandidates checks the number of candidate settings. The number is larger for few rows because fits to few rows
// are cheap.
func TestCandidates(t *testing.T) {
	set := Settings{Optimizer: Optimizer{Method: Auto{}}}
	for _, c := range []struct{ n, d, want int }{{100, 10, 38}, {100, 120, 43}, {1000, 10, 32}} {
		if n := len(set.candidates(c.n, c.d, 3)); n != c.want {
			t.Errorf("%d members for %d rows of %d features, want %d", n, c.n, c.d, c.want)
		}
	}
}

// TestNearlyConstant checks that constant features, and features that vary only by rounding errors or negligible noise,
// do not change the result.
func TestNearlyConstant(t *testing.T) {
	t.Parallel()
	x, labels := stretched(1, 120, 6, 3)
	y, actual := stretched(2, 300, 6, 3)
	with := func(x *mat.Dense, seed uint64) *mat.Dense {
		n, d := x.Dims()
		rng := rand.New(rand.NewPCG(seed, 9))
		out := mat.NewDense(n, d+4, nil)
		out.Slice(0, n, 0, d).(*mat.Dense).Copy(x)
		for i := range n {
			out.Set(i, d, 3)
			out.Set(i, d+1, 1+0x1p-52*float64(rng.IntN(2)))
			out.Set(i, d+2, 1e-9*rng.NormFloat64())
			out.Set(i, d+3, float64(b2i(i == 5))) // nonzero in one row only
		}
		return out
	}
	plain := errorOf(t, mustChoose(t, x, labels, withFixedScale(Settings{Components: 2})), x, labels, y, actual)
	x, y = with(x, 1), with(y, 2)
	for _, set := range []Settings{{}, {Data: Data{Whitening: DiagonalWhitening(LedoitWolf)}}} {
		if !testdata.IsLong() && !set.Data.Whitening.IsAuto() {
			continue // the first case, automatic whitening, also tries this whitening
		}
		set.Components = 2
		m := mustChoose(t, x, labels, &set)
		if e := errorOf(t, m, x, labels, y, actual); !(e < plain+0.03) {
			t.Errorf("%v: an error of %v, without such features %v", set.Data.Whitening, e, plain)
		}
	}
}

func warnsOf(warnings []Warning, code WarningCode) bool {
	return slices.ContainsFunc(warnings, func(w Warning) bool { return w.Code == code && w.wellFormed() })
}

// TestResultWarnings checks the warning about projected classes that vary along a line only, and the warning about a
// projection that predicts worse than the principal components.
func TestResultWarnings(t *testing.T) {
	t.Parallel()
	x, labels := parts3(4, 90, 8)
	for i := range 90 {
		x.Set(i, 0, 1e3*x.At(i, 0))
	}
	plain := &Settings{Components: 2, Data: Data{Whitening: NoWhitening()}, Optimizer: Optimizer{Method: Principal{}}}
	if m, err := fitPinned(t.Context(), x, labels, plain); err != nil || !warnsOf(m.Report().Warnings, WarningOneDirection) {
		t.Errorf("no warning of a line: %v", err)
	}
	whitened := &Settings{Components: 2, Data: Data{Whitening: DiagonalWhitening(LedoitWolf)}}
	if m, err := fitPinned(t.Context(), x, labels, whitened); err != nil || warnsOf(m.Report().Warnings, WarningOneDirection) {
		t.Errorf("a warning of a line for whitened features: %v", err)
	}
	z, labels := stretched(3, 90, 6, 3) // the classes differ along the principal components
	for i := range 90 {
		z.Set(i, 2, 300*z.At(i, 0))
	}
	choice := &Choice{Members: []Member{{Error: 0.5, Folds: 5}}, Rows: 90, principal: 0.2}
	set := (&Settings{Components: 2}).withPaperDefaults()
	s, err := discriminant.NewSamples(t.Context(), z, labels)
	if err != nil {
		t.Fatal(err)
	}
	if set, err = set.withDefaults(t.Context(), s.N, s.D, 3); err != nil {
		t.Fatal(err)
	}
	for _, principal := range []float64{0.2, 0.45} {
		choice.principal = principal
		w, err := findWarnings(t.Context(), s, discriminant.PairCounts{}, &set, 2, choice)
		if said := warnsOf(w, WarningHeldOutError); err != nil || said != (principal == 0.2) {
			t.Errorf("error %v of the principal components: warnings %q", principal, w)
		}
	}
	if m := mustChoose(t, z, labels, &Settings{Components: 2}); warnsOf(m.Report().Warnings, WarningHeldOutError) {
		t.Errorf("warnings %v of a default fit, want no WarningHeldOutError", m.Report().Warnings)
	}
}

// TestTrainingErrorWarning checks that a fit with fixed settings warns if its leave-one-out error on the training rows
// exceeds the error of the principal components.
func TestTrainingErrorWarning(t *testing.T) {
	x, labels := stretched(3, 90, 6, 3)
	for i := range 90 { // move the classes apart along the feature with the largest scale
		x.Set(i, 0, float64(200*labels[i])+x.At(i, 0))
	}
	axis := func(j int) mat.Matrix {
		p := mat.NewDense(6, 1, nil)
		p.Set(j, 0, 1)
		return p
	}
	for _, c := range []struct {
		init mat.Matrix
		said bool
	}{{axis(5), true}, {axis(0), false}} {
		m, err := fitPinned(t.Context(), x, labels, &Settings{Components: 1, Optimizer: Optimizer{Method: Principal{}, Init: c.init}})
		if err != nil {
			t.Fatal(err)
		}
		warned := warnsOf(m.Report().Warnings, WarningTrainingError)
		if warned != c.said {
			t.Errorf("start %v: warnings %q, want WarningTrainingError: %v", mat.Col(nil, 0, c.init), m.Report().Warnings, c.said)
		}
	}
}

// TestMaxima checks that the report groups the starting points of a fit by the maximum that each starting point led to.
func TestMaxima(t *testing.T) {
	values, starts := maxima([]float64{2, math.NaN(), 3, 2.001, 3.0029, 1, 2.9999})
	if !slices.Equal(values, []float64{3.0029, 2.001, 1}) || !slices.Equal(starts, []int{3, 2, 1}) {
		t.Errorf("maxima %v of %v starts, want 3.0029, 2.001 and 1 of 3, 2 and 1", values, starts)
	}
	x, labels := stretched(3, 60, 6, 3)
	m, err := fitPinned(t.Context(), x, labels, &Settings{Components: 2, Optimizer: Optimizer{Starts: 4}})
	if err != nil {
		t.Fatal(err)
	}
	r, sum := m.Report(), 0
	for _, n := range r.LedTo {
		sum += n
	}
	if sum != 4 || len(r.LedTo) != len(r.Maxima) || r.Maxima[0] != slices.Max(r.StartObjectives) {
		t.Errorf("StartObjectives %v, Maxima %v and LedTo %v do not agree", r.StartObjectives, r.Maxima, r.LedTo)
	}
}

// ones is a matrix whose type is not comparable.
type ones []int

func (o ones) Dims() (int, int) { return o[0], o[0] }

func (o ones) At(int, int) float64 { return 1 }

func (o ones) T() mat.Matrix { return o }

// TestChoiceLambdaMatrix checks that Fit can compare candidate settings with a λ matrix of any type that implements
// mat.Matrix.
func TestChoiceLambdaMatrix(t *testing.T) {
	x, labels := stretched(3, 60, 6, 3)
	mustChoose(t, x, labels, &Settings{Components: 2, Objective: Objective{Lambda: LambdaMatrix(ones{3})}})
}

// TestPrincipalAndFisher checks that the methods Principal and Fisher take no optimization steps. With C classes,
// Fisher must scale all components after the first C − 1 to almost zero, and Principal must not.
func TestPrincipalAndFisher(t *testing.T) {
	x, labels := stretched(5, 200, 10, 4)
	for _, method := range []Method{Principal{}, Fisher{}} {
		set := &Settings{
			Components: 5, Data: Data{Whitening: DiagonalWhitening(LedoitWolf)}, Scale: ScaleUnit, Optimizer: Optimizer{Method: method},
			Objective: Objective{Lambda: RelativeLambda(1), Shrinkage: FixedShrinkage(1)},
		}
		m, err := Fit(t.Context(), x, labels, set)
		if err != nil {
			t.Fatal(err)
		}
		if r := m.Report(); r.Steps != 0 || r.Choice != nil {
			t.Errorf("%v: %d steps and choice %+v, want none", method, r.Steps, r.Choice)
		}
		norm := func(k int) float64 { return mat.Norm(m.projection.ColView(k), 2) }
		if ratio := norm(4) / norm(0); (ratio < 0.01) != (method == Method(Fisher{})) {
			t.Errorf("%v: the last component has %v of the length of the first", method, ratio)
		}
	}
}

// TestChooseFallsBack checks that Fit takes the second-best candidate settings if a fit with the best settings fails.
// The data consist of four distinct rows, each repeated five times. With the λ of the best settings, every sample is
// transported to itself.
func TestChooseFallsBack(t *testing.T) {
	t.Parallel()
	x, labels := mat.NewDense(20, 2, nil), make([]int, 20)
	for i := range labels {
		x.SetRow(i, [][]float64{{1, 2}, {2, 1}, {5, 6}, {6, 5}}[i%4])
		labels[i] = i % 4 / 2
	}
	m, err := Fit(t.Context(), x, labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	if best := m.Report().Choice.Members[0]; m.Report().Settings.Objective.Lambda != best.Lambda {
		t.Errorf("the report names a candidate that was not fitted: %v, fitted %v", best.Lambda, m.Report().Settings.Objective.Lambda)
	}
	_, err = Fit(t.Context(), x, labels, &Settings{Objective: Objective{Lambda: RelativeLambda(1e6)}})
	if !errors.Is(err, ErrSettings) {
		t.Errorf("error %v if no candidate can be fitted, want ErrSettings", err)
	}
}
