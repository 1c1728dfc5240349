package price

import "github.com/gomonge/monge/internal/asm/num"

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
