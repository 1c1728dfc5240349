package search

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/ending"
)

var (
	storages = []Storage{StorageFloat32, StorageFloat16, StorageBFloat16, StorageInt8}
	measures = []Measure{MeasureSqEuclidean, MeasureInnerProduct, MeasureCosine}
)

// gaussianRows returns rows × cols standard normal numbers.
func gaussianRows(seed uint64, rows, cols int) dist.Matrix[float32] {
	return dist.NewMatrix(rows, cols, asmtest.Values[float32](asmtest.NewRand(seed), rows*cols, asmtest.Gauss))
}

func mustRows[T dist.Float](t testing.TB, x dist.Matrix[T]) *Rows {
	t.Helper()
	r, err := NewRows(x, StorageFloat32)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// exact returns the measure, computed in float64, and the error bound in the documentation of the
// measure.
func exact(q, x []float32, measure Measure) (v, bound float64) {
	var sq, dot, size, qq, xx float64
	for k := range q {
		a, b := float64(q[k]), float64(x[k])
		sq += float64((a - b) * (a - b))
		dot += float64(a * b)
		size += math.Abs(a * b)
		qq += float64(a * a)
		xx += float64(b * b)
	}
	u := float64(len(q)/16+1) * 0x1p-24
	switch measure {
	case MeasureSqEuclidean:
		return sq, (u + 6*0x1p-24) * sq
	case MeasureInnerProduct:
		return dot, (u + 4*0x1p-24) * size
	}
	if qq == 0 || xx == 0 {
		return 0, 0
	}
	return dot / math.Sqrt(qq*xx), u + 7*0x1p-24
}

// TestCompare compares the results of Compare with the definitions of the measures, computed in
// float64. A value must not depend on the numbers of queries and rows.
func TestCompare(t *testing.T) {
	ctx := context.Background()
	for _, size := range []struct{ m, n, d int }{{1, 1, 1}, {2, 7, 3}, {1, 8, 16}, {3, 9, 17}, {70, 33, 40}, {1, 1001, 100}, {5, 700, 257}, {66, 300, 100}} {
		x, q := gaussianRows(1, size.n, size.d), gaussianRows(2, size.m, size.d)
		clear(x.Row(size.n - 1))
		copy(x.Row(0), q.Row(0))
		rows := mustRows(t, x)
		for lv := range asmtest.Each(t) {
			for _, measure := range measures {
				var s Searcher
				dst := dist.NewMatrix[float32](size.m, size.n, nil)
				if err := s.Compare(ctx, dst, rows, q, measure); err != nil {
					t.Fatal(err)
				}
				alone := dist.NewMatrix[float32](1, 1, nil)
				for i := range size.m {
					for j := range size.n {
						want, bound := exact(q.Row(i), x.Row(j), measure)
						if got := float64(dst.At(i, j)); !(math.Abs(got-want) <= bound) {
							t.Fatalf("%v, %v, %v: %v of query %d and row %d, want %v ± %v", lv, size, measure, got, i, j, want, bound)
						}
						if (i+j)%29 > 0 {
							continue
						}
						if err := s.Compare(ctx, alone, mustRows(t, x.RowRange(j, j+1)), q.RowRange(i, i+1), measure); err != nil {
							t.Fatal(err)
						}
						if got := dst.At(i, j); got != alone.At(0, 0) {
							t.Fatalf("%v, %v, %v: %v of query %d and row %d, alone %v", lv, size, measure, got, i, j, alone.At(0, 0))
						}
					}
				}
				if measure == MeasureSqEuclidean && dst.At(0, 0) != 0 {
					t.Errorf("the distance of equal rows is %v", dst.At(0, 0))
				}
			}
		}
	}
}

// TestFar checks that Compare gives the same value for a row in a matrix of more than farElements
// elements and in a small matrix.
func TestFar(t *testing.T) {
	const n, d, every = farElements/144 + 9, 130, 1000
	x, few, q := dist.NewMatrix[float32](n, d, nil), gaussianRows(1, n/every+1, d), gaussianRows(2, 1, d)
	for i := range few.Rows {
		copy(x.Row(i*every), few.Row(i))
	}
	var s Searcher
	all, some := dist.NewMatrix[float32](1, n, nil), dist.NewMatrix[float32](1, few.Rows, nil)
	for _, measure := range measures {
		if err := errors.Join(s.Compare(t.Context(), all, mustRows(t, x), q, measure), s.Compare(t.Context(), some, mustRows(t, few), q, measure)); err != nil {
			t.Fatal(err)
		}
		for i, want := range some.Row(0) {
			if got := all.At(0, i*every); got != want {
				t.Fatalf("%v, row %d: %v, alone %v", measure, i*every, got, want)
			}
		}
	}
}

// TestStorages checks that compact rows give bit-identical results to the decoded float32 rows, and
// that decoded rows are as accurate as documented.
func TestStorages(t *testing.T) {
	ctx := context.Background()
	const m, n, d = 3, 37, 50
	x, q := gaussianRows(1, n, d), gaussianRows(2, m, d)
	clear(x.Row(5))
	x.Row(6)[3] = 1000
	var s Searcher
	for storage, bound := range map[Storage]float64{StorageFloat16: 0x1p-11, StorageBFloat16: 0x1p-8, StorageInt8: 0} {
		rows, err := NewRows(x, storage)
		if err != nil {
			t.Fatal(err)
		}
		stored := dist.NewMatrix[float32](n, d, nil)
		for i := range n {
			rows.Row(stored.Row(i), i)
			largest := 0.0
			for _, v := range x.Row(i) {
				largest = max(largest, math.Abs(float64(v)))
			}
			for j, v := range stored.Row(i) {
				b := bound*math.Abs(float64(x.At(i, j))) + 0x1p-25
				if storage == StorageInt8 {
					b = largest / 250
				}
				if !(math.Abs(float64(v)-float64(x.At(i, j))) <= b) {
					t.Fatalf("%v: row %d, column %d: %v is stored as %v", storage, i, j, x.At(i, j), v)
				}
			}
		}
		wide := mustRows(t, stored)
		copy(q.Row(1), stored.Row(9))
		got, want := dist.NewMatrix[float32](m, n, nil), dist.NewMatrix[float32](m, n, nil)
		for lv := range asmtest.Each(t) {
			for _, measure := range measures {
				if err := errors.Join(s.Compare(ctx, got, rows, q, measure), s.Compare(ctx, want, wide, q, measure)); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Data, want.Data) {
					t.Errorf("%v, %v, %v: %v, want %v", lv, storage, measure, got.Data, want.Data)
				}
				if measure == MeasureSqEuclidean && got.At(1, 9) != 0 {
					t.Errorf("%v, %v: the distance of equal rows is %v", lv, storage, got.At(1, 9))
				}
			}
			found, err := s.Nearest(ctx, rows, q, 2, MeasureSqEuclidean)
			if err != nil || found[1][0] != (Neighbor{9, 9, 0}) {
				t.Errorf("%v, %v: %v, %v", lv, storage, found, err)
			}
		}
	}
}

