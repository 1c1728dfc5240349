package experiments

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gomonge/monge/experiments/baselines"
	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var uciExperiment = Experiment{
	Name:     "uci",
	Title:    "Ten data sets: p, K and the method's own setting by cross-validation",
	Paper:    `Section 5.6 "UCI datasets", its table of test errors`,
	Data:     uciFiles(),
	Trials:   20,
	Revision: 3,
	methods:  uciMethods,
	run:      runUCI,
}

// uciData is a data set and a row of the table of errors.
type uciData struct {
	name string // name in the paper
	file string
	// standIn is the file that replaces a missing file. The table marks data sets that use a stand-in.
	standIn string
	// rows is the number of rows drawn in each trial, or 0 for all rows.
	rows int
	// If noise is true, the features are standardized and 100 noise features are appended.
	// Otherwise all features are scaled by a common factor.
	noise bool
}

// uciSets are the data sets of the paper. The paper does not state the sizes of isolet, usps and
// mnist. With the sizes chosen here, the errors are similar to the errors in the paper.
var uciSets = []uciData{
	{name: "wines", file: "wine.csv.gz", noise: true},
	{name: "iris", file: "iris.csv.gz", noise: true},
	{name: "glass", file: "glass.csv.gz", noise: true},
	{name: "vehicles", file: "vehicle.csv.gz", noise: true},
	{name: "credit", file: "credit_australian.csv.gz", noise: true},
	{name: "ionosphere", file: "ionosphere.csv.gz", noise: true},
	{name: "isolet", file: "isolet.npz", rows: 1560},
	{name: "usps", file: "usps.npz", rows: 2000},
	{name: "mnist", file: "mnist.npz", rows: 1000},
	{name: "caltechpca", file: "caltech_decaf6.npz", standIn: "office_webcam_dslr_decaf6.npz"},
}

func uciFiles() []string {
	var all []string
	for _, d := range uciSets {
		all = append(all, d.file)
		if d.standIn != "" {
			all = append(all, d.standIn)
		}
	}
	return all
}

// uciNoise is the number of noise features of the paper.
const uciNoise = 100

// Names of table columns for methods with an additional setting. The setting is chosen together
// with p and K.
const (
	nameFDAShrunk  = "FDA-s"  // shrinkage
	nameLFDAShrunk = "LFDA-s" // shrinkage
	nameLMNNSteps  = "LMNN-s" // the number of steps: until convergence, or uciQuick
)

// uciShrinkages are the shrinkage intensities compared for FDA and LFDA.
var uciShrinkages = []float64{0, 0.1, 0.5}

// uciMethods returns the methods of the table, with the paper's numbers of neighbors. Slow methods
// run only if Settings.Methods names them.
func uciMethods() []method {
	all := []method{originalMethod()}
	for _, m := range paperBaselines() {
		m.slow = m.slow || m.name == (baselines.LMNN{}).String()
		all = append(all, m)
	}
	return append(all, ofWDA(namePaper, *wda.PaperSettings(0)), ofWDA(nameWDA, wda.Settings{}))
}

// uciQuick limits the steps of a fit during cross-validation.
const uciQuick = 50

