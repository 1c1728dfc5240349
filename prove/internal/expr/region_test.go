package expr

import (
	"math"
	"math/rand/v2"
	"testing"
)

// evaluate returns the value of the node a if the input of the expression has the given bits.
func evaluate(g *Graph, a Node, bits uint64) uint64 {
	n := g.nodes[a]
	mask := ^uint64(0) >> (64 - 8*uint(n.width))
	var in [3]uint64
	var x [3]float64
	for i, o := range [3]Node{n.a, n.b, n.c} {
		if o != 0 {
			in[i] = evaluate(g, o, bits)
			x[i] = value(&node{width: g.nodes[o].width, key: in[i]})
		}
	}
	switch n.op {
	case Const:
		return n.key
	case Input:
		return bits
	case IAdd:
		return (in[0] + in[1]) & mask
	case Neg:
		return in[0] ^ 1<<(8*n.width-1)
	case ScaleF:
		return bitsFrom(n.width, scale(n.width, x[0], int(n.key)))
	}
	i := instruction{op: n.op, width: n.width, key: n.key}
	return bitsFrom(n.width, floatOperation(&i)(x[0], x[1], x[2]))
}

// inRange reports whether the value range v contains the exact value.
func inRange(v, exact valueRange, width uint8) bool {
	switch v.state {
	case unknown:
		return true
	case fixed:
		return exact.state == fixed && exact.bits == v.bits
	case float:
		x := value(&node{width: width, key: exact.bits})
		return exact.state == fixed && v.low <= x && x <= v.high
	case integer:
		return exact.state == fixed && v.first <= exact.bits && exact.bits <= v.last
	}
	return exact.state == v.state
}

