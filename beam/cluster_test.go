package mongebeam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
)

// tasks contains test tasks, in addition to the tasks of package wda.
var tasks = map[string]func(ctx context.Context, shared []byte) (itemFunc, error){}

func init() {
	openWork = func(ctx context.Context, task string, shared []byte) (itemFunc, error) {
		open := tasks[task]
		if open == nil {
			return wda.OpenWork(ctx, task, shared)
		}
		do, err := open(ctx, shared)
		return func(ctx context.Context, item []byte) ([]byte, error) {
			result, err := do(ctx, item)
			if ctx.Err() != nil { // discard the result, which may be unfinished, as wda.OpenWork does
				return nil, context.Cause(ctx)
			}
			return result, err
		}, err
	}
}

// This init registers a variant of each task of package wda, in which one item fails. The first line
// of the shared data is the name of a file. The first item that finds this file removes it and then
// kills its worker process, or panics if it runs in the test process.
func init() {
	for _, task := range []string{"wda.pair", "wda.candidates", "wda.crossvalidation"} {
		tasks["killed:"+task] = func(ctx context.Context, shared []byte) (itemFunc, error) {
			file, shared, _ := bytes.Cut(shared, []byte("\n"))
			do, err := wda.OpenWork(ctx, task, shared)
			if err != nil {
				return nil, err
			}
			return func(ctx context.Context, item []byte) ([]byte, error) {
				kill(string(file))
				return do(ctx, item)
			}, nil
		}
	}
}

// kill does nothing if the file does not exist. Otherwise it removes the file. It then kills the
// process if the process is a worker, and panics if it is the test process.
func kill(file string) {
	if os.Remove(file) != nil {
		return
	}
	if os.Getppid() == launcher {
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {}
	}
	panic("killed")
}

// killOnceCluster is a Cluster in which every task is killed once.
type killOnceCluster struct {
	*Cluster
	dir string
}

func (p killOnceCluster) Do(ctx context.Context, b *wda.Work) ([][]byte, error) {
	c := *b
	c.Task = "killed:" + b.Task
	file := filepath.Join(p.dir, b.Task)
	if f, err := os.OpenFile(file+".once", os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		f.Close()
		os.WriteFile(file, nil, 0o600)
	}
	c.Shared = append([]byte(file+"\n"), b.Shared...)
	return p.Cluster.Do(ctx, &c)
}

