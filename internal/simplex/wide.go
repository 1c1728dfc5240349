package simplex

import (
	"math"
	"math/bits"
)

// wide is an integer of 128 bits.
type wide struct {
	hi int64
	lo uint64
}

func (x wide) plus(y wide) wide {
	lo, carry := bits.Add64(x.lo, y.lo, 0)
	return wide{x.hi + y.hi + int64(carry), lo}
}

func (x wide) minus(y wide) wide {
	lo, borrow := bits.Sub64(x.lo, y.lo, 0)
	return wide{x.hi - y.hi - int64(borrow), lo}
}

func (x wide) less(y wide) bool { return x.hi < y.hi || x.hi == y.hi && x.lo < y.lo }

func (x wide) positive() bool { return x.hi > 0 || x.hi == 0 && x.lo > 0 }

// shift returns ⌊x·2^k⌋.
func (x wide) shift(k int) wide {
	switch {
	case k >= 64:
		return wide{int64(x.lo << (k - 64)), 0}
	case k >= 0:
		return wide{x.hi<<k | int64(x.lo>>(64-k)), x.lo << k}
	case k > -64:
		return wide{x.hi >> -k, x.lo>>-k | uint64(x.hi)<<(64+k)}
	}
	return wide{x.hi >> 63, uint64(x.hi >> min(63, -k-64))}
}

// atLeastOne returns x, or 1 if it is 0.
func atLeastOne(x wide) wide {
	if x == (wide{}) {
		return wide{0, 1}
	}
	return x
}

// wideOf returns ⌊w·2^k⌋ for a finite w ≥ 0.
func wideOf(w float64, k int) wide {
	fraction, exponent := math.Frexp(w)
	k += exponent - 53
	if k < -128 {
		return wide{}
	}
	return wide{0, uint64(int64(fraction * 0x1p53))}.shift(k)
}

// float returns x·2^k, rounded once, for x ≥ 0.
func (x wide) float(k int) float64 {
	if x.hi == 0 {
		return math.Ldexp(float64(x.lo), k)
	}
	zeros := bits.LeadingZeros64(uint64(x.hi))
	top := uint64(x.hi)<<zeros | x.lo>>(64-zeros)
	if x.lo<<zeros != 0 {
		top |= 1 // to the side of the middle on which x is
	}
	return math.Ldexp(float64(top), k+64-zeros)
}

// signed is float for an x of any sign.
func (x wide) signed(k int) float64 {
	if x.hi < 0 {
		return -wide{}.minus(x).float(k)
	}
	return x.float(k)
}
