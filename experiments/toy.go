package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/experiments/baselines"
	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var toyExperiment = Experiment{
	Name:     "toy",
	Title:    "Simulated data: two dimensions to be found in ten",
	Paper:    "Section 5.2, figures 2 and 3",
	Trials:   20,
	Revision: 1,
	methods:  toyMethods,
	run:      runToy,
}

// The settings of WDA for the simulated data. The paper uses λ = 0.01 "except for the toy problem"
// and does not state λ for this problem. Both values of λ lie in the middle of the range with the
// lowest error, which the experiment toy-lambda determines. toyLambda is for our solver with five
// starting points. toyPaperLambda is for the paper's solver. With a larger λ, the single starting
// point of the paper's solver often leads to a different local maximum.
const (
	toyLambda      = 4
	toyStarts      = 5
	toyPaperLambda = 1

	nameToyStarts = "WDA-tuned" // our solver with toyLambda and toyStarts; all other settings are those of the paper
	nameToyFixed  = "WDA-0.01"  // the paper's method with the λ of the paper's other experiments
)

// toyMethods returns all methods, with the paper's numbers of neighbors.
func toyMethods() []method {
	all := []method{trueProjection(), originalMethod()}
	for _, m := range paperBaselines() {
		if m.name == (baselines.LFDA{}).String() {
			m = ofBaseline(baselines.LFDA{Neighbors: 1})
		}
		m.slow = false
		all = append(all, m)
	}
	paper := wda.PaperSettings(0)
	fixed := *paper
	paper.Objective.Lambda = wda.RelativeLambda(toyPaperLambda)
	return append(all,
		ofWDA(nameWDA, wda.Settings{}),
		ofWDA(nameToyStarts, wda.Settings{Objective: wda.Objective{Lambda: wda.RelativeLambda(toyLambda)}, Optimizer: wda.Optimizer{Starts: toyStarts}}),
		ofWDA(namePaper, *paper),
		ofWDA(nameToyFixed, fixed),
	)
}

// trueProjection returns the projection on the first p features. The classes of the simulated data
// differ only in the first two features.
func trueProjection() method {
	return method{
		name: nameTrue,
		fit: func(_ context.Context, t *training, p int) (*mat.Dense, error) {
			_, d := t.X.Dims()
			e := mat.NewDense(d, p, nil)
			for k := range p {
				e.Set(k, k, 1)
			}
			return e, nil
		},
	}
}

// toySizes are the sizes of the experiment. The sample sizes are the sizes in the paper. The paper
// does not list its values of K and p.
type toySizes struct {
	train, test int
	ks, ps      []int
	drawn       int // number of test samples in the picture
	few         int // number of trials of LSDR and LSQMI, which are slow, if p is not toyP
}

func (j *job) toySizes() toySizes {
	if j.Small {
		return toySizes{train: 24, test: 60, ks: []int{1, 3}, ps: []int{1, 2}, drawn: 30, few: 1}
	}
	return toySizes{
		train: 100, test: 5000, ks: []int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19}, ps: []int{1, 2, 3, 4, 5, 6, 8, 10},
		drawn: 600, few: 5,
	}
}

// toyP is the number p of components in figure 2 and on the left of figure 3. toyK is the number K
// of neighbors in results for a single K.
const (
	toyP = 2
	toyK = 5
)

// isSlow reports whether a method takes seconds for 100 samples.
func isSlow(name string) bool {
	return name == baselines.LSDR{}.String() || name == baselines.LSQMI{}.String()
}

// toyData draws training and test samples of a trial.
func (j *job) toyData(s toySizes, trial int) (train, test *dataset.Dataset) {
	return dataset.Simulation{Seed: j.seed("train", trial)}.Generate(s.train),
		dataset.Simulation{Seed: j.seed("test", trial)}.Generate(s.test)
}

func (j *job) toySettings(s toySizes) []setting {
	return []setting{
		newSetting("training samples", s.train), newSetting("test samples", s.test),
		newSetting("dimensions", "2 with three classes of two modes each, and 8 of noise"),
	}
}

