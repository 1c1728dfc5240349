package dataset

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// grouped returns a dataset whose classes have the given sizes. The rows are in class order, and the only feature is
// the row number.
func grouped(sizes ...int) *Dataset {
	d := &Dataset{Classes: numberedNames(len(sizes))}
	for c, m := range sizes {
		for range m {
			d.Labels = append(d.Labels, c)
		}
	}
	d.X = mat.NewDense(len(d.Labels), 1, nil)
	for i := range d.Labels {
		d.X.Set(i, 0, float64(i))
	}
	return d
}

func column0(d *Dataset) []int {
	rows := make([]int, d.Len())
	for i := range rows {
		rows[i] = int(d.X.At(i, 0))
	}
	return rows
}

func TestSubset(t *testing.T) {
	d := grouped(2, 2)
	d.Split = []int{5, 6, 7, 8}
	d.Columns = []string{"number"}
	s := d.Subset([]int{3, 0, 3})
	if got := column0(s); !slices.Equal(got, []int{3, 0, 3}) {
		t.Errorf("rows %v", got)
	}
	if !slices.Equal(s.Labels, []int{1, 0, 1}) || !slices.Equal(s.Split, []int{8, 5, 8}) {
		t.Errorf("labels %v split %v", s.Labels, s.Split)
	}
	if !slices.Equal(s.Columns, d.Columns) || !slices.Equal(s.Classes, d.Classes) {
		t.Errorf("columns %v classes %v", s.Columns, s.Classes)
	}
	s.X.Set(0, 0, -1)
	if d.X.At(3, 0) != 3 {
		t.Error("the subset shares memory with its source")
	}
	if s := (&Dataset{X: d.X}).Subset([]int{1}); s.Labels != nil || s.Split != nil {
		t.Error("a subset of unlabeled data has labels")
	}
	for _, rows := range [][]int{nil, {4}, {-1}} {
		func() {
			defer func() {
				if recover() != badRow {
					t.Errorf("Subset(%v) did not panic", rows)
				}
			}()
			d.Subset(rows)
		}()
	}
}

func TestSplitBy(t *testing.T) {
	d := grouped(2, 2)
	if _, _, err := d.SplitBy(1); !errors.Is(err, errNoSplit) {
		t.Errorf("without split: %v", err)
	}
	d.Split = []int{0, 1, 0, 2}
	in, out, err := d.SplitBy(0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(column0(in), []int{0, 2}) || !slices.Equal(column0(out), []int{1, 3}) {
		t.Errorf("in %v out %v", column0(in), column0(out))
	}
	_, _, err = d.SplitBy(3)
	if !errors.Is(err, errNoSplit) || err.Error() != "no such split: 3; the values are [0 1 2]" {
		t.Errorf("absent value: %v", err)
	}
	d.Split = []int{1, 1, 1, 1}
	if _, _, err := d.SplitBy(1); !errors.Is(err, errNoSplit) {
		t.Errorf("one side empty: %v", err)
	}
}

func TestRelabel(t *testing.T) {
	d := &Dataset{X: mat.NewDense(3, 1, nil), Labels: []int{0, 1, 0}, Classes: []string{"b", "c"}}
	if _, err := d.Relabel([]string{"a", "b"}); err == nil {
		t.Error("class c was found in a list without it")
	}
	if !slices.Equal(d.Labels, []int{0, 1, 0}) || !slices.Equal(d.Classes, []string{"b", "c"}) {
		t.Errorf("a failed Relabel changed the data: %v %v", d.Labels, d.Classes)
	}
	if _, err := d.Relabel([]string{"a", "b", "c"}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Labels, []int{1, 2, 1}) || len(d.Classes) != 3 {
		t.Errorf("labels %v classes %v", d.Labels, d.Classes)
	}
	b := &Dataset{Labels: []int{0, 1}, Classes: []string{"False", "True"}}
	if _, err := b.Relabel([]string{"1", "0"}); err != nil || !slices.Equal(b.Labels, []int{1, 0}) {
		t.Errorf("booleans: %v, %v", b.Labels, err)
	}
	if _, err := b.Relabel([]string{"true", "maybe"}); err == nil {
		t.Error("a class that is no boolean")
	}
}

func TestSampleSizes(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		n     int
		want  []int
	}{
		{[]int{50, 50, 50}, 30, []int{10, 10, 10}},
		{[]int{50, 50, 50}, 31, []int{11, 10, 10}}, // the lower class wins a tie
		{[]int{70, 20, 10}, 10, []int{7, 2, 1}},
		{[]int{66, 24, 10}, 10, []int{7, 2, 1}},
		{[]int{997, 2, 1}, 10, []int{8, 1, 1}}, // each class gets at least one row
		{[]int{997, 2, 1}, 3, []int{1, 1, 1}},
		{[]int{5, 0, 5}, 4, []int{2, 0, 2}}, // a class without rows
		{[]int{3, 2}, 5, []int{3, 2}},       // all rows
	} {
		s, err := grouped(c.sizes...).Sample(c.n, 1)
		if err != nil {
			t.Errorf("%d of %v: %v", c.n, c.sizes, err)
			continue
		}
		if got := s.Counts(); !slices.Equal(got, c.want) {
			t.Errorf("%d of %v: %v, want %v", c.n, c.sizes, got, c.want)
		}
		rows := column0(s)
		if !slices.IsSorted(rows) || len(slices.Compact(rows)) != c.n {
			t.Errorf("%d of %v: rows %v are not distinct and ascending", c.n, c.sizes, rows)
		}
	}
	for _, n := range []int{-1, 0, 2, 11, math.MaxInt, math.MinInt} {
		if _, err := grouped(5, 4, 1).Sample(n, 1); !errors.Is(err, errSize) {
			t.Errorf("%d of 10 rows in 3 classes: %v", n, err)
		}
	}
}

