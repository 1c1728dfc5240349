package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/exp2"
	"github.com/gomonge/monge/internal/asm/num"
)

// strided returns a rows × cols matrix of uniform values whose stride is larger than
// its rows, with NaN in between.
func strided[T Float](rng *rand.Rand, rows, cols, gap int) Matrix[T] {
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

// chain is the definition of a squared distance: one FMA a feature, in order.
func chain[T Float](x, z []T) (sum T) {
	for k := range x {
		d := x[k] - z[k]
		sum = num.FMA(d, d, sum)
	}
	return sum
}

// shapes lie around the edges of tiles and panels.
func shapes() [][3]int {
	var s [][3]int
	for _, d := range []int{0, 1, 2, 7, 16, 17, 64, 65, 255, 256, 257, 600} {
		for _, nm := range [][2]int{{1, 1}, {3, 5}, {13, 95}, {7, 97}, {2, 193}, {1, 400}} {
			s = append(s, [3]int{nm[0], nm[1], d})
		}
	}
	return append(s, [3]int{0, 4, 3}, [3]int{4, 0, 3})
}

func TestSqEuclideanAndGibbs(t *testing.T) {
	t.Run("float64", distances[float64])
	t.Run("float32", distances[float32])
}

func distances[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, s := range shapes() {
		n, m, d := s[0], s[1], s[2]
		for _, gap := range []int{0, 3} {
			x, z := strided[T](rng, n, d, gap), strided[T](rng, m, d, 2*gap)
			if n > 0 && m > 0 {
				copy(z.Row(m/2), x.Row(n/2)) // equal rows: distance 0
			}
			dst, k := strided[T](rng, n, m, gap), strided[T](rng, n, m, gap)
			const lambda = 0.7
			SqEuclidean(dst, x, z)
			Gibbs(k, x, z, lambda)
			for i := range n {
				for j := range m {
					want := chain(x.Row(i), z.Row(j))
					if got := dst.At(i, j); got != want {
						t.Fatalf("%v, gap %d: D[%d][%d] = %v, want %v", s, gap, i, j, got, want)
					}
					if got, want := k.At(i, j), exp2.Ref(Bits[T](lambda)*want); got != want {
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

func TestProject(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, s := range [][3]int{{1, 784, 10}, {9, 33, 3}, {20, 5, 64}, {3, 0, 2}, {17, 300, 11}} {
		x, p := strided[float64](rng, s[0], s[1], 1), strided[float64](rng, s[1], s[2], 2)
		y := strided[float64](rng, s[0], s[2], 3)
		Project(y, x, p)
		for i := range y.Rows {
			for l := range y.Cols {
				var want float64
				for k := range x.Cols {
					want = math.FMA(x.At(i, k), p.At(k, l), want)
				}
				if y.At(i, l) != want {
					t.Fatalf("%v: Y[%d][%d] = %v, want %v", s, i, l, y.At(i, l), want)
				}
			}
		}
	}
}

func TestExp(t *testing.T) {
	x := []float64{0, 1, -1, 709.78, -745, math.Inf(-1), math.Inf(1)}
	// Not math.Exp, which overflows early on some machines and flushes on others.
	want := []float64{1, math.E, 1 / math.E, 1.7928227943945155e308, math.SmallestNonzeroFloat64, 0, math.Inf(1)}
	dst := make([]float64, len(x)+1)
	dst[len(x)] = 5
	Exp(dst, x)
	for i, w := range want {
		if !(math.Abs(dst[i]-w) <= 1e-14*w) && dst[i] != w {
			t.Errorf("exp(%v) = %v, want %v", x[i], dst[i], w)
		}
	}
	if dst[len(x)] != 5 {
		t.Error("wrote beyond the argument")
	}
}

// TestPanics: shapes that do not fit are the caller's mistake.
func TestPanics(t *testing.T) {
	m := func(r, c int) Matrix[float64] { return NewMatrix[float64](r, c, nil) }
	short := Matrix[float64]{Rows: 3, Cols: 2, Stride: 2, Data: make([]float64, 5)}
	for name, f := range map[string]func(){
		"features":    func() { SqEuclidean(m(2, 2), m(2, 3), m(2, 4)) },
		"destination": func() { Gibbs(m(2, 3), m(2, 3), m(2, 3), 1) },
		"data":        func() { SqEuclidean(m(3, 3), short, m(3, 2)) },
		"projection":  func() { Project(m(2, 2), m(2, 3), m(2, 2)) },
		"new":         func() { NewMatrix(2, 2, make([]float64, 3)) },
		"negative":    func() { NewMatrix[float64](-1, 2, nil) },
		"exp":         func() { Exp(make([]float64, 1), make([]float64, 2)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func ExampleSqEuclidean() {
	x := NewMatrix(2, 2, []float64{0, 0, 3, 4})
	z := NewMatrix(1, 2, []float64{0, 0})
	d := NewMatrix[float64](2, 1, nil)
	SqEuclidean(d, x, z)
	fmt.Println(d.Data)
	// Output: [0 25]
}
