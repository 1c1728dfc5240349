// Package processor helps tests that compare the symbolic machines with real processors. It returns
// the instructions of the kernels. It also returns random operands, including special values for
// which similar instructions have different results.
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
	// MaxInstances is the maximum number of tested instructions of each form.
	MaxInstances = 4
	// Trials is the number of runs of each instruction.
	Trials = 24
	// MemoryAt is the address of a test's memory. The package memory puts its first region at this
	// address.
	MemoryAt = 0x18000040
)

// EachInstruction builds the test binary that contains all kernels. For every instruction, it calls
// the parameter each with the name of the kernel function and the bytes of the instruction.
// Functions are sorted by name.
func EachInstruction(t *testing.T, objdump, arch string, decode func(*code.Inst) any, each func(function string, i *code.Inst, raw []byte)) {
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
			// The last instruction is a return. Its Next is 0.
			each(name, i, slices.Clone(text[i.Addr-section.Addr:max(i.Addr, i.Next)-section.Addr]))
		}
	}
}

// LoadMemory fills the memory of a test with numbers. The whole memory is writable.
func LoadMemory(t *testing.T, g *expr.Graph, mem *memory.Memory, numbers []uint32) {
	cells, writable := make([]expr.Node, len(numbers)), make([]bool, len(numbers))
	for n, v := range numbers {
		cells[n], writable[n] = g.Const(4, uint64(v)), true
	}
	if at := mem.Region("memory", 64, cells, writable); at != MemoryAt {
		t.Fatalf("the memory lies at %#x, want %#x", at, MemoryAt)
	}
}

// FirstDifference returns the index of the first cell in which two registers differ, or −1.
// A cell has 4 bytes. If cell n belongs to a rounded floating-point number, rounds(n) returns the
// size of this number in cells. Otherwise rounds(n) returns 0. All rounded NaN count as equal.
func FirstDifference(x, y []uint32, rounds func(n int) (cells int)) int {
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
