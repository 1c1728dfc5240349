package sinkhorn

import (
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/project"
)

// Everything that touches all n × m elements is a pass. A pass takes blocks of whole
// rows one after the other, from memory or, matrix-free, computed into a buffer: a
// row sum sees its whole row in both cases, and the chains over i go on from block
// to block, so that the bits do not depend on where K is.
//
// The rows of a large problem are cut into pieces, by its size alone. Each piece has
// its own chain over i, that is its own q, and the pieces' are added in ascending
// order. Goroutines take the next piece when they are done with one: who computes it
// makes no difference. Every other pass takes the pieces from the last to the first: what
// the pass before it read last is still in the third-level cache.

// op names a pass. Its operands are in a job.
type op uint8

const (
	opFill      op = iota // cost and kernel, stored only
	opColumns             // q = Kᵀu
	opRows                // r = Kv
	opIterate             // u = a ⊘ Kv, q = Kᵀu
	opLogRows             // log-sum-exp of rows; q = column sums of the plan
	opColumnMax           // q = max_i f_i − c M_ij
	opColumnSum           // q = Σ_i 2^(f_i − c M_ij − h_j)
	opBegin               // r = (K⊙M)v, s = w ⊙ r, q = Kᵀs + (K⊙M)ᵀu
	opSweep               // s = w ⊙ Kv, q = Kᵀs
	opAdjoint             // M̄ of the reverse pass' terms, and what is made of it
	opPlan                // dst = diag(u) K diag(v)
	opProject             // dst = diag(u) K diag(v) Y
	opCheck               // is a cost outside ±limit?
	opMeasure             // distances, stored only
)

// job has the operands of a pass: vectors over rows and over columns.
type job[T dist.Float] struct {
	a, u, w, r, s []T // rows
	v, q, e       []T // columns; q is added to
	gy            []T // of the adjoint pass
	dst           dist.Matrix[T]
	limit         T
}

// base are potentials that K is relative to: K_ij = 2^(f_i + g_j − c M_ij), and
// without potentials 2^(−c M_ij).
type base[T dist.Float] struct {
	id   baseID
	f, g []T
}

// baseID tells bases apart.
type baseID uint8

const (
	noBase baseID = iota
	forwardBase
	reverseBase
)

// worker has the buffers of one goroutine.
type worker[T dist.Float] struct {
	k, d []T // rows of K and M, matrix-free; of K, if Mixed
	e    []T // a row
	g    []T // rows of M̄
}

const (
	bigProblem  = 1 << 19 // elements from which a problem is cut into pieces
	pieceRows   = 64      // at least so many rows a piece
	blockSize   = 1 << 15 // elements of a block that is computed
	storedBlock = 1 << 18 // and of one that is stored, in big problems
	wideBlock   = 1 << 13 // and of one that is stored, and copied on the way
	maxPieces   = 64
	maxPartials = 1 << 20 // elements of all partial sums, if that leaves 16 pieces
	unitRows    = 24      // a multiple of all tiles' rows
)

// cut decides on pieces, by size alone, and on workers.
func (s *Solver[T]) cut() {
	n, m := s.n, s.m
	s.pieces, s.big = 1, n > bigProblem/m
	nw := 1
	if s.big {
		s.pieces = max(1, min(n/pieceRows, maxPieces, max(16, maxPartials/m)))
		nw = min(s.settings.Workers, s.pieces)
	}
	if s.pieces > 1 {
		grow(&s.partials, s.pieces*m)
	}
	for len(s.workers) < nw {
		s.workers = append(s.workers, new(worker[T]))
	}
	if s.free {
		r := s.blockRows()
		for _, w := range s.workers[:nw] {
			grow(&w.k, r*m)
			grow(&w.d, r*m)
		}
	}
}

// blockRows is the number of rows of a block.
func (s *Solver[T]) blockRows() int {
	switch {
	case s.free && s.m <= blockSize/unitRows:
		return min(s.n, blockSize/s.m/unitRows*unitRows)
	case s.free:
		return min(s.n, unitRows/2)
	case s.big:
		return min(s.n, max(unitRows, storedBlock/s.m/unitRows*unitRows))
	}
	return s.n
}

