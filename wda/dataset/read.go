package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Format is a file format.
type Format int

const (
	FormatAuto Format = iota // by name, else by the first bytes
	FormatCSV                // text, one sample per line
	FormatNPY                // one NumPy array
	FormatNPZ                // a zip file of NumPy arrays
	FormatIDX                // the format of the MNIST files
)

// Header says whether a CSV file starts with column names.
type Header int

const (
	// HeaderAuto takes the first row for a header if none of its feature
	// fields is a number, not all are empty, and the second row has a number.
	// A first row with some numbers is data: were one text enough, a row with
	// a missing value would vanish unnoticed instead of being an error.
	HeaderAuto Header = iota
	HeaderPresent
	HeaderAbsent
)

// Options tells a reader what to look for. The zero value suits a CSV file
// whose last column is the label, an NPZ file with arrays X, y and perhaps
// split, an IDX file beside its labels, and an NPY file without labels.
type Options struct {
	Format Format // default FormatAuto, used by ReadFile only

	// Label chooses the labels. In a CSV file it is the name of a column, which
	// implies a header, or its index from 0, from the end if negative ("-1" is
	// the last); a number is a name only if Header is HeaderPresent and a
	// column has it. In an NPZ file it names an array. Default: the last
	// column, or the array y if there is one.
	Label string

	// Unlabelled means that there are no labels: every CSV column is a feature.
	Unlabelled bool

	// LabelFile is a file of labels in the order of the rows: text with one
	// label per line, NPY, NPZ (array y) or IDX, plain or gzip-compressed. It
	// makes the data file one of features only, as Unlabelled does. Used by
	// ReadFile only.
	LabelFile string

	Header    Header // CSV only; default HeaderAuto
	Delimiter rune   // CSV only; default tab for .tsv and .tab, comma elsewhere

	Features string // array of the features in an NPZ file; default X
	Split    string // array for Dataset.Split in an NPZ file; default split, if there is one

	// MaxElements bounds rows × columns, so that a small compressed file does
	// not fill the memory; default 2³⁰, which takes 8 GiB.
	MaxElements int
}

func (o *Options) maxElements() int {
	if o.MaxElements > 0 {
		return o.MaxElements
	}
	return 1 << 30
}

// ReadFile reads a file in any of the formats; all but NPZ, which is compressed
// itself, may be gzip-compressed. Unless Options.Format says it, the name tells
// the format: .csv .tsv .tab .txt .npy .npz .idx, or idx3-ubyte and the like,
// perhaps followed by .gz; for another name the first bytes do.
//
// The labels of an IDX file are sought beside it under its name with
// images-idx3 replaced by labels-idx1 (or images.idx3 by labels.idx1), with or
// without .gz; if there is none, the data are unlabelled.
//
// Every error is a *FileError.
func ReadFile(path string, opt Options) (*Dataset, error) {
	if opt.LabelFile != "" {
		opt.Unlabelled = true
	}
	d, format, err := readFile(path, opt)
	if err != nil {
		return nil, fileError(path, err)
	}
	labelFile := opt.LabelFile
	if labelFile == "" && format == FormatIDX && !opt.Unlabelled {
		labelFile = besideIDX(path)
	}
	if labelFile == "" {
		return d, nil
	}
	e, err := readLabelFile(labelFile, opt)
	if err == nil {
		err = d.setLabels(e)
	}
	if err != nil {
		return nil, fileError(labelFile, err)
	}
	return d, nil
}

func readFile(path string, opt Options) (*Dataset, Format, error) {
	src, err := open(path, opt.Format)
	if err != nil {
		return nil, 0, err
	}
	defer src.close()
	var d *Dataset
	switch src.format {
	case FormatNPZ:
		d, err = ReadNPZ(src.file, src.size, opt)
	case FormatNPY:
		d, err = readNPY(src.stream(), opt)
	case FormatIDX:
		d, err = readIDX(src.stream(), opt)
	default:
		if opt.Delimiter == 0 {
			opt.Delimiter = delimiter(path)
		}
		d, err = ReadCSV(src.r, opt)
	}
	return d, src.format, err
}

// readLabelFile reads labels alone. The delimiter and header of the options
// belong to the features.
func readLabelFile(path string, opt Options) (*encoder, error) {
	src, err := open(path, FormatAuto)
	if err != nil {
		return nil, err
	}
	defer src.close()
	switch src.format {
	case FormatNPZ:
		z, err := openNPZ(src.file, src.size)
		if err != nil {
			return nil, err
		}
		return z.labels("y", opt.maxElements())
	case FormatNPY:
		return readNPYLabels(src.stream(), opt.maxElements())
	case FormatIDX:
		return readIDXLabels(src.stream(), opt.maxElements())
	}
	return readCSVLabels(src.r, opt.maxElements())
}

