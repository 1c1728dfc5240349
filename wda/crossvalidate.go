package wda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// CrossValidation configures CrossValidate. The zero value works.
type CrossValidation struct {
	// Fit contains the settings that do not vary. Fit.Workers is the number of goroutines of the
	// whole comparison, and does not change the result. Fit.Progress is not called.
	// Fit.Validation, if not nil, holds out a part of the training samples of each fold. If a
	// combination has automatic settings, the fit to each fold chooses these settings from the
	// training samples of the fold, and Candidate.Chosen contains the choices. The errors therefore
	// include the effect of the choices.
	Fit Settings
	// Components, Lambda and Shrinkage contain the values of these settings to compare. If one of
	// them is nil, only the value in Fit is used. A zero Lambda or Shrinkage is an automatic setting.
	// Neighbors contains the values of K to compare; nil means 1, 3, 5, …, 19. All combinations are
	// tried.
	Components []int
	Lambda     []Lambda
	Shrinkage  []Shrinkage
	Neighbors  []int
	// Folds is the number of parts into which each class is divided at random. Each part is the
	// test set once. 0 means 5.
	Folds int
	// Progress, if not nil, is called after each fit with the phase PhaseFit. While a fit chooses
	// settings, Progress is called with the phase PhaseChoice and an unchanged Done. Only one
	// goroutine at a time calls Progress. If Progress returns an error, the comparison ends.
	Progress func(Progress) error
}

// CrossValidated is the result of CrossValidate.
type CrossValidated struct {
	// Best is the candidate with the lowest mean error. If several candidates have the same error,
	// Best is the first.
	Best Candidate
	// Settings is a copy of the field CrossValidation.Fit with the values of Best. It can be passed
	// to the function Fit. A setting that is automatic in Best remains automatic, so Fit chooses its
	// value from all samples.
	Settings Settings
	// Candidates contains all combinations. K varies fastest, then ρ, λ and p.
	Candidates []Candidate
}

// Candidate is a combination of settings with its errors.
type Candidate struct {
	Components int       // p
	Lambda     Lambda    // λ
	Shrinkage  Shrinkage // ρ
	Neighbors  int       // K of the classifier
	// Chosen contains the settings that the fit to each fold chose: one Member or, if the
	// projection is a mixture, several Members. Chosen is nil if no setting was automatic.
	Chosen [][]Member
	// Error is the fraction of test samples that were classified wrongly, averaged over the folds.
	// StdErr is the standard error of Error, and Errors contains the fraction for each fold.
	Error, StdErr float64
	Errors        []float64
}

