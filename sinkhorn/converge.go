package sinkhorn

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
)

const (
	paceEvery = 8    // iterations between two checks of the progress
	paceFrom  = 16   // iterations before the first check
	paceFew   = 40   // plain iterations continue if at most paceFew + paceSmall/min(n, m) more iterations are predicted
	paceSmall = 6000 // see paceFew; in small problems, the overhead of Newton's steps is larger

	slowAnneal = 4 // factor of ε-scaling after slow plain iterations
	slowStages = 3 // a search for better initial potentials requires at least slowStages stages of ε-scaling
)

// start finds better initial potentials for plain iterations. The implementations are annealedStart (anneal.go), stagedStart
// (stages.go) and exactStart (exact.go).
type start[T dist.Float] interface {
	// find stores initial potentials in problem.Start. It returns false if it finds no initial potentials. It sets
	// Result.Annealing to the number of its passes over the costs.
	find(ctx context.Context) (bool, error)
}

// attempt describes how Solve continues when Newton's method stalls: from the potentials that a start finds, or with plain
// iterations. Unless forced is set, potentials that decrease the value of the dual are not used.
type attempt[T dist.Float] struct {
	start           start[T] // if nil, plain iterations continue
	forced          bool     // use the potentials even if they decrease the value of the dual
	plainIterations float64  // plain iterations continue after the attempt if their predicted number is at most this limit; 0 means the usual limit
}

// solution implements the strategy of Solve. Solve begins with plain iterations. If there is a tolerance and plain iterations
// are slow, ε-scaling finds a better start and Newton's method follows (newton.go). Each time Newton's method stalls, Solve
// tries other initial potentials: the dual variables of the unregularized problem, or the result of ε-scaling with Newton's
// method in each stage. If an attempt does not help, plain iterations continue until their number has doubled.
type solution[T dist.Float] struct {
	it         *iteration[T]
	unbalanced unbalanced[T]
	partial    partial[T]
	balanced   balanced[T]
	newton     newton[T]

	settled       annealedStart[T] // for Settings.Anneal
	annealed      annealedStart[T]
	exact         exactStart[T]
	rough, staged stagedStart[T]
	// attempts for each kind of problem, in the order of use
	balancedAttempts, partialAttempts, penalizedAttempts []attempt[T]

	foundStart []T // latest initial potentials
	kept       keptIterate[T]
}

// keptIterate is the iterate that is saved before an attempt and restored if the attempt is not better.
type keptIterate[T dist.Float] struct {
	result        Result[T]
	lambda, shift float64
	f, g          []T // scalings, or potentials in the log domain
}

// init sets the fields of s. All algorithms share one iteration, one linear system and one dualPoint.
func (s *solution[T]) init(it *iteration[T], sys *system[T]) {
	s.it = it
	s.newton.point.it = it
	s.newton.sys = sys
	s.unbalanced.dualPoint, s.balanced.dualPoint = &s.newton.point, &s.newton.point
	s.partial.dualPoint, s.partial.iteration = &s.newton.point, &s.unbalanced

	s.settled, s.annealed = annealedStart[T]{s, it.settings.Anneal}, annealedStart[T]{s, slowAnneal}
	s.exact.solution = s
	s.rough, s.staged = stagedStart[T]{s, roughTolerance}, stagedStart[T]{s, 0}
	none, rough, staged := attempt[T]{}, attempt[T]{start: &s.rough}, attempt[T]{start: &s.staged}
	exact, forced := attempt[T]{start: &s.exact, plainIterations: paceFew}, attempt[T]{start: &s.exact, plainIterations: paceFew, forced: true}
	s.balancedAttempts = []attempt[T]{exact, rough, staged, forced}
	s.partialAttempts = []attempt[T]{none, rough, staged, forced}
	s.penalizedAttempts = []attempt[T]{none, rough, staged}
}

// dual returns the dual of the current problem.
func (s *solution[T]) dual() dual[T] {
	switch {
	case s.it.partial > 0:
		return &s.partial
	case s.it.unequal:
		return &s.unbalanced
	}
	return &s.balanced
}

// attempts returns the attempts for a balanced, penalized or partial problem. It returns nil with DomainPlain.
func (s *solution[T]) attempts() []attempt[T] {
	switch {
	case s.it.settings.Domain == DomainPlain:
		return nil
	case s.it.partial > 0:
		return s.partialAttempts
	case s.it.unequal:
		return s.penalizedAttempts
	}
	return s.balancedAttempts
}

// pace predicts the number of plain iterations from the decrease of the marginal error.
type pace struct {
	next      int
	last, few float64
}

// newPace returns a pace for an n × m problem. The first check is at iteration firstCheck.
func newPace(firstCheck, n, m int) pace {
	return pace{next: firstCheck, few: paceFew + paceSmall/float64(min(n, m))}
}

// isSlow reports whether plain iterations reduce the error too slowly to reach goal soon. e is the error after iteration k.
func (p *pace) isSlow(k int, e, goal float64) bool {
	if k < p.next || !finite(e) {
		return false
	}
	last := p.last
	p.next, p.last = k+paceEvery, e
	return last > 0 && !(float64(num.Log(last/e)*p.few) > float64(num.Log(e/goal)*paceEvery))
}

