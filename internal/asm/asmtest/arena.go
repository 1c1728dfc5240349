package asmtest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/testdata"
)

// memory is the kind of memory in which an arena puts its slices.
type memory int

const (
	framed  memory = iota // slices between NaN guards, at varying offsets
	atEnd                 // slices that end directly before an unreadable page
	atStart               // slices that begin directly after an unreadable page
	numMemory
)

func (m memory) String() string { return [...]string{"framed", "end", "start"}[m] }

// guard is the minimum number of NaN elements before and after a framed slice. It exceeds the
// length of the widest vector store.
const guard = 32

// Arena provides the slices of one call of a kernel. Two arenas with the same seed provide the same
// slices. A test can therefore repeat a call at another instruction-set level and compare all
// memory.
type Arena[T num.Float] struct {
	Rand   *rand.Rand // generator of shapes and scalars
	source *rand.PCG  // state of Rand
	mem    memory
	bufs   []buffer[T]
	free   []func()
	first  *Arena[T] // arena of the call at level asm.Ref, from which this arena copies values; nil in that call

	narrow *Arena[float32]
}

type buffer[T num.Float] struct {
	whole, body []T
	before      []T      // values before the call; nil for slices from Out
	after       rand.PCG // state of the generator after the values were drawn
	input       bool
}

// Narrow returns the arena for the float32 slices of a call with mixed types.
func (a *Arena[T]) Narrow() *Arena[float32] {
	if a.narrow == nil {
		a.narrow = &Arena[float32]{Rand: a.Rand, source: a.source, mem: a.mem}
		if a.first != nil {
			a.narrow.first = a.first.Narrow()
		}
	}
	return a.narrow
}

// In returns n values of class c that the kernel may only read.
func (a *Arena[T]) In(n int, c Class) []T {
	b := a.filled(n, c)
	b.input = true
	a.bufs = append(a.bufs, b)
	return b.body
}

// filled returns n values of class c. If a.first is not nil, filled copies the values from a.first.
func (a *Arena[T]) filled(n int, c Class) buffer[T] {
	b := a.alloc(n)
	if a.first != nil && len(a.bufs) < len(a.first.bufs) {
		like := &a.first.bufs[len(a.bufs)]
		copy(b.body, like.before)
		*a.source = like.after
		b.before = like.before
		return b
	}
	Fill(a.Rand, b.body, c)
	b.before, b.after = slices.Clone(b.body), *a.source
	return b
}

// InOf is like Arena.In, but returns elements of type K, which must be T or float32.
func InOf[K, T num.Float](a *Arena[T], n int, c Class) []K {
	if own, ok := any(a).(*Arena[K]); ok {
		return own.In(n, c)
	}
	return any(a.Narrow().In(n, c)).([]K)
}

// InOut returns n values of class c that the kernel may change.
func (a *Arena[T]) InOut(n int, c Class) []T {
	b := a.filled(n, c)
	a.bufs = append(a.bufs, b)
	return b.body
}

// Out returns n elements that the kernel must set. Before the call, these elements are NaN.
func (a *Arena[T]) Out(n int) []T {
	b := a.alloc(n)
	Set(b.body, sentinel[T]())
	a.bufs = append(a.bufs, b)
	return b.body
}

func (a *Arena[T]) alloc(n int) buffer[T] {
	if a.mem != framed {
		if s, free, ok := pages[T](n, a.mem == atEnd); ok {
			a.free = append(a.free, free)
			return buffer[T]{whole: s, body: s}
		}
	}
	off := guard + a.Rand.IntN(8)
	whole := make([]T, off+n+guard)
	Set(whole[:off], sentinel[T]())
	Set(whole[off+n:], sentinel[T]())
	return buffer[T]{whole: whole, body: whole[off : off+n : off+n]}
}

// spare contains the unused regions between unreadable pages. The key is the size of a region in
// bytes. Creating a new region takes four system calls.
var spare = make(map[int][]unsafe.Pointer)

// pages returns n elements that end directly before, or begin directly after, a page that can be
// neither read nor written. pages must not be called concurrently.
func pages[T num.Float](n int, end bool) (s []T, free func(), ok bool) {
	var x T
	b, free, ok := Guarded(n*int(unsafe.Sizeof(x)), end)
	if !ok {
		return nil, nil, false
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)[:n:n], free, true
}

