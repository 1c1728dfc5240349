package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"
)

const (
	badHeader = "dataset: header length is not the number of columns"
)

// WriteCSV writes a matrix as comma-separated text, one row per line, each
// number with as many digits as reading it back exactly takes. A nil header
// writes none. It panics if a header has not one name per column.
func WriteCSV(w io.Writer, m mat.Matrix, header []string) error {
	_, cols := m.Dims()
	if header != nil && len(header) != cols {
		panic(badHeader)
	}
	return writeCSV(w, m, header, nil)
}

// WriteCSV writes the features and, if there are labels, the name of the class
// as last column; Columns and "label" make the header, if there are Columns.
// ReadCSV reads it back.
func (d *Dataset) WriteCSV(w io.Writer) error {
	header := d.Columns
	if d.Labels == nil {
		return WriteCSV(w, d.X, header)
	}
	if header != nil {
		header = append(header[:len(header):len(header)], "label")
	}
	return writeCSV(w, d.X, header, func(i int) string { return d.Classes[d.Labels[i]] })
}

func writeCSV(w io.Writer, m mat.Matrix, header []string, last func(i int) string) error {
	rows, cols := m.Dims()
	out := bufio.NewWriter(w)
	text := csv.NewWriter(out) // names need its quotes, numbers do not
	if header != nil {
		if err := text.Write(header); err != nil {
			return err
		}
		text.Flush()
	}
	var line []byte
	for i := range rows {
		line = line[:0]
		for j := range cols {
			if j > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, m.At(i, j), 'g', -1, 64)
		}
		if last != nil {
			line = append(line, ',')
		} else {
			line = append(line, '\n')
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
		if last != nil {
			if err := text.Write([]string{last(i)}); err != nil {
				return err
			}
			text.Flush()
		}
	}
	if err := text.Error(); err != nil {
		return err
	}
	return out.Flush()
}

// WriteNPY writes a matrix as a NumPy array of float64 in C order.
func WriteNPY(w io.Writer, m mat.Matrix) error {
	d, ok := m.(*mat.Dense)
	if !ok {
		d = mat.DenseCopyOf(m)
	}
	// npyio writes element by element.
	out := bufio.NewWriterSize(w, streamBuffer)
	if err := npy.Write(out, d); err != nil {
		return err
	}
	return out.Flush()
}

// WriteFile gives the file at path the bytes that write produces, all or none:
// they go to a temporary file in the same folder, which takes the place of path
// at the end. After an error, also one of write, or a panic there is no
// temporary file and an existing file is as before. A file that is replaced
// keeps its permissions, and a symbolic link still points to it. What is not a regular file, such as
// /dev/stdout or a pipe, is written directly.
//
// An error of the system is a *FileError with the path; one of write is
// returned as it is.
func WriteFile(path string, write func(w io.Writer) error) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replace(path, nil, write)
	case err != nil:
		return fileError(path, err)
	case info.IsDir():
		return &FileError{Path: path, Err: errors.New("cannot write: is a directory")}
	case !info.Mode().IsRegular():
		return direct(path, write)
	}
	return replace(path, info, write)
}

func direct(path string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fileError(path, err)
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return fileError(path, f.Close())
}

// replace writes beside path; old is what is there now, or nil.
func replace(path string, old fs.FileInfo, write func(w io.Writer) error) (err error) {
	target := path
	if old != nil {
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return fileError(path, err)
		}
	}
	f, err := temporary(target)
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err
		}
		return &FileError{Path: path, Err: fmt.Errorf("cannot create a file in the folder %s: %w", filepath.Dir(target), err)}
	}
	// Also runs when write panics.
	done := false
	defer func() {
		if !done {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if old != nil {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return fileError(path, err)
		}
	}
	if err := write(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return fileError(path, err)
	}
	if err := os.Rename(f.Name(), target); err != nil {
		if le, ok := errors.AsType[*os.LinkError](err); ok {
			err = le.Err
		}
		return &FileError{Path: path, Err: fmt.Errorf("cannot replace: %w", err)}
	}
	done = true
	return nil
}

// temporary creates a file with the permissions that a new file gets here;
// os.CreateTemp keeps it from everyone else.
func temporary(target string) (*os.File, error) {
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Dir(target), fmt.Sprintf(".monge-%08x.tmp", rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		return f, err
	}
}