func runToy(ctx context.Context, j *job) error {
	s := j.toySizes()
	g := grid{
		columns: []string{"method", "trial", "p"},
		within:  []string{"k"},
		settings: append(j.toySettings(s),
			newSetting("K", s.ks), newSetting("p", s.ps),
			newSetting("trials of LSDR and LSQMI where p is not 2", fmt.Sprintf("at most %d", s.few)),
		),
	}
	var cells []cell
	for trial := range j.Trials {
		for _, m := range j.methods {
			for _, p := range s.ps {
				if p != toyP && (m.fit == nil || m.name == nameTrue || isSlow(m.name) && trial >= s.few) {
					continue // the methods with all features and with the true features do not depend on p
				}
				cells = append(cells, newCell(func(ctx context.Context) (*output, error) {
					return j.toyCell(ctx, s, m, trial, p)
				}, m.settings, m.name, trial, p))
			}
		}
	}
	r, err := j.compute(ctx, g, cells)
	if err != nil {
		return err
	}
	return j.reportToy(s, r)
}

// toyCell fits one method with p components to one draw of the samples.
func (j *job) toyCell(ctx context.Context, s toySizes, m method, trial, p int) (*output, error) {
	train, test := j.toyData(s, trial)
	var projection *mat.Dense
	if m.fit != nil {
		var err error
		if projection, err = m.fit(ctx, trainingFor(train, p), p); err != nil {
			return nil, err
		}
	}
	errs, err := knnErrors(ctx, train, test, projection, s.ks)
	if err != nil {
		return nil, err
	}
	o := new(output)
	for i, k := range s.ks {
		o.addValue("error", errs[i], k)
	}
	if trial == 0 && p == toyP && projection != nil {
		_, d := test.X.Dims()
		o.keepArray("projected", project(test.X.Slice(0, s.drawn, 0, d).(*mat.Dense), projection))
	}
	return o, nil
}

// bestK returns the K with the lowest mean error, and the errors for this K. K is 0 if there are no
// errors.
func (r *results) bestK(ks []int, w selector) (best int, errs []float64) {
	lowest := math.Inf(1)
	for _, k := range ks {
		at := selector{"k": k}
		for name, v := range w {
			at[name] = v
		}
		if e := r.values("error", at); len(e) > 0 && stat.Mean(e, nil) < lowest {
			lowest, best, errs = stat.Mean(e, nil), k, e
		}
	}
	return best, errs
}

// isFlat reports whether a method's error does not depend on the number p of components.
func isFlat(m method) bool { return m.fit == nil || m.name == nameTrue }

func (j *job) reportToy(s toySizes, r *results) error {
	reference := s.ks[0] // K of sentences
	if slices.Contains(s.ks, toyK) {
		reference = toyK
	}
	mean := func(name string, k int) float64 {
		e := r.values("error", selector{"method": name, "p": toyP, "k": k})
		if len(e) == 0 {
			return math.NaN()
		}
		return stat.Mean(e, nil)
	}
	truth := mean(nameTrue, reference)
	for _, name := range []string{nameToyStarts, nameWDA, namePaper} {
		if v := mean(name, reference); !math.IsNaN(v - truth) {
			verdict := "within"
			if v-truth > toyGoal {
				verdict = "NOT within"
			}
			j.addFinding("%s: error %.3f with K = %d in p = 2 dimensions, %s %.2f of the %.3f in the true ones (mean of %d draws).",
				name, v, reference, verdict, toyGoal, truth, j.Trials)
		}
	}
	if len(j.report.Summary) == 0 {
		for _, m := range j.methods {
			j.addFinding("%s: error %.3f with K = %d in p = 2 dimensions.", m.name, mean(m.name, reference), reference)
		}
	}

	if err := j.drawToy(s, r, reference); err != nil {
		return err
	}

	// Collect the curves of the error against K and against p.
	var byK, byP []series
	for i, m := range j.methods {
		k := series{name: m.name, look: lookOf(m.name, i)}
		for _, v := range s.ks {
			k.x, k.y = append(k.x, float64(v)), append(k.y, mean(m.name, v))
		}
		byK = append(byK, k)
		p := series{name: m.name, look: lookOf(m.name, i)}
		for _, v := range s.ps {
			at := v
			if isFlat(m) {
				at = toyP
			}
			_, e := r.bestK(s.ks, selector{"method": m.name, "p": at})
			y := math.NaN()
			if len(e) > 0 {
				y = stat.Mean(e, nil)
			}
			p.x, p.y = append(p.x, float64(v)), append(p.y, y)
		}
		byP = append(byP, p)
	}
	caption := fmt.Sprintf("Error on the test samples, mean of %d draws. Left: in p = 2 dimensions, against the number of neighbors K. "+
		"Right: against p, with the K that is best for the method and p.", j.Trials)
	err := j.addFigure("error", caption, 1060, 430, func(c draw.Canvas) {
		w := legendWidth(byK)
		drawLegend(draw.Crop(c, c.Size().X-w, 0, 0, 0), byK)
		t := divideCanvas(draw.Crop(c, 0, -w-12, 0, 0), 1, 2, 14)
		curves{title: "p = 2", x: "K", y: "test error", series: byK, ticks: floats(s.ks), logY: true, yMin: 0.01, yMax: 0.8}.draw(t[0])
		curves{title: "best K", x: "p", y: "test error", series: byP, ticks: floats(s.ps), logY: true, yMin: 0.01, yMax: 0.8}.draw(t[1])
	})
	if err != nil {
		return err
	}
	j.toyTables(s, r, reference)
	j.toyComments(s)
	return nil
}

