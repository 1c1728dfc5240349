package distance

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// span returns the length of the shortest slice that contains a rows × cols matrix.
func span(rows, cols, ld int) int {
	if rows == 0 || cols == 0 {
		return 0
	}
	return (rows-1)*ld + cols
}

// sqEuclideanShape describes one call: the dimensions, the padding of each stride, and whether
// SqEuclidean adds to dst.
type sqEuclideanShape struct {
	m, n, d    int
	gd, gx, gz int
	add        bool
}

func sqEuclideanCompare[T num.Float](t *testing.T, seed uint64, s sqEuclideanShape, c asmtest.Class) {
	asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
		ldd, ldx, ldz := s.n+s.gd, s.d+s.gx, s.n+s.gz
		x := a.In(span(s.m, s.d, ldx), c)
		zt := a.In(span(s.d, s.n, ldz), c)
		dst := a.InOut(span(s.m, s.n, ldd)+a.Rand.IntN(3), c)
		SqEuclidean(s.m, s.n, s.d, dst, ldd, x, ldx, zt, ldz, s.add)
	})
	if t.Failed() {
		t.Fatalf("%+v, values %v, seed %d", s, c, seed)
	}
}

func TestSqEuclideanLevels(t *testing.T) {
	t.Run("float64", sqEuclideanTestLevels[float64])
	t.Run("float32", sqEuclideanTestLevels[float32])
}

func sqEuclideanTestLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	call := func(s sqEuclideanShape, c asmtest.Class) {
		seed++
		sqEuclideanCompare[T](t, seed, s, c)
	}
	classes := asmtest.Classes()
	// Vary the number of columns, rows and dimensions in turn. Keep the other sizes small.
	for k, n := range asmtest.Lengths() {
		for i, c := range classes {
			v, add := k+i, (k+i)%2 == 0
			call(sqEuclideanShape{m: 1 + v%13, n: n, d: v % 6, gd: v % 3, gx: v % 4, gz: v % 5, add: add}, c)
			call(sqEuclideanShape{m: n, n: 1 + v%19, d: v % 5, gd: v % 4, gx: v % 2, gz: v % 3, add: add}, c)
			call(sqEuclideanShape{m: v % 15, n: v % 37, d: n, gd: v % 2, gx: v % 3, gz: v % 4, add: add}, c)
		}
	}
	// These sizes fill whole tiles or need several calls of assembly.
	for _, s := range []sqEuclideanShape{
		{m: 100, n: 100, d: 10},
		{m: 33, n: 96, d: 256, add: true},
		{m: 5, n: 7, d: 300, gz: 89},
		{m: 67, n: 1031, d: 17},
		{m: 3, n: 259, d: 1031, add: true},
		{m: 1031, n: 3, d: 129},
	} {
		call(s, asmtest.Gauss)
		call(s, asmtest.Special)
	}
}

// TestSqEuclideanSpecials compares the instruction-set levels for inputs with special values. Each
// special value is placed in every column of zt, and in elements of x.
func TestSqEuclideanSpecials(t *testing.T) {
	t.Run("float64", sqEuclideanTestSpecials[float64])
	t.Run("float32", sqEuclideanTestSpecials[float32])
}

func sqEuclideanTestSpecials[T num.Float](t *testing.T) {
	const m, n, d = 7, 53, 3
	for i, s := range asmtest.Specials[T]() {
		asmtest.Compare(t, uint64(i), func(a *asmtest.Arena[T]) {
			for j := range n {
				x, zt := make([]T, m*d), make([]T, d*n)
				asmtest.Fill(a.Rand, x, asmtest.Gauss)
				asmtest.Fill(a.Rand, zt, asmtest.Gauss)
				zt[j%d*n+j] = s
				if j%4 == 0 {
					x[j%m*d+j%d] = s
				}
				SqEuclidean(m, n, d, a.Out(m*n), n, x, d, zt, n, false)
			}
		})
	}
}

// TestSqEuclideanCut checks that SqEuclidean may be called for parts of the features, rows and
// columns. At every instruction-set level, the distances must have the same bits as from one call.
func TestSqEuclideanCut(t *testing.T) {
	t.Run("float64", sqEuclideanTestCut[float64])
	t.Run("float32", sqEuclideanTestCut[float32])
}

