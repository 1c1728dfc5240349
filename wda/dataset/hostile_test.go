package dataset

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
	"unicode/utf16"
)

func utf16Text(text string, order binary.AppendByteOrder, mark bool) string {
	var b []byte
	if mark {
		b = order.AppendUint16(b, 0xfeff)
	}
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// npyHead returns an NPY file with the given header dictionary and data.
func npyHead(dict, data string) string {
	dict += "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(dict)))) + dict + data
}

// zipped returns a zip file of the entries in the given order. A name may occur twice.
func zipped(method uint16, entries ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: entries[i], Method: method})
		if err == nil {
			_, err = io.WriteString(w, entries[i+1])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// hostile lists invalid files, and the cause and the text of their errors.
var hostile = []struct {
	name, file, text string
	opt              Options
	is               error
	want             string
}{
	// Separators, comments and encodings.
	{"semicolons", "a.csv", "1;2;0\n3;4;1\n", Options{}, errDelimiter, `row 1: "1;2;0" looks like fields separated by ";", not ","`},
	{"semicolons, no labels", "a.csv", "1;2\n3;4\n", Options{Labels: NoLabels()}, errDelimiter, `row 1, column 1: "1;2" looks like`},
	{"semicolons, header", "a.csv", "x;y\n1;2\n", Options{}, errDelimiter, `row 1: "x;y"`},
	{"decimal commas", "a.csv", "1,5;2,5;0\n2,5;1,5;1\n", Options{}, errDelimiter, `row 1, column 2: "5;2"`},
	{"semicolons and decimal commas", "a.csv", "h;g\n0,5;1,5\n", Options{Labels: NoLabels()}, errDelimiter, `row 2: "5;1" looks like fields separated by ";", not ","`},
	{"blanks", "a.csv", "1 2 0\n3 4 1\n", Options{}, errDelimiter, `separated by " ", not ","`},
	{"many blanks", "a.txt", "  1.5   2.5\n  3.5   4.5\n", Options{Labels: NoLabels()}, errDelimiter, `"1.5   2.5" looks like fields separated by " "`},
	{"tabs in CSV", "a.csv", "1\t2\t0\n", Options{}, errDelimiter, `separated by "\t", not ","`},
	{"commas in TSV", "a.tsv", "1,2,0\n", Options{}, errDelimiter, `separated by ",", not "\t"`},
	{"bars", "a.csv", "1|2|0\n", Options{}, errDelimiter, `separated by "|"`},
	{"commas for blanks", "a.csv", "1,2,0\n", Options{Delimiter: ' '}, errDelimiter, `separated by ",", not " "`},
	{"comment first", "a.csv", "# made by hand\n1,2,0\n", Options{}, errComment, `row 1: the line begins with "#"`},
	{"comment of MATLAB", "a.csv", "% made by hand\n1,2,0\n", Options{}, errComment, `begins with "%"`},
	{"comment between", "a.csv", "1,2,0\n# more\n3,4,1\n", Options{}, errComment, `row 2: the line begins with "#"`},
	{"comment at the end", "a.csv", "1,2,0\n3,4,1\n#\n", Options{}, errComment, `row 3`},
	{"comment with commas", "a.csv", "1,2,0\n#,4,1\n", Options{}, errComment, `row 2, column 1`},
	{"only comments", "a.csv", "# a\n# b\n", Options{Comment: '#'}, errEmpty, "the file is empty"},
	{"UTF-16 LE", "a.csv", utf16Text("1,2,0\n", binary.LittleEndian, true), Options{}, ErrFormat, "the text is UTF-16; save it as UTF-8"},
	{"UTF-16 BE", "a.csv", utf16Text("1,2,0\n", binary.BigEndian, true), Options{}, ErrFormat, "UTF-16"},
	{"UTF-16, no mark", "a.csv", utf16Text("1,2,0\n", binary.LittleEndian, false), Options{}, ErrFormat, "zero bytes"},
	{"UTF-16, no ending", "a", utf16Text("1,2,0\n", binary.LittleEndian, true), Options{}, ErrFormat, "UTF-16"},
	{"UTF-16, gzip", "a.csv.gz", gz(utf16Text("1,2,0\n", binary.BigEndian, true)), Options{}, ErrFormat, "UTF-16"},
	{"zero bytes late", "a.csv", strings.Repeat("1,2,0\n", 100) + "1,\x002,0\n", Options{}, errNotNumber, `row 101, column 2: "\x002"`},
	{"binary", "a.csv", "\x00\x01\x02", Options{}, ErrFormat, "zero bytes"},
	{"latin-1", "a.csv", "1,2\xe9,0\n", Options{}, errNotNumber, `"2\xe9" is not a number`},

	// Numbers that other programs write, and numbers that only strconv accepts.
	{"underscore", "a.csv", "1_000,2,0\n1,2,0\n", Options{}, errNotNumber, `"1_000" is not a number`},
	{"hexadecimal", "a.csv", "1,2,0\n0x1p3,2,0\n", Options{}, errNotNumber, `row 2, column 1: "0x1p3" is not a number`},
	{"hexadecimal, sign", "a.csv", "1,2,0\n-0X_1P-3,2,0\n", Options{}, errNotNumber, `is not a number as files have it`},
	{"hexadecimal, cut", "a.csv", "1,2,0\n0x,2,0\n", Options{}, errNotNumber, `is not a number`},
	{"thousands", "a.csv", "1,2,0\n\"1,000\",2,0\n", Options{}, errNotNumber, `row 2, column 1: "1,000"`},
	{"percent", "a.csv", "1,2,0\n1,50%,0\n", Options{}, errNotNumber, `row 2, column 2: "50%"`},
	{"fraction", "a.csv", "1,2,0\n1,1/2,0\n", Options{}, errNotNumber, ``},
	{"complex", "a.csv", "1,2,0\n1,1+2j,0\n", Options{}, errNotNumber, ``},
	{"Fortran's exponent", "a.csv", "1,2,0\n1,1.5D3,0\n", Options{}, errNotNumber, `"1.5D3"`},
	{"two signs", "a.csv", "1,2,0\n1,--1,0\n", Options{}, errNotNumber, ``},
	{"other digits", "a.csv", "1,2,0\n1,１,0\n", Options{}, errNotNumber, `"１"`},
	{"minus sign", "a.csv", "1,2,0\n1,−1,0\n", Options{}, errNotNumber, ``},
	{"NA", "a.csv", "1,2,0\n1,NA,0\n", Options{}, errNotNumber, `"NA"`},
	{"true", "a.csv", "1,2,0\n1,true,0\n", Options{}, errNotNumber, ``},
	{"date", "a.csv", "1,2,0\n1,2020-01-01,0\n", Options{}, errNotNumber, ``},
	{"infinity", "a.csv", "1,2,0\n1,Infinity,0\n", Options{}, errInf, "row 2, column 2: the value is infinite"},
	{"beyond", "a.csv", "1,2,0\n1,-1e309,0\n", Options{}, errInf, `beyond the range`},
	{"NaN", "a.csv", "1,2,0\n1,+nan,0\n", Options{}, errNotNumber, ``},
	{"quiet NaN", "a.csv", "1,2,0\n1,NaN,0\n", Options{}, errNaN, ``},

	// Records.
	{"trailing comma", "a.csv", "1,2,0,\n3,4,1,\n", Options{}, errLastEmpty, `row 1, column 4: the last column is empty: do all lines end with ","?`},
	{"one trailing comma", "a.csv", "1,2,0\n3,4,1,\n", Options{}, errRagged, "row 2: 4 fields instead of 3"},
	{"open quote", "a.csv", "1,2,0\n3,\"4,1\n5,6,0\n", Options{}, ErrFormat, "row 2: a quote in this row is not closed"},
	{"label in another encoding", "a.csv", "1,2,K\xf6ln\n3,4,Rom\n", Options{}, ErrFormat, "row 1, column 3: the label \"K\\xf6ln\" is not UTF-8"},
	{"category in another encoding", "a.csv", "1,K\xf6ln,0\n3,Rom,1\n", Options{OneHot: []string{"1"}}, ErrFormat, "row 1, column 2: the text \"K\\xf6ln\" is not UTF-8"},
	{"bare quote", "a.csv", "1,2,0\n3,4\"5,1\n", Options{}, ErrFormat, "row 2: bare"},
	{"open quote", "a.csv", "1,2,0\n\"3,4,1\n5,6,1\n", Options{}, ErrFormat, ""},
	{"quote over lines", "a.csv", "1,2,0\n3,\"4\n\n5\",1\nx\n", Options{}, errNotNumber, `row 2, column 2: "4\n\n5"`},
	{"after a quote over lines", "a.csv", "1,2,\"a\nb\"\n3,4,c\nx,4,c\n", Options{}, errNotNumber, `row 4, column 1: "x"`},
	{"carriage returns", "a.csv", "1,2,0\r3,4,1\r", Options{}, nil, ""},
	{"blank lines", "a.csv", strings.Repeat("\n", 1<<20), Options{}, errEmpty, "the file is empty"},
	{"blank lines, CRLF", "a.csv", strings.Repeat(" \r\n", 1<<18), Options{}, errEmpty, "the file is empty"},
	{"commas", "a.csv", strings.Repeat(",", 1<<21), Options{}, ErrTooLarge, "row 1: a record of more than 1048576 fields"},
	{"quoted commas", "a.csv", `"a"` + strings.Repeat(",", 1<<21), Options{}, ErrTooLarge, "row 1: a record of more than 1048576 fields"},
	{"few commas", "a.csv", ",,,\n,,,\n", Options{}, errNotNumber, "row 1, column 1: the field is empty"},
	{"two headers", "a.csv", "a,b,y\nc,d,y\n1,2,0\n", Options{}, errNotNumber, "row 1, column 1"},
	{"one label column", "a.csv", "a\nb\n", Options{}, errShape, "the only column is the label"},
	{"labels of words", "a.csv", "New York\nBoston\n", Options{}, errShape, ""},

	// Compression.
	{"gzip, trailing zeros", "a.csv.gz", gz("1,2,0\n3,4,1\n") + "\x00\x00\x00\x00", Options{}, ErrFormat, "more bytes after the compressed data"},
	{"gzip, trailing text", "a.csv.gz", gz("1,2,0\n3,4,1\n") + "1,2,0\n5,6,1\n", Options{}, ErrFormat, "more bytes after the compressed data"},
	{"gzip, trailing byte, IDX", "a.idx.gz", gz(idxImages) + "\x1f", Options{}, ErrFormat, "more bytes after the compressed data"},
	{"gzip, second member cut", "a.csv.gz", gz("1,2,0\n") + gz("3,4,1\n")[:9], Options{}, errTruncated, "the compressed data end too early"},
	{"gzip, second member damaged", "a.csv.gz", gz("1,2,0\n") + "\x1f\x8b\x07" + gz("3,4,1\n")[3:], Options{}, ErrFormat, "damaged compressed data"},
	{"gzip of gzip", "a.csv.gz", gz(gz("1,2,0\n")), Options{}, ErrFormat, ""},
	{"gzip of nothing", "a.csv.gz", gz(""), Options{}, errEmpty, "the file is empty"},
	{"gzip of blank lines", "a.csv.gz", gz(strings.Repeat("\n", 1<<16)), Options{}, errEmpty, ""},
	{"bzip2", "a.csv.bz2", "BZh91AY&SY\x00", Options{}, ErrFormat, ""},
	{"Parquet", "a.parquet", "PAR1\x15\x04\x15\x00", Options{}, ErrFormat, "this program cannot read Parquet files"},

	// NPY headers.
	{"NPY, no shape", "a.npy", npyHead("{'descr': '<f8', 'fortran_order': False}", ""), Options{}, ErrFormat, "damaged NPY header: no shape"},
	{"NPY, shape twice", "a.npy", npyHead("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), 'shape': (2, 2)}", strings.Repeat("\x00", 32)), Options{}, ErrFormat, "shape occurs twice"},
	{"NPY, more entries", "a.npy", npyHead("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), 'x': (2, 2)}", strings.Repeat("\x00", 8)), Options{}, ErrFormat, "more entries"},
	{"NPY, list as shape", "a.npy", npyHead("{'descr': '<f8', 'fortran_order': False, 'shape': [1, 1], }", strings.Repeat("\x00", 8)), Options{}, ErrFormat, ""},
	{"NPY, number in quotes", "a.npy", npyHead("{'descr': '<f8', 'fortran_order': False, 'shape': ('1', 1), }", strings.Repeat("\x00", 8)), Options{}, ErrFormat, ""},
	{"NPY, order in quotes", "a.npy", npyHead("{'descr': '<f8', 'fortran_order': 'False', 'shape': (1, 1), }", strings.Repeat("\x00", 8)), Options{}, ErrFormat, ""},
	{"NPY, no comma between", "a.npy", npyHead("{'descr': '<f8' 'fortran_order': False, 'shape': (1, 1), }", strings.Repeat("\x00", 8)), Options{}, ErrFormat, ""},
	{"NPY, code", "a.npy", npyHead("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)*9**9**9, }", ""), Options{}, ErrFormat, ""},
	{"NPY, dimension beyond int", "a.npy", npyHead("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 1), }", ""), Options{}, ErrTooLarge, ""},
	{"NPY, wrapping shape", "a.npy", npyHead("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", ""), Options{}, ErrTooLarge, ""},
	{"NPY, wrapping bytes", "a.npy", npyHead("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693953, 1), }", strings.Repeat("\x00", 8)), Options{MaxElements: maxInt}, errTruncated, ""},
	{"NPY, empty shape text", "a.npy", npyHead("{'descr': '<f8', 'fortran_order': False, 'shape': (,), }", ""), Options{}, ErrFormat, ""},
	{"NPY, header of zeros", "a.npy", "\x93NUMPY\x01\x00\x10\x00" + strings.Repeat("\x00", 16), Options{}, ErrFormat, ""},
	{"NPY, no header", "a.npy", "\x93NUMPY\x01\x00\x00\x00\x00\x00", Options{}, ErrFormat, ""},
	{"NPY, pickle", "a.npy", npyBytes("|O", false, "(1, 1)", "\x80\x03"), Options{}, errType, ""},
	{"NPY, long double", "a.npy", npyBytes("<f16", false, "(1, 1)", strings.Repeat("\x00", 16)), Options{}, errType, ""},
	{"NPY, zero-length text", "a.npy", npyBytes("<U0", false, "(1, 1)", ""), Options{}, errType, ""},
	{"NPY, vector", "a.npy", npyBytes("<f8", false, "(1,)", strings.Repeat("\x00", 8)), Options{}, errShape, ""},
	{"NPY named CSV", "a.csv", npyBytes("|u1", false, "(1, 1)", "\x01"), Options{}, ErrFormat, "no text at all"},
	{"CSV named NPY", "a.npy", "1,2,0\n", Options{}, ErrFormat, "wrong magic number"},
	{"CSV named NPZ", "a.npz", "1,2,0\n", Options{}, ErrFormat, ""},
	{"CSV named IDX", "a.idx", "1,2,0\n", Options{}, ErrFormat, ""},

	// NPZ.
	{"NPZ, X twice", "a.npz", zipped(zip.Store, "X.npy", npyBytes("|u1", false, "(1, 1)", "\x01"), "X.npy", npyBytes("|u1", false, "(1, 1)", "\x02")), Options{}, ErrFormat, "array X: the file has 2 arrays of this name"},
	{"NPZ, X and X.npy", "a.npz", zipped(zip.Deflate, "X", npyBytes("|u1", false, "(1, 1)", "\x01"), "X.npy", npyBytes("|u1", false, "(1, 1)", "\x02")), Options{}, ErrFormat, "array X: the file has 2"},
	{"NPZ, y twice", "a.npz", zipped(zip.Store, "X.npy", npyBytes("|u1", false, "(1, 1)", "\x01"), "y.npy", npyBytes("|u1", false, "(1,)", "\x01"), "y.npy", npyBytes("|u1", false, "(1,)", "\x02")), Options{}, ErrFormat, "array y: the file has 2"},
	{"NPZ, other compression", "a.npz", zipWith(12, npyBytes("|u1", false, "(1, 1)", "\x01")), Options{}, ErrFormat, ""},
	{"NPZ, nothing", "a.npz", zipped(zip.Store), Options{}, errNoArray, ""},
	{"NPZ, folder", "a.npz", zipped(zip.Store, "X.npy/", ""), Options{}, errNoArray, ""},
	{"NPZ, path", "a.npz", zipped(zip.Store, "../X.npy", npyBytes("|u1", false, "(1, 1)", "\x01")), Options{}, errNoArray, ""},
	{"NPZ, empty X", "a.npz", zipped(zip.Store, "X.npy", ""), Options{}, errEmpty, "array X: "},
	{"NPZ, CSV inside", "a.npz", zipped(zip.Deflate, "X.npy", "1,2\n3,4\n"), Options{}, ErrFormat, "array X: "},
	{"NPZ, labels longer", "a.npz", zipped(zip.Deflate, "X.npy", npyBytes("|u1", false, "(1, 1)", "\x01"), "y.npy", npyBytes("<i8", false, "(1000000,)", "")), Options{}, errLabelCount, "array y: 1000000 labels for 1 rows"},
	{"NPZ, split longer", "a.npz", zipped(zip.Deflate, "X.npy", npyBytes("|u1", false, "(1, 1)", "\x01"), "split.npy", npyBytes("<i8", false, "(1000000,)", "")), Options{}, errShape, "array split: 1000000 elements for 1 rows"},

	// IDX.
	{"IDX, 255 dimensions of 1", "a.idx", "\x00\x00\x08\xff" + strings.Repeat("\x00\x00\x00\x01", 255) + "ab", Options{}, ErrFormat, "more data"},
	{"IDX, dimensions cut", "a.idx", "\x00\x00\x08\x03\x00\x00\x00\x01\x00\x00", Options{}, errTruncated, ""},
	{"IDX, 2³² − 1 rows of none", "a.idx", "\x00\x00\x08\x02\xff\xff\xff\xff\x00\x00\x00\x00", Options{}, errEmpty, ""},
}

// zipWith returns an NPZ file with one array X that declares the given compression method.
func zipWith(method uint16, array string) string {
	text := zipped(zip.Store, "X.npy", array)
	central := strings.LastIndex(text, "PK\x01\x02")
	return text[:central+10] + string([]byte{byte(method), 0}) + text[central+12:]
}

func TestHostileFiles(t *testing.T) {
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := ReadFile(path, &c.opt)
			fe, ok := errors.AsType[*FileError](err)
			if !ok || fe.Path != path {
				t.Fatalf("error %#v", err)
			}
			if c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want %q with %q", err, c.is, c.want)
			}
			// Reading in blocks must also fail.
			if r, err := Open(path, &c.opt); err == nil {
				for err == nil {
					_, err = r.Next(7)
				}
				if err == io.EOF {
					t.Error("no error in blocks")
				}
				r.Close()
			}
		})
	}
	t.Logf("%d files", len(hostile))
}

