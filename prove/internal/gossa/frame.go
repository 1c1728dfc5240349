package gossa

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/gomonge/monge/prove/internal/expr"
	"golang.org/x/tools/go/ssa"
)

// maxBlocks is the maximum number of basic blocks that one call of execute runs.
const maxBlocks = 5_000_000

type frame struct {
	in     *Interpreter
	f      *ssa.Function
	body   *body
	step   *step   // the current step
	values []Value // by slot
}

func (in *Interpreter) frame(f *ssa.Function) *frame {
	b := in.body(f)
	return &frame{in: in, f: f, body: b, values: make([]Value, len(b.slots))}
}

// closure is a function literal with its captured variables.
type closure struct {
	f        *ssa.Function
	bindings []Value
}

func (fr *frame) get(v ssa.Value) Value {
	place, ok := -1, false
	if fr.step != nil {
		for n := range fr.step.operands {
			if o := &fr.step.operands[n]; o.value == v {
				if c, ok := fr.in.constantValue(&o.constant); ok {
					return c
				}
				place, ok = o.slot, o.slot >= 0
				break
			}
		}
	}
	if !ok {
		place, ok = fr.body.slots[v]
	}
	if ok && fr.values[place] != nil {
		return fr.values[place]
	}
	switch v := v.(type) {
	case *ssa.Const:
		return fr.in.constant(v)
	case *ssa.Global:
		return fr.in.global(v)
	case *ssa.Function, *ssa.Builtin:
		return v
	}
	fail("%s: %s has no value: %w", fr.f, v.Name(), ErrUnknown)
	return nil
}

func (fr *frame) integer(v ssa.Value) int {
	i, ok := fr.get(v).(uint64)
	if !ok {
		fail("%s: an index or a length that depends on the data: %w", fr.f, ErrUnknown)
	}
	return int(i)
}

func (fr *frame) run() Value {
	_, _, result := fr.execute(fr.f.Blocks[0], nil, nil, nil)
	return result
}

// execute runs a block and its successors. It stops after a return instruction, or when it reaches
// the block end. pred is the predecessor of the first block. If phis is not empty, it contains
// the values of the phi instructions in the first block. After a return instruction, execute
// returns the result of the function. Otherwise it returns the last block that ran. If a branch was
// run in both directions and both reached end, execute also returns the joined values of the phi
// instructions in end.
func (fr *frame) execute(block, pred *ssa.BasicBlock, phis []Value, end *ssa.BasicBlock) (last *ssa.BasicBlock, phi []Value, result Value) {
	for range maxBlocks {
		if block == end && end != nil {
			return pred, phis, nil
		}
		var next *ssa.BasicBlock
		// All phi instructions of a block read their operands before any phi gets its new value.
		steps := fr.body.blocks[block.Index]
		var taken []Value
		for n := range steps {
			fr.step = &steps[n]
			if phi, ok := fr.step.Instruction.(*ssa.Phi); ok {
				if phis != nil {
					taken = append(taken, phis[n])
				} else {
					taken = append(taken, fr.get(phi.Edges[slices.Index(block.Preds, pred)]))
				}
				continue
			}
			for p, v := range taken {
				fr.values[steps[p].slot] = v
			}
			taken, phis = nil, nil
			switch i := fr.step.Instruction.(type) {
			case *ssa.Jump:
				next = block.Succs[0]
			case *ssa.If:
				c, depends := fr.get(i.Cond).(expr.Node)
				if !depends {
					next = block.Succs[1-fr.integer(i.Cond)]
					continue
				}
				meet, values, out := fr.branch(fr.in.toNode(c, 1), block)
				if meet == nil {
					return nil, nil, out
				}
				block, next, phis = meet.Preds[0], meet, values
			case *ssa.Return:
				return nil, nil, fr.results(i)
			case *ssa.Store:
				if functionOf(i.Val) != nil {
					continue // skip the variables that Load declares for the roots
				}
				fr.in.store(fr.get(i.Addr).(uint64), i.Val.Type(), fr.get(i.Val))
			case *ssa.Panic:
				fail("%s: panic: %v", fr.f, fr.get(i.X))
			case *ssa.DebugRef:
			case ssa.Value:
				fr.values[fr.step.slot] = fr.value(i)
			default:
				fail("%s: %T: %w", fr.f, i, ErrUnknown)
			}
		}
		pred, block = block, next
	}
	fail("%s: still running after %d blocks", fr.f, maxBlocks)
	return nil, nil, nil
}

