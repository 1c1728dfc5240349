package main

import (
	"image/color"
	"math"
	"strconv"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// spread moves a coordinate within (−0.35, 0.35) of its class's line, by the golden
// ratio: evenly, and the same at every run.
func spread(i int) float64 {
	const golden = 0.6180339887498949
	_, f := math.Modf(float64(i) * golden)
	return 0.7 * (f - 0.5)
}

// strips is the picture of one dimension: one line per class, points spread across.
func strips(p *plot.Plot, y *mat.Dense, d *dataset.Dataset, names []string, radius vg.Length, alpha uint8, progress func(done int)) {
	pos := mat.NewDense(len(d.Labels), 2, nil)
	for i, class := range d.Labels {
		pos.Set(i, 0, y.At(i, 0))
		pos.Set(i, 1, float64(class)+spread(i))
	}
	p.Add(picture.Cloud{Points: pos, Labels: d.Labels, Radius: radius, Alpha: alpha, Progress: progress})
	picture.Widen(&p.X)
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))-0.4
	var lines plot.ConstantTicks
	step := 1 + len(names)/30
	for c := 0; c < len(names); c += step {
		lines = append(lines, plot.Tick{Value: float64(c), Label: names[c]})
	}
	p.Y.Tick.Marker = lines
	p.Y.Tick.LineStyle.Width = 0
}

// render draws a picture of so many pixels of 1/96 inch and writes it; a PNG has dpi
// dots an inch. Sizes are checked by the callers.
func render(path, ext string, width, height, dpi int, paint func(draw.Canvas)) error {
	file, err := picture.Encode(ext, width, height, dpi, paint)
	if err != nil {
		return err
	}
	return outfile.WriteFile(path, bytesOf(file))
}

// confusionLayout says where the parts of a picture of a confusion matrix are, in pixels.
type confusionLayout struct {
	cell   int      // side of a cell
	font   int      // size of the names of classes
	every  int      // one name for so many classes
	names  []string // as they are drawn
	margin int      // for names and the title of an axis, at the left and below
	top    int
}

// layOut lays the picture out: all names that there is room for are drawn whole, up to 32
// characters.
func (c *confusion) layOut() confusionLayout {
	const titles, gap = 26, 8
	l := confusionLayout{cell: max(6, min(40, 1700/len(c.Classes))), top: 44}
	l.font = max(9, min(13, l.cell-1))
	l.every = (l.font + l.cell) / l.cell
	if l.font < l.cell {
		l.every = 1
	}
	style := picture.TextStyle(vg.Length(l.font) * pixel)
	for i, name := range c.Classes {
		l.names = append(l.names, shortInside(name, 32))
		if i%l.every == 0 {
			l.margin = max(l.margin, int(math.Ceil(float64(style.Width(l.names[i])/pixel))))
		}
	}
	l.margin += titles + gap
	return l
}

// pixel is the length of a pixel of a picture.
const pixel = picture.Pixel

// shortInside clips a name in the middle: often the end tells names apart.
func shortInside(name string, most int) string {
	r := []rune(short(name, len(name)+1))
	if len(r) <= most {
		return string(r)
	}
	head := most / 2
	return string(r[:head]) + "…" + string(r[len(r)-(most-head-1):])
}

// draw draws the matrix: a cell is as dark as its share of the row, the true class, and
// has its number as long as there is room.
func (c *confusion) draw(path, ext string) error {
	l := c.layOut()
	side := l.cell * len(c.Classes)
	width, height := max(420, l.margin+side+20), max(300, l.top+side+l.margin)
	return render(path, ext, width, height, 96, func(canvas draw.Canvas) {
		picture.Background(canvas) // which leaves a margin that is not wanted here
		left, top := canvas.Min.X+vg.Length(l.margin)*pixel, canvas.Max.Y-vg.Length(l.top)*pixel
		at := func(row, column int) vg.Point { // its upper left corner
			return vg.Point{X: left + vg.Length(column*l.cell)*pixel, Y: top - vg.Length(row*l.cell)*pixel}
		}
		for i := range c.Counts {
			c.drawRow(canvas, i, l.cell, at)
		}
		c.drawNames(canvas, l, at)
		title := picture.TextStyle(14 * pixel)
		canvas.FillText(title, vg.Point{X: canvas.Min.X + 8*pixel, Y: canvas.Max.Y - 20*pixel}, "confusion matrix, K = "+strconv.Itoa(c.K))
		n := len(c.Classes)
		title.XAlign = text.XCenter
		middle := vg.Length(side) * pixel / 2
		canvas.FillText(title, vg.Point{X: left + middle, Y: at(n, 0).Y - vg.Length(l.margin-14)*pixel}, "predicted class")
		title.Rotation = math.Pi / 2
		canvas.FillText(title, vg.Point{X: left - vg.Length(l.margin-14)*pixel, Y: top - middle}, "true class")
	})
}

