package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/gomonge/monge/cmd/internal/table"
	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/wda/dataset"
)

// TestStandardInput checks that every input file can come from standard input through a pipe, and that the result
// does not change.
func TestStandardInput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files of labels need /dev/stdin")
	}
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	fixed := strings.Join(fixed, " ")
	for _, line := range []string{
		"fit " + fixed + " --data $d.csv --k 3 --model $m.wda",
		"fit " + fixed + " --data $d.npz --holdout 0 --k 3 --model $n.wda",
		"fit " + fixed + " --data $d.csv --holdout 0.3 --model $h.wda",
	} {
		if code, _, said := monge(t, strings.Fields(strings.ReplaceAll(line, "$", s.dir+string(os.PathSeparator)))...); code != 0 {
			t.Fatal(said)
		}
	}
	write(t, at("lambda.csv"), "1,2,2\n2,1,2\n2,2,1\n")
	write(t, at("P.csv"), strings.Repeat("1,0\n0,1\n", 3)[:4*columnCount(s.data)])
	write(t, at("cost.csv"), "1,2\n3,4\n")
	write(t, at("w.csv"), "1\n3\n")
	write(t, at("pairs.csv"), "1,0,1,0.5\n1,1,1,2\n")
	write(t, at("text.csv"), "name,x,kind\nada,1,a\nbob,2,b\ncy,3,a\ndo,4,b\n")
	writeParquet(t, s.csv, at("d.parquet"))
	for _, line := range []string{
		"fit " + fixed + " --model $o.wda --data @d.csv",
		"fit " + fixed + " --model $o.wda --data @d.npz",
		"fit " + fixed + " --model $o.wda --data @d.parquet",
		"fit " + fixed + " --model $o.wda --data $X.csv --labels @y.csv",
		"fit --method cg --max-steps 2 --shrinkage 0 --whitening none --scale equal --model $o.wda --data $d.csv --lambda-matrix @lambda.csv",
		"fit --method cg --max-steps 2 --lambda 1 --shrinkage 0 --whitening none --scale equal --model $o.wda --data $d.csv --init @P.csv",
		"cv --method fisher --lambda 1 --folds 2 --csv $o.csv --data @d.csv",
		"transform --model $m.wda --out $o.csv --data @X.csv",
		"transform --model $m.wda --out $o.csv --data @d.parquet",
		"transform --model $m.wda --out $o.csv --rows test --data @d.npz",
		"transform --model $m.wda --out $o.csv --rows test --holdout 0.5 --data @d.csv",
		"transform --model $m.wda --out $o.csv --sample 10 --data @d.csv",
		"transform --out $o.csv --data $X.csv --model @m.wda",
		"transform --model $m.wda --keep-labels --out $o.csv --data $X.csv --labels @y.csv",
		"predict --model $m.wda --out $o.csv --data @X.csv",
		"predict --out $o.csv --data $X.csv --model @m.wda",
		"predict --model $m.wda --out $o.csv --data $X.csv --train @d.csv",
		"predict --model $m.wda --out $o.csv --data $X.csv --train $X.csv --train-labels @y.csv",
		"plot --model $m.wda --out $o.png --data @d.csv",
		"plot --model $m.wda --out $o.svg --data @d.csv",
		"plot --model $m.wda --title t --out $o.html --data @d.csv",
		"plot --out $o.png --data $d.csv --model @m.wda",
		"plot --model $m.wda --out $o.png --data $X.csv --labels @y.csv",
		"eval --model $h.wda --data @d.csv",
		"eval --data $d.csv --model @h.wda",
		"eval --model $m.wda --test $test.csv --train @d.csv",
		"eval --model $m.wda --train $d.csv --test @test.csv",
		"eval --model $m.wda --train $X.csv --test $test.csv --train-labels @y.csv",
		"eval --model $m.wda --train $d.csv --test $X.csv --test-labels @y.csv",
		"score --projection $P.csv --data @d.csv",
		"score --data $d.csv --projection @P.csv",
		"score --adaptive --data $d.csv --model @m.wda",
		"verify $m.wda --data @d.csv",
		"verify --json --data $d.csv @m.wda",
		"sinkhorn --lambda 1 --y $X.csv --x @X.csv",
		"sinkhorn --lambda 1 --x $X.csv --y @X.csv",
		"sinkhorn --lambda 1 --cost @cost.csv",
		"sinkhorn --lambda 1 --cost $cost.csv --a @w.csv --penalty-a 1",
		"sinkhorn --lambda 1 --cost $cost.csv --b @w.csv --penalty-b 1",
		"sinkhorn --lambda 1 --pairs @pairs.csv",
		"info @d.csv", "info @d.npz", "info @d.parquet", "info @m.wda", "info @text.csv", "info --model @m.wda",
	} {
		name := ""
		args := func(input string) (args []string) {
			for _, a := range strings.Fields(strings.ReplaceAll(line, "$", s.dir+string(os.PathSeparator))) {
				if rest, ok := strings.CutPrefix(a, "@"); ok {
					if name = at(rest); input == "" {
						a = name
					} else {
						a = input
					}
				}
				args = append(args, a)
			}
			return args
		}
		run := func(input string) string {
			t.Helper()
			out := standardRun(t, input, name, append(args(input), "--quiet")...)
			for _, ext := range []string{"wda", "csv", "png", "svg", "html"} {
				if data, err := os.ReadFile(at("o." + ext)); err == nil {
					out += "\n" + string(data)
					os.Remove(at("o." + ext))
				}
			}
			out = strings.ReplaceAll(strings.ReplaceAll(out, name, "NAME"), standardInput, "NAME")
			return times.ReplaceAllString(out, "")
		}
		want := run("")
		if got := run("-"); got != want {
			t.Errorf("%s: from standard input\n%.2000s\nwant\n%.2000s", line, got, want)
		}
	}
	for line, says := range map[string]string{
		"predict --model - --data -":                               " cannot both be standard input",
		"verify - --data -":                                        "cannot both be standard input",
		"fit --method fisher --data $d.csv --model -":              "cannot be written to standard output",
		"cv --lambda 1 --folds 2 --data $d.csv --csv -":            "--csv: the name must end in",
		"sinkhorn --lambda 1 --cost $cost.csv --plan -":            "--plan: the name must end in",
		"transform --model $m.wda --data $cost.csv --out - --json": "would both write to standard output",
	} {
		code, _, said := monge(t, strings.Fields(strings.ReplaceAll(line, "$", s.dir+string(os.PathSeparator)))...)
		if code != exitUsage || !strings.Contains(said, says) {
			t.Errorf("%s: %d, %s", line, code, said)
		}
	}
	cmd := mongeProcess(t, "predict", "--model", at("m.wda"), "--data", "-")
	cmd.Stdin = strings.NewReader("1,2\n3,4\n")
	if said, err := cmd.CombinedOutput(); err == nil || !strings.HasPrefix(string(said), "monge: standard input: ") {
		t.Errorf("%v: %s", err, said)
	}
}

