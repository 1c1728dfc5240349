// Package arm64 runs AArch64 machine code with Advanced SIMD (NEON) on symbolic data.
//
// It reads instructions as printed by GNU objdump. Addresses, sizes and branches are concrete
// numbers unless they depend on the data. Vector registers and the kernel's operands in memory
// contain expressions.
package arm64

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/loops"
	"github.com/gomonge/monge/prove/internal/memory"
)

// Register numbers of the stack pointer and of the zero register.
const (
	sp  = 31
	xzr = 32
)

type machine struct {
	g       *expr.Graph
	mem     *memory.Memory
	prog    *code.Program
	stack   uint64 // initial stack pointer
	watched uint64 // address of the traced instruction; 0 means no trace
	cov     *code.Coverage
	zero    expr.Node

	r     [33]uint64
	v     [32][4]expr.Node // cells of 4 bytes
	flags flags
	// Values that depend on the data. symbolic contains the values of general registers, or 0 for
	// a register that holds a number. conditions contains the conditions of jumps by name.
	symbolic   [33]expr.Node
	conditions map[string]expr.Node
	steps      *int
	loops      *loops.Tracker
	next       uint64
	inst       *code.Inst
}

type failure struct{ err error }

func (m *machine) fail(format string, args ...any) {
	panic(failure{fmt.Errorf("%s: %w", m.inst.Text, fmt.Errorf(format, args...))})
}

