package arm64

import (
	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
)

// bitInstructions lists the instructions on byte vectors that runNarrow does not run. Their results
// do not depend on the element size, or the functions that run them handle every byte separately.
var bitInstructions = map[string]bool{"and": true, "orr": true, "eor": true, "bic": true, "bit": true, "bif": true, "mov": true, "mvn": true,
	"shl": true, "ushr": true, "sshr": true, "usra": true, "tbl": true}

// runNarrow runs an instruction on elements of one or two bytes, including loads and stores. It
// returns false for other instructions.
func (m *machine) runNarrow(op string, a []operand) bool {
	if op == "saddlv" || op == "uaddlv" {
		return m.runSumAcross(op, a)
	}
	if len(a) < 2 || a[0].kind != vector {
		return false
	}
	g, dst := m.g, a[0]
	// part returns element n of a register. The element size is in bytes.
	part := func(reg, size, n int) expr.Node {
		per := 4 / size
		return g.ExtractBits(m.v[reg][n/per], 8*size*(n%per), 8*size)
	}
	set := func(size int, elements []expr.Node) {
		var out []expr.Node
		for ; len(elements) > 0; elements = elements[4/size:] {
			out = append(out, g.JoinBits(elements[:4/size]...))
		}
		m.setVector(dst.reg, out)
	}
	if m.runSmallIntegers(op, a) {
		return true
	}
	switch {
	case op == "zip1" && dst.size < 4, op == "zip2" && dst.size < 4:
		count := 4 * dst.lanes / dst.size
		from := 0
		if op == "zip2" {
			from = count / 2
		}
		var out []expr.Node
		for n := range count {
			out = append(out, part(a[1+n%2].reg, dst.size, from+n/2))
		}
		set(dst.size, out)
	case op == "uzp1", op == "uzp2":
		first, count := int(op[3]-'1'), 4*dst.lanes*dst.cells/dst.size
		var out []expr.Node
		for _, o := range a[1:] {
			for n := first; n < count; n += 2 {
				out = append(out, part(o.reg, dst.size, n))
			}
		}
		set(dst.size, out)
	case (op == "fcvtn" || op == "fcvtn2") && dst.size == 2:
		out := append([]expr.Node(nil), m.v[dst.reg][:2]...)
		if op == "fcvtn" {
			out = nil
		}
		for x := m.v[a[1].reg][:4]; len(x) > 0; x = x[2:] {
			out = append(out, g.JoinBits(g.ToHalf(x[0]), g.ToHalf(x[1])))
		}
		m.setVector(dst.reg, out)
	case op == "fcvtl" && a[1].size == 2, op == "fcvtl2" && a[1].size == 2:
		from := 0
		if op == "fcvtl2" {
			from = 4
		}
		m.setVector(dst.reg, func() (out []expr.Node) {
			for n := range 4 {
				out = append(out, g.FromHalf(part(a[1].reg, 2, from+n)))
			}
			return out
		}())
	case op == "scvtf" && len(a) == 3 && dst.size == 4 && a[2].kind == immediate:
		m.mapLanes(dst, func(n int) expr.Node { return m.fixedPoint(m.source(a[1], n), int(a[2].value)) })
	case op == "scvtf" && len(a) == 2 && dst.kind == vector && dst.size == 4:
		m.mapLanes(dst, func(n int) expr.Node { return g.FromInt(4, m.source(a[1], n)) })
	case (op == "uaddw" || op == "uaddw2") && dst.size == 2 && a[2].size == 1:
		from := 0
		if op == "uaddw2" {
			from = 8
		}
		var out []expr.Node
		for n := range 8 {
			out = append(out, g.Add16(part(a[1].reg, 2, n), part(a[2].reg, 1, from+n), 1))
		}
		set(2, out)
	case op == "movi" && dst.size == 1 && a[1].kind == immediate:
		m.mapLanes(dst, func(int) expr.Node { return g.Const(4, uint64(a[1].value)&255*0x01010101) })
	case op == "ld1":
		addr := m.addressOf(a[1])
		for r := range dst.count + 1 {
			m.setVector((dst.reg+r)%32, m.load(addr+uint64(4*r*dst.lanes*dst.cells), dst.lanes*dst.cells))
		}
	case op == "st1":
		addr := m.addressOf(a[1])
		for r := range dst.count + 1 {
			m.store(addr+uint64(4*r*dst.lanes*dst.cells), m.v[(dst.reg+r)%32][:dst.lanes*dst.cells])
		}
	default:
		return false
	}
	return true
}

// fixedPoint converts a fixed-point integer with the given number of fraction bits to floating
// point. If the integer is not constant, its fraction bits must be zero, and fixedPoint converts the
// integer part. The result is the same, because division by a power of 2 does not change how a
// 32-bit integer is rounded.
func (m *machine) fixedPoint(x expr.Node, fraction int) expr.Node {
	if _, ok := m.g.Bits(x); ok {
		scale := m.g.Const(4, uint64(127-fraction)<<23)
		return m.g.Mul(m.g.FromInt(4, x), scale)
	}
	if b, ok := m.g.Bits(m.g.ExtractBits(x, 0, fraction)); (!ok || b != 0) && !m.g.ClearsLowBits(x, fraction) {
		m.fail("%w: a fraction that depends on the data", code.ErrUnknown)
	}
	return m.g.FromInt(4, m.g.Shift(expr.ISar, x, fraction))
}

// loadIndexed loads a table entry whose index register depends on the data. All entries that the
// index can reach must be readable.
func (m *machine) loadIndexed(a []operand) bool {
	o := a[1]
	low, high := m.g.Halves(m.symbolic[o.index])
	size := m.g.BitLength(low)
	if b, ok := m.g.Bits(high); !ok || b != 0 || size > 8 || a[0].cells > 2 {
		return false
	}
	base := m.register(operand{kind: general, reg: o.reg}) + uint64(o.value)
	var table []expr.Node
	for i := range uint64(1) << size {
		table = append(table, m.joinCells(m.load(base+i<<o.shift, a[0].cells)))
	}
	n := m.g.Pick(table, low)
	if a[0].kind == element {
		copy(m.v[a[0].reg][a[0].lane*a[0].cells:], m.cells(n))
	} else {
		m.setVector(a[0].reg, m.cells(n))
	}
	return true
}
