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

const (
	chunk    = 256          // segments whose costs are computed at a time
	fewSort  = 48           // samples up to which they are inserted one by one
	digit    = 11           // bits by which a pass sorts
	topShift = 64 - 3*digit // three passes sort by the upper 33 bits,
	mostMove = 4            // and insertion does the rest, if it takes at most so many moves a sample
	piece    = 1 << 16      // samples between two looks at the context
)

// line is the workspace of transport on a line.
type line[T dist.Float] struct {
	keys, spare   [2][]uint64 // the samples of each side, as integers in the same order
	items, others [2][]item   // with their places
	mass          [2][]float64
	count         []uint32
	diff, part    [chunk]float64
	at            [chunk][2]int32
	filled        int
	sliced        sliced[T]
}

// item is a sample and its place.
type item struct {
	key uint64
	at  int32
}

// side is one side of a problem on a line, sorted.
type side struct {
	keys  []uint64 // or
	items []item
	mass  []float64 // of each, in the order of the samples; nil: all have each
	each  float64
}

// Distance1D returns the Wasserstein distance of order p ≥ 1 between weighted samples x and y on the line,
//
//	W_p = (min Σ_ij T_ij |x_i − y_j|^p)^(1/p),
//
// over the plans T of weights a and b, in O(n log n) and without a matrix. p may be +Inf: W is then the largest
// |x_i − y_j| of the plan. Weights are as in [Problem]: nil means uniform, and b is scaled to the sum of a. (POT's
// wasserstein_1d returns the p-th power.)
//
// For p = 1, p = 2 and +Inf the result has a relative error of some roundings. Other powers x^p are computed as
// exp(p·ln x), with a relative error of about p·|ln x| + 2 roundings, where x ≤ 1 is a difference in units of the largest.
//
// Errors wrap ErrShape, ErrNotFinite, ErrMarginals, ErrSettings if p is less than 1 or the workspace exceeds MaxMemory,
// or ErrRange if a difference overflows; or they are the context's cause.
func (s *Solver[T]) Distance1D(ctx context.Context, x, y, a, b []T, p float64) (float64, error) {
	s.enter()
	defer s.leave()
	sumA, sumB, err := s.admitLine([2][]T{x, y}, [2][]T{a, b}, p)
	if err != nil {
		return 0, err
	}
	ctx = s.timed.Of(ctx)
	l := &s.line
	sides := [2]side{{each: float64(len(y))}, {each: float64(len(x))}}
	for k, z := range [2][]T{x, y} {
		w := [2][]T{a, b}[k]
		if err := l.sort(ctx, k, z, w != nil, &sides[k]); err != nil {
			return 0, err
		}
	}
	unit := l.weigh(&sides, [2][]T{a, b}, sumA, sumB)
	root, _, err := l.distance(ctx, &sides, p, unit)
	return root, err
}

// admitLine checks the samples, the weights and the order of a problem on a line.
func (s *Solver[T]) admitLine(samples, weights [2][]T, p float64) (sumA, sumB float64, err error) {
	if err := checkOrder(p); err != nil {
		return 0, 0, err
	}
	var sums [2]float64
	for k, z := range samples {
		if len(z) == 0 || len(z) > math.MaxInt32 {
			return 0, 0, fmt.Errorf("%w: %s has %d samples", ErrShape, [2]string{"x", "y"}[k], len(z))
		}
		for i, v := range z {
			if v-v != 0 {
				return 0, 0, fmt.Errorf("%w: %s[%d] is %v", ErrNotFinite, [2]string{"x", "y"}[k], i, v)
			}
		}
		if sums[k], err = checkWeights([2]string{"a", "b"}[k], weights[k], len(z)); err != nil {
			return 0, 0, err
		}
	}
	if err := checkSums[T](sums[0], sums[1], 0); err != nil {
		return 0, 0, err
	}
	return sums[0], sums[1], s.afford(40 * (float64(len(samples[0])) + float64(len(samples[1]))))
}

func checkOrder(p float64) error {
	if !(p >= 1) {
		return fmt.Errorf("%w: the order p is %v; it must be at least 1", ErrSettings, p)
	}
	return nil
}

