//go:build (!amd64 && !arm64) || purego

package price

import "github.com/gomonge/monge/internal/asm/num"

func leastBlocks[T num.Float](*lanes, []T, float64, []float64) bool            { return false }
func relaxBlocks[T num.Float](*lanes, []float64, []T, float64, []float64) bool { return false }
