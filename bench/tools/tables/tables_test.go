package main

import (
	"strings"
	"testing"
)

// TestUpToDate checks that the published tables match the results in bench/tools/results.
func TestUpToDate(t *testing.T) {
	if err := run("../../..", true); err != nil {
		t.Fatal(err)
	}
}

// TestParse parses the output of two runs of bench/peers, and checks that the results are the least times.
func TestParse(t *testing.T) {
	const text = `
| iterate/type=f64/n=64/lambda=20 | ours | 2.0 · 3 | blis | 3.0 · 5 | **1.5 (1.5)** | ≥ 1 openblas: met | openblas 1.0 (0.500 (0.500)) | 1e-8 | 0.60 load |
| iterate/type=f64/n=64/lambda=20 | ours | 1.0 · 3 | blis | 5.0 · 5 | **5.0 (1.5)** |  | openblas 0.90 (0.9 (0.500)) | 1e-8 |
| fit/type=f64/n=10/d=3/p=2/steps=4 | ours-2 | 7 · 8 | – | – | – |  |  | 0 | – |

- below: iterate/type=f64/n=64/lambda=20 ours: 0.60 of load, goal 0.85: a reason
`
	var r results
	if err := r.add("2026-01-02-zen4-avx2-peers.md", text); err != nil {
		t.Fatal(err)
	}
	rows := r.measured[0].rows
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	c := rows[0]
	if c.ours != 1 || c.peers["blis"] != 3 || c.peers["openblas"] != 0.9 || c.fastest() != "openblas" {
		t.Errorf("%+v", c)
	}
	if got := c.ratio("openblas") + " " + c.ratio("blis") + " " + c.ratio("pot"); got != "**0.90** 3.0 –" {
		t.Errorf("ratios %q", got)
	}
	if got := c.short("openblas", true) + " " + c.short("blis", false) + " " + c.short("pot", true) + " " + c.limit() + " " + rows[1].limit(); got != "**0.90** (0.60) 3.0 – 0.60 load –" {
		t.Errorf("shares %q", got)
	}
	if below := r.measured[0].below; len(below) != 1 || below[0] != "iterate/type=f64/n=64/lambda=20 ours: 0.60 of load, goal 0.85: a reason" {
		t.Errorf("below %q", below)
	}
	if got := rows[1].number(); got != "float64, two threads" {
		t.Errorf("numbers %q", got)
	}
	if w := describe(rows[1].name); !strings.HasSuffix(w.text, "4 steps") || w.size != "10 × 3, p = 2" {
		t.Errorf("described as %v", w)
	}
	for name, want := range map[string]work{
		"emd/type=f64/n=64/d=2/weights=random":       {"exact transport, random weights", "64 × 64, d = 2"},
		"assign/type=f64/n=64/costs=points/d=10":     {"assignment", "64 × 64, points, d = 10"},
		"assign/type=f64/count=64/n=64/costs=random": {"64 assignments", "64 × 64 each, random costs"},
		"assign/type=f64/n=64/costs=whole":           {"assignment", "64 × 64, whole costs"},
		"sliced/type=f64/n=1000/d=64/directions=100": {"sliced Wasserstein distance, 100 directions", "n = 1000, d = 64"},
	} {
		if got := describe(name); got != want {
			t.Errorf("%s: described as %v, want %v", name, got, want)
		}
	}
	if err := r.add("peers.md", text); err == nil {
		t.Error("a name without day and machine was taken")
	}
}

func TestErrorsOf(t *testing.T) {
	e := errorsOf("=== NAME  TestExpRef64/normal\n    ref_test.go:93: largest error 0.6053 ULP at exp(-614.17), -0x1p+9\n    ref_test.go:93: largest error 0.7 ULP at exp(-740.5), x\n")["TestExpRef64/normal"]
	if len(e) != 2 || e[0] != (measuredError{0.6053, false}) || e[1] != (measuredError{0.7, true}) {
		t.Error(e)
	}
	for line, want := range map[string]measuredError{
		"f64/Exp\n x.go:1: largest error 0.7258 ULP at -708.7154294646801": {0.7258, true},
		"f64/Exp\n x.go:1: largest error 0.6 ULP at -708.3":                {0.6, false},
		"f32/Exp\n x.go:1: largest error 0.7419 ULP at -87.41133":          {0.7419, true},
		"f32/Exp2\n x.go:1: largest error 0.7 ULP at -125.9":               {0.7, false},
		"f32/Exp2\n x.go:1: largest error 0.7481 ULP at -126.69347":        {0.7481, true},
		"f64/Exp2\n x.go:1: largest error 0.7291 ULP at -1022.9330954863":  {0.7291, true},
		"f64/Log\n x.go:1: largest error 0.5 ULP at -2000":                 {0.5, false},
	} {
		test, _, _ := strings.Cut(line, "\n")
		if e := errorsOf("=== RUN   TestAccuracy/" + line + "\n")["TestAccuracy/"+test]; len(e) != 1 || e[0] != want {
			t.Errorf("%q: %v", line, e)
		}
	}
}
