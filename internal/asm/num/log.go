package num

import "math"

// Log returns the natural logarithm of x, within 0.70 ULP (float64) and 0.501 ULP (float32).
// Log(±0) = −Inf, Log(x < 0) = NaN, Log(+Inf) = +Inf, Log(NaN) = NaN, Log(1) = +0.
//
// The result has the same bits on every machine. The results of math.Log may differ between machines, because
// math.Log is assembly on some machines and is compiled with fused operations on others.
func Log[T Float](x T) T { return T(log64(float64(x))) }

// Log2 returns the binary logarithm of x, within 0.70 ULP (float64) and 0.501 ULP (float32). It is
// exact for powers of two and has the special values of Log.
func Log2[T Float](x T) T { return T(log264(float64(x))) }

// Log1p returns ln(1 + x) for x ≥ 0, within 0.70 ULP (float64) and 0.501 ULP (float32). Log1p(+0) = +0, Log1p(+Inf) = +Inf,
// Log1p(NaN) = NaN.
func Log1p[T Float](x T) T { return T(log1p64(float64(x))) }

// The logarithm of x = 2^k·m is k·ln 2 + log m, where m is between about √½ and √2. With f = m − 1
// and s = f/(2 + f),
//
//	log m = log((1+s)/(1−s)) = 2s + s·R,  R = 2/3 s² + 2/5 s⁴ + …, approximated by a polynomial
//	      = f − h + s·(h + R),  h = f²/2
//
// The code uses the second formula, because f is exact and the rounding error of h is known. FreeBSD's
// e_log.c uses the same formula. prove/gencoef computed the coefficients log1 to log7. The polynomial
// causes a relative error of log m below 2^-59.5.
//
// The sum consists of two numbers, hi + lo, with |lo| ≤ |hi|/17. The error of the result is the rounding
// error of the last addition, 0.5 ULP, plus the error of lo. The logarithm of a float32 has a relative
// error below 2^-52.5 before it is rounded to float32.
const (
	log1 = 0x1.5555555555592p-01
	log2 = 0x1.999999997ff63p-02
	log3 = 0x1.24924941db482p-02
	log4 = 0x1.c71c521a1a7fp-03
	log5 = 0x1.74663ba2fb10ep-03
	log6 = 0x1.39a20baf253c4p-03
	log7 = 0x1.2f02510388cdep-03

	ln2Hi   = 0x1.62e42feep-1       // ln 2 rounded to 32 bits; k·ln2Hi is exact
	ln2Lo   = 0x1.a39ef35793c76p-33 // ln 2 − ln2Hi
	invLn2  = 0x1.71547652b82fep+0  // 1/ln 2
	invLn2L = 0x1.777d0ffda0d24p-56 // 1/ln 2 − invLn2
)

func log64(x float64) float64 {
	k, hi, lo, ok := logParts(x)
	if !ok {
		return hi
	}
	if k == 0 {
		return hi + lo
	}
	return logSum(k, hi, lo)
}

// logSum returns k·ln 2 + hi + lo for k ≠ 0.
func logSum(k, hi, lo float64) float64 {
	// |a| ≥ 0.69 > |hi|, so e is the exact rounding error of a + hi.
	a := float64(k * ln2Hi)
	b := a + hi
	e := hi - (b - a)
	return b + (e + math.FMA(k, ln2Lo, lo))
}

// log1p64 returns ln(1 + x) for x ≥ 0. For x ≥ √2 − 1 it computes log y + e/y, where y is 1 + x rounded and
// e is the rounding error.
func log1p64(x float64) float64 {
	if x < math.Sqrt2-1 {
		hi, lo := logOf(x)
		return hi + lo
	}
	y := 1 + x
	k, hi, lo, ok := logParts(y)
	if !ok {
		return hi
	}
	// Subtract the larger of 1 and x from y first, so that e is the exact rounding error.
	e := x - (y - 1)
	if x > 1 {
		e = 1 - (y - x)
	}
	lo += float64(e / y)
	if k == 0 {
		return hi + lo
	}
	return logSum(k, hi, lo)
}

func log264(x float64) float64 {
	k, hi, lo, ok := logParts(x)
	if !ok {
		return hi
	}
	// (hi + lo)/ln 2 = p + e, where e contains the rounding error of p.
	p := float64(hi * invLn2)
	e := math.FMA(hi, invLn2, -p)
	e = math.FMA(hi, invLn2L, math.FMA(lo, invLn2, e))
	b := k + p
	return b + (p - (b - k) + e)
}

// logParts returns k and log m = hi + lo for a positive finite x = 2^k·m. For any other x it returns the
// logarithm of x as hi, and ok is false.
func logParts(x float64) (k, hi, lo float64, ok bool) {
	switch {
	case x != x || x > math.MaxFloat64:
		return 0, x, 0, false
	case x == 0:
		return 0, math.Inf(-1), 0, false
	case x < 0:
		return 0, math.NaN(), 0, false
	}
	e := 0
	if x < 0x1p-1022 {
		x, e = float64(x*0x1p54), -54
	}
	// The upper 12 bits of b contain k if x is between about √½·2^k and √2·2^k.
	const sqrtHalf = 0x3fe6a09e_00000000
	b := math.Float64bits(x) - sqrtHalf
	e += int(int64(b) >> 52)
	m := math.Float64frombits(b&(1<<52-1) + sqrtHalf)

	hi, lo = logOf(m - 1)
	return float64(e), hi, lo, true
}

// logOf returns log(1 + f) = hi + lo for 1 + f between about √½ and √2.
func logOf(f float64) (hi, lo float64) {
	s := f / (2 + f)
	z := float64(s * s)
	r := math.FMA(z, log7, log6)
	r = math.FMA(z, r, log5)
	r = math.FMA(z, r, log4)
	r = math.FMA(z, r, log3)
	r = math.FMA(z, r, log2)
	r = math.FMA(z, r, log1)
	r = float64(z * r)

	g := float64(.5 * f)
	h := float64(g * f)
	hErr := math.FMA(g, f, -h)
	hi = f - h
	lo = f - hi - h - hErr
	lo = math.FMA(s, h+r, lo)
	return hi, lo
}
