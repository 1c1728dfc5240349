package vecmath_test

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/random"
	"github.com/gomonge/monge/vecmath"
)

// TestCosineSimilarity checks the documented values, and the bound on the error.
func TestCosineSimilarity(t *testing.T) {
	t.Run("f64", testCosine[float64])
	t.Run("f32", testCosine[float32])
}

func testCosine[T vecmath.Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	most, least := asmtest.Specials[T]()[12], asmtest.Least[T]()
	var worst asmtest.Worst
	for lv := range asmtest.Each(t) {
		for _, n := range []int{1, 2, 3, 5, 16, 31, 33, 64, 100, 384, 1536} {
			for _, scale := range []T{1, least * 8, 1e-30, 1e-20, 1e15, 1e25, most / 8} {
				a, b := asmtest.Values[T](rng, n, asmtest.Gauss), asmtest.Values[T](rng, n, asmtest.Gauss)
				for i := range a {
					a[i] = T(max(-1, min(a[i], 1))) * scale
				}
				if isZero(a) || isZero(b) {
					continue
				}
				c := vecmath.CosineSimilarity(a, b)
				if d := vecmath.CosineSimilarity(b, a); !asmtest.SameBits(c, d) {
					t.Errorf("%v, n = %d, scale %v: cosines %v and %v", lv, n, scale, c, d)
				}
				if e := vecmath.CosineSimilarity(a, a); e != 1 {
					t.Errorf("%v, n = %d, scale %v: cosine %v with itself", lv, n, scale, e)
				}
				var ab, aa, bb asmtest.ExactSum
				for i := range a {
					ab.Add(float64(a[i]), float64(b[i]))
					aa.Add(float64(a[i]), float64(a[i]))
					bb.Add(float64(b[i]), float64(b[i]))
				}
				root := new(big.Float).Mul(aa.Value(), bb.Value())
				want := new(big.Float).Quo(ab.Value(), root.Sqrt(root))
				w := 2 * num.Lanes[T]()
				k := (n+w-1)/w + int(math.Log2(float64(w)))
				worst.See(asmtest.Error(float64(c), want, big.NewFloat(asmtest.Gamma[T](2*k+3))), "n = %d, scale %v", n, scale)
				if c < -1 || c > 1 {
					t.Errorf("%v, n = %d, scale %v: cosine %v", lv, n, scale, c)
				}
			}
		}
		nan, inf, zero := []T{1, T(math.NaN())}, []T{T(math.Inf(1)), 1}, []T{0, 0}
		for _, s := range []struct {
			a, b []T
			want float64
		}{
			{zero, []T{1, 2}, 0}, {zero, zero, 0}, {nil, nil, 0}, {zero, inf, 0}, {zero, nan, math.NaN()}, {nan, []T{1, 2}, math.NaN()},
			{inf, []T{1, 2}, math.NaN()}, {[]T{most, most}, []T{most, -most}, 0}, {[]T{least, 0}, []T{-least, 0}, -1}, {[]T{most, least}, []T{least, 0}, 1},
		} {
			if c := vecmath.CosineSimilarity(s.a, s.b); !asmtest.SameBits(c, T(s.want)) {
				t.Errorf("%v: cosine of %v and %v is %v, want %v", lv, s.a, s.b, c, s.want)
			}
		}
	}
	worst.Report(t, "cosine")
}

func isZero[T vecmath.Float](x []T) bool {
	return !slices.ContainsFunc(x, func(v T) bool { return v != 0 })
}

// TestNormAndNormalize compares norms and normalized vectors of all sizes with exact sums.
func TestNormAndNormalize(t *testing.T) {
	t.Run("f64", testNorm[float64])
	t.Run("f32", testNorm[float32])
}

