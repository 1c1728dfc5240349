package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/vecmath"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
)

func newInfo(a *app) *cobra.Command {
	var model string
	read := new(readFlags)
	cmd := &cobra.Command{
		Use:   "info [FILE] [flags]",
		Short: "Describe a model or a file of samples, or this program and machine",
		Long: `Info describes a file. For a model it prints the projection and its fit. For a file of
samples it prints rows, features, classes, missing values, columns of text and the first
rows; it reads the file in bounded memory.

Without a file it describes the program and the machine: the version, and the
instruction sets that this machine can run.`,
		Example: `  monge info wine.wda
  monge info wine.csv
  zcat rows.csv.gz | monge info -
  MONGE_LEVEL=ref monge info --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("info describes one file, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && model == "":
				return a.printInfo("", nil, nil)
			case len(args) == 0:
				m, c, err := readClassifier(model)
				if err != nil {
					return err
				}
				return a.printInfo(model, m, c)
			case model != "":
				return exclusiveFlagsError("a file", "--model")
			}
			return a.describeFile(read, args[0])
		},
	}
	read.app = a
	cmd.Flags().StringVar(&model, "model", "", "`FILE`: a model to describe")
	read.add(cmd)
	return cmd
}

// describeFile describes a model file or a file of samples.
func (a *app) describeFile(read *readFlags, path string) error {
	var in io.ReadSeeker
	var m *wda.Model
	var c *wda.Classifier
	var err error
	if path == stdinArgument {
		whole, end, opened := openStdin(true)
		if opened != nil {
			return opened
		}
		defer end()
		in = whole.(io.ReadSeeker)
		m, c, err = wda.Load(in, nil)
	} else {
		m, c, err = readClassifier(path)
	}
	if err == nil {
		return a.printInfo(path, m, c)
	}
	if !errors.Is(err, wda.ErrModel) || strings.HasSuffix(path, ".wda") {
		return err
	}
	d, err := read.describe(path, in)
	if err != nil {
		return readError(err)
	}
	return a.report(d, func(w io.Writer) { d.print(w, read.ids) })
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Version prints the version of the program and what it was built with.",
		Example: "  monge version",
		RunE: func(*cobra.Command, []string) error {
			v := currentVersion()
			return a.report(v, func(w io.Writer) {
				fmt.Fprintf(w, "monge %s", v.Version)
				if v.Revision != "" {
					fmt.Fprintf(w, " (%s)", v.Revision)
				}
				fmt.Fprintf(w, ", built with %s for %s\n", v.Go, v.Platform)
			})
		},
	}
}

type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// release is the version of this build. The linker sets it if the toolchain records no version.
var release string

// currentVersion describes this build. The version is the first of these that is not empty: the
// variable release, the module version that the toolchain recorded, and "(devel)".
func currentVersion() versionInfo {
	v := versionInfo{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = cmp.Or(release, b.Main.Version, v.Version)
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" {
			v.Revision = s.Value
		}
	}
	return v
}

type infoResult struct {
	versionInfo
	CPUs     int        `json:"cpus"`
	Levels   []string   `json:"levels"`
	Selected string     `json:"selected"`        // of the levels
	Set      string     `json:"instruction_set"` // the level with its extensions
	Model    *modelInfo `json:"model,omitempty"`
}

type modelInfo struct {
	Features     int      `json:"features"`
	Names        []string `json:"feature_names,omitempty"`
	LeftOut      []string `json:"left_out,omitempty"` // columns of the file of the fit
	Missing      string   `json:"missing,omitempty"`  // treatment of missing values
	Components   int      `json:"components"`
	Classes      []string `json:"classes,omitempty"`
	Objective    number   `json:"objective"`
	Solver       string   `json:"method"`
	Status       string   `json:"status"`
	Steps        int      `json:"steps"`
	Mixed        int      `json:"mixed,omitempty"` // candidates of a mixture; method, J and the like are then of the first
	Lambda       number   `json:"lambda"`
	Absolute     bool     `json:"absolute"`
	Iterations   int      `json:"iterations"`
	Shrinkage    number   `json:"shrinkage"`
	Proportional bool     `json:"proportional"`
	Float32      bool     `json:"float32"`
	Rows         int      `json:"rows,omitempty"` // training rows to classify by
	K            int      `json:"k,omitempty"`
	Storage      string   `json:"storage,omitempty"`     // of these rows
	RowBytes     int      `json:"row_bytes,omitempty"`   // size of one stored row
	Bytes        int      `json:"bytes,omitempty"`       // bytes of all stored rows, with codebooks
	RejectRate   number   `json:"reject_rate,omitempty"` // rejection rate of rows of known classes
	Hash         string   `json:"hash"`                  // hash of everything that predictions depend on
}

// print writes the description of a model as text.
func (m *modelInfo) print(w io.Writer, path string, r *wda.Report) {
	set := r.Settings
	fmt.Fprintf(w, "\nmodel\t%s\n", path)
	fmt.Fprintf(w, "projection\t%d → %d dimensions\n", m.Features, m.Components)
	if m.Names != nil {
		fmt.Fprintf(w, "features\t%s\n", joinNames(m.Names, 60))
	}
	if m.LeftOut != nil {
		fmt.Fprintf(w, "left out\t%s\n", joinNames(m.LeftOut, 60))
	}
	switch m.Missing {
	case "":
	case dataset.MissingDrop.String():
		fmt.Fprintln(w, "missing\trows with missing values are left out")
	default:
		fmt.Fprintf(w, "missing\tthe %s of the training rows takes the place of a missing value\n", m.Missing)
	}
	if m.Classes != nil {
		fmt.Fprintf(w, "classes\t%d (%s)\n", len(m.Classes), joinNames(m.Classes, 60))
	}
	first, leads := "", ""
	if members := set.Mixture.Members(); members != nil {
		var mixed []choice
		for _, c := range members {
			mixed = append(mixed, newChoice(c))
		}
		first, leads = printMixture(w, mixed)
		first = " and the settings" + first
	} else {
		fmt.Fprintf(w, "method\t%s\n", methodText(m.Solver, set.Data.Whitening.String(), set.Objective.Lambda.String(), float64(m.Shrinkage), set.Scale.String()))
	}
	fmt.Fprintf(w, "optimizer\t%s%s\n", leads, endText(r, "at its limit"))
	fmt.Fprintf(w, "J\t%.6g, with %d Sinkhorn iterations%s\n", float64(m.Objective), m.Iterations, first)
	if len(r.Ratios) > 0 {
		fmt.Fprintf(w, "ratios\t%s: between / within for each component\n", ratiosText(r.Ratios))
	}
	if m.Rows > 0 {
		fmt.Fprintf(w, "classifier\t%d nearest of %d training rows\n", m.K, m.Rows)
		s := storageResult{Storage: m.Storage, RowBytes: m.RowBytes, Bytes: m.Bytes}
		fmt.Fprintf(w, "storage\t%s\n", s.text())
	} else {
		fmt.Fprintf(w, "classifier\tnone: the model holds no training rows (fit --k keeps them)\n")
	}
	if m.RejectRate > 0 {
		fmt.Fprintf(w, "rejection\trejects a share of %v of the rows of known classes on average\n", float64(m.RejectRate))
	}
	fmt.Fprintf(w, "hash\t%s\n", m.Hash)
}

// printInfo describes the program and the machine. If m is not nil, it also describes the model m.
// path is the path of the model's file.
func (a *app) printInfo(path string, m *wda.Model, c *wda.Classifier) error {
	var report *wda.Report
	out := infoResult{versionInfo: currentVersion(), CPUs: runtime.GOMAXPROCS(0), Selected: asm.Current().String(), Set: vecmath.InstructionSet()}
	for _, l := range asm.Available() {
		out.Levels = append(out.Levels, l.String())
	}
	if m != nil {
		r := m.Report()
		report = &r
		d, p := m.Dims()
		o := r.Settings.Objective
		out.Model = &modelInfo{
			Features: d, Components: p, Classes: m.ClassNames(), Objective: number(r.Objective), Solver: r.Settings.Optimizer.Method.String(),
			Status: r.Status.String(), Steps: r.Steps, Mixed: len(r.Settings.Mixture.Members()), Lambda: number(o.Lambda.Value()), Absolute: o.Lambda.Value() == 0 || o.Lambda.IsAbsolute(),
			Iterations: o.Iterations, Shrinkage: number(o.Shrinkage.Value()), Proportional: o.Proportional,
			Float32: o.Float32, Hash: contentHash(m, c),
		}
		if s := m.Schema(); s != nil {
			out.Model.Names, out.Model.LeftOut = s.Features(), s.LeftOut
			if s.Missing != dataset.MissingError {
				out.Model.Missing = s.Missing.String()
			}
		}
		if c != nil {
			s := newStorageResult(c)
			out.Model.Rows, out.Model.K, out.Model.RejectRate = s.Rows, s.K, number(c.Rejection().Rate)
			out.Model.Storage, out.Model.RowBytes, out.Model.Bytes = s.Storage, s.RowBytes, s.Bytes
		}
	}
	return a.report(out, func(w io.Writer) {
		fmt.Fprintf(w, "version\t%s\n", out.Version)
		if out.Revision != "" {
			fmt.Fprintf(w, "revision\t%s\n", out.Revision)
		}
		fmt.Fprintf(w, "built with\t%s for %s\n", out.Go, out.Platform)
		fmt.Fprintf(w, "CPUs\t%d\n", out.CPUs)
		capped := ""
		if v := os.Getenv(asm.CapVariable); v != "" {
			capped = fmt.Sprintf(" (%s=%s)", asm.CapVariable, v)
		}
		fmt.Fprintf(w, "instruction set\t%s%s (this machine has %s)\n", out.Set, capped, strings.Join(out.Levels, ", "))
		if out.Model != nil {
			out.Model.print(w, displayName(path), report)
		}
	})
}
