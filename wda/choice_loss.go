package wda

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/matrix"
)

const (
	// A smaller number of components is chosen only if its loss is lower than the loss with all
	// components by more than the fraction minGain. Two numbers of components count as equally good
	// if their losses differ by at most tieErrors standard errors.
	minGain, tieErrors = 0.05, 0.5
	// If the loss with some number of components exceeds hopelessFactor times the loss with all
	// components, smaller numbers are not tried.
	hopelessFactor = 2
	// K, the number of neighbors that vote, is choiceNeighbors, or leastNeighbors if classes are small.
	choiceNeighbors, leastNeighbors = 5, 3
)

// loss is the loss of a candidate on the held-out rows of one fold. Candidates are compared by
// score, the Brier score plus the error rate. The Brier score alone would favor candidates whose
// votes are closer to unanimous on rows that every candidate classifies correctly. The error rate
// alone is too coarse if there are few rows.
type loss struct{ score, error float64 }

// neighborLoss classifies the rows of y by their k nearest neighbors among points, and returns the
// loss. The true labels of the rows are in actual. A neighbor has the weight 1/(1 + q), where q is its
// squared distance divided by the largest of the k squared distances. If k is less than
// choiceNeighbors, the missing votes are divided equally among all classes.
func neighborLoss(ctx context.Context, search *knn.Search[float64], points *knn.Points[float64], y dist.Matrix[float64], actual []int, k int) (loss, error) {
	if err := search.Nearest(ctx, points, y, k); err != nil {
		return loss{}, err
	}
	var out loss
	var brier float64
	votes, weights := make([]int, len(points.Labels())), make([]float64, len(points.Labels()))
	for i, label := range actual {
		rows, distances := search.Near(i)
		clear(weights)
		last, total := distances[len(distances)-1], 0.
		for j, r := range rows {
			w := 1.
			if last > 0 {
				w = 1 / (1 + distances[j]/last)
			}
			weights[points.Class(r)] += w
			total += w
		}
		missing := float64(max(0, choiceNeighbors-len(rows)))
		for c, w := range weights {
			w = (w + missing/float64(len(weights))) / (total + missing)
			if points.Labels()[c] == label {
				w = 1 - w
			}
			brier += float64(w * w)
		}
		if points.Labels()[points.Vote(votes, rows)] != label {
			out.error++
		}
	}
	n := float64(len(actual))
	out.error /= n
	out.score = brier/n + out.error
	if out.score-out.score != 0 {
		return out, fmt.Errorf("distances overflow: %w", ErrNotFinite)
	}
	return out, nil
}

// averageLosses chooses the number of components of each candidate and stores it in Leading. The loss
// of the candidate is the mean, over the folds, of its losses with Leading components.
//
// averageLosses chooses fewer than all components only if they reduce the loss by more than the
// fraction minGain and by more than two standard errors of the difference. Among the numbers whose
// loss is within tieErrors standard errors of the lowest loss, it chooses the smallest number,
// because fewer directions fit less noise. A candidate that was fitted to no fold has an infinite
// loss.
func averageLosses(list []Member, counts []int, losses [][][]loss) {
	for i := range list {
		c := &list[i]
		c.Loss, c.Error, c.Folds, c.Leading = math.Inf(1), 1, 0, counts[0]
		for _, l := range losses {
			if l[i] != nil {
				c.Folds++
			}
		}
		if c.Folds == 0 {
			continue
		}
		means := make([]loss, len(counts))
		for k := range counts {
			for _, l := range losses {
				if l[i] != nil {
					means[k].score += l[i][k].score / float64(c.Folds)
					means[k].error += l[i][k].error / float64(c.Folds)
				}
			}
		}
		best := 0
		for k := range counts {
			gain := means[0].score - means[k].score
			if k > 0 && means[k].score < means[best].score && gain > max(float64(minGain*means[0].score), 2*countDifferenceError(losses, i, 0, k)) {
				best = k
			}
		}
		least := best
		for k := least + 1; k < len(counts); k++ {
			if worse := means[k].score - means[least].score; worse <= 0 || worse <= float64(tieErrors*countDifferenceError(losses, i, least, k)) {
				best = k
			}
		}
		c.Loss, c.Error, c.Leading = means[best].score, means[best].error, counts[best]
	}
}

// countDifferenceError returns the standard error, over the folds, of the difference between the
// losses of candidate i with two numbers of components. The two numbers have the indices k and l.
// The result is 0 if a loss is infinite.
func countDifferenceError(losses [][][]loss, i, k, l int) float64 {
	var all pairedDifferences
	for _, of := range losses {
		if of[i] != nil {
			d := of[i][k].score - of[i][l].score
			if math.IsInf(d, 0) || math.IsNaN(d) {
				return 0
			}
			all.add(d)
		}
	}
	return all.standardError()
}

// pairedDifferences accumulates the mean and the standard error of differences.
type pairedDifferences struct{ n, sum, square float64 }

func (s *pairedDifferences) add(d float64) {
	s.n, s.sum, s.square = s.n+1, s.sum+d, s.square+float64(d*d)
}

// standardError returns the standard error of the mean difference, or 0 for fewer than two
// differences.
func (s *pairedDifferences) standardError() float64 {
	if s.n < 2 {
		return 0
	}
	return math.Sqrt(max(s.square-float64(s.sum*s.sum)/s.n, 0) / (s.n * (s.n - 1)))
}

