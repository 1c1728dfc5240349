// Command experiment makes the figures and tables of the paper on Wasserstein Discriminant
// Analysis (arXiv:1608.08063), and compares methods on data of your own.
//
//	cd experiments
//	go run ./cmd/experiment list
//	go run ./cmd/experiment toy --out results
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/gomonge/monge/experiments"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // 128 + SIGINT, the convention of shells
)

// grace is the time that a run has to stop after a signal. Experiment cells that are still running
// after this time are abandoned, and unfinished files are removed.
const grace = 20 * time.Millisecond

const usage = `Experiment makes the figures and tables of the WDA paper, or compares methods on
your own data.

Usage:
  experiment list                  list the experiments and the files they need
  experiment NAME [flags]          run one experiment
  experiment all [flags]           run all experiments whose files are there
  experiment suite FOLDER [flags]  compare methods on every NPZ file of a folder

Examples:
  experiment toy --out results
  experiment toy --trials 3 --methods pca,fda,wda
  experiment mnist --data data --out results
  experiment suite data --components 10 --methods pca,lda,wda

Flags:
%s
Results are written to the folder OUT/NAME:
  NAME.csv      every measured value
  *.png, *.svg  the pictures
  NAME.html     a report in one file: pictures, tables, settings, times, and the
                published numbers beside ours
  NAME.journal  the finished cells

An experiment consists of cells, such as one method on one draw of the data. Each
finished cell is added to the journal. If a run is interrupted (Ctrl-C, exit code 130),
the same command continues it. A run with more --trials or --methods continues, too.
With other settings the command fails, unless --fresh discards the cells. With another
build of the program it fails, unless --any-build uses the cells. The measured errors do
not depend on --workers; the measured times do.

The suite compares WDA with PCA, FDA, LDA, LFDA, LMNN and NCA by the error of 5 nearest
neighbors in --components dimensions. It reports mean ranks and significant differences.
An NPZ file has the arrays X and y. An array split marks training rows (0) and test rows
(1); without it, three random halves are used. --cv adds settings that cross-validation
chooses. A fit that takes longer than --limit is left out and reported. Data sets that
the folder's file standardize.txt names are standardized.

Exit codes: 0 success; 1 an error of data, files or computation; 2 a wrong command line;
130 interrupted.
`

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &command{stdout: os.Stdout, stderr: os.Stderr}
	ended := make(chan int, 1)
	go func() { ended <- c.run(ctx, os.Args[1:]) }()
	select {
	case code := <-ended:
		os.Exit(code)
	case <-signals: // a second signal changes nothing
	}
	cancel()
	select {
	case code := <-ended:
		os.Exit(code)
	case <-time.After(grace):
		outfile.AbortAll()
		os.Exit(c.interrupt())
	}
}

// command is one run of the program: its streams and its flags.
type command struct {
	stdout, stderr io.Writer
	said           sync.Once

	json     bool
	settings experiments.Settings
}

// usageError reports an invalid command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// run executes a command line and returns the exit code.
func (c *command) run(ctx context.Context, args []string) int {
	err := c.execute(ctx, args)
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		return c.interrupt()
	}
	c.complain(err.Error())
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	return exitFailure
}

// complain prints a line on stderr.
func (c *command) complain(text string) {
	fmt.Fprintln(c.stderr, "experiment: "+strings.TrimPrefix(strings.Join(strings.Fields(text), " "), "experiment: "))
}

// interrupt returns the exit code of an interrupted run. The first call also prints a message.
func (c *command) interrupt() int {
	c.said.Do(func() {
		c.complain("interrupted; finished cells are in the journal, and the same command continues from there")
	})
	return exitInterrupted
}

