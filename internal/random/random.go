// Package random draws random numbers with the same bits on every machine. It uses the generator
// PCG (O'Neill 2014, as specified by math/rand/v2), seeded by a seed and a purpose. Unlike
// rand.NormFloat64, the function Normal does not use math.Log, whose last bits differ between
// machines.
package random

import (
	"math"
	"math/rand/v2"

	"github.com/gomonge/monge/internal/asm/num"
)

// New returns the random number generator of a stream. One seed serves several purposes. Each
// purpose has its own stream, so that its numbers do not depend on the numbers drawn for other
// purposes.
//
// New mixes seed and stream first, because PCG generators with the seeds 1, 2, 3, … would share the
// low half of their state forever.
func New(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(mix(seed), mix(seed^mix(stream))))
}

// mix is the SplitMix64 output function (Steele, Lea, Flood 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Normal returns a standard normal deviate (Leva, A fast normal random number generator, ACM TOMS
// 18 (1992) 449–453). It uses a logarithm only in a comparison. The results of rand.NormFloat64
// sometimes contain the last bits of math.Log, which differ between machines.
func Normal(rng *rand.Rand) float64 {
	for {
		// The conversions to float64 forbid fused multiply-adds.
		u := 1 - float64(rng.Float64()) // (0, 1]
		v := 1.7156 * (float64(rng.Float64()) - 0.5)
		x := u - 0.449871
		y := math.Abs(v) + 0.386595
		q := float64(x*x) + float64(y*(float64(0.19600*y)-float64(0.25472*x)))
		if q < 0.27597 {
			return v / u
		}
		if q <= 0.27846 && float64(v*v) <= float64(-4*float64(u*u))*num.Log(u) {
			return v / u
		}
	}
}
