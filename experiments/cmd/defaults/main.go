// Command defaults compares the default settings of package wda with PCA and with other settings.
// Each row of the printed table shows mean nearest-neighbor errors on test data. To save time,
// every choice of settings except the default uses float32. With 20 splits the command takes about
// half an hour.
//
//	go run ./cmd/defaults -splits 20 -run USPS FOLDER
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// candidate is a choice of settings.
type candidate struct {
	name string
	set  func(p int) *wda.Settings
}

// neighbors contains the values K for which the errors of the K-nearest-neighbor classifier are
// measured.
var neighbors = []int{5, 1}

func main() {
	log.SetFlags(0)
	splits := flag.Int("splits", 20, "number of random splits, at least 2")
	pattern := flag.String("run", "", "regular expression of the data to use")
	flag.Parse()
	want, err := regexp.Compile(*pattern)
	if err != nil {
		log.Fatal(err)
	}
	if flag.NArg() != 1 || *splits < 2 {
		log.Fatal("usage: defaults [flags] FOLDER")
	}
	all := candidates()
	fmt.Print("| K | data | n, d, p | default − PCA | PCA |")
	for _, c := range all {
		fmt.Printf(" %s |", c.name)
	}
	fmt.Println()
	for _, e := range experiments {
		if !want.MatchString(e.name) {
			continue
		}
		if err := e.compare(context.Background(), flag.Arg(0), *splits, all); err != nil {
			log.Fatalf("%s: %v", e.name, err)
		}
	}
}

func candidates() []candidate {
	with := func(s wda.Settings) func(int) *wda.Settings {
		return func(p int) *wda.Settings {
			s.Components, s.Objective.Float32 = p, true
			return &s
		}
	}
	return []candidate{
		{"default", func(p int) *wda.Settings { return &wda.Settings{Components: p} }},
		{"λ = 0.1", with(wda.Settings{Objective: wda.Objective{Lambda: wda.RelativeLambda(0.1)}})},
		{"ρ = 0", with(wda.Settings{Objective: wda.Objective{Shrinkage: wda.FixedShrinkage(0)}})},
		{"ρ = 0.25", with(wda.Settings{Objective: wda.Objective{Shrinkage: wda.FixedShrinkage(0.25)}})},
		{"ρ = 1", with(wda.Settings{Objective: wda.Objective{Shrinkage: wda.FixedShrinkage(1)}})},
		{"paper", func(p int) *wda.Settings {
			s := wda.PaperSettings(p)
			s.Optimizer.MaxSteps, s.Objective.Float32 = 100, true
			return s
		}},
	}
}

// experiment is a data set and the division of its rows into training and test rows.
type experiment struct {
	name, file string
	p          int
	train      int  // number of training rows; 0 means half of all rows
	noise      bool // the paper's protocol for small data: standardize and append 100 noise features
}

var experiments = []experiment{
	{"simulated", "", 2, 100, false},
	{"wine", "wine.csv.gz", 5, 0, true},
	{"vehicle", "vehicle.csv.gz", 5, 0, true},
	{"ionosphere", "ionosphere.csv.gz", 5, 0, true},
	{"glass", "glass.csv.gz", 5, 0, true},
	{"credit", "credit_australian.csv.gz", 5, 0, true},
	{"DeCAF6", "office_webcam_dslr_decaf6.npz", 10, 0, false},
	{"MNIST", "mnist.npz", 10, 1000, false},
	{"MNIST", "mnist.npz", 20, 1000, false},
	{"isolet", "isolet.npz", 20, 1560, false},
	{"USPS", "usps.npz", 10, 1000, false},
}