// flags returns the set of command-line flags. The method check validates the flag values.
func (c *command) flags() *pflag.FlagSet {
	s := &c.settings
	fs := pflag.NewFlagSet("experiment", pflag.ContinueOnError)
	fs.SortFlags = false
	fs.SetOutput(io.Discard)
	fs.StringVar(&s.Data, "data", "", "folder with the data files")
	fs.StringVar(&s.Out, "out", "results", "folder of the results; it is made if it does not exist")
	fs.IntVar(&s.Trials, "trials", 0, "number of repetitions (default: as in the paper)")
	fs.StringSliceVar(&s.Methods, "methods", nil, "methods to compare, separated by commas (default: all)")
	fs.Uint64Var(&s.Seed, "seed", 1, "seed of all random numbers")
	fs.IntVar(&s.Workers, "workers", 0, "number of cells computed at a time (default: one per CPU)")
	fs.BoolVar(&s.Small, "small", false, "tiny sizes, to see that it works")
	fs.BoolVar(&s.Fresh, "fresh", false, "discard the cells of earlier runs")
	fs.BoolVar(&s.AnyBuild, "any-build", false, "use cells that another build of the program has computed")
	fs.IntSliceVar(&s.Components, "components", nil, "suite: numbers of dimensions, separated by commas (default: 2,5,10,20)")
	fs.DurationVar(&s.Limit, "limit", 0, "suite: longest time of a fit or a choice (default: 5m)")
	fs.BoolVar(&s.Tuned, "cv", false, "suite: also compare settings chosen by cross-validation")
	fs.BoolVar(&c.json, "json", false, "print one JSON object on standard output, and no progress bar")
	return fs
}

func (c *command) execute(ctx context.Context, args []string) error {
	fs := c.flags()
	if err := fs.Parse(args); errors.Is(err, pflag.ErrHelp) || err == nil && fs.NArg() == 1 && fs.Arg(0) == "help" {
		_, err := fmt.Fprintf(c.stdout, usage, fs.FlagUsages())
		return err
	} else if err != nil {
		return usagef("%v; see experiment help", err)
	}
	if err := asm.CapError(); err != nil {
		return usagef("%v", err)
	}
	c.settings.Build = buildVersion()
	names := fs.Args()
	switch {
	case len(names) == 2 && names[0] == "suite":
		c.settings.Data = names[1]
	case len(names) != 1:
		return usagef("exactly one experiment must be named; experiment list shows the names")
	case names[0] == "suite" && c.settings.Data == "":
		return usagef("experiment suite needs a folder")
	}
	switch names[0] {
	case "list":
		return c.list()
	case "all":
		return c.runAll(ctx, fs, experiments.All())
	}
	e, err := experiments.ByName(names[0])
	if err != nil {
		return usagef("%v", err)
	}
	return c.runAll(ctx, fs, []experiments.Experiment{e})
}

func (c *command) check(fs *pflag.FlagSet) error {
	s := &c.settings
	switch {
	case s.Trials < 0 || s.Trials > 100000 || s.Trials == 0 && fs.Changed("trials"):
		return usagef("--trials must be between 1 and 100000, not %d", s.Trials)
	case s.Workers < 0 || s.Workers > 1024:
		return usagef("--workers must be between 0 and 1024, not %d", s.Workers)
	case s.Out == "":
		return usagef("--out must name a folder")
	case s.Data == "":
		return nil
	}
	if info, err := os.Stat(s.Data); err != nil {
		if pe, ok := errors.AsType[*iofs.PathError](err); ok {
			err = pe.Err
		}
		return fmt.Errorf("--data %s: %w", s.Data, err)
	} else if !info.IsDir() {
		return fmt.Errorf("--data %s: is not a folder", s.Data)
	}
	return nil
}

// entry describes an experiment in the list.
type entry struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Paper   string   `json:"paper"`
	Trials  int      `json:"trials"`
	Data    []string `json:"data"`
	Methods []string `json:"methods"`
}

