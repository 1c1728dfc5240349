// Package turns shows of the loops of machine code that a turn does not depend on its number.
//
// While a function runs, every general register and every slot of the stack is also kept as a linear form of the
// registers at the beginning of the present turn, for each loop that runs. At the end of a turn a register is settled if
// it is as it was, has advanced by a sum of constants and of registers that are as they were, or is a linear form of
// such registers. Addresses must be linear forms of settled registers, and so must comparisons by which the turn goes one
// way or another, and by which the loop ends. Then turns that go the same way are the same function of the vector
// registers and of what is loaded, whatever their number: their addresses move on by the same distance from turn to turn.
// A turn that no other follows is like what comes after the loop: it may depend on what is left.
//
// If constants decide how many turns a loop makes, nothing is to be shown of it: all of its turns run in every case that
// comes to it on this way. Constants are those within a turn of the loop around it, or within the function.
package turns

import (
	"fmt"
	"slices"

	"github.com/gomonge/monge/prove/internal/code"
)

// Slot returns the register that stands for the 8 bytes of the stack from an offset on, in a machine of
// so many general registers. ok is false if there is none.
func Slot(general int, offset int64) (reg int, ok bool) {
	reg = general + int(offset/8)
	return reg, offset >= 0 && offset%8 == 0 && reg < registers
}

// Term is a multiple of a register.
type Term struct {
	Reg    int
	Factor int64
}

// Form is a sum of multiples of registers and a constant.
type Form struct {
	Terms    []Term
	Constant int64
}

// Set is the effect of an instruction on a register: a linear form of registers, or, if it is
// opaque, an unknown value that depends on the registers of the form, on flags, or on data.
type Set struct {
	Reg           int
	Form          Form
	Opaque        bool
	OfFlags, Data bool
	Else          *Form // of a conditional move: what the register is if the condition does not hold
	Plus          *Form // of an opaque value: what is added to it
}

// Effect is what an instruction does to general registers and flags, and what it uses of them.
type Effect struct {
	Sets      []Set
	Addresses []Form // of memory that is read or written
	Values    []int  // registers whose values get to vectors, masks or memory
	Flags     *Set   // what flags depend on, if it sets them
	Branch    bool   // it jumps on a condition
	Of        *Set   // of a jump: what the condition depends on, if not flags
	Choice    bool   // it is a conditional move
	To        uint64 // of a jump, conditional or not
}

// A symbol is a register at the beginning of the turn, or an opaque value, which depends on such
// registers, and on data.
type symbol struct {
	regs uint64
	data bool
}

// registers are the general ones and, behind them, slots of the stack.
const registers = 64

type form struct {
	terms    []Term // Reg is the number of a symbol
	constant int64
}

// frame is a loop that runs.
type frame struct {
	*loop
	regs      [registers]form
	flags     form
	symbols   []symbol // after the registers
	outer     *frame   // the loop around it, or the function
	addresses []use
	values    []use
	inside    []use // conditions of jumps within the turn, and of conditional moves
	own       []use // those of jumps that end the loop
	turns     int
	before    verdict // on the turn before
}

// use is what an instruction has used, and which way it has gone, if it had a choice.
type use struct {
	at    uint64
	value form
	yes   bool
	fixed bool // it is a constant in a turn of the loop around
}

// verdict contains the way of a turn and the reason why it may depend on its number. fixed says
// that constants decide whether another one follows.
type verdict struct {
	way, reason string
	fixed       bool
}

// Tracker follows one run of a function.
type Tracker struct {
	loops  map[uint64]*loop // by their first instructions
	frames []*frame         // the first is the function
	cov    *code.Coverage
}

// New returns a tracker of a function whose instructions have these effects.
func New(f *code.Function, effect func(*code.Inst) *Effect, cov *code.Coverage) *Tracker {
	t := &Tracker{loops: loopsOf(f, effect), frames: []*frame{{loop: &loop{}}}, cov: cov}
	t.frames[0].begin()
	return t
}

// Clone returns a copy, for another way of a branch.
func (t *Tracker) Clone() *Tracker {
	c := *t
	c.frames = nil
	for _, f := range t.frames {
		g := *f
		g.symbols = slices.Clone(f.symbols)
		g.addresses, g.values, g.inside, g.own = slices.Clone(f.addresses), slices.Clone(f.values), slices.Clone(f.inside), slices.Clone(f.own)
		if n := len(c.frames); n > 0 {
			g.outer = c.frames[n-1]
		}
		c.frames = append(c.frames, &g)
	}
	return &c
}

