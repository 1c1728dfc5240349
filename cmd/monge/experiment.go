package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gomonge/monge/internal/experiment"
	"github.com/spf13/cobra"
)

type experimentFlags struct {
	data     string
	out      string
	trials   int
	seed     uint64
	methods  []string
	workers  int
	small    bool
	fresh    bool
	anyBuild bool

	components []int
	limit      time.Duration
	cv         bool
}

func newExperiment(a *app) *cobra.Command {
	f := new(experimentFlags)
	cmd := &cobra.Command{
		Use:   "experiment NAME|list|all|suite FOLDER [flags]",
		Short: "Make the figures and tables of the WDA paper, or compare on data of your own",
		Long: `Experiment runs one of the experiments of the paper and leaves in the folder
OUT/NAME: NAME.csv, every value measured; pictures as PNG and SVG; NAME.html, a
report in one file with pictures, tables, settings, times, and the published numbers
beside ours; and NAME.journal. "list" lists the experiments and the files they need;
"all" runs all of them, leaving out what needs files that are not there.

An experiment consists of cells, such as one method on one draw of the data, which are
written to the journal as they are finished. An interrupted run (Ctrl-C, exit code
130) goes on where it was when it is started again; so does one with more --trials or
--methods. With other settings the command fails, unless --fresh forgets the cells;
with another build of the program, too, unless --any-build uses them all the same.
Errors do not depend on --workers; times do.

"suite FOLDER" compares WDA with PCA, FDA, LDA, LFDA, LMNN and NCA on every NPZ file of
the folder (arrays X and y, split if there is one: 0 to train, 1 to test; else three random
halves), by the error of 5 nearest neighbors in --components dimensions, with mean ranks and
what differs significantly. --cv adds settings chosen by cross-validation. A fit that takes
longer than --limit is left out and said to be. The sets named in the folder's file
standardize.txt, if there is one, are standardized.`,
		Example: `  monge experiment list
  monge experiment toy --out results
  monge experiment toy --trials 3 --methods pca,fda,wda
  monge experiment mnist --data data --out results
  monge experiment suite data --components 10 --methods pca,lda,wda`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 2 && args[0] == "suite" {
				return nil
			}
			if len(args) != 1 {
				return usagef("experiment needs one name; monge experiment list has them")
			}
			if args[0] == "suite" && f.data == "" {
				return usagef("experiment suite needs a folder")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch args[0] {
			case "list":
				return a.listExperiments()
			case "all":
				return a.runExperiments(cmd, f, experiment.All())
			}
			e, err := experiment.ByName(args[0])
			if err != nil {
				return usagef("%v", err)
			}
			if len(args) == 2 {
				f.data = args[1]
			}
			return a.runExperiments(cmd, f, []experiment.Experiment{e})
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.data, "data", "", "folder with the data files")
	fs.StringVar(&f.out, "out", "experiments", "folder of the results, made if it does not exist")
	fs.IntVar(&f.trials, "trials", 0, "repetitions (default those of the paper)")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of everything random")
	fs.StringSliceVar(&f.methods, "methods", nil, "methods to compare, separated by commas (default all)")
	fs.IntVar(&f.workers, "workers", 0, "cells computed at a time (default one per CPU)")
	fs.BoolVar(&f.small, "small", false, "tiny sizes, to see that it works")
	fs.BoolVar(&f.fresh, "fresh", false, "forget the cells of earlier runs")
	fs.BoolVar(&f.anyBuild, "any-build", false, "use cells that another build of the program has computed")
	fs.IntSliceVar(&f.components, "components", nil, "suite: numbers of dimensions, separated by commas (default 2,5,10,20)")
	fs.DurationVar(&f.limit, "limit", 0, "suite: longest time of a fit or a choice (default 5m)")
	fs.BoolVar(&f.cv, "cv", false, "suite: settings chosen by cross-validation, too")
	return cmd
}

type experimentEntry struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Paper   string   `json:"paper"`
	Trials  int      `json:"trials"`
	Data    []string `json:"data"`
	Methods []string `json:"methods"`
}

func (a *app) listExperiments() error {
	var all []experimentEntry
	for _, e := range experiment.All() {
		entry := experimentEntry{e.Name, e.Title, e.Paper, e.Trials, e.Data, e.Methods()}
		if entry.Data == nil {
			entry.Data = []string{}
		}
		if entry.Methods == nil {
			entry.Methods = []string{}
		}
		all = append(all, entry)
	}
	return a.report(all, func(w io.Writer) {
		for _, e := range all {
			data := "no data"
			if len(e.Data) > 0 {
				data = strings.Join(e.Data, " ")
			}
			fmt.Fprintf(w, "%s\t%s (%s)\n\tfiles: %s\n", e.Name, e.Title, e.Paper, data)
			if len(e.Methods) > 0 {
				fmt.Fprintf(w, "\tmethods: %s\n", strings.Join(e.Methods, ", "))
			}
		}
	})
}