// uciCandidates returns the candidates of a method, the variants that cross-validation compares. A
// method may have several columns in the table. choices contains the indices of the candidates of
// each column, and names contains the column names.
func uciCandidates(m method) (candidates []candidate, choices [][]int, names []string) {
	one := func(quick method, nested bool) {
		candidates = append(candidates, candidate{m, quick, nested})
	}
	plain := func() { choices, names = [][]int{{0}}, []string{m.name} }
	switch m.name {
	case nameWDA:
		// The quick fit uses the default step limit and starting point, like the final fit.
		one(ofWDA(m.name, wda.Settings{Objective: wda.Objective{Float32: true}}), false)
	case namePaper:
		s := *wda.PaperSettings(0)
		s.Optimizer.MaxSteps, s.Objective.Float32 = uciQuick, true
		one(ofWDA(m.name, s), false)
	case "FDA", "LFDA":
		all := []int{}
		for i, s := range uciShrinkages {
			f := ofBaseline(baseline.FDA{Shrinkage: s})
			if m.name == "LFDA" {
				f = ofBaseline(baselines.LFDA{Neighbors: 5, Shrinkage: s})
			}
			candidates, all = append(candidates, candidate{f, f, true}), append(all, i)
		}
		return candidates, [][]int{{0}, all}, []string{m.name, m.name + "-s"}
	case "LMNN":
		// LMNN overfits. The error after few steps does not predict the error after many steps.
		few := ofBaseline(baselines.LMNN{Neighbors: 5, MaxSteps: uciQuick})
		return []candidate{{m, m, false}, {few, few, false}}, [][]int{{0}, {0, 1}}, []string{m.name, nameLMNNSteps}
	case "LSDR":
		one(ofBaseline(baselines.LSDR{Starts: 1, MaxSteps: uciQuick}), false)
	case "LSQMI":
		one(ofBaseline(baselines.LSQMI{Starts: 1, MaxSteps: uciQuick}), false)
	case "CEML":
		one(ofBaseline(baselines.CEML{MaxSteps: uciQuick}), false)
	default:
		one(m, m.name == "PCA")
	}
	plain()
	return candidates, choices, names
}

type uciSizes struct {
	tuning
	rows  int // maximum number of rows of a data set; 0 means no limit
	noise int
}

func (j *job) uciSizes() uciSizes {
	if j.Small {
		return uciSizes{tuning{ps: []int{1, 2}, ks: []int{1, 3}, folds: 2}, 60, 2}
	}
	return uciSizes{tuning{ps: []int{5, 10, 15, 20, 25}, ks: []int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19}, folds: uciFolds}, 0, uciNoise}
}

// uciFolds is the number of folds of the cross-validation. The paper does not state this number.
const uciFolds = 3

// uciSets returns the data sets whose file exists. If a file is missing, uciSets uses
// the file named in the field standIn, if that file exists.
func (j *job) uciSets() []uciData {
	var all []uciData
	for _, d := range uciSets {
		if !j.hasFile(d.file) && d.standIn != "" {
			d.file, d.name = d.standIn, d.name+standInMark
		}
		if j.hasFile(d.file) {
			all = append(all, d)
		}
	}
	return all
}

// standInMark is appended to the name of a data set that replaces a data set of the paper.
const standInMark = " *"

func runUCI(ctx context.Context, j *job) error {
	s := j.uciSizes()
	sets := j.uciSets()
	var sizes []string
	for _, d := range sets {
		if d.rows > 0 {
			sizes = append(sizes, fmt.Sprintf("%s %d", d.name, d.rows))
		}
	}
	g := grid{
		columns: []string{"data", "method", "trial"},
		within:  []string{"tuned"},
		settings: []setting{
			newSetting("p", s.ps), newSetting("K", s.ks), newSetting("folds", s.folds), newSetting("noise features", s.noise),
			newSetting("rows drawn anew in every trial", strings.Join(sizes, ", ")), newSetting("most rows", s.rows),
			newSetting("steps of a fit in cross-validation", uciQuick), newSetting("shrinkage of FDA-s and LFDA-s", uciShrinkages),
		},
	}
	var cells []cell
	for trial := range j.Trials {
		for _, d := range sets {
			for _, m := range j.methods {
				cells = append(cells, newCell(func(ctx context.Context) (*output, error) {
					return j.uciCell(ctx, s, d, m, trial)
				}, m.settings, d.name, m.name, trial))
			}
		}
	}
	r, err := j.compute(ctx, g, cells)
	if err != nil {
		return err
	}
	return j.reportUCI(sets, r)
}

