package asm

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestZen4Measured checks that the Machine of Zen 4 selects AVX2 in every case in which
// bench/tools/levels found AVX2 faster. The test skips squared distances, for which a Machine does
// not list such cases.
func TestZen4Measured(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "bench", "tools", "results", "2026-11-23-zen4-avx512-levels.txt"))
	if os.IsNotExist(err) {
		t.Skip("the measurement is in another module, which a module cache does not have beside this one")
	}
	if err != nil {
		t.Fatal(err)
	}
	cases := regexp.MustCompile(`(?m)^(\w+) (f64|f32|mixed) (\w)=(\d+)(?: p=(\d+) d=(\d+)| n=\d+ d=\d+)? .* slower$`).FindAllStringSubmatch(string(data), -1)
	if len(cases) != 23 {
		t.Fatalf("%d cases, not 23", len(cases))
	}
	for _, c := range cases {
		variant := map[string]Variant{"f64": AVX512F64, "f32": AVX512F32, "mixed": AVX512Mixed}[c[2]]
		n, _ := strconv.Atoi(c[4])
		var choice *Choice
		switch c[1] {
		case "Rows":
			choice = &zen4.Rows
		case "Columns":
			choice = &zen4.Columns
		case "Begin":
			choice = &zen4.Begin
		case "AdjCost":
			choice = &zen4.AdjCost
		case "LogRows":
			choice = &zen4.LogRows
		case "Exp2":
			choice = &zen4.Exp2
		case "Mul":
			choice = &zen4.Product.OneRow
			if n != 1 {
				t.Errorf("%s: more than one row", c[0])
			}
			n, _ = strconv.Atoi(c[5])
		case "TransMul": // sums of n terms
			if cols, _ := strconv.Atoi(c[6]); n > zen4.Product.ShallowDepth || cols < zen4.Product.ShallowCols {
				t.Errorf("%s: AVX-512's form", c[0])
			}
			continue
		case "SqDist":
			continue
		default:
			t.Fatalf("unknown kernel: %s", c[0])
		}
		if got := choice.Variant(variant, n); got != variant-AVX512F64+AVX2F64 {
			t.Errorf("%s: AVX-512's form", c[0])
		}
	}
}

// TestForm checks that a Choice for float32 changes only the AVX-512 variant of float32, and only
// for the sizes in the Choice.
func TestForm(t *testing.T) {
	c := Choice{f32: Sizes{{3, 5}, {7, 8}, {10, noEnd}}}
	for n, want := range map[int]bool{2: false, 3: true, 4: true, 5: false, 7: true, 8: false, 9: false, 10: true, 1 << 30: true} {
		if got := c.Variant(AVX512F32, n) == AVX2F32; got != want {
			t.Errorf("size %d: AVX2's form is %v, want %v", n, got, want)
		}
		for _, v := range []Variant{AVX2F32, AVX512F64, AVX512Mixed, NEONF32, Variant(Ref)} {
			if got := c.Variant(v, n); got != v {
				t.Errorf("size %d: variant %v became %v", n, v, got)
			}
		}
	}
}
