package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda/dataset"
)

// phase is a state of the program. A test sends a signal while the program is in this state.
type phase struct {
	name  string
	args  string        // command line, with $ for the folder of the data
	after time.Duration // delay from the start to the signal
	stdin func(io.Writer)
}

// phases returns the phases that take many seconds each. In short tests, it returns only phases that
// need little data.
func phases(t *testing.T, dir string) []phase {
	at := func(name string) string { return filepath.Join(dir, name) }
	file := func(name string, write func(w io.Writer) error) {
		if err := outfile.WriteFile(at(name), write); err != nil {
			t.Fatal(err)
		}
	}
	random := func(name string, rows, cols int) {
		rng := rand.New(rand.NewPCG(1, 2))
		file(name, func(w io.Writer) error {
			out, err := outfile.NewNPY(w, rows, cols)
			if err != nil {
				return err
			}
			row := make([]float64, cols)
			for range rows {
				for j := range row {
					row[j] = rng.NormFloat64()
				}
				if err := out.Write(row); err != nil {
					return err
				}
			}
			return out.Close()
		})
	}
	labels := func(name string, rows, classes int) {
		var b strings.Builder
		for i := range rows {
			fmt.Fprintln(&b, i%classes)
		}
		write(t, at(name), b.String())
	}
	small := dataset.Simulation{Seed: 1}
	file("small.csv", csvOf(small.Generate(900)))
	fitSummary(t, "--data", at("small.csv"), "--model", at("m.wda"), "--k", "5")

	silent := func(io.Writer) { time.Sleep(time.Minute) }
	endless := func(text string) func(io.Writer) {
		return func(w io.Writer) {
			for {
				if _, err := io.WriteString(w, text); err != nil {
					return
				}
			}
		}
	}
	rowsThenSilence := func(text string) func(io.Writer) {
		return func(w io.Writer) {
			io.WriteString(w, text)
			silent(w)
		}
	}
	long := " --iterations 10000 --max-steps 100000 --tolerance 1e-300"
	list := []phase{
		{name: "reading a silent pipe", args: "fit --data /dev/stdin --model $o.wda", stdin: silent},
		{name: "reading endless rows", args: "fit --data /dev/stdin --model $o.wda", stdin: endless(strings.Repeat("1,2,0\n", 1000))},
		{name: "reading endless blank lines", args: "fit --data /dev/stdin --model $o.wda", stdin: endless(strings.Repeat("\n", 4096))},
		{name: "projecting a silent pipe into a file", args: "transform --model $m.wda --data - --out $o.csv", stdin: rowsThenSilence(strings.Repeat("1,2,3,4,5,6,7,8,9,0\n", 5000))},
		{name: "classifying endless rows into a file", args: "predict --model $m.wda --data - --out $o.csv", stdin: endless("1,2,3,4,5,6,7,8,9,0\n")},
		{name: "model from a silent pipe", args: "info --model /dev/stdin", stdin: silent},
		{name: "fit, long iterations", args: "fit --data $small.csv --model $o.wda" + long},
		{name: "cross-validation", args: "cv --data $small.csv --csv $o.csv --model $o.wda" + long},
	}
	if !testdata.IsLong() {
		return list
	}
	file("many.csv", csvOf(small.Generate(60000)))
	random("wide.npy", 2500, 2500)
	labels("wide.txt", 2500, 5)
	random("cloud.npy", 20000, 3)
	random("rows.npy", 60000, 10)
	labels("rows.txt", 60000, 5)
	object(t, "fit", "--data", at("many.csv"), "--sample", "30000", "--method", "minibatch", "--max-steps", "1", "--k", "5", "--model", at("big.wda"))
	object(t, "fit", "--data", at("small.csv"), "--model", at("slow.wda"), "--max-steps", "2", "--iterations", "600",
		"--lambda", "1", "--shrinkage", "1", "--whitening", "none", "--scale", "orthonormal", "--leading", "2") // no comparison
	return append(list, []phase{
		{name: "fit, validation", args: "fit --data $small.csv --model $o.wda --validation 0.2" + long},
		{name: "fit, implicit gradient", args: "fit --data $small.csv --model $o.wda --gradient implicit --max-steps 100000 --tolerance 1e-300 --starts 100000"},
		{name: "fit, preparation of many features", args: "fit --data $wide.npy --labels $wide.txt --model $o.wda -p 100"},
		{name: "fit, mini-batches", args: "fit --data $many.csv --method minibatch --max-steps 1000000 --model $o.wda"},
		{name: "fit, rows in their file", args: "fit --data $rows.npy --labels $rows.txt --method minibatch --out-of-core --max-steps 1000000 --model $o.wda"},
		{name: "verify", args: "verify $slow.wda --data $small.csv"},
		{name: "predict", args: "predict --model $big.wda --data $many.csv --neighbors 1000 --out $o.csv --workers 1"},
		{name: "eval with baselines", args: "eval --model $m.wda --train $many.csv --test $many.csv --baselines --workers 1"},
		{name: "score", args: "score --data $many.csv --sample 20000 --model $m.wda --iterations 10000"},
		{name: "sinkhorn", args: "sinkhorn --x $cloud.npy --y $cloud.npy --lambda 100 --iterations 1000000"},
		{name: "writing a plan", args: "sinkhorn --x $cloud.npy --y $cloud.npy --lambda 1 --iterations 1 --plan $o.csv", after: 3 * time.Second},
		{name: "a picture of many points", args: "plot --model $m.wda --data $many.csv --out $o.svg", after: 700 * time.Millisecond},
	}...)
}

