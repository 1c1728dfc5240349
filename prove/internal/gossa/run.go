package gossa

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/memory"
	"golang.org/x/tools/go/ssa"
)

// A Value is one of the following: a uint64 (a sign-extended integer, a bool or a pointer), an
// expr.Node (a floating-point number, or an integer or bool that depends on the data), a Slice, an
// elementAddress, a []Value (a struct, an array or several results), a string, a *ssa.Function or a
// *closure.
type Value any

// Slice is a slice whose elements begin at Addr.
type Slice struct {
	Addr     uint64
	Len, Cap int
}

// ErrUnknown is the error for source code that the interpreter does not support.
var ErrUnknown = errors.New("not interpreted")

// Interpreter runs functions of a Source.
type Interpreter struct {
	*Source
	G   *expr.Graph
	Mem *memory.Memory
	// Assembly runs a function without a body. stack is the address of the stored return address.
	// The arguments and results follow at higher addresses, in the layout of ABI0.
	Assembly func(f *ssa.Function, stack uint64) error
	// Replace returns the result of a call that the interpreter must not run. ok is false if the
	// interpreter must run the call.
	Replace func(f *ssa.Function, args []Value) (result Value, ok bool)

	globals  map[*ssa.Global]uint64
	meetings map[*ssa.Function]map[*ssa.BasicBlock]*ssa.BasicBlock
	ready    map[*ssa.Package]bool
	depth    int
}

type failure struct{ err error }

func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// Call runs f.
func (in *Interpreter) Call(f *ssa.Function, args []Value) (result Value, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		default:
			panic(r)
		}
	}()
	return in.call(f, args), nil
}

func (in *Interpreter) call(f *ssa.Function, args []Value, free ...Value) Value {
	if v, ok := in.Replace(f, args); ok {
		return v
	}
	if f.Blocks == nil {
		return in.callAssembly(f, args)
	}
	if in.depth++; in.depth > 100 {
		fail("%s: too deep: %w", f, ErrUnknown)
	}
	defer func() { in.depth-- }()
	in.initialize(f.Pkg)
	fr := in.frame(f)
	copy(fr.values, args)
	copy(fr.values[len(f.Params):], free)
	return fr.run()
}

// initialize runs the initializers of a package, but not of the packages it imports.
func (in *Interpreter) initialize(p *ssa.Package) {
	if p == nil || in.ready[p] {
		return
	}
	if in.ready == nil {
		in.ready = map[*ssa.Package]bool{}
	}
	in.ready[p] = true
	if f := p.Func("init"); f != nil && f.Blocks != nil {
		if _, skip := in.Replace(f, nil); !skip {
			in.frame(f).run()
		}
	}
}

// callAssembly stores arguments on a stack and runs a function without a body.
func (in *Interpreter) callAssembly(f *ssa.Function, args []Value) Value {
	word := in.sizes.Sizeof(types.Typ[types.Uintptr])
	offset := word // offset of the next argument or result; the return address is at offset 0
	var offsets []int64
	place := func(t types.Type) {
		a := in.sizes.Alignof(t)
		offset = (offset + a - 1) / a * a
		offsets = append(offsets, offset)
		offset += in.sizes.Sizeof(t)
	}
	params, results := f.Signature.Params(), f.Signature.Results()
	for v := range params.Variables() {
		place(v.Type())
	}
	offset = (offset + word - 1) / word * word
	for v := range results.Variables() {
		place(v.Type())
	}
	n := int(offset+3) / 4
	cells, writable := make([]expr.Node, n), make([]bool, n)
	for i := range cells {
		cells[i] = in.G.Const(4, 0)
		writable[i] = true
	}
	stack := in.Mem.Region("arguments of "+f.Name(), 8, cells, writable)
	for i := range params.Len() {
		in.store(stack+uint64(offsets[i]), params.At(i).Type(), args[i])
	}
	if err := in.Assembly(f, stack); err != nil {
		fail("%s: %w", f.Name(), err)
	}
	var out []Value
	for i := range results.Len() {
		out = append(out, in.load(stack+uint64(offsets[params.Len()+i]), results.At(i).Type()))
	}
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	return out
}

// allocate returns the address of a new zero value of type t.
func (in *Interpreter) allocate(name string, t types.Type) uint64 {
	n := int(in.sizes.Sizeof(t)+3) / 4
	cells, writable := make([]expr.Node, n), make([]bool, n)
	for i := range cells {
		cells[i], writable[i] = in.G.Const(4, 0), true
	}
	return in.Mem.Region(name, 8, cells, writable)
}

func (in *Interpreter) global(g *ssa.Global) uint64 {
	a, ok := in.globals[g]
	if !ok {
		if in.globals == nil {
			in.globals = map[*ssa.Global]uint64{}
		}
		a = in.allocate(g.String(), g.Type().Underlying().(*types.Pointer).Elem())
		in.globals[g] = a
		in.initialize(g.Pkg)
	}
	return a
}

