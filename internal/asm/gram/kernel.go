package gram

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/project"
)

// Features is the smallest number of features for which this package is used. Package distance
// computes distances of fewer features.
const Features = 64

// Results do not depend on these block sizes.
const (
	depth       = 264 // features
	blockRows   = 96  // maximum number of rows of x in a block
	group       = 12  // number of rows of x in one search for close pairs
	maxGathered = 24  // maximum number of close rows of z in one call of distance.SqEuclidean

	block          = 960     // maximum number of columns that SqEuclidean packs at a time
	packedElements = 1 << 19 // maximum number of elements that SqEuclidean packs at a time

	// Unit is a multiple of the width of every tile and divides blockRows. blockRows divides block.
	// Callers may split columns at multiples of Unit.
	Unit = 48
)

// SqEuclidean sets the m × n matrix dst to the squared distances between the rows of x (m × d) and
// of z (n × d). If z is x, SqEuclidean computes only half of the distances.
func SqEuclidean[T num.Float](m, n, d int, dst []T, ldd int, x []T, ldx int, z []T, ldz int) {
	asm.CheckMatrix(len(dst), m, n, ldd)
	asm.CheckMatrix(len(x), m, d, ldx)
	asm.CheckMatrix(len(z), n, d, ldz)
	if m == 0 || n == 0 {
		return
	}
	if d == 0 {
		zeroFeatures(m, n, dst, ldd)
		return
	}
	if asm.Current() == asm.Ref {
		sqEuclideanRef(m, n, d, dst, ldd, x, ldx, z, ldz, 1)
		return
	}
	w := borrowWorkspace[T]()
	defer returnWorkspace(w)
	w.rows = grow(w.rows, m)
	half := m == n && ldx == ldz && &x[0] == &z[0]
	if usePanels[T](n) {
		w.panelSqEuclidean(m, n, d, half, dst, ldd, x, ldx, z, ldz)
		return
	}
	// Divide the columns into blocks of similar size. The size is a multiple of blockRows, so the
	// diagonal crosses only one column block in every row block.
	wide := max(min(block, packedElements/d/blockRows*blockRows), blockRows)
	blocks := (n + wide - 1) / wide
	wide = ((n+blocks-1)/blocks + blockRows - 1) / blockRows * blockRows
	for j := 0; j < n; j += wide {
		w.columns.Reset(min(wide, n-j), d, z[j*ldz:], ldz)
		w.columns.Pack(0, w.columns.n)
		if !half {
			w.tileDistances(&w.columns, 0, w.columns.n, m, w.rows, j == 0, dst[j:], ldd, x, ldx)
			continue
		}
		for i := j; i < m; i += blockRows { // compute only the columns up to the diagonal
			rows := min(blockRows, m-i)
			w.tileDistances(&w.columns, 0, min(w.columns.n, i+rows-j), rows, w.rows[i:], j == 0, dst[i*ldd+j:], ldd, x[i*ldx:], ldx)
			mirror(dst, ldd, i, rows, j, min(w.columns.n, i-j))
		}
	}
}

// SqEuclideanTrans is like SqEuclidean, but takes zt, the d × n transpose of z. It does not copy zt to a
// packed layout. For more than a few rows of x, [Columns.SqEuclidean] is faster.
func SqEuclideanTrans[T num.Float](m, n, d int, dst []T, ldd int, x []T, ldx int, zt []T, ldz int) {
	asm.CheckMatrix(len(dst), m, n, ldd)
	asm.CheckMatrix(len(x), m, d, ldx)
	asm.CheckMatrix(len(zt), d, n, ldz)
	if m == 0 || n == 0 {
		return
	}
	if d == 0 {
		zeroFeatures(m, n, dst, ldd)
		return
	}
	if asm.Current() == asm.Ref {
		sqEuclideanRef(m, n, d, dst, ldd, x, ldx, zt, 1, ldz)
		return
	}
	w := borrowWorkspace[T]()
	defer returnWorkspace(w)
	w.rowNorms(m, d, x, ldx)
	for j := 0; j < n; j += block {
		w.stripDistances(m, min(block, n-j), d, dst[j:], ldd, x, ldx, zt[j:], ldz)
	}
}

