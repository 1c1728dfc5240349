package expr

// Path is a path through branches that depend on the data. A kernel whose addresses depend on such
// branches runs once for each path, and its results are proved under the conditions of the path.
// The zero Path assumes that every branch condition is false.
type Path struct {
	decisions []decision
	next      int
}

type decision struct {
	condition Node
	value     bool
	secondWay bool // value is the second of the two values to try
}

// Choose returns the value that the path assumes for the condition of a branch.
func (p *Path) Choose(g *Graph, condition Node) bool {
	for _, d := range p.decisions[:p.next] {
		switch condition {
		case d.condition:
			return d.value
		case g.Not(d.condition):
			return !d.value
		}
	}
	if p.next == len(p.decisions) {
		p.decisions = append(p.decisions, decision{condition: condition})
	}
	p.next++
	return p.decisions[p.next-1].value
}

// Advance begins the next path. It returns false after the last path.
func (p *Path) Advance() bool {
	p.next = 0
	for n := len(p.decisions); n > 0; n = len(p.decisions) {
		if d := &p.decisions[n-1]; !d.secondWay {
			d.value, d.secondWay = true, true
			return true
		}
		p.decisions = p.decisions[:n-1]
	}
	return false
}
