package httpapi

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/examples/service/internal/fixture"
	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/gomonge/monge/examples/service/server/metrics"
	"github.com/gomonge/monge/wda"
)

// newAPI returns an API and a test server for it.
func newAPI(t *testing.T, change func(*engine.Config, *Config)) (*API, *httptest.Server) {
	t.Helper()
	e, c := engine.DefaultConfig(), Config{Body: 1 << 20}
	e.Model = fixture.Model(t, 1)
	if change != nil {
		change(&e, &c)
	}
	log := slog.New(slog.DiscardHandler)
	eng, err := engine.New(e, log)
	if err != nil {
		t.Fatal(err)
	}
	m := metrics.New()
	m.Watch(eng)
	a := New(eng, m, log, c)
	s := httptest.NewServer(a.Handler())
	t.Cleanup(s.Close)
	return a, s
}

// post returns the status and the body of an answer.
func post(t *testing.T, url, contentType, accept string, body []byte) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Accept", accept)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	out, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, out
}

func floats(t *testing.T, body []byte, width int) (out []float64) {
	t.Helper()
	for ; len(body) >= width; body = body[width:] {
		if width == 4 {
			out = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(body))))
		} else {
			out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(body)))
		}
	}
	if len(body) != 0 {
		t.Errorf("%d bytes are left", len(body))
	}
	return out
}

// TestRows checks that answers in JSON and in both binary formats equal the results of the library.
func TestRows(t *testing.T) {
	_, s := newAPI(t, nil)
	c, d := fixture.Classifier(t, 1), fixture.Samples(7, 2)
	var text struct {
		Rows [][]float64 `json:"rows"`
	}
	var single, double []byte
	var projections, classes, classes32 []float64
	w := new(wda.Workspace)
	for i := range 7 {
		row := d.X.RawRowView(i)
		text.Rows = append(text.Rows, row)
		y, shares := make([]float64, 2), make([]float64, 3)
		c.Model().TransformVec(y, row)
		class, _ := c.Predict(row, w)
		w.Shares(shares)
		projections = append(projections, y...)
		classes = append(classes, float64(slices.Index([]string{"a", "b", "c"}, class.Name)), 0, class.SqDistance)
		classes = append(classes, shares...)
		rounded := make([]float64, 10)
		for j, v := range row {
			single, double = appendNumber(single, 4, v), appendNumber(double, 8, v)
			rounded[j] = float64(float32(v))
		}
		class, _ = c.Predict(rounded, w)
		w.Shares(shares)
		classes32 = append(classes32, float64(slices.Index([]string{"a", "b", "c"}, class.Name)), 0, float64(float32(class.SqDistance)))
		for _, v := range shares {
			classes32 = append(classes32, float64(float32(v)))
		}
	}
	body, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	if status, out := post(t, s.URL+"/v1/classify", typeFloat64, "", double); status != 200 || !slices.Equal(floats(t, out, 8), classes) {
		t.Errorf("float64: %d, %v", status, floats(t, out, 8))
	}
	if status, out := post(t, s.URL+"/v1/classify", typeFloat32, "", single); status != 200 || !slices.Equal(floats(t, out, 4), classes32) {
		t.Errorf("float32: %d, %v, want %v", status, floats(t, out, 4), classes32)
	}
	if status, out := post(t, s.URL+"/v1/project", typeFloat64, "", double); status != 200 || !slices.Equal(floats(t, out, 8), projections) {
		t.Errorf("projections: %d, %v", status, floats(t, out, 8))
	}
	for _, in := range []struct {
		contentType string
		body        []byte
	}{{"application/json; charset=utf-8", body}, {typeFloat64, double}} {
		var got struct {
			Model   string
			Classes []string
			Results []class
			Rows    [][]float64
		}
		status, out := post(t, s.URL+"/v1/classify", in.contentType, typeJSON, in.body)
		if err := json.Unmarshal(out, &got); status != 200 || err != nil || got.Model != c.Hash() || len(got.Results) != 7 || !slices.Equal(got.Classes, []string{"a", "b", "c"}) {
			t.Fatalf("%d, %s", status, out)
		}
		for i, r := range got.Results {
			want := classes[6*i:][:6]
			if r.Class != got.Classes[int(want[0])] || r.Rejected || r.SqDistance != want[2] || !slices.Equal(r.Probabilities, want[3:]) {
				t.Errorf("row %d: %+v, want %v", i, r, want)
			}
		}
		status, out = post(t, s.URL+"/v1/project", in.contentType, typeJSON, in.body)
		if err := json.Unmarshal(out, &got); status != 200 || err != nil || !slices.Equal(slices.Concat(got.Rows...), projections) {
			t.Errorf("%d, %s", status, out)
		}
	}
}

