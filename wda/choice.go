package wda

import (
	"cmp"
	"context"
	"slices"

	"github.com/gomonge/monge/internal/discriminant"
)

// WDA with its whitening, λ, ρ and the scale of its components is one family: ρ → ∞
// leaves the cost between classes alone, near the principal components, and in whitened
// features λ → 0 leaves discriminant analysis. Which member is best depends on the data,
// by factors of ten, and no rule from n, d and the classes is known that says which. So
// what the settings leave open is chosen by how well K nearest neighbors classify rows
// that were not fitted to.
//
//   - Candidates are fitted to folds of the rows, each with a few steps from the
//     solution of the one before, in float32. The two ends are candidates as well.
//   - Everything that is learned from rows is learned from those of the fold: mean,
//     span, whitening. With more features than samples a span of all rows would contain
//     the noise of those held out, and the choice would be wrong.
//   - The loss is Brier's of the neighbors' votes, weighted by distance, plus the share of errors.
//   - Where rows are few, they are divided into folds several times.
//   - K is 5, or 3 where a typical class has fewer rows in a fold; the two votes that are
//     missing then count for all classes alike, as three that agree are no certainty.
//   - In rounds the worse of the candidates are left behind: two thirds after the first of three
//     folds, else half whenever 150 rows, or all, have been held out once more.
//
// The steps: choice_candidates.go lists the candidates, choice_folds.go divides the rows,
// choice_work.go divides the work, choice_trial.go fits a candidate to a fold, and
// choice_loss.go judges it and decides who goes on.

const (
	// choiceEnough is the number of rows held out after which candidates are left behind, up to
	// halvings times.
	choiceEnough, halvings = 150, 3
	// fewShare and manyShare of the candidates go on after a round, of large and of small folds.
	fewShare, manyShare = 1. / 3, 0.5
	// fewFinalists is the number of the best candidates that are fitted to other numbers of
	// components, unless there is a mixture.
	fewFinalists = 2
)

// comparison is what candidates are compared by.
type comparison struct {
	set    *Settings
	list   []Member // those that the settings allow, and the principal components
	plain  int      // which of the list the principal components are
	pinned bool     // the settings do not allow them
	counts []int
	rows   int
	folds  []division
	told   counted
	led    ledFits
}

// newComparison compares the members of the family that set, which has its defaults,
// leaves open, on folds of the samples of sp. There are no folds if it is one, or where
// there is no way to.
func newComparison(ctx context.Context, sp *discriminant.Span, set *Settings) (*comparison, error) {
	c := &comparison{set: set, list: set.members(sp.Full.N, sp.Full.D, len(sp.Full.Classes))}
	s := compared(ctx, sp.Samples)
	c.rows, c.counts = s.N, set.counts(s)
	for i := range c.list {
		c.list[i].Leading = c.counts[0]
	}
	if len(c.list) == 1 {
		return c, nil
	}
	// The principal components are what the result is measured by, whatever is pinned.
	isPlain := func(m Member) bool {
		return m.Method == Method(Principal{}) && m.Whitening == NoWhitening() && m.Scale.straight()
	}
	c.plain = slices.IndexFunc(c.list, isPlain)
	if c.pinned = c.plain < 0; c.pinned {
		c.plain = len(c.list)
		c.list = append(c.list, Member{Whitening: NoWhitening(), Method: Principal{}, Scale: ScaleEqual, Lambda: RelativeLambda(1), Shrinkage: FixedShrinkage(1)})
	}
	var err error
	c.folds, err = folds(ctx, sp, set, c.list)
	return c, err
}

