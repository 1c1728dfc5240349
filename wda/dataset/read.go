package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ReadFile reads a file in any of the formats into memory. options may be nil. Files of all formats
// except NPZ, Parquet and Arrow may be gzip-compressed. If Options.Format is FormatAuto, the file
// name determines the format (see FormatOf), or else the first bytes.
//
// By default the labels of an IDX file are read from the file whose name contains labels-idx1
// instead of images-idx3 (or labels.idx1 instead of images.idx3), with or without .gz. If this file
// does not exist, the data have no labels.
//
// While reading, ReadFile uses at most three times the memory of the matrix. It does not trust
// sizes that the file declares. Every error is a *FileError.
func ReadFile(path string, options *Options) (*Dataset, error) {
	r, err := Open(path, options)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.ReadAll()
}

// labelFileOfIDX returns the label file for an IDX image file, or "".
func labelFileOfIDX(path string) string {
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

// openLabelFile opens a file of labels. It ignores the delimiter and header of the options, which
// are for the features.
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
	case FormatNPZ:
		z, err := openArchive(src)
		if err != nil {
			return nil, err
		}
		if a, _, err = z.openArray("y"); err != nil {
			return nil, arrayError("y", err)
		}
		named = func(err error) error { return fileError(path, arrayError("y", err)) }
	case FormatNPY:
		a, err = openNPY(src.stream())
	case FormatIDX:
		if a, err = openIDX(src.stream()); err == nil && len(a.shape) != 1 {
			err = newCause(errShape, fmt.Sprintf("%d dimensions: these are not labels", len(a.shape)))
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
