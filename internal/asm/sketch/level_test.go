package sketch

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

// bytesOf returns n bytes in the memory of an arena, with values from draw. n must be a multiple of 4.
func bytesOf(a *asmtest.Arena[float32], n int, draw func() uint8) []uint8 {
	in := a.InOut(n/4, asmtest.Gauss)
	b := unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(in))), n)
	for i := range b {
		b[i] = draw()
	}
	return b
}

func asInt8(b []uint8) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

// A problem contains the arguments of Filter or FilterOne, in the memory of an arena.
type problem struct {
	masks   []uint32
	codes   []uint8
	groups  []Group
	queries []int8
	numbers []Query
}

// newProblem returns a problem with n groups, m queries and d features. Some thresholds are exactly the bound of a row.
func newProblem(a *asmtest.Arena[float32], n, m, d int, class asmtest.Class) problem {
	code := func() uint8 { return uint8(a.Rand.IntN(128)) }
	if a.Rand.IntN(4) == 0 {
		code = func() uint8 { return 127 }
	}
	p := problem{
		masks:   unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(a.Out(n*m)))), n*m),
		codes:   bytesOf(a, n*d*Rows, code),
		groups:  unsafe.Slice((*Group)(unsafe.Pointer(unsafe.SliceData(a.In(n*3*Rows, class)))), n),
		queries: asInt8(bytesOf(a, m*d, func() uint8 { return uint8(a.Rand.Uint32()) })),
		numbers: unsafe.Slice((*Query)(unsafe.Pointer(unsafe.SliceData(a.InOut(m*5, class)))), m),
	}
	for j := range p.numbers {
		q := &p.numbers[j]
		q.Start = int32(a.Rand.Uint32()) >> a.Rand.IntN(32)
		if n > 0 && a.Rand.IntN(2) == 0 { // set the threshold to a bound, so that an error in the last bit of this bound changes the mask
			g, i := a.Rand.IntN(n), a.Rand.IntN(Rows)
			q.Threshold = p.value(g, i, j, d)
		}
	}
	return p
}

// value returns the bound that Filter compares with the threshold, for row i of group g and query j. It finds the bound by
// bisection.
func (p *problem) value(g, i, j, d int) float32 {
	at := func(order int64) float32 { // maps ascending integers to ascending float32 numbers
		if order < 0 {
			return math.Float32frombits(1<<31 | uint32(-order))
		}
		return math.Float32frombits(uint32(order))
	}
	lo, hi := int64(-0x7f800000), int64(0x7f800001)
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		q := p.numbers[j]
		q.Threshold = at(mid)
		if maskRef(p.codes[g*d*Rows:], &p.groups[g], d/Step, p.queries, j*Step, len(p.numbers)*Step, &q)>>i&1 == 1 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return at(lo)
}

// TestLevels compares every instruction-set level with the Go reference implementation, for all sizes and classes of values. It
// runs with and without optional instructions such as VNNI.
func TestLevels(t *testing.T) {
	asmtest.EachExtensions(t, func() { compareLevels(t) })
}

func compareLevels(t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range []int{0, 1, 2, 3, 5} {
			for _, d := range []int{0, 4, 8, 12, 16, 20, 64, 100} {
				seed++
				for _, m := range []int{1, Queries} {
					asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
						p := newProblem(a, n, m, d, class)
						if m == 1 {
							FilterOne(p.masks, p.codes, p.groups, p.queries, &p.numbers[0])
						} else {
							Filter(p.masks, p.codes, p.groups, p.queries, (*[Queries]Query)(p.numbers))
						}
						numbers := a.Out(2 * n * m) // each half of a mask as a number, because the bits of a mask may form a NaN
						for i, mask := range p.masks {
							numbers[2*i], numbers[2*i+1] = float32(mask&0xffff), float32(mask>>16)
						}
					})
				}
				if t.Failed() {
					t.Fatalf("class %v, n = %d, d = %d", class, n, d)
				}
			}
		}
	}
}