// choose makes a choice of the members of the family that set, which has its defaults,
// leaves open. Where there is nothing to choose, or no way to, the first is as good as any.
// elsewhere, unless nil, makes the same comparison by the executor of the settings.
func choose(ctx context.Context, sp *discriminant.Span, set *Settings, elsewhere comparer) (*Choice, error) {
	c, err := newComparison(ctx, sp, set)
	list := c.list
	allowed := list
	if c.pinned {
		allowed = list[:c.plain]
	}
	choice := &Choice{Members: allowed, Mixed: 1, Neighbors: choiceNeighbors, Rows: c.rows}
	if err != nil || len(c.folds) == 0 {
		return choice, err
	}
	do := c.local
	if elsewhere != nil && set.remote(c.multiplications()) != nil {
		do = elsewhere
	}
	losses := make([][][]loss, len(c.folds))
	alive := slices.Repeat([]bool{true}, len(list))
	from := 0
	for _, to := range c.rounds() {
		if err := c.compare(ctx, do, alive, from, to, losses); err != nil {
			return nil, err
		}
		average(list, c.counts, losses[:to])
		leaveBehind(list, alive, c.share(from))
		alive[c.plain], from = true, to
	}
	choice.principal = list[c.plain].Error
	for _, f := range c.folds {
		if choice.Neighbors = min(choice.Neighbors, f.neighbors); set.For != UseNeighbors {
			choice.Neighbors = 0
		}
	}
	choice.Members = slices.Clone(allowed)
	sortMembers(choice.Members)
	finalists := choice.Members[:min(c.finalists(), len(choice.Members))]
	if behind := slices.IndexFunc(finalists, func(m Member) bool { return m.Folds < finalists[0].Folds }); behind > 0 {
		finalists = finalists[:behind]
	}
	c.led.share(finalists)
	for i := range finalists {
		if err := c.lead(ctx, do, &finalists[i], losses); err != nil {
			return nil, err
		}
	}
	sortMembers(choice.Members)
	choice.Mixed = c.alike(choice.Members, losses)
	return choice, nil
}

// leaveOut puts member i, which cannot be fitted to all rows, behind all others.
func (c *Choice) leaveOut(i int) {
	failed := c.Members[i]
	failed.Folds = 0
	c.Members = append(slices.Delete(c.Members, i, i+1), failed)
	c.Mixed = max(1, c.Mixed-1)
}

// index returns which of the list m is.
func (c *comparison) index(m *Member) int {
	return slices.IndexFunc(c.list, func(o Member) bool {
		return o.Whitening == m.Whitening && o.Method == m.Method && o.Shrinkage == m.Shrinkage && o.Lambda == m.Lambda && o.Scale == m.Scale
	})
}

// sortMembers puts the best first. Those left behind come after the others.
func sortMembers(list []Member) {
	slices.SortStableFunc(list, func(a, b Member) int {
		return cmp.Or(cmp.Compare(b.Folds, a.Folds), cmp.Compare(a.Loss, b.Loss))
	})
}

// compare fits the candidates that are alive to folds from … to−1, and sets their losses.
func (c *comparison) compare(ctx context.Context, do comparer, alive []bool, from, to int, losses [][][]loss) error {
	var pieces []piece
	for f := from; f < to; f++ {
		losses[f] = make([][]loss, len(c.list))
		for i := 0; i < len(c.list); {
			j := i
			any := false
			for ; j < len(c.list) && c.list[j].Whitening == c.list[i].Whitening; j++ {
				any = any || alive[j]
			}
			if any {
				pieces = append(pieces, piece{Fold: f, From: i, To: j, Alive: alive})
			}
			i = j
		}
	}
	done, err := do(ctx, pieces)
	if err != nil {
		return err
	}
	for i, p := range pieces {
		copy(losses[p.Fold][p.From:p.To], done[i])
	}
	return nil
}

// lead compares fits of m to fewer components, and lowers its loss to that of the best number,
// unless the method of m makes no steps. With steps, a fit to few components differs from the
// first components of a fit to more. But it seldom differs by much: by the losses of the first
// components, which are known, numbers that are not promising are left out.
func (c *comparison) lead(ctx context.Context, do comparer, m *Member, known [][][]loss) error {
	if m.Method.traits().stepless || len(c.counts) == 1 {
		return nil
	}
	at := slices.Index(c.list, *m)
	numbers := promising(known, at, len(c.counts))
	var losses [][][]loss
	for _, to := range c.leadRounds() {
		var pieces []piece
		for f := len(losses); f < to; f++ {
			pieces = append(pieces, piece{Fold: f, From: at, To: at + 1, Numbers: numbers})
		}
		some, err := do(ctx, pieces)
		if err != nil {
			return err
		}
		losses = append(losses, some...)
		if !stillBetter(c.counts, losses, numbers) {
			break
		}
	}
	all := []Member{*m} // with all components, on all folds
	average(all, c.counts[:1], column(known, at))
	*m = all[0]
	// The gain is that on the folds with fits to both numbers.
	few := []Member{*m}
	if average(few, c.counts, losses); few[0].Folds == 0 || few[0].Leading == m.Leading {
		return nil
	}
	same := []Member{*m}
	average(same, c.counts[:1], losses)
	m.Leading = few[0].Leading
	m.Loss = max(0, m.Loss+few[0].Loss-same[0].Loss)
	m.Error = max(0, m.Error+few[0].Error-same[0].Error)
	return nil
}

