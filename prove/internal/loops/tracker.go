// Package loops shows that the iterations of loops in machine code do not depend on the iteration
// number.
//
// While a function runs, a Tracker computes a linear form for every general register and every
// stack slot, for each active loop. The variables of the form are the registers at the beginning of
// the current iteration. At the end of an iteration, a register is settled in three cases: the
// register has not changed; it has advanced by a sum of constants and unchanged registers; or it is
// a linear form of unchanged and advancing registers. Addresses must be linear forms of settled
// registers. Comparisons that select the path through the iteration or end the loop must be linear
// forms of settled registers, too. Then all iterations on the same path compute the same function
// of the vector registers and the loaded data, and every address advances by the same distance in
// each iteration. The last iteration may differ: it is treated like the code after the loop.
//
// If constants decide the number of iterations, nothing has to be shown: every case that reaches
// the loop on this path runs all of its iterations. A value is constant if it does not depend on
// the data or on registers at the beginning of the enclosing iteration or function.
package loops

import (
	"fmt"
	"slices"

	"github.com/gomonge/monge/prove/internal/code"
)

// Slot returns the register number that represents the 8 stack bytes at an offset. general is the
// number of general registers of the machine. ok is false if no number represents these bytes.
func Slot(general int, offset int64) (reg int, ok bool) {
	reg = general + int(offset/8)
	return reg, offset >= 0 && offset%8 == 0 && reg < registers
}

// Term is a multiple of a register.
type Term struct {
	Reg    int
	Factor int64
}

// Form is a linear form: Constant plus a sum of multiples of registers.
type Form struct {
	Terms    []Term
	Constant int64
}

// Set is the effect of an instruction on a register. If Opaque is false, the new value is the
// linear form in Form. If Opaque is true, the new value is an unknown function of the registers in
// Form. If OfFlags or Data is true, the value also depends on the flags or on data.
type Set struct {
	Reg           int
	Form          Form
	Opaque        bool
	OfFlags, Data bool
	Else          *Form // the value of a conditional move if its condition does not hold
	Plus          *Form // if not nil, linear form that is added to the unknown function; see Opaque
}

// Effect describes how an instruction uses and changes general registers and flags.
type Effect struct {
	Sets      []Set
	Addresses []Form // of loads and stores
	Values    []int  // registers whose values are copied to vectors, masks or memory
	Flags     *Set   // the value that determines the flags; nil if the instruction does not set flags
	Branch    bool   // a conditional jump
	Condition *Set   // value that determines the condition of a jump; nil if the flags determine it
	Choice    bool   // a conditional move
	Target    uint64 // target of a conditional or unconditional jump
}

// symbol is a variable of the linear forms: a register at the beginning of the iteration, or an
// unknown value that depends on registers and data.
type symbol struct {
	regs uint64
	data bool
}

// registers is the number of general registers and stack slots. Slot numbers follow the numbers of
// the general registers.
const registers = 64

type form struct {
	terms    []Term // the Reg of each Term is the index of a symbol
	constant int64
}

// frame is an active loop, or the whole function as the outermost frame.
type frame struct {
	*loop
	regs            [registers]form
	flags           form
	symbols         []symbol // unknown values; a Term with Reg = registers + i is a multiple of symbols[i]
	outer           *frame   // the enclosing loop or the function
	addresses       []use
	values          []use
	innerConditions []use // conditions of jumps within the iteration and of conditional moves
	exitConditions  []use // conditions of jumps that end the loop
	iterations      int
	lastVerdict     verdict // of the previous iteration
}

// use is a value that an instruction used.
type use struct {
	at    uint64
	value form
	taken bool
	fixed bool // constant within an iteration of the enclosing loop
}

// verdict describes one iteration: its path, and the reason why its instructions may depend on the
// iteration number. The reason is empty if they do not. fixed says that constants decide whether
// another iteration follows.
type verdict struct {
	path, reason string
	fixed        bool
}

// Tracker follows one run of a function.
type Tracker struct {
	loops  map[uint64]*loop // by the address of the first instruction
	frames []*frame         // the function, then the active loops from the outermost to the innermost
	cov    *code.Coverage
}

// New returns a tracker for a function. effect returns the effects of its instructions.
func New(f *code.Function, effect func(*code.Inst) *Effect, cov *code.Coverage) *Tracker {
	t := &Tracker{loops: loopsOf(f, effect), frames: []*frame{{loop: &loop{}}}, cov: cov}
	t.frames[0].beginIteration()
	return t
}

// Clone returns an independent copy of t. At a branch, t and the copy follow different directions.
func (t *Tracker) Clone() *Tracker {
	c := *t
	c.frames = nil
	for _, f := range t.frames {
		g := *f
		g.symbols = slices.Clone(f.symbols)
		g.addresses, g.values, g.innerConditions, g.exitConditions = slices.Clone(f.addresses), slices.Clone(f.values), slices.Clone(f.innerConditions), slices.Clone(f.exitConditions)
		if n := len(c.frames); n > 0 {
			g.outer = c.frames[n-1]
		}
		c.frames = append(c.frames, &g)
	}
	return &c
}