// weigh sets the masses of both sides. Without weights all masses are integers: n·m units. It returns the unit.
func (l *line[T]) weigh(sides *[2]side, weights [2][]T, sumA, sumB float64) float64 {
	n, m := sides[0].len(), sides[1].len()
	if weights[0] == nil && weights[1] == nil {
		if n == m {
			sides[0].each, sides[1].each = 1, 1
			return 1 / float64(n)
		}
		return 1 / (float64(n) * float64(m))
	}
	sides[0].each, sides[1].each = 1/float64(n), 1/float64(m)
	scale := sumA / sumB
	sides[1].each *= scale
	for k, w := range weights {
		if w == nil {
			continue
		}
		grow(&l.mass[k], len(w))
		for i, x := range w {
			if l.mass[k][i] = float64(x); k == 1 {
				l.mass[k][i] *= scale
			}
		}
		sides[k].mass = l.mass[k]
	}
	return 1
}

func (s *side) len() int { return max(len(s.keys), len(s.items)) }

// sample returns sample i of a sorted side, its mass and its place.
func (s *side) sample(i int) (x, mass float64, at int32) {
	if s.items == nil {
		return valueOf(s.keys[i]), s.each, int32(i)
	}
	it := s.items[i]
	if s.mass == nil {
		return valueOf(it.key), s.each, it.at
	}
	return valueOf(it.key), s.mass[it.at], it.at
}

