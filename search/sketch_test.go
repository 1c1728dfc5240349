package search

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/sketch"
	"github.com/gomonge/monge/internal/testdata"
)

// smallSketches lowers the size limits for sketches and filters until the test ends, so that small searches filter rows.
func smallSketches(t testing.TB) {
	rows, cols, first := sketchedRows, sketchedCols, firstBlock
	sketchedRows, sketchedCols, firstBlock = 1, 1, sketch.Rows
	t.Cleanup(func() { sketchedRows, sketchedCols, firstBlock = rows, cols, first })
}

// kinds is the number of kinds of matrices that hardMatrix makes.
const kinds = 12

// hardMatrix returns a random matrix whose rows are difficult for sketches. kind selects the difficulty.
// Some rows are equal.
func hardMatrix(rng *rand.Rand, kind, rows, cols int) dist.Matrix[float32] {
	x := dist.NewMatrix[float32](rows, cols, nil)
	center := make([]float64, cols)
	for j := range center {
		center[j] = rng.NormFloat64()
	}
	common := float32(math.Exp(3 * rng.NormFloat64()))
	for i := range rows {
		scale := float32(math.Pow(10, 82*rng.Float64()-44))
		for j := range cols {
			g := rng.NormFloat64()
			v := float32(g)
			switch kind {
			case 1: // many equal values
				v = float32(rng.IntN(3) - 1)
			case 2: // some elements are a million times larger
				if rng.IntN(50) == 0 {
					v *= 1e6
				}
			case 3: // sixteen decades
				v = float32(math.Exp(6 * g))
			case 4: // subnormal numbers
				v *= 1e-39
			case 5: // a large common offset
				v = 100 + 1e-3*v
			case 6: // zeros
				v *= float32(rng.IntN(2))
			case 7: // sums of products overflow
				v = float32(math.Copysign(3e38, g))
			case 8: // rows of all sizes
				v = max(-1, min(v/8, 1)) * scale
			case 9: // sketches without remainders: only sums are rounded
				v = common * float32(rng.IntN(127)-63)
				if j == i%cols {
					v = 63 * common
				}
			case 10: // close rows of length about 1
				v = float32((center[j] + 0.01*g) / math.Sqrt(float64(cols)))
			case 11: // every row is nearer than the ones before it
				v = float32(center[j]) * (1 - float32(i)/float32(rows))
			}
			x.Set(i, j, v)
		}
		if i > 0 && rng.IntN(8) == 0 {
			copy(x.Row(i), x.Row(rng.IntN(i)))
		}
		if rng.IntN(40) == 0 {
			clear(x.Row(i))
		}
	}
	return x
}

