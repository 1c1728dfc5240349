package discriminant

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/subspace"
	"github.com/gomonge/monge/wda/baseline"
	"gonum.org/v1/gonum/mat"
)

// This file computes moments of the samples and two kinds of directions: principal components, and
// directions in which class means differ.

const (
	// densePrincipal is the number of features up to which all principal components are computed at
	// once.
	densePrincipal = 128
	// extraPrincipal is the number of additional vectors of a block iteration. They speed up the
	// convergence of the wanted vectors.
	extraPrincipal = 4
	// If there are at most fewMeans classes, the directions of the class means are computed from
	// the Gram matrix of the means, even if there are fewer features than classes.
	fewMeans = 64
	// If the numbers of classes and features both exceed manyMeans, only the leading directions of
	// the class means are computed.
	manyMeans = 512
)

// PrincipalComponents returns the p leading principal components as orthonormal columns (d × p). If
// there are many features, the components have residuals of at most tolerance times the largest
// eigenvalue.
func (s *Samples) PrincipalComponents(ctx context.Context, p int, tolerance float64, workers int) (*mat.Dense, error) {
	return principalComponents(ctx, s, dense.View(s.X), p, tolerance, workers)
}

// PrincipalComponents returns the leading principal components of the samples of o. It returns as
// many components as the projections have columns. It computes products in the element type of o.
func (o *Objective[T]) PrincipalComponents(ctx context.Context, tolerance float64) (*mat.Dense, error) {
	return principalComponents(ctx, o.Samples, o.x, o.p, tolerance, o.config.Workers)
}

// principalComponents implements PrincipalComponents with products in type T. The matrix x contains
// s.X in type T.
func principalComponents[T dist.Float](ctx context.Context, s *Samples, x dist.Matrix[T], p int, tolerance float64, workers int) (*mat.Dense, error) {
	d := s.D
	k := min(p+extraPrincipal, d)
	if d <= densePrincipal || 3*k > d {
		return baseline.Fit(ctx, s.X, nil, p, baseline.PCA{Workers: workers})
	}
	v, rng := mat.NewDense(d, k, nil), rand.New(rand.NewPCG(1, 1))
	for i := range d {
		for j := range v.RawRowView(i) {
			v.Set(i, j, float64(rng.Float64())-0.5)
		}
	}
	vt, yt, xt := dist.NewMatrix[T](d, k, nil), dist.NewMatrix[T](x.Rows, k, nil), dist.NewMatrix[T](k, d, nil)
	times := func(dst, v *mat.Dense) {
		_, k := v.Dims()
		narrow, y, t := vt.ColRange(0, k), yt.ColRange(0, k), xt.RowRange(0, k)
		for i := range d {
			row := narrow.Row(i)
			for j, v := range v.RawRowView(i) {
				row[j] = T(v)
			}
		}
		product(ctx, workers, y, x, narrow)
		transProduct(ctx, workers, t, y, x)
		for i := range d {
			row := dst.RawRowView(i)
			for j := range row {
				row[j] = float64(t.At(j, i))
			}
		}
	}
	if _, err := subspace.Leading(ctx, times, nil, v, p, &subspace.Settings{Tolerance: tolerance}); err != nil {
		return nil, err
	}
	out := mat.DenseCopyOf(v.Slice(0, d, 0, p))
	_, err := stiefel.New(d, p).Orthonormalize(ctx, out, out)
	return out, err
}

// betweenFactor returns the C × d matrix B for which BᵀB is the between-class covariance. The mean
// of the rows of s.X must be 0 up to rounding.
func (s *Samples) betweenFactor(ctx context.Context) matrix.Matrix[float64] {
	b := matrix.New[float64](len(s.Classes), s.D, nil)
	for c := range s.Classes {
		s.classMean(ctx, b.Row(c), c)
		algebra.Scale(b.Row(c), math.Sqrt(float64(s.Size(c))/float64(s.N)))
	}
	return b
}

