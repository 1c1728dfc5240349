package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gomonge/monge/experiments/baselines"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg/draw"
)

// suiteExperiment compares methods on the data sets of a folder. It is not part of the paper or of All.
var suiteExperiment = Experiment{
	Name:     "suite",
	Title:    "A folder of data sets: WDA beside other projections",
	Paper:    "Not in the paper",
	Trials:   3,
	Revision: 1,
	methods:  suiteMethods,
	find:     suiteFiles,
	run:      runSuite,
}

const (
	suiteK     = 5    // neighbors
	suiteTrain = 2000 // maximum number of training rows
	suiteTest  = 4000 // maximum number of test rows
	suiteFolds = 3    // number of folds of the cross-validation

	// suiteStandardize is the name of a file in the folder. It lists the data sets whose features
	// are standardized with the means and standard deviations of the training rows.
	suiteStandardize = "standardize.txt"
)

// suiteComponents are the numbers p of components compared by default.
var suiteComponents = []int{2, 5, 10, 20}

// nameLDA is FDA with the Ledoit–Wolf shrinkage of S_w. nameHalf is FDA with S_w shrunk halfway
// toward a multiple of the identity. If classes have few rows, shrinking the pooled S_w is much
// better than shrinking the covariance of each class.
const nameLDA, nameHalf = "LDA", "LDA-0.5"

// errLimit is the cause that ends a fit after Settings.Limit.
var errLimit = errors.New("experiment: the fit takes longer than its limit")

func suiteFiles(folder string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.npz"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%w: no NPZ file in %q", ErrSettings, folder)
	}
	for i, p := range paths {
		paths[i] = filepath.Base(p)
	}
	return paths, err
}

func suiteMethods() []method {
	lda := ofBaseline(baseline.FDA{LedoitWolf: true})
	lda.name = nameLDA
	half := ofBaseline(baseline.FDA{Shrinkage: 0.5})
	half.name = nameHalf
	return []method{
		ofBaseline(baseline.PCA{Workers: 1}), fewerThanClasses(ofBaseline(baseline.FDA{})), fewerThanClasses(lda), fewerThanClasses(half),
		ofBaseline(baselines.LFDA{}), ofBaseline(baselines.LMNN{}), ofBaseline(baselines.NCA{}),
		singleThreaded(namePaper, *wda.PaperSettings(0)), singleThreaded(nameWDA, wda.Settings{}),
	}
}

// fewerThanClasses returns the method m limited to C − 1 columns, where C is the number of classes.
// In further columns, the scatter between classes is 0.
func fewerThanClasses(m method) method {
	fit := m.fit
	m.fit = func(ctx context.Context, t *training, p int) (*mat.Dense, error) {
		return fit(ctx, t, min(p, classesOf(t.Dataset)-1))
	}
	return m
}

// classesOf returns the number of classes with rows.
func classesOf(d *dataset.Dataset) (n int) {
	for _, c := range d.Counts() {
		if c > 0 {
			n++
		}
	}
	return n
}

// singleThreaded returns a method that fits WDA in one goroutine. Each fit prepares its own data, in
// contrast to ofWDA.
func singleThreaded(name string, s wda.Settings) method {
	return method{name: name, settings: settingsText(s), fit: func(ctx context.Context, t *training, p int) (*mat.Dense, error) {
		s := s
		s.Components, s.Workers = p, 1
		m, err := wda.Fit(ctx, t.X, t.Labels, &s)
		if err != nil {
			return nil, err
		}
		return m.Projection(), nil
	}}
}

