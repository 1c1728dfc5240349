package experiments

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSignedRank compares with scipy; testdata/wilcoxon.py computes the expected values.
func TestSignedRank(t *testing.T) {
	f, err := os.Open("testdata/wilcoxon.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 30 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, row := range rows[1:] {
		want, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		var d []float64
		for _, s := range strings.Fields(row[3]) {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			d = append(d, v)
		}
		z := map[string]zeros{"wilcox": dropZeros, "pratt": rankZeros}[row[1]]
		plus, p := signedRank(d, z)
		if !(math.Abs(p-want) <= 1e-12*want) {
			t.Errorf("line %d (%s, %s, %d differences): p = %v, scipy has %v", i+2, row[0], row[1], len(d), p, want)
		}
		// If all signs change, signedRank returns the sum of the ranks that were negative, and the same
		// p-value.
		for j := range d {
			d[j] = -d[j]
		}
		if minus, q := signedRank(d, z); q != p || plus+minus > float64(len(d)*(len(d)+1)/2) {
			t.Errorf("line %d, signs changed: %v and %v, p = %v and %v", i+2, plus, minus, p, q)
		}
	}
}

// TestSignedRankTable compares signedRank with the critical values in Wilcoxon's table. A critical
// value is the largest rank sum for which the two-sided p-value is at most 0.05.
func TestSignedRankTable(t *testing.T) {
	for n, critical := range map[int]int{6: 0, 8: 3, 10: 8, 15: 25, 20: 52, 25: 89} {
		at := func(sum int) float64 { // p-value if the positive ranks add up to sum
			d := make([]float64, n)
			for r := n; r >= 1; r-- {
				d[r-1] = -float64(r)
				if sum >= r {
					d[r-1] = float64(r)
					sum -= r
				}
			}
			_, p := signedRank(d, dropZeros)
			return p
		}
		if a, b := at(critical), at(critical+1); !(a <= 0.05 && b > 0.05) {
			t.Errorf("n = %d: p = %.4f at %d, %.4f at %d", n, a, critical, b, critical+1)
		}
	}
}

func TestSignedRankNothing(t *testing.T) {
	for _, d := range [][]float64{nil, {0}, {0, 0, 0}} {
		for _, z := range []zeros{dropZeros, rankZeros} {
			if plus, p := signedRank(d, z); plus != 0 || p != 1 {
				t.Errorf("%v: %v, p = %v", d, plus, p)
			}
		}
	}
}

func TestAverageRanks(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ values, want []float64 }{
		{nil, []float64{}},
		{[]float64{3}, []float64{1}},
		{[]float64{2, 1, 3}, []float64{2, 1, 3}},
		{[]float64{5, 5, 1, 5}, []float64{3, 3, 1, 3}},
		{[]float64{0, 7, 0, 7}, []float64{1.5, 3.5, 1.5, 3.5}},
		{[]float64{2, nan, 1, 2}, []float64{2.5, nan, 1, 2.5}},
		{[]float64{math.Inf(1), -1, math.Inf(1)}, []float64{2.5, 1, 2.5}},
	} {
		got := averageRanks(c.values)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
			t.Errorf("ranks of %v: %v, want %v", c.values, got, c.want)
		}
	}
}