func TestTransport(t *testing.T) {
	_, s := newAPI(t, nil)
	status, out := post(t, s.URL+"/v1/transport?timeout=1m", typeJSON, "", []byte(`{"x": [[0], [1]], "y": [[0.5], [1.5]], "b": [0.25, 0.75], "lambda": 2, "plan": true}`))
	var got struct {
		Cost   float64
		Status string
		Plan   [][]float64
	}
	if err := json.Unmarshal(out, &got); status != 200 || err != nil || got.Status != "converged" || len(got.Plan) != 2 || math.Abs(got.Plan[0][1]+got.Plan[1][1]-0.75) > 1e-6 {
		t.Errorf("%d, %s", status, out)
	}
	if status, out := post(t, s.URL+"/v1/transport", typeJSON, "", []byte(`{"x": [[0]], "y": [[2]], "lambda": 2}`)); status != 200 || !strings.Contains(string(out), `{"cost":4,`) || strings.Contains(string(out), "plan") {
		t.Errorf("%d, %s", status, out)
	}
}

// TestExact checks problems without entropic regularization. The answer must contain an optimality
// gap, a problem with λ must be refused, and the solver must stop at the deadline.
func TestExact(t *testing.T) {
	a, s := newAPI(t, func(e *engine.Config, _ *Config) { e.Limits.Pairs, e.Solvers.Number = 1<<24, 1 })
	const problem = `{"x": [[0], [1]], "y": [[1.5], [0.5]], "plan": true, "exact": true`
	var got struct {
		Cost, Gap *float64
		Status    string
		Plan      [][]float64
	}
	for _, end := range []string{`}`, `, "lambda": 0}`} {
		status, out := post(t, s.URL+"/v1/transport", typeJSON, "", []byte(problem+end))
		if err := json.Unmarshal(out, &got); status != 200 || err != nil || got.Cost == nil || *got.Cost != 0.25 || got.Gap == nil || *got.Gap > 1e-15 ||
			got.Status != "optimal" || !slices.Equal(slices.Concat(got.Plan...), []float64{0, 0.5, 0.5, 0}) {
			t.Errorf("%d, %s", status, out)
		}
	}
	if status, out := post(t, s.URL+"/v1/transport", typeJSON, "", []byte(`{"x": [[0]], "y": [[2]], "lambda": 2, "exact": false}`)); status != 200 || strings.Contains(string(out), "gap") {
		t.Errorf("%d, %s", status, out)
	}
	for end, says := range map[string]string{
		`, "lambda": 2}`: "lambda is 2; with exact it must be absent or 0", `, "exact": true}`: "occurs twice", `, "b": [1, -1]}`: "b[1] is -1", `, "a": [1]}`: "the length of a is 1, but there are 2 points",
	} {
		if status, out := post(t, s.URL+"/v1/transport", typeJSON, "", []byte(problem+end)); status != 400 || !strings.Contains(string(out), says) {
			t.Errorf("%d, %s; want 400 with %q", status, out, says)
		}
	}
	if status, out := post(t, s.URL+"/v1/transport", typeJSON, "", []byte(`{"x": [[0]], "y": [[2]], "exact": 1}`)); status != 400 || !strings.Contains(string(out), "exact: it must be a boolean") {
		t.Errorf("%d, %s", status, out)
	}
	cloud := func(shift int) string { // returns 4000 points with integer coordinates, which are decoded quickly
		points := make([]string, 4000)
		for i := range points {
			points[i] = fmt.Sprintf("[%d,%d]", i*i%4093+shift, i*i*i%8191)
		}
		return strings.Join(points, ",")
	}
	body := []byte(`{"x": [` + cloud(0) + `], "y": [` + cloud(999) + `], "exact": true}`)
	if status, out := post(t, s.URL+"/v1/transport?timeout=300ms", typeJSON, "", body); status != 504 {
		t.Errorf("a problem that takes some seconds: %d, %s", status, out)
	}
	fixture.Until(t, func() bool { return a.engine.QueueOf(engine.Transport).Busy() == 0 })
}

