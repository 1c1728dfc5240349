package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/gossa"
	"github.com/gomonge/monge/prove/internal/known"
)

// TestProve proves a kernel at a few sizes. It also plants mistakes in the kernel and checks that
// the proof refutes most of them. Command .ci/prove runs the whole proof.
func TestProve(t *testing.T) {
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("GNU objdump is missing")
	}
	binary := filepath.Join(t.TempDir(), "kernels.test")
	build := exec.Command("go", "test", "-c", "-o", binary, "./internal/asm/pass")
	build.Dir = ".."
	build.Env = append(build.Environ(), "GOARCH=amd64", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	machine := targets[0]
	program, err := code.Read(machine.objdump, binary, kernelsPath, machine.decode)
	if err != nil {
		t.Fatal(err)
	}
	k := kernels[2]
	if k.name != "Iterate" {
		t.Fatalf("kernel 2 is %s", k.name)
	}
	j := &job{target: machine, kernel: k, elementTypes: oneType[0], root: k.root(oneType[0]), shapes: k.shapes(8)}
	few := j.shapes[:0]
	for i, s := range j.shapes {
		if i%4 == 0 {
			few = append(few, s)
		}
	}
	j.shapes = few
	source, err := gossa.Load("..", "amd64", build.Env, []gossa.Root{j.root})
	if err != nil {
		t.Fatal(err)
	}
	cases, found, err := j.prove(source, program)
	if err != nil {
		t.Fatal(err)
	}
	if cases < 2*len(few) || found["pass.passAVX2F64"] == nil || found["pass.passAVX512F64"] == nil {
		t.Fatalf("%d cases of %v", cases, found)
	}
	counts := plantMistakes(machine, found, source, program, 30, func(s known.Survivor) { t.Log("not refuted: ", s) })
	if counts.refuted < counts.all*9/10 || counts.all == 0 {
		t.Errorf("refuted %d of %d planted mistakes", counts.refuted, counts.all)
	}
}