// suiteCandidates returns the variants of a method that cross-validation compares, or nil if the
// method has no settings to choose.
func suiteCandidates(name string) []method {
	var all []method
	switch name {
	case "FDA":
		for _, s := range []float64{0, 0.01, 0.1, 0.3, 0.6, 0.9} {
			all = append(all, fewerThanClasses(ofBaseline(baseline.FDA{Shrinkage: s})))
		}
	case "LFDA":
		for _, s := range []float64{0, 0.01, 0.1, 0.5} {
			all = append(all, ofBaseline(baselines.LFDA{Shrinkage: s}))
		}
	case "LMNN":
		for _, steps := range []int{10, 50, 500} {
			all = append(all, ofBaseline(baselines.LMNN{MaxSteps: steps}))
		}
	case "NCA":
		for _, steps := range []int{5, 15, 50} {
			all = append(all, ofBaseline(baselines.NCA{MaxSteps: steps}))
		}
	case namePaper:
		for _, steps := range []int{3, 10, 30, 100} {
			s := *wda.PaperSettings(0)
			s.Optimizer.MaxSteps = steps
			all = append(all, singleThreaded(name, s))
		}
	case nameWDA:
		for _, white := range []wda.Whitening{wda.NoWhitening(), wda.SphericalWhitening(wda.LedoitWolf)} {
			for _, rho := range []float64{0.2, 1, 5} {
				s := wda.Settings{Scale: wda.ScaleOrthonormal}
				s.Data.Whitening = white
				s.Objective.Shrinkage, s.Objective.Lambda = wda.FixedShrinkage(rho), wda.RelativeLambda(1)
				s.Optimizer.MaxSteps = 40
				all = append(all, singleThreaded(name, s))
			}
		}
	}
	return all
}

// suiteSet is a data set of the folder.
type suiteSet struct {
	name        string
	data        *dataset.Dataset
	standardize bool
}

// suiteSets reads the data sets of the folder. A file that cannot be used is reported as a failure.
func (j *job) suiteSets() ([]suiteSet, error) {
	var all []suiteSet
	text, err := os.ReadFile(filepath.Join(j.Data, suiteStandardize))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	standardize := strings.Fields(string(text))
	for _, file := range j.experiment.Data {
		name := strings.TrimSuffix(file, ".npz")
		d, err := j.data(file)
		if err == nil && d.Split != nil && !(slices.Contains(d.Split, 0) && slices.Contains(d.Split, 1)) {
			err = &dataset.FileError{Path: filepath.Join(j.Data, file), Err: errors.New("the split has no rows of value 0 or none of value 1")}
		}
		if err != nil {
			j.report.Failed = append(j.report.Failed, err.Error())
			continue
		}
		all = append(all, suiteSet{name, d, slices.Contains(standardize, name)})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no file can be used; the first: %s", ErrFailed, j.report.Failed[0])
	}
	return all, nil
}

// halves returns the training and test rows of a trial. A data set that does not mark its test rows
// is divided into random halves. Classes with a single training row are omitted from the training
// rows.
func (j *job) halves(s suiteSet, trial int) (train, test *dataset.Dataset, err error) {
	most := [2]int{suiteTrain, suiteTest}
	if j.Small {
		most = [2]int{60, 60}
	}
	if s.data.Split != nil {
		var rows [2][]int
		for i, v := range s.data.Split {
			if v == 0 || v == 1 {
				rows[v] = append(rows[v], i)
			}
		}
		train, test = s.data.Subset(rows[0]), s.data.Subset(rows[1])
	} else if train, test, err = s.data.TrainTest(0.5, j.seed("halves", s.name, trial)); err != nil {
		return nil, nil, err
	}
	for i, d := range []**dataset.Dataset{&train, &test} {
		if (*d).Len() > most[i] {
			if *d, err = (*d).Sample(most[i], j.seed("rows", s.name, trial, i)); err != nil {
				return nil, nil, err
			}
		}
	}
	counts := train.Counts()
	var kept []int
	for i, l := range train.Labels {
		if counts[l] > 1 {
			kept = append(kept, i)
		}
	}
	train = train.Subset(kept)
	if s.standardize {
		test = test.Subset(upToRow(test.Len())) // a copy, because the rows of the file must not change
		scaleBoth(train, test, true)
	}
	return train, test, nil
}

