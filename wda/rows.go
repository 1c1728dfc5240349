package wda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/dense"
	"gonum.org/v1/gonum/mat"
)

// What is done with rows of a matrix and their labels, whatever they mean: checks, passes, parts.

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

// classes are the labels of samples, ascending, and where each would begin if samples
// were sorted by them.
type classes struct {
	labels []int
	offset []int
	index  map[int]int
}

// classesOf returns the classes of labels, at least two of at least two samples.
func classesOf(labels []int) (*classes, error) {
	k := &classes{index: map[int]int{}}
	for _, l := range labels {
		if _, ok := k.index[l]; !ok {
			k.index[l] = 0
			k.labels = append(k.labels, l)
		}
	}
	if len(k.labels) < 2 {
		return nil, fmt.Errorf("%w: all samples have the label %d; at least two classes are needed", ErrLabels, labels[0])
	}
	slices.Sort(k.labels)
	for c, l := range k.labels {
		k.index[l] = c
	}
	k.offset = make([]int, len(k.labels)+1)
	for _, l := range labels {
		k.offset[k.index[l]+1]++
	}
	for c, count := range k.offset[1:] {
		if count == 1 {
			return nil, fmt.Errorf("%w: a class has only one sample: row %d alone has label %d", ErrLabels, slices.Index(labels, k.labels[c]), k.labels[c])
		}
	}
	for c := range k.labels {
		k.offset[c+1] += k.offset[c]
	}
	return k, nil
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
// Functions that take a context, but return no error, stop when the context ends and leave
// their result unfinished. Their caller then calls ended once, after several of them.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// timerLate bounds the time that a timer is waited for.
const timerLate = time.Second

// overdue waits until the context has ended if its deadline is past. A solver looks at the clock
// and may see the deadline before the context's timer does, and only the timer sets the cause.
func overdue(ctx context.Context) {
	end, ok := ctx.Deadline()
	if !ok || time.Now().Before(end) {
		return
	}
	wait := time.NewTimer(timerLate)
	defer wait.Stop()
	select {
	case <-ctx.Done():
	case <-wait.C:
	}
}

func largestElement(ctx context.Context, m mat.Matrix) float64 {
	var hi float64
	r, d := m.Dims()
	rows := rowsOf(m)
	rowByRow(ctx, 0, r, d, func(i int) {
		for _, v := range rows(i) {
			hi = max(hi, math.Abs(v))
		}
	})
	return hi
}

// multiplyColumns multiplies column j of x by f_j.
func multiplyColumns(ctx context.Context, x *mat.Dense, f []float64) {
	rowByRow(ctx, 0, x.RawMatrix().Rows, len(f), func(i int) {
		row := x.RawRowView(i)
		for j, v := range f {
			row[j] *= v
		}
	})
}

// subset copies rows.
func subset(ctx context.Context, x mat.Matrix, labels, rows []int) (*mat.Dense, []int) {
	_, d := x.Dims()
	out, l := mat.NewDense(len(rows), d, nil), make([]int, len(rows))
	rowByRow(ctx, 0, len(rows), d, func(i int) {
		mat.Row(out.RawRowView(i), rows[i], x)
		l[i] = labels[rows[i]]
	})
	return out, l
}

// shuffledClasses returns the rows of every class, in the order of the labels, each
// in random order.
func shuffledClasses(labels []int, rng *rand.Rand) [][]int {
	rows := map[int][]int{}
	for i, l := range labels {
		rows[l] = append(rows[l], i)
	}
	var out [][]int
	for _, l := range slices.Compact(slices.Sorted(slices.Values(labels))) {
		r := rows[l]
		rng.Shuffle(len(r), func(i, j int) { r[i], r[j] = r[j], r[i] })
		out = append(out, r)
	}
	return out
}

// spaced returns at most limit of the numbers 0 … n−1, evenly spaced.
func spaced(n, limit int) []int {
	k := min(n, limit)
	at := make([]int, k)
	for i := range at {
		at[i] = i * n / k
	}
	return at
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
