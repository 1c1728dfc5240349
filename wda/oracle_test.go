package wda_test

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/oracle"
	"github.com/gomonge/monge/internal/oracle/trial"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// blocked lists folders whose Go files declare block sizes. The random cases have sizes near these block sizes.
var blocked = []string{"wda", "internal/discriminant", "internal/knn", "internal/matrix", "internal/dense", "internal/asm/project"}

func TestOracle(t *testing.T) {
	t.Run("Score", func(t *testing.T) { trial.Run(t, 30, blocked, compareScore) })
	t.Run("Model", func(t *testing.T) { trial.Run(t, 12, blocked, compareModel) })
	t.Run("CrossValidate", func(t *testing.T) { trial.Run(t, 3, blocked, compareCrossValidation) })
}

// dense returns a gonum matrix of the elements of v.
func dense(v trial.View[float64]) *mat.Dense {
	m := new(mat.Dense)
	m.SetRawMatrix(blas64.General(v))
	return m
}

// samples draws n samples of d features in separate classes, with labels in any order. Each class has at least two samples.
func samples(c *trial.Case, n, d, classes int) (trial.View[float64], []int, []int) {
	names := []int{-3, 0, 7, 100, 12, 5}[:classes]
	labels := trial.Vector(c, n, func(i int) int {
		if i < 2*classes {
			return names[i%classes]
		}
		return names[c.IntN(classes)]
	})
	scale := math.Exp(2 * c.NormFloat64())
	center := make([]float64, classes*d)
	for i := range center {
		center[i] = c.NormFloat64() * 2
	}
	x := trial.Matrix(c, n, d, func(i, j int) float64 {
		return scale * (c.NormFloat64() + center[slices.Index(names, labels[i])*d+j])
	})
	return x, labels, slices.Sorted(slices.Values(names))
}

func reals(rows [][]float64) [][]oracle.Real {
	r := make([][]oracle.Real, len(rows))
	for i, row := range rows {
		for _, v := range row {
			r[i] = append(r[i], oracle.Of(v))
		}
	}
	return r
}

func byClass(x [][]oracle.Real, labels, names []int) [][][]oracle.Real {
	classes := make([][][]oracle.Real, len(names))
	for i, l := range labels {
		k := slices.Index(names, l)
		classes[k] = append(classes[k], x[i])
	}
	return classes
}

