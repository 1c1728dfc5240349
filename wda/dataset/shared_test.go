package dataset

import (
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gomonge/monge/internal/testdata"
)

// TestSharedData checks sizes, classes and some known values of the real files.
func TestSharedData(t *testing.T) {
	digits := numberedNames(10)
	for _, c := range []struct {
		file       string
		opt        Options
		rows, cols int
		counts     []int
		classes    []string
	}{
		{"wine.csv.gz", Options{}, 178, 13, []int{59, 71, 48}, numberedNames(3)},
		{"iris.csv.gz", Options{}, 150, 4, []int{50, 50, 50}, numberedNames(3)},
		{"glass.csv.gz", Options{}, 214, 9, []int{70, 76, 17, 13, 9, 29}, numberedNames(6)},
		{"ionosphere.csv.gz", Options{}, 351, 34, []int{126, 225}, numberedNames(2)},
		{"vehicle.csv.gz", Options{}, 846, 18, []int{212, 217, 218, 199}, numberedNames(4)},
		{"credit_australian.csv.gz", Options{}, 690, 14, []int{383, 307}, numberedNames(2)},
		{"usps.npz", Options{}, 9298, 256, []int{1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821}, digits},
		{"isolet.npz", Options{Split: "part"}, 7797, 617, slices.Concat(slices.Repeat([]int{300}, 5), []int{298}, slices.Repeat([]int{300}, 6), []int{299}, slices.Repeat([]int{300}, 13)), numberedNames(26)},
		{"office_webcam_dslr_decaf6.npz", Options{Split: "domain"}, 452, 4096, []int{41, 42, 43, 40, 37, 54, 65, 42, 35, 53}, digits},
		{"caltech_surf800.npz", Options{}, 1123, 800, []int{151, 110, 100, 138, 85, 128, 133, 94, 87, 97}, digits},
		{"mnist-idx/t10k-images-idx3-ubyte.gz", Options{}, 10000, 784, []int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}, digits},
	} {
		t.Run(c.file, func(t *testing.T) {
			if raceEnabled && c.rows*c.cols > 1e6 {
				t.Skip("large, with the race detector")
			}
			d, err := ReadFile(testdata.Shared(t, "data", c.file), &c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if r, k := d.X.Dims(); r != c.rows || k != c.cols {
				t.Errorf("%d × %d, want %d × %d", r, k, c.rows, c.cols)
			}
			if !slices.Equal(d.Counts(), c.counts) || !slices.Equal(d.Classes, c.classes) {
				t.Errorf("classes %q with %v rows", d.Classes, d.Counts())
			}
			split := c.opt.Split != "" || c.file == "usps.npz"
			if split != (d.Split != nil) {
				t.Errorf("split present: %t, expected: %t", d.Split != nil, split)
			}
		})
	}
}

func TestSharedSplits(t *testing.T) {
	if raceEnabled {
		t.Skip("large, with the race detector")
	}
	usps, err := ReadFile(testdata.Shared(t, "data", "usps.npz"), nil)
	if err != nil {
		t.Fatal(err)
	}
	test, train, err := usps.SplitBy(1)
	if err != nil || test.Len() != 2007 || train.Len() != 7291 {
		t.Errorf("usps: %v, %d + %d rows", err, train.Len(), test.Len())
	}
	office, err := ReadFile(testdata.Shared(t, "data", "office_webcam_dslr_decaf6.npz"), &Options{Split: "domain"})
	if err != nil {
		t.Fatal(err)
	}
	dslr, webcam, err := office.SplitBy(1)
	if err != nil || dslr.Len() != 157 || webcam.Len() != 295 {
		t.Errorf("office: %v, %d + %d rows", err, webcam.Len(), dslr.Len())
	}
	nonzero := 0
	for _, v := range office.X.RawMatrix().Data {
		if v != 0 {
			nonzero++
		}
	}
	if share := float64(nonzero) / (452 * 4096); share < 0.165 || share > 0.18 {
		t.Errorf("office: %.3f of the features are not 0", share)
	}
}

// TestSharedValues checks the first rows of the real files against their text.
func TestSharedValues(t *testing.T) {
	glass, err := ReadFile(testdata.Shared(t, "data", "glass.csv.gz"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{1.52101, 13.64, 4.49, 1.10, 71.78, 0.06, 8.75, 0, 0}; !slices.Equal(glass.X.RawRowView(0), want) {
		t.Errorf("glass: %v", glass.X.RawRowView(0))
	}
	// The UCI copy of iris has a wrong row 35: 0.1 instead of 0.2.
	iris, err := ReadFile(testdata.Shared(t, "data", "iris.csv.gz"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{4.9, 3.1, 1.5, 0.1}; !slices.Equal(iris.X.RawRowView(34), want) {
		t.Errorf("iris: %v", iris.X.RawRowView(34))
	}
}

// TestSharedMNIST checks that MNIST in one NPZ file and its test set as IDX contain the same images.
func TestSharedMNIST(t *testing.T) {
	testdata.Long(t) // the test takes seconds and 500 MB
	if raceEnabled {
		t.Skip("a minute with the race detector")
	}
	path := testdata.Shared(t, "data", "mnist.npz")
	idx, err := ReadFile(testdata.Shared(t, "data", "mnist-idx", "t10k-images-idx3-ubyte.gz"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	mnist, err := ReadFile(path, nil)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if r, c := mnist.X.Dims(); r != 70000 || c != 784 {
		t.Fatalf("%d × %d", r, c)
	}
	const size = 70000 * 784 * 8
	if b := after.TotalAlloc - before.TotalAlloc; b > size+size/20 {
		t.Errorf("%d bytes allocated for a matrix of %d", b, size)
	}
	// SplitBy would copy the rows.
	var rows []int
	for i, v := range mnist.Split {
		if v == 1 {
			rows = append(rows, i)
		}
	}
	if len(rows) != 10000 {
		t.Fatalf("%d test rows", len(rows))
	}
	test := mnist.Subset(rows)
	if !mat.Equal(test.X, idx.X) || !slices.Equal(test.Labels, idx.Labels) {
		t.Error("the test images or labels are not those of the IDX files")
	}
}
