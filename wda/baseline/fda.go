package baseline

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/projection"
	"gonum.org/v1/gonum/mat"
)

// FDA is Fisher discriminant analysis (R. A. Fisher, "The use of multiple measurements in taxonomic
// problems", Annals of Eugenics 7, 1936; C. R. Rao, JRSS B 10, 1948). The columns w are the p leading
// solutions of
//
//	S_b w = μ S_w w,  wᵀ S_w w = 1
//
// where S_w and S_b are the covariances within and between the classes.
//
// The columns equal, up to sign, the scalings_ of LinearDiscriminantAnalysis in scikit-learn with the
// solver "eigen". The scalings_ of the solver "svd" are the same or differ by the factor √((n−C)/n),
// depending on the version of scikit-learn. With shrinkage, the columns span the same space as the
// coefficients of the solver "lsqr". The solver "eigen" differs, because it also shrinks S_b.
//
// Without shrinkage S_w may be singular. FDA then divides every feature by its standard deviation
// within classes, and ignores directions in which the samples of each class are equal. The solver
// "svd" does the same. A feature has the weight 0 in the first C−1 columns if it is constant within
// classes: in every class, its largest and its smallest value differ by at most 2⁻⁴⁸ times its largest
// absolute value in all samples.
//
// With shrinkage, a feature that is constant within classes contributes nothing to S_w, and its weights
// follow from the formula. If all features are constant within classes, every column is a principal
// component of unit length.
//
// S_b has rank C−1. Columns beyond C−1 are the leading principal components of the space orthogonal
// to the first C−1 columns. Each of these columns is also scaled to wᵀ S_w w = 1, or to unit length
// if the samples do not vary within classes in the direction of the column.
//
// Time grows with n·d·min(n, d).
type FDA struct {
	// Shrinkage is the intensity s, 0 ≤ s ≤ 1. FDA replaces S_w by (1−s)·S_w + s·(tr S_w / d)·I.
	// Default: 0.
	Shrinkage float64
	// LedoitWolf selects the shrinkage intensity of Ledoit and Wolf (2004) instead of Shrinkage. If
	// LedoitWolf is true, Shrinkage must be 0.
	LedoitWolf bool
}

// String returns "FDA".
func (FDA) String() string { return "FDA" }

func (f FDA) withDefaults() (projection.Method, bool) {
	return projection.Method{Labeled: true, Inverse: true, Fit: f.fit}, f.Shrinkage >= 0 && f.Shrinkage <= 1 && !(f.LedoitWolf && f.Shrinkage > 0)
}

func (f FDA) fit(ctx context.Context, x *mat.Dense, labels []int, p int) (*mat.Dense, error) {
	n, d := x.Dims()
	solve := solveDense
	if classes := len(projection.ClassRows(labels)); d > projection.DenseDimension {
		solve = solveCholesky
		if d >= n-classes {
			solve = solveDual
		}
	}
	return f.fitWithSolver(ctx, x, labels, p, solve)
}

// withinClasses contains the samples minus their class means. The matrix S_w is shrinkage·meanVariance·I +
// (1−shrinkage)·residualsᵀ·residuals/n.
type withinClasses struct {
	residuals               *mat.Dense // n × d
	rows                    [][]int    // row indices of each class
	shrinkage, meanVariance float64
}

// A withinSolver returns a matrix whose rows are the products of the pseudoinverse S_w⁺ with the
// rows of m.
type withinSolver func(ctx context.Context, w *withinClasses, m *mat.Dense) (*mat.Dense, error)

