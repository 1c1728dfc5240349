package gram

import (
	"math"
	"sync"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/project"
)

// Columns contains the rows of a matrix z, packed as the second operand of [Columns.SqEuclidean]. A
// Columns takes as much memory as z. It also refers to z, so z must not change. The zero value is
// ready for Reset. Packed Columns are safe for concurrent use.
type Columns[T num.Float] struct {
	n, d  int
	z     []T
	ldz   int
	width int // number of columns of a tile
	step  int // maximum number of features in a piece
	// packed contains the matrix z times −2, divided into pieces of consecutive features. Each piece
	// consists of tiles.
	// A tile is a features × width matrix. In the first piece, a tile begins with a row of ones and a
	// row of norms.
	packed        []T
	norms, bounds []T // for each column: ‖z_j‖², and the bound for closePairs (see setBounds)

	// If panels is set, all tiles have the same width and contain no norms. The last tile is padded
	// with columns of zeros. If onePiece is set, packed contains one piece of features at a time.
	panels, onePiece bool
}

// Reset replaces z by a different n × d matrix and reuses the memory of c. All rows must be packed
// before c is used.
func (c *Columns[T]) Reset(n, d int, z []T, ldz int) { c.reset(n, d, z, ldz, false) }

// reset implements Reset, and sets c.onePiece to onePiece. If onePiece is true, it also sets
// c.panels.
func (c *Columns[T]) reset(n, d int, z []T, ldz int, onePiece bool) {
	asm.CheckMatrix(len(z), n, d, ldz)
	pieces := max(1, (d+depth-1)/depth)
	c.n, c.d, c.z, c.ldz, c.step = n, d, z, ldz, (d+pieces-1)/pieces
	c.panels, c.onePiece, c.width = onePiece || usePanels[T](n), onePiece, tileWidth[T]()
	padded, size := n, n*(d+2)
	if c.panels {
		c.width = project.PanelColumns[T]()
		padded = c.padded()
		size = padded * d
		if onePiece {
			size = padded * c.step
		}
	}
	c.norms, c.bounds, c.packed = grow(c.norms, padded), grow(c.bounds, padded), grow(c.packed, size)
	clear(c.norms[n:])
}

// padded returns c.n, rounded up to a multiple of c.width.
func (c *Columns[T]) padded() int { return (c.n + c.width - 1) / c.width * c.width }

// Pack packs rows i … j−1 of z. i must be a multiple of [Unit]. j must be n or a multiple of Unit.
// Goroutines may pack different rows concurrently.
func (c *Columns[T]) Pack(i, j int) {
	if i < 0 || i%Unit != 0 || j < i || j > c.n || j%Unit != 0 && j != c.n {
		panic(asm.ShapePanic)
	}
	if i == j || c.d == 0 {
		return
	}
	for ; i < j; i += Unit {
		c.packUnit(i, min(i+Unit, j))
	}
}

// packUnit packs rows i … j−1 of z, at most Unit rows. packUnit first computes the norms and then
// reads the rows again to pack them. The rows are few enough to stay in the cache between the two
// reads.
func (c *Columns[T]) packUnit(i, j int) {
	setNorms(c.norms[i:j], c.d, c.z[i*c.ldz:], c.ldz)
	setBounds(c.bounds[i:j], c.norms[i:j])
	for k := 0; k < c.d; k += c.step {
		deep := min(c.step, c.d-k)
		if c.panels {
			c.packPiece(i, j, k, deep)
			continue
		}
		terms := deep
		if k == 0 {
			terms += 2
		}
		for t := i; t < j; t += c.width {
			wide := min(c.width, j-t)
			to := c.tile(k, t, terms)
			if k == 0 {
				for r, norm := range c.norms[t:][:wide] {
					to[r], to[wide+r] = 1, norm
				}
				to = to[2*wide:]
			}
			packTile(to, wide, deep, c.z[t*c.ldz+k:], c.ldz)
		}
	}
}

// packPiece packs the features k … k+deep−1 of rows i … j−1.
func (c *Columns[T]) packPiece(i, j, k, deep int) {
	for t := i; t < j; t += c.width {
		packPanel(c.panel(k, t, deep), c.width, min(c.width, j-t), deep, c.z[t*c.ldz+k:], c.ldz, -2)
	}
}

// panel returns the packed panel that begins at feature k and column j. deep is the number of
// features in the panel.
func (c *Columns[T]) panel(k, j, deep int) []T {
	if c.onePiece {
		k = 0
	}
	return c.packed[c.padded()*k+j*deep:]
}

// packPanel transposes the rows of z and multiplies the elements by factor. The result is a d × w
// matrix. If z has fewer than w rows, the remaining columns of the result are zero.
func packPanel[T num.Float](to []T, w, rows, d int, z []T, ldz int, factor T) {
	r := 0
	for ; r+4 <= rows; r += 4 {
		project.Pack(d, to[r:], w, z[r*ldz:], ldz, factor)
	}
	for ; r < w; r++ {
		for k := range d {
			to[k*w+r] = 0
			if r < rows {
				to[k*w+r] = factor * z[r*ldz+k]
			}
		}
	}
}

// tile returns the packed tile that begins at feature k and column j.
func (c *Columns[T]) tile(k, j, terms int) []T {
	if k > 0 {
		k += 2
	}
	return c.packed[c.n*k+j*terms:]
}

// tileWidth returns the number of columns of a register tile of project.Mul.
func tileWidth[T num.Float]() int {
	switch asm.Current() {
	case asm.AVX512:
		return 3 * num.Lanes[T]()
	case asm.NEON:
		return num.Lanes[T]()
	}
	return num.Lanes[T]() * 3 / 2
}

