package dataset

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
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

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// holds checks the only file in a folder and its text.
func holds(t *testing.T, dir, name, text string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name() != name {
			t.Errorf("left behind: %s", e.Name())
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, name))
	if text == "" && errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil || string(got) != text {
		t.Errorf("%s holds %q (%v), want %q", name, got, err, text)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	broken := errors.New("broken")
	fail := func(w io.Writer) error {
		write("half")(w)
		return broken
	}
	if err := WriteFile(path, fail); err != broken {
		t.Errorf("new file, failing writer: %v", err)
	}
	holds(t, dir, "out", "")
	if err := WriteFile(path, write("one")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "out", "one")
	if err := WriteFile(path, fail); err != broken {
		t.Errorf("old file, failing writer: %v", err)
	}
	holds(t, dir, "out", "one")
	if err := WriteFile(path, write("two")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "out", "two")
	func() {
		defer func() {
			if recover() != "oops" {
				t.Error("the panic did not come through")
			}
		}()
		WriteFile(path, func(w io.Writer) error {
			write("half")(w)
			panic("oops")
		})
	}()
	holds(t, dir, "out", "two")
}

func TestWriteFileErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := WriteFile(file, write("text")); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(filepath.Join(dir, "no", "out"), write("x"))
	wantError(t, err, fs.ErrNotExist, "")
	if want := "cannot create a file in the folder " + filepath.Join(dir, "no"); !strings.Contains(err.Error(), want) {
		t.Errorf("error %q does not say %q", err, want)
	}
	var fe *FileError
	if err := WriteFile(filepath.Join(file, "out"), write("x")); !errors.As(err, &fe) {
		t.Errorf("below a file: %v", err)
	}
	if err := WriteFile(dir, write("x")); !errors.As(err, &fe) || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("on a folder: %v", err)
	}
	holds(t, dir, "file", "text")
}

func TestWriteFileUnwritable(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permissions do not bind this user")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	err := WriteFile(filepath.Join(dir, "out"), write("x"))
	wantError(t, err, fs.ErrPermission, filepath.Join(dir, "out")+": cannot create a file in the folder "+dir+": permission denied")
}

func TestWriteFileModeLinkDevice(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions and links of Unix")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "out"), filepath.Join(t.TempDir(), "link")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, write("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "out", "new")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v (%v)", info.Mode(), err)
	}
	if err := WriteFile(os.DevNull, write("x")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Error("the null device was replaced by a file")
	}
}
