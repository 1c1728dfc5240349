package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomonge/monge/wda"
)

// TestMain runs the command instead of the tests if a test has started this process.
func TestMain(m *testing.M) {
	if os.Getenv("MONGE_BEAM_COMMAND") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// command returns an exec.Cmd that runs monge-beam with args and the given folder for temporary
// files.
func command(temporary string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "MONGE_BEAM_COMMAND=1", "TMPDIR="+temporary, "TMP="+temporary)
	return cmd
}

// writeModel fits a model of 3 columns and 3 classes in several pipelines and returns the path of
// the model file.
func writeModel(t *testing.T, dir string) string {
	t.Helper()
	var rows strings.Builder
	for i := range 60 {
		c, v := i%3, (i*7)%11
		fmt.Fprintf(&rows, "%d,%d,%d,class%d\n", 5*c+v, 3*c-2*v, v*v+c, c)
	}
	in, out, temporary := filepath.Join(dir, "train.csv"), filepath.Join(dir, "m.wda"), t.TempDir()
	if err := os.WriteFile(in, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(temporary, "--do", "fit", "--in", in, "--folder", filepath.Join(dir, "work"), "--out", out, "--k", "5", "--pipelines")
	if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), "wda.candidates") {
		t.Fatalf("%v\n%s", err, said)
	}
	checkEmpty(t, temporary)
	return out
}

// checkEmpty fails the test if the command has left a file in its temporary folder.
func checkEmpty(t *testing.T, temporary string) {
	t.Helper()
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

// TestSteps checks that a method with a closed form reports no steps.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		method wda.Method
		steps  int
		want   string
	}{
		{wda.Fisher{}, 0, "in closed form"}, {wda.Principal{}, 0, "in closed form"},
		{wda.Auto{}, 0, "after 0 steps"}, {wda.Auto{}, 1, "after 1 step"}, {wda.MiniBatch{}, 7, "after 7 steps"},
	} {
		r := &wda.Report{Steps: c.steps, Settings: wda.Settings{Optimizer: wda.Optimizer{Method: c.method}}}
		if got := formatSteps(r); got != c.want {
			t.Errorf("%v, %d steps: %q instead of %q", c.method, c.steps, got, c.want)
		}
	}
}

// TestCommand fits a model and classifies rows. It checks that the error for a bad row names the
// row, and that no temporary file remains.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	path := writeModel(t, dir)
	for _, c := range []struct{ rows, says string }{
		{"key,a,b,c\nk,1,2,3\nl,4,5,6\n", ""},
		{"k,1,2,3\nl,1,x,3\n", "rows.csv: row 2"},
	} {
		in, temporary := filepath.Join(dir, "rows.csv"), t.TempDir()
		if err := os.WriteFile(in, []byte(c.rows), 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := command(temporary, "--do", "classify", "--model", path, "--in", in, "--key", "0", "--shards", "1", "--out", filepath.Join(dir, "classes.csv")).CombinedOutput()
		if (err != nil) != (c.says != "") || !strings.Contains(string(said), c.says) {
			t.Errorf("%v\n%s", err, said)
		}
		checkEmpty(t, temporary)
	}
	classes, err := os.ReadFile(filepath.Join(dir, "classes-00000-of-00001.csv"))
	if err != nil || strings.Count(string(classes), "\n") != 3 {
		t.Errorf("%v\n%s", err, classes)
	}
}

// makeTable returns a table with an identifier, a category and a missing value. Its columns are in
// the order of names.
func makeTable(rows int, names ...string) string {
	var out strings.Builder
	out.WriteString(strings.Join(names, ",") + "\n")
	for i := range rows {
		c, v := i%3, (i*7)%11
		of := map[string]string{
			"id": fmt.Sprint("row", i), "age": fmt.Sprint(5*c + v), "city": []string{"Bern", "Basel", "Biel"}[v%3],
			"height": fmt.Sprint(3*c - 2*v), "weight": fmt.Sprint(v*v + c), "kind": fmt.Sprint("class", c), "more": "1",
		}
		if i%10 == 4 {
			of["height"] = "NA"
		}
		for j, n := range names {
			if j > 0 {
				out.WriteByte(',')
			}
			out.WriteString(of[n])
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// TestTable checks that a fit writes the same bytes as monge fit. It also checks that the columns
// of a different file are found by name, and that the predicted classes equal those of monge
// predict.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", at("monge"), "./cmd/monge")
	build.Dir = filepath.Join("..", "..", "..")
	if said, err := build.CombinedOutput(); err != nil {
		t.Skipf("monge cannot be built here: %v\n%s", err, said)
	}
	monge := func(args ...string) {
		t.Helper()
		if said, err := exec.Command(at("monge"), args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	read := func(name string) []byte {
		t.Helper()
		data, err := os.ReadFile(at(name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	write("train.csv", makeTable(120, "id", "age", "city", "height", "weight", "kind"))
	write("new.csv", makeTable(30, "weight", "city", "id", "height", "age"))
	for _, missing := range []string{"mean", "drop"} {
		common := []string{"--drop", "id", "--one-hot", "city", "--missing", missing, "--label-column", "kind", "--seed", "7", "--k", "3", "--components", "3"}
		monge(append(common, "fit", "--data", at("train.csv"), "--model", at("a.wda"))...)
		if said, err := command(t.TempDir(), append(common, "--do", "fit", "--in", at("train.csv"), "--folder", at("work"), "--out", at("b.wda"))...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		if !bytes.Equal(read("a.wda"), read("b.wda")) {
			t.Errorf("%s: another model than that of monge fit", missing)
		}
		monge("predict", "--model", at("a.wda"), "--data", at("new.csv"), "--id", "id", "--out", at("want.csv"))
		records, err := csv.NewReader(bytes.NewReader(read("want.csv"))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, r := range records[1:] {
			want[r[0]] = r[1]
		}
		for _, key := range []string{"id", ""} {
			said, err := command(t.TempDir(), "--do", "classify", "--model", at("b.wda"), "--in", at("new.csv"), "--key", key, "--shards", "1", "--out", at("got.csv")).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			records, err := csv.NewReader(bytes.NewReader(read("got-00000-of-00001.csv"))).ReadAll()
			if err != nil || len(records) != len(want)+1 {
				t.Fatalf("%s: %d rows, want %d: %v", missing, len(records)-1, len(want), err)
			}
			for _, r := range records[1:] {
				id := r[0]
				if key == "" {
					var row int
					if _, err := fmt.Sscanf(id[strings.LastIndex(id, ":")+1:], "%d", &row); err != nil {
						t.Fatal(err)
					}
					id = fmt.Sprint("row", row)
				}
				if class, ok := want[id]; !ok || class != r[2] {
					t.Errorf("%s, key %q: %s is %s, want %s", missing, key, id, r[2], class)
				}
			}
		}
	}
	write("bad.csv", makeTable(30, "city", "id", "height", "age", "more"))
	for _, c := range []struct{ flag, says string }{{"--extra-columns=false", "weight"}, {"--extra-columns=false", "more"}, {"--extra-columns", "weight"}} {
		said, err := command(t.TempDir(), "--do", "classify", "--model", at("b.wda"), "--in", at("bad.csv"), "--key", "id", c.flag, "--out", at("bad-out.csv")).CombinedOutput()
		if err == nil || !strings.Contains(string(said), "bad.csv") || !strings.Contains(string(said), c.says) {
			t.Errorf("%s: %v\n%s", c.flag, err, said)
		}
	}
	if left, _ := filepath.Glob(at("bad-out*")); left != nil {
		t.Errorf("left %v", left)
	}
}