func sqEuclideanTestCut[T num.Float](t *testing.T) {
	const m, n, d = 23, 61, 70
	rng := asmtest.NewRand(1)
	x, zt := asmtest.Values[T](rng, m*d, asmtest.Gauss), asmtest.Values[T](rng, d*n, asmtest.Gauss)
	for lv := range asmtest.Each(t) {
		whole, cut := make([]T, m*n), make([]T, m*n)
		SqEuclidean(m, n, d, whole, n, x, d, zt, n, false)
		for range 20 {
			i, j, k := rng.IntN(m+1), rng.IntN(n+1), rng.IntN(d+1)
			for _, p := range [][4]int{{0, i, 0, j}, {0, i, j, n}, {i, m, 0, j}, {i, m, j, n}} {
				i0, i1, j0, j1 := p[0], p[1], p[2], p[3]
				if i0 == i1 || j0 == j1 {
					continue
				}
				c := cut[i0*n+j0:]
				SqEuclidean(i1-i0, j1-j0, k, c, n, x[i0*d:], d, zt[j0:], n, false)
				if k < d {
					SqEuclidean(i1-i0, j1-j0, d-k, c, n, x[i0*d+k:], d, zt[k*n+j0:], n, true)
				}
			}
			for q := range whole {
				if !asmtest.SameBits(whole[q], cut[q]) {
					t.Fatalf("%v: cut at row %d, column %d, k = %d: element %d is %v, of the whole chain %v", lv, i, j, k, q, cut[q], whole[q])
				}
			}
		}
	}
}

// gibbsShape describes one call: the dimensions, the padding of each stride, and whether Gibbs
// stores the distances D.
type gibbsShape struct {
	m, n, d        int
	gk, gd, gx, gz int
	keep           bool
}

// gibbsFactors returns values of the factor c of the Gibbs kernel K_ij = 2^(c·D_ij). With some of the
// values, elements of K underflow or overflow. Some values are not finite.
func gibbsFactors[T num.Float]() []T {
	most := asmtest.Specials[T]()
	return []T{-1.5, -0.125, -300, -40, 0, 3, 200, most[len(most)-1], most[len(most)-2], most[4], most[5], most[6], most[1]}
}

func gibbsCompare[T num.Float](t *testing.T, seed uint64, s gibbsShape, class asmtest.Class, c T) {
	asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
		ldk, ldd, ldx, ldz := s.n+s.gk, s.n+s.gd, s.d+s.gx, s.n+s.gz
		x := a.In(span(s.m, s.d, ldx), class)
		zt := a.In(span(s.d, s.n, ldz), class)
		k := a.InOut(span(s.m, s.n, ldk)+a.Rand.IntN(3), class)
		var dist []T
		if s.keep {
			dist = a.InOut(span(s.m, s.n, ldd)+a.Rand.IntN(3), class)
		}
		Gibbs(s.m, s.n, s.d, k, ldk, dist, ldd, x, ldx, zt, ldz, c)
	})
	if t.Failed() {
		t.Fatalf("%+v, values %v, c = %v, seed %d", s, class, c, seed)
	}
}

func TestGibbsLevels(t *testing.T) {
	t.Run("float64", gibbsTestLevels[float64])
	t.Run("float32", gibbsTestLevels[float32])
}

func gibbsTestLevels[T num.Float](t *testing.T) {
	cs := gibbsFactors[T]()
	seed := uint64(0)
	call := func(s gibbsShape, class asmtest.Class) {
		seed++
		c := cs[0] // every second call uses this factor
		if seed%2 == 0 {
			c = cs[seed/2%uint64(len(cs))]
		}
		gibbsCompare(t, seed, s, class, c)
	}
	classes := asmtest.Classes()
	// Vary the number of columns, rows and dimensions in turn. Keep the other sizes small.
	for q, n := range asmtest.Lengths() {
		for i, class := range classes {
			v, keep := q+i, (q+i)%2 == 0
			call(gibbsShape{m: 1 + v%13, n: n, d: v % 6, gk: v % 3, gd: v % 5, gx: v % 4, gz: v % 7, keep: keep}, class)
			call(gibbsShape{m: n, n: 1 + v%19, d: v % 5, gk: v % 4, gd: v % 3, gx: v % 2, gz: v % 3, keep: !keep}, class)
			call(gibbsShape{m: v % 15, n: v % 37, d: n, gk: v % 2, gd: v % 3, gx: v % 3, gz: v % 4, keep: keep}, class)
		}
	}
	// These sizes fill whole tiles or need several calls of assembly.
	for _, s := range []gibbsShape{
		{m: 100, n: 100, d: 10, keep: true},
		{m: 33, n: 96, d: 64},
		{m: 67, n: 1031, d: 17, keep: true},
		{m: 259, n: 259, d: 2},
	} {
		call(s, asmtest.Gauss)
		call(s, asmtest.Special)
	}
}

