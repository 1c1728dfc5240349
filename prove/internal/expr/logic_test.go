package expr

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sample holds values of inputs, and evaluates expressions without simplifying them.
type sample struct {
	*Graph
	values map[Node]uint64
}

func (s sample) list(n node) (out []uint64) {
	for _, o := range s.lists[n.key] {
		out = append(out, s.valueOf(Node(o)))
	}
	return out
}

func (s sample) valueOf(a Node) uint64 {
	n := s.nodes[a]
	if n.op == Const {
		return n.key
	}
	if v, ok := s.values[a]; ok {
		return v
	}
	mask := ^uint64(0) >> (64 - 8*uint(n.width))
	bit := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	number := func(a Node) float64 { return value(&node{width: s.nodes[a].width, key: s.valueOf(a)}) }
	switch n.op {
	case Lt:
		return bit(number(n.a) < number(n.b))
	case Le:
		return bit(number(n.a) <= number(n.b))
	case Eq:
		return bit(number(n.a) == number(n.b))
	case Not:
		return 1 - s.valueOf(n.a)
	case And:
		for _, v := range s.list(n) {
			if v == 0 {
				return 0
			}
		}
		return 1
	case Select:
		if s.valueOf(n.c) != 0 {
			return s.valueOf(n.a)
		}
		return s.valueOf(n.b)
	case IAdd:
		return (s.valueOf(n.a) + s.valueOf(n.b)) & mask
	case ISub:
		return (s.valueOf(n.a) - s.valueOf(n.b)) & mask
	case IAnd:
		return s.valueOf(n.a) & s.valueOf(n.b)
	case IOr:
		return s.valueOf(n.a) | s.valueOf(n.b)
	case IXor:
		return s.valueOf(n.a) ^ s.valueOf(n.b)
	case Neg:
		return s.valueOf(n.a) ^ 1<<(8*n.width-1)
	case IShl, IShr, ISar:
		return shift(n.op, s.valueOf(n.a), int(n.key), int(n.width)) & mask
	case IMaxS:
		x, y := s.valueOf(n.a), s.valueOf(n.b)
		if signed(x, int(n.width)) > signed(y, int(n.width)) {
			return x
		}
		return y
	case IMaxU:
		return max(s.valueOf(n.a), s.valueOf(n.b))
	case IGt:
		w := int(s.nodes[n.a].width)
		return bit(signed(s.valueOf(n.a), w) > signed(s.valueOf(n.b), w))
	case INz:
		return bit(s.valueOf(n.a) != 0)
	case Extend:
		return uint64(signed(s.valueOf(n.a), 4))
	case Sum:
		list := s.lists[n.key]
		v := list[0]
		for i := 1; i < len(list); i += 2 {
			v += s.valueOf(Node(list[i])) * list[i+1]
		}
		return v & mask
	case Low:
		return s.valueOf(n.a) & 0xffffffff
	case High:
		return s.valueOf(n.a) >> 32
	case Cat:
		return s.valueOf(n.a) | s.valueOf(n.b)<<32
	case Fields:
		var v uint64
		at := 0
		for _, f := range s.fields(a) {
			bits := f.bits
			if f.node != 0 {
				bits = s.valueOf(f.node) >> f.from & (1<<f.length - 1)
			}
			v |= bits << at
			at += f.length
		}
		return v
	case Pick:
		return s.valueOf(Node(s.lists[n.key][1+s.valueOf(n.a)]))
	case Lookup:
		return s.lists[n.key][s.valueOf(n.a)]
	case Total:
		list := s.lists[n.key]
		v := list[0]
		for i := 1; i < len(list); i += 2 {
			v += s.valueOf(Node(list[i])) * list[i+1]
		}
		return v & 0xffff
	case Bits:
		var v uint64
		for i, b := range s.list(n) {
			v |= b << i
		}
		return v
	}
	panic(names[n.op])
}

