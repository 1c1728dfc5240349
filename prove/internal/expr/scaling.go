package expr

import "math"

// builder writes the two expressions of a template for a region as nodes of a graph in which
// scaling by powers of two has one form, [Graph.scaled].
type builder struct {
	*template
	to    *Graph
	built map[int32]Node
}

// scaled returns x·2^k, rounded once.
func (g *Graph) scaled(x Node, k int) Node {
	if k == 0 {
		return x
	}
	return g.make(node{op: ScaleF, width: g.nodes[x].width, a: x, key: uint64(k)})
}

// build returns an instruction as a node, or 0.
func (b *builder) build(i int32) Node {
	if n, ok := b.built[i]; ok {
		return n
	}
	n := b.make(i)
	b.built[i] = n
	return n
}

func (b *builder) make(i int32) Node {
	in, v, g := &b.code[i], b.eval(i), b.to
	switch {
	case v.state == fixed:
		return g.Const(int(in.width), v.bits)
	case i == 0:
		return g.Input(int(in.width), 0, 0)
	case in.op == Select:
		if b.eval(in.c).state == yes {
			return b.build(in.a)
		}
		return b.build(in.b)
	case v.state != float:
		return 0
	case in.op == ISub: // see subnormal
		return b.scaled(b.summand(in), -bias(in.width)+1)
	}
	x := b.build(in.a)
	y, z := x, x
	if in.b >= 0 {
		y = b.build(in.b)
	}
	if in.c >= 0 {
		z = b.build(in.c)
	}
	if x == 0 || y == 0 || z == 0 {
		return 0
	}
	switch in.op {
	case Add:
		return g.Add(x, y)
	case Mul:
		if k, ok := b.powerOfTwo(in.b); ok {
			return b.scaled(in.a, k)
		}
		if k, ok := b.powerOfTwo(in.a); ok {
			return b.scaled(in.b, k)
		}
		return g.Mul(x, y)
	case Div:
		return g.Div(x, y)
	case Neg:
		return g.Neg(x)
	case Widen:
		return g.Widen(x)
	case Narrow:
		return g.Narrow(x)
	case ScaleF:
		k, _ := g.number(y)
		return b.scaled(in.a, int(math.Floor(k)))
	case FMA:
		return b.fma(in, v, x, y, z)
	}
	return 0
}

// scaled returns x·2^k, rounded once. If x is z·2^j, and that is a normal number and thus
// exact, it is z·2^(j+k).
func (b *builder) scaled(i int32, k int) Node {
	x := b.build(i)
	if x == 0 {
		return 0
	}
	if n := b.to.nodes[x]; n.op == ScaleF && b.normal(i, 0) {
		return b.to.scaled(n.a, int(n.key)+k)
	}
	return b.to.scaled(x, k)
}

// normal reports whether an expression times 2^k is finite and larger in size than the least
// normal number, everywhere in the region.
func (b *builder) normal(i int32, k int) bool {
	low, high, nan, ok := b.interval(i)
	if !ok || nan || low <= 0 && high >= 0 {
		return false
	}
	width := b.code[i].width
	least, most := min(math.Abs(low), math.Abs(high)), max(math.Abs(low), math.Abs(high))
	limit := math.Ldexp(1, 1-bias(width))
	return least > limit && scale(width, least, k) > limit && !math.IsInf(scale(width, most, k), 0) && !math.IsInf(most, 0)
}

// powerOfTwo returns k of an operand that is the constant 2^k.
func (b *builder) powerOfTwo(i int32) (k int, ok bool) {
	if b.eval(i).state != fixed {
		return 0, false
	}
	low, _, _, _ := b.interval(i)
	f, e := math.Frexp(low)
	return e - 1, f == 0.5
}

// bias is the bias of the exponents of a width; the least normal number is 2^(1−bias).
func bias(width uint8) int {
	if width == 4 {
		return 127
	}
	return 1023
}

// fma takes the power of two out of a constant factor and a constant summand: x·(y·2^k) +
// z·2^k rounded is (x·y + z)·2^k, rounded, if neither of the two results is subnormal or
// overflows.
func (b *builder) fma(in *instruction, v value_, x, y, z Node) Node {
	g := b.to
	factor, other, at := y, x, in.b
	if b.eval(in.a).state == fixed {
		factor, other, at = x, y, in.a
	}
	s, okS := g.number(z)
	c, okC := g.number(factor)
	if okS && okC && at >= 0 && s != 0 && c != 0 {
		_, e := math.Frexp(s)
		k := e - 1
		p, q := scale(in.width, c, -k), scale(in.width, s, -k)
		self := b.indexOf(in)
		if k != 0 && plain(in.width, c) && plain(in.width, p) && scale(in.width, p, k) == c && plain(in.width, s) && b.normal(self, -k) {
			n := g.product(in.key == 1, other, g.Const(int(in.width), bitsFrom(in.width, p)), g.Const(int(in.width), bitsFrom(in.width, q)))
			return g.scaled(n, k)
		}
	}
	return g.product(in.key == 1, x, y, z)
}

// product returns ±x·y + z, rounded once, in a form in which a constant factor has the sign.
func (g *Graph) product(negative bool, x, y, z Node) Node {
	factors := [2]Node{x, y}
	for i, f := range factors {
		n := g.nodes[f]
		if n.op == Neg || n.op == Const && n.key>>(8*n.width-1) != 0 {
			factors[i], negative = g.Neg(f), !negative
		}
	}
	if bits, ok := g.Bits(factors[0]); ok {
		if other, ok := g.Bits(factors[1]); !ok || other < bits {
			factors[0], factors[1] = factors[1], factors[0]
		}
	}
	if negative {
		factors[1] = g.Neg(factors[1])
	}
	return g.FMA(factors[0], factors[1], z)
}

// plain reports whether a number is normal.
func plain(width uint8, x float64) bool {
	return math.Abs(x) >= math.Ldexp(1, 1-bias(width)) && !math.IsInf(x, 0)
}

func (b *builder) indexOf(in *instruction) int32 {
	for i := range b.code {
		if &b.code[i] == in {
			return int32(i)
		}
	}
	return -1
}

// summand returns z of the difference of the bits of 1 + z and those of 1.
func (t *template) summand(in *instruction) int32 {
	one := bitsFrom(in.width, 1)
	is := func(i int32) bool { return i >= 0 && t.code[i].op == Const && t.code[i].key == one }
	if sum := t.code[in.a]; is(in.b) && sum.op == Add {
		switch {
		case is(sum.a):
			return sum.b
		case is(sum.b):
			return sum.a
		}
	}
	return -1
}

// subnormal: if 0 < z ≤ 1, the bits of 1 + z less those of 1 are those of z·2^−1022 (2^−126),
// rounded once: 1 + z is rounded to a multiple of 2^−52 (2^−23), and the result to one of
// 2^−1074 (2^−149).
func (t *template) subnormal(in *instruction) (value_, bool) {
	i := t.summand(in)
	if i < 0 {
		return value_{}, false
	}
	low, high, nan, ok := t.interval(i)
	if !ok || nan || t.eval(i).state == fixed || low <= 0 || high > 1 {
		return value_{}, false
	}
	k := 1 - bias(in.width)
	low, high = scale(in.width, low, k), scale(in.width, high, k)
	if low == high && low != 0 {
		return value_{state: fixed, bits: bitsFrom(in.width, low)}, true
	}
	return value_{state: float, low: low, high: high}, true
}
