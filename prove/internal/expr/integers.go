package expr

import (
	"math"
	"math/bits"
)

// integerRange returns the range of an operand as unsigned integers.
func (t *template) integerRange(i int32) (first, last uint64, ok bool) {
	v := t.eval(i)
	switch {
	case v.state == fixed:
		return v.bits, v.bits, true
	case v.state == integer, v.state == float && i == 0, v.state == isNaN && i == 0 && t.input:
		return v.first, v.last, true
	case v.state == float && (v.low > 0 || v.high < 0): // for one sign, the bits grow with the magnitude
		p, q := bitsFrom(t.code[i].width, v.low), bitsFrom(t.code[i].width, v.high)
		return min(p, q), max(p, q), true
	}
	return 0, 0, false
}

func fixedBits(width uint8, bits uint64) valueRange {
	return valueRange{state: fixed, bits: bits & (^uint64(0) >> (64 - 8*uint(width)))}
}

func spanValue(first, last uint64) valueRange {
	if first == last {
		return valueRange{state: fixed, bits: first}
	}
	return valueRange{state: integer, first: first, last: last}
}

// integerOperation returns the range of an operation on integers or bits.
func (t *template) integerOperation(in *instruction) valueRange {
	if in.op == ISub {
		if v, ok := t.subnormal(in); ok {
			return v
		}
	}
	if in.a < 0 {
		return valueRange{}
	}
	if in.op == Lookup && t.eval(in.a).state != fixed {
		return tableRange(in)
	}
	a, b, okA := t.integerRange(in.a)
	if !okA {
		return valueRange{}
	}
	c, d, okC := uint64(0), uint64(0), true
	if in.b >= 0 {
		c, d, okC = t.integerRange(in.b)
	}
	if !okC {
		return valueRange{}
	}
	if a == b && c == d {
		return t.exactOperation(in, a, c)
	}
	width := int(t.code[in.a].width)
	top := 8*width - 1
	mask := ^uint64(0) >> (64 - 8*uint(width))
	switch in.op {
	case ToHalf: // monotone for numbers of one sign
		if a>>top == b>>top {
			return spanValue(toHalf(a), toHalf(b))
		}
	case High:
		return spanValue(a>>32, b>>32)
	case IShr:
		return spanValue(a>>in.key, b>>in.key)
	case ISar:
		if a>>top == b>>top {
			return spanValue(shift(ISar, a, int(in.key), width), shift(ISar, b, int(in.key), width))
		}
	case IAdd, ISub:
		if in.a == in.b && in.op == IAdd && a>>top == b>>top { // doubling
			return spanValue(2*a&mask, 2*b&mask)
		}
		if in.op == IAdd && a == b && c != d { // the constant becomes the second operand
			a, b, c, d = c, d, a, b
		}
		by := c
		if in.op == ISub {
			by = -c
		}
		if c == d && (a+by)&mask <= (b+by)&mask {
			return spanValue((a+by)&mask, (b+by)&mask)
		}
	case IAnd: // a mask of the lowest bits
		if a == b && c != d {
			a, b, c, d = c, d, a, b
		}
		if c == d && c&(c+1) == 0 && a&^c == b&^c {
			return spanValue(a&c, b&c)
		}
		if c == d && c&(1<<bits.Len64(a^b)-1) == 0 { // all bits of the mask are above the bits that change in the region
			return spanValue(a&c, a&c)
		}
		if rest := mask &^ c; c == d && rest&(rest+1) == 0 { // a mask that clears the lowest bits
			return spanValue(a&c, b&c)
		}
	case IXor: // the highest bits are the same in the whole region
		if a == b && c != d {
			a, b, c, d = c, d, a, b
		}
		if c == d {
			free := uint64(1)<<bits.Len64(a^b) - 1
			return spanValue((a^c)&^free, (a^c)|free)
		}
	case INz:
		if a > 0 {
			return truthValue(true)
		}
	case IGt:
		if x, y, z := signed(a, width), signed(b, width), signed(c, width); a>>top == b>>top && c == d && (x > z) == (y > z) {
			return truthValue(x > z)
		}
	}
	return valueRange{}
}

// tableRange bounds the entries of a table. It returns an unknown range if an entry is not a
// positive finite number.
func tableRange(in *instruction) valueRange {
	v := valueRange{state: float, low: math.Inf(1), high: math.Inf(-1)}
	for _, entry := range in.list {
		x := value(&node{width: in.width, key: entry})
		if !(x > 0) || math.IsInf(x, 0) {
			return valueRange{}
		}
		v.low, v.high = min(v.low, x), max(v.high, x)
	}
	return v
}

// exactOperation computes an integer operation on one or two known integers.
func (t *template) exactOperation(in *instruction, x, y uint64) valueRange {
	from := int(t.code[in.a].width)
	switch in.op {
	case ToHalf:
		return fixedBits(4, toHalf(x))
	case Low:
		return fixedBits(4, x)
	case High:
		return fixedBits(4, x>>32)
	case Cat:
		return fixedBits(8, x|y<<32)
	case IAdd:
		return fixedBits(in.width, x+y)
	case ISub:
		return fixedBits(in.width, x-y)
	case IAnd:
		return fixedBits(in.width, x&y)
	case IOr:
		return fixedBits(in.width, x|y)
	case IXor:
		return fixedBits(in.width, x^y)
	case IShl, IShr, ISar:
		return fixedBits(in.width, shift(in.op, x, int(in.key), int(in.width)))
	case IGt:
		return truthValue(signed(x, from) > signed(y, from))
	case INz:
		return truthValue(x != 0)
	case FromInt:
		return fixedBits(in.width, fromInt(in.width, signed(x, from)))
	case Extend:
		return fixedBits(8, uint64(signed(x, 4)))
	case Lookup:
		if x < uint64(len(in.list)) {
			return fixedBits(in.width, in.list[x])
		}
	}
	return valueRange{}
}
