// Package expr represents expressions as a graph in which equal expressions are the same node.
//
// A node stands for 4 or 8 bytes, or for a condition. It has no type: a node can be used as a
// floating-point number and as an integer. Floating-point operations are uninterpreted: in general,
// two results are equal only if the same operations are applied to the same operands. The exceptions
// are rules of IEEE 754 arithmetic in the default rounding mode, which map different forms of an
// operation to one node. Each rule is documented at the constructor that uses it. All NaN are equal.
package expr

import (
	"math"
	"slices"
)

// Node is an expression of a Graph. The zero Node is not an expression.
type Node int32

// Op is the operation of a node.
type Op uint8

const (
	none   Op = iota
	Const     // constant; key holds the bits
	Input     // element of an input; key holds the input number and the element index
	Add       // floating-point x + y
	Mul       // floating-point x · y
	Div       // floating-point x / y
	FMA       // floating-point x·y + z, rounded once
	Neg       // negation, which flips the sign bit
	Widen     // float32 to float64, exact
	Narrow    // float64 to float32, rounded
	Low       // the low half of 8 bytes
	High      // the high half of 8 bytes
	Cat       // 8 bytes made of two halves
	Lt        // x < y, a condition
	Le        // x ≤ y
	Eq        // x = y
	Not       // negation of a condition
	And       // conjunction of the conditions in lists[key]
	Select    // a if condition c holds, otherwise b
	IAdd      // integer operations
	ISub
	IAnd
	IOr
	IXor
	IShl // shift by key
	IShr
	ISar
	IMaxS
	IMaxU
	IGt      // signed, a condition
	INz      // x ≠ 0, a condition
	Extend   // 4 bytes sign-extended to 8 bytes
	Sum      // constant plus the coefficient of each condition that is true; lists[key] contains the constant and the terms
	Bits     // integer whose bits are the conditions in lists[key]
	Lookup   // constant at index a in lists[key]
	ScaleF   // a·2^⌊b⌋, rounded once
	MaxZ     // largest number in lists[key], ignoring NaN; −Inf if there is no number; a zero result is +0
	Larger   // larger of two numbers, NaN if one is NaN; +0 > −0
	MaxNum   // larger of two numbers, ignoring a quiet NaN; +0 > −0
	FromInt  // a signed integer as a floating-point number, rounded
	Byte     // 1-byte element of an input; see fields.go
	Word     // 2-byte element of an input
	Fields   // integer whose bits are fields of other nodes; lists[key] describes the fields
	Pick     // element of a table of nodes, at the index that operand a contains; lists[key] contains the bit length of the elements, then the table
	Total    // (constant + Σ coefficient·node) modulo 2^16; lists[key] contains the constant and the terms
	FromHalf // a binary16 number as a float32
	ToHalf   // a float32 as a binary16 number, rounded
	Sqrt     // √x
	IMul     // product of integers; see polynomial.go
	IAbs     // magnitude of a signed integer of 4 bytes
	Popcount // number of bits that are set
	Majority // the bits set in at least two of three integers
)

var names = [...]string{"none", "const", "in", "add", "mul", "div", "fma", "neg", "widen", "narrow", "low", "high", "cat",

	"lt", "le", "eq", "not", "and", "select", "iadd", "isub", "iand", "ior", "ixor", "shl", "shr", "sar", "maxs", "maxu", "igt",

	"nonzero", "extend", "sum", "bits", "lookup", "scalef", "maxz", "larger", "maxnum", "fromint",

	"byte", "word", "fields", "pick", "total", "fromhalf", "tohalf", "sqrt", "imul", "iabs", "popcount", "majority"}

type node struct {
	op      Op
	width   uint8 // bytes: 1 for a condition, otherwise 4 or 8
	a, b, c Node
	key     uint64
}

// Graph is a set of expressions.
type Graph struct {
	nodes           []node
	table           []Node // hash table of nodes; 0 marks a free entry
	lists           [][]uint64
	listIndex       map[string]uint64
	equalities      map[[2]Node]bool // results of Equal
	intervals       boundsCache
	representatives map[uint64]Node  // results of the method representative; the key is the index of a polynomial in lists
	flips           map[[2]Node]flip // results of bitAtom, by node and bit number
	Path            *Path            // chooses a direction at each branch that depends on the data; if nil, both directions run
}

// New returns an empty graph.
func New() *Graph {
	return &Graph{nodes: make([]node, 1), table: make([]Node, 1<<10), listIndex: make(map[string]uint64)}
}

