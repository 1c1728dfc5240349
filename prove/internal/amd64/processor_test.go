//go:build linux && amd64

package amd64

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/draw"
	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/memory"
	"github.com/gomonge/monge/prove/internal/pending"
)

const (
	instances = 4  // of a form, at most
	trials    = 24 // of an instance

	// Where the child process has things. The memory lies where package memory has it.
	codeAt   = 0x20000000
	codeSize = 64 // of one instruction and the jump after it
	stateAt  = 0x30000000
	memoryAt = 0x18000040
)

// state is what an instruction reads and writes.
type state struct {
	R      [16]uint64
	K      [8]uint64
	Flags  uint64
	Which  uint64 // number of the instruction
	_      [6]uint64
	V      [32][16]uint32
	Memory [128]uint32
}

// instance is an instruction of the kernels, as it is run.
type instance struct {
	*inst
	raw      []byte
	function string
	form     string
}

// open reports whether a function is not proved.
func open(name string) bool { return pending.Functions[name] != "" }

// TestProcessor runs every form of instruction of the kernels on random registers and
// memory, in the symbolic machine and on the processor, and compares all bits of all
// registers, of the flags and of the memory. Of a conditional jump the condition is tested.
// Prefetches, other jumps and returns are left out.
func TestProcessor(t *testing.T) {
	for _, tool := range []string{"gcc", "objdump"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is missing")
		}
	}
	has := func(features ...string) bool {
		info, err := os.ReadFile("/proc/cpuinfo")
		for _, f := range features {
			if err != nil || !regexp.MustCompile(`(?m)^flags\b.*\b`+f+`\b`).Match(info) {
				return false
			}
		}
		return true
	}
	if !has("avx2", "fma") {
		t.Skip("the processor has no AVX2 or FMA")
	}
	bits := 256
	if has("avx512f", "avx512bw", "avx512dq", "avx512vl") {
		bits = 512
	}
	dir := t.TempDir()
	all := kernelInstances(t, dir)
	if bits == 256 {
		n := len(all)
		all = slices.DeleteFunc(all, (*instance).evex)
		t.Logf("the processor has no AVX-512: %d of %d instructions are not tested", n-len(all), n)
	}

	rng := rand.New(rand.NewPCG(1, 1))
	stubs := binary.LittleEndian.AppendUint64(nil, uint64(len(all)))
	before := make([]state, 0, len(all)*trials)
	for n, i := range all {
		i.place(t, codeAt+uint64(n*codeSize))
		stubs = binary.LittleEndian.AppendUint64(stubs, uint64(len(i.raw)))
		stubs = append(append(stubs, i.raw...), make([]byte, 16-len(i.raw))...)
		for range trials {
			s := i.draw(rng)
			s.Which = uint64(n)
			before = append(before, s)
		}
	}
	after := runChild(t, dir, bits, stubs, before)

	unknown, known := map[string]string{}, map[string]bool{}
	for n, i := range all {
		for trial := range trials {
			k := n*trials + trial
			got, defined, err := i.symbolic(before[k])
			if errors.Is(err, code.ErrUnknown) {
				unknown[i.form] = i.op
				if !open(i.function) {
					t.Errorf("%s: %v, but the function is proved", i.function, err)
				}
				break
			}
			if err != nil {
				t.Errorf("%s: %v", i.function, err)
				break
			}
			if what := i.differ(&got, &after[k], defined, bits); what != "" {
				t.Errorf("%s, %s: %s", i.Text, i.form, what)
				break
			}
			known[i.form] = true
		}
	}
	operations := map[string]bool{}
	for _, op := range unknown {
		operations[op] = true
	}
	t.Logf("%d forms agree in %d trials of %d instructions; %d forms have no semantics: %s", len(known), trials, len(all),
		len(unknown), strings.Join(slices.Sorted(maps.Keys(operations)), " "))
	if len(known) < 150 {
		t.Errorf("only %d forms were tested", len(known))
	}
}

