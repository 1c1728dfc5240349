package query

import "math"

// Half is a 16-bit floating-point format.
type Half uint8

const (
	// BFloat16 is the upper half of a float32, with 8 significant bits.
	BFloat16 Half = iota
	// Float16 is IEEE 754 binary16: 11 significant bits, and numbers up to 65504.
	Float16
)

// Widen returns the exact value of h.
func (f Half) Widen(h uint16) float32 {
	if f == BFloat16 {
		return math.Float32frombits(uint32(h) << 16)
	}
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&(1<<10-1)
	switch exponent {
	case 0:
		v := float32(fraction) * 0x1p-24
		return math.Float32frombits(sign | math.Float32bits(v))
	case 31:
		exponent = 255
	default:
		exponent += 127 - 15
	}
	return math.Float32frombits(sign | exponent<<23 | fraction<<13)
}

// Nearest rounds v to the nearest number of the format, with ties to even. Numbers beyond the range
// become infinite. A NaN becomes the positive NaN with only the first bit of the fraction set.
func (f Half) Nearest(v float32) uint16 { return uint16(f.nearest(v)) }

func (f Half) nearest(v float32) uint32 {
	b := math.Float32bits(v)
	if f == BFloat16 {
		b += 0x7fff + b>>16&1
		if v != v {
			b = 0x7fc00000
		}
		return b >> 16
	}
	sign, size := b>>16&(1<<15), b&^(1<<31)
	switch x := math.Float32frombits(size); {
	case v != v:
		return 0x7e00
	case x >= 65520:
		return sign | 0x7c00
	case x < 0x1p-14: // x + ½ is rounded to a multiple of 2^-24, the smallest subnormal Float16.
		return sign | (math.Float32bits(x+0.5) - math.Float32bits(0.5))
	}
	return sign | (size-(127-15)<<23+0xfff+size>>13&1)>>13
}

// Narrow returns [Half.Nearest] of v, and reports whether the result is finite.
func (f Half) Narrow(v float32) (uint16, bool) {
	infinity := uint16(0x7f80)
	if f == Float16 {
		infinity = 0x7c00
	}
	h := f.Nearest(v)
	return h, h&infinity != infinity
}