// TestFaults checks the error text and status for every kind of bad request.
func TestFaults(t *testing.T) {
	_, s := newAPI(t, func(_ *engine.Config, c *Config) { c.Body = 100_000 })
	row := "[0,1,2,3,4,5,6,7,8,9]"
	million := append([]byte(`{"rows":[[`), bytes.Repeat([]byte("0,"), 1e6)...)
	nan := make([]byte, 80)
	binary.LittleEndian.PutUint64(nan[16:], math.Float64bits(math.NaN()))
	for _, c := range []struct {
		path, contentType, body string
		status                  int
		says                    string
	}{
		{"classify", typeJSON, `{"rows":[` + row + `]}`, 200, "probabilities"},
		{"classify", typeJSON, " {\n\"rows\" : [ " + row + " ,\t" + row + " ] } ", 200, "probabilities"},
		{"classify", typeJSON, ``, 400, "unexpected end"},
		{"classify", typeJSON, `{`, 400, "unexpected end"},
		{"classify", typeJSON, `{"rows":[` + row, 400, "unexpected end"},
		{"classify", typeJSON, `{"rows":[` + row + `]} {}`, 400, "after top-level value"},
		{"classify", typeJSON, `{"row":[` + row + `]}`, 400, "unknown field"},
		{"classify", typeJSON, `{"rows":null}`, 400, "an array of rows"},
		{"classify", typeJSON, `{"rows":[]}`, 400, "there are no rows"},
		{"classify", typeJSON, `{}`, 400, "rows is missing: send"},
		{"classify", typeJSON, `[1, 2]`, 400, "the body must be a JSON object, not an array"},
		{"classify", typeJSON, `{"columns": 3}`, 400, "rows is missing"},
		{"classify", typeJSON, `{"columns": 3, "rows": [[1]]}`, 400, "columns cannot be a number"},
		{"classify", typeJSON, `{"rows":[` + row + `],"rows":[` + row + `]}`, 400, `the field \"rows\" occurs twice`},
		{"classify", typeJSON, `{"ROWS":[` + row + `]}`, 400, "unknown field ROWS"},
		{"transport", typeJSON, `{"x":[[1]],"y":[[1]],"lambda":"1"}`, 400, "lambda: it must be a number, not a string"},
		{"transport", typeJSON, `{"x":[[1]],"y":[[1]],"lambda":1e999}`, 400, "outside the range"},
		{"classify", typeJSON, `{"rows":[[]]}`, 400, "row 0 has 0 numbers"},
		{"classify", typeJSON, `{"rows":"[[1"}`, 400, "an array of rows"},
		{"classify", typeJSON, `{"rows":[` + row + `,[1]]}`, 400, "row 1 has 1 numbers, row 0 has 10"},
		{"classify", typeJSON, `{"rows":[` + row + `,1]}`, 400, "row 1: expected an array"},
		{"classify", typeJSON, `{"rows":[[1,null]]}`, 400, "row 0: element 1 is not a number"},
		{"classify", typeJSON, `{"rows":[[1,"]"]]}`, 400, "element 1 is not a number"},
		{"classify", typeJSON, `{"rows":[[1,[2]]]}`, 400, "element 1 is not a number"},
		{"classify", typeJSON, `{"rows":[[1, "Bern"]]}`, 400, "element 1 is not a number; rows with text, true, false or null need names of columns"},
		{"classify", typeJSON, `{"rows":[[1e999]]}`, 400, "not a number in the range of float64"},
		{"classify", typeJSON, `{"rows":[[NaN]]}`, 400, "invalid character 'N'"},
		{"classify", typeJSON, `{"rows":[[1,2]]}`, 400, "2 features, the model takes 10"},
		{"classify", typeJSON, string(million), 413, "100000 are allowed"},
		{"classify", typeFloat64, string(nan), 400, "row 0, column 2 is NaN"},
		{"project", typeFloat64, string(nan), 400, "row 0, column 2 is NaN"},
		{"classify", typeFloat64, "1234", 400, "4 bytes cannot be split into rows"},
		{"classify", typeFloat32, "", 400, "no rows"},
		{"classify", "text/plain", "1,2", 415, "Content-Type"},
		{"classify?timeout=-1s", typeJSON, `{"rows":[` + row + `]}`, 400, "timeout"},
		{"classify?timeout=1ns", typeJSON, `{"rows":[` + row + `]}`, 504, "deadline"},
		{"transport", typeFloat64, string(nan), 415, "transport takes"},
		{"transport", typeJSON, `{"x":[[1]],"y":[[1]]}`, 400, "lambda is"},
		{"transport", typeJSON, `{"x":[[1]],"y":[[1]],"lambda":1,"a":[null]}`, 400, "element 0 is not a number"},
		{"nothing", typeJSON, `{}`, 404, "not found"},
	} {
		status, out := post(t, s.URL+"/v1/"+c.path, c.contentType, "", []byte(c.body))
		if status != c.status || !strings.Contains(string(out), c.says) {
			t.Errorf("%s, %.60q: %d, %s; want %d with %q", c.path, c.body, status, out, c.status, c.says)
		}
	}
	// Send the body without its length.
	answer, err := http.Post(s.URL+"/v1/classify", typeJSON, io.MultiReader(bytes.NewReader(million)))
	if err != nil || answer.StatusCode != 413 {
		t.Errorf("%v, %v", answer, err)
	}
	answer.Body.Close()
}

