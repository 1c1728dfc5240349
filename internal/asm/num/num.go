// Package num contains the arithmetic that the Go reference implementations of all kernels use. It has the
// constraint [Float], a fused multiply-add that rounds once in both types, the summation order of a row,
// and a logarithm with the same bits on every machine.
package num

import (
	"math"
	"unsafe"
)

// Float is the element type of every kernel. Named types are excluded, so that a slice of T is
// always a []float32 or a []float64.
type Float interface{ float32 | float64 }

// IsFloat64 reports whether T is float64. The result is a compile-time constant in every instantiation
// of the caller, so a branch on the result costs nothing.
func IsFloat64[T Float]() bool {
	var x T
	return unsafe.Sizeof(x) == 8
}

// F64 converts a slice of T to []float64. The caller must know that T is float64. Unlike
// any(s).([]float64), the conversion does not make the slice escape to the heap.
func F64[T Float](s []T) []float64 { return *(*[]float64)(unsafe.Pointer(&s)) }

// P64 returns a pointer to the first element of s as a *float64, for assembly. The caller must know
// that T is float64, and must have checked the length of s.
func P64[T Float](s []T) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(s))) }

// P32 is like P64 for float32.
func P32[T Float](s []T) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(s))) }

// FMA returns x·y + z, rounded once.
func FMA[T Float](x, y, z T) T {
	if IsFloat64[T]() {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	return T(fma32(float32(x), float32(y), float32(z)))
}

// fma32 returns x·y + z, rounded once. The product is exact in float64. The sum s is rounded to float64
// and then to float32. The second rounding can be wrong only if s is halfway between two float32 values,
// or if the result is subnormal. In these cases, fma32 first rounds s to odd: if s is inexact and the
// last bit of s is 0, fma32 replaces s by the next float64 in the direction of the exact sum. Then s is no
// longer halfway. See Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved
// algorithms using rounding to odd", IEEE Trans. Comput. 57 (2008).
func fma32(x, y, z float32) float32 {
	p, c := float64(float64(x)*float64(y)), float64(z)
	s := p + c
	const (
		middle   = 1 << 28 // the highest of the 29 bits that float32 drops
		below    = 1<<29 - 1
		smallest = (1023 - 126) << 52 // bits of 2^-126, the smallest normal float32
	)
	b := math.Float64bits(s)
	if b&below != middle && b&^(1<<63) >= smallest {
		return float32(s)
	}
	// The TwoSum algorithm computes the rounding error e. Then p + c = s + e exactly.
	t := float64(s - p)
	e := float64(p-float64(s-t)) + float64(c-t)
	if e != 0 && b&1 == 0 && e-e == 0 {
		if (e > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}

// Lanes returns w, the number of partial sums (virtual lanes) in which the elements of a row are added. T is the type of the
// elements.
func Lanes[T Float]() int {
	if IsFloat64[T]() {
		return 8
	}
	return 16
}

// MaxLanes is the larger of the two lane counts. It is the length of arrays of accumulators.
const MaxLanes = 16

// Fold returns the sum of the first w = Lanes[T]() elements of acc. It first adds element l + w/2 to element l
// for all l < w/2. It repeats this step with w/4, w/8 and so on. It overwrites acc.
func Fold[T Float](acc *[MaxLanes]T) T {
	for h := Lanes[T]() / 2; h > 0; h /= 2 {
		for l := range h {
			acc[l] += acc[l+h]
		}
	}
	return acc[0]
}

// Dot returns Σ_j x_j y_j over len(x) elements, in the summation order that package asm defines. An FMA
// adds product j to lane j mod w, where w = Lanes[T](). The lanes begin at +0, and the vectors are
// padded with zeros to a multiple of w elements. If x is float32 and y is float64, the elements of x are
// first converted to float64, which is exact.
func Dot[K, T Float](x []K, y []T) T {
	var acc [MaxLanes]T
	w := Lanes[T]()
	y = y[:len(x)]
	for len(x) >= w {
		for l := range w {
			acc[l] = FMA(T(x[l]), y[l], acc[l])
		}
		x, y = x[w:], y[w:]
	}
	if len(x) > 0 {
		for l := range x {
			acc[l] = FMA(T(x[l]), y[l], acc[l])
		}
		for l := len(x); l < w; l++ {
			acc[l] += 0 // the zero padding turns −0 into +0
		}
	}
	return Fold(&acc)
}

// Sum is a running sum. It adds its terms in the same order as Dot. The zero value is an empty sum.
type Sum[T Float] struct {
	lane [MaxLanes]T
	n    int
}

// Add adds the term x·y with one FMA.
func (s *Sum[T]) Add(x, y T) {
	l := s.n % Lanes[T]()
	s.lane[l] = FMA(x, y, s.lane[l])
	s.n++
}

// AddTerm adds the term x.
func (s *Sum[T]) AddTerm(x T) {
	s.lane[s.n%Lanes[T]()] += x
	s.n++
}

// Total returns the sum. No term may be added afterwards.
func (s *Sum[T]) Total() T {
	if l := s.n % Lanes[T](); l > 0 {
		for ; l < Lanes[T](); l++ {
			s.lane[l] += 0 // the zero padding turns −0 into +0
		}
	}
	return Fold(&s.lane)
}

// Abs returns |x|, which is x without its sign bit.
func Abs[T Float](x T) T {
	if IsFloat64[T]() {
		return T(math.Float64frombits(math.Float64bits(float64(x)) & (1<<63 - 1)))
	}
	return T(math.Float32frombits(math.Float32bits(float32(x)) & (1<<31 - 1)))
}
