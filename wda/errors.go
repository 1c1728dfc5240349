package wda

import (
	"errors"
	"fmt"
)

// What can be wrong with data or settings. Errors wrap one of these and say where.
var (
	ErrShape      = errors.New("wda: shapes do not match")
	ErrNotFinite  = errors.New("wda: value is not finite")
	ErrLabels     = errors.New("wda: bad labels")
	ErrOneClass   = errors.New("wda: all samples are of one class")
	ErrSingleton  = errors.New("wda: a class has only one sample")
	ErrComponents = errors.New("wda: number of components out of range")
	ErrSettings   = errors.New("wda: bad settings")
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
