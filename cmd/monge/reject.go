package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

// calibrationShare is the fraction of the training rows of every class that --reject holds out.
const calibrationShare = 0.2

// rejectFlags are the flags of a fit for a model that rejects rows of unknown classes.
type rejectFlags struct {
	rate float64
}

func (f *rejectFlags) add(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&f.rate, "reject", 0, "`RATE`: make a model that rejects rows of unknown classes, for monge predict --reject. RATE is the fraction of rows of known classes that may be rejected, such as 0.05. Requires --k; a fifth of the training rows of every class is set aside to determine the threshold (default none)")
}

// addUnknown adds --unknown.
func addUnknown(cmd *cobra.Command, classes *[]string, what string) {
	defer groupFlags(cmd, rowChoice)()
	cmd.Flags().StringSliceVar(classes, "unknown", nil, "`CLASS,…`: "+what)
}

func (f *rejectFlags) check(cmd *cobra.Command, k int, outOfCore bool) error {
	switch {
	case !cmd.Flags().Changed("reject"):
		return nil
	case !(f.rate > 0 && f.rate < 1):
		return usagef("--reject must be between 0 and 1, such as 0.05, not %v", f.rate)
	case k == 0:
		return usagef("--reject needs --k, the number of neighbors whose distances it looks at")
	case outOfCore:
		return exclusiveFlagsError("--reject", "--out-of-core")
	}
	return nil
}

// rejectionData contains the rate and the rows for the calibration of a classifier.
type rejectionData struct {
	rate    float64
	held    *dataset.Dataset // held-out rows, used neither by the fit nor by the classifier
	unknown *dataset.Dataset // rows of the classes of --unknown, or nil
}

// split holds out calibration rows and returns the other rows, which are for the fit.
func (r *rejectionData) split(path string, all *training, seed uint64) (*training, error) {
	if all.x != mat.Matrix(all.kept.X) {
		return nil, fmt.Errorf("%s: --reject needs all rows in memory, and these are left in their file; leave out --reject, or draw rows with --sample", path)
	}
	fit, held, err := all.kept.TrainTest(calibrationShare, seed)
	if err != nil {
		return nil, fmt.Errorf("%s: --reject keeps a fifth of the rows apart: %w", path, err)
	}
	r.held = held
	if err := checkClasses(path, fit, false, nil, 0); err != nil {
		return nil, err
	}
	return &training{fit.X, fit.Labels, fit, all.close}, nil
}

// calibrate returns a calibrated copy of the classifier c, or c itself if r is nil.
func (r *rejectionData) calibrate(ctx context.Context, c *wda.Classifier) (*wda.Classifier, error) {
	if r == nil {
		return c, nil
	}
	by := &wda.Calibration{Rate: r.rate}
	if r.unknown != nil {
		by.Unknown = r.unknown.X
	}
	out, err := c.Calibrate(ctx, r.held.X, by)
	if err != nil {
		return nil, fmt.Errorf("--reject: %w", err)
	}
	return out, nil
}

// splitUnknown divides d into the rows of known classes and the rows of unknown classes. The
// unknown classes are f.unknown. If f.unknown is empty and f.known is not nil, splitUnknown first
// sets f.unknown to the classes of d that are not in f.known. The class list of the first dataset
// contains only the known classes. The second dataset is nil if it has no rows.
func (f *rowFlags) splitUnknown(path string, d *dataset.Dataset) (known, unknown *dataset.Dataset, err error) {
	if len(f.unknown) == 0 && f.known != nil {
		f.unknown = slices.DeleteFunc(classNames(d), func(n string) bool { return slices.Contains(f.known, n) })
	}
	if len(f.unknown) == 0 {
		return d, nil, nil
	}
	if d.Labels == nil {
		return nil, nil, usagef("--unknown needs labels")
	}
	for _, name := range f.unknown {
		if !slices.Contains(d.Classes, name) {
			return nil, nil, fmt.Errorf("%s: --unknown: there is no class %q; the classes are %s", path, name, joinNames(d.Classes, 60))
		}
	}
	var in, out []int
	for i, l := range d.Labels {
		if slices.Contains(f.unknown, d.Classes[l]) {
			out = append(out, i)
		} else {
			in = append(in, i)
		}
	}
	if len(in) == 0 && f.known != nil {
		return nil, nil, fmt.Errorf("%s: the model knows none of its classes (%s); give the --labels or --label-column that fit was given", path, joinNames(f.unknown, 60))
	}
	if len(in) == 0 {
		return nil, nil, fmt.Errorf("%s: --unknown leaves no rows: the other classes have none", path)
	}
	known = d.Subset(in)
	if len(out) > 0 {
		unknown = d.Subset(out)
	}
	_, err = known.Relabel(slices.DeleteFunc(slices.Clone(d.Classes), func(n string) bool { return slices.Contains(f.unknown, n) }))
	return known, unknown, withPath(path, err)
}

// rejections is the output of monge eval for a model that rejects rows.
type rejections struct {
	Rate      number `json:"rate"`
	Threshold number `json:"threshold"`
	Weight    number `json:"weight"`
	// Known is the rejected fraction of the test rows of known classes. Error is the error rate on
	// the accepted rows.
	Known number `json:"known_rejected"`
	Error number `json:"error_of_accepted"`
	// With --unknown, Rows is the number of test rows of unknown classes, and Unknown is the
	// rejected fraction of these rows. AUROC measures how well the score separates the unknown
	// classes from the known classes. Distance is the AUROC of the distance instead of the score.
	Rows     int     `json:"unknown_rows,omitempty"`
	Unknown  *number `json:"unknown_rejected,omitempty"`
	AUROC    *number `json:"auroc,omitempty"`
	Distance *number `json:"auroc_of_distance,omitempty"`
}

