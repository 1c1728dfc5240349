package wda

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/fanout"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
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
//   - The loss is Brier's of the neighbors' votes, weighted by distance. Being proper and
//     smooth it tells more of few rows than the share of errors does.
//   - K is 5, or 3 where a typical class has fewer rows in a fold; the two votes that are
//     missing then count for all classes alike, as three that agree are no certainty.
//   - In rounds the worse of the candidates are left behind: two thirds after the first of three
//     folds, else half whenever 150 rows, or all, have been held out once more.

const (
	// Rows are divided into manyFolds parts, each held out once, from choiceMany rows on
	// into fewFolds: fits are dearer and one part tells enough.
	manyFolds, fewFolds, choiceMany = 5, 3, 500
	// choiceHeld is the number of rows held out in all below which the division is made
	// anew, up to choiceRepeats times.
	choiceHeld, choiceRepeats = 300, 4
	// choiceRows bounds the rows that are fitted to, as transport takes time in their square, and
	// choiceSeen all: the others are held out of every fold.
	choiceRows, choiceSeen = 1000, 2000
	// choiceClasses is the number of classes beyond which steps are halved: pairs are so
	// many as its square.
	choiceSteps, choiceClasses = 8, 30
	// spanFrom is the number of features a row beyond which the span of the rows saves
	// time, choicePrincipal how precise principal components are.
	spanFrom, choicePrincipal = 2, 1e-2
	// leastGain is the share of the loss by which fewer components must be better than all.
	leastGain = 0.05
	// outOfQuestion is how many times the loss with all components puts a number of them,
	// and all smaller ones, out of the question: what tells classes apart is lost.
	outOfQuestion = 2
	// choiceEnough is the number of rows held out after which candidates are left behind, up to
	// halvings times.
	choiceEnough, halvings = 150, 3
	// fewShare and manyShare of the candidates go on after a round, of few and of many folds.
	fewShare, manyShare = 1. / 3, 0.5
	// choiceNeighbors is the largest K, leastNeighbors the smallest.
	choiceNeighbors, leastNeighbors = 5, 3
)

// open reports whether the settings leave something to choose.
func (s *Settings) open() bool { return s.Leading == 0 || s.free() }

// members returns the members of the family that the settings allow, those with the
// same whitening together, in the order in which they are fitted.
func (s *Settings) members(n, d, classes int) []Member {
	whitenings := []Whitening{NoWhitening(), DiagonalWhitening(0), SphericalWhitening(0.5)}
	if n <= d {
		whitenings = append(whitenings, SphericalWhitening(0))
	}
	if s.Data.Whitening.kind != chosenWhitening {
		whitenings = []Whitening{s.Data.Whitening}
	}
	scales := []Scale{Orthonormal, UnitWithin}
	if s.Scale != chosenScale {
		scales = []Scale{s.Scale}
	}
	var out []Member
	add := func(c Member) {
		for _, c.Scale = range scales {
			out = append(out, c)
		}
	}
	for _, w := range whitenings {
		c := Member{Whitening: w, Lambda: Lambda{Value: 1}, Shrinkage: Shrinkage{Value: 1}}
		rho, lambda := s.Objective.Shrinkage.open(), s.Objective.Lambda.open()
		if rho && lambda && s.Optimizer.Method == Auto && s.Optimizer.Init == nil {
			c.Method = Principal
			add(c)
			if c.Method, c.Scale = Fisher, UnitWithin; w.kind != noWhitening && slices.Contains(scales, c.Scale) {
				out = append(out, c)
			}
		}
		c.Method = s.Optimizer.Method
		if !lambda {
			c.Lambda = s.Objective.Lambda
		}
		if !rho {
			c.Shrinkage = s.Objective.Shrinkage
			add(c)
		} else {
			for _, r := range []float64{5, 1, 0.2} {
				c.Shrinkage = Shrinkage{Value: r}
				add(c)
			}
			c.Shrinkage = Shrinkage{Value: 1}
		}
		if lambda {
			c.Lambda = Lambda{Value: 3}
			add(c)
			if rho && startsOf(n, d, classes) > 1 {
				// Classes of several modes; where rows are few it fits closest, to noise.
				c.Shrinkage = Shrinkage{Value: 0.2}
				add(c)
			}
		}
	}
	return out
}

