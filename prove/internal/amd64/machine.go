package amd64

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/loops"
	"github.com/gomonge/monge/prove/internal/memory"
)

type machine struct {
	g       *expr.Graph
	mem     *memory.Memory
	prog    *code.Program
	stack   uint64 // initial stack pointer
	watched uint64 // address of the traced instruction; 0 means no trace
	cov     *code.Coverage
	zero    expr.Node

	r     [16]uint64
	v     [32][16]expr.Node // cells of 4 bytes
	k     [8]uint64
	flags flags
	// Values that depend on the data. symbolic contains the values of general registers, or 0 for
	// a register that holds a number. symbolicMasks contains the bits of masks, or nil for a mask
	// that holds a number. conditions contains the conditions of jumps by name.
	symbolic      [16]expr.Node
	symbolicMasks [8][]expr.Node
	conditions    map[string]expr.Node
	steps         *int
	loops         *loops.Tracker
	next          uint64
	inst          *inst
}

type failure struct{ err error }

func (m *machine) fail(format string, args ...any) {
	panic(failure{fmt.Errorf("%s: %w", m.inst.Text, fmt.Errorf(format, args...))})
}

// Run runs the function f. stack is the initial stack pointer, which points to the return address. The
// arguments follow at higher addresses.
func Run(p *code.Program, f *code.Function, g *expr.Graph, mem *memory.Memory, stack uint64, cov *code.Coverage) (err error) {
	m := &machine{g: g, mem: mem, prog: p, cov: cov, watched: p.Watched, zero: g.Const(4, 0)}
	for i := range m.v {
		for j := range m.v[i] {
			m.v[i][j] = g.Input(4, 1<<20+i, j) // unknown initial contents
		}
	}
	for i := range m.symbolic {
		m.symbolic[i] = m.initialRegister(i)
	}
	for i := range m.symbolicMasks {
		for j := range 16 {
			m.symbolicMasks[i] = append(m.symbolicMasks[i], g.Nonzero(g.Input(4, 1<<20+len(m.v)+1+i, j)))
		}
	}
	m.r[rsp], m.symbolic[rsp] = stack, 0
	m.stack = stack
	m.steps = new(int)
	m.loops = loops.New(f, effectOf, cov)
	defer func() {
		cov.Steps += *m.steps
		switch f := recover().(type) {
		case nil:
		case failure:
			err = f.err
		default:
			panic(f)
		}
	}()
	return m.execute(f, f.Entry)
}

func effectOf(i *code.Inst) *loops.Effect {
	if d, ok := i.Decoded.(*inst); ok {
		return d.effect
	}
	return nil
}

// execute runs f from the instruction at pc to the end of the function.
func (m *machine) execute(f *code.Function, pc uint64) error {
	for ; *m.steps < m.prog.MaxSteps(); *m.steps++ {
		next := f.Insts[pc]
		if name, ok := m.prog.GoFunctions[pc]; next == nil && ok {
			if err := m.checkKeptRegisters(); err != nil {
				return err
			}
			return m.prog.JumpToGo(name, m.g, m.mem, m.stack)
		}
		if next == nil {
			return fmt.Errorf("jump to %#x, which is not an instruction of %s", pc, f.Name)
		}
		i, ok := next.Decoded.(*inst)
		if !ok {
			return next.Decoded.(error)
		}
		m.inst, m.next = i, i.Next
		m.cov.Reached[pc] = true
		m.trace(&m.cov.Trace.Path, pc)
		if i.op == "ret" {
			return m.checkKeptRegisters()
		}
		m.loops.Before(pc)
		if c, ok := m.symbolicCondition(i); ok {
			return m.runBothWays(f, c, i)
		}
		m.step(i)
		if pc == m.watched {
			m.traceState()
		}
		m.loops.Step(pc, i.effect, m.next != i.Next || i.effect.Choice && m.conditionHolds(i.op[4:]))
		pc = m.next
	}
	return fmt.Errorf("%s: still running after %d instructions", f.Name, m.prog.MaxSteps())
}

// rsp is the register number of the stack pointer.
const rsp = 4

// initialRegister returns the value of a general register at the beginning of the function.
func (m *machine) initialRegister(reg int) expr.Node { return m.g.Input(8, 1<<20+len(m.v), reg) }

// checkKeptRegisters returns an error if the stack pointer or a register reserved for Go (BP, R14,
// R15) has changed.
func (m *machine) checkKeptRegisters() error {
	if m.symbolic[rsp] != 0 || m.r[rsp] != m.stack {
		return errors.New("the stack pointer has changed")
	}
	for _, reg := range []int{5, 14, 15} {
		if m.symbolic[reg] != m.initialRegister(reg) {
			return fmt.Errorf("register %d, which is reserved for Go, has changed", reg)
		}
	}
	return nil
}

