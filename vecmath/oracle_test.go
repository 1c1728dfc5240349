package vecmath_test

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/oracle"
	"github.com/gomonge/monge/internal/oracle/trial"
	"github.com/gomonge/monge/vecmath"
)

// blocked lists the folders whose code processes data in blocks. The test uses many random lengths close to the block
// sizes.
var blocked = []string{"vecmath", "internal/asm/pair", "internal/asm/vector", "internal/asm/exp"}

func TestOracle(t *testing.T) {
	t.Run("float64", testOracle[float64])
	t.Run("float32", testOracle[float32])
	t.Run("bytes", func(t *testing.T) { trial.Run(t, 60, blocked, compareBytes) })
	t.Run("halves", func(t *testing.T) { trial.Run(t, 60, blocked, compareHalves) })
}

func testOracle[T vecmath.Float](t *testing.T) {
	t.Run("pairs", func(t *testing.T) { trial.Run(t, 100, blocked, comparePairs[T]) })
	t.Run("elements", func(t *testing.T) { trial.Run(t, 60, blocked, compareElements[T]) })
	t.Run("rows", func(t *testing.T) { trial.Run(t, 60, blocked, compareRows[T]) })
	t.Run("softmax", func(t *testing.T) { trial.Run(t, 60, blocked, compareSoftmax[T]) })
	t.Run("TopK", func(t *testing.T) { trial.Run(t, 30, blocked, compareTopK[T]) })
}

// depth returns the number of consecutive additions in a sum of n elements. The sum has the given
// number of lanes in float64, and twice as many in float32.
func depth[T vecmath.Float](n, lanes int) float64 {
	if trial.Epsilon[T]() > 1e-10 {
		lanes *= 2
	}
	return math.Ceil(float64(n)/float64(lanes)) + math.Log2(float64(lanes))
}

// randomValue returns a function that draws random values, sometimes near the largest or the smallest
// numbers of T.
func randomValue[T vecmath.Float](c *trial.Case) func(int) T {
	v, scale := c.Values(), 1.0
	if e := c.IntN(8); e < 2 {
		scale = math.Ldexp(1, []int{1, -1}[e]*(math.Ilogb(trial.Largest[T]())-c.IntN(80)))
	}
	most := trial.Largest[T]()
	return func(int) T { return T(max(-most, min(most, v()*scale))) }
}