// TestOddFiles checks that unusual but valid files can be read.
func TestOddFiles(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		opt        Options
	}{
		"blanks":                  {"a.csv", " 1 2  0\n3\t4 1 \n", Options{Delimiter: ' '}},
		"comments":                {"a.csv", "# x\n1,2,0\n  # y\n3,4,1\n#", Options{Comment: '#'}},
		"comment in a label":      {"a.csv", "1,2,0#\n3,4,1#\n", Options{Comment: '#'}},
		"header of savetxt":       {"a.csv", "# x,y,class\n1,2,0\n3,4,1\n", Options{}},
		"members of gzip":         {"a.csv.gz", gz("1,2,0\n3,") + gz("") + gz("4,1\n"), Options{}},
		"NPY, no last comma":      {"a.npy", npyHead("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)}", "\x01\x02\x03\x04"), Options{}},
		"NPY, no blanks":          {"a.npy", npyHead("{'descr':'|u1','fortran_order':False,'shape':(2,2)}", "\x01\x02\x03\x04"), Options{}},
		"NPY, other order":        {"a.npy", npyHead(`  { "shape" : ( 2 , 2 , ) , "fortran_order":False,"descr":"|u1"}   `, "\x01\x02\x03\x04"), Options{}},
		"NPY, long of Python 2":   {"a.npy", npyHead("{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 2L), }", "\x01\x02\x03\x04"), Options{}},
		"NPY, native order":       {"a.npy", npyHead("{'descr': '=u1', 'fortran_order': False, 'shape': (2, 2), }", "\x01\x02\x03\x04"), Options{}},
		"exactly so many columns": {"a.csv", "1,2\n3,4\n", Options{Dim: 2}},
		"one column more":         {"a.csv", "1,2,0\n3,4,1\n", Options{Dim: 2}},
		"blank lines":             {"a.csv", strings.Repeat("\n", 1<<20) + "1,2,0\n" + strings.Repeat("  \r\n", 1<<18) + "3,4,1\n", Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
			d, err := ReadFile(path, &c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.X.RawMatrix().Data; !slices.Equal(got, []float64{1, 2, 3, 4}) {
				t.Errorf("%v", got)
			}
		})
	}
	d, err := readNPY(strings.NewReader(npyBytes("|u1", false, "(3,)", "\x01\x02\x03")), Options{Vector: true})
	if err != nil || !slices.Equal(d.X.RawMatrix().Data, []float64{1, 2, 3}) {
		t.Errorf("a vector as a column: %v", err)
	}
	var e encoder
	e.add([]byte("0x10"), 1)
	e.add([]byte("2"), 2)
	if _, classes, _, err := e.encode(MissingLabelsError); err != nil || !slices.Equal(classes, []string{"0x10", "2"}) {
		t.Errorf("a hexadecimal name of a class: %q, %v", classes, err)
	}
}

