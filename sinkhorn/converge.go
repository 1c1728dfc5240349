package sinkhorn

import (
	"context"
	"errors"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
	"github.com/gomonge/monge/internal/simplex"
)

const (
	paceEvery = 8    // iterations between two looks at the pace
	paceFrom  = 16   // iterations before the first verdict
	paceFew   = 40   // iterations that are left to the plain method,
	paceSmall = 6000 // and this divided by min(n, m) more, for what Newton's steps take besides passes

	slowAnneal = 4 // factor of ε-scaling, once iterations are slow
	slowStages = 3 // and the least number of its stages
)

// origin says where a better start comes from.
type origin int

const (
	asItIs   origin = iota // there is none: plain iterations go on
	annealed               // ε-scaling (anneal.go)
	exact                  // the problem without entropy (exact.go)
	roughly                // stages that are solved roughly (stages.go)
	staged                 // stages that are solved to the tolerance
	forced                 // exact, also where the dual is lower there
)

// What to try one after the other, each time that Newton's steps stall.
var (
	exactOrigins   = []origin{exact, roughly, staged, forced}
	partialOrigins = []origin{asItIs, roughly, staged, forced}
	stagedOrigins  = []origin{asItIs, roughly, staged}
)

// solution is how Solve solves a problem. Plain iterations come first. With a tolerance, and if
// they turn out to be slow, ε-scaling finds a better start (anneal.go) and Newton's steps follow
// (newton.go). Each time that these do not pay, the next better start is tried: the dual variables of the
// problem without entropy (exact.go), then stages that end with Newton's steps (stages.go). If it is
// not better, as many plain iterations as have been made before follow.
type solution[T dist.Float] struct {
	*iteration[T]
	unbalanced     unbalanced[T]
	partial        partial[T]
	balanced       balanced[T]
	newton         newton[T]
	warm           []T     // start of the next stage of annealing
	stageTolerance float64 // of the stages at hand
	exact          simplex.Solver[T]
	costs          gibbs.CostRows[T] // that exact reads
}

// init sets up the parts, which share one iteration, one point of the dual and one system.
func (s *solution[T]) init(it *iteration[T], sys *system[T]) {
	s.iteration = it
	s.newton.point.it = it
	s.newton.sys = sys
	s.unbalanced.dualPoint, s.balanced.dualPoint = &s.newton.point, &s.newton.point
	s.partial.unbalanced = &s.unbalanced
}

// dual returns the dual problem.
func (s *solution[T]) dual() dual[T] {
	switch {
	case s.iteration.partial > 0:
		return &s.partial
	case s.unequal:
		return &s.unbalanced
	}
	return &s.balanced
}

// pace watches how fast the marginal error falls.
type pace struct {
	next      int
	last, few float64
}

// newPace returns the pace of an n × m problem, to be looked at from iteration next on.
func newPace(next, n, m int) pace {
	return pace{next: next, few: paceFew + paceSmall/float64(min(n, m))}
}

// slow reports whether after iteration k, with error e, plain iterations would need more than
// a few to reach the goal.
func (p *pace) slow(k int, e, goal float64) bool {
	if k < p.next || !finite(e) {
		return false
	}
	last := p.last
	p.next, p.last = k+paceEvery, e
	return last > 0 && !(float64(num.Log(last/e)*p.few) > float64(num.Log(e/goal)*paceEvery))
}

// forward makes iterations for the λ that is set, from u⁰ = exp(start), or 1.
func (s *solution[T]) forward(ctx context.Context, limit int, tolerance float64, start []T) error {
	if err := s.restart(ctx, 0, start); err != nil {
		return err
	}
	return s.iterate(ctx, limit, tolerance, nil)
}

// iterate makes plain iterations, as advance does.
func (s *solution[T]) iterate(ctx context.Context, limit int, tolerance float64, p *pace) error {
	if s.unequal {
		return s.unbalanced.advance(ctx, limit, tolerance, p)
	}
	return s.advance(ctx, limit, tolerance, p)
}