// TestRegions builds random expressions of one variable. It compares the known range of each
// expression in a region with the values of the expression at points of the region. It also
// rebuilds each expression with a builder for the region. The rebuilt expression must have the
// values of the original expression at these points.
func TestRegions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	states, built := map[state]int{}, 0
	for range 2500 {
		width := []int{4, 8}[rng.IntN(2)]
		g := New()
		number := func(x float64) Node { return g.Const(width, bitsFrom(uint8(width), x)) }
		x := g.Input(width, 1, 0)
		floats, conditions := []Node{x, number(1), number(0), number(-0.5), number(3)}, []Node{}
		magic := number(map[int]float64{4: 0x1.8p21, 8: 0x1.8p49}[width])
		sum := g.FMA(x, number(math.Log2E), magic)
		k := g.Sub(sum, magic)
		floats = append(floats, k, g.FMA(g.Neg(k), number(math.Ln2), x), g.FMA(g.Neg(k), number(math.Ln2), x))
		table := []Node{number(1), number(1.2), number(1.4), number(1.7)}
		entry, _ := g.Lookup(table, g.Bitwise(IAnd, sum, g.Const(width, 3)))
		floats = append(floats, entry)
		words := []Node{x, g.ISub(x, number(math.Sqrt2/2)), sum}
		at := func(from []Node) Node { return from[rng.IntN(len(from))] }
		for range 12 {
			p, q := at(floats), at(floats)
			word, by := at(words), g.Const(width, rng.Uint64()>>rng.IntN(64))
			switch rng.IntN(15) {
			case 0, 1:
				floats = append(floats, g.Add(p, q))
			case 2:
				floats = append(floats, g.Sub(p, q))
			case 3:
				floats = append(floats, g.Mul(p, q))
			case 4, 5:
				floats = append(floats, g.FMA(p, q, at(floats)))
			case 6:
				floats = append(floats, g.Neg(p))
			case 7:
				floats = append(floats, g.ScaleF(p, k))
			case 8:
				conditions = append(conditions, g.Lt(p, q), g.Le(q, p), g.Eq(p, p))
			case 9:
				if len(conditions) > 0 {
					floats = append(floats, g.Select(at(conditions), p, q))
				}
			case 10:
				words = append(words, g.IAdd(word, by), g.ISub(word, by))
			case 11:
				top := g.Const(width, 1<<rng.IntN(8*width)-1)
				words = append(words, g.Bitwise(IAnd, word, top), g.Bitwise(IAnd, word, g.Bitwise(IXor, top, g.Const(width, ^uint64(0)))), g.Bitwise(IXor, word, by))
			case 12:
				words = append(words, g.Shift([]Op{IShr, ISar}[rng.IntN(2)], word, rng.IntN(8*width)))
			case 13:
				floats = append(floats, word)
			case 14:
				conditions = append(conditions, g.Nonzero(word), g.Greater(word, by))
				floats = append(floats, g.FromInt(width, word))
			}
		}
		all := append(append(floats, words...), conditions...)
		tm := compile(g, x)
		var places []int32
		for _, n := range all {
			places = append(places, tm.addNode(n))
		}
		tm.allocateRanges()
		for range 6 {
			low := orderOf(bitsFrom(uint8(width), rng.NormFloat64()*math.Ldexp(1, rng.IntN(60)-20)), width)
			high := low + rng.Int64N(1<<rng.IntN(8*width-12)+1)
			if low < 0 {
				high = min(high, -1)
			}
			high = min(high, tm.infinity())
			tm.setRegion(low, high)
			known := make([]valueRange, len(tm.code))
			for _, i := range places {
				known[i] = tm.eval(i)
			}
			b := builder{tm, New(), map[int32]Node{}, map[int32]signedNode{}}
			written := make([]Node, len(tm.code))
			for _, i := range places {
				if tm.code[i].width > 1 && known[i].state != unknown && known[i].state != isNaN {
					written[i] = b.build(i)
				}
			}
			for range 5 {
				point := low + rng.Int64N(high-low+1)
				tm.setRegion(point, point)
				for n, i := range places {
					exact := tm.eval(i)
					states[known[i].state]++
					if !inRange(known[i], exact, tm.code[i].width) {
						t.Fatalf("%s is %+v in the region, and %+v at %#x", g.text(all[n], 9), known[i], exact, bitsAt(point, width))
					}
					if w := written[i]; w != 0 && exact.state == fixed {
						built++
						if got := evaluate(b.target, w, bitsAt(point, width)); got != exact.bits {
							t.Fatalf("%s is written as %s, which is %#x at %#x, want %#x", g.text(all[n], 9), b.target.text(w, 9), got, bitsAt(point, width), exact.bits)
						}
					}
				}
			}
		}
	}
	for s := unknown; s <= no; s++ {
		if states[s] < 200 {
			t.Errorf("state %d was met %d times", s, states[s])
		}
	}
	if built < 50_000 {
		t.Errorf("only %d expressions were written", built)
	}
}

// TestPath checks that Advance visits every path through branches once.
func TestPath(t *testing.T) {
	g := New()
	a, b, c := g.Lt(g.Input(8, 1, 0), g.Const(8, 0)), g.Lt(g.Input(8, 1, 1), g.Const(8, 0)), g.Lt(g.Input(8, 1, 2), g.Const(8, 0))
	seen := map[[3]bool]int{}
	g.Path = &Path{}
	for {
		var way [3]bool
		if way[0] = g.Path.Choose(g, a); way[0] {
			way[1] = g.Path.Choose(g, b)
		}
		if way[2] = g.Path.Choose(g, c); g.Path.Choose(g, g.Not(a)) == way[0] || g.Path.Choose(g, c) != way[2] {
			t.Fatalf("%v: a condition has two values", way)
		}
		seen[way]++
		x := g.Input(8, 1, 0)
		if got := g.Equal(g.Select(a, x, g.Neg(x)), x); got != way[0] {
			t.Errorf("%v: proved %v", way, got)
		}
		if !g.Path.Advance() {
			break
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d paths, want 6: %v", len(seen), seen)
	}
	for way, n := range seen {
		if n != 1 {
			t.Errorf("%v: %d times", way, n)
		}
	}
}
