// Package asmtest contains the common parts of the kernel tests: memory that detects an access
// outside a slice, classes of test values, comparison of bits, errors in ULP, and the loop over
// instruction-set levels. The level test of a kernel describes one call, and the package repeats
// the call with every assembly file of the kernel.
package asmtest

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/testdata"
)

// RequireVariable is the name of an environment variable. The variable contains a comma-separated
// list of the instruction-set levels that a test run must cover. If MONGE_REQUIRE_LEVEL=avx2, every
// level test fails on a machine without AVX2 instead of testing only Ref.
const RequireVariable = "MONGE_REQUIRE_LEVEL"

// Levels returns all instruction-set levels of this machine except Ref. Levels fails the test if a
// required level is missing.
func Levels(t testing.TB) []asm.Level {
	t.Helper()
	if err := Required(asm.Available()); err != nil {
		t.Fatal(err)
	}
	return asm.Available()[1:]
}

// At calls f while all kernels of the process run at instruction-set level lv. At panics if t is
// parallel or if f calls At. Subtests of f must not be parallel.
func At(t testing.TB, lv asm.Level, f func()) {
	t.Helper()
	if t != serial {
		t.Setenv(asm.CapVariable, os.Getenv(asm.CapVariable)) // panics if t is parallel
		serial = t
	}
	defer asm.Switch(lv)()
	f()
}

// serial is the test for which [At] was called most recently. At has checked that this test is not parallel.
var serial testing.TB

// Each is an iterator over all instruction-set levels of this machine, beginning with Ref. The body
// of the loop runs at the level that the iterator yields (see [At]). Each fails the test if a
// required level is missing.
func Each(t testing.TB) iter.Seq[asm.Level] {
	return func(yield func(asm.Level) bool) {
		t.Helper()
		for _, lv := range append([]asm.Level{asm.Ref}, Levels(t)...) {
			more := false
			At(t, lv, func() { more = yield(lv) })
			if !more {
				return
			}
		}
	}
}

// EachExtensions calls f with no [asm.Extension] in use. If the machine supports any extensions, EachExtensions calls f
// again with all supported extensions in use. f must not run in parallel.
func EachExtensions(t testing.TB, f func()) {
	t.Helper()
	sets := []asm.Extension{0, asm.AvailableExtensions()}
	if sets[1] == 0 {
		sets = sets[:1]
	}
	for _, set := range sets {
		t.Logf("extensions: %v", set)
		restore := asm.SwitchExtensions(set)
		func() {
			defer restore()
			f()
		}()
		if t.Failed() {
			return
		}
	}
}

// OtherMachines runs f as a subtest with every [asm.Machine] table except the table of this machine.
func OtherMachines(t *testing.T, f func(t *testing.T)) {
	own := asm.CurrentMachine()
	for _, m := range asm.Machines() {
		if m != own {
			t.Run(m.Name, func(t *testing.T) {
				defer asm.SwitchMachine(m)()
				f(t)
			})
		}
	}
}

// Required returns an error if MONGE_REQUIRE_LEVEL names an unknown level or a level that is not in
// the slice have.
func Required(have []asm.Level) error {
	names := os.Getenv(RequireVariable)
	if names == "" {
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		l, err := asm.ParseLevel(strings.TrimSpace(name))
		if err != nil {
			return fmt.Errorf("%s: %w", RequireVariable, err)
		}
		found := false
		for _, h := range have {
			found = found || h == l
		}
		if !found {
			return fmt.Errorf("%s=%s, but this build on this machine only has %v", RequireVariable, names, have)
		}
	}
	return nil
}

// Lengths returns the slice lengths for level tests. If MONGE_LONG=1, the result contains all
// lengths below 68 and a few larger lengths. Otherwise most lengths are close to multiples of the
// vector register lengths.
func Lengths() []int {
	if !testdata.IsLong() {
		return []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 19, 23, 24, 25, 31, 32, 33, 41, 47, 48, 49, 63, 64, 65, 97, 129}
	}
	var ns []int
	for n := range 68 {
		ns = append(ns, n)
	}
	return append(ns, 95, 96, 97, 127, 128, 129, 1000, 1031)
}

// Allocations returns the smallest number of allocations in any of up to twenty runs of f. The
// minimum excludes occasional allocations by the Go runtime, which testing.AllocsPerRun also
// counts.
func Allocations(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for try := 1; least > 0 && try < 20; try++ {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}

// Class is a family of test values.
type Class int

const (
	Gauss       Class = iota // standard normal
	Unit                     // uniform in (0, 1]
	NonPositive              // uniform in (−50, 0], and sometimes exactly 0
	Wide                     // random bits: both signs and all exponents, but no Inf or NaN
	Special                  // ±0, ±1, ±Inf, NaN, subnormal and extreme numbers, and some numbers as in Gauss
	numClasses
)

// Classes returns all value classes.
func Classes() []Class {
	cs := make([]Class, numClasses)
	for i := range cs {
		cs[i] = Class(i)
	}
	return cs
}

func (c Class) String() string {
	return [...]string{"gauss", "unit", "nonpositive", "wide", "special"}[c]
}

// Fill fills s with values of class c.
func Fill[T num.Float](rng *rand.Rand, s []T, c Class) {
	for i := range s {
		s[i] = Value[T](rng, c)
	}
}

// NewRand returns a random number generator with the given seed.
func NewRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }

