package gossa

import (
	values "go/constant"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
)

// body is a function whose values have places in a slice.
type body struct {
	places map[ssa.Value]int
	blocks [][]step // by the number of the block
}

// step is an instruction, with the place of its value and with what it uses.
type step struct {
	ssa.Instruction
	place    int // −1 if it has no value
	operands []operand
}

// operand is a value that an instruction uses.
type operand struct {
	value ssa.Value
	place int // −1 if it is no value of the function
	constant
}

// constant is a constant that is worked out once. It is none if it is of another type than these.
type constant struct {
	number Value  // an integer, or a condition
	width  int    // of a floating-point number
	bits   uint64 // of a floating-point number
}

// body returns the body of a function.
func (s *Source) body(f *ssa.Function) *body {
	if b, ok := s.bodies.Load(f); ok {
		return b.(*body)
	}
	b := &body{places: map[ssa.Value]int{}}
	add := func(v ssa.Value) int {
		n := len(b.places)
		b.places[v] = n
		return n
	}
	for _, p := range f.Params {
		add(p)
	}
	for _, v := range f.FreeVars {
		add(v)
	}
	for _, block := range f.Blocks {
		var steps []step
		for _, i := range block.Instrs {
			st := step{Instruction: i, place: -1}
			if v, ok := i.(ssa.Value); ok {
				st.place = add(v)
			}
			steps = append(steps, st)
		}
		b.blocks = append(b.blocks, steps)
	}
	for _, steps := range b.blocks {
		for n := range steps {
			for _, v := range steps[n].Operands(nil) {
				if *v != nil {
					steps[n].operands = append(steps[n].operands, s.operand(b, *v))
				}
			}
		}
	}
	kept, _ := s.bodies.LoadOrStore(f, b)
	return kept.(*body)
}

func (s *Source) operand(b *body, v ssa.Value) operand {
	o := operand{value: v, place: -1}
	if n, ok := b.places[v]; ok {
		o.place = n
	}
	if c, ok := v.(*ssa.Const); ok {
		o.constant = s.constant(c)
	}
	return o
}

func (s *Source) constant(c *ssa.Const) (out constant) {
	t, ok := c.Type().Underlying().(*types.Basic)
	switch {
	case !ok:
	case t.Info()&types.IsFloat != 0 && s.sizes.Sizeof(t) == 4:
		x, _ := values.Float32Val(c.Value)
		out.width, out.bits = 4, uint64(math.Float32bits(x))
	case t.Info()&types.IsFloat != 0:
		x, _ := values.Float64Val(c.Value)
		out.width, out.bits = 8, math.Float64bits(x)
	case t.Info()&types.IsBoolean != 0:
		out.number = truth(values.BoolVal(c.Value))
	case t.Info()&types.IsUnsigned != 0:
		out.number = c.Uint64()
	case t.Info()&types.IsInteger != 0:
		out.number = uint64(c.Int64())
	case t.Kind() == types.UnsafePointer:
		out.number = uint64(0)
	}
	return out
}

// simple returns the value of a constant, if it is one.
func (in *Interpreter) simple(c *constant) (v Value, ok bool) {
	if c.width != 0 {
		return in.G.Const(c.width, c.bits), true
	}
	return c.number, c.number != nil
}
