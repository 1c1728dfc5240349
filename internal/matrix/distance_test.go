package matrix

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/gram"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/testdata"
)

// strided returns a rows × cols matrix of uniform values with a stride larger than cols and NaN
// between the rows.
func strided[T num.Float](rng *rand.Rand, rows, cols, gap int) Matrix[T] {
	m := Matrix[T]{Rows: rows, Cols: cols, Stride: cols + gap, Data: make([]T, rows*(cols+gap))}
	for i := range m.Data {
		m.Data[i] = T(math.NaN())
	}
	for i := range rows {
		for j := range cols {
			m.Set(i, j, T(rng.Float64()-0.5))
		}
	}
	return m
}

// squaredDistance returns the squared distance as a chain of FMAs, one for each feature.
func squaredDistance[T num.Float](x, z []T) (sum T) {
	for k := range x {
		d := x[k] - z[k]
		sum = num.FMA(d, d, sum)
	}
	return sum
}

// shapes returns shapes (n, m, d) near multiples of the tile and panel sizes.
func shapes() [][3]int {
	var s [][3]int
	for _, d := range []int{0, 1, 2, 7, 16, 17, 64, 65, 255, 256, 257, 600, 1030} {
		for _, nm := range [][2]int{{1, 1}, {3, 5}, {13, 95}, {7, 97}, {2, 193}, {1, 400}} {
			s = append(s, [3]int{nm[0], nm[1], d})
		}
	}
	return append(s, [3]int{0, 4, 3}, [3]int{4, 0, 3})
}

// TestDistances checks every distance and every element of a Gibbs kernel against a direct
// calculation at every instruction-set level. The sizes of the matrices are near multiples of the tile
// and panel sizes.
func TestDistances(t *testing.T) {
	for lv := range asmtest.Each(t) {
		t.Run(lv.String()+"/float64", func(t *testing.T) { testDistances[float64](t) })
		t.Run(lv.String()+"/float32", func(t *testing.T) { testDistances[float32](t) })
	}
}

func testDistances[T num.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i, s := range shapes() {
		n, m, d := s[0], s[1], s[2]
		if !testdata.IsLong() && d > 64 && (i+i/6)%3 != 0 {
			continue // only the long tests combine all tile edges with all feature counts
		}
		gaps := []int{0, 3}
		if !testdata.IsLong() { // the short tests use only one of the gaps between rows
			gap := (i + i/6) % 2
			if num.IsFloat64[T]() {
				gap = 1 - gap
			}
			gaps = gaps[gap : gap+1]
		}
		for _, gap := range gaps {
			x, z := strided[T](rng, n, d, gap), strided[T](rng, m, d, 2*gap)
			if n > 0 && m > 0 {
				copy(z.Row(m/2), x.Row(n/2)) // equal rows have distance 0
			}
			dst, k := strided[T](rng, n, m, gap), strided[T](rng, n, m, gap)
			const lambda = 0.7
			dist.SqEuclidean(dst, x, z)
			dist.Gibbs(k, x, z, lambda)
			// The functions for a transposed z must give the same bits. GibbsTrans can also store the
			// distances, in dst2.
			zt := strided[T](rng, d, m, gap)
			Transpose(zt, z)
			dst2, k2, k3 := strided[T](rng, n, m, gap), strided[T](rng, n, m, gap), strided[T](rng, n, m, gap)
			SqEuclideanTrans(dst2, x, zt)
			GibbsTrans(k2, Matrix[T]{}, x, zt, exp.Bits[T](lambda))
			checkEqual(t, dst2, dst)
			checkEqual(t, k2, k)
			GibbsTrans(k3, dst2, x, zt, exp.Bits[T](lambda))
			checkEqual(t, dst2, dst)
			checkEqual(t, k3, k)
			for i := range n {
				for j := range m {
					want := squaredDistance(x.Row(i), z.Row(j))
					if d >= gram.Features {
						want = gram.Ref(x.Row(i), z.Row(j))
					}
					if got := dst.At(i, j); got != want {
						t.Fatalf("%v, gap %d: D[%d][%d] = %v, want %v", s, gap, i, j, got, want)
					}
					if got, want := k.At(i, j), exp.Ref2(exp.Bits[T](lambda)*want); got != want {
						t.Fatalf("%v, gap %d: K[%d][%d] = %v, want %v", s, gap, i, j, got, want)
					}
				}
				for _, v := range dst.Data[i*dst.Stride+m : (i+1)*dst.Stride] {
					if v == v {
						t.Fatalf("%v, gap %d: wrote beyond row %d", s, gap, i)
					}
				}
			}
			if n > 0 && m > 0 && dst.At(n/2, m/2) != 0 {
				t.Errorf("%v: equal rows are %v apart", s, dst.At(n/2, m/2))
			}
		}
	}
}

func TestExp(t *testing.T) {
	x := []float64{0, 1, -1, 709.78, -745, math.Inf(-1), math.Inf(1)}
	// want contains constants, because math.Exp overflows early or flushes to zero on some machines.
	want := []float64{1, math.E, 1 / math.E, 1.7928227943945155e308, math.SmallestNonzeroFloat64, 0, math.Inf(1)}
	dst := make([]float64, len(x)+1)
	dst[len(x)] = 5
	Exp(dst[:len(x)], x)
	for i, w := range want {
		if !(math.Abs(dst[i]-w) <= 1e-14*w) && dst[i] != w {
			t.Errorf("exp(%v) = %v, want %v", x[i], dst[i], w)
		}
	}
	if dst[len(x)] != 5 {
		t.Error("wrote beyond the argument")
	}
}

// checkEqual checks that the elements are equal and that the NaN values between the rows are
// unchanged.
func checkEqual[T num.Float](t *testing.T, got, want Matrix[T]) {
	t.Helper()
	for i := range want.Data {
		if g, w := got.Data[i], want.Data[i]; g != w && (g == g || w == w) {
			t.Fatalf("%d × %d: element %d is %v, want %v", want.Rows, want.Cols, i, g, w)
		}
	}
}
