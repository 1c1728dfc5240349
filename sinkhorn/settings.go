package sinkhorn

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Settings configure a Solver. The zero value makes ten iterations for a λ that
// each problem states.
type Settings struct {
	// Lambda is the λ of problems that state none. Other libraries' ε or reg is 1/λ.
	Lambda float64
	// Iterations is the exact number of iterations, 10 if 0. With a Tolerance it is
	// the largest number, 10000 if 0.
	Iterations int
	// Tolerance, if positive, ends the iterations once ‖Tᵀ1 − b‖₁ is at most
	// Tolerance times the mass. T1 = a holds after every iteration. The check needs
	// no pass of its own.
	Tolerance float64
	// Anneal, if above 1, is the factor of ε-scaling: before the iterations proper,
	// the problem is solved roughly for a λ for which λ·cost is small, and then for
	// Anneal times that, and so on, each starting from the potentials of the one
	// before. 4 is a good choice where λ·cost is in the thousands. It changes where
	// the iterations start; gradients take that start for a constant. 0 is off.
	Anneal float64
	// Domain is Auto by default.
	Domain Domain
	// Storage is AutoStorage by default.
	Storage Storage
	// Gradient keeps all iterates, so that the result has gradients through the
	// iterations: Iterations × (n + m) numbers, and twice that while it is computed.
	Gradient bool
	// Workers is the number of goroutines that share a large problem, or the
	// problems of a batch; 0 is GOMAXPROCS at the time of NewSolver. The answer is
	// the same bits whatever it is.
	Workers int
	// Level names the instruction set: "" is the best of this machine, "ref" plain
	// Go. The answer is the same bits whatever it is.
	Level string
}

// Domain says in which form the scalings are carried.
type Domain uint8

const (
	// Auto is Plain as long as every scaling stays in the range where it is
	// accurate, and Log from the first iteration on in which one does not.
	Auto Domain = iota
	// Plain iterates on u and v.
	Plain
	// Log iterates on logarithms: on u and v relative to potentials log u and log v
	// into which they are absorbed whenever they leave the safe range.
	Log
)

func (d Domain) String() string {
	if int(d) < len(domainNames) {
		return domainNames[d]
	}
	return fmt.Sprintf("Domain(%d)", uint8(d))
}

var domainNames = [...]string{"auto", "plain", "log"}

// Storage says where K is. Mixed apart, it makes no difference to the bits of an
// answer.
type Storage uint8

const (
	// AutoStorage is Stored up to 512 MiB for cost matrix and K together, and
	// MatrixFree beyond that if the problem is one of points. It is never Mixed.
	AutoStorage Storage = iota
	// Stored keeps K, and for points the cost matrix: n × m numbers each.
	Stored
	// MatrixFree computes distances and K anew in every pass, a few rows at a time:
	// memory is O(n + m). For points only; a problem with a cost matrix, whose
	// memory is n × m anyway, is solved as Stored.
	MatrixFree
	// Mixed is Stored with K in float32 and everything else in float64: each K_ij is
	// computed in float64, rounded to float32, and widened where it is used, so that
	// an iteration reads half the bytes. It pays where K in float64 outgrows the
	// second-level cache, from n = m = 256 or so, and takes longer below.
	//
	// After k iterations an element of the plan is within a relative 4k·2⁻²⁴ of that
	// of Stored, and usually within 1e-7: 5e-8 of the largest element at most in the
	// golden cases, 2e-9 of the cost, and 1e-8·(1 + λ·max M) of the largest element of
	// a gradient. The marginals hold as they do there, and tolerances are reached.
	//
	// An element of K below 2⁻¹²⁶ is 0, so that Auto takes to the log domain sooner:
	// where a scaling leaves 1e±11, not 1e±120. Weights are limited to the range of
	// float32, see Problem. A Solver[float32] takes it for Stored.
	Mixed
)

func (s Storage) String() string {
	if int(s) < len(storageNames) {
		return storageNames[s]
	}
	return fmt.Sprintf("Storage(%d)", uint8(s))
}

var storageNames = [...]string{"auto", "stored", "matrix-free", "mixed"}

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

