package engine

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomonge/monge/examples/service/internal/fixture"
	"github.com/gomonge/monge/wda"
	"google.golang.org/grpc/codes"
)

func newEngine(t *testing.T, change func(*Config)) *Engine {
	t.Helper()
	c := DefaultConfig()
	c.Model = fixture.Model(t, 1)
	if change != nil {
		change(&c)
	}
	e, err := New(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRows checks that answers equal the results of the library, and that reused answers do not
// allocate.
func TestRows(t *testing.T) {
	e, c, d := newEngine(t, nil), fixture.Classifier(t, 1), fixture.Samples(50, 2)
	x := &Matrix{Columns: 10, Data: fixture.Rows(d.X)}
	var projected Projected
	var classified Classified
	both := func() {
		if err := errors.Join(e.Project(t.Context(), x, &projected), e.Classify(t.Context(), x, &classified)); err != nil {
			t.Fatal(err)
		}
	}
	both()
	y, shares, w := make([]float64, 2), make([]float64, 3), new(wda.Workspace)
	for i := range 50 {
		row := d.X.RawRowView(i)
		c.Model().TransformVec(y, row)
		class, _ := c.Predict(row, w)
		w.Shares(shares)
		if got := projected.Data[2*i:][:2]; !slices.Equal(got, y) {
			t.Errorf("row %d: projection %v, want %v", i, got, y)
		}
		got := classified.Rows[i]
		if got.Class != class || got.Rejected || classified.Classes[got.Index] != class.Name || !slices.Equal(classified.Shares[3*i:][:3], shares) {
			t.Errorf("row %d: %+v, want %+v", i, got, class)
		}
	}
	if projected.Model != c.Hash() || classified.Model != c.Hash() || projected.Columns != 2 || projected.Rows() != 50 {
		t.Errorf("model %s and %s, want %s", projected.Model, classified.Model, c.Hash())
	}
	if a := testing.AllocsPerRun(20, both); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

// TestReject checks both reasons for rejection: a distance above the quantile that is computed from
// the check samples, and too small a share of neighbors with the predicted class.
func TestReject(t *testing.T) {
	known := fixture.CSV(t, fixture.Samples(200, 3))
	e := newEngine(t, func(c *Config) {
		c.Check = Check{Samples: known, Accuracy: 0.5, RejectQuantile: 0.9, RejectShare: 0.7}
	})
	d := fixture.Samples(1000, 4)
	var out Classified
	if err := e.Classify(t.Context(), &Matrix{Columns: 10, Data: fixture.Rows(d.X)}, &out); err != nil {
		t.Fatal(err)
	}
	far, unsure := 0, 0
	for _, r := range out.Rows {
		isFar, isUnsure := r.SqDistance > *e.Info().RejectBeyond, r.Share < 0.7
		if r.Rejected != (isFar || isUnsure) {
			t.Fatalf("%+v with a limit of %v", r, *e.Info().RejectBeyond)
		}
		if isFar {
			far++
		}
		if isUnsure {
			unsure++
		}
	}
	if far < 60 || far > 140 || unsure == 0 || unsure > 200 {
		t.Errorf("of 1000 are rejected %d by distance, %d by share", far, unsure)
	}
	nonsense := slices.Repeat([]float64{100}, 10)
	if err := e.Classify(t.Context(), &Matrix{Columns: 10, Data: nonsense}, &out); err != nil || !out.Rows[0].Rejected {
		t.Errorf("%+v, %v", out.Rows[0], err)
	}
}

// TestCalibrated checks that a calibrated model rejects samples even if the service sets no
// rejection threshold.
func TestCalibrated(t *testing.T) {
	c, err := fixture.Classifier(t, 1).Calibrate(t.Context(), fixture.Samples(200, 3).X, &wda.Calibration{Rate: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "calibrated.wda")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	e, x := newEngine(t, func(c *Config) { c.Model = file }), fixture.Samples(300, 4).X
	var out Classified
	if err := e.Classify(t.Context(), &Matrix{Columns: 10, Data: fixture.Rows(x)}, &out); err != nil {
		t.Fatal(err)
	}
	rejected := 0
	for i, r := range out.Rows {
		if class, _ := c.Predict(x.RawRowView(i), nil); r.Rejected != class.Rejected {
			t.Fatalf("row %d: %+v instead of %+v", i, r, class)
		}
		if r.Rejected {
			rejected++
		}
	}
	if rejected < 5 || rejected > 80 {
		t.Errorf("%d of 300 rejected", rejected)
	}
}

// TestBadRows checks that every error has the right code.
func TestBadRows(t *testing.T) {
	e := newEngine(t, func(c *Config) { c.Limits.Rows = 3 })
	nan, huge := make([]float64, 20), make([]float64, 10)
	nan[13] = math.NaN()
	huge[2] = math.MaxFloat64
	for name, c := range map[string]struct {
		x    Matrix
		code codes.Code
		says string
	}{
		"none":        {Matrix{}, codes.InvalidArgument, "no rows"},
		"columns":     {Matrix{Columns: 9, Data: make([]float64, 9)}, codes.InvalidArgument, "9 features, the model takes 10"},
		"a million":   {Matrix{Columns: 1e6, Data: make([]float64, 1e6)}, codes.InvalidArgument, "1000000 features"},
		"ragged":      {Matrix{Columns: 10, Data: make([]float64, 11)}, codes.InvalidArgument, "split into rows of 10"},
		"too many":    {Matrix{Columns: 10, Data: make([]float64, 40)}, codes.ResourceExhausted, "has 4 rows, 3 are allowed"},
		"NaN":         {Matrix{Columns: 10, Data: nan}, codes.InvalidArgument, "row 1, column 3 is NaN"},
		"beyond":      {Matrix{Columns: 10, Data: huge}, codes.InvalidArgument, "row 0"},
		"no negative": {Matrix{Columns: -10, Data: make([]float64, 10)}, codes.InvalidArgument, "-10 features"},
	} {
		for op, err := range map[Operation]error{
			Project: e.Project(t.Context(), &c.x, new(Projected)), Classify: e.Classify(t.Context(), &c.x, new(Classified)),
		} {
			if name == "beyond" && op == Project && err == nil {
				continue // the projection of this row happens to be finite
			}
			if Code(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %s: %v: %v, want %v with %q", op, name, Code(err), err, c.code, c.says)
			}
		}
	}
	if Code(errors.New("new")) != codes.Internal || Code(nil) != codes.OK {
		t.Error("codes of no error and of any")
	}
}

// refusal is a problem that must be refused, with the expected error.
type refusal struct {
	ctx  context.Context
	p    *Problem
	code codes.Code
	says string
}

func checkRefusals(t *testing.T, e *Engine, problems []refusal) {
	t.Helper()
	for _, c := range problems {
		if err := e.Transport(c.ctx, c.p, new(Solution)); Code(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %v with %q", Code(err), err, c.code, c.says)
		}
	}
}

func TestTransport(t *testing.T) {
	e := newEngine(t, func(c *Config) { c.Limits.Pairs, c.Limits.Columns, c.Solvers.Number = 100, 4, 1 })
	p := &Problem{X: Matrix{Columns: 1, Data: []float64{0, 1}}, Y: Matrix{Columns: 1, Data: []float64{0.5, 1.5, 9}}, B: []float64{0.5, 0.25, 0.25}, Lambda: 2, Plan: true}
	var s Solution
	if err := e.Transport(t.Context(), p, &s); err != nil {
		t.Fatal(err)
	}
	var cost float64
	for i, x := range p.X.Data {
		for j, y := range p.Y.Data {
			cost += s.Plan.Data[3*i+j] * (x - y) * (x - y)
		}
	}
	if s.Status != "converged" || s.Plan.Rows() != 2 || math.Abs(cost-s.Cost) > 1e-12*cost || s.MarginalError > 1e-6 {
		t.Errorf("%+v; the plan costs %v", s, cost)
	}
	ended, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	bad := func(change func(*Problem)) *Problem { q := *p; change(&q); return &q }
	checkRefusals(t, e, []refusal{
		{ended, p, codes.DeadlineExceeded, "deadline"},
		{t.Context(), &Problem{Lambda: 1}, codes.InvalidArgument, "x has 0 and y has 0 points"},
		{t.Context(), bad(func(q *Problem) { q.Y.Columns = 3 }), codes.InvalidArgument, "1 and 3 columns"},
		{t.Context(), bad(func(q *Problem) { q.B = []float64{1, -1, 1} }), codes.InvalidArgument, "b[1] is -1"},
		{t.Context(), bad(func(q *Problem) { q.Lambda = math.NaN() }), codes.InvalidArgument, "lambda is"},
		{t.Context(), bad(func(q *Problem) { q.X.Data = []float64{0, math.Inf(1)} }), codes.InvalidArgument, "X: value is not finite: row 1, column 0 is +Inf"},
		{t.Context(), bad(func(q *Problem) { q.X.Data = make([]float64, 34) }), codes.ResourceExhausted, "34 × 3"},
		{t.Context(), &Problem{X: Matrix{Columns: 1e6, Data: make([]float64, 1e6)}, Y: Matrix{Columns: 1e6, Data: make([]float64, 1e6)}}, codes.ResourceExhausted, "1000000 columns"},
	})
	// A long computation ends at its deadline.
	slow := newEngine(t, func(c *Config) { c.Solvers.Tolerance, c.Solvers.MaxIterations = 1e-300, 1e9 })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	start := time.Now()
	d := fixture.Samples(100, 1)
	p = &Problem{X: Matrix{Columns: 10, Data: fixture.Rows(d.X)}, Y: Matrix{Columns: 10, Data: fixture.Rows(fixture.Samples(100, 2).X)}, Lambda: 1}
	if err := slow.Transport(ctx, p, &s); Code(err) != codes.DeadlineExceeded || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// TestExact checks that the answer to an exact problem (without entropic regularization) has the
// minimum cost and an optimality gap close to 0. Exact problems must obey the limits of all
// transport problems, and must end at their deadline.
func TestExact(t *testing.T) {
	e := newEngine(t, func(c *Config) { c.Limits.Pairs, c.Limits.Columns, c.Solvers.Number = 100, 4, 1 })
	p := &Problem{X: Matrix{Columns: 1, Data: []float64{0, 1}}, Y: Matrix{Columns: 1, Data: []float64{0.5, 1.5, 9}}, B: []float64{0.5, 0.25, 0.25}, Plan: true, Exact: true}
	var s Solution
	if err := e.Transport(t.Context(), p, &s); err != nil {
		t.Fatal(err)
	}
	// The optimal transport plan moves weight ½ by a distance of 0.5, weight ¼ by 0.5, and weight ¼
	// by 8.
	if s.Status != "optimal" || s.Cost != 0.75*0.25+0.25*64 || s.Gap == nil || *s.Gap > 1e-14 || s.MarginalError != 0 || s.Plan.Rows() != 2 || !slices.Equal(s.Plan.Data, []float64{0.5, 0, 0, 0, 0.25, 0.25}) {
		t.Errorf("%+v", s)
	}
	change := func(change func(*Problem)) *Problem { q := *p; change(&q); return &q }
	if err := e.Transport(t.Context(), change(func(q *Problem) { q.Plan, q.Exact, q.Lambda = false, false, 2 }), &s); err != nil || s.Gap != nil || len(s.Plan.Data) > 0 {
		t.Errorf("with entropy, after an exact problem: %+v, %v", s, err)
	}
	ended, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	heavy := []float64{1e9, 1e9, 1e9, 1e9}
	far := Matrix{Columns: 1, Data: []float64{0, 1e150, 3e150, -7e150}}
	checkRefusals(t, e, []refusal{
		{ended, p, codes.DeadlineExceeded, "deadline"},
		{t.Context(), &Problem{Exact: true}, codes.InvalidArgument, "x has 0 and y has 0 points"},
		{t.Context(), change(func(q *Problem) { q.Lambda = 2 }), codes.InvalidArgument, "lambda is 2; with exact it must be absent or 0"},
		{t.Context(), change(func(q *Problem) { q.Lambda = math.NaN() }), codes.InvalidArgument, "lambda is NaN"},
		{t.Context(), change(func(q *Problem) { q.Exact = false }), codes.InvalidArgument, "lambda is 0; without exact it must be a positive number"},
		{t.Context(), change(func(q *Problem) { q.Exact, q.Lambda, q.B = false, 2, []float64{1, 1, 1} }), codes.InvalidArgument, "a sums to 1 and b to 3"},
		{t.Context(), change(func(q *Problem) { q.B = []float64{1, -1, 2} }), codes.InvalidArgument, "b[1] is -1"},
		{t.Context(), change(func(q *Problem) { q.B = []float64{1, 1, 1} }), codes.InvalidArgument, "a sums to 1 and b to 3"},
		{t.Context(), change(func(q *Problem) { q.A = []float64{1} }), codes.InvalidArgument, "the length of a is 1, but there are 2 points"},
		{t.Context(), change(func(q *Problem) { q.X.Data = []float64{0, math.Inf(1)} }), codes.InvalidArgument, "row 1, column 0 is +Inf"},
		{t.Context(), change(func(q *Problem) { q.X.Data = []float64{0, 1e200} }), codes.InvalidArgument, "the squared distance of X[1] and Y[0] overflows"},
		{t.Context(), &Problem{X: far, Y: far, A: heavy, B: heavy, Exact: true}, codes.InvalidArgument, "the gap is NaN"},
		{t.Context(), change(func(q *Problem) { q.X.Data = make([]float64, 34) }), codes.ResourceExhausted, "34 × 3"},
		{t.Context(), change(func(q *Problem) {
			q.X, q.Y = Matrix{Columns: 5, Data: make([]float64, 5)}, Matrix{Columns: 5, Data: make([]float64, 5)}
		}), codes.ResourceExhausted, "5 columns"},
	})
	const n = 4000
	points := func(seed uint64) Matrix { return Matrix{Columns: 10, Data: fixture.Rows(fixture.Samples(n, seed).X)} }
	p = &Problem{X: points(1), Y: points(2), Exact: true}
	tight := newEngine(t, func(c *Config) { c.Limits.Pairs, c.Memory, c.Solvers.Number = n*n, 8<<20, 1 })
	if err := tight.Transport(t.Context(), p, &s); Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "MaxMemory is 1048576") {
		t.Errorf("a workspace beyond the budget: %v", err)
	}
	// A problem that takes some seconds must end at its deadline and leave the queue.
	slow := newEngine(t, func(c *Config) { c.Limits.Pairs, c.Limits.Timeout, c.Solvers.Number = n*n, 100*time.Millisecond, 1 })
	err := slow.Do(t.Context(), Transport, func(ctx context.Context) error { return slow.Transport(ctx, p, &s) })
	if Code(err) != codes.DeadlineExceeded || slow.QueueOf(Transport).Busy() != 0 {
		t.Error(err)
	}
}

// TestReload checks that the old model stays in use if the new model is invalid.
func TestReload(t *testing.T) {
	known := fixture.CSV(t, fixture.Samples(200, 3))
	e := newEngine(t, func(c *Config) { c.Check = Check{Samples: known, Accuracy: 0.8} })
	first := e.Info()
	if first.Accuracy == nil || *first.Accuracy < 0.8 || first.Features != 10 || first.Components != 2 || first.Samples != 100 || !slices.Equal(first.Classes, []string{"a", "b", "c"}) {
		t.Errorf("%+v", first)
	}
	path := e.config.Model
	whole := fixture.File(t, 2)
	model, err := fixture.Classifier(t, 2).Model().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	d := fixture.Samples(90, 5)
	for i, l := range d.Labels {
		d.Labels[i] = (l + 1) % 3
	}
	shuffled, err := wda.NewClassifier(t.Context(), fixture.Classifier(t, 1).Model(), d.X, d.Labels, 5)
	if err != nil {
		t.Fatal(err)
	}
	useless, err := shuffled.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"empty": {nil, "not a valid model"}, "truncated": {whole[:len(whole)/2], "truncated"}, "one bit": {flipped, "damaged"},
		"no classifier": {model, "no classifier"}, "useless": {useless, "at least 0.8 of them"},
	} {
		fixture.Write(t, path, c.data)
		if err := e.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		if e.Info().Hash != first.Hash {
			t.Errorf("%s: it is served", name)
		}
	}
	if os.Remove(path); e.Reload(t.Context()) == nil || e.Info().Hash != first.Hash {
		t.Error("no file")
	}
	fixture.Write(t, path, whole)
	if err := e.Reload(t.Context()); err != nil || e.Info().Hash != fixture.Classifier(t, 2).Hash() {
		t.Errorf("the new one: %v", err)
	}
	config := e.config
	fixture.Write(t, path, useless)
	if _, err := New(config, e.log); err == nil {
		t.Error("a service starts with a model that its check refuses")
	}
}

// TestNoClassifier checks that a model without a classifier can project.
func TestNoClassifier(t *testing.T) {
	model, err := fixture.Classifier(t, 1).Model().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine(t, func(c *Config) { fixture.Write(t, c.Model, model) })
	x := &Matrix{Columns: 10, Data: make([]float64, 10)}
	if err := e.Project(t.Context(), x, new(Projected)); err != nil {
		t.Error(err)
	}
	if err := e.Classify(t.Context(), x, new(Classified)); Code(err) != codes.FailedPrecondition {
		t.Error(err)
	}
}

// TestDo checks that a request waits for its turn, is rejected by a full queue, ends at its
// deadline, and always leaves the queue.
func TestDo(t *testing.T) {
	e := newEngine(t, func(c *Config) {
		c.Solvers.Number, c.TransportQueue, c.TransportWait, c.Limits.Timeout = 1, 1, time.Minute, time.Minute
	})
	q := e.QueueOf(Transport)
	started, end := make(chan struct{}), make(chan struct{})
	answers := make(chan error, 2)
	var order atomic.Int32
	go func() {
		answers <- e.Do(t.Context(), Transport, func(context.Context) error { close(started); <-end; order.CompareAndSwap(0, 1); return nil })
	}()
	<-started
	go func() {
		answers <- e.Do(t.Context(), Transport, func(context.Context) error { order.CompareAndSwap(1, 2); return nil })
	}()
	for q.Waiting() == 0 {
		time.Sleep(time.Millisecond)
	}
	never := func(context.Context) error { t.Error("a request is worked on out of its turn"); return nil }
	if err := e.Do(t.Context(), Transport, never); !errors.Is(err, ErrBusy) || Code(err) != codes.Unavailable {
		t.Errorf("with a full queue: %v", err)
	}
	if err := e.Do(t.Context(), Classify, func(context.Context) error { return nil }); err != nil {
		t.Errorf("the other queue: %v", err)
	}
	close(end)
	if err := errors.Join(<-answers, <-answers); err != nil || order.Load() != 2 {
		t.Errorf("%v, order %d", err, order.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := e.Do(t.Context(), Transport, func(context.Context) error {
		time.AfterFunc(5*time.Millisecond, cancel)
		return e.Do(ctx, Transport, never)
	}); Code(err) != codes.Canceled {
		t.Errorf("canceled while waiting: %v", err)
	}
	if err := e.Do(t.Context(), Transport, func(context.Context) error { panic("oops") }); Code(err) != codes.Internal {
		t.Errorf("a panic: %v", err)
	}
	if q.Busy() != 0 || q.Waiting() != 0 {
		t.Errorf("%d at work, %d wait", q.Busy(), q.Waiting())
	}
	short := newEngine(t, func(c *Config) { c.Limits.Timeout = time.Millisecond })
	if err := short.Do(t.Context(), Project, func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }); Code(err) != codes.DeadlineExceeded {
		t.Errorf("at the deadline of the service: %v", err)
	}
}

func TestConfig(t *testing.T) {
	good := DefaultConfig()
	good.Model = fixture.Model(t, 1)
	for name, change := range map[string]func(*Config){
		"rows": func(c *Config) { c.Limits.Rows = 0 }, "queue": func(c *Config) { c.Queue = -1 }, "timeout": func(c *Config) { c.Limits.Timeout = 0 },
		"wait": func(c *Config) { c.Wait = 0 }, "transport wait": func(c *Config) { c.TransportWait = -1 }, "requests": func(c *Config) { c.Requests = 0 },
		"memory": func(c *Config) { c.Memory = -1 }, "model size": func(c *Config) { c.MaxModel = 10 }, "model time": func(c *Config) { c.ModelTime = 0 },
		"tolerance": func(c *Config) { c.Solvers.Tolerance = -1 }, "model": func(c *Config) { c.Model += "x" }, "samples": func(c *Config) { c.Check.Samples = "none.csv" },
		"quantile": func(c *Config) { c.Check.RejectQuantile = 0.9 },
	} {
		c := good
		if change(&c); !fails(New(c, slog.New(slog.DiscardHandler))) {
			t.Errorf("%s: no error", name)
		}
	}
}

func fails(_ *Engine, err error) bool { return err != nil }

// TestStalledReload checks that Reload returns at its time limit if reading the model file blocks,
// and that later calls of Reload return, too. The old model must stay in use, even if the new file
// can be read later.
func TestStalledReload(t *testing.T) {
	e := newEngine(t, nil)
	before := e.Info().Hash
	e.config.ModelTime = 20 * time.Millisecond
	e.reloading <- struct{}{} // simulates a Reload that is blocked by a file
	for range 2 {
		if err := e.Reload(t.Context()); !errors.Is(err, errModelTime) {
			t.Error(err)
		}
	}
	<-e.reloading
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errModelTime)
	if err := os.WriteFile(e.config.Model, fixture.File(t, 2), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := e.load(ended); !errors.Is(err, errModelTime) || e.Info().Hash != before {
		t.Errorf("%v, the model has changed: %v", err, e.Info().Hash != before)
	}
	e.config.ModelTime = time.Minute
	if err := e.Reload(t.Context()); err != nil || e.Info().Hash == before {
		t.Errorf("%v, the model has changed: %v", err, e.Info().Hash != before)
	}
}
