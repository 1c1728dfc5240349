package amd64

import (
	"slices"
	"strings"

	"github.com/gomonge/monge/prove/internal/loops"
)

// effect returns the effect of an instruction on general registers. The result of an unknown
// instruction depends on all registers among its operands. The result also depends on array
// contents if an operand is a mask register, a vector register or a memory location.
func effect(d *inst) *loops.Effect {
	if d.Padding() || len(d.args) == 0 || strings.HasPrefix(d.op, "prefetch") {
		return &loops.Effect{}
	}
	e := &loops.Effect{}
	op := d.op
	a := slices.Clone(d.args)
	for n := range a { // treat stack slots as registers
		if o := &a[n]; o.kind == location && op != "lea" && o.base == 4 && o.index < 0 {
			if reg, ok := loops.Slot(16, int64(o.value)); ok {
				*o = operand{kind: register, reg: reg, width: generalWidth(op, d.args), base: -1, index: -1, mask: -1}
			}
		}
	}
	dst := &a[len(a)-1]
	if op[0] == 'j' {
		e.Branch, e.Target = op != "jmp", a[0].value
		return e
	}
	compares := strings.HasPrefix(op, "cmp") || strings.HasPrefix(op, "test") || strings.HasPrefix(op, "vucomi") || strings.HasPrefix(op, "kortest")
	all := loops.Set{Opaque: true} // depends on every operand
	for n := range a {
		o := &a[n]
		switch o.kind {
		case register:
			all.Form.Terms = append(all.Form.Terms, loops.Term{Reg: o.reg, Factor: 1})
			if (op[0] == 'v' || op[0] == 'k') && o != dst || dst.kind == location && !compares {
				e.Values = append(e.Values, o.reg)
			}
		case location:
			if op != "lea" {
				e.Addresses = append(e.Addresses, o.form())
				all.Data = true
			}
			all.Form.Terms = append(all.Form.Terms, o.form().Terms...)
		case vector, mask:
			all.Data = true
		}
	}
	all.OfFlags = strings.HasPrefix(op, "cmov") || strings.HasPrefix(op, "adc")
	flags := all
	if strings.HasPrefix(op, "cmov") && dst.width == 8 && a[0].kind == register {
		e.Choice = true
		stays := loops.Form{Terms: []loops.Term{{Reg: dst.reg, Factor: 1}}}
		flags = loops.Set{Form: loops.Form{Terms: []loops.Term{{Reg: a[0].reg, Factor: 1}}}, Else: &stays}
	} else if f, ok := linearResult(op, a, d.Next); ok && dst.kind == register {
		flags = loops.Set{Form: f}
	}
	if dst.kind == register && !compares {
		set := flags
		set.Reg = dst.reg
		e.Sets = append(e.Sets, set)
	}
	keeps := op[0] == 'v' || op[0] == 'k' || strings.HasPrefix(op, "mov") || strings.HasPrefix(op, "lea") || strings.HasPrefix(op, "cmov") || strings.HasPrefix(op, "not")
	if compares || !keeps {
		e.Flags = &flags
	}
	return e
}

// form returns the address of a memory operand as a sum of a constant and multiples of registers.
func (o *operand) form() loops.Form {
	f := loops.Form{Constant: int64(o.value)}
	if o.base >= 0 {
		f.Terms = append(f.Terms, loops.Term{Reg: o.base, Factor: 1})
	}
	if o.index >= 0 {
		f.Terms = append(f.Terms, loops.Term{Reg: o.index, Factor: int64(o.scale)})
	}
	return f
}

// linearResult returns the result of an instruction on 8-byte registers if the result is a linear
// form. For a comparison, the result is the difference of the operands. next is the address of the
// next instruction.
func linearResult(op string, a []operand, next uint64) (f loops.Form, ok bool) {
	dst := a[len(a)-1]
	op = strings.TrimSuffix(op, "q") // suffix of an instruction with an operand in memory
	own := loops.Term{Reg: dst.reg, Factor: 1}
	if len(a) == 2 && strings.HasPrefix(op, "xor") && a[0].kind == register && a[0].reg == dst.reg && dst.width >= 4 {
		return f, true
	}
	if op == "mov" && dst.width == 4 && a[0].kind == immediate {
		return loops.Form{Constant: int64(a[0].value & widthMask(4))}, true
	}
	if dst.width != 8 {
		return f, false
	}
	switch {
	case op == "inc":
		return loops.Form{Terms: []loops.Term{own}, Constant: 1}, true
	case op == "dec":
		return loops.Form{Terms: []loops.Term{own}, Constant: -1}, true
	case op == "neg":
		return loops.Form{Terms: []loops.Term{{Reg: dst.reg, Factor: -1}}}, true
	case op == "lea" && a[0].relative:
		return loops.Form{Constant: int64(a[0].value + next)}, true
	case op == "lea":
		return a[0].form(), true
	case len(a) != 2:
		return f, false
	case (op == "mov" || op == "movabs") && a[0].kind == immediate:
		return loops.Form{Constant: int64(a[0].value)}, true
	case op == "mov" && a[0].kind == register:
		return loops.Form{Terms: []loops.Term{{Reg: a[0].reg, Factor: 1}}}, true
	case op == "shl" && a[0].kind == immediate && a[0].value < 32:
		return loops.Form{Terms: []loops.Term{{Reg: dst.reg, Factor: 1 << a[0].value}}}, true
	case op == "test" && a[0].kind == register && a[0].reg == dst.reg:
		return loops.Form{Terms: []loops.Term{own}}, true
	case op != "add" && op != "sub" && op != "cmp":
		return f, false
	}
	sign := int64(1)
	if op != "add" {
		sign = -1
	}
	switch a[0].kind {
	case immediate:
		return loops.Form{Terms: []loops.Term{own}, Constant: sign * int64(a[0].value)}, true
	case register:
		return loops.Form{Terms: []loops.Term{own, {Reg: a[0].reg, Factor: sign}}}, true
	}
	return f, false
}
