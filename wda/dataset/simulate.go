package dataset

import (
	"math"
	"math/rand/v2"

	"github.com/gomonge/monge/internal/random"
	"gonum.org/v1/gonum/mat"
)

// Simulation describes simulated data whose classes differ in the first two dimensions only. The other
// dimensions are Gaussian noise. The zero value is the problem of the WDA paper: three classes, each
// with two modes, in 2 + 8 dimensions. Class c has its modes at ±r(cos πc/C, sin πc/C), on opposite sides
// of a circle, so that the means of all classes are 0.
//
// The paper does not state a radius or spread. With the defaults here, each informative dimension has the
// variance r²/2 + σ² = 0.99, and each noise dimension has variance 1. Neither the class means nor the
// total covariance reveal the informative dimensions, so FDA and PCA do not find them.
//
// A seed gives the same bits on every architecture.
type Simulation struct {
	// Circles selects the problem of POT's WDA example: class c is a circle of radius r(c+1) around
	// the origin.
	Circles bool

	Classes int     // C. Default: 3
	Radius  float64 // r. Default: 1.35, or 1 for Circles
	Spread  float64 // σ, the standard deviation of each coordinate around a mode or circle. Default: 0.28, or 0.2 for Circles

	NoNoise   bool    // omit the noise dimensions
	NoiseDims int     // number of noise dimensions. Default: 8
	Noise     float64 // standard deviation of the noise. Default: 1

	Seed uint64
}

const (
	badCount      = "dataset: simulation of no rows"
	badSimulation = "dataset: negative or non-finite simulation setting"
)

// Generate returns n rows. The informative dimensions come first. Row i has class i mod C, and the two
// modes of a class alternate, so that the sizes of classes and modes differ by at most one. The classes are
// called "0" … "C−1". Use different seeds for training and test data: with the same seed, the shorter of
// two datasets is a prefix of the longer. Generate panics if n < 1 or a setting is negative, infinite or
// NaN.
func (s Simulation) Generate(n int) *Dataset {
	if n < 1 {
		panic(badCount)
	}
	s = s.withDefaults()
	d := 2 + s.NoiseDims
	rng := random.New(s.Seed, streamSimulation)
	x := mat.NewDense(n, d, nil)
	labels := make([]int, n)

	axes := make([][2]float64, s.Classes)
	for c := range axes {
		axes[c][0], axes[c][1] = cosSin(float64(float64(c) * (math.Pi / float64(s.Classes))))
	}
	for i := range n {
		c := i % s.Classes
		labels[i] = c
		row := x.RawRowView(i)
		var at [2]float64
		r := s.Radius
		if s.Circles {
			at[0], at[1] = randomDirection(rng)
			r *= float64(c + 1)
		} else if at = axes[c]; i/s.Classes%2 == 1 {
			r = -r
		}
		for k := range 2 {
			row[k] = float64(r*at[k]) + float64(s.Spread*random.Normal(rng))
		}
		for k := 2; k < d; k++ {
			row[k] = s.Noise * random.Normal(rng)
		}
	}
	return &Dataset{X: x, Labels: labels, Classes: numberedNames(s.Classes)}
}

func (s Simulation) withDefaults() Simulation {
	radius, spread := 1.35, 0.28
	if s.Circles {
		radius, spread = 1, 0.2
	}
	if s.Classes == 0 {
		s.Classes = 3
	}
	if s.Radius == 0 {
		s.Radius = radius
	}
	if s.Spread == 0 {
		s.Spread = spread
	}
	if s.NoiseDims == 0 {
		s.NoiseDims = 8
	}
	if s.NoNoise {
		s.NoiseDims = 0
	}
	if s.Noise == 0 {
		s.Noise = 1
	}
	ok := s.Classes > 0 && s.NoiseDims >= 0
	for _, v := range []float64{s.Radius, s.Spread, s.Noise} {
		ok = ok && v > 0 && !math.IsInf(v, 1)
	}
	if !ok {
		panic(badSimulation)
	}
	return s
}

// Each operation draws random numbers from its own independent stream of the seed.
const (
	streamSimulation = iota + 1
	streamSample
	streamTrainTest
	streamFolds
)

// randomDirection returns a uniform point of the unit circle.
func randomDirection(rng *rand.Rand) (x, y float64) {
	for {
		x := 2*float64(rng.Float64()) - 1
		y := 2*float64(rng.Float64()) - 1
		if s := float64(x*x) + float64(y*y); s <= 1 && s > 1e-6 {
			s = math.Sqrt(s)
			return x / s, y / s
		}
	}
}

// cosSin returns cos t and sin t for 0 ≤ t ≤ π, computed from power series with an error of about
// 1e-15. math.Sincos rounds differently on different architectures.
func cosSin(t float64) (c, s float64) {
	c, s = 1, t
	term := t
	for k := 2; k < 40; k += 2 {
		term = -float64(term*t) / float64(k)
		c += term
		term = float64(term*t) / float64(k+1)
		s += term
	}
	return c, s
}
