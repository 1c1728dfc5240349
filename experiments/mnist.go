package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomonge/monge/experiments/baselines"
	"github.com/gomonge/monge/experiments/tsne"
	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const mnistFile = "mnist.npz"

var mnistExperiment = Experiment{
	Name:     "mnist",
	Title:    "MNIST: 1000 digits to learn from",
	Paper:    "Section 5.3, figures 5 and 7",
	Data:     []string{mnistFile},
	Trials:   20,
	Revision: 1,
	methods:  mnistMethods,
	run:      runMNIST,
}

// mnistSteps are the numbers of steps after which the paper's method is stopped, in addition to the
// default limit.
var mnistSteps = []int{1, 3, 10, 30, 100}

// Names of methods that only this experiment uses.
const (
	nameLMNNStopped = "LMNN-50"    // LMNN after 50 steps of its minimizer
	namePaperFar    = "WDA-paper*" // the paper's objective, maximized with more steps than in the paper
)

// namePaperSteps returns the name of the paper's method stopped after the given number of steps.
func namePaperSteps(steps int) string { return fmt.Sprintf("%s-%d", namePaper, steps) }

// mnistMethods returns all methods, with the paper's numbers of neighbors. Methods that would take most of
// the time do not run by default.
func mnistMethods() []method {
	all := []method{originalMethod()}
	for _, m := range paperBaselines() {
		all = append(all, m)
		if m.name == (baselines.LMNN{}).String() {
			stopped := ofBaseline(baselines.LMNN{Neighbors: 5, MaxSteps: 50})
			stopped.name = nameLMNNStopped
			all = append(all, stopped)
		}
	}
	all = append(all, ofWDA(nameWDA, wda.Settings{}), ofWDA(namePaper, *wda.PaperSettings(0)))
	for _, steps := range mnistSteps {
		s := *wda.PaperSettings(0)
		s.Optimizer.MaxSteps = steps
		all = append(all, ofWDA(namePaperSteps(steps), s))
	}
	far := *wda.PaperSettings(0)
	far.Optimizer.Method, far.Optimizer.MaxSteps = nil, 1000
	further := ofWDA(namePaperFar, far)
	further.slow = true
	return append(all, further)
}

// mnistSizes are the sizes of the experiment. Sizes that the paper states are used unchanged.
type mnistSizes struct {
	trained    int // number of training digits
	tested     int // number of test digits; 0 means all
	ks, ps     []int
	k          int // number K of neighbors in tables and sentences
	drawn      int // number of training digits in a t-SNE picture, equal to the number of test digits
	dots       int // number of embedded digits that a picture shows
	iterations int // number of t-SNE iterations
	perplexity float64
}

func (j *job) mnistSizes() mnistSizes {
	if j.Small {
		return mnistSizes{trained: 40, tested: 30, ks: []int{1, 3}, ps: []int{2, 3}, k: 3, drawn: 24, dots: 20, iterations: 40, perplexity: 5}
	}
	return mnistSizes{
		trained: 1000, ks: []int{1, 3, 5, 7, 9, 11, 13, 15, 17, 19}, ps: []int{10, 20}, k: 5,
		drawn: 1000, dots: 500, iterations: 1000, perplexity: 30,
	}
}

// mnistPart is the training part or the test part of the data.
type mnistPart struct {
	all  *dataset.Dataset
	rows *dataset.Dataset // one column: for each row of the part, the index of this row in the field all
}

// mnistPart returns the training digits (split 0) or the test digits (split 1).
func (j *job) mnistPart(split int) (mnistPart, error) {
	all, err := j.data(mnistFile)
	if err != nil {
		return mnistPart{}, err
	}
	var at []float64
	var labels []int
	for i, s := range all.Split {
		if s == split {
			at, labels = append(at, float64(i)), append(labels, all.Labels[i])
		}
	}
	if len(at) == 0 {
		return mnistPart{}, fmt.Errorf("%s: %w: %d", mnistFile, wda.ErrSettings, split)
	}
	return mnistPart{all, &dataset.Dataset{X: mat.NewDense(len(at), 1, at), Labels: labels, Classes: all.Classes}}, nil
}

