// Package expr holds expressions as a graph in which equal expressions are one node.
//
// A node stands for 4 or 8 bytes. It has no type: the same node can be used as a
// floating-point number and as an integer. Floating-point operations are uninterpreted:
// two results are equal only if they are made by the same operations on the same operands.
// The rules that make two different ways of writing an operation one node are those of
// IEEE 754 arithmetic in the default rounding mode. Each one stands beside the constructor
// that uses it. Any NaN counts as equal to any other NaN.
package expr

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Node is an expression of a Graph. The zero Node is no expression.
type Node int32

// Op is what a node computes from its operands.
type Op uint8

const (
	none   Op = iota
	Const     // the bits in Key
	Input     // element number Key of an input
	Add       // floating-point x + y
	Mul       // floating-point x · y
	Div       // floating-point x / y
	FMA       // floating-point x·y + z, rounded once
	Neg       // the sign bit flipped
	Widen     // float32 to float64, exact
	Narrow    // float64 to float32, rounded
	Low       // the low half of 8 bytes
	High      // the high half of 8 bytes
	Cat       // 8 bytes of two halves
	Lt        // x < y, a condition
	Le        // x ≤ y
	Eq        // x = y
	Not       // of a condition
	And       // of the conditions in list Key
	Select    // a where condition c holds, else b
	IAdd      // integer operations
	ISub
	IAnd
	IOr
	IXor
	IShl // by Key
	IShr
	ISar
	IMaxS
	IMaxU
	IGt      // signed, a condition
	INz      // is not 0, a condition
	Extend   // 4 bytes to 8, with the sign
	Sum      // constant + Σ coefficient·[condition], in list Key
	Bits     // the conditions in list Key, as bits
	Lookup   // number a of the constants in list Key
	ScaleF   // a·2^⌊b⌋, rounded once
	MaxZ     // the largest of list Key that is not NaN, or −Inf; a zero is +0
	Larger   // the larger of two, NaN if one is NaN; +0 is larger than −0
	MaxNum   // the larger of two; of a number and a quiet NaN the number; +0 is larger than −0
	FromInt  // a signed integer as a floating-point number, rounded
	Byte     // element number Key of an input whose elements have 1 byte; see fields.go
	Word     // of 2 bytes
	Fields   // bits of nodes, in list Key
	Pick     // number a of the nodes in list Key, after their size in bits
	Total    // constant + Σ coefficient·node modulo 2^16, in list Key
	FromHalf // a binary16 number as a float32
)

var names = [...]string{"none", "const", "in", "add", "mul", "div", "fma", "neg", "widen", "narrow", "low", "high", "cat",
	"lt", "le", "eq", "not", "and", "select", "iadd", "isub", "iand", "ior", "ixor", "shl", "shr", "sar", "maxs", "maxu", "igt",
	"nonzero", "extend", "sum", "bits", "lookup", "scalef", "maxz", "larger", "maxnum", "fromint",
	"byte", "word", "fields", "pick", "total", "fromhalf"}

type node struct {
	op      Op
	width   uint8 // bytes: 4 or 8
	a, b, c Node
	key     uint64
}

// Graph is a set of expressions.
type Graph struct {
	nodes     []node
	index     map[node]Node
	lists     [][]uint64
	listIndex map[string]uint64
	results   map[[2]Node]bool // of Equal
	Path      *Path            // at branches that depend on the data; without one both ways are run
}

// New returns an empty graph.
func New() *Graph {
	return &Graph{nodes: make([]node, 1), index: make(map[node]Node), listIndex: make(map[string]uint64)}
}

// Len returns the number of expressions.
func (g *Graph) Len() int { return len(g.nodes) - 1 }

func (g *Graph) make(n node) Node {
	i, ok := g.index[n]
	if !ok {
		i = Node(len(g.nodes))
		g.nodes = append(g.nodes, n)
		g.index[n] = i
	}
	return i
}

// Const returns the constant of that width with these bits.
func (g *Graph) Const(width int, bits uint64) Node {
	if width < 8 {
		bits &= 1<<(8*width) - 1
	}
	return g.make(node{op: Const, width: uint8(width), key: bits})
}

// Input returns element i of an input. Different inputs have different numbers.
func (g *Graph) Input(width, input, i int) Node {
	return g.make(node{op: Input, width: uint8(width), key: uint64(input)<<40 | uint64(i)})
}