// uciCell chooses p and K for a method on one split of a data set, and tests the method.
func (j *job) uciCell(ctx context.Context, s uciSizes, d uciData, m method, trial int) (*output, error) {
	train, test, err := j.uciSplit(s, d, trial)
	if err != nil {
		return nil, err
	}
	candidates, choices, names := uciCandidates(m)
	results, err := tuneCandidates(ctx, candidates, choices, train, test, s.tuning, j.seed("folds", d.name, trial))
	if err != nil {
		return nil, err
	}
	o := new(output)
	for i, t := range results {
		o.addValue("error", t.test, names[i])
		o.addValue("validation error", t.validation, names[i])
		o.addValue("K", float64(t.k), names[i])
		if t.p > 0 {
			o.addValue("p", float64(t.p), names[i])
		}
		if len(choices[i]) > 1 {
			o.addValue("candidate", float64(t.candidate), names[i])
		}
	}
	return o, nil
}

// uciSplit draws the halves of a trial. Both halves are scaled with the means and
// standard deviations of the training half.
func (j *job) uciSplit(s uciSizes, d uciData, trial int) (train, test *dataset.Dataset, err error) {
	all, err := j.data(d.file)
	if err != nil {
		return nil, nil, err
	}
	rows := d.rows
	if s.rows > 0 {
		rows = s.rows
	}
	if rows > 0 && rows < all.Len() {
		if all, err = all.Sample(rows, j.seed("rows", d.name, trial)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", d.file, err)
		}
	}
	if train, test, err = all.TrainTest(0.5, j.seed("halves", d.name, trial)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.file, err)
	}
	scaleBoth(train, test, d.noise)
	if d.noise {
		rng := rand.New(rand.NewPCG(j.seed("noise", d.name, trial), 1))
		appendNoise(train, s.noise, rng)
		appendNoise(test, s.noise, rng)
	}
	return train, test, nil
}

// scaleBoth subtracts the training mean of every feature. If perFeature is true, it divides every
// feature by its standard deviation in the training samples. Otherwise all features are divided by the
// square root of their mean variance. Features that are constant in the training samples become 0.
func scaleBoth(train, test *dataset.Dataset, perFeature bool) {
	n, d := train.X.Dims()
	mean, variance := make([]float64, d), make([]float64, d)
	column := make([]float64, n)
	total := 0.
	for k := range d {
		mat.Col(column, k, train.X)
		mean[k], variance[k] = stat.PopMeanVariance(column, nil)
		total += variance[k] / float64(d)
	}
	for _, x := range []*mat.Dense{train.X, test.X} {
		rows, _ := x.Dims()
		for i := range rows {
			row := x.RawRowView(i)
			for k := range row {
				v := total
				if perFeature {
					v = variance[k]
				}
				switch {
				case variance[k] == 0:
					row[k] = 0
				default:
					row[k] = (row[k] - mean[k]) / math.Sqrt(v)
				}
			}
		}
	}
}

// appendNoise appends the given number of Gaussian noise features with variance 1.
func appendNoise(d *dataset.Dataset, features int, rng *rand.Rand) {
	n, old := d.X.Dims()
	x := mat.NewDense(n, old+features, nil)
	x.Slice(0, n, 0, old).(*mat.Dense).Copy(d.X)
	for i := range n {
		row := x.RawRowView(i)[old:]
		for k := range row {
			row[k] = rng.NormFloat64()
		}
	}
	d.X, d.Columns = x, nil
}

// uciColumn is a column of the table of errors.
type uciColumn struct {
	name   string
	method string // of the cells
	family string // column of the published table; columns with the same published column form a family
	tuned  bool   // whether cross-validation chooses more settings for this column than for any other column of its family
	errs   [][]float64
}