// check fills in defaults and returns the level that the settings name.
func (set *Settings) check() (asm.Level, error) {
	if !(set.Lambda >= 0) || math.IsInf(set.Lambda, 1) {
		return 0, fmt.Errorf("%w: it is %v", ErrLambda, set.Lambda)
	}
	switch {
	case set.Iterations < 0:
		return 0, fmt.Errorf("%w: %d iterations", ErrSettings, set.Iterations)
	case !(set.Tolerance >= 0):
		return 0, fmt.Errorf("%w: tolerance %v", ErrSettings, set.Tolerance)
	case set.Anneal != 0 && !(set.Anneal > 1) || math.IsInf(set.Anneal, 1):
		return 0, fmt.Errorf("%w: annealing by a factor of %v", ErrSettings, set.Anneal)
	case int(set.Domain) >= len(domainNames) || int(set.Storage) >= len(storageNames):
		return 0, fmt.Errorf("%w: %v, %v", ErrSettings, set.Domain, set.Storage)
	case set.Workers < 0:
		return 0, fmt.Errorf("%w: %d workers", ErrSettings, set.Workers)
	}
	if set.Workers == 0 {
		set.Workers = runtime.GOMAXPROCS(0)
	}
	if set.Iterations == 0 {
		set.Iterations = 10
		if set.Tolerance > 0 {
			set.Iterations = 10000
		}
	}
	if set.Level == "" {
		return asm.Best(), nil
	}
	l, err := asm.ParseLevel(set.Level)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrSettings, err)
	}
	if !asm.Has(l) {
		return 0, fmt.Errorf("%w: this machine has no %v", ErrSettings, l)
	}
	return l, nil
}

// limits are what accuracy in type T allows.
type limits[T dist.Float] struct {
	lo, hi    T       // a scaling within is accurate
	tiny      T       // a column sum below is not accurate in a log-domain pass
	precision float64 // λ·log₂e·max|M| above leaves potentials too few digits
	largest   float64 // overflow
	weight    T       // a positive weight below has no reciprocal to speak of
	heaviest  T       // a weight above is none of the type of K
	mass      float64 // relative difference of masses allowed
	converged float64 // marginal error for which implicit gradients make sense

	// Residuals of the implicit gradient's linear system: what is aimed at, and what
	// is good enough.
	goal, enough float64
	room, most   float64 // safeRange
}

// limitsOf returns the limits for arithmetic in T and a K in T, or in float32 if
// mixed. Then those that are about K are float32's.
func limitsOf[T dist.Float](mixed bool) limits[T] {
	l := limits[T]{
		tiny: T(math.Ldexp(1, -70)), precision: 0x1p13, largest: math.MaxFloat32, weight: T(math.Ldexp(1, -80)), heaviest: T(float32(math.MaxFloat32)),
		mass: 1e-4, converged: 1e-3, goal: 1e-7, enough: 1e-3, room: 99, most: 40,
	}
	if num.IsFloat64[T]() {
		l.tiny, l.precision, l.largest, l.mass, l.converged, l.most = T(math.Ldexp(1, -900)), 0x1p42, math.MaxFloat64, 1e-6, 1e-4, 400
		if mixed {
			l.goal, l.enough = 1e-12, 1e-6
			return l
		}
		l.weight, l.heaviest, l.goal, l.enough, l.room = T(math.Ldexp(1, -800)), T(l.largest), 1e-15, 1e-8, 966
	}
	return l
}

// safeRange sets the range of accurate scalings for weights of at least least, in
// sums of size terms. An element of K below the least normal number is 0, which
// with scalings up to hi takes at most size·2⁻¹⁰²²·hi from a sum that is least/hi
// or more: for that to be below rounding, with three bits to spare,
//
//	hi² ≤ 2¹⁰²² ⁻ ⁵³ ⁻ ³ · least/size      (2¹²⁶ ⁻ ²⁴ ⁻ ³ for a K in float32).
//
// 2⁴⁰⁰ (2⁴⁰) is all that products of scalings in the reverse pass leave room for.
func (l *limits[T]) safeRange(least float64, size int) {
	h := int(min(l.most, math.Floor((l.room+float64(math.Ilogb(least)-bits.Len(uint(size-1))))/2)))
	h = max(h, 0)
	l.hi, l.lo = T(math.Ldexp(1, h)), T(math.Ldexp(1, -h))
}
