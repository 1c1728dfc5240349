package expr

import "slices"

// Bitwise returns a & b, a | b or a ^ b. If a ^ b only flips the sign bit, the result is a
// negation.
func (g *Graph) Bitwise(op Op, a, b Node) Node {
	width := g.Width(a)
	if a == b && op == IXor {
		return g.Const(width, 0)
	}
	if g.isSmall(a) || g.isSmall(b) {
		if n, ok := g.bitwiseFields(op, a, b); ok {
			return n
		}
	}
	if _, _, _, ok := g.constantSelection(a); !ok {
		a, b = b, a
	}
	if c, x, y, ok := g.constantSelection(a); ok {
		return g.Select(c, g.Bitwise(op, x, b), g.Bitwise(op, y, b))
	}
	p, okA := g.Bits(a)
	q, okB := g.Bits(b)
	if okB && !okA {
		a, b, p, q, okA, okB = b, a, q, p, okB, okA
	}
	ones := ^uint64(0) >> (64 - 8*width)
	switch {
	case okA && okB:
		return g.Const(width, map[Op]uint64{IAnd: p & q, IOr: p | q, IXor: p ^ q}[op])
	case a == b, okA && op == IAnd && p == ones, okA && op != IAnd && p == 0:
		return b
	case okA && op == IAnd && p == 0, okA && op == IOr && p == ones:
		return a
	case okA && op == IXor && p == ones&^(ones>>1):
		return g.Neg(b)
	}
	if n := g.nodes[b]; okA && op == IAnd && n.op == IOr {
		return g.Bitwise(IOr, g.Bitwise(IAnd, a, n.a), g.Bitwise(IAnd, a, n.b))
	}
	return g.make(node{op: op, width: uint8(width), a: min(a, b), b: max(a, b)})
}

// Xor3 returns a ^ b ^ c. The result is the same node for every order of the operands.
func (g *Graph) Xor3(a, b, c Node) Node {
	all := []Node{a, b, c}
	slices.Sort(all)
	return g.Bitwise(IXor, g.Bitwise(IXor, all[0], all[1]), all[2])
}

// Majority returns the bits that are set in at least two of three integers. ok is false if an
// integer is neither constant nor composed of integers of one or two bytes.
func (g *Graph) Majority(a, b, c Node) (Node, bool) {
	all := []Node{a, b, c}
	slices.Sort(all)
	if all[0] == all[1] || all[1] == all[2] {
		return all[1], true
	}
	var known []uint64
	for _, n := range all {
		if bits, ok := g.Bits(n); ok {
			known = append(known, bits)
		} else if !g.isSmall(n) {
			return 0, false
		}
	}
	if len(known) == 3 {
		return g.Const(4, known[0]&known[1]|known[0]&known[2]|known[1]&known[2]), true
	}
	return g.make(node{op: Majority, width: 4, a: all[0], b: all[1], c: all[2]}), true
}

// Shift returns the integer a shifted by a constant number of bits.
func (g *Graph) Shift(op Op, a Node, by int) Node {
	n := g.nodes[a]
	switch {
	case n.op == Const:
		return g.Const(int(n.width), shift(op, n.key, by, int(n.width)))
	case by == 0:
		return a
	case g.isSmall(a):
		if n, ok := g.shiftFields(op, a, by); ok {
			return n
		}
	case op == IShr && n.op == IMaxU:
		return g.Maximum(IMaxU, g.Shift(op, n.a, by), g.Shift(op, n.b, by))
	}
	return g.make(node{op: op, width: n.width, a: a, key: uint64(by)})
}

func shift(op Op, v uint64, by, width int) uint64 {
	bits := 8 * width
	switch {
	case op == IShl && by < bits:
		return v << by
	case op == IShr && by < bits:
		return v >> by
	case op == ISar:
		s := 64 - bits
		return uint64(int64(v<<s)>>s>>min(by, 63)) & (^uint64(0) >> s)
	}
	return 0
}

