package fuzz

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/sinkhorn"
)

func FuzzHostileProblemFloat64(f *testing.F) { fuzzHostileProblem[float64](f) }
func FuzzHostileProblemFloat32(f *testing.F) { fuzzHostileProblem[float32](f) }

// fuzzHostileProblem solves problems with arbitrary settings, shapes, strides, lengths and values. Package sinkhorn must
// return a finite result, return one of its error values, or panic with a message that begins with "sinkhorn: ".
func fuzzHostileProblem[T dist.Float](f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		set := sinkhorn.Settings{
			Lambda: hostileNumber(in), Iterations: hostileInt(in), Tolerance: hostileNumber(in), Anneal: hostileNumber(in),
			Domain: sinkhorn.Domain(in.numberUpTo(3)), Storage: sinkhorn.Storage(in.numberUpTo(4)), Gradient: in.numberUpTo(1) == 1,
			Workers: hostileInt(in), MaxMemory: 1 << (10 + in.numberUpTo(12)),
		}
		var p sinkhorn.Problem[T]
		switch in.numberUpTo(3) {
		case 0:
			p.Cost = hostileMatrix[T](in)
		case 1:
			p.X = hostileMatrix[T](in)
			p.Y = p.X
		case 2:
			p.X, p.Y = hostileMatrix[T](in), hostileMatrix[T](in)
		case 3:
			p.Cost, p.X, p.Y = hostileMatrix[T](in), hostileMatrix[T](in), hostileMatrix[T](in)
		}
		p.A, p.B, p.Start = hostileVector[T](in, p.X.Rows), hostileVector[T](in, p.Y.Rows), hostileVector[T](in, p.X.Rows)
		p.Lambda = hostileNumber(in)
		if in.numberUpTo(3) == 3 {
			p.PenaltyA, p.PenaltyB, p.Mass = hostileNumber(in), hostileNumber(in), float64(in.numberUpTo(1))*hostileNumber(in)
		}
		what := func() string { return fmt.Sprintf("%+v\n%+v", set, p) }
		defer func() {
			if v := recover(); v != nil {
				if s, ok := v.(string); !ok || !strings.HasPrefix(s, "sinkhorn: ") {
					t.Errorf("panics with %v\n%s", v, what())
				}
			}
		}()
		check := func(err error) {
			for _, e := range []error{
				sinkhorn.ErrShape, sinkhorn.ErrNotFinite, sinkhorn.ErrMarginals, sinkhorn.ErrSettings,
				sinkhorn.ErrRange, sinkhorn.ErrNotConverged, context.DeadlineExceeded,
			} {
				if errors.Is(err, e) {
					return
				}
			}
			t.Errorf("error %v\n%s", err, what())
		}
		finite := func(name string, x ...float64) {
			for _, x := range x {
				if x-x != 0 {
					t.Errorf("%s is %v without an error\n%s", name, x, what())
					return
				}
			}
		}
		s, err := sinkhorn.NewSolver[T](&set)
		if err != nil {
			check(err)
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		r, err := s.Solve(ctx, &p)
		if err != nil {
			check(err)
			return
		}
		finite("cost or marginal error", r.Cost, r.MarginalError)
		n, m := p.X.Rows, p.Y.Rows
		if !p.Cost.IsEmpty() {
			n, m = p.Cost.Rows, p.Cost.Cols
		}
		all := func(name string, err error, xs ...dist.Matrix[T]) {
			if err != nil {
				check(err)
				return
			}
			for _, x := range xs {
				for i := range x.Rows {
					for _, v := range x.Row(i) {
						finite(name, float64(v))
					}
				}
			}
		}
		plan := dist.NewMatrix[T](n, m, nil)
		all("plan", r.PlanTo(ctx, plan, 0), plan)
		if c, err := r.RegularizedCost(ctx); err != nil {
			check(err)
		} else {
			finite("regularized cost", c)
		}
		all("gradient of the costs", r.CostGradientTo(ctx, plan, sinkhorn.GradientUnrolled), plan)
		all("implicit gradient of the costs", r.CostGradientTo(ctx, plan, sinkhorn.GradientImplicit), plan)
		if p.Cost.IsEmpty() {
			dx, dy := dist.NewMatrix[T](n, p.X.Cols, nil), dist.NewMatrix[T](m, p.X.Cols, nil)
			all("gradient", r.PointGradientTo(ctx, dx, dy, sinkhorn.GradientUnrolled), dx, dy)
			all("implicit gradient", r.PointGradientTo(ctx, dx, dy, sinkhorn.GradientImplicit), dx, dy)
			all("gradient of the regularized cost", r.PointGradientTo(ctx, dx, dy, sinkhorn.GradientFrozen), dx, dy)
		}
		// The destination matrices have arbitrary shapes. The first plan row that PlanTo copies may be out of range.
		switch dst, other := hostileMatrix[T](in), hostileMatrix[T](in); in.numberUpTo(4) {
		case 0:
			err = r.PlanTo(ctx, dst, 0)
		case 1:
			err = r.BarycentricTo(ctx, dst)
		case 2:
			err = r.PointGradientTo(ctx, dst, other, sinkhorn.GradientUnrolled)
		case 3:
			err = r.PlanTo(ctx, dst, hostileInt(in))
		case 4:
			_, err = s.Divergence(ctx, dst, other, &p)
		}
		if err != nil {
			check(err)
		}
	})
}

