package search

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/asm/sketch"
)

// A file of rows begins with a header of 48 bytes. The header contains a magic string (8 bytes),
// the version (4), the storage (4), the number of columns (8), the number of rows (8), the next
// identifier (8), and flags (8). Bit 0 of the flags means that the rows have no sketches; the other
// bits are 0 and reserved. Sketches are not in the file. Numbers are little-endian. The rows follow
// the header. Each row contains its identifier (8 bytes), its scale (float32, only for
// StorageInt8), and its elements in the storage format. The last 32 bytes are the SHA-256 of all
// previous bytes.
const (
	fileMagic   = "MONGEROW"
	fileVersion = 1
	headerBytes = 48
	plainFlag   = 1
)

// elementBytes returns the size of an element in bytes.
func (s Storage) elementBytes() int { return [...]int{4, 2, 2, 1}[s] }

// rowBytes returns the number of bytes that a row takes in a file.
func (s Storage) rowBytes(cols int) int {
	n := 8 + cols*s.elementBytes()
	if s == StorageInt8 {
		n += 4
	}
	return n
}

// WriteTo writes the rows, without deleted rows, in the format of [ReadCollection]. It implements io.WriterTo. A
// collection that is read from the output gives new rows identifiers larger than all identifiers of r.
func (r *Rows) WriteTo(w io.Writer) (int64, error) {
	sum := sha256.New()
	out := &countingWriter{w: bufio.NewWriterSize(w, 1<<16), sum: sum}
	header := append(make([]byte, 0, headerBytes), fileMagic...)
	header = binary.LittleEndian.AppendUint32(header, fileVersion)
	header = binary.LittleEndian.AppendUint32(header, uint32(r.storage))
	header = binary.LittleEndian.AppendUint64(header, uint64(r.cols))
	header = binary.LittleEndian.AppendUint64(header, uint64(r.live))
	header = binary.LittleEndian.AppendUint64(header, uint64(r.next))
	flags := uint64(0)
	if r.plain {
		flags = plainFlag
	}
	header = binary.LittleEndian.AppendUint64(header, flags)
	out.Write(header)
	row := make([]byte, 0, r.storage.rowBytes(r.cols))
	for k, p := range r.parts {
		for i := range r.partCount(k) {
			if !p.isDeleted(i, r.version) {
				row = p.appendRow(binary.LittleEndian.AppendUint64(row[:0], uint64(p.id(i))), i)
				out.Write(row)
			}
		}
	}
	out.sum = nil
	out.Write(sum.Sum(nil))
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return out.n, out.err
}

// countingWriter counts bytes and keeps the first error.
type countingWriter struct {
	w   *bufio.Writer
	sum hash.Hash // checksum of the written bytes; nil while the checksum itself is written
	n   int64
	err error
}

func (c *countingWriter) Write(p []byte) {
	if c.err != nil {
		return
	}
	if c.sum != nil {
		c.sum.Write(p)
	}
	var n int
	n, c.err = c.w.Write(p)
	c.n += int64(n)
}

// appendRow appends row i in the file format, without its identifier.
func (s *segment) appendRow(dst []byte, i int) []byte {
	at := i * s.stride
	switch s.storage {
	case StorageFloat32:
		for _, v := range s.data[at:][:s.cols] {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
		}
	case StorageInt8:
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(s.scales[i]))
		for _, v := range s.bytes[at:][:s.cols] {
			dst = append(dst, byte(v))
		}
	default:
		for _, v := range s.halves[at:][:s.cols] {
			dst = binary.LittleEndian.AppendUint16(dst, v)
		}
	}
	return dst
}

// setRow decodes row i from the bytes that appendRow has written. The buffer scratch has room for
// eight rows. setRow reports whether all numbers are finite.
func (s *segment) setRow(i int, row []byte, scratch []float32) bool {
	at := i * s.stride
	switch s.storage {
	case StorageFloat32:
		for j := range s.cols {
			s.data[at+j] = math.Float32frombits(binary.LittleEndian.Uint32(row[4*j:]))
		}
	case StorageInt8:
		s.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(row))
		for j, v := range row[4:] {
			s.bytes[at+j] = int8(v)
		}
	default:
		for j := range s.cols {
			s.halves[at+j] = binary.LittleEndian.Uint16(row[2*j:])
		}
	}
	s.readRow(scratch[:s.cols], i)
	for _, v := range scratch[:s.cols] {
		if v-v != 0 {
			return false
		}
	}
	s.finishRow(i, scratch)
	return true
}