func comparePairs[T vecmath.Float](c *trial.Case) {
	n, rows := c.Shape(20000, c.Budget(1<<13, 1<<17), 1)[0], 1+c.IntN(6)
	value := randomValue[T](c)
	a := trial.Vector(c, n, value)
	table := make([][]T, rows)
	for i := range table {
		if c.Chance(6) { // from a random index to the end, the row equals the vector a
			k := c.IntN(n + 1)
			table[i] = trial.Vector(c, n, func(j int) T {
				if j >= k {
					return a[j]
				}
				return value(j)
			})
			continue
		}
		table[i] = trial.Vector(c, n, value)
	}
	if c.Chance(4) {
		table[0] = a
	}
	out := trial.Output[T](c, 8, rows)
	single := trial.OutputVector[T](c, 3)
	unit := trial.OutputVector[T](c, n)
	c.Call("pairs", func() {
		vecmath.DotEach(out.Row(0), a, table)
		vecmath.SqEuclideanEach(out.Row(1), a, table)
		vecmath.CosineEach(out.Row(2), a, table)
		for i, b := range table {
			out.Row(3)[i], out.Row(4)[i] = vecmath.Dot(a, b), vecmath.SqEuclidean(a, b)
			out.Row(5)[i], out.Row(6)[i] = vecmath.CosineSimilarity(a, b), vecmath.Manhattan(a, b)
			out.Row(7)[i] = vecmath.CosineSimilarity(b, a)
		}
		single[0], single[1], single[2] = vecmath.Sum(a), vecmath.Norm(a), vecmath.Normalize(unit, a)
	})
	u, least := trial.Epsilon[T](), trial.Least[T]()
	s, cosine := depth[T](n, 32), 2*depth[T](n, 16)+3
	lost := float64(n) * least // lost by underflow
	finite := func(x oracle.Real) bool { return x.Hi < trial.Largest[T]()*.9 }
	for i, b := range table {
		if want, size := oracle.Dot(a, b); finite(size) {
			trial.Near(c, out.Row(3)[i], want, s*u*size.Hi*1.01+lost, "Dot of %d elements", n)
		}
		square := oracle.SqDistance(a, b)
		whole := oracle.Of(square.Float64())
		if finite(whole) && whole.Hi > trial.Normal[T]() {
			whole = square.Ldexp(square.Exp)
		}
		bound := (s + 2) * u * whole.Hi * 1.01
		if math.IsInf(whole.Hi, 1) {
			bound = 0
		}
		trial.Near(c, out.Row(4)[i], whole, bound+lost, "SqEuclidean of %d elements", n)
		trial.Near(c, out.Row(5)[i], oracle.Cosine(a, b), cosine*u*1.01, "CosineSimilarity of %d elements", n)
		if want := oracle.Manhattan(a, b); finite(want) {
			trial.Near(c, out.Row(6)[i], want, (s+1)*u*want.Hi*1.01, "Manhattan of %d elements", n)
		}
		for k, j := range []int{3, 4, 5} {
			if out.Row(k)[i] != out.Row(j)[i] && out.Row(k)[i] == out.Row(k)[i] {
				c.Errorf("%d: row %d of %d elements: %v, and %v alone", k, i, n, out.Row(k)[i], out.Row(j)[i])
			}
		}
		if out.Row(7)[i] != out.Row(5)[i] {
			c.Errorf("the cosine depends on the order")
		}
	}
	if want, size := oracle.Sum(a); finite(size) {
		trial.Near(c, single[0], want, s*u*size.Hi*1.01, "Sum of %d elements", n)
	}
	norm := oracle.Norm(a)
	whole := oracle.Of(norm.Float64())
	if norm.Exp > -900 && norm.Exp < 900 {
		whole = norm.Ldexp(norm.Exp)
	}
	trial.Near(c, single[1], whole, (s/2+1)*u*whole.Hi*1.01+least/2, "Norm of %d elements", n)
	if single[2] != single[1] {
		c.Errorf("Normalize returns %v, Norm %v", single[2], single[1])
	}
	for i, v := range unit {
		want := oracle.Real{}
		if norm.Hi != 0 {
			want = oracle.Of(a[i]).Ldexp(-norm.Exp).Div(norm.Real)
		}
		trial.Near(c, v, want, (s/2+3)*u*want.Abs().Hi*1.01+2*least, "Normalize of %d elements, %d", n, i)
		if c.Failed() {
			return
		}
	}
}

// longLength returns a length for which AddScaled and MeanRows call a kernel several times.
func longLength(c *trial.Case) int { return 1<<15 + c.IntN(1<<16) }