// kernelInstances returns a few instructions of every form.
func kernelInstances(t *testing.T, dir string) (all []*instance) {
	path := filepath.Join(dir, "kernels.test")
	build := exec.Command("go", "test", "-c", "-o", path, "./fuzz")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := code.Read(Objdump, path, "github.com/gomonge/monge/internal/asm/", Decode)
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
	// Of the same instruction in several functions that of a proved one is kept.
	names := slices.SortedFunc(maps.Keys(program.Functions), func(a, b string) int {
		if open(a) != open(b) {
			if open(a) {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
	count, seen := map[string]int{}, map[string]bool{}
	for _, name := range names {
		for _, c := range program.Functions[name].Order {
			i, ok := c.Decoded.(*inst)
			if !ok {
				if !open(name) {
					t.Fatal(c.Decoded)
				}
				continue // an operand that only functions have which are not proved
			}
			if i.op[0] == 'j' && i.op != "jmp" && !seen[i.op] {
				seen[i.op] = true
				all = append(all, move(i.op[1:]))
			}
			if i.op[0] == 'j' || i.op == "ret" || i.Padding() || strings.HasPrefix(i.op, "prefetch") {
				continue
			}
			raw := slices.Clone(text[i.Addr-section.Addr : i.Next-section.Addr])
			n := &instance{i, raw, name, ""}
			n.form = n.describe()
			if count[n.form] < instances && !seen[string(raw)] {
				count[n.form]++
				seen[string(raw)] = true
				all = append(all, n)
			}
		}
	}
	return all
}

// move returns the conditional move of rcx to rax, in place of a jump with that condition.
func move(condition string) *instance {
	number := slices.Index(strings.Fields("o no b ae e ne be a s ns p np l ge le g"), condition)
	i := &inst{Inst: &code.Inst{Text: "conditional move in place of j" + condition}, op: "cmov" + condition}
	for _, r := range []int{1, 0} {
		i.args = append(i.args, operand{kind: register, reg: r, width: 8, base: -1, index: -1, mask: -1})
	}
	return &instance{i, []byte{0x48, 0x0f, 0x40 + byte(number), 0xc1}, "", "j" + condition}
}

// describe returns the form of an instruction: the operation with the kinds of its operands,
// and the immediate operands of vector instructions.
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

// evex reports whether the instruction is one of AVX-512.
func (i *instance) evex() bool {
	return i.raw[0] == 0x62 || slices.ContainsFunc(i.args, func(a operand) bool { return a.kind == mask })
}

// access returns the operand in memory, if there is one.
func (i *instance) access() *operand {
	for n := range i.args {
		if a := &i.args[n]; a.kind == location && i.op != "lea" {
			return a
		}
	}
	return nil
}

// place moves an instruction to an address. An operand relative to the instruction is
// moved to the memory of the test.
func (i *instance) place(t *testing.T, addr uint64) {
	moved := *i.inst
	moved.args = slices.Clone(i.args)
	moved.Inst = &code.Inst{Addr: addr, Next: addr + uint64(len(i.raw)), Text: i.Text}
	i.inst = &moved
	if a := i.access(); a != nil && a.relative {
		old := binary.LittleEndian.AppendUint32(nil, uint32(a.value))
		if bytes.Count(i.raw, old) != 1 {
			t.Fatalf("%s: where is the displacement in % x?", i.Text, i.raw)
		}
		a.value = memoryAt + 128 - i.Next
		copy(i.raw[bytes.Index(i.raw, old):], binary.LittleEndian.AppendUint32(nil, uint32(a.value)))
	}
}

// draw returns random contents of the registers and the memory. An operand in memory lies
// within the memory.
func (i *instance) draw(rng *rand.Rand) (s state) {
	for n := range s.R {
		s.R[n] = draw.Integer(rng)
	}
	for n := range s.K {
		s.K[n] = draw.Integer(rng)
	}
	s.Flags = rng.Uint64()&allFlags | 2
	single := strings.ContainsAny(i.op[max(0, len(i.op)-3):], "s") && !strings.HasSuffix(i.op, "sd")
	if rng.IntN(5) == 0 {
		single = !single
	}
	for n := range s.V {
		draw.Vector(rng, single, s.V[n][:])
	}
	draw.Vector(rng, single, s.Memory[:])
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

// symbolic runs the instruction in the machine on constants. It returns the flags that are
// defined afterwards, too.
func (i *instance) symbolic(s state) (out state, defined uint64, err error) {
	g, mem := expr.New(), memory.New()
	cells, writable := make([]expr.Node, len(s.Memory)), make([]bool, len(s.Memory))
	for n, v := range s.Memory {
		cells[n], writable[n] = g.Const(4, uint64(v)), true
	}
	if at := mem.Region("memory", 64, cells, writable); at != memoryAt {
		return out, 0, fmt.Errorf("the memory lies at %#x, want %#x", at, memoryAt)
	}
	m := &machine{g: g, mem: mem, prog: &code.Program{}, zero: g.Const(4, 0), r: s.R, k: s.K,
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
			m.fail("%s is no constant", g.String(n))
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

var rounds = regexp.MustCompile(`^v(?:fn?m.*|add|sub|mul|div|cvt\w+2)([ps])([sd])[xy]?$`)

// differ says in which way the tool's result differs from the processor's, if it does.
// Where a floating-point operation has the result NaN, any NaN will do.
func (i *instance) differ(tool, processor *state, defined uint64, bits int) string {
	for n := range tool.R {
		if tool.R[n] != processor.R[n] {
			return fmt.Sprintf("register %d is %#x, on the processor %#x", n, tool.R[n], processor.R[n])
		}
	}
	if (tool.Flags^processor.Flags)&defined&allFlags != 0 {
		return fmt.Sprintf("the flags are %#x, on the processor %#x, of which %#x are defined", tool.Flags, processor.Flags, defined)
	}
	if tool.Memory != processor.Memory {
		return "the memory differs"
	}
	registers := 32
	if bits == 256 {
		registers = 16
	} else if tool.K != processor.K {
		return fmt.Sprintf("the masks are %#x, on the processor %#x", tool.K, processor.K)
	}
	for r := range registers {
		x, y := tool.V[r][:bits/32], processor.V[r][:bits/32]
		for n := range x {
			if x[n] != y[n] && !i.nan(r, n, x, y) {
				return fmt.Sprintf("vector register %d is\n\t%08x, on the processor\n\t%08x", r, x, y)
			}
		}
	}
	return ""
}

// nan reports whether cell n of register r is of an element that is the result of a
// floating-point operation, and NaN on both sides.
func (i *instance) nan(r, n int, x, y []uint32) bool {
	dst := i.args[len(i.args)-1]
	f := rounds.FindStringSubmatch(i.op)
	if f == nil || dst.kind != vector || dst.reg != r {
		return false
	}
	w := elementCells(f[2])
	if f[1] == "s" && n >= w {
		return false
	}
	number := func(c []uint32) float64 {
		if w == 1 {
			return float64(math.Float32frombits(c[n]))
		}
		return math.Float64frombits(uint64(c[n&^1]) | uint64(c[n|1])<<32)
	}
	return math.IsNaN(number(x)) && math.IsNaN(number(y))
}
