package arm64

import (
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
)

// setConditions sets the flags to conditions that depend on the data.
func (m *machine) setConditions(conditions map[string]expr.Node) { m.conditions = conditions }

func (m *machine) joinCells(c []expr.Node) expr.Node {
	if len(c) == 1 {
		return c[0]
	}
	return m.g.Join(c[0], c[1])
}

// setSymbolic sets a general register to an integer that may depend on the data.
func (m *machine) setSymbolic(o operand, n expr.Node) {
	if m.g.Width(n) == 4 {
		n = m.g.Join(n, m.zero)
	}
	if bits, ok := m.g.Bits(n); ok {
		m.setRegister(o, bits)
		return
	}
	if o.kind != general || o.reg == xzr {
		m.fail("destination: %w", code.ErrUnknown)
	}
	m.symbolic[o.reg] = n
}

// isSymbolic reports whether an operand is a general register that depends on the data.
func (m *machine) isSymbolic(o operand) bool {
	return o.kind == general && o.reg != xzr && m.symbolic[o.reg] != 0
}

// operandNode returns a general register or an immediate as an expression of 8 bytes.
func (m *machine) operandNode(o operand) expr.Node {
	if m.isSymbolic(o) {
		return m.symbolic[o.reg]
	}
	return m.g.Const(8, m.register(o))
}

// runSymbolic runs an instruction on general registers that depend on the data, or a move from a
// vector register to a general register. It returns false for other instructions.
func (m *machine) runSymbolic(op string, a []operand) bool {
	if (op == "mov" || op == "fmov" || op == "umov") && len(a) == 2 && a[0].kind == general && (a[1].kind == element || a[1].kind == scalar) {
		m.setSymbolic(a[0], m.source(a[1], 0))
		return true
	}
	if op == "csel" || strings.HasPrefix(op, "ld") || strings.HasPrefix(op, "st") {
		return false
	}
	any := false
	for i, o := range a {
		any = any || m.isSymbolic(o) && (i > 0 || strings.HasPrefix(op, "cm"))
	}
	if !any {
		return false
	}
	g := m.g
	switch op {
	case "add", "sub", "and":
		if len(a) != 3 {
			return false
		}
		x, y := m.operandNode(a[1]), m.operandNode(a[2])
		if a[0].is32Bit {
			x, _ = g.Halves(x)
			y, _ = g.Halves(y)
		}
		switch op {
		case "add":
			m.setSymbolic(a[0], g.IAdd(x, y))
		case "sub":
			m.setSymbolic(a[0], g.ISub(x, y))
		case "and":
			m.setSymbolic(a[0], g.Bitwise(expr.IAnd, x, y))
		}
	case "lsr":
		if a[2].kind != immediate || a[0].is32Bit {
			return false
		}
		m.setSymbolic(a[0], g.Shift(expr.IShr, m.operandNode(a[1]), int(a[2].value)))
	case "ubfx":
		if a[2].value+a[3].value > 64 || a[3].value > 32 {
			return false
		}
		low, _ := g.Halves(g.Shift(expr.IShr, m.operandNode(a[1]), int(a[2].value)))
		m.setSymbolic(a[0], g.ExtractBits(low, 0, int(a[3].value)))
	case "ubfiz":
		m.setSymbolic(a[0], g.Shift(expr.IShl, g.Bitwise(expr.IAnd, m.operandNode(a[1]), g.Const(8, 1<<a[3].value-1)), int(a[2].value)))
	case "cmn": // compares with −1: are all bits set?
		if !m.isSymbolic(a[0]) || a[1].kind != immediate || a[1].value != 1 || a[0].is32Bit {
			return false
		}
		all, ok := g.AllOnes(m.symbolic[a[0].reg])
		if !ok {
			return false
		}
		m.setConditions(map[string]expr.Node{"eq": all, "ne": g.Not(all)})
	case "cmp": // compares with 0
		if !m.isSymbolic(a[0]) || m.register(a[1]) != 0 {
			return false
		}
		x := m.symbolic[a[0].reg]
		if a[0].is32Bit {
			x, _ = g.Halves(x)
		}
		any, negative := g.Nonzero(x), g.Negative(x)
		m.setConditions(map[string]expr.Node{"eq": g.Not(any), "ne": any, "lt": negative, "ge": g.Not(negative)})
	default:
		return false
	}
	return true
}