// pieceStart returns the first row of piece p.
func (s *Solver[T]) pieceStart(p int) int { return p * s.n / s.pieces }

// run makes the pass o with the operands in s.job, and reports false if the problem
// is big and the context ended before the pass was complete. Passes over small ones
// do not ask: who makes several does.
func (s *Solver[T]) run(o op) bool {
	s.op = o
	s.stop.Store(false)
	if s.pieces == 1 {
		s.piece(s.workers[0], 0, s.job.q, s.job.gy)
		return !s.stop.Load()
	}
	s.back = !s.back
	if s.take == nil {
		s.take = s.takePiece // once: a method value is an allocation
	}
	s.crew.Each(s.settings.Workers, s.pieces, s.take)
	if s.stop.Load() {
		return false
	}
	s.combine()
	return true
}

// do is run with the context's error.
func (s *Solver[T]) do(o op) error {
	if !s.run(o) {
		return s.ctx.Err()
	}
	return nil
}

// takePiece is what goroutine w does with the piece whose turn it is.
func (s *Solver[T]) takePiece(w, p int) {
	if s.stop.Load() {
		return
	}
	if s.back {
		p = s.pieces - 1 - p
	}
	q := s.partials[p*s.m:][:s.m]
	switch s.op {
	case opFill, opMeasure, opRows, opPlan, opProject, opCheck:
	case opColumnMax:
		copy(q, s.job.q)
	default:
		clear(q)
	}
	var gy []T
	if k := len(s.job.gy); s.op == opAdjoint && k > 0 {
		gy = s.rev.partials[p*k:][:k]
	}
	s.piece(s.workers[w], p, q, gy)
}

// combine adds the pieces' q to that of the job. The partial sums of a gradient stay
// where they are until the last segment.
func (s *Solver[T]) combine() {
	switch s.op {
	case opFill, opMeasure, opRows, opPlan, opProject, opCheck, opAdjoint:
	case opColumnMax:
		for p := range s.pieces {
			for j, h := range s.partials[p*s.m:][:s.m] {
				if h > s.job.q[j] {
					s.job.q[j] = h
				}
			}
		}
	default:
		pass.Columns(s.level, s.pieces, s.m, s.job.q, s.partials, s.m, s.ones)
	}
}

// piece makes the pass over the rows of piece p, block by block.
func (s *Solver[T]) piece(w *worker[T], p int, q, gy []T) {
	lv, m, c, job := s.level, s.m, s.c, &s.job
	first, last, step := s.pieceStart(p), s.pieceStart(p+1), s.blockRows()
	if s.copies() {
		step = min(step, max(8, wideBlock/m/8*8))
	}
	for i := first; i < last; i += step {
		if s.big {
			if s.stop.Load() {
				return
			}
			if s.ctx.Err() != nil {
				s.stop.Store(true)
				return
			}
		}
		r := min(step, last-i)
		if s.narrow != nil && s.mixed(i, r, q) {
			continue
		}
		switch s.op {
		case opFill:
			s.fillRows(w, i, r)
		case opMeasure:
			s.distances(s.cost.Data[i*m:], i, r)
		case opColumns:
			pass.Columns(lv, r, m, q, s.kernelRows(w, i, r), m, job.u[i:])
		case opRows:
			pass.Rows(lv, r, m, job.r[i:], s.kernelRows(w, i, r), m, job.v)
		case opIterate:
			pass.Iterate(lv, r, m, s.kernelRows(w, i, r), m, job.v, job.a[i:], job.u[i:], q)
		case opSweep:
			pass.Sweep(lv, r, m, s.kernelRows(w, i, r), m, job.v, job.w[i:], job.s[i:], q)
		case opLogRows:
			grow(&w.e, m)
			d, ldd := s.costRows(w, i, r)
			exp.LogRows(lv, r, m, d, ldd, -c, job.v, job.a[i:], s.max[i:], s.sum[i:], q, w.e)
		case opColumnMax:
			d, ldd := s.costRows(w, i, r)
			exp.LogColumnMax(lv, r, m, d, ldd, -c, job.u[i:], q)
		case opColumnSum:
			d, ldd := s.costRows(w, i, r)
			exp.LogColumnSum(lv, r, m, d, ldd, -c, job.u[i:], job.e, q)
		case opBegin:
			k, d, ldd := s.bothRows(w, i, r)
			pass.Begin(lv, r, m, k, m, d, ldd, job.v, job.u[i:], job.w[i:], job.r[i:], job.s[i:], q)
		case opAdjoint:
			s.adjointRows(w, i, r, gy)
		case opPlan:
			s.planRows(w, job.dst.Data[i*job.dst.Stride:], job.dst.Stride, i, r)
		case opProject:
			grow(&w.g, r*m)
			s.planRows(w, w.g, m, i, r)
			dst, y := job.dst, s.problem.Y
			project.Mul(lv, r, s.p, m, dst.Data[i*dst.Stride:], dst.Stride, w.g, m, y.Data, y.Stride, false)
		case opCheck:
			d, ldd := s.costRows(w, i, r)
			out := 0
			for k := range r {
				out += pass.CountOutside(lv, d[k*ldd:][:m], -job.limit, job.limit)
			}
			if out > 0 {
				s.outside.Store(true)
			}
		}
	}
}

