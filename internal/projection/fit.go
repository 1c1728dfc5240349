// Package projection contains code shared by the linear projections of wda/baseline and of the
// experiments: checks and scaling of samples, products, scatter and eigenvectors.
package projection

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// Method is a method that computes a linear projection.
type Method struct {
	// Labeled means that the method uses the labels and needs two classes.
	Labeled bool
	// Pairs means that at least one class must have two samples.
	Pairs bool
	// Inverse means that multiplying the samples by 2 divides the columns by 2. The columns of
	// other methods do not depend on the unit of the samples.
	Inverse bool
	// Fit returns p columns for checked samples. The signs of the columns are arbitrary.
	Fit func(ctx context.Context, x *mat.Dense, labels []int, p int) (*mat.Dense, error)
}

// Fit checks and scales the samples and returns the projection computed by m. The documentation of
// wda/baseline.Fit describes the checks.
func Fit(ctx context.Context, x mat.Matrix, labels []int, components int, m Method) (*mat.Dense, error) {
	samples := denseOf(x)
	if _, d := samples.Dims(); components == 0 {
		components = min(2, d)
	}
	if err := m.checkSamples(ctx, samples, labels, components); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	samples, scale := scaleToModerate(ctx, samples)
	v, err := m.Fit(ctx, samples, labels, components)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	FixSigns(v)
	if scale != 0 && m.Inverse {
		v.Apply(func(_, _ int, w float64) float64 { return math.Ldexp(w, scale) }, v)
	}
	if CheckFinite(ctx, v) != nil { // arithmetic overflowed
		return nil, ErrFactorize
	}
	return v, nil
}

// denseOf returns x as a *mat.Dense. It copies the elements of x only if it must.
func denseOf(x mat.Matrix) *mat.Dense {
	switch x := x.(type) {
	case *mat.Dense:
		return x
	case mat.RawMatrixer:
		m := new(mat.Dense)
		m.SetRawMatrix(x.RawMatrix())
		return m
	}
	return mat.DenseCopyOf(x)
}

// scaleToModerate returns x and 0 if the fourth powers in the Ledoit–Wolf intensity can neither
// overflow nor underflow. Otherwise it returns x·2^scale and scale. The largest magnitude of
// x·2^scale is in [1/2, 1).
func scaleToModerate(ctx context.Context, x *mat.Dense) (y *mat.Dense, scale int) {
	const ordinary = 100
	n, d := x.Dims()
	largest := 0.
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to; i++ {
			for _, v := range x.RawRowView(i) {
				largest = max(largest, math.Abs(v))
			}
		}
	})
	_, e := math.Frexp(largest)
	if largest == 0 || -ordinary <= e && e <= ordinary {
		return x, 0
	}
	y = mat.NewDense(n, d, nil)
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to; i++ {
			out := y.RawRowView(i)
			for j, v := range x.RawRowView(i) {
				out[j] = math.Ldexp(v, -e)
			}
		}
	})
	return y, -e
}

// checkSamples returns an error that describes the first problem with the samples.
func (m Method) checkSamples(ctx context.Context, x *mat.Dense, labels []int, p int) error {
	n, d := x.Dims()
	if n < 1 {
		return fmt.Errorf("%w: there are no samples", fault.ErrSettings)
	}
	if p < 1 || p > d {
		return fmt.Errorf("%w: components is %d; with %d features it must be from 1 to %d", fault.ErrSettings, p, d, d)
	}
	if err := CheckFinite(ctx, x); err != nil || !m.Labeled {
		return err
	}
	if len(labels) != n {
		return fmt.Errorf("%w: %d labels for %d samples", fault.ErrLabels, len(labels), n)
	}
	classes := ClassRows(labels)
	if len(classes) < 2 {
		return fmt.Errorf("%w: all samples are of one class", fault.ErrLabels)
	}
	if m.Pairs && len(classes) == n {
		return fmt.Errorf("%w: no class has two samples", fault.ErrLabels)
	}
	return nil
}
