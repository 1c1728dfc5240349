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
	for l := range turn {
		least, at := math.Inf(1), 0.
		for j := l; j < len(c); j += turn {
			if r := (float64(c[j]) - u) - v[j]; r < least {
				least, at = r, float64(j/turn)
			}
		}
		x.least[l], x.turn[l] = least, at
	}
}

// relaxLanesRef is what assembly does of Relax, in whole turns.
func relaxLanesRef[T num.Float](x *lanes, d []float64, c []T, u float64, v []float64) {
	for l := range turn {
		least, at := math.Inf(1), 0.
		for j := l; j < len(c); j += turn {
			r := (float64(c[j]) - u) - v[j]
			if !(r < d[j]) {
				r = d[j]
			}
			d[j] = r
			if r < least {
				least, at = r, float64(j/turn)
			}
		}
		x.least[l], x.turn[l] = least, at
	}
}
