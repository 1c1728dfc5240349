package quantize

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/codes"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/nearest"
	"github.com/gomonge/monge/internal/random"
)

// randomRows returns n rows of random codes. The code c stands for a vector with the components
// value(k, c). If bits is 0, every component has its own code of 8 bits, as in Grid.
func randomRows(n, dim, parts, bits int, value func(k, c int) float64) *Rows {
	if bits == 0 {
		parts, bits = dim, 8
	}
	book := matrix.New[float32](dim, 1<<bits, nil)
	for k := range dim {
		for c := range book.Cols {
			book.Set(k, c, float32(value(k, c)))
		}
	}
	rng := random.New(5, uint64(dim))
	c := make([]byte, n*parts)
	for i := range c {
		c[i] = byte(rng.Uint64()) >> (8 - bits)
	}
	r := New(parts, bits, matrix.Matrix[float64]{}, book).Pack(c)
	r.filter = newFilter(r) // use the filter even if it saves no time
	return r
}

// TestFilter checks that a search with a filter returns bit-identical results to a search through
// all distances. Cases include many equal distances, tables of different ranges, and non-finite
// distances.
func TestFilter(t *testing.T) {
	rng := random.New(9, 1)
	normal := func(int, int) float64 { return random.Normal(rng) }
	values := map[string]func(k, c int) float64{
		"normal":      normal,
		"ties":        func(int, int) float64 { return float64(rng.IntN(3)) },
		"equal":       func(k, _ int) float64 { return float64(k) },
		"one differs": func(k, c int) float64 { return float64(k + c/255) },
		"sizes":       func(k, _ int) float64 { return math.Ldexp(random.Normal(rng), -7*k) },
		"far":         func(int, int) float64 { return 3e4 + random.Normal(rng) },
		"tiny":        func(int, int) float64 { return 1e-21 * random.Normal(rng) },
		"an outlier": func(k, c int) float64 {
			if k == 1 && c == 3 {
				return 1e15
			}
			return random.Normal(rng)
		},
		"steps": func(_, c int) float64 { return float64(c) / 16 },
	}
	const n = 3001
	var s Scratch
	for name, value := range values {
		for _, c := range []struct{ dim, parts, bits int }{{8, 4, 8}, {7, 7, 8}, {3, 1, 8}, {6, 6, 0}, {8, 8, 4}, {7, 5, 4}} {
			r := randomRows(n, c.dim, c.parts, c.bits, value)
			like := make([]float64, c.dim) // a row
			r.Row(like, n/2)
			between := make([]float64, c.dim)
			for k := range between {
				between[k] = like[k] + value(k, 0)/8
			}
			for at, query := range [][]float64{like, between, make([]float64, c.dim), constantQuery(c.dim, 1e6), constantQuery(c.dim, 1e19), constantQuery(c.dim, math.NaN()), constantQuery(c.dim, math.Inf(1))} {
				for lv := range asmtest.Each(t) {
					for _, k := range []int{1, 5, 300} {
						checkNearest(t, fmt.Sprintf("%v, %s, %+v, query %d", lv, name, c, at), r, query, k, &s)
					}
				}
			}
		}
	}
}

// checkNearest compares Nearest with the distances of all rows.
func checkNearest(t *testing.T, what string, r *Rows, query []float64, k int, s *Scratch) {
	t.Helper()
	var got, want nearest.Set[float32]
	query32 := make([]float32, len(query))
	for i, x := range query {
		query32[i] = float32(x)
	}
	got.Reset(k)
	if err := Nearest(t.Context(), &got, r, query32, s); err != nil {
		t.Fatal(err)
	}
	want.Reset(k)
	for i := range r.n {
		want.Offer(float32(tableSum(r, s, i)), i)
	}
	got.Sort()
	want.Sort()
	if !slices.Equal(got.Rows(), want.Rows()) || !slices.Equal(got.Distances(), want.Distances()) {
		t.Fatalf("%s, k = %d: %v at %v, want %v at %v", what, k, got.Rows(), got.Distances(), want.Rows(), want.Distances())
	}
}

