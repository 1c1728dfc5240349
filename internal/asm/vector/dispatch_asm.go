//go:build (amd64 || arm64) && !purego

package vector

import "github.com/gomonge/monge/internal/asm/num"

// wholeLength returns the number of elements of x in whole groups of 64 bytes.
func wholeLength[T num.Float](x []T) int { return len(x) &^ (num.Lanes[T]() - 1) }
