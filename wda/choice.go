package wda

import (
	"cmp"
	"context"
	"slices"

	"github.com/gomonge/monge/internal/discriminant"
)

// Fit chooses automatic settings by cross-validation. Whitening, λ, ρ and the scale of the components
// span a family of projections: ρ → ∞ gives principal components, and in whitened features λ → 0 gives
// discriminant analysis. Errors within the family differ by factors of ten, and no rule is known that
// predicts the best settings from n, d and the classes.
//
//   - Candidates are fitted to folds of the rows in float32, with a few steps each. A fit starts from
//     the result of the previous candidate. Principal components and discriminants are candidates, too.
//   - The mean, the span and the whitening come from the training rows of the fold. With more features
//     than samples, a span of all rows would contain the noise of the held-out rows.
//   - The K nearest neighbors of a held-out row vote for its class, weighted by distance. The loss is
//     the Brier score of the votes plus the error rate.
//   - Few rows are divided into folds several times.
//   - K is 5, or 3 if a typical class has fewer than 5 rows in a fold. If K is 3, the two missing votes
//     are divided equally among all classes, because three votes for a class are weak evidence.
//   - The worst candidates are eliminated in rounds: two thirds after the first of three folds, or
//     half each time another 150 rows have been held out.
//
// choice_candidates.go lists the candidates, choice_folds.go divides the rows, choice_work.go divides
// the work, choice_trial.go fits a candidate to a fold, and choice_loss.go computes losses and
// eliminates candidates.

const (
	// Candidates are eliminated after every roundRows held-out rows, but at most maxEliminations times.
	roundRows, maxEliminations = 150, 3
	// firstRoundSurvivors is the fraction of the candidates that survives the first round if folds are
	// large. roundSurvivors is the fraction that survives any other round.
	firstRoundSurvivors, roundSurvivors = 1. / 3, 0.5
	// singleFinalists is the number of finalists if the model uses a single candidate, not a mixture.
	// A finalist is a candidate that is also fitted with fewer components.
	singleFinalists = 2
)

// comparison compares candidates by cross-validation.
type comparison struct {
	set             *Settings
	candidates      []Member // candidates that the settings allow, plus the principal components
	principal       int      // index of the principal components in candidates
	principalAdded  bool     // whether candidates[principal] was added although the settings exclude it
	componentCounts []int    // numbers of leading components to compare, largest first
	rows            int
	folds           []choiceFold
	progress        fitCounter
	finalistFits    finalistFits
}

// newComparison prepares the comparison of candidates on folds of the samples of sp. The candidates
// depend on the settings, whose defaults must be filled in. There are no folds if there is only one
// candidate or if the samples cannot be divided.
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
	// The result is compared with the principal components, even if the settings do not allow them.
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

