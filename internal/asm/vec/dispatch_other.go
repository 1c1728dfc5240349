//go:build (!amd64 && !arm64) || purego

package vec

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func divide[T num.Float](_ asm.Level, dst, x, y []T) { divideRef(dst, x, y) }

func countOutside[T num.Float](_ asm.Level, x []T, lo, hi T) int { return countOutsideRef(x, lo, hi) }

func narrow(_ asm.Level, dst []float32, x []float64) { narrowRef(dst, x) }

func widen(_ asm.Level, dst []float64, x []float32) { widenRef(dst, x) }