// Run runs the function f. stack is the initial stack pointer, which points to the slot for the return
// address. The arguments follow at higher addresses.
func Run(p *code.Program, f *code.Function, g *expr.Graph, mem *memory.Memory, stack uint64, cov *code.Coverage) (err error) {
	m := &machine{g: g, mem: mem, prog: p, cov: cov, watched: p.Watched, zero: g.Const(4, 0)}
	for i := range m.v {
		for j := range m.v[i] {
			m.v[i][j] = g.Input(4, 1<<20+i, j) // unknown initial contents
		}
	}
	for i := range sp {
		m.symbolic[i] = m.initialRegister(i)
	}
	m.conditions = map[string]expr.Node{} // the flags are unknown
	m.r[sp] = stack
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

// execute runs f from the instruction at pc to the end of the function.
func (m *machine) execute(f *code.Function, pc uint64) error {
	for ; *m.steps < m.prog.MaxSteps(); *m.steps++ {
		i := f.Insts[pc]
		if i == nil {
			return fmt.Errorf("jump to %#x, which is not an instruction of %s", pc, f.Name)
		}
		m.inst, m.next = i, i.Next
		m.cov.Reached[pc] = true
		m.trace(&m.cov.Trace.Path, pc)
		if i.Op == "ret" {
			return m.checkKeptRegisters()
		}
		d, ok := i.Decoded.(*instruction)
		if !ok {
			return i.Decoded.(error)
		}
		operands := d.args
		m.loops.Before(pc)
		if c, ok := m.symbolicCondition(operands); ok {
			return m.runBothWays(f, c, operands[len(operands)-1].constant)
		}
		m.step(operands)
		if pc == m.watched {
			m.traceState()
		}
		m.loops.Step(pc, d.effect, m.next != i.Next || d.effect.Choice && m.conditionHolds(operands[3].text))
		pc = m.next
	}
	return fmt.Errorf("%s: still running after %d instructions", f.Name, m.prog.MaxSteps())
}

// initialRegister returns the value of a general register at the beginning of the function.
func (m *machine) initialRegister(reg int) expr.Node { return m.g.Input(8, 1<<20+len(m.v), reg) }

// checkKeptRegisters returns an error if the stack pointer, a register reserved for Go (R18, R28,
// R29) or the return address in R30 has changed.
func (m *machine) checkKeptRegisters() error {
	if m.symbolic[sp] != 0 || m.r[sp] != m.stack {
		return errors.New("the stack pointer has changed")
	}
	for _, reg := range []int{18, 28, 29, 30} {
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
	m.trace(states, m.next, uint64(m.flags))
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
	for _, c := range slices.Sorted(maps.Keys(m.conditions)) {
		m.trace(states, uint64(m.conditions[c]))
	}
}

type kind uint8

const (
	immediate kind = iota
	general
	scalar  // s, d or q register
	vector  // all lanes
	element // one lane
	location
	target
	word // a condition or a shift
)

type operand struct {
	kind        kind
	reg         int
	index       int // index register of an address; −1 means none
	cells       int // number of 4-byte cells in an element
	lanes       int
	lane        int
	value       int64
	postIndexed bool // the address register changes after the access
	shift       int  // bits by which the previous operand is shifted left; negative means right
	text        string
	is32Bit     bool // a w register
	size        int  // bytes in an element of a vector
	count       int  // number of registers after the first one in a register list
	constant    uint64
}

var (
	vectorName  = regexp.MustCompile(`^v(\d+)\.(\d*)([bhsd])(?:(?:-|, )v(\d+)\.\d*[bhsd])?(?:\[(\d)\])?$`)
	scalarName  = regexp.MustCompile(`^([sdq])(\d+)$`)
	generalName = regexp.MustCompile(`^([xw])(\d+|zr)$`)
	address     = regexp.MustCompile(`^\[(x\d+|sp)(?:, #(-?\w+)|, x(\d+)(?:, lsl #(\d))?)?\]$`)
)

// Decode parses the operands of an instruction. If Decode cannot parse an operand, Run fails at the
// instruction.
func Decode(i *code.Inst) any {
	out := []operand{}
	for _, s := range splitOperands(i.Operands) {
		o, err := parseOperand(i, s)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", i.Text, code.ErrUnknown, err)
		}
		out = append(out, o)
	}
	if n := len(out); n > 1 && out[n-2].kind == location && out[n-1].kind == immediate {
		out[n-2].postIndexed, out[n-2].value = true, out[n-1].value
		out = out[:n-1]
	}
	return &instruction{out, effect(i.Op, out)}
}

// splitOperands splits operands at commas outside of brackets.
func splitOperands(s string) (out []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out, from = append(out, strings.TrimSpace(s[from:i])), i+1
			}
		}
	}
	if rest := strings.TrimSpace(s[from:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// elementCells returns the number of cells of an element. Elements of one or two bytes share a
// cell.
func elementCells(letter string) int {
	return map[string]int{"b": 1, "h": 1, "s": 1, "d": 2, "q": 4}[letter]
}

func parseOperand(i *code.Inst, s string) (o operand, err error) {
	if strings.HasPrefix(s, "{") { // a list of registers or a lane
		s = strings.NewReplacer("{", "", "}", "").Replace(s)
	}
	if x := vectorName.FindStringSubmatch(s); x != nil {
		o = operand{kind: vector, cells: elementCells(x[3])}
		o.reg, _ = strconv.Atoi(x[1])
		o.size = map[string]int{"b": 1, "h": 2, "s": 4, "d": 8}[x[3]]
		if x[4] != "" {
			last, _ := strconv.Atoi(x[4])
			o.count = (last - o.reg + 32) % 32
		}
		if x[5] != "" {
			o.kind, o.lane = element, int(x[5][0]-'0')
			return o, nil
		}
		o.lanes, _ = strconv.Atoi(x[2])
		if o.size < 4 { // cells
			o.lanes = o.lanes * o.size / 4
		}
		return o, nil
	}
	if x := scalarName.FindStringSubmatch(s); x != nil {
		o = operand{kind: scalar, cells: elementCells(x[1])}
		o.reg, _ = strconv.Atoi(x[2])
		return o, nil
	}
	if x := generalName.FindStringSubmatch(s); x != nil {
		o = operand{kind: general, reg: xzr, is32Bit: x[1] == "w"}
		if x[2] != "zr" {
			o.reg, _ = strconv.Atoi(x[2])
		}
		return o, nil
	}
	if s == "sp" {
		return operand{kind: general, reg: sp}, nil
	}
	if x := address.FindStringSubmatch(s); x != nil {
		o = operand{kind: location, reg: sp, index: -1}
		if x[1] != "sp" {
			o.reg, _ = strconv.Atoi(x[1][1:])
		}
		if x[2] != "" {
			o.value, err = parseNumber(x[2])
		}
		if x[3] != "" {
			o.index, _ = strconv.Atoi(x[3])
		}
		if x[4] != "" {
			o.shift = int(x[4][0] - '0')
		}
		return o, err
	}
	if strings.HasPrefix(s, "#") {
		o.kind = immediate
		o.value, err = parseNumber(s[1:])
		return o, err
	}
	if f := strings.Fields(s); len(f) == 2 && (f[0] == "lsl" || f[0] == "lsr") {
		o.kind = word
		if o.shift, err = strconv.Atoi(f[1][1:]); err != nil {
			return o, err
		}
		if f[0] == "lsr" {
			o.shift = -o.shift
		}
		return o, nil
	}
	if v, err := strconv.ParseUint(s, 16, 64); err == nil && (strings.HasPrefix(i.Op, "b") || strings.HasPrefix(i.Op, "cb") || strings.HasPrefix(i.Op, "tb") || i.Op == "adrp") {
		return operand{kind: target, constant: v}, nil
	}
	return operand{kind: word, text: s}, nil
}

func (m *machine) register(o operand) uint64 {
	switch o.kind {
	case immediate:
		return uint64(o.value)
	case general:
		switch {
		case o.reg == xzr:
			return 0
		case m.symbolic[o.reg] != 0:
			m.fail("%w: a register that depends on the data", code.ErrUnknown)
		case o.is32Bit:
			return m.r[o.reg] & 0xffffffff
		}
		return m.r[o.reg]
	}
	m.fail("operand: %w", code.ErrUnknown)
	return 0
}

func (m *machine) setRegister(o operand, v uint64) {
	if o.kind != general {
		m.fail("destination: %w", code.ErrUnknown)
	}
	if o.is32Bit {
		v &= 0xffffffff
	}
	if o.reg != xzr {
		m.r[o.reg], m.symbolic[o.reg] = v, 0
	}
}

// addressOf returns the address of an operand. It updates the address register of post-indexed
// operands.
func (m *machine) addressOf(o operand) uint64 {
	a := m.register(operand{kind: general, reg: o.reg})
	if o.index >= 0 && o.kind == location {
		a += m.register(operand{kind: general, reg: o.index}) << o.shift
	}
	if o.postIndexed {
		m.r[o.reg] += uint64(o.value)
		return a
	}
	return a + uint64(o.value)
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

// setVector sets the low cells (4 bytes each) of a vector register, and clears the rest of the register.
func (m *machine) setVector(reg int, cells []expr.Node) {
	for i := range m.v[reg] {
		if i < len(cells) {
			m.v[reg][i] = cells[i]
		} else {
			m.v[reg][i] = m.zero
		}
	}
}

// elementAt returns element n of a register.
func (m *machine) elementAt(reg, cells, n int) expr.Node {
	if cells == 1 {
		return m.v[reg][n]
	}
	return m.g.Join(m.v[reg][2*n], m.v[reg][2*n+1])
}

// source returns element n of an operand. If the operand is one lane, it returns this lane for
// every n.
func (m *machine) source(o operand, n int) expr.Node {
	if o.kind == element {
		n = o.lane
	}
	return m.elementAt(o.reg, o.cells, n)
}

func (m *machine) cells(n expr.Node) []expr.Node {
	if m.g.Width(n) == 4 {
		return []expr.Node{n}
	}
	low, high := m.g.Halves(n)
	return []expr.Node{low, high}
}

// mapLanes sets every lane n of dst to f(n).
func (m *machine) mapLanes(dst operand, f func(n int) expr.Node) {
	var out []expr.Node
	for n := range dst.lanes {
		out = append(out, m.cells(f(n))...)
	}
	m.setVector(dst.reg, out)
}

// conditionHolds reports whether the condition of a jump or selection holds.
func (m *machine) conditionHolds(c string) bool {
	if m.conditions != nil {
		m.fail("condition %q depends on the data: %w", c, code.ErrUnknown)
	}
	n, z, c0, v := m.flags&negative != 0, m.flags&zero != 0, m.flags&carry != 0, m.flags&overflow != 0
	switch c {
	case "eq":
		return z
	case "ne":
		return !z
	case "lt":
		return n != v
	case "ge":
		return n == v
	case "gt":
		return !z && n == v
	case "le":
		return z || n != v
	case "hi":
		return c0 && !z
	case "ls":
		return !c0 || z
	case "cs", "hs":
		return c0
	case "cc", "lo":
		return !c0
	}
	m.fail("condition %q: %w", c, code.ErrUnknown)
	return false
}

// jump records the direction of a conditional jump and jumps if it is taken.
func (m *machine) jump(taken bool, to operand) {
	m.cov.Branch(m.inst.Addr, taken)
	if taken {
		m.next = to.constant
	}
}

// parseNumber parses a signed or unsigned 64-bit integer.
func parseNumber(s string) (int64, error) {
	if v, err := strconv.ParseUint(s, 0, 64); err == nil {
		return int64(v), nil
	}
	return strconv.ParseInt(s, 0, 64)
}