func (f FDA) fitWithSolver(ctx context.Context, x *mat.Dense, labels []int, p int, solve withinSolver) (*mat.Dense, error) {
	n, d := x.Dims()
	c := projection.Centered(ctx, x)
	w := &withinClasses{residuals: mat.NewDense(n, d, nil), rows: projection.ClassRows(labels), shrinkage: f.Shrinkage}
	means := mat.NewDense(len(w.rows), d, nil) // class means, weighted so that S_b = meansᵀ·means
	for k, rows := range w.rows {
		around := projection.Centered(ctx, projection.Gather(ctx, c, rows))
		weight := math.Sqrt(float64(len(rows)) / float64(n))
		first := c.RawRowView(rows[0])
		mean := means.RawRowView(k)
		for j := range mean {
			mean[j] = weight * (first[j] - around.At(0, j))
		}
		dense.Pass(ctx, len(rows), d, func(from, to int) {
			for i := from; i < to; i++ {
				copy(w.residuals.RawRowView(rows[i]), around.RawRowView(i))
			}
		})
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	projection.ClearConstant(ctx, w.residuals, x, w.rows)
	if f.LedoitWolf {
		w.shrinkage = w.ledoitWolf(ctx)
	}
	scale := w.standardize(ctx)
	for i := range means.RawMatrix().Rows {
		row := means.RawRowView(i)
		for j := range row {
			row[j] *= scale[j]
		}
	}
	z, err := solve(ctx, w, means)
	if err != nil {
		return nil, err
	}
	// The generalized eigenvectors are the columns of zᵀ·u, where u contains the eigenvectors of
	// means·S_w⁺·meansᵀ.
	q := min(p, len(w.rows)-1)
	u, mu, err := projection.TopEigenvectors(ctx, projection.SymmetricProduct(ctx, mat.DenseCopyOf(means.T()), mat.DenseCopyOf(z.T())), q)
	if err != nil {
		return nil, err
	}
	for q > 0 && !(mu[q-1] > 1e-12*mu[0]) {
		q-- // the class means span fewer than q dimensions
	}
	out := mat.NewDense(d, p, nil)
	if q > 0 {
		first := out.Slice(0, d, 0, q).(*mat.Dense)
		first.Copy(projection.TransProduct(ctx, z, mat.DenseCopyOf(u.Slice(0, len(w.rows), 0, q))))
		for k := range q {
			for j := range d {
				first.Set(j, k, first.At(j, k)*scale[j]/math.Sqrt(mu[k]))
			}
		}
	}
	if q < p {
		if err := w.addPrincipal(ctx, out, c, q, scale); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// standardize multiplies each feature by a factor, and returns the factors. The factor is 1 divided
// by the standard deviation within classes, or 0 if the feature does not vary within classes. With
// shrinkage, all factors are 1, because shrinkage depends on the units of the features.
func (w *withinClasses) standardize(ctx context.Context) []float64 {
	n, d := w.residuals.Dims()
	scale, total := make([]float64, d), 0.
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to; i++ {
			for j, v := range w.residuals.RawRowView(i) {
				square := v * v / float64(n)
				scale[j] += square
				total += square
			}
		}
	})
	w.meanVariance = total / float64(d)
	for j, v := range scale {
		switch scale[j] = 1; {
		case w.shrinkage > 0 && w.meanVariance > 0:
		case v > 0:
			scale[j] = 1 / math.Sqrt(v)
		default:
			scale[j] = 0
		}
	}
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to; i++ {
			row := w.residuals.RawRowView(i)
			for j := range row {
				row[j] *= scale[j]
			}
		}
	})
	return scale
}

// ledoitWolf returns the shrinkage intensity of Ledoit and Wolf for S_w.
func (w *withinClasses) ledoitWolf(ctx context.Context) float64 {
	n, d := w.residuals.Dims()
	var g *mat.Dense // a Gram matrix with the same trace and the same Frobenius norm as n·S_w
	if n < d {
		g = projection.Gram(ctx, w.residuals)
	} else {
		g = projection.SymmetricProduct(ctx, w.residuals, w.residuals)
	}
	square := 0.
	for i := range g.RawMatrix().Rows {
		square += algebra.Dot(g.RawRowView(i), g.RawRowView(i))
	}
	return algebra.LedoitWolf(ctx, dense.View(w.residuals), projection.Trace(g)/float64(n), square/float64(n)/float64(n))
}

// addPrincipal sets the columns q, q+1, … of out. The new columns are principal components of the
// samples c in the orthogonal complement of the first q columns, scaled to unit variance within
// classes.
func (w *withinClasses) addPrincipal(ctx context.Context, out, c *mat.Dense, q int, scale []float64) error {
	n, d := c.Dims()
	p := out.RawMatrix().Cols
	rest := c
	if q > 0 {
		ortho := mat.DenseCopyOf(out.Slice(0, d, 0, q))
		if err := projection.Orthonormalize(ctx, ortho); err != nil {
			return err
		}
		back := projection.Product(ctx, projection.Product(ctx, c, ortho), mat.DenseCopyOf(ortho.T()))
		rest = mat.DenseCopyOf(c)
		rest.Sub(rest, back)
		// A principal component without variance may lie in the span of the columns of ortho.
		// Therefore all principal components are orthonormalized against the columns of ortho.
		pcs, err := principalComponents(ctx, rest, p-q)
		if err != nil {
			return err
		}
		all := mat.NewDense(d, p, nil)
		all.Slice(0, d, 0, q).(*mat.Dense).Copy(ortho)
		all.Slice(0, d, q, p).(*mat.Dense).Copy(pcs)
		if err := projection.Orthonormalize(ctx, all); err != nil {
			return err
		}
		out.Slice(0, d, q, p).(*mat.Dense).Copy(all.Slice(0, d, q, p))
	} else {
		pcs, err := principalComponents(ctx, rest, p)
		if err != nil {
			return err
		}
		out.Copy(pcs)
	}
	for k := q; k < p; k++ {
		raw := mat.NewDense(d, 1, nil)
		for j := range d {
			if scale[j] > 0 {
				raw.Set(j, 0, out.At(j, k)/scale[j])
			}
		}
		y := projection.Product(ctx, w.residuals, raw).RawMatrix().Data
		v := math.FMA(1-w.shrinkage, algebra.Dot(y, y)/float64(n), float64(w.shrinkage*w.meanVariance))
		if v > 1e-20*w.meanVariance {
			for j := range d {
				out.Set(j, k, out.At(j, k)/math.Sqrt(v))
			}
		}
	}
	return nil
}

