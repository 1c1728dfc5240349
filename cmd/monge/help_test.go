package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
)

// commands returns all commands and help topics, including the help command itself.
func commands() []*cobra.Command {
	var out bytes.Buffer
	root := newRoot(newApp(&out, &out))
	root.InitDefaultHelpCmd()
	return root.Commands()
}

// TestHelp checks that every command has a description and a usage line.
func TestHelp(t *testing.T) {
	_, list, _ := monge(t, "help")
	for _, cmd := range commands() {
		name := cmd.Name()
		if !cmd.Hidden && !strings.Contains(list, "\n  "+name+" ") {
			t.Errorf("monge help does not list %s", name)
		}
		code, text, _ := monge(t, "help", name)
		if code != exitOK || cmd.Long == "" || cmd.Runnable() && (!strings.Contains(text, "\nExamples:\n") || !strings.Contains(text, "  --json ")) {
			t.Errorf("monge help %s: exit code %d: %s", name, code, text)
		}
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(line) > 101 {
				t.Errorf("monge help %s: this line is too long: %s", name, line)
			}
		}
		if code, same, _ := monge(t, name, "--help"); name != "help" && (code != exitOK || same != text) {
			t.Errorf("monge %s --help differs from monge help %s", name, name)
		}
	}
	_, text, _ := monge(t, "help", "exit")
	for _, code := range []string{"  0    success", "  1    an error", "  2    a wrong", "  3    the result", "  130  interrupted"} {
		if !strings.Contains(text, code) {
			t.Errorf("monge help exit does not explain %q", code)
		}
	}
}

// TestFlagHeadings checks that every flag has a heading and a name for its value, and that no command has too many main
// flags.
func TestFlagHeadings(t *testing.T) {
	for _, cmd := range commands() {
		if !cmd.Runnable() {
			continue
		}
		_, text, _ := monge(t, "help", cmd.Name())
		shown := map[string]bool{}
		for _, g := range flagGroups(cmd) {
			if g.heading == mainFlags && len(g.flags) > 12 {
				t.Errorf("%s has %d main flags: put some of them under a heading", cmd.Name(), len(g.flags))
			}
			for _, f := range g.flags {
				shown[f.Name] = true
				name, usage := flagUsage(f)
				if usage == "" || !strings.Contains(text, "  "+name) {
					t.Errorf("monge help %s does not show %s", cmd.Name(), name)
				}
				if value, _ := pflag.UnquoteUsage(f); value == f.Value.Type() || value == "ints" || value == "floats" || value == "strings" {
					t.Errorf("%s: --%s: %q does not name the value: \"`FILE`: what is in it\"", cmd.Name(), f.Name, f.Usage)
				}
				if strings.Contains(usage, "(required)") && g.heading != mainFlags {
					t.Errorf("%s: --%s is required, but stands under %s", cmd.Name(), f.Name, g.heading)
				}
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !shown[f.Name] {
				t.Errorf("%s: --%s stands under no heading of a help text, but under %q", cmd.Name(), f.Name, f.Annotations[headingKey])
			}
		})
	}
}

// exampleLines returns the command lines in the text of an example, each split into words.
func exampleLines(text string) (lines [][]string) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, " #")
		if _, after, ok := strings.Cut(line, "| "); ok {
			line = after
		}
		if _, after, ok := strings.Cut(line, "monge "); ok {
			line, _, _ = strings.Cut(after, " > ")
			lines = append(lines, strings.Fields(line))
		}
	}
	return lines
}

// TestExamples runs the examples of every help text in order. In the short form of the test, all
// examples of fit except the first use fixed settings.
func TestExamples(t *testing.T) {
	exampleFiles(t)
	var all [][]string
	for _, cmd := range commands() {
		lines := exampleLines(cmd.Example)
		if cmd.Runnable() && (len(lines) < 1 || len(lines) > 5) {
			t.Errorf("%s has %d examples", cmd.Name(), len(lines))
		}
		all = append(all, lines...)
	}
	all = append(all, exampleLines(rootExample)...)
	ran, fits := map[string]bool{}, 0
	for _, args := range all {
		line := strings.ReplaceAll(strings.Join(args, " "), "000", "0") // fewer rows
		args = strings.Fields(line)
		if ran[line] || args[0] == "demo" && !testdata.IsLong() { // which TestDemo runs
			continue
		}
		ran[line] = true
		if args[0] == "fit" {
			if fits++; fits > 1 && !testdata.IsLong() && !regexp.MustCompile("--(method|paper|for|lambda|mixture)").MatchString(line) {
				args = slices.Concat(args[:1], fixed, args[1:])
			}
		}
		if slices.Contains(args, "-") {
			cmd := mongeProcess(t, args...)
			cmd.Stdin, _ = os.Open("rows.csv")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("monge %s: %v: %s", line, err, out)
			}
			continue
		}
		if code, _, stderr := monge(t, args...); code != exitOK {
			t.Errorf("monge %s: exit code %d: %s", line, code, stderr)
		}
	}
}

