package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

type verifyFlags struct {
	trainFlags
	rows       rowFlags
	outOfCore  bool
	validation string
	model      string
}

func newVerify(a *app) *cobra.Command {
	f := new(verifyFlags)
	cmd := &cobra.Command{
		Use:   "verify MODEL --data FILE [flags]",
		Short: "Fit a model again and compare hashes",
		Long: `Verify fits a model again with the settings in its file, and compares the
hashes. A fit has the same bits on every machine, so a different hash means other data,
another version of monge, or a changed model. Verify then prints the difference and
exits with code 1.`,
		Example: `  monge verify wine.wda --data wine.csv
  monge verify digits.wda --data mnist.npz --sample 1000 --json`,
		Annotations: map[string]string{details: `
The rows must be the rows of the fit, in the same order: repeat the flags --labels,
--label-column, --header and --out-of-core of monge fit. The model stores --holdout,
--sample, --seed and the use of the columns. Changes of rows that the fit held out are not
found. Rows of classes that the model does not know are left out, as by fit --unknown.
Model files of early versions contain no settings and cannot be verified.

A program that uses the library may have validated its fit with separate rows. They are
not in the model file: --validation names a file that contains them.`},
		Args: func(cmd *cobra.Command, args []string) error {
			if f.model != "" {
				args = append(args, f.model)
			}
			if len(args) != 1 {
				return usagef("verify needs the name of one model file; see monge help verify")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.verify(cmd, f, cmp.Or(f.model, strings.Join(args, "")))
		},
	}
	f.trainFlags.add(a, cmd)
	f.rows.add(cmd, "the training rows")
	addUnknown(cmd, &f.rows.unknown, "the classes that monge fit --unknown left out (default those that the model does not know)")
	addOutOfCore(cmd, &f.outOfCore)
	cmd.Flags().StringVar(&f.validation, "validation", "", "`FILE`: file with the labeled rows that a Go program gave as Settings.Validation")
	cmd.Flags().StringVar(&f.model, "model", "", "`FILE`: the model, instead of MODEL")
	setMainFlags(cmd, "model", "data", "holdout", "sample", "seed", "labels", "label-column", "header", "out-of-core")
	setHeading(cmd.Flags().Lookup("validation"), validationFlags)
	return cmd
}

// verifyResult is the output of verify --json.
type verifyResult struct {
	Verified bool   `json:"verified"`
	Model    string `json:"model"`
	Hash     string `json:"hash"`
	// Refitted is the hash of the repeated fit.
	Refitted string `json:"refitted"`
	// LeftOut are classes of the file that the model does not know.
	LeftOut     []string `json:"left_out,omitempty"`
	Differences []string `json:"differences,omitempty"`
}

func (a *app) verify(cmd *cobra.Command, f *verifyFlags, path string) error {
	if err := requireFlags(cmd, "data"); err != nil {
		return err
	}
	if err := f.rows.check(); err != nil {
		return err
	}
	m, c, err := readClassifier(path)
	if err != nil {
		return err
	}
	set := m.Report().Settings
	if set.Scale == 0 { // a fit always sets the scale
		return fmt.Errorf("%s: cannot be verified: the file is of an older version, which does not store all settings of the fit", path)
	}
	if !cmd.Flags().Changed("seed") {
		f.rows.seed = set.Seed
	}
	f.useSchemaOf(path, m)
	f.rows.useRowsOf(cmd, m, &f.columnFlags)
	if !cmd.Flags().Changed("unknown") {
		f.rows.known = m.ClassNames()
	}
	a.currentBar().plan(fitStep)
	all, err := f.openTraining(&f.rows, &set, f.outOfCore)
	if err != nil {
		return err
	}
	defer all.close()
	var reject *rejectionData
	if c != nil && c.Rejection().Samples > 0 {
		reject = &rejectionData{rate: c.Rejection().Rate, unknown: f.rows.unknownRows}
		if all, err = reject.split(f.data, all, f.rows.seed); err != nil {
			return err
		}
	}
	d := all.kept
	features, components := m.Dims()
	if columnCount(d) != features {
		return fmt.Errorf("%s: %d features, but %s was fitted to %d; give verify the --labels, --label-column or --columns that fit was given", f.data, columnCount(d), path, features)
	}
	if c != nil && c.Len() != d.Len() {
		return fmt.Errorf("%s: %d training rows, but %s was fitted to %d; give the file of the fit, and the --holdout, --sample and --seed of the fit if the model does not contain them", f.data, d.Len(), path, c.Len())
	}
	if err := f.readValidation(path, set.Validation, d); err != nil {
		return err
	}
	again, err := a.fitModel(cmd.Context(), all.x, all.labels, &set)
	if err != nil {
		return withPath(f.data, explainNoSpread(err))
	}
	if again, err = again.Cut(components); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if again, err = again.WithClassNames(classNames(d)); err != nil {
		return withPath(f.data, err)
	}
	if again, err = again.WithSchema(m.Schema()); err != nil {
		return withPath(f.data, err)
	}
	var keep rowStorage
	if c != nil {
		keep = rowStorage{c.K(), c.Storage(), reject}
	}
	_, refitted, err := encodeModel(cmd.Context(), again, d, keep)
	if err != nil {
		return err
	}
	out := verifyResult{Model: displayName(path), Hash: contentHash(m, c), Refitted: contentHash(again, refitted), LeftOut: f.rows.unknown}
	out.Verified = out.Hash == out.Refitted
	if !out.Verified {
		out.Differences = modelDifferences(m, again)
	}
	err = a.report(out, func(w io.Writer) {
		if out.Verified {
			fmt.Fprintf(w, "verified: the fit gives the same model again\n")
		} else {
			fmt.Fprintf(w, "not verified: the fit gives another model now\n")
		}
		fmt.Fprintf(w, "hash of %s\t%s\n", path, out.Hash)
		fmt.Fprintf(w, "hash of the fit\t%s\n", out.Refitted)
		if len(out.LeftOut) > 0 {
			fmt.Fprintf(w, "left out\trows of %s %s, unknown to the model\n", plural(len(out.LeftOut), "class", "classes"), joinNames(out.LeftOut, 60))
		}
		for _, d := range out.Differences {
			fmt.Fprintf(w, "difference\t%s\n", d)
		}
	})
	if err == nil && !out.Verified {
		err = fmt.Errorf("%s: not verified: a fit to %s gives another hash; give verify the rows and flags that fit was given", path, f.data)
	}
	return err
}

// readValidation reads the validation samples if the fit read them from a file of their own.
// Otherwise it only checks that --validation is not set.
func (f *verifyFlags) readValidation(path string, v *wda.Validation, d *dataset.Dataset) error {
	switch own := v != nil && v.Hash != ""; {
	case own && f.validation == "":
		return fmt.Errorf("%s: the fit was validated by rows that are not in the model file; name their file with --validation", path)
	case !own && f.validation != "":
		return usagef("%s: the fit was not validated by rows of a file; leave out --validation", path)
	case !own:
		return nil
	}
	t, err := f.readLabeled(f.validation, "", "labels")
	if err != nil {
		return err
	}
	notes, err := t.Relabel(d.Classes)
	if err != nil {
		return withPath(f.validation, err)
	}
	f.explainLabels(f.validation, notes)
	v.X, v.Labels = t.X, t.Labels
	return nil
}

// modelDifferences lists the differences between two models of the same shape.
func modelDifferences(was, is *wda.Model) []string {
	var out []string
	if a, b := was.ClassNames(), is.ClassNames(); !slices.Equal(a, b) {
		out = append(out, fmt.Sprintf("classes: %s, now %s", joinNames(a, 60), joinNames(b, 60)))
	}
	a, b := was.Projection(), is.Projection()
	r, c := a.Dims()
	count, most := 0, 0.
	for i := range r {
		for j := range c {
			if x, y := a.At(i, j), b.At(i, j); x != y {
				count++
				most = max(most, math.Abs(x-y))
			}
		}
	}
	if count > 0 {
		out = append(out, fmt.Sprintf("projection: %d of %d numbers differ, by %.3g at most (the largest number is %.3g)", count, r*c, most, maxAbs(a)))
	}
	if x, y := was.Mean(), is.Mean(); !slices.Equal(x, y) {
		out = append(out, "mean: the data are not the same")
	}
	if x, y := was.Report(), is.Report(); x.Objective != y.Objective || x.Steps != y.Steps {
		out = append(out, fmt.Sprintf("J: %.15g after %d steps, now %.15g after %d", x.Objective, x.Steps, y.Objective, y.Steps))
	}
	if out == nil {
		out = append(out, "the rows to classify by: their order or labels")
	}
	return out
}

// maxAbs returns the largest absolute value in m.
func maxAbs(m mat.Matrix) float64 { return max(mat.Max(m), -mat.Min(m)) }
