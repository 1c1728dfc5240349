package mongebeam

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/gomonge/monge/internal/fanout"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
)

// The tasks of package wda, one item of which panics if it is to be killed.
func init() {
	for _, task := range []string{"wda.pair", "wda.candidates", "wda.crossvalidation"} {
		fanout.Register("killed:"+task, func(ctx context.Context, shared []byte) (fanout.Doer, error) {
			do, err := fanout.Open(ctx, task, shared)
			if err != nil {
				return nil, err
			}
			return func(ctx context.Context, item []byte) ([]byte, error) {
				if killing.take(task) {
					panic("killed")
				}
				return do(ctx, item)
			}, nil
		})
	}
}

// kills has the tasks of which a bundle is still to be killed. (Workers are in this process.)
type kills struct {
	mu   sync.Mutex
	left map[string]bool
}

var killing kills

func (k *kills) take(task string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	was := k.left[task]
	delete(k.left, task)
	return was
}

// killedPool sends the tasks that are killed.
type killedPool struct{ pool }

func (p killedPool) Do(ctx context.Context, b *fanout.Batch) ([][]byte, error) {
	c := *b
	c.Task = "killed:" + b.Task
	return p.pool.Do(ctx, &c)
}

// TestCluster: fits, J with its gradient and cross-validation have the bits of one process
// on Prism, in one lane and in several, with bundles that are killed, too; and nothing
// is left in the folder.
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
	cv := &wda.CrossValidation{Fit: wda.Settings{Optimizer: wda.Optimizer{MaxSteps: 3}}, Lambda: []wda.Lambda{wda.Lambda{Value: 1}, wda.Lambda{Value: 3}}, Folds: 2}
	wantCV, err := wda.CrossValidate(t.Context(), x, labels, cv)
	if err != nil {
		t.Fatal(err)
	}
	for _, lanes := range []int{1, 3} {
		tasks := map[string]int{}
		failed := 0
		c := &Cluster{Runner: "prism", Folder: t.TempDir(), Lanes: lanes, Least: 1, Progress: func(p Pipeline) {
			tasks[strings.TrimPrefix(p.Task, "killed:")]++
			if p.Err != nil {
				failed++
			}
		}}
		ctx := c.Context(t.Context())
		if lanes == 3 {
			killing.left = map[string]bool{"wda.pair": true, "wda.candidates": true, "wda.crossvalidation": true}
			ctx = fanout.With(t.Context(), killedPool{pool{c}})
		}
		j, err := wda.Score(ctx, x, labels, p, nil)
		if err != nil || !reflect.DeepEqual(j, wantJ) {
			t.Errorf("%d lanes: another J: %v, want %v, %v", lanes, j, wantJ, err)
		}
		if lanes == 3 {
			m, err := wda.Fit(ctx, x, labels, open)
			if err != nil {
				t.Fatal(err)
			}
			a, b := want.Report(), m.Report()
			a.Elapsed, b.Elapsed = 0, 0
			if m.Hash() != want.Hash() || !reflect.DeepEqual(a, b) {
				t.Errorf("%d lanes: another model:\n%+v\n%+v", lanes, a, b)
			}
		}
		found, err := wda.CrossValidate(ctx, x, labels, cv)
		if err != nil || !reflect.DeepEqual(found, wantCV) {
			t.Errorf("%d lanes: another choice: %+v, want %+v, %v", lanes, found, wantCV, err)
		}
		if tasks["wda.pair"] == 0 || tasks["wda.crossvalidation"] == 0 || lanes == 3 && (tasks["wda.candidates"] == 0 || failed != 3) {
			t.Errorf("%d lanes: pipelines %v, %d failed", lanes, tasks, failed)
		}
		if left, err := os.ReadDir(c.Folder); err != nil || len(left) > 0 {
			t.Errorf("left in the folder: %v, %v", left, err)
		}
	}
}