// TestSketchesChangeNothing checks that searches with and without sketches return bit-identical
// results in the same order, for random problems.
func TestSketchesChangeNothing(t *testing.T) {
	smallSketches(t)
	problems := 200
	if testdata.IsLong() {
		problems = 100_000
	}
	var s, reference, keeping Searcher
	for trial := range problems {
		rng := rand.New(rand.NewPCG(5, uint64(trial)))
		kind, storage := trial%kinds, storages[trial/kinds%3]
		n, d, m := 32+rng.IntN(150), 1+rng.IntN(20), 1+rng.IntN(16)
		if rng.IntN(20) == 0 {
			n, d = 32+rng.IntN(1500), 1+rng.IntN(80)
		}
		x, q := hardMatrix(rng, kind, n, d), hardMatrix(rng, (kind+rng.IntN(2)*rng.IntN(kinds))%kinds, m, d)
		for i := range m {
			switch rng.IntN(4) {
			case 0:
				copy(q.Row(i), x.Row(rng.IntN(n)))
			case 1: // parallel to a row
				for j, v := range x.Row(rng.IntN(n)) {
					q.Set(i, j, max(-3e38, min(v*0.7, 3e38)))
				}
			}
		}
		if storage == StorageFloat16 { // limit values to the range of float16
			for i, v := range x.Data {
				x.Data[i] = max(-60000, min(v, 60000))
			}
		}
		// Make the same collection with sketches and without sketches.
		c, plainCollection := NewCollection(d, storage), NewCollection(d, storage, NoSketch)
		var gone []ID
		for done := 0; done < n; {
			some := min(1+rng.IntN(n), n-done)
			for _, c := range []*Collection{c, plainCollection} {
				if _, err := c.Append(x.RowRange(done, done+some)); err != nil {
					t.Fatal(err)
				}
			}
			done += some
			if rng.IntN(2) == 0 {
				for range rng.IntN(done) {
					gone = append(gone, ID(rng.IntN(done)))
				}
				c.Delete(gone...)
				plainCollection.Delete(gone...)
			}
		}
		slices.Sort(gone)
		kept := func(id ID) bool { _, ok := slices.BinarySearch(gone, id); return !ok }
		plain, err := NewRows(x, storage, NoSketch)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := NewRows(x, storage)
		if err != nil {
			t.Fatal(err)
		}
		k := 1 + rng.IntN(20)
		for _, measure := range measures {
			ctx := t.Context()
			some := func(id ID) bool { return kept(id) && id%5 > 0 }
			want, err := reference.Nearest(ctx, plain, q, k, measure)
			if err != nil {
				t.Fatal(err)
			}
			wantKept, err := keeping.Nearest(ctx, plainCollection.Snapshot(), q, k, measure)
			if err != nil {
				t.Fatal(err)
			}
			check := func(how string, found, want [][]Neighbor, err error) {
				t.Helper()
				if err != nil || !slices.EqualFunc(found, want, sameNeighbors) {
					t.Fatalf("problem %d, kind %d, %v, %v, %d × %d, %d queries, %s: %v\n%v\nwant\n%v", trial, kind, storage, measure, n, d, m, how, err, found, want)
				}
			}
			found, err := s.Nearest(ctx, rows, q, k, measure)
			check("nearest", found, want, err)
			found, err = s.Nearest(ctx, c.Snapshot(), q, k, measure)
			check("nearest of a collection", found, wantKept, err)
			i := rng.IntN(m)
			one, err := rows.Nearest(ctx, nil, q.Row(i), k, measure, &SearchOptions{Workers: 1 + rng.IntN(3)})
			check("nearest to one", [][]Neighbor{one}, want[i:i+1], err)
			one, err = c.Snapshot().Nearest(ctx, nil, q.Row(i), k, measure, &SearchOptions{Filter: some})
			filtered, err2 := plain.Nearest(ctx, nil, q.Row(i), k, measure, &SearchOptions{Filter: some})
			if err2 != nil {
				t.Fatal(err2)
			}
			check("nearest with a filter", [][]Neighbor{one}, [][]Neighbor{filtered}, err)
			limit := want[i][rng.IntN(len(want[i]))].Value
			if limit != limit {
				continue
			}
			within, err := plain.Within(ctx, nil, q.Row(i), limit, measure, nil)
			if err != nil {
				t.Fatal(err)
			}
			one, err = rows.Within(ctx, nil, q.Row(i), limit, measure, nil)
			check("within", [][]Neighbor{one}, [][]Neighbor{within}, err)
			found, err = s.Within(ctx, rows, q.RowRange(i, i+1), limit, measure)
			check("within", found, [][]Neighbor{within}, err)
		}
	}
}

// bigFloat returns v with enough bits for exact products.
func bigFloat(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }

func bigSum(terms ...*big.Float) *big.Float {
	s := bigFloat(0)
	for _, v := range terms {
		s.Add(s, v)
	}
	return s
}

func bigProduct(factors ...*big.Float) *big.Float {
	p := bigFloat(1)
	for _, v := range factors {
		p.Mul(p, v)
	}
	return p
}

