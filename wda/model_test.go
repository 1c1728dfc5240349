package wda

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/project"
	"gonum.org/v1/gonum/mat"
)

// testModel is a model of d features and p components, not fitted.
func testModel(t testing.TB, d, p int) (*Model, *mat.Dense, []int) {
	t.Helper()
	x, labels := parts3(1, 40, d)
	s, err := newSamples(x, labels)
	if err != nil {
		t.Fatal(err)
	}
	return newModel(s, uniform(2, d, p), Report{}), x, labels
}

// TestTransform: the projection is (x − mean)·P, the same bits sample by sample, row
// by row, from a view, into a view, and from a matrix of another type.
func TestTransform(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {5, 2}, {37, 5}, {64, 64}, {200, 9}, {131, 130}} {
		d, p := shape[0], shape[1]
		m, x, _ := testModel(t, d, p)
		n, _ := x.Dims()
		var want, y, centred mat.Dense
		centred.Apply(func(_, j int, v float64) float64 { return v - m.mean[j] }, x)
		want.Mul(&centred, m.projection)
		m.Transform(&y, x)
		if e := off(&y, &want); !(e < 1e-13) {
			t.Errorf("%v: off by %g", shape, e)
		}
		wide := mat.NewDense(n+2, d+3, nil)
		view := wide.Slice(1, n+1, 2, d+2).(*mat.Dense)
		view.Copy(x)
		into := mat.NewDense(n+1, p+1, nil)
		part := into.Slice(1, n+1, 1, p+1).(*mat.Dense)
		m.Transform(part, view)
		var other mat.Dense
		m.Transform(&other, mat.Transpose{Matrix: mat.DenseCopyOf(x.T())})
		one := make([]float64, p)
		single := mat.NewDense(n, p, nil)
		for i := range n {
			m.TransformVec(one, x.RawRowView(i))
			single.SetRow(i, one)
		}
		for name, got := range map[string]*mat.Dense{"view": part, "other type": &other, "sample by sample": single} {
			if !bitsEqual(got, &y) {
				t.Errorf("%v: %s: other bits", shape, name)
			}
		}
		if into.At(0, p) != 0 || into.At(n, 0) != 0 {
			t.Errorf("%v: wrote outside the view", shape)
		}

		// float32 is float64, rounded.
		x32, y32 := dist.NewMatrix[float32](n, d, nil), dist.NewMatrix[float32](n, p, nil)
		rounded := mat.NewDense(n, d, nil)
		for i := range n {
			for j := range d {
				x32.Set(i, j, float32(x.At(i, j)))
				rounded.Set(i, j, float64(x32.At(i, j)))
			}
		}
		m.Transform32(y32, x32)
		m.Transform(&y, rounded)
		one32 := make([]float32, p)
		for i := range n {
			m.TransformVec32(one32, x32.Row(i))
			for l, v := range y32.Row(i) {
				if v != float32(y.At(i, l)) || v != one32[l] {
					t.Fatalf("%v: float32 (%d, %d) = %v, %v, want %v", shape, i, l, v, one32[l], float32(y.At(i, l)))
				}
			}
		}
	}
}

// TestTransformPanics: shapes that do not fit are programming errors.
func TestTransformPanics(t *testing.T) {
	m, x, _ := testModel(t, 6, 2)
	for name, f := range map[string]func(){
		"features":       func() { m.TransformVec(make([]float64, 2), make([]float64, 5)) },
		"destination":    func() { m.TransformVec(make([]float64, 3), make([]float64, 6)) },
		"features 32":    func() { m.TransformVec32(make([]float32, 2), make([]float32, 7)) },
		"destination 32": func() { m.TransformVec32(make([]float32, 1), make([]float32, 6)) },
		"columns":        func() { m.Transform(new(mat.Dense), uniform(1, 3, 5)) },
		"rows":           func() { m.Transform(mat.NewDense(39, 2, nil), x) },
		"rows 32":        func() { m.Transform32(dist.NewMatrix[float32](2, 2, nil), dist.NewMatrix[float32](3, 6, nil)) },
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

func TestTransformAllocatesNothing(t *testing.T) {
	m, x, labels := testModel(t, 784, 10)
	c, err := NewClassifier(m, x, labels, 5)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := x.Dims()
	y, vec, vec32, x32 := mat.NewDense(n, 10, nil), make([]float64, 10), make([]float32, 10), make([]float32, 784)
	all32, in32 := dist.NewMatrix[float32](n, 10, nil), dist.NewMatrix[float32](n, 784, nil)
	sample, w := x.RawRowView(3), new(Workspace)
	proba, near := make([]float64, 3), make([]Neighbor, 0, 5)
	for name, f := range map[string]func(){
		"Transform":      func() { m.Transform(y, x) },
		"TransformVec":   func() { m.TransformVec(vec, sample) },
		"Transform32":    func() { m.Transform32(all32, in32) },
		"TransformVec32": func() { m.TransformVec32(vec32, x32) },
		"Predict":        func() { c.Predict(sample, w) },
		"PredictProba":   func() { c.PredictProba(proba, sample, w) },
		"Neighbors":      func() { near = c.Neighbors(near, sample, 5, w) },
	} {
		if a := testing.AllocsPerRun(20, f); a != 0 {
			t.Errorf("%s: %v allocations", name, a)
		}
	}
}

// TestConcurrentUse: any number of goroutines may use a model and a classifier; the
// race detector watches.
func TestConcurrentUse(t *testing.T) {
	m, x, labels := testModel(t, 50, 4)
	c, err := NewClassifier(m, x, labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	m.Transform(&want, x)
	predicted, err := c.PredictAll(t.Context(), x, 1)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			one, w := make([]float64, 4), new(Workspace)
			if g%2 == 0 {
				w = nil // from the pool
			}
			for i := range 40 {
				m.TransformVec(one, x.RawRowView(i))
				if !slices.Equal(one, want.RawRowView(i)) || c.Predict(x.RawRowView(i), w) != predicted[i] {
					t.Errorf("sample %d comes out differently", i)
					return
				}
			}
			var y mat.Dense
			m.Transform(&y, x)
			if _, err := m.MarshalBinary(); err != nil || !bitsEqual(&y, &want) {
				t.Errorf("Transform or MarshalBinary in parallel: %v", err)
			}
		})
	}
	wg.Wait()
}

