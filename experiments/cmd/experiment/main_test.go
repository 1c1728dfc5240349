package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/testdata"
)

// mainVariable is the name of an environment variable. If the variable is set, the test binary
// closes file descriptor 3 and then runs the function main instead of the tests.
const mainVariable = "MONGE_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainVariable) != "" {
		os.NewFile(3, "begun").Close()
		main()
	}
	os.Exit(m.Run())
}

func run(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runContext(t.Context(), args...)
}

func runContext(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = (&command{stdout: &out, stderr: &err}).run(ctx, args)
	return code, out.String(), err.String()
}

// object runs a command line with --json and returns the object that it prints.
func object(t testing.TB, args ...string) (v map[string]any) {
	t.Helper()
	code, stdout, stderr := run(t, append(args, "--json")...)
	if code != exitOK {
		t.Fatalf("%q: exit code %d: %s", args, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &v); err != nil {
		t.Fatalf("%q printed %q: %v", args, stdout, err)
	}
	return v
}

// get returns the number with the given name in a JSON object.
func get(t testing.TB, v map[string]any, name string) float64 {
	t.Helper()
	x, ok := v[name].(float64)
	if !ok {
		t.Fatalf("%q in %v is not a number", name, v)
	}
	return x
}

// files returns the names in a folder.
func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestExperiment(t *testing.T) {
	dir := t.TempDir()
	args := []string{"toy", "--small", "--out", dir, "--methods", "True,pca,WDA-0.01"}
	first := object(t, args...)
	folder := filepath.Join(dir, "toy")
	if first["folder"] != folder || get(t, first, "cells") == 0 || get(t, first, "reused") != 0 {
		t.Errorf("%v", first)
	}
	listed := []string{"toy.journal"}
	for _, f := range first["files"].([]any) {
		listed = append(listed, f.(string))
	}
	slices.Sort(listed)
	if there := files(t, folder); !slices.Equal(there, listed) {
		t.Errorf("the folder has %v, not %v", there, listed)
	}
	table, err := os.ReadFile(filepath.Join(folder, "toy.csv"))
	if err != nil || !bytes.HasPrefix(table, []byte("method,trial,p,k,measure,value\n")) {
		t.Errorf("%.60q, %v", table, err)
	}

	// Repeat the run without --json. It must print text and compute nothing.
	code, out, complaint := run(t, args...)
	if code != exitOK || complaint != "" || !strings.Contains(out, "of them from earlier runs") || !strings.Contains(out, "toy.html") {
		t.Errorf("exit %d, %q, %q", code, out, complaint)
	}
	again := object(t, args...)
	if get(t, again, "reused") != get(t, first, "cells") {
		t.Errorf("%v", again)
	}

	// A run with a different seed in the same folder must fail.
	code, _, complaint = run(t, append(args, "--seed", "2")...)
	if code != exitFailure || !strings.Contains(complaint, "seed was 1, now 2") || !strings.Contains(complaint, "--fresh") {
		t.Errorf("exit %d, %q", code, complaint)
	}
	if now, err := os.ReadFile(filepath.Join(folder, "toy.csv")); err != nil || !bytes.Equal(now, table) {
		t.Errorf("an error has changed the CSV file: %v", err)
	}
	if fresh := object(t, append(args, "--seed", "2", "--fresh")...); get(t, fresh, "reused") != 0 {
		t.Errorf("%v", fresh)
	}
}

func TestExperimentList(t *testing.T) {
	code, out, complaint := run(t, "list")
	if code != exitOK || complaint != "" {
		t.Fatalf("exit %d, %q", code, complaint)
	}
	for _, name := range []string{"weights", "plans", "toy", "toy-lambda"} {
		if !strings.Contains(out, "\n"+name+" ") && !strings.HasPrefix(out, name+" ") {
			t.Errorf("%s is not in the list:\n%s", name, out)
		}
	}
	if !strings.Contains(out, "WDA-0.01") {
		t.Errorf("the methods are not in the list:\n%s", out)
	}
}

func TestExperimentErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "experiment list"},
		{[]string{"toy", "plans"}, exitUsage, "exactly one"},
		{[]string{"nothing"}, exitUsage, "toy-lambda"},
		{[]string{"toy", "--methods", "pca,nothing"}, exitUsage, "LMNN"},
		{[]string{"plans", "--methods", "pca"}, exitUsage, "no choice"},
		{[]string{"caltech"}, exitFailure, "with --data"},
		{[]string{"toy", "--trials", "0"}, exitUsage, "--trials"},
		{[]string{"toy", "--workers", "-1"}, exitUsage, "--workers"},
		{[]string{"toy", "--out", ""}, exitUsage, "--out"},
		{[]string{"toy", "--data", filepath.Join(dir, "none")}, exitFailure, "no such file"},
	} {
		args := append([]string{"--small", "--out", dir}, c.args...)
		code, out, complaint := run(t, args...)
		if code != c.code || out != "" || !strings.Contains(complaint, c.want) || strings.Count(complaint, "\n") != 1 {
			t.Errorf("%q: exit %d, %q, %q", c.args, code, out, complaint)
		}
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("errors have left %v", left)
	}
}

