package search_test

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/oracle"
	"github.com/gomonge/monge/internal/oracle/trial"
	"github.com/gomonge/monge/search"
)

// blocked lists the folders whose code processes rows or columns in blocks. The test uses many
// random shapes close to the block sizes.
var blocked = []string{"search", "internal/asm/query", "internal/nearest"}

func TestOracle(t *testing.T) {
	searcher := new(search.Searcher) // one searcher for all cases, so its buffers contain old values
	trial.Run(t, 60, blocked, func(c *trial.Case) { compareSearches(c, searcher) })
}

// roundToStorage returns v rounded to the precision of a storage.
func roundToStorage(v float64, storage search.Storage) float64 {
	v = float64(float32(v))
	switch storage {
	case search.StorageFloat16:
		return oracle.Float16.Value(oracle.Float16.Nearest(v))
	case search.StorageBFloat16:
		return oracle.BFloat16.Value(oracle.BFloat16.Nearest(v))
	}
	return v
}

// randomRows returns n random rows of d numbers from NewRows, or at most n rows from a collection in which some rows
// have been deleted.
func randomRows(c *trial.Case, n, d int, value func() float64) *search.Rows {
	storage := search.Storage(c.IntN(4))
	matrix := func(n int) trial.View[float32] {
		same := make([]int, n) // index of the row that row i copies
		for i := range same {
			if same[i] = i; c.Chance(4) {
				same[i] = c.IntN(i + 1)
			}
		}
		x := make([]float32, n*d)
		for k := range x {
			x[k] = float32(value())
		}
		return trial.Matrix(c, n, d, func(i, j int) float32 { return x[same[i]*d+j] })
	}
	var rows *search.Rows
	given := make(map[search.ID][]float32)
	if c.Chance(2) {
		x := matrix(n)
		r, err := search.NewRows(dist.Matrix[float32](x), storage)
		if err != nil {
			c.Fatal(err)
		}
		rows = r
		for i, row := range x.Table() {
			given[search.ID(i)] = row
		}
	} else {
		all := search.NewCollection(d, storage)
		for left := n; left > 0; {
			k := min(left, 1+c.IntN(n))
			x := matrix(k)
			first, err := all.Append(dist.Matrix[float32](x))
			if err != nil {
				c.Fatal(err)
			}
			for i, row := range x.Table() {
				given[first+search.ID(i)] = row
			}
			left -= k
			for range c.IntN(k + 1) {
				id := search.ID(c.IntN(int(first) + k + 2))
				if _, there := given[id]; there != (all.Delete(id) == 1) {
					c.Errorf("identifier %d: there is a row, or not: %v", id, there)
				}
				delete(given, id)
			}
		}
		rows = all.Snapshot()
		if c.Chance(4) { // through a file
			var file bytes.Buffer
			size, err := rows.WriteTo(&file)
			if err != nil || size != int64(file.Len()) {
				c.Fatal(size, file.Len(), err)
			}
			again, err := search.ReadCollection(&file, 0)
			if err != nil {
				c.Fatal(err)
			}
			rows = again.Snapshot()
		}
	}
	if rows.Len() != len(given) || rows.Cols() != d || rows.Storage() != storage {
		c.Errorf("%d rows of %d numbers as %v, want %d of %d as %v", rows.Len(), rows.Cols(), rows.Storage(), len(given), d, storage)
	}
	row, last := make([]float32, d), -1
	for i := range rows.Positions() {
		id := rows.ID(i)
		if int(id) <= last {
			c.Errorf("identifier %d at position %d, after %d", id, i, last)
		}
		last = int(id)
		want, ok := given[id]
		if !ok {
			continue
		}
		rows.Row(row, i)
		largest := 0.0
		for _, v := range want {
			largest = max(largest, math.Abs(float64(v)))
		}
		for j, v := range want {
			off := math.Abs(float64(row[j]) - roundToStorage(float64(v), storage))
			if storage != search.StorageInt8 && off != 0 || off > largest/250+0x1p-142 {
				c.Errorf("%v is stored as %v (%v)", v, row[j], storage)
				return rows
			}
		}
	}
	return rows
}

