package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

// rowStorage selects the training rows in a model file, and their storage. The zero value stores no rows.
type rowStorage struct {
	k      int // neighbors that vote
	store  wda.Storage
	reject *rejectionData // or nil
}

// classifier returns the classifier of the rows d, or nil if no rows are stored.
func (keep rowStorage) classifier(ctx context.Context, m *wda.Model, d *dataset.Dataset) (*wda.Classifier, error) {
	if keep.k == 0 {
		return nil, nil
	}
	c, err := wda.NewClassifier(ctx, m, d.X, d.Labels, keep.k)
	if err != nil {
		return nil, err
	}
	if c, err = c.WithStorage(ctx, keep.store, 0); err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	// Calibration comes last, because scores depend on the stored rows.
	return keep.reject.calibrate(ctx, c)
}

// storeFlag is the value of --store.
type storeFlag struct {
	text string
	is   wda.Storage
}

func (f *storeFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.text, "store", wda.StorageFloat64().String(), "`STORAGE`: how the model keeps the rows of --k: float64, float32, int8 (a byte for each component), pq:16 (product quantization in 16 bytes) or pq:32x4 (32 codes of 4 bits, also 16 bytes)")
	completeValues(cmd, "store", "float64", "float32", "int8", "pq:8", "pq:16", "pq:16x4", "pq:32", "pq:32x4")
}

func (f *storeFlag) check(cmd *cobra.Command, k int) error {
	switch err := f.is.UnmarshalText([]byte(f.text)); {
	case err != nil:
		return usagef("--store must be float64, float32, int8, or pq: with the number of codes, as in pq:16, and x4 if they have 4 bits, as in pq:32x4; not %q", f.text)
	case k == 0 && cmd.Flags().Changed("store"):
		return usagef("--store needs --k: without it the model keeps no training rows")
	}
	return nil
}

// checkComponents returns an error if rows with the given number of components cannot be stored.
func (f *storeFlag) checkComponents(components int) error {
	if f.is.Check(components) == nil {
		return nil
	}
	parts, _, _ := strings.Cut(strings.TrimPrefix(f.is.String(), "pq:"), "x")
	return usagef("--store %s has %s codes, but a row has only %d components to cut into parts; use fewer codes, or more --components", f.is, parts, components)
}

// storageResult describes the classifier in a model file. Only the command eval sets the fields
// Error and Microseconds.
type storageResult struct {
	K        int    `json:"k"`
	Rows     int    `json:"rows"`
	Storage  string `json:"storage"`
	RowBytes int    `json:"row_bytes"`
	Bytes    int    `json:"bytes"`
	Error    number `json:"error"`
	// Microseconds is the median time of a query on one thread, including the projection.
	Microseconds number `json:"query_microseconds"`
}

// newStorageResult describes the storage of a classifier.
func newStorageResult(c *wda.Classifier) *storageResult {
	_, p := c.Model().Dims()
	s := c.Storage()
	return &storageResult{K: c.K(), Rows: c.Len(), Storage: s.String(), RowBytes: s.RowBytes(p), Bytes: c.Bytes()}
}

// text returns a description of the storage of rows.
func (s *storageResult) text() string {
	codebooks := ""
	if strings.HasPrefix(s.Storage, "pq:") {
		codebooks = " with codebooks"
	}
	return fmt.Sprintf("%s, %d %s a row, %d in all%s", s.Storage, s.RowBytes, plural(s.RowBytes, "byte", "bytes"), s.Bytes, codebooks)
}

// evalStorage measures the error rate of the stored classifier on the test rows, and the time of a
// query.
func (f *evalFlags) evalStorage(ctx context.Context, c *wda.Classifier, test *dataset.Dataset) (*storageResult, error) {
	test = withClassesOf(c.Model(), test)
	out := newStorageResult(c)
	labels, err := c.PredictLabels(ctx, nil, test.X, f.workers)
	if err != nil {
		return nil, withPath(f.test, err)
	}
	f.warnUnknownClasses(c.Model(), test)
	wrong := 0
	for i, l := range labels {
		if c.Model().ClassName(l) != test.Classes[test.Labels[i]] {
			wrong++
		}
	}
	out.Error = number(float64(wrong) / float64(test.Len()))
	typical, err := queryTime(ctx, c, test.X)
	out.Microseconds = number(float64(typical.Nanoseconds()) / 1e3)
	return out, errors.Join(err, ctx.Err())
}

// warnUnknownClasses prints a warning if the class of a test row is not a class of the model. It
// names the first such row.
func (f *evalFlags) warnUnknownClasses(m *wda.Model, test *dataset.Dataset) {
	known := modelClasses(m)
	for i, l := range test.Labels {
		if name := test.Classes[l]; !slices.Contains(known, name) {
			f.read.app.warnText(fmt.Sprintf("%s: row %d has the class %s, which the classifier in the model does not know; its classes are %s. Such rows count as errors",
				displayName(f.test), i+1, quoteForShell(clipName(name, 100)), joinNames(known, 60)))
			return
		}
	}
}

func modelClasses(m *wda.Model) (names []string) {
	for _, l := range m.Labels() {
		names = append(names, m.ClassName(l))
	}
	return names
}

// withClassesOf returns d with the class indices of the model. If the model lacks a class of d, it
// returns d unchanged.
func withClassesOf(m *wda.Model, d *dataset.Dataset) *dataset.Dataset {
	named := *d
	if _, err := named.Relabel(modelClasses(m)); err != nil {
		return d
	}
	return &named
}

// queryTime returns the median time to classify a row of x. It measures for a fraction of a second.
func queryTime(ctx context.Context, c *wda.Classifier, x mat.Matrix) (time.Duration, error) {
	const least, most, budget = 20, 1000, 300 * time.Millisecond
	n, d := x.Dims()
	var times []time.Duration
	var w wda.Workspace
	row := make([]float64, d)
	begun := time.Now()
	for i := 0; i < most && (i < least || time.Since(begun) < budget) && ctx.Err() == nil; i++ {
		mat.Row(row, i%n, x)
		start := time.Now()
		if _, err := c.Predict(row, &w); err != nil {
			return 0, err
		}
		times = append(times, time.Since(start))
	}
	if len(times) == 0 {
		return 0, ctx.Err()
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// print writes the result as text.
func (s *storageResult) print(w io.Writer) {
	fmt.Fprintf(w, "\nThe classifier in the model, %d nearest of %d rows:\n\n", s.K, s.Rows)
	fmt.Fprintf(w, "error\t%s\n", percent(float64(s.Error)))
	fmt.Fprintf(w, "storage\t%s\n", s.text())
	fmt.Fprintf(w, "time of a query\t%.3g µs on one thread, with the projection\n", float64(s.Microseconds))
}
