package expr

import (
	"encoding/binary"
	"math"
	"slices"
)

// A condition is a node of width 1. A comparison with NaN is false.

// Bool returns a constant condition.
func (g *Graph) Bool(b bool) Node {
	if b {
		return g.make(node{op: Const, width: 1, key: 1})
	}
	return g.make(node{op: Const, width: 1})
}

// Truth returns the value of a constant condition.
func (g *Graph) Truth(c Node) (value, ok bool) {
	bits, ok := g.Bits(c)
	return bits != 0, ok
}

// intern returns the number of a list. Equal lists have the same number.
func (g *Graph) intern(list []uint64) uint64 {
	key := make([]byte, 0, 8*len(list))
	for _, v := range list {
		key = binary.LittleEndian.AppendUint64(key, v)
	}
	i, ok := g.listIndex[string(key)]
	if !ok {
		i = uint64(len(g.lists))
		g.lists = append(g.lists, slices.Clone(list))
		g.listIndex[string(key)] = i
	}
	return i
}

// Not returns ¬a.
func (g *Graph) Not(a Node) Node {
	x := g.nodes[a]
	switch x.op {
	case Const:
		return g.Bool(x.key == 0)
	case Not:
		return x.a
	}
	return g.make(node{op: Not, width: 1, a: a})
}

