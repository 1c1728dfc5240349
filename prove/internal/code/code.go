// Package code contains the machine code of a binary, one list of instructions per function, as
// disassembled by objdump. It also records which instructions the runs have reached. It does not
// interpret instructions.
package code

import (
	"bufio"
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/memory"
)

// ErrUnknown means that a package does not implement an instruction or a variant of an instruction.
var ErrUnknown = errors.New("no semantics")

// Inst is an instruction. Operands is the text printed by objdump without symbols and remarks.
// Decoded is set by the package that runs instructions.
type Inst struct {
	Addr, Next   uint64
	Op, Operands string
	Text         string // the whole line
	Decoded      any
}

// Function is a function in machine code.
type Function struct {
	Name  string
	Entry uint64
	end   uint64
	Insts map[uint64]*Inst
	Order []*Inst
}

// Program contains the assembly functions of a binary by name, and the data of the binary.
type Program struct {
	Functions   map[string]*Function
	GoFunctions map[uint64]string // Go functions that assembly can jump to, by address
	// JumpToGo simulates a Go function that assembly jumps to. stack is the address of the return
	// address. The arguments follow at higher addresses. JumpToGo stores the result after the
	// arguments.
	JumpToGo func(name string, g *expr.Graph, mem *memory.Memory, stack uint64) error
	Limit    int    // maximum number of instructions in a run; 0 means 2 million
	Watched  uint64 // runs trace all registers after the instruction at this address; 0 means no trace
	sections []section
}

// MaxSteps returns the maximum number of instructions in a run.
func (p *Program) MaxSteps() int {
	if p.Limit > 0 {
		return p.Limit
	}
	return 2_000_000
}

type section struct {
	addr uint64
	data []byte
}

// Read disassembles the functions in the binary at path whose names begin with prefix. It removes the
// prefix from the names. decode computes the field Decoded of each instruction.
func Read(objdump, path, prefix string, decode func(*Inst) any) (*Program, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p := &Program{Functions: map[string]*Function{}, GoFunctions: map[uint64]string{}}
	for _, s := range file.Sections {
		if s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_ALLOC != 0 && s.Flags&elf.SHF_EXECINSTR == 0 {
			data, err := s.Data()
			if err != nil {
				return nil, err
			}
			p.sections = append(p.sections, section{s.Addr, data})
		}
	}
	symbols, err := file.Symbols()
	if err != nil {
		return nil, err
	}
	inGo := map[string]bool{} // names of all symbols; a Go function called from assembly has two symbols, with and without .abi0
	for _, s := range symbols {
		inGo[s.Name] = true
	}
	for _, s := range symbols {
		name, ok := strings.CutSuffix(s.Name, ".abi0")
		if !ok || !strings.HasPrefix(name, prefix) || elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		if inGo[name] {
			p.GoFunctions[s.Value] = strings.TrimPrefix(name, prefix)
			continue
		}
		p.Functions[strings.TrimPrefix(name, prefix)] = &Function{Name: strings.TrimPrefix(name, prefix), Entry: s.Value, end: s.Value + s.Size, Insts: map[uint64]*Inst{}}
	}
	if err := p.disassemble(objdump, path); err != nil {
		return nil, err
	}
	for _, f := range p.Functions {
		f.linkInstructions()
		for _, i := range f.Order {
			i.Decoded = decode(i)
		}
	}
	return p, nil
}

// With returns a copy of p in which f replaces the function of the same name. The copy has the
// given instruction limit and the given address of the watched instruction.
func (p *Program) With(f *Function, limit int, watched uint64) *Program {
	q := new(Program)
	*q = *p
	q.Functions, q.Limit, q.Watched = maps.Clone(p.Functions), limit, watched
	q.Functions[f.Name] = f
	return q
}

// ChangedOperation is the description of a mistake that changes the operation.
const ChangedOperation = "the operation"

// Mutate returns a copy of f with a mistake in one random instruction for which fit returns true. The
// function change modifies the instruction and returns a description.
func (f *Function) Mutate(rng *rand.Rand, fit func(*Inst) bool, change func(*Inst) string) (mutant *Function, at *Inst, what string) {
	var from []*Inst
	for _, i := range f.Order {
		if fit(i) {
			from = append(from, i)
		}
	}
	at = from[rng.IntN(len(from))]
	changed := *at
	what = change(&changed)
	mutant = &Function{Name: f.Name, Entry: f.Entry, Insts: maps.Clone(f.Insts), Order: f.Order}
	mutant.Insts[at.Addr] = &changed
	return mutant, at, what
}

// Word returns the 4 bytes of the binary's data at an address. It returns false if no section
// contains all 4 bytes.
func (p *Program) Word(addr uint64) (uint32, bool) {
	for _, s := range p.sections {
		if size := uint64(len(s.data)); size >= 4 && addr-s.addr <= size-4 {
			return binary.LittleEndian.Uint32(s.data[addr-s.addr:]), true
		}
	}
	return 0, false
}

