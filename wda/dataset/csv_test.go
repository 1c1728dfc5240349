package dataset

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestReadCSV(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	for name, c := range map[string]struct {
		text    string
		opt     Options
		labels  []int
		classes []string
		columns []string
	}{
		"label last": {text: "1,2,7\n3,4,5\n", labels: []int{1, 0}, classes: []string{"5", "7"}},
		"no newline at the end, CRLF, blanks, BOM": {
			text:   "\ufeff 1 ,2,7\r\n\r\n   \r\n3,4, 5",
			labels: []int{1, 0}, classes: []string{"5", "7"}},
		"unlabeled":          {text: "1,2\n3,4\n", opt: Options{Labels: NoLabels()}},
		"first column":       {text: "b,1,2\na,3,4\n", opt: Options{Labels: ParseLabels("0")}, labels: []int{1, 0}, classes: []string{"a", "b"}},
		"from the end":       {text: "1,b,2\n3,a,4\n", opt: Options{Labels: ParseLabels("-2")}, labels: []int{1, 0}, classes: []string{"a", "b"}},
		"header found":       {text: "p,q,y\n1,2,b\n3,4,a\n", labels: []int{1, 0}, classes: []string{"a", "b"}, columns: []string{"p", "q"}},
		"header, name":       {text: "y, p ,q\nb,1,2\na,3,4\n", opt: Options{Labels: ParseLabels("y")}, labels: []int{1, 0}, classes: []string{"a", "b"}, columns: []string{"p", "q"}},
		"header of numbers":  {text: "0,1,2\n1,2,7\n3,4,5\n", opt: Options{Header: HeaderPresent}, labels: []int{1, 0}, classes: []string{"5", "7"}, columns: []string{"0", "1"}},
		"named by a number":  {text: "9,0,1\nb,1,2\na,3,4\n", opt: Options{Header: HeaderPresent, Labels: ParseLabels("9")}, labels: []int{1, 0}, classes: []string{"a", "b"}, columns: []string{"0", "1"}},
		"header, empty name": {text: "p,,y\n1,2,b\n3,4,a\n", labels: []int{1, 0}, classes: []string{"a", "b"}, columns: []string{"p", "column 2"}},
		"header, same name":  {text: "p,p,y\n1,2,b\n3,4,a\n", labels: []int{1, 0}, classes: []string{"a", "b"}, columns: []string{"p", "p.1"}},
		"pandas index":       {text: ",p,q,y\n0,1,2,b\n1,3,4,a\n", labels: []int{1, 0}, classes: []string{"a", "b"}, columns: []string{"p", "q"}},
		"header, unlabeled":  {text: "p,q\n1,2\n3,4\n", opt: Options{Labels: NoLabels()}, columns: []string{"p", "q"}},
		"index, header":      {text: "y,p,q\nb,1,2\na,3,4\n", opt: Options{Labels: ParseLabels("0")}, labels: []int{1, 0}, classes: []string{"a", "b"}, columns: []string{"p", "q"}},
		"semicolons":         {text: "1;2;7\n3;4;5\n", opt: Options{Delimiter: ';'}, labels: []int{1, 0}, classes: []string{"5", "7"}},
		"tabs":               {text: "1\t2\t7\n3\t4\t5\n", opt: Options{Delimiter: '\t'}, labels: []int{1, 0}, classes: []string{"5", "7"}},
		"quotes":             {text: "\"1\", \"2\",\"a, b\"\n3,4,\"c \"\"d\"\"\"\n", labels: []int{0, 1}, classes: []string{"a, b", `c "d"`}},
		"notation":           {text: "1e0,+2.0,x\n0.3e1,4.,x\n", labels: []int{0, 0}, classes: []string{"x"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := readCSV(strings.NewReader(c.text), c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(d.X, x) {
				t.Errorf("X = %v", mat.Formatted(d.X))
			}
			if !slices.Equal(d.Labels, c.labels) || !slices.Equal(d.Classes, c.classes) || !slices.Equal(d.Columns, c.columns) {
				t.Errorf("labels %v classes %q columns %q", d.Labels, d.Classes, d.Columns)
			}
			if (d.Labels == nil) != (c.labels == nil) || d.Split != nil {
				t.Errorf("labels %v, split %v", d.Labels, d.Split)
			}
		})
	}
}

func TestReadCSVErrors(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		opt  Options
		is   error
		want string
	}{
		"empty":            {text: "", is: errEmpty, want: "the file is empty"},
		"blank":            {text: "\n  \n\n", is: errEmpty, want: "the file is empty"},
		"only header":      {text: "a,b,c\n", is: errEmpty, want: "the file holds only a header"},
		"only header, BOM": {text: "\ufeffa,b,c", is: errEmpty, want: "the file holds only a header"},
		"ragged, short":    {text: "1,2,0\n3,0\n", is: errRagged, want: "row 2: 2 fields instead of 3"},
		"ragged, long":     {text: "a,b,y\n1,2,0\n\n1,2,3,0\n", is: errRagged, want: "row 4: 4 fields instead of 3"},
		"text":             {text: "1,2,0\n3,abc,0\n", is: errNotNumber, want: `row 2, column 2: "abc" is not a number`},
		"text, header":     {text: "a,b,y\n3,x,0\n", is: errNotNumber, want: `row 2, column 2 (b): "x" is not a number`},
		"empty field":      {text: "a,b,y\n1,2,0\n,1,0\n", is: errNotNumber, want: `row 3, column 1 (a): the field is empty, not a number`},
		"missing at once":  {text: "1,?,0\n3,4,0\n", is: errNotNumber, want: `row 1, column 2: "?" is not a number (or is this row a header?)`},
		"text everywhere":  {text: "a,b,0\nc,d,0\n", is: errNotNumber, want: `row 1, column 1: "a" is not a number (or is this row a header?)`},
		"header denied":    {text: "a,b,0\n1,2,0\n", opt: Options{Header: HeaderAbsent}, is: errNotNumber, want: `row 1, column 1: "a" is not a number`},
		"NaN":              {text: "1,2,0\n3,NaN,0\n", is: errNaN, want: `row 2, column 2: the value is NaN`},
		"NaN, first row":   {text: "nan,nan,0\n3,1,0\n", is: errNaN, want: `row 1, column 1: the value is NaN (or is this row a header?)`},
		"infinity":         {text: "a,b,y\n3,-inf,0\n", is: errInf, want: `row 2, column 2 (b): the value is infinite`},
		"overflow":         {text: "1,2,0\n1e999,1,0\n", is: errInf, want: `row 2, column 1: "1e999" is beyond the range of float64`},
		"label missing":    {text: "a,b,y\n1,2,0\n1,2,\n", is: errNoLabels, want: `row 3, column 3 (y): the label is missing`},
		"label NaN":        {text: "1,2,0\n\n1,2,nan\n", is: errLabelEmpty, want: `row 3, column 3: the label is missing: "nan"`},
		"label infinite":   {text: "1,2,0\n1,2,inf\n", is: errInf, want: `row 2, column 3: the label is infinite`},
		"no such name":     {text: "a,b\n1,2\n", opt: Options{Labels: ParseLabels("y")}, is: errNoLabels, want: `no column is called "y"; the columns are "a", "b"`},
		"twice the name":   {text: "a,y,y\n1,2,3\n", opt: Options{Labels: ParseLabels("y")}, is: errNoLabels, want: `columns 2 and 3 are both called "y"`},
		"no such index":    {text: "1,2\n", opt: Options{Labels: ParseLabels("2")}, is: errNoLabels, want: `there is no label column 2: the file has 2 columns`},
		"no such negative": {text: "1,2\n", opt: Options{Labels: ParseLabels("-3")}, is: errNoLabels, want: `there is no label column -3: the file has 2 columns`},
		"only a label":     {text: "1\n2\n", is: errShape, want: "there is no feature column: the only column is the label"},
		"open quote":       {text: "1,2,0\n1,\"2,0\n3,4,0\n", is: ErrFormat},
		"too large":        {text: "1,2,0\n1,2,0\n", opt: Options{MaxElements: 3}, is: ErrTooLarge, want: "row 2: more than the allowed 3 elements"},
		"long text":        {text: strings.Repeat("x", 1000) + "1,2,0\n1,2,0\n", is: errNotNumber, want: `row 1, column 1: "` + strings.Repeat("x", 40) + `…" is not a number (or is this row a header?)`},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := readCSV(strings.NewReader(c.text), c.opt)
			if d != nil {
				t.Error("data despite an error")
			}
			wantError(t, err, c.is, c.want)
		})
	}
}

