// Package arm64 runs machine code of AArch64 with Advanced SIMD (NEON) on symbolic data.
//
// The instructions are those that GNU objdump prints. Addresses, sizes and branches are concrete
// numbers. The contents of vector registers and of the kernel's operands in memory are expressions.
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
	"github.com/gomonge/monge/prove/internal/memory"
	"github.com/gomonge/monge/prove/internal/turns"
)

// sp is the number of the stack pointer among the registers, and xzr that of the zero.
const (
	sp  = 31
	xzr = 32
)

type machine struct {
	g       *expr.Graph
	mem     *memory.Memory
	prog    *code.Program
	stack   uint64 // the stack pointer at the beginning
	watched uint64 // address of the traced instruction; 0 means no trace
	cov     *code.Coverage
	zero    expr.Node

	r     [33]uint64
	v     [32][4]expr.Node // cells of 4 bytes
	flags flags
	// What depends on the data: integers of registers (0 if a register holds a number), and
	// conditions of jumps by their names.
	data       [33]expr.Node
	conditions map[string]expr.Node
	steps      *int
	turns      *turns.Tracker
	next       uint64
	inst       *code.Inst
}

type failure struct{ err error }

func (m *machine) fail(format string, args ...any) {
	panic(failure{fmt.Errorf("%s: %w", m.inst.Text, fmt.Errorf(format, args...))})
}

