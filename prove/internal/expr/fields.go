package expr

import (
	"maps"
	"math"
	"math/bits"
	"slices"
)

// Integers of one and two bytes are nodes of width 4 that hold no more bits than these. What
// instructions cut and join of them are fields: bits of a node, or known bits.
type field struct {
	of           Node   // 0: known bits
	known        uint64 // these bits
	from, length int
}

// Small returns element i of an input whose elements have one or two bytes, as an integer of 4 bytes.
func (g *Graph) Small(bytes, input, i int) Node {
	op := Byte
	if bytes == 2 {
		op = Word
	}
	return g.make(node{op: op, width: 4, key: uint64(input)<<40 | uint64(i)})
}

// Size returns a number of bits below which all bits lie that may be set.
func (g *Graph) Size(a Node) int {
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
		if p, q, ok := g.flags(a); ok {
			return bits.Len64(p | q)
		}
	case Fields:
		size, at := 0, 0
		for _, f := range g.fields(a) {
			at += f.length
			if f.of != 0 {
				size = at
			} else if f.known != 0 {
				size = at - f.length + bits.Len64(f.known)
			}
		}
		return size
	}
	return 8 * int(n.width)
}

// small reports whether a node is made of integers of one or two bytes.
func (g *Graph) small(a Node) bool {
	switch g.nodes[a].op {
	case Byte, Word, Total, Fields, ToHalf, Majority:
		return true
	case Pick:
		return g.Size(a) < 32
	case Select:
		_, _, ok := g.flags(a)
		return ok
	case IXor:
		n := &g.nodes[a]
		return (g.small(n.a) || g.nodes[n.a].op == Const) && (g.small(n.b) || g.nodes[n.b].op == Const)
	}
	return false
}

// flags reports whether a selects one of two small numbers. The bits in which they differ are 1 where its condition holds, or where
// it does not.
func (g *Graph) flags(a Node) (p, q uint64, ok bool) {
	n := &g.nodes[a]
	if n.op != Select || n.width != 4 || n.key != 0 {
		return 0, 0, false
	}
	p, okP := g.Bits(n.a)
	q, okQ := g.Bits(n.b)
	return p, q, okP && okQ && p|q < 1<<16
}

// flag returns 1 where c holds, and 0 elsewhere, as a field.
func (g *Graph) flag(c Node) field {
	if t, ok := g.Truth(c); ok {
		return field{known: map[bool]uint64{true: 1}[t], length: 1}
	}
	return field{of: g.Select(c, g.Const(4, 1), g.Const(4, 0)), length: 1}
}

// fields takes a node apart, from the lowest bit to the highest.
func (g *Graph) fields(a Node) (out []field) {
	n := g.nodes[a]
	whole := 8 * int(n.width)
	switch n.op {
	case Const:
		return []field{{known: n.key, length: whole}}
	case Cat:
		return append(g.fields(n.a), g.fields(n.b)...)
	case Bits:
		for _, c := range g.conditions(a) {
			out = append(out, g.flag(c))
		}
		return append(out, field{length: whole - len(out)})
	case Select:
		p, q, ok := g.flags(a)
		if !ok || p == 1 && q == 0 {
			break
		}
		for b := range whole {
			switch x, y := p>>b&1, q>>b&1; {
			case x == y:
				out = append(out, field{known: x, length: 1})
			case x == 1:
				out = append(out, g.flag(n.c))
			default:
				out = append(out, g.flag(g.Not(n.c)))
			}
		}
		return out
	case IShr:
		if by := int(n.key); by < whole {
			return append(cut(g.fields(n.a), by, whole-by), field{length: by})
		}
	case Fields:
		list := g.lists[n.key]
		for i := 0; i < len(list); i += 2 {
			out = append(out, field{Node(list[i] >> 16), list[i+1], int(list[i] >> 8 & 255), int(list[i] & 255)})
		}
		return out
	}
	size := whole
	if g.small(a) {
		size = g.Size(a)
	}
	return append(out, field{of: a, length: size}, field{length: whole - size})
}