// drawRow draws the cells of a true class.
func (c *confusion) drawRow(canvas draw.Canvas, i, size int, at func(row, column int) vg.Point) {
	total := 0
	for _, v := range c.Counts[i] {
		total += v
	}
	number := picture.TextStyle(vg.Length(min(13, max(6, size*4/10))) * pixel)
	number.XAlign, number.YAlign = text.XCenter, text.YCenter
	for j, v := range c.Counts[i] {
		share := float64(v) / float64(max(1, total))
		shade := func(light, dark float64) uint8 { return uint8(math.Round(light + (dark-light)*math.Sqrt(share))) }
		fill := color.NRGBA{shade(255, 0x1b), shade(255, 0x3a), shade(255, 0x7a), 255}
		if i != j {
			fill = color.NRGBA{shade(255, 0xb8), shade(255, 0x2a), shade(255, 0x3c), 255}
		}
		p, q := at(i, j), at(i+1, j+1)
		canvas.FillPolygon(fill, []vg.Point{p, {X: q.X, Y: p.Y}, q, {X: p.X, Y: q.Y}})
		canvas.StrokeLines(draw.LineStyle{Color: color.Gray{0xdd}, Width: pixel / 2}, []vg.Point{p, {X: q.X, Y: p.Y}, q, {X: p.X, Y: q.Y}, p})
		if size < 24 || v == 0 {
			continue
		}
		number.Color = picture.Ink
		if share > 0.4 {
			number.Color = color.White
		}
		canvas.FillText(number, vg.Point{X: (p.X + q.X) / 2, Y: (p.Y + q.Y) / 2}, strconv.Itoa(v))
	}
}

// drawNames writes the names of the classes at the left and below.
func (c *confusion) drawNames(canvas draw.Canvas, l confusionLayout, at func(row, column int) vg.Point) {
	n, half := len(c.Classes), vg.Length(l.cell)*pixel/2
	for i := 0; i < n; i += l.every {
		style := picture.TextStyle(vg.Length(l.font) * pixel)
		style.XAlign, style.YAlign = text.XRight, text.YCenter
		canvas.FillText(style, vg.Point{X: at(i, 0).X - 6*pixel, Y: at(i, 0).Y - half}, l.names[i])
		style.Rotation = math.Pi / 2
		canvas.FillText(style, vg.Point{X: at(0, i).X + half, Y: at(n, 0).Y - 6*pixel}, l.names[i])
	}
}

// planCells is the most cells that a plan is drawn in, in each direction.
const planCells = 150

// drawPlan draws an n × m plan, whose rows set sets: row 0 at the top, a cell as dark as the
// square root of its share of the largest. Cells of large plans are sums.
func drawPlan(path, ext string, n, m int, set func(row []float64, i int) error) error {
	rows, cols := min(n, planCells), min(m, planCells)
	cells := mat.NewDense(rows, cols, nil)
	row := make([]float64, m)
	for i := range n {
		if err := set(row, i); err != nil {
			return err
		}
		into := cells.RawRowView(i * rows / n)
		for j, t := range row {
			into[j*cols/m] += t
		}
	}
	largest := mat.Max(cells)
	const side, pixels = 60, 600
	cell := float64(pixels) / float64(max(rows, cols))
	width, height := max(300, side+20+int(cell*float64(cols))), max(200, side+20+int(cell*float64(rows)))
	return render(path, ext, width, height, 96, func(canvas draw.Canvas) {
		picture.Background(canvas) // which leaves a margin that is not wanted here
		unit := canvas.Size().X / vg.Length(width)
		size := vg.Length(cell) * unit
		left, top := canvas.Min.X+side*unit, canvas.Max.Y-side*unit
		box := func(i, j, rows, cols int) []vg.Point {
			x, y := left+vg.Length(j)*size, top-vg.Length(i)*size
			right, bottom := x+vg.Length(cols)*size, y-vg.Length(rows)*size
			return []vg.Point{{X: x, Y: y}, {X: right, Y: y}, {X: right, Y: bottom}, {X: x, Y: bottom}, {X: x, Y: y}}
		}
		for i := range rows {
			for j, t := range cells.RawRowView(i) {
				share := math.Sqrt(t / largest)
				if !(share > 1./512) {
					continue
				}
				shade := func(dark float64) uint8 { return uint8(math.Round(255 + (dark-255)*share)) }
				canvas.FillPolygon(color.NRGBA{shade(0x1b), shade(0x3a), shade(0x7a), 255}, box(i, j, 1, 1))
			}
		}
		canvas.StrokeLines(draw.LineStyle{Color: color.Gray{0x88}, Width: unit}, box(0, 0, rows, cols))
		style := picture.TextStyle(13 * unit)
		canvas.FillText(style, vg.Point{X: left, Y: top + 12*unit}, "y: "+strconv.Itoa(m))
		style.Rotation = math.Pi / 2
		style.XAlign = text.XRight
		canvas.FillText(style, vg.Point{X: left - 12*unit, Y: top}, "x: "+strconv.Itoa(n))
	})
}