// TestBound checks the bound of sketch.go in exact arithmetic. The value that the filter computes for a row, minus its largest
// rounding error, must be at least the largest value that the search can compute for the row. The threshold must be at most the
// smallest value that the search accepts.
func TestBound(t *testing.T) {
	smallSketches(t)
	problems := 1500
	if testdata.IsLong() {
		problems = 200_000
	}
	used, tight := 0, math.Inf(1)
	for trial := range problems {
		rng := rand.New(rand.NewPCG(6, uint64(trial)))
		d := 1 + rng.IntN(40)
		if trial%100 == 0 {
			d = 1 + rng.IntN(2000)
		}
		kind := trial % kinds
		x, q := hardMatrix(rng, kind, 2, d), hardMatrix(rng, []int{kind, 9, rng.IntN(kinds)}[rng.IntN(3)], 1, d)
		if rng.IntN(2) == 0 { // parallel vectors are the worst case of the sum
			copy(q.Row(0), x.Row(1))
		}
		if trial == 0 { // the rounding errors of the sketches are as long as the vectors, so every term of the bound matters
			d = 40_000
			x, q = dist.NewMatrix[float32](2, d, nil), dist.NewMatrix[float32](1, d, nil)
			for j := range d {
				x.Set(1, j, -0.51/63)
				q.Set(0, j, 0.51/127)
			}
			x.Set(1, 0, 1)
			q.Set(0, 1, 1)
		}
		seg := newSegment(d, 2, StorageFloat32, false)
		if err := storeMatrix(seg, 0, x, 0, 2); err != nil {
			t.Fatal(err)
		}
		padded := make([]float32, sketchFeatures(d))
		copy(padded, q.Row(0))
		codes := make([]int8, len(padded))
		qs := newQuerySketch(codes, sketch.Step, padded)
		if g := seg.groups[0]; qs.scale == 0 || g.Scale[1] != g.Scale[1] {
			continue // without a usable sketch, the search does not filter this row
		}
		// cp is Σc·p, qx is q·x, size is Σ|q_k·x_k|, qq is ‖q‖², and xx is ‖x‖².
		cp, qx, size, qq, xx := bigFloat(0), bigFloat(0), bigFloat(0), bigFloat(0), bigFloat(0)
		for k := range padded {
			c := int(seg.codes[k/sketch.Step*sketch.Step*sketch.Rows+sketch.Step+k%sketch.Step]) - 64
			cp.Add(cp, bigFloat(float64(c*int(codes[k]))))
			if k < d {
				a, b := bigFloat(float64(q.At(0, k))), bigFloat(float64(x.At(1, k)))
				p := bigProduct(a, b)
				qx.Add(qx, p)
				size.Add(size, new(big.Float).Abs(p))
				qq.Add(qq, bigProduct(a, a))
				xx.Add(xx, bigProduct(b, b))
			}
		}
		const u = 0x1p-24
		steps := float64((d+15)/16 + 4) // maximum number of roundings that affect one product in the sum
		gamma := bigFloat(steps * u / (1 - steps*u))
		alpha := bigFloat(qs.scale)
		norms := bigProduct(new(big.Float).SetPrec(300).Sqrt(qq), new(big.Float).SetPrec(300).Sqrt(xx))
		for _, measure := range measures {
			value, _ := exact(q.Row(0), x.Row(1), measure)
			if rng.IntN(2) == 0 {
				value = rng.NormFloat64()
			}
			key := float32(value)
			if measure != MeasureSqEuclidean {
				key = -key
			}
			if measure == MeasureCosine && (key <= -1 || key >= 1 || xx.Sign() == 0) {
				key = 0.5
			}
			var info sketch.Query
			if !qs.setFilter(&info, key, measure) {
				t.Fatalf("problem %d: no filter at %v", trial, key)
			}
			used++
			g := &seg.groups[0]
			square := float64(g.Norm[1]) * float64(g.Norm[1]) // exact
			terms := []*big.Float{
				bigProduct(cp, bigFloat(float64(g.Scale[1]))),
				bigProduct(bigFloat(float64(g.Rest[1])), bigFloat(float64(info.Rest))),
				bigProduct(bigFloat(float64(g.Norm[1])), bigFloat(float64(info.Norm))),
				bigProduct(bigFloat(square), bigFloat(float64(info.Square))),
			}
			filter, error, underflow := bigSum(terms...), bigFloat(0x1p-147), bigFloat(float64(d)*0x1p-149)
			if xx.Sign() == 0 { // products with zeros are exact
				error = bigFloat(0)
				if measure != MeasureSqEuclidean {
					underflow = bigFloat(0)
				}
			}
			for _, v := range terms {
				error.Add(error, bigProduct(bigFloat(5.01*u), new(big.Float).Abs(v)))
			}
			least := bigProduct(bigSum(filter, error.Neg(error)), alpha)
			threshold := bigProduct(bigFloat(float64(info.Threshold)), alpha)
			// most is the largest possible value of the row, in units of the filter. limit is the smallest value of a
			// row in the result.
			most, limit := bigFloat(0), bigFloat(0)
			switch measure {
			case MeasureInnerProduct:
				most = bigSum(qx, bigProduct(gamma, size), underflow)
				limit = bigFloat(-float64(key))
			case MeasureSqEuclidean:
				most = bigSum(qx, bigProduct(bigFloat(-0.5), xx))
				shrink := bigFloat(1 - (steps+2)*u/(1-(steps+2)*u))
				limit = bigSum(bigFloat(float64(key)), underflow)
				limit.Quo(limit, shrink)
				limit = bigProduct(bigFloat(0.5), bigSum(qq, limit.Neg(limit)))
			case MeasureCosine:
				// value ≤ (q·x + γ·Σ|q·x|)/(‖q‖·‖x‖)·(1+γ)·(1+u) + 2⁻¹⁴⁹, where 1+γ accounts for the error of the product of the norms
				cosine := bigSum(bigProduct(bigSum(qx, bigProduct(gamma, size), underflow), bigSum(bigFloat(1+2*u), gamma)), bigProduct(norms, bigFloat(0x1p-149)))
				if cosine.Sign() < 0 {
					cosine = bigSum(qx, bigProduct(gamma, size), underflow, bigProduct(bigSum(gamma, bigFloat(2*u)), norms))
				}
				most = bigSum(cosine, bigProduct(bigFloat(float64(key)), norms))
			}
			if least.Cmp(most) < 0 {
				t.Fatalf("problem %d, kind %d, %v, %d features, key %v: the filter may compute %v, and the row has up to %v", trial, kind, measure, d, key, least, most)
			}
			if threshold.Cmp(limit) > 0 {
				t.Fatalf("problem %d, kind %d, %v, %d features, key %v: the threshold is %v, and a row in the result may have %v", trial, kind, measure, d, key, threshold, limit)
			}
			if xx.Sign() > 0 {
				gap, _ := new(big.Float).Quo(bigSum(least, most.Neg(most)), norms).Float64()
				tight = min(tight, gap/u)
			}
		}
	}
	if used < problems {
		t.Errorf("%d bounds of %d problems", used, problems)
	}
	t.Logf("%d bounds; the smallest slack is %.1f·2⁻²⁴", used, tight)
}

