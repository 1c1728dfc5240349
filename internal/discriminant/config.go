package discriminant

import (
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// Config selects how J is evaluated.
type Config[T dist.Float] struct {
	Components   int                   // p
	Iterations   int                   // Sinkhorn iterations
	Gradient     sinkhorn.GradientMode // gradient mode of every transport cost
	Proportional bool                  // weight pairs of classes by class frequencies; otherwise all weights are 1
	// MaxClasses and MaxSamples limit the classes and samples used to evaluate J; 0 means no limit.
	MaxClasses, MaxSamples int
	Workers                int           // maximum number of goroutines; 0 means GOMAXPROCS
	PairSolver             PairSolver[T] // solves transport problems in other processes, or nil
	OtherNeeds             []Need        // memory used by the caller during the lifetime of the objective
}

// LambdaRule determines λ_cc' for two classes. If Matrix is not nil, λ_cc' is an element of Matrix.
// Otherwise λ_cc' is Value. If Relative is set, Value is divided by the mean squared distance of
// the two classes at the start. A λ that is not relative has the inverse squared unit of the data.
type LambdaRule struct {
	Matrix   *mat.Dense
	Value    float64
	Relative bool
}

// maxMemory is the maximum number of bytes that one phase of a fit may need. It does not include
// copies of the samples.
const maxMemory = 16 << 30

// Need is an amount of memory in bytes and its purpose.
type Need struct {
	Purpose string
	Bytes   float64
}

// CheckMemory returns an error if the sum of the needs exceeds maxMemory. The error contains the
// sum and the largest need. Byte counts are float64, because a sum of int could overflow.
func CheckMemory(needs ...Need) error {
	var sum float64
	var most Need
	for _, n := range needs {
		if sum += n.Bytes; n.Bytes > most.Bytes {
			most = n
		}
	}
	if sum <= maxMemory {
		return nil
	}
	return fmt.Errorf("%w: they need %.3g GiB of memory besides the samples; the limit is %d GiB. %.3g GiB are for %s", fault.ErrSettings, sum/(1<<30), maxMemory>>30, most.Bytes/(1<<30), most.Purpose)
}

// PrepareNeeds returns the memory that is needed to compute the span and the first p principal
// components of n samples with d features. If n < d, a Gram matrix and its factor take this memory.
// Otherwise, if d is small or p is close to d, a covariance and its eigenvectors take it.
func PrepareNeeds(n, d, p int) []Need {
	switch {
	case d > n:
		return []Need{{fmt.Sprintf("the Gram matrix of %d samples and the span", n), 4 * 8 * float64(n) * float64(n)}}
	case d <= formedPrincipal || 3*(p+extraPrincipal) > d:
		return []Need{{fmt.Sprintf("the covariance of %d features and its eigenvectors", d), 4 * 8 * float64(d) * float64(d)}}
	}
	return []Need{{fmt.Sprintf("%d components of %d features", p, d), 14 * 8 * float64(p) * float64(d)}}
}

// formedPrincipal is the number of features up to which package baseline forms the covariance
// matrix.
const formedPrincipal = 2048

// WhitenNeeds returns the memory needs of whitening d coordinates.
func WhitenNeeds(d int) []Need {
	return []Need{{fmt.Sprintf("the covariance of %d features that Whitening takes", d), 3 * 8 * float64(d) * float64(d)}}
}

// elementSize returns the size of an element of type T in bytes.
func elementSize[T dist.Float]() float64 {
	if num.IsFloat64[T]() {
		return 8
	}
	return 4
}

// ObjectiveNeeds returns the memory needs of evaluating J on the samples s with the given number of
// pair solvers.
func ObjectiveNeeds[T dist.Float](s *Samples, config *Config[T], solvers int) []Need {
	size := elementSize[T]()
	n, d, p, classes := float64(s.N), float64(s.D), float64(config.Components), float64(len(s.Classes))
	needs := append([]Need{
		{fmt.Sprintf("the projections of %d samples and their gradients", s.N), size * (float64(5*n) + float64(2*d)) * p},
		{fmt.Sprintf("the pairs of %d classes", len(s.Classes)), 64 * classes * classes},
		{fmt.Sprintf("%d workers", solvers), 2 * size * largePair * float64(solvers)},
		{fmt.Sprintf("the transport scatters in %d components", config.Components), (float64(2*(8+size)*n) + float64(5*8*p)) * p},
	}, config.OtherNeeds...)
	if config.Gradient == sinkhorn.GradientUnrolled {
		largest := 0
		for c := range s.Classes {
			largest = max(largest, s.Size(c))
		}
		needs = append(needs, Need{
			fmt.Sprintf("the iterates of %d Sinkhorn iterations, of which Gradient Implicit keeps none,", config.Iterations),
			6 * size * float64(config.Iterations) * float64(largest) * float64(solvers),
		})
	}
	return needs
}
