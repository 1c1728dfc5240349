package baselines

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomonge/monge/internal/projection"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// kernels contains the Gaussian kernels of LSDR and LSQMI. Every kernel is centered at a sample and
// belongs to the class of this sample.
type kernels struct {
	basis   *mat.Dense // basis of the span of the samples; nil for the identity
	x       *mat.Dense // coordinates of the samples in the basis, scaled to unit mean variance
	d       int        // features
	class   []int      // class of each sample, from 0
	rows    [][]int    // row indices of each class
	fold    []int      // fold of each sample in cross-validation
	centers []int      // row indices of the kernel centers, ordered by class
	columns []interval // index range of each class in centers
}

type interval struct{ from, to int }

// newKernels orders the samples by label and value, so that random draws do not depend on the order
// of the rows of x.
func newKernels(ctx context.Context, x *mat.Dense, labels []int, size int, seed uint64) (*kernels, error) {
	n, d := x.Dims()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if labels[a] != labels[b] {
			return cmp.Compare(labels[a], labels[b])
		}
		return slices.Compare(x.RawRowView(a), x.RawRowView(b))
	})
	f := &kernels{d: d, class: make([]int, n), fold: make([]int, n)}
	var err error
	if f.basis, f.x, err = sampleSpan(ctx, unitVariance(ctx, projection.Gather(ctx, x, order))); err != nil {
		return nil, err
	}
	sorted := make([]int, n)
	for i, r := range order {
		sorted[i] = labels[r]
	}
	f.rows = projection.ClassRows(sorted)
	rng := rand.New(rand.NewPCG(seed, 2))
	at := 0
	for c, rows := range f.rows {
		from := len(f.centers)
		draw := rng.Perm(len(rows))
		for i, r := range rows {
			f.class[r] = c
			// Spread every class over all folds.
			f.fold[rows[draw[i]]] = at % folds
			at++
		}
		// The number of kernels is proportional to the number of samples in the class, and at least 1.
		take := len(rows)
		if n > size {
			take = max(1, size*len(rows)/n)
		}
		chosen := make([]int, 0, take)
		for _, i := range draw[:take] {
			chosen = append(chosen, rows[i])
		}
		slices.Sort(chosen)
		f.centers = append(f.centers, chosen...)
		f.columns = append(f.columns, interval{from, len(f.centers)})
	}
	return f, nil
}

// filledKernels fills in the default values of the two settings that LSDR and LSQMI share. The last
// result reports whether the settings are valid.
func filledKernels(basis, steps int) (int, int, bool) {
	if basis == 0 {
		basis = 200
	}
	if steps == 0 {
		steps = 100
	}
	return basis, steps, basis > 0 && steps > 0
}

// project returns the projected samples and the projected centers.
func (f *kernels) project(ctx context.Context, p *mat.Dense) (y, u *mat.Dense) {
	y = projection.Product(ctx, f.x, p)
	return y, projection.Gather(ctx, y, f.centers)
}

// search calls climb with several starting points: PCA and random points of the Stiefel manifold.
// It returns the projection with the lowest score, in the coordinates of the original features.
func (f *kernels) search(ctx context.Context, p, starts, steps int, seed uint64, climb func(start *mat.Dense, steps int) (*mat.Dense, float64, error)) (*mat.Dense, error) {
	_, r := f.x.Dims()
	q := min(p, r)
	manifold := stiefel.New(r, q)
	rng := rand.New(rand.NewPCG(seed, 3))
	var best *mat.Dense
	least := math.Inf(1)
	for s := range starts {
		start, err := components(ctx, f.x, q)
		if err != nil {
			return nil, err
		}
		if s > 0 {
			if q == r {
				break // every square starting point spans the whole space
			}
			manifold.Random(ctx, start, rng)
		}
		v, score, err := climb(start, steps)
		if err != nil {
			return nil, err
		}
		if best == nil || score < least {
			best, least = v, score
		}
	}
	// The score depends only on the span of the columns. Rotate the columns to the principal
	// components in this span.
	rotation, err := components(ctx, projection.Product(ctx, f.x, best), q)
	if err != nil {
		return nil, err
	}
	best = projection.Product(ctx, best, rotation)
	if f.basis != nil {
		best = projection.Product(ctx, f.basis, best)
	}
	all, err := completeBasis(ctx, best, p)
	if err != nil {
		return nil, err
	}
	return all, projection.Orthonormalize(ctx, all)
}
