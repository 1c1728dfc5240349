package arm64

import (
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
)

// step runs one instruction.
func (m *machine) step(a []operand) {
	if m.runNarrow(m.inst.Op, a) {
		return
	}
	for _, o := range a {
		if o.size == 2 || o.size == 1 && !bitInstructions[m.inst.Op] || o.count > 0 && m.inst.Op != "tbl" {
			m.fail("%w", code.ErrUnknown)
		}
	}
	if !m.runSymbolic(m.inst.Op, a) && !m.runLogic(m.inst.Op, a) && !m.runInteger(m.inst.Op, a) && !m.runMove(m.inst.Op, a) && !m.runFloat(m.inst.Op, a) {
		m.fail("%w", code.ErrUnknown)
	}
}

// runInteger runs a jump or an instruction on general registers. It returns false for other
// instructions.
func (m *machine) runInteger(op string, a []operand) bool {
	if c, ok := strings.CutPrefix(op, "b."); ok {
		m.jump(m.conditionHolds(c), a[0])
		return true
	}
	for _, o := range a {
		if o.kind == vector || o.kind == scalar || o.kind == element || o.kind == location {
			return false
		}
	}
	// second returns the value of the second source operand, a[n]. If a[n+1] specifies a shift,
	// second shifts the value.
	second := func(n int) uint64 {
		v := m.register(a[n])
		if len(a) > n+1 && a[n+1].kind == word {
			if s := a[n+1].shift; s >= 0 {
				v <<= s
			} else {
				v >>= -s
			}
		}
		return v
	}
	switch op {
	case "b":
		m.next = a[0].constant
	case "cbz":
		m.jump(m.register(a[0]) == 0, a[1])
	case "cbnz":
		m.jump(m.register(a[0]) != 0, a[1])
	case "tbz":
		m.jump(m.register(a[0])>>a[1].value&1 == 0, a[2])
	case "tbnz":
		m.jump(m.register(a[0])>>a[1].value&1 != 0, a[2])
	case "cmp":
		m.setDifferenceFlags(m.register(a[0]), second(1), a[0].bits())
	case "cmn":
		m.setSumFlags(m.register(a[0]), second(1), a[0].bits())
	case "add":
		m.setRegister(a[0], m.register(a[1])+second(2))
	case "adds":
		x, y := m.register(a[1]), second(2)
		m.setRegister(a[0], x+y)
		m.setSumFlags(x, y, a[0].bits())
	case "sub":
		m.setRegister(a[0], m.register(a[1])-second(2))
	case "subs":
		x, y := m.register(a[1]), second(2)
		m.setRegister(a[0], x-y)
		m.setDifferenceFlags(x, y, a[0].bits())
	case "and", "ands":
		v := m.register(a[1]) & second(2)
		m.setRegister(a[0], v)
		if op == "ands" {
			m.setResultFlags(v, a[0].bits())
		}
	case "orr":
		m.setRegister(a[0], m.register(a[1])|second(2))
	case "mov":
		m.setRegister(a[0], m.register(a[1]))
	case "lsl":
		m.setRegister(a[0], m.register(a[1])<<(m.register(a[2])&uint64(a[0].bits()-1)))
	case "lsr":
		m.setRegister(a[0], m.register(a[1])>>(m.register(a[2])&uint64(a[0].bits()-1)))
	case "adrp":
		m.setRegister(a[0], a[1].constant)
	case "ubfx":
		m.setRegister(a[0], m.register(a[1])>>a[2].value&(1<<a[3].value-1))
	case "ubfiz":
		m.setRegister(a[0], m.register(a[1])&(1<<a[3].value-1)<<a[2].value)
	case "mul":
		m.setRegister(a[0], m.register(a[1])*m.register(a[2]))
	case "madd":
		m.setRegister(a[0], m.register(a[1])*m.register(a[2])+m.register(a[3]))
	case "csel":
		if m.conditionHolds(a[3].text) {
			m.setRegister(a[0], m.register(a[1]))
		} else {
			m.setRegister(a[0], m.register(a[2]))
		}
	default:
		return false
	}
	return true
}

