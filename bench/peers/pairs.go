package main

import (
	"math"

	"github.com/gomonge/monge/vecmath"
	tphakala32 "github.com/tphakala/simd/f32"
	tphakala64 "github.com/tphakala/simd/f64"
	"github.com/viterin/vek"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// pairFunctions contains a peer's functions of two slices. The map key is the text after "of=" in the case name.
type pairFunctions[T float32 | float64] map[string]func(x, y []T) T

// pairJob returns a job that calls one of the functions. The key "of" in the case name selects the function.
func pairJob[T float32 | float64](s spec, dir string, functions pairFunctions[T]) *job {
	f := functions[s.text("of")]
	if f == nil {
		return nil
	}
	x, y, result := load[T](dir, "x"), load[T](dir, "y"), T(0)
	return &job{run: func() { result = f(x, y) }, result: func() []float64 { return []float64{float64(result)} }}
}

func squared[T float32 | float64](distance func(x, y []T) T) func(x, y []T) T {
	return func(x, y []T) T {
		d := distance(x, y)
		return d * d
	}
}

func oursPair[T float32 | float64](s spec, dir string) *job {
	return pairJob(s, dir, pairFunctions[T]{
		"dot": vecmath.Dot[T], "sqeuclidean": vecmath.SqEuclidean[T], "cosine": vecmath.CosineSimilarity[T], "manhattan": vecmath.Manhattan[T],
		"norm": func(x, _ []T) T { return vecmath.Norm(x) }, "sum": func(x, _ []T) T { return vecmath.Sum(x) },
	})
}

// naivePair returns a job that uses plain Go loops.
func naivePair[T float32 | float64](s spec, dir string) *job {
	dot := func(x, y []T) (sum T) {
		for i, v := range x {
			sum += v * y[i]
		}
		return sum
	}
	root := func(x T) T { return T(math.Sqrt(float64(x))) }
	return pairJob(s, dir, pairFunctions[T]{
		"dot": dot,
		"sqeuclidean": func(x, y []T) (sum T) {
			for i, v := range x {
				sum += (v - y[i]) * (v - y[i])
			}
			return sum
		},
		"manhattan": func(x, y []T) (sum T) {
			for i, v := range x {
				sum += T(math.Abs(float64(v - y[i])))
			}
			return sum
		},
		"cosine": func(x, y []T) T {
			var xy, xx, yy T
			for i, v := range x {
				xy += v * y[i]
				xx += v * v
				yy += y[i] * y[i]
			}
			return xy / root(xx*yy)
		},
		"norm": func(x, _ []T) T { return root(dot(x, x)) },
		"sum": func(x, _ []T) (sum T) {
			for _, v := range x {
				sum += v
			}
			return sum
		},
	})
}

func gonumPair(s spec, dir string) *job {
	if s.text("type") == "f32" {
		vector := func(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Data: x, Inc: 1} }
		return pairJob(s, dir, pairFunctions[float32]{
			"dot":  func(x, y []float32) float32 { return blas32.Dot(vector(x), vector(y)) },
			"norm": func(x, _ []float32) float32 { return blas32.Nrm2(vector(x)) },
		})
	}
	return pairJob(s, dir, pairFunctions[float64]{
		"dot":         floats.Dot,
		"sqeuclidean": squared(func(x, y []float64) float64 { return floats.Distance(x, y, 2) }),
		"manhattan":   func(x, y []float64) float64 { return floats.Distance(x, y, 1) },
		"norm":        func(x, _ []float64) float64 { return floats.Norm(x, 2) },
		"sum":         func(x, _ []float64) float64 { return floats.Sum(x) },
	})
}

func vekPair(s spec, dir string) *job {
	if s.text("type") == "f32" {
		return pairJob(s, dir, pairFunctions[float32]{
			"dot": vek32.Dot, "sqeuclidean": squared(vek32.Distance), "cosine": vek32.CosineSimilarity, "manhattan": vek32.ManhattanDistance,
			"norm": func(x, _ []float32) float32 { return vek32.Norm(x) }, "sum": func(x, _ []float32) float32 { return vek32.Sum(x) },
		})
	}
	return pairJob(s, dir, pairFunctions[float64]{
		"dot": vek.Dot, "sqeuclidean": squared(vek.Distance), "cosine": vek.CosineSimilarity, "manhattan": vek.ManhattanDistance,
		"norm": func(x, _ []float64) float64 { return vek.Norm(x) }, "sum": func(x, _ []float64) float64 { return vek.Sum(x) },
	})
}

func tphakalaPair(s spec, dir string) *job {
	if s.text("type") == "f32" {
		return pairJob(s, dir, pairFunctions[float32]{
			"dot": tphakala32.DotProduct, "sqeuclidean": squared(tphakala32.EuclideanDistance),
			"sum": func(x, _ []float32) float32 { return tphakala32.Sum(x) },
		})
	}
	return pairJob(s, dir, pairFunctions[float64]{
		"dot": tphakala64.DotProduct, "sqeuclidean": squared(tphakala64.EuclideanDistance),
		"sum": func(x, _ []float64) float64 { return tphakala64.Sum(x) },
	})
}