func compareScore(c *trial.Case) {
	classes := 2 + c.IntN(3)
	small := c.Chance(2) // whether the problem is small, so that the gradient is compared, too
	n, d := 2*classes+c.IntN(8), 1+c.IntN(4)
	if !small {
		n, d = 2*classes+c.Size(60), 1+c.Size(70)
	}
	k := 1 + c.IntN(min(3, d))
	x, labels, names := samples(c, n, d, classes)
	p := trial.Matrix(c, d, k, func(i, j int) float64 { return c.NormFloat64() / math.Sqrt(float64(d)) })
	o := oracle.Discriminant{Classes: byClass(reals(x.Table()), labels, names), P: reals(p.Table())}
	s := wda.Scoring{Workers: 1 + c.IntN(3)}
	s.Objective.Float32 = c.Chance(4)
	s.Objective.Proportional = c.Chance(2)
	o.Proportional = s.Objective.Proportional
	mode := sinkhorn.GradientMode(c.IntN(3))
	s.Objective.Gradient = mode
	o.Iterations = 10
	switch {
	case mode == sinkhorn.GradientImplicit:
		o.Iterations = 0
	case c.Chance(2):
		o.Iterations = 1 + c.IntN(2)*c.IntN(12)
		s.Objective.Iterations = o.Iterations
	}
	if mode == sinkhorn.GradientFrozen {
		o.Plans = make(map[[2]int][][]oracle.Real)
	}
	means, v := o.MeanCosts(), 1.0
	most := 0.0 // λ·cost
	o.Lambda = make([][]oracle.Real, classes)
	if c.Chance(2) {
		v = 0.1 + 2*c.Float64()
		s.Objective.Lambda = wda.RelativeLambda(v)
	}
	for a := range o.Lambda {
		for _, m := range means[a] {
			o.Lambda[a] = append(o.Lambda[a], oracle.Of(v).Div(m))
		}
	}
	if c.Chance(4) { // replace λ by a matrix or by one absolute λ
		l := trial.Matrix(c, classes, classes, func(a, b int) float64 { return 1 / means[0][1].Hi })
		o.Lambda = reals(l.Table())
		if s.Objective.Lambda = wda.LambdaMatrix(dense(l)); c.Chance(2) {
			s.Objective.Lambda = wda.AbsoluteLambda(l.Row(0)[0])
		}
	}
	rho := 1.0
	if c.Chance(2) {
		rho = float64(c.IntN(3)) / 2
		s.Objective.Shrinkage = wda.FixedShrinkage(rho)
	}
	_, _, atStart := o.Evaluate()
	o.Ridge = atStart.Mul(oracle.Of(rho))
	want, between, within := o.Evaluate()
	for a := range means {
		for b := range means {
			most = max(most, 20*means[a][b].Mul(o.Lambda[a][b]).Hi)
		}
	}
	numbers := trial.OutputVector[float64](c, 6)
	gradient, lambda := trial.Output[float64](c, d, k), trial.Output[float64](c, classes, classes)
	c.Call("Score", func() {
		r, err := wda.Score(context.Background(), dense(x), labels, dense(p), &s)
		if err != nil {
			c.Fatalf("%v, %+v", err, s.Objective)
		}
		copy(numbers, []float64{r.Objective, r.Between, r.Within, r.Ridge, r.GradientNorm, r.Infeasibility})
		for i := range d {
			copy(gradient.Row(i), r.Gradient.RawRowView(i))
		}
		for a := range classes {
			for b := range classes {
				lambda.Row(a)[b] = r.Lambda.At(a, b)
			}
		}
	})
	u := 0x1p-53
	if s.Objective.Float32 {
		u = 0x1p-24
	}
	e := u * 400 * (1 + most) * float64(k+10)
	if o.Iterations == 0 {
		e += 1e-9
		if s.Objective.Float32 {
			e += 1e-3
		}
	}
	trial.Near(c, numbers[0], want, e*want.Hi, "J of %d samples, %v, float32 %v", n, mode, s.Objective.Float32)
	trial.Near(c, numbers[1], between, e*between.Hi, "between")
	trial.Near(c, numbers[2], within, e*within.Hi, "within")
	trial.Near(c, numbers[3], o.Ridge, e*o.Ridge.Hi, "ridge")
	for a := range classes {
		for b := range classes {
			trial.Near(c, lambda.Row(a)[b], o.Lambda[a][b], (1e-12+4*u)*o.Lambda[a][b].Hi, "λ %d, %d", a, b)
		}
	}
	if !small || c.Failed() {
		return
	}
	// Compare the norm ‖G − P sym(PᵀG)‖ of the gradient G, and the infeasibility ‖PᵀP − I‖ of the projection P.
	norm, size := riemannian(o.P, reals(gradient.Table()))
	off := oracle.Real{}
	for i, row := range oracle.Multiply(transposed(o.P), o.P) {
		for j, v := range row {
			if i == j {
				v = v.Sub(oracle.Of(1))
			}
			off = off.Add(v.Mul(v))
		}
	}
	trial.Near(c, numbers[4], norm, 1e-12*(norm.Hi+10*size), "norm of the gradient")
	trial.Near(c, numbers[5], off.Sqrt(), 1e-13*(1+off.Sqrt().Hi), "infeasibility")
	largest := 0.0
	derivatives := make([]oracle.Real, 0, d*k)
	for i := range d {
		for j := range k {
			w := oracle.Derivative(&o.P[i][j], func() oracle.Real { j, _, _ := o.Evaluate(); return j })
			derivatives = append(derivatives, w)
			largest = max(largest, math.Abs(w.Hi))
		}
	}
	for i, w := range derivatives {
		trial.Near(c, gradient.Row(i / k)[i%k], w, 100*(e+1e-13)*(largest+want.Hi), "%v gradient %d, %d, float32 %v", mode, i/k, i%k, s.Objective.Float32)
	}
}

