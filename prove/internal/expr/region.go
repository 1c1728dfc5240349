package expr

import "math"

type state uint8

const (
	unknown state = iota
	fixed         // known bits
	float         // a number between the fields low and high
	integer       // an unsigned integer between the fields first and last
	isNaN
	yes
	no
)

// valueRange is the known range of an expression while the variable is in the current region.
type valueRange struct {
	state       state
	stamp       int32
	bits        uint64
	low, high   float64
	first, last uint64
}

// setRegion restricts the variable to the region from low to high. It invalidates the cached ranges
// of all expressions.
func (t *template) setRegion(low, high int64) {
	t.stamp++
	t.low, t.high = low, high
	p, q := bitsAt(low, t.width), bitsAt(high, t.width)
	v := valueRange{state: float, stamp: t.stamp, low: t.number(p), high: t.number(q), first: min(p, q), last: max(p, q)}
	if low == high {
		v.state, v.bits = fixed, p
	}
	t.state[0] = v
}

// resolved reports whether a region needs no further split. A region is resolved if an assumed
// condition excludes the region, or if all conditions and integers that the expressions depend on
// are known. The result only selects regions. For each region, equalInRegion does the proof.
func (t *template) resolved(low, high int64) bool {
	t.setRegion(low, high)
	known := true
	for i, c := range t.conditions {
		v := t.eval(c)
		if v.state == yes != t.values[i] && (v.state == yes || v.state == no) {
			return true
		}
		known = known && v.state != unknown
	}
	if !known || t.isSettled(t.x) && t.isSettled(t.y) {
		return known
	}
	return t.hasScaleF && t.eval(t.x).state == fixed && t.eval(t.y).state == fixed
}

// isSettled reports whether the conditions and integers that an expression depends on are known. To
// save time, it bounds a floating-point result only if these conditions or integers use the result.
func (t *template) isSettled(i int32) bool {
	if t.settledCache[i].stamp == t.stamp {
		return t.settledCache[i].yes
	}
	settled := false
	switch in := &t.code[i]; in.op {
	case Lookup:
		settled = t.eval(in.a).state == fixed
	case ScaleF:
		settled = t.isSettled(in.a) && t.eval(in.b).state == fixed
	case Add, Mul, Div, FMA, Neg, Widen, Narrow:
		settled = t.isSettled(in.a) && (in.b < 0 || t.isSettled(in.b)) && (in.c < 0 || t.isSettled(in.c))
	case Select:
		switch t.eval(in.c).state {
		case yes:
			settled = t.isSettled(in.a)
		case no:
			settled = t.isSettled(in.b)
		}
	default:
		settled = t.eval(i).state != unknown
	}
	t.settledCache[i].stamp, t.settledCache[i].yes = t.stamp, settled
	return settled
}

// isExcluded reports whether an assumed condition is violated in the whole region.
func (t *template) isExcluded() bool {
	for i, c := range t.conditions {
		if v := t.eval(c); (v.state == yes || v.state == no) && (v.state == yes) != t.values[i] {
			return true
		}
	}
	return false
}

