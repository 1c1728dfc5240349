package experiments

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/experiments/baselines"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/picture"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var weightsExperiment = Experiment{
	Name:     "weights",
	Title:    "What a pair of samples counts for: FDA, local FDA and WDA",
	Paper:    "Section 1, figure 1",
	Trials:   1,
	Revision: 1,
	run:      runWeights,
}

// weighting is a method that gives weights to the pairs of samples from two classes.
type weighting struct {
	name string
	// pairs returns a matrix with the weight of every pair of a row of y and a row of z. The rows of
	// y are samples of one class. The rows of z are samples of the same class if same is set, and of
	// another class otherwise. The weights sum to 1.
	pairs func(ctx context.Context, y, z *mat.Dense, same bool) (*mat.Dense, error)
}

// weightLambdas are the compared values of λ. As in WDA with a relative λ, each value is divided by
// the mean squared distance of the pairs.
var weightLambdas = []float64{0.1, 1, 10}

// weightNeighbors is the default number of neighbors of LFDA.
const weightNeighbors = 7

// weightIterations is the number L of Sinkhorn iterations.
const weightIterations = 10

func weightings() []weighting {
	all := []weighting{
		{"FDA", func(_ context.Context, y, z *mat.Dense, _ bool) (*mat.Dense, error) {
			return uniformWeights(y, z), nil
		}},
		{"LFDA", func(ctx context.Context, y, z *mat.Dense, same bool) (*mat.Dense, error) {
			if !same {
				// In LFDA, the weight W^b_ij is 1/n for all pairs of different classes.
				return uniformWeights(y, z), nil
			}
			n, _ := y.Dims()
			a := mat.NewDense(n, n, nil)
			if err := baselines.Affinity(ctx, dense.View(a), dense.View(y), weightNeighbors); err != nil {
				return nil, err
			}
			a.Scale(1/mat.Sum(a), a)
			return a, nil
		}},
	}
	for _, lambda := range weightLambdas {
		all = append(all, weighting{fmt.Sprintf("WDA, λ = %g", lambda), func(ctx context.Context, y, z *mat.Dense, _ bool) (*mat.Dense, error) {
			return transportPlan(ctx, y, z, lambda/meanSquaredDistance(y, z), sinkhorn.Settings{Iterations: weightIterations, Workers: 1})
		}})
	}
	return all
}

func uniformWeights(y, z *mat.Dense) *mat.Dense {
	n, _ := y.Dims()
	m, _ := z.Dims()
	w := mat.NewDense(n, m, nil)
	w.Apply(func(_, _ int, _ float64) float64 { return 1 / float64(n*m) }, w)
	return w
}

// meanSquaredDistance returns the mean of ‖y_i − z_j‖² over all pairs.
func meanSquaredDistance(y, z *mat.Dense) float64 {
	n, _ := y.Dims()
	m, _ := z.Dims()
	d := mat.NewDense(n, m, nil)
	dist.SqEuclidean(dense.View(d), dense.View(y), dense.View(z))
	return stat.Mean(d.RawMatrix().Data, nil)
}

// transportPlan returns the transport plan T (n × m) between the rows of y and the rows of z. All
// rows of a matrix have equal weights.
func transportPlan(ctx context.Context, y, z *mat.Dense, lambda float64, s sinkhorn.Settings) (*mat.Dense, error) {
	solver, err := sinkhorn.NewSolver[float64](&s)
	if err != nil {
		return nil, err
	}
	r, err := solver.Solve(ctx, &sinkhorn.Problem[float64]{X: dense.View(y), Y: dense.View(z), Lambda: lambda})
	if err != nil {
		return nil, err
	}
	n, _ := y.Dims()
	m, _ := z.Dims()
	t := mat.NewDense(n, m, nil)
	return t, r.PlanTo(ctx, dense.View(t), 0)
}

// classSamples returns the rows of a class.
func classSamples(d *dataset.Dataset, class int) *mat.Dense {
	var rows []int
	for i, l := range d.Labels {
		if l == class {
			rows = append(rows, i)
		}
	}
	return d.Subset(rows).X
}

// weightShown holds the indices of two samples of the first class, one in each of its two modes.
// Links are drawn only for these samples.
var weightShown = []int{0, 1}

func runWeights(ctx context.Context, j *job) error {
	n := 30
	if j.Small {
		n = 6
	}
	// The means of the two classes coincide, so FDA cannot distinguish the classes.
	data := dataset.Simulation{Classes: 2, NoNoise: true, Seed: j.seed("weights")}.Generate(2 * n)
	first, second := classSamples(data, 0), classSamples(data, 1)
	g := grid{
		columns: []string{"method"},
		within:  []string{"pair", "i", "j"},
		settings: []setting{
			newSetting("samples of each of two classes", n), newSetting("dimensions", 2),
			newSetting("λ, relative to the mean squared distance of the pairs", weightLambdas),
			newSetting("L", weightIterations), newSetting("neighbors of LFDA", 7),
		},
	}
	var cells []cell
	for _, w := range weightings() {
		cells = append(cells, newCell(func(ctx context.Context) (*output, error) {
			o := new(output)
			for _, pair := range []string{"between", "within"} {
				other := second
				if pair == "within" {
					other = first
				}
				t, err := w.pairs(ctx, first, other, pair == "within")
				if err != nil {
					return nil, err
				}
				o.keepArray(pair, t)
				for _, i := range weightShown {
					for k := range n {
						o.addValue("weight", t.At(i, k), pair, i, k)
					}
				}
			}
			return o, nil
		}, "", w.name))
	}
	r, err := j.compute(ctx, g, cells)
	if err != nil {
		return err
	}
	return j.reportWeights(r, first, second)
}

