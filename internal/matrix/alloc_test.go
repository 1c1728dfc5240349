//go:build !race

package matrix

import (
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestNoAllocation is skipped under the race detector, which empties pools at random.
func TestNoAllocation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	x, z, zt := strided[float32](rng, 40, 10, 0), strided[float32](rng, 30, 10, 0), strided[float32](rng, 10, 30, 0)
	d, k, v := strided[float32](rng, 40, 30, 0), strided[float32](rng, 40, 30, 0), make([]float32, 40)
	if n := asmtest.Allocations(func() {
		var onStack [30]float32
		dist.SqEuclidean(d, x, z)
		dist.Gibbs(d, x, z, 1)
		Transpose(zt, z)
		SqEuclideanTrans(d, x, zt)
		GibbsTrans(k, d, x, zt, -1)
		Mul(d, x, zt, true)
		TransMul(zt, x, k, false)
		MulVec(v, d, onStack[:])
		Exp2(d, d, -1)
	}); n > 0 {
		t.Errorf("%v allocations a call", n)
	}
}