func (fr *frame) results(i *ssa.Return) Value {
	switch len(i.Results) {
	case 0:
		return nil
	case 1:
		return fr.get(i.Results[0])
	}
	var out []Value
	for _, r := range i.Results {
		out = append(out, fr.get(r))
	}
	return out
}

func (fr *frame) value(v ssa.Value) Value {
	in := fr.in
	switch i := v.(type) {
	case *ssa.BinOp:
		return in.binary(i.Op, i.X.Type(), fr.get(i.X), fr.get(i.Y))
	case *ssa.UnOp:
		return fr.unary(i)
	case *ssa.Alloc:
		return in.allocate(i.Comment, i.Type().Underlying().(*types.Pointer).Elem())
	case *ssa.Convert:
		return in.convert(fr.get(i.X), i.X.Type(), i.Type())
	case *ssa.MultiConvert:
		return in.convert(fr.get(i.X), i.X.Type(), i.Type())
	case *ssa.ChangeType:
		return fr.get(i.X)
	case *ssa.MakeInterface:
		return fr.get(i.X)
	case *ssa.Extract:
		return fr.get(i.Tuple).([]Value)[i.Index]
	case *ssa.Field:
		return fr.get(i.X).([]Value)[i.Field]
	case *ssa.Index:
		return fr.get(i.X).([]Value)[fr.integer(i.Index)]
	case *ssa.FieldAddr:
		s := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		return fr.get(i.X).(uint64) + uint64(in.offsets(s)[i.Field])
	case *ssa.IndexAddr:
		return fr.element(i)
	case *ssa.Slice:
		return fr.slice(i)
	case *ssa.Call:
		return fr.call(i)
	case *ssa.MakeClosure:
		c := closure{f: i.Fn.(*ssa.Function)}
		for _, b := range i.Bindings {
			c.bindings = append(c.bindings, fr.get(b))
		}
		return &c
	}
	fail("%s: %T %s: %w", fr.f, v, v, ErrUnknown)
	return nil
}

func (fr *frame) unary(i *ssa.UnOp) Value {
	x := fr.get(i.X)
	if n, ok := x.(expr.Node); ok && i.Op == token.NOT {
		return fr.in.conditionValue(fr.in.G.Not(fr.in.toNode(n, 1)))
	}
	switch i.Op {
	case token.MUL:
		if p, ok := x.(elementAddress); ok {
			return fr.lookupElement(p.addr, p.count, p.elem, p.index)
		}
		return fr.in.load(x.(uint64), i.Type())
	case token.NOT:
		return 1 - x.(uint64)
	case token.SUB:
		if v, ok := x.(uint64); ok {
			return fr.in.binary(token.SUB, i.Type(), uint64(0), v)
		}
		return fr.in.negate(x)
	case token.XOR:
		return fr.in.binary(token.XOR, i.Type(), ^uint64(0), x)
	}
	fail("%s: %s: %w", fr.f, i, ErrUnknown)
	return nil
}

func (fr *frame) element(i *ssa.IndexAddr) Value {
	if n, ok := fr.get(i.Index).(expr.Node); ok {
		if s, ok := fr.get(i.X).(Slice); ok {
			return fr.indexSymbolic(s, i.X.Type().Underlying().(*types.Slice).Elem(), n)
		}
		a, ok := i.X.Type().Underlying().(*types.Pointer)
		if !ok {
			fail("%s: %s: %w", fr.f, i, ErrUnknown)
		}
		array := a.Elem().Underlying().(*types.Array)
		return elementAddress{fr.get(i.X).(uint64), array.Len(), array.Elem(), n}
	}
	index := fr.integer(i.Index)
	switch x := fr.get(i.X).(type) {
	case Slice:
		if index < 0 || index >= x.Len {
			fail("%s: index %d of %d elements", fr.f, index, x.Len)
		}
		return x.Addr + uint64(int64(index)*fr.in.sizes.Sizeof(i.X.Type().Underlying().(*types.Slice).Elem()))
	case uint64:
		a := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
		if index < 0 || int64(index) >= a.Len() {
			fail("%s: index %d of %d elements", fr.f, index, a.Len())
		}
		return x + uint64(int64(index)*fr.in.sizes.Sizeof(a.Elem()))
	}
	fail("%s: %s: %w", fr.f, i, ErrUnknown)
	return nil
}

