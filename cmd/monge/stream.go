package main

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"golang.org/x/term"
	"gonum.org/v1/gonum/mat"
)

// blockRows returns the number of rows in a block, between 16 and 4096. A block of rows with cols
// elements takes about 1 MiB, and therefore stays in the cache.
func blockRows(cols int) int {
	const elements = 1 << 17
	return max(16, min(4096, elements/cols))
}

// stream contains the rows that a command processes. It reads a file of any length in blocks. Rows
// that --sample or --holdout select are in memory.
type stream struct {
	path  string
	part  part
	rows  int // number of rows, or −1 if unknown until the end
	named bool
	ids   []string                       // names of the identifier columns
	next  func() (*dataset.Block, error) // returns a block that stays valid during the next call
	end   func()                         // closes the file

	seen   int
	splits []int // some distinct values of the array named split
}

// open opens the rows of a part of a file. The rows must have the given number of features.
func (f *rowFlags) open(read *readFlags, path, labels string, p part, features int) (*stream, error) {
	if f.sample > 0 || f.holdout > 0 {
		return f.openChosen(read, path, labels, p, features)
	}
	opt, err := read.options(labels)
	if err != nil {
		return nil, err
	}
	opt.Dim, opt.IgnoreLabels = features, read.unlabeled
	r, err := read.open(path, &opt)
	if err != nil {
		return nil, read.readError(err)
	}
	path = displayName(path)
	ids := r.IDNames()
	rows, cols := r.Dims()
	named, split := r.HasLabels(), r.HasSplit()
	if err = checkFeatures(path, cols, features); err == nil && p != allRows && !split {
		err = noSplitError(path, p)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	read.explain(path, r.Reader)
	if p != allRows {
		rows = -1
	}
	most := blockRows(cols)
	next := func() (*dataset.Block, error) {
		b, err := r.Next(most)
		if err != nil && err != io.EOF {
			err = read.readError(withInputName(path, err))
		}
		return b, err
	}
	end := func() {
		read.noteDropped(path, r.Dropped())
		r.Close()
	}
	return &stream{path: path, part: p, rows: rows, named: named, ids: ids, next: next, end: end}, nil
}

// withInputName adds the name of the input file to an error without a name.
func withInputName(path string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if fe, ok := err.(*dataset.FileError); ok && (fe.Path == "" || fe.Path == stdinArgument) {
		fe.Path = displayName(path)
	}
	return err
}

// openChosen reads all rows into memory, selects the part and applies --sample. It reads the labels,
// because the rows are drawn from every class.
func (f *rowFlags) openChosen(read *readFlags, path, labels string, p part, features int) (*stream, error) {
	labeled := *read
	labeled.unlabeled = false
	d, err := f.readPart(&labeled, path, labels, p, features)
	if err != nil {
		return nil, err
	}
	at := 0
	next := func() (*dataset.Block, error) {
		if at == d.Len() {
			return nil, io.EOF
		}
		to := min(at+blockRows(features), d.Len())
		b := &dataset.Block{First: at, X: d.X.Slice(at, to, 0, features).(*mat.Dense)}
		for i := at; i < to && d.Labels != nil; i++ {
			b.Labels = append(b.Labels, d.Classes[d.Labels[i]])
		}
		for _, ids := range d.IDs {
			b.IDs = append(b.IDs, ids[at:to])
		}
		at = to
		return b, nil
	}
	return &stream{path: displayName(path), rows: d.Len(), named: d.Labels != nil, ids: d.IDNames, next: next, end: func() {}}, nil
}

// close closes the file. It does nothing after forEachBlock, which closes the file itself.
func (s *stream) close() { s.end() }

// forEachBlock passes all blocks to the function use, with a progress bar that counts rows. A
// goroutine reads the next block and closes the file at the end. If the function use fails or the
// context ends, forEachBlock does not wait for the goroutine, because reading from a pipe can
// block.
func (s *stream) forEachBlock(a *app, cmd *cobra.Command, what string, use func(b *dataset.Block) error) error {
	type read struct {
		block *dataset.Block
		err   error
	}
	blocks, stop, end := make(chan read), make(chan struct{}), s.end
	s.end = func() {}
	defer close(stop)
	go func() {
		defer close(blocks)
		defer end()
		for {
			b, err := s.next()
			select {
			case blocks <- read{b, err}: // the receiver has used the previous block
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	bar := a.startRowPhase(what, s.rows)
	defer bar.finished()
	for {
		var r read
		select {
		case r = <-blocks:
		case <-cmd.Context().Done():
		}
		if err := cmd.Context().Err(); err != nil {
			return err
		}
		if r.err != nil {
			<-blocks // wait until the goroutine has closed the file
		}
		if r.err == io.EOF {
			break
		} else if r.err != nil {
			return r.err
		}
		b := r.block
		if s.part != allRows && !s.keepPart(b) {
			continue
		}
		rows, _ := b.X.Dims()
		if err := use(b); err != nil {
			return err
		}
		s.seen += rows
		bar.setDone(s.seen, "")
	}
	if s.seen == 0 {
		return noRowsError(s.path, s.part, s.splits)
	}
	return nil
}

// keepPart removes the rows of b that are not in the selected part of the file, and reports whether
// rows remain.
func (s *stream) keepPart(b *dataset.Block) bool {
	kept := 0
	for i, v := range b.Split {
		if v == s.part.split() {
			copy(b.X.RawRowView(kept), b.X.RawRowView(i))
			if b.Labels != nil {
				b.Labels[kept] = b.Labels[i]
			}
			for _, ids := range b.IDs {
				ids[kept] = ids[i]
			}
			kept++
		} else if len(s.splits) < 10 && !slices.Contains(s.splits, v) {
			s.splits = append(s.splits, v)
		}
	}
	if kept == 0 {
		return false
	}
	_, cols := b.X.Dims()
	b.X = b.X.Slice(0, kept, 0, cols).(*mat.Dense)
	if b.Labels != nil {
		b.Labels = b.Labels[:kept]
	}
	for k := range b.IDs {
		b.IDs[k] = b.IDs[k][:kept]
	}
	return true
}

// target is standard output, or a file that is written completely or not at all.
type target interface {
	io.Writer
	Commit() error
	Abort()
}

// createOutput opens the path of --out, or standard output, for writing.
func (a *app) createOutput(path string) (target, error) {
	if path == stdinArgument {
		if f, ok := a.stdout.Writer.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			a.progress.Load().end() // rows on the terminal replace the progress bar
			return stdout{a, true}, nil
		}
		return stdout{a, false}, nil
	}
	return outfile.Create(path)
}

type stdout struct {
	a        *app
	terminal bool
}

func (s stdout) Write(p []byte) (int, error) {
	if !s.terminal {
		return s.a.stdout.Write(p)
	}
	if _, err := s.a.stdout.Write(escapeControls(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
func (stdout) Commit() error { return nil }
func (stdout) Abort()        {}

// checkTarget checks --out before the computation. It returns the output format, which --format or
// the file extension selects.
func (a *app) checkTarget(path, format string, inputs []string, allowed ...string) (kind string, err error) {
	if path == stdinArgument && a.json {
		return "", usagef("--json and --out - would both write to standard output; let --out name a file")
	}
	switch {
	case format != "":
		if kind = "." + format; !slices.Contains(allowed, kind) {
			return "", usagef("--format must be one of %s, not %q", strings.ReplaceAll(strings.Join(allowed, ", "), ".", ""), format)
		}
	case path == stdinArgument:
		kind = allowed[0]
	default:
		if kind, err = checkExtension("out", path, allowed...); err != nil {
			return "", err
		}
	}
	if path == stdinArgument {
		return kind, nil
	}
	return kind, checkOutput(path, inputs...)
}
