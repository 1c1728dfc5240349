package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg/draw"
)

var caltechExperiment = Experiment{
	Name:     "caltech",
	Title:    "Image features: error against the number of dimensions",
	Paper:    `Section 5.4 "Caltech dataset", its figure of errors against p`,
	Data:     []string{"caltech_decaf6.npz", "office_webcam_dslr_decaf6.npz", "caltech_surf800.npz"},
	Trials:   10,
	Revision: 1,
	methods:  caltechMethods,
	run:      runCaltech,
}

// caltechMethods returns the methods of the figure, with the paper's numbers of neighbors. Slow
// methods run only if Settings.Methods names them.
func caltechMethods() []method {
	all := append([]method{originalMethod()}, paperBaselines()...)
	return append(all, ofWDA(namePaper, *wda.PaperSettings(0)), ofWDA(nameWDA, wda.Settings{}))
}

// caltechData is a set of image features.
type caltechData struct {
	name, title, file string
	train             int // number of training samples; all other samples are test samples. The paper trains with 500 of 1123
	counts            bool
	replaces          string // name of the paper's data that this data set replaces
}

// caltechSets returns the data sets whose files exist. One data set has the paper's features. If
// these features are missing, a replacement is used. Another data set has older features of the
// same images.
func (j *job) caltechSets() []caltechData {
	var all []caltechData
	for _, d := range []caltechData{
		{name: "decaf6", title: "DeCAF6, Caltech", file: "caltech_decaf6.npz", train: 500},
		{name: "decaf6-office", title: "DeCAF6, webcam and dslr (stand-in)", file: "office_webcam_dslr_decaf6.npz", train: 201, replaces: "decaf6"},
		{name: "surf", title: "SURF, Caltech", file: "caltech_surf800.npz", train: 500, counts: true},
	} {
		there := slices.ContainsFunc(all, func(e caltechData) bool { return e.name == d.replaces })
		if j.hasFile(d.file) && !there {
			if j.Small {
				d.train = 40
			}
			all = append(all, d)
		}
	}
	return all
}

type caltechSizes struct {
	ps []int
	k  int
}

func (j *job) caltechSizes() caltechSizes {
	if j.Small {
		return caltechSizes{[]int{1, 3}, 3}
	}
	return caltechSizes{[]int{1, 2, 3, 4, 5, 6, 8, 10, 12, 15}, 3}
}

func runCaltech(ctx context.Context, j *job) error {
	s := j.caltechSizes()
	sets := j.caltechSets()
	if len(sets) == 0 {
		return errors.New("no data") // cannot happen: findData has checked that a file exists
	}
	g := grid{
		columns:  []string{"data", "method", "trial"},
		within:   []string{"p"},
		settings: []setting{newSetting("p", s.ps), newSetting("K", s.k)},
	}
	for _, d := range sets {
		g.settings = append(g.settings, newSetting("training samples, "+d.name, d.train))
	}
	var cells []cell
	for trial := range j.Trials {
		for _, d := range sets {
			for _, m := range j.methods {
				cells = append(cells, newCell(func(ctx context.Context) (*output, error) {
					return j.caltechCell(ctx, s, d, m, trial)
				}, m.settings, d.name, m.name, trial))
			}
		}
	}
	r, err := j.compute(ctx, g, cells)
	if err != nil {
		return err
	}
	return j.reportCaltech(s, sets, r)
}

// caltechCell fits one method to one draw of training samples, for every number p of components.
func (j *job) caltechCell(ctx context.Context, s caltechSizes, d caltechData, m method, trial int) (*output, error) {
	train, test, err := j.caltechSplit(d, trial)
	if err != nil {
		return nil, err
	}
	ps := s.ps
	if m.fit == nil {
		ps = []int{0}
	}
	nested := m.name == "PCA" || m.name == "FDA" || m.name == "LFDA"
	fit := m.series(ctx, trainingFor(train, slices.Max(ps)), ps, nested)
	o := new(output)
	for i, p := range ps {
		projection, err := fit(i)
		if err != nil {
			return nil, err
		}
		errs, err := knnErrors(ctx, train, test, projection, []int{s.k})
		if err != nil {
			return nil, err
		}
		o.addValue("error", errs[0], p)
	}
	return o, nil
}

// caltechSplit draws training and test samples. SURF histograms are divided by their sums, and
// every bin is then standardized, as is usual for these data (B. Gong, Y. Shi, F. Sha and K.
// Grauman, "Geodesic flow kernel for unsupervised domain adaptation", CVPR 2012, section 4.1). All
// DeCAF6 features are scaled by the same factor.
func (j *job) caltechSplit(d caltechData, trial int) (train, test *dataset.Dataset, err error) {
	all, err := j.data(d.file)
	if err != nil {
		return nil, nil, err
	}
	n := all.Len()
	train, test, err = all.TrainTest(float64(n-min(d.train, n-1))/float64(n), j.seed("split", d.name, trial))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.file, err)
	}
	if d.counts {
		for _, x := range []*mat.Dense{train.X, test.X} {
			divideBySums(x)
		}
	}
	scaleBoth(train, test, d.counts)
	return train, test, nil
}

