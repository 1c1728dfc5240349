package dataset

import (
	"bufio"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// checkValid checks that a reader returned either consistent data, or a *FileError and no data.
func checkValid(t *testing.T, d *Dataset, err error) {
	t.Helper()
	if err != nil {
		var fe *FileError
		if d != nil || !errors.As(err, &fe) {
			t.Fatalf("data %v, error %#v", d, err)
		}
		if fe.Row < 0 || fe.Column < 0 || err.Error() == "" {
			t.Fatalf("error %#v", fe)
		}
		return
	}
	rows, cols := d.X.Dims()
	if rows < 1 || cols < 1 || rows*cols > fuzzElements {
		t.Fatalf("%d × %d", rows, cols)
	}
	for _, v := range d.X.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatal("not finite")
		}
	}
	if d.Labels != nil {
		if len(d.Labels) != rows || len(slices.Compact(slices.Clone(d.Classes))) != len(d.Classes) {
			t.Fatalf("%d labels for %d rows, classes %q", len(d.Labels), rows, d.Classes)
		}
		for c, n := range d.Counts() {
			if n == 0 {
				t.Fatalf("no row of class %q", d.Classes[c])
			}
		}
	}
	if d.Split != nil && len(d.Split) != rows {
		t.Fatalf("split of %d for %d rows", len(d.Split), rows)
	}
	if d.Columns != nil && len(d.Columns) != cols {
		t.Fatalf("%d names for %d columns", len(d.Columns), cols)
	}
}

const fuzzElements = 1 << 16

func FuzzReadCSV(f *testing.F) {
	for _, text := range []string{
		"1,2,7\n3,4,5\n", "p,q,y\n1,2,b\n3,4,a\n", "\ufeff 1 ,\"2\",x\r\n\r\n3,4,\"y\"\"\"", "nan,1,0\n", "1,2\n3\n", ",,\n,,\n", "1\t2\n", "1e999,1\n", "\"",
	} {
		f.Add(text, "", uint8(0))
		f.Add(text, "-1", uint8(5))
		f.Add(text, "y", uint8(2))
	}
	f.Fuzz(func(t *testing.T, text, label string, bits uint8) {
		opt := Options{
			Labels: ParseLabels(label), Header: Header(bits % 3), MaxElements: fuzzElements,
			Delimiter: []rune{0, '\t', ';', ' '}[bits>>3&3],
		}
		if bits&4 != 0 {
			opt.Labels = NoLabels()
		}
		d, err := readCSV(strings.NewReader(text), opt)
		checkValid(t, d, err)
		if e, err := readCSVLabels(bufio.NewReader(strings.NewReader(text)), fuzzElements); err == nil {
			if labels, classes, _, err := e.encode(MissingLabelsError); err == nil && (len(labels) < 1 || len(classes) < 1) {
				t.Fatalf("labels %v classes %q", labels, classes)
			}
		}
		if err != nil {
			return
		}
		// The data can be written and read again.
		var b strings.Builder
		if err := writeCSV(&b, d); err != nil {
			t.Fatal(err)
		}
		again := Options{Header: HeaderAbsent}
		if d.Labels == nil {
			again.Labels = NoLabels()
		}
		if d.Columns != nil {
			again.Header = HeaderPresent
		}
		e, err := readCSV(strings.NewReader(b.String()), again)
		if err != nil {
			t.Fatalf("%q written as %q: %v", text, b.String(), err)
		}
		sameBits(t, e.X, d.X)
		if !slices.Equal(e.Labels, d.Labels) || !slices.Equal(e.Classes, d.Classes) {
			t.Fatalf("labels %v %q became %v %q", d.Labels, d.Classes, e.Labels, e.Classes)
		}
	})
}

func npySeeds() []string {
	return []string{
		npyBytes("|u1", false, "(2, 3)", "\x00\x01\x02\x03\x80\xff"),
		npyBytes("<f8", true, "(2, 3)", nan8),
		npyBytes(">i2", true, "(2, 1)", "\x00\x01\x02\x03"),
		npyBytes("|b1", false, "(1, 2)", "\x00\x07"),
		npyBytes("<U2", false, "(2,)", "a\x00\x00\x00b\x00\x00\x00c\x00\x00\x00\x00\x00\x00\x00"),
		npyBytes("|S2", false, "(2,)", "a\x00bc"),
		npyBytes("<f4", false, "(4294967296, 4294967296)", "\x00"),
		npyBytes("|u1", false, "()", "\x00"),
		"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr': ",
	}
}

