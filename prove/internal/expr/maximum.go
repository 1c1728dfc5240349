package expr

import (
	"math"
)

// isNonnegative reports whether a is a sum of squares and of absolute values. Such a sum is neither
// negative nor −0.
func (g *Graph) isNonnegative(a Node) bool {
	switch n := &g.nodes[a]; n.op {
	case Mul:
		return n.a == n.b
	case FMA:
		return n.a == n.b && n.key == 0 && g.isNonnegative(n.c)
	case Add:
		return g.isNonnegative(n.a) && g.isNonnegative(n.b)
	case IAnd:
		bits, ok := g.Bits(n.a)
		if !ok {
			bits, ok = g.Bits(n.b)
		}
		return ok && bits>>(8*n.width-1) == 0
	}
	return false
}

// isNeverNegativeZero reports whether a cannot be −0. A sum is −0 only if both of its terms are −0.
func (g *Graph) isNeverNegativeZero(a Node) bool {
	for {
		switch n := &g.nodes[a]; {
		case n.op == Const:
			return n.key != 1<<(8*n.width-1)
		case n.op == MaxZ || g.isNonnegative(a):
			return true
		case n.op == Select:
			return g.isNeverNegativeZero(n.a) && g.isNeverNegativeZero(n.b)
		case n.op != Add:
			return false
		case g.nodes[n.a].op != Add && g.isNeverNegativeZero(n.a):
			return true
		case g.nodes[n.b].op != Add && g.isNeverNegativeZero(n.b):
			return true
		case g.nodes[n.a].op == Add:
			a = n.a
		default:
			a = n.b
		}
	}
}

// maximumLeaves appends the operands of the maximum a to leaves. It returns false if a is not a
// maximum. The constant −Inf is the maximum of no operands. If x is a maximum, then x < y ? y : x is
// also a maximum. Larger and MaxNum of two maxima are maxima. One operand of MaxNum may also be the
// result of a floating-point operation. A maximum ignores NaN operands. The sign of a zero maximum
// depends on the order of the comparisons, so the caller must add 0 to the maximum.
func (g *Graph) maximumLeaves(a Node, leaves []uint64) ([]uint64, bool) {
	n := g.nodes[a]
	if x, ok := g.Number(a); ok {
		return leaves, x == math.Inf(-1)
	}
	if n.op == Larger {
		if leaves, ok := g.maximumLeaves(n.a, leaves); ok {
			return g.maximumLeaves(n.b, leaves)
		}
		return nil, false
	}
	if n.op == MaxNum {
		for _, o := range [2][2]Node{{n.a, n.b}, {n.b, n.a}} {
			more, ok := g.maximumLeaves(o[0], leaves)
			if !ok {
				continue
			}
			if both, ok := g.maximumLeaves(o[1], more); ok {
				return both, true
			}
			if isFloat(g.nodes[o[1]].op) { // arithmetic never returns a signaling NaN
				return append(more, uint64(o[1])), true
			}
		}
		return nil, false
	}
	if n.op != Select || n.key != 0 {
		return nil, false
	}
	if c := g.nodes[n.c]; c.op != Lt || c.a != n.b || c.b != n.a {
		return nil, false
	}
	leaves, ok := g.maximumLeaves(n.b, leaves)
	if !ok {
		return nil, false
	}
	if more, ok := g.maximumLeaves(n.a, leaves); ok {
		return more, true
	}
	return append(leaves, uint64(n.a)), true
}

// Larger returns the larger of two numbers like Go's built-in function max.
func (g *Graph) Larger(a, b Node) Node {
	if x, y, ok := g.constants(a, b); ok {
		return g.constFloat(g.Width(a), max(x, y))
	}
	return g.make(node{op: Larger, width: g.nodes[a].width, a: min(a, b), b: max(a, b)})
}

// MaxNum returns the larger of two numbers, as defined by the operation maxNum of IEEE 754.
func (g *Graph) MaxNum(a, b Node) Node {
	if x, y, ok := g.constants(a, b); ok {
		switch quietA, quietB := g.isQuietNaN(a), g.isQuietNaN(b); {
		case x != x && quietA && y == y:
			return b
		case y != y && quietB && x == x:
			return a
		}
		return g.constFloat(g.Width(a), max(x, y))
	}
	return g.make(node{op: MaxNum, width: g.nodes[a].width, a: min(a, b), b: max(a, b)})
}

// isQuietNaN reports whether a constant NaN is quiet.
func (g *Graph) isQuietNaN(a Node) bool {
	n := g.nodes[a]
	return n.key>>map[uint8]int{4: 22, 8: 51}[n.width]&1 != 0
}
