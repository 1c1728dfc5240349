package dataset

import (
	"archive/zip"
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// openNPZ opens the arrays and checks that their lengths agree.
func (r *Reader) openNPZ(src *source) error {
	z, err := openArchive(src)
	if err != nil {
		return err
	}
	name := cmp.Or(r.opt.Features, z.firstArray(featureArrays), featureArrays[0])
	x, err := r.openArray(z, name)
	if err != nil {
		return err
	}
	m, err := newMatrix(x, &r.opt)
	if err != nil {
		return arrayError(name, err)
	}
	if r.features = (namedSamples{m, name}); name != "X" && r.opt.Features == "" {
		m.notes = append(m.notes, Note{Text: fmt.Sprintf("the features are the array %s", clip(name))})
	}
	for _, id := range r.opt.ID {
		l, err := r.openLabelArray(z, id)
		if err != nil {
			return err
		}
		if l.count() != m.rows {
			return arrayError(id, newCause(errShape, fmt.Sprintf("%d elements for %d rows", l.count(), m.rows)))
		}
		r.ids, m.idNames = append(r.ids, l), append(m.idNames, id)
	}

	// A missing array is an error only if the options name the array.
	name = ""
	switch l := r.opt.Labels; {
	case r.opt.IgnoreLabels:
	case l.isChosen():
		name = l.name
	case l.IsAuto():
		if name = z.firstArray(labelArrays); name != "" && name != labelArrays[0] {
			m.notes = append(m.notes, Note{Text: fmt.Sprintf("the labels are the array %s", clip(name))})
		}
	}
	if name != "" {
		l, err := r.openLabelArray(z, name)
		if err != nil {
			return err
		}
		r.labels = l
		if err := r.checkLabels(); err != nil {
			return err
		}
	}

	name = r.opt.splitName()
	if r.opt.Split == "" && !z.hasArray(name) {
		return nil
	}
	a, err := r.openArray(z, name)
	if err == nil {
		if err = a.setVector(); err == nil && a.n != m.rows {
			err = newCause(errShape, fmt.Sprintf("%d elements for %d rows", a.n, m.rows))
		}
		err = arrayError(name, err)
	}
	r.split = a
	return err
}

// Usual names of the arrays of features and labels, the most usual name first.
var (
	featureArrays = []string{"X", "data"}
	labelArrays   = []string{"y", "target"}
)

// firstArray returns the first of the given names for which the file has an array, or "".
func (z *archive) firstArray(names []string) string {
	for _, name := range names {
		if z.hasArray(name) {
			return name
		}
	}
	return ""
}

// openLabelArray opens an array of labels or identifiers.
func (r *Reader) openLabelArray(z *archive, name string) (*arrayLabels, error) {
	a, err := r.openArray(z, name)
	if err != nil {
		return nil, err
	}
	l, err := newArrayLabels(a, func(err error) error { return fileError(r.path, arrayError(name, err)) })
	if err != nil {
		return nil, arrayError(name, err)
	}
	return l, nil
}

// openArray opens an array. Reader.Close closes it.
func (r *Reader) openArray(z *archive, name string) (*array, error) {
	a, c, err := z.openArray(name)
	if err != nil {
		return nil, arrayError(name, err)
	}
	r.close = append(r.close, c)
	return a, nil
}

// namedSamples adds the name of the array to errors.
type namedSamples struct {
	*matrix
	array string
}

func (s namedSamples) read(x []float64, label func([]byte, int)) (int, error) {
	n, err := s.matrix.read(x, label)
	if err == io.EOF {
		return n, err
	}
	return n, arrayError(s.array, err)
}

func (s namedSamples) capacity(opt *Options) (int, error) {
	n, err := s.matrix.capacity(opt)
	return n, arrayError(s.array, err)
}

// arrayError adds the name of the array to err.
func arrayError(name string, err error) error {
	if err == nil {
		return nil
	}
	if fe, ok := errors.AsType[*FileError](err); ok {
		fe.Array = name
		return fe
	}
	return &FileError{Array: name, Err: err}
}

// archive is an NPZ file.
type archive struct {
	zip *zip.Reader
	src *source
}

func openArchive(src *source) (*archive, error) {
	z, err := zip.NewReader(src.at, src.size)
	if err == nil {
		return &archive{z, src}, nil
	}
	// The zip directory is at the end of the file, so it is missing in a truncated file.
	var magic [4]byte
	if n, _ := src.at.ReadAt(magic[:], 0); n == 0 {
		return nil, newCause(errEmpty, "the file is empty")
	}
	if string(magic[:]) == zipMagic {
		return nil, newCause(errTruncated, "the zip directory at the end is missing or damaged: "+err.Error())
	}
	return nil, newCause(ErrFormat, "not an NPZ file: "+err.Error())
}

const zipMagic = "PK\x03\x04"

// entries returns the zip entries of the array with this name. A valid file has exactly one such
// entry.
func (z *archive) entries(name string) []*zip.File {
	var found []*zip.File
	for _, f := range z.zip.File {
		if f.Name == name+".npy" || f.Name == name {
			found = append(found, f)
		}
	}
	return found
}

func (z *archive) hasArray(name string) bool { return len(z.entries(name)) > 0 }

// openArray returns an array and its closer.
func (z *archive) openArray(name string) (*array, io.Closer, error) {
	found := z.entries(name)
	switch len(found) {
	case 0:
		var names []string
		for _, f := range z.zip.File {
			names = append(names, strings.TrimSuffix(f.Name, ".npy"))
		}
		if !slices.ContainsFunc(z.zip.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, ".npy") }) {
			return nil, nil, newCause(errNoArray, "no such array: this ZIP file is not of NumPy; unpack it, or save a workbook as CSV")
		}
		cause := errNoArray
		if name == featureArrays[0] {
			cause = errNoFeatures
		}
		return nil, nil, newCause(cause, "no such array; the file has "+clip(strings.Join(names, " ")))
	case 1:
	default:
		return nil, nil, newCause(ErrFormat, fmt.Sprintf("the file has %d arrays of this name", len(found)))
	}
	file := found[0]
	r, err := file.Open()
	if err != nil {
		return nil, nil, newCause(ErrFormat, "damaged zip entry: "+err.Error())
	}
	begin, err := file.DataOffset()
	stored := err == nil && file.Method == zip.Store
	var body io.Reader = inflate{r}
	if stored {
		body = z.src.prefetch(body, begin)
	}
	s := &stream{r: bufio.NewReaderSize(z.src.readAhead(body), streamBuffer)}
	// The header may declare wrong sizes, but the size of the file is known.
	limit := uint64(z.src.size)
	if file.Method != zip.Store {
		limit *= maxRatio
		s.check = func(bytes int64) error { return checkExpansion(bytes, z.src.size, z.src.expansion) }
	}
	s.limit = int64(min(limit, file.UncompressedSize64, math.MaxInt64))
	if stored {
		s.place = arrayPosition{file: z.src.at, begin: begin, size: begin + s.limit}
	}
	a, err := openNPY(s)
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	return a, r, nil
}

// inflate converts errors of damaged zip entries to errors of this package.
type inflate struct{ r io.Reader }

func (f inflate) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && err != io.EOF {
		err = formatError(err)
	}
	return n, err
}
