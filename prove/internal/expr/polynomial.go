package expr

import (
	"maps"
	"math/bits"
	"slices"
)

// Sums and products of integers are compared as polynomials. A node of L bits is an integer polynomial of atoms modulo 2^L. An
// atom is a field of bits, with or without a sign, or a node of which nothing else is known. Atoms have bounds. If the bounds of a
// polynomial show that it has a value of L bits, the node is that polynomial exactly, and can be extended. So a sum of 32 bits
// that is extended to 64 is proved not to overflow.

// IMul returns a·b of integers.
func (g *Graph) IMul(a, b Node) Node {
	width := g.Width(a)
	x, okX := g.Bits(a)
	y, okY := g.Bits(b)
	switch {
	case okX && okY:
		return g.Const(width, x*y)
	case okX && x == 0, okY && y == 1:
		return a
	case okY && y == 0, okX && x == 1:
		return b
	}
	return g.make(node{op: IMul, width: uint8(width), a: min(a, b), b: max(a, b)})
}

// IAbs returns |a| of a signed integer of 4 bytes.
func (g *Graph) IAbs(a Node) Node {
	if x, ok := g.Bits(a); ok {
		v := signed(x, 4)
		return g.Const(4, uint64(max(v, -v)))
	}
	return g.make(node{op: IAbs, width: 4, a: a})
}

// Popcount returns the number of bits of a that are set, as an integer of a width.
func (g *Graph) Popcount(width int, a Node) Node {
	if x, ok := g.Bits(a); ok {
		return g.Const(width, uint64(bits.OnesCount64(x)))
	}
	return g.make(node{op: Popcount, width: uint8(width), a: a})
}

// Bounds returns the least and the largest value of an integer of 4 bytes with a sign, if they are known and no sum or product in
// it leaves 32 bits.
func (g *Graph) Bounds(a Node) (low, high int64, ok bool) {
	if r := g.interval(a, 32); r.ok && r.low >= -1<<31 && r.high < 1<<31 {
		return r.low, r.high, true
	}
	r := g.bounds(g.polynomial(a, 32))
	return r.low, r.high, r.ok && r.low >= -1<<31 && r.high < 1<<31
}

// monomial is a product of at most two atoms, in ascending order; 0 is none.
type monomial [2]Node

// polynomial has the coefficients of monomials modulo 2^64.
type polynomial map[monomial]uint64

// part is factor·of, factor·of·times or factor·terms. Of the nodes the lowest bits are meant.
type part struct {
	factor    uint64
	of, times Node
	bits      int
	terms     polynomial
}

// interval has the bounds of an integer.
type interval struct {
	low, high int64
	ok        bool
}

// farthest is the size up to which bounds are known.
const farthest = 1 << 60

func (r interval) check() interval {
	if !r.ok || r.low < -farthest || r.high > farthest {
		return interval{}
	}
	return r
}

func (r interval) add(s interval) interval {
	return interval{r.low + s.low, r.high + s.high, r.ok && s.ok}.check()
}

func (r interval) multiply(s interval) interval {
	if !r.ok || !s.ok {
		return interval{}
	}
	out := interval{1<<63 - 1, -1 << 63, true}
	for _, x := range []int64{r.low, r.high} {
		for _, y := range []int64{s.low, s.high} {
			if x != 0 && bits.Len64(uint64(max(x, -x)))+bits.Len64(uint64(max(y, -y))) > 62 {
				return interval{}
			}
			out.low, out.high = min(out.low, x*y), max(out.high, x*y)
		}
	}
	return out.check()
}

// fits reports whether all integers of the interval have at most the given number of bits.
func (r interval) fits(bits int, signed bool) bool {
	if bits > 60 {
		return r.ok
	}
	if signed {
		return r.ok && r.low >= -1<<(bits-1) && r.high < 1<<(bits-1)
	}
	return r.ok && r.low >= 0 && r.high < 1<<bits
}

// extended returns the lowest bits of a number with their sign.
func extended(v uint64, bits int) uint64 { return uint64(int64(v<<(64-bits)) >> (64 - bits)) }