func testNorm[T vecmath.Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	most, least := asmtest.Specials[T]()[12], asmtest.Least[T]()
	u := asmtest.Roundoff[T]()
	var worst, unit asmtest.Worst
	for lv := range asmtest.Each(t) {
		for _, n := range []int{1, 2, 3, 5, 64, 100, 384, 1536} {
			for _, scale := range []T{1, least * 8, 1e-30, 1e-20, 1e15, 1e25, most / 64} {
				x := asmtest.Values[T](rng, n, asmtest.Gauss)
				for i := range x {
					x[i] *= scale
				}
				if isZero(x) {
					continue
				}
				var s asmtest.ExactSum
				for _, v := range x {
					s.Add(float64(v), float64(v))
				}
				want := new(big.Float).Sqrt(s.Value())
				w := 4 * num.Lanes[T]()
				k := float64((n+w-1)/w)/2 + math.Log2(float64(w))/2 + 1
				bound := new(big.Float).Mul(want, big.NewFloat(k*u/(1-k*u)))
				worst.See(asmtest.Error(float64(vecmath.Norm(x)), want, bound.Add(bound, big.NewFloat(float64(least)))), "n = %d, scale %v", n, scale)
				y := make([]T, n)
				if got := vecmath.Normalize(y, x); !asmtest.SameBits(got, vecmath.Norm(x)) {
					t.Errorf("%v, n = %d, scale %v: Normalize returned %v, the norm is %v", lv, n, scale, got, vecmath.Norm(x))
				}
				for i, v := range y {
					e := new(big.Float).Quo(new(big.Float).SetPrec(300).SetFloat64(float64(x[i])), want)
					b := new(big.Float).Mul(new(big.Float).Abs(e), big.NewFloat((k+2)*u*1.01))
					unit.See(asmtest.Error(float64(v), e, b.Add(b, big.NewFloat(4*float64(least)))), "n = %d, scale %v, element %d", n, scale, i)
				}
			}
		}
		inf, nan := T(math.Inf(-1)), T(math.NaN())
		for _, c := range []struct {
			x    []T
			norm float64
			unit []T
		}{
			{nil, 0, nil}, {[]T{0, T(math.Copysign(0, -1))}, 0, []T{0, T(math.Copysign(0, -1))}}, {[]T{inf, 3}, math.Inf(1), []T{nan, 0}},
			{[]T{inf, nan}, math.NaN(), []T{nan, nan}}, {[]T{3 * least, 4 * least}, 5 * float64(least), []T{.6, .8}}, {[]T{most, most}, math.Inf(1), []T{math.Sqrt2 / 2, math.Sqrt2 / 2}},
		} {
			y := slices.Clone(c.x)
			if got := vecmath.Normalize(y, y); !asmtest.SameBits(got, T(c.norm)) && c.norm != math.Inf(1) || !asmtest.SameBits(got, vecmath.Norm(c.x)) {
				t.Errorf("%v: norm of %v is %v, want %v", lv, c.x, got, c.norm)
			}
			for i := range y {
				if !asmtest.SameBits(y[i], c.unit[i]) && !(math.Abs(float64(y[i]-c.unit[i])) <= 4*u) {
					t.Errorf("%v: %v becomes %v, want %v", lv, c.x, y, c.unit)
				}
			}
		}
	}
	worst.Report(t, "norm")
	unit.Report(t, "normalized")
}

// TestLinearOperations compares the bits of AddScaled, Scale, MeanRows and NormalizeRows with their formulas.
func TestLinearOperations(t *testing.T) {
	for lv := range asmtest.Each(t) {
		for _, n := range []int{0, 1, 5, 16, 33, 100, 40_000} {
			x, y := asmtest.Values[float32](asmtest.NewRand(1), n, asmtest.Special), asmtest.Values[float32](asmtest.NewRand(2), n, asmtest.Gauss)
			got := slices.Clone(y)
			vecmath.AddScaled(got, -1.7, x)
			for i := range x {
				if want := num.FMA(-1.7, x[i], y[i]); !asmtest.SameBits(got[i], want) {
					t.Fatalf("%v, n = %d: AddScaled[%d] = %v, want %v", lv, n, i, got[i], want)
				}
			}
			vecmath.Scale(got, 3, x)
			for i := range x {
				if want := 3 * x[i]; !asmtest.SameBits(got[i], want) {
					t.Fatalf("%v, n = %d: Scale[%d] = %v, want %v", lv, n, i, got[i], want)
				}
			}
		}
		for _, m := range []int{0, 1, 3, 256, 300} {
			for _, cols := range []int{1, 7, 50} {
				x := dist.NewMatrix(m, cols+1, asmtest.Values[float64](asmtest.NewRand(1), m*(cols+1), asmtest.Gauss)).ColRange(0, cols)
				mean, unit := make([]float64, cols), dist.NewMatrix(m, cols, make([]float64, m*cols))
				vecmath.MeanRows(mean, x)
				vecmath.NormalizeRows(unit, x)
				for j, got := range mean {
					sum := 0.0
					for i := range m {
						sum += x.At(i, j)
					}
					if want := sum / float64(m); !asmtest.SameBits(got, want) {
						t.Fatalf("%v: mean %d of %d rows is %v, want %v", lv, j, m, got, want)
					}
				}
				for i := range m {
					row := make([]float64, cols)
					vecmath.Normalize(row, x.Row(i))
					asmtest.SameSlices(t, "a normalized row", unit.Row(i), row)
				}
			}
		}
	}
}

