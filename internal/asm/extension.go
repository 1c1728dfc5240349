package asm

import "sync/atomic"

// Extension is an optional extension of an instruction-set level. Only some machines with the level
// support the extension, and only some kernels use it. Results do not depend on the extension. An
// Extension may also be a set of extensions: the bitwise OR of several Extension values.
type Extension uint8

const (
	// VNNI is the extension AVX512-VNNI of AVX512. An instruction multiplies bytes or 16-bit
	// integers and adds the products to 32-bit sums.
	VNNI Extension = 1 << iota
	// VPOPCNT is the extension AVX512-VPOPCNTDQ of AVX512. An instruction counts the set bits of
	// each element of a register.
	VPOPCNT
	// DotProd is the extension FEAT_DotProd of NEON. An instruction multiplies bytes and adds the
	// products to 32-bit sums.
	DotProd
)

var extensionNames = []struct {
	extension Extension
	level     Level
	name      string
}{{VNNI, AVX512, "vnni"}, {VPOPCNT, AVX512, "vpopcnt"}, {DotProd, NEON, "dotprod"}}

var (
	availableExtensions = detectExtensions()
	extensions          = availableExtensions

	extensionsSwitched atomic.Bool
)

// Uses reports whether kernels may use the extension f.
func Uses(f Extension) bool { return extensions&f != 0 }

// AvailableExtensions returns the set of all extensions that this machine supports.
func AvailableExtensions() Extension { return availableExtensions }

// SwitchExtensions makes all kernels of the process use only the given set of extensions until
// restore is called. It is for tests and benchmarks. As with [Switch], no kernel may run in another
// goroutine meanwhile. SwitchExtensions panics if this machine lacks an extension in the set, or if an
// earlier SwitchExtensions has not been restored.
func SwitchExtensions(set Extension) (restore func()) {
	if set&^availableExtensions != 0 {
		panic("asm: this machine lacks an extension")
	}
	if !extensionsSwitched.CompareAndSwap(false, true) {
		panic("asm: the extensions are switched already; restore them first, and do not switch them in parallel tests")
	}
	before := extensions
	extensions = set
	return func() {
		extensions = before
		extensionsSwitched.Store(false)
	}
}

// namesOf returns the names of all extensions of level l that the set contains.
func namesOf(set Extension, l Level) (names []string) {
	for _, f := range extensionNames {
		if f.level == l && set&f.extension != 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// String returns the names of the extensions in f, joined with "+", or "none".
func (f Extension) String() string {
	text := ""
	for _, n := range extensionNames {
		if f&n.extension != 0 {
			text += "+" + n.name
		}
	}
	if text == "" {
		return "none"
	}
	return text[1:]
}
