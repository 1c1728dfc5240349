package dataset

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// npyBytes returns an NPY file of version 1.
func npyBytes(descr string, fortran bool, shape, data string) string {
	order := "False"
	if fortran {
		order = "True"
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(head)))) + head + data
}

func npzBytes(t testing.TB, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gz(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

// packed encodes values in the given byte order.
func packed(order binary.ByteOrder, values any) string {
	var b bytes.Buffer
	if err := binary.Write(&b, order, values); err != nil {
		panic(err)
	}
	return b.String()
}

func TestReadNPYTypes(t *testing.T) {
	little, big := binary.LittleEndian, binary.BigEndian
	for _, c := range []struct {
		descr, data string
		want        [6]float64
	}{
		{"|b1", "\x00\x01\x01\x00\x00\x01", [6]float64{0, 1, 1, 0, 0, 1}},
		{"|u1", "\x00\x01\x02\x03\x80\xff", [6]float64{0, 1, 2, 3, 128, 255}},
		{"|i1", "\x00\x01\x02\x03\x80\xff", [6]float64{0, 1, 2, 3, -128, -1}},
		{"<u2", packed(little, []uint16{0, 1, 2, 3, 256, 65535}), [6]float64{0, 1, 2, 3, 256, 65535}},
		{">u2", packed(big, []uint16{0, 1, 2, 3, 256, 65535}), [6]float64{0, 1, 2, 3, 256, 65535}},
		{"<i2", packed(little, []int16{0, 1, 2, -3, 256, -32768}), [6]float64{0, 1, 2, -3, 256, -32768}},
		{"<u4", packed(little, []uint32{0, 1, 2, 3, 4, 1<<32 - 1}), [6]float64{0, 1, 2, 3, 4, 1<<32 - 1}},
		{">i4", packed(big, []int32{0, 1, 2, 3, 4, -1 << 31}), [6]float64{0, 1, 2, 3, 4, -1 << 31}},
		{"<u8", packed(little, []uint64{0, 1, 2, 3, 4, 1 << 63}), [6]float64{0, 1, 2, 3, 4, 1 << 63}},
		{"<i8", packed(little, []int64{0, 1, 2, 3, -4, -1 << 63}), [6]float64{0, 1, 2, 3, -4, -1 << 63}},
		{">i8", packed(big, []int64{0, 1, 2, 3, -4, 1 << 40}), [6]float64{0, 1, 2, 3, -4, 1 << 40}},
		{"<f2", packed(little, []uint16{0, 0x3c00, 0x3555, 0xc200, 0x7bff, 0x8001}), [6]float64{0, 1, 1365. / 4096, -3, 65504, -0x1p-24}},
		{">f2", packed(big, []uint16{0x0400, 0x03ff, 1, 2, 3, 4}), [6]float64{0x1p-14, 1023 * 0x1p-24, 0x1p-24, 0x1p-23, 3 * 0x1p-24, 0x1p-22}},
		{"<f4", packed(little, []float32{0, 1, .5, 3, -4, 1e30}), [6]float64{0, 1, .5, 3, -4, float64(float32(1e30))}},
		{">f4", packed(big, []float32{0, 1, .5, 3, -4, 1e30}), [6]float64{0, 1, .5, 3, -4, float64(float32(1e30))}},
		{"<f8", packed(little, []float64{0, 1, .1, 3, -4, 1e300}), [6]float64{0, 1, .1, 3, -4, 1e300}},
		{">f8", packed(big, []float64{0, 1, .1, 3, -4, 5e-324}), [6]float64{0, 1, .1, 3, -4, 5e-324}},
	} {
		rowMajor := mat.NewDense(2, 3, c.want[:])
		columnMajor := mat.DenseCopyOf(mat.NewDense(3, 2, c.want[:]).T())
		for fortran, want := range map[bool]*mat.Dense{false: rowMajor, true: columnMajor} {
			d, err := readNPY(strings.NewReader(npyBytes(c.descr, fortran, "(2, 3)", c.data)), Options{})
			if err != nil {
				t.Errorf("%s, Fortran %t: %v", c.descr, fortran, err)
				continue
			}
			if !mat.Equal(d.X, want) || d.Labels != nil {
				t.Errorf("%s, Fortran %t: %v", c.descr, fortran, mat.Formatted(d.X))
			}
		}
	}
}

// TestReadNPYVersions checks version 2 of the header, whose length field is wider.
func TestReadNPYVersions(t *testing.T) {
	one := npyBytes("|u1", false, "(1, 2)", "\x05\x06")
	two := "\x93NUMPY\x02\x00" + one[8:10] + "\x00\x00" + one[10:]
	d, err := readNPY(strings.NewReader(two), Options{})
	if err != nil || d.X.At(0, 1) != 6 {
		t.Errorf("version 2: %v", err)
	}
	_, err = readNPY(strings.NewReader("\x93NUMPY\x03\x00"+one[8:]), Options{})
	wantError(t, err, ErrFormat, "NPY version 3 is not supported")
}

// TestReadNPYLong checks that chunks are joined correctly, and that readers may return a few bytes at a time.
func TestReadNPYLong(t *testing.T) {
	values := make([]float64, 3*8192+5)
	for i := range values {
		values[i] = float64(i)
	}
	text := npyBytes("<f8", false, fmt.Sprintf("(%d, 1)", len(values)), packed(binary.LittleEndian, values))
	d, err := readNPY(&dribble{strings.NewReader(text)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.X.RawMatrix().Data, values) {
		t.Error("values differ")
	}
}

type dribble struct{ r *strings.Reader }

func (d *dribble) Read(p []byte) (int, error) { return d.r.Read(p[:min(3, len(p))]) }

var nan8 = packed(binary.LittleEndian, []float64{1, 2, 3, math.NaN(), 5, math.Inf(1)})

func TestReadNPYErrors(t *testing.T) {
	good := npyBytes("|u1", false, "(2, 3)", "\x00\x01\x02\x03\x80\xff")
	for name, c := range map[string]struct {
		text string
		opt  Options
		is   error
		want string
	}{
		"empty":          {text: "", is: errEmpty, want: "the file is empty"},
		"wrong magic":    {text: "\x93NUMPX" + good[6:], is: ErrFormat, want: "not an NPY file: wrong magic number"},
		"text":           {text: "1,2,3\n", is: ErrFormat},
		"cut magic":      {text: good[:4], is: errTruncated},
		"cut length":     {text: good[:9], is: errTruncated},
		"cut header":     {text: good[:60], is: errTruncated, want: "the NPY header is cut short"},
		"no data":        {text: good[:len(good)-6], is: errTruncated, want: "the data end too early"},
		"cut data":       {text: good[:len(good)-1], is: errTruncated, want: "the data end too early"},
		"cut element":    {text: npyBytes("<f8", false, "(1, 1)", "\x00\x00\x00"), is: errTruncated},
		"more data":      {text: good + "\x00", is: ErrFormat, want: "more data than the header announces"},
		"no newline":     {text: strings.ReplaceAll(good, "\n", " "), is: ErrFormat},
		"no dictionary":  {text: strings.ReplaceAll(good, "descr", "dexcr"), is: ErrFormat},
		"odd order":      {text: strings.ReplaceAll(good, "False", "Maybe"), is: ErrFormat},
		"no brace":       {text: strings.ReplaceAll(good, "}", " "), is: ErrFormat},
		"text in shape":  {text: npyBytes("|u1", false, "(2, x)", "\x00\x01"), is: ErrFormat},
		"scalar":         {text: npyBytes("|u1", false, "()", "\x00"), is: errShape, want: "an array of shape [] is not a matrix"},
		"vector":         {text: npyBytes("|u1", false, "(2,)", "\x00\x01"), is: errShape, want: "an array of shape [2] is not a matrix"},
		"cube":           {text: npyBytes("|u1", false, "(1, 1, 2)", "\x00\x01"), is: errShape, want: "an array of shape [1 1 2] is not a matrix"},
		"negative":       {text: npyBytes("|u1", false, "(-1, -2)", "\x00\x01"), is: errShape, want: "impossible shape [-1 -2]"},
		"no rows":        {text: npyBytes("|u1", false, "(0, 2)", ""), is: errEmpty},
		"no columns":     {text: npyBytes("|u1", false, "(2, 0)", ""), is: errEmpty},
		"overflow":       {text: npyBytes("|u1", false, "(2147483647, 2147483647, 2147483647)", ""), is: ErrTooLarge},
		"terabyte":       {text: npyBytes("|u1", false, "(1000000, 1000000)", "\x00"), is: ErrTooLarge},
		"gigabyte":       {text: npyBytes("<f8", false, "(1000000, 1000)", "\x00"), is: errTruncated},
		"bad header len": {text: "\x93NUMPY\x02\x00\xff\xff\xff\xff" + good[10:], is: ErrFormat, want: "damaged NPY header: absurd length"},
		"quadruple":      {text: npyBytes("<f16", false, "(1, 1)", "\x00\x00"), is: errType, want: `elements of type "<f16" are not supported`},
		"complex":        {text: npyBytes("<c16", false, "(1, 1)", strings.Repeat("\x00", 16)), is: errType},
		"object":         {text: npyBytes("|O", false, "(1, 1)", "\x00"), is: errType},
		"date":           {text: npyBytes("<M8[D]", false, "(1, 1)", "\x00"), is: errType},
		"structure":      {text: strings.Replace(good, "'|u1'", "[('a', '<f8')]", 1), is: ErrFormat},
		"strings":        {text: npyBytes("<U1", false, "(1, 1)", "a\x00\x00\x00"), is: errType, want: "strings where numbers are expected"},
		"NaN":            {text: npyBytes("<f8", false, "(2, 3)", nan8), is: errNaN, want: "row 2, column 1: the value is NaN"},
		"NaN, Fortran":   {text: npyBytes("<f8", true, "(2, 3)", nan8), is: errNaN, want: "row 2, column 2: the value is NaN"},
		"half infinity":  {text: npyBytes("<f2", false, "(1, 2)", "\x00\x00\x00\xfc"), is: errInf, want: "row 1, column 2: the value is infinite"},
		"infinity":       {text: npyBytes("<f4", false, "(1, 2)", "\x00\x00\x80\xff\x00\x00\x80\xff"), is: errInf, want: "row 1, column 1: the value is infinite"},
		"label column":   {text: good, opt: Options{Labels: ParseLabels("-1")}, is: errNoLabels},
		"too large":      {text: good, opt: Options{MaxElements: 5}, is: ErrTooLarge, want: "6 elements, more than the allowed 5"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readNPY(strings.NewReader(c.text), c.opt)
			wantError(t, err, c.is, c.want)
		})
	}
}

func readNPZText(text string, opt Options) (*Dataset, error) {
	return readNPZ(strings.NewReader(text), int64(len(text)), opt)
}

func TestReadNPZ(t *testing.T) {
	x := npyBytes("|u1", false, "(2, 2)", "\x01\x02\x03\x04")
	text := npzBytes(t, map[string]string{
		"X.npy": x, "y.npy": npyBytes("<i4", false, "(2,)", "\x07\x00\x00\x00\xff\xff\xff\xff"),
		"split.npy":  npyBytes("|u1", false, "(2,)", "\x00\x01"),
		"other.npy":  npyBytes("|u1", false, "(2, 1)", "\x09\x08"),
		"name.npy":   npyBytes(">U2", false, "(2,)", "\x00\x00\x00\xe9\x00\x01\xf6\x00\x00\x00\x00a\x00\x00\x00\x00"),
		"bytes.npy":  npyBytes("|S3", false, "(2,)", "b\x00\x00abc"),
		"float.npy":  npyBytes("<f8", false, "(2,)", packed(binary.LittleEndian, []float64{10, 9})),
		"big.npy":    npyBytes("<u8", false, "(2,)", packed(binary.LittleEndian, []uint64{1<<64 - 1, 1<<64 - 2})),
		"long.npy":   npyBytes("<i8", false, "(2,)", packed(binary.LittleEndian, []int64{1<<63 - 1, 1<<63 - 2})),
		"truth.npy":  npyBytes("|b1", false, "(2,)", "\x01\x00"),
		"bare":       x,
		"domain.npy": npyBytes("<i8", false, "(2,)", packed(binary.LittleEndian, []int64{5, -6})),
	})
	for _, c := range []struct {
		opt     Options
		labels  []int
		classes []string
		split   []int
	}{
		{Options{}, []int{1, 0}, []string{"-1", "7"}, []int{0, 1}},
		{Options{Labels: ParseLabels("other"), Split: "domain"}, []int{1, 0}, []string{"8", "9"}, []int{5, -6}},
		{Options{Labels: ParseLabels("name")}, []int{1, 0}, []string{"a", "é\U0001f600"}, []int{0, 1}},
		{Options{Labels: ParseLabels("bytes")}, []int{1, 0}, []string{"abc", "b"}, []int{0, 1}},
		{Options{Labels: ParseLabels("float")}, []int{1, 0}, []string{"9", "10"}, []int{0, 1}},
		{Options{Labels: ParseLabels("big")}, []int{1, 0}, []string{"18446744073709551614", "18446744073709551615"}, []int{0, 1}},
		{Options{Labels: ParseLabels("long")}, []int{1, 0}, []string{"9223372036854775806", "9223372036854775807"}, []int{0, 1}},
		{Options{Labels: ParseLabels("truth")}, []int{1, 0}, []string{"0", "1"}, []int{0, 1}},
		{Options{Labels: NoLabels(), Features: "bare"}, nil, nil, []int{0, 1}},
	} {
		d, err := readNPZText(text, c.opt)
		if err != nil {
			t.Errorf("%+v: %v", c.opt, err)
			continue
		}
		if !mat.Equal(d.X, mat.NewDense(2, 2, []float64{1, 2, 3, 4})) {
			t.Errorf("%+v: %v", c.opt, mat.Formatted(d.X))
		}
		if !slices.Equal(d.Labels, c.labels) || !slices.Equal(d.Classes, c.classes) || !slices.Equal(d.Split, c.split) {
			t.Errorf("%+v: labels %v classes %q split %v", c.opt, d.Labels, d.Classes, d.Split)
		}
	}
	d, err := readNPZText(npzBytes(t, map[string]string{"X.npy": x}), Options{})
	if err != nil || d.Labels != nil || d.Split != nil {
		t.Errorf("features alone: %v", err)
	}
}

func TestReadNPZErrors(t *testing.T) {
	x := npyBytes("|u1", false, "(2, 2)", "\x01\x02\x03\x04")
	y := npyBytes("|u1", false, "(2,)", "\x01\x02")
	good := npzBytes(t, map[string]string{"X.npy": x})
	with := func(name, data string) string { return npzBytes(t, map[string]string{"X.npy": x, name + ".npy": data}) }
	damage := func(text string, at int) string { return text[:at] + string([]byte{text[at] ^ 0xff}) + text[at+1:] }
	stored := func() string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, _ := z.CreateHeader(&zip.FileHeader{Name: "X.npy", Method: zip.Store})
		w.Write([]byte(x))
		z.Close()
		return b.String()
	}()
	for name, c := range map[string]struct {
		text string
		opt  Options
		is   error
		want string
	}{
		"empty":          {text: "", is: errEmpty, want: "the file is empty"},
		"not a zip":      {text: "1,2,3\n", is: ErrFormat},
		"cut":            {text: good[:len(good)-30], is: errTruncated},
		"no X":           {text: npzBytes(t, map[string]string{"Data.npy": x, "y.npy": y}), opt: Options{}, is: errNoFeatures},
		"no NumPy":       {text: npzBytes(t, map[string]string{"xl/workbook.xml": ""}), is: errNoArray, want: "array X: no such array: this ZIP file is not of NumPy; unpack it, or save a workbook as CSV"},
		"objects":        {text: with("y", npyBytes("|O", false, "(2,)", "")), is: errType, want: "array y: Python objects are not supported: store numbers or texts, such as those of x.astype(str)"},
		"no y":           {text: good, opt: Options{Labels: ParseLabels("y")}, is: errNoArray, want: `array y: no such array; the file has "X"`},
		"no split":       {text: good, opt: Options{Split: "fold"}, is: errNoArray},
		"label count":    {text: with("y", npyBytes("|u1", false, "(3,)", "\x01\x02\x03")), is: errLabelCount, want: "array y: 3 labels for 2 rows"},
		"label shape":    {text: with("y", x), is: errShape, want: "array y: an array of shape [2 2] is not a vector"},
		"label type":     {text: with("y", npyBytes("<c8", false, "(2,)", strings.Repeat("\x00", 16))), is: errType, want: `array y: elements of type "<c8" are not supported`},
		"label NaN":      {text: with("y", npyBytes("<f4", false, "(2,)", "\x00\x00\x00\x00\x00\x00\xc0\x7f")), is: errLabelEmpty, want: "array y: row 2: the label is missing"},
		"label cut":      {text: with("y", npyBytes("<U2", false, "(2,)", "\x01\x02\x03")), is: errTruncated},
		"label claim":    {text: with("y", npyBytes("<U999999999", false, "(2,)", "")), is: errType},
		"split count":    {text: with("split", npyBytes("|u1", false, "(3,)", "\x01\x02\x03")), is: errShape, want: "array split: 3 elements for 2 rows"},
		"split fraction": {text: with("split", npyBytes("<f4", false, "(2,)", "\x00\x00\x00\x00\x00\x00\x00\x3f")), is: errType, want: "array split: row 2: 0.5 is not an integer of 32 bits"},
		"split text":     {text: with("split", npyBytes("|S1", false, "(2,)", "ab")), is: errType},
		"terabyte":       {text: npzBytes(t, map[string]string{"X.npy": npyBytes("|u1", false, "(1000000, 1000000)", "\x00")}), is: ErrTooLarge},
		"gigabyte":       {text: npzBytes(t, map[string]string{"X.npy": npyBytes("|u1", false, "(1000000, 1000)", "\x00")}), is: errTruncated},
		"bit flip":       {text: damage(stored, strings.Index(stored, "\x01\x02\x03\x04")), is: ErrFormat, want: "array X: damaged compressed data: zip: checksum error"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readNPZText(c.text, c.opt)
			wantError(t, err, c.is, c.want)
		})
	}
}

// TestClaimsDoNotAllocate checks that the allocated memory does not depend on the sizes that a header declares.
func TestClaimsDoNotAllocate(t *testing.T) {
	for name, read := range map[string]func() error{
		"NPY stream": func() error {
			_, err := readNPY(strings.NewReader(npyBytes("<f8", false, "(1000000, 1000)", "")), Options{})
			return err
		},
		"NPZ": func() error {
			text := npzBytes(t, map[string]string{"X.npy": npyBytes("<f8", false, "(1000000, 1000)", "")})
			_, err := readNPZText(text, Options{})
			return err
		},
		"IDX stream": func() error {
			_, err := readIDX(strings.NewReader("\x00\x00\x08\x02\x00\x0f\x42\x40\x00\x00\x03\xe8"), Options{})
			return err
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := read()
		runtime.ReadMemStats(&after)
		wantError(t, err, errTruncated, "")
		if b := after.TotalAlloc - before.TotalAlloc; b > 4<<20 {
			t.Errorf("%s: %d bytes allocated", name, b)
		}
	}
}