// digits returns n digits, or all digits if n is 0, with pixels from 0 to 1. Classes keep their
// proportions.
func (r mnistPart) digits(n int, seed uint64) (*dataset.Dataset, error) {
	chosen := r.rows
	if n > 0 {
		var err error
		if chosen, err = r.rows.Sample(n, seed); err != nil {
			return nil, fmt.Errorf("%s: %w", mnistFile, err)
		}
	}
	rows := make([]int, chosen.Len())
	for i := range rows {
		rows[i] = int(chosen.X.At(i, 0))
	}
	d := r.all.Subset(rows)
	d.X.Scale(1./255, d.X)
	return d, nil
}

// mnistRun is the data that all cells of the MNIST experiment share.
type mnistRun struct {
	*job
	mnistSizes
	training, testing mnistPart
	test              *dataset.Dataset // the digits on which errors are measured
}

func (j *job) newMNISTRun() (*mnistRun, error) {
	e := &mnistRun{job: j, mnistSizes: j.mnistSizes()}
	var err error
	if e.training, err = j.mnistPart(0); err != nil {
		return nil, err
	}
	if e.testing, err = j.mnistPart(1); err != nil {
		return nil, err
	}
	e.test, err = e.testing.digits(e.tested, j.seed("test"))
	return e, err
}

func (e *mnistRun) train(trial int) (*dataset.Dataset, error) {
	return e.training.digits(e.trained, e.seed("train", trial))
}

// nameOfPicture returns the value of the column "method" for a cell that computes a t-SNE picture.
func nameOfPicture(method string) string { return "t-SNE of " + method }

func runMNIST(ctx context.Context, j *job) error {
	e, err := j.newMNISTRun()
	if err != nil {
		return err
	}
	g := grid{
		columns: []string{"method", "trial", "p"},
		within:  []string{"k"},
		settings: []setting{
			newSetting("training digits", fmt.Sprintf("%d of the training part, every class by its share", e.trained)),
			newSetting("test digits", e.test.Len()), newSetting("pixels", "from 0 to 1"), newSetting("K", e.ks), newSetting("p", e.ps),
			newSetting("t-SNE", fmt.Sprintf("exact, perplexity %g, %d iterations, p = %d, %d training digits of the first draw and as many test digits",
				e.perplexity, e.iterations, e.ps[0], e.drawn)),
		},
	}
	var cells []cell
	for trial := range j.Trials {
		for _, m := range j.methods {
			for _, p := range e.ps {
				if m.fit == nil && p != e.ps[0] {
					continue // a method that uses all pixels does not depend on p
				}
				cells = append(cells, newCell(func(ctx context.Context) (*output, error) {
					return e.errors(ctx, m, trial, p)
				}, m.settings, m.name, trial, p))
			}
		}
		for _, m := range j.methods {
			if trial == 0 && slices.Contains(mnistPictureMethods, m.name) {
				cells = append(cells, newCell(func(ctx context.Context) (*output, error) {
					return e.picture(ctx, m)
				}, m.settings, nameOfPicture(m.name), trial, e.ps[0]))
			}
		}
	}
	r, err := j.compute(ctx, g, cells)
	if err != nil {
		return err
	}
	return e.report(r)
}

