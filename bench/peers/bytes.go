package main

import (
	"math/bits"

	"github.com/gomonge/monge/vecmath"
)

// bytesJob returns a job that calls a function of two byte vectors. The key "of" in the case name selects the function.
func bytesJob(s spec, dir string, functions map[string]func(x, y []int8) int64) *job {
	f := functions[s.text("of")]
	if f == nil {
		return nil
	}
	x, y, result := loadBytes(dir, "x"), loadBytes(dir, "y"), int64(0)
	return &job{run: func() { result = f(x, y) }, result: func() []float64 { return []float64{float64(result)} }}
}

func loadBytes(dir, name string) []int8 {
	var out []int8
	for _, v := range load[float32](dir, name) {
		out = append(out, int8(v))
	}
	return out
}

// unsigned returns a copy of x, converted to unsigned bytes with the same bits.
func unsigned(x []int8) []byte {
	out := make([]byte, len(x))
	for i, v := range x {
		out[i] = byte(v)
	}
	return out
}

// hammingJob returns a job that calls a function of two bit vectors, which are stored as bytes.
func hammingJob(dir string, f func(x, y []byte) int) *job {
	x, y, result := unsigned(loadBytes(dir, "x")), unsigned(loadBytes(dir, "y")), 0
	return &job{run: func() { result = f(x, y) }, result: func() []float64 { return []float64{float64(result)} }}
}

func oursBytes(s spec, dir string) *job {
	if s.text("of") == "hamming" {
		return hammingJob(dir, vecmath.Hamming[byte])
	}
	return bytesJob(s, dir, map[string]func(x, y []int8) int64{"dot": vecmath.DotInt8, "sqeuclidean": vecmath.SqEuclideanInt8})
}

// naiveBytes returns a job that uses plain Go loops.
func naiveBytes(s spec, dir string) *job {
	if s.text("of") == "hamming" {
		return hammingJob(dir, func(x, y []byte) (count int) {
			for i, v := range x {
				count += bits.OnesCount8(v ^ y[i])
			}
			return count
		})
	}
	return bytesJob(s, dir, map[string]func(x, y []int8) int64{
		"dot": func(x, y []int8) (sum int64) {
			for i, v := range x {
				sum += int64(v) * int64(y[i])
			}
			return sum
		},
		"sqeuclidean": func(x, y []int8) (sum int64) {
			for i, v := range x {
				d := int64(v) - int64(y[i])
				sum += d * d
			}
			return sum
		},
	})
}
