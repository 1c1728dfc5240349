package fuzz

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/search"
)

// FuzzReadCollection checks that reading arbitrary bytes returns a typed error or a collection. Writing this collection must
// give the same bytes.
func FuzzReadCollection(f *testing.F) {
	for storage := range search.StorageInt8 + 1 {
		c := search.NewCollection(3, storage)
		if _, err := c.Append(dist.NewMatrix(2, 3, []float32{1, 2, 3, 0, -1, 0.5})); err != nil {
			f.Fatal(err)
		}
		c.Delete(0)
		var file bytes.Buffer
		if _, err := c.Snapshot().WriteTo(&file); err != nil {
			f.Fatal(err)
		}
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := search.ReadCollection(bytes.NewReader(data), 1<<20)
		if err != nil {
			if !errors.Is(err, search.ErrFile) && !errors.Is(err, search.ErrTooLarge) {
				t.Fatal(err)
			}
			return
		}
		var again bytes.Buffer
		if _, err := c.Snapshot().WriteTo(&again); err != nil || !bytes.HasPrefix(data, again.Bytes()) {
			t.Fatalf("%v: %d bytes are written as %d others", err, len(data), again.Len())
		}
	})
}

// FuzzCollection checks that a search finds the remaining rows after any sequence of operations.
func FuzzCollection(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		cols := 1 + in.numberUpTo(40)
		c := search.NewCollection(cols, search.Storage(in.numberUpTo(3)))
		var left []search.ID
		next := search.ID(0)
		for range in.numberUpTo(40) {
			if in.numberUpTo(2) > 0 {
				x := dist.NewMatrix[float32](in.numberUpTo(100), cols, nil)
				if first, err := c.Append(x); err != nil || first != next {
					t.Fatal(first, err)
				}
				for range x.Rows {
					left = append(left, next)
					next++
				}
				continue
			}
			lo := in.numberUpTo(int(next))
			hi := lo + in.numberUpTo(100)
			var ids []search.ID
			for id := lo; id < hi; id++ {
				ids = append(ids, search.ID(id))
			}
			before := len(left)
			left = slices.DeleteFunc(left, func(id search.ID) bool { return int(id) >= lo && int(id) < hi })
			if n := c.Delete(ids...); n != before-len(left) {
				t.Fatalf("%d deleted instead of %d", n, before-len(left))
			}
		}
		r := c.Snapshot()
		found, err := r.Nearest(t.Context(), nil, make([]float32, cols), len(left)+1, search.MeasureSqEuclidean, &search.SearchOptions{Workers: 1 + in.numberUpTo(2)})
		if err != nil || len(found) != len(left) || r.Len() != len(left) {
			t.Fatalf("%d rows are found and %d there, want %d: %v", len(found), r.Len(), len(left), err)
		}
		for i, n := range found { // all distances are 0, so the rows are in ascending order
			if n.ID != left[i] || r.ID(n.Row) != n.ID {
				t.Fatalf("result %d is row %d, want %d", i, n.ID, left[i])
			}
		}
	})
}

// FuzzSketches checks that searches with sketches find the same rows, in the same order and with the same bits, as searches
// without sketches.
func FuzzSketches(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		cols, storage, measure := 8+in.numberUpTo(40), search.Storage(in.numberUpTo(2)), search.Measure(in.numberUpTo(2))
		m, k := 1+in.numberUpTo(20), 1+in.numberUpTo(30)
		kind, spread := in.numberUpTo(3), in.numberUpTo(40)
		rng := rand.New(rand.NewPCG(uint64(in.numberUpTo(255)), 1))
		matrix := func(rows int) dist.Matrix[float32] {
			x := dist.NewMatrix[float32](rows, cols, nil)
			for i := range x.Data {
				v := rng.NormFloat64()
				switch kind {
				case 1:
					v = math.Round(v)
				case 2:
					v = 1 + v*math.Ldexp(1, -spread)
				case 3:
					v *= math.Ldexp(1, rng.IntN(spread+1)-spread/2)
				}
				x.Data[i] = max(-60000, min(float32(v), 60000)) // inside the range of float16
			}
			for range in.numberUpTo(20) { // any numbers
				if v := bits[float32](in); v-v == 0 && (storage != search.StorageFloat16 || v >= -60000 && v <= 60000) && (storage != search.StorageBFloat16 || v >= -3e38 && v <= 3e38) {
					x.Data[rng.IntN(len(x.Data))] = v
				}
			}
			return x
		}
		x := matrix(2048 + in.numberUpTo(500))
		for range in.numberUpTo(200) { // equal rows
			copy(x.Row(rng.IntN(x.Rows)), x.Row(rng.IntN(x.Rows)))
		}
		queries := matrix(m)
		if in.numberUpTo(1) == 1 {
			copy(queries.Row(0), x.Row(rng.IntN(x.Rows)))
		}
		plain, err := search.NewRows(x, storage, search.NoSketch)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := search.NewRows(x, storage)
		if err != nil || rows.Bytes() <= plain.Bytes() {
			t.Fatalf("rows of %d and %d bytes: %v", rows.Bytes(), plain.Bytes(), err)
		}
		c := search.NewCollection(cols, storage)
		if _, err := c.Append(x); err != nil {
			t.Fatal(err)
		}
		var a, b search.Searcher
		want, err := a.Nearest(t.Context(), plain, queries, k, measure)
		if err != nil {
			t.Fatal(err)
		}
		check := func(how string, got, want []search.Neighbor, err error) {
			if err != nil || !slices.EqualFunc(got, want, func(a, b search.Neighbor) bool {
				return a.Row == b.Row && a.ID == b.ID && math.Float32bits(a.Value) == math.Float32bits(b.Value)
			}) {
				t.Fatalf("%s: %v, %v\nwant %v", how, err, got, want)
			}
		}
		for _, r := range []*search.Rows{rows, c.Snapshot()} {
			got, err := b.Nearest(t.Context(), r, queries, k, measure)
			for i := range want {
				check("nearest", got[i], want[i], err)
			}
		}
		one, err := c.Snapshot().Nearest(t.Context(), nil, queries.Row(0), k, measure, &search.SearchOptions{Workers: 1 + in.numberUpTo(2)})
		check("nearest to one", one, want[0], err)
		limit := want[0][len(want[0])-1].Value
		wantWithin, err := plain.Within(t.Context(), nil, queries.Row(0), limit, measure, nil)
		if err != nil {
			t.Fatal(err)
		}
		within, err := rows.Within(t.Context(), nil, queries.Row(0), limit, measure, nil)
		check("within", within, wantWithin, err)
	})
}
