package baseline

import (
	"context"
	"runtime"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/project"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/internal/subspace"
	"github.com/gomonge/monge/wda/stiefel"
	"gonum.org/v1/gonum/mat"
)

// PCA projects on the principal components: the leading eigenvectors of the
// covariance (H. Hotelling, 1933).
type PCA struct {
	// Workers is the number of goroutines. Default GOMAXPROCS. The result does not
	// depend on it.
	Workers int
}

// Name returns "PCA".
func (PCA) Name() string { return "PCA" }

// PrincipalComponents returns the p leading principal components of the rows of x,
// as PCA's Fit does.
func PrincipalComponents(x *mat.Dense, p int) (*mat.Dense, error) { return PCA{}.Fit(x, nil, p) }

// Fit returns the p leading principal components of the rows of x as orthonormal
// columns, the largest variance first; the element of largest size of every column is
// positive. Directions without variance complete the basis if there are fewer than p
// with. Labels are not used. It takes memory in the square of the number of features or
// of samples, whichever are fewer; with more than 2048 features and no fewer samples
// that of x.
func (m PCA) Fit(x *mat.Dense, _ []int, p int) (*mat.Dense, error) {
	if err := checkComponents(x, p); err != nil {
		return nil, err
	}
	if err := checkFinite(x); err != nil {
		return nil, err
	}
	if m.Workers <= 0 {
		m.Workers = runtime.GOMAXPROCS(0)
	}
	n, d := x.Dims()
	k := p + extraColumns
	if d <= denseDimension || 3*k > d && d <= n {
		c := m.scatter(x)
		v, _, err := topEigenvectors(mat.NewSymDense(d, c.RawMatrix().Data), p)
		return v, err
	}
	if n < d && p <= n {
		return dualComponents(centred(x), p)
	}
	times := m.scatterTimes(x, k)
	if d <= formedDimension {
		times = m.times(m.scatter(x), k)
	}
	v := randomBlock(d, k)
	if _, err := subspace.Leading(context.Background(), times, nil, v, p, nil); err != nil {
		return nil, err
	}
	out := mat.DenseCopyOf(v.Slice(0, d, 0, p))
	if _, err := stiefel.New(d, p).Orthonormalize(out, out); err != nil {
		return nil, err
	}
	fixSigns(out)
	return out, nil
}

// dualComponents returns the p principal components of centred rows, fewer than
// features: Xᵀu for the eigenvectors u of XXᵀ.
func dualComponents(c *mat.Dense, p int) (*mat.Dense, error) {
	u, _, err := leading(mat.DenseCopyOf(gram(c)), p)
	if err != nil {
		return nil, err
	}
	v := transProduct(c, u)
	if err := orthonormalize(v); err != nil {
		return nil, err
	}
	fixSigns(v)
	return finished(v)
}

const (
	// denseDimension is the number of features up to which all eigenvectors of the
	// covariance cost less than a block iteration for a few.
	denseDimension = 128
	// formedDimension is the number of features up to which the covariance is formed.
	// That is worth some forty products XᵀX·V with ten columns and 1000 features, as
	// many as the iteration takes, which in its turn gets faster.
	formedDimension = 2048
	// extraColumns of the block make up for eigenvalues close to the last one wanted.
	extraColumns = 4
	// centredRows are centred at a time.
	centredRows = 128
	// stripRows of the covariance are one piece of work.
	stripRows = 96
)

// scatter returns XᵀX of the centred rows, d × d.
func (m PCA) scatter(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	mean, block := columnMeans(x), make([]float64, min(n, centredRows)*d)
	s := mat.NewDense(d, d, nil)
	out := s.RawMatrix()
	for first := 0; first < n; first += centredRows {
		rows := min(centredRows, n-first)
		for i := range rows {
			subtract(block[i*d:][:d], x.RawRowView(first+i), mean)
		}
		// The lower triangle, strip by strip.
		parallel.For(m.Workers, d, stripRows, func(i, j int) {
			project.TransMul(asm.Best(), rows, j-i, j, out.Data[i*out.Stride:], out.Stride, block, d, block[i:], d, first > 0)
		})
	}
	for i := range d {
		for j, v := range s.RawRowView(i)[:i] {
			out.Data[j*out.Stride+i] = v
		}
	}
	return s
}

// times returns the product with the symmetric matrix c, for k columns.
func (m PCA) times(c *mat.Dense, k int) subspace.Operator {
	a := c.RawMatrix()
	return func(dst, v *mat.Dense) {
		in, out := v.RawMatrix(), dst.RawMatrix()
		parallel.For(m.Workers, a.Rows, stripRows, func(i, j int) {
			project.Mul(asm.Best(), j-i, k, a.Cols, out.Data[i*out.Stride:], out.Stride, a.Data[i*a.Stride:], a.Stride, in.Data, in.Stride, false)
		})
	}
}

// scatterTimes returns the product with XᵀX of the centred rows, for k columns, as two
// passes over a copy of the samples.
func (m PCA) scatterTimes(x *mat.Dense, k int) subspace.Operator {
	c := centred(x)
	n, d := c.Dims()
	raw := c.RawMatrix()
	y, vt := make([]float64, n*k), make([]float64, k*d)
	return func(dst, v *mat.Dense) {
		in := v.RawMatrix()
		parallel.For(m.Workers, n, stripRows, func(i, j int) {
			project.Mul(asm.Best(), j-i, k, d, y[i*k:], k, raw.Data[i*raw.Stride:], raw.Stride, in.Data, in.Stride, false)
		})
		parallel.For(m.Workers, d, stripRows, func(i, j int) {
			project.TransMul(asm.Best(), n, k, j-i, vt[i:], d, raw.Data[i:], raw.Stride, y, k, false)
		})
		for i := range d {
			row := dst.RawRowView(i)
			for j := range row {
				row[j] = vt[j*d+i]
			}
		}
	}
}