// uciColumns returns the columns of the table with their errors, indexed by data set and trial. If
// any trial failed, the errors for this data set are nil.
func (j *job) uciColumns(sets []uciData, r *results) []uciColumn {
	var all []uciColumn
	for _, m := range j.methods {
		_, _, names := uciCandidates(m)
		for i, name := range names {
			c := uciColumn{name: name, method: m.name, family: m.name, tuned: i == len(names)-1}
			if m.name == namePaper {
				c.family, c.tuned = nameWDA, false
			}
			for _, d := range sets {
				e := r.values("error", selector{"data": d.name, "method": m.name, "tuned": name})
				if len(e) != j.Trials {
					e = nil
				}
				c.errs = append(c.errs, e)
			}
			all = append(all, c)
		}
	}
	return all
}

// meanRanks returns the mean rank of every column, and the number of data sets that it uses. It
// uses only data sets for which all columns have an error rate. For every family, reference is true
// for one column, and meanRanks compares a column with these columns of the other families.
func meanRanks(columns []uciColumn, sets int, reference func(uciColumn) bool) (ranks []float64, over int) {
	ranks = make([]float64, len(columns))
	for d := range sets {
		if slices.ContainsFunc(columns, func(c uciColumn) bool { return c.errs[d] == nil }) {
			continue
		}
		over++
		for i, c := range columns {
			values := []float64{stat.Mean(c.errs[d], nil)}
			for _, other := range columns {
				if other.family != c.family && reference(other) {
					values = append(values, stat.Mean(other.errs[d], nil))
				}
			}
			ranks[i] += averageRanks(values)[0]
		}
	}
	for i := range ranks {
		ranks[i] /= float64(over)
	}
	return ranks, over
}

// uciSignificance is the significance level. A value is underlined if its p-value exceeds this
// level.
const uciSignificance = 0.05

func (j *job) reportUCI(sets []uciData, r *results) error {
	columns := j.uciColumns(sets, r)
	t := &table{
		Title: "Mean test error in percent",
		Note: fmt.Sprintf("Means of %d splits. Bold: the lowest. Underlined: not significantly different from it (Wilcoxon's signed-rank test over the splits, p > %g). "+
			"In brackets: published. Mean ranks are of one column of every family (WDA-paper and WDA are one, FDA and FDA-s, LFDA and LFDA-s, LMNN and LMNN-s): "+
			"the others' columns are FDA, LFDA, LMNN and WDA in the first line, and those with a setting chosen in the second.", j.Trials, uciSignificance),
		Head: []string{"data"},
	}
	for _, c := range columns {
		t.Head = append(t.Head, c.name)
	}
	for i, d := range sets {
		t.Rows = append(t.Rows, uciRow(d, i, columns))
	}
	plain, over := meanRanks(columns, len(sets), func(c uciColumn) bool { return c.name == c.family })
	chosen, _ := meanRanks(columns, len(sets), func(c uciColumn) bool { return c.tuned })
	if over > 0 {
		first, second := tableRow{Name: fmt.Sprintf("mean rank, %d sets", over)}, tableRow{Name: "… settings chosen"}
		for i, c := range columns {
			f := numberField("%.1f", plain[i])
			if v, ok := publishedUCI.value(publishedRank, c.family); ok {
				f.Paper = fmt.Sprintf("%.1f", v)
			}
			first.Fields = append(first.Fields, f)
			second.Fields = append(second.Fields, numberField("%.1f", chosen[i]))
		}
		t.Rows = append(t.Rows, first, second)
	}
	j.addHeading("Test errors")
	j.addTable(t)
	j.uciFindings(sets, columns, plain, chosen, over)
	j.addHeading("What cross-validation has chosen")
	j.addTable(j.uciChoices(sets, columns, r))
	j.addHeading("What reproduces, and what does not")
	j.uciComments(sets, columns)
	return j.addFigure("errors", "Mean test errors. Crosses: WDA as published.", 900, 120+44*len(sets), func(c draw.Canvas) {
		drawUCI(c, sets, columns)
	})
}

