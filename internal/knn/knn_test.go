package knn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/gram"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/quantize"
)

// naivePredict computes Predict by its definition: it sorts all training rows and counts votes.
func naivePredict[T dist.Float](train dist.Matrix[T], labels []int, test dist.Matrix[T], k int) []int {
	out := make([]int, test.Rows)
	d := dist.NewMatrix[T](test.Rows, train.Rows, nil)
	dist.SqEuclidean(d, test, train)
	for i := range out {
		order := make([]int, train.Rows)
		for j := range order {
			order[j] = j
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch x, y := d.At(i, a), d.At(i, b); {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
		votes := map[int]int{}
		for _, j := range order[:k] {
			votes[labels[j]]++
		}
		most := 0
		for _, v := range votes {
			most = max(most, v)
		}
		for _, j := range order[:k] {
			if votes[labels[j]] == most {
				out[i] = labels[j]
				break
			}
		}
	}
	return out
}

// randomGrid returns rows on a coarse grid, so that many distances are equal.
func randomGrid[T dist.Float](rng *rand.Rand, rows, cols, grid int) dist.Matrix[T] {
	m := dist.NewMatrix[T](rows, cols, nil)
	for i := range m.Data {
		m.Data[i] = T(rng.IntN(grid))
	}
	return m
}

func TestPredict(t *testing.T) {
	t.Run("float64", testPredict[float64])
	t.Run("float32", testPredict[float32])
}

func testPredict[T dist.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ n, m, d, classes, grid int }{
		{1, 1, 1, 1, 2}, {7, 5, 2, 3, 3}, {300, 130, 3, 4, 4}, {256, 128, 1, 2, 5}, {513, 129, 17, 10, 1000}, {40, 200, 300, 3, 2},
	} {
		train, test := randomGrid[T](rng, c.n, c.d, c.grid), randomGrid[T](rng, c.m, c.d, c.grid)
		labels := make([]int, c.n)
		for i := range labels {
			labels[i] = 100*rng.IntN(c.classes) - 7
		}
		var ks []int
		for _, k := range []int{5, 1, 2, 4, 3, 19, 40, c.n, 5} {
			if k <= c.n && k <= 256 {
				ks = append(ks, k)
			}
		}
		var first [][]int
		for _, workers := range []int{1, 2, 7} {
			calls, last := 0, 0
			got, err := Predict(t.Context(), train, labels, test, ks, &Settings{Workers: workers, Progress: func(done, total int) {
				if calls++; done <= last || total != c.m {
					t.Errorf("progress %d of %d after %d", done, total, last)
				}
				last = done
			}})
			if err != nil {
				t.Fatal(err)
			}
			if last != c.m {
				t.Errorf("the last progress was %d of %d", last, c.m)
			}
			if first == nil {
				first = got
				for i, k := range ks {
					if want := naivePredict(train, labels, test, k); !slices.Equal(got[i], want) {
						t.Errorf("%+v, k = %d: predictions differ from the definition", c, k)
					}
				}
			} else if !slices.EqualFunc(got, first, slices.Equal[[]int]) {
				t.Errorf("%+v: %d workers predict something else", c, workers)
			}
		}
	}
}

func TestTrainingRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := randomGrid[float64](rng, 500, 5, 1<<30)
	labels := make([]int, x.Rows)
	for i := range labels {
		labels[i] = rng.IntN(9)
	}
	got, err := Predict(t.Context(), x, labels, x, []int{1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e := ErrorRate(got[0], labels); e != 0 {
		t.Errorf("error of the nearest neighbor on the training rows: %v", e)
	}
}

func TestTies(t *testing.T) {
	line := func(x ...float64) dist.Matrix[float64] { return dist.NewMatrix(len(x), 1, x) }
	for _, c := range []struct {
		name   string
		train  dist.Matrix[float64]
		labels []int
		k      int
		want   int
	}{
		{"equal distance: the smaller index", line(1, -1), []int{8, 3}, 1, 8},
		{"equal distance across zero", line(-1, 1), []int{8, 3}, 1, 8},
		{"equal votes: the class of the nearest", line(3, 1, 2), []int{5, 6, 5}, 2, 6},
		{"equal votes: not a nearer loser", line(1, 2, 3, 4, 5), []int{9, 4, 2, 2, 4}, 5, 4},
		{"majority over nearness", line(1, 2, 3), []int{0, 7, 7}, 3, 7},
		{"all rows equal", line(2, 2, 2, 2), []int{3, 1, 1, 3}, 4, 3},
		{"infinite distances", line(1e200, -1e200, 1e300), []int{4, 5, 5}, 1, 4},
		{"a later finite distance", line(1e200, -1e200, 1), []int{4, 5, 6}, 1, 6},
	} {
		got, err := Predict(t.Context(), c.train, c.labels, line(0), []int{c.k}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got[0][0] != c.want {
			t.Errorf("%s: %d, want %d", c.name, got[0][0], c.want)
		}
	}
}

func TestStride(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	wide, narrow := randomGrid[float64](rng, 300, 9, 50), dist.NewMatrix[float64](300, 4, nil)
	labels := make([]int, wide.Rows)
	for i := range wide.Rows {
		copy(narrow.Row(i), wide.Row(i)[2:])
		labels[i] = i % 3
	}
	view := wide
	view.Data, view.Cols = wide.Data[2:], 4
	a, err := Predict(t.Context(), narrow, labels, narrow, []int{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Predict(t.Context(), view, labels, view, []int{3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a[0], b[0]) {
		t.Error("a view predicts something else")
	}
}

func TestErrors(t *testing.T) {
	m := func(r, c int) dist.Matrix[float64] { return dist.NewMatrix[float64](r, c, nil) }
	nan, inf := m(3, 2), m(3, 2)
	nan.Set(2, 1, math.NaN())
	inf.Set(0, 1, math.Inf(-1))
	for _, c := range []struct {
		name        string
		train, test dist.Matrix[float64]
		labels      []int
		ks          []int
		want        error
	}{
		{"k > n", m(3, 2), m(1, 2), make([]int, 3), []int{1, 4}, ErrNeighbors},
		{"k = 0", m(3, 2), m(1, 2), make([]int, 3), []int{0}, ErrNeighbors},
		{"no training rows", m(0, 2), m(1, 2), nil, []int{1}, ErrNeighbors},
		{"labels", m(3, 2), m(1, 2), make([]int, 2), []int{1}, ErrShape},
		{"columns", m(3, 2), m(1, 3), make([]int, 3), []int{1}, ErrShape},
		{"NaN", nan, m(1, 2), make([]int, 3), []int{1}, ErrNotFinite},
		{"Inf", m(3, 2), inf, make([]int, 3), []int{1}, ErrNotFinite},
	} {
		if got, err := Predict(t.Context(), c.train, c.labels, c.test, c.ks, nil); !errors.Is(err, c.want) || got != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	got, err := Predict(t.Context(), m(3, 2), make([]int, 3), m(0, 2), []int{1, 2}, nil)
	if err != nil || len(got) != 2 || len(got[0]) != 0 {
		t.Errorf("no test rows: %v, %v", got, err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x := dist.NewMatrix[float64](2000, 3, nil)
	got, err := Predict(ctx, x, make([]int, 2000), x, []int{1}, &Settings{Workers: 2, Progress: func(int, int) { cancel() }})
	if !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestErrorRate(t *testing.T) {
	predicted, actual := []int{0, 1, 2, 2, 1}, []int{0, 1, 1, 2, 0}
	if e := ErrorRate(predicted, actual); e != 0.4 {
		t.Errorf("error rate %v", e)
	}
	if e := ErrorRate(nil, nil); e != 0 {
		t.Errorf("error rate of nothing: %v", e)
	}
	want := [][]int{{1, 1, 0}, {0, 1, 1}, {0, 0, 1}}
	if got := Confusion(predicted, actual, 3); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Errorf("confusion %v", got)
	}
}

func ExamplePredict() {
	train := dist.NewMatrix(4, 1, []float64{0, 1, 10, 11})
	test := dist.NewMatrix(2, 1, []float64{2, 9})
	predicted, err := Predict(context.Background(), train, []int{0, 0, 1, 1}, test, []int{1, 3}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(predicted)
	// Output: [[0 1] [0 1]]
}

// BenchmarkPredict measures an evaluation of the size of MNIST: 10 000 test digits and 1000 training digits.
func BenchmarkPredict(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n, m = 1000, 10000
	for _, d := range []int{10, 784} {
		b.Run(fmt.Sprintf("n=%d/m=%d/d=%d", n, m, d), func(b *testing.B) {
			train, test := randomGrid[float64](rng, n, d, 256), randomGrid[float64](rng, m, d, 256)
			labels := make([]int, n)
			for i := range labels {
				labels[i] = i % 10
			}
			for b.Loop() {
				if _, err := Predict(b.Context(), train, labels, test, []int{1, 3, 5}, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*m*d)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gdiff/s")
		})
	}
}

// TestAUROC checks ties, infinities, and NaN for empty slices.
func TestAUROC(t *testing.T) {
	inf := math.Inf(1)
	if a := AUROC([]float64{3, 1, 2}, []float64{2, 4}); a != (1.5+3)/6 {
		t.Error(a)
	}
	if a := AUROC([]float64{inf, 1}, []float64{inf, -inf}); a != 1.5/4 {
		t.Error(a)
	}
	if a := AUROC(nil, []float64{1}); !math.IsNaN(a) {
		t.Error(a)
	}
}

// TestSearchAgain checks that a Search does not depend on its previous use with other points, other
// rows and other types of points. It also checks that First is equivalent to New with fewer
// columns.
func TestSearchAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var again Search[float64]
	for trial := range 40 {
		n, m, d := 1+rng.IntN(60), rng.IntN(700), 1+rng.IntN(70)
		if trial%4 == 0 { // packed columns
			d = gram.Features + rng.IntN(9)
		}
		if rng.IntN(4) == 0 {
			n += blockPoints
		}
		k, q := 1+rng.IntN(min(n, 20)), 1+rng.IntN(d)
		rows, y := randomGrid[float64](rng, n, d, 3), randomGrid[float64](rng, m, d, 3)
		for range rng.IntN(3) {
			rows.Data[rng.IntN(len(rows.Data))] = 1e200 // distances overflow
		}
		points, labels := New(rows, make([]int, n)), make([]int, n)
		if rng.IntN(2) == 0 {
			points, _ = NewColumns(t.Context(), rows, labels)
		}
		for _, q := range []int{d, q} {
			var fresh Search[float64]
			if err := errors.Join(again.Nearest(t.Context(), points.First(q), y.ColRange(0, q), k), fresh.Nearest(t.Context(), New(rows.ColRange(0, q), labels), y.ColRange(0, q), k)); err != nil {
				t.Fatal(err)
			}
			for i := range m {
				got, distances := again.Near(i)
				want, wantDistances := fresh.Near(i)
				if !slices.Equal(got, want) || !slices.Equal(distances, wantDistances) {
					t.Fatalf("%d points, %d of %d features, row %d of %d: %v at %v, want %v at %v", n, q, d, i, m, got, distances, want, wantDistances)
				}
			}
		}
	}
}

// TestPointsPanic checks that different numbers of rows and labels panic.
func TestPointsPanic(t *testing.T) {
	codes := quantize.Grid([]float64{0}, []float64{1}).Pack([]byte{1, 2, 3})
	for name, f := range map[string]func(labels []int){
		"New":        func(labels []int) { New(matrix.New[float64](3, 1, nil), labels) },
		"NewColumns": func(labels []int) { NewColumns(t.Context(), matrix.New[float64](3, 1, nil), labels) },
		"NewCodes":   func(labels []int) { NewCodes[float64](codes, labels) },
		"NewNarrow":  func(labels []int) { NewNarrow[float64](t.Context(), matrix.New[float32](3, 1, nil), labels) },
	} {
		f(make([]int, 3))
		for _, n := range []int{2, 4} {
			func() {
				defer func() {
					if recover() != badPoints {
						t.Errorf("%s, 3 rows and %d labels: another panic, or none", name, n)
					}
				}()
				f(make([]int, n))
			}()
		}
	}
}

// TestNewColumnsCanceled checks that NewColumns checks the context before every piece of the labels
// and of the rows. If the context ends at any check, NewColumns must return the cause.
func TestNewColumnsCanceled(t *testing.T) {
	for _, d := range []int{1, 64} {
		rows := matrix.New[float32](pieceElements/d+100, d, nil)
		labels := make([]int, rows.Rows)
		all := ending.At(0)
		least := 4
		if d == 1 {
			least = 6
		}
		if _, err := NewColumns(all, rows, labels); err != nil || all.Checks() < least {
			t.Fatalf("%d columns: %v, checked %d times", d, err, all.Checks())
		}
		for last := 1; last <= all.Checks(); last++ {
			if p, err := NewColumns(ending.At(last), rows, labels); err != ending.ErrAt || p != nil {
				t.Errorf("%d columns, ended at %d of %d: %v", d, last, all.Checks(), err)
			}
		}
	}
}

// TestNarrow checks that float32 points with float64 queries (NewNarrow) have the same neighbors as
// the same points with float32 queries, for few and many features, and for one and several queries.
func TestNarrow(t *testing.T) {
	for _, c := range []struct{ n, d int }{{1, 1}, {50, 3}, {1100, 3}, {1000, 70}} {
		rng := rand.New(rand.NewPCG(uint64(c.n), uint64(c.d)))
		rows, labels := matrix.New[float32](c.n, c.d, nil), make([]int, c.n)
		for i := range rows.Data {
			rows.Data[i] = float32(rng.NormFloat64())
		}
		y, narrow := matrix.New[float64](3, c.d, nil), matrix.New[float32](3, c.d, nil)
		for i := range y.Data {
			y.Data[i] = rng.NormFloat64()
			narrow.Data[i] = float32(y.Data[i])
		}
		p, _ := NewNarrow[float64](t.Context(), rows, labels)
		q, _ := NewColumns(t.Context(), rows, labels)
		var got Search[float64]
		var want Search[float32]
		for _, queries := range []int{3, 1} {
			k := min(c.n, 7)
			if err := errors.Join(got.Nearest(t.Context(), p, y.RowRange(0, queries), k), want.Nearest(t.Context(), q, narrow.RowRange(0, queries), k)); err != nil {
				t.Fatal(err)
			}
			for i := range queries {
				at, distances := got.Near(i)
				atWant, exact := want.Near(i)
				for j, d := range exact {
					if at[j] != atWant[j] || distances[j] != float64(d) {
						t.Fatalf("%+v: neighbor %d of row %d is %d at %v, want %d at %v", c, j, i, at[j], distances[j], atWant[j], d)
					}
				}
			}
		}
		if p.At(c.n-1, c.d-1) != float64(rows.At(c.n-1, c.d-1)) {
			t.Errorf("%+v: another element", c)
		}
	}
}
