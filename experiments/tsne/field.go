package tsne

import (
	"context"
	"math"
	"sync"

	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/parallel"
)

// The n × n pairs of positions are processed in tiles of tileRows × tileCols. The two tiles of a worker, 64 KiB each,
// fit into the second-level cache.
const (
	tileRows = 32
	tileCols = 256
)

// field computes the forces between the positions y_i. With the definitions
//
//	w_ij = (1 + ‖y_i − y_j‖²)⁻¹ for i ≠ j, w_ii = 0,   Z = Σ_kl w_kl,   q_ij = w_ij/Z
//
// the gradient of equation 5 is
//
//	∂C/∂y_i = 4 Σ_j (p_ij − q_ij) w_ij (y_i − y_j)
//	        = 4 ( a_i y_i − Σ_j p_ij w_ij y_j ) − 4/Z ( r_i y_i − Σ_j w_ij² y_j )
//	a_i = Σ_j p_ij w_ij,   r_i = Σ_j w_ij²
//
// In this form, Z is a factor outside the sums. One pass over the tiles is therefore enough,
// although Z is known only at the end of the pass.
type field struct {
	workers int
	joint   matrix.Matrix[float64] // P
	n, dims int
	// Row i of rows is (1, y_i), and column j of columns is (0, y_j). Their squared distance is
	// 1 + ‖y_i − y_j‖². Because of the leading 1, the first column of attraction contains a_i, and the
	// first column of repulsion contains r_i.
	rows, columns matrix.Matrix[float64]
	sums          []float64              // Σ_j w_ij for each i
	attraction    matrix.Matrix[float64] // n × (1 + dims): Σ_j p_ij w_ij (1, y_j)
	repulsion     matrix.Matrix[float64] // n × (1 + dims): Σ_j w_ij² (1, y_j)
	ones          []float64
	tiles         sync.Pool
}

type tile struct {
	d, w matrix.Matrix[float64] // distances d_ij = 1 + ‖y_i − y_j‖², and weights computed from them
	sums [tileRows]float64
}

func newField(workers int, joint matrix.Matrix[float64], dims int) *field {
	n, k := joint.Rows, dims+1
	f := &field{workers: workers, joint: joint, n: n, dims: dims}
	f.rows, f.columns = matrix.New[float64](n, k, nil), matrix.New[float64](k, n, nil)
	f.attraction, f.repulsion = matrix.New[float64](n, k, nil), matrix.New[float64](n, k, nil)
	f.sums, f.ones = make([]float64, n), make([]float64, tileCols)
	for j := range f.ones {
		f.ones[j] = 1
	}
	f.tiles.New = func() any {
		return &tile{d: matrix.New[float64](tileRows, tileCols, nil), w: matrix.New[float64](tileRows, tileCols, nil)}
	}
	return f
}

// place sets the positions (n × dims).
func (f *field) place(y []float64) {
	for i := range f.n {
		row := f.rows.Row(i)
		row[0] = 1
		copy(row[1:], y[i*f.dims:])
	}
	matrix.Transpose(f.columns, f.rows)
	clear(f.columns.Row(0))
}

// distances returns the matrix of 1 + ‖y_r − y_l‖² for i ≤ r < j and c ≤ l < e. The matrix is a
// part of the tile t.
func (f *field) distances(t matrix.Matrix[float64], i, j, c, e int) matrix.Matrix[float64] {
	d := t.RowRange(0, j-i).ColRange(0, e-c)
	matrix.SqEuclideanTrans(d, f.rows.RowRange(i, j), f.columns.ColRange(c, e))
	return d
}

// gradient sets grad (n × dims) to the gradient ∂C/∂Y with P multiplied by exaggeration. If the
// context ends, it returns the context's cause.
func (f *field) gradient(ctx context.Context, grad []float64, exaggeration float64) error {
	if err := parallel.ForContext(ctx, f.workers, f.n, tileRows, f.forces); err != nil {
		return err
	}
	z := 0.
	for _, s := range f.sums {
		z += s
	}
	for i := range f.n {
		y, a, r := f.rows.Row(i), f.attraction.Row(i), f.repulsion.Row(i)
		for l := 1; l <= f.dims; l++ {
			pull := float64(a[0]*y[l]) - a[l]
			push := float64(r[0]*y[l]) - r[l]
			grad[i*f.dims+l-1] = 4 * (float64(exaggeration*pull) - push/z)
		}
	}
	return nil
}

// forces computes the rows i ≤ r < j of the fields sums, attraction and repulsion.
func (f *field) forces(i, j int) {
	t := f.tiles.Get().(*tile)
	defer f.tiles.Put(t)
	clear(f.sums[i:j])
	for c := 0; c < f.n; c += tileCols {
		e := min(c+tileCols, f.n)
		d := f.distances(t.d, i, j, c, e)
		w, ones := t.w.RowRange(0, d.Rows).ColRange(0, d.Cols), f.ones[:d.Cols]
		// Compute w_ij as 1/d_ij. Products with w_ij are computed as divisions by d_ij, because package
		// pass has a kernel for division.
		for r := range d.Rows {
			row := w.Row(r)
			pass.Divide(row, ones, d.Row(r))
			if self := i + r - c; self >= 0 && self < len(row) {
				row[self] = 0
			}
		}
		matrix.MulVec(t.sums[:d.Rows], w, ones)
		for r, s := range t.sums[:d.Rows] {
			f.sums[i+r] += s
		}
		y := f.rows.RowRange(c, e)
		for r := range d.Rows {
			pass.Divide(w.Row(r), w.Row(r), d.Row(r))
		}
		matrix.Mul(f.repulsion.RowRange(i, j), w, y, c > 0)
		for r := range d.Rows {
			pass.Divide(d.Row(r), f.joint.Row(i + r)[c:e], d.Row(r))
		}
		matrix.Mul(f.attraction.RowRange(i, j), d, y, c > 0)
	}
}

// divergence returns KL(P‖Q) = Σ p_ij log(p_ij (1 + ‖y_i − y_j‖²)) + log Z. If the context ends, it
// returns NaN.
func (f *field) divergence(ctx context.Context) float64 {
	terms := make([]float64, f.n)
	err := parallel.ForContext(ctx, f.workers, f.n, tileRows, func(i, j int) {
		t := f.tiles.Get().(*tile)
		defer f.tiles.Put(t)
		for r := i; r < j; r++ {
			terms[r], f.sums[r] = 0, 0
		}
		for c := 0; c < f.n; c += tileCols {
			tile := f.distances(t.d, i, j, c, min(c+tileCols, f.n))
			for r := i; r < j; r++ {
				p := f.joint.Row(r)[c:][:tile.Cols]
				for l, d := range tile.Row(r - i) {
					if c+l == r {
						continue
					}
					f.sums[r] += 1 / d
					if p[l] > 0 {
						terms[r] += float64(p[l] * num.Log(float64(p[l]*d)))
					}
				}
			}
		}
	})
	if err != nil {
		return math.NaN()
	}
	z, kl := 0., 0.
	for i := range f.n {
		z += f.sums[i]
		kl += terms[i]
	}
	return kl + num.Log(z)
}
