package price

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

// leastRef returns the minimum of the value least and the reduced costs of all elements j ≥ i. It also returns the lowest
// index of the minimum. The argument at is the index of the value least.
func leastRef[T num.Float](c []T, u float64, v []float64, i int, least float64, at int) (float64, int) {
	for j := i; j < len(c); j++ {
		if r := (float64(c[j]) - u) - v[j]; r < least {
			least, at = r, j
		}
	}
	return least, at
}

// twoRef returns the two smallest values among least, second and c_j − v_j for j ≥ i. It also returns the lowest index of
// the smallest value.
func twoRef[T num.Float](c []T, v []float64, i int, least float64, at int, second float64) (float64, int, float64) {
	for j := i; j < len(c); j++ {
		if r := float64(c[j]) - v[j]; r < second {
			if second = r; r < least {
				least, at, second = r, j, least
			}
		}
	}
	return least, at, second
}

// relaxRef lowers d_j to the reduced cost of element j if that cost is smaller, for j ≥ i. It returns the minimum of least
// and these d_j, and the lowest index of the minimum.
func relaxRef[T num.Float](d []float64, c []T, u float64, v []float64, i int, least float64, at int) (float64, int) {
	for j := i; j < len(c); j++ {
		if r := (float64(c[j]) - u) - v[j]; r < d[j] {
			d[j] = r
		}
		if d[j] < least {
			least, at = d[j], j
		}
	}
	return least, at
}

// leastLanesRef is the Go reference implementation of the assembly that Least uses.
func leastLanesRef[T num.Float](x *lanes, c []T, u float64, v []float64) {
	var blocks [blockSize]float64
	for l := range blockSize {
		least, at := math.Inf(1), 0.
		for j := l; j < len(c); j += blockSize {
			if r := (float64(c[j]) - u) - v[j]; r < least {
				least, at = r, float64(j/blockSize)
			}
		}
		x.least[l], blocks[l] = least, at
	}
	lowestIndexRef(x, &blocks)
}

// relaxLanesRef is the Go reference implementation of the assembly that Relax uses.
func relaxLanesRef[T num.Float](x *lanes, d []float64, c []T, u float64, v []float64) {
	var blocks [blockSize]float64
	for l := range blockSize {
		least, at := math.Inf(1), 0.
		for j := l; j < len(c); j += blockSize {
			r := (float64(c[j]) - u) - v[j]
			if !(r < d[j]) {
				r = d[j]
			}
			d[j] = r
			if r < least {
				least, at = r, float64(j/blockSize)
			}
		}
		x.least[l], blocks[l] = least, at
	}
	lowestIndexRef(x, &blocks)
}

// lowestIndexRef sets x.at to the lowest index of the least element. The element in x.least[l] is from block blocks[l], so
// its index is 16·blocks[l] + l.
func lowestIndexRef(x *lanes, blocks *[blockSize]float64) {
	least := x.least
	reduceMin(&least)
	var index [blockSize]float64
	for l, r := range x.least {
		at := num.FMA(blocks[l], blockSize, float64(l))
		if least[0] < r {
			at = math.Inf(1)
		}
		index[l] = at
	}
	reduceMin(&index)
	x.at = index[0]
}

// reduceMin sets v[0] to the least element of v.
func reduceMin(v *[blockSize]float64) {
	for w := blockSize / 2; w > 0; w /= 2 {
		for l := range w {
			least := v[l]
			if other := v[l+w]; other < least {
				least = other
			}
			v[l] = least
		}
	}
}
