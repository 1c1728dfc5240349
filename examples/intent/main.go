// Command intent routes the queries of a service: it finds the intent of a sentence, or reports
// that the sentence has none of the known intents. It reads sentence embeddings labeled with
// intents, such as BANKING77 in an NPZ file (arrays X, y, and split: 0 for training rows, 1 for
// test rows). It compares whole embeddings with projections by PCA, LDA and WDA, and compares
// formats of the stored rows:
//
//	go run ./examples/intent --data banking77.npz
//
// Some of the intents are held out as foreign intents. Their queries are unknown to the service. A
// fifth of the training queries of the known intents is used for calibration: it sets the score
// above which a query is rejected. For each projection and each format, the program prints
//
//   - the bytes of a stored query
//   - top-1: the percentage of known test queries that a 5-nearest-neighbor classifier routes to the
//     right intent
//   - AUROC: how well the score of the classifier separates foreign queries from known queries; 0.5
//     is chance, 1 is perfect
//   - the percentages of known and of foreign test queries that are rejected
//   - the bytes of all stored queries, including codebooks and rotation
//   - the median time of a query on one core, including the projection
//
// The line "full" uses all dimensions, rotated to their principal components. The rotation does not
// change distances. The time of a query includes the rotation.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

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
	fs := flag.NewFlagSet("intent", flag.ExitOnError)
	data := fs.String("data", "", "NPZ file with X, y and split")
	ps := fs.String("p", "8,16,32,64", "numbers of dimensions, separated by commas")
	sizes := fs.String("bytes", "8,16,32,64", "bytes of a query that is stored by product quantization, separated by commas")
	rows := fs.Int("rows", 2000, "training queries that projections are fitted to, at most; neighbors are looked for among all")
	foreign := fs.Float64("foreign", 0.2, "share of the intents that are held out")
	rate := fs.Float64("reject", 0.05, "share of known queries that may be rejected")
	seed := fs.Uint64("seed", 1, "seed of the choice of intents and of rows")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *data == "" {
		return errors.New("-data is missing: a file of embeddings and their intents, such as an NPZ file with the arrays X and y")
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
		len(s.known)+s.heldOut, s.heldOut, n, k, fit.Len(), s.calibration.Len(), s.test.Len(), s.foreign.Len())
	fmt.Fprintln(out, "| bytes a row | projection | p | storage | top-1 % | AUROC | rejected % of known | of foreign | MB in all | µs a query |\n|---|---|---|---|---|---|---|---|---|---|")
	components, err := parseNumbers("p", *ps, k)
	if err != nil {
		return err
	}
	if s.bytes, err = parseNumbers("bytes", *sizes, 256); err != nil {
		return err
	}
	// principal returns settings for principal components without whitening.
	principal := func(p int) *wda.Settings {
		return &wda.Settings{Components: p, Leading: p, Scale: wda.ScaleOrthonormal, Data: wda.Data{Whitening: wda.NoWhitening()}, Optimizer: wda.Optimizer{Method: wda.Principal{}}}
	}
	if err := s.report(ctx, out, "full", s.train, principal(k)); err != nil {
		return fmt.Errorf("all dimensions: %w", err)
	}
	for _, p := range components {
		// For C classes, LDA has at most C − 1 components.
		lda := &wda.Settings{Components: min(p, len(s.known)-1), Optimizer: wda.Optimizer{Method: wda.Fisher{}}}
		for _, m := range []struct {
			name     string
			settings *wda.Settings
		}{{"PCA", principal(p)}, {"LDA", lda}, {"WDA", &wda.Settings{Components: p}}} {
			if err := s.report(ctx, out, m.name, fit, m.settings); err != nil {
				return fmt.Errorf("%s, p = %d: %w", m.name, p, err)
			}
		}
	}
	return nil
}

// parseNumbers parses a comma-separated list of numbers from 1 to limit.
func parseNumbers(flag, list string, limit int) (out []int, err error) {
	for _, text := range strings.Split(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > limit {
			return nil, fmt.Errorf("-%s %q: not a number from 1 to %d", flag, text, limit)
		}
		out = append(out, n)
	}
	return out, nil
}

// service holds the intents and the samples for training, calibration and tests.
type service struct {
	known                             []int   // known intents
	heldOut                           int     // number of unknown intents; queries of these intents are foreign
	rate                              float64 // share of known queries that may be rejected
	bytes                             []int   // sizes of a row with product quantization, in bytes; the program compares these sizes
	train, calibration, test, foreign *dataset.Dataset
}

