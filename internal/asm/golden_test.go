package asm_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/block"
	"github.com/gomonge/monge/internal/asm/codes"
	"github.com/gomonge/monge/internal/asm/compact"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/gram"
	"github.com/gomonge/monge/internal/asm/lane"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pair"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/price"
	"github.com/gomonge/monge/internal/asm/project"
	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/asm/sketch"
	"github.com/gomonge/monge/internal/asm/vector"
)

// TestGoldenBits checks that every kernel gives the same bits on every machine and at every
// instruction-set level. The level tests only compare the levels of one machine.
func TestGoldenBits(t *testing.T) {
	want := map[string]string{
		"adjcost/f32":          "2cf91afbcccb5e39",
		"adjcost/f64":          "eb024692b9bb42a7",
		"adjoint/begin/f32":    "0fb04bfc5c012b76",
		"adjoint/begin/f64":    "24f3d531f2d16353",
		"adjoint/sweep/f32":    "2374ff12a2703ddb",
		"adjoint/sweep/f64":    "dbeebb5d73a1b3af",
		"adjoint/sweep/mixed":  "75f92cc3e042e7f2",
		"compact/dot":          "55f1f775f15b6bd6",
		"compact/bfloat16":     "0e4a830d2ec513a5",
		"compact/float16":      "f16e237cd11a48e5",
		"compact/hamming":      "ea4d9d8a81781c89",
		"compact/narrow":       "ca9ed8dc694b9a8e",
		"compact/sqeuclidean":  "867aaa3f71583b74",
		"block/f32":            "d7edc7100319103e",
		"block/f64":            "bc3ab33616a292b3",
		"lane/f32":             "95844234242b8713",
		"lane/f64":             "fda6b0af7a0b1072",
		"exp/sum/f32":          "d4dab70a0a2cce19",
		"exp/sum/f64":          "8d4be0c8e6d2bb07",
		"exp/f32":              "3fee70c12eacc940",
		"exp/f64":              "34a71b3c54ec2923",
		"exp2/f32":             "1898eee3c38d389d",
		"exp2/f64":             "691daa6503388d6e",
		"gibbs/f32":            "6c9c18b5549d5e23",
		"gibbs/f64":            "b7699e44bc6e1a22",
		"gram/f32":             "cf4174038f324eb1",
		"gram/f64":             "b07df19d096b520d",
		"logscale/columns/f32": "4b629602ad57c1f3",
		"logscale/columns/f64": "6ac615fbba701762",
		"logscale/plan/f32":    "0e964b4345428efe",
		"logscale/plan/f64":    "258400e20a80c9d5",
		"logscale/rows/f32":    "a2e28b26194a69df",
		"logscale/rows/f64":    "72d6ac2bde77b1d4",
		"matvec/columns/f32":   "bee58183812453cf",
		"matvec/columns/f64":   "167ff3ce07205390",
		"matvec/columns/mixed": "124b0d5e56ce7192",
		"matvec/rows/f32":      "114baa5afe5a9b3f",
		"matvec/rows/f64":      "221e8cec9c4a8daf",
		"matvec/rows/mixed":    "8133f513bb3d72d2",
		"num/log/f32":          "b1d9e4e42b7412cc",
		"num/log/f64":          "ab2a46e997fc8626",
		"pair/cosine/f32":      "2aa9ca67df4771fe",
		"pair/cosine/f64":      "c574eec53f1cb8cd",
		"pair/f32":             "308bf8303dd4a02d",
		"pair/f64":             "86363d2e99789237",
		"project/mul/f32":      "05d921c219949722",
		"project/mul/f64":      "89949af8f212671c",
		"project/norms/f32":    "47514fefb7b985e4",
		"project/norms/f64":    "bb44da3ea781b49f",
		"project/pack/f32":     "70263019bc7915ae",
		"project/pack/f64":     "2f7bf1d6e42812ba",
		"project/panel/f32":    "052eb28cfd88c684",
		"project/panel/f64":    "8a7c208a41303da6",
		"project/transmul/f32": "195e4457fade5686",
		"project/transmul/f64": "cb5e4f034692841e",
		"scale/f32":            "573a805e0c9bfabb",
		"scale/f64":            "e921fd974e6912c3",
		"scale/mixed":          "ef25bbd52db5bdfb",
		"sqeuclidean/f32":      "34022ecde3c6c222",
		"sqeuclidean/f64":      "12a03a97d43d9bd1",
		"vector/affine/f32":    "3604b19d1f37796d",
		"vector/affine/f64":    "82e69ef80850a0a3",
		"vector/log/f32":       "3dbeefecb5d0f17c",
		"vector/log/f64":       "1f90082019c38dee",
		"vector/log2/f32":      "5033421deebb94fe",
		"vector/log2/f64":      "437c398a7d37f629",
		"vector/max/f32":       "56acd4ae241d6647",
		"vector/max/f64":       "f92678283ba05675",
		"vector/shift/f32":     "c10cfe72554b42a5",
		"vector/shift/f64":     "4e5966b958e73056",
		"vec/divide/f32":       "6cc27f33a584ced8",
		"vec/divide/f64":       "10256cb7021978ac",
		"vec/narrow/mixed":     "4963ce1e348805ea",
		"vec/widen/mixed":      "cf2611a1ab23db3e",

		"codes/sums4": "bfaf089cef356474",
		"codes/sums8": "3c4d6f967988ca20",

		"query/many": "bdfe24a85cf51ed8",

		"sketch/filter":   "0439858119890c15",
		"sketch/quantize": "75b9e58b193dc4af",

		"query/dot/bf16":         "caaf82cd0553a8ab",
		"query/dot/f16":          "60e68a3d680cffe1",
		"price/f32":              "5799a92caa469bca",
		"price/f64":              "3451dec8b51271f3",
		"query/dot/f32":          "c42b5001c8a6fac9",
		"query/dot/int8":         "1752b9ddf9dbb076",
		"query/sqeuclidean/bf16": "53239e2eec4b0a39",
		"query/sqeuclidean/f16":  "d3046ff868547cff",
		"query/sqeuclidean/f32":  "37af1dc63ccb2347",
		"query/sqeuclidean/int8": "2876c42e9fc11cb6",
	}
	got := map[string]string{}
	for lv := range asmtest.Each(t) {
		goldenBits[float64]("f64", got)
		goldenBits[float32]("f32", got)
		goldenMixedBits(got)
		goldenPrice[float64]("f64", got)
		goldenPrice[float32]("f32", got)
		goldenQuery(got)
		goldenCodes(got)
		goldenSketch(got)
		goldenCompact(got)
		for k, h := range got {
			if h != want[k] {
				t.Errorf("%v: %q: %q,", lv, k, h)
			}
		}
	}
}

