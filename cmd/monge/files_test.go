package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gomonge/monge/wda/dataset"
)

// fixedSettings are settings that make small fits fast.
var fixedSettings = []string{"--lambda", "1", "--shrinkage", "1", "--whitening", "none", "--scale", "unit", "-p", "2", "--k", "1"}

// TestNumericHeaders checks the numeric header that pandas writes for a frame without column names.
// The command must recognize the header or suggest --header.
func TestNumericHeaders(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	train := write(t, at("train.csv"), "0,1,2\n0.1,0.2,1\n0.3,0.1,1\n5.1,5.2,2\n5.3,5.0,2\n9.1,0.2,3\n9.3,0.1,3\n")
	code, _, stderr := monge(t, append([]string{"fit", "--data", train, "--model", at("m.wda")}, fixedSettings...)...)
	if code != 0 || !strings.Contains(stderr, `the first row, "0, 1, 2", is taken for a header; use --header absent if it is not`) {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, c := range []struct{ name, text string }{
		{"in order", "0,1\n5.2,5.1\n9.2,0.2\n"}, {"in another order", "1,0\n5.1,5.2\n0.2,9.2\n"}, {"quoted", "\"1\",\"0\"\n\"5.1\",\"5.2\"\n\"0.2\",\"9.2\"\n"}, {"no header", "5.2,5.1\n9.2,0.2\n"},
	} {
		if code, stdout, stderr := monge(t, "predict", "--model", at("m.wda"), "--data", write(t, at("new.csv"), c.text)); code != 0 || stdout != "label\n2\n3\n" {
			t.Errorf("%s: exit code %d, %q: %s", c.name, code, stdout, stderr)
		}
	}
	x, y := write(t, at("x.csv"), "0,1\n0.0,1.0\n1.0,0.0\n"), write(t, at("y.csv"), "0,1\n10.0,1.0\n11.0,0.0\n")
	bad{"points", "sinkhorn --x $x.csv --y $y.csv --lambda 1", 1, "x.csv: row 1: the row \"0, 1\" may be data, or a header of names that are numbers; use --header present if it is a header, or --header absent if it is data"}.check(t, dir, files(t, dir))
	if v := object(t, "sinkhorn", "--x", x, "--y", y, "--lambda", "1", "--header", "present"); numberAt(t, v, "rows") != 2 {
		t.Errorf("%v", v)
	} else {
		checkNear(t, "cost of points (POT)", numberAt(t, v, "cost"), 100.238405843, 1e-8)
	}
	v := object(t, "sinkhorn", "--cost", x, "--lambda", "1", "--header", "present")
	checkNear(t, "cost, 1/(1+e)", numberAt(t, v, "cost"), 0.26894142137, 1e-9)
	if v := object(t, "sinkhorn", "--cost", write(t, at("c.csv"), "0,1\n1,0\n"), "--lambda", "1"); numberAt(t, v, "rows") != 2 {
		t.Errorf("costs have no header: %v", v)
	}
}

// TestOutputsReadBack checks that output of transform and predict in every format can be read back unchanged.
func TestOutputsReadBack(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	train := write(t, at("train.csv"), "id,f,g,label\na,0.1,0.2,01\nb,0.3,0.1,01\nc,5.1,5.2,1\nd,5.3,5.0,1\ne,9.1,0.2,\"x, y\"\nf,9.3,0.1,\"x, y\"\n")
	fitSummary(t, append([]string{"--data", train, "--id", "id", "--model", at("m.wda")}, fixedSettings...)...)
	y := &dataset.Options{Labels: dataset.NoLabels()}
	var want *dataset.Dataset
	for _, ext := range []string{".csv", ".npy", ".npz", ".idx", ".parquet", ".arrow", ".jsonl"} {
		object(t, "transform", "--model", at("m.wda"), "--data", train, "--out", at("y"+ext))
		d, err := dataset.ReadFile(at("y"+ext), y)
		if err != nil {
			t.Fatalf("%s: %v", ext, err)
		}
		if want == nil {
			want = d
		}
		if fmt.Sprint(d.X) != fmt.Sprint(want.X) || d.Len() != 6 {
			t.Errorf("transform to %s: %v", ext, d.X)
		}
		if ext == ".npy" || ext == ".idx" {
			bad{ext, "predict --model $m.wda --data $train.csv --out $p" + ext, 2, "holds numbers only, and the column \"label\" is text; write .csv, .parquet, .arrow, .jsonl or .npz"}.check(t, dir, files(t, dir))
			bad{ext, "transform --model $m.wda --data $train.csv --id id --out $p" + ext, 2, "has no place for identifiers; write .csv, .parquet, .arrow, .jsonl or .npz"}.check(t, dir, files(t, dir))
			continue
		}
		object(t, "transform", "--model", at("m.wda"), "--data", train, "--id", "id", "--keep-labels", "--out", at("l"+ext))
		object(t, "predict", "--model", at("m.wda"), "--data", train, "--id", "id", "--proba", "--neighbors", "1", "--out", at("p"+ext))
		for name, features := range map[string]int{"l": 2, "p": 5} {
			opt := &dataset.Options{ID: []string{"id"}, Labels: dataset.LabelName("label")}
			if ext == ".npz" {
				opt.Labels = dataset.LabelName("y")
			}
			d, err := dataset.ReadFile(at(name+ext), opt)
			if err != nil {
				t.Errorf("%s%s: %v", name, ext, err)
				continue
			}
			if _, cols := d.X.Dims(); cols != features || fmt.Sprint(d.Classes, d.Labels, d.IDs) != "[01 1 x, y] [0 0 1 1 2 2] [[a b c d e f]]" {
				t.Errorf("%s%s: %d features, classes %q, labels %v, identifiers %v", name, ext, cols, d.Classes, d.Labels, d.IDs)
			}
		}
	}
	// predict writes numeric class names as numbers to NPY and IDX. The output must be readable as
	// a label file.
	numbers := write(t, at("numbers.csv"), "f,g,label\n0.1,0.2,1\n0.3,0.1,1\n5.1,5.2,2.5\n5.3,5.0,2.5\n")
	fitSummary(t, append([]string{"--data", numbers, "--model", at("n.wda")}, fixedSettings...)...)
	for _, ext := range []string{".npy", ".idx", ".csv"} {
		object(t, "predict", "--model", at("n.wda"), "--data", numbers, "--out", at("q"+ext))
		d, err := dataset.ReadFile(at("y.npy"), &dataset.Options{Labels: dataset.LabelFile(at("q" + ext))})
		if err == nil || !strings.Contains(err.Error(), "4 labels for 6 rows") {
			t.Errorf("%s: %v, %v", ext, d, err)
		}
		object(t, "transform", "--model", at("n.wda"), "--data", numbers, "--out", at("z.npy"))
		d, err = dataset.ReadFile(at("z.npy"), &dataset.Options{Labels: dataset.LabelFile(at("q" + ext))})
		if err != nil || fmt.Sprint(d.Classes, d.Labels) != "[1 2.5] [0 0 1 1]" {
			t.Errorf("%s: %v, %v", ext, d, err)
		}
	}
}

// TestLabelSpellings checks that fit, predict and eval keep the spelling of labels. If a
// label has the same numeric value as a class but a different text, it belongs to the class, and a
// note says so.
func TestLabelSpellings(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	rows := func(labels ...string) string {
		centers := map[string][2]float64{"3.1": {0, 0}, "3.10": {10, 0}, "3.9": {0, 10}, "dev": {10, 10}, "3.90": {0, 10}}
		text := "f,g,label\n"
		for i := range 6 * len(labels) {
			l := labels[i%len(labels)]
			text += fmt.Sprintf("%v,%v,%s\n", centers[l][0]+float64(i%5)/8, centers[l][1]+float64(i%7)/8, l)
		}
		return text
	}
	train := write(t, at("train.csv"), rows("3.1", "3.10", "3.9", "dev"))
	code, _, stderr := monge(t, append([]string{"fit", "--data", train, "--model", at("m.wda")}, fixedSettings...)...)
	if code != 0 || !strings.Contains(stderr, `the labels "3.1" and "3.10" are the same number, but different texts, and therefore two classes`) {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, c := range []struct {
		labels []string
		note   string
	}{
		{[]string{"3.1", "3.10", "3.9"}, ""}, {[]string{"3.10"}, ""}, {[]string{"3.90", "dev"}, `the label "3.90" is taken for the class "3.9"`},
	} {
		test := write(t, at("test.csv"), rows(c.labels...))
		if v := object(t, "eval", "--model", at("m.wda"), "--train", train, "--test", test, "--k", "1"); fmt.Sprint(v["knn_error"]) != "map[1:0]" {
			t.Errorf("%v: %v", c.labels, v["knn_error"])
		}
		_, _, stderr := monge(t, "eval", "--model", at("m.wda"), "--train", train, "--test", test, "--k", "1")
		if !strings.Contains(stderr, c.note) || strings.Contains(stderr, "is taken for the class") != (c.note != "") {
			t.Errorf("%v: %s", c.labels, stderr)
		}
	}
	if _, stdout, _ := monge(t, "info", train); !strings.Contains(stdout, "classes   4 (") {
		t.Errorf("%s", stdout)
	}
}

// TestMessages checks the texts of errors and notes.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("t.csv"), "a,b,label\n1,5,x\n2,5.5,x\n1.5,-8,y\n2.5,-7,y\n")
	fitSummary(t, append([]string{"--data", at("t.csv"), "--model", at("m.wda")}, fixedSettings...)...)
	write(t, at("empty.csv"), "a,b\n")
	write(t, at("extra.csv"), "a,b,name\n1,5,u\n")
	write(t, at("s.npy"), "\x93NUMPY\x01\x00v\x00"+fmt.Sprintf("%-117s\n", "{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False, 'shape': (1,), }")+strings.Repeat("\x00", 16))
	write(t, at("c.csv"), "1,5,x,\n2,5.5,x,\n1.5,-8,y,\n2.5,-7,y,\n")
	write(t, at("d.csv"), "a,b,label,\n1,5,x,\n2,5.5,x,\n1.5,-8,y,\n2.5,-7,y,\n")
	h := "a,b,k\n3,4,w\n5,6,w\n"
	for i := range 8 {
		h += fmt.Sprintf("%d,%d.5,u\n-%d,%d,v\n", i, i, i, i)
	}
	write(t, at("h.csv"), h)
	write(t, at("us.csv"), "cases,rate,label\n\"2,155\",19.47,a\n987,3.5,a\n\"12,044\",25.1,b\n\"1,300\",8.25,b\n")
	write(t, at("german.csv"), "cases;rate;label\n2.155;19,47;a\n987;3,5;a\n12.044;25,1;b\n1.300;8,25;b\n")
	write(t, at("latin.csv"), "gr\xf6\xdfe,gr\xfc\xdfe,label\n1,5,a\n2,5.5,a\n1.5,-8,b\n2.5,-7,b\n")
	write(t, at("na.csv"), "a,b,label\n1,5,x\n2,5.5,NA\n1.5,-8,y\n2.5,-7,y\n1,6,x\n")
	before := files(t, dir)
	fit := " --lambda 1 --shrinkage 1 --whitening none -p 2 --model $n.wda"
	for _, b := range []bad{
		{"no rows", "predict --model $m.wda --data $empty.csv", 1, "empty.csv: the file has no rows; a header alone is none"},
		{"no rows to project", "transform --model $m.wda --data $empty.csv --out $o.csv", 1, "empty.csv: the file has no rows"},
		{"structured", "info $s.npy", 1, "structured arrays are not supported"},
		{"delimiter at the end", "fit --data $c.csv" + fit, 1, "the last column is empty: do all lines end with \",\"?; use --drop -1 to leave it out"},
		{"delimiter at the end, header", "fit --data $d.csv" + fit, 1, "the last column is empty: do all lines end with \",\"?; use --drop -1 to leave it out"},
		{"held out", "fit --data $h.csv --holdout 0.5" + fit, 1, "class \"w\" has 2 rows, and --holdout leaves only one of them to learn from"},
		{"unknown column", "predict --model $m.wda --data $extra.csv", 1, "unknown column \"name\"; use --id if they identify the rows"},
		{"sample", "predict --model $m.wda --data $t.csv --sample 2", 2, "--sample draws training rows from the file of --train; all rows of --data are classified"},
		{"thousands", "fit --data $us.csv" + fit, 1, "if its comma separates thousands, write 2155; only if it is a decimal comma, the number is 2.155; for decimal commas use --decimal ,"},
		{"points between thousands", "fit --data $german.csv --delimiter ; --decimal ," + fit, 1, "row 2, column 1 (cases): \"2.155\" has a point, but the decimal separator is ','"},
		{"Latin-1", "fit --data $latin.csv" + fit, 1, "row 1, column 1: the name \"gr\\xf6\\xdfe\" of the column is not UTF-8"},
		{"missing label", "fit --data $na.csv" + fit, 1, "row 3, column 3 (label): the label is missing: \"NA\"; use --missing-labels drop"},
		{"missing labels", "fit --data $na.csv --missing-labels none" + fit, 2, "--missing-labels must be error, drop or keep"},
	} {
		b.check(t, dir, before)
	}
	for args, want := range map[string]string{
		"fit --data $c.csv --drop -1" + fit: "", "fit --data $d.csv --drop -1" + fit: "",
		"fit --data $na.csv --missing-labels drop" + fit: "1 row with missing values or labels left out",
	} {
		if code, _, stderr := monge(t, strings.Fields(strings.ReplaceAll(args, "$", dir+"/"))...); code != 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d: %s", args, code, stderr)
		}
	}
}