// Width returns the number of bytes of a node.
func (g *Graph) Width(n Node) int { return int(g.nodes[n].width) }

// Bits returns the value of a constant.
func (g *Graph) Bits(n Node) (bits uint64, ok bool) {
	x := &g.nodes[n]
	return x.key, x.op == Const
}

func (g *Graph) zero(n Node) bool {
	bits, ok := g.Bits(n)
	return ok && bits == 0
}

// constants returns the values of two constants as float64; a float32 is widened.
func (g *Graph) constants(a, b Node) (x, y float64, ok bool) {
	p, q := &g.nodes[a], &g.nodes[b]
	if p.op != Const || q.op != Const {
		return 0, 0, false
	}
	return value(p), value(q), true
}

func value(n *node) float64 {
	if n.width == 4 {
		return float64(math.Float32frombits(uint32(n.key)))
	}
	return math.Float64frombits(n.key)
}

// float returns the constant x of a width. For width 4 x is rounded to float32: x is a sum,
// product or quotient of two float32 computed in float64, for which rounding twice is
// rounding once (Figueroa, "When is double rounding innocuous?", 1995).
func (g *Graph) float(width int, x float64) Node {
	if width == 4 {
		return g.Const(4, uint64(math.Float32bits(float32(x))))
	}
	return g.Const(8, math.Float64bits(x))
}

