package wda

import (
	"errors"
	"fmt"

	"github.com/gomonge/monge/internal/fault"
)

// What can be wrong with data or settings. Errors wrap one of these and say where.
// Those of package sinkhorn of the same name are the same; baseline and dataset, which
// have no names for them, return them, too.
var (
	ErrShape     = fault.ErrShape
	ErrNotFinite = fault.ErrNotFinite
	// ErrSettings: a setting is out of range, as more components than features are, or
	// settings imply more memory than they may.
	ErrSettings = fault.ErrSettings
	// ErrLabels: they are not as many as samples, all the same, or one is that of a single
	// sample.
	ErrLabels = fault.ErrLabels
	// ErrNoSpread: there is no distance to speak of, between the classes or within
	// them, so that the ratio is 0 or infinite.
	ErrNoSpread = errors.New("wda: samples do not differ")
	// ErrModel: a model file is damaged, or of a version that this library cannot read.
	ErrModel = errors.New("wda: not a valid model")
)

// PositionError is a bad value in the data. Row and Column count from 0.
type PositionError struct {
	Row, Column int
	Value       float64
	Err         error
}

func (e *PositionError) Error() string {
	return fmt.Sprintf("%v: row %d, column %d is %v", e.Err, e.Row, e.Column, e.Value)
}

func (e *PositionError) Unwrap() error { return e.Err }
