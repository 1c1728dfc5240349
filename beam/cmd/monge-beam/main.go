// Command monge-beam runs the work of monge on Apache Beam:
//
//	monge-beam --do fit        --in digits.npz --components 10 --k 5 --folder /shared --out m.wda
//	monge-beam --do transform  --model m.wda --in 'rows-*.parquet' --out projected.parquet
//	monge-beam --do classify   --model m.wda --in rows.csv --key id --out classes.csv
//	monge-beam --do score      --in digits.npz --model m.wda --folder /shared
//	monge-beam --do crossvalidate --in digits.npz --folder /shared
//
// Beam's own flags choose where the work is done. By default (--runner prism), the work is done in
// this process. With --runner prism-processes, each lane (a branch of the pipeline) has its own
// process on this machine, and --lanes sets the number of lanes. With --runner flink --endpoint
// HOST:8099, or --runner dataflow --project … --region … --staging_location …, a cluster does the
// work.
package main

import (
	"context"
	"encoding"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs://
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	mongebeam "github.com/gomonge/monge/beam"
	_ "github.com/gomonge/monge/beam/processes"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
)

var (
	do        = flag.String("do", "", "transform, classify, fit, score or crossvalidate")
	in        = flag.String("in", "", "input: a pattern of files, which workers read (transform, classify), or a file with labels, which this process reads")
	out       = flag.String("out", "", "output: .parquet or .csv (transform, classify), a model file (fit)")
	modelPath = flag.String("model", "", "model file, which workers must be able to read")
	shards    = flag.Int("shards", 4, "number of output files")
	lanes     = flag.Int("lanes", 0, "branches of a pipeline among which work is divided (default: one for each core with prism and prism-processes, 1 with others)")
	folder    = flag.String("folder", "", "folder that this process and all workers can read and write, for fit, score and crossvalidate")

	key         = flag.String("key", "", "column with the keys of the rows: a name, or a number from 0 (default: file and number of the row)")
	columns     = flag.String("columns", "", "columns of features, separated by commas: names, patterns, numbers or ranges, as for monge fit --columns")
	drop        = flag.String("drop", "", "columns to leave out, separated by commas, for fit, score and crossvalidate")
	labelColumn = flag.String("label-column", "", "column of labels, for fit, score and crossvalidate (default: as for monge fit)")
	missing     = flag.String("missing", "error", "what to do with missing values, for fit and crossvalidate: error, mean, median or drop")
	noLabel     = flag.String("missing-labels", "error", "what to do with rows without a label, for fit, score and crossvalidate: error, drop or keep, as for monge fit")
	oneHot      = flag.String("one-hot", "", "columns of text, separated by commas, for fit and crossvalidate: each of their values becomes a feature that is 0 or 1")
	extra       = flag.Bool("extra-columns", false, "leave out columns that the model does not know, instead of refusing the file")

	components = flag.Int("components", 0, "number of components (default: chosen by the library)")
	steps      = flag.Int("steps", 0, "largest number of steps of a fit (default: chosen by the library)")
	seed       = flag.Uint64("seed", 1, "seed of the random choices of a fit and of the folds")
	neighbors  = flag.Int("k", 0, "keep the projected training rows in the model of a fit, so that classify can use this many nearest rows (default: keep none)")
	verbose    = flag.Bool("pipelines", false, "print a line for every pipeline on standard error")
)

func main() {
	flag.Parse()
	beam.Init()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *runners.Runner == "" {
		*runners.Runner = "prism"
	}
	if *lanes == 0 {
		*lanes = 1
		if strings.HasPrefix(*runners.Runner, "prism") {
			*lanes = runtime.GOMAXPROCS(0)
		}
	}
	if err := runWithTempDir(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "monge-beam:", err)
		os.Exit(1)
	}
}

// runWithTempDir calls the function run with a new folder for temporary files, and removes this
// folder afterwards. Beam leaves an empty file beamloopbackworker-… in the temporary folder for
// every loopback pipeline.
func runWithTempDir(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "monge-beam-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"TMPDIR", "TMP"} { // TMP for Windows
		if err := os.Setenv(name, dir); err != nil {
			return err
		}
	}
	return run(ctx)
}

func run(ctx context.Context) error {
	if *in == "" {
		return fmt.Errorf("--in is missing; --help lists all flags")
	}
	switch *do {
	case "transform", "classify":
		return applyModel(ctx)
	case "fit", "score", "crossvalidate":
		return runLibrary(ctx)
	}
	return fmt.Errorf("--do must be transform, classify, fit, score or crossvalidate, not %q", *do)
}

// applyModel reads rows, applies the model and writes the results.
func applyModel(ctx context.Context) error {
	if !strings.HasSuffix(*out, ".csv") && !strings.HasSuffix(*out, ".parquet") || *shards < 1 {
		return fmt.Errorf("--out must end in .csv or .parquet, not %q, and --shards must be positive, not %d", *out, *shards)
	}
	model, err := mongebeam.OpenModel(ctx, *modelPath)
	if err != nil {
		return err
	}
	c := mongebeam.Columns{Key: *key, Features: splitList(*columns), AllowExtra: *extra}
	if c.Schema, err = model.Schema(ctx); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	var results []beam.PCollection
	for _, rows := range mongebeam.Read(s, *in, c, *lanes) {
		if *do == "transform" {
			results = append(results, mongebeam.Transform(s, model, rows))
		} else {
			results = append(results, mongebeam.Classify(s, model, rows))
		}
	}
	mongebeam.Write(s, *out, *shards, results...)
	_, err = beam.Run(ctx, *runners.Runner, p)
	return err
}

