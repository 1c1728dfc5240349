package gossa

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/gomonge/monge/prove/internal/expr"
	"golang.org/x/tools/go/ssa"
)

// branch runs both directions of a branch whose condition c depends on the data, up to the block
// where the directions meet. It joins the values and stores of the directions into expressions that
// select by c. If the directions meet only at the end of the function, branch returns the joined
// result of the function.
func (fr *frame) branch(c expr.Node, from *ssa.BasicBlock) (meet *ssa.BasicBlock, phis []Value, result Value) {
	in := fr.in
	meet = fr.in.meetingBlocks(fr.f)[from]
	var left [2][]Value
	var results [2]Value
	var stored [2]map[uint64]expr.Node
	for way, next := range from.Succs {
		outer := slices.Clone(fr.values)
		stored[way], _ = in.Mem.Try(func() error {
			last, joined, out := fr.execute(next, from, nil, meet)
			results[way] = out
			if meet == nil || joined != nil {
				left[way] = joined
				return nil
			}
			for _, instr := range meet.Instrs {
				if phi, ok := instr.(*ssa.Phi); ok {
					left[way] = append(left[way], fr.get(phi.Edges[slices.Index(meet.Preds, last)]))
				}
			}
			return nil
		})
		fr.values = outer
	}
	if err := in.Mem.Join(in.G.Select, c, stored[0], stored[1]); err != nil {
		fail("%s: %w", fr.f, err)
	}
	if meet == nil {
		return nil, nil, in.join(c, results[0], results[1])
	}
	for p := range left[0] {
		phis = append(phis, in.join(c, left[0][p], left[1][p]))
	}
	return meet, phis, nil
}

// join returns x if c holds, and y otherwise.
func (in *Interpreter) join(c expr.Node, x, y Value) Value {
	if s, ok := x.([]Value); ok {
		out := make([]Value, len(s))
		for i := range s {
			out[i] = in.join(c, s[i], y.([]Value)[i])
		}
		return out
	}
	if x == y {
		return x
	}
	p, okP := x.(expr.Node)
	q, okQ := y.(expr.Node)
	switch {
	case okP && okQ:
	case okP:
		q = in.toNode(y, in.G.Width(p))
	case okQ:
		p = in.toNode(x, in.G.Width(q))
	default: // two integers or bools; a bool is 0 or 1
		a, okA := x.(uint64)
		b, okB := y.(uint64)
		if !okA || !okB {
			fail("%T and %T meet at a branch on data: %w", x, y, ErrUnknown)
		}
		p, q = in.G.Const(8, a), in.G.Const(8, b)
	}
	return in.G.Select(c, p, q)
}

// toNode returns a value as an expression with the given width in bytes.
func (in *Interpreter) toNode(x Value, width int) expr.Node {
	switch v := x.(type) {
	case expr.Node:
		if in.G.Width(v) == 8 && width == 1 { // a bool that was widened to 8 bytes at a branch
			return in.G.Nonzero(v)
		}
		if in.G.Width(v) == 8 && width == 4 { // a 4-byte integer that was widened to 8 bytes at a branch
			v, _ = in.G.Halves(v)
		}
		return v
	case uint64:
		if width == 1 {
			return in.G.Bool(v != 0)
		}
		return in.G.Const(width, v)
	}
	fail("%T: %w", x, ErrUnknown)
	return 0
}

// toNumber converts a constant expression to a uint64. It returns other expressions unchanged.
func (in *Interpreter) toNumber(n expr.Node, t *types.Basic) Value {
	if bits, ok := in.G.Bits(n); ok {
		return extend(bits, t, int64(in.G.Width(n)))
	}
	return n
}

