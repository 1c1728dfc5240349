// Package trial compares results with package oracle in tests. A [Case] draws sizes, allocates
// memory in which missing and forbidden writes are detected, and runs the tested call at every
// instruction-set level of package asm.
package trial

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/oracle"
	"github.com/gomonge/monge/internal/testdata"
)

// TimeVariable is the name of an environment variable. If it is set, for example to 10s or 1h, each
// comparison draws new cases for this time.
const TimeVariable = "MONGE_ORACLE"

// SeedVariable is the name of an environment variable. If it is set, a comparison runs only the
// case with this seed.
const SeedVariable = "MONGE_ORACLE_SEED"

// Case is one random case of a comparison.
type Case struct {
	*rand.Rand
	testing.TB
	constants []int
	memory    []*memory
	alone     bool
	work      int // the product of the sizes
	gap       int // kind of gaps between rows; 0: not chosen yet, 1: no gaps, 2: always 7 elements, larger: random gaps
	large     bool
	long      bool     // whether this is a long run
	last      func()   // function of the last Call, to be repeated concurrently
	outputs   [][]byte // outputs of the last call
}

// Run calls f with count new cases, or with 20 times as many if MONGE_LONG=1 is set. If
// MONGE_ORACLE is set, Run instead draws cases for the time in this variable. Many sizes are close
// to constants in the Go files of the given folders of the module. If a case fails, Run logs the
// seed of the case.
func Run(t *testing.T, count int, folders []string, f func(c *Case)) {
	t.Helper()
	if testdata.IsLong() {
		count *= 20
	}
	run(t, count, folders, f)
}

// RunLong is like Run, but only for long runs. With MONGE_LONG=1, it runs count cases.
func RunLong(t *testing.T, count int, folders []string, f func(c *Case)) {
	t.Helper()
	if !isLong() && os.Getenv(SeedVariable) == "" {
		t.Skip("too slow for the short form")
	}
	run(t, count, folders, f)
}

// isLong reports whether this is a long run of the tests.
func isLong() bool { return testdata.IsLong() || os.Getenv(TimeVariable) != "" }

func run(t *testing.T, count int, folders []string, f func(c *Case)) {
	t.Helper()
	constants := Constants(t, folders...)
	var group []*Case // cases whose memory has not been released yet
	one := func(seed uint64) {
		c := &Case{Rand: rand.New(rand.NewPCG(seed, 7)), TB: t, constants: constants, long: isLong()}
		defer func() {
			if t.Failed() {
				t.Logf("to run this case alone: %s=%d", SeedVariable, seed)
			}
		}()
		f(c)
		if group = append(group, c); len(group) == 4 {
			repeatTogether(group)
			for _, c := range group {
				c.release()
			}
			group = group[:0]
		}
	}
	if text := os.Getenv(SeedVariable); text != "" {
		var seed uint64
		if _, err := fmt.Sscan(text, &seed); err != nil {
			t.Fatalf("%s: %v", SeedVariable, err)
		}
		one(seed)
		return
	}
	if text := os.Getenv(TimeVariable); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("%s: %v", TimeVariable, err)
		}
		n := 0
		for end := time.Now().Add(d); time.Now().Before(end) && !t.Failed(); n++ {
			one(rand.Uint64())
		}
		t.Logf("%d cases", n)
		return
	}
	for seed := range uint64(count) {
		if one(seed); t.Failed() {
			return
		}
	}
}

// Chance returns true with probability 1/n.
func (c *Case) Chance(n int) bool { return c.IntN(n) == 0 }

// Size draws a size between 0 and the limit most. The size is small, close to a constant or to a
// small multiple of a constant, close to the sum of two constants, or arbitrary. In a large case, no
// size is small.
func (c *Case) Size(most int) int {
	for {
		n := 0
		switch c.IntN(5) {
		case 0:
			n = c.IntN(10)
		case 1, 2:
			n = c.constants[c.IntN(len(c.constants))]*(1+c.IntN(3)) + c.IntN(3) - 1
		case 3:
			n = c.constants[c.IntN(len(c.constants))] + c.constants[c.IntN(len(c.constants))] + c.IntN(3) - 1
		default:
			n = int(math.Exp(c.Float64() * math.Log(float64(most)+1)))
		}
		if 0 <= n && n <= most && (!c.large || n >= min(64, most)) {
			return n
		}
	}
}

