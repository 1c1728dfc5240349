package amd64

import (
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
)

// maskNumber returns the number in a mask register.
func (m *machine) maskNumber(reg int) uint64 {
	if m.symbolicMasks[reg] != nil {
		m.fail("%w: a mask that depends on the data", code.ErrUnknown)
	}
	return m.k[reg]
}

// maskBits returns the lowest 16 bits of a mask as conditions.
func (m *machine) maskBits(reg int) []expr.Node {
	if m.symbolicMasks[reg] != nil {
		return m.symbolicMasks[reg][:16]
	}
	out := make([]expr.Node, 16)
	for i := range out {
		out[i] = m.g.Bool(m.k[reg]>>i&1 != 0)
	}
	return out
}

// setMask sets the bits of a mask register to conditions. If all conditions are constant, the
// register holds a number.
func (m *machine) setMask(reg int, bits []expr.Node) {
	var number uint64
	known := true
	for i, c := range bits {
		t, ok := m.g.Truth(c)
		known = known && ok
		if t {
			number |= 1 << i
		}
	}
	m.k[reg], m.symbolicMasks[reg] = number, nil
	if !known {
		for len(bits) < 16 {
			bits = append(bits, m.g.Bool(false))
		}
		m.symbolicMasks[reg] = bits
	}
}

// setSymbolic sets an 8-byte register to an integer that may depend on the data.
func (m *machine) setSymbolic(o *operand, n expr.Node) {
	if bits, ok := m.g.Bits(n); ok {
		m.setInteger(o, bits, 8)
		return
	}
	m.symbolic[o.reg] = n
}

// runMask runs an instruction on masks. It returns false for other instructions.
func (m *machine) runMask(op string, a []operand, dst *operand) bool {
	if strings.HasPrefix(op, "kmov") {
		w := map[byte]int{'b': 1, 'w': 2, 'd': 4, 'q': 8}[op[4]]
		switch {
		case a[0].kind == mask && m.symbolicMasks[a[0].reg] != nil && w == 4 && dst.kind == location:
			m.store(m.addressOf(dst), []expr.Node{m.g.ExtractBits(m.g.Pack(m.symbolicMasks[a[0].reg]), 0, 32)})
		case a[0].kind == mask && m.symbolicMasks[a[0].reg] != nil && w == 2:
			if dst.kind == mask {
				m.symbolicMasks[dst.reg] = m.symbolicMasks[a[0].reg][:16]
			} else {
				m.setSymbolic(dst, m.g.Pack(m.symbolicMasks[a[0].reg][:16]))
			}
		case dst.kind == mask:
			m.k[dst.reg], m.symbolicMasks[dst.reg] = m.integer(&a[0], 8)&widthMask(w), nil
		case dst.kind == location:
			m.setInteger(dst, m.maskNumber(a[0].reg)&widthMask(w), w)
		default:
			m.setInteger(dst, m.maskNumber(a[0].reg)&widthMask(w), dst.width)
		}
		return true
	}
	two := map[string]func(x, y expr.Node) expr.Node{
		"korw":   func(x, y expr.Node) expr.Node { return m.g.Or(x, y) },
		"kxorw":  func(x, y expr.Node) expr.Node { return m.g.Select(x, m.g.Not(y), y) },
		"kxnorw": func(x, y expr.Node) expr.Node { return m.g.Select(x, y, m.g.Not(y)) },
		"knotw":  func(x, _ expr.Node) expr.Node { return m.g.Not(x) },
	}[op]
	switch {
	case op == "kunpckwd":
		m.setMask(dst.reg, append(append([]expr.Node(nil), m.maskBits(a[0].reg)...), m.maskBits(a[1].reg)...))
		return true
	case op == "kortestw":
		x, y := m.maskBits(a[0].reg), m.maskBits(a[1].reg)
		any := m.g.Or(append(append([]expr.Node(nil), x...), y...)...)
		all := m.g.Bool(true)
		for i := range x {
			all = m.g.And(all, m.g.Or(x[i], y[i]))
		}
		m.setZeroAndCarry(m.g.Not(any), all)
		return true
	case two == nil:
		return false
	case len(a) == 3 && a[0].reg == a[1].reg && (op == "kxorw" || op == "kxnorw"): // both sources are the same register, so its value does not matter
		m.k[dst.reg], m.symbolicMasks[dst.reg] = map[string]uint64{"kxnorw": 0xffff}[op], nil
		return true
	}
	x, y := m.maskBits(a[0].reg), m.maskBits(a[len(a)-2].reg)
	out := make([]expr.Node, len(x))
	for i := range x {
		out[i] = two(x[i], y[i])
	}
	m.setMask(dst.reg, out)
	return true
}