// fisherDirections returns as many orthonormal columns as p has. The first columns, at most C − 1,
// are the leading directions in which the class means differ. The remaining columns are the columns
// of p, orthonormalized. If the features are whitened, the first columns are the directions of
// linear discriminant analysis. If the context ends, fisherDirections returns p.
func (s *Samples) fisherDirections(ctx context.Context, p *mat.Dense, tolerance float64) *mat.Dense {
	_, k := p.Dims()
	values, directions, ok := s.meanDirections(ctx, k, tolerance)
	if !ok {
		return p
	}
	out := mat.NewDense(s.D, k, nil)
	n := 0
	for n < min(k, len(s.Classes)-1, len(values)) && values[n] > 1e-12*values[0] {
		for i := range s.D {
			out.Set(i, n, directions.At(i, n))
		}
		n++
	}
	for j := n; j < k; j++ {
		for i := range s.D {
			out.Set(i, j, p.At(i, j-n))
		}
	}
	if _, err := stiefel.New(s.D, k).Orthonormalize(ctx, out, out); err != nil {
		return p
	}
	return out
}

// meanDirections returns at least the k leading eigenvalues of the covariance between classes, and
// their eigenvectors as columns of any length. It works in the smaller of the two dimensions
// (classes or features), because computing all eigenvectors takes cubic time.
func (s *Samples) meanDirections(ctx context.Context, k int, tolerance float64) (values []float64, directions matrix.Matrix[float64], ok bool) {
	classes, b := len(s.Classes), s.betweenFactor(ctx)
	block := min(k, classes-1) + extraPrincipal
	if fewer := min(classes, s.D); fewer > manyMeans && 3*block <= fewer {
		y := matrix.New[float64](classes, block, nil)
		t := matrix.New[float64](block, s.D, nil)
		v, values, err := leadingEigenvectors(ctx, func(dst, v *mat.Dense) {
			_, k := v.Dims()
			y, t := y.ColRange(0, k), t.RowRange(0, k)
			product(ctx, 1, y, b, dense.View(v))
			transProduct(ctx, 1, t, y, b)
			matrix.Transpose(dense.View(dst), t)
		}, s.D, block-extraPrincipal, tolerance)
		return values, dense.View(v), err == nil
	}
	if classes <= max(s.D, fewMeans) {
		bt, gram := matrix.New[float64](s.D, classes, nil), matrix.New[float64](classes, classes, nil)
		matrix.Transpose(bt, b)
		product(ctx, 1, gram, b, bt)
		var v matrix.Matrix[float64]
		if values, v, ok = algebra.Jacobi(ctx, gram); ok {
			directions = matrix.New[float64](s.D, classes, nil)
			product(ctx, 1, directions, bt, v)
		}
	} else {
		cov := matrix.New[float64](s.D, s.D, nil)
		transProduct(ctx, 1, cov, b, b)
		values, directions, ok = algebra.Jacobi(ctx, cov)
	}
	return values, directions, ok
}

