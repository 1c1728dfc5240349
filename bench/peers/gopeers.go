package main

import (
	"math"

	tphakala32 "github.com/tphakala/simd/f32"
	tphakala64 "github.com/tphakala/simd/f64"
	"github.com/viterin/vek"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// naive returns a job that uses simple Go code.
func naive[T float32 | float64](s spec, dir string) *job {
	n, d := s.int("n"), s.int("d")
	switch s.kind {
	case "exp", "log":
		x, dst := load[T](dir, "x"), make([]T, n)
		f := math.Exp
		if s.kind == "log" {
			f = math.Log
		}
		return &job{
			run: func() {
				for i, v := range x {
					dst[i] = T(f(float64(v)))
				}
			},
			result: func() []float64 { return widen(dst) },
		}
	case "bytes":
		return naiveBytes(s, dir)
	case "convert":
		return naiveConversion(s, dir)
	case "pair":
		return naivePair[T](s, dir)
	case "query", "nearest":
		return naiveRows(s, dir)
	case "sqdist":
		x, z, dst := load[T](dir, "x"), load[T](dir, "y"), make([]T, n*n)
		return &job{
			run: func() {
				for i := range n {
					xi := x[i*d:][:d]
					for j := range n {
						zj := z[j*d:][:d]
						var sum T
						for k, v := range xi {
							sum += (v - zj[k]) * (v - zj[k])
						}
						dst[i*n+j] = sum
					}
				}
			},
			result: func() []float64 { return widen(dst) },
		}
	}
	return nil
}

// gonum returns a job that calls gonum. The job computes distances with matrix products, because floats.Distance takes much
// longer.
func gonum(s spec, dir string) *job {
	n, d, p := s.int("n"), s.int("d"), s.int("p")
	single := s.text("type") == "f32"
	switch {
	case s.kind == "pair":
		return gonumPair(s, dir)
	case s.kind == "emd":
		return gonumLP(s, dir)
	case s.kind == "query", s.kind == "nearest":
		return gonumRows(s, dir)
	case s.kind == "logsumexp" && !single:
		x, sum := load[float64](dir, "x"), make([]float64, 1)
		return &job{run: func() { sum[0] = floats.LogSumExp(x) }, result: func() []float64 { return sum }}
	case s.kind == "sqdist" && !single:
		x, z, dst := load[float64](dir, "x"), load[float64](dir, "y"), make([]float64, n*n)
		xx, zz := make([]float64, n), make([]float64, n)
		a, b := generalOf(n, d, x), generalOf(n, d, z)
		c := generalOf(n, n, dst)
		return &job{
			run: func() {
				for i := range n {
					xi, zi := x[i*d:(i+1)*d], z[i*d:(i+1)*d]
					xx[i], zz[i] = floats.Dot(xi, xi), floats.Dot(zi, zi)
				}
				blas64.Gemm(blas.NoTrans, blas.Trans, -2, a, b, 0, c)
				for i := range n {
					row := dst[i*n : (i+1)*n]
					floats.AddConst(xx[i], row)
					floats.Add(row, zz)
				}
			},
			result: func() []float64 { return dst },
		}
	case s.kind == "project" && !single:
		dst := make([]float64, n*p)
		a, b, c := generalOf(n, d, load[float64](dir, "x")), generalOf(d, p, load[float64](dir, "y")), generalOf(n, p, dst)
		return &job{
			run:    func() { blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c) },
			result: func() []float64 { return dst },
		}
	case s.kind == "project":
		dst := make([]float32, n*p)
		a := blas32.General{Rows: n, Cols: d, Stride: d, Data: load[float32](dir, "x")}
		b := blas32.General{Rows: d, Cols: p, Stride: p, Data: load[float32](dir, "y")}
		c := blas32.General{Rows: n, Cols: p, Stride: p, Data: dst}
		return &job{
			run:    func() { blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c) },
			result: func() []float64 { return widen(dst) },
		}
	case s.kind == "iterate" && !single:
		k := generalOf(n, n, load[float64](dir, "x"))
		u, v := make([]float64, n), make([]float64, n)
		for i := range v {
			v[i] = 1
		}
		w := 1 / float64(n)
		bu, bv := blas64.Vector{N: n, Data: u, Inc: 1}, blas64.Vector{N: n, Data: v, Inc: 1}
		run := func() {
			blas64.Gemv(blas.NoTrans, 1, k, bv, 0, bu)
			for i, x := range u {
				u[i] = w / x
			}
			blas64.Gemv(blas.Trans, 1, k, bu, 0, bv)
			for j, x := range v {
				v[j] = w / x
			}
		}
		return &job{run: run, result: func() []float64 {
			run()
			run()
			return u
		}}
	case s.kind == "iterate":
		k := blas32.General{Rows: n, Cols: n, Stride: n, Data: load[float32](dir, "x")}
		u, v := make([]float32, n), make([]float32, n)
		for i := range v {
			v[i] = 1
		}
		w := 1 / float32(n)
		bu, bv := blas32.Vector{N: n, Data: u, Inc: 1}, blas32.Vector{N: n, Data: v, Inc: 1}
		run := func() {
			blas32.Gemv(blas.NoTrans, 1, k, bv, 0, bu)
			for i, x := range u {
				u[i] = w / x
			}
			blas32.Gemv(blas.Trans, 1, k, bu, 0, bv)
			for j, x := range v {
				v[j] = w / x
			}
		}
		return &job{run: run, result: func() []float64 {
			run()
			run()
			return widen(u)
		}}
	}
	return nil
}