// keyOf returns an integer that is ordered as x is.
func keyOf(x float64) uint64 {
	b := math.Float64bits(x)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// valueOf is the inverse of keyOf.
func valueOf(k uint64) float64 {
	return math.Float64frombits(k ^ (uint64(int64(^k)>>63) | 1<<63))
}

// sort sorts the samples of a side, with their places if they are wanted.
func (l *line[T]) sort(ctx context.Context, k int, z []T, places bool, s *side) error {
	n := len(z)
	if places {
		grow(&l.items[k], n)
		grow(&l.others[k], n)
		s.items = l.items[k]
	} else {
		grow(&l.keys[k], n)
		grow(&l.spare[k], n)
		s.keys = l.keys[k]
	}
	for i, x := range z {
		if key := keyOf(float64(x)); places {
			s.items[i] = item{key, int32(i)}
		} else {
			s.keys[i] = key
		}
	}
	if n <= fewSort && insertAll(s.keys, s.items, n*n) {
		return nil
	}
	if err := l.passes(ctx, k, s, topShift); err != nil || insertAll(s.keys, s.items, mostMove*n) {
		return err
	}
	// Many samples have the same upper bits.
	return l.passes(ctx, k, s, 0)
}

// passes sorts a side by the bits of its keys from shift on.
func (l *line[T]) passes(ctx context.Context, k int, s *side, shift int) error {
	n := s.len()
	count := (64 - shift + digit - 1) / digit
	grow(&l.count, count<<digit)
	clear(l.count)
	for i := range n {
		if i%piece == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var key uint64
		if s.items != nil {
			key = s.items[i].key
		} else {
			key = s.keys[i]
		}
		key >>= shift
		for t := range count {
			l.count[t<<digit|int(key&(1<<digit-1))]++
			key >>= digit
		}
	}
	for t := range count {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		count := l.count[t<<digit:][:1<<digit]
		sum, one := uint32(0), false
		for b, c := range count {
			count[b], one = sum, one || int(c) == n
			sum += c
		}
		switch {
		case one: // all have the same digit
		case s.items != nil:
			scatterItems(l.others[k], s.items, count, shift+t*digit)
			l.items[k], l.others[k] = l.others[k], l.items[k]
			s.items = l.items[k]
		default:
			scatterKeys(l.spare[k], s.keys, count, shift+t*digit)
			l.keys[k], l.spare[k] = l.spare[k], l.keys[k]
			s.keys = l.keys[k]
		}
	}
	return nil
}

// insertAll sorts keys or items that are almost sorted, by insertion, and reports whether it has: it gives up
// after so many moves.
func insertAll(keys []uint64, items []item, moves int) bool {
	for i := 1; i < len(keys); i++ {
		key, j := keys[i], i
		for ; j > 0 && keys[j-1] > key; j-- {
			keys[j] = keys[j-1]
			moves--
		}
		if keys[j] = key; moves < 0 {
			return false
		}
	}
	for i := 1; i < len(items); i++ {
		it, j := items[i], i
		for ; j > 0 && items[j-1].key > it.key; j-- {
			items[j] = items[j-1]
			moves--
		}
		if items[j] = it; moves < 0 {
			return false
		}
	}
	return true
}

// scatterKeys copies keys to where their digits belong. count is where the next key of a digit goes.
func scatterKeys(dst, keys []uint64, count []uint32, shift int) {
	mask := uint64(len(count) - 1)
	for _, k := range keys {
		c := &count[k>>shift&mask]
		dst[*c] = k
		*c++
	}
}

// scatterItems is scatterKeys for items.
func scatterItems(dst, items []item, count []uint32, shift int) {
	mask := uint64(len(count) - 1)
	for _, it := range items {
		c := &count[it.key>>shift&mask]
		dst[*c] = it
		*c++
	}
}

// distance returns W_p of two sorted sides, and the scale 2^e and the order-p sum of differences in units of it:
// W_p = scale·(sum·unit)^(1/p).
func (l *line[T]) distance(ctx context.Context, sides *[2]side, p, unit float64) (root, power float64, err error) {
	largest := 0.
	if err := l.walk(ctx, sides, func() {
		for _, d := range l.diff[:l.filled] {
			largest = max(largest, math.Abs(d))
		}
	}); err != nil {
		return 0, 0, err
	}
	switch {
	case largest-largest != 0:
		return 0, 0, fmt.Errorf("%w: a difference of samples overflows", ErrRange)
	case largest == 0 || math.IsInf(p, 1):
		return largest, largest, nil
	}
	_, e := math.Frexp(largest)
	if p == 1 && math.Abs(float64(e)) < 900 {
		e = 0 // nothing to scale
	}
	var sum total
	err = l.walk(ctx, sides, func() {
		l.powers(p, e)
		var s float64
		for k, d := range l.diff[:l.filled] {
			s = num.FMA(d, l.part[k], s)
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
		root = powerOf(power, 1/p)
	}
	if root = math.Ldexp(root, e); root-root != 0 {
		return 0, 0, fmt.Errorf("%w: the distance overflows", ErrRange)
	}
	return root, float64(power * powerOf2(p, e)), err
}

// powerOf returns x^q = exp(q·ln x) for x ≥ 0.
func powerOf(x, q float64) float64 {
	v := [1]float64{float64(q * num.Log(x))}
	exp.Exp(v[:], v[:])
	return v[0]
}

// powerOf2 returns 2^(p·e).
func powerOf2(p float64, e int) float64 {
	if whole := p * float64(e); whole == math.Trunc(whole) && math.Abs(whole) < 1<<20 {
		return math.Ldexp(1, int(whole))
	}
	return powerOf(2, p*float64(e))
}

// powers replaces the differences, in units of 2^e, by the p-th powers of their absolute values.
func (l *line[T]) powers(p float64, e int) {
	d := l.diff[:l.filled]
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

// walk moves the mass of one sorted side to the other, in ascending order. It calls flush whenever there are chunk
// segments, and at the end: of segment k, diff is the difference of its samples, part its mass, and at their places.
func (l *line[T]) walk(ctx context.Context, sides *[2]side, flush func()) error {
	n, m := sides[0].len(), sides[1].len()
	l.filled = 0
	if keys, other := sides[0].keys, sides[1].keys; n == m && len(keys) == n && len(other) == n {
		for i := 0; i < n; i += chunk {
			if i%piece == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			l.filled = min(chunk, n-i)
			diff, part, other := l.diff[:l.filled], l.part[:l.filled], other[i:]
			for k, key := range keys[i:][:l.filled] {
				diff[k], part[k] = valueOf(key)-valueOf(other[k]), sides[0].each
			}
			flush()
		}
		return nil
	}
	if n == m && sides[0].mass == nil && sides[1].mass == nil {
		for i := range n {
			x, mass, p := sides[0].sample(i)
			y, _, q := sides[1].sample(i)
			if err := l.segment(ctx, x-y, mass, p, q, i, flush); err != nil {
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
			if err := l.segment(ctx, x-y, part, p, q, i+j, flush); err != nil {
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

// segment adds a segment.
func (l *line[T]) segment(ctx context.Context, diff, part float64, p, q int32, count int, flush func()) error {
	l.diff[l.filled], l.part[l.filled], l.at[l.filled] = diff, part, [2]int32{p, q}
	if l.filled++; l.filled < chunk {
		return nil
	}
	flush()
	l.filled = 0
	if count/chunk%(piece/chunk) == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
