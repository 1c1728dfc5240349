package expr

import "slices"

// sum is an integer constant + Σ coefficient·[condition] modulo 2^bits, where [c] is 1 if c holds
// and 0 otherwise.
type sum struct {
	constant uint64
	terms    []term // sorted by condition
}

type term struct {
	condition   Node
	coefficient uint64
}

// sumOf converts a node to a sum. The node must be a constant, a sum, or a selection between
// constants.
func (g *Graph) sumOf(a Node) (s sum, ok bool) {
	n := g.nodes[a]
	if c, x, y, ok := g.constantSelection(a); ok {
		p, q := g.nodes[x].key, g.nodes[y].key
		d := p - q
		if n.width == 4 {
			d = uint64(int64(int32(d)))
		}
		return sum{q, []term{{c, d}}}, true
	}
	switch n.op {
	case Const:
		return sum{constant: n.key}, n.width >= 4
	case Sum:
		list := g.lists[n.key]
		s.constant = list[0]
		for i := 1; i < len(list); i += 2 {
			s.terms = append(s.terms, term{Node(list[i]), list[i+1]})
		}
		return s, true
	}
	return s, false
}

func (g *Graph) sumNode(width int, s sum) Node {
	list := []uint64{s.constant}
	if width == 4 {
		list[0] &= 0xffffffff
	}
	for _, t := range s.terms {
		list = append(list, uint64(t.condition), t.coefficient)
	}
	switch len(s.terms) {
	case 0:
		return g.Const(width, s.constant)
	case 1:
		t := s.terms[0]
		return g.make(node{op: Select, width: uint8(width), a: g.Const(width, s.constant+t.coefficient), b: g.Const(width, s.constant), c: t.condition})
	}
	return g.make(node{op: Sum, width: uint8(width), key: g.intern(list)})
}

// add returns s + factor·t.
func (s sum) add(t sum, factor uint64) sum {
	out := sum{constant: s.constant + factor*t.constant}
	total := map[Node]uint64{}
	for _, x := range s.terms {
		total[x.condition] += x.coefficient
	}
	for _, x := range t.terms {
		total[x.condition] += factor * x.coefficient
	}
	for c, v := range total {
		if v != 0 {
			out.terms = append(out.terms, term{c, v})
		}
	}
	slices.SortFunc(out.terms, func(a, b term) int { return int(a.condition - b.condition) })
	return out
}

// extend converts a sum modulo 2³² to a sum modulo 2⁶⁴. It returns false if a value of the sum may
// not fit in a signed 4-byte integer.
func (s sum) extend() (sum, bool) {
	s.constant = uint64(int64(int32(s.constant)))
	low, high := s.bounds()
	return s, low >= -1<<31 && high < 1<<31
}

// bounds returns the smallest and the largest value of a sum of signed integers.
func (s sum) bounds() (low, high int64) {
	low, high = int64(s.constant), int64(s.constant)
	for _, t := range s.terms {
		c := int64(t.coefficient)
		low, high = low+min(c, 0), high+max(c, 0)
	}
	return low, high
}

// IAdd returns the integer a + b.
func (g *Graph) IAdd(a, b Node) Node { return g.addSums(IAdd, a, b, 1) }

// ISub returns the integer a − b.
func (g *Graph) ISub(a, b Node) Node { return g.addSums(ISub, a, b, ^uint64(0)) }

func (g *Graph) addSums(op Op, a, b Node, factor uint64) Node {
	width := g.Width(a)
	x, okX := g.sumOf(a)
	y, okY := g.sumOf(b)
	if okX && okY {
		return g.sumNode(width, x.add(y, factor))
	}
	if okY && len(y.terms) == 0 && y.constant == 0 {
		return a
	}
	if op == IAdd && okX && len(x.terms) == 0 && x.constant == 0 {
		return b
	}
	if op == IAdd && a > b {
		a, b = b, a
	}
	return g.make(node{op: op, width: uint8(width), a: a, b: b})
}

// selectSums returns the sum y + [c]·(x − y), which is x if c is true, and y otherwise. Here
// [c] is 1 if c is true, and 0 otherwise. A product [c]·[d] becomes [c ∧ d]. selectSums returns false
// unless x or y is a Sum node or x − y is constant.
func (g *Graph) selectSums(c, x, y Node) (Node, bool) {
	if g.nodes[x].op == Const && g.nodes[y].op == Const {
		return 0, false
	}
	p, okP := g.sumOf(x)
	q, okQ := g.sumOf(y)
	if !okP || !okQ {
		return 0, false
	}
	d := p.add(q, ^uint64(0))
	if g.nodes[x].op != Sum && g.nodes[y].op != Sum && len(d.terms) > 0 {
		return 0, false
	}
	width := g.Width(x)
	if width == 4 {
		d.constant = uint64(int64(int32(d.constant)))
	}
	product := sum{terms: []term{{c, d.constant}}}
	for _, t := range d.terms {
		product.terms = append(product.terms, term{g.And(c, t.condition), t.coefficient})
	}
	return g.sumNode(width, q.add(product, 1)), true
}