func init() {
	fanout.Register("test.half", func(_ context.Context, shared []byte) (fanout.Doer, error) {
		return func(_ context.Context, item []byte) ([]byte, error) {
			if string(item) == "3" {
				return nil, errors.New("three cannot be done")
			}
			return append(append([]byte(nil), shared...), item...), nil
		}, nil
	})
}

// TestNeverDone: what no attempt can do is an error that says what, and what others have
// done is not done again.
func TestNeverDone(t *testing.T) {
	var seen []Pipeline
	c := &Cluster{Runner: "prism", Folder: t.TempDir(), Lanes: 2, Attempts: 2, Progress: func(p Pipeline) { seen = append(seen, p) }}
	b := &fanout.Batch{Task: "test.half", Shared: []byte("s")}
	for i := range 6 {
		b.Items = append(b.Items, fmt.Appendf(nil, "%d", i))
	}
	if _, err := (pool{c}).Do(t.Context(), b); err == nil || !strings.Contains(err.Error(), "three cannot be done") {
		t.Errorf("error %v", err)
	}
	if len(seen) != 2 || seen[0].Items != 6 || seen[1].Items != 6-seen[0].Results || seen[1].Err == nil {
		t.Errorf("pipelines %+v", seen)
	}
	b.Items[3] = []byte("x")
	out, err := (pool{c}).Do(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range out {
		if string(r) != "s"+string(b.Items[i]) {
			t.Errorf("item %d: %q", i, r)
		}
	}
	if _, err := (pool{&Cluster{Runner: "prism"}}).Do(t.Context(), b); err == nil {
		t.Error("no error without a folder")
	}
}

// TestDamagedResult: a result whose bytes have changed is none.
func TestDamagedResult(t *testing.T) {
	w := &work{Out: t.TempDir()}
	for i, text := range []string{sum([]byte("good")) + "\ngood", sum([]byte("good")) + "\ngoo", "bad"} {
		if err := os.WriteFile(w.result(i), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := make([][]byte, 4)
	missing, err := w.collect(t.Context(), out, []int{0, 1, 2, 3})
	if string(out[0]) != "good" || !reflect.DeepEqual(missing, []int{1, 2, 3}) || err == nil || !strings.Contains(err.Error(), "1.result") {
		t.Errorf("%q, missing %v, error %v", out, missing, err)
	}
}

// BenchmarkScore is J and its gradient, and the smallest pipeline.
func BenchmarkScore(b *testing.B) {
	const n, classes = 1500, 4
	x, labels := clusters(n, classes)
	p := mat.NewDense(features, 2, nil)
	p.Set(0, 0, 1)
	p.Set(1, 1, 1)
	for _, where := range []string{"local", "prism1", "prism2", "empty"} {
		b.Run("where="+where, func(b *testing.B) {
			var out, in int64
			pipelines := 0
			c := &Cluster{Runner: "prism", Folder: filepath.Join(b.TempDir(), "work"), Lanes: 1, Least: 1, Progress: func(p Pipeline) {
				out, in, pipelines = out+p.BytesOut, in+p.BytesIn, pipelines+1
			}}
			if where == "prism2" {
				c.Lanes = 2
			}
			ctx := c.Context(b.Context())
			if where == "local" {
				ctx = b.Context()
			}
			for b.Loop() {
				var err error
				if where == "empty" {
					_, err = pool{c}.Do(ctx, &fanout.Batch{Task: "test.half", Items: [][]byte{nil}})
				} else {
					_, err = wda.Score(ctx, x, labels, p, &wda.Scoring{Workers: 1})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			if k := math.Max(1, float64(pipelines)); pipelines > 0 {
				b.ReportMetric(float64(out)/k, "B-out/pipeline")
				b.ReportMetric(float64(in)/k, "B-in/pipeline")
				b.ReportMetric(k/float64(b.N), "pipelines/op")
			}
		})
	}
}
