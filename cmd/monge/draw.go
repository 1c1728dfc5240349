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

// jitter returns the vertical offset of point i from the line of its class, within (−0.35, 0.35).
// The golden ratio spreads the offsets evenly, without random numbers.
func jitter(i int) float64 {
	const golden = 0.6180339887498949
	_, f := math.Modf(float64(i) * golden)
	return 0.7 * (f - 0.5)
}

// stripPlot draws one dimension. Each class is a horizontal strip of points with vertical jitter.
func stripPlot(p *plot.Plot, y *mat.Dense, d *dataset.Dataset, names []string, radius vg.Length, alpha uint8, progress func(done int)) {
	pos := mat.NewDense(len(d.Labels), 2, nil)
	for i, class := range d.Labels {
		pos.Set(i, 0, y.At(i, 0))
		pos.Set(i, 1, float64(class)+jitter(i))
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

// render draws a picture of width × height pixels of 1/96 inch and writes it. A PNG file has dpi
// dots per inch. Callers check the sizes.
func render(path, ext string, width, height, dpi int, paint func(draw.Canvas)) error {
	file, err := picture.Encode(ext, width, height, dpi, paint)
	if err != nil {
		return err
	}
	return outfile.WriteFile(path, writeBytes(file))
}

const pixel = picture.Pixel

// planCells is the maximum number of rows and of columns in a picture of a transport plan.
const planCells = 150

// drawPlan draws an n × m transport plan with row 0 at the top. fillRow stores row i of the plan.
// A cell of a large plan is the sum of several entries. The shade of a cell is the square root of
// its ratio to the largest cell.
func drawPlan(path, ext string, n, m int, fillRow func(row []float64, i int) error) error {
	rows, cols := min(n, planCells), min(m, planCells)
	cells := mat.NewDense(rows, cols, nil)
	row := make([]float64, m)
	for i := range n {
		if err := fillRow(row, i); err != nil {
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
		picture.Background(canvas) // this also returns the area inside the margin, which is not needed here
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
