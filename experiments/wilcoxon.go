package experiments

import (
	"math"
	"slices"
)

// zeros selects how the signed-rank test treats differences of 0.
type zeros uint8

const (
	// dropZeros omits zero differences before ranking (F. Wilcoxon, "Individual comparisons by
	// ranking methods", Biometrics Bulletin 1, 1945).
	dropZeros zeros = iota
	// rankZeros ranks zero differences together with all other differences, but omits the ranks of
	// zero differences from the sum (J. W. Pratt, "Remarks on zeros and ties in the Wilcoxon signed
	// rank procedures", JASA 54, 1959).
	rankZeros
)

// exactDifferences is the largest number of nonzero differences for which the distribution of the
// statistic is enumerated.
const exactDifferences = 25

// signedRank computes Wilcoxon's signed-rank test of paired differences. The differences are ranked
// by absolute value, and equal absolute values get the mean of their ranks. The result plus is the
// sum of the ranks of the positive differences. The result p is the two-sided p-value. Under the
// null hypothesis, every difference is positive or negative with probability ½:
//
//	p = min(1, 2 min(P(S ≤ plus), P(S ≥ plus)))    S = Σ_i r_i b_i,  b_i = 0 or 1
//
// For up to 25 nonzero differences, p is exact: all combinations of signs are counted. For more
// differences, p is computed from the normal distribution with mean Σ r_i/2 and variance Σ r_i²/4.
// This formula corrects for ties and has no continuity correction. If all differences are 0, p is
// 1. The differences must be finite.
func signedRank(differences []float64, z zeros) (plus, p float64) {
	var size []float64
	for _, d := range differences {
		if d != 0 || z == rankZeros {
			size = append(size, math.Abs(d))
		}
	}
	all := averageRanks(size)
	var ranks []float64 // ranks of the nonzero differences
	i := 0
	for _, d := range differences {
		if d == 0 {
			if z == rankZeros {
				i++
			}
			continue
		}
		ranks = append(ranks, all[i])
		if d > 0 {
			plus += all[i]
		}
		i++
	}
	switch {
	case len(ranks) == 0:
		return 0, 1
	case len(ranks) <= exactDifferences:
		return plus, exactSignedRank(ranks, plus)
	}
	mean, variance := 0., 0.
	for _, r := range ranks {
		mean += r / 2
		variance += float64(r*r) / 4
	}
	return plus, math.Erfc(math.Abs(plus-mean) / math.Sqrt(2*variance))
}

// exactSignedRank returns the exact p-value. It counts the subsets of ranks for each possible sum.
// A rank may be a half-integer, so the sums are doubled. All counts are integers up to 2²⁵.
func exactSignedRank(ranks []float64, plus float64) float64 {
	total := 0
	for _, r := range ranks {
		total += int(2 * r)
	}
	count := make([]int, total+1) // count[s] is the number of subsets of ranks with the sum s/2
	count[0] = 1
	reached := 0
	for _, r := range ranks {
		step := int(2 * r)
		for s := reached; s >= 0; s-- {
			count[s+step] += count[s]
		}
		reached += step
	}
	at := int(2 * plus)
	below, above := 0, 0
	for s, c := range count {
		if s <= at {
			below += c
		}
		if s >= at {
			above += c
		}
	}
	return min(1, 2*float64(min(below, above))/math.Exp2(float64(len(ranks))))
}

// averageRanks returns the rank of every value, starting at 1 for the smallest. Equal values have the
// mean of their ranks. A NaN has rank NaN and does not affect other ranks.
func averageRanks(values []float64) []float64 {
	order := make([]int, 0, len(values))
	ranks := make([]float64, len(values))
	for i, v := range values {
		if math.IsNaN(v) {
			ranks[i] = v
			continue
		}
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return ranks
}
