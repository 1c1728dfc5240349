package arm64

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/memory"
	"github.com/gomonge/monge/prove/internal/processor"
)

const (
	// A state is stored at address stateAt. Its field Memory, at offset 784, has the address memoryAt.
	memoryAt = processor.MemoryAt
	stateAt  = memoryAt - 784
)

// state holds the registers, flags and memory that an instruction reads and writes. R[31] is the
// stack pointer. The test program reserves R[27] and R[28], because kernels do not use them. After a
// jump instruction, R[27] is 1 if the jump was taken, and 0 otherwise.
type state struct {
	R      [32]uint64
	Flags  uint64
	Which  uint64 // index of the instruction
	V      [32][4]uint32
	Memory [128]uint32
}

// instance is one occurrence of an instruction in the kernels.
type instance struct {
	*code.Inst
	args     []operand
	word     uint32
	function string
	form     string
}

// TestProcessor runs every form of instruction of the kernels on random registers and memory, in
// the symbolic machine and on an AArch64 processor or under qemu. It compares all bits of the
// registers, the flags and the memory. For conditional jumps, it tests the condition. It skips
// unconditional jumps, return instructions and ADRP. The result of ADRP is an address in the
// binary.
func TestProcessor(t *testing.T) {
	for _, tool := range []string{"aarch64-linux-gnu-as", "aarch64-linux-gnu-ld", Objdump} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is missing: what the instructions of arm64 mean is not tested")
		}
	}
	var emulator []string
	if runtime.GOARCH != "arm64" || runtime.GOOS != "linux" {
		if _, err := exec.LookPath("qemu-aarch64-static"); err != nil {
			t.Skip("qemu-aarch64-static is missing: what the instructions of arm64 mean is not tested")
		}
		emulator = []string{"qemu-aarch64-static", "-cpu", "neoverse-n1"}
	}
	dir := t.TempDir()
	all := kernelInstances(t)
	rng := rand.New(rand.NewPCG(1, 1))
	before := make([]state, 0, len(all)*processor.Trials)
	for n, i := range all {
		for range processor.Trials {
			s := i.draw(rng)
			s.Which = uint64(n)
			before = append(before, s)
		}
	}
	after := runProgram(t, dir, emulator, all, before)

	known, operations := map[string]bool{}, map[string]bool{}
	for n, i := range all {
		for k := n * processor.Trials; k < (n+1)*processor.Trials; k++ {
			got, err := i.symbolic(t, before[k])
			if err == nil {
				if what := i.differ(&got, &after[k]); what != "" {
					err = errors.New(what)
				}
			}
			if err != nil {
				t.Errorf("%s, %s, %s: %v", i.function, i.Text, i.form, err)
				break
			}
			known[i.form], operations[i.Op] = true, true
		}
	}
	t.Logf("%d forms of %d operations agree in %d trials of %d instructions", len(known), len(operations), processor.Trials, len(all))
	if len(operations) < 70 {
		t.Errorf("only %d operations were tested", len(operations))
	}
}

// kernelInstances returns a few instructions of every form.
func kernelInstances(t *testing.T) (all []*instance) {
	count, seen := map[string]int{}, map[uint32]bool{}
	processor.EachInstruction(t, Objdump, "arm64", Decode, func(name string, c *code.Inst, raw []byte) {
		d, ok := c.Decoded.(*instruction)
		if !ok {
			t.Fatal(c.Decoded)
		}
		if c.Op == "ret" || c.Op == "b" || c.Op == "adrp" || c.Padding() {
			return
		}
		i := &instance{c, d.args, binary.LittleEndian.Uint32(raw), name, ""}
		i.form = i.describe()
		if count[i.form] < processor.MaxInstances && !seen[i.word] {
			count[i.form]++
			seen[i.word] = true
			all = append(all, i)
		}
	})
	return all
}

// jump reports whether the instruction is a conditional jump.
func (i *instance) jump() bool {
	return strings.HasPrefix(i.Op, "b.") || strings.HasPrefix(i.Op, "cb") || strings.HasPrefix(i.Op, "tb") && i.Op != "tbl"
}

