package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Experiment reproduces one figure or table of the paper, or several related figures and tables.
type Experiment struct {
	Name  string
	Title string
	// Paper lists the figures, tables and section of the paper that the experiment reproduces.
	Paper string
	// Data lists the files in the folder Settings.Data that the experiment reads. It is empty if
	// the data are simulated.
	Data []string
	// Trials is the number of repetitions in the paper.
	Trials int
	// Revision increases when the computation of the cells changes. Cells of a different revision
	// in a journal are not used.
	Revision int

	// methods returns the methods that Settings.Methods can select. The field is nil if the
	// experiment has no methods to choose from.
	methods func() []method
	// find, if not nil, returns the data files in a folder. The result of find replaces Data.
	find func(folder string) ([]string, error)
	run  func(context.Context, *job) error
}

// All returns every experiment, in the order of the paper.
func All() []Experiment {
	return []Experiment{
		weightsExperiment,
		plansExperiment,
		toyExperiment,
		toyLambdaExperiment,
		mnistExperiment,
		caltechExperiment,
		timingExperiment,
		uciExperiment,
	}
}

// ByName returns the experiment with the given name.
func ByName(name string) (Experiment, error) {
	var names []string
	for _, e := range append(All(), suiteExperiment) {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Experiment{}, fmt.Errorf("%w %q: there are %s", ErrUnknown, name, strings.Join(names, ", "))
}

// Methods returns the names that Settings.Methods may contain. It returns nil if the experiment has
// no methods to choose from.
func (e Experiment) Methods() []string {
	if e.methods == nil {
		return nil
	}
	var names []string
	for _, m := range e.methods() {
		names = append(names, m.name)
	}
	return names
}

// Settings configures a run. The zero value runs the paper's protocol and writes the results to the
// working folder.
type Settings struct {
	// Data is the folder with the data files; "" means that there are no data files.
	Data string
	// Out is the folder of the results. Each experiment creates and uses a subfolder with its own
	// name. Default: the working folder.
	Out string
	// Trials is the number of repetitions. The default is the number in the paper. A later run with
	// more trials continues an earlier run.
	Trials int
	// Methods are the names of the methods to run, in upper or lower case. By default all methods
	// run, except the slow methods of some experiments. A later run with more methods continues an
	// earlier run.
	Methods []string
	// Seed is the seed of all random numbers.
	Seed uint64
	// Workers is the number of cells computed at a time. Default GOMAXPROCS. Only measured times
	// depend on the number of workers.
	Workers int
	// Components, Limit and Tuned apply only to the suite. Components are the numbers p of
	// components to compare, by default 2, 5, 10 and 20. Limit is the maximum time of a cell, by
	// default five minutes. If Tuned is true, the suite also compares methods whose settings are
	// chosen by cross-validation.
	Components []int
	Limit      time.Duration
	Tuned      bool
	// Small reduces the experiment to a tiny size, for tests.
	Small bool
	// Fresh discards the cells of earlier runs in the same folder.
	Fresh bool
	// AnyBuild also accepts journal cells that were computed by a different build of the program.
	// The report lists the builds.
	AnyBuild bool
	// Build names the program, its version and revision, for the report and the journal.
	Build string
	// Progress, if not nil, is called before the first cell and after every cell, by one goroutine
	// at a time.
	Progress func(done, total int, what string)
}

// Errors of Run and ByName. Other errors are a *DataError, a *JournalError, or an error of the
// operating system.
var (
	ErrUnknown  = errors.New("experiment: no such experiment")
	ErrMethod   = errors.New("experiment: no such method")
	ErrSettings = errors.New("experiment: bad settings")
	// ErrFailed means that no cell could be computed.
	ErrFailed = errors.New("experiment: every cell has failed")
)

// Report describes the results of a run.
type Report struct {
	Name  string
	Title string
	// Folder contains the files named in Files.
	Folder string
	Files  []string
	// Summary contains the main findings, one sentence each.
	Summary []string
	// Missing lists data files that do not exist. The report omits all parts that need these files.
	Missing []DataError
	// Failed lists cells that ended with an error, for example "method=LSDR trial=3: …".
	Failed []string
	// Cells is the total number of cells. Reused is the number of cells that earlier runs computed.
	Cells, Reused int
	Elapsed       time.Duration
}

// Run runs an experiment and writes its files into the folder Settings.Out/Name:
// NAME.csv with every measured value, the pictures NAME-FIGURE.png and .svg, the report NAME.html, and
// NAME.journal with the cells computed so far. Only one run at a time may use a folder.
//
// When the context ends, Run returns the context's error within about a second. The next run with
// the same settings uses the cells in the journal. If the folder has a journal of a run with
// different settings, Run returns a *JournalError, unless Settings.Fresh is set. If all files that
// the experiment needs are missing, Run returns a *DataError.
func Run(ctx context.Context, e Experiment, s Settings) (*Report, error) {
	start := time.Now()
	j, err := newJob(e, s)
	if err != nil {
		return nil, err
	}
	defer j.close()
	if err := e.run(ctx, j); err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j.report.Elapsed = time.Since(start)
	if err := j.writeReport(); err != nil {
		return nil, err
	}
	return &j.report, nil
}

// newJob checks the settings and makes the folder.
func newJob(e Experiment, s Settings) (*job, error) {
	if s.Trials < 0 || s.Workers < 0 || s.Limit < 0 || slices.ContainsFunc(s.Components, func(p int) bool { return p < 1 }) {
		return nil, fmt.Errorf("%w: %d trials, %d workers, components %v, limit %v", ErrSettings, s.Trials, s.Workers, s.Components, s.Limit)
	}
	if s.Trials == 0 {
		s.Trials = e.Trials
		if s.Small {
			s.Trials = min(2, e.Trials)
		}
	}
	if s.Workers == 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	if s.Out == "" {
		s.Out = "."
	}
	j := &job{Settings: s, experiment: e, folder: filepath.Join(s.Out, e.Name)}
	j.report.Name, j.report.Title, j.report.Folder = e.Name, e.Title, j.folder
	if err := j.chooseMethods(); err != nil {
		return nil, err
	}
	if e.find != nil {
		var err error
		if j.experiment.Data, err = e.find(s.Data); err != nil {
			return nil, err
		}
	}
	if err := j.findData(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(j.folder, 0o777); err != nil {
		return nil, err
	}
	return j, nil
}

// chooseMethods selects the methods named in Settings.Methods, in the order of the experiment.
func (j *job) chooseMethods() error {
	if j.experiment.methods == nil {
		if len(j.Methods) > 0 {
			return fmt.Errorf("%w: %s has no choice of methods", ErrMethod, j.experiment.Name)
		}
		return nil
	}
	all := j.experiment.methods()
	if len(j.Methods) == 0 {
		for _, m := range all {
			if !m.slow {
				j.methods = append(j.methods, m)
			}
		}
		return nil
	}
	wanted := map[string]bool{}
	for _, name := range j.Methods {
		if !slices.ContainsFunc(all, func(m method) bool { return strings.EqualFold(m.name, name) }) {
			return fmt.Errorf("%w %q: %s has %s", ErrMethod, name, j.experiment.Name, strings.Join(j.experiment.Methods(), ", "))
		}
		wanted[strings.ToLower(name)] = true
	}
	for _, m := range all {
		if wanted[strings.ToLower(m.name)] {
			j.methods = append(j.methods, m)
		}
	}
	return nil
}
