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
	// leastGain is the share of the loss by which fewer components must be better than all.
	leastGain = 0.05
	// outOfQuestion is how many times the loss with all components puts a number of them,
	// and all smaller ones, out of the question: what tells classes apart is lost.
	outOfQuestion = 2
	// choiceNeighbors is the largest K, leastNeighbors the smallest.
	choiceNeighbors, leastNeighbors = 5, 3
)

// loss is how a candidate does on the rows held out of a fold.
type loss struct{ brier, error float64 }

// judge returns the loss of K nearest neighbors among x, by votes that fall from 1 to 1/2
// with the squared distance relative to that of the last. What K lacks of choiceNeighbors is
// shared by all classes.
func judge(ctx context.Context, search *knn.Search[float64], x dist.Matrix[float64], labels []int, y dist.Matrix[float64], actual []int, k int) (loss, error) {
	points := knn.New(x, labels)
	if err := search.Nearest(ctx, points, y, k); err != nil {
		return loss{}, err
	}
	var out loss
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
			c, _ := slices.BinarySearch(points.Labels(), points.Label(r))
			weights[c] += w
			total += w
		}
		missing := float64(max(0, choiceNeighbors-len(rows)))
		for c, w := range weights {
			w = (w + missing/float64(len(weights))) / (total + missing)
			if points.Labels()[c] == label {
				w = 1 - w
			}
			out.brier += float64(w * w)
		}
		if points.Labels()[points.Vote(votes, rows)] != label {
			out.error++
		}
	}
	n := float64(len(actual))
	out.brier /= n
	out.error /= n
	if out.brier-out.brier != 0 {
		return out, fmt.Errorf("wda: distances overflow: %w", ErrNotFinite)
	}
	return out, nil
}

// average sets the losses of the candidates to their means, for the number of components
// whose mean is least: fewer than all only where these are worse by leastGain of their
// loss and by twice the standard error of the difference over the folds. A candidate that
// could not be fitted somewhere is the worst.
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
		n := float64(c.Folds)
		var all loss
		for k, q := range counts {
			var sum loss
			var square float64 // of the gains
			for _, l := range losses {
				if l[i] != nil {
					sum.brier += l[i][k].brier / n
					sum.error += l[i][k].error / n
					gain := l[i][0].brier - l[i][k].brier
					square += float64(gain * gain)
				}
			}
			if k == 0 {
				all = sum
			}
			if math.IsInf(sum.brier, 1) {
				continue
			}
			gain := all.brier - sum.brier
			noise := math.Sqrt(max(square/n-float64(gain*gain), 0) / max(n-1, 1))
			if k == 0 || sum.brier < c.Loss && gain > max(float64(leastGain*all.brier), 2*noise) {
				c.Loss, c.Error, c.Leading = sum.brier, sum.error, q
			}
		}
	}
}

// tooFew reports whether the loss with number k of the components puts that and all that
// follow, which are smaller, out of the question, and says so there.
func tooFew(of []loss, k int) bool {
	if !(of[k].brier > float64(outOfQuestion*of[0].brier)) {
		return false
	}
	for ; k < len(of); k++ {
		of[k] = loss{math.Inf(1), 1}
	}
	return true
}

// stillBetter leaves in numbers those of the counts that may yet be better than the first, by
// leastGain of its loss, within twice the standard error of the difference over the folds so far,
// and reports whether there are any.
func stillBetter(counts []int, losses [][][]loss, numbers []bool) bool {
	any := false
	for k := range counts[1:] {
		k++
		var all, gain, square, n float64
		for _, l := range losses {
			if l := l[0]; l != nil {
				g := l[0].brier - l[k].brier
				all, gain, square, n = all+l[0].brier, gain+g, square+float64(g*g), n+1
			}
		}
		margin := float64(2 * leastGain * all) // of one fold
		if n > 1 {
			margin = float64(2 * math.Sqrt(max(square-gain*gain/n, 0)*n/(n-1)))
		}
		numbers[k] = numbers[k] && gain+margin > float64(leastGain*all)
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
