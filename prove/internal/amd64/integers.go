package amd64

import (
	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
)

// runSmallIntegers runs an instruction that counts bits, or that adds or multiplies integers of one
// or two bytes. It returns false for other instructions.
func (m *machine) runSmallIntegers(op string, a []operand, dst *operand) bool {
	g, n := m.g, dst.width/4
	// sources returns the 4-byte cells of the two source operands.
	sources := func() (x, y []expr.Node) { return m.v[a[1].reg][:n:n], m.source(&a[0], nil, n, 1) }
	// cells applies f to every 4-byte cell of the two sources and of the destination.
	cells := func(f func(x, y, z expr.Node) expr.Node) {
		x, y := sources()
		m.setVector(dst, m.mapLanes(1, func(c ...expr.Node) expr.Node { return f(c[0], c[1], c[2]) }, x, y, m.v[dst.reg][:n:n]), 1)
	}
	// parts applies f to every element of the two sources. The element size is in bits.
	parts := func(size int, f func(x, y expr.Node) expr.Node) {
		cells(func(x, y, _ expr.Node) expr.Node {
			var out []expr.Node
			for at := 0; at < 32; at += size {
				out = append(out, f(g.ExtractBits(x, at, size), g.ExtractBits(y, at, size)))
			}
			return g.JoinBits(out...)
		})
	}
	// widened zero-extends or sign-extends the source elements from one size in bytes to a larger
	// size.
	widened := func(from, to int, signed bool) {
		var all []expr.Node
		for _, c := range m.source(&a[0], nil, n*from/to, 1) {
			for at := 0; at < 32; at += 8 * from {
				e := g.ExtractBits(c, at, 8*from)
				if signed {
					e = g.SignExtend(e, 8*from)
				}
				all = append(all, e)
			}
		}
		var out []expr.Node
		for ; len(all) > 0; all = all[4/to:] {
			out = append(out, g.JoinBits(all[:4/to]...))
		}
		m.setVector(dst, out, 1)
	}
	words := func(x, y expr.Node) expr.Node { // the sum of the two products of signed 16-bit elements
		product := func(at int) expr.Node {
			return g.IMul(g.SignExtend(g.ExtractBits(x, at, 16), 16), g.SignExtend(g.ExtractBits(y, at, 16), 16))
		}
		return g.IAdd(product(0), product(16))
	}
	bytes := func(x, y expr.Node, at int) expr.Node { // the product of an unsigned byte of x and a signed byte of y
		return g.IMul(g.ExtractBits(x, at, 8), g.SignExtend(g.ExtractBits(y, at, 8), 8))
	}
	switch op {
	case "vpmovsxbw":
		widened(1, 2, true)
	case "vpmovzxbw":
		widened(1, 2, false)
	case "vpmovzxbd":
		widened(1, 4, false)
	case "vpmovsxwd":
		widened(2, 4, true)
	case "vpaddb":
		parts(8, g.IAdd)
	case "vpsubb":
		parts(8, g.ISub)
	case "vpabsb", "vpabsd":
		size := map[byte]int{'b': 8, 'd': 32}[op[5]]
		m.setVector(dst, m.mapElements(m.source(&a[0], nil, n, 1), func(c expr.Node) expr.Node {
			var out []expr.Node
			for at := 0; at < 32; at += size {
				out = append(out, g.IAbs(g.SignExtend(g.ExtractBits(c, at, size), size)))
			}
			return g.JoinBits(out...)
		}), 1)
	case "vpmulld":
		cells(func(x, y, _ expr.Node) expr.Node { return g.IMul(x, y) })
	case "vpmaddwd":
		cells(func(x, y, _ expr.Node) expr.Node { return words(x, y) })
	case "vpdpwssd":
		cells(func(x, y, z expr.Node) expr.Node { return g.IAdd(z, words(x, y)) })
	case "vpdpbusd":
		cells(func(x, y, z expr.Node) expr.Node {
			for at := 0; at < 32; at += 8 {
				z = g.IAdd(z, bytes(x, y, at))
			}
			return z
		})
	case "vpmaddubsw":
		cells(func(x, y, _ expr.Node) expr.Node {
			var out []expr.Node
			for at := 0; at < 32; at += 16 {
				out = append(out, m.saturated(g.IAdd(bytes(x, y, at), bytes(x, y, at+8))))
			}
			return g.JoinBits(out...)
		})
	case "vpsadbw":
		x, y := sources()
		var out []expr.Node
		for c := 0; c < n; c += 2 {
			sum := m.zero
			for k := range 8 {
				p, q := g.ExtractBits(x[c+k/4], 8*(k%4), 8), g.ExtractBits(y[c+k/4], 8*(k%4), 8)
				if b, ok := g.Bits(q); !ok || b != 0 {
					p = g.IAbs(g.ISub(p, q))
				}
				sum = g.IAdd(sum, p)
			}
			out = append(out, sum, m.zero)
		}
		m.setVector(dst, out, 2)
	case "vpopcntq", "vpopcntd":
		w := map[byte]int{'d': 1, 'q': 2}[op[7]]
		m.setVector(dst, m.mapLanes(w, func(c ...expr.Node) expr.Node { return g.Popcount(4*w, c[0]) }, m.source(&a[0], nil, n, w)), w)
	default:
		return false
	}
	return true
}

// saturated returns a sum of two products, saturated to signed 16 bits. If the sum is not a
// constant, its bounds must be within 16 bits, so that saturation does not change the sum.
func (m *machine) saturated(sum expr.Node) expr.Node {
	if v, ok := m.g.Bits(sum); ok {
		return m.g.Const(4, uint64(min(max(int64(int32(v)), -1<<15), 1<<15-1)))
	}
	if low, high, ok := m.g.Bounds(sum); !ok || low < -1<<15 || high >= 1<<15 {
		m.fail("%w: a sum that may saturate, from %d to %d", code.ErrUnknown, low, high)
	}
	return sum
}
