package main

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/picture"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
)

func TestClassRates(t *testing.T) {
	c := confusion{Classes: []string{"a", "b", "c"}, Counts: [][]int{{3, 1, 0}, {2, 4, 0}, {0, 0, 0}}}
	got := c.classRates()
	for i, want := range []classRates{
		{"a", 4, 5, 0.75, 0.6, 2 * 0.75 * 0.6 / (0.75 + 0.6)},
		{"b", 6, 5, 4.0 / 6, 0.8, 2 * 4.0 / 11},
	} {
		g := got[i]
		if g.Class != want.Class || g.Rows != want.Rows || g.Taken != want.Taken || g.Recall != want.Recall || g.Precision != want.Precision || math.Abs(float64(g.F1-want.F1)) > 1e-15 {
			t.Errorf("%+v, want %+v", g, want)
		}
	}
	if g := got[2]; g.Rows != 0 || g.Taken != 0 || !math.IsNaN(float64(g.Recall)) {
		t.Errorf("a class without rows: %+v", g)
	}
}

// TestEvalPicture checks that eval --picture draws the printed matrix. Diagonal cells must be dark,
// and cells with a zero must be light.
func TestEvalPicture(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	fitSummary(t, "--data", s.csv, "--model", at("m.wda"))
	for _, name := range []string{"c.png", "c.svg"} {
		v := object(t, "eval", "--model", at("m.wda"), "--train", s.csv, "--test", s.csv, "--k", "1", "--picture", at(name))
		if v["picture"] != at(name) || numberAt(t, v, "knn_error", "1") != 0 {
			t.Errorf("%s: %v", name, v)
		}
	}
	b, err := os.ReadFile(at("c.png"))
	if err != nil {
		t.Fatal(err)
	}
	image, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	// Read pixels near the corners of cells, because the corners contain no digits.
	l := (&confusion{Classes: []string{"0", "1", "2"}}).layout()
	for i := range 3 {
		for j := range 3 {
			if r, _, _, _ := image.At(l.margin+l.cellSize*j+4, l.top+l.cellSize*i+4).RGBA(); (r < 0x4000) != (i == j) {
				t.Errorf("cell %d, %d: red %#x", i, j, r)
			}
		}
	}
	before := files(t, s.dir)
	bad{"picture type", "eval --model $m.wda --train $d.csv --test $d.csv --picture $c.gif", 2, "must end in .png or .svg"}.check(t, s.dir, before)
}

// TestEvalStandardized checks that the unit of a feature does not affect the results of a standardizing model, or the
// baselines that eval prints.
func TestEvalStandardized(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	big := mat.DenseCopyOf(s.data.X)
	for i := range s.data.Len() {
		big.Set(i, 3, 0x1p20*big.At(i, 3))
	}
	if err := writeMatrix(at("big.npy"), ".npy", big); err != nil {
		t.Fatal(err)
	}
	eval := func(x, name string, flags ...string) map[string]any {
		object(t, append([]string{"fit", "--data", x, "--labels", s.y, "--model", at(name), "--method", "fisher", "--whitening", "none", "--scale", "unit"}, flags...)...)
		return object(t, "eval", "--model", at(name), "--train", x, "--train-labels", s.y, "--test", x, "--test-labels", s.y, "--k", "3", "--baselines")
	}
	plain, standard := eval(at("big.npy"), "a.wda"), eval(at("big.npy"), "b.wda", "--standardize")
	same := eval(s.x, "c.wda", "--standardize")
	if encode(t, standard) != encode(t, same) || standard["baselines_standardized"] != true {
		t.Errorf("with features of one unit %v, of two %v", same, standard)
	}
	if plain["baselines_standardized"] != nil || numberAt(t, plain, "baselines", "original", "3") <= numberAt(t, standard, "baselines", "original", "3") {
		t.Errorf("without standardizing %v, with it %v", plain, standard)
	}
	for name, want := range map[string]string{"a.wda": "original, PCA, FDA keep the units of the file", "b.wda": "The model standardizes features"} {
		_, stdout, _ := monge(t, "eval", "--model", at(name), "--train", at("big.npy"), "--train-labels", s.y, "--test", at("big.npy"), "--test-labels", s.y, "--baselines")
		if !strings.Contains(stdout, want) {
			t.Errorf("%s: no %q in %s", name, want, stdout)
		}
	}
}

// TestConfusionLayout checks that the picture of a confusion matrix has room for class names, and keeps the ends of
// long names.
func TestConfusionLayout(t *testing.T) {
	for _, n := range []int{3, 10, 150, 500} {
		var c confusion
		for i := range n {
			c.Classes = append(c.Classes, fmt.Sprintf("a rather long name that all classes share %d", i))
		}
		l := c.layout()
		if n <= 150 && l.nameStep != 1 {
			t.Errorf("%d classes: one of %d has a name", n, l.nameStep)
		}
		if l.nameStep*l.cellSize < l.fontSize {
			t.Errorf("%d classes: names of %d pixels every %d", n, l.fontSize, l.nameStep*l.cellSize)
		}
		style := picture.TextStyle(vg.Length(l.fontSize) * pixel)
		for i := 0; i < n; i += l.nameStep {
			if !strings.HasSuffix(l.names[i], fmt.Sprintf(" share %d", i)) {
				t.Errorf("name %q", l.names[i])
			}
			if width := float64(style.Width(l.names[i]) / pixel); width > float64(l.margin-26) {
				t.Errorf("name %q of %.0f pixels, in %d", l.names[i], width, l.margin-26)
			}
		}
	}
}
