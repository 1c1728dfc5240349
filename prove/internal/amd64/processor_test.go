//go:build linux && amd64

package amd64

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/memory"
	"github.com/gomonge/monge/prove/internal/processor"
)

const (
	// Addresses in the child process.
	codeAt   = 0x20000000
	codeSize = 64 // bytes for one instruction and the jump after it
	stateAt  = 0x30000000
	memoryAt = processor.MemoryAt
)

// state holds the registers, flags and memory that an instruction reads and writes.
type state struct {
	R      [16]uint64
	K      [8]uint64
	Flags  uint64
	Which  uint64 // index of the instruction
	_      [6]uint64
	V      [32][16]uint32
	Memory [128]uint32
}

// instance is an instruction that a test runs.
type instance struct {
	*inst
	raw      []byte
	function string
	form     string
}

// TestProcessor runs every form of instruction of the kernels on random registers and memory, in
// the symbolic machine and on the processor. It compares all bits of the registers, the flags and
// the memory. For a conditional jump, it tests a conditional move with the same condition. It skips
// prefetches, unconditional jumps and return instructions.
//
// A machine with AVX-512, such as the emulated machine of .ci/avx512-emulated, may have no
// compiler. With MONGE_PROCESSOR=DIR, the test writes the AVX-512 instructions and a program that
// runs them to DIR. If DIR already contains these files, the test runs the program.
func TestProcessor(t *testing.T) {
	dir, bits := os.Getenv("MONGE_PROCESSOR"), 256
	avx512 := processorHas("avx512f", "avx512bw", "avx512dq", "avx512vl")
	if avx512 {
		bits = 512
	}
	all := storedInstances(t, dir)
	switch {
	case all != nil && !avx512:
		t.Fatal("the processor has no AVX-512")
	case all == nil:
		for _, tool := range []string{"gcc", "objdump"} {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skip(tool + " is missing")
			}
		}
		all = kernelInstances(t)
		if dir != "" {
			storeInstances(t, dir, slices.DeleteFunc(all, func(i *instance) bool { return !i.evex() }))
			t.Skip("the instructions of AVX-512 are in " + dir)
		}
		if !processorHas("avx2", "fma") {
			t.Skip("the processor has no AVX2 or FMA")
		}
		dir = t.TempDir()
		compileChild(t, dir, bits)
	}
	if !avx512 {
		left := map[string]bool{}
		all = slices.DeleteFunc(all, func(i *instance) bool {
			if i.evex() {
				left[i.form] = true
			}
			return i.evex()
		})
		t.Logf("the processor has no AVX-512: %d forms are not tested; `.ci/avx512-emulated processor` tests them", len(left))
	}

	rng := rand.New(rand.NewPCG(1, 1))
	stubs := binary.LittleEndian.AppendUint64(nil, uint64(len(all)))
	before := make([]state, 0, len(all)*processor.Trials)
	for n, i := range all {
		i.place(t, codeAt+uint64(n*codeSize))
		stubs = binary.LittleEndian.AppendUint64(stubs, uint64(len(i.raw)))
		stubs = append(append(stubs, i.raw...), make([]byte, 16-len(i.raw))...)
		for range processor.Trials {
			s := i.draw(rng)
			s.Which = uint64(n)
			before = append(before, s)
		}
	}
	after := runChild(t, dir, stubs, before)

	forms := map[string]bool{}
	for n, i := range all {
		for k := n * processor.Trials; k < (n+1)*processor.Trials; k++ {
			got, defined, err := i.symbolic(t, before[k])
			if err == nil {
				if what := i.differ(&got, &after[k], defined, bits); what != "" {
					err = errors.New(what)
				}
			}
			if err != nil {
				t.Errorf("%s, %s, %s: %v", i.function, i.Text, i.form, err)
				break
			}
			forms[i.form] = true
		}
	}
	t.Logf("%d forms agree in %d trials of %d instructions", len(forms), processor.Trials, len(all))
	if len(forms) < 150 {
		t.Errorf("only %d forms were tested", len(forms))
	}
}

// processorHas reports whether the processor has all features.
func processorHas(features ...string) bool {
	info, err := os.ReadFile("/proc/cpuinfo")
	for _, f := range features {
		if err != nil || !regexp.MustCompile(`(?m)^flags\b.*\b`+f+`\b`).Match(info) {
			return false
		}
	}
	return true
}

