package main

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"

	"github.com/gomonge/monge/wda/dataset"
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

// palette has colours that neighbours in the list tell apart in print without
// colour, too: dark, light, medium, …; for readers who see fewer colours they follow
// Okabe and Ito, and P. Tol.
var palette = []color.NRGBA{
	{0x1b, 0x3a, 0x7a, 0xff}, // navy
	{0xf0, 0x9a, 0x1a, 0xff}, // orange
	{0xb8, 0x2a, 0x3c, 0xff}, // red
	{0x4f, 0xb3, 0xe0, 0xff}, // sky
	{0x11, 0x77, 0x4b, 0xff}, // green
	{0xe8, 0x8f, 0xb8, 0xff}, // pink
	{0x4a, 0x4a, 0x4a, 0xff}, // grey
	{0xa8, 0xb8, 0x32, 0xff}, // olive
	{0x7b, 0x3f, 0xa0, 0xff}, // purple
	{0x8a, 0x5a, 0x2b, 0xff}, // brown
}

// polygons are the marker shapes, corners of the unit circle's size; nil is the
// circle. Their number shares no factor with that of the colours, so that 70
// classes differ.
var polygons = [][]vg.Point{
	nil,
	regular(3, math.Pi/2, 1.25),
	regular(4, math.Pi/4, 1.2),
	regular(4, 0, 1.3),
	regular(3, -math.Pi/2, 1.25),
	star(4, math.Pi/4, 1.45, 0.6),
	regular(6, 0, 1.1),
}

func regular(n int, start, radius float64) []vg.Point {
	return star(n, start, radius, radius*math.Cos(math.Pi/float64(n)))
}

// star has n points at the outer radius and n notches at the inner.
func star(n int, start, outer, inner float64) []vg.Point {
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

// marker draws a filled shape, with a thin white edge if outlined, so that markers
// that overlap can be counted.
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

// glyph is the marker of a class; an alpha below 255 is for many points.
func glyph(class int, radius vg.Length, alpha uint8) draw.GlyphStyle {
	col := palette[class%len(palette)]
	col.A = alpha
	return draw.GlyphStyle{Color: col, Radius: radius, Shape: marker{polygons[class%len(polygons)], alpha == 255}}
}

// ink is the colour of axes and texts.
var ink = color.NRGBA{0x33, 0x33, 0x33, 0xff}

func style(size vg.Length) text.Style {
	return text.Style{
		Color: ink, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: text.XLeft, YAlign: text.YCenter, Handler: plot.DefaultTextHandler,
	}
}

// newPlot returns an empty plot in the style of this program.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font = style(14).Font
	p.Title.TextStyle.Color = ink
	p.Title.Padding = vg.Points(6)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = style(11).Font
		a.Label.TextStyle.Color = ink
		a.Tick.Label.Font = style(9).Font
		a.Tick.Label.Color = ink
		a.LineStyle.Color, a.Tick.LineStyle.Color = ink, ink
		a.LineStyle.Width, a.Tick.LineStyle.Width = vg.Points(0.6), vg.Points(0.6)
		a.Padding = vg.Points(3)
		a.Tick.Marker = ticks{}
	}
	return p
}

// ticks are the default ones with labels as short as they can be.
type ticks struct{}

// Ticks implements plot.Ticker.
func (ticks) Ticks(low, high float64) []plot.Tick {
	all := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range all {
		if t.Label == "" {
			continue
		}
		// The place may be off 0 by a rounding error of the range.
		if math.Abs(t.Value) < 1e-9*(high-low) {
			t.Value = 0
		}
		all[i].Label = strconv.FormatFloat(t.Value, 'g', 6, 64)
	}
	return all
}

// cloud is a set of labelled points, one marker each. Points are drawn in the order
// of their rows, so that no class hides another.
type cloud struct {
	y      *mat.Dense // n × 2 or more
	labels []int
	radius vg.Length
	alpha  uint8
}

// Plot implements plot.Plotter.
func (s cloud) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, class := range s.labels {
		at := vg.Point{X: x(s.y.At(i, 0)), Y: y(s.y.At(i, 1))}
		if c.Contains(at) {
			c.DrawGlyphNoClip(glyph(class, s.radius, s.alpha), at)
		}
	}
}

// DataRange implements plot.DataRanger.
func (s cloud) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = columnRange(s.y, 0)
	ymin, ymax = columnRange(s.y, 1)
	return
}

func columnRange(y *mat.Dense, j int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range y.RawMatrix().Rows {
		low, high = min(low, y.At(i, j)), max(high, y.At(i, j))
	}
	return low, high
}

// widen leaves room around the points, and some if all are at one place.
func widen(a *plot.Axis) {
	room := 0.04 * (a.Max - a.Min)
	if !(room > 0) {
		room = max(1e-3*math.Abs(a.Max), 1e-300)
	}
	a.Min, a.Max = a.Min-room, a.Max+room
}