// SqEuclidean sets the m × n matrix dst to the squared distances between the rows of x (m × d) and
// the rows j … j+n−1 of z. j must be a multiple of [Unit].
func (c *Columns[T]) SqEuclidean(j, m, n int, dst []T, ldd int, x []T, ldx int) {
	asm.CheckMatrix(len(dst), m, n, ldd)
	asm.CheckMatrix(len(x), m, c.d, ldx)
	if j < 0 || j%Unit != 0 || n < 0 || n > c.n-j {
		panic(asm.ShapePanic)
	}
	if m == 0 || n == 0 {
		return
	}
	if c.d == 0 {
		zeroFeatures(m, n, dst, ldd)
		return
	}
	if asm.Current() == asm.Ref {
		sqEuclideanRef(m, n, c.d, dst, ldd, x, ldx, c.z[j*c.ldz:], c.ldz, 1)
		return
	}
	w := borrowWorkspace[T]()
	defer returnWorkspace(w)
	w.rows = grow(w.rows, m)
	if c.panels {
		for from := j; from < j+n; from += panelBlock {
			w.panelDistances(c, from, min(panelBlock, j+n-from), m, false, w.rows, from == j, dst[from-j:], ldd, x, ldx)
		}
		return
	}
	for from := j; from < j+n; from += block {
		w.tileDistances(c, from, min(block, j+n-from), m, w.rows, from == j, dst[from-j:], ldd, x, ldx)
	}
}

// zeroFeatures sets dst to the distances of rows without features.
func zeroFeatures[T num.Float](m, n int, dst []T, ldd int) {
	for i := range m {
		clear(dst[i*ldd:][:n])
	}
}

// tileDistances computes the distances between m rows of x and the packed columns j … j+n−1. The
// slice norms has an element for the squared norm of each row. If first is true, tileDistances sets
// these elements. Otherwise it reads them.
func (w *workspace[T]) tileDistances(c *Columns[T], j, n, m int, norms []T, first bool, dst []T, ldd int, x []T, ldx int) {
	height := blockRows
	if c.d > depth {
		height = Unit // dst is read again for each block of features and should stay in the cache
	}
	for i := 0; i < m; i += height {
		rows := min(height, m-i)
		own := norms[i : i+rows]
		if first {
			setNorms(own, c.d, x[i*ldx:], ldx)
		}
		for k := 0; k < c.d; k += c.step {
			xs, lds, terms := x[i*ldx+k:], ldx, min(c.step, c.d-k)
			if k == 0 { // the first piece also contains the norms
				terms = w.packRows(own, k, terms, xs, ldx)
				xs, lds = w.xs, terms
			}
			for t := j; t < j+n; t += c.width {
				wide := min(c.width, c.n-t)
				project.Mul(rows, min(wide, j+n-t), terms, dst[i*ldd+t-j:], ldd, xs, lds, c.tile(k, t, terms), wide, k > 0)
			}
		}
		w.recomputeClose(own, n, c.d, dst[i*ldd:], ldd, x[i*ldx:], ldx, c.z[j*c.ldz:], c.ldz, 1, c.norms[j:j+n], c.bounds[j:j+n])
	}
}