// TestLeftovers checks that reused memory never exposes numbers of another request.
func TestLeftovers(t *testing.T) {
	_, s := newAPI(t, nil)
	for range 20 {
		if status, _ := post(t, s.URL+"/v1/classify", typeJSON, "", []byte(`{"rows":[[0,1,2,3,4,5,6,7,8,9]]}`)); status != 200 {
			t.Fatal(status)
		}
		if status, out := post(t, s.URL+"/v1/classify", typeJSON, "", []byte(`{}`)); status != 400 {
			t.Fatalf("%d, %s", status, out)
		}
	}
}

// TestToken checks that only the health checks are available without the token.
func TestToken(t *testing.T) {
	a, s := newAPI(t, func(_ *engine.Config, c *Config) { c.Token = "0123456789abcdef" })
	admin := httptest.NewServer(a.Admin())
	defer admin.Close()
	for _, c := range []struct {
		method, url, header string
		status              int
	}{
		{"GET", s.URL + "/healthz", "", 200}, {"GET", s.URL + "/readyz", "", 200}, {"GET", s.URL + "/v1/model", "", 401},
		{"GET", s.URL + "/v1/model", "Bearer 0123456789abcdef", 200},
		{"GET", s.URL + "/v1/model", "bearer 0123456789abcdef", 200}, {"GET", s.URL + "/v1/model", "BEARER   0123456789abcdef", 200}, {"GET", s.URL + "/v1/model", "Basic 0123456789abcdef", 401},
		{"GET", admin.URL + "/debug/pprof/", "", 401}, {"GET", admin.URL + "/debug/pprof/", "Bearer 0123456789abcdef", 200}, {"GET", s.URL + "/debug/pprof/", "Bearer 0123456789abcdef", 404},
		{"GET", admin.URL + "/debug/pprof/heap", "Bearer 0123456789abcdef", 200}, {"GET", admin.URL + "/debug/pprof/profile?seconds=x", "", 401}, {"GET", s.URL + "/v1/model", "Bearer 0123456789abcdeF", 401},
		{"GET", s.URL + "/v1/model", "0123456789abcdef", 401}, {"POST", s.URL + "/v1/classify", "", 401}, {"POST", s.URL + "/v1/classify", "Bearer ", 401},
		{"GET", admin.URL + "/metrics", "", 401}, {"POST", admin.URL + "/reload", "", 401}, {"POST", admin.URL + "/reload", "Bearer 0123456789abcdef", 200},
	} {
		r, _ := http.NewRequestWithContext(t.Context(), c.method, c.url, nil)
		r.Header.Set("Authorization", c.header)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != c.status {
			t.Errorf("%s %s with %q: %d, want %d", c.method, c.url, c.header, answer.StatusCode, c.status)
		}
	}
	a.Drain()
	if answer, err := http.Get(s.URL + "/readyz"); err != nil || answer.StatusCode != 503 {
		t.Errorf("draining: %v, %v", answer, err)
	}
}

