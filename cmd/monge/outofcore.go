package main

import (
	"errors"
	"fmt"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

const (
	// outOfCoreBytes is the minimum size of a matrix that stays in its file with --method minibatch.
	outOfCoreBytes = 2 << 30
	// keptRows and keptElements are the maximum numbers of rows and elements that a classifier
	// keeps when the rows stay in a file.
	keptRows, keptElements = 1 << 16, 1 << 23
)

// training contains the rows of a fit, either in memory or in a file.
type training struct {
	x      mat.Matrix
	labels []int
	kept   *dataset.Dataset // rows that the classifier stores: all rows, or a sample of the rows of every class
	close  func() error
}

func addOutOfCore(cmd *cobra.Command, v *bool) {
	defer groupFlags(cmd, optimizerFlags)()
	cmd.Flags().BoolVar(v, "out-of-core", false, "leave the rows in their file, with --method minibatch and an uncompressed NPY, NPZ or IDX file (done by itself for more than 2 GiB)")
}

// openTraining reads the training rows. If outOfCore is set, the rows stay in their file. With the
// method minibatch, the rows of a large file also stay in the file if its format allows random
// access.
func (f *trainFlags) openTraining(rows *rowFlags, set *wda.Settings, outOfCore bool) (*training, error) {
	_, mini := set.Optimizer.Method.(wda.MiniBatch)
	chosen, validated := rows.sample > 0 || rows.holdout > 0 || len(rows.unknown) > 0, set.Validation != nil
	switch {
	case outOfCore && !mini:
		return nil, usagef("--out-of-core needs --method minibatch")
	case outOfCore && chosen:
		return nil, usagef("--out-of-core takes all rows: leave out --sample, --holdout and --unknown")
	case outOfCore && (f.missing != "" && f.missing != "error" || f.onehot != nil):
		return nil, usagef("--out-of-core cannot learn --missing and --one-hot: leave it out")
	case outOfCore && validated:
		return nil, usagef("--validation holds rows out that --out-of-core would have to hold: leave out one of them")
	}
	if mini && !chosen && !validated && (outOfCore || f.missing == "error" && f.onehot == nil) {
		t, err := f.openStored(outOfCore)
		if t != nil || err != nil {
			return t, err
		}
	}
	largest := maxClass
	if mini || samplesObjective(set) {
		largest = 0
	}
	d, err := f.readTraining(rows, largest)
	if err != nil {
		return nil, err
	}
	return &training{d.X, d.Labels, d, func() error { return nil }}, nil
}

// samplesObjective reports whether the fit evaluates the objective on a sample of at most maxClass
// rows. This is the case if set.Objective.Samples limits the rows. It is also the case if the fit
// chooses settings, because the library then has a default limit.
func samplesObjective(set *wda.Settings) bool {
	o := &set.Objective
	if o.Samples > 0 {
		return o.Samples <= maxClass
	}
	_, auto := set.Optimizer.Method.(wda.Auto)
	return (auto || set.Optimizer.Method == nil) && (set.Data.Whitening.IsAuto() || o.Lambda.IsAuto() || o.Shrinkage.IsAuto() || set.Scale == wda.ScaleAuto)
}

// openStored opens training rows that stay in their file. If the rows should be read into
// memory instead, it returns nil, unless must is true.
func (f *trainFlags) openStored(must bool) (_ *training, err error) {
	opt, err := f.options(f.labels)
	if err != nil {
		return nil, err
	}
	if f.data == stdinArgument || readOnce(f.data) {
		if must {
			return nil, usagef("--out-of-core needs a file, not a pipe")
		}
		return nil, nil
	}
	r, err := dataset.Open(f.data, &opt)
	if err != nil {
		if must {
			return nil, readError(err)
		}
		return nil, nil // readTraining reports this error with advice
	}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	rows, cols := r.Dims()
	split := r.HasSplit()
	large := rows > outOfCoreBytes/8/cols
	x, labels, classes, err := r.Rows()
	switch {
	case !must && (!large || err != nil || split):
		r.Close()
		return nil, nil
	case errors.Is(err, dataset.ErrFormat):
		return nil, fmt.Errorf("%w; write it as NPY, or leave out --out-of-core and use --sample", err)
	case err != nil:
		return nil, readError(err)
	case split:
		return nil, fmt.Errorf("%s: --out-of-core takes all rows, and the file has an array split", f.data)
	case labels == nil:
		return nil, noLabelsError(f.data, "labels")
	}
	f.explain(f.data, r)
	t := &training{x, labels, nil, r.Close}
	if t.kept, err = keepSample(x, labels, classes); err != nil {
		return nil, err
	}
	t.kept.Schema = r.Schema()
	return t, checkClasses(f.data, t.kept, false, nil, 0)
}

// keepSample reads about keptRows rows, or fewer if rows are long. It takes the same fraction of
// each class, evenly spaced, and at least two rows of each class if possible.
func keepSample(x dataset.RowReader, labels []int, classes []string) (*dataset.Dataset, error) {
	n, d := x.Dims()
	limit := min(n, keptRows, max(1, keptElements/d))
	counts := make([]int, len(classes))
	for _, l := range labels {
		counts[l]++
	}
	share, seen := make([]int, len(classes)), make([]int, len(classes))
	for c, count := range counts {
		share[c] = min(count, max(2, int(float64(count)*float64(limit)/float64(n))))
	}
	var rows []int
	taken := make([]int, len(classes))
	for i, l := range labels {
		if taken[l] < share[l] && seen[l] == taken[l]*counts[l]/share[l] {
			rows = append(rows, i)
			taken[l]++
		}
		seen[l]++
	}
	kept := &dataset.Dataset{X: mat.NewDense(len(rows), d, nil), Classes: classes}
	for i, r := range rows {
		if err := x.ReadRows(kept.X.RawRowView(i), r); err != nil {
			return nil, err
		}
		kept.Labels = append(kept.Labels, labels[r])
	}
	return kept, nil
}
