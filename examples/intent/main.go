// Intent shows how to route the queries of a service: which of many intents does a sentence
// have, or has it none of them? It reads sentence embeddings whose labels are intents, such as
// BANKING77 in an NPZ file (arrays X, y, and split: 0 for training rows, 1 for test rows). It
// compares all dimensions with projections by PCA, LDA and WDA:
//
//	go run ./examples/intent --data banking77.npz
//
// A share of the intents is held out as foreign: the service does not know their queries. For
// each projection the program prints
//
//   - top-1: the share of known test queries that 5 nearest neighbors route to the right intent
//   - AUROC: how well the distance to the nearest training query tells foreign from known
//     queries; 0.5 is chance, 1 is perfect
//   - the bytes of a stored query, in float32
//   - the time of a request on one core, by a brute-force search
//   - the time of the fit
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/baseline"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "intent:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	fs := flag.NewFlagSet("intent", flag.ContinueOnError)
	data := fs.String("data", "", "NPZ file with X, y and split")
	ps := fs.String("p", "16,32,64", "numbers of dimensions, separated by commas")
	rows := fs.Int("rows", 2000, "training queries that projections are fitted to, at most; neighbors are looked for among all")
	foreign := fs.Float64("foreign", 0.2, "share of the intents that are held out")
	seed := fs.Uint64("seed", 1, "seed of the choice of intents and of rows")
	if err := fs.Parse(args); err != nil {
		return err
	}
	d, err := dataset.ReadFile(*data, nil)
	if err != nil {
		return err
	}
	s, err := newService(d, *foreign, *seed)
	if err != nil {
		return fmt.Errorf("%s: %w", *data, err)
	}
	fit := s.train
	if fit.Len() > *rows {
		if fit, err = fit.Sample(*rows, *seed); err != nil {
			return err
		}
	}
	n, k := s.train.X.Dims()
	fmt.Fprintf(out, "%d intents, %d held out; %d training queries of %d dimensions, projections fitted to %d of them; %d known and %d foreign test queries\n\n",
		len(s.known)+s.held, s.held, n, k, fit.Len(), s.test.Len(), s.foreign.Len())
	fmt.Fprintln(out, "| projection | p | top-1 % | AUROC | bytes | µs a request | s to fit |\n|---|---|---|---|---|---|---|")
	if err := s.report(out, "none", nil, 0); err != nil {
		return err
	}
	for _, text := range strings.Split(*ps, ",") {
		p, err := strconv.Atoi(text)
		if err != nil || p < 1 || p > k {
			return fmt.Errorf("-p %q: not a number from 1 to %d", text, k)
		}
		for _, m := range []struct {
			name string
			fit  func() (*mat.Dense, error)
		}{
			{"PCA", func() (*mat.Dense, error) { return baseline.Fit(ctx, fit.X, nil, p, baseline.PCA{}) }},
			{"LDA", func() (*mat.Dense, error) {
				// More than one less than there are classes would be noise.
				return baseline.Fit(ctx, fit.X, fit.Labels, min(p, len(s.known)-1), baseline.FDA{LedoitWolf: true})
			}},
			{"WDA", func() (*mat.Dense, error) {
				model, err := wda.Fit(ctx, fit.X, fit.Labels, &wda.Settings{Components: p})
				if err != nil {
					return nil, err
				}
				return model.Projection(), nil
			}},
		} {
			start := time.Now()
			projection, err := m.fit()
			if err != nil {
				return fmt.Errorf("%s, p = %d: %w", m.name, p, err)
			}
			if err := s.report(out, m.name, projection, time.Since(start)); err != nil {
				return err
			}
		}
	}
	return nil
}

// service is what queries are routed with, and test queries.
type service struct {
	known                []int // intents
	held                 int   // number of foreign intents
	train, test, foreign *dataset.Dataset
}

// newService holds out a share of the intents.
func newService(d *dataset.Dataset, share float64, seed uint64) (*service, error) {
	train, rest, err := halves(d)
	if err != nil {
		return nil, err
	}
	s := new(service)
	intents := slices.Compact(slices.Sorted(slices.Values(train.Labels)))
	s.held = int(share * float64(len(intents)))
	if s.held < 1 || s.held > len(intents)-2 {
		return nil, fmt.Errorf("a share %g of %d intents leaves none held out, or fewer than two known", share, len(intents))
	}
	// In the order of a mixed number: a choice that needs no generator.
	mixed := func(i int) uint64 { return (uint64(i) + seed*7919 + 1) * 0x9e3779b97f4a7c15 >> 20 }
	slices.SortFunc(intents, func(a, b int) int { return cmp.Compare(mixed(a), mixed(b)) })
	s.known = intents[s.held:]
	of := func(d *dataset.Dataset, known bool) *dataset.Dataset {
		var rows []int
		for i, l := range d.Labels {
			if slices.Contains(s.known, l) == known {
				rows = append(rows, i)
			}
		}
		return d.Subset(rows)
	}
	s.train, s.test, s.foreign = of(train, true), of(rest, true), of(rest, false)
	if s.test.Len() == 0 || s.foreign.Len() == 0 {
		return nil, fmt.Errorf("%d known and %d foreign test queries: both are needed", s.test.Len(), s.foreign.Len())
	}
	return s, nil
}

