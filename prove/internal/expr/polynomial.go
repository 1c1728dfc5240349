package expr

import (
	"maps"
	"math/bits"
	"slices"
)

// Sums and products of integers are compared as polynomials. A node of L bits is an integer
// polynomial in atoms modulo 2^L. An atom is a signed or unsigned field of bits, or a node without
// known structure. Atoms have bounds. If the value of the polynomial is known to fit in L bits, the
// node equals the polynomial exactly and not only modulo 2^L. For example, the bounds prove that a
// 32-bit sum does not overflow before it is extended to 64 bits.

// IMul returns the product of integers.
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

// IAbs returns the absolute value of a signed integer of 4 bytes.
func (g *Graph) IAbs(a Node) Node {
	if x, ok := g.Bits(a); ok {
		v := signed(x, 4)
		return g.Const(4, uint64(max(v, -v)))
	}
	return g.make(node{op: IAbs, width: 4, a: a})
}

// Popcount returns the number of set bits of a, as an integer of the given width.
func (g *Graph) Popcount(width int, a Node) Node {
	if x, ok := g.Bits(a); ok {
		return g.Const(width, uint64(bits.OnesCount64(x)))
	}
	return g.make(node{op: Popcount, width: uint8(width), a: a})
}

// Bounds returns a lower and an upper bound of node a, a signed 4-byte integer. ok is false if the
// bounds are unknown or if a sum or product may exceed 32 bits.
func (g *Graph) Bounds(a Node) (low, high int64, ok bool) {
	if r := g.boundsOf(a, 32); r.ok && r.low >= -1<<31 && r.high < 1<<31 {
		return r.low, r.high, true
	}
	r := g.bounds(g.polynomial(a, 32))
	return r.low, r.high, r.ok && r.low >= -1<<31 && r.high < 1<<31
}

// monomial is a product of at most two atoms in ascending order. A zero Node means no atom.
type monomial [2]Node

// polynomial holds the coefficients of monomials modulo 2^64.
type polynomial map[monomial]uint64

// part is a summand of an integer: a constant factor times a node, a product of two nodes or a
// polynomial. Nodes are taken modulo 2^bits.
type part struct {
	factor    uint64
	of, times Node
	bits      int
	terms     polynomial
}

// interval holds the bounds of an integer.
type interval struct {
	low, high int64
	ok        bool
}

// maxBound is the largest magnitude of a bound. An interval with a larger bound counts as unknown.
const maxBound = 1 << 60

