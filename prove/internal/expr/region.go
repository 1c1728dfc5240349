package expr

import "math"

type state uint8

const (
	unknown state = iota
	fixed         // the bits are known
	float         // a number from low to high
	integer       // an unsigned integer from first to last
	isNaN
	yes
	no
)

// value_ is what is known of an expression while the variable lies in a region.
type value_ struct {
	state       state
	stamp       int32
	bits        uint64
	low, high   float64
	first, last uint64
}

// set begins a region of the variable.
func (t *template) set(low, high int64) {
	t.stamp++
	t.low, t.high = low, high
	p, q := bitsOf(low, t.width), bitsOf(high, t.width)
	v := value_{state: float, stamp: t.stamp, low: t.number(p), high: t.number(q), first: min(p, q), last: max(p, q)}
	if low == high {
		v.state, v.bits = fixed, p
	}
	t.state[0] = v
}

// resolved reports whether all conditions and integers that count are known in a region, or
// whether it is excluded by a condition.
func (t *template) resolved(low, high int64) bool {
	t.set(low, high)
	known := true
	for i, c := range t.conditions {
		v := t.eval(c)
		if v.state == yes != t.values[i] && (v.state == yes || v.state == no) {
			return true
		}
		known = known && v.state != unknown
	}
	if !known {
		return false
	}
	x, y := t.eval(t.x), t.eval(t.y)
	return x.state != unknown && y.state != unknown
}

// excluded reports whether a condition does not hold in the region.
func (t *template) excluded() bool {
	for i, c := range t.conditions {
		if v := t.eval(c); (v.state == yes || v.state == no) && (v.state == yes) != t.values[i] {
			return true
		}
	}
	return false
}

// same reports whether the two expressions are equal in a region that is resolved.
func (t *template) same(low, high int64) bool {
	t.set(low, high)
	if t.excluded() {
		return true
	}
	x, y := t.eval(t.x), t.eval(t.y)
	switch {
	case x.state == unknown || y.state == unknown:
		return false
	case x.state == isNaN || y.state == isNaN:
		return x.state == y.state
	case x.state == fixed && y.state == fixed:
		return x.bits == y.bits
	case x.state == yes || x.state == no:
		return x.state == y.state
	}
	b := builder{t, New(), map[int32]Node{}}
	p, q := b.build(t.x), b.build(t.y)
	return p == q && p != 0
}

// nanEqual reports whether the expressions are equal where the variable is NaN. Nothing is
// known of the bits of a NaN.
func (t *template) nanEqual() bool {
	t.stamp++
	t.state[0] = value_{state: isNaN, stamp: t.stamp}
	if t.excluded() {
		return true
	}
	x, y := t.eval(t.x), t.eval(t.y)
	switch {
	case x.state == fixed && y.state == fixed:
		return x.bits == y.bits
	case x.state == unknown || x.state == float || x.state == integer:
		return false
	}
	return x.state == y.state
}

func (t *template) eval(i int32) value_ {
	if t.state[i].stamp == t.stamp {
		return t.state[i]
	}
	v := t.compute(&t.code[i])
	if v.state == fixed && t.isNaNBits(v.bits, int(t.code[i].width)) && isFloat(t.code[i].op) {
		v.state = isNaN
	}
	v.stamp = t.stamp
	t.state[i] = v
	return v
}

func isFloat(op Op) bool {
	switch op {
	case Add, Mul, Div, FMA, Widen, Narrow, ScaleF:
		return true
	}
	return false
}

func (t *template) isNaNBits(bits uint64, width int) bool {
	x := value(&node{width: uint8(width), key: bits})
	return width >= 4 && x != x
}

func (t *template) compute(in *instruction) value_ {
	switch in.op {
	case Const:
		if in.width == 1 {
			return truthValue(in.key != 0)
		}
		return value_{state: fixed, bits: in.key}
	case Not:
		return opposite(t.eval(in.a))
	case And:
		all := value_{state: yes}
		for _, o := range in.list {
			switch t.eval(int32(o)).state {
			case no:
				return value_{state: no}
			case yes:
			default:
				all.state = unknown
			}
		}
		return all
	case Select:
		switch t.eval(in.c).state {
		case yes:
			return t.eval(in.a)
		case no:
			return t.eval(in.b)
		}
		return value_{}
	case Lt, Le, Eq:
		return t.comparison(in)
	case Add, Mul, Div, FMA, Neg, Widen, Narrow, ScaleF:
		return t.arithmetic(in)
	}
	return t.integers(in)
}

func truthValue(b bool) value_ {
	if b {
		return value_{state: yes}
	}
	return value_{state: no}
}

func opposite(v value_) value_ {
	switch v.state {
	case yes:
		return value_{state: no}
	case no:
		return value_{state: yes}
	}
	return value_{}
}

// interval returns an operand as numbers from low to high, or as NaN.
func (t *template) interval(i int32) (low, high float64, nan, ok bool) {
	v := t.eval(i)
	switch v.state {
	case fixed:
		x := value(&node{width: t.code[i].width, key: v.bits})
		return x, x, x != x, true
	case float:
		return v.low, v.high, false, true
	case isNaN:
		return 0, 0, true, true
	}
	return 0, 0, false, false
}

func (t *template) comparison(in *instruction) value_ {
	a, b, nanA, okA := t.interval(in.a)
	c, d, nanC, okC := t.interval(in.b)
	switch {
	case okA && nanA || okC && nanC:
		return value_{state: no}
	case !okA || !okC:
		return value_{}
	}
	switch in.op {
	case Lt:
		if b < c || a >= d {
			return truthValue(b < c)
		}
	case Le:
		if b <= c || a > d {
			return truthValue(b <= c)
		}
	case Eq:
		if a == b && c == d || b < c || d < a {
			return truthValue(a == c)
		}
	}
	return value_{}
}

