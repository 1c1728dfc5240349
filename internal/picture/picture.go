// Package picture defines the style of the project's pictures and writes picture files. Colors and
// markers distinguish classes and methods, even in black and white.
package picture

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Palette contains the colors of classes on white. Any two colors differ for people with normal
// vision, protanopia or deuteranopia; palette_test.go computes the differences.
var Palette = []color.NRGBA{
	{0x24, 0x19, 0x8e, 0xff}, // navy
	{0xbe, 0x90, 0x55, 0xff}, // sand
	{0x7d, 0x27, 0x31, 0xff}, // dark red
	{0x87, 0xb6, 0xff, 0xff}, // sky
	{0x51, 0x7e, 0x6d, 0xff}, // green
	{0xff, 0xb5, 0xc0, 0xff}, // pink
	{0x46, 0x5b, 0x6e, 0xff}, // slate
	{0xde, 0xcf, 0x00, 0xff}, // yellow
	{0xa0, 0x38, 0xea, 0xff}, // purple
	{0xa4, 0x4e, 0x00, 0xff}, // rust
}

// DarkPalette contains the colors of classes on a dark background. These colors differ as much as the colors of
// Palette.
var DarkPalette = []color.NRGBA{
	{0x88, 0x66, 0xff, 0xff}, // violet
	{0xae, 0xa5, 0x71, 0xff}, // sand
	{0x7d, 0x6e, 0x64, 0xff}, // taupe
	{0xa6, 0xba, 0xff, 0xff}, // sky
	{0xd3, 0xff, 0xcf, 0xff}, // mint
	{0xe2, 0xf6, 0xff, 0xff}, // ice
	{0xa4, 0xa4, 0xa8, 0xff}, // grey
	{0xf7, 0xd8, 0x00, 0xff}, // yellow
	{0x76, 0x64, 0x85, 0xff}, // plum
	{0xac, 0x54, 0x00, 0xff}, // rust
}

// markerShapes are the shapes of markers, with corners relative to the radius. nil is the circle.
// The numbers of shapes and colors have no common factor, so 70 classes have different markers.
var markerShapes = [][]vg.Point{
	nil,
	regularPolygon(3, math.Pi/2, 1.25),
	regularPolygon(4, math.Pi/4, 1.2),
	regularPolygon(4, 0, 1.3),
	regularPolygon(3, -math.Pi/2, 1.25),
	starPolygon(4, math.Pi/4, 1.45, 0.6),
	regularPolygon(6, 0, 1.1),
}

func regularPolygon(n int, start, radius float64) []vg.Point {
	return starPolygon(n, start, radius, radius*math.Cos(math.Pi/float64(n)))
}

// starPolygon returns a star with n points at the outer radius and n notches at the inner radius.
func starPolygon(n int, start, outer, inner float64) []vg.Point {
	var p []vg.Point
	for i := range 2 * n {
		r, t := outer, start+math.Pi*float64(i)/float64(n)
		if i%2 == 1 {
			r = inner
		}
		p = append(p, vg.Point{X: vg.Length(r * math.Cos(t)), Y: vg.Length(r * math.Sin(t))})
	}
	return p
}

// marker draws a filled shape. If outlined, it has a thin white edge, so that overlapping markers
// can be counted.
type marker struct {
	polygon  []vg.Point
	outlined bool
}

// DrawGlyph implements draw.GlyphDrawer.
func (m marker) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	var path vg.Path
	if m.polygon == nil {
		path.Move(vg.Point{X: pt.X + sty.Radius, Y: pt.Y})
		path.Arc(pt, sty.Radius, 0, 2*math.Pi)
	}
	for i, q := range m.polygon {
		at := vg.Point{X: pt.X + sty.Radius*q.X, Y: pt.Y + sty.Radius*q.Y}
		if i == 0 {
			path.Move(at)
		} else {
			path.Line(at)
		}
	}
	path.Close()
	c.SetColor(sty.Color)
	c.Fill(path)
	if m.outlined {
		c.SetLineWidth(vg.Points(0.5))
		c.SetLineDash(nil, 0)
		c.SetColor(color.White)
		c.Stroke(path)
	}
}

// Glyph returns the marker of a class. Use an alpha below 255 for many points.
func Glyph(class int, radius vg.Length, alpha uint8) draw.GlyphStyle {
	col := Palette[class%len(Palette)]
	col.A = alpha
	return draw.GlyphStyle{Color: col, Radius: radius, Shape: marker{markerShapes[class%len(markerShapes)], alpha == 255}}
}

// Ink is the color of axes and texts.
var Ink = color.NRGBA{0x33, 0x33, 0x33, 0xff}

// TextStyle returns the style of texts of the given size in points, left-aligned and centered
// vertically.
func TextStyle(size vg.Length) text.Style {
	return text.Style{
		Color: Ink, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: text.XLeft, YAlign: text.YCenter, Handler: onesHandler{text.Plain{Fonts: font.DefaultCache}},
	}
}