// compareModel compares projections, neighbors and classes of a model with values computed from its mean and
// projection.
func compareModel(c *trial.Case) {
	classes := 2 + c.IntN(3)
	n, d := 2*classes+4+c.Size(100), 1+c.Size(40)
	small := c.Chance(2) // whether the problem is small, so that the norm of the gradient is compared, too
	if small {
		n, d = 2*classes+4+c.IntN(8), 1+c.IntN(4)
	}
	k := 1 + c.IntN(min(4, d))
	x, labels, names := samples(c, n, d, classes)
	settings := wda.PaperSettings(k)
	settings.Optimizer.MaxSteps = 2
	if c.Chance(2) {
		settings.Objective.Shrinkage = wda.FixedShrinkage(0.5)
	}
	ctx := context.Background()
	m, err := wda.Fit(ctx, dense(x), labels, settings)
	if c.Chance(2) {
		var prepared *wda.Prepared
		if prepared, err = wda.Prepare(ctx, dense(x), labels, &wda.Preparation{Components: k, Data: settings.Data}); err == nil {
			m, err = prepared.Fit(ctx, settings)
		}
	}
	if err != nil {
		c.Fatal(err)
	}
	if rows, columns := m.Dims(); rows != d || columns != k || !slices.Equal(m.Labels(), names) {
		c.Errorf("a model of %d features, %d components and labels %v, want %d, %d and %v", rows, columns, m.Labels(), d, k, names)
	}
	compareReport(c, m, x, labels, names, small)
	compareClassifiers(c, m, x, labels)
	compareRejection(c, m, x, labels)
	queries := 1 + c.Size(300)
	q := trial.Matrix(c, queries, d, func(i, j int) float64 { return x.Row(c.IntN(n))[j] + c.NormFloat64() })
	q32 := trial.Matrix(c, queries, d, func(i, j int) float32 { return float32(q.Row(i)[j]) })
	votes := 1 + c.IntN(min(n, 12))
	classifier, err := wda.NewClassifier(ctx, m, dense(x), labels, votes)
	if err != nil {
		c.Fatal(err)
	}
	near := 1 + c.IntN(n)
	to, one := trial.Output[float64](c, queries, k), trial.Output[float64](c, queries, k)
	to32 := trial.Output[float32](c, queries, k)
	shares, own := trial.Output[float64](c, queries, classes), trial.Output[float64](c, queries, classes)
	rows, label := trial.Output[int](c, queries, near), trial.Output[int](c, queries, 3)
	distances, share := trial.Output[float64](c, queries, near), trial.Output[float64](c, queries, 4)
	workers := 1 + c.IntN(3)
	var workspace wda.Workspace
	c.Call("Model", func() {
		if err := m.Transform(dense(to), dense(q)); err != nil {
			c.Error(err)
		}
		if err := m.Transform32(dist.Matrix[float32](to32), dist.Matrix[float32](q32)); err != nil {
			c.Error(err)
		}
		found, err := classifier.Neighbors(ctx, dense(q), near, workers)
		if err != nil {
			c.Error(err)
		}
		given, err := classifier.PredictLabels(ctx, dense(shares), dense(q), workers)
		if err != nil {
			c.Error(err)
		}
		all, err := classifier.PredictAll(ctx, dense(q), workers)
		if err != nil {
			c.Error(err)
		}
		for i := range queries {
			if err := m.TransformVec(one.Row(i), q.Row(i)); err != nil {
				c.Error(err)
			}
			for j, f := range found[i] {
				rows.Row(i)[j], distances.Row(i)[j] = f.Row, f.SqDistance
				if f.Label != labels[f.Row] {
					c.Errorf("neighbor %d has label %d, want %d", f.Row, f.Label, labels[f.Row])
				}
			}
			class, err := classifier.Predict(q.Row(i), &workspace)
			if err != nil {
				c.Error(err)
			}
			if err := workspace.Shares(own.Row(i)); err != nil {
				c.Error(err)
			}
			narrow, err := classifier.Predict32(q32.Row(i), nil)
			if err != nil {
				c.Error(err)
			}
			label.Row(i)[0], label.Row(i)[1], label.Row(i)[2] = given[i], class.Label, all[i].Label
			share.Row(i)[0], share.Row(i)[1], share.Row(i)[2], share.Row(i)[3] = class.Share, class.SqDistance, all[i].Share, narrow.Share
		}
	})
	mean := m.Mean()
	var table [][]float64
	for i := range d {
		table = append(table, m.Projection().RawRowView(i))
	}
	p := reals(table)
	project := func(row []float64) (y []oracle.Real, size []float64) {
		y, size = make([]oracle.Real, k), make([]float64, k)
		for i, v := range row {
			for l := range k {
				y[l] = y[l].Add(oracle.Of(v).Sub(oracle.Of(mean[i])).Mul(p[i][l]))
				size[l] += (math.Abs(v) + math.Abs(mean[i])) * math.Abs(p[i][l].Hi)
			}
		}
		return y, size
	}
	var stored [][]oracle.Real
	for _, row := range x.Table() {
		y, _ := project(row)
		stored = append(stored, y)
	}
	const u = 0x1p-53
	for i, row := range q.Table() {
		y, size := project(row)
		wide := make([]float64, d)
		for j, v := range q32.Row(i) {
			wide[j] = float64(v)
		}
		y32, size32 := project(wide)
		far := 0.0
		for l := range k {
			bound := 2 * float64(d+2) * u * size[l]
			far = max(far, bound)
			trial.Near(c, to.Row(i)[l], y[l], bound, "projection %d, %d", i, l)
			trial.Near(c, to32.Row(i)[l], y32[l], 2*float64(d+2)*u*size32[l]+0x1p-24*math.Abs(y32[l].Hi), "projection %d, %d in float32", i, l)
			if one.Row(i)[l] != to.Row(i)[l] {
				c.Errorf("TransformVec %v, Transform %v", one.Row(i)[l], to.Row(i)[l])
			}
		}
		want := oracle.Nearest(stored, y)
		for j, w := range want[:near] {
			// Neighbors may be swapped if their distances differ only by rounding errors.
			bound := 8 * (far*math.Sqrt(w.SqDistance.Hi) + far*far + u*w.SqDistance.Hi) * float64(k+3)
			got := distances.Row(i)[j]
			trial.Near(c, got, w.SqDistance, bound, "distance of neighbor %d", j)
			own := oracle.Nearest(stored[rows.Row(i)[j]:rows.Row(i)[j]+1], y)[0].SqDistance
			trial.Near(c, got, own, bound, "distance of row %d, neighbor %d", rows.Row(i)[j], j)
			if j > 0 && (got < distances.Row(i)[j-1] || got == distances.Row(i)[j-1] && rows.Row(i)[j] < rows.Row(i)[j-1]) {
				c.Errorf("neighbors %d and %d are in the wrong order", j-1, j)
			}
		}
		if near < votes {
			continue
		}
		var voters []int
		counts := make([]float64, classes)
		for _, r := range rows.Row(i)[:votes] {
			voters = append(voters, labels[r])
			counts[slices.Index(names, labels[r])] += 1 / float64(votes)
		}
		l, s := oracle.Vote(voters)
		for _, got := range label.Row(i) {
			if got != l {
				c.Errorf("class %d of neighbors %v, want %d", got, voters, l)
			}
		}
		if math.Abs(share.Row(i)[0]-s) > 1e-15 || share.Row(i)[2] != share.Row(i)[0] || share.Row(i)[1] != distances.Row(i)[votes-1] {
			c.Errorf("share and distance %v, want %v and %v", share.Row(i), s, distances.Row(i)[votes-1])
		}
		for j, v := range counts {
			if math.Abs(shares.Row(i)[j]-v) > 1e-14 || own.Row(i)[j] != shares.Row(i)[j] {
				c.Errorf("shares %v and %v, want %v", shares.Row(i), own.Row(i), counts)
			}
		}
		if c.Failed() {
			return
		}
	}
}

