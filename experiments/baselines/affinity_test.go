package baselines

import (
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/matrix"
)

// TestAffinityEnds ends the context at every check. Affinity must check the context before every
// row in both passes, and must return the cause.
func TestAffinityEnds(t *testing.T) {
	const n = 20
	x := matrix.New(n, 3, asmtest.Random[float64](3*n))
	a := matrix.New[float64](n, n, nil)
	all := ending.At(0)
	if err := Affinity(all, a, x, 7); err != nil || all.Checks() < 2*n {
		t.Fatalf("%v, checked %d times", err, all.Checks())
	}
	for last := 1; last <= all.Checks(); last++ {
		if err := Affinity(ending.At(last), a, x, 7); err != ending.ErrAt {
			t.Errorf("ended at %d of %d: %v", last, all.Checks(), err)
		}
	}
}