// TestBounds checks that the lower bound of each row does not exceed the distance between the row and
// the query. It also checks that few rows have a bound below the distance of the fifth-nearest row.
func TestBounds(t *testing.T) {
	y := correlated(3, 3000, 16)
	for _, c := range []struct{ parts, bits, most int }{{16, 4, 50}, {16, 0, 600}, {8, 8, 300}} {
		r := trainRows(t, y, c.parts, c.bits, 1)
		r.filter = newFilter(r)
		var s Scratch
		fillTables(&s, r, correlated(9, 1, 16).Row(0))
		b := &s.bounds
		if !b.setTables(r, s.tables) {
			t.Fatal("no bounds")
		}
		var set nearest.Set[float64]
		set.Reset(5)
		for i := range r.n {
			set.Offer(tableSum(r, &s, i), i)
		}
		for _, bound := range []float64{math.Inf(1), set.Bound()} {
			b.setStep(bound)
			b.sumSteps(0, r.n)
			for i, steps := range b.steps[:r.n] {
				if exact := tableSum(r, &s, i); b.base+b.step*float64(steps) > exact*(1+1e-5) {
					t.Fatalf("%+v, row %d: %d steps of %v and %v are above %v", c, i, steps, b.step, b.base, exact)
				}
			}
		}
		limit := b.stepLimit(set.Bound())
		if !b.selectCandidates(r.n, limit, c.most) || len(b.candidates) < 5 {
			t.Errorf("%+v: %d of %d rows or more are within the bound", c, len(b.candidates), r.n)
		}
		for i, steps := range b.steps[:r.n] {
			if (steps <= limit) != slices.Contains(b.candidates, int32(i)) {
				t.Errorf("%+v: row %d has %d steps of %d", c, i, steps, limit)
			}
		}
		if b.selectCandidates(r.n, limit, len(b.candidates)-1) {
			t.Errorf("%+v: more rows than allowed", c)
		}
	}
}

// TestManyParts checks that sums of many parts stay below 2¹⁵, as selectCandidates requires, and that the nearest rows
// are correct.
func TestManyParts(t *testing.T) {
	rng := random.New(4, 1)
	normal := func(int, int) float64 { return random.Normal(rng) }
	for _, bits := range []int{0, 4} {
		for _, dim := range []int{128, 129, 256} {
			r := randomRows(minFilterRows+70, dim, dim, bits, normal)
			var s Scratch
			for _, query := range [][]float64{constantQuery(dim, 0), constantQuery(dim, 1e6)} {
				fillTables(&s, r, query)
				if !s.bounds.setTables(r, s.tables) {
					t.Fatal("no bounds")
				}
				for _, bound := range []float64{math.Inf(1), s.bounds.base} {
					s.bounds.setStep(bound)
					for i := range s.bounds.coarse[:groupCount*s.bounds.filter.parts] {
						s.bounds.coarse[i] = slices.Max(s.bounds.coarse)
					}
					s.bounds.sumSteps(0, r.n)
					all := s.bounds.steps[0] // the value of every sum
					if all >= 1<<15 || s.bounds.findLimit(r.n, 1) != all || s.bounds.countWithin(r.n, all) != r.n || s.bounds.countWithin(r.n, all-1) != 0 {
						t.Errorf("%d parts of %d bits: sums of %d steps, limit %d", dim, r.bits, all, s.bounds.findLimit(r.n, 1))
					}
				}
				checkNearest(t, fmt.Sprintf("%d parts of %d bits", dim, r.bits), r, query, 5, &s)
			}
		}
	}
}

// TestProbe checks that the bound of probeDistance for k rows contains k to k + 2 rows, if the
// nearest rows are among the probed rows. If k is too large, the bound must be +Inf. A search whose
// set is already full must still find nearer rows.
func TestProbe(t *testing.T) {
	const all, dim = 4 * probeBlocks, 4
	rng := random.New(8, 1)
	book := matrix.New[float32](dim, 16, nil)
	for i := range book.Data {
		book.Data[i] = float32(random.Normal(rng))
	}
	for k := range dim {
		book.Set(k, 15, 1000)
	}
	c := make([]byte, all*codes.Block*dim)
	for i := range c {
		if c[i] = byte(rng.IntN(15)); i/dim/codes.Block%4 != 0 {
			c[i] = 15
		}
	}
	r := New(dim, 4, matrix.Matrix[float64]{}, book).Pack(c)
	var s Scratch
	for range 20 {
		fillTables(&s, r, []float64{random.Normal(rng), random.Normal(rng), random.Normal(rng), random.Normal(rng)})
		if !s.bounds.setTables(r, s.tables) {
			t.Fatal("no bounds")
		}
		for _, want := range []int{1, 2, 5, 20} {
			bound, near := probeDistance(r, &s, want), 0
			for i := range r.n {
				if tableSum(r, &s, i) <= bound {
					near++
				}
			}
			if near < want || near > want+2 {
				t.Errorf("%d rows are within the bound of %d", near, want)
			}
		}
		if !math.IsInf(probeDistance(r, &s, all*codes.Block/4), 1) {
			t.Error("a bound of more rows than it looks at")
		}
	}
	var set nearest.Set[float64]
	const k = 50
	r = randomRows(all*codes.Block, 8, 8, 4, func(int, int) float64 { return random.Normal(rng) })
	set.Reset(k)
	for i := range k {
		set.Offer(1e9, r.n+i)
	}
	if err := Nearest(t.Context(), &set, r, constantQuery(8, 0.3), &s); err != nil {
		t.Fatal(err)
	}
	if set.Sort(); slices.Max(set.Rows()) >= r.n {
		t.Errorf("rows that are nearer than far ones do not enter: %v", set.Rows())
	}
}

