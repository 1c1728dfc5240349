package amd64

import (
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
)

// narrow runs an instruction on elements of one or two bytes, or a conversion from them, and
// reports whether it is one.
func (m *machine) narrow(op string, a []operand, dst *operand) bool {
	if dst.kind != vector || dst.mask >= 0 {
		return false
	}
	g, n := m.g, dst.width/4
	words := func(f func(x, y expr.Node) expr.Node) { // 16 bits at a time
		x, y := m.v[a[1].reg][:n:n], m.source(&a[0], nil, n, 1)
		m.put(dst, m.lanes(1, func(c ...expr.Node) expr.Node {
			return g.Parts(f(g.Part(c[0], 0, 16), g.Part(c[1], 0, 16)), f(g.Part(c[0], 16, 16), g.Part(c[1], 16, 16)))
		}, x, y), 1)
	}
	// widened makes 4 bytes of each of the smaller elements of the source.
	widened := func(size int, f func(expr.Node) expr.Node) {
		var out []expr.Node
		for _, c := range m.source(&a[0], nil, n*size/32, 1) {
			for at := 0; at < 32; at += size {
				out = append(out, f(g.Part(c, at, size)))
			}
		}
		m.put(dst, out, 1)
	}
	if m.smallIntegers(op, a, dst) {
		return true
	}
	switch op {
	case "vpmovzxwd":
		widened(16, func(x expr.Node) expr.Node { return x })
	case "vpmovsxbd":
		widened(8, func(x expr.Node) expr.Node { return g.Signed(x, 8) })
	case "vcvtph2ps":
		widened(16, g.FromHalf)
	case "vcvtps2ph": // to nearest
		if a[0].value != 0 {
			return false
		}
		var out []expr.Node
		for x := m.v[a[1].reg][:a[1].width/4]; len(x) > 0; x = x[2:] {
			out = append(out, g.Parts(g.ToHalf(x[0]), g.ToHalf(x[1])))
		}
		m.put(dst, out, 1)
	case "vcvtdq2ps":
		m.put(dst, m.each(m.source(&a[0], nil, n, 1), func(x expr.Node) expr.Node { return g.FromInt(4, x) }), 1)
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
		m.put(dst, m.each(m.source(&a[1], nil, n, 1), func(c expr.Node) expr.Node {
			return g.Parts(shifted(g.Part(c, 0, 16)), shifted(g.Part(c, 16, 16)))
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
					out = append(out, g.Parts(g.Part(first[c], at, 16), g.Part(second[c], at, 16)))
				}
			}
		}
		m.put(dst, out, 1)
	case "vpshufb":
		index, table := m.source(&a[0], nil, n, 1), m.v[a[1].reg][:n:n]
		var out []expr.Node
		for b := 0; b < n; b += 4 {
			var entries []expr.Node
			for _, c := range table[b : b+4] {
				for at := 0; at < 32; at += 8 {
					entries = append(entries, g.Part(c, at, 8))
				}
			}
			for _, c := range index[b : b+4] {
				var bytes [4]expr.Node
				for k := range bytes {
					bytes[k] = m.entryOf(entries, g.Part(c, 8*k, 8))
				}
				out = append(out, g.Parts(bytes[:]...))
			}
		}
		m.put(dst, out, 1)
	default:
		return false
	}
	return true
}

// entryOf returns the byte of 16 that the low 4 bits of an index say, or 0 if its highest bit is set.
func (m *machine) entryOf(entries []expr.Node, index expr.Node) expr.Node {
	if i, ok := m.g.Bits(index); ok {
		if i&0x80 != 0 {
			return m.zero
		}
		return entries[i&15]
	}
	if m.g.Size(index) > 4 {
		m.fail("%w: an index that may have more than 4 bits", code.ErrUnknown)
	}
	return m.g.Pick(entries[:1<<m.g.Size(index)], index)
}

// maxTable bounds the entries of a table in memory that data select.
const maxTable = 256

// entry loads cells of an operand in memory whose index register depends on the data: those that
// the data select of all that its values can reach. All of them must be readable.
func (m *machine) entry(o *operand, cells int) []expr.Node {
	low, high := m.g.Halves(m.data[o.index])
	size := m.g.Size(low)
	if b, ok := m.g.Bits(high); !ok || b != 0 || 1<<size > maxTable || cells > 2 || o.relative {
		m.fail("%w: an address that depends on the data", code.ErrUnknown)
	}
	base := o.value
	if o.base >= 0 {
		base += m.place(o.base)
	}
	var table []expr.Node
	for i := range uint64(1) << size {
		table = append(table, m.join(m.load(base+i*o.scale, cells)))
	}
	return m.cells(m.g.Pick(table, low))
}

// zeroExtended runs movzbl, of a register to another, and reports whether it could.
func (m *machine) zeroExtended(a []operand, dst *operand) bool {
	if a[0].kind != register || dst.kind != register || dst.width != 4 {
		return false
	}
	if m.data[a[0].reg] == 0 {
		m.setInteger(dst, m.integer(&a[0], 1), 4)
		return true
	}
	at := 0
	if a[0].high {
		at = 8
	}
	low, _ := m.g.Halves(m.data[a[0].reg])
	m.setData(dst, m.g.Join(m.g.Part(low, at, 8), m.zero))
	return true
}
