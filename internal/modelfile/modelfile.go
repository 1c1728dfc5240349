// Package modelfile reads and writes the container of a model file, and computes the hash of a
// model.
//
// A model file is an NPZ file, which numpy.load can read: a ZIP file of uncompressed arrays. The
// comment at its end contains the SHA-256 of all preceding bytes. The file does not depend on the
// time or the machine.
package modelfile

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gomonge/monge/internal/npy"
)

// ErrInvalid is wrapped by all errors of invalid files.
var ErrInvalid = errors.New("not a valid model")

const (
	// Magic is the beginning of a model file.
	Magic = "PK\x03\x04"
	// SealSize is the length of the ZIP comment in bytes: sealPrefix and a SHA-256 in hexadecimal.
	SealSize = len(sealPrefix) + 2*sha256.Size

	sealPrefix = "sha256:"
)

// Writer writes a model file.
type Writer struct {
	out bytes.Buffer
	zip *zip.Writer
	err error
}

// NewWriter returns a Writer of an empty file.
func NewWriter() *Writer {
	w := new(Writer)
	w.zip = zip.NewWriter(&w.out)
	return w
}

// Add adds a file to the archive. If Add fails, Bytes returns the error.
func (w *Writer) Add(name string, data []byte) {
	if w.err != nil {
		return
	}
	f, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err == nil {
		_, err = f.Write(data)
	}
	w.err = err
}

// Bytes returns the model file. The Writer must not be used afterwards.
func (w *Writer) Bytes() ([]byte, error) {
	if err := errors.Join(w.err, w.zip.SetComment(strings.Repeat("0", SealSize)), w.zip.Close()); err != nil {
		return nil, err
	}
	return Seal(w.out.Bytes()), nil
}

// Seal replaces the last SealSize bytes of data with the checksum of the preceding bytes.
func Seal(data []byte) []byte {
	body := len(data) - SealSize
	sum := sha256.Sum256(data[:body])
	return hex.AppendEncode(append(data[:body], sealPrefix...), sum[:])
}

// checkSeal compares the checksum at the end of data with the preceding bytes.
func checkSeal(data []byte) error {
	body := len(data) - SealSize
	if body < 0 || !bytes.HasPrefix(data[body:], []byte(sealPrefix)) {
		return errors.New("the file does not end with a checksum: it is truncated, or it is an NPZ file but not a model")
	}
	if sum := sha256.Sum256(data[:body]); string(data[body+len(sealPrefix):]) != hex.EncodeToString(sum[:]) {
		return errors.New("the checksum does not match: the file is damaged")
	}
	return nil
}

// Read reads all of r. It fails unless the data begin like a model file. It also fails if the data
// have more bytes than the argument limit. Errors of r are returned unchanged.
func Read(r io.Reader, limit int64) ([]byte, error) {
	var data bytes.Buffer
	if _, err := io.CopyN(&data, r, 512); err != nil && err != io.EOF {
		return nil, err
	}
	if err := checkMagic(data.Bytes()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if f, ok := r.(*os.File); ok { // growing step by step would need twice the memory
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() <= limit {
			data.Grow(int(info.Size()) + bytes.MinRead)
		}
	}
	limit = min(limit, math.MaxInt64-1)
	switch _, err := io.CopyN(&data, r, limit+1-int64(data.Len())); err {
	case nil:
		return nil, fmt.Errorf("%w: the file is larger than the limit of %d bytes", ErrInvalid, limit)
	case io.EOF:
		return data.Bytes(), nil
	default:
		return nil, err
	}
}

// checkMagic returns an error unless data begin like a model file. The error says what the file
// appears to be.
func checkMagic(data []byte) error {
	switch {
	case bytes.HasPrefix(data, []byte(Magic)):
		return nil
	case len(data) == 0:
		return errors.New("the file is empty")
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return errors.New("the file is compressed with gzip; decompress it first")
	case bytes.HasPrefix(data, []byte(npy.Magic)):
		return errors.New("the file is a NumPy array (NPY)")
	case !bytes.ContainsFunc(data, func(c rune) bool { return c < ' ' && !unicode.IsSpace(c) || c == utf8.RuneError }):
		return errors.New("the file is text, for example CSV")
	}
	return errors.New("the file is not a ZIP archive")
}

// Open checks a model file and returns the contents of the archived files whose names are in known.
// The contents share memory with data.
func Open(data []byte, known []string) (files map[string][]byte, err error) {
	if err = checkMagic(data); err == nil {
		err = checkSeal(data)
	}
	if err == nil {
		files, err = openArchive(data, known)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return files, nil
}

func openArchive(data []byte, known []string) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		if !slices.Contains(known, f.Name) {
			continue
		}
		// Slice data instead of calling f.Open. In a malicious archive, entries overlap, and f.Open would
		// copy the same bytes many times.
		start, err := f.DataOffset()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		size := f.UncompressedSize64
		if files[f.Name] != nil || f.Method != zip.Store || start < 0 || start > int64(len(data)) || size > uint64(int64(len(data))-start) {
			return nil, fmt.Errorf("%s must occur once and must not be compressed", f.Name)
		}
		b := data[start:][:size]
		if crc32.ChecksumIEEE(b) != f.CRC32 {
			return nil, fmt.Errorf("%s: %w", f.Name, zip.ErrChecksum)
		}
		files[f.Name] = b
	}
	return files, nil
}
