package nearest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func TestSet(t *testing.T) {
	t.Run("float64", testSet[float64])
	t.Run("float32", testSet[float32])
}

// testSet compares a Set with a sorted slice of all candidates. The distances include many ties,
// NaN and ±Inf. The candidates are offered in order, in pieces, and shuffled.
func testSet[T num.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s Set[T]
	for range 300 {
		n, k := rng.IntN(80), rng.IntN(2*maxSorted)
		d, order := make([]T, n), make([]int, n)
		for i := range d {
			order[i] = i
			switch v := rng.IntN(20); v {
			case 0:
				d[i] = T(math.NaN())
			case 1:
				d[i] = T(math.Inf(1))
			case 2:
				d[i] = T(math.Inf(-1))
			default:
				d[i] = T(v)
			}
		}
		key := func(i int) T {
			if d[i] != d[i] {
				return T(math.Inf(1))
			}
			return d[i]
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case key(a) < key(b):
				return -1
			case key(a) > key(b):
				return 1
			}
			return 0
		})
		want := order[:min(k, n)]
		check := func(how string) {
			t.Helper()
			if len(want) == k && k > 0 && s.Bound() != key(want[k-1]) {
				t.Errorf("%s: bound %v, want %v", how, s.Bound(), key(want[k-1]))
			}
			s.Sort()
			if !slices.Equal(s.Rows(), want) || s.Len() != len(want) {
				t.Fatalf("%s: k = %d of %v: %v, want %v", how, k, d, s.Rows(), want)
			}
			for i, r := range s.Rows() {
				if s.Distances()[i] != key(r) {
					t.Errorf("%s: distance of row %d is %v, want %v", how, r, s.Distances()[i], key(r))
				}
			}
		}
		s.Reset(k)
		s.OfferAll(d, 0)
		check("in order")
		s.Reset(k)
		for lo := 0; lo < n; {
			hi := min(n, lo+rng.IntN(9))
			s.OfferAll(d[lo:hi], lo)
			lo = hi
		}
		check("in pieces")
		s.Reset(k)
		for _, i := range rng.Perm(n) {
			s.Offer(d[i], i)
		}
		check("shuffled")
	}
}

func TestEmpty(t *testing.T) {
	var s Set[float32]
	if s.Offer(1, 0) || s.Len() != 0 || s.Bound() != float32(math.Inf(-1)) {
		t.Error("a set of none took a candidate")
	}
	s.OfferAll([]float32{1, 2}, 0)
	s.Sort()
	if s.Reset(1); s.Len() != 0 || s.Bound() != float32(math.Inf(1)) || s.Room() != 1 {
		t.Error(s.Bound(), s.Room())
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	s.Reset(-1)
}

func TestAllocates(t *testing.T) {
	d := asmtest.Random[float32](1000)
	var s Set[float32]
	if n := asmtest.Allocations(func() {
		s.Reset(10)
		s.OfferAll(d, 0)
		s.Sort()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func Benchmark(b *testing.B) {
	d := asmtest.Random[float32](1000)
	var s Set[float32]
	for b.Loop() {
		s.Reset(10)
		s.OfferAll(d, 0)
		s.Sort()
	}
}

// TestWithin checks that OfferWithin gives the same result as OfferAll.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all, within Set[float64]
	for range 200 {
		n := 1 + rng.IntN(60)
		k := 1 + rng.IntN(min(n, 25))
		d := make([]float64, n)
		for i := range d {
			d[i] = float64(rng.IntN(9))
		}
		bound := 0.
		for _, i := range rng.Perm(n)[:k] {
			bound = max(bound, d[i])
		}
		all.Reset(k)
		within.Reset(k)
		all.OfferAll(d, 5)
		within.OfferWithin(d, 5, bound)
		all.Sort()
		within.Sort()
		if !slices.Equal(all.Rows(), within.Rows()) || !slices.Equal(all.Distances(), within.Distances()) {
			t.Fatalf("k = %d, bound %v of %v: %v, want %v", k, bound, d, within.Rows(), all.Rows())
		}
	}
}