func compareElements[T vecmath.Float](c *trial.Case) {
	n := c.Shape(20000, c.Budget(1<<9, 1<<12), 1)[0]
	if c.Chance(30) {
		n = longLength(c)
	}
	spread := []float64{1, 10, 100, 800}[c.IntN(4)]
	arguments := func(int) T {
		if c.Chance(50) {
			return T([]float64{0, 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), trial.Largest[T](), trial.Least[T](), -trial.Least[T]()}[c.IntN(9)])
		}
		return T(c.NormFloat64() * spread)
	}
	x := trial.Vector(c, n, arguments)
	positive := trial.Vector(c, n, func(int) T {
		switch c.IntN(50) {
		case 0:
			return arguments(0)
		case 1:
			return T(trial.Least[T]() * float64(c.IntN(1<<20)))
		case 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12:
			return T(1 + c.NormFloat64()*math.Ldexp(1, -c.IntN(50)))
		}
		return T(math.Exp(c.NormFloat64() * spread / 9))
	})
	in := trial.InPlace(c, 1, n, func(_, j int) T { return x[j] })
	out := trial.Output[T](c, 7, n)
	added := trial.InPlace(c, 1, n, func(_, j int) T { return positive[j] })
	alpha := T(c.NormFloat64())
	c.Call("elements", func() {
		vecmath.Exp(out.Row(0), x)
		vecmath.Exp2(out.Row(1), x)
		vecmath.Log(out.Row(2), positive)
		vecmath.Log2(out.Row(3), positive)
		vecmath.Sigmoid(out.Row(4), x)
		vecmath.Scale(out.Row(5), alpha, x)
		vecmath.AddScaled(added.Data, alpha, x)
		vecmath.Exp(in.Data, in.Data)
		copy(out.Row(6), in.Data)
	})
	bounds := [...]float64{.70, .63, .70, .70, 2.95}
	below := .85
	if trial.Epsilon[T]() > 1e-10 {
		bounds = [...]float64{.72, .68, .65, .69, 2.95}
	}
	ln2 := oracle.Ln2()
	for j := range n {
		if n > 1<<15 && !c.Chance(64) {
			continue
		}
		log := oracle.Of(positive[j]).Log()
		log2 := log.Div(ln2)
		if math.IsInf(log.Hi, 0) {
			log2 = log
		}
		exp := oracle.Of(x[j]).Exp()
		for k, want := range []oracle.Real{exp, oracle.Of(x[j]).Exp2(), log, log2, oracle.Sigmoid(x[j])} {
			ulp := ulpOf[T](want.Hi)
			bound := bounds[k] * ulp
			if size := math.Abs(want.Hi); size < trial.Normal[T]() {
				switch {
				case k < 4:
					bound = below * ulp
				case exp.Hi < 1/trial.Largest[T](): // exp(−x) overflows
					want = oracle.Real{}
				}
			}
			if (k == 0 || k == 1) && !math.IsInf(want.Hi, 0) && want.Hi > trial.Largest[T]()*(1-1e-6) {
				continue // TestExp2Ends tests the ends of the range
			}
			trial.Near(c, out.Row(k)[j], want, bound, "function %d of %v, %v", k, x[j], positive[j])
		}
		trial.Near(c, out.Row(5)[j], oracle.Of(alpha).Mul(oracle.Of(x[j])), ulpOf[T](float64(alpha)*float64(x[j]))/2, "Scale %v by %v", x[j], alpha)
		sum := oracle.Of(alpha).Mul(oracle.Of(x[j])).Add(oracle.Of(positive[j]))
		trial.Near(c, added.Data[j], sum, ulpOf[T](sum.Hi)/2*1.000001, "AddScaled %v and %v", x[j], positive[j])
		if a, b := out.Row(6)[j], out.Row(0)[j]; a != b && a == a {
			c.Errorf("Exp of %v in place is %v, else %v", x[j], a, b)
		}
		if c.Failed() {
			return
		}
	}
}

// ulpOf returns the unit in the last place of T at x.
func ulpOf[T vecmath.Float](x float64) float64 {
	if x == 0 || x-x != 0 {
		return trial.Least[T]()
	}
	_, e := math.Frexp(x)
	return max(math.Ldexp(trial.Epsilon[T](), e), trial.Least[T]())
}