// converge makes the iterations that the settings ask for.
func (s *solution[T]) converge(ctx context.Context) error {
	limit, tolerance := s.settings.Iterations, s.settings.Tolerance
	if !s.accelerates() {
		return s.forward(ctx, limit, tolerance, s.problem.Start)
	}
	if err := s.restart(ctx, 0, s.problem.Start); err != nil {
		return err
	}
	origins := stagedOrigins
	switch {
	case s.settings.Domain == DomainPlain:
		origins = nil
	case s.iteration.partial > 0:
		origins = partialOrigins
	case !s.unequal:
		origins = exactOrigins
	}
	anneals := s.settings.Anneal == 0 && s.problem.Start == nil && s.settings.Domain != DomainPlain
	n, m := s.kernel.N(), s.kernel.M()
	p := newPace(paceFrom-paceEvery, n, m)
	for {
		err := s.iterate(ctx, limit, tolerance, &p)
		switch {
		case err != nil || s.converged() || s.res.Iterations >= limit:
			return err
		case anneals:
			anneals = false
			scaled, err := s.startAgain(ctx, annealed)
			if err != nil || s.converged() {
				return err
			}
			if scaled {
				p = newPace(s.res.Iterations+paceEvery, n, m)
				continue
			}
		}
		if err := s.newton.climb(ctx, s.dual(), limit); err != nil || s.converged() {
			return err
		}
		if len(origins) > 0 && s.res.Status != LowPrecision {
			from := origins[0]
			origins = origins[1:]
			scaled, err := s.startAgain(ctx, from)
			if err != nil || s.converged() {
				return err
			}
			if scaled {
				p = newPace(s.res.Iterations+paceEvery, n, m)
				if from == exact || from == forced {
					p.few = paceFew
				}
				continue
			}
		}
		p = newPace(2*s.res.Iterations, n, m)
	}
}

// startAgain replaces the iterate by the first one from a better start, if the dual is larger there or the
// start is forced. It reports whether it has.
func (s *solution[T]) startAgain(ctx context.Context, from origin) (bool, error) {
	if from == asItIs {
		return false, nil
	}
	nw, k := &s.newton, s.res.Iterations
	stages, err := s.annealStages(ctx, slowAnneal)
	if err != nil || stages < slowStages {
		return false, err
	}
	kept, kind, lambda, shift := s.res, s.kind(k), s.lambda, s.shift
	gibbs.Grow(&nw.f, s.kernel.N())
	s.kernel.GrowColumn(&nw.g)
	if kept.Domain == DomainPlain {
		copy(nw.f, s.u(k))
		copy(nw.g, s.v(k))
	} else {
		potentials(nw.f, s.u(k), kind, s.log.f)
		potentials(nw.g, s.v(k), kind, s.log.g)
		s.keepWeightless(nw.f, nw.g)
	}
	before := s.dual().value()
	spent := s.res.Annealing
	found := true
	switch from {
	case annealed:
		err = s.anneal(ctx, slowAnneal)
	case exact, forced:
		found, err = s.exactStart(ctx)
	case roughly:
		s.stageTolerance = max(s.tolerance, stageTolerance)
		err = s.follow(ctx)
	case staged:
		s.stageTolerance = s.tolerance
		err = s.follow(ctx)
	}
	total := spent + s.res.Annealing
	if err == nil && found {
		err = s.restart(ctx, k, s.problem.Start)
	}
	if err == nil && found {
		err = s.iterate(ctx, k+1, s.tolerance, nil)
	}
	s.res.Annealing = total
	if err == nil && found && (from == forced || s.dual().value() >= before) {
		return true, nil
	}
	// Back to the iterate that was kept, even if the context has ended.
	s.res = kept
	s.res.Annealing = total
	s.setLambda(lambda)
	s.shift = shift
	copy(s.u(k), nw.f)
	copy(s.v(k), nw.g)
	if s.setKind(k, plainKind); kept.Domain != DomainPlain {
		for i, a := range s.a {
			if a == 0 {
				s.u(k)[i] = T(math.Inf(-1))
			}
		}
		s.setKind(k, potentialKind)
		s.log.basis = k
		s.absorb(nw.f, nw.g)
	}
	if err != nil && !errors.Is(err, ErrRange) { // stages may be out of range where λ itself is not
		return false, err
	}
	if err := s.final(ctx); err != nil {
		return false, err
	}
	s.scaled, s.skip, s.wait = true, 0, 1
	return false, s.kernel.MulTrans(ctx, s.q, s.plan.u)
}
