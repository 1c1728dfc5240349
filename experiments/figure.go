package experiments

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"github.com/gomonge/monge/internal/picture"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// lineStyle describes how a method is drawn in every picture. The index selects a color and a marker of
// package picture. Dashes distinguish methods in print without color.
type lineStyle struct {
	index  int
	dashes []vg.Length
	width  vg.Length
}

var (
	dashed   = []vg.Length{6, 3}
	dotted   = []vg.Length{1.5, 2.5}
	dashdot  = []vg.Length{7, 2.5, 1.5, 2.5}
	longDash = []vg.Length{11, 4}
)

var looks = map[string]lineStyle{
	nameWDA:         {0, nil, 2},
	nameToyStarts:   {0, dashed, 2},
	nameToyOne:      {0, nil, 2},
	nameToyFixed:    {2, dotted, 1.2},
	namePaper:       {2, dashed, 2},
	nameTrue:        {6, dotted, 1.5},
	nameOriginal:    {6, longDash, 1.2},
	"PCA":           {3, dashed, 1.2},
	"FDA":           {1, nil, 1.2},
	"LFDA":          {5, dashdot, 1.2},
	"LMNN":          {4, nil, 1.2},
	nameLMNNStopped: {4, dashed, 1.2},
	namePaperFar:    {2, dotted, 2},
	"LSDR":          {8, longDash, 1.2},
	"LSQMI":         {7, dotted, 1.2},
	nameFloat32:     {0, dashed, 2},
	nameFDAShrunk:   {1, dashed, 1.2},
	nameLFDAShrunk:  {5, dashed, 1.2},
	nameLMNNSteps:   {4, dashed, 1.2},
	"CEML":          {9, dashdot, 1.2},
}

// lookOf returns the line style of a known method. For any other name, it returns the i-th default
// style.
func lookOf(name string, i int) lineStyle {
	if l, ok := looks[name]; ok {
		return l
	}
	return lineStyle{i, [][]vg.Length{nil, dashed, dotted, dashdot, longDash}[i%5], 1.5}
}

func (l lineStyle) line() draw.LineStyle {
	c := picture.Palette[l.index%len(picture.Palette)]
	return draw.LineStyle{Color: c, Width: vg.Points(float64(l.width)), Dashes: l.dashes}
}

func (l lineStyle) glyph(radius vg.Length) draw.GlyphStyle {
	return picture.Glyph(l.index, radius, 255)
}

// series is a curve with its name, look and points. The slice bar holds the half-lengths of error
// bars, or is nil.
type series struct {
	name      string
	look      lineStyle
	x, y, bar []float64
}

// curves are series on common axes.
type curves struct {
	title, x, y string
	logX, logY  bool
	ticks       []float64 // tick positions on the x axis; nil selects automatic positions
	yMin, yMax  float64   // limits of the y axis; 0 selects a default limit
	series      []series
}

// Plot implements plot.Plotter.
func (s series) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	var lines [][]vg.Point // a new line begins after every missing value
	open := false
	for i := range s.x {
		if math.IsNaN(s.y[i]) {
			open = false
			continue
		}
		if !open {
			lines = append(lines, nil)
		}
		open = true
		lines[len(lines)-1] = append(lines[len(lines)-1], vg.Point{X: tx(s.x[i]), Y: ty(s.y[i])})
	}
	sty := s.look.line()
	c.StrokeLines(sty, c.ClipLinesXY(lines...)...)
	c.SetLineDash(nil, 0)
	for i := range s.x {
		if math.IsNaN(s.y[i]) || s.y[i] < p.Y.Min || s.y[i] > p.Y.Max {
			continue
		}
		x := tx(s.x[i])
		if s.bar != nil {
			bar := draw.LineStyle{Color: sty.Color, Width: vg.Points(0.6)}
			low, high := s.y[i]-s.bar[i], s.y[i]+s.bar[i]
			c.StrokeLine2(bar, x, ty(max(low, p.Y.Min)), x, ty(min(high, p.Y.Max)))
		}
		c.DrawGlyph(s.look.glyph(vg.Points(2.6)), vg.Point{X: x, Y: ty(s.y[i])})
	}
}

// DataRange implements plot.DataRanger.
func (s series) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i := range s.x {
		if !math.IsNaN(s.y[i]) {
			xmin, xmax = min(xmin, s.x[i]), max(xmax, s.x[i])
			ymin, ymax = min(ymin, s.y[i]), max(ymax, s.y[i])
		}
	}
	return
}

// draw draws the curves, without a legend.
func (cs curves) draw(c draw.Canvas) {
	p := picture.New(cs.title, cs.x, cs.y)
	p.Add(picture.Grid())
	for _, s := range cs.series {
		p.Add(s)
	}
	if !(p.X.Min < p.X.Max) {
		p.X.Min, p.X.Max = p.X.Min-0.5, p.X.Max+0.5
	}
	if cs.logY {
		p.Y.Scale = plot.LogScale{}
		p.Y.Tick.Marker = logTicks{}
		p.Y.Min, p.Y.Max = max(p.Y.Min/1.15, 1e-300), max(p.Y.Max*1.15, 1e-299)
	} else {
		p.Y.Min, p.Y.Max = 0, max(1.05*p.Y.Max, 1e-3)
		p.Y.Tick.Marker = niceTicks{}
	}
	if cs.yMin > 0 {
		p.Y.Min = cs.yMin
	}
	if cs.yMax > 0 {
		p.Y.Max = cs.yMax
	}
	if cs.logX {
		p.X.Scale = plot.LogScale{}
		p.X.Tick.Marker = plot.LogTicks{Prec: -1}
		p.X.Min, p.X.Max = p.X.Min/1.1, p.X.Max*1.1
	} else {
		room := 0.02 * (p.X.Max - p.X.Min)
		p.X.Min, p.X.Max = p.X.Min-room, p.X.Max+room
	}
	if cs.ticks != nil {
		var marks plot.ConstantTicks
		for _, v := range cs.ticks {
			marks = append(marks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)})
		}
		p.X.Tick.Marker = marks
	}
	p.Draw(c)
}

