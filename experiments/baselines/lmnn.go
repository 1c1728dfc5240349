package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/projection"
	"gonum.org/v1/gonum/mat"
)

// LMNN is the metric of large margin nearest neighbors (K. Q. Weinberger and L. K. Saul, "Distance metric
// learning for large margin nearest neighbor classification", JMLR 10, 2009), for dimensionality
// reduction. P is a local minimum of the loss of section 3.2,
//
//	(1−μ) Σ_i Σ_j ‖Pᵀ(x_i − x_j)‖² + μ Σ_i Σ_j Σ_l max(0, 1 + ‖Pᵀ(x_i − x_j)‖² − ‖Pᵀ(x_i − x_l)‖²)
//
// Here j runs over the k target neighbors of sample i, that is, the nearest samples of the same
// class in the original feature space. The index l runs over the samples of other classes. A class
// of n_c ≤ k samples has n_c − 1 target neighbors.
//
// The columns have no fixed length. Their length follows from the margin, which is 1. The result
// depends on the units of the features.
//
// The minimizer is L-BFGS, started at PCA. Because of the hinge loss, the line search looks for a
// point that satisfies the weak Wolfe conditions (A. S. Lewis and M. L. Overton, Mathematical
// Programming 141, 2013). If there are several local minima, the result may depend on rounding
// errors. A step takes time n²·p.
type LMNN struct {
	// Neighbors is the number k of target neighbors. Default 3.
	Neighbors int
	// Push is the weight μ of the hinge terms, 0 < μ < 1. Default 0.5, as in the paper.
	Push float64
	// MaxSteps bounds the steps of the minimizer. Default 500.
	MaxSteps int
}

// String returns "LMNN".
func (LMNN) String() string { return "LMNN" }

func (m LMNN) filled() (projection.Method, bool) {
	if m.Neighbors == 0 {
		m.Neighbors = 3
	}
	if m.Push == 0 {
		m.Push = 0.5
	}
	if m.MaxSteps == 0 {
		m.MaxSteps = 500
	}
	return projection.Method{Labeled: true, Pairs: true, Inverse: true, Fit: m.fit}, m.Neighbors > 0 && m.MaxSteps > 0 && m.Push > 0 && m.Push < 1
}

func (m LMNN) fit(ctx context.Context, x *mat.Dense, labels []int, p int) (*mat.Dense, error) {
	_, d := x.Dims()
	basis, c, err := sampleSpan(ctx, projection.Centered(ctx, x))
	if err != nil {
		return nil, err
	}
	f := newMargin(ctx, c, labels, m.Neighbors, m.Push)
	_, r := c.Dims()
	q := min(p, r)
	start, err := components(ctx, c, q)
	if err != nil {
		return nil, err
	}
	v, err := f.minimize(ctx, start, m.MaxSteps)
	if err != nil {
		return nil, err
	}
	return liftColumns(ctx, basis, v, d, p), nil
}

// margin is the loss of LMNN.
type margin struct {
	x       *mat.Dense
	labels  []int
	targets [][]int
	push    float64
}

// newMargin finds the target neighbors.
func newMargin(ctx context.Context, x *mat.Dense, labels []int, k int, push float64) *margin {
	n, _ := x.Dims()
	f := &margin{x: x, labels: labels, targets: make([][]int, n), push: push}
	for _, rows := range projection.ClassRows(labels) {
		xc := projection.Gather(ctx, x, rows)
		d := sqDistances(ctx, xc, xc)
		for i, r := range rows {
			if ctx.Err() != nil {
				return f
			}
			order := make([]int, 0, len(rows)-1)
			for j := range rows {
				if j != i {
					order = append(order, j)
				}
			}
			row := d.RawRowView(i)
			slices.SortStableFunc(order, func(a, b int) int {
				switch {
				case row[a] < row[b]:
					return -1
				case row[a] > row[b]:
					return 1
				}
				return 0
			})
			for _, j := range order[:min(k, len(order))] {
				f.targets[r] = append(f.targets[r], rows[j])
			}
		}
	}
	return f
}