// kernelInstances returns a few instructions of every form.
func kernelInstances(t *testing.T) (all []*instance) {
	count, seen := map[string]int{}, map[string]bool{}
	processor.EachInstruction(t, Objdump, "amd64", Decode, func(name string, c *code.Inst, raw []byte) {
		i, ok := c.Decoded.(*inst)
		if !ok {
			t.Fatal(c.Decoded)
		}
		if i.op[0] == 'j' && i.op != "jmp" && !seen[i.op] {
			seen[i.op] = true
			all = append(all, move(i.op[1:]))
		}
		if i.op[0] == 'j' || i.op == "ret" || i.Padding() || strings.HasPrefix(i.op, "prefetch") {
			return
		}
		n := &instance{i, raw, name, ""}
		n.form = n.describe()
		if count[n.form] < processor.MaxInstances && !seen[string(raw)] {
			count[n.form]++
			seen[string(raw)] = true
			all = append(all, n)
		}
	})
	return all
}

// move returns the conditional move of rcx to rax that replaces a jump with the same condition.
func move(condition string) *instance {
	number := slices.Index(strings.Fields("o no b ae e ne be a s ns p np l ge le g"), condition)
	i := &inst{Inst: &code.Inst{Text: "conditional move in place of j" + condition}, op: "cmov" + condition}
	for _, r := range []int{1, 0} {
		i.args = append(i.args, operand{kind: register, reg: r, width: 8, base: -1, index: -1, mask: -1})
	}
	return &instance{i, []byte{0x48, 0x0f, 0x40 + byte(number), 0xc1}, "", "j" + condition}
}

// describe returns the form of an instruction: its operation, the kinds of its operands, and the
// immediate operands of vector instructions.
func (i *instance) describe() string {
	var out []string
	for n := range i.args {
		a := &i.args[n]
		s := ""
		switch a.kind {
		case immediate:
			if s = "immediate"; i.op[0] == 'v' {
				s = fmt.Sprintf("$%#x", a.value)
			}
		case register:
			s = fmt.Sprintf("r%d", 8*a.width)
		case vector:
			s = map[int]string{16: "xmm", 32: "ymm", 64: "zmm"}[a.width]
		case mask:
			s = "mask"
		case location:
			s = "memory"
			for _, p := range []struct {
				on   bool
				name string
			}{{a.relative, " rip"}, {a.base >= 0, " base"}, {a.index >= 0, " index"}, {a.broadcast, " broadcast"}} {
				if p.on {
					s += p.name
				}
			}
		}
		if a.mask >= 0 {
			s += "{k}"
		}
		if a.zeroing {
			s += "{z}"
		}
		out = append(out, s)
	}
	s := i.op + " " + strings.Join(out, ", ")
	if i.raw[0] == 0x62 {
		s += " (EVEX)"
	}
	return s
}

// evex reports whether the instruction belongs to AVX-512.
func (i *instance) evex() bool {
	return i.raw[0] == 0x62 || slices.ContainsFunc(i.args, func(a operand) bool { return a.kind == mask })
}

// access returns the operand that the instruction reads or writes in memory, or nil if there is none.
func (i *instance) access() *operand {
	for n := range i.args {
		if a := &i.args[n]; a.kind == location && i.op != "lea" {
			return a
		}
	}
	return nil
}

// place moves an instruction to an address. If an operand is relative to the next instruction, place
// changes the displacement so that the operand lies in the memory of the test.
func (i *instance) place(t *testing.T, addr uint64) {
	moved := *i.inst
	moved.args = slices.Clone(i.args)
	moved.Inst = &code.Inst{Addr: addr, Next: addr + uint64(len(i.raw)), Text: i.Text}
	i.inst = &moved
	if a := i.access(); a != nil && a.relative {
		old := binary.LittleEndian.AppendUint32(nil, uint32(a.value))
		if bytes.Count(i.raw, old) != 1 {
			t.Fatalf("%s: no displacement in % x", i.Text, i.raw)
		}
		a.value = memoryAt + 128 - i.Next
		copy(i.raw[bytes.Index(i.raw, old):], binary.LittleEndian.AppendUint32(nil, uint32(a.value)))
	}
}