func (r interval) check() interval {
	if !r.ok || r.low < -maxBound || r.high > maxBound {
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

// fits reports whether all integers of the interval fit in the given number of bits.
func (r interval) fits(bits int, signed bool) bool {
	if bits > 60 {
		return r.ok
	}
	if signed {
		return r.ok && r.low >= -1<<(bits-1) && r.high < 1<<(bits-1)
	}
	return r.ok && r.low >= 0 && r.high < 1<<bits
}

// signExtend returns the lowest bits of a number, sign-extended to 64 bits.
func signExtend(v uint64, bits int) uint64 { return uint64(int64(v<<(64-bits)) >> (64 - bits)) }

// splitSum writes the integer n, modulo 2^bits, as the sum of a constant and parts. If n cannot be
// split, atom is true.
func (g *Graph) splitSum(n Node, bits int) (constant uint64, parts []part, atom bool) {
	x := g.nodes[n]
	whole := 8 * int(x.width)
	bits = min(bits, whole)
	self := func(p part, ok bool) (uint64, []part, bool) { return 0, []part{p}, !ok }
	switch x.op {
	case Const:
		return signExtend(x.key, bits), nil, false
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
	case Neg: // flips the highest bit
		if bits == whole {
			constant = signExtend(1<<(bits-1), bits)
		}
		return constant, []part{{factor: 1, of: x.a, bits: bits}}, false
	case Extend:
		if bits <= 32 {
			return 0, []part{{factor: 1, of: x.a, bits: bits}}, false
		}
		return self(g.exactPart(x.a, 32, true))
	case Cat:
		if bits <= 32 {
			return 0, []part{{factor: 1, of: x.a, bits: bits}}, false
		}
		low, ok := g.exactPart(x.a, 32, false)
		return 0, []part{low, {factor: 1 << 32, of: x.b, bits: bits - 32}}, !ok
	case Total:
		if bits > 16 {
			return self(g.exactPart(n, 16, false))
		}
		list := g.lists[x.key]
		for i := 1; i < len(list); i += 2 {
			parts = append(parts, part{factor: signExtend(list[i+1], 16), of: Node(list[i]), bits: bits})
		}
		return signExtend(list[0], bits), parts, false
	case ISar, IShr:
		by := int(x.key)
		if by >= whole {
			return 0, nil, true
		}
		constant, p := g.fieldsSum(n, sliceFields(g.fields(x.a), by, whole-by), x.op == ISar)
		return constant, p, p == nil
	case Fields:
		at := 0
		for _, f := range g.fields(n) {
			switch {
			case at >= bits || f.node == 0 && f.bits == 0:
			case f.node == 0:
				constant += f.bits << at
			case f.from == 0 && at+f.length >= bits: // the missing bits are above 2^bits
				parts = append(parts, part{factor: 1 << at, of: f.node, bits: bits - at})
			default:
				c, p := g.fieldsSum(n, []field{f}, false)
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
	case Lookup: // a table of small numbers
		list := g.lists[x.key]
		for i, v := range list {
			if v != uint64(onesCount(i)) {
				return 0, nil, true
			}
		}
		if 1<<g.BitLength(x.a) > len(list) {
			return 0, nil, true
		}
		constant, parts = g.countBits(g.fields(x.a))
		return constant, parts, false
	}
	return 0, nil, true
}

func onesCount(i int) int { return bits.OnesCount64(uint64(i)) }

// exactPart returns a part that is node n or its polynomial, modulo 2^bits. It returns false unless
// the bounds show that the value of n always fits in the given number of bits.
func (g *Graph) exactPart(n Node, bits int, signed bool) (part, bool) {
	if g.boundsOf(n, bits).fits(bits, signed) {
		return part{factor: 1, of: n, bits: bits}, true
	}
	if _, _, atom := g.splitSum(n, bits); atom {
		return part{}, false
	}
	p := g.polynomial(n, bits)
	return part{factor: 1, terms: p}, g.bounds(p).fits(bits, signed)
}

// fieldsSum writes the integer n as a constant plus a sum of parts. The integer consists of the given
// bit fields, lowest first. If n cannot be written in this way, fieldsSum returns 0 and nil.
func (g *Graph) fieldsSum(n Node, all []field, signed bool) (constant uint64, parts []part) {
	for len(all) > 1 && all[len(all)-1].node == 0 && all[len(all)-1].bits == 0 { // leading zeros
		all, signed = all[:len(all)-1], false
	}
	f := all[0]
	if len(all) > 1 || f.node == 0 || f.length >= 32 {
		return 0, nil
	}
	if f.from == 0 {
		if p, ok := g.exactPart(f.node, f.length, signed); ok {
			return 0, []part{p}
		}
	}
	if c, y, ok := g.xorConstant(f.node); ok {
		switch c >> f.from & (1<<f.length - 1) {
		case 0:
			return g.fieldsSum(n, sliceFields(g.fields(y), f.from, f.length), signed)
		case 1 << (f.length - 1): // as an unsigned integer, y ^ half is the signed y plus half; as a signed integer, the unsigned y minus half
			half := uint64(1) << (f.length - 1)
			if signed {
				half = -half
			}
			c, p := g.fieldsSum(n, sliceFields(g.fields(y), f.from, f.length), !signed)
			if p == nil {
				return 0, nil
			}
			return c + half, p
		}
	}
	if atom := g.fieldNode(f, signed); atom != n {
		return 0, []part{{factor: 1, of: atom, bits: 32}}
	}
	return 0, nil
}

// fieldNode returns a field as an integer of 4 bytes.
func (g *Graph) fieldNode(f field, signed bool) Node {
	if signed {
		return g.Shift(ISar, g.joinFields(4, field{length: 32 - f.length}, f), 32-f.length)
	}
	return g.joinFields(4, f, field{length: 32 - f.length})
}

// xorConstant returns c and y if n is the exclusive or of a constant c and a node y.
func (g *Graph) xorConstant(n Node) (c uint64, y Node, ok bool) {
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

// countBits returns the number of set bits in fields as a sum: a constant, and multiples of bits that
// depend on the data.
func (g *Graph) countBits(all []field) (constant uint64, parts []part) {
	for _, f := range all {
		if f.node == 0 {
			constant += uint64(bits.OnesCount64(f.bits))
			continue
		}
		for i := range f.length {
			b, not := g.bitAtom(f.node, f.from+i)
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

// flip describes a bit of a node. The bit is equal to atom, or to the complement of atom if inverted
// is true. If atom is 0, it stands for the constant 0.
type flip struct {
	atom     Node
	inverted bool
}

// bitAtom returns a node for one bit of n, and whether the bit is inverted. It caches the bits of
// exclusive ors, because carry-save adders build long chains of exclusive ors.
func (g *Graph) bitAtom(n Node, at int) (atom Node, not bool) {
	if x := g.nodes[n]; x.op == IXor {
		key := [2]Node{n, Node(at)}
		if f, ok := g.flips[key]; ok {
			return f.atom, f.inverted
		}
		p, notP := g.bitAtom(x.a, at)
		q, notQ := g.bitAtom(x.b, at)
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
	f := sliceFields(g.fields(n), at, 1)[0]
	switch {
	case f.node == 0:
		return 0, f.bits != 0
	case f.node != n:
		return g.bitAtom(f.node, f.from)
	}
	return g.joinFields(4, f, field{length: 31}), false
}

// atomBounds returns the known bounds of an atom.
func (g *Graph) atomBounds(n Node) interval {
	x := g.nodes[n]
	whole := 8 * int(x.width)
	switch {
	case x.op == IAbs:
		if r := g.boundsOf(x.a, 32); r.fits(32, true) {
			return interval{0, max(-r.low, r.high), true}
		}
	case x.op == ISar && whole-int(x.key) <= 60:
		return interval{-1 << (whole - int(x.key) - 1), 1<<(whole-int(x.key)-1) - 1, true}
	case x.op == IXor && g.isBit(x.a) && g.isBit(x.b):
		return interval{0, 1, true}
	case g.BitLength(n) < whole:
		return interval{0, 1<<g.BitLength(n) - 1, true}
	}
	return interval{}
}

// isBit reports whether an atom can only be 0 or 1.
func (g *Graph) isBit(n Node) bool {
	for g.nodes[n].op == IXor && g.isBit(g.nodes[n].b) {
		n = g.nodes[n].a
	}
	return g.BitLength(n) == 1
}

// boundsCache holds known bounds, by node and number of bits.
type boundsCache map[[2]Node]interval

// boundsOf returns the bounds of an integer, computed from the bounds of its summands.
func (g *Graph) boundsOf(n Node, bits int) interval {
	key := [2]Node{n, Node(bits)}
	if r, ok := g.intervals[key]; ok {
		return r
	}
	constant, parts, atom := g.splitSum(n, bits)
	r := interval{int64(constant), int64(constant), true}.check()
	if atom {
		r = g.atomBounds(n)
	} else {
		for _, p := range parts {
			r = r.add(g.partBounds(&p))
		}
	}
	if g.intervals == nil {
		g.intervals = boundsCache{}
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
		r = g.boundsOf(p.of, p.bits).multiply(g.boundsOf(p.times, p.bits))
	default:
		r = g.boundsOf(p.of, p.bits)
	}
	f := int64(p.factor)
	return r.multiply(interval{f, f, true}.check())
}

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

// polynomial returns the lowest bits of a node as a polynomial. The coefficients are reduced modulo
// 2^bits to the smallest magnitude.
func (g *Graph) polynomial(n Node, bits int) polynomial {
	p := g.expand(n, bits)
	g.replaceCarries(p)
	for m, c := range p {
		if c = signExtend(c, bits); c == 0 {
			delete(p, m)
		} else {
			p[m] = c
		}
	}
	return p
}

// replaceCarries replaces every bit of a Majority node that has an even coefficient in p. Twice the
// majority of three bits is the sum of the three bits minus their exclusive or. After the
// replacement, the sum of the outputs of a carry-save adder is the sum of its inputs.
func (g *Graph) replaceCarries(p polynomial) {
	var todo []Node
	add := func(n Node) {
		if x := g.nodes[n]; x.op == Fields {
			if f := g.fields(n)[0]; f.length == 1 && f.node != 0 && g.nodes[f.node].op == Majority {
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
		x := g.nodes[f.node]
		for i, word := range []Node{x.a, x.b, x.c, g.Xor3(x.a, x.b, x.c)} {
			factor := uint64(half)
			if i == 3 {
				factor = -factor
			}
			b, not := g.bitAtom(word, f.from)
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

// expand returns a node as a polynomial. It is the first step of the method polynomial, which then
// calls replaceCarries and reduces the coefficients.
func (g *Graph) expand(n Node, bits int) polynomial {
	p := polynomial{}
	g.addTo(p, n, 1, bits)
	return p
}

// addTo adds factor·n to a polynomial.
func (g *Graph) addTo(p polynomial, n Node, factor uint64, bits int) {
	constant, parts, atom := g.splitSum(n, bits)
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

// addProduct adds factor times the product q to the polynomial p. It applies three rules: the
// square of |x| is the square of x, a bit is its own square, and a product of more than two atoms
// becomes one atom, a variable of the polynomial.
func (g *Graph) addProduct(p polynomial, q *part, factor uint64) {
	x, y := g.expand(q.of, q.bits), g.expand(q.times, q.bits)
	if a, ok := x.singleAtom(); ok && g.nodes[a].op == IAbs && g.atomBounds(a).ok && len(y) == 1 && y[monomial{0, a}] == 1 {
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

// singleAtom returns the atom if the polynomial is a single atom with coefficient 1.
func (p polynomial) singleAtom() (Node, bool) {
	for m, c := range p {
		return m[1], len(p) == 1 && m[0] == 0 && c == 1
	}
	return 0, false
}

// sumOperations lists the operations whose results are compared as polynomials.
var sumOperations = map[Op]bool{IAdd: true, ISub: true, IMul: true, Extend: true, Cat: true, Fields: true, Total: true, Popcount: true, ISar: true, IAbs: true}

// representative returns a node that equals a. For 4-byte sums and products that expand to the same
// polynomial, it always returns the first of these nodes.
func (g *Graph) representative(a Node) Node {
	if !sumOperations[g.nodes[a].op] || g.Width(a) != 4 {
		return a
	}
	p := g.polynomial(a, 32)
	var list []uint64
	for _, m := range slices.SortedFunc(maps.Keys(p), func(x, y monomial) int { return slices.Compare(x[:], y[:]) }) {
		list = append(list, uint64(m[0]), uint64(m[1]), p[m])
	}
	key := g.intern(list)
	if first, ok := g.representatives[key]; ok {
		return first
	}
	if g.representatives == nil {
		g.representatives = map[uint64]Node{}
	}
	g.representatives[key] = a
	return a
}

// equalIntegers proves that two integers are equal as polynomials.
func (p *prover) equalIntegers(a, b Node) bool {
	if !sumOperations[p.nodes[a].op] && !sumOperations[p.nodes[b].op] {
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
