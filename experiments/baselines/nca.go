package baselines

import (
	"context"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/projection"
	"gonum.org/v1/gonum/mat"
)

// NCA is neighborhood components analysis (J. Goldberger, S. Roweis, G. Hinton and R.
// Salakhutdinov, "Neighbourhood components analysis", NIPS 17, 2004). Every sample chooses a random
// neighbor. Close neighbors have a higher probability. P is a local maximum of the expected number
// of samples whose neighbor has the same class:
//
//	F(P) = Σ_i p_i,  p_i = Σ_j p_ij over y_j = y_i
//	p_ij = exp(−‖Pᵀ(x_i − x_j)‖²) / Σ_l exp(−‖Pᵀ(x_i − x_l)‖²),  p_ii = 0
//	∂F/∂P = 2 Σ_i Σ_j p_ij (p_i − [y_j = y_i]) (x_i − x_j)(x_i − x_j)ᵀP
//
// The columns have no fixed length. They would grow without bound if every sample's nearest
// neighbor had the same class as the sample. A small number of steps prevents this growth. The
// default number is that of scikit-learn.
//
// The minimizer is L-BFGS. It starts at PCA, scaled so that the mean squared distance between a
// sample and its nearest neighbor is 1, because the gradient vanishes at much larger distances. A
// step takes time n²·p and memory n.
type NCA struct {
	// MaxSteps bounds the steps of the minimizer. Default 50.
	MaxSteps int
}

// String returns "NCA".
func (NCA) String() string { return "NCA" }

func (m NCA) filled() (projection.Method, bool) {
	if m.MaxSteps == 0 {
		m.MaxSteps = 50
	}
	return projection.Method{Labeled: true, Pairs: true, Inverse: true, Fit: m.fit}, m.MaxSteps > 0
}

func (m NCA) fit(ctx context.Context, x *mat.Dense, labels []int, p int) (*mat.Dense, error) {
	_, d := x.Dims()
	basis, c, err := sampleSpan(ctx, projection.Centered(ctx, x))
	if err != nil {
		return nil, err
	}
	_, r := c.Dims()
	start, err := components(ctx, c, min(p, r))
	if err != nil {
		return nil, err
	}
	f := newNeighborhoods(ctx, c, labels)
	if s := f.nearest(ctx, start); s > 0 {
		start.Scale(1/math.Sqrt(s), start)
	}
	v, err := minimizeFreely(ctx, f, start, m.MaxSteps)
	if err != nil {
		return nil, err
	}
	return liftColumns(ctx, basis, v, d, p), nil
}

// neighborhoods evaluates −F, the function that NCA minimizes.
type neighborhoods struct {
	x     *mat.Dense // samples, class by class
	class []interval // row range of each class
}

func newNeighborhoods(ctx context.Context, x *mat.Dense, labels []int) *neighborhoods {
	f := new(neighborhoods)
	rows := projection.ClassRows(labels)
	for at, i := 0, 0; i < len(rows); i++ {
		f.class = append(f.class, interval{at, at + len(rows[i])})
		at += len(rows[i])
	}
	f.x = projection.Gather(ctx, x, slices.Concat(rows...))
	return f
}

// nearest returns the mean squared distance of the projected samples from their nearest
// neighbors.
func (f *neighborhoods) nearest(ctx context.Context, p *mat.Dense) (mean float64) {
	y := projection.Product(ctx, f.x, p)
	n, _ := y.Dims()
	f.blocks(ctx, dense.View(y), func(_ interval, from int, distances matrix.Matrix[float64]) {
		for i := range distances.Rows {
			mean += leastBeside(distances.Row(i), from+i) / float64(n)
		}
	})
	return mean
}

// leastBeside returns the least element of row, ignoring element i.
func leastBeside(row []float64, i int) float64 {
	least := math.Inf(1)
	for _, part := range [][]float64{row[:i], row[i+1:]} {
		for _, v := range part {
			if v < least {
				least = v
			}
		}
	}
	return least
}

// blockRows is the number of rows of a block of distances.
const blockRows = 128