// Run calls a function whose arguments lie at stack, which is the address of the slot of the
// return address.
func Run(p *code.Program, f *code.Function, g *expr.Graph, mem *memory.Memory, stack uint64, cov *code.Coverage) (err error) {
	m := &machine{g: g, mem: mem, prog: p, cov: cov, watched: p.Watched, zero: g.Const(4, 0)}
	for i := range m.v {
		for j := range m.v[i] {
			m.v[i][j] = g.Input(4, 1<<20+i, j) // whatever was there before
		}
	}
	for i := range sp {
		m.data[i] = m.before(i)
	}
	m.conditions = map[string]expr.Node{} // nothing is known of the flags
	m.r[sp] = stack
	m.stack = stack
	m.steps = new(int)
	m.turns = turns.New(f, effectOf, cov)
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

// execute runs f from an instruction on to its end.
func (m *machine) execute(f *code.Function, pc uint64) error {
	for ; *m.steps < m.prog.Most(); *m.steps++ {
		i := f.Insts[pc]
		if i == nil {
			return fmt.Errorf("jump to %#x, which is no instruction of %s", pc, f.Name)
		}
		m.inst, m.next = i, i.Next
		m.cov.Reached[pc] = true
		m.trace(&m.cov.Trace.Path, pc)
		if i.Op == "ret" {
			return m.kept()
		}
		d, ok := i.Decoded.(*instruction)
		if !ok {
			return i.Decoded.(error)
		}
		operands := d.args
		m.turns.At(pc)
		if c, ok := m.dataCondition(operands); ok {
			return m.both(f, c, operands[len(operands)-1].constant)
		}
		m.step(operands)
		if pc == m.watched {
			m.traceState()
		}
		m.turns.Step(pc, d.effect, m.next != i.Next || d.effect.Choice && m.condition(operands[3].text))
		pc = m.next
	}
	return fmt.Errorf("%s: no end after %d instructions", f.Name, m.prog.Most())
}

// before returns the contents of a general register at the beginning of the function.
func (m *machine) before(reg int) expr.Node { return m.g.Input(8, 1<<20+len(m.v), reg) }

// kept returns an error unless the stack pointer, the registers reserved for Go (R18, R28, R29) and
// the return address R30 are unchanged.
func (m *machine) kept() error {
	if m.data[sp] != 0 || m.r[sp] != m.stack {
		return errors.New("the stack pointer is not what it was")
	}
	for _, reg := range []int{18, 28, 29, 30} {
		if m.data[reg] != m.before(reg) {
			return fmt.Errorf("register %d is Go's, and not what it was", reg)
		}
	}
	return nil
}

// trace adds numbers to a part of the trace, if there is to be one.
func (m *machine) trace(part *[]uint64, v ...uint64) {
	if m.watched != 0 {
		*part = append(*part, v...)
	}
}

// traceState adds all registers and flags to the trace.
func (m *machine) traceState() {
	states := &m.cov.Trace.States
	m.trace(states, m.next, uint64(m.flags))
	for i, r := range m.r {
		if m.data[i] != 0 {
			r = 0
		}
		m.trace(states, r, uint64(m.data[i]))
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
	word // a condition, or a shift
)

type operand struct {
	kind     kind
	reg      int
	index    int // of an address; −1: none
	cells    int // of an element
	lanes    int
	lane     int
	value    int64
	post     bool // the address is changed afterwards
	shift    int  // of the operand before; negative to the right
	text     string
	narrow   bool // w register
	size     int  // bytes of an element of a vector
	count    int  // of registers in a list, beyond the first
	constant uint64
}

var (
	vectorName  = regexp.MustCompile(`^v(\d+)\.(\d*)([bhsd])(?:(?:-|, )v(\d+)\.\d*[bhsd])?(?:\[(\d)\])?$`)
	scalarName  = regexp.MustCompile(`^([sdq])(\d+)$`)
	generalName = regexp.MustCompile(`^([xw])(\d+|zr)$`)
	address     = regexp.MustCompile(`^\[(x\d+|sp)(?:, #(-?\w+)|, x(\d+)(?:, lsl #(\d))?)?\]$`)
)

// Decode reads the operands of an instruction. Its result is for Run: what cannot be read is
// an error when it is run.
func Decode(i *code.Inst) any {
	out := []operand{}
	for _, s := range split(i.Operands) {
		o, err := parse(i, s)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", i.Text, code.ErrUnknown, err)
		}
		out = append(out, o)
	}
	if n := len(out); n > 1 && out[n-2].kind == location && out[n-1].kind == immediate {
		out[n-2].post, out[n-2].value = true, out[n-1].value
		out = out[:n-1]
	}
	return &instruction{out, effect(i.Op, out)}
}

// split cuts operands at commas outside of brackets.
func split(s string) (out []string) {
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

// cellsOf returns the cells of an element. Elements of one or two bytes share a cell.
func cellsOf(letter string) int {
	return map[string]int{"b": 1, "h": 1, "s": 1, "d": 2, "q": 4}[letter]
}

func parse(i *code.Inst, s string) (o operand, err error) {
	if strings.HasPrefix(s, "{") { // a list of registers, or one lane of a register
		s = strings.NewReplacer("{", "", "}", "").Replace(s)
	}
	if x := vectorName.FindStringSubmatch(s); x != nil {
		o = operand{kind: vector, cells: cellsOf(x[3])}
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
		o = operand{kind: scalar, cells: cellsOf(x[1])}
		o.reg, _ = strconv.Atoi(x[2])
		return o, nil
	}
	if x := generalName.FindStringSubmatch(s); x != nil {
		o = operand{kind: general, reg: xzr, narrow: x[1] == "w"}
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
			o.value, err = number(x[2])
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
		o.value, err = number(s[1:])
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

func (m *machine) get(o operand) uint64 {
	switch o.kind {
	case immediate:
		return uint64(o.value)
	case general:
		switch {
		case o.reg == xzr:
			return 0
		case m.data[o.reg] != 0:
			m.fail("%w: a register that depends on the data", code.ErrUnknown)
		case o.narrow:
			return m.r[o.reg] & 0xffffffff
		}
		return m.r[o.reg]
	}
	m.fail("operand: %w", code.ErrUnknown)
	return 0
}

func (m *machine) set(o operand, v uint64) {
	if o.kind != general {
		m.fail("destination: %w", code.ErrUnknown)
	}
	if o.narrow {
		v &= 0xffffffff
	}
	if o.reg != xzr {
		m.r[o.reg], m.data[o.reg] = v, 0
	}
}

// locate returns the address of an operand, and changes its register if it says so.
func (m *machine) locate(o operand) uint64 {
	a := m.get(operand{kind: general, reg: o.reg})
	if o.index >= 0 && o.kind == location {
		a += m.get(operand{kind: general, reg: o.index}) << o.shift
	}
	if o.post {
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

// put sets a vector register, and clears what cells do not reach.
func (m *machine) put(reg int, cells []expr.Node) {
	for i := range m.v[reg] {
		if i < len(cells) {
			m.v[reg][i] = cells[i]
		} else {
			m.v[reg][i] = m.zero
		}
	}
}

// at returns element n of a register.
func (m *machine) at(reg, cells, n int) expr.Node {
	if cells == 1 {
		return m.v[reg][n]
	}
	return m.g.Join(m.v[reg][2*n], m.v[reg][2*n+1])
}

// source returns element n of an operand, which for a single lane is always that lane.
func (m *machine) source(o operand, n int) expr.Node {
	if o.kind == element {
		n = o.lane
	}
	return m.at(o.reg, o.cells, n)
}

func (m *machine) cells(n expr.Node) []expr.Node {
	if m.g.Width(n) == 4 {
		return []expr.Node{n}
	}
	low, high := m.g.Halves(n)
	return []expr.Node{low, high}
}

// lanes sets dst, lane by lane.
func (m *machine) lanes(dst operand, f func(n int) expr.Node) {
	var out []expr.Node
	for n := range dst.lanes {
		out = append(out, m.cells(f(n))...)
	}
	m.put(dst.reg, out)
}

// condition reports whether the condition of a jump or a selection holds.
func (m *machine) condition(c string) bool {
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

// branch jumps if taken, and notes it.
func (m *machine) branch(taken bool, to operand) {
	m.cov.Branch(m.inst.Addr, taken)
	if taken {
		m.next = to.constant
	}
}

// number reads an integer of 64 bits, with a sign or without.
func number(s string) (int64, error) {
	if v, err := strconv.ParseUint(s, 0, 64); err == nil {
		return int64(v), nil
	}
	return strconv.ParseInt(s, 0, 64)
}