// hostileInt returns a small number, or a number whose products may overflow.
func hostileInt(in *input) int {
	if in.numberUpTo(3) > 0 {
		return in.numberUpTo(20)
	}
	edges := [...]int{1 << 15, 1 << 16, 1 << 20, 1e9, 1 << 31, 1 << 32, 1 << 40, 1 << 60, 1 << 61, 1 << 62, math.MaxInt, math.MinInt, -1}
	return edges[in.numberUpTo(len(edges)-1)] + in.numberUpTo(4) - 2
}

// hostileNumber returns an ordinary number, an extreme or non-finite number, or arbitrary bits.
func hostileNumber(in *input) float64 {
	switch in.numberUpTo(7) {
	case 0:
		return bits[float64](in)
	case 1:
		edges := [...]float64{math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, -1, 5e-324, 0x1p-1022, math.MaxFloat32, 1e39, 1e308}
		return edges[in.numberUpTo(len(edges)-1)]
	case 2:
		return math.Pow(10, float64(in.numberUpTo(600)-300))
	case 3, 4:
		return 0
	}
	return float64(1+in.numberUpTo(40)) / 8
}

// hostileMatrix usually returns a small valid matrix. Sometimes the dimensions do not match the data.
func hostileMatrix[T dist.Float](in *input) dist.Matrix[T] {
	m := dist.NewMatrix[T](1+in.numberUpTo(11), 1+in.numberUpTo(5), nil)
	odd := in.numberUpTo(3) == 3
	for i := range m.Data {
		m.Data[i] = T(in.numberUpTo(16)) / 4
		if odd && in.numberUpTo(3) == 3 {
			m.Data[i] = T(hostileNumber(in))
		}
	}
	if in.numberUpTo(3) < 3 {
		return m
	}
	switch in.numberUpTo(4) {
	case 0:
		m.Rows = hostileInt(in)
	case 1:
		m.Cols = hostileInt(in)
	case 2:
		m.Stride = hostileInt(in)
	case 3:
		m.Rows, m.Cols, m.Stride = hostileInt(in), hostileInt(in), hostileInt(in)
	case 4:
		m.Data = m.Data[:in.numberUpTo(len(m.Data))]
	}
	return m
}

// hostileVector returns nil, n weights with the sum 1, or a vector of arbitrary length and values.
func hostileVector[T dist.Float](in *input, n int) []T {
	switch in.numberUpTo(3) {
	case 0:
		if n < 0 || n > 1<<10 {
			n = 3
		}
		v := make([]T, n)
		for i := range v {
			v[i] = 1 / T(n)
		}
		if n > 0 && in.numberUpTo(1) == 1 {
			v[in.numberUpTo(n-1)] = T(hostileNumber(in))
		}
		return v
	case 1:
		v := make([]T, in.numberUpTo(12))
		for i := range v {
			v[i] = T(hostileNumber(in))
		}
		return v
	}
	return nil
}
