package experiments

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// job is one run of an experiment.
type job struct {
	Settings
	experiment Experiment
	methods    []method
	folder     string
	report     Report
	page       page
	journal    *journal
	files      dataFiles
}

// grid describes the cells of an experiment.
type grid struct {
	// columns lists the names of the coordinates of a cell, such as "method" and "trial". The field
	// within lists the names of the coordinates of a value in a cell, such as "k".
	columns, within []string
	// settings contains everything that affects the values of all cells, except the data and the
	// seed. The report prints these settings.
	settings []setting
	// If alone is true, the cells run one after the other, for measurements of time.
	alone bool
}

// setting is a name and its value as text, for the report and for comparing runs.
type setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func newSetting(name string, value any) setting { return setting{name, formatValue(value)} }

// formatValue formats a coordinate or a setting. Numbers have as few digits as possible.
func formatValue(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []float64:
		var s []string
		for _, x := range v {
			s = append(s, formatValue(x))
		}
		return strings.Join(s, ", ")
	case []int:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ", "), "[]")
	}
	return fmt.Sprint(v)
}

// cell is a unit of work. It is computed once and stored in the journal.
type cell struct {
	at []string // values of the columns in grid.columns
	// settings is a text with the settings of this cell only, such as the settings of its method. A
	// cell of the journal is reused only if its settings are the same.
	settings string
	compute  func(context.Context) (*output, error)
}

// newCell returns a cell at the given coordinates.
func newCell(compute func(context.Context) (*output, error), with string, at ...any) cell {
	c := cell{settings: with, compute: compute}
	for _, v := range at {
		c.at = append(c.at, formatValue(v))
	}
	return c
}

// output is the result of a cell: values for the CSV file, and arrays for pictures.
type output struct {
	Values []value          `json:"values,omitempty"`
	Arrays map[string]array `json:"arrays,omitempty"`
}

type value struct {
	Measure string   `json:"m"`
	At      []string `json:"at,omitempty"` // values of the columns in grid.within
	Value   float64  `json:"v"`
}

// array is a matrix in the journal.
type array struct {
	Rows int       `json:"rows"`
	Cols int       `json:"cols"`
	Data []float64 `json:"data"`
}

// addValue adds one measured value. The coordinates of the value correspond to the names in
// grid.within.
func (o *output) addValue(measure string, v float64, at ...any) {
	m := value{Measure: measure, Value: v}
	for _, a := range at {
		m.At = append(m.At, formatValue(a))
	}
	o.Values = append(o.Values, m)
}

// keepArray adds the matrix m under the given name.
func (o *output) keepArray(name string, m mat.Matrix) {
	d := mat.DenseCopyOf(m)
	r := d.RawMatrix()
	if o.Arrays == nil {
		o.Arrays = map[string]array{}
	}
	o.Arrays[name] = array{r.Rows, r.Cols, r.Data}
}

// checkFinite returns an error for values that JSON cannot represent.
func (o *output) checkFinite() error {
	for _, v := range o.Values {
		if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
			return fmt.Errorf("%s %v is %v", v.Measure, v.At, v.Value)
		}
	}
	for name, a := range o.Arrays {
		for _, v := range a.Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%s has an element %v", name, v)
			}
		}
	}
	return nil
}

// done is the result of one cell, such as one method in one trial (see grid).
type done struct {
	At      []string `json:"cell"`
	With    string   `json:"with,omitempty"`
	Seconds float64  `json:"seconds"`
	Failed  string   `json:"failed,omitempty"`
	output
}

func (d *done) key() string { return strings.Join(d.At, "\x00") + "\x01" + d.With }

// results holds all cells of a run, in the order in which compute received the cells.
type results struct {
	grid
	cells []*done
}