// TestCluster checks that Prism, Beam's local runner, gives the same bits as one process for
// fits, the objective J with its gradient, and cross-validation. It tests one and several lanes
// (branches of the pipeline), and it kills bundles and worker processes. The folder must be
// empty afterwards.
func TestCluster(t *testing.T) {
	x, labels := clusters(40, 4)
	open := &wda.Settings{Optimizer: wda.Optimizer{MaxSteps: 2}}
	want, err := wda.Fit(t.Context(), x, labels, open)
	if err != nil {
		t.Fatal(err)
	}
	p := want.Projection()
	wantJ, err := wda.Score(t.Context(), x, labels, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	cv := &wda.CrossValidation{Fit: wda.Settings{Optimizer: wda.Optimizer{MaxSteps: 3}}, Lambda: []wda.Lambda{wda.RelativeLambda(1), wda.RelativeLambda(3)}, Folds: 2}
	wantCV, err := wda.CrossValidate(t.Context(), x, labels, cv)
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range []struct {
		runner string
		lanes  int
	}{{"prism", 1}, {"prism", 3}, {"prism-processes", 2}} {
		lanes := on.lanes
		ran := map[string]int{}
		failed := 0
		c := &Cluster{Runner: on.runner, Folder: t.TempDir(), Lanes: lanes, Least: 1, Progress: func(p Pipeline) {
			ran[strings.TrimPrefix(p.Task, "killed:")]++
			if p.Err != nil {
				failed++
				if !strings.Contains(p.Err.Error(), "killed") {
					t.Errorf("%s: %v", on.runner, p.Err)
				}
			}
		}}
		var by wda.Executor = c
		if lanes > 1 {
			by = killOnceCluster{c, t.TempDir()}
		}
		j, err := wda.Score(t.Context(), x, labels, p, &wda.Scoring{Executor: by})
		if err != nil || !reflect.DeepEqual(j, wantJ) {
			t.Errorf("%v: another J: %v, want %v, %v", on, j, wantJ, err)
		}
		if lanes > 1 {
			m, err := wda.Fit(t.Context(), x, labels, &wda.Settings{Optimizer: open.Optimizer, Executor: by})
			if err != nil {
				t.Fatal(err)
			}
			a, b := want.Report(), m.Report()
			a.Elapsed, b.Elapsed, b.Settings.Executor = 0, 0, nil
			if m.Hash() != want.Hash() || !reflect.DeepEqual(a, b) {
				t.Errorf("%v: another model:\n%+v\n%+v", on, a, b)
			}
		}
		far := *cv
		far.Fit.Executor = by
		found, err := wda.CrossValidate(t.Context(), x, labels, &far)
		if found != nil {
			found.Settings.Executor = nil
		}
		if err != nil || !reflect.DeepEqual(found, wantCV) {
			t.Errorf("%v: %v, another choice: %+v, want %+v", on, err, found, wantCV)
		}
		if ran["wda.pair"] == 0 || ran["wda.crossvalidation"] == 0 || lanes > 1 && (ran["wda.candidates"] == 0 || failed != 3) {
			t.Errorf("%v: pipelines %v, %d failed", on, ran, failed)
		}
		if left, err := os.ReadDir(c.Folder); err != nil || len(left) > 0 {
			t.Errorf("left in the folder: %v, %v", left, err)
		}
	}
}

func init() {
	tasks["test.half"] = func(_ context.Context, shared []byte) (itemFunc, error) {
		return func(_ context.Context, item []byte) ([]byte, error) {
			if string(item) == "3" {
				return nil, errors.New("three cannot be done")
			}
			return append(append([]byte(nil), shared...), item...), nil
		}, nil
	}
}

// TestNeverDone checks the error for an item that fails in every attempt. It also checks that
// finished items are not repeated.
func TestNeverDone(t *testing.T) {
	var seen []Pipeline
	c := &Cluster{Runner: "prism", Folder: t.TempDir(), Lanes: 2, Attempts: 2, Progress: func(p Pipeline) { seen = append(seen, p) }}
	b := &wda.Work{Task: "test.half", Shared: []byte("s")}
	for i := range 6 {
		b.Items = append(b.Items, fmt.Appendf(nil, "%d", i))
	}
	if _, err := c.Do(t.Context(), b); err == nil || !strings.Contains(err.Error(), "three cannot be done") {
		t.Errorf("error %v", err)
	}
	if len(seen) != 2 || seen[0].Items != 6 || seen[1].Items != 6-seen[0].Results || seen[1].Err == nil {
		t.Errorf("pipelines %+v", seen)
	}
	b.Items[3] = []byte("x")
	out, err := c.Do(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range out {
		if string(r) != "s"+string(b.Items[i]) {
			t.Errorf("item %d: %q", i, r)
		}
	}
	if _, err := (&Cluster{Runner: "prism"}).Do(t.Context(), b); err == nil {
		t.Error("no error without a folder")
	}
}

func init() {
	tasks["test.process"] = func(context.Context, []byte) (itemFunc, error) {
		return func(context.Context, []byte) ([]byte, error) { return fmt.Appendf(nil, "%d", os.Getpid()), nil }, nil
	}
	beam.RegisterRunner("taken", checkConsumed)
}

// TestProcesses checks that each lane has its own process, and that the next pipeline reuses the
// processes.
func TestProcesses(t *testing.T) {
	c := &Cluster{Runner: "prism-processes", Folder: t.TempDir(), Lanes: 2}
	var first [][]byte
	for range 2 {
		pids, err := c.Do(t.Context(), &wda.Work{Task: "test.process", Items: make([][]byte, 2)})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = pids
		}
		if self := strconv.Itoa(os.Getpid()); string(pids[0]) == string(pids[1]) || string(pids[0]) == self || string(pids[1]) == self || !reflect.DeepEqual(pids, first) {
			t.Errorf("processes %q, and %q before; the test is %s", pids, first, self)
		}
	}
}

// checkConsumed is a runner that does not run the pipeline. It fails if the outputs of a DoFn have no consumer.
func checkConsumed(_ context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	inputs := map[*graph.Node]bool{}
	for _, e := range edges {
		for _, in := range e.Input {
			inputs[in.From] = true
		}
	}
	for _, e := range edges {
		if e.Op == graph.ParDo && !slices.ContainsFunc(e.Output, func(out *graph.Outbound) bool { return inputs[out.To] }) {
			return nil, fmt.Errorf("nothing takes the outputs of %v", e)
		}
	}
	return nil, nil
}

// TestOutputsConsumed checks that all outputs of a pipeline have a consumer (see consumeFiles).
func TestOutputsConsumed(t *testing.T) {
	c := &Cluster{Runner: "taken", Folder: t.TempDir(), Lanes: 2, Attempts: 1}
	if _, err := c.Do(t.Context(), &wda.Work{Task: "test.process", Items: make([][]byte, 3)}); err == nil || !strings.Contains(err.Error(), "3 of 3 items have no result") {
		t.Errorf("pipeline of a Cluster: %v", err)
	}
	for _, do := range []func(beam.Scope, Model, beam.PCollection) beam.PCollection{Transform, Classify} {
		for _, lanes := range []int{1, 3} {
			p, s := beam.NewPipelineWithRoot()
			var results []beam.PCollection
			for _, rows := range Read(s, "*.parquet", Columns{}, lanes) {
				results = append(results, do(s, Model{}, rows))
			}
			Write(s, "out.csv", 2, results...)
			if _, err := beam.Run(t.Context(), "taken", p); err != nil {
				t.Error(err)
			}
		}
	}
}

// begun receives a value when the second item of TestInterruptedNotReused has started.
var begun = make(chan struct{}, 1)

func init() {
	tasks["test.keeps"] = func(context.Context, []byte) (itemFunc, error) {
		var kept atomic.Value
		return func(ctx context.Context, item []byte) ([]byte, error) {
			file := string(item)
			if _, err := os.Stat(file); err == nil && strings.HasSuffix(file, "0") {
				<-begun
				kill(file)
			}
			if os.Remove(file) == nil {
				begun <- struct{}{}
				<-ctx.Done()
				kept.Store(true)
			}
			return fmt.Appendf(nil, "%v", kept.Load()), nil
		}, nil
	}
}

// TestInterruptedNotReused checks that an itemFunc is not used again after a failed pipeline has interrupted it.
func TestInterruptedNotReused(t *testing.T) {
	c := &Cluster{Runner: "prism", Folder: t.TempDir(), Lanes: 2}
	b := &wda.Work{Task: "test.keeps"}
	for i := range 2 {
		b.Items = append(b.Items, []byte(filepath.Join(t.TempDir(), strconv.Itoa(i))))
		if err := os.WriteFile(string(b.Items[i]), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := c.Do(t.Context(), b)
	if err != nil || string(out[0]) != "<nil>" || string(out[1]) != "<nil>" {
		t.Errorf("%q, %v", out, err)
	}
}

// TestDeal checks that dealItems keeps a group of items in one lane (branch of the pipeline),
// unless other lanes would be idle. A group has wda.Work.Together items.
func TestDeal(t *testing.T) {
	for _, c := range []struct {
		together, lanes int
		items           []int
		want            [][]int
	}{
		{0, 2, []int{0, 1, 2, 3, 4, 5}, [][]int{{0, 2, 4}, {1, 3, 5}}},
		{2, 2, []int{0, 1, 2, 3, 4, 5}, [][]int{{0, 1, 4, 5}, {2, 3}}},
		{2, 2, []int{2, 3}, [][]int{nil, {2, 3}}},
		{2, 4, []int{0, 1, 2, 3, 4, 5}, [][]int{{0, 4}, {1, 5}, {2}, {3}}},
	} {
		got := make([][]int, c.lanes)
		for k, lane := range dealItems(&wda.Work{Items: make([][]byte, 6), Together: c.together}, c.items, c.lanes) {
			for _, i := range lane {
				got[k] = append(got[k], i.Index)
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestDamagedResult checks that a damaged result counts as missing.
func TestDamagedResult(t *testing.T) {
	w := &work{Out: t.TempDir()}
	for i, text := range []string{hexSHA256([]byte("good")) + "\ngood", hexSHA256([]byte("good")) + "\ngoo", "bad"} {
		if err := os.WriteFile(w.resultPath(i), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := make([][]byte, 4)
	missing, err := w.readResults(t.Context(), out, []int{0, 1, 2, 3})
	if string(out[0]) != "good" || !reflect.DeepEqual(missing, []int{1, 2, 3}) || err == nil || !strings.Contains(err.Error(), "1.result") {
		t.Errorf("%q, missing %v, error %v", out, missing, err)
	}
}

// BenchmarkCluster measures work without Beam, and on Beam with one or two lanes, in this process
// and in worker processes. A lane uses one core. The case do=empty measures a pipeline of two empty
// items.
func BenchmarkCluster(b *testing.B) {
	const d, p = 16, 10
	samples := func(n, classes int) (*mat.Dense, []int) {
		rng := rand.New(rand.NewPCG(3, 4))
		x, labels := mat.NewDense(n, d, nil), make([]int, n)
		for i := range labels {
			labels[i] = i % classes
			for j := range d {
				x.Set(i, j, rng.NormFloat64()+2*float64((labels[i]>>(j%3))&1))
			}
		}
		return x, labels
	}
	at := mat.NewDense(d, p, nil)
	for j := range p {
		at.Set(j, j, 1)
	}
	many, manyLabels := samples(15000, 6)
	few, fewLabels := samples(3000, 6)
	for _, what := range []struct {
		name string
		do   func(ctx context.Context, c *Cluster, by wda.Executor) error
	}{
		{"score", func(ctx context.Context, _ *Cluster, by wda.Executor) error {
			_, err := wda.Score(ctx, many, manyLabels, at, &wda.Scoring{Workers: 1, Executor: by})
			return err
		}},
		{"fit", func(ctx context.Context, _ *Cluster, by wda.Executor) error {
			_, err := wda.Fit(ctx, few, fewLabels, &wda.Settings{Workers: 1, Executor: by})
			return err
		}},
		{"crossvalidate", func(ctx context.Context, _ *Cluster, by wda.Executor) error {
			_, err := wda.CrossValidate(ctx, few, fewLabels, &wda.CrossValidation{Fit: wda.Settings{Optimizer: wda.Optimizer{MaxSteps: 10}, Workers: 1, Executor: by}, Lambda: []wda.Lambda{wda.RelativeLambda(0.5), wda.RelativeLambda(1), wda.RelativeLambda(2)}, Folds: 4})
			return err
		}},
		{"empty", func(ctx context.Context, c *Cluster, _ wda.Executor) error {
			_, err := c.Do(ctx, &wda.Work{Task: "test.half", Items: make([][]byte, 2)})
			return err
		}},
	} {
		for _, where := range []string{"local", "prism1", "prism2", "prism-processes1", "prism-processes2"} {
			b.Run("do="+what.name+"/where="+where, func(b *testing.B) {
				var out, in, pipelines float64
				runner := strings.TrimRight(where, "12")
				c := &Cluster{Runner: runner, Folder: filepath.Join(b.TempDir(), "work"), Lanes: int(where[len(where)-1] - '0'), Progress: func(p Pipeline) {
					out, in, pipelines = out+float64(p.BytesOut), in+float64(p.BytesIn), pipelines+1
				}}
				var by wda.Executor = c
				if where == "local" {
					if by = nil; what.name == "empty" {
						b.Skip("a pipeline without a runner")
					}
				}
				for b.Loop() {
					if err := what.do(b.Context(), c, by); err != nil {
						b.Fatal(err)
					}
				}
				if pipelines > 0 {
					b.ReportMetric(out/pipelines, "B-out/pipeline")
					b.ReportMetric(in/pipelines, "B-in/pipeline")
					b.ReportMetric(pipelines/float64(b.N), "pipelines/op")
				}
			})
		}
	}
}
