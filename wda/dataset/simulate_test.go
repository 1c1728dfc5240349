package dataset

import (
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestSimulationShape(t *testing.T) {
	for _, s := range []Simulation{{}, {Classes: 5, NoiseDims: 3}, {NoNoise: true, Classes: 1}, {Circles: true}} {
		for _, n := range []int{1, 2, 7, 100} {
			d := s.Generate(n)
			f := s.withDefaults()
			if r, c := d.X.Dims(); r != n || c != 2+f.NoiseDims {
				t.Errorf("%+v: %d × %d", s, r, c)
			}
			if len(d.Labels) != n || len(d.Classes) != f.Classes {
				t.Errorf("%+v: %d labels, %d classes", s, len(d.Labels), len(d.Classes))
			}
			counts := d.Counts()
			if slices.Max(counts)-slices.Min(counts) > 1 {
				t.Errorf("%+v: class sizes %v", s, counts)
			}
			if slices.ContainsFunc(d.X.RawMatrix().Data, func(v float64) bool { return v-v != 0 }) {
				t.Errorf("%+v: not finite", s)
			}
		}
	}
}

func TestSimulationPanics(t *testing.T) {
	for _, s := range []Simulation{
		{Classes: -1}, {NoiseDims: -1}, {Radius: -1}, {Spread: math.NaN()}, {Noise: math.Inf(1)},
	} {
		func() {
			defer func() {
				if recover() != badSimulation {
					t.Errorf("%+v did not panic", s)
				}
			}()
			s.Generate(1)
		}()
	}
	defer func() {
		if recover() != badCount {
			t.Error("n = 0 did not panic")
		}
	}()
	Simulation{}.Generate(0)
}

func bitsOf(x *mat.Dense) uint64 {
	h := fnv.New64a()
	for _, v := range x.RawMatrix().Data {
		b := math.Float64bits(v)
		for range 8 {
			h.Write([]byte{byte(b)})
			b >>= 8
		}
	}
	return h.Sum64()
}

// TestSimulationGolden checks the bits of the simulated data. They must be the same on every architecture and with every
// Go release.
func TestSimulationGolden(t *testing.T) {
	for _, c := range []struct {
		s    Simulation
		want uint64
	}{
		{Simulation{}, 0x7f828a4ab3311ed3},
		{Simulation{Seed: 1}, 0x30662fab06972cb0},
		{Simulation{Circles: true, Seed: 1}, 0xb14816e2ab6d62a6},
		{Simulation{Classes: 7, Radius: 3, Spread: 0.7, NoiseDims: 1, Noise: 0.3, Seed: 1 << 63}, 0xa32b7d9f3b267c80},
	} {
		if got := bitsOf(c.s.Generate(5000).X); got != c.want {
			t.Errorf("%+v: bits %#x, want %#x", c.s, got, c.want)
		}
	}
}

func TestSimulationPrefix(t *testing.T) {
	short, long := Simulation{Seed: 4}.Generate(10), Simulation{Seed: 4}.Generate(30)
	if !mat.Equal(short.X, long.X.Slice(0, 10, 0, 10)) {
		t.Error("a shorter draw is not the beginning of a longer one")
	}
}

// TestSimulationMoments checks the means and second moments of the mixture, within about five standard errors.
func TestSimulationMoments(t *testing.T) {
	const n = 60000
	d := Simulation{Seed: 9}.Generate(n)
	col := make([]float64, n)
	for j := range 10 {
		mat.Col(col, j, d.X)
		want := 1.0
		if j < 2 {
			want = 1.35*1.35/2 + 0.28*0.28
		}
		if mean, v := stat.MeanVariance(col, nil); math.Abs(mean) > 0.02 || math.Abs(v-want) > 0.03 {
			t.Errorf("column %d: mean %v, variance %v instead of %v", j, mean, v, want)
		}
	}
	// Each class lies along its axis and has mean 0.
	for c := range 3 {
		axis := math.Pi * float64(c) / 3
		var m0, m1, along, across float64
		for i := c; i < n; i += 3 {
			x, y := d.X.At(i, 0), d.X.At(i, 1)
			a := x*math.Cos(axis) + y*math.Sin(axis)
			b := y*math.Cos(axis) - x*math.Sin(axis)
			m0, m1, along, across = m0+x, m1+y, along+math.Abs(a), across+b*b
		}
		if m := math.Hypot(m0, m1) / (n / 3); m > 0.04 {
			t.Errorf("class %d: mean at %v from 0", c, m)
		}
		if a := along / (n / 3); math.Abs(a-1.35) > 0.01 {
			t.Errorf("class %d: modes at %v", c, a)
		}
		if s := math.Sqrt(across / (n / 3)); math.Abs(s-0.28) > 0.008 {
			t.Errorf("class %d: spread %v", c, s)
		}
	}
}

func TestCircles(t *testing.T) {
	d := Simulation{Circles: true, Seed: 2, Spread: 1e-9}.Generate(3000)
	quadrant := [4]int{}
	for i, c := range d.Labels {
		x, y := d.X.At(i, 0), d.X.At(i, 1)
		if r := math.Hypot(x, y); math.Abs(r-float64(c+1)) > 1e-7 {
			t.Fatalf("row %d of class %d at radius %v", i, c, r)
		}
		q := 0
		if x < 0 {
			q++
		}
		if y < 0 {
			q += 2
		}
		quadrant[q]++
	}
	for q, m := range quadrant {
		if m < 630 || m > 870 {
			t.Errorf("quadrant %d holds %d of 3000 points", q, m)
		}
	}
}

func TestCosSin(t *testing.T) {
	for c := range 64 {
		for C := c + 1; C <= 64; C++ {
			a := float64(c) * (math.Pi / float64(C))
			x, y := cosSin(a)
			if math.Abs(x-math.Cos(a)) > 4e-15 || math.Abs(y-math.Sin(a)) > 4e-15 {
				t.Errorf("angle %v: %v %v, want %v %v", a, x, y, math.Cos(a), math.Sin(a))
			}
		}
	}
}

// TestSimulationDifficulty checks that the informative subspace separates the classes, and that neither FDA nor PCA
// finds it.
func TestSimulationDifficulty(t *testing.T) {
	const draws = 5
	var all, truth, pca, fda float64
	for k := range uint64(draws) {
		train := Simulation{Seed: 2 * k}.Generate(100)
		test := Simulation{Seed: 2*k + 1}.Generate(5000)
		on := func(p mat.Matrix) float64 {
			var x, z mat.Dense
			x.Mul(train.X, p)
			z.Mul(test.X, p)
			return knnError(&x, train.Labels, &z, test.Labels) / draws
		}
		all += knnError(train.X, train.Labels, test.X, test.Labels) / draws
		truth += on(eye(10, 2))
		pca += on(principal(covariance(train.X, nil)))
		fda += on(fisher(train))
	}
	t.Logf("5-NN error: 10 dimensions %.3f, true subspace %.3f, PCA %.3f, FDA %.3f", all, truth, pca, fda)
	if truth < 0.01 || truth > 0.035 {
		t.Errorf("error in the true subspace %.3f", truth)
	}
	if all < 0.35 {
		t.Errorf("error in all dimensions %.3f: the noise does not disturb", all)
	}
	if pca < 0.55 || fda < 0.6 {
		t.Errorf("error after PCA %.3f, after FDA %.3f: they find the subspace", pca, fda)
	}
}

func eye(d, p int) *mat.Dense {
	m := mat.NewDense(d, p, nil)
	for i := range p {
		m.Set(i, i, 1)
	}
	return m
}

// covariance returns the covariance of the rows, around the class means if labels are given.
func covariance(x *mat.Dense, labels []int) *mat.SymDense {
	if labels == nil {
		labels = make([]int, x.RawMatrix().Rows)
	}
	centred := mat.DenseCopyOf(x)
	_, d := x.Dims()
	for c := range slices.Max(labels) + 1 {
		mean, n := make([]float64, d), 0.0
		for i, l := range labels {
			if l == c {
				n++
				for j := range mean {
					mean[j] += x.At(i, j)
				}
			}
		}
		for i, l := range labels {
			if l == c {
				for j := range mean {
					centred.Set(i, j, x.At(i, j)-mean[j]/n)
				}
			}
		}
	}
	var s mat.SymDense
	s.SymOuterK(1, centred.T())
	return &s
}

// principal returns the two leading eigenvectors.
func principal(s mat.Symmetric) *mat.Dense {
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		panic("no eigenvectors")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	d := s.SymmetricDim()
	return mat.DenseCopyOf(v.Slice(0, d, d-2, d))
}

// fisher returns an orthonormal basis of the two leading discriminants. With S_w = LLᵀ, they are L⁻ᵀ times the leading
// eigenvectors of L⁻¹ S_t L⁻ᵀ.
func fisher(d *Dataset) *mat.Dense {
	var chol mat.Cholesky
	if !chol.Factorize(covariance(d.X, d.Labels)) {
		panic("singular")
	}
	var l mat.TriDense
	chol.LTo(&l)
	var li, t mat.Dense
	if err := li.Inverse(&l); err != nil {
		panic(err)
	}
	t.Mul(&li, covariance(d.X, nil))
	t.Mul(mat.DenseCopyOf(&t), li.T())
	n, _ := t.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (t.At(i, j)+t.At(j, i))/2)
		}
	}
	var p, q mat.Dense
	p.Mul(li.T(), principal(s))
	var qr mat.QR
	qr.Factorize(&p)
	qr.QTo(&q)
	return mat.DenseCopyOf(q.Slice(0, n, 0, 2))
}

// knnError returns the error of a 5-nearest-neighbors classifier, by brute force.
func knnError(x *mat.Dense, y []int, z *mat.Dense, want []int) float64 {
	const k = 5
	wrong := 0
	for i := range want {
		row := z.RawRowView(i)
		var near [k]float64
		var class [k]int
		for a := range near {
			near[a] = math.Inf(1)
		}
		for j := range y {
			dist := 0.0
			for a, v := range x.RawRowView(j) {
				dist += (v - row[a]) * (v - row[a])
			}
			c := y[j]
			for a := range near {
				if dist < near[a] {
					dist, near[a] = near[a], dist
					c, class[a] = class[a], c
				}
			}
		}
		votes := map[int]int{}
		best := class[0]
		for _, c := range class {
			if votes[c]++; votes[c] > votes[best] {
				best = c
			}
		}
		if best != want[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(len(want))
}
