package expr

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestRules checks the rules by which the package represents two expressions as one node. Both
// expressions must have the same bits for random numbers and special values.
func TestRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -5e-324, math.MaxFloat64, 0x1p-1022}
	draw := func() float64 {
		if rng.IntN(3) == 0 {
			return special[rng.IntN(len(special))]
		}
		return math.Float64frombits(rng.Uint64())
	}
	same := func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
	}
	zero := 0.0
	for range 1_000_000 {
		x, y, z := draw(), draw(), draw()
		if rng.IntN(4) == 0 {
			y = x
		}
		for rule, sides := range map[string][2]float64{
			"x + y = y + x":                   {x + y, y + x},
			"x·y = y·x":                       {x * y, y * x},
			"x − y = x + (−y)":                {x - y, x + -y},
			"(x + 0) + 0 = x + 0":             {(x + zero) + zero, x + zero},
			"((0 + x) + y) + 0 = (0 + x) + y": {((zero + x) + y) + zero, (zero + x) + y},
			"fma(−0, 0, z) = z":               {math.FMA(math.Copysign(0, -1), zero, z), z},
			"fma(x, y, z) = fma(y, x, z)":     {math.FMA(x, y, z), math.FMA(y, x, z)},
			"fma(−x, y, z) = fma(x, −y, z)":   {math.FMA(-x, y, z), math.FMA(x, -y, z)},
			"fma(−x, −y, z) = fma(x, y, z)":   {math.FMA(-x, -y, z), math.FMA(x, y, z)},
			"fma(0, 0, z) = 0 + z":            {math.FMA(0, 0, z), zero + z},
			"fma(x, x, 0) = x·x":              {math.FMA(x, x, 0), x * x},
			"(x − y)² = (y − x)²":             {(x - y) * (x - y), (y - x) * (y - x)},
			"fma((x−y)², z) = fma((y−x)², z)": {math.FMA(x-y, x-y, z), math.FMA(y-x, y-x, z)},
		} {
			if !same(sides[0], sides[1]) {
				t.Fatalf("%s does not hold for %v, %v, %v: %v, %v", rule, x, y, z, sides[0], sides[1])
			}
		}
	}
}

// TestNodes checks that the rules map equal expressions to one node and different expressions to
// different nodes.
func TestNodes(t *testing.T) {
	g := New()
	x, y, z, zero := g.Input(8, 1, 0), g.Input(8, 2, 0), g.Input(8, 3, 0), g.Const(8, 0)
	for _, p := range [][2]Node{
		{g.Add(x, y), g.Add(y, x)},
		{g.Neg(g.Neg(x)), x},
		{g.FMA(g.Neg(x), y, z), g.FMA(y, g.Neg(x), z)},
		{g.FMA(g.Neg(x), g.Neg(y), z), g.FMA(x, y, z)},
		{g.FMA(x, x, zero), g.Mul(x, x)},
		{g.Mul(g.Sub(x, y), g.Sub(x, y)), g.Mul(g.Sub(y, x), g.Sub(y, x))},
		{g.Add(zero, g.Add(x, zero)), g.Add(x, zero)},
		{g.Join(g.Halves(x)), x},
		{g.Widen(g.Const(4, 0x3f800000)), g.Const(8, 0x3ff0000000000000)},
	} {
		if p[0] != p[1] {
			t.Errorf("%s and %s are two nodes", g.String(p[0]), g.String(p[1]))
		}
	}
	for _, p := range [][2]Node{
		{g.Add(x, zero), x}, // −0
		{g.Sub(x, y), g.Sub(y, x)},
		{g.FMA(x, y, zero), g.Mul(x, y)}, // −0
		{g.FMA(x, y, z), g.Add(g.Mul(x, y), z)},
		{g.Add(g.Add(x, y), z), g.Add(x, g.Add(y, z))},
		{g.Mul(g.Sub(x, y), g.Sub(y, x)), g.Mul(g.Sub(x, y), g.Sub(x, y))},
	} {
		if p[0] == p[1] {
			t.Errorf("%s is one node for two expressions", g.String(p[0]))
		}
	}
}

// TestConstants compares the fused multiply-add of float32 constants with exact big-number
// arithmetic.
func TestConstants(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-149, -0x1p-149, 0x1p-126, math.MaxFloat32,
		1 + 0x1p-23, 1 - 0x1p-24, 0x1p-24, 0x1p-25, -0x1p-75, 0x1p-76, 0x1p12 + 1, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	g := New()
	draw := func() float32 {
		switch rng.IntN(3) {
		case 0:
			return special[rng.IntN(len(special))]
		case 1: // numbers with few bits, because many of their sums lie halfway between two float32 numbers
			return float32(math.Ldexp(float64(rng.IntN(64)-32), rng.IntN(80)-60))
		}
		return math.Float32frombits(rng.Uint32())
	}
	number := func(x float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(x)) }
	for i := range 300_000 {
		x, y, z := draw(), draw(), draw()
		if i%4 == 0 { // makes the product close to z or to half an ulp of z
			z = -float32(math.Ldexp(float64(x)*float64(y), rng.IntN(3)-1+24*(rng.IntN(3)-1)))
		}
		want := float32(float64(float64(x)*float64(y)) + float64(z)) // used for NaN, infinity, and the sign of an exact 0
		if finite := float64(x) - float64(x) + float64(y) - float64(y) + float64(z) - float64(z); finite == 0 {
			p := number(x)
			p.Mul(p, number(y)).Add(p, number(z))
			if p.Sign() != 0 {
				want, _ = p.Float32()
			}
		}
		constant := func(x float32) Node { return g.Const(4, uint64(math.Float32bits(x))) }
		got, ok := g.Bits(g.FMA(constant(x), constant(y), constant(z)))
		if f := math.Float32frombits(uint32(got)); !ok || uint32(got) != math.Float32bits(want) && (f == f || want == want) {
			t.Fatalf("fma(%g, %g, %g) is %g, want %g", x, y, z, f, want)
		}
		if i%1000 == 0 {
			g = New()
		}
	}
}