// TestGibbsSpecials compares the instruction-set levels for inputs with special values. Each
// special value is placed in columns of zt and in elements of x, and is combined with each factor
// c.
func TestGibbsSpecials(t *testing.T) {
	t.Run("float64", gibbsTestSpecials[float64])
	t.Run("float32", gibbsTestSpecials[float32])
}

func gibbsTestSpecials[T num.Float](t *testing.T) {
	const m, n, d = 7, 53, 3
	for i, s := range asmtest.Specials[T]() {
		for q, c := range gibbsFactors[T]() {
			asmtest.Compare(t, uint64(i), func(a *asmtest.Arena[T]) {
				for j := q % 2; j < n; j += 2 {
					x, zt := make([]T, m*d), make([]T, d*n)
					asmtest.Fill(a.Rand, x, asmtest.Gauss)
					asmtest.Fill(a.Rand, zt, asmtest.Gauss)
					zt[j%d*n+j] = s
					if j%4 == 0 {
						x[j%m*d+j%d] = s
					}
					Gibbs(m, n, d, a.Out(m*n), n, a.Out(m*n), n, x, d, zt, n, c)
				}
			})
		}
	}
}

// TestGibbsUnderflow checks distances at and near the threshold of underflow, in every vector lane.
func TestGibbsUnderflow(t *testing.T) {
	t.Run("float64", gibbsTestUnderflow[float64])
	t.Run("float32", gibbsTestUnderflow[float32])
}

func gibbsTestUnderflow[T num.Float](t *testing.T) {
	const m, n = 7, 41
	least, ulp := 1022.0, T(0x1p-48) // ulp is the ULP of numbers from 16 to 32, such as √1022
	if !num.IsFloat64[T]() {
		least, ulp = 126, 0x1p-20 // the ULP of numbers from 8 to 16, such as √126
	}
	x0 := T(math.Sqrt(least))
	asmtest.Compare(t, 1, func(a *asmtest.Arena[T]) {
		for at := -60; at < 60; at += n {
			x, zt := make([]T, m), make([]T, n)
			for i := range x {
				x[i] = x0
			}
			for j := range zt {
				zt[j] = T(at+j) * ulp
			}
			Gibbs(m, n, 1, a.Out(m*n), n, a.Out(m*n), n, x, 1, zt, n, -1)
		}
	})
}

// TestGibbsCut checks on every instruction set that blocks of rows and columns have the same bits
// as the whole matrix. It also checks that K has the same bits whether or not Gibbs stores the
// distances D.
func TestGibbsCut(t *testing.T) {
	t.Run("float64", gibbsTestCut[float64])
	t.Run("float32", gibbsTestCut[float32])
}

func gibbsTestCut[T num.Float](t *testing.T) {
	const m, n, d = 23, 61, 5
	rng := asmtest.NewRand(1)
	x, zt := make([]T, m*d), make([]T, d*n)
	asmtest.Fill(rng, x, asmtest.Gauss)
	asmtest.Fill(rng, zt, asmtest.Gauss)
	for lv := range asmtest.Each(t) {
		whole, cut, dist := make([]T, m*n), make([]T, m*n), make([]T, m*n)
		Gibbs(m, n, d, whole, n, nil, 0, x, d, zt, n, -0.7)
		for range 20 {
			i, j := rng.IntN(m+1), rng.IntN(n+1)
			for _, p := range [][4]int{{0, i, 0, j}, {0, i, j, n}, {i, m, 0, j}, {i, m, j, n}} {
				i0, i1, j0, j1 := p[0], p[1], p[2], p[3]
				if i0 < i1 && j0 < j1 {
					at := i0*n + j0
					Gibbs(i1-i0, j1-j0, d, cut[at:], n, dist[at:], n, x[i0*d:], d, zt[j0:], n, -0.7)
				}
			}
			for q := range whole {
				if !asmtest.SameBits(whole[q], cut[q]) {
					t.Fatalf("%v: cut at row %d, column %d: element %d is %v, of the whole %v", lv, i, j, q, cut[q], whole[q])
				}
			}
		}
	}
}

