package pair

import (
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestAccuracy compares the functions with exact sums, within the error bounds in doc.go.
func TestAccuracy(t *testing.T) {
	t.Run("f64", accuracy[float64])
	t.Run("f32", accuracy[float32])
}

func accuracy[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(3)
	names := [...]string{"Dot", "SqEuclidean", "Manhattan", "Square", "Sum"}
	var worst [len(names)]asmtest.Worst
	for _, class := range []asmtest.Class{asmtest.Gauss, asmtest.Unit, asmtest.NonPositive} {
		for _, n := range []int{1, 2, 3, 5, 16, 48, 64, 100, 384, 1536} {
			x, y := asmtest.Values[T](rng, n, class), asmtest.Values[T](rng, n, class)
			roundings := (n + Lanes[T]() - 1) / Lanes[T]()
			for w := Lanes[T](); w > 1; w /= 2 {
				roundings++
			}
			for op, got := range []T{Dot(x, y), SqEuclidean(x, y), Manhattan(x, y), ref(Square, x, x), Sum(x)} {
				var s asmtest.ExactSum
				k := roundings
				for i, v := range x {
					switch Op(op) {
					case Products:
						s.Add(float64(v), float64(y[i]))
					case SqDifference, AbsDifference:
						d := asmtest.Exact(float64(v), -float64(y[i]))
						if Op(op) == SqDifference {
							d.Mul(d, d)
						}
						s.AddBig(d.Abs(d))
					case Square:
						s.Add(float64(v), float64(v))
					case Element:
						s.Add(float64(v))
					}
				}
				switch Op(op) {
				case SqDifference:
					k += 2
				case AbsDifference:
					k++
				}
				worst[op].See(asmtest.SumError(got, &s, k), "n = %d, %v", n, class)
			}
		}
	}
	for op := range worst {
		worst[op].Report(t, names[op])
	}
}

// TestEqual checks that the distance of a finite vector to itself is +0, and that sums of squares are never negative.
func TestEqual(t *testing.T) {
	rng := asmtest.NewRand(5)
	for lv := range asmtest.Each(t) {
		for n := range 200 {
			x := asmtest.Values[float32](rng, n, asmtest.Wide)
			if d, m := SqEuclidean(x, x), Manhattan(x, x); asmtest.Bits(d) != 0 || asmtest.Bits(m) != 0 {
				t.Errorf("%v, n = %d: distances of a vector from itself: %v, %v", lv, n, d, m)
			}
		}
	}
}
