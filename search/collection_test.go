package search

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gomonge/monge/dist"
	"testing/iotest"
)

// reference is a simple implementation of a collection.
type reference struct {
	ids  []ID
	rows [][]float32
	next ID
}

func (r *reference) append(x dist.Matrix[float32]) {
	for i := range x.Rows {
		r.ids, r.rows = append(r.ids, r.next), append(r.rows, slices.Clone(x.Row(i)))
		r.next++
	}
}

func (r *reference) delete(id ID) bool {
	i, ok := slices.BinarySearch(r.ids, id)
	if ok {
		r.ids, r.rows = slices.Delete(r.ids, i, i+1), slices.Delete(r.rows, i, i+1)
	}
	return ok
}

func (r *reference) matrix(cols int) dist.Matrix[float32] {
	return dist.NewMatrix(len(r.rows), cols, slices.Concat(r.rows...))
}

// sameNeighbors reports whether two results are equal except for positions.
func sameNeighbors(a, b []Neighbor) bool {
	return slices.EqualFunc(a, b, func(a, b Neighbor) bool {
		return a.ID == b.ID && math.Float32bits(a.Value) == math.Float32bits(b.Value)
	})
}

// checkSnapshot compares all kinds of searches in a snapshot with searches in new Rows that contain the same vectors.
func checkSnapshot(t *testing.T, r *Rows, ref *reference, rng *rand.Rand) {
	t.Helper()
	cols := r.Cols()
	plain, err := NewRows(ref.matrix(cols), r.Storage())
	if err != nil {
		t.Fatal(err)
	}
	if r.Len() != len(ref.ids) {
		t.Fatalf("%d rows instead of %d", r.Len(), len(ref.ids))
	}
	q := make([]float32, cols)
	for j := range q {
		q[j] = float32(rng.IntN(7) - 3)
	}
	odd := func(id ID) bool { return id%3 > 0 }
	among := []ID{0}
	for id := ID(1); id < ref.next; id += 1 + ID(rng.IntN(4)) {
		among = append(among, id)
	}
	for _, m := range measures {
		all, err := plain.Nearest(t.Context(), nil, q, len(ref.ids), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			all[i].ID = ref.ids[all[i].Row]
		}
		for _, o := range []*SearchOptions{nil, {Workers: 3}, {Filter: odd}, {Among: among}, {Filter: odd, Among: among, Workers: 2}} {
			var want []Neighbor
			for _, n := range all {
				if o == nil || (o.Filter == nil || o.Filter(n.ID)) && (o.Among == nil || slices.Contains(among, n.ID)) {
					want = append(want, n)
				}
			}
			k := rng.IntN(20)
			got, err := r.Nearest(t.Context(), nil, q, k, m, o)
			if err != nil || !sameNeighbors(got, want[:min(k, len(want))]) {
				t.Fatalf("%v, %+v: the %d nearest: %v, %v, want %v", m, o, k, got, err, want[:min(k, len(want))])
			}
			for _, n := range got {
				if r.ID(n.Row) != n.ID {
					t.Fatalf("position %d has the identifier %d, not %d", n.Row, r.ID(n.Row), n.ID)
				}
			}
			limit := float32(0.4)
			if len(want) > 0 {
				limit = want[len(want)/2].Value
			}
			end := slices.IndexFunc(want, func(n Neighbor) bool {
				return m == MeasureSqEuclidean && n.Value > limit || m != MeasureSqEuclidean && n.Value < limit
			})
			if end < 0 {
				end = len(want)
			}
			if got, err := r.Within(t.Context(), nil, q, limit, m, o); err != nil || !sameNeighbors(got, want[:end]) {
				t.Fatalf("%v, %+v: within %v: %v, %v, want %v", m, o, limit, got, err, want[:end])
			}
		}
		var s Searcher
		found, err := s.Nearest(t.Context(), r, dist.NewMatrix(2, cols, append(slices.Clone(q), q...)), 5, m)
		if err != nil || !sameNeighbors(found[0], all[:min(5, len(all))]) || !sameNeighbors(found[1], found[0]) {
			t.Fatalf("%v: %v, %v, want %v", m, found, err, all[:min(5, len(all))])
		}
	}
}

