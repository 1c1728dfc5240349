package wda

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

const (
	// The rows are divided into manyFolds parts. If there are at least manyRows rows, fits take longer
	// and fewer folds suffice, so there are only fewFolds parts. Each part is held out once.
	manyFolds, fewFolds, manyRows = 5, 3, 500
	// The rows are divided again at random until heldGoal rows have been held out, at most maxRepeats times.
	// With few rows, the choice from a single division would depend on the seed.
	heldGoal, maxRepeats = 1000, 10
	// Candidates are fitted to at most maxFitted rows, because the time of optimal transport grows
	// with the square of the number of rows. The comparison uses at most maxCompared rows. Rows
	// beyond maxFitted are held out in every fold.
	maxFitted, maxCompared = 1000, 2000
	// choiceClassLimit is the largest number of classes in the comparison, because the number of
	// transport problems grows with the square of the number of classes.
	choiceClassLimit = 256
	// spanRatio is the number of features per row above which computing in the span of the rows saves time.
	spanRatio = 2
)

// choiceFold is a division of the rows into training rows and held-out rows, with the data that
// candidates with different whitenings share.
type choiceFold struct {
	trainRows, heldRows []int // indices, ascending
	voters              []int // indices into trainRows, without repeated rows of a class; nil if no rows repeat
	neighbors           int   // the number of neighbors K

	features    *discriminant.Samples // all rows with all features; nil if the training rows have all features
	samples     *discriminant.Samples // the training rows
	span        *discriminant.Span    // the span of the training rows
	heldOut     *mat.Dense            // the held-out rows
	heldInSpan  *mat.Dense            // coordinates of the held-out rows in the span
	heldLabels  []int                 // labels of the held-out rows
	voterLabels []int                 // labels of the voters
}

// choiceSamples returns the samples on which candidates are compared.
func choiceSamples(ctx context.Context, s *discriminant.Samples) *discriminant.Samples {
	return s.WithFewerClasses(ctx, choiceClassLimit).WithFewerSamples(ctx, maxCompared)
}

// newChoiceFolds divides the samples of sp into folds, and computes the data of each fold that all
// candidates in list share.
func newChoiceFolds(ctx context.Context, sp *discriminant.Span, set *Settings, list []Member) ([]choiceFold, error) {
	s := choiceSamples(ctx, sp.Samples)
	var all *discriminant.Samples
	if sp.IsReduced() {
		all = choiceSamples(ctx, sp.Full)
	}
	out := divideRows(s, set.Seed)
	if err := discriminant.CheckMemory(choiceNeeds(s.N, s.D, sp.Full.D, len(out), parallel.Count(set.Workers), set)...); err != nil {
		return nil, err
	}
	whitened := slices.ContainsFunc(list, func(c Member) bool { return c.Whitening.kind == whiteningSpherical })
	var pool parallel.Pool
	workers := parallel.Count(set.Workers)
	err := pool.Run(ctx, workers, len(out), func(ctx context.Context, _, i int) error {
		f, within := &out[i], goroutinesFor(i, len(out), workers)
		f.features = all
		f.samples, f.heldOut = s.CenteredRows(ctx, f.trainRows, f.heldRows)
		f.voterLabels, f.heldLabels = s.LabelsOf(f.trainRows), s.LabelsOf(f.heldRows)
		if f.voters != nil {
			own := make([]int, len(f.voters))
			for i, r := range f.voters {
				own[i] = f.voterLabels[r]
			}
			f.voterLabels = own
		}
		f.span = discriminant.WholeSpan(f.samples)
		if sp.IsReduced() || s.D > spanRatio*f.samples.N {
			f.span = discriminant.NewSpan(ctx, f.samples, 0, within)
		}
		f.heldInSpan = f.span.Coordinates(ctx, f.heldOut)
		if whitened {
			f.span.PrepareWhitening(ctx, within)
		}
		return nil
	})
	return out, err
}

