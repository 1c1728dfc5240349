package main

import (
	"slices"

	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/gossa"
	"github.com/gomonge/monge/prove/internal/memory"
)

// types are the element types of a kernel: of its matrix K and of its vectors T.
type kinds struct{ suffix, k, t string }

var (
	single = []kinds{{"F64", "float64", "float64"}, {"F32", "float32", "float32"}}
	all    = append(slices.Clone(single), kinds{"Mixed", "float32", "float64"})
)

// shape is the size of one case. What a number means is the kernel's.
type shape struct {
	m, n, d int
	pad     int // what strides exceed rows by
	flag    bool
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

// builder makes the arguments of a call: the same for the assembly and the reference.
type builder struct {
	shape
	kinds
	g       *expr.Graph
	mem     *memory.Memory
	args    []gossa.Value
	outputs []region
	inputs  int
}

// region is a matrix in memory: where it begins, and the bytes of an element.
type region struct {
	addr  uint64
	width int
}

func width(t string) int {
	return map[string]int{"int8": 1, "uint8": 1, "uint16": 2, "float32": 4, "float64": 8}[t]
}

// lanes is num.Lanes of the vectors' type.
func (b *builder) lanes() int { return 64 / width(b.t) }

func (b *builder) int(v ...int) {
	for _, v := range v {
		b.args = append(b.args, uint64(v))
	}
}

func (b *builder) bool(v bool) {
	if v {
		b.int(1)
	} else {
		b.int(0)
	}
}

// scalar adds a number of type T.
func (b *builder) scalar() {
	b.inputs++
	b.args = append(b.args, b.g.Input(width(b.t), b.inputs, 0))
}

type role uint8

const (
	input role = iota
	output
	zero    // an output that is zero before
	scratch // writable, and not compared
)

// region makes a matrix whose rows are stride apart. Nobody may touch what is between rows.
func (b *builder) region(r role, typ string, rows, cols, stride int) gossa.Slice {
	b.inputs++
	w := width(typ)
	n := 0
	if rows > 0 && cols > 0 {
		n = (rows-1)*stride + cols
	}
	cells, writable := make([]expr.Node, n*w/4), make([]bool, n*w/4)
	for i := range rows {
		for j := range cols {
			e := b.g.Input(w, b.inputs, i*cols+j)
			if r == zero {
				e = b.g.Const(w, 0)
			}
			at := (i*stride + j) * w / 4
			if w == 4 {
				cells[at] = e
			} else {
				cells[at], cells[at+1] = b.g.Halves(e)
			}
			for c := range w / 4 {
				writable[at+c] = r != input
			}
		}
	}
	addr := b.mem.Region("argument", w, cells, writable)
	if r == output || r == zero {
		b.outputs = append(b.outputs, region{addr, w})
	}
	return gossa.Slice{Addr: addr, Len: n, Cap: n}
}

// narrow adds a vector whose elements have one or two bytes. It fills whole cells.
func (b *builder) narrow(r role, typ string, n int) {
	b.inputs++
	w := width(typ)
	if n*w%4 != 0 {
		panic("a vector that ends within a cell")
	}
	cells, writable := make([]expr.Node, n*w/4), make([]bool, n*w/4)
	for c := range cells {
		var parts []expr.Node
		for i := c * 4 / w; i < (c+1)*4/w; i++ {
			parts = append(parts, b.g.Small(w, b.inputs, i))
		}
		cells[c], writable[c] = b.g.Parts(parts...), r != input
	}
	addr := b.mem.Region("argument", w, cells, writable)
	if r == output {
		b.outputs = append(b.outputs, region{addr, w})
	}
	b.args = append(b.args, gossa.Slice{Addr: addr, Len: n, Cap: n})
}

// matrix adds a matrix and its stride.
func (b *builder) matrix(r role, typ string, rows, cols int) {
	stride := cols + b.pad
	b.args = append(b.args, b.region(r, typ, rows, cols, stride), uint64(stride))
}

// vectors adds vectors of type T.
func (b *builder) vectors(r role, n ...int) {
	for _, n := range n {
		b.args = append(b.args, b.region(r, b.t, 1, n, n))
	}
}

// arrays adds a pointer to an array of so many slices, each a matrix of type T.
func (b *builder) arrays(r role, count, rows, cols, stride int) {
	cells, writable := make([]expr.Node, 6*count), make([]bool, 6*count)
	for i := range count {
		s := gossa.Slice{}
		if i < count {
			s = b.region(r, b.t, rows, cols, stride)
		}
		for j, v := range []uint64{s.Addr, uint64(s.Len), uint64(s.Cap)} {
			cells[6*i+2*j], cells[6*i+2*j+1] = b.g.Const(4, v), b.g.Const(4, v>>32)
		}
	}
	b.args = append(b.args, b.mem.Region("array of slices", 8, cells, writable))
}

func grid(ms, ns []int, f func(m, n int) []shape) (out []shape) {
	for _, m := range ms {
		for _, n := range ns {
			out = append(out, f(m, n)...)
		}
	}
	return out
}

func upTo(n int, more ...int) (out []int) {
	for i := 1; i <= n; i++ {
		out = append(out, i)
	}
	return append(out, more...)
}

// matrixShapes covers passes over a matrix: every tail of columns with zero to three turns of
// the loop of steps, every number of rows up to three blocks, with and without padding.
func matrixShapes(lanes int) []shape {
	shapes := grid(upTo(13), upTo(4*lanes+1, 6*lanes-1, 6*lanes, 8*lanes+1), func(m, n int) []shape {
		return []shape{{m: m, n: n, pad: (m + n) % 2 * 3}}
	})
	// Long rows and blocks of many rows have loops of their own.
	one := func(m, n int) []shape { return []shape{{m: m, n: n}} }
	shapes = append(shapes, grid([]int{16, 17, 18, 24, 27, 33, 40}, []int{1, lanes, 2*lanes + 3, 5 * lanes, 9*lanes + 1}, one)...)
	return append(shapes, grid([]int{4, 9, 17, 25}, []int{20*lanes + 3, 21 * lanes, 64*lanes + 5, 130*lanes + 1, 280 * lanes}, one)...)
}

func vectorShapes(lanes int) []shape {
	return grid([]int{1}, append([]int{0}, upTo(10*lanes+1, 16*lanes-1, 17*lanes)...), func(_, n int) []shape { return []shape{{n: n}} })
}

// expShapes covers vectors of which one turn of a loop takes two to four times 64 bytes: every
// tail after none, and some after one to four turns.
func expShapes(lanes int) []shape {
	return grid([]int{1}, upTo(3*lanes+1, 4*lanes, 4*lanes+1, 5*lanes+3, 6*lanes, 6*lanes+1, 8*lanes+3, 9*lanes), func(_, n int) []shape { return []shape{{n: n}} })
}

// logShapes covers passes of the log domain: every tail, zero to three turns of the loops over
// columns, and up to three rows.
func logShapes(lanes int) []shape {
	return grid(upTo(3), upTo(lanes+1, 2*lanes-1, 2*lanes, 3*lanes, 3*lanes+1, 4*lanes, 5*lanes+1, 6*lanes, 7*lanes+2, 9*lanes), func(m, n int) []shape {
		return []shape{{m: m, n: n, pad: (m + n) % 2 * 3}}
	})
}

// groupShapes covers vectors that are taken in groups of 64 bytes: none to three, and some tails.
func groupShapes(lanes int) []shape {
	return grid([]int{1}, []int{0, 1, lanes - 1, lanes, lanes + 1, 2 * lanes, 2*lanes + 3, 3 * lanes}, func(_, n int) []shape { return []shape{{n: n}} })
}

// gibbsShapes covers the Gibbs kernel: every tail of rows and columns, one to five features.
func gibbsShapes(lanes int) (out []shape) {
	for _, d := range []int{1, 2, 3, 4, 5} {
		ms, ns := []int{1, 2, 3}, []int{1, lanes + 1}
		if d < 3 {
			ms, ns = upTo(7, 8, 9, 13), []int{1, 2, 3, 6, lanes/2 - 1, lanes / 2, lanes/2 + 1, lanes - 1, lanes, lanes + 1, 2*lanes - 1, 2 * lanes, 3*lanes + 1}
		}
		out = append(out, grid(ms, ns, func(m, n int) []shape {
			return []shape{{m: m, n: n, d: d, pad: (m + n) % 2, flag: (m+n)/2%2 == 1}}
		})...)
	}
	return out
}

func laneShapes(lanes int) []shape {
	return grid([]int{4, 8, 12, 16}, []int{lanes, 2 * lanes, 3 * lanes, 4 * lanes}, func(m, n int) (out []shape) {
		for _, d := range []int{0, 1, 2, 3, 4, 5, 8, 16} {
			out = append(out, shape{m: m, n: n, d: d})
		}
		return out
	})
}

func blockShapes(lanes int) []shape {
	return grid(upTo(9, 12, 13, 36), []int{lanes, 2 * lanes, 3 * lanes, 4 * lanes, 5 * lanes}, func(m, n int) []shape {
		return []shape{{m: m, n: n}, {m: m, n: n, pad: 2}}
	})
}

func productShapes(lanes int) (out []shape) {
	for _, d := range []int{0, 1, 2, 3, 4, 5} {
		out = append(out, grid(upTo(10, 16, 17, 23), upTo(lanes+1, 2*lanes-1, 2*lanes, 2*lanes+1, 3*lanes, 4*lanes-1, 4*lanes, 5*lanes+2), func(m, n int) []shape {
			return []shape{{m: m, n: n, d: d, pad: (m + n) % 2, flag: (m+n)/2%2 == 1}}
		})...)
	}
	// Sums over many features, and wide rows, have loops of their own.
	for _, d := range []int{15, 16, 17, 18, 32, 33, 49} {
		out = append(out, grid([]int{1, 3, 8, 9}, []int{1, lanes, 2*lanes + 1, 4 * lanes}, func(m, n int) []shape {
			return []shape{{m: m, n: n, d: d}, {m: m, n: n, d: d, flag: true}}
		})...)
	}
	// Rows far apart are fetched ahead.
	out = append(out, grid([]int{3, 9}, []int{1, 2*lanes + 1}, func(m, n int) []shape { return []shape{{m: m, n: n, d: 2, pad: 600}} })...)
	return append(out, grid([]int{3, 8, 16, 21}, []int{6*lanes + 1, 7 * lanes, 9*lanes + 3, 17*lanes + 1}, func(m, n int) []shape {
		return []shape{{m: m, n: n, d: 2}}
	})...)
}

// queryShapes covers one query against rows: three turns of each loop.
func queryShapes(int) []shape {
	return grid([]int{8, 16, 24, 32}, []int{16, 32, 48, 64}, func(m, n int) []shape { return []shape{{m: m, n: n}} })
}

// halfShapes are those for both formats of 16 bits.
func halfShapes(lanes int) (out []shape) {
	for _, s := range queryShapes(lanes) {
		out = append(out, s, shape{m: s.m, n: s.n, flag: true})
	}
	return out
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

// manyLongShapes are those and two blocks of long rows.
func manyLongShapes(lanes int) []shape {
	return append(manyShapes(lanes), shape{m: 3, n: 16, d: 544})
}

// manyHalfShapes are those for both formats of 16 bits.
func manyHalfShapes(lanes int) (out []shape) {
	for _, s := range manyShapes(lanes) {
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

// codeShapes covers sums for quantized codes: none to three blocks of 32 rows, and up to four turns
// over the groups, of which one turn takes up to four.
func codeShapes(int) []shape {
	return grid([]int{0, 1, 2, 3}, []int{0, 2, 4, 6, 8, 10, 12, 16}, func(m, n int) []shape { return []shape{{m: m, n: n}} })
}

func queryCall(b *builder) {
	b.vectors(output, b.m)
	b.vectors(input, b.n, b.m*b.n)
}

var kernels = append(plainKernels, expKernels...)

// forked are the kernels that are proved path by path: assembly tells Go where to go on, or asks the
// same of the data in every turn of a loop.
var forked = map[string]bool{"vector.Log": true, "vector.Log2": true, "distance.Gibbs": true}

// expKernels are those of exponentials.
// expKernels are those of exponentials, logarithms and maxima.
var expKernels = []kernel{
	{"exp", "Exp", single, "T", expShapes, func(b *builder) {
		b.vectors(output, b.n)
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
	{"vector", "Add", single, "T", vectorShapes, func(b *builder) {
		b.args = append(b.args, b.region(output, b.t, 1, 16, 16).Addr)
		b.vectors(input, b.n)
	}, ""},
	{"query", "SqEuclidean", single[1:], "", queryShapes, queryCall, ""},
	{"query", "Dot", single[1:], "", queryShapes, queryCall, ""},
	{"query", "SqEuclideanHalf", single[1:], "", halfShapes, halfCall, ""},
	{"query", "DotHalf", single[1:], "", halfShapes, halfCall, ""},
	{"query", "SqEuclideanInt8", single[1:], "", queryShapes, int8Call, ""},
	{"query", "DotInt8", single[1:], "", queryShapes, int8Call, ""},
	{"query", "SqEuclideanMany", single[1:], "", manyLongShapes, manyRows, ""},
	{"query", "DotMany", single[1:], "", manyLongShapes, manyRows, ""},
	{"query", "SqEuclideanHalfMany", single[1:], "", manyHalfShapes, manyHalves, ""},
	{"query", "DotHalfMany", single[1:], "", manyHalfShapes, manyHalves, ""},
	{"query", "SqEuclideanInt8Many", single[1:], "", manyShapes, manyBytes, ""},
	{"query", "DotInt8Many", single[1:], "", manyShapes, manyBytes, ""},
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
	{"lane", "SqEuclidean", single, "T", laneShapes, func(b *builder) {
		w := b.lanes()
		b.int(b.m, b.n, b.d)
		b.vectors(output, b.m*b.n*w)
		b.vectors(input, b.m*b.d*w, b.n*b.d*w)
	}, ""},
	{"lane", "Mul", single, "T", laneShapes, func(b *builder) {
		w := b.lanes()
		b.int(b.n)
		b.vectors(output, b.n*w)
		b.vectors(input, b.n*w, b.n*w)
		b.bool(b.d%2 == 1)
	}, ""},
	{"lane", "Interleave", single, "T", func(lanes int) []shape { return matrixShapes(lanes)[:13*(4*lanes+1)] }, func(b *builder) {
		w := b.lanes()
		b.int(b.m, b.n)
		stride := b.n + b.pad
		b.args = append(b.args, b.region(output, b.t, b.m, b.n*w, stride*w), uint64(stride))
		b.arrays(input, 16, b.m, b.n, stride)
		b.int(stride)
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
}
