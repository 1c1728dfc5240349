// Package demo is for new users. It fits WDA to simulated data, compares it with PCA and FDA, and
// draws the three projections. The program cmd/demo and the command "monge demo" share this
// package. The program cmd/demo does not link the readers of Arrow and Parquet files, so it takes
// less than half as long to build as the command monge.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	trainRows = 100
	testRows  = 5000
	neighbors = 5
	// lambda lies in the range from 2 to 8. Every λ in this range gives the same error rate as the
	// two informative dimensions alone. λ = 1 gives 1.5 times this error rate.
	lambda = 3
	// drawnRows is the number of test rows in the picture. More rows would only make the file larger.
	drawnRows = 300
	// PictureName is the name of the picture.
	PictureName = "demo.png"
)

// Description describes the demo for help texts.
var Description = fmt.Sprintf(`The demo needs no input. It simulates the data of the paper that introduced WDA: three
classes in ten dimensions. In two of the dimensions every class consists of two clusters
on opposite sides of the origin, so that all classes have the same mean. The other eight
dimensions are noise. It fits WDA with p = 2 and λ = %d to %d samples. Then it prints the
errors of a %d-nearest-neighbors classifier on %d new samples: with all ten dimensions,
and with two dimensions found by PCA, by FDA and by WDA. The three projections are drawn
side by side in %s.`, lambda, trainRows, neighbors, testRows, PictureName)

// Result contains the results of the demo.
type Result struct {
	Errors    Errors  `json:"knn_error"`
	Image     string  `json:"image"` // path of the picture
	K         int     `json:"k"`
	Train     int     `json:"train"`
	Test      int     `json:"test"`
	Lambda    float64 `json:"lambda"`
	Objective float64 `json:"objective"`
	Steps     int     `json:"steps"`
	Seconds   float64 `json:"seconds"` // of the fit

	features int
}

// Errors are the error rates of nearest-neighbor classification, between 0 and 1.
type Errors struct {
	Original float64 `json:"original"`
	PCA      float64 `json:"pca"`
	FDA      float64 `json:"fda"`
	WDA      float64 `json:"wda"`
}

// space is one coordinate system: the training rows y, the test rows z, and the classification
// error.
type space struct {
	name  string
	y, z  *mat.Dense
	error float64
}

