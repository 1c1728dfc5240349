package emd

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/ending"
)

// TestSortSamples compares the sorted keys and indices with the result of a stable sort. The samples cover all three
// methods: insertion sort, sorting by cells, and radix passes.
func TestSortSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draws := map[string]func() float64{
		"normal":       rng.NormFloat64,
		"whole":        func() float64 { return float64(rng.IntN(9)) },
		"heavy tails":  func() float64 { return 1 / (rng.Float64() - 0.5) },
		"one far away": func() float64 { return rng.Float64() + math.Floor(rng.Float64()+0.001)*1e300 },
		"narrow":       func() float64 { return 1 + rng.Float64()*0x1p-40 },
		"overflow":     func() float64 { return (rng.Float64() - 0.5) * 2 * math.MaxFloat64 },
		"subnormal":    func() float64 { return float64(rng.IntN(5)-2) * math.SmallestNonzeroFloat64 },
		"zeros":        func() float64 { return math.Copysign(0, rng.Float64()-0.5) },
		"equal":        func() float64 { return 3 },
		"any bits": func() float64 {
			for {
				if x := math.Float64frombits(rng.Uint64()); x-x == 0 {
					return x
				}
			}
		},
	}
	for name, draw := range draws {
		var s sorter
		for _, n := range []int{1, 2, maxInsertion, maxInsertion + 1, 100, 1000, samplesPerCheck + 1} {
			z := make([]float64, n)
			for i := range z {
				z[i] = draw()
			}
			checkSort(t, name, &s, z)
		}
	}
	// A thousand samples between 0 and 65535 are sorted into 65536 cells, one for each integer.
	var s sorter
	for first := 1; first < 65535; first += 998 {
		z := []float64{65535, 0}
		for len(z) < 1000 {
			z = append(z, float64(min(first+len(z)-2, 65535)))
		}
		rng.Shuffle(len(z), func(i, j int) { z[i], z[j] = z[j], z[i] })
		checkSort(t, "every cell", &s, z)
	}
}

// checkSort compares the sorted keys and indices of z with the result of a stable sort.
func checkSort(t *testing.T, name string, s *sorter, z []float64) {
	t.Helper()
	want := make([]int32, len(z))
	for i := range want {
		want[i] = int32(i)
	}
	slices.SortStableFunc(want, func(i, j int32) int { return cmp.Compare(keyOf(z[i]), keyOf(z[j])) })
	for _, withPlaces := range []bool{false, true} {
		keys, places, err := sortSamples(t.Context(), s, z, withPlaces)
		if err != nil {
			t.Fatal(err)
		}
		if withPlaces != (places != nil) || withPlaces && !slices.Equal(places, want) {
			t.Errorf("%s, n = %d: wrong places", name, len(z))
		}
		for i, key := range keys {
			if math.Float64bits(valueOf(key)) != math.Float64bits(z[want[i]]) {
				t.Fatalf("%s, n = %d: element %d is %v, want %v", name, len(z), i, valueOf(key), z[want[i]])
			}
		}
	}
}

// TestSortEnds checks that every pass checks the context once per samplesPerCheck samples. If the context has ended at any of
// these checks, the sort must stop.
func TestSortEnds(t *testing.T) {
	const pieces = 2
	rng := rand.New(rand.NewPCG(1, 3))
	samples := func(draw func() float64) func(context.Context) error {
		z := make([]float64, (pieces-1)*samplesPerCheck+2)
		for i := range z {
			z[i] = draw()
		}
		z[0], z[1] = -2, 1e300 // if the other samples are small, most cells between them and 1e300 are empty
		return func(ctx context.Context) error {
			_, _, err := sortSamples(ctx, new(sorter), z, true)
			return err
		}
	}
	reversed := func(ctx context.Context) error {
		s := sorter{keys: make([]uint64, 3000)}
		for i := range s.keys {
			s.keys[i] = uint64(-i)
		}
		_, err := s.insertionSort(ctx, 3000*3000)
		return err
	}
	for name, c := range map[string]struct {
		sort   func(context.Context) error
		checks int
	}{
		// The context is checked in five passes: making keys, counting, two cell passes, and insertion.
		"cells": {samples(func() float64 { return rng.Float64() * 1e300 }), 5 * pieces},
		// The first insertion sort soon exceeds its limit of moves. A counting pass, three passes over
		// the keys and an insertion sort follow.
		"upper bits": {samples(rng.Float64), 4*pieces + 1 + 4*pieces + pieces},
		// Both insertion sorts soon exceed their limit of moves. A counting pass and six passes over the keys follow.
		"all bits": {samples(func() float64 { return 1 + rng.Float64()*0x1p-30 }), 4*pieces + 1 + 4*pieces + 1 + 7*pieces},
		"moves":    {reversed, 1 + 3000*2999/2/movesPerCheck},
	} {
		all := ending.At(0)
		if err := c.sort(all); err != nil || all.Checks() != c.checks {
			t.Errorf("%s: %v, checked %d times, want %d", name, err, all.Checks(), c.checks)
		}
		for k := 1; k <= all.Checks(); k++ {
			ctx := ending.At(k)
			if err := c.sort(ctx); err != ending.ErrAt || ctx.ChecksAfterEnd() > 1 { // after the end, context.Cause checks once more
				t.Errorf("%s: check %d: %v, and %d later checks", name, k, err, ctx.ChecksAfterEnd())
			}
		}
	}
}
