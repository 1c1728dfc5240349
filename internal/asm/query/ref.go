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

func sqEuclideanHalfRef(dst, q []float32, x []uint16, format Half) {
	d := len(q)
	for i := range dst {
		var acc [num.MaxLanes]float32
		for k, v := range x[i*d:][:d] {
			e := q[k] - format.Widen(v)
			acc[k%Unit] = num.FMA(e, e, acc[k%Unit])
		}
		dst[i] = num.Fold(&acc)
	}
}

func dotHalfRef(dst, q []float32, x []uint16, format Half) {
	d := len(q)
	for i := range dst {
		var acc [num.MaxLanes]float32
		for k, v := range x[i*d:][:d] {
			acc[k%Unit] = num.FMA(q[k], format.Widen(v), acc[k%Unit])
		}
		dst[i] = num.Fold(&acc)
	}
}

func sqEuclideanInt8Ref(dst, q []float32, x []int8, scale []float32) {
	d := len(q)
	for i := range dst {
		var acc [num.MaxLanes]float32
		for k, c := range x[i*d:][:d] {
			e := num.FMA(-scale[i], float32(c), q[k])
			acc[k%Unit] = num.FMA(e, e, acc[k%Unit])
		}
		dst[i] = num.Fold(&acc)
	}
}

func dotInt8Ref(dst, q []float32, x []int8, scale []float32) {
	d := len(q)
	for i := range dst {
		var acc [num.MaxLanes]float32
		for k, c := range x[i*d:][:d] {
			acc[k%Unit] = num.FMA(q[k], float32(scale[i]*float32(c)), acc[k%Unit])
		}
		dst[i] = num.Fold(&acc)
	}
}

// A function with Many in its name compares the rows of x with Queries vectors q instead of one vector.

func sqEuclideanManyRef(n, d int, dst []float32, ldd int, q, x []float32) {
	for j := range Queries {
		sqEuclideanRef(dst[j*ldd:][:n], q[j*d:][:d], x)
	}
}

func dotManyRef(n, d int, dst []float32, ldd int, q, x []float32) {
	for j := range Queries {
		dotRef(dst[j*ldd:][:n], q[j*d:][:d], x)
	}
}

func sqEuclideanHalfManyRef(n, d int, dst []float32, ldd int, q []float32, x []uint16, format Half) {
	for j := range Queries {
		sqEuclideanHalfRef(dst[j*ldd:][:n], q[j*d:][:d], x, format)
	}
}

func dotHalfManyRef(n, d int, dst []float32, ldd int, q []float32, x []uint16, format Half) {
	for j := range Queries {
		dotHalfRef(dst[j*ldd:][:n], q[j*d:][:d], x, format)
	}
}

func sqEuclideanInt8ManyRef(n, d int, dst []float32, ldd int, q []float32, x []int8, scale []float32) {
	for j := range Queries {
		sqEuclideanInt8Ref(dst[j*ldd:][:n], q[j*d:][:d], x, scale)
	}
}

func dotInt8ManyRef(n, d int, dst []float32, ldd int, q []float32, x []int8, scale []float32) {
	for j := range Queries {
		dotInt8Ref(dst[j*ldd:][:n], q[j*d:][:d], x, scale)
	}
}