// wantError checks that err is a *FileError that matches the sentinel error and has the given text. An empty text
// matches every error.
func wantError(t *testing.T, err, is error, text string) {
	t.Helper()
	var fe *FileError
	if !errors.As(err, &fe) {
		t.Fatalf("error %v is not a *FileError", err)
	}
	if !errors.Is(err, is) {
		t.Errorf("error %q is not %q", err, is)
	}
	if text != "" && err.Error() != text {
		t.Errorf("error %q, want %q", err, text)
	}
}

// TestDecimalComma checks that a header above numbers with decimal commas is found, and that the error without
// Options.Decimal names this option.
func TestDecimalComma(t *testing.T) {
	const text = "a;b;kind\n0,5;-1,25e2;x\n3;,5;y\n"
	opt := Options{Format: FormatCSV, Delimiter: ';'}
	_, err := readCSV(strings.NewReader(text), opt)
	if fe, ok := errors.AsType[*FileError](err); !ok || fe.Option != "Decimal" || fe.Row != 2 || fe.Name != "a" {
		t.Errorf("without the option: %v", err)
	}
	opt.Decimal = ','
	d, err := readCSV(strings.NewReader(text), opt)
	if err != nil || !slices.Equal(d.Columns, []string{"a", "b"}) || !slices.Equal(d.X.RawMatrix().Data, []float64{0.5, -125, 3, 0.5}) {
		t.Errorf("%+v, %v", d, err)
	}
	// Without a header, the first row is data.
	for _, first := range []string{"0,5;1,25;x\n", "1,5e2;1,25E-1;x\n"} {
		if d, err = readCSV(strings.NewReader(first+"3,5;0,5;y\n"), opt); err != nil || d.Len() != 2 || d.Columns != nil {
			t.Errorf("%q: %+v, %v", first, d, err)
		}
	}
}