// At is called before each instruction: it begins and leaves loops.
func (t *Tracker) At(pc uint64) {
	for n := len(t.frames); n > 1 && !t.frames[n-1].has[pc]; n-- {
		t.frames = t.frames[:n-1]
	}
	l := t.loops[pc]
	if l == nil {
		return
	}
	if n := len(t.frames); t.frames[n-1].loop != l {
		t.frames = append(t.frames, &frame{loop: l, outer: t.frames[n-1]})
		t.frames[n].begin()
	}
}

// begin makes the registers symbols.
func (f *frame) begin() {
	for r := range f.regs {
		f.regs[r] = form{terms: []Term{{r, 1}}}
	}
	f.flags, f.symbols = form{}, f.symbols[:0]
	f.addresses, f.values, f.inside, f.own = f.addresses[:0], f.values[:0], f.inside[:0], f.own[:0]
}

// Step is called for each instruction, and says of a jump whether it is taken, and of a conditional move
// whether its condition holds.
func (t *Tracker) Step(pc uint64, e *Effect, taken bool) {
	for n, f := range t.frames {
		f.step(pc, e, taken)
		if e.To == 0 {
			continue
		}
		// A turn ends where the loop jumps to its beginning, or goes on behind its last jump.
		if e.To == f.first && taken || !taken && f.ends[pc] {
			t.end(f)
			t.frames = t.frames[:n+1]
			f.begin()
			return
		}
	}
}

func (f *frame) step(pc uint64, e *Effect, taken bool) {
	for _, a := range e.Addresses {
		f.addresses = append(f.addresses, use{at: pc, value: f.linear(a)})
	}
	for _, r := range e.Values {
		f.values = append(f.values, use{at: pc, value: f.regs[r]})
	}
	if f.outer == nil {
		f.addresses, f.values = nil, nil // the function is no loop: its values are enough
	}
	if e.Branch && f.outer != nil {
		u := use{pc, f.condition(e), taken, f.outer.constant(f.outer.condition(e))}
		if f.exits[pc] {
			f.own = append(f.own, u)
		} else {
			f.inside = append(f.inside, u)
		}
	}
	if e.Choice && f.outer != nil {
		f.inside = append(f.inside, use{at: pc, value: f.flags, yes: taken})
	}
	if len(e.Sets) == 0 && e.Flags == nil {
		return
	}
	var values [4]form
	for i := range e.Sets {
		if set := &e.Sets[i]; e.Choice && !taken {
			values[i] = f.linear(*set.Else)
		} else {
			values[i] = f.value(set)
		}
	}
	if e.Flags != nil {
		f.flags = f.value(e.Flags)
	}
	for i, s := range e.Sets {
		f.regs[s.Reg] = values[i]
	}
}

// condition returns what a jump depends on.
func (f *frame) condition(e *Effect) form {
	if e.Of != nil {
		return f.value(e.Of)
	}
	return f.flags
}

// linear returns a form of registers as one of symbols.
func (f *frame) linear(a Form) form {
	out := form{constant: a.Constant}
	for _, t := range a.Terms {
		v := f.regs[t.Reg]
		out.constant += t.Factor * v.constant
		for _, s := range v.terms {
			out.add(s.Reg, t.Factor*s.Factor)
		}
	}
	if len(out.terms) > mostTerms {
		f.symbols = append(f.symbols, f.depends(out))
		return form{terms: []Term{{registers + len(f.symbols) - 1, 1}}}
	}
	return out
}

// mostTerms is how long a form may be. A longer one becomes a symbol.
const mostTerms = 40

// constant reports whether a form is of constants alone, known or not.
func (f *frame) constant(v form) bool {
	s := f.depends(v)
	return s.regs == 0 && !s.data
}

func (a *form) add(symbol int, factor int64) {
	for i := range a.terms {
		if a.terms[i].Reg == symbol {
			if a.terms[i].Factor += factor; a.terms[i].Factor == 0 {
				a.terms = slices.Delete(a.terms, i, i+1)
			}
			return
		}
	}
	a.terms = append(a.terms, Term{symbol, factor})
}