// compareClassifiers checks a classifier that uses only the first components of m and a random number of neighbors. It
// writes the classifier to a file, reads the file, and converts the classifier to several kinds of storage.
func compareClassifiers(c *trial.Case, m *wda.Model, x trial.View[float64], labels []int) {
	c.Alone()
	ctx := context.Background()
	d, p := m.Dims()
	must := func(err error) {
		if err != nil {
			c.Fatal(err)
		}
	}
	votes, first := 1+c.IntN(len(labels)), 1+c.IntN(p)
	cut, err := m.Cut(first)
	must(err)
	exact, err := wda.NewClassifier(ctx, cut, dense(x), labels, 1)
	must(err)
	exact, err = exact.WithK(votes)
	must(err)
	file, err := exact.MarshalBinary()
	must(err)
	model, loaded, err := wda.Load(bytes.NewReader(file), nil)
	must(err)
	projected, all := mat.NewDense(len(labels), p, nil), mat.NewDense(len(labels), first, nil)
	must(m.Transform(projected, dense(x)))
	must(model.Transform(all, dense(x)))
	if loaded.K() != votes || loaded.Len() != len(labels) || !slices.Equal(loaded.Labels(), m.Labels()) || !mat.Equal(all, projected.Slice(0, len(labels), 0, first)) {
		c.Errorf("a classifier of %d neighbors of %d samples, labels %v; want %d of %d, %v", loaded.K(), loaded.Len(), loaded.Labels(), votes, len(labels), m.Labels())
	}
	// Component l of a stored sample has a rounding error of at most off[l]. Each reported distance must be within the
	// bounds that follow from these errors.
	for _, storage := range []wda.Storage{wda.StorageFloat64(), wda.StorageFloat32(), wda.StorageInt8(), wda.StoragePQ(1, 4)} {
		compact, err := loaded.WithStorage(ctx, storage, 1)
		must(err)
		off, row := make([]float64, first), map[wda.Storage]int{wda.StorageFloat64(): 8 * first, wda.StorageFloat32(): 4 * first, wda.StorageInt8(): first, wda.StoragePQ(1, 4): 1}[storage]
		for l := range off {
			column := mat.Col(nil, l, all)
			switch lo, hi := slices.Min(column), slices.Max(column); storage {
			case wda.StorageFloat32():
				off[l] = 0x1p-23 * max(-lo, hi)
			case wda.StorageInt8():
				off[l] = (hi-lo)/255/2 + 0x1p-21*max(-lo, hi)
			case wda.StoragePQ(1, 4):
				off[l] = hi - lo
			}
		}
		if storage.RowBytes(first) != row || compact.Bytes() < row*len(labels) || storage == wda.StorageFloat32() && compact.Bytes() != row*len(labels) {
			c.Errorf("%v: %d and %d bytes for %d samples of %d components", storage, storage.RowBytes(first), compact.Bytes(), len(labels), first)
		}
		i := c.IntN(len(labels))
		y := mat.Row(nil, i, all)
		found, err := compact.Neighbors(ctx, dense(trial.View[float64]{Rows: 1, Cols: d, Data: x.Row(i), Stride: d}), len(labels), 1)
		must(err)
		for _, f := range found[0] {
			least, most := 0.0, 0.0
			for l, v := range y {
				apart := math.Abs(v - all.At(f.Row, l))
				near, far := max(0, apart-2*off[l]), apart+2*off[l]
				least, most = least+float64(near*near), most+float64(far*far)
			}
			slack := 1e-12
			if storage != wda.StorageFloat64() {
				slack = 1e-5
			}
			if f.SqDistance < least*(1-slack) || f.SqDistance > most*(1+slack) {
				c.Errorf("%v: the distance of %d and %d is %v, not from %v to %v", storage, i, f.Row, f.SqDistance, least, most)
				return
			}
		}
	}
}