// onesHandler draws consecutive digits 1 separately. In a PNG, gonum would draw the digits of 11 so
// close together that 110 would look like 10.
type onesHandler struct{ text.Plain }

// splitOnes splits a text so that no part contains two adjacent digits 1.
func splitOnes(txt string) []string {
	var parts []string
	for at := strings.Index(txt, "11"); at >= 0; at = strings.Index(txt, "11") {
		parts, txt = append(parts, txt[:at+1]), txt[at+1:]
	}
	return append(parts, txt)
}

// Box implements text.Handler.
func (h onesHandler) Box(txt string, f font.Font) (width, height, depth vg.Length) {
	for _, part := range splitOnes(txt) {
		var w vg.Length
		w, height, depth = h.Plain.Box(part, f)
		width += w
	}
	return width, height, depth
}

// Draw implements text.Handler.
func (h onesHandler) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	if strings.Contains(txt, "\n") {
		h.Plain.Draw(c, txt, sty, pt)
		return
	}
	width, _, _ := h.Box(txt, sty.Font)
	along := vg.Length(sty.XAlign) * width
	sty.XAlign = text.XLeft
	sin, cos := math.Sincos(sty.Rotation)
	for _, part := range splitOnes(txt) {
		h.Plain.Draw(c, part, sty, pt.Add(vg.Point{X: along * vg.Length(cos), Y: along * vg.Length(sin)}))
		w, _, _ := h.Plain.Box(part, sty.Font)
		along += w
	}
}

// New returns an empty plot in the style of the project.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font, p.Title.TextStyle.Handler = TextStyle(14).Font, TextStyle(14).Handler
	p.Title.TextStyle.Color = Ink
	p.Title.Padding = vg.Points(6)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Label.TextStyle.Handler = TextStyle(11).Font, TextStyle(11).Handler
		a.Label.TextStyle.Color = Ink
		a.Tick.Label.Font, a.Tick.Label.Handler = TextStyle(9).Font, TextStyle(9).Handler
		a.Tick.Label.Color = Ink
		a.LineStyle.Color, a.Tick.LineStyle.Color = Ink, Ink
		a.LineStyle.Width, a.Tick.LineStyle.Width = vg.Points(0.6), vg.Points(0.6)
		a.Padding = vg.Points(3)
		a.Tick.Marker = shortTicks{}
	}
	return p
}

// shortTicks are the default ticks with labels as short as possible.
type shortTicks struct{}

// Ticks implements plot.Ticker.
func (shortTicks) Ticks(low, high float64) []plot.Tick {
	all := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range all {
		if t.Label == "" {
			continue
		}
		// A tick at 0 may have a tiny value instead, due to rounding errors.
		if math.Abs(t.Value) < 1e-9*(high-low) {
			t.Value = 0
		}
		all[i].Label = strconv.FormatFloat(t.Value, 'g', 6, 64)
	}
	return all
}

// Cloud is a set of labeled points with one marker each. Points are drawn in the order of their
// rows, so that no class hides a different class completely.
type Cloud struct {
	Points *mat.Dense // n × 2 or more
	Labels []int
	Radius vg.Length
	Alpha  uint8
	// Progress, if not nil, is called from time to time with the number of points drawn.
	Progress func(done int)
}

// Plot implements plot.Plotter.
func (s Cloud) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, class := range s.Labels {
		if s.Progress != nil && i%100 == 0 {
			s.Progress(i)
		}
		at := vg.Point{X: x(s.Points.At(i, 0)), Y: y(s.Points.At(i, 1))}
		if c.Contains(at) {
			c.DrawGlyphNoClip(Glyph(class, s.Radius, s.Alpha), at)
		}
	}
}

// DataRange implements plot.DataRanger.
func (s Cloud) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = columnRange(s.Points, 0)
	ymin, ymax = columnRange(s.Points, 1)
	return
}

func columnRange(y *mat.Dense, j int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range y.RawMatrix().Rows {
		low, high = min(low, y.At(i, j)), max(high, y.At(i, j))
	}
	return low, high
}

// Widen extends an axis to leave room around the points, even if all points coincide.
func Widen(a *plot.Axis) {
	room := 0.04 * (a.Max - a.Min)
	if !(room > 0) {
		room = max(1e-3*math.Abs(a.Max), 1e-300)
	}
	a.Min, a.Max = a.Min-room, a.Max+room
}

