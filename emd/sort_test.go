package emd

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortSamples compares sorted keys and places with a stable sort, for samples that need each of the passes.
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
		for _, n := range []int{1, 2, insertionMost, insertionMost + 1, 100, 1000, piece + 1} {
			z := make([]float64, n)
			for i := range z {
				z[i] = draw()
			}
			want := make([]int32, n)
			for i := range want {
				want[i] = int32(i)
			}
			slices.SortStableFunc(want, func(i, j int32) int { return cmp.Compare(keyOf(z[i]), keyOf(z[j])) })
			for _, withPlaces := range []bool{false, true} {
				keys, places, err := sortSamples(context.Background(), &s, z, withPlaces)
				if err != nil {
					t.Fatal(err)
				}
				if withPlaces != (places != nil) || withPlaces && !slices.Equal(places, want) {
					t.Errorf("%s, n = %d: wrong places", name, n)
				}
				for i, key := range keys {
					if math.Float64bits(valueOf(key)) != math.Float64bits(z[want[i]]) {
						t.Fatalf("%s, n = %d: element %d is %v, want %v", name, n, i, valueOf(key), z[want[i]])
					}
				}
			}
		}
	}
}
