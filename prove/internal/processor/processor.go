// Package processor is what the tests share that compare the symbolic machines with processors: the
// instructions of the kernels, and operands. These are random numbers, and those at which instructions
// differ.
package processor

import (
	"debug/elf"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/memory"
)

const (
	// Instances is how many instructions of a form are run at most.
	Instances = 4
	// Trials is how often each one is run.
	Trials = 24
	// MemoryAt is the address of the memory of a test: that of the first region in package memory.
	MemoryAt = 0x18000040
)

// Kernels builds the test binary that has all kernels, and calls each with every instruction of a function
// and its bytes, in the order of the functions' names.
func Kernels(t *testing.T, objdump, arch string, decode func(*code.Inst) any, each func(function string, i *code.Inst, raw []byte)) {
	path := filepath.Join(t.TempDir(), "kernels.test")
	build := exec.Command("go", "test", "-c", "-o", path, "./fuzz")
	build.Dir = "../../.."
	build.Env = append(build.Environ(), "GOOS=linux", "GOARCH="+arch)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := code.Read(objdump, path, "github.com/gomonge/monge/internal/asm/", decode)
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	section := file.Section(".text")
	text, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(program.Functions)) {
		for _, i := range program.Functions[name].Order {
			// Of the last one Next is not known. It is a return.
			each(name, i, slices.Clone(text[i.Addr-section.Addr:max(i.Addr, i.Next)-section.Addr]))
		}
	}
}

// Load stores numbers in the memory of a test. All of it is writable.
func Load(t *testing.T, g *expr.Graph, mem *memory.Memory, numbers []uint32) {
	cells, writable := make([]expr.Node, len(numbers)), make([]bool, len(numbers))
	for n, v := range numbers {
		cells[n], writable[n] = g.Const(4, uint64(v)), true
	}
	if at := mem.Region("memory", 64, cells, writable); at != MemoryAt {
		t.Fatalf("the memory lies at %#x, want %#x", at, MemoryAt)
	}
}

// Unlike returns the first cell in which two registers differ, −1 if there is none. Where rounds says that a
// cell is of a rounded result, of so many cells, any NaN will do.
func Unlike(x, y []uint32, rounds func(n int) (cells int)) int {
	for n := range x {
		if x[n] != y[n] {
			if cells := rounds(n); cells == 0 || !isNaN(x, n, cells) || !isNaN(y, n, cells) {
				return n
			}
		}
	}
	return -1
}

func isNaN(x []uint32, n, cells int) bool {
	if cells == 1 {
		return math.IsNaN(float64(math.Float32frombits(x[n])))
	}
	return math.IsNaN(math.Float64frombits(uint64(x[n&^1]) | uint64(x[n|1])<<32))
}
