package discriminant

import (
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// Config says how J is evaluated.
type Config[T dist.Float] struct {
	Components   int                   // p
	Iterations   int                   // of Sinkhorn
	Gradient     sinkhorn.GradientMode // of every transport cost
	Proportional bool                  // weights are the frequencies of the classes, not 1
	// MaxClasses and MaxSamples bound the classes and samples that J is evaluated on; 0 is no bound.
	MaxClasses, MaxSamples int
	Workers                int           // goroutines; 0 is GOMAXPROCS
	Pairs                  PairSolver[T] // of pairs elsewhere, or nil
	Besides                []Need        // memory that the caller takes while there is an objective
}

// LambdaRule determines λ_cc' of two classes. If Matrix is not nil, its elements are used, else Value. If
// Relative is set, Value is divided by the mean squared distance of the two classes at the start. Absolute
// values have the inverse squared unit of the data.
type LambdaRule struct {
	Matrix   *mat.Dense
	Value    float64
	Relative bool
}

// maxMemory is the number of bytes that one phase of a fit may take besides copies of the
// samples, which are as many as their elements whatever the settings.
const maxMemory = 16 << 30

// Need is memory, in bytes, and what it is for.
type Need struct {
	What  string
	Bytes float64
}

// CheckMemory returns an error that names the sum and the largest of the needs if they are
// more than maxMemory together. They are computed in float64, in which nothing wraps.
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
	return fmt.Errorf("%w: they need %.3g GiB of memory besides the samples; the limit is %d GiB. %.3g GiB are for %s", fault.ErrSettings, sum/(1<<30), maxMemory>>30, most.Bytes/(1<<30), most.What)
}

// PrepareNeeds are those of the span and the p principal components of n samples of d
// features: where there are more features than samples a Gram matrix and its factor, where
// there are few features, or p is most of them, eigenvectors.
func PrepareNeeds(n, d, p int) []Need {
	switch {
	case d > n:
		return []Need{{fmt.Sprintf("the Gram matrix of %d samples and the span", n), 4 * 8 * float64(n) * float64(n)}}
	case d <= formedPrincipal || 3*(p+extraPrincipal) > d:
		return []Need{{fmt.Sprintf("the covariance of %d features and its eigenvectors", d), 4 * 8 * float64(d) * float64(d)}}
	}
	return []Need{{fmt.Sprintf("%d components of %d features", p, d), 14 * 8 * float64(p) * float64(d)}}
}

// formedPrincipal is the number of features up to which package baseline forms their
// covariance.
const formedPrincipal = 2048

// WhitenNeeds are those of whitening d coordinates.
func WhitenNeeds(d int) []Need {
	return []Need{{fmt.Sprintf("the covariance of %d features that Whitening takes", d), 3 * 8 * float64(d) * float64(d)}}
}

// elementSize is the number of bytes of an element of type T.
func elementSize[T dist.Float]() float64 {
	if num.IsFloat64[T]() {
		return 8
	}
	return 4
}

// ObjectiveNeeds are those of evaluating J of s with so many solvers of pairs.
func ObjectiveNeeds[T dist.Float](s *Samples, config *Config[T], solvers int) []Need {
	size := elementSize[T]()
	n, d, p, classes := float64(s.N), float64(s.D), float64(config.Components), float64(len(s.Classes))
	needs := append([]Need{
		{fmt.Sprintf("the projections of %d samples and their gradients", s.N), size * (float64(5*n) + float64(2*d)) * p},
		{fmt.Sprintf("the pairs of %d classes", len(s.Classes)), 64 * classes * classes},
		{fmt.Sprintf("%d workers", solvers), 2 * size * largePair * float64(solvers)},
		{fmt.Sprintf("the transport scatters in %d components", config.Components), (float64(2*(8+size)*n) + float64(5*8*p)) * p},
	}, config.Besides...)
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