// Shape draws one size for each element of powers. No size exceeds most. The product of all sizes,
// each raised to its power, is at most budget. The product of two sizes is sometimes close to a power
// of two, because some limits in the tested code are powers of two.
func (c *Case) Shape(most, budget int, powers ...int) []int {
	s := make([]int, len(powers))
	left, work := float64(budget), 1.0
	order := c.Perm(len(s))
	if c.large && !c.Chance(4) { // draw the sizes with large powers first, while most of the budget is left
		slices.SortFunc(order, func(i, j int) int { return powers[j] - powers[i] })
	}
	for k, i := range order {
		high := max(1, min(most, int(math.Pow(left, 1/float64(powers[i])))))
		s[i] = c.Size(high)
		if k > 0 && c.Chance(8) {
			if q := 1<<(12+c.IntN(10))/max(1, s[order[k-1]]) + c.IntN(3) - 1; 0 < q && q <= high {
				s[i] = q
			}
		}
		p := math.Pow(float64(max(1, s[i])), float64(powers[i]))
		left, work = left/p, work*p
	}
	c.work = int(work)
	return s
}

// Large makes most runs skip the reference implementation in Go, as if the case had large sizes.
func (c *Case) Large() { c.work = largeWork + 1 }

// largeWork is a limit for the product of the sizes. Above this limit, most runs skip the reference
// implementation in Go.
const largeWork = 1 << 19

// Budget draws the budget of a case. In most cases it returns small, to save time. Otherwise it
// returns large or, in long runs, sometimes 8·large. Without assembly, Budget always returns small.
func (c *Case) Budget(small, large int) int {
	c.large = c.Chance(6) && len(asm.Available()) > 1
	switch {
	case !c.large:
		return small
	case c.long && c.Chance(4):
		return 8 * large
	}
	return large
}

// memory is a memory region that contains one matrix of a call.
type memory struct {
	bytes, before []byte // contents of the region, and a copy from before the call
	free          func()
	input         bool
	size          int // size of an element in bytes
	// position of the matrix in the region, counted in elements
	offset, rows, cols, stride int
	isFloat                    bool
	nan                        func(b []byte) bool // reports whether the element is a NaN
}

// poison is a NaN with a bit pattern that arithmetic never produces. Before a call, the outputs and
// the memory around matrices are filled with poison.
var poison = [8]byte{0x01, 0x00, 0xef, 0xbe, 0xad, 0xde, 0xf8, 0x7f}

var poison32 = [8]byte{0xad, 0xde, 0xc0, 0x7f, 0xad, 0xde, 0xc0, 0x7f}

// blank returns n bytes that consist of copies of the NaN pattern poison, or poison32 if size is 4.
// The caller must not modify the bytes.
func blank(n, size int) []byte {
	b, pattern := &blank64, poison
	if size == 4 {
		b, pattern = &blank32, poison32
	}
	for len(*b) < n {
		*b = append(*b, bytes.Repeat(pattern[:], max(1<<10, n/8))...)
	}
	return (*b)[:n]
}

var blank64, blank32 []byte

// View is a matrix in a memory region. It has the fields of dist.Matrix.
type View[E any] struct {
	Rows, Cols int
	Data       []E
	Stride     int
}

// alloc returns a poisoned rows × cols view with the given stride.
func alloc[E any](c *Case, rows, cols, stride int) (*memory, View[E]) {
	var e E
	m := &memory{size: int(unsafe.Sizeof(e)), rows: rows, cols: cols, stride: stride, nan: func([]byte) bool { return false }}
	switch any(e).(type) {
	case float64:
		m.isFloat = true
		m.nan = func(b []byte) bool { v := *(*float64)(unsafe.Pointer(&b[0])); return v != v }
	case float32:
		m.isFloat = true
		m.nan = func(b []byte) bool { v := *(*float32)(unsafe.Pointer(&b[0])); return v != v }
	}
	n := asmtest.Cells(rows, cols, stride)
	kind, ok := c.IntN(3), false
	if kind > 0 {
		m.bytes, m.free, ok = asmtest.Guarded(n*m.size, kind == 1)
	}
	if !ok { // no guard pages: surround the matrix with poison
		const frame = 64
		m.offset = frame + c.IntN(8)
		m.bytes = make([]byte, (m.offset+n+frame)*m.size+8)
	}
	copy(m.bytes, blank(len(m.bytes), m.size))
	data := []E{}
	if n > 0 {
		data = unsafe.Slice((*E)(unsafe.Pointer(&m.bytes[m.offset*m.size])), n)[:n:n]
	}
	c.memory = append(c.memory, m)
	return m, View[E]{rows, cols, data, stride}
}

// stride draws the stride of a matrix with the given number of columns. The matrices of a case
// often have the same gap between rows, so that their strides are equal if their widths are equal.
func (c *Case) stride(cols int) int {
	switch {
	case c.gap == 0:
		c.gap = 1 + c.IntN(4)
		return c.stride(cols)
	case c.gap < 3:
		return cols + 7*(c.gap-1)
	case c.Chance(2):
		return cols
	}
	return cols + 1 + c.IntN(9)
}

