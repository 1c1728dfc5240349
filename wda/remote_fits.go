package wda

import (
	"context"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// fitTask makes fits of a cross-validation elsewhere.
const fitTask = "wda.crossvalidation"

// farValidation is what the fits share.
type farValidation struct {
	X          *wireMatrix
	Labels     []int
	Fit        wireSettings
	Validation *Validation
	HeldOut    *wireMatrix
	Components []int
	Lambda     []wireLambda
	Shrinkage  []string
	Neighbors  []int
	Folds      int
}

type farErrors struct {
	Errors []float64
	Err    *wireError
}

// away makes the fits by an executor.
func (c *CrossValidation) away(ctx context.Context, to Executor, x mat.Matrix, labels []int, jobs int) ([][]float64, error) {
	fit, err := wiredSettings(ctx, c.Fit)
	if err != nil {
		return nil, err
	}
	f := farValidation{X: wired(ctx, x), Labels: labels, Fit: fit, Components: c.Components, Neighbors: c.Neighbors, Folds: c.Folds}
	if c.Fit.Validation != nil {
		v := *c.Fit.Validation
		f.HeldOut, v.X = wired(ctx, v.X), nil
		f.Validation = &v
	}
	for _, l := range c.Lambda {
		f.Lambda = append(f.Lambda, wiredLambda(ctx, l))
	}
	for _, r := range c.Shrinkage {
		f.Shrinkage = append(f.Shrinkage, r.String())
	}
	shared, err := encodeWire(f)
	if err != nil {
		return nil, err
	}
	items := make([]int, jobs)
	for i := range items {
		items[i] = i
	}
	results, err := send[farErrors](ctx, to, fitTask, shared, items, jobs/c.Folds)
	if err != nil {
		return nil, err
	}
	errs := make([][]float64, jobs)
	for i, r := range results {
		if r.Err != nil {
			return nil, c.failed(i, c.combinations(), r.Err.error())
		}
		errs[i] = r.Errors
		if c.Progress != nil {
			if err := c.Progress(Progress{Done: i + 1, Total: jobs}); err != nil {
				return nil, err
			}
		}
	}
	return errs, nil
}

// openFits is the other end of away. What the fits of a fold have in common is kept until
// one of another fold is asked for.
func openFits(ctx context.Context, shared []byte) (doer, error) {
	var f farValidation
	if err := decodeWire(shared, &f); err != nil {
		return nil, err
	}
	fit, err := f.Fit.settings()
	if err != nil {
		return nil, err
	}
	if fit.Workers, fit.Validation = 1, f.Validation; f.HeldOut != nil {
		fit.Validation.X = f.HeldOut.dense()
	}
	c := CrossValidation{Fit: fit, Components: f.Components, Neighbors: f.Neighbors, Folds: f.Folds}
	for _, w := range f.Lambda {
		l, err := w.lambda()
		if err != nil {
			return nil, err
		}
		c.Lambda = append(c.Lambda, l)
	}
	for _, text := range f.Shrinkage {
		var r Shrinkage
		if err := r.UnmarshalText([]byte(text)); err != nil {
			return nil, err
		}
		c.Shrinkage = append(c.Shrinkage, r)
	}
	x := f.X.dense()
	folds, err := c.withDefaults(ctx, x, f.Labels)
	if err != nil {
		return nil, err
	}
	combinations, by := c.combinations(), c.preparation()
	var mu sync.Mutex
	var at int
	var sh *share
	return receive(func(ctx context.Context, i int) (farErrors, error) {
		of := i / len(combinations)
		mu.Lock()
		if sh == nil || at != of {
			at, sh = of, new(share)
		}
		mine := sh
		mu.Unlock()
		e, err := mine.errors(ctx, x, f.Labels, &folds[of], by, &combinations[i%len(combinations)], c.Neighbors)
		if err != nil {
			return farErrors{Err: wiredError(err)}, nil
		}
		return farErrors{Errors: e}, nil
	}), nil
}

// OpenWork returns the function that does the items of a Work, given its Task and what they
// share. The processes of an Executor call it once for each Work. Any number of goroutines may
// call the function. Its error means that the item could not be done here, for example because
// ctx has ended. An unknown task is an error: the two ends run different versions.
func OpenWork(ctx context.Context, task string, shared []byte) (do func(ctx context.Context, item []byte) ([]byte, error), err error) {
	switch task {
	case pairTask:
		return openPairs(ctx, shared)
	case pieceTask:
		return openPieces(ctx, shared)
	case fitTask:
		return openFits(ctx, shared)
	}
	return nil, fmt.Errorf("wda: unknown task %q: does the other process run another version of this program?", task)
}