// symbolicCondition returns the condition of a jump if it depends on the data.
func (m *machine) symbolicCondition(a []operand) (expr.Node, bool) {
	op := m.inst.Op
	if c, ok := strings.CutPrefix(op, "b."); ok && m.conditions != nil {
		c := m.conditions[c]
		return c, c != 0
	}
	if (op != "cbz" && op != "cbnz" && op != "tbz" && op != "tbnz") || !m.isSymbolic(a[0]) {
		return 0, false
	}
	x := m.symbolic[a[0].reg]
	if a[0].is32Bit {
		x, _ = m.g.Halves(x)
	}
	var c expr.Node
	switch {
	case op == "cbz" || op == "cbnz":
		c = m.g.Nonzero(x)
	case int(a[1].value) == 8*m.g.Width(x)-1:
		c = m.g.Negative(x)
	default:
		return 0, false
	}
	if op == "cbz" || op == "tbz" {
		c = m.g.Not(c)
	}
	return c, true
}

// runBothWays runs the rest of the function twice: with a conditional jump taken and not taken. It
// merges the values that the two runs store. If g.Path is set, runBothWays follows only the
// direction that the path chooses.
func (m *machine) runBothWays(f *code.Function, c expr.Node, to uint64) error {
	m.trace(&m.cov.Trace.Path, uint64(c))
	at, next := m.inst.Addr, m.inst.Next
	if m.g.Path != nil {
		taken := m.g.Path.Choose(m.g, c)
		m.cov.Branch(at, taken)
		m.loops.Step(at, effectOf(m.inst), taken)
		if taken {
			return m.execute(f, to)
		}
		return m.execute(f, next)
	}
	before := *m
	var stored [2]map[uint64]expr.Node
	for way, pc := range []uint64{to, next} {
		*m = before
		m.loops = before.loops.Clone()
		m.loops.Step(at, effectOf(m.inst), way == 0)
		m.cov.Branch(at, way == 0)
		var err error
		if stored[way], err = m.mem.Try(func() error { return m.execute(f, pc) }); err != nil {
			return err
		}
	}
	return m.mem.Join(m.g.Branch, c, stored[0], stored[1])
}

// loadTableEntry loads a table entry at an index that depends on the data. The destination is a
// register or a lane of a register. loadTableEntry returns false if the address does not depend on
// the data.
func (m *machine) loadTableEntry(a []operand) bool {
	o := a[1]
	if a[0].kind == general || o.kind != location || o.postIndexed {
		return false
	}
	if o.index >= 0 && m.symbolic[o.index] != 0 && m.symbolic[o.reg] == 0 {
		if m.loadIndexed(a) {
			return true
		}
	}
	if o.shift != 0 {
		return false
	}
	at := m.operandNode(operand{kind: general, reg: o.reg})
	if o.index >= 0 {
		at = m.g.IAdd(at, m.operandNode(operand{kind: general, reg: o.index}))
	}
	base, index, shift, most, ok := m.g.SplitAddress(at)
	if !ok {
		return false
	}
	var table []expr.Node
	for i := range most + 1 {
		table = append(table, m.joinCells(m.load(base+uint64(o.value)+i<<shift, a[0].cells)))
	}
	n, ok := m.g.Lookup(table, index)
	if !ok {
		m.fail("%w: a table of data", code.ErrUnknown)
	}
	if a[0].kind == element {
		copy(m.v[a[0].reg][a[0].lane*a[0].cells:], m.cells(n))
	} else {
		m.setVector(a[0].reg, m.cells(n))
	}
	return true
}

// mapWide applies a bitwise function f to registers. Bitwise instructions do not specify an element
// size. Therefore f gets 8 bytes at a time where wide(at) is true, and 4 bytes elsewhere.
func (m *machine) mapWide(dst operand, wide func(at int) bool, f func(x ...expr.Node) expr.Node, regs ...int) {
	out := make([]expr.Node, 0, 4)
	x := make([]expr.Node, len(regs))
	for at := 0; at < 4; at += 2 {
		w := 1
		if wide(at) {
			w = 2
		}
		for e := at; e < at+2; e += w {
			for i, r := range regs {
				x[i] = m.joinCells(m.v[r][e : e+w])
			}
			out = append(out, m.cells(f(x...))...)
		}
	}
	m.setVector(dst.reg, out)
}

