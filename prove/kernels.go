package main

import (
	"slices"

	"github.com/gomonge/monge/prove/internal/gossa"
)

// types are the element types of a kernel: of its matrix K and of its vectors T.
type kinds struct{ suffix, k, t string }

var (
	single = []kinds{{"F64", "float64", "float64"}, {"F32", "float32", "float32"}}
	costs  = []kinds{single[0], {"F32", "float32", "float64"}} // of package price
	all    = append(slices.Clone(single), kinds{"Mixed", "float32", "float64"})
)

// shape is the size of one case. What a number means is the kernel's.
type shape struct {
	m, n, d int
	pad     int // what strides exceed rows by
	flag    bool
	apart   bool // no two operands have a bit of their addresses in common
	cut     bool // into the smallest pieces that the kernel makes
}

// kernel is an exported kernel of package pkg, and how it is called.
type kernel struct {
	pkg, name string
	types     []kinds
	arguments string // type arguments: "K, T", "T" or ""
	shapes    func(lanes int) []shape
	call      func(b *builder)
	levels    string // of which it is proved; empty is all
}

const (
	input role = iota
	output
	zero    // an output that is zero before
	scratch // writable, and not compared
)

func pairCall(b *builder) { b.vectors(input, b.n, b.n) }

// compactCall adds two vectors of bytes.
func compactCall(typ string) func(b *builder) {
	return func(b *builder) {
		b.narrow(input, typ, b.n)
		b.narrow(input, typ, b.n)
	}
}

func widenCall(b *builder) {
	b.vectors(output, b.n)
	b.narrow(input, "uint16", b.n)
}

func narrowCall(b *builder) {
	b.narrow(output, "uint16", b.n)
	b.vectors(input, b.n)
}

func halfCall(b *builder) {
	b.vectors(output, b.m)
	b.vectors(input, b.n)
	b.narrow(input, "uint16", b.m*b.n)
	b.bool(b.flag) // query.Float16
}

func int8Call(b *builder) {
	b.vectors(output, b.m)
	b.vectors(input, b.n)
	b.narrow(input, "int8", b.m*b.n)
	b.vectors(input, b.m)
}

// manyShapes covers several queries against rows: three turns of each loop.
func manyShapes(int) []shape {
	return grid([]int{8, 16, 24}, []int{16, 32, 48}, func(n, d int) []shape {
		return []shape{{m: 3 + n/16%2*3, n: n, d: d, pad: d % 32 / 4}}
	})
}

// manyLongShapes are those and two blocks of long rows, of which the second is fetched ahead.
func manyLongShapes(lanes int) []shape {
	return append(manyShapes(lanes), shape{m: 3, n: 16, d: 544})
}

// manyHalfShapes are those for both formats of 16 bits.
func manyHalfShapes(lanes int) (out []shape) {
	for _, s := range manyLongShapes(lanes) {
		half := s
		half.flag = true
		out = append(out, s, half)
	}
	return out
}

// manyCall adds the arguments of several queries but for the rows.
func manyCall(b *builder) {
	b.int(b.m, b.n, b.d)
	b.matrix(output, "float32", b.m, b.n)
	b.vectors(input, b.m*b.d)
}

func manyRows(b *builder) {
	manyCall(b)
	b.vectors(input, b.n*b.d)
}

func manyHalves(b *builder) {
	manyCall(b)
	b.narrow(input, "uint16", b.n*b.d)
	b.bool(b.flag) // query.Float16
}

func manyBytes(b *builder) {
	manyCall(b)
	b.narrow(input, "int8", b.n*b.d)
	b.vectors(input, b.n)
}

func queryCall(b *builder) {
	b.vectors(output, b.m)
	b.vectors(input, b.n, b.m*b.n)
}

// sketchCall has the arguments of a filter of m queries: groups of 32 rows with codes of seven bits.
func sketchCall(b *builder, m int) {
	b.vectors(output, b.n*m)
	b.narrow(input, "uint7", 32*b.n*b.d)
	groups := b.region(input, b.t, 1, 96*b.n, 96*b.n)
	b.args = append(b.args, gossa.Slice{Addr: groups.Addr, Len: b.n, Cap: b.n})
	b.narrow(input, "int8", m*b.d)
	b.args = append(b.args, b.region(input, b.t, 1, 5*m, 5*m).Addr)
}

