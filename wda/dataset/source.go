package dataset

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// source is an open file whose compression and format are known.
type source struct {
	from              io.Reader
	file              *os.File // file that openSource has opened, or nil if the caller passed a reader
	disk              *os.File // the file that the source reads, if it is a regular file; otherwise nil
	at                io.ReaderAt
	diskOffset        int64 // offset in the disk file of the first byte that the source reads
	size              int64 // bytes of the file, −1 if unknown
	r                 *bufio.Reader
	format            Format
	hint              Format // format that the file name suggests
	compressed        bool
	expansion         int64          // bytes of memory that each byte of a compressed file may take
	bounded           atomic.Bool    // whether the expansion is limited, because all data stay in memory
	raw, decompressed atomic.Int64   // bytes read before and after decompression
	ahead             []*aheadReader // readers that Close stops
}

// maxRatio is the largest expansion of a deflate stream according to zlib's
// documentation: 258 bytes from two bits.
const maxRatio = 1032

func openSource(path string, opt Options) (*source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &source{file: f, hint: FormatOf(path)}
	if err := s.open(f, opt); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the file that openSource has opened.
func (s *source) Close() error {
	if s.file == nil {
		return nil
	}
	for _, a := range s.ahead {
		a.Close()
	}
	return s.file.Close()
}

func newSource(r io.Reader, opt Options) (*source, error) {
	s := new(source)
	if err := s.open(r, opt); err != nil {
		return nil, err
	}
	return s, nil
}

// readAhead returns a reader that reads r in advance, in a goroutine that Close ends. If the caller of NewReader owns
// the file, readAhead returns r unchanged, because the source must not read more than it needs.
func (s *source) readAhead(r io.Reader) io.Reader {
	if s.file == nil {
		return r
	}
	a := newAheadReader(r)
	s.ahead = append(s.ahead, a)
	return a
}

func (s *source) open(r io.Reader, opt Options) error {
	s.from, s.size, s.format, s.expansion = r, -1, opt.Format, opt.maxExpansion()
	if err := formatNames().Check(uint8(s.format)); err != nil {
		return err
	}
	if err := s.findSize(r); err != nil {
		return err
	}
	s.r = bufio.NewReaderSize(s.readAhead(s.prefetch(counter{r, &s.raw}, 0)), streamBuffer)
	// The first bytes decide whether the file is compressed, because download tools unpack files
	// without renaming them. No supported format starts like gzip.
	if head, _ := s.r.Peek(2); bytes.Equal(head, gzipMagic) {
		z, err := gzip.NewReader(s.r)
		if err != nil {
			return formatError(err)
		}
		z.Multistream(false)
		s.compressed = true
		s.r = bufio.NewReaderSize(s.readAhead(&gunzip{s, z, s.r}), streamBuffer)
	}
	if s.format == FormatAuto {
		head, _ := s.r.Peek(sniffBytes)
		if s.format = sniff(head); !s.format.columnar() && s.hint != FormatAuto && !s.hint.columnar() {
			s.format = s.hint
		}
	}
	switch {
	case s.format == FormatAuto:
		if _, err := s.r.Peek(1); err != nil && err != io.EOF {
			return err
		}
		return newCause(ErrFormat, "neither the name nor the first bytes tell the format")
	case s.format == FormatNPZ && s.at == nil:
		return newCause(ErrFormat, "an NPZ file cannot be read from a pipe")
	}
	return nil
}

// findSize finds the number of bytes from the current offset to the end of r, if r has a size.
func (s *source) findSize(r io.Reader) error {
	if f, ok := r.(*os.File); ok {
		info, err := f.Stat()
		switch {
		case err != nil:
			return err
		case info.IsDir():
			return newCause(ErrFormat, "is a directory")
		case !info.Mode().IsRegular():
			return nil
		}
		s.disk = f
	}
	at, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	})
	if !ok {
		return nil
	}
	begin, err := at.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil // r is a pipe, although it has the methods of a file
	}
	end, err := at.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = at.Seek(begin, io.SeekStart)
	}
	if err != nil {
		return err
	}
	s.diskOffset, s.size = begin, end-begin
	s.at = io.NewSectionReader(at, begin, s.size)
	return nil
}

// stream returns a stream of the binary data in s.
func (s *source) stream() *stream {
	out := &stream{r: s.r, limit: s.size, check: s.checkExpansion}
	if s.compressed && s.size >= 0 {
		out.limit = s.size * maxRatio
	} else if s.at != nil {
		out.place = arrayPosition{file: s.at, size: s.size}
	}
	return out
}

