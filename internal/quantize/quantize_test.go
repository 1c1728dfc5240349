package quantize

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/nearest"
	"github.com/gomonge/monge/internal/random"
	"github.com/gomonge/monge/internal/testdata"
)

// correlated returns n rows of dim mixed components with descending variances.
func correlated(seed uint64, n, dim int) matrix.Matrix[float64] {
	rng := random.New(seed, 1)
	mix, y := matrix.New[float64](dim, dim, nil), matrix.New[float64](n, dim, nil)
	for i := range mix.Data {
		mix.Data[i] = random.Normal(rng)
	}
	row := make([]float64, dim)
	for i := range n {
		for k := range row {
			row[k] = random.Normal(rng) / float64(1+k)
		}
		matrix.MulVec(y.Row(i), mix, row)
	}
	return y
}

// trainRows trains a quantizer on y and returns the encoded rows. If bits is 0, the quantizer comes
// from the function Grid.
func trainRows(t testing.TB, y matrix.Matrix[float64], parts, bits, workers int) *Rows {
	t.Helper()
	var q *Quantizer
	if bits == 0 {
		offset, scale, err := GridOf(y)
		if err != nil {
			t.Fatal(err)
		}
		q = Grid(offset, scale)
	} else {
		var err error
		if q, err = Train(t.Context(), y, parts, bits, workers); err != nil {
			t.Fatal(err)
		}
	}
	c, err := q.Encode(t.Context(), y)
	if err != nil {
		t.Fatal(err)
	}
	return q.Pack(c)
}

// meanSquaredError returns the mean squared distance between rows and decoded rows.
func meanSquaredError(r *Rows, y matrix.Matrix[float64]) float64 {
	got, sum := make([]float64, y.Cols), 0.
	for i := range y.Rows {
		r.Row(got, i)
		for k, x := range y.Row(i) {
			sum += float64((x - got[k]) * (x - got[k]))
		}
	}
	return sum / float64(y.Rows)
}

// TestNearest checks that Nearest returns the smallest of all distances in ascending order, for
// many numbers of rows, parts, bits and neighbors. The distances must be the distances between the
// query and the decoded rows.
func TestNearest(t *testing.T) {
	var s Scratch
	var got, want nearest.Set[float64]
	for _, n := range []int{1, 31, 32, 33, 300, 1024, 2111} {
		for _, c := range []struct{ dim, parts, bits int }{{1, 1, 0}, {5, 5, 0}, {6, 2, 8}, {7, 3, 8}, {7, 3, 4}, {8, 8, 4}, {9, 1, 4}} {
			if n > 300 && (c.dim < 7 && c.bits != 0 || c.bits == 8) {
				continue
			}
			y := correlated(uint64(n), n, c.dim)
			r := trainRows(t, y, c.parts, c.bits, 1)
			if r.Len() != n || r.Dim() != c.dim {
				t.Fatal(r.Len(), r.Dim())
			}
			for lv := range asmtest.Each(t) {
				for trial, query := range [][]float64{y.Row(n / 2), correlated(77, 1, c.dim).Row(0), make([]float64, c.dim), constantQuery(c.dim, 1e6), constantQuery(c.dim, 1e25)} {
					k := []int{1, 2, 5, n, 7}[trial]
					got.Reset(min(k, n))
					if err := Nearest(t.Context(), &got, r, query, &s); err != nil {
						t.Fatal(err)
					}
					want.Reset(min(k, n))
					row := make([]float64, c.dim)
					for i := range n {
						r.Row(row, i)
						var d float64
						for l, x := range row {
							d += float64((x - query[l]) * (x - query[l]))
						}
						exact := tableSum(r, &s, i)
						if math.Abs(exact-d) > 1e-4*(d+float64(c.dim)) && d < 1e30 {
							t.Fatalf("%v, %d rows, %+v, query %d: row %d is at %v, the tables say %v", lv, n, c, trial, i, d, exact)
						}
						want.Offer(exact, i)
					}
					got.Sort()
					want.Sort()
					if fmt.Sprint(got.Rows(), got.Distances()) != fmt.Sprint(want.Rows(), want.Distances()) {
						t.Fatalf("%v, %d rows, %+v, query %d: %v at %v, want %v at %v", lv, n, c, trial, got.Rows(), got.Distances(), want.Rows(), want.Distances())
					}
				}
			}
		}
	}
}