// sumOf takes an integer apart: modulo 2^bits, it is a constant and the sum of the parts. An atom has none.
func (g *Graph) sumOf(n Node, bits int) (constant uint64, parts []part, atom bool) {
	x := g.nodes[n]
	whole := 8 * int(x.width)
	bits = min(bits, whole)
	self := func(p part, ok bool) (uint64, []part, bool) { return 0, []part{p}, !ok }
	switch x.op {
	case Const:
		return extended(x.key, bits), nil, false
	case IAdd:
		return 0, []part{{factor: 1, of: x.a, bits: bits}, {factor: 1, of: x.b, bits: bits}}, false
	case ISub:
		return 0, []part{{factor: 1, of: x.a, bits: bits}, {factor: ^uint64(0), of: x.b, bits: bits}}, false
	case IMul:
		return 0, []part{{factor: 1, of: x.a, times: x.b, bits: bits}}, false
	case IShl:
		return 0, []part{{factor: 1 << x.key, of: x.a, bits: bits}}, false
	case Low:
		return 0, []part{{factor: 1, of: x.a, bits: bits}}, false
	case Neg: // the highest bit flipped
		if bits == whole {
			constant = extended(1<<(bits-1), bits)
		}
		return constant, []part{{factor: 1, of: x.a, bits: bits}}, false
	case Extend:
		if bits <= 32 {
			return 0, []part{{factor: 1, of: x.a, bits: bits}}, false
		}
		return self(g.exact(x.a, 32, true))
	case Cat:
		if bits <= 32 {
			return 0, []part{{factor: 1, of: x.a, bits: bits}}, false
		}
		low, ok := g.exact(x.a, 32, false)
		return 0, []part{low, {factor: 1 << 32, of: x.b, bits: bits - 32}}, !ok
	case Total:
		if bits > 16 {
			return self(g.exact(n, 16, false))
		}
		list := g.lists[x.key]
		for i := 1; i < len(list); i += 2 {
			parts = append(parts, part{factor: extended(list[i+1], 16), of: Node(list[i]), bits: bits})
		}
		return extended(list[0], bits), parts, false
	case ISar, IShr:
		by := int(x.key)
		if by >= whole {
			return 0, nil, true
		}
		constant, p := g.fieldsOf(n, cut(g.fields(x.a), by, whole-by), x.op == ISar)
		return constant, p, p == nil
	case Fields:
		at := 0
		for _, f := range g.fields(n) {
			switch {
			case at >= bits || f.of == 0 && f.known == 0:
			case f.of == 0:
				constant += f.known << at
			case f.from == 0 && at+f.length >= bits: // what is cut off is beyond 2^bits
				parts = append(parts, part{factor: 1 << at, of: f.of, bits: bits - at})
			default:
				c, p := g.fieldsOf(n, []field{f}, false)
				if p == nil {
					return 0, nil, true
				}
				constant += c << at
				for _, p := range p {
					p.factor <<= at
					parts = append(parts, p)
				}
			}
			at += f.length
		}
		return constant, parts, false
	case Popcount:
		constant, parts = g.countBits(g.fields(x.a))
		return constant, parts, false
	case Lookup: // a table of such numbers
		list := g.lists[x.key]
		for i, v := range list {
			if v != uint64(onesCount(i)) {
				return 0, nil, true
			}
		}
		if 1<<g.Size(x.a) > len(list) {
			return 0, nil, true
		}
		constant, parts = g.countBits(g.fields(x.a))
		return constant, parts, false
	}
	return 0, nil, true
}

func onesCount(i int) int { return bits.OnesCount64(uint64(i)) }

// exact returns the lowest bits of a node, with or without a sign, if it is known that its polynomial has no other values.
func (g *Graph) exact(n Node, bits int, signed bool) (part, bool) {
	if g.interval(n, bits).fits(bits, signed) {
		return part{factor: 1, of: n, bits: bits}, true
	}
	if _, _, atom := g.sumOf(n, bits); atom {
		return part{}, false
	}
	p := g.polynomial(n, bits)
	return part{factor: 1, terms: p}, g.bounds(p).fits(bits, signed)
}

