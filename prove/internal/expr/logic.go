package expr

import (
	"encoding/binary"
	"math"
	"slices"
)

// Conditions are nodes of width 1. Comparisons of floating-point numbers are false where an
// operand is NaN.

// Bool returns the constant condition.
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

// intern returns the number of a list, the same for equal lists.
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

// number returns the value of a constant floating-point number.
func (g *Graph) number(a Node) (x float64, ok bool) {
	n := &g.nodes[a]
	if n.op != Const {
		return 0, false
	}
	return value(n), true
}

// Lt returns x < y.
func (g *Graph) Lt(a, b Node) Node {
	x, okX := g.number(a)
	y, okY := g.number(b)
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
	x, okX := g.number(a)
	y, okY := g.number(b)
	switch {
	case okX && okY:
		return g.Bool(x <= y)
	case okX && x != x, okY && y != y:
		return g.Bool(false)
	}
	return g.make(node{op: Le, width: 1, a: a, b: b})
}

// Eq returns x = y.
func (g *Graph) Eq(a, b Node) Node {
	x, okX := g.number(a)
	y, okY := g.number(b)
	switch {
	case okX && okY:
		return g.Bool(x == y)
	case okX && x != x, okY && y != y:
		return g.Bool(false)
	}
	return g.make(node{op: Eq, width: 1, a: min(a, b), b: max(a, b)})
}

