package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/gomonge/monge/prove/internal/amd64"
	"github.com/gomonge/monge/prove/internal/code"
)

// TestCover: the tests of the vector kernels reach all of them, and no test reaches nothing.
func TestCover(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("only Linux on amd64 is supported")
	}
	if _, err := exec.LookPath(amd64.Objdump); err != nil {
		t.Skip("no objdump: ", err)
	}
	binary := filepath.Join(t.TempDir(), "vector.test")
	build := exec.Command("go", "test", "-c", "-o", binary, "./internal/asm/vector")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := regexp.MustCompile("AVX2")
	none := covered{}
	if err := none.run(binary, want, "^$"); err != nil {
		t.Skip("processes cannot be traced here: ", err)
	}
	all := 0
	for _, f := range none {
		for _, i := range f.text.Order {
			if !i.Padding() {
				all++
			}
		}
	}
	if got := none.report(); got != all || all == 0 {
		t.Errorf("without tests %d of %d instructions are missing", got, all)
	}
	some := covered{}
	if err := some.run(binary, want, "."); err != nil {
		t.Fatal(err)
	}
	if got := some.report(); got != 0 {
		t.Errorf("%d instructions are missing, or jumps in one direction", got)
	}
}

// TestMerge: what two runs reach counts together, and one that goes one way only is listed.
func TestMerge(t *testing.T) {
	t.Parallel()
	jump := &code.Inst{Addr: 8, Op: "je", Text: "je"}
	f := &function{&code.Function{Entry: 8, Order: []*code.Inst{jump}}, code.NewCoverage()}
	c := covered{"f": f}
	for way, want := range []int{1, 0} {
		run := code.NewCoverage()
		run.Reached[8] = true
		run.Branch(8, way == 1)
		f.cov.Add(run)
		if got := c.report(); got != want {
			t.Errorf("after run %d %d are missing, want %d", way, got, want)
		}
	}
}
