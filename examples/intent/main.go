// Intent shows how to route the queries of a service: which of many intents does a sentence
// have, or has it none of them? It reads sentence embeddings whose labels are intents, such as
// BANKING77 in an NPZ file (arrays X, y, and split: 0 for training rows, 1 for test rows). It
// compares all dimensions with projections by PCA, LDA and WDA:
//
//	go run ./examples/intent --data banking77.npz
//
// A share of the intents is held out as foreign: the service does not know their queries. A fifth
// of the training queries of the others is kept apart, and sets the threshold from which on a query
// is rejected. For each projection the program prints
//
//   - top-1: the share of known test queries that 5 nearest neighbors route to the right intent
//   - AUROC: how well the score of the classifier, and the distance of the fifth neighbor alone,
//     tell foreign from known queries; 0.5 is chance, 1 is perfect
//   - the shares of known and of foreign test queries that are rejected
//   - the bytes of the whole model file, which has the stored queries
//   - the time of a query on one core
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
	ps := fs.String("p", "8,16,32,64", "numbers of dimensions, separated by commas")
	rows := fs.Int("rows", 2000, "training queries that projections are fitted to, at most; neighbors are looked for among all")
	foreign := fs.Float64("foreign", 0.2, "share of the intents that are held out")
	rate := fs.Float64("reject", 0.05, "share of known queries that may be rejected")
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
	s.rate = *rate
	fit := s.train
	if fit.Len() > *rows {
		if fit, err = fit.Sample(*rows, *seed); err != nil {
			return err
		}
	}
	n, k := s.train.X.Dims()
	fmt.Fprintf(out, "%d intents, %d held out; %d training queries of %d dimensions, projections fitted to %d of them; %d to calibrate with; %d known and %d foreign test queries\n\n",
		len(s.known)+s.held, s.held, n, k, fit.Len(), s.apart.Len(), s.test.Len(), s.foreign.Len())
	fmt.Fprintln(out, "| projection | p | top-1 % | AUROC | of the distance | rejected % of known | of foreign | file, MB | µs a query | s to fit |\n|---|---|---|---|---|---|---|---|---|---|")
	if err := s.plain(ctx, out); err != nil {
		return err
	}
	for _, text := range strings.Split(*ps, ",") {
		p, err := strconv.Atoi(text)
		if err != nil || p < 1 || p > k {
			return fmt.Errorf("-p %q: not a number from 1 to %d", text, k)
		}
		// The components of PCA as they are, without whitening.
		pca := wda.Settings{Components: p, Scale: wda.ScaleOrthonormal, Data: wda.Data{Whitening: wda.NoWhitening()}, Optimizer: wda.Optimizer{Method: wda.Principal{}}}
		lda := wda.Settings{Optimizer: wda.Optimizer{Method: wda.Fisher{}}}
		// More than one less than there are classes would be noise.
		lda.Components = min(p, len(s.known)-1)
		for _, m := range []struct {
			name     string
			settings *wda.Settings
		}{{"PCA", &pca}, {"LDA", &lda}, {"WDA", &wda.Settings{Components: p}}} {
			if err := s.report(ctx, out, m.name, fit, m.settings); err != nil {
				return fmt.Errorf("%s, p = %d: %w", m.name, p, err)
			}
		}
	}
	return nil
}

