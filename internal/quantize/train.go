package quantize

import (
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/internal/random"
)

const (
	// rowsPerVector is the maximum number of training rows for each vector of a codebook. More rows
	// would barely change the codebook.
	rowsPerVector = 64
	// maxRotations limits the number of rotations. Training makes firstSteps k-means steps before
	// the first rotation, one step between two rotations, and lastSteps steps after the last
	// rotation.
	maxRotations, firstSteps, lastSteps = 30, 8, 12
	// assignRows is the number of rows whose distances are in memory at a time.
	assignRows = 128
)

// Train learns a Quantizer with the given parts and bits for the rows y (n × dim). An encoded row
// takes parts·bits/8 bytes. Train uses up to 64 equally spaced rows for each vector of a codebook.
// workers is the largest number of goroutines, or 0 for GOMAXPROCS. The result does not depend on
// workers.
//
// Training alternates k-means steps in the parts with updates of the rotation. An update minimizes
// the distance between rows and decoded rows. The best rotation is nearly the polar factor of Σ_i
// x̂_i y_iᵀ (Ge, He, Ke and Sun, 2013, algorithm 1). The first rotation maps rows to their
// principal components. The components are distributed to the parts so that the products of the
// variances in the parts are balanced (section 3.2 of the paper).
//
// The error wraps ErrRange or is context.Cause(ctx). Train checks ctx every 128 rows.
func Train(ctx context.Context, y matrix.Matrix[float64], parts, bits, workers int) (*Quantizer, error) {
	if err := CheckRange(y); err != nil {
		return nil, err
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	t := newTrainer(y, parts, bits, workers)
	if err := t.initializeRotation(ctx); err != nil {
		return nil, err
	}
	last := math.Inf(1)
	for range maxRotations {
		steps := 1
		if math.IsInf(last, 1) {
			steps = firstSteps
		}
		loss, err := t.trainStep(ctx, steps)
		if err != nil {
			return nil, err
		}
		if !(loss < last*(1-1e-3)) {
			break
		}
		last = loss
		if ok, err := t.updateRotation(ctx); err != nil {
			return nil, err
		} else if !ok {
			break
		}
	}
	if _, err := t.trainStep(ctx, lastSteps); err != nil {
		return nil, err
	}
	return t.q, nil
}

// trainer holds the state of Train.
type trainer struct {
	q       *Quantizer
	rows    matrix.Matrix[float64] // training rows
	rotated matrix.Matrix[float32] // rotated training rows
	decoded matrix.Matrix[float64] // training rows decoded from their codes, still rotated
	workers int
	begun   bool
	pool    parallel.Pool
	scratch []assigner // for each goroutine
	losses  []float64  // for each part
}

func newTrainer(all matrix.Matrix[float64], parts, bits, workers int) *trainer {
	n := min(all.Rows, rowsPerVector<<bits)
	dim := all.Cols
	y := matrix.New[float64](n, dim, nil)
	for i := range n {
		copy(y.Row(i), all.Row(i*all.Rows/n))
	}
	workers = parallel.Workers(workers, parts)
	return &trainer{
		q:    New(parts, bits, matrix.New[float64](dim, dim, nil), matrix.New[float32](dim, 1<<bits, nil)),
		rows: y, rotated: matrix.New[float32](n, dim, nil), decoded: matrix.New[float64](n, dim, nil),
		workers: workers, scratch: make([]assigner, workers), losses: make([]float64, parts),
	}
}

// initializeRotation sets the rotation to the principal components. It distributes the components
// among the parts of a row so that the products of their variances are similar.
func (t *trainer) initializeRotation(ctx context.Context) error {
	n, dim := t.rows.Rows, t.rows.Cols
	centered, mean := matrix.New[float64](n, dim, nil), make([]float64, dim)
	for i := range n {
		algebra.Axpy(1, t.rows.Row(i), mean)
	}
	algebra.Scale(mean, 1/float64(n))
	for i := range n {
		for k, x := range t.rows.Row(i) {
			centered.Set(i, k, x-mean[k])
		}
	}
	cov := matrix.New[float64](dim, dim, nil)
	dense.TransProduct(ctx, cov, centered, centered, false)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	values, v, ok := algebra.Eigen(ctx, cov)
	if !ok {
		return context.Cause(ctx) // the elements are finite, so the context has ended
	}
	next := make([]int, t.q.parts) // position of the next component in every part
	logs := make([]float64, t.q.parts)
	for j := range next {
		next[j], _ = t.q.partRange(j)
	}
	for c, value := range values {
		best := -1
		for j := range next {
			if _, end := t.q.partRange(j); next[j] < end && (best < 0 || logs[j] < logs[best]) {
				best = j
			}
		}
		// Add ln(1 + 2⁴⁰·v/w) for the variance v of the component and the largest variance w. No
		// logarithm is negative, so an empty part has the smallest sum.
		logs[best] += num.Log(1 + float64(max(0, value/max(values[0], math.SmallestNonzeroFloat64))*0x1p40))
		for k := range dim {
			t.q.rotation.Set(next[best], k, v.At(k, c))
		}
		next[best]++
	}
	return nil
}

// updateRotation sets the rotation that minimizes the distance between rows and decoded rows. It
// reports whether such a rotation can be computed.
func (t *trainer) updateRotation(ctx context.Context) (bool, error) {
	dim := t.rows.Cols
	cross := matrix.New[float64](dim, dim, nil)
	dense.TransProduct(ctx, cross, t.decoded, t.rows, false)
	return polar(ctx, t.q.rotation, cross), context.Cause(ctx)
}

// trainStep rotates the rows, makes the given number of k-means steps in every part, and returns
// the mean squared distance between rows and decoded rows.
func (t *trainer) trainStep(ctx context.Context, steps int) (float64, error) {
	n := t.rows.Rows
	if err := t.q.rotateAll(ctx, t.rotated, t.rows); err != nil {
		return 0, err
	}
	err := t.pool.Run(ctx, t.workers, t.q.parts, func(ctx context.Context, w, part int) (err error) {
		t.losses[part], err = t.clusterPart(ctx, &t.scratch[w], part, steps)
		return err
	})
	if err != nil {
		return 0, err
	}
	t.begun = true
	var loss float64
	for _, l := range t.losses {
		loss += l
	}
	return loss / float64(n), nil
}

// clusterPart makes k-means steps (S. Lloyd, 1982) in one part. It returns the sum of the squared
// distances after the last assignment.
func (t *trainer) clusterPart(ctx context.Context, a *assigner, at, steps int) (float64, error) {
	lo, hi := t.q.partRange(at)
	z, book := t.rotated.ColRange(lo, hi), t.q.codebook.RowRange(lo, hi)
	if !t.begun {
		initializeCodebook(book, z, uint64(at))
	}
	for range steps {
		if _, err := a.assign(ctx, z, book); err != nil {
			return 0, err
		}
		a.updateCodebook(z, book)
	}
	loss, err := a.assign(ctx, z, book)
	for i := range z.Rows {
		for k := lo; k < hi; k++ {
			t.decoded.Set(i, k, float64(t.q.codebook.At(k, a.code[i])))
		}
	}
	return loss, err
}

// initializeCodebook sets the columns of book to random rows of z. It repeats rows only if z has
// fewer rows than book has columns.
func initializeCodebook(book, z matrix.Matrix[float32], stream uint64) {
	order := random.New(0, stream).Perm(z.Rows)
	for c := range book.Cols {
		for k := range book.Rows {
			book.Set(k, c, z.At(order[c%z.Rows], k))
		}
	}
}

// assigner is the memory of one goroutine that assigns rows to the vectors of a codebook.
type assigner struct {
	code      []int
	distance  []float32 // distance from each row to its vector
	distances []float32 // distances from a block of rows to all vectors
	sums      []float64
	counts    []int
}

// assign finds the column of the codebook that is nearest to each row of z. If several columns
// tie, assign chooses the first of them. It returns the sum of the squared distances.
func (a *assigner) assign(ctx context.Context, z, book matrix.Matrix[float32]) (loss float64, err error) {
	n, size := z.Rows, book.Cols
	a.code, a.distance = slices.Grow(a.code[:0], n)[:n], slices.Grow(a.distance[:0], n)[:n]
	a.distances = slices.Grow(a.distances[:0], assignRows*size)[:assignRows*size]
	for i := 0; i < n; i += assignRows {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		rows := min(assignRows, n-i)
		d := matrix.New(rows, size, a.distances[:rows*size])
		matrix.SqEuclideanTrans(d, z.RowRange(i, i+rows), book)
		for r := range rows {
			row := d.Row(r)
			at, best := 0, row[0]
			for c, x := range row {
				if x < best {
					at, best = c, x
				}
			}
			a.code[i+r], a.distance[i+r] = at, best
			loss += float64(best)
		}
	}
	return loss, nil
}

// updateCodebook sets every vector to the mean of the rows assigned to the vector. A vector without
// rows becomes a copy of the row with the largest distance from its assigned vector.
func (a *assigner) updateCodebook(z, book matrix.Matrix[float32]) {
	w, size := book.Rows, book.Cols
	a.sums, a.counts = slices.Grow(a.sums[:0], w*size)[:w*size], slices.Grow(a.counts[:0], size)[:size]
	clear(a.sums)
	clear(a.counts)
	for i := range z.Rows {
		c := a.code[i]
		a.counts[c]++
		sum := a.sums[c*w:][:w]
		for k, x := range z.Row(i) {
			sum[k] += float64(x)
		}
	}
	for c := range size {
		if a.counts[c] == 0 {
			far := 0
			for i, d := range a.distance {
				if d > a.distance[far] {
					far = i
				}
			}
			a.distance[far] = 0
			for k, x := range z.Row(far) {
				book.Set(k, c, x)
			}
			continue
		}
		for k := range w {
			book.Set(k, c, float32(a.sums[c*w+k]/float64(a.counts[c])))
		}
	}
}

// Encode returns the codes of the rows y (n × Dim), Parts bytes for each row. A code is the index
// of the nearest vector, or of the first of several nearest vectors. The error wraps ErrRange or is
// context.Cause(ctx).
func (q *Quantizer) Encode(ctx context.Context, y matrix.Matrix[float64]) ([]byte, error) {
	if err := CheckRange(y); err != nil {
		return nil, err
	}
	n, dim := y.Rows, q.Dim()
	out := make([]byte, n*q.parts)
	var a assigner
	z := matrix.New[float32](min(n, chunkRows), dim, nil)
	for i := 0; i < n; i += chunkRows {
		j := min(i+chunkRows, n)
		some := z.RowRange(0, j-i)
		if err := q.rotateAll(ctx, some, y.RowRange(i, j)); err != nil {
			return nil, err
		}
		for at := range q.parts {
			lo, hi := q.partRange(at)
			if _, err := a.assign(ctx, some.ColRange(lo, hi), q.codebook.RowRange(lo, hi)); err != nil {
				return nil, err
			}
			for r, c := range a.code {
				out[(i+r)*q.parts+at] = byte(c)
			}
		}
	}
	return out, nil
}
