package expr

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFields cuts, joins, shifts, masks, adds and looks up random integers of one and two bytes. It
// compares the value of each expression with the documentation of its constructor.
func TestFields(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	made := map[Op]bool{}
	for range 200 {
		g := New()
		words := []Node{g.Const(4, 0), g.Const(4, 0x0f0f0f0f), g.Const(4, 0xff), g.Const(4, 0x80017fff)}
		samples := make([]sample, 8)
		for n := range samples {
			samples[n] = sample{g, map[Node]uint64{}}
		}
		for i := range 6 {
			n := []Node{g.SmallInput(1, 1, i), g.SmallInput(2, 2, i), g.Input(4, 3, i)}[i%3]
			words = append(words, n)
			for _, s := range samples {
				s.values[n] = rng.Uint64() & (1<<g.BitLength(n) - 1)
			}
		}
		word := func() Node { return words[rng.IntN(len(words))] }
		for range 60 {
			x, y := word(), word()
			var got Node
			var want func(s sample) uint64
			switch rng.IntN(14) {
			case 0:
				from := rng.IntN(32)
				length := 1 + rng.IntN(32-from)
				got, want = g.ExtractBits(x, from, length), func(s sample) uint64 { return s.valueOf(x) >> from & (1<<length - 1) }
			case 1:
				got, want = g.JoinBits(x, y), func(s sample) uint64 { return s.valueOf(x)&0xffff | s.valueOf(y)&0xffff<<16 }
			case 2:
				z := word()
				got, want = g.JoinBits(x, y, z, x), func(s sample) uint64 { return s.valueOf(x)&255*0x01000001 | s.valueOf(y)&255<<8 | s.valueOf(z)&255<<16 }
			case 3:
				at := 8 * rng.IntN(4)
				got, want = g.ReplaceBits(x, at, 8, y), func(s sample) uint64 { return s.valueOf(x)&^(255<<at) | s.valueOf(y)&255<<at }
			case 4:
				op, by := []Op{IShl, IShr, ISar}[rng.IntN(3)], rng.IntN(32)
				got, want = g.Shift(op, x, by), func(s sample) uint64 { return shift(op, s.valueOf(x), by, 4) & math.MaxUint32 }
			case 5:
				op := []Op{IAnd, IOr, IXor}[rng.IntN(3)]
				got = g.Bitwise(op, x, y)
				want = func(s sample) uint64 {
					return map[Op]uint64{IAnd: s.valueOf(x) & s.valueOf(y), IOr: s.valueOf(x) | s.valueOf(y), IXor: s.valueOf(x) ^ s.valueOf(y)}[op]
				}
			case 6, 7:
				factor := []uint16{1, math.MaxUint16, 256, 3}[rng.IntN(4)]
				got, want = g.Add16(x, y, factor), func(s sample) uint64 { return (s.valueOf(x) + s.valueOf(y)*uint64(factor)) & 0xffff }
			case 8:
				index := g.ExtractBits(x, rng.IntN(30), 2)
				table := []Node{word(), word(), y, x}
				if rng.IntN(2) == 0 {
					table = []Node{g.ExtractBits(y, 0, 8), g.ExtractBits(x, 8, 8), g.Const(4, 7), g.ExtractBits(y, 16, 8)}
				}
				got, want = g.Pick(table, index), func(s sample) uint64 { return s.valueOf(table[s.valueOf(index)]) }
			case 10:
				c, p, q := g.Nonzero(g.ExtractBits(x, rng.IntN(32), 1)), rng.Uint64N(4), rng.Uint64N(1<<16)
				got = g.Select(c, g.Const(4, p), g.Const(4, q))
				want = func(s sample) uint64 {
					if s.valueOf(c) != 0 {
						return p
					}
					return q
				}
			case 11:
				c, d := g.Nonzero(g.ExtractBits(x, rng.IntN(32), 1)), g.Nonzero(y)
				got = g.ExtractBits(g.Pack([]Node{c, g.Not(c), d, g.Bool(true)}), 0, 32)
				want = func(s sample) uint64 { return s.valueOf(c) | (1-s.valueOf(c))<<1 | s.valueOf(d)<<2 | 8 }
			case 12:
				var ok bool
				if got, ok = g.AddDisjoint(x, y); !ok {
					continue
				}
				want = func(s sample) uint64 { return s.valueOf(x) + s.valueOf(y) }
			case 13:
				z := word()
				got = g.Maximum(IMaxU, x, g.Maximum(IMaxU, y, z))
				want = func(s sample) uint64 { return max(s.valueOf(x), s.valueOf(y), s.valueOf(z)) }
				if other := g.Maximum(IMaxU, g.Maximum(IMaxU, z, x), y); other != got {
					t.Fatalf("%s and %s", g.String(got), g.String(other))
				}
			case 9:
				by := 8 * rng.IntN(8)
				low, high := g.Halves(g.Shift(IShr, g.Join(x, y), by))
				got = low
				want = func(s sample) uint64 { return (s.valueOf(x) | s.valueOf(y)<<32) >> by & math.MaxUint32 }
				for _, s := range samples {
					if s.valueOf(high) != (s.valueOf(x)|s.valueOf(y)<<32)>>by>>32 {
						t.Fatalf("the upper half of %s and %s, shifted by %d", g.String(x), g.String(y), by)
					}
				}
			}
			for _, s := range samples {
				v := s.valueOf(got)
				if v != want(s) || v>>g.BitLength(got) != 0 {
					t.Fatalf("%s is %#x, want %#x, of %d bits", g.String(got), v, want(s), g.BitLength(got))
				}
				if n := min(g.BitLength(got), 16); s.valueOf(g.SignExtend(got, n+1)) != v&(1<<n-1) && g.BitLength(got) <= 16 {
					t.Fatalf("%s has a sign", g.String(got))
				}
			}
			made[g.nodes[got].op] = true
			words = append(words, got)
		}
	}
	for _, op := range []Op{Fields, Pick, Total} {
		if !made[op] {
			t.Errorf("no expression is a %s", names[op])
		}
	}
}