// TestSearch compares Nearest and Within with the sorted results of Compare. The numbers are on a coarse
// grid, so many values are equal.
func TestSearch(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 2))
	var s Searcher
	for _, size := range []struct{ m, n, d int }{{0, 3, 2}, {3, 0, 2}, {1, 1, 1}, {1, 700, 3}, {130, 50, 2}, {3, 9000, 20}, {4, 1000, 70}} {
		x, q := dist.NewMatrix[float32](size.n, size.d, nil), dist.NewMatrix[float32](size.m, size.d, nil)
		for i := range x.Data {
			x.Data[i] = float32(rng.IntN(5) - 2)
		}
		for i := range q.Data {
			q.Data[i] = float32(rng.IntN(5) - 2)
		}
		rows := mustRows(t, x)
		for _, measure := range measures {
			dst := dist.NewMatrix[float32](size.m, size.n, nil)
			if err := s.Compare(ctx, dst, rows, q, measure); err != nil {
				t.Fatal(err)
			}
			sorted := make([][]Neighbor, size.m)
			for i := range sorted {
				for j, v := range dst.Row(i) {
					sorted[i] = append(sorted[i], Neighbor{j, ID(j), v})
				}
				slices.SortStableFunc(sorted[i], func(a, b Neighbor) int {
					less := a.Value < b.Value
					if measure != MeasureSqEuclidean {
						less = a.Value > b.Value
					}
					switch {
					case a.Value == b.Value:
						return 0
					case less:
						return -1
					}
					return 1
				})
			}
			for _, k := range []int{0, 1, 10, 49, size.n, size.n + 5, math.MaxInt} {
				found, err := s.Nearest(ctx, rows, q, k, measure)
				if err != nil || len(found) != size.m {
					t.Fatal(len(found), err)
				}
				for i := range found {
					if want := sorted[i][:min(k, size.n)]; !slices.Equal(found[i], want) {
						t.Fatalf("%v, %v: the %d nearest of query %d: %v, want %v", size, measure, k, i, found[i], want)
					}
				}
			}
			for _, limit := range []float32{-1, 0, 0.5, 3, float32(math.Inf(1)), float32(math.Inf(-1))} {
				found, err := s.Within(ctx, rows, q, limit, measure)
				if err != nil || len(found) != size.m {
					t.Fatal(len(found), err)
				}
				for i := range found {
					want := slices.IndexFunc(sorted[i], func(n Neighbor) bool {
						if measure == MeasureSqEuclidean {
							return n.Value > limit
						}
						return n.Value < limit
					})
					if want < 0 {
						want = size.n
					}
					if !slices.Equal(found[i], sorted[i][:want]) {
						t.Fatalf("%v, %v: within %v of query %d: %v, want %v", size, measure, limit, i, found[i], sorted[i][:want])
					}
				}
			}
		}
	}
}

