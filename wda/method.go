package wda

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/discriminant"
)

// Method is an algorithm that maximizes the objective J. The implementations are the types Auto,
// ConjugateGradient, SteepestDescent, ProjectedGradient, Eigen, MiniBatch, Principal and Fisher of
// this package. In Optimizer, nil means Auto.
type Method interface {
	// String returns the name of the method in model files and on the command line. ParseMethod
	// reads this name.
	String() string

	// traits returns the properties that the fit depends on.
	traits() traits
}

// Methods returns one value of each method, with its default fields. It returns Eigen twice: with
// the ratio trace and with the trace ratio.
func Methods() []Method {
	return []Method{
		Auto{}, ConjugateGradient{}, SteepestDescent{}, ProjectedGradient{}, Eigen{}, Eigen{TraceRatio: true},
		MiniBatch{}, Principal{}, Fisher{},
	}
}

// ParseMethod returns the method with the given name: auto, cg, sd, pg, eigen, eigen-trace,
// minibatch, principal or fisher. For any other name, it returns an error that wraps ErrSettings.
func ParseMethod(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if m.String() == name {
			return m, nil
		}
		names = append(names, m.String())
	}
	return nil, fmt.Errorf("%w: unknown method %q: use one of %s", ErrSettings, name, strings.Join(names, ", "))
}

// methodText returns the name and the batch size from which parseMethod makes m. batchSize is 0
// unless m is a MiniBatch.
func methodText(m Method) (name string, batchSize int) {
	if m == nil {
		m = Auto{}
	}
	b, _ := m.(MiniBatch)
	return m.String(), b.BatchSize
}

// parseMethod is like ParseMethod and sets BatchSize if the method is MiniBatch.
func parseMethod(name string, batchSize int) (Method, error) {
	m, err := ParseMethod(name)
	if b, ok := m.(MiniBatch); ok {
		b.BatchSize = batchSize
		m = b
	}
	return m, err
}

// Auto is the default method. It evaluates J at the starting point P⁰, at the principal components, and
// at the result of a few steps of Eigen. From the point with the largest J, it maximizes J by
// limited-memory BFGS on the manifold with the exact gradient.
//
// If n ≤ d + 1, some maxima of J fit only noise. Auto then starts at the principal components or the
// directions of Fisher, whichever has the larger J.
//
// The number of pairs of classes grows with the square of the number of classes. With more than
// 1024 classes, Auto uses MiniBatch.
type Auto struct{}

// ConjugateGradient is Riemannian conjugate gradient with the exact gradient.
type ConjugateGradient struct{}

// SteepestDescent is Riemannian steepest descent (of −J) with the exact gradient.
type SteepestDescent struct{}

// ProjectedGradient is Algorithm 1 of the paper.
type ProjectedGradient struct{}

// Eigen improves the transport plans and the projection alternately, without a gradient. With fixed
// transport plans, the projection is the solution of an eigenvalue problem. The result is the best
// iterate, which is usually close to a maximum of J, but not a maximum.
type Eigen struct {
	// TraceRatio, if true, selects the trace ratio, a quotient of two traces, as the function to
	// maximize. The trace ratio is J for fixed transport plans (D. M. Roh, Z. Bai and R.-C. Li,
	// arXiv:2211.11891). The default is the ratio trace, the trace of a quotient of two matrices
	// (H. Liu, Y. Cai, Y.-L. Chen and P. Li, NeurIPS 2020).
	TraceRatio bool
}

// MiniBatch is Riemannian stochastic gradient ascent with momentum. It starts at the same point as
// Auto. MiniBatch is for many samples: each step uses BatchSize samples of some classes, and the time
// and memory of a step do not grow with the square of the number of samples. MiniBatch is the only
// method for samples that are not in memory. Transport between mini-batches is biased, so the result
// is a little worse than the result of the exact methods.
type MiniBatch struct {
	// BatchSize is the number of samples of a class in a step. A class with fewer samples is used
	// completely. Default 64; at least 2.
	BatchSize int
}

// Principal is a method without iterations. It returns the starting point P⁰. By default, P⁰
// contains the principal components of the (whitened) features, which are the limit of WDA for
// ρ → ∞. As with every method, Fit returns the canonical components: here a rotation of the
// principal components. Package baseline returns the principal components themselves.
type Principal struct{}

