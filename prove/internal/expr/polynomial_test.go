package expr

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// valueOf returns the value of the integer a. The slice input contains the bytes of input 1.
func valueOf(t *testing.T, g *Graph, a Node, input []byte) uint64 {
	n := g.nodes[a]
	of := func(a Node) uint64 { return valueOf(t, g, a, input) }
	mask := ^uint64(0) >> (64 - 8*uint(n.width))
	switch n.op {
	case Const:
		return n.key
	case Byte:
		return uint64(input[n.key&(1<<40-1)])
	case IAdd:
		return (of(n.a) + of(n.b)) & mask
	case ISub:
		return (of(n.a) - of(n.b)) & mask
	case IMul:
		return of(n.a) * of(n.b) & mask
	case IXor:
		return of(n.a) ^ of(n.b)
	case IAnd:
		return of(n.a) & of(n.b)
	case IShl, IShr, ISar:
		return shift(n.op, of(n.a), int(n.key), int(n.width))
	case Neg:
		return of(n.a) ^ (mask &^ (mask >> 1))
	case IAbs:
		v := signed(of(n.a), 4)
		return uint64(max(v, -v)) & mask
	case Popcount:
		return uint64(bits.OnesCount64(of(n.a)))
	case Extend:
		return uint64(signed(of(n.a), 4))
	case Low:
		return of(n.a) & mask
	case High:
		return of(n.a) >> 32
	case Cat:
		return of(n.a) | of(n.b)<<32
	case Lookup:
		return g.lists[n.key][of(n.a)]
	case Total:
		list := g.lists[n.key]
		v := list[0]
		for i := 1; i < len(list); i += 2 {
			v += of(Node(list[i])) * list[i+1]
		}
		return v & 0xffff
	case Fields:
		v, at := uint64(0), 0
		for _, f := range g.fields(a) {
			b := f.bits
			if f.node != 0 {
				b = of(f.node) >> f.from & (1<<f.length - 1)
			}
			v |= b << at
			at += f.length
		}
		return v
	}
	t.Fatalf("no value of %s", g.String(a))
	return 0
}