// TestCollection compares a collection and its old snapshots with the reference after random operations.
func TestCollection(t *testing.T) {
	smallSketches(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, storage := range storages {
		for _, cols := range []int{1, 5, 70, 3000} {
			c, ref := NewCollection(cols, storage), &reference{}
			var old *Rows
			var oldRef reference
			for step := range 40 {
				if cols == 3000 && step > 8 {
					break
				}
				switch rng.IntN(4) {
				case 0, 1:
					x := dist.NewMatrix[float32](rng.IntN(60), cols, nil)
					for i := range x.Data {
						x.Data[i] = float32(rng.IntN(5) - 2)
					}
					if first, err := c.Append(x); err != nil || first != ref.next {
						t.Fatal(first, err)
					}
					ref.append(x)
				case 2: // some rows anywhere
					for range rng.IntN(20) {
						id := ID(rng.IntN(int(ref.next) + 2))
						want := 0
						if ref.delete(id) {
							want = 1
						}
						if got := c.Delete(id); got != want {
							t.Fatalf("%d rows with the identifier %d were deleted, want %d", got, id, want)
						}
					}
				case 3: // a range, so that segments become sparse
					lo := ID(rng.IntN(int(ref.next) + 1))
					var ids []ID
					want := 0
					for id := lo; id < min(lo+50, ref.next); id++ {
						ids = append(ids, id)
						if ref.delete(id) {
							want++
						}
					}
					if got := c.Delete(ids...); got != want {
						t.Fatalf("%d deleted, want %d", got, want)
					}
				}
				if step%13 == 0 {
					checkSnapshot(t, c.Snapshot(), ref, rng)
					if old != nil {
						checkSnapshot(t, old, &oldRef, rng)
					}
					old, oldRef = c.Snapshot(), reference{slices.Clone(ref.ids), slices.Clone(ref.rows), ref.next}
				}
			}
			checkSnapshot(t, c.Snapshot(), ref, rng)
			// A collection that was read from a file has the same rows, and assigns the same new
			// identifiers, as the original.
			var file bytes.Buffer
			n, err := c.Snapshot().WriteTo(&file)
			if err != nil || n != int64(file.Len()) {
				t.Fatal(n, err)
			}
			again, err := ReadCollection(bytes.NewReader(file.Bytes()), 0)
			if err != nil {
				t.Fatal(err)
			}
			checkSnapshot(t, again.Snapshot(), ref, rng)
			x := dist.NewMatrix[float32](3, cols, nil)
			if first, err := again.Append(x); err != nil || first != ref.next {
				t.Fatal(first, err)
			}
			ref.append(x)
			checkSnapshot(t, again.Snapshot(), ref, rng)
		}
	}
}

// TestCollectionShrinks checks that deleting rows frees their memory and reduces the number of
// positions.
func TestCollectionShrinks(t *testing.T) {
	c := NewCollection(64, StorageFloat32)
	const n = 100_000
	if _, err := c.Append(dist.NewMatrix[float32](n, 64, nil)); err != nil {
		t.Fatal(err)
	}
	full := c.Snapshot().Bytes()
	for id := ID(0); id < n; id++ {
		if id%100 > 0 {
			c.Delete(id)
		}
	}
	r := c.Snapshot()
	if r.Len() != n/100 || r.Positions() > n/3 || r.Bytes() > full/3 {
		t.Errorf("%d rows, %d positions, %d of %d bytes", r.Len(), r.Positions(), r.Bytes(), full)
	}
	if len(r.parts) > 12 {
		t.Errorf("%d segments for %d rows", len(r.parts), r.Len())
	}
}

// TestCollectionBytes checks Rows.Bytes. In a segment for 64 rows of 20 bytes, each row takes 32
// bytes for its elements, 4 for its scale and 8 for its norm. Deletion marks take 8 bytes for each row.
// Identifiers that were read from a file also take 8 bytes for each row.
func TestCollectionBytes(t *testing.T) {
	c := NewCollection(20, StorageInt8)
	if _, err := c.Append(dist.NewMatrix[float32](10, 20, nil)); err != nil {
		t.Fatal(err)
	}
	const segment = 64 * (32 + 4 + 8)
	if n := c.Snapshot().Bytes(); n != segment {
		t.Errorf("%d bytes, want %d", n, segment)
	}
	c.Delete(3)
	if n := c.Snapshot().Bytes(); n != segment+64*8 {
		t.Errorf("with a deleted row: %d bytes, want %d", n, segment+64*8)
	}
	var file bytes.Buffer
	if _, err := c.Snapshot().WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	again, err := ReadCollection(&file, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := again.Snapshot().Bytes(); n != segment+9*8 {
		t.Errorf("from a file: %d bytes, want %d", n, segment+9*8)
	}
}

// TestAppendAllOrNone checks that an invalid value leaves the collection unchanged.
func TestAppendAllOrNone(t *testing.T) {
	c := NewCollection(3, StorageFloat16)
	x := dist.NewMatrix[float32](200, 3, nil)
	for _, v := range []float32{float32(math.NaN()), float32(math.Inf(1)), 1e6} {
		x.Set(150, 1, v)
		if _, err := c.Append(x); !errors.Is(err, ErrNotFinite) && !errors.Is(err, ErrRange) {
			t.Fatal(err)
		}
		if r := c.Snapshot(); r.Len() != 0 || r.Positions() != 0 {
			t.Errorf("%d rows", r.Len())
		}
	}
	x.Set(150, 1, 1)
	if first, err := c.Append(x); first != 0 || err != nil || c.Snapshot().Len() != 200 {
		t.Error(first, err, c.Snapshot().Len())
	}
}

// TestConcurrent searches while rows are added and deleted. With -race, it checks that nothing writes the memory that
// searches read.
func TestConcurrent(t *testing.T) {
	smallSketches(t)
	const cols = 20
	c := NewCollection(cols, StorageFloat32)
	x := gaussianRows(1, 50, cols)
	if _, err := c.Append(x); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for range 100 {
				r := c.Snapshot()
				a, err := r.Nearest(t.Context(), nil, x.Row(w), 5, MeasureCosine, &SearchOptions{Workers: 2})
				b, again := r.Nearest(t.Context(), nil, x.Row(w), 5, MeasureCosine, nil)
				if err != nil || again != nil || !slices.Equal(a, b) {
					t.Errorf("%v, %v, %v, %v", a, b, err, again)
				}
			}
		})
	}
	wg.Go(func() {
		for range 100 {
			first, err := c.Append(x)
			if err != nil {
				t.Error(err)
			}
			c.Delete(first, first+1, first-1, first-40)
		}
	})
	wg.Wait()
	if n := c.Snapshot().Len(); n < 50+100*46 || n > 50+100*48 {
		t.Errorf("%d rows are left", n)
	}
}