// TestShed checks that requests are rejected immediately if a queue is full or if bodies need too
// much memory. It also checks that a canceled request frees its memory.
func TestShed(t *testing.T) {
	a, s := newAPI(t, func(e *engine.Config, c *Config) {
		e.Solvers.Number, e.TransportQueue, e.Solvers.Tolerance, e.Solvers.MaxIterations = 1, 0, 1e-300, 1e9
		c.Body = 4 << 20
		e.Memory = 2 * c.Body
	})
	q := a.engine.QueueOf(engine.Transport)
	cloud := func(n int, seed uint64) [][]float64 {
		return slices.Collect(slices.Chunk(fixture.Rows(fixture.Samples(n, seed).X), 10))
	}
	body, err := json.Marshal(map[string]any{"x": cloud(100, 1), "y": cloud(90, 2), "lambda": 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { // this problem never converges
		r, _ := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/transport", bytes.NewReader(body))
		r.Header.Set("Content-Type", typeJSON)
		_, err := http.DefaultClient.Do(r)
		ended <- err
	}()
	fixture.Until(t, func() bool { return q.Busy() > 0 })
	if status, out := post(t, s.URL+"/v1/transport", typeJSON, "", body); status != 503 || !strings.Contains(string(out), "queue is full") {
		t.Errorf("%d, %s", status, out)
	}
	answer, err := http.Post(s.URL+"/v1/classify", typeJSON, io.MultiReader(strings.NewReader("{}"))) // the length is unknown, so the body may be too large
	if err != nil || answer.StatusCode != 503 || answer.Header.Get("Retry-After") == "" {
		t.Errorf("beside another body: %v, %v", answer, err)
	}
	answer.Body.Close()
	cancel()
	if err := <-ended; err == nil {
		t.Error("a canceled request is answered")
	}
	fixture.Until(t, func() bool { return q.Busy() == 0 })
	share := a.engine.Share()
	defer share.Release()
	fixture.Until(t, func() bool { return share.Take(a.config.Body) == nil }) // wait until the handler has returned the memory
}

// TestMetrics checks the Prometheus metrics of requests, model and solvers.
func TestMetrics(t *testing.T) {
	a, s := newAPI(t, func(e *engine.Config, _ *Config) { e.Solvers.Number, e.Check.RejectShare = 3, 2 })
	for _, body := range []string{`{"rows":[[0,1,2,3,4,5,6,7,8,9]]}`, `{}`} {
		post(t, s.URL+"/v1/classify", typeJSON, "", []byte(body))
	}
	a.Reload(t.Context())
	admin := httptest.NewServer(a.Admin())
	defer admin.Close()
	answer, err := http.Get(admin.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`monge_requests_total{code="OK",operation="classify",protocol="http"} 1`, `monge_requests_total{code="InvalidArgument",operation="classify",protocol="http"} 1`,
		`monge_request_seconds_count{operation="classify",protocol="http"} 2`, `monge_rejected_rows_total 1`, `monge_reloads_total{result="ok"} 1`,
		fmt.Sprintf("monge_model_info{hash=%q} 1", fixture.Classifier(t, 1).Hash()), "monge_solvers 3", "monge_solvers_busy 0", `monge_queue_waiting{queue="transport"} 0`,
		"go_cpu_classes_gc_total_cpu_seconds_total", "process_cpu_seconds_total",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
}

// FuzzJSON compares the JSON decoder with encoding/json.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`[[1,2],[3,4]]`, `[[1]`, ` [ [ 1e5 , -0 ] ] `, `[[null]]`, `[["]"]]`, `[]`, `[[],[]]`, `null`, `[[1],[2,3]]`,
		`{"a":1 , "b\\\"": [ {"c":"\\\\"} ] }`, `{}`, ` "x" `, `[ 1 , true,"a,]" ]`, `{"a":{"a":"}"},"":[]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		text = bytes.TrimSpace(text)
		var list []json.RawMessage
		if text[0] == '[' && json.Unmarshal(text, &list) == nil {
			n := 0
			for i, value := range elements(text) {
				if n++; i >= len(list) || !bytes.Equal(value, list[i]) {
					t.Fatalf("%q: element %d is %q", text, i, value)
				}
			}
			if n != len(list) || n != countElements(text) {
				t.Fatalf("%q: %d elements", text, n)
			}
		}
		var object map[string]json.RawMessage
		if text[0] == '{' && json.Unmarshal(text, &object) == nil {
			got := map[string]json.RawMessage{}
			for key, value := range members(text) {
				got[key] = value
			}
			if !maps.EqualFunc(got, object, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
				t.Fatalf("%q: %q", text, got)
			}
		}
		var m engine.Matrix
		if decodeMatrix(t.Context(), &m, text, math.MaxInt) != nil {
			return
		}
		var want [][]float64
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%q is taken for %v: %v", text, m, err)
		}
		if m.Rows() != len(want) || m.Columns != len(want[0]) || !slices.Equal(m.Data, slices.Concat(want...)) {
			t.Fatalf("%q is taken for %v", text, m)
		}
		again, err := appendMatrix(t.Context(), nil, &m)
		if err != nil {
			t.Fatal(err)
		}
		var back engine.Matrix
		if err := decodeMatrix(t.Context(), &back, again, math.MaxInt); err != nil || !slices.Equal(back.Data, m.Data) {
			t.Fatalf("%v is written as %s", m, again)
		}
	})
}