func (j *job) reportWeights(r *results, first, second *mat.Dense) error {
	tab := &table{
		Title: "How many partners a sample has",
		Head:  []string{"", "between classes", "within its class"},
		Note: fmt.Sprintf("exp(entropy) of a sample's weights, mean over the first class: %d if all samples of a class count equally, 1 if only one does. "+
			"Within a class a sample is its own partner, too.", first.RawMatrix().Rows),
	}
	partners := map[string][2]float64{}
	for _, w := range weightings() {
		var f [2]float64
		for k, pair := range []string{"between", "within"} {
			f[k] = meanPartners(r.array(pair, selector{"method": w.name}))
		}
		partners[w.name] = f
		tab.Rows = append(tab.Rows, tableRow{w.name, []field{numberField("%.1f", f[0]), numberField("%.1f", f[1])}})
	}
	low, high := fmt.Sprintf("WDA, λ = %g", weightLambdas[0]), fmt.Sprintf("WDA, λ = %g", weightLambdas[len(weightLambdas)-1])
	j.addFinding("Partners of a sample between and within classes: FDA %.1f and %.1f, LFDA %.1f and %.1f; WDA goes from %.1f and %.1f at λ = %g to %.1f and %.1f at λ = %g.",
		partners["FDA"][0], partners["FDA"][1], partners["LFDA"][0], partners["LFDA"][1],
		partners[low][0], partners[low][1], weightLambdas[0], partners[high][0], partners[high][1], weightLambdas[len(weightLambdas)-1])

	all := weightings()
	caption := "Weights of two samples of class 1 (large markers, one in each of its modes) against class 2 (above) and against their own class (below). " +
		"The darker and wider a link the larger its weight, relative to the largest of the sample in that panel."
	err := j.addFigure("links", caption, 240*len(all), 500, func(c draw.Canvas) {
		const legend = 24
		drawClasses(c, legend)
		for i, tile := range divideCanvas(draw.Crop(c, 0, 0, legend, 0), 2, len(all), 8) {
			w := all[i%len(all)]
			pair, other := "between", second
			if i >= len(all) {
				pair, other = "within", first
			}
			t := r.array(pair, selector{"method": w.name})
			if t == nil {
				continue
			}
			p := picture.New(w.name+": "+pair, "", "")
			p.HideAxes()
			p.Add(weightLinks(t, first, other), samplePlotter(first, 0, 2.4), samplePlotter(second, 1, 2.4), samplePlotter(selectRows(first, weightShown), 0, 4.5))
			picture.EqualAxes(p, tile)
			p.Draw(tile)
		}
	})
	if err != nil {
		return err
	}
	j.addTable(tab)
	j.addHeading("What reproduces, and what does not")
	j.addParagraph("The figure of the paper shows two classes in the plane, without saying how they were drawn. These are two classes of two modes each, at the four ends of a cross, " +
		"so that the difference shows: FDA links every sample with all others equally; LFDA does so between classes, too (its weights there are 1/n), and only within a class looks at neighbors; " +
		"WDA has neighbors in both, and its constraints still see to it that every sample of the other class is matched. As λ falls it goes over into FDA.")
	return nil
}

// meanPartners returns the effective number of partners of a row. This is the mean over all rows of
// exp(H), where H is the entropy of the weights in a row.
func meanPartners(t *mat.Dense) float64 {
	if t == nil {
		return math.NaN()
	}
	n, _ := t.Dims()
	sum := 0.
	for i := range n {
		row := mat.DenseCopyOf(t.RowView(i)).RawMatrix().Data
		total := 0.
		for _, v := range row {
			total += v
		}
		for k := range row {
			row[k] /= total
		}
		sum += math.Exp(stat.Entropy(row))
	}
	return sum / float64(n)
}

func selectRows(x *mat.Dense, rows []int) *mat.Dense {
	return (&dataset.Dataset{X: x}).Subset(rows).X
}

// samplePlotter draws the rows of x as members of a class.
func samplePlotter(x *mat.Dense, class int, radius float64) plot.Plotter {
	labels := make([]int, x.RawMatrix().Rows)
	for i := range labels {
		labels[i] = class
	}
	return picture.Cloud{Points: x, Labels: labels, Radius: vg.Points(radius), Alpha: 255}
}

// drawClasses draws a legend of the two classes in a row at the bottom.
func drawClasses(c draw.Canvas, height vg.Length) {
	c.Max.Y = c.Min.Y + height
	var entries []picture.LegendEntry
	for class := range 2 {
		entries = append(entries, picture.LegendEntry{
			Glyphs: []draw.GlyphStyle{picture.Glyph(class, picture.LegendRadius, 255)}, Name: fmt.Sprintf("class %d", class+1),
		})
	}
	picture.DrawLegendRow(c, entries, picture.TextStyle(11))
}

// weightLinks returns the links of the samples with the indices weightShown, from weak to strong.
func weightLinks(t, from, to *mat.Dense) links {
	_, m := t.Dims()
	var all links
	for _, i := range weightShown {
		largest := 0.
		for k := range m {
			if to != from || k != i {
				largest = max(largest, t.At(i, k))
			}
		}
		for k := range m {
			if to == from && k == i {
				continue // do not draw a line from a sample to itself
			}
			all = append(all, newLink(from, i, to, k, t.At(i, k)/largest))
		}
	}
	return all.sorted()
}