// choiceNeeds returns the memory that the comparison takes on the given number of folds. Each of the
// n rows has d coordinates. If d is less than features, they are coordinates in the span of all rows.
// Otherwise, they are the features.
func choiceNeeds(n, d, features, folds, workers int, set *Settings) []discriminant.Need {
	rows, from, own := float64(n), float64(d), float64(d)
	if features > d || d > spanRatio*n {
		own = min(own, rows)
	}
	trial := float64(4*own*(rows+own)) + float64(rows*rows)
	if features > d {
		trial += float64(4 * rows * float64(features))
	}
	p := min(float64(set.Components), own)
	fits := float64(folds * (1 + maxPromising) * (max(mixtureFinalists, set.Mixture.limit) / 2))
	return []discriminant.Need{
		{Purpose: fmt.Sprintf("fits of finalists to %d folds", folds), Bytes: 8 * fits * float64(2*own+p) * p},
		{Purpose: fmt.Sprintf("%d folds of %d rows, which settings are compared on,", folds, n), Bytes: 8 * float64(folds) * (float64(rows*(from+own)) + float64(2*own*own))},
		{Purpose: fmt.Sprintf("%d workers that compare settings", workers), Bytes: 8 * float64(min(workers, 4*folds)) * trial},
	}
}

// divideRows divides the rows of each class into parts, in a random order that depends on seed, and
// returns the folds. A fold omits classes with fewer than two training rows. The result omits folds
// with fewer than two classes.
func divideRows(s *discriminant.Samples, seed uint64) []choiceFold {
	var out []choiceFold
	rng := rand.New(rand.NewPCG(seed, streamChoice))
	first, different := equalRows(s)
	repeats := min(max(1, heldGoal/different), maxRepeats)
	part, parts := make([]int, s.N), partCount(s.N)
	for range repeats {
		next := 0
		for i := range part {
			part[i] = unassigned
		}
		for c := range s.Classes {
			order := rng.Perm(s.Size(c))
			fitted := len(order)
			if s.N > maxFitted {
				fitted = discriminant.ClassQuota(fitted, maxFitted, s.N)
			}
			for k, i := range order {
				row := s.Offset[c] + i
				to := &part[first[row]] // equal rows stay together
				switch {
				case *to != unassigned:
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
			if f, ok := newChoiceFold(s, part, first, k); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// partCount returns the number of parts into which n rows are divided.
func partCount(n int) int {
	if n >= manyRows {
		return fewFolds
	}
	return manyFolds
}

// maxFoldCount returns the number of folds of n distinct rows. If some rows are equal, there may be fewer folds.
func maxFoldCount(n int) int { return partCount(n) * min(max(1, heldGoal/n), maxRepeats) }

// heldAlways marks rows that every fold holds out. unassigned marks rows that are not yet assigned to
// a part.
const heldAlways, unassigned = -1, -2

// equalRows finds equal rows, even in different classes. first[i] is the index of the first row that
// equals row i. The last result is the number of distinct rows.
func equalRows(s *discriminant.Samples) (first []int, different int) {
	first = make([]int, s.N)
	for i := range first {
		first[i] = i
	}
	if s.X == nil {
		return first, s.N
	}
	order := slices.Clone(first)
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(s.X.RawRowView(i), s.X.RawRowView(j)) })
	different = s.N
	for k := 1; k < len(order); k++ {
		if i, j := order[k-1], order[k]; slices.Equal(s.X.RawRowView(i), s.X.RawRowView(j)) {
			first[j] = first[i]
			different--
		}
	}
	return first, different
}

// newChoiceFold returns the fold that holds out part k. It returns false if the fold has fewer than
// two classes or no held-out row.
func newChoiceFold(s *discriminant.Samples, part, first []int, k int) (f choiceFold, ok bool) {
	var sizes []int
	seen := make([]int, s.N) // for each distinct row, 1 + the index of the last class that contains the row
	for c := range s.Classes {
		var train, held []int
		for i := s.Offset[c]; i < s.Offset[c+1]; i++ {
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
				f.voters = append(f.voters, len(f.trainRows)+i)
				votes++
			}
		}
		f.trainRows, f.heldRows = append(f.trainRows, train...), append(f.heldRows, held...)
		sizes = append(sizes, votes)
	}
	if len(sizes) < 2 || len(f.heldRows) == 0 {
		return f, false
	}
	if len(f.voters) == len(f.trainRows) {
		f.voters = nil
	}
	slices.Sort(sizes)
	f.neighbors = choiceNeighbors
	if sizes[len(sizes)/2] < choiceNeighbors { // the median class
		f.neighbors = leastNeighbors
	}
	return f, true
}
