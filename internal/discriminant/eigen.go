package discriminant

import (
	"cmp"
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/subspace"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda/baseline"
	"gonum.org/v1/gonum/mat"
)

// For fixed transport plans T, σ_b² and σ_w² are quadratic in P: σ_b² = tr(PᵀC_bP) and
// σ_w² = tr(PᵀC_wP) with C = XᵀLX. Here L is the Laplacian of the graph whose edges are the entries
// of the plans. Maximizing the ratio trace tr((PᵀC_wP)⁻¹ PᵀC_bP) is an eigenvalue problem, so P and
// T can be updated alternately (H. Liu, Y. Cai, Y.-L. Chen and P. Li, "Ratio trace formulation of
// Wasserstein discriminant analysis", NeurIPS 2020). The trace ratio tr(PᵀC_bP)/tr(PᵀC_wP), which
// is J for fixed plans, can be maximized alternately as well (D. M. Roh, Z. Bai and R.-C. Li,
// arXiv:2211.11891). Neither method needs a derivative, and both methods leave poor local optima
// quickly. The fixed points of both methods are not stationary points of J (wda/SOLVERS.md), so the
// solver Auto uses the ratio trace only to find starting points.

const (
	// eigenSteps is the number of updates of the transport plans and the projection in the search
	// for one starting point.
	eigenSteps = 5
	// eigenSamples is the maximum number of samples used to find a starting point, because the time
	// grows with the number of pairs of samples.
	eigenSamples = 1500
	// eigenClasses is the maximum number of classes used to find a starting point, because the time
	// grows with the number of pairs of classes.
	eigenClasses = 128
	// eigenDense is the number of features up to which the matrices C_b and C_w are always formed.
	eigenDense = 128
	// If there are more than eigenDense features, the search for a starting point makes
	// eigenBlockSteps updates and uses only the first of the eigenRidges. Each update makes at
	// most eigenInner block iterations.
	eigenBlockSteps, eigenInner = 2, 3
)

// eigenRidges are multiples of the mean variance within classes. The search for a starting point
// adds each ridge to the diagonal of C_w in turn. It keeps the best of the resulting points, because
// the point from a single ridge may lead to a poor optimum.
var eigenRidges = []float64{1, 0.1, 0.01}

// eigen is the eigenvalue iteration on all or some of the samples of an objective.
type eigen[T dist.Float] struct {
	o *Objective[T]
	// edges contains the weights of the graph, n × n. A diagonal block belongs to the pair of a
	// class with itself. Any other block belongs to a pair of two classes. The Laplacian within
	// classes is diag(within) minus the diagonal blocks. The Laplacian between classes is
	// diag(between) minus the other blocks.
	edges           *mat.Dense
	between, within []float64 // degrees
	plans           [][]T     // a transport plan for each worker
	variance        float64   // weighted sum of the variances within classes, averaged over the features
	y, z, t         []float64 // X v, L X v, and the transpose of XᵀL X v for a block of vectors v
}

// newEigen prepares the eigenvalue iteration. It uses the given number of classes of o and at most
// limit samples.
func newEigen[T dist.Float](ctx context.Context, o *Objective[T], limit, classes int) (*eigen[T], error) {
	part := o
	chosen := evenlySpaced(len(o.Samples.Classes), classes)
	if s := o.Samples.classSubset(ctx, chosen).WithFewerSamples(ctx, limit); s != o.Samples {
		var err error
		if part, err = newPartObjective(ctx, s, s, o.config); err != nil {
			return nil, err
		}
		// Use λ and the weights of all samples. Scale the ridge so that its ratio to σ_w² is the
		// same as for all samples.
		all := map[[2]int]pair{}
		for _, q := range o.pairs {
			all[[2]int{q.c, q.e}] = q
		}
		for i := range part.pairs {
			q := &part.pairs[i]
			from := all[[2]int{chosen[q.c], chosen[q.e]}]
			q.lambda, q.weight = from.lambda, from.weight
		}
		part.Ridge = o.Ridge * float64(len(chosen)) / float64(len(o.Samples.Classes))
	}
	s := part.Samples
	if err := CheckMemory(EigenNeeds[T](s, o.p, len(part.local.workers))...); err != nil {
		return nil, err
	}
	e := &eigen[T]{
		o: part, edges: mat.NewDense(s.N, s.N, nil),
		between: make([]float64, s.N), within: make([]float64, s.N), plans: make([][]T, len(part.local.workers)),
	}
	for _, q := range part.pairs {
		if q.withinClass() {
			e.variance += 2 * q.weight * s.classVariance(ctx, q.c) / float64(s.D)
		}
	}
	return e, nil
}

