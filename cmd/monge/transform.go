package main

import (
	"fmt"
	"io"

	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

type transformFlags struct {
	read       readFlags
	rows       rowFlags
	part       string
	model      string
	data       string
	labels     string
	out        string
	keepLabels bool
}

func newTransform(a *app) *cobra.Command {
	f := new(transformFlags)
	cmd := &cobra.Command{
		Use:   "transform --model FILE --data FILE --out FILE [flags]",
		Short: "Project samples with a model",
		Long: `Transform writes (x − mean)·P for every row x of the data, in their order: one row of
p numbers each, as CSV without a header or as NPY, by the name of --out.

A CSV file with as many columns as the model has features is taken to have no
labels, one with one more column to have them last; --label-column says otherwise.
All rows of an NPZ file are projected, whatever its array split says, unless --rows
chooses a part.`,
		Example: `  monge transform --model wine.wda --data wine.csv --out projected.csv
  monge transform --model digits.wda --data mnist.npz --rows test --out projected.npy`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.transform(cmd, f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.model, "model", "", "model file (required)")
	fs.StringVar(&f.data, "data", "", "file of samples (required)")
	fs.StringVar(&f.labels, "labels", "", "file of labels, for --keep-labels")
	fs.StringVar(&f.out, "out", "", "file to write, .csv or .npy (required)")
	fs.BoolVar(&f.keepLabels, "keep-labels", false, "CSV: append the labels as last column")
	fs.StringVar(&f.part, "rows", "all", "all, train or test, by the file's split or --holdout")
	f.rows.add(cmd, "rows")
	f.read.add(cmd)
	return cmd
}

type transformResult struct {
	Rows       int    `json:"rows"`
	Features   int    `json:"features"`
	Components int    `json:"components"`
	Out        string `json:"out"`
}

func (a *app) transform(cmd *cobra.Command, f *transformFlags) error {
	if err := requireFlags(cmd, "model", "data", "out"); err != nil {
		return err
	}
	ext, err := extension("out", f.out, ".csv", ".npy")
	if err != nil {
		return err
	}
	if f.keepLabels && ext != ".csv" {
		return usagef("--keep-labels needs a CSV file to write")
	}
	if err := checkOutput(f.out, f.model, f.data, f.labels); err != nil {
		return err
	}
	m, y, d, err := f.projected()
	if err != nil {
		return err
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	if f.keepLabels {
		if d.Labels == nil {
			return fmt.Errorf("%s: no labels to keep", f.data)
		}
		labelled := &dataset.Dataset{X: y, Labels: d.Labels, Classes: d.Classes}
		err = dataset.WriteFile(f.out, labelled.WriteCSV)
	} else {
		rows, cols := y.Dims()
		err = writeRows(f.out, ext, rows, cols, func(row []float64, i int) error {
			copy(row, y.RawRowView(i))
			return nil
		})
	}
	if err != nil {
		return err
	}
	out := transformResult{Rows: d.Len(), Features: m, Components: y.RawMatrix().Cols, Out: f.out}
	return a.report(out, func(w io.Writer) {
		fmt.Fprintf(w, "%d rows, %d → %d dimensions, written to %s\n", out.Rows, out.Features, out.Components, out.Out)
	})
}

// projected reads the model and the data and projects the chosen rows.
func (f *transformFlags) projected() (features int, y *mat.Dense, d *dataset.Dataset, err error) {
	p, err := parsePart(f.part)
	if err != nil {
		return 0, nil, nil, err
	}
	if err := f.rows.check(); err != nil {
		return 0, nil, nil, err
	}
	if f.rows.holdout > 0 && p == allRows {
		return 0, nil, nil, usagef("--holdout needs --rows train or test")
	}
	m, err := readModel(f.model)
	if err != nil {
		return 0, nil, nil, err
	}
	features, _ = m.Dims()
	if d, err = f.read.readFeatures(f.data, f.labels, features); err != nil {
		return 0, nil, nil, err
	}
	if p != allRows && d.Split == nil && f.rows.holdout == 0 {
		return 0, nil, nil, fmt.Errorf("%s: --rows %s: the file has no array split; --holdout makes one", f.data, f.part)
	}
	if d, err = f.rows.choose(f.data, d, p); err != nil {
		return 0, nil, nil, err
	}
	if d, err = f.rows.draw(f.data, d); err != nil {
		return 0, nil, nil, err
	}
	y = new(mat.Dense)
	m.Transform(y, d.X)
	return features, y, d, nil
}
