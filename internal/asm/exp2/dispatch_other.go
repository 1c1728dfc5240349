//go:build (!amd64 && !arm64) || purego

package exp2

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func scale[T num.Float](_ asm.Level, dst, x []T, c T) { scaleRef(dst, x, c) }
