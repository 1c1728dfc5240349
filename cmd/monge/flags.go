package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/wda"
	"github.com/spf13/cobra"
)

// requireFlags fails unless every named flag was given a value.
func requireFlags(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f.Value.String() == "" || !f.Changed {
			return usagef("--%s is required; see monge help %s", name, cmd.Name())
		}
	}
	return nil
}

func checkPositive(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return usagef("--%s must be positive and finite, not %v", name, v)
	}
	return nil
}

func checkRange(name string, v, low, high int) error {
	if v < low || v > high {
		return usagef("--%s must be between %d and %d, not %d", name, low, high, v)
	}
	return nil
}

// objectiveFlags are the settings that define J, shared by fit and score.
type objectiveFlags struct {
	lambda       float64
	lambdaMatrix string
	iterations   int
	weights      string
	float32      bool
	level        string
	workers      int
}

// maxIterations bounds L where gradients are wanted: every iterate is stored.
const maxIterations = 10000

func (f *objectiveFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Float64Var(&f.lambda, "lambda", 1, "λ, the inverse of the entropic regularisation")
	fs.StringVar(&f.lambdaMatrix, "lambda-matrix", "", "file of λ for every pair of classes (C × C, CSV without header or NPY, classes sorted), instead of --lambda")
	fs.IntVar(&f.iterations, "iterations", 10, "L, the Sinkhorn iterations that define the transport")
	fs.StringVar(&f.weights, "weights", wda.Uniform.String(), "weights of the class pairs: uniform or proportional to the class frequencies")
	fs.BoolVar(&f.float32, "float32", false, "evaluate in float32, about twice as fast")
	fs.StringVar(&f.level, "level", "", "instruction set; the result is the same with any (default the best of this machine)")
	fs.IntVar(&f.workers, "workers", 0, "goroutines; the result does not depend on it (default one per CPU)")
}

// settings checks the flags and returns what they say, except for the λ matrix.
func (f *objectiveFlags) settings(cmd *cobra.Command) (*wda.Settings, error) {
	if err := checkPositive("lambda", f.lambda); err != nil {
		return nil, err
	}
	if f.lambdaMatrix != "" && cmd.Flags().Changed("lambda") {
		return nil, usagef("--lambda and --lambda-matrix exclude each other")
	}
	if err := checkRange("iterations", f.iterations, 1, maxIterations); err != nil {
		return nil, err
	}
	if err := checkRange("workers", f.workers, 0, 1024); err != nil {
		return nil, err
	}
	if err := checkLevel(f.level); err != nil {
		return nil, err
	}
	s := &wda.Settings{Lambda: f.lambda, Iterations: f.iterations, Float32: f.float32, Level: f.level, Workers: f.workers}
	var err error
	if s.Weights, err = wda.ParseWeights(f.weights); err != nil {
		return nil, usagef("--weights: %v", err)
	}
	return s, nil
}

func checkLevel(name string) error {
	if name == "" {
		return nil
	}
	l, err := asm.ParseLevel(name)
	if err != nil {
		return usagef("--level: %v", err)
	}
	if !asm.Has(l) {
		return usagef("--level: this machine has no %v", l)
	}
	return nil
}

// parseShrinkage returns Settings.Shrinkage for the text of a flag.
func parseShrinkage(text string) (float64, error) {
	if text == "auto" {
		return 0, nil
	}
	rho, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !(rho >= 0) || math.IsInf(rho, 1):
		return 0, usagef("--shrinkage must be auto or a number from 0, not %q", text)
	case rho == 0:
		return wda.NoShrinkage, nil
	}
	return rho, nil
}

// solverNames asks the library, which may gain some.
func solverNames() string {
	var names []string
	for s := wda.Solver(0); ; s++ {
		if _, err := wda.ParseSolver(s.String()); err != nil {
			return strings.Join(names, ", ")
		}
		names = append(names, s.String())
	}
}

// checkNeighbors returns the distinct numbers of neighbours in their order.
func checkNeighbors(ks []int) ([]int, error) {
	var distinct []int
	for _, k := range ks {
		if err := checkRange("k", k, 1, math.MaxInt32); err != nil {
			return nil, err
		}
		if !slices.Contains(distinct, k) {
			distinct = append(distinct, k)
		}
	}
	if len(distinct) == 0 {
		return nil, usagef("--k needs at least one number")
	}
	return distinct, nil
}
