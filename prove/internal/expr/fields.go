package expr

import (
	"maps"
	"math"
	"math/bits"
	"slices"
)

// field is a range of bits of a node, or a range of known bits. Instructions split and join integers
// of one and two bytes, and the results are lists of fields. An integer of one or two bytes is
// stored as a 4-byte node whose higher bits are zero.
type field struct {
	node         Node   // 0 means known bits
	bits         uint64 // the known bits
	from, length int
}

// SmallInput returns element i of an input with elements of one or two bytes, as an integer of 4
// bytes.
func (g *Graph) SmallInput(bytes, input, i int) Node {
	op := Byte
	if bytes == 2 {
		op = Word
	}
	return g.make(node{op: op, width: 4, key: uint64(input)<<40 | uint64(i)})
}

// BitLength returns an upper bound for the bit length of an integer.
func (g *Graph) BitLength(a Node) int {
	n := &g.nodes[a]
	switch n.op {
	case Const:
		return bits.Len64(n.key)
	case Byte:
		return 8
	case Word, Total, ToHalf:
		return 16
	case Pick:
		return int(g.lists[n.key][0])
	case Select:
		if p, q, ok := g.flagValues(a); ok {
			return bits.Len64(p | q)
		}
	case Fields:
		size, at := 0, 0
		for _, f := range g.fields(a) {
			at += f.length
			if f.node != 0 {
				size = at
			} else if f.bits != 0 {
				size = at - f.length + bits.Len64(f.bits)
			}
		}
		return size
	}
	return 8 * int(n.width)
}

// isSmall reports whether a node is known to be an integer of one or two bytes, or to consist of such integers.
func (g *Graph) isSmall(a Node) bool {
	switch g.nodes[a].op {
	case Byte, Word, Total, Fields, ToHalf, Majority:
		return true
	case Pick:
		return g.BitLength(a) < 32
	case Select:
		_, _, ok := g.flagValues(a)
		return ok
	case IXor:
		n := &g.nodes[a]
		return (g.isSmall(n.a) || g.nodes[n.a].op == Const) && (g.isSmall(n.b) || g.nodes[n.b].op == Const)
	}
	return false
}

// flagValues returns constants p and q below 2^16 if the value of node a is p or q, depending on a
// condition. If p and q differ in a bit, this bit of the value equals the condition or its negation.
func (g *Graph) flagValues(a Node) (p, q uint64, ok bool) {
	n := &g.nodes[a]
	if n.op != Select || n.width != 4 || n.key != 0 {
		return 0, 0, false
	}
	p, okP := g.Bits(n.a)
	q, okQ := g.Bits(n.b)
	return p, q, okP && okQ && p|q < 1<<16
}

// flagField returns a field that is 1 if c holds and 0 otherwise.
func (g *Graph) flagField(c Node) field {
	if t, ok := g.Truth(c); ok {
		return field{bits: map[bool]uint64{true: 1}[t], length: 1}
	}
	return field{node: g.Select(c, g.Const(4, 1), g.Const(4, 0)), length: 1}
}

// fields splits a node into fields, from the lowest bit to the highest.
func (g *Graph) fields(a Node) (out []field) {
	n := g.nodes[a]
	whole := 8 * int(n.width)
	switch n.op {
	case Const:
		return []field{{bits: n.key, length: whole}}
	case Cat:
		return append(g.fields(n.a), g.fields(n.b)...)
	case Bits:
		for _, c := range g.conditions(a) {
			out = append(out, g.flagField(c))
		}
		return append(out, field{length: whole - len(out)})
	case Select:
		p, q, ok := g.flagValues(a)
		if !ok || p == 1 && q == 0 {
			break
		}
		for b := range whole {
			switch x, y := p>>b&1, q>>b&1; {
			case x == y:
				out = append(out, field{bits: x, length: 1})
			case x == 1:
				out = append(out, g.flagField(n.c))
			default:
				out = append(out, g.flagField(g.Not(n.c)))
			}
		}
		return out
	case IShr:
		if by := int(n.key); by < whole {
			return append(sliceFields(g.fields(n.a), by, whole-by), field{length: by})
		}
	case Fields:
		list := g.lists[n.key]
		for i := 0; i < len(list); i += 2 {
			out = append(out, field{Node(list[i] >> 16), list[i+1], int(list[i] >> 8 & 255), int(list[i] & 255)})
		}
		return out
	}
	size := whole
	if g.isSmall(a) {
		size = g.BitLength(a)
	}
	return append(out, field{node: a, length: size}, field{length: whole - size})
}

// sliceFields cuts a range of bits out of a list of fields.
func sliceFields(fields []field, from, length int) (out []field) {
	for _, f := range fields {
		skip := min(from, f.length)
		from -= skip
		n := min(f.length-skip, length)
		length -= n
		if n > 0 {
			out = append(out, field{f.node, f.bits >> skip & (1<<n - 1), f.from + skip, n})
		}
	}
	return out
}

