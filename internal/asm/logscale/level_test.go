package logscale

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// arena adds to asmtest.Arena what the calls have in common: costs and potentials
// of one class, with some potentials −Inf now and then, and a factor c.
type arena[T num.Float] struct {
	*asmtest.Arena[T]
	class   asmtest.Class
	m, n    int
	missing bool
}

func (a arena[T]) matrix() (mat []T, ldm int) {
	ldm = a.n + a.Rand.IntN(2)*a.Rand.IntN(10)
	return a.In(cells(a.m, a.n, ldm), a.class), ldm
}

func (a arena[T]) potential(n int) []T {
	values := a.InOut(n, a.class)
	for i := range values {
		if a.missing && a.Rand.IntN(4) == 0 {
			values[i] = T(math.Inf(-1))
		}
	}
	return values
}

func (a arena[T]) factor() T {
	c := asmtest.Value[T](a.Rand, a.class)
	if a.class != asmtest.Special && a.class != asmtest.Wide {
		c *= T(a.Rand.IntN(60))
	}
	return c
}

func TestRowsLevels(t *testing.T) {
	t.Run("f64", rowsLevels[float64])
	t.Run("f32", rowsLevels[float32])
}

func rowsLevels[T num.Float](t *testing.T) {
	shapes(t, 1, func(a arena[T], lv asm.Level) {
		mat, ldm := a.matrix()
		Rows(lv, a.m, a.n, mat, ldm, a.factor(), a.potential(a.n), a.In(a.m, asmtest.Unit), a.Out(a.m), a.Out(a.m), a.InOut(a.n, a.class), a.Out(a.n))
	})
}

func TestColumnMaxLevels(t *testing.T) {
	t.Run("f64", columnMaxLevels[float64])
	t.Run("f32", columnMaxLevels[float32])
}

func columnMaxLevels[T num.Float](t *testing.T) {
	shapes(t, 0, func(a arena[T], lv asm.Level) {
		mat, ldm := a.matrix()
		ColumnMax(lv, a.m, a.n, mat, ldm, a.factor(), a.potential(a.m), a.InOut(a.n, a.class))
	})
}

func TestColumnSumLevels(t *testing.T) {
	t.Run("f64", columnSumLevels[float64])
	t.Run("f32", columnSumLevels[float32])
}

func columnSumLevels[T num.Float](t *testing.T) {
	shapes(t, 0, func(a arena[T], lv asm.Level) {
		mat, ldm := a.matrix()
		ColumnSum(lv, a.m, a.n, mat, ldm, a.factor(), a.potential(a.m), a.In(a.n, a.class), a.InOut(a.n, a.class))
	})
}

func TestPlanLevels(t *testing.T) {
	t.Run("f64", planLevels[float64])
	t.Run("f32", planLevels[float32])
}

func planLevels[T num.Float](t *testing.T) {
	shapes(t, 0, func(a arena[T], lv asm.Level) {
		f, g, c := a.potential(a.m), a.potential(a.n), a.factor()
		ldt := a.n + a.Rand.IntN(2)*a.Rand.IntN(10)
		if a.Rand.IntN(3) == 0 {
			t := a.InOut(cells(a.m, a.n, ldt), a.class)
			Plan(lv, a.m, a.n, t, ldt, t, ldt, c, f, g)
			return
		}
		mat, ldm := a.matrix()
		Plan(lv, a.m, a.n, a.Out(cells(a.m, a.n, ldt)), ldt, mat, ldm, c, f, g)
	})
}

// shapes compares the levels on a call for every class and length from least on.
func shapes[T num.Float](t *testing.T, least int, call func(a arena[T], lv asm.Level)) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range append(asmtest.Lengths()[least:], 256, 300) {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
				m := a.Rand.IntN(10)
				if n%32 == 0 {
					m = a.Rand.IntN(100)
				}
				call(arena[T]{a, class, m, n, a.Rand.IntN(3) == 0}, lv)
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

// TestSpecialPlaces puts each special value at each place of a row: the lanes of
// whole steps of several lengths and of a short one.
func TestSpecialPlaces(t *testing.T) {
	t.Run("f64", specialPlaces[float64])
	t.Run("f32", specialPlaces[float32])
}

func specialPlaces[T num.Float](t *testing.T) {
	for k, special := range asmtest.Specials[T]() {
		for at := range 54 {
			if testing.Short() && at%5 != k%5 {
				continue
			}
			asmtest.Compare(t, uint64(100*k+at), func(a *asmtest.Arena[T], lv asm.Level) {
				const m, n = 2, 54
				mat := a.InOut(m*n, asmtest.Gauss)
				mat[n+at] = special
				potential := func(n int) []T { return a.In(n, asmtest.Gauss) }
				Rows(lv, m, n, mat, n, 1, potential(n), a.In(m, asmtest.Unit), a.Out(m), a.Out(m), a.InOut(n, asmtest.Gauss), a.Out(n))
				ColumnMax(lv, m, n, mat, n, 1, potential(m), a.InOut(n, asmtest.Gauss))
				ColumnSum(lv, m, n, mat, n, 1, potential(m), potential(n), a.InOut(n, asmtest.Gauss))
				Plan(lv, m, n, a.Out(m*n), n, mat, n, 1, potential(m), potential(n))
			})
			if t.Failed() {
				t.Fatalf("%v at %d", special, at)
			}
		}
	}
}

// TestPieces holds the calls that the work is cut into against one call of the
// definition.
func TestPieces(t *testing.T) {
	t.Run("f64", piecesTest[float64])
	t.Run("f32", piecesTest[float32])
}

func piecesTest[T num.Float](t *testing.T) {
	for _, lv := range asm.Available() {
		for _, shape := range [][2]int{{300, 70}, {31, 1003}, {3, 40000}} {
			m, n := shape[0], shape[1]
			t.Run(fmt.Sprintf("%v/%dx%d", lv, m, n), func(t *testing.T) {
				mat, f, g, a, q := random[T](m*n), random[T](m), random[T](n), random[T](m), random[T](n)
				hi, sum, e := make([]T, m), make([]T, m), make([]T, n)
				wantHi, wantSum, wantQ := make([]T, m), make([]T, m), append([]T{}, q...)
				rowsRef(m, n, mat, n, 7, g, a, wantHi, wantSum, wantQ, e)
				Rows(lv, m, n, mat, n, 7, g, a, hi, sum, q, e)
				equal(t, "max", hi, wantHi)
				equal(t, "sum", sum, wantSum)
				equal(t, "q", q, wantQ)

				h, wantH := random[T](n), random[T](n)
				columnMaxRef(m, n, mat, n, -7, f, wantH)
				ColumnMax(lv, m, n, mat, n, -7, f, h)
				equal(t, "h", h, wantH)

				s, wantS := random[T](n), random[T](n)
				columnSumRef(m, n, mat, n, 7, f, h, wantS)
				ColumnSum(lv, m, n, mat, n, 7, f, h, s)
				equal(t, "s", s, wantS)

				p, wantP := make([]T, m*n), make([]T, m*n)
				planRef(m, n, wantP, n, mat, n, 7, f, g)
				Plan(lv, m, n, p, n, mat, n, 7, f, g)
				equal(t, "plan", p, wantP)
			})
		}
	}
}

func equal[T num.Float](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range got {
		if !asmtest.SameBits(got[i], want[i]) {
			t.Fatalf("%s[%d] = %v, in one call %v", what, i, got[i], want[i])
		}
	}
}