// column returns the losses of candidate at alone.
func column(losses [][][]loss, at int) [][][]loss {
	out := make([][][]loss, len(losses))
	for f, l := range losses {
		out[f] = l[at : at+1]
	}
	return out
}

// rounds returns how many folds are done when candidates are left behind, and all: one fold and
// one division of large folds, else folds of choiceEnough rows held out, or of two divisions.
func (c *comparison) rounds() []int {
	n, held := len(c.folds), len(c.folds[0].held)
	if held >= choiceEnough {
		return slices.Compact([]int{1, min(fewFolds, n), n})
	}
	step := min((choiceEnough+held-1)/held, 2*manyFolds)
	var out []int
	for k := step; k < n && len(out) < halvings; k += step {
		out = append(out, k)
	}
	return append(out, n)
}

// leadRounds are the rounds of the numbers of components: without the last of small folds, as
// differences between numbers show on fewer folds than those between candidates.
func (c *comparison) leadRounds() []int {
	out := c.rounds()
	if len(out) > halvings {
		out = out[:halvings]
	}
	return out
}

// share is that of the candidates that goes on after a round which began with fold from.
func (c *comparison) share(from int) float64 {
	if from == 0 && len(c.folds[0].held) >= choiceEnough {
		return fewShare
	}
	return manyShare
}

const (
	// Below mixedRows rows a mixture of up to mostMixed candidates is made if nothing else is asked
	// for. From so many rows on, one division into folds tells candidates apart well enough.
	mixedRows, mostMixed = choiceHeld, 3
	// mixedFinalists is the number of finalists of a mixture.
	mixedFinalists = 6
)

// finalists returns the number of the best candidates that are fitted to other numbers of
// components.
func (c *comparison) finalists() int {
	if most := c.mixture(); most > 1 {
		return max(mixedFinalists, most)
	}
	return fewFinalists
}

// mixture returns the largest number of candidates that the projection may be a mixture of. A
// mixture has lengths of its own, and all its members have the same start.
func (c *comparison) mixture() int {
	set := c.set
	method := &set.Optimizer
	switch {
	case set.Scale != ScaleAuto || set.Leading != 0 || !method.Method.traits().open || method.Init != nil || set.Validation != nil || set.Objective.Lambda.kind == lambdaMatrix:
		return 1
	case set.Mixture.most > 0:
		return set.Mixture.most
	case c.rows < mixedRows:
		return mostMixed
	}
	return 1
}

// alike returns how many of the members, best first, cannot be told apart: their losses differ from
// the least by no more than twice the standard error of the difference over the folds. Rows that
// are held out in one fold train in another, so folds are not independent, and one standard error
// would say too much.
func (c *comparison) alike(members []Member, losses [][][]loss) int {
	most, n := min(c.mixture(), len(members)), 1
	for n < most && members[n].Folds == members[0].Folds && members[n].Loss-members[0].Loss <= float64(2*c.apart(&members[0], &members[n], losses)) {
		n++
	}
	return n
}

// apart returns the standard error over the folds of the difference of the losses of two members
// with all components.
func (c *comparison) apart(a, b *Member, losses [][][]loss) float64 {
	i, j := c.index(a), c.index(b)
	var all differences
	for _, of := range losses {
		if of[i] != nil && of[j] != nil {
			all.add(of[i][0].score - of[j][0].score)
		}
	}
	return all.standardError()
}
