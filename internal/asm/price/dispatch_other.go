//go:build (!amd64 && !arm64) || purego

package price

import "github.com/gomonge/monge/internal/asm/num"

func leastTurns[T num.Float](*lanes, []T, float64, []float64) bool            { return false }
func relaxTurns[T num.Float](*lanes, []float64, []T, float64, []float64) bool { return false }
