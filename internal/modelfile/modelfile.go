// Package modelfile has the container of a model file, and the hash of a model.
//
// A model file is an NPZ file, so that numpy.load reads it: a ZIP file of arrays, stored uncompressed.
// The comment at its end is the SHA-256 of all bytes before it. Nothing in the file depends on the time
// or the machine.
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

// ErrInvalid is wrapped by all errors of files that are not valid.
var ErrInvalid = errors.New("not a valid model")

const (
	// Magic is how a model file begins.
	Magic = "PK\x03\x04"
	// SealSize is the number of bytes of the comment: the word seal and a SHA-256.
	SealSize = len(seal) + 2*sha256.Size

	seal = "sha256:"
)

// A Writer writes a model file.
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

// Add adds a file to the archive. Bytes returns the error.
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

// Seal replaces the last SealSize bytes of data by the checksum of the others.
func Seal(data []byte) []byte {
	body := len(data) - SealSize
	sum := sha256.Sum256(data[:body])
	return hex.AppendEncode(append(data[:body], seal...), sum[:])
}

// checkSeal compares the checksum at the end of data with that of the rest.
func checkSeal(data []byte) error {
	body := len(data) - SealSize
	if body < 0 || !bytes.HasPrefix(data[body:], []byte(seal)) {
		return errors.New("no checksum at its end: it is cut off, or an NPZ file of something else")
	}
	if sum := sha256.Sum256(data[:body]); string(data[body+len(seal):]) != hex.EncodeToString(sum[:]) {
		return errors.New("its checksum does not match: it is damaged")
	}
	return nil
}

// Read reads all of r if it begins as a model file and has at most limit bytes. An error of r is
// returned as it is.
func Read(r io.Reader, limit int64) ([]byte, error) {
	var data bytes.Buffer
	if _, err := io.CopyN(&data, r, 512); err != nil && err != io.EOF {
		return nil, err
	}
	if err := checkBeginning(data.Bytes()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if f, ok := r.(*os.File); ok { // growing step by step would take twice the memory
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() <= limit {
			data.Grow(int(info.Size()) + bytes.MinRead)
		}
	}
	limit = min(limit, math.MaxInt64-1)
	switch _, err := io.CopyN(&data, r, limit+1-int64(data.Len())); err {
	case nil:
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrInvalid, limit)
	case io.EOF:
		return data.Bytes(), nil
	default:
		return nil, err
	}
}

// checkBeginning returns an error that says what a file is that does not begin as a model file.
func checkBeginning(data []byte) error {
	switch {
	case bytes.HasPrefix(data, []byte(Magic)):
		return nil
	case len(data) == 0:
		return errors.New("it is empty")
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return errors.New("it is compressed by gzip")
	case bytes.HasPrefix(data, []byte(npy.Magic)):
		return errors.New("it is an array, an NPY file")
	case !bytes.ContainsFunc(data, func(c rune) bool { return c < ' ' && !unicode.IsSpace(c) || c == utf8.RuneError }):
		return errors.New("it is text, as a CSV file is")
	}
	return errors.New("it does not begin as a ZIP file")
}

// Open checks a model file and returns its files that are among known. They are parts of data.
func Open(data []byte, known []string) (files map[string][]byte, err error) {
	if err = checkBeginning(data); err == nil {
		err = checkSeal(data)
	}
	if err == nil {
		files, err = open(data, known)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return files, nil
}

func open(data []byte, known []string) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		if !slices.Contains(known, f.Name) {
			continue
		}
		// Not through f.Open: entries that overlap would be copied many times.
		start, err := f.DataOffset()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		size := f.UncompressedSize64
		if files[f.Name] != nil || f.Method != zip.Store || start < 0 || start > int64(len(data)) || size > uint64(int64(len(data))-start) {
			return nil, fmt.Errorf("%s is not stored once and as it is", f.Name)
		}
		b := data[start:][:size]
		if crc32.ChecksumIEEE(b) != f.CRC32 {
			return nil, fmt.Errorf("%s: %w", f.Name, zip.ErrChecksum)
		}
		files[f.Name] = b
	}
	return files, nil
}
