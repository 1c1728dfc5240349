package processor

import (
	"math"
	"math/rand/v2"
)

// Integer returns a random 64-bit integer, often a special value.
func Integer(rng *rand.Rand) uint64 {
	whole := []uint64{0, 1, math.MaxUint64, math.MaxInt64, 1 << 63, math.MaxInt32, 1 << 31, math.MaxUint32}
	switch rng.IntN(3) {
	case 0:
		return whole[rng.IntN(len(whole))]
	case 1:
		return uint64(rng.IntN(200) - 100)
	}
	return rng.Uint64()
}

// Float64 returns the bits of a random float64, often a special value. Numbers with few bits make
// sums and products that are exact, that cancel, or that lie halfway between two numbers.
func Float64(rng *rand.Rand) uint64 {
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -0x1.8p-1023, 0x1p-1022,
		math.MaxFloat64, math.MaxFloat32, 0x1.ffffffp127, 1 + 0x1p-52, 1 + 0x1p-24, 1 + 0x3p-24, 0x1p-53, 0x1p-149, 0x1p-150, 0x3p-150}
	switch rng.IntN(4) {
	case 0:
		return math.Float64bits(special[rng.IntN(len(special))])
	case 1:
		return math.Float64bits(math.Ldexp(float64(rng.IntN(64)-32), rng.IntN(120)-60))
	case 2:
		return math.Float64bits((rng.Float64() - 0.5) * math.Ldexp(1, rng.IntN(100)-50))
	}
	return rng.Uint64()
}

// Float32 returns the bits of a random float32. See Float64.
func Float32(rng *rand.Rand) uint32 {
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
		0x1p-149, -0x1.8p-127, 0x1p-126, math.MaxFloat32, 1 + 0x1p-23, 1 - 0x1p-24, 0x1p-24}
	switch rng.IntN(4) {
	case 0:
		return math.Float32bits(special[rng.IntN(len(special))])
	case 1:
		return math.Float32bits(float32(math.Ldexp(float64(rng.IntN(64)-32), rng.IntN(60)-30)))
	case 2:
		return math.Float32bits(float32((rng.Float64() - 0.5) * math.Ldexp(1, rng.IntN(40)-20)))
	}
	return rng.Uint32()
}

// FillVector fills cells of 4 bytes with random float32 or float64 values.
func FillVector(rng *rand.Rand, single bool, to []uint32) {
	for n := 0; n < len(to); n += 2 {
		if single {
			to[n], to[n+1] = Float32(rng), Float32(rng)
		} else {
			v := Float64(rng)
			to[n], to[n+1] = uint32(v), uint32(v>>32)
		}
	}
}
