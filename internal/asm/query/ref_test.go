package query

import (
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestAccuracy compares the Go reference implementations with exact sums, within the error bounds in doc.go.
func TestAccuracy(t *testing.T) {
	var sq, products asmtest.Worst
	rng := asmtest.NewRand(3)
	for _, class := range []asmtest.Class{asmtest.Gauss, asmtest.Unit} {
		for _, d := range []int{16, 48, 384, 1536} {
			const n = 8
			q, x := asmtest.Values[float32](rng, d, class), asmtest.Values[float32](rng, n*d, class)
			got := make([]float32, n)
			sqEuclideanRef(got, q, x)
			for i := range n {
				var s asmtest.ExactSum
				for k, v := range x[i*d:][:d] {
					e := float64(q[k]) - float64(v) // exact: float64 has enough bits for the difference of these float32 values
					s.Add(e, e)
				}
				sq.See(asmtest.SumError(got[i], &s, d/Unit+6), "d = %d, %v", d, class)
			}
			dotRef(got, q, x)
			for i := range n {
				var s asmtest.ExactSum
				for k, v := range x[i*d:][:d] {
					s.Add(float64(q[k]), float64(v))
				}
				products.See(asmtest.SumError(got[i], &s, d/Unit+4), "d = %d, %v", d, class)
			}
		}
	}
	sq.Report(t, "squared distance")
	products.Report(t, "product")
}

// TestEqualRows checks that the distance of equal vectors is 0 and that the distance of finite
// vectors is never NaN.
func TestEqualRows(t *testing.T) {
	const d = 48
	dst := make([]float32, Rows)
	for lv := range asmtest.Each(t) {
		q := asmtest.Values[float32](asmtest.NewRand(5), d, asmtest.Wide)
		x := make([]float32, 0, Rows*d)
		for range Rows {
			x = append(x, q...)
		}
		SqEuclidean(dst, q, x)
		for i, v := range dst {
			if v != 0 {
				t.Errorf("%v: distance of row %d from itself is %v", lv, i, v)
			}
		}
		for i := range x {
			x[i] = -3e38
		}
		for i := range q {
			q[i] = 3e38
		}
		SqEuclidean(dst, q, x)
		for i, v := range dst {
			if !(v > 3e38) {
				t.Errorf("%v: distance of row %d is %v", lv, i, v)
			}
		}
	}
}