// runLogic runs a vector instruction that compares elements or works on bits or integers. It
// returns false for other instructions.
func (m *machine) runLogic(op string, a []operand) bool {
	if len(a) < 2 || a[0].kind != vector && op != "addv" {
		return false
	}
	g, dst := m.g, a[0]
	bytes := m.inst.Operands != "" && strings.Contains(m.inst.Operands, ".16b")
	two := func(f func(x, y expr.Node) expr.Node) {
		m.mapLanes(dst, func(n int) expr.Node { return f(m.source(a[1], n), m.source(a[2], n)) })
	}
	abs := func(x expr.Node) expr.Node {
		w := g.Width(x)
		return g.Bitwise(expr.IAnd, x, g.Const(w, ^uint64(0)>>(65-8*w)))
	}
	switch op {
	case "fcmgt", "fcmge", "fcmeq", "facgt":
		if a[2].kind != vector {
			return false
		}
		two(func(x, y expr.Node) expr.Node {
			c := expr.Node(0)
			switch op {
			case "fcmgt":
				c = g.Lt(y, x)
			case "fcmge":
				c = g.Le(y, x)
			case "fcmeq":
				c = g.Eq(x, y)
			default:
				c = g.Lt(abs(y), abs(x))
			}
			return g.Mask(4*dst.cells, c)
		})
	case "and", "orr", "eor", "bic":
		if op == "eor" && a[1].reg == a[2].reg {
			m.setVector(a[0].reg, nil)
			break
		}
		mask := func(at int) bool {
			return g.IsMask(m.joinCells(m.v[a[1].reg][at:at+2])) || g.IsMask(m.joinCells(m.v[a[2].reg][at:at+2]))
		}
		m.mapWide(dst, mask, func(x ...expr.Node) expr.Node {
			switch op {
			case "and":
				return g.Bitwise(expr.IAnd, x[0], x[1])
			case "orr":
				return g.Bitwise(expr.IOr, x[0], x[1])
			case "eor":
				return g.Bitwise(expr.IXor, x[0], x[1])
			}
			return g.Bitwise(expr.IAnd, x[0], g.Bitwise(expr.IXor, x[1], g.Const(g.Width(x[1]), ^uint64(0))))
		}, a[1].reg, a[2].reg)
	case "bit", "bif": // copies the bits of the first source where the second source has ones (bit) or zeros (bif)
		mask := func(at int) bool { return g.IsMask(m.joinCells(m.v[a[2].reg][at : at+2])) }
		m.mapWide(dst, mask, func(x ...expr.Node) expr.Node {
			if op == "bif" {
				x[0], x[1] = x[1], x[0]
			}
			if c, ok := g.MaskOf(x[2]); ok {
				return g.Select(c, x[1], x[0])
			}
			not := g.Bitwise(expr.IXor, x[2], g.Const(g.Width(x[2]), ^uint64(0)))
			return g.Bitwise(expr.IOr, g.Bitwise(expr.IAnd, x[1], x[2]), g.Bitwise(expr.IAnd, x[0], not))
		}, dst.reg, a[1].reg, a[2].reg)
	case "add", "sub":
		if bytes {
			return false
		}
		two(map[string]func(x, y expr.Node) expr.Node{"add": g.IAdd, "sub": g.ISub}[op])
	case "umax":
		if dst.size != 4 {
			return false
		}
		two(func(x, y expr.Node) expr.Node { return g.Maximum(expr.IMaxU, x, y) })
	case "addv":
		sum := m.v[a[1].reg][0]
		for _, c := range m.v[a[1].reg][1:a[1].lanes] {
			if both, ok := g.AddDisjoint(sum, c); ok {
				sum = both
			} else {
				sum = g.IAdd(sum, c)
			}
		}
		m.setVector(dst.reg, []expr.Node{sum})
	case "ushr", "shl", "sshr":
		how := map[string]expr.Op{"shl": expr.IShl, "ushr": expr.IShr, "sshr": expr.ISar}[op]
		by := int(a[2].value)
		if bytes && op == "sshr" {
			return false
		}
		inside := uint64(0xff << by & 0xff)
		if op == "ushr" {
			inside = 0xff >> by
		}
		m.mapLanes(dst, func(n int) expr.Node {
			x := g.Shift(how, m.source(a[1], n), by)
			if bytes {
				x = g.Bitwise(expr.IAnd, x, g.Const(4, inside*0x01010101))
			}
			return x
		})
	case "usra": // adds bytes shifted to the right
		if !bytes {
			return false
		}
		by := int(a[2].value)
		m.mapLanes(dst, func(n int) expr.Node {
			x := g.Bitwise(expr.IAnd, g.Shift(expr.IShr, m.source(a[1], n), by), g.Const(4, uint64(0xff>>by)*0x01010101))
			y := m.source(dst, n)
			low, high := g.Const(4, 0x7f7f7f7f), g.Const(4, 0x80808080)
			sum := g.IAdd(g.Bitwise(expr.IAnd, x, low), g.Bitwise(expr.IAnd, y, low)) // no carry crosses bytes
			return g.Bitwise(expr.IXor, sum, g.Bitwise(expr.IAnd, g.Bitwise(expr.IXor, x, y), high))
		})
	case "tbl":
		return m.runTable(a)
	case "fcvtn", "fcvtn2":
		out := append([]expr.Node(nil), m.v[dst.reg][:2]...)
		if op == "fcvtn" {
			out = nil
		}
		for n := range 2 {
			out = append(out, g.Narrow(m.source(a[1], n)))
		}
		m.setVector(dst.reg, out)
	case "fmax", "fmin":
		two(func(x, y expr.Node) expr.Node {
			if _, ok := g.Bits(x); ok {
				if _, both := g.Bits(y); both && op == "fmax" {
					return g.Larger(x, y)
				} else if both {
					return g.Neg(g.Larger(g.Neg(x), g.Neg(y)))
				}
				x, y = y, x
			}
			if v, ok := g.Number(y); !ok || v == 0 || v != v {
				m.fail("two numbers that depend on the data: %w", code.ErrUnknown)
			}
			if op == "fmin" {
				return g.Select(g.Lt(y, x), y, x)
			}
			return g.Select(g.Lt(x, y), y, x)
		})
	case "fmaxnm":
		two(g.MaxNum)
	default:
		return false
	}
	return true
}