// trace appends v to part, one of the lists of the Trace, if the run is traced.
func (m *machine) trace(part *[]uint64, v ...uint64) {
	if m.watched != 0 {
		*part = append(*part, v...)
	}
}

// traceState appends all registers and flags to the trace.
func (m *machine) traceState() {
	states := &m.cov.Trace.States
	m.trace(states, m.next, m.flags.value&m.flags.defined, m.flags.defined)
	for i, r := range m.r {
		if m.symbolic[i] != 0 {
			r = 0
		}
		m.trace(states, r, uint64(m.symbolic[i]))
	}
	for i := range m.v {
		for _, c := range m.v[i] {
			m.trace(states, uint64(c))
		}
	}
	for i, k := range m.k {
		if m.symbolicMasks[i] == nil {
			m.trace(states, k)
		}
		for _, b := range m.symbolicMasks[i] {
			m.trace(states, uint64(b))
		}
	}
	for _, c := range slices.Sorted(maps.Keys(m.conditions)) {
		m.trace(states, uint64(m.conditions[c]))
	}
}

func (m *machine) addressOf(o *operand) uint64 {
	a := o.value
	if o.relative {
		a += m.inst.Next
	}
	if o.base >= 0 {
		a += m.concreteRegister(o.base)
	}
	if o.index >= 0 {
		a += m.concreteRegister(o.index) * o.scale
	}
	return a
}

func (m *machine) concreteRegister(reg int) uint64 {
	if m.symbolic[reg] != 0 {
		m.fail("%w: an address that depends on the data", code.ErrUnknown)
	}
	return m.r[reg]
}

func (m *machine) load(addr uint64, cells int) []expr.Node {
	out := make([]expr.Node, cells)
	for i := range out {
		a := addr + 4*uint64(i)
		n, err := m.mem.Load(a)
		if err != nil {
			w, ok := m.prog.Word(a)
			if !ok {
				m.fail("%w", err)
			}
			n = m.g.Const(4, uint64(w))
		}
		out[i] = n
	}
	return out
}

func (m *machine) store(addr uint64, cells []expr.Node) {
	for i, c := range cells {
		m.trace(&m.cov.Trace.Stores, addr+4*uint64(i), uint64(c))
		if err := m.mem.Store(addr+4*uint64(i), c); err != nil {
			m.fail("%w", err)
		}
	}
}

// storePart stores the lowest bytes of an integer within one memory cell.
func (m *machine) storePart(o *operand, n expr.Node, bytes int) {
	cell, at := m.mem.Cell(m.addressOf(o))
	m.store(cell, []expr.Node{m.g.ReplaceBits(m.load(cell, 1)[0], 8*int(at), 8*bytes, n)})
}

// concrete joins constant cells to a number, lowest cell first.
func (m *machine) concrete(cells []expr.Node) uint64 {
	var v uint64
	for i, c := range cells {
		b, ok := m.g.Bits(c)
		if !ok {
			m.fail("%w: a number that depends on the data", code.ErrUnknown)
		}
		v |= b << (32 * i)
	}
	return v
}

func widthMask(bytes int) uint64 {
	if bytes == 8 {
		return ^uint64(0)
	}
	return 1<<(8*bytes) - 1
}

// integer returns the value of a general operand. The width is in bytes.
func (m *machine) integer(o *operand, width int) uint64 {
	switch o.kind {
	case immediate:
		return o.value & widthMask(width)
	case register:
		if m.symbolic[o.reg] != 0 {
			m.fail("%w: a register that depends on the data", code.ErrUnknown)
		}
		if o.high {
			return m.r[o.reg] >> 8 & 255
		}
		return m.r[o.reg] & widthMask(width)
	case mask:
		return m.maskNumber(o.reg) & widthMask(width)
	case location:
		a := m.addressOf(o)
		switch width {
		case 1:
			cell, at := m.mem.Cell(a)
			return m.concrete(m.load(cell, 1)) >> (8 * at) & 255
		case 4:
			return m.concrete(m.load(a, 1))
		}
		return m.concrete(m.load(a, 2))
	}
	m.fail("%w: operand", code.ErrUnknown)
	return 0
}

func (m *machine) setInteger(o *operand, v uint64, width int) {
	switch o.kind {
	case register:
		switch width {
		case 1:
			if o.high {
				m.fail("%w: destination", code.ErrUnknown)
			}
			v = m.concreteRegister(o.reg)&^255 | v&255
		case 4:
			v &= 0xffffffff
		}
		m.r[o.reg], m.symbolic[o.reg] = v, 0
	case location:
		if width < 4 {
			m.storePart(o, m.g.Const(4, v), width)
			return
		}
		cells := []expr.Node{m.g.Const(4, v), m.g.Const(4, v>>32)}
		m.store(m.addressOf(o), cells[:width/4])
	default:
		m.fail("%w: destination", code.ErrUnknown)
	}
}

