package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestHostileCommands checks the errors for deceptive files. Each error must be one line that names
// the file or flag, and must suggest the flag that helps.
func TestHostileCommands(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	fitSummary(t, "--data", s.csv, "--model", at("m.wda"))
	csv, err := os.ReadFile(s.csv)
	if err != nil {
		t.Fatal(err)
	}
	text := string(csv)
	write(t, at("semicolon.csv"), strings.ReplaceAll(text, ",", ";"))
	write(t, at("blank.csv"), strings.ReplaceAll(text, ",", "  "))
	write(t, at("comment.csv"), "# by hand\n"+text)
	write(t, at("matrix.csv"), "1 2\n3 4\n")
	write(t, at("hex.csv"), strings.Replace(text, "\n", "\n0x1p3,1,1,1,1,0\n", 1))
	write(t, at("empty"), "")
	var z bytes.Buffer
	g, _ := gzip.NewWriterLevel(&z, gzip.BestCompression)
	g.Write(bytes.Repeat([]byte("0,0,0,0,0,0,0,0,0,0,0,0\n"), 36000))
	g.Close()
	write(t, at("bomb.csv.gz"), strings.Repeat(z.String(), 100)) // members
	if runtime.GOOS != "windows" {
		if err := os.Symlink("nowhere/m.wda", at("dangling")); err != nil {
			t.Fatal(err)
		}
	}
	before := files(t, s.dir)
	for _, b := range []bad{
		{"semicolons", "fit --model $new.wda --data $semicolon.csv", 1, "use --delimiter"},
		{"blanks", "cv --data $blank.csv", 1, "use --delimiter ' '"},
		{"blanks to classify", "predict --model $m.wda --train $blank.csv --data $blank.csv", 1, "use --delimiter"},
		{"blanks to project", "transform --model $m.wda --data $blank.csv --out $o.csv", 1, "use --delimiter"},
		{"blanks of a matrix", "sinkhorn --lambda 1 --cost $matrix.csv", 1, "use --delimiter"},
		{"comment", "fit --model $new.wda --data $comment.csv", 1, "use --comment"},
		{"comment of two", "fit --model $new.wda --data $comment.csv --comment ##", 2, "--comment must be one character"},
		{"hexadecimal", "fit --model $new.wda --data $hex.csv", 1, "hex.csv: row 2, column 1: \"0x1p3\" is not a number"},
		{"bomb", "fit --model $new.wda --data $bomb.csv.gz", 1, "use --max-expansion to allow more"},
		{"expansion", "fit --model $new.wda --data $d.csv --max-expansion -1", 2, "--max-expansion must be at least 0"},
		{"CSV as a model", "info --model $d.csv", 1, "d.csv: not a valid model"},
		{"nothing as a model", "predict --model $empty --data $d.csv", 1, "empty: not a valid model"},
		{"model as data", "fit --model $new.wda --data $m.wda", 1, "m.wda: array X: no such array"},
		{"link to nowhere", "fit --model $dangling --data $d.csv", 1, "dangling: cannot create a file in the folder"},
	} {
		if b.name == "link to nowhere" && runtime.GOOS == "windows" {
			continue
		}
		b.check(t, s.dir, before)
	}
	for _, args := range []string{"$semicolon.csv --delimiter ;", "$comment.csv --comment #", "$d.csv --max-expansion 1"} {
		args := strings.Fields(strings.ReplaceAll("fit --method fisher --model $n.wda --data "+args, "$", s.dir+string(filepath.Separator)))
		if code, _, stderr := monge(t, args...); code != 0 {
			t.Errorf("%q: %s", args, stderr)
		}
	}
	if got := object(t, "sinkhorn", "--lambda", "1", "--cost", at("matrix.csv"), "--delimiter", " "); numberAt(t, got, "columns") != 2 {
		t.Errorf("blanks between: %v", got)
	}
}

// TestModelFromPipe checks that a command can read a model with a classifier from a pipe, which
// allows only one pass.
func TestModelFromPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes of Unix")
	}
	s := simulate(t)
	model := filepath.Join(s.dir, "m.wda")
	fitSummary(t, "--data", s.csv, "--model", model, "--k", "3")
	b, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"predict", "--data", s.test}, {"info"}, {"transform", "--data", s.test, "--out", filepath.Join(s.dir, "o.csv")}} {
		_, want, _ := monge(t, append(args, "--json", "--model", model)...)
		cmd := mongeProcess(t, append(args, "--json", "--model", "/dev/stdin")...)
		cmd.Stdin = bytes.NewReader(b)
		got, err := cmd.Output()
		if err != nil || string(got) != want {
			t.Errorf("%s: %v: %s from a pipe, %s from a file", args[0], err, got, want)
		}
	}
}
