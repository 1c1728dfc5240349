package wda

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/matrix"
)

// linearShrinkage is the intensity with which the covariance of projected samples is shrunk
// towards its diagonal before it is inverted for UseLinear.
const linearShrinkage = 0.05

// judgeMeans returns the loss of normal classes with their means among x and one covariance:
// that within classes for UseLinear, with shares of the classes as they are among x; a multiple
// of I for UseCentroid, with equal shares. The first are the posteriors of linear discriminant
// analysis, the second choose the nearest mean. x and y are overwritten.
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
	var out loss
	for i, label := range actual {
		row := distances.Row(i)
		for c, d := range row {
			if row[c] = -d / 2; use == UseLinear {
				row[c] += num.Log(counts[c] / float64(n))
			}
		}
		best := slices.Max(row)
		chosen := slices.Index(row, best)
		for c := range row {
			row[c] -= best
		}
		matrix.Exp(row, row)
		var sum, brier float64
		for _, v := range row {
			sum += v
		}
		for c, v := range row {
			if v /= sum; classes[c] == label {
				v = 1 - v
			}
			brier += float64(v * v)
		}
		if out.score += brier; classes[chosen] != label {
			out.error++
		}
	}
	out.error /= float64(len(actual))
	out.score = out.score/float64(len(actual)) + out.error
	if out.score-out.score != 0 {
		return out, fmt.Errorf("wda: distances overflow: %w", ErrNotFinite)
	}
	return out, nil
}