// EigenNeeds returns the memory needs of the eigenvalue iteration for p components. They always
// include the graph and a transport plan for every worker. If the matrices C_b and C_w are formed,
// EigenNeeds adds the memory for them and for their eigenvectors. Otherwise it adds the memory for
// block iterations.
func EigenNeeds[T dist.Float](s *Samples, p, workers int) []Need {
	n, d := float64(s.N), float64(s.D)
	needs := []Need{{fmt.Sprintf("the graph of %d samples", s.N), float64(8*n*n) + float64(elementSize[T]()*float64(s.largestPair())*float64(workers))}}
	if formsScatters(s.D, p) {
		return append(needs, Need{fmt.Sprintf("the scatters of %d features and their eigenvectors", s.D), 9 * 8 * d * d})
	}
	return append(needs, Need{fmt.Sprintf("the block iteration for %d of %d features", p, s.D), 16 * 8 * d * float64(p)})
}

// improve replaces p by the leading generalized eigenvectors for the transport plans at p. With many
// features, it makes at most blockSteps block iterations.
func (e *eigen[T]) improve(ctx context.Context, p *mat.Dense, ridge float64, blockSteps int) error {
	if err := e.assembleGraph(ctx, p); err != nil {
		return err
	}
	return e.ratioTrace(ctx, p, ridge, blockSteps)
}

// ratioTrace replaces p by orthonormal columns that maximize the ratio trace for the current
// transport plans.
func (e *eigen[T]) ratioTrace(ctx context.Context, p *mat.Dense, ridge float64, blockSteps int) error {
	v, k := mat.DenseCopyOf(p), e.o.p
	var err error
	if e.formsMatrices() {
		cb, cw := e.scatterMatrices(ctx, ridge)
		v, _, err = subspace.Dense(ctx, cb, cw, k)
	} else {
		_, err = subspace.Leading(ctx, e.betweenOperator(ctx), e.withinOperator(ctx, ridge), v, k, &subspace.Settings{MaxSteps: blockSteps, Tolerance: 1e-4})
	}
	if err != nil {
		return err
	}
	_, err = e.o.Manifold().Orthonormalize(ctx, p, v)
	return err
}

// ratioSteps limits the steps of Dinkelbach's method, which converges quadratically. ratioBlocks is
// the limit for steps that consist of several block iterations.
const ratioSteps, ratioBlocks = 20, 3

