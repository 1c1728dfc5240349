package gram

import (
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/project"
)

// Results do not depend on these block sizes.
const (
	panelBlock = 2 * block // number of columns packed at a time
	manyRows   = 1920      // maximum number of rows in a group
	manyCells  = 1 << 21   // maximum number of distances for a group of rows; the distances must fit in the third-level cache

	// A product uses panels if it has at least this number of columns. The minimum for float64 is
	// larger, because a call of project.Panel has more overhead than in float32.
	panelColumns64, panelColumns32 = 240, 48
)

// usePanels reports whether a product with n columns uses panels.
func usePanels[T num.Float](n int) bool {
	least := panelColumns32
	if num.IsFloat64[T]() {
		least = panelColumns64
	}
	return n >= least && project.HasPanel()
}

// panelSqEuclidean implements SqEuclidean with panels. The matrices must not be empty.
func (w *workspace[T]) panelSqEuclidean(m, n, d int, half bool, dst []T, ldd int, x []T, ldx int, z []T, ldz int) {
	blocks := (n + panelBlock - 1) / panelBlock
	wide := ((n+blocks-1)/blocks + blockRows - 1) / blockRows * blockRows // as in SqEuclidean
	c := &w.columns
	for j := 0; j < n; j += wide {
		c.reset(min(wide, n-j), d, z[j*ldz:], ldz, true)
		setNorms(c.norms[:c.n], d, c.z, ldz)
		setBounds(c.bounds, c.norms)
		if half {
			w.panelDistances(c, 0, c.n, m-j, true, w.rows[j:], j == 0, dst[j*ldd+j:], ldd, x[j*ldx:], ldx)
		} else {
			w.panelDistances(c, 0, c.n, m, false, w.rows, j == 0, dst[j:], ldd, x, ldx)
		}
	}
}

// panelDistances computes the distances between m rows of x and the packed columns j … j+n−1. The
// slice norms contains the squared norms of the rows. If first is set, panelDistances computes these
// norms. If half is set, row i and column i of dst belong to the same point. panelDistances then
// copies the distances below the diagonal to the positions above the diagonal.
func (w *workspace[T]) panelDistances(c *Columns[T], j, n, m int, half bool, norms []T, first bool, dst []T, ldd int, x []T, ldx int) {
	packed := -1 // first of the features that c.packed contains; used only if c.onePiece is set
	high := max(min(manyRows, manyCells/n/blockRows*blockRows), blockRows)
	for many := 0; many < m; many += high {
		end := min(many+high, m)
		for k := 0; k < c.d; k += c.step {
			deep := min(c.step, c.d-k)
			if c.onePiece && packed != k {
				c.packPiece(0, c.n, k, deep)
				packed = k
			}
			for i := many; i < end; i += blockRows {
				rows, cols := min(blockRows, end-i), n
				if half {
					cols = min(n, i+rows)
				}
				own := norms[i : i+rows]
				if first && k == 0 {
					setNorms(own, c.d, x[i*ldx:], ldx)
				}
				last := k+deep == c.d
				w.panelRows(c, j, cols, k, deep, own, w.edge[(i-many)*c.width:], dst[i*ldd:], ldd, x[i*ldx:], ldx, last)
				if !last {
					continue
				}
				w.recomputeClosePanels(c, j, cols, own, dst[i*ldd:], ldd, x[i*ldx:], ldx)
				if half {
					mirror(dst, ldd, i, rows, 0, min(n, i))
				}
			}
		}
	}
}

// panelRows adds the products of the features k … k+deep−1 to the distances between a block of rows
// and the columns j … j+n−1. A call processes one piece of the features. In the first piece, the
// distances begin with the norms. Between pieces, two kinds of sums are not in dst: edge contains the
// sums of the last columns if they do not fill a panel, and w.tail contains the sums of the last one
// to three rows if the number of rows is not a multiple of four. In the last piece, panelRows copies
// these sums to dst and sets w.top.
func (w *workspace[T]) panelRows(c *Columns[T], j, n, k, deep int, norms, edge, dst []T, ldd int, x []T, ldx int, last bool) {
	rows, width, ldt := len(norms), c.width, len(w.tail)/4
	for r := 0; r < rows; r += 4 {
		packPanel(w.xs[r*deep:], 4, min(4, rows-r), deep, x[r*ldx+k:], ldx, 1)
	}
	var own, shares []T
	if k == 0 {
		own = w.own
		copy(own, norms)
		clear(own[rows:])
	}
	if last {
		shares = w.shares
		copy(shares, w.lowest)
		for r, norm := range norms {
			shares[r] = norm * slack
		}
		for t := 0; t < n; t += width {
			copy(w.top[t:t+width], w.lowest)
		}
	}
	whole := rows / 4 * 4
	for t := 0; t < n; t += width {
		b := c.panel(k, j+t, deep)
		var sums, top []T
		if k == 0 {
			sums = c.norms[j+t:]
		}
		if last {
			top = w.top[t:]
		}
		to, ld := dst[t:], ldd
		if t+width > n {
			to, ld = edge, width
		}
		project.Panel(whole, deep, to, ld, w.xs, b, own, sums, shares, top)
		if whole < rows {
			project.Panel(4, deep, w.tail[t:], ldt, w.xs[whole*deep:], b, sliceFrom(own, whole), sums, sliceFrom(shares, whole), top)
		}
	}
	if !last {
		return
	}
	if t := n / width * width; t < n {
		for r := range whole {
			copy(dst[r*ldd+t:][:n-t], edge[r*width:])
		}
	}
	for r := whole; r < rows; r++ {
		copy(dst[r*ldd:][:n], w.tail[(r-whole)*ldt:])
	}
}

// sliceFrom returns s[i:], or nil if s is nil.
func sliceFrom[T any](s []T, i int) []T {
	if s == nil {
		return nil
	}
	return s[i:]
}

// recomputeClosePanels computes the distances of close pairs again, for a block of rows and the
// columns j … j+n−1. It skips columns that contain no close pair according to w.top and c.bounds.
func (w *workspace[T]) recomputeClosePanels(c *Columns[T], j, n int, norms, dst []T, ldd int, x []T, ldx int) {
	every := false
	for _, norm := range norms {
		every = every || !(norm < limit[T]())
	}
	bounds := c.bounds[j:][:n]
	far := func(t int) bool { return w.top[t]+bounds[t] < 0 && !every }
	for t := 0; t < n; t++ {
		begin := t
		for t < n && !far(t) {
			t++
		}
		if begin < t {
			w.recomputeClose(norms, t-begin, c.d, dst[begin:], ldd, x, ldx, c.z[(j+begin)*c.ldz:], c.ldz, 1, c.norms[j+begin:j+t], bounds[begin:t])
		}
	}
}
