package experiments

import (
	"context"
	"fmt"
	"strings"

	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var plansExperiment = Experiment{
	Name:     "plans",
	Title:    "Transport within and between two bimodal classes",
	Paper:    "Appendix A, figures 8 and 9",
	Trials:   1,
	Revision: 1,
	run:      runPlans,
}

// planLambdas are the values of λ in the paper. The squared distances are not normalized.
var planLambdas = []float64{1, 0.5, 0.1}

// planPairs are the pairs of classes in the order of the paper: first the pair of different
// classes, then each class with itself.
var planPairs = []struct {
	name string
	a, b int
}{{"1-2", 0, 1}, {"1-1", 0, 0}, {"2-2", 1, 1}}

// After planIterations Sinkhorn iterations, the marginal error ‖Tᵀ1 − b‖₁ is below 1e-4. An error
// of 1e-9 would take millions of iterations, because for λ = 1 almost no weight moves between the
// two modes of a class.
const planIterations = 100

// The distance between two modes is 2·planRadius within a class and √2·planRadius between classes.
// The paper does not state its distances. With these values, exp(−λ·distance²) for the two modes of
// a class is 1e-11, 4e-6 and 0.08 for the three λ. For the first two λ, almost no weight moves
// between the modes.
const (
	planRadius = 2.5
	planSpread = 0.5
)

func runPlans(ctx context.Context, j *job) error {
	n := 20
	if j.Small {
		n = 4
	}
	data := dataset.Simulation{Classes: 2, NoNoise: true, Radius: planRadius, Spread: planSpread, Seed: j.seed("plans")}.Generate(2 * n)
	var classes [2]*mat.Dense
	for c := range classes {
		classes[c] = byMode(classSamples(data, c))
	}
	g := grid{
		columns: []string{"lambda"},
		within:  []string{"pair", "i", "j"},
		settings: []setting{
			newSetting("samples of each of two classes", n), newSetting("dimensions", 2),
			newSetting("distance of the modes from the center", planRadius), newSetting("standard deviation of a mode", planSpread),
			newSetting("λ, times the squared distance", planLambdas),
			newSetting("L", planIterations),
		},
	}
	var cells []cell
	for _, lambda := range planLambdas {
		cells = append(cells, newCell(func(ctx context.Context) (*output, error) {
			o := new(output)
			for _, pair := range planPairs {
				t, err := transportPlan(ctx, classes[pair.a], classes[pair.b], lambda, sinkhorn.Settings{Iterations: planIterations, Workers: 1})
				if err != nil {
					return nil, err
				}
				o.keepArray(pair.name, t)
				for i := range n {
					for k := range n {
						o.addValue("transport", t.At(i, k), pair.name, i, k)
					}
				}
			}
			return o, nil
		}, "", lambda))
	}
	r, err := j.compute(ctx, g, cells)
	if err != nil {
		return err
	}
	return j.reportPlans(r, classes, n)
}

// byMode sorts the samples of a class by mode, to make blocks visible in the matrices. The
// simulation alternates between the two modes.
func byMode(x *mat.Dense) *mat.Dense {
	var rows []int
	n, _ := x.Dims()
	for mode := range 2 {
		for i := mode; i < n; i += 2 {
			rows = append(rows, i)
		}
	}
	return selectRows(x, rows)
}

// modeShares returns the total weight that the transport plan t moves from each mode to each mode.
// The first index of the result is the source mode, and the second index is the target mode.
func modeShares(t *mat.Dense) [2][2]float64 {
	n, m := t.Dims()
	var s [2][2]float64
	for i := range n {
		for k := range m {
			s[i/((n+1)/2)][k/((m+1)/2)] += t.At(i, k)
		}
	}
	return s
}

func (j *job) reportPlans(r *results, classes [2]*mat.Dense, n int) error {
	tab := &table{
		Title: "Where the mass goes",
		Head:  []string{"λ", "within a class, to the other mode", "between classes, from a mode to its less favored one of two"},
		Note:  "Percent of the mass; within: mean of both classes. If transport were uniform both would be 50.",
	}
	var across []string
	for _, lambda := range planLambdas {
		within, between := 0., 0.
		for _, pair := range planPairs {
			t := r.array(pair.name, selector{"lambda": lambda})
			if t == nil {
				return fmt.Errorf("%w: no plan for λ = %g", ErrFailed, lambda)
			}
			s := modeShares(t)
			if pair.a == pair.b {
				within += (s[0][1] + s[1][0]) / 2
			} else {
				between += min(s[0][0], s[0][1]) + min(s[1][0], s[1][1])
			}
		}
		tab.Rows = append(tab.Rows, tableRow{formatValue(lambda), []field{numberField("%.3f", 100*within), numberField("%.1f", 100*between)}})
		across = append(across, fmt.Sprintf("%.2g %% at λ = %g", 100*within, lambda))
	}
	j.addFinding("Mass that goes to the other mode of the same class: %s.", strings.Join(across, ", "))

	err := j.addFigure("samples", "The two classes, each of two modes opposite each other.", 460, 440, func(c draw.Canvas) {
		const legend = 24
		drawClasses(c, legend)
		c = draw.Crop(c, 0, 0, legend, 0)
		p := picture.New("", "x₁", "x₂")
		p.Add(picture.Grid(), samplePlotter(classes[0], 0, 3.2), samplePlotter(classes[1], 1, 3.2))
		picture.EqualAxes(p, c)
		p.Draw(c)
	})
	if err != nil {
		return err
	}
	caption := "Transport T¹² between the classes (left) and T¹¹, T²² within them (right) for three λ. The darker and wider a link the larger T_ij; " +
		"matrices from 0 (white) to their largest element (black), samples in the order of their modes."
	err = j.addFigure("transport", caption, 1000, 1050, func(c draw.Canvas) {
		const legend = 24
		drawClasses(c, legend)
		rows := divideCanvas(draw.Crop(c, 0, 0, legend, 0), len(planLambdas), 1, 10)
		for k, lambda := range planLambdas {
			at := selector{"lambda": lambda}
			full := rows[k].Size()
			// The four columns of the picture contain links, a matrix, links, and two matrices one above the other.
			big, small := full.Y*1.02, (full.X-2*full.Y*1.02)/2-6
			x := rows[k].Min.X
			panel := func(width vg.Length) draw.Canvas {
				p := rows[k]
				p.Min.X, p.Max.X = x, x+width
				x += width + 4
				return p
			}
			drawPlan := func(c draw.Canvas, title string, all links) {
				p := picture.New(title, "", "")
				p.Add(picture.Grid(), all.sorted(), samplePlotter(classes[0], 0, 2.6), samplePlotter(classes[1], 1, 2.6))
				picture.EqualAxes(p, c)
				p.Draw(c)
			}
			between, first, second := r.array("1-2", at), r.array("1-1", at), r.array("2-2", at)
			drawPlan(panel(big), fmt.Sprintf("λ = %g, between classes", lambda), planLinks(between, classes[0], classes[1]))
			m := panel(small)
			drawMatrix(square(m, m.Center().Y, small), between, "T¹²")
			drawPlan(panel(big), fmt.Sprintf("λ = %g, within classes", lambda), append(planLinks(first, classes[0], classes[0]), planLinks(second, classes[1], classes[1])...))
			m = panel(small)
			drawMatrix(square(m, m.Center().Y+small*0.6, small), first, "T¹¹")
			drawMatrix(square(m, m.Center().Y-small*0.6, small), second, "T²²")
		}
	})
	if err != nil {
		return err
	}
	j.addTable(tab)
	j.addHeading("What reproduces, and what does not")
	j.addParagraph("What the paper says of its figures holds here: large λ concentrates the links of a class on its own modes, and connections between modes appear as λ falls. "+
		"Between the classes, transport does not associate mode with mode, but spreads each mode of one class over both of the other. "+
		"The paper does not state the distance of its modes, on which the effect of a λ depends; here those of a class are %g apart, with a standard deviation of %g, and %d samples a class.",
		2*planRadius, planSpread, n)
	return nil
}

// planLinks returns the links of the transport plan t between different samples. The strength of a
// link is an element of t divided by the largest element.
func planLinks(t, x, y *mat.Dense) links {
	n, m := t.Dims()
	largest := 0.
	for i := range n {
		for k := range m {
			if x != y || i != k {
				largest = max(largest, t.At(i, k))
			}
		}
	}
	var all links
	for i := range n {
		for k := range m {
			if x != y || i != k {
				all = append(all, newLink(x, i, y, k, t.At(i, k)/largest))
			}
		}
	}
	return all
}

// square reduces the vertical range of c to the given size, centered at middle.
func square(c draw.Canvas, middle, size vg.Length) draw.Canvas {
	c.Min.Y, c.Max.Y = middle-size/2, middle+size/2
	return c
}

// drawMatrix draws every matrix element as a gray square, from white for 0 to black for the largest
// element. The title is drawn above the matrix.
func drawMatrix(c draw.Canvas, t *mat.Dense, title string) {
	const room = 14
	sty := picture.TextStyle(11)
	c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y - room/2}, title)
	side := min(c.Size().X, c.Size().Y-room)
	n, m := t.Dims()
	largest := mat.Max(t)
	top, left := c.Max.Y-room, c.Min.X
	for i := range n {
		for k := range m {
			x0, x1 := left+side*vg.Length(k)/vg.Length(m), left+side*vg.Length(k+1)/vg.Length(m)
			y1, y0 := top-side*vg.Length(i)/vg.Length(n), top-side*vg.Length(i+1)/vg.Length(n)
			c.FillPolygon(fadeColor(picture.Ink, t.At(i, k)/largest), []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
		}
	}
	frame := []vg.Point{{X: left, Y: top}, {X: left + side, Y: top}, {X: left + side, Y: top - side}, {X: left, Y: top - side}, {X: left, Y: top}}
	c.StrokeLines(draw.LineStyle{Color: picture.Ink, Width: vg.Points(0.6)}, frame)
}