// compareRows compares the matrix functions with the slice functions applied to each row, and
// MeanRows with its definition.
func compareRows[T vecmath.Float](c *trial.Case) {
	s := c.Shape(10000, c.Budget(1<<12, 1<<16), 1, 1)
	rows, n := s[0], s[1]
	if c.Chance(30) {
		rows, n = 1+c.IntN(2), longLength(c)
	}
	value := randomValue[T](c)
	x := trial.Matrix(c, rows, n, func(int, int) T { return value(0) })
	src := dist.Matrix[T](x)
	type pair struct {
		all func(dst, src dist.Matrix[T])
		one func(dst, src []T)
	}
	pairs := []pair{
		{vecmath.SoftmaxRows[T], vecmath.Softmax[T]}, {vecmath.LogSoftmaxRows[T], vecmath.LogSoftmax[T]},
		{vecmath.NormalizeRows[T], func(dst, src []T) { vecmath.Normalize(dst, src) }},
	}
	var all, each, place []trial.View[T]
	for range pairs {
		all, each = append(all, trial.Output[T](c, rows, n)), append(each, trial.Output[T](c, rows, n))
		place = append(place, trial.InPlace(c, rows, n, func(i, j int) T { return x.Row(i)[j] }))
	}
	sums, sum := trial.OutputVector[T](c, rows), trial.OutputVector[T](c, rows)
	means := trial.OutputVector[T](c, n)
	c.Call("rows", func() {
		vecmath.LogSumExpRows(sums, src)
		vecmath.MeanRows(means, src)
		for k, p := range pairs {
			p.all(dist.Matrix[T](all[k]), src)
			p.all(dist.Matrix[T](place[k]), dist.Matrix[T](place[k]))
			for i, row := range x.Table() {
				if k == 0 {
					sum[i] = vecmath.LogSumExp(row)
				}
				p.one(each[k].Row(i), row)
			}
		}
	})
	same := func(a, b T) bool { return a == b || a != a && b != b }
	for k := range pairs {
		for i := range all[k].Table() {
			for j, want := range each[k].Row(i) {
				if !same(all[k].Row(i)[j], want) || !same(place[k].Row(i)[j], want) {
					c.Errorf("function %d of rows: %v, in place %v, alone %v", k, all[k].Row(i)[j], place[k].Row(i)[j], want)
					return
				}
			}
		}
	}
	if !slices.EqualFunc(sums, sum, same) {
		c.Errorf("LogSumExpRows: %v, alone %v", sums, sum)
	}
	sizes := make([]oracle.Real, n)
	for _, row := range x.Table() {
		for j, v := range row {
			sizes[j] = sizes[j].Add(oracle.Of(v).Abs())
		}
	}
	for j, want := range oracle.Means(x.Table(), n) {
		if rows == 0 {
			want = oracle.Of(math.NaN())
		}
		if sizes[j].Hi < trial.Largest[T]() {
			// The sum has an error of rows−1 roundings; the quotient is rounded once.
			bound := float64(rows) * trial.Epsilon[T]() * sizes[j].Hi / float64(max(1, rows)) * 1.01
			trial.Near(c, means[j], want, bound+trial.Least[T](), "mean %d of %d × %d", j, rows, n)
		}
	}
}