// niceTicks makes at least five ticks at multiples of 1, 2 or 5 times a power of ten.
type niceTicks struct{}

// Ticks implements plot.Ticker.
func (niceTicks) Ticks(low, high float64) []plot.Tick {
	span := high - low
	step := math.Pow(10, math.Floor(math.Log10(span)))
	for _, divide := range []float64{2, 2.5, 2, 2} {
		if span/step >= 5 {
			break
		}
		step /= divide
	}
	var marks []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*span; k++ {
		v := math.Round(k*step*1e9)/1e9 + 0 // no −0
		marks = append(marks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return marks
}

// logTicks makes ticks with labels at 1, 2 and 5 times the powers of ten.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(low, high float64) []plot.Tick {
	var marks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1; m < 10; m++ {
			v, err := strconv.ParseFloat(fmt.Sprintf("%de%d", m, int(e)), 64)
			if err != nil || v < low || v > high {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 || m == 2 || m == 5 {
				t.Label = strconv.FormatFloat(v, 'g', -1, 64)
			}
			marks = append(marks, t)
		}
	}
	return marks
}

const (
	legendLine = 24 // length of a sample line in points
	legendStep = 16
)

// drawLegend draws the legend of series at the left edge of c, centered vertically.
func drawLegend(c draw.Canvas, all []series) {
	sty := picture.TextStyle(10)
	top := c.Center().Y + legendStep*vg.Length(len(all)-1)/2
	for i, s := range all {
		at := vg.Point{X: c.Min.X, Y: top - legendStep*vg.Length(i)}
		c.StrokeLine2(s.look.line(), at.X, at.Y, at.X+legendLine, at.Y)
		c.SetLineDash(nil, 0)
		c.DrawGlyphNoClip(s.look.glyph(vg.Points(3)), vg.Point{X: at.X + legendLine/2, Y: at.Y})
		c.FillText(sty, vg.Point{X: at.X + legendLine + 6, Y: at.Y}, s.name)
	}
}

// legendWidth returns the width that drawLegend needs.
func legendWidth(all []series) vg.Length {
	var w vg.Length
	for _, s := range all {
		w = max(w, picture.TextStyle(10).Width(s.name))
	}
	return legendLine + 6 + w
}

// drawCurves draws the curves with a legend to the right of the plot.
func drawCurves(c draw.Canvas, cs curves) {
	w := legendWidth(cs.series)
	drawLegend(draw.Crop(c, c.Size().X-w, 0, 0, 0), cs.series)
	cs.draw(draw.Crop(c, 0, -w-12, 0, 0))
}

// divideCanvas divides a canvas into a grid of rows × columns with gaps. The result lists the parts
// row by row from the top.
func divideCanvas(c draw.Canvas, rows, columns int, gap vg.Length) []draw.Canvas {
	size := c.Size()
	w := (size.X - gap*vg.Length(columns-1)) / vg.Length(columns)
	h := (size.Y - gap*vg.Length(rows-1)) / vg.Length(rows)
	var all []draw.Canvas
	for i := range rows {
		for k := range columns {
			t := c
			t.Min.X = c.Min.X + vg.Length(k)*(w+gap)
			t.Max.X = t.Min.X + w
			t.Max.Y = c.Max.Y - vg.Length(i)*(h+gap)
			t.Min.Y = t.Max.Y - h
			all = append(all, t)
		}
	}
	return all
}

// link is a line between two points.
type link struct {
	x1, y1, x2, y2 float64
	strength       float64
	style          draw.LineStyle
}

// links is a plotter that draws its lines in the order of the slice. The lines do not affect the
// ranges of the axes.
type links []link

// Plot implements plot.Plotter.
func (l links) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, k := range l {
		c.StrokeLine2(k.style, tx(k.x1), ty(k.y1), tx(k.x2), ty(k.y2))
	}
}

// newLink returns a line from row i of x to row k of y. A larger strength, from 0 to 1, makes the line
// darker and wider.
func newLink(x *mat.Dense, i int, y *mat.Dense, k int, strength float64) link {
	return link{
		x.At(i, 0), x.At(i, 1), y.At(k, 0), y.At(k, 1), strength,
		draw.LineStyle{Color: fadeColor(picture.Ink, strength), Width: vg.Points(0.2 + 1.3*strength)},
	}
}

// sorted returns the links in order of increasing strength. It omits links that are too weak to be
// visible.
func (l links) sorted() links {
	l = slices.DeleteFunc(l, func(k link) bool { return k.strength < 0.01 })
	slices.SortStableFunc(l, func(a, b link) int { return cmp.Compare(a.strength, b.strength) })
	return l
}

// fadeColor mixes a color with white. Strength 0 gives white, and 1 gives c.
func fadeColor(c color.NRGBA, strength float64) color.NRGBA {
	strength = min(max(strength, 0), 1)
	mix := func(v uint8) uint8 { return uint8(math.Round(255 + strength*(float64(v)-255))) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}