// copies reports whether the pass puts rows of a stored matrix, or what it makes of
// them, into buffers, which should stay in the second-level cache.
func (s *Solver[T]) copies() bool {
	switch s.op {
	case opAdjoint:
		return !s.free
	case opFill, opBegin, opPlan, opProject:
		return s.narrow != nil
	}
	return false
}

// mixed makes the pass over rows i … i+r−1 of a K in float32, unless it is one that
// takes them widened. T is float64.
func (s *Solver[T]) mixed(i, r int, q []T) bool {
	lv, m, job, k := s.level, s.m, &s.job, s.narrow[i*s.m:]
	switch s.op {
	case opColumns:
		pass.Columns(lv, r, m, q, k, m, job.u[i:])
	case opRows:
		pass.Rows(lv, r, m, job.r[i:], k, m, job.v)
	case opIterate:
		pass.Iterate(lv, r, m, k, m, job.v, job.a[i:], job.u[i:], q)
	case opSweep:
		pass.Sweep(lv, r, m, k, m, job.v, job.w[i:], job.s[i:], q)
	default:
		return false
	}
	return true
}

// planRow sets row 0 of the job's dst to row i of the plan.
func (s *Solver[T]) planRow(i int) { s.planRows(s.workers[0], s.job.dst.Data, s.m, i, 1) }

// planRows sets dst, of stride ld, to rows i … i+r−1 of the plan, M̄ for λ = 0. K stands in
// for M, whose product with u and v may overflow where K is 0.
func (s *Solver[T]) planRows(w *worker[T], dst []T, ld, i, r int) {
	k, _, _ := s.bothRows(w, i, r)
	distance.AdjCost(s.level, r, s.m, 0, dst, ld, k, s.m, k, s.m, nil, 0, nil, 0, s.job.u[i:], s.job.v, 0)
}

// kernelRows returns rows i … i+r−1 of K, of stride m, unless it is in float32.
func (s *Solver[T]) kernelRows(w *worker[T], i, r int) []T {
	if !s.free {
		return s.kernel[i*s.m:]
	}
	m, p, x := s.m, s.p, s.problem.X
	switch {
	case s.base.f != nil:
		s.distances(w.k, i, r)
		exp.LogPlan(s.level, r, m, w.k, m, w.k, m, -s.c, s.base.f[i:], s.base.g)
	case p > fusedDepth:
		s.distances(w.k, i, r)
		exp.Exp2(s.level, w.k[:r*m], w.k[:r*m], s.c)
	default:
		distance.Gibbs(s.level, r, m, p, w.k, m, nil, 0, x.Data[i*x.Stride:], x.Stride, s.zt, m, s.c)
	}
	return w.k
}

// costRows returns rows i … i+r−1 of M and their stride.
func (s *Solver[T]) costRows(w *worker[T], i, r int) ([]T, int) {
	if !s.free {
		return s.cost.Data[i*s.cost.Stride:], s.cost.Stride
	}
	s.distances(w.d, i, r)
	return w.d, s.m
}