// compare prints a row for each number of neighbors.
func (e experiment) compare(ctx context.Context, folder string, splits int, all []candidate) error {
	began := time.Now()
	var data *dataset.Dataset // nil if the data are simulated
	if e.file != "" {
		var err error
		if data, err = dataset.ReadFile(filepath.Join(folder, e.file), nil); err != nil {
			return err
		}
	}
	// errors[k][0] holds the errors of PCA, one for every split.
	errors := make([][][]float64, len(neighbors))
	for k := range errors {
		errors[k] = make([][]float64, 1+len(all))
	}
	var n, d int
	for seed := range uint64(splits) {
		train, test, err := e.split(data, seed+1)
		if err != nil {
			return err
		}
		n, d = train.X.Dims()
		add := func(column int, y, z *mat.Dense) error {
			predicted, err := knn.Predict(ctx, dense.View(y), train.Labels, dense.View(z), neighbors, nil)
			for k, labels := range predicted {
				errors[k][column] = append(errors[k][column], knn.ErrorRate(labels, test.Labels))
			}
			return err
		}
		var y, z mat.Dense
		p, err := baseline.Fit(ctx, train.X, nil, e.p, baseline.PCA{})
		if err != nil {
			return err
		}
		y.Mul(train.X, p)
		z.Mul(test.X, p)
		if err := add(0, &y, &z); err != nil {
			return err
		}
		for i, c := range all {
			m, err := wda.Fit(ctx, train.X, train.Labels, c.set(e.p))
			if err != nil {
				return err
			}
			m.Transform(&y, train.X)
			m.Transform(&z, test.X)
			if err := add(1+i, &y, &z); err != nil {
				return err
			}
		}
	}
	for k, columns := range errors {
		difference := slices.Clone(columns[1])
		floats.Sub(difference, columns[0])
		mean, std := stat.MeanStdDev(difference, nil)
		fmt.Printf("| %d | %s | %d, %d, %d | %+.3f ± %.3f |", neighbors[k], e.name, n, d, e.p, mean, stat.StdErr(std, float64(splits)))
		for _, c := range columns {
			fmt.Printf(" %.3f |", stat.Mean(c, nil))
		}
		fmt.Println()
	}
	log.Printf("%s: %.0f s", e.name, time.Since(began).Seconds())
	return nil
}

// split draws training and test rows. If the file marks official test rows, split uses these rows.
// Otherwise all rows that are not training rows are test rows.
func (e experiment) split(all *dataset.Dataset, seed uint64) (train, test *dataset.Dataset, err error) {
	switch {
	case all == nil:
		return dataset.Simulation{Seed: 2 * seed}.Generate(e.train), dataset.Simulation{Seed: 2*seed + 1}.Generate(5000), nil
	case all.Split != nil:
		if test, train, err = all.SplitBy(1); err == nil {
			train, err = train.Sample(e.train, seed)
		}
	default:
		fraction := 0.5
		if e.train > 0 {
			fraction = 1 - float64(e.train)/float64(all.Len())
		}
		train, test, err = all.TrainTest(fraction, seed)
	}
	if err == nil && e.noise {
		train.X, test.X = withNoise(train.X, train.X, seed), withNoise(train.X, test.X, seed+1<<32)
	}
	return train, test, err
}

// withNoise standardizes x with the column means and standard deviations of train. It then appends
// 100 columns of Gaussian noise.
func withNoise(train, x *mat.Dense, seed uint64) *mat.Dense {
	const noise = 100
	m, d := train.Dims()
	n, _ := x.Dims()
	rng := rand.New(rand.NewPCG(seed, 9))
	out := mat.NewDense(n, d+noise, nil)
	for j := range d {
		mean := mat.Sum(train.ColView(j)) / float64(m)
		var v float64
		for i := range m {
			v += math.Pow(train.At(i, j)-mean, 2) / float64(m)
		}
		if v == 0 {
			v = 1
		}
		for i := range n {
			out.Set(i, j, (x.At(i, j)-mean)/math.Sqrt(v))
		}
	}
	for i := range n {
		for j := range noise {
			out.Set(i, d+j, rng.NormFloat64())
		}
	}
	return out
}
