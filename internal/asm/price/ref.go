package price

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

// leastRef returns the minimum of all reduced costs c_j − u − v_j, and the lowest index of the minimum. The arguments
// least and index are the minimum and its index for the elements before i. leastRef reads only the elements j ≥ i.
func leastRef[T num.Float](c []T, u float64, v []float64, i int, least float64, index int) (float64, int) {
	for j := i; j < len(c); j++ {
		if r := (float64(c[j]) - u) - v[j]; r < least {
			least, index = r, j
		}
	}
	return least, index
}

// twoRef returns the two smallest of all values c_j − v_j, and the lowest index of the minimum. The caller passes these
// three results for the elements before i, and twoRef reads only the elements j ≥ i.
func twoRef[T num.Float](c []T, v []float64, i int, least float64, index int, second float64) (float64, int, float64) {
	for j := i; j < len(c); j++ {
		if r := float64(c[j]) - v[j]; r < second {
			if second = r; r < least {
				least, index, second = r, j, least
			}
		}
	}
	return least, index, second
}

// relaxRef lowers d_j to the reduced cost of element j if that cost is smaller, for all j ≥ i. It returns the minimum of
// these d_j and the lowest index j of the minimum. If no d_j is below least, it returns least and index.
func relaxRef[T num.Float](d []float64, c []T, u float64, v []float64, i int, least float64, index int) (float64, int) {
	for j := i; j < len(c); j++ {
		if r := (float64(c[j]) - u) - v[j]; r < d[j] {
			d[j] = r
		}
		if d[j] < least {
			least, index = d[j], j
		}
	}
	return least, index
}

// leastLanesRef is the Go reference implementation of the assembly that Least uses.
func leastLanesRef[T num.Float](x *lanes, c []T, u float64, v []float64) {
	var blocks [blockSize]float64
	for l := range blockSize {
		least, block := math.Inf(1), 0.
		for j := l; j < len(c); j += blockSize {
			if r := (float64(c[j]) - u) - v[j]; r < least {
				least, block = r, float64(j/blockSize)
			}
		}
		x.least[l], blocks[l] = least, block
	}
	lowestIndexRef(x, &blocks)
}

// relaxLanesRef is the Go reference implementation of the assembly that Relax uses.
func relaxLanesRef[T num.Float](x *lanes, d []float64, c []T, u float64, v []float64) {
	var blocks [blockSize]float64
	for l := range blockSize {
		least, block := math.Inf(1), 0.
		for j := l; j < len(c); j += blockSize {
			r := (float64(c[j]) - u) - v[j]
			if !(r < d[j]) {
				r = d[j]
			}
			d[j] = r
			if r < least {
				least, block = r, float64(j/blockSize)
			}
		}
		x.least[l], blocks[l] = least, block
	}
	lowestIndexRef(x, &blocks)
}

// lowestIndexRef finds the minimum of x.least and sets x.index to its index in the row. If several elements tie for the
// minimum, it takes the lowest index. The value x.least[l] comes from the block with number blocks[l], so its index in the
// row is 16·blocks[l] + l.
func lowestIndexRef(x *lanes, blocks *[blockSize]float64) {
	least := x.least
	reduceMin(&least)
	var indices [blockSize]float64
	for l, r := range x.least {
		index := num.FMA(blocks[l], blockSize, float64(l))
		if least[0] < r {
			index = math.Inf(1)
		}
		indices[l] = index
	}
	reduceMin(&indices)
	x.index = indices[0]
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