// CrossValidate compares settings of Fit by the error of a K-nearest-neighbors classifier in the
// projection, on samples that were not used for the fit. x is n × d, with one label for each row;
// cv may be nil. The folds depend on cv.Fit.Seed.
//
// Errors are as in Fit, and name the fold and the settings. If several fits fail, CrossValidate
// returns the error of the first of these fits, in the order of folds and Candidates. If ctx ends, the
// error is context.Cause(ctx), and the result is nil.
//
// Fits run in parallel, and each fit uses one goroutine. If fewer fits than goroutines remain, each of
// the last fits gets several goroutines. CrossValidate makes two copies of the samples for each fold in
// progress and another copy for each fit in progress.
func CrossValidate(ctx context.Context, x mat.Matrix, labels []int, cv *CrossValidation) (*CrossValidated, error) {
	if err := checkSamples(ctx, x, labels); err != nil {
		return nil, err
	}
	var c CrossValidation
	if cv != nil {
		c = *cv
	}
	folds, err := c.withDefaults(ctx, x, labels)
	if err != nil {
		return nil, err
	}
	combinations := c.combinations()
	perFold := len(combinations)
	jobs := perFold * len(folds)
	n, d := x.Dims()
	needs, work, err := c.memoryNeeds(ctx, n, d, labels, min(parallel.Count(c.Fit.Workers), jobs))
	if err != nil {
		return nil, err
	}
	if err := discriminant.CheckMemory(needs...); err != nil {
		return nil, err
	}
	var done []foldFit
	if to := c.Fit.executorFor(work); to != nil {
		done, err = c.fitRemotely(ctx, to, x, labels, jobs)
	} else {
		done, err = c.fitLocally(ctx, x, labels, folds, combinations)
	}
	if err != nil {
		return nil, err
	}

	out := new(CrossValidated)
	best := -1
	for i, s := range combinations {
		for k := range c.Neighbors {
			a := Candidate{Components: s.Components, Lambda: s.Objective.Lambda, Shrinkage: s.Objective.Shrinkage, Neighbors: c.Neighbors[k]}
			for f := range folds {
				fit := &done[f*perFold+i]
				a.Errors = append(a.Errors, fit.errors[k])
				if fit.chosen != nil {
					a.Chosen = append(a.Chosen, fit.chosen)
				}
			}
			a.Error, a.StdErr = meanAndError(a.Errors)
			out.Candidates = append(out.Candidates, a)
			if n := len(out.Candidates) - 1; best < 0 || a.Error < out.Candidates[best].Error {
				best = n
			}
		}
	}
	out.Best = out.Candidates[best]
	out.Settings = c.Fit
	out.Settings.Components, out.Settings.Objective.Lambda, out.Settings.Objective.Shrinkage = out.Best.Components, out.Best.Lambda, out.Best.Shrinkage
	return out, nil
}

// foldNeeds returns the memory for copies of the n samples of d features: two copies for each fold in
// progress and one copy for each worker.
func foldNeeds(n, d, folds, workers int) []discriminant.Need {
	at := float64(min(folds, workers))
	return []discriminant.Need{{Purpose: fmt.Sprintf("the samples of %d folds at a time", min(folds, workers)), Bytes: (2*at + float64(workers)) * 8 * float64(n) * float64(d)}}
}

// foldFit is the result of one fit to a fold.
type foldFit struct {
	errors []float64 // for each K
	chosen []Member  // settings that the fit chose; nil if no setting was automatic
}

