package simplex

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/price"
)

// TestNextCheapest compares nextCheapest with a scan of the row while columns lose their mass. The
// problem is wide and has many equal costs.
func TestNextCheapest(t *testing.T) {
	const n, m = 3, 10 * wideRatio
	rng := rand.New(rand.NewPCG(1, 2))
	costs := matrix[float64]{cols: m, data: make([]float64, n*m)}
	s := &Solver[float64]{n: n, m: m, dual: make([]float64, n+m)}
	g := s.dual[n:]
	for range 30 {
		for i := range costs.data {
			costs.data[i] = float64(rng.IntN(20) - 5)
		}
		clear(g)
		s.resetCheapest()
		if s.cheapest.perRow < wideRatio {
			t.Fatalf("%d columns for each row", s.cheapest.perRow)
		}
		for left := m; left > 0; {
			i := rng.IntN(n)
			cost, at := s.nextCheapest(int32(i), costs.Row(i))
			if wantCost, want := price.Least(costs.Row(i), 0, g); cost != wantCost || at != want {
				t.Fatalf("row %d, %d columns left: cost %v of column %d, want %v of column %d", i, left, cost, at, wantCost, want)
			}
			if rng.IntN(16) == 0 {
				at = rng.IntN(m)
			}
			if g[at] == 0 {
				g[at] = math.Inf(-1)
				left--
			}
		}
	}
}
