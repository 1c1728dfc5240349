package adjcost

import (
	"fmt"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func TestBlockLevels(t *testing.T) {
	t.Run("f64", blockLevels[float64])
	t.Run("f32", blockLevels[float32])
}

func blockLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range append(asmtest.Lengths(), 240, 300) {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
				pad := func() int { return a.Rand.IntN(2) * a.Rand.IntN(10) }
				m, r := a.Rand.IntN(14), a.Rand.IntN(8)
				switch {
				case n%10 == 0 && n < 1000:
					m = a.Rand.IntN(200)
				case n%10 == 1 && n < 1000:
					r = a.Rand.IntN(61)
				}
				ldg, ldk, ldm, lda, ldb := n+pad(), n+pad(), n+pad(), r+pad(), n+pad()
				k := a.In(cells(m, n, ldk), class)
				left, right := a.In(cells(m, r, lda), class), a.In(cells(r, n, ldb), class)
				u, v, lambda := a.In(m, class), a.In(n, class), asmtest.Value[T](a.Rand, class)
				if a.Rand.IntN(3) == 0 {
					g := a.InOut(cells(m, n, ldg), class)
					Block(lv, m, n, r, g, ldg, k, ldk, g, ldg, left, lda, right, ldb, u, v, lambda)
					return
				}
				g := a.Out(cells(m, n, ldg))
				Block(lv, m, n, r, g, ldg, k, ldk, a.In(cells(m, n, ldm), class), ldm, left, lda, right, ldb, u, v, lambda)
			})
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

// cells is the length of an m × n matrix with row stride ld.
func cells(m, n, ld int) int {
	if m == 0 || n == 0 {
		return 0
	}
	return (m-1)*ld + n
}

// TestPieces holds the calls that the work is cut into against one call of the
// definition.
func TestPieces(t *testing.T) {
	t.Run("f64", pieces[float64])
	t.Run("f32", pieces[float32])
}

func pieces[T num.Float](t *testing.T) {
	for _, lv := range asm.Available() {
		for _, shape := range [][3]int{{400, 300, 20}, {3, 100000, 4}, {100, 1003, 60}, {2000, 7, 40}} {
			m, n, r := shape[0], shape[1], shape[2]
			t.Run(fmt.Sprintf("%v/%dx%dx%d", lv, m, n, r), func(t *testing.T) {
				k, mat, a, b, u, v := random[T](m*n), random[T](m*n), random[T](m*r), random[T](r*n), random[T](m), random[T](n)
				g, want := make([]T, m*n), make([]T, m*n)
				blockRef(m, n, r, want, n, k, n, mat, n, a, r, b, n, u, v, 1.5)
				Block(lv, m, n, r, g, n, k, n, mat, n, a, r, b, n, u, v, 1.5)
				for i := range g {
					if !asmtest.SameBits(g[i], want[i]) {
						t.Fatalf("g[%d] = %v, in one call %v", i, g[i], want[i])
					}
				}
			})
		}
	}
}
