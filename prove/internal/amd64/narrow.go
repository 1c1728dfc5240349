package amd64

import (
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
)

// runNarrow runs an instruction on elements of one or two bytes, or a conversion of 4-byte integers
// to float32. It returns false for other instructions.
func (m *machine) runNarrow(op string, a []operand, dst *operand) bool {
	if dst.kind != vector || dst.mask >= 0 {
		return false
	}
	g, n := m.g, dst.width/4
	words := func(f func(x, y expr.Node) expr.Node) { // applies f to every 16-bit element
		x, y := m.v[a[1].reg][:n:n], m.source(&a[0], nil, n, 1)
		m.setVector(dst, m.mapLanes(1, func(c ...expr.Node) expr.Node {
			return g.JoinBits(f(g.ExtractBits(c[0], 0, 16), g.ExtractBits(c[1], 0, 16)), f(g.ExtractBits(c[0], 16, 16), g.ExtractBits(c[1], 16, 16)))
		}, x, y), 1)
	}
	// widened extends elements of 8 or 16 bits to 4 bytes.
	widened := func(size int, f func(expr.Node) expr.Node) {
		var out []expr.Node
		for _, c := range m.source(&a[0], nil, n*size/32, 1) {
			for at := 0; at < 32; at += size {
				out = append(out, f(g.ExtractBits(c, at, size)))
			}
		}
		m.setVector(dst, out, 1)
	}
	if m.runSmallIntegers(op, a, dst) {
		return true
	}
	switch op {
	case "vpmovzxwd":
		widened(16, func(x expr.Node) expr.Node { return x })
	case "vpmovsxbd":
		widened(8, func(x expr.Node) expr.Node { return g.SignExtend(x, 8) })
	case "vcvtph2ps":
		widened(16, g.FromHalf)
	case "vcvtps2ph": // rounds to nearest
		if a[0].value != 0 {
			return false
		}
		var out []expr.Node
		for x := m.v[a[1].reg][:a[1].width/4]; len(x) > 0; x = x[2:] {
			out = append(out, g.JoinBits(g.ToHalf(x[0]), g.ToHalf(x[1])))
		}
		m.setVector(dst, out, 1)
	case "vcvtdq2ps":
		m.setVector(dst, m.mapElements(m.source(&a[0], nil, n, 1), func(x expr.Node) expr.Node { return g.FromInt(4, x) }), 1)
	case "vpaddw":
		words(func(x, y expr.Node) expr.Node { return g.Add16(x, y, 1) })
	case "vpsubw":
		words(func(x, y expr.Node) expr.Node { return g.Add16(x, y, ^uint16(0)) })
	case "vpsllw", "vpsrlw":
		if a[0].kind != immediate || a[0].value > 15 {
			return false
		}
		by := int(a[0].value)
		shifted := func(x expr.Node) expr.Node {
			if op == "vpsllw" {
				return g.Multiply16(x, 1<<by)
			}
			return g.Shift(expr.IShr, x, by)
		}
		m.setVector(dst, m.mapElements(m.source(&a[1], nil, n, 1), func(c expr.Node) expr.Node {
			return g.JoinBits(shifted(g.ExtractBits(c, 0, 16)), shifted(g.ExtractBits(c, 16, 16)))
		}), 1)
	case "vpunpcklwd", "vpunpckhwd":
		second, first := m.source(&a[0], nil, n, 1), m.v[a[1].reg][:n:n]
		var out []expr.Node
		for b := 0; b < n; b += 4 {
			from := b
			if strings.Contains(op, "pckh") {
				from += 2
			}
			for c := from; c < from+2; c++ {
				for at := 0; at < 32; at += 16 {
					out = append(out, g.JoinBits(g.ExtractBits(first[c], at, 16), g.ExtractBits(second[c], at, 16)))
				}
			}
		}
		m.setVector(dst, out, 1)
	case "vpshufb":
		index, table := m.source(&a[0], nil, n, 1), m.v[a[1].reg][:n:n]
		var out []expr.Node
		for b := 0; b < n; b += 4 {
			var entries []expr.Node
			for _, c := range table[b : b+4] {
				for at := 0; at < 32; at += 8 {
					entries = append(entries, g.ExtractBits(c, at, 8))
				}
			}
			for _, c := range index[b : b+4] {
				var bytes [4]expr.Node
				for k := range bytes {
					bytes[k] = m.pickByte(entries, g.ExtractBits(c, 8*k, 8))
				}
				out = append(out, g.JoinBits(bytes[:]...))
			}
		}
		m.setVector(dst, out, 1)
	default:
		return false
	}
	return true
}

// pickByte returns the table entry that the low 4 bits of an index byte select. It returns 0 if the
// highest bit of the index byte is set.
func (m *machine) pickByte(entries []expr.Node, index expr.Node) expr.Node {
	if i, ok := m.g.Bits(index); ok {
		if i&0x80 != 0 {
			return m.zero
		}
		return entries[i&15]
	}
	if m.g.BitLength(index) > 4 {
		m.fail("%w: an index that may have more than 4 bits", code.ErrUnknown)
	}
	return m.g.Pick(entries[:1<<m.g.BitLength(index)], index)
}

// maxTable bounds the number of entries of a memory table whose index depends on the data.
const maxTable = 256

// loadTableEntry loads a memory operand whose index register depends on the data. The result is a
// choice among all entries that the index can reach. All these entries must be readable.
func (m *machine) loadTableEntry(o *operand, cells int) []expr.Node {
	low, high := m.g.Halves(m.symbolic[o.index])
	size := m.g.BitLength(low)
	if b, ok := m.g.Bits(high); !ok || b != 0 || 1<<size > maxTable || cells > 2 || o.relative {
		m.fail("%w: an address that depends on the data", code.ErrUnknown)
	}
	base := o.value
	if o.base >= 0 {
		base += m.concreteRegister(o.base)
	}
	var table []expr.Node
	for i := range uint64(1) << size {
		table = append(table, m.joinCells(m.load(base+i*o.scale, cells)))
	}
	return m.cells(m.g.Pick(table, low))
}

// runMovzbl runs movzbl between registers. It returns false for other operands.
func (m *machine) runMovzbl(a []operand, dst *operand) bool {
	if a[0].kind != register || dst.kind != register || dst.width != 4 {
		return false
	}
	if m.symbolic[a[0].reg] == 0 {
		m.setInteger(dst, m.integer(&a[0], 1), 4)
		return true
	}
	at := 0
	if a[0].high {
		at = 8
	}
	low, _ := m.g.Halves(m.symbolic[a[0].reg])
	m.setSymbolic(dst, m.g.Join(m.g.ExtractBits(low, at, 8), m.zero))
	return true
}
