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

// piece is a piece of work: those candidates From … To−1 of the list, all with one
// whitening, that are alive, on one fold, each fitted from where the one before has led; or
// one candidate with every number of components.
type piece struct {
	Fold, From, To int
	Alive          []bool // parallel to the list
	Numbers        []bool // parallel to the numbers of components, or nil
}

// members returns how many candidates are alive in the piece.
func (p *piece) members() int {
	n := 0
	for k := p.From; k < p.To && p.Numbers == nil; k++ {
		if p.Alive[k] {
			n++
		}
	}
	return n
}

// comparer returns the losses of every piece, From … To−1, nil for those that could not be
// fitted or were not alive.
type comparer func(ctx context.Context, pieces []piece) ([][][]loss, error)

// local is the comparer of this process.
func (c *comparison) local(ctx context.Context, pieces []piece) ([][][]loss, error) {
	out := make([][][]loss, len(pieces))
	workers := parallel.Count(c.set.Workers)
	order := make([]int, len(pieces)) // the longest first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(pieces[j].members(), pieces[i].members()) })
	var pool parallel.Pool
	err := pool.Run(ctx, workers, len(pieces), func(ctx context.Context, _, k int) (err error) {
		i := order[k]
		out[i], err = c.do(ctx, &pieces[i], goroutines(k, len(pieces), workers))
		return err
	})
	return out, err
}

// goroutines returns how many do piece i of n: more where other workers have nothing left to do.
func goroutines(i, n, workers int) int {
	if over := n % workers; i >= n-over {
		return max(workers/over, 1)
	}
	return 1
}

// do does a piece by so many goroutines.
func (c *comparison) do(ctx context.Context, p *piece, workers int) ([][]loss, error) {
	out := make([][]loss, p.To-p.From)
	if p.Numbers != nil {
		var err error
		out[0], err = c.leading(ctx, p, workers)
		return out, err
	}
	t, err := newTrial(ctx, c.set, &c.folds[p.Fold], c.list[p.From].Whitening, workers)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return out, nil // whoever cannot be fitted has no loss
	}
	for k := p.From; k < p.To; k++ {
		if !p.Alive[k] {
			continue
		}
		l, err := t.losses(ctx, &c.list[k], c.counts)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err == nil {
			out[k-p.From] = l
		}
		if err := c.did(1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// counted says how many fits of candidates to folds were told to Progress.
type counted struct {
	sync.Mutex
	fits int
}

// did tells Progress of more fits of candidates to folds.
func (c *comparison) did(fits int) error {
	if c.set.Progress == nil {
		return nil
	}
	c.told.Lock()
	defer c.told.Unlock()
	c.told.fits += fits
	return c.set.Progress(Progress{Phase: PhaseChoice, Done: c.told.fits, Total: max(c.told.fits, c.expected())})
}

// expected is about how many fits of candidates to folds the comparison makes.
func (c *comparison) expected() int {
	total, from, alive := 0, 0, float64(len(c.list))
	for _, to := range c.rounds() {
		total += int(float64(to-from) * alive)
		alive, from = alive*c.share(from), to
	}
	if len(c.counts) > 1 { // numbers of components are given up early, too
		total += min(c.finalists(), len(c.list)) * len(c.folds) * len(c.counts) / 2
	}
	return total
}

// ledFit is a fit of a finalist to so many components on a fold.
type ledFit struct {
	fold, count int
	of          Member // whatever the scale
}

// ledFits keeps the canonical components of fits of finalists that others differ from in the scale
// alone.
type ledFits struct {
	sync.Mutex
	shared []Member // of more than one finalist
	axes   map[ledFit]*discriminant.Components
}

// share says which finalists there are.
func (l *ledFits) share(finalists []Member) {
	l.axes = map[ledFit]*discriminant.Components{}
	for i := range finalists {
		if of := finalists[i].fit(); slices.ContainsFunc(finalists[:i], func(m Member) bool { return m.fit() == of }) {
			l.shared = append(l.shared, of)
		}
	}
}

// of returns what fit has led to, or nil.
func (l *ledFits) of(fit ledFit) *discriminant.Components {
	l.Lock()
	defer l.Unlock()
	return l.axes[fit]
}

// keep keeps what fit has led to if another finalist needs it.
func (l *ledFits) keep(fit ledFit, axes *discriminant.Components) {
	l.Lock()
	defer l.Unlock()
	if slices.Contains(l.shared, fit.of) {
		l.axes[fit] = axes
	}
}

// leading returns how a candidate does on a fold with every number of components, fitted to
// each by itself, or nil if it cannot be.
func (c *comparison) leading(ctx context.Context, of *piece, workers int) ([]loss, error) {
	m := &c.list[of.From]
	t, err := newTrial(ctx, c.set, &c.folds[of.Fold], m.Whitening, workers)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, nil
	}
	out := make([]loss, len(c.counts))
	var all *mat.Dense
	for k, q := range c.counts {
		if !of.Numbers[k] {
			out[k] = loss{math.Inf(1), 1}
			continue
		}
		if k > 0 && all == nil {
			all = t.axes.P
		}
		fit := ledFit{of.Fold, q, m.fit()}
		if t.axes = c.led.of(fit); t.axes != nil {
			t.fitted = fit.of
		} else {
			err = t.narrow(ctx, q, all)
		}
		if err == nil {
			var l []loss
			if l, err = t.losses(ctx, m, []int{q}); err == nil {
				c.led.keep(fit, t.axes)
				if err := c.did(1); err != nil {
					return nil, err
				}
				if out[k] = l[0]; tooFew(out, k) {
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

// multiplications is about how many the comparison makes.
func (c *comparison) multiplications() float64 {
	n := float64(min(c.rows, choiceRows))
	return n * n * float64(len(c.folds)*len(c.list)*c.set.Optimizer.MaxSteps*2*c.set.Objective.Iterations)
}
