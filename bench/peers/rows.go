package main

import (
	"math"
	"runtime"
	"strconv"

	"github.com/coder/hnsw"
	"github.com/philippgille/chromem-go"
	tphakala "github.com/tphakala/simd/f32"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// comparer computes squared distances or inner products between a query and all rows of x. It stores the results
// in dst.
type comparer func(dst, x, query []float32)

// comparerJob returns a job for cases of kind "query" or "nearest", for a peer that has a comparer but no search. For a
// result v of the comparer, the squared distance is scale·v + shift, because the rows and the query have unit norm. If scale is
// negative, the rows with the largest results are the nearest rows. In cases of kind "nearest", the job keeps the k nearest
// rows in a sorted list.
func comparerJob(s spec, dir string, scale, shift float64, f comparer) *job {
	x, query, dst := load[float32](dir, "x"), load[float32](dir, "y"), make([]float32, s.int("n"))
	squared := func(v []float32) []float64 {
		out := widen(v)
		for i := range out {
			out[i] = scale*out[i] + shift
		}
		return out
	}
	if s.kind == "query" {
		return &job{run: func() { f(dst, x, query) }, result: func() []float64 { return squared(dst) }}
	}
	best, rows := make([]float32, s.int("k")), make([]int, s.int("k"))
	return &job{
		run: func() {
			f(dst, x, query)
			nearestOf(best, rows, dst, scale < 0)
		},
		result: func() []float64 { return squared(best) },
	}
}

// nearestOf sets best to the smallest values, or to the largest values if largest is set. It sets rows to the
// indices of these values.
func nearestOf(best []float32, rows []int, values []float32, largest bool) {
	sign := float32(1)
	if largest {
		sign = -1
	}
	n := 0
	for i, v := range values {
		if n == len(best) && sign*v >= sign*best[n-1] {
			continue
		}
		j := min(n, len(best)-1)
		for j > 0 && sign*v < sign*best[j-1] {
			best[j], rows[j] = best[j-1], rows[j-1]
			j--
		}
		best[j], rows[j] = v, i
		n = min(n+1, len(best))
	}
}

// callEachRow returns a comparer that calls f for the query and every row.
func callEachRow(d int, f func(a, b []float32) float32) comparer {
	return func(dst, x, query []float32) {
		for i := range dst {
			dst[i] = f(query, x[i*d:][:d])
		}
	}
}

func naiveRows(s spec, dir string) *job {
	return comparerJob(s, dir, 1, 0, callEachRow(s.int("d"), func(a, b []float32) float32 {
		sum := float32(0)
		for i, v := range a {
			sum += (v - b[i]) * (v - b[i])
		}
		return sum
	}))
}

func gonumRows(s spec, dir string) *job {
	n, d := s.int("n"), s.int("d")
	return comparerJob(s, dir, -2, 2, func(dst, x, query []float32) {
		a := blas32.General{Rows: n, Cols: d, Stride: d, Data: x}
		blas32.Gemv(blas.NoTrans, 1, a, blas32.Vector{N: d, Data: query, Inc: 1}, 0, blas32.Vector{N: n, Data: dst, Inc: 1})
	})
}

func vekRows(s spec, dir string) *job {
	return comparerJob(s, dir, -2, 2, callEachRow(s.int("d"), vek32.Dot))
}

// hnswPeer returns a job that calls CosineDistance of coder/hnsw. It does not call EuclideanDistance of coder/hnsw, which has
// no vector instructions.
func hnswPeer(s spec, dir string) *job {
	if s.kind != "query" && s.kind != "nearest" {
		return nil
	}
	return comparerJob(s, dir, 2, 0, callEachRow(s.int("d"), hnsw.CosineDistance))
}

func tphakalaRows(s spec, dir string) *job {
	n, d := s.int("n"), s.int("d")
	return comparerJob(s, dir, -2, 2, func(dst, x, query []float32) {
		tphakala.DotProductStrided(dst, x, query, n, d, d)
	})
}

// chromemPeer returns a job that searches a collection of chromem-go. This library has no public function that compares two
// vectors.
func chromemPeer(s spec, dir string) *job {
	if s.kind != "nearest" {
		return nil
	}
	n, d, k := s.int("n"), s.int("d"), s.int("k")
	x, query := load[float32](dir, "x"), load[float32](dir, "y")
	c, err := chromem.NewDB().CreateCollection("rows", nil, nil)
	if err != nil {
		panic(err)
	}
	documents := make([]chromem.Document, n)
	for i := range documents {
		documents[i] = chromem.Document{ID: strconv.Itoa(i), Embedding: x[i*d:][:d]}
	}
	if err := c.AddDocuments(background, documents, runtime.GOMAXPROCS(0)); err != nil {
		panic(err)
	}
	var found []chromem.Result
	return &job{
		run: func() {
			if found, err = c.QueryEmbedding(background, query, k, nil, nil); err != nil {
				panic(err)
			}
		},
		result: func() []float64 {
			out := make([]float64, k)
			for i, r := range found {
				out[i] = math.Max(0, 2-2*float64(r.Similarity))
			}
			return out
		},
	}
}
