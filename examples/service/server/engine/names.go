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

// tableSchema returns the schema for samples whose values have names: the schema of the model, or nil if
// the model has no feature names. If the fit dropped rows with missing values, a sample with a missing
// value is an error, because every sample of a request needs an answer.
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

// tableNames returns a map with the names of all columns of the table to which the model was fitted.
// The value of a name is true if the column is a feature.
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
	delete(names, "") // remove the empty name of a missing label
	return names
}

// columnNames returns the names of the columns that the schema s needs.
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

// A Table reads the samples of one request, in which every value has a column name. The names are
// those of the table to which the model was fitted, in any order. Missing values (null)
// and categories are treated as in the fit. Each sample is read separately, so that the answer does
// not depend on the other samples of the request.
type Table struct {
	engine *Engine
	ctx    context.Context
	x      *Matrix
	known  map[string]bool // names of all columns of the fit; the value is true for features
	rows   int
	line   bytes.Buffer // the sample as JSON
	held   int64        // bytes taken from the budget for the line and its decoded values
}

const (
	// maxNamedUnknown is the number of unknown columns that an error message names. Further unknown
	// columns are only counted.
	maxNamedUnknown = 20
	// maxDecodedPerByte is the maximum number of decoded bytes for one byte of JSON.
	maxDecodedPerByte = 32
)

// NewTable returns a Table that reads up to the given number of samples into x. It stores the current
// model in x, so that Project and Classify use this model for x even after a reload. If the model has no
// column names, NewTable returns ErrNoNames. If there are too many samples, NewTable returns
// ErrTooLarge.
func (e *Engine) NewTable(ctx context.Context, x *Matrix, rows int) (*Table, error) {
	s := e.current.Load()
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
	x.model, x.Columns, x.Data = s, s.info.Features, resizeSlice(x.Data, n)[:0]
	return &Table{engine: e, ctx: ctx, x: x, known: s.names}, nil
}

// Header looks up n column names and returns them. A returned name is "" if the model does not use
// the column. Only the first maxNamedUnknown unknown columns keep their names.
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
			if unknown++; unknown > maxNamedUnknown {
				name = ""
			}
			name = Clip(name)
		}
		out = append(out, name)
	}
	if unknown > maxNamedUnknown && !t.engine.config.ExtraColumns {
		return nil, tooManyUnknown(unknown)
	}
	return out, nil
}

func tooManyUnknown(n int) error {
	return fmt.Errorf("%w: %d columns are not those of the model", ErrMalformed, n)
}

// Add reads a sample, given as pairs of a column name and a JSON value. If columns are missing or
// unknown, the error wraps *dataset.ColumnsError. If a value is invalid, the error wraps
// ErrMalformed. Add stops when the context ends.
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
			if unknown++; unknown > maxNamedUnknown {
				continue
			}
			name = Clip(name)
		}
		if t.line.Len() > 1 {
			t.line.WriteByte(',')
		}
		quoted, _ := json.Marshal(name) // encoding a string never fails
		t.line.Write(quoted)
		t.line.WriteByte(':')
		if !feature {
			value = []byte("null") // only the name matters
		}
		json.Compact(&t.line, value) // no newlines
	}
	t.line.WriteString("}\n")
	if need := maxDecodedPerByte * int64(t.line.Len()); need > t.held {
		if err := budget.Take(t.ctx, need-t.held); err != nil {
			return err
		}
		t.held = need
	}
	err := t.appendFeatures()
	if err == nil && unknown > maxNamedUnknown && !t.engine.config.ExtraColumns {
		err = tooManyUnknown(unknown)
	}
	if err != nil {
		return sampleError(t.rows, err)
	}
	t.rows++
	return nil
}

// appendFeatures appends the features of the line to x.
func (t *Table) appendFeatures() error {
	r, err := dataset.NewReader(bytes.NewReader(t.line.Bytes()), &dataset.Options{
		Format: dataset.FormatJSONLines, Labels: dataset.NoLabels(), Schema: t.x.model.table, AllowExtra: t.engine.config.ExtraColumns,
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

// Clip shortens a long text for an error message.
func Clip(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// ClipNames returns the first names of a list for an error message. It shortens long names.
func ClipNames(names []string) (out []string) {
	for _, name := range names[:min(maxNamedUnknown, len(names))] {
		out = append(out, Clip(name))
	}
	return out
}

// sampleError adds the number of the row in the request to an error of a reader. Rows count from 0.
func sampleError(row int, err error) error {
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
