package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func readJSON(text string, opt Options) (*Dataset, error) {
	return readAs(FormatJSONLines, strings.NewReader(text), opt)
}

// TestJSONLines checks that columns are in the order of the first object, even if later objects have a different order
// of keys.
func TestJSONLines(t *testing.T) {
	const text = "\ufeff{\"b\": 1.5, \"a\": true, \"label\": \"x\"}\n" +
		"{\"label\": \"y\", \"a\": false, \"b\": -2e3}\r\n" +
		"{\"b\": 0, \"label\": \"x\", \"a\": true}\n\n"
	d, err := readJSON(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(d.X.RawMatrix().Data, d.Labels, d.Classes); got != "[1.5 1 -2000 0 0 1] [0 1 0] [x y]" {
		t.Error(got)
	}
	// The first bytes determine the format.
	if d, err := readAll(strings.NewReader(text), Options{Labels: LabelName("a"), Columns: []string{"b"}}); err != nil || d.X.At(1, 0) != -2000 || !slices.Equal(d.Classes, []string{"false", "true"}) {
		t.Errorf("%v, %v", d, err)
	}
	d, err = readJSON("{\"e\": [1, 2, 3], \"y\": 10000000000000000001}\n{\"e\": [4, 5, 6], \"y\": 1.0}\n", Options{})
	if err != nil || d.X.At(1, 2) != 6 || !slices.Equal(d.Classes, []string{"1", "10000000000000000001"}) {
		t.Errorf("%v, %v", d, err)
	}
	// The file has more rows than the lookahead or a batch.
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "{\"x\": %d, \"label\": %d}\n", i, i%3)
	}
	if d, err = readJSON(b.String(), Options{}); err != nil || d.X.RawMatrix().Rows != 3000 || d.X.At(2999, 0) != 2999 {
		t.Errorf("%v", err)
	}
	d, err = readJSON("{\"x\": 1, \"label\": \"a\"}\n{\"label\": \"b\"}\n{\"x\": null, \"label\": \"b\"}\n{\"x\": 5, \"label\": \"a\"}\n", Options{KeepMissing: true})
	if err != nil || !math.IsNaN(d.X.At(1, 0)) || !math.IsNaN(d.X.At(2, 0)) {
		t.Errorf("missing values: %v, %v", d, err)
	}
}

// TestJSONLinesErrors checks that errors name the line and the column.
func TestJSONLinesErrors(t *testing.T) {
	many := strings.Repeat("{\"x\": 1, \"y\": 0}\n", 2500)
	for what, c := range map[string]struct {
		text string
		is   error
		want string
	}{
		"empty":        {"\n\n", errEmpty, "the file is empty"},
		"array":        {"[1, 2]\n", ErrFormat, "row 1: the line is not a JSON object"},
		"cut":          {"{\"x\": 1\n", ErrFormat, "row 1: the object has no end in its line"},
		"two":          {"{\"x\": 1} {\"x\": 1}\n", ErrFormat, "row 1: more than one JSON value in a line"},
		"twice":        {"{\"x\": 1, \"x\": 2}\n", ErrFormat, "the key \"x\" occurs twice"},
		"empty line":   {"{\"x\": 1}\n\n{\"x\": 1}\n", ErrFormat, "row 2: an empty line"},
		"null":         {"{\"x\": 1, \"y\": 0}\n{\"x\": null, \"y\": 0}\n", errMissing, "row 2, column 1 (x): null"},
		"lacking":      {"{\"x\": 1, \"y\": 0}\n{\"y\": 0}\n", errMissing, "row 2, column 1 (x): null"},
		"text":         {many + "{\"x\": \"a\", \"y\": 0}\n", errNotNumber, "row 2501, column 1 (x): \"a\""},
		"text column":  {"{\"x\": \"a\", \"y\": 0}\n", ErrFormat, "column 1 (x)"},
		"objects":      {"{\"x\": {\"z\": 1}, \"y\": 0}\n", ErrFormat, "column 1 (x)"},
		"large":        {"{\"x\": 1e999, \"y\": 0}\n", ErrNotFinite, "row 1, column 1 (x)"},
		"ragged":       {"{\"x\": [1, 2], \"y\": 0}\n{\"x\": [1], \"y\": 0}\n", ErrFormat, "row 2, column 1 (x): a list of 1 elements where the first has 2"},
		"list later":   {many + "{\"x\": [1], \"y\": 0}\n", errNotNumber, "row 2501, column 1 (x): a list"},
		"key later":    {many + "{\"x\": 1, \"z\": 2, \"y\": 0}\n", ErrFormat, "row 2501: the key \"z\" is not in the first 100 lines"},
		"damage later": {many + "{\"x\": 1, \"y\": \n", ErrFormat, "row 2501: the value of \"y\" is not JSON"},
		"NaN":          {"{\"x\": NaN, \"y\": 0}\n", ErrFormat, "the value of \"x\" is not JSON; write a missing value as null"},
	} {
		_, err := readJSON(c.text, Options{})
		if err == nil {
			t.Errorf("%s: no error", what)
			continue
		}
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %q, want %q with %q", what, err, c.is, c.want)
		}
	}
}

// TestListNote checks the note about columns of single numbers. If another column contains lists, the
// columns of single numbers are not features.
func TestListNote(t *testing.T) {
	text := `{"e": [1, 2], "n": 3, "m": 4, "word": "w", "y": "a"}` + "\n"
	for _, c := range []struct {
		opt  Options
		want string
	}{
		{Options{}, `2 columns of single numbers, such as "n", are left out: beside lists of numbers, they are features only if they are selected`},
		{Options{Drop: []string{"n"}}, `column "m" is left out: beside lists of numbers, single numbers are features only if they are selected`},
		{Options{Drop: []string{"n"}, ID: []string{"m"}}, ""},
		{Options{Columns: []string{"e", "n"}}, ""},
	} {
		c.opt.Format = FormatJSONLines
		r, err := NewReader(strings.NewReader(text), &c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if notes := r.Notes(); len(notes) > 0 != (c.want != "") || c.want != "" && notes[0].Text != c.want {
			t.Errorf("%+v: notes %v, want %q", c.opt, notes, c.want)
		}
	}
}