// joinFields returns the integer that consists of the given fields, lowest bits first. The fields
// must fill the width of 4 or 8 bytes.
func (g *Graph) joinFields(width int, fields ...field) Node {
	var all []field
	for _, f := range fields {
		if f.length == 0 {
			continue
		}
		if f.node == 0 {
			f.from = 0
		}
		if n := len(all); n > 0 {
			last := &all[n-1]
			switch {
			case f.node == 0 && last.node == 0:
				last.bits |= f.bits << last.length
				last.length += f.length
				continue
			case f.node != 0 && f.node == last.node && f.from == last.from+last.length:
				last.length += f.length
				continue
			}
		}
		all = append(all, f)
	}
	first := all[0]
	whole := first.from == 0 && g.Width(first.node) == width
	switch {
	case len(all) == 1 && first.node == 0:
		return g.Const(width, first.bits)
	case len(all) == 1 && whole:
		return first.node
	case len(all) == 2 && whole && g.isSmall(first.node) && first.length == g.BitLength(first.node) && all[1].node == 0 && all[1].bits == 0:
		return first.node
	}
	var list []uint64
	for _, f := range all {
		list = append(list, uint64(f.node)<<16|uint64(f.from)<<8|uint64(f.length), f.bits)
	}
	return g.make(node{op: Fields, width: uint8(width), key: g.intern(list)})
}

// ExtractBits returns a range of bits of a node as a 4-byte integer.
func (g *Graph) ExtractBits(a Node, from, length int) Node {
	return g.joinFields(4, append(sliceFields(g.fields(a), from, length), field{length: 32 - length})...)
}

// JoinBits returns a 4-byte integer that consists of the lowest bits of several nodes: 8 bits of
// each of four nodes or 16 bits of each of two nodes.
func (g *Graph) JoinBits(nodes ...Node) Node {
	var all []field
	for _, n := range nodes {
		all = append(all, sliceFields(g.fields(n), 0, 32/len(nodes))...)
	}
	return g.joinFields(4, all...)
}

// ReplaceBits returns a copy of the 4-byte integer a in which a range of bits is replaced by the
// lowest bits of another integer.
func (g *Graph) ReplaceBits(a Node, from, length int, by Node) Node {
	f := g.fields(a)
	all := append(sliceFields(f, 0, from), sliceFields(g.fields(by), 0, length)...)
	return g.joinFields(4, append(all, sliceFields(f, from+length, 32-from-length)...)...)
}

// shiftFields shifts an integer by a constant number of bits. It reports false if the result is not a
// concatenation of bit fields.
func (g *Graph) shiftFields(op Op, a Node, by int) (Node, bool) {
	width := g.Width(a)
	f, whole := g.fields(a), 8*width
	if by > whole {
		return 0, false
	}
	switch {
	case op == IShl:
		return g.joinFields(width, append([]field{{length: by}}, sliceFields(f, 0, whole-by)...)...), true
	case op == ISar && g.BitLength(a) == whole: // the sign is unknown
		return 0, false
	}
	return g.joinFields(width, append(sliceFields(f, by, whole-by), field{length: by})...), true
}

// bitwiseFields returns the result of the bitwise operation op on a and b. It returns false unless
// every bit of the result is known or equal to a bit of a node.
func (g *Graph) bitwiseFields(op Op, a, b Node) (Node, bool) {
	width := g.Width(a)
	x, y := g.fields(a), g.fields(b)
	var all []field
	for at := range 8 * width { // one bit at a time; joinFields merges the bits
		p, q := sliceFields(x, at, 1)[0], sliceFields(y, at, 1)[0]
		if p.node == 0 {
			p, q = q, p
		}
		switch {
		case p.node == 0 && q.node == 0:
			v := map[Op]uint64{IAnd: p.bits & q.bits, IOr: p.bits | q.bits, IXor: p.bits ^ q.bits}[op]
			all = append(all, field{bits: v, length: 1})
		case q.node != 0 && q != p, q.node != 0 && op == IXor, q.node == 0 && q.bits == 1 && op == IXor:
			return 0, false
		case q.node == 0 && q.bits == 0 && op == IAnd, q.node == 0 && q.bits == 1 && op == IOr:
			all = append(all, q)
		default:
			all = append(all, p)
		}
	}
	return g.joinFields(width, all...), true
}

// AddDisjoint returns a | b, which equals a + b if no bit can be set in both integers. It
// returns false if it cannot show this.
func (g *Graph) AddDisjoint(a, b Node) (Node, bool) {
	if !g.isSmall(a) || !g.isSmall(b) {
		return 0, false
	}
	if both, ok := g.bitwiseFields(IAnd, a, b); !ok || !g.zero(both) {
		return 0, false
	}
	return g.bitwiseFields(IOr, a, b)
}