// errors returns the test errors of a method and the value of the paper's objective. The method is
// fitted to one draw of training digits.
func (e *mnistRun) errors(ctx context.Context, m method, trial, p int) (*output, error) {
	train, err := e.train(trial)
	if err != nil {
		return nil, err
	}
	var projection *mat.Dense
	if m.fit != nil {
		if projection, err = m.fit(ctx, trainingFor(train, p), p); err != nil {
			return nil, err
		}
	}
	errs, err := knnErrors(ctx, train, e.test, projection, e.ks)
	if err != nil {
		return nil, err
	}
	o := new(output)
	for i, k := range e.ks {
		o.addValue("error", errs[i], k)
	}
	if projection == nil {
		return o, nil
	}
	// The paper's method computes the regularization λ_cc' from the principal components of the
	// training digits. Use the same λ_cc' for all methods and also for the test digits, so that the
	// computed objective is exactly the function that the paper maximizes.
	v, err := baseline.Fit(ctx, train.X, nil, p, baseline.PCA{})
	if err != nil {
		return nil, err
	}
	paper := wda.PaperSettings(p)
	paper.Workers = 1
	start, err := wda.Score(ctx, train.X, train.Labels, v, &wda.Scoring{Objective: paper.Objective})
	if err != nil {
		return nil, err
	}
	paper.Objective.Lambda = wda.LambdaMatrix(start.Lambda)
	if _, err := stiefel.New(v.Dims()).Orthonormalize(ctx, v, projection); err != nil {
		return nil, err
	}
	o.addValue("effective dimensions", effectiveDimensions(project(train.X, v)))
	others, err := e.testing.digits(e.trained, e.seed("objective", trial))
	if err != nil {
		return nil, err
	}
	for _, of := range []struct {
		name string
		d    *dataset.Dataset
	}{{"objective", train}, {"objective of test digits", others}} {
		score, err := wda.Score(ctx, of.d.X, of.d.Labels, v, &wda.Scoring{Objective: paper.Objective})
		if err != nil {
			return nil, err
		}
		o.addValue(of.name, score.Objective)
	}
	return o, nil
}

// effectiveDimensions returns the effective number of directions in which the rows of y vary:
//
//	(Σ_k v_k)² / Σ_k v_k² = (tr C)² / ‖C‖²
//
// Here v_k are the eigenvalues of the covariance C of the rows. The ratio is the number of columns
// if all eigenvalues are equal. It is 1 if only one eigenvalue is not 0.
func effectiveDimensions(y *mat.Dense) float64 {
	var c mat.SymDense
	stat.CovarianceMatrix(&c, y, nil)
	return math.Pow(mat.Trace(&c)/mat.Norm(&c, 2), 2)
}

// picture projects training and test digits by a method and embeds them in the plane by t-SNE.
func (e *mnistRun) picture(ctx context.Context, m method) (*output, error) {
	train, test, err := e.pictureDigits()
	if err != nil {
		return nil, err
	}
	var projection *mat.Dense
	if m.fit != nil {
		if projection, err = m.fit(ctx, trainingFor(train, e.ps[0]), e.ps[0]); err != nil {
			return nil, err
		}
	}
	o := new(output)
	for _, of := range []struct {
		name string
		x    *mat.Dense
	}{{"training", train.X}, {"test", test.X}} {
		_, d := of.x.Dims()
		x := of.x.Slice(0, e.drawn, 0, d).(*mat.Dense)
		init, err := initialPositions(ctx, x)
		if err != nil {
			return nil, err
		}
		r, err := tsne.Embed(ctx, project(x, projection), &tsne.Settings{
			Perplexity: e.perplexity, Iterations: e.iterations, Init: init, Workers: 1,
		})
		if err != nil {
			return nil, err
		}
		o.addValue("KL divergence, "+of.name, r.KL)
		o.keepArray(of.name, r.Positions)
	}
	return o, nil
}

// pictureDigits returns the training digits of the first draw and a sample of test digits. The pictures
// show the first digits of both samples.
func (e *mnistRun) pictureDigits() (train, test *dataset.Dataset, err error) {
	if train, err = e.train(0); err != nil {
		return nil, nil, err
	}
	test, err = e.testing.digits(e.drawn, e.seed("shown"))
	return train, test, err
}

// initialPositions returns the first two principal components of the pixels, scaled to the size of
// t-SNE's random initialization. All methods use the same initial positions, so that a digit starts
// at the same position in all pictures.
func initialPositions(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	p, err := baseline.Fit(ctx, x, nil, 2, baseline.PCA{})
	if err != nil {
		return nil, err
	}
	y := project(x, p)
	n, _ := y.Dims()
	spread := stat.StdDev(mat.Col(nil, 0, y), nil)
	if !(spread > 0) {
		return nil, fmt.Errorf("%w: digits do not differ", ErrSettings)
	}
	for k := range 2 {
		mean := stat.Mean(mat.Col(nil, k, y), nil)
		for i := range n {
			y.Set(i, k, 1e-4*(y.At(i, k)-mean)/spread)
		}
	}
	return y, nil
}

