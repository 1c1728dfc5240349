package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/gomonge/monge/examples/service/server/budget"
	"github.com/gomonge/monge/examples/service/server/engine"
)

// decodeRows decodes the samples of a request to project or classify.
func (x *exchange) decodeRows(ctx context.Context) error {
	if w := numberBytes(x.in); w > 0 {
		x.x = engine.Matrix{Data: x.x.Data}
		return decodeBinary(ctx, &x.x, x.body.Bytes(), w, x.engine.Info().Features)
	}
	return decodeSamples(ctx, x.engine, &x.x, x.body.Bytes())
}

// takeAnswerMemory takes memory from the budget for the text of n numbers. The text of a number has
// at most 25 bytes.
func (x *exchange) takeAnswerMemory(ctx context.Context, n int) error {
	return budget.Take(ctx, 25*int64(n))
}

// setJSON sets the answer to the JSON encoding of v.
func (x *exchange) setJSON(v any) (err error) {
	x.answer, err = json.Marshal(v)
	return err
}

func (x *exchange) project(ctx context.Context) error {
	if err := x.decodeRows(ctx); err != nil {
		return err
	}
	y := &x.projected
	if err := x.engine.Project(ctx, &x.x, y); err != nil {
		return err
	}
	if w := numberBytes(x.out); w > 0 {
		for _, v := range y.Data {
			x.answer = appendNumber(x.answer, w, v)
		}
		return nil
	}
	if err := x.takeAnswerMemory(ctx, len(y.Data)); err != nil {
		return err
	}
	x.answer = append(append(append(x.answer, `{"model":"`...), y.Model...), `","rows":`...) // a hash needs no escapes
	var err error
	x.answer, err = appendMatrix(ctx, x.answer, &y.Matrix)
	x.answer = append(x.answer, '}')
	return err
}

// class is the JSON answer for a row.
type class struct {
	Class         string    `json:"class"`
	Rejected      bool      `json:"rejected"`
	SqDistance    float64   `json:"sq_distance"`
	Probabilities []float64 `json:"probabilities"`
}

func (x *exchange) classify(ctx context.Context) error {
	if err := x.decodeRows(ctx); err != nil {
		return err
	}
	y := &x.classified
	if err := x.engine.Classify(ctx, &x.x, y); err != nil {
		return err
	}
	n, w := len(y.Classes), numberBytes(x.out)
	if err := x.takeAnswerMemory(ctx, len(y.Rows)*(n+8)); err != nil {
		return err
	}
	results := make([]class, 0, len(y.Rows))
	for i, r := range y.Rows {
		shares := y.Shares[i*n:][:n]
		if w == 0 {
			results = append(results, class{r.Name, r.Rejected, r.SqDistance, shares})
			continue
		}
		rejected := 0.
		if r.Rejected {
			rejected = 1
		}
		for _, v := range []float64{float64(r.Index), rejected, r.SqDistance} {
			x.answer = appendNumber(x.answer, w, v)
		}
		for _, v := range shares {
			x.answer = appendNumber(x.answer, w, v)
		}
	}
	if w > 0 {
		return nil
	}
	return x.setJSON(struct {
		Model   string   `json:"model"`
		Classes []string `json:"classes"`
		Results []class  `json:"results"`
	}{y.Model, y.Classes, results})
}

func (x *exchange) transport(ctx context.Context) error {
	if x.in != typeJSON {
		return fmt.Errorf("%w: transport takes %s", engine.ErrMediaType, typeJSON)
	}
	var p engine.Problem
	matrix := func(m *engine.Matrix) func([]byte) error {
		return func(value []byte) error { return decodeMatrix(ctx, m, value, math.MaxInt) }
	}
	vector := func(v *[]float64) func([]byte) error {
		return func(value []byte) (err error) {
			*v, err = appendNumbers(ctx, nil, value)
			return err
		}
	}
	if err := decodeObject(x.body.Bytes(), map[string]func([]byte) error{
		"x": matrix(&p.X), "y": matrix(&p.Y), "a": vector(&p.A), "b": vector(&p.B),
		"lambda": decodeValue(&p.Lambda, "a number"), "plan": decodeValue(&p.Plan, "a boolean"), "exact": decodeValue(&p.Exact, "a boolean"),
	}); err != nil {
		return err
	}
	var s engine.Solution
	if err := x.engine.Transport(ctx, &p, &s); err != nil {
		return err
	}
	err := x.setJSON(struct {
		Cost          float64  `json:"cost"`
		Gap           *float64 `json:"gap,omitempty"`
		MarginalError float64  `json:"marginal_error"`
		Iterations    int      `json:"iterations"`
		Status        string   `json:"status"`
	}{s.Cost, s.Gap, s.MarginalError, s.Iterations, s.Status})
	if err != nil || !p.Plan {
		return err
	}
	if err := x.takeAnswerMemory(ctx, len(s.Plan.Data)); err != nil {
		return err
	}
	x.answer, err = appendMatrix(ctx, append(x.answer[:len(x.answer)-1], `,"plan":`...), &s.Plan)
	x.answer = append(x.answer, '}')
	return err
}
