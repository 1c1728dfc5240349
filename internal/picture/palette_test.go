package picture

import (
	"fmt"
	"image/color"
	"math"
	"testing"
)

// lab is a color in CIELAB with white point D65.
type lab [3]float64

// linearLight returns the linear intensity of an sRGB component.
func linearLight(v uint8) float64 {
	c := float64(v) / 255
	if c > 0.04045 {
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return c / 12.92
}

// visionModels simulate normal vision and color blindness of full severity as matrices of linear
// sRGB (Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color
// vision deficiency", 2009).
var visionModels = map[string][9]float64{
	"normal":       {1, 0, 0, 0, 1, 0, 0, 0, 1},
	"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
	"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
}

// perceivedColor returns a color as people with the given kind of vision see it.
func perceivedColor(c color.NRGBA, by [9]float64) lab {
	r, g, b := linearLight(c.R), linearLight(c.G), linearLight(c.B)
	clip := func(v float64) float64 { return max(0, min(1, v)) }
	r, g, b = clip(by[0]*r+by[1]*g+by[2]*b), clip(by[3]*r+by[4]*g+by[5]*b), clip(by[6]*r+by[7]*g+by[8]*b)
	f := func(t float64) float64 {
		if t > 216./24389 {
			return math.Cbrt(t)
		}
		return (24389./27*t + 16) / 116
	}
	x, y, z := f((0.4124564*r+0.3575761*g+0.1804375*b)/0.95047), f(0.2126729*r+0.7151522*g+0.0721750*b), f((0.0193339*r+0.1191920*g+0.9503041*b)/1.08883)
	return lab{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// colorDifference returns the color difference ΔE of CIEDE2000.
func colorDifference(p, q lab) float64 {
	const deg = math.Pi / 180
	mean := (math.Hypot(p[1], p[2]) + math.Hypot(q[1], q[2])) / 2
	m7 := math.Pow(mean, 7)
	stretch := 1 + (1-math.Sqrt(m7/(m7+math.Pow(25, 7))))/2
	polar := func(c lab) (chroma, hue float64) {
		a := c[1] * stretch
		if hue = math.Atan2(c[2], a); hue < 0 {
			hue += 2 * math.Pi
		}
		return math.Hypot(a, c[2]), hue
	}
	c1, h1 := polar(p)
	c2, h2 := polar(q)
	dh, hue := h2-h1, (h1+h2)/2
	switch {
	case c1*c2 == 0:
		dh, hue = 0, h1+h2
	case dh > math.Pi:
		dh, hue = dh-2*math.Pi, hue+math.Pi
	case dh < -math.Pi:
		dh, hue = dh+2*math.Pi, hue+math.Pi
	}
	light, chroma := (p[0]+q[0])/2, (c1+c2)/2
	t := 1 - 0.17*math.Cos(hue-30*deg) + 0.24*math.Cos(2*hue) + 0.32*math.Cos(3*hue+6*deg) - 0.20*math.Cos(4*hue-63*deg)
	l50 := (light - 50) * (light - 50)
	dl := (q[0] - p[0]) / (1 + 0.015*l50/math.Sqrt(20+l50))
	dc := (c2 - c1) / (1 + 0.045*chroma)
	dH := 2 * math.Sqrt(c1*c2) * math.Sin(dh/2) / (1 + 0.015*chroma*t)
	turn := hue/deg - 275
	c7 := math.Pow(chroma, 7)
	r := -2 * math.Sqrt(c7/(c7+math.Pow(25, 7))) * math.Sin(60*deg*math.Exp(-turn*turn/625))
	return math.Sqrt(dl*dl + dc*dc + dH*dH + r*dc*dH)
}

// TestDifference compares colorDifference with the published values: G. Sharma, W. Wu and E. Dalal,
// "The CIEDE2000 color-difference formula", 2005, table 1, pairs 1, 17, 25 and 34.
func TestDifference(t *testing.T) {
	for _, c := range []struct {
		p, q lab
		want float64
	}{
		{lab{50, 2.6772, -79.7751}, lab{50, 0, -82.7485}, 2.0425},
		{lab{60.2574, -34.0099, 36.2677}, lab{60.4626, -34.1751, 39.4387}, 1.2644},
		{lab{50, 2.5, 0}, lab{73, 25, -18}, 27.1492},
		{lab{2.0776, 0.0795, -1.135}, lab{0.9033, -0.0636, -0.5514}, 0.9082},
	} {
		if got := colorDifference(c.p, c.q); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%v to %v: %v, want %v", c.p, c.q, got, c.want)
		}
	}
}

// TestPaletteForEverybody checks that people with color blindness can distinguish 70 classes. No
// two classes have the same color and shape, so the test requires different colors only for classes
// with the same shape. A color difference of 2 is just visible side by side.
func TestPaletteForEverybody(t *testing.T) {
	const least = 17
	for name, c := range map[string]struct {
		palette []color.NRGBA
		page    color.NRGBA
		visible float64 // minimum difference from the page color
	}{
		"light": {Palette, color.NRGBA{0xff, 0xff, 0xff, 0xff}, 12},
		"dark":  {DarkPalette, color.NRGBA{0x15, 0x18, 0x1d, 0xff}, 25},
	} {
		for sight, by := range visionModels {
			for i := range 7 * len(c.palette) {
				a := perceivedColor(c.palette[i%len(c.palette)], by)
				if d := colorDifference(a, perceivedColor(c.page, by)); d < c.visible {
					t.Errorf("%s page, %s: class %d differs from the page by ΔE %.1f", name, sight, i, d)
				}
				for j := range i {
					if d := colorDifference(a, perceivedColor(c.palette[j%len(c.palette)], by)); i%len(markerShapes) == j%len(markerShapes) && d < least {
						t.Errorf("%s page, %s: classes %d and %d have one shape, and colors of ΔE %.1f: %s", name, sight, j, i, d, fmt.Sprint(c.palette[j%len(c.palette)], c.palette[i%len(c.palette)]))
					}
				}
			}
		}
	}
}
