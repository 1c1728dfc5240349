package main

import (
	"errors"
	"fmt"
	"go/types"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/gomonge/monge/prove/internal/amd64"
	"github.com/gomonge/monge/prove/internal/arm64"
	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/gossa"
	"github.com/gomonge/monge/prove/internal/memory"
	"golang.org/x/tools/go/ssa"
)

// target is an architecture: its instruction sets, and the functions that read and run its machine
// code.
type target struct {
	arch, objdump string
	levels        []level
	decode        func(*code.Inst) any
	run           func(*code.Program, *code.Function, *expr.Graph, *memory.Memory, uint64, *code.Coverage) error
	mutate        func(*code.Function, *rand.Rand, func(*code.Inst) bool) (mutant *code.Function, at *code.Inst, what string)
}

type level struct {
	name   string
	number uint64 // the asm.Level in bits 0 to 7, the asm.Extension set from bit 8 on
}

// These bits of level.number stand for extensions (optional CPU features). The packages in
// packagesWithExtensions are proved with and without extensions. Other packages do not use them.
const (
	vnni    = 1 << 8
	vpopcnt = 2 << 8
	dotProd = 4 << 8
)

var targets = []*target{
	{"amd64", amd64.Objdump, []level{{"AVX2", 2}, {"AVX512", 3}, {"AVX512 with extensions", 3 | vnni | vpopcnt}}, amd64.Decode, amd64.Run, amd64.Mutate},
	{"arm64", arm64.Objdump, []level{{"NEON", 1}, {"NEON with extensions", 1 | dotProd}}, arm64.Decode, arm64.Run, arm64.Mutate},
}

// job is a kernel for one choice of element types.
type job struct {
	*target
	kernel
	elementTypes
	root   gossa.Root
	shapes []shape
}

// jobCase is a case of a job at one instruction-set level.
type jobCase struct {
	job   *job
	shape shape
	level uint64
	steps int // instructions run, summed over all paths
}

// cases holds those cases of a job in which a certain assembly function was called.
type cases struct {
	all   []jobCase
	reach map[uint64][]uint64 // for each instruction address, a bit set of the cases that reached it
}

// casesReaching returns the cases that reached the instruction at an address.
func (c *cases) casesReaching(at uint64) (out []jobCase) {
	for i, w := range c.reach[at] {
		for ; w != 0; w &= w - 1 {
			out = append(out, c.all[64*i+bits.TrailingZeros64(w)])
		}
	}
	return out
}

// function collects the results of all cases that called an assembly function.
type function struct {
	text  *code.Function
	cov   *code.Coverage
	cases int
	err   error
	jobs  []*cases
}

func newFunction(f *code.Function) *function {
	return &function{text: f, cov: code.NewCoverage()}
}

// merge adds the results that another job computed for this function.
func (f *function) merge(g *function) {
	f.cases += g.cases
	f.err = errors.Join(f.err, g.err)
	f.cov.Add(g.cov)
	f.jobs = append(f.jobs, g.jobs...)
}

// isReached reports whether any case reached an instruction.
func (f *function) isReached(i *code.Inst) bool {
	return slices.ContainsFunc(f.jobs, func(c *cases) bool { return c.reach[i.Addr] != nil })
}

// addCase records a case that called f, with its coverage.
func (f *function) addCase(w jobCase, cov *code.Coverage) {
	if f.jobs == nil {
		f.jobs = []*cases{{reach: map[uint64][]uint64{}}}
	}
	f.cases++
	f.cov.Add(cov)
	c := f.jobs[0]
	n := len(c.all)
	c.all = append(c.all, w)
	for at := range cov.Reached {
		set := c.reach[at]
		for len(set) <= n/64 {
			set = append(set, 0)
		}
		set[n/64] |= 1 << (n % 64)
		c.reach[at] = set
	}
}

