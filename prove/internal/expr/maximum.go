package expr

import (
	"math"
)

// squares reports whether a is a sum of squares and of numbers without their sign. Such a sum is not negative, nor −0.
func (g *Graph) squares(a Node) bool {
	switch n := &g.nodes[a]; n.op {
	case Mul:
		return n.a == n.b
	case FMA:
		return n.a == n.b && n.key == 0 && g.squares(n.c)
	case Add:
		return g.squares(n.a) && g.squares(n.b)
	case IAnd:
		bits, ok := g.Bits(n.a)
		if !ok {
			bits, ok = g.Bits(n.b)
		}
		return ok && bits>>(8*n.width-1) == 0
	}
	return false
}

// neverNegativeZero reports whether a cannot be −0: a sum is −0 only if both of its terms are.
func (g *Graph) neverNegativeZero(a Node) bool {
	for {
		switch n := &g.nodes[a]; {
		case n.op == Const:
			return n.key != 1<<(8*n.width-1)
		case n.op == MaxZ || g.squares(a):
			return true
		case n.op == Select:
			return g.neverNegativeZero(n.a) && g.neverNegativeZero(n.b)
		case n.op != Add:
			return false
		case g.nodes[n.a].op != Add && g.neverNegativeZero(n.a):
			return true
		case g.nodes[n.b].op != Add && g.neverNegativeZero(n.b):
			return true
		case g.nodes[n.a].op == Add:
			a = n.a
		default:
			a = n.b
		}
	}
}

// maximum adds the numbers of which a is the largest, NaN left out, or −Inf if there is none. a
// is −Inf, or x < y ? y : x where x is such a maximum, or the larger of two such maxima. Which zero the result is depends on the
// order of the comparisons, and so the maximum is used only where 0 is added to it.
func (g *Graph) maximum(a Node, leaves []uint64) ([]uint64, bool) {
	n := g.nodes[a]
	if x, ok := g.number(a); ok {
		return leaves, x == math.Inf(-1)
	}
	if n.op == Larger {
		if leaves, ok := g.maximum(n.a, leaves); ok {
			return g.maximum(n.b, leaves)
		}
		return nil, false
	}
	if n.op == MaxNum {
		for _, o := range [2][2]Node{{n.a, n.b}, {n.b, n.a}} {
			more, ok := g.maximum(o[0], leaves)
			if !ok {
				continue
			}
			if both, ok := g.maximum(o[1], more); ok {
				return both, true
			}
			if isFloat(g.nodes[o[1]].op) { // which is no signaling NaN
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
	leaves, ok := g.maximum(n.b, leaves)
	if !ok {
		return nil, false
	}
	if more, ok := g.maximum(n.a, leaves); ok {
		return more, true
	}
	return append(leaves, uint64(n.a)), true
}

// Larger returns the larger of two numbers, as max of Go does.
func (g *Graph) Larger(a, b Node) Node {
	if x, y, ok := g.constants(a, b); ok {
		return g.float(g.Width(a), max(x, y))
	}
	return g.make(node{op: Larger, width: g.nodes[a].width, a: min(a, b), b: max(a, b)})
}

// MaxNum returns the larger of two numbers, as maxNum of IEEE 754 does.
func (g *Graph) MaxNum(a, b Node) Node {
	if x, y, ok := g.constants(a, b); ok {
		switch quietA, quietB := g.quiet(a), g.quiet(b); {
		case x != x && quietA && y == y:
			return b
		case y != y && quietB && x == x:
			return a
		}
		return g.float(g.Width(a), max(x, y))
	}
	return g.make(node{op: MaxNum, width: g.nodes[a].width, a: min(a, b), b: max(a, b)})
}

// quiet reports whether a constant NaN is a quiet one.
func (g *Graph) quiet(a Node) bool {
	n := g.nodes[a]
	return n.key>>map[uint8]int{4: 22, 8: 51}[n.width]&1 != 0
}