// EqualAxes widens one axis so that a unit has the same length on both axes when p is drawn on c.
// It repeats the calculation, because the width of the tick labels depends on the range.
func EqualAxes(p *plot.Plot, c draw.Canvas) {
	Widen(&p.X)
	Widen(&p.Y)
	for range 3 {
		size := p.DataCanvas(c).Size()
		if size.X <= 0 || size.Y <= 0 {
			return
		}
		perX, perY := (p.X.Max-p.X.Min)/float64(size.X), (p.Y.Max-p.Y.Min)/float64(size.Y)
		grow := func(a *plot.Axis, factor float64) {
			mid, half := (a.Min+a.Max)/2, (a.Max-a.Min)/2*factor
			a.Min, a.Max = mid-half, mid+half
		}
		if perX > perY {
			grow(&p.Y, perX/perY)
		} else {
			grow(&p.X, perY/perX)
		}
	}
}

// LegendEntry is a marker and its meaning.
type LegendEntry struct {
	Glyphs []draw.GlyphStyle
	Name   string
}

// LegendRadius is the radius of markers in a legend, in points.
const LegendRadius = 4

func (e LegendEntry) width(sty text.Style) vg.Length {
	return vg.Length(len(e.Glyphs))*2.5*LegendRadius + LegendRadius + sty.Width(e.Name)
}

// Draw draws the entry with its left end at the given point.
func (e LegendEntry) Draw(c draw.Canvas, sty text.Style, at vg.Point) {
	for _, g := range e.Glyphs {
		c.DrawGlyphNoClip(g, vg.Point{X: at.X + LegendRadius, Y: at.Y})
		at.X += 2.5 * LegendRadius
	}
	at.X += LegendRadius / 2
	c.FillText(sty, at, e.Name)
}

// DrawLegendRow draws entries side by side, centered in c.
func DrawLegendRow(c draw.Canvas, entries []LegendEntry, sty text.Style) {
	const gap = 18
	total := vg.Length(-gap)
	for _, e := range entries {
		total += e.width(sty) + gap
	}
	at := c.Center()
	at.X -= total / 2
	for _, e := range entries {
		e.Draw(c, sty, at)
		at.X += e.width(sty) + gap
	}
}

// LegendColumns is a legend arranged in columns. Entries that do not fit in a third of the canvas's
// width are omitted.
type LegendColumns struct {
	entries []LegendEntry
	rows    int
	line    vg.Length
	width   vg.Length // width of one column
	// Width is the total width of all columns.
	Width vg.Length
	sty   text.Style
}

// LayLegend arranges a legend for a canvas of the given size.
func LayLegend(entries []LegendEntry, size vg.Point) LegendColumns {
	sty := TextStyle(10)
	l := LegendColumns{entries: entries, line: 15, sty: sty}
	l.rows = max(1, int((size.Y-40)/l.line))
	for _, e := range entries {
		l.width = max(l.width, e.width(sty)+14)
	}
	most := max(1, int(size.X/3/l.width)) * l.rows
	if len(entries) > most {
		rest := fmt.Sprintf("and %d more", len(entries)-most+1)
		l.entries = append(entries[:most-1:most-1], LegendEntry{Name: rest})
	}
	l.Width = l.width * vg.Length((len(l.entries)+l.rows-1)/l.rows)
	return l
}

// Draw draws the legend at the left edge of c, centered vertically.
func (l LegendColumns) Draw(c draw.Canvas) {
	rows := min(l.rows, len(l.entries))
	top := c.Center().Y + l.line*vg.Length(rows-1)/2
	for i, e := range l.entries {
		e.Draw(c, l.sty, vg.Point{X: c.Min.X + l.width*vg.Length(i/l.rows), Y: top - l.line*vg.Length(i%l.rows)})
	}
}

// Grid returns a faint grid to be drawn below the points.
func Grid() *plotter.Grid {
	g := plotter.NewGrid()
	faint := color.NRGBA{0xe6, 0xe6, 0xe6, 0xff}
	g.Vertical.Color, g.Horizontal.Color = faint, faint
	g.Vertical.Width, g.Horizontal.Width = vg.Points(0.5), vg.Points(0.5)
	return g
}

// Background fills the canvas and returns the area inside the margin.
func Background(c draw.Canvas) draw.Canvas {
	c.FillPolygon(plot.New().BackgroundColor, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	return draw.Crop(c, 8, -8, 8, -8)
}

// Pixel is the length 1/96 inch.
const Pixel = vg.Inch / 96

// Encode draws a picture and returns the contents of a file in the format ".png" or ".svg". The
// width and height are in units of 1/96 inch. The resolution of a PNG is dpi. The same paint
// function gives the same bytes.
func Encode(format string, width, height, dpi int, paint func(draw.Canvas)) ([]byte, error) {
	w, h := vg.Length(width)*Pixel, vg.Length(height)*Pixel
	var out bytes.Buffer
	if format == ".svg" {
		c := vgsvg.New(w, h)
		paint(draw.New(c))
		_, err := c.WriteTo(&out)
		return out.Bytes(), err
	}
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
	paint(draw.New(c))
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, c.Image())
	return out.Bytes(), err
}