// checkExpansion returns an error if a compressed file expands to more bytes than its size allows.
// The size of a pipe is the number of bytes read so far.
func (s *source) checkExpansion(bytes int64) error {
	if !s.compressed {
		return nil
	}
	return checkExpansion(bytes, max(s.size, s.raw.Load()), s.expansion)
}

func checkExpansion(bytes, file, expansion int64) error {
	const always = 64 << 20
	if bytes <= always || bytes/expansion <= file {
		return nil
	}
	return newCause(errExpansion, fmt.Sprintf("%d compressed bytes expand to %d, more than the allowed %d times", file, bytes, expansion))
}

// counter counts the bytes that are read.
type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

var gzipMagic = []byte{0x1f, 0x8b}

// gunzip decompresses the members of a gzip file in sequence and reports damage as an error of this
// package.
type gunzip struct {
	src *source
	z   *gzip.Reader
	r   *bufio.Reader // input of z
}

func (g *gunzip) Read(p []byte) (int, error) {
	for {
		n, err := g.z.Read(p)
		clear := g.src.decompressed.Add(int64(n))
		switch {
		case err == io.EOF:
			if err = g.nextMember(); err == nil && n == 0 {
				continue
			}
		case err != nil:
			err = formatError(err)
		case g.src.bounded.Load():
			err = g.src.checkExpansion(clear)
		}
		return n, err
	}
}

// nextMember begins to decompress the next member. It returns io.EOF at the end of the file.
func (g *gunzip) nextMember() error {
	head, err := g.r.Peek(2)
	switch {
	case len(head) == 0:
		return err
	case !bytes.Equal(head, gzipMagic):
		return newCause(ErrFormat, "there are more bytes after the compressed data")
	}
	if err := g.z.Reset(g.r); err != nil {
		return formatError(err)
	}
	g.z.Multistream(false)
	return nil
}

// formatError converts errors of the decompressors to ErrFormat.
func formatError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return newCause(errTruncated, "the compressed data end too early")
	}
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, new(flate.CorruptInputError)) || errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrAlgorithm) {
		return newCause(ErrFormat, "damaged compressed data: "+err.Error())
	}
	return err // an error of the system or of this package
}

// stream reads binary data. limit is an upper bound on the size of the data in bytes, or negative
// if the size is unknown.
type stream struct {
	r     *bufio.Reader
	limit int64
	check func(bytes int64) error // returns an error if a number of bytes exceeds the memory limit; nil means no limit
	place arrayPosition
}

const streamBuffer = 1 << 16

func newStream(r io.Reader) *stream {
	return &stream{r: bufio.NewReaderSize(r, streamBuffer), limit: -1}
}

// Read fills p or returns an error.
func (s *stream) Read(p []byte) (int, error) {
	n, err := io.ReadFull(s.r, p)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = newCause(errTruncated, "the data end too early")
	}
	return n, err
}

// peek returns the next n ≤ streamBuffer bytes. The caller must discard these bytes from s.r.
func (s *stream) peek(n int) ([]byte, error) {
	b, err := s.r.Peek(n)
	if err == io.EOF {
		err = newCause(errTruncated, "the data end too early")
	}
	return b, err
}

// capacity returns the number of elements to allocate at once for an array of n elements. Each
// element takes the given size in bytes. The number is 0 if the size of the data is unknown.
// capacity returns an error if n is impossible or exceeds the limits.
func (s *stream) capacity(n, size int, opt *Options) (int, error) {
	if most := opt.maxElements(); n > most {
		return 0, newCause(ErrTooLarge, fmt.Sprintf("%d elements, more than the allowed %d", n, most))
	}
	if s.limit < 0 {
		return 0, nil
	}
	if int64(n) > s.limit/int64(size) {
		return 0, newCause(errTruncated, fmt.Sprintf("%d elements of %d bytes announced, the file is smaller", n, size))
	}
	if s.check != nil {
		if err := s.check(int64(n) * int64(max(size, 8))); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// checkEnd checks that the stream has ended. Reading at the end makes gzip and zip verify their
// checksums.
func (s *stream) checkEnd() error {
	switch _, err := s.r.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return newCause(ErrFormat, "more data than the header announces")
	default:
		return err
	}
}

// elementCount returns the number of elements of an array.
func elementCount(dims []int) (int, error) {
	n := 1
	for _, v := range dims {
		if v < 0 {
			return 0, newCause(errShape, fmt.Sprintf("impossible shape %v", dims))
		}
		if v > 0 && n > maxInt/v {
			return 0, newCause(ErrTooLarge, fmt.Sprintf("impossible shape %v", dims))
		}
		n *= v
	}
	return n, nil
}

const maxInt = int(^uint(0) >> 1)
