package expr

// MaskOf returns the condition whose mask is the integer a. A mask is all ones if its condition
// holds, and zero otherwise.
func (g *Graph) MaskOf(a Node) (c Node, ok bool) {
	n := g.nodes[a]
	ones := ^uint64(0) >> (64 - 8*uint(n.width))
	if n.op == Const && (n.key == 0 || n.key == ones) {
		return g.Bool(n.key != 0), true
	}
	if c, x, y, ok := g.constantSelection(a); ok {
		p, okP := g.MaskOf(x)
		q, okQ := g.MaskOf(y)
		return g.Select(c, p, q), okP && okQ
	}
	return 0, false
}

// Mask returns an integer of the given width: all ones if c holds, and zero otherwise.
func (g *Graph) Mask(width int, c Node) Node {
	return g.Select(c, g.Const(width, ^uint64(0)), g.Const(width, 0))
}

// Pack returns an 8-byte integer in which bit i is condition i. Bit 0 is the lowest bit.
func (g *Graph) Pack(conditions []Node) Node {
	list, whole, known := []uint64{}, uint64(0), true
	for i, c := range conditions {
		t, ok := g.Truth(c)
		if t {
			whole |= 1 << i
		}
		known = known && ok
		list = append(list, uint64(c))
	}
	if known {
		return g.Const(8, whole)
	}
	return g.make(node{op: Bits, width: 8, key: g.intern(list)})
}

func (g *Graph) conditions(a Node) (out []Node) {
	for _, c := range g.lists[g.nodes[a].key] {
		out = append(out, Node(c))
	}
	return out
}

// PackedCount returns the number of set bits in a result of Pack.
func (g *Graph) PackedCount(a Node) (n Node, ok bool) {
	if g.nodes[a].op != Bits {
		return 0, false
	}
	n = g.Const(8, 0)
	for _, c := range g.conditions(a) {
		n = g.IAdd(n, g.Select(c, g.Const(8, 1), g.Const(8, 0)))
	}
	return n, true
}

// PackedEquals returns the condition that a result of Pack equals a number.
func (g *Graph) PackedEquals(a Node, number uint64) (Node, bool) {
	if g.nodes[a].op != Bits {
		return 0, false
	}
	all := g.conditions(a)
	for i, c := range all {
		if number>>i&1 == 0 {
			all[i] = g.Not(c)
		}
	}
	if number>>len(all) != 0 {
		return g.Bool(false), true
	}
	return g.And(all...), true
}

// Lookup returns the table entry at an index. It returns false unless all entries are constants.
// The index must be less than the length of the table.
func (g *Graph) Lookup(table []Node, index Node) (Node, bool) {
	var list []uint64
	for _, t := range table {
		bits, ok := g.Bits(t)
		if !ok {
			return 0, false
		}
		list = append(list, bits)
	}
	if i, ok := g.Bits(index); ok {
		return table[i], true
	}
	return g.make(node{op: Lookup, width: g.nodes[table[0]].width, a: index, key: g.intern(list)}), true
}

// MaskBound returns an upper bound of an unsigned integer whose high bits are known to be zero.
func (g *Graph) MaskBound(a Node) (most uint64, ok bool) {
	n := g.nodes[a]
	if n.op == Const {
		return n.key, true
	}
	if size := g.BitLength(a); g.isSmall(a) && size < 8*int(n.width) {
		return 1<<size - 1, true
	}
	if n.op == IAnd && g.nodes[n.a].op == Const {
		return g.nodes[n.a].key, true
	} else if n.op == IAnd && g.nodes[n.b].op == Const {
		return g.nodes[n.b].key, true
	}
	return 0, false
}

// ClearsLowBits reports whether a is a bitwise AND with a constant mask that clears at least the
// given number of lowest bits.
func (g *Graph) ClearsLowBits(a Node, bits int) bool {
	n := g.nodes[a]
	for _, o := range [2]Node{n.a, n.b} {
		if n.op == IAnd && g.nodes[o].op == Const && g.nodes[o].key&(1<<bits-1) == 0 {
			return true
		}
	}
	return false
}

// SplitOffset writes the 8-byte integer a as the sum of a constant and a 4-byte integer. It reports
// false if a minus the constant does not fit in 4 bytes.
func (g *Graph) SplitOffset(a Node) (constant uint64, rest Node, ok bool) {
	n := g.nodes[a]
	rest = a
	if n.op == IAdd {
		if constant, ok = g.Bits(n.a); ok {
			rest = n.b
		} else if constant, ok = g.Bits(n.b); ok {
			rest = n.a
		}
	}
	low, high := g.Halves(rest)
	return constant, low, g.zero(high)
}

// IsMask reports whether a is the mask of a condition: all bits are 1 if the condition holds, and 0
// otherwise. It reports false if a is a constant.
func (g *Graph) IsMask(a Node) bool {
	_, ok := g.MaskOf(a)
	return ok && g.nodes[a].op != Const
}

// AllOnes returns the condition that all bits of a are set. The integer a must be a mask (see
// MaskOf) or be composed of masks by Cat and IAnd; otherwise ok is false.
func (g *Graph) AllOnes(a Node) (c Node, ok bool) {
	if c, ok := g.MaskOf(a); ok {
		return c, true
	}
	n := g.nodes[a]
	if n.op != Cat && n.op != IAnd {
		return 0, false
	}
	x, okX := g.AllOnes(n.a)
	y, okY := g.AllOnes(n.b)
	return g.And(x, y), okX && okY
}

// SplitAddress splits an address into base + index·2^shift. It also returns an upper bound of the
// index.
func (g *Graph) SplitAddress(a Node) (base uint64, index Node, shift int, most uint64, ok bool) {
	n := g.nodes[a]
	if n.op != IAdd {
		return 0, 0, 0, 0, false
	}
	for _, o := range [2][2]Node{{n.a, n.b}, {n.b, n.a}} {
		base, okB := g.Bits(o[0])
		if by := g.nodes[o[1]]; okB && by.op == IShl {
			if most, ok := g.MaskBound(by.a); ok && most < 256 {
				return base, by.a, int(by.key), most, true
			}
		}
	}
	return 0, 0, 0, 0, false
}