// mnistMean returns the mean of a measure, or NaN if there are no values.
func mnistMean(r *results, measure string, w selector) float64 {
	v := r.values(measure, w)
	if len(v) == 0 {
		return math.NaN()
	}
	return stat.Mean(v, nil)
}

// keyOf selects the values of method m with p components. If the method uses all pixels, its values
// are stored under the first p, s.ps[0].
func (s *mnistSizes) keyOf(m string, p int) selector {
	if m == nameOriginal {
		p = s.ps[0]
	}
	return selector{"method": m, "p": p}
}

func (s *mnistSizes) keyWithK(m string, p, k int) selector {
	w := s.keyOf(m, p)
	w["k"] = k
	return w
}

func (e *mnistRun) report(r *results) error {
	if err := e.drawByK(r); err != nil {
		return err
	}
	e.tables(r)
	if err := e.drawBySteps(r); err != nil {
		return err
	}
	e.objectives(r)
	if err := e.drawPictures(r); err != nil {
		return err
	}
	e.comments(r)
	return nil
}

// isStopped reports whether name is the paper's method with a limited number of steps. Methods with
// limited steps have their own picture.
func isStopped(name string) bool { return strings.HasPrefix(name, namePaper+"-") }

// drawByK draws the error as a function of K, as in figure 5 of the paper.
func (e *mnistRun) drawByK(r *results) error {
	var panels [][]series
	for _, p := range e.ps {
		var all []series
		for i, m := range e.methods {
			if isStopped(m.name) {
				continue
			}
			c := series{name: m.name, look: lookOf(m.name, i)}
			for _, k := range e.ks {
				c.x, c.y = append(c.x, float64(k)), append(c.y, mnistMean(r, "error", e.keyWithK(m.name, p, k)))
			}
			all = append(all, c)
		}
		panels = append(panels, all)
	}
	if len(panels[0]) == 0 {
		return nil
	}
	e.addHeading("Error of the K nearest neighbors")
	top := 0.
	for _, all := range panels {
		for _, c := range all {
			for _, v := range c.y {
				if v > top {
					top = v
				}
			}
		}
	}
	caption := fmt.Sprintf("Error on the test digits against the number of neighbors K, mean of %d draws of %d training digits; figure 5 of the paper.", e.Trials, e.trained)
	return e.addFigure("error", caption, 1060, 430, func(c draw.Canvas) {
		w := legendWidth(panels[0])
		drawLegend(draw.Crop(c, c.Size().X-w, 0, 0, 0), panels[0])
		t := divideCanvas(draw.Crop(c, 0, -w-12, 0, 0), 1, len(panels), 14)
		for i, all := range panels {
			curves{title: fmt.Sprintf("p = %d", e.ps[i]), x: "K", y: "test error", series: all, ticks: floats(e.ks), yMax: 1.05 * top}.draw(t[i])
		}
	})
}

// tables adds tables of the errors.
func (e *mnistRun) tables(r *results) {
	ks := []int{e.ks[0], e.k, e.ks[len(e.ks)-1]}
	ks = slices.Compact(slices.Sorted(slices.Values(ks)))
	head := []string{"p"}
	for _, m := range e.methods {
		if !isStopped(m.name) {
			head = append(head, m.name)
		}
	}
	for _, k := range ks {
		t := &table{
			Title: fmt.Sprintf("Error in percent with K = %d", k), Head: head,
			Note: fmt.Sprintf("Mean ± standard deviation of %d draws.", e.Trials),
		}
		for _, p := range e.ps {
			row := tableRow{Name: formatValue(p)}
			var values [][]float64
			for _, name := range head[1:] {
				errs := r.values("error", e.keyWithK(name, p, k))
				values = append(values, errs)
				row.Fields = append(row.Fields, percentField(errs))
			}
			row.markBest(values)
			t.Rows = append(t.Rows, row)
		}
		e.addTable(t)
	}
	e.published(r, head[1:])
}