// fieldsOf returns the integer that fields, the lowest first, make, with or without a sign, for node n. No parts and no
// constant say that n is an atom.
func (g *Graph) fieldsOf(n Node, all []field, signed bool) (constant uint64, parts []part) {
	for len(all) > 1 && all[len(all)-1].of == 0 && all[len(all)-1].known == 0 { // zeros above
		all, signed = all[:len(all)-1], false
	}
	f := all[0]
	if len(all) > 1 || f.of == 0 || f.length >= 32 {
		return 0, nil
	}
	if f.from == 0 {
		if p, ok := g.exact(f.of, f.length, signed); ok {
			return 0, []part{p}
		}
	}
	if c, y, ok := g.flipped(f.of); ok {
		switch c >> f.from & (1<<f.length - 1) {
		case 0:
			return g.fieldsOf(n, cut(g.fields(y), f.from, f.length), signed)
		case 1 << (f.length - 1): // adds half of 2^length to a number with a sign, or takes it from one without
			half := uint64(1) << (f.length - 1)
			if signed {
				half = -half
			}
			c, p := g.fieldsOf(n, cut(g.fields(y), f.from, f.length), !signed)
			if p == nil {
				return 0, nil
			}
			return c + half, p
		}
	}
	if atom := g.field(f, signed); atom != n {
		return 0, []part{{factor: 1, of: atom, bits: 32}}
	}
	return 0, nil
}

// field returns a field as an integer of 4 bytes.
func (g *Graph) field(f field, signed bool) Node {
	if signed {
		return g.Shift(ISar, g.concat(4, field{length: 32 - f.length}, f), 32-f.length)
	}
	return g.concat(4, f, field{length: 32 - f.length})
}

// flipped returns the number c and y if a node is c ^ y.
func (g *Graph) flipped(n Node) (c uint64, y Node, ok bool) {
	x := g.nodes[n]
	if x.op != IXor {
		return 0, 0, false
	}
	if c, ok = g.Bits(x.a); ok {
		return c, x.b, true
	}
	c, ok = g.Bits(x.b)
	return c, x.a, ok
}

// countBits returns the sum of bits.
func (g *Graph) countBits(all []field) (constant uint64, parts []part) {
	for _, f := range all {
		if f.of == 0 {
			constant += uint64(bits.OnesCount64(f.known))
			continue
		}
		for i := range f.length {
			b, not := g.bit(f.of, f.from+i)
			switch {
			case b == 0 && not:
				constant++
			case not:
				constant++
				parts = append(parts, part{factor: ^uint64(0), of: b, bits: 32})
			case b != 0:
				parts = append(parts, part{factor: 1, of: b, bits: 32})
			}
		}
	}
	return constant, parts
}

// flip is a bit of a node as an atom, and whether it is flipped. No atom is 0.
type flip struct {
	atom Node
	not  bool
}

// bit returns a bit of a node. Those of exclusive ors are remembered: sums of carry-save adders are long chains of them.
func (g *Graph) bit(n Node, at int) (atom Node, not bool) {
	if x := g.nodes[n]; x.op == IXor {
		key := [2]Node{n, Node(at)}
		if f, ok := g.flips[key]; ok {
			return f.atom, f.not
		}
		p, notP := g.bit(x.a, at)
		q, notQ := g.bit(x.b, at)
		switch {
		case p == 0 || q == 0:
			atom = max(p, q)
		case p != q:
			atom = g.make(node{op: IXor, width: 4, a: min(p, q), b: max(p, q)})
		}
		if g.flips == nil {
			g.flips = map[[2]Node]flip{}
		}
		g.flips[key] = flip{atom, notP != notQ}
		return atom, notP != notQ
	}
	f := cut(g.fields(n), at, 1)[0]
	switch {
	case f.of == 0:
		return 0, f.known != 0
	case f.of != n:
		return g.bit(f.of, f.from)
	}
	return g.concat(4, f, field{length: 31}), false
}