// uniform returns k values in [lo, hi).
func uniform[T num.Float](rng *rand.Rand, k int, lo, hi float64) []T {
	s := make([]T, k)
	for i := range s {
		s[i] = T(lo + float64((hi-lo)*rng.Float64()))
	}
	return s
}

// hash returns one hash of the bits of all slices in outs.
func hash[T num.Float](outs ...[]T) string {
	h := fnv.New64a()
	for _, o := range outs {
		for _, x := range o {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], asmtest.Bits(x))
			h.Write(b[:])
		}
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// goldenMixedBits stores the hashes of kernels with a float32 matrix and float64 vectors in got.
func goldenMixedBits(got map[string]string) {
	const m, n = 37, 53
	rng := rand.New(rand.NewPCG(1, 2))
	in := func(k int, lo, hi float64) []float64 { return uniform[float64](rng, k, lo, hi) }
	wide := in(m*n, 0.01, 1)
	wide[7], wide[8] = 0x1p-127, 1+0x1p-24
	k := make([]float32, m*n)
	pass.Narrow(k, wide)
	got["vec/narrow/mixed"] = hash(k)
	pass.Widen(wide, k)
	got["vec/widen/mixed"] = hash(wide)
	u, v, a, w, s, q := in(m, 0.5, 2), in(n, 0.5, 2), in(m, 0.1, 1), in(m, -1, 0), make([]float64, m), in(n, 0, 1)
	pass.Rows(m, n, s, k, n, v)
	got["matvec/rows/mixed"] = hash(s)
	qc := append([]float64(nil), q...)
	pass.Columns(m, n, qc, k, n, u)
	got["matvec/columns/mixed"] = hash(qc)
	copy(qc, q)
	pass.Iterate(m, n, k, n, v, a, s, qc)
	got["scale/mixed"] = hash(s, qc)
	copy(qc, q)
	pass.Sweep(m, n, k, n, v, w, s, qc)
	got["adjoint/sweep/mixed"] = hash(s, qc)
}

