package httpapi

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gomonge/monge/examples/service/server/engine"
)

// rows decodes the samples of a request to project or classify.
func (x *exchange) rows() error {
	if w := width(x.in); w > 0 {
		x.x = engine.Matrix{Data: x.x.Data}
		return decodeBinary(&x.x, x.body.Bytes(), w, x.engine.Info().Features)
	}
	return decodeSamples(x.engine, &x.x, x.body.Bytes())
}

// json sets the answer to that of v.
func (x *exchange) json(v any) (err error) {
	x.answer, err = json.Marshal(v)
	return err
}

func (x *exchange) project(ctx context.Context) error {
	if err := x.rows(); err != nil {
		return err
	}
	y := &x.projected
	if err := x.engine.Project(ctx, &x.x, y); err != nil {
		return err
	}
	if w := width(x.out); w > 0 {
		for _, v := range y.Data {
			x.answer = appendNumber(x.answer, w, v)
		}
		return nil
	}
	return x.json(struct {
		Model string     `json:"model"`
		Rows  jsonMatrix `json:"rows"`
	}{y.Model, jsonMatrix{&y.Matrix}})
}

// class is the answer for a row.
type class struct {
	Class         string    `json:"class"`
	Rejected      bool      `json:"rejected"`
	SqDistance    float64   `json:"sq_distance"`
	Probabilities []float64 `json:"probabilities"`
}

func (x *exchange) classify(ctx context.Context) error {
	if err := x.rows(); err != nil {
		return err
	}
	y := &x.classified
	if err := x.engine.Classify(ctx, &x.x, y); err != nil {
		return err
	}
	n, w := len(y.Classes), width(x.out)
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
	return x.json(struct {
		Model   string   `json:"model"`
		Classes []string `json:"classes"`
		Results []class  `json:"results"`
	}{y.Model, y.Classes, results})
}

func (x *exchange) transport(ctx context.Context) error {
	if x.in != typeJSON {
		return fmt.Errorf("%w: transport takes %s", engine.ErrMalformed, typeJSON)
	}
	var p engine.Problem
	in := struct {
		X      jsonMatrix `json:"x"`
		Y      jsonMatrix `json:"y"`
		A      jsonVector `json:"a"`
		B      jsonVector `json:"b"`
		Lambda float64    `json:"lambda"`
		Plan   bool       `json:"plan"`
	}{X: jsonMatrix{&p.X}, Y: jsonMatrix{&p.Y}}
	if err := decodeJSON(&in, x.body.Bytes()); err != nil {
		return err
	}
	p.A, p.B, p.Lambda, p.Plan = in.A, in.B, in.Lambda, in.Plan
	var s engine.Solution
	if err := x.engine.Transport(ctx, &p, &s); err != nil {
		return err
	}
	out := struct {
		Cost          float64     `json:"cost"`
		MarginalError float64     `json:"marginal_error"`
		Iterations    int         `json:"iterations"`
		Status        string      `json:"status"`
		Plan          *jsonMatrix `json:"plan,omitempty"`
	}{s.Cost, s.MarginalError, s.Iterations, s.Status, nil}
	if p.Plan {
		out.Plan = &jsonMatrix{&s.Plan}
	}
	return x.json(out)
}