// TestMan checks that the man pages contain the help texts, every example, and every flag with its description.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	if code, _, stderr := monge(t, "man", dir); code != exitOK {
		t.Fatal(stderr)
	}
	plain := strings.NewReplacer(`\-`, "-", `\e`, `\`, `\&`, "", `\fB`, "", `\fP`, "")
	for _, cmd := range commands() {
		page, err := os.ReadFile(filepath.Join(dir, "monge-"+cmd.Name()+".1"))
		if cmd.Hidden {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got := plain.Replace(string(page))
		want := []string{"Jan 1970"}
		for _, text := range []string{cmd.Long, cmd.Example, cmd.Annotations[details]} {
			want = slices.AppendSeq(want, strings.SplitSeq(text, "\n"))
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			_, usage := pflag.UnquoteUsage(f)
			want = append(want, "--"+f.Name, usage)
		})
		for _, line := range want {
			if !strings.Contains(got, strings.TrimSpace(line)) {
				t.Errorf("monge-%s.1 does not have %q", cmd.Name(), line)
			}
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, script, stderr := monge(t, "completion", shell); code != exitOK || !strings.Contains(script, "monge") {
			t.Errorf("%s: exit code %d: %s", shell, code, stderr)
		}
	}
	for line, want := range map[string]string{
		"fit --method ":       "minibatch",
		"fit --whitening ":    "spherical",
		"cv --gradient im":    "implicit",
		"transform --rows ":   "test",
		"transform --format ": "parquet",
		"sinkhorn --domain ":  "log",
		"help te":             "terms",
		"completion f":        "fish",
	} {
		args := strings.Split("__complete "+line, " ")
		if _, stdout, _ := monge(t, args...); !strings.Contains(stdout, want) {
			t.Errorf("monge %s and Tab: %q, want %q", line, stdout, want)
		}
	}
}

// exampleFiles creates a folder with the files that the examples use, and makes it the current
// folder.
func exampleFiles(t *testing.T) {
	t.Helper()
	s := simulate(t)
	t.Chdir(s.dir)
	for name, source := range map[string]string{"wine.csv": s.csv, "other.csv": s.csv, "new.csv": s.x, "rows.csv": s.x, "Y.csv": s.x} {
		b, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		write(t, name, string(b))
	}
	weights := strings.Repeat("1\n", 60)
	write(t, "a.csv", weights)
	write(t, "b.csv", weights)
	write(t, "cost.csv", "0,1\n1,0\n")
	write(t, "pairs.csv", "1,0,1,0,0\n1,1,1,1,0\n2,0,1,5,5\n2,1,1,5,6\n")
	write(t, "lambda.csv", "1,1,1\n1,1,1\n1,1,1\n")
	p := mat.NewDense(5, 2, []float64{1, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	for _, ext := range []string{".csv", ".npy"} {
		if err := writeMatrix("P"+ext, ext, p); err != nil {
			t.Fatal(err)
		}
	}
	digits := dataset.Simulation{Seed: 3, NoiseDims: 22}.Generate(300)
	split := make([]int32, 300)
	for i := range split[:100] {
		split[3*i] = 1
	}
	writeNPZ(t, "mnist.npz", digits, split)
	rows := make([][]float64, 60)
	labels := make([]string, 60)
	for i := range rows {
		rows[i], labels[i] = s.data.X.RawRowView(i), s.data.Classes[s.data.Labels[i]]
	}
	parquetLists(t, "texts.parquet", rows, labels)
	fitSummary(t, "--data", "texts.parquet", "--columns", "emb", "--model", "texts.wda")
}