type experimentResult struct {
	Name    string   `json:"name"`
	Folder  string   `json:"folder"`
	Files   []string `json:"files"`
	Summary []string `json:"summary"`
	Missing []string `json:"missing"`
	Failed  []string `json:"failed"`
	Cells   int      `json:"cells"`
	Reused  int      `json:"reused"`
	Seconds number   `json:"seconds"`
}

// runExperiments runs experiments one after the other. Of several, one without its data
// is left out with a warning; a single one is an error then.
func (a *app) runExperiments(cmd *cobra.Command, f *experimentFlags, list []experiment.Experiment) error {
	if err := checkRange("trials", f.trials, 0, 100000); err != nil {
		return err
	}
	if f.trials == 0 && cmd.Flags().Changed("trials") {
		return usagef("--trials must be at least 1")
	}
	if err := checkWorkers(f.workers); err != nil {
		return err
	}
	if f.out == "" {
		return usagef("--out must name a folder")
	}
	if f.data != "" {
		if info, err := os.Stat(f.data); err != nil {
			return fmt.Errorf("--data %s: %w", f.data, cause(err))
		} else if !info.IsDir() {
			return fmt.Errorf("--data %s: is not a folder", f.data)
		}
	}
	a.onInterrupt("interrupted; finished cells are in the journal, and the same command goes on from there")
	results := []experimentResult{}
	for _, e := range list {
		r, err := a.runExperiment(cmd, f, e)
		if missing, ok := errors.AsType[*experiment.DataError](err); ok {
			if missing.Folder == "" {
				err = fmt.Errorf("%w with --data", err)
			}
			if len(list) > 1 {
				a.complain("warning: " + err.Error())
				continue
			}
		}
		switch {
		case errors.Is(err, experiment.ErrMethod):
			return usagef("%v", err)
		case errors.Is(err, experiment.ErrOtherSettings):
			return fmt.Errorf("%w; --fresh forgets the old cells, --out keeps them", err)
		case errors.Is(err, experiment.ErrOtherBuild):
			return fmt.Errorf("%w; --any-build uses its cells, --fresh forgets them", err)
		case err != nil:
			return err
		}
		results = append(results, r)
	}
	var object any = results
	if len(list) == 1 {
		object = results[0]
	}
	return a.report(object, func(w io.Writer) {
		for i, r := range results {
			if i > 0 {
				fmt.Fprintln(w)
			}
			r.print(w)
		}
	})
}

func (r experimentResult) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d cells, %d of them from earlier runs, %.3g s\n", r.Name, r.Cells, r.Reused, float64(r.Seconds))
	for _, s := range r.Summary {
		fmt.Fprintf(w, "  %s\n", s)
	}
	for _, m := range r.Missing {
		fmt.Fprintf(w, "  left out: %s\n", m)
	}
	for i, s := range r.Failed {
		if i == 5 {
			fmt.Fprintf(w, "  and %d more failed cells\n", len(r.Failed)-i)
			break
		}
		fmt.Fprintf(w, "  failed: %s\n", s)
	}
	fmt.Fprintf(w, "  in %s: %s\n", r.Folder, strings.Join(r.Files, " "))
}

func (a *app) runExperiment(cmd *cobra.Command, f *experimentFlags, e experiment.Experiment) (experimentResult, error) {
	var b *bar
	defer func() {
		if b != nil {
			b.done()
		}
	}()
	r, err := experiment.Run(cmd.Context(), e, experiment.Settings{
		Data: f.data, Out: f.out, Trials: f.trials, Methods: f.methods, Seed: f.seed, Workers: f.workers,
		Components: f.components, Limit: f.limit, Tuned: f.cv, Small: f.small, Fresh: f.fresh, AnyBuild: f.anyBuild, Build: build(),
		Progress: func(done, total int, what string) {
			if b == nil {
				b = a.bar(e.Name, total)
			}
			if what != "" {
				what = e.Name + ": " + what
			}
			b.set(done, what)
		},
	})
	if err != nil {
		return experimentResult{}, err
	}
	out := experimentResult{
		Name: r.Name, Folder: r.Folder, Files: r.Files, Summary: r.Summary, Missing: []string{}, Failed: r.Failed,
		Cells: r.Cells, Reused: r.Reused, Seconds: number(r.Elapsed.Seconds()),
	}
	for _, m := range r.Missing {
		out.Missing = append(out.Missing, fmt.Sprintf("%s (%s)", m.File, m.Source))
	}
	if out.Failed == nil {
		out.Failed = []string{}
	}
	if out.Summary == nil {
		out.Summary = []string{}
	}
	return out, nil
}

// build names this program for reports and journals. The version has the revision in
// it, and whether the checkout was modified, if the Go command could tell.
func build() string {
	v := version()
	return fmt.Sprintf("monge %s %s", v.Version, v.Go)
}
