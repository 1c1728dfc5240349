package wda

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/matrix"
)

// linearShrinkage is the intensity with which the covariance of projected samples is shrunk
// towards its diagonal before it is inverted for UseLinear.
const linearShrinkage = 0.05

// coolings is the largest number of times that squared distances are divided by √2.
//
// The covariance is that of rows which the projection was fitted to. If these are few, it is too small
// for other rows. The posteriors are then too sure, and a candidate that separates the classes well has
// a larger Brier score than one that tells nothing. What is to follow is fitted to the projected rows and
// does not take over this covariance. Therefore one factor is chosen for all distances, for every
// candidate and fold.
const coolings = 12

// judgeMeans returns the loss of normal classes with their means among x and one covariance:
// that within classes for UseLinear, with shares of the classes as they are among x; a multiple
// of I for UseCentroid, with equal shares. The first are the posteriors of linear discriminant
// analysis, the second choose the nearest mean. Of several factors for the covariance the best counts.
// x and y are overwritten.
func judgeMeans(ctx context.Context, x dist.Matrix[float64], labels []int, y dist.Matrix[float64], actual []int, use Use) (loss, error) {
	n, p := x.Rows, x.Cols
	classes := slices.Compact(slices.Sorted(slices.Values(labels)))
	at, counts := make([]int, n), make([]float64, len(classes))
	means := matrix.New[float64](len(classes), p, nil)
	for i, l := range labels {
		c, _ := slices.BinarySearch(classes, l)
		at[i] = c
		counts[c]++
		for j, v := range x.Row(i) {
			means.Row(c)[j] += v
		}
	}
	for c, count := range counts {
		for j := range means.Row(c) {
			means.Row(c)[j] /= count
		}
	}
	for i, c := range at {
		for j, m := range means.Row(c) {
			x.Row(i)[j] -= m
		}
	}
	within := matrix.New[float64](p, p, nil)
	matrix.TransMul(within, x, x, false)
	if ctx.Err() != nil {
		return loss{}, context.Cause(ctx)
	}
	var mean float64
	for j := range p {
		mean += within.At(j, j) / float64(n*p)
	}
	for i := range p {
		row := within.Row(i)
		own := mean
		if use == UseLinear {
			own = row[i] / float64(n)
		}
		for j := range row {
			if row[j] *= (1 - linearShrinkage) / float64(n); use == UseCentroid {
				row[j] = 0
			}
		}
		row[i] = own
	}
	l, ok := algebra.NewCholesky(ctx, within)
	if !ok {
		return loss{}, ended(ctx, fmt.Errorf("%w within classes", ErrNoSpread))
	}
	for _, m := range []dist.Matrix[float64]{means, y} {
		if err := l.SolveRows(ctx, m); err != nil {
			return loss{}, err
		}
	}
	distances := matrix.New[float64](y.Rows, len(classes), nil)
	dist.SqEuclidean(distances, y, means)
	for j := range counts {
		if counts[j] = num.Log(counts[j] / float64(n)); use == UseCentroid {
			counts[j] = 0
		}
	}
	// Of the factors 1, 1/√2, 1/2, …, the first after which the loss no longer falls.
	best, row := loss{score: math.Inf(1)}, make([]float64, len(classes))
	for k, factor := 0, 0.5; k <= coolings; k, factor = k+1, factor*math.Sqrt2/2 {
		var out loss
		for i, label := range actual {
			out.add(row, distances.Row(i), counts, factor, slices.Index(classes, label))
		}
		out.error /= float64(len(actual))
		out.score = out.score/float64(len(actual)) + out.error
		if out.score-out.score != 0 {
			return out, fmt.Errorf("wda: distances overflow: %w", ErrNotFinite)
		}
		if !(out.score < best.score) {
			break
		}
		best = out
	}
	return best, nil
}

// add adds the Brier score and the error of a row of class label, by posteriors proportional to
// exp(priors − factor·distances). row is overwritten by them.
func (l *loss) add(row, distances, priors []float64, factor float64, label int) {
	for c, d := range distances {
		row[c] = priors[c] - float64(factor*d)
	}
	best := slices.Max(row)
	if slices.Index(row, best) != label {
		l.error++
	}
	for c := range row {
		row[c] -= best
	}
	matrix.Exp(row, row)
	var sum float64
	for _, v := range row {
		sum += v
	}
	for c, v := range row {
		if v /= sum; c == label {
			v = 1 - v
		}
		l.score += float64(v * v)
	}
}