// TestQuantizeLevels is like TestLevels, but for QuantizeRow and QuantizeQuery. The test varies the position of the row in
// its group.
func TestQuantizeLevels(t *testing.T) {
	seed := uint64(0)
	for _, class := range []asmtest.Class{asmtest.Gauss, asmtest.Unit, asmtest.Wide} {
		for _, d := range []int{0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 60, 64, 68, 100, 384} {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
				none := func() uint8 { return 0 }
				x, row := a.In(d, class), bytesOf(a, d*Rows, none)
				if i := int(seed*7) % (4 * Rows); d > 0 && i%4 == 0 {
					row = row[i:]
				}
				s, square, rest := QuantizeRow(row, x)
				numbers := a.Out(11)
				set := func(at int, s float32, sums ...float64) {
					numbers[at] = s
					for i, sum := range sums { // stores every float64 as the sum of two float32 values
						numbers[at+1+2*i] = float32(sum)
						numbers[at+2+2*i] = float32(sum - float64(float32(sum)))
					}
				}
				set(0, s, square, rest)
				stride := []int{Step, Queries * Step}[seed%2]
				query := asInt8(bytesOf(a, max(d/Step*stride, 0), none))
				s, sum, square, rest := QuantizeQuery(query, stride, x)
				set(5, s, square, rest)
				numbers[10] = float32(sum)
				codes := a.Out(len(query)) // the codes as float32 numbers, because the bytes of four codes could form a NaN
				for k, p := range query {
					codes[k] = float32(p)
				}
			})
			if t.Failed() {
				t.Fatalf("class %v, d = %d", class, d)
			}
		}
	}
}

// TestPieces checks that the mask of a group does not depend on the other groups, even if the groups need several calls of
// assembly.
func TestPieces(t *testing.T) {
	const n, d = 300, 128
	rng := asmtest.NewRand(4)
	codes, query, groups := make([]uint8, n*d*Rows), make([]int8, d), make([]Group, n)
	x := make([]float32, d)
	for g := range groups {
		for i := range Rows {
			for k := range x {
				x[k] = float32(rng.NormFloat64())
			}
			groups[g].Scale[i], _, _ = QuantizeRow(codes[g*d*Rows+i*Step:], x)
		}
	}
	var q Query
	_, sum, _, _ := QuantizeQuery(query, Step, x)
	q.Start, q.Threshold = -zero*sum, 1000
	want, got := make([]uint32, n), make([]uint32, n)
	filterOneRef(want, codes, groups, query, &q)
	block := make([]int8, Queries*d)
	var numbers [Queries]Query
	for j := range numbers {
		numbers[j] = q
		QuantizeQuery(block[j*Step:], Queries*Step, x)
	}
	many := make([]uint32, n*Queries)
	asmtest.EachExtensions(t, func() {
		for lv := range asmtest.Each(t) {
			clear(got)
			FilterOne(got, codes, groups, query, &q)
			Filter(many, codes, groups, block, &numbers)
			set := 0
			for g := range want {
				if got[g] != want[g] || many[g*Queries] != want[g] || many[g*Queries+Queries-1] != want[g] {
					t.Fatalf("%v: group %d: %#x, %#x, want %#x", lv, g, got[g], many[g*Queries], want[g])
				}
				if want[g] != 0 {
					set++
				}
			}
			if set < n/10 || want[n-1] == 0xffffffff {
				t.Fatal("the thresholds do not divide the rows:", set)
			}
		}
	})
}

func TestPanics(t *testing.T) {
	var q [Queries]Query
	codes, groups, masks := make([]uint8, 8*Rows), make([]Group, 1), make([]uint32, Queries)
	for name, f := range map[string]func(){
		"features":         func() { FilterOne(masks, codes, groups, make([]int8, 6), &q[0]) },
		"too many":         func() { FilterOne(masks, codes, nil, make([]int8, MaxFeatures+4), &q[0]) },
		"masks":            func() { Filter(masks[1:], codes, groups, make([]int8, 8*Queries), &q) },
		"codes":            func() { FilterOne(masks, codes[1:], groups, make([]int8, 8), &q[0]) },
		"queries":          func() { Filter(masks, codes, groups, make([]int8, 8*Queries-4), &q) },
		"quantize":         func() { QuantizeRow(codes, make([]float32, 5)) },
		"quantize, codes":  func() { QuantizeRow(codes[:stepBytes+3], make([]float32, 8)) },
		"quantize, stride": func() { QuantizeQuery(make([]int8, 64), 3, make([]float32, 8)) },
	} {
		func() {
			defer func() {
				if r := recover(); r == nil {
					t.Errorf("%s: no panic", name)
				} else if _, ok := r.(string); !ok {
					t.Errorf("%s: %s", name, fmt.Sprint(r))
				}
			}()
			f()
		}()
	}
}
