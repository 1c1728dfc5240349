package experiments

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gomonge/monge/internal/picture"
)

var timingExperiment = Experiment{
	Name:     "timing",
	Title:    "Running times of the fits",
	Paper:    `Section 5.5 "Running-time", its table`,
	Data:     []string{"mnist.npz", "caltech_decaf6.npz", "office_webcam_dslr_decaf6.npz"},
	Trials:   5,
	Revision: 1,
	methods:  timingMethods,
	run:      runTiming,
}

// timingMethods returns the methods of the paper's timing table, and LSQMI. Slow methods run only
// if Settings.Methods names them.
func timingMethods() []method {
	all := paperBaselines()
	paper := *wda.PaperSettings(0)
	return append(all, onAllCPUs(namePaper, paper), onAllCPUs(nameWDA, wda.Settings{}), onAllCPUs(nameFloat32, wda.Settings{Objective: wda.Objective{Float32: true}}))
}

// nameFloat32 is the name of WDA with the default settings in float32.
const nameFloat32 = "WDA-f32"

// onAllCPUs returns WDA with its default number of goroutines. No other fit runs at the same time.
func onAllCPUs(name string, s wda.Settings) method {
	m := ofWDA(name, s)
	m.fit = func(ctx context.Context, t *training, p int) (*mat.Dense, error) {
		s := s
		s.Components = p
		fitted, err := wda.Fit(ctx, t.X, t.Labels, &s)
		if err != nil {
			return nil, err
		}
		return fitted.Projection(), nil
	}
	return m
}

// timingData is a row of the timing table.
type timingData struct {
	name, file string
	paper      string // the published row
	rows, p    int    // number of rows (0 means all rows) and number of components
}

func (j *job) timingData() []timingData {
	caltech := timingData{"Caltech (14)", "caltech_decaf6.npz", "Caltech (14)", 500, 14}
	if !j.hasFile(caltech.file) {
		caltech.name, caltech.file, caltech.rows = "webcam and dslr (14)", "office_webcam_dslr_decaf6.npz", 0
	}
	all := []timingData{
		{"Mnist (10)", "mnist.npz", "Mnist (10)", 1000, 10},
		{"Mnist (20)", "mnist.npz", "Mnist (20)", 1000, 20},
		caltech,
	}
	all = slices.DeleteFunc(all, func(d timingData) bool { return !j.hasFile(d.file) })
	if j.Small {
		for i := range all {
			all[i].rows, all[i].p = 40, 2
		}
	}
	return all
}

func runTiming(ctx context.Context, j *job) error {
	sets := j.timingData()
	g := grid{
		columns:  []string{"data", "method", "trial"},
		settings: []setting{newSetting("CPUs of this machine", runtime.NumCPU()), newSetting("CPUs used at most (GOMAXPROCS)", runtime.GOMAXPROCS(0))},
		alone:    true,
	}
	var cells []cell
	for trial := range j.Trials {
		for _, d := range sets {
			for _, m := range j.methods {
				cells = append(cells, newCell(func(ctx context.Context) (*output, error) {
					return j.timingCell(ctx, d, m, trial)
				}, m.settings, d.name, m.name, trial))
			}
		}
	}
	r, err := j.compute(ctx, g, cells)
	if err != nil {
		return err
	}
	return j.reportTiming(sets, r)
}

// timingCell measures the time of one fit. Reading the data and scaling the features by a common
// factor are not included.
func (j *job) timingCell(ctx context.Context, d timingData, m method, trial int) (*output, error) {
	all, err := j.data(d.file)
	if err != nil {
		return nil, err
	}
	n := all.Len()
	if d.rows > 0 {
		n = min(n, d.rows)
	}
	train, err := all.Sample(n, j.seed("rows", d.name, trial))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.file, err)
	}
	scaleBoth(train, &dataset.Dataset{X: mat.NewDense(1, train.X.RawMatrix().Cols, nil)}, false)
	runtime.GC()
	start := time.Now()
	if _, err := m.fit(ctx, trainingFor(train, d.p), d.p); err != nil {
		return nil, err
	}
	o := new(output)
	o.addValue("seconds", time.Since(start).Seconds())
	return o, nil
}

