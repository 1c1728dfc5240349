package experiments

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestWeights(t *testing.T) { testExperiment(t, weightsExperiment, Settings{}) }

func TestPlans(t *testing.T) { testExperiment(t, plansExperiment, Settings{}) }

func TestToyLambda(t *testing.T) { testExperiment(t, toyLambdaExperiment, Settings{}) }

// TestToy runs only the fast methods. TestToySlow runs the slow methods once.
func TestToy(t *testing.T) {
	var fast []string
	for _, m := range toyMethods() {
		if !isSlow(m.name) {
			fast = append(fast, m.name)
		}
	}
	testExperiment(t, toyExperiment, Settings{Methods: fast})
}

func TestToySlow(t *testing.T) {
	testdata.Long(t)
	r, err := Run(t.Context(), toyExperiment, Settings{Small: true, Trials: 2, Methods: []string{"lsqmi", "LSDR"}, Out: t.TempDir()})
	// Small leaves three cells for each slow method: both trials for p = 2, and one trial for the other value of p.
	if err != nil || r.Cells != 2*(2+1) || len(r.Failed) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	checkFiles(t, toyExperiment, r)
}

// TestToyGoal checks that WDA has almost the error that is possible in the two informative
// dimensions, and that methods based on class means have a large error. It simulates three data sets
// with as many rows as the experiment.
func TestToyGoal(t *testing.T) {
	testdata.Long(t)
	j := &job{Settings: Settings{Seed: 1}}
	s := j.toySizes()
	s.test = 1000
	errs := map[string][]float64{}
	for trial := range 3 {
		for _, m := range toyMethods() {
			switch m.name {
			case nameTrue, "FDA", nameToyStarts, nameToyFixed:
				o, err := j.toyCell(t.Context(), s, m, trial, toyP)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range o.Values {
					if v.At[0] == formatValue(toyK) {
						errs[m.name] = append(errs[m.name], v.Value)
					}
				}
			}
		}
	}
	mean := func(name string) float64 { return stat.Mean(errs[name], nil) }
	if truth, own := mean(nameTrue), mean(nameToyStarts); len(errs[nameTrue]) != 3 || own > truth+toyGoal || truth > 0.05 {
		t.Errorf("errors %v in the true dimensions, %v in those of WDA", errs[nameTrue], errs[nameToyStarts])
	}
	if mean("FDA") < 0.5 || mean(nameToyFixed) < 0.5 {
		t.Errorf("errors %v of FDA, %v of WDA with λ = 0.01", errs["FDA"], errs[nameToyFixed])
	}
}

// TestToyDraws checks that a trial has the same samples for all methods, and that samples depend on the
// trial and the seed. Test samples differ from training samples.
func TestToyDraws(t *testing.T) {
	j := &job{Settings: Settings{Seed: 1}}
	s := toySizes{train: 30, test: 30}
	train, test := j.toyData(s, 0)
	again, _ := j.toyData(s, 0)
	if !mat.Equal(train.X, again.X) {
		t.Error("the same trial has other samples")
	}
	other, otherTest := j.toyData(s, 1)
	k := &job{Settings: Settings{Seed: 2}}
	seeded, _ := k.toyData(s, 0)
	for _, x := range []*mat.Dense{test.X, other.X, otherTest.X, seeded.X} {
		if mat.Equal(train.X, x) {
			t.Error("two draws have the same samples")
		}
	}
	// The arguments of the two calls are equal when concatenated.
	if j.seed("a", 12) == j.seed("a1", 2) || j.seed("a", 1, 2) == j.seed("a", 12) {
		t.Error("two purposes have the same seed")
	}
}

