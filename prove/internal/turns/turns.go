// Package turns shows of the loops of machine code that a turn does not depend on its number.
//
// While a function runs, every general register and every slot of the stack is also kept as a linear form of the registers at the
// beginning of the present turn, for each loop that runs. At the end of a turn there are three classes
// of registers that the turn has used: those that are as they were, those that have advanced by a constant
// or by a sum of unchanged ones, and others, of which there must be none. Addresses must be linear forms of
// the two classes. A jump within the turn must depend on unchanged registers, or on data, alone. Then every
// turn is the same function of the vector registers and of what is loaded, whatever its number: its
// addresses move on by the same distance from turn to turn.
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

// Set is what an instruction does to a register: a linear form of registers, or, if it is opaque,
// something that depends on the registers of the form, on flags, or on data.
type Set struct {
	Reg           int
	Form          Form
	Opaque        bool
	OfFlags, Data bool
}

// Effect is what an instruction does to general registers and flags, and what it uses of them.
type Effect struct {
	Sets      []Set
	Addresses []Form // of memory that is read or written
	Values    []int  // registers whose values get to vectors, masks or memory
	Flags     *Set   // what flags depend on, if it sets them
	Branch    bool   // it jumps on a condition
	Of        *Set   // of a jump: what the condition depends on, if not flags
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
	first, last uint64 // instructions
	regs        [registers]form
	flags       form
	symbols     []symbol // after the registers
	addresses   []form
	values      []form
	inside      []form // conditions of jumps within the turn
	own         []form // those that end the loop
}

// Tracker follows one run of a function.
type Tracker struct {
	heads  map[uint64]uint64 // of the loops: their last jumps
	frames []*frame
	cov    *code.Coverage
}

// New returns a tracker of a function whose instructions have these effects.
func New(f *code.Function, effect func(*code.Inst) *Effect, cov *code.Coverage) *Tracker {
	t := &Tracker{heads: map[uint64]uint64{}, cov: cov}
	for _, i := range f.Order {
		if e := effect(i); e != nil && e.To != 0 && e.To <= i.Addr {
			t.heads[e.To] = max(t.heads[e.To], i.Addr)
		}
	}
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
		c.frames = append(c.frames, &g)
	}
	return &c
}

// At is called before each instruction: it begins and leaves loops.
func (t *Tracker) At(pc uint64) {
	for n := len(t.frames); n > 0; n-- {
		if f := t.frames[n-1]; pc >= f.first && pc <= f.last {
			break
		}
		t.frames = t.frames[:n-1]
	}
	last, head := t.heads[pc]
	if !head {
		return
	}
	if n := len(t.frames); n == 0 || t.frames[n-1].first != pc {
		t.frames = append(t.frames, &frame{first: pc, last: last})
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

// Step is called for each instruction, and says of a jump whether it is taken.
func (t *Tracker) Step(pc uint64, e *Effect, taken bool) {
	for n, f := range t.frames {
		f.step(pc, e)
		if e.To == 0 {
			continue
		}
		// A turn ends where the loop jumps to its beginning, or goes on behind its last jump.
		if again := e.To == f.first && taken; again || e.To == f.first && pc == f.last {
			t.end(f)
			t.frames = t.frames[:n+1]
			f.begin()
			return
		}
	}
}

func (f *frame) step(pc uint64, e *Effect) {
	for _, a := range e.Addresses {
		f.addresses = append(f.addresses, f.linear(a))
	}
	for _, r := range e.Values {
		f.values = append(f.values, f.regs[r])
	}
	if e.Branch {
		c := f.flags
		if e.Of != nil {
			c = f.value(e.Of)
		}
		if pc == f.last || e.To < f.first || e.To > f.last { // goes on, or leaves the loop
			f.own = append(f.own, c)
		} else {
			f.inside = append(f.inside, c)
		}
	}
	if len(e.Sets) == 0 && e.Flags == nil {
		return
	}
	var values [4]form
	for i := range e.Sets {
		values[i] = f.value(&e.Sets[i])
	}
	if e.Flags != nil {
		f.flags = f.value(e.Flags)
	}
	for i, s := range e.Sets {
		f.regs[s.Reg] = values[i]
	}
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
	return out
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
	if n.regs == 0 && !n.data {
		return form{}
	}
	f.symbols = append(f.symbols, n)
	return form{terms: []Term{{registers + len(f.symbols) - 1, 1}}}
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

// end judges a turn.
func (t *Tracker) end(f *frame) {
	reason := f.judge()
	l := t.cov.Loops[f.first]
	l.Turns++
	if l.Reason == "" {
		l.Reason = reason
	}
	t.cov.Loops[f.first] = l
}

// judge returns why a turn may depend on its number, or nothing.
func (f *frame) judge() string {
	var unchanged uint64
	for r, v := range f.regs {
		if len(v.terms) == 1 && v.terms[0] == (Term{r, 1}) && v.constant == 0 {
			unchanged |= 1 << r
		}
	}
	// advances reports whether a register is the same after the turn, but for a constant.
	advances := func(r int) bool {
		own := false
		for _, t := range f.regs[r].terms {
			switch {
			case t.Reg == r && t.Factor == 1:
				own = true
			case t.Reg < registers && unchanged>>t.Reg&1 == 0:
				return false
			case t.Reg >= registers:
				if s := f.symbols[t.Reg-registers]; s.data || s.regs&^unchanged != 0 {
					return false
				}
			}
		}
		return own
	}
	constant := func(v form) bool {
		s := f.depends(v)
		return s.data || s.regs&^unchanged == 0
	}
	for _, what := range []struct {
		name  string
		forms []form
	}{{"an address", f.addresses}, {"the number of turns", f.own}} {
		for _, v := range what.forms {
			for _, t := range v.terms {
				if t.Reg < registers && !advances(t.Reg) {
					return fmt.Sprintf("%s depends on register %d, which does not advance by a constant", what.name, t.Reg)
				}
				if t.Reg >= registers && !constant(form{terms: []Term{t}}) {
					return what.name + " is no linear form of registers"
				}
			}
		}
	}
	for _, v := range f.inside {
		if !constant(v) {
			return "a jump within the turn depends on registers that change"
		}
	}
	for _, v := range f.values {
		if !constant(v) {
			return "the value of a register that changes gets to a vector, a mask or memory"
		}
	}
	return ""
}
