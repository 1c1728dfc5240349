//go:build (!amd64 && !arm64) || purego

package block

import (
	"github.com/gomonge/monge/internal/asm/num"
)

func tiled[K, T num.Float]() bool { return false }

func sums[K, T num.Float](m, n int, k *K, ldk int, v *[Size][]T, j int, lanes *T) {}

func update[T num.Float](m int, lanes *T, a, u *[Size][]T, i int) {}

func add[K, T num.Float](m, n int, k *K, ldk int, u *[Size][]T, i int, q *[Size][]T, j int) {
}
