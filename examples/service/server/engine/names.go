package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/gomonge/monge/examples/service/server/budget"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
)

// tableSchema returns the schema for samples with names: the schema of the model, or nil if it has
// no names. A sample with a missing value is an error if the fit dropped such rows, because every
// sample of a request needs an answer.
func tableSchema(m *wda.Model) *dataset.Schema {
	s := m.Schema().Clone()
	if s == nil || s.Features() == nil {
		return nil
	}
	if s.Missing == dataset.MissingDrop {
		s.Missing = dataset.MissingError
	}
	return s
}

// tableNames returns the names of all columns of the fit. The value is true for columns that become
// features.
func tableNames(s *dataset.Schema) map[string]bool {
	if s == nil {
		return nil
	}
	names := map[string]bool{}
	for _, name := range append(s.LeftOut, s.Label) {
		names[name] = false
	}
	for _, c := range s.Columns {
		names[c.Name] = true
	}
	delete(names, "") // no label
	return names
}

// columnNames returns the names of the columns of a table that s needs.
func columnNames(s *dataset.Schema) []string {
	names := []string{}
	if s == nil {
		return names
	}
	for _, c := range s.Columns {
		names = append(names, c.Name)
	}
	return names
}

// A Table reads the samples of one request whose values have names. The names are the columns of the table
// that the model was fitted to, in any order. Missing values (null) and categories are treated as in the
// fit. Each sample is read by itself, so that its answer does not depend on the other samples of the request.
type Table struct {
	engine *Engine
	ctx    context.Context
	x      *Matrix
	known  map[string]bool // the names of all columns of the fit; true for features
	rows   int
	line   bytes.Buffer // the sample as JSON
	held   int64        // bytes taken from the budget for the line and what is made of it
}

const (
	// mostUnknown is the number of unknown columns that an error names. The others are only counted.
	mostUnknown = 20
	// decoded is the number of bytes that a byte of JSON may take when it is decoded, at most.
	decoded = 32
)

// NewTable begins to read a number of samples into x. Project and Classify then answer x by the model that
// the table has used. The error is ErrNoNames if the model has no names, and ErrTooLarge if there are too many
// samples.
func (e *Engine) NewTable(ctx context.Context, x *Matrix, rows int) (*Table, error) {
	s := e.now.Load()
	if s.table == nil {
		return nil, ErrNoNames
	}
	if rows > e.config.Limits.Rows {
		return nil, fmt.Errorf("%w: the request has %d rows, %d are allowed", ErrTooLarge, rows, e.config.Limits.Rows)
	}
	n := rows * s.info.Features
	if err := budget.Take(ctx, 8*int64(n)); err != nil {
		return nil, err
	}
	x.of, x.Columns, x.Data = s, s.info.Features, resized(x.Data, n)[:0]
	return &Table{engine: e, ctx: ctx, x: x, known: s.names}, nil
}

// Header matches the names of n columns. It returns them, with "" for columns to leave out: those that the
// model does not need, and unknown ones from a number on.
func (t *Table) Header(n int, names iter.Seq[string]) ([]string, error) {
	if err := budget.Take(t.ctx, 16*int64(n)); err != nil {
		return nil, err
	}
	out, seen, unknown := make([]string, 0, n), map[string]bool{}, 0
	for name := range names {
		feature, known := t.known[name]
		switch {
		case known && seen[name]:
			return nil, fmt.Errorf("%w: the column %s occurs twice", ErrMalformed, Clip(name))
		case known:
			if seen[name] = true; !feature {
				name = ""
			}
		default:
			if unknown++; unknown > mostUnknown {
				name = ""
			}
			name = Clip(name)
		}
		out = append(out, name)
	}
	if unknown > mostUnknown && !t.engine.config.ExtraColumns {
		return nil, tooManyUnknown(unknown)
	}
	return out, nil
}

func tooManyUnknown(n int) error {
	return fmt.Errorf("%w: %d columns are not those of the model", ErrMalformed, n)
}

// Add reads a sample: the names of its values, and the values as JSON. The error wraps a
// *dataset.ColumnsError if columns are missing or unknown, and ErrMalformed if a value is wrong. Add ends with
// the context.
func (t *Table) Add(values iter.Seq2[string, []byte]) error {
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	unknown := 0
	t.line.Reset()
	t.line.WriteByte('{')
	for name, value := range values {
		feature, known := t.known[name]
		if !known {
			if unknown++; unknown > mostUnknown {
				continue
			}
			name = Clip(name)
		}
		if t.line.Len() > 1 {
			t.line.WriteByte(',')
		}
		quoted, _ := json.Marshal(name) // a string has no error
		t.line.Write(quoted)
		t.line.WriteByte(':')
		if !feature {
			value = []byte("null") // only the name matters
		}
		json.Compact(&t.line, value) // no newlines
	}
	t.line.WriteString("}\n")
	if need := decoded * int64(t.line.Len()); need > t.held {
		if err := budget.Take(t.ctx, need-t.held); err != nil {
			return err
		}
		t.held = need
	}
	err := t.read()
	if err == nil && unknown > mostUnknown && !t.engine.config.ExtraColumns {
		err = tooManyUnknown(unknown)
	}
	if err != nil {
		return inSample(t.rows, err)
	}
	t.rows++
	return nil
}

// read appends the features of the line to x.
func (t *Table) read() error {
	r, err := dataset.NewReader(bytes.NewReader(t.line.Bytes()), &dataset.Options{
		Format: dataset.FormatJSONLines, Labels: dataset.NoLabels(), Schema: t.x.of.table, AllowExtra: t.engine.config.ExtraColumns,
	})
	if err != nil {
		return err
	}
	defer r.Close()
	b, err := r.Next(1)
	if err == nil {
		t.x.Data = append(t.x.Data, b.X.RawRowView(0)...)
	}
	return err
}

// Clip returns a text for an error message, shortened if it is long.
func Clip(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// ClipNames returns the first names of a list for an error message, each shortened if it is long.
func ClipNames(names []string) (out []string) {
	for _, name := range names[:min(mostUnknown, len(names))] {
		out = append(out, Clip(name))
	}
	return out
}

// inSample makes an error of a reader one of a row of a request, which counts from 0.
func inSample(row int, err error) error {
	if fe, ok := errors.AsType[*dataset.FileError](err); ok {
		if err = fe.Err; fe.Name != "" {
			err = fmt.Errorf("column %q: %w", fe.Name, err)
		}
		if fe.Option == "KeepMissing" {
			err = fmt.Errorf("%w: a missing value, and the model has none to put in its place; fit it with --missing mean or median", err)
		}
	}
	return fmt.Errorf("%w: row %d: %w", ErrMalformed, row, err)
}
