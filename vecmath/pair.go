package vecmath

import "github.com/gomonge/monge/internal/asm/pair"

// Sum returns Σ src[i], and +0 for an empty slice.
func Sum[T Float](src []T) T { return pair.Sum(src) }

// Dot returns Σ a[i]·b[i], and +0 for empty slices. Every product is added with one rounding.
func Dot[T Float](a, b []T) T { return pair.Dot(a, b) }

// SqEuclidean returns Σ (a[i] − b[i])², the squared Euclidean distance, and +0 for empty slices. It is never
// negative, and +0 if finite a and b are equal.
func SqEuclidean[T Float](a, b []T) T { return pair.SqEuclidean(a, b) }

// Manhattan returns Σ |a[i] − b[i]|, and +0 for empty slices. It is never negative, and +0 if finite a and b are equal.
func Manhattan[T Float](a, b []T) T { return pair.Manhattan(a, b) }