// setLabels gives the rows their labels.
func (d *Dataset) setLabels(e *encoder) error {
	if len(e.rows) != d.Len() {
		return because(ErrLabelCount, fmt.Sprintf("%d labels for %d rows", len(e.rows), d.Len()))
	}
	labels, classes, err := e.encode()
	if err != nil {
		return err
	}
	d.Labels, d.Classes = labels, classes
	return nil
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

// source is an open file with its compression and format known.
type source struct {
	file   *os.File
	size   int64 // bytes of the file
	r      *bufio.Reader
	limit  int64 // most bytes that r can yield, −1 if unknown
	format Format
}

func (s *source) close() { s.file.Close() }

func (s *source) stream() *stream { return &stream{r: s.r, limit: s.limit} }

// maxRatio is the largest expansion of a deflate stream according to zlib's
// documentation: 258 bytes from two bits.
const maxRatio = 1032

func open(path string, format Format) (*source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &source{file: f, limit: -1, format: format}
	if err := s.identify(path); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func (s *source) identify(path string) error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return because(ErrFormat, "is a directory")
	}
	if info.Mode().IsRegular() {
		s.size = info.Size()
		s.limit = s.size
	}
	s.r = bufio.NewReaderSize(s.file, streamBuffer)
	// The bytes decide on compression: no format here starts like gzip, and
	// download tools unpack files without renaming them.
	if head, _ := s.r.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(s.r)
		if err != nil {
			return damaged(err)
		}
		s.r = bufio.NewReaderSize(gunzip{z}, streamBuffer)
		if s.limit >= 0 {
			s.limit *= maxRatio
		}
	}
	if s.format == FormatAuto {
		s.format = formatOf(path)
	}
	if s.format == FormatAuto {
		s.format = sniff(s.r)
	}
	switch {
	case s.format == FormatAuto:
		return because(ErrFormat, "neither the name nor the first bytes tell the format")
	case s.format == FormatNPZ && !info.Mode().IsRegular():
		return because(ErrFormat, "an NPZ file cannot be read from a pipe")
	}
	return nil
}

// gunzip reports damage in the stream as an error of this package.
type gunzip struct{ z *gzip.Reader }

func (g gunzip) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	if err != nil && err != io.EOF {
		err = damaged(err)
	}
	return n, err
}

// damaged classes the errors of the decompressors.
func damaged(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return because(ErrTruncated, "the compressed data end too early")
	}
	return because(ErrFormat, "damaged compressed data: "+err.Error())
}

func formatOf(path string) Format {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
	switch filepath.Ext(name) {
	case ".csv", ".tsv", ".tab", ".txt":
		return FormatCSV
	case ".npy":
		return FormatNPY
	case ".npz":
		return FormatNPZ
	case ".idx":
		return FormatIDX
	}
	// train-images-idx3-ubyte, t10k-labels.idx1-ubyte
	if at := strings.LastIndex(name, "idx"); at > 0 && strings.ContainsRune("-.", rune(name[at-1])) {
		if rest := name[at+3:]; len(rest) > 1 && '1' <= rest[0] && rest[0] <= '9' && rest[1] == '-' {
			return FormatIDX
		}
	}
	return FormatAuto
}

// sniff goes by the first bytes; text is taken for CSV.
func sniff(r *bufio.Reader) Format {
	head, _ := r.Peek(512)
	switch {
	case bytes.HasPrefix(head, []byte("\x93NUMPY")):
		return FormatNPY
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return FormatNPZ
	case len(head) >= 4 && head[0] == 0 && head[1] == 0 && idxSize(head[2]) > 0:
		return FormatIDX
	case bytes.IndexByte(head, 0) < 0:
		return FormatCSV
	}
	return FormatAuto
}

func delimiter(path string) rune {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz")) {
	case ".tsv", ".tab":
		return '\t'
	}
	return ','
}

// stream reads binary data of which limit bytes, or an unknown number if
// negative, can come at most.
type stream struct {
	r     *bufio.Reader
	limit int64
}

const streamBuffer = 1 << 16

func newStream(r io.Reader) *stream {
	return &stream{bufio.NewReaderSize(r, streamBuffer), -1}
}

// Read fills p or fails: npyio ignores short reads, and takes io.EOF for success.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if n < len(p) && err == nil {
		var m int
		m, err = io.ReadFull(s.r, p[n:])
		n += m
	}
	if n == len(p) {
		return n, nil
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = because(ErrTruncated, "the data end too early")
	}
	return n, err
}

// check refuses an array of n elements of size bytes each that cannot be there
// or is not wanted, and returns how many elements to make room for at once.
func (s *stream) check(n, size, most int) (room int, err error) {
	if n > most {
		return 0, because(ErrTooLarge, fmt.Sprintf("%d elements, more than the allowed %d", n, most))
	}
	if s.limit < 0 {
		return min(n, streamBuffer), nil
	}
	if int64(n) > s.limit/int64(size) {
		return 0, because(ErrTruncated, fmt.Sprintf("%d elements of %d bytes announced, the file is smaller", n, size))
	}
	return n, nil
}

// end checks that nothing is left; the read also makes gzip and zip compare
// their checksums.
func (s *stream) end() error {
	switch _, err := s.r.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return because(ErrFormat, "more data than the header announces")
	default:
		return err
	}
}

// product returns the number of elements of an array.
func product(dims []int) (int, error) {
	n := 1
	for _, v := range dims {
		if v < 0 {
			return 0, because(ErrShape, fmt.Sprintf("impossible shape %v", dims))
		}
		if v > 0 && n > maxInt/v {
			return 0, because(ErrTooLarge, fmt.Sprintf("impossible shape %v", dims))
		}
		n *= v
	}
	return n, nil
}

const maxInt = int(^uint(0) >> 1)
