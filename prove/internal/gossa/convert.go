package gossa

import (
	values "go/constant"
	"go/types"
	"math"

	"github.com/gomonge/monge/prove/internal/expr"
	"golang.org/x/tools/go/ssa"
)

// extend returns an integer of the given size, sign-extended if its type is signed.
func extend(v uint64, b *types.Basic, size int64) uint64 {
	shift := 64 - 8*size
	if b.Info()&types.IsUnsigned == 0 && b.Info()&types.IsInteger != 0 {
		return uint64(int64(v<<shift) >> shift)
	}
	return v << shift >> shift
}

func (in *Interpreter) constant(c *ssa.Const) Value {
	known := in.Source.constant(c)
	if v, ok := in.constantValue(&known); ok {
		return v
	}
	switch u := c.Type().Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return values.StringVal(c.Value)
		}
	case *types.Pointer:
		return uint64(0)
	case *types.Slice:
		return Slice{}
	case *types.Interface, *types.Signature:
		return nil
	case *types.Array, *types.Struct:
		return in.load(in.allocate("zero", c.Type()), c.Type())
	}
	fail("constant %s: %w", c, ErrUnknown)
	return nil
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (in *Interpreter) convert(x Value, from, to types.Type) Value {
	f, okF := from.Underlying().(*types.Basic)
	t, okT := to.Underlying().(*types.Basic)
	if !okF || !okT || f.Kind() == types.UnsafePointer || t.Kind() == types.UnsafePointer {
		return x // a conversion between pointer types keeps the value
	}
	size := in.sizes.Sizeof(t)
	switch {
	case f.Info()&types.IsFloat != 0 && t.Info()&types.IsFloat != 0:
		switch n := x.(expr.Node); {
		case in.G.Width(n) == int(size):
			return n
		case size == 8:
			return in.G.Widen(n)
		default:
			return in.G.Narrow(n)
		}
	case f.Info()&types.IsInteger != 0 && t.Info()&types.IsInteger != 0:
		if n, ok := x.(expr.Node); ok {
			if from := in.sizes.Sizeof(f); from < 4 || size < 4 {
				return in.resize(n, f, from, size)
			}
			w := int64(in.G.Width(n))
			switch {
			case w == size:
				return n
			case w == 4 && size == 8 && f.Info()&types.IsUnsigned == 0:
				return in.G.Extend(n)
			}
			fail("conversion of %s to %s: %w", from, to, ErrUnknown)
		}
		return extend(x.(uint64), t, size)
	case f.Info()&types.IsInteger != 0 && t.Info()&types.IsFloat != 0:
		if n, ok := x.(expr.Node); ok && f.Info()&types.IsUnsigned == 0 {
			if from := in.sizes.Sizeof(f); from < 4 {
				n = in.G.SignExtend(n, int(8*from))
			}
			return in.G.FromInt(int(size), in.toNode(n, max(4, int(in.sizes.Sizeof(f)))))
		}
		v := float64(int64(x.(uint64)))
		if size == 4 {
			return in.G.Const(4, uint64(math.Float32bits(float32(v))))
		}
		return in.G.Const(8, math.Float64bits(v))
	}
	fail("conversion of %s to %s: %w", from, to, ErrUnknown)
	return nil
}

// resize converts an integer to another size. The old or the new size must be less than 4 bytes.
// Integers of less than 4 bytes are zero-extended.
func (in *Interpreter) resize(n expr.Node, t *types.Basic, from, to int64) Value {
	if from < 4 && from < to && t.Info()&types.IsUnsigned == 0 {
		n = in.G.SignExtend(n, int(8*from))
		if to == 8 {
			return in.G.Extend(n)
		}
	}
	switch {
	case to < 4:
		if from == 8 {
			n, _ = in.G.Halves(n)
		}
		return in.G.ExtractBits(n, 0, int(8*to))
	case to == 8:
		return in.G.Join(n, in.G.Const(4, 0))
	}
	return n
}

func (in *Interpreter) negate(x Value) Value { return in.G.Neg(x.(expr.Node)) }
