package dist

import "fmt"

// PositionError reports an invalid value in a matrix and its position. Row and Column count from 0.
// A PositionError wraps Err. Packages search, sinkhorn and wda return errors of this type.
type PositionError struct {
	Row, Column int
	Value       float64
	Err         error
}

// Error returns the text of Err with row, column and value.
func (e *PositionError) Error() string {
	return fmt.Sprintf("%v: row %d, column %d is %v", e.Err, e.Row, e.Column, e.Value)
}

// Unwrap returns Err.
func (e *PositionError) Unwrap() error { return e.Err }
