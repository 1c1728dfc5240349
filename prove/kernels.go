package main

import (
	"slices"

	"github.com/gomonge/monge/prove/internal/gossa"
)

// elementTypes are the element types of a kernel: k for the matrix and t for the vectors.
type elementTypes struct{ suffix, k, t string }

var (
	oneType    = []elementTypes{{"F64", "float64", "float64"}, {"F32", "float32", "float32"}}
	priceTypes = []elementTypes{oneType[0], {"F32", "float32", "float64"}} // of package price
	allTypes   = append(slices.Clone(oneType), elementTypes{"Mixed", "float32", "float64"})
)

// shape is the size of one case. Each kernel defines the meaning of m, n, d and flag.
type shape struct {
	m, n, d int
	pad     int // elements between the end of a row and the next row
	flag    bool
	apart   bool // the addresses of the first 35 operands are different powers of two
	cut     bool // the kernel splits its work into the smallest possible pieces
}

// kernel describes an exported function of package pkg and how to call the function.
type kernel struct {
	pkg, name string
	types     []elementTypes
	arguments string // type arguments: "K, T", "T" or ""
	shapes    func(lanes int) []shape
	call      func(b *builder)
	levels    string // names of the instruction-set levels to prove; empty means all
}

const (
	input role = iota
	output
	zero    // an output that is zero before the call
	scratch // writable, but not compared
)

func pairCall(b *builder) { b.addVectors(input, b.n, b.n) }

// compactCall returns a function that adds two input arguments to a call. Both arguments are pointers to vectors of the one-byte
// type typ.
func compactCall(typ string) func(b *builder) {
	return func(b *builder) {
		b.addNarrow(input, typ, b.n)
		b.addNarrow(input, typ, b.n)
	}
}

func widenCall(b *builder) {
	b.addVectors(output, b.n)
	b.addNarrow(input, "uint16", b.n)
}

func narrowCall(b *builder) {
	b.addNarrow(output, "uint16", b.n)
	b.addVectors(input, b.n)
}

func halfCall(b *builder) {
	b.addVectors(output, b.m)
	b.addVectors(input, b.n)
	b.addNarrow(input, "uint16", b.m*b.n)
	b.addBool(b.flag) // query.Float16
}

func int8Call(b *builder) {
	b.addVectors(output, b.m)
	b.addVectors(input, b.n)
	b.addNarrow(input, "int8", b.m*b.n)
	b.addVectors(input, b.m)
}

// manyShapes covers kernels that compare rows with several queries in one call. Each loop over rows
// and over elements has one to three iterations.
func manyShapes(int) []shape {
	return shapeGrid([]int{8, 16, 24}, []int{16, 32, 48}, func(n, d int) []shape {
		return []shape{{m: 3 + n/16%2*3, n: n, d: d, pad: d % 32 / 4}}
	})
}

// manyLongShapes returns manyShapes and a case with two blocks of long rows. The kernels prefetch
// the second block.
func manyLongShapes(lanes int) []shape {
	return append(manyShapes(lanes), shape{m: 3, n: 16, d: 544})
}

// manyHalfShapes returns every shape of manyLongShapes twice, once for each 16-bit format.
func manyHalfShapes(lanes int) (out []shape) {
	for _, s := range manyLongShapes(lanes) {
		half := s
		half.flag = true
		out = append(out, s, half)
	}
	return out
}

// manyCall adds arguments to the call of a kernel for several queries: all arguments except the rows.
func manyCall(b *builder) {
	b.addInts(b.m, b.n, b.d)
	b.addMatrix(output, "float32", b.m, b.n)
	b.addVectors(input, b.m*b.d)
}

func manyRowsCall(b *builder) {
	manyCall(b)
	b.addVectors(input, b.n*b.d)
}

func manyHalvesCall(b *builder) {
	manyCall(b)
	b.addNarrow(input, "uint16", b.n*b.d)
	b.addBool(b.flag) // query.Float16
}

