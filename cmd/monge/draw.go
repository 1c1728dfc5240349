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
func strips(p *plot.Plot, y *mat.Dense, d *dataset.Dataset, names []string, radius vg.Length, alpha uint8) {
	pos := mat.NewDense(len(d.Labels), 2, nil)
	for i, class := range d.Labels {
		pos.Set(i, 0, y.At(i, 0))
		pos.Set(i, 1, float64(class)+spread(i))
	}
	p.Add(picture.Cloud{Points: pos, Labels: d.Labels, Radius: radius, Alpha: alpha})
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

// draw draws the matrix: a cell is as dark as its share of the row, the true class, and
// has its number as long as there is room.
func (c *confusion) draw(path, ext string) error {
	n := len(c.Classes)
	const cell, side, foot = 40, 130, 110 // pixels
	size := max(6, min(cell, 1200/n))
	width, height := max(400, side+size*n+20), max(300, foot+size*n+40)
	return render(path, ext, width, height, 96, func(canvas draw.Canvas) {
		picture.Background(canvas) // which leaves a margin that is not wanted here
		unit := canvas.Size().X / vg.Length(width)
		left, top := canvas.Min.X+side*unit, canvas.Max.Y-40*unit
		at := func(row, column int) vg.Point { // its upper left corner
			return vg.Point{X: left + vg.Length(column*size)*unit, Y: top - vg.Length(row*size)*unit}
		}
		style := picture.TextStyle(vg.Length(min(11, max(5, size*4/10))) * unit * 1.2)
		style.YAlign = text.YCenter
		every := 1 + 9/size // names of classes that there is room for
		for i, row := range c.Counts {
			total := 0
			for _, v := range row {
				total += v
			}
			for j, v := range row {
				share := float64(v) / float64(max(1, total))
				shade := func(light, dark float64) uint8 { return uint8(math.Round(light + (dark-light)*math.Sqrt(share))) }
				fill := color.NRGBA{shade(255, 0x1b), shade(255, 0x3a), shade(255, 0x7a), 255}
				if i != j {
					fill = color.NRGBA{shade(255, 0xb8), shade(255, 0x2a), shade(255, 0x3c), 255}
				}
				p, q := at(i, j), at(i+1, j+1)
				canvas.FillPolygon(fill, []vg.Point{p, {X: q.X, Y: p.Y}, q, {X: p.X, Y: q.Y}})
				canvas.StrokeLines(draw.LineStyle{Color: color.Gray{0xdd}, Width: unit / 2}, []vg.Point{p, {X: q.X, Y: p.Y}, q, {X: p.X, Y: q.Y}, p})
				if size < 24 || v == 0 {
					continue
				}
				number := style
				number.XAlign = text.XCenter
				if share > 0.4 {
					number.Color = color.White
				}
				canvas.FillText(number, vg.Point{X: (p.X + q.X) / 2, Y: (p.Y + q.Y) / 2}, strconv.Itoa(v))
			}
			if i%every != 0 {
				continue
			}
			name := style
			name.XAlign = text.XRight
			middle := at(i, 0).Y - vg.Length(size)*unit/2
			canvas.FillText(name, vg.Point{X: left - 6*unit, Y: middle}, short(c.Classes[i], 16))
			name.Rotation = math.Pi / 2
			canvas.FillText(name, vg.Point{X: at(0, i).X + vg.Length(size)*unit/2, Y: at(n, 0).Y - 6*unit}, short(c.Classes[i], 14))
		}
		title := picture.TextStyle(13 * unit)
		canvas.FillText(title, vg.Point{X: canvas.Min.X + 8*unit, Y: canvas.Max.Y - 22*unit}, "true class by row, predicted by column, K = "+strconv.Itoa(c.K))
	})
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