// prove runs every case at every instruction-set level. It returns the number of cases and the
// results for each assembly function.
func (j *job) prove(source *gossa.Source, program *code.Program) (cases int, found map[string]*function, failed error) {
	found = map[string]*function{}
	broken := map[uint64]bool{}
	g := expr.New()
	for n, s := range j.shapes {
		g.Reset()
		s.apart = n%4 == 1
		want, err := j.runCase(source, program, g, s, 0)
		if err != nil {
			return cases, found, fmt.Errorf("%s, %s: reference: %w", j, s, err)
		}
		for _, level := range j.target.levels {
			if !j.kernel.provedAt(level) {
				continue
			}
			s.cut = false
			for again := true; again && !broken[level.number]; s.cut = true {
				used, cuttable, err := j.proveCase(source, program, g, s, level.number, want)
				if err != nil {
					err = fmt.Errorf("%s at %s, %s: %w", j, level.name, s, err)
					broken[level.number] = true
					failed = errors.Join(failed, err)
				}
				for name, cov := range used {
					if found[name] == nil {
						found[name] = newFunction(program.Functions[name])
					}
					found[name].addCase(jobCase{j, s, level.number, cov.Steps}, cov)
					if err != nil {
						found[name].err = err
					}
				}
				cases++
				again = cuttable && !s.cut && (n%3 == 0 || len(j.shapes) < 100)
			}
		}
	}
	return cases, found, failed
}

// proveCase runs a case at an instruction-set level on every path and compares the outcome with
// want. It returns the coverage of the assembly functions that ran. cuttable reports that the
// kernel could split the case into smaller pieces.
func (j *job) proveCase(source *gossa.Source, program *code.Program, g *expr.Graph, s shape, level uint64, want outcome) (used map[string]*code.Coverage, cuttable bool, err error) {
	if provedByPath[j.pkg+"."+j.name] {
		g.Path = &expr.Path{}
		defer func() { g.Path = nil }()
	}
	used = map[string]*code.Coverage{}
	for {
		got, err := j.runCase(source, program, g, s, level)
		for name, cov := range got.used {
			if used[name] == nil {
				used[name] = code.NewCoverage()
			}
			used[name].Add(cov)
		}
		cuttable = cuttable || got.cuttable
		if err == nil {
			err = compareOutputs(g, want, got)
		}
		if err != nil || g.Path == nil || !g.Path.Advance() {
			return used, cuttable, err
		}
	}
}

// provedAt reports whether a kernel is proved at an instruction-set level.
func (k *kernel) provedAt(l level) bool {
	if l.number>>8 != 0 {
		return packagesWithExtensions[k.pkg]
	}
	return k.levels == "" || slices.Contains(strings.Fields(k.levels), l.name)
}

func (j *job) String() string { return j.pkg + "." + j.root.Expression }

func (s shape) String() string {
	return fmt.Sprintf("m=%d n=%d d=%d padding %d flag %v cut %v apart %v", s.m, s.n, s.d, s.pad, s.flag, s.cut, s.apart)
}

// outcome is the result of one run.
type outcome struct {
	*builder
	result   gossa.Value
	used     map[string]*code.Coverage // coverage by assembly function
	cuttable bool
}

// runCase runs a case at an instruction-set level. Level 0 is the Go reference implementation.
func (j *job) runCase(source *gossa.Source, program *code.Program, g *expr.Graph, s shape, level uint64) (outcome, error) {
	b := &builder{shape: s, elementTypes: j.elementTypes, g: g, mem: memory.New(s.apart)}
	j.call(b)
	out := outcome{b, nil, map[string]*code.Coverage{}, false}
	in := &gossa.Interpreter{Source: source, G: g, Mem: b.mem}
	in.Assembly = func(f *ssa.Function, stack uint64) error {
		name := f.Pkg.Pkg.Path()[len(kernelsPath):] + "." + f.Name()
		text := program.Functions[name]
		if text == nil {
			return fmt.Errorf("%s is not in the binary", name)
		}
		if out.used[name] == nil {
			out.used[name] = code.NewCoverage()
		}
		return j.target.run(program, text, g, b.mem, stack, out.used[name])
	}
	plain := replaceGo(source, g)
	in.Replace = func(f *ssa.Function, args []gossa.Value) (gossa.Value, bool) {
		switch source.Name(f) {
		case "asm.Piece":
			n, unit := args[0].(uint64), args[2].(uint64)
			out.cuttable = out.cuttable || n > unit
			if s.cut {
				return min(n, unit), true
			}
		case "pair.scaledCosine", "pair.scaledNorm": // both runs call the function, which is Go code
			return outOfRange(g, int(types.SizesFor("gc", j.arch).Sizeof(f.Signature.Results().At(0).Type()))), true
		case "query.Widen":
			h, depends := args[1].(expr.Node)
			if format, ok := args[0].(uint64); ok && depends && format == float16 && widenCheck.passes(in, f) {
				return g.FromHalf(h), true
			}
		case "query.nearest":
			x, depends := args[1].(expr.Node)
			if format, ok := args[0].(uint64); ok && depends && format == float16 && nearestCheck.passes(in, f) {
				return toHalf(g, x), true
			}
		}
		return plain(f, args)
	}
	err := setMachine(in, level)
	if err == nil {
		out.result, err = in.Call(source.Root(j.root), b.args)
	}
	return out, err
}

