package wda_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// TestSolvers makes the tables of SOLVERS.md on MNIST, p = 10, ρ = 0.5: J, how
// stationary it is, the error of 5 nearest neighbors among the training digits on the
// official test digits, and the time of every solver. MONGE_SOLVERS names numbers of
// training digits, solvers (or pca) and batch sizes, "1000,4096/60000 auto,minibatch
// 32,64": 4096/60000 fits to 4096 of 60 000 digits, which are all neighbors then.
// MONGE_FLOAT32 fits in float32; MONGE_SCORE evaluates J of all digits, too.
func TestSolvers(t *testing.T) {
	fields := strings.Fields(os.Getenv("MONGE_SOLVERS"))
	if len(fields) != 3 {
		t.Skip("an experiment of minutes: set MONGE_SOLVERS")
	}
	all, err := dataset.ReadFile(testdata.Shared(t, "data", "mnist.npz"), nil)
	if err != nil {
		t.Fatal(err)
	}
	test, train, err := all.SplitBy(1)
	if err != nil {
		t.Fatal(err)
	}
	sample := func(text string) *dataset.Dataset {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		if n >= train.Len() {
			return train
		}
		part, err := train.Sample(n, 1)
		if err != nil {
			t.Fatal(err)
		}
		return part
	}
	for _, size := range strings.Split(fields[0], ",") {
		few, many, _ := strings.Cut(size, "/")
		part := sample(few)
		neighbors := part
		if many != "" {
			neighbors = sample(many)
		}
		for _, name := range strings.Split(fields[1], ",") {
			if name == "pca" {
				p, err := baseline.Fit(t.Context(), part.X, nil, 10, baseline.PCA{})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("| %s | pca | | | | %.4f |", size, nearestError(t, p, neighbors, test))
				continue
			}
			solver, err := wda.ParseMethod(name)
			if err != nil {
				t.Fatal(err)
			}
			_, batches := solver.(wda.MiniBatch)
			for _, batch := range strings.Split(fields[2], ",") {
				b, err := strconv.Atoi(batch)
				if err != nil {
					t.Fatal(err)
				}
				if batches {
					solver = wda.MiniBatch{BatchSize: b}
				}
				set := &wda.Settings{Components: 10, Optimizer: wda.Optimizer{Method: solver}, Objective: wda.Objective{Shrinkage: wda.FixedShrinkage(0.5), Float32: os.Getenv("MONGE_FLOAT32") != ""}}
				m, err := wda.Fit(t.Context(), part.X, part.Labels, set)
				if err != nil {
					t.Fatal(err)
				}
				r := m.Report()
				if batches {
					name = fmt.Sprintf("minibatch, %d", b)
				}
				score := ""
				if os.Getenv("MONGE_SCORE") != "" {
					s, err := wda.Score(t.Context(), neighbors.X, neighbors.Labels, m.Projection(), &wda.Scoring{Objective: wda.Objective{Lambda: wda.LambdaMatrix(r.Lambda), Float32: true}})
					if err != nil {
						t.Fatal(err)
					}
					score = fmt.Sprintf(" J of all %.4f |", s.Between/(s.Within+r.Ridge))
				}
				t.Logf("| %s | %s | %.4f | %.2g | %d | %.4f | %.2f s |%s %v, J of %d, %+v", size, name, r.Objective, r.GradientNorm/r.Objective, r.Steps,
					nearestError(t, m.Projection(), neighbors, test), r.Elapsed.Seconds(), score, r.Status, r.ObjectiveSamples, r.Evaluations)
				if !batches {
					break
				}
			}
		}
	}
}

// nearestError returns the share of test samples that 5 nearest neighbors among the
// training samples classify wrongly after the projection p.
func nearestError(t *testing.T, p *mat.Dense, train, test *dataset.Dataset) float64 {
	t.Helper()
	projected := func(x *mat.Dense) dist.Matrix[float64] {
		var y mat.Dense
		y.Mul(x, p)
		raw := y.RawMatrix()
		return dist.Matrix[float64]{Rows: raw.Rows, Cols: raw.Cols, Stride: raw.Stride, Data: raw.Data}
	}
	got, err := knn.Predict(t.Context(), projected(train.X), train.Labels, projected(test.X), []int{5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return knn.ErrorRate(got[0], test.Labels)
}
