package wda

import (
	"context"
	"errors"
	"sync"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// pairTask solves transport problems for pairs of classes in another process. The other process
// receives Y = X·P (n × p) once, and a few numbers for each pair of classes. For each pair it
// returns the transport cost W and the gradient ∂W/∂Y for both classes. The calling process sums
// over the pairs in a fixed order, so the result is bit-identical wherever the pairs are solved.
const pairTask = "wda.pair"

// pairShared contains the projected samples and the transport settings that all pairs share.
type pairShared struct {
	P, Iterations     int
	Mode              sinkhorn.GradientMode
	Gradient, Float32 bool
	Frozen            bool // the gradient treats transport plans as constant
	Offset            []int
	Y                 []byte
}

type pairItem struct {
	C, E   int
	Lambda float64
}

type pairResult struct {
	Cost   float64
	Status sinkhorn.Status
	Domain sinkhorn.Domain
	DX, DY []byte
	Err    *wireError
}

// remotePairSolver is a discriminant.PairSolver that uses an Executor.
type remotePairSolver[T dist.Float] struct{ to Executor }

// Worth implements discriminant.PairSolver.
func (f remotePairSolver[T]) Worth(multiplications float64) bool { return f.to.Worth(multiplications) }

// SolvePairs implements discriminant.PairSolver.
func (f remotePairSolver[T]) SolvePairs(ctx context.Context, job *discriminant.PairJob[T]) error {
	shared, err := encodeWire(pairShared{
		P: job.Y.Cols, Iterations: job.Iterations, Mode: job.Mode, Gradient: job.Gradient, Float32: !num.IsFloat64[T](), Frozen: job.Frozen, Offset: job.Offset, Y: encodeNumbers(job.Y.Data),
	})
	if err != nil {
		return err
	}
	items := make([]pairItem, job.Len())
	for i := range items {
		items[i].C, items[i].E, items[i].Lambda = job.Pair(i)
	}
	results, err := sendItems[pairResult](ctx, f.to, pairTask, shared, items, 1)
	if err != nil {
		return err
	}
	for i, r := range results {
		job.Results[i] = discriminant.PairResult[T]{Cost: r.Cost, Status: r.Status, Domain: r.Domain, Err: r.Err.toError(), DX: decodeNumbers[T](r.DX), DY: decodeNumbers[T](r.DY)}
	}
	return nil
}

// openPairs returns the function for the items of remotePairSolver.
func openPairs(_ context.Context, shared []byte) (itemFunc, error) {
	var f pairShared
	if err := decodeWire(shared, &f); err != nil {
		return nil, err
	}
	if f.Float32 {
		return newPairFunc[float32](&f), nil
	}
	return newPairFunc[float64](&f), nil
}

func newPairFunc[T dist.Float](f *pairShared) itemFunc {
	job := &discriminant.PairJob[T]{
		Y: dist.NewMatrix(f.Offset[len(f.Offset)-1], f.P, decodeNumbers[T](f.Y)), Offset: f.Offset, Iterations: f.Iterations, Mode: f.Mode,
		Gradient: f.Gradient, Frozen: f.Frozen,
	}
	var idle sync.Pool
	return newItemFunc(func(ctx context.Context, q pairItem) (pairResult, error) {
		w, _ := idle.Get().(*discriminant.PairWorker[T])
		if w == nil {
			var err error
			if w, err = discriminant.NewPairWorker[T](f.Iterations, f.Mode); err != nil {
				return pairResult{}, err
			}
		}
		defer idle.Put(w)
		var r discriminant.PairResult[T]
		if w.Solve(ctx, job, q.C, q.E, q.Lambda, &r); r.Err != nil {
			return pairResult{Err: newWireError(r.Err)}, nil
		}
		return pairResult{Cost: r.Cost, Status: r.Status, Domain: r.Domain, DX: encodeNumbers(r.DX), DY: encodeNumbers(r.DY)}, nil
	})
}

// pieceTask is a task that compares candidate settings in another process. The process receives the
// data and prepares the comparison itself.
const pieceTask = "wda.candidates"

// choiceShared has the data and settings that the pieces of a comparison share.
type choiceShared struct {
	X           *wireMatrix
	Labels      []int
	Components  int
	Standardize bool
	Start       bool // whether fits start at the principal components
	Settings    wireSettings
}

// remoteComparer returns a compareFunc that uses the executor of the settings.
func (m *Prepared) remoteComparer(set *Settings) compareFunc {
	var shared []byte
	return func(ctx context.Context, pieces []piece) ([][][]loss, error) {
		if shared == nil {
			s, err := newWireSettings(ctx, *set)
			if err != nil {
				return nil, err
			}
			shared, err = encodeWire(choiceShared{
				X: newWireMatrix(ctx, m.held.trainX), Labels: m.held.trainLabels, Components: m.preparation.Components, Standardize: m.preparation.Data.Standardize, Start: m.fromPrincipal, Settings: s,
			})
			if err != nil {
				return nil, err
			}
		}
		results, err := sendItems[[][][2]float64](ctx, set.Executor, pieceTask, shared, pieces, 1)
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
}

// openPieces returns the function with which a worker process computes the items that remoteComparer sends.
func openPieces(ctx context.Context, shared []byte) (itemFunc, error) {
	var f choiceShared
	if err := decodeWire(shared, &f); err != nil {
		return nil, err
	}
	set, err := f.Settings.settings()
	if err != nil {
		return nil, err
	}
	set.Workers = 1
	m, err := prepare(ctx, f.X.dense(), f.Labels, &Preparation{Components: f.Components, Data: Data{Standardize: f.Standardize}}, f.Start, 0)
	if err != nil {
		return nil, err
	}
	c, err := newComparison(ctx, m.span, &set)
	if err != nil {
		return nil, err
	}
	return newItemFunc(func(ctx context.Context, p piece) ([][][2]float64, error) {
		losses, err := c.comparePiece(ctx, &p, 1)
		if err != nil {
			return nil, err
		}
		out := make([][][2]float64, len(losses))
		for k, l := range losses {
			for _, v := range l {
				out[k] = append(out[k], [2]float64{v.score, v.error})
			}
		}
		return out, nil
	}), nil
}

// fitTask is the name of the task that makes the fits of a cross-validation in another process.
const fitTask = "wda.crossvalidation"

// validationShared has the data and settings that the fits of a cross-validation share.
type validationShared struct {
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

// fitResult is a foldFit or an error.
type fitResult struct {
	Errors []float64
	Chosen []wireMember
	Err    *wireError
}

// wireMember is a Member in a form that package gob encodes.
type wireMember struct {
	Whitening, Shrinkage, Scale, Method string
	BatchSize                           int // of MiniBatch
	Lambda                              wireLambda
	Leading, Folds                      int
	Loss, Error                         float64
}

func newWireMember(ctx context.Context, m Member) wireMember {
	w := wireMember{
		Whitening: m.Whitening.String(), Shrinkage: m.Shrinkage.String(), Scale: m.Scale.String(),
		Lambda: newWireLambda(ctx, m.Lambda), Leading: m.Leading, Folds: m.Folds, Loss: m.Loss, Error: m.Error,
	}
	w.Method, w.BatchSize = methodText(m.Method)
	return w
}

func (w *wireMember) member() (m Member, err error) {
	m = Member{Leading: w.Leading, Folds: w.Folds, Loss: w.Loss, Error: w.Error}
	var errLambda, errMethod error
	m.Lambda, errLambda = w.Lambda.lambda()
	m.Method, errMethod = parseMethod(w.Method, w.BatchSize)
	return m, errors.Join(errLambda, errMethod, m.Whitening.UnmarshalText([]byte(w.Whitening)),
		m.Shrinkage.UnmarshalText([]byte(w.Shrinkage)), m.Scale.UnmarshalText([]byte(w.Scale)))
}

// fitRemotely makes the fits on an executor.
func (c *CrossValidation) fitRemotely(ctx context.Context, to Executor, x mat.Matrix, labels []int, jobs int) ([]foldFit, error) {
	fit, err := newWireSettings(ctx, c.Fit)
	if err != nil {
		return nil, err
	}
	f := validationShared{X: newWireMatrix(ctx, x), Labels: labels, Fit: fit, Components: c.Components, Neighbors: c.Neighbors, Folds: c.Folds}
	if c.Fit.Validation != nil {
		v := *c.Fit.Validation
		f.HeldOut, v.X = newWireMatrix(ctx, v.X), nil
		f.Validation = &v
	}
	for _, l := range c.Lambda {
		f.Lambda = append(f.Lambda, newWireLambda(ctx, l))
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
	results, err := sendItems[fitResult](ctx, to, fitTask, shared, items, jobs/c.Folds)
	if err != nil {
		return nil, err
	}
	fits := make([]foldFit, jobs)
	for i, r := range results {
		if r.Err != nil {
			return nil, c.wrapError(i, c.combinations(), r.Err.toError())
		}
		fits[i].errors = r.Errors
		for _, w := range r.Chosen {
			m, err := w.member()
			if err != nil {
				return nil, err
			}
			fits[i].chosen = append(fits[i].chosen, m)
		}
		if c.Progress != nil {
			if err := c.Progress(Progress{Done: i + 1, Total: jobs}); err != nil {
				return nil, err
			}
		}
	}
	return fits, nil
}

// openFits returns a function that runs the fits of fitRemotely in a worker process. The fits to one
// fold share prepared data, which are kept until a fit to another fold begins.
func openFits(ctx context.Context, shared []byte) (itemFunc, error) {
	var f validationShared
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
	combinations, by := c.combinations(), c.foldPreparation()
	var mu sync.Mutex
	var at int
	var sh *foldData
	return newItemFunc(func(ctx context.Context, i int) (fitResult, error) {
		of := i / len(combinations)
		mu.Lock()
		if sh == nil || at != of {
			at, sh = of, new(foldData)
		}
		mine := sh
		mu.Unlock()
		fit, err := mine.fitAndClassify(ctx, x, f.Labels, &folds[of], by, &combinations[i%len(combinations)], c.Neighbors)
		if err != nil {
			return fitResult{Err: newWireError(err)}, nil
		}
		out := fitResult{Errors: fit.errors}
		for _, m := range fit.chosen {
			out.Chosen = append(out.Chosen, newWireMember(ctx, m))
		}
		return out, nil
	}), nil
}
