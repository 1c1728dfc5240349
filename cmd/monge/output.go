package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// number is a float64 in JSON, which has no word for NaN and the infinities: null.
type number float64

// MarshalJSON implements json.Marshaler.
func (x number) MarshalJSON() ([]byte, error) {
	if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// report prints the outcome of a command: object with --json, and otherwise what
// text writes.
func (a *app) report(object any, text func(w io.Writer)) error {
	var out bytes.Buffer
	if a.json {
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(object); err != nil {
			return err
		}
	} else {
		w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		text(w)
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if _, err := a.stdout.Write(out.Bytes()); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// shortest formats a number by as many digits as it takes to read it again.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// percent formats a rate.
func percent(rate float64) string { return fmt.Sprintf("%.2f %%", 100*rate) }

// checkOutput finds out, before the work, whether path can be written, and refuses
// to overwrite one of the inputs.
func checkOutput(path string, inputs ...string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	case info.IsDir():
		return fmt.Errorf("%s: cannot write: is a directory", path)
	default:
		for _, in := range inputs {
			if other, err := os.Stat(in); err == nil && os.SameFile(info, other) {
				return usagef("%s is an input of this command and is not overwritten", path)
			}
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("%s: cannot write: %w", path, cause(err))
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("%s: cannot write: %w", path, cause(err))
		}
		if !info.Mode().IsRegular() {
			return nil // a device or a pipe; no file is put beside it
		}
	}
	return checkFolder(path)
}

// checkFolder finds out whether a file can be created beside path, or where the
// symbolic link path points.
func checkFolder(path string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".monge-*.tmp")
	if err != nil {
		return fmt.Errorf("%s: cannot write in its folder: %w", path, cause(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

// cause is the system's reason, without the path that it repeats.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// extension returns the ending of path if it is one of the allowed.
func extension(flag, path string, allowed ...string) (string, error) {
	ext := strings.ToLower(filepath.Ext(path))
	for _, a := range allowed {
		if ext == a {
			return ext, nil
		}
	}
	return "", usagef("--%s: the name must end in %s, not %q", flag, strings.Join(allowed, " or "), path)
}

// writeMatrix writes a matrix as the extension of path says.
func writeMatrix(path, ext string, m mat.Matrix) error {
	return dataset.WriteFile(path, func(w io.Writer) error {
		if ext == ".npy" {
			return dataset.WriteNPY(w, m)
		}
		return dataset.WriteCSV(w, m, nil)
	})
}
