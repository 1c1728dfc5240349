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
	// roundRows is the number of rows held out after which candidates are left behind, up to
	// halvings times.
	roundRows, maxEliminations = 150, 3
	// firstRoundSurvivors and manyShare of the candidates go on after a round, of large and of small folds.
	firstRoundSurvivors, roundSurvivors = 1. / 3, 0.5
	// singleFinalists is the number of the best candidates that are fitted to other numbers of
	// components, unless there is a mixture.
	singleFinalists = 2
)

// comparison is what candidates are compared by.
type comparison struct {
	set             *Settings
	candidates      []Member // those that the settings allow, and the principal components
	principal       int      // which of the list the principal components are
	principalAdded  bool     // the settings do not allow them
	componentCounts []int
	rows            int
	folds           []choiceFold
	progress        fitCounter
	finalistFits    finalistFits
}

// newComparison compares the members of the family that set, which has its defaults,
// leaves open, on folds of the samples of sp. There are no folds if it is one, or where
// there is no way to.
func newComparison(ctx context.Context, sp *discriminant.Span, set *Settings) (*comparison, error) {
	c := &comparison{set: set, candidates: set.candidates(sp.Full.N, sp.Full.D, len(sp.Full.Classes))}
	s := choiceSamples(ctx, sp.Samples)
	c.rows, c.componentCounts = s.N, set.componentCounts(s)
	for i := range c.candidates {
		c.candidates[i].Leading = c.componentCounts[0]
	}
	if len(c.candidates) == 1 {
		return c, nil
	}
	// The principal components are what the result is measured by, whatever is pinned.
	isPlain := func(m Member) bool {
		return m.Method == Method(Principal{}) && m.Whitening == NoWhitening() && m.Scale.equalLengths()
	}
	c.principal = slices.IndexFunc(c.candidates, isPlain)
	if c.principalAdded = c.principal < 0; c.principalAdded {
		c.principal = len(c.candidates)
		c.candidates = append(c.candidates, Member{Whitening: NoWhitening(), Method: Principal{}, Scale: ScaleEqual, Lambda: RelativeLambda(1), Shrinkage: FixedShrinkage(1)})
	}
	var err error
	c.folds, err = newChoiceFolds(ctx, sp, set, c.candidates)
	return c, err
}

// chooseSettings makes a choice of the members of the family that set, which has its defaults,
// leaves open. Where there is nothing to choose, or no way to, the first is as good as any.
// elsewhere, unless nil, makes the same comparison by the executor of the settings.
func chooseSettings(ctx context.Context, sp *discriminant.Span, set *Settings, elsewhere compareFunc) (*Choice, error) {
	c, err := newComparison(ctx, sp, set)
	list := c.candidates
	allowed := list
	if c.principalAdded {
		allowed = list[:c.principal]
	}
	choice := &Choice{Members: allowed, Mixed: 1, Neighbors: choiceNeighbors, Rows: c.rows}
	if err != nil || len(c.folds) == 0 {
		return choice, err
	}
	do := c.compareLocally
	if elsewhere != nil && set.executorFor(c.multiplications()) != nil {
		do = elsewhere
	}
	losses := make([][][]loss, len(c.folds))
	alive := slices.Repeat([]bool{true}, len(list))
	from := 0
	for _, to := range c.roundEnds() {
		if err := c.compareFolds(ctx, do, alive, from, to, losses); err != nil {
			return nil, err
		}
		averageLosses(list, c.componentCounts, losses[:to])
		eliminate(list, alive, c.survivorShare(from))
		alive[c.principal], from = true, to
	}
	choice.principal = list[c.principal].Error
	for _, f := range c.folds {
		if choice.Neighbors = min(choice.Neighbors, f.neighbors); set.For != UseNeighbors {
			choice.Neighbors = 0
		}
	}
	choice.Members = slices.Clone(allowed)
	sortMembers(choice.Members)
	finalists := choice.Members[:min(c.finalistCount(), len(choice.Members))]
	if behind := slices.IndexFunc(finalists, func(m Member) bool { return m.Folds < finalists[0].Folds }); behind > 0 {
		finalists = finalists[:behind]
	}
	c.finalistFits.setFinalists(finalists)
	for i := range finalists {
		if err := c.chooseComponents(ctx, do, &finalists[i], losses); err != nil {
			return nil, err
		}
	}
	sortMembers(choice.Members)
	choice.Mixed = c.mixtureSize(choice.Members, losses)
	return choice, nil
}

// moveLast puts member i, which cannot be fitted to all rows, behind all others.
func (c *Choice) moveLast(i int) {
	failed := c.Members[i]
	failed.Folds = 0
	c.Members = append(slices.Delete(c.Members, i, i+1), failed)
	c.Mixed = max(1, c.Mixed-1)
}

// candidateIndex returns which of the list m is.
func (c *comparison) candidateIndex(m *Member) int {
	return slices.IndexFunc(c.candidates, func(o Member) bool {
		return o.Whitening == m.Whitening && o.Method == m.Method && o.Shrinkage == m.Shrinkage && o.Lambda == m.Lambda && o.Scale == m.Scale
	})
}

// sortMembers puts the best first. Those left behind come after the others.
func sortMembers(list []Member) {
	slices.SortStableFunc(list, func(a, b Member) int {
		return cmp.Or(cmp.Compare(b.Folds, a.Folds), cmp.Compare(a.Loss, b.Loss))
	})
}