// stripDistances is like tileDistances for a transposed z that is not packed. In the products, the
// factor −2 is applied to x, not to z.
func (w *workspace[T]) stripDistances(m, n, d int, dst []T, ldd int, x []T, ldx int, zt []T, ldz int) {
	norms, bounds := w.norms[:n], w.bounds[:n]
	for k := 0; k < d; k += depth {
		distance.SqEuclidean(1, n, min(depth, d-k), norms, n, w.origin, depth, zt[k*ldz:], ldz, k > 0)
	}
	setBounds(bounds, norms)
	copy(w.both[n:], norms)
	for c := range n {
		w.both[c] = 1
	}
	for i := 0; i < m; i += blockRows {
		rows := min(blockRows, m-i)
		for k := 0; k < d; k += depth {
			deep := min(depth, d-k)
			terms := w.packRows(w.rows[i:i+rows], k, deep, x[i*ldx+k:], ldx)
			xs := w.xs[terms-deep:]
			if k == 0 {
				project.Mul(rows, n, 2, dst[i*ldd:], ldd, w.xs, terms, w.both, n, false)
			}
			for r := range rows {
				for f, v := range xs[r*terms:][:deep] {
					xs[r*terms+f] = -2 * v
				}
			}
			project.Mul(rows, n, deep, dst[i*ldd:], ldd, xs, terms, zt[k*ldz:], ldz, true)
		}
		w.recomputeClose(w.rows[i:i+rows], n, d, dst[i*ldd:], ldd, x[i*ldx:], ldx, zt, 1, ldz, norms, bounds)
	}
}

// recomputeClose computes the distances of close pairs again, as sums of squared differences. rowNorms
// and columnNorms are the squared norms of the rows of x and of the n columns of z. Element k of column
// j is z[j*colz+k*featz].
func (w *workspace[T]) recomputeClose(rowNorms []T, n, d int, dst []T, ldd int, x []T, ldx int, z []T, colz, featz int, columnNorms, bounds []T) {
	at, size := 0, group
	for at < len(rowNorms) {
		size = min(size, len(rowNorms)-at)
		own := rowNorms[at : at+size]
		list := w.closePairs(size, n, dst[at*ldd:], ldd, own, columnNorms, bounds)
		for c := 0; c < len(list); c += maxGathered {
			some := list[c:min(c+maxGathered, len(list))]
			for k := 0; k < d; k += depth {
				deep := min(depth, d-k)
				w.gatherColumns(some, deep, z[k*featz:], colz, featz)
				distance.SqEuclidean(size, len(some), deep, w.again, maxGathered, x[at*ldx+k:], ldx, w.gathered, len(some), k > 0)
			}
			for r, norm := range own {
				row := dst[(at+r)*ldd:]
				for q, to := range some {
					if !isFar(row[to], norm, columnNorms[to]) {
						row[to] = w.again[r*maxGathered+q]
					}
				}
			}
		}
		at += size
		if size = group; len(list) > n/4 {
			size = blockRows // many columns contain close pairs, so gather these columns for more rows at a time
		}
	}
}

// closePairs returns the columns of the m × n matrix dst that contain the distance of a close pair.
// Let D_ij be the distance of x_i and z_j. For each column j, LogColumnMax computes the maximum of
// ‖x_i‖²·slack − D_ij over i. The maximum is at least −‖z_j‖²·slack if column j contains a close pair.
func (w *workspace[T]) closePairs(m, n int, dst []T, ldd int, rows, norms, bounds []T) []int {
	high, share := w.high[:n], w.share[:m]
	copy(high, w.lowest)
	every := false
	for r, norm := range rows {
		share[r] = norm * slack
		every = every || !(norm < limit[T]())
	}
	exp.LogColumnMax(m, n, dst, ldd, 1, share, high)
	list := w.list[:0]
	bounds = bounds[:n]
	for c, h := range high {
		if h+bounds[c] < 0 && !every {
			continue
		}
		for r, norm := range rows {
			if !isFar(dst[r*ldd+c], norm, norms[c]) {
				list = append(list, c)
				break
			}
		}
	}
	return list
}

// slack is slightly more than 1/closeness, so that every close pair is found in spite of rounding
// errors.
const slack = 1.001 / closeness

// mirror copies an m × n submatrix of dst to its transposed position above the diagonal. The
// submatrix begins at row i and column j, below the diagonal.
func mirror[T num.Float](dst []T, ldd, i, m, j, n int) {
	const b = 8 // number of float64 elements in a cache line
	for c := 0; c < n; c += b {
		for r := range m {
			from := dst[(i+r)*ldd+j+c:][:min(b, n-c)]
			for q, v := range from {
				dst[(j+c+q)*ldd+i+r] = v
			}
		}
	}
}