func goldenPrice[T num.Float](name string, got map[string]string) {
	const n = 77
	rng := rand.New(rand.NewPCG(1, 2))
	c, v, d := uniform[T](rng, n, 0, 1), uniform[float64](rng, n, -1, 1), uniform[float64](rng, n, 0, 1)
	least, at := price.Least(c, 0.25, v)
	lower, on := price.Relax(d, c, 0.25, v)
	got["price/"+name] = hash([]float64{least, float64(at), lower, float64(on)}, d)
}

func goldenQuery(got map[string]string) {
	const n, d = 24, 80
	rng := rand.New(rand.NewPCG(1, 2))
	q, x := uniform[float32](rng, d, -1, 1), uniform[float32](rng, n*d, -1, 1)
	dst := make([]float32, n)
	query.SqEuclidean(dst, q, x)
	got["query/sqeuclidean/f32"] = hash(dst)
	query.Dot(dst, q, x)
	got["query/dot/f32"] = hash(dst)
	halves, bytes, scale := make([]uint16, n*d), make([]int8, n*d), make([]float32, n)
	for format, name := range []string{"bf16", "f16"} {
		for i, v := range x {
			halves[i], _ = query.Half(format).Narrow(v)
		}
		query.SqEuclideanHalf(dst, q, halves, query.Half(format))
		got["query/sqeuclidean/"+name] = hash(dst)
		query.DotHalf(dst, q, halves, query.Half(format))
		got["query/dot/"+name] = hash(dst)
	}
	for i := range n {
		scale[i] = compact.QuantizeInt8(bytes[i*d:][:d], x[i*d:][:d])
	}
	query.SqEuclideanInt8(dst, q, bytes, scale)
	got["query/sqeuclidean/int8"] = hash(dst)
	query.DotInt8(dst, q, bytes, scale)
	got["query/dot/int8"] = hash(dst)

	const m = 2 * query.Queries
	many := func(f func(dst []float32)) []float32 {
		dst := make([]float32, m*n)
		f(dst)
		return dst
	}
	q = uniform[float32](rng, m*d, -1, 1)
	got["query/many"] = hash(
		many(func(dst []float32) { query.SqEuclideanMany(m, n, d, dst, n, q, x) }),
		many(func(dst []float32) { query.DotMany(m, n, d, dst, n, q, x) }),
		many(func(dst []float32) { query.SqEuclideanHalfMany(m, n, d, dst, n, q, halves, query.Float16) }),
		many(func(dst []float32) { query.DotHalfMany(m, n, d, dst, n, q, halves, query.Float16) }),
		many(func(dst []float32) { query.SqEuclideanInt8Many(m, n, d, dst, n, q, bytes, scale) }),
		many(func(dst []float32) { query.DotInt8Many(m, n, d, dst, n, q, bytes, scale) }))
}

