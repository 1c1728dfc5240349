package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestNumericHeader reads tables whose first row looks like numbers. Depending on the table, the first row must be read as
// a header, be read as data, or cause an error that names Options.Header. Every table is tried with commas, with tabs, and
// with quotes.
func TestNumericHeader(t *testing.T) {
	named := &Schema{Columns: []Column{{Name: "0"}, {Name: "1", Number: 1}}, LabelNumber: 2, Label: "2", Total: 3}
	for name, c := range map[string]struct {
		text    string // CSV table with blanks instead of line breaks
		opt     Options
		columns string // names of the columns; "" if the first row is data; "?" for an error
		noted   bool
	}{
		"no names in pandas":                         {text: "0,1,2 0.5,1.5,1 2.5,3.5,2", columns: "[0 1]", noted: true},
		"no names in pandas, with an index":          {text: ",0,1,2 0,0.5,1.5,1 1,2.5,3.5,2", columns: "[0 1]", noted: true},
		"no names in pandas, no labels":              {text: "0,1,2 0.5,1.5,0.5 2.5,3.5,1.5", opt: Options{Labels: NoLabels()}, columns: "[0 1 2]", noted: true},
		"integers above integers":                    {text: "0,1,2 5,6,1 7,8,2", columns: "?"},
		"two columns":                                {text: "0,1 0.5,1.5 2.5,3.5", opt: Options{Labels: NoLabels()}, columns: "?"},
		"missing values below names":                 {text: "a,b,c ,NA,x 1,2,y 3,4,x", opt: Options{KeepMissing: true}, columns: "[a b]"},
		"a column of missing values":                 {text: "a,b,c ,NA,x ,2,y ,4,x", opt: Options{KeepMissing: true}, columns: "[a b]"},
		"numbers below text below text":              {text: "a,b,c q,r,x 3,4,x", opt: Options{OneHot: []string{"0", "1"}}},
		"no row below":                               {text: "0,1,2", columns: "?"},
		"one column":                                 {text: "0 0.5 1.5", opt: Options{Labels: NoLabels()}, noted: true},
		"one column of others":                       {text: "7 0.5 1.5", opt: Options{Labels: NoLabels()}},
		"the same row below":                         {text: "0,1,2 5,6,1 0,1,2"},
		"another sequence":                           {text: "1,2,3 5.5,6.5,1 7.5,8.5,2"},
		"declared":                                   {text: "0,1,2 5,6,1 7,8,2", opt: Options{Header: HeaderPresent}, columns: "[0 1]"},
		"denied":                                     {text: "0,1,2 0.5,1.5,1 2.5,3.5,2", opt: Options{Header: HeaderAbsent}},
		"names of the model":                         {text: "0,1 5,6 7,8", opt: Options{Schema: named}, columns: "[0 1]", noted: true},
		"names of the model in another order":        {text: "1,0 5,6 7,8", opt: Options{Schema: named}, columns: "[0 1]", noted: true},
		"names of the model and labels":              {text: "2,1,0 a,6,5 b,8,7", opt: Options{Schema: named}, columns: "[0 1]", noted: true},
		"not the names of the model":                 {text: "5,6 7,8", opt: Options{Schema: named}, columns: "data of the model"},
		"named labels":                               {text: "0,1,label 5,6,a 7,8,b", columns: "[0 1]", noted: true},
		"named labels above wavelengths":             {text: "400.5,401,class 1,2,a 2,3,a 7,8,b", columns: "[400.5 401]", noted: true},
		"a name above numbers":                       {text: "0,1,kind 5,6,1 7,8,2", columns: "[0 1]", noted: true},
		"a label of its own, integers":               {text: "0,1,kind 5,6,a 7,8,a", columns: "?"},
		"a label of its own, decimals":               {text: "0,1,kind 0.5,1.5,a 2.5,3.5,a", columns: "[0 1]", noted: true},
		"a label that occurs below":                  {text: "0,1,a 0.5,1.5,b 2.5,3.5,a"},
		"years above decimals":                       {text: "2010,2011,land 1.5,2.5,a 2.5,1.5,b 0.5,4.5,a 3.5,2.5,b 1.5,0.5,a", columns: "[2010 2011]", noted: true},
		"iris":                                       {text: "5.1,3.5,setosa 4.9,3.0,setosa 7,3.2,versicolor"},
		"yes and no":                                 {text: "0,1,y 5,6,n 7,8,n", columns: "?"},
		"what predict --proba writes":                {text: "label,3,1 a,0.5,0.5 b,1,0", opt: Options{Labels: LabelIndex(0)}, columns: "[3 1]", noted: true},
		"decimal commas below":                       {text: "0;1;2 0,5;1,5;1 2,5;3,5;2", opt: Options{Delimiter: ';', Decimal: ','}, columns: "[0 1]", noted: true},
		"a column chosen by a name that is a number": {text: ",0,1,2 7,a,0.5,1.5 8,b,2.5,3.5", opt: Options{Labels: ParseLabels("0")}, columns: "[1 2]", noted: true},
	} {
		for _, form := range []string{"plain", "tabs", "quoted", "CRLF"} {
			text, opt := strings.ReplaceAll(c.text, " ", "\n")+"\n", c.opt
			switch {
			case form == "tabs" && opt.Delimiter == 0:
				text, opt.Delimiter = strings.ReplaceAll(text, ",", "\t"), '\t'
			case form == "quoted" && opt.Delimiter == 0:
				text = `"` + strings.NewReplacer(",", `","`, "\n", "\"\n\"").Replace(strings.TrimSpace(text)) + "\"\n"
			case form == "CRLF":
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			if c.columns == "?" {
				_, err := readCSV(strings.NewReader(text), opt)
				if fe, ok := errors.AsType[*FileError](err); !ok || fe.Option != "Header" || fe.Value != "" || fe.Row != 1 {
					t.Errorf("%s, %s: error %v, want one that names Header", name, form, err)
				}
				continue
			}
			opt.Format = FormatCSV
			r, err := NewReader(strings.NewReader(text), &opt)
			if err != nil {
				t.Errorf("%s, %s: %v", name, form, err)
				continue
			}
			d, err := r.ReadAll()
			if err != nil {
				t.Errorf("%s, %s: %v", name, form, err)
				continue
			}
			lines := strings.Count(c.text, " ") + 1
			if want := c.columns; want == "" && (d.Columns != nil || d.Len() != lines) || strings.HasPrefix(want, "[") && (fmt.Sprint(d.Columns) != want || d.Len() != lines-1) {
				t.Errorf("%s, %s: %d rows, columns %v, want %s", name, form, d.Len(), d.Columns, want)
			}
			headerNotes := slices.DeleteFunc(r.Notes(), func(n Note) bool { return n.Option != "Header" })
			if c.noted != (len(headerNotes) > 0) {
				t.Errorf("%s, %s: notes %v", name, form, r.Notes())
			}
		}
	}
}

// TestNumericHeaderOrder checks that reordered columns with numeric names match the columns of the model.
func TestNumericHeaderOrder(t *testing.T) {
	s := &Schema{Columns: []Column{{Name: "0"}, {Name: "1", Number: 1}}, LabelNumber: -1, Total: 2}
	d, err := readCSV(strings.NewReader("1,0\n5,6\n7,8\n"), Options{Schema: s})
	if err != nil || !slices.Equal(d.X.RawMatrix().Data, []float64{6, 5, 8, 7}) {
		t.Errorf("%v, %v", d, err)
	}
}

// TestQuotedHeader checks that a quoted header above unquoted numbers is recognized. R writes such files.
func TestQuotedHeader(t *testing.T) {
	d, err := readCSV(strings.NewReader("\"0\",\"1\"\n5,6\n7,8\n"), Options{Labels: NoLabels()})
	if err != nil || fmt.Sprint(d.Columns) != "[0 1]" {
		t.Errorf("%v, %v", d, err)
	}
}

// TestThousands checks that thousands separators are never read as decimal separators. If a comma may be either
// separator, the error shows both possible numbers.
func TestThousands(t *testing.T) {
	for _, c := range []struct {
		field   string
		decimal rune
		option  string
		want    string
	}{
		{"n.a.", ',', "OneHot", `"n.a." is not a number`},
		{"2.155", ',', "", `"2.155" has a point, but the decimal separator is ','; if points separate thousands, remove them from the file`},
		{"1.5", ',', "", `"1.5" has a point`},
		{"1.234,5", ',', "", `"1.234,5" has a point`},
		{"2,155", 0, "Decimal", `"2,155" is not a number; if its comma separates thousands, write 2155; only if it is a decimal comma, the number is 2.155`},
		{"-12,044", 0, "Decimal", `write -12044;`},
		{"2,15", 0, "Decimal", `"2,15" is not a number, but may have a decimal comma`},
		{"1,234,567", 0, "", "if it has separators of thousands, remove them from the file"},
		{"1,234.5", 0, "", "separators of thousands"},
		{"1.234.567", 0, "", "separators of thousands"},
		{"1.234,5", 0, "", "separators of thousands"},
		{"1'234", 0, "", "separators of thousands"},
		{"1 234", 0, "", "separators of thousands"},
		{"1\u202f234", 0, "", "separators of thousands"},
		{"1,234,567", ',', "", "separators of thousands"},
	} {
		_, err := readCSV(strings.NewReader("x;y\n0;1\n\""+c.field+"\";2\n"), Options{Delimiter: ';', Decimal: c.decimal, Labels: NoLabels()})
		fe, ok := errors.AsType[*FileError](err)
		if !ok || fe.Row != 3 || fe.Column != 1 || !strings.Contains(err.Error(), c.want) || fe.Option != c.option {
			t.Errorf("%q with %q: %v, want %q, option %q", c.field, c.decimal, err, c.want, c.option)
		}
	}
}

// TestNamesInLatin1 checks that distinct Latin-1 names stay distinct.
func TestNamesInLatin1(t *testing.T) {
	_, err := readCSV(strings.NewReader("gr\xf6\xdfe,gr\xfc\xdfe,label\n1,5,a\n"), Options{})
	wantError(t, err, ErrFormat, `row 1, column 1: the name "gr\xf6\xdfe" of the column is not UTF-8; save the file as UTF-8`)
	_, err = readJSON("{\"gr\xf6\xdfe\":1,\"gr\xfc\xdfe\":2}\n", Options{})
	wantError(t, err, ErrFormat, `row 1: the line is not UTF-8; save the file as UTF-8`)
}

// missingTables returns a CSV table and a JSON lines table whose rows have these labels. It also returns the elements
// of an NPY array of strings with the same labels.
func missingTables(labels []string) map[string]string {
	var csv, json, u bytes.Buffer
	csv.WriteString("x,z,label\n")
	for i, l := range labels {
		fmt.Fprintf(&csv, "%d,7,\"%s\"\n", i, l)
		if l == "" {
			fmt.Fprintf(&json, "{\"x\":%d,\"z\":7}\n", i)
		} else {
			fmt.Fprintf(&json, "{\"x\":%d,\"z\":7,\"label\":%q}\n", i, l)
		}
		for k := range 4 {
			c := byte(0)
			if k < len(l) {
				c = l[k]
			}
			u.Write([]byte{c, 0, 0, 0})
		}
	}
	return map[string]string{"csv": csv.String(), "jsonl": json.String(), "u4": u.String()}
}

// TestMissingLabels checks that every format drops or keeps the same rows with missing labels. Each file is read at
// once and in blocks.
func TestMissingLabels(t *testing.T) {
	for _, c := range []struct {
		labels, how string
		missing     int    // row number in the error, from 1
		classes     string // class names if there is no error
	}{
		{"a,b,a", "error", 0, "[a b]"},
		{"a,,b", "error", 2, ""}, {"a,,b", "drop", 0, "[a b]"}, {"a,,b", "keep", 2, ""},
		{"a,NA,b,nan", "error", 2, ""}, {"a,NA,b,nan", "drop", 0, "[a b]"}, {"a,NA,b,nan", "keep", 0, "[NA a b nan]"},
		{"a,b,N/A", "error", 3, ""}, {"None,b,a", "error", 1, ""}, {"a,null,b", "error", 2, ""}, {"a,?,b", "error", 2, ""}, {"a,<NA>", "error", 2, ""},
		{"0,1,NaN", "error", 3, ""}, {"0,1,NaN", "drop", 0, "[0 1]"}, {"0,1,NaN", "keep", 0, "[0 1 NaN]"},
		{"a,-,b", "error", 2, ""}, {"a,-,b", "keep", 0, "[- a b]"}, {"-,a,+", "error", 0, "[+ - a]"}, {"+,-,NA", "drop", 0, "[+ -]"},
	} {
		labels := strings.Split(c.labels, ",")
		tables := missingTables(labels)
		tables["npz"] = npzBytes(t, map[string]string{"X.npy": npyBytes("|i1", false, fmt.Sprintf("(%d, 1)", len(labels)), string(make([]byte, len(labels)))),
			"y.npy": npyBytes("<U4", false, fmt.Sprintf("(%d,)", len(labels)), tables["u4"])})
		var opt Options
		if err := opt.MissingLabels.UnmarshalText([]byte(c.how)); err != nil {
			t.Fatal(err)
		}
		for _, format := range []Format{FormatCSV, FormatJSONLines, FormatNPZ} {
			opt.Format = format
			text := tables[format.String()]
			for _, blocks := range []bool{false, true} {
				if blocks && c.missing == 0 && slices.Contains(labels, "-") && !slices.Contains(labels, "+") && c.how != "keep" {
					continue
				}
				r, err := NewReader(strings.NewReader(text), &opt)
				if err != nil {
					t.Fatal(err)
				}
				var d *Dataset
				if blocks {
					d, err = Collect(func() (*Block, error) { return r.Next(2) }, &opt)
				} else {
					d, err = r.ReadAll()
				}
				if c.missing > 0 {
					row := c.missing
					if format == FormatCSV {
						row++
					}
					if fe, ok := errors.AsType[*FileError](err); !ok || fe.Row != row || fe.Option != "MissingLabels" || !errors.Is(err, ErrLabels) {
						t.Errorf("%s, %s, %v, blocks %v: error %v, want row %d", c.labels, c.how, format, blocks, err, row)
					}
					continue
				}
				if err != nil || fmt.Sprint(d.Classes) != c.classes || d.Len() != len(d.Labels) {
					t.Errorf("%s, %s, %v, blocks %v: %v %v, error %v", c.labels, c.how, format, blocks, d.Labels, d.Classes, err)
					continue
				}
				if left := len(labels) - d.Len(); r.Dropped() != left {
					t.Errorf("%s, %s, %v, blocks %v: %d rows dropped, want %d", c.labels, c.how, format, blocks, r.Dropped(), left)
				}
				for i, l := range d.Labels { // rows that were not dropped keep their labels
					if format == FormatCSV && d.Classes[l] != labels[int(d.X.At(i, 0))] {
						t.Errorf("%s, %s: row %v has the label %s", c.labels, c.how, d.X.At(i, 0), d.Classes[l])
					}
				}
			}
		}
	}
	// Whether a dash is a missing label is known only at the end of a stream.
	r, _ := NewReader(strings.NewReader("1,a\n2,-\n3,b\n"), &Options{Format: FormatCSV, MissingLabels: MissingLabelsDrop})
	_, err := Collect(func() (*Block, error) { return r.Next(2) }, nil)
	wantError(t, err, errLabelEmpty, `row 2, column 2: the label "-" is missing, as no label of the file is "+"`)
}

// TestIgnoreLabels checks that labels may be missing if they are not read.
func TestIgnoreLabels(t *testing.T) {
	for format, text := range map[Format]string{
		FormatCSV: "x,label\n1,a\n2,\n", FormatJSONLines: "{\"x\":1,\"label\":\"a\"}\n{\"x\":2}\n",
		FormatNPZ: npzBytes(t, map[string]string{"X.npy": npyBytes("|i1", false, "(2, 1)", "\x01\x02"), "y.npy": npyBytes("<f4", false, "(2,)", "\x00\x00\x00\x00\x00\x00\xc0\x7f")}),
	} {
		d, err := readAs(format, strings.NewReader(text), Options{IgnoreLabels: true})
		if err != nil || d.Labels != nil || !slices.Equal(d.X.RawMatrix().Data, []float64{1, 2}) {
			t.Errorf("%v: %v, %v", format, d, err)
		}
	}
}

// TestRelabelByValue checks that labels are matched by text first, and by numeric value if exactly one class has that
// value.
func TestRelabelByValue(t *testing.T) {
	for _, c := range []struct {
		labels, classes []string
		want            string
		notes           int
	}{
		{[]string{"3.1", "3.10"}, []string{"3.1", "3.10", "3.9"}, "[0 1]", 0},
		{[]string{"1", "2"}, []string{"01", "02", "x"}, "[0 1]", 2},
		{[]string{"3.10", "3.9"}, []string{"3.1", "3.9"}, "[0 1]", 1},
		{[]string{"1.00"}, []string{"1", "01"}, "", 0}, // which of them?
		{[]string{"x"}, []string{"1", "2"}, "", 0},
	} {
		d := &Dataset{Classes: c.labels}
		for i := range c.labels {
			d.Labels = append(d.Labels, i)
		}
		notes, err := d.Relabel(c.classes)
		if (err == nil) != (c.want != "") || err == nil && fmt.Sprint(d.Labels) != c.want || len(notes) != c.notes {
			t.Errorf("%v to %v: %v, notes %v, error %v", c.labels, c.classes, d.Labels, notes, err)
		}
	}
}

// TestTwoSpellings checks that there is a note if two labels are different spellings of the same number.
func TestTwoSpellings(t *testing.T) {
	for text, want := range map[string]string{
		"1,a\n2,b\n":        "",
		"1,3.1\n2,3.10\n":   `the labels "3.1" and "3.10" are the same number, but different texts, and therefore two classes`,
		"1,1\n2,2\n3,1.0\n": `the labels "1" and "1.0" are one class, because all labels are plain numbers`,
	} {
		r, err := NewReader(strings.NewReader(text), &Options{Format: FormatCSV})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.ReadAll(); err != nil {
			t.Fatal(err)
		}
		if notes := r.Notes(); len(notes) > 0 != (want != "") || want != "" && notes[0].Text != want {
			t.Errorf("%q: notes %v", text, notes)
		}
	}
}

// TestNACategory checks that NA can be a category of a text column, and that a model that knows this category keeps it.
func TestNACategory(t *testing.T) {
	const text = "c,v,label\nNA,1,a\nNC,2,b\n,3,a\n"
	for _, keep := range []bool{false, true} {
		d, err := readCSV(strings.NewReader(text), Options{OneHot: []string{"c"}, KeepMissing: true, KeepNA: keep})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"NC"}
		if keep {
			want = []string{"NA", "NC"}
		}
		if got := d.Schema.Columns[0].Categories; !slices.Equal(got, want) || math.IsNaN(d.X.At(0, 0)) == keep || !math.IsNaN(d.X.At(2, 0)) {
			t.Errorf("keep %v: categories %q, X %v", keep, got, d.X.RawMatrix().Data)
		}
		if !keep {
			continue
		}
		d, err = readCSV(strings.NewReader("c,v\nNA,1\n"), Options{Schema: d.Schema, Labels: NoLabels()})
		if err != nil || !slices.Equal(d.X.RawMatrix().Data, []float64{1, 0, 1}) {
			t.Errorf("with the schema: %v, %v", d, err)
		}
	}
}
