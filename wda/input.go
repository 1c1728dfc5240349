package wda

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// readInput checks the samples and returns the rows that a fit keeps in memory, with their labels. If
// x is a rowReader, readInput keeps a sample of the rows. limit is the approximate size of this
// sample; 0 means the default. The rowSource is nil if all rows are kept.
func readInput(ctx context.Context, x mat.Matrix, labels []int, limit int) (mat.Matrix, []int, *rowSource, error) {
	if err := checkShape(x, labels); err != nil {
		return nil, nil, nil, err
	}
	rows, ok := x.(rowReader)
	if !ok {
		return x, labels, nil, checkFinite(ctx, x)
	}
	src := &rowSource{rows: rows, labels: labels}
	part, partLabels, err := src.readSample(ctx, limit)
	if err != nil {
		return nil, nil, nil, err
	}
	if len(partLabels) == len(labels) {
		src = nil
	}
	return part, partLabels, src, nil
}

// checkSamples checks that x is not empty, that each row has a label, and that all elements are
// finite.
func checkSamples(ctx context.Context, x mat.Matrix, labels []int) error {
	if err := checkShape(x, labels); err != nil {
		return err
	}
	return checkFinite(ctx, x)
}

// checkShape checks that x has elements and that there is a label for each row.
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

// checkFinite returns a PositionError for the first element of m that is NaN or infinite.
func checkFinite(ctx context.Context, m mat.Matrix) error {
	r, d := m.Dims()
	row := rowsOf(m)
	var bad error
	dense.EachRow(ctx, 0, r, d, func(i int) {
		if bad != nil {
			return
		}
		v, err := row(i)
		if j := firstNotFinite(v); err == nil && j >= 0 {
			err = &PositionError{Row: i, Column: j, Value: v[j], Err: ErrNotFinite}
		}
		bad = err
	})
	if bad != nil {
		return bad
	}
	return fault.Ended(ctx, nil)
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

// rowReader is a matrix of samples that is not in memory. ReadRows fills dst with consecutive rows,
// beginning at row index first. Several goroutines may call ReadRows at the same time.
type rowReader interface {
	mat.Matrix
	ReadRows(dst []float64, first int) error
}

// rowsOf returns a function that returns row i of m, which is valid until the next call. The function
// calls ReadRows of a rowReader, because At would read a whole row for each element.
func rowsOf(m mat.Matrix) func(i int) ([]float64, error) {
	r, ok := m.(rowReader)
	if !ok {
		row := dense.Rows(m)
		return func(i int) ([]float64, error) { return row(i), nil }
	}
	_, d := m.Dims()
	row := make([]float64, d)
	return func(i int) ([]float64, error) { return row, r.ReadRows(row, i) }
}

// rowSource is a rowReader with the labels of its rows.
type rowSource struct {
	rows   rowReader
	labels []int
	counts []int // number of rows of each class
}

const (
	// exactSamples is the largest number of samples on which MiniBatch evaluates J by default.
	exactSamples = 4096
	// exactClasses is the largest number of classes for which all pairs of classes are evaluated,
	// unless the caller chose an exact method. With more classes, one evaluation takes seconds.
	exactClasses = 1024
	// sampleElements is the number of elements in the sample of a rowSource: 64 MiB for each of the
	// copies that whitening and principal components make.
	sampleElements = 1 << 23
	// sourceBlock is the number of elements that are read at a time when all rows are checked.
	sourceBlock = 1 << 16
)

// sampleRows returns the default number of rows in a sample of a rowSource with d features. There
// are more rows than features, so that the rows span all features.
func sampleRows(d int) int { return max(exactSamples, 2*d, sampleElements/d) }

// sourceNeeds returns the memory that is needed for a sample of held rows out of n rows with d
// features, and for the copies of the sample that whitening and principal components make.
func sourceNeeds(n, d, held int) []discriminant.Need {
	return []discriminant.Need{
		{Purpose: fmt.Sprintf("the order of %d rows", n), Bytes: 8 * float64(n)},
		{Purpose: fmt.Sprintf("a sample of %d rows of %d features", held, d), Bytes: 4 * 8 * float64(held) * float64(d)},
	}
}

// readSample checks all rows and returns a sample of about limit rows. The sample contains the same
// fraction of each class, but at least two rows. The selected rows of a class are evenly spaced.
func (src *rowSource) readSample(ctx context.Context, limit int) (*mat.Dense, []int, error) {
	n, d := src.rows.Dims()
	if limit == 0 {
		limit = sampleRows(d)
	}
	limit = min(limit, n)
	if err := discriminant.CheckMemory(sourceNeeds(n, d, limit)...); err != nil {
		return nil, nil, err
	}
	classes, err := discriminant.ClassesOf(src.labels)
	if err != nil {
		return nil, nil, err
	}
	src.counts = make([]int, len(classes.Labels))
	keep, all := make([]int, len(classes.Labels)), 0
	for c := range keep {
		count := classes.Offset[c+1] - classes.Offset[c]
		src.counts[c] = count
		keep[c] = discriminant.ClassQuota(count, limit, n)
		if limit == n {
			keep[c] = count
		}
		all += keep[c]
	}
	x, labels := mat.NewDense(all, d, nil), make([]int, 0, all)
	seen, kept := make([]int, len(keep)), make([]int, len(keep))
	block := make([]float64, max(1, sourceBlock/d)*d)
	for first := 0; first < n; first += len(block) / d {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		rows := block[:min(len(block), (n-first)*d)]
		if err := src.readRows(rows, first); err != nil {
			return nil, nil, err
		}
		for k, v := range rows {
			if isNotFinite(v) {
				return nil, nil, &PositionError{Row: first + k/d, Column: k % d, Value: v, Err: ErrNotFinite}
			}
		}
		for i := range len(rows) / d {
			l := src.labels[first+i]
			c := classes.Index[l]
			count := src.counts[c]
			if kept[c] < keep[c] && seen[c] == kept[c]*count/keep[c] {
				copy(x.RawRowView(len(labels)), rows[i*d:])
				labels = append(labels, l)
				kept[c]++
			}
			seen[c]++
		}
	}
	return x, labels, nil
}

func (src *rowSource) readRows(dst []float64, first int) error {
	if err := src.rows.ReadRows(dst, first); err != nil {
		return fmt.Errorf("reading from row %d on: %w", first, err)
	}
	return nil
}

// population returns all rows as a Population. The rows are transformed like the samples s, and
// then expressed in coordinates of the span sp.
func (src *rowSource) population(s *discriminant.Samples, sp *discriminant.Span) *discriminant.Population {
	p := &discriminant.Population{N: len(src.labels), RowsByClass: make([][]int, len(s.Classes))}
	index := make(map[int]int, len(s.Classes))
	for c, l := range s.Classes {
		p.RowsByClass[c], index[l] = make([]int, 0, s.CompleteSize(c)), c
	}
	for i, l := range src.labels {
		c := index[l]
		p.RowsByClass[c] = append(p.RowsByClass[c], i)
	}
	p.Read = func(ctx context.Context, dst *mat.Dense, rows []int) error {
		for i, r := range rows {
			row := dst.RawRowView(i)
			if err := src.readRows(row, r); err != nil {
				return err
			}
			if k := firstNotFinite(row); k >= 0 { // an earlier check found only finite numbers, so the row has changed since
				return &PositionError{Row: r, Column: k, Value: row[k], Err: ErrNotFinite}
			}
			s.NormalizeRow(row, row)
		}
		return sp.WhitenRows(ctx, dst)
	}
	return p
}
