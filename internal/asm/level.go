// Package asm defines the instruction-set levels for which the kernels in its folders are written.
// It detects the levels that this machine supports and selects the current level.
//
// Each kernel has a folder, and all folders use the same file names. doc.go contains the contract,
// and ref.go contains the reference implementation in plain Go. The assembly files give the same
// bits as the reference implementation. dispatch_*.go chooses an implementation by the current
// [Level] and the sizes in [CurrentMachine]. NOTES.md has measurements and rejected ideas.
//
// # The numerical contract
//
// The reference implementation is the specification. For every input, length, stride and alignment,
// an assembly kernel returns the same bits as the reference implementation, with two exceptions: a
// NaN may be any other NaN, and floating-point exception flags are not specified. Therefore every
// level on every machine gives the same results. Three rules make this possible at full speed:
//
//   - Every rounding is explicit: num.FMA(x, y, z) rounds once, and T(x*y) + z rounds twice. The
//     code never contains a bare x*y + z, because the compiler may fuse the two operations.
//   - A sum over an index that is not a vector lane is one chain of FMAs in ascending order of
//     the index.
//   - A sum along the vector lanes assigns element j to virtual lane j mod w, and the lanes are
//     added in halves. w = num.Lanes covers 64 bytes: 8 for float64, 16 for float32. An
//     incomplete last vector counts as if it were padded with zeros.
//
// w elements fill one AVX-512 register, two AVX2 registers or four NEON registers.
package asm

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/gomonge/monge/internal/asm/num"
)

// Level is an instruction set for kernels. The whole process uses one level ([Current]). The zero
// Level is Ref.
type Level uint8

const (
	// Ref is the plain Go reference implementation of every kernel. Every machine supports it.
	Ref Level = iota
	// NEON is Advanced SIMD on arm64.
	NEON
	// AVX2 is AVX2 with FMA and F16C on amd64.
	AVX2
	// AVX512 is AVX-512 F, VL, DQ and BW with BMI2 on amd64.
	AVX512

	numLevels
)

var levelNames = [numLevels]string{"ref", "neon", "avx2", "avx512"}

func (l Level) String() string {
	if l < numLevels {
		return levelNames[l]
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

// ParseLevel returns the level with the given name (ref, neon, avx2, avx512).
func ParseLevel(name string) (Level, error) {
	for l, s := range levelNames {
		if strings.EqualFold(name, s) {
			return Level(l), nil
		}
	}
	return Ref, fmt.Errorf("asm: unknown level %q; the levels are %s", name, strings.Join(levelNames[:], ", "))
}

// CapVariable is the name of the environment variable that limits the instruction-set level of the
// process. MONGE_LEVEL=avx2 disables AVX-512, and MONGE_LEVEL=ref disables all assembly. The
// variable is read once, at the start of the program. An unknown value is ignored and reported by
// [CapError].
const CapVariable = "MONGE_LEVEL"

var (
	available       = append([]Level{Ref}, detect()...)
	current, capErr = levelUpTo(available, os.Getenv(CapVariable))

	switched atomic.Bool
)

// Available returns the levels that this machine supports, in ascending order from Ref to the best
// level. Available ignores MONGE_LEVEL, because tests compare all levels.
func Available() []Level {
	return append([]Level(nil), available...)
}

// Current returns the level at which all kernels run: the level chosen by [Switch] or, by default,
// the best level of this machine that MONGE_LEVEL allows.
func Current() Level { return current }

// LevelDetails returns the names of the variants that kernels use at the current level on this
// machine. If the level is AVX512, the first name is the name of the [CurrentMachine] table. The
// remaining names are the [Extension] values in use.
func LevelDetails() []string {
	names := namesOf(extensions, current)
	if current == AVX512 {
		names = append([]string{machine.Name}, names...)
	}
	return names
}

// Switch makes all kernels of the process run at level l until restore is called. It is for tests
// and benchmarks; tests call it through package asmtest. No kernel may run in another goroutine
// meanwhile. Switch panics if this machine does not support l, or if an earlier Switch has not been
// restored (for example by a parallel test).
func Switch(l Level) (restore func()) {
	if !Has(l) {
		panic(fmt.Sprintf("asm: this machine cannot run level %v, only %v", l, available))
	}
	if !switched.CompareAndSwap(false, true) {
		panic("asm: the level is switched already; restore it first, and do not switch it in parallel tests")
	}
	before := current
	current = l
	return func() {
		current = before
		switched.Store(false)
	}
}

// CapError reports an unknown value of MONGE_LEVEL.
func CapError() error { return capErr }

// Has reports whether this machine supports level l.
func Has(l Level) bool {
	for _, a := range available {
		if a == l {
			return true
		}
	}
	return false
}

// Variant is an instruction-set level together with the element types of a matrix and its vectors.
// For example, AVX2Mixed is AVX2 with a float32 matrix and float64 vectors. Assembly functions have
// the names of variants as suffixes.
type Variant uint8

const (
	NEONF64     = Variant(NEON)<<2 | f64
	NEONF32     = Variant(NEON)<<2 | f32
	NEONMixed   = Variant(NEON)<<2 | mixed
	AVX2F64     = Variant(AVX2)<<2 | f64
	AVX2F32     = Variant(AVX2)<<2 | f32
	AVX2Mixed   = Variant(AVX2)<<2 | mixed
	AVX512F64   = Variant(AVX512)<<2 | f64
	AVX512F32   = Variant(AVX512)<<2 | f32
	AVX512Mixed = Variant(AVX512)<<2 | mixed

	f64, f32, mixed Variant = 0, 1, 2
)

// VariantOf returns the variant of the current level for a matrix of type K and vectors of type T.
// A float64 matrix with float32 vectors has no assembly, and VariantOf returns Variant(Ref).
// Kernels call their assembly by name in a switch over the variant, because the arguments of an
// indirect call would escape to the heap. A kernel without a case for the variant uses the
// reference implementation.
func VariantOf[K, T num.Float]() Variant {
	v := Variant(current) << 2
	switch k, t := num.IsFloat64[K](), num.IsFloat64[T](); {
	case k && t:
		return v | f64
	case t:
		return v | mixed
	case k:
		return Variant(Ref)
	}
	return v | f32
}

func levelUpTo(levels []Level, name string) (Level, error) {
	best := levels[len(levels)-1]
	if name == "" {
		return best, nil
	}
	limit, err := ParseLevel(name)
	if err != nil {
		return best, fmt.Errorf("%s: %w", CapVariable, err)
	}
	best = Ref
	for _, l := range levels {
		if l <= limit {
			best = l
		}
	}
	return best, nil
}
