//go:build goexperiment.simd && amd64

package main

import (
	"math"
	"simd/archsimd"
)

// The implementation archsimd uses the experimental package simd/archsimd on AVX2, with simple loops over vectors of 256 bits.
// Its exp uses Cody–Waite reduction and a Taylor polynomial. Its exp does not handle special values or subnormal results, and
// may have errors above 1 ULP. The implementation has no log.
func init() {
	makers["archsimd"] = func(s spec, dir string) *job {
		switch {
		case s.kind == "query", s.kind == "nearest":
			return comparerJob(s, dir, 1, 0, callEachRow(s.int("d"), sqDistanceSIMD))
		case s.text("type") == "f64":
			return elementwise(s, dir, map[string]func(dst, x []float64){
				"exp":       func(dst, x []float64) { shiftedExp64(dst, x, 0) },
				"softmax":   softmax64,
				"logsumexp": func(dst, x []float64) { dst[0] = logSumExp64(x) },
			})
		}
		return elementwise(s, dir, map[string]func(dst, x []float32){
			"exp":       func(dst, x []float32) { shiftedExp32(dst, x, 0) },
			"softmax":   softmax32,
			"logsumexp": func(dst, x []float32) { dst[0] = logSumExp32(x) },
		})
	}
}

// taylor returns the coefficients 1/i! of the Taylor polynomial of exp. The coefficient of the highest power is first.
func taylor(degree int) []float64 {
	c := make([]float64, degree+1)
	f := 1.0
	for i := range c {
		if i > 0 {
			f *= float64(i)
		}
		c[degree-i] = 1 / f
	}
	return c
}

var taylor64, taylor32 = func() (c [13]archsimd.Float64x4, d [7]archsimd.Float32x8) {
	for i, v := range taylor(12) {
		c[i] = archsimd.BroadcastFloat64x4(v)
	}
	for i, v := range taylor(6) {
		d[i] = archsimd.BroadcastFloat32x8(float32(v))
	}
	return
}()

func exp64(x archsimd.Float64x4) archsimd.Float64x4 {
	magic := archsimd.BroadcastFloat64x4(0x1.8p52)
	t := x.MulAdd(archsimd.BroadcastFloat64x4(math.Log2E), magic)
	k := t.Sub(magic)
	r := k.MulAdd(archsimd.BroadcastFloat64x4(-0x1.62e42fefa39efp-1), x)
	r = k.MulAdd(archsimd.BroadcastFloat64x4(-0x1.abc9e3b39803fp-56), r)
	y := taylor64[0].MulAdd(r, taylor64[1]).MulAdd(r, taylor64[2]).MulAdd(r, taylor64[3])
	y = y.MulAdd(r, taylor64[4]).MulAdd(r, taylor64[5]).MulAdd(r, taylor64[6]).MulAdd(r, taylor64[7])
	y = y.MulAdd(r, taylor64[8]).MulAdd(r, taylor64[9]).MulAdd(r, taylor64[10]).MulAdd(r, taylor64[11])
	y = y.MulAdd(r, taylor64[12])
	return y.AsInt64x4().Add(t.AsInt64x4().ShiftAllLeft(52)).AsFloat64x4()
}

func exp32(x archsimd.Float32x8) archsimd.Float32x8 {
	magic := archsimd.BroadcastFloat32x8(0x1.8p23)
	t := x.MulAdd(archsimd.BroadcastFloat32x8(math.Log2E), magic)
	k := t.Sub(magic)
	r := k.MulAdd(archsimd.BroadcastFloat32x8(-0x1.62e43p-1), x)
	r = k.MulAdd(archsimd.BroadcastFloat32x8(0x1.05c61p-29), r)
	y := taylor32[0].MulAdd(r, taylor32[1]).MulAdd(r, taylor32[2]).MulAdd(r, taylor32[3])
	y = y.MulAdd(r, taylor32[4]).MulAdd(r, taylor32[5]).MulAdd(r, taylor32[6])
	return y.AsInt32x8().Add(t.AsInt32x8().ShiftAllLeft(23)).AsFloat32x8()
}

// shiftedExp64 sets dst to exp(x − top) and returns the sum. Lengths must be multiples of 8.
func shiftedExp64(dst, x []float64, top float64) float64 {
	var a, b archsimd.Float64x4
	c := archsimd.BroadcastFloat64x4(top)
	for i := 0; i+8 <= len(x); i += 8 {
		u := exp64(archsimd.LoadFloat64x4Slice(x[i:]).Sub(c))
		v := exp64(archsimd.LoadFloat64x4Slice(x[i+4:]).Sub(c))
		u.StoreSlice(dst[i:])
		v.StoreSlice(dst[i+4:])
		a, b = a.Add(u), b.Add(v)
	}
	var s [4]float64
	a.Add(b).Store(&s)
	return s[0] + s[1] + s[2] + s[3]
}