// nearer orders neighbors.
func nearer(m search.Measure) func(a, b search.Neighbor) int {
	return func(a, b search.Neighbor) int {
		key := func(v float32) float32 {
			if v != v {
				v = float32(math.Inf(-1))
			}
			if m == search.MeasureSqEuclidean {
				return v
			}
			return -v
		}
		return cmp.Or(cmp.Compare(key(a.Value), key(b.Value)), cmp.Compare(a.ID, b.ID))
	}
}

func compareSearches(c *trial.Case, searcher *search.Searcher) {
	c.Alone()
	s := c.Shape(4000, c.Budget(1<<14, 1<<21), 1, 1, 1)
	n, d, queries := max(1, s[0]), max(1, s[1]), s[2]
	if c.Chance(3) { // make the rows so long that a searcher compares several queries at once
		n, d, queries = 65+c.IntN(200), 49+c.IntN(80), 2+c.IntN(5)
	}
	v, scale := c.Values(), 1.0
	if c.Chance(8) {
		scale = 1000
	}
	value := func() float64 { return max(-60000, min(60000, v()*scale)) }
	rows := randomRows(c, n, d, value)
	measure := search.Measure(c.IntN(3))
	q := trial.Matrix(c, queries, d, func(i, j int) float32 { return float32(value()) })
	if queries > 0 && c.Chance(2) && rows.Positions() > 0 {
		own := make([]float32, d)
		rows.Row(own, c.IntN(rows.Positions()))
		at, others := c.IntN(queries), q
		q = trial.Matrix(c, queries, d, func(i, j int) float32 {
			if i == at {
				return own[j]
			}
			return others.Row(i)[j]
		})
	}
	n = rows.Positions()
	dst := trial.Output[float32](c, queries, n)
	ctx := context.Background()
	c.Call("Compare", func() {
		if err := searcher.Compare(ctx, dist.Matrix[float32](dst), rows, dist.Matrix[float32](q), measure); err != nil {
			c.Error(err)
		}
	})
	// Searches skip deleted rows, so the expected results omit them.
	there := make([]search.Neighbor, 0, n)
	alive, err := rows.Within(ctx, nil, make([]float32, d), float32(math.Inf(1)), search.MeasureSqEuclidean, nil)
	if err != nil || len(alive) != rows.Len() {
		c.Fatal(len(alive), rows.Len(), err)
	}
	slices.SortFunc(alive, func(a, b search.Neighbor) int { return a.Row - b.Row })
	row := make([]float32, d)
	k, limit := c.IntN(n+3), float32(0)
	if queries > 0 && n > 0 {
		limit = dst.Row(c.IntN(queries))[c.IntN(n)]
	}
	if limit != limit {
		limit = 0
	}
	var filter func(search.ID) bool
	var among []search.ID
	switch c.IntN(3) {
	case 0:
		filter = func(id search.ID) bool { return id%3 != 1 }
	case 1:
		for id := range search.ID(n + 5) {
			if c.Chance(3) {
				among = append(among, id)
			}
		}
		if among == nil {
			among = []search.ID{}
		}
	}
	options := &search.SearchOptions{Filter: filter, Among: among, Workers: c.IntN(4)}
	// First check the values that Compare returns. The expected results of the searches are then
	// taken from a list of the rows sorted by these values.
	bound := func(i, j int) {
		rows.Row(row, j)
		checkValue(c, dst.Row(i)[j], q.Row(i), row, measure, d)
	}
	for t := range min(queries*n, 400) {
		if queries*n <= 400 {
			bound(t/n, t%n)
		} else {
			bound(c.IntN(queries), c.IntN(n))
		}
	}
	var all, close [][]search.Neighbor
	want := make([][]search.Neighbor, queries)
	for i := range queries {
		there = there[:0]
		for _, a := range alive {
			there = append(there, search.Neighbor{Row: a.Row, ID: a.ID, Value: dst.Row(i)[a.Row] + 0})
		}
		slices.SortFunc(there, nearer(measure))
		want[i] = slices.Clone(there)
	}
	within := func(list []search.Neighbor) (some []search.Neighbor) {
		for _, w := range list {
			if measure == search.MeasureSqEuclidean && w.Value <= limit || measure != search.MeasureSqEuclidean && w.Value >= limit {
				some = append(some, w)
			}
		}
		return some
	}
	c.Call("searches", func() {
		if queries*n > 0 { // Compare writes no output without queries or rows
			if err := searcher.Compare(ctx, dist.Matrix[float32](dst), rows, dist.Matrix[float32](q), measure); err != nil {
				c.Error(err)
			}
		}
		found, err := searcher.Nearest(ctx, rows, dist.Matrix[float32](q), k, measure)
		if err != nil {
			c.Error(err)
		}
		all = slices.Clone(found)
		for i, w := range want {
			checkSame(c, "Searcher.Nearest", all[i], w[:min(k, len(w))])
		}
		if close, err = searcher.Within(ctx, rows, dist.Matrix[float32](q), limit, measure); err != nil {
			c.Error(err)
		}
		for i, w := range want {
			checkSame(c, "Searcher.Within", close[i], within(w))
			if i > 8 {
				continue
			}
			one, err := rows.Nearest(ctx, nil, q.Row(i), k, measure, nil)
			if err != nil {
				c.Error(err)
			}
			checkSame(c, "Nearest", one, w[:min(k, len(w))])
			var selected []search.Neighbor
			for _, v := range w {
				if (filter == nil || filter(v.ID)) && (among == nil || slices.Contains(among, v.ID)) {
					selected = append(selected, v)
				}
			}
			begin := []search.Neighbor{{Row: -7}}
			one, err = rows.Nearest(ctx, begin, q.Row(i), k, measure, options)
			if err != nil || one[0] != begin[0] {
				c.Error(err, one[0])
			}
			checkSame(c, "Nearest with options", one[1:], selected[:min(k, len(selected))])
			if one, err = rows.Within(ctx, begin, q.Row(i), limit, measure, options); err != nil || one[0] != begin[0] {
				c.Error(err, one[0])
			}
			checkSame(c, "Within with options", one[1:], within(selected))
		}
	})
}