var kernels = append(plainKernels, expKernels...)

// forked are the kernels that are proved path by path: assembly tells Go where to go on, or asks the
// same of the data in every turn of a loop.
var forked = map[string]bool{"vector.Log": true, "vector.Log2": true, "distance.Gibbs": true}

// formed are the packages whose kernels have forms below a level.
var formed = map[string]bool{"compact": true, "sketch": true}

// expKernels are those of exponentials, logarithms and maxima.
var expKernels = []kernel{
	{"exp", "Exp", single, "T", expShapes, func(b *builder) {
		b.vectors(output, b.n)
		b.vectors(input, b.n)
	}, ""},
	{"exp", "SumExp", single, "T", sumExpShapes, func(b *builder) {
		b.args = append(b.args, b.region(output, b.t, 1, 3, 3).Addr) // *exp.Sum[T]
		if b.flag {
			b.vectors(output, b.n)
		} else {
			b.args = append(b.args, gossa.Slice{})
		}
		b.vectors(input, b.n)
	}, ""},
	{"exp", "Exp2", single, "T", expShapes, func(b *builder) {
		b.vectors(output, b.n)
		b.vectors(input, b.n)
		b.scalar()
	}, ""},
	{"exp", "LogRows", single, "T", logShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.matrix(input, b.t, b.m, b.n)
		b.scalar()
		b.vectors(input, b.n, b.m)
		b.vectors(output, b.m, b.m, b.n)
		b.vectors(scratch, b.n)
	}, ""},
	{"exp", "LogColumnMax", single, "T", logShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.matrix(input, b.t, b.m, b.n)
		b.scalar()
		b.vectors(input, b.m)
		b.vectors(output, b.n)
	}, ""},
	{"exp", "LogColumnSum", single, "T", logShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.matrix(input, b.t, b.m, b.n)
		b.scalar()
		b.vectors(input, b.m, b.n)
		b.vectors(output, b.n)
	}, ""},
	{"exp", "LogPlan", single, "T", logShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.matrix(output, b.t, b.m, b.n)
		b.matrix(input, b.t, b.m, b.n)
		b.scalar()
		b.vectors(input, b.m, b.n)
	}, ""},
	{"price", "LeastLanes", costs, "K", turnShapes, func(b *builder) {
		b.lanesOfPrice()
		b.args = append(b.args, b.region(input, b.k, 1, b.n, b.n))
		b.scalar()
		b.vectors(input, b.n)
	}, ""},
	{"price", "RelaxLanes", costs, "K", turnShapes, func(b *builder) {
		b.lanesOfPrice()
		b.vectors(output, b.n)
		b.args = append(b.args, b.region(input, b.k, 1, b.n, b.n))
		b.scalar()
		b.vectors(input, b.n)
	}, ""},
	{"vector", "Max", single, "T", vectorShapes, func(b *builder) {
		b.vectors(input, b.n)
	}, ""},
	{"vector", "Log", single, "T", groupShapes, func(b *builder) {
		b.vectors(output, b.n)
		b.vectors(input, b.n)
	}, ""},
	{"vector", "Log2", single, "T", groupShapes, func(b *builder) {
		b.vectors(output, b.n)
		b.vectors(input, b.n)
	}, ""},
	{"distance", "Gibbs", single, "T", gibbsShapes, func(b *builder) {
		b.int(b.m, b.n, b.d)
		b.matrix(output, b.t, b.m, b.n)
		if b.flag {
			b.matrix(output, b.t, b.m, b.n)
		} else {
			b.args = append(b.args, gossa.Slice{}, uint64(0))
		}
		b.matrix(input, b.t, b.m, b.d)
		b.matrix(input, b.t, b.d, b.n)
		b.scalar()
	}, ""},
}

