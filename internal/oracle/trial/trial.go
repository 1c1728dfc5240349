// Package trial runs comparisons with package oracle, for tests. A [Case] draws sizes, hands out memory that
// betrays what is not written and what must not be, and runs the compared call at every level.
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

// TimeVariable names the environment variable that says for how long each comparison draws new cases: 10s, 1h.
const TimeVariable = "MONGE_ORACLE"

// SeedVariable names the environment variable with the seed of the only case to run.
const SeedVariable = "MONGE_ORACLE_SEED"

// Case is one random case of a comparison.
type Case struct {
	*rand.Rand
	testing.TB
	constants []int
	memory    []*memory
	alone     bool
	work      int // the product of the sizes
	gap       int // rows have 1: no gap, 2: the same gap, more: any gaps between them; 0: not drawn yet
	large     bool
	long      bool     // this is no short run
	last      func()   // the last call, to be made again beside others
	outputs   [][]byte // and what it sets
}

// Run calls f with new cases: a number of them in the short form, twenty times as many with MONGE_LONG=1, and as many
// as there is time for if MONGE_ORACLE is set. Sizes are drawn around the constants of the Go files in some
// folders of the module. A failure names the seed of its case.
func Run(t *testing.T, short int, folders []string, f func(c *Case)) {
	t.Helper()
	if testdata.IsLong() {
		short *= 20
	}
	run(t, short, folders, f)
}

// RunLong is like Run for cases that take too long for the short form. With MONGE_LONG=1 it runs count cases.
func RunLong(t *testing.T, count int, folders []string, f func(c *Case)) {
	t.Helper()
	if !isLong() && os.Getenv(SeedVariable) == "" {
		t.Skip("too slow for the short form")
	}
	run(t, count, folders, f)
}

// isLong reports whether this is no short run.
func isLong() bool { return testdata.IsLong() || os.Getenv(TimeVariable) != "" }

func run(t *testing.T, count int, folders []string, f func(c *Case)) {
	t.Helper()
	constants := Constants(t, folders...)
	var group []*Case // whose memory still exists
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

// Chance reports true once in n.
func (c *Case) Chance(n int) bool { return c.IntN(n) == 0 }

// Size draws a size up to most: 0 and small ones, those around a constant or a small multiple of it, and others. In a
// large case no size is small.
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

// Shape draws sizes up to most: one for each power, so that the product of the sizes to their powers is at most budget.
// Now and then a size is a power of two divided by another size, since some constants limit products.
func (c *Case) Shape(most, budget int, powers ...int) []int {
	s := make([]int, len(powers))
	left, work := float64(budget), 1.0
	order := c.Perm(len(s))
	if c.large && !c.Chance(4) { // the sizes that count most may be large
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

// Large marks the case as one for which the definition in Go is too slow in most runs.
func (c *Case) Large() { c.work = largeWork + 1 }

// largeWork is the largest product of sizes for which all cases call the definition in Go.
const largeWork = 1 << 19

// Budget returns the budget of this case: usually small, so that many cases take little time. It is small where
// there is no assembly, and eight times large now and then in long runs.
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

// memory is a slice of a call, and what surrounds it.
type memory struct {
	bytes, before []byte // of the whole region
	free          func()
	input         bool
	size          int // of an element
	// The elements that belong to the matrix.
	offset, rows, cols, stride int
	isFloat                    bool
	nan                        func(b []byte) bool // whether the element is a NaN
}

// poison fills what is not part of the call, and outputs, with NaN of a pattern that no arithmetic has as its result.
var poison = [8]byte{0x01, 0x00, 0xef, 0xbe, 0xad, 0xde, 0xf8, 0x7f}

var poison32 = [8]byte{0xad, 0xde, 0xc0, 0x7f, 0xad, 0xde, 0xc0, 0x7f}

// blank returns n bytes of poison for elements of this size, not to be changed.
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

// View is a matrix in guarded memory. Its fields are those of dist.Matrix.
type View[E any] struct {
	Rows, Cols int
	Data       []E
	Stride     int
}

// alloc returns a rows × cols view with padding between its rows, in memory that is poisoned.
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
	if !ok { // a frame
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

// stride draws the elements from one row to the next. The matrices of a case often have the same gap between rows, so that
// different ones have equal strides.
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

// Matrix returns a rows × cols input with these elements.
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

// Vector returns n elements that the call may only read.
func Vector[E any](c *Case, n int, value func(i int) E) []E {
	return Matrix(c, 1, n, func(_, j int) E { return value(j) }).Data
}

// Output returns a rows × cols matrix that the call sets.
func Output[E any](c *Case, rows, cols int) View[E] {
	_, v := alloc[E](c, rows, cols, c.stride(cols))
	return v
}

// OutputVector returns n elements that the call sets.
func OutputVector[E any](c *Case, n int) []E { return Output[E](c, 1, n).Data }

// InPlace returns elements that the call reads and sets.
func InPlace[E any](c *Case, rows, cols int, value func(i, j int) E) View[E] {
	v := Matrix(c, rows, cols, value)
	c.memory[len(c.memory)-1].input = false
	return v
}

// Row returns row i, nil if there are no columns.
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

// Call calls f at every level of the machine, the definition in Go first, which is left out of most large cases. Outputs are poisoned before each. All calls
// must set the same elements to the same bits, and leave everything else as it was. The last f of a case is called
// once more, at the same time as those of other cases, unless the case is [Case.Alone].
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
				continue // other levels do not read the table
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

// check requires that inputs and what surrounds outputs are unchanged, and that outputs are written and have the
// bits of the first call, but for those of NaN.
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
			if j := unwritten(row, m.isFloat, m.size); j >= 0 {
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

// unwritten returns the index of the first element that is still poison, or −1.
func unwritten(row []byte, isFloat bool, size int) int {
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

// repeatTogether makes the last calls of several cases at once, in goroutines of their own, and compares the outputs.
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

// Alone forbids concurrent calls of this case.
func (c *Case) Alone() { c.alone = true }

// Epsilon returns the rounding error of T: 2⁻⁵³ or 2⁻²⁴.
func Epsilon[T oracle.Float]() float64 {
	if unsafe.Sizeof(T(0)) == 8 {
		return 0x1p-53
	}
	return 0x1p-24
}

// Least returns the smallest positive number of T, and Largest the largest.
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

// Near requires |got − want| ≤ bound. What is beyond T must be infinite, and may be so if it is just below.
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

// Values returns a family of values for a case: normal ones, all near a point that is far away, small integers with
// many equal ones, of many sizes, all zero.
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
