//go:build (!amd64 && !arm64) || purego

package vector

import "github.com/gomonge/monge/internal/asm/num"

func affine[T num.Float](dst, x []T, c, s, b T)          { affineRef(dst, x, c, s, b) }
func maximum[T num.Float](acc *[num.MaxLanes]T, x []T)   { maxRef(acc, x) }
func ordinaryLogs[T num.Float](_, _ []T, base2 bool) int { return 0 }