func manyBytesCall(b *builder) {
	manyCall(b)
	b.addNarrow(input, "int8", b.n*b.d)
	b.addVectors(input, b.n)
}

func queryCall(b *builder) {
	b.addVectors(output, b.m)
	b.addVectors(input, b.n, b.m*b.n)
}

// sketchCall adds the arguments of a filter kernel for m queries. The filter stores rows in groups
// of 32, as codes of seven bits.
func sketchCall(b *builder, m int) {
	b.addVectors(output, b.n*m)
	b.addNarrow(input, "uint7", 32*b.n*b.d)
	groups := b.newMatrix(input, b.t, 1, 96*b.n, 96*b.n)
	b.args = append(b.args, gossa.Slice{Addr: groups.Addr, Len: b.n, Cap: b.n})
	b.addNarrow(input, "int8", m*b.d)
	b.args = append(b.args, b.newMatrix(input, b.t, 1, 5*m, 5*m).Addr)
}

var kernels = append(otherKernels, expKernels...)

// provedByPath lists the kernels that are proved path by path. Their branches depend on the data:
// assembly tells Go where to continue, or a loop tests the data in every iteration.
var provedByPath = map[string]bool{"vector.Log": true, "vector.Log2": true, "distance.Gibbs": true}

// packagesWithExtensions lists the packages whose kernels use extensions (optional CPU features).
var packagesWithExtensions = map[string]bool{"compact": true, "sketch": true}

// expKernels are the kernels of exponentials, logarithms and maxima.
var expKernels = []kernel{
	{"exp", "Exp", oneType, "T", expShapes, func(b *builder) {
		b.addVectors(output, b.n)
		b.addVectors(input, b.n)
	}, ""},
	{"exp", "SumExp", oneType, "T", sumExpShapes, func(b *builder) {
		b.args = append(b.args, b.newMatrix(output, b.t, 1, 3, 3).Addr) // *exp.Sum[T]
		if b.flag {
			b.addVectors(output, b.n)
		} else {
			b.args = append(b.args, gossa.Slice{})
		}
		b.addVectors(input, b.n)
	}, ""},
	{"exp", "Exp2", oneType, "T", expShapes, func(b *builder) {
		b.addVectors(output, b.n)
		b.addVectors(input, b.n)
		b.addScalar()
	}, ""},
	{"exp", "LogRows", oneType, "T", logShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addMatrix(input, b.t, b.m, b.n)
		b.addScalar()
		b.addVectors(input, b.n, b.m)
		b.addVectors(output, b.m, b.m, b.n)
		b.addVectors(scratch, b.n)
	}, ""},
	{"exp", "LogColumnMax", oneType, "T", logShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addMatrix(input, b.t, b.m, b.n)
		b.addScalar()
		b.addVectors(input, b.m)
		b.addVectors(output, b.n)
	}, ""},
	{"exp", "LogColumnSum", oneType, "T", logShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addMatrix(input, b.t, b.m, b.n)
		b.addScalar()
		b.addVectors(input, b.m, b.n)
		b.addVectors(output, b.n)
	}, ""},
	{"exp", "LogPlan", oneType, "T", logShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addMatrix(output, b.t, b.m, b.n)
		b.addMatrix(input, b.t, b.m, b.n)
		b.addScalar()
		b.addVectors(input, b.m, b.n)
	}, ""},
	{"price", "LeastLanes", priceTypes, "K", iterationShapes, func(b *builder) {
		b.addPriceLanes()
		b.args = append(b.args, b.newMatrix(input, b.k, 1, b.n, b.n))
		b.addScalar()
		b.addVectors(input, b.n)
	}, ""},
	{"price", "RelaxLanes", priceTypes, "K", iterationShapes, func(b *builder) {
		b.addPriceLanes()
		b.addVectors(output, b.n)
		b.args = append(b.args, b.newMatrix(input, b.k, 1, b.n, b.n))
		b.addScalar()
		b.addVectors(input, b.n)
	}, ""},
	{"vector", "Max", oneType, "T", vectorShapes, func(b *builder) {
		b.addVectors(input, b.n)
	}, ""},
	{"vector", "Log", oneType, "T", groupShapes, func(b *builder) {
		b.addVectors(output, b.n)
		b.addVectors(input, b.n)
	}, ""},
	{"vector", "Log2", oneType, "T", groupShapes, func(b *builder) {
		b.addVectors(output, b.n)
		b.addVectors(input, b.n)
	}, ""},
	{"distance", "Gibbs", oneType, "T", gibbsShapes, func(b *builder) {
		b.addInts(b.m, b.n, b.d)
		b.addMatrix(output, b.t, b.m, b.n)
		if b.flag {
			b.addMatrix(output, b.t, b.m, b.n)
		} else {
			b.args = append(b.args, gossa.Slice{}, uint64(0))
		}
		b.addMatrix(input, b.t, b.m, b.d)
		b.addMatrix(input, b.t, b.d, b.n)
		b.addScalar()
	}, ""},
}

