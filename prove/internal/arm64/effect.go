package arm64

import (
	"strings"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/loops"
)

// instruction is the decoded form of an instruction that Decode returns.
type instruction struct {
	args   []operand
	effect *loops.Effect
}

func effectOf(i *code.Inst) *loops.Effect {
	if d, ok := i.Decoded.(*instruction); ok {
		return d.effect
	}
	return nil
}

// effect returns the effect of an instruction on general registers. The output of an unknown
// instruction is assumed to depend on all register operands. If an operand is a vector register or
// a memory location, the output is assumed to depend on array contents, too.
func effect(op string, a []operand) *loops.Effect {
	e := &loops.Effect{}
	if len(a) == 0 || strings.HasPrefix(op, "prfm") {
		return e
	}
	slot := -1 // register number of a stack slot; −1 means none
	if o := a[len(a)-1]; o.kind == location && o.reg == sp && o.index < 0 && !o.postIndexed && len(a) == 2 {
		if reg, ok := loops.Slot(33, o.value); ok {
			slot = reg
		}
	}
	all := loops.Set{Opaque: true} // the new value is an unknown function of all operands
	stores, loads := strings.HasPrefix(op, "st"), strings.HasPrefix(op, "ld")
	compares := op == "cmp" || op == "cmn" || strings.HasPrefix(op, "cb") || strings.HasPrefix(op, "tb") && op != "tbl"
	for n, o := range a {
		switch o.kind {
		case general:
			if o.reg == xzr || n == 0 && !stores && !compares {
				continue
			}
			all.Form.Terms = append(all.Form.Terms, loops.Term{Reg: o.reg, Factor: 1})
			if stores || a[0].kind != general {
				e.Values = append(e.Values, o.reg)
			}
		case location:
			if slot >= 0 {
				if !stores {
					all.Form.Terms = append(all.Form.Terms, loops.Term{Reg: slot, Factor: 1})
				}
				if a[0].kind != general {
					e.Values = append(e.Values, slot)
				}
				continue
			}
			f := loops.Form{Terms: []loops.Term{{Reg: o.reg, Factor: 1}}}
			if o.index >= 0 {
				f.Terms = append(f.Terms, loops.Term{Reg: o.index, Factor: 1 << o.shift})
			}
			if o.postIndexed {
				e.Sets = append(e.Sets, loops.Set{Reg: o.reg, Form: loops.Form{Terms: []loops.Term{{Reg: o.reg, Factor: 1}}, Constant: o.value}})
			} else {
				f.Constant = o.value
			}
			e.Addresses = append(e.Addresses, f)
			all.Form.Terms = append(all.Form.Terms, f.Terms...)
			all.Data = true
		case vector, scalar, element:
			all.Data = true
		case target:
			e.Target = o.constant
		}
	}
	all.OfFlags = op == "csel"
	switch {
	case strings.HasPrefix(op, "b."):
		e.Branch = true
	case e.Target != 0 && op != "b" && op != "adrp":
		e.Branch, e.Condition = true, &loops.Set{Form: loops.Form{Terms: []loops.Term{{Reg: a[0].reg, Factor: 1}}}, Opaque: strings.HasPrefix(op, "tb")}
	}
	if op == "adrp" {
		e.Target = 0
	}
	result := all
	whole := a[0].kind == general && !a[0].is32Bit // accesses the whole slot
	if slot >= 0 && whole && op == "ldr" {
		result = loops.Set{Form: loops.Form{Terms: []loops.Term{{Reg: slot, Factor: 1}}}}
	}
	if slot >= 0 && stores {
		set := all
		if whole && a[0].reg != xzr {
			set = loops.Set{Form: loops.Form{Terms: []loops.Term{{Reg: a[0].reg, Factor: 1}}}}
		}
		set.Reg = slot
		e.Sets = append(e.Sets, set)
	}
	if f, ok := linearResult(op, a); ok {
		result = loops.Set{Form: f}
	}
	if n := len(a) - 1; whole && (op == "madd" || (op == "add" || op == "sub") && a[n].kind == word && a[n].shift < 0) {
		result = loops.Set{Opaque: true} // an unknown function of registers (a product or a shift), plus a linear form
		plus := registerForm(a[1])
		if op == "madd" {
			result.Form, plus = registerForm(a[1]), registerForm(a[3])
		}
		result.Form.Terms, result.Plus = append(result.Form.Terms, registerForm(a[2]).Terms...), &plus
	}
	if op == "csel" && whole {
		e.Choice = true
		other := registerForm(a[2])
		result = loops.Set{Form: registerForm(a[1]), Else: &other}
	}
	if op == "cmp" || op == "cmn" || op == "subs" || op == "adds" || op == "ands" {
		flags := result
		e.Flags = &flags
	}
	if a[0].kind == general && a[0].reg != xzr && !stores && !compares && (len(a) > 1 || loads) {
		result.Reg = a[0].reg
		e.Sets = append(e.Sets, result)
	}
	return e
}

// registerForm returns a general register as a linear form.
func registerForm(o operand) (f loops.Form) {
	if o.reg != xzr {
		f.Terms = []loops.Term{{Reg: o.reg, Factor: 1}}
	}
	return f
}

// linearResult returns the result of an instruction on 8-byte registers if it is a linear form. The
// result of a comparison is the difference.
func linearResult(op string, a []operand) (f loops.Form, ok bool) {
	for _, o := range a {
		if o.is32Bit || o.kind != general && o.kind != immediate && o.kind != word && o.kind != target {
			return f, false
		}
	}
	value := func(n int, factor int64) bool {
		if len(a) > n+1 && a[n+1].kind == word {
			if a[n+1].shift < 0 || a[n+1].text != "" {
				return false
			}
			factor <<= a[n+1].shift
		}
		switch o := a[n]; {
		case o.kind == immediate:
			f.Constant += factor * o.value
		case o.reg != xzr:
			f.Terms = append(f.Terms, loops.Term{Reg: o.reg, Factor: factor})
		}
		return true
	}
	switch op {
	case "mov":
		return f, value(1, 1)
	case "adrp":
		return loops.Form{Constant: int64(a[1].constant)}, true
	case "add", "adds":
		ok = value(1, 1) && value(2, 1)
	case "sub", "subs":
		ok = value(1, 1) && value(2, -1)
	case "cmp":
		ok = value(0, 1) && value(1, -1)
	case "cmn":
		ok = value(0, 1) && value(1, 1)
	case "lsl":
		if a[2].kind == immediate && a[2].value < 32 {
			ok = value(1, 1<<a[2].value)
		}
	}
	return f, ok
}
