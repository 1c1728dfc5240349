package sinkhorn

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/adjoint"
	"github.com/gomonge/monge/internal/asm/exp2"
	"github.com/gomonge/monge/internal/asm/gibbs"
	"github.com/gomonge/monge/internal/asm/num"
)

// Domain says in which form the scalings are carried.
type Domain uint8

const (
	// Auto is Plain as long as every scaling stays in the range where it is
	// accurate, and otherwise Log from the first iteration on.
	Auto Domain = iota
	// Plain iterates on u and v.
	Plain
	// Log iterates on log u and log v.
	Log
)

func (d Domain) String() string {
	if int(d) < len(domainNames) {
		return domainNames[d]
	}
	return fmt.Sprintf("Domain(%d)", uint8(d))
}

var domainNames = [...]string{"auto", "plain", "log"}

// Status says how a solve ended.
type Status uint8

const (
	// Completed: exactly the iterations that were asked for have been made.
	Completed Status = iota
	// Converged: the marginal error has reached the tolerance.
	Converged
	// IterationLimit: a tolerance was asked for and the iterations ran out.
	IterationLimit
	// LowPrecision: λ·cost is so large that rounding of the potentials alone
	// changes the plan by more than 0.1 %; the result is finite but rough.
	LowPrecision
	// Cancelled: the context ended first; the result is the last whole iteration.
	Cancelled
)

var statusNames = [...]string{"completed", "converged", "iteration limit", "low precision", "cancelled"}

func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// Settings configure a Solver. The zero value makes ten iterations for a λ that
// each problem states.
type Settings struct {
	// Lambda is the λ of problems that state none. Other libraries' ε or reg is 1/λ.
	Lambda float64
	// Iterations is the exact number of iterations, 10 if 0. With a Tolerance it is
	// the largest number, 10000 if 0.
	Iterations int
	// Tolerance, if positive, ends the iterations once ‖Tᵀ1 − b‖₁ is at most
	// Tolerance times the mass. T1 = a holds after every iteration.
	Tolerance float64
	// Domain is Auto by default.
	Domain Domain
	// Gradient keeps all iterates, so that the result has gradients.
	Gradient bool
	// Level names the instruction set: "" is the best of this machine, "ref" plain
	// Go. The answer is the same bits whatever it is.
	Level string
}

// Solver solves problems one after the other in one workspace: once it has seen
// its largest problem it allocates nothing. It must not be used concurrently.
type Solver[T dist.Float] struct {
	settings Settings
	level    asm.Level
	limits   limits[T]

	problem Problem[T]
	points  bool
	n, m, p int
	lambda  float64
	c       T // −λ·log₂e

	mass       float64
	a, b       []T
	logA, logB []T // base 2, in the log domain
	zt         []T // Y transposed, p × m
	cost       dist.Matrix[T]
	costs      []T // backs cost, for points
	kernel     []T // n × m: K, or the plan that the reverse sweep is based on
	us, vs     []T // iterates: u^k and v^k, or their base-2 logarithms
	ring       int // iterates kept
	q          []T // Kᵀu, length m
	ones       []T
	row        []T // scratch of length max(n, m)
	col        []T // likewise
	max, sum   []T // log domain: log-sum-exp in two parts
	r, s, w    []T // reverse sweep, length n

	rev reverse[T]
	res Result[T]
}

// limits are what accuracy in type T allows.
type limits[T dist.Float] struct {
	lo, hi    T       // a scaling within is accurate in the plain domain
	tiny      T       // a column sum below is not accurate in the log domain
	precision float64 // λ·log₂e·max|M| above leaves potentials too few digits
	largest   float64 // overflow
	weight    T       // a positive weight below has no reciprocal to speak of
	mass      float64 // relative difference of masses allowed
}

func limitsOf[T dist.Float]() limits[T] {
	// K below the least normal number is 0 there, 2^-1022 (2^-126). With scalings
	// in [lo, hi] and sums, their quotients, in the same range up to the weights,
	// what is lost weighs less than 2^-1022·hi/lo, far below rounding.
	if num.IsFloat64[T]() {
		return limits[T]{lo: T(math.Ldexp(1, -400)), hi: T(math.Ldexp(1, 400)), tiny: T(math.Ldexp(1, -900)), precision: 0x1p42, largest: math.MaxFloat64, weight: T(math.Ldexp(1, -1000)), mass: 1e-6}
	}
	return limits[T]{lo: T(math.Ldexp(1, -40)), hi: T(math.Ldexp(1, 40)), tiny: T(math.Ldexp(1, -70)), precision: 0x1p13, largest: math.MaxFloat32, weight: T(math.Ldexp(1, -100)), mass: 1e-4}
}

// NewSolver returns a solver with these settings, or an error that wraps
// ErrSettings or ErrLambda.
func NewSolver[T dist.Float](settings Settings) (*Solver[T], error) {
	if settings.Lambda < 0 || settings.Lambda-settings.Lambda != 0 {
		return nil, fmt.Errorf("%w: it is %v", ErrLambda, settings.Lambda)
	}
	if settings.Iterations < 0 || !(settings.Tolerance >= 0) || int(settings.Domain) >= len(domainNames) {
		return nil, fmt.Errorf("%w: %d iterations, tolerance %v, %v", ErrSettings, settings.Iterations, settings.Tolerance, settings.Domain)
	}
	level := asm.Best()
	if settings.Level != "" {
		l, err := asm.ParseLevel(settings.Level)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSettings, err)
		}
		if !asm.Has(l) {
			return nil, fmt.Errorf("%w: this machine has no %v", ErrSettings, l)
		}
		level = l
	}
	if settings.Iterations == 0 {
		settings.Iterations = 10
		if settings.Tolerance > 0 {
			settings.Iterations = 10000
		}
	}
	return &Solver[T]{settings: settings, level: level, limits: limitsOf[T]()}, nil
}

