// Command monge-beam runs the work of monge on Apache Beam:
//
//	monge-beam --do transform  --model m.wda --in 'rows-*.parquet' --out projected.parquet
//	monge-beam --do classify   --model m.wda --in rows.csv --key 0 --out classes.csv
//	monge-beam --do fit        --in digits.npz --components 10 --folder /shared --out m.wda
//	monge-beam --do score      --in digits.npz --model m.wda --folder /shared
//	monge-beam --do crossvalidate --in digits.npz --folder /shared
//
// Beam's own flags choose where the work is done. The default, --runner prism, is this process. --runner
// prism-processes starts a process on this machine for each of the --lanes. --runner flink --endpoint
// HOST:8099 and --runner dataflow --project … --region … --staging_location … are clusters.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
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
	do         = flag.String("do", "", "transform, classify, fit, score or crossvalidate")
	in         = flag.String("in", "", "input: a pattern of files, which workers read (transform, classify), or a file with labels, which this process reads")
	out        = flag.String("out", "", "output: .parquet or .csv (transform, classify), a model file (fit)")
	modelPath  = flag.String("model", "", "model file, which workers must be able to read")
	key        = flag.String("key", "", "column with the keys of the rows: a name or, in CSV, an index from 0 (default: file and number of the row)")
	columns    = flag.String("columns", "", "columns of features in Parquet and Arrow files, separated by commas")
	shards     = flag.Int("shards", 4, "number of output files")
	lanes      = flag.Int("lanes", 0, "branches of a pipeline among which work is divided (default: one for each core with prism and prism-processes, 1 with others)")
	folder     = flag.String("folder", "", "folder that this process and all workers can read and write, for fit, score and crossvalidate")
	components = flag.Int("components", 0, "number of components (default: chosen by the library)")
	steps      = flag.Int("steps", 0, "largest number of steps of a fit (default: chosen by the library)")
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
	if err := tidily(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "monge-beam:", err)
		os.Exit(1)
	}
}

// tidily does run with a temporary folder of its own, in the one there is: for every pipeline
// of a loopback Beam leaves an empty file beamloopbackworker-… there.
func tidily(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "monge-beam-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"TMPDIR", "TMP"} { // TMP on Windows
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
		return apply(ctx)
	case "fit", "score", "crossvalidate":
		return away(ctx)
	}
	return fmt.Errorf("--do must be transform, classify, fit, score or crossvalidate, not %q", *do)
}

// apply reads, applies the model and writes.
func apply(ctx context.Context) error {
	if !strings.HasSuffix(*out, ".csv") && !strings.HasSuffix(*out, ".parquet") || *shards < 1 {
		return fmt.Errorf("--out must end in .csv or .parquet, not %q, and --shards must be positive, not %d", *out, *shards)
	}
	model, err := mongebeam.OpenModel(ctx, *modelPath)
	if err != nil {
		return err
	}
	c := mongebeam.Columns{Key: *key}
	if *columns != "" {
		c.Features = strings.Split(*columns, ",")
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

// away calls the library with the workers of the runner.
func away(ctx context.Context) error {
	d, err := dataset.ReadFile(*in, nil)
	if err != nil {
		return err
	}
	cluster := &mongebeam.Cluster{Runner: *runners.Runner, Folder: *folder, Lanes: *lanes}
	if *verbose {
		cluster.Progress = func(p mongebeam.Pipeline) { fmt.Fprintf(os.Stderr, "%+v\n", p) }
	}
	set := wda.Settings{Executor: cluster, Components: *components, Optimizer: wda.Optimizer{MaxSteps: *steps}}
	switch *do {
	case "score":
		file, err := os.Open(*modelPath)
		if err != nil {
			return err
		}
		defer file.Close()
		m, _, err := wda.Load(file)
		if err != nil {
			return fmt.Errorf("%s: %w", *modelPath, err)
		}
		s, err := wda.Score(ctx, d.X, d.Labels, m.Projection(), &wda.Scoring{Executor: cluster})
		if err != nil {
			return err
		}
		fmt.Printf("J %v  between %v  within %v  gradient %v\n", s.Objective, s.Between, s.Within, s.GradientNorm)
	case "crossvalidate":
		cv, err := wda.CrossValidate(ctx, d.X, d.Labels, &wda.CrossValidation{Fit: set})
		if err != nil {
			return err
		}
		b := cv.Best
		fmt.Printf("p %d  λ %v  ρ %v  K %d: error %.4f ± %.4f\n", b.Components, b.Lambda, b.Shrinkage, b.Neighbors, b.Error, b.StdErr)
	case "fit":
		m, err := wda.Fit(ctx, d.X, d.Labels, &set)
		if err != nil {
			return err
		}
		if m, err = m.WithClassNames(d.Classes); err != nil {
			return err
		}
		c, err := wda.NewClassifier(m, d.X, d.Labels, 0)
		if err != nil {
			return err
		}
		data, err := c.MarshalBinary()
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
		fmt.Printf("%s: J %v after %d steps, hash %s\n", *out, r.Objective, r.Steps, m.Hash())
	}
	return nil
}