// solveFrom makes plain iterations for the current λ, beginning at u⁰ = exp(start), or at u⁰ = 1 if start is nil.
func (s *solution[T]) solveFrom(ctx context.Context, limit int, tolerance float64, start []T) error {
	if err := s.it.setStart(ctx, 0, start); err != nil {
		return err
	}
	return s.plainIterate(ctx, limit, tolerance, nil)
}

// plainIterate makes plain iterations. Its arguments are those of iteration.advance.
func (s *solution[T]) plainIterate(ctx context.Context, limit int, tolerance float64, p *pace) error {
	if s.it.unequal {
		return s.unbalanced.advance(ctx, limit, tolerance, p)
	}
	return s.it.advance(ctx, limit, tolerance, p)
}

// converge makes the iterations that the settings request.
func (s *solution[T]) converge(ctx context.Context) error {
	it := s.it
	limit := it.settings.Iterations
	if !it.accelerates() {
		return s.solveFrom(ctx, limit, it.settings.Tolerance, it.problem.Start)
	}
	if err := it.setStart(ctx, 0, it.problem.Start); err != nil {
		return err
	}
	attempts := s.attempts()
	anneals := it.settings.Anneal == 0 && it.problem.Start == nil && it.settings.Domain != DomainPlain
	p := newPace(paceFrom-paceEvery, it.n, it.m)
	for {
		if err := s.plainIterate(ctx, limit, it.tolerance, &p); err != nil || it.converged() || it.res.Iterations >= limit {
			return err
		}
		next := attempt[T]{}
		if anneals {
			next.start = &s.annealed
		}
		found, err := s.tryStart(ctx, next)
		if err != nil || it.converged() {
			return err
		}
		if anneals = false; !found {
			if err := s.newton.climb(ctx, s.dual(), limit); err != nil || it.converged() {
				return err
			}
			if len(attempts) > 0 && it.res.Status != StatusLowPrecision {
				next, attempts = attempts[0], attempts[1:]
				if found, err = s.tryStart(ctx, next); err != nil || it.converged() {
					return err
				}
			}
		}
		if p = newPace(2*it.res.Iterations, it.n, it.m); found {
			p.next = it.res.Iterations + paceEvery
			p.few = cmp.Or(next.plainIterations, p.few)
		}
	}
}

// tryStart looks for a better start. If there is a better start, tryStart makes one iteration from it and returns true.
// Otherwise it restores the last iterate.
func (s *solution[T]) tryStart(ctx context.Context, a attempt[T]) (bool, error) {
	if a.start == nil {
		return false, nil
	}
	stages, err := s.countStages(ctx, slowAnneal)
	if err != nil || stages < slowStages {
		return false, err
	}
	s.keepIterate()
	it := s.it
	before, spent, k := s.dual().value(), it.res.Annealing, it.res.Iterations
	found, err := a.start.find(ctx)
	spent += it.res.Annealing
	if err == nil && found {
		err = it.setStart(ctx, k, it.problem.Start)
	}
	if err == nil && found {
		err = s.plainIterate(ctx, k+1, it.tolerance, nil)
	}
	it.res.Annealing = spent
	if err == nil && found && (a.forced || s.dual().value() >= before) {
		return true, nil
	}
	s.restoreIterate()
	if err != nil && !errors.Is(err, ErrRange) { // an intermediate λ can be out of range although the final λ is in range
		return false, err
	}
	if err := it.finalizePlan(ctx); err != nil {
		return false, err
	}
	it.scaled, it.skip, it.wait = true, 0, 1
	return false, it.kernel.MulTrans(ctx, it.q, it.plan.u)
}

// keepIterate saves the last iterate.
func (s *solution[T]) keepIterate() {
	it, kept, k := s.it, &s.kept, s.it.res.Iterations
	kept.result, kept.lambda, kept.shift = it.res, it.lambda, it.shift
	gibbs.Grow(&kept.f, it.n)
	it.kernel.GrowColumn(&kept.g)
	if it.res.Domain == DomainPlain {
		copy(kept.f, it.u(k))
		copy(kept.g, it.v(k))
		return
	}
	potentials(kept.f, it.u(k), it.kind(k), it.log.f)
	potentials(kept.g, it.v(k), it.kind(k), it.log.g)
	it.keepWeightless(kept.f, kept.g)
}

// restoreIterate makes the saved iterate the last iterate, even if the context has ended. It does not
// change Result.Annealing.
func (s *solution[T]) restoreIterate() {
	it, kept := s.it, &s.kept
	spent := it.res.Annealing
	it.res = kept.result
	it.res.Annealing = spent
	it.setLambda(kept.lambda)
	it.shift = kept.shift
	k := it.res.Iterations
	u := it.u(k)
	copy(u, kept.f)
	copy(it.v(k), kept.g)
	if it.setKind(k, plainKind); it.res.Domain == DomainPlain {
		return
	}
	for i, a := range it.a {
		if a == 0 {
			u[i] = T(math.Inf(-1))
		}
	}
	it.setKind(k, potentialKind)
	it.log.basis = k
	it.absorb(kept.f, kept.g)
}
