package wda

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/knn"
)

const (
	// leastGain is the share of the loss by which fewer components must be better than all, and
	// tie the number of standard errors of a difference within which the fewest are taken.
	leastGain, tie = 0.05, 0.5
	// outOfQuestion is how many times the loss with all components puts a number of them,
	// and all smaller ones, out of the question: what tells classes apart is lost.
	outOfQuestion = 2
	// choiceNeighbors is the largest K, leastNeighbors the smallest.
	choiceNeighbors, leastNeighbors = 5, 3
)

// loss is how a candidate does on the rows held out of a fold: score, by which candidates are
// compared, is the Brier score plus the share of errors. The Brier score alone prefers votes
// that are sure of the rows that any candidate classifies rightly; the errors alone are too
// coarse for few rows.
type loss struct{ score, error float64 }

// judge returns the loss of K nearest neighbors among the points, by votes that fall from 1 to 1/2
// with the squared distance relative to that of the last. What K lacks of choiceNeighbors is
// shared by all classes.
func judge(ctx context.Context, search *knn.Search[float64], points *knn.Points[float64], y dist.Matrix[float64], actual []int, k int) (loss, error) {
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
		return out, fmt.Errorf("wda: distances overflow: %w", ErrNotFinite)
	}
	return out, nil
}

// average sets the losses of the candidates to their means, for the number of components
// whose mean is least: fewer than all only where these are worse by leastGain of their
// loss and by twice the standard error of the difference over the folds. Of numbers that are
// worse by less than half a standard error the smallest is taken: what cannot be told apart
// had better have fewer directions to fit noise with. A candidate that could not be fitted
// somewhere is the worst.
func average(list []Member, counts []int, losses [][][]loss) {
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
			if k > 0 && means[k].score < means[best].score && gain > max(float64(leastGain*means[0].score), 2*noise(losses, i, 0, k)) {
				best = k
			}
		}
		least := best
		for k := least + 1; k < len(counts); k++ {
			if worse := means[k].score - means[least].score; worse <= 0 || worse <= float64(tie*noise(losses, i, least, k)) {
				best = k
			}
		}
		c.Loss, c.Error, c.Leading = means[best].score, means[best].error, counts[best]
	}
}

// noise returns the standard error over the folds of the difference of the losses of candidate
// i with numbers k and l of components, 0 if one of them is infinite.
func noise(losses [][][]loss, i, k, l int) float64 {
	var n, sum, square float64
	for _, of := range losses {
		if of[i] != nil {
			d := of[i][k].score - of[i][l].score
			if math.IsInf(d, 0) || math.IsNaN(d) {
				return 0
			}
			n, sum, square = n+1, sum+d, square+float64(d*d)
		}
	}
	mean := sum / n
	return math.Sqrt(max(square/n-float64(mean*mean), 0) / max(n-1, 1))
}

// promisingNumbers is how many numbers of components are looked at besides all.
const promisingNumbers = 3

// promising returns which numbers of components candidate at is fitted to: all, and those whose
// first components of the fit to all have the lowest losses.
func promising(losses [][][]loss, at, numbers int) []bool {
	sums, order := make([]float64, numbers), make([]int, 0, numbers)
	for k := range numbers {
		for _, l := range losses {
			if l[at] != nil {
				sums[k] += l[at][k].score
			}
		}
		if k > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(sums[i], sums[j]) })
	out := make([]bool, numbers)
	out[0] = true
	for _, k := range order[:min(promisingNumbers, len(order))] {
		out[k] = true
	}
	return out
}

// tooFew reports whether the loss with number k of the components puts that and all that
// follow, which are smaller, out of the question, and says so there.
func tooFew(of []loss, k int) bool {
	if !(of[k].score > float64(outOfQuestion*of[0].score)) {
		return false
	}
	for ; k < len(of); k++ {
		of[k] = loss{math.Inf(1), 1}
	}
	return true
}

// stillBetter leaves in numbers those of the counts that may yet be better than the first,
// within twice the standard error of the difference over the folds so far, and reports whether
// there are any.
func stillBetter(counts []int, losses [][][]loss, numbers []bool) bool {
	any := false
	for k := range counts[1:] {
		k++
		var all, gain, square, n float64
		for _, l := range losses {
			if l := l[0]; l != nil {
				g := l[0].score - l[k].score
				all, gain, square, n = all+l[0].score, gain+g, square+float64(g*g), n+1
			}
		}
		margin := float64(2 * leastGain * all) // of one fold
		if n > 1 {
			margin = float64(2 * math.Sqrt(max(square-gain*gain/n, 0)*n/(n-1)))
		}
		numbers[k] = numbers[k] && gain+margin > 0
		any = any || numbers[k]
	}
	return any
}

// leaveBehind keeps the best of the candidates alive, this share of those that are.
func leaveBehind(list []Member, alive []bool, share float64) {
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
