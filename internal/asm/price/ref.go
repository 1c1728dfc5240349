package price

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

// leastRef lowers least to the least reduced cost from element i on, and sets at to its lowest index.
func leastRef[T num.Float](c []T, u float64, v []float64, i int, least float64, at int) (float64, int) {
	for j := i; j < len(c); j++ {
		if r := (float64(c[j]) - u) - v[j]; r < least {
			least, at = r, j
		}
	}
	return least, at
}

// twoRef lowers least and second to the two least c_j − v_j from element i on, and sets at to the index of the first.
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

// relaxRef lowers d to the reduced costs from element i on, and least to the least d.
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

// leastLanesRef is what assembly does of Least, in whole turns.
func leastLanesRef[T num.Float](x *lanes, c []T, u float64, v []float64) {
	var turns [blockSize]float64
	for l := range blockSize {
		least, at := math.Inf(1), 0.
		for j := l; j < len(c); j += blockSize {
			if r := (float64(c[j]) - u) - v[j]; r < least {
				least, at = r, float64(j/blockSize)
			}
		}
		x.least[l], turns[l] = least, at
	}
	lowestIndexRef(x, &turns)
}

// relaxLanesRef is what assembly does of Relax, in whole turns.
func relaxLanesRef[T num.Float](x *lanes, d []float64, c []T, u float64, v []float64) {
	var turns [blockSize]float64
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
		x.least[l], turns[l] = least, at
	}
	lowestIndexRef(x, &turns)
}

// lowestIndexRef sets at to the lowest index of the least lane. Turns are those in which the lanes were found.
func lowestIndexRef(x *lanes, turns *[blockSize]float64) {
	least := x.least
	reduceMin(&least)
	var index [blockSize]float64
	for l, r := range x.least {
		at := num.FMA(turns[l], blockSize, float64(l))
		if least[0] < r {
			at = math.Inf(1)
		}
		index[l] = at
	}
	reduceMin(&index)
	x.at = index[0]
}

// reduceMin sets the first element to the least of all.
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