// toyGoal is the largest allowed difference between the test error in the projection of WDA and the
// test error in the true dimensions of the data.
const toyGoal = 0.02

func floats(v []int) []float64 {
	var f []float64
	for _, x := range v {
		f = append(f, float64(x))
	}
	return f
}

// drawToy draws figure 2: the test samples of the first draw in two dimensions.
func (j *job) drawToy(s toySizes, r *results, k int) error {
	_, test := j.toyData(s, 0)
	labels := test.Labels[:s.drawn]
	type panel struct {
		name string
		y    *mat.Dense
		err  float64
	}
	var panels []panel
	for _, m := range j.methods {
		at := selector{"method": m.name, "trial": 0, "p": toyP}
		y := r.array("projected", at)
		if y == nil {
			continue
		}
		at["k"] = k
		panels = append(panels, panel{m.name, y, r.values("error", at)[0]})
	}
	if len(panels) == 0 {
		return nil
	}
	const columns = 4
	rows := (len(panels) + columns - 1) / columns
	caption := fmt.Sprintf("The first %d test samples of the first draw, projected by each method on p = 2 dimensions, with the error of %d nearest neighbors on all %d.", s.drawn, k, s.test)
	return j.addFigure("projections", caption, 250*min(columns, len(panels)), 250*rows+30, func(c draw.Canvas) {
		const legend = 24
		var entries []picture.LegendEntry
		for class, name := range test.Classes {
			entries = append(entries, picture.LegendEntry{Glyphs: []draw.GlyphStyle{picture.Glyph(class, picture.LegendRadius, 255)}, Name: "class " + name})
		}
		row := c
		row.Max.Y = row.Min.Y + legend
		picture.DrawLegendRow(row, entries, picture.TextStyle(11))
		for i, t := range divideCanvas(draw.Crop(c, 0, 0, legend, 0), rows, min(columns, len(panels)), 10) {
			if i >= len(panels) {
				break
			}
			p := picture.New(fmt.Sprintf("%s: %.1f %%", panels[i].name, 100*panels[i].err), "", "")
			p.Add(picture.Grid(), picture.Cloud{Points: panels[i].y, Labels: labels, Radius: vg.Points(1.9), Alpha: 170})
			picture.EqualAxes(p, t)
			p.Draw(t)
		}
	})
}