// runTable looks up bytes in a list of vector registers. Another register holds the indices. An
// index beyond the table gives 0.
func (m *machine) runTable(a []operand) bool {
	g := m.g
	var entries []expr.Node
	for r := range a[1].count + 1 {
		entries = append(entries, m.v[(a[1].reg+r)%32][:]...)
	}
	index, size := m.v[a[2].reg][:], 4*len(entries)
	constant := func(c []expr.Node) bool {
		for _, n := range c {
			if _, ok := g.Bits(n); !ok {
				return false
			}
		}
		return true
	}
	byteOf := func(n expr.Node, k int) expr.Node {
		return g.Bitwise(expr.IAnd, g.Shift(expr.IShr, n, 8*k), g.Const(4, 255))
	}
	var out []expr.Node
	switch {
	case constant(index):
		for _, c := range index {
			bits, _ := g.Bits(c)
			cell := m.zero
			for k := range 4 {
				if i := int(bits >> (8 * k) & 255); i < size {
					cell = g.Bitwise(expr.IOr, cell, g.Shift(expr.IShl, byteOf(entries[i/4], i%4), 8*k))
				}
			}
			out = append(out, cell)
		}
	case constant(entries):
		list := make([]expr.Node, 256)
		for i := range list {
			if list[i] = m.zero; i < size {
				list[i] = byteOf(entries[i/4], i%4)
			}
		}
		for _, c := range index {
			cell := m.zero
			for k := range 4 {
				entry, _ := g.Lookup(list, byteOf(c, k))
				cell = g.Bitwise(expr.IOr, cell, g.Shift(expr.IShl, entry, 8*k))
			}
			out = append(out, cell)
		}
	default:
		var list []expr.Node
		for i := range size {
			list = append(list, g.ExtractBits(entries[i/4], 8*(i%4), 8))
		}
		for _, c := range index {
			var cell [4]expr.Node
			for k := range cell {
				i := g.ExtractBits(c, 8*k, 8)
				if 1<<g.BitLength(i) > size {
					m.fail("%w: an index that may lie beyond the table", code.ErrUnknown)
				}
				cell[k] = g.Pick(list[:1<<g.BitLength(i)], i)
			}
			out = append(out, g.JoinBits(cell[:]...))
		}
	}
	m.setVector(a[0].reg, out[:a[0].lanes])
	return true
}