// outOfRange returns a placeholder for a cosine or norm of vectors whose sums of squares are out of
// range. The placeholder is 3, which is not the value of any such cosine or norm.
func outOfRange(g *expr.Graph, width int) expr.Node {
	if width == 4 {
		return g.Const(4, uint64(math.Float32bits(3)))
	}
	return g.Const(8, math.Float64bits(3))
}

// jumpToGo simulates a jump from assembly to a Go function. It does not run the
// function. Instead, it stores the constant that outOfRange returns as the result.
func jumpToGo(name string, g *expr.Graph, mem *memory.Memory, stack uint64) error {
	f, known := map[string]struct{ args, width int }{
		"pair.cosineOutOfRange32": {3, 4}, "pair.cosineOutOfRange64": {3, 8},
		"pair.normOutOfRange32": {2, 4}, "pair.normOutOfRange64": {2, 8},
	}[name]
	if !known {
		return fmt.Errorf("a jump to %s", name)
	}
	width := f.width
	bits, _ := g.Bits(outOfRange(g, width))
	result := stack + 8 + 8*uint64(f.args) // after the return address and the arguments
	for ; width > 0; width, bits, result = width-4, bits>>32, result+4 {
		if err := mem.Store(result, g.Const(4, bits&math.MaxUint32)); err != nil {
			return err
		}
	}
	return nil
}

// replaceGo returns a function that replaces calls of Go functions which the interpreter does not
// run.
func replaceGo(source *gossa.Source, g *expr.Graph) func(*ssa.Function, []gossa.Value) (gossa.Value, bool) {
	return func(f *ssa.Function, args []gossa.Value) (gossa.Value, bool) {
		switch source.Name(f) {
		case "asm.init", "binary.init": // setMachine sets what asm.init would detect; binary.init makes error messages
			return nil, true
		case "bits.OnesCount64", "bits.OnesCount8":
			if n, ok := args[0].(expr.Node); ok {
				return g.Popcount(8, n), true
			}
		case "math.FMA", "num.fma32":
			return g.FMA(args[0].(expr.Node), args[1].(expr.Node), args[2].(expr.Node)), true
		case "math.Sqrt":
			return g.Sqrt(args[0].(expr.Node)), true
		case "math.Float64bits", "math.Float32bits":
			if bits, ok := g.Bits(args[0].(expr.Node)); ok {
				return bits, true
			}
			return args[0], true
		case "math.Float64frombits", "math.Float32frombits":
			if bits, ok := args[0].(uint64); ok {
				return g.Const(map[string]int{"64": 8, "32": 4}[f.Name()[5:7]], bits), true
			}
			return args[0], true
		}
		return nil, false
	}
}

// float16 is query.Float16.
const float16 = 1

// exhaustiveCheck compares a function of package query with an operation of package expr for all
// inputs. If the results agree, the interpreter replaces calls of the function by that operation.
type exhaustiveCheck struct {
	sync.Mutex
	results map[*ssa.Function]bool
	holds   func(g *expr.Graph, call func(args ...gossa.Value) (expr.Node, bool)) bool
}

var (
	widenCheck   = exhaustiveCheck{results: map[*ssa.Function]bool{}, holds: widenIsFromHalf}
	nearestCheck = exhaustiveCheck{results: map[*ssa.Function]bool{}, holds: nearestIsToHalf}
)

