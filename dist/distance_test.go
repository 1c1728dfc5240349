package dist

import (
	"math"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/gram"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestGibbsEnds checks that finite samples never yield NaN or infinity for any λ. It also checks
// the values for the smallest and largest λ, and for the smallest and largest distances.
func TestGibbsEnds(t *testing.T) {
	t.Run("float64", func(t *testing.T) { gibbsEnds(t, math.MaxFloat64, math.SmallestNonzeroFloat64) })
	t.Run("float32", func(t *testing.T) {
		gibbsEnds(t, math.MaxFloat32, float32(math.SmallestNonzeroFloat32))
	})
}

func gibbsEnds[T Float](t *testing.T, most, least T) {
	const fused, blocks = 3, gram.Features + 3
	tiny := T(math.Sqrt(float64(1 / most))) // λ·tiny² is about 1 for the largest λ
	// roots are the square roots of the tested distances.
	roots := []T{0, tiny / 2, tiny, 4 * tiny, 1, most / 4, most}
	for _, d := range []int{1, fused, blocks} {
		x, z := NewMatrix[T](len(roots), d, nil), NewMatrix[T](1, d, nil)
		for i, r := range roots {
			x.Set(i, d/2, r)
		}
		k, q := NewMatrix[T](len(roots), 1, nil), NewMatrix[T](len(roots), 1, nil)
		for lv := range asmtest.Each(t) {
			SqEuclidean(q, x, z)
			for _, lambda := range []T{0, least, 1, most / 2, T(float64(most) * 0.69), T(float64(most) * 0.7), most} {
				Gibbs(k, x, z, lambda)
				for i := range roots {
					// Square the exponential of half the exponent, because λ·q may overflow.
					half := math.Exp(-float64(lambda) / 2 * float64(q.At(i, 0)))
					want := half * half
					switch {
					case lambda == 0:
						want = 1
					case math.IsInf(float64(q.At(i, 0)), 1):
						want = 0
					case want < 0x1p-1022 || T(want) < 0x1p-126 && !num.IsFloat64[T]():
						want = 0
					}
					if got := float64(k.At(i, 0)); !(math.Abs(got-want) <= 1e-4*want) {
						t.Errorf("%v, d = %d: exp(−%v·%v) = %v, want %v", lv, d, lambda, q.At(i, 0), got, want)
					}
				}
			}
		}
	}
	for _, lambda := range []T{-1, T(math.NaN()), T(math.Inf(1))} {
		mustPanic(t, lambdaPanic, func() { Gibbs(NewMatrix[T](1, 1, nil), NewMatrix[T](1, 1, nil), NewMatrix[T](1, 1, nil), lambda) })
	}
}

// TestSelf checks that the distances from a cloud to itself equal the distances to a copy of the
// cloud, and that every element of dst is written. The sizes are below and above the block size.
func TestSelf(t *testing.T) {
	t.Run("float64", testSelf[float64])
	t.Run("float32", testSelf[float32])
}

func testSelf[T Float](t *testing.T) {
	for _, s := range [][2]int{{100, 10}, {900, 64}, {1000, 64}, {2000, 70}, {70, 9000}} {
		n, d := s[0], s[1]
		x := NewMatrix(n, d, asmtest.Random[T](n*d))
		z := NewMatrix(n, d, slices.Clone(x.Data))
		for name, f := range map[string]func(dst, x, z Matrix[T]){
			"SqEuclidean": SqEuclidean[T],
			"Gibbs":       func(dst, x, z Matrix[T]) { Gibbs(dst, x, z, 1/T(d)) },
		} {
			got, want := NewMatrix[T](n, n, nil), NewMatrix[T](n, n, nil)
			for i := range got.Data {
				got.Data[i] = T(math.NaN())
			}
			f(got, x, x)
			f(want, x, z)
			for i, v := range want.Data {
				if got.Data[i] != v {
					t.Fatalf("%s, %d points of %d numbers: %v at %d, %d, want %v", name, n, d, got.Data[i], i/n, i%n, v)
				}
			}
		}
	}
}