// plainKernels are all others.
var plainKernels = []kernel{
	{"pass", "Rows", all, "K, T", matrixShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.vectors(output, b.m)
		b.matrix(input, b.k, b.m, b.n)
		b.vectors(input, b.n)
	}, ""},
	{"pass", "Columns", all, "K, T", matrixShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.vectors(output, b.n)
		b.matrix(input, b.k, b.m, b.n)
		b.vectors(input, b.m)
	}, ""},
	{"pass", "Iterate", all, "K, T", matrixShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.matrix(input, b.k, b.m, b.n)
		b.vectors(input, b.n, b.m)
		b.vectors(output, b.m, b.n)
	}, ""},
	{"pass", "Sweep", all, "K, T", matrixShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.matrix(input, b.k, b.m, b.n)
		b.vectors(input, b.n, b.m)
		b.vectors(output, b.m, b.n)
	}, ""},
	{"pass", "Begin", single, "T", matrixShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.matrix(input, b.t, b.m, b.n)
		b.matrix(input, b.t, b.m, b.n)
		b.vectors(input, b.n, b.m, b.m)
		b.vectors(output, b.m, b.m, b.n)
	}, ""},
	{"pass", "Divide", single, "T", vectorShapes, func(b *builder) {
		b.vectors(output, b.n)
		b.vectors(input, b.n, b.n)
	}, ""},
	{"pass", "Widen", all[2:], "", vectorShapes, func(b *builder) {
		b.vectors(output, b.n)
		b.args = append(b.args, b.region(input, "float32", 1, b.n, b.n))
	}, ""},
	{"pass", "CountOutside", single, "T", vectorShapes, func(b *builder) {
		b.vectors(input, b.n)
		b.scalar()
		b.scalar()
	}, ""},
	{"pass", "Narrow", all[2:], "", vectorShapes, func(b *builder) {
		b.args = append(b.args, b.region(output, "float32", 1, b.n, b.n))
		b.vectors(input, b.n)
	}, ""},
	{"lane", "Divide", single, "T", func(int) (out []shape) {
		for _, m := range []int{0, 1, 2, 3, 4, 5} {
			out = append(out, shape{m: m}, shape{m: m, flag: true})
		}
		return out
	}, func(b *builder) {
		w := b.lanes()
		b.int(b.m)
		b.vectors(output, b.m*w)
		b.vectors(input, b.m*w, b.m*w, w, w)
		b.vectors(output, w)
		b.bool(b.flag)
	}, ""},
	{"vector", "Affine", single, "T", vectorShapes, func(b *builder) {
		b.vectors(output, b.n)
		b.vectors(input, b.n)
		b.scalar()
		b.scalar()
	}, ""},
	{"vector", "Shift", single, "T", vectorShapes, func(b *builder) {
		b.vectors(output, b.n)
		b.vectors(input, b.n)
		b.scalar()
		b.scalar()
	}, ""},
	{"pair", "Dot", single, "T", pairShapes, pairCall, ""},
	{"pair", "SqEuclidean", single, "T", pairShapes, pairCall, ""},
	{"pair", "Manhattan", single, "T", pairShapes, pairCall, ""},
	{"pair", "Norm", single, "T", pairShapes, func(b *builder) { b.vectors(input, b.n) }, ""},
	{"pair", "Sum", single, "T", pairShapes, func(b *builder) { b.vectors(input, b.n) }, ""},
	{"pair", "Cosine", single, "T", pairShapes, pairCall, ""},
	{"pair", "AddCosineLanes", single, "T", pairGroups, func(b *builder) {
		b.args = append(b.args, b.region(output, b.t, 1, 96, 96).Addr)
		pairCall(b)
	}, ""},
	{"pair", "AddLanes", single, "T", lanesShapes, func(b *builder) {
		b.int(b.d) // the terms
		b.args = append(b.args, b.region(output, b.t, 1, 64, 64).Addr)
		pairCall(b)
	}, ""},
	{"query", "SqEuclidean", single[1:], "", queryLongShapes, queryCall, ""},
	{"query", "Dot", single[1:], "", queryLongShapes, queryCall, ""},
	{"query", "SqEuclideanFar", single[1:], "", queryShapes, queryCall, ""},
	{"query", "DotFar", single[1:], "", queryShapes, queryCall, ""},
	{"query", "SqEuclideanHalf", single[1:], "", halfShapes, halfCall, ""},
	{"query", "DotHalf", single[1:], "", halfShapes, halfCall, ""},
	{"query", "SqEuclideanInt8", single[1:], "", queryShapes, int8Call, ""},
	{"query", "DotInt8", single[1:], "", queryShapes, int8Call, ""},
	{"query", "SqEuclideanMany", single[1:], "", manyLongShapes, manyRows, ""},
	{"query", "DotMany", single[1:], "", manyLongShapes, manyRows, ""},
	{"query", "SqEuclideanHalfMany", single[1:], "", manyHalfShapes, manyHalves, ""},
	{"query", "DotHalfMany", single[1:], "", manyHalfShapes, manyHalves, ""},
	{"query", "SqEuclideanInt8Many", single[1:], "", manyLongShapes, manyBytes, ""},
	{"query", "DotInt8Many", single[1:], "", manyLongShapes, manyBytes, ""},
	{"compact", "DotInt8", single[1:], "", compactShapes(1 << 16), compactCall("int8"), ""},
	{"compact", "SqEuclideanInt8", single[1:], "", compactShapes(1 << 15), compactCall("int8"), ""},
	{"compact", "Hamming", single[1:], "", compactShapes(1 << 15), compactCall("uint8"), ""},
	{"compact", "WidenFloat16", single[1:], "", widenShapes, widenCall, ""},
	{"compact", "WidenBFloat16", single[1:], "", widenShapes, widenCall, ""},
	{"compact", "NarrowFloat16", single[1:], "", widenShapes, narrowCall, ""},
	{"compact", "NarrowBFloat16", single[1:], "", widenShapes, narrowCall, ""},
	{"compact", "RoundInt8", all[2:], "", func(int) []shape { return append(turnShapes(0), shape{}, shape{n: 28}) }, func(b *builder) {
		b.narrow(output, "int8", b.n)
		b.args = append(b.args, b.region(input, b.k, 1, b.n, b.n))
		b.scalar()
	}, ""},
	{"compact", "SignBits", single[1:], "", signShapes, func(b *builder) {
		b.narrow(output, "uint8", b.n/8)
		b.vectors(input, b.n)
	}, ""},
	{"sketch", "Largest", single[1:], "", vectorShapes, func(b *builder) { b.vectors(input, b.n) }, ""},
	{"codes", "Sums8", single[1:], "", func(lanes int) []shape {
		return append(codeShapes(lanes), grid([]int{1, 2}, []int{1, 3}, func(m, n int) []shape { return []shape{{m: m, n: n}} })...)
	}, func(b *builder) {
		b.vectors(output, 32*b.m)
		b.narrow(input, "uint8", 32*b.m*b.n)
		b.vectors(input, 256*b.n)
	}, ""},
	{"codes", "Sums4", single[1:], "", codeShapes, func(b *builder) {
		b.narrow(output, "uint16", 32*b.m)
		b.narrow(input, "uint8", 16*b.m*b.n)
		b.narrow(input, "uint8", 16*b.n)
	}, ""},
	{"sketch", "Filter", single[1:], "", sketchShapes, func(b *builder) { sketchCall(b, 12) }, ""},
	{"sketch", "FilterOne", single[1:], "", sketchShapes, func(b *builder) { sketchCall(b, 1) }, ""},
	{"sketch", "QuantizeRow", single[1:], "", quantizeShapes, func(b *builder) {
		b.narrow(output, "uint8", 32*b.n)
		b.vectors(input, b.n)
	}, ""},
	{"sketch", "QuantizeQuery", single[1:], "", quantizeShapes, func(b *builder) {
		b.narrow(output, "int8", (4+b.pad)*b.n/4)
		b.int(4 + b.pad)
		b.vectors(input, b.n)
	}, ""},
	{"lane", "Rows", single, "T", laneShapes, func(b *builder) {
		w := b.lanes()
		b.int(b.m, b.n)
		b.vectors(output, b.m*w)
		b.vectors(input, b.m*b.n*w, b.n*w)
	}, ""},
	{"lane", "Columns", single, "T", laneShapes, func(b *builder) {
		w := b.lanes()
		b.int(b.m, b.n)
		b.vectors(output, b.n*w)
		b.vectors(input, b.m*b.n*w, b.m*w)
	}, ""},
	{"lane", "SqEuclidean", single, "T", laneDistances, func(b *builder) {
		w := b.lanes()
		b.int(b.m, b.n, b.d)
		b.vectors(output, b.m*b.n*w)
		b.vectors(input, b.m*b.d*w, b.n*b.d*w)
	}, ""},
	{"lane", "Mul", single, "T", laneVectors, func(b *builder) {
		w := b.lanes()
		b.int(b.n)
		b.vectors(output, b.n*w)
		b.vectors(input, b.n*w, b.n*w)
		b.bool(b.flag)
	}, ""},
	{"lane", "Interleave", single, "T", interleaveShapes, func(b *builder) {
		w := b.lanes()
		b.int(b.m, b.n)
		to, from := b.n+b.pad, b.n+2*b.pad
		b.args = append(b.args, b.region(output, b.t, b.m, b.n*w, to*w), uint64(to))
		b.arrays(input, 16, b.m, b.n, from)
		b.int(from)
	}, ""},
	{"block", "Rows", all, "K, T", blockShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.arrays(output, 4, 1, b.m, b.m)
		b.matrix(input, b.k, b.m, b.n)
		b.arrays(input, 4, 1, b.n, b.n)
		b.vectors(zero, 32*4*b.lanes())
	}, ""},
	{"block", "Columns", all, "K, T", blockShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.arrays(output, 4, 1, b.n, b.n)
		b.matrix(input, b.k, b.m, b.n)
		b.arrays(input, 4, 1, b.m, b.m)
	}, ""},
	{"block", "Iterate", all, "K, T", blockShapes, func(b *builder) {
		b.int(b.m, b.n)
		b.matrix(input, b.k, b.m, b.n)
		b.arrays(input, 4, 1, b.n, b.n)
		b.arrays(input, 4, 1, b.m, b.m)
		b.arrays(output, 4, 1, b.m, b.m)
		b.arrays(output, 4, 1, b.n, b.n)
		b.vectors(zero, 32*4*b.lanes())
	}, ""},
	{"distance", "SqEuclidean", single, "T", productShapes, func(b *builder) {
		b.int(b.m, b.n, b.d)
		b.matrix(output, b.t, b.m, b.n)
		b.matrix(input, b.t, b.m, b.d)
		b.matrix(input, b.t, b.d, b.n)
		b.bool(b.flag)
	}, ""},
	{"distance", "AdjCost", single, "T", productShapes, func(b *builder) {
		b.int(b.m, b.n, b.d)
		b.matrix(output, b.t, b.m, b.n)
		b.matrix(input, b.t, b.m, b.n)
		b.matrix(input, b.t, b.m, b.n)
		b.matrix(input, b.t, b.m, b.d)
		b.matrix(input, b.t, b.d, b.n)
		b.vectors(input, b.m, b.n)
		b.scalar()
	}, ""},
	{"project", "Mul", single, "T", productShapes, func(b *builder) {
		b.int(b.m, b.n, b.d)
		b.matrix(output, b.t, b.m, b.n)
		b.matrix(input, b.t, b.m, b.d)
		b.matrix(input, b.t, b.d, b.n)
		b.bool(b.flag)
	}, ""},
	{"project", "TransMul", single, "T", productShapes, func(b *builder) {
		// m rows of x (m × n) and of y (m × p): g is p × n
		p := b.m
		b.int(b.d, p, b.n)
		b.matrix(output, b.t, p, b.n)
		b.matrix(input, b.t, b.d, b.n)
		b.matrix(input, b.t, b.d, p)
		b.bool(b.flag)
	}, ""},
	{"project", "Panel", single, "T", panelShapes, func(b *builder) {
		w := b.lanes() * 3 / 2
		optional := func(given bool, r role, n ...int) {
			for _, n := range n {
				if given {
					b.vectors(r, n)
				} else {
					b.args = append(b.args, gossa.Slice{})
				}
			}
		}
		b.int(b.m, b.d)
		b.matrix(output, b.t, b.m, w)
		b.vectors(input, b.m*b.d, b.d*w)
		optional(b.flag, input, b.m, w)
		optional(b.n > 0, input, b.m)
		optional(b.n > 0, output, w)
	}, "AVX2"},
	{"project", "Pack", single, "T", packShapes, func(b *builder) {
		b.int(b.d)
		b.matrix(output, b.t, b.d, 4)
		b.matrix(input, b.t, 4, b.d)
		b.scalar()
	}, "AVX2"},
	{"project", "Norms", single, "T", normsShapes, func(b *builder) {
		rows := b.lanes() * 3 / 2
		b.int(b.d)
		b.vectors(output, rows)
		b.matrix(input, b.t, rows, b.d)
		b.bool(b.flag)
	}, ""},
}
