package gossa

import (
	values "go/constant"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
)

// body is the code of a function. While the function runs, a slice with one slot per SSA value
// holds the values.
type body struct {
	slots  map[ssa.Value]int
	blocks [][]step // by block index
}

// step is an instruction with its operands and the slot of its value.
type step struct {
	ssa.Instruction
	slot     int // −1 if the instruction has no value
	operands []operand
}

// operand is a value that an instruction uses.
type operand struct {
	value ssa.Value
	slot  int // slot of the value, or −1 if it has no slot, such as a constant
	constant
}

// constant holds the value of an ssa.Const. It is empty if the value is not an integer, a bool, a
// floating-point number or a nil unsafe.Pointer.
type constant struct {
	number Value  // an integer or a bool
	width  int    // width of a floating-point number
	bits   uint64 // bits of a floating-point number
}

func (s *Source) body(f *ssa.Function) *body {
	if b, ok := s.bodies.Load(f); ok {
		return b.(*body)
	}
	b := &body{slots: map[ssa.Value]int{}}
	add := func(v ssa.Value) int {
		n := len(b.slots)
		b.slots[v] = n
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
			st := step{Instruction: i, slot: -1}
			if v, ok := i.(ssa.Value); ok {
				st.slot = add(v)
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
	o := operand{value: v, slot: -1}
	if n, ok := b.slots[v]; ok {
		o.slot = n
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
		out.number = boolBit(values.BoolVal(c.Value))
	case t.Info()&types.IsUnsigned != 0:
		out.number = c.Uint64()
	case t.Info()&types.IsInteger != 0:
		out.number = uint64(c.Int64())
	case t.Kind() == types.UnsafePointer:
		out.number = uint64(0)
	}
	return out
}

// constantValue returns the value of a constant. ok is false if c is empty.
func (in *Interpreter) constantValue(c *constant) (v Value, ok bool) {
	if c.width != 0 {
		return in.G.Const(c.width, c.bits), true
	}
	return c.number, c.number != nil
}
