package expr

import "slices"

// prover decides whether expressions are equal for all values of the inputs. known are
// conditions that are assumed to hold, or not to hold.
type prover struct {
	*Graph
	known  map[Node]bool
	proved map[[2]Node]bool // without assumptions
	splits int
}

// Equal reports whether two expressions of the same width are proved to be equal, or both NaN,
// for all values of the inputs, or for those on the path of the graph.
func (g *Graph) Equal(a, b Node) bool {
	if a == b {
		return true
	}
	if g.results == nil {
		g.results = map[[2]Node]bool{}
	}
	p := &prover{g, map[Node]bool{}, g.results, 0}
	if g.Path != nil {
		for _, d := range g.Path.decisions[:g.Path.next] {
			p.learn(d.condition, d.value)
		}
	}
	return p.equal(a, b)
}

func (p *prover) equal(a, b Node) bool {
	a, b = p.choose(a), p.choose(b)
	if a == b || p.nan(a) && p.nan(b) {
		return true
	}
	switch {
	case a == 0 || b == 0 || p.Width(a) != p.Width(b):
		return false
	case p.nodes[a].op == Const && p.nodes[b].op == Const:
		return p.impossible(a, b)
	case p.Width(a) == 1:
		return p.sameCondition(a, b)
	}
	pair := [2]Node{min(a, b), max(a, b)}
	if done, ok := p.proved[pair]; ok && (done || len(p.known) == 0) {
		return done
	}
	yes := p.sameInteger(a, b) || p.sameCount(a, b) || p.cut(a, b) || p.parts(a, b) || p.split(a, b)
	if len(p.known) == 0 {
		p.proved[pair] = yes
	}
	return yes
}

func (p *prover) nan(a Node) bool {
	x, ok := p.number(a)
	return ok && x != x
}

// choose follows selections whose condition is known.
func (p *prover) choose(a Node) Node {
	for p.nodes[a].op == Select {
		c, ok := p.truth(p.nodes[a].c)
		if !ok {
			break
		}
		if c {
			a = p.nodes[a].a
		} else {
			a = p.nodes[a].b
		}
	}
	return a
}

// truth returns the value of a condition if it follows from the known conditions.
func (p *prover) truth(c Node) (value, ok bool) {
	if v, ok := p.known[c]; ok {
		return v, true
	}
	switch n := p.nodes[c]; n.op {
	case Not:
		v, ok := p.truth(n.a)
		return !v, ok
	case And:
		all := true
		for _, l := range p.lists[n.key] {
			v, ok := p.truth(Node(l))
			if ok && !v {
				return false, true
			}
			all = all && ok
		}
		return true, all
	}
	return false, false
}

// assume returns a prover that also assumes that a condition holds, or that it does not.
func (p *prover) assume(c Node, value bool) *prover {
	q := &prover{p.Graph, make(map[Node]bool, len(p.known)+1), p.proved, p.splits}
	for k, v := range p.known {
		q.known[k] = v
	}
	q.learn(c, value)
	return q
}

func (p *prover) learn(c Node, value bool) {
	switch n := p.nodes[c]; {
	case n.op == Not:
		p.learn(n.a, !value)
	case n.op == And && value:
		for _, l := range p.lists[n.key] {
			p.learn(Node(l), true)
		}
	default:
		p.known[c] = value
	}
}

// parts proves that the operands are equal. Operations on bits are left out: their operands may be
// equal only in that both are NaN.
func (p *prover) parts(a, b Node) bool {
	x, y := p.nodes[a], p.nodes[b]
	if x.op != y.op || x.key != y.key || x.width != y.width {
		return false
	}
	switch x.op {
	case Add, Mul:
		return p.equal(x.a, y.a) && p.equal(x.b, y.b) || p.equal(x.a, y.b) && p.equal(x.b, y.a)
	case FMA:
		return p.equal(x.c, y.c) && (p.equal(x.a, y.a) && p.equal(x.b, y.b) || p.equal(x.a, y.b) && p.equal(x.b, y.a))
	case Div, Lt, Le:
		return p.equal(x.a, y.a) && p.equal(x.b, y.b)
	case FromInt:
		return p.sameInteger(x.a, y.a)
	case Neg, Widen, Narrow, Sqrt, Not:
		return p.equal(x.a, y.a)
	case Select:
		return p.equal(x.c, y.c) && p.assume(x.c, true).equal(x.a, y.a) && p.assume(x.c, false).equal(x.b, y.b)
	}
	return false
}