// TestMissingCategories checks that a missing category is not replaced by a mean, and that NA can be a category.
func TestMissingCategories(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	na := write(t, at("na.csv"), "c,v,label\nNA,1,a\nNC,2,b\nNE,3,a\nNA,4,b\nNC,7,a\nNE,,b\nNA,1,a\nNC,9,b\n")
	fit := append([]string{"fit", "--data", na, "--one-hot", "c", "--missing", "mean", "--model", at("m.wda")}, fixedSettings...)
	code, _, stderr := monge(t, fit...)
	if code != 0 || !strings.Contains(stderr, "1 missing value of the training rows replaced by the mean") || !strings.Contains(stderr, "3 missing values of columns of text: all features of such a column are 0") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	code, _, stderr = monge(t, append(fit, "--keep-na")...)
	if code != 0 || !strings.Contains(stderr, "1 missing value") || strings.Contains(stderr, "columns of text") {
		t.Errorf("--keep-na: exit code %d: %s", code, stderr)
	}
	if _, stdout, _ := monge(t, "info", at("m.wda")); !strings.Contains(stdout, "NA") {
		t.Errorf("%s", stdout)
	}
}

// TestModelWithNA checks that a model with a class named NA recognizes this class in its training
// file.
func TestModelWithNA(t *testing.T) {
	dir := t.TempDir()
	path, model := write(t, filepath.Join(dir, "na.csv"), "f,g,label\n1,5,NA\n2,5.5,NA\n1.5,-8,y\n2.5,-7,y\n"), filepath.Join(dir, "m.wda")
	fitSummary(t, append([]string{"--data", path, "--missing-labels", "keep", "--model", model}, fixedSettings...)...)
	if v := object(t, "eval", "--model", model, "--train", path, "--test", path, "--k", "1"); fmt.Sprint(v["knn_error"]) != "map[1:0]" {
		t.Errorf("%v", v)
	}
	if code, _, stderr := monge(t, "verify", "--data", path, model); code != 0 {
		t.Errorf("%s", stderr)
	}
}

