package query

import "math"

// Half is a format of numbers of 16 bits.
type Half uint8

const (
	// BFloat16 has the upper half of a float32: 8 significant bits.
	BFloat16 Half = iota
	// Float16 is IEEE 754 binary16: 11 significant bits, and numbers up to 65504.
	Float16
)

// Widen returns the float32 that h stands for, exactly.
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

// Narrow returns the number of the format that is nearest to v, the even one if two are. It
// returns false if v is not finite, or so large that it would be rounded to infinity.
func (f Half) Narrow(v float32) (uint16, bool) {
	b := math.Float32bits(v)
	sign, size := uint16(b>>31)<<15, b&^(1<<31)
	if f == BFloat16 {
		r := (size + 0x7fff + size>>16&1) >> 16
		return sign | uint16(r), r < 0x7f80 && size < 0x7f800000
	}
	const least = (127 - 14) << 23 // 2⁻¹⁴, the least normal number
	switch {
	case size >= 0x477ff000: // 65520
		return 0, false
	case size < least:
		// The last bit of numbers from ½ to 1 is worth that of a subnormal number.
		return sign | uint16(math.Float32bits(math.Float32frombits(size)+0.5)-math.Float32bits(0.5)), true
	}
	return sign | uint16((size-(127-15)<<23+0xfff+size>>13&1)>>13), true
}

// Quantize sets c to the integers from −127 to 127 by which scale·c is nearest to row, and returns
// the scale. It has at most 17 significant bits, so that scale·c is exact in float32. The
// largest size of row is about 127·scale. It returns false if that is beyond float32. Elements are finite.
func Quantize(c []int8, row []float32) (scale float32, ok bool) {
	largest := float32(0)
	for _, v := range row {
		largest = max(largest, v, -v)
	}
	if largest == 0 {
		clear(c)
		return 0, true
	}
	scale = math.Float32frombits(max(128, (math.Float32bits(largest/127)+127)&^127))
	for i, v := range row {
		n := math.RoundToEven(float64(v) / float64(scale))
		c[i] = int8(max(-127, min(127, n)))
	}
	return scale, 127*float64(scale) <= math.MaxFloat32
}
