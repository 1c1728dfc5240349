package baselines

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/projection"
	"gonum.org/v1/gonum/mat"
)

// gaussians describes two classes of equal weight. Each class is a Gaussian in the plane with the
// covariance matrix s²I. The means of the classes are ±(mx, my).
type gaussians struct{ s, mx, my float64 }

func (g gaussians) draw(n int) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(6, 7))
	x, labels := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		labels[i] = i % 2
		sign := float64(2*labels[i] - 1)
		x.Set(i, 0, sign*g.mx+g.s*rng.NormFloat64())
		x.Set(i, 1, sign*g.my+g.s*rng.NormFloat64())
	}
	return x, labels
}

// qmi returns the exact QMI of the projection on the vector (a, b). The projected classes are
// Gaussians with the means ±c = ±(a·mx + b·my) and the variance v = s²(a² + b²). Let f(z, ±) be the
// joint density of a projected sample z and its class minus the product of their densities. Then
//
//	f(z, ±) = ±¼ (N(z; c) − N(z; −c))
//	QMI = ½ Σ ∫f² = ⅛ (N₂ᵥ(0) − N₂ᵥ(2c))
//
// N₂ᵥ is the Gaussian density of variance 2v.
func (g gaussians) qmi(p *mat.Dense) float64 {
	a, b := p.At(0, 0), p.At(1, 0)
	c, v := a*g.mx+b*g.my, g.s*g.s*(a*a+b*b)
	return (1 - math.Exp(-c*c/v)) / (8 * math.Sqrt(4*math.Pi*v))
}

// TestQMI compares the value and direction of the estimates with the exact QMI of Gaussians and
// with central differences of the exact QMI along the unit circle.
func TestQMI(t *testing.T) {
	g := gaussians{0.6, 0.9, 0.3}
	x, labels := g.draw(2000)
	f, _ := newKernels(ctx, x, labels, 100, 1)
	scale := rms(projection.Centered(t.Context(), x)) // newKernels divides the features by scale
	for _, angle := range []float64{-1, 0.9} {
		p := mat.NewDense(2, 1, []float64{math.Cos(angle), math.Sin(angle)})
		across := mat.NewDense(2, 1, []float64{-math.Sin(angle), math.Cos(angle)})
		value, _, err := f.selectQMI(ctx, p, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.qmi(ctx, p, value)
		if want := g.qmi(p) * scale; err != nil || !(math.Abs(got-want) < 0.1*want) {
			t.Errorf("angle %v: QMI is estimated at %v, is %v (%v)", angle, got, want, err)
		}
		slope, _, err := f.selectQMI(ctx, p, 1, true)
		if err != nil {
			t.Fatal(err)
		}
		grad := mat.NewDense(2, 1, nil)
		if err := f.qmiDerivative(ctx, grad, p, slope); err != nil {
			t.Fatal(err)
		}
		const h = 1e-5
		var up, down mat.Dense
		up.Scale(h, across)
		down.Sub(p, &up)
		up.Add(p, &up)
		want := (g.qmi(&up) - g.qmi(&down)) / (2 * h) * scale
		along := mat.Dot(grad.ColView(0), across.ColView(0)) / math.Sqrt(math.Pi) / slope.width
		t.Logf("angle %v: derivative %.4f, estimated %.4f", angle, want, along)
		if !(math.Abs(along-want) < 0.15*math.Abs(want)+0.003) {
			t.Errorf("angle %v: derivative is estimated at %v, is %v", angle, along, want)
		}
	}
}

// TestQMIParts compares the derivatives from signedMeans with central differences of the sums for a
// shift of all samples. The derivatives must have the opposite sign.
func TestQMIParts(t *testing.T) {
	x, labels := gaussians{0.6, 0.9, 0.3}.draw(20)
	f, _ := newKernels(ctx, x, labels, 6, 1)
	const width, h = 0.7, 1e-5
	y, u := f.project(ctx, mat.NewDense(2, 2, []float64{1, 0, 0, 1}))
	at := func(c, axis int, shift float64) *mat.Dense {
		moved := mat.DenseCopyOf(y)
		for i := range 20 {
			moved.Set(i, axis, moved.At(i, axis)+shift)
		}
		k := mat.NewDense(20, len(f.centers), nil)
		for i := range 20 {
			for j := range f.centers {
				var diff mat.VecDense
				diff.SubVec(moved.RowView(i), u.RowView(j))
				k.Set(i, j, math.Exp(-mat.Dot(&diff, &diff)/(2*width*width)))
			}
		}
		return f.signedMeans(ctx, moved, u, k, c, width, false, nil)
	}
	k := mat.NewDense(20, len(f.centers), nil)
	for i := range 20 {
		for j := range f.centers {
			var diff mat.VecDense
			diff.SubVec(y.RowView(i), u.RowView(j))
			k.Set(i, j, math.Exp(-mat.Dot(&diff, &diff)/(2*width*width)))
		}
	}
	for c := range 2 {
		w := f.signedMeans(ctx, y, u, k, c, width, true, nil)
		for axis := range 2 {
			up, down := at(c, axis, h), at(c, axis, -h)
			for j := range f.centers {
				want := -(up.At(j, 0) - down.At(j, 0)) / (2 * h)
				if got := w.At(j, axis); !(math.Abs(got-want) < 1e-9) {
					t.Errorf("class %d, kernel %d, axis %d: w = %v, want %v", c, j, axis, got, want)
				}
			}
		}
	}
}
