package fuzz

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/search"
)

// FuzzReadCollection: any bytes are an error of package search, or a collection that is written as the same bytes.
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

// FuzzCollection: after any operations, a search finds the rows that are left.
func FuzzCollection(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		cols := 1 + in.upTo(40)
		c := search.NewCollection(cols, search.Storage(in.upTo(3)))
		var left []search.ID
		next := search.ID(0)
		for range in.upTo(40) {
			if in.upTo(2) > 0 {
				x := dist.NewMatrix[float32](in.upTo(100), cols, nil)
				if first, err := c.Append(x); err != nil || first != next {
					t.Fatal(first, err)
				}
				for range x.Rows {
					left = append(left, next)
					next++
				}
				continue
			}
			lo := in.upTo(int(next))
			hi := lo + in.upTo(100)
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
		found, err := r.Nearest(t.Context(), nil, make([]float32, cols), len(left)+1, search.MeasureSqEuclidean, &search.SearchOptions{Workers: 1 + in.upTo(2)})
		if err != nil || len(found) != len(left) || r.Len() != len(left) {
			t.Fatalf("%d rows are found and %d there, want %d: %v", len(found), r.Len(), len(left), err)
		}
		for i, n := range found { // all distances are 0
			if n.ID != left[i] || r.ID(n.Row) != n.ID {
				t.Fatalf("result %d is row %d, want %d", i, n.ID, left[i])
			}
		}
	})
}
