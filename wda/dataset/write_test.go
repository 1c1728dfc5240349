package dataset

import (
	"bytes"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var hard = mat.NewDense(3, 3, []float64{
	0.1, 1.0 / 3, math.MaxFloat64,
	math.SmallestNonzeroFloat64, -0x1.fffffffffffffp-1022, math.Copysign(0, -1),
	1e22, 1e23, math.Nextafter(1, 2),
})

func sameBits(t *testing.T, got, want mat.Matrix) {
	t.Helper()
	r, c := want.Dims()
	if gr, gc := got.Dims(); gr != r || gc != c {
		t.Fatalf("%d × %d, want %d × %d", gr, gc, r, c)
	}
	for i := range r {
		for j := range c {
			if math.Float64bits(got.At(i, j)) != math.Float64bits(want.At(i, j)) {
				t.Errorf("element %d, %d: %v, want %v", i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, m := range []mat.Matrix{hard, hard.T(), hard.Slice(0, 2, 1, 3), Simulation{}.Generate(50).X} {
		var b bytes.Buffer
		if err := WriteCSV(&b, m, nil); err != nil {
			t.Fatal(err)
		}
		d, err := ReadCSV(&b, Options{Unlabelled: true})
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, d.X, m)

		b.Reset()
		if err := WriteNPY(&b, m); err != nil {
			t.Fatal(err)
		}
		d, err = ReadNPY(&b, Options{})
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, d.X, m)
	}
}

func TestWriteCSVText(t *testing.T) {
	var b bytes.Buffer
	m := mat.NewDense(2, 2, []float64{1, 0.5, -2, 1e100})
	if err := WriteCSV(&b, m, []string{"a, b", `c"d`}); err != nil {
		t.Fatal(err)
	}
	if want := "\"a, b\",\"c\"\"d\"\n1,0.5\n-2,1e+100\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	defer func() {
		if recover() != badHeader {
			t.Error("a short header did not panic")
		}
	}()
	WriteCSV(&b, m, []string{"a"})
}

func TestDatasetWriteCSV(t *testing.T) {
	d := &Dataset{X: mat.NewDense(2, 1, []float64{0.1, 7}), Labels: []int{1, 0}, Classes: []string{"a, b", `c"d`}, Columns: make([]string, 1, 8)}
	d.Columns[0] = "x"
	var b bytes.Buffer
	if err := d.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	if want := "x,label\n0.1,\"c\"\"d\"\n7,\"a, b\"\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if d.Columns[:2][1] != "" {
		t.Error("the spare capacity of Columns was written to")
	}
	got, err := ReadCSV(&b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, got.X, d.X)
	if got.Classes[got.Labels[0]] != `c"d` || got.Columns[0] != "x" {
		t.Errorf("labels %v classes %q columns %q", got.Labels, got.Classes, got.Columns)
	}
	d.Labels = nil
	b.Reset()
	if err := d.WriteCSV(&b); err != nil || b.String() != "x\n0.1\n7\n" {
		t.Errorf("%v, %q", err, b.String())
	}
}

// full fails like a full disk.
type full struct{ room int }

var errFull = errors.New("disk full")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return f.room, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	d := Simulation{}.Generate(400)
	d.Columns = strings.Split("a b c d e f g h i j", " ")
	for _, room := range []int{0, 10, 5000, 30000} {
		if err := WriteCSV(&full{room}, d.X, d.Columns); !errors.Is(err, errFull) {
			t.Errorf("WriteCSV, %d bytes: %v", room, err)
		}
		if err := d.WriteCSV(&full{room}); !errors.Is(err, errFull) {
			t.Errorf("Dataset.WriteCSV, %d bytes: %v", room, err)
		}
		if err := WriteNPY(&full{room}, d.X); !errors.Is(err, errFull) {
			t.Errorf("WriteNPY, %d bytes: %v", room, err)
		}
	}
}

// An NPY file of unknown length has its header set right in the end.
func TestNPYWriterCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	err := WriteFile(path, func(w io.Writer) error {
		out, err := NewNPYWriter(w, -1, 3)
		if err != nil {
			return err
		}
		for i := range 3 {
			if err := out.Write(hard.RawRowView(i)); err != nil {
				return err
			}
		}
		return out.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := ReadFile(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, d.X, hard)

	var b bytes.Buffer
	if _, err := NewNPYWriter(&b, -1, 3); !errors.Is(err, ErrShape) {
		t.Errorf("rows to be counted, no way back: %v", err)
	}
	out, err := NewNPYWriter(&b, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(make([]float64, 3))
	if err := out.Close(); !errors.Is(err, ErrShape) {
		t.Errorf("one row of two: %v", err)
	}
}
