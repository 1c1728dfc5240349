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

// The input of fits: checks of samples and labels, parts of them, and rows that are not in memory.

// readInput checks the samples and returns those that a fit keeps in memory. These are x and labels. If x
// reads its rows from elsewhere, they are a sample of about limit rows (0 is the usual number), and source
// has all rows unless the sample has them.
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
	rows := dense.Rows(m)
	var bad error
	dense.EachRow(ctx, 0, r, d, func(i int) {
		if bad != nil {
			return
		}
		for j, v := range rows(i) {
			if v-v != 0 {
				bad = &PositionError{Row: i, Column: j, Value: v, Err: ErrNotFinite}
				return
			}
		}
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

// rowReader is samples that are not to be held in memory. ReadRows sets dst to the rows
// from first on, as many as have room in it; goroutines may call it at the same time.
type rowReader interface {
	mat.Matrix
	ReadRows(dst []float64, first int) error
}

// rowSource is a rowReader with the labels of its rows.
type rowSource struct {
	rows   rowReader
	labels []int
	counts []int // rows of every class
}

const (
	// exactSamples is the number of samples up to which MiniBatch evaluates J of all.
	exactSamples = 4096
	// exactClasses is the number of classes up to which J is of all pairs of classes whatever
	// the method: pairs are as many as half of its square, and more than these take seconds.
	exactClasses = 1024
	// sampleElements is how many numbers of a source are held: 64 MiB for each of the
	// copies that whitening and principal components make.
	sampleElements = 1 << 23
	// sourceBlock is the number of elements that are read at a time when all are.
	sourceBlock = 1 << 16
)

// sampleRows returns how many of the rows of d features are held, about. More than the
// features they are in any case, so that they span them.
func sampleRows(d int) int { return max(exactSamples, 2*d, sampleElements/d) }

// sourceNeeds are those of drawing from n rows of d features that are not in memory, of
// which held are: their copies when they are whitened and their components found.
func sourceNeeds(n, d, held int) []discriminant.Need {
	return []discriminant.Need{
		{What: fmt.Sprintf("the order of %d rows", n), Bytes: 8 * float64(n)},
		{What: fmt.Sprintf("a sample of %d rows of %d features", held, d), Bytes: 4 * 8 * float64(held) * float64(d)},
	}
}

// readSample checks all rows, in turn, and returns limit of them, about: of every class the
// same share, evenly spaced, but at least two.
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
		keep[c] = discriminant.EvenShare(count, limit, n)
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

// population returns all rows, to be arranged as the samples s of them and to enter the
// space of the fit.
func (src *rowSource) population(s *discriminant.Samples, sp *discriminant.Span) *discriminant.Population {
	p := &discriminant.Population{N: len(src.labels), Order: make([][]int, len(s.Classes))}
	index := make(map[int]int, len(s.Classes))
	for c, l := range s.Classes {
		p.Order[c], index[l] = make([]int, 0, s.Count(c)), c
	}
	for i, l := range src.labels {
		c := index[l]
		p.Order[c] = append(p.Order[c], i)
	}
	p.Read = func(ctx context.Context, dst *mat.Dense, rows []int) error {
		for i, r := range rows {
			row := dst.RawRowView(i)
			if err := src.readRows(row, r); err != nil {
				return err
			}
			if k := firstNotFinite(row); k >= 0 { // it was finite when all rows were checked
				return &PositionError{Row: r, Column: k, Value: row[k], Err: ErrNotFinite}
			}
			s.Arrange(row, row)
		}
		return sp.Enter(ctx, dst)
	}
	return p
}
