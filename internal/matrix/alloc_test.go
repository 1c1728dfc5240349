//go:build !race

package matrix

import (
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestNoAllocation: the buffer comes from a pool, which the race detector empties at
// random.
func TestNoAllocation(t *testing.T) {
	lv, rng := asm.Best(), rand.New(rand.NewPCG(3, 3))
	x, z, zt := strided[float32](rng, 40, 10, 0), strided[float32](rng, 30, 10, 0), strided[float32](rng, 10, 30, 0)
	d, k, v := strided[float32](rng, 40, 30, 0), strided[float32](rng, 40, 30, 0), make([]float32, 40)
	if n := asmtest.Allocations(func() {
		var onStack [30]float32
		SqDist(lv, d, x, z)
		Gibbs(lv, d, x, z, 1)
		Transpose(zt, z)
		SqDistTrans(lv, d, x, zt)
		GibbsTrans(lv, k, d, x, zt, -1)
		Mul(lv, d, x, zt, true)
		TransMul(lv, zt, x, k, false)
		MulVec(lv, v, d, onStack[:])
		Exp2(lv, d, d, -1)
	}); n > 0 {
		t.Errorf("%v allocations a call", n)
	}
}