// TestFromHalf compares FromHalf with the definition of binary16.
func TestFromHalf(t *testing.T) {
	for h := range uint64(1) << 16 {
		exponent, fraction := int(h>>10&31), float64(h&1023)
		want := math.Ldexp(fraction, -24)
		switch {
		case exponent == 31 && fraction == 0:
			want = math.Inf(1)
		case exponent == 31:
			want = math.NaN()
		case exponent > 0:
			want = math.Ldexp(1+fraction/1024, exponent-15)
		}
		got := float64(math.Float32frombits(fromHalf(h)))
		if h>>15 == 1 {
			want = -want
		}
		if got != want && got == got || math.Signbit(got) != (h>>15 == 1) || (got != got) != (want != want) {
			t.Fatalf("%#x is %v, want %v", h, got, want)
		}
	}
}

// TestToHalf checks that every binary16 number is converted to itself. A number between two
// binary16 numbers must become the nearer one, or the even one if the distances are equal.
func TestToHalf(t *testing.T) {
	for h := range uint64(0x7c00) {
		for _, sign := range []uint64{0, 0x8000} {
			b := uint64(fromHalf(h | sign))
			if got := toHalf(b); got != h|sign {
				t.Fatalf("%#x becomes %#x", h|sign, got)
			}
			last := float64(math.Float32frombits(fromHalf(h)))
			next := math.Ldexp(1, 16)
			if h < 0x7bff {
				next = float64(math.Float32frombits(fromHalf(h + 1)))
			}
			middle := uint64(math.Float32bits(float32((last+next)/2))) | sign<<16
			if x, y, z := toHalf(middle-1), toHalf(middle), toHalf(middle+1); x != h|sign || y != (h+h&1)|sign || z != (h+1)|sign {
				t.Fatalf("beside the middle above %#x: %#x, %#x, %#x", h|sign, x, y, z)
			}
		}
	}
	for b, want := range map[uint64]uint64{0x7f800000: 0x7c00, 0xff800000: 0xfc00, 0x7f7fffff: 0x7c00, 0xff802000: 0xfe01} {
		if got := toHalf(b); got != want {
			t.Errorf("%#x becomes %#x, want %#x", b, got, want)
		}
	}
}
