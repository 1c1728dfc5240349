// Package libm is test data. The comment "libm" marks every line that uses a function whose last
// bits differ between machines.
package libm

import (
	m "math"
	"math/rand/v2"
)

var table = []func(float64) float64{
	m.Sqrt,
	m.Log2, // libm
}

func use(rng *rand.Rand, x float64) float64 {
	x += m.Abs(x) + m.FMA(x, x, x)
	x += m.Exp(x)          // libm
	x += m.Atan2(x, x)     // libm
	x += rng.NormFloat64() // libm
	return x + rng.Float64() + m.Floor(x)
}
