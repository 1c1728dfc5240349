package wda

import (
	"errors"
	"strings"
	"testing"

	"github.com/gomonge/monge/sinkhorn"
)

// TestMemoryImplied: what would take more memory than there may be is refused, with the
// number and what it is for, before anything is allocated: these sizes could not be.
func TestMemoryImplied(t *testing.T) {
	const many = 1 << 40
	set, err := pinned(Settings{Components: 3, Workers: 2}).withDefaults(t.Context(), 100, 10, 2)
	if err != nil {
		t.Fatal(err)
	}
	objective := func(n, d, classes int, change func(*Settings)) error {
		s := &samples{n: n, d: d, classes: make([]int, classes), offset: make([]int, classes+1)}
		for c := range classes {
			s.offset[c+1] = (c + 1) * (n / classes)
		}
		set := set
		change(&set)
		return checkNeeds(objectiveNeeds[float64](s, &set, set.Workers)...)
	}
	same := func(*Settings) {}
	for _, c := range []struct {
		name string
		err  error
		want string // "" is no error
	}{
		{"a usual fit", objective(100000, 784, 10, same), ""},
		{"usual data", checkNeeds(prepareNeeds(100000, 784, 10)...), ""},
		{"wide data", checkNeeds(prepareNeeds(10000, 100000, 10)...), ""},
		{"many features of more samples", checkNeeds(prepareNeeds(60000, 30000, 2)...), ""},
		{"usual whitening", checkNeeds(whitenNeeds(10000)...), ""},
		{"usual folds", checkNeeds(foldNeeds(60000, 784, 5, 8)...), ""},
		{"n", objective(many, 784, 10, same), "projections of 1099511627776 samples"},
		{"wide n", checkNeeds(prepareNeeds(30000, 50000, 2)...), "Gram matrix of 30000 samples"},
		{"p of d", checkNeeds(prepareNeeds(60000, 40000, 20000)...), "covariance of 40000 features"},
		{"p", checkNeeds(prepareNeeds(many, 1<<30, 1<<20)...), "1048576 components"},
		{"whitened d", checkNeeds(whitenNeeds(40000)...), "Whitening"},
		{"classes", objective(1<<21, 10, 1<<20, same), "pairs of 1048576 classes"},
		{"workers", objective(100, 10, 2, func(s *Settings) { s.Workers = many }), "workers"},
		{"iterations", objective(100, 10, 2, func(s *Settings) { s.Objective.Iterations = many }), "Gradient Implicit"},
		{"iterations without gradient", objective(100, 10, 2, func(s *Settings) { s.Objective.Iterations, s.Objective.Gradient = many, sinkhorn.Implicit }), ""},
		{"components of many classes", objective(4000, 40000, 40, func(s *Settings) { s.Components = 8000 }), "scatters of pairs"},
		{"starts", objective(100, 10, 2, func(s *Settings) { s.Optimizer.Starts = many }), "1099511627776 starts"},
		{"usual choice", checkNeeds(choiceNeeds(1000, 1000, 100000, 3, 2)...), ""},
		{"choice", checkNeeds(choiceNeeds(1000, 1000, 10000000, 3, 2)...), "2 workers that compare settings"},
		{"folds of the choice", checkNeeds(choiceNeeds(1000, 1000000, 1000000, 3, 1)...), "3 folds of 1000 rows"},
		{"graph", checkNeeds(eigenNeeds[float64](&samples{n: 50000, d: 300, offset: []int{0}}, 2, 2)...), "graph of 50000 samples"},
		{"usual graph", checkNeeds(eigenNeeds[float64](&samples{n: eigenLimit, d: 300, offset: []int{0}}, 2, 2)...), ""},
		{"scatters", checkNeeds(eigenNeeds[float64](&samples{n: 100, d: 20000, offset: []int{0}}, 10000, 2)...), "scatters of 20000 features"},
		{"folds", checkNeeds(foldNeeds(10000000, 1000, 5, 2)...), "samples of 2 folds"},
	} {
		switch {
		case c.want == "" && c.err != nil:
			t.Errorf("%s: %v", c.name, c.err)
		case c.want != "" && (!errors.Is(c.err, ErrSettings) || !strings.Contains(c.err.Error(), c.want) || !strings.Contains(c.err.Error(), "GiB")):
			t.Errorf("%s: error %v, want one that says %q", c.name, c.err, c.want)
		}
	}
}