// compute returns the results of all cells and writes NAME.csv. Cells in the journal are not
// computed again. All other cells are computed, Settings.Workers cells at a time. A cell that fails
// is omitted and reported. The error is ErrFailed if all cells fail, or the context's error.
func (j *job) compute(ctx context.Context, g grid, cells []cell) (*results, error) {
	if err := j.open(g); err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("%w: nothing to compute", ErrSettings)
	}
	r := &results{g, make([]*done, len(cells))}
	var todo []int
	seen := map[string]bool{}
	for i, c := range cells {
		d := &done{At: c.at, With: c.settings}
		if len(c.at) != len(g.columns) || seen[d.key()] {
			panic("experiment: cells with wrong or equal coordinates")
		}
		seen[d.key()] = true
		if old, ok := j.journal.cells[d.key()]; ok {
			r.cells[i] = old
			continue
		}
		todo = append(todo, i)
	}
	j.report.Cells, j.report.Reused = len(cells), len(cells)-len(todo)
	if err := j.computeCells(ctx, cells, todo, r); err != nil {
		return nil, err
	}
	for i, d := range r.cells {
		if d.Failed != "" {
			j.report.Failed = append(j.report.Failed, formatPlace(g.columns, cells[i].at)+": "+d.Failed)
		}
	}
	if len(j.report.Failed) == len(cells) {
		return nil, fmt.Errorf("%w; the first: %s", ErrFailed, j.report.Failed[0])
	}
	j.page.settings, j.page.times = g.settings, r.groupTimes()
	return r, j.write(j.experiment.Name+".csv", r.writeCSV)
}