// newService returns a service that knows only some of the intents. share is the fraction of unknown
// intents, whose queries are called foreign.
func newService(d *dataset.Dataset, share float64, seed uint64) (*service, error) {
	train, rest, err := splitRows(d)
	if err != nil {
		return nil, err
	}
	s := new(service)
	intents := slices.Compact(slices.Sorted(slices.Values(train.Labels)))
	s.heldOut = int(share * float64(len(intents)))
	if s.heldOut < 1 || s.heldOut > len(intents)-2 {
		return nil, fmt.Errorf("a share %g of %d intents leaves none held out, or fewer than two known", share, len(intents))
	}
	// Sorting by a hash gives a random order without a random number generator.
	mixed := func(i int) uint64 { return (uint64(i) + seed*7919 + 1) * 0x9e3779b97f4a7c15 >> 20 }
	slices.SortFunc(intents, func(a, b int) int { return cmp.Compare(mixed(a), mixed(b)) })
	s.known = intents[s.heldOut:]
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
	// The fit must not use the calibration rows, and the classifier must not store them.
	s.train, s.calibration, err = s.train.TrainTest(0.2, seed)
	return s, err
}

// splitRows returns the training rows and the test rows. If the file has no array split, the rows
// are divided at random.
func splitRows(d *dataset.Dataset) (train, test *dataset.Dataset, err error) {
	if d.Labels == nil {
		return nil, nil, fmt.Errorf("no labels")
	}
	if d.Split == nil {
		return d.TrainTest(0.5, 1)
	}
	return d.SplitBy(0)
}

// neighbors is the number K of neighbors of the classifier.
const neighbors = 5

// report fits a projection and prints a table row for every format.
func (s *service) report(ctx context.Context, out io.Writer, name string, fit *dataset.Dataset, settings *wda.Settings) error {
	model, err := wda.Fit(ctx, fit.X, fit.Labels, settings)
	if err != nil {
		return err
	}
	whole, err := wda.NewClassifier(ctx, model, s.train.X, s.train.Labels, neighbors)
	if err != nil {
		return err
	}
	_, p := model.Dims()
	storages := []wda.Storage{wda.StorageFloat32(), wda.StorageInt8()}
	for _, bytes := range s.bytes {
		if bytes < p { // a code of p bytes would be as large as the int8 format
			storages = append(storages, wda.StoragePQ(bytes, 8))
		}
	}
	for _, storage := range storages {
		c, err := whole.WithStorage(ctx, storage, 0)
		if err != nil {
			return err
		}
		// Calibrate after WithStorage, because scores depend on the format of the stored rows.
		if c, err = c.Calibrate(ctx, s.calibration.X, &wda.Calibration{Rate: s.rate}); err != nil {
			return err
		}
		known, err := routeQueries(ctx, c, s.test.X)
		if err != nil {
			return err
		}
		foreign, err := routeQueries(ctx, c, s.foreign.X)
		if err != nil {
			return err
		}
		right := 0
		for i, l := range s.test.Labels {
			if known.labels[i] == l {
				right++
			}
		}
		_, err = fmt.Fprintf(out, "| %d | %s | %d | %v | %.1f | %.3f | %.1f | %.1f | %.2f | %.0f |\n", storage.RowBytes(p), name, p, storage,
			100*float64(right)/float64(len(known.labels)), auroc(known.scores, foreign.scores),
			known.rejectedPercent(), foreign.rejectedPercent(), float64(c.Bytes())/1e6, known.microseconds)
		if err != nil {
			return err
		}
	}
	return nil
}

// routing is the result of classifying queries.
type routing struct {
	labels       []int
	scores       []float64
	count        int     // number of rejected queries
	microseconds float64 // median time of a query
}

func (r *routing) rejectedPercent() float64 { return 100 * float64(r.count) / float64(len(r.labels)) }

// routeQueries classifies queries one by one, as a service receives them.
func routeQueries(ctx context.Context, c *wda.Classifier, x *mat.Dense) (*routing, error) {
	r, w := new(routing), new(wda.Workspace)
	n, _ := x.Dims()
	times := make([]time.Duration, n)
	for i := range n {
		start := time.Now()
		class, err := c.Predict(x.RawRowView(i), w)
		times[i] = time.Since(start)
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		r.labels, r.scores = append(r.labels, class.Label), append(r.scores, class.Score)
		if class.Rejected {
			r.count++
		}
	}
	slices.Sort(times)
	r.microseconds = float64(times[n/2].Nanoseconds()) / 1e3
	return r, nil
}

// auroc returns the area under the ROC curve of rejection by a threshold: the fraction of pairs of
// a known and a foreign query in which the foreign query has the higher score. Ties count half.
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