// Values returns n values of class c.
func Values[T num.Float](rng *rand.Rand, n int, c Class) []T {
	s := make([]T, n)
	Fill(rng, s, c)
	return s
}

// Random returns n uniform values in (0, 1]. Every call returns the same values.
func Random[T num.Float](n int) []T {
	unit.Lock()
	defer unit.Unlock()
	for len(unit.drawn) < n {
		unit.drawn = append(unit.drawn, Value[float64](unit.rand, Unit))
	}
	s := make([]T, n)
	for i, x := range unit.drawn[:n] {
		s[i] = T(x)
	}
	return s
}

// unit contains the values that Random has drawn so far.
var unit = struct {
	sync.Mutex
	rand  *rand.Rand
	drawn []float64
}{rand: NewRand(1)}

// Set sets every element of s to x.
func Set[T num.Float](s []T, x T) {
	for i := range s {
		s[i] = x
	}
}

// Cells returns the number of elements that an m × n matrix with row stride ld occupies.
func Cells(m, n, ld int) int {
	if m == 0 || n == 0 {
		return 0
	}
	return (m-1)*ld + n
}

// Value returns one value of class c.
func Value[T num.Float](rng *rand.Rand, c Class) T {
	switch c {
	case Unit:
		return T(1 - rng.Float64())
	case NonPositive:
		if rng.IntN(16) == 0 {
			return 0
		}
		return T(-50 * rng.Float64())
	case Wide:
		return anyBits[T](rng)
	case Special:
		sp := Specials[T]()
		if i := rng.IntN(len(sp) + 8); i < len(sp) {
			return sp[i]
		}
	}
	return T(rng.NormFloat64())
}

func anyBits[T num.Float](rng *rand.Rand) T {
	for {
		var x T
		if num.IsFloat64[T]() {
			x = T(math.Float64frombits(rng.Uint64()))
		} else {
			x = T(math.Float32frombits(rng.Uint32()))
		}
		if x-x == 0 { // neither Inf nor NaN
			return x
		}
	}
}

// Specials returns the special values of T. The caller must not modify them.
func Specials[T num.Float]() []T {
	if num.IsFloat64[T]() {
		return any(specials64).([]T)
	}
	return any(specials32).([]T)
}

var (
	specials64 = specials(math.SmallestNonzeroFloat64, 0x1p-1022, math.MaxFloat64)
	specials32 = specials[float32](math.SmallestNonzeroFloat32, 0x1p-126, math.MaxFloat32)
)

func specials[T num.Float](least, normal, most T) []T {
	inf, neg0 := T(math.Inf(1)), T(math.Copysign(0, -1))
	return []T{0, neg0, 1, -1, inf, -inf, inf - inf, least, -least, normal, -normal, normal - least, most, -most}
}

// Least returns the smallest positive number of type T.
func Least[T num.Float]() T { return Specials[T]()[7] }

// Bits returns the IEEE 754 representation of x.
func Bits[T num.Float](x T) uint64 {
	if num.IsFloat64[T]() {
		return math.Float64bits(float64(x))
	}
	return uint64(math.Float32bits(float32(x)))
}

// SameBits reports whether x and y have the same bits or are both NaN. Kernels may return any NaN.
func SameBits[T num.Float](x, y T) bool {
	return Bits(x) == Bits(y) || x != x && y != y
}

// Next moves x upward by ulps representable values, or downward if ulps is negative, and returns
// the result. x must not be 0, and the result must have the sign of x.
func Next[T num.Float](x T, ulps int) T {
	if x < 0 {
		ulps = -ulps
	}
	if num.IsFloat64[T]() {
		return T(math.Float64frombits(math.Float64bits(float64(x)) + uint64(ulps)))
	}
	return T(math.Float32frombits(math.Float32bits(float32(x)) + uint32(ulps)))
}

// ULP returns |got − want| in units in the last place of type T at want. If want is subnormal, the
// unit is the smallest subnormal number.
func ULP[T num.Float](got T, want *big.Float) float64 {
	emin, prec := -1074, 53
	if !num.IsFloat64[T]() {
		emin, prec = -149, 24
	}
	e := want.MantExp(nil) - prec
	if want.Sign() == 0 || e < emin {
		e = emin
	}
	d := new(big.Float).SetPrec(want.Prec() + 64).SetFloat64(float64(got))
	d.Sub(d, want)
	d.SetMantExp(d, -e)
	u, _ := d.Abs(d).Float64()
	return u
}

// Widen returns s in float64.
func Widen(s []float32) []float64 {
	w := make([]float64, len(s))
	for i, x := range s {
		w[i] = float64(x)
	}
	return w
}

// SameSlices checks that the elements of two slices have the same bits or are both NaN.
func SameSlices[T num.Float](t testing.TB, what string, got, want []T) {
	t.Helper()
	for i := range want {
		if !SameBits(got[i], want[i]) {
			t.Fatalf("%s[%d] = %v (%#x), want %v (%#x)", what, i, got[i], Bits(got[i]), want[i], Bits(want[i]))
		}
	}
}