var (
	instructionLine = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$`)
	symbolName      = regexp.MustCompile(`<[^>]*>`)
	objdumpRemark   = regexp.MustCompile(`\s*(//|;|# ).*$`)
)

// maxGap is the largest gap between functions that are disassembled by the same objdump command.
const maxGap = 1 << 16

// disassemble reads the instructions of all functions.
func (p *Program) disassemble(objdump, path string) error {
	all := slices.SortedFunc(maps.Values(p.Functions), func(a, b *Function) int { return cmp.Compare(a.Entry, b.Entry) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Entry < all[n-1].end+maxGap {
			n++
		}
		out, err := exec.Command(objdump, "-d", "--no-show-raw-insn", "-w",
			fmt.Sprintf("--start-address=%#x", all[0].Entry), fmt.Sprintf("--stop-address=%#x", all[n-1].end), path).Output()
		if err != nil {
			return fmt.Errorf("objdump: %w", err)
		}
		addInstructions(out, all[:n])
		all = all[n:]
	}
	return nil
}

// addInstructions adds the instructions printed by objdump to their functions. The functions are
// sorted by address.
func addInstructions(out []byte, functions []*Function) {
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		m := instructionLine.FindStringSubmatch(s.Text())
		if m == nil {
			continue
		}
		addr, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			continue
		}
		for len(functions) > 0 && addr >= functions[0].end {
			functions = functions[1:]
		}
		if len(functions) == 0 {
			return
		}
		f := functions[0]
		if addr < f.Entry {
			continue
		}
		operands := strings.TrimSpace(symbolName.ReplaceAllString(objdumpRemark.ReplaceAllString(m[3], ""), ""))
		i := &Inst{Addr: addr, Op: m[2], Operands: operands, Text: strings.TrimSpace(s.Text())}
		f.Insts[addr] = i
		f.Order = append(f.Order, i)
	}
}

// linkInstructions sets the successors of instructions and removes the padding after the last
// return.
func (f *Function) linkInstructions() {
	for n := 1; n < len(f.Order); n++ {
		f.Order[n-1].Next = f.Order[n].Addr
	}
	for n := len(f.Order); n > 0 && f.Order[n-1].Padding(); n-- {
		delete(f.Insts, f.Order[n-1].Addr)
		f.Order = f.Order[:n-1]
	}
}

// Padding reports whether i does nothing or is never run.
func (i *Inst) Padding() bool {
	return i.Op == "int3" || i.Op == "udf" || i.Op == "xchg" || strings.HasPrefix(i.Op, "nop") || strings.HasPrefix(i.Op, ".")
}

// Coverage records which instructions, jumps and loops of a function the runs have reached.
type Coverage struct {
	Steps   int                // instructions run
	Reached map[uint64]bool    // instructions
	Taken   map[uint64][2]bool // directions of conditional jumps: not taken, taken
	Loops   map[uint64]Loop    // loops by the address of the first instruction; see package loops
	Trace   Trace
}

// Trace records the actions of a run in order. Expressions are recorded by their node numbers, so
// traces of runs in the same expression graph are comparable.
type Trace struct {
	Path    []uint64 // executed instructions, and the conditions of data-dependent jumps
	Stores  []uint64 // addresses and stored values
	Fetches []uint64 // addresses of prefetches
	States  []uint64 // all registers and flags after the watched instruction
}

// Loop describes the iterations of a loop in all simulated runs of its function.
type Loop struct {
	Iterations    int
	MaxIterations int             // largest number of consecutive iterations
	Paths         map[string]bool // paths of all iterations, except the last iteration before the loop ends
	Reason        string          // why an iteration may depend on the iteration number; empty if none does
	Fixed         bool            // the number of iterations depends only on constants
}

// AddIteration records an iteration that is not the last iteration of the loop. way identifies the
// path through the iteration. reason says why the iteration may depend on its number; it is empty if
// there is no such reason. fixed means that only constants decide whether another iteration follows.
func (l *Loop) AddIteration(way, reason string, fixed bool) {
	l.Fixed = fixed && (l.Fixed || l.Paths == nil)
	if l.Paths == nil {
		l.Paths = map[string]bool{}
	}
	l.Paths[way] = true
	if l.Reason == "" {
		l.Reason = reason
	}
}

// NewCoverage returns an empty Coverage.
func NewCoverage() *Coverage {
	return &Coverage{Reached: map[uint64]bool{}, Taken: map[uint64][2]bool{}, Loops: map[uint64]Loop{}}
}

// Branch records the direction of a conditional jump.
func (c *Coverage) Branch(addr uint64, taken bool) {
	t := c.Taken[addr]
	if taken {
		t[1] = true
	} else {
		t[0] = true
	}
	c.Taken[addr] = t
}

// Add adds the coverage of other runs.
func (c *Coverage) Add(d *Coverage) {
	c.Steps += d.Steps
	c.Trace.Path = append(c.Trace.Path, d.Trace.Path...)
	c.Trace.Stores = append(c.Trace.Stores, d.Trace.Stores...)
	c.Trace.Fetches = append(c.Trace.Fetches, d.Trace.Fetches...)
	c.Trace.States = append(c.Trace.States, d.Trace.States...)
	maps.Copy(c.Reached, d.Reached)
	for at, t := range d.Taken {
		s := c.Taken[at]
		c.Taken[at] = [2]bool{s[0] || t[0], s[1] || t[1]}
	}
	for at, l := range d.Loops {
		k := c.Loops[at]
		k.Iterations += l.Iterations
		k.MaxIterations = max(k.MaxIterations, l.MaxIterations)
		for way := range l.Paths {
			k.AddIteration(way, l.Reason, l.Fixed)
		}
		c.Loops[at] = k
	}
}

// Missing lists the instructions of f that were not reached, and the jumps that were always or
// never taken.
func (f *Function) Missing(c *Coverage) (out []string) {
	for _, i := range f.Order {
		switch t, jump := c.Taken[i.Addr]; {
		case i.Padding():
		case !c.Reached[i.Addr]:
			out = append(out, "not reached: "+i.Text)
		case jump && !t[1]:
			out = append(out, "never taken: "+i.Text)
		case jump && !t[0]:
			out = append(out, "always taken: "+i.Text)
		}
	}
	return out
}