func checkSame(c *trial.Case, what string, got, want []search.Neighbor) {
	c.Helper()
	if !slices.EqualFunc(got, want, func(a, b search.Neighbor) bool {
		return a.Row == b.Row && a.ID == b.ID && math.Float32bits(a.Value) == math.Float32bits(b.Value) || a.Row == b.Row && a.Value != a.Value && b.Value != b.Value
	}) {
		c.Errorf("%s: %v, want %v", what, got, want)
	}
}

func checkValue(c *trial.Case, got float32, q, x []float32, measure search.Measure, d int) {
	c.Helper()
	const u, least = 0x1p-24, 0x1p-149
	sum, lost := float64(d)/16, float64(d)*least
	switch measure {
	case search.MeasureSqEuclidean:
		want := oracle.SqDistance(q, x)
		whole := want.Ldexp(want.Exp)
		trial.Near(c, got, whole, (sum+7)*u*whole.Hi*1.01+lost, "squared distance of %d numbers", d)
		if want.Hi == 0 && got != 0 || got < 0 {
			c.Errorf("squared distance %v", got)
		}
	case search.MeasureInnerProduct:
		want, size := oracle.Dot(q, x)
		if size.Hi < math.MaxFloat32/2 {
			trial.Near(c, got, want, (sum+5)*u*size.Hi*1.01+lost, "inner product of %d numbers", d)
		}
	case search.MeasureCosine:
		trial.Near(c, got, oracle.Cosine(q, x), (sum+8)*2*u*1.01, "cosine of %d numbers", d)
		if slices.Equal(q, x) && oracle.Norm(x).Hi > 0 && got != 1 {
			c.Errorf("the cosine of a vector with itself is %v", got)
		}
	}
}
