package outfile

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var extremeNumbers = mat.NewDense(3, 3, []float64{
	0.1, 1.0 / 3, math.MaxFloat64,
	math.SmallestNonzeroFloat64, -0x1.fffffffffffffp-1022, math.Copysign(0, -1),
	1e22, 1e23, math.Nextafter(1, 2),
})

func TestCSVText(t *testing.T) {
	var b bytes.Buffer
	m := mat.NewDense(2, 2, []float64{1, 0.5, -2, 1e100})
	if err := CSV(&b, m, []string{"a, b", `c"d`}, nil); err != nil {
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
	CSV(&b, m, []string{"a"}, nil)
}

// fullDisk is a writer that fails after a limited number of bytes.
type fullDisk struct{ room int }

var errFull = errors.New("disk full")

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return f.room, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

func TestMatrixFull(t *testing.T) {
	x := mat.NewDense(400, 10, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		for j := range 10 {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	header := strings.Split("a b c d e f g h i j", " ")
	for _, room := range []int{0, 10, 5000, 30000} {
		if err := CSV(&fullDisk{room}, x, header, nil); !errors.Is(err, errFull) {
			t.Errorf("CSV, %d bytes: %v", room, err)
		}
		if err := CSV(&fullDisk{room}, x, nil, func(int) string { return "a, b" }); !errors.Is(err, errFull) {
			t.Errorf("CSV with labels, %d bytes: %v", room, err)
		}
		if err := NPY(&fullDisk{room}, x); !errors.Is(err, errFull) {
			t.Errorf("NPY, %d bytes: %v", room, err)
		}
	}
}

// TestNPYCounts checks that Close writes the number of rows into the header.
func TestNPYCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	err := WriteFile(path, func(w io.Writer) error {
		out, err := NewNPY(w, -1, 3)
		if err != nil {
			return err
		}
		for i := range 3 {
			if err := out.Write(extremeNumbers.RawRowView(i)); err != nil {
				return err
			}
		}
		return out.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	var b bytes.Buffer
	if err := errors.Join(err, NPY(&b, extremeNumbers)); err != nil || !bytes.Equal(got, b.Bytes()) {
		t.Errorf("not as if the rows had been known before: %v", err)
	}
	if _, err := NewNPY(&b, -1, 3); !errors.Is(err, errRowCount) {
		t.Errorf("rows to be counted, no way back: %v", err)
	}
	out, err := NewNPY(&b, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(make([]float64, 3))
	if err := out.Close(); !errors.Is(err, errRowCount) {
		t.Errorf("one row of two: %v", err)
	}
}
