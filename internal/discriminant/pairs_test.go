package discriminant

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// perClass is the approximate number of partners of a class.
const perClass = 32

// allPairs returns all pairs of the given number of classes with weight 2.
func allPairs(classes int) []pair {
	var out []pair
	for c := range classes {
		for e := c; e < classes; e++ {
			out = append(out, pair{c: c, e: e, weight: 2})
		}
	}
	return out
}

// someOf returns the pairs that SamplePairs keeps.
func someOf(all []pair, classes int, seed uint64) []pair {
	o := &Objective[float64]{Samples: &Samples{Classes: make([]int, classes)}, pairs: all}
	o.SamplePairs(perClass, rand.New(rand.NewPCG(seed, 1)))
	return o.pairs
}

func TestSomePairs(t *testing.T) {
	for _, classes := range []int{2, 3, 32, 33} {
		if all := allPairs(classes); len(someOf(all, classes, 7)) != len(all) {
			t.Errorf("%d classes: pairs are left out", classes)
		}
	}
	for _, classes := range []int{34, 35, 77, 150, 256} {
		some := someOf(allPairs(classes), classes, 7)
		others, own := make([]int, classes), make([]float64, classes)
		var between float64
		for _, q := range some {
			if q.withinClass() {
				own[q.c] += q.weight
				continue
			}
			between += q.weight
			others[q.c]++
			others[q.e]++
		}
		if want := float64(classes * (classes - 1)); math.Abs(between/want-1) > 1e-12 {
			t.Errorf("%d classes: pairs of two classes weigh %v, want %v", classes, between, want)
		}
		for c, n := range others {
			if n < perClass-1 || n > perClass || n != others[0] {
				t.Errorf("%d classes: class %d is in pairs with %d others, class 0 with %d", classes, c, n, others[0])
			}
			if own[c] != 2 {
				t.Errorf("%d classes: the pair of class %d with itself weighs %v, want 2", classes, c, own[c])
			}
		}
	}
}

// TestSomePairsEstimate checks that the weighted sum over the sampled pairs estimates the sum over
// all pairs. The terms are squared differences of class means, in one dimension at a time.
func TestSomePairsEstimate(t *testing.T) {
	const classes, dims, ordered = 150, 6, 5
	rng := rand.New(rand.NewPCG(1, 2))
	var means [classes][dims]float64
	for c := range means {
		for k := range means[c] {
			means[c][k] = rng.NormFloat64()
		}
		means[c][ordered] = float64(c) // classes with adjacent labels are similar
	}
	all := allPairs(classes)
	for seed := range uint64(4) {
		some := someOf(all, classes, seed)
		if next := someOf(all, classes, seed+1); slices.Equal(next, some) {
			t.Errorf("seeds %d and %d: the same pairs", seed, seed+1)
		}
		for k := range dims {
			sum := func(pairs []pair) (s float64) {
				for _, q := range pairs {
					d := means[q.c][k] - means[q.e][k]
					s += float64(q.weight * float64(d*d))
				}
				return s
			}
			// If the 2400 pairs were chosen independently, the sum would have a standard error of
			// 3 %. In dimension 5 (ordered), the terms depend only on the difference of the class
			// numbers. Only 16 of 75 differences are chosen, so the standard error is 10 %.
			within := 0.12
			if k == ordered {
				within = 0.35
			}
			if ratio := sum(some) / sum(all); math.Abs(ratio-1) > within {
				t.Errorf("seed %d, direction %d: the estimate is %.3f times the sum", seed, k, ratio)
			}
		}
	}
}