// equalInRegion reports whether it can prove that the two expressions are equal in a region that
// needs no further split.
func (t *template) equalInRegion(low, high int64) bool {
	t.setRegion(low, high)
	if t.isExcluded() {
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
	if t.scaledGraph == nil || t.scaledGraph.Len() > 1<<16 {
		t.scaledGraph = New()
	}
	b := builder{t, t.scaledGraph, map[int32]Node{}, map[int32]signedNode{}}
	p, q := b.build(t.x), b.build(t.y)
	return p == q && p != 0
}

// nanEqual reports whether the two expressions are equal if the variable is NaN. It tries positive
// and negative NaNs.
func (t *template) nanEqual() bool {
	first := uint64(t.infinity()) + 1
	last := uint64(1)<<(8*t.width-1) - 1
	for _, sign := range []uint64{0, last + 1} {
		t.stamp++
		t.state[0] = valueRange{state: isNaN, stamp: t.stamp, first: sign | first, last: sign | last}
		if t.isExcluded() {
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

func (t *template) eval(i int32) valueRange {
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

func (t *template) compute(in *instruction) valueRange {
	switch in.op {
	case Const:
		if in.width == 1 {
			return truthValue(in.key != 0)
		}
		return valueRange{state: fixed, bits: in.key}
	case Not:
		return oppositeRange(t.eval(in.a))
	case And:
		all := valueRange{state: yes}
		for _, o := range in.list {
			switch t.eval(int32(o)).state {
			case no:
				return valueRange{state: no}
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
		return valueRange{}
	case Lt, Le, Eq:
		return t.comparison(in)
	case Add, Mul, Div, FMA, Neg, Widen, Narrow, ScaleF:
		return t.arithmetic(in)
	}
	return t.integerOperation(in)
}

func truthValue(b bool) valueRange {
	if b {
		return valueRange{state: yes}
	}
	return valueRange{state: no}
}

func oppositeRange(v valueRange) valueRange {
	switch v.state {
	case yes:
		return valueRange{state: no}
	case no:
		return valueRange{state: yes}
	}
	return valueRange{}
}

// floatRange returns the range of an instruction's result as floating-point numbers. nan reports
// that the result is NaN.
func (t *template) floatRange(i int32) (low, high float64, nan, ok bool) {
	v := t.eval(i)
	switch v.state {
	case fixed:
		x := value(&node{width: t.code[i].width, key: v.bits})
		return x, x, x != x, true
	case float:
		return v.low, v.high, false, true
	case integer: // the bits grow with the magnitude of the number
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

func (t *template) comparison(in *instruction) valueRange {
	a, b, nanA, okA := t.floatRange(in.a)
	c, d, nanC, okC := t.floatRange(in.b)
	switch {
	case okA && nanA || okC && nanC:
		return valueRange{state: no}
	case !okA || !okC:
		return valueRange{}
	case in.a == in.b: // not NaN
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
	return valueRange{}
}

// round rounds a number to the given width. The number is the float64 result of one operation on
// numbers of that width.
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

// arithmetic bounds the result of a floating-point operation. Rounding to nearest is monotone, so
// rounding the exact bounds gives bounds of the rounded result.
func (t *template) arithmetic(in *instruction) valueRange {
	var low, high [3]float64
	known, exact := true, true
	if in.op == ScaleF { // An infinite exponent can turn NaN into a number.
		if l, h, nan, ok := t.floatRange(in.b); !ok || !nan && (math.IsInf(l, 0) || math.IsInf(h, 0)) {
			return valueRange{}
		}
	}
	for n, o := range [3]int32{in.a, in.b, in.c} {
		if o < 0 {
			continue
		}
		l, h, nan, ok := t.floatRange(o)
		if nan {
			return valueRange{state: isNaN}
		}
		known = known && ok
		exact = exact && t.state[o].state == fixed
		low[n], high[n] = l, h
	}
	if !known {
		return valueRange{}
	}
	f := in.f
	if exact {
		x := f(low[0], low[1], low[2])
		if x != x {
			return valueRange{state: isNaN}
		}
		return valueRange{state: fixed, bits: bitsFrom(in.width, x)}
	}
	if in.op == Mul || in.op == FMA { // the range may contain 0·∞, which is NaN
		for n := range 2 {
			if low[n] <= 0 && high[n] >= 0 && (math.IsInf(low[1-n], 0) || math.IsInf(high[1-n], 0)) {
				return valueRange{}
			}
		}
	}
	v := valueRange{state: float, low: math.Inf(1), high: math.Inf(-1)}
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
			return valueRange{}
		}
		v.low, v.high = min(v.low, x), max(v.high, x)
	}
	if in.op == FMA && in.key == 1 {
		t.boundReduction(in, &v)
	}
	positive := low[0] > 0 && (in.op == ScaleF || in.op == Mul && low[1] > 0) // whether a zero result is +0
	if v.low == v.high && (v.low != 0 || positive) {
		return valueRange{state: fixed, bits: bitsFrom(in.width, v.low)}
	}
	return v
}

// boundReduction bounds the result x − k·c of an argument reduction with k = (x·b + m) − m. It
// requires that x·b + m has the same exponent as m. Let u be the unit in the last place of m. The
// subtraction of m is exact, so k = x·b + δ with |δ| ≤ u/2. Therefore x − k·c = x·(1 − b·c) − δ·c.
func (t *template) boundReduction(in *instruction, v *valueRange) {
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
			low, high, nan, ok := t.floatRange(p[0])
			first, last, _, okX := t.floatRange(x)
			_, e := math.Frexp(m)
			if !okM || !okB || minus != -m || !ok || nan || !okX || m <= 0 || low < math.Ldexp(1, e-1) || high >= math.Ldexp(1, e) {
				continue
			}
			u := math.Ldexp(1, e-53)
			if in.width == 4 {
				u = math.Ldexp(1, e-24)
			}
			bound := max(math.Abs(first), math.Abs(last))*math.Abs(math.FMA(b, c, -1)) + u/2*math.Abs(c)
			bound = round(in.width, bound*(1+0x1p-20)) // The factor covers the rounding errors in the bound, which are below 2^-50.
			v.low, v.high = max(v.low, -bound), min(v.high, bound)
			return
		}
	}
}

// floatOperation returns the floating-point operation of an instruction as a function. The function
// is monotone in each operand.
func floatOperation(in *instruction) func(x, y, z float64) float64 {
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

// scale returns x·2^k, rounded once to the given width.
func scale(width uint8, x float64, k int) float64 {
	return round(width, math.Ldexp(x, max(-5000, min(k, 5000))))
}
