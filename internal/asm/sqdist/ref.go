package sqdist

import "github.com/gomonge/monge/internal/asm/num"

func blockRef[T num.Float](m, n, d int, dst []T, ldd int, x []T, ldx int, zt []T, ldz int, add bool) {
	for i := range m {
		row := dst[i*ldd:][:n]
		if !add {
			clear(row)
		}
		for k := range d {
			xik := x[i*ldx+k]
			for j, z := range zt[k*ldz:][:n] {
				diff := xik - z
				row[j] = num.FMA(diff, diff, row[j])
			}
		}
	}
}