// TestLimitOf checks findLimit and countWithin, including the padding of the last block.
func TestLimitOf(t *testing.T) {
	rng := random.New(6, 1)
	r := randomRows(1000, 8, 8, 4, func(int, int) float64 { return random.Normal(rng) })
	var s Scratch
	fillTables(&s, r, constantQuery(8, 0.5))
	b := &s.bounds
	if !b.setTables(r, s.tables) {
		t.Fatal("no bounds")
	}
	b.setStep(math.Inf(1))
	b.sumSteps(0, r.n)
	for _, n := range []int{1, 30, 257, 1000} {
		sorted := slices.Sorted(slices.Values(b.steps[:n]))
		for _, limit := range []uint16{0, sorted[0], sorted[n/2], sorted[n-1], math.MaxUint16} {
			want := 0
			for _, s := range sorted {
				if s <= limit {
					want++
				}
			}
			if got := b.countWithin(n, limit); got != want {
				t.Errorf("%d of %d sums are at most %d, want %d", got, n, limit, want)
			}
		}
		for _, want := range []int{1, 5, n} {
			if want = min(want, n); b.findLimit(n, want) < sorted[want-1] {
				t.Errorf("the limit of %d sums of %d is %d, want %d or more", want, n, b.findLimit(n, want), sorted[want-1])
			}
			if some := b.countWithin(n, b.findLimit(n, want)); some >= 2*want && b.findLimit(n, want) > sorted[want-1] {
				t.Errorf("%d sums are within the limit of %d", some, want)
			}
		}
	}
}

// TestGroups checks that the 16 groups have 16 vectors each and are narrower than the codebook.
func TestGroups(t *testing.T) {
	rng := random.New(3, 1)
	book := matrix.New[float32](2, 256, nil)
	for i := range book.Data {
		book.Data[i] = float32(random.Normal(rng))
	}
	member := make([]byte, 256)
	groupVectors(member, book)
	if all := slices.Sorted(slices.Values(member)); all[0] != 0 || all[255] != 255 || len(slices.Compact(all)) != 256 {
		t.Fatalf("not every vector once: %v", member)
	}
	within := 0.
	for g := range groupCount {
		within += sumSquaredDeviations(book, member[groupCount*g:][:groupCount])
	}
	if all := sumSquaredDeviations(book, member); !(within < 0.15*all) {
		t.Errorf("%v of %v is within groups", within, all)
	}
	if r := randomRows(minFilterRows-1, 2, 2, 8, func(int, int) float64 { return random.Normal(rng) }); r.filter.parts != 0 {
		t.Error("a filter of few rows")
	}
}

// TestPays checks that Pack makes a filter for rows with near neighbors, and no filter for rows
// without near neighbors.
func TestPays(t *testing.T) {
	const parts, classes = 8, 30
	rng := random.New(2, 1)
	book := matrix.New[float32](8*parts, 256, nil)
	for i := range book.Data {
		book.Data[i] = float32(random.Normal(rng))
	}
	for _, kept := range []int{0, parts - 1} { // number of codes that are equal in all rows of a class
		c := make([]byte, minFilterRows*parts)
		for i := range c {
			if c[i] = byte(rng.Uint64()); i >= classes*parts && i%parts < kept {
				c[i] = c[i-classes*parts]
			}
		}
		r := New(parts, 8, matrix.Matrix[float64]{}, book).Pack(c)
		if r.filter.parts > 0 != (kept > 0) {
			t.Errorf("%d codes of a class: a filter of %d parts", kept, r.filter.parts)
		}
	}
	if r := New(parts, 8, matrix.Matrix[float64]{}, book).Pack(make([]byte, minFilterRows*parts)); r.filter.parts > 0 {
		t.Error("a filter of equal rows")
	}
}
