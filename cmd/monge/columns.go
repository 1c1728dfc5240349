package main

import (
	"os"
	"runtime/debug"

	"github.com/gomonge/monge/wda/dataset"
)

// reader is a file of samples that is open.
type reader struct {
	*dataset.Reader
	percent int // of the garbage collector, before; 0 if it was not changed
}

// openReader opens a file of any format, or standard input.
func openReader(path string, opt *dataset.Options) (*reader, error) {
	var r reader
	var err error
	if path == standard {
		r.Reader, err = dataset.NewReader(os.Stdin, opt)
	} else {
		r.Reader, err = dataset.Open(path, opt)
	}
	if err != nil {
		return nil, inInput(path, err)
	}
	if f := r.Format(); f == dataset.FormatParquet || f == dataset.FormatArrow {
		// The libraries leave every batch or page to the garbage collector: at 100 % a file of
		// batches of 32 MiB takes 200 MB.
		r.percent = debug.SetGCPercent(25)
	}
	reading.Store(&openFile{path, r.Reader})
	return &r, nil
}

// Close closes the file.
func (r *reader) Close() error {
	if r.percent != 0 {
		debug.SetGCPercent(r.percent)
	}
	reading.Store(nil)
	return r.Reader.Close()
}

// readFile reads a whole file of any format.
func readFile(path string, opt *dataset.Options) (*dataset.Dataset, error) {
	r, err := openReader(path, opt)
	if err != nil {
		return nil, readError(err)
	}
	defer r.Close()
	d, err := r.ReadAll()
	return d, readError(inInput(path, err))
}

// once reports whether path is a pipe or a device, which can be read only once.
func once(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}