// ReadCollection reads a collection that [Rows.WriteTo] has written. It reads r to the end, through a buffer.
// maxBytes limits the memory of the rows; 0 means no limit.
//
// The error wraps [ErrFile] if the file is damaged or truncated, is not a collection, or has an unknown version, and
// [ErrTooLarge] if the rows need more memory than maxBytes. Other errors come from r. Memory is allocated only as rows are
// read, so a damaged header cannot cause a large allocation.
func ReadCollection(r io.Reader, maxBytes int64) (*Collection, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	sum := sha256.New()
	header := make([]byte, headerBytes)
	if err := readFull(in, header, sum); err != nil {
		return nil, err
	}
	if string(header[:8]) != fileMagic {
		return nil, fmt.Errorf("%w: the file does not start like a collection", ErrFile)
	}
	version, storage := binary.LittleEndian.Uint32(header[8:]), binary.LittleEndian.Uint32(header[12:])
	cols, rows, next := binary.LittleEndian.Uint64(header[16:]), binary.LittleEndian.Uint64(header[24:]), ID(binary.LittleEndian.Uint64(header[32:]))
	if version != fileVersion {
		return nil, fmt.Errorf("%w: the file has version %d, but this program reads version %d", ErrFile, version, fileVersion)
	}
	flags := binary.LittleEndian.Uint64(header[40:])
	const most = 1 << 40
	if storage > uint32(StorageInt8) || cols < 1 || cols > most || rows > most || uint64(next) < rows || flags > plainFlag {
		return nil, fmt.Errorf("%w: the header is damaged", ErrFile)
	}
	var options []RowOption
	if flags == plainFlag {
		options = append(options, NoSketch)
	}
	c := NewCollection(int(cols), Storage(storage), options...)
	perRow := float64(c.storage.rowBytes(padTo(int(cols), query.Unit)))
	if hasSketches(c.cols, c.storage, c.plain) {
		perRow += float64(sketchFeatures(c.cols)) + float64(unsafe.Sizeof(sketch.Group{}))/sketch.Rows
	}
	if need := float64(padTo(int(rows), query.Rows)) * perRow; maxBytes > 0 && need > float64(maxBytes) {
		return nil, fmt.Errorf("%w: %d rows of %d columns need more than %d bytes", ErrTooLarge, rows, cols, maxBytes)
	}
	if err := c.readRows(in, sum, int(rows), next); err != nil {
		return nil, err
	}
	want, got := sum.Sum(nil), make([]byte, sha256.Size)
	if err := readFull(in, got, nil); err != nil {
		return nil, err
	}
	if string(got) != string(want) {
		return nil, fmt.Errorf("%w: the checksum does not match: the file is damaged", ErrFile)
	}
	return c, nil
}

// readRows reads the rows of a file into an empty collection.
func (c *Collection) readRows(in *bufio.Reader, sum hash.Hash, rows int, next ID) error {
	now := Rows{cols: c.cols, storage: c.storage, plain: c.plain, next: next}
	row, err := readGrowing(in, sum, c.storage.rowBytes(c.cols), rows > 0)
	if err != nil {
		return err
	}
	scratch := make([]float32, query.Rows*padTo(c.cols, query.Unit)*min(1, rows))
	least := ID(0)
	for i := range rows {
		last := len(now.parts) - 1
		if last < 0 || now.partCount(last) == now.parts[last].capacity() {
			p := c.newPart(&now, 0)
			p.ids, p.shared = make([]ID, 0, p.capacity()), false
			now.parts = append(now.parts, p)
			last++
		}
		if i > 0 {
			if err := readFull(in, row, sum); err != nil {
				return err
			}
		}
		s, id := now.parts[last].segment, ID(binary.LittleEndian.Uint64(row))
		if id < least || id >= next || !s.setRow(len(s.ids), row[8:], scratch) {
			return fmt.Errorf("%w: row %d is damaged", ErrFile, i)
		}
		s.ids = append(s.ids, id)
		least = id + 1
		now.n++
		now.live++
	}
	c.next = next
	c.now.Store(&now)
	return nil
}

// readGrowing reads n bytes into a new buffer if first is true, and otherwise returns nil. The
// buffer grows during reading, because n comes from the header, which may be damaged.
func readGrowing(in io.Reader, sum hash.Hash, n int, first bool) ([]byte, error) {
	if !first {
		return nil, nil
	}
	var buf []byte
	for len(buf) < n {
		step := min(n-len(buf), max(1<<16, len(buf)))
		buf = append(buf, make([]byte, step)...)
		if err := readFull(in, buf[len(buf)-step:], sum); err != nil {
			return nil, err
		}
	}
	return buf, nil
}

// readFull fills p from a reader. If sum is not nil, readFull adds the bytes of p to this checksum.
func readFull(in io.Reader, p []byte, sum hash.Hash) error {
	_, err := io.ReadFull(in, p)
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the file is truncated", ErrFile)
	}
	if err == nil && sum != nil {
		sum.Write(p)
	}
	return err
}