// TestJSONArray checks that the error for a JSON array says that the input is a JSON array.
func TestJSONArray(t *testing.T) {
	_, err := NewReader(strings.NewReader(" [\n {\"a\": 1}]"), nil)
	wantError(t, err, ErrFormat, "the file is one JSON array; write JSON lines: one object on each line, without brackets around them and commas between them")
}

// TestDecimalCommaInQuotes checks that quoted numbers may have decimal commas even if commas also separate the fields.
// Without quotes, decimal commas would be ambiguous, and they are an error.
func TestDecimalCommaInQuotes(t *testing.T) {
	opt := Options{Decimal: ','}
	d, err := readCSV(strings.NewReader("a,b,kind\n\"0,5\",2,x\n3,\"1,25\",y\n"), opt)
	if err != nil || !slices.Equal(d.X.RawMatrix().Data, []float64{0.5, 2, 3, 1.25}) {
		t.Errorf("%+v, %v", d, err)
	}
	_, err = readCSV(strings.NewReader("0,5,1,25,x\n3,0,1,0,y\n"), opt)
	if !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), "also separates the fields") {
		t.Errorf("without quotes: %v", err)
	}
}

// TestNamesAreEscaped checks that names in messages cannot control a terminal.
func TestNamesAreEscaped(t *testing.T) {
	_, err := readCSV(strings.NewReader("\x1b[31mred,y\n1,a\nx,b\n"), Options{})
	wantError(t, err, errNotNumber, `row 3, column 1 (\x1b[31mred): "x" is not a number`)
	e := &FileError{Path: "a\x07 \"b\"", Array: "c\nd", Err: ErrFormat}
	if got, want := e.Error(), `a\a "b": array c\nd: `+ErrFormat.Error(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestReadCSVEndlessRecord checks that an endless record does not fill the memory.
func TestReadCSVEndlessRecord(t *testing.T) {
	for _, text := range []string{"1", "1,\"2\n", "1,\"2,\n3,\n"} {
		table, err := newTable(bufio.NewReader(&endless{text: text}), ',', 0)
		if err != nil {
			t.Fatal(err)
		}
		table.maxBytes = 1 << 20
		if _, err := table.nextRecord(); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%q without end: error %v", text, err)
		}
	}
}

// endless is a reader that returns a text and then repeats the last byte of the text forever.
type endless struct{ text string }

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text)
	for i := n; i < len(p); i++ {
		p[i] = e.text[len(e.text)-1]
	}
	e.text = e.text[max(len(e.text)-1, 0):]
	return len(p), nil
}

