package pair

import "github.com/gomonge/monge/internal/asm/num"

// MaxLanes is the length of an array of lanes. Sums of float32 use all lanes, and sums of float64 use the first
// half.
const MaxLanes = 64

// Lanes returns the number of lanes of T.
func Lanes[T num.Float]() int {
	if num.IsFloat64[T]() {
		return MaxLanes / 2
	}
	return MaxLanes
}

// Op selects the terms of a sum.
type Op int

// The terms that the functions can sum.
const (
	Products      Op = iota // x·y
	SqDifference            // (x − y)²
	AbsDifference           // |x − y|
	Square                  // x²
	Element                 // x
)

// negativeZeros returns lanes of −0.
func negativeZeros[T num.Float]() (acc [MaxLanes]T) {
	zero := T(0)
	for l := range acc {
		acc[l] = -zero
	}
	return acc
}

// addRef adds the term of element i to lane i mod w of acc, for all elements of x and y.
func addRef[T num.Float](op Op, acc *[MaxLanes]T, x, y []T) {
	w := Lanes[T]()
	for i, v := range x {
		l := &acc[i%w]
		switch op {
		case Products:
			*l = num.FMA(v, y[i], *l)
		case SqDifference:
			d := v - y[i]
			*l = num.FMA(d, d, *l)
		case AbsDifference:
			*l += num.Abs(v - y[i])
		case Square:
			*l = num.FMA(v, v, *l)
		case Element:
			*l += v
		}
	}
}

// sumLanes returns the sum of the lanes acc, and overwrites acc.
func sumLanes[T num.Float](acc *[MaxLanes]T) T {
	h := Lanes[T]() / 4
	for l := range h {
		acc[l] = (acc[l] + acc[l+h]) + (acc[l+2*h] + acc[l+3*h])
	}
	for h /= 2; h > 0; h /= 2 {
		for l := range h {
			acc[l] += acc[l+h]
		}
	}
	return acc[0]
}

// ref is the Go reference implementation of a sum. It returns the sum of the terms of x and y, or +0 if x is empty.
func ref[T num.Float](op Op, x, y []T) T {
	if len(x) == 0 {
		return 0
	}
	acc := negativeZeros[T]()
	addRef(op, &acc, x, y)
	return sumLanes(&acc)
}

// beginCosine returns the initial lanes of the three sums of a cosine, all −0. The lanes of one sum are adjacent.
func beginCosine[T num.Float]() (acc [3 * MaxLanes / 2]T) {
	zero := T(0)
	for l := range acc {
		acc[l] = -zero
	}
	return acc
}

// addCosineRef adds x_i·y_i, x_i² and y_i² to lane i mod w of the three sums in acc, for all elements i.
func addCosineRef[T num.Float](acc *[3 * MaxLanes / 2]T, x, y []T) {
	w := Lanes[T]() / 2
	for i, v := range x {
		l := i % w
		acc[l] = num.FMA(v, y[i], acc[l])
		acc[w+l] = num.FMA(v, v, acc[w+l])
		acc[2*w+l] = num.FMA(y[i], y[i], acc[2*w+l])
	}
}

// foldCosine adds the lanes of each of the three sums in acc, and stores the totals in sums. It overwrites acc.
func foldCosine[T num.Float](sums *[3]T, acc *[3 * MaxLanes / 2]T) {
	w := Lanes[T]() / 2
	for s := range sums {
		lanes := acc[s*w:][:w]
		for h := w / 2; h > 0; h /= 2 {
			for l := range h {
				lanes[l] += lanes[l+h]
			}
		}
		sums[s] = lanes[0]
	}
}