// Run simulates the data, fits the projections, compares their errors, and writes the picture to
// the folder out. If the folder does not exist, Run makes it, and removes it again after an error.
func Run(ctx context.Context, out string, seed uint64) (result *Result, err error) {
	made, err := makeFolder(out)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && made {
			os.Remove(out) // removes only an empty folder
		}
	}()
	image := filepath.Join(out, PictureName)
	f, err := outfile.Create(image) // reports an unwritable folder before the long computation
	if err != nil {
		return nil, err
	}
	f.Abort()

	train := dataset.Simulation{Seed: seed}.Generate(trainRows)
	test := dataset.Simulation{Seed: seed + 1}.Generate(testRows)
	model, err := wda.Fit(ctx, train.X, train.Labels, &wda.Settings{
		Components: 2, Data: wda.Data{Whitening: wda.NoWhitening()}, Scale: wda.ScaleOrthonormal,
		Objective: wda.Objective{Lambda: wda.RelativeLambda(lambda), Shrinkage: wda.FixedShrinkage(0)},
	})
	if err != nil {
		return nil, err
	}
	spaces := []space{{name: "original", y: train.X, z: test.X}}
	for _, method := range []baseline.Method{baseline.PCA{}, baseline.FDA{}} {
		projection, err := baseline.Fit(ctx, train.X, train.Labels, 2, method)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", method, err)
		}
		s := space{name: method.String(), y: new(mat.Dense), z: new(mat.Dense)}
		s.y.Mul(train.X, projection)
		s.z.Mul(test.X, projection)
		spaces = append(spaces, s)
	}
	own := space{name: "WDA", y: new(mat.Dense), z: new(mat.Dense)}
	if err := errors.Join(model.Transform(own.y, train.X), model.Transform(own.z, test.X)); err != nil {
		return nil, err
	}
	spaces = append(spaces, own)
	for i := range spaces {
		s := &spaces[i]
		predicted, err := knn.Predict(ctx, matrixOf(s.y), train.Labels, matrixOf(s.z), []int{neighbors}, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		s.error = knn.ErrorRate(predicted[0], test.Labels)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := drawSpaces(image, spaces[1:], train, test); err != nil {
		return nil, err
	}
	r := model.Report()
	_, features := train.X.Dims()
	return &Result{
		Errors: Errors{spaces[0].error, spaces[1].error, spaces[2].error, spaces[3].error}, Image: image,
		K: neighbors, Train: trainRows, Test: testRows, Lambda: lambda, Objective: r.Objective, Steps: r.Steps, Seconds: r.Elapsed.Seconds(),
		features: features,
	}, nil
}

// Print writes the result as text. Tabs separate the columns of its table.
func (r *Result) Print(w io.Writer) {
	fmt.Fprintf(w, "Three classes of two clusters each, in 2 of %d dimensions; %d samples to learn from.\n", r.features, r.Train)
	fmt.Fprintf(w, "Error of %d nearest neighbors on %d new samples:\n\n", r.K, r.Test)
	for _, row := range []struct {
		name  string
		error float64
	}{
		{fmt.Sprintf("all %d dimensions", r.features), r.Errors.Original},
		{"2 by PCA", r.Errors.PCA}, {"2 by FDA", r.Errors.FDA}, {"2 by WDA", r.Errors.WDA},
	} {
		fmt.Fprintf(w, "  %s\t%.2f %%\n", row.name, 100*row.error)
	}
	fmt.Fprintf(w, "\nWDA with λ = %g: J = %.6g after %d steps, %.2g s\n", r.Lambda, r.Objective, r.Steps, r.Seconds)
	fmt.Fprintf(w, "Picture: %s\n", r.Image)
}

// makeFolder creates dir, whose parent must exist, and reports whether dir is new.
func makeFolder(dir string) (made bool, err error) {
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return false, fmt.Errorf("%s: is not a folder", dir)
	case err == nil:
		return false, nil
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		if pe, ok := errors.AsType[*os.PathError](err); ok {
			err = pe.Err
		}
		return false, fmt.Errorf("%s: cannot make the folder: %w", dir, err)
	}
	return true, nil
}

// matrixOf returns m as a dist.Matrix that shares its elements.
func matrixOf(m *mat.Dense) dist.Matrix[float64] {
	r := m.RawMatrix()
	return dist.Matrix[float64]{Rows: r.Rows, Cols: r.Cols, Stride: r.Stride, Data: r.Data}
}

// drawSpaces draws the panels side by side. Each panel has small, faint test points and large
// training points on top.
func drawSpaces(path string, panels []space, train, test *dataset.Dataset) error {
	paint := func(c draw.Canvas) {
		c = picture.Background(c)
		const legend = 26
		var entries []picture.LegendEntry
		for class, name := range train.Classes {
			entries = append(entries, picture.LegendEntry{Glyphs: []draw.GlyphStyle{
				picture.Glyph(class, vg.Points(3.6), 255), picture.Glyph(class, vg.Points(1.7), 130),
			}, Name: "class " + name})
		}
		entries = append(entries, picture.LegendEntry{Name: fmt.Sprintf("large: %d training samples, small: test samples", trainRows)})
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
			p := picture.New(fmt.Sprintf("%s: test error %.1f %%", panel.name, 100*panel.error), "component 1", "component 2")
			if i > 0 {
				p.Y.Label.Text = ""
			}
			p.Add(picture.Grid(),
				picture.Cloud{Points: panel.z.Slice(0, drawnRows, 0, 2).(*mat.Dense), Labels: test.Labels[:drawnRows], Radius: vg.Points(1.7), Alpha: 130},
				picture.Cloud{Points: panel.y, Labels: train.Labels, Radius: vg.Points(3.6), Alpha: 255})
			picture.EqualAxes(p, at)
			p.Draw(at)
		}
	}
	file, err := picture.Encode(".png", 1080, 408, 120, paint)
	if err != nil {
		return err
	}
	return outfile.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(file)
		return err
	})
}