// TestGroupsOfASnapshot checks that a search of a snapshot reads whole groups of sketches only if
// no concurrent Append can write to them.
func TestGroupsOfASnapshot(t *testing.T) {
	smallSketches(t)
	c := NewCollection(3, StorageFloat32)
	for range 20 {
		if _, err := c.Append(gaussianRows(1, 17, 3)); err != nil {
			t.Fatal(err)
		}
		r := c.Snapshot()
		for _, width := range []int{sketch.Rows, 4 * sketch.Rows} {
			var s Searcher
			at := 0
			err := s.blocks(t.Context(), r, 0, r.n, func(*part) int { return width }, func(b block) error {
				known := b.capacity()
				for k, p := range r.parts {
					if p.segment == b.segment && p.shared {
						known = r.partCount(k)
					}
				}
				if b.position != at || b.n < 1 || b.n > width {
					t.Fatalf("%d rows at %d, want up to %d at %d", b.n, b.position, width, at)
				}
				if b.grouped && (b.index%sketch.Rows > 0 || padTo(b.index+b.n, sketch.Rows) > known) {
					t.Errorf("groups of rows %d to %d of %d", b.index, b.index+b.n-1, known)
				}
				at += b.n
				return nil
			})
			if err != nil || at != r.n {
				t.Fatalf("%d of %d rows: %v", at, r.n, err)
			}
		}
	}
}

// TestSketchedMemory checks that sketches take d + 12 bytes per row, and that NoSketch saves this
// memory. It also checks collections that are read from a file.
func TestSketchedMemory(t *testing.T) {
	smallSketches(t)
	x := gaussianRows(1, 1024, 128)
	plain, err := NewRows(x, StorageFloat32, NoSketch)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := mustRows(t, x).Bytes()-plain.Bytes(), 1024*(128+12); got != want {
		t.Errorf("sketches take %d bytes, want %d", got, want)
	}
	// The file stores the option NoSketch, and the memory limit of ReadCollection includes
	// sketches.
	for _, options := range [][]RowOption{nil, {NoSketch}} {
		c := NewCollection(128, StorageFloat32, options...)
		if _, err := c.Append(x); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := c.Snapshot().WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		const limit = 1024 * (4*128 + 20)
		again, err := ReadCollection(bytes.NewReader(file.Bytes()), limit)
		if options == nil {
			if !errors.Is(err, ErrTooLarge) {
				t.Errorf("with sketches: %v", err)
			}
			again, err = ReadCollection(bytes.NewReader(file.Bytes()), limit+1024*(128+12))
		}
		if err != nil {
			t.Fatal(err)
		}
		if r := again.Snapshot(); r.parts[0].isSketched() != (options == nil) {
			t.Errorf("%v: sketches of the rows of a file: %v", options, r.parts[0].isSketched())
		}
	}
	mustPanic(t, optionPanic, func() { NewRows(x, StorageFloat32, 0) })
	mustPanic(t, optionPanic, func() { NewCollection(3, StorageFloat32, 7) })
}
