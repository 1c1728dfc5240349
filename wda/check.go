package wda

import (
	"context"
	"fmt"
	"runtime"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/dense"
	"gonum.org/v1/gonum/mat"
)

// checkSamples checks all of x and labels but what concerns the classes.
func checkSamples(ctx context.Context, x mat.Matrix, labels []int) error {
	if err := checkShape(x, labels); err != nil {
		return err
	}
	return checkFinite(ctx, x)
}

// checkShape checks that there are samples and as many labels.
func checkShape(x mat.Matrix, labels []int) error {
	if x == nil {
		return fmt.Errorf("%w: no samples", ErrShape)
	}
	n, d := x.Dims()
	if n == 0 || d == 0 {
		return fmt.Errorf("%w: no samples", ErrShape)
	}
	if len(labels) != n {
		return fmt.Errorf("%w: %d labels for %d samples", ErrLabels, len(labels), n)
	}
	return nil
}

// checkFinite names the first element of m that is not finite.
func checkFinite(ctx context.Context, m mat.Matrix) error {
	r, d := m.Dims()
	rows := rowsOf(m)
	var bad error
	rowByRow(ctx, 0, r, d, func(i int) {
		if bad != nil {
			return
		}
		for j, v := range rows(i) {
			if v-v != 0 {
				bad = &PositionError{i, j, v, ErrNotFinite}
				return
			}
		}
	})
	if bad != nil {
		return bad
	}
	return ended(ctx, nil)
}

// rowByRow calls f for lo ≤ i < hi, rows of d elements, in turn, until the context ends.
func rowByRow(ctx context.Context, lo, hi, d int, f func(i int)) {
	dense.Pass(ctx, hi-lo, d, func(i, j int) {
		for i += lo; i < lo+j; i++ {
			f(i)
		}
	})
}

// ended returns the context's cause if it has ended, and err otherwise.
//
// What takes a context and returns no error, or takes long before it returns one, stops
// when the context ends, with an unfinished result. Whoever has called for several such
// things asks once, here.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// rowsOf returns the function that returns a row of m, not to be changed, and valid
// until the next call: memory of m where it has rows, or a copy.
func rowsOf(m mat.Matrix) func(i int) []float64 {
	if v, ok := m.(*mat.Dense); ok {
		return v.RawRowView
	}
	_, c := m.Dims()
	row := make([]float64, c)
	return func(i int) []float64 { return mat.Row(row, i, m) }
}

func isNotFinite(v float64) bool { return v-v != 0 }

// firstNotFinite returns the index of the first element that is NaN or infinite, or -1.
func firstNotFinite[T dist.Float](v []T) int {
	for i, x := range v {
		if x-x != 0 {
			return i
		}
	}
	return -1
}

func defaultComponents(p, d int) (int, error) {
	if p == 0 {
		p = min(2, d)
	}
	if p < 1 || p > d {
		return p, fmt.Errorf("%w: %d components of %d features", ErrSettings, p, d)
	}
	return p, nil
}

func checkWorkers(workers int) error {
	if workers < 0 {
		return fmt.Errorf("%w: %d workers", ErrSettings, workers)
	}
	return nil
}

func workerCount(n int) int {
	if n == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}
