package main

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
	"gonum.org/v1/gonum/mat"
)

// meta reads the expected scalars of a reference case.
func meta(t testing.TB, dir string) (v map[string]any) {
	t.Helper()
	testdata.JSON(t, filepath.Join(dir, "meta.json"), &v)
	return v
}

func readMatrix(t testing.TB, path string) *mat.Dense {
	t.Helper()
	m, err := new(textFlags).readMatrix(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestGoldenScores(t *testing.T) {
	for _, name := range []string{"circles", "bimodal", "bimodal_log", "gauss5", "two1"} {
		dir := testdata.Shared(t, "fixtures", name)
		at := func(file string) string { return filepath.Join(dir, file+".csv") }
		want := meta(t, dir)
		iterations := fmt.Sprint(numberAt(t, want, "L"))
		var rgrad mat.Dense
		f := numberAt(t, want, "f0_f64")
		rgrad.Scale(-1/(f*f), readMatrix(t, at("rgrad_f")))
		for _, data := range [][]string{{"--data", at("X"), "--labels", at("y")}, {"--data", filepath.Join(dir, name+".npz")}} {
			v := object(t, append(data, "score", "--projection", at("P0"), "--lambda-matrix", at("lam"), "--iterations", iterations)...)
			checkNear(t, name+": J", numberAt(t, v, "objective"), numberAt(t, want, "J0_f64"), 1e-12)
			checkNear(t, name+": σ_b²", numberAt(t, v, "between"), numberAt(t, want, "loss_b0"), 1e-12)
			checkNear(t, name+": σ_w²", numberAt(t, v, "within"), numberAt(t, want, "loss_w0"), 1e-12)
			checkNear(t, name+": gradient norm", numberAt(t, v, "gradient_norm"), mat.Norm(&rgrad, 2), 1e-9)
		}
	}
}

func TestGoldenFit(t *testing.T) {
	for _, name := range []string{"circles", "two1"} {
		dir := testdata.Shared(t, "fixtures", name)
		at := func(file string) string { return filepath.Join(dir, file+".csv") }
		want := meta(t, dir)
		model := filepath.Join(t.TempDir(), "m.wda")
		v := object(t, "fit", "--data", at("X"), "--labels", at("y"), "--init", at("P0"), "--lambda-matrix", at("lam"),
			"--iterations", fmt.Sprint(numberAt(t, want, "L")), "-p", fmt.Sprint(readMatrix(t, at("P0")).RawMatrix().Cols),
			"--whitening", "none", "--shrinkage", "0", "--tolerance", "1e-8", "--max-steps", "1000", "--model", model)
		checkNear(t, name+": f", 1/numberAt(t, v, "objective"), numberAt(t, want, "best_known_f"), 1e-9)
	}
}

func TestGoldenPlans(t *testing.T) {
	for _, name := range []string{"ot_reg1e-1", "ot_reg1e-2", "ot_reg1e-3", "ot_reg2e-4"} {
		dir := testdata.Shared(t, "fixtures", name)
		at := func(file string) string { return filepath.Join(dir, file+".csv") }
		want := meta(t, dir)
		lambda := fmt.Sprintf("%.17g", numberAt(t, want, "lam"))
		out := t.TempDir()
		for i, input := range [][]string{{"--x", at("Xs"), "--y", at("Ys")}, {"--cost", at("M")}} {
			plan := filepath.Join(out, []string{"T.csv", "T.npy"}[i])
			for _, iterations := range []string{"1", "2", "10", "100"} {
				v := object(t, append(input, "sinkhorn", "--a", at("a"), "--b", at("b"), "--lambda", lambda, "--iterations", iterations, "--plan", plan)...)
				checkNear(t, name+": cost", numberAt(t, v, "cost"), numberAt(t, want, "cost_"+iterations), 1e-12)
				if e := numberAt(t, v, "marginal_error") - numberAt(t, want, "marg_err_b_l1_"+iterations); !(math.Abs(e) <= 1e-14) {
					t.Errorf("%s, %s iterations: marginal error is off by %.3g", name, iterations, e)
				}
				golden := readMatrix(t, at("T_"+iterations))
				var diff mat.Dense
				diff.Sub(readMatrix(t, plan), golden)
				if e := max(mat.Max(&diff), -mat.Min(&diff)) / mat.Max(golden); !(e <= 1e-13) {
					t.Errorf("%s, %s iterations: plan is off by %.3g of its largest entry", name, iterations, e)
				}
			}
		}
		if name == "ot_reg1e-1" || name == "ot_reg1e-2" {
			v := object(t, "sinkhorn", "--x", at("Xs"), "--y", at("Ys"), "--a", at("a"), "--b", at("b"), "--lambda", lambda, "--tolerance", "1e-12")
			checkNear(t, name+": converged cost", numberAt(t, v, "cost"), numberAt(t, want, "cost_conv"), 1e-9)
			if v["status"] != "converged" {
				t.Errorf("%s: %v", name, v)
			}
		}
	}
}

// TestRealData checks the commands on real data.
func TestRealData(t *testing.T) {
	testdata.Long(t)
	dir := t.TempDir()
	model := filepath.Join(dir, "m.wda")
	for _, c := range []struct {
		file  string
		fit   []string
		worst float64 // upper bound for the 5-NN error of a good projection
	}{
		{"wine.csv.gz", []string{"--holdout", "0.5"}, 0.4},
		{"vehicle.csv.gz", []string{"--holdout", "0.5", "-p", "5"}, 0.5},
		{"isolet.npz", []string{"--holdout", "0.2", "--sample", "780", "-p", "10", "--max-steps", "10"}, 0.35},
	} {
		path := testdata.Shared(t, "data", c.file)
		v := object(t, append([]string{"fit", "--data", path, "--model", model}, c.fit...)...)
		rows := c.fit[:2]
		if c.file == "isolet.npz" {
			rows = c.fit[:4]
		}
		e := object(t, append([]string{"eval", "--model", model, "--train", path, "--test", path}, rows...)...)
		t.Logf("%s: J = %v, error %v", c.file, v["objective"], e["knn_error"])
		if r := numberAt(t, e, "knn_error", "5"); !(r < c.worst) {
			t.Errorf("%s: error %v", c.file, r)
		}
		picture := filepath.Join(dir, "p.png")
		object(t, "plot", "--model", model, "--data", path, "--sample", "150", "--out", picture)
		checkPicture(t, picture, 800, 600)
	}
}

func TestMNIST(t *testing.T) {
	testdata.Long(t)
	model := filepath.Join(t.TempDir(), "m.wda")
	whole := testdata.Shared(t, "data", "mnist.npz")
	object(t, "fit", "--data", whole, "--sample", "300", "-p", "10", "--max-steps", "5", "--method", "cg", "--float32", "--model", model)
	e := object(t, "eval", "--model", model, "--train", whole, "--test", whole, "--sample", "300", "--k", "5,1")
	if r := numberAt(t, e, "knn_error", "5"); !(r < 0.25) || numberAt(t, e, "test") != 10000 || math.IsNaN(r) {
		t.Errorf("error %v on %v digits", r, e["test"])
	}
	idx := testdata.Shared(t, "data", "mnist-idx", "t10k-images-idx3-ubyte.gz")
	again := object(t, "eval", "--model", model, "--train", idx, "--test", idx, "--holdout", "0.1", "--k", "5")
	if numberAt(t, again, "test") != 1000 || numberAt(t, again, "train") != 9000 {
		t.Errorf("%v", again)
	}
}
