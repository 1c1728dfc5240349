package sinkhorn

import (
	"fmt"
	"math"
	"runtime"

	"github.com/gomonge/monge/internal/enum"
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
	// no pass of its own. Where iterations turn out to be slow, Newton's method on the
	// dual takes over (newton.go): it counts every pass over K as an iteration, and what
	// goes over a part of K as that part. With
	// Gradient, which is one through the iterations, it does not.
	Tolerance float64
	// Unaccelerated makes plain iterations only, with a Tolerance, too.
	Unaccelerated bool
	// Anneal, if above 1, is the factor of ε-scaling: before the iterations proper,
	// the problem is solved roughly for a λ for which λ·cost is small, and then for
	// Anneal times that, and so on, each starting from the potentials of the one
	// before. 4 is a good choice where λ·cost is in the thousands, and 1.01 the least.
	// It changes where the iterations start; gradients take that start for a constant.
	// 0 is off.
	Anneal float64
	// Domain is DomainAuto by default.
	Domain Domain
	// Storage is StorageAuto by default.
	Storage Storage
	// Gradient keeps all iterates, so that the result has GradientUnrolled gradients: Iterations ×
	// (n + m) numbers, and twice that while it is computed.
	Gradient bool
	// Workers is the number of goroutines that share a large problem, or the
	// problems of a batch; 0 is GOMAXPROCS at the time of NewSolver. No more are
	// started than there is work for, nor more than 64 or GOMAXPROCS. The answer is
	// the same bits whatever it is.
	Workers int
	// MaxMemory is the number of bytes that the workspace of one problem, or of one
	// gradient, may take, 8 GiB if 0. It is computed before any of it is allocated: what
	// takes more is refused with ErrSettings. Problems of a batch have a workspace for
	// every worker.
	MaxMemory int64
}

// Domain says in which form the scalings are carried.
type Domain uint8

const (
	// DomainAuto is DomainPlain as long as every scaling stays in the range where it is
	// accurate, and DomainLog from the first iteration on in which one does not.
	DomainAuto Domain = iota
	// DomainPlain iterates on u and v.
	DomainPlain
	// DomainLog iterates on logarithms: on u and v relative to potentials log u and log v
	// into which they are absorbed whenever they leave the safe range.
	DomainLog
)

var domainNames = enum.New("Domain", ErrSettings, "auto", "plain", "log")

func (d Domain) String() string { return domainNames.Name(uint8(d)) }

// MarshalText returns the name of the domain.
func (d Domain) MarshalText() ([]byte, error) { return domainNames.Text(uint8(d)) }

// UnmarshalText sets d to the domain of that name; an unknown one is ErrSettings.
func (d *Domain) UnmarshalText(text []byte) error { return enum.Parse(d, text, domainNames) }

// Storage says where K is. StorageMixed apart, it makes no difference to the bits of an
// answer.
type Storage uint8

const (
	// StorageAuto is StorageDense up to 512 MiB for cost matrix and K together, and
	// StorageMatrixFree beyond that if the problem is one of points. It is never StorageMixed.
	StorageAuto Storage = iota
	// StorageDense keeps K, and for points the cost matrix: n × m numbers each.
	StorageDense
	// StorageMatrixFree computes distances and K anew in every pass, a few rows at a time:
	// memory is O(n + m), but for what Newton's steps towards a Tolerance may take, of
	// MaxMemory (see Cost in the package's doc). For points only; a problem with a cost matrix, whose
	// memory is n × m anyway, is solved as StorageDense.
	StorageMatrixFree
	// StorageMixed is StorageDense with K in float32 and everything else in float64: each K_ij is
	// computed in float64, rounded to float32, and widened where it is used, so that
	// an iteration reads half the bytes. It pays where K in float64 outgrows the
	// second-level cache, from n = m = 256 or so, and takes longer below.
	//
	// After k iterations an element of the plan is within a relative 4k·2⁻²⁴ of that
	// of StorageDense, and usually within 1e-7: 5e-8 of the largest element at most in the
	// golden cases, 2e-9 of the cost, and 1e-8·(1 + λ·max M) of the largest element of
	// a gradient. The marginals hold as they do there, and tolerances are reached.
	//
	// An element of K below 2⁻¹²⁶ is 0, so that DomainAuto takes to the log domain sooner:
	// where a scaling leaves 1e±11, not 1e±120. Weights are limited to the range of
	// float32, see Problem. A Solver[float32] takes it for StorageDense.
	StorageMixed
)

var storageNames = enum.New("Storage", ErrSettings, "auto", "stored", "matrix-free", "mixed")

func (s Storage) String() string { return storageNames.Name(uint8(s)) }

// MarshalText returns the name of the storage.
func (s Storage) MarshalText() ([]byte, error) { return storageNames.Text(uint8(s)) }

