package sinkhorn

import (
	"fmt"
	"math"
	"runtime"

	"github.com/gomonge/monge/internal/enum"
)

// Settings configures a Solver. The zero value means ten iterations, and requires that each Problem
// sets Lambda.
type Settings struct {
	// Lambda is used when Problem.Lambda is zero. The parameter ε or reg of other libraries is 1/λ.
	Lambda float64
	// Iterations is the number of iterations or, with a Tolerance, the maximum number of iterations. 0 means 10, or
	// 10000 with a Tolerance.
	Iterations int
	// If Tolerance is positive, a solve ends when the marginal error divided by the mass of the plan is at most
	// Tolerance. The marginal error is defined at Result.MarginalError; in balanced problems it is ‖Tᵀ1 − b‖₁. The
	// check needs no additional pass over K, because T1 = a holds after every iteration.
	//
	// If Tolerance is positive and Gradient is not set, ε-scaling and Newton's method on the dual replace slow iterations.
	// With a Tolerance, every pass over K counts as an iteration. Result.Annealing, not Result.Iterations, counts the work
	// for finding better starts.
	Tolerance float64
	// Unaccelerated disables ε-scaling and Newton's method, so a Tolerance is reached by plain
	// iterations only.
	Unaccelerated bool
	// Anneal, if positive, is the factor of ε-scaling; it must be at least 1.01. The problem is first
	// solved roughly for a small λ, then for Anneal times this λ, and so on. Each stage starts from the
	// potentials of the previous stage. 4 is a good choice if λ times the cost is in the thousands. 0
	// means no annealing. Gradients treat the potentials that annealing finds as constants.
	Anneal float64
	// Domain selects whether iterations work on scalings or on logarithms. The default, DomainAuto,
	// switches when necessary.
	Domain Domain
	// Storage selects how K is stored. The default, StorageAuto, depends on the size of the
	// problem.
	Storage Storage
	// Gradient stores all iterates, which unrolled gradients need. This takes Iterations × (n + m) numbers, and
	// twice as many while a gradient is computed.
	Gradient bool
	// Workers is the number of goroutines that share a large problem, or the problems of a batch. 0
	// means GOMAXPROCS at the time of NewSolver. At most 64 goroutines, and at most GOMAXPROCS, are
	// started. Results do not depend on Workers.
	Workers int
	// MaxMemory is the number of bytes that the workspace of one problem, or of one gradient, may take; 0 means 8 GiB. A
	// problem that might need more returns ErrSettings before anything is allocated. If Tolerance is set,
	// Unaccelerated reduces the memory. Results do not depend on MaxMemory. In a batch, each worker may use MaxMemory bytes.
	MaxMemory int64
}

// Domain selects whether iterations work on the scalings u and v or on their logarithms.
type Domain uint8

const (
	// DomainAuto begins with DomainPlain and switches to DomainLog at the first iteration whose
	// scalings are not accurate.
	DomainAuto Domain = iota
	// DomainPlain iterates on u and v. It returns ErrRange if the scalings leave the accurate
	// range.
	DomainPlain
	// DomainLog iterates on logarithms. (It keeps potentials f and g, and iterates on scalings relative to
	// exp(f) and exp(g). Scalings that leave the accurate range are absorbed into f and g.) It returns ErrRange
	// if λ·log₂e times the largest |cost| is 2⁵⁰ or more, because potentials would have no correct digit. For
	// float32 the limit is a quarter of the largest finite float32. DomainAuto returns this error only if it
	// switches to the log domain.
	DomainLog
)

var domainNames = enum.New("Domain", ErrSettings, "auto", "plain", "log")

func (d Domain) String() string { return domainNames.Name(uint8(d)) }

// MarshalText returns the name of the domain. It returns ErrSettings for an unknown domain.
func (d Domain) MarshalText() ([]byte, error) { return domainNames.Text(uint8(d)) }

// UnmarshalText sets d to the domain with the given name. It returns ErrSettings for an unknown name.
func (d *Domain) UnmarshalText(text []byte) error { return enum.Parse(d, text, domainNames) }

// Storage selects how K is stored. All values except StorageMixed give the same bits.
type Storage uint8

const (
	// StorageAuto is StorageDense if the cost matrix and K take at most 512 MiB together, or if the problem is given by a cost
	// matrix. Otherwise it is StorageMatrixFree. It is never StorageMixed.
	StorageAuto Storage = iota
	// StorageDense stores K and, for points, the cost matrix: n × m numbers each.
	StorageDense
	// StorageMatrixFree recomputes distances and K in every pass, a few rows at a time. This storage needs O(n + m) memory, in
	// addition to the memory for a Tolerance (see Memory in the package documentation). It applies to points only; a problem
	// with a cost matrix uses StorageDense.
	StorageMatrixFree
	// StorageMixed stores K in float32 and computes in float64. Each K_ij is computed in float64 and rounded to float32, so an
	// iteration reads half as many bytes. This is faster if K in float64 exceeds the L2 cache, from about n = m = 256.
	//
	// After k iterations the relative difference between an element of the plan and its value with StorageDense is at most
	// 4k·2⁻²⁴, and usually below 1e-7. Marginals and tolerances are as accurate as with StorageDense, with one exception: if
	// Gradient is set and the last iteration is in the log domain, the row sums have an error of up to 4e-8. The errors of
	// gradient elements are usually below 1e-8·(1 + λ·max M) times the largest element.
	//
	// An element of K below 2⁻¹²⁶ is 0, so DomainAuto switches to the log domain earlier: when a scaling leaves the range 1e±11
	// instead of 1e±120. Weights are limited to the range of [float32]; see Problem. A Solver[float32] uses StorageDense
	// instead.
	StorageMixed
)

