package pair

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// lengths returns all lengths up to 2*MaxLanes + 1, and a few larger lengths.
func lengths() (ns []int) {
	for n := range 2*MaxLanes + 2 {
		ns = append(ns, n)
	}
	return append(ns, 191, 192, 1000, 1031)
}

// TestLevels compares every instruction-set level with the Go reference implementation, for all lengths and classes
// of values.
func TestLevels(t *testing.T) {
	t.Run("f64", checkLevels[float64])
	t.Run("f32", checkLevels[float32])
}

func checkLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range lengths() {
			for range 3 { // kinds of memory
				seed++
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
					x, y, dst := a.In(n, class), a.In(n, class), a.Out(6)
					dst[4], dst[5] = Cosine(x, y), Norm(x)
					dst[0], dst[1], dst[2], dst[3] = Dot(x, y), SqEuclidean(x, y), Manhattan(x, y), Sum(x)
				})
			}
			if n%Lanes[T]() == 0 {
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
					for op := Products; op <= Element; op++ {
						acc := a.InOut(MaxLanes, class)
						AddLanes(op, (*[MaxLanes]T)(acc), a.In(n, class), a.In(n, class))
					}
					AddCosineLanes((*[3 * MaxLanes / 2]T)(a.InOut(3*MaxLanes/2, class)), a.In(n, class), a.In(n, class))
				})
			}
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

// TestDefinition compares every function with the Go reference implementation, for short and long slices. Some
// inputs have underflowing products and zeros of both signs. For these inputs, a wrong initial value of a lane changes the
// result.
func TestDefinition(t *testing.T) {
	t.Run("f64", definition[float64])
	t.Run("f32", definition[float32])
}

func definition[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(3)
	tiny := []T{-asmtest.Least[T](), asmtest.Least[T](), 0, T(math.Copysign(0, -1))}
	for lv := range asmtest.Each(t) {
		for n := range 2*longestCall + 200 {
			if n > 300 && n < longestCall-2 || n > longestCall+2 && n < 2*longestCall+190 {
				continue
			}
			for k := range len(tiny) + 2 {
				x, y := make([]T, n), make([]T, n)
				for i := range x {
					if x[i], y[i] = asmtest.Value[T](rng, asmtest.Gauss), asmtest.Value[T](rng, asmtest.Gauss); k > 0 {
						x[i], y[i] = tiny[rng.IntN(min(k, len(tiny)))], T(math.Abs(float64(y[i])))/4
					}
				}
				for i, got := range []T{Dot(x, y), SqEuclidean(x, y), Manhattan(x, y), Dot(x, x), Sum(x)} {
					if want := ref(Op(i), x, y); !asmtest.SameBits(got, want) {
						t.Fatalf("%v, n = %d, kind %d, sum %d: %v (%#x), want %v (%#x)", lv, n, k, i, got, asmtest.Bits(got), want, asmtest.Bits(want))
					}
				}
				if want := ref(Square, x, x); inRange(want) && Norm(x) != root(want) {
					t.Fatalf("%v, n = %d, kind %d: norm %v, want %v", lv, n, k, Norm(x), root(want))
				}
				var sums [3]T
				if acc := beginCosine[T](); n > 0 {
					addCosineRef(&acc, x, y)
					foldCosine(&sums, &acc)
				}
				if want := quotient(sums[0], sums[1], sums[2]); inRange(sums[1]) && inRange(sums[2]) && Cosine(x, y) != want {
					t.Fatalf("%v, n = %d, kind %d: cosine %v, want %v", lv, n, k, Cosine(x, y), want)
				}
				if n > 300 {
					break
				}
			}
		}
	}
}
