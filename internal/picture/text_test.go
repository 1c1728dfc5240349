package picture

import (
	"math"
	"testing"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// TestOnes checks that every digit of 111 is drawn with its full width, in horizontal and vertical
// text.
func TestOnes(t *testing.T) {
	s := TextStyle(9)
	digit := s.Width("1")
	if got, want := s.Width("1110"), s.Width("0")+3*digit; math.Abs(float64(got-want)) > 1e-9 {
		t.Errorf("1110 has width %v, want %v", got, want)
	}
	for _, rotation := range []float64{0, math.Pi / 2} {
		s.Rotation, s.XAlign = rotation, text.XRight
		var c recorder.Canvas
		s.Handler.Draw(&c, "x110", s, vg.Point{X: 100, Y: 100})
		var at []vg.Length // along the text
		for _, a := range c.Actions {
			if f, ok := a.(*recorder.FillString); ok {
				at = append(at, f.Point.X)
			}
		}
		if len(at) != 2 || math.Abs(float64(at[1]-at[0]-s.Width("x1"))) > 1e-9 || math.Abs(float64(at[1]+digit+s.Width("0")-100)) > 1e-9 {
			t.Errorf("rotated by %v: parts at %v", rotation, at)
		}
	}
}