// joinCells joins one or two 4-byte cells to one element.
func (m *machine) joinCells(c []expr.Node) expr.Node {
	if len(c) == 1 {
		return c[0]
	}
	return m.g.Join(c[0], c[1])
}

func (m *machine) cells(n expr.Node) []expr.Node {
	if m.g.Width(n) == 4 {
		return []expr.Node{n}
	}
	low, high := m.g.Halves(n)
	return []expr.Node{low, high}
}

// source returns the first n cells of a vector operand. An element has w cells. If the operand is
// in memory and the destination has a mask, source reads only the selected elements.
func (m *machine) source(o, dst *operand, n, w int) []expr.Node {
	if o.kind == vector {
		return m.v[o.reg][:n:n]
	}
	if o.kind != location {
		m.fail("%w: vector operand", code.ErrUnknown)
	}
	if o.index >= 0 && m.symbolic[o.index] != 0 && !o.broadcast && (dst == nil || dst.mask < 0) {
		return m.loadTableEntry(o, n)
	}
	a := m.addressOf(o)
	if o.broadcast {
		e := m.load(a, w)
		var out []expr.Node
		for len(out) < n {
			out = append(out, e...)
		}
		return out
	}
	if dst != nil && dst.kind == vector && dst.mask >= 0 {
		out := make([]expr.Node, 0, n)
		for i := 0; i < n; i += w {
			if m.maskNumber(dst.mask)>>(i/w)&1 != 0 {
				out = append(out, m.load(a+4*uint64(i), w)...)
			} else {
				for range w {
					out = append(out, m.zero)
				}
			}
		}
		return out
	}
	return m.load(a, n)
}

// setVector writes the cells of a vector to a register or to memory, under the mask of the operand.
// An element has w cells. In a register, setVector clears the cells above the result.
func (m *machine) setVector(o *operand, cells []expr.Node, w int) {
	if o.mask >= 0 && m.symbolicMasks[o.mask] != nil {
		cells = m.blend(o, cells, w)
		o = &operand{kind: o.kind, value: o.value, reg: o.reg, width: o.width, base: o.base, index: o.index, scale: o.scale, relative: o.relative, mask: -1}
	}
	if o.kind == location {
		a := m.addressOf(o)
		for i := 0; i < len(cells); i += w {
			if o.mask < 0 || m.k[o.mask]>>(i/w)&1 != 0 {
				m.store(a+4*uint64(i), cells[i:i+w])
			}
		}
		return
	}
	old := m.v[o.reg]
	reg := &m.v[o.reg]
	for i := range reg {
		switch {
		case i >= len(cells) || i >= o.width/4:
			reg[i] = m.zero
		case o.mask < 0 || m.k[o.mask]>>(i/w)&1 != 0:
			reg[i] = cells[i]
		case o.zeroing:
			reg[i] = m.zero
		default:
			reg[i] = old[i]
		}
	}
}

// mapLanes applies f to the elements of sources. Each element consists of w cells of 4 bytes.
func (m *machine) mapLanes(w int, f func(x ...expr.Node) expr.Node, sources ...[]expr.Node) []expr.Node {
	n := len(sources[0])
	out := make([]expr.Node, 0, n)
	x := make([]expr.Node, len(sources))
	for i := 0; i < n; i += w {
		for j, s := range sources {
			x[j] = m.joinCells(s[i : i+w])
		}
		out = append(out, m.cells(f(x...))...)
	}
	return out
}

// generalWidth returns the operand size in bytes of an instruction on general registers.
func generalWidth(op string, args []operand) int {
	for i := range args { // the destination is the last argument, and a shift count is the first argument
		if a := args[len(args)-1-i]; a.kind == register {
			return a.width
		}
	}
	switch op[len(op)-1] {
	case 'b':
		return 1
	case 'l':
		return 4
	}
	return 8
}

