package wda

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/internal/dense"
	"gonum.org/v1/gonum/mat"
)

// population is what mini-batches are drawn from: the samples of a fit, or the rows of a
// file of which these are a part.
type population struct {
	n     int
	order [][]int // the rows of every class
	// read sets dst to rows, as samples of the fit.
	read func(ctx context.Context, dst *mat.Dense, rows []int) error
}

// population returns that of samples in memory.
func (s *samples) population() *population {
	p := &population{n: s.n, order: make([][]int, len(s.classes))}
	for c := range s.classes {
		for i := s.offset[c]; i < s.offset[c+1]; i++ {
			p.order[c] = append(p.order[c], i)
		}
	}
	p.read = func(_ context.Context, dst *mat.Dense, rows []int) error {
		for i, r := range rows {
			copy(dst.RawRowView(i), s.x.RawRowView(r))
		}
		return nil
	}
	return p
}

// rowReader is samples that are not to be held in memory. ReadRows sets dst to the rows
// from first on, as many as have room in it; goroutines may call it at the same time.
type rowReader interface {
	mat.Matrix
	ReadRows(dst []float64, first int) error
}

// source is a rowReader with the labels of its rows.
type source struct {
	rows   rowReader
	labels []int
}

const (
	// heldElements is how many numbers of a source are held: 64 MiB for each of the
	// copies that whitening and principal components make.
	heldElements = 1 << 23
	// sourceBlock is the number of elements that are read at a time when all are.
	sourceBlock = 1 << 16
)

// heldRows returns how many of the rows of d features are held, about. More than the
// features they are in any case, so that they span them.
func heldRows(d int) int { return max(exactSamples, 2*d, heldElements/d) }

// sample checks all rows, in turn, and returns limit of them, about: of every class the
// same share, evenly spaced, but at least two.
func (src *source) sample(ctx context.Context, limit int) (*mat.Dense, []int, error) {
	n, d := src.rows.Dims()
	limit = min(limit, n)
	if err := checkNeeds(sourceNeeds(n, d, limit)...); err != nil {
		return nil, nil, err
	}
	classes, err := classesOf(src.labels)
	if err != nil {
		return nil, nil, err
	}
	keep, all := make([]int, len(classes.labels)), 0
	for c := range keep {
		count := classes.offset[c+1] - classes.offset[c]
		keep[c] = max(2, int(float64(count)*float64(limit)/float64(n)))
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
		if err := src.read(rows, first); err != nil {
			return nil, nil, err
		}
		for k, v := range rows {
			if isNotFinite(v) {
				return nil, nil, &PositionError{first + k/d, k % d, v, ErrNotFinite}
			}
		}
		for i := range len(rows) / d {
			l := src.labels[first+i]
			c := classes.index[l]
			count := classes.offset[c+1] - classes.offset[c]
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

func (src *source) read(dst []float64, first int) error {
	if err := src.rows.ReadRows(dst, first); err != nil {
		return fmt.Errorf("wda: reading from row %d on: %w", first, err)
	}
	return nil
}

// counts returns the number of rows of every class.
func (src *source) counts() []int {
	classes, err := classesOf(src.labels)
	if err != nil {
		panic(err) // sample has seen it
	}
	counts := make([]int, len(classes.labels))
	for c := range counts {
		counts[c] = classes.offset[c+1] - classes.offset[c]
	}
	return counts
}

// population returns all rows, to be arranged as the samples s of them and to enter the
// space of the fit.
func (src *source) population(s *samples, sp *span) *population {
	p := &population{n: len(src.labels), order: make([][]int, len(s.classes))}
	index := make(map[int]int, len(s.classes))
	for c, l := range s.classes {
		p.order[c], index[l] = make([]int, 0, s.count(c)), c
	}
	for i, l := range src.labels {
		c := index[l]
		p.order[c] = append(p.order[c], i)
	}
	p.read = func(ctx context.Context, dst *mat.Dense, rows []int) error {
		for i, r := range rows {
			row := dst.RawRowView(i)
			if err := src.read(row, r); err != nil {
				return err
			}
			if k := firstNotFinite(row); k >= 0 { // it was finite when all rows were checked
				return &PositionError{r, k, row[k], ErrNotFinite}
			}
			s.arrange(row, row)
			for j, f := range sp.factor {
				row[j] *= f
			}
		}
		if sp.white == nil {
			return nil
		}
		return sp.white.SolveRows(ctx, dense.View(dst))
	}
	return p
}