// Guarded returns a slice of the given size that ends directly before, or begins directly after, a
// page that can be neither read nor written. The slice is valid until the function free is called.
// Guarded reports false if the system has no such pages. Guarded must not be called concurrently.
func Guarded(size int, end bool) (b []byte, free func(), ok bool) {
	page := os.Getpagesize()
	room := (size + page) / page * page // at least one page: a slice of size 0 also needs an address
	var base unsafe.Pointer
	if last := len(spare[room]) - 1; last >= 0 {
		base, spare[room] = spare[room][last], spare[room][:last]
	} else if base, ok = reserve(page, room); !ok {
		return nil, nil, false
	}
	at := base
	if end {
		at = unsafe.Add(base, room-size)
	}
	return unsafe.Slice((*byte)(at), size)[:size:size], func() { spare[room] = append(spare[room], base) }, true
}

func (a *Arena[T]) release() {
	for _, f := range a.free {
		f()
	}
	if a.narrow != nil {
		a.narrow.release()
	}
}

// sentinel returns the NaN that fills the guards. Arithmetic does not produce this NaN. A test
// therefore notices if a kernel overwrites a guard, even with a different NaN.
func sentinel[T num.Float]() T {
	if num.IsFloat64[T]() {
		return T(math.Float64frombits(0x7ff8_dead_beef_0001))
	}
	return T(math.Float32frombits(0x7fc0_dead))
}

// Compare calls f at Ref and at every other instruction-set level of this machine, each time with
// the same slices. The slices lie between guards, directly before an unreadable page, or directly
// after an unreadable page. Compare checks that the results have the same bits, that guards are
// intact, and that inputs are unchanged. f must take all memory from the arena. If MONGE_LONG=1,
// Compare repeats the calls with all three kinds of memory. Otherwise the seed chooses one kind.
func Compare[T num.Float](t *testing.T, seed uint64, f func(a *Arena[T])) {
	t.Helper()
	levels := Levels(t)
	for mem := range numMemory {
		if !testdata.IsLong() && mem != memory(seed%uint64(numMemory)) {
			continue
		}
		want := run(t, seed, mem, asm.Ref, nil, f)
		want.check(t, fmt.Sprintf("%v, %v", asm.Ref, mem))
		for _, lv := range levels {
			got := run(t, seed, mem, lv, want, f)
			what := fmt.Sprintf("%v, %v", lv, mem)
			got.check(t, what)
			got.equal(t, want, what)
			got.release()
		}
		want.release()
		if t.Failed() {
			return
		}
	}
}

func run[T num.Float](t *testing.T, seed uint64, mem memory, lv asm.Level, first *Arena[T], f func(*Arena[T])) *Arena[T] {
	t.Helper()
	source := rand.NewPCG(seed, 1)
	a := &Arena[T]{Rand: rand.New(source), source: source, mem: mem, first: first}
	At(t, lv, func() { f(a) })
	return a
}

// check reports an error if a guard or an input was changed.
func (a *Arena[T]) check(t *testing.T, what string) {
	t.Helper()
	if a.narrow != nil {
		a.narrow.check(t, what+", float32")
	}
	for k, b := range a.bufs {
		if len(b.whole) > len(b.body) {
			n := len(b.body)
			lo := len(b.whole) - guard - n
			outside := func(from, to int) {
				t.Helper()
				for i, x := range b.whole[from:to] {
					if Bits(x) != Bits(sentinel[T]()) {
						t.Errorf("%s: slice %d: element %d outside of its %d was overwritten by %v", what, k, from+i-lo, n, x)
					}
				}
			}
			outside(0, lo)
			outside(lo+n, len(b.whole))
		}
		if !b.input || equalBits(b.before, b.body) {
			continue
		}
		for i, x := range b.before {
			if Bits(x) != Bits(b.body[i]) {
				t.Errorf("%s: slice %d: input %d was changed from %v to %v", what, k, i, x, b.body[i])
			}
		}
	}
}

func (a *Arena[T]) equal(t *testing.T, want *Arena[T], what string) {
	t.Helper()
	if len(a.bufs) != len(want.bufs) {
		t.Fatalf("%s: the call took %d slices, at ref %d", what, len(a.bufs), len(want.bufs))
	}
	if a.narrow != nil {
		a.narrow.equal(t, want.Narrow(), what+", float32")
	}
	for k, b := range a.bufs {
		wb := want.bufs[k].body
		if equalBits(b.body, wb) {
			continue
		}
		for i, x := range b.body {
			if !SameBits(x, wb[i]) {
				t.Errorf("%s: slice %d of %d elements: [%d] = %v (%#x), ref has %v (%#x)", what, k, len(wb), i, x, Bits(x), wb[i], Bits(wb[i]))
				break
			}
		}
	}
}

// equalBits reports whether two slices of equal length have the same bits, even where they contain
// NaN.
func equalBits[T num.Float](x, y []T) bool {
	var zero T
	raw := func(s []T) []byte {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
	}
	return bytes.Equal(raw(x), raw(y))
}