// fitLocally makes all fits in this process.
func (c *CrossValidation) fitLocally(ctx context.Context, x mat.Matrix, labels []int, folds []foldRows, combinations []Settings) ([]foldFit, error) {
	perFold := len(combinations)
	jobs := perFold * len(folds)
	fits := make([]foldFit, jobs)
	workers := parallel.Count(c.Fit.Workers)
	by := c.foldPreparation()
	shares := make([]*foldData, len(folds))
	for i := range shares {
		shares[i] = &foldData{fitsLeft: perFold}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		mu     sync.Mutex
		wg     sync.WaitGroup
		next   int
		done   int
		failed = jobs // index of the first job that failed
		cause  error
	)
	tell := func(phase Phase) error { // the caller must hold mu
		if c.Progress == nil {
			return nil
		}
		err := c.Progress(Progress{Phase: phase, Done: done, Total: jobs})
		if err != nil {
			cancel(err)
		}
		return err
	}
	for range min(workers, jobs) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := i >= failed
				mu.Unlock()
				if stop || ctx.Err() != nil {
					return
				}
				s := combinations[i%perFold]
				s.Workers = goroutinesFor(i, jobs, workers)
				s.Progress = func(p Progress) error {
					if p.Phase != PhaseChoice {
						return nil
					}
					mu.Lock()
					defer mu.Unlock()
					return tell(PhaseChoice)
				}
				sh := shares[i/perFold]
				fit, err := sh.fitAndClassify(ctx, x, labels, &folds[i/perFold], by, &s, c.Neighbors)
				if err != nil {
					err = c.wrapError(i, combinations, err)
				}
				mu.Lock()
				if sh.fitsLeft--; sh.fitsLeft == 0 {
					shares[i/perFold] = nil
				}
				switch {
				case err != nil && i < failed:
					failed, cause = i, err
				case err == nil:
					fits[i] = fit
					done++
					_ = tell(PhaseFit) // tell has canceled ctx if it returns an error
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return fits, cause
}

// memoryNeeds returns the memory that simultaneous fits take, and an estimate of the number of
// multiplications of all fits. The samples are n × d, and atOnce is the number of simultaneous
// fits.
func (c *CrossValidation) memoryNeeds(ctx context.Context, n, d int, labels []int, atOnce int) (needs []discriminant.Need, work float64, err error) {
	needs = foldNeeds(n, d, c.Folds, atOnce)
	classes := len(slices.Compact(slices.Sorted(slices.Values(labels))))
	var choosing []discriminant.Need // memory for choosing settings, of the combination that needs the most memory
	var most float64
	for _, s := range c.combinations() {
		set, err := s.withDefaults(ctx, n, d, classes)
		if err != nil {
			return nil, 0, err
		}
		steps := float64(set.Optimizer.MaxSteps)
		if set.leavesOpen() {
			rows := min(n, maxCompared)
			folds := maxFoldCount(rows)
			list := set.candidates(n, d, classes)
			steps += float64(len(list) * folds * candidateSteps(classes))
			needs := choiceNeeds(rows, min(n, d), d, folds, 1, &set)
			var sum float64
			for i := range needs {
				needs[i].Bytes *= float64(atOnce)
			}
			for i := range needs { // a second loop, so that no compiler fuses multiplication and addition
				sum += needs[i].Bytes
			}
			if sum > most {
				most, choosing = sum, needs
			}
		}
		work = num.FMA(float64(c.Folds)*float64(n)*float64(n)*2*float64(set.Objective.Iterations), steps, work)
	}
	return append(needs, choosing...), work, nil
}

// foldPreparation returns the Preparation for the training samples of each fold.
func (c *CrossValidation) foldPreparation() *Preparation {
	by := c.Fit.preparation()
	by.Components = slices.Max(c.Components)
	return by
}

// wrapError adds the fold and the settings of fit i to err.
func (c *CrossValidation) wrapError(i int, combinations []Settings, err error) error {
	s := &combinations[i%len(combinations)]
	return fmt.Errorf("fold %d of %d, p = %d, λ = %v, ρ = %v: %w", i/len(combinations)+1, c.Folds, s.Components, s.Objective.Lambda, s.Objective.Shrinkage, err)
}

// withDefaults sets the defaults of c, checks c, and returns the folds.
func (c *CrossValidation) withDefaults(ctx context.Context, x mat.Matrix, labels []int) ([]foldRows, error) {
	n, d := x.Dims()
	if c.Folds == 0 {
		c.Folds = 5
	}
	if c.Folds < 2 || c.Folds > n {
		return nil, fmt.Errorf("%w: Folds is %d; it must be between 2 and the number of samples, %d", ErrSettings, c.Folds, n)
	}
	if c.Fit.Components == 0 {
		c.Fit.Components = min(2, d)
	}
	if c.Components == nil {
		c.Components = []int{c.Fit.Components}
	}
	if c.Lambda == nil {
		c.Lambda = []Lambda{c.Fit.Objective.Lambda}
	}
	if c.Shrinkage == nil {
		c.Shrinkage = []Shrinkage{c.Fit.Objective.Shrinkage}
	}
	classes := shuffledClasses(labels, rand.New(rand.NewPCG(c.Fit.Seed, streamFolds)))
	if len(classes) < 2 {
		return nil, fmt.Errorf("%w: all samples have the label %d; at least two classes are needed", ErrLabels, labels[0])
	}
	// Assign the rows to the parts cyclically, without a restart between classes. The sizes of the
	// parts then differ by at most 1.
	of := make([]int, n)
	next := 0
	for _, rows := range classes {
		largest := (len(rows) + c.Folds - 1) / c.Folds
		if len(rows)-largest < 2 {
			return nil, fmt.Errorf("%w: label %d has %d samples, too few for %d folds: at least two must be left to fit to", ErrLabels, labels[rows[0]], len(rows), c.Folds)
		}
		for _, r := range rows {
			of[r] = next
			next = (next + 1) % c.Folds
		}
	}
	left := n - (n+c.Folds-1)/c.Folds
	if c.Neighbors == nil {
		for k := 1; k <= min(19, left); k += 2 {
			c.Neighbors = append(c.Neighbors, k)
		}
	}
	for _, k := range c.Neighbors {
		if k < 1 || k > left {
			return nil, fmt.Errorf("%w: %d neighbors, but a fold has only %d training samples", ErrSettings, k, left)
		}
	}
	if len(c.Components)*len(c.Lambda)*len(c.Shrinkage)*len(c.Neighbors) == 0 {
		return nil, fmt.Errorf("%w: one of Components, Lambda, Shrinkage and Neighbors is empty: nothing to compare", ErrSettings)
	}
	for _, s := range c.combinations() {
		if _, err := s.withDefaults(ctx, n, d, len(classes)); err != nil {
			return nil, err
		}
	}
	folds := make([]foldRows, c.Folds)
	for f := range folds {
		for r, g := range of {
			if g == f {
				folds[f].test = append(folds[f].test, r)
			} else {
				folds[f].train = append(folds[f].train, r)
			}
		}
	}
	return folds, nil
}

// combinations returns the settings of all fits to one fold.
func (c *CrossValidation) combinations() []Settings {
	var out []Settings
	for _, p := range c.Components {
		for _, l := range c.Lambda {
			for _, r := range c.Shrinkage {
				s := c.Fit
				s.Components, s.Objective.Lambda, s.Objective.Shrinkage, s.Progress = p, l, r, nil
				out = append(out, s)
			}
		}
	}
	return out
}

// foldRows contains the indices of the training rows and of the test rows of a fold.
type foldRows struct{ train, test []int }

// foldData contains the data that the fits to one fold share. The first fit prepares these data.
type foldData struct {
	once                    sync.Once
	train, test             *mat.Dense
	trainLabels, testLabels []int
	prepared                *Prepared
	err                     error
	fitsLeft                int // number of unfinished fits
}

// fitAndClassify makes one fit and classifies the test rows with each K in ks.
func (sh *foldData) fitAndClassify(ctx context.Context, x mat.Matrix, labels []int, f *foldRows, by *Preparation, s *Settings, ks []int) (foldFit, error) {
	var out foldFit
	sh.once.Do(func() {
		sh.train, sh.trainLabels = copyRows(ctx, x, labels, f.train)
		if sh.err = fault.Ended(ctx, nil); sh.err != nil {
			return
		}
		sh.test, sh.testLabels = copyRows(ctx, x, labels, f.test)
		sh.prepared, sh.err = Prepare(ctx, sh.train, sh.trainLabels, by)
	})
	if sh.err != nil {
		return out, sh.err
	}
	m, err := sh.prepared.Fit(ctx, s)
	if err != nil {
		return out, err
	}
	var y, z mat.Dense
	if err := m.Transform(&y, sh.train); err != nil {
		return out, err
	}
	if err := m.Transform(&z, sh.test); err != nil {
		return out, err
	}
	predicted, err := knn.Predict(ctx, dense.View(&y), sh.trainLabels, dense.View(&z), ks, &knn.Settings{Workers: s.Workers})
	if err != nil {
		return out, err
	}
	for _, labels := range predicted {
		out.errors = append(out.errors, knn.ErrorRate(labels, sh.testLabels))
	}
	if choice := m.report.Choice; choice != nil {
		out.chosen = slices.Clone(choice.Members[:choice.Mixed])
	}
	return out, nil
}

func meanAndError(v []float64) (mean, stdErr float64) {
	n := float64(len(v))
	for _, x := range v {
		mean += x / n
	}
	var sum float64
	for _, x := range v {
		sum += float64((x - mean) * (x - mean))
	}
	return mean, math.Sqrt(sum / (n - 1) / n)
}