// uciRow returns a row of the table of errors.
func uciRow(d uciData, at int, columns []uciColumn) tableRow {
	row := tableRow{Name: d.name}
	values := make([][]float64, len(columns))
	for i, c := range columns {
		values[i] = c.errs[at]
		f := field{Text: "–"}
		if len(values[i]) > 0 {
			f.Text = fmt.Sprintf("%.2f", 100*stat.Mean(values[i], nil))
		}
		if v, ok := publishedUCI.value(strings.TrimSuffix(d.name, standInMark), c.family); ok {
			f.Paper = fmt.Sprintf("%.2f", v)
		}
		row.Fields = append(row.Fields, f)
	}
	row.markBest(values)
	best := slices.IndexFunc(row.Fields, func(f field) bool { return f.Bold })
	for i := range columns {
		if best < 0 || i == best || values[i] == nil {
			continue
		}
		differences := make([]float64, len(values[i]))
		for k := range differences {
			differences[k] = values[i][k] - values[best][k]
		}
		_, p := signedRank(differences, dropZeros)
		row.Fields[i].Underline = p > uciSignificance
	}
	return row
}

// uciFindings compares the results with the goals and with the paper's results for WDA.
func (j *job) uciFindings(sets []uciData, columns []uciColumn, plain, chosen []float64, over int) {
	list := func(ranks []float64, use func(uciColumn) bool) string {
		var all []string
		for i, c := range columns {
			if use(c) {
				all = append(all, fmt.Sprintf("%s %.1f", c.name, ranks[i]))
			}
		}
		return strings.Join(all, ", ")
	}
	if over > 0 {
		j.addFinding("Mean rank over %d data sets, default settings: %s.", over, list(plain, func(c uciColumn) bool { return c.name == c.family || c.family == nameWDA }))
		j.addFinding("Mean rank with settings of their own chosen by cross-validation, too: %s.", list(chosen, func(c uciColumn) bool { return c.tuned }))
		j.addFinding("Published, with LMNN, LSDR, LSQMI and CEML: WDA 2.2, LMNN 3.4, CEML 3.5, FDA and LFDA 5.2.")
	}
	if over == 0 {
		j.addFinding("No data set has been finished by every method.")
	}
	for _, c := range columns {
		if c.family != nameWDA {
			continue
		}
		var worse []string
		counted := 0
		for i, d := range sets {
			paper, ok := publishedUCI.value(d.name, nameWDA) // no stand-ins
			if !ok || c.errs[i] == nil {
				continue
			}
			counted++
			if e := 100 * stat.Mean(c.errs[i], nil); e > paper+3 {
				worse = append(worse, fmt.Sprintf("%s by %.1f", d.name, e-paper))
			}
		}
		if counted == 0 {
			continue
		}
		if worse == nil {
			worse = []string{"none"}
		}
		j.addFinding("%s is worse than the published WDA by more than 3 points on: %s (of %d data sets).", c.name, strings.Join(worse, ", "), counted)
	}
}