// TestWeightings checks that the weights of each method are nonnegative and sum to 1, that the
// weights of LFDA follow the formula of LFDA, and that the weights of WDA approach the weights of
// FDA for λ → 0.
func TestWeightings(t *testing.T) {
	data := dataset.Simulation{Classes: 2, NoNoise: true, Seed: 3}.Generate(40)
	y, z := classSamples(data, 0), classSamples(data, 1)
	uniform := 1. / 400
	for _, w := range weightings() {
		for _, same := range []bool{false, true} {
			other := z
			if same {
				other = y
			}
			p, err := w.pairs(t.Context(), y, other, same)
			if err != nil {
				t.Fatal(err)
			}
			if n, m := p.Dims(); n != 20 || m != 20 || math.Abs(mat.Sum(p)-1) > 1e-12 || mat.Min(p) < 0 {
				t.Errorf("%s: %d × %d, sum %v, least %v", w.name, n, m, mat.Sum(p), mat.Min(p))
			}
			even := w.name == "FDA" || w.name == "LFDA" && !same
			if got := mat.Max(p)-mat.Min(p) < 1e-15; got != even {
				t.Errorf("%s, same class %v: weights from %v to %v", w.name, same, mat.Min(p), mat.Max(p))
			}
		}
	}
	small, err := transportPlan(t.Context(), y, z, 1e-9, sinkhorn.Settings{})
	if err != nil || math.Abs(mat.Max(small)-uniform) > 1e-10 || math.Abs(mat.Min(small)-uniform) > 1e-10 {
		t.Errorf("λ near 0: weights from %v to %v, %v", mat.Min(small), mat.Max(small), err)
	}

	// LFDA's weights are proportional to exp(−d²/(σ_i σ_j)), where σ_i is the distance of sample i from
	// its seventh neighbor.
	w := weightings()[1]
	a, err := w.pairs(t.Context(), y, y, true)
	if err != nil {
		t.Fatal(err)
	}
	d := mat.NewDense(20, 20, nil)
	dist.SqEuclidean(dense.View(d), dense.View(y), dense.View(y))
	sigma := func(i int) float64 {
		row := slices.Clone(d.RawRowView(i))
		slices.Sort(row)
		return math.Sqrt(row[7])
	}
	for i := range 20 {
		for k := range 20 {
			if want := a.At(0, 0) * math.Exp(-d.At(i, k)/(sigma(i)*sigma(k))); math.Abs(a.At(i, k)-want) > 1e-15 {
				t.Fatalf("LFDA: weight (%d, %d) is %v, not %v", i, k, a.At(i, k), want)
			}
		}
	}
}

func TestMeanPartners(t *testing.T) {
	// One row has four equal partners and the other row has one partner, so the mean is (4 + 1)/2.
	if got := meanPartners(mat.NewDense(2, 4, []float64{1, 1, 1, 1, 0, 0, 3, 0})); math.Abs(got-2.5) > 1e-12 {
		t.Errorf("%v partners, not 2.5", got)
	}
	if got := meanSquaredDistance(mat.NewDense(2, 1, []float64{0, 2}), mat.NewDense(1, 1, []float64{1})); got != 1 {
		t.Errorf("mean squared distance %v, not 1", got)
	}
}

// TestModes checks that byMode sorts samples by mode, and that modeShares adds up the elements of each of the four blocks of a plan.
func TestModes(t *testing.T) {
	data := dataset.Simulation{Classes: 2, NoNoise: true, Radius: 10, Spread: 0.1, Seed: 3}.Generate(20)
	x := byMode(classSamples(data, 0))
	for i := range 10 {
		if first := x.At(i, 0) > 0; first != (i < 5) {
			t.Errorf("row %d at %v", i, x.At(i, 0))
		}
	}
	s := modeShares(mat.NewDense(4, 4, []float64{
		1, 2, 3, 4,
		5, 6, 7, 8,
		1, 1, 2, 2,
		1, 1, 2, 2,
	}))
	if s != [2][2]float64{{14, 22}, {4, 8}} {
		t.Errorf("shares %v", s)
	}
}

