package dataset

import (
	"io"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/fault"
)

func readCSV(r io.Reader, opt Options) (*Dataset, error) { return readAs(formatCSV, r, opt) }
func readNPY(r io.Reader, opt Options) (*Dataset, error) { return readAs(formatNPY, r, opt) }
func readIDX(r io.Reader, opt Options) (*Dataset, error) { return readAs(formatIDX, r, opt) }

func readNPZ(r io.ReaderAt, size int64, opt Options) (*Dataset, error) {
	return readAs(formatNPZ, io.NewSectionReader(r, 0, size), opt)
}

func readAs(format string, r io.Reader, opt Options) (*Dataset, error) {
	opt.Format = format
	return readAll(r, opt)
}

func readAll(r io.Reader, opt Options) (*Dataset, error) {
	in, err := NewReader(r, opt)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.all()
}

func TestUnknownFormat(t *testing.T) {
	_, err := readAll(strings.NewReader("1,2\n"), Options{Format: "CSV"})
	wantError(t, err, fault.ErrSettings, `the format is csv, npy, npz or idx, not "CSV"`)
}