// SetGlobal sets a package-level variable. The initializers of the package run before the first
// access to the package.
func (in *Interpreter) SetGlobal(path, name string, v Value) error {
	p := in.packages[path]
	if p == nil || p.Var(name) == nil {
		return fmt.Errorf("%s.%s: no such variable", path, name)
	}
	g := p.Var(name)
	in.store(in.global(g), g.Type().Underlying().(*types.Pointer).Elem(), v)
	return nil
}

// New returns the address of a new value of a named struct type. Struct fields that the map does
// not contain are zero.
func (in *Interpreter) New(path, name string, fields map[string]uint64) (uint64, error) {
	p := in.packages[path]
	if p == nil || p.Type(name) == nil {
		return 0, fmt.Errorf("%s.%s: no such type", path, name)
	}
	t := p.Type(name).Type()
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return 0, fmt.Errorf("%s.%s is not a struct", path, name)
	}
	addr := in.allocate(name, t)
	set := 0
	for i, offset := range in.offsets(s) {
		if v, ok := fields[s.Field(i).Name()]; ok {
			in.store(addr+uint64(offset), s.Field(i).Type(), v)
			set++
		}
	}
	if set != len(fields) {
		return 0, fmt.Errorf("%s.%s does not have all fields of %v", path, name, fields)
	}
	return addr, nil
}

func (in *Interpreter) cell(addr uint64) expr.Node {
	n, err := in.Mem.Load(addr)
	if err != nil {
		fail("%w", err)
	}
	return n
}

func (in *Interpreter) setCell(addr uint64, n expr.Node) {
	if err := in.Mem.Store(addr, n); err != nil {
		fail("%w", err)
	}
}

// concreteBits returns the integer at an address. The integer must not depend on the data.
func (in *Interpreter) concreteBits(addr uint64, size int64) uint64 {
	word := func(a uint64) uint64 {
		b, ok := in.G.Bits(in.cell(a))
		if !ok {
			fail("an integer that depends on the data: %w", ErrUnknown)
		}
		return b
	}
	switch size {
	case 8:
		return word(addr) | word(addr+4)<<32
	case 4:
		return word(addr)
	}
	cell, at := in.Mem.Cell(addr)
	return word(cell) >> (8 * at) & (1<<(8*size) - 1)
}

// symbolicBits returns the integer at an address. ok is false if the integer does not depend on the
// data. Integers of less than 4 bytes are zero-extended.
func (in *Interpreter) symbolicBits(addr uint64, size int64) (n expr.Node, ok bool) {
	switch size {
	case 4:
		n = in.cell(addr)
	case 8:
		n = in.G.Join(in.cell(addr), in.cell(addr+4))
	default:
		cell, at := in.Mem.Cell(addr)
		n = in.G.ExtractBits(in.cell(cell), int(8*at), int(8*size))
	}
	_, fixed := in.G.Bits(n)
	return n, !fixed
}

func (in *Interpreter) setBits(addr uint64, size int64, v uint64) {
	switch size {
	case 8:
		in.setCell(addr, in.G.Const(4, v))
		in.setCell(addr+4, in.G.Const(4, v>>32))
	case 4:
		in.setCell(addr, in.G.Const(4, v))
	default:
		in.setNarrow(addr, size, in.G.Const(4, v))
	}
}

// setNarrow stores an integer of less than 4 bytes at addr.
func (in *Interpreter) setNarrow(addr uint64, size int64, n expr.Node) {
	cell, at := in.Mem.Cell(addr)
	in.setCell(cell, in.G.ReplaceBits(in.cell(cell), int(8*at), int(8*size), n))
}

// load returns the value of type t at addr.
func (in *Interpreter) load(addr uint64, t types.Type) Value {
	size := in.sizes.Sizeof(t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsFloat != 0:
			if size == 4 {
				return in.cell(addr)
			}
			return in.G.Join(in.cell(addr), in.cell(addr+4))
		case u.Info()&(types.IsInteger|types.IsBoolean) != 0 || u.Kind() == types.UnsafePointer:
			if n, ok := in.symbolicBits(addr, size); ok {
				return n
			}
			return extend(in.concreteBits(addr, size), u, size)
		}
	case *types.Pointer:
		return in.concreteBits(addr, 8)
	case *types.Slice:
		return Slice{in.concreteBits(addr, 8), int(in.concreteBits(addr+8, 8)), int(in.concreteBits(addr+16, 8))}
	case *types.Array:
		out := make([]Value, u.Len())
		for i := range out {
			out[i] = in.load(addr+uint64(int64(i)*in.sizes.Sizeof(u.Elem())), u.Elem())
		}
		return out
	case *types.Struct:
		out := make([]Value, u.NumFields())
		for i, o := range in.offsets(u) {
			out[i] = in.load(addr+uint64(o), u.Field(i).Type())
		}
		return out
	}
	fail("load of a %s: %w", t, ErrUnknown)
	return nil
}