// shiftedExp32 is the float32 version of shiftedExp64. Lengths must be multiples of 16.
func shiftedExp32(dst, x []float32, top float32) float32 {
	var a, b archsimd.Float32x8
	c := archsimd.BroadcastFloat32x8(top)
	for i := 0; i+16 <= len(x); i += 16 {
		u := exp32(archsimd.LoadFloat32x8Slice(x[i:]).Sub(c))
		v := exp32(archsimd.LoadFloat32x8Slice(x[i+8:]).Sub(c))
		u.StoreSlice(dst[i:])
		v.StoreSlice(dst[i+8:])
		a, b = a.Add(u), b.Add(v)
	}
	return sum32(a.Add(b))
}

func sum32(v archsimd.Float32x8) float32 {
	var s [8]float32
	v.Store(&s)
	return s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7]
}

func max64(x []float64) float64 {
	m := archsimd.BroadcastFloat64x4(math.Inf(-1))
	for i := 0; i+4 <= len(x); i += 4 {
		m = m.Max(archsimd.LoadFloat64x4Slice(x[i:]))
	}
	var s [4]float64
	m.Store(&s)
	return max(s[0], s[1], s[2], s[3])
}

func max32(x []float32) float32 {
	m := archsimd.BroadcastFloat32x8(float32(math.Inf(-1)))
	for i := 0; i+8 <= len(x); i += 8 {
		m = m.Max(archsimd.LoadFloat32x8Slice(x[i:]))
	}
	var s [8]float32
	m.Store(&s)
	return max(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7])
}

func softmax64(dst, x []float64) {
	f := archsimd.BroadcastFloat64x4(1 / shiftedExp64(dst, x, max64(x)))
	for i := 0; i+4 <= len(dst); i += 4 {
		archsimd.LoadFloat64x4Slice(dst[i:]).Mul(f).StoreSlice(dst[i:])
	}
}

func softmax32(dst, x []float32) {
	f := archsimd.BroadcastFloat32x8(1 / shiftedExp32(dst, x, max32(x)))
	for i := 0; i+8 <= len(dst); i += 8 {
		archsimd.LoadFloat32x8Slice(dst[i:]).Mul(f).StoreSlice(dst[i:])
	}
}

func logSumExp64(x []float64) float64 {
	top := max64(x)
	c := archsimd.BroadcastFloat64x4(top)
	var a archsimd.Float64x4
	for i := 0; i+4 <= len(x); i += 4 {
		a = a.Add(exp64(archsimd.LoadFloat64x4Slice(x[i:]).Sub(c)))
	}
	var s [4]float64
	a.Store(&s)
	return top + math.Log(s[0]+s[1]+s[2]+s[3])
}

func logSumExp32(x []float32) float32 {
	top := max32(x)
	c := archsimd.BroadcastFloat32x8(top)
	var a archsimd.Float32x8
	for i := 0; i+8 <= len(x); i += 8 {
		a = a.Add(exp32(archsimd.LoadFloat32x8Slice(x[i:]).Sub(c)))
	}
	return top + float32(math.Log(float64(sum32(a))))
}

// sqDistanceSIMD returns the squared distance between x and y. Their length must be a multiple of 32.
func sqDistanceSIMD(x, y []float32) float32 {
	var a, b, c, d archsimd.Float32x8
	for len(x) >= 32 && len(y) >= 32 {
		e := archsimd.LoadFloat32x8Slice(x).Sub(archsimd.LoadFloat32x8Slice(y))
		f := archsimd.LoadFloat32x8Slice(x[8:]).Sub(archsimd.LoadFloat32x8Slice(y[8:]))
		g := archsimd.LoadFloat32x8Slice(x[16:]).Sub(archsimd.LoadFloat32x8Slice(y[16:]))
		h := archsimd.LoadFloat32x8Slice(x[24:]).Sub(archsimd.LoadFloat32x8Slice(y[24:]))
		a, b, c, d = e.MulAdd(e, a), f.MulAdd(f, b), g.MulAdd(g, c), h.MulAdd(h, d)
		x, y = x[32:], y[32:]
	}
	return sum32(a.Add(b).Add(c.Add(d)))
}
