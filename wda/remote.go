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
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// Executor runs parts of a computation in other processes or on other machines. Type Cluster of
// module github.com/gomonge/monge/beam implements Executor. Fit, Score and CrossValidate divide their
// work into independent items, and pass the items to Do if Worth returns true. The other processes
// call OpenWork. All processes must run the same version of this package.
type Executor interface {
	// Worth reports whether a computation is worth sending to other processes. The argument is the
	// approximate number of multiplications.
	Worth(multiplications float64) bool
	// Do returns the results of all items, in the order of the items. It may run an item several
	// times, because the result has the same bytes each time. An error ends the computation: it
	// means that an item could not be run, or that ctx has ended.
	Do(ctx context.Context, w *Work) ([][]byte, error)
}

// Work contains the items of one task and the data that they share. Only OpenWork can interpret its
// bytes.
type Work struct {
	Task   string
	Shared []byte
	Items  [][]byte
	// Together is the number of consecutive items that should run in the same process, because they
	// share intermediate results. 0 means 1.
	Together int
}

// OpenWork returns the function that runs the items of a Work. The arguments are the fields Task and
// Shared of the Work. The processes of an Executor call OpenWork once for each Work. Any number of
// goroutines may call the returned function. An error of the function means that the item could not be
// run in this process, for example because ctx has ended. An unknown task is an error, because it
// means that the processes run different versions.
func OpenWork(ctx context.Context, task string, shared []byte) (do func(ctx context.Context, item []byte) ([]byte, error), err error) {
	switch task {
	case pairTask:
		return openPairs(ctx, shared)
	case pieceTask:
		return openPieces(ctx, shared)
	case fitTask:
		return openFits(ctx, shared)
	}
	return nil, fmt.Errorf("unknown task %q: does the other process run another version of this program?", task)
}

// executorFor returns the Executor for a computation, or nil if it should run in this process.
func (s *Settings) executorFor(multiplications float64) Executor {
	if s.Executor == nil || !s.Executor.Worth(multiplications) {
		return nil
	}
	return s.Executor
}

// sendItems runs items on an executor and returns their results.
func sendItems[Result, Item any](ctx context.Context, to Executor, task string, shared []byte, items []Item, together int) ([]Result, error) {
	w := &Work{Task: task, Shared: shared, Items: make([][]byte, len(items)), Together: together}
	for i, item := range items {
		var err error
		if w.Items[i], err = encodeWire(item); err != nil {
			return nil, err
		}
	}
	answers, err := to.Do(ctx, w)
	if err != nil {
		return nil, err
	}
	if len(answers) != len(items) {
		return nil, fmt.Errorf("the Executor returned %d results for %d items of task %s", len(answers), len(items), task)
	}
	out := make([]Result, len(items))
	for i, b := range answers {
		if err := decodeWire(b, &out[i]); err != nil {
			return nil, fmt.Errorf("result %d of task %s: %w", i, task, err)
		}
	}
	return out, nil
}

// itemFunc runs one item in a process of an Executor. Any number of goroutines may call it.
type itemFunc = func(ctx context.Context, item []byte) ([]byte, error)

// newItemFunc returns an itemFunc that decodes an item, calls compute, and encodes the result. compute
// must return an error only if the item cannot be computed in this process. An error that would occur
// in every process is part of the result. If the context ends, the result is dropped, because it may
// be incomplete.
func newItemFunc[Item, Result any](compute func(ctx context.Context, item Item) (Result, error)) itemFunc {
	return func(ctx context.Context, data []byte) ([]byte, error) {
		var item Item
		if err := decodeWire(data, &item); err != nil {
			return nil, err
		}
		result, err := compute(ctx, item)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		return encodeWire(result)
	}
}

// encodeWire encodes an item or a result with package gob. Long arrays and settings must already be
// byte slices: gob would encode arrays element by element, and settings are encoded as JSON.
func encodeWire(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decodeWire(data []byte, v any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(v) }

func encodeNumbers[T dist.Float](v []T) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return b
}

