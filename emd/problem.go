package emd

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/fault"
)

// Problem is one transport problem between n source points and m target points. The cost is
// either a matrix, or the squared Euclidean distances between the rows of two point clouds.
//
// A solver never changes the data of a problem.
type Problem[T dist.Float] struct {
	// Cost is the n × m cost matrix M. All elements must be finite. Leave Cost zero to define the costs
	// by X and Y.
	Cost dist.Matrix[T]
	// X and Y are point clouds, n × p and m × p, with one point per row. X and Y may be the
	// same matrix.
	X, Y dist.Matrix[T]
	// A and B are the marginals: n and m weights. nil means uniform weights, 1/n or 1/m.
	//
	// Weights must be finite and not negative, and their sums must be positive. Unless Mass is set, the relative difference of
	// the sums of A and B must be at most 1e-6 (1e-4 for float32), and B is scaled to the sum of A. Weights are rounded to
	// multiples of a unit, which is about 2⁻¹⁰⁰ times the sum. Smaller positive weights become one unit.
	A, B []T
	// Mass, if positive, is the mass of the plan, and A and B are upper bounds of its marginals (partial transport). Mass
	// must not exceed the sum of A or the sum of B.
	Mass float64
}

// Errors of this package wrap one of these values, and describe the invalid value and its position. ErrShape, ErrNotFinite and
// ErrSettings are the same values as in packages sinkhorn and wda.
var (
	// ErrShape means that sizes do not match.
	ErrShape = fault.ErrShape
	// ErrNotFinite means that the input contains NaN, or an infinity that is not allowed. For a matrix, the error also wraps a
	// dist.PositionError.
	ErrNotFinite = fault.ErrNotFinite
	// ErrMarginals means that a weight is negative or not finite, that the sums of A and B differ, or that Mass exceeds one of
	// the sums.
	ErrMarginals = errors.New("bad marginals")
	// ErrSettings means that a setting is invalid, or that a problem needs more memory than Settings.MaxMemory.
	ErrSettings = fault.ErrSettings
	// ErrRange means that costs, or sums of costs, exceed the floating-point range.
	ErrRange = errors.New("costs exceed the floating-point range")
	// ErrInfeasible means that every assignment contains a pair with the cost +Inf.
	ErrInfeasible = errors.New("every assignment contains a forbidden pair")
)

// massTolerance returns the largest relative difference allowed between the sums of A and B.
func massTolerance[T dist.Float]() float64 {
	if num.IsFloat64[T]() {
		return 1e-6
	}
	return 1e-4
}

// checkMatrix returns an error if the sizes of m do not match its data.
func checkMatrix[T dist.Float](name string, m dist.Matrix[T]) error {
	switch {
	case m.Rows < 0 || m.Cols < 0:
		return fmt.Errorf("%w: %s has a negative size", ErrShape, name)
	case m.Rows == 0 || m.Cols == 0:
		return nil
	case m.Stride < m.Cols || (len(m.Data)-m.Cols)/m.Stride < m.Rows-1 || len(m.Data) < m.Cols:
		return fmt.Errorf("%w: %s has a stride or a length of Data that does not fit %d × %d elements", ErrShape, name, m.Rows, m.Cols)
	}
	return nil
}

// checkPoints returns an error unless X and Y are point clouds of the same dimension with finite coordinates. If the context
// ends, it skips the remaining coordinates.
func checkPoints[T dist.Float](ctx context.Context, x, y dist.Matrix[T]) error {
	for _, c := range [2]struct {
		name string
		m    dist.Matrix[T]
	}{{"X", x}, {"Y", y}} {
		if err := checkMatrix(c.name, c.m); err != nil {
			return err
		}
		if c.m.Rows == 0 || c.m.Cols == 0 {
			return fmt.Errorf("%w: %s is empty", ErrShape, c.name)
		}
		step := 1 + copiesPerCheck/c.m.Cols
		for i := range c.m.Rows {
			if i%step == 0 && ctx.Err() != nil {
				break
			}
			for l, v := range c.m.Data[i*c.m.Stride:][:c.m.Cols] {
				if v-v != 0 {
					return fmt.Errorf("%s: %w", c.name, &dist.PositionError{Row: i, Column: l, Value: float64(v), Err: ErrNotFinite})
				}
			}
		}
	}
	if x.Cols != y.Cols {
		return fmt.Errorf("%w: points of X have %d coordinates, points of Y have %d", ErrShape, x.Cols, y.Cols)
	}
	return nil
}

// checkWeights checks n weights and returns their sum, or 1 if w is nil. If the context ends first, it returns the context's
// cause.
func checkWeights[T dist.Float](ctx context.Context, name string, w []T, n int) (float64, error) {
	if w == nil {
		return 1, nil
	}
	if len(w) != n {
		return 0, fmt.Errorf("%w: %s has length %d, not %d", ErrShape, name, len(w), n)
	}
	var sum preciseSum
	for i, x := range w {
		if i%samplesPerCheck == 0 && ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if !(x >= 0) || math.IsInf(float64(x), 1) {
			return 0, fmt.Errorf("%w: %s[%d] is %v; weights must be finite and not negative", ErrMarginals, name, i, x)
		}
		sum.add(float64(x))
	}
	switch s := sum.value(); {
	case s == 0:
		return 0, fmt.Errorf("%w: all weights of %s are zero", ErrMarginals, name)
	case s > math.MaxFloat64/4:
		return 0, fmt.Errorf("%w: the sum of %s exceeds a quarter of the largest float64", ErrMarginals, name)
	default:
		return s, nil
	}
}

// checkSums returns an error if the sums of A and B differ, or if Mass exceeds one of them.
func checkSums[T dist.Float](sumA, sumB, mass float64) error {
	switch {
	case mass == 0:
		if tolerance := massTolerance[T](); math.Abs(sumA-sumB) > tolerance*max(sumA, sumB) {
			return fmt.Errorf("%w: A sums to %v and B to %v; they must agree to a relative %v, or Mass must be given", ErrMarginals, sumA, sumB, tolerance)
		}
	case !(mass > 0) || math.IsInf(mass, 1):
		return fmt.Errorf("%w: Mass is %v; it must be positive and finite, or 0 to move everything", ErrMarginals, mass)
	case mass > min(sumA, sumB)*(1+0x1p-50):
		return fmt.Errorf("%w: Mass is %v, but A sums to %v and B to %v", ErrMarginals, mass, sumA, sumB)
	}
	return nil
}

// preciseSum is a sum in twice the precision: the rounded sum hi, and the rounding error lo.
type preciseSum struct{ hi, lo float64 }

func (t *preciseSum) add(x float64) {
	s := t.hi + x
	d := s - t.hi
	t.lo += (t.hi - (s - d)) + (x - d)
	t.hi = s
}

// addProduct adds x·y without rounding the product.
func (t *preciseSum) addProduct(x, y float64) {
	p := float64(x * y)
	t.add(p)
	t.lo += num.FMA(x, y, -p)
}

func (t *preciseSum) value() float64 { return t.hi + t.lo }

// grow sets the length of *v to n. If grow must allocate, the capacity grows by at least a quarter, and the old elements
// are lost.
func grow[E any](v *[]E, n int) {
	if k := cap(*v); k < n {
		*v = nil
		*v = make([]E, max(n, k+k/4))
	}
	*v = (*v)[:n]
}