var otherKernels = []kernel{
	{"pass", "Rows", allTypes, "K, T", matrixShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addVectors(output, b.m)
		b.addMatrix(input, b.k, b.m, b.n)
		b.addVectors(input, b.n)
	}, ""},
	{"pass", "Columns", allTypes, "K, T", matrixShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addVectors(output, b.n)
		b.addMatrix(input, b.k, b.m, b.n)
		b.addVectors(input, b.m)
	}, ""},
	{"pass", "Iterate", allTypes, "K, T", matrixShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addMatrix(input, b.k, b.m, b.n)
		b.addVectors(input, b.n, b.m)
		b.addVectors(output, b.m, b.n)
	}, ""},
	{"pass", "Sweep", allTypes, "K, T", matrixShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addMatrix(input, b.k, b.m, b.n)
		b.addVectors(input, b.n, b.m)
		b.addVectors(output, b.m, b.n)
	}, ""},
	{"pass", "Begin", oneType, "T", matrixShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addMatrix(input, b.t, b.m, b.n)
		b.addMatrix(input, b.t, b.m, b.n)
		b.addVectors(input, b.n, b.m, b.m)
		b.addVectors(output, b.m, b.m, b.n)
	}, ""},
	{"pass", "Divide", oneType, "T", vectorShapes, func(b *builder) {
		b.addVectors(output, b.n)
		b.addVectors(input, b.n, b.n)
	}, ""},
	{"pass", "Widen", allTypes[2:], "", vectorShapes, func(b *builder) {
		b.addVectors(output, b.n)
		b.args = append(b.args, b.newMatrix(input, "float32", 1, b.n, b.n))
	}, ""},
	{"pass", "CountOutside", oneType, "T", vectorShapes, func(b *builder) {
		b.addVectors(input, b.n)
		b.addScalar()
		b.addScalar()
	}, ""},
	{"pass", "Narrow", allTypes[2:], "", vectorShapes, func(b *builder) {
		b.args = append(b.args, b.newMatrix(output, "float32", 1, b.n, b.n))
		b.addVectors(input, b.n)
	}, ""},
	{"lane", "Divide", oneType, "T", func(int) (out []shape) {
		for _, m := range []int{0, 1, 2, 3, 4, 5} {
			out = append(out, shape{m: m}, shape{m: m, flag: true})
		}
		return out
	}, func(b *builder) {
		w := b.lanes()
		b.addInts(b.m)
		b.addVectors(output, b.m*w)
		b.addVectors(input, b.m*w, b.m*w, w, w)
		b.addVectors(output, w)
		b.addBool(b.flag)
	}, ""},
	{"vector", "Affine", oneType, "T", vectorShapes, func(b *builder) {
		b.addVectors(output, b.n)
		b.addVectors(input, b.n)
		b.addScalar()
		b.addScalar()
	}, ""},
	{"vector", "Shift", oneType, "T", vectorShapes, func(b *builder) {
		b.addVectors(output, b.n)
		b.addVectors(input, b.n)
		b.addScalar()
		b.addScalar()
	}, ""},
	{"pair", "Dot", oneType, "T", pairShapes, pairCall, ""},
	{"pair", "SqEuclidean", oneType, "T", pairShapes, pairCall, ""},
	{"pair", "Manhattan", oneType, "T", pairShapes, pairCall, ""},
	{"pair", "Norm", oneType, "T", pairShapes, func(b *builder) { b.addVectors(input, b.n) }, ""},
	{"pair", "Sum", oneType, "T", pairShapes, func(b *builder) { b.addVectors(input, b.n) }, ""},
	{"pair", "Cosine", oneType, "T", pairShapes, pairCall, ""},
	{"pair", "AddCosineLanes", oneType, "T", pairLaneShapes, func(b *builder) {
		b.args = append(b.args, b.newMatrix(output, b.t, 1, 96, 96).Addr)
		pairCall(b)
	}, ""},
	{"pair", "AddLanes", oneType, "T", sumLanesShapes, func(b *builder) {
		b.addInts(b.d) // selects the terms
		b.args = append(b.args, b.newMatrix(output, b.t, 1, 64, 64).Addr)
		pairCall(b)
	}, ""},
	{"query", "SqEuclidean", oneType[1:], "", queryLongShapes, queryCall, ""},
	{"query", "Dot", oneType[1:], "", queryLongShapes, queryCall, ""},
	{"query", "SqEuclideanFar", oneType[1:], "", queryShapes, queryCall, ""},
	{"query", "DotFar", oneType[1:], "", queryShapes, queryCall, ""},
	{"query", "SqEuclideanHalf", oneType[1:], "", halfShapes, halfCall, ""},
	{"query", "DotHalf", oneType[1:], "", halfShapes, halfCall, ""},
	{"query", "SqEuclideanInt8", oneType[1:], "", queryShapes, int8Call, ""},
	{"query", "DotInt8", oneType[1:], "", queryShapes, int8Call, ""},
	{"query", "SqEuclideanMany", oneType[1:], "", manyLongShapes, manyRowsCall, ""},
	{"query", "DotMany", oneType[1:], "", manyLongShapes, manyRowsCall, ""},
	{"query", "SqEuclideanHalfMany", oneType[1:], "", manyHalfShapes, manyHalvesCall, ""},
	{"query", "DotHalfMany", oneType[1:], "", manyHalfShapes, manyHalvesCall, ""},
	{"query", "SqEuclideanInt8Many", oneType[1:], "", manyLongShapes, manyBytesCall, ""},
	{"query", "DotInt8Many", oneType[1:], "", manyLongShapes, manyBytesCall, ""},
	{"compact", "DotInt8", oneType[1:], "", compactShapes(1 << 16), compactCall("int8"), ""},
	{"compact", "SqEuclideanInt8", oneType[1:], "", compactShapes(1 << 15), compactCall("int8"), ""},
	{"compact", "Hamming", oneType[1:], "", compactShapes(1 << 15), compactCall("uint8"), ""},
	{"compact", "WidenFloat16", oneType[1:], "", widenShapes, widenCall, ""},
	{"compact", "WidenBFloat16", oneType[1:], "", widenShapes, widenCall, ""},
	{"compact", "NarrowFloat16", oneType[1:], "", widenShapes, narrowCall, ""},
	{"compact", "NarrowBFloat16", oneType[1:], "", widenShapes, narrowCall, ""},
	{"compact", "RoundInt8", allTypes[2:], "", func(int) []shape { return append(iterationShapes(0), shape{}, shape{n: 28}) }, func(b *builder) {
		b.addNarrow(output, "int8", b.n)
		b.args = append(b.args, b.newMatrix(input, b.k, 1, b.n, b.n))
		b.addScalar()
	}, ""},
	{"compact", "SignBits", oneType[1:], "", signShapes, func(b *builder) {
		b.addNarrow(output, "uint8", b.n/8)
		b.addVectors(input, b.n)
	}, ""},
	{"sketch", "Largest", oneType[1:], "", vectorShapes, func(b *builder) { b.addVectors(input, b.n) }, ""},
	{"codes", "Sums8", oneType[1:], "", func(lanes int) []shape {
		return append(codeShapes(lanes), shapeGrid([]int{1, 2}, []int{1, 3}, func(m, n int) []shape { return []shape{{m: m, n: n}} })...)
	}, func(b *builder) {
		b.addVectors(output, 32*b.m)
		b.addNarrow(input, "uint8", 32*b.m*b.n)
		b.addVectors(input, 256*b.n)
	}, ""},
	{"codes", "Sums4", oneType[1:], "", codeShapes, func(b *builder) {
		b.addNarrow(output, "uint16", 32*b.m)
		b.addNarrow(input, "uint8", 16*b.m*b.n)
		b.addNarrow(input, "uint8", 16*b.n)
	}, ""},
	{"sketch", "Filter", oneType[1:], "", sketchShapes, func(b *builder) { sketchCall(b, 12) }, ""},
	{"sketch", "FilterOne", oneType[1:], "", sketchShapes, func(b *builder) { sketchCall(b, 1) }, ""},
	{"sketch", "QuantizeRow", oneType[1:], "", quantizeShapes, func(b *builder) {
		b.addNarrow(output, "uint8", 32*b.n)
		b.addVectors(input, b.n)
	}, ""},
	{"sketch", "QuantizeQuery", oneType[1:], "", quantizeShapes, func(b *builder) {
		b.addNarrow(output, "int8", (4+b.pad)*b.n/4)
		b.addInts(4 + b.pad)
		b.addVectors(input, b.n)
	}, ""},
	{"lane", "Rows", oneType, "T", smallProblemShapes, func(b *builder) {
		w := b.lanes()
		b.addInts(b.m, b.n)
		b.addVectors(output, b.m*w)
		b.addVectors(input, b.m*b.n*w, b.n*w)
	}, ""},
	{"lane", "Columns", oneType, "T", smallProblemShapes, func(b *builder) {
		w := b.lanes()
		b.addInts(b.m, b.n)
		b.addVectors(output, b.n*w)
		b.addVectors(input, b.m*b.n*w, b.m*w)
	}, ""},
	{"lane", "SqEuclidean", oneType, "T", laneDistanceShapes, func(b *builder) {
		w := b.lanes()
		b.addInts(b.m, b.n, b.d)
		b.addVectors(output, b.m*b.n*w)
		b.addVectors(input, b.m*b.d*w, b.n*b.d*w)
	}, ""},
	{"lane", "Mul", oneType, "T", laneVectorShapes, func(b *builder) {
		w := b.lanes()
		b.addInts(b.n)
		b.addVectors(output, b.n*w)
		b.addVectors(input, b.n*w, b.n*w)
		b.addBool(b.flag)
	}, ""},
	{"lane", "Interleave", oneType, "T", interleaveShapes, func(b *builder) {
		w := b.lanes()
		b.addInts(b.m, b.n)
		to, from := b.n+b.pad, b.n+2*b.pad
		b.args = append(b.args, b.newMatrix(output, b.t, b.m, b.n*w, to*w), uint64(to))
		b.addSlices(input, 16, b.m, b.n, from)
		b.addInts(from)
	}, ""},
	{"block", "Rows", allTypes, "K, T", blockShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addSlices(output, 4, 1, b.m, b.m)
		b.addMatrix(input, b.k, b.m, b.n)
		b.addSlices(input, 4, 1, b.n, b.n)
		b.addVectors(zero, 32*4*b.lanes())
	}, ""},
	{"block", "Columns", allTypes, "K, T", blockShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addSlices(output, 4, 1, b.n, b.n)
		b.addMatrix(input, b.k, b.m, b.n)
		b.addSlices(input, 4, 1, b.m, b.m)
	}, ""},
	{"block", "Iterate", allTypes, "K, T", blockShapes, func(b *builder) {
		b.addInts(b.m, b.n)
		b.addMatrix(input, b.k, b.m, b.n)
		b.addSlices(input, 4, 1, b.n, b.n)
		b.addSlices(input, 4, 1, b.m, b.m)
		b.addSlices(output, 4, 1, b.m, b.m)
		b.addSlices(output, 4, 1, b.n, b.n)
		b.addVectors(zero, 32*4*b.lanes())
	}, ""},
	{"distance", "SqEuclidean", oneType, "T", productShapes, func(b *builder) {
		b.addInts(b.m, b.n, b.d)
		b.addMatrix(output, b.t, b.m, b.n)
		b.addMatrix(input, b.t, b.m, b.d)
		b.addMatrix(input, b.t, b.d, b.n)
		b.addBool(b.flag)
	}, ""},
	{"distance", "AdjCost", oneType, "T", productShapes, func(b *builder) {
		b.addInts(b.m, b.n, b.d)
		b.addMatrix(output, b.t, b.m, b.n)
		b.addMatrix(input, b.t, b.m, b.n)
		b.addMatrix(input, b.t, b.m, b.n)
		b.addMatrix(input, b.t, b.m, b.d)
		b.addMatrix(input, b.t, b.d, b.n)
		b.addVectors(input, b.m, b.n)
		b.addScalar()
	}, ""},
	{"project", "Mul", oneType, "T", productShapes, func(b *builder) {
		b.addInts(b.m, b.n, b.d)
		b.addMatrix(output, b.t, b.m, b.n)
		b.addMatrix(input, b.t, b.m, b.d)
		b.addMatrix(input, b.t, b.d, b.n)
		b.addBool(b.flag)
	}, ""},
	{"project", "TransMul", oneType, "T", productShapes, func(b *builder) {
		// TransMul computes g (p × n) from x (d × n) and y (d × p).
		p := b.m
		b.addInts(b.d, p, b.n)
		b.addMatrix(output, b.t, p, b.n)
		b.addMatrix(input, b.t, b.d, b.n)
		b.addMatrix(input, b.t, b.d, p)
		b.addBool(b.flag)
	}, ""},
	{"project", "Panel", oneType, "T", panelShapes, func(b *builder) {
		w := b.lanes() * 3 / 2
		optional := func(given bool, r role, n ...int) {
			for _, n := range n {
				if given {
					b.addVectors(r, n)
				} else {
					b.args = append(b.args, gossa.Slice{})
				}
			}
		}
		b.addInts(b.m, b.d)
		b.addMatrix(output, b.t, b.m, w)
		b.addVectors(input, b.m*b.d, b.d*w)
		optional(b.flag, input, b.m, w)
		optional(b.n > 0, input, b.m)
		optional(b.n > 0, output, w)
	}, "AVX2"},
	{"project", "Pack", oneType, "T", packShapes, func(b *builder) {
		b.addInts(b.d)
		b.addMatrix(output, b.t, b.d, 4)
		b.addMatrix(input, b.t, 4, b.d)
		b.addScalar()
	}, "AVX2"},
	{"project", "Norms", oneType, "T", normsShapes, func(b *builder) {
		rows := b.lanes() * 3 / 2
		b.addInts(b.d)
		b.addVectors(output, rows)
		b.addMatrix(input, b.t, rows, b.d)
		b.addBool(b.flag)
	}, ""},
}