// compareRejection compares the scores and thresholds of a calibrated classifier with values computed by package
// oracle.
func compareRejection(c *trial.Case, m *wda.Model, x trial.View[float64], labels []int) {
	ctx := context.Background()
	d, _ := m.Dims()
	k := 1 + c.IntN(min(len(labels), 8))
	plain, err := wda.NewClassifier(ctx, m, dense(x), labels, k)
	if err != nil {
		c.Fatal(err)
	}
	near := func(scale float64) func(i, j int) float64 {
		return func(i, j int) float64 { return x.Row(i % x.Rows)[j] + scale*c.NormFloat64() }
	}
	known, new := trial.Matrix(c, 20+c.IntN(30), d, near(0.5)), trial.Matrix(c, 20, d, near(3))
	calibration := &wda.Calibration{Rate: []float64{0.05, 0.2, 0.9}[c.IntN(3)], Workers: 1 + c.IntN(2)}
	if c.Chance(2) {
		calibration.Unknown = dense(new)
	}
	classifier, err := plain.Calibrate(ctx, dense(known), calibration)
	if err != nil {
		c.Fatal(err)
	}
	got := classifier.Rejection()
	n := known.Rows
	if got.Rate != calibration.Rate || got.Samples != n || calibration.Unknown == nil && got.Weight != 0.4 || got.Weight < 0 || got.Weight > 1 {
		c.Errorf("calibrated: %+v", got)
	}
	mean, p := m.Mean(), make([][]oracle.Real, d)
	for i := range p {
		p[i] = reals([][]float64{m.Projection().RawRowView(i)})[0]
	}
	center := func(rows [][]float64) [][]oracle.Real {
		r := reals(rows)
		for _, row := range r {
			for j := range row {
				row[j] = row[j].Sub(oracle.Of(mean[j]))
			}
		}
		return r
	}
	stored := oracle.Multiply(center(x.Table()), p)
	// parts returns the mean squared distance to the neighbors, the residual and the predicted class of each row.
	parts := func(rows [][]float64) (distances, residuals []oracle.Real, classes []wda.Class) {
		for i, row := range center(rows) {
			sum := oracle.Real{}
			for _, z := range oracle.Nearest(stored, oracle.Multiply([][]oracle.Real{row}, p)[0])[:k] {
				sum = sum.Add(z.SqDistance.Div(oracle.Of(k)))
			}
			class, err := classifier.Predict(rows[i], nil)
			if err != nil {
				c.Fatal(err)
			}
			distances, residuals, classes = append(distances, sum), append(residuals, oracle.Residual(row, p)), append(classes, class)
		}
		return distances, residuals, classes
	}
	distances, residuals, classes := parts(known.Table())
	sorted := slices.SortedFunc(slices.Values(distances), func(a, b oracle.Real) int { return cmp.Compare(a.Hi, b.Hi) })
	logs := func(distances []oracle.Real) []oracle.Real {
		u := make([]oracle.Real, len(distances))
		for i, v := range distances {
			u[i] = oracle.Of(1).Add(v.Div(sorted[n/2])).Log()
		}
		return u
	}
	ofDistance, first := oracle.Standardized(logs(distances))
	ofResidual, second := oracle.Standardized(residuals)
	score := func(u, v oracle.Real) float64 {
		return ofDistance(u).Mul(oracle.Of(1 - got.Weight)).Add(ofResidual(v).Mul(oracle.Of(got.Weight))).Hi
	}
	sums, counts := map[int]float64{}, map[int]float64{}
	scores := make([]float64, n)
	for i, u := range logs(distances) {
		scores[i] = score(u, residuals[i])
		sums[classes[i].Label] += scores[i]
		counts[classes[i].Label]++
	}
	own := slices.Clone(scores)
	for i, s := range scores {
		label := classes[i].Label
		own[i] -= (sums[label] - s) / (counts[label] - 1 + 20)
	}
	slices.Sort(own)
	bound := 1e-11 * (1 + 1/first + 1/second)
	threshold := func(rate float64) float64 { return own[n-int(math.Floor(rate*float64(n+1)*(1+1e-12)))] }
	trial.Near(c, got.Threshold, oracle.Of(threshold(got.Rate)), bound*(1+math.Abs(got.Threshold)), "threshold for %v of %d", got.Rate, n)
	other, err := classifier.WithRejectionRate(0.5)
	if err != nil {
		c.Fatal(err)
	}
	trial.Near(c, other.Rejection().Threshold, oracle.Of(threshold(0.5)), bound*(1+math.Abs(got.Threshold)), "threshold for the half")
	distances, residuals, classes = parts(new.Table())
	for i, u := range logs(distances) {
		class := classes[i]
		want := score(u, residuals[i]) - sums[class.Label]/(counts[class.Label]+20)
		trial.Near(c, class.Score, oracle.Of(want), bound*(1+math.Abs(want)), "score %d, weight %v", i, got.Weight)
		if class.Rejected != (class.Score > got.Threshold) {
			c.Errorf("score %v, threshold %v: rejected is %v", class.Score, got.Threshold, class.Rejected)
		}
	}
}

