package emd

import (
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
)

// TestStrips checks that rows can be read in any order and are computed from the points of the latest setPoints call.
func TestStrips(t *testing.T) {
	const n, m = 1500, 1<<22/1500 + 10 // the float64 distances need more than 32 MiB
	r := rand.New(rand.NewPCG(1, 2))
	var c costs[float64]
	for range 2 {
		x, y := dist.NewMatrix[float64](n, 1, nil), dist.NewMatrix[float64](m, 1, nil)
		for i := range x.Data {
			x.Data[i] = r.Float64()
		}
		c.setPoints(t.Context(), x, y)
		for _, i := range []int{0, n - 3, n - 2, n - 1, 5, 700, 2, 1, 0} {
			if got, want := c.row(i), x.At(i, 0)*x.At(i, 0); len(got) != m || got[0] != want || got[m-1] != want || c.At(i, 7) != want {
				t.Fatalf("row %d is %v …, want %v", i, got[0], want)
			}
		}
	}
}