func TestReadErrorPassesThrough(t *testing.T) {
	broken := errors.New("cable cut")
	r := func() *failing { return &failing{strings.NewReader("1,2,3\n4,"), broken} }
	if _, err := readCSV(r(), Options{}); !errors.Is(err, broken) {
		t.Errorf("CSV: %v", err)
	}
	if _, err := readNPY(&failing{strings.NewReader("\x93NUM"), broken}, Options{}); !errors.Is(err, broken) {
		t.Errorf("NPY: %v", err)
	}
	if _, err := readIDX(&failing{strings.NewReader("\x00\x00\x08\x02"), broken}, Options{}); !errors.Is(err, broken) {
		t.Errorf("IDX: %v", err)
	}
}

// failing is a reader that ends with an error instead of io.EOF.
type failing struct {
	r   *strings.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.r.Len() == 0 {
		return 0, f.err
	}
	return f.r.Read(p)
}

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		texts, classes []string
		labels         []int
	}{
		{[]string{"10", "9", "-1", "10"}, []string{"-1", "9", "10"}, []int{2, 1, 0, 2}},
		{[]string{"10", "9", "x"}, []string{"10", "9", "x"}, []int{0, 1, 2}},
		{[]string{"1.0", "1", "-2.0", "2.5"}, []string{"-2", "1", "2.5"}, []int{1, 1, 0, 2}},
		{[]string{"0", "-0", "-0.0"}, []string{"0"}, []int{0, 0, 0}},
		{[]string{"1", "1.0", "x"}, []string{"1", "1.0", "x"}, []int{0, 1, 2}},
		{[]string{" a", "a ", "a"}, []string{"a"}, []int{0, 0, 0}},
		// If one label is not a plain number, every label is treated as text.
		{[]string{"1", "1.0", "01"}, []string{"01", "1", "1.0"}, []int{1, 2, 0}},
		{[]string{"3.1", "3.10", "3.9"}, []string{"3.1", "3.10", "3.9"}, []int{0, 1, 2}},
		{[]string{"100000", "1E5", "2"}, []string{"2", "100000", "1E5"}, []int{1, 2, 0}},
		{[]string{"+1", "1"}, []string{"+1", "1"}, []int{0, 1}},
		{[]string{"0.5", ".5"}, []string{".5", "0.5"}, []int{1, 0}},
		{[]string{"1.00", "1"}, []string{"1", "1.00"}, []int{1, 0}},
		{[]string{"0.1", "0.10000000000000000555"}, []string{"0.1", "0.10000000000000000555"}, []int{0, 1}},
		{[]string{"9007199254740993", "9007199254740992"}, []string{"9007199254740992", "9007199254740993"}, []int{1, 0}},
		{[]string{"99999999999999999999", "99999999999999999998"}, []string{"99999999999999999998", "99999999999999999999"}, []int{1, 0}},
		{[]string{"-", "+", "-"}, []string{"+", "-"}, []int{1, 0, 1}},
		{[]string{"é", "z", "a"}, []string{"a", "z", "é"}, []int{2, 1, 0}},
	} {
		var e encoder
		for i, text := range c.texts {
			e.add([]byte(text), i+1)
		}
		labels, classes, _, err := e.encode(MissingLabelsError)
		if err != nil {
			t.Errorf("%q: %v", c.texts, err)
		}
		if !slices.Equal(labels, c.labels) || !slices.Equal(classes, c.classes) {
			t.Errorf("%q: labels %v classes %q", c.texts, labels, classes)
		}
	}
}

