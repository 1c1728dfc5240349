package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestIntent: five intents around five axes of twelve dimensions, two of them held out: all
// ways route rightly and know what is foreign.
func TestIntent(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for i := range 150 {
		for j := range 12 {
			v := 0.1 * rng.NormFloat64()
			if j == i%5 {
				v++
			}
			fmt.Fprintf(&text, "%g,", v)
		}
		fmt.Fprintln(&text, i%5)
	}
	file := filepath.Join(t.TempDir(), "queries.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-data", file, "-p", "2", "-foreign", "0.4", "-rows", "40", "-reject", "0.1"}, &out); err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^\| (none|PCA|LDA|WDA) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|`).FindAllStringSubmatch(out.String(), -1)
	if len(lines) != 4 {
		t.Fatalf("%s", &out)
	}
	for _, l := range lines {
		right, _ := strconv.ParseFloat(l[3], 64)
		area, _ := strconv.ParseFloat(l[4], 64)
		known, _ := strconv.ParseFloat(l[6], 64)
		foreign, _ := strconv.ParseFloat(l[7], 64)
		if right < 95 || area < 0.9 || known > 40 || foreign < 60 {
			t.Errorf("%s", l[0])
		}
	}
	for _, bad := range [][]string{{"-data", file, "-p", "13"}, {"-data", file, "-foreign", "0.9"}, {"-data", file + ".none"}} {
		if err := run(t.Context(), bad, &out); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestAUROC(t *testing.T) {
	if a := auroc([]float64{1, 2, 3}, []float64{2, 4}); a != (1.5+3)/6 {
		t.Error(a)
	}
}