// bothRows returns rows i … i+r−1 of K, of stride m, and of M, and their stride.
func (s *Solver[T]) bothRows(w *worker[T], i, r int) (k, d []T, ldd int) {
	m := s.m
	if s.narrow != nil {
		grow(&w.k, r*m)
		pass.Widen(s.level, num.F64(w.k), s.narrow[i*m:])
		return w.k, s.cost.Data[i*s.cost.Stride:], s.cost.Stride
	}
	if !s.free {
		return s.kernel[i*m:], s.cost.Data[i*s.cost.Stride:], s.cost.Stride
	}
	if s.base.f == nil {
		s.gibbs(w.k, w.d, i, r)
	} else {
		s.distances(w.d, i, r)
		exp.LogPlan(s.level, r, m, w.k, m, w.d, m, -s.c, s.base.f[i:], s.base.g)
	}
	return w.k, w.d, m
}

// fillRows sets rows i … i+r−1 of the stored K, and of the stored distances.
func (s *Solver[T]) fillRows(w *worker[T], i, r int) {
	m := s.m
	if s.narrow != nil {
		grow(&w.k, r*m)
		s.kernelTo(w.k, i, r)
		pass.Narrow(s.level, s.narrow[i*m:][:r*m], num.F64(w.k))
		return
	}
	s.kernelTo(s.kernel[i*m:], i, r)
}

// kernelTo sets k to rows i … i+r−1 of K, and the stored distances where they are not
// there yet.
func (s *Solver[T]) kernelTo(k []T, i, r int) {
	m, d := s.m, s.cost
	switch {
	case s.base.f != nil:
		if s.points && !s.measured {
			s.distances(d.Data[i*m:], i, r)
		}
		exp.LogPlan(s.level, r, m, k, m, d.Data[i*d.Stride:], d.Stride, -s.c, s.base.f[i:], s.base.g)
	case s.points && !s.measured:
		s.gibbs(k, d.Data[i*m:], i, r)
	case d.Stride == m:
		exp.Exp2(s.level, k[:r*m], d.Data[i*m:][:r*m], s.c)
	default:
		for l := range r {
			exp.Exp2(s.level, k[l*m:][:m], d.Row(i+l), s.c)
		}
	}
}

// fusedDepth is the largest dimension in which distance and exponential are one
// kernel.
const fusedDepth = 64

// gibbs sets k to rows i … i+r−1 of K, without base, and d to those of M.
func (s *Solver[T]) gibbs(k, d []T, i, r int) {
	m, x := s.m, s.problem.X
	if s.p > fusedDepth {
		s.distances(d, i, r)
		exp.Exp2(s.level, k[:r*m], d[:r*m], s.c)
		return
	}
	distance.Gibbs(s.level, r, m, s.p, k, m, d, m, x.Data[i*x.Stride:], x.Stride, s.zt, m, s.c)
}

// distances sets d to rows i … i+r−1 of M.
func (s *Solver[T]) distances(d []T, i, r int) {
	x := s.problem.X
	distance.SqDist(s.level, r, s.m, s.p, d, s.m, x.Data[i*x.Stride:], x.Stride, s.zt, s.m, false)
}

// transpose prepares Y for the distance kernels.
func (s *Solver[T]) transpose() {
	if !s.points {
		return
	}
	y, p, m := s.problem.Y, s.p, s.m
	for j := range m {
		k := j
		for _, v := range y.Data[j*y.Stride:][:p] {
			s.zt[k] = v
			k += m
		}
	}
}

// fill makes the stored K, and the distances, that of the base.
func (s *Solver[T]) fill() error {
	if s.free || s.filled {
		return nil
	}
	if err := s.do(opFill); err != nil {
		return err
	}
	s.filled, s.measured = true, true
	return nil
}

// measure computes the distances alone, for the log domain.
func (s *Solver[T]) measure() error {
	if s.free || s.measured || !s.points {
		return nil
	}
	if err := s.do(opMeasure); err != nil {
		return err
	}
	s.measured = true
	return nil
}

// setBase sets what K is relative to. Whoever changes the potentials of the base at
// hand clears filled.
func (s *Solver[T]) setBase(id baseID, f, g []T) {
	if s.base.id != id {
		s.filled = false
	}
	s.base = base[T]{id, f, g}
}

// size returns the bytes of an element.
func size[T dist.Float]() int {
	var x T
	return int(unsafe.Sizeof(x))
}
