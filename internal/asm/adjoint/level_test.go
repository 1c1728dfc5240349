package adjoint

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func TestBeginLevels(t *testing.T) {
	t.Run("f64", beginLevels[float64])
	t.Run("f32", beginLevels[float32])
}

func beginLevels[T num.Float](t *testing.T) {
	shapes(t, func(a *asmtest.Arena[T], lv asm.Level, m, n int, class asmtest.Class) {
		ldk, ldm := n+a.Rand.IntN(2)*a.Rand.IntN(10), n+a.Rand.IntN(2)*a.Rand.IntN(10)
		k, mat := a.In(cells(m, n, ldk), class), a.In(cells(m, n, ldm), class)
		Begin(lv, m, n, k, ldk, mat, ldm, a.In(n, class), a.In(m, class), a.In(m, class), a.Out(m), a.Out(m), a.InOut(n, class))
	})
}

func TestSweepLevels(t *testing.T) {
	t.Run("f64", sweepLevels[float64])
	t.Run("f32", sweepLevels[float32])
}

func sweepLevels[T num.Float](t *testing.T) {
	shapes(t, func(a *asmtest.Arena[T], lv asm.Level, m, n int, class asmtest.Class) {
		ldk := n + a.Rand.IntN(2)*a.Rand.IntN(10)
		k := a.In(cells(m, n, ldk), class)
		Sweep(lv, m, n, k, ldk, a.In(n, class), a.In(m, class), a.Out(m), a.InOut(n, class))
	})
}

// TestSweepMixedLevels: a float32 K gives the bits of the same K in float64.
func TestSweepMixedLevels(t *testing.T) {
	shapes(t, func(a *asmtest.Arena[float64], lv asm.Level, m, n int, class asmtest.Class) {
		ldk := n + a.Rand.IntN(2)*a.Rand.IntN(10)
		k := a.Narrow().In(cells(m, n, ldk), class)
		v, w, s, q := a.In(n, class), a.In(m, class), a.Out(m), a.InOut(n, class)
		wantS, wantQ := make([]float64, m), append([]float64{}, q...)
		Sweep(lv, m, n, asmtest.Widen(k), ldk, v, w, wantS, wantQ)
		SweepMixed(lv, m, n, k, ldk, v, w, s, q)
		asmtest.SameSlices(t, "s", s, wantS)
		asmtest.SameSlices(t, "q", q, wantQ)
	})
}

// shapes compares the levels on a call for every class and length.
func shapes[T num.Float](t *testing.T, call func(a *asmtest.Arena[T], lv asm.Level, m, n int, class asmtest.Class)) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range append(asmtest.Lengths()[1:], 256, 300) {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
				m := a.Rand.IntN(14)
				if n%32 == 0 {
					m = a.Rand.IntN(300)
				} else if n < 80 {
					m = a.Rand.IntN(40)
				}
				call(a, lv, m, n, class)
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
			Sweep(lv, m, n, tiny(m*n, -1), n, tiny(n, 1), a.In(m, asmtest.Unit), a.Out(m), a.InOut(n, asmtest.Unit))
			Begin(lv, m, n, tiny(m*n, -1), n, a.In(m*n, asmtest.Unit), n, tiny(n, 1), a.In(m, asmtest.Unit), a.In(m, asmtest.Unit), a.Out(m), a.Out(m), a.InOut(n, asmtest.Unit))
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
			SweepMixed(lv, m, n, k, n, v, a.In(m, asmtest.Unit), a.Out(m), a.InOut(n, asmtest.Unit))
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
		for _, shape := range [][2]int{{3000, 70}, {301, 1003}, {9, asm.Budget + 5}} {
			m, n := shape[0], shape[1]
			t.Run(fmt.Sprintf("%v/%dx%d", lv, m, n), func(t *testing.T) {
				k, mat, v, u, w, q := random[T](m*n), random[T](m*n), random[T](n), random[T](m), random[T](m), random[T](n)
				r, wantR := make([]T, m), make([]T, m)
				s, wantS := make([]T, m), make([]T, m)
				wantQ := append([]T{}, q...)
				same := func(what string) {
					t.Helper()
					equal(t, what+" r", r, wantR)
					equal(t, what+" s", s, wantS)
					equal(t, what+" q", q, wantQ)
				}
				beginRef(m, n, k, n, mat, n, v, u, w, wantR, wantS, wantQ)
				Begin(lv, m, n, k, n, mat, n, v, u, w, r, s, q)
				same("Begin")
				sweepRef(m, n, k, n, v, w, wantS, wantQ)
				Sweep(lv, m, n, k, n, v, w, s, q)
				same("Sweep")
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

func TestPiecesMixed(t *testing.T) {
	for _, lv := range asm.Available() {
		for _, shape := range [][2]int{{3000, 70}, {301, 1003}, {9, asm.Budget + 5}} {
			m, n := shape[0], shape[1]
			k, v, w, q := random[float32](m*n), random[float64](n), random[float64](m), random[float64](n)
			s, wantS, wantQ := make([]float64, m), make([]float64, m), append([]float64{}, q...)
			sweepRef(m, n, k, n, v, w, wantS, wantQ)
			SweepMixed(lv, m, n, k, n, v, w, s, q)
			equal(t, fmt.Sprintf("%v, %d×%d: s", lv, m, n), s, wantS)
			equal(t, fmt.Sprintf("%v, %d×%d: q", lv, m, n), q, wantQ)
		}
	}
}
