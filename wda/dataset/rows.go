package dataset

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// arrayPosition is the position of the elements of an array in a file.
type arrayPosition struct {
	file  io.ReaderAt // nil without random access
	size  int64
	begin int64
}

// A RowReader is a matrix whose rows stay in a file. wda.Fit can draw mini-batches from it.
type RowReader interface {
	// Matrix gives access to single elements. At reads a whole row for each element, and panics if
	// ReadRows would return an error.
	mat.Matrix

	// ReadRows sets dst to consecutive rows, beginning with the row whose index is first, counted
	// from 0. The length of dst must be a multiple of the number of columns. Several goroutines may
	// call ReadRows at the same time. An error contains the row and column numbers.
	ReadRows(dst []float64, first int) error
}

// Rows returns the samples as a matrix that stays in the file. The labels and classes are the same as
// those of ReadFile, or nil if the samples have no labels. Use Rows instead of Next; the matrix is
// valid until Close. Samples are not held in memory; labels take 20 bytes each.
//
// The file must be an uncompressed NPY file in C order, an uncompressed NPZ file of such arrays or an
// uncompressed IDX file. For a pipe or any other file, the error matches ErrFormat. Every error,
// including the errors of ReadRows, is a *FileError.
func (r *Reader) Rows() (x RowReader, labels []int, classes []string, err error) {
	m, name := (*matrix)(nil), ""
	switch s := r.features.(type) {
	case *matrix:
		m = s
	case namedSamples:
		m, name = s.matrix, s.array
	}
	if r.row > 0 {
		err = newCause(ErrFormat, "rows have been read already")
	} else if m == nil || m.a.place.file == nil || m.a.fortran {
		err = newCause(ErrFormat, "its rows cannot stay in the file: that needs an uncompressed NPY (in C order), NPZ or IDX file, not a pipe")
	} else if m.a.elem.kind == 'U' || m.a.elem.kind == 'S' {
		err = newCause(errType, "strings where numbers are expected")
	} else if have := m.a.place.size - m.a.place.begin; have/int64(m.a.elem.size) != int64(m.a.n) || have%int64(m.a.elem.size) != 0 {
		err = newCause(errTruncated, fmt.Sprintf("%d elements of %d bytes announced, %d bytes there", m.a.n, m.a.elem.size, have))
	}
	if err != nil {
		return nil, nil, nil, fileError(r.path, err)
	}
	rows := &storedRows{matrix: m, path: r.path, array: name}
	if r.labels == nil {
		return rows, nil, nil, nil
	}
	if r.labels.count() != m.rows {
		return nil, nil, nil, r.labels.withName(labelCount(r.labels.count(), m.rows))
	}
	var enc encoder
	if err = r.labels.read(m.rows, enc.add); err == nil {
		labels, classes, r.notes, err = enc.encode(r.opt.MissingLabels)
	}
	if at := slices.Index(labels, -1); at >= 0 && err == nil {
		err = &FileError{Row: at + 1, Err: newCause(errLabelEmpty, "the label is missing, and rows that stay in their file cannot be left out")}
	}
	if err != nil {
		return nil, nil, nil, r.labels.withName(err)
	}
	r.row = m.rows
	return rows, labels, classes, nil
}

// storedRows is a RowReader for an array in a file.
type storedRows struct {
	*matrix
	path, array string
	bytes       sync.Pool // of *[]byte
}

func (s *storedRows) Dims() (rows, cols int) { return s.rows, s.cols }

func (s *storedRows) T() mat.Matrix { return mat.Transpose{Matrix: s} }

func (s *storedRows) At(i, j int) float64 {
	row := make([]float64, s.cols)
	if err := s.ReadRows(row, i); err != nil {
		panic(err)
	}
	return row[j]
}

// ReadRows implements RowReader. It panics if dst does not have whole rows, or if a row does not
// exist.
func (s *storedRows) ReadRows(dst []float64, first int) error {
	if n := len(dst) / s.cols; len(dst)%s.cols != 0 || first < 0 || first > s.rows-n {
		panic(badRow)
	}
	buf, ok := s.bytes.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}
	defer s.bytes.Put(buf)
	e, n, all := s.a.elem, len(dst)/s.cols*s.width, dst
	if s.featureColumns != nil {
		all = make([]float64, n)
	}
	size := n * e.size
	*buf = slices.Grow((*buf)[:0], size)[:size]
	_, err := s.a.place.file.ReadAt(*buf, s.a.place.begin+int64(first)*int64(s.width)*int64(e.size))
	if err == io.EOF {
		err = newCause(errTruncated, "the data end too early")
	}
	if err == nil {
		e.toLittleEndian(*buf)
		finite := e.decode(all, *buf)
		if s.copyFeatures(dst, all); !finite {
			s.plan.fillMissing(dst)
			err = s.findNotFinite(dst, first)
		}
	} else {
		err = &FileError{Row: first + 1, Err: withoutPath(err)}
	}
	if err != nil && s.array != "" {
		err = arrayError(s.array, err)
	}
	return fileError(s.path, err)
}