func (fr *frame) slice(i *ssa.Slice) Value {
	var x Slice
	var elem types.Type
	switch v := fr.get(i.X).(type) {
	case Slice:
		x, elem = v, i.X.Type().Underlying().(*types.Slice).Elem()
	case uint64:
		a := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
		x, elem = Slice{v, int(a.Len()), int(a.Len())}, a.Elem()
	default:
		fail("%s: %s: %w", fr.f, i, ErrUnknown)
	}
	low, high, most := 0, x.Len, x.Cap
	if i.Low != nil {
		low = fr.integer(i.Low)
	}
	if i.High != nil {
		high = fr.integer(i.High)
	}
	if i.Max != nil {
		most = fr.integer(i.Max)
	}
	if low < 0 || low > high || high > most || most > x.Cap {
		fail("%s: slice [%d:%d:%d] of capacity %d", fr.f, low, high, most, x.Cap)
	}
	return Slice{x.Addr + uint64(int64(low)*fr.in.sizes.Sizeof(elem)), high - low, most - low}
}

func (fr *frame) call(i *ssa.Call) Value {
	c := &i.Call
	if c.IsInvoke() {
		fail("%s: %s: %w", fr.f, i, ErrUnknown)
	}
	var args []Value
	for _, a := range c.Args {
		args = append(args, fr.get(a))
	}
	switch f := fr.get(c.Value).(type) {
	case *ssa.Function:
		if f.Name() == "init" {
			return nil // packages are initialized on first use
		}
		return fr.in.call(f, args)
	case *closure:
		return fr.in.call(f.f, args, f.bindings...)
	case *ssa.Builtin:
		return fr.builtin(i, f.Name(), args)
	}
	fail("%s: %s: %w", fr.f, i, ErrUnknown)
	return nil
}

func (fr *frame) builtin(i *ssa.Call, name string, args []Value) Value {
	in, types_ := fr.in, i.Call.Args
	switch name {
	case "len", "cap":
		switch x := args[0].(type) {
		case Slice:
			if name == "len" {
				return uint64(x.Len)
			}
			return uint64(x.Cap)
		case []Value:
			return uint64(len(x))
		}
	case "Sizeof":
		return uint64(in.sizes.Sizeof(types_[0].Type()))
	case "SliceData":
		return args[0].(Slice).Addr
	case "Add": // unsafe.Add
		return args[0].(uint64) + args[1].(uint64)
	case "Slice": // unsafe.Slice
		n := int(args[1].(uint64))
		return Slice{Addr: args[0].(uint64), Len: n, Cap: n}
	case "min", "max":
		op := map[string]token.Token{"min": token.LSS, "max": token.GTR}[name]
		best := args[0]
		for _, a := range args[1:] {
			if t, ok := types_[0].Type().Underlying().(*types.Basic); ok && t.Info()&types.IsUnsigned != 0 && name == "max" {
				width := int(in.sizes.Sizeof(t))
				best = in.toNumber(in.G.Maximum(expr.IMaxU, in.toNode(best, width), in.toNode(a, width)), t)
				continue
			}
			if n, ok := a.(expr.Node); ok {
				best = in.minMax(name, best.(expr.Node), n)
				continue
			}
			if in.binary(op, types_[0].Type(), a, best).(uint64) == 1 {
				best = a
			}
		}
		return best
	case "clear":
		s, elem := args[0].(Slice), types_[0].Type().Underlying().(*types.Slice).Elem()
		zero := in.load(in.allocate("zero", elem), elem)
		for e := range s.Len {
			in.store(s.Addr+uint64(int64(e)*in.sizes.Sizeof(elem)), elem, zero)
		}
		return nil
	case "copy":
		d, s := args[0].(Slice), args[1].(Slice)
		elem := types_[0].Type().Underlying().(*types.Slice).Elem()
		size := uint64(in.sizes.Sizeof(elem))
		n := min(d.Len, s.Len)
		var held []Value
		for e := range n {
			held = append(held, in.load(s.Addr+uint64(e)*size, elem))
		}
		for e, v := range held {
			in.store(d.Addr+uint64(e)*size, elem, v)
		}
		return uint64(n)
	}
	fail("%s: %s: %w", fr.f, i, ErrUnknown)
	return nil
}
