package main

import (
	"context"
	"fmt"
	"io"

	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

type plotFlags struct {
	transformFlags
	width, height int
	title         string
}

func newPlotCommand(a *app) *cobra.Command {
	f := new(plotFlags)
	cmd := &cobra.Command{
		Use:   "plot --model FILE --data FILE --out FILE [flags]",
		Short: "Draw projected samples",
		Long: `Plot draws projected rows, with a color and a marker for each class, as a PNG
or SVG picture or as an interactive HTML page that works offline.`,
		Example: `  monge plot --model wine.wda --data wine.csv --out wine.png
  monge plot --model wine.wda --data wine.csv --out wine.html
  monge plot --model digits.wda --data mnist.npz --rows test --sample 3000 --out digits.svg`,
		Annotations: map[string]string{details: `
A picture shows the first two components with equal units on both axes. For a model with
one component it shows one line of points for every class.

A page shows any two or three components with their ratios, the row, label and main
features under the pointer, and a legend that filters and finds classes. A lasso lists
rows. The page can save its picture as PNG or SVG. It distinguishes training and test
rows, and marks test rows that are misclassified by the classifier of the model file or,
if there is none, by the five nearest training rows.

Test rows are determined by the file's split or by --holdout. If the file is the file of
the fit, they are the rows that fit --holdout left out.

Labels and rows are read as in monge transform. Data without labels are drawn in one
color. With many rows, --sample keeps the picture readable and an SVG file small.`},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.plot(cmd, f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.model, "model", "", "`FILE`: the model (required)")
	fs.StringVar(&f.data, "data", "", "`FILE`: file with rows to draw (required)")
	fs.StringVar(&f.out, "out", "", "`FILE`: where to write, .png, .svg or .html (required)")
	fs.StringVar(&f.labels, "labels", "", "`FILE`: file with labels, if the data file has none")
	fs.StringVar(&f.part, "rows", "all", "`PART`: draw all, train or test rows, by the file's split or --holdout")
	completeValues(cmd, "rows", "all", "train", "test")
	fs.StringVar(&f.title, "title", "", "`TEXT`: title above the picture")
	fs.IntVar(&f.width, "width", 800, "`PIXELS`: width of the picture")
	fs.IntVar(&f.height, "height", 600, "`PIXELS`: height of the picture")
	f.rows.add(cmd, "the rows")
	f.read.add(cmd)
	f.read.addExtra(cmd)
	f.read.app = a
	return cmd
}

type plotResult struct {
	Image   string   `json:"image"`
	Rows    int      `json:"rows"`
	Classes []string `json:"classes"`
	Width   int      `json:"width"`
	Height  int      `json:"height"`
}

func (a *app) plot(cmd *cobra.Command, f *plotFlags) error {
	if err := requireFlags(cmd, "model", "data", "out"); err != nil {
		return err
	}
	ext, err := checkExtension("out", f.out, ".png", ".svg", ".html")
	if err != nil {
		return err
	}
	if err := checkRange("width", f.width, 200, 8000); err != nil {
		return err
	}
	if err := checkRange("height", f.height, 150, 8000); err != nil {
		return err
	}
	if err := checkOutput(f.out, f.model, f.data, f.labels); err != nil {
		return err
	}
	d, err := a.draw(cmd.Context(), f, ext)
	if err != nil {
		return err
	}
	out := plotResult{Image: f.out, Rows: d.Len(), Classes: classNames(d), Width: f.width, Height: f.height}
	if out.Classes == nil {
		out.Classes = []string{}
	}
	return a.report(out, func(w io.Writer) {
		of := fmt.Sprintf("of %d classes", len(out.Classes))
		if len(out.Classes) == 0 {
			of = "without labels"
		}
		fmt.Fprintf(w, "%d rows %s, drawn in %s\n", out.Rows, of, out.Image)
	})
}

// draw writes the picture and returns the dataset that it shows.
func (a *app) draw(ctx context.Context, f *plotFlags, ext string) (*dataset.Dataset, error) {
	a.currentBar().plan(step{"drawing", 0})
	if ext == ".html" {
		return a.plotPage(ctx, f)
	}
	y, d, err := f.project()
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && !hasFiniteSums(y) {
		err = fmt.Errorf("%s: the projected numbers are too large to be drawn (above 1e300)", f.data)
	}
	if err != nil {
		return nil, err
	}
	b := a.startPhase("drawing points", d.Len())
	defer b.finished()
	return d, scatter(f, ext, y, d, func(done int) { b.setDone(done, "") })
}

// project reads the model and the data, and projects the selected rows.
func (f *plotFlags) project() (y *mat.Dense, d *dataset.Dataset, err error) {
	p, err := parsePart(f.part)
	if err == nil {
		err = f.rows.check()
	}
	if err == nil && f.rows.holdout > 0 && p == allRows {
		err = usagef("a picture does not tell training rows from test rows: with --holdout add --rows train or --rows test, or draw a page (.html)")
	}
	if err != nil {
		return nil, nil, err
	}
	m, c, err := readClassifier(f.model)
	if err != nil {
		return nil, nil, err
	}
	features, _ := m.Dims()
	f.read.useSchemaOf(f.model, m)
	if d, err = f.read.readFeatures(f.data, f.labels, features); err != nil {
		return nil, nil, err
	}
	if p != allRows {
		f.recallHoldout(m, c, d)
	}
	if d, err = f.rows.selectPart(f.data, d, p); err != nil {
		return nil, nil, err
	}
	y = new(mat.Dense)
	return y, d, m.Transform(y, d.X)
}

// recallHoldout sets --holdout and --seed to the values in the model. It does nothing if d is
// already split. It also does nothing if the mean of the training rows of d differs from the mean
// of the rows that m was fitted to.
func (f *plotFlags) recallHoldout(m *wda.Model, c *wda.Classifier, d *dataset.Dataset) {
	s := m.Schema()
	if s == nil || s.Rows.Holdout == 0 || f.rows.holdout > 0 || d.Split != nil || d.Labels == nil {
		return
	}
	was := rowFlags{holdout: s.Rows.Holdout, sample: s.Rows.Sample, seed: s.Rows.Seed, known: m.ClassNames(), names: m.ClassNames()}
	train, err := was.trainingRows(f.data, d)
	if err != nil || !hasMeanOf(m, c, train, was.seed) {
		return
	}
	f.rows.holdout, f.rows.seed = was.holdout, was.seed
	f.read.noteOnce(fmt.Sprintf("%s: the test rows are those that monge fit held out (--holdout %v --seed %d)", displayName(f.data), was.holdout, was.seed))
}

// hasFiniteSums reports whether all coordinates are so small that their sums are finite.
func hasFiniteSums(y *mat.Dense) bool {
	const largest = 1e300
	return mat.Max(y) < largest && mat.Min(y) > -largest
}

// scatter draws the first two components as a scatter plot, or a single component as strips.
func scatter(f *plotFlags, ext string, y *mat.Dense, d *dataset.Dataset, progress func(done int)) error {
	labeled := d.Labels != nil
	if !labeled {
		d = &dataset.Dataset{X: d.X, Labels: make([]int, d.Len()), Classes: []string{"all"}}
	}
	// The legend omits classes without rows. A class has the same color in every plot of the file.
	var (
		entries []picture.LegendEntry
		names   []string
	)
	for c, n := range d.Counts() {
		name := clipMiddle(d.Classes[c], 24)
		names = append(names, name)
		if n > 0 {
			entries = append(entries, picture.LegendEntry{Glyphs: []draw.GlyphStyle{picture.Glyph(c, picture.LegendRadius, 255)}, Name: name})
		}
	}
	radius, alpha := vg.Points(3), uint8(255)
	if d.Len() > 1500 {
		radius, alpha = vg.Points(1.8), 150
	}
	one := y.RawMatrix().Cols == 1
	paint := func(c draw.Canvas) {
		c = picture.Background(c)
		p := picture.New(f.title, "component 1", "component 2")
		p.Add(picture.Grid())
		if one {
			p.Y.Label.Text = "class"
			stripPlot(p, y, d, names, radius, alpha, progress)
			p.Draw(c)
			return
		}
		p.Add(picture.Cloud{Points: y, Labels: d.Labels, Radius: radius, Alpha: alpha, Progress: progress})
		if labeled {
			l := picture.LayLegend(entries, c.Size())
			l.Draw(draw.Crop(c, c.Size().X-l.Width, 0, 0, 0))
			c = draw.Crop(c, 0, -l.Width-10, 0, 0)
		}
		picture.EqualAxes(p, c)
		p.Draw(c)
	}
	return render(f.out, ext, f.width, f.height, 96, paint)
}
