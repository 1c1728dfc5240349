package search

import (
	"math"

	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/asm/sketch"
)

// The filter bounds how near a row can be to a query. The sketch of a row x is s·c, with a scale s and integers c from −63 to
// 63. The sketch of a query q is t·p, with a scale t and integers p from −127 to 127. Let u = 2⁻²⁴ be the rounding error of
// float32, let m = ⌈d/16⌉ for d elements, and let r, n, g and h be upper bounds of norms:
//
//	r ≥ ‖x − s·c‖   n ≥ ‖x‖   g ≥ ‖q − t·p‖   h ≥ ‖q‖
//	q·x = s·t·(c·p) + q·(x − s·c) + (q − t·p)·(s·c) ≤ s·t·(c·p) + r·(h+g) + n·g
//
// The inequality follows from the Cauchy–Schwarz inequality and ‖s·c‖ ≤ n + r. The integer c·p is exact. Float64 sums give
// the squares of the norms with a relative error below 2⁻³⁸. The norms are multiplied by 1 + 2⁻³⁰, and r and n are rounded
// up to float32, so n ≤ ‖x‖·(1 + 2⁻²²). The filter computes
//
//	b = a·(c·p) + r·ρ + n·ν + n²·ω
//
// with a = s. The coefficients ρ, ν and ω of the query contain a factor 1/t, so b is an upper bound divided by t. The
// coefficients are rounded up. The filter compares b with a threshold τ, which is also divided by t, and rounded down. A
// row passes unless b < τ. The coefficients allow for these errors:
//
//   - The float32 operations of the filter err by at most 5.01·u·(|a·(c·p)| + |r·ρ| + |n·ν| + |n²·ω|). Because r is at most
//     1.01·n and g at most 1.01·h, the first three terms are at most 41·u·n·h, in units of 1/t.
//   - A float32 sum over 16 lanes of m products each, folded in four steps, errs by at most γ·Σ|q_k·x_k| ≤ γ·n·h with
//     γ = (m+4)·u/(1 − (m+4)·u) ≤ (m+7)·u, because d is at most 100 000.
//   - Underflow adds at most 2⁻¹⁴⁷ to the filter and d·2⁻¹⁴⁹ to the sum. Norms are at least 2⁻³⁶, so both errors are below
//     2⁻³⁰·u·n·h. Norms are at most 2³⁶, so nothing overflows. A row whose norm is out of this range passes every filter,
//     except a row of zeros, for which b is exact. If the norm of the query is out of range, no row is filtered.
//
// So ρ = h + g always. With σ = (m+48)·u, the other coefficients are:
//
//   - Inner product of at least C: ν = g + σ·h, ω = 0, τ = C.
//   - Squared distance of at most D: ν = g + σ·h, ω = −(1 − 16·u)/2, τ = (‖q‖² − L)/2 with L = (D + 2⁻¹⁰⁰)·(1 + σ).
//     Differences, squares and their sum have a relative error of at most (m+9)·u, so that the exact distance of a row in
//     the results is at most L. Then q·x − ‖x‖²/2 is at least τ, because ‖q − x‖² = ‖q‖² − 2·(q·x − ‖x‖²/2). The square n²
//     is too large by a factor of up to 1 + 10·u. The term 16·u in ω allows for this factor and for the error of n²·ω.
//   - Cosine of at least C, where C is at most 1: ν = g + σ·h − C'·h + 2⁻²²·|C'|·h, ω = 0, τ = 0 with
//     C' = C − (2·m+32)·u. The product is divided by two norms, whose sums have an error of γ each. The quotient is rounded
//     twice in float64 and once in float32. So it exceeds the exact cosine by at most (2·m+32)·u. The last term of ν allows
//     for the errors of n and h. Vectors whose norm is out of range are scaled by a power of two, which is exact. A row
//     of zeros has b = 0 and passes.
//
// A row with b = τ passes, because the smaller identifier wins among rows with the same value. Nothing is filtered while a
// threshold is infinite, and a row whose b is NaN passes.

// The filter uses the sketch of a row or query only if the norm of the vector is between leastNorm
// and mostNorm. In this range, the bound does not overflow, and its allowance for errors is larger
// than underflow errors. The filter also uses the sketch of a row of zeros.
const (
	leastNorm = 0x1p-36
	mostNorm  = 0x1p36
)

const (
	// filterSlack + ⌈d/16⌉ and cosineSlack + 2·⌈d/16⌉ are the allowances for errors in the bound, in
	// units of 2⁻²⁴. The comment at the beginning of the file derives these constants.
	filterSlack = 48
	cosineSlack = 32
	// The bound for squared distances multiplies the squared row norm by −(1 − squareSlack)/2
	// instead of −1/2.
	squareSlack = 0x1p-20
	// normSlack is an upper bound of the relative error of a norm that is rounded up.
	normSlack = 0x1p-22
	// sumSlack is an upper bound of the relative error of float64 computations.
	sumSlack = 0x1p-30
)

