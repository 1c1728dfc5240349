package compact

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/query"
)

// quantized returns the expected integers: x[i]/scale, rounded to nearest, ties to even.
func quantized(x []float32, scale float32) []int8 {
	out := make([]int8, len(x))
	for i, v := range x {
		if scale != 0 {
			out[i] = int8(max(-127, min(127, math.RoundToEven(float64(v)/float64(scale)))))
		}
	}
	return out
}

// TestQuantizeInt8 checks the integers of QuantizeInt8 for scales of all sizes. Some quotients lie at
// or next to the midpoint of two integers. The product of an integer and the scale must be exact, and
// close to the element. The distance of a stored row from itself must be 0.
func TestQuantizeInt8(t *testing.T) {
	rng := asmtest.NewRand(1)
	c, dst := make([]int8, query.Rows*query.Unit), make([]float32, query.Rows)
	for round := range 300 {
		x := asmtest.Values[float32](rng, query.Unit, asmtest.Gauss)
		factor := float32(math.Ldexp(1, min(round-150, 120)))
		for i := range x {
			x[i] *= factor / 16
		}
		scale := QuantizeInt8(c[:query.Unit], x)
		for i := range x[1:] { // move some quotients to a midpoint of two integers
			if middle := float32((float64(rng.IntN(253)-126) + 0.5) * float64(scale)); i%2 == 0 && math.Abs(float64(middle)) < float64(largestOf(x)) {
				x[i] = asmtest.Next(middle, rng.IntN(3)-1)
			}
		}
		if again := QuantizeInt8(c[:query.Unit], x); again > scale {
			t.Fatalf("scale %v became %v", scale, again)
		} else {
			scale = again
		}
		asmtest.SameSlices(t, "integers", floats(c[:query.Unit]), floats(quantized(x, scale)))
		q := make([]float32, query.Unit)
		for i, v := range x {
			q[i] = float32(c[i]) * scale
			if exact := float64(c[i]) * float64(scale); float64(q[i]) != exact || c[i] == -128 {
				t.Fatalf("%v·%v = %v is not exact", c[i], scale, exact)
			}
			if math.Abs(float64(v)-float64(q[i])) > 0.5*float64(scale) {
				t.Fatalf("%v is %v, with a scale of %v", v, q[i], scale)
			}
		}
		scales := make([]float32, query.Rows)
		scales[0] = scale
		query.SqEuclideanInt8(dst, q, c, scales)
		if dst[0] != 0 {
			t.Fatalf("the distance of a row from itself is %v", dst[0])
		}
	}
	if scale := QuantizeInt8(c[:2], []float32{0, 0}); scale != 0 || c[0] != 0 {
		t.Error(scale, c[:2])
	}
	if scale := QuantizeInt8(c[:2], []float32{1, -2}); c[1] != -127 || c[0] != 64 && c[0] != 63 {
		t.Error(scale, c[:2])
	}
	for _, v := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
		if scale := QuantizeInt8(c[:2], []float32{1, v}); scale == scale || c[0] != 0 || c[1] != 0 {
			t.Error(scale, c[:2])
		}
	}
}

func largestOf(x []float32) (top float32) {
	for _, v := range x {
		top = max(top, v, -v)
	}
	return top
}

func floats(c []int8) []float64 {
	out := make([]float64, len(c))
	for i, v := range c {
		out[i] = float64(v)
	}
	return out
}
