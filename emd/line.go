package emd

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/vector"
)

const segmentChunk = 256 // number of segments computed at a time

// line is the workspace of Distance1D and Sliced. A transport plan on a line is a list of segments. Each segment moves mass
// from one sample of x to one sample of y.
type line[T dist.Float] struct {
	sorters     [2]sorter
	weights     [2][]float64
	differences [segmentChunk]float64  // differences of the two samples of each segment
	masses      [segmentChunk]float64  // mass of each segment
	samples     [segmentChunk][2]int32 // indices of the two samples of each segment
	segments    int                    // number of segments in differences, masses and samples
	sliced      sliced[T]
}

// sortedSide contains the sorted samples of one side of a problem on a line.
type sortedSide struct {
	keys        []uint64
	indices     []int32   // original index of each key's sample; nil if not needed
	mass        []float64 // mass of each sample in the original order; if nil, all masses are uniformMass
	uniformMass float64
}

// Distance1D returns the Wasserstein distance of order p ≥ 1 between weighted samples x and y on the line,
//
//	W_p = (min Σ_ij T_ij |x_i − y_j|^p)^(1/p),
//
// where the minimum is over all transport plans T with marginals a and b. Distance1D takes O(n log n) time and needs no matrix.
// If p is +Inf, W_p is the largest |x_i − y_j| with T_ij > 0. Weights are as in [Problem]: nil means uniform, and b is scaled
// to the sum of a. (POT's wasserstein_1d returns the p-th power.)
//
// For p = 1, 2 and +Inf, the relative error of the result is a few roundings. For other p, powers d^p are computed as exp(p·ln
// d), where d ≤ 1 is a difference divided by the largest difference. The relative error of a power is about p·|ln d| + 2
// roundings.
//
// Errors wrap ErrShape, ErrNotFinite, ErrMarginals, ErrSettings if p is less than 1 or the workspace exceeds MaxMemory, or
// ErrRange if a difference overflows. If the context ends, Distance1D returns the context's cause.
func (s *Solver[T]) Distance1D(ctx context.Context, x, y, a, b []T, p float64) (float64, error) {
	s.markBusy()
	defer s.markIdle()
	ctx = s.timed.Of(ctx)
	sumA, sumB, err := s.checkLine(ctx, [2][]T{x, y}, [2][]T{a, b}, p)
	if err != nil {
		return 0, err
	}
	l := &s.line
	sides := [2]sortedSide{{uniformMass: float64(len(y))}, {uniformMass: float64(len(x))}}
	for k, z := range [2][]T{x, y} {
		w := [2][]T{a, b}[k]
		var err error
		if sides[k].keys, sides[k].indices, err = sortSamples(ctx, &l.sorters[k], z, w != nil); err != nil {
			return 0, err
		}
	}
	unit, err := l.setMasses(ctx, &sides, [2][]T{a, b}, sumA, sumB)
	if err != nil {
		return 0, err
	}
	root, _, err := l.distance(ctx, &sides, p, unit)
	return root, err
}

// checkLine checks the samples, weights and order of a problem on a line, and returns the sums of the weights.
func (s *Solver[T]) checkLine(ctx context.Context, samples, weights [2][]T, p float64) (sumA, sumB float64, err error) {
	if err := checkOrder(p); err != nil {
		return 0, 0, err
	}
	var sums [2]float64
	for k, z := range samples {
		if len(z) == 0 || len(z) > math.MaxInt32 {
			return 0, 0, fmt.Errorf("%w: %s has %d samples", ErrShape, [2]string{"x", "y"}[k], len(z))
		}
		if i := indexNotFinite(z); i >= 0 {
			return 0, 0, fmt.Errorf("%w: %s[%d] is %v", ErrNotFinite, [2]string{"x", "y"}[k], i, z[i])
		}
		if sums[k], err = checkWeights(ctx, [2]string{"a", "b"}[k], weights[k], len(z)); err != nil {
			return 0, 0, err
		}
	}
	if err := checkSums[T](sums[0], sums[1], 0); err != nil {
		return 0, 0, err
	}
	return sums[0], sums[1], s.checkMemory(40 * (float64(len(samples[0])) + float64(len(samples[1]))))
}

func checkOrder(p float64) error {
	if !(p >= 1) {
		return fmt.Errorf("%w: the order p is %v; it must be at least 1", ErrSettings, p)
	}
	return nil
}

// setMasses sets the masses of both sides and returns the unit of these masses. Without weights, all masses are integers, and
// the unit is 1/(n·m), or 1/n if n = m. If the context ends first, setMasses returns the context's cause.
func (l *line[T]) setMasses(ctx context.Context, sides *[2]sortedSide, weights [2][]T, sumA, sumB float64) (float64, error) {
	n, m := len(sides[0].keys), len(sides[1].keys)
	if weights[0] == nil && weights[1] == nil {
		if n == m {
			sides[0].uniformMass, sides[1].uniformMass = 1, 1
			return 1 / float64(n), nil
		}
		return 1 / (float64(n) * float64(m)), nil
	}
	sides[0].uniformMass, sides[1].uniformMass = 1/float64(n), 1/float64(m)
	scale := sumA / sumB
	sides[1].uniformMass *= scale
	for k, w := range weights {
		if w == nil {
			continue
		}
		grow(&l.weights[k], len(w))
		for i, x := range w {
			if i%samplesPerCheck == 0 && ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			if l.weights[k][i] = float64(x); k == 1 {
				l.weights[k][i] *= scale
			}
		}
		sides[k].mass = l.weights[k]
	}
	return 1, nil
}

