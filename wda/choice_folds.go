package wda

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomonge/monge/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

const (
	// Rows are divided into manyFolds parts, each held out once, from choiceMany rows on
	// into fewFolds: fits are dearer and one part tells enough.
	manyFolds, fewFolds, choiceMany = 5, 3, 500
	// Below choiceHeld rows the division is made anew until as many rows have been held out,
	// up to choiceRepeats times. One division of few rows says little: with another seed
	// another candidate is the best.
	choiceHeld, choiceRepeats = 1000, 10
	// choiceRows bounds the rows that are fitted to, as transport takes time in their square, and
	// choiceSeen all: the others are held out of every fold.
	choiceRows, choiceSeen = 1000, 2000
	// choiceMost bounds the classes whose rows are looked at, as pairs of them are solved.
	choiceMost = 256
	// spanFrom is the number of features a row beyond which the span of the rows saves time.
	spanFrom = 2
)

// division is one of the rows into those that are learned from and those held out, and
// what they tell whatever the whitening.
type division struct {
	train, held []int // rows, ascending
	votes       []int // of train, one of equal rows of a class; nil if no two are equal
	neighbors   int   // K

	all     *samples   // as features, nil if samples are
	samples *samples   // those that are learned from
	span    *span      // of them
	rows    *mat.Dense // those held out
	inSpan  *mat.Dense // in the coordinates of the span
	labels  []int      // of the rows held out
	own     []int      // of the others that vote
}

// compared returns the samples that settings are compared on.
func (s *samples) compared(ctx context.Context) *samples {
	return s.fewer(ctx, choiceMost).thinned(ctx, choiceSeen)
}

// folds returns the folds of the samples of sp, ready for the candidates.
func folds(ctx context.Context, sp *span, set *Settings, list []Member) ([]division, error) {
	s := sp.s.compared(ctx)
	var all *samples
	if sp.rows != nil {
		all = sp.full.compared(ctx)
	}
	out := divisions(s, set.Seed)
	if err := checkNeeds(choiceNeeds(s.n, s.d, sp.full.d, len(out), workerCount(set.Workers), set)...); err != nil {
		return nil, err
	}
	whitened := slices.ContainsFunc(list, func(c Member) bool { return c.Whitening.kind == whiteningSpherical })
	var pool parallel.Pool
	workers := workerCount(set.Workers)
	err := pool.Run(ctx, workers, len(out), func(ctx context.Context, _, i int) error {
		f, within := &out[i], goroutines(i, len(out), workers)
		f.all = all
		f.samples, f.rows = s.rowsCentered(ctx, f.train, f.held)
		f.own, f.labels = s.labelsOf(f.train), s.labelsOf(f.held)
		if f.votes != nil {
			own := make([]int, len(f.votes))
			for i, r := range f.votes {
				own[i] = f.own[r]
			}
			f.own = own
		}
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
// newTrial makes of them; and canonical components of fits that two finalists share.
func choiceNeeds(n, d, features, folds, workers int, set *Settings) []need {
	rows, from, own := float64(n), float64(d), float64(d)
	if features > d || d > spanFrom*n {
		own = min(own, rows)
	}
	trial := float64(4*own*(rows+own)) + float64(rows*rows)
	if features > d {
		trial += float64(4 * rows * float64(features))
	}
	p := min(float64(set.Components), own)
	fits := float64(folds * (1 + promisingNumbers) * (max(mixedFinalists, set.Mixture.most) / 2))
	return []need{
		{fmt.Sprintf("fits of finalists to %d folds", folds), 8 * fits * float64(2*own+p) * p},
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
	first, different := s.equalRows()
	repeats := min(max(1, choiceHeld/different), choiceRepeats)
	part, parts := make([]int, s.n), manyFolds
	if s.n >= choiceMany {
		parts = fewFolds
	}
	for range repeats {
		next := 0
		for i := range part {
			part[i] = nowhere
		}
		for c := range s.classes {
			order := rng.Perm(s.size(c))
			fitted := len(order)
			if s.n > choiceRows {
				fitted = max(2, fitted*choiceRows/s.n)
			}
			for k, i := range order {
				row := s.offset[c] + i
				to := &part[first[row]] // equal rows stay together
				switch {
				case *to != nowhere:
				case k >= fitted:
					*to = heldAlways
				default:
					*to = next % parts
					next++
				}
				part[row] = *to
			}
		}
		for k := range parts {
			if f, ok := divide(s, part, first, k); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// heldAlways is the part of the rows that every fold holds out, and nowhere that of rows whose
// part is not known yet.
const heldAlways, nowhere = -1, -2

// equalRows returns for every row the first row that is equal to it, whatever their classes, and
// how many rows are different.
func (s *samples) equalRows() (first []int, different int) {
	first = make([]int, s.n)
	for i := range first {
		first[i] = i
	}
	if s.x == nil {
		return first, s.n
	}
	order := slices.Clone(first)
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(s.x.RawRowView(i), s.x.RawRowView(j)) })
	different = s.n
	for k := 1; k < len(order); k++ {
		if i, j := order[k-1], order[k]; slices.Equal(s.x.RawRowView(i), s.x.RawRowView(j)) {
			first[j] = first[i]
			different--
		}
	}
	return first, different
}

func divide(s *samples, part, first []int, k int) (f division, ok bool) {
	var sizes []int
	seen := make([]int, s.n) // one more than the class that a row has voted for last
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
		votes := 0
		for i, r := range train {
			if to := &seen[first[r]]; *to != c+1 {
				*to = c + 1
				f.votes = append(f.votes, len(f.train)+i)
				votes++
			}
		}
		f.train, f.held = append(f.train, train...), append(f.held, held...)
		sizes = append(sizes, votes)
	}
	if len(sizes) < 2 || len(f.held) == 0 {
		return f, false
	}
	if len(f.votes) == len(f.train) {
		f.votes = nil
	}
	slices.Sort(sizes)
	f.neighbors = choiceNeighbors
	if sizes[len(sizes)/2] < choiceNeighbors { // a typical class
		f.neighbors = leastNeighbors
	}
	return f, true
}
