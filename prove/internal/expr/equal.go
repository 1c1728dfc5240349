package expr

import "slices"

// prover decides whether expressions are equal for all values of the inputs. A proof may assume
// that some conditions are true or false: known contains these conditions and their values.
type prover struct {
	*Graph
	known  map[Node]bool
	proved map[[2]Node]bool // results without assumptions
	depth  int
}

// Equal reports whether it has proved that two expressions of the same width are equal or both NaN.
// The proof holds for all values of the inputs. If g.Path is set, the proof holds for all values
// that follow the path.
func (g *Graph) Equal(a, b Node) bool {
	if a == b {
		return true
	}
	if g.equalities == nil {
		g.equalities = map[[2]Node]bool{}
	}
	p := &prover{g, map[Node]bool{}, g.equalities, 0}
	if g.Path != nil {
		for _, d := range g.Path.decisions[:g.Path.next] {
			p.learn(d.condition, d.value)
		}
	}
	return p.equal(a, b)
}

func (p *prover) equal(a, b Node) bool {
	a, b = p.followSelections(a), p.followSelections(b)
	if a == b || p.nan(a) && p.nan(b) {
		return true
	}
	switch {
	case a == 0 || b == 0 || p.Width(a) != p.Width(b):
		return false
	case p.nodes[a].op == Const && p.nodes[b].op == Const:
		return p.contradictory(a, b)
	case p.Width(a) == 1:
		return p.equalConditions(a, b)
	}
	pair := [2]Node{min(a, b), max(a, b)}
	if done, ok := p.proved[pair]; ok && (done || len(p.known) == 0) {
		return done
	}
	yes := p.equalIntegers(a, b) || p.equalCounts(a, b) || p.proveByCut(a, b) || p.operandsEqual(a, b) || p.proveBySplit(a, b)
	if len(p.known) == 0 {
		p.proved[pair] = yes
	}
	return yes
}

func (p *prover) nan(a Node) bool {
	x, ok := p.Number(a)
	return ok && x != x
}