// TestExtremes checks that overflow never makes a squared distance NaN or hides a row, and that cosines do not depend
// on norms.
func TestExtremes(t *testing.T) {
	ctx := context.Background()
	var s Searcher
	const huge = 3e38
	x := dist.NewMatrix(4, 2, []float32{huge, huge, 1, 1, -huge, huge, 1e-30, 1e-30})
	rows := mustRows(t, x)
	q := dist.NewMatrix(1, 2, []float32{-huge, -huge})
	found, err := s.Nearest(ctx, rows, q, 4, MeasureSqEuclidean)
	if err != nil || len(found[0]) != 4 {
		t.Fatal(found, err)
	}
	for i, f := range found[0] {
		if f.Row != i || !math.IsInf(float64(f.Value), 1) {
			t.Errorf("neighbor %d: %v", i, f)
		}
	}
	// Row 2 has one product that overflows to +Inf and one product that overflows to −Inf.
	if found, err = s.Nearest(ctx, rows, q, 4, MeasureInnerProduct); err != nil || len(found[0]) != 4 || found[0][0].Row != 3 || found[0][3] != (Neighbor{2, 2, float32(math.Inf(-1))}) {
		t.Errorf("%v, %v", found, err)
	}
	found, err = s.Nearest(ctx, rows, dist.NewMatrix(1, 2, []float32{1e-20, 1e-20}), 4, MeasureCosine)
	if err != nil || found[0][3].Row != 2 || math.Abs(float64(found[0][3].Value)) > 1e-6 {
		t.Fatal(found, err)
	}
	for _, f := range found[0][:3] {
		if !(math.Abs(float64(f.Value)-1) < 1e-6) || f.Value > 1 {
			t.Errorf("cosine of row %d is %v", f.Row, f.Value)
		}
	}
}

