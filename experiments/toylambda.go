package experiments

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg/draw"
)

var toyLambdaExperiment = Experiment{
	Name:     "toy-lambda",
	Title:    "Simulated data: error against λ, and against λ for several L",
	Paper:    "Section 5.2, figure 4",
	Trials:   20,
	Revision: 1,
	methods:  toyLambdaMethods,
	run:      runToyLambda,
}

// nameToyOne is the name of WDA with a single starting point.
const nameToyOne = "WDA-one"

// toyLambdaMethods returns WDA with several starting points, WDA with one starting point, and WDA
// with the paper's solver. All methods run with several values of λ. Only the first method runs
// with several values of L, the number of Sinkhorn iterations.
func toyLambdaMethods() []method {
	paper := *wda.PaperSettings(0)
	paper.Objective.Lambda, paper.Objective.Iterations = wda.Lambda{}, 0
	return []method{
		ofWDA(nameToyStarts, wda.Settings{Optimizer: wda.Optimizer{Starts: toyStarts}}),
		ofWDA(nameToyOne, wda.Settings{}),
		ofWDA(namePaper, paper),
	}
}

// withLambda returns the named method of toyLambdaMethods with the given λ and the given number L
// of Sinkhorn iterations.
func withLambda(name string, lambda float64, iterations int) method {
	s := wda.Settings{}
	switch name {
	case nameToyStarts:
		s.Optimizer.Starts = toyStarts
	case namePaper:
		s = *wda.PaperSettings(0)
	}
	s.Objective.Lambda, s.Objective.Iterations = wda.RelativeLambda(lambda), iterations
	return ofWDA(name, s)
}

// toyLambdas returns the tested values of λ and of L, the number of Sinkhorn iterations. λ is a
// relative value, see wda.RelativeLambda.
func (j *job) toyLambdas() (lambdas []float64, iterations []int) {
	if j.Small {
		return []float64{0.1, 3}, []int{1, 10}
	}
	return []float64{0.01, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 20, 30, 100}, []int{1, 2, 5, 10, 20}
}

// toyLambdaNames maps names of methods to longer names for the legend.
var toyLambdaNames = map[string]string{
	nameToyStarts: fmt.Sprintf("WDA, %d starts", toyStarts),
	nameToyOne:    "WDA, one start",
	namePaper:     "paper's solver",
}

// toyIterations is the number L of Sinkhorn iterations of the methods that do not vary L.
const toyIterations = 10

func runToyLambda(ctx context.Context, j *job) error {
	s := j.toySizes()
	lambdas, iterations := j.toyLambdas()
	g := grid{
		columns: []string{"method", "trial", "lambda", "iterations"},
		within:  []string{"k"},
		settings: append(j.toySettings(s),
			newSetting("λ", lambdas), newSetting("L", iterations), newSetting("p", toyP), newSetting("K", toyK),
		),
	}
	chosen := ofWDA(nameWDA, wda.Settings{}) // its λ, too
	var cells []cell
	for trial := range j.Trials {
		for _, m := range j.methods {
			for _, lambda := range lambdas {
				for _, l := range iterations {
					if m.name != nameToyStarts && l != toyIterations {
						continue
					}
					m := withLambda(m.name, lambda, l)
					cells = append(cells, newCell(func(ctx context.Context) (*output, error) {
						return j.toyLambdaCell(ctx, s, m, trial)
					}, m.settings, m.name, trial, lambda, l))
				}
			}
		}
		for _, m := range []method{trueProjection(), chosen} {
			cells = append(cells, newCell(func(ctx context.Context) (*output, error) {
				return j.toyLambdaCell(ctx, s, m, trial)
			}, m.settings, m.name, trial, "", ""))
		}
	}
	r, err := j.compute(ctx, g, cells)
	if err != nil {
		return err
	}
	return j.reportToyLambda(r, lambdas, iterations)
}

func (j *job) toyLambdaCell(ctx context.Context, s toySizes, m method, trial int) (*output, error) {
	train, test := j.toyData(s, trial)
	p, err := m.fit(ctx, trainingFor(train, toyP), toyP)
	if err != nil {
		return nil, err
	}
	errs, err := knnErrors(ctx, train, test, p, []int{toyK})
	if err != nil {
		return nil, err
	}
	o := new(output)
	o.addValue("error", errs[0], toyK)
	return o, nil
}