// TestSimilarNames checks the warning about two Unicode spellings of one name.
func TestSimilarNames(t *testing.T) {
	if w := similarNames([]string{"K\u00f6ln", "Bonn", "Ko\u0308ln"}); len(w) != 1 || !strings.Contains(w[0], `"K\u00f6ln" and "Ko\u0308ln" look the same`) {
		t.Errorf("%q", w)
	}
	if w := similarNames([]string{"Köln", "Bonn"}); w != nil {
		t.Errorf("%q", w)
	}
}

// TestEscapeControls checks that control characters in labels do not reach a terminal.
func TestEscapeControls(t *testing.T) {
	if got := string(escapeControls([]byte("a\x1b[31m\tö\n\x7f\u0085\x00"))); got != "a\\x1b[31m\tö\n\\x7f\\u0085\\x00" {
		t.Errorf("%q", got)
	}
}

// TestClosedOutput checks that a closed standard output causes a warning.
func TestClosedOutput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	for redirect, want := range map[string]bool{">&-": true, ">/dev/null": false} {
		cmd := mongeProcess(t)
		sh := exec.Command("sh", "-c", `"$0" version `+redirect, cmd.Path)
		sh.Env = cmd.Env
		said, err := sh.CombinedOutput()
		if err != nil || strings.Contains(string(said), "standard output is closed, so the result is lost") != want {
			t.Errorf("%s: %v: %s", redirect, err, said)
		}
	}
}