func compareSoftmax[T vecmath.Float](c *trial.Case) {
	n := c.Shape(20000, c.Budget(1<<13, 1<<15), 1)[0]
	value := randomValue[T](c)
	if !c.Chance(4) { // use moderate differences between elements; the largest element may be in the last block
		spread, rise := []float64{1e-3, 1, 30, 300}[c.IntN(4)], float64(c.IntN(3))
		value = func(i int) T { return T(spread * (c.NormFloat64() + rise*float64(i)/float64(n))) }
	}
	odd := c.Chance(8)
	x := trial.Vector(c, n, func(i int) T {
		switch {
		case c.Chance(50):
			return T(math.Inf(-1))
		case odd && c.Chance(n):
			return T([]float64{math.NaN(), math.Inf(1)}[c.IntN(2)])
		}
		return value(i)
	})
	softmax, logSoftmax, sum := trial.OutputVector[T](c, n), trial.OutputVector[T](c, n), trial.OutputVector[T](c, 1)
	c.Call("softmax", func() {
		vecmath.Softmax(softmax, x)
		vecmath.LogSoftmax(logSoftmax, x)
		sum[0] = vecmath.LogSumExp(x)
	})
	u, flush, lanes := trial.Epsilon[T](), 708.0, 8
	if u > 1e-10 {
		flush, lanes = 87, 16
	}
	top, log := oracle.LogSumExp(x)
	r := 0.0 // difference between the largest element and the smallest element that contributes
	for _, v := range x {
		if d := float64(top) - float64(v); d <= flush {
			r = max(r, d)
		}
	}
	block := 256 * lanes
	rounds := float64((min(n, block)+lanes-1)/lanes) + math.Log2(float64(lanes)) + math.Ceil(float64(n)/float64(block))
	lost := float64(n) * math.Exp(-flush)
	ofLog := (1.25*r+rounds+4)*u*log.Hi*1.01 + lost
	whole := oracle.Of(top).Add(log)
	trial.Near(c, sum[0], whole, ofLog+u*math.Abs(whole.Hi), "LogSumExp of %d elements", n)
	if top-top != 0 {
		log = oracle.Of(math.NaN())
	}
	for range min(n, 300) {
		i := c.IntN(n)
		d := oracle.Of(x[i]).Sub(oracle.Of(top))
		lower := d.Sub(log)
		trial.Near(c, logSoftmax[i], lower, ofLog+u*(math.Abs(d.Hi)+math.Abs(lower.Hi))*1.01, "LogSoftmax of %d elements, %d", n, i)
		want := lower.Exp()
		bound := (2.5*r + rounds + 5) * u * want.Hi * 1.01
		if -d.Hi > flush {
			bound = want.Hi
		}
		trial.Near(c, softmax[i], want, bound+lost*want.Hi+trial.Least[T](), "Softmax of %d elements, %d", n, i)
	}
}

func compareTopK[T vecmath.Float](c *trial.Case) {
	n := c.Shape(3000, c.Budget(1<<10, 1<<12), 1)[0]
	value := c.Values()
	x := trial.Vector(c, n, func(int) T {
		if c.Chance(40) {
			return T(math.NaN())
		}
		return T(value())
	})
	k := c.IntN(n + 3)
	want := oracle.TopK(x, k)
	dst := trial.OutputVector[int](c, n)
	c.Call("TopK", func() {
		if got := vecmath.TopK(dst[:0], x, k); !slices.Equal(got, want) {
			c.Errorf("TopK(%d of %d) = %v, want %v", k, n, got, want)
		}
	})
}

func compareBytes(c *trial.Case) {
	n := c.Shape(100000, c.Budget(1<<13, 1<<17), 1)[0]
	value := func(int) int8 { return int8(c.IntN(256)) }
	if c.Chance(4) { // the largest sums
		end := []int8{-128, 127}[c.IntN(2)]
		value = func(int) int8 { return end }
	}
	a, b := trial.Vector(c, n, value), trial.Vector(c, n, func(int) int8 { return int8(c.IntN(256)) })
	if c.Chance(4) {
		b = trial.Vector(c, n, func(i int) int8 { return -1 - a[i] })
	}
	ub, vb := trial.Vector(c, n, func(int) byte { return byte(c.Uint32()) }), trial.Vector(c, n, func(int) byte { return byte(c.Uint32()) })
	uw, vw := trial.Vector(c, n, func(int) uint64 { return c.Uint64() }), trial.Vector(c, n, func(int) uint64 { return c.Uint64() })
	got := trial.OutputVector[int64](c, 4)
	c.Call("bytes", func() {
		got[0], got[1] = vecmath.DotInt8(a, b), vecmath.SqEuclideanInt8(a, b)
		got[2], got[3] = int64(vecmath.Hamming(ub, vb)), int64(vecmath.Hamming(uw, vw))
	})
	want := []int64{oracle.DotInt8(a, b), oracle.SqDistanceInt8(a, b), int64(oracle.Hamming(ub, vb)), int64(oracle.Hamming(uw, vw))}
	if !slices.Equal(got, want) {
		c.Errorf("of %d bytes: %v, want %v", n, got, want)
	}
}