// TestDamagedFiles checks that a file with a changed byte, missing bytes or additional bytes gives data or an error
// that names the file, and never a panic.
func TestDamagedFiles(t *testing.T) {
	npy := npyBytes("<f4", false, "(3, 2)", packed(binary.LittleEndian, []float32{1, 2, 3, 4, 5, 6}))
	sound := map[string]string{
		"a.csv": "a,b,y\n1,2,0\n3,\"4\",\"x\"\"\"\n5,6,1\n", "b.csv.gz": gz("1,2,0\n3,4,1\n"), "c.npy": npy, "d.npy.gz": gz(npy),
		"e.npz": zipped(zip.Deflate, "X.npy", npy, "y.npy", npyBytes("<U2", false, "(3,)", strings.Repeat("a\x00\x00\x00b\x00\x00\x00", 3)), "split.npy", npyBytes("|u1", false, "(3,)", "\x00\x01\x00")),
		"f.npz": zipped(zip.Store, "X.npy", npy, "y.npy", npyBytes("<i8", false, "(3,)", strings.Repeat("\x01\x00\x00\x00\x00\x00\x00\x00", 3))),
		"g.idx": idxImages, "h.idx.gz": gz(idxImages),
	}
	dir := t.TempDir()
	files, good := 0, 0
	for name, text := range sound {
		path := filepath.Join(dir, name)
		try := func(text string) {
			files++
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			d, err := ReadFile(path, &Options{MaxElements: fuzzElements})
			checkValid(t, d, err)
			if err == nil {
				good++
			} else if fe, ok := errors.AsType[*FileError](err); !ok || fe.Path != path {
				t.Fatalf("%s: error %#v", name, err)
			}
		}
		step, flips := 7, []byte{0x80}
		if testdata.IsLong() {
			step, flips = 1, []byte{0x01, 0x80, 0xff}
		}
		for at := 0; at < len(text); at += step {
			try(text[:at])
			for _, flip := range flips {
				b := []byte(text)
				b[at] ^= flip
				try(string(b))
			}
		}
		for _, more := range []string{"\x00", "\n", "x", text} {
			try(text + more)
		}
	}
	t.Logf("%d files, of which %d were read", files, good)
}