// folder writes files and returns a function that returns the path of a file name.
func folder(t *testing.T, files map[string]string) func(name string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

func TestLabelFile(t *testing.T) {
	path := folder(t, map[string]string{
		"x.csv": "1,2\n3,4\n5,6\n", "n.txt": "2\n\n1\n2", "h.txt": "class\n2\n1\n2\n", "s.txt": "b\na\nb\n", "hs.txt": "class\nb\na\nb\n", "p.txt": "label\nb\na\nb\n",
		"gz.txt": gz("2\n1\n2\n"), "two.txt": "2\n1\n", "wide.txt": "1\n2,3\n4\n", "empty.txt": "\n", "nan.txt": "1\nnan\n2\n",
		"u.npy":       npyBytes("<U2", false, "(3,)", "b\x00\x00\x00\x00\x00\x00\x00a\x00\x00\x00\x00\x00\x00\x00b\x00\x00\x00\x00\x00\x00\x00"),
		"y.npz":       npzBytes(t, map[string]string{"y.npy": npyBytes("|i1", false, "(3,)", "\x02\x01\x02")}),
		"l.idx":       "\x00\x00\x08\x01\x00\x00\x00\x03\x02\x01\x02",
		"nolabel.npz": npzBytes(t, map[string]string{"X.npy": npyBytes("|i1", false, "(1,1)", "\x02")}),
	})
	for name, classes := range map[string][]string{
		"n.txt": {"1", "2"}, "h.txt": {"1", "2"}, "s.txt": {"a", "b"}, "hs.txt": {"a", "b"}, "p.txt": {"a", "b"}, "gz.txt": {"1", "2"},
		"u.npy": {"a", "b"}, "y.npz": {"1", "2"}, "l.idx": {"1", "2"},
	} {
		d, err := ReadFile(path("x.csv"), &Options{Labels: LabelFile(path(name))})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, cols := d.X.Dims(); cols != 2 || !slices.Equal(d.Labels, []int{1, 0, 1}) || !slices.Equal(d.Classes, classes) {
			t.Errorf("%s: %d columns, labels %v, classes %q", name, cols, d.Labels, d.Classes)
		}
	}
	for name, c := range map[string]struct {
		is   error
		want string
	}{
		"two.txt":     {errLabelCount, "2 labels for 3 rows"},
		"wide.txt":    {errShape, "row 2: 2 fields instead of one label"},
		"empty.txt":   {errEmpty, "the file holds no labels"},
		"nan.txt":     {errLabelEmpty, `row 2: the label is missing: "nan"`},
		"nolabel.npz": {errNoArray, `array y: no such array; the file has "X"`},
		"absent":      {os.ErrNotExist, ""},
	} {
		_, err := ReadFile(path("x.csv"), &Options{Labels: LabelFile(path(name))})
		want := c.want
		if want != "" {
			want = path(name) + ": " + want
		}
		wantError(t, err, c.is, want)
	}
}
