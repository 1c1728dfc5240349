package sinkhorn

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/parallel"
)

// Solver solves problems one after the other in one workspace: once it has seen
// its largest problem it allocates nothing. It must not be used concurrently.
type Solver[T dist.Float] struct {
	settings Settings
	level    asm.Level
	limits   limits[T]

	problem  Problem[T]
	points   bool
	free     bool // matrix-free
	n, m, p  int
	lambda   float64
	c        T // −λ·log₂e
	mass     float64
	zeroB    bool // b has zeros
	a, b     []T
	uniformA int // length for which a is uniform already
	uniformB int

	zt     []T            // Y transposed, p × m
	cost   dist.Matrix[T] // stored only
	costs  []T            // backs cost, for points
	kernel []T            // n × m, stored only: K relative to base
	narrow []float32      // the same, if Mixed, and not nil then
	base   base[T]
	filled bool // kernel is that of base
	// The distances are there.
	measured bool

	us, vs     []T // iterates, in a ring
	kind       []int
	ring       int // iterates kept
	ones       []T
	q          []T  // Kᵀu, length m
	begun      bool // r, s and q are what begin has left
	fu, fv     []T  // scalings of the result
	fq         []T  // column sums of its plan
	f, g       []T  // potentials of the base
	basis      int  // iterate that they belong to
	logA, logB []T  // base 2, in the log domain
	x, y       []T  // scratch, of length n and m
	h, sums    []T  // column passes of the log domain
	max, sum   []T  // log domain: log-sum-exp in two parts
	r, s, w    []T  // reverse sweep, length n

	// How a pass over the matrix is made: pass.go.
	op       op
	job      job[T]
	ctx      context.Context
	pieces   int
	big      bool
	partials []T
	workers  []*worker[T]
	stop     atomic.Bool
	back     bool // the pass at hand takes the pieces from the last to the first
	outside  atomic.Bool
	crew     parallel.Crew
	take     func(w, p int)

	rev   reverse[T]
	im    implicit[T]
	warm  []T // start of the next stage of annealing
	div   divergence[T]
	res   Result[T]
	batch batch[T]
}

// NewSolver returns a solver with these settings, or an error that wraps
// ErrSettings or ErrLambda.
func NewSolver[T dist.Float](settings Settings) (*Solver[T], error) {
	level, err := settings.check()
	if err != nil {
		return nil, err
	}
	return &Solver[T]{settings: settings, level: level, limits: limitsOf[T](settings.Storage == Mixed)}, nil
}