// SignExtend sign-extends the lowest bits of a to 4 bytes.
func (g *Graph) SignExtend(a Node, size int) Node {
	return g.Shift(ISar, g.Shift(IShl, a, 32-size), 32-size)
}

// Pick returns the entry of a table at an index. The entries may depend on the data. The table has
// an entry for every value of the index.
func (g *Graph) Pick(table []Node, index Node) Node {
	if i, ok := g.Bits(index); ok {
		return table[i]
	}
	if n, ok := g.Lookup(table, index); ok {
		return n
	}
	list := []uint64{0}
	for _, t := range table {
		list[0] = max(list[0], uint64(g.BitLength(t)))
		list = append(list, uint64(t))
	}
	return g.make(node{op: Pick, width: g.nodes[table[0]].width, a: index, key: g.intern(list)})
}

// Add16 returns a + factor·b modulo 2^16. It represents the sum as a constant plus
// multiples of terms, in a fixed order. A number joined from two bytes becomes two terms: the lower
// byte, and 256 times the upper byte.
func (g *Graph) Add16(a, b Node, factor uint16) Node {
	terms := map[Node]uint16{}
	constant := g.terms16(a, 1, terms) + g.terms16(b, factor, terms)
	list := []uint64{uint64(constant)}
	for _, n := range slices.Sorted(maps.Keys(terms)) {
		if terms[n] != 0 {
			list = append(list, uint64(n), uint64(terms[n]))
		}
	}
	switch {
	case len(list) == 1:
		return g.Const(4, list[0])
	case len(list) == 3 && constant == 0 && list[2]&(list[2]-1) == 0: // a single shifted term
		by := bits.TrailingZeros64(list[2])
		return g.ExtractBits(g.Shift(IShl, g.ExtractBits(Node(list[1]), 0, 16), by), 0, 16)
	}
	return g.make(node{op: Total, width: 4, key: g.intern(list)})
}

// terms16 adds the terms of factor·a to the map terms and returns the constant term.
func (g *Graph) terms16(a Node, factor uint16, terms map[Node]uint16) (constant uint16) {
	at := 0
	for _, f := range sliceFields(g.fields(a), 0, 16) {
		times := factor << at
		switch {
		case f.node == 0:
			constant += times * uint16(f.bits)
		case g.nodes[f.node].op == Total && f.from == 0 && f.length+at == 16: // the missing bits are above 2^16
			list := g.lists[g.nodes[f.node].key]
			constant += times * uint16(list[0])
			for i := 1; i < len(list); i += 2 {
				terms[Node(list[i])] += times * uint16(list[i+1])
			}
		default:
			terms[g.joinFields(4, f, field{length: 32 - f.length})] += times
		}
		at += f.length
	}
	return constant
}

// Multiply16 returns factor·a modulo 2^16.
func (g *Graph) Multiply16(a Node, factor uint16) Node { return g.Add16(g.Const(4, 0), a, factor) }

// FromHalf converts a binary16 number to float32. The conversion is exact.
func (g *Graph) FromHalf(a Node) Node {
	if h, ok := g.Bits(a); ok {
		return g.Const(4, uint64(fromHalf(h)))
	}
	return g.make(node{op: FromHalf, width: 4, a: a})
}

func fromHalf(h uint64) uint32 {
	sign, exponent, fraction := uint32(h>>15&1)<<31, int(h>>10&31), h&1023
	switch exponent {
	case 31: // infinity or NaN, which becomes quiet
		v := sign | 0x7f800000 | uint32(fraction)<<13
		if fraction != 0 {
			v |= 1 << 22
		}
		return v
	case 0:
		return sign | math.Float32bits(float32(math.Ldexp(float64(fraction), -24)))
	}
	return sign | math.Float32bits(float32(math.Ldexp(float64(fraction|1024), exponent-25)))
}

// ToHalf returns the binary16 number nearest to a float32, ties to even.
func (g *Graph) ToHalf(a Node) Node {
	if b, ok := g.Bits(a); ok {
		return g.Const(4, toHalf(b))
	}
	return g.make(node{op: ToHalf, width: 4, a: a})
}

func toHalf(b uint64) uint64 {
	sign := b >> 16 & 0x8000
	x := math.Abs(float64(math.Float32frombits(uint32(b))))
	switch {
	case x != x: // NaN becomes quiet
		return sign | 0x7e00 | b>>13&0x1ff
	case x >= 65520:
		return sign | 0x7c00
	}
	e := -24 // exponent of the last place
	if x >= 0x1p-14 {
		e = math.Ilogb(x) - 10
	}
	n := uint64(math.RoundToEven(math.Ldexp(x, -e)))
	return sign | uint64(e+24)<<10 + n // n includes the implicit bit 1<<10, which adds 1 to the exponent
}
