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

// pairTask solves pairs of classes in another process. The process gets Y = X·P, n × p, once,
// and a few numbers for every pair. It returns for every pair the cost and ∂W/∂Y of both
// classes. The sum over the pairs, in their order, and Xᵀ·G are computed here, so that no bit
// depends on where pairs are solved.
const pairTask = "wda.pair"

// farPairs are what pairs share: the projected samples, and how transport is solved.
type farPairs struct {
	P, Iterations     int
	Mode              sinkhorn.GradientMode
	Gradient, Float32 bool
	Frozen            bool // the gradient is that with constant plans
	Offset            []int
	Y                 []byte
}

type farPair struct {
	C, E   int
	Lambda float64
}

type farResult struct {
	Cost   float64
	Status sinkhorn.Status
	Domain sinkhorn.Domain
	DX, DY []byte
	Err    *wireError
}

// farPairSolver solves pairs by an executor.
type farPairSolver[T dist.Float] struct{ to Executor }

// Worth implements PairSolver.
func (f farPairSolver[T]) Worth(multiplications float64) bool { return f.to.Worth(multiplications) }

// SolvePairs implements PairSolver.
func (f farPairSolver[T]) SolvePairs(ctx context.Context, job *discriminant.PairJob[T]) error {
	shared, err := encodeWire(farPairs{
		P: job.Y.Cols, Iterations: job.Iterations, Mode: job.Mode, Gradient: job.Gradient, Float32: !num.IsFloat64[T](), Frozen: job.Frozen, Offset: job.Offset, Y: packed(job.Y.Data),
	})
	if err != nil {
		return err
	}
	items := make([]farPair, job.Len())
	for i := range items {
		items[i].C, items[i].E, items[i].Lambda = job.Pair(i)
	}
	results, err := send[farResult](ctx, f.to, pairTask, shared, items, 1)
	if err != nil {
		return err
	}
	for i, r := range results {
		job.Results[i] = discriminant.PairResult[T]{Cost: r.Cost, Status: r.Status, Domain: r.Domain, Err: r.Err.error(), DX: unpacked[T](r.DX), DY: unpacked[T](r.DY)}
	}
	return nil
}

// openPairs is the other end of farPairSolver.
func openPairs(_ context.Context, shared []byte) (doer, error) {
	var f farPairs
	if err := decodeWire(shared, &f); err != nil {
		return nil, err
	}
	if f.Float32 {
		return pairDoer[float32](&f), nil
	}
	return pairDoer[float64](&f), nil
}

func pairDoer[T dist.Float](f *farPairs) doer {
	job := &discriminant.PairJob[T]{
		Y: dist.NewMatrix(f.Offset[len(f.Offset)-1], f.P, unpacked[T](f.Y)), Offset: f.Offset, Iterations: f.Iterations, Mode: f.Mode,
		Gradient: f.Gradient, Frozen: f.Frozen,
	}
	var idle sync.Pool
	return receive(func(ctx context.Context, q farPair) (farResult, error) {
		w, _ := idle.Get().(*discriminant.PairWorker[T])
		if w == nil {
			var err error
			if w, err = discriminant.NewPairWorker[T](f.Iterations, f.Mode); err != nil {
				return farResult{}, err
			}
		}
		defer idle.Put(w)
		var r discriminant.PairResult[T]
		if w.Solve(ctx, job, q.C, q.E, q.Lambda, &r); r.Err != nil {
			return farResult{Err: wiredError(r.Err)}, nil
		}
		return farResult{Cost: r.Cost, Status: r.Status, Domain: r.Domain, DX: packed(r.DX), DY: packed(r.DY)}, nil
	})
}

// pieceTask makes pieces of a comparison in another process, which makes the comparison anew.
const pieceTask = "wda.candidates"

// farChoice is what the pieces share: all that it takes to make the comparison.
type farChoice struct {
	X           *wireMatrix
	Labels      []int
	Components  int
	Standardize bool
	Start       bool // fits begin at the principal components
	Settings    wireSettings
}

// compareAway returns the comparer by the executor of the settings.
func (m *Prepared) compareAway(set *Settings) comparer {
	var shared []byte
	return func(ctx context.Context, pieces []piece) ([][][]loss, error) {
		if shared == nil {
			s, err := wiredSettings(ctx, *set)
			if err != nil {
				return nil, err
			}
			shared, err = encodeWire(farChoice{
				X: wired(ctx, m.held.trainX), Labels: m.held.trainLabels, Components: m.by.Components, Standardize: m.by.Data.Standardize, Start: m.begins, Settings: s,
			})
			if err != nil {
				return nil, err
			}
		}
		results, err := send[[][][2]float64](ctx, set.Executor, pieceTask, shared, pieces, 1)
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

// openPieces is the other end of compareAway.
func openPieces(ctx context.Context, shared []byte) (doer, error) {
	var f farChoice
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
	return receive(func(ctx context.Context, p piece) ([][][2]float64, error) {
		losses, err := c.do(ctx, &p, 1)
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

// farFit is a foldFit or an error.
type farFit struct {
	Errors []float64
	Chosen []wireMember
	Err    *wireError
}

// wireMember is a Member.
type wireMember struct {
	Whitening, Shrinkage, Scale, Method string
	BatchSize                           int // of MiniBatch
	Lambda                              wireLambda
	Leading, Folds                      int
	Loss, Error                         float64
}

func wiredMember(ctx context.Context, m Member) wireMember {
	w := wireMember{
		Whitening: m.Whitening.String(), Shrinkage: m.Shrinkage.String(), Scale: m.Scale.String(),
		Lambda: wiredLambda(ctx, m.Lambda), Leading: m.Leading, Folds: m.Folds, Loss: m.Loss, Error: m.Error,
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

// away makes the fits by an executor.
func (c *CrossValidation) away(ctx context.Context, to Executor, x mat.Matrix, labels []int, jobs int) ([]foldFit, error) {
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
	results, err := send[farFit](ctx, to, fitTask, shared, items, jobs/c.Folds)
	if err != nil {
		return nil, err
	}
	fits := make([]foldFit, jobs)
	for i, r := range results {
		if r.Err != nil {
			return nil, c.failed(i, c.combinations(), r.Err.error())
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
	return receive(func(ctx context.Context, i int) (farFit, error) {
		of := i / len(combinations)
		mu.Lock()
		if sh == nil || at != of {
			at, sh = of, new(share)
		}
		mine := sh
		mu.Unlock()
		fit, err := mine.fit(ctx, x, f.Labels, &folds[of], by, &combinations[i%len(combinations)], c.Neighbors)
		if err != nil {
			return farFit{Err: wiredError(err)}, nil
		}
		out := farFit{Errors: fit.errors}
		for _, m := range fit.chosen {
			out.Chosen = append(out.Chosen, wiredMember(ctx, m))
		}
		return out, nil
	}), nil
}