// setZeroAndCarry sets the zero and carry flags, and clears the sign and overflow flags.
func (m *machine) setZeroAndCarry(zero, carry expr.Node) {
	z, okZ := m.g.Truth(zero)
	c, okC := m.g.Truth(carry)
	m.conditions, m.flags.defined = nil, 0
	if okZ && okC {
		m.flags.setResult(1, 8)
		m.flags.setFlag(zeroFlag, z)
		m.flags.setFlag(carryFlag, c)
		m.flags.setFlag(overflowFlag, false)
		return
	}
	m.conditions = map[string]expr.Node{
		"e": zero, "ne": m.g.Not(zero), "b": carry, "ae": m.g.Not(carry),
		"a": m.g.And(m.g.Not(zero), m.g.Not(carry)), "be": m.g.Or(zero, carry),
	}
}

// blend returns the cells of an operand after a masked write. Elements whose mask bit is set come
// from the given cells. The other elements become zero or keep their old values.
func (m *machine) blend(o *operand, cells []expr.Node, w int) []expr.Node {
	old := make([]expr.Node, 16)
	switch {
	case o.kind == location:
		old = m.load(m.addressOf(o), len(cells))
	case o.zeroing:
		copy(old, m.zeros(16))
	default:
		copy(old, m.v[o.reg][:])
	}
	out := make([]expr.Node, 0, len(cells))
	for i := 0; i < len(cells); i += w {
		out = append(out, m.cells(m.g.Select(m.symbolicMasks[o.mask][i/w], m.joinCells(cells[i:i+w]), m.joinCells(old[i:i+w])))...)
	}
	return out
}

// operandNode returns an operand as an expression. The width is in bytes.
func (m *machine) operandNode(o *operand, width int) expr.Node {
	switch {
	case o.kind == register && m.symbolic[o.reg] != 0:
		return m.symbolic[o.reg]
	case o.kind == location && width >= 4:
		return m.joinCells(m.load(m.addressOf(o), width/4))
	}
	return m.g.Const(width, m.integer(o, width))
}

// runSymbolic runs an instruction whose operands depend on the data and are in general registers or
// memory. It returns false for other instructions.
func (m *machine) runSymbolic(op string, a []operand, dst *operand) bool {
	for _, o := range a {
		if o.kind == vector || o.kind == mask {
			return false
		}
	}
	w, name := generalWidth(op, a), strings.TrimRight(op, "lq")
	if !m.isSymbolic(name, w, a, dst) {
		return false
	}
	if name == "mov" && w < 4 && dst.kind == location {
		m.storePart(dst, m.operandNode(&a[0], 8), w)
		return true
	}
	var x, y expr.Node
	if len(a) == 2 {
		x, y = m.operandNode(dst, 8), m.operandNode(&a[0], 8)
		if dst.kind == location && w == 4 {
			x, y = m.operandNode(dst, 4), m.operandNode(&a[0], 4)
		}
	}
	switch {
	case name == "xor" && len(a) == 2 && a[0].kind == register && dst.kind == register && a[0].reg == dst.reg && w >= 4:
		m.setInteger(dst, 0, w)
		m.flags.setLogic(0, w)
	case name == "mov" && w == 8 && dst.kind == register:
		m.setSymbolic(dst, y)
	case name == "mov" && w == 8 && dst.kind == location:
		m.store(m.addressOf(dst), m.cells(y))
	case name == "add" && w == 8 && dst.kind == register:
		m.setSymbolic(dst, m.g.IAdd(x, y))
		m.conditions, m.flags.defined = nil, 0
	case op == "sub" && w == 8 && dst.kind == register:
		m.setSymbolic(dst, m.g.ISub(x, y))
		m.conditions, m.flags.defined = nil, 0
	case name == "shr" && w == 8 && len(a) == 2 && a[0].kind == immediate && dst.kind == register && a[0].value > 0 && a[0].value < 64:
		m.setSymbolic(dst, m.g.Shift(expr.IShr, x, int(a[0].value)))
		m.conditions, m.flags.defined = nil, 0
	case name == "popcnt" && dst.kind == register:
		n, ok := m.g.PackedCount(y)
		if !ok {
			return false
		}
		m.setSymbolic(dst, n)
		m.conditions, m.flags.defined = nil, 0
	case name == "test" && a[0].kind == register && a[0].reg == dst.reg:
		m.conditions, m.flags.defined = map[string]expr.Node{"e": m.g.Not(m.g.Nonzero(x)), "ne": m.g.Nonzero(x)}, 0
	case strings.HasPrefix(op, "cmp") && a[0].kind == immediate && a[0].value == 0 && dst.kind == location:
		m.conditions, m.flags.defined = map[string]expr.Node{"l": m.g.Negative(x), "ge": m.g.Not(m.g.Negative(x))}, 0
	case name == "cmp" && a[0].kind == immediate && dst.kind == register:
		same, ok := m.g.PackedEquals(x, a[0].value&widthMask(w))
		if !ok {
			return false
		}
		m.conditions, m.flags.defined = map[string]expr.Node{"e": same, "ne": m.g.Not(same)}, 0
	default:
		m.fail("%w: operands that depend on the data", code.ErrUnknown)
	}
	return true
}