func (c *command) list() error {
	var all []entry
	for _, e := range experiments.All() {
		all = append(all, entry{e.Name, e.Title, e.Paper, e.Trials, append([]string{}, e.Data...), append([]string{}, e.Methods()...)})
	}
	return c.print(all, func(w io.Writer) {
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

// print writes its first argument as JSON if the flag --json is set. Otherwise it calls the
// function text.
func (c *command) print(object any, text func(w io.Writer)) error {
	var err error
	if c.json {
		enc := json.NewEncoder(c.stdout)
		enc.SetEscapeHTML(false)
		err = enc.Encode(object)
	} else {
		w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
		text(w)
		err = w.Flush()
	}
	if err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// result is the data printed about a run.
type result struct {
	Name    string   `json:"name"`
	Folder  string   `json:"folder"`
	Files   []string `json:"files"`
	Summary []string `json:"summary"`
	Missing []string `json:"missing"`
	Failed  []string `json:"failed"`
	Cells   int      `json:"cells"`
	Reused  int      `json:"reused"`
	Seconds float64  `json:"seconds"`
}

// runAll runs experiments one after the other. If there are several experiments, it skips every
// experiment without data and prints a warning. If there is only one experiment, missing data are
// an error.
func (c *command) runAll(ctx context.Context, fs *pflag.FlagSet, list []experiments.Experiment) error {
	if err := c.check(fs); err != nil {
		return err
	}
	results := []result{}
	for _, e := range list {
		r, err := c.runOne(ctx, e)
		if missing, ok := errors.AsType[*experiments.DataError](err); ok {
			if missing.Folder == "" {
				err = fmt.Errorf("%w with --data", err)
			}
			if len(list) > 1 {
				c.complain("warning: " + err.Error())
				continue
			}
		}
		switch {
		case errors.Is(err, experiments.ErrMethod):
			return usagef("%v", err)
		case errors.Is(err, experiments.ErrOtherSettings):
			return fmt.Errorf("%w; discard the old cells with --fresh, or keep them and choose another --out", err)
		case errors.Is(err, experiments.ErrOtherBuild):
			return fmt.Errorf("%w; use its cells with --any-build, or discard them with --fresh", err)
		case err != nil:
			return err
		}
		results = append(results, r)
	}
	var object any = results
	if len(list) == 1 {
		object = results[0]
	}
	return c.print(object, func(w io.Writer) {
		for i, r := range results {
			if i > 0 {
				fmt.Fprintln(w)
			}
			r.print(w)
		}
	})
}

func (r result) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d cells, %d of them from earlier runs, %.3g s\n", r.Name, r.Cells, r.Reused, r.Seconds)
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

func (c *command) runOne(ctx context.Context, e experiments.Experiment) (result, error) {
	var bar *progressbar.ProgressBar
	defer func() {
		if bar != nil {
			_ = bar.Clear()
		}
	}()
	s := c.settings
	s.Progress = func(done, total int, what string) {
		if bar == nil {
			bar = c.newProgressBar(e.Name, total)
		}
		if what != "" {
			bar.Describe(e.Name + ": " + what)
		}
		_ = bar.Set(done) // continue even if the bar cannot be drawn
	}
	if !c.showsProgress() {
		s.Progress = nil
	}
	r, err := experiments.Run(ctx, e, s)
	if err != nil {
		return result{}, err
	}
	out := result{
		Name: r.Name, Folder: r.Folder, Files: r.Files, Summary: append([]string{}, r.Summary...), Missing: []string{},
		Failed: append([]string{}, r.Failed...), Cells: r.Cells, Reused: r.Reused, Seconds: r.Elapsed.Seconds(),
	}
	for _, m := range r.Missing {
		out.Missing = append(out.Missing, fmt.Sprintf("%s (%s)", m.File, m.Source))
	}
	return out, nil
}

// showsProgress reports whether standard error is a terminal and the flag --json is not set.
func (c *command) showsProgress() bool {
	f, ok := c.stderr.(*os.File)
	return ok && !c.json && term.IsTerminal(int(f.Fd()))
}

func (c *command) newProgressBar(what string, total int) *progressbar.ProgressBar {
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(c.stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(50*time.Millisecond),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish(),
	)
}

// buildVersion returns the name and version of this program for reports and journals. The version
// contains the revision and whether the checkout was modified, if the Go command recorded them.
func buildVersion() string {
	version := "(devel)"
	if b, ok := debug.ReadBuildInfo(); ok {
		version = cmp.Or(b.Main.Version, version)
	}
	return fmt.Sprintf("experiment %s %s", version, runtime.Version())
}
