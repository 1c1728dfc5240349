package scale

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func TestIterateLevels(t *testing.T) {
	t.Run("f64", iterateLevels[float64])
	t.Run("f32", iterateLevels[float32])
}

func iterateLevels[T num.Float](t *testing.T) {
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
				ldk := n + a.Rand.IntN(2)*a.Rand.IntN(10)
				k := a.In(cells(m, n, ldk), class)
				Iterate(lv, m, n, k, ldk, a.In(n, class), a.In(m, class), a.Out(m), a.InOut(n, class))
			})
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

// TestIterateMixedLevels: a float32 K gives the bits of the same K in float64.
func TestIterateMixedLevels(t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range append(asmtest.Lengths()[1:], 256, 300) {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[float64], lv asm.Level) {
				m := a.Rand.IntN(14)
				if n%32 == 0 {
					m = a.Rand.IntN(300)
				}
				ldk := n + a.Rand.IntN(2)*a.Rand.IntN(10)
				k := a.Narrow().In(cells(m, n, ldk), class)
				v, w, u, q := a.In(n, class), a.In(m, class), a.Out(m), a.InOut(n, class)
				wantU, wantQ := make([]float64, m), append([]float64{}, q...)
				Iterate(lv, m, n, asmtest.Widen(k), ldk, v, w, wantU, wantQ)
				IterateMixed(lv, m, n, k, ldk, v, w, u, q)
				asmtest.SameSlices(t, "u", u, wantU)
				asmtest.SameSlices(t, "q", q, wantQ)
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
			Iterate(lv, m, n, tiny(m*n, -1), n, tiny(n, 1), a.In(m, asmtest.Unit), a.Out(m), a.InOut(n, asmtest.Unit))
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
			IterateMixed(lv, m, n, k, n, v, a.In(m, asmtest.Unit), a.Out(m), a.InOut(n, asmtest.Unit))
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

// TestPieces holds the calls that Iterate cuts its work into against one call of
// the definition.
func TestPieces(t *testing.T) {
	t.Run("f64", pieces[float64])
	t.Run("f32", pieces[float32])
}

func pieces[T num.Float](t *testing.T) {
	for _, lv := range asm.Available() {
		for _, shape := range [][2]int{{3000, 70}, {301, 1003}, {9, asm.Budget + 5}} {
			m, n := shape[0], shape[1]
			t.Run(fmt.Sprintf("%v/%dx%d", lv, m, n), func(t *testing.T) {
				k, v, a, q := random[T](m*n), random[T](n), random[T](m), random[T](n)
				u, wantU, wantQ := make([]T, m), make([]T, m), append([]T{}, q...)
				iterateRef(m, n, k, n, v, a, wantU, wantQ)
				Iterate(lv, m, n, k, n, v, a, u, q)
				for i := range u {
					if !asmtest.SameBits(u[i], wantU[i]) {
						t.Fatalf("u[%d] = %v, in one call %v", i, u[i], wantU[i])
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
		for _, shape := range [][2]int{{3000, 70}, {301, 1003}, {9, asm.Budget + 5}} {
			m, n := shape[0], shape[1]
			k, v, a, q := random[float32](m*n), random[float64](n), random[float64](m), random[float64](n)
			u, wantU, wantQ := make([]float64, m), make([]float64, m), append([]float64{}, q...)
			iterateRef(m, n, k, n, v, a, wantU, wantQ)
			IterateMixed(lv, m, n, k, n, v, a, u, q)
			asmtest.SameSlices(t, fmt.Sprintf("%v, %d×%d: u", lv, m, n), u, wantU)
			asmtest.SameSlices(t, fmt.Sprintf("%v, %d×%d: q", lv, m, n), q, wantQ)
		}
	}
}

func random[T num.Float](n int) []T {
	s := make([]T, n)
	asmtest.Fill(newRand(), s, asmtest.Unit)
	return s
}
