package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain is the command itself in the processes that tests start.
func TestMain(m *testing.M) {
	if os.Getenv("MONGE_BEAM_COMMAND") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// command is the command, not yet started.
func command(temporary string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "MONGE_BEAM_COMMAND=1", "TMPDIR="+temporary, "TMP="+temporary)
	return cmd
}

// model is a model file of 3 columns and 3 classes, made by a fit of several pipelines.
func model(t *testing.T, dir string) string {
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
	cmd := command(temporary, "--do", "fit", "--in", in, "--folder", filepath.Join(dir, "work"), "--out", out, "--pipelines")
	if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), "wda.candidates") {
		t.Fatalf("%v\n%s", err, said)
	}
	empty(t, temporary)
	return out
}

// empty fails a test whose command has left something in its temporary folder.
func empty(t *testing.T, temporary string) {
	t.Helper()
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

// TestCommand: a model is fitted and rows are classified; a bad row is an error that says
// which; and nothing is left in the temporary folder.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	path := model(t, dir)
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
		empty(t, temporary)
	}
	classes, err := os.ReadFile(filepath.Join(dir, "classes-00000-of-00001.csv"))
	if err != nil || strings.Count(string(classes), "\n") != 3 {
		t.Errorf("%v\n%s", err, classes)
	}
}