// Select returns x where c holds, and y elsewhere.
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
	if z, ok := g.linearSelect(c, x, y); ok {
		return z
	}
	p, q := g.nodes[x], g.nodes[y]
	if n := g.nodes[c]; n.op == Lt && n.a == y && n.b == x && p.op == Select {
		if v, ok := g.number(y); ok && v == math.Inf(-1) { // −Inf < x ? x : −Inf, x being no NaN
			if _, ok := g.maximum(x, nil); ok {
				return x
			}
		}
	}
	if p.op != Const || q.op != Const {
		d, okD := g.maskOf(x)
		e, okE := g.maskOf(y)
		if okD && okE {
			return g.Mask(int(p.width), g.Select(c, d, e))
		}
	}
	switch {
	case p.op == Select && p.key != 0, q.op == Select && q.key != 0: // a branch stays as it is
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

// selectCondition returns the condition x where c holds, and y elsewhere. What x and y have in
// common is taken out.
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

// conjunction returns the conditions of a conjunction, or a alone.
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

// Branch returns x where c holds, and y elsewhere, as [Graph.Select], for a condition of a
// branch, on which the proof is split as a whole.
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

// selection returns the parts of a selection between constants.
func (g *Graph) selection(a Node) (c, x, y Node, ok bool) {
	n := g.nodes[a]
	if n.op != Select || g.nodes[n.a].op != Const || g.nodes[n.b].op != Const {
		return 0, 0, 0, false
	}
	return n.c, n.a, n.b, true
}

// maskOf returns the condition of which a is the mask.
func (g *Graph) maskOf(a Node) (c Node, ok bool) {
	n := g.nodes[a]
	ones := ^uint64(0) >> (64 - 8*uint(n.width))
	if n.op == Const && (n.key == 0 || n.key == ones) {
		return g.Bool(n.key != 0), true
	}
	if c, x, y, ok := g.selection(a); ok {
		p, okP := g.maskOf(x)
		q, okQ := g.maskOf(y)
		return g.Select(c, p, q), okP && okQ
	}
	return 0, false
}

// distribute returns f(a), inside of the selection if a is one with a constant.
func (g *Graph) distribute(a Node, f func(Node) Node) (Node, bool) {
	n := g.nodes[a]
	if n.op != Select || g.nodes[n.a].op != Const && g.nodes[n.b].op != Const {
		return 0, false
	}
	return g.Select(n.c, f(n.a), f(n.b)), true
}

// Bitwise returns a & b, a | b or a ^ b. A sign bit that is flipped is a negation.
func (g *Graph) Bitwise(op Op, a, b Node) Node {
	width := g.Width(a)
	if a == b && op == IXor {
		return g.Const(width, 0)
	}
	if g.small(a) || g.small(b) {
		if n, ok := g.bitwiseFields(op, a, b); ok {
			return n
		}
	}
	if _, _, _, ok := g.selection(a); !ok {
		a, b = b, a
	}
	if c, x, y, ok := g.selection(a); ok {
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

// Shift returns a shifted by a constant.
func (g *Graph) Shift(op Op, a Node, by int) Node {
	n := g.nodes[a]
	switch {
	case n.op == Const:
		return g.Const(int(n.width), shift(op, n.key, by, int(n.width)))
	case by == 0:
		return a
	case g.small(a):
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

// Maximum returns the larger of two signed or unsigned integers.
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
	return g.make(node{op: op, width: uint8(width), a: min(a, b), b: max(a, b)})
}

func signed(v uint64, width int) int64 { return int64(v<<(64-8*width)) >> (64 - 8*width) }

// Greater returns a > c of signed integers, c being a constant.
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

// nonnegative reports whether all operands of nested maxima are such.
func (g *Graph) nonnegative(a Node, small func(Node) bool) bool {
	if n := g.nodes[a]; n.op == IMaxU {
		return g.nonnegative(n.a, small) && g.nonnegative(n.b, small)
	}
	return small(a)
}

// Negative returns whether the highest bit is set.
func (g *Graph) Negative(a Node) Node {
	if c, x, y, ok := g.selection(a); ok {
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

// Nonzero returns whether a bit is set.
func (g *Graph) Nonzero(a Node) Node {
	if c, x, y, ok := g.selection(a); ok {
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

// Mask returns all ones of a width where c holds, and zeros elsewhere.
func (g *Graph) Mask(width int, c Node) Node {
	return g.Select(c, g.Const(width, ^uint64(0)), g.Const(width, 0))
}

// Pack returns the integer of 8 bytes whose bits are conditions, the lowest first.
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

// Count returns the number of bits that are set in the result of Pack.
func (g *Graph) Count(a Node) (n Node, ok bool) {
	if g.nodes[a].op != Bits {
		return 0, false
	}
	n = g.Const(8, 0)
	for _, c := range g.conditions(a) {
		n = g.IAdd(n, g.Select(c, g.Const(8, 1), g.Const(8, 0)))
	}
	return n, true
}

// Same returns whether the result of Pack is a number.
func (g *Graph) Same(a Node, number uint64) (Node, bool) {
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

// Lookup returns the constant whose number is the index, which is less than their number.
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

// Extend returns 4 bytes as 8 bytes, with the sign.
func (g *Graph) Extend(a Node) Node {
	if l, ok := g.linearOf(a); ok {
		if s, ok := l.extend(); ok {
			return g.linear(8, s)
		}
	}
	return g.make(node{op: Extend, width: 8, a: a})
}

// ScaleF returns x·2^⌊k⌋, rounded once.
func (g *Graph) ScaleF(x, k Node) Node {
	return g.make(node{op: ScaleF, width: g.nodes[x].width, a: x, b: k})
}

// Number returns the value of a constant floating-point number.
func (g *Graph) Number(a Node) (x float64, ok bool) { return g.number(a) }

// Most returns a bound of an unsigned integer: that of a mask.
func (g *Graph) Most(a Node) (most uint64, ok bool) {
	n := g.nodes[a]
	if n.op == Const {
		return n.key, true
	}
	if size := g.Size(a); g.small(a) && size < 8*int(n.width) {
		return 1<<size - 1, true
	}
	if n.op == IAnd && g.nodes[n.a].op == Const {
		return g.nodes[n.a].key, true
	} else if n.op == IAnd && g.nodes[n.b].op == Const {
		return g.nodes[n.b].key, true
	}
	return 0, false
}

// Offset takes an integer of 8 bytes apart: a constant plus an integer of 4 bytes.
func (g *Graph) Offset(a Node) (constant uint64, rest Node, ok bool) {
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

// MaskOf returns the condition of which a is the mask: ones where it holds, and zeros elsewhere.
func (g *Graph) MaskOf(a Node) (c Node, ok bool) { return g.maskOf(a) }

// IsMask reports whether a is the mask of a condition that is not constant.
func (g *Graph) IsMask(a Node) bool {
	_, ok := g.maskOf(a)
	return ok && g.nodes[a].op != Const
}

// Ones returns whether all bits of masks, and of conjunctions of them, are set.
func (g *Graph) Ones(a Node) (c Node, ok bool) {
	if c, ok := g.maskOf(a); ok {
		return c, true
	}
	n := g.nodes[a]
	if n.op != Cat && n.op != IAnd {
		return 0, false
	}
	x, okX := g.Ones(n.a)
	y, okY := g.Ones(n.b)
	return g.And(x, y), okX && okY
}

// Entry takes an address apart: base + index·2^shift, where the index is at most most.
func (g *Graph) Entry(a Node) (base uint64, index Node, shift int, most uint64, ok bool) {
	n := g.nodes[a]
	if n.op != IAdd {
		return 0, 0, 0, 0, false
	}
	for _, o := range [2][2]Node{{n.a, n.b}, {n.b, n.a}} {
		base, okB := g.Bits(o[0])
		if by := g.nodes[o[1]]; okB && by.op == IShl {
			if most, ok := g.Most(by.a); ok && most < 256 {
				return base, by.a, int(by.key), most, true
			}
		}
	}
	return 0, 0, 0, 0, false
}
