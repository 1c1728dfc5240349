package engine

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
)

// tableSchema returns the schema by which samples with names are read: that of the model, or nil if it has no
// names. A sample with a missing value is an error where the fit has left out such rows: every
// sample of a request has an answer.
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

// Match sets x to the features of samples whose values have names. rows holds JSON objects, one in each
// line. Their keys are the columns of the table that the model was fitted to, in any order. Missing values
// (null) and categories are treated as in the fit. Each row is read by itself, so that its answer does not
// depend on the other rows of the request.
//
// Project and Classify then answer x by the model that Match has used. The error wraps a
// *dataset.ColumnsError if columns are missing or unknown, ErrMalformed if a value is wrong, and ErrNoNames
// if the model has no names.
func (e *Engine) Match(x *Matrix, rows []byte) error {
	s := e.now.Load()
	if s.table == nil {
		return ErrNoNames
	}
	n := bytes.Count(rows, []byte{'\n'})
	if n > e.config.Limits.Rows {
		return fmt.Errorf("%w: the request has %d rows, %d are allowed", ErrTooLarge, n, e.config.Limits.Rows)
	}
	x.of, x.Columns, x.Data = s, s.info.Features, x.Data[:0]
	row := 0
	for line := range bytes.Lines(rows) {
		if err := e.match(x, s.table, line); err != nil {
			return inSample(row, err)
		}
		row++
	}
	return nil
}

// match appends the features of one object to x.
func (e *Engine) match(x *Matrix, table *dataset.Schema, object []byte) error {
	r, err := dataset.NewReader(bytes.NewReader(object), &dataset.Options{
		Format: dataset.FormatJSONLines, Labels: dataset.NoLabels(), Schema: table, AllowExtra: e.config.ExtraColumns,
	})
	if err != nil {
		return err
	}
	defer r.Close()
	b, err := r.Next(1)
	if err == nil {
		x.Data = append(x.Data, b.X.RawRowView(0)...)
	}
	return err
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
