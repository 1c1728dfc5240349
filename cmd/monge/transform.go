package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/gomonge/monge/cmd/internal/table"
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
		Long: `Transform projects rows with a model and writes p numbers for each row, in the
same order.`,
		Example: `  monge transform --model wine.wda --data wine.csv --out projected.csv
  monge transform --model digits.wda --data mnist.npz --rows test --out projected.npy
  zcat rows.csv.gz | monge transform --model wine.wda --data - --out - > projected.csv
  monge transform --model texts.wda --data texts.parquet --columns emb --out projected.parquet`,
		Annotations: map[string]string{details: transformDetails},
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.transform(cmd, f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.model, "model", "", "`FILE`: the model (required)")
	fs.StringVar(&f.data, "data", "", "`FILE`: file with rows to project, or - for standard input (required)")
	fs.StringVar(&f.out, "out", "", "`FILE`: where to write, .csv, .npy, .npz, .idx, .parquet, .arrow or .jsonl, or - for standard output (required)")
	fs.StringVar(&f.part, "rows", "all", "`PART`: project all, train or test rows, by the file's split or --holdout")
	fs.BoolVar(&f.keepLabels, "keep-labels", false, "append the labels as the last column, or in NPZ as the array y")
	fs.StringVar(&f.format, "format", "", "`NAME`: csv, npy, npz, idx, parquet, arrow or jsonl (default by the name of --out, or csv on standard output, where arrow is a stream)")
	fs.StringVar(&f.labels, "labels", "", "`FILE`: file with labels, for --keep-labels, --holdout and --sample")
	completeValues(cmd, "rows", "all", "train", "test")
	completeValues(cmd, "format", "csv", "npy", "npz", "idx", "parquet", "arrow", "jsonl")
	f.rows.add(cmd, "the rows")
	f.read.add(cmd)
	f.read.addExtra(cmd)
	f.read.app = a
	return cmd
}

const transformDetails = `
Every row x becomes (x − mean)·P. The extension of --out determines the format. The
columns are called component1, component2, …. NPY and IDX files contain only numbers.
NPZ files contain the array X.

Columns are found by their names, in any order: see monge help tables. A CSV file
without names has no labels if it has as many columns as the model has features. If it
has one more column, the last column contains the labels, unless --label-column is
given. With --id, the identifiers are the first columns in CSV and the last columns in
other formats.

Transform projects all rows of an NPZ file, regardless of its array split, unless --rows
selects a part.

Rows are read, projected and written in blocks, so the memory does not grow with their
number, unless --sample or --holdout select rows at random. One record batch of an Arrow
file is held in memory. Row groups of a Parquet file with many columns, and NPZ or
Parquet files from a pipe, are copied to a temporary file in the folder TMPDIR or
/var/tmp.`

// rowTexts returns the identifiers of a row.
func rowTexts(ids [][]string, row int) []string {
	var of []string
	for _, column := range ids {
		of = append(of, column[row])
	}
	return of
}

// columns returns the columns of the output. The identifiers are the first columns in CSV, and the
// last columns in other formats.
func (f *transformFlags) columns(kind string, ids []string, p int) []table.Column {
	var of, texts []table.Column
	for _, name := range ids {
		texts = append(texts, table.Column{Name: name, Text: true})
	}
	for j := range p {
		of = append(of, table.Column{Name: componentName(j)})
	}
	if kind == ".csv" {
		of = append(texts, of...)
	} else {
		of = append(of, texts...)
	}
	if f.keepLabels {
		of = append(of, table.Column{Name: "label", Text: true})
	}
	return of
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
	kind, err := a.checkTarget(f.out, f.format, []string{f.model, f.data, f.labels}, tableExtensions...)
	if err != nil {
		return err
	}
	if kind == ".npy" || kind == ".idx" {
		const places = "write .csv, .parquet, .arrow, .jsonl or .npz"
		if f.keepLabels {
			return usagef("--keep-labels: an %s file has no place for labels; %s", strings.ToUpper(kind[1:]), places)
		}
		if f.read.ids != nil {
			return usagef("--id: an %s file has no place for identifiers; %s", strings.ToUpper(kind[1:]), places)
		}
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
	f.read.useSchemaOf(f.model, m)
	f.read.unlabeled = !f.keepLabels
	f.rows.names, f.rows.read = m.ClassNames(), &f.read.columnFlags
	rows, err := f.rows.open(&f.read, f.data, f.labels, part, d)
	if err != nil {
		return err
	}
	defer rows.close()
	if f.keepLabels && !rows.named {
		return fmt.Errorf("%s: no labels to keep; leave out --keep-labels, or name a file of them with --labels", rows.path)
	}
	file, err := a.createOutput(f.out)
	if err != nil {
		return err
	}
	defer file.Abort()
	out, err := newTableWriter(file, kind, rows.rows, f.columns(kind, rows.ids, p))
	if err != nil {
		return err
	}
	var y mat.Dense
	err = rows.forEachBlock(a, cmd, "transform", func(b *dataset.Block) error {
		y.Reset()
		if err := m.Transform(&y, b.X); err != nil {
			return err
		}
		for i := range y.RawMatrix().Rows {
			texts := rowTexts(b.IDs, i)
			if f.keepLabels {
				texts = append(texts, b.Labels[i])
			}
			if err := out.Write(y.RawRowView(i), texts); err != nil {
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
	if err := file.Commit(); err != nil || f.out == stdinArgument {
		return err
	}
	result := transformResult{Rows: rows.seen, Features: d, Components: p, Out: f.out}
	return a.report(result, func(w io.Writer) {
		fmt.Fprintf(w, "%d rows projected from %d to %d dimensions, written to %s\n", result.Rows, d, p, f.out)
	})
}
