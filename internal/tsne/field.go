package tsne

import (
	"sync"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/project"
)

// A tile of the n × n pairs, tileRows × tileCols, is all that a worker holds of them
// besides P: 64 KiB twice, which stay in the second-level cache.
const (
	tileRows = 32
	tileCols = 256
)

// field is the forces between the positions y_i. With
//
//	w_ij = (1 + ‖y_i − y_j‖²)⁻¹ for i ≠ j, w_ii = 0,   Z = Σ_kl w_kl,   q_ij = w_ij/Z
//
// the gradient of equation 5 is
//
//	∂C/∂y_i = 4 Σ_j (p_ij − q_ij) w_ij (y_i − y_j)
//	        = 4 ( a_i y_i − Σ_j p_ij w_ij y_j ) − 4/Z ( r_i y_i − Σ_j w_ij² y_j )
//	a_i = Σ_j p_ij w_ij,   r_i = Σ_j w_ij²
//
// so that one pass over the tiles is enough, although Z is known at its end only.
type field struct {
	level   asm.Level
	workers int
	joint   dist.Matrix[float64] // P
	n, dims int
	// Rows (1, y_i) and, transposed, (0, y_i): the kernel of squared distances between
	// them is 1 + ‖y_i − y_j‖², and the products with the former give a_i or r_i along.
	rows, columns []float64
	sums          []float64 // Σ_j w_ij of each i
	attraction    []float64 // n × (1 + dims): Σ_j p_ij w_ij (1, y_j)
	repulsion     []float64 // n × (1 + dims): Σ_j w_ij² (1, y_j)
	ones          []float64
	tiles         sync.Pool
}

type tile struct {
	d, w []float64 // 1 + ‖y_i − y_j‖², and what is made of it
	sums [tileRows]float64
}

func newField(level asm.Level, workers int, joint dist.Matrix[float64], dims int) *field {
	n, k := joint.Rows, dims+1
	f := &field{level: level, workers: workers, joint: joint, n: n, dims: dims}
	f.rows, f.columns = make([]float64, n*k), make([]float64, k*n)
	f.sums, f.attraction, f.repulsion = make([]float64, n), make([]float64, n*k), make([]float64, n*k)
	f.ones = make([]float64, tileCols)
	for j := range f.ones {
		f.ones[j] = 1
	}
	f.tiles.New = func() any {
		return &tile{d: make([]float64, tileRows*tileCols), w: make([]float64, tileRows*tileCols)}
	}
	return f
}

// place sets the positions (n × dims).
func (f *field) place(y []float64) {
	k := f.dims + 1
	for i := range f.n {
		f.rows[i*k] = 1
		for l := range f.dims {
			v := y[i*f.dims+l]
			f.rows[i*k+1+l], f.columns[(1+l)*f.n+i] = v, v
		}
	}
}

// distances sets d (stride tileCols) to 1 + ‖y_i − y_j‖² for rows i … i+m−1 and columns
// j … j+c−1.
func (f *field) distances(d []float64, i, m, j, c int) {
	k := f.dims + 1
	distance.SqDist(f.level, m, c, k, d, tileCols, f.rows[i*k:], k, f.columns[j:], f.n, false)
}

// gradient sets grad (n × dims) to ∂C/∂Y with exaggeration times P.
func (f *field) gradient(grad []float64, exaggeration float64) {
	each(f.workers, f.n, tileRows, f.forces)
	z := 0.
	for _, s := range f.sums {
		z += s
	}
	k := f.dims + 1
	for i := range f.n {
		y, a, r := f.rows[i*k:][:k], f.attraction[i*k:][:k], f.repulsion[i*k:][:k]
		for l := 1; l < k; l++ {
			pull := float64(a[0]*y[l]) - a[l]
			push := float64(r[0]*y[l]) - r[l]
			grad[i*f.dims+l-1] = 4 * (float64(exaggeration*pull) - push/z)
		}
	}
}

// forces sets the sums of rows i … j−1.
func (f *field) forces(i, j int) {
	t := f.tiles.Get().(*tile)
	defer f.tiles.Put(t)
	k, m := f.dims+1, j-i
	clear(f.sums[i:j])
	for c := 0; c < f.n; c += tileCols {
		width := min(tileCols, f.n-c)
		f.distances(t.d, i, m, c, width)
		// Products with w_ij are quotients by its inverse d_ij: there is a kernel for these.
		for r := range m {
			d, w := t.d[r*tileCols:][:width], t.w[r*tileCols:][:width]
			pass.Divide(f.level, w, f.ones, d)
			if self := i + r - c; self >= 0 && self < width {
				w[self] = 0
			}
		}
		pass.Rows(f.level, m, width, t.sums[:], t.w, tileCols, f.ones)
		for r, s := range t.sums[:m] {
			f.sums[i+r] += s
		}
		b := f.rows[c*k:]
		for r := range m {
			d, w := t.d[r*tileCols:][:width], t.w[r*tileCols:][:width]
			pass.Divide(f.level, w, w, d)
		}
		project.Mul(f.level, m, k, width, f.repulsion[i*k:], k, t.w, tileCols, b, k, c > 0)
		for r := range m {
			d := t.d[r*tileCols:][:width]
			pass.Divide(f.level, d, f.joint.Data[(i+r)*f.n+c:][:width], d)
		}
		project.Mul(f.level, m, k, width, f.attraction[i*k:], k, t.d, tileCols, b, k, c > 0)
	}
}

// divergence returns KL(P‖Q) = Σ p_ij log(p_ij (1 + ‖y_i − y_j‖²)) + log Z.
func (f *field) divergence() float64 {
	terms := make([]float64, f.n)
	each(f.workers, f.n, tileRows, func(i, j int) {
		t := f.tiles.Get().(*tile)
		defer f.tiles.Put(t)
		for r := i; r < j; r++ {
			terms[r], f.sums[r] = 0, 0
		}
		for c := 0; c < f.n; c += tileCols {
			width := min(tileCols, f.n-c)
			f.distances(t.d, i, j-i, c, width)
			for r := i; r < j; r++ {
				p := f.joint.Data[r*f.n+c:][:width]
				for l, d := range t.d[(r-i)*tileCols:][:width] {
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
	z, kl := 0., 0.
	for i := range f.n {
		z += f.sums[i]
		kl += terms[i]
	}
	return kl + num.Log(z)
}
