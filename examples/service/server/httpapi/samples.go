package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gomonge/monge/examples/service/server/engine"
)

// samples is what a client sends to project or classify, in one of three forms:
//
//	{"rows": [[1, 2], [3, 4]]}                                   numbers, in the order of the model's features
//	{"rows": [{"age": 1, "city": "Bern"}, …]}                    objects, whose keys are columns
//	{"columns": ["age", "city"], "rows": [[1, "Bern"], …]}       the same, with the names once
type samples struct {
	Columns []string        `json:"columns"`
	Rows    json.RawMessage `json:"rows"`
}

// decodeSamples sets x to the samples of body, matched with the model's columns if they have names.
func decodeSamples(e *engine.Engine, x *engine.Matrix, body []byte) error {
	*x = engine.Matrix{Data: x.Data[:0]}
	var in samples
	if err := decodeJSON(&in, body); err != nil {
		return err
	}
	if in.Rows == nil {
		return fmt.Errorf(`%w: rows is missing: send {"rows": [[1, 2], [3, 4]]}, with the numbers of a sample in each row`, engine.ErrMalformed)
	}
	first, ok := open(in.Rows)
	first = trimLeft(first)
	if named := in.Columns != nil || ok && first[0] == '{'; !named {
		if err := (jsonMatrix{x}).UnmarshalJSON(in.Rows); err != nil {
			return fmt.Errorf("%w: %w", engine.ErrMalformed, err)
		}
		return nil
	}
	lines, err := objects(in)
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrMalformed, err)
	}
	return e.Match(x, lines)
}

// objects returns samples with names as JSON objects, one in each line.
func objects(in samples) ([]byte, error) {
	var rows []json.RawMessage
	if json.Unmarshal(in.Rows, &rows) != nil || len(rows) == 0 {
		return nil, errors.New("rows is an array of at least one row")
	}
	keys := make([][]byte, len(in.Columns))
	for j, name := range in.Columns {
		keys[j], _ = json.Marshal(name) // a string has no error
	}
	var out bytes.Buffer
	for i, row := range rows {
		object := row[0] == '{'
		switch {
		case in.Columns == nil && !object:
			return nil, fmt.Errorf("row %d is not an object, as row 0 is", i)
		case in.Columns != nil && object:
			return nil, fmt.Errorf("row %d is an object: leave out columns, or send arrays", i)
		case object:
			json.Compact(&out, row) // no newlines
		default:
			var values []json.RawMessage
			if json.Unmarshal(row, &values) != nil || len(values) != len(keys) {
				return nil, fmt.Errorf("row %d is not an array of %d values, as columns is", i, len(keys))
			}
			out.WriteByte('{')
			for j, v := range values {
				if j > 0 {
					out.WriteByte(',')
				}
				out.Write(keys[j])
				out.WriteByte(':')
				json.Compact(&out, v)
			}
			out.WriteByte('}')
		}
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}
