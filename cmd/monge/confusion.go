package main

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"github.com/gomonge/monge/internal/picture"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// confusion is a confusion matrix. Counts[i][j] is the number of rows of class i that are
// classified as class j.
type confusion struct {
	K       int      `json:"k"`
	Classes []string `json:"classes"`
	Counts  [][]int  `json:"counts"`
}

// classRates are the rates of one class. Recall is the fraction of the rows of the class that are
// classified correctly. Precision is the fraction of correct rows among the rows classified as the
// class. F1 is 2·recall·precision / (recall + precision). A rate with denominator 0 is null.
type classRates struct {
	Class     string `json:"class"`
	Rows      int    `json:"rows"`
	Taken     int    `json:"taken"`
	Recall    number `json:"recall"`
	Precision number `json:"precision"`
	F1        number `json:"f1"`
}

// classRates returns the rates of each class.
func (c *confusion) classRates() []classRates {
	out := make([]classRates, len(c.Classes))
	for i, row := range c.Counts {
		out[i].Class = c.Classes[i]
		for j, n := range row {
			out[i].Rows += n
			out[j].Taken += n
		}
	}
	for i := range out {
		r := &out[i]
		hit := float64(c.Counts[i][i])
		r.Recall, r.Precision = number(hit/float64(r.Rows)), number(hit/float64(r.Taken))
		r.F1 = number(2 * hit / float64(r.Rows+r.Taken))
	}
	return out
}

// print writes the matrix unless it is too wide to read.
func (c *confusion) print(w io.Writer) {
	const widest = 30
	if len(c.Classes) > widest {
		fmt.Fprintf(w, "\n(The confusion matrix of %d classes is too wide to print: see --json, or draw it with --picture.)\n", len(c.Classes))
		return
	}
	fmt.Fprintf(w, "\nConfusion matrix for K = %d: a row for each true class, a column for each predicted class\n\n", c.K)
	for _, n := range c.Classes {
		fmt.Fprintf(w, "\t%s", clipName(n, 12))
	}
	fmt.Fprintln(w)
	for i, row := range c.Counts {
		fmt.Fprint(w, clipName(c.Classes[i], 12))
		for _, v := range row {
			fmt.Fprintf(w, "\t%d", v)
		}
		fmt.Fprintln(w)
	}
}

// confusionLayout contains the sizes and positions, in pixels, of a picture of a confusion matrix.
type confusionLayout struct {
	cellSize int      // side length of a cell
	fontSize int      // size of the names of classes
	nameStep int      // every nameStep-th class name is drawn
	names    []string // class names, clipped for drawing
	margin   int      // left and bottom margin, for class names and an axis title
	top      int
}

// layout computes the layout of the picture. It clips names at 32 characters. If the cells are
// small, it skips names.
func (c *confusion) layout() confusionLayout {
	const titles, gap = 26, 8
	n := len(c.Classes)
	l := confusionLayout{cellSize: max(6, min(max(40, 240/n), 1700/n)), top: 56}
	l.fontSize = max(9, min(13, l.cellSize-1))
	l.nameStep = (l.fontSize + l.cellSize) / l.cellSize
	if l.fontSize < l.cellSize {
		l.nameStep = 1
	}
	style := picture.TextStyle(vg.Length(l.fontSize) * pixel)
	for i, name := range c.Classes {
		l.names = append(l.names, clipMiddle(name, 32))
		if i%l.nameStep == 0 {
			l.margin = max(l.margin, int(math.Ceil(float64(style.Width(l.names[i])/pixel))))
		}
	}
	l.margin += titles + gap
	return l
}

// draw draws the matrix. Each row is a true class. The shade of a cell is the square root of the
// cell's fraction of the row. Large cells also show the count.
func (c *confusion) draw(path, ext string) error {
	l := c.layout()
	side := l.cellSize * len(c.Classes)
	width, height := max(360, l.margin+side+20), l.top+side+l.margin
	return render(path, ext, width, height, 96, func(canvas draw.Canvas) {
		picture.Background(canvas) // the returned area inside the margin is not needed
		left, top := canvas.Min.X+vg.Length(l.margin)*pixel, canvas.Max.Y-vg.Length(l.top)*pixel
		at := func(row, column int) vg.Point { // upper left corner of a cell
			return vg.Point{X: left + vg.Length(column*l.cellSize)*pixel, Y: top - vg.Length(row*l.cellSize)*pixel}
		}
		for i := range c.Counts {
			c.drawRow(canvas, i, l.cellSize, at)
		}
		c.drawNames(canvas, l, at)
		title := picture.TextStyle(14 * pixel)
		canvas.FillText(title, vg.Point{X: canvas.Min.X + 8*pixel, Y: canvas.Max.Y - 20*pixel}, "confusion matrix, K = "+strconv.Itoa(c.K))
		canvas.FillText(picture.TextStyle(12*pixel), vg.Point{X: canvas.Min.X + 8*pixel, Y: canvas.Max.Y - 40*pixel}, "dark: a large share of its row; blue: right, red: wrong")
		n := len(c.Classes)
		title.XAlign = text.XCenter
		middle := vg.Length(side) * pixel / 2
		canvas.FillText(title, vg.Point{X: left + middle, Y: at(n, 0).Y - vg.Length(l.margin-14)*pixel}, "predicted class")
		title.Rotation = math.Pi / 2
		canvas.FillText(title, vg.Point{X: left - vg.Length(l.margin-14)*pixel, Y: top - middle}, "true class")
	})
}

// drawRow draws the cells of one true class.
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

// drawNames draws the class names at the left and below.
func (c *confusion) drawNames(canvas draw.Canvas, l confusionLayout, at func(row, column int) vg.Point) {
	n, half := len(c.Classes), vg.Length(l.cellSize)*pixel/2
	for i := 0; i < n; i += l.nameStep {
		style := picture.TextStyle(vg.Length(l.fontSize) * pixel)
		style.XAlign, style.YAlign = text.XRight, text.YCenter
		canvas.FillText(style, vg.Point{X: at(i, 0).X - 6*pixel, Y: at(i, 0).Y - half}, l.names[i])
		style.Rotation = math.Pi / 2
		canvas.FillText(style, vg.Point{X: at(0, i).X + half, Y: at(n, 0).Y - 6*pixel}, l.names[i])
	}
}
