package asm

import "sync/atomic"

// Form is an optional instruction of a level. Only some machines with the level support the
// instruction, and only some kernels use it. Results do not depend on it. A Form value may be a set of forms, the
// bitwise OR of its members.
type Form uint8

const (
	// VNNI is AVX512-VNNI, at AVX512: products of bytes and of 16-bit integers, added to 32 bits.
	VNNI Form = 1 << iota
	// VPOPCNT is AVX512-VPOPCNTDQ, at AVX512: the number of bits that are set.
	VPOPCNT
	// DotProd is FEAT_DotProd, at NEON: products of bytes, added to 32 bits.
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

// Uses reports whether kernels at the level of f use f.
func Uses(f Form) bool { return forms&f != 0 }

// AvailableForms returns the forms of this machine at all levels.
func AvailableForms() Form { return availableForms }

// SwitchForms makes all kernels of the process use only the forms in set until restore is called.
// It is for tests and benchmarks and has the conditions of [Switch]. It panics if this machine
// lacks a form.
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

// namesOf returns the names of the forms in set that belong to level l.
func namesOf(set Form, l Level) (names []string) {
	for _, f := range formNames {
		if f.level == l && set&f.form != 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// String returns the names of the forms in f, joined with "+", or "none".
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
