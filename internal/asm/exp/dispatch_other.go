//go:build (!amd64 && !arm64) || purego

package exp

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func exp[T num.Float](_ asm.Level, dst, x []T) { expRef(dst, x) }