// TestGoodRange checks the range of λ that goodRange returns: the widest range in which the error is
// close to the error in the true dimensions. The width of a range is the ratio of its ends.
func TestGoodRange(t *testing.T) {
	s := series{x: []float64{0.01, 0.1, 1, 2, 3, 10, 30}, y: []float64{0.021, 0.6, 0.03, 0.025, 0.039, math.NaN(), 0.03}}
	from, to, lowest, at := goodRange(s, 0.02)
	if from != 1 || to != 3 || lowest != 0.021 || at != 0.01 {
		t.Errorf("from %v to %v, lowest %v at %v", from, to, lowest, at)
	}
	if from, _, _, _ := goodRange(s, -1); from != 0 {
		t.Errorf("a range from %v where there is none", from)
	}
}

func TestTable(t *testing.T) {
	row := tableRow{Name: "iris", Fields: []field{percentField([]float64{0.1, 0.2}), percentField([]float64{0.125}), percentField(nil), numberField("%.1f", 1, 2)}}
	row.markBest([][]float64{{0.1, 0.2}, {0.125}, nil, {9}})
	tab := &table{Head: []string{"data", "a", "b", "c", "d"}, Rows: []tableRow{row}}
	if got, want := tab.plain(), "data\ta\tb\tc\td\niris\t15.00 ± 7.07\t12.50*\t–\t1.5\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for want, errs := range map[string][]float64{"–": nil, "20.00": {0.2}, "25.00": {0.9, 0.3, 0.1, 0.2}, "30.00": {0.9, 0.3, 0.1}} {
		if got := medianField(errs).Text; got != want {
			t.Errorf("median of %v: %s, want %s", errs, got, want)
		}
	}
	none := tableRow{Fields: []field{{}}}
	none.markBest([][]float64{nil})
	if none.Fields[0].Bold {
		t.Error("a field without values is the best")
	}
}

func TestTicks(t *testing.T) {
	labels := func(all []float64) string { return formatValue(all) }
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{
		{0, 0.8, []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}},
		{0, 0.11, []float64{0, 0.02, 0.04, 0.06, 0.08, 0.1}},
		{0, 30, []float64{0, 5, 10, 15, 20, 25, 30}},
	} {
		var got []float64
		for _, m := range (niceTicks{}).Ticks(c.low, c.high) {
			got = append(got, m.Value)
			if m.Label == "" {
				t.Errorf("no label at %v", m.Value)
			}
		}
		if labels(got) != labels(c.want) {
			t.Errorf("from %v to %v: %v, want %v", c.low, c.high, got, c.want)
		}
	}
	var got []string
	for _, m := range (logTicks{}).Ticks(0.008, 0.3) {
		if m.Label != "" {
			got = append(got, m.Label)
		}
	}
	if strings.Join(got, " ") != "0.01 0.02 0.05 0.1 0.2" {
		t.Errorf("logarithmic labels %v", got)
	}
}

// TestLooks checks that all methods of an experiment look different, even without color.
func TestLooks(t *testing.T) {
	for _, e := range All() {
		if e.methods == nil {
			continue
		}
		seen := map[string]string{}
		for i, m := range e.methods() {
			l := lookOf(m.name, i)
			// Markers repeat after seven; see picture.Glyph.
			key := formatValue(l.index%7) + "/" + formatValue(len(l.dashes)) + "/" + formatValue(float64(l.width))
			for _, d := range l.dashes {
				key += " " + formatValue(float64(d))
			}
			if other, ok := seen[key]; ok {
				t.Errorf("%s: %s looks like %s", e.Name, m.name, other)
			}
			seen[key] = m.name
		}
	}
	if len(picture.Palette) != 10 {
		t.Errorf("%d colors", len(picture.Palette))
	}
}

func TestSettingsText(t *testing.T) {
	if got := settingsText(wda.Settings{Objective: wda.Objective{Lambda: wda.RelativeLambda(0.01), Shrinkage: wda.FixedShrinkage(0)}, Optimizer: wda.Optimizer{Method: wda.ProjectedGradient{}}}); got != "Lambda=0.01 Shrinkage=0 Method=pg" {
		t.Errorf("%q", got)
	}
}
