package dataset

import (
	"bytes"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/outfile"
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
		if err := outfile.CSV(&b, m, nil, nil); err != nil {
			t.Fatal(err)
		}
		d, err := readCSV(&b, Options{Labels: NoLabels()})
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, d.X, m)

		b.Reset()
		if err := outfile.NPY(&b, m); err != nil {
			t.Fatal(err)
		}
		d, err = readNPY(&b, Options{})
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, d.X, m)
	}
}

// writeCSV writes the features and the names of the classes.
func writeCSV(w io.Writer, d *Dataset) error {
	if d.Labels == nil {
		return outfile.CSV(w, d.X, d.Columns, nil)
	}
	header := d.Columns
	if header != nil {
		header = append(slices.Clone(header), "label")
	}
	return outfile.CSV(w, d.X, header, func(i int) string { return d.Classes[d.Labels[i]] })
}

func TestRoundTripLabels(t *testing.T) {
	d := &Dataset{X: mat.NewDense(2, 1, []float64{0.1, 7}), Labels: []int{1, 0}, Classes: []string{"a, b", `c"d`}, Columns: []string{"x"}}
	var b bytes.Buffer
	if err := writeCSV(&b, d); err != nil {
		t.Fatal(err)
	}
	if want := "x,label\n0.1,\"c\"\"d\"\n7,\"a, b\"\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	got, err := readCSV(&b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, got.X, d.X)
	if got.Classes[got.Labels[0]] != `c"d` || got.Columns[0] != "x" {
		t.Errorf("labels %v classes %q columns %q", got.Labels, got.Classes, got.Columns)
	}
}