// goldenSketch stores the hashes of the sketches of rows and queries, and of the masks from the
// filter, in got.
func goldenSketch(got map[string]string) {
	const n, d = 3, 100
	rng := rand.New(rand.NewPCG(1, 2))
	codes, groups, x := make([]uint8, n*d*sketch.Rows), make([]sketch.Group, n), make([]float32, 0, n*d*sketch.Rows)
	var sums []float64
	for i := range n * sketch.Rows {
		row, g, at := uniform[float32](rng, d, -1, 1), i/sketch.Rows, i%sketch.Rows
		x = append(x, row...)
		scale, square, rest := sketch.QuantizeRow(codes[g*d*sketch.Rows+at*sketch.Step:], row)
		groups[g].Scale[at], groups[g].Rest[at], groups[g].Norm[at] = scale, float32(rest), float32(square)
		sums = append(sums, float64(scale), square, rest)
	}
	for _, c := range codes {
		sums = append(sums, float64(c))
	}
	queries, q := make([]int8, sketch.Queries*d), [sketch.Queries]sketch.Query{}
	for j := range q {
		scale, sum, square, rest := sketch.QuantizeQuery(queries[j*sketch.Step:], sketch.Queries*sketch.Step, x[j*d:][:d])
		sums = append(sums, float64(scale), float64(sum), square, rest)
		q[j] = sketch.Query{Start: -64 * sum, Rest: float32(rest), Norm: 0.1, Square: -0.05, Threshold: float32(j)}
	}
	got["sketch/quantize"] = hash(sums)
	masks, one := make([]uint32, n*sketch.Queries), make([]uint32, n)
	sketch.Filter(masks, codes, groups, queries, &q)
	sketch.FilterOne(one, codes, groups, queries[:d], &q[0])
	var bits []float64
	for _, mask := range append(masks, one...) {
		bits = append(bits, float64(mask))
	}
	got["sketch/filter"] = hash(bits)
}

// goldenCompact stores the hashes of kernels on int8, bit and 16-bit float vectors in got.
func goldenCompact(got map[string]string) {
	rng := rand.New(rand.NewPCG(1, 2))
	var sums [3][]float64
	for _, n := range []int{1, 15, 16, 100, 256, 1000, 70000} {
		a, b := make([]byte, n), make([]byte, n)
		x, y := make([]int8, n), make([]int8, n)
		for i := range a {
			a[i], b[i] = byte(rng.Uint32()), byte(rng.Uint32())
			x[i], y[i] = int8(a[i]), int8(b[i])
		}
		sums[0] = append(sums[0], float64(compact.DotInt8(x, y)))
		sums[1] = append(sums[1], float64(compact.SqEuclideanInt8(x, y)))
		sums[2] = append(sums[2], float64(compact.Hamming(a, b)))
	}
	all, wide := make([]uint16, 1<<16), make([]float32, 1<<16)
	for i := range all {
		if i&0x7c00 != 0x7c00 || i&0x3ff == 0 { // skip NaNs of both formats, because NaN bits may differ between machines
			all[i] = uint16(i)
		}
	}
	compact.WidenFloat16(wide, all)
	got["compact/float16"] = hash(wide)
	compact.WidenBFloat16(wide, all)
	got["compact/bfloat16"] = hash(wide)
	x := uniform[float32](rng, 1003, -1, 1)
	special := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(-1)), float32(math.NaN()), 65504, 65520, 0x1p-25, 0x1.8p-25, -0x1.002p0, 0x1p-149, 3e38}
	codes, signs, halves := make([]int8, len(x)), make([]byte, (len(x)+7)/8), make([]uint16, len(x))
	numbers := []float64{float64(compact.QuantizeInt8(codes, x))}
	copy(x, special)
	compact.SignBits(signs, x)
	for i, c := range codes {
		numbers = append(numbers, float64(c), float64(signs[i/8]))
	}
	for _, f := range []func([]uint16, []float32){compact.NarrowFloat16, compact.NarrowBFloat16} {
		f(halves, x)
		for _, h := range halves {
			numbers = append(numbers, float64(h))
		}
	}
	got["compact/narrow"] = hash(numbers)
	got["compact/dot"], got["compact/sqeuclidean"], got["compact/hamming"] = hash(sums[0]), hash(sums[1]), hash(sums[2])
}