// roundUp returns a float32 number that is at least v + |v|·sumSlack.
func roundUp(v float64) float32 {
	v += float64(math.Abs(v) * sumSlack)
	f := float32(v)
	if float64(f) < v {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}

// roundDown returns a float32 number that is at most v − |v|·sumSlack.
func roundDown(v float64) float32 { return -roundUp(-v) }

// inRange reports whether the sketch of a vector with this norm can be used.
func inRange(norm float64) bool { return norm >= leastNorm && norm <= mostNorm }

// sketchFeatures returns the number of elements of a sketch, including padding.
func sketchFeatures(cols int) int { return padTo(cols, sketch.Step) }

// hasSketches reports whether segments with these properties have sketches. If plain is true, the result is false.
func hasSketches(cols int, storage Storage, plain bool) bool {
	return !plain && cols >= sketchedCols && cols <= sketch.MaxFeatures && storage != StorageInt8
}

// isSketched reports whether the segment has sketches of its rows.
func (s *segment) isSketched() bool { return s.groups != nil }

// sketchRow makes the sketch of row i. The slice x contains the elements of the row, padded with zeros.
func (s *segment) sketchRow(i int, x []float32) {
	d := sketchFeatures(s.cols)
	g, lane := &s.groups[i/sketch.Rows], i%sketch.Rows
	scale, square, rest := sketch.QuantizeRow(s.codes[i/sketch.Rows*sketch.Rows*d+lane*sketch.Step:], x[:d])
	norm := math.Sqrt(square)
	if norm > 0 && !inRange(norm) {
		scale = float32(math.NaN()) // lets the row pass every filter
	}
	g.Scale[lane], g.Rest[lane], g.Norm[lane] = scale, roundUp(math.Sqrt(rest)), roundUp(norm)
}

// sketchRows makes the sketches of the first n rows, if the segment has sketches.
func (s *segment) sketchRows(n int) {
	if !s.isSketched() {
		return
	}
	x := make([]float32, s.stride)
	for i := range n {
		s.readRow(x[:s.cols], i)
		s.sketchRow(i, x)
	}
}

// querySketch describes the sketch t·p of a query q, with a scale t and integers p.
type querySketch struct {
	scale  float64 // t; 0 if the sketch cannot be used
	norm   float64 // upper bound of ‖q‖
	rest   float64 // upper bound of ‖q − t·p‖
	square float64 // lower bound of ‖q‖²
	start  int32   // initial value of the integer sums of products
	slack  float64 // ⌈d/16⌉, a factor in bounds of rounding errors
}

// newQuerySketch makes the sketch of a query x that is padded with zeros. It stores blocks of
// sketch.Step codes. Consecutive blocks start stride bytes apart.
func newQuerySketch(codes []int8, stride int, x []float32) querySketch {
	scale, sum, square, rest := sketch.QuantizeQuery(codes, stride, x)
	norm := math.Sqrt(square)
	if !inRange(norm) {
		return querySketch{}
	}
	return querySketch{
		scale:  float64(scale),
		norm:   norm * (1 + sumSlack),
		rest:   math.Sqrt(rest) * (1 + sumSlack),
		square: square * (1 - sumSlack),
		start:  -64 * sum,
		slack:  float64(padTo(len(x), query.Unit) / query.Unit),
	}
}

// setFilter sets the filter of a query. The filter passes all rows whose key is at most maxKey. If no
// such filter exists, setFilter returns false, and the search must compare all rows.
func (q *querySketch) setFilter(filter *sketch.Query, maxKey float32, measure Measure) bool {
	if q.scale == 0 || maxKey-maxKey != 0 {
		return false
	}
	const u = 0x1p-24
	norm, square, threshold := q.rest+float64(q.norm*(q.slack+filterSlack)*u), 0., 0.
	switch measure {
	case MeasureSqEuclidean:
		limit := float64((max(float64(maxKey), 0) + 0x1p-100) * (1 + float64((q.slack+filterSlack)*u)))
		square, threshold = -0.5*(1-squareSlack), (q.square-limit)/2
	case MeasureInnerProduct:
		threshold = -float64(maxKey)
	default:
		limit := min(-float64(maxKey), 1) - float64((float64(2*q.slack)+cosineSlack)*u)
		norm += float64(q.norm * (float64(math.Abs(limit)*normSlack) - limit))
	}
	filter.Start = q.start
	filter.Rest = roundUp((q.norm + q.rest) / q.scale)
	filter.Norm = roundUp(norm / q.scale)
	filter.Square = roundUp(square / q.scale)
	filter.Threshold = roundDown(threshold / q.scale)
	return true
}