// BenchmarkTransformVec projects one MNIST-sized sample. The percentiles of load are
// over single calls, while every other processor does the same.
func BenchmarkTransformVec(b *testing.B) {
	m, x, _ := testModel(b, 784, 10)
	src := make([]float32, 784)
	for j, v := range x.RawRowView(0) {
		src[j] = float32(v)
	}
	b.Run("type=f64", func(b *testing.B) {
		dst := make([]float64, 10)
		b.ReportAllocs()
		for b.Loop() {
			m.TransformVec(dst, x.RawRowView(0))
		}
	})
	b.Run("type=f32", func(b *testing.B) {
		dst := make([]float32, 10)
		b.ReportAllocs()
		for b.Loop() {
			m.TransformVec32(dst, src)
		}
	})
	underLoad(b, "load/type=f64", func() func(i int) {
		dst := make([]float64, 10)
		return func(i int) { m.TransformVec(dst, x.RawRowView(i%40)) }
	})
	underLoad(b, "load/type=f32", func() func(i int) {
		dst := make([]float32, 10)
		return func(int) { m.TransformVec32(dst, src) }
	})
}

// underLoad measures single calls on all processors at once.
func underLoad(b *testing.B, name string, prepare func() func(i int)) {
	b.Run(name, func(b *testing.B) {
		var mu sync.Mutex
		var all []time.Duration
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			call := prepare()
			took := make([]time.Duration, 0, 1<<20)
			for i := 0; pb.Next(); i++ {
				began := time.Now()
				call(i)
				if e := time.Since(began); len(took) < cap(took) {
					took = append(took, e)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
		slices.Sort(all)
		for _, p := range []struct {
			name  string
			share float64
		}{{"p50-ns", .5}, {"p99-ns", .99}, {"p99.9-ns", .999}} {
			if len(all) > 0 {
				b.ReportMetric(float64(all[int(math.Ceil(p.share*float64(len(all))))-1]), p.name)
			}
		}
	})
}

// BenchmarkTransform projects a batch, beside the kernel alone (kernel): the ratio is
// what the API costs.
func BenchmarkTransform(b *testing.B) {
	const n, d, p = 1000, 784, 10
	m, _, _ := testModel(b, d, p)
	x := uniform(1, n, d)
	x32 := dist.NewMatrix[float32](n, d, nil)
	for i, v := range x.RawMatrix().Data {
		x32.Data[i] = float32(v)
	}
	dst, dst32 := mat.NewDense(n, p, nil), dist.NewMatrix[float32](n, p, nil)
	raw, pr := x.RawMatrix(), m.projection.RawMatrix()
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"kernel", func() {
			project.Mul(asm.Best(), n, p, d, dst.RawMatrix().Data, p, raw.Data, raw.Stride, pr.Data, pr.Stride, false)
		}},
		{"type=f64", func() { m.Transform(dst, x) }},
		{"type=f32", func() { m.Transform32(dst32, x32) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.run()
			}
			b.ReportMetric(float64(2*n*d*p)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}

func BenchmarkPredict(b *testing.B) {
	m, _, _ := testModel(b, 784, 10)
	x, labels := parts3(3, 1000, 784)
	c, err := NewClassifier(m, x, labels, 5)
	if err != nil {
		b.Fatal(err)
	}
	w := new(Workspace)
	for b.Loop() {
		c.Predict(x.RawRowView(0), w)
	}
}