// cut returns the bits of fields from one on.
func cut(fields []field, from, length int) (out []field) {
	for _, f := range fields {
		skip := min(from, f.length)
		from -= skip
		n := min(f.length-skip, length)
		length -= n
		if n > 0 {
			out = append(out, field{f.of, f.known >> skip & (1<<n - 1), f.from + skip, n})
		}
	}
	return out
}

// concat returns the integer of fields, the lowest first, which fill a width of 4 or 8 bytes.
func (g *Graph) concat(width int, fields ...field) Node {
	var all []field
	for _, f := range fields {
		if f.length == 0 {
			continue
		}
		if f.of == 0 {
			f.from = 0
		}
		if n := len(all); n > 0 {
			last := &all[n-1]
			switch {
			case f.of == 0 && last.of == 0:
				last.known |= f.known << last.length
				last.length += f.length
				continue
			case f.of != 0 && f.of == last.of && f.from == last.from+last.length:
				last.length += f.length
				continue
			}
		}
		all = append(all, f)
	}
	first := all[0]
	whole := first.from == 0 && g.Width(first.of) == width
	switch {
	case len(all) == 1 && first.of == 0:
		return g.Const(width, first.known)
	case len(all) == 1 && whole:
		return first.of
	case len(all) == 2 && whole && g.small(first.of) && first.length == g.Size(first.of) && all[1].of == 0 && all[1].known == 0:
		return first.of
	}
	var list []uint64
	for _, f := range all {
		list = append(list, uint64(f.of)<<16|uint64(f.from)<<8|uint64(f.length), f.known)
	}
	return g.make(node{op: Fields, width: uint8(width), key: g.intern(list)})
}

// Part returns bits of a node as an integer of 4 bytes.
func (g *Graph) Part(a Node, from, length int) Node {
	return g.concat(4, append(cut(g.fields(a), from, length), field{length: 32 - length})...)
}

// Parts returns the integer of 4 bytes that are made of the lowest bits of nodes: 4 times 8, or 2
// times 16.
func (g *Graph) Parts(nodes ...Node) Node {
	var all []field
	for _, n := range nodes {
		all = append(all, cut(g.fields(n), 0, 32/len(nodes))...)
	}
	return g.concat(4, all...)
}

// Replace returns a, of 4 bytes, with the lowest bits of another node from a bit on.
func (g *Graph) Replace(a Node, from, length int, by Node) Node {
	f := g.fields(a)
	all := append(cut(f, 0, from), cut(g.fields(by), 0, length)...)
	return g.concat(4, append(all, cut(f, from+length, 32-from-length)...)...)
}

// shiftFields returns a shifted, if the result is made of fields.
func (g *Graph) shiftFields(op Op, a Node, by int) (Node, bool) {
	width := g.Width(a)
	f, whole := g.fields(a), 8*width
	if by > whole {
		return 0, false
	}
	switch {
	case op == IShl:
		return g.concat(width, append([]field{{length: by}}, cut(f, 0, whole-by)...)...), true
	case op == ISar && g.Size(a) == whole: // the sign is not known
		return 0, false
	}
	return g.concat(width, append(cut(f, by, whole-by), field{length: by})...), true
}

// bitwiseFields returns a op b, if that is made of fields: in every field one of the two is known
// to be without influence, or both are known.
func (g *Graph) bitwiseFields(op Op, a, b Node) (Node, bool) {
	width := g.Width(a)
	x, y := g.fields(a), g.fields(b)
	var all []field
	for at := range 8 * width { // bit by bit; concat joins them
		p, q := cut(x, at, 1)[0], cut(y, at, 1)[0]
		if p.of == 0 {
			p, q = q, p
		}
		switch {
		case p.of == 0 && q.of == 0:
			v := map[Op]uint64{IAnd: p.known & q.known, IOr: p.known | q.known, IXor: p.known ^ q.known}[op]
			all = append(all, field{known: v, length: 1})
		case q.of != 0 && q != p, q.of != 0 && op == IXor, q.of == 0 && q.known == 1 && op == IXor:
			return 0, false
		case q.of == 0 && q.known == 0 && op == IAnd, q.of == 0 && q.known == 1 && op == IOr:
			all = append(all, q)
		default:
			all = append(all, p)
		}
	}
	return g.concat(width, all...), true
}