// chooseSettings chooses the automatic settings of *set. The defaults of all other settings must be
// filled in. If there are no folds, chooseSettings takes the first candidate. If remote is not
// nil, chooseSettings calls it to run the comparison on the executor of the settings.
func chooseSettings(ctx context.Context, sp *discriminant.Span, set *Settings, remote compareFunc) (*Choice, error) {
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
	if remote != nil && set.executorFor(c.multiplications()) != nil {
		do = remote
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

// moveLast moves member i, which could not be fitted to all rows, to the end of c.Members.
func (c *Choice) moveLast(i int) {
	failed := c.Members[i]
	failed.Folds = 0
	c.Members = append(slices.Delete(c.Members, i, i+1), failed)
	c.Mixed = max(1, c.Mixed-1)
}

// candidateIndex returns the index of the candidate that has the same settings as m.
func (c *comparison) candidateIndex(m *Member) int {
	return slices.IndexFunc(c.candidates, func(o Member) bool {
		return o.Whitening == m.Whitening && o.Method == m.Method && o.Shrinkage == m.Shrinkage && o.Lambda == m.Lambda && o.Scale == m.Scale
	})
}

// sortMembers sorts members by loss, lowest first. A member that was eliminated comes after every
// member that survived longer.
func sortMembers(list []Member) {
	slices.SortStableFunc(list, func(a, b Member) int {
		return cmp.Or(cmp.Compare(b.Folds, a.Folds), cmp.Compare(a.Loss, b.Loss))
	})
}

// compareFolds fits the remaining candidates, marked in alive, to each of the folds
// c.folds[from:to]. It stores the results in losses[from:to].
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

// chooseComponents fits the candidate m with fewer components. It sets m.Leading to the best number
// of components, and m.Loss to the loss with this number. It does nothing if the method of m is not
// iterative, because a fit with q components then finds the first q components of a larger fit.
//
// With an iterative method, the components of the two fits differ a little. The comparison already
// has the loss of the first q components of the largest fit for every q to compare. promisingCounts
// uses these losses to select the numbers of components that are worth a fit.
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
	all := []Member{*m} // gets the mean loss of m with all components over all folds
	averageLosses(all, c.componentCounts[:1], lossesOf(known, at))
	*m = all[0]
	// Some folds may have no fits with fewer components. Compare the losses on the other folds.
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

// lossesOf returns the losses of the candidate with the given index.
func lossesOf(losses [][][]loss, candidate int) [][][]loss {
	out := make([][][]loss, len(losses))
	for f, l := range losses {
		out[f] = l[candidate : candidate+1]
	}
	return out
}

// roundEnds returns the number of finished folds at the end of each round. If folds are large,
// there are three rounds: the first fold, the remaining folds of the first partition of the rows,
// and all further folds. If folds are small, a round ends after roundRows held-out rows or after
// two partitions of the rows.
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

// componentRoundEnds returns the ends of the rounds in which numbers of components are compared. If
// there are four rounds, it omits the last, because comparing numbers of components needs fewer folds
// than comparing candidates.
func (c *comparison) componentRoundEnds() []int {
	out := c.roundEnds()
	if len(out) > maxEliminations {
		out = out[:maxEliminations]
	}
	return out
}

// survivorShare returns the fraction of the candidates that survives a round. firstFold is the index
// of the first fold in the round.
func (c *comparison) survivorShare(firstFold int) float64 {
	if firstFold == 0 && len(c.folds[0].heldRows) >= roundRows {
		return firstRoundSurvivors
	}
	return roundSurvivors
}

const (
	// By default, up to maxMixed candidates are mixed if there are fewer than mixtureRows rows.
	// With more rows, one division into folds is enough to find the best candidate.
	mixtureRows, maxMixed = heldGoal, 3
	// mixtureFinalists is the number of finalists if candidates may be mixed.
	mixtureFinalists = 6
)

// finalistCount returns the number of finalists. A finalist is a candidate that is also fitted with
// fewer components.
func (c *comparison) finalistCount() int {
	if most := c.maxMixture(); most > 1 {
		return max(mixtureFinalists, most)
	}
	return singleFinalists
}

// maxMixture returns the largest number of candidates in a mixture. The result is 1, which means no
// mixture, if the settings contain a scale, a starting point or another property that a mixture
// cannot have.
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

// mixtureSize returns how many members are mixed. members must be sorted by loss. A member is mixed if
// its loss exceeds the lowest loss by at most two standard errors of this difference. One standard
// error would be too small, because folds share training rows and are not independent.
func (c *comparison) mixtureSize(members []Member, losses [][][]loss) int {
	most, n := min(c.maxMixture(), len(members)), 1
	for n < most && members[n].Folds == members[0].Folds && members[n].Loss-members[0].Loss <= float64(2*c.lossDifferenceError(&members[0], &members[n], losses)) {
		n++
	}
	return n
}

// lossDifferenceError returns the standard error of the mean loss difference between the members a
// and b. It uses the losses with all components. Each fold gives one difference.
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