// goldenCodes adds hashes of the results of package codes to the map got.
func goldenCodes(got map[string]string) {
	const n, m = 3 * codes.Block, 6
	rng := rand.New(rand.NewPCG(1, 2))
	c, coarse := make([]byte, n*m), make([]byte, 16*m)
	for _, b := range [][]byte{c, coarse} {
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
	}
	dst, sums, wide := make([]float32, n), make([]uint16, n), make([]float64, n)
	codes.Sums8(dst, c, uniform[float32](rng, 256*m, 0, 1))
	got["codes/sums8"] = hash(dst)
	codes.Sums4(sums, c[:n*m/2], coarse)
	for i, s := range sums {
		wide[i] = float64(s)
	}
	got["codes/sums4"] = hash(wide)
}

func goldenBits[T num.Float](kind string, got map[string]string) {
	const m, n, d, p = 37, 53, 7, 11
	rng := rand.New(rand.NewPCG(1, 2))
	in := func(k int, lo, hi float64) []T { return uniform[T](rng, k, lo, hi) }
	out := func(k int) []T { return make([]T, k) }
	sum := func(name string, outs ...[]T) { got[name+"/"+kind] = hash(outs...) }
	x, z := in(m*d, -1, 1), in(d*n, -1, 1)
	k, c := in(m*n, 0.01, 1), in(m*n, 0, 9)
	a, b := in(m, 0.1, 1), in(n, 0.1, 1)
	u, v := in(m, 0.5, 2), in(n, 0.5, 2)
	w, s, r, q := in(m, -1, 0), out(m), out(m), in(n, 0, 1)

	e := in(2000, -100, 80)
	terms, total := append([]T(nil), e...), exp.Sum[T]{}
	exp.Exp(e, e)
	sum("exp", e)
	exp.SumExp(&total, terms, terms)
	sum("exp/sum", []T{total.Top, total.Rest, total.Count}, terms)
	e2 := in(2000, 0, 30)
	exp.Exp2(e2, e2, -1.3)
	sum("exp2", e2)
	dist, kk := out(m*n), out(m*n)
	distance.SqEuclidean(m, n, d, dist, n, x, d, z, n, false)
	sum("sqeuclidean", dist)
	distance.Gibbs(m, n, d, kk, n, dist, n, x, d, z, n, -0.7)
	sum("gibbs", kk, dist)
	y, bm := out(m*p), in(n*p, -1, 1)
	project.Mul(m, p, n, y, p, k, n, bm, p, false)
	sum("project/mul", y)
	g := out(p * n)
	project.TransMul(m, p, n, g, n, k, n, y, p, false)
	sum("project/transmul", g)
	norms := out(project.NormRows[T]())
	project.Norms(p, norms, k, n, false)
	sum("project/norms", norms)
	wide := project.PanelColumns[T]()
	packed, panel := out(4*n), out(4*wide)
	project.Pack(n, packed, 4, k, n, -2)
	sum("project/pack", packed)
	high := out(wide)
	project.Panel(4, 4*n/wide, panel, wide, packed, packed, u, packed, packed, high)
	sum("project/panel", panel, high)
	pass.Rows(m, n, s, k, n, v)
	sum("matvec/rows", s)
	qc := append([]T(nil), q...)
	pass.Columns(m, n, qc, k, n, u)
	sum("matvec/columns", qc)
	var bv, ba, bu, bq [block.Size][]T
	for s := range block.Size {
		bv[s], ba[s], bu[s], bq[s] = v[s:], a, out(m), append([]T(nil), q...)
	}
	block.Iterate(m, 48, k, n, &bv, &ba, &bu, &bq, out(block.Scratch[T]()))
	sum("block", append(bu[:], bq[:]...)...)
	copy(qc, q)
	pass.Iterate(m, n, k, n, v, a, s, qc)
	sum("scale", s, qc)
	pass.Divide(qc, b, qc)
	sum("vec/divide", qc)
	copy(qc, q)
	pass.Begin(m, n, k, n, c, n, v, u, w, r, s, qc)
	sum("adjoint/begin", r, s, qc)
	pass.Sweep(m, n, k, n, v, w, s, qc)
	sum("adjoint/sweep", s, qc)
	left, right := in(m*6, -1, 1), in(6*n, -1, 1)
	distance.AdjCost(m, n, 6, kk, n, k, n, c, n, left, 6, right, n, u, v, 0.8)
	sum("adjcost", kk)
	hi, su, es := out(m), out(m), out(n)
	copy(qc, q)
	exp.LogRows(m, n, c, n, 1.7, v, a, hi, su, qc, es)
	sum("logscale/rows", hi, su, qc)
	h := make([]T, n)
	for j := range h {
		h[j] = -1e30
	}
	exp.LogColumnMax(m, n, c, n, 1.7, u, h)
	copy(qc, q)
	exp.LogColumnSum(m, n, c, n, 1.7, u, h, qc)
	sum("logscale/columns", h, qc)
	exp.LogPlan(m, n, kk, n, c, n, 1.7, u, v)
	sum("logscale/plan", kk)
	logs := in(1000, 1e-30, 1e30)
	for i, x := range logs {
		logs[i] = num.Log(x) + num.Log2(x)
	}
	sum("num/log", logs)
	lk, lv1, lq := in(8*48*num.Lanes[T](), 0, 1), in(48*num.Lanes[T](), 0, 1), out(48*num.Lanes[T]())
	lane.Rows(8, 48, lq[:8*num.Lanes[T]()], lk, lv1)
	lane.Columns(8, 48, lq, lk, lv1)
	sum("lane", lq)
	lg := in(2000, -3, 3)
	exp.Exp2(lg, lg, 0.4)
	vector.Log(lg, lg)
	sum("vector/log", lg)
	exp.Exp2(lg, lg, 1)
	vector.Log2(lg, lg)
	sum("vector/log2", lg)
	sum("vector/max", []T{vector.Max(lg)})
	shifted := out(len(lg))
	vector.Shift(shifted, lg, 3, 0.7)
	sum("vector/shift", shifted)
	vector.Affine(lg, lg, 3, 0.7)
	sum("vector/affine", lg)
	far := in(60*70, 0, 1) // rows 30 to 39 become copies of rows 0 to 9, so some pairs are close
	copy(far[30*70:40*70], far)
	fd := out(60 * 60)
	gram.SqEuclidean(60, 60, 70, fd, 60, far, 70, append([]T(nil), far...), 70)
	sum("gram", fd)
	px, py, lanes := in(1031, -1, 1), in(1031, -1, 1), [pair.MaxLanes]T{}
	sums := out(0)
	for _, n := range []int{1, 2, 3, 7, 16, 33, 63, 64, 100, 384, 1031} {
		sums = append(sums, pair.Dot(px[:n], py[:n]), pair.SqEuclidean(px[:n], py[:n]), pair.Manhattan(px[:n], py[:n]), pair.Dot(px[:n], px[:n]), pair.Sum(px[:n]))
	}
	for op := pair.Products; op <= pair.Element; op++ {
		pair.AddLanes(op, &lanes, px[:320], py[:320])
	}
	sum("pair", sums, lanes[:])
	cosines := out(0)
	for _, n := range []int{1, 2, 3, 7, 16, 33, 63, 64, 100, 384, 1031} {
		cosines = append(cosines, pair.Cosine(px[:n], py[:n]), pair.Norm(px[:n]))
	}
	sum("pair/cosine", cosines)
}