// apply returns the settings with what c has chosen.
func (c *Member) apply(s Settings) Settings {
	s.Data.Whitening, s.Optimizer.Method, s.Scale = c.Whitening, c.Method, c.Scale
	s.Objective.Shrinkage, s.Objective.Lambda = c.Shrinkage, c.Lambda
	s.Leading = c.Leading
	return s
}

// comparison is what candidates are compared by.
type comparison struct {
	set    *Settings
	list   []Member // those that the settings allow, and the principal components
	plain  int      // which of the list the principal components are
	pinned bool     // the settings do not allow them
	counts []int
	rows   int
	folds  []division
}

// newComparison compares the members of the family that set, which has its defaults,
// leaves open, on folds of the samples of sp. There are no folds if it is one, or where
// there is no way to.
func newComparison(ctx context.Context, sp *span, set *Settings) (*comparison, error) {
	c := &comparison{set: set, list: set.members(sp.full.n, sp.full.d, len(sp.full.classes))}
	s := sp.s.thinned(ctx, choiceSeen)
	c.rows, c.counts = s.n, set.counts(s)
	for i := range c.list {
		c.list[i].Leading = c.counts[0]
	}
	if len(c.list) == 1 {
		return c, nil
	}
	// The principal components are what the result is measured by, whatever is pinned.
	isPlain := func(m Member) bool {
		return m.Method == Principal && m.Whitening == NoWhitening() && m.Scale == Orthonormal
	}
	c.plain = slices.IndexFunc(c.list, isPlain)
	if c.pinned = c.plain < 0; c.pinned {
		c.plain = len(c.list)
		c.list = append(c.list, Member{Whitening: NoWhitening(), Method: Principal, Scale: Orthonormal, Lambda: Lambda{Value: 1}, Shrinkage: Shrinkage{Value: 1}})
	}
	var err error
	c.folds, err = folds(ctx, sp, set, c.list)
	return c, err
}

// choose makes a choice of the members of the family that set, which has its defaults,
// leaves open. Where there is nothing to choose, or no way to, the first is as good as any.
// shared returns what it takes elsewhere to make the same comparison; if it is nil, the
// comparison is made here.
func choose(ctx context.Context, sp *span, set *Settings, shared func() ([]byte, error)) (*Choice, error) {
	c, err := newComparison(ctx, sp, set)
	list := c.list
	allowed := list
	if c.pinned {
		allowed = list[:c.plain]
	}
	choice := &Choice{Members: allowed, Neighbors: choiceNeighbors, Rows: c.rows}
	if err != nil || len(c.folds) == 0 {
		return choice, err
	}
	do := c.local
	if pool := fanout.Of(ctx, c.multiplications()); pool != nil && shared != nil {
		bytes, err := shared()
		if err != nil {
			return nil, err
		}
		do = func(ctx context.Context, pieces []piece) ([][][]loss, error) { return away(ctx, pool, bytes, pieces) }
	}
	losses := make([][][]loss, len(c.folds))
	alive := slices.Repeat([]bool{true}, len(list))
	from := 0
	for _, to := range c.rounds() {
		if err := c.compare(ctx, do, alive, from, to, losses); err != nil {
			return nil, err
		}
		average(list, c.counts, losses[:to])
		leaveBehind(list, alive, c.share())
		alive[c.plain], from = true, to
	}
	choice.principal = list[c.plain].Error
	for _, f := range c.folds {
		choice.Neighbors = min(choice.Neighbors, f.neighbors)
	}
	// Those left behind come after the others.
	choice.Members = slices.Clone(allowed)
	slices.SortStableFunc(choice.Members, func(a, b Member) int {
		return cmp.Or(cmp.Compare(b.Folds, a.Folds), cmp.Compare(a.Loss, b.Loss))
	})
	return choice, c.lead(ctx, do, &choice.Members[0])
}