// Matrix returns a rows × cols matrix with the elements value(i, j). The function under test must not
// change the matrix.
func Matrix[E any](c *Case, rows, cols int, value func(i, j int) E) View[E] {
	m, v := alloc[E](c, rows, cols, c.stride(cols))
	for i := range rows {
		for j := range cols {
			v.Data[i*v.Stride+j] = value(i, j)
		}
	}
	m.input, m.before = true, bytes.Clone(m.bytes)
	return v
}

// Vector returns a slice with the n elements value(i). The function under test must not change the
// slice.
func Vector[E any](c *Case, n int, value func(i int) E) []E {
	return Matrix(c, 1, n, func(_, j int) E { return value(j) }).Data
}

// Output returns a rows × cols matrix. The function under test must set all elements.
func Output[E any](c *Case, rows, cols int) View[E] {
	_, v := alloc[E](c, rows, cols, c.stride(cols))
	return v
}

// OutputVector returns a slice of n elements. The function under test must set all elements.
func OutputVector[E any](c *Case, n int) []E { return Output[E](c, 1, n).Data }

// InPlace returns a rows × cols matrix with the elements value(i, j). The function under test may
// read and set the elements.
func InPlace[E any](c *Case, rows, cols int, value func(i, j int) E) View[E] {
	v := Matrix(c, rows, cols, value)
	c.memory[len(c.memory)-1].input = false
	return v
}

// Row returns row i, or nil if there are no columns.
func (v View[E]) Row(i int) []E {
	if v.Cols == 0 {
		return nil
	}
	return v.Data[i*v.Stride:][:v.Cols:v.Cols]
}

// Table returns the rows.
func (v View[E]) Table() [][]E {
	rows := make([][]E, v.Rows)
	for i := range rows {
		rows[i] = v.Row(i)
	}
	return rows
}

func (c *Case) release() {
	for _, m := range c.memory {
		if m.free != nil {
			m.free()
		}
	}
}

// Call calls f at every instruction-set level of the machine, beginning with the reference
// implementation in Go. Most large cases skip the reference implementation. Call poisons the
// outputs before each call. All calls must set the same elements to the same bits and change
// nothing else. The last function f of a case is called once more, concurrently with the functions
// of other cases. A case that called [Case.Alone] is not called concurrently.
func (c *Case) Call(what string, f func()) {
	c.Helper()
	c.outputs, c.last = nil, nil
	slow := c.work > largeWork && len(asm.Available()) > 1 && !c.Chance(32)
	for lv := range asmtest.Each(c.TB) {
		if lv == asm.Ref && slow {
			continue
		}
		for _, m := range asm.Machines() {
			if lv < asm.AVX512 && m != asm.CurrentMachine() {
				continue // below AVX-512, kernels do not read the tables of asm.Machines
			}
			restore := asm.SwitchMachine(m)
			c.reset()
			f()
			restore()
			c.check(fmt.Sprintf("%s at level %v (%s)", what, lv, m.Name))
			if c.Failed() {
				return
			}
		}
	}
	if !c.alone {
		c.last = f
	}
}

func (c *Case) reset() {
	for _, m := range c.memory {
		switch {
		case m.input:
		case m.before != nil:
			copy(m.bytes, m.before)
		default:
			copy(m.bytes, blank(len(m.bytes), m.size))
		}
	}
}

// check requires that inputs and the memory around outputs are unchanged, that all outputs are
// written, and that the outputs are bit-identical to the outputs of the first call. The bits of a
// NaN may differ.
func (c *Case) check(what string) {
	c.Helper()
	first, k := c.outputs == nil, 0
	for i, m := range c.memory {
		if m.input {
			if !bytes.Equal(m.bytes, m.before) {
				c.Errorf("%s: input %d (%d × %d) has changed", what, i, m.rows, m.cols)
			}
			continue
		}
		if first {
			c.outputs = append(c.outputs, bytes.Clone(m.bytes))
		}
		want, empty, end := c.outputs[k], blank(len(m.bytes), m.size), 0
		k++
		outside := func(to int) {
			if !bytes.Equal(m.bytes[end:to], empty[end:to]) {
				c.Errorf("%s: output %d (%d × %d, stride %d): the call wrote outside of it", what, i, m.rows, m.cols, m.stride)
			}
		}
		for r := range m.rows {
			if m.cols == 0 {
				break
			}
			from := (m.offset + r*m.stride) * m.size
			outside(from)
			end = from + m.cols*m.size
			row := m.bytes[from:end]
			if j := firstUnwritten(row, m.isFloat, m.size); j >= 0 {
				c.Errorf("%s: output %d (%d × %d): element %d, %d is not written", what, i, m.rows, m.cols, r, j)
				return
			}
			if bytes.Equal(row, want[from:end]) {
				continue
			}
			for j := range m.cols {
				x, y := row[j*m.size:][:m.size], want[from+j*m.size:][:m.size]
				if !bytes.Equal(x, y) && !(m.nan(x) && m.nan(y)) {
					c.Errorf("%s: output %d (%d × %d) has %x at %d, %d; it had %x at a lower level or alone", what, i, m.rows, m.cols, x, r, j, y)
					return
				}
			}
		}
		outside(len(m.bytes))
	}
}

