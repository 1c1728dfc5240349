package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// intents writes 600 rows with eight features to a file and returns its path. The rows of each of
// the five classes lie near one coordinate axis.
func intents(t *testing.T) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	fmt.Fprintln(&text, "a,b,c,d,e,f,g,h,class")
	for i := range 600 {
		for j := range 8 {
			v := 0.15 * rng.NormFloat64()
			if j == i%5 {
				v++
			}
			fmt.Fprintf(&text, "%.6f,", v)
		}
		fmt.Fprintf(&text, "class%d\n", i%5)
	}
	file := filepath.Join(t.TempDir(), "intents.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestReject checks that fit, info, eval, verify and predict handle a model that rejects rows of
// unknown classes.
func TestReject(t *testing.T) {
	data := intents(t)
	model := filepath.Join(filepath.Dir(data), "m.wda")
	fit := fitSummary(t, "--data", data, "--holdout", "0.4", "--k", "3", "--reject", "0.1", "--unknown", "class4", "-p", "3", "--model", model)
	if fit["reject_rate"] != 0.1 || fit["calibration_rows"] != 58. || len(fit["classes"].([]any)) != 4 {
		t.Fatalf("%v", fit)
	}
	if info := object(t, "info", model, "--json")["model"].(map[string]any); info["reject_rate"] != 0.1 || info["rows"] != 230. {
		t.Errorf("info: %v", info)
	}
	eval := object(t, "eval", "--model", model, "--data", data, "--unknown", "class4", "--json")
	r, _ := eval["rejection"].(map[string]any)
	if r == nil || r["unknown_rows"] != 48. || r["auroc"].(float64) < 0.95 || r["unknown_rejected"].(float64) < 0.6 || r["known_rejected"].(float64) > 0.25 {
		t.Fatalf("eval: %v", r)
	}
	if code, out, stderr := monge(t, "eval", "--model", model, "--data", data, "--unknown", "class4"); code != exitOK || !strings.Contains(out, "rejected, of 48 rows of unknown classes") || !strings.Contains(out, "AUROC") {
		t.Errorf("eval: %d, %s%s", code, out, stderr)
	}
	// verify must treat the class that the fit left out as unknown.
	for _, more := range [][]string{nil, {"--unknown", "class4"}} {
		code, out, stderr := monge(t, append([]string{"verify", model, "--data", data}, more...)...)
		if code != exitOK || !strings.HasPrefix(out, "verified") || !strings.Contains(out, "rows of class class4, unknown to the model\n") {
			t.Errorf("verify %q: %d, %s%s", more, code, out, stderr)
		}
	}
	other := write(t, filepath.Join(filepath.Dir(data), "other.txt"), strings.Repeat("x\ny\n", 300))
	if code, _, stderr := monge(t, "verify", model, "--data", data, "--drop", "class", "--labels", other); code != exitFailure || !strings.Contains(stderr, "the model knows none of its classes") {
		t.Errorf("verify with other labels: %d, %s", code, stderr)
	}

	code, out, stderr := monge(t, "predict", "--model", model, "--data", data, "--reject")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if code != exitOK || err != nil || len(rows) != 601 || strings.Join(rows[0], ",") != "label,score,rejected" {
		t.Fatalf("predict: %d, %v, %d rows: %s", code, err, len(rows), stderr)
	}
	rejected := map[string]int{}
	for i, row := range rows[1:] {
		if row[2] == "1" {
			rejected[fmt.Sprintf("class%d", i%5)]++
		}
	}
	if rejected["class4"] < 70 || rejected["class0"] > 40 {
		t.Errorf("rejected of 120 rows each: %v", rejected)
	}
	all := object(t, "predict", "--model", model, "--data", data, "--reject=0.2", "--json")
	if n := all["rejected_rows"].(float64); int(n) <= rejected["class4"] || len(all["scores"].([]any)) != 600 || len(all["rejected"].([]any)) != 600 {
		t.Errorf("another rate: %v of %d rejected", n, len(all["scores"].([]any)))
	}
}

// TestRejectErrors checks that unsupported uses of --reject and --unknown are errors that give the reason, and that no
// file is written.
func TestRejectErrors(t *testing.T) {
	data := intents(t)
	folder := filepath.Dir(data)
	plain, model, out := filepath.Join(folder, "plain.wda"), filepath.Join(folder, "m.wda"), filepath.Join(folder, "none.wda")
	fitSummary(t, "--data", data, "--k", "3", "--model", plain)
	fitSummary(t, "--data", data, "--k", "3", "--reject", "0.1", "--model", model)
	for _, tt := range []struct {
		args string
		code int
		says string
	}{
		{"fit --data DATA --model OUT --reject 0.1", exitUsage, "--k"},
		{"fit --data DATA --model OUT --k 3 --reject 1.5", exitUsage, "--reject must be between 0 and 1, such as 0.05, not 1.5"},
		{"fit --data DATA --model OUT --k 3 --reject 0.001 --method fisher", exitFailure, "at least 999 are needed"},
		{"fit --data DATA --model OUT --k 3 --reject 0.1 --out-of-core --method minibatch", exitUsage, "--out-of-core"},
		{"fit --data DATA --model OUT --unknown class7", exitFailure, `there is no class "class7"`},
		{"fit --data DATA --model OUT --unknown class0,class1,class2,class3", exitFailure, ""},
		{"fit --data DATA --model OUT --unknown class0,class1,class2,class3,class4", exitFailure, "leaves no rows"},
		{"fit --data DATA --model OUT --unknown class0 --missing mean", exitUsage, "--missing"},
		{"eval --model PLAIN --data DATA --unknown class0", exitFailure, `was fitted to the class "class0"; fit it with --unknown class0`},
		{"eval --model PLAIN --data DATA --unknown class9", exitFailure, "does not reject rows"},
		{"predict --model PLAIN --data DATA --reject", exitFailure, "does not reject rows; fit it with --k and --reject"},
		{"predict --model MODEL --data DATA --reject=2", exitUsage, "--reject=0.05"},
		{"predict --model MODEL --data DATA --reject=0.001", exitFailure, "at least 999 are needed"},
		{"predict --model MODEL --data DATA --reject --k 2", exitUsage, "--k"},
		{"predict --model MODEL --data DATA --reject --train DATA", exitUsage, "--train"},
	} {
		args := strings.Fields(strings.NewReplacer("DATA", data, "PLAIN", plain, "MODEL", model, "OUT", out).Replace(tt.args))
		if code, stdout, stderr := monge(t, args...); code != tt.code || !strings.Contains(stderr, tt.says) || stdout != "" {
			t.Errorf("%s: %d, %q, %s", tt.args, code, stdout, stderr)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%s: a model was written", tt.args)
		}
	}
}
