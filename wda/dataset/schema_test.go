package dataset

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

const people = "id,age,city,height,label\n" +
	"a,1,Rom,7,x\n" +
	"b,,Oslo,8,y\n" +
	"c,3,,9,x\n" +
	"d,8,Rom,NA,y\n"

// TestSchema checks that a table with text and missing values is read according to the options. The schema alone must
// suffice to read a table with reordered columns in the same way.
func TestSchema(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	d, err := readCSV(strings.NewReader(people), Options{ID: []string{"id"}, OneHot: []string{"city"}, KeepMissing: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"age", "city=Oslo", "city=Rom", "height"}; !slices.Equal(d.Columns, want) || !slices.Equal(d.Schema.Features(), want) {
		t.Errorf("columns %q, %q", d.Columns, d.Schema.Features())
	}
	if !slices.Equal(d.IDs[0], []string{"a", "b", "c", "d"}) || !slices.Equal(d.IDNames, []string{"id"}) || d.Schema.Label != "label" || !slices.Equal(d.Schema.LeftOut, []string{"id"}) {
		t.Errorf("%q %q %+v", d.IDs, d.IDNames, d.Schema)
	}
	same := func(x *mat.Dense, want ...float64) {
		t.Helper()
		got := x.RawMatrix().Data
		if len(got) != len(want) {
			t.Fatalf("%v instead of %v", got, want)
		}
		for k := range got {
			if got[k] != want[k] && !(math.IsNaN(got[k]) && math.IsNaN(want[k])) {
				t.Fatalf("%v instead of %v", got, want)
			}
		}
	}
	same(d.X, 1, 0, 1, 7, nan, 1, 0, 8, 3, nan, nan, 9, 8, 0, 1, nan)
	for _, c := range []struct {
		s  *Schema
		is error
	}{{nil, ErrSettings}, {&Schema{Columns: []Column{{Number: 1}}}, ErrSettings}, {&Schema{Columns: []Column{{}}, Total: 1, LabelNumber: -1}, ErrFormat}} {
		if err := d.ImputeFrom(c.s); !errors.Is(err, c.is) {
			t.Errorf("schema %+v: %v", c.s, err)
		}
	}
	if err := d.ImputeFrom(d.Schema); !errors.Is(err, ErrNotFinite) {
		t.Error(err)
	}
	part := d.Subset([]int{0, 1, 2, 3})
	if err := part.Impute(MissingError); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "row 2, column 1 (age)") {
		t.Error(err)
	}
	for how, want := range map[Missing][]float64{
		MissingMean:   {1, 0, 1, 7, 4, 1, 0, 8, 3, 0, 0, 9, 8, 0, 1, 8},
		MissingMedian: {1, 0, 1, 7, 3, 1, 0, 8, 3, 0, 0, 9, 8, 0, 1, 8},
		MissingDrop:   {1, 0, 1, 7},
	} {
		part := d.Subset([]int{0, 1, 2, 3})
		if err := part.Impute(how); err != nil {
			t.Fatal(err)
		}
		same(part.X, want...)
		if part.Schema.Missing != how || d.Schema.Missing != MissingError {
			t.Errorf("%v: %+v", how, part.Schema)
		}
		twice := *part
		if err := twice.Impute(how); err != nil {
			t.Errorf("%v, imputed again: %v", how, err)
		}
		rest := d.Subset([]int{0, 1, 2, 3})
		if err := rest.ImputeFrom(part.Schema); err != nil {
			t.Fatal(err)
		}
		same(rest.X, want...)
		if !reflect.DeepEqual(rest.Schema, part.Schema) || rest.Schema == part.Schema {
			t.Errorf("%v: %+v", how, rest.Schema)
		}
		// Replacements come from the schema, not from the other rows.
		one := d.Subset([]int{1})
		err := one.ImputeFrom(part.Schema)
		if how == MissingDrop {
			if !errors.Is(err, ErrNotFinite) {
				t.Errorf("all rows dropped: %v", err)
			}
		} else if same(one.X, want[4:8]...); err != nil {
			t.Error(err)
		}
		// The same rows are in a table with a different order of columns and with additional columns.
		other := "height,label,city,id,age\n7,x,Rom,a,1\n8,y,Oslo,b,\n9,x,,c,3\nNA,y,Rom,d,8\n"
		again, err := readCSV(strings.NewReader(other), Options{Schema: part.Schema})
		if err != nil {
			t.Fatal(err)
		}
		same(again.X, want...)
		if len(again.Labels) != len(want)/4 {
			t.Errorf("%v: labels %v", how, again.Labels)
		}
		r, err := NewReader(strings.NewReader(other), &Options{Schema: part.Schema, ID: []string{"id"}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.Next(10)
		if err != nil {
			t.Fatal(err)
		}
		same(b.X, want...)
		if len(b.IDs[0]) != len(want)/4 || len(b.Labels) != len(want)/4 || r.Dropped() != 4-len(want)/4 {
			t.Errorf("%v: identifiers %q, labels %q, %d rows dropped", how, b.IDs, b.Labels, r.Dropped())
		}
	}
}

// TestSchemaErrors checks that an error about a table that does not match a schema names the columns.
func TestSchemaErrors(t *testing.T) {
	t.Parallel()
	d, err := readCSV(strings.NewReader("a,b,c,y\n1,2,3,p\n4,5,6,q\n"), Options{Drop: []string{"c"}})
	if err != nil {
		t.Fatal(err)
	}
	read := func(text string, opt Options) (*Dataset, error) {
		opt.Schema = d.Schema
		return readCSV(strings.NewReader(text), opt)
	}
	for text, want := range map[string]ColumnsError{
		"a,y\n1,p\n":         {Missing: []string{"b"}},
		"B,a,y\n1,2,p\n":     {Missing: []string{"b"}, Extra: []string{"B"}, Renamed: map[string]string{"b": "B"}},
		"a,b,e,f\n1,2,3,4\n": {Extra: []string{"e", "f"}},
	} {
		_, err := read(text, Options{})
		e, ok := errors.AsType[*ColumnsError](err)
		if !ok || !slices.Equal(e.Missing, want.Missing) || !slices.Equal(e.Extra, want.Extra) || len(e.Renamed) != len(want.Renamed) || e.Renamed["b"] != want.Renamed["b"] || !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if d, err := read("f,b,a\n9,2,1\n", Options{AllowExtra: true}); err != nil || !mat.Equal(d.X, mat.NewDense(1, 2, []float64{1, 2})) || d.Labels != nil {
		t.Error(d, err)
	}
	// Without names, columns are matched by number, whether or not the file has labels.
	for text, want := range map[string][]float64{"1,2,3,p\n": {1, 2}, "1,2,3\n": {1, 2}, "1,2\n": {1, 2}} {
		if d, err := read(text, Options{}); err != nil || !slices.Equal(d.X.RawMatrix().Data, want) {
			t.Error(text, d, err)
		}
	}
	if _, err := read("1,2,3,4,5\n", Options{}); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	s := d.Schema.Clone()
	for name, spoil := range map[string]func(){
		"no columns":   func() { s.Columns = nil },
		"same name":    func() { s.Columns[1].Name = "a" },
		"no name":      func() { s.Columns[1].Name = "" },
		"number":       func() { s.Columns[0].Number = 9 },
		"fill":         func() { s.Columns[0].Fill = []float64{math.NaN()} },
		"category":     func() { s.Columns[0].Categories = []string{"a", "a"} },
		"width":        func() { s.Columns[0].Width = -1 },
		"missing":      func() { s.Missing = 9 },
		"holdout":      func() { s.Rows.Holdout = 1 },
		"label number": func() { s.LabelNumber = 4 },
	} {
		s = d.Schema.Clone()
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		if spoil(); !errors.Is(s.Check(), ErrSettings) {
			t.Errorf("%s: %v", name, s.Check())
		}
	}
}

// TestSelectColumns checks selection of columns by names, numbers, ranges and patterns.
func TestSelectColumns(t *testing.T) {
	t.Parallel()
	names := []string{"id", "emb1", "emb2", "emb10", "7", "a..b"}
	for s, want := range map[string][]int{
		"id": {0}, "emb*": {1, 2, 3}, "emb?": {1, 2}, "emb1..emb10": {1, 2, 3}, "1..-3": {1, 2, 3}, "-1": {5}, "7": {4}, "a..b": {5}, "*": {0, 1, 2, 3, 4, 5}, "emb2,0": {2, 0},
	} {
		got, err := selectColumns(names, len(names), strings.Split(s, ","))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q chooses %v, %v", s, got, err)
		}
	}
	for s, want := range map[string]string{
		"x": `no column is called "x"`, "ID": `one is called "id"`, "9": "there is no column 9", "emb10..emb1": "ends before it begins", "x*": "no column matches", "id,*": "chosen twice", "id..x": `"x"`,
	} {
		if got, err := selectColumns(names, len(names), strings.Split(s, ",")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q chooses %v, %v", s, got, err)
		}
	}
}

// TestArrayColumns checks the selection of array columns by number, for ReadFile and for Reader.Rows.
func TestArrayColumns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(path, []byte(npyBytes("<f8", false, "(2, 4)", packed(binary.LittleEndian, []float64{1, 2, 3, math.NaN(), 5, 6, 7, 8}))), 0o666); err != nil {
		t.Fatal(err)
	}
	opt := &Options{Columns: []string{"2", "0..1"}}
	want := mat.NewDense(2, 3, []float64{3, 1, 2, 7, 5, 6})
	d, err := ReadFile(path, opt)
	if err != nil || !mat.Equal(d.X, want) {
		t.Fatal(d, err)
	}
	if d, err = ReadFile(path, &Options{Schema: d.Schema}); err != nil || !mat.Equal(d.X, want) {
		t.Fatal(d, err)
	}
	r, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x, _, _, err := r.Rows()
	if err != nil || !mat.Equal(x, want) {
		t.Error(x, err)
	}
	if _, err := ReadFile(path, &Options{Columns: []string{"3"}}); err == nil || !strings.Contains(err.Error(), "row 1, column 4: the value is NaN") {
		t.Error(err)
	}
	d, err = ReadFile(path, &Options{KeepMissing: true})
	if err != nil {
		t.Fatal(err)
	}
	if err = d.Impute(MissingMean); err != nil || d.X.At(0, 3) != 8 || !reflect.DeepEqual(d.Schema.Columns[3].Fill, []float64{8}) {
		t.Error(d, err)
	}
}

// TestFieldsInWords checks that errors describe invalid fields.
func TestFieldsInWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a;b;y\n1;\"2,5\";p\n3;4;q\n": "decimal comma",
		"a;b;y\n1;true;p\n":           "but a boolean",
		"a;b;y\n1;2020-01-31;p\n":     "but looks like a date",
		"a;b;y\n1;NA;p\n":             `"NA" is not a number`,
	} {
		_, err := readCSV(strings.NewReader(text), Options{Delimiter: ';'})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	d, err := readCSV(strings.NewReader("a;b;y\n1,25;2;p\n-3;,5;q\n"), Options{Delimiter: ';', Decimal: ','})
	if err != nil || !mat.Equal(d.X, mat.NewDense(2, 2, []float64{1.25, 2, -3, .5})) {
		t.Error(d, err)
	}
}

// TestSchemaWithoutFill checks that a schema that replaces missing values must contain a value for each numeric column.
// Otherwise a reader would return NaN.
func TestSchemaWithoutFill(t *testing.T) {
	t.Parallel()
	for _, how := range []Missing{MissingMean, MissingMedian} {
		s := &Schema{Columns: []Column{{Name: "a", Fill: []float64{1}}, {Name: "b", Number: 1}, {Name: "c", Number: 2, Categories: []string{"x"}}}, LabelNumber: -1, Total: 3, Missing: how}
		if err := s.Check(); !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), "column 2 has no fill") {
			t.Errorf("%v: %v", how, err)
		}
		s.Columns[1].Fill = []float64{2}
		if err := s.Check(); err != nil {
			t.Errorf("%v: %v", how, err)
		}
	}
}
