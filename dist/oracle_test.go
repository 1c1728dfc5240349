package dist_test

import (
	"math"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/oracle"
	"github.com/gomonge/monge/internal/oracle/trial"
)

// blocked lists the folders whose code processes matrices in blocks. The test uses many random shapes close to the block
// sizes.
var blocked = []string{"dist", "internal/asm", "internal/asm/gram", "internal/asm/distance", "internal/asm/project", "internal/asm/exp"}

func TestOracle(t *testing.T) {
	t.Run("float64", testOracle[float64])
	t.Run("float32", testOracle[float32])
	t.Run("self", func(t *testing.T) { trial.Run(t, 1, blocked, compareSelf) })
}

func testOracle[T dist.Float](t *testing.T) {
	t.Run("pairs", func(t *testing.T) { trial.Run(t, 50, blocked, comparePairs[T]) })
	t.Run("Project", func(t *testing.T) { trial.Run(t, 30, blocked, compareProject[T]) })
}

// clouds draws two clouds. The clouds may be the same matrix, a matrix and its copy, row ranges of one matrix, or independent
// matrices.
func clouds[T dist.Float](c *trial.Case) (x, z dist.Matrix[T]) {
	var n, m, d int
	kind, budget := c.IntN(9)/2, c.Budget(1<<19, 1<<26)
	if kind < 3 {
		s := c.Shape(10000, budget, 2, 1)
		n, d = min(s[0], 2100), s[1]
		m = n
	} else {
		s := c.Shape(10000, budget, 1, 1, 1)
		n, m, d = s[0], s[1], s[2]
		m = min(m, 1<<22/(n+1))
	}
	value := c.Values()
	if extreme := c.IntN(12); extreme < 2 {
		value = func() float64 { // draw numbers whose squares overflow or underflow
			return math.Ldexp(c.NormFloat64(), []int{1, -1}[extreme]*math.Ilogb(trial.Largest[T]())/2+c.IntN(30)-15)
		}
	}
	matrix := func(rows int) dist.Matrix[T] {
		return dist.Matrix[T](trial.Matrix(c, rows, d, func(i, j int) T { return T(value()) }))
	}
	x = matrix(n)
	switch kind {
	case 0: // a cloud with itself
		return x, x
	case 1: // a cloud with its copy
		return x, dist.Matrix[T](trial.Matrix(c, n, d, func(i, j int) T { return x.Data[i*x.Stride+j] }))
	case 3: // views of one matrix, which may overlap
		if n > 1 {
			return x.RowRange(0, 1+c.IntN(n-1)), x.RowRange(c.IntN(n), n)
		}
	}
	return x, matrix(m)
}

// visitElements calls f for all elements of an n × m matrix if n·m is at most limit. For a larger
// matrix, it calls f for random elements, some of which are at the edges.
func visitElements(c *trial.Case, n, m, limit int, f func(i, j int)) {
	if n*m <= limit {
		for k := range n * m {
			f(k/m, k%m)
		}
		return
	}
	for range limit {
		i, j := c.IntN(n), c.IntN(m)
		switch c.IntN(8) {
		case 0:
			i = (n - 1) * c.IntN(2)
		case 1:
			j = (m - 1) * c.IntN(2)
		}
		f(i, j)
	}
}

func comparePairs[T dist.Float](c *trial.Case) {
	x, z := clouds[T](c)
	compareClouds(c, x, z)
}

// compareSelf checks the distances from a cloud to itself. The cloud has two blocks of columns.
// Random shapes rarely have more than one block.
func compareSelf(c *trial.Case) {
	x := dist.Matrix[float64](trial.Matrix(c, 961+c.IntN(96), 64, func(i, j int) float64 { return c.NormFloat64() }))
	compareClouds(c, x, x)
}