// Reset empties the graph and keeps its memory.
func (g *Graph) Reset() {
	table := g.table[:1<<10]
	clear(table)
	*g = Graph{nodes: g.nodes[:1], table: table, listIndex: make(map[string]uint64)}
}

// Len returns the number of expressions.
func (g *Graph) Len() int { return len(g.nodes) - 1 }

func (g *Graph) make(n node) Node {
	place := g.place(&n)
	if g.table[place] != 0 {
		return g.table[place]
	}
	i := Node(len(g.nodes))
	g.nodes = append(g.nodes, n)
	g.table[place] = i
	if 2*len(g.nodes) > len(g.table) {
		if n := 2 * len(g.table); n <= cap(g.table) {
			g.table = g.table[:n]
			clear(g.table)
		} else {
			g.table = make([]Node, n)
		}
		for i := 1; i < len(g.nodes); i++ {
			g.table[g.place(&g.nodes[i])] = Node(i)
		}
	}
	return i
}

// place returns the hash-table index of a node. If the table does not contain the node, place
// returns the free index where the node belongs.
func (g *Graph) place(n *node) uint64 {
	h := (n.key+uint64(n.op)<<8+uint64(n.width))*0x9e3779b97f4a7c15 ^ uint64(uint32(n.a)) ^ uint64(uint32(n.b))<<32
	h = h*0xff51afd7ed558ccd ^ uint64(uint32(n.c))
	h ^= h >> 32
	h *= 0xc4ceb9fe1a85ec53
	last := uint64(len(g.table) - 1)
	for at := h >> 20 & last; ; at = (at + 1) & last {
		if i := g.table[at]; i == 0 || g.nodes[i] == *n {
			return at
		}
	}
}

// Const returns the constant with the given bits. The width is in bytes.
func (g *Graph) Const(width int, bits uint64) Node {
	if width < 8 {
		bits &= 1<<(8*width) - 1
	}
	return g.make(node{op: Const, width: uint8(width), key: bits})
}

// Input returns element i of the input with the given number.
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

func (g *Graph) minusZero(n Node) bool {
	bits, ok := g.Bits(n)
	return ok && bits == 1<<(8*g.Width(n)-1)
}

// constants returns the values of two constants as float64. Values of type float32 are widened.
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

// constFloat returns the floating-point constant x with the given width in bytes. For width 4, it
// rounds x to float32. In this case, x is the float64 result of one operation on float32 operands,
// so rounding twice equals rounding once (Figueroa, "When is double rounding innocuous?", 1995).
func (g *Graph) constFloat(width int, x float64) Node {
	if width == 4 {
		return g.Const(4, uint64(math.Float32bits(float32(x))))
	}
	return g.Const(8, math.Float64bits(x))
}

// Add returns the node for x + y. Add returns the same node for y + x. It simplifies x + −0 to x. If x
// cannot be −0, it also simplifies x + 0 to x.
func (g *Graph) Add(a, b Node) Node {
	width := g.Width(a)
	if x, y, ok := g.constants(a, b); ok {
		return g.constFloat(width, x+y)
	}
	if a > b {
		a, b = b, a
	}
	for _, p := range [2][2]Node{{a, b}, {b, a}} {
		if g.minusZero(p[0]) {
			return p[1]
		}
		if g.zero(p[0]) && g.nodes[p[1]].op != Const && g.isNeverNegativeZero(p[1]) {
			return p[1]
		}
	}
	for _, p := range [2][2]Node{{a, b}, {b, a}} {
		if leaves, ok := g.maximumLeaves(p[1], nil); ok && g.zero(p[0]) && (g.nodes[p[1]].op == Select || g.nodes[p[1]].op == Larger || g.nodes[p[1]].op == MaxNum) {
			slices.Sort(leaves)
			return g.make(node{op: MaxZ, width: uint8(width), key: g.intern(slices.Compact(leaves))})
		}
	}
	return g.make(node{op: Add, width: uint8(width), a: a, b: b})
}

// FromInt returns a signed integer as a floating-point number of the given width, rounded.
func (g *Graph) FromInt(width int, a Node) Node {
	if bits, ok := g.Bits(a); ok {
		return g.Const(width, fromInt(uint8(width), signed(bits, g.Width(a))))
	}
	return g.make(node{op: FromInt, width: uint8(width), a: g.representative(a)})
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
		a = g.squaredFactor(a)
		b = a
	}
	if x, y, ok := g.constants(a, b); ok {
		return g.constFloat(width, x*y)
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
		return g.constFloat(width, x/y)
	}
	return g.make(node{op: Div, width: uint8(width), a: a, b: b})
}