// times matches the durations in the output, which differ between runs.
var times = regexp.MustCompile(`[0-9.e-]+ µ?s( in all)?\b`)

// standardRun runs a command line and returns its output. If input is not empty, standard input is
// a pipe with the contents of the given file. If this file contains labels, standardRun starts a
// separate process, because the command opens /dev/stdin to read labels.
func standardRun(t *testing.T, input, name string, args ...string) string {
	t.Helper()
	if input != "" && strings.HasSuffix(name, "y.csv") {
		cmd := mongeProcess(t, args...)
		in, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		cmd.Stdin = struct{ io.Reader }{in}
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%q: %v", args, err)
		}
		return string(out)
	}
	if input != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		before, written := os.Stdin, make(chan struct{})
		os.Stdin = r
		go func() {
			w.Write(data)
			w.Close()
			close(written)
		}()
		defer func() {
			r.Close()
			<-written
			os.Stdin = before
		}()
	}
	code, out, said := monge(t, args...)
	if code != 0 {
		t.Errorf("%q: exit code %d: %s", args, code, said)
	}
	return out
}

// writeParquet converts a file of samples and labels to Parquet.
func writeParquet(t testing.TB, from, to string) {
	t.Helper()
	d, err := dataset.ReadFile(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = outfile.WriteFile(to, func(w io.Writer) error {
		out, err := table.NewWriter(w, table.Format{Format: dataset.FormatParquet, Rows: d.Len(), Columns: (&transformFlags{keepLabels: true}).columns(".parquet", nil, columnCount(d))})
		if err != nil {
			return err
		}
		for i, l := range d.Labels {
			if err := out.Write(d.X.RawRowView(i), []string{d.Classes[l]}); err != nil {
				return err
			}
		}
		return out.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
}
