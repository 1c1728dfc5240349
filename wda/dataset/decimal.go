package dataset

import (
	"math"
	"math/bits"
)

// parseDecimal parses the number at the beginning of text in the usual form: a sign, up to 19
// digits after leading zeros, a point, and an exponent; only the digits are required. n is the
// number of bytes parsed. The value is the same as that of strconv.ParseFloat: the nearest
// float64, ties to even. For all other texts, n is 0, even if strconv.ParseFloat accepts them.
func parseDecimal(text []byte) (v float64, n int) {
	i := 0
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		i = 1
	}
	const full = 1e18 // if m ≥ full, another digit may overflow m
	m, digits, point := uint64(0), 0, -1
	for ; i < len(text); i++ {
		c := text[i] - '0'
		if c > 9 {
			if text[i] != '.' || point >= 0 {
				break
			}
			point = digits
			continue
		}
		if m >= full {
			return 0, 0
		}
		m = 10*m + uint64(c)
		digits++
	}
	if digits == 0 {
		return 0, 0
	}
	scale := 0 // m / 10^scale
	if point >= 0 {
		scale = digits - point
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		e, used := parseExponent(text[i+1:])
		if used == 0 {
			return 0, 0
		}
		scale -= e
		i += 1 + used
	}
	v, ok := quotient(m, scale)
	if !ok {
		return 0, 0
	}
	if text[0] == '-' {
		v = -v
	}
	return v, i
}

// parseExponent parses an integer of at most three digits.
func parseExponent(text []byte) (e, n int) {
	i := 0
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		i = 1
	}
	first := i
	for ; i < len(text); i++ {
		c := text[i] - '0'
		if c > 9 {
			break
		}
		if i == first+3 {
			return 0, 0
		}
		e = 10*e + int(c)
	}
	if i == first {
		return 0, 0
	}
	if text[0] == '-' {
		e = -e
	}
	return e, i
}

// quotient returns the float64 nearest to m/10^scale. It returns false if a single division cannot
// give the correctly rounded result.
func quotient(m uint64, scale int) (float64, bool) {
	switch {
	case m < 1<<53 && 0 <= scale && scale < len(tens): // float64(m) and tens[scale] are exact: only the quotient is rounded
		return float64(m) / tens[scale], true
	case m < 1<<53 && -len(tens) < scale && scale < 0:
		return float64(m) * tens[-scale], true
	case scale < 0 || scale > 19:
		return 0, false
	}
	// Let d = 10^scale. Shift m left by s bits and d by t bits, so that the highest bit of each is 1.
	// q is the integer part of 2^63·(m·2^s)/(d·2^t), which is at least 2^62. If there is a
	// remainder, set the last bit of q, so that the conversion to float64 rounds correctly.
	d := uint64(1)
	for range scale {
		d *= 10
	}
	s, t := bits.LeadingZeros64(m), bits.LeadingZeros64(d)
	m <<= s
	q, rest := bits.Div64(m>>1, m<<63, d<<t)
	if rest != 0 {
		q |= 1
	}
	return float64(q) * math.Float64frombits(uint64(1023+t-s-63)<<52), true
}

// tens contains the powers of ten that are exact in float64.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}
