//go:build !race

package dist

import (
	"math/rand/v2"
	"testing"
)

// TestNoAllocation: the buffer comes from a pool, which the race detector empties at
// random.
func TestNoAllocation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	x, z, d := strided[float32](rng, 40, 10, 0), strided[float32](rng, 30, 10, 0), strided[float32](rng, 40, 30, 0)
	if n := testing.AllocsPerRun(100, func() {
		SqEuclidean(d, x, z)
		Gibbs(d, x, z, 1)
	}); n > 0.5 { // a garbage collection may empty the pool in between
		t.Errorf("%v allocations a call", n)
	}
}
