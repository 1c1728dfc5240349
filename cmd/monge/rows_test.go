package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHeldOutRows checks that eval, predict, transform and verify select the rows that fit held out, in tables
// with column names and with missing values. Every row is unique, so a row at distance 0 is a training row.
func TestHeldOutRows(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	rng := rand.New(rand.NewPCG(1, 1))
	var table, other, bare strings.Builder
	table.WriteString("age,kind,height\n")
	other.WriteString("age,kind,height\n")
	bare.WriteString("age,height\n")
	for i := range 120 {
		class := i * i % 3
		age, height := fmt.Sprint(rng.NormFloat64()+float64(3*class)), fmt.Sprint(rng.NormFloat64())
		fmt.Fprintf(&other, "%v,k%d,%v\n", rng.NormFloat64()+float64(3*class), class, rng.NormFloat64())
		fmt.Fprintf(&bare, "%s,%s\n", age, height)
		if i%7 == 3 {
			age = "NA"
		}
		fmt.Fprintf(&table, "%s,k%d,%s\n", age, class, height)
	}
	data := write(t, at("table.csv"), table.String())
	write(t, at("other.csv"), other.String())
	write(t, at("bare.csv"), bare.String())
	const warning = "these are not the rows of the fit"
	for _, missing := range []string{"drop", "median"} {
		for _, sample := range []string{"0", "50"} {
			t.Run(missing+sample, func(t *testing.T) {
				model := at(missing + sample + ".wda")
				object(t, "fit", "--data", data, "--label-column", "kind", "--missing", missing, "--method", "fisher", "--scale", "unit", "-p", "2",
					"--holdout", "0.4", "--seed", "5", "--sample", sample, "--k", "3", "--model", model)
				if code, _, stderr := monge(t, "eval", "--model", model, "--data", data); code != 0 || strings.Contains(stderr, warning) {
					t.Error(stderr)
				}
				tested := int(numberAt(t, object(t, "eval", "--model", model, "--data", data), "test"))
				for _, rows := range []string{"test", "train"} {
					code, _, stderr := monge(t, "predict", "--model", model, "--data", data, "--holdout", "0.4", "--seed", "5", "--rows", rows, "--neighbors", "1", "--out", at("out.csv"))
					if code != 0 {
						t.Fatal(stderr)
					}
					lines := readLines(t, at("out.csv"))
					zeros := 0
					for _, l := range lines[1:] {
						if strings.HasSuffix(l, ",0") {
							zeros++
						}
					}
					if rows == "test" && (zeros != 0 || len(lines)-1 != tested) || rows == "train" && zeros == 0 {
						t.Errorf("--rows %s: %d of %d rows are training rows; eval tests %d rows", rows, zeros, len(lines)-1, tested)
					}
				}
				if code, stdout, stderr := monge(t, "verify", model, "--data", data); code != 0 {
					t.Errorf("%s%s", stdout, stderr)
				}
				if code, _, stderr := monge(t, "eval", "--model", model, "--data", at("other.csv")); code != 0 || !strings.Contains(stderr, warning) {
					t.Errorf("another file: %s", stderr)
				}
				code, _, stderr := monge(t, "predict", "--model", model, "--data", at("bare.csv"), "--holdout", "0.4", "--rows", "test", "--out", at("out.csv"))
				if code != 1 || !strings.Contains(stderr, "the file has no labels") {
					t.Errorf("without labels: %s", stderr)
				}
			})
		}
	}
	projected := map[string]string{}
	for _, labels := range []string{"", "--keep-labels"} {
		args := strings.Fields("transform --sample 20 " + labels)
		if code, _, stderr := monge(t, append(args, "--model", at("median0.wda"), "--data", data, "--out", at("out.csv"))...); code != 0 {
			t.Fatal(stderr)
		}
		for _, l := range readLines(t, at("out.csv")) {
			projected[labels] += strings.Join(strings.Split(l, ",")[:2], ",") + "\n"
		}
	}
	if projected[""] != projected["--keep-labels"] {
		t.Error("transform --sample draws other rows with --keep-labels")
	}
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}
