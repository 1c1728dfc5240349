package vecmath

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/vector"
)

// Float is the element type, float64 or float32.
type Float = dist.Float

const overlapPanic = "vecmath: destination overlaps the source, and is not the source"

// chunk is the number of elements that a function with several kernels processes at a time. A chunk
// fits in the first-level cache, and is a multiple of the number of SIMD lanes.
const chunk = 256

// Exp sets dst[i] = exp(src[i]). Exp(±0) = 1, Exp(+Inf) = +Inf, Exp(−Inf) = +0, Exp(NaN) = NaN. Underflow is gradual.
// A result is +Inf only if the exact value rounds to +Inf. Results that underflow or overflow take about three times
// as long.
func Exp[T Float](dst, src []T) {
	checkDestination(dst, src)
	exp.Exp(dst, src)
}

// Exp2 sets dst[i] = 2^src[i]. Results for integer arguments are exact. Special values are as in
// [Exp].
func Exp2[T Float](dst, src []T) {
	checkDestination(dst, src)
	lo, hi := exp2Range[T]()
	for len(src) > 0 {
		n := min(chunk, len(src))
		if pass.CountOutside(src[:n], lo, hi) == 0 {
			exp.Exp2(dst[:n], src[:n], 1)
		} else {
			for i, x := range src[:n] {
				dst[i] = exp2(x)
			}
		}
		dst, src = dst[n:], src[n:]
	}
}

// exp2Range returns the range of arguments in which the Exp2 kernel is accurate. Outside this range
// the kernel flushes subnormal results to 0, and returns +Inf for some results that are still
// finite.
func exp2Range[T Float]() (lo, hi T) {
	if num.IsFloat64[T]() {
		return -1022, 1023
	}
	return -126, 127
}

// exp2 returns 2^x for any x.
func exp2[T Float](x T) T {
	lo, hi := exp2Range[T]()
	switch {
	case x > hi && x-hi < 1:
		return 2 * exp.Ref2(x-1)
	case x < lo && x > 2*lo:
		// Multiply by 2^(lo/2) twice: the first product is exact, and the second one rounds.
		half := exp.Ref2(lo / 2)
		return T(exp.Ref2(x-lo)*half) * half
	}
	return exp.Ref2(x)
}

// Log sets dst[i] = ln src[i]. Log(±0) = −Inf, Log(x < 0) = NaN, Log(+Inf) = +Inf, Log(NaN) = NaN,
// Log(1) = +0. A group of 64 bytes takes about ten times as long if it contains a number that is
// negative, zero, subnormal or not finite.
func Log[T Float](dst, src []T) {
	checkDestination(dst, src)
	vector.Log(dst, src)
}

// Log2 sets dst[i] = log₂ src[i]. Results for powers of two are exact. Special values are as in
// [Log].
func Log2[T Float](dst, src []T) {
	checkDestination(dst, src)
	vector.Log2(dst, src)
}

// Sigmoid sets dst[i] = 1/(1 + exp(−src[i])), the logistic function.
func Sigmoid[T Float](dst, src []T) {
	checkDestination(dst, src)
	for len(src) > 0 {
		n := min(chunk, len(src))
		d := dst[:n]
		vector.Affine(d, src[:n], 0, -1)
		exp.Exp(d, d)
		vector.Affine(d, d, -1, 1)
		pass.Divide(d, ones[T](n), d)
		dst, src = dst[n:], src[n:]
	}
}

var (
	ones64 = constantOne[float64]()
	ones32 = constantOne[float32]()
)

func constantOne[T Float]() (x [chunk]T) {
	for i := range x {
		x[i] = 1
	}
	return x
}

// ones returns a read-only slice of n ones.
func ones[T Float](n int) []T {
	if num.IsFloat64[T]() {
		return sameTypeSlice[T](ones64[:n])
	}
	return sameTypeSlice[T](ones32[:n])
}

// LogSumExp returns ln Σ exp(src[i]), without overflow or underflow. Small terms are not lost: LogSumExp of
// (0, −40) is 4.248e-18. The result is NaN if src contains a NaN, otherwise +Inf if it contains +Inf, and −Inf if it is empty or all
// elements are −Inf.
func LogSumExp[T Float](src []T) T {
	top, rest := sumExp(src)
	if math.IsInf(float64(top), 0) {
		if hasNaN(src) {
			return T(math.NaN())
		}
		return top
	}
	return top + num.Log1p(rest)
}