// atomBounds returns what is known of an atom.
func (g *Graph) atomBounds(n Node) interval {
	x := g.nodes[n]
	whole := 8 * int(x.width)
	switch {
	case x.op == IAbs:
		if r := g.interval(x.a, 32); r.fits(32, true) {
			return interval{0, max(-r.low, r.high), true}
		}
	case x.op == ISar && whole-int(x.key) <= 60:
		return interval{-1 << (whole - int(x.key) - 1), 1<<(whole-int(x.key)-1) - 1, true}
	case x.op == IXor && g.isBit(x.a) && g.isBit(x.b):
		return interval{0, 1, true}
	case g.Size(n) < whole:
		return interval{0, 1<<g.Size(n) - 1, true}
	}
	return interval{}
}

// isBit reports whether an atom is 0 or 1.
func (g *Graph) isBit(n Node) bool {
	for g.nodes[n].op == IXor && g.isBit(g.nodes[n].b) {
		n = g.nodes[n].a
	}
	return g.Size(n) == 1
}

// polynomials remembers what is known of nodes with so many bits.
type polynomials map[[2]Node]interval

// interval returns bounds of an integer, the sum of those of its parts.
func (g *Graph) interval(n Node, bits int) interval {
	key := [2]Node{n, Node(bits)}
	if r, ok := g.intervals[key]; ok {
		return r
	}
	constant, parts, atom := g.sumOf(n, bits)
	r := interval{int64(constant), int64(constant), true}.check()
	if atom {
		r = g.atomBounds(n)
	} else {
		for _, p := range parts {
			r = r.add(g.partBounds(&p))
		}
	}
	if g.intervals == nil {
		g.intervals = polynomials{}
	}
	g.intervals[key] = r
	return r
}

func (g *Graph) partBounds(p *part) interval {
	var r interval
	switch {
	case p.terms != nil:
		r = g.bounds(p.terms)
	case p.times != 0:
		r = g.interval(p.of, p.bits).multiply(g.interval(p.times, p.bits))
	default:
		r = g.interval(p.of, p.bits)
	}
	f := int64(p.factor)
	return r.multiply(interval{f, f, true}.check())
}

// bounds returns bounds of a polynomial.
func (g *Graph) bounds(p polynomial) interval {
	r := interval{0, 0, true}
	for m, c := range p {
		s := interval{int64(c), int64(c), true}.check()
		for _, a := range m {
			if a != 0 {
				s = s.multiply(g.atomBounds(a))
			}
		}
		r = r.add(s)
	}
	return r
}

// polynomial returns the lowest bits of a node as a polynomial, with coefficients of the least size.
func (g *Graph) polynomial(n Node, bits int) polynomial {
	p := g.expand(n, bits)
	g.carries(p)
	for m, c := range p {
		if c = extended(c, bits); c == 0 {
			delete(p, m)
		} else {
			p[m] = c
		}
	}
	return p
}

