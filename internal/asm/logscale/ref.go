package logscale

import (
	"math"

	"github.com/gomonge/monge/internal/asm/exp2"
	"github.com/gomonge/monge/internal/asm/num"
)

func rowsRef[T num.Float](m, n int, mat []T, ldm int, c T, g, a, max, sum, q, e []T) {
	e = e[:n]
	for i := range m {
		x := e
		hi := T(math.Inf(-1))
		for j, mij := range mat[i*ldm:][:n] {
			x[j] = num.FMA(-c, mij, g[j])
			if x[j] > hi {
				hi = x[j]
			}
		}
		hi += 0 // a maximum of −0 becomes +0, whichever zero was met first
		var s num.Sum[T]
		for j := range x {
			e[j] = exp2.Ref(x[j] - hi)
			s.AddTerm(e[j])
		}
		max[i], sum[i] = hi, s.Total()
		w := a[i] / sum[i]
		for j := range e {
			q[j] = num.FMA(w, e[j], q[j])
		}
	}
}

func columnMaxRef[T num.Float](m, n int, mat []T, ldm int, c T, f, h []T) {
	for i := range m {
		for j, mij := range mat[i*ldm:][:n] {
			if x := num.FMA(-c, mij, f[i]); x > h[j] {
				h[j] = x
			}
		}
	}
}

func columnSumRef[T num.Float](m, n int, mat []T, ldm int, c T, f, h, s []T) {
	for i := range m {
		for j, mij := range mat[i*ldm:][:n] {
			s[j] += exp2.Ref(num.FMA(-c, mij, f[i]) - h[j])
		}
	}
}

func planRef[T num.Float](m, n int, t []T, ldt int, mat []T, ldm int, c T, f, g []T) {
	for i := range m {
		for j := range n {
			t[i*ldt+j] = exp2.Ref(num.FMA(-c, mat[i*ldm+j], g[j]) + f[i])
		}
	}
}