// published compares our errors with the only numbers that the paper gives for MNIST.
func (e *mnistRun) published(r *results, names []string) {
	t := &table{
		Title: "Beside the paper's table of ten datasets",
		Head:  append([]string{""}, names...),
		Note: "The paper shows figure 5 without its numbers. For MNIST it states errors in percent in another table only (small figures), where K and p were chosen by " +
			"cross-validation for each method and the size of the training half is not given; ours here are the lowest of all K and p, which favors every method a little.",
	}
	row := tableRow{Name: "mnist"}
	var values [][]float64
	for _, name := range names {
		var best []float64
		for _, p := range e.ps {
			for _, k := range e.ks {
				errs := r.values("error", e.keyWithK(name, p, k))
				if len(errs) > 0 && (best == nil || stat.Mean(errs, nil) < stat.Mean(best, nil)) {
					best = errs
				}
			}
		}
		values = append(values, best)
		f := percentField(best)
		of := name
		switch name {
		case namePaper:
			of = nameWDA
		case nameWDA, nameLMNNStopped, namePaperFar:
			of = ""
		}
		if v, ok := publishedUCI.value("mnist", of); ok {
			f.Paper = fmt.Sprintf("%.2f", v)
		}
		row.Fields = append(row.Fields, f)
	}
	row.markBest(values)
	t.Rows = append(t.Rows, row)
	e.addTable(t)
}

// drawBySteps draws the error and the paper's objective as functions of the number of steps.
func (e *mnistRun) drawBySteps(r *results) error {
	type point struct {
		steps int
		name  string
	}
	var points []point
	for _, k := range mnistSteps {
		points = append(points, point{k, namePaperSteps(k)})
	}
	points = append(points, point{mnistPaperSteps, namePaper})
	points = slices.DeleteFunc(points, func(p point) bool { return len(r.values("error", selector{"method": p.name})) == 0 })
	if len(points) < 2 {
		return nil
	}
	e.addHeading("The paper's method, stopped early")
	var panels [][]series
	top := 0.
	for _, p := range e.ps {
		c := series{name: namePaper, look: lookOf(namePaper, 0)}
		for _, at := range points {
			errs := r.values("error", e.keyWithK(at.name, p, e.k))
			mean, sd := math.NaN(), 0.
			if len(errs) > 0 {
				mean = stat.Mean(errs, nil)
			}
			if len(errs) > 1 {
				sd = stat.StdDev(errs, nil)
			}
			c.x, c.y, c.bar = append(c.x, float64(at.steps)), append(c.y, mean), append(c.bar, sd)
			if mean+sd > top {
				top = mean + sd
			}
		}
		all := []series{c}
		for _, name := range []string{nameOriginal, "PCA", nameWDA} {
			v := mnistMean(r, "error", e.keyWithK(name, p, e.k))
			if math.IsNaN(v) {
				continue
			}
			flat := series{name: name, look: lookOf(name, 0)}
			for _, at := range points {
				flat.x, flat.y = append(flat.x, float64(at.steps)), append(flat.y, v)
			}
			top = max(top, v)
			all = append(all, flat)
		}
		panels = append(panels, all)
	}
	caption := fmt.Sprintf("Error of K = %d neighbors against the steps of the paper's method (λ = 0.01, ρ = 0, projected gradient from the principal components), "+
		"mean and standard deviation of %d draws; others for comparison, whose steps are what they are.", e.k, e.Trials)
	return e.addFigure("steps", caption, 1000, 380, func(c draw.Canvas) {
		w := legendWidth(panels[0])
		drawLegend(draw.Crop(c, c.Size().X-w, 0, 0, 0), panels[0])
		t := divideCanvas(draw.Crop(c, 0, -w-12, 0, 0), 1, len(panels), 14)
		var ticks []float64
		for _, at := range points {
			ticks = append(ticks, float64(at.steps))
		}
		for i, all := range panels {
			curves{title: fmt.Sprintf("p = %d", e.ps[i]), x: "steps", y: "test error", series: all, logX: true, ticks: ticks, yMax: 1.05 * top}.draw(t[i])
		}
	})
}

// mnistPaperSteps is the default of MaxSteps in package wda.
const mnistPaperSteps = 200