func (in *Interpreter) offsets(s *types.Struct) []int64 {
	if known, ok := in.structs.Load(s); ok {
		return known.([]int64)
	}
	var fields []*types.Var
	for f := range s.Fields() {
		fields = append(fields, f)
	}
	out := in.sizes.Offsetsof(fields)
	in.structs.Store(s, out)
	return out
}

// store stores a value of type t at addr.
func (in *Interpreter) store(addr uint64, t types.Type, v Value) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		for i, e := range v.([]Value) {
			in.store(addr+uint64(int64(i)*in.sizes.Sizeof(u.Elem())), u.Elem(), e)
		}
		return
	case *types.Struct:
		for i, o := range in.offsets(u) {
			in.store(addr+uint64(o), u.Field(i).Type(), v.([]Value)[i])
		}
		return
	}
	switch v := v.(type) {
	case expr.Node:
		if size := in.sizes.Sizeof(t); size < 4 && in.G.Width(v) == 4 {
			in.setNarrow(addr, size, v)
			return
		}
		if in.G.Width(v) == 4 {
			in.setCell(addr, v)
			return
		}
		low, high := in.G.Halves(v)
		in.setCell(addr, low)
		in.setCell(addr+4, high)
	case uint64:
		size := in.sizes.Sizeof(t)
		if size < 8 {
			v &= 1<<(8*size) - 1
		}
		in.setBits(addr, size, v)
	case Slice:
		in.setBits(addr, 8, v.Addr)
		in.setBits(addr+8, 8, uint64(v.Len))
		in.setBits(addr+16, 8, uint64(v.Cap))
	default:
		fail("store of a %s: %w", t, ErrUnknown)
	}
}

// binary returns x op y for operands of type t.
func (in *Interpreter) binary(op token.Token, t types.Type, x, y Value) Value {
	p, okP := x.(expr.Node)
	q, okQ := y.(expr.Node)
	if b, ok := t.Underlying().(*types.Basic); okP && okQ && ok && b.Info()&types.IsFloat != 0 {
		return in.floatBinary(op, p, q)
	} else if okP || okQ {
		return in.symbolicBinary(op, t, x, y)
	}
	if s, ok := x.(Slice); ok { // comparison with nil
		return boolBit((op == token.EQL) == (s.Addr == 0))
	}
	a, okA := x.(uint64)
	b, okB := y.(uint64)
	if !okA || !okB {
		fail("%T %s %T: %w", x, op, y, ErrUnknown)
	}
	u, _ := t.Underlying().(*types.Basic)
	signed := u != nil && u.Info()&types.IsUnsigned == 0 && u.Info()&types.IsInteger != 0
	var v uint64
	switch op {
	case token.ADD:
		v = a + b
	case token.SUB:
		v = a - b
	case token.MUL:
		v = a * b
	case token.QUO, token.REM:
		switch {
		case b == 0:
			fail("division by zero")
		case signed && op == token.QUO:
			v = uint64(int64(a) / int64(b))
		case signed:
			v = uint64(int64(a) % int64(b))
		case op == token.QUO:
			v = a / b
		default:
			v = a % b
		}
	case token.AND:
		v = a & b
	case token.OR:
		v = a | b
	case token.XOR:
		v = a ^ b
	case token.AND_NOT:
		v = a &^ b
	case token.SHL:
		v = a << b
	case token.SHR:
		if signed {
			v = uint64(int64(a) >> b)
		} else {
			v = a >> b
		}
	case token.EQL:
		return boolBit(a == b)
	case token.NEQ:
		return boolBit(a != b)
	case token.LSS:
		return boolBit(signed && int64(a) < int64(b) || !signed && a < b)
	case token.LEQ:
		return boolBit(signed && int64(a) <= int64(b) || !signed && a <= b)
	case token.GTR:
		return boolBit(signed && int64(a) > int64(b) || !signed && a > b)
	case token.GEQ:
		return boolBit(signed && int64(a) >= int64(b) || !signed && a >= b)
	default:
		fail("operator %s: %w", op, ErrUnknown)
	}
	if u != nil {
		return extend(v, u, in.sizes.Sizeof(u))
	}
	return v
}

func (in *Interpreter) floatBinary(op token.Token, a, b expr.Node) Value {
	switch op {
	case token.ADD:
		return in.G.Add(a, b)
	case token.SUB:
		return in.G.Sub(a, b)
	case token.MUL:
		return in.G.Mul(a, b)
	case token.QUO:
		return in.G.Div(a, b)
	}
	if c, ok := in.compareFloats(op, a, b); ok {
		return c
	}
	fail("operator %s: %w", op, ErrUnknown)
	return nil
}

// Name returns a function name such as pass.Rows: the last element of the package path and the name
// without type arguments.
func (s *Source) Name(f *ssa.Function) string {
	if known, ok := s.names.Load(f); ok {
		return known.(string)
	}
	g := f
	if o := g.Origin(); o != nil {
		g = o
	}
	name := g.Name()
	if g.Pkg != nil {
		path := g.Pkg.Pkg.Path()
		name = path[strings.LastIndex(path, "/")+1:] + "." + name
	}
	s.names.Store(f, name)
	return name
}
