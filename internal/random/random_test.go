package random

import (
	"hash/fnv"
	"math"
	"slices"
	"testing"
)

// TestGoldenBits checks that the streams are the same on every machine. The streams must never change, because
// users rely on seeds.
func TestGoldenBits(t *testing.T) {
	h := fnv.New64a()
	rng := New(7, 1)
	for range 100_000 {
		b := math.Float64bits(Normal(rng))
		for k := range 8 {
			h.Write([]byte{byte(b >> (8 * k))})
		}
	}
	if got := h.Sum64(); got != 0xbe617770601eeef1 {
		t.Errorf("hash of 100 000 deviates: %#x", got)
	}
	if got := New(1, 2).Uint64(); got != 0x50b575abf96d96bc {
		t.Errorf("first draw: %#x", got)
	}
}

// TestNormal compares the deviates with the normal distribution by a Kolmogorov–Smirnov test. It
// also counts the deviates in the tail, which depends on the rejection step.
func TestNormal(t *testing.T) {
	const n = 200000
	rng := New(1, 99)
	x := make([]float64, n)
	for i := range x {
		x[i] = Normal(rng)
	}
	slices.Sort(x)
	worst := 0.0
	for i, v := range x {
		p := 0.5 * math.Erfc(-v/math.Sqrt2)
		worst = max(worst, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
	}
	// The largest difference exceeds 1.95/√n for one seed in a thousand.
	if limit := 1.95 / math.Sqrt(n); worst > limit {
		t.Errorf("distance from the normal distribution %v, limit %v", worst, limit)
	}
	tail := 0
	for _, v := range x {
		if math.Abs(v) > 3 {
			tail++
		}
	}
	// The expected number is 540, with a standard deviation of 23.
	if tail < 425 || tail > 655 {
		t.Errorf("%d of %d deviates beyond 3, expected 540", tail, n)
	}
}

// TestMix compares mix with the first output of the reference implementation of SplitMix64 for the
// seed 0.
func TestMix(t *testing.T) {
	if got := mix(0); got != 0xe220a8397b1dcdaf {
		t.Errorf("mix(0) = %#x", got)
	}
}
