package wda

import (
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/sinkhorn"
)

// maxMemory is the number of bytes that one phase of a fit may take besides copies of the
// samples, which are as many as their elements whatever the settings.
const maxMemory = 16 << 30

// need is memory, in bytes, and what it is for.
type need struct {
	what  string
	bytes float64
}

// checkNeeds returns an error that names the sum and the largest of the needs if they are
// more than maxMemory together. They are computed in float64, in which nothing wraps.
func checkNeeds(needs ...need) error {
	var sum float64
	var most need
	for _, n := range needs {
		if sum += n.bytes; n.bytes > most.bytes {
			most = n
		}
	}
	if sum <= maxMemory {
		return nil
	}
	return fmt.Errorf("%w: they need %.3g GiB of memory besides the samples; the limit is %d GiB. %.3g GiB are for %s", ErrSettings, sum/(1<<30), maxMemory>>30, most.bytes/(1<<30), most.what)
}

// prepareNeeds are those of the span and the p principal components of n samples of d
// features: where there are more features than samples a Gram matrix and its factor, where
// there are few features, or p is most of them, eigenvectors.
func prepareNeeds(n, d, p int) []need {
	switch {
	case d > n:
		return []need{{fmt.Sprintf("the Gram matrix of %d samples and the span", n), 4 * 8 * float64(n) * float64(n)}}
	case d <= formedPrincipal || 3*(p+extraPrincipal) > d:
		return []need{{fmt.Sprintf("the covariance of %d features and its eigenvectors", d), 4 * 8 * float64(d) * float64(d)}}
	}
	return []need{{fmt.Sprintf("%d components of %d features", p, d), 14 * 8 * float64(p) * float64(d)}}
}

// formedPrincipal is the number of features up to which package baseline forms their
// covariance.
const formedPrincipal = 2048

// whitenNeeds are those of whitening d coordinates.
func whitenNeeds(d int) []need {
	return []need{{fmt.Sprintf("the covariance of %d features that Whitening takes", d), 3 * 8 * float64(d) * float64(d)}}
}

// foldNeeds are those of so many folds of n samples of d features at a time, as many as
// there are goroutines: their samples, and those of the fits.
func foldNeeds(n, d, folds, workers int) []need {
	at := float64(min(folds, workers))
	return []need{{fmt.Sprintf("the samples of %d folds at a time", min(folds, workers)), (2*at + float64(workers)) * 8 * float64(n) * float64(d)}}
}

// sourceNeeds are those of drawing from n rows of d features that are not in memory, of
// which held are: their copies when they are whitened and their components found.
func sourceNeeds(n, d, held int) []need {
	return []need{
		{fmt.Sprintf("the order of %d rows", n), 8 * float64(n)},
		{fmt.Sprintf("a sample of %d rows of %d features", held, d), 4 * 8 * float64(held) * float64(d)},
	}
}

// elementSize is the number of bytes of an element of type T.
func elementSize[T dist.Float]() float64 {
	if num.IsFloat64[T]() {
		return 8
	}
	return 4
}

// objectiveNeeds are those of evaluating J for these settings, which have their defaults,
// in element type T, with so many solvers of pairs of at most largest samples a class.
func objectiveNeeds[T dist.Float](s *samples, set *Settings, solvers int) []need {
	size := elementSize[T]()
	n, d, p, classes := float64(s.n), float64(s.d), float64(set.Components), float64(len(s.classes))
	largest := 0
	for c := range s.classes {
		largest = max(largest, s.size(c))
	}
	needs := []need{
		{fmt.Sprintf("the projections of %d samples and their gradients", s.n), size * (float64(5*n) + float64(2*d)) * p},
		{fmt.Sprintf("the pairs of %d classes", len(s.classes)), 64 * classes * classes},
		{fmt.Sprintf("%d workers", solvers), 2 * size * largePair * float64(solvers)},
		{fmt.Sprintf("the transport scatters in %d components", set.Components), (float64(2*(8+size)*n) + float64(5*8*p)) * p},
		{fmt.Sprintf("the results of %d starts", set.Optimizer.Starts), 2 * 8 * float64(set.Optimizer.Starts)},
	}
	if k := set.Optimizer.Method.traits().matrices; k > 0 {
		needs = append(needs, need{
			fmt.Sprintf("the steps of %v in %d × %d", set.Optimizer.Method, s.d, set.Components), 8 * (float64(float64(k)*d) + float64(7*p)) * p,
		})
	}
	if set.Objective.Gradient == sinkhorn.GradientUnrolled {
		needs = append(needs, need{
			fmt.Sprintf("the iterates of %d Sinkhorn iterations, of which Gradient Implicit keeps none,", set.Objective.Iterations),
			6 * size * float64(set.Objective.Iterations) * float64(largest) * float64(solvers),
		})
	}
	return needs
}