// value returns what an instruction makes of registers.
func (f *frame) value(s *Set) form {
	v := f.linear(s.Form)
	if !s.Opaque {
		return v
	}
	n := symbol{data: s.Data}
	for _, t := range s.Form.Terms { // term by term: what cancels in a sum counts here
		r := f.depends(f.regs[t.Reg])
		n.regs, n.data = n.regs|r.regs, n.data || r.data
	}
	if s.OfFlags {
		r := f.depends(f.flags)
		n.regs, n.data = n.regs|r.regs, n.data || r.data
	}
	f.symbols = append(f.symbols, n)
	v = form{terms: []Term{{registers + len(f.symbols) - 1, 1}}}
	if s.Plus != nil {
		sum := f.linear(*s.Plus)
		sum.add(v.terms[0].Reg, 1)
		return sum
	}
	return v
}

// depends returns what a form depends on.
func (f *frame) depends(v form) (s symbol) {
	for _, t := range v.terms {
		if t.Reg < registers {
			s.regs |= 1 << t.Reg
		} else {
			o := f.symbols[t.Reg-registers]
			s.regs, s.data = s.regs|o.regs, s.data || o.data
		}
	}
	return s
}

// end judges a turn. The verdict counts when another turn has followed.
func (t *Tracker) end(f *frame) {
	l := t.cov.Loops[f.first]
	if f.turns++; f.turns > 1 {
		l.Follow(f.before.way, f.before.reason, f.before.fixed)
	}
	l.Turns++
	l.Most = max(l.Most, f.turns)
	t.cov.Loops[f.first] = l
	f.before = f.judge()
}

// judge returns the way of a turn and the reason why it may depend on its number, if it may.
func (f *frame) judge() (v verdict) {
	s := f.settle()
	v.fixed = len(f.own) > 0 && !slices.ContainsFunc(f.own, func(u use) bool { return !u.fixed })
	var way []byte
	for _, c := range f.inside {
		if !s.same(c.value) {
			way = fmt.Appendf(way, "%x %v ", c.at, c.yes)
		}
	}
	v.way = string(way)
	for _, what := range []struct {
		name string
		uses []use
	}{{"an address", f.addresses}, {"the number of turns", f.own}, {"the way through a turn", f.inside}} {
		for _, u := range what.uses {
			if why := s.linear(u.value); why != "" {
				v.reason = fmt.Sprintf("%s at %x %s", what.name, u.at, why)
				return v
			}
		}
	}
	for _, u := range f.values {
		if !s.same(u.value) && !s.of(u.value.terms, s.unchanged|s.data) {
			v.reason = fmt.Sprintf("the value of a register that changes gets to a vector, a mask or memory at %x", u.at)
		}
	}
	return v
}

// settled are the registers of which the value in the next turn is known from that in this one.
type settled struct {
	*frame
	unchanged uint64
	all       uint64 // and those that advance, or are linear forms of both
	data      uint64 // those that are data: what a turn does with them is the same, as with vector registers
}

func (f *frame) settle() (s settled) {
	s.frame = f
	for r, v := range f.regs {
		if len(v.terms) == 1 && v.terms[0] == (Term{r, 1}) && v.constant == 0 {
			s.unchanged |= 1 << r
		}
	}
	advance := s.unchanged
	for r, v := range f.regs {
		if own := slices.Index(v.terms, Term{r, 1}); own >= 0 && s.of(slices.Delete(slices.Clone(v.terms), own, own+1), s.unchanged) {
			advance |= 1 << r
		}
	}
	s.all = advance
	for r, v := range f.regs {
		if s.of(v.terms, advance) {
			s.all |= 1 << r
		}
		if o := s.depends(v); len(v.terms) == 1 && o.data && o.regs&^(s.unchanged|1<<r) == 0 {
			s.data |= 1 << r
		}
	}
	return s
}

// of reports whether terms are of these registers, and of values that are the same in every turn.
func (s settled) of(terms []Term, regs uint64) bool {
	for _, t := range terms {
		if t.Reg < registers && regs>>t.Reg&1 == 0 {
			return false
		}
		if t.Reg >= registers {
			if o := s.symbols[t.Reg-registers]; o.data || o.regs&^s.unchanged != 0 {
				return false
			}
		}
	}
	return true
}

// same reports whether a value is the same in every turn, but for what it depends on data.
func (s settled) same(v form) bool {
	o := s.depends(v)
	return o.data || o.regs&^s.unchanged == 0
}

// linear returns why a value is no linear form of settled registers and of what data select, or nothing.
func (s settled) linear(v form) string {
	for _, t := range v.terms {
		if t.Reg < registers && s.all>>t.Reg&1 == 0 {
			return fmt.Sprintf("depends on register %d, which does not advance by a constant", t.Reg)
		}
		if t.Reg >= registers && !s.same(form{terms: []Term{t}}) {
			return "is no linear form of registers"
		}
	}
	return ""
}