// neverNegativeZero reports whether a cannot be −0: a sum is −0 only if both of its terms are.
func (g *Graph) neverNegativeZero(a Node) bool {
	for {
		switch n := &g.nodes[a]; {
		case n.op == Const:
			return n.key != 1<<(8*n.width-1)
		case n.op == MaxZ:
			return true
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

// Add returns x + y. Addition commutes. x + 0 is x if that cannot be −0, as in (y + 0) + 0.
func (g *Graph) Add(a, b Node) Node {
	width := g.Width(a)
	if x, y, ok := g.constants(a, b); ok {
		return g.float(width, x+y)
	}
	if a > b {
		a, b = b, a
	}
	for _, p := range [2][2]Node{{a, b}, {b, a}} {
		if g.zero(p[0]) && g.nodes[p[1]].op != Const && g.neverNegativeZero(p[1]) {
			return p[1]
		}
	}
	for _, p := range [2][2]Node{{a, b}, {b, a}} {
		if leaves, ok := g.maximum(p[1], nil); ok && g.zero(p[0]) && (g.nodes[p[1]].op == Select || g.nodes[p[1]].op == Larger || g.nodes[p[1]].op == MaxNum) {
			slices.Sort(leaves)
			return g.make(node{op: MaxZ, width: uint8(width), key: g.intern(slices.Compact(leaves))})
		}
	}
	return g.make(node{op: Add, width: uint8(width), a: a, b: b})
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

// FromInt returns a signed integer as a floating-point number of a width, rounded.
func (g *Graph) FromInt(width int, a Node) Node {
	if bits, ok := g.Bits(a); ok {
		return g.Const(width, fromInt(uint8(width), signed(bits, g.Width(a))))
	}
	return g.make(node{op: FromInt, width: uint8(width), a: a})
}

func fromInt(width uint8, v int64) uint64 {
	if width == 4 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(float64(v))
}

// Sub returns x − y, which IEEE 754 defines as x + (−y).
func (g *Graph) Sub(a, b Node) Node { return g.Add(a, g.Neg(b)) }

// Neg returns −x, with the sign bit flipped. −(−x) is x.
func (g *Graph) Neg(a Node) Node {
	x := g.nodes[a]
	switch {
	case x.op == Const:
		return g.Const(int(x.width), x.key^1<<(8*x.width-1))
	case x.op == Neg:
		return x.a
	}
	return g.make(node{op: Neg, width: x.width, a: a})
}

// Mul returns x · y. Multiplication commutes.
func (g *Graph) Mul(a, b Node) Node {
	width := g.Width(a)
	if a == b {
		a = g.squared(a)
		b = a
	}
	if x, y, ok := g.constants(a, b); ok {
		return g.float(width, x*y)
	}
	if a > b {
		a, b = b, a
	}
	return g.make(node{op: Mul, width: uint8(width), a: a, b: b})
}

// Div returns x / y.
func (g *Graph) Div(a, b Node) Node {
	width := g.Width(a)
	if x, y, ok := g.constants(a, b); ok {
		return g.float(width, x/y)
	}
	return g.make(node{op: Div, width: uint8(width), a: a, b: b})
}

// squared returns the factor of x², for which x and −x are one: where x = p − q, it is the
// difference of the two in a fixed order. (p − q and q − p differ in the sign alone, or are
// both +0.)
func (g *Graph) squared(a Node) Node {
	a, _ = g.unsigned(a)
	if x := g.nodes[a]; x.op == Add {
		if p, ok := g.unsigned(x.b); ok && p < x.a && g.nodes[x.a].op != Neg {
			return g.Sub(p, x.a)
		}
		if p, ok := g.unsigned(x.a); ok && p > x.b && g.nodes[x.b].op != Neg {
			return g.Sub(x.b, p)
		}
	}
	return a
}

// FMA returns x·y + z, rounded once. The factors commute, the sign of the product is that
// of its factors, fma(0, 0, z) is 0 + z, fma(−0, 0, z) is z, and fma(x, x, 0) is x·x, since x·x is never −0.
func (g *Graph) FMA(a, b, c Node) Node {
	if x, y, ok := g.constants(a, b); ok && g.nodes[c].op == Const {
		if z := value(&g.nodes[c]); g.Width(c) == 4 {
			return g.Const(4, uint64(math.Float32bits(fma32(x, y, z))))
		} else {
			return g.Const(8, math.Float64bits(math.FMA(x, y, z)))
		}
	}
	if a == b {
		if a = g.squared(a); g.zero(c) {
			return g.Mul(a, a)
		}
		b = a
	}
	if g.zero(a) && g.zero(b) {
		return g.Add(g.Const(g.Width(c), 0), c)
	}
	if x, y, ok := g.constants(a, b); ok && x == 0 && y == 0 && math.Signbit(x) != math.Signbit(y) {
		return c
	}
	a, p := g.unsigned(a)
	b, q := g.unsigned(b)
	if a > b {
		a, b = b, a
	}
	var negative uint64
	if p != q {
		negative = 1
	}
	return g.make(node{op: FMA, width: g.nodes[c].width, a: a, b: b, c: c, key: negative})
}

// fma32 returns x·y + z rounded once to float32, for x, y and z of float32. The product is
// exact. The sum is rounded to odd: if it is not exact, its last bit is made 1, in the
// direction of the exact sum. Rounding that to float32, which has fewer bits by more than
// two, gives what rounding the exact sum gives (Boldo and Melquiond, 2008).
func fma32(x, y, z float64) float32 {
	p := float64(x * y)
	s := p + z
	t := s - p
	e := (p - (s - t)) + (z - t) // s + e is p + z
	if bits := math.Float64bits(s); e != 0 && e == e && bits&1 == 0 {
		if (e > 0) == (s > 0) { // away from 0
			s = math.Float64frombits(bits + 1)
		} else {
			s = math.Float64frombits(bits - 1)
		}
	}
	return float32(s)
}

// unsigned returns x without a negation, and whether it had one.
func (g *Graph) unsigned(a Node) (Node, bool) {
	if x := &g.nodes[a]; x.op == Neg {
		return x.a, true
	}
	return a, false
}

// Widen returns a float32 as a float64, which is exact.
func (g *Graph) Widen(a Node) Node {
	if x := g.nodes[a]; x.op == Const {
		return g.Const(8, math.Float64bits(value(&x)))
	}
	return g.make(node{op: Widen, width: 8, a: a})
}

// Narrow returns a float64 rounded to float32.
func (g *Graph) Narrow(a Node) Node {
	if x := g.nodes[a]; x.op == Const {
		return g.Const(4, uint64(math.Float32bits(float32(value(&x)))))
	}
	if s, ok := g.distribute(a, g.Narrow); ok {
		return s
	}
	return g.make(node{op: Narrow, width: 4, a: a})
}

// Halves returns the low and the high half of 8 bytes.
func (g *Graph) Halves(a Node) (low, high Node) {
	switch x := g.nodes[a]; {
	case x.op == Const:
		return g.Const(4, x.key), g.Const(4, x.key>>32)
	case x.op == Cat:
		return x.a, x.b
	case x.op == Fields:
		f := g.fields(a)
		return g.concat(4, cut(f, 0, 32)...), g.concat(4, cut(f, 32, 32)...)
	case x.op == Sum:
		s, _ := g.linearOf(a)
		if low, high := s.bounds(); low >= 0 && high < 1<<31 {
			return g.linear(4, s), g.Const(4, 0)
		}
	}
	if c, p, q, ok := g.selection(a); ok {
		p, q := g.nodes[p].key, g.nodes[q].key
		return g.Select(c, g.Const(4, p), g.Const(4, q)), g.Select(c, g.Const(4, p>>32), g.Const(4, q>>32))
	}
	return g.make(node{op: Low, width: 4, a: a}), g.make(node{op: High, width: 4, a: a})
}

// Join returns the 8 bytes of two halves. The halves of one node are that node again.
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
	if g.small(low) || g.small(high) {
		return g.concat(8, append(g.fields(low), g.fields(high)...)...)
	}
	if l.op == Sum && g.zero(high) {
		s, _ := g.linearOf(low)
		if least, most := s.bounds(); least >= 0 && most < 1<<31 {
			return g.linear(8, s)
		}
	}
	for _, op := range [3]Op{IAnd, IOr, IXor} {
		x, c, okX := g.half(Low, op, low)
		y, d, okY := g.half(High, op, high)
		if okX && okY && x == y {
			return g.Bitwise(op, x, g.Const(8, c|d<<32))
		}
	}
	if c, x, y, ok := g.selection(low); ok && h.op == Const {
		return g.Select(c, g.Join(x, high), g.Join(y, high))
	}
	if c, x, y, ok := g.selection(high); ok && l.op == Const {
		return g.Select(c, g.Join(low, x), g.Join(low, y))
	}
	return g.make(node{op: Cat, width: 8, a: low, b: high})
}

// half takes a half of x & c, x | c or x ^ c apart, where which is Low or High.
func (g *Graph) half(which, op Op, a Node) (x Node, c uint64, ok bool) {
	n := g.nodes[a]
	if n.op == which {
		return n.a, map[Op]uint64{IAnd: 1<<32 - 1}[op], true
	}
	if n.op != op {
		return 0, 0, false
	}
	if g.nodes[n.a].op == which {
		n.a, n.b = n.b, n.a
	}
	c, ok = g.Bits(n.a)
	return g.nodes[n.b].a, c, ok && g.nodes[n.b].op == which
}

// String writes an expression, to a depth at which it can be read.
func (g *Graph) String(n Node) string { return g.text(n, 5) }

func (g *Graph) text(n Node, depth int) string {
	if n == 0 {
		return "nothing"
	}
	x := &g.nodes[n]
	switch x.op {
	case Const:
		if x.width == 4 {
			return fmt.Sprintf("%#x:4", x.key)
		}
		return fmt.Sprintf("%#x", x.key)
	case Input, Byte, Word:
		return fmt.Sprintf("in%d[%d]", x.key>>40, x.key&(1<<40-1))
	}
	if depth == 0 {
		return "…"
	}
	var args []string
	for _, a := range []Node{x.a, x.b, x.c} {
		if a != 0 {
			args = append(args, g.text(a, depth-1))
		}
	}
	switch x.op {
	case And, Sum, Bits, MaxZ:
		for _, a := range g.lists[x.key][:min(4, len(g.lists[x.key]))] {
			if x.op == Sum {
				args = append(args, fmt.Sprint(int64(a)))
			} else {
				args = append(args, g.text(Node(a), depth-1))
			}
		}
	case IShl, IShr, ISar:
		args = append(args, fmt.Sprint(x.key))
	case Fields:
		for _, f := range g.fields(n)[:min(4, len(g.fields(n)))] {
			if f.of == 0 {
				args = append(args, fmt.Sprintf("%#x:%d", f.known, f.length))
			} else {
				args = append(args, fmt.Sprintf("%s[%d:%d]", g.text(f.of, depth-1), f.from, f.from+f.length))
			}
		}
	case Total:
		list := g.lists[x.key]
		args = append(args, fmt.Sprint(list[0]))
		for i := 1; i < min(9, len(list)); i += 2 {
			args = append(args, fmt.Sprintf("%d·%s", list[i+1], g.text(Node(list[i]), depth-1)))
		}
	case Pick:
		args = append(args, fmt.Sprintf("%d entries from %s", len(g.lists[x.key])-1, g.text(Node(g.lists[x.key][1]), depth-1)))
	}
	name := names[x.op]
	if x.op == FMA && x.key == 1 {
		name = "fnma"
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}
