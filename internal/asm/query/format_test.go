package query

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

// TestNarrow checks that Narrow preserves the numbers that a 16-bit format can represent. Narrow must round other
// numbers to nearest, with ties to even, and report numbers beyond the range of the format.
func TestNarrow(t *testing.T) {
	for _, format := range []Half{BFloat16, Float16} {
		infinity := uint16(0x7f80)
		if format == Float16 {
			infinity = 0x7c00
		}
		for h := range infinity {
			v := format.Widen(h)
			for _, sign := range []float32{1, -1} {
				want := h
				if sign < 0 {
					want |= 1 << 15
				}
				if got, ok := format.Narrow(sign * v); !ok || got != want {
					t.Fatalf("format %d: %v is %#x, want %#x", format, sign*v, got, want)
				}
			}
			if h+1 == infinity {
				continue
			}
			next := format.Widen(h + 1)
			if !(v < next) {
				t.Fatalf("format %d: %v of %#x is not above %v", format, next, h+1, v)
			}
			middle := float32((float64(v) + float64(next)) / 2)
			for d, want := range map[int]uint16{-1: h, 0: h + h&1, 1: h + 1} {
				if got, ok := format.Narrow(asmtest.Next(middle, d)); !ok || got != want {
					t.Fatalf("format %d: %v is %#x, want %#x", format, asmtest.Next(middle, d), got, want)
				}
			}
		}
		// edge is the smallest number that rounds to infinity: the largest finite number plus half an ULP.
		most := format.Widen(infinity - 1)
		edge := float32(float64(most) + (float64(most)-float64(format.Widen(infinity-2)))/2)
		for _, v := range []float32{edge, -edge, math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())} {
			if got, ok := format.Narrow(v); ok {
				t.Errorf("format %d: %v is %#x", format, v, got)
			}
		}
		if got, ok := format.Narrow(asmtest.Next(edge, -1)); !ok || got != infinity-1 {
			t.Errorf("format %d: %v is %#x, %v", format, asmtest.Next(edge, -1), got, ok)
		}
	}
}
