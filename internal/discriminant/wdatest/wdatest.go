// Package wdatest provides samples and comparisons for the tests of WDA and of its engine.
package wdatest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/ending"
	"gonum.org/v1/gonum/mat"
)

// Uniform returns an r × c matrix of random numbers between −1 and 1 with the same bits on every
// machine.
func Uniform(seed uint64, r, c int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			m.Set(i, j, float64(int64(rng.Uint64()))/(1<<63))
		}
	}
	return m
}

// Clusters returns samples around random centers, in random order, and their labels 10, 20, ….
// There is one center for each class, and sizes lists the class sizes.
func Clusters(seed uint64, d int, sizes ...int) (*mat.Dense, []int) {
	var labels []int
	for c, n := range sizes {
		for range n {
			labels = append(labels, 10*(c+1))
		}
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	rng.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	center := Uniform(seed+1, len(sizes), d)
	x := Uniform(seed+2, len(labels), d)
	for i, l := range labels {
		for j, v := range center.RawRowView(l/10 - 1) {
			x.Set(i, j, x.At(i, j)+float64(0.8*v)) // the conversion prevents a fused multiply-add, which would give different bits
		}
	}
	return x, labels
}

// Parts3 returns n samples of three classes of unequal sizes, and their labels.
func Parts3(seed uint64, n, d int) (*mat.Dense, []int) {
	return Clusters(seed, d, n/2, n/3, n-n/2-n/3)
}

// BitsEqual reports whether a and b have the same shape and the same bits.
func BitsEqual(a, b mat.Matrix) bool {
	r, c := a.Dims()
	if br, bc := b.Dims(); br != r || bc != c {
		return false
	}
	for i := range r {
		for j := range c {
			if math.Float64bits(a.At(i, j)) != math.Float64bits(b.At(i, j)) {
				return false
			}
		}
	}
	return true
}

// Off returns the largest |got − want|, relative to the largest |want|.
func Off(got, want mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(got, want)
	return mat.Max(Magnitudes(&d)) / mat.Max(Magnitudes(want))
}

// Magnitudes returns the absolute values of the elements of m.
func Magnitudes(m mat.Matrix) mat.Matrix {
	var a mat.Dense
	a.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, m)
	return &a
}

// Relative returns the relative error |got/want − 1|.
func Relative(got, want float64) float64 { return math.Abs(got/want - 1) }

// ManyClasses returns samples and their labels. Every class has the given number of rows. The class
// means are normally distributed with standard deviations 3, 2 and 1 in the first three features,
// and are 0 in the other features. The samples are normally distributed around their class mean
// with standard deviation 0.1.
func ManyClasses(classes, rows, d int) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, labels := mat.NewDense(classes*rows, d, nil), make([]int, classes*rows)
	for c := range classes {
		mean := make([]float64, d)
		for j := range min(3, d) {
			mean[j] = float64(3-j) * rng.NormFloat64()
		}
		for i := c * rows; i < (c+1)*rows; i++ {
			for j, m := range mean {
				x.Set(i, j, m+float64(0.1*rng.NormFloat64()))
			}
			labels[i] = c
		}
	}
	return x, labels
}

// Stretched returns samples and their labels. The classes differ only in the first two of d
// features. The first two features vary little and the other features vary much, so the principal
// components do not separate the classes.
func Stretched(seed uint64, n, d, classes int) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x, labels := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		c := i % classes
		labels[i] = c
		row := x.RawRowView(i)
		for j := range row {
			row[j] = 30 * rng.NormFloat64()
		}
		angle := 2 * math.Pi * float64(c) / float64(classes)
		row[0] = math.Cos(angle) + 0.2*rng.NormFloat64()
		row[1] = math.Sin(angle) + 0.2*rng.NormFloat64()
	}
	return x, labels
}

// PhaseChecks tests a phase of a fit. The phase must check its context at least minChecks times, and
// must return soon after the context has ended.
func PhaseChecks(t *testing.T, name string, minChecks int, phase func(ctx context.Context)) {
	t.Helper()
	c := ending.At(0)
	phase(c)
	if c.Checks() < minChecks {
		t.Errorf("%s checks its context %d times, want %d", name, c.Checks(), minChecks)
		return
	}
	// End the context halfway through the phase. Later checks are allowed, because each function
	// may check the context again when it returns to its caller.
	c = ending.At((c.Checks() + 1) / 2)
	phase(c)
	if c.ChecksAfterEnd() > 25 {
		t.Errorf("%s checks its context %d times after the end", name, c.ChecksAfterEnd())
	}
}
