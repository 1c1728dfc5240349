package baselines

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/projection/projectiontest"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

func TestLSDRGradient(t *testing.T) {
	data := dataset.Simulation{NoiseDims: 3, Seed: 8}.Generate(40)
	for _, size := range []int{200, 15} {
		f, _ := newKernels(ctx, data.X, data.Labels, size, 1)
		s := &smi{f, 0.8, 0.01}
		p := projectiontest.Random(1, 5, 2, 0.6)
		grad := mat.NewDense(5, 2, nil)
		if _, err := s.evaluate(ctx, p, grad); err != nil {
			t.Fatal(err)
		}
		e := gradientError(p, grad, 1e-5, func(p *mat.Dense) float64 { v, _ := s.evaluate(ctx, p, nil); return v })
		if !(e < 1e-7) {
			t.Errorf("%d kernels: gradient is off by %.3g", size, e)
		}
	}
}

// TestSMI compares the estimate with the paper's sums over pairs of samples and labels.
func TestSMI(t *testing.T) {
	data := dataset.Simulation{NoiseDims: 1, Seed: 3}.Generate(14)
	f, _ := newKernels(ctx, data.X, data.Labels, 9, 1)
	const width, lambda = 0.9, 0.05
	p := projectiontest.Random(2, 3, 2, 0.6)
	n, b := 14, len(f.centers)
	y, u := f.project(ctx, p)
	psi := func(i, c, l int) float64 {
		if f.class[f.centers[l]] != c {
			return 0
		}
		var diff mat.VecDense
		diff.SubVec(y.RowView(i), u.RowView(l))
		return math.Exp(-mat.Dot(&diff, &diff) / (2 * width * width))
	}
	h, hh := mat.NewVecDense(b, nil), mat.NewSymDense(b, nil)
	for l := range b {
		for i := range n {
			h.SetVec(l, h.AtVec(l)+psi(i, f.class[i], l)/float64(n))
		}
		for m := range l + 1 {
			sum := 0.
			for i := range n {
				for j := range n {
					sum += psi(i, f.class[j], l) * psi(i, f.class[j], m)
				}
			}
			hh.SetSym(l, m, sum/float64(n*n))
		}
	}
	solution, _, err := ridge(ctx, mat.DenseCopyOf(hh), lambda, h.RawVector().Data)
	if err != nil {
		t.Fatal(err)
	}
	alpha := mat.NewVecDense(b, solution)
	want := mat.Dot(h, alpha) - mat.Inner(alpha, hh, alpha)/2 - 0.5
	got, err := (&smi{f, width, lambda}).evaluate(ctx, p, nil)
	if err != nil || !(math.Abs(got+want) < 1e-12) {
		t.Errorf("−SMI = %v, %v; want %v", got, err, -want)
	}
}

func TestLSDROrthonormal(t *testing.T) {
	data := dataset.Simulation{NoiseDims: 2, Seed: 8}.Generate(30)
	for _, m := range []Method{LSDR{Starts: 1, Basis: 12}, LSQMI{Starts: 1, Basis: 12}} {
		for p := 1; p <= 4; p++ {
			v, err := Fit(t.Context(), data.X, data.Labels, p, m)
			if err != nil {
				t.Fatal(err)
			}
			if e := stiefel.New(4, p).Infeasibility(ctx, v); !(e < 1e-13) {
				t.Errorf("%s, p = %d: columns are not orthonormal: %g", m.String(), p, e)
			}
		}
	}
}

// TestFarLabels checks the order of labels whose difference overflows an int.
func TestFarLabels(t *testing.T) {
	data := dataset.Simulation{Seed: 2}.Generate(60)
	far := make([]int, len(data.Labels))
	for i, l := range data.Labels {
		far[i] = []int{math.MinInt, 1, math.MaxInt}[l]
	}
	for _, m := range []Method{LSDR{Basis: 9, Starts: 1, MaxSteps: 2}, LSQMI{Basis: 9, Starts: 1, MaxSteps: 2}, LFDA{}} {
		want, err := Fit(t.Context(), data.X, data.Labels, 2, m)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Fit(t.Context(), data.X, far, 2, m); err != nil || !mat.Equal(got, want) {
			t.Errorf("%v: another projection than of labels 0 to 2, error %v", m, err)
		}
	}
}
