// Command gencoef computes the table and polynomials of package exp and the polynomial of num.Log.
// It writes the file coef.go and prints the DATA lines of the assembly and the constants of the
// logarithms:
//
//	go run ./prove/gencoef            # writes coef.go
//	go run ./prove/gencoef -search    # only searches for the factors of the table, in ten seconds
//
// All computations use 300-bit arithmetic. Polynomials are found by Remez exchange on a dense set
// of Chebyshev points. Then the coefficients are rounded one by one, from the lowest degree up.
// After each rounding, the command computes the remaining coefficients again to compensate for the
// rounding error.
package main

import (
	"flag"
	"fmt"
	"go/format"
	"log"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

func main() {
	dir := flag.String("dir", filepath.Join("internal", "asm", "exp"), "the folder of package exp")
	find := flag.Bool("search", false, "search the common factors again")
	flag.Parse()
	if *find {
		m, e := searchFactor(53, entries64, shift64, 1<<32)
		fmt.Printf("float64: E = 1 + %d/2^%d, %.4f ulp\n", m, shift64, e)
		m, e = searchFactor(24, entries32, shift32, 1<<22)
		fmt.Printf("float32: E = 1 + %d/2^%d, %.4f ulp\n", m, shift32, e)
		return
	}
	for _, s := range coefSets() {
		fmt.Printf("%s %s: table within %.4f ulp, polynomial within 2^%.2f\n", s.kernel, s.typ, s.tableErr, math.Log2(s.polyErr))
		fmt.Print(s.dataLines())
	}
	if err := os.WriteFile(filepath.Join(*dir, "coef.go"), coefFile(), 0o644); err != nil {
		log.Fatal(err)
	}
	c, e := logPolynomial()
	fmt.Printf("num.Log: within 2^%.2f\n", math.Log2(e))
	for i, v := range c {
		fmt.Printf("\tlog%d = %x\n", i+1, v)
	}
	tables := log32Tables()
	for base, name := range []string{"log", "log2"} {
		c, e = log32Polynomial(base == 1)
		fmt.Printf("vector.%s of float32: within 2^%.2f\n", name, math.Log2(e))
		for i, v := range c {
			fmt.Printf("\t%sPoly32[%d] = %x (%#08x)\n", name, i, v, math.Float32bits(float32(v)))
		}
		for i := range inverses32 {
			fmt.Printf("\t%x %x %x\n", inverses32[i]/32, tables[base][0][i], tables[base][1][i])
		}
	}
}

const (
	// Table entries per octave. The lowest 3 bits (float32: 2) of the scaled argument t are the
	// table index.
	entries64, entries32 = 8, 4

	// All table entries have a common factor E = 1 + m/2^shift, found by search. With this factor,
	// the entries 2^(j/8)·E (float32: 2^(j/4)·E) have unusually small rounding errors.
	m64, shift64 = 985745404, 60
	m32, shift32 = 482563, 31
)

// coefSet holds the coefficients of one kernel for one type.
type coefSet struct {
	kernel, typ       string    // exp or exp2; float64 or float32
	table             []float64 // 2^(j/len)·E, rounded; E is the common factor of the entries
	coef              []float64 // coefficients of base^r/E − 1, lowest degree first
	tableErr, polyErr float64   // error of the table in ulp; relative error of the polynomial
}

// coefSets returns the coefficients of exp and exp2 for float64 and float32. It computes them once.
var coefSets = sync.OnceValue(func() []coefSet {
	var out []coefSet
	for _, kernel := range []string{"exp", "exp2"} {
		out = append(out,
			makeSet(kernel, "float64", 53, entries64, 7, factor(m64, shift64)),
			makeSet(kernel, "float32", 24, entries32, 4, factor(m32, shift32)))
	}
	return out
})

func factor(m uint64, shift int) *big.Float {
	e := num(0).SetUint64(m)
	e.SetMantExp(e, -shift)
	return e.Add(e, num(1))
}

func makeSet(kernel, typ string, digits, entries, degree int, e *big.Float) coefSet {
	s := coefSet{kernel: kernel, typ: typ}
	ln2 := ln(num(2))
	for j := range entries {
		v := exp(mul(ln2, num(float64(j)/float64(entries))))
		v.Mul(v, e)
		r := round(v, digits)
		s.table = append(s.table, r)
		d, _ := sub(v, num(r)).Float64()
		s.tableErr = max(s.tableErr, math.Abs(math.Ldexp(d, digits-1)))
	}
	// The kernel rounds x·log2e to a multiple of 1/8 (float32: 1/4). The constant log2e is rounded
	// too, so the magnitude of the reduced argument can slightly exceed 1/16 (float32: 1/8).
	half := num(.5 / float64(entries))
	scale := ln2 // 2^r is exp(scale·r)
	if kernel == "exp" {
		half.Mul(half, ln2)
		half.Mul(half, num(1+math.Ldexp(1, 11-digits)))
		scale = num(1)
	}
	xs := chebyshev(neg(half), half, 2000)
	f := make([]*big.Float, len(xs))
	w := make([]*big.Float, len(xs))
	for i, x := range xs {
		y := quo(exp(mul(scale, x)), e)
		f[i] = sub(y, num(1))
		w[i] = quo(num(1), y)
	}
	c0 := round(sub(quo(num(1), e), num(1)), digits)
	s.coef, s.polyErr = fitPolynomial(xs, f, w, degree, digits, []float64{c0})
	return s
}

// logPolynomial returns the coefficients of z^1 … z^7 in
//
//	log((1+s)/(1−s))/s − 2 ≈ L1 z + … + L7 z^7, z = s²,
//
// for |s| ≤ (√2−1)/(√2+1), and the largest relative error of the logarithm.
func logPolynomial() ([]float64, float64) {
	root := num(0).Sqrt(num(2))
	top := quo(sub(root, num(1)), num(0).Add(root, num(1)))
	top.Mul(top, top)
	top.Mul(top, num(1+1e-12))
	xs := chebyshev(num(0), top, 2000)
	f := make([]*big.Float, len(xs))
	w := make([]*big.Float, len(xs))
	for i, z := range xs {
		s := num(0).Sqrt(z)
		y := quo(ln(quo(num(0).Add(num(1), s), sub(num(1), s))), s)
		f[i] = sub(y, num(2))
		w[i] = quo(num(1), y)
	}
	c, e := fitPolynomial(xs, f, w, 7, 53, []float64{0})
	return c[1:], e
}

// inverses32 holds 32 times the reciprocals that reduce the argument of the float32 logarithm in
// package vector. Each reciprocal is for one of the eight intervals into which the logarithm
// divides the reduced arguments.
var inverses32 = [8]float64{47, 43, 40, 36, 34, 32, 29, 26}

// log32Tables returns −ln(n/32) and −log₂(n/32) for each n in inverses32. Each value is the sum hi +
// lo, where hi is a multiple of 2^-17 (log₂: 2^-16).
func log32Tables() (t [2][2][8]float64) {
	for i, n := range inverses32 {
		y := neg(ln(num(n / 32)))
		for base, digits := range []int{17, 16} {
			if base == 1 {
				y = quo(y, ln(num(2)))
			}
			unit := math.Ldexp(1, digits)
			hi, _ := y.Float64()
			hi = math.RoundToEven(hi*unit) / unit
			t[base][0][i], t[base][1][i] = hi, round(sub(y, num(hi)), 24)
		}
	}
	return t
}

// log32Polynomial returns the coefficients of r^0 … r^3 in
//
//	(log(1+r) − r)/r² ≈ L0 + L1 r + L2 r² + L3 r³
//
// for base e. For base 2, the logarithm is log₂ and the subtracted term is r/ln 2. log32Polynomial
// also returns the largest relative error of the logarithm. The error bound assumes that a logarithm is
// at least 0.04 in magnitude if its table value is not zero.
func log32Polynomial(base2 bool) ([]float64, float64) {
	scale := num(1)
	if base2 {
		scale = quo(scale, ln(num(2)))
	}
	xs := chebyshev(num(-.0568), num(.0568), 2000)
	f := make([]*big.Float, len(xs))
	w := make([]*big.Float, len(xs))
	for i, x := range xs {
		square := mul(x, x)
		y := ln(num(0).Add(num(1), x))
		f[i] = mul(scale, quo(sub(y, x), square))
		if y.Abs(y); y.Cmp(num(.04)) > 0 {
			y = num(.04)
		}
		w[i] = quo(square, mul(scale, y))
	}
	return fitPolynomial(xs, f, w, 3, 24, nil)
}

// fitPolynomial returns the coefficients of a polynomial p that nearly minimizes the largest
// weighted error max |w·(f − p)| on the points xs. It also returns this error. lowest contains the
// lowest coefficients, which do not change. The other coefficients are rounded to the given number
// of binary digits.
func fitPolynomial(xs, f, w []*big.Float, degree, digits int, lowest []float64) ([]float64, float64) {
	coef := append([]float64(nil), lowest...)
	for len(coef) <= degree {
		// The first d coefficients are known, so the error that remains is x^d times an unknown
		// polynomial. Dividing by x^d gives a weighted minimax problem. The solution is unique
		// because no point x is 0.
		d := len(coef)
		g := make([]*big.Float, len(xs))
		v := make([]*big.Float, len(xs))
		for i, x := range xs {
			p := num(1)
			for range d {
				p.Mul(p, x)
			}
			g[i] = quo(sub(f[i], horner(coef, x)), p)
			v[i] = num(0).Abs(mul(w[i], p))
		}
		p := remez(xs, g, v, degree-d)
		coef = append(coef, round(p[0], digits))
	}
	worst := 0.0
	for i, x := range xs {
		e, _ := mul(w[i], sub(f[i], horner(coef, x))).Float64()
		worst = max(worst, math.Abs(e))
	}
	return coef, worst
}

// remez solves the weighted minimax problem on the points xs by the single-exchange Remez
// algorithm.
func remez(xs, g, w []*big.Float, degree int) []*big.Float {
	n := degree + 2
	ref := make([]int, n) // indices of the reference points in xs, in ascending order
	for i := range ref {
		ref[i] = i * (len(xs) - 1) / (n - 1)
	}
	for range 500 {
		// Fit g with the weights w: find a polynomial p and a number h such that p + (−1)^i·h/w = g at every
		// reference point. i is the index of the reference point.
		a := make([][]*big.Float, n)
		for i, k := range ref {
			row := make([]*big.Float, n+1)
			p := num(1)
			for j := 0; j <= degree; j++ {
				row[j] = num(0).Set(p)
				p.Mul(p, xs[k])
			}
			row[n-1] = quo(num(float64(1-2*(i%2))), w[k])
			row[n] = g[k]
			a[i] = row
		}
		sol := solve(a)
		p, h := sol[:n-1], num(0).Abs(sol[n-1])
		sign := make([]int, len(xs))
		worst, at := num(-1), 0
		for k, x := range xs {
			v := num(0)
			for j := degree; j >= 0; j-- {
				v.Mul(v, x)
				v.Add(v, p[j])
			}
			e := mul(w[k], sub(g[k], v))
			sign[k] = e.Sign()
			if e.Abs(e); e.Cmp(worst) > 0 {
				worst, at = e, k
			}
		}
		if worst.Cmp(mul(h, num(1+1e-9))) <= 0 {
			return p
		}
		exchangePoint(ref, at, sign)
	}
	log.Fatal("remez: no convergence")
	return nil
}

// exchangePoint inserts a point into the ascending reference points and removes another point. The
// signs of the errors at the reference points still alternate.
func exchangePoint(ref []int, at int, sign []int) {
	last := len(ref) - 1
	switch {
	case at < ref[0]:
		if sign[at] != sign[ref[0]] {
			copy(ref[1:], ref[:last])
		}
		ref[0] = at
	case at > ref[last]:
		if sign[at] != sign[ref[last]] {
			copy(ref, ref[1:])
		}
		ref[last] = at
	default:
		i := 0
		for ref[i+1] < at {
			i++
		}
		if sign[at] == sign[ref[i]] {
			ref[i] = at
		} else {
			ref[i+1] = at
		}
	}
}

// solve solves a linear system. Each row of a ends with its right-hand side.
func solve(a [][]*big.Float) []*big.Float {
	n := len(a)
	for i := range n {
		best := i
		for r := i + 1; r < n; r++ {
			if num(0).Abs(a[r][i]).Cmp(num(0).Abs(a[best][i])) > 0 {
				best = r
			}
		}
		a[i], a[best] = a[best], a[i]
		for r := i + 1; r < n; r++ {
			m := quo(a[r][i], a[i][i])
			for c := i; c <= n; c++ {
				a[r][c] = sub(a[r][c], mul(m, a[i][c]))
			}
		}
	}
	x := make([]*big.Float, n)
	for i := n - 1; i >= 0; i-- {
		v := a[i][n]
		for c := i + 1; c < n; c++ {
			v = sub(v, mul(a[i][c], x[c]))
		}
		x[i] = quo(v, a[i][i])
	}
	return x
}

// searchFactor returns the integer m < limit for which the products 2^(j/entries)·(1 + m/2^shift)
// are closest to numbers with the given number of binary digits. It also returns the largest
// distance in ulp. Fractions of an ulp are 64-bit fixed-point numbers, which wrap around.
func searchFactor(digits, entries, shift int, limit uint64) (uint64, float64) {
	f, step := make([]uint64, entries), make([]uint64, entries)
	ln2 := ln(num(2))
	one := num(0).SetMantExp(num(1), 64)
	frac := func(x *big.Float) uint64 {
		i, _ := x.Int(nil)
		x = sub(x, num(0).SetInt(i))
		u, _ := mul(x, one).Uint64()
		return u
	}
	for j := range entries {
		v := exp(mul(ln2, num(float64(j)/float64(entries))))
		f[j] = frac(num(0).SetMantExp(v, digits-1))
		step[j] = frac(num(0).SetMantExp(v, digits-1-shift))
	}
	best, at := uint64(1)<<62, uint64(0)
	for m := uint64(1); m < limit; m++ {
		worst := uint64(0)
		for j := range entries {
			d := f[j] + m*step[j]
			if int64(d) < 0 {
				d = -d
			}
			if worst = max(worst, d); worst >= best {
				break
			}
		}
		if worst < best {
			best, at = worst, m
		}
	}
	return at, math.Ldexp(float64(best), -64)
}

func horner(c []float64, x *big.Float) *big.Float {
	v := num(0)
	for i := len(c) - 1; i >= 0; i-- {
		v.Mul(v, x)
		v.Add(v, num(c[i]))
	}
	return v
}

// chebyshev returns n ascending points of the interval [a, b]. The points are denser near the ends
// of the interval.
func chebyshev(a, b *big.Float, n int) []*big.Float {
	xs := make([]*big.Float, n)
	for i := range xs {
		u := num((1 - math.Cos(math.Pi*(float64(i)+.5)/float64(n))) / 2)
		xs[i] = num(0).Add(a, mul(sub(b, a), u))
	}
	return xs
}

const precision = 300

func num(x float64) *big.Float       { return new(big.Float).SetPrec(precision).SetFloat64(x) }
func mul(x, y *big.Float) *big.Float { return num(0).Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return num(0).Quo(x, y) }
func sub(x, y *big.Float) *big.Float { return num(0).Sub(x, y) }
func neg(x *big.Float) *big.Float    { return num(0).Neg(x) }
func round(x *big.Float, d int) float64 {
	v, _ := new(big.Float).SetPrec(uint(d)).Set(x).Float64()
	return v
}

// exp computes the Taylor series of x/2^16 and squares the result sixteen times. It requires |x| ≤
// 1.
func exp(x *big.Float) *big.Float {
	const halvings = 16
	x = num(0).SetMantExp(x, -halvings)
	sum, term := num(1), num(1)
	for i := 1; i < 24; i++ {
		term.Mul(term, x)
		term.Quo(term, num(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// ln returns the logarithm of x, which is near 1. It uses the series of 2 artanh((x−1)/(x+1)).
func ln(x *big.Float) *big.Float {
	s := quo(sub(x, num(1)), num(0).Add(x, num(1)))
	z, p, sum := mul(s, s), num(0).Set(s), num(0)
	for i := 1; ; i += 2 {
		t := quo(p, num(float64(i)))
		if t.Sign() == 0 || t.MantExp(nil) < sum.MantExp(nil)-precision {
			break
		}
		sum.Add(sum, t)
		p.Mul(p, z)
	}
	return sum.Add(sum, sum)
}

// coefFile returns the text of coef.go. The kernels exp and exp2 share one table.
func coefFile() []byte {
	var b strings.Builder
	fmt.Fprint(&b, "// Code generated by prove/gencoef; DO NOT EDIT.\n\npackage exp\n")
	for _, s := range coefSets() {
		if s.kernel == "exp" {
			fmt.Fprintf(&b, "\n// table%s[j] is the bit pattern of 2^(j/%d)·E less j·2^%d; E = 1 + %s.\n// Without the subtraction the entries are within %.4f ulp of 2^(j/%d)·E.\n",
				s.bits(), len(s.table), s.shift(), s.factor(), s.tableErr, len(s.table))
			fmt.Fprintf(&b, "var table%s = [%d]u%s{\n", s.bits(), len(s.table), strings.Replace(s.typ, "float", "int", 1))
			for _, t := range s.foldedTable() {
				fmt.Fprintf(&b, "%s,\n", s.hex(t))
			}
			fmt.Fprint(&b, "}\n")
		}
		poly := s.kernel + "Poly" + s.bits()
		fmt.Fprintf(&b, "\n// %s approximates %s/E − 1, lowest degree first; the relative error of\n// 1 + %s is below 2^%.2f.\n", poly, s.base(), poly, math.Ceil(math.Log2(s.polyErr)*100)/100)
		fmt.Fprintf(&b, "var %s = [%d]%s{\n", poly, len(s.coef), s.typ)
		for _, c := range s.coef {
			fmt.Fprintf(&b, "%s,\n", literal(c, s.typ))
		}
		fmt.Fprint(&b, "}\n")
	}
	src, err := format.Source([]byte(b.String()))
	if err != nil {
		log.Fatal(err)
	}
	return src
}

func literal(c float64, typ string) string {
	if typ == "float32" {
		return fmt.Sprintf("%x", float32(c))
	}
	return fmt.Sprintf("%x", c)
}

func (s coefSet) bits() string { return strings.TrimPrefix(s.typ, "float") }

func (s coefSet) base() string {
	if s.kernel == "exp" {
		return "exp(r)"
	}
	return "2^r"
}

func (s coefSet) factor() string {
	if s.typ == "float32" {
		return fmt.Sprintf("%d/2^%d", m32, shift32)
	}
	return fmt.Sprintf("%d/2^%d", m64, shift64)
}

// shift returns the number of bits by which the kernels shift the table index to the left. The
// shifted index is directly below the exponent of a floating-point number.
func (s coefSet) shift() int {
	if s.typ == "float32" {
		return 21
	}
	return 49
}

// foldedTable returns the bit patterns of the table. From pattern j, it subtracts j, shifted left to
// the position of the exponent. A kernel can therefore add an integer whose low bits are j without
// masking these bits.
func (s coefSet) foldedTable() []uint64 {
	out := make([]uint64, len(s.table))
	for j, v := range s.table {
		out[j] = s.bitPattern(v) - uint64(j)<<s.shift()
	}
	return out
}

func (s coefSet) bitPattern(v float64) uint64 {
	if s.typ == "float32" {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

func (s coefSet) hex(v uint64) string {
	if s.typ == "float32" {
		return fmt.Sprintf("%#08x", v)
	}
	return fmt.Sprintf("%#016x", v)
}

// dataLines returns DATA lines with the polynomial, highest degree first, and the table.
func (s coefSet) dataLines() string {
	var b strings.Builder
	for i := len(s.coef) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "\tc%d %s  // %s\n", i, s.hex(s.bitPattern(s.coef[i])), literal(s.coef[i], s.typ))
	}
	for j, v := range s.foldedTable() {
		fmt.Fprintf(&b, "\tT%d %s\n", j, s.hex(v))
	}
	return b.String()
}
