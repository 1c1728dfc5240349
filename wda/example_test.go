package wda_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

func Example() {
	d := dataset.Simulation{Seed: 1}.Generate(100) // d.X is a *mat.Dense, 100 × 10
	m, err := wda.Fit(context.Background(), d.X, d.Labels, &wda.Settings{Components: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d members of the family were compared\n", len(m.Report().Choice.Members))

	var y mat.Dense
	m.Transform(&y, d.X) // all samples at once
	rows, cols := y.Dims()
	fmt.Println(rows, "×", cols)

	features, components := m.Dims()
	request, answer := make([]float64, features), make([]float64, components)
	err = m.TransformVec(answer, request) // projects one request without allocation, from any goroutine
	if err != nil {
		log.Fatal(err)
	}

	file, err := m.MarshalBinary() // the contents of a model file for another process
	if err != nil {
		log.Fatal(err)
	}
	again, _, err := wda.Load(bytes.NewReader(file), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Equal(again.Projection(), m.Projection()))
	// Output:
	// 38 members of the family were compared
	// 100 × 2
	// true
}

// Several fits to the same samples share the work that does not depend on λ or p.
func ExamplePrepare() {
	d := dataset.Simulation{Seed: 1}.Generate(100)
	samples, err := wda.Prepare(context.Background(), d.X, d.Labels, &wda.Preparation{Components: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, lambda := range []float64{0.1, 3} {
		m, err := samples.Fit(context.Background(), &wda.Settings{
			Data:      wda.Data{Whitening: wda.NoWhitening()},
			Objective: wda.Objective{Lambda: wda.RelativeLambda(lambda), Shrinkage: wda.FixedShrinkage(0)},
			Scale:     wda.ScaleOrthonormal,
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("λ = %v: J = %.1f\n", lambda, m.Report().Objective)
	}
	// Output:
	// λ = 0.1: J = 1.1
	// λ = 3: J = 6.9
}

// A service continues to answer requests while its model is replaced. The new file is checked first, and requests in
// flight finish on the old model.
func ExampleHolder() {
	d := dataset.Simulation{Seed: 1}.Generate(100)
	m, err := wda.Fit(context.Background(), d.X, d.Labels, &wda.Settings{Components: 2, Objective: wda.Objective{Lambda: wda.RelativeLambda(3)}})
	if err != nil {
		log.Fatal(err)
	}
	c, err := wda.NewClassifier(context.Background(), m, d.X, d.Labels, 5)
	if err != nil {
		log.Fatal(err)
	}
	file, err := c.MarshalBinary() // written by a training job
	if err != nil {
		log.Fatal(err)
	}

	var served wda.Holder
	known := d.X.RawRowView(0)
	check := func(_ *wda.Model, c *wda.Classifier) error {
		class, err := c.Predict(known, nil)
		if err == nil && class.Label != d.Labels[0] {
			err = fmt.Errorf("a known sample is taken for %s", class.Name)
		}
		return err
	}
	if err := served.Reload(bytes.NewReader(file), nil, check); err != nil {
		log.Fatal(err)
	}
	fmt.Println(served.Reload(bytes.NewReader(file[:100]), nil, check)) // the old model stays

	w := new(wda.Workspace) // each goroutine needs one workspace, which works with every model
	_, now := served.Get()  // once per request
	class, err := now.Predict(known, w)
	fmt.Println(class.Label == d.Labels[0], err, now.Hash() == c.Hash())
	// Output:
	// not a valid model: the file does not end with a checksum: it is truncated, or it is an NPZ file but not a model
	// true <nil> true
}

// This example prints two measures of how certain a predicted class is: the share of each class among the neighbors, and the
// distances to the neighbors.
func ExampleClassifier_Predict() {
	d := dataset.Simulation{Seed: 1}.Generate(100)
	m, err := wda.Fit(context.Background(), d.X, d.Labels, &wda.Settings{Components: 2, Objective: wda.Objective{Lambda: wda.RelativeLambda(3)}})
	if err != nil {
		log.Fatal(err)
	}
	c, err := wda.NewClassifier(context.Background(), m, d.X, d.Labels, 5)
	if err != nil {
		log.Fatal(err)
	}
	w := new(wda.Workspace) // of one goroutine
	shares := make([]float64, len(c.Labels()))
	known, err := c.Predict(d.X.RawRowView(0), w)
	w.Shares(shares)
	fmt.Println(known.Name, shares, err)
	strange, err := c.Predict([]float64{50, 50, 0, 0, 0, 0, 0, 0, 0, 0}, w)
	fmt.Println(strange.SqDistance > 100*known.SqDistance, err) // too far from all samples to be trusted
	_, err = c.Predict([]float64{0, 0, math.NaN(), 0, 0, 0, 0, 0, 0, 0}, w)
	fmt.Println(err)
	// Output:
	// 0 [1 0 0] <nil>
	// true <nil>
	// value is not finite: row 0, column 2 is NaN
}

// CrossValidate compares settings on held-out samples. The best settings are then fitted to all
// samples.
func ExampleCrossValidate() {
	d := dataset.Simulation{Seed: 1}.Generate(60)
	found, err := wda.CrossValidate(context.Background(), d.X, d.Labels, &wda.CrossValidation{
		Fit:        wda.Settings{Objective: wda.Objective{Shrinkage: wda.FixedShrinkage(0.5)}},
		Components: []int{1, 2},
		Lambda:     []wda.Lambda{wda.RelativeLambda(0.01), wda.RelativeLambda(3)},
		Neighbors:  []int{5},
		Folds:      3,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d candidates; best: p = %d, λ = %v\n", len(found.Candidates), found.Best.Components, found.Best.Lambda)
	m, err := wda.Fit(context.Background(), d.X, d.Labels, &found.Settings)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Dims())
	// Output:
	// 4 candidates; best: p = 2, λ = 3
	// 10 2
}