func (j *job) reportToyLambda(r *results, lambdas []float64, iterations []int) error {
	truth := stat.Mean(r.values("error", selector{"method": nameTrue}), nil)
	curve := func(method string, l int) series {
		s := series{x: lambdas}
		for _, lambda := range lambdas {
			e := r.values("error", selector{"method": method, "lambda": lambda, "iterations": l})
			y, bar := math.NaN(), 0.
			if len(e) > 0 {
				y = stat.Mean(e, nil)
			}
			if len(e) > 1 {
				bar = stat.StdErr(stat.StdDev(e, nil), float64(len(e)))
			}
			s.y, s.bar = append(s.y, y), append(s.bar, bar)
		}
		return s
	}
	ends := []float64{lambdas[0], lambdas[len(lambdas)-1]}
	line := series{name: "true dimensions", look: looks[nameTrue], x: ends, y: []float64{truth, truth}}
	chosen := stat.Mean(r.values("error", selector{"method": nameWDA}), nil)
	j.addFinding("WDA by default, which chooses λ from the data: %.3f; in the true dimensions %.3f.", chosen, truth)
	var left, right []series
	for _, m := range j.methods {
		s := curve(m.name, toyIterations)
		s.look = looks[m.name]
		s.name = toyLambdaNames[m.name]
		left = append(left, s)
		from, to, lowest, at := goodRange(s, truth)
		if from == 0 {
			j.addFinding("%s, L = %d: no λ comes within %.2f of the error %.3f in the true dimensions; the lowest is %.3f at λ = %g.", s.name, toyIterations, toyGoal, truth, lowest, at)
			continue
		}
		j.addFinding("%s, L = %d: within %.2f of the error %.3f in the true dimensions from λ = %g to %g; the lowest is %.3f at λ = %g.",
			s.name, toyIterations, toyGoal, truth, from, to, lowest, at)
	}
	tab := &table{
		Title: fmt.Sprintf("Test error in percent, p = 2, K = %d", toyK),
		Head:  []string{"λ"},
		Note:  "Mean ± standard deviation over the draws; bold: the lowest of its row. λ is relative to the data.",
	}
	for _, s := range left {
		tab.Head = append(tab.Head, fmt.Sprintf("%s, L = %d", s.name, toyIterations))
	}
	left = append(left, series{name: "WDA, default", look: lookOf("", 4), x: ends, y: []float64{chosen, chosen}}, line)
	ours := len(r.match(selector{"method": nameToyStarts})) > 0
	if ours {
		for i, l := range iterations {
			s := curve(nameToyStarts, l)
			s.name, s.bar, s.look = fmt.Sprintf("L = %d", l), nil, lookOf("", i)
			right = append(right, s)
			if l != toyIterations {
				tab.Head = append(tab.Head, fmt.Sprintf("L = %d", l))
			}
		}
		right = append(right, line)
	}
	for _, lambda := range lambdas {
		row := tableRow{Name: formatValue(lambda)}
		var all [][]float64
		add := func(method string, l int) {
			e := r.values("error", selector{"method": method, "lambda": lambda, "iterations": l})
			row.Fields, all = append(row.Fields, percentField(e)), append(all, e)
		}
		for _, m := range j.methods {
			add(m.name, toyIterations)
		}
		if ours {
			for _, l := range iterations {
				if l != toyIterations {
					add(nameToyStarts, l)
				}
			}
		}
		row.markBest(all)
		tab.Rows = append(tab.Rows, row)
	}
	caption := fmt.Sprintf("Test error in p = 2 dimensions, K = %d, mean of %d draws, against λ (relative to the data). Left: L = %d; bars are the standard error of the mean; the default chooses λ from the data. Right: five starts, for several numbers L of Sinkhorn iterations.",
		toyK, j.Trials, toyIterations)
	err := j.addFigure("error", caption, 1060, 400, func(c draw.Canvas) {
		n := 1
		if right != nil {
			n = 2
		}
		t := divideCanvas(c, 1, n, 14)
		drawCurves(t[0], curves{title: fmt.Sprintf("L = %d", toyIterations), x: "λ", y: "test error", logX: true, logY: true, yMin: 0.01, yMax: 0.8, series: left})
		if right != nil {
			drawCurves(t[1], curves{title: "several L", x: "λ", y: "test error", logX: true, logY: true, yMin: 0.01, yMax: 0.8, series: right})
		}
	})
	if err != nil {
		return err
	}
	j.addTable(tab)
	lost := &table{
		Title: fmt.Sprintf("Draws of %d in which the two dimensions were not found, L = %d", j.Trials, toyIterations),
		Head:  []string{"λ"},
		Note:  fmt.Sprintf("Error more than %g above the mean of that in the true dimensions.", missedBy),
	}
	for _, m := range j.methods {
		lost.Head = append(lost.Head, toyLambdaNames[m.name])
	}
	for _, lambda := range lambdas {
		row := tableRow{Name: formatValue(lambda)}
		for _, m := range j.methods {
			e := r.values("error", selector{"method": m.name, "lambda": lambda, "iterations": toyIterations})
			row.Fields = append(row.Fields, numberField("%.0f", float64(countMissed(e, truth))))
		}
		lost.Rows = append(lost.Rows, row)
	}
	j.addTable(lost)
	j.addHeading("What reproduces, and what does not")
	j.addParagraph("The paper finds equally good errors over almost an order of magnitude of λ, and with few Sinkhorn iterations as well as with many, but for large λ. Both hold here, if several starts are allowed. " +
		"With small λ transport is uniform and WDA is Fisher's criterion, for which there is nothing to be found in these data; with large λ samples see only their nearest neighbors, which are there in any dimensions.")
	j.addParagraph("From one start, the principal components, the solvers end in a bad local maximum in some draws, the more often the larger λ is, as the last table shows: the best J of several starts is then near the true dimensions. "+
		"The paper's solver has to do with smaller λ therefore. %d starts (wda.Settings.Starts), of which the best J is taken, are enough here. At λ = 1 there remain draws whose best J is elsewhere.", toyStarts)
	j.addParagraph("λ is relative to the data (section 5.1 of the paper), and so it seems to be in its figure, whose values cannot be compared, as it does not say how far its modes are apart.")
	return nil
}

// goodRange returns the widest range of x in which the curve s is at most truth + toyGoal. If no
// range exists, both ends are 0. The last two results are the lowest value of the curve and the x
// of this value.
func goodRange(s series, truth float64) (from, to, lowest, at float64) {
	lowest = math.Inf(1)
	start := -1
	for i := range s.x {
		if s.y[i] < lowest {
			lowest, at = s.y[i], s.x[i]
		}
		if !(s.y[i] <= truth+toyGoal) {
			start = -1
			continue
		}
		if start < 0 {
			start = i
		}
		if from == 0 || s.x[i]/s.x[start] > to/from {
			from, to = s.x[start], s.x[i]
		}
	}
	return
}