// TestPolynomials compares the polynomials and bounds of random integers with the values of the
// integers.
func TestPolynomials(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	known := 0
	for range 300 {
		g := New()
		narrow, wide := []Node{g.Const(4, 0x80808080), g.Const(4, rng.Uint64())}, []Node{g.Const(8, rng.Uint64())}
		for c := range 3 {
			var b []Node
			for k := range 4 {
				b = append(b, g.SmallInput(1, 1, 4*c+k))
			}
			narrow = append(narrow, g.JoinBits(b...))
		}
		var counts []Node
		for i := range 16 {
			counts = append(counts, g.Const(4, uint64(onesCount(i))))
		}
		one := func() Node { return narrow[rng.IntN(len(narrow))] }
		two := func() Node { return wide[rng.IntN(len(wide))] }
		for range 12 {
			at := 8 * rng.IntN(4)
			x := g.ExtractBits(one(), at, 8)
			switch rng.IntN(14) {
			case 0:
				narrow = append(narrow, g.IAdd(one(), one()))
			case 1:
				narrow = append(narrow, g.ISub(g.SignExtend(x, 8), g.SignExtend(g.ExtractBits(one(), 8, 8), 8)))
			case 2:
				narrow = append(narrow, g.IMul(one(), one()))
			case 3:
				narrow = append(narrow, g.SignExtend(x, 8), x)
			case 4:
				narrow = append(narrow, g.Bitwise(IXor, one(), one()), g.Bitwise(IXor, one(), narrow[0]))
			case 5:
				narrow = append(narrow, g.IAbs(g.ISub(g.SignExtend(x, 8), x)))
			case 6:
				narrow = append(narrow, g.Popcount(4, one()), g.Popcount(4, x))
			case 7:
				wide = append(wide, g.Extend(one()))
			case 8:
				wide = append(wide, g.Join(one(), g.Const(4, 0)), g.Join(one(), one()))
			case 9:
				wide = append(wide, g.IAdd(two(), two()), g.ISub(two(), two()))
			case 10:
				low, high := g.Halves(two())
				narrow = append(narrow, low, high)
			case 11:
				narrow = append(narrow, g.JoinBits(g.ExtractBits(g.SignExtend(x, 8), 0, 16), g.ExtractBits(one(), 8, 16)), g.SignExtend(g.ExtractBits(one(), 0, 16), 16))
			case 12:
				narrow = append(narrow, g.Add16(g.ExtractBits(g.SignExtend(x, 8), 0, 16), g.ExtractBits(one(), 0, 16), uint16(rng.IntN(5)-2)))
			case 13:
				if index := g.Bitwise(IAnd, one(), g.Const(4, 15)); g.BitLength(index) <= 4 {
					narrow = append(narrow, g.Pick(counts[:1<<g.BitLength(index)], index))
				}
				y := one()
				narrow = append(narrow, g.IMul(g.IAbs(y), g.IAbs(y)))
			}
		}
		for range 8 {
			input := make([]byte, 12)
			for i := range input {
				input[i] = []byte{0, 127, 128, 255, byte(rng.Uint32()), byte(rng.Uint32())}[rng.IntN(6)]
			}
			for _, n := range append(narrow, wide...) {
				want, whole := valueOf(t, g, n, input), 8*g.Width(n)
				for _, size := range []int{8, 16, 32, 64} {
					if size > whole {
						break
					}
					sum := uint64(0)
					for m, c := range g.polynomial(n, size) {
						for _, a := range m {
							if a != 0 && g.nodes[a].op == ISar {
								c *= uint64(signed(valueOf(t, g, a, input), g.Width(a)))
							} else if a != 0 {
								c *= valueOf(t, g, a, input)
							}
						}
						sum += c
					}
					if signExtend(sum^want, size) != 0 {
						t.Fatalf("%s is %#x, and its polynomial of %d bits %#x", g.String(n), want, size, sum)
					}
					for _, sign := range []bool{false, true} {
						p, ok := g.exactPart(n, size, sign)
						if !ok {
							continue
						}
						known++
						got := int64(want & (^uint64(0) >> (64 - size)))
						if sign {
							got = int64(signExtend(want, size))
						}
						if r := g.partBounds(&p); got < r.low || got > r.high {
							t.Fatalf("%s is %d, of %d bits, and has the bounds %d and %d", g.String(n), got, size, r.low, r.high)
						}
					}
				}
			}
		}
	}
	if known < 5000 {
		t.Errorf("bounds of only %d integers were known", known)
	}
}

// TestCarries checks that Equal proves that a tree of carry-save adders counts the bits of its
// inputs. A tree with a mistake must not be proved.
func TestCarries(t *testing.T) {
	g := New()
	var words []Node
	for i := range 8 {
		word := func(input int) Node {
			return g.JoinBits(g.SmallInput(1, input, 4*i), g.SmallInput(1, input, 4*i+1), g.SmallInput(1, input, 4*i+2), g.SmallInput(1, input, 4*i+3))
		}
		words = append(words, g.Bitwise(IXor, word(1), word(2)))
	}
	count := g.Const(4, 0)
	for _, w := range words {
		count = g.IAdd(count, g.Popcount(4, w))
	}
	for mistake := range 3 {
		weights := []Node{g.Const(4, 0), g.Const(4, 0), g.Const(4, 0)}
		// add adds x and y to the word with the given weight and returns the carries.
		add := func(x, y Node, weight int) Node {
			carry, ok := g.Majority(x, y, weights[weight])
			if !ok {
				t.Fatal("no majority")
			}
			weights[weight] = g.Xor3(x, y, weights[weight])
			return carry
		}
		var eight Node
		for half := range 2 {
			w := words[4*half:]
			if mistake == 1 && half == 1 {
				w = []Node{w[0], w[1], w[2], w[2]}
			}
			four := add(add(w[0], w[1], 0), add(w[2], w[3], 0), 1)
			if half == 0 {
				eight = four
			} else {
				eight = add(eight, four, 2)
			}
		}
		sum := g.Shift(IShl, g.Popcount(4, eight), 3)
		for k, w := range weights {
			if mistake == 2 && k == 2 {
				k = 1
			}
			sum = g.IAdd(sum, g.Shift(IShl, g.Popcount(4, w), k))
		}
		if got := g.Equal(sum, count); got != (mistake == 0) {
			t.Errorf("mistake %d: equal is %v", mistake, got)
		}
	}
}