// sample returns the i-th smallest sample, its mass and its original index.
func (s *sortedSide) sample(i int) (x, mass float64, at int32) {
	x, mass, at = valueOf(s.keys[i]), s.uniformMass, int32(i)
	if s.indices != nil {
		at = s.indices[i]
	}
	if s.mass != nil {
		mass = s.mass[at]
	}
	return x, mass, at
}

// distance returns the distance W_p between the samples of the two sides, and the power W_p^p. To avoid overflow, it
// divides the differences of samples by a power of 2 near the largest difference.
func (l *line[T]) distance(ctx context.Context, sides *[2]sortedSide, p, unit float64) (root, power float64, err error) {
	var bits uint64 // Float64bits of the largest absolute difference; positive numbers have the same order as their bits
	if err := l.forEachSegment(ctx, sides, func() {
		for _, d := range l.differences[:l.segments] {
			bits = max(bits, math.Float64bits(math.Abs(d)))
		}
	}); err != nil {
		return 0, 0, err
	}
	largest := math.Float64frombits(bits)
	switch {
	case largest-largest != 0:
		return 0, 0, fmt.Errorf("%w: a difference of samples overflows", ErrRange)
	case largest == 0 || math.IsInf(p, 1):
		return largest, largest, nil
	}
	_, e := math.Frexp(largest)
	if p == 1 && math.Abs(float64(e)) < 900 {
		e = 0 // powers cannot overflow
	}
	var sum preciseSum
	err = l.forEachSegment(ctx, sides, func() {
		l.raiseDifferences(p, e)
		var s float64
		for k, d := range l.differences[:l.segments] {
			s = num.FMA(d, l.masses[k], s)
		}
		sum.add(s)
	})
	power = float64(sum.value() * unit)
	switch p {
	case 1:
		root = power
	case 2:
		root = math.Sqrt(power)
	default:
		root = pow(power, 1/p)
	}
	if root = math.Ldexp(root, e); root-root != 0 {
		return 0, 0, fmt.Errorf("%w: the distance overflows", ErrRange)
	}
	return root, float64(power * pow2(p, e)), err
}

// pow returns x^q for x ≥ 0, computed as exp(q·ln x).
func pow(x, q float64) float64 {
	v := [1]float64{float64(q * num.Log(x))}
	exp.Exp(v[:], v[:])
	return v[0]
}

// pow2 returns 2^(p·e).
func pow2(p float64, e int) float64 {
	if whole := p * float64(e); whole == math.Trunc(whole) && math.Abs(whole) < 1<<20 {
		return math.Ldexp(1, int(whole))
	}
	return pow(2, p*float64(e))
}

// raiseDifferences replaces each difference d by |d/2^e|^p.
func (l *line[T]) raiseDifferences(p float64, e int) {
	d := l.differences[:l.segments]
	if e == 0 && p == 1 {
		for k := range d {
			d[k] = math.Abs(d[k])
		}
		return
	}
	scale := math.Ldexp(1, max(-1022, min(1023, -e)))
	rest := math.Ldexp(1, -e-max(-1022, min(1023, -e)))
	for k := range d {
		d[k] = math.Abs(float64(d[k]*scale) * rest)
	}
	switch p {
	case 0:
		for k := range d {
			d[k] = 1
		}
	case 1:
	case 2:
		for k := range d {
			d[k] *= d[k]
		}
	default:
		vector.Log(d, d)
		for k := range d {
			d[k] *= p
		}
		exp.Exp(d, d)
	}
}

// forEachSegment computes the segments of the transport plan in ascending order of the samples. It calls the function
// flush whenever l contains segmentChunk segments, and at the end. It does not set l.samples if n = m and neither side
// has indices.
func (l *line[T]) forEachSegment(ctx context.Context, sides *[2]sortedSide, flush func()) error {
	n, m := len(sides[0].keys), len(sides[1].keys)
	l.segments = 0
	if keys, other := sides[0].keys, sides[1].keys; n == m && sides[0].indices == nil && sides[1].indices == nil {
		for i := 0; i < n; i += segmentChunk {
			if i%samplesPerCheck == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			l.segments = min(segmentChunk, n-i)
			keys, other := keys[i:][:l.segments], other[i:][:l.segments]
			diff, part, each := l.differences[:l.segments], l.masses[:l.segments], sides[0].uniformMass
			for k, key := range keys {
				diff[k], part[k] = valueOf(key)-valueOf(other[k]), each
			}
			flush()
		}
		return nil
	}
	if n == m && sides[0].mass == nil && sides[1].mass == nil {
		for i := range n {
			x, mass, p := sides[0].sample(i)
			y, _, q := sides[1].sample(i)
			if err := l.addSegment(ctx, x-y, mass, p, q, i, flush); err != nil {
				return err
			}
		}
		flush()
		return nil
	}
	x, massX, p := sides[0].sample(0)
	y, massY, q := sides[1].sample(0)
	for i, j := 0, 0; ; {
		if part := min(massX, massY); part > 0 {
			if err := l.addSegment(ctx, x-y, part, p, q, i+j, flush); err != nil {
				return err
			}
			massX -= part
			massY -= part
		}
		if massX <= massY {
			if i++; i == n {
				break
			}
			x, massX, p = sides[0].sample(i)
		} else {
			if j++; j == m {
				break
			}
			y, massY, q = sides[1].sample(j)
		}
	}
	flush()
	return nil
}

// addSegment appends a segment and calls flush if l is full. count is the number of earlier segments.
func (l *line[T]) addSegment(ctx context.Context, diff, part float64, p, q int32, count int, flush func()) error {
	l.differences[l.segments], l.masses[l.segments], l.samples[l.segments] = diff, part, [2]int32{p, q}
	if l.segments++; l.segments < segmentChunk {
		return nil
	}
	flush()
	l.segments = 0
	if count/segmentChunk%(samplesPerCheck/segmentChunk) == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