// Solve solves p. The result, and what it refers to, is valid until the next call.
//
// A cancelled context ends the solve within one iteration of a small problem, and
// within a few hundred rows of a large one: the result is then that of the last
// whole iteration, without a cost, its status Cancelled, and the error the
// context's; it is nil if there was none. Any other error comes without a result.
func (s *Solver[T]) Solve(ctx context.Context, p *Problem[T]) (*Result[T], error) {
	s.res = Result[T]{solver: s}
	if err := s.prepare(p); err != nil {
		return nil, err
	}
	s.ctx = ctx
	s.transpose()
	err := s.anneal()
	if err == nil {
		err = s.forward(s.settings.Iterations, s.settings.Tolerance, s.problem.Start)
	}
	if cause := ctx.Err(); err != nil && err == cause {
		s.res.Status, s.res.Cost = Cancelled, math.NaN()
		if s.res.Iterations == 0 {
			return nil, err
		}
		return &s.res, err
	}
	if err != nil {
		if e := s.notFinite(); e != nil {
			err = e
		}
		return nil, err
	}
	if err := s.begin(); err != nil { // cancelled at the last moment
		s.res.Status, s.res.Cost = Cancelled, math.NaN()
		return &s.res, err
	}
	if s.res.Cost-s.res.Cost != 0 {
		if err := s.notFinite(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: the transport cost overflows", ErrRange)
	}
	return &s.res, nil
}

// begin computes the cost of the plan, and what the reverse sweep starts from: s
// and q.
func (s *Solver[T]) begin() error {
	if err := s.final(); err != nil {
		return err
	}
	u, v, w := s.fu, s.fv, s.w
	if s.settings.Gradient {
		adjointWeights(w, u, s.a)
	}
	clear(s.q)
	s.job = job[T]{v: v, u: u, w: w, r: s.r, s: s.s, q: s.q}
	if err := s.do(opBegin); err != nil {
		return err
	}
	var cost float64
	for i, r := range s.r {
		cost += float64(float64(u[i]) * float64(r))
	}
	s.res.Cost = cost
	s.begun = true
	return nil
}

// adjointWeights sets w = −u² ⊘ a, and 0 where there is no weight.
func adjointWeights[T dist.Float](w, u, a []T) {
	u, a = u[:len(w)], a[:len(w)]
	for i := range w {
		w[i] = 0
		if a[i] > 0 {
			w[i] = -(u[i] / a[i]) * u[i] // u² might overflow before a divides it
		}
	}
}

// What iterate k keeps in its slots: the scalings u^k and v^k themselves, relative
// to the potentials of an earlier iterate, or potentials.
const (
	plainKind     = -1 // scalings; k ≥ 0 is "relative to the potentials in slot k"
	potentialKind = -2 // base-2 logarithms
)

// u and v return the slots of iterate k.
func (s *Solver[T]) u(k int) []T { return s.us[k%s.ring*s.n:][:s.n] }
func (s *Solver[T]) v(k int) []T { return s.vs[k%s.ring*s.m:][:s.m] }

// maxStored is what AutoStorage stores, in bytes.
const maxStored = 512 << 20

// grow makes the workspace large enough for the problem.
func (s *Solver[T]) grow() {
	n, m := s.n, s.m
	switch s.settings.Storage {
	case AutoStorage:
		s.free = s.points && n > maxStored/(2*size[T]())/m
	case Stored, Mixed:
		s.free = false
	case MatrixFree:
		s.free = s.points
	}
	s.ring = 2
	if s.settings.Gradient {
		s.ring = s.settings.Iterations + 1
	}
	if cap(s.a) < n || len(s.a) != n {
		s.uniformA = 0
	}
	if cap(s.b) < m || len(s.b) != m {
		s.uniformB = 0
	}
	grow(&s.a, n)
	grow(&s.b, m)
	if s.points {
		grow(&s.zt, s.p*m)
	}
	if !s.free {
		if s.settings.Storage == Mixed && num.IsFloat64[T]() {
			grow(&s.narrow, n*m)
		} else {
			grow(&s.kernel, n*m)
		}
		s.cost = s.problem.Cost
		if s.points {
			grow(&s.costs, n*m)
			s.cost = dist.Matrix[T]{Rows: n, Cols: m, Stride: m, Data: s.costs}
		}
	}
	s.filled, s.measured, s.begun, s.base = false, false, false, base[T]{}
	grow(&s.us, s.ring*n)
	grow(&s.vs, s.ring*m)
	if cap(s.kind) < s.ring {
		s.kind = make([]int, s.ring)
	}
	s.kind = s.kind[:s.ring]
	grow(&s.q, m)
	grow(&s.r, n)
	grow(&s.s, n)
	grow(&s.w, n)
	s.cut()
	if k := max(n, m, s.pieces); len(s.ones) < k {
		grow(&s.ones, k)
		for i := range s.ones {
			s.ones[i] = 1
		}
	}
}

// growLog makes room for the log domain.
func (s *Solver[T]) growLog() {
	n, m := s.n, s.m
	grow(&s.f, n)
	grow(&s.g, m)
	grow(&s.logA, n)
	grow(&s.logB, m)
	grow(&s.x, n)
	grow(&s.y, m)
	grow(&s.h, m)
	grow(&s.sums, m)
	grow(&s.max, n)
	grow(&s.sum, n)
}

// grow sets the length of *v to n, keeping its memory if it is large enough.
func grow[T dist.Float](v *[]T, n int) {
	if cap(*v) < n {
		*v = make([]T, n)
	}
	*v = (*v)[:n]
}