func TestAdjCostLevels(t *testing.T) {
	t.Run("f64", adjcostLevels[float64])
	t.Run("f32", adjcostLevels[float32])
}

func adjcostLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range append(asmtest.Lengths(), 240, 300) {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
				pad := func() int { return a.Rand.IntN(2) * a.Rand.IntN(10) }
				m, r := a.Rand.IntN(14), a.Rand.IntN(8)
				switch {
				case n%10 == 0 && n < 1000:
					m = a.Rand.IntN(200)
				case n%10 == 1 && n < 1000:
					r = a.Rand.IntN(61)
				}
				ldg, ldk, ldm, lda, ldb := n+pad(), n+pad(), n+pad(), r+pad(), n+pad()
				k := a.In(span(m, n, ldk), class)
				left, right := a.In(span(m, r, lda), class), a.In(span(r, n, ldb), class)
				u, v, lambda := a.In(m, class), a.In(n, class), asmtest.Value[T](a.Rand, class)
				if a.Rand.IntN(3) == 0 {
					g := a.InOut(span(m, n, ldg), class)
					AdjCost(m, n, r, g, ldg, k, ldk, g, ldg, left, lda, right, ldb, u, v, lambda)
					return
				}
				g := a.Out(span(m, n, ldg))
				AdjCost(m, n, r, g, ldg, k, ldk, a.In(span(m, n, ldm), class), ldm, left, lda, right, ldb, u, v, lambda)
			})
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

// TestAdjCostPieces checks that AdjCost is bit-identical to the Go reference implementation when
// AdjCost divides the work into several assembly calls.
func TestAdjCostPieces(t *testing.T) {
	t.Run("f64", adjcostPieces[float64])
	t.Run("f32", adjcostPieces[float32])
}

// TestAdjCostMachines checks that AdjCost has the same bits with the size tables of other machines.
func TestAdjCostMachines(t *testing.T) {
	asmtest.OtherMachines(t, func(t *testing.T) {
		const m, n, r, ld = 9, 101, 3, 4001 // for ldk ≥ 3000, some machines use AVX2 and others AVX-512
		k, mat, a, b, u, v := asmtest.Random[float64](m*ld), asmtest.Random[float64](m*n), asmtest.Random[float64](m*r), asmtest.Random[float64](r*n), asmtest.Random[float64](m), asmtest.Random[float64](n)
		g, want := make([]float64, m*n), make([]float64, m*n)
		adjcostRef(m, n, r, want, n, k, ld, mat, n, a, r, b, n, u, v, 1.5)
		for lv := range asmtest.Each(t) {
			AdjCost(m, n, r, g, n, k, ld, mat, n, a, r, b, n, u, v, 1.5)
			asmtest.SameSlices(t, lv.String()+": g", g, want)
		}
	})
}

func adjcostPieces[T num.Float](t *testing.T) {
	for _, adjcostShape := range [][3]int{{400, 300, 20}, {3, 100000, 4}, {100, 1003, 60}, {2000, 7, 40}} {
		m, n, r := adjcostShape[0], adjcostShape[1], adjcostShape[2]
		k, mat, a, b, u, v := asmtest.Random[T](m*n), asmtest.Random[T](m*n), asmtest.Random[T](m*r), asmtest.Random[T](r*n), asmtest.Random[T](m), asmtest.Random[T](n)
		g, want := make([]T, m*n), make([]T, m*n)
		adjcostRef(m, n, r, want, n, k, n, mat, n, a, r, b, n, u, v, 1.5)
		for lv := range asmtest.Each(t) {
			t.Run(fmt.Sprintf("%v/%dx%dx%d", lv, m, n, r), func(t *testing.T) {
				clear(g)
				AdjCost(m, n, r, g, n, k, n, mat, n, a, r, b, n, u, v, 1.5)
				for i := range g {
					if !asmtest.SameBits(g[i], want[i]) {
						t.Fatalf("g[%d] = %v, in one call %v", i, g[i], want[i])
					}
				}
			})
		}
	}
}