// UnmarshalText sets s to the storage of that name; an unknown one is ErrSettings.
func (s *Storage) UnmarshalText(text []byte) error { return enum.Parse(s, text, storageNames) }

// GradientMode says what is taken for the gradient of the transport cost W = ⟨T, M⟩.
type GradientMode uint8

const (
	// GradientUnrolled is the derivative of W through all iterations, as they were made. It needs
	// Settings.Gradient.
	GradientUnrolled GradientMode = iota
	// GradientImplicit is the derivative of W at convergence, by the implicit function theorem: no
	// iterate is kept, and it costs a pass over K for every step of a conjugate gradient
	// method instead of one for every iteration (implicit.go).
	GradientImplicit
	// GradientFrozen holds the plan fixed, so that ∂W/∂M = T: the derivative of RegularizedCost at
	// convergence.
	GradientFrozen
)

var gradientModeNames = enum.New("GradientMode", ErrSettings, "unrolled", "implicit", "frozen")

func (g GradientMode) String() string { return gradientModeNames.Name(uint8(g)) }

// MarshalText returns the name of the mode.
func (g GradientMode) MarshalText() ([]byte, error) { return gradientModeNames.Text(uint8(g)) }

// UnmarshalText sets g to the mode of that name; an unknown one is ErrSettings.
func (g *GradientMode) UnmarshalText(text []byte) error {
	return enum.Parse(g, text, gradientModeNames)
}

// Status says how a solve ended.
type Status uint8

const (
	// Completed: exactly the iterations that were asked for have been made.
	Completed Status = iota
	// Converged: the marginal error has reached the tolerance.
	Converged
	// IterationLimit: a tolerance was asked for and the iterations ran out.
	IterationLimit
	// LowPrecision: λ·log₂e times the largest cost, or log₂e times the largest starting
	// potential, is above 2⁴² (2¹³ in float32), so that rounding of the potentials alone
	// changes the plan by more than 0.1 %; the result is finite but rough.
	LowPrecision
	// Cancelled: the context ended first; the result is the last whole iteration.
	Cancelled
)

var statusNames = enum.New("Status", ErrSettings, "completed", "converged", "iteration limit", "low precision", "cancelled")

func (s Status) String() string { return statusNames.Name(uint8(s)) }

// MarshalText returns the name of the status.
func (s Status) MarshalText() ([]byte, error) { return statusNames.Text(uint8(s)) }

// UnmarshalText sets s to the status of that name; an unknown one is ErrSettings.
func (s *Status) UnmarshalText(text []byte) error { return enum.Parse(s, text, statusNames) }

const (
	defaultMemory = 8 << 30
	leastAnneal   = 1.01 // with it, at most 71 000 stages lead through the whole range
)

// check fills in defaults.
func (set *Settings) check() error {
	if !(set.Lambda >= 0) || math.IsInf(set.Lambda, 1) {
		return fmt.Errorf("%w: λ must be positive and finite, not %v", ErrSettings, set.Lambda)
	}
	switch {
	case set.Iterations < 0:
		return fmt.Errorf("%w: %d iterations", ErrSettings, set.Iterations)
	case !(set.Tolerance >= 0) || math.IsInf(set.Tolerance, 1):
		return fmt.Errorf("%w: tolerance %v", ErrSettings, set.Tolerance)
	case set.Anneal != 0 && !(set.Anneal >= leastAnneal) || math.IsInf(set.Anneal, 1):
		return fmt.Errorf("%w: annealing by a factor of %v", ErrSettings, set.Anneal)
	case !domainNames.Has(uint8(set.Domain)) || !storageNames.Has(uint8(set.Storage)):
		return fmt.Errorf("%w: %v, %v", ErrSettings, set.Domain, set.Storage)
	case set.Workers < 0:
		return fmt.Errorf("%w: %d workers", ErrSettings, set.Workers)
	case set.MaxMemory < 0:
		return fmt.Errorf("%w: %d bytes of memory", ErrSettings, set.MaxMemory)
	}
	if set.Workers == 0 {
		set.Workers = runtime.GOMAXPROCS(0)
	}
	if set.MaxMemory == 0 {
		set.MaxMemory = defaultMemory
	}
	if set.Iterations == 0 {
		set.Iterations = 10
		if set.Tolerance > 0 {
			set.Iterations = 10000
		}
	}
	return nil
}

// afford returns an error if so many bytes are above MaxMemory.
func (set *Settings) afford(bytes float64, what string) error {
	if bytes <= float64(set.MaxMemory) {
		return nil
	}
	return fmt.Errorf("%w: %s would take %.4g bytes, more than the %d of MaxMemory", ErrSettings, what, bytes, set.MaxMemory)
}