func decodeNumbers[T dist.Float](b []byte) []T {
	var one T
	v := make([]T, len(b)/binary.Size(one))
	if _, err := binary.Decode(b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return v
}

// wireMatrix is a matrix in a form that package gob encodes.
type wireMatrix struct {
	Rows, Cols int
	Data       []byte
}

// newWireMatrix converts m to a wireMatrix. It returns nil if m is nil.
func newWireMatrix(ctx context.Context, m mat.Matrix) *wireMatrix {
	if m == nil {
		return nil
	}
	n, d := m.Dims()
	w := &wireMatrix{n, d, make([]byte, 0, 8*n*d)}
	rows := dense.Rows(m)
	dense.EachRow(ctx, 0, n, d, func(i int) { w.Data, _ = binary.Append(w.Data, binary.LittleEndian, rows(i)) })
	return w
}

func (w *wireMatrix) dense() *mat.Dense {
	return mat.NewDense(w.Rows, w.Cols, decodeNumbers[float64](w.Data))
}

// wireSettings are settings without Progress, Validation and Executor.
type wireSettings struct {
	Text      []byte // JSON
	Method    string
	BatchSize int // of MiniBatch
	Lambda    wireLambda
	Init      *wireMatrix // or nil
}

// textSettings hides the fields that JSON cannot represent.
type textSettings struct {
	Settings
	Progress   *struct{} `json:",omitempty"`
	Validation *struct{} `json:",omitempty"`
}

func newWireSettings(ctx context.Context, s Settings) (w wireSettings, err error) {
	if s.Optimizer.Method, err = methodWithDefaults(s.Optimizer.Method); err != nil {
		return w, err
	}
	w.Method, w.BatchSize = methodText(s.Optimizer.Method)
	w.Lambda, s.Objective.Lambda = newWireLambda(ctx, s.Objective.Lambda), Lambda{}
	w.Init, s.Optimizer.Init, s.Optimizer.Method = newWireMatrix(ctx, s.Optimizer.Init), nil, nil
	w.Text, err = json.Marshal(textSettings{Settings: s})
	return w, err
}

func (w *wireSettings) settings() (Settings, error) {
	var t textSettings
	err := json.Unmarshal(w.Text, &t)
	if err == nil {
		t.Objective.Lambda, err = w.Lambda.lambda()
	}
	if err == nil {
		t.Optimizer.Method, err = parseMethod(w.Method, w.BatchSize)
	}
	if w.Init != nil {
		t.Optimizer.Init = w.Init.dense()
	}
	return t.Settings, err
}

// wireLambda is a Lambda in a form that package gob encodes: its text, or a matrix.
type wireLambda struct {
	Text   string
	Matrix *wireMatrix
}

func newWireLambda(ctx context.Context, l Lambda) wireLambda {
	if l.matrix != nil {
		return wireLambda{Matrix: newWireMatrix(ctx, l.matrix)}
	}
	return wireLambda{Text: l.String()}
}

func (w *wireLambda) lambda() (l Lambda, err error) {
	if w.Matrix != nil {
		return LambdaMatrix(w.Matrix.dense()), nil
	}
	return l, l.UnmarshalText([]byte(w.Text))
}

// wireError is an error that is part of a result. It contains the text of the error, and the indices
// in wireCauses of the errors that the error wraps.
type wireError struct {
	Text  string
	Wraps []int
}

var wireCauses = []error{
	ErrShape, ErrNotFinite, ErrSettings, ErrLabels, ErrNoSpread, sinkhorn.ErrMarginals, sinkhorn.ErrRange, sinkhorn.ErrNotConverged,
}

// newWireError converts err to a wireError.
func newWireError(err error) *wireError {
	w := &wireError{Text: err.Error()}
	for i, c := range wireCauses {
		if errors.Is(err, c) {
			w.Wraps = append(w.Wraps, i)
		}
	}
	return w
}

// remoteError is an error that occurred in another process.
type remoteError struct {
	text   string
	causes []error
}

func (e *remoteError) Error() string   { return e.text }
func (e *remoteError) Unwrap() []error { return e.causes }

func (w *wireError) toError() error {
	if w == nil {
		return nil
	}
	e := &remoteError{text: w.Text}
	for _, i := range w.Wraps {
		e.causes = append(e.causes, wireCauses[i])
	}
	return e
}