// round rounds a sum, a product or a quotient of two numbers of a width, computed in float64.
func round(width uint8, x float64) float64 {
	if width == 4 {
		return float64(float32(x))
	}
	return x
}

func bitsFrom(width uint8, x float64) uint64 {
	if width == 4 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// arithmetic bounds the result of a floating-point operation. Rounding to nearest is monotone,
// so bounds are the rounded results of bounds.
func (t *template) arithmetic(in *instruction) value_ {
	var low, high [3]float64
	known, exact := true, true
	for n, o := range [3]int32{in.a, in.b, in.c} {
		if o < 0 {
			continue
		}
		l, h, nan, ok := t.interval(o)
		if nan {
			return value_{state: isNaN}
		}
		known = known && ok
		exact = exact && t.state[o].state == fixed
		low[n], high[n] = l, h
	}
	if !known {
		return value_{}
	}
	f := operation(in)
	if in.op == ScaleF && (low[1] != high[1] || math.IsInf(low[1], 0)) {
		return value_{}
	}
	if exact {
		x := f(low[0], low[1], low[2])
		if x != x {
			return value_{state: isNaN}
		}
		return value_{state: fixed, bits: bitsFrom(in.width, x)}
	}
	v := value_{state: float, low: math.Inf(1), high: math.Inf(-1)}
	for corner := range 8 {
		at := func(n int) float64 {
			if corner>>n&1 != 0 {
				return high[n]
			}
			return low[n]
		}
		x := f(at(0), at(1), at(2))
		if x != x || in.op == Div && (low[1] <= 0 && high[1] >= 0) {
			return value_{}
		}
		v.low, v.high = min(v.low, x), max(v.high, x)
	}
	if v.low == v.high && v.low != 0 {
		return value_{state: fixed, bits: bitsFrom(in.width, v.low)}
	}
	return v
}

// operation returns the floating-point operation of an instruction. It is monotone in every
// operand, for fixed values of the others.
func operation(in *instruction) func(x, y, z float64) float64 {
	switch in.op {
	case Add:
		return func(x, y, _ float64) float64 { return round(in.width, x+y) }
	case Mul:
		return func(x, y, _ float64) float64 { return round(in.width, x*y) }
	case Div:
		return func(x, y, _ float64) float64 { return round(in.width, x/y) }
	case Neg:
		return func(x, _, _ float64) float64 { return -x }
	case Widen:
		return func(x, _, _ float64) float64 { return x }
	case Narrow:
		return func(x, _, _ float64) float64 { return round(4, x) }
	case ScaleF:
		return func(x, k, _ float64) float64 { return scale(in.width, x, int(math.Floor(k))) }
	}
	return func(x, y, z float64) float64 {
		if in.key == 1 {
			x = -x
		}
		if in.width == 4 {
			return float64(fma32(x, y, z))
		}
		return math.FMA(x, y, z)
	}
}

// scale returns x·2^k, rounded once to a width.
func scale(width uint8, x float64, k int) float64 {
	return round(width, math.Ldexp(x, max(-5000, min(k, 5000))))
}

// span returns an operand as unsigned integers from first to last.
func (t *template) span(i int32) (first, last uint64, ok bool) {
	v := t.eval(i)
	switch {
	case v.state == fixed:
		return v.bits, v.bits, true
	case v.state == integer, v.state == float && i == 0:
		return v.first, v.last, true
	}
	return 0, 0, false
}

func fixedBits(width uint8, bits uint64) value_ {
	return value_{state: fixed, bits: bits & (^uint64(0) >> (64 - 8*uint(width)))}
}

func spanValue(first, last uint64) value_ {
	if first == last {
		return value_{state: fixed, bits: first}
	}
	return value_{state: integer, first: first, last: last}
}

// integers computes an operation on integers or on bits.
func (t *template) integers(in *instruction) value_ {
	if in.op == ISub {
		if v, ok := t.subnormal(in); ok {
			return v
		}
	}
	if in.a < 0 {
		return value_{}
	}
	a, b, okA := t.span(in.a)
	if !okA {
		return value_{}
	}
	c, d, okC := uint64(0), uint64(0), true
	if in.b >= 0 {
		c, d, okC = t.span(in.b)
	}
	if !okC {
		return value_{}
	}
	if a == b && c == d {
		return t.exactly(in, a, c)
	}
	width := int(t.code[in.a].width)
	top := 8*width - 1
	switch in.op {
	case High:
		return spanValue(a>>32, b>>32)
	case IShr:
		return spanValue(a>>in.key, b>>in.key)
	case IAdd: // twice a number
		if in.a == in.b && a>>top == b>>top {
			mask := ^uint64(0) >> (64 - 8*uint(width))
			return spanValue(2*a&mask, 2*b&mask)
		}
	case IGt:
		if x, y, z := signed(a, width), signed(b, width), signed(c, width); a>>top == b>>top && c == d && (x > z) == (y > z) {
			return truthValue(x > z)
		}
	}
	return value_{}
}

// exactly computes an operation on two integers.
func (t *template) exactly(in *instruction, x, y uint64) value_ {
	from := int(t.code[in.a].width)
	switch in.op {
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
	case Extend:
		return fixedBits(8, uint64(signed(x, 4)))
	case Lookup:
		if x < uint64(len(in.list)) {
			return fixedBits(in.width, in.list[x])
		}
	}
	return value_{}
}