func (j *job) toyTables(s toySizes, r *results, reference int) {
	names := []string{""}
	for _, m := range j.methods {
		names = append(names, m.name)
	}
	t := &table{
		Title: "Test error in percent, p = 2",
		Head:  names,
		Note:  "Mean ± standard deviation over the draws; bold: the lowest but for the true dimensions. The paper has these numbers as curves only.",
	}
	t.addRows(s.ks, "K = %d", j.methods, func(m method, k int) []float64 {
		return r.values("error", selector{"method": m.name, "p": toyP, "k": k})
	})
	j.addTable(t)
	if truth := r.values("error", selector{"method": nameTrue, "k": reference}); len(truth) > 0 {
		lost := &table{
			Title: fmt.Sprintf("Draws in which the two dimensions were not found, p = 2, K = %d", reference),
			Head:  names,
			Note:  fmt.Sprintf("Not found: an error more than %g above the mean of that in the true dimensions.", missedBy),
		}
		draws, median := tableRow{Name: fmt.Sprintf("draws of %d", j.Trials)}, tableRow{Name: "median error in percent"}
		for _, m := range j.methods {
			errs := r.values("error", selector{"method": m.name, "p": toyP, "k": reference})
			draws.Fields = append(draws.Fields, numberField("%.0f", float64(countMissed(errs, stat.Mean(truth, nil)))))
			median.Fields = append(median.Fields, medianField(errs))
		}
		lost.Rows = []tableRow{draws, median}
		j.addTable(lost)
	}
	t = &table{
		Title: "Test error in percent with the best K",
		Head:  names,
		Note:  fmt.Sprintf("For LSDR and LSQMI the mean is of the first %d draws where p is not 2. K is chosen on the test samples, as the paper seems to do.", s.few),
	}
	t.addRows(s.ps, "p = %d", j.methods, func(m method, p int) []float64 {
		if isFlat(m) {
			p = toyP
		}
		_, errs := r.bestK(s.ks, selector{"method": m.name, "p": p})
		return errs
	})
	j.addTable(t)
}

// addRows adds one row for each value in rows, with the errors of the methods in percent. The
// lowest error is bold. The method nameTrue is not compared, because it knows the dimensions
// in which the classes differ.
func (t *table) addRows(rows []int, name string, methods []method, errs func(method, int) []float64) {
	for _, v := range rows {
		row := tableRow{Name: fmt.Sprintf(name, v)}
		var all [][]float64
		for _, m := range methods {
			e := errs(m, v)
			row.Fields = append(row.Fields, percentField(e))
			if m.name == nameTrue {
				e = nil
			}
			all = append(all, e)
		}
		row.markBest(all)
		t.Rows = append(t.Rows, row)
	}
}

// A draw counts as missed if its error exceeds the mean error of a projection to the true
// dimensions by more than missedBy.
const missedBy = 0.1

// countMissed returns the number of draws in which a method did not find the true dimensions.
func countMissed(errs []float64, truth float64) int {
	n := 0
	for _, e := range errs {
		if e > truth+missedBy {
			n++
		}
	}
	return n
}

func (j *job) toyComments(s toySizes) {
	j.addHeading("What reproduces, and what does not")
	j.addParagraph("As in the paper: PCA and FDA find nothing, as the means of the classes coincide and no direction has a variance of its own; LFDA, which looks at neighbors in the original space, " +
		"finds little; LMNN comes close; CEML, LSDR and WDA find the two dimensions. The error of WDA-tuned, WDA-paper, LSDR and LMNN rises where p is larger than 2; that of CEML does not, for its columns may vanish, nor that of WDA, whose default chooses how many columns count.")
	j.addParagraph("Not as in the paper: there LSDR and CEML are slightly ahead of WDA. In our run of 20 draws (seed 1, K = 5) WDA is ahead, medians 2.9 %% by default and 2.7 %% with a λ for these data, against 3.2 %% of CEML and 4.1 %% of LSDR. LFDA hardly depends on p.")
	j.addParagraph("Local maxima are what the paper does not speak of. A method that starts at the principal components ends in a bad one in some draws, which the second table counts; one draw of 20 adds about 3 points to a mean, "+
		"so that the medians there compare the methods better. LSDR and LSQMI try several starts and choose by cross-validation; WDA-tuned tries %d and takes the best J. "+
		"LSQMI misses often all the same; the paper left it out, as always worse than LSDR.", toyStarts)
	j.addParagraph("The paper does not state the radius and the spread of its modes, so that levels cannot be compared, nor its λ for these data: see the experiment toy-lambda. "+
		"WDA is our default, which chooses λ and more from the data; WDA-tuned has λ = %g, WDA-paper the solver and settings of the paper with λ = %g, the best for it, and WDA-0.01 with the λ of its other experiments, which is Fisher's criterion here and fails.",
		float64(toyLambda), float64(toyPaperLambda))
	j.addParagraph("LSDR and LSQMI take about 2 and 3 seconds of processor time for 100 samples (p = 2), CEML 0.13, LMNN 0.02, WDA 0.005 a start of fixed settings, 0.1 to 0.2 by default: where p is not 2 they are run on the first %d draws only.", s.few)
}
