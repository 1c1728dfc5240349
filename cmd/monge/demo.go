package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	demoTrain     = 100
	demoTest      = 5000
	demoNeighbors = 5
	// demoLambda is in the middle of the range, 2 to 8, where the error is that of the
	// two informative dimensions; at 1 it is half as much again.
	demoLambda = 3
	// demoDrawn test rows are drawn; more would only make the picture heavier.
	demoDrawn = 300
)

type demoFlags struct {
	out  string
	seed uint64
}

func newDemo(a *app) *cobra.Command {
	f := new(demoFlags)
	cmd := &cobra.Command{
		Use:   "demo [--out DIR]",
		Short: "Fit the paper's simulated data and compare with PCA and FDA",
		Long: fmt.Sprintf(`Demo needs no input. It simulates the data of the paper that introduced WDA, three
classes in ten dimensions: in two of them every class consists of two clusters on
opposite sides of the origin, so that all classes have the same mean, and the other
eight are noise. It fits WDA with p = 2 and λ = %g to %d samples and prints the errors
of a %d-nearest-neighbors classifier on %d others: with all ten dimensions, and with
two found by PCA, by FDA and by WDA. The three projections are drawn side by side in
demo.png.`, float64(demoLambda), demoTrain, demoNeighbors, demoTest),
		Example: `  monge demo
  monge demo --out pictures --seed 7 --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd, f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", "demo", "`FOLDER`: where to write the picture demo.png; made if it does not exist")
	fs.Uint64Var(&f.seed, "seed", 1, "`NUMBER`: what the simulation is drawn by")
	return cmd
}

type demoResult struct {
	Error     demoErrors `json:"knn_error"`
	Image     string     `json:"image"`
	K         int        `json:"k"`
	Train     int        `json:"train"`
	Test      int        `json:"test"`
	Lambda    number     `json:"lambda"`
	Objective number     `json:"objective"`
	Steps     int        `json:"steps"`
	Seconds   number     `json:"seconds"`
}

type demoErrors struct {
	Original number `json:"original"`
	PCA      number `json:"pca"`
	FDA      number `json:"fda"`
	WDA      number `json:"wda"`
}

func (a *app) demo(cmd *cobra.Command, f *demoFlags) (err error) {
	ctx := cmd.Context()
	if f.out == "" {
		return usagef("--out must name a folder")
	}
	made, err := makeFolder(f.out)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil && made != "" {
			// Only what this run has made, and only if it is empty.
			os.Remove(made)
		}
	}()
	image := filepath.Join(f.out, "demo.png")
	if err := checkOutput(image); err != nil {
		return err
	}
	train := dataset.Simulation{Seed: f.seed}.Generate(demoTrain)
	test := dataset.Simulation{Seed: f.seed + 1}.Generate(demoTest)
	m, err := a.fitModel(ctx, train.X, train.Labels, &wda.Settings{
		Components: 2, Data: wda.Data{Whitening: wda.NoWhitening()}, Scale: wda.Orthonormal,
		Objective: wda.Objective{Lambda: wda.Lambda{Value: demoLambda}, Shrinkage: wda.Shrinkage{None: true}},
	})
	if err != nil {
		return err
	}
	found, err := a.demoSpaces(ctx, m, train, test)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := drawDemo(image, found[1:], train, test); err != nil {
		return err
	}
	rate := func(i int) number { return number(found[i].rates.errors[0]) }
	r := m.Report()
	out := demoResult{
		Error: demoErrors{rate(0), rate(1), rate(2), rate(3)}, Image: image,
		K: demoNeighbors, Train: demoTrain, Test: demoTest, Lambda: demoLambda, Objective: number(r.Objective), Steps: r.Steps, Seconds: number(r.Elapsed.Seconds()),
	}
	return a.report(out, func(w io.Writer) {
		fmt.Fprintf(w, "Three classes of two clusters each, in 2 of %d dimensions; %d samples to learn from.\n", columns(train), demoTrain)
		fmt.Fprintf(w, "Error of %d nearest neighbors on %d new samples:\n\n", demoNeighbors, demoTest)
		for i, name := range []string{fmt.Sprintf("all %d dimensions", columns(train)), "2 by PCA", "2 by FDA", "2 by WDA"} {
			fmt.Fprintf(w, "  %s\t%s\n", name, percent(float64(rate(i))))
		}
		fmt.Fprintf(w, "\nWDA with λ = %g: J = %.6g after %d steps, %.2g s\n", float64(demoLambda), r.Objective, r.Steps, r.Elapsed.Seconds())
		fmt.Fprintf(w, "Picture: %s\n", image)
	})
}

// makeFolder makes dir, whose parent must exist, and returns it if it was not there.
func makeFolder(dir string) (made string, err error) {
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return "", fmt.Errorf("%s: is not a folder", dir)
	case err == nil:
		return "", nil
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", fmt.Errorf("%s: cannot make the folder: %w", dir, cause(err))
	}
	return dir, nil
}

// demoSpaces returns the original space, PCA, FDA and WDA, in this order.
func (a *app) demoSpaces(ctx context.Context, m *wda.Model, train, test *dataset.Dataset) ([]named, error) {
	c := &classifier{a: a, ctx: ctx, train: train, test: test, ks: []int{demoNeighbors}}
	_, p := m.Dims()
	found, err := c.baselines(p)
	if err != nil {
		return nil, err
	}
	own := named{name: "WDA", y: new(mat.Dense), z: new(mat.Dense)}
	m.Transform(own.y, train.X)
	m.Transform(own.z, test.X)
	if own.rates, _, err = c.classify("WDA", own.y, own.z); err != nil {
		return nil, err
	}
	return append(found, own), nil
}

// drawDemo draws panels side by side: faint test points, training points on top.
func drawDemo(path string, panels []named, train, test *dataset.Dataset) error {
	for _, p := range panels {
		if !drawable(p.y) || !drawable(p.z) {
			return errors.New("the projections are too large to be drawn")
		}
	}
	paint := func(c draw.Canvas) {
		c = picture.Background(c)
		const legend = 26
		var entries []picture.LegendEntry
		for class, name := range train.Classes {
			entries = append(entries, picture.LegendEntry{Glyphs: []draw.GlyphStyle{
				picture.Glyph(class, vg.Points(3.6), 255), picture.Glyph(class, vg.Points(1.7), 130),
			}, Name: "class " + name})
		}
		entries = append(entries, picture.LegendEntry{Name: fmt.Sprintf("large: %d training samples, small: test samples", demoTrain)})
		row := c
		row.Max.Y = row.Min.Y + legend
		picture.DrawLegendRow(row, entries, picture.TextStyle(11))

		const gap = 12
		area := draw.Crop(c, 0, 0, legend, 0)
		width := (area.Size().X - gap*vg.Length(len(panels)-1)) / vg.Length(len(panels))
		for i, panel := range panels {
			at := area
			at.Min.X += vg.Length(i) * (width + gap)
			at.Max.X = at.Min.X + width
			p := picture.New(fmt.Sprintf("%s: test error %.1f %%", panel.name, 100*panel.rates.errors[0]), "component 1", "component 2")
			if i > 0 {
				p.Y.Label.Text = ""
			}
			p.Add(picture.Grid(),
				picture.Cloud{Points: panel.z.Slice(0, demoDrawn, 0, 2).(*mat.Dense), Labels: test.Labels[:demoDrawn], Radius: vg.Points(1.7), Alpha: 130},
				picture.Cloud{Points: panel.y, Labels: train.Labels, Radius: vg.Points(3.6), Alpha: 255})
			picture.EqualAxes(p, at)
			p.Draw(at)
		}
	}
	return render(path, ".png", 1080, 408, 120, paint)
}