// Sqrt returns √x.
func (g *Graph) Sqrt(a Node) Node {
	if x := &g.nodes[a]; x.op == Const {
		return g.constFloat(int(x.width), math.Sqrt(value(x)))
	}
	return g.make(node{op: Sqrt, width: g.nodes[a].width, a: a})
}

// squaredFactor returns a node whose square is x². The result is the same node for x and −x. If x is
// a difference, the result is the operand with the smaller node number minus the other operand. The
// squares of p − q and q − p are equal, because the differences have opposite signs or are both +0.
func (g *Graph) squaredFactor(a Node) Node {
	a, _ = g.withoutSign(a)
	if x := g.nodes[a]; x.op == Add {
		if p, ok := g.withoutSign(x.b); ok && p < x.a && g.nodes[x.a].op != Neg {
			return g.Sub(p, x.a)
		}
		if p, ok := g.withoutSign(x.a); ok && p > x.b && g.nodes[x.b].op != Neg {
			return g.Sub(x.b, p)
		}
	}
	return a
}

// FMA returns x·y + z, rounded once. The factors commute, and the sign of the product is the product
// of the signs. FMA simplifies special cases: fma(0, 0, z) and fma(−0, −0, z) are 0 + z; fma(−0, 0,
// z) is z; fma(x, y, −0) is x·y; fma(x, x, 0) is x·x, because x·x is never −0.
func (g *Graph) FMA(a, b, c Node) Node {
	if x, y, ok := g.constants(a, b); ok && g.nodes[c].op == Const {
		if z := value(&g.nodes[c]); g.Width(c) == 4 {
			return g.Const(4, uint64(math.Float32bits(fma32(x, y, z))))
		} else {
			return g.Const(8, math.Float64bits(math.FMA(x, y, z)))
		}
	}
	if g.minusZero(c) {
		return g.Mul(a, b)
	}
	if a == b {
		if a = g.squaredFactor(a); g.zero(c) {
			return g.Mul(a, a)
		}
		b = a
	}
	if g.zero(a) && g.zero(b) || g.minusZero(a) && g.minusZero(b) {
		return g.Add(g.Const(g.Width(c), 0), c)
	}
	if x, y, ok := g.constants(a, b); ok && x == 0 && y == 0 && math.Signbit(x) != math.Signbit(y) {
		return c
	}
	a, p := g.withoutSign(a)
	b, q := g.withoutSign(b)
	if a > b {
		a, b = b, a
	}
	var negative uint64
	if p != q {
		negative = 1
	}
	return g.make(node{op: FMA, width: g.nodes[c].width, a: a, b: b, c: c, key: negative})
}

// fma32 returns x·y + z rounded once to float32, for float32 operands. The product is exact in
// float64. The float64 sum is rounded to odd: an inexact sum becomes the adjacent float64 number with
// an odd significand. A float32 has at least two bits less precision than a float64, so rounding
// this sum to float32 equals rounding the exact sum (Boldo and Melquiond, 2008).
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

// withoutSign returns x if a is the negation −x, and a otherwise. The bool reports a negation.
func (g *Graph) withoutSign(a Node) (Node, bool) {
	if x := &g.nodes[a]; x.op == Neg {
		return x.a, true
	}
	return a, false
}

// Widen returns a float32 as a float64, exactly.
func (g *Graph) Widen(a Node) Node {
	if x := g.nodes[a]; x.op == Const {
		return g.Const(8, math.Float64bits(value(&x)))
	}
	return g.make(node{op: Widen, width: 8, a: a})
}

// Narrow returns a float64 rounded to float32. If the float64 is the square root of a widened
// float32, Narrow returns the float32 square root. The results are equal because a float64 has more
// than twice the bits of a float32 (Figueroa, 1995).
func (g *Graph) Narrow(a Node) Node {
	if x := g.nodes[a]; x.op == Sqrt && g.nodes[x.a].op == Widen {
		return g.Sqrt(g.nodes[x.a].a)
	}
	if x := g.nodes[a]; x.op == Const {
		return g.Const(4, uint64(math.Float32bits(float32(value(&x)))))
	}
	if s, ok := g.distributeOverSelection(a, g.Narrow); ok {
		return s
	}
	return g.make(node{op: Narrow, width: 4, a: a})
}
