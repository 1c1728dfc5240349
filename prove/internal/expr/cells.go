package expr

// Halves returns the low and the high half of an 8-byte node.
func (g *Graph) Halves(a Node) (low, high Node) {
	switch x := g.nodes[a]; {
	case x.op == Const:
		return g.Const(4, x.key), g.Const(4, x.key>>32)
	case x.op == Cat:
		return x.a, x.b
	case x.op == Fields:
		f := g.fields(a)
		return g.joinFields(4, sliceFields(f, 0, 32)...), g.joinFields(4, sliceFields(f, 32, 32)...)
	case x.op == IXor && g.isSmall(a):
		l, h := g.Halves(x.a)
		m, i := g.Halves(x.b)
		return g.Bitwise(IXor, l, m), g.Bitwise(IXor, h, i)
	case x.op == Sum:
		s, _ := g.sumOf(a)
		if low, high := s.bounds(); low >= 0 && high < 1<<31 {
			return g.sumNode(4, s), g.Const(4, 0)
		}
	}
	if c, p, q, ok := g.constantSelection(a); ok {
		p, q := g.nodes[p].key, g.nodes[q].key
		return g.Select(c, g.Const(4, p), g.Const(4, q)), g.Select(c, g.Const(4, p>>32), g.Const(4, q>>32))
	}
	return g.make(node{op: Low, width: 4, a: a}), g.make(node{op: High, width: 4, a: a})
}

// Join returns the 8-byte node with the given halves. If the halves were cut from one node, Join
// returns that node.
func (g *Graph) Join(low, high Node) Node {
	l, h := g.nodes[low], g.nodes[high]
	switch {
	case l.op == Const && h.op == Const:
		return g.Const(8, l.key|h.key<<32)
	case l.op == Low && h.op == High && l.a == h.a:
		return l.a
	case l.op == Select && h.op == Select && l.c == h.c && l.key == 1 && h.key == 1:
		return g.Branch(l.c, g.Join(l.a, h.a), g.Join(l.b, h.b))
	case l.op == Select && h.op == Select && l.c == h.c:
		return g.Select(l.c, g.Join(l.a, h.a), g.Join(l.b, h.b))
	}
	if g.isSmall(low) && l.op != Select || g.isSmall(high) && h.op != Select { // selections become sums
		return g.joinFields(8, append(g.fields(low), g.fields(high)...)...)
	}
	if l.op == Sum && g.zero(high) {
		s, _ := g.sumOf(low)
		if least, most := s.bounds(); least >= 0 && most < 1<<31 {
			return g.sumNode(8, s)
		}
	}
	for _, op := range [3]Op{IAnd, IOr, IXor} {
		x, c, okX := g.bitwiseHalf(Low, op, low)
		y, d, okY := g.bitwiseHalf(High, op, high)
		if okX && okY && x == y {
			return g.Bitwise(op, x, g.Const(8, c|d<<32))
		}
	}
	if c, x, y, ok := g.constantSelection(low); ok && h.op == Const {
		return g.Select(c, g.Join(x, high), g.Join(y, high))
	}
	if c, x, y, ok := g.constantSelection(high); ok && l.op == Const {
		return g.Select(c, g.Join(low, x), g.Join(low, y))
	}
	return g.make(node{op: Cat, width: 8, a: low, b: high})
}

// bitwiseHalf recognizes the low or high half of x & c, x | c or x ^ c with a constant c. half is Low
// or High. bitwiseHalf returns x and that half of c.
func (g *Graph) bitwiseHalf(half, op Op, a Node) (x Node, c uint64, ok bool) {
	n := g.nodes[a]
	if n.op == half {
		return n.a, map[Op]uint64{IAnd: 1<<32 - 1}[op], true
	}
	if n.op != op {
		return 0, 0, false
	}
	if g.nodes[n.a].op == half {
		n.a, n.b = n.b, n.a
	}
	c, ok = g.Bits(n.a)
	return g.nodes[n.b].a, c, ok && g.nodes[n.b].op == half
}
