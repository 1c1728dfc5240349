package expr

import (
	"fmt"
	"strings"
)

// String formats an expression to a limited depth.
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
			if f.node == 0 {
				args = append(args, fmt.Sprintf("%#x:%d", f.bits, f.length))
			} else {
				args = append(args, fmt.Sprintf("%s[%d:%d]", g.text(f.node, depth-1), f.from, f.from+f.length))
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