// packTile transposes w rows of z and multiplies the elements by −2. The result is a d × w matrix.
func packTile[T num.Float](to []T, w, d int, z []T, ldz int) {
	r := 0
	for ; r+4 <= w; r += 4 { // copying four rows at a time needs fewer cache-line accesses
		z0 := z[r*ldz:][:d]
		z1 := z[(r+1)*ldz:][:d]
		z2 := z[(r+2)*ldz:][:d]
		z3 := z[(r+3)*ldz:][:d]
		for f := range z0 {
			p := to[f*w+r:][:4]
			p[0], p[1], p[2], p[3] = -2*z0[f], -2*z1[f], -2*z2[f], -2*z3[f]
		}
	}
	for ; r < w; r++ {
		for f, v := range z[r*ldz:][:d] {
			to[f*w+r] = -2 * v
		}
	}
}

// setNorms sets norms to the squared norms of the rows of x. If there are too few rows for
// project.Norms, setNorms computes the squared distances from the origin, which are bit-identical
// to the norms.
func setNorms[T num.Float](norms []T, d int, x []T, ldx int) {
	rows := project.NormRows[T]()
	if len(norms) < rows {
		var origin [depth]T
		for k := 0; k < d; k += depth {
			distance.SqEuclidean(len(norms), 1, min(depth, d-k), norms, 1, x[k:], ldx, origin[:], 1, k > 0)
		}
		return
	}
	for i := 0; i < len(norms); i += rows {
		i = min(i, len(norms)-rows) // the last call computes some norms again
		project.Norms(d, norms[i:], x[i*ldx:], ldx, false)
	}
}

// setBounds computes the bounds that closePairs adds to the results of LogColumnMax. The bounds
// depend on the norms of the columns.
func setBounds[T num.Float](bounds, norms []T) {
	for c, norm := range norms {
		bounds[c] = T(norm*slack) + 2*leastDistance[T]()
		if !(norm < limit[T]()) {
			bounds[c] = T(math.Inf(1))
		}
	}
}

// workspace is scratch memory. One call uses it at a time, and later calls reuse it.
type workspace[T num.Float] struct {
	columns       Columns[T] // for SqEuclidean
	xs            []T        // packed rows of x
	rows          []T        // norms of all rows of x
	share         []T        // for LogColumnMax
	high, lowest  []T        // for each column: the result of LogColumnMax, and −Inf as its initial value
	norms, bounds []T        // like Columns.norms and Columns.bounds, but for columns that are not packed
	both          []T        // a row of ones and the row norms
	list          []int      // close columns
	gathered      []T        // elements of the close columns
	again         []T        // recomputed distances of the close columns
	origin        []T        // zeros

	// Only panels use the fields below. own contains the squared norms of a block of rows, and shares
	// contains these norms times slack. top contains, for each column, the largest difference between
	// the share of a row and its distance. edge contains distances in columns that do not fill a panel, and tail
	// contains distances in rows that do not fill a tile.
	own, shares, top []T
	edge, tail       []T
}

var pool64, pool32 sync.Pool

func borrowWorkspace[T num.Float]() *workspace[T] {
	pool := &pool32
	if num.IsFloat64[T]() {
		pool = &pool64
	}
	if w, ok := pool.Get().(*workspace[T]); ok {
		return w
	}
	w := &workspace[T]{
		xs: make([]T, blockRows*(depth+2)), share: make([]T, blockRows),
		high: make([]T, panelBlock), lowest: make([]T, panelBlock),
		norms: make([]T, block), bounds: make([]T, block), both: make([]T, 2*block),
		list: make([]int, 0, panelBlock), gathered: make([]T, maxGathered*depth),
		again: make([]T, blockRows*maxGathered), origin: make([]T, depth),
		own: make([]T, blockRows), shares: make([]T, blockRows), top: make([]T, panelBlock),
		edge: make([]T, manyRows*project.PanelColumns[T]()), tail: make([]T, 4*panelBlock),
	}
	for i := range w.lowest {
		w.lowest[i] = T(math.Inf(-1))
	}
	return w
}

func returnWorkspace[T num.Float](w *workspace[T]) {
	w.columns.z = nil
	if num.IsFloat64[T]() {
		pool64.Put(w)
	} else {
		pool32.Put(w)
	}
}

// grow returns a slice of n elements. It reuses the memory of s if s is large enough.
func grow[T num.Float](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// rowNorms computes the norms of m rows of x.
func (w *workspace[T]) rowNorms(m, d int, x []T, ldx int) {
	w.rows = grow(w.rows, m)
	setNorms(w.rows, d, x, ldx)
}

// packRows packs the features k … k+d−1 of the rows of x and returns the length of a packed row. If
// k is 0, each packed row begins with two extra terms: the squared norm of the row, and then the
// constant 1.
func (w *workspace[T]) packRows(norms []T, k, d int, x []T, ldx int) (terms int) {
	terms = d
	if k == 0 {
		terms += 2
	}
	for r, norm := range norms {
		to := w.xs[r*terms:][:terms]
		if k == 0 {
			to[0], to[1] = norm, 1
		}
		copy(to[terms-d:], x[r*ldx:][:d])
	}
	return terms
}

// gatherColumns copies d features of the listed columns to w.gathered.
func (w *workspace[T]) gatherColumns(list []int, d int, z []T, colz, featz int) {
	n := len(list)
	for r, c := range list {
		from := z[c*colz:]
		for f := range d {
			w.gathered[f*n+r] = from[f*featz]
		}
	}
}
