package sketch

import (
	"math"
	"math/big"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestFilterAccuracy checks the mask bits for thresholds that differ from the exact value by slightly more than the error
// bound in doc.go.
func TestFilterAccuracy(t *testing.T) {
	rng := asmtest.NewRand(1)
	const d = 24
	codes, query := make([]uint8, d*Rows), make([]int8, d)
	masks := make([]uint32, 1)
	for range 300 {
		for i := range codes {
			codes[i] = uint8(1 + rng.IntN(127))
		}
		sum := int32(0)
		for k := range query {
			query[k] = int8(rng.IntN(255) - 127)
			sum += int32(query[k])
		}
		random := func() float32 { return float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(24)-12))) }
		var g Group
		for i := range Rows {
			g.Scale[i], g.Rest[i], g.Norm[i] = random(), random(), random()
		}
		q := Query{Start: -zero * sum, Rest: random(), Norm: random(), Square: random()}
		for i := range Rows {
			dot := int64(0)
			for k, p := range query {
				dot += (int64(codes[k/Step*stepBytes+i*Step+k%Step]) - zero) * int64(p)
			}
			value, size := new(big.Float).SetPrec(2000), new(big.Float).SetPrec(2000)
			for _, factors := range [][]float64{{float64(dot), float64(g.Scale[i])}, {float64(g.Rest[i]), float64(q.Rest)},
				{float64(g.Norm[i]), float64(q.Norm)}, {float64(g.Norm[i]), float64(g.Norm[i]), float64(q.Square)}} {
				term := big.NewFloat(1).SetPrec(2000)
				for _, f := range factors {
					term.Mul(term, big.NewFloat(f))
				}
				value.Add(value, term)
				size.Add(size, term.Abs(term))
			}
			v, _ := value.Float64()
			s, _ := size.Float64()
			bound := 5.01*0x1p-24*s + 0x1p-147
			below, above := float32(v-bound), float32(v+bound)
			if float64(below) > v-bound {
				below = math.Nextafter32(below, float32(math.Inf(-1)))
			}
			if float64(above) <= v+bound {
				above = math.Nextafter32(above, float32(math.Inf(1)))
			}
			q.Threshold = below
			if filterOneRef(masks, codes, []Group{g}, query, &q); masks[0]>>i&1 != 1 {
				t.Fatalf("row %d: %v is at least %v, but its bit is clear", i, v, below)
			}
			q.Threshold = above
			if filterOneRef(masks, codes, []Group{g}, query, &q); masks[0]>>i&1 != 0 {
				t.Fatalf("row %d: %v is below %v, but its bit is set", i, v, above)
			}
		}
	}
}

// TestQuantize checks the codes, scales and sums of rows and queries, for small and large values.
func TestQuantize(t *testing.T) {
	rng := asmtest.NewRand(2)
	for _, d := range []int{4, 8, 12, 100, 768} {
		for _, scale := range []float64{0x1p-149, 1e-39, 1e-20, 1, 1e30, 3e37} {
			x := make([]float32, d)
			for k := range x {
				x[k] = float32(scale * rng.NormFloat64())
			}
			row := make([]uint8, d/Step*stepBytes)
			s, square, rest := QuantizeRow(row, x)
			c := make([]float64, d)
			for k := range c {
				c[k] = float64(row[k/Step*stepBytes+k%Step]) - zero
			}
			checkQuantized(t, x, c, 63, s, square, rest)

			query := make([]int8, d)
			s, sum, square, rest := QuantizeQuery(query, Step, x)
			for k, p := range query {
				c[k] = float64(p)
				sum -= int32(p)
			}
			checkQuantized(t, x, c, 127, s, square, rest)
			if sum != 0 {
				t.Errorf("d = %d: the sum of the codes is wrong by %d", d, sum)
			}
		}
	}
	codes := []uint8{1, 2, 3, 4}
	if s, square, rest := QuantizeRow(codes, make([]float32, 4)); s != 0 || square != 0 || rest != 0 || string(codes) != "@@@@" {
		t.Error("a row of zeros:", s, square, rest, codes)
	}
}

// checkQuantized checks the results of quantizing x: the integers c with largest magnitude top, the scale s and the two sums.
func checkQuantized(t *testing.T, x []float32, c []float64, top float64, s float32, square, rest float64) {
	t.Helper()
	m, hits := 0., false
	for _, v := range x {
		m = max(m, math.Abs(float64(v)))
	}
	if s != float32(m/top) {
		t.Errorf("scale %v of a vector up to %v", s, m)
	}
	squares, rests := new(big.Float).SetPrec(2000), new(big.Float).SetPrec(2000)
	for k, v := range x {
		hits = hits || math.Abs(c[k]) == top
		if off := math.Abs(float64(v)*top/m - c[k]); off > 0.5+1e-12 || math.Abs(c[k]) > top {
			t.Fatalf("integer %v of %v, where the largest element is %v", c[k], v, m)
		}
		e := new(big.Float).SetPrec(2000).Mul(big.NewFloat(c[k]), big.NewFloat(float64(s)))
		e.Sub(big.NewFloat(float64(v)), e)
		rests.Add(rests, e.Mul(e, e))
		squares.Add(squares, new(big.Float).SetPrec(2000).Mul(big.NewFloat(float64(v)), big.NewFloat(float64(v))))
	}
	if !hits && m > 0 {
		t.Errorf("no integer is %v", top)
	}
	bound := float64((len(x)+7)/8+5) * 0x1p-53
	for name, p := range map[string]struct {
		got  float64
		want *big.Float
	}{"Σx²": {square, squares}, "Σe²": {rest, rests}} {
		off := new(big.Float).SetPrec(2000).Sub(big.NewFloat(p.got), p.want)
		if off.Abs(off).Cmp(new(big.Float).Mul(p.want, big.NewFloat(bound))) > 0 {
			t.Errorf("d = %d, up to %v: %s is %v, want %v", len(x), m, name, p.got, p.want)
		}
	}
}