// divideBySums divides every row by its sum. Rows whose sum is 0 are not changed.
func divideBySums(x *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		sum := 0.
		for _, v := range row {
			sum += v
		}
		if sum == 0 {
			continue
		}
		for k := range row {
			row[k] /= sum
		}
	}
}

func (j *job) reportCaltech(s caltechSizes, sets []caltechData, r *results) error {
	errs := func(d caltechData, m method, p int) []float64 {
		if m.fit == nil {
			p = 0
		}
		return r.values("error", selector{"data": d.name, "method": m.name, "p": p})
	}
	j.addHeading("Errors")
	var panels [][]series
	for _, d := range sets {
		var all []series
		for i, m := range j.methods {
			c := series{name: m.name, look: lookOf(m.name, i)}
			for _, p := range s.ps {
				y := math.NaN()
				if e := errs(d, m, p); len(e) > 0 {
					y = stat.Mean(e, nil)
				}
				c.x, c.y = append(c.x, float64(p)), append(c.y, y)
			}
			all = append(all, c)
		}
		panels = append(panels, all)
	}
	caption := fmt.Sprintf("Test error of K = %d nearest neighbors against the dimension p, mean of %d draws. Orig.: all features.", s.k, j.Trials)
	err := j.addFigure("error", caption, 480*len(sets)+110, 430, func(c draw.Canvas) {
		w := legendWidth(panels[0])
		drawLegend(draw.Crop(c, c.Size().X-w, 0, 0, 0), panels[0])
		for i, t := range divideCanvas(draw.Crop(c, 0, -w-12, 0, 0), 1, len(sets), 14) {
			// The range of the y axis covers all curves for p ≥ 3. If the range included the large
			// errors of PCA at p = 1, the other curves would be compressed.
			top := 0.
			for _, curve := range panels[i] {
				for k, y := range curve.y {
					if (s.ps[k] >= 3 || len(s.ps) < 4) && !math.IsNaN(y) {
						top = max(top, y)
					}
				}
			}
			curves{title: sets[i].title, x: "p", y: "test error", series: panels[i], ticks: floats(s.ps), yMax: min(1, 1.08*top)}.draw(t)
		}
	})
	if err != nil {
		return err
	}
	for i, d := range sets {
		t := &table{
			Title: "Test error in percent: " + d.title,
			Note:  "Mean ± standard deviation over the draws; bold: the lowest. The paper has these numbers as curves only.",
			Head:  []string{"p"},
		}
		for _, m := range j.methods {
			t.Head = append(t.Head, m.name)
		}
		t.addRows(s.ps, "p = %d", j.methods, func(m method, p int) []float64 { return errs(d, m, p) })
		j.addTable(t)
		j.caltechFinding(s, d, panels[i])
	}
	j.addHeading("What reproduces, and what does not")
	j.addParagraph("The paper, on its DeCAF6 features of Caltech: “%s”.", claimCaltech)
	if slices.ContainsFunc(sets, func(d caltechData) bool { return d.replaces != "" }) {
		j.addParagraph("Those features (caltech_decaf6.npz) are not at hand. The same kind of features of other images, Office's webcam and dslr, stand in for them: 452 samples in ten classes, 201 to train with. " +
			"Images of few objects before a plain background are easier: all methods err much less. SURF are older, much weaker features of the paper's own 1123 images.")
	}
	j.addParagraph("WDA-paper: λ = 0.01, ρ = 0, projected gradient from PCA. With as many features as here samples can be separated perfectly, and its objective then has no bound that matters: what it finds depends on where the solver stops. WDA, our default, has ρ = 0.5.")
	return nil
}

// caltechFinding reports the best method for each p in one sentence.
func (j *job) caltechFinding(s caltechSizes, d caltechData, curves []series) {
	var best []string
	last, from := "", 0
	flush := func(to int) {
		switch {
		case last == "" || to < from:
		case from == to:
			best = append(best, fmt.Sprintf("%s at p = %d", last, s.ps[from]))
		default:
			best = append(best, fmt.Sprintf("%s from p = %d to %d", last, s.ps[from], s.ps[to]))
		}
	}
	for i := range s.ps {
		name, least := "", math.Inf(1)
		for _, c := range curves {
			if c.y[i] < least {
				name, least = c.name, c.y[i]
			}
		}
		if name != last {
			flush(i - 1)
			last, from = name, i
		}
	}
	flush(len(s.ps) - 1)
	if len(best) > 0 {
		j.addFinding("%s, lowest mean error of %d draws: %s.", d.title, j.Trials, strings.Join(best, ", "))
	}
}