// followSelections returns the operand that a selection selects if the condition is known. It also
// follows the selections within this operand.
func (p *prover) followSelections(a Node) Node {
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

// assume returns a prover that also assumes that the condition c has the given value.
func (p *prover) assume(c Node, value bool) *prover {
	q := &prover{p.Graph, make(map[Node]bool, len(p.known)+1), p.proved, p.depth}
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

// operandsEqual proves that two nodes have the same operation and equal operands. It returns false
// for bitwise operations, because operands that count as equal may be NaN with different bits.
func (p *prover) operandsEqual(a, b Node) bool {
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
		return p.equalIntegers(x.a, y.a)
	case Neg, Widen, Narrow, Sqrt, Not:
		return p.equal(x.a, y.a)
	case Select:
		return p.equal(x.c, y.c) && p.assume(x.c, true).equal(x.a, y.a) && p.assume(x.c, false).equal(x.b, y.b)
	}
	return false
}

// equalCounts proves that two counts have the same terms. A count is a floating-point sum of zeros
// and ones. The sum is exact, so the order of the terms does not matter.
func (p *prover) equalCounts(a, b Node) bool {
	ones := map[Node]int{}
	if !p.countTerms(a, 1, ones) || !p.countTerms(b, -1, ones) {
		return false
	}
	zero := p.Const(int(p.Width(a)), 0)
	for one, n := range ones {
		if n != 0 && !p.proveByCut(one, zero) {
			return false
		}
	}
	return true
}

// countTerms adds n to ones[t] for every term t of the sum a. It returns false if a term is not 0
// or 1.
func (p *prover) countTerms(a Node, n int, ones map[Node]int) bool {
	isOne := func(a Node) bool {
		x, ok := p.Number(a)
		return ok && (x == 0 || x == 1)
	}
	a = p.followSelections(a)
	switch x := p.nodes[a]; {
	case isOne(a) || x.op == Select && isOne(x.a) && isOne(x.b):
		if p.nodes[a].op != Const || p.nodes[a].key != 0 {
			ones[a] += n
		}
		return true
	case x.op == Add:
		return p.countTerms(x.a, n, ones) && p.countTerms(x.b, n, ones)
	}
	return false
}

// maxSplits bounds the nesting depth of case distinctions in a proof.
const maxSplits = 8

// equalConditions proves that two conditions are equal. It uses a truth table of the comparisons in
// the conditions. If the table would be too large, it compares the operands of conjunctions.
func (p *prover) equalConditions(a, b Node) bool {
	atoms := p.comparisons(a, p.comparisons(b, nil))
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
		return p.equalConditions(x.a, y.a)
	case x.op != And || y.op != And || len(p.lists[x.key]) != len(p.lists[y.key]):
		return false
	}
	rest := slices.Clone(p.lists[y.key])
	for _, l := range p.lists[x.key] {
		i := slices.Index(rest, l)
		if i < 0 {
			i = slices.IndexFunc(rest, func(m uint64) bool { return p.equalConditions(Node(l), Node(m)) })
		}
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}

// maxAtoms bounds the number of comparisons in a truth table.
const maxAtoms = 8

// comparisons appends the comparisons in the condition c to out.
func (p *prover) comparisons(c Node, out []Node) []Node {
	switch n := p.nodes[c]; n.op {
	case Const:
		return out
	case Not:
		return p.comparisons(n.a, out)
	case And:
		for _, l := range p.lists[n.key] {
			if out = p.comparisons(Node(l), out); len(out) > maxAtoms {
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

// contradictory reports whether it can prove that the known conditions contradict each other: no
// value of some expression satisfies all of them. x and y must be different constants, so only
// contradictory conditions imply x = y.
func (p *prover) contradictory(x, y Node) bool {
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
		if !seen[v] && p.proveAsTemplate(x, y, v) {
			return true
		}
		seen[v] = true
	}
	return false
}

// proveBySplit proves equality separately for both values of the condition of a selection.
func (p *prover) proveBySplit(a, b Node) bool {
	if p.nodes[a].op != Select {
		a, b = b, a
	}
	if n := p.nodes[b]; n.op == Select && n.key == 1 { // branches come first
		a, b = b, a
	}
	if p.nodes[a].op != Select {
		return false
	}
	c := p.nodes[a].c
	if p.nodes[a].key == 0 {
		if c = p.unknownCondition(c); p.depth > maxSplits {
			return false
		}
		p.depth++
		defer func() { p.depth-- }()
	}
	return p.assume(c, true).equal(a, b) && p.assume(c, false).equal(a, b)
}

// unknownCondition returns an unknown condition within c that is neither a conjunction nor a
// negation.
func (p *prover) unknownCondition(c Node) Node {
	switch n := p.nodes[c]; n.op {
	case Not:
		return p.unknownCondition(n.a)
	case And:
		for _, l := range p.lists[n.key] {
			if _, ok := p.truth(Node(l)); !ok {
				return p.unknownCondition(Node(l))
			}
		}
	}
	return c
}

// operands appends the operands of a node to out.
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
			if f.node != 0 {
				out = append(out, f.node)
			}
		}
	}
	return out
}

// Bounds of the search in proveByCut: visited nodes, nodes in the current front, and attempted
// proofs.
const (
	maxCone  = 500
	maxFront = 80
	maxCuts  = 4
)

// proveByCut proves that a and b are equal functions of a common subexpression. The proof holds for
// every value of the subexpression.
func (p *prover) proveByCut(a, b Node) bool {
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
		if len(front) == 1 && p.nodes[top].op != Select { // a selection may clamp a number to a range, which the proof would not know
			if p.proveAsTemplate(a, b, top) {
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

// isFunctionOf reports whether expression a consists only of v and constants. The counter
// *budget limits the number of visited nodes.
func (p *prover) isFunctionOf(a, v Node, budget *int) bool {
	if a == v || p.nodes[a].op == Const {
		return true
	}
	parts := p.operands(a, nil)
	if *budget--; len(parts) == 0 || *budget < 0 || a < v {
		return false
	}
	for _, o := range parts {
		if !p.isFunctionOf(o, v, budget) {
			return false
		}
	}
	return true
}

// proveAsTemplate proves that a and b are equal functions of v for all values that satisfy the
// known conditions on v.
func (p *prover) proveAsTemplate(a, b, v Node) bool {
	t := compile(p.Graph, v)
	t.x, t.y = t.addNode(a), t.addNode(b)
	p.addConditions(t, v)
	t.nonpositive, t.noMinusZero = p.nonpositive(v), p.isNeverNegativeZero(v)
	return t.prove()
}

// addConditions adds the known conditions on v to a template.
func (p *prover) addConditions(t *template, v Node) {
	var conditions []Node
	for c := range p.known {
		conditions = append(conditions, c)
	}
	slices.Sort(conditions)
	for _, c := range conditions {
		if left := maxFront; p.isFunctionOf(c, v, &left) {
			t.addCondition(c, p.known[c])
		}
	}
}

// nonpositive reports whether v is known to be at most 0 or NaN. It recognizes x − max(…, x, …) and
// x + (0 − max(…, x, …)). It also recognizes the product of a number that is at most 0 and a sum of
// squares.
func (p *prover) nonpositive(v Node) bool {
	n := p.nodes[v]
	if n.op == Mul {
		return p.isSumOfSquares(n.b) && p.atMost0(n.a) || p.isSumOfSquares(n.a) && p.atMost0(n.b)
	}
	if n.op == Add {
		for _, o := range [2][2]Node{{n.a, n.b}, {n.b, n.a}} {
			minus := o[1]
			if m := p.nodes[minus]; m.op == Add {
				if x, ok := p.Number(m.a); ok && x == 0 {
					minus = m.b
				} else if x, ok := p.Number(m.b); ok && x == 0 {
					minus = m.a
				}
			}
			most, negative := p.withoutSign(minus)
			if m := p.nodes[most]; negative && m.op == MaxZ && slices.Contains(p.lists[m.key], uint64(o[0])) {
				return true
			}
		}
	}
	return false
}

// atMost0 reports whether the known conditions imply that a number is at most 0.
func (p *prover) atMost0(a Node) bool {
	t := compile(p.Graph, a)
	p.addConditions(t, a)
	if t.unsupported || t.width < 4 || len(t.conditions) == 0 {
		return false
	}
	t.allocateRanges()
	t.setRegion(1, t.infinity())
	return t.isExcluded()
}

// isSumOfSquares reports whether a is a sum of squares. The value of a sum of squares is at least
// +0, or NaN.
func (p *prover) isSumOfSquares(a Node) bool {
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