func upToRow(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Ways to choose the settings of a method.
const (
	byDefault    = "default"
	byValidation = "cross-validated"
)

func runSuite(ctx context.Context, j *job) error {
	sets, err := j.suiteSets()
	if err != nil {
		return err
	}
	if j.Components == nil {
		j.Components = suiteComponents
	}
	if j.Small {
		j.Components = []int{2, 3}
	}
	limit := j.Limit
	if limit == 0 {
		limit = 5 * time.Minute
	}
	g := grid{columns: []string{"data", "p", "method", "settings", "trial"}, settings: []setting{
		newSetting("K", suiteK), newSetting("rows to fit to, at most", suiteTrain), newSetting("rows to test with, at most", suiteTest), newSetting("folds of cross-validation", suiteFolds),
	}}
	choices := []string{byDefault}
	if j.Tuned {
		choices = append(choices, byValidation)
	}
	var cells []cell
	for trial := range j.Trials {
		for _, choice := range choices {
			for _, p := range j.Components {
				for _, s := range sets {
					for _, m := range j.methods {
						candidates := suiteCandidates(m.name)
						if s.data.Split != nil && trial > 0 || choice == byValidation && candidates == nil {
							continue
						}
						with := m.settings
						if choice == byValidation {
							with = fmt.Sprint(len(candidates), " candidates")
						}
						with = strings.TrimSpace(fmt.Sprint(with, " limit=", limit, " standardized=", s.standardize))
						cells = append(cells, newCell(func(ctx context.Context) (*output, error) {
							ctx, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
							defer cancel()
							o, err := j.suiteCell(ctx, s, m, p, choice == byValidation, trial)
							if err != nil && context.Cause(ctx) == errLimit {
								o, err = new(output), nil
								o.addValue("left out after seconds", limit.Seconds())
							}
							return o, err
						}, with, s.name, p, m.name, choice, trial))
					}
				}
			}
		}
	}
	bad := j.report.Failed
	r, err := j.compute(ctx, g, cells)
	if err != nil {
		return err
	}
	j.report.Failed = append(bad[:len(bad):len(bad)], j.report.Failed[len(bad):]...)
	return j.reportSuite(sets, choices, r)
}

// suiteCell fits a method and tests it. It measures the time of the fit, or of the whole cross-validation.
func (j *job) suiteCell(ctx context.Context, s suiteSet, m method, p int, tuned bool, trial int) (*output, error) {
	train, test, err := j.halves(s, trial)
	if err != nil {
		return nil, err
	}
	_, d := train.X.Dims()
	p = min(p, d)
	o := new(output)
	o.addValue("training rows", float64(train.Len()))
	o.addValue("test rows", float64(test.Len()))
	start := time.Now()
	if tuned {
		var candidates []candidate
		var all []int
		for i, c := range suiteCandidates(m.name) {
			candidates, all = append(candidates, candidate{c, c, false}), append(all, i)
		}
		results, err := tuneCandidates(ctx, candidates, [][]int{all}, train, test, tuning{[]int{p}, []int{suiteK}, suiteFolds}, j.seed("folds", s.name, trial))
		if err != nil {
			return nil, err
		}
		o.addValue("candidate", float64(results[0].candidate))
		o.addValue("seconds", time.Since(start).Seconds())
		o.addValue("error", results[0].test)
		return o, nil
	}
	projection, err := m.fit(ctx, trainingFor(train, p), p)
	if err != nil {
		return nil, err
	}
	o.addValue("seconds", time.Since(start).Seconds())
	errs, err := knnErrors(ctx, train, test, projection, []int{suiteK})
	if err != nil {
		return nil, err
	}
	o.addValue("error", errs[0])
	return o, nil
}

// suiteErrors returns the mean of the given measure for every method and data set. A mean is NaN if
// a trial failed or exceeded the time limit. For cross-validated settings, suiteErrors uses the
// default results of a method that has no settings to choose.
func (j *job) suiteErrors(sets []suiteSet, p int, choice string, measure string, r *results) [][]float64 {
	all := make([][]float64, len(j.methods))
	for i, m := range j.methods {
		from := choice
		if suiteCandidates(m.name) == nil {
			from = byDefault
		}
		for _, s := range sets {
			v := r.values(measure, selector{"data": s.name, "p": p, "method": m.name, "settings": from})
			trials := j.Trials
			if s.data.Split != nil {
				trials = 1
			}
			e := math.NaN()
			if len(v) == trials {
				e = stat.Mean(v, nil)
			}
			all[i] = append(all[i], e)
		}
	}
	return all
}

func (j *job) reportSuite(sets []suiteSet, choices []string, r *results) error {
	for _, choice := range choices {
		for _, p := range j.Components {
			errs := j.suiteErrors(sets, p, choice, "error", r)
			title := fmt.Sprintf("p = %d, %s settings", p, choice)
			j.addHeading(title)
			j.addTable(j.suiteTable(title, sets, errs, j.suiteErrors(sets, p, choice, "seconds", r)))
			ranks, n := ranksOver(errs)
			if n < 2 || len(ranks) < 2 {
				continue
			}
			cd := criticalDifference(len(ranks), n)
			var names, text []string
			for i, m := range j.methods {
				names, text = append(names, m.name), append(text, fmt.Sprintf("%s %.2f", m.name, ranks[i]))
			}
			j.addFinding("%s: mean ranks over %d sets: %s; critical difference %.2f, Friedman p = %.2g.", title, n, strings.Join(text, ", "), cd, friedman(ranks, n))
			name := fmt.Sprintf("ranks-%d", p)
			if choice == byValidation {
				name += "-cv"
			}
			caption := fmt.Sprintf("Mean ranks, %s, over %d sets. Methods joined by a bar do not differ by Nemenyi's test at the level 0.05 (Demšar, JMLR 7, 2006).", title, n)
			if err := j.addFigure(name, caption, 640, 90+22*(len(names)+1)/2+30, func(c draw.Canvas) { drawRanks(c, names, ranks, cd) }); err != nil {
				return err
			}
		}
	}
	j.addParagraph("Error of %d nearest neighbors in %%, at most %d training and %d test rows; p is the number of features where that is smaller. FDA and LDA have at most C − 1 columns. "+
		"FDA: no shrinkage; LDA: S_w shrunk with the intensity of Ledoit and Wolf; LDA-0.5: by half. A dash: failed or left out for its time.", suiteK, suiteTrain, suiteTest)
	return nil
}

// suiteTable returns a table with one row for every data set. The last column is the difference
// between the error of WDA and the lowest error of PCA and the two kinds of LDA.
func (j *job) suiteTable(title string, sets []suiteSet, errs, seconds [][]float64) *table {
	t := &table{Title: "Errors, " + title, Note: "Bold: the lowest.", Head: []string{"data"}}
	at := map[string]int{}
	for i, m := range j.methods {
		t.Head, at[m.name] = append(t.Head, m.name), i
	}
	_, a := at["PCA"]
	_, b := at[nameLDA]
	_, h := at[nameHalf]
	_, w := at[nameWDA]
	compare := a && b && h && w
	if compare {
		t.Head = append(t.Head, "difference")
		t.Note += " Last: WDA less the best of PCA, LDA and LDA-0.5, in points."
	}
	sum, count, worst, where := 0., 0, math.Inf(-1), ""
	for s, data := range sets {
		row := tableRow{Name: data.name}
		values := make([][]float64, len(errs))
		for i := range errs {
			if e := errs[i][s]; !math.IsNaN(e) {
				values[i] = []float64{e}
			}
			row.Fields = append(row.Fields, percentField(values[i]))
		}
		row.markBest(values)
		if compare {
			d := 100 * (errs[at[nameWDA]][s] - min(errs[at["PCA"]][s], errs[at[nameLDA]][s], errs[at[nameHalf]][s]))
			if math.IsNaN(d) {
				row.Fields = append(row.Fields, field{Text: "–"})
			} else {
				sum, count = sum+d, count+1
				if d > worst {
					worst, where = d, data.name
				}
				row.Fields = append(row.Fields, field{Text: fmt.Sprintf("%+.1f", d)})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	ranks, n := ranksOver(errs)
	rank, time := tableRow{Name: fmt.Sprintf("mean rank, %d sets", n)}, tableRow{Name: "median seconds"}
	for i := range errs {
		f := field{Text: "–"}
		if n > 0 {
			f = numberField("%.2f", ranks[i])
		}
		rank.Fields = append(rank.Fields, f)
		known := slices.DeleteFunc(slices.Clone(seconds[i]), math.IsNaN)
		f = field{Text: "–"}
		if len(known) > 0 {
			f = numberField("%.2g", median(known))
		}
		time.Fields = append(time.Fields, f)
	}
	if compare {
		f := field{Text: "–"}
		if count > 0 {
			f.Text = fmt.Sprintf("%+.1f", sum/float64(count))
			j.addFinding("%s: WDA less the best of PCA, LDA and LDA-0.5: mean %+.1f points over %d sets, worst %+.1f (%s).", title, sum/float64(count), count, worst, where)
		}
		rank.Fields, time.Fields = append(rank.Fields, f), append(time.Fields, field{})
	}
	t.Rows = append(t.Rows, rank, time)
	return t
}