// compareFolds fits the candidates that are alive to folds from … to−1, and sets their losses.
func (c *comparison) compareFolds(ctx context.Context, do compareFunc, alive []bool, from, to int, losses [][][]loss) error {
	var pieces []piece
	for f := from; f < to; f++ {
		losses[f] = make([][]loss, len(c.candidates))
		for i := 0; i < len(c.candidates); {
			j := i
			any := false
			for ; j < len(c.candidates) && c.candidates[j].Whitening == c.candidates[i].Whitening; j++ {
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

// chooseComponents compares fits of m to fewer components, and lowers its loss to that of the best number,
// unless the method of m makes no steps. With steps, a fit to few components differs from the
// first components of a fit to more. But it seldom differs by much: by the losses of the first
// components, which are known, numbers that are not promising are left out.
func (c *comparison) chooseComponents(ctx context.Context, do compareFunc, m *Member, known [][][]loss) error {
	if m.Method.traits().stepless || len(c.componentCounts) == 1 {
		return nil
	}
	at := slices.Index(c.candidates, *m)
	numbers := promisingCounts(known, at, len(c.componentCounts))
	var losses [][][]loss
	for _, to := range c.componentRoundEnds() {
		var pieces []piece
		for f := len(losses); f < to; f++ {
			pieces = append(pieces, piece{Fold: f, From: at, To: at + 1, Numbers: numbers})
		}
		some, err := do(ctx, pieces)
		if err != nil {
			return err
		}
		losses = append(losses, some...)
		if !keepBetterCounts(c.componentCounts, losses, numbers) {
			break
		}
	}
	all := []Member{*m} // with all components, on all folds
	averageLosses(all, c.componentCounts[:1], lossesOf(known, at))
	*m = all[0]
	// The gain is that on the folds with fits to both numbers.
	few := []Member{*m}
	if averageLosses(few, c.componentCounts, losses); few[0].Folds == 0 || few[0].Leading == m.Leading {
		return nil
	}
	same := []Member{*m}
	averageLosses(same, c.componentCounts[:1], losses)
	m.Leading = few[0].Leading
	m.Loss = max(0, m.Loss+few[0].Loss-same[0].Loss)
	m.Error = max(0, m.Error+few[0].Error-same[0].Error)
	return nil
}

// lossesOf returns the losses of candidate at alone.
func lossesOf(losses [][][]loss, at int) [][][]loss {
	out := make([][][]loss, len(losses))
	for f, l := range losses {
		out[f] = l[at : at+1]
	}
	return out
}

// roundEnds returns how many folds are done when candidates are left behind, and all: one fold and
// one division of large folds, else folds of choiceEnough rows held out, or of two divisions.
func (c *comparison) roundEnds() []int {
	n, held := len(c.folds), len(c.folds[0].heldRows)
	if held >= roundRows {
		return slices.Compact([]int{1, min(fewFolds, n), n})
	}
	step := min((roundRows+held-1)/held, 2*manyFolds)
	var out []int
	for k := step; k < n && len(out) < maxEliminations; k += step {
		out = append(out, k)
	}
	return append(out, n)
}

// componentRoundEnds are the rounds of the numbers of components: without the last of small folds, as
// differences between numbers show on fewer folds than those between candidates.
func (c *comparison) componentRoundEnds() []int {
	out := c.roundEnds()
	if len(out) > maxEliminations {
		out = out[:maxEliminations]
	}
	return out
}

// survivorShare is that of the candidates that goes on after a round which began with fold from.
func (c *comparison) survivorShare(from int) float64 {
	if from == 0 && len(c.folds[0].heldRows) >= roundRows {
		return firstRoundSurvivors
	}
	return roundSurvivors
}

const (
	// Below mixedRows rows a mixture of up to mostMixed candidates is made if nothing else is asked
	// for. From so many rows on, one division into folds tells candidates apart well enough.
	mixtureRows, maxMixed = heldGoal, 3
	// mixtureFinalists is the number of finalists of a mixture.
	mixtureFinalists = 6
)

// finalistCount returns the number of the best candidates that are fitted to other numbers of
// components.
func (c *comparison) finalistCount() int {
	if most := c.maxMixture(); most > 1 {
		return max(mixtureFinalists, most)
	}
	return singleFinalists
}

// maxMixture returns the largest number of candidates that the projection may be a mixture of. A
// mixture has lengths of its own, and all its members have the same start.
func (c *comparison) maxMixture() int {
	set := c.set
	method := &set.Optimizer
	switch {
	case set.Scale != ScaleAuto || set.Leading != 0 || !method.Method.traits().chooses || method.Init != nil || set.Validation != nil || set.Objective.Lambda.kind == lambdaMatrix:
		return 1
	case set.Mixture.limit > 0:
		return set.Mixture.limit
	case c.rows < mixtureRows:
		return maxMixed
	}
	return 1
}

// mixtureSize returns how many of the members, best first, cannot be told apart: their losses differ from
// the least by no more than twice the standard error of the difference over the folds. Rows that
// are held out in one fold train in another, so folds are not independent, and one standard error
// would say too much.
func (c *comparison) mixtureSize(members []Member, losses [][][]loss) int {
	most, n := min(c.maxMixture(), len(members)), 1
	for n < most && members[n].Folds == members[0].Folds && members[n].Loss-members[0].Loss <= float64(2*c.lossDifferenceError(&members[0], &members[n], losses)) {
		n++
	}
	return n
}

// lossDifferenceError returns the standard error over the folds of the difference of the losses of two members
// with all components.
func (c *comparison) lossDifferenceError(a, b *Member, losses [][][]loss) float64 {
	i, j := c.candidateIndex(a), c.candidateIndex(b)
	var all pairedDifferences
	for _, of := range losses {
		if of[i] != nil && of[j] != nil {
			all.add(of[i][0].score - of[j][0].score)
		}
	}
	return all.standardError()
}