// TestReadMemory measures the peak memory of child processes, each of which reads one file.
func TestReadMemory(t *testing.T) {
	const variable = "MONGE_TEST_READ"
	if path := os.Getenv(variable); path != "" {
		_, err := ReadFile(path, nil)
		status, _ := os.ReadFile("/proc/self/status")
		fmt.Printf("\npeak %s kB, error %v\n", regexp.MustCompile(`VmHWM:\s*(\d+)`).FindSubmatch(status)[1], err)
		return
	}
	if runtime.GOOS != "linux" || raceEnabled {
		t.Skip("needs /proc, and the race detector takes memory of its own")
	}
	dir := t.TempDir()
	peak := func(name string, write func(w io.Writer)) (bytes float64, text string) {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		write(f)
		f.Close()
		info, _ := os.Stat(path)
		cmd := exec.Command(os.Args[0], "-test.run=^TestReadMemory$")
		cmd.Env = append(os.Environ(), variable+"="+path)
		out, err := cmd.CombinedOutput()
		m := regexp.MustCompile(`peak (\d+) kB, error (.*)`).FindStringSubmatch(string(out))
		if err != nil || m == nil {
			t.Skipf("cannot start a process of this architecture: %v: %s", err, out)
		}
		kb, _ := strconv.ParseFloat(m[1], 64)
		t.Logf("%s: file %.1f MB, peak %.1f MB, %s", name, float64(info.Size())/1e6, kb*1024/1e6, m[2])
		return kb * 1024, m[2]
	}
	base, _ := peak("small.csv", func(w io.Writer) { io.WriteString(w, "1,2,0\n3,4,1\n") })

	// Valid files may take at most three times the memory of the matrix.
	const cols = 128
	rows := 1 << 14
	if testdata.IsLong() {
		rows = 1 << 16
	}
	line := strings.Repeat("0.25,", cols) + "a\n"
	for name, write := range map[string]func(w io.Writer){
		"honest.csv": func(w io.Writer) {
			for range rows {
				io.WriteString(w, line)
			}
		},
		"honest.npy": func(w io.Writer) {
			io.WriteString(w, npyBytes("<f4", false, fmt.Sprintf("(%d, %d)", rows, cols), ""))
			w.Write(make([]byte, 4*rows*cols))
		},
		"fortran.npy": func(w io.Writer) {
			io.WriteString(w, npyBytes("<f4", true, fmt.Sprintf("(%d, %d)", rows, cols), ""))
			w.Write(make([]byte, 4*rows*cols))
		},
	} {
		bytes, text := peak(name, write)
		if times := (bytes - base) / float64(8*rows*cols); text != "<nil>" || times > 3 {
			t.Errorf("%s: %.2f times the matrix, error %s", name, times, text)
		}
	}

	const size = 70 << 20
	// Small files that expand to many bytes are rejected without using much memory. Without MONGE_LONG=1, gzip
	// files consist of copies of a small member, and zip files are compressed at a fast level.
	member, level := 1<<20, flate.BestSpeed
	if testdata.IsLong() {
		member, level = size, flate.BestCompression
	}
	packed := func(text string) func(w io.Writer) {
		return func(w io.Writer) {
			var one bytes.Buffer
			z, _ := gzip.NewWriterLevel(&one, gzip.BestCompression)
			for n := 0; n < member; n += len(text) {
				io.WriteString(z, text)
			}
			z.Close()
			for n := 0; n < size; n += member {
				w.Write(one.Bytes())
			}
		}
	}
	head := func(first, text string) func(w io.Writer) {
		return func(w io.Writer) {
			z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
			io.WriteString(z, first)
			for n := 0; n < size; n += len(text) {
				io.WriteString(z, text)
			}
			z.Close()
		}
	}
	archive := func(parts ...string) func(w io.Writer) {
		return func(w io.Writer) {
			z := zip.NewWriter(w)
			z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, level) })
			for i := 0; i < len(parts); i += 2 {
				e, _ := z.Create(parts[i] + ".npy")
				io.WriteString(e, parts[i+1])
				for n := 0; n < size; n += 1 << 20 {
					e.Write(make([]byte, 1<<20))
				}
			}
			z.Close()
		}
	}
	zeros := strings.Repeat("\x00", 1<<16)
	for _, c := range []struct {
		name  string
		write func(w io.Writer)
		want  string
	}{
		{"commas.csv.gz", packed(strings.Repeat(",", 1<<16)), "more than 1048576 fields"},
		{"blank.csv.gz", packed(strings.Repeat("\n", 1<<16)), "the file is empty"},
		{"one field.csv.gz", packed(strings.Repeat("1", 1<<16)), "a record of more than"},
		{"rows.csv.gz", packed(strings.Repeat(strings.Repeat("0,", 100)+"0\n", 100)), "expand to"},
		{"labels.csv.gz", packed(strings.Repeat("0,1\n", 1<<14)), "expand to"},
		{"u1.npy.gz", head(npyBytes("|u1", false, fmt.Sprintf("(%d, 1024)", size/1024), ""), zeros), "expand to"},
		{"f8.npy.gz", head(npyBytes("<f8", false, fmt.Sprintf("(%d, 1024)", size/8/1024), ""), zeros), "expand to"},
		{"images.idx.gz", head("\x00\x00\x08\x02"+string(binary.BigEndian.AppendUint32(nil, size/1024))+"\x00\x00\x04\x00", zeros), "expand to"},
		{"u1.npz", archive("X", npyBytes("|u1", false, fmt.Sprintf("(%d, 1024)", size/1024), "")), "expand to"},
		{"labels.npz", archive("y", npyBytes("|u1", false, fmt.Sprintf("(%d,)", size), ""), "X", npyBytes("|u1", false, fmt.Sprintf("(%d, 1)", size), "")), "expand to"},
		{"count.npz", archive("y", npyBytes("|u1", false, "(5,)", ""), "X", npyBytes("|u1", false, fmt.Sprintf("(%d, 1)", size), "")), "5 labels for"},
	} {
		if !testdata.IsLong() && c.name != "labels.csv.gz" && c.name != "u1.npz" {
			continue
		}
		peak, text := peak(c.name, c.write)
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: error %s, want %q", c.name, text, c.want)
		}
		if peak-base > 200<<20 {
			t.Errorf("%s: %.0f MB", c.name, peak/1e6)
		}
	}
}