// runMove runs a load, a store or a move between registers. It returns false for other
// instructions.
func (m *machine) runMove(op string, a []operand) bool {
	switch op {
	case "ldr":
		if m.loadTableEntry(a) {
			break
		}
		addr := m.addressOf(a[1])
		if a[0].kind == general && !a[0].is32Bit {
			m.setSymbolic(a[0], m.joinCells(m.load(addr, 2)))
		} else if a[0].kind == general {
			m.setSymbolic(a[0], m.load(addr, 1)[0])
		} else {
			m.setVector(a[0].reg, m.load(addr, a[0].cells))
		}
	case "ldrb":
		addr := m.addressOf(a[1])
		cell, at := m.mem.Cell(addr)
		m.setRegister(a[0], m.concrete(m.load(cell, 1))>>(8*at)&255)
	case "strh":
		cell, at := m.mem.Cell(m.addressOf(a[1]))
		m.store(cell, []expr.Node{m.g.ReplaceBits(m.load(cell, 1)[0], 8*int(at), 16, m.operandNode(a[0]))})
	case "str":
		addr := m.addressOf(a[1])
		if a[0].kind == general && a[0].reg != xzr && m.symbolic[a[0].reg] != 0 && !a[0].is32Bit {
			m.store(addr, m.cells(m.symbolic[a[0].reg]))
		} else if a[0].kind == general {
			v := m.register(a[0])
			m.store(addr, []expr.Node{m.g.Const(4, v), m.g.Const(4, v>>32)}[:map[bool]int{true: 1, false: 2}[a[0].is32Bit]])
		} else {
			m.store(addr, m.v[a[0].reg][:a[0].cells])
		}
	case "ldp":
		addr := m.addressOf(a[2])
		n := a[0].cells
		if a[0].kind != scalar {
			return false
		}
		m.setVector(a[0].reg, m.load(addr, n))
		m.setVector(a[1].reg, m.load(addr+uint64(4*n), n))
	case "stp":
		addr := m.addressOf(a[2])
		n := a[0].cells
		if a[0].kind != scalar {
			return false
		}
		m.store(addr, m.v[a[0].reg][:n])
		m.store(addr+uint64(4*n), m.v[a[1].reg][:n])
	case "ld1":
		if a[0].kind != element {
			return false
		}
		if !m.loadTableEntry(a) {
			copy(m.v[a[0].reg][a[0].lane*a[0].cells:], m.load(m.addressOf(a[1]), a[0].cells))
		}
	case "st1":
		if a[0].kind != element {
			return false
		}
		at := a[0].lane * a[0].cells
		m.store(m.addressOf(a[1]), m.v[a[0].reg][at:at+a[0].cells])
	case "ld1r":
		e := m.load(m.addressOf(a[1]), a[0].cells)
		var out []expr.Node
		for range a[0].lanes {
			out = append(out, e...)
		}
		m.setVector(a[0].reg, out)
	case "dup":
		if a[1].kind == general {
			v := m.register(a[1])
			e := m.g.Const(4*a[0].cells, v)
			m.mapLanes(a[0], func(int) expr.Node { return e })
			break
		}
		if a[1].kind != element {
			return false
		}
		e := m.source(a[1], 0)
		m.mapLanes(a[0], func(int) expr.Node { return e })
	case "mov":
		if a[0].kind != vector || a[1].kind != vector {
			return false
		}
		m.setVector(a[0].reg, append([]expr.Node(nil), m.v[a[1].reg][:a[0].lanes]...))
	case "zip1", "zip2", "trn1", "trn2":
		x, y, half := a[1], a[2], 0
		at := func(n int) int { return n / 2 } // zip1
		switch op {
		case "zip2":
			half = a[0].lanes / 2
		case "trn1":
			at = func(n int) int { return n &^ 1 }
		case "trn2":
			at = func(n int) int { return n | 1 }
		}
		var out []expr.Node
		for n := range a[0].lanes {
			from := x
			if n%2 == 1 {
				from = y
			}
			out = append(out, m.cells(m.source(from, at(n)+half))...)
		}
		m.setVector(a[0].reg, out)
	default:
		return false
	}
	return true
}

func (m *machine) concrete(cells []expr.Node) uint64 {
	var v uint64
	for i, c := range cells {
		b, ok := m.g.Bits(c)
		if !ok {
			m.fail("a number that depends on the data: %w", code.ErrUnknown)
		}
		v |= b << (32 * i)
	}
	return v
}

// runFloat runs a floating-point instruction on vectors. It returns false for other instructions.
func (m *machine) runFloat(op string, a []operand) bool {
	if len(a) < 2 || a[0].kind != vector && (a[0].kind != scalar || op != "fneg" && op != "fadd") {
		return false
	}
	dst := a[0]
	if dst.kind == scalar {
		dst.lanes = 1
	}
	switch op {
	case "fadd", "fsub", "fmul", "fdiv":
		m.mapLanes(dst, func(n int) expr.Node {
			x, y := m.source(a[1], n), m.source(a[2], n)
			switch op {
			case "fadd":
				return m.g.Add(x, y)
			case "fsub":
				return m.g.Sub(x, y)
			case "fmul":
				return m.g.Mul(x, y)
			}
			return m.g.Div(x, y)
		})
	case "fabd":
		m.mapLanes(dst, func(n int) expr.Node {
			d := m.g.Sub(m.source(a[1], n), m.source(a[2], n))
			w := m.g.Width(d)
			return m.g.Bitwise(expr.IAnd, d, m.g.Const(w, ^uint64(0)>>(65-8*w)))
		})
	case "fmla", "fmls":
		m.mapLanes(dst, func(n int) expr.Node {
			x := m.source(a[1], n)
			if op == "fmls" {
				x = m.g.Neg(x)
			}
			return m.g.FMA(x, m.source(a[2], n), m.source(dst, n))
		})
	case "faddp": // sums of adjacent elements of the concatenated sources
		m.mapLanes(dst, func(n int) expr.Node {
			from := a[1]
			if n >= dst.lanes/2 {
				from, n = a[2], n-dst.lanes/2
			}
			return m.g.Add(m.source(from, 2*n), m.source(from, 2*n+1))
		})
	case "fcvtl", "fcvtl2":
		first := 0
		if op == "fcvtl2" {
			first = 2
		}
		m.mapLanes(dst, func(n int) expr.Node { return m.g.Widen(m.source(a[1], first+n)) })
	case "fneg":
		m.mapLanes(dst, func(n int) expr.Node { return m.g.Neg(m.source(a[1], n)) })
	default:
		return false
	}
	return true
}
