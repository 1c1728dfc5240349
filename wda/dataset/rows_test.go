package dataset

import (
	"archive/zip"
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func npyFile(descr, shape string, fortran bool, data []byte) []byte {
	order := "False"
	if fortran {
		order = "True"
	}
	head := "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n"
	return append([]byte("\x93NUMPY\x01\x00"+string(rune(len(head)))+"\x00"+head), data...)
}

// TestRows checks that the rows and labels from Reader.Rows equal those from ReadFile. The rows are read in any order
// and from many goroutines.
func TestRows(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(name string, data []byte) {
		if err := os.WriteFile(at(name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var bytesOf []byte
	for i := range 40 * 3 * 2 {
		bytesOf = append(bytesOf, byte(i*7))
	}
	big := npyFile(">i2", "(40, 3)", false, bytesOf)
	put("x.npy", big)
	y := strings.Repeat("b\na\n", 20)
	put("y.txt", []byte(y))
	put("images-idx3-ubyte", append([]byte{0, 0, 8, 3, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 4}, bytesOf...))
	put("labels-idx1-ubyte", append([]byte{0, 0, 8, 1, 0, 0, 0, 20}, bytesOf[:20]...))
	archive := func(method uint16) []byte {
		var z bytes.Buffer
		w := zip.NewWriter(&z)
		for name, data := range map[string][]byte{"X.npy": big, "y.npy": npyFile("|u1", "(40,)", false, bytesOf[:40])} {
			e, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
			if err != nil {
				t.Fatal(err)
			}
			e.Write(data)
		}
		w.Close()
		return z.Bytes()
	}
	put("stored.npz", archive(zip.Store))
	put("packed.npz", archive(zip.Deflate))
	put("fortran.npy", npyFile(">i2", "(40, 3)", true, bytesOf))
	put("short.npy", big[:len(big)-1])
	put("long.npy", append(slices.Clone(big), 0))
	put("text.csv", []byte("1,2,a\n3,4,b\n"))
	put("texts.npy", npyFile("|S2", "(40, 3)", false, bytesOf))
	put("three.txt", []byte("b\na\na\n"))
	half := slices.Clone(big)
	half = bytes.Replace(half, []byte(">i2"), []byte("<f2"), 1)
	copy(half[len(half)-3*2:], []byte{0, 0x7c}) // +Inf
	put("infinite.npy", half)

	for name, opt := range map[string]Options{"x.npy": {Labels: LabelFile(at("y.txt"))}, "images-idx3-ubyte": {}, "stored.npz": {}} {
		want, err := ReadFile(at(name), &opt)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(at(name), &opt)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		x, labels, classes, err := r.Rows()
		if err != nil || !slices.Equal(labels, want.Labels) || !slices.Equal(classes, want.Classes) {
			t.Fatalf("%s: labels %v %v, error %v", name, labels, classes, err)
		}
		if !mat.Equal(x, want.X) || !mat.Equal(x.T(), want.X.T()) {
			t.Errorf("%s: other elements", name)
		}
		n, d := x.Dims()
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				first := i * 7 % n
				dst := make([]float64, min(2, n-first)*d)
				if err := x.ReadRows(dst, first); err != nil {
					t.Error(err)
				}
				for k, v := range dst {
					if v != want.X.At(first+k/d, k%d) {
						t.Errorf("%s: row %d, column %d is %v", name, first+k/d, k%d, v)
					}
				}
			})
		}
		all.Wait()
	}

	for name, c := range map[string]struct {
		opt  Options
		want string
	}{
		"packed.npz":  {Options{}, "cannot stay in the file"},
		"fortran.npy": {Options{}, "cannot stay in the file"},
		"text.csv":    {Options{}, "cannot stay in the file"},
		"short.npy":   {Options{}, "240 bytes announced"},
		"long.npy":    {Options{}, "241 bytes there"},
		"texts.npy":   {Options{}, "strings where numbers"},
		"x.npy":       {Options{Labels: LabelFile(at("three.txt"))}, "3 labels for 40 rows"},
	} {
		r, err := Open(at(name), &c.opt)
		if err == nil {
			_, _, _, err = r.Rows()
			r.Close()
		}
		var fe *FileError
		if !errors.As(err, &fe) || !strings.Contains(strings.Replace(err.Error(), "120 elements of 2 bytes", "240 bytes", 1), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, err := Open(at("infinite.npy"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x, _, _, err := r.Rows()
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 3)
	var fe *FileError
	if err := x.(*storedRows).ReadRows(row, 39); !errors.As(err, &fe) || fe.Row != 40 || fe.Column != 1 || fe.Path != at("infinite.npy") {
		t.Errorf("an infinity: %v", err)
	}
	if err := x.(*storedRows).ReadRows(row, 1); err != nil || math.IsNaN(row[0]) {
		t.Errorf("a row before it: %v", err)
	}
	if err := os.Truncate(at("infinite.npy"), 200); err != nil {
		t.Fatal(err)
	}
	if err := x.(*storedRows).ReadRows(row, 38); !errors.As(err, &fe) || fe.Row != 39 || !errors.Is(err, errTruncated) {
		t.Errorf("a file that was cut: %v", err)
	}
}

// TestRowsAllocateNothing checks that reading a row does not allocate.
func TestRowsAllocateNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(path, npyFile("<f4", "(10, 16)", false, make([]byte, 640)), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x, _, _, err := r.Rows()
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 16)
	if n := testing.AllocsPerRun(200, func() { x.(*storedRows).ReadRows(row, 7) }); n > 0 {
		t.Errorf("%v allocations a row", n)
	}
}
