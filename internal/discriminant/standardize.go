package discriminant

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// Standardize rescales a feature by powers of two if the sum of squares of the feature is below
// tinySquare. The values of the feature may then have lost digits, and their squares may underflow.
const tinySquare = 0x1p-900

// Standardize divides every feature by its standard deviation, unless its standard deviation is 0.
// The arguments x and labels must be the arguments of NewSamples.
func (s *Samples) Standardize(ctx context.Context, x mat.Matrix, labels []int) error {
	s.feature, s.Scale = make([]float64, s.D), 1
	dense.EachRow(ctx, 0, s.N, s.D, func(i int) {
		for j, v := range s.X.RawRowView(i) {
			s.feature[j] += float64(v * v)
		}
	})
	for j, square := range s.feature {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if square < tinySquare {
			if square = s.rescaleFeature(ctx, x, labels, j); ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		s.feature[j] = 1
		if square > 0 {
			s.feature[j] = 1 / math.Sqrt(square/float64(s.N))
		}
		pre, post := s.powers(j)
		if v := float64(s.feature[j] * (pre * post)); v-v != 0 {
			return fmt.Errorf("%w: the inverse of the standard deviation of feature %d, counted from 0; multiply this feature by a power of two first", fault.ErrNotFinite, j)
		}
	}
	dense.ScaleColumns(ctx, s.X, s.feature)
	return fault.Ended(ctx, nil)
}

// rescaleFeature recomputes feature j of s.X from x with powers of two chosen for this feature. It
// returns the sum of squares of the new values. It does not change a constant feature.
func (s *Samples) rescaleFeature(ctx context.Context, x mat.Matrix, labels []int, j int) float64 {
	column := make([]float64, s.N)
	var largest float64
	dense.EachRow(ctx, 0, s.N, 1, func(i int) {
		column[i] = x.At(i, j)
		largest = max(largest, math.Abs(column[i]))
	})
	pre, first, mean := powerOfTwo(largest), column[0], 0.
	for i, v := range column {
		if v == first {
			column[i] = 0
		} else {
			column[i] = float64(v*pre) - float64(first*pre)
		}
		mean += column[i]
	}
	mean /= float64(s.N)
	var spread float64
	for i := range column {
		column[i] -= mean
		spread = max(spread, math.Abs(column[i]))
	}
	if spread == 0 || ctx.Err() != nil {
		return 0
	}
	post := powerOfTwo(spread)
	index := make(map[int]int, len(s.Classes))
	for c, l := range s.Classes {
		index[l] = c
	}
	next, square := slices.Clone(s.Offset), 0.
	for i, v := range column {
		c := index[labels[i]]
		v *= post
		s.X.Set(next[c], j, v)
		next[c]++
		square += float64(v * v)
	}
	if s.ownPowers == nil {
		s.ownPowers = make(map[int][2]float64)
	}
	s.ownPowers[j] = [2]float64{pre, post}
	s.Mean[j] = (float64(first*pre) + mean) / pre
	return square
}