// TestExperimentInterrupt checks that an interrupted run prints how to continue it, and that the
// same command with fewer trials then succeeds.
func TestExperimentInterrupt(t *testing.T) {
	dir := t.TempDir()
	args := []string{"toy-lambda", "--methods", "wda-one", "--out", dir, "--workers", "1", "--small", "--trials"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	code, out, complaint := runContext(ctx, append(args, "5000")...)
	if code != exitInterrupted || out != "" || !strings.Contains(complaint, "the same command continues") {
		t.Fatalf("exit %d, %q, %q", code, out, complaint)
	}
	if left := files(t, filepath.Join(dir, "toy-lambda")); !slices.Equal(left, []string{"toy-lambda.journal"}) {
		t.Errorf("it has left %v", left)
	}
	// The experiment has four cells: one for each of two values of λ, one for the default settings,
	// and one for the true dimensions.
	if v := object(t, append(args, "1")...); get(t, v, "cells") != 4 {
		t.Errorf("%v", v)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"toy", "-h"}} {
		code, out, complaint := run(t, args...)
		if code != exitOK || complaint != "" || !strings.Contains(out, "experiment suite FOLDER") || !strings.Contains(out, "--methods strings") {
			t.Errorf("%q: exit %d, %q, %q", args, code, out, complaint)
		}
	}
}

// TestSignal checks that a signal ends a running experiment with exit code 130, and that only the
// journal remains. With -v, the test prints the time from the signal to the end of the process.
func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals")
	}
	if err := exec.Command(os.Args[0], "-test.run=^$").Run(); errors.Is(err, syscall.ENOEXEC) {
		t.Skipf("cannot start a process of this architecture: %v", err)
	}
	for _, c := range []struct {
		args  string
		data  string // folder of the shared data; its path replaces @ in args
		after time.Duration
	}{
		{args: "toy --trials 100000", after: 100 * time.Millisecond},
		{args: "suite @", data: "suite", after: 2 * time.Second},
		{args: "mnist --data @", data: ".", after: 5 * time.Second}, // t-SNE
	} {
		t.Run(strings.Fields(c.args)[0], func(t *testing.T) {
			t.Parallel()
			if c.data != "" {
				testdata.Long(t)
				c.args = strings.ReplaceAll(c.args, "@", testdata.Shared(t, "data", c.data))
			}
			dir := t.TempDir()
			begun, begins, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer begun.Close()
			cmd := exec.Command(os.Args[0], strings.Fields(c.args+" --out "+dir)...)
			cmd.Env, cmd.ExtraFiles = append(os.Environ(), mainVariable+"=1"), []*os.File{begins}
			var output bytes.Buffer
			cmd.Stdout, cmd.Stderr = &output, &output
			err = cmd.Start()
			begins.Close()
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.ReadAll(begun)
			name := strings.Fields(c.args)[0]
			journal := filepath.Join(dir, name, name+".journal")
			for range 600 { // wait up to a minute, because the machine may be busy
				if _, err := os.Stat(journal); err == nil {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			time.Sleep(c.after)
			sent := time.Now()
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait()
			if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != exitInterrupted || strings.Count(output.String(), "\n") != 1 {
				t.Errorf("%v: %q", err, &output)
			}
			t.Logf("ended after %v", time.Since(sent))
			if left := files(t, filepath.Join(dir, name)); !slices.Equal(left, []string{name + ".journal"}) {
				t.Errorf("%v was left", left)
			}
		})
	}
}
