package dataset

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/gomonge/monge/internal/enum"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/npy"
)

// A Format is a kind of data file: FormatAuto, FormatCSV, FormatNPY, FormatNPZ, FormatIDX, FormatParquet,
// FormatArrow or FormatJSONLines.
type Format uint8

// The formats. The package documentation describes each.
const (
	FormatAuto      Format = iota // detected from the file name, or else from the first bytes
	FormatCSV                     // text, one sample per line
	FormatNPY                     // one NumPy array
	FormatNPZ                     // a zip file of NumPy arrays
	FormatIDX                     // an array in the format of the MNIST files
	FormatParquet                 // Apache Parquet; see package wda/dataset/columnar
	FormatArrow                   // an Apache Arrow file or stream; see package wda/dataset/columnar
	FormatJSONLines               // text, one JSON object per sample
)

// format describes how this package handles a Format.
type format struct {
	name       string
	extensions []string // extensions of file names in lower case, the most common first
	// matches reports whether a file of this format may start with head. head may be short or
	// empty.
	matches func(head []byte) bool
	// open reads everything that comes before the samples.
	open func(r *Reader, src *source) error
}

// formats returns the table of all formats. It is a function because a variable would have an
// initialization cycle.
func formats() []format {
	return []format{
		FormatAuto: {name: "auto"},
		FormatCSV:  {"csv", []string{".csv", ".tsv", ".tab", ".txt"}, isText, (*Reader).openCSV},
		FormatNPY:  {"npy", []string{".npy"}, hasPrefix(npy.Magic), (*Reader).openNPY},
		FormatNPZ:  {"npz", []string{".npz"}, hasPrefix(zipMagic), (*Reader).openNPZ},
		FormatIDX:  {"idx", []string{".idx"}, isIDX, (*Reader).openIDX},
		FormatParquet: {"parquet", []string{".parquet"}, func(head []byte) bool {
			return bytes.HasPrefix(head, []byte("PAR1")) || bytes.HasPrefix(head, []byte("PARE")) // encrypted
		}, (*Reader).openTable},
		FormatArrow: {"arrow", []string{".arrow", ".arrows"}, func(head []byte) bool {
			return bytes.HasPrefix(head, []byte("ARROW1")) || bytes.HasPrefix(head, []byte("\xff\xff\xff\xff"))
		}, (*Reader).openTable},
		FormatJSONLines: {"jsonl", []string{".jsonl", ".ndjson"}, isJSONLines, (*Reader).openJSONLines},
	}
}

func formatNames() enum.Names {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return enum.New("Format", fault.ErrSettings, names...)
}

// columnar reports whether files of the format are stored by columns. The first bytes identify
// these files, even if the file name suggests another format.
func (f Format) columnar() bool { return f == FormatParquet || f == FormatArrow }

// String returns the name: auto, csv, npy, npz, idx, parquet, arrow or jsonl.
func (f Format) String() string { return formatNames().Name(uint8(f)) }

// title returns the name of the format for use in sentences, such as NPY or Parquet.
func (f Format) title() string {
	if f == FormatJSONLines {
		return "JSON lines"
	}
	if f.columnar() {
		return strings.ToUpper(f.String()[:1]) + f.String()[1:]
	}
	return strings.ToUpper(f.String())
}

// MarshalText implements encoding.TextMarshaler. It returns the name of f.
func (f Format) MarshalText() ([]byte, error) { return formatNames().Text(uint8(f)) }

// UnmarshalText implements encoding.TextUnmarshaler. An unknown name is an error that matches
// ErrSettings and lists the valid names.
func (f *Format) UnmarshalText(text []byte) error { return enum.Parse(f, text, formatNames()) }

// FormatOf returns the format that a file name suggests, or FormatAuto. It looks for an extension
// such as .csv or a name such as train-images-idx3-ubyte, optionally followed by .gz. It ignores
// case.
func FormatOf(path string) Format {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
	ext := filepath.Ext(name)
	for f, format := range formats() {
		for _, e := range format.extensions {
			if e == ext {
				return Format(f)
			}
		}
	}
	// train-images-idx3-ubyte, t10k-labels.idx1-ubyte
	if at := strings.LastIndex(name, "idx"); at > 0 && strings.ContainsRune("-.", rune(name[at-1])) {
		if rest := name[at+3:]; len(rest) > 1 && '1' <= rest[0] && rest[0] <= '9' && rest[1] == '-' {
			return FormatIDX
		}
	}
	return FormatAuto
}

// sniffBytes is the number of bytes at the beginning that determine the format.
const sniffBytes = 512

// sniff returns the format of a file that begins with head. It returns FormatCSV for text in no other
// format, and FormatAuto for unknown binary data.
func sniff(head []byte) Format {
	all := formats()
	for f := len(all) - 1; f > 0; f-- { // text comes last, because other formats may look like text
		if all[f].matches(head) {
			return Format(f)
		}
	}
	return FormatAuto
}

func hasPrefix(text string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(text)) }
}

// isText reports whether head may be text. UTF-16 counts as text: the CSV reader reports that it is
// not supported.
func isText(head []byte) bool { return isUTF16(head) || bytes.IndexByte(head, 0) < 0 }

func isIDX(head []byte) bool {
	if len(head) < 4 || head[0] != 0 || head[1] != 0 {
		return false
	}
	_, ok := idxElem(head[2])
	return ok
}

// isUTF16 reports whether text begins with a UTF-16 byte order mark.
func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// defaultDelimiter returns the delimiter of a text file with this name.
func defaultDelimiter(path string) rune {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")) {
	case ".tsv", ".tab":
		return '\t'
	}
	return ','
}