// Before must be called before each instruction. It detects when the program enters or leaves a loop.
func (t *Tracker) Before(pc uint64) {
	for n := len(t.frames); n > 1 && !t.frames[n-1].body[pc]; n-- {
		t.frames = t.frames[:n-1]
	}
	l := t.loops[pc]
	if l == nil {
		return
	}
	if n := len(t.frames); t.frames[n-1].loop != l {
		t.frames = append(t.frames, &frame{loop: l, outer: t.frames[n-1]})
		t.frames[n].beginIteration()
	}
}

// beginIteration makes the value of every register a new symbol.
func (f *frame) beginIteration() {
	for r := range f.regs {
		f.regs[r] = form{terms: []Term{{r, 1}}}
	}
	f.flags, f.symbols = form{}, f.symbols[:0]
	f.addresses, f.values, f.innerConditions, f.exitConditions = f.addresses[:0], f.values[:0], f.innerConditions[:0], f.exitConditions[:0]
}

// Step records the effect of an instruction that has run. taken reports whether the instruction is
// a taken jump or a conditional move whose condition holds.
func (t *Tracker) Step(pc uint64, e *Effect, taken bool) {
	for n, f := range t.frames {
		f.step(pc, e, taken)
		if e.Target == 0 {
			continue
		}
		// An iteration ends at a taken jump to the first instruction. It also ends at an untaken
		// jump to the first instruction if execution then leaves the loop.
		if e.Target == f.first && taken || !taken && f.iterationEnds[pc] {
			t.endIteration(f)
			t.frames = t.frames[:n+1]
			f.beginIteration()
			return
		}
	}
}

func (f *frame) step(pc uint64, e *Effect, taken bool) {
	for _, a := range e.Addresses {
		f.addresses = append(f.addresses, use{at: pc, value: f.inSymbols(a)})
	}
	for _, r := range e.Values {
		f.values = append(f.values, use{at: pc, value: f.regs[r]})
	}
	if f.outer == nil {
		f.addresses, f.values = nil, nil // The outermost frame is not a loop, so only its registers matter.
	}
	if e.Branch && f.outer != nil {
		u := use{pc, f.condition(e), taken, f.outer.isConstant(f.outer.condition(e))}
		if f.exits[pc] {
			f.exitConditions = append(f.exitConditions, u)
		} else {
			f.innerConditions = append(f.innerConditions, u)
		}
	}
	if e.Choice && f.outer != nil {
		f.innerConditions = append(f.innerConditions, use{at: pc, value: f.flags, taken: taken})
	}
	if len(e.Sets) == 0 && e.Flags == nil {
		return
	}
	var values [4]form
	for i := range e.Sets {
		if set := &e.Sets[i]; e.Choice && !taken {
			values[i] = f.inSymbols(*set.Else)
		} else {
			values[i] = f.resultOf(set)
		}
	}
	if e.Flags != nil {
		f.flags = f.resultOf(e.Flags)
	}
	for i, s := range e.Sets {
		f.regs[s.Reg] = values[i]
	}
}

// condition returns the value that a jump depends on.
func (f *frame) condition(e *Effect) form {
	if e.Condition != nil {
		return f.resultOf(e.Condition)
	}
	return f.flags
}

// inSymbols replaces the registers in the linear form a by their values, which are linear forms of
// symbols (unknown values).
func (f *frame) inSymbols(a Form) form {
	out := form{constant: a.Constant}
	for _, t := range a.Terms {
		v := f.regs[t.Reg]
		out.constant += t.Factor * v.constant
		for _, s := range v.terms {
			out.addTerm(s.Reg, t.Factor*s.Factor)
		}
	}
	if len(out.terms) > mostTerms {
		f.symbols = append(f.symbols, f.dependencies(out))
		return form{terms: []Term{{registers + len(f.symbols) - 1, 1}}}
	}
	return out
}

// mostTerms is the maximum number of terms in a linear form. A longer form is replaced by a symbol,
// which stands for an unknown value.
const mostTerms = 40

// isConstant reports whether the linear form v depends neither on registers nor on data.
func (f *frame) isConstant(v form) bool {
	s := f.dependencies(v)
	return s.regs == 0 && !s.data
}

