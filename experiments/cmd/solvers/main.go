// Command solvers makes the tables of wda/SOLVERS.md on MNIST, with p = 10 and ρ = 0.5. Each row of
// a table describes one solver: the objective J, the relative norm of its gradient, the number of
// steps, the error of a 5-nearest-neighbor classifier on the official test digits, and the time.
//
//	go run ./cmd/solvers -sizes 1000 -solvers pca,auto,eigen,minibatch -batches 8,64 mnist.npz
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"strconv"
	"strings"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

const components = 10

func main() {
	log.SetFlags(0)
	sizes := flag.String("sizes", "1000", "numbers of training digits; 4096/60000 fits to 4096 of 60 000 digits, which are all neighbors then")
	solvers := flag.String("solvers", "pca,auto", "solvers to compare, or pca")
	batches := flag.String("batches", "64", "batch sizes of minibatch")
	float32s := flag.Bool("float32", false, "fit in float32")
	score := flag.Bool("score", false, "also evaluate J of all digits, which takes minutes")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: solvers [flags] mnist.npz")
	}
	all, err := dataset.ReadFile(flag.Arg(0), nil)
	if err != nil {
		log.Fatal(err)
	}
	test, train, err := all.SplitBy(1)
	if err != nil {
		log.Fatal(err)
	}
	e := &experiment{train: train, test: test, float32s: *float32s, score: *score}
	for _, batch := range strings.Split(*batches, ",") {
		b, err := strconv.Atoi(batch)
		if err != nil {
			log.Fatal(err)
		}
		e.batches = append(e.batches, b)
	}
	for _, size := range strings.Split(*sizes, ",") {
		for _, solver := range strings.Split(*solvers, ",") {
			if err := e.compare(context.Background(), size, solver); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// experiment holds the digits and the values of the flags.
type experiment struct {
	train, test     *dataset.Dataset
	batches         []int
	float32s, score bool
}

// sample returns a random sample of the training digits. The sample size is given as text.
func (e *experiment) sample(text string) (*dataset.Dataset, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n >= e.train.Len() {
		return e.train, err
	}
	return e.train.Sample(n, 1)
}

// compare prints the table rows of a solver: one row for each batch size of minibatch, and one row
// for every other solver.
func (e *experiment) compare(ctx context.Context, size, name string) error {
	few, many, _ := strings.Cut(size, "/")
	part, err := e.sample(few)
	if err != nil {
		return err
	}
	neighbors, err := e.sample(cmp.Or(many, few))
	if err != nil {
		return err
	}
	if name == "pca" {
		p, err := baseline.Fit(ctx, part.X, nil, components, baseline.PCA{})
		if err != nil {
			return err
		}
		wrong, err := e.nearestError(ctx, p, neighbors)
		fmt.Printf("| %s | pca | | | | %.4f |\n", size, wrong)
		return err
	}
	method, err := wda.ParseMethod(name)
	if err != nil {
		return err
	}
	if _, ok := method.(wda.MiniBatch); !ok {
		return e.fit(ctx, size, name, method, part, neighbors)
	}
	for _, b := range e.batches {
		if err := e.fit(ctx, size, fmt.Sprintf("minibatch, %d", b), wda.MiniBatch{BatchSize: b}, part, neighbors); err != nil {
			return err
		}
	}
	return nil
}

// fit fits WDA to the given digits and prints a table row.
func (e *experiment) fit(ctx context.Context, size, name string, method wda.Method, digits, neighbors *dataset.Dataset) error {
	m, err := wda.Fit(ctx, digits.X, digits.Labels, &wda.Settings{
		Components: components,
		Optimizer:  wda.Optimizer{Method: method},
		Objective:  wda.Objective{Shrinkage: wda.FixedShrinkage(0.5), Float32: e.float32s},
	})
	if err != nil {
		return err
	}
	r, score := m.Report(), ""
	if e.score {
		s, err := wda.Score(ctx, neighbors.X, neighbors.Labels, m.Projection(), &wda.Scoring{Objective: wda.Objective{Lambda: wda.LambdaMatrix(r.Lambda), Float32: true}})
		if err != nil {
			return err
		}
		score = fmt.Sprintf(" J of all %.4f |", s.Between/(s.Within+r.Ridge))
	}
	wrong, err := e.nearestError(ctx, m.Projection(), neighbors)
	fmt.Printf("| %s | %s | %.4f | %.2g | %d | %.4f | %.2f s |%s %v, J of %d, %+v\n", size, name, r.Objective, r.GradientNorm/r.Objective, r.Steps,
		wrong, r.Elapsed.Seconds(), score, r.Status, r.ObjectiveSamples, r.Evaluations)
	return err
}

// nearestError returns the test error of a 5-nearest-neighbor classifier on the digits projected by
// p.
func (e *experiment) nearestError(ctx context.Context, p *mat.Dense, neighbors *dataset.Dataset) (float64, error) {
	var y, z mat.Dense
	y.Mul(neighbors.X, p)
	z.Mul(e.test.X, p)
	got, err := knn.Predict(ctx, dense.View(&y), neighbors.Labels, dense.View(&z), []int{5}, nil)
	if err != nil {
		return 0, err
	}
	return knn.ErrorRate(got[0], e.test.Labels), nil
}