// sameCount proves that two counts are equal: what one of them counts and the other does not is 0. Counts are sums of zeros
// and ones. They are exact, so that their order does not matter.
func (p *prover) sameCount(a, b Node) bool {
	ones := map[Node]int{}
	if !p.count(a, 1, ones) || !p.count(b, -1, ones) {
		return false
	}
	zero := p.Const(int(p.Width(a)), 0)
	for one, n := range ones {
		if n != 0 && !p.cut(one, zero) {
			return false
		}
	}
	return true
}

// count adds n for each term of a count, and reports whether a is one.
func (p *prover) count(a Node, n int, ones map[Node]int) bool {
	isOne := func(a Node) bool {
		x, ok := p.number(a)
		return ok && (x == 0 || x == 1)
	}
	a = p.choose(a)
	switch x := p.nodes[a]; {
	case isOne(a) || x.op == Select && isOne(x.a) && isOne(x.b):
		if p.nodes[a].op != Const || p.nodes[a].key != 0 {
			ones[a] += n
		}
		return true
	case x.op == Add:
		return p.count(x.a, n, ones) && p.count(x.b, n, ones)
	}
	return false
}

// maxSplits bounds the conditions upon which a proof is split, one in the other.
const maxSplits = 8

// sameCondition proves that two conditions are equal: by a table of their comparisons, or
// because they are conjunctions of equal conditions.
func (p *prover) sameCondition(a, b Node) bool {
	atoms := p.atoms(a, p.atoms(b, nil))
	if len(atoms) <= maxAtoms {
		for row := range 1 << len(atoms) {
			q := &prover{p.Graph, map[Node]bool{}, p.proved, 0}
			for i, c := range atoms {
				q.known[c] = row>>i&1 != 0
			}
			x, okX := q.truth(a)
			y, okY := q.truth(b)
			if !okX || !okY || x != y {
				return false
			}
		}
		return true
	}
	x, y := p.nodes[a], p.nodes[b]
	switch {
	case x.op == Not && y.op == Not:
		return p.sameCondition(x.a, y.a)
	case x.op != And || y.op != And || len(p.lists[x.key]) != len(p.lists[y.key]):
		return false
	}
	rest := slices.Clone(p.lists[y.key])
	for _, l := range p.lists[x.key] {
		i := slices.Index(rest, l)
		if i < 0 {
			i = slices.IndexFunc(rest, func(m uint64) bool { return p.sameCondition(Node(l), Node(m)) })
		}
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}

// maxAtoms bounds the comparisons in a table.
const maxAtoms = 8

// atoms adds the comparisons that a condition is made of.
func (p *prover) atoms(c Node, out []Node) []Node {
	switch n := p.nodes[c]; n.op {
	case Const:
		return out
	case Not:
		return p.atoms(n.a, out)
	case And:
		for _, l := range p.lists[n.key] {
			if out = p.atoms(Node(l), out); len(out) > maxAtoms {
				break
			}
		}
		return out
	}
	if !slices.Contains(out, c) {
		out = append(out, c)
	}
	return out
}

// impossible proves that the known conditions contradict each other, because of the conditions on
// one expression. x and y are different.
func (p *prover) impossible(x, y Node) bool {
	seen := map[Node]bool{}
	for c := range p.known {
		n := p.nodes[c]
		v := n.a
		switch n.op {
		case Lt, Le, Eq:
			if p.nodes[v].op == Const {
				v = n.b
			}
		case IGt:
			for p.nodes[v].op == IShr || p.nodes[v].op == IAdd || p.nodes[v].op == High {
				v = p.nodes[v].a
			}
		default:
			continue
		}
		if !seen[v] && p.template(x, y, v) {
			return true
		}
		seen[v] = true
	}
	return false
}

// split proves equality where the condition of a selection holds, and where it does not.
func (p *prover) split(a, b Node) bool {
	if p.nodes[a].op != Select {
		a, b = b, a
	}
	if n := p.nodes[b]; n.op == Select && n.key == 1 { // branches first
		a, b = b, a
	}
	if p.nodes[a].op != Select {
		return false
	}
	c := p.nodes[a].c
	if p.nodes[a].key == 0 {
		if c = p.atom(c); p.splits > maxSplits {
			return false
		}
		p.splits++
		defer func() { p.splits-- }()
	}
	return p.assume(c, true).equal(a, b) && p.assume(c, false).equal(a, b)
}

// atom returns an unknown condition within c that is neither a conjunction nor a negation.
func (p *prover) atom(c Node) Node {
	switch n := p.nodes[c]; n.op {
	case Not:
		return p.atom(n.a)
	case And:
		for _, l := range p.lists[n.key] {
			if _, ok := p.truth(Node(l)); !ok {
				return p.atom(Node(l))
			}
		}
	}
	return c
}

// operands returns the nodes that a node is made of.
func (g *Graph) operands(a Node, out []Node) []Node {
	n := &g.nodes[a]
	for _, o := range [3]Node{n.a, n.b, n.c} {
		if o != 0 {
			out = append(out, o)
		}
	}
	switch n.op {
	case And, Bits, MaxZ:
		for _, o := range g.lists[n.key] {
			out = append(out, Node(o))
		}
	case Sum, Total:
		for i := 1; i < len(g.lists[n.key]); i += 2 {
			out = append(out, Node(g.lists[n.key][i]))
		}
	case Pick:
		for _, o := range g.lists[n.key][1:] {
			out = append(out, Node(o))
		}
	case Fields:
		for _, f := range g.fields(a) {
			if f.of != 0 {
				out = append(out, f.of)
			}
		}
	}
	return out
}

// The bounds of the search for a cut: nodes, and cuts that are tried.
const (
	maxCone  = 500
	maxFront = 80
	maxCuts  = 4
)

// cut proves that a and b are equal as functions of one of the expressions that both are made
// of, whatever the value of that is.
func (p *prover) cut(a, b Node) bool {
	front := map[Node]bool{}
	for _, n := range [2]Node{a, b} {
		if p.nodes[n].op != Const {
			front[n] = true
		}
	}
	var parts []Node
	tried := 0
	for range maxCone {
		var top Node
		for n := range front {
			top = max(top, n)
		}
		if len(front) == 1 && p.nodes[top].op != Select { // of a number that was clamped the range is not known
			if p.template(a, b, top) {
				return true
			}
			if tried++; tried == maxCuts {
				return false
			}
		}
		parts = p.operands(top, parts[:0])
		delete(front, top)
		for _, o := range parts {
			if p.nodes[o].op != Const {
				front[o] = true
			}
		}
		if len(front) == 0 || len(parts) == 0 || len(front) > maxFront {
			return false
		}
	}
	return false
}

// within reports whether a is made of v and constants only.
func (p *prover) within(a, v Node, left *int) bool {
	if a == v || p.nodes[a].op == Const {
		return true
	}
	parts := p.operands(a, nil)
	if *left--; len(parts) == 0 || *left < 0 || a < v {
		return false
	}
	for _, o := range parts {
		if !p.within(o, v, left) {
			return false
		}
	}
	return true
}

// template proves that a and b are equal functions of v, where the conditions on v that are
// known hold.
func (p *prover) template(a, b, v Node) bool {
	t := compile(p.Graph, v)
	t.x, t.y = t.add(a), t.add(b)
	p.conditions(t, v)
	t.nonpositive, t.noMinusZero = p.nonpositive(v), p.neverNegativeZero(v)
	return t.prove()
}

// conditions adds the known conditions on v to a template.
func (p *prover) conditions(t *template, v Node) {
	var conditions []Node
	for c := range p.known {
		conditions = append(conditions, c)
	}
	slices.Sort(conditions)
	for _, c := range conditions {
		if left := maxFront; p.within(c, v, &left) {
			t.assume(c, p.known[c])
		}
	}
}

// nonpositive reports whether v is at most 0, or NaN: x less a maximum of numbers among which
// x is, the maximum subtracted from 0 first or not, or the product of a number that is known not to be above 0 and a sum of squares.
func (p *prover) nonpositive(v Node) bool {
	n := p.nodes[v]
	if n.op == Mul {
		return p.squares(n.b) && p.atMost0(n.a) || p.squares(n.a) && p.atMost0(n.b)
	}
	if n.op == Add {
		for _, o := range [2][2]Node{{n.a, n.b}, {n.b, n.a}} {
			minus := o[1]
			if m := p.nodes[minus]; m.op == Add {
				if x, ok := p.number(m.a); ok && x == 0 {
					minus = m.b
				} else if x, ok := p.number(m.b); ok && x == 0 {
					minus = m.a
				}
			}
			most, negative := p.unsigned(minus)
			if m := p.nodes[most]; negative && m.op == MaxZ && slices.Contains(p.lists[m.key], uint64(o[0])) {
				return true
			}
		}
	}
	return false
}

// atMost0 reports whether the known conditions imply that a number is not above 0.
func (p *prover) atMost0(a Node) bool {
	t := compile(p.Graph, a)
	p.conditions(t, a)
	if t.bad || t.width < 4 || len(t.conditions) == 0 {
		return false
	}
	t.prepare()
	t.set(1, t.infinity())
	return t.excluded()
}

// squares reports whether a is a sum of squares, which is not below +0, or NaN.
func (p *prover) squares(a Node) bool {
	for {
		n := p.nodes[a]
		switch {
		case n.op == Const:
			return n.key == 0
		case n.op == Mul && n.a == n.b:
			return true
		case n.op == FMA && n.a == n.b && n.key == 0:
			a = n.c
		default:
			return false
		}
	}
}