// describe returns the form of an instruction: its operation, the kinds of its operands, and the
// immediate operands of vector instructions.
func (i *instance) describe() string {
	out := []string{i.Op}
	for _, a := range i.args {
		s := ""
		switch a.kind {
		case immediate:
			if s = "immediate"; i.args[0].kind == vector {
				s = fmt.Sprintf("#%d", a.value)
			}
		case general:
			s = map[bool]string{true: "w", false: "x"}[a.is32Bit]
			if a.reg == xzr {
				s += "zr"
			}
		case scalar:
			s = fmt.Sprintf("scalar of %d", a.cells)
		case vector, element:
			s = fmt.Sprintf("%d of %d, %d more", a.lanes, a.size, a.count)
			if a.kind == element {
				s = fmt.Sprintf("element %d of %d", a.lane, a.size)
			}
		case location:
			s = fmt.Sprintf("memory, post %v, index %v << %d, offset %v", a.postIndexed, a.index >= 0, a.shift, a.value != 0)
		case word:
			s = fmt.Sprintf("%s %d", a.text, a.shift)
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// draw returns random registers and memory. The address of a memory operand lies within the memory
// of the test.
func (i *instance) draw(rng *rand.Rand) (s state) {
	for n := range s.R {
		s.R[n] = processor.Integer(rng)
	}
	s.R[31] = memoryAt + 16*rng.Uint64N(32)
	s.Flags = rng.Uint64N(16) << 28
	single := rng.IntN(2) == 0
	for _, a := range i.args {
		if (a.kind == vector || a.kind == scalar) && rng.IntN(5) > 0 {
			single = a.cells == 1
		}
	}
	for n := range s.V {
		processor.FillVector(rng, single, s.V[n][:])
	}
	processor.FillVector(rng, single, s.Memory[:])
	for _, a := range i.args {
		if a.kind != location {
			continue
		}
		want := memoryAt + 128 + 16*rng.Uint64N(8)
		if !a.postIndexed {
			want -= uint64(a.value)
		}
		if a.index >= 0 {
			s.R[a.index] = 4 * rng.Uint64N(4)
			want -= s.R[a.index] << a.shift
		}
		if a.reg == sp { // the stack pointer must be a multiple of 16
			want &^= 15
		}
		s.R[a.reg] = want
	}
	return s
}

// symbolic runs the instruction in the symbolic machine on constants.
func (i *instance) symbolic(t *testing.T, s state) (out state, err error) {
	g, mem := expr.New(), memory.New(false)
	processor.LoadMemory(t, g, mem, s.Memory[:])
	m := &machine{g: g, mem: mem, prog: &code.Program{}, cov: code.NewCoverage(), zero: g.Const(4, 0), flags: flags(s.Flags >> 28),
		inst: i.Inst, next: i.Next, steps: new(int)}
	copy(m.r[:], s.R[:])
	for r := range m.v {
		for n, v := range s.V[r] {
			m.v[r][n] = g.Const(4, uint64(v))
		}
	}
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = f.err
		default:
			panic(f)
		}
	}()
	m.step(i.args)
	copy(out.R[:], m.r[:])
	out.Flags = uint64(m.flags) << 28
	out.R[27] = 0
	if i.jump() && m.next == i.args[len(i.args)-1].constant {
		out.R[27] = 1
	}
	constant := func(n expr.Node) uint32 {
		v, ok := g.Bits(n)
		if !ok {
			m.fail("%s is not a constant", g.String(n))
		}
		return uint32(v)
	}
	for r := range m.v {
		for n, v := range m.v[r] {
			out.V[r][n] = constant(v)
		}
	}
	for n, v := range mem.Cells(memoryAt) {
		out.Memory[n] = constant(v)
	}
	return out, nil
}

// differ describes the difference between the results of the symbolic machine and the processor, or
// returns "". All NaN results of floating-point operations count as equal.
func (i *instance) differ(tool, processed *state) string {
	for n := range tool.R {
		if tool.R[n] != processed.R[n] && (n != 27 || i.jump()) && n != 28 {
			return fmt.Sprintf("register %d is %#x, on the processor %#x", n, tool.R[n], processed.R[n])
		}
	}
	if tool.Flags != processed.Flags {
		return fmt.Sprintf("the flags are %#x, on the processor %#x", tool.Flags, processed.Flags)
	}
	if tool.Memory != processed.Memory {
		return "the memory differs"
	}
	dst := i.args[0]
	rounds := strings.HasPrefix(i.Op, "f") && i.Op != "fneg" && (dst.kind == vector || dst.kind == scalar)
	for r := range tool.V {
		x, y := tool.V[r][:], processed.V[r][:]
		if n := processor.FirstDifference(x, y, func(int) int {
			if !rounds || dst.reg != r {
				return 0
			}
			return dst.cells
		}); n >= 0 {
			return fmt.Sprintf("vector register %d is\n\t%08x, on the processor\n\t%08x", r, x, y)
		}
	}
	return ""
}

// runProgram assembles a program with the given instructions and runs it on the given states. It
// returns the states after the instructions.
func runProgram(t *testing.T, dir string, emulator []string, all []*instance, before []state) []state {
	source, object, program := filepath.Join(dir, "program.s"), filepath.Join(dir, "program.o"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte(programSource(all)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"aarch64-linux-gnu-as", "-o", object, source},
		{"aarch64-linux-gnu-ld", "-o", program, fmt.Sprintf("--section-start=.state=%#x", stateAt), object},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	var input bytes.Buffer
	if err := binary.Write(&input, binary.LittleEndian, before); err != nil {
		t.Fatal(err)
	}
	command := append(slices.Clone(emulator), program)
	child := exec.Command(command[0], command[1:]...)
	var messages bytes.Buffer
	child.Stdin, child.Stderr = &input, &messages
	output, err := child.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, &messages)
	}
	after := make([]state, len(before))
	if err := binary.Read(bytes.NewReader(output), binary.LittleEndian, after); err != nil && !errors.Is(err, io.EOF) || len(output) != binary.Size(before) {
		t.Fatalf("%d bytes of output, want %d: %v", len(output), binary.Size(before), err)
	}
	return after
}