func constantQuery(dim int, x float64) []float64 {
	v := make([]float64, dim)
	for k := range v {
		v[k] = x
	}
	return v
}

// tableSum returns the distance of row i from the query as a plain sum of the entries of s.tables.
func tableSum(r *Rows, s *Scratch, i int) float64 {
	var d float32
	for j := range r.Parts() {
		d += s.tables[j<<r.Bits()+int(r.Code(i, j))]
	}
	return float64(d)
}

// TestGrid checks that a Grid changes a value by at most half a step, and that the smallest and
// largest values are exact.
func TestGrid(t *testing.T) {
	y := correlated(4, 700, 6)
	for i := range y.Rows {
		y.Set(i, 3, 42) // a constant component
	}
	offset, scale, err := GridOf(y)
	if err != nil {
		t.Fatal(err)
	}
	r := trainRows(t, y, 6, 0, 1)
	row := make([]float64, 6)
	for i := range y.Rows {
		r.Row(row, i)
		for k, x := range y.Row(i) {
			if math.Abs(row[k]-x) > scale[k]/2+1e-6*(math.Abs(offset[k])+255*scale[k]) {
				t.Fatalf("row %d, component %d: %v for %v in steps of %v", i, k, row[k], x, scale[k])
			}
		}
	}
	if row[3] != 42 {
		t.Errorf("a constant component is %v", row[3])
	}
}

// TestWideGrid checks samples with more components than the largest number of parts of product quantization.
func TestWideGrid(t *testing.T) {
	y := correlated(7, 70, MostParts+44)
	r := trainRows(t, y, 0, 0, 1)
	var set nearest.Set[float64]
	var s Scratch
	for i := range y.Rows {
		set.Reset(1)
		if err := Nearest(t.Context(), &set, r, y.Row(i), &s); err != nil || set.Rows()[0] != i {
			t.Fatalf("the nearest of row %d is %v, %v", i, set.Rows(), err)
		}
	}
}

// TestTrain checks that a learned rotation and more bytes reduce the error. If the codebook has room
// for all distinct rows, only rounding errors may remain.
func TestTrain(t *testing.T) {
	y := correlated(5, 1500, 12)
	last := math.Inf(1)
	for _, parts := range []int{1, 2, 4, 6, 12} {
		l := meanSquaredError(trainRows(t, y, parts, 4, 1), y)
		if !(l < last) {
			t.Errorf("%d parts lose %v, fewer lose %v", parts, l, last)
		}
		last = l
	}
	// k-means without a rotation
	tr := newTrainer(y, 4, 4, 1)
	for k := range 12 {
		tr.q.rotation.Set(k, k, 1)
	}
	if _, err := tr.trainStep(t.Context(), 20); err != nil {
		t.Fatal(err)
	}
	c, err := tr.q.Encode(t.Context(), y)
	if err != nil {
		t.Fatal(err)
	}
	if plain, rotated := meanSquaredError(tr.q.Pack(c), y), meanSquaredError(trainRows(t, y, 4, 4, 1), y); !(rotated < 0.8*plain) {
		t.Errorf("a rotation loses %v, none loses %v", rotated, plain)
	}
	few := correlated(6, 200, 5)
	if l := meanSquaredError(trainRows(t, few, 1, 8, 1), few); l > 1e-10 {
		t.Errorf("200 rows for 256 vectors lose %v", l)
	}
	same := matrix.New[float64](40, 3, nil)
	for i := range same.Data {
		same.Data[i] = 7
	}
	if l := meanSquaredError(trainRows(t, same, 2, 4, 1), same); l > 1e-10 {
		t.Errorf("equal rows lose %v", l)
	}
}

// TestSameBits checks that the quantizer and the codes are bit-identical with every instruction
// set, for every number of workers, and on every machine.
func TestSameBits(t *testing.T) {
	y := correlated(8, 300, 9)
	for lv := range asmtest.Each(t) {
		for _, workers := range []int{1, 3} {
			if !testdata.IsLong() && (lv == asm.Ref) != (workers == 1) && len(asm.Available()) > 1 {
				continue // only the long form tests all combinations of workers and instruction sets
			}
			h := fnv.New64a()
			for _, c := range []struct{ parts, bits int }{{3, 4}, {2, 8}, {9, 0}} {
				r := trainRows(t, y, c.parts, c.bits, workers)
				for _, x := range r.Codebook().Data {
					fmt.Fprintf(h, "%x ", math.Float32bits(x))
				}
				for _, x := range r.Rotation().Data {
					fmt.Fprintf(h, "%x ", math.Float64bits(x))
				}
				h.Write(r.packed)
			}
			if got, want := fmt.Sprintf("%016x", h.Sum64()), "b80c31266394e977"; got != want {
				t.Errorf("%v, %d workers: %s, want %s", lv, workers, got, want)
			}
		}
	}
}