func compareClouds[T dist.Float](c *trial.Case, x, z dist.Matrix[T]) {
	n, m, d := x.Rows, z.Rows, x.Cols
	dst, kernel := dist.Matrix[T](trial.Output[T](c, n, m)), dist.Matrix[T](trial.Output[T](c, n, m))
	lambda := T(math.Exp(c.NormFloat64()*3) / float64(d+1))
	switch c.IntN(16) {
	case 0:
		lambda = 0
	case 1:
		lambda = T(trial.Largest[T]()) / T(1+c.IntN(3))
	case 2, 3:
		lambda = T(trial.Least[T]() * float64(1+c.IntN(5)))
	}
	c.Call("SqEuclidean and Gibbs", func() {
		dist.SqEuclidean(dst, x, z)
		dist.Gibbs(kernel, x, z, lambda)
	})
	u, factor := trial.Epsilon[T](), 1.0
	if d >= 64 {
		factor = 50
	}
	if factor*float64(d+2)*u > 0.04 {
		return
	}
	visitElements(c, n, m, min(3000, 1+200000/(d+1)), func(i, j int) {
		want := oracle.SqDistance(x.Row(i), z.Row(j))
		whole := oracle.Of(want.Float64())
		if whole.Hi > trial.Normal[T]() && whole.Hi <= math.MaxFloat64 {
			whole = want.Ldexp(want.Exp)
		}
		got := dst.At(i, j)
		// An underflow changes a square by at most half of the smallest number.
		bound := factor*float64(d+2)*u*whole.Hi + float64(d)*trial.Least[T]()
		if math.IsInf(bound, 0) {
			bound = 0
		}
		trial.Near(c, got, whole, bound, "distance %d, %d of %d × %d × %d", i, j, n, m, d)
		if got < 0 || want.Hi == 0 && got != 0 {
			c.Errorf("distance %d, %d is %v, where the true one is %v", i, j, got, want.Hi)
		}

		k := float64(kernel.At(i, j))
		y := whole.Mul(oracle.Of(lambda))
		value := y.Neg().Exp()
		switch {
		case lambda == 0:
			y, value = oracle.Of(0), oracle.Of(1)
		case math.IsInf(float64(got), 1):
			if k != 0 {
				c.Errorf("kernel %d, %d is %v of an infinite distance", i, j, k)
			}
			return
		}
		ulp := factor*float64(d+3)*y.Hi + 1
		if float64(lambda) < trial.Normal[T]() {
			ulp += 3
		}
		// If the distance underflows, the error of the exponent is at most lost.
		lost := float64(d) * trial.Least[T]() * float64(lambda)
		if !(y.Hi <= 1000) || ulp*u > 0.01 || lost > 0.01 {
			if k != k || k < 0 || k > 1 || y.Hi > 1000 && lost < 0.01 && ulp*u < 0.01 && k != 0 {
				c.Errorf("kernel %d, %d is %v with λ = %v and distance %v", i, j, k, lambda, whole.Hi)
			}
			return
		}
		if least := trial.Normal[T](); value.Hi < least*(1+2*ulp*u) {
			if k != 0 && !(k >= least && value.Hi > least*(1-2*ulp*u)) {
				c.Errorf("kernel %d, %d is %v, want 0 for %v", i, j, k, value.Hi)
			}
			return
		}
		trial.Near(c, T(k), value, (ulp*2*u+lost)*value.Hi, "kernel %d, %d of %d × %d × %d, λ = %v", i, j, n, m, d, lambda)
	})
}

func compareProject[T dist.Float](c *trial.Case) {
	s := c.Shape(5000, c.Budget(1<<17, 1<<23), 1, 1, 1)
	n, comps, d := s[0], s[1], s[2]
	value := c.Values()
	element := func(i, j int) T { return T(value()) }
	x, p := dist.Matrix[T](trial.Matrix(c, n, d, element)), dist.Matrix[T](trial.Matrix(c, d, comps, element))
	if c.Chance(4) { // both operands are parts of one matrix
		p = dist.Matrix[T](trial.Matrix(c, n+d, max(d, comps), element))
		x, p = p.RowRange(d, d+n).ColRange(0, d), p.RowRange(0, d).ColRange(0, comps)
	}
	var offset []T
	if c.Chance(2) {
		offset = trial.Vector(c, comps, func(int) T { return T(value()) })
	}
	dst := dist.Matrix[T](trial.Output[T](c, n, comps))
	c.Call("Project", func() { dist.Project(dst, x, p, offset) })
	column := make([]T, d)
	visitElements(c, n, comps, 2000, func(i, j int) {
		for k := range column {
			column[k] = p.At(k, j)
		}
		own := T(0)
		if offset != nil {
			own = offset[j]
		}
		var row []T
		if d > 0 {
			row = x.Row(i)
		}
		want, size := oracle.Project(own, row, column)
		trial.Near(c, dst.At(i, j), want, float64(d+1)*trial.Epsilon[T]()*size.Hi*1.01, "projection %d, %d of %d × %d × %d", i, j, n, comps, d)
	})
}