// carries replaces the bits of majorities with even coefficients: twice a majority of three bits is the sum of the three less their
// exclusive or. So the outputs of carry-save adders are the sum of their inputs.
func (g *Graph) carries(p polynomial) {
	var todo []Node
	add := func(n Node) {
		if x := g.nodes[n]; x.op == Fields {
			if f := g.fields(n)[0]; f.length == 1 && f.of != 0 && g.nodes[f.of].op == Majority {
				todo = append(todo, n)
			}
		}
	}
	for m := range p {
		if m[0] == 0 {
			add(m[1])
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		half := int64(p[monomial{0, n}]) / 2
		if p[monomial{0, n}]%2 != 0 || half == 0 {
			continue
		}
		delete(p, monomial{0, n})
		f := g.fields(n)[0]
		x := g.nodes[f.of]
		for i, word := range []Node{x.a, x.b, x.c, g.Xor3(x.a, x.b, x.c)} {
			factor := uint64(half)
			if i == 3 {
				factor = -factor
			}
			b, not := g.bit(word, f.from)
			if not {
				p[monomial{}] += factor
				factor = -factor
			}
			if b != 0 {
				p[monomial{0, b}] += factor
				add(b)
			}
		}
	}
}

// expand returns the polynomial of which the parts of a node have the bounds.
func (g *Graph) expand(n Node, bits int) polynomial {
	p := polynomial{}
	g.addTo(p, n, 1, bits)
	return p
}

// addTo adds factor·n to a polynomial.
func (g *Graph) addTo(p polynomial, n Node, factor uint64, bits int) {
	constant, parts, atom := g.sumOf(n, bits)
	if atom {
		p[monomial{0, n}] += factor
		return
	}
	if constant != 0 {
		p[monomial{}] += factor * constant
	}
	for i := range parts {
		q := &parts[i]
		switch {
		case q.terms != nil:
			for m, c := range q.terms {
				p[m] += factor * q.factor * c
			}
		case q.times != 0:
			g.addProduct(p, q, factor)
		default:
			g.addTo(p, q.of, factor*q.factor, q.bits)
		}
	}
}

// addProduct adds a product of two polynomials. The square of |x| is that of x. A bit is its own square. A product of more than two
// atoms is one atom.
func (g *Graph) addProduct(p polynomial, q *part, factor uint64) {
	x, y := g.expand(q.of, q.bits), g.expand(q.times, q.bits)
	if a, ok := x.single(); ok && g.nodes[a].op == IAbs && g.atomBounds(a).ok && len(y) == 1 && y[monomial{0, a}] == 1 {
		x = g.expand(g.nodes[a].a, 32)
		y = x
	}
	for m := range x {
		for n := range y {
			if m[0] != 0 && n[1] != 0 || n[0] != 0 && m[1] != 0 {
				p[monomial{0, g.make(node{op: IMul, width: g.nodes[q.of].width, a: min(q.of, q.times), b: max(q.of, q.times)})}] += factor * q.factor
				return
			}
		}
	}
	for m, c := range x {
		for n, d := range y {
			var all []Node
			for _, a := range []Node{m[0], m[1], n[0], n[1]} {
				if a != 0 {
					all = append(all, a)
				}
			}
			slices.Sort(all)
			if len(all) == 2 && all[0] == all[1] && g.atomBounds(all[0]) == (interval{0, 1, true}) {
				all = all[1:]
			}
			var k monomial
			copy(k[2-len(all):], all)
			p[k] += factor * q.factor * c * d
		}
	}
}

// single returns the atom that a polynomial is.
func (p polynomial) single() (Node, bool) {
	for m, c := range p {
		return m[1], len(p) == 1 && m[0] == 0 && c == 1
	}
	return 0, false
}

// sums are operations whose results are compared as polynomials.
var sums = map[Op]bool{IAdd: true, ISub: true, IMul: true, Extend: true, Cat: true, Fields: true, Total: true, Popcount: true, ISar: true, IAbs: true}

// representative returns an integer of 4 bytes or, if it is a sum or a product, the first node that had the same polynomial.
func (g *Graph) representative(a Node) Node {
	if !sums[g.nodes[a].op] || g.Width(a) != 4 {
		return a
	}
	p := g.polynomial(a, 32)
	var list []uint64
	for _, m := range slices.SortedFunc(maps.Keys(p), func(x, y monomial) int { return slices.Compare(x[:], y[:]) }) {
		list = append(list, uint64(m[0]), uint64(m[1]), p[m])
	}
	key := g.intern(list)
	if first, ok := g.firsts[key]; ok {
		return first
	}
	if g.firsts == nil {
		g.firsts = map[uint64]Node{}
	}
	g.firsts[key] = a
	return a
}

// sameInteger proves that two integers are equal as polynomials.
func (p *prover) sameInteger(a, b Node) bool {
	if !sums[p.nodes[a].op] && !sums[p.nodes[b].op] {
		return false
	}
	bits := 8 * p.Width(a)
	x, y := p.polynomial(a, bits), p.polynomial(b, bits)
	if len(x) != len(y) {
		return false
	}
	for m, c := range x {
		if y[m] != c {
			return false
		}
	}
	return true
}
