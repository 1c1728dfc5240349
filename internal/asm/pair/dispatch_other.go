//go:build (!amd64 && !arm64) || purego

package pair

import (
	"github.com/gomonge/monge/internal/asm/num"
)

func dot[T num.Float](x, y []T) T {
	n := len(x)
	if n != len(y) {
		panic(LengthsText(n, len(y)))
	}
	if n <= few {
		return dotFew(x, y)
	}
	return longSum(Products, x, y)
}

func sqEuclidean[T num.Float](x, y []T) T {
	n := len(x)
	if n != len(y) {
		panic(LengthsText(n, len(y)))
	}
	if n <= few {
		return sqEuclideanFew(x, y)
	}
	return longSum(SqDifference, x, y)
}

func manhattan[T num.Float](x, y []T) T {
	n := len(x)
	if n != len(y) {
		panic(LengthsText(n, len(y)))
	}
	if n <= few {
		return manhattanFew(x, y)
	}
	return longSum(AbsDifference, x, y)
}

func sum[T num.Float](x []T) T {
	n := len(x)
	if n <= few {
		return sumFew(x)
	}
	return longSum(Element, x, x)
}

func addLanes[T num.Float](op Op, acc *[MaxLanes]T, x, y []T) { addRef(op, acc, x, y) }

func cosine[T num.Float](x, y []T) T {
	if len(x) != len(y) {
		panic(LengthsText(len(x), len(y)))
	}
	return longCosine(x, y)
}

func norm[T num.Float](x []T) T { return longNorm(x) }

func addCosineLanes[T num.Float](acc *[3 * MaxLanes / 2]T, x, y []T) { addCosineRef(acc, x, y) }