// sumExp returns the largest element top, and the sum rest = Σ exp(src[i] − top) over all elements
// except one largest element. If top is infinite, rest has no meaning. When a block has a larger
// element than the previous blocks, sumExp scales the previous sum.
func sumExp[T Float](src []T) (top, rest T) {
	s := exp.Sum[T]{Top: T(math.Inf(-1))}
	count := 0 // elements equal to top
	for len(src) > 0 {
		top = s.Top
		n := min(blockLength[T](), len(src))
		exp.SumExp(&s, nil, src[:n])
		if s.Top > top && count > 0 {
			rest = T((rest + T(count)) * exp.RefDifference(top-s.Top))
			count = 0
		}
		if !math.IsInf(float64(s.Top), -1) || hasNaN(src[:n]) { // if all elements so far are −Inf, s.Rest counts only if the block contains NaN
			rest += s.Rest
		}
		count += int(s.Count)
		src = src[n:]
	}
	return s.Top, rest + T(count-1)
}

func hasNaN[T Float](x []T) bool { return slices.ContainsFunc(x, func(v T) bool { return v != v }) }

// blockLength returns the number of elements in a block of a sum of exponentials. A block fits in the first-level cache.
func blockLength[T Float]() int { return 256 * num.Lanes[T]() }

// Softmax sets dst[i] = exp(src[i]) / Σ_j exp(src[j]), without overflow. The result is +0 for an
// element that is more than 708 (87 in float32) below the largest element. If the largest element
// is infinite or src contains a NaN, all results are NaN.
func Softmax[T Float](dst, src []T) {
	checkDestination(dst, src)
	s := exp.Sum[T]{Top: T(math.Inf(-1))}
	block := blockLength[T]()
	if len(src) > block {
		s.Top = vector.Max(src)
	}
	total, count := T(0), 0
	for at := 0; at < len(src); at += block {
		end := min(at+block, len(src))
		exp.SumExp(&s, dst[at:end], src[at:end])
		total += s.Rest
		count += int(s.Count)
	}
	vector.Affine(dst, dst, 0, 1/(total+T(count)))
}

// LogSoftmax sets dst[i] = src[i] − ln Σ_j exp(src[j]). If the largest element is infinite or src
// contains a NaN, all results are NaN.
func LogSoftmax[T Float](dst, src []T) {
	checkDestination(dst, src)
	top, rest := sumExp(src)
	log := num.Log1p(rest)
	if math.IsInf(float64(top), 0) {
		log = T(math.NaN())
	}
	vector.Shift(dst, src, top, log)
}

// LogSumExpRows sets dst[i] to [LogSumExp] of row i of src. dst must have one element for each row of src, and must not overlap
// src.
func LogSumExpRows[T Float](dst []T, src dist.Matrix[T]) {
	src.Check()
	if len(dst) != src.Rows {
		panic(fmt.Sprintf("vecmath: shapes do not match: dst has %d elements, src %d rows", len(dst), src.Rows))
	}
	if d := dist.NewMatrix(1, len(dst), dst); asm.Overlap(view(&d), view(&src)) {
		panic(overlapPanic)
	}
	for i := range dst {
		dst[i] = LogSumExp(src.Row(i))
	}
}

// SoftmaxRows sets row i of dst to [Softmax] of row i of src. dst may be src.
func SoftmaxRows[T Float](dst, src dist.Matrix[T]) { applyToRows(dst, src, Softmax[T]) }

// LogSoftmaxRows sets row i of dst to [LogSoftmax] of row i of src. dst may be src.
func LogSoftmaxRows[T Float](dst, src dist.Matrix[T]) { applyToRows(dst, src, LogSoftmax[T]) }

func applyToRows[T Float](dst, src dist.Matrix[T], f func(dst, src []T)) {
	dst.Check()
	src.Check()
	if dst.Rows != src.Rows || dst.Cols != src.Cols {
		panic(fmt.Sprintf("vecmath: shapes do not match: dst is %d × %d, src %d × %d", dst.Rows, dst.Cols, src.Rows, src.Cols))
	}
	if dst.IsEmpty() {
		return
	}
	if same := &dst.Data[0] == &src.Data[0] && (dst.Stride == src.Stride || dst.Rows == 1); !same && asm.Overlap(view(&dst), view(&src)) {
		panic(overlapPanic)
	}
	for i := range dst.Rows {
		f(dst.Row(i), src.Row(i))
	}
}