// meetingBlocks returns, for every block b of f, the nearest later block that lies on every path
// from b to a return. Paths that end in a panic do not count.
func (in *Interpreter) meetingBlocks(f *ssa.Function) map[*ssa.BasicBlock]*ssa.BasicBlock {
	if m, ok := in.meetings[f]; ok {
		return m
	}
	type set = map[*ssa.BasicBlock]bool
	after := map[*ssa.BasicBlock]set{} // for each block, the blocks on every path to a return; nil means all blocks
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(f.Blocks) {
			var all set
			for _, s := range b.Succs {
				if next := after[s]; next != nil && all == nil {
					all = maps.Clone(next)
				} else if next != nil {
					maps.DeleteFunc(all, func(b *ssa.BasicBlock, _ bool) bool { return !next[b] })
				}
			}
			if _, end := b.Instrs[len(b.Instrs)-1].(*ssa.Return); end {
				all = set{}
			}
			if all == nil {
				continue
			}
			all[b] = true
			if after[b] == nil || len(after[b]) != len(all) {
				after[b], changed = all, true
			}
		}
	}
	m := map[*ssa.BasicBlock]*ssa.BasicBlock{}
	for _, b := range f.Blocks {
		for c := range after[b] { // c is the block nearest to b if after[c] contains all of after[b] except b
			if c != b && len(after[c]) == len(after[b])-1 {
				m[b] = c
			}
		}
	}
	if in.meetings == nil {
		in.meetings = map[*ssa.Function]map[*ssa.BasicBlock]*ssa.BasicBlock{}
	}
	in.meetings[f] = m
	return m
}

// symbolicBinary returns x op y for integers or bools of type t. At least one operand depends on
// the data.
func (in *Interpreter) symbolicBinary(op token.Token, t types.Type, x, y Value) Value {
	u, _ := t.Underlying().(*types.Basic)
	if u == nil || u.Info()&(types.IsInteger|types.IsBoolean) == 0 {
		fail("%s of %s: %w", op, t, ErrUnknown)
	}
	g, width := in.G, int(in.sizes.Sizeof(u))
	if u.Info()&types.IsInteger != 0 && width < 4 {
		return in.narrowBinary(op, u, x, y)
	}
	a, b := in.toNode(x, width), in.toNode(y, width)
	by, fixed := y.(uint64)
	signed := u.Info()&types.IsUnsigned == 0
	switch op {
	case token.ADD:
		return in.toNumber(g.IAdd(a, b), u)
	case token.SUB:
		return in.toNumber(g.ISub(a, b), u)
	case token.MUL:
		return in.toNumber(g.IMul(a, b), u)
	case token.AND:
		return in.toNumber(g.Bitwise(expr.IAnd, a, b), u)
	case token.OR:
		return in.toNumber(g.Bitwise(expr.IOr, a, b), u)
	case token.XOR:
		return in.toNumber(g.Bitwise(expr.IXor, a, b), u)
	case token.AND_NOT:
		ones := g.Const(width, ^uint64(0))
		return in.toNumber(g.Bitwise(expr.IAnd, a, g.Bitwise(expr.IXor, b, ones)), u)
	case token.REM:
		if fixed && !signed && by&(by-1) == 0 {
			return in.toNumber(g.Bitwise(expr.IAnd, a, g.Const(width, by-1)), u)
		}
	case token.SHL:
		if fixed {
			return in.toNumber(g.Shift(expr.IShl, a, int(by)), u)
		}
	case token.SHR:
		if fixed && signed {
			return in.toNumber(g.Shift(expr.ISar, a, int(by)), u)
		} else if fixed {
			return in.toNumber(g.Shift(expr.IShr, a, int(by)), u)
		}
	}
	fail("%s of numbers that depend on the data: %w", op, ErrUnknown)
	return nil
}

