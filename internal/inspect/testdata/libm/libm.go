// Package libm calls functions whose last bits differ between machines, in lines that end in
// "libm". The functions on other lines return the same bits on every machine.
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
