package main

import (
	"math"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
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