func TestSampleSeed(t *testing.T) {
	d := grouped(100, 50)
	a, _ := d.Sample(30, 1)
	b, _ := d.Sample(30, 1)
	c, _ := d.Sample(30, 2)
	if !slices.Equal(column0(a), column0(b)) {
		t.Error("one seed gave two samples")
	}
	if slices.Equal(column0(a), column0(c)) {
		t.Error("two seeds gave one sample")
	}
	u := &Dataset{X: d.X}
	s, err := u.Sample(7, 1)
	if err != nil || s.Len() != 7 || s.Labels != nil {
		t.Errorf("unlabeled: %v, %d rows", err, s.Len())
	}
}

// TestSampleUniform checks that every row is drawn equally often.
func TestSampleUniform(t *testing.T) {
	d := grouped(20, 10)
	count := make([]int, 30)
	const draws = 3000
	for seed := range uint64(draws) {
		s, err := d.Sample(6, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range column0(s) {
			count[row]++
		}
	}
	// Each count is binomial with p = 0.2, mean 600 and standard deviation 22.
	for row, n := range count {
		if n < 500 || n > 700 {
			t.Errorf("row %d drawn %d times, expected 600", row, n)
		}
	}
}

func TestTrainTest(t *testing.T) {
	d := grouped(60, 30, 2, 1)
	train, test, err := d.TrainTest(0.5, 3)
	if err != nil {
		t.Fatal(err)
	}
	if train.Len()+test.Len() != 93 || test.Len() != 47 {
		t.Errorf("%d + %d rows", train.Len(), test.Len())
	}
	all := slices.Concat(column0(train), column0(test))
	slices.Sort(all)
	if len(slices.Compact(all)) != 93 {
		t.Error("rows lost or used twice")
	}
	if got := train.Counts(); got[2] != 1 || got[3] != 1 {
		t.Errorf("training classes %v", got)
	}
	if got := test.Counts(); got[2] != 1 || got[3] != 0 {
		t.Errorf("test classes %v", got)
	}
	for _, f := range []float64{0, 1, -1, 2, math.NaN(), 0.001, 0.999} {
		if _, _, err := d.TrainTest(f, 1); !errors.Is(err, errSize) {
			t.Errorf("fraction %v: %v", f, err)
		}
	}
	if _, _, err := grouped(1, 1, 1).TrainTest(0.5, 1); !errors.Is(err, errSize) {
		t.Errorf("classes of one row: %v", err)
	}
}

func TestFolds(t *testing.T) {
	for _, d := range []*Dataset{grouped(10, 7, 3, 1), {X: grouped(21).X}} {
		for k := 2; k <= 21; k++ {
			train, test, err := d.Folds(k, 1)
			if err != nil {
				t.Fatal(err)
			}
			seen := make([]int, d.Len())
			lo, hi := 21, 0
			for f := range k {
				lo, hi = min(lo, len(test[f])), max(hi, len(test[f]))
				if len(train[f])+len(test[f]) != 21 || !slices.IsSorted(train[f]) || !slices.IsSorted(test[f]) {
					t.Errorf("k = %d: fold %d: %v, %v", k, f, train[f], test[f])
				}
				for _, row := range test[f] {
					seen[row]++
				}
			}
			if hi-lo > 1 {
				t.Errorf("k = %d: test sizes from %d to %d", k, lo, hi)
			}
			if slices.Min(seen) != 1 || slices.Max(seen) != 1 {
				t.Errorf("k = %d: rows tested %v times", k, seen)
			}
			if d.Labels == nil {
				continue
			}
			for c, m := range d.Counts() {
				for _, rows := range test {
					in := 0
					for _, row := range rows {
						if d.Labels[row] == c {
							in++
						}
					}
					if in < m/k || in > (m+k-1)/k {
						t.Errorf("k = %d: %d of the %d rows of class %d in one fold", k, in, m, c)
					}
				}
			}
		}
		for _, k := range []int{-1, 0, 1, 22} {
			if _, _, err := d.Folds(k, 1); !errors.Is(err, errSize) {
				t.Errorf("%d folds: %v", k, err)
			}
		}
	}
}

// TestGoldenDraws checks that a seed always gives the same draws.
func TestGoldenDraws(t *testing.T) {
	d := grouped(6, 6)
	s, err := d.Sample(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := column0(s), []int{0, 2, 3, 9, 10, 11}; !slices.Equal(got, want) {
		t.Errorf("sample %v, want %v", got, want)
	}
	_, test, err := d.Folds(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := test[0], []int{1, 3, 8, 10}; !slices.Equal(got, want) {
		t.Errorf("fold %v, want %v", got, want)
	}
}