// objectives adds a table that compares the objective J with the error of every method.
func (e *mnistRun) objectives(r *results) {
	for _, p := range e.ps {
		t := &table{
			Title: fmt.Sprintf("The paper's objective, p = %d", p),
			Head:  []string{"", "J, training digits", "J, as many test digits", "effective dimensions", fmt.Sprintf("error in percent, K = %d", e.k)},
			Note: "J with λ = 0.01 relative to the principal components of the training digits and no ridge, for an orthonormal basis of what each method has found. " +
				"Effective dimensions are (Σ v)²/Σ v² with v the eigenvalues of the covariance of the projected training digits: p if they spread alike in all directions, 1 if in one alone. FDA has one direction less than there are classes; what fills up its p columns is arbitrary, and so are its values here. Means.",
		}
		for _, m := range e.methods {
			w := e.keyOf(m.name, p)
			train := r.values("objective", w)
			if len(train) == 0 {
				continue
			}
			t.Rows = append(t.Rows, tableRow{Name: m.name, Fields: []field{
				numberField("%.2f", train...), numberField("%.2f", r.values("objective of test digits", w)...),
				numberField("%.1f", r.values("effective dimensions", w)...), percentField(r.values("error", e.keyWithK(m.name, p, e.k))),
			}})
		}
		if len(t.Rows) > 0 {
			e.addTable(t)
		}
	}
}

// mnistPictureMethods are the methods in the t-SNE pictures. A method without results is omitted.
var mnistPictureMethods = []string{
	nameOriginal, "PCA", "FDA", "LFDA", "LMNN", "LSDR", "LSQMI", "CEML", namePaper, namePaperSteps(3), nameWDA, namePaperFar,
}

// drawPictures draws the t-SNE pictures, as in figure 7 of the paper.
func (e *mnistRun) drawPictures(r *results) error {
	train, test, err := e.pictureDigits()
	if err != nil {
		return err
	}
	type panel struct {
		name        string
		train, test *mat.Dense
	}
	var panels []panel
	for _, name := range mnistPictureMethods {
		w := selector{"method": nameOfPicture(name)}
		if a, b := r.array("training", w), r.array("test", w); a != nil && b != nil {
			panels = append(panels, panel{name, a, b})
		}
	}
	if len(panels) == 0 {
		return nil
	}
	e.addHeading("t-SNE of the projections")
	const side, title, legend = 240, 22, 26
	columns := min(4, len(panels))
	rows := (len(panels) + columns - 1) / columns
	var entries []picture.LegendEntry
	for c, name := range train.Classes {
		entries = append(entries, picture.LegendEntry{Glyphs: []draw.GlyphStyle{picture.Glyph(c, picture.LegendRadius, 255)}, Name: name})
	}
	caption := fmt.Sprintf("Exact t-SNE (perplexity %g, %d iterations) of %d digits projected on p = %d dimensions by each method, from the same initial positions; "+
		"above those of the first draw, which the methods were fitted to, below test digits, %d of each shown; figure 7 of the paper.",
		e.perplexity, e.iterations, e.drawn, e.ps[0], e.dots)
	return e.addFigure("tsne", caption, columns*side+40, rows*2*(side+title)+legend+30, func(c draw.Canvas) {
		picture.DrawLegendRow(draw.Crop(c, 0, 0, 0, -(c.Size().Y-legend)), entries, picture.TextStyle(10))
		t := divideCanvas(draw.Crop(c, 0, 0, legend, 0), 2*rows, columns, 6)
		for i, p := range panels {
			above := 2*(i/columns)*columns + i%columns
			drawPlane(t[above], p.name+", training", p.train, train.Labels[:e.dots])
			drawPlane(t[above+columns], p.name+", test", p.test, test.Labels[:e.dots])
		}
	})
}

// drawPlane draws the first len(labels) points of y. It draws no axes, because the coordinates
// have no meaning in t-SNE.
func drawPlane(c draw.Canvas, title string, y *mat.Dense, labels []int) {
	p := picture.New(title, "", "")
	p.Title.TextStyle.Font = picture.TextStyle(11).Font
	p.HideAxes()
	p.Add(picture.Cloud{Points: y, Labels: labels, Radius: vg.Points(1.7), Alpha: 230})
	picture.EqualAxes(p, c)
	p.Draw(c)
}

// countedSteps returns "1 step", "3 steps" and so on.
func countedSteps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