// splitList returns the elements of a comma-separated flag.
func splitList(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// readTraining reads the labeled file --in. If the file has an array named split, readTraining uses
// only the rows whose element of this array is 0, like monge fit. If m is not nil, readTraining
// finds the columns by the column names stored in the model m.
func readTraining(m *wda.Model) (*dataset.Dataset, error) {
	var how dataset.Missing
	if err := how.UnmarshalText([]byte(*missing)); err != nil {
		return nil, fmt.Errorf("--missing must be error, mean, median or drop, not %q", *missing)
	}
	opt := &dataset.Options{Labels: dataset.ParseLabels(*labelColumn), Columns: splitList(*columns), Drop: splitList(*drop), AllowExtra: *extra}
	if err := opt.MissingLabels.UnmarshalText([]byte(*noLabel)); err != nil {
		return nil, fmt.Errorf("--missing-labels must be error, drop or keep, not %q", *noLabel)
	}
	if m != nil {
		opt.Schema = m.Schema()
	}
	if opt.Schema == nil {
		opt.OneHot, opt.KeepMissing = splitList(*oneHot), how != dataset.MissingError
	}
	d, err := dataset.ReadFile(*in, opt)
	if err != nil {
		return nil, err
	}
	if d.Labels == nil {
		return nil, fmt.Errorf("%s: no labels; name their array or column with --label-column", *in)
	}
	if d.Split != nil && slices.ContainsFunc(d.Split, func(v int) bool { return v != 0 }) {
		if d, _, err = d.SplitBy(0); err != nil {
			return nil, fmt.Errorf("%s: %w", *in, err)
		}
	}
	if opt.KeepMissing {
		if err := d.Impute(how); err != nil {
			return nil, fmt.Errorf("%s: %w", *in, err)
		}
	}
	return d, nil
}

// runLibrary fits, scores or cross-validates on the workers of the runner.
func runLibrary(ctx context.Context) error {
	cluster := &mongebeam.Cluster{Runner: *runners.Runner, Folder: *folder, Lanes: *lanes}
	if *verbose {
		cluster.Progress = func(p mongebeam.Pipeline) { fmt.Fprintf(os.Stderr, "%+v\n", p) }
	}
	set := wda.Settings{Executor: cluster, Components: *components, Seed: *seed, Optimizer: wda.Optimizer{MaxSteps: *steps}}
	switch *do {
	case "score":
		return score(ctx, cluster)
	case "crossvalidate":
		d, err := readTraining(nil)
		if err != nil {
			return err
		}
		cv, err := wda.CrossValidate(ctx, d.X, d.Labels, &wda.CrossValidation{Fit: set})
		if err != nil {
			return fmt.Errorf("%s: %w", *in, err)
		}
		b := cv.Best
		fmt.Printf("p %d  λ %v  ρ %v  K %d: error %.4f ± %.4f\n", b.Components, b.Lambda, b.Shrinkage, b.Neighbors, b.Error, b.StdErr)
		return nil
	}
	return fit(ctx, &set)
}

// score evaluates the projection of a model on the file.
func score(ctx context.Context, cluster *mongebeam.Cluster) error {
	file, err := os.Open(*modelPath)
	if err != nil {
		return err
	}
	defer file.Close()
	m, _, err := wda.Load(file, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", *modelPath, err)
	}
	d, err := readTraining(m)
	if err != nil {
		return err
	}
	s, err := wda.Score(ctx, d.X, d.Labels, m.Projection(), &wda.Scoring{Executor: cluster})
	if err != nil {
		return fmt.Errorf("%s: %w", *in, err)
	}
	fmt.Printf("J %v  between %v  within %v  gradient %v\n", s.Objective, s.Between, s.Within, s.GradientNorm)
	return nil
}

// fit writes the same model file as monge fit for the same rows and settings.
func fit(ctx context.Context, set *wda.Settings) error {
	if *out == "" {
		return fmt.Errorf("--out is missing: the model file to write")
	}
	d, err := readTraining(nil)
	if err != nil {
		return err
	}
	if *neighbors < 0 || *neighbors > d.Len() {
		return fmt.Errorf("%s: --k must be between 0 and the %d training rows, not %d", *in, d.Len(), *neighbors)
	}
	m, err := wda.Fit(ctx, d.X, d.Labels, set)
	if err != nil {
		return fmt.Errorf("%s: %w", *in, err)
	}
	if m, err = m.WithClassNames(presentClasses(d)); err != nil {
		return fmt.Errorf("%s: %w", *in, err)
	}
	if m, err = m.WithSchema(d.Schema); err != nil {
		return fmt.Errorf("%s: %w", *in, err)
	}
	var result interface {
		encoding.BinaryMarshaler
		Hash() string
	} = m
	if *neighbors > 0 {
		if result, err = wda.NewClassifier(ctx, m, d.X, d.Labels, *neighbors); err != nil {
			return fmt.Errorf("%s: %w", *in, err)
		}
	}
	data, err := result.MarshalBinary()
	if err != nil {
		return err
	}
	err = outfile.WriteFile(*out, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	r := m.Report()
	fmt.Printf("%s: J %v %s, hash %s\n", *out, r.Objective, formatSteps(&r), result.Hash())
	return nil
}

// formatSteps returns the number of steps of a fit as text, or "in closed form" for a method without
// steps.
func formatSteps(r *wda.Report) string {
	switch r.Settings.Optimizer.Method.(type) {
	case wda.Principal, wda.Fisher:
		return "in closed form"
	}
	if r.Steps == 1 {
		return "after 1 step"
	}
	return fmt.Sprintf("after %d steps", r.Steps)
}

// presentClasses returns the names of the classes that have rows.
func presentClasses(d *dataset.Dataset) []string {
	var names []string
	for c, n := range d.Counts() {
		if n > 0 {
			names = append(names, d.Classes[c])
		}
	}
	return names
}
