package dataset

import (
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestReadIDXTypes(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []float64
	}{
		"uint8":   {"\x08\x02\x00\x00\x00\x02\x00\x00\x00\x01\x01\xff", []float64{1, 255}},
		"int8":    {"\x09\x02\x00\x00\x00\x02\x00\x00\x00\x01\x01\xff", []float64{1, -1}},
		"int16":   {"\x0b\x02\x00\x00\x00\x02\x00\x00\x00\x01\x01\x00\xff\xff", []float64{256, -1}},
		"int32":   {"\x0c\x02\x00\x00\x00\x02\x00\x00\x00\x01\x00\x01\x00\x00\xff\xff\xff\xfe", []float64{65536, -2}},
		"float32": {"\x0d\x02\x00\x00\x00\x02\x00\x00\x00\x01\x3f\x80\x00\x00\xbf\x00\x00\x00", []float64{1, -.5}},
		"float64": {"\x0e\x02\x00\x00\x00\x02\x00\x00\x00\x01\x3f\xf0\x00\x00\x00\x00\x00\x00\xbf\xe0\x00\x00\x00\x00\x00\x00", []float64{1, -.5}},
	} {
		d, err := readIDX(strings.NewReader("\x00\x00"+c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !mat.Equal(d.X, mat.NewDense(2, 1, c.want)) || d.Labels != nil {
			t.Errorf("%s: %v", name, mat.Formatted(d.X))
		}
	}
	// Images become rows.
	d, err := readIDX(strings.NewReader("\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x03abcdef"), Options{})
	if err != nil || !mat.Equal(d.X, mat.NewDense(2, 3, []float64{97, 98, 99, 100, 101, 102})) {
		t.Errorf("three dimensions: %v", err)
	}
}

func TestReadIDXErrors(t *testing.T) {
	good := "\x00\x00\x08\x02\x00\x00\x00\x02\x00\x00\x00\x02abcd"
	for name, c := range map[string]struct {
		text string
		opt  Options
		is   error
		want string
	}{
		"empty":        {text: "", is: errEmpty, want: "the file is empty"},
		"wrong magic":  {text: "\x01" + good[1:], is: ErrFormat, want: "not an IDX file: wrong magic number"},
		"wrong type":   {text: "\x00\x00\x0a" + good[3:], is: errType, want: "IDX elements of type 0x0a are not supported"},
		"cut magic":    {text: good[:3], is: errTruncated, want: "the IDX header is cut short"},
		"cut header":   {text: good[:9], is: errTruncated},
		"cut data":     {text: good[:len(good)-1], is: errTruncated, want: "the data end too early"},
		"more data":    {text: good + "e", is: ErrFormat, want: "more data than the header announces"},
		"no dims":      {text: "\x00\x00\x08\x00", is: errShape},
		"vector":       {text: "\x00\x00\x08\x01\x00\x00\x00\x01a", is: errShape, want: "1 dimension: these are labels, not samples"},
		"no rows":      {text: "\x00\x00\x08\x02\x00\x00\x00\x00\x00\x00\x00\x01", is: errEmpty},
		"overflow":     {text: "\x00\x00\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", is: ErrTooLarge},
		"255 dims":     {text: "\x00\x00\x08\xff" + strings.Repeat("\x00\x00\x00\x02", 255), is: ErrTooLarge},
		"terabyte":     {text: "\x00\x00\x08\x02\x00\x10\x00\x00\x00\x10\x00\x00a", is: ErrTooLarge},
		"NaN":          {text: "\x00\x00\x0d\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x7f\xc0\x00\x00", is: errNaN, want: "row 1, column 2: the value is NaN"},
		"infinity":     {text: "\x00\x00\x0d\x02\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x00\x7f\x80\x00\x00", is: errInf, want: "row 2, column 1: the value is infinite"},
		"label column": {text: good, opt: Options{Labels: ParseLabels("0")}, is: errNoLabels},
		"too large":    {text: good, opt: Options{MaxElements: 3}, is: ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readIDX(strings.NewReader(c.text), c.opt)
			wantError(t, err, c.is, c.want)
		})
	}
}

const (
	idxImages = "\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02\x01\x02\x03\x04"
	idxLabels = "\x00\x00\x08\x01\x00\x00\x00\x02\x07\x05"
)

// TestReadFile checks ReadFile for every format, detected by name and by the first bytes.
func TestReadFile(t *testing.T) {
	npy := npyBytes("|u1", false, "(2, 2)", "\x01\x02\x03\x04")
	npz := npzBytes(t, map[string]string{"X.npy": npy, "y.npy": npyBytes("|u1", false, "(2,)", "\x07\x05")})
	files := map[string]string{
		"a.csv": "1,2,7\n3,4,5\n", "b.csv.gz": gz("1,2,7\n3,4,5\n"), "c.tsv": "1\t2\t7\n3\t4\t5\n", "d.TSV.GZ": gz("1\t2\t7\n3\t4\t5\n"),
		"e.npy": npy, "f.npy.gz": gz(npy), "g.npz": npz, "plain": "1,2,7\n3,4,5\n", "packed": gz("1,2,7\n3,4,5\n"),
		"array": npy, "archive": npz, "unpacked.csv.gz": "1,2,7\n3,4,5\n", "digits": idxImages,
		"t-images-idx3-ubyte": idxImages, "t-labels-idx1-ubyte.gz": gz(idxLabels),
		"u-images.idx3-ubyte.gz": gz(idxImages), "u-labels.idx1-ubyte": idxLabels,
		"v-images-idx3-ubyte": idxImages, "w.idx": idxImages, "wrong.csv": npy,
	}
	path := folder(t, files)
	unlabeled := map[string]bool{"e.npy": true, "f.npy.gz": true, "array": true, "digits": true, "v-images-idx3-ubyte": true, "w.idx": true, "wrong.csv": true}
	for name := range files {
		if strings.Contains(name, "labels") {
			continue
		}
		var opt Options
		if name == "wrong.csv" {
			opt.Format = FormatNPY
		}
		d, err := ReadFile(path(name), &opt)
		if err != nil {
			t.Error(err)
			continue
		}
		if !mat.Equal(d.X, mat.NewDense(2, 2, []float64{1, 2, 3, 4})) {
			t.Errorf("%s: %v", name, mat.Formatted(d.X))
		}
		if unlabeled[name] {
			if d.Labels != nil {
				t.Errorf("%s: labels %v", name, d.Labels)
			}
		} else if !slices.Equal(d.Labels, []int{1, 0}) || !slices.Equal(d.Classes, []string{"5", "7"}) {
			t.Errorf("%s: labels %v classes %q", name, d.Labels, d.Classes)
		}
	}
	d, err := ReadFile(path("t-images-idx3-ubyte"), &Options{Labels: NoLabels()})
	if err != nil || d.Labels != nil {
		t.Errorf("unlabeled IDX: %v, labels %v", err, d.Labels)
	}
	d, err = ReadFile(path("v-images-idx3-ubyte"), &Options{Labels: LabelFile(path("u-labels.idx1-ubyte"))})
	if err != nil || !slices.Equal(d.Labels, []int{1, 0}) {
		t.Errorf("IDX with a label file: %v", err)
	}
}

func TestReadFileErrors(t *testing.T) {
	csv := gz(strings.Repeat("1,2,7\n3,4,5\n", 100))
	bad := []byte(csv)
	bad[len(bad)-5] ^= 1 // in the checksum
	npz := npzBytes(t, map[string]string{"X.npy": npyBytes("|u1", false, "(2, 2)", "\x01\x02\x03\x04")})
	path := folder(t, map[string]string{
		"a.csv": "", "b.csv": "1,2,7\n3,x,5\n", "cut.csv.gz": csv[:len(csv)/2], "cut2.csv.gz": csv[:5], "sum.csv.gz": string(bad),
		"cut.npz": npz[:len(npz)-10], "cut.npy": npyBytes("|u1", false, "(2, 2)", "\x01\x02\x03"), "big.npy": npyBytes("<f8", false, "(1000, 1000)", "\x01"),
		"big.npy.gz": gz(npyBytes("<f8", false, "(10000, 10000)", "\x01")), "binary": "\x01\x00\x02", "none": "", "none.npy": "", "none.npz": "", "none.idx": "",
		"a-images-idx3-ubyte": idxImages, "a-labels-idx1-ubyte": "\x00\x00\x08\x01\x00\x00\x00\x03\x07\x05\x01",
		"b-images-idx3-ubyte": idxImages, "b-labels-idx1-ubyte": idxLabels[:9],
		"c-images-idx3-ubyte": idxImages, "c-labels-idx1-ubyte": idxImages,
		"labels-idx1-ubyte": idxLabels, "npz.npz.gz": gz(npz),
	})
	for name, c := range map[string]struct {
		is   error
		want string
	}{
		"absent.csv":          {os.ErrNotExist, ""},
		"":                    {ErrFormat, "is a directory"},
		"a.csv":               {errEmpty, "the file is empty"},
		"none":                {errEmpty, "the file is empty"},
		"none.npy":            {errEmpty, "the file is empty"},
		"none.npz":            {errEmpty, "the file is empty"},
		"none.idx":            {errEmpty, "the file is empty"},
		"b.csv":               {errNotNumber, `row 2, column 2: "x" is not a number`},
		"cut.csv.gz":          {errTruncated, "the compressed data end too early"},
		"cut2.csv.gz":         {errTruncated, "the compressed data end too early"},
		"sum.csv.gz":          {ErrFormat, "damaged compressed data: gzip: invalid checksum"},
		"cut.npz":             {errTruncated, ""},
		"npz.npz.gz":          {ErrFormat, ""},
		"cut.npy":             {errTruncated, ""},
		"big.npy":             {errTruncated, "1000000 elements of 8 bytes announced, the file is smaller"},
		"big.npy.gz":          {errTruncated, "100000000 elements of 8 bytes announced, the file is smaller"},
		"binary":              {ErrFormat, "neither the name nor the first bytes tell the format"},
		"a-images-idx3-ubyte": {errLabelCount, ""},
		"b-images-idx3-ubyte": {errTruncated, ""},
		"c-images-idx3-ubyte": {errShape, ""},
		"labels-idx1-ubyte":   {errShape, "1 dimension: these are labels, not samples"},
	} {
		t.Run(name, func(t *testing.T) {
			want := c.want
			if want != "" {
				want = path(name) + ": " + want
			}
			_, err := ReadFile(path(name), nil)
			wantError(t, err, c.is, want)
		})
	}
}