func TestRows(t *testing.T) {
	x := gaussianRows(3, 11, 5)
	wide := dist.NewMatrix[float64](11, 5, nil)
	for i, v := range x.Data {
		wide.Data[i] = float64(v) + 1e-12*float64(v)
	}
	for _, r := range []*Rows{mustRows(t, x), mustRows(t, wide)} {
		if r.Len() != 11 || r.Cols() != 5 || r.Storage() != StorageFloat32 || r.Bytes() != 4*16*16+8*16 {
			t.Error(r.Len(), r.Cols(), r.Storage(), r.Bytes())
		}
		got := make([]float32, 5)
		for i := range r.Len() {
			if r.Row(got, i); !slices.Equal(got, x.Row(i)) {
				t.Errorf("row %d is %v, want %v", i, got, x.Row(i))
			}
		}
	}
	for storage, bytes := range map[Storage]int{StorageFloat16: 2*16*16 + 8*16, StorageBFloat16: 2*16*16 + 8*16, StorageInt8: 16*16 + 12*16} {
		if r, err := NewRows(x, storage); err != nil || r.Storage() != storage || r.Bytes() != bytes {
			t.Error(storage, r.Bytes(), bytes, err)
		}
	}
	if r := mustRows(t, dist.Matrix[float32]{Cols: 1 << 61, Stride: 1 << 61}); r.Len() != 0 || r.Bytes() != 0 {
		t.Errorf("without rows: %d rows of %d bytes", r.Len(), r.Bytes())
	}
	r := mustRows(t, x)
	mustPanic(t, indexPanic, func() { r.Row(make([]float32, 5), 11) })
	mustPanic(t, indexPanic, func() { r.Row(make([]float32, 5), -1) })
	mustPanic(t, "dist: shapes do not match: dst has 4 elements, a row 5", func() { r.Row(make([]float32, 4), 0) })
	mustPanic(t, storagePanic, func() { NewRows(x, Storage(99)) })
	mustPanic(t, columnsPanic, func() { NewRows(dist.NewMatrix[float32](3, 0, nil), StorageFloat32) })
}