// Disjoint returns a + b, if both are made of fields and no bit may be set in both.
func (g *Graph) Disjoint(a, b Node) (Node, bool) {
	if !g.small(a) || !g.small(b) {
		return 0, false
	}
	if both, ok := g.bitwiseFields(IAnd, a, b); !ok || !g.zero(both) {
		return 0, false
	}
	return g.bitwiseFields(IOr, a, b)
}

// Signed returns the integer of the lowest bits of a with their sign, in 4 bytes.
func (g *Graph) Signed(a Node, size int) Node {
	return g.Shift(ISar, g.Shift(IShl, a, 32-size), 32-size)
}

// Pick returns the entry of a table whose number is the index. Its entries may depend on the data.
// There are as many as the index has values.
func (g *Graph) Pick(table []Node, index Node) Node {
	if i, ok := g.Bits(index); ok {
		return table[i]
	}
	if n, ok := g.Lookup(table, index); ok {
		return n
	}
	list := []uint64{0}
	for _, t := range table {
		list[0] = max(list[0], uint64(g.Size(t)))
		list = append(list, uint64(t))
	}
	return g.make(node{op: Pick, width: g.nodes[table[0]].width, a: index, key: g.intern(list)})
}

// Add16 returns a + factor·b modulo 2^16. Such a sum is a constant and multiples of terms, in a
// fixed order. Two bytes side by side are the lower and 256 times the upper.
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
	case len(list) == 3 && constant == 0 && list[2]&(list[2]-1) == 0: // one term, shifted
		by := bits.TrailingZeros64(list[2])
		return g.Part(g.Shift(IShl, g.Part(Node(list[1]), 0, 16), by), 0, 16)
	}
	return g.make(node{op: Total, width: 4, key: g.intern(list)})
}

// terms16 adds the terms of factor·a, and returns the constant.
func (g *Graph) terms16(a Node, factor uint16, terms map[Node]uint16) (constant uint16) {
	at := 0
	for _, f := range cut(g.fields(a), 0, 16) {
		times := factor << at
		switch {
		case f.of == 0:
			constant += times * uint16(f.known)
		case g.nodes[f.of].op == Total && f.from == 0 && f.length+at == 16: // what is cut off is beyond 2^16
			list := g.lists[g.nodes[f.of].key]
			constant += times * uint16(list[0])
			for i := 1; i < len(list); i += 2 {
				terms[Node(list[i])] += times * uint16(list[i+1])
			}
		default:
			terms[g.concat(4, f, field{length: 32 - f.length})] += times
		}
		at += f.length
	}
	return constant
}

// Multiply16 returns factor·a modulo 2^16.
func (g *Graph) Multiply16(a Node, factor uint16) Node { return g.Add16(g.Const(4, 0), a, factor) }

// FromHalf returns the float32 that a number of IEEE 754 binary16 stands for, exactly.
func (g *Graph) FromHalf(a Node) Node {
	if h, ok := g.Bits(a); ok {
		return g.Const(4, uint64(fromHalf(h)))
	}
	return g.make(node{op: FromHalf, width: 4, a: a})
}

func fromHalf(h uint64) uint32 {
	sign, exponent, fraction := uint32(h>>15&1)<<31, int(h>>10&31), h&1023
	switch exponent {
	case 31: // infinity, or a NaN, which is made quiet
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

// ToHalf returns the number of IEEE 754 binary16 nearest to a float32, the even one of two.
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
	case x != x: // made quiet
		return sign | 0x7e00 | b>>13&0x1ff
	case x >= 65520:
		return sign | 0x7c00
	}
	e := -24 // of the last place
	if x >= 0x1p-14 {
		e = math.Ilogb(x) - 10
	}
	n := uint64(math.RoundToEven(math.Ldexp(x, -e)))
	return sign | uint64(e+24)<<10 + n // a normal number has its bit 10, which counts for the exponent
}