// TestErrors checks the errors for numbers out of range and for a context that ends during a call.
func TestErrors(t *testing.T) {
	for _, x := range []float64{1e16, 1e-16} {
		y := matrix.New(2, 2, []float64{0, x, 0, -x})
		_, err := Train(t.Context(), y, 1, 4, 1)
		_, _, errToo := GridOf(y)
		q := Grid([]float64{0, 0}, []float64{1, 1})
		if _, e := q.Encode(t.Context(), y); !errors.Is(err, ErrRange) || !errors.Is(errToo, ErrRange) || !errors.Is(e, ErrRange) {
			t.Errorf("%v: %v, %v, %v", x, err, errToo, e)
		}
	}
	y := correlated(2, 2100, 6)
	q, err := Train(t.Context(), y, 2, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := q.Encode(t.Context(), y)
	if err != nil {
		t.Fatal(err)
	}
	r := q.Pack(c)
	for name, do := range map[string]func(ctx context.Context) error{
		"Train":  func(ctx context.Context) error { _, err := Train(ctx, y.RowRange(0, 400), 2, 4, 1); return err },
		"Encode": func(ctx context.Context) error { _, err := q.Encode(ctx, y); return err },
		"Nearest": func(ctx context.Context) error {
			var set nearest.Set[float64]
			set.Reset(3)
			return Nearest(ctx, &set, r, y.Row(0), new(Scratch))
		},
	} {
		whole := ending.At(0)
		if err := do(whole); err != nil {
			t.Fatal(name, err)
		}
		if least := map[string]int{"Train": 200, "Encode": 30, "Nearest": 3}[name]; whole.Checks() < least {
			t.Errorf("%s checks its context %d times, fewer than %d", name, whole.Checks(), least)
		}
		for last := 1; last <= whole.Checks(); last += 1 + whole.Checks()/20 {
			ctx := ending.At(last)
			if err := do(ctx); !errors.Is(err, ending.ErrAt) || ctx.ChecksAfterEnd() > 8 {
				t.Fatalf("%s, ended at %d of %d: %v, %d more checks", name, last, whole.Checks(), err, ctx.ChecksAfterEnd())
			}
		}
	}
}

// TestAllocations checks that only the first search with a Scratch allocates memory.
func TestAllocations(t *testing.T) {
	y := correlated(1, 3000, 8)
	for _, bits := range []int{0, 4, 8} {
		parts := 4
		if bits == 0 {
			parts = 8
		}
		r := trainRows(t, y, parts, bits, 1)
		var s Scratch
		var set nearest.Set[float64]
		if n := asmtest.Allocations(func() {
			set.Reset(5)
			_ = Nearest(context.Background(), &set, r, y.Row(7), &s)
		}); n != 0 {
			t.Errorf("%d bits: %v allocations", bits, n)
		}
	}
}

// TestPanics covers sizes that do not match.
func TestPanics(t *testing.T) {
	book := matrix.New[float32](3, 16, nil)
	q := New(2, 4, matrix.Matrix[float64]{}, book)
	for i, f := range []func(){
		func() { New(4, 4, matrix.Matrix[float64]{}, book) },
		func() { New(0, 4, matrix.Matrix[float64]{}, book) },
		func() { New(2, 8, matrix.Matrix[float64]{}, book) },
		func() { New(2, 4, matrix.New[float64](2, 3, nil), book) },
		func() { q.Pack(make([]byte, 3)) },
		func() { q.Pack([]byte{1, 16}) },
		func() {
			var set nearest.Set[float64]
			_ = Nearest(context.Background(), &set, q.Pack(nil), make([]float64, 2), new(Scratch))
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("case %d: no panic", i)
				}
			}()
			f()
		}()
	}
}