// runGeneral runs an instruction on general registers. It returns false for other instructions.
func (m *machine) runGeneral(i *inst) bool {
	a := i.args
	op := i.op
	var dst *operand
	if len(a) > 0 {
		dst = &a[len(a)-1]
	}
	switch {
	case op == "jmp":
		m.next = a[0].value
		return true
	case op[0] == 'j':
		taken := m.conditionHolds(op[1:])
		m.cov.Branch(i.Addr, taken)
		if taken {
			m.next = a[0].value
		}
		return true
	case strings.HasPrefix(op, "cmov"):
		w := dst.width
		v := m.integer(&a[0], w)
		if !m.conditionHolds(op[4:]) {
			v = m.integer(dst, w)
		}
		m.setInteger(dst, v, w)
		return true
	case i.Padding(), op == "vzeroupper", strings.HasPrefix(op, "prefetch"):
		if o := i.args; strings.HasPrefix(op, "prefetch") {
			a := &o[0]
			m.trace(&m.cov.Trace.Fetches, a.value)
			for _, r := range []int{a.base, a.index} {
				if r >= 0 {
					m.trace(&m.cov.Trace.Fetches, m.r[r], uint64(m.symbolic[r]))
				}
			}
		}
		if op == "vzeroupper" {
			for r := range 16 {
				for c := 4; c < 16; c++ {
					m.v[r][c] = m.zero
				}
			}
		}
		return true
	case op == "lea":
		m.setInteger(dst, m.addressOf(&a[0]), dst.width)
		return true
	case op[0] == 'k':
		return m.runMask(op, a, dst)
	case op == "movzbl":
		return m.runMovzbl(a, dst)
	}
	if m.runSymbolic(op, a, dst) {
		return true
	}
	for _, o := range a {
		if o.kind == vector || o.kind == mask {
			return false
		}
	}
	w := generalWidth(op, a)
	name := strings.TrimRight(op, "bwlq")
	switch name {
	case "mov", "movabs":
		m.setInteger(dst, m.integer(&a[0], w), w)
	case "cmp":
		m.flags.setDifference(m.integer(dst, w), m.integer(&a[0], w), w)
	case "test":
		m.flags.setLogic(m.integer(dst, w)&m.integer(&a[0], w), w)
	case "dec", "inc", "neg", "not":
		x := m.integer(dst, w)
		v := map[string]uint64{"dec": x - 1, "inc": x + 1, "neg": -x, "not": ^x}[name] & widthMask(w)
		m.setInteger(dst, v, w)
		old := m.flags
		switch name {
		case "neg":
			m.flags.setDifference(0, x, w)
		case "dec":
			m.flags.setDifference(x, 1, w)
			m.flags.keepCarry(old)
		case "inc":
			m.flags.setSum(x, 1, v, false, w)
			m.flags.keepCarry(old)
		}
	case "add", "su", "sub", "and", "or", "xor", "imu", "imul", "sh", "shl", "shr", "sar":
		switch op {
		case "sub", "subq", "subl":
			name = "sub"
		case "imul", "imulq":
			name = "imul"
		case "shl", "shlq", "shll":
			name = "shl"
		}
		x, y := m.integer(dst, w), uint64(1)
		switch len(a) {
		case 2:
			y = m.integer(&a[0], w)
		case 3:
			x, y = m.integer(&a[1], w), m.integer(&a[0], w)
		}
		if strings.HasPrefix(name, "s") && name != "sub" {
			y &= uint64(8*w - 1)
		}
		var v uint64
		switch name {
		case "add":
			v = x + y
		case "sub":
			v = x - y
		case "and":
			v = x & y
		case "or":
			v = x | y
		case "xor":
			v = x ^ y
		case "imul":
			v = x * y
		case "shl":
			v = x << y
		case "shr":
			v = x >> y
		case "sar":
			s := 64 - 8*w
			v = uint64(int64(x<<s) >> s >> y)
		}
		v &= widthMask(w)
		m.setInteger(dst, v, w)
		switch name {
		case "add":
			m.flags.setSum(x, y, v, false, w)
		case "sub":
			m.flags.setDifference(x, y, w)
		case "and", "or", "xor":
			m.flags.setLogic(v, w)
		case "imul":
			m.flags.defined, m.conditions = 0, nil
		default:
			if y != 0 { // a shift by 0 changes no flags
				m.flags.setResult(v, w)
			}
		}
	case "adc":
		x, y := m.integer(dst, w), m.integer(&a[0], w)
		v, carry := x+y, m.conditionHolds("b")
		if carry {
			v++
		}
		m.setInteger(dst, v, w)
		m.flags.setSum(x, y, v, carry, w)
	case "bzhi":
		x, n := m.integer(&a[1], w), m.integer(&a[0], w)&255
		v := x
		if n < uint64(8*w) {
			v = x & (1<<n - 1)
		}
		m.setInteger(dst, v, w)
		m.flags.setLogic(v, w)
		m.flags.setFlag(carryFlag, n >= uint64(8*w))
	case "popcnt":
		v := uint64(bits.OnesCount64(m.integer(&a[0], w)))
		m.setInteger(dst, v, w)
		m.flags.setLogic(v, w)
	default:
		return false
	}
	return true
}
