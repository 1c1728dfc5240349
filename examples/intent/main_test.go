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

// TestIntent routes queries of five simulated intents in twelve dimensions. The queries of an
// intent are close to one axis. Two intents are held out of training. The test checks that all
// methods recognize queries of these two intents as foreign, and route the other queries correctly.
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
	if err := run(t.Context(), []string{"-data", file, "-p", "2", "-bytes", "1,6", "-foreign", "0.4", "-rows", "40", "-reject", "0.1"}, &out); err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^\| (\d+) \| (full|PCA|LDA|WDA) \| (\d+) \| (\S+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|`).FindAllStringSubmatch(out.String(), -1)
	var got []string
	for _, l := range lines {
		got = append(got, strings.Join(l[1:5], " "))
		right, _ := strconv.ParseFloat(l[5], 64)
		area, _ := strconv.ParseFloat(l[6], 64)
		known, _ := strconv.ParseFloat(l[7], 64)
		foreign, _ := strconv.ParseFloat(l[8], 64)
		// pq:1 stores a single code of 8 bits, which is inaccurate.
		if right < 95 || l[4] != "pq:1" && (area < 0.9 || known > 40 || foreign < 60) {
			t.Errorf("%s", l[0])
		}
	}
	want := "48 full 12 float32,12 full 12 int8,1 full 12 pq:1,6 full 12 pq:6"
	for _, name := range []string{"PCA", "LDA", "WDA"} {
		want += fmt.Sprintf(",8 %s 2 float32,2 %s 2 int8,1 %s 2 pq:1", name, name, name)
	}
	if strings.Join(got, ",") != want {
		t.Errorf("%s", &out)
	}
	for _, bad := range [][]string{{"-data", file, "-p", "13"}, {"-data", file, "-bytes", "0"}, {"-data", file, "-foreign", "0.9"}, {"-data", file + ".none"}} {
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
