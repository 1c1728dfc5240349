package fuzz

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOSSFuzz checks that the build script for OSS-Fuzz builds every fuzz target with the right import path and a unique
// name. It runs the script on a copy of the test files, with a fake compiler that only records its arguments.
func TestOSSFuzz(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil || os.PathSeparator != '/' {
		t.Skip("the script needs a Unix system with bash")
	}
	target := regexp.MustCompile(`(?m)^func (Fuzz\w*)\(f \*testing\.F\)`)
	external := regexp.MustCompile(`(?m)^package \w+_test$`)
	src, bin := t.TempDir(), t.TempDir()
	want, left := []string{}, 0
	err = filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != ".." && strings.HasPrefix(e.Name(), ".") {
			return fs.SkipDir
		}
		if e.IsDir() || e.Name() != "go.mod" && !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		inside, _ := filepath.Rel("..", path)
		for _, m := range target.FindAllSubmatch(text, -1) {
			if external.Match(text) {
				left++
				continue
			}
			folder := filepath.ToSlash(filepath.Dir(inside))
			want = append(want, "github.com/gomonge/monge/"+folder+" "+string(m[1])+" "+strings.ReplaceAll(folder, "/", "_")+"_"+string(m[1]))
		}
		to := filepath.Join(src, "monge", inside)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(bin, "calls")
	stand := "#!/bin/sh\ntest -f go.mod && echo \"$@\" >> " + record + "\n"
	if err := os.WriteFile(filepath.Join(bin, "compile_native_go_fuzzer_v2"), []byte(stand), 0o777); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("oss-fuzz/build.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bash, script)
	cmd.Env = append(os.Environ(), "SRC="+src, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n := strings.Count(string(out), "left out"); n != left || left != 1 {
		t.Errorf("%d targets of external packages, the script leaves out %d, want 1: %s", left, n, out)
	}
	calls, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(calls)), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if len(want) < 40 || !slices.Equal(got, want) {
		t.Errorf("the script builds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
