package asm

import "sync/atomic"

// Form is an optional extension of an instruction-set level. Only some machines with the level
// support the extension, and only some kernels use it. Results do not depend on the extension. A
// Form value may also be a set of extensions: the bitwise OR of several Form values.
type Form uint8

const (
	// VNNI is the extension AVX512-VNNI of AVX512. An instruction multiplies bytes or 16-bit
	// integers and adds the products to 32-bit sums.
	VNNI Form = 1 << iota
	// VPOPCNT is the extension AVX512-VPOPCNTDQ of AVX512. An instruction counts the set bits of
	// each element of a register.
	VPOPCNT
	// DotProd is the extension FEAT_DotProd of NEON. An instruction multiplies bytes and adds the
	// products to 32-bit sums.
	DotProd
)

var formNames = []struct {
	form  Form
	level Level
	name  string
}{{VNNI, AVX512, "vnni"}, {VPOPCNT, AVX512, "vpopcnt"}, {DotProd, NEON, "dotprod"}}

var (
	availableForms = detectForms()
	forms          = availableForms

	formsSwitched atomic.Bool
)

// Uses reports whether kernels may use the extension f.
func Uses(f Form) bool { return forms&f != 0 }

// AvailableForms returns the set of all extensions that this machine supports.
func AvailableForms() Form { return availableForms }

// SwitchForms makes all kernels of the process use only the given set of extensions until restore
// is called. It is for tests and benchmarks. As with [Switch], no kernel may run in another
// goroutine meanwhile. SwitchForms panics if this machine lacks an extension in the set, or if an
// earlier SwitchForms has not been restored.
func SwitchForms(set Form) (restore func()) {
	if set&^availableForms != 0 {
		panic("asm: this machine lacks a form")
	}
	if !formsSwitched.CompareAndSwap(false, true) {
		panic("asm: the forms are switched already; restore them first, and do not switch them in parallel tests")
	}
	before := forms
	forms = set
	return func() {
		forms = before
		formsSwitched.Store(false)
	}
}

// namesOf returns the names of all extensions of level l that the set contains.
func namesOf(set Form, l Level) (names []string) {
	for _, f := range formNames {
		if f.level == l && set&f.form != 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// String returns the names of the extensions in f, joined with "+", or "none".
func (f Form) String() string {
	text := ""
	for _, n := range formNames {
		if f&n.form != 0 {
			text += "+" + n.name
		}
	}
	if text == "" {
		return "none"
	}
	return text[1:]
}
