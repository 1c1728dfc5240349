package httpapi

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gomonge/monge/examples/service/internal/fixture"
	"github.com/gomonge/monge/examples/service/server/engine"
	"github.com/gomonge/monge/wda/dataset"
)

// TestNames checks that named samples get the same answers as their features. The names may be keys
// of objects or elements of columns.
func TestNames(t *testing.T) {
	table := fixture.NewTable(t, dataset.MissingMean)
	_, s := newAPI(t, func(e *engine.Config, _ *Config) { e.Model = table.Model })
	plain, err := json.Marshal(map[string]any{"rows": [][]float64{table.Features(t, "3", "Bern", "2.5"), table.Features(t, "10", "Basel", "")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/classify", "/v1/project"} {
		status, want := post(t, s.URL+path, typeJSON, "", plain)
		if status != 200 {
			t.Fatalf("%d, %s", status, want)
		}
		for _, body := range []string{
			`{"rows": [{"age": 3, "city": "Bern", "height": 2.5}, {"height": null, "city": "Basel", "age": 10}]}`,
			"{\"rows\": [ {\"age\":\n 3,\r\n \"city\": \"Bern\", \"height\": 2.5}\n, {\"height\": null, \"city\": \"Basel\", \"age\": 10}]}",
			`{"columns": ["height", "city", "age"], "rows": [[2.5, "Bern", 3], [null, "Basel", 10]]}`,
			`{"rows": [[2.5, "Bern", 3], [null, "Basel", 10]], "columns": ["height", "city", "age"]}`,
		} {
			if status, got := post(t, s.URL+path, typeJSON, "", []byte(body)); status != 200 || !bytes.Equal(got, want) {
				t.Errorf("%s: %d, %s, want %s", body, status, got, want)
			}
		}
	}
	for body, says := range map[string]string{
		`{"rows": [{"age": 3}]}`: `"missing":["city","height"]`,
		`{"columns": ["height", "city", "age", "id", "more"], "rows": [[2.5, "Bern", 3, 1, 2]]}`: `"unknown":["more"]`,
		`{"columns": ["height", "city", "age"], "rows": [[2.5, "Bern"]]}`:                        "row 0 is not an array of 3 values",
		`{"columns": ["height", "height", "age"], "rows": [[2.5, 2, 3]]}`:                        "twice",
		`{"columns": ["height"], "rows": [{"height": 1}]}`:                                       "row 0 is an object",
		`{"columns": [], "rows": [[]]}`:                                                          "missing",
		`{"columns": ["a"], "rows": []}`:                                                         "at least one row",
		`{"rows": [{"age": 3, "city": "Bern", "height": 2.5}, [1, 2, 3]]}`:                       "row 1 is not an object",
		`{"rows": [{"age": 3, "city": "Bern", "height": 2.5}, null]}`:                            "row 1 is not an object",
		`{"rows": [{"age": [3], "city": "Bern", "height": 2.5}]}`:                                "age",
		`{"rows": [{"age": {}, "city": "Bern", "height": 2.5}]}`:                                 "age",
		`{"columns": ["a"]}`: "rows is missing",
	} {
		if status, got := post(t, s.URL+"/v1/classify", typeJSON, "", []byte(body)); status != 400 || !strings.Contains(string(got), says) {
			t.Errorf("%s: %d, %s, want %q", body, status, got, says)
		}
	}
	_, other := newAPI(t, nil)
	if status, got := post(t, other.URL+"/v1/classify", typeJSON, "", []byte(`{"rows": [{"age": 3}]}`)); status != 501 || !strings.Contains(string(got), "no column names") {
		t.Errorf("a model without names: %d, %s", status, got)
	}
}

// TestNamesThenNumbers decodes named samples, replaces the model, and decodes rows of numbers into the
// same matrix. The engine must project these rows with the new model.
func TestNamesThenNumbers(t *testing.T) {
	table := fixture.NewTable(t, dataset.MissingMean)
	a, _ := newAPI(t, func(e *engine.Config, _ *Config) { e.Model = table.Model })
	before := a.engine.Info().Hash
	var x engine.Matrix
	if err := decodeSamples(t.Context(), a.engine, &x, []byte(`{"rows": [{"age": 3, "city": "Bern", "height": 2.5}]}`)); err != nil {
		t.Fatal(err)
	}
	table.Replace(t)
	if err := a.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	var y engine.Projected
	if err := decodeSamples(t.Context(), a.engine, &x, []byte(`{"rows": [[1, 1, 0, 4]]}`)); err != nil {
		t.Fatal(err)
	}
	if err := a.engine.Project(t.Context(), &x, &y); err != nil || y.Model == before || y.Model != a.engine.Info().Hash {
		t.Errorf("%v, model %s", err, y.Model)
	}
}