// lead compares fits of m to fewer components, where m is no end of the family: with
// fewer they are others than the first of many.
func (c *comparison) lead(ctx context.Context, do doer, m *Member) error {
	if m.Method == Principal || m.Method == Fisher || len(c.counts) == 1 {
		return nil
	}
	at := slices.Index(c.list, *m)
	numbers := slices.Repeat([]bool{true}, len(c.counts))
	var losses [][][]loss
	for _, to := range c.rounds() {
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
	one := []Member{*m}
	if average(one, c.counts, losses); one[0].Folds > 0 {
		m.Leading = one[0].Leading
	}
	return nil
}

// stillBetter leaves in numbers those of the counts that may yet be better than the first, by
// leastGain of its loss, within twice the standard error of the difference over the folds so far,
// and reports whether there are any.
func stillBetter(counts []int, losses [][][]loss, numbers []bool) bool {
	any := false
	for k := range counts[1:] {
		k++
		var all, gain, square, n float64
		for _, l := range losses {
			if l := l[0]; l != nil {
				g := l[0].brier - l[k].brier
				all, gain, square, n = all+l[0].brier, gain+g, square+float64(g*g), n+1
			}
		}
		margin := float64(2 * leastGain * all) // of one fold
		if n > 1 {
			margin = float64(2 * math.Sqrt(max(square-gain*gain/n, 0)*n/(n-1)))
		}
		numbers[k] = numbers[k] && gain+margin > float64(leastGain*all)
		any = any || numbers[k]
	}
	return any
}

// rounds returns how many folds are done when candidates are left behind, and all: folds
// of choiceEnough rows held out, or every row once.
func (c *comparison) rounds() []int {
	n := len(c.folds)
	if n <= fewFolds {
		return slices.Compact([]int{1, n})
	}
	step := min((choiceEnough+len(c.folds[0].held)-1)/len(c.folds[0].held), manyFolds)
	var out []int
	for k := step; k < n && len(out) < halvings; k += step {
		out = append(out, k)
	}
	return append(out, n)
}

// share is that of the candidates that goes on after a round.
func (c *comparison) share() float64 {
	if len(c.folds) <= fewFolds {
		return fewShare
	}
	return manyShare
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
			all = t.axes.p
		}
		if err = t.narrow(ctx, q, all); err == nil {
			var l []loss
			if l, err = t.losses(ctx, m, []int{q}); err == nil {
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

// narrow makes t one of q components, as many as it has at most, with the first of all,
// canonical components of more, for a start.
func (t *trial) narrow(ctx context.Context, q int, all *mat.Dense) error {
	d, p := t.components.Dims()
	t.set.Components = min(q, p)
	t.start = mat.DenseCopyOf(t.components.Slice(0, d, 0, t.set.Components))
	t.fisher, t.last, t.fitted, t.within = nil, nil, Member{}, 0
	if all != nil {
		t.last = mat.DenseCopyOf(all.Slice(0, d, 0, t.set.Components))
		if _, err := stiefel.New(t.last.Dims()).Orthonormalize(ctx, t.last, t.last); err != nil {
			return err
		}
	}
	var err error
	t.objective, err = newObjective[float32](ctx, t.white.s, &t.set)
	return err
}

// leaveBehind keeps the best of the candidates alive, this share of those that are.
func leaveBehind(list []Member, alive []bool, share float64) {
	var order []int
	for i := range list {
		if alive[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(list[i].Loss, list[j].Loss) })
	for _, i := range order[int(math.Ceil(share*float64(len(order)))):] {
		alive[i] = false
	}
}

// loss is how a candidate does on the rows held out of a fold.
type loss struct{ brier, error float64 }

// tooFew reports whether the loss with number k of the components puts that and all that
// follow, which are smaller, out of the question, and says so there.
func tooFew(of []loss, k int) bool {
	if !(of[k].brier > float64(outOfQuestion*of[0].brier)) {
		return false
	}
	for ; k < len(of); k++ {
		of[k] = loss{math.Inf(1), 1}
	}
	return true
}

// counts returns the numbers of components that may count, largest first: all, C − 1, which
// tell the means of classes apart, and powers of two.
func (s *Settings) counts(x *samples) []int {
	p := s.Components
	if s.Leading != 0 {
		return []int{s.Leading}
	}
	out := []int{p}
	if c := len(x.classes) - 1; c < p {
		out = append(out, c)
	}
	for q := 1; q < p; q *= 2 {
		if !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(b, a) })
	return out
}

// average sets the losses of the candidates to their means, for the number of components
// whose mean is least: fewer than all only where these are worse by leastGain of their
// loss and by twice the standard error of the difference over the folds. A candidate that
// could not be fitted somewhere is the worst.
func average(list []Member, counts []int, losses [][][]loss) {
	for i := range list {
		c := &list[i]
		c.Loss, c.Error, c.Folds, c.Leading = math.Inf(1), 1, 0, counts[0]
		for _, l := range losses {
			if l[i] != nil {
				c.Folds++
			}
		}
		if c.Folds == 0 {
			continue
		}
		n := float64(c.Folds)
		var all loss
		for k, q := range counts {
			var sum loss
			var square float64 // of the gains
			for _, l := range losses {
				if l[i] != nil {
					sum.brier += l[i][k].brier / n
					sum.error += l[i][k].error / n
					gain := l[i][0].brier - l[i][k].brier
					square += float64(gain * gain)
				}
			}
			if k == 0 {
				all = sum
			}
			if math.IsInf(sum.brier, 1) {
				continue
			}
			gain := all.brier - sum.brier
			noise := math.Sqrt(max(square/n-float64(gain*gain), 0) / max(n-1, 1))
			if k == 0 || sum.brier < c.Loss && gain > max(float64(leastGain*all.brier), 2*noise) {
				c.Loss, c.Error, c.Leading = sum.brier, sum.error, q
			}
		}
	}
}

// division is one of the rows into those that are learned from and those held out, and
// what they tell whatever the whitening.
type division struct {
	train, held []int // rows, ascending
	neighbors   int   // K

	all     *samples   // as features, nil if samples are
	samples *samples   // those that are learned from
	span    *span      // of them
	rows    *mat.Dense // those held out
	inSpan  *mat.Dense // in the coordinates of the span
	labels  []int      // of the rows held out
	own     []int      // of the others
}

// folds returns the folds of the samples of sp, ready for the candidates.
func folds(ctx context.Context, sp *span, set *Settings, list []Member) ([]division, error) {
	s := sp.s.thinned(ctx, choiceSeen)
	var all *samples
	if sp.rows != nil {
		all = sp.full.thinned(ctx, choiceSeen)
	}
	out := divisions(s, set.Seed)
	if err := checkNeeds(choiceNeeds(s.n, s.d, sp.full.d, len(out), workerCount(set.Workers))...); err != nil {
		return nil, err
	}
	whitened := slices.ContainsFunc(list, func(c Member) bool { return c.Whitening.kind == sphericalWhitening })
	var crew parallel.Crew
	workers := workerCount(set.Workers)
	err := crew.Run(ctx, workers, len(out), func(ctx context.Context, _, i int) error {
		f, within := &out[i], goroutines(i, len(out), workers)
		f.all = all
		f.samples, f.rows = s.rowsCentered(ctx, f.train, f.held)
		f.own, f.labels = s.labelsOf(f.train), s.labelsOf(f.held)
		f.span = &span{s: f.samples, full: f.samples}
		if sp.rows != nil || s.d > spanFrom*f.samples.n {
			f.span = newSpan(ctx, f.samples, 0, within)
		}
		f.inSpan = f.span.rowsIn(ctx, f.rows)
		if whitened {
			f.span.within = covarianceWithin(ctx, f.span.s, within)
		}
		return nil
	})
	return out, err
}

// choiceNeeds are those of comparing settings on so many folds of n rows of d coordinates,
// which have more features where d are those of their span: of every fold its rows, their
// coordinates in its own span, the factor of that and a covariance; of every worker what
// newTrial makes of them.
func choiceNeeds(n, d, features, folds, workers int) []need {
	rows, from, own := float64(n), float64(d), float64(d)
	if features > d || d > spanFrom*n {
		own = min(own, rows)
	}
	trial := float64(4*own*(rows+own)) + float64(rows*rows)
	if features > d {
		trial += float64(4 * rows * float64(features))
	}
	return []need{
		{fmt.Sprintf("%d folds of %d rows, which settings are compared on,", folds, n), 8 * float64(folds) * (float64(rows*(from+own)) + float64(2*own*own))},
		{fmt.Sprintf("%d workers that compare settings", workers), 8 * float64(min(workers, 4*folds)) * trial},
	}
}

// divisions divides the samples: every class by itself, in an order drawn with seed. A
// class that has fewer than two rows left in a fold is left out of it, and a fold with
// fewer than two classes is none.
func divisions(s *samples, seed uint64) []division {
	var out []division
	rng := rand.New(rand.NewPCG(seed, streamChoice))
	repeats := min(max(1, (choiceHeld+s.n-1)/s.n), choiceRepeats)
	part, parts := make([]int, s.n), manyFolds
	if s.n >= choiceMany {
		parts = fewFolds
	}
	for range repeats {
		next := 0
		for c := range s.classes {
			order := rng.Perm(s.size(c))
			fitted := len(order)
			if s.n > choiceRows {
				fitted = max(2, fitted*choiceRows/s.n)
			}
			for k, i := range order {
				if k >= fitted {
					part[s.offset[c]+i] = heldAlways
					continue
				}
				part[s.offset[c]+i] = next % parts
				next++
			}
		}
		for k := range parts {
			if f, ok := divide(s, part, k); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// heldAlways is the part of the rows that every fold holds out.
const heldAlways = -1

func divide(s *samples, part []int, k int) (f division, ok bool) {
	var sizes []int
	for c := range s.classes {
		var train, held []int
		for i := s.offset[c]; i < s.offset[c+1]; i++ {
			if part[i] == k || part[i] == heldAlways {
				held = append(held, i)
			} else {
				train = append(train, i)
			}
		}
		if len(train) < 2 {
			continue
		}
		f.train, f.held = append(f.train, train...), append(f.held, held...)
		sizes = append(sizes, len(train))
	}
	if len(sizes) < 2 || len(f.held) == 0 {
		return f, false
	}
	slices.Sort(sizes)
	f.neighbors = choiceNeighbors
	if sizes[len(sizes)/2] < choiceNeighbors { // a typical class
		f.neighbors = leastNeighbors
	}
	return f, true
}

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

// doer returns the losses of every piece, From … To−1, nil for those that could not be
// fitted or were not alive.
type doer func(ctx context.Context, pieces []piece) ([][][]loss, error)

// compare fits the candidates that are alive to folds from … to−1, and sets their losses.
func (c *comparison) compare(ctx context.Context, do doer, alive []bool, from, to int, losses [][][]loss) error {
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

// goroutines returns how many do piece i of n: more where other workers have nothing left to do.
func goroutines(i, n, workers int) int {
	if over := n % workers; i >= n-over {
		return max(workers/over, 1)
	}
	return 1
}

// local is the doer of this process.
func (c *comparison) local(ctx context.Context, pieces []piece) ([][][]loss, error) {
	out := make([][][]loss, len(pieces))
	workers := workerCount(c.set.Workers)
	order := make([]int, len(pieces)) // the longest first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(pieces[j].members(), pieces[i].members()) })
	var crew parallel.Crew
	err := crew.Run(ctx, workers, len(pieces), func(ctx context.Context, _, k int) (err error) {
		i := order[k]
		out[i], err = c.do(ctx, &pieces[i], goroutines(k, len(pieces), workers))
		return err
	})
	return out, err
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
	}
	return out, nil
}

// pieceTask does pieces elsewhere, where the comparison is made anew.
const pieceTask = "wda.candidates"

// multiplications is about how many the comparison makes.
func (c *comparison) multiplications() float64 {
	n := float64(min(c.rows, choiceRows))
	return n * n * float64(len(c.folds)*len(c.list)*c.set.Optimizer.MaxSteps*2*c.set.Objective.Iterations)
}

// away is the doer of a pool.
func away(ctx context.Context, pool fanout.Pool, shared []byte, pieces []piece) ([][][]loss, error) {
	items := make([][]byte, len(pieces))
	for i, p := range pieces {
		var err error
		if items[i], err = encodeWire(p); err != nil {
			return nil, err
		}
	}
	answers, err := pool.Do(ctx, &fanout.Batch{Task: pieceTask, Shared: shared, Items: items})
	if err != nil {
		return nil, err
	}
	results, err := decodeAll[[][][2]float64](answers, len(items))
	if err != nil {
		return nil, err
	}
	out := make([][][]loss, len(results))
	for i, r := range results {
		out[i] = make([][]loss, len(r))
		for k, l := range r {
			for _, v := range l {
				out[i][k] = append(out[i][k], loss{v[0], v[1]})
			}
		}
	}
	return out, nil
}

// far is the other end of away.
func (c *comparison) far(ctx context.Context, item []byte) ([]byte, error) {
	var p piece
	if err := decodeWire(item, &p); err != nil {
		return nil, err
	}
	losses, err := c.do(ctx, &p, 1)
	if err != nil {
		return nil, err
	}
	out := make([][][2]float64, len(losses))
	for k, l := range losses {
		for _, v := range l {
			out[k] = append(out[k], [2]float64{v.brier, v.error})
		}
	}
	return encodeWire(out)
}

// trial fits candidates with one whitening to the rows of one fold.
type trial struct {
	*division
	set   Settings
	white *span      // whitened
	held  *mat.Dense // in its coordinates
	// Principal components, and as many of them as a fit is of.
	components, start *mat.Dense
	fisher            *mat.Dense  // and these, completed by principal components
	last              *mat.Dense  // where the fit before this one has led
	fitted            Member      // that it was of, whatever the scale
	axes              *components // and what it has led to
	objective         *objective[float32]
	lambda            Lambda  // that it was prepared with
	within            float64 // and σ_w² at the start
	search            *knn.Search[float64]
}

// A start of n samples and C classes takes time as n² + pairWork·C²; there are so many
// that all take startWork, mostStarts at most.
const startWork, pairWork, mostStarts = 90_000, 50, 8

// startsOf returns the number of starts, which is one where the highest maximum fits noise.
func startsOf(n, d, classes int) int {
	if separable(n, d) {
		return 1
	}
	return min(max(startWork/(n*n+pairWork*classes*classes), 1), mostStarts)
}

// stepsOfChoice is the number of steps of a fit of so many classes.
func stepsOfChoice(classes int) int {
	if classes > choiceClasses {
		return choiceSteps / 2
	}
	return choiceSteps
}

func newTrial(ctx context.Context, set *Settings, f *division, w Whitening, workers int) (*trial, error) {
	t := &trial{division: f, set: *set, held: f.inSpan}
	t.set.Workers, t.set.Objective.Float32, t.set.Optimizer.Starts = workers, true, 1
	t.set.Optimizer.MaxSteps = stepsOfChoice(len(f.samples.classes))
	var err error
	base, rows := *f.span, f.rows
	if w.kind == diagonalWhitening && f.all != nil {
		// Nothing else tells one orthonormal basis from another.
		base.full, rows = f.all.rowsCentered(ctx, f.train, f.held)
	}
	if t.white, err = base.whitened(ctx, w, 0, workers); err != nil {
		return nil, err
	}
	if t.white.factor != nil {
		t.held = mat.DenseCopyOf(rows)
		multiplyColumns(ctx, t.held, t.white.factor)
		t.held = t.white.rowsIn(ctx, t.held)
	}
	if t.white.white != nil {
		t.held = mat.DenseCopyOf(t.held)
		t.white.white.SolveRows(ctx, dense.View(t.held))
	}
	t.set.Components = min(set.Components, t.white.s.d)
	if t.objective, err = newObjective[float32](ctx, t.white.s, &t.set); err != nil {
		return nil, err
	}
	if t.components, err = principalOf(ctx, t.white.s, t.objective.x, t.set.Components, choicePrincipal, workers); err != nil {
		return nil, err
	}
	t.start = t.components
	return t, nil
}

// losses returns how c does on the rows held out, with every number of components.
func (t *trial) losses(ctx context.Context, c *Member, counts []int) ([]loss, error) {
	set := c.apply(t.set)
	set.Leading = 0
	if fitted := (Member{Whitening: c.Whitening, Method: c.Method, Shrinkage: c.Shrinkage, Lambda: c.Lambda}); fitted != t.fitted {
		if err := t.fit(ctx, &set); err != nil {
			return nil, err
		}
		var err error
		if t.axes, err = t.canonical(ctx, &set); err != nil {
			return nil, err
		}
		t.fitted = fitted
	}
	p := t.axes.scaled(ctx, &set).p
	x, y := projected(ctx, t.white.s.x, p, t.set.Workers), projected(ctx, t.held, p, t.set.Workers)
	if t.search == nil {
		t.search = new(knn.Search[float64])
	}
	out := make([]loss, len(counts))
	for i, q := range counts {
		q = min(q, x.Cols)
		var err error
		if out[i], err = judge(ctx, t.search, x.ColRange(0, q), t.own, y.ColRange(0, q), t.labels, min(t.neighbors, t.samples.n)); err != nil {
			return nil, err
		}
		if tooFew(out, i) {
			break
		}
	}
	return out, nil
}

// canonical returns the canonical components of last, as many as the fit of set is of.
func (t *trial) canonical(ctx context.Context, set *Settings) (*components, error) {
	if set.Optimizer.Method != Fisher {
		return t.objective.canonical(ctx, t.last)
	}
	few, d := *set, t.white.s.d
	few.Components = set.fitted(len(t.samples.classes))
	o, err := newObjective[float32](ctx, t.white.s, &few)
	if err != nil {
		return nil, err
	}
	p := mat.DenseCopyOf(t.last.Slice(0, d, 0, few.Components))
	if err := o.prepare(ctx, &few, p); err != nil {
		return nil, err
	}
	return o.canonical(ctx, p)
}

// fit sets last to where a few steps lead.
func (t *trial) fit(ctx context.Context, set *Settings) error {
	if o := t.objective; t.within > 0 && t.lambda == set.Objective.Lambda {
		o.ridge = float64(set.Objective.Shrinkage.Value * t.within)
	} else if err := o.prepare(ctx, set, t.start); err != nil {
		return err
	} else {
		t.lambda, t.within = set.Objective.Lambda, o.w
	}
	switch set.Optimizer.Method {
	case Principal:
		t.last = t.start
		return nil
	case Fisher:
		t.last = t.fisherStart(ctx)
		return nil
	}
	from, err := t.objective.highest(ctx, t.start, t.fisherStart(ctx), t.last)
	if err != nil {
		return err
	}
	problem := at{inverse[float32]{t.objective}, ctx}
	res, err := descent.Minimize(ctx, problem, stiefel.New(t.white.s.d, t.set.Components), from, &descent.Settings{
		MaxSteps: set.Optimizer.MaxSteps, GradientTolerance: 1e-3, FunctionTolerance: 1e-3, GradientToValue: gradientNoise32, Noise: 1e-6,
	})
	if err != nil {
		return err
	}
	t.last = res.Point
	return nil
}

func (t *trial) fisherStart(ctx context.Context) *mat.Dense {
	if t.fisher == nil {
		t.fisher = t.white.fisher(ctx, t.start, choicePrincipal)
	}
	return t.fisher
}

// judge returns the loss of K nearest neighbors among x, by votes that fall from 1 to 1/2
// with the squared distance relative to that of the last. What K lacks of choiceNeighbors is
// shared by all classes.
func judge(ctx context.Context, search *knn.Search[float64], x dist.Matrix[float64], labels []int, y dist.Matrix[float64], actual []int, k int) (loss, error) {
	points := knn.New(x, labels)
	if err := search.Nearest(ctx, points, y, k); err != nil {
		return loss{}, err
	}
	var out loss
	votes, weights := make([]int, len(points.Labels())), make([]float64, len(points.Labels()))
	for i, label := range actual {
		rows, distances := search.Near(i)
		clear(weights)
		last, total := distances[len(distances)-1], 0.
		for j, r := range rows {
			w := 1.
			if last > 0 {
				w = 1 / (1 + distances[j]/last)
			}
			c, _ := slices.BinarySearch(points.Labels(), points.Label(r))
			weights[c] += w
			total += w
		}
		missing := float64(max(0, choiceNeighbors-len(rows)))
		for c, w := range weights {
			w = (w + missing/float64(len(weights))) / (total + missing)
			if points.Labels()[c] == label {
				w = 1 - w
			}
			out.brier += float64(w * w)
		}
		if points.Labels()[points.Vote(votes, rows)] != label {
			out.error++
		}
	}
	n := float64(len(actual))
	out.brier /= n
	out.error /= n
	if out.brier-out.brier != 0 {
		return out, fmt.Errorf("wda: distances overflow: %w", ErrNotFinite)
	}
	return out, nil
}