// scatter returns S_w.
func (w *withinClasses) scatter(ctx context.Context) *mat.Dense {
	n, _ := w.residuals.Dims()
	sw := projection.SymmetricProduct(ctx, w.residuals, w.residuals)
	if ctx.Err() == nil {
		sw.Scale(1/float64(n), sw)
	}
	if w.shrinkage > 0 {
		projection.Shrink(sw, w.shrinkage, w.meanVariance)
	}
	return sw
}

// solveDense computes S_w⁺ from all eigenvectors of S_w. It ignores eigenvalues up to 10⁻¹² times the largest.
func solveDense(ctx context.Context, w *withinClasses, m *mat.Dense) (*mat.Dense, error) {
	_, d := w.residuals.Dims()
	sw := w.scatter(ctx)
	v, values, err := projection.TopEigenvectors(ctx, sw, d)
	if err != nil {
		return nil, err
	}
	y := projection.Product(ctx, m, v)
	for i := range y.RawMatrix().Rows {
		row := y.RawRowView(i)
		for k, l := range values {
			if l > 1e-12*values[0] {
				row[k] /= l
			} else {
				row[k] = 0
			}
		}
	}
	return projection.Product(ctx, y, mat.DenseCopyOf(v.T())), nil
}

// solveCholesky uses the Cholesky factor of S_w. There must be more samples than features.
// solveCholesky multiplies the diagonal by 1 + projection.Floor, because S_w may be singular. The
// result stays the same: in a singular direction, either S_b is also singular or the classes are
// perfectly separated.
func solveCholesky(ctx context.Context, w *withinClasses, m *mat.Dense) (*mat.Dense, error) {
	_, d := w.residuals.Dims()
	sw := w.scatter(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for j := range d {
		v := sw.At(j, j)
		if v == 0 {
			v = 1 // a constant feature
		}
		sw.Set(j, j, v*(1+projection.Floor))
	}
	chol, ok := algebra.NewCholesky(ctx, dense.View(sw))
	if !ok {
		return nil, projection.ErrFactorize
	}
	z := mat.DenseCopyOf(m.T())
	if err := chol.Solve(ctx, dense.View(z)); err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(z.T()), nil
}

// solveDual computes S_w⁺m with the n × n Gram matrix K = wwᵀ, where the rows of w are the residuals.
// Without shrinkage, the result is
//
//	S_w⁺m = n wᵀ K⁺K⁺ w m
//
// In this case solveDual adds a multiple of 1_c·1_cᵀ to K for each class c, where 1_c is the indicator
// vector of the class. The sum is regular unless samples repeat. The result stays the same, because
// 1_cᵀ·w = 0 for every class.
//
// With shrinkage s > 0, let a = (1−s)/n and b = s·meanVariance. The result is
//
//	S_w⁺m = (a·wᵀw + b·I)⁻¹m = (m − wᵀ(K + (b/a)·I)⁻¹w m)/b
func solveDual(ctx context.Context, w *withinClasses, m *mat.Dense) (*mat.Dense, error) {
	n, _ := w.residuals.Dims()
	a, b := (1-w.shrinkage)/float64(n), w.shrinkage*w.meanVariance
	if w.shrinkage > 0 && a == 0 || b > 0 && math.IsInf(b/a, 0) {
		z := mat.DenseCopyOf(m)
		z.Scale(1/b, z)
		return z, nil
	}
	k := projection.Gram(ctx, w.residuals)
	mean := projection.Trace(k) / float64(n)
	if mean == 0 {
		return mat.NewDense(m.RawMatrix().Rows, m.RawMatrix().Cols, nil), nil
	}
	if w.shrinkage > 0 {
		for i := range n {
			k.Set(i, i, k.At(i, i)+b/a)
		}
	} else {
		for _, rows := range w.rows {
			for _, r := range rows {
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				for _, t := range rows {
					k.Set(r, t, k.At(r, t)+mean/float64(len(rows)))
				}
			}
		}
		for i := range n {
			k.Set(i, i, math.FMA(projection.Floor, mean, k.At(i, i)))
		}
	}
	chol, ok := algebra.NewCholesky(ctx, dense.View(k))
	if !ok {
		return nil, projection.ErrFactorize
	}
	y := projection.Product(ctx, w.residuals, mat.DenseCopyOf(m.T()))
	for range 2 {
		if err := chol.Solve(ctx, dense.View(y)); err != nil {
			return nil, err
		}
		if w.shrinkage > 0 {
			break
		}
	}
	z := projection.TransProduct(ctx, y, w.residuals)
	if w.shrinkage > 0 {
		z.Sub(m, z)
		z.Scale(1/b, z)
	} else {
		z.Scale(float64(n), z)
	}
	return z, nil
}