// blocks computes the squared distances between all rows of y. A block holds the distances of up to
// blockRows rows of one class from all rows of y. For each block, blocks calls visit with
// the row range of the class, the index of the first row of the block, and the distances.
func (f *neighborhoods) blocks(ctx context.Context, y matrix.Matrix[float64], visit func(class interval, from int, distances matrix.Matrix[float64])) {
	n := y.Rows
	all := matrix.New[float64](min(blockRows, n), n, nil)
	for _, class := range f.class {
		for from := class.from; from < class.to && ctx.Err() == nil; from += blockRows {
			rows := all.RowRange(0, min(blockRows, class.to-from))
			dist.SqEuclidean(rows, y.RowRange(from, from+rows.Rows), y)
			visit(class, from, rows)
		}
	}
}

// farApart is a lower bound for the arguments of exp. The value exp(farApart) is negligible
// compared with 1, the largest value. The square of exp(farApart) is still a normal number.
// Subnormal numbers slow processors down by a factor of ten or more.
const farApart = -300

// evaluate implements criterion. Let y_i be the projected samples and c_i their classes. Let p_i be
// the probability that the neighbor of y_i has class c_i. Let m_i be the least squared distance
// between y_i and another sample. The derivative of −F with respect to ‖y_i − y_j‖² is
//
//	w_ij = ([c_j = c_i] − p_i)·E_ij / Σ_l E_il,  E_ij = exp(m_i − ‖y_i − y_j‖²),  E_ii = 0
//
// The rows of w sum to 0. Therefore the gradient needs only products of two matrices with [y, 1],
// which is y extended by a column of ones. The first matrix is E. The second matrix contains the
// elements E_ij with c_j = c_i.
func (f *neighborhoods) evaluate(ctx context.Context, p, grad *mat.Dense) (float64, error) {
	y := dense.View(projection.Product(ctx, f.x, p))
	n, q := y.Rows, y.Cols
	ones := matrix.New[float64](n, q+1, nil) // y and a column of ones
	for i := range n {
		copy(ones.Row(i), y.Row(i))
		ones.Row(i)[q] = 1
	}
	sums, within := matrix.New[float64](blockRows, q+1, nil), matrix.New[float64](blockRows, q+1, nil)
	g := mat.NewDense(n, q, nil)
	columns := matrix.New[float64](q+1, n, nil) // column j is Σ_i w_ij [y_i, 1]
	value := 0.
	f.blocks(ctx, y, func(class interval, from int, e matrix.Matrix[float64]) {
		for i := range e.Rows {
			row := e.Row(i)
			least := leastBeside(row, from+i)
			for j, v := range row {
				if row[j] = least - v; row[j] < farApart {
					row[j] = farApart
				}
			}
			matrix.Exp(row, row)
			row[from+i] = 0
		}
		same := e.ColRange(class.from, class.to)
		all, own := sums.RowRange(0, e.Rows), within.RowRange(0, e.Rows)
		matrix.Mul(all, e, ones, false)
		matrix.Mul(own, same, ones.RowRange(class.from, class.to), false)
		// Let y be sample from + i. Row i of the matrix all becomes −right/total·[y, 1], and row i of
		// the matrix own becomes [y, 1]/total.
		for i := range e.Rows {
			a, b, o := all.Row(i), own.Row(i), ones.Row(from+i)
			total := a[q]
			right := b[q] / total
			value -= right
			gi := g.RawRowView(from + i)
			for k := range gi {
				gi[k] = 2 / total * math.FMA(right, a[k], -b[k])
			}
			for k, v := range o {
				a[k], b[k] = -right/total*v, v/total
			}
		}
		if grad != nil {
			matrix.TransMul(columns, all, e, true)
			matrix.TransMul(columns.ColRange(class.from, class.to), own, same, true)
		}
	})
	if grad == nil || ctx.Err() != nil {
		return value, ctx.Err()
	}
	for j := range n {
		gj, yj := g.RawRowView(j), y.Row(j)
		sum := columns.At(q, j)
		for k := range gj {
			gj[k] = math.FMA(2, math.FMA(sum, yj[k], -columns.At(k, j)), gj[k])
		}
	}
	pullBack(ctx, grad, f.x, g)
	return value, nil
}