// TestBadValues checks that errors name the row and the column.
func TestBadValues(t *testing.T) {
	for v, want := range map[float64]error{math.Inf(1): ErrNotFinite, math.Inf(-1): ErrNotFinite, math.NaN(): ErrNotFinite, 1e300: ErrRange, -3.5e38: ErrRange} {
		x := dist.NewMatrix[float64](4, 3, nil)
		x.Set(2, 1, v)
		r, err := NewRows(x, StorageFloat32)
		if r != nil || !errors.Is(err, want) || !isPositionError(err, "x: ", 2, 1) {
			t.Errorf("%v: %v", v, err)
		}
	}
	for storage, most := range map[Storage]float32{StorageFloat16: 65504, StorageBFloat16: 3.38e38, StorageInt8: 3.4e38} {
		x := dist.NewMatrix[float32](4, 3, nil)
		x.Set(3, 0, -1)
		x.Set(3, 2, -most)
		if _, err := NewRows(x, storage); err != nil {
			t.Errorf("%v: %v", storage, err)
		}
		for _, v := range []float32{65520, math.MaxFloat32} {
			if v < most {
				continue
			}
			x.Set(3, 2, v)
			if r, err := NewRows(x, storage); r != nil || !errors.Is(err, ErrRange) || !isPositionError(err, "x: ", 3, 2) {
				t.Errorf("%v, %v: %v", storage, v, err)
			}
		}
	}
	var s Searcher
	rows := mustRows(t, gaussianRows(1, 4, 3))
	q := gaussianRows(2, 70, 3)
	q.Set(66, 2, float32(math.NaN()))
	for _, measure := range measures {
		for _, err := range []error{
			s.Compare(context.Background(), dist.NewMatrix[float32](70, 4, nil), rows, q, measure),
			errorOf(s.Nearest(context.Background(), rows, q, 1, measure)),
			errorOf(s.Within(context.Background(), rows, q, 1, measure)),
		} {
			if !errors.Is(err, ErrNotFinite) || !isPositionError(err, "queries: ", 66, 2) {
				t.Errorf("%v: %v", measure, err)
			}
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

func TestSearchPanics(t *testing.T) {
	ctx := context.Background()
	var s Searcher
	rows, q := mustRows(t, gaussianRows(1, 4, 3)), gaussianRows(2, 2, 3)
	dst := dist.NewMatrix[float32](2, 4, nil)
	mustPanic(t, measurePanic, func() { s.Nearest(ctx, rows, q, 1, Measure(3)) })
	mustPanic(t, neighborPanic, func() { s.Nearest(ctx, rows, q, -1, MeasureCosine) })
	mustPanic(t, limitPanic, func() { s.Within(ctx, rows, q, float32(math.NaN()), MeasureCosine) })
	mustPanic(t, columnsPanic, func() { s.Within(ctx, new(Rows), q, 1, MeasureCosine) })
	mustPanic(t, "dist: shapes do not match: queries have 2 columns, rows 3", func() { s.Nearest(ctx, rows, gaussianRows(2, 2, 2), 1, MeasureCosine) })
	mustPanic(t, "dist: shapes do not match: dst is 2 × 4 for 1 queries and 4 rows", func() { s.Compare(ctx, dst, rows, q.RowRange(0, 1), MeasureCosine) })
	mustPanic(t, "dist: destination overlaps an operand", func() {
		s.Compare(ctx, dist.NewMatrix(1, 4, dst.Data[:4]), rows, dist.NewMatrix(1, 3, dst.Data[2:5]), MeasureCosine)
	})
}

// TestSearchEnds checks that a search checks its context before every block.
func TestSearchEnds(t *testing.T) {
	var s Searcher
	for d, n := range map[int]int{40: 3000, 100: 700} { // short rows are compared with one query at a time, and long rows with several queries at once
		rows, q := mustRows(t, gaussianRows(1, n, d)), gaussianRows(2, 66, d)
		dst := dist.NewMatrix[float32](66, n, nil)
		ids := make([]ID, n)
		for i := range ids {
			ids[i] = ID(i)
		}
		for name, f := range map[string]func(ctx context.Context) error{
			"Among": func(ctx context.Context) error {
				return errorOf(rows.Nearest(ctx, nil, q.Row(0), 3, MeasureCosine, &SearchOptions{Among: ids}))
			},
			"Compare": func(ctx context.Context) error { return s.Compare(ctx, dst, rows, q, MeasureCosine) },
			"Nearest": func(ctx context.Context) error { return errorOf(s.Nearest(ctx, rows, q, 3, MeasureCosine)) },
			"Within":  func(ctx context.Context) error { return errorOf(s.Within(ctx, rows, q, 1, MeasureCosine)) },
		} {
			all := ending.At(0)
			if err := f(all); err != nil || all.Checks() < 66*n*padTo(d, 16)>>22 {
				t.Fatalf("%s: %v, checked %d times", name, err, all.Checks())
			}
			for last := 1; last <= all.Checks(); last += 1 + all.Checks()/20 {
				if err := f(ending.At(last)); err != ending.ErrAt {
					t.Errorf("%s, ended at %d of %d: %v", name, last, all.Checks(), err)
				}
			}
		}
	}
}

func TestSearchAllocates(t *testing.T) {
	var s Searcher
	var one []Neighbor
	ctx := context.Background()
	dst := dist.NewMatrix[float32](3, 2200, nil)
	for i, measure := range append(measures, MeasureCosine) {
		d := 40 + i%2*60
		x, q := gaussianRows(1, 2200, d), gaussianRows(2, 3, d)
		for j := range x.Row(5) { // the squares of these numbers underflow to 0
			x.Row(5)[j] *= 1e-30
		}
		rows, err := NewRows(x, storages[i])
		if err != nil {
			t.Fatal(err)
		}
		if n := asmtest.Allocations(func() {
			s.Nearest(ctx, rows, q, 10, measure)
			s.Within(ctx, rows, q, 0.2, measure)
			s.Compare(ctx, dst, rows, q, measure)
			one, _ = rows.Nearest(ctx, one[:0], q.Row(0), 10, measure, nil)
		}); n != 0 {
			t.Errorf("%v: %v allocations", measure, n)
		}
	}
}

// isPositionError reports whether err contains the name of a matrix and the position of an element.
func isPositionError(err error, matrix string, row, column int) bool {
	var at *dist.PositionError
	return errors.As(err, &at) && at.Row == row && at.Column == column && strings.HasPrefix(err.Error(), matrix)
}

// TestNamesRoundTrip checks that names of measures and storages can be parsed.
func TestNamesRoundTrip(t *testing.T) {
	check := func(text string, value fmt.Stringer, read encoding.TextUnmarshaler) {
		t.Helper()
		if err := read.UnmarshalText([]byte(text)); err != nil || fmt.Sprint(read) != text || value.String() != text {
			t.Errorf("%v and %v, want %s: %v", value, read, text, err)
		}
		if err := read.UnmarshalText([]byte("no")); !errors.Is(err, ErrSettings) {
			t.Errorf("an unknown name: %v", err)
		}
	}
	for i, text := range []string{"sqeuclidean", "inner-product", "cosine"} {
		check(text, Measure(i), new(Measure))
	}
	for i, text := range []string{"float32", "float16", "bfloat16", "int8"} {
		check(text, Storage(i), new(Storage))
	}
	if _, err := Storage(99).MarshalText(); !errors.Is(err, ErrSettings) || Measure(9).String() != "Measure(9)" {
		t.Errorf("unknown values: %v, %v", err, Measure(9))
	}
}

// mustPanic checks that f panics with the given text.
func mustPanic(t *testing.T, words string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != words {
			t.Errorf("panic %v, want %q", got, words)
		}
	}()
	f()
}

// TestCosineOfAllNorms checks that cosines of all finite vectors are accurate, bitwise symmetric, and 1 for equal
// vectors.
func TestCosineOfAllNorms(t *testing.T) {
	scales := []float32{1e-45, 1e-40, 1e-30, 1e-20, 1, 1e15, 1e20, 3e37}
	base := gaussianRows(5, 6, 33)
	copy(base.Row(4), base.Row(3))
	clear(base.Row(5))
	x := dist.NewMatrix[float32](6*len(scales), 33, nil)
	for i := range x.Rows {
		for j, v := range base.Row(i % 6) {
			x.Set(i, j, v*scales[i/6]) // finite: no element of base is above 8
		}
	}
	for _, storage := range []Storage{StorageFloat32, StorageBFloat16} {
		rows, err := NewRows(x, storage)
		if err != nil {
			t.Fatal(err)
		}
		stored := dist.NewMatrix[float32](x.Rows, x.Cols, nil)
		for i := range x.Rows {
			rows.Row(stored.Row(i), i)
		}
		for lv := range asmtest.Each(t) {
			dst := dist.NewMatrix[float32](x.Rows, x.Rows, nil)
			var s Searcher
			if err := s.Compare(t.Context(), dst, rows, stored, MeasureCosine); err != nil {
				t.Fatal(err)
			}
			for i := range x.Rows {
				for j := range x.Rows {
					want, _ := exact(stored.Row(i), stored.Row(j), MeasureCosine) // float64 neither overflows nor underflows
					got := dst.At(i, j)
					if !(math.Abs(float64(got)-want) <= (33/16+9)*0x1p-23) || got != dst.At(j, i) {
						t.Fatalf("%v, %v: the cosine of %d and %d is %v and %v, want %v", lv, storage, i, j, got, dst.At(j, i), want)
					}
					if zero := want == 0; slices.Equal(stored.Row(i), stored.Row(j)) && !zero && got != 1 || zero && got != 0 {
						t.Fatalf("%v, %v: the cosine of %d and %d is %v", lv, storage, i, j, got)
					}
				}
			}
		}
	}
}

// TestWithinNaN checks that Within with the limit −Inf finds every row, even a row whose products with
// the query overflow to +Inf and −Inf.
func TestWithinNaN(t *testing.T) {
	rows := mustRows(t, dist.NewMatrix(2, 2, []float32{3e38, -3e38, 1, 1}))
	minus := float32(math.Inf(-1))
	want := []Neighbor{{1, 1, 6e30}, {0, 0, minus}}
	q := []float32{3e30, 3e30}
	got, err := rows.Within(t.Context(), nil, q, minus, MeasureInnerProduct, nil)
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}