func FuzzReadNPY(f *testing.F) {
	for _, text := range npySeeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		opt := Options{MaxElements: fuzzElements}
		d, err := readNPY(strings.NewReader(text), opt)
		checkValid(t, d, err)
		// The result must be the same if the size of the file is unknown.
		e, err2 := readNPY(io.MultiReader(strings.NewReader(text)), opt)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("with size %v, without size %v", err, err2)
		}
		if err == nil {
			sameBits(t, e.X, d.X)
		}
		readVector(t, openNPY, text)
	})
}

// readVector reads a vector as labels and as integers.
func readVector(t *testing.T, open func(*stream) (*array, error), text string) {
	s := newStream(strings.NewReader(text))
	if a, err := open(s); err == nil && a.n <= fuzzElements {
		if l, err := newArrayLabels(a, nil); err == nil {
			n := 0
			if err := l.read(l.count(), func([]byte, int) { n++ }); err == nil && (n < 1 || n != l.count()) {
				t.Fatalf("%d labels of %d", n, l.count())
			}
		}
	}
	s = newStream(strings.NewReader(text))
	if a, err := open(s); err == nil && a.n <= fuzzElements {
		var ints []int
		if err := a.appendInts(a.n, &ints); err == nil && len(ints) != a.n {
			t.Fatalf("%d integers of %d", len(ints), a.n)
		}
	}
}

func FuzzReadNPZ(f *testing.F) {
	for _, text := range npySeeds() {
		f.Add(npzBytes(f, map[string]string{"X.npy": text, "y.npy": npyBytes("|u1", false, "(2,)", "\x01\x02"), "split.npy": npyBytes("|u1", false, "(2,)", "\x01\x02")}))
	}
	f.Add("PK\x03\x04")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := readNPZText(text, Options{MaxElements: fuzzElements})
		checkValid(t, d, err)
	})
}

// FuzzReadNPZArrays fuzzes arrays inside a valid archive, because mutated archives are seldom valid.
func FuzzReadNPZArrays(f *testing.F) {
	for _, text := range npySeeds() {
		f.Add(text, npyBytes("|u1", false, "(2,)", "\x01\x02"), npyBytes("|u1", false, "(2,)", "\x01\x02"))
		f.Add(npyBytes("|u1", false, "(2, 3)", "\x00\x01\x02\x03\x80\xff"), text, text)
	}
	f.Fuzz(func(t *testing.T, x, y, split string) {
		text := npzBytes(t, map[string]string{"X.npy": x, "y.npy": y, "split.npy": split})
		d, err := readNPZText(text, Options{MaxElements: fuzzElements})
		checkValid(t, d, err)
	})
}

func FuzzReadJSONLines(f *testing.F) {
	for _, text := range []string{
		"{\"a\":1,\"label\":\"x\"}\n{\"label\":\"y\",\"a\":-2e3}\n", "{\"e\":[1,null],\"y\":true}\n{}\n", "{\"a\":{}}", "{\"a\":1}\n\n{", "{\"a\":\"\\u00", "[",
	} {
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, lenient bool) {
		opt := Options{MaxElements: fuzzElements}
		if lenient {
			opt.KeepMissing = true
		}
		d, err := readAs(FormatJSONLines, strings.NewReader(text), opt)
		if !lenient {
			checkValid(t, d, err)
		}
	})
}

func FuzzReadIDX(f *testing.F) {
	for _, text := range []string{
		idxImages, idxLabels, "\x00\x00\x0d\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x7f\xc0\x00\x00",
		"\x00\x00\x0e\x03\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00", "\x00\x00\x0b\x01\x00\x00\x00\x02\x00\x01\x00\x02",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := readIDX(strings.NewReader(text), Options{MaxElements: fuzzElements})
		checkValid(t, d, err)
		readVector(t, openIDX, text)
	})
}