func compareHalves(c *trial.Case) {
	n := c.Shape(20000, c.Budget(1<<11, 1<<15), 1)[0]
	patterns := trial.Vector(c, n, func(int) uint16 { return uint16(c.Uint32()) })
	value := c.Values()
	near := c.IntN(3)
	x := trial.Vector(c, n, func(i int) float32 {
		p := patterns[i]
		switch {
		case near == 0: // the midpoint of two numbers, and its neighbors
			mid := float32((oracle.Float16.Value(p&0x7bff) + oracle.Float16.Value(p&0x7bff+1)) / 2)
			return math.Float32frombits(math.Float32bits(mid) + uint32(c.IntN(3)) - 1)
		case near == 1:
			return math.Float32frombits(c.Uint32()&^0xffff | []uint32{0x7fff, 0x8000, 0x8001, 0}[c.IntN(4)])
		}
		return float32(value())
	})
	wide, widened := trial.OutputVector[float32](c, n), trial.OutputVector[float32](c, n)
	half, brain := trial.OutputVector[uint16](c, n), trial.OutputVector[uint16](c, n)
	signs := trial.OutputVector[byte](c, (n+7)/8)
	quantized, scale := trial.OutputVector[int8](c, n), trial.OutputVector[float32](c, 1)
	c.Call("halves", func() {
		vecmath.FromFloat16(wide, patterns)
		vecmath.FromBFloat16(widened, patterns)
		vecmath.ToFloat16(half, x)
		vecmath.ToBFloat16(brain, x)
		vecmath.SignBits(signs, x)
		scale[0] = vecmath.QuantizeInt8(quantized, x)
	})
	equal := func(a float32, b float64) bool {
		return cmp.Compare(float64(a), b) == 0 && (a != a || math.Signbit(float64(a)) == math.Signbit(b))
	}
	largest, negative := 0.0, make([]byte, (n+7)/8)
	for i, p := range patterns {
		if a, b := oracle.Float16.Value(p), oracle.BFloat16.Value(p); !equal(wide[i], a) || !equal(widened[i], b) {
			c.Errorf("%#x is %v and %v, want %v and %v", p, wide[i], widened[i], a, b)
		}
		v := float64(x[i])
		if a, b := oracle.Float16.Nearest(v), oracle.BFloat16.Nearest(v); half[i] != a || brain[i] != b {
			c.Errorf("%v becomes %#x and %#x, want %#x and %#x", v, half[i], brain[i], a, b)
		}
		if !(v-v == 0) {
			largest = math.NaN()
		}
		largest = max(largest, math.Abs(v))
		if v < 0 {
			negative[i/8] |= 1 << (i % 8)
		}
		if c.Failed() {
			return
		}
	}
	if !slices.Equal(signs, negative) {
		c.Errorf("signs %v, want %v", signs, negative)
	}
	s := float64(scale[0])
	if largest != largest || largest == 0 {
		for _, q := range quantized {
			if q != 0 || largest == 0 && s != 0 || largest != 0 && s == s {
				c.Errorf("%d with scale %v of numbers up to %v", q, s, largest)
				return
			}
		}
		return
	}
	// scale is max|x|/127, rounded up to 17 bits. The last bit is at least 2⁻¹⁴².
	if m := math.Float32bits(scale[0]); s < largest/127 || s > largest/127*(1+0x1p-16)+0x1p-142 ||
		bits.TrailingZeros32(m) < 7 && s > 0x1p-120 {
		c.Errorf("the scale is %v of numbers up to %v", s, largest)
	}
	for i, q := range quantized {
		// If two integers are equally near, either one is correct.
		if v := float64(x[i]); q == -128 || math.Abs(s*float64(q)-v) > s/2*(1+1e-12) {
			c.Errorf("%v is %d times %v", v, q, s)
			return
		}
	}
}
