package simplex

import (
	"math"
	"math/bits"
)

// int128 is an integer of 128 bits.
type int128 struct {
	hi int64
	lo uint64
}

func (x int128) plus(y int128) int128 {
	lo, carry := bits.Add64(x.lo, y.lo, 0)
	return int128{x.hi + y.hi + int64(carry), lo}
}

func (x int128) minus(y int128) int128 {
	lo, borrow := bits.Sub64(x.lo, y.lo, 0)
	return int128{x.hi - y.hi - int64(borrow), lo}
}

func (x int128) less(y int128) bool { return x.hi < y.hi || x.hi == y.hi && x.lo < y.lo }

func (x int128) positive() bool { return x.hi > 0 || x.hi == 0 && x.lo > 0 }

// shift returns ⌊x·2^k⌋.
func (x int128) shift(k int) int128 {
	switch {
	case k >= 64:
		return int128{int64(x.lo << (k - 64)), 0}
	case k >= 0:
		return int128{x.hi<<k | int64(x.lo>>(64-k)), x.lo << k}
	case k > -64:
		return int128{x.hi >> -k, x.lo>>-k | uint64(x.hi)<<(64+k)}
	}
	return int128{x.hi >> 63, uint64(x.hi >> min(63, -k-64))}
}

// atLeastOne returns x, or 1 if x is 0.
func atLeastOne(x int128) int128 {
	if x == (int128{}) {
		return int128{0, 1}
	}
	return x
}

// int128Of returns ⌊w·2^k⌋ for a finite w ≥ 0.
func int128Of(w float64, k int) int128 {
	fraction, exponent := math.Frexp(w)
	k += exponent - 53
	if k < -128 {
		return int128{}
	}
	return int128{0, uint64(int64(fraction * 0x1p53))}.shift(k)
}

// toFloat returns x·2^k for x ≥ 0, with a single rounding.
func (x int128) toFloat(k int) float64 {
	if x.hi == 0 {
		return math.Ldexp(float64(x.lo), k)
	}
	zeros := bits.LeadingZeros64(uint64(x.hi))
	top := uint64(x.hi)<<zeros | x.lo>>(64-zeros)
	if x.lo<<zeros != 0 {
		top |= 1 // a sticky bit: Ldexp must not round an inexact value as a tie
	}
	return math.Ldexp(float64(top), k+64-zeros)
}

// toSignedFloat returns x·2^k with a single rounding.
func (x int128) toSignedFloat(k int) float64 {
	if x.hi < 0 {
		return -int128{}.minus(x).toFloat(k)
	}
	return x.toFloat(k)
}
