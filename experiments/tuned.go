package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// tuning contains the values of p and K that cross-validation can choose, and the number of folds.
type tuning struct {
	ps, ks []int
	folds  int
}

// candidate is a method with fixed settings. Cross-validation compares candidates.
type candidate struct {
	// final is fitted to all training samples. quick is fitted to the training samples of a fold.
	// If fits are slow and the last steps hardly affect which candidate is chosen, quick may make
	// fewer steps than final.
	final, quick method
	// nested means that the projections for smaller p are the first columns of the projection for
	// the largest p.
	nested bool
}

// tuned is a method with its chosen values and results.
type tuned struct {
	p, k      int // p = 0 stands for all features
	candidate int // index of the chosen candidate
	// validation is the mean error over the folds. test is the error on the test samples.
	validation, test float64
}

// tuneCandidates chooses p, K and a candidate by cross-validation. If several choices are equally
// good, tuneCandidates takes the first choice. It then fits the chosen candidate to all training
// samples and tests it. Every element of choices is a list of candidate indices and has its own
// result, but a fit that several lists need is computed only once. Values of p above the number of
// features and values of K above the number of samples are ignored.
func tuneCandidates(ctx context.Context, candidates []candidate, choices [][]int, train, test *dataset.Dataset, t tuning, seed uint64) ([]tuned, error) {
	inRows, outRows, err := train.Folds(t.folds, seed)
	if err != nil {
		return nil, err
	}
	_, d := train.X.Dims()
	ps := valuesUpTo(t.ps, d)
	least := train.Len()
	for _, rows := range inRows {
		least = min(least, len(rows))
	}
	ks := valuesUpTo(t.ks, least)
	if len(ps) == 0 || len(ks) == 0 {
		return nil, fmt.Errorf("%w: no p up to %d features or K up to %d samples", ErrSettings, d, least)
	}
	if candidates[0].final.fit == nil {
		ps = []int{0}
	}
	most := slices.Max(ps)
	in, out := make([]*training, t.folds), make([]*dataset.Dataset, t.folds)
	for i := range in {
		in[i], out[i] = trainingFor(train.Subset(inRows[i]), most), train.Subset(outRows[i])
	}
	// errs[candidate][p][K] is the mean error over the folds.
	errs := make([][][]float64, len(candidates))
	for v, m := range candidates {
		errs[v] = make([][]float64, len(ps))
		for i := range ps {
			errs[v][i] = make([]float64, len(ks))
		}
		for f := range in {
			fit := m.quick.series(ctx, in[f], ps, m.nested)
			for i := range ps {
				projection, err := fit(i)
				if err != nil {
					return nil, err
				}
				e, err := knnErrors(ctx, in[f].Dataset, out[f], projection, ks)
				if err != nil {
					return nil, err
				}
				for l := range ks {
					errs[v][i][l] += e[l] / float64(t.folds)
				}
			}
		}
	}
	whole := trainingFor(train, 0)
	results := make([]tuned, len(choices))
	for c, list := range choices {
		best := tuned{validation: math.Inf(1)}
		for _, v := range list {
			for i, p := range ps {
				for l, k := range ks {
					// ignore differences within rounding
					if e := errs[v][i][l]; e < best.validation-1e-12 {
						best = tuned{p: p, k: k, candidate: v, validation: e}
					}
				}
			}
		}
		same := -1
		for b, r := range results[:c] {
			if r.p == best.p && r.k == best.k && r.candidate == best.candidate {
				same = b
			}
		}
		if same >= 0 {
			results[c] = results[same]
			continue
		}
		projection, err := candidates[best.candidate].final.series(ctx, whole, []int{best.p}, false)(0)
		if err != nil {
			return nil, err
		}
		e, err := knnErrors(ctx, train, test, projection, []int{best.k})
		if err != nil {
			return nil, err
		}
		best.test = e[0]
		results[c] = best
	}
	return results, nil
}

func valuesUpTo(values []int, limit int) []int {
	var all []int
	for _, v := range values {
		if v <= limit {
			all = append(all, v)
		}
	}
	return all
}

// series returns a function that maps an index i to the projection with ps[i] components. If nested
// is true, the method is fitted only once, with the largest number. A nil projection means all features.
func (m method) series(ctx context.Context, train *training, ps []int, nested bool) func(i int) (*mat.Dense, error) {
	if m.fit == nil {
		return func(int) (*mat.Dense, error) { return nil, nil }
	}
	if !nested {
		return func(i int) (*mat.Dense, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return m.fit(ctx, train, ps[i])
		}
	}
	var all *mat.Dense
	var err error
	return func(i int) (*mat.Dense, error) {
		if all == nil && err == nil {
			all, err = m.fit(ctx, train, slices.Max(ps))
		}
		if err != nil {
			return nil, err
		}
		d, _ := all.Dims()
		return mat.DenseCopyOf(all.Slice(0, d, 0, ps[i])), nil
	}
}