// And returns the conjunction of conditions.
func (g *Graph) And(conditions ...Node) Node {
	var all []uint64
	for _, c := range conditions {
		switch x := g.nodes[c]; {
		case x.op == Const && x.key == 0:
			return c
		case x.op == Const:
		case x.op == And:
			all = append(all, g.lists[x.key]...)
		default:
			all = append(all, uint64(c))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, c := range all {
		if x := g.nodes[c]; x.op == Not {
			if _, both := slices.BinarySearch(all, uint64(x.a)); both {
				return g.Bool(false)
			}
		}
	}
	switch len(all) {
	case 0:
		return g.Bool(true)
	case 1:
		return Node(all[0])
	}
	return g.make(node{op: And, width: 1, key: g.intern(all)})
}

// Or returns the disjunction of conditions.
func (g *Graph) Or(conditions ...Node) Node {
	not := make([]Node, len(conditions))
	for i, c := range conditions {
		not[i] = g.Not(c)
	}
	return g.Not(g.And(not...))
}

// Number returns the value of a constant floating-point number.
func (g *Graph) Number(a Node) (x float64, ok bool) {
	n := &g.nodes[a]
	if n.op != Const {
		return 0, false
	}
	return value(n), true
}

// Lt returns x < y.
func (g *Graph) Lt(a, b Node) Node {
	x, okX := g.Number(a)
	y, okY := g.Number(b)
	switch {
	case okX && okY:
		return g.Bool(x < y)
	case a == b, okX && (x != x || x == math.Inf(1)), okY && (y != y || y == math.Inf(-1)):
		return g.Bool(false)
	}
	return g.make(node{op: Lt, width: 1, a: a, b: b})
}

// Le returns x ≤ y.
func (g *Graph) Le(a, b Node) Node {
	x, okX := g.Number(a)
	y, okY := g.Number(b)
	switch {
	case okX && okY:
		return g.Bool(x <= y)
	case okX && x != x, okY && y != y:
		return g.Bool(false)
	}
	return g.make(node{op: Le, width: 1, a: a, b: b})
}

// Eq returns the condition a = b.
func (g *Graph) Eq(a, b Node) Node {
	x, okX := g.Number(a)
	y, okY := g.Number(b)
	switch {
	case okX && okY:
		return g.Bool(x == y)
	case okX && x != x, okY && y != y:
		return g.Bool(false)
	}
	return g.make(node{op: Eq, width: 1, a: min(a, b), b: max(a, b)})
}

// Select returns x if c holds, and y otherwise.
func (g *Graph) Select(c, x, y Node) Node {
	if t, ok := g.Truth(c); ok {
		if t {
			return x
		}
		return y
	}
	if x == y {
		return x
	}
	if n := g.nodes[c]; n.op == Not {
		c, x, y = n.a, y, x
	}
	if g.Width(x) == 1 {
		return g.selectCondition(c, x, y)
	}
	if z, ok := g.selectSums(c, x, y); ok {
		return z
	}
	p, q := g.nodes[x], g.nodes[y]
	if n := g.nodes[c]; n.op == Lt && n.a == y && n.b == x && p.op == Select {
		if v, ok := g.Number(y); ok && v == math.Inf(-1) { // the maximum of x and −Inf is x, because x is not NaN
			if _, ok := g.maximumLeaves(x, nil); ok {
				return x
			}
		}
	}
	if p.op != Const || q.op != Const {
		d, okD := g.MaskOf(x)
		e, okE := g.MaskOf(y)
		if okD && okE {
			return g.Mask(int(p.width), g.Select(c, d, e))
		}
	}
	switch {
	case p.op == Select && p.key != 0, q.op == Select && q.key != 0: // branches are not simplified
	case p.op == Select && p.b == y: // c ? (d ? X : Y) : Y, where X is p.a
		return g.Select(g.And(c, p.c), p.a, y)
	case p.op == Select && p.a == y:
		return g.Select(g.And(c, g.Not(p.c)), p.b, y)
	case q.op == Select && q.a == x:
		return g.Select(g.Or(c, q.c), x, q.b)
	case q.op == Select && q.b == x:
		return g.Select(g.Or(c, g.Not(q.c)), x, q.a)
	case p.op == Select && q.op == Select && p.a == q.a && p.b == q.b:
		return g.Select(g.Select(c, p.c, q.c), p.a, p.b)
	case p.op == Select && q.op == Select && p.a == q.b && p.b == q.a:
		return g.Select(g.Select(c, p.c, g.Not(q.c)), p.a, p.b)
	}
	return g.make(node{op: Select, width: p.width, a: x, b: y, c: c})
}

// selectCondition returns a condition equal to x if c holds and equal to y otherwise. It factors
// out the conditions that x and y have in common.
func (g *Graph) selectCondition(c, x, y Node) Node {
	if t, ok := g.Truth(x); ok && t {
		return g.Or(c, y)
	} else if ok {
		return g.And(g.Not(c), y)
	}
	if t, ok := g.Truth(y); ok && t {
		return g.Or(g.Not(c), x)
	} else if ok {
		return g.And(c, x)
	}
	for _, sign := range []func(Node) Node{func(a Node) Node { return a }, g.Not} {
		p, q := g.conjunction(sign(x)), g.conjunction(sign(y))
		var both, left, right []Node
		for _, l := range p {
			if slices.Contains(q, l) {
				both = append(both, l)
			} else {
				left = append(left, l)
			}
		}
		for _, l := range q {
			if !slices.Contains(p, l) {
				right = append(right, l)
			}
		}
		if len(both) > 0 {
			return sign(g.And(g.And(both...), g.Select(c, g.And(left...), g.And(right...))))
		}
	}
	return g.Or(g.And(c, x), g.And(g.Not(c), y))
}

// conjunction returns the operands of a conjunction. If a is not a conjunction, the result contains
// only a.
func (g *Graph) conjunction(a Node) (out []Node) {
	n := g.nodes[a]
	if n.op != And {
		return []Node{a}
	}
	for _, l := range g.lists[n.key] {
		out = append(out, Node(l))
	}
	return out
}

// Branch returns x if c holds, and y otherwise. Unlike Select, it marks c as the condition of a
// branch. A proof considers two cases, c true and c false, and does not split c into parts.
func (g *Graph) Branch(c, x, y Node) Node {
	if t, ok := g.Truth(c); ok {
		return g.Select(g.Bool(t), x, y)
	}
	if x == y {
		return x
	}
	if n := g.nodes[c]; n.op == Not {
		c, x, y = n.a, y, x
	}
	return g.make(node{op: Select, width: g.nodes[x].width, a: x, b: y, c: c, key: 1})
}

// constantSelection returns the condition and the operands of a selection between two constants.
func (g *Graph) constantSelection(a Node) (c, x, y Node, ok bool) {
	n := g.nodes[a]
	if n.op != Select || g.nodes[n.a].op != Const || g.nodes[n.b].op != Const {
		return 0, 0, 0, false
	}
	return n.c, n.a, n.b, true
}

// distributeOverSelection applies f to both operands if a is a selection with a constant operand.
func (g *Graph) distributeOverSelection(a Node, f func(Node) Node) (Node, bool) {
	n := g.nodes[a]
	if n.op != Select || g.nodes[n.a].op != Const && g.nodes[n.b].op != Const {
		return 0, false
	}
	return g.Select(n.c, f(n.a), f(n.b)), true
}

// Extend returns 4 bytes sign-extended to 8 bytes.
func (g *Graph) Extend(a Node) Node {
	if l, ok := g.sumOf(a); ok {
		if s, ok := l.extend(); ok {
			return g.sumNode(8, s)
		}
	}
	return g.make(node{op: Extend, width: 8, a: a})
}

// ScaleF returns x·2^⌊k⌋, rounded once. The result is x·∞ for k = ∞, and x·0 for k = −∞. In these two
// cases, a quiet NaN x counts as 1.
func (g *Graph) ScaleF(x, k Node) Node {
	if v, ok := g.Number(x); ok {
		if e, ok := g.Number(k); ok {
			width := g.nodes[x].width
			switch {
			case e != e || v != v && !g.isQuietNaN(x):
				v = math.NaN()
			case math.IsInf(e, 0):
				if v != v {
					v = 1
				}
				v *= max(e, 0)
			case v == v:
				v = floatOperation(&instruction{op: ScaleF, width: width})(v, e, 0)
			}
			return g.Const(int(width), bitsFrom(width, v))
		}
	}
	return g.make(node{op: ScaleF, width: g.nodes[x].width, a: x, b: k})
}
