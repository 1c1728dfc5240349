package main

import (
	"strings"

	"github.com/gomonge/monge/bench/peers/limit"
)

// These maps contain the number of FMAs and products that the functions of packages exp and vector need for
// each element. The map key is the number of bits of an element.
var (
	expFMAs  = map[int]float64{32: 8, 64: 11}
	exp2FMAs = map[int]float64{32: 6, 64: 9}
	logFMAs  = map[int]float64{32: 8, 64: 14} // float64 also needs a division
)

// leastWork returns the minimum work of a case, divided into phases. The minimum work consists of the operations
// that every program needs for the method of the case, with warm caches. leastWork returns nil if the minimum is
// unknown or the case uses several threads.
//
// leastWork counts FMAs and products, divisions, and the bytes that are read and written. It does not count
// additions and subtractions, because some machines have separate units for them. It also omits small terms:
// vectors in a computation with matrices, packing, sums of the elements of a register, and calls.
func leastWork(s spec, ours string) []limit.Phase {
	if strings.Contains(ours, "-2") || s.kind == "nearest" || s.kind == "search" { // several threads, or a search that skips most rows
		return nil
	}
	bits := 64
	if s.text("type") == "f32" || ours == "ours-f32" {
		bits = 32
	}
	size := float64(bits / 8)
	kernel := size // bytes per element of the kernel matrix
	if ours == "ours-mixed" {
		kernel = 4
	}
	n, d, p, iters := s.float("n"), s.float("d"), s.float("p"), s.float("iters")
	move := func(bytes, set float64) []limit.Move { return []limit.Move{{Bytes: bytes, Set: set}} }
	vector := func(fmas, divs float64) []limit.Phase {
		return []limit.Phase{{Bits: bits, FMAs: n * fmas, Divs: n * divs, Reads: move(n*size, 2*n*size), Writes: move(n*size, 2*n*size)}}
	}
	// iterations returns the work of several Sinkhorn iterations with a working set of the given size in bytes. Every
	// element of the kernel matrix takes two FMAs and is read twice. The second read is from the first-level cache.
	iterations := func(times, set float64) limit.Phase {
		return limit.Phase{
			Bits: bits, FMAs: 2 * n * n, Divs: 2 * n, Times: times,
			Reads: []limit.Move{{Bytes: n * n * kernel, Set: set}, {Bytes: 2 * n * n * kernel, Set: limit.L1}},
		}
	}
	matrix := n * n * size
	switch s.kind {
	case "exp":
		return vector(expFMAs[bits], 0)
	case "log":
		return vector(logFMAs[bits], float64(bits/64))
	case "softmax": // softmax has one product more than exp
		return vector(expFMAs[bits]+1, 0)
	case "logsumexp": // reads the slice twice, for the maximum and for the sum
		return []limit.Phase{{Bits: bits, FMAs: n * expFMAs[bits], Reads: move(2*n*size, n*size)}}
	case "pair":
		terms := map[string]float64{"cosine": 3}[s.text("of")]
		vectors := map[string]float64{"norm": 1, "sum": 1}[s.text("of")]
		if vectors == 0 {
			vectors = 2
		}
		return []limit.Phase{{Bits: bits, FMAs: n * max(terms, 1), Reads: move(vectors*n*size, vectors*n*size)}}
	case "query":
		return []limit.Phase{{Bits: bits, FMAs: n * d, Reads: move(n*d*size, n*d*size)}}
	case "sqdist":
		return []limit.Phase{{Bits: bits, FMAs: n * n * d, Writes: move(matrix, matrix+2*n*d*size)}}
	case "gibbs":
		return []limit.Phase{{Bits: bits, FMAs: n * n * (d + exp2FMAs[bits]), Writes: move(matrix, matrix+2*n*d*size)}}
	case "iterate":
		return []limit.Phase{iterations(1, n*n*kernel)}
	case "sinkhorn", "sinkhornlog":
		// The first phase computes the kernel matrix K and runs the first iteration. The second phase runs the
		// other iterations. The third phase computes the transport plan. The log domain has the same phases as
		// the plain domain, because potentials can be absorbed into K.
		both := matrix + n*n*kernel
		return []limit.Phase{
			{Bits: bits, FMAs: n * n * (exp2FMAs[bits] + 2), Divs: 2 * n, Reads: move(matrix, both), Writes: move(n*n*kernel, both)},
			iterations(iters-1, n*n*kernel),
			{Bits: bits, FMAs: 2 * n * n, Reads: move(n*n*kernel, both), Writes: move(matrix, both)},
		}
	case "tiny": // computes the cost, too
		count := s.float("count")
		return []limit.Phase{{Bits: bits, FMAs: count * n * n * (exp2FMAs[bits] + 2*iters + 2), Divs: count * 2 * n * iters, Reads: move(count*matrix, count*matrix)}}
	case "many":
		count := s.float("count")
		return []limit.Phase{
			{Bits: bits, FMAs: n * n * exp2FMAs[bits], Reads: move(matrix, 2*matrix), Writes: move(matrix, 2*matrix)},
			{Bits: bits, FMAs: count * 2 * n * n, Divs: count * 2 * n, Reads: move(matrix, matrix), Times: iters},
			{Bits: bits, FMAs: count * 2 * n * n, Reads: move(2*matrix, 2*matrix)},
		}
	case "free": // computes K in every iteration
		return []limit.Phase{{Bits: bits, FMAs: n * n * (d + exp2FMAs[bits] + 2), Divs: 2 * n, Times: iters}}
	case "lse": // one FMA for x, and one for the sums of columns, which the peers do not compute
		return []limit.Phase{{Bits: bits, FMAs: n * n * (exp2FMAs[bits] + 2), Reads: move(matrix, matrix)}}
	case "project":
		return []limit.Phase{{Bits: bits, FMAs: n * d * p, Reads: move(n*d*size, n*d*size)}}
	case "wda":
		// The samples are rotated into their span, which has at most n dimensions. A class has l samples. The
		// work for a pair of classes consists of the kernel matrix, the forward and backward iterations, the
		// cost, and the adjoint of the cost with two products. The matrix product in phase x runs twice: before
		// the pairs, to project the samples, and after the pairs, to compute the gradient.
		classes := s.float("classes")
		l := n / classes
		pairs := classes * (classes + 1) / 2
		each := p + exp2FMAs[bits] + 4*iters + 4 + (2*iters + 4) + 2*(p+1)
		d = min(n, d)
		x := limit.Phase{Bits: bits, FMAs: n * d * p, Reads: move(n*d*size, n*d*size), Times: 2}
		return []limit.Phase{x, {Bits: bits, FMAs: pairs * l * l * each, Divs: pairs * 2 * l * iters}}
	}
	return nil
}

// limitGoal returns the goal for the ratio of the lower bound to the measured time, or 0 if the case has no goal.
func limitGoal(s spec) float64 {
	switch s.kind {
	case "sinkhorn", "sinkhornlog", "wda", "many", "free":
		return .75
	case "tiny", "codes", "emd", "emdtiny", "assign", "line", "sliced":
		return 0
	}
	switch n := s.int("n"); {
	case n < 100:
		return 0
	case n > 1000 && (s.kind == "query" || s.kind == "nearest"): // the rows do not fit in the caches
		return .9
	}
	return .85
}