// comments adds the section that tells which results of the paper are reproduced.
func (e *mnistRun) comments(r *results) {
	mean := func(name string, p int) float64 { return mnistMean(r, "error", e.keyWithK(name, p, e.k)) }
	percent := func(name string, p int) string { return fmt.Sprintf("%.1f %%", 100*mean(name, p)) }
	known := func(p int, names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return math.IsNaN(mean(n, p)) })
	}
	// best returns the number of steps for which the paper's method has the lowest error.
	best := func(p int) (steps int, least float64) {
		least = math.Inf(1)
		for _, k := range mnistSteps {
			if v := mean(namePaperSteps(k), p); v < least {
				steps, least = k, v
			}
		}
		return steps, least
	}
	e.addHeading("What reproduces, and what does not")
	for _, p := range e.ps {
		if known(p, nameWDA, namePaper, "PCA", nameOriginal) {
			e.addFinding("p = %d, K = %d: error %s with WDA (our defaults), %s with the paper's settings after %d steps, %s with PCA, %s with all pixels.",
				p, e.k, percent(nameWDA, p), percent(namePaper, p), mnistPaperSteps, percent("PCA", p), percent(nameOriginal, p))
		}
	}
	if e.Small {
		e.addParagraph("A run at a tiny size: nothing can be learned from its numbers.")
		return
	}
	for _, p := range e.ps {
		steps, least := best(p)
		if steps == 0 || !known(p, namePaper, nameWDA, "PCA", nameOriginal) {
			continue
		}
		than := func(v float64) string {
			if v < mean(nameOriginal, p) {
				return "better than all pixels"
			}
			return "not better than all pixels"
		}
		e.addParagraph("p = %d: stopped after %s the paper's method has its lowest error, %.1f %%, which is %s (%s); after %d steps it has %s. PCA, where it starts, has %s. Our defaults have %s, which is %s.",
			p, countedSteps(steps), 100*least, than(least), percent(nameOriginal, p), mnistPaperSteps, percent(namePaper, p), percent("PCA", p), percent(nameWDA, p), than(mean(nameWDA, p)))
		e.addFinding("p = %d: the paper's method is at its best after %s (%.1f %%), and gets worse from there.", p, countedSteps(steps), 100*least)
	}
	e.addParagraph("The paper finds WDA better than all pixels for p = 10 and for p = 20, with λ = 0.01 and nothing to regularize the projection; it does not say how many steps its solver made.")
	for _, p := range e.ps {
		of := func(measure, name string) float64 { return mnistMean(r, measure, e.keyOf(name, p)) }
		if !known(p, namePaper, nameWDA, "PCA") {
			continue
		}
		e.addParagraph("Why more steps make it worse, p = %d: in %d steps J of the training digits goes from %.1f to %.1f, and that of as many test digits from %.1f to %.1f, so that part of the gain "+
			"is not real. Another part is, and is of no use to neighbors: J is a ratio of two sums over all directions, to which directions without variance cost nothing. The digits "+
			"then spread over %.1f effective dimensions, where PCA has %.1f and our defaults have %.1f.",
			p, mnistPaperSteps, of("objective", "PCA"), of("objective", namePaper), of("objective of test digits", "PCA"), of("objective of test digits", namePaper),
			of("effective dimensions", namePaper), of("effective dimensions", "PCA"), of("effective dimensions", nameWDA))
	}
	if p := e.ps[0]; known(p, "FDA", "LFDA", "LMNN", nameLMNNStopped) {
		e.addParagraph("That FDA, LFDA and LMNN separate the training digits and fail on others, as figures 5 and 7 of the paper have it, reproduces: %s, %s and %s for p = %d. LMNN, too, is better "+
			"when stopped, %s after 50 steps of its minimizer; that the paper's LMNN and WDA do well in its table of ten datasets may be due to the bounds on steps of its programs.",
			percent("FDA", p), percent("LFDA", p), percent("LMNN", p), p, percent(nameLMNNStopped, p))
	}
	if !known(e.ps[0], "LSDR") || !known(e.ps[0], "CEML") {
		e.addParagraph("LSDR, LSQMI and CEML take 10 to 50 seconds a fit and are run when named with --methods only. The paper shows LSDR and CEML, and leaves out LSQMI for its poor performance.")
	}
}
