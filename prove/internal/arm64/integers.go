package arm64

import (
	"strings"

	"github.com/gomonge/monge/prove/internal/expr"
)

// integerElement returns element n of a register, zero- or sign-extended to at least 4 bytes. The
// element size is in bytes.
func (m *machine) integerElement(reg, size, n int, signed bool) expr.Node {
	if size == 8 {
		return m.elementAt(reg, 2, n)
	}
	per := 4 / size
	e := m.g.ExtractBits(m.v[reg][n/per], 8*size*(n%per), 8*size)
	if signed && size < 4 {
		e = m.g.SignExtend(e, 8*size)
	}
	return e
}

// extendTo8 extends a 4-byte integer to 8 bytes.
func (m *machine) extendTo8(n expr.Node, signed bool) expr.Node {
	if signed {
		return m.g.Extend(n)
	}
	return m.g.Join(n, m.zero)
}

// setElements stores elements in a register. The element size is in bytes.
func (m *machine) setElements(reg, size int, elements []expr.Node) {
	var out []expr.Node
	for len(elements) > 0 {
		if size >= 4 {
			out, elements = append(out, m.cells(elements[0])...), elements[1:]
			continue
		}
		out, elements = append(out, m.g.JoinBits(elements[:4/size]...)), elements[4/size:]
	}
	m.setVector(reg, out)
}

// runSmallIntegers runs a bit count, or a sum, difference or product of integers of one, two or
// four bytes. It returns false for other instructions.
func (m *machine) runSmallIntegers(op string, a []operand) bool {
	g, dst := m.g, a[0]
	last := a[len(a)-1]
	if last.kind != vector && (op != "sdot" || last.kind != element) {
		return false
	}
	signed := op[0] == 's'
	base, upper := strings.CutSuffix(op, "2")
	count := 16 / dst.size // number of elements in the result
	var out []expr.Node
	wide := func(n expr.Node) expr.Node { // extended to the size of the result
		if dst.size == 8 {
			return m.extendTo8(n, signed)
		}
		return n
	}
	// source returns element n of an operand whose elements are half as wide as the result
	// elements.
	source := func(o operand, n int) expr.Node {
		if upper {
			n += count
		}
		return wide(m.integerElement(o.reg, o.size, n, signed))
	}
	switch {
	case (op == "sdot" || op == "udot") && dst.size == 4 && last.size == 1:
		for n := range count {
			sum, at := m.v[dst.reg][n], 4*n
			if last.kind == element { // with a lane index, all sums use the same four bytes
				at = 4 * last.lane
			}
			for k := range 4 {
				sum = g.IAdd(sum, g.IMul(m.integerElement(a[1].reg, 1, 4*n+k, signed), m.integerElement(a[2].reg, 1, at+k, signed)))
			}
			out = append(out, sum)
		}
	case (base == "smull" || base == "umull" || base == "smlal" || base == "umlal") && dst.size == 2*last.size && dst.size < 8:
		for n := range count {
			e := g.IMul(source(a[1], n), source(a[2], n))
			if base[2] == 'l' {
				e = g.IAdd(m.integerElement(dst.reg, dst.size, n, false), e)
			}
			out = append(out, e)
		}
	case (base == "ssubl" || base == "usubl") && dst.size == 2*last.size:
		for n := range count {
			out = append(out, g.ISub(source(a[1], n), source(a[2], n)))
		}
	case (base == "saddl" || base == "uaddl") && dst.size == 2*last.size:
		for n := range count {
			out = append(out, g.IAdd(source(a[1], n), source(a[2], n)))
		}
	case (op == "sadalp" || op == "uadalp" || op == "saddlp" || op == "uaddlp") && dst.size == 2*last.size:
		for n := range count {
			pair := g.IAdd(wide(m.integerElement(a[1].reg, last.size, 2*n, signed)), wide(m.integerElement(a[1].reg, last.size, 2*n+1, signed)))
			if op[3:] == "alp" {
				pair = g.IAdd(m.integerElement(dst.reg, dst.size, n, false), pair)
			}
			out = append(out, pair)
		}
	case op == "addp" && dst.size < 4 && len(a) == 3:
		for _, o := range a[1:] {
			for n := 0; n < count; n += 2 {
				out = append(out, g.IAdd(m.integerElement(o.reg, dst.size, n, false), m.integerElement(o.reg, dst.size, n+1, false)))
			}
		}
	case (op == "sabd" || op == "uabd") && dst.size == 1:
		for n := range count {
			out = append(out, g.IAbs(g.ISub(m.integerElement(a[1].reg, 1, n, signed), m.integerElement(a[2].reg, 1, n, signed))))
		}
	case op == "cnt" && dst.size == 1:
		for n := range count {
			out = append(out, g.Popcount(4, m.integerElement(a[1].reg, 1, n, false)))
		}
	case (op == "add" || op == "sub") && dst.size < 4 && len(a) == 3:
		do := map[string]func(x, y expr.Node) expr.Node{"add": g.IAdd, "sub": g.ISub}[op]
		for n := range count {
			out = append(out, do(m.integerElement(a[1].reg, dst.size, n, false), m.integerElement(a[2].reg, dst.size, n, false)))
		}
	default:
		return false
	}
	m.setElements(dst.reg, dst.size, out)
	return true
}

// runSumAcross runs an instruction that adds the four 4-byte elements of a register to one 8-byte
// result.
func (m *machine) runSumAcross(op string, a []operand) bool {
	if a[0].kind != scalar || a[0].cells != 2 || a[1].kind != vector || a[1].size != 4 || a[1].lanes != 4 {
		return false
	}
	sum := m.g.Const(8, 0)
	for n := range 4 {
		sum = m.g.IAdd(sum, m.extendTo8(m.v[a[1].reg][n], op[0] == 's'))
	}
	m.setVector(a[0].reg, m.cells(sum))
	return true
}