// isSymbolic reports whether an operand of an instruction depends on the data.
func (m *machine) isSymbolic(name string, w int, a []operand, dst *operand) bool {
	for i := range a {
		o := &a[i]
		if o == dst && (name == "mov" || name == "movabs" || name == "lea" || name == "popcnt") {
			continue
		}
		switch {
		case o.kind == register && m.symbolic[o.reg] != 0:
			return true
		case o.kind == location && name != "lea" && w >= 4:
			cells, err := m.peek(m.addressOf(o), w/4)
			for _, c := range cells {
				if _, fixed := m.g.Bits(c); !fixed && err == nil {
					return true
				}
			}
		}
	}
	return false
}

// peek returns the memory cells at an address, or an error if the program must not read these
// cells.
func (m *machine) peek(addr uint64, cells int) (out []expr.Node, err error) {
	for i := range cells {
		n, err := m.mem.Load(addr + 4*uint64(i))
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// symbolicCondition returns the condition of a jump if it depends on the data.
func (m *machine) symbolicCondition(i *inst) (expr.Node, bool) {
	if i.op[0] != 'j' || i.op == "jmp" || m.flags.defined != 0 {
		return 0, false
	}
	c := m.conditions[i.op[1:]]
	if c == 0 {
		return 0, false
	}
	return c, true
}

// runBothWays runs the rest of the function twice: once as if a conditional jump is taken, and once
// as if it is not taken. It merges the values that the two runs store. If g.Path is set, runBothWays follows only the
// direction that the path chooses.
func (m *machine) runBothWays(f *code.Function, c expr.Node, i *inst) error {
	m.trace(&m.cov.Trace.Path, uint64(c))
	if m.g.Path != nil {
		taken := m.g.Path.Choose(m.g, c)
		m.cov.Branch(i.Addr, taken)
		m.loops.Step(i.Addr, i.effect, taken)
		if taken {
			return m.execute(f, i.args[0].value)
		}
		return m.execute(f, i.Next)
	}
	before := *m
	var stored [2]map[uint64]expr.Node
	for way, pc := range []uint64{i.args[0].value, i.Next} {
		*m = before
		m.loops = before.loops.Clone()
		m.loops.Step(i.Addr, i.effect, way == 0)
		m.cov.Branch(i.Addr, way == 0)
		var err error
		if stored[way], err = m.mem.Try(func() error { return m.execute(f, pc) }); err != nil {
			return err
		}
	}
	return m.mem.Join(m.g.Branch, c, stored[0], stored[1])
}

// compare returns the result of a floating-point comparison as a condition. The relation is the
// name of the comparison in the instruction, such as eq or lt.
func (m *machine) compare(relation string, x, y expr.Node) expr.Node {
	switch relation {
	case "eq":
		return m.g.Eq(x, y)
	case "lt", "lt_oq":
		return m.g.Lt(x, y)
	case "nlt", "nlt_uq":
		return m.g.Not(m.g.Lt(x, y))
	case "ge_oq":
		return m.g.Le(y, x)
	}
	return m.g.Le(x, y)
}

// runLogic runs a vector instruction that compares elements or works on bits or integers, or an
// instruction listed in runOtherLogic. It returns false for other instructions.
func (m *machine) runLogic(i *inst) bool {
	a, op := i.args, i.op
	dst := &a[len(a)-1]
	g := m.g
	each := func(w int, f func(x, y expr.Node) expr.Node) { // stores f(x, y) for the elements x and y of the two sources
		n := dst.width / 4
		m.setVector(dst, m.mapLanes(w, func(v ...expr.Node) expr.Node { return f(v[0], v[1]) }, m.v[a[1].reg][:n:n], m.source(&a[0], dst, n, w)), w)
	}
	if f := i.match[comparison]; f != nil && f[2] == "p" {
		w := elementCells(f[3])
		n := a[1].width / 4
		x, y := m.v[a[1].reg][:n:n], m.source(&a[0], nil, n, w)
		if dst.kind == mask {
			m.compareToMask(dst, w, x, y, func(x, y expr.Node) expr.Node { return m.compare(f[1], x, y) })
		} else {
			m.setVector(dst, m.mapLanes(w, func(v ...expr.Node) expr.Node { return g.Mask(4*w, m.compare(f[1], v[0], v[1])) }, x, y), w)
		}
		return true
	}
	if f := i.match[extremes]; f != nil {
		w := elementCells(f[3])
		n := packedCells(f[2], w, dst)
		// The instruction returns the second source if the elements are equal or one of them is
		// NaN.
		out := m.mapLanes(w, func(v ...expr.Node) expr.Node {
			c := g.Lt(v[1], v[0])
			if f[1] == "min" {
				c = g.Lt(v[0], v[1])
			}
			return g.Select(c, v[0], v[1])
		}, m.v[a[1].reg][:n:n], m.source(&a[0], dst, n, w))
		m.setVector(dst, m.keepUpper(f[2], out, m.v[a[1].reg][:]), w)
		return true
	}
	if f := i.match[bitwise]; f != nil {
		w := 1
		if strings.HasSuffix(op, "d") && op[1] != 'p' || strings.HasSuffix(op, "q") {
			w = 2
		}
		each(w, func(x, y expr.Node) expr.Node {
			switch f[1] {
			case "andn":
				return g.Bitwise(expr.IAnd, g.Bitwise(expr.IXor, x, g.Const(4*w, ^uint64(0))), y)
			case "and":
				return g.Bitwise(expr.IAnd, x, y)
			}
			return g.Bitwise(expr.IOr, x, y)
		})
		return true
	}
	if f := i.match[integers]; f != nil {
		do := map[string]func(x, y expr.Node) expr.Node{"add": g.IAdd, "sub": g.ISub}[f[1]]
		each(map[string]int{"d": 1, "q": 2}[f[2]], do)
		return true
	}
	if f := i.match[shifts]; f != nil && a[0].kind == immediate {
		w := map[string]int{"d": 1, "q": 2}[f[2]]
		how := map[string]expr.Op{"ll": expr.IShl, "rl": expr.IShr, "ra": expr.ISar}[f[1]]
		n := dst.width / 4
		m.setVector(dst, m.mapLanes(w, func(v ...expr.Node) expr.Node { return g.Shift(how, v[0], int(a[0].value)) }, m.source(&a[1], dst, n, w)), w)
		return true
	}
	return m.runOtherLogic(op, a, dst, each)
}

// compareToMask stores the results of element comparisons in a mask register. Bits that are clear
// in the write mask become zero.
func (m *machine) compareToMask(dst *operand, w int, x, y []expr.Node, f func(x, y expr.Node) expr.Node) {
	var out []expr.Node
	for e := 0; e < len(x); e += w {
		c := f(m.joinCells(x[e:e+w]), m.joinCells(y[e:e+w]))
		if dst.mask >= 0 {
			c = m.g.And(c, m.maskBits(dst.mask)[e/w])
		}
		out = append(out, c)
	}
	m.setMask(dst.reg, out)
}

// runOtherLogic runs the logic instructions that need an implementation of their own.
func (m *machine) runOtherLogic(op string, a []operand, dst *operand, each func(int, func(x, y expr.Node) expr.Node)) bool {
	g := m.g
	n := dst.width / 4
	switch op {
	case "vpcmpeqd":
		if a[0].kind != vector || a[0].reg != a[1].reg || dst.kind != vector {
			return false
		}
		m.setVector(dst, m.mapLanes(1, func(...expr.Node) expr.Node { return g.Const(4, ^uint64(0)) }, m.v[dst.reg][:n:n]), 1)
	case "vpcmpgtd":
		x, y := m.v[a[1].reg][:a[1].width/4], m.source(&a[0], nil, a[1].width/4, 1)
		for _, c := range y {
			if _, ok := g.Bits(c); !ok {
				return false
			}
		}
		if dst.kind == mask {
			m.compareToMask(dst, 1, x, y, g.Greater)
		} else {
			each(1, func(x, y expr.Node) expr.Node { return g.Mask(4, g.Greater(x, y)) })
		}
	case "vpmaxsd":
		each(1, func(x, y expr.Node) expr.Node { return g.Maximum(expr.IMaxS, x, y) })
	case "vpmaxud":
		each(1, func(x, y expr.Node) expr.Node { return g.Maximum(expr.IMaxU, x, y) })
	case "vblendvpd", "vblendvps":
		w := elementCells(op[len(op)-1:])
		second, first := m.source(&a[1], nil, n, w), m.v[a[2].reg][:n:n]
		m.setVector(dst, m.mapLanes(w, func(v ...expr.Node) expr.Node { return g.Select(g.Negative(v[0]), v[1], v[2]) }, m.v[a[0].reg][:n:n], second, first), w)
	case "vmovmskps", "vmovmskpd":
		var out []expr.Node
		w := elementCells(op[len(op)-1:])
		for e := w - 1; e < a[0].width/4; e += w {
			out = append(out, g.Negative(m.v[a[0].reg][e]))
		}
		m.setSymbolic(&operand{kind: register, reg: dst.reg}, g.Pack(out))
	case "vpmovsxdq":
		m.setVector(dst, m.mapElements(m.v[a[0].reg][:n/2], g.Extend), 2)
	case "vpextrq":
		at := 2 * int(a[0].value&1)
		m.setSymbolic(dst, m.joinCells(m.v[a[1].reg][at:at+2]))
	case "vpternlogd", "vpternlogq":
		w := map[byte]int{'d': 1, 'q': 2}[op[len(op)-1]]
		if im := a[0].value & 255; im == 0x96 || im == 0xe8 { // 3-way XOR and bitwise majority do not depend on the element width
			w = 1
		}
		third, second, first := m.source(&a[1], dst, n, w), m.v[a[2].reg][:n:n], m.v[dst.reg][:n:n]
		var f func(v ...expr.Node) expr.Node
		switch a[0].value & 255 {
		case 0xff:
			f = func(...expr.Node) expr.Node { return g.Const(4*w, ^uint64(0)) }
		case 0x96:
			f = func(v ...expr.Node) expr.Node { return g.Xor3(v[0], v[1], v[2]) }
		case 0xe8:
			f = func(v ...expr.Node) expr.Node {
				n, ok := g.Majority(v[0], v[1], v[2])
				if !ok {
					m.fail("%w: a majority of numbers that are not bytes", code.ErrUnknown)
				}
				return n
			}
		case 0xf6:
			f = func(v ...expr.Node) expr.Node {
				return g.Bitwise(expr.IOr, v[0], g.Bitwise(expr.IXor, v[1], v[2]))
			}
		default:
			return false
		}
		m.setVector(dst, m.mapLanes(w, f, first, second, third), w)
	case "vptestmd", "vptestmq":
		w := map[byte]int{'d': 1, 'q': 2}[op[len(op)-1]]
		c := a[1].width / 4
		m.compareToMask(dst, w, m.v[a[1].reg][:c], m.source(&a[0], nil, c, w), func(x, y expr.Node) expr.Node { return g.Nonzero(g.Bitwise(expr.IAnd, x, y)) })
	case "vscalefpd", "vscalefps":
		each(elementCells(op[len(op)-1:]), g.ScaleF)
	case "vucomisd", "vucomiss":
		w := elementCells(op[len(op)-1:])
		x, y := m.joinCells(m.v[dst.reg][:w]), m.joinCells(m.source(&a[0], nil, w, w))
		nan := g.Not(g.Or(g.Le(x, y), g.Lt(y, x))) // unordered operands set both flags
		m.setZeroAndCarry(g.Or(g.Eq(x, y), nan), g.Or(g.Lt(x, y), nan))
	default:
		return false
	}
	return true
}
