package matrix

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/project"
)

// Mul sets dst = a·b, or adds a·b to dst if add is set. Every element is one chain of FMAs over
// ascending k.
//
//	dst_ij = Σ_k a_ik b_kj       dst m × n, a m × d, b d × n
//
// Mul is fastest if b has few columns, as in a product of samples and a projection.
func Mul[T num.Float](dst, a, b Matrix[T], add bool) {
	if dst.Rows != a.Rows || dst.Cols != b.Cols || a.Cols != b.Rows {
		panic(asm.ShapePanic)
	}
	checkOperands(&dst, &a, &b)
	project.Mul(a.Rows, b.Cols, a.Cols, dst.Data, dst.Stride, a.Data, a.Stride, b.Data, b.Stride, add)
}

// TransMul sets dst = aᵀ·b, or adds aᵀ·b to dst if add is set. Every element is one chain of FMAs
// over ascending k.
//
//	dst_ij = Σ_k a_ki b_kj       dst m × n, a d × m, b d × n
//
// TransMul is fastest if a has few columns and b is the wide operand.
func TransMul[T num.Float](dst, a, b Matrix[T], add bool) {
	if dst.Rows != a.Cols || dst.Cols != b.Cols || a.Rows != b.Rows {
		panic(asm.ShapePanic)
	}
	checkOperands(&dst, &a, &b)
	project.TransMul(a.Rows, a.Cols, b.Cols, dst.Data, dst.Stride, b.Data, b.Stride, a.Data, a.Stride, add)
}

// MulVec sets dst = a·x for a vector x. It sums the products of a row in the fixed order that
// package asm specifies.
func MulVec[T num.Float](dst []T, a Matrix[T], x []T) {
	if len(dst) != a.Rows || len(x) != a.Cols {
		panic(asm.ShapePanic)
	}
	to, from := OfRow(dst), OfRow(x)
	checkOperands(&to, &a, &from)
	pass.Rows(a.Rows, a.Cols, dst, a.Data, a.Stride, x)
}

// Transpose sets dst = aᵀ.
func Transpose[T num.Float](dst, a Matrix[T]) {
	if dst.Rows != a.Cols || dst.Cols != a.Rows {
		panic(asm.ShapePanic)
	}
	checkOperands(&dst, &a, &a)
	if a.IsEmpty() {
		return // a matrix without columns may have a huge number of rows
	}
	// write a cache line of dst at a time
	const line = 8
	for i := 0; i < a.Rows; i += line {
		for j := range a.Cols {
			from := a.Data[i*a.Stride+j:]
			for k := range dst.Data[j*dst.Stride+i:][:min(line, a.Rows-i)] {
				dst.Data[j*dst.Stride+i+k] = from[k*a.Stride]
			}
		}
	}
}

// Widen sets dst = x without rounding.
func Widen(dst Matrix[float64], x Matrix[float32]) {
	if dst.Rows != x.Rows || dst.Cols != x.Cols {
		panic(asm.ShapePanic)
	}
	dst.Check()
	x.Check()
	if dst.IsEmpty() {
		return
	}
	for i := range dst.Rows {
		pass.Widen(dst.Row(i), x.Row(i))
	}
}
