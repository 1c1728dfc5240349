package wda

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// piece is a unit of work of a comparison. It takes the candidates From … To−1 that have not been
// eliminated, and fits them to one fold. These candidates have the same whitening, and a fit may
// start at the result of the previous fit. If Numbers is not nil, the piece fits only one candidate, with
// several numbers of components.
type piece struct {
	Fold, From, To int
	Alive          []bool // whether each candidate is still in the comparison; nil if Numbers is not nil
	Numbers        []bool // for each number of components, whether to fit with this number; or nil
}

// candidateCount returns the number of candidates of the piece that have not been eliminated. It
// returns 0 if Numbers is not nil.
func (p *piece) candidateCount() int {
	n := 0
	for k := p.From; k < p.To && p.Numbers == nil; k++ {
		if p.Alive[k] {
			n++
		}
	}
	return n
}

// compareFunc is a function that returns the losses of the candidates of each piece. The losses of a
// candidate are nil if the candidate was eliminated or could not be fitted.
type compareFunc func(ctx context.Context, pieces []piece) ([][][]loss, error)

// compareLocally computes the losses of the pieces in this process. It is a compareFunc.
func (c *comparison) compareLocally(ctx context.Context, pieces []piece) ([][][]loss, error) {
	out := make([][][]loss, len(pieces))
	workers := parallel.Count(c.set.Workers)
	order := make([]int, len(pieces)) // indices of the pieces, longest piece first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(pieces[j].candidateCount(), pieces[i].candidateCount()) })
	var pool parallel.Pool
	err := pool.Run(ctx, workers, len(pieces), func(ctx context.Context, _, k int) (err error) {
		i := order[k]
		out[i], err = c.comparePiece(ctx, &pieces[i], goroutinesFor(k, len(pieces), workers))
		return err
	})
	return out, err
}

// goroutinesFor returns the number of goroutines for piece i of n. Each of the last pieces gets several
// goroutines if some of the workers would be idle otherwise.
func goroutinesFor(i, n, workers int) int {
	if over := n % workers; i >= n-over {
		return max(workers/over, 1)
	}
	return 1
}

// comparePiece returns the losses of one piece. workers is the number of goroutines.
func (c *comparison) comparePiece(ctx context.Context, p *piece, workers int) ([][]loss, error) {
	out := make([][]loss, p.To-p.From)
	if p.Numbers != nil {
		var err error
		out[0], err = c.compareComponentCounts(ctx, p, workers)
		return out, err
	}
	t, err := newTrial(ctx, c.set, &c.folds[p.Fold], c.candidates[p.From].Whitening, workers)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return out, nil // a candidate that cannot be fitted has no loss
	}
	for k := p.From; k < p.To; k++ {
		if !p.Alive[k] {
			continue
		}
		l, err := t.candidateLosses(ctx, &c.candidates[k], c.componentCounts)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err == nil {
			out[k-p.From] = l
		}
		if err := c.reportFits(1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fitCounter counts the fits that were reported to Progress. Each fit fits one candidate to one fold.
type fitCounter struct {
	sync.Mutex
	fits int
}

// reportFits adds fits to the number of finished fits and calls Progress. Each fit fits one
// candidate to one fold.
func (c *comparison) reportFits(fits int) error {
	if c.set.Progress == nil {
		return nil
	}
	c.progress.Lock()
	defer c.progress.Unlock()
	c.progress.fits += fits
	return c.set.Progress(Progress{Phase: PhaseChoice, Done: c.progress.fits, Total: max(c.progress.fits, c.expectedFits())})
}

// expectedFits returns an estimate of the number of fits of candidates to folds.
func (c *comparison) expectedFits() int {
	total, from, alive := 0, 0, float64(len(c.candidates))
	for _, to := range c.roundEnds() {
		total += int(float64(to-from) * alive)
		alive, from = alive*c.survivorShare(from), to
	}
	if len(c.componentCounts) > 1 { // about half of the numbers of components are eliminated
		total += min(c.finalistCount(), len(c.candidates)) * len(c.folds) * len(c.componentCounts) / 2
	}
	return total
}

// finalistFit identifies a fit by its fold, its number of components, and the settings of the
// finalist.
type finalistFit struct {
	fold, count int
	member      Member // without its scale
}

// finalistFits stores the canonical components of fits. Finalists that differ only in scale share
// these fits.
type finalistFits struct {
	sync.Mutex
	shared     []Member // settings, without the scale, that several finalists have in common
	components map[finalistFit]*discriminant.Components
}

// setFinalists finds the fits that several finalists share.
func (l *finalistFits) setFinalists(finalists []Member) {
	l.components = map[finalistFit]*discriminant.Components{}
	for i := range finalists {
		if of := finalists[i].withoutScale(); slices.ContainsFunc(finalists[:i], func(m Member) bool { return m.withoutScale() == of }) {
			l.shared = append(l.shared, of)
		}
	}
}

// componentsOf returns the stored canonical components of a fit, or nil if none are stored.
func (l *finalistFits) componentsOf(fit finalistFit) *discriminant.Components {
	l.Lock()
	defer l.Unlock()
	return l.components[fit]
}

// storeComponents stores the canonical components of a fit if another finalist needs them.
func (l *finalistFits) storeComponents(fit finalistFit, axes *discriminant.Components) {
	l.Lock()
	defer l.Unlock()
	if slices.Contains(l.shared, fit.member) {
		l.components[fit] = axes
	}
}

// compareComponentCounts fits the candidate of a piece once for each number of components that
// of.Numbers selects, and returns the losses. The losses of all other numbers are infinite. It
// returns nil if the candidate cannot be fitted.
func (c *comparison) compareComponentCounts(ctx context.Context, of *piece, workers int) ([]loss, error) {
	m := &c.candidates[of.From]
	t, err := newTrial(ctx, c.set, &c.folds[of.Fold], m.Whitening, workers)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, nil
	}
	out := make([]loss, len(c.componentCounts))
	var all *mat.Dense
	for k, q := range c.componentCounts {
		if !of.Numbers[k] {
			out[k] = loss{math.Inf(1), 1}
			continue
		}
		if k > 0 && all == nil {
			all = t.canonical.P
		}
		fit := finalistFit{of.Fold, q, m.withoutScale()}
		if t.canonical = c.finalistFits.componentsOf(fit); t.canonical != nil {
			t.lastFit = fit.member
		} else {
			err = t.restart(ctx, q, all)
		}
		if err == nil {
			var l []loss
			if l, err = t.candidateLosses(ctx, m, []int{q}); err == nil {
				c.finalistFits.storeComponents(fit, t.canonical)
				if err := c.reportFits(1); err != nil {
					return nil, err
				}
				if out[k] = l[0]; discardSmallerCounts(out, k) {
					break
				}
				continue
			}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, nil
	}
	return out, nil
}

// multiplications returns an estimate of the number of multiplications in the comparison.
func (c *comparison) multiplications() float64 {
	n := float64(min(c.rows, maxFitted))
	return n * n * float64(len(c.folds)*len(c.candidates)*c.set.Optimizer.MaxSteps*2*c.set.Objective.Iterations)
}