// value returns the loss at p and the number of hinge terms that are positive. Unless grad is nil,
// value sets grad to the gradient.
func (f *margin) value(ctx context.Context, grad, p *mat.Dense) (loss float64, active int) {
	y := projection.Product(ctx, f.x, p)
	n, q := y.Dims()
	g := mat.NewDense(n, q, nil)
	// pair adds the gradient of w·‖y_i − y_j‖² to g.
	pair := func(i, j int, w float64) {
		yi, yj, gi, gj := y.RawRowView(i), y.RawRowView(j), g.RawRowView(i), g.RawRowView(j)
		for c := range yi {
			v := float64(2 * w * (yi[c] - yj[c]))
			gi[c] += v
			gj[c] -= v
		}
	}
	distances := mat.NewDense(min(blockRows, n), n, nil)
	var counts []int
	for from := 0; from < n && ctx.Err() == nil; from += blockRows {
		rows := min(blockRows, n-from)
		dist.SqEuclidean(dense.View(distances).RowRange(0, rows), dense.View(y).RowRange(from, from+rows), dense.View(y))
		for i := from; i < from+rows; i++ {
			targets := f.targets[i]
			if len(targets) == 0 {
				continue
			}
			row := distances.RawRowView(i - from)
			far := 0.
			for _, j := range targets {
				far = max(far, row[j])
				loss = math.FMA(1-f.push, row[j], loss)
			}
			counts = append(counts[:0], make([]int, len(targets))...)
			for l, dl := range row {
				if dl >= 1+far || f.labels[l] == f.labels[i] {
					continue
				}
				times := 0
				for t, j := range targets {
					if h := 1 + row[j] - dl; h > 0 {
						loss = math.FMA(f.push, h, loss)
						counts[t]++
						times++
					}
				}
				active += times
				if grad != nil {
					pair(i, l, -f.push*float64(times))
				}
			}
			if grad != nil {
				for t, j := range targets {
					pair(i, j, math.FMA(f.push, float64(counts[t]), 1-f.push))
				}
			}
		}
	}
	if grad != nil {
		pullBack(ctx, grad, f.x, g)
	}
	return loss, active
}

// pullBack sets grad to xᵀg. If g is the gradient with respect to the projected samples, xᵀg is the
// gradient with respect to the projection matrix.
func pullBack(ctx context.Context, grad, x, g *mat.Dense) {
	var t mat.Dense // transposed gradient; the product is faster with the wider operand on the right
	dense.TransMul(ctx, &t, g, x)
	grad.Copy(t.T())
}

func (f *margin) evaluate(ctx context.Context, p, grad *mat.Dense) (float64, error) {
	loss, _ := f.value(ctx, grad, p)
	return loss, ctx.Err()
}

// criterion is a function to be minimized over projection matrices.
type criterion interface {
	evaluate(ctx context.Context, p, grad *mat.Dense) (float64, error)
}

// A bound is a criterion with a context for its calls. The methods of descent.Problem have no
// context parameter.
type bound struct {
	criterion
	ctx context.Context
}

// Evaluate implements descent.Problem.
func (b bound) Evaluate(p, grad *mat.Dense) (float64, error) { return b.evaluate(b.ctx, p, grad) }

func (f *margin) minimize(ctx context.Context, start *mat.Dense, steps int) (*mat.Dense, error) {
	if first, _ := f.value(ctx, nil, start); first == 0 {
		return start, nil // every projected sample is equal to its target neighbors
	}
	return minimizeFreely(ctx, f, start, steps)
}

// minimizeFreely finds a local minimum of f over all matrices by L-BFGS. The first iterate is
// start.
func minimizeFreely(ctx context.Context, f criterion, start *mat.Dense, steps int) (*mat.Dense, error) {
	d, q := start.Dims()
	r, err := descent.Minimize(ctx, bound{f, ctx}, descent.Euclidean{Rows: d, Cols: q}, start, &descent.Settings{
		Method: descent.LBFGS, MaxSteps: steps, GradientTolerance: 1e-9, FunctionTolerance: 1e-7, StepTolerance: -1,
	})
	if r == nil {
		return nil, fmt.Errorf("%w: %w", projection.ErrFactorize, err)
	}
	// If the minimization ends early, for example at a kink, r still has the best point found.
	return r.Point, nil
}
