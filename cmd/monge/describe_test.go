package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomonge/monge/wda/dataset"
)

// TestInfoOfFile checks that info prints the settings of a model file and the samples of a data
// file.
func TestInfoOfFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	people := write(t, at("people.csv"), "id,age,city,buys\nP0,31.5,Rome,yes\nP1,NA,Oslo,no\nP2,44,,no\n")
	got := object(t, "info", people)
	if numberAt(t, got, "rows") != 3 || numberAt(t, got, "features") != 1 || numberAt(t, got, "missing") != 2 {
		t.Errorf("%v", got)
	}
	code, stdout, stderr := monge(t, "info", people)
	for _, want := range []string{"people.csv (csv)\n", "rows      3\n", "features  1 (age)\n", "classes   2 (no: 2, yes: 1)\n", "labels    column buys; --label-column names another\n", "id, city: use --drop, --id, --one-hot or --label-column\n", "2 values (age: 1, city: 1): monge fit needs --missing\n", "P1  Oslo  -     no\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, %s: no %q in %s", code, stderr, want, stdout)
		}
	}
	word := write(t, at("word.csv"), "h,w,kind\n1,2,a\n2,fehlt,b\n3,4,a\nNA,5,b\n")
	if _, stdout, _ := monge(t, "info", word); !strings.Contains(stdout, `column w has 3 numbers and 1 other value (row 3, column 2 (w): "fehlt" is not a number); write missing values as NA`) {
		t.Errorf("%s", stdout)
	}
	lines := write(t, at("rows.jsonl"), strings.Repeat("{\"e\": [1, 2, 3], \"label\": \"\\u001b[2J\"}\n{\"e\": [4, 5, 6], \"label\": \"b\"}\n", 2000))
	got = object(t, "info", lines)
	if numberAt(t, got, "rows") != 4000 || numberAt(t, got, "features") != 3 || len(got["classes"].([]any)) != 2 {
		t.Errorf("%v", got)
	}
	if _, stdout, _ := monge(t, "info", lines); strings.Contains(stdout, "\x1b") {
		t.Errorf("%q", stdout)
	}
	x := write(t, at("x.csv"), strings.Repeat("1,2,a\n2,1.5,a\n5,6,b\n6,5.5,b\n", 5))
	if code, _, stderr := monge(t, "fit", "--data", x, "--model", at("x.wda"), "--lambda", "1", "--components", "1"); code != exitOK {
		t.Fatal(stderr)
	}
	if hash := object(t, "info", at("x.wda"))["model"].(map[string]any)["hash"]; hash == "" {
		t.Error("a model is not described as one")
	}
	for what, args := range map[string][]string{
		"describes one file":         {"info", people, lines},
		"no such file":               {"info", at("nothing")},
		"nothing.wda: no such file":  {"info", at("nothing.wda")},
		"cannot be used together":    {"info", people, "--model", at("x.wda")},
		"there is no feature column": {"info", write(t, at("one.txt"), "hello\n")},
		`there is no feature column: row 3, column 2 (w): "fehlt" is not a number; row 4, column 1 (h): "fehlt" is not a number; write missing values as NA, or use --one-hot`: {"info", write(t, at("words.csv"), "h,w,kind\n1,2,a\n2,fehlt,b\nfehlt,3,a\n")},
		"x.csv: no column is called \"none\"": {"info", x, "--header", "present", "--drop", "none"},
	} {
		if code, _, stderr := monge(t, args...); code == exitOK || !strings.Contains(stderr, what) {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
	}
}

// TestInfoOfLabelsElsewhere checks a file whose last column does not contain labels. The command
// info must count the values of the column, and the error of fit must suggest a flag.
func TestInfoOfLabelsElsewhere(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "d.csv"), "kind,g,h\na,1,2\nb,1,\n")
	if _, stdout, _ := monge(t, "info", path); !strings.Contains(stdout, "1 row has no label: monge fit needs --missing-labels") {
		t.Errorf("%s", stdout)
	}
	bad{"labels elsewhere", "fit --data $d.csv --drop kind --model $x.wda", 1, "row 3, column 3 (h): the label is missing; use --missing-labels drop to leave out such rows, --missing-labels keep to make a class of texts such as NA, or --label-column if another column holds the labels"}.check(t, filepath.Dir(path), files(t, filepath.Dir(path)))
}

// TestLongNames checks that printed text clips a name of 30 kB.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	long := strings.Repeat("ü", 15000)
	rows := strings.Repeat("1,2,"+long+"\n2,1.5,"+long+"\n5,6,b\n6,5.5,b\n", 5)
	write(t, at("d.csv"), "g,h,kind\n"+rows)
	write(t, at("alone.csv"), "g,h,kind\n3,4,x"+long+"\n"+rows)
	write(t, at("column.csv"), "g,"+long+",kind\n1,2,a\n2,-,a\n3,4,b\n4,5,b\n")
	write(t, at("text.csv"), "g,"+long+",kind\n1,x,a\n2,y,a\n3,z,b\n4,z,b\n")
	for _, args := range []string{
		"fit --data d.csv --k 3 --holdout 0.3 --lambda 1 --model m.wda", "eval --model m.wda --data d.csv", "info m.wda", "info d.csv", "info column.csv", "info text.csv",
		"fit --data alone.csv --model o.wda", "fit --data column.csv --model o.wda", "fit --data text.csv --model o.wda", "eval --model m.wda --train d.csv --test alone.csv",
		"predict --model m.wda --data d.csv --out o.csv", "transform --model m.wda --data column.csv --out o.csv", "cv --data d.csv --folds 30", "verify m.wda --data alone.csv", "plot --model m.wda --data d.csv --out o.png",
	} {
		words := strings.Fields(args)
		for i, w := range words {
			if filepath.Ext(w) != "" {
				words[i] = at(w)
			}
		}
		if _, stdout, stderr := monge(t, words...); len(stdout)+len(stderr) > 3000 || len(stdout)+len(stderr) == 0 {
			t.Errorf("%s: %d bytes: %.200s", args, len(stdout)+len(stderr), stderr+stdout)
		}
	}
	if code, _, stderr := monge(t, "fit", "--data", at("text.csv"), "--drop", "1", "--model", at("o.wda"), "--lambda", "1"); code != exitOK {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestInfoNamesFlags checks that errors of info suggest a flag, like errors of fit.
func TestInfoNamesFlags(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "d.csv"), "h;g;y\n1;2;a\n")
	bad{"semicolons", "info $d.csv", 1, "use --delimiter ';'"}.check(t, filepath.Dir(path), files(t, filepath.Dir(path)))
}

// TestSuspiciousCategory checks that a warning about a value of a text column names the column, so that it can be
// passed to --drop.
func TestSuspiciousCategory(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "d.csv"), "h,city,y\n1,Rome,a\n2,Oslo,b\n1,Rome,a\n3,Oslo,b\n2,Oslo,b\n")
	d, err := dataset.ReadFile(path, &dataset.Options{OneHot: []string{"city"}})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(suspiciousColumns(d), "\n")
	if !strings.Contains(got, "column city=Rome is used as a feature, but it alone determines") || !strings.Contains(got, "leave it out with --drop city\n") {
		t.Error(got)
	}
}
