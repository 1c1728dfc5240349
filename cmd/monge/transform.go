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
	format     string
	keepLabels bool
}

func newTransform(a *app) *cobra.Command {
	f := new(transformFlags)
	cmd := &cobra.Command{
		Use:   "transform --model FILE --data FILE --out FILE [flags]",
		Short: "Project samples with a model",
		Long: `Transform writes (x − mean)·P for every row x of the data, in their order: one row of
p numbers each, as CSV without a header, NPY, or the columns component1 … of a Parquet
or Arrow file, by the name of --out.

A CSV file with as many columns as the model has features is taken to have no
labels, one with one more column to have them last; --label-column says otherwise.
All rows of an NPZ file are projected, whatever its array split says, unless --rows
chooses a part.

Rows are read, projected and written in blocks: the memory does not grow with their
number, unless --sample or --holdout choose among all (of an Arrow file one record batch
is held whole; of a Parquet file with many columns one row group is, in a temporary file
in the folder of TMPDIR or else /var/tmp). --data - is standard input and --out - standard output; a Parquet file
cannot come through a pipe, an Arrow stream can.`,
		Example: `  monge transform --model wine.wda --data wine.csv --out projected.csv
  zcat embeddings.csv.gz | monge transform --model wine.wda --data - --out - > projected.csv
  monge transform --model digits.wda --data mnist.npz --rows test --out projected.npy
  monge transform --model m.wda --data texts.parquet --columns embedding --out projected.parquet`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.transform(cmd, f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.model, "model", "", "model file (required)")
	fs.StringVar(&f.data, "data", "", "file of samples (required)")
	fs.StringVar(&f.labels, "labels", "", "file of labels, for --keep-labels")
	fs.StringVar(&f.out, "out", "", "file to write, .csv, .npy, .parquet or .arrow (required)")
	fs.StringVar(&f.format, "format", "", "csv, npy, parquet or arrow (default by the name of --out, csv on standard output, where arrow is a stream)")
	fs.BoolVar(&f.keepLabels, "keep-labels", false, "append the labels as last column, of CSV, Parquet or Arrow")
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
	kind, err := a.checkTarget(f.out, f.format, []string{f.model, f.data, f.labels}, ".csv", ".npy", ".parquet", ".arrow")
	if err != nil {
		return err
	}
	if f.keepLabels && kind == ".npy" {
		return usagef("--keep-labels: an NPY file has no place for them")
	}
	part, err := f.rows.checkPart(f.part)
	if err != nil {
		return err
	}
	m, err := readModel(f.model)
	if err != nil {
		return err
	}
	d, p := m.Dims()
	rows, err := f.rows.open(&f.read, f.data, f.labels, part, d)
	if err != nil {
		return err
	}
	defer rows.close()
	if f.keepLabels && !rows.named {
		return fmt.Errorf("%s: no labels to keep", rows.path)
	}
	file, err := a.create(f.out)
	if err != nil {
		return err
	}
	defer file.Abort()
	out, err := newWriter(file, kind, rows.rows, p, f.keepLabels)
	if err != nil {
		return err
	}
	var y mat.Dense
	err = rows.each(a, cmd, "transform", func(b *dataset.Block) error {
		y.Reset()
		m.Transform(&y, b.X)
		for i := range y.RawMatrix().Rows {
			var err error
			if f.keepLabels {
				err = out.WriteLabelled(y.RawRowView(i), b.Labels[i])
			} else {
				err = out.Write(y.RawRowView(i))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	if err := file.Commit(); err != nil || f.out == standard {
		return err
	}
	result := transformResult{Rows: rows.seen, Features: d, Components: p, Out: f.out}
	return a.report(result, func(w io.Writer) {
		fmt.Fprintf(w, "%d rows, %d → %d dimensions, written to %s\n", result.Rows, d, p, f.out)
	})
}
