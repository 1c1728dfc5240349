package baselines

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/projection"
	"gonum.org/v1/gonum/mat"
)

// LFDA is local Fisher discriminant analysis (M. Sugiyama, "Dimensionality reduction of multimodal
// labeled data by local Fisher discriminant analysis", JMLR 8, 2007, section 3). The columns are
// computed from the p leading generalized eigenvectors w of S̃_b w = μ S̃_w w, with
//
//	S̃_w = ½ Σ_ij W^w_ij (x_i − x_j)(x_i − x_j)ᵀ,  W^w_ij = A_ij/n_c              y_i = y_j = c, else 0
//	S̃_b = ½ Σ_ij W^b_ij (x_i − x_j)(x_i − x_j)ᵀ,  W^b_ij = A_ij (1/n − 1/n_c)    y_i = y_j = c, else 1/n
//
// A_ij is the affinity of two samples of one class, with local scaling (L. Zelnik-Manor and P. Perona,
// NIPS 2004):
//
//	A_ij = exp(−‖x_i − x_j‖² / (σ_i σ_j))
//
// σ_i is the distance from x_i to its k-th nearest neighbor of the same class. In a class of
// n_c ≤ k samples, σ_i is the distance from x_i to the farthest sample of the class. If all A_ij
// are 1, the method is FDA.
//
// If a direction has no scatter within classes, LFDA assumes a within-class scatter of 10⁻¹¹ times
// the total scatter of the direction. Therefore this direction comes first. Such directions always
// exist if there are at least as many features as samples. In this case, set Shrinkage.
//
// In the columns that solve the eigenvalue problem, a constant feature has the weight 0. A feature is
// constant if its largest and smallest values differ by at most 2⁻⁴⁸ times its largest absolute value.
//
// The time grows with n·d² + d³/3, and the memory grows with d². If d > n, n replaces d in these
// formulas.
type LFDA struct {
	// Neighbors is the number k of neighbors that defines σ_i. Default 7, as in the paper.
	Neighbors int
	// Orthonormal replaces the columns by orthonormal columns. For every j, the first j columns
	// span the same subspace as without Orthonormal. By default, column j is √μ·w, where μ is
	// eigenvalue j and its eigenvector w satisfies wᵀS̃_w w = 1 (section 3.3 of the paper). Columns
	// with larger μ therefore have more weight in distances. The column is 0 if μ < 0.
	Orthonormal bool
	// Shrinkage s replaces S̃_w by (1−s)·S̃_w + s·(tr S̃_w / d)·I, 0 ≤ s ≤ 1. Default 0.
	Shrinkage float64
}

// String returns "LFDA".
func (LFDA) String() string { return "LFDA" }

func (f LFDA) filled() (projection.Method, bool) {
	if f.Neighbors == 0 {
		f.Neighbors = 7
	}
	return projection.Method{Labeled: true, Pairs: true, Inverse: !f.Orthonormal, Fit: f.fit}, f.Neighbors > 0 && f.Shrinkage >= 0 && f.Shrinkage <= 1
}

func (f LFDA) fit(ctx context.Context, x *mat.Dense, labels []int, p int) (*mat.Dense, error) {
	basis, v, mu, err := f.solve(ctx, x, labels, p)
	if err != nil {
		return nil, err
	}
	r, q := v.Dims()
	if !f.Orthonormal {
		for j := range q {
			w := math.Sqrt(max(0, mu[j]))
			for i := range r {
				v.Set(i, j, v.At(i, j)*w)
			}
		}
	}
	if basis != nil {
		v = projection.Product(ctx, basis, v)
	}
	if v, err = completeBasis(ctx, v, p); err == nil && f.Orthonormal {
		err = projection.Orthonormalize(ctx, v)
	}
	return v, err
}

// solve returns at most p generalized eigenvectors v and eigenvalues mu. The eigenvectors are
// coordinates in the returned basis of the span of the samples. A nil basis means the identity.
func (f LFDA) solve(ctx context.Context, x *mat.Dense, labels []int, p int) (basis, v *mat.Dense, mu []float64, err error) {
	_, d := x.Dims()
	c := projection.Centered(ctx, x)
	projection.ClearConstant(ctx, c, x, projection.ClassRows(make([]int, len(labels))))
	basis, c, err = sampleSpan(ctx, c)
	if err != nil {
		return nil, nil, nil, err
	}
	sw, sb, err := localScatter(ctx, c, projection.ClassRows(labels), f.Neighbors)
	if err != nil {
		return nil, nil, nil, err
	}
	r := sw.RawMatrix().Rows
	total := make([]float64, r)
	for j := range r {
		total[j] = sw.At(j, j) + sb.At(j, j)
	}
	if s := f.Shrinkage; s > 0 {
		// Divide the trace by the number d of features and not by the dimension of sw. The scatter outside
		// the span of the samples is 0.
		projection.Shrink(sw, s, projection.Trace(sw)/float64(d))
	}
	v, mu, err = solvePencil(ctx, sb, sw, total, min(p, r))
	return basis, v, mu, err
}

// localScatter returns S̃_w and S̃_b of centered samples. Both matrices are sums over pairs and
// have the form XᵀLX, where L is the graph Laplacian of the weights. Let S_c be the scatter of
// class c, let A be its affinity matrix, and let G_c = X_cᵀ(diag(A1) − A)X_c. Then
//
//	S̃_w = Σ_c G_c/n_c   S̃_b = XᵀX − Σ_c (n_c/n) S_c + Σ_c (1/n − 1/n_c) G_c
func localScatter(ctx context.Context, x *mat.Dense, classes [][]int, k int) (sw, sb *mat.Dense, err error) {
	n, d := x.Dims()
	within, between := mat.NewDense(n, d, nil), mat.DenseCopyOf(x)
	for _, rows := range classes {
		xc := projection.Gather(ctx, x, rows)
		nc := len(rows)
		a := mat.NewDense(nc, nc, nil)
		if err := Affinity(ctx, dense.View(a), dense.View(xc), k); err != nil {
			return nil, nil, err
		}
		lap := projection.Product(ctx, a, xc)
		around := projection.Centered(ctx, xc)
		for i, r := range rows {
			if ctx.Err() != nil {
				return nil, nil, context.Cause(ctx)
			}
			degree := 0.
			for _, v := range a.RawRowView(i) {
				degree += v
			}
			xi, li, ci := xc.RawRowView(i), lap.RawRowView(i), around.RawRowView(i)
			wi, bi := within.RawRowView(r), between.RawRowView(r)
			for j := range d {
				g := math.FMA(degree, xi[j], -li[j])
				wi[j] = g / float64(nc)
				bi[j] += math.FMA(1/float64(n)-1/float64(nc), g, -float64(float64(nc)/float64(n)*ci[j]))
			}
		}
	}
	sw = projection.SymmetricProduct(ctx, x, within)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	return sw, projection.SymmetricProduct(ctx, x, between), nil
}