// equalAxes widens one axis so that a unit is equally long on both when p is drawn
// on c. The width of tick labels depends on the range, hence the repetition.
func equalAxes(p *plot.Plot, c draw.Canvas) {
	widen(&p.X)
	widen(&p.Y)
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

// spread moves a coordinate within (−0.35, 0.35) of its class's line, by the golden
// ratio: evenly, and the same at every run.
func spread(i int) float64 {
	const golden = 0.6180339887498949
	_, f := math.Modf(float64(i) * golden)
	return 0.7 * (f - 0.5)
}

// strips is the picture of one dimension: one line per class, points spread across.
func strips(p *plot.Plot, y *mat.Dense, d *dataset.Dataset, names []string, radius vg.Length, alpha uint8) {
	pos := mat.NewDense(len(d.Labels), 2, nil)
	for i, class := range d.Labels {
		pos.Set(i, 0, y.At(i, 0))
		pos.Set(i, 1, float64(class)+spread(i))
	}
	p.Add(cloud{pos, d.Labels, radius, alpha})
	widen(&p.X)
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))-0.4
	var lines plot.ConstantTicks
	step := 1 + len(names)/30
	for c := 0; c < len(names); c += step {
		lines = append(lines, plot.Tick{Value: float64(c), Label: names[c]})
	}
	p.Y.Tick.Marker = lines
	p.Y.Tick.LineStyle.Width = 0
}

// legendEntry is a marker and its meaning.
type legendEntry struct {
	glyphs []draw.GlyphStyle
	name   string
}

const legendRadius = 4 // points

func (e legendEntry) width(sty text.Style) vg.Length {
	return vg.Length(len(e.glyphs))*2.5*legendRadius + legendRadius + sty.Width(e.name)
}

func (e legendEntry) draw(c draw.Canvas, sty text.Style, at vg.Point) {
	for _, g := range e.glyphs {
		c.DrawGlyphNoClip(g, vg.Point{X: at.X + legendRadius, Y: at.Y})
		at.X += 2.5 * legendRadius
	}
	at.X += legendRadius / 2
	c.FillText(sty, at, e.name)
}

// drawLegendRow draws entries side by side in the middle of c.
func drawLegendRow(c draw.Canvas, entries []legendEntry, sty text.Style) {
	const gap = 18
	total := vg.Length(-gap)
	for _, e := range entries {
		total += e.width(sty) + gap
	}
	at := c.Center()
	at.X -= total / 2
	for _, e := range entries {
		e.draw(c, sty, at)
		at.X += e.width(sty) + gap
	}
}

// legendColumns lays entries out in columns of the height of a canvas, and says how
// wide all of them are. What does not fit in a third of the width is left out.
type legendColumns struct {
	entries []legendEntry
	rows    int
	line    vg.Length
	width   vg.Length // of one column
	total   vg.Length
	sty     text.Style
}

func layLegend(entries []legendEntry, size vg.Point) legendColumns {
	sty := style(10)
	l := legendColumns{entries: entries, line: 15, sty: sty}
	l.rows = max(1, int((size.Y-40)/l.line))
	for _, e := range entries {
		l.width = max(l.width, e.width(sty)+14)
	}
	most := max(1, int(size.X/3/l.width)) * l.rows
	if len(entries) > most {
		rest := fmt.Sprintf("and %d more", len(entries)-most+1)
		l.entries = append(entries[:most-1:most-1], legendEntry{name: rest})
	}
	l.total = l.width * vg.Length((len(l.entries)+l.rows-1)/l.rows)
	return l
}

func (l legendColumns) draw(c draw.Canvas) {
	rows := min(l.rows, len(l.entries))
	top := c.Center().Y + l.line*vg.Length(rows-1)/2
	for i, e := range l.entries {
		e.draw(c, l.sty, vg.Point{X: c.Min.X + l.width*vg.Length(i/l.rows), Y: top - l.line*vg.Length(i%l.rows)})
	}
}

// pixel is the length of 1/96 inch.
const pixel = vg.Inch / 96

// render draws a picture of so many pixels of 1/96 inch and writes it; a PNG has dpi
// dots an inch. Sizes are checked by the callers.
func render(path, ext string, width, height, dpi int, paint func(draw.Canvas)) error {
	w, h := vg.Length(width)*pixel, vg.Length(height)*pixel
	var from io.WriterTo
	if ext == ".svg" {
		c := vgsvg.New(w, h)
		paint(draw.New(c))
		from = c
	} else {
		c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
		paint(draw.New(c))
		from = pngImage{c.Image()}
	}
	return dataset.WriteFile(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		if _, err := from.WriteTo(b); err != nil {
			return err
		}
		return b.Flush()
	})
}

// pngImage writes a picture as small as image/png can.
type pngImage struct{ image.Image }

// WriteTo implements io.WriterTo.
func (p pngImage) WriteTo(w io.Writer) (int64, error) {
	return 0, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(w, p.Image)
}

// grid is a faint grid below the points.
func grid() *plotter.Grid {
	g := plotter.NewGrid()
	faint := color.NRGBA{0xe6, 0xe6, 0xe6, 0xff}
	g.Vertical.Color, g.Horizontal.Color = faint, faint
	g.Vertical.Width, g.Horizontal.Width = vg.Points(0.5), vg.Points(0.5)
	return g
}
