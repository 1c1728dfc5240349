package wda

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// What goes to other processes by package fanout, whose programs are of one version, is
// encoded by package gob; long arrays, which that would encode element by element, and
// settings, whose choices are texts, are bytes in it.

func encodeWire(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decodeWire(data []byte, v any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(v) }

func packed[T dist.Float](v []T) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return b
}

func unpacked[T dist.Float](b []byte) []T {
	var one T
	v := make([]T, len(b)/binary.Size(one))
	if _, err := binary.Decode(b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return v
}

// wireMatrix is a matrix.
type wireMatrix struct {
	Rows, Cols int
	Data       []byte
}

// wired returns m to be encoded, nil for nil.
func wired(ctx context.Context, m mat.Matrix) *wireMatrix {
	if m == nil {
		return nil
	}
	n, d := m.Dims()
	w := &wireMatrix{n, d, make([]byte, 0, 8*n*d)}
	rows := rowsOf(m)
	rowByRow(ctx, 0, n, d, func(i int) { w.Data, _ = binary.Append(w.Data, binary.LittleEndian, rows(i)) })
	return w
}

func (w *wireMatrix) dense() *mat.Dense {
	return mat.NewDense(w.Rows, w.Cols, unpacked[float64](w.Data))
}

// wireSettings are settings without Progress and Validation.
type wireSettings struct {
	Text   []byte // JSON
	Lambda wireLambda
	Init   *wireMatrix // which has no text
}

// textSettings hides the fields that have none.
type textSettings struct {
	Settings
	Progress   *struct{} `json:",omitempty"`
	Validation *struct{} `json:",omitempty"`
}

func wiredSettings(ctx context.Context, s Settings) (w wireSettings, err error) {
	w.Lambda, s.Objective.Lambda = wiredLambda(ctx, s.Objective.Lambda), Lambda{}
	w.Init, s.Optimizer.Init = wired(ctx, s.Optimizer.Init), nil
	w.Text, err = json.Marshal(textSettings{Settings: s})
	return w, err
}

func (w *wireSettings) settings() (Settings, error) {
	var t textSettings
	err := json.Unmarshal(w.Text, &t)
	if err == nil {
		t.Objective.Lambda, err = w.Lambda.lambda()
	}
	if w.Init != nil {
		t.Optimizer.Init = w.Init.dense()
	}
	return t.Settings, err
}

// wireLambda is λ: its text, or a matrix.
type wireLambda struct {
	Text   string
	Matrix *wireMatrix
}

func wiredLambda(ctx context.Context, l Lambda) wireLambda {
	if l.Matrix != nil {
		return wireLambda{Matrix: wired(ctx, l.Matrix)}
	}
	return wireLambda{Text: l.String()}
}

func (w *wireLambda) lambda() (l Lambda, err error) {
	if w.Matrix != nil {
		return Lambda{Matrix: w.Matrix.dense()}, nil
	}
	return l, l.UnmarshalText([]byte(w.Text))
}

// wireError is an error that is a result: what it says, and which of these it wraps.
type wireError struct {
	Text  string
	Wraps []int
}

var wireCauses = []error{
	ErrShape, ErrNotFinite, ErrSettings, ErrLabels, ErrNoSpread, sinkhorn.ErrMarginals, sinkhorn.ErrRange, sinkhorn.ErrNotConverged,
}

// wiredError returns err to be encoded.
func wiredError(err error) *wireError {
	w := &wireError{Text: err.Error()}
	for i, c := range wireCauses {
		if errors.Is(err, c) {
			w.Wraps = append(w.Wraps, i)
		}
	}
	return w
}

// arrivedError is an error from elsewhere.
type arrivedError struct {
	text   string
	causes []error
}

func (e *arrivedError) Error() string   { return e.text }
func (e *arrivedError) Unwrap() []error { return e.causes }

func (w *wireError) error() error {
	if w == nil {
		return nil
	}
	e := &arrivedError{text: w.Text}
	for _, i := range w.Wraps {
		e.causes = append(e.causes, wireCauses[i])
	}
	return e
}

// decodeAll decodes the results of n items.
func decodeAll[R any](results [][]byte, n int) ([]R, error) {
	if len(results) != n {
		return nil, fmt.Errorf("wda: %d results of %d items", len(results), n)
	}
	out := make([]R, n)
	for i, b := range results {
		if err := decodeWire(b, &out[i]); err != nil {
			return nil, fmt.Errorf("wda: result %d: %w", i, err)
		}
	}
	return out, nil
}