func (e *exhaustiveCheck) passes(in *gossa.Interpreter, f *ssa.Function) bool {
	e.Lock()
	defer e.Unlock()
	if done, ok := e.results[f]; ok {
		return done
	}
	g := expr.New()
	other := &gossa.Interpreter{Source: in.Source, G: g, Mem: memory.New(false), Assembly: in.Assembly, Replace: replaceGo(in.Source, g)}
	e.results[f] = e.holds(g, func(args ...gossa.Value) (expr.Node, bool) {
		v, err := other.Call(f, args)
		n, ok := v.(expr.Node)
		return n, err == nil && ok
	})
	return e.results[f]
}

// widenIsFromHalf reports whether the function query.Widen equals FromHalf for all 65536 inputs.
func widenIsFromHalf(g *expr.Graph, call func(args ...gossa.Value) (expr.Node, bool)) bool {
	for h := range uint64(1) << 16 {
		if n, ok := call(uint64(float16), h); !ok || !g.Equal(n, g.FromHalf(g.Const(4, h))) {
			return false
		}
	}
	return true
}

// nearestIsToHalf reports whether the function query.nearest equals toHalf for all inputs.
func nearestIsToHalf(g *expr.Graph, call func(args ...gossa.Value) (expr.Node, bool)) bool {
	x := g.Input(4, 1, 0)
	n, ok := call(uint64(float16), x)
	return ok && g.Equal(n, toHalf(g, x))
}

// toHalf returns x as a binary16 number. NaN becomes 0x7e00.
func toHalf(g *expr.Graph, x expr.Node) expr.Node {
	return g.ToHalf(g.Select(g.Eq(x, x), x, g.Const(4, 0x7fc00000)))
}

// machineSizes holds the sizes at which kernels split their work. Results do not depend on these
// sizes. The sizes are small, so that small cases have several pieces. All other fields of Machine are
// zero, so that AVX-512 kernels never use AVX2 code instead.
var machineSizes = map[string]uint64{"FarBytes": 2 << 20, "FarRows": 4, "Depth": 40, "DeepDepth": 40, "PanelBytes": 192 << 10}

// setMachine sets the instruction-set level and the machine parameters instead of detecting them.
func setMachine(in *gossa.Interpreter, level uint64) error {
	path := strings.TrimSuffix(kernelsPath, "/")
	if err := in.SetGlobal(path, "current", level&255); err != nil {
		return err
	}
	if err := in.SetGlobal(path, "extensions", level>>8); err != nil {
		return err
	}
	m, err := in.New(path, "Machine", machineSizes)
	if err != nil {
		return err
	}
	return in.SetGlobal(path, "machine", m)
}

// compareOutputs compares the outputs and the return values of two runs.
func compareOutputs(g *expr.Graph, want, got outcome) error {
	for i, o := range want.outputs {
		x, y := want.mem.Cells(o.addr), got.mem.Cells(got.outputs[i].addr)
		w := max(1, o.width/4)
		for c := 0; c < len(x); c += w {
			if x[c] == y[c] && x[c+w-1] == y[c+w-1] {
				continue
			}
			p, q := x[c], y[c]
			if w == 2 {
				p, q = g.Join(x[c], x[c+1]), g.Join(y[c], y[c+1])
			}
			if !g.Equal(p, q) {
				return fmt.Errorf("output %d differs at element %d of %d:\n\treference %s\n\tassembly  %s", i, c/w, len(x)/w, g.String(p), g.String(q))
			}
		}
	}
	return compareResults(g, want.result, got.result)
}

// compareResults compares the return values of two runs.
func compareResults(g *expr.Graph, want, got gossa.Value) error {
	if all, ok := want.([]gossa.Value); ok {
		for i := range all {
			if err := compareResults(g, all[i], got.([]gossa.Value)[i]); err != nil {
				return fmt.Errorf("result %d: %w", i, err)
			}
		}
		return nil
	}
	if want == got {
		return nil
	}
	p, okP := want.(expr.Node)
	q, okQ := got.(expr.Node)
	if okP && okQ && g.Equal(p, q) {
		return nil
	}
	return fmt.Errorf("the results differ:\n\treference %s\n\tassembly  %s", g.String(p), g.String(q))
}