// computeCells computes cells[i] for every i in todo.
func (j *job) computeCells(ctx context.Context, cells []cell, todo []int, r *results) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := j.Workers
	if r.alone {
		workers = 1
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		next int
		over = len(cells) - len(todo)
	)
	progress := func(what string) {
		if j.Progress != nil {
			j.Progress(over, len(cells), what)
		}
	}
	progress("")
	for range min(workers, len(todo)) {
		wg.Go(func() {
			for {
				mu.Lock()
				at := next
				next++
				if at >= len(todo) || ctx.Err() != nil {
					mu.Unlock()
					return
				}
				i := todo[at]
				what := formatPlace(r.columns, cells[i].at)
				progress(what)
				mu.Unlock()

				d, err := run(ctx, cells[i])
				mu.Lock()
				if err == nil {
					err = j.journal.append(d)
				}
				if err != nil {
					cancel(err)
				} else {
					r.cells[i] = d
					over++
					progress(what)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// patience is the time limit for a cell to return after the context has ended. The function run
// abandons a cell that takes longer, for example in an evaluation of CEML's entropy.
const patience = time.Second

// run computes one cell. The only error that it returns is the error of the context. An error of
// the cell itself is recorded in the result.
func run(ctx context.Context, c cell) (*done, error) {
	d := &done{At: c.at, With: c.settings}
	var err error
	finished := make(chan struct{})
	start := time.Now()
	go func() {
		defer close(finished)
		var o *output
		if o, err = c.compute(ctx); err == nil {
			d.output = *o
			err = o.checkFinite()
		}
		d.Seconds = time.Since(start).Seconds()
	}()
	select {
	case <-finished:
	case <-ctx.Done():
		select {
		case <-finished:
		case <-time.After(patience):
			return nil, ctx.Err()
		}
	}
	if ctx.Err() != nil && err != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		d.output, d.Failed = output{}, err.Error()
	}
	return d, nil
}

// formatPlace formats coordinates, for example as "method=LSDR trial=3".
func formatPlace(columns, at []string) string {
	var s []string
	for i, c := range columns {
		s = append(s, c+"="+at[i])
	}
	return strings.Join(s, " ")
}

// selector selects values by their coordinates. The keys are names of columns. Columns that are not
// named may have any value.
type selector map[string]any

// values returns the values of the given measure that w selects, in the order of the cells.
func (r *results) values(measure string, w selector) []float64 {
	var all []float64
	for _, c := range r.match(w) {
		for _, v := range c.Values {
			if v.Measure == measure && matchesSelector(r.within, v.At, w) {
				all = append(all, v.Value)
			}
		}
	}
	return all
}

// match returns the cells (single results) that w selects, except cells that have failed.
func (r *results) match(w selector) []*done {
	for name := range w {
		if !slices.Contains(r.columns, name) && !slices.Contains(r.within, name) {
			panic("experiment: no column " + name)
		}
	}
	var all []*done
	for _, c := range r.cells {
		if c.Failed == "" && matchesSelector(r.columns, c.At, w) {
			all = append(all, c)
		}
	}
	return all
}

func matchesSelector(columns, at []string, w selector) bool {
	for i, c := range columns {
		if v, ok := w[c]; ok && (i >= len(at) || at[i] != formatValue(v)) {
			return false
		}
	}
	return true
}

// array returns the named array of the first cell that w selects, or nil.
func (r *results) array(name string, w selector) *mat.Dense {
	for _, c := range r.match(w) {
		if a, ok := c.Arrays[name]; ok {
			return mat.NewDense(a.Rows, a.Cols, a.Data)
		}
	}
	return nil
}

func (r *results) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := slices.Concat(r.columns, r.within, []string{"measure", "value"})
	if err := out.Write(head); err != nil {
		return err
	}
	for _, c := range r.cells {
		for _, v := range c.Values {
			at := slices.Concat(c.At, v.At, make([]string, len(r.within)-len(v.At)))
			if err := out.Write(append(at, v.Measure, formatValue(v.Value))); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (j *job) write(name string, content func(io.Writer) error) error {
	if err := outfile.WriteFile(filepath.Join(j.folder, name), content); err != nil {
		return err
	}
	if !slices.Contains(j.report.Files, name) {
		j.report.Files = append(j.report.Files, name)
	}
	return nil
}

// seed returns the seed for a purpose of this run, for example seed("train", trial).
func (j *job) seed(purpose ...any) uint64 {
	// FNV-1a is enough, because package dataset mixes the seeds further.
	h := uint64(14695981039346656037)
	for _, p := range append([]any{j.Seed}, purpose...) {
		for _, b := range []byte(formatValue(p) + "/") {
			h = (h ^ uint64(b)) * 1099511628211
		}
	}
	return h
}

func (j *job) close() {
	if j.journal != nil {
		j.journal.close()
	}
}

// dataFiles contains the data files. A file is read when it is first needed.
type dataFiles struct {
	mu  sync.Mutex
	all map[string]*dataset.Dataset
}

// data returns the contents of a data file. It reads the file on first use. The caller must not
// modify the result.
func (j *job) data(file string) (*dataset.Dataset, error) {
	j.files.mu.Lock()
	defer j.files.mu.Unlock()
	if d, ok := j.files.all[file]; ok {
		return d, nil
	}
	d, err := dataset.ReadFile(filepath.Join(j.Data, file), nil)
	if err != nil {
		return nil, err
	}
	if d.Labels == nil {
		return nil, &dataset.FileError{Path: filepath.Join(j.Data, file), Err: wda.ErrLabels}
	}
	if j.files.all == nil {
		j.files.all = map[string]*dataset.Dataset{}
	}
	j.files.all[file] = d
	return d, nil
}

func (j *job) open(g grid) (err error) {
	if j.journal != nil {
		panic("experiment: cells are computed in one go")
	}
	h := header{
		Journal: journalName, Experiment: j.experiment.Name, Revision: j.experiment.Revision,
		Seed: j.Seed, Small: j.Small, Settings: g.settings,
	}
	path := filepath.Join(j.folder, j.experiment.Name+".journal")
	j.journal, err = openJournal(path, h, session{
		Date: time.Now().UTC().Format(time.RFC3339), Build: j.Build, Machine: describeMachine(), Workers: j.Workers, Data: j.checksums(),
	}, j.Fresh, j.AnyBuild)
	return err
}