// leadingEigenvectors returns eigenvectors and eigenvalues of an operator in d dimensions. want
// is the number of leading eigenvectors that must converge.
func leadingEigenvectors(ctx context.Context, times subspace.Operator, d, want int, tolerance float64) (*mat.Dense, []float64, error) {
	v := mat.NewDense(d, want+extraPrincipal, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range d {
		row := v.RawRowView(i)
		for j := range row {
			row[j] = float64(rng.Float64()) - 0.5
		}
	}
	values, err := subspace.Leading(ctx, times, nil, v, want, &subspace.Settings{Tolerance: tolerance, MaxSteps: fisherSteps})
	return v, values, err
}

// residualElements is the approximate number of elements of a block of residuals. A block has at
// least residualRows rows, or all rows.
const residualElements, residualRows = 1 << 20, 1 << 10

// eachResiduals calls f with consecutive blocks of residuals, which are the samples minus their
// class means. Row 0 of a block belongs to sample first. A block is valid only until f returns.
func (s *Samples) eachResiduals(ctx context.Context, f func(first int, block matrix.Matrix[float64])) {
	rows := min(s.N, max(residualRows, residualElements/s.D))
	buffer := matrix.New[float64](rows, s.D, nil)
	mean, c := make([]float64, s.D), -1
	for first := 0; first < s.N && ctx.Err() == nil; first += rows {
		block := buffer.RowRange(0, min(rows, s.N-first))
		dense.EachRow(ctx, first, first+block.Rows, s.D, func(i int) {
			if i == 0 || i == s.Offset[c+1] {
				c++
				s.classMean(ctx, mean, c)
			}
			row := block.Row(i - first)
			for j, v := range s.X.RawRowView(i) {
				row[j] = v - mean[j]
			}
		})
		f(first, block)
	}
}

// classMean sets mean to the mean of class c.
func (s *Samples) classMean(ctx context.Context, mean []float64, c int) {
	clear(mean)
	dense.EachRow(ctx, s.Offset[c], s.Offset[c+1], s.D, func(i int) {
		for j, v := range s.X.RawRowView(i) {
			mean[j] += v
		}
	})
	for j := range mean {
		mean[j] /= float64(s.Size(c))
	}
}

// classVariance returns the total variance of class c.
func (s *Samples) classVariance(ctx context.Context, c int) float64 {
	lo, hi := s.Offset[c], s.Offset[c+1]
	mean := make([]float64, s.D)
	dense.EachRow(ctx, lo, hi, s.D, func(i int) {
		for j, v := range s.X.RawRowView(i) {
			mean[j] += v
		}
	})
	var sum float64
	dense.EachRow(ctx, lo, hi, s.D, func(i int) {
		for j, v := range s.X.RawRowView(i) {
			d := v - mean[j]/float64(hi-lo)
			sum += float64(d * d)
		}
	})
	return sum / float64(hi-lo)
}

// StandardDeviations returns the standard deviation of every feature, with divisor N.
func (s *Samples) StandardDeviations(ctx context.Context) []float64 {
	squares := make([]float64, s.D)
	dense.EachRow(ctx, 0, s.N, s.D, func(i int) {
		for j, x := range s.X.RawRowView(i) {
			squares[j] += float64(x * x)
		}
	})
	v := make([]float64, s.D)
	if ctx.Err() != nil {
		return v // the context has ended, and the sums are incomplete
	}
	for j, square := range squares {
		if v[j] = math.Sqrt(square); square < 0x1p-900 {
			// The squares of the values may underflow, so scale the values up. The scaled squares
			// cannot overflow, because samples are of order 1.
			const up = 0x1p600
			sum := 0.
			dense.EachRow(ctx, 0, s.N, 1, func(i int) {
				x := s.X.At(i, j) * up // exact
				sum += float64(x * x)
			})
			v[j] = math.Sqrt(sum) / up
		}
		v[j] /= math.Sqrt(float64(s.N))
	}
	return v
}

// scaledWithin returns a copy of the samples in which every feature is divided by its standard
// deviation within classes. It also returns the factors by which it multiplied the features.
func (s *Samples) scaledWithin(ctx context.Context) (*Samples, []float64) {
	total, within := make([]float64, s.D), make([]float64, s.D)
	s.eachResiduals(ctx, func(first int, block matrix.Matrix[float64]) {
		dense.EachRow(ctx, 0, block.Rows, s.D, func(i int) {
			for j, v := range s.X.RawRowView(first + i) {
				total[j] += float64(v * v)
			}
			for j, v := range block.Row(i) {
				within[j] += float64(v * v)
			}
		})
	})
	var top float64
	for _, v := range total {
		top = max(top, v)
	}
	t := *s
	t.feature, t.Scale = make([]float64, s.D), 1
	for j := range t.feature {
		f := 1.
		if total[j] > leastSpread*top {
			f = 1 / math.Sqrt(max(within[j], leastWithin*total[j])/float64(s.N))
		}
		within[j] = f
		if s.feature != nil {
			f *= s.feature[j]
		}
		t.feature[j] = f
	}
	t.X = mat.DenseCopyOf(s.X)
	dense.ScaleColumns(ctx, t.X, within)
	return &t, within
}

// meanSquaredDistances returns a function of two classes c and e. The function returns the mean of
// ‖pᵀ(x_i − z_j)‖² over all samples x_i of class c and z_j of class e. The mean is
// τ_c + τ_e + ‖μ_c − μ_e‖², where μ are the means and τ the total variances of the projected
// classes.
func (s *Samples) meanSquaredDistances(ctx context.Context, p *mat.Dense, workers int) func(c, e int) float64 {
	_, k := p.Dims()
	y := s.projected(ctx, p, workers)
	mu := mat.NewDense(len(s.Classes), k, nil)
	tau := make([]float64, len(s.Classes))
	for c := range s.Classes {
		m := mu.RawRowView(c)
		count := float64(s.Offset[c+1] - s.Offset[c])
		for i := s.Offset[c]; i < s.Offset[c+1]; i++ {
			for l, v := range y.RawRowView(i) {
				m[l] += v
			}
		}
		for l := range m {
			m[l] /= count
		}
		for i := s.Offset[c]; i < s.Offset[c+1]; i++ {
			for l, v := range y.RawRowView(i) {
				dv := v - m[l]
				tau[c] += float64(dv * dv)
			}
		}
		tau[c] /= count
	}
	return func(c, e int) float64 {
		sum := tau[c] + tau[e]
		for l, v := range mu.RawRowView(c) {
			dv := v - mu.At(e, l)
			sum += float64(dv * dv)
		}
		return sum
	}
}

// projectedVariances returns two sums over the columns of X·p: the variances within classes and the
// total variances.
func (s *Samples) projectedVariances(ctx context.Context, p *mat.Dense, workers int) (within, total float64) {
	t := *s
	t.X = s.projected(ctx, p, workers)
	_, t.D = p.Dims()
	t.eachResiduals(ctx, func(first int, block matrix.Matrix[float64]) {
		dense.EachRow(ctx, 0, block.Rows, t.D, func(i int) {
			for _, v := range block.Row(i) {
				within += float64(v * v)
			}
			for _, v := range t.X.RawRowView(first + i) {
				total += float64(v * v)
			}
		})
	})
	return within / float64(t.N), total / float64(t.N)
}

// projected returns X·p.
func (s *Samples) projected(ctx context.Context, p *mat.Dense, workers int) *mat.Dense {
	y := Project(ctx, s.X, p, workers)
	return mat.NewDense(y.Rows, y.Cols, y.Data)
}

// Project returns x·p.
func Project(ctx context.Context, x, p *mat.Dense, workers int) dist.Matrix[float64] {
	n, _ := x.Dims()
	_, k := p.Dims()
	y := dist.NewMatrix[float64](n, k, nil)
	product(ctx, workers, y, dense.View(x), dense.View(p))
	return y
}

// product sets dst = a·b. Each worker computes different rows of dst.
func product[T dist.Float](ctx context.Context, workers int, dst, a, b dist.Matrix[T]) error {
	return parallel.ForContext(ctx, parallel.Count(workers), a.Rows, productRows(b.Rows*b.Cols), func(i, j int) {
		matrix.Mul(dst.RowRange(i, j), a.RowRange(i, j), b, false)
	})
}

// transProduct sets dst = aᵀ·b. Each worker computes different columns of dst.
func transProduct[T dist.Float](ctx context.Context, workers int, dst, a, b dist.Matrix[T]) error {
	return parallel.ForContext(ctx, parallel.Count(workers), b.Cols, productColumns(a.Rows*a.Cols), func(i, j int) {
		matrix.TransMul(dst.ColRange(i, j), a, b.ColRange(i, j), false)
	})
}

// productRows returns the number of rows that are multiplied between two checks of the context. The
// result is 64, or a smaller multiple of 8 if 64 rows would take milliseconds. each is the number of
// multiplications for one row.
func productRows(each int) int { return min(64, max(8, 1<<25/max(1, each)&^7)) }

// productColumns returns the number of columns of XᵀG that are computed between two checks of
// the context. It is larger than productRows, because longer parts of the rows of X are faster. each is
// the number of multiplications for one column.
func productColumns(each int) int { return 3 * productRows(each) }
