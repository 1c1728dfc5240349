package httpapi

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomonge/monge/examples/service/server/engine"
)

// decodeSamples sets x to the samples in body. The body has one of three forms:
//
//	{"rows": [[1, 2], [3, 4]]}                                   numbers in the order of the model's features
//	{"rows": [{"age": 1, "city": "Bern"}, …]}                    objects whose keys are column names
//	{"columns": ["age", "city"], "rows": [[1, "Bern"], …]}       named samples with the names in a separate array
func decodeSamples(ctx context.Context, e *engine.Engine, x *engine.Matrix, body []byte) error {
	*x = engine.Matrix{Data: x.Data[:0]}
	var columns, rows []byte
	keep := func(to *[]byte) func([]byte) error {
		return func(value []byte) error { *to = value; return nil }
	}
	if err := decodeObject(body, map[string]func([]byte) error{"columns": keep(&columns), "rows": keep(&rows)}); err != nil {
		return err
	}
	if rows == nil {
		return fmt.Errorf(`%w: rows is missing: send {"rows": [[1, 2], [3, 4]]}, with the numbers of a sample in each row`, engine.ErrMalformed)
	}
	if columns != nil && columns[0] != '[' {
		return fmt.Errorf("%w: columns cannot be %s: send an array of names", engine.ErrMalformed, kindOf(columns[0]))
	}
	if columns == nil && (rows[0] != '[' || trimLeft(rows[1:])[0] != '{') {
		return malformedError(decodeMatrix(ctx, x, rows, e.MaxRows()))
	}
	return malformedError(decodeNamed(ctx, e, x, columns, rows))
}

// decodeNamed sets x to named samples. If columns is nil, each row is an object whose keys are
// column names. Otherwise columns is an array of the column names, and each row is an array.
func decodeNamed(ctx context.Context, e *engine.Engine, x *engine.Matrix, columns, rows []byte) error {
	n := 0
	if rows[0] == '[' {
		n = countElements(rows)
	}
	if n == 0 {
		return errors.New("rows is an array of at least one row")
	}
	table, err := e.NewTable(ctx, x, n)
	if err != nil {
		return err
	}
	var names []string
	if columns != nil {
		if names, err = readHeader(table, columns); err != nil {
			return err
		}
	}
	for i, row := range elements(rows) {
		switch object := row[0] == '{'; {
		case object && columns != nil:
			return fmt.Errorf("row %d is an object: leave out columns, or send arrays", i)
		case object:
			err = table.Add(members(row))
		case columns == nil:
			return fmt.Errorf("row %d is not an object, as row 0 is", i)
		case row[0] != '[' || countElements(row) != len(names):
			return fmt.Errorf("row %d is not an array of %d values, as columns is", i, len(names))
		default:
			err = table.Add(func(yield func(string, []byte) bool) {
				for j, value := range elements(row) {
					if names[j] != "" && !yield(names[j], value) {
						return
					}
				}
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readHeader returns the column names of a table, or "" for ignored columns.
func readHeader(table *engine.Table, columns []byte) ([]string, error) {
	for j, value := range elements(columns) {
		if value[0] != '"' {
			return nil, fmt.Errorf("columns: element %d is %s, not a name", j, kindOf(value[0]))
		}
	}
	return table.Header(countElements(columns), func(yield func(string) bool) {
		for _, value := range elements(columns) {
			if !yield(unquote(value)) {
				return
			}
		}
	})
}
