package sketch

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

func filterRef(masks []uint32, codes []uint8, groups []Group, queries []int8, q *[Queries]Query) {
	steps := len(queries) / (Queries * Step)
	for i := range groups {
		for j := range q {
			masks[i*Queries+j] = maskRef(codes[i*steps*stepBytes:], &groups[i], steps, queries, j*Step, Queries*Step, &q[j])
		}
	}
}

func filterOneRef(masks []uint32, codes []uint8, groups []Group, query []int8, q *Query) {
	steps := len(query) / Step
	for i := range groups {
		masks[i] = maskRef(codes[i*steps*stepBytes:], &groups[i], steps, query, 0, Step, q)
	}
}

// maskRef returns a mask of the rows of a group that pass the filter for one query. The first four
// codes of the query begin at queries[first], and the next four codes begin stride bytes later.
func maskRef(codes []uint8, g *Group, steps int, queries []int8, first, stride int, q *Query) (mask uint32) {
	for i := range Rows {
		sum := q.Start
		for s := range steps {
			c, p := codes[s*stepBytes+i*Step:][:Step], queries[first+s*stride:][:Step]
			for k := range Step {
				sum += int32(c[k]) * int32(p[k])
			}
		}
		t := float32(float32(sum) * g.Scale[i])
		t = num.FMA(g.Rest[i], q.Rest, t)
		t = num.FMA(g.Norm[i], q.Norm, t)
		t = num.FMA(float32(g.Norm[i]*g.Norm[i]), q.Square, t)
		mask |= bit(!(t < q.Threshold)) << i
	}
	return mask
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// largestRef returns the largest |x_k|. It compares the bits of |x_k| as integers.
func largestRef(x []float32) float32 {
	top := uint32(0)
	for _, v := range x {
		top = max(top, math.Float32bits(v)&^(1<<31))
	}
	return math.Float32frombits(top)
}

// quantizeRef stores groups of four codes. Consecutive groups start stride bytes apart. shift is about 1.5·2⁵², so the sum
// of a number and shift has no fractional digits. The lowest byte of this sum is the code of the number.
func quantizeRef(codes []uint8, stride int, x []float32, inverse, scale, shift float64) (square, rest float64) {
	var squares, rests [num.MaxLanes]float64
	for k, f := range x {
		v := float64(f)
		t := num.FMA(v, inverse, shift)
		codes[k/Step*stride+k%Step] = uint8(math.Float64bits(t))
		e := num.FMA(-scale, t-shift, v)
		squares[k%8] = num.FMA(v, v, squares[k%8])
		rests[k%8] = num.FMA(e, e, rests[k%8])
	}
	return num.Fold(&squares), num.Fold(&rests)
}
