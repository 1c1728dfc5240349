package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/examples/service/internal/fixture"
	"github.com/gomonge/monge/wda/dataset"
	"google.golang.org/grpc/codes"
)

// match reads named samples into x, one JSON object per line.
func match(t *testing.T, e *Engine, x *Matrix, lines []byte) error {
	t.Helper()
	table, err := e.NewTable(t.Context(), x, bytes.Count(lines, []byte{'\n'}))
	if err != nil {
		return err
	}
	for line := range bytes.Lines(lines) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.Token() // the opening brace
		if err := table.Add(func(yield func(string, []byte) bool) {
			for d.More() {
				var value json.RawMessage
				name, _ := d.Token()
				if err := d.Decode(&value); err != nil {
					t.Fatal(err)
				}
				if !yield(name.(string), value) {
					return
				}
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// TestMatch checks that named samples become the same features as the rows of a file, in any order
// of the keys and independently of each other.
func TestMatch(t *testing.T) {
	table := fixture.NewTable(t, dataset.MissingMean)
	e := newEngine(t, func(c *Config) {
		c.Model, c.Check = table.Model, Check{Samples: table.CSV, Accuracy: 0.5}
		c.Limits.Rows = 3
	})
	if got := e.Info().Columns; !slices.Equal(got, []string{"age", "city", "height"}) {
		t.Errorf("columns %q", got)
	}
	var x Matrix
	err := match(t, e, &x, []byte(`{"age": 3, "city": "Bern", "height": 2.5}
{"id": 7, "height": null, "city": "Basel", "age": 1e1, "kind": "z"}
{"city": null, "age": "4", "height": 1}
`))
	want := slices.Concat(table.Features(t, "3", "Bern", "2.5"), table.Features(t, "10", "Basel", ""))
	if err == nil || !strings.Contains(err.Error(), `row 2: `) || Code(err) != codes.InvalidArgument {
		t.Errorf("text as a number: %v", err)
	}
	if got := x.Data[:min(len(x.Data), len(want))]; !slices.Equal(got, want) || x.Columns*2 != len(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for name, c := range map[string]struct {
		rows             string
		says             string
		missing, unknown []string
		code             codes.Code
	}{
		"missing":  {`{"age": 1, "city": "Bern", "height": 1}` + "\n" + `{"age": 1}` + "\n", `row 1: the columns are not those of the model: missing columns "city", "height"`, []string{"city", "height"}, nil, codes.InvalidArgument},
		"unknown":  {`{"age": 1, "city": "Bern", "height": 1, "weight": 2}` + "\n", `unknown column "weight"`, nil, []string{"weight"}, codes.InvalidArgument},
		"renamed":  {`{"Age": 1, "city": "Bern", "height": 1}` + "\n", `"age" (renamed to "Age"?)`, []string{"age"}, []string{"Age"}, codes.InvalidArgument},
		"category": {`{"age": 1, "city": "Paris", "height": 1}` + "\n", `row 0: column "city": "Paris" is not among the 2 categories`, nil, nil, codes.InvalidArgument},
		"huge":     {`{"age": 1e999, "city": "Bern", "height": 1}` + "\n", `row 0: `, nil, nil, codes.InvalidArgument},
		"twice":    {`{"age": 1, "age": 2, "city": "Bern", "height": 1}` + "\n", `"age" occurs twice`, nil, nil, codes.InvalidArgument},
		"too many": {strings.Repeat("{}\n", 4), "4 rows, 3 are allowed", nil, nil, codes.ResourceExhausted},
	} {
		err := match(t, e, new(Matrix), []byte(c.rows))
		if err == nil || !strings.Contains(err.Error(), c.says) || Code(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
		ce, ok := errors.AsType[*dataset.ColumnsError](err)
		if ok != (c.missing != nil || c.unknown != nil) || ok && (!slices.Equal(ce.Missing, c.missing) || !slices.Equal(ce.Extra, c.unknown)) {
			t.Errorf("%s: %+v", name, ce)
		}
	}
	e.config.ExtraColumns = true
	if err := match(t, e, &x, []byte(`{"age": 3, "city": "Bern", "height": 2.5, "weight": 2}`+"\n")); err != nil || !slices.Equal(x.Data, want[:x.Columns]) {
		t.Errorf("extra columns: %v, %v", x.Data, err)
	}
}

// TestMatchMissing checks that every row has an answer or an error. No row is dropped, although the
// fit drops rows with missing values.
func TestMatchMissing(t *testing.T) {
	table := fixture.NewTable(t, dataset.MissingDrop)
	e := newEngine(t, func(c *Config) { c.Model = table.Model })
	err := match(t, e, new(Matrix), []byte(`{"age": 3, "city": "Bern", "height": null}`+"\n"))
	if err == nil || !strings.Contains(err.Error(), `row 0: `) || !strings.Contains(err.Error(), `column "height": null: a missing value, and the model has none to put in its place`) {
		t.Error(err)
	}
}

// TestMatchReload checks that samples are answered by the model that decoded their names, even
// after a reload.
func TestMatchReload(t *testing.T) {
	table := fixture.NewTable(t, dataset.MissingMean)
	e := newEngine(t, func(c *Config) { c.Model = table.Model })
	before := e.Info().Hash
	var x Matrix
	if err := match(t, e, &x, []byte(`{"age": 3, "city": "Bern", "height": 2.5}`+"\n")); err != nil {
		t.Fatal(err)
	}
	table.Replace(t)
	if err := e.Reload(t.Context()); err != nil || e.Info().Hash == before {
		t.Fatal(err)
	}
	var y Projected
	if err := e.Project(t.Context(), &x, &y); err != nil || y.Model != before {
		t.Errorf("%v by %s, want %s", err, y.Model, before)
	}
	// Reload must refuse a model with a different order of columns, because samples without names
	// would be misread.
	now := e.Info().Hash
	table.Reorder(t)
	if err := e.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "height") || e.Info().Hash != now {
		t.Errorf("other columns: %v", err)
	}
	if err := match(t, newEngine(t, nil), &x, []byte("{}\n")); !errors.Is(err, ErrNoNames) {
		t.Error(err)
	}
}
