package dataset

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The formats of Options.Format.
const (
	formatAuto = "" // by name, else by the first bytes
	formatCSV  = "csv"
	formatNPY  = "npy"
	formatNPZ  = "npz"
	formatIDX  = "idx"
)

// What Options.Header says of the first row of a CSV file.
const (
	headerAuto    = ""
	headerPresent = "present"
	headerAbsent  = "absent"
)

// Options tells a reader what to look for. The zero value suits a CSV file
// whose last column is the label, an NPZ file with arrays X, y and perhaps
// split, an IDX file beside its labels, and an NPY file without labels.
type Options struct {
	// Format is csv (text, one sample per line), npy (one NumPy array), npz (a zip file of
	// them) or idx (the format of the MNIST files). Default: by the file's name, else by
	// its first bytes.
	Format string

	// Label chooses the labels. In a CSV file it is the name of a column, which
	// implies a header, or its index from 0, from the end if negative ("-1" is
	// the last); a number is a name only if Header is present and a
	// column has it. In an NPZ file it names an array. Default: the last
	// column, or the array y if there is one.
	Label string

	// Unlabelled means that there are no labels: every CSV column is a feature.
	Unlabelled bool

	// LabelFile is a file of labels in the order of the rows: text with one
	// label per line, NPY, NPZ (array y) or IDX, plain or gzip-compressed. It
	// makes the data file one of features only, as Unlabelled does. Used by
	// ReadFile and Open only.
	LabelFile string

	// Header is present if the first row of a CSV file names the columns, and absent if
	// it is data. Default: it does if none of its feature fields is a number, not all are
	// empty, and the second row has a number. A first row with some numbers is data: were
	// one text enough, a row with a missing value would vanish unnoticed instead of being
	// an error.
	Header string

	Delimiter rune // CSV only; default tab for .tsv and .tab, comma elsewhere; a blank stands for any number of blanks and tabs

	// Comment, if it is not 0, begins lines that are left out. CSV only.
	Comment rune

	// Dim, if positive, is the number of features that the caller needs: a CSV file
	// without a Label that has exactly so many columns has no labels.
	Dim int

	Features string // array of the features in an NPZ file; default X
	Split    string // array for Dataset.Split in an NPZ file; default split, if there is one

	// Vector takes an NPY vector of n elements for n × 1.
	Vector bool

	// MaxElements bounds rows × columns of what is read into memory; default 2³⁰,
	// which takes 8 GiB. A Reader does without.
	MaxElements int

	// MaxExpansion bounds how many bytes of memory each byte of a compressed file may
	// take, so that a small one does not fill the memory: its text, or its numbers at 8
	// bytes each. 64 MiB are always allowed. Default 400: images come to 50, the
	// sparsest bag of words that was tried to 300. A Reader does without.
	MaxExpansion int
}

func (o *Options) maxElements() int {
	if o.MaxElements > 0 {
		return o.MaxElements
	}
	return 1 << 30
}

func (o *Options) maxExpansion() int64 {
	if o.MaxExpansion > 0 {
		return int64(o.MaxExpansion)
	}
	return 400
}

func (o *Options) splitName() string { return cmp.Or(o.Split, "split") }

// ReadFile reads a file in any of the formats; all but NPZ, which is compressed
// itself, may be gzip-compressed. Unless Options.Format says it, the name tells
// the format: .csv .tsv .tab .txt .npy .npz .idx, or idx3-ubyte and the like,
// perhaps followed by .gz; for another name the first bytes do.
//
// The labels of an IDX file are sought beside it under its name with
// images-idx3 replaced by labels-idx1 (or images.idx3 by labels.idx1), with or
// without .gz; if there is none, the data are unlabelled.
//
// It takes at most three times the memory of the matrix while it reads, whatever the
// file claims, and compares lengths before it reads data. Every error is a *FileError.
func ReadFile(path string, opt Options) (*Dataset, error) {
	r, err := Open(path, opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.all()
}

// besideIDX returns the label file that belongs to an image file, or "".
func besideIDX(path string) string {
	dir, base := filepath.Split(path)
	base = strings.TrimSuffix(base, ".gz")
	for _, sep := range []string{"-", "."} {
		from, to := "images"+sep+"idx", "labels"+sep+"idx1"
		at := strings.LastIndex(base, from)
		if at < 0 || at+len(from) == len(base) {
			continue
		}
		name := filepath.Join(dir, base[:at]+to+base[at+len(from)+1:])
		for _, name := range []string{name, name + ".gz"} {
			if _, err := os.Stat(name); err == nil {
				return name
			}
		}
	}
	return ""
}

// openLabelFile opens a file of labels alone. The delimiter and header of the options
// belong to the features.
func openLabelFile(path string, opt Options) (labels, error) {
	src, err := openSource(path, Options{MaxElements: opt.MaxElements, MaxExpansion: opt.MaxExpansion})
	if err != nil {
		return nil, err
	}
	l, err := newLabels(src, path, &opt)
	if a, ok := l.(*arrayLabels); ok && err == nil {
		a.src = src
		return a, nil
	}
	src.Close()
	return l, err
}

func newLabels(src *source, path string, opt *Options) (labels, error) {
	named := func(err error) error { return fileError(path, err) }
	var (
		a   *array
		err error
	)
	switch src.format {
	case formatNPZ:
		z, err := openArchive(src)
		if err != nil {
			return nil, err
		}
		if a, _, err = z.open("y"); err != nil {
			return nil, inArray("y", err)
		}
		named = func(err error) error { return fileError(path, inArray("y", err)) }
	case formatNPY:
		a, err = openNPY(src.stream())
	case formatIDX:
		if a, err = openIDX(src.stream()); err == nil && len(a.shape) != 1 {
			err = because(errShape, fmt.Sprintf("%d dimensions: these are not labels", len(a.shape)))
		}
	default:
		src.bounded.Store(true)
		e, err := readCSVLabels(src.r, opt.maxElements())
		if err != nil {
			return nil, err
		}
		return &textLabels{path: path, enc: e}, nil
	}
	if err != nil {
		return nil, err
	}
	l, err := newArrayLabels(a, named)
	if err != nil {
		return nil, named(err)
	}
	return l, nil
}