// halves returns the training and the test rows, at random where the file does not say.
func halves(d *dataset.Dataset) (train, test *dataset.Dataset, err error) {
	if d.Labels == nil {
		return nil, nil, fmt.Errorf("no labels")
	}
	if d.Split == nil {
		return d.TrainTest(0.5, 1)
	}
	return d.SplitBy(0)
}

// neighbors is K.
const neighbors = 5

// report prints a line of the table for a projection, nil for none.
func (s *service) report(out io.Writer, name string, projection *mat.Dense, took time.Duration) error {
	project := func(x *mat.Dense) dist.Matrix[float32] {
		if projection != nil {
			y := new(mat.Dense)
			y.Mul(x, projection)
			x = y
		}
		n, p := x.Dims()
		m := dist.Matrix[float32]{Rows: n, Cols: p, Stride: p, Data: make([]float32, n*p)}
		for i := range n {
			for j, v := range x.RawRowView(i) {
				m.Data[i*p+j] = float32(v)
			}
		}
		return m
	}
	stored := project(s.train.X)
	// route returns the intents and the squared distances of the nearest for queries one
	// by one.
	distances := make([]float32, stored.Rows)
	route := func(y dist.Matrix[float32]) (intents []int, nearest []float32) {
		for i := range y.Rows {
			row := dist.Matrix[float32]{Rows: 1, Cols: y.Cols, Stride: y.Cols, Data: y.Data[i*y.Cols : (i+1)*y.Cols]}
			dist.SqEuclidean(dist.Matrix[float32]{Rows: 1, Cols: stored.Rows, Stride: stored.Rows, Data: distances}, row, stored)
			intent, d := vote(distances, s.train.Labels)
			intents, nearest = append(intents, intent), append(nearest, d)
		}
		return intents, nearest
	}
	start := time.Now()
	test := project(s.test.X)
	intents, near := route(test)
	request := time.Since(start) / time.Duration(s.test.Len())
	_, far := route(project(s.foreign.X))
	right := 0
	for i, l := range s.test.Labels {
		if intents[i] == l {
			right++
		}
	}
	_, err := fmt.Fprintf(out, "| %s | %d | %.1f | %.3f | %d | %.0f | %.2g |\n", name, test.Cols,
		100*float64(right)/float64(len(intents)), auroc(near, far), 4*test.Cols, float64(request.Nanoseconds())/1e3, took.Seconds())
	return err
}

// vote returns the label that most of the nearest neighbors have, of equally many the one
// of the nearest, and the least distance.
func vote(distances []float32, labels []int) (label int, least float32) {
	var at []int // the nearest rows, the nearest first
	for i, d := range distances {
		if len(at) == neighbors && d >= distances[at[neighbors-1]] {
			continue
		}
		k, _ := slices.BinarySearchFunc(at, d, func(row int, d float32) int {
			if distances[row] <= d {
				return -1
			}
			return 1
		})
		if at = slices.Insert(at, k, i); len(at) > neighbors {
			at = at[:neighbors]
		}
	}
	votes, most := map[int]int{}, 0
	for _, row := range at {
		votes[labels[row]]++
		most = max(most, votes[labels[row]])
	}
	for _, row := range at {
		if votes[labels[row]] == most {
			return labels[row], distances[at[0]]
		}
	}
	return -1, 0 // nothing is stored
}

// auroc is the share of pairs of a known and a foreign query of which the foreign one is
// farther, ties counting half: the area under the curve of rejections by a threshold.
func auroc(known, foreign []float32) float64 {
	sorted := slices.Sorted(slices.Values(known))
	sum := 0.
	for _, f := range foreign {
		below, _ := slices.BinarySearch(sorted, f)
		to := below
		for to < len(sorted) && sorted[to] == f {
			to++
		}
		sum += float64(below) + float64(to-below)/2
	}
	return sum / float64(len(known)) / float64(len(foreign))
}
