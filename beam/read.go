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
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
)

func init() {
	beam.RegisterType(reflect.TypeFor[*divide]())
	beam.RegisterType(reflect.TypeFor[*read]())
	beam.RegisterFunction(inLane)
	beam.RegisterType(reflect.TypeFor[part]())
}

// Columns says which columns of a file are read.
type Columns struct {
	// Key is the column of the keys, whatever its type. Default: a key is the path of the
	// file, a colon and the number of the row, from 0, in 12 digits.
	Key string
	// Features are columns of numbers or of lists of numbers, all of one length. Default:
	// the columns of lists if there are any, else all columns but Key, label, y and split;
	// in files other than Parquet all but Key, as there it can only be left out.
	Features []string
}

// Read returns the rows of the files that match a pattern as KV<string, []float64>, in as
// many collections as there are lanes. Files ending in .parquet are read by row group, each
// a piece of work by itself; others are those of package dataset, each read by one worker:
// CSV, NPY, NPZ, IDX, plain or gzip-compressed. A null, a value that is not finite or a
// list of another length is an error that names file and row.
//
// Runners divide one lane among their workers as they like. But Prism begins to only when
// one row takes it long, and fuses nothing across a Flatten: there it takes as many lanes
// as cores, each with its own Transform, to use them; prism-processes has a process for each.
func Read(s beam.Scope, glob string, c Columns, lanes int) []beam.PCollection {
	s = s.Scope("monge.Read")
	files := fileio.MatchFiles(s, glob, fileio.MatchEmptyDisallow())
	parts := beam.Reshuffle(s, beam.ParDo(s, &divide{max(1, lanes)}, files))
	of := []beam.PCollection{parts}
	if lanes > 1 {
		of = beam.Partition(s, lanes, inLane, parts)
	}
	for i, lane := range of {
		of[i] = beam.ParDo(inScope(s, i), &read{Columns: c}, lane)
	}
	return of
}

// part is what one worker reads at a time: a row group, or a file if Group is −1.
type part struct {
	Path  string
	Group int
	First int64 // row
	Lane  int
}

func inLane(p part) int { return p.Lane }

// divide is the DoFn from files to parts.
type divide struct{ Lanes int }

// ProcessElement deals the row groups of a file to the lanes, and files by their names.
func (f *divide) ProcessElement(ctx context.Context, at fileio.FileMetadata, emit func(part)) error {
	h := fnv.New32a()
	h.Write([]byte(at.Path))
	lane := int(h.Sum32() % uint32(f.Lanes))
	if !isParquet(at.Path) {
		emit(part{at.Path, -1, 0, lane})
		return nil
	}
	p, err := openParquet(ctx, at.Path)
	if err != nil {
		return err
	}
	defer p.Close()
	first := int64(0)
	for g := range p.NumRowGroups() {
		emit(part{at.Path, g, first, (lane + g) % f.Lanes})
		first += p.MetaData().RowGroups[g].NumRows
	}
	return nil
}

func isParquet(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".parquet") }

// openParquet reads a file of a store into memory, and one of this machine where it is.
func openParquet(ctx context.Context, path string) (*file.Reader, error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, path)
	if err != nil {
		return nil, err
	}
	at, ok := r.(parquet.ReaderAtSeeker)
	if !ok {
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		at = bytes.NewReader(data)
	}
	p, err := file.NewParquetReader(at)
	if err != nil {
		return nil, &dataset.FileError{Path: path, Err: fmt.Errorf("%w: %w", dataset.ErrFormat, err)}
	}
	return p, nil
}

// read is the DoFn from parts to rows.
type read struct{ Columns Columns }

// ProcessElement reads a part.
func (f *read) ProcessElement(ctx context.Context, p part, emit func(string, []float64)) (err error) {
	defer func() {
		// The library panics now and then on a damaged file.
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", dataset.ErrFormat, r)
		}
		if err != nil {
			err = inPart(p, err)
		}
	}()
	if p.Group < 0 {
		return f.readOther(ctx, p, emit)
	}
	return f.readGroup(ctx, p, emit)
}

