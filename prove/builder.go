package main

import (
	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/gossa"
	"github.com/gomonge/monge/prove/internal/memory"
)

// builder makes the arguments of a call. The assembly kernel and the Go reference implementation
// get the same arguments.
type builder struct {
	shape
	elementTypes
	g       *expr.Graph
	mem     *memory.Memory
	args    []gossa.Value
	outputs []region
	inputs  int
}

// region is the memory of a matrix: its address and the size of an element in bytes.
type region struct {
	addr  uint64
	width int
}

func width(t string) int {
	return map[string]int{"int8": 1, "uint8": 1, "uint7": 1, "uint16": 2, "float32": 4, "float64": 8}[t]
}

// lanes returns num.Lanes for the element type of the vectors.
func (b *builder) lanes() int { return 64 / width(b.t) }

func (b *builder) addInts(v ...int) {
	for _, v := range v {
		b.args = append(b.args, uint64(v))
	}
}

func (b *builder) addBool(v bool) {
	if v {
		b.addInts(1)
	} else {
		b.addInts(0)
	}
}

// addScalar adds a scalar argument of element type T.
func (b *builder) addScalar() {
	b.inputs++
	b.args = append(b.args, b.g.Input(width(b.t), b.inputs, 0))
}

type role uint8

// newMatrix allocates a matrix with the given stride in elements. The kernel must not access the
// memory between the rows.
func (b *builder) newMatrix(r role, typ string, rows, cols, stride int) gossa.Slice {
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

// addNarrow adds an argument that is a vector of n elements of one or two bytes. The vector must
// fill whole 4-byte memory cells.
func (b *builder) addNarrow(r role, typ string, n int) {
	b.inputs++
	w := width(typ)
	if n*w%4 != 0 {
		panic("a vector that ends within a cell")
	}
	cells, writable := make([]expr.Node, n*w/4), make([]bool, n*w/4)
	for c := range cells {
		var parts []expr.Node
		for i := c * 4 / w; i < (c+1)*4/w; i++ {
			e := b.g.SmallInput(w, b.inputs, i)
			if typ == "uint7" { // a byte less than 128
				e = b.g.ExtractBits(e, 0, 7)
			}
			parts = append(parts, e)
		}
		cells[c], writable[c] = b.g.JoinBits(parts...), r != input
	}
	addr := b.mem.Region("argument", w, cells, writable)
	if r == output {
		b.outputs = append(b.outputs, region{addr, w})
	}
	b.args = append(b.args, gossa.Slice{Addr: addr, Len: n, Cap: n})
}

// addMatrix adds two arguments to the call: a matrix and its stride. If the shape has padding, each
// matrix gets a different stride.
func (b *builder) addMatrix(r role, typ string, rows, cols int) {
	stride := cols + b.pad
	if b.pad > 0 {
		stride += 2 * b.inputs
	}
	b.args = append(b.args, b.newMatrix(r, typ, rows, cols, stride), uint64(stride))
}

// addVectors adds a vector of element type T for each length in n.
func (b *builder) addVectors(r role, n ...int) {
	for _, n := range n {
		b.args = append(b.args, b.newMatrix(r, b.t, 1, n, n))
	}
}

// addPriceLanes adds two arguments for kernels of package price: a pointer to 16 output elements and
// a pointer to one output element.
func (b *builder) addPriceLanes() {
	for _, n := range []int{16, 1} {
		b.args = append(b.args, b.newMatrix(output, b.t, 1, n, n).Addr)
	}
}

// addSlices adds an argument that points to an array of count slices. Each slice is a matrix of
// element type T.
func (b *builder) addSlices(r role, count, rows, cols, stride int) {
	cells, writable := make([]expr.Node, 6*count), make([]bool, 6*count)
	for i := range count {
		s := gossa.Slice{}
		if i < count {
			s = b.newMatrix(r, b.t, rows, cols, stride)
		}
		for j, v := range []uint64{s.Addr, uint64(s.Len), uint64(s.Cap)} {
			cells[6*i+2*j], cells[6*i+2*j+1] = b.g.Const(4, v), b.g.Const(4, v>>32)
		}
	}
	b.args = append(b.args, b.mem.Region("array of slices", 8, cells, writable))
}