// maxPromising is the largest number of component counts that are tried in addition to all components.
const maxPromising = 3

// promisingCounts reports, for each number of components, whether to fit the candidate with this
// number. It selects the largest number, and the maxPromising other numbers with the lowest losses.
// The loss of a number k is the loss of the first k components in the fit with all components.
func promisingCounts(losses [][][]loss, candidate, numbers int) []bool {
	sums, order := make([]float64, numbers), make([]int, 0, numbers)
	for k := range numbers {
		for _, l := range losses {
			if l[candidate] != nil {
				sums[k] += l[candidate][k].score
			}
		}
		if k > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(sums[i], sums[j]) })
	out := make([]bool, numbers)
	out[0] = true
	for _, k := range order[:min(maxPromising, len(order))] {
		out[k] = true
	}
	return out
}

// discardSmallerCounts reports whether the score of losses[k] exceeds hopelessFactor times the score of
// losses[0]. If so, it sets losses[k] and all later losses to infinity. losses[0] is the loss with
// all components. Each following loss is a loss with fewer components.
func discardSmallerCounts(losses []loss, k int) bool {
	if !(losses[k].score > float64(hopelessFactor*losses[0].score)) {
		return false
	}
	for ; k < len(losses); k++ {
		losses[k] = loss{math.Inf(1), 1}
	}
	return true
}

// keepBetterCounts sets numbers[k] to false if the loss with counts[k] components is too large. The
// loss is too large if it exceeds the loss with all components by at least two standard errors of
// the difference over the folds so far. keepBetterCounts reports whether any element of numbers
// after the first is still true.
func keepBetterCounts(counts []int, losses [][][]loss, numbers []bool) bool {
	any := false
	for k := range counts[1:] {
		k++
		var all float64
		var gains pairedDifferences
		for _, l := range losses {
			if l := l[0]; l != nil {
				all += l[0].score
				gains.add(l[0].score - l[k].score)
			}
		}
		margin := float64(2 * minGain * all) // used for a single fold, which has no standard error
		if gains.n > 1 {
			margin = float64(2 * gains.n * gains.standardError())
		}
		numbers[k] = numbers[k] && gains.sum+margin > 0
		any = any || numbers[k]
	}
	return any
}

// eliminate keeps the given share of the candidates that have not been eliminated. It keeps the
// candidates with the lowest losses, and sets alive to false for the other candidates.
func eliminate(list []Member, alive []bool, share float64) {
	var order []int
	for i := range list {
		if alive[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(list[i].Loss, list[j].Loss) })
	for _, i := range order[int(math.Ceil(share*float64(len(order)))):] {
		alive[i] = false
	}
}

// linearShrinkage is the intensity with which UseLinear shrinks the covariance of projected samples
// toward its diagonal.
const linearShrinkage = 0.05

// maxDistanceScalings is the maximum number of times that gaussianLoss divides squared distances by √2.
//
// gaussianLoss uses the covariance of the projected training rows. If there are few training rows, this
// covariance is too small for held-out rows, because the projection was fitted to the training rows. The
// posteriors are then too close to 0 and 1, and a good candidate may have a larger Brier score than a
// candidate that does not separate the classes. Therefore gaussianLoss repeatedly divides the squared
// distances by √2, until the loss no longer falls.
const maxDistanceScalings = 12

// gaussianLoss classifies the rows of y by normal distributions with one common covariance, and
// returns the loss. The true labels of the rows are in actual. The class means are the means of x.
// With UseLinear, the covariance is the shrunken covariance of x within classes, and the priors are
// the class frequencies in x, as in linear discriminant analysis. With UseCentroid, the covariance
// is a multiple of I and the priors are equal, so the nearest mean wins. The squared distances are
// multiplied by the best of several factors (see maxDistanceScalings). x and y are overwritten.
func gaussianLoss(ctx context.Context, x dist.Matrix[float64], labels []int, y dist.Matrix[float64], actual []int, use Use) (loss, error) {
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
		return loss{}, fault.Ended(ctx, fmt.Errorf("%w within classes", ErrNoSpread))
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
	// Multiply the squared distances by 1, 1/√2, 1/2, … until the loss no longer falls.
	best, row := loss{score: math.Inf(1)}, make([]float64, len(classes))
	for k, factor := 0, 0.5; k <= maxDistanceScalings; k, factor = k+1, factor*math.Sqrt2/2 {
		var out loss
		for i, label := range actual {
			out.addRow(row, distances.Row(i), counts, factor, slices.Index(classes, label))
		}
		out.error /= float64(len(actual))
		out.score = out.score/float64(len(actual)) + out.error
		if out.score-out.score != 0 {
			return out, fmt.Errorf("distances overflow: %w", ErrNotFinite)
		}
		if !(out.score < best.score) {
			break
		}
		best = out
	}
	return best, nil
}

// addRow adds the Brier score and the error of one row, whose class has the index label. priors
// contains the logarithms of the prior probabilities. addRow sets row to the posteriors, which are
// proportional to exp(priors − factor·distances).
func (l *loss) addRow(row, distances, priors []float64, factor float64, label int) {
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
