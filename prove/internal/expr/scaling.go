package expr

import "math"

// builder builds the expressions of a template for one region. It adds the expressions as nodes to
// the graph target. It makes every multiplication by a power of two with [Graph.scaled].
type builder struct {
	*template
	target        *Graph
	built         map[int32]Node
	builtUpToSign map[int32]signedNode
}

// signedNode is the expression x, or −x if negative is true.
type signedNode struct {
	x        Node
	negative bool
}

// scaled returns x·2^k, rounded once.
func (g *Graph) scaled(x Node, k int) Node {
	if k == 0 {
		return x
	}
	return g.make(node{op: ScaleF, width: g.nodes[x].width, a: x, key: uint64(k)})
}

// build returns an instruction as a node of the target graph, or 0 if it cannot build the node.
func (b *builder) build(i int32) Node {
	if n, ok := b.built[i]; ok {
		return n
	}
	n := b.make(i)
	b.built[i] = n
	return n
}

func (b *builder) make(i int32) Node {
	in, v, g := &b.code[i], b.eval(i), b.target
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
	case v.state == integer:
		if d, ok := b.offsetFromVariable(i); ok {
			return g.IAdd(g.Input(int(in.width), 0, 0), g.Const(int(in.width), d))
		}
		return 0
	case v.state != float:
		return 0
	case in.op == Add && (b.isNonzero(in.a) || b.isNonzero(in.b)):
		return b.nonzeroSum(in)
	case in.op == ISub: // see template.subnormal
		return b.scaled(b.onePlusSummand(in), -bias(in.width)+1)
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
		if k, ok := g.Number(y); ok && !math.IsInf(k, 0) && k == k {
			return b.scaled(in.a, int(math.Floor(k)))
		}
	case FMA:
		return b.fma(in, v, x, y, z)
	}
	return 0
}

// scaled returns x·2^k with a single rounding, where x is the result of instruction i. If this
// instruction multiplies a number z by a power 2^j and x is a normal number, then x = z·2^j without
// a rounding error, and scaled returns z·2^(j+k).
func (b *builder) scaled(i int32, k int) Node {
	x := b.build(i)
	if x == 0 {
		return 0
	}
	if n := b.target.nodes[x]; n.op == ScaleF && b.isNormal(i, 0) {
		return b.target.scaled(n.a, int(n.key)+k)
	}
	return b.target.scaled(x, k)
}

// isNormal reports whether an instruction's result and the result times 2^k are finite and normal
// in the whole region.
func (b *builder) isNormal(i int32, k int) bool {
	low, high, nan, ok := b.floatRange(i)
	if !ok || nan || low <= 0 && high >= 0 {
		return false
	}
	width := b.code[i].width
	least, most := min(math.Abs(low), math.Abs(high)), max(math.Abs(low), math.Abs(high))
	limit := math.Ldexp(1, 1-bias(width))
	return least > limit && scale(width, least, k) > limit && !math.IsInf(scale(width, most, k), 0) && !math.IsInf(most, 0)
}

// powerOfTwo returns k if an operand is the constant 2^k.
func (b *builder) powerOfTwo(i int32) (k int, ok bool) {
	if b.eval(i).state != fixed {
		return 0, false
	}
	low, _, _, _ := b.floatRange(i)
	f, e := math.Frexp(low)
	return e - 1, f == 0.5
}

// bias returns the exponent bias of the floating-point type with the given width. The smallest
// normal number is 2^(1−bias).
func bias(width uint8) int {
	if width == 4 {
		return 127
	}
	return 1023
}

// fma factors a power of two out of a fused multiply-add with a constant factor and a constant
// addend. The rounded value of x·(y·2^k) + z·2^k is (x·y + z)·2^k if neither result is subnormal or
// overflows.
func (b *builder) fma(in *instruction, v valueRange, x, y, z Node) Node {
	g := b.target
	factor, other, at := y, x, in.b
	if b.eval(in.a).state == fixed {
		factor, other, at = x, y, in.a
	}
	s, okS := g.Number(z)
	c, okC := g.Number(factor)
	if okS && okC && at >= 0 && s != 0 && c != 0 {
		_, e := math.Frexp(s)
		k := e - 1
		p, q := scale(in.width, c, -k), scale(in.width, s, -k)
		self := b.indexOf(in)
		if k != 0 && isNormalFloat(in.width, c) && isNormalFloat(in.width, p) && scale(in.width, p, k) == c && isNormalFloat(in.width, s) && b.isNormal(self, -k) {
			n := g.product(in.key == 1, other, g.Const(int(in.width), bitsFrom(in.width, p)), g.Const(int(in.width), bitsFrom(in.width, q)))
			return g.scaled(n, k)
		}
	}
	return g.product(in.key == 1, x, y, z)
}

// offsetFromVariable returns d if the integer expression i equals the bits of the variable plus the
// constant d for all values of the variable in the region.
func (b *builder) offsetFromVariable(i int32) (d uint64, ok bool) {
	if i == 0 {
		return 0, true
	}
	in := &b.code[i]
	if in.op == Select {
		switch b.eval(in.c).state {
		case yes:
			return b.offsetFromVariable(in.a)
		case no:
			return b.offsetFromVariable(in.b)
		}
	}
	if in.b < 0 || in.op != IAdd && in.op != ISub && in.op != IAnd || in.width != b.code[0].width {
		return 0, false
	}
	x, c := in.a, in.b
	if b.eval(x).state == fixed && in.op != ISub {
		x, c = c, x
	}
	k := b.eval(c)
	if k.state != fixed || in.op == IAnd && k.bits&(k.bits+1) != 0 { // a mask must consist of the lowest bits
		return 0, false
	}
	if d, ok = b.offsetFromVariable(x); !ok {
		return 0, false
	}
	switch in.op {
	case IAdd:
		return d + k.bits, true
	case ISub:
		return d - k.bits, true
	}
	// The mask clears the high bits of x. These bits are the same for all numbers in the region of
	// the variable. Otherwise the masked values would not form an interval.
	first, _, ok := b.integerRange(x)
	return d - first&^k.bits, ok
}