// traceRatio replaces p by the maximizer of the trace ratio for the current transport plans. It
// repeatedly replaces p by the leading eigenvectors of C_b − q C_w, where q is the ratio at p, until
// q is stationary (W. Dinkelbach, Management Science 13, 1967; T. T. Ngo, M. Bellalij and Y. Saad,
// SIAM Review 54, 2012).
func (e *eigen[T]) traceRatio(ctx context.Context, p *mat.Dense, ridge float64, inner int) error {
	k := e.o.p
	var cb, cw *mat.Dense
	times, steps := [2]subspace.Operator{e.betweenOperator(ctx), e.withinOperator(ctx, ridge)}, ratioBlocks
	if e.formsMatrices() {
		cb, cw = e.scatterMatrices(ctx, ridge)
		times[0] = func(dst, v *mat.Dense) { dense.Mul(ctx, dst, cb, v) }
		times[1] = func(dst, v *mat.Dense) { dense.Mul(ctx, dst, cw, v) }
		steps = ratioSteps
	}
	d, _ := p.Dims()
	bv, wv := mat.NewDense(d, k, nil), mat.NewDense(d, k, nil)
	ratio := func(v *mat.Dense) float64 {
		times[0](bv, v)
		times[1](wv, v)
		return e.o.Manifold().Inner(v, v, bv) / e.o.Manifold().Inner(v, v, wv)
	}
	q := ratio(p)
	for range steps {
		v := mat.DenseCopyOf(p)
		var err error
		if cb != nil {
			var a mat.Dense
			a.Scale(-q, cw)
			a.Add(cb, &a)
			v, _, err = subspace.Dense(ctx, &a, nil, k)
		} else {
			_, err = subspace.Leading(ctx, func(dst, v *mat.Dense) {
				times[0](dst, v)
				times[1](wv, v)
				for i, w := range wv.RawMatrix().Data {
					dst.RawMatrix().Data[i] -= float64(q * w)
				}
			}, nil, v, k, &subspace.Settings{MaxSteps: inner, Tolerance: 1e-4})
		}
		if err != nil {
			return err
		}
		if _, err := e.o.Manifold().Orthonormalize(ctx, v, v); err != nil {
			return err
		}
		next := ratio(v)
		if !(next > q*(1+1e-14)) {
			break
		}
		p.Copy(v)
		if next < q*(1+1e-12) {
			break
		}
		q = next
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// formsMatrices reports whether the matrices C_b and C_w are formed.
func (e *eigen[T]) formsMatrices() bool { return formsScatters(e.o.Samples.D, e.o.p) }

// formsScatters reports whether to compute the elements of C_b and C_w. If d is large and p is
// small, it is faster to compute only products of C_b and C_w with vectors.
func formsScatters(d, p int) bool { return d <= eigenDense || 3*p > d }

// scatterMatrices returns C_b, and the sum of C_w and a multiple of the identity matrix. The multiple
// depends on ridge.
func (e *eigen[T]) scatterMatrices(ctx context.Context, ridge float64) (cb, cw *mat.Dense) {
	d := e.o.Samples.D
	all := mat.NewDense(d, d, nil)
	for i := range d {
		all.Set(i, i, 1)
	}
	cb, cw = mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	e.betweenOperator(ctx)(cb, all)
	e.withinOperator(ctx, ridge)(cw, all)
	return cb, cw
}

// betweenOperator returns the operator that multiplies by C_b.
func (e *eigen[T]) betweenOperator(ctx context.Context) subspace.Operator {
	return func(dst, v *mat.Dense) { e.multiplyScatter(ctx, dst, v, false, 0) }
}

// withinOperator returns the operator that multiplies by C_w + (ridge·variance + o.Ridge/p)·I.
func (e *eigen[T]) withinOperator(ctx context.Context, ridge float64) subspace.Operator {
	add := float64(ridge*e.variance) + e.o.Ridge/float64(e.o.p)
	return func(dst, v *mat.Dense) { e.multiplyScatter(ctx, dst, v, true, add) }
}

// multiplyScatter sets dst = XᵀL X v + add·v, where L is the Laplacian within or between classes.
func (e *eigen[T]) multiplyScatter(ctx context.Context, dst, v *mat.Dense, within bool, add float64) {
	s := e.o.Samples
	_, k := v.Dims()
	n, d := s.N, s.D
	resize(&e.y, n*k)
	resize(&e.z, n*k)
	resize(&e.t, k*d)
	x, in, edges := dense.View(s.X), dense.View(v), dense.View(e.edges)
	y, z, t := matrix.New(n, k, e.y), matrix.New(n, k, e.z), matrix.New(k, d, e.t)
	e.o.eachPiece(ctx, n, 64, func(i, j int) { matrix.Mul(y.RowRange(i, j), x.RowRange(i, j), in, false) })
	// multiplyBlock multiplies a block of edges (rows i … j−1, columns first … end−1) by rows
	// first … end−1 of y. It stores the product in rows i … j−1 of z, or adds the product to these
	// rows if add is set.
	multiplyBlock := func(i, j, first, end int, add bool) {
		if first < end {
			matrix.Mul(z.RowRange(i, j), edges.RowRange(i, j).ColRange(first, end), y.RowRange(first, end), add)
		}
	}
	degree := e.between
	if within {
		degree = e.within
	}
	for c := range s.Classes {
		lo, hi := s.Offset[c], s.Offset[c+1]
		e.o.eachPiece(ctx, hi-lo, 64, func(i, j int) {
			i, j = lo+i, lo+j
			if within {
				multiplyBlock(i, j, lo, hi, false)
			} else {
				multiplyBlock(i, j, 0, lo, false)
				multiplyBlock(i, j, hi, n, lo > 0)
			}
			for r := i; r < j; r++ {
				z, y := z.Row(r), y.Row(r)
				for l := range z {
					z[l] = float64(degree[r]*y[l]) - z[l]
				}
			}
		})
	}
	e.o.eachPiece(ctx, d, productColumns(n*k), func(i, j int) { matrix.TransMul(t.ColRange(i, j), z, x.ColRange(i, j), false) })
	for i := range d {
		row, vi := dst.RawRowView(i), v.RawRowView(i)
		for j := range row {
			row[j] = t.At(j, i) + float64(add*vi[j])
		}
	}
}

// assembleGraph computes the graph for the transport plans at p. The workers process the pairs of
// classes concurrently, because no two pairs share a block of the graph.
func (e *eigen[T]) assembleGraph(ctx context.Context, p *mat.Dense) error {
	o := e.o
	o.projectSamples(ctx, p)
	errs := make([]error, len(o.pairs))
	o.pool.Each(len(o.local.workers), len(o.pairs), func(w, i int) {
		if err := e.addPair(ctx, o.local.workers[w], o.pairs[i], &e.plans[w]); err != nil {
			errs[i] = o.pairError(ctx, o.pairs[i], err)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	for c := range o.Samples.Classes {
		lo, hi := o.Samples.Offset[c], o.Samples.Offset[c+1]
		for i := lo; i < hi; i++ {
			var own, other float64
			row := e.edges.RawRowView(i)
			for _, w := range row[lo:hi] {
				own += w
			}
			for _, w := range row[:lo] {
				other += w
			}
			for _, w := range row[hi:] {
				other += w
			}
			e.within[i], e.between[i] = own, other
		}
	}
	return nil
}

// addPair solves the transport problem of one pair of classes and stores the weighted transport plan
// as edges in both directions.
func (e *eigen[T]) addPair(ctx context.Context, w *PairWorker[T], q pair, plan *[]T) error {
	o := e.o
	x, y := classRows(o.Samples, o.y, q.c), classRows(o.Samples, o.y, q.e)
	res, err := w.solver.Solve(ctx, &sinkhorn.Problem[T]{X: x, Y: y, Lambda: q.lambda})
	if err != nil {
		return err
	}
	resize(plan, x.Rows*y.Rows)
	t := dist.NewMatrix(x.Rows, y.Rows, *plan)
	if err := res.PlanTo(ctx, t, 0); err != nil {
		return err
	}
	raw, i0, j0 := e.edges.RawMatrix(), o.Samples.Offset[q.c], o.Samples.Offset[q.e]
	for i := range t.Rows {
		row := raw.Data[(i0+i)*raw.Stride+j0:]
		for j, v := range t.Row(i) {
			edge := float64(q.weight * float64(v))
			if q.withinClass() {
				edge += float64(q.weight * float64(t.At(j, i)))
			}
			row[j] = edge
			if !q.withinClass() {
				raw.Data[(j0+j)*raw.Stride+i0+i] = edge
			}
		}
	}
	return nil
}

// searchStart returns the candidate projection with the largest J. The candidates are p0 and the
// results of the eigenvalue iteration from p0. If components is set, the principal components are
// also a candidate, and the eigenvalue iteration begins at the principal components. If the context
// ends, searchStart returns p0 and the context's cause.
func (o *Objective[T]) searchStart(ctx context.Context, p0 *mat.Dense, components bool) (*mat.Dense, error) {
	base := p0
	candidates := []*mat.Dense{p0}
	if components {
		var err error
		if base, err = baseline.Fit(ctx, o.Samples.X, nil, o.p, baseline.PCA{Workers: o.config.Workers}); err != nil {
			return p0, err
		}
		candidates = append(candidates, base)
	}
	e, err := newEigen(ctx, o, eigenSamples, eigenClasses)
	if err != nil {
		return p0, err
	}
	steps, ridges := eigenSteps, eigenRidges
	if o.Samples.D > eigenDense {
		steps, ridges = eigenBlockSteps, eigenRidges[:1]
	}
	// In the first step, all ridges use the same transport plans.
	first := make([]*mat.Dense, len(ridges))
	err = e.assembleGraph(ctx, base)
	for i, ridge := range ridges {
		p := mat.DenseCopyOf(base)
		if err == nil && e.ratioTrace(ctx, p, ridge, eigenInner) == nil {
			first[i] = p
		}
		if ctx.Err() != nil {
			return p0, context.Cause(ctx)
		}
	}
	for i, ridge := range ridges {
		p := first[i]
		for step := 1; p != nil && step < steps; step++ {
			if e.improve(ctx, p, ridge, eigenInner) != nil {
				break // keep the result of the previous step
			}
		}
		if ctx.Err() != nil {
			return p0, context.Cause(ctx)
		}
		if p != nil {
			candidates = append(candidates, p)
		}
	}
	return o.BestOf(ctx, nil, candidates...)
}