// narrowBinary returns x op y for zero-extended integers of one or two bytes.
func (in *Interpreter) narrowBinary(op token.Token, t *types.Basic, x, y Value) Value {
	g, size := in.G, 8*int(in.sizes.Sizeof(t))
	by, fixed := y.(uint64)
	node := func(x Value) expr.Node {
		if v, ok := x.(uint64); ok {
			return g.Const(4, v&(1<<size-1))
		}
		return x.(expr.Node)
	}
	a, unsigned := node(x), t.Info()&types.IsUnsigned != 0
	var n expr.Node
	switch {
	case op == token.AND:
		n = g.Bitwise(expr.IAnd, a, node(y))
	case op == token.XOR:
		n = g.Bitwise(expr.IXor, a, node(y))
	case op == token.SHR && fixed && unsigned:
		n = g.Shift(expr.IShr, a, int(by))
	case op == token.ADD && size == 16:
		n = g.Add16(a, node(y), 1)
	default:
		fail("%s of %s that depends on the data: %w", op, t, ErrUnknown)
	}
	if bits, ok := g.Bits(n); ok {
		return extend(bits, t, int64(size/8))
	}
	return n
}

// compareFloats returns a comparison of floating-point numbers.
func (in *Interpreter) compareFloats(op token.Token, a, b expr.Node) (Value, bool) {
	g := in.G
	var c expr.Node
	switch op {
	case token.LSS:
		c = g.Lt(a, b)
	case token.GTR:
		c = g.Lt(b, a)
	case token.LEQ:
		c = g.Le(a, b)
	case token.GEQ:
		c = g.Le(b, a)
	case token.EQL:
		c = g.Eq(a, b)
	case token.NEQ:
		c = g.Not(g.Eq(a, b))
	default:
		return nil, false
	}
	return in.conditionValue(c), true
}

// conditionValue converts a condition to a Value.
func (in *Interpreter) conditionValue(c expr.Node) Value {
	if t, ok := in.G.Truth(c); ok {
		return boolBit(t)
	}
	return c
}

// lookupElement returns an element of an array. The index depends on the data.
func (fr *frame) lookupElement(addr uint64, count int64, elem types.Type, index expr.Node) Value {
	in := fr.in
	var table []expr.Node
	for i := range count {
		table = append(table, in.toNode(in.load(addr+uint64(i*in.sizes.Sizeof(elem)), elem), int(max(4, in.sizes.Sizeof(elem)))))
	}
	if most, ok := in.G.MaskBound(index); !ok || most >= uint64(count) {
		fail("%s: an index that depends on the data, and may exceed %d elements", fr.f, count)
	}
	return in.G.Pick(table, index)
}

// elementAddress is the address of an element whose index depends on the data.
type elementAddress struct {
	addr  uint64
	count int64
	elem  types.Type
	index expr.Node
}

// indexSymbolic returns the address of a slice element. The index is a number plus an integer that
// depends on the data and has a known upper bound.
func (fr *frame) indexSymbolic(x Slice, elem types.Type, index expr.Node) elementAddress {
	in := fr.in
	first, n, ok := in.G.SplitOffset(index)
	most, bounded := in.G.MaskBound(n)
	if !ok || !bounded || most > maxTable || first+most >= uint64(x.Len) {
		fail("%s: an index that depends on the data, and may exceed %d elements", fr.f, x.Len)
	}
	return elementAddress{x.Addr + first*uint64(in.sizes.Sizeof(elem)), int64(most) + 1, elem, n}
}

// maxTable bounds the number of entries of a lookup table.
const maxTable = 1 << 12

// minMax returns min or max of two floating-point numbers. For min, one operand must be a constant
// other than 0 and NaN.
func (in *Interpreter) minMax(name string, x, c expr.Node) expr.Node {
	g := in.G
	if _, ok := g.Bits(x); ok {
		x, c = c, x
	}
	if v, ok := g.Number(c); !ok || v == 0 || v != v {
		if name == "max" {
			return g.Larger(x, c)
		}
		fail("%s of two numbers that depend on the data: %w", name, ErrUnknown)
	}
	if name == "min" {
		return g.Select(g.Lt(c, x), c, x)
	}
	return g.Select(g.Lt(x, c), c, x)
}