func (j *job) reportTiming(sets []timingData, r *results) error {
	t := &table{
		Title: "Seconds of a fit",
		Note:  fmt.Sprintf("Mean ± standard deviation of %d fits. In brackets: published, on 16 cores. Here: %s.", j.Trials, describeMachine()),
		Head:  []string{"data (p)"},
	}
	for _, m := range j.methods {
		t.Head = append(t.Head, m.name)
	}
	for _, d := range sets {
		row := tableRow{Name: d.name}
		for _, m := range j.methods {
			f := secondsField(r.values("seconds", selector{"data": d.name, "method": m.name}))
			name := publishedName(m.name)
			if v, ok := publishedTiming.value(d.paper, name); ok {
				sd, _ := publishedTimingDeviations.value(d.paper, name)
				f.Paper = fmt.Sprintf("%.4g ± %.4g", v, sd)
			}
			row.Fields = append(row.Fields, f)
		}
		t.Rows = append(t.Rows, row)
		j.timingFinding(d, r)
	}
	j.addHeading("Times")
	j.addTable(t)
	j.addHeading("What can be compared, and what not")
	j.addParagraph("The published times are of other machines and programs: LFDA, LMNN, LSDR and CEML in Matlab by their authors, WDA in Python (POT), on 16 cores of a Xeon E5-2630. " +
		"Here all are in Go, in one process; PCA to CEML use one core but for some matrix products, WDA all there are. Only orders of magnitude compare.")
	j.addParagraph("WDA-paper takes 200 steps of projected gradient at most, WDA and WDA-f32 (float32) our defaults: a start, then L-BFGS until three steps have each gained less than 1e-6 of J, or the gradient has fallen to 1e-6 (1e-4) of its first norm.")
	for _, d := range sets {
		if d.name != d.paper {
			j.addParagraph("%s: 452 × 4096 features of other images stand in for the paper's Caltech, 500 × 4096.", d.name)
		}
	}
	if len(sets) == 0 {
		return nil
	}
	return j.addFigure("seconds", "Mean times of a fit. Crosses: published.", 860, 100+90*len(sets), func(c draw.Canvas) {
		j.drawTiming(c, sets, r)
	})
}

// publishedName returns the name of our method in the table of the paper.
func publishedName(name string) string {
	if name == namePaper || name == nameFloat32 {
		return nameWDA
	}
	return name
}

func secondsField(v []float64) field {
	switch len(v) {
	case 0:
		return field{Text: "–"}
	case 1:
		return field{Text: fmt.Sprintf("%.3g", v[0])}
	}
	mean, sd := stat.MeanStdDev(v, nil)
	return field{Text: fmt.Sprintf("%.3g ± %.2g", mean, sd)}
}

func (j *job) timingFinding(d timingData, r *results) {
	for _, name := range []string{nameWDA, nameFloat32} {
		v := r.values("seconds", selector{"data": d.name, "method": name})
		if paper, ok := publishedTiming.value(d.paper, nameWDA); ok && len(v) > 0 {
			j.addFinding("%s: %s takes %.3g s on %d CPUs; published %.3g s on 16 cores.", d.name, name, stat.Mean(v, nil), runtime.NumCPU(), paper)
		}
	}
	if len(j.report.Summary) == 0 {
		for _, m := range j.methods {
			if v := r.values("seconds", selector{"data": d.name, "method": m.name}); len(v) > 0 {
				j.addFinding("%s: %s takes %.3g s.", d.name, m.name, stat.Mean(v, nil))
			}
		}
	}
}

// drawTiming draws a line for every row of the table, with the times on a logarithmic axis.
func (j *job) drawTiming(c draw.Canvas, sets []timingData, r *results) {
	p := picture.New("", "seconds", "")
	p.Add(picture.Grid())
	var names plot.ConstantTicks
	var legend []series
	var published crosses
	for i, d := range sets {
		names = append(names, plot.Tick{Value: -float64(i), Label: d.name})
	}
	for k, m := range j.methods {
		s := series{name: m.name, look: lookOf(m.name, k)}
		for i, d := range sets {
			y := -float64(i) + 0.7*(0.5-(float64(k)+0.5)/float64(len(j.methods)))
			if v := r.values("seconds", selector{"data": d.name, "method": m.name}); len(v) > 0 {
				s.x, s.y = append(s.x, stat.Mean(v, nil)), append(s.y, y)
				if w, ok := publishedTiming.value(d.paper, m.name); ok {
					published = append(published, plotPoint{w, y, s.look.line().Color})
				}
			}
		}
		legend = append(legend, s)
		p.Add(marks(s))
	}
	p.Add(published)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.X.Min, p.X.Max = p.X.Min/1.5, p.X.Max*1.5
	p.Y.Tick.Marker = names
	p.Y.Min, p.Y.Max = -float64(len(sets))+0.4, 0.6
	w := legendWidth(legend)
	drawMarkLegend(draw.Crop(c, c.Size().X-w, 0, 0, 0), legend)
	p.Draw(draw.Crop(c, 0, -w-12, 0, 0))
}
