package mongebeam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/gomonge/monge/wda/dataset"
)

func init() {
	beam.RegisterType(reflect.TypeFor[*divideFiles]())
	beam.RegisterType(reflect.TypeFor[*readParts]())
	beam.RegisterFunction(partLane)
	beam.RegisterType(reflect.TypeFor[part]())
}

// Columns selects the columns of a file.
type Columns struct {
	// Key is the name of the column of keys. In a CSV file, Key may also be the index of the
	// column, counted from 0, or counted from the end if the index is negative. By default the key
	// of a row consists of the path of the file, a colon, and the row number with 12 digits,
	// counted from 0.
	Key string

	// Features are the names of the feature columns. In Parquet and Arrow files, a feature column
	// holds numbers or lists of numbers of equal length. In these files, the default is all columns
	// of lists, or all columns if no column has lists. The columns Key, label, y and split are
	// never features by default. In other formats the default is all columns except Key. See
	// dataset.Options.Columns.
	Features []string

	// Schema, if not nil, is the Schema of a model: columns are found by name, in any order, and
	// missing values and categories are treated as in the fit. See Model.Schema.
	Schema *dataset.Schema

	// AllowExtra ignores columns that Schema does not contain. Without AllowExtra, such columns are
	// an error.
	AllowExtra bool
}

// Read returns the rows of the files that match a pattern as KV<string, []float64>. The result has
// one collection for each lane (branch of the pipeline). A Parquet file, whose name ends in
// .parquet, is divided into row groups, which workers read independently. A file in any other
// format of package dataset is read by one worker. Nulls, values that are not finite, and lists of
// different lengths are errors that name the file and the row.
//
// Most runners divide one lane among their workers, so one lane is enough. The runners prism and
// prism-processes need one lane for each core, and a separate Transform for each lane.
func Read(s beam.Scope, glob string, c Columns, lanes int) []beam.PCollection {
	s = s.Scope("monge.Read")
	files := fileio.MatchFiles(s, glob, fileio.MatchEmptyDisallow())
	parts := beam.Reshuffle(s, beam.ParDo(s, &divideFiles{max(1, lanes)}, files))
	of := []beam.PCollection{parts}
	if lanes > 1 {
		of = beam.Partition(s, lanes, partLane, parts)
	}
	for i, lane := range of {
		of[i] = beam.ParDo(laneScope(s, i), &readParts{Columns: c}, lane)
	}
	return of
}

// part is a unit of reading: a row group, or a whole file if Group is −1.
type part struct {
	Path  string
	Group int
	First int64 // first row
	Lane  int
}

func partLane(p part) int { return p.Lane }

// divideFiles is the DoFn that divides files into parts.
type divideFiles struct{ Lanes int }

// ProcessElement assigns the row groups of a file to lanes in turn. A file in any other format is
// assigned to one lane by the hash of its path.
func (f *divideFiles) ProcessElement(ctx context.Context, at fileio.FileMetadata, emit func(part)) error {
	h := fnv.New32a()
	h.Write([]byte(at.Path))
	lane := int(h.Sum32() % uint32(f.Lanes))
	if dataset.FormatOf(at.Path) != dataset.FormatParquet {
		emit(part{at.Path, -1, 0, lane})
		return nil
	}
	return withInput(ctx, at.Path, func(in io.Reader) error {
		source, err := openSeekable(in)
		if err != nil {
			return err
		}
		groups, err := rowsOfGroups(source)
		if err != nil {
			return &dataset.FileError{Path: at.Path, Err: err}
		}
		first := int64(0)
		for g, rows := range groups {
			emit(part{at.Path, g, first, (lane + g) % f.Lanes})
			first += rows
		}
		return nil
	})
}

// withInput opens a file of any of Beam's file systems, calls the function use, and closes the file.
func withInput(ctx context.Context, path string, use func(in io.Reader) error) error {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	return use(in)
}

// openSeekable returns a file with random access. A file from an object store is read into memory.
func openSeekable(in io.Reader) (parquetSource, error) {
	if at, ok := in.(parquetSource); ok {
		return at, nil
	}
	data, err := io.ReadAll(in)
	return bytes.NewReader(data), err
}

// readParts is the DoFn that reads the rows of parts.
type readParts struct{ Columns Columns }

// ProcessElement reads a part.
func (f *readParts) ProcessElement(ctx context.Context, p part, emit func(string, []float64)) error {
	err := withInput(ctx, p.Path, func(in io.Reader) error {
		if p.Group >= 0 {
			source, err := openSeekable(in)
			if err != nil {
				return err
			}
			if in, err = newRowGroup(source, p.Group); err != nil {
				return err
			}
		}
		return f.emitRows(ctx, p, in, emit)
	})
	if err != nil {
		return partError(p, err)
	}
	return nil
}

// partError adds the path of the file, and the row in the file, to an error.
func partError(p part, err error) error {
	fe, ok := errors.AsType[*dataset.FileError](err)
	if !ok {
		return &dataset.FileError{Path: p.Path, Err: err}
	}
	out := *fe
	if out.Path = p.Path; out.Row > 0 {
		out.Row += int(p.First)
	}
	return &out
}

func rowKey(p part, row int64) string { return fmt.Sprintf("%s:%012d", p.Path, row) }

// emitRows reads the rows of a part of a file and emits the rows.
func (f *readParts) emitRows(ctx context.Context, p part, in io.Reader, emit func(string, []float64)) error {
	c := &f.Columns
	opt := &dataset.Options{Labels: dataset.NoLabels(), Columns: c.Features, Schema: c.Schema, AllowExtra: c.AllowExtra}
	most := 1024
	if c.Key != "" {
		opt.ID = []string{c.Key}
	} else if c.Schema != nil && c.Schema.Missing == dataset.MissingDrop {
		most = 1 // one row per block, because the row number is known only for the first row of a block
	}
	r, err := dataset.NewReader(in, opt)
	if err != nil {
		return err
	}
	defer r.Close()
	if n := len(r.IDNames()); c.Key != "" && n != 1 {
		return fmt.Errorf("%w: %d columns are called %q; the key is one column", dataset.ErrSettings, n, c.Key)
	}
	for ctx.Err() == nil {
		b, err := r.Next(most)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		n, _ := b.X.Dims()
		for i := range n {
			key := rowKey(p, p.First+int64(b.First+i))
			if c.Key != "" {
				key = b.IDs[0][i]
			}
			emit(key, slices.Clone(b.X.RawRowView(i)))
		}
	}
	return context.Cause(ctx)
}