// TestLogic builds random conditions, selections and integers. The constructors of Graph simplify
// these expressions. The test compares the value of each expression with the value that the
// documentation of its constructor defines.
func TestLogic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for range 300 {
		g := New()
		conditions := []Node{g.Bool(true), g.Bool(false)}
		words := []Node{g.Const(4, 0), g.Const(4, 0xffffffff), g.Const(4, 1), g.Const(4, 0x80000000), g.Const(4, 0xff)}
		var inputs []Node
		for i := range 4 {
			inputs = append(inputs, g.Input(4, i, 0))
		}
		words = append(words, inputs...)
		var samples []sample
		for range 12 {
			s := sample{g, map[Node]uint64{}}
			for _, i := range inputs {
				s.values[i] = []uint64{0, 1, 0x80000000, 0x3f800000, 0x7fc00000, 0xffffffff, rng.Uint64() & 0xffffffff}[rng.IntN(7)]
			}
			samples = append(samples, s)
		}
		condition := func() Node { return conditions[rng.IntN(len(conditions))] }
		word := func() Node { return words[rng.IntN(len(words))] }
		for range 60 {
			c, d, x, y := condition(), condition(), word(), word()
			by := rng.IntN(31)
			limit := g.Const(4, []uint64{0, 5, 0x7fffffff, 0xffffffff}[rng.IntN(4)])
			var got Node
			var want func(s sample) uint64
			either := func(b bool, x, y uint64) uint64 {
				if b {
					return x
				}
				return y
			}
			switch rng.IntN(16) {
			case 0:
				got, want = g.Lt(x, y), func(s sample) uint64 { return s.valueOf(g.make(node{op: Lt, width: 1, a: x, b: y})) }
			case 1:
				got, want = g.Le(x, y), func(s sample) uint64 { return s.valueOf(g.make(node{op: Le, width: 1, a: x, b: y})) }
			case 2:
				got, want = g.Eq(x, y), func(s sample) uint64 { return s.valueOf(g.make(node{op: Eq, width: 1, a: x, b: y})) }
			case 3:
				got, want = g.Not(c), func(s sample) uint64 { return 1 - s.valueOf(c) }
			case 4:
				got, want = g.And(c, d), func(s sample) uint64 { return s.valueOf(c) & s.valueOf(d) }
			case 5:
				got, want = g.Or(c, d), func(s sample) uint64 { return s.valueOf(c) | s.valueOf(d) }
			case 6, 7:
				got, want = g.Select(c, x, y), func(s sample) uint64 { return either(s.valueOf(c) != 0, s.valueOf(x), s.valueOf(y)) }
			case 8:
				got, want = g.Select(c, d, condition()), nil
			case 9:
				op := []Op{IAnd, IOr, IXor}[rng.IntN(3)]
				got = g.Bitwise(op, x, y)
				want = func(s sample) uint64 {
					return map[Op]uint64{IAnd: s.valueOf(x) & s.valueOf(y), IOr: s.valueOf(x) | s.valueOf(y), IXor: s.valueOf(x) ^ s.valueOf(y)}[op]
				}
			case 10:
				got, want = g.Mask(4, c), func(s sample) uint64 { return s.valueOf(c) * 0xffffffff }
			case 11:
				got, want = g.IAdd(x, y), func(s sample) uint64 { return (s.valueOf(x) + s.valueOf(y)) & 0xffffffff }
			case 12:
				got, want = g.ISub(x, y), func(s sample) uint64 { return (s.valueOf(x) - s.valueOf(y)) & 0xffffffff }
			case 13:
				op := []Op{IShl, IShr, ISar}[rng.IntN(3)]
				got, want = g.Shift(op, x, by), func(s sample) uint64 { return shift(op, s.valueOf(x), by, 4) & 0xffffffff }
			case 14:
				a := g.Shift(IShr, g.Maximum([]Op{IMaxS, IMaxU}[rng.IntN(2)], x, y), rng.IntN(3))
				got, want = g.Greater(a, limit), func(s sample) uint64 {
					return either(signed(s.valueOf(a), 4) > signed(s.valueOf(limit), 4), 1, 0)
				}
			case 15:
				joined := g.Join(x, y)
				low, _ := g.Halves(joined)
				got, want = g.Select(c, low, y), func(s sample) uint64 { return either(s.valueOf(c) != 0, s.valueOf(x), s.valueOf(y)) }
			}
			for _, s := range samples {
				if want != nil && s.valueOf(got) != want(s) {
					t.Fatalf("%s is %#x, want %#x", g.String(got), s.valueOf(got), want(s))
				}
				negative, any := s.valueOf(g.Negative(x)) == 1, s.valueOf(g.Nonzero(x)) == 1
				if negative != (signed(s.valueOf(x), 4) < 0) || any != (s.valueOf(x) != 0) || s.valueOf(g.Extend(x)) != uint64(signed(s.valueOf(x), 4)) {
					t.Fatalf("the sign of %s", g.String(x))
				}
			}
			if g.Width(got) == 1 {
				conditions = append(conditions, got)
			} else {
				words = append(words, got)
			}
		}
	}
}

// TestScaling uses random numbers to check the two rules of rounding on which scaling.go relies.
func TestScaling(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	tried := 0
	for range 400_000 {
		z := math.Ldexp(rng.Float64()+0.5, -rng.IntN(70))
		if z <= 1 {
			got, want := math.Float64bits(1+z)-math.Float64bits(1), math.Float64bits(z*0x1p-1022)
			single := float32(z)
			got32, want32 := math.Float32bits(1+single)-math.Float32bits(1), math.Float32bits(float32(float64(single)*0x1p-126))
			if got != want || single > 0 && got32 != want32 {
				t.Fatalf("1 + %g", z)
			}
		}
		x, y, s, k := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.IntN(2100)-1050
		v, w := math.FMA(x, y, s), math.FMA(x, scale(8, y, k), scale(8, s, k))
		if isNormalFloat(8, v) && isNormalFloat(8, w) && isNormalFloat(8, scale(8, y, k)) && isNormalFloat(8, scale(8, s, k)) {
			if tried++; w != scale(8, v, k) {
				t.Fatalf("fma(%g, %g, %g) scaled by 2^%d is %g, want %g", x, y, s, k, w, scale(8, v, k))
			}
		}
	}
	if tried < 100_000 {
		t.Errorf("only %d trials", tried)
	}
}