// TestDamagedFiles checks that reading a truncated file, or a file with a changed byte, returns an
// error.
func TestDamagedFiles(t *testing.T) {
	for _, storage := range storages {
		c := NewCollection(5, storage)
		if _, err := c.Append(gaussianRows(1, 10, 5)); err != nil {
			t.Fatal(err)
		}
		c.Delete(3)
		var file bytes.Buffer
		if _, err := c.Snapshot().WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		data := file.Bytes()
		for n := range data {
			if _, err := ReadCollection(bytes.NewReader(data[:n]), 0); !errors.Is(err, ErrFile) {
				t.Fatalf("%v, cut off after %d of %d bytes: %v", storage, n, len(data), err)
			}
			for _, flip := range []byte{1, 0x80, 0xff} {
				data[n] ^= flip
				if _, err := ReadCollection(bytes.NewReader(data), 1<<20); !errors.Is(err, ErrFile) && !errors.Is(err, ErrTooLarge) {
					t.Fatalf("%v, byte %d of %d is changed: %v", storage, n, len(data), err)
				}
				data[n] ^= flip
			}
		}
		if _, err := ReadCollection(bytes.NewReader(data), 100); !errors.Is(err, ErrTooLarge) {
			t.Error(err)
		}
	}
	if _, err := ReadCollection(iotest.ErrReader(errors.New("broken")), 0); err == nil || err.Error() != "broken" {
		t.Error(err)
	}
}
