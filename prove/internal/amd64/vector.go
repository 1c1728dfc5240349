package amd64

import (
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
)

// moves lists the instructions that move vectors. The value is the number of 4-byte cells of an element.
var moves = map[string]int{
	"vmovupd": 2, "vmovapd": 2, "vmovdqu64": 2, "vmovdqa64": 2,
	"vmovups": 1, "vmovaps": 1, "vmovdqu": 1, "vmovdqa": 1, "vmovdqu32": 1,
}

// step runs one instruction.
func (m *machine) step(i *inst) {
	if (i.op[0] == 'v' && i.op != "vzeroupper" || !m.runGeneral(i)) && !m.runFloat(i) && !m.runShuffle(i) && !m.runLogic(i) && !m.runNarrow(i.op, i.args, &i.args[len(i.args)-1]) {
		m.fail("%w", code.ErrUnknown)
	}
}

// runFloat runs a floating-point instruction, a move or a conversion. It returns false for other
// instructions.
func (m *machine) runFloat(i *inst) bool {
	a, op := i.args, i.op
	dst := &a[len(a)-1]
	if f := i.match[fused]; f != nil {
		w := elementCells(f[5])
		n := packedCells(f[4], w, dst)
		third, second, first := m.source(&a[0], dst, n, w), m.v[a[1].reg][:n:n], m.v[dst.reg][:n:n]
		x, y, z := first, third, second // form 132: dst·third + second
		switch f[3] {
		case "213":
			x, y, z = second, first, third
		case "231":
			x, y, z = second, third, first
		}
		out := m.mapLanes(w, func(v ...expr.Node) expr.Node {
			x, z := v[0], v[2]
			if f[1] == "n" {
				x = m.g.Neg(x)
			}
			if f[2] == "sub" {
				z = m.g.Neg(z)
			}
			return m.g.FMA(x, v[1], z)
		}, x, y, z)
		m.setVector(dst, m.keepUpper(f[4], out, m.v[dst.reg][:]), w)
		return true
	}
	if f := i.match[arithmetic]; f != nil {
		w := elementCells(f[3])
		n := packedCells(f[2], w, dst)
		out := m.mapLanes(w, func(v ...expr.Node) expr.Node {
			switch f[1] {
			case "add":
				return m.g.Add(v[0], v[1])
			case "sub":
				return m.g.Sub(v[0], v[1])
			case "mul":
				return m.g.Mul(v[0], v[1])
			case "sqrt":
				return m.g.Sqrt(v[1])
			}
			return m.g.Div(v[0], v[1])
		}, m.v[a[1].reg][:n:n], m.source(&a[0], dst, n, w))
		m.setVector(dst, m.keepUpper(f[2], out, m.v[a[1].reg][:]), w)
		return true
	}
	if w, ok := moves[op]; ok {
		if dst.kind == location {
			m.setVector(dst, m.v[a[0].reg][:a[0].width/4], w)
		} else {
			m.setVector(dst, m.source(&a[0], dst, dst.width/4, w), w)
		}
		return true
	}
	switch op {
	case "vmovsd", "vmovss":
		w := elementCells(op[5:])
		switch {
		case dst.kind == location:
			m.setVector(dst, m.v[a[0].reg][:w], w)
		case len(a) == 2:
			m.setVector(dst, m.load(m.addressOf(&a[0]), w), w)
		default:
			m.setVector(dst, m.keepUpper("s", m.v[a[0].reg][:w:w], m.v[a[1].reg][:]), w)
		}
	case "vmovq", "vmovd":
		w := elementCells(map[string]string{"vmovq": "d", "vmovd": "s"}[op])
		switch {
		case dst.kind == vector && a[0].kind == vector:
			m.setVector(dst, m.v[a[0].reg][:w:w], w)
		case dst.kind == vector && a[0].kind == register:
			v := m.concreteRegister(a[0].reg)
			m.setVector(dst, []expr.Node{m.g.Const(4, v), m.g.Const(4, v>>32)}[:w], w)
		case dst.kind == vector:
			m.setVector(dst, m.load(m.addressOf(&a[0]), w), w)
		case dst.kind == location:
			m.store(m.addressOf(dst), m.v[a[0].reg][:w])
		case dst.kind == register && w == 2:
			m.setSymbolic(dst, m.joinCells(m.v[a[0].reg][:w]))
		default:
			return false
		}
	case "vmaskmovpd", "vmaskmovps":
		w := elementCells(op[9:])
		sel := m.v[a[1].reg]
		n := a[1].width / 4
		var on []bool
		for e := 0; e < n; e += w {
			b, ok := m.g.Bits(sel[e+w-1])
			if !ok {
				m.fail("%w: a mask that depends on the data", code.ErrUnknown)
			}
			on = append(on, b>>31 != 0)
		}
		if dst.kind == location {
			for e, b := range on {
				if b {
					m.store(m.addressOf(dst)+uint64(4*w*e), m.v[a[0].reg][e*w:e*w+w])
				}
			}
			break
		}
		var out []expr.Node
		for e, b := range on {
			if b {
				out = append(out, m.load(m.addressOf(&a[0])+uint64(4*w*e), w)...)
			} else {
				out = append(out, m.zeros(w)...)
			}
		}
		m.setVector(dst, out, w)
	case "vpmovqd": // keeps the low half of every element
		var out []expr.Node
		for _, n := range [][]expr.Node{m.v[a[0].reg][:a[0].width/4]} {
			for e := 0; e < len(n); e += 2 {
				out = append(out, n[e])
			}
		}
		m.setVector(dst, out, 1)
	case "vpmovqb": // keeps the lowest byte of every element
		var out, bytes []expr.Node
		for e := 0; e < a[0].width/4; e += 2 {
			if bytes = append(bytes, m.v[a[0].reg][e]); len(bytes) == 4 {
				out, bytes = append(out, m.g.JoinBits(bytes...)), nil
			}
		}
		m.setVector(dst, out, 1)
	case "vcvtps2pd":
		x := m.source(&a[0], dst, dst.width/8, 1)
		m.setVector(dst, m.mapElements(x, m.g.Widen), 2)
	case "vcvtss2sd":
		x := m.source(&a[0], nil, 1, 1)
		m.setVector(dst, m.keepUpper("s", m.mapElements(x, m.g.Widen), m.v[a[1].reg][:]), 2)
	case "vcvtpd2ps", "vcvtpd2psx", "vcvtpd2psy":
		n := a[0].width / 4
		if a[0].kind == location {
			n = map[byte]int{'x': 4, 'y': 8}[op[len(op)-1]]
		}
		out := m.mapLanes(2, func(v ...expr.Node) expr.Node { return m.g.Narrow(v[0]) }, m.source(&a[0], dst, n, 2))
		m.setVector(dst, out, 1)
	case "vxorps", "vxorpd", "vpxor", "vpxord", "vpxorq":
		w := 1
		if op == "vxorpd" || op == "vpxorq" {
			w = 2
		}
		x, y := m.source(&a[0], dst, dst.width/4, w), m.v[a[1].reg][:dst.width/4]
		m.setVector(dst, m.mapLanes(w, func(v ...expr.Node) expr.Node { return m.g.Bitwise(expr.IXor, v[0], v[1]) }, x, y), w)
	default:
		return false
	}
	return true
}