// firstUnwritten returns the index of the first element that still has the bits of poison, or −1 if
// there is none.
func firstUnwritten(row []byte, isFloat bool, size int) int {
	switch {
	case !isFloat:
	case size == 8:
		want := *(*uint64)(unsafe.Pointer(&poison))
		for j, v := range unsafe.Slice((*uint64)(unsafe.Pointer(&row[0])), len(row)/8) {
			if v == want {
				return j
			}
		}
	default:
		want := *(*uint32)(unsafe.Pointer(&poison32))
		for j, v := range unsafe.Slice((*uint32)(unsafe.Pointer(&row[0])), len(row)/4) {
			if v == want {
				return j
			}
		}
	}
	return -1
}

// repeatTogether repeats the last calls of several cases concurrently and compares the outputs.
func repeatTogether(cases []*Case) {
	var w sync.WaitGroup
	for _, c := range cases {
		if c.last != nil {
			c.reset()
			w.Go(c.last)
		}
	}
	w.Wait()
	for _, c := range cases {
		if c.last != nil {
			c.check("the call beside others")
		}
	}
}

// Alone excludes c from the test that calls several cases concurrently.
func (c *Case) Alone() { c.alone = true }

// Epsilon returns the relative rounding error of T: 2⁻⁵³ or 2⁻²⁴.
func Epsilon[T oracle.Float]() float64 {
	if unsafe.Sizeof(T(0)) == 8 {
		return 0x1p-53
	}
	return 0x1p-24
}

// Least returns the smallest positive number of T.
func Least[T oracle.Float]() float64 {
	if unsafe.Sizeof(T(0)) == 8 {
		return math.SmallestNonzeroFloat64
	}
	return math.SmallestNonzeroFloat32
}

// Normal returns the smallest normal number of T.
func Normal[T oracle.Float]() float64 {
	if unsafe.Sizeof(T(0)) == 8 {
		return 0x1p-1022
	}
	return 0x1p-126
}

// Largest returns the largest number of T.
func Largest[T oracle.Float]() float64 {
	if unsafe.Sizeof(T(0)) == 8 {
		return math.MaxFloat64
	}
	return math.MaxFloat32
}

// Near requires |got − want| ≤ bound. If |want| exceeds the largest number of T by more than bound,
// the result got must be infinite. If |want| is within bound of the largest number, got may also be
// infinite.
func Near[T oracle.Float](c *Case, got T, want oracle.Real, bound float64, what string, of ...any) {
	c.Helper()
	w, g := want.Hi, float64(got)
	switch {
	case w != w:
		if g == g {
			c.Errorf("%s = %v, want NaN", fmt.Sprintf(what, of...), g)
		}
		return
	case math.Abs(w)-bound > Largest[T]() || math.IsInf(w, 0):
		if !math.IsInf(g, 0) || (g < 0) != (w < 0) {
			c.Errorf("%s = %v, want %v", fmt.Sprintf(what, of...), g, w)
		}
		return
	case math.IsInf(g, 0) && math.Abs(w)+bound > Largest[T]() && (g < 0) == (w < 0):
		return
	}
	if d := oracle.Of(g).Sub(want).Abs().Hi; !(d <= bound) {
		c.Errorf("%s = %v, want %v: the difference is %.3g, the bound %.3g", fmt.Sprintf(what, of...), g, w, d, bound)
	}
}

// Values returns a function that draws values for a case. The values are of one kind: normally
// distributed, close to a distant number, small integers with many duplicates, of very different
// magnitudes, or all zero.
func (c *Case) Values() func() float64 {
	scale := 1.0
	if c.Chance(4) {
		scale = math.Ldexp(1, c.IntN(41)-20)
	}
	switch c.IntN(8) {
	case 0:
		far := scale * 100
		return func() float64 { return far + scale*c.NormFloat64() }
	case 1:
		return func() float64 { return scale * float64(c.IntN(5)-2) }
	case 2:
		return func() float64 { return scale * math.Ldexp(c.NormFloat64(), c.IntN(40)-20) }
	case 3:
		if c.Chance(4) {
			return func() float64 { return 0 }
		}
	}
	return func() float64 { return scale * c.NormFloat64() }
}
