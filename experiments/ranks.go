package experiments

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/picture"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ranksOver ranks the methods on every data set and returns the mean rank of each method. Rank 1 is
// the lowest error. The element errs[method][set] is an error, or NaN if it is missing. Data sets
// with missing errors are skipped. The second result is the number of data sets that are not
// skipped.
func ranksOver(errs [][]float64) (ranks []float64, sets int) {
	ranks = make([]float64, len(errs))
	for s := range errs[0] {
		column := make([]float64, len(errs))
		for i := range errs {
			column[i] = errs[i][s]
		}
		if slices.ContainsFunc(column, math.IsNaN) {
			continue
		}
		sets++
		for i, r := range averageRanks(column) {
			ranks[i] += r
		}
	}
	for i := range ranks {
		ranks[i] /= float64(sets)
	}
	return ranks, sets
}

// friedman returns the p-value of the Friedman test. The methods i = 1 … k have the mean ranks R_i over
// n data sets, and the null hypothesis is that all methods are equally good. The F statistic is from
// R. L. Iman and J. M. Davenport (Comm. Statistics A 9, 1980):
//
//	χ² = 12n/(k(k+1)) (Σ R_i² − k(k+1)²/4),  F = (n−1)χ²/(n(k−1) − χ²)
func friedman(ranks []float64, n int) float64 {
	k, sets := float64(len(ranks)), float64(n)
	square := 0.
	for _, r := range ranks {
		square += r * r
	}
	chi := 12 * sets / (k * (k + 1)) * (square - k*(k+1)*(k+1)/4)
	rest := sets*(k-1) - chi
	if rest <= 0 {
		return 0 // all data sets rank the methods in the same order
	}
	return distuv.F{D1: k - 1, D2: (k - 1) * (sets - 1)}.Survival((sets - 1) * chi / rest)
}

// nemenyi are the quantiles q_0.05 of the studentized range with infinite degrees of
// freedom, divided by √2, for 2, 3, … methods (J. Demšar, "Statistical comparisons of
// classifiers over multiple data sets", JMLR 7, 2006, table 5).
var nemenyi = []float64{1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164}

// criticalDifference returns the critical difference between two mean ranks of k methods over n
// data sets at the significance level 0.05: q √(k(k+1)/(6n)).
func criticalDifference(k, n int) float64 {
	return nemenyi[k-2] * math.Sqrt(float64(k*(k+1))/float64(6*n))
}

// similarGroups returns the largest groups of methods whose mean ranks differ by at most cd. The
// ranks must be sorted. A group has at least two methods and is returned as an index range.
func similarGroups(sorted []float64, cd float64) (groups []interval) {
	end := 0
	for i := range sorted {
		to := i
		for to+1 < len(sorted) && sorted[to+1]-sorted[i] <= cd {
			to++
		}
		if to > i && to > end {
			groups, end = append(groups, interval{i, to}), to
		}
	}
	return groups
}

// interval is a range of indices that includes both ends.
type interval struct{ from, to int }

// drawRanks draws Demšar's critical-difference diagram. The mean ranks are marked on an axis with
// the best rank on the left, and the names are written beside the axis. Bars join methods that do
// not differ significantly.
func drawRanks(c draw.Canvas, names []string, ranks []float64, cd float64) {
	k := len(names)
	order := make([]int, k)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case ranks[a] < ranks[b]:
			return -1
		case ranks[a] > ranks[b]:
			return 1
		}
		return 0
	})
	sorted := make([]float64, k)
	for i, m := range order {
		sorted[i] = ranks[m]
	}
	const margin, step = 110, 16
	left, right, top := c.Min.X+margin, c.Max.X-margin, c.Max.Y-44
	at := func(r float64) vg.Length { return left + vg.Length((r-1)/float64(k-1))*(right-left) }
	thin := draw.LineStyle{Color: picture.Ink, Width: vg.Points(0.8)}
	thick := draw.LineStyle{Color: picture.Ink, Width: vg.Points(3)}
	text := picture.TextStyle(10)
	text.YAlign = draw.YBottom
	middle := text
	middle.XAlign = draw.XCenter
	c.StrokeLine2(thin, left, top, right, top)
	for r := 1; r <= k; r++ {
		x := at(float64(r))
		c.StrokeLine2(thin, x, top, x, top+4)
		c.FillText(middle, vg.Point{X: x, Y: top + 6}, fmt.Sprint(r))
	}
	c.StrokeLine2(thick, left, top+26, at(min(1+cd, float64(k))), top+26)
	c.FillText(text, vg.Point{X: left, Y: top + 30}, fmt.Sprintf("critical difference %.2f", cd))
	groups := similarGroups(sorted, cd)
	for i, g := range groups {
		y := top - 6 - vg.Length(5*i)
		c.StrokeLine2(thick, at(sorted[g.from])-2, y, at(sorted[g.to])+2, y)
	}
	below := top - 14 - vg.Length(5*len(groups))
	half := (k + 1) / 2
	for i, m := range order {
		y, edge, label := below-vg.Length(step*i), left-8, text
		label.XAlign = draw.XRight
		if i >= half {
			y, edge = below-vg.Length(step*(k-1-i)), right+8
			label.XAlign = draw.XLeft
		}
		x := at(ranks[m])
		c.StrokeLine2(thin, x, top, x, y)
		c.StrokeLine2(thin, x, y, edge, y)
		if i < half {
			edge -= 4
		} else {
			edge += 4
		}
		label.YAlign = draw.YCenter
		c.FillText(label, vg.Point{X: edge, Y: y}, fmt.Sprintf("%s %.2f", names[m], ranks[m]))
	}
}
