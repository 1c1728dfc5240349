package wda

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// withinOf returns the mean variance within classes of the first q columns of y.
func withinOf(y *mat.Dense, labels []int, q int) float64 {
	sum, count := map[int][]float64{}, map[int]float64{}
	for i, l := range labels {
		if sum[l] == nil {
			sum[l] = make([]float64, q)
		}
		for k := range q {
			sum[l][k] += y.At(i, k)
		}
		count[l]++
	}
	var square float64
	for i, l := range labels {
		for k := range q {
			dv := y.At(i, k) - sum[l][k]/count[l]
			square += dv * dv
		}
	}
	return square / float64(len(labels)) / float64(q)
}

// TestUnitOfLength checks that projected samples have unit variance within classes, for ScaleUnit, ScaleRatio and
// ScaleEqual. It tests several whitenings, and data of very small and very large numbers.
func TestUnitOfLength(t *testing.T) {
	t.Parallel()
	tall, tallLabels := parts3(1, 90, 6)
	wide, wideLabels := parts3(2, 24, 40)
	for name, c := range map[string]struct {
		x      *mat.Dense
		labels []int
		change func(s *Settings)
	}{
		"plain":        {tall, tallLabels, func(*Settings) {}},
		"wide":         {wide, wideLabels, func(*Settings) {}},
		"standardized": {tall, tallLabels, func(s *Settings) { s.Data.Standardize = true }},
		"whitened":     {tall, tallLabels, func(s *Settings) { s.Data.Whitening = DiagonalWhitening(0.5) }},
		"wide, whitened, standardized": {wide, wideLabels, func(s *Settings) {
			s.Data = Data{Standardize: true, Whitening: SphericalWhitening(LedoitWolf)}
		}},
		"one leads":          {tall, tallLabels, func(s *Settings) { s.Leading = 1 }},
		"discriminants":      {tall, tallLabels, func(s *Settings) { s.Optimizer.Method = Fisher{} }},
		"principal":          {tall, tallLabels, func(s *Settings) { s.Optimizer.Method = Principal{} }},
		"float32":            {tall, tallLabels, func(s *Settings) { s.Objective.Float32 = true }},
		"small":              {scaledMatrix(0x1p-700, tall), tallLabels, func(*Settings) {}},
		"large":              {scaledMatrix(1e300, tall), tallLabels, func(*Settings) {}},
		"large, as they are": {scaledMatrix(1e150, wide), wideLabels, func(s *Settings) { s.Leading = 2 }},
	} {
		var unit []float64 // lengths with ScaleUnit
		for scale := ScaleUnit; scale < numScales; scale++ {
			set := paperSettings(Settings{Components: 3, Scale: scale, Optimizer: Optimizer{MaxSteps: 3}})
			c.change(set)
			m, err := Fit(t.Context(), c.x, c.labels, set)
			if err != nil {
				t.Fatalf("%s, %v: %v", name, scale, err)
			}
			q := 3
			if set.Leading > 0 {
				q = set.Leading
			} else if set.Optimizer.Method == Method(Fisher{}) && scale != ScaleEqual {
				q = 2 // of three classes
			}
			lengths := make([]float64, 3)
			for k := range lengths {
				lengths[k] = mat.Norm(m.projection.ColView(k), 2)
			}
			if q < 3 && !(lengths[2] < 0x1p-8*lengths[0]) && set.Data == (Data{Whitening: NoWhitening()}) {
				t.Errorf("%s, %v: lengths %v, where %d lead", name, scale, lengths, q)
			}
			switch ratios := m.Report().Ratios; scale {
			case ScaleUnit:
				unit = lengths
			case ScaleRatio:
				for k := 1; k < q; k++ {
					want := math.Sqrt(ratios[k] / (1 + ratios[k]) / ratios[0] * (1 + ratios[0]))
					if got := lengths[k] / unit[k] / lengths[0] * unit[0]; relative(got, want) > 1e-9 {
						t.Errorf("%s: component %d is %v times as long as the first, want %v", name, k, got, want)
					}
				}
			}
			var y, g mat.Dense
			if err := m.Transform(&y, c.x); err != nil {
				t.Fatal(err)
			}
			if v := withinOf(&y, c.labels, q); !(math.Abs(v-1) < 1e-9) {
				t.Errorf("%s, %v: a variance of %v within classes", name, scale, v)
			}
			if scale != ScaleEqual || name != "plain" && name != "wide" {
				continue
			}
			g.Mul(m.projection.T(), m.projection)
			for k := range 3 {
				for l := range 3 {
					want := 0.
					if k == l {
						want = g.At(0, 0)
					}
					if e := math.Abs(g.At(k, l)-want) / g.At(0, 0); !(e < 1e-9) {
						t.Errorf("%s: element (%d, %d) of PᵀP is off by %g", name, k, l, e)
					}
				}
			}
		}
	}
}

// TestUnitSurvives checks that a default fit scales distances independently of the unit of the data and the number of
// components, and that rows without variance within classes give finite projections.
func TestUnitSurvives(t *testing.T) {
	t.Parallel()
	x, labels := parts3(4, 60, 4)
	var first *mat.Dense
	for _, c := range []struct {
		p    int
		unit float64
	}{{2, 1}, {2, 0x1p-40}, {3, 1}, {2, 0x1p900}, {1, 1}} {
		if !testdata.IsLong() && (c.unit > 1 || c.p == 1) {
			continue
		}
		m, err := Fit(t.Context(), scaledMatrix(c.unit, x), labels, withFixedScale(Settings{Components: c.p}))
		if err != nil {
			t.Fatal(err)
		}
		set := m.Report().Settings
		if set.Scale != ScaleEqual && set.Scale != ScaleUnit {
			t.Errorf("%+v: scale %v", c, set.Scale)
		}
		y := new(mat.Dense)
		if err := m.Transform(y, scaledMatrix(c.unit, x)); err != nil {
			t.Fatal(err)
		}
		if v := withinOf(y, labels, set.Leading); !(math.Abs(v-1) < 1e-9) {
			t.Errorf("%+v: a variance of %v within classes", c, v)
		}
		if first == nil {
			first = y
		} else if c.p == 2 && !bitsEqual(y, first) {
			t.Errorf("%+v: other projections", c)
		}
	}
	same := mat.NewDense(12, 2, nil)
	classes := make([]int, 12)
	for i := range 12 {
		classes[i] = i % 3
		same.Set(i, 0, float64(i%3))
		same.Set(i, 1, float64(i%3*(i%3)))
	}
	for i := range 12 {
		same.Set(i, 0, same.At(i, 0)+float64(1e-9*float64(i)))
	}
	for _, scale := range []Scale{ScaleEqual, ScaleUnit} {
		set := paperSettings(Settings{Components: 1, Scale: scale, Objective: Objective{Shrinkage: FixedShrinkage(0), Lambda: RelativeLambda(0.1)}})
		m, err := Fit(t.Context(), same, classes, set)
		if err != nil {
			t.Fatal(err)
		}
		var y mat.Dense
		if err := m.Transform(&y, same); err != nil {
			t.Fatal(err)
		}
		if s := fmt.Sprint(mat.Formatted(&y)); !(mat.Max(&y)-mat.Min(&y) < 1e4) || !(mat.Max(&y)-mat.Min(&y) > 1) {
			t.Errorf("%v: projections\n%s", scale, s)
		}
	}
}