func generalOf(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// elementwise returns a job that applies a function to a slice. The kind of the case selects the function.
func elementwise[T float32 | float64](s spec, dir string, functions map[string]func(dst, x []T)) *job {
	f := functions[s.kind]
	if f == nil {
		return nil
	}
	x := load[T](dir, "x")
	dst := make([]T, len(x))
	if s.kind == "logsumexp" {
		dst = dst[:1]
	}
	return &job{run: func() { f(dst, x) }, result: func() []float64 { return widen(dst) }}
}

// tphakalaPeer returns a job that calls tphakala/simd. This library has no softmax and no log-sum-exp.
func tphakalaPeer(s spec, dir string) *job {
	switch {
	case s.kind == "convert":
		return tphakalaConversion(s, dir)
	case s.kind == "pair":
		return tphakalaPair(s, dir)
	case s.kind == "query", s.kind == "nearest":
		return tphakalaRows(s, dir)
	case s.text("type") == "f64":
		return elementwise(s, dir, map[string]func(dst, x []float64){"exp": tphakala64.Exp, "log": tphakala64.Log})
	}
	return elementwise(s, dir, map[string]func(dst, x []float32){"exp": tphakala32.Exp, "log": tphakala32.Log})
}

// vekPeer returns a job that calls viterin/vek. This library has exp and log only for float32, and computes one distance at a
// time.
func vekPeer(s spec, dir string) *job {
	n, d := s.int("n"), s.int("d")
	single := s.text("type") == "f32"
	switch {
	case s.kind == "pair":
		return vekPair(s, dir)
	case s.kind == "query", s.kind == "nearest":
		return vekRows(s, dir)
	case (s.kind == "exp" || s.kind == "log") && single:
		return elementwise(s, dir, map[string]func(dst, x []float32){
			"exp": func(dst, x []float32) { vek32.Exp_Into(dst, x) },
			"log": func(dst, x []float32) { vek32.Log_Into(dst, x) },
		})
	case s.kind == "sqdist" && single:
		x, z, dst := load[float32](dir, "x"), load[float32](dir, "y"), make([]float32, n*n)
		return &job{
			run: func() {
				for i := range n {
					for j := range n {
						r := vek32.Distance(x[i*d:(i+1)*d], z[j*d:(j+1)*d])
						dst[i*n+j] = r * r
					}
				}
			},
			result: func() []float64 { return widen(dst) },
		}
	case s.kind == "sqdist":
		x, z, dst := load[float64](dir, "x"), load[float64](dir, "y"), make([]float64, n*n)
		return &job{
			run: func() {
				for i := range n {
					for j := range n {
						r := vek.Distance(x[i*d:(i+1)*d], z[j*d:(j+1)*d])
						dst[i*n+j] = r * r
					}
				}
			},
			result: func() []float64 { return dst },
		}
	}
	return nil
}