// TestEqual checks that Equal proves different forms of one function equal, and that it rejects
// functions that differ somewhere.
func TestEqual(t *testing.T) {
	for _, width := range []int{4, 8} {
		g := New()
		number := func(x float64) Node { return g.Const(width, bitsFrom(uint8(width), x)) }
		x, other := g.Input(width, 1, 0), g.Input(width, 1, 1)
		magic := number(map[int]float64{4: 0x1.8p21, 8: 0x1.8p50}[width]) // rounds to multiples of 1/4
		rounded := func(x Node) Node { return g.Sub(g.Add(x, magic), magic) }
		clamp := func(x, least, most Node) Node {
			y := g.Select(g.Lt(most, x), most, x)
			return g.Select(g.Lt(y, least), least, y)
		}
		power := func(k float64) Node { return number(math.Ldexp(1, int(k))) }
		twice := g.FMA(x, number(4), number(4))
		small := g.Select(g.And(g.Le(number(0.5), x), g.Le(x, number(1))), x, number(0.5))
		bits := g.ISub(g.Add(small, number(1)), number(1))
		least := power(float64(1 - bias(uint8(width))))
		// The variable d is x minus a maximum, as in softmax, so d is at most 0 and never −0. The
		// variable minusZero may be −0, and the variable anySign may be positive.
		infinity := math.Inf(1)
		most := g.Select(g.Lt(number(-infinity), x), x, number(-infinity))
		most = g.Add(number(0), g.Select(g.Lt(most, other), other, most))
		d, minusZero, anySign := g.Add(x, g.Sub(number(0), most)), g.Sub(x, most), g.Add(x, g.Sub(number(0), other))
		inverse := func(d Node) Node { return g.Div(number(1), d) }
		atZero := func(d Node) Node { return g.Select(g.Le(number(0), d), number(infinity), inverse(d)) }
		one := func(c Node) Node { return g.Select(c, number(1), number(0)) }
		p, q, r := one(g.Lt(x, number(3))), one(g.Lt(other, number(3))), one(g.Lt(x, other))
		sum := func(a ...Node) Node {
			s := a[0]
			for _, t := range a[1:] {
				s = g.Add(s, t)
			}
			return s
		}
		within := g.And(g.Not(g.Lt(number(8), x)), g.Not(g.Lt(number(9), other)))
		for i, c := range []struct {
			a, b Node
			want bool
		}{
			{clamp(rounded(x), number(-2), number(2)), rounded(clamp(x, number(-2), number(2))), true},
			{clamp(rounded(x), number(-2), number(2)), rounded(clamp(x, number(-2.01), number(2))), true},
			{clamp(rounded(x), number(-2), number(2)), rounded(clamp(x, number(-2.5), number(2))), false},
			{g.Select(g.Lt(x, number(3)), number(1), number(0)), g.Select(g.Le(number(3), x), number(0), number(1)), false}, // NaN
			{g.Select(g.Lt(x, number(3)), number(1), number(0)), g.Select(g.Not(g.Lt(x, number(3))), number(0), number(2)), false},
			{g.Select(g.Lt(x, number(3)), number(1), x), g.Select(g.Le(number(3), x), x, g.Select(g.Lt(x, number(4)), number(1), x)), true},
			{bits, g.ISub(g.Add(x, number(1)), number(1)), false},
			{clamp(twice, number(8), number(16)), clamp(g.Mul(g.FMA(x, number(1), number(1)), number(4)), number(8), number(16)), true},
			{clamp(twice, number(8), number(16)), clamp(g.Mul(g.FMA(x, number(1), number(1)), number(2)), number(8), number(16)), false},
			{bits, g.Mul(small, least), true},
			{bits, g.Mul(small, g.Mul(least, number(2))), false},
			{g.Branch(within, clamp(x, number(0), number(8)), clamp(x, number(0), number(7))), g.Branch(within, clamp(x, number(0), number(9)), clamp(x, number(0), number(7))), true},
			{g.Branch(within, clamp(x, number(0), number(7)), clamp(x, number(0), number(7))), g.Branch(within, clamp(x, number(0), number(9)), clamp(x, number(0), number(7))), false},
			{inverse(d), atZero(d), true},
			{inverse(minusZero), atZero(minusZero), false},
			{inverse(anySign), atZero(anySign), false},
			{one(g.Lt(number(0), d)), number(0), true},
			{one(g.Lt(number(0), anySign)), number(0), false},
			{sum(p, q, r), sum(r, q, p), true},
			{sum(p, q, p), sum(q, p, q), false},
			{sum(x, p, q), sum(q, p, x), false},
			{sum(p, q, one(g.Lt(number(0), d))), sum(q, p), true},
			{sum(p, q, one(g.Lt(number(0), anySign))), sum(q, p), false},
		} {
			if c.a == c.b {
				t.Errorf("%d: one node", i)
			}
			if got := g.Equal(c.a, c.b); got != c.want {
				t.Errorf("%d, %d bytes: %s and %s: proved %v, want %v", i, width, g.String(c.a), g.String(c.b), got, c.want)
			}
		}
	}
}
