package project

import "github.com/gomonge/monge/internal/asm/num"

func mulRef[T num.Float](m, p, d int, y []T, ldy int, x []T, ldx int, b []T, ldb int, add bool) {
	for i := range m {
		row := y[i*ldy:][:p]
		if !add {
			clear(row)
		}
		for k := range d {
			xik := x[i*ldx+k]
			for l, b := range b[k*ldb:][:p] {
				row[l] = num.FMA(xik, b, row[l])
			}
		}
	}
}

func transMulRef[T num.Float](m, p, d int, g []T, ldg int, x []T, ldx int, y []T, ldy int, add bool) {
	for l := range p {
		row := g[l*ldg:][:d]
		if !add {
			clear(row)
		}
		for i := range m {
			yil := y[i*ldy+l]
			for k, x := range x[i*ldx:][:d] {
				row[k] = num.FMA(yil, x, row[k])
			}
		}
	}
}