func (a *form) addTerm(symbol int, factor int64) {
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

// resultOf returns the value that an instruction sets.
func (f *frame) resultOf(s *Set) form {
	v := f.inSymbols(s.Form)
	if !s.Opaque {
		return v
	}
	n := symbol{data: s.Data}
	for _, t := range s.Form.Terms { // do not add up the terms: the result depends even on registers that cancel in the sum
		r := f.dependencies(f.regs[t.Reg])
		n.regs, n.data = n.regs|r.regs, n.data || r.data
	}
	if s.OfFlags {
		r := f.dependencies(f.flags)
		n.regs, n.data = n.regs|r.regs, n.data || r.data
	}
	f.symbols = append(f.symbols, n)
	v = form{terms: []Term{{registers + len(f.symbols) - 1, 1}}}
	if s.Plus != nil {
		sum := f.inSymbols(*s.Plus)
		sum.addTerm(v.terms[0].Reg, 1)
		return sum
	}
	return v
}

// dependencies returns the registers that a form depends on, and whether the form depends on data.
func (f *frame) dependencies(v form) (s symbol) {
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

// endIteration computes the verdict on the iteration that ends. It also records the verdict on the
// previous iteration, because the previous iteration was not the last iteration of the loop.
func (t *Tracker) endIteration(f *frame) {
	l := t.cov.Loops[f.first]
	if f.iterations++; f.iterations > 1 {
		l.AddIteration(f.lastVerdict.path, f.lastVerdict.reason, f.lastVerdict.fixed)
	}
	l.Iterations++
	l.MaxIterations = max(l.MaxIterations, f.iterations)
	t.cov.Loops[f.first] = l
	f.lastVerdict = f.judge()
}

// judge returns the path that the latest iteration took, and the reason, if any, why an iteration may depend on the
// iteration number.
func (f *frame) judge() (v verdict) {
	s := f.settledFrame()
	v.fixed = len(f.exitConditions) > 0 && !slices.ContainsFunc(f.exitConditions, func(u use) bool { return !u.fixed })
	var way []byte
	for _, c := range f.innerConditions {
		if !s.sameEachIteration(c.value) {
			way = fmt.Appendf(way, "%x %v ", c.at, c.taken)
		}
	}
	v.path = string(way)
	for _, what := range []struct {
		name string
		uses []use
	}{{"an address", f.addresses}, {"the number of iterations", f.exitConditions}, {"the path through an iteration", f.innerConditions}} {
		for _, u := range what.uses {
			if why := s.whyNotLinear(u.value); why != "" {
				v.reason = fmt.Sprintf("%s at %x %s", what.name, u.at, why)
				return v
			}
		}
	}
	for _, u := range f.values {
		if !s.sameEachIteration(u.value) && !s.dependsOnlyOn(u.value.terms, s.unchanged|s.dependOnData) {
			v.reason = fmt.Sprintf("a register that changes is copied to a vector, a mask or memory at %x", u.at)
		}
	}
	return v
}

// settled holds the registers whose value in the next iteration is known from their value in this iteration.
// Its fields are bit sets of registers.
type settled struct {
	*frame
	unchanged    uint64
	linear       uint64 // registers that are linear forms of unchanged and advancing registers
	dependOnData uint64 // registers with values that depend on the data; the analysis treats them like vector registers
}

func (f *frame) settledFrame() (s settled) {
	s.frame = f
	for r, v := range f.regs {
		if len(v.terms) == 1 && v.terms[0] == (Term{r, 1}) && v.constant == 0 {
			s.unchanged |= 1 << r
		}
	}
	advance := s.unchanged
	for r, v := range f.regs {
		if own := slices.Index(v.terms, Term{r, 1}); own >= 0 && s.dependsOnlyOn(slices.Delete(slices.Clone(v.terms), own, own+1), s.unchanged) {
			advance |= 1 << r
		}
	}
	s.linear = advance
	for r, v := range f.regs {
		if s.dependsOnlyOn(v.terms, advance) {
			s.linear |= 1 << r
		}
		if o := s.dependencies(v); len(v.terms) == 1 && o.data && o.regs&^(s.unchanged|1<<r) == 0 {
			s.dependOnData |= 1 << r
		}
	}
	return s
}

// dependsOnlyOn reports whether terms consist of the given registers and of values that are the
// same in every iteration.
func (s settled) dependsOnlyOn(terms []Term, regs uint64) bool {
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

// sameEachIteration reports whether a value depends only on registers that no iteration
// changes. It also returns true for every value that depends on data.
func (s settled) sameEachIteration(v form) bool {
	o := s.dependencies(v)
	return o.data || o.regs&^s.unchanged == 0
}

// whyNotLinear returns "" if v is a linear form of values that sameEachIteration accepts, and of
// registers that change by the same amount in every iteration. Otherwise it returns a reason.
func (s settled) whyNotLinear(v form) string {
	for _, t := range v.terms {
		if t.Reg < registers && s.linear>>t.Reg&1 == 0 {
			return fmt.Sprintf("depends on register %d, which does not advance by a constant", t.Reg)
		}
		if t.Reg >= registers && !s.sameEachIteration(form{terms: []Term{t}}) {
			return "is not a linear form of registers"
		}
	}
	return ""
}