// service is what queries are routed with, and test queries.
type service struct {
	known                       []int   // intents
	held                        int     // number of foreign intents
	rate                        float64 // of known queries that may be rejected
	train, apart, test, foreign *dataset.Dataset
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
	// What sets the threshold must not be stored, nor be seen by the fit.
	s.train, s.apart, err = s.train.TrainTest(0.2, seed)
	return s, err
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

// report fits a projection and prints its line of the table.
func (s *service) report(ctx context.Context, out io.Writer, name string, fit *dataset.Dataset, settings *wda.Settings) error {
	start := time.Now()
	model, err := wda.Fit(ctx, fit.X, fit.Labels, settings)
	if err != nil {
		return err
	}
	took := time.Since(start)
	c, err := wda.NewClassifier(model, s.train.X, s.train.Labels, neighbors)
	if err != nil {
		return err
	}
	if c, err = c.Calibrate(ctx, s.apart.X, &wda.Calibration{Rate: s.rate}); err != nil {
		return err
	}
	file, err := c.MarshalBinary()
	if err != nil {
		return err
	}
	known, err := route(ctx, c, s.test.X)
	if err != nil {
		return err
	}
	foreign, err := route(ctx, c, s.foreign.X)
	if err != nil {
		return err
	}
	_, p := model.Dims()
	return s.line(out, name, p, known, foreign, len(file), took)
}

// plain prints the line of all dimensions, without a projection. The score is the distance of the fifth
// neighbor, and its threshold a quantile.
func (s *service) plain(ctx context.Context, out io.Writer) error {
	n, d := s.train.X.Dims()
	stored, to := dist.Matrix[float64](s.train.X.RawMatrix()), make([]float64, n)
	all := func(x *mat.Dense) (*routed, error) {
		r := new(routed)
		queries, _ := x.Dims()
		start := time.Now()
		for i := 0; i < queries && ctx.Err() == nil; i++ {
			dist.SqEuclidean(dist.NewMatrix(1, n, to), dist.NewMatrix(1, d, x.RawRowView(i)), stored)
			label, farthest := vote(to, s.train.Labels)
			r.labels, r.distances = append(r.labels, label), append(r.distances, farthest)
		}
		r.microseconds = float64(time.Since(start).Nanoseconds()) / 1e3 / float64(queries)
		r.scores = r.distances
		return r, context.Cause(ctx)
	}
	var found [3]*routed
	for i, x := range []*mat.Dense{s.apart.X, s.test.X, s.foreign.X} {
		var err error
		if found[i], err = all(x); err != nil {
			return err
		}
	}
	sorted := slices.Sorted(slices.Values(found[0].scores))
	threshold := sorted[len(sorted)-1-int(s.rate*float64(len(sorted)))]
	for _, r := range found[1:] {
		for _, v := range r.scores {
			if v > threshold {
				r.count++
			}
		}
	}
	return s.line(out, "none", d, found[1], found[2], 8*n*d, 0)
}

// line prints a line of the table.
func (s *service) line(out io.Writer, name string, p int, known, foreign *routed, size int, took time.Duration) error {
	right := 0
	for i, l := range s.test.Labels {
		if known.labels[i] == l {
			right++
		}
	}
	_, err := fmt.Fprintf(out, "| %s | %d | %.1f | %.3f | %.3f | %.1f | %.1f | %.2f | %.0f | %.2g |\n", name, p,
		100*float64(right)/float64(len(known.labels)), auroc(known.scores, foreign.scores), auroc(known.distances, foreign.distances),
		known.rejected(), foreign.rejected(), float64(size)/1e6, known.microseconds, took.Seconds())
	return err
}

// routed is what a classifier says of queries.
type routed struct {
	labels            []int
	scores, distances []float64
	count             int // of the rejected
	microseconds      float64
}

// rejected is the share of the rejected in percent.
func (r *routed) rejected() float64 { return 100 * float64(r.count) / float64(len(r.labels)) }

// route classifies queries one by one, as a service gets them.
func route(ctx context.Context, c *wda.Classifier, x *mat.Dense) (*routed, error) {
	r, w := new(routed), new(wda.Workspace)
	n, _ := x.Dims()
	start := time.Now()
	for i := range n {
		class, err := c.Predict(x.RawRowView(i), w)
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		r.labels = append(r.labels, class.Label)
		r.scores, r.distances = append(r.scores, class.Score), append(r.distances, class.SqDistance)
		if class.Rejected {
			r.count++
		}
	}
	r.microseconds = float64(time.Since(start).Nanoseconds()) / 1e3 / float64(n)
	return r, nil
}

// vote returns the label that most of the nearest neighbors have, of equally many the one
// of the nearest, and the distance of the farthest.
func vote(distances []float64, labels []int) (label int, farthest float64) {
	var at []int // the nearest rows, the nearest first
	for i, d := range distances {
		if len(at) == neighbors && d >= distances[at[neighbors-1]] {
			continue
		}
		k, _ := slices.BinarySearchFunc(at, d, func(row int, d float64) int {
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
			return labels[row], distances[at[len(at)-1]]
		}
	}
	return -1, 0 // nothing is stored
}

// auroc is the share of pairs of a known and a foreign query of which the foreign one is
// farther, ties counting half: the area under the curve of rejections by a threshold.
func auroc(known, foreign []float64) float64 {
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