// evalRejection measures how many rows of each dataset the classifier c rejects. test contains the
// rows of known classes. unknown contains the rows of unknown classes, or is nil.
func (f *evalFlags) evalRejection(ctx context.Context, c *wda.Classifier, test, unknown *dataset.Dataset) (*rejections, error) {
	r := c.Rejection()
	out := &rejections{Rate: number(r.Rate), Threshold: number(r.Threshold), Weight: number(r.Weight)}
	known, err := f.scoreRows(ctx, c, f.test, test.X)
	if err != nil {
		return nil, err
	}
	wrong := 0
	for i, class := range known.classes {
		if !class.Rejected && class.Name != test.Classes[test.Labels[i]] {
			wrong++
		}
	}
	out.Known = number(known.rejected())
	out.Error = number(float64(wrong) / float64(test.Len()-known.count))
	if unknown == nil {
		return out, nil
	}
	foreign, err := f.scoreRows(ctx, c, f.test, unknown.X)
	if err != nil {
		return nil, err
	}
	out.Rows = unknown.Len()
	for _, v := range []struct {
		to *(*number)
		is float64
	}{
		{&out.Unknown, foreign.rejected()},
		{&out.AUROC, knn.AUROC(known.scores, foreign.scores)},
		{&out.Distance, knn.AUROC(known.distances, foreign.distances)},
	} {
		n := number(v.is)
		*v.to = &n
	}
	return out, nil
}

// scoredRows contains the predicted class, the score and the distance of each row, and the count of
// rejected rows.
type scoredRows struct {
	classes           []wda.Class
	scores, distances []float64
	count             int
}

func (s *scoredRows) rejected() float64 { return float64(s.count) / float64(len(s.classes)) }

func (f *evalFlags) scoreRows(ctx context.Context, c *wda.Classifier, path string, x mat.Matrix) (*scoredRows, error) {
	classes, err := c.PredictAll(ctx, x, f.workers)
	if err != nil {
		return nil, withPath(path, err)
	}
	s := &scoredRows{classes: classes}
	for _, class := range classes {
		s.scores, s.distances = append(s.scores, class.Score), append(s.distances, class.SqDistance)
		if class.Rejected {
			s.count++
		}
	}
	return s, nil
}

// print writes the result as text.
func (r *rejections) print(w io.Writer) {
	fmt.Fprintf(w, "\nThe model rejects rows that seem to belong to no known class, at a rate of %v for rows of known classes:\n\n", float64(r.Rate))
	fmt.Fprintf(w, "rejected, of known classes\t%s\n", percent(float64(r.Known)))
	fmt.Fprintf(w, "error of the rows not rejected\t%s\n", percent(float64(r.Error)))
	if r.Unknown == nil {
		return
	}
	fmt.Fprintf(w, "rejected, of %d rows of unknown classes\t%s\n", r.Rows, percent(float64(*r.Unknown)))
	fmt.Fprintf(w, "AUROC\t%.3f (of the distance alone: %.3f; 0.5 is chance)\n", float64(*r.AUROC), float64(*r.Distance))
}

// checkUnknown returns an error if the model or its classifier cannot be tested with --unknown.
func (f *evalFlags) checkUnknown(m *wda.Model, c *wda.Classifier) error {
	if len(f.rows.unknown) == 0 {
		return nil
	}
	for _, name := range m.ClassNames() {
		if slices.Contains(f.rows.unknown, name) {
			return fmt.Errorf("%s: the model was fitted to the class %q; fit it with --unknown %s", f.model, name, strings.Join(f.rows.unknown, ","))
		}
	}
	if c == nil || c.Rejection().Samples == 0 {
		return fmt.Errorf("%s: --unknown: the model does not reject rows; fit it with --k and --reject", f.model)
	}
	return nil
}

// fromModel is a value of the flag --reject of the command "monge predict". It selects the rejection rate that is stored in the
// model.
const fromModel = "model"

// withRejection returns the classifier c with the rejection rate that --reject of predict selects.
func (f *predictFlags) withRejection(c *wda.Classifier) (*wda.Classifier, error) {
	if f.reject == "" {
		return c, nil
	}
	if c.Rejection().Samples == 0 {
		return nil, fmt.Errorf("%s: --reject: the model does not reject rows; fit it with --k and --reject", f.model)
	}
	if f.reject == fromModel {
		return c, nil
	}
	rate, _ := strconv.ParseFloat(f.reject, 64)
	out, err := c.WithRejectionRate(rate)
	if err != nil {
		return nil, fmt.Errorf("%s: --reject: %w", f.model, err)
	}
	return out, nil
}

func (f *predictFlags) checkReject() error {
	switch {
	case f.reject == "":
		return nil
	case f.train != "":
		return exclusiveFlagsError("--reject", "--train")
	case f.k > 0:
		return exclusiveFlagsError("--reject", "--k")
	case f.reject == fromModel:
		return nil
	}
	if rate, err := strconv.ParseFloat(f.reject, 64); err != nil || !(rate > 0 && rate < 1) {
		return usagef("--reject must be between 0 and 1, such as --reject=0.05, not %q", f.reject)
	}
	return nil
}