// TestTopK compares TopK with sorting.
func TestTopK(t *testing.T) {
	rng := asmtest.NewRand(1)
	var dst []int
	for try := range 2000 {
		n := rng.IntN(40)
		x := make([]float64, n)
		for i := range x {
			if x[i] = float64(rng.IntN(8) - 4); rng.IntN(5) == 0 {
				x[i] = asmtest.Value[float64](rng, asmtest.Special)
			}
		}
		k := rng.IntN(n + 3)
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(i, j int) int { return cmp.Compare(x[j], x[i]) }) // cmp.Compare orders NaN before all numbers, so NaNs come last
		want = want[:min(k, n)]
		if dst = vecmath.TopK(dst, x, k); !slices.Equal(dst, want) {
			t.Fatalf("try %d: the first %d of %v are %v, want %v", try, k, x, dst, want)
		}
	}
}

// TestEachMatchesSinglePairs compares DotEach, SqEuclideanEach and CosineEach with the functions
// that take two slices. If a row has a different length, the panic must contain the index of the
// row.
func TestEachMatchesSinglePairs(t *testing.T) {
	rng := asmtest.NewRand(1)
	query, rows, dst := asmtest.Values[float32](rng, 100, asmtest.Gauss), make([][]float32, 7), make([]float32, 7)
	for i := range rows {
		rows[i] = asmtest.Values[float32](rng, 100, asmtest.Gauss)
	}
	for name, f := range map[string]struct {
		each func(dst, query []float32, rows [][]float32)
		one  func(a, b []float32) float32
	}{
		"DotEach":         {vecmath.DotEach[float32], vecmath.Dot[float32]},
		"SqEuclideanEach": {vecmath.SqEuclideanEach[float32], vecmath.SqEuclidean[float32]},
		"CosineEach":      {vecmath.CosineEach[float32], vecmath.CosineSimilarity[float32]},
	} {
		f.each(dst, query, rows)
		for i, got := range dst {
			if want := f.one(query, rows[i]); got != want {
				t.Errorf("%s: row %d has %v, want %v", name, i, got, want)
			}
		}
		wrong := slices.Clone(rows)
		wrong[3] = wrong[3][:99]
		func() {
			defer func() {
				if r, want := fmt.Sprint(recover()), "vecmath: shapes do not match: row 3 has 99 elements, the query 100"; r != want {
					t.Errorf("%s: %s, want %s", name, r, want)
				}
			}()
			f.each(dst, query, wrong)
		}()
	}
}

// TestPairGoldenBits checks the bits of all pair functions on every instruction set.
func TestPairGoldenBits(t *testing.T) {
	want := map[string]uint64{"f64": 0xa73d257640cf4776, "f32": 0x62e0e30bac88ced4}
	for lv := range asmtest.Each(t) {
		for kind, got := range map[string]uint64{"f64": pairBits[float64](), "f32": pairBits[float32]()} {
			if got != want[kind] {
				t.Errorf("%v, %s: %#x", lv, kind, got)
			}
		}
	}
}

// pairBits returns a hash of the results of all pair functions.
func pairBits[T vecmath.Float]() uint64 {
	var all []T
	rng := random.New(3, 0) // the same numbers on every machine
	normal := func(n int) []T {
		x := make([]T, n)
		for i := range x {
			x[i] = T(random.Normal(rng))
		}
		return x
	}
	for _, n := range []int{0, 1, 2, 3, 5, 16, 33, 64, 100, 300, 777} {
		for _, scale := range []T{1, 1e-30, 1e30} {
			x, y := normal(n), normal(n)
			all = append(all, vecmath.Sum(x), vecmath.Dot(x, y), vecmath.SqEuclidean(x, y), vecmath.Manhattan(x, y))
			vecmath.Scale(x, scale, x)
			all = append(all, vecmath.CosineSimilarity(x, y), vecmath.Norm(x), vecmath.Normalize(y, x))
			vecmath.AddScaled(x, 3, y)
			all = append(append(all, x...), y...)
		}
	}
	return hashOf(all)
}
