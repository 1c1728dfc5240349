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

// value_ is the known range of an expression while the variable is in a region.
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
// whether it is excluded by a condition. It guides the search for regions; see same for the proof.
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
	if !known || t.settled(t.x) && t.settled(t.y) {
		return known
	}
	return t.scales && t.eval(t.x).state == fixed && t.eval(t.y).state == fixed
}

// settled reports whether the conditions and integers that an expression depends on are known. It
// does not bound floating-point results that are only passed on, which takes most of the time.
func (t *template) settled(i int32) bool {
	if t.seen[i].stamp == t.stamp {
		return t.seen[i].yes
	}
	settled := false
	switch in := &t.code[i]; in.op {
	case Lookup:
		settled = t.eval(in.a).state == fixed
	case ScaleF:
		settled = t.settled(in.a) && t.eval(in.b).state == fixed
	case Add, Mul, Div, FMA, Neg, Widen, Narrow:
		settled = t.settled(in.a) && (in.b < 0 || t.settled(in.b)) && (in.c < 0 || t.settled(in.c))
	case Select:
		switch t.eval(in.c).state {
		case yes:
			settled = t.settled(in.a)
		case no:
			settled = t.settled(in.b)
		}
	default:
		settled = t.eval(i).state != unknown
	}
	t.seen[i].stamp, t.seen[i].yes = t.stamp, settled
	return settled
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
	if t.forms == nil || t.forms.Len() > 1<<16 {
		t.forms = New()
	}
	b := builder{t, t.forms, map[int32]Node{}, map[int32]unsigned{}}
	p, q := b.build(t.x), b.build(t.y)
	return p == q && p != 0
}

// nanEqual reports whether the expressions are equal where the variable is NaN. Of the bits of a NaN
// nothing is known but its sign, one after the other, and even that only of an input.
func (t *template) nanEqual() bool {
	first := uint64(t.infinity()) + 1
	last := uint64(1)<<(8*t.width-1) - 1
	for _, sign := range []uint64{0, last + 1} {
		t.stamp++
		t.state[0] = value_{state: isNaN, stamp: t.stamp, first: sign | first, last: sign | last}
		if t.excluded() {
			continue
		}
		x, y := t.eval(t.x), t.eval(t.y)
		switch {
		case x.state == fixed && y.state == fixed:
			if x.bits != y.bits {
				return false
			}
		case x.state == unknown || x.state == float || x.state == integer || x.state != y.state:
			return false
		}
	}
	return true
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
	case integer: // the bits of a number, which grow with its size
		w := t.code[i].width
		low, high = value(&node{width: w, key: v.first}), value(&node{width: w, key: v.last})
		if math.Signbit(low) {
			low, high = high, low
		}
		return low, high, false, math.Signbit(low) == math.Signbit(high) && low == low && high == high
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
	case in.a == in.b: // a number that is no NaN
		return truthValue(in.op != Lt)
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
	if in.op == ScaleF { // an infinite exponent makes a number even of a NaN
		if l, h, nan, ok := t.interval(in.b); !ok || !nan && (math.IsInf(l, 0) || math.IsInf(h, 0)) {
			return value_{}
		}
	}
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
	f := in.f
	if exact {
		x := f(low[0], low[1], low[2])
		if x != x {
			return value_{state: isNaN}
		}
		return value_{state: fixed, bits: bitsFrom(in.width, x)}
	}
	if in.op == Mul || in.op == FMA { // 0·∞ is a NaN, which may lie between the ends
		for n := range 2 {
			if low[n] <= 0 && high[n] >= 0 && (math.IsInf(low[1-n], 0) || math.IsInf(high[1-n], 0)) {
				return value_{}
			}
		}
	}
	v := value_{state: float, low: math.Inf(1), high: math.Inf(-1)}
	var varies int
	for n := range low {
		if low[n] != high[n] {
			varies |= 1 << n
		}
	}
	for corner := range 8 {
		if corner&^varies != 0 {
			continue
		}
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
	if in.op == FMA && in.key == 1 {
		t.reduced(in, &v)
	}
	positive := low[0] > 0 && (in.op == ScaleF || in.op == Mul && low[1] > 0) // and so a zero is +0
	if v.low == v.high && (v.low != 0 || positive) {
		return value_{state: fixed, bits: bitsFrom(in.width, v.low)}
	}
	return v
}

// reduced bounds x − k·c where k = (x·b + m) − m, if the sum x·b + m lies in the binade of m. Let u be
// the last place there. The difference is exact, so k = x·b + δ with |δ| ≤ u/2, and x − k·c =
// x·(1 − b·c) − δ·c.
func (t *template) reduced(in *instruction, v *value_) {
	constant := func(i int32) (float64, bool) {
		c := &t.code[i]
		return value(&node{width: c.width, key: c.key}), c.op == Const
	}
	x := in.c
	for _, o := range [2][2]int32{{in.a, in.b}, {in.b, in.a}} {
		k := &t.code[o[0]]
		c, ok := constant(o[1])
		if !ok || k.op != Add {
			continue
		}
		for _, p := range [2][2]int32{{k.a, k.b}, {k.b, k.a}} {
			sum := &t.code[p[0]]
			minus, ok := constant(p[1])
			if !ok || sum.op != FMA || sum.key != 0 {
				continue
			}
			m, okM := constant(sum.c)
			b, okB := constant(sum.b)
			if sum.b == x {
				b, okB = constant(sum.a)
			} else if sum.a != x {
				continue
			}
			low, high, nan, ok := t.interval(p[0])
			first, last, _, okX := t.interval(x)
			_, e := math.Frexp(m)
			if !okM || !okB || minus != -m || !ok || nan || !okX || m <= 0 || low < math.Ldexp(1, e-1) || high >= math.Ldexp(1, e) {
				continue
			}
			u := math.Ldexp(1, e-53)
			if in.width == 4 {
				u = math.Ldexp(1, e-24)
			}
			bound := max(math.Abs(first), math.Abs(last))*math.Abs(math.FMA(b, c, -1)) + u/2*math.Abs(c)
			bound = round(in.width, bound*(1+0x1p-20)) // the roundings of this line are below 2^-50
			v.low, v.high = max(v.low, -bound), min(v.high, bound)
			return
		}
	}
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
		return func(x, k, _ float64) float64 { return scale(in.width, x, int(max(-5000, min(math.Floor(k), 5000)))) }
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