// Solve solves p. The result, and what it refers to, is valid until the next call.
//
// A cancelled context ends the solve within one iteration: the result is then that
// of the last whole iteration, its status Cancelled, and the error the context's;
// it is nil if there was none. Any other error comes without a result.
func (s *Solver[T]) Solve(ctx context.Context, p *Problem[T]) (*Result[T], error) {
	if err := s.prepare(p); err != nil {
		return nil, err
	}
	s.kernels()
	s.res = Result[T]{solver: s, Domain: Plain}
	var cause error
	ok := false
	if s.settings.Domain != Log {
		ok, cause = s.plain(ctx)
		if !ok && s.settings.Domain == Plain {
			if err := s.notFinite(); err != nil {
				return nil, err
			}
			return nil, ErrUnderflow
		}
	}
	if !ok {
		s.res.Domain = Log
		if cause = s.log(ctx); cause != nil && s.res.Status != Cancelled {
			return nil, cause
		}
	}
	if s.res.Iterations == 0 {
		return nil, cause
	}
	s.begin()
	if s.res.Cost-s.res.Cost != 0 {
		if err := s.notFinite(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: the transport cost overflows", ErrRange)
	}
	return &s.res, cause
}

// kernels computes the cost matrix and K.
func (s *Solver[T]) kernels() {
	n, m, p := s.n, s.m, s.p
	if !s.points {
		s.cost = s.problem.Cost
		if s.settings.Domain != Log {
			for i := range n {
				exp2.Scale(s.level, s.kernel[i*m:][:m], s.cost.Row(i), s.c)
			}
		}
		return
	}
	s.cost = dist.Matrix[T]{Rows: n, Cols: m, Stride: m, Data: s.costs[:n*m]}
	x, y := s.problem.X, s.problem.Y
	if p > fusedDepth {
		dist.SqEuclidean(s.cost, x, y)
		exp2.Scale(s.level, s.kernel[:n*m], s.cost.Data, s.c)
		return
	}
	for j := range m {
		for l, v := range y.Row(j) {
			s.zt[l*m+j] = v
		}
	}
	gibbs.Block(s.level, n, m, p, s.kernel, m, s.cost.Data, m, x.Data, x.Stride, s.zt, m, s.c)
}

// fusedDepth is the largest dimension in which distance and exponential are one
// kernel.
const fusedDepth = 64

// begin computes the cost of the plan, and what the reverse sweep starts from.
func (s *Solver[T]) begin() {
	n, m, k := s.n, s.m, s.res.Iterations
	u, v := s.u(k), s.v(k)
	if s.res.Domain == Log {
		s.plan(s.kernel, m, u, v)
		u, v = s.ones[:n], s.ones[:m]
	}
	w := s.w[:n]
	adjointWeights(w, u, s.a)
	clear(s.q)
	adjoint.Begin(s.level, n, m, s.kernel, m, s.cost.Data, s.cost.Stride, v, u, w, s.r, s.s, s.q)
	var cost float64
	for i := range n {
		cost += float64(float64(u[i]) * float64(s.r[i]))
	}
	s.res.Cost = cost
}

// adjointWeights sets w = −u² ⊘ a, and 0 where there is no weight.
func adjointWeights[T dist.Float](w, u, a []T) {
	for i := range w {
		w[i] = 0
		if a[i] > 0 {
			w[i] = -(u[i] / a[i]) * u[i] // u² might overflow before a divides it
		}
	}
}

// u and v return iterate k of the scalings, or of their logarithms.
func (s *Solver[T]) u(k int) []T { return s.us[k%s.ring*s.n:][:s.n] }
func (s *Solver[T]) v(k int) []T { return s.vs[k%s.ring*s.m:][:s.m] }

// grow makes the workspace large enough for the problem.
func (s *Solver[T]) grow() {
	n, m := s.n, s.m
	s.ring = 2
	if s.settings.Gradient {
		s.ring = s.settings.Iterations + 1
	}
	grow(&s.a, n)
	grow(&s.b, m)
	grow(&s.kernel, n*m)
	if s.points {
		grow(&s.costs, n*m)
		grow(&s.zt, s.p*m)
	}
	grow(&s.us, s.ring*n)
	grow(&s.vs, s.ring*m)
	grow(&s.q, m)
	grow(&s.row, max(n, m))
	grow(&s.col, max(n, m))
	grow(&s.r, n)
	grow(&s.s, n)
	grow(&s.w, n)
	if len(s.ones) < max(n, m) {
		grow(&s.ones, max(n, m))
		for i := range s.ones {
			s.ones[i] = 1
		}
	}
}

// grow sets the length of *v to n, keeping its memory if it is large enough.
func grow[T dist.Float](v *[]T, n int) {
	if cap(*v) < n {
		*v = make([]T, n)
	}
	*v = (*v)[:n]
}
