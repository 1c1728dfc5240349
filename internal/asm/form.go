package asm

import "sync/atomic"

// A Form is an instruction that not every machine with a level has, and that some kernels of the level use if it is there. Their
// results do not depend on it. A set of forms is the sum of its members.
type Form uint8

const (
	// VNNI is AVX512-VNNI, at AVX512: products of bytes and of 16-bit integers, added to 32 bits.
	VNNI Form = 1 << iota
	// VPOPCNT is AVX512-VPOPCNTDQ, at AVX512: counts bits.
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

// Uses reports whether kernels use form f where they run at its level.
func Uses(f Form) bool { return forms&f != 0 }

// AvailableForms returns the forms that this machine has, at any level.
func AvailableForms() Form { return availableForms }

// SwitchForms makes all kernels of the process use these forms and no others until restore is called. It is for tests and
// benchmarks, under the conditions of [Switch]. It panics if this machine lacks a form.
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

// namesOf returns the names of forms of a level.
func namesOf(set Form, l Level) (names []string) {
	for _, f := range formNames {
		if f.level == l && set&f.form != 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// String returns the names of the forms in a set, joined with "+". The empty set is "none".
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