// programSource returns the assembly source of a program that reads register states. For each
// state, the program runs one instruction and writes the resulting state.
func programSource(all []*instance) string {
	var load, save, stubs, table strings.Builder
	for n := 0; n < 32; n += 4 {
		fmt.Fprintf(&load, "ld1 {v%d.2d-v%d.2d}, [x0], #64\n", n, n+3)
		fmt.Fprintf(&save, "st1 {v%d.2d-v%d.2d}, [x0], #64\n", n, n+3)
	}
	var general, keep strings.Builder
	for n := range 31 {
		if n != 27 && n != 28 {
			fmt.Fprintf(&general, "ldr x%d, [x28, #%d]\n", n, 8*n)
		}
		fmt.Fprintf(&keep, "str x%d, [x28, #%d]\n", n, 8*n)
	}
	for n, i := range all {
		fmt.Fprintf(&table, ".quad stub%d\n", n)
		if !i.jump() {
			fmt.Fprintf(&stubs, "stub%d: .inst %#x\nb done\n", n, i.word)
			continue
		}
		field := uint32(1<<19 - 1) // bits of the jump distance, which counts instructions
		if strings.HasPrefix(i.Op, "tb") {
			field = 1<<14 - 1
		}
		fmt.Fprintf(&stubs, "stub%d: .inst %#x\nmov x27, #0\nb done\nmov x27, #1\nb done\n", n, i.word&^(field<<5)|3<<5)
	}
	return fmt.Sprintf(`.section .state, "aw", %%nobits
state: .skip %[1]d
.text
.global _start
_start:
	mov x19, #0
read:
	mov x0, #0
	ldr x1, =state
	add x1, x1, x19
	mov x2, #%[1]d
	sub x2, x2, x19
	mov x8, #63
	svc #0
	cmp x0, #0
	b.le end
	add x19, x19, x0
	cmp x19, #%[1]d
	b.lt read
	ldr x28, =state
	ldr x27, =table
	ldr x0, [x28, #264]
	ldr x27, [x27, x0, lsl #3]
	ldr x0, [x28, #256]
	msr nzcv, x0
	add x0, x28, #272
	%[2]s
	ldr x0, [x28, #248]
	mov sp, x0
	%[3]s
	br x27
done:
	%[4]s
	mov x0, sp
	str x0, [x28, #248]
	mrs x0, nzcv
	str x0, [x28, #256]
	add x0, x28, #272
	%[5]s
	mov x19, #0
write:
	mov x0, #1
	add x1, x28, x19
	mov x2, #%[1]d
	sub x2, x2, x19
	mov x8, #64
	svc #0
	cmp x0, #0
	b.le end
	add x19, x19, x0
	cmp x19, #%[1]d
	b.lt write
	b _start
end:
	neg x0, x0
	mov x8, #93
	svc #0
	.ltorg
%[6]s
.section .rodata
table:
%[7]s`, binary.Size(state{}), &load, &general, &keep, &save, &stubs, &table)
}