// uciChoices returns a table with the medians of the chosen p and K, and with the number of times
// that each candidate was chosen.
func (j *job) uciChoices(sets []uciData, columns []uciColumn, r *results) *table {
	t := &table{
		Title: "Medians of p and K over the splits",
		Note:  "In brackets, on how many splits each setting was chosen: FDA-s and LFDA-s shrinkage 0, 0.1, 0.5; LMNN-s convergence, 50 steps.",
		Head:  []string{"data"},
	}
	for _, c := range columns {
		t.Head = append(t.Head, c.name)
	}
	for i, d := range sets {
		row := tableRow{Name: d.name}
		for _, c := range columns {
			if c.errs[i] == nil {
				row.Fields = append(row.Fields, field{Text: "–"})
				continue
			}
			w := selector{"data": d.name, "method": c.method, "tuned": c.name}
			f := field{Text: fmt.Sprintf("K %g", median(r.values("K", w)))}
			if p := r.values("p", w); len(p) > 0 {
				f.Text = fmt.Sprintf("p %g, %s", median(p), f.Text)
			}
			if which := r.values("candidate", w); len(which) > 0 {
				candidates, _, _ := uciCandidates(method{name: c.method})
				counts := make([]int, len(candidates))
				for _, v := range which {
					counts[int(v)]++
				}
				f.Text += " (" + formatValue(counts) + ")"
			}
			row.Fields = append(row.Fields, f)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return stat.Quantile(0.5, stat.Empirical, s, nil)
}

// uciComments describes the differences from the paper.
func (j *job) uciComments(sets []uciData, columns []uciColumn) {
	j.addParagraph("The paper does not say whether features were standardized, how many rows of isolet, usps and mnist were taken, in how many parts cross-validation divides, and " +
		"which other parameters were validated. Here: the features of the six UCI sets are standardized and 100 of unit variance appended, which comes closest to the published column of all features; " +
		"the other four are scaled as a whole; 1560, 2000 and 1000 rows are drawn anew for each split.")
	j.addParagraph("How large the noise was matters, and no one size fits all published rows. With standard deviations of 1, 0.75 and 0.5 (means of 4 splits) all features of glass have errors of 62, 54 and 50 %% " +
		"(published 54.0) and WDA 54, 51 and 49 %% (published 46.0); all features of iris 42, 30 and 22 %% (published 42.1) and WDA 34, 27 and 19 %% (published 20.9).")
	j.addParagraph("On iris (8 splits, in a changed copy of this experiment) the mean error is 22.7 %% with p = 5 fixed, λ = 0.01 and ρ = 0, 24.7 %% with p = 5 and the defaults of the first version, 32 %% with p = 10 and " +
		"16 %% with p = 1: what is above the published 20.9 %% is lost by choosing among large p from 75 samples.")
	j.addParagraph("On glass it is the units: with the features as they are, not standardized, and noise of standard deviation 0.5, all features err by 52.7 %% (published 54.0) and WDA by 46.7 %% " +
		"(published 46.0), over 8 splits with p from 3, 5 and 10.")
	j.addParagraph("FDA's columns are scaled to unit variance within classes, WDA's are orthonormal, and nearest neighbors see the difference. With p = 15 and K = 5 (4 splits, in a changed copy of this experiment) " +
		"WDA's columns scaled likewise, with shrinkage 0.1, err less than WDA's on 7 of the 10 sets (isolet 13.0 %%, scaled 9.4 %%; iris 35.3, scaled 26.3), and FDA's with shrinkage 0.5 made orthonormal " +
		"err more than as they are on all 10 (isolet 9.1 and 9.0 %%; iris 32.7 and 26.3; mnist 19.8 and 14.7, WDA 14.1).")
	j.addParagraph("WDA-paper: λ = 0.01, ρ = 0, projected gradient from PCA. WDA: our defaults, which choose whitening, λ, ρ, scale and the components that count on rows held out of those they are fitted to. "+
		"FDA-s and LFDA-s: shrinkage chosen likewise, which is what they need where the noise makes features as many as samples: comparing them with WDA is fair, comparing FDA and LFDA with it is not. LMNN-s: convergence or 50 steps. "+
		"p and K are chosen for all. Fits in cross-validation take %d steps at most (WDA-paper and WDA in float32, and WDA in as many as it makes by default; LSDR and LSQMI from one start), those of LMNN as many as the fit with what was chosen, which has no such limit.", uciQuick)
	for _, d := range sets {
		if strings.HasSuffix(d.name, standInMark) {
			j.addParagraph("%s: %s stands in for the paper's Caltech DeCAF6 features (%s), so its published numbers are of other data.", d.name, d.file, "caltech_decaf6.npz")
		}
	}
}

// drawUCI draws one line for each data set. The marks on the line are the test errors of the columns.
func drawUCI(c draw.Canvas, sets []uciData, columns []uciColumn) {
	p := picture.New("", "test error, %", "")
	p.Add(picture.Grid())
	var names plot.ConstantTicks
	var legend []series
	for i, d := range sets {
		names = append(names, plot.Tick{Value: -float64(i), Label: d.name})
	}
	for k, col := range columns {
		l := lookOf(col.name, k)
		l.width = 0
		s := series{name: col.name, look: l}
		for i := range sets {
			if col.errs[i] != nil {
				s.x = append(s.x, 100*stat.Mean(col.errs[i], nil))
				// Vertical offsets keep equal errors visible.
				s.y = append(s.y, -float64(i)+0.6*(0.5-(float64(k)+0.5)/float64(len(columns))))
			}
		}
		legend = append(legend, s)
		p.Add(marks(s))
	}
	var published crosses
	for i, d := range sets {
		if v, ok := publishedUCI.value(d.name, nameWDA); ok {
			published = append(published, plotPoint{v, -float64(i), nil})
		}
	}
	p.Add(published)
	p.Y.Tick.Marker = names
	p.Y.Min, p.Y.Max = -float64(len(sets))+0.4, 0.6
	p.X.Min, p.X.Max = 0, 1.03*p.X.Max
	w := legendWidth(legend)
	drawMarkLegend(draw.Crop(c, c.Size().X-w, 0, 0, 0), legend)
	p.Draw(draw.Crop(c, 0, -w-12, 0, 0))
}

// marks is a series that is drawn as points without lines.
type marks series

// Plot implements plot.Plotter.
func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i := range m.x {
		series(m).drawMark(&c, vg.Point{X: tx(m.x[i]), Y: ty(m.y[i])})
	}
}

// variants are methods with the same glyph as the method that they modify. In plots without lines,
// the glyph of a variant is hollow.
var variants = []string{nameFDAShrunk, nameLFDAShrunk, nameLMNNSteps, nameFloat32}

func (s series) drawMark(c *draw.Canvas, at vg.Point) {
	g := s.look.glyph(vg.Points(3.6))
	c.DrawGlyphNoClip(g, at)
	if slices.Contains(variants, s.name) {
		g.Color, g.Radius = color.White, g.Radius/2
		c.DrawGlyphNoClip(g, at)
	}
}

// DataRange implements plot.DataRanger.
func (m marks) DataRange() (xmin, xmax, ymin, ymax float64) { return series(m).DataRange() }

// plotPoint is a point with a color. A nil color means black.
type plotPoint struct {
	x, y  float64
	color color.Color
}

// crosses draws published values as crosses.
type crosses []plotPoint

// Plot implements plot.Plotter.
func (m crosses) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, v := range m {
		if v.color == nil {
			v.color = color.Black
		}
		c.DrawGlyph(draw.GlyphStyle{Color: v.color, Radius: vg.Points(5), Shape: draw.CrossGlyph{}}, vg.Point{X: tx(v.x), Y: ty(v.y)})
	}
}

// DataRange implements plot.DataRanger.
func (m crosses) DataRange() (xmin, xmax, ymin, ymax float64) {
	s := series{}
	for _, v := range m {
		s.x, s.y = append(s.x, v.x), append(s.y, v.y)
	}
	return s.DataRange()
}

// drawMarkLegend draws a legend like drawLegend, but without lines.
func drawMarkLegend(c draw.Canvas, all []series) {
	sty := picture.TextStyle(10)
	top := c.Center().Y + legendStep*vg.Length(len(all)-1)/2
	for i, s := range all {
		at := vg.Point{X: c.Min.X, Y: top - legendStep*vg.Length(i)}
		s.drawMark(&c, vg.Point{X: at.X + legendLine/2, Y: at.Y})
		c.FillText(sty, vg.Point{X: at.X + legendLine + 6, Y: at.Y}, s.name)
	}
}