// inPart gives an error the path of its file, and its row in the file.
func inPart(p part, err error) error {
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

func keyOf(p part, row int64) string { return fmt.Sprintf("%s:%012d", p.Path, row) }

// readOther reads a file of package dataset.
func (f *read) readOther(ctx context.Context, p part, emit func(string, []float64)) error {
	if f.Columns.Features != nil {
		return fmt.Errorf("%w: only of a Parquet file can columns be chosen", dataset.ErrFormat)
	}
	fs, err := filesystem.New(ctx, p.Path)
	if err != nil {
		return err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, p.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	opt := &dataset.Options{Labels: dataset.NoLabels()}
	if f.Columns.Key != "" {
		opt.Labels = dataset.ParseLabels(f.Columns.Key)
	}
	r, err := dataset.NewReader(in, opt)
	if err != nil {
		return err
	}
	defer r.Close()
	for ctx.Err() == nil {
		b, err := r.Next(1024)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		n, _ := b.X.Dims()
		for i := range n {
			key := keyOf(p, int64(b.First+i))
			if f.Columns.Key != "" {
				key = b.Labels[i]
			}
			emit(key, slices.Clone(b.X.RawRowView(i)))
		}
	}
	return context.Cause(ctx)
}

// readGroup reads a row group of a Parquet file.
func (f *read) readGroup(ctx context.Context, p part, emit func(string, []float64)) error {
	in, err := openParquet(ctx, p.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	fr, err := pqarrow.NewFileReader(in, pqarrow.ArrowReadProperties{BatchSize: 1024}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	schema, err := fr.Schema()
	if err != nil {
		return err
	}
	key, features, err := f.Columns.choose(schema)
	if err != nil {
		return err
	}
	var leaves []int
	for i := range in.MetaData().Schema.NumColumns() {
		root := in.MetaData().Schema.ColumnRoot(i).Name()
		if slices.Contains(features, root) || root == key {
			leaves = append(leaves, i)
		}
	}
	batches, err := fr.GetRecordReader(ctx, leaves, []int{p.Group})
	if err != nil {
		return err
	}
	defer batches.Release()
	done, width := 0, 0
	for batches.Next() {
		b := batches.RecordBatch()
		n := int(b.NumRows())
		rows := make([][]float64, n)
		for _, name := range features {
			if err := appendColumn(ctx, rows, b.Column(b.Schema().FieldIndices(name)[0])); err != nil {
				return inColumn(name, done, err)
			}
		}
		var keys arrow.Array
		if key != "" {
			keys = b.Column(b.Schema().FieldIndices(key)[0])
		}
		for i, x := range rows {
			if width == 0 {
				width = len(x)
			}
			row := done + i + 1
			if len(x) != width {
				return &dataset.FileError{Row: row, Err: fmt.Errorf("%w: %d numbers where the first row has %d", dataset.ErrFormat, len(x), width)}
			}
			for _, v := range x {
				if v-v != 0 {
					return &dataset.FileError{Row: row, Err: fmt.Errorf("%w: %v", wda.ErrNotFinite, v)}
				}
			}
			k := keyOf(p, p.First+int64(done+i))
			if keys != nil {
				if keys.IsNull(i) {
					return &dataset.FileError{Row: row, Name: key, Err: fmt.Errorf("%w: null", wda.ErrNotFinite)}
				}
				k = keys.ValueStr(i)
			}
			emit(k, x)
		}
		done += n
	}
	if err := batches.Err(); err != nil && err != io.EOF {
		return fmt.Errorf("%w: row group %d: %w", dataset.ErrFormat, p.Group+1, err)
	}
	return nil
}

// choose returns the columns of the key, or "", and of the features.
func (c Columns) choose(s *arrow.Schema) (key string, features []string, err error) {
	missing := func(name string) error {
		return &dataset.FileError{Name: name, Err: fmt.Errorf("%w: no column, or several, of this name", dataset.ErrFormat)}
	}
	if c.Key != "" && len(s.FieldIndices(c.Key)) != 1 {
		return "", nil, missing(c.Key)
	}
	for _, name := range c.Features {
		if len(s.FieldIndices(name)) != 1 {
			return "", nil, missing(name)
		}
	}
	if c.Features != nil {
		return c.Key, c.Features, nil
	}
	var lists []string
	for _, f := range s.Fields() {
		if f.Name == c.Key || slices.Contains([]string{"label", "y", "split"}, f.Name) {
			continue
		}
		if _, ok := f.Type.(arrow.ListLikeType); ok {
			lists = append(lists, f.Name)
		}
		features = append(features, f.Name)
	}
	if lists != nil {
		features = lists
	}
	if features == nil {
		err = fmt.Errorf("%w: no columns of numbers", dataset.ErrFormat)
	}
	return c.Key, features, err
}

// appendColumn appends the elements of a column to the rows.
func appendColumn(ctx context.Context, rows [][]float64, column arrow.Array) error {
	values := column
	list, ok := column.(array.ListLike)
	if ok {
		values = list.ListValues()
	}
	if !arrow.IsPrimitive(values.DataType().ID()) {
		return fmt.Errorf("%w: a column of %s", dataset.ErrFormat, column.DataType())
	}
	wide, err := compute.CastToType(ctx, values, arrow.PrimitiveTypes.Float64)
	if err != nil {
		return fmt.Errorf("%w: a column of %s: %w", dataset.ErrFormat, column.DataType(), err)
	}
	defer wide.Release()
	numbers := wide.(*array.Float64).Float64Values()
	for i := range rows {
		from, to := int64(i), int64(i+1)
		if list != nil {
			from, to = list.ValueOffsets(i)
		}
		null := column.IsNull(i)
		for k := from; k < to && !null && wide.NullN() > 0; k++ {
			null = wide.IsNull(int(k))
		}
		if null {
			return &dataset.FileError{Row: i + 1, Err: fmt.Errorf("%w: null", wda.ErrNotFinite)}
		}
		rows[i] = append(rows[i], numbers[from:to]...)
	}
	return nil
}

// inColumn gives an error the name of its column, and its row in the group.
func inColumn(name string, done int, err error) error {
	fe, ok := errors.AsType[*dataset.FileError](err)
	if !ok {
		return &dataset.FileError{Name: name, Err: err}
	}
	fe.Name = name
	fe.Row += done
	return fe
}
