package matvec

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func TestRowsLevels(t *testing.T) {
	t.Run("f64", rowsLevels[float64])
	t.Run("f32", rowsLevels[float32])
}

func rowsLevels[T num.Float](t *testing.T) {
	shapes(t, func(a *asmtest.Arena[T], lv asm.Level, m, n, ldk int, class asmtest.Class) {
		Rows(lv, m, n, a.Out(m), a.In(cells(m, n, ldk), class), ldk, a.In(n, class))
	})
}

func TestColumnsLevels(t *testing.T) {
	t.Run("f64", columnsLevels[float64])
	t.Run("f32", columnsLevels[float32])
}

func columnsLevels[T num.Float](t *testing.T) {
	shapes(t, func(a *asmtest.Arena[T], lv asm.Level, m, n, ldk int, class asmtest.Class) {
		Columns(lv, m, n, a.InOut(n, class), a.In(cells(m, n, ldk), class), ldk, a.In(m, class))
	})
}

// TestMixedLevels: a float32 K gives the bits of the same K in float64.
func TestMixedLevels(t *testing.T) {
	shapes(t, func(a *asmtest.Arena[float64], lv asm.Level, m, n, ldk int, class asmtest.Class) {
		k := a.Narrow().In(cells(m, n, ldk), class)
		v, u, s, q := a.In(n, class), a.In(m, class), a.Out(m), a.InOut(n, class)
		wantS, wantQ := make([]float64, m), append([]float64{}, q...)
		Rows(lv, m, n, wantS, asmtest.Widen(k), ldk, v)
		Columns(lv, m, n, wantQ, asmtest.Widen(k), ldk, u)
		RowsMixed(lv, m, n, s, k, ldk, v)
		ColumnsMixed(lv, m, n, q, k, ldk, u)
		asmtest.SameSlices(t, "s", s, wantS)
		asmtest.SameSlices(t, "q", q, wantQ)
	})
}

// shapes compares the levels on a call for every class and length.
func shapes[T num.Float](t *testing.T, call func(a *asmtest.Arena[T], lv asm.Level, m, n, ldk int, class asmtest.Class)) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range append(asmtest.Lengths(), 256, 300) {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
				m := a.Rand.IntN(14)
				if n%32 == 0 {
					m = a.Rand.IntN(300)
				}
				call(a, lv, m, n, n+a.Rand.IntN(2)*a.Rand.IntN(10), class)
			})
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

// TestUnderflowLevels: where every product underflows to −0, a row sum is −0, or +0 if
// its last step is short and padded.
func TestUnderflowLevels(t *testing.T) {
	t.Run("f64", underflowLevels[float64])
	t.Run("f32", underflowLevels[float32])
}

func underflowLevels[T num.Float](t *testing.T) {
	for _, n := range asmtest.Lengths()[1:] {
		asmtest.Compare(t, uint64(n), func(a *asmtest.Arena[T], lv asm.Level) {
			const m = 6
			tiny := func(n int, sign T) []T {
				s := a.InOut(n, asmtest.Unit)
				for i := range s {
					s[i] = sign * asmtest.Specials[T]()[7] // the least subnormal
				}
				return s
			}
			Rows(lv, m, n, a.Out(m), tiny(m*n, -1), n, tiny(n, 1))
		})
	}
}

// TestUnderflowMixedLevels is the same with a float32 K.
func TestUnderflowMixedLevels(t *testing.T) {
	for _, n := range asmtest.Lengths()[1:] {
		asmtest.Compare(t, uint64(n), func(a *asmtest.Arena[float64], lv asm.Level) {
			const m = 6
			k, v := a.Narrow().InOut(m*n, asmtest.Unit), a.InOut(n, asmtest.Unit)
			for i := range k {
				k[i] = -math.SmallestNonzeroFloat32
			}
			for j := range v {
				v[j] = math.SmallestNonzeroFloat64
			}
			RowsMixed(lv, m, n, a.Out(m), k, n, v)
		})
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
		for _, shape := range [][2]int{{5000, 70}, {301, 1003}, {9, asm.Budget + 5}} {
			m, n := shape[0], shape[1]
			t.Run(fmt.Sprintf("%v/%dx%d", lv, m, n), func(t *testing.T) {
				k, v, u, q := random[T](m*n), random[T](n), random[T](m), random[T](n)
				s, wantS, wantQ := make([]T, m), make([]T, m), append([]T{}, q...)
				rowsRef(m, n, wantS, k, n, v)
				Rows(lv, m, n, s, k, n, v)
				columnsRef(m, n, wantQ, k, n, u)
				Columns(lv, m, n, q, k, n, u)
				for i := range s {
					if !asmtest.SameBits(s[i], wantS[i]) {
						t.Fatalf("s[%d] = %v, in one call %v", i, s[i], wantS[i])
					}
				}
				for j := range q {
					if !asmtest.SameBits(q[j], wantQ[j]) {
						t.Fatalf("q[%d] = %v, in one call %v", j, q[j], wantQ[j])
					}
				}
			})
		}
	}
}

func TestPiecesMixed(t *testing.T) {
	for _, lv := range asm.Available() {
		for _, shape := range [][2]int{{5000, 70}, {301, 1003}, {9, asm.Budget + 5}} {
			m, n := shape[0], shape[1]
			k, v, u, q := random[float32](m*n), random[float64](n), random[float64](m), random[float64](n)
			s, wantS, wantQ := make([]float64, m), make([]float64, m), append([]float64{}, q...)
			rowsRef(m, n, wantS, k, n, v)
			RowsMixed(lv, m, n, s, k, n, v)
			columnsRef(m, n, wantQ, k, n, u)
			ColumnsMixed(lv, m, n, q, k, n, u)
			asmtest.SameSlices(t, fmt.Sprintf("%v, %d×%d: s", lv, m, n), s, wantS)
			asmtest.SameSlices(t, fmt.Sprintf("%v, %d×%d: q", lv, m, n), q, wantQ)
		}
	}
}