// draw returns random registers and memory. The address of a memory operand lies within the memory
// of the test.
func (i *instance) draw(rng *rand.Rand) (s state) {
	for n := range s.R {
		s.R[n] = processor.Integer(rng)
	}
	for n := range s.K {
		s.K[n] = processor.Integer(rng)
	}
	s.Flags = rng.Uint64()&allFlags | 2
	single := strings.ContainsAny(i.op[max(0, len(i.op)-3):], "s") && !strings.HasSuffix(i.op, "sd")
	if rng.IntN(5) == 0 {
		single = !single
	}
	for n := range s.V {
		processor.FillVector(rng, single, s.V[n][:])
	}
	processor.FillVector(rng, single, s.Memory[:])
	a := i.access()
	if a == nil || a.relative {
		return s
	}
	for {
		want := memoryAt + 128 + 4*rng.Uint64N(32)
		switch {
		case strings.HasPrefix(i.op, "vmova") || strings.HasPrefix(i.op, "vmovdqa"):
			want = memoryAt + 128
		case i.op == "cmpb":
			want += rng.Uint64N(4)
		}
		rest := want - a.value
		switch {
		case a.index < 0:
			s.R[a.base] = rest
		case a.base >= 0 && a.base != a.index:
			s.R[a.base] = rest - a.scale*s.R[a.index]
		default:
			factor := a.scale
			if a.base >= 0 {
				factor++
			}
			if rest%factor != 0 {
				continue
			}
			s.R[a.index] = rest / factor
		}
		return s
	}
}

// symbolic runs the instruction in the symbolic machine, whose registers and memory cells contain
// constants. It also returns a mask of the flags that are defined after the instruction.
func (i *instance) symbolic(t *testing.T, s state) (out state, defined uint64, err error) {
	g, mem := expr.New(), memory.New(false)
	processor.LoadMemory(t, g, mem, s.Memory[:])
	m := &machine{g: g, mem: mem, prog: &code.Program{}, cov: code.NewCoverage(), zero: g.Const(4, 0), r: s.R, k: s.K,
		flags: flags{s.Flags, allFlags}, inst: i.inst, next: i.Next, steps: new(int)}
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
	m.step(i.inst)
	out.R, out.K, out.Flags = m.r, m.k, m.flags.value
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
	return out, m.flags.defined, nil
}

var rounds = regexp.MustCompile(`^v(?:fn?m.*|add|sub|mul|div|sqrt|scalef|cvt\w+2)([ps])([sd])[xy]?$`)

// differ describes the difference between the results of the symbolic machine and the processor, or
// returns "". All NaN results of floating-point operations count as equal.
func (i *instance) differ(tool, processed *state, defined uint64, bits int) string {
	for n := range tool.R {
		if tool.R[n] != processed.R[n] {
			return fmt.Sprintf("register %d is %#x, on the processor %#x", n, tool.R[n], processed.R[n])
		}
	}
	if (tool.Flags^processed.Flags)&defined&allFlags != 0 {
		return fmt.Sprintf("the flags are %#x, on the processor %#x, of which %#x are defined", tool.Flags, processed.Flags, defined)
	}
	if tool.Memory != processed.Memory {
		return "the memory differs"
	}
	registers := 32
	if bits == 256 {
		registers = 16
	} else if tool.K != processed.K {
		return fmt.Sprintf("the masks are %#x, on the processor %#x", tool.K, processed.K)
	}
	for r := range registers {
		x, y := tool.V[r][:bits/32], processed.V[r][:bits/32]
		if n := processor.FirstDifference(x, y, func(n int) int { return i.rounded(r, n) }); n >= 0 {
			return fmt.Sprintf("vector register %d is\n\t%08x, on the processor\n\t%08x", r, x, y)
		}
	}
	return ""
}

// rounded returns the size of an element, in cells of 4 bytes, if cell n of register r belongs to a
// floating-point result of the instruction. Otherwise it returns 0.
func (i *instance) rounded(r, n int) int {
	dst := i.args[len(i.args)-1]
	f := rounds.FindStringSubmatch(i.op)
	if f == nil || dst.kind != vector || dst.reg != r {
		return 0
	}
	w := elementCells(f[2])
	if f[1] == "s" && n >= w {
		return 0
	}
	return w
}