// Maximum returns the larger of two signed or unsigned integers. It sorts the operands of nested
// unsigned maxima.
func (g *Graph) Maximum(op Op, a, b Node) Node {
	x, okX := g.Bits(a)
	y, okY := g.Bits(b)
	width := g.Width(a)
	if okX && okY {
		if op == IMaxU && x > y || op == IMaxS && signed(x, width) > signed(y, width) {
			return a
		}
		return b
	}
	if op == IMaxU {
		most := uint64(0) // the largest constant
		all := slices.Compact(slices.Sorted(slices.Values(g.maximumOperands(a, &most, g.maximumOperands(b, &most, nil)))))
		if most > 0 {
			all = append(all, g.Const(width, most))
		}
		a = all[0]
		for _, b := range all[1:] {
			a = g.make(node{op: op, width: uint8(width), a: a, b: b})
		}
		return a
	}
	return g.make(node{op: op, width: uint8(width), a: min(a, b), b: max(a, b)})
}

// maximumOperands appends the non-constant operands of nested maxima to operands. It raises *most to the
// largest constant operand, unless *most is larger.
func (g *Graph) maximumOperands(a Node, most *uint64, operands []Node) []Node {
	n := g.nodes[a]
	if n.op == IMaxU {
		return g.maximumOperands(n.a, most, g.maximumOperands(n.b, most, operands))
	}
	if x, ok := g.Bits(a); ok {
		*most = max(*most, x)
		return operands
	}
	return append(operands, a)
}

func signed(v uint64, width int) int64 { return int64(v<<(64-8*width)) >> (64 - 8*width) }

// Greater returns the comparison a > c of signed integers, where c is a constant.
func (g *Graph) Greater(a, c Node) Node {
	n, limit := g.nodes[a], g.nodes[c]
	w := int(n.width)
	small := func(a Node) bool { return g.nodes[a].op == IShr && g.nodes[a].key > 0 }
	switch {
	case limit.op == Const && limit.key == ^uint64(0)>>(65-8*w): // nothing is greater
		return g.Bool(false)
	case n.op == Const && limit.op == Const:
		return g.Bool(signed(n.key, w) > signed(limit.key, w))
	case n.op == IMaxS, n.op == IMaxU && g.nonnegative(a, small):
		return g.Or(g.Greater(n.a, c), g.Greater(n.b, c))
	}
	return g.make(node{op: IGt, width: 1, a: a, b: c})
}

// nonnegative reports whether the predicate small is true for a. If a is a maximum, the predicate
// must be true for all operands of the maximum.
func (g *Graph) nonnegative(a Node, small func(Node) bool) bool {
	if n := g.nodes[a]; n.op == IMaxU {
		return g.nonnegative(n.a, small) && g.nonnegative(n.b, small)
	}
	return small(a)
}

// Negative returns the condition that the highest bit of a is set.
func (g *Graph) Negative(a Node) Node {
	if c, x, y, ok := g.constantSelection(a); ok {
		return g.Select(c, g.Negative(x), g.Negative(y))
	}
	n := g.nodes[a]
	switch n.op {
	case Const:
		return g.Bool(signed(n.key, int(n.width)) < 0)
	case Cat:
		return g.Negative(n.b)
	}
	return g.Not(g.Greater(a, g.Const(int(n.width), ^uint64(0))))
}

// Nonzero returns the condition that at least one bit of a is set.
func (g *Graph) Nonzero(a Node) Node {
	if c, x, y, ok := g.constantSelection(a); ok {
		return g.Select(c, g.Nonzero(x), g.Nonzero(y))
	}
	switch n := g.nodes[a]; n.op {
	case Const:
		return g.Bool(n.key != 0)
	case IOr:
		return g.Or(g.Nonzero(n.a), g.Nonzero(n.b))
	case Bits:
		return g.Or(g.conditions(a)...)
	}
	return g.make(node{op: INz, width: 1, a: a})
}
