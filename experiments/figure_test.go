package experiments

import (
	"math"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// TestSeriesStaysInItsPlot checks that a curve that leaves the range of the axes ends at the edge
// of the plot, and that a missing value interrupts the curve.
func TestSeriesStaysInItsPlot(t *testing.T) {
	p := plot.New()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 4, 0, 1
	rec := new(recorder.Canvas)
	c := draw.Canvas{Canvas: rec, Rectangle: vg.Rectangle{Min: vg.Point{X: 100, Y: 100}, Max: vg.Point{X: 200, Y: 200}}}
	series{look: lookOf(nameWDA, 0), x: []float64{0, 1, 2, 3, 4}, y: []float64{0.5, 5, 0.5, math.NaN(), 0.5}}.Plot(c, p)
	lines, marks := 0, 0
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.Stroke:
			lines++
			for _, comp := range a.Path {
				if comp.Type <= vg.LineComp && (comp.Pos.Y > 201 || comp.Pos.Y < 99) {
					t.Errorf("a line goes to %v", comp.Pos)
				}
			}
		case *recorder.Fill:
			marks++
		}
	}
	if lines < 2 || marks == 0 {
		t.Errorf("%d lines and %d marks", lines, marks)
	}
}