// Fisher is a method without iterations. It returns the leading directions in which the class means
// differ. With whitened features, the result is regularized discriminant analysis, which is the
// limit of WDA for λ → 0. For C classes there are at most C − 1 such directions. Further components
// are principal components, scaled to almost zero.
type Fisher struct{}

func (Auto) String() string              { return "auto" }
func (ConjugateGradient) String() string { return "cg" }
func (SteepestDescent) String() string   { return "sd" }
func (ProjectedGradient) String() string { return "pg" }
func (MiniBatch) String() string         { return "minibatch" }
func (Principal) String() string         { return "principal" }
func (Fisher) String() string            { return "fisher" }

func (m Eigen) String() string {
	if m.TraceRatio {
		return "eigen-trace"
	}
	return "eigen"
}

// traits are the properties of a method that the fit depends on.
type traits struct {
	// If chooses is true, a fit may compare the method with Principal and Fisher, and may choose the
	// numbers of starting points and steps.
	chooses bool
	// searchesStart means that the fit first searches for a good starting point.
	searchesStart bool
	// stepless means that the result is the starting point.
	stepless bool
	// startsAtFisher means that the optimization starts at the Fisher discriminants.
	startsAtFisher bool
	// samplesRows means that the method draws mini-batches, so the samples need not be in memory.
	samplesRows bool
	// stepMatrices is the number of matrices of the size of P that the steps use.
	stepMatrices int
}

// descentMatrices is the number of matrices that package descent and the manifold use.
const descentMatrices = 11 + 2

func (Auto) traits() traits {
	return traits{chooses: true, searchesStart: true, stepMatrices: descentMatrices + 2*descent.MemoryPairs}
}
func (ConjugateGradient) traits() traits { return traits{stepMatrices: descentMatrices} }
func (SteepestDescent) traits() traits   { return traits{stepMatrices: descentMatrices} }
func (ProjectedGradient) traits() traits { return traits{stepMatrices: descentMatrices} }
func (Eigen) traits() traits             { return traits{} }
func (MiniBatch) traits() traits {
	return traits{searchesStart: true, samplesRows: true, stepMatrices: descentMatrices}
}
func (Principal) traits() traits { return traits{stepless: true} }
func (Fisher) traits() traits    { return traits{stepless: true, startsAtFisher: true} }

// newSolver returns the solver for the method of the settings. If the method is MiniBatch,
// population() returns the population that supplies the samples.
func newSolver[T dist.Float](s *Settings, population func() *discriminant.Population) discriminant.Solver[T] {
	switch m := s.Optimizer.Method.(type) {
	case Principal, Fisher:
		return discriminant.NoSteps[T]{}
	case Eigen:
		return discriminant.AlternatingSolver[T]{TraceRatio: m.TraceRatio}
	case MiniBatch:
		return discriminant.MiniBatchSolver[T]{BatchSize: m.BatchSize, Population: population, Random: s.newRandom(streamBatches)}
	case ProjectedGradient:
		return discriminant.DescentSolver[T]{Method: descent.ProjectedGradient}
	case SteepestDescent:
		return discriminant.DescentSolver[T]{Method: descent.SteepestDescent}
	case ConjugateGradient:
		return discriminant.DescentSolver[T]{Method: descent.ConjugateGradient}
	default: // Auto
		return discriminant.DescentSolver[T]{Method: descent.LBFGS}
	}
}

// newRandom returns a function that creates a random number generator for each starting point, from
// the index of the point.
func (s *Settings) newRandom(stream uint64) func(start int) *rand.Rand {
	return func(start int) *rand.Rand { return rand.New(rand.NewPCG(s.Seed, stream+uint64(start))) }
}

// methodWithDefaults returns m with its defaults, or Auto if m is nil. If m is a pointer, the result
// is a value. The error wraps ErrSettings.
func methodWithDefaults(m Method) (Method, error) {
	if v := reflect.ValueOf(m); m == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return Auto{}, nil
	} else if v.Kind() == reflect.Pointer {
		m = v.Elem().Interface().(Method)
	}
	b, ok := m.(MiniBatch)
	if !ok {
		return m, nil
	}
	if b.BatchSize == 0 {
		b.BatchSize = 64
	}
	if b.BatchSize < 2 {
		return m, fmt.Errorf("%w: BatchSize of MiniBatch is %d; it must be at least 2", ErrSettings, b.BatchSize)
	}
	return b, nil
}
