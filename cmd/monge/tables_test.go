package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gomonge/monge/wda/dataset"
)

// customers returns a CSV table with an identifier, text, missing values and a column that
// determines the label. The argument order lists the columns of the table.
func customers(rows int, order ...string) string {
	var b strings.Builder
	b.WriteString(strings.Join(order, ",") + "\n")
	for i := range rows {
		class := i * 7 % 2
		field := map[string]string{
			"":       fmt.Sprint(i),
			"id":     fmt.Sprintf("C%03d", i),
			"age":    fmt.Sprintf("%.1f", 30+10*float64(class)+float64(i*i%17)),
			"income": fmt.Sprintf("%.2f", 2+.5*float64(class)+.1*float64(i*i%7)),
			"city":   []string{"Rome", "Oslo", "Bern"}[i*i%3],
			"leak":   fmt.Sprint(class + 1),
			"buys":   []string{"no", "yes"}[class],
		}
		if i%11 == 3 {
			field["age"] = "NA"
		}
		for k, name := range order {
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString(field[name])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestTables checks that a user who follows the messages can fit a model to a typical table. A
// second table with reordered columns must give the same predictions.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("a.csv"), customers(60, "", "id", "age", "income", "city", "leak", "buys"))
	write(t, at("b.csv"), customers(60, "income", "city", "id", "age"))
	fit := []string{"fit", "--data", at("a.csv"), "--model", at("m.wda"), "--k", "3", "--method", "fisher"}
	for _, step := range []struct {
		args []string
		say  string
	}{
		{nil, `row 2, column 2 (id): "C000" is not a number; if the value is missing, write NA in the file; otherwise use --drop id to leave the column out, --id id if it only identifies the rows, --one-hot id to make`},
		{[]string{"--id", "id"}, `row 2, column 5 (city): "Rome" is not a number; if the value is missing, write NA in the file; otherwise use --drop city`},
		{[]string{"--one-hot", "city"}, `row 5, column 3 (age): "NA" is not a number; missing values need --missing mean, median or drop`},
		{[]string{"--missing", "median"}, "warning: " + at("a.csv") + ": column leak is used as a feature, but it alone determines the label of every row; if it is another form of the label, leave it out with --drop leak\n"},
		{[]string{"--drop", "leak"}, "note: " + at("a.csv") + ": column 1, which has no name, is left out"},
	} {
		fit = append(fit, step.args...)
		if _, _, stderr := monge(t, fit...); !strings.Contains(stderr, step.say) {
			t.Fatalf("%v: %s", step.args, stderr)
		}
	}
	if code, _, stderr := monge(t, fit...); code != 0 || strings.Contains(stderr, "leak") {
		t.Error(stderr)
	}
	// fit must print the number of imputed values and the number of training rows in the file.
	_, out, stderr := monge(t, append(fit, "--holdout", "0.5", "--model", at("half.wda"))...)
	if !strings.Contains(stderr, "note: "+at("a.csv")+": 3 missing values of the training rows replaced by the median of the column\n") || !strings.HasPrefix(out, "data        30 of 60 rows, ") {
		t.Error(stderr, out)
	}
	want := ""
	for _, name := range []string{"a.csv", "b.csv"} {
		code, out, stderr := monge(t, "predict", "--model", at("m.wda"), "--data", at(name), "--id", "id")
		if code != 0 || !strings.HasPrefix(out, "id,label\nC000,") || strings.Count(out, "\n") != 61 {
			t.Fatalf("%s%.100s", stderr, out)
		}
		if want == "" {
			want = out
		} else if out != want {
			t.Errorf("%s: other predictions", name)
		}
		for _, kind := range []string{"csv", "parquet", "arrow"} {
			object(t, "transform", "--model", at("m.wda"), "--data", at(name), "--id", "id", "--out", at("o."+kind))
		}
	}
	if o, err := os.ReadFile(at("o.csv")); err != nil || !strings.HasPrefix(string(o), "id,component1,component2\nC000,") {
		t.Errorf("%.100s %v", o, err)
	}
	for _, kind := range []string{"parquet", "arrow"} {
		d, err := dataset.ReadFile(at("o."+kind), &dataset.Options{ID: []string{"id"}})
		if err != nil || d.Len() != 60 || d.IDs[0][59] != "C059" || len(d.Columns) != 2 {
			t.Errorf("%s: %+v, %v", kind, d, err)
		}
	}
	if code, _, stderr := monge(t, "verify", at("m.wda"), "--data", at("a.csv")); code != 0 {
		t.Error(stderr)
	}
	_, about, _ := monge(t, "info", at("m.wda"))
	for _, want := range []string{"\nfeatures    age, income, city=Oslo, city=Rome\n", "\nleft out    column 1, id, leak\n", "\nmissing     the median of the training rows"} {
		if !strings.Contains(about, want) {
			t.Errorf("info lacks %q: %s", want, about)
		}
	}
	write(t, at("c.csv"), customers(60, "income", "city", "id"))
	write(t, at("d.csv"), strings.Replace(customers(60, "income", "city", "age"), "Rome", "Roma", 1))
	write(t, at("e.csv"), strings.Replace(customers(60, "income", "city", "age"), "age", "Age", 1))
	write(t, at("f.csv"), "income,city,age\n1,Rome,old\n")
	before := files(t, dir)
	for _, b := range []bad{
		{"missing column", "predict --model $m.wda --data $c.csv --out $p.csv", 1, `missing column "age"; give a file with the same columns`},
		{"renamed column", "predict --model $m.wda --data $e.csv --out $p.csv", 1, `missing column "age" (renamed to "Age"?)`},
		{"text for a number", "predict --model $m.wda --data $f.csv --out $p.csv", 1, `column 3 (age): "old" is not a number; the model was fitted to numbers in this column`},
		{"category", "predict --model $m.wda --data $d.csv --out $p.csv", 1, `column 2 (city): "Roma" is not among the 2 categories of the model ("Oslo", "Rome"); use one of these, or fit again with rows that have it`},
		{"feature as identifier", "predict --model $m.wda --data $b.csv --id city", 2, "column city is a feature of the model, and cannot identify the rows, too"},
		{"feature dropped", "predict --model $m.wda --data $b.csv --drop city", 2, "column city is a feature of the model, and cannot be dropped"},
		{"no place", "transform --model $m.wda --data $b.csv --id id --out $p.npy", 2, "an NPY file has no place for identifiers"},
		{"missing", "fit --data $b.csv --missing zero --model $p.wda", 2, "--missing must be error, mean, median or drop"},
	} {
		b.check(t, dir, before)
	}
}

// TestEvalData checks that eval and verify hold out the same rows as the fit.
func TestEvalData(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("a.csv"), customers(80, "age", "income", "leak", "buys"))
	fitSummary(t, "--data", at("a.csv"), "--model", at("m.wda"), "--missing", "mean", "--drop", "leak", "--holdout", "0.25", "--sample", "40", "--seed", "9")
	want := object(t, "eval", "--model", at("m.wda"), "--train", at("a.csv"), "--test", at("a.csv"), "--holdout", "0.25", "--sample", "40", "--seed", "9")
	got := object(t, "eval", "--model", at("m.wda"), "--data", at("a.csv"))
	if !reflect.DeepEqual(got, want) || got["test"] != 20. || got["train"] != 40. {
		t.Errorf("%v instead of %v", got, want)
	}
	if v := object(t, "verify", at("m.wda"), "--data", at("a.csv")); v["verified"] != true {
		t.Error(v)
	}
	cmd := mongeProcess(t, "eval", "--model", at("m.wda"), "--data", "-", "--json")
	cmd.Stdin = strings.NewReader(customers(80, "age", "income", "leak", "buys"))
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), `"test":20`) {
		t.Errorf("%s %v", out, err)
	}
	// If --k lists the K of the model, eval must compute the confusion matrix for this K. eval must
	// also print a note that names the classes that the classifier does not know.
	fitSummary(t, "--data", at("a.csv"), "--model", at("k.wda"), "--missing", "mean", "--drop", "leak", "--k", "3")
	booleans := strings.NewReplacer("yes", "True", "no\n", "False\n").Replace(customers(80, "age", "income", "buys"))
	write(t, at("b1.csv"), booleans)
	write(t, at("b2.csv"), strings.NewReplacer("True", "1", "False", "0").Replace(booleans))
	fitSummary(t, "--data", at("b1.csv"), "--model", at("b.wda"), "--missing", "mean", "--k", "3")
	as := func(file string) any {
		v := object(t, "eval", "--model", at("b.wda"), "--train", at(file), "--test", at(file))
		return v["classifier"]
	}
	if one, other := as("b1.csv").(map[string]any)["error"], as("b2.csv").(map[string]any)["error"]; one != other {
		t.Errorf("error %v of True and False, %v of 1 and 0", one, other)
	}
	write(t, at("true.csv"), strings.ReplaceAll(customers(80, "age", "income", "buys"), "yes", "True"))
	for _, step := range []struct {
		file string
		ks   string
		want float64
		say  string
	}{
		{"a.csv", "1,3,5", 3, ""},
		{"a.csv", "5,1", 5, ""},
		{"true.csv", "1,3", 3, "the class True, which the classifier in the model does not know; its classes are no, yes"},
	} {
		code, out, stderr := monge(t, "eval", "--model", at("k.wda"), "--data", at(step.file), "--k", step.ks, "--json")
		if code != 0 || !strings.Contains(out, fmt.Sprintf(`"confusion":{"k":%v,`, step.want)) || !strings.Contains(stderr, step.say) || (step.say == "") == strings.Contains(stderr, "does not know") {
			t.Errorf("%s, --k %s: %s%s", step.file, step.ks, stderr, out)
		}
	}
	before := files(t, dir)
	for _, b := range []bad{
		{"both", "eval --model $m.wda --data $a.csv --train $a.csv", 2, "--data takes the place of --train and --test"},
		{"neither", "eval --model $m.wda --train $a.csv", 2, "either --data, or --train and --test are required"},
	} {
		b.check(t, dir, before)
	}
}

// TestHeldOutWithoutNames checks a model that was fitted to part of a file without a header. The
// model must be able to classify the file with and without its label column.
func TestHeldOutWithoutNames(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("x.csv"), strings.Repeat("1,2,3,a\n2,1.5,3.5,a\n5,6,7,b\n6,5.5,7.5,b\n1.2,2.2,3,a\n5.5,6,7.2,b\n", 8))
	write(t, at("features.csv"), "1,2,3\n5,6,7\n")
	fitSummary(t, "--data", at("x.csv"), "--holdout", "0.5", "--k", "3", "--model", at("m.wda"))
	for data, want := range map[string]int{"x.csv": 48, "features.csv": 2} {
		_, stdout, stderr := monge(t, "predict", "--model", at("m.wda"), "--data", at(data))
		if lines := strings.Fields(stdout); len(lines) != 1+want || lines[1] != "a" || lines[want] != "b" {
			t.Errorf("%s: %q, %s", data, stdout, stderr)
		}
		if code, _, stderr := monge(t, "transform", "--model", at("m.wda"), "--data", at(data), "--out", at("o.csv")); code != exitOK {
			t.Errorf("transform %s: %s", data, stderr)
		}
	}
}
