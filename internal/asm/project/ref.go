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

// panelRef is the Go reference implementation of Panel. In the packed operand a, element (i, k) is element 4·k + i mod 4 of
// the row group ⌊i/4⌋.
func panelRef[T num.Float](m, w, d int, y []T, ldy int, a, b, r, s, f, h []T) {
	for i := range m {
		row := y[i*ldy:][:w]
		if r != nil {
			for j := range row {
				row[j] = r[i] + s[j]
			}
		}
		for k := range d {
			aik := a[i/4*4*d+k*4+i%4]
			for j, b := range b[k*w:][:w] {
				row[j] = num.FMA(aik, b, row[j])
			}
		}
		if h == nil {
			continue
		}
		for j, yij := range row {
			if x := f[i] - yij; x > h[j] {
				h[j] = x
			}
		}
	}
}

func packRef[T num.Float](d int, to []T, step int, x []T, ldx int, factor T) {
	for r := range 4 {
		for k, v := range x[r*ldx:][:d] {
			to[k*step+r] = factor * v
		}
	}
}

// normsRef is the Go reference implementation of Norms.
func normsRef[T num.Float](d int, n, x []T, ldx int, add bool) {
	for i := range n {
		if !add {
			n[i] = 0
		}
		for k := range d {
			n[i] = num.FMA(x[i*ldx+k], x[i*ldx+k], n[i])
		}
	}
}