var storageNames = enum.New("Storage", ErrSettings, "auto", "dense", "matrix-free", "mixed")

func (s Storage) String() string { return storageNames.Name(uint8(s)) }

// MarshalText returns the name of the storage. It returns ErrSettings for an unknown storage.
func (s Storage) MarshalText() ([]byte, error) { return storageNames.Text(uint8(s)) }

// UnmarshalText sets s to the storage with the given name. It returns ErrSettings for an unknown name.
func (s *Storage) UnmarshalText(text []byte) error { return enum.Parse(s, text, storageNames) }

// GradientMode selects the gradient of the transport cost W = ⟨T, M⟩.
type GradientMode uint8

const (
	// GradientUnrolled, the default, is the derivative of W through all iterations that were made.
	// It requires Settings.Gradient.
	GradientUnrolled GradientMode = iota
	// GradientImplicit is the derivative of W at convergence, by the implicit function theorem. It
	// does not store iterates. It solves a linear system by conjugate gradients, with a pass over K
	// for each step; GradientUnrolled makes a pass for each iteration.
	GradientImplicit
	// GradientFrozen treats the plan as a constant, so ∂W/∂M = T. At convergence this is the
	// gradient of RegularizedCost.
	GradientFrozen
)

var gradientModeNames = enum.New("GradientMode", ErrSettings, "unrolled", "implicit", "frozen")

func (g GradientMode) String() string { return gradientModeNames.Name(uint8(g)) }

// MarshalText returns the name of the mode. It returns ErrSettings for an unknown mode.
func (g GradientMode) MarshalText() ([]byte, error) { return gradientModeNames.Text(uint8(g)) }

// UnmarshalText sets g to the mode with the given name. It returns ErrSettings for an unknown name.
func (g *GradientMode) UnmarshalText(text []byte) error {
	return enum.Parse(g, text, gradientModeNames)
}

// Status describes how a solve ended.
type Status uint8

const (
	// StatusCompleted: the requested number of iterations was made.
	StatusCompleted Status = iota
	// StatusConverged: the marginal error has reached the tolerance.
	StatusConverged
	// StatusIterationLimit: the iterations ended before the tolerance was reached.
	StatusIterationLimit
	// StatusLowPrecision: log₂e times λ times the largest cost, or log₂e times the largest starting potential, is above 2⁴²
	// (2¹³ in float32). Rounding of the potentials alone then changes the plan by more than 0.1 %: the result is finite but
	// inaccurate. In float64, Solve returns ErrRange if λ·log₂e times the largest cost is 2⁵⁰ or more.
	StatusLowPrecision
	// StatusCanceled: the context ended first. If an iteration was completed, the result is that of the last complete
	// iteration.
	StatusCanceled
)

var statusNames = enum.New("Status", ErrSettings, "completed", "converged", "iteration limit", "low precision", "canceled")

func (s Status) String() string { return statusNames.Name(uint8(s)) }

// MarshalText returns the name of the status. It returns ErrSettings for an unknown status.
func (s Status) MarshalText() ([]byte, error) { return statusNames.Text(uint8(s)) }

// UnmarshalText sets s to the status with the given name. It returns ErrSettings for an unknown name.
func (s *Status) UnmarshalText(text []byte) error { return enum.Parse(s, text, statusNames) }

const (
	defaultMemory = 8 << 30
	leastAnneal   = 1.01 // smallest Settings.Anneal; ε-scaling then has fewer than 71 200 stages
)

// check checks the settings and fills in defaults.
func (set *Settings) check() error {
	if !(set.Lambda >= 0) || math.IsInf(set.Lambda, 1) {
		return fmt.Errorf("%w: Lambda is %v; it must be positive and finite, or 0 if every problem states its own", ErrSettings, set.Lambda)
	}
	switch {
	case set.Iterations < 0:
		return fmt.Errorf("%w: Iterations is %d; it must not be negative", ErrSettings, set.Iterations)
	case !(set.Tolerance >= 0) || math.IsInf(set.Tolerance, 1):
		return fmt.Errorf("%w: Tolerance is %v; it must be finite and not negative", ErrSettings, set.Tolerance)
	case set.Anneal != 0 && !(set.Anneal >= leastAnneal) || math.IsInf(set.Anneal, 1):
		return fmt.Errorf("%w: Anneal is %v; it must be 0 or at least 1.01", ErrSettings, set.Anneal)
	case !domainNames.Has(uint8(set.Domain)) || !storageNames.Has(uint8(set.Storage)):
		return fmt.Errorf("%w: Domain is %v and Storage %v; one of them is unknown", ErrSettings, set.Domain, set.Storage)
	case set.Workers < 0:
		return fmt.Errorf("%w: Workers is %d; it must not be negative", ErrSettings, set.Workers)
	case set.MaxMemory < 0:
		return fmt.Errorf("%w: MaxMemory is %d; it must not be negative", ErrSettings, set.MaxMemory)
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

// checkMemory returns an error if the byte count exceeds MaxMemory.
func (set *Settings) checkMemory(bytes float64, what string) error {
	if bytes <= float64(set.MaxMemory) {
		return nil
	}
	return fmt.Errorf("%w: %s would take %.4g bytes, more than Settings.MaxMemory = %d", ErrSettings, what, bytes, set.MaxMemory)
}