// compareReport compares the values in the report of a fit with values computed by package oracle from the projection.
func compareReport(c *trial.Case, m *wda.Model, x trial.View[float64], labels, names []int, small bool) {
	r := m.Report()
	d, k := m.Dims()
	o := oracle.Discriminant{Classes: byClass(reals(x.Table()), labels, names), P: make([][]oracle.Real, d), Ridge: oracle.Of(r.Ridge), Iterations: 10}
	for i := range o.P {
		o.P[i] = reals([][]float64{m.Projection().RawRowView(i)})[0]
	}
	means, most := o.MeanCosts(), 0.0
	o.Lambda = make([][]oracle.Real, len(names))
	for a := range names {
		for b := range names {
			o.Lambda[a] = append(o.Lambda[a], oracle.Of(r.Lambda.At(a, b)))
			most = max(most, 20*means[a][b].Hi*r.Lambda.At(a, b))
		}
	}
	e := 0x1p-53 * 400 * (1 + most) * float64(k+10)
	objective, between, within := o.Evaluate()
	trial.Near(c, r.Objective, objective, e*objective.Hi, "J of a fit")
	trial.Near(c, r.Between, between, e*between.Hi, "between, of a fit")
	trial.Near(c, r.Within, within, e*within.Hi, "within, of a fit")
	if r.ObjectiveSamples != len(labels) {
		c.Errorf("J is said to be of %d samples, want %d", r.ObjectiveSamples, len(labels))
	}
	frozen := o
	frozen.Plans = make(map[[2]int][][]oracle.Real)
	frozen.Evaluate()
	ratios, trace, least := frozen.Ratios()
	for l, want := range ratios {
		trial.Near(c, r.Ratios[l], want, (100*e+4e-9)*trace/least*(want.Hi+objective.Hi), "ratio %d of %d", l, k)
	}
	if !small {
		return
	}
	g := make([][]oracle.Real, d)
	for i := range g {
		for j := range k {
			g[i] = append(g[i], oracle.Derivative(&o.P[i][j], func() oracle.Real { j, _, _ := o.Evaluate(); return j }))
		}
	}
	norm, size := riemannian(o.P, g)
	trial.Near(c, r.GradientNorm, norm, 100*(e+1e-13)*(size+objective.Hi)*float64(d*k), "norm of the gradient of a fit")
}

