package query

import "github.com/gomonge/monge/internal/asm/num"

func sqEuclideanRef(dst, q, x []float32) {
	d := len(q)
	for i := range dst {
		var acc [num.MaxLanes]float32
		for k, v := range x[i*d:][:d] {
			e := q[k] - v
			acc[k%Unit] = num.FMA(e, e, acc[k%Unit])
		}
		dst[i] = num.Fold(&acc)
	}
}

func dotRef(dst, q, x []float32) {
	d := len(q)
	for i := range dst {
		dst[i] = num.Dot(x[i*d:][:d], q)
	}
}