// isNonzero reports whether an expression is finite and not 0 for all values of the variable in the region.
func (b *builder) isNonzero(i int32) bool {
	low, high, nan, ok := b.floatRange(i)
	return ok && !nan && (low > 0 || high < 0) && !math.IsInf(low, 0) && !math.IsInf(high, 0)
}

// nonzeroSum returns the sum of two operands. At least one operand is not 0, so the signs of zeros
// within the operands do not matter.
func (b *builder) nonzeroSum(in *instruction) Node {
	x, y := b.upToSign(in.a), b.upToSign(in.b)
	switch {
	case x.x == 0 || y.x == 0:
		return 0
	case b.target.zero(x.x):
		return y.node(b.target)
	case b.target.zero(y.x):
		return x.node(b.target)
	case x.x == y.x && x.negative != y.negative:
		return b.target.Const(int(in.width), 0)
	}
	return b.target.Add(x.node(b.target), y.node(b.target))
}

func (u signedNode) node(g *Graph) Node {
	if u.negative {
		return g.Neg(u.x)
	}
	return u.x
}

// upToSign returns an instruction's result without its sign, and the sign. The sign of a zero may
// be wrong, because x + 0 becomes x, x − x becomes 0, and −x − y becomes −(x + y).
func (b *builder) upToSign(i int32) signedNode {
	if u, ok := b.builtUpToSign[i]; ok {
		return u
	}
	u := b.makeUpToSign(i)
	b.builtUpToSign[i] = u
	return u
}

func (b *builder) makeUpToSign(i int32) signedNode {
	in, v, g := &b.code[i], b.eval(i), b.target
	if v.state == float && !math.IsInf(v.low, 0) && !math.IsInf(v.high, 0) {
		switch {
		case i == 0:
		case in.op == Neg:
			u := b.upToSign(in.a)
			return signedNode{u.x, !u.negative}
		case in.op == Select && b.eval(in.c).state == yes:
			return b.upToSign(in.a)
		case in.op == Select:
			return b.upToSign(in.b)
		case in.op == Add:
			x, y := b.upToSign(in.a), b.upToSign(in.b)
			switch {
			case x.x == 0 || y.x == 0:
				return signedNode{}
			case g.zero(x.x):
				return y
			case g.zero(y.x):
				return x
			case x.x == y.x && x.negative != y.negative:
				return signedNode{g.Const(int(in.width), 0), false}
			case x.x > y.x:
				x, y = y, x
			}
			return signedNode{g.Add(x.x, signedNode{y.x, x.negative != y.negative}.node(g)), x.negative}
		case in.op == FMA && b.eval(in.c).state != fixed:
			x, y, z := b.upToSign(in.a), b.upToSign(in.b), b.upToSign(in.c)
			switch {
			case x.x == 0 || y.x == 0 || z.x == 0:
				return signedNode{}
			case g.zero(x.x) && b.isFinite(in.b) || g.zero(y.x) && b.isFinite(in.a):
				return z
			}
			return signedNode{g.product((in.key == 1) != (x.negative != (y.negative != z.negative)), x.x, y.x, z.x), z.negative}
		}
	}
	n := b.build(i)
	if bits, ok := g.Bits(n); ok && bits>>(8*in.width-1) != 0 {
		return signedNode{g.Neg(n), true}
	}
	x, negative := g.withoutSign(n)
	return signedNode{x, negative}
}

// isFinite reports whether an expression is a finite number in the whole region.
func (b *builder) isFinite(i int32) bool {
	low, high, nan, ok := b.floatRange(i)
	return ok && !nan && !math.IsInf(low, 0) && !math.IsInf(high, 0)
}

// product returns x·y + z, or −x·y + z if negative is true, rounded once. If a factor is constant,
// the sign of the product becomes the sign of this constant.
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

func isNormalFloat(width uint8, x float64) bool {
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

// onePlusSummand recognizes an instruction that computes the integer bits(1 + z) − bits(1), where
// bits returns the bits of a floating-point number. It returns the index of the instruction that
// computes z, or −1 if the given instruction has another form.
func (t *template) onePlusSummand(in *instruction) int32 {
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

// subnormal returns the range of the integer bits(1 + z) − bits(1) for 0 < z ≤ 1, where bits returns
// the bits of a float64. The difference equals bits(z·2^−1022), because 1 + z is rounded to a
// multiple of 2^−52, and z·2^−1022 is rounded to a multiple of 2^−1074. For float32, the exponents
// are −126, −23 and −149.
func (t *template) subnormal(in *instruction) (valueRange, bool) {
	i := t.onePlusSummand(in)
	if i < 0 {
		return valueRange{}, false
	}
	low, high, nan, ok := t.floatRange(i)
	if !ok || nan || t.eval(i).state == fixed || low <= 0 || high > 1 {
		return valueRange{}, false
	}
	k := 1 - bias(in.width)
	low, high = scale(in.width, low, k), scale(in.width, high, k)
	if low == high { // z is positive, so a zero result is +0
		return valueRange{state: fixed, bits: bitsFrom(in.width, low)}, true
	}
	return valueRange{state: float, low: low, high: high}, true
}