// TestSignalLatency interrupts the program in every phase with SIGINT, SIGTERM, or two signals. The
// program must end with exit code 130 and leave no files. With -v the test prints the latencies.
func TestSignalLatency(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	dir := t.TempDir()
	list := phases(t, dir)
	before := files(t, dir)
	rounds := 1
	if testdata.IsLong() {
		rounds = 5
	}
	var all []time.Duration
	for n, p := range list {
		t.Run(p.name, func(t *testing.T) {
			var took []time.Duration
			for round := range rounds {
				if d, ok := p.end(t, dir, n+round); ok {
					took = append(took, d)
				}
				for _, name := range files(t, dir) {
					if !slices.Contains(before, name) {
						t.Errorf("left %s behind", name)
						os.RemoveAll(filepath.Join(dir, name))
					}
				}
			}
			t.Log(took)
			all = append(all, took...)
		})
	}
	slices.Sort(all)
	at := func(q float64) time.Duration { return all[int(q*float64(len(all)-1))] }
	if len(all) < len(list)*rounds/2 {
		t.Fatalf("only %d of %d programs were there to be ended", len(all), len(list)*rounds)
	}
	// Only print latencies, because a busy machine may delay every signal.
	t.Logf("%d signals: p50 %v, p99 %v, max %v", len(all), at(0.5), at(0.99), at(1))
}

// end starts the program, sends the signals for the given round, and returns the time from the
// signals to the exit. It returns false if the program ended before the signals.
func (p phase) end(t *testing.T, dir string, round int) (time.Duration, bool) {
	t.Helper()
	cmd := mongeProcess(t, strings.Fields(strings.ReplaceAll(p.args, "$", dir+string(filepath.Separator)))...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if p.stdin != nil {
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		go p.stdin(in)
	}
	begun, begins, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer begun.Close()
	cmd.ExtraFiles, cmd.Env = []*os.File{begins}, append(cmd.Env, mainVariable+"=3")
	err = cmd.Start()
	begins.Close()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(begun) // waits until the process has started, which may take long on a busy machine
	working := 60 * time.Millisecond
	if testdata.IsLong() {
		working = 400 * time.Millisecond
	}
	time.Sleep(max(p.after, working))
	began := time.Now()
	signals := [][]os.Signal{{os.Interrupt}, {syscall.SIGTERM}, {os.Interrupt, os.Interrupt}, {os.Interrupt, syscall.SIGTERM}}[round%4]
	for _, s := range signals {
		_ = cmd.Process.Signal(s) // fails if the process has already ended
	}
	state, err := cmd.Process.Wait()
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	go cmd.Wait() // releases the pipes of the process, which has already exited
	if state.ExitCode() == 0 {
		t.Log("done before the signal")
		for _, name := range files(t, dir) {
			if strings.HasPrefix(name, "o.") {
				os.Remove(filepath.Join(dir, name))
			}
		}
		return 0, false
	}
	if state.ExitCode() != exitInterrupted {
		t.Errorf("%v: %v: %s%s", signals, state, &stdout, &stderr)
	}
	return took, true
}