func elementCells(suffix string) int {
	if strings.HasPrefix(suffix, "d") {
		return 2
	}
	return 1
}

func packedCells(suffix string, w int, dst *operand) int {
	if suffix == "s" {
		return w
	}
	return dst.width / 4
}

// keepUpper completes the result of a scalar instruction with the upper cells of its first source.
func (m *machine) keepUpper(suffix string, out, first []expr.Node) []expr.Node {
	if suffix == "s" {
		return append(out[:len(out):len(out)], first[len(out):4]...)
	}
	return out
}

func (m *machine) zeros(n int) []expr.Node {
	out := make([]expr.Node, n)
	for i := range out {
		out[i] = m.zero
	}
	return out
}

func (m *machine) mapElements(x []expr.Node, f func(expr.Node) expr.Node) (out []expr.Node) {
	for _, c := range x {
		out = append(out, m.cells(f(c))...)
	}
	return out
}

// runShuffle runs an instruction that moves elements within and between vectors. It returns false
// for other instructions.
func (m *machine) runShuffle(i *inst) bool {
	a, op := i.args, i.op
	dst := &a[len(a)-1]
	im := 0
	if a[0].kind == immediate {
		im = int(a[0].value & 255)
	}
	n := dst.width / 4
	reg := func(j int) []expr.Node { return m.v[a[j].reg][:] }
	var out []expr.Node
	pick := func(w int, from []expr.Node, e int) { out = append(out, from[e*w:e*w+w]...) }
	w := 1
	switch op {
	case "vbroadcastsd", "vbroadcastss", "vpbroadcastq", "vpbroadcastd":
		w = elementCells(op[len(op)-1:])
		if op == "vpbroadcastq" {
			w = 2
		}
		if op == "vpbroadcastd" {
			w = 1
		}
		var e []expr.Node
		switch a[0].kind {
		case vector:
			e = reg(0)[:w]
		case register:
			v := m.concreteRegister(a[0].reg)
			e = []expr.Node{m.g.Const(4, v), m.g.Const(4, v>>32)}[:w]
		default:
			e = m.load(m.addressOf(&a[0]), w)
		}
		for len(out) < n {
			out = append(out, e...)
		}
	case "vbroadcastf128", "vbroadcasti128":
		e := m.load(m.addressOf(&a[0]), 4)
		for len(out) < n {
			out = append(out, e...)
		}
	case "vperm2f128", "vperm2i128":
		second, first := m.source(&a[1], nil, 8, 4), reg(2)
		for _, c := range []int{im & 15, im >> 4} {
			from := first
			if c&2 != 0 {
				from = second
			}
			if c&8 != 0 {
				from = m.zeros(8)
			}
			pick(4, from, c&1)
		}
	case "vunpcklpd", "vunpckhpd", "vunpcklps", "vunpckhps":
		w = elementCells(op[len(op)-1:])
		per := 4 / w // elements in 16 bytes
		h := 0
		if strings.Contains(op, "pckh") {
			h = per / 2
		}
		second, first := m.source(&a[0], nil, n, w), reg(1)
		for b := 0; b < n/w; b += per {
			for e := range per / 2 {
				pick(w, first, b+h+e)
				pick(w, second, b+h+e)
			}
		}
	case "vextractf128", "vextracti128":
		m.setVector(dst, reg(1)[4*im:4*im+4], 1)
		return true
	case "vextractf64x4", "vextracti64x4":
		m.setVector(dst, reg(1)[8*im:8*im+8], 2)
		return true
	case "vinsertf128", "vinserti128":
		out = append(out, reg(2)[:8]...)
		copy(out[4*im:], m.source(&a[1], nil, 4, 4))
	case "vinsertps":
		var e expr.Node
		if a[1].kind == location {
			e = m.load(m.addressOf(&a[1]), 1)[0]
		} else {
			e = reg(1)[im>>6]
		}
		out = append(out, reg(2)[:4]...)
		out[im>>4&3] = e
		for j := range 4 {
			if im>>j&1 != 0 {
				out[j] = m.zero
			}
		}
	case "vmovhpd":
		if dst.kind == location {
			m.store(m.addressOf(dst), reg(0)[2:4])
			return true
		}
		out = append(append(out, reg(1)[:2]...), m.load(m.addressOf(&a[0]), 2)...)
	case "vshuff64x2", "vshufi64x2":
		second, first := m.source(&a[1], nil, n, 2), reg(2)
		w = 2
		if n == 8 {
			pick(4, first, im&1)
			pick(4, second, im>>1&1)
			break
		}
		pick(4, first, im&3)
		pick(4, first, im>>2&3)
		pick(4, second, im>>4&3)
		pick(4, second, im>>6&3)
	case "vpermpd", "vpermq":
		if a[0].kind != immediate {
			return m.runPermute(a, dst, 2)
		}
		w = 2
		x := m.source(&a[1], nil, n, 2)
		for b := 0; b < n/2; b += 4 {
			for e := range 4 {
				pick(2, x, b+im>>(2*e)&3)
			}
		}
	case "vpermps", "vpermd":
		return m.runPermute(a, dst, 1)
	case "vpermilpd":
		if a[0].kind != immediate {
			return false
		}
		w = 2
		x := m.source(&a[1], nil, n, 2)
		for e := range n / 2 {
			pick(2, x, e&^1+im>>e&1)
		}
	case "vpermilps", "vpshufd":
		if a[0].kind != immediate && op == "vpshufd" {
			return false
		} else if a[0].kind != immediate {
			x, index := reg(1), m.source(&a[0], nil, n, 1)
			for e := range n {
				out = append(out, m.pickElement(x[e&^3:e&^3+4], index[e], 1)...)
			}
			break
		}
		x := m.source(&a[1], nil, n, 1)
		for b := 0; b < n; b += 4 {
			for e := range 4 {
				pick(1, x, b+im>>(2*e)&3)
			}
		}
	case "vshufps":
		second, first := m.source(&a[1], nil, n, 1), reg(2)
		for b := 0; b < n; b += 4 {
			pick(1, first, b+im&3)
			pick(1, first, b+im>>2&3)
			pick(1, second, b+im>>4&3)
			pick(1, second, b+im>>6&3)
		}
	case "vmovshdup":
		x := m.source(&a[0], nil, n, 1)
		for e := range n {
			pick(1, x, e|1)
		}
	case "vblendps", "vpblendd", "vblendpd":
		if op == "vblendpd" {
			w = 2
		}
		second, first := m.source(&a[1], nil, n, w), reg(2)
		for e := range n / w {
			if im>>e&1 != 0 {
				pick(w, second, e)
			} else {
				pick(w, first, e)
			}
		}
	default:
		return false
	}
	m.setVector(dst, out, w)
	return true
}

// runPermute runs a permutation with indices in a register.
func (m *machine) runPermute(a []operand, dst *operand, w int) bool {
	n := dst.width / 4
	x := m.source(&a[0], nil, n, w)
	var out []expr.Node
	for e := 0; e < n; e += w {
		out = append(out, m.pickElement(x, m.joinCells(m.v[a[1].reg][e:e+w]), w)...)
	}
	m.setVector(dst, out, w)
	return true
}

// pickElement returns the element of x at an index. Each element consists of w cells of 4 bytes.
func (m *machine) pickElement(x []expr.Node, index expr.Node, w int) []expr.Node {
	last := uint64(len(x)/w - 1)
	var table []expr.Node
	for e := 0; e < len(x); e += w {
		table = append(table, m.joinCells(x[e:e+w]))
	}
	if b, ok := m.g.Bits(index); ok {
		return m.cells(table[b&last])
	}
	n, ok := m.g.Lookup(table, m.g.Bitwise(expr.IAnd, index, m.g.Const(4*w, last)))
	if !ok {
		m.fail("%w: a permutation of data by data", code.ErrUnknown)
	}
	return m.cells(n)
}