// riemannian returns ‖G − P sym(PᵀG)‖, and the largest element of G.
func riemannian(p, g [][]oracle.Real) (norm oracle.Real, size float64) {
	pg := oracle.Multiply(transposed(p), g)
	sym := make([][]oracle.Real, len(pg))
	for i := range sym {
		for j := range pg {
			sym[i] = append(sym[i], pg[i][j].Add(pg[j][i]).Ldexp(-1))
		}
	}
	for i, row := range oracle.Multiply(p, sym) {
		for j, v := range row {
			v = g[i][j].Sub(v)
			norm = norm.Add(v.Mul(v))
			size = max(size, math.Abs(g[i][j].Hi))
		}
	}
	return norm.Sqrt(), size
}

func transposed(m [][]oracle.Real) [][]oracle.Real {
	t := make([][]oracle.Real, len(m[0]))
	for j := range t {
		for i := range m {
			t[j] = append(t[j], m[i][j])
		}
	}
	return t
}

// compareCrossValidation checks leave-one-out cross-validation, whose folds do not depend on random numbers.
func compareCrossValidation(c *trial.Case) {
	classes := 2 + c.IntN(2)
	n, d := 3*classes+4+c.IntN(6), 1+c.IntN(5)
	x, labels, _ := samples(c, n, d, classes)
	for _, name := range labels { // leave-one-out needs at least three samples of each class, because two must remain
		if count := len(slices.DeleteFunc(slices.Clone(labels), func(l int) bool { return l != name })); count < 3 {
			return
		}
	}
	fit := *wda.PaperSettings(1)
	fit.Optimizer.MaxSteps = 2
	cv := &wda.CrossValidation{Fit: fit, Folds: n, Neighbors: []int{1, 2 + c.IntN(3)}, Components: []int{1, min(2, d)}}
	if d == 1 {
		cv.Components = []int{1}
	}
	ctx := context.Background()
	out := trial.Output[float64](c, len(cv.Neighbors)*len(cv.Components), n+2)
	c.Call("CrossValidate", func() {
		r, err := wda.CrossValidate(ctx, dense(x), labels, cv)
		if err != nil {
			c.Fatal(err)
		}
		best := slices.IndexFunc(r.Candidates, func(k wda.Candidate) bool { return k.Error == r.Best.Error })
		for i, k := range r.Candidates {
			if k.Neighbors != cv.Neighbors[i%len(cv.Neighbors)] || k.Components != cv.Components[i/len(cv.Neighbors)] || k.Error < r.Best.Error || i == best && k.Neighbors != r.Best.Neighbors {
				c.Errorf("candidate %d is %+v, the best %+v", i, k, r.Best)
			}
			errors := slices.Sorted(slices.Values(k.Errors))
			copy(out.Row(i), append(errors, k.Error, k.StdErr))
		}
	})
	for i := range out.Rows {
		var errors []float64
		for left := range n {
			rest, own := mat.NewDense(n-1, d, nil), make([]int, 0, n-1)
			for r, row := range x.Table() {
				if r != left {
					rest.SetRow(len(own), row)
					own = append(own, labels[r])
				}
			}
			s := fit
			s.Components = cv.Components[i/len(cv.Neighbors)]
			m, err := wda.Fit(ctx, rest, own, &s)
			if err != nil {
				c.Fatal(err)
			}
			var table [][]float64
			for k := range d {
				table = append(table, m.Projection().RawRowView(k))
			}
			var all [][]oracle.Real
			for r := range own {
				all = append(all, reals([][]float64{rest.RawRowView(r)})...)
			}
			y := oracle.Multiply(reals([][]float64{x.Row(left)}), reals(table))[0]
			var voters []int
			for _, f := range oracle.Nearest(oracle.Multiply(all, reals(table)), y)[:cv.Neighbors[i%len(cv.Neighbors)]] {
				voters = append(voters, own[f.Row])
			}
			wrong := 0.0
			if l, _ := oracle.Vote(voters); l != labels[left] {
				wrong = 1
			}
			errors = append(errors, wrong)
		}
		slices.Sort(errors)
		mean, deviation := oracle.MeanAndError(errors)
		got := out.Row(i)
		if !slices.Equal(got[:n], errors) || math.Abs(got[n]-mean) > 1e-14 || math.Abs(got[n+1]-deviation) > 1e-14 {
			c.Errorf("candidate %d: errors %v, want %v, mean %v, deviation %v", i, got, errors, mean, deviation)
		}
	}
}
