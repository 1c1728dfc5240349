package main

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gomonge/monge/prove/internal/amd64"
	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/gossa"
	"github.com/gomonge/monge/prove/internal/memory"
	"golang.org/x/tools/go/ssa"
)

var levels = []struct {
	name   string
	number uint64
}{{"AVX2", 2}, {"AVX512", 3}}

// job is a kernel with its types.
type job struct {
	kernel
	kinds
	root   gossa.Root
	shapes []shape
}

// witness is a case of a job at a level.
type witness struct {
	job   *job
	shape shape
	level uint64
}

// witnesses is how many cases are kept for each instruction, to run planted mistakes on.
const witnesses = 24

// function is what cases have found of a function of assembly.
type function struct {
	code  *amd64.Code
	cov   *amd64.Coverage
	cases int
	err   error
	reach map[uint64][]witness // by instruction
}

func newFunction(c *amd64.Code) *function {
	return &function{code: c, cov: amd64.NewCoverage(), reach: map[uint64][]witness{}}
}

// add joins what other cases have found.
func (f *function) add(g *function) {
	f.cases += g.cases
	f.err = errors.Join(f.err, g.err)
	f.cov.Add(g.cov)
	for at, w := range g.reach {
		f.reach[at] = append(f.reach[at], w...)
	}
}

// note counts a case, and keeps a random few of those that reach an instruction.
func (f *function) note(rng *rand.Rand, w witness, cov *amd64.Coverage) {
	f.cases++
	f.cov.Add(cov)
	for at := range cov.Reached {
		if kept := f.reach[at]; len(kept) < witnesses {
			f.reach[at] = append(kept, w)
		} else if i := rng.IntN(f.cases); i < witnesses {
			kept[i] = w
		}
	}
}

// prove runs all cases at all levels. It returns their number and what it found of each
// function of assembly.
func (j *job) prove(source *gossa.Source, program *amd64.Program) (cases int, found map[string]*function, failed error) {
	found = map[string]*function{}
	rng := rand.New(rand.NewPCG(1, 1))
	broken := map[uint64]bool{}
	for _, s := range j.shapes {
		g := expr.New()
		want, err := j.run(source, program, g, s, 0)
		if err != nil {
			return cases, found, fmt.Errorf("%s, %s: reference: %w", j, s, err)
		}
		for _, level := range levels {
			if broken[level.number] {
				continue
			}
			got, err := j.run(source, program, g, s, level.number)
			if err == nil {
				err = equal(g, want, got)
			}
			if err != nil {
				err = fmt.Errorf("%s at %s, %s: %w", j, level.name, s, err)
				broken[level.number] = true
				failed = errors.Join(failed, err)
			}
			for name, cov := range got.used {
				if found[name] == nil {
					found[name] = newFunction(program.Functions[name])
				}
				found[name].note(rng, witness{j, s, level.number}, cov)
				if err != nil {
					found[name].err = err
				}
			}
			cases++
		}
	}
	return cases, found, failed
}

func (j *job) String() string { return j.pkg + "." + j.root.Expression }

func (s shape) String() string {
	return fmt.Sprintf("m=%d n=%d d=%d padding %d flag %v", s.m, s.n, s.d, s.pad, s.flag)
}

// outcome is what a run leaves.
type outcome struct {
	*builder
	result gossa.Value
	used   map[string]*amd64.Coverage // the functions of assembly
}

// run runs a case at a level, 0 being the reference.
func (j *job) run(source *gossa.Source, program *amd64.Program, g *expr.Graph, s shape, level uint64) (outcome, error) {
	b := &builder{shape: s, kinds: j.kinds, g: g, mem: memory.New()}
	j.call(b)
	out := outcome{b, nil, map[string]*amd64.Coverage{}}
	in := &gossa.Interpreter{Source: source, G: g, Mem: b.mem}
	in.Assembly = func(f *ssa.Function, stack uint64) error {
		name := f.Pkg.Pkg.Path()[len(kernelsPath):] + "." + f.Name()
		code := program.Functions[name]
		if code == nil {
			return fmt.Errorf("%s is not in the binary", name)
		}
		if out.used[name] == nil {
			out.used[name] = amd64.NewCoverage()
		}
		return program.Run(code, g, b.mem, stack, out.used[name])
	}
	in.Replace = func(f *ssa.Function, args []gossa.Value) (gossa.Value, bool) {
		switch gossa.Name(f) {
		case "asm.init": // detection of the machine, which prepare stands in for
			return nil, true
		case "math.FMA", "num.fma32":
			return g.FMA(args[0].(expr.Node), args[1].(expr.Node), args[2].(expr.Node)), true
		}
		return nil, false
	}
	err := prepare(in, level)
	if err == nil {
		out.result, err = in.Call(source.Root(j.root), b.args)
	}
	return out, err
}

// machine has the sizes at which kernels cut their work. Results do not depend on them. They
// are small, so that small cases have several pieces, and no level gives work to a lower one.
var machine = map[string]uint64{"FarBytes": 2 << 20, "FarRows": 4, "Depth": 40, "DeepDepth": 40, "PanelBytes": 192 << 10}

// prepare sets the level and the machine that detection would find.
func prepare(in *gossa.Interpreter, level uint64) error {
	path := strings.TrimSuffix(kernelsPath, "/")
	if err := in.SetGlobal(path, "current", level); err != nil {
		return err
	}
	m, err := in.New(path, "Machine", machine)
	if err != nil {
		return err
	}
	return in.SetGlobal(path, "machine", m)
}

// equal compares the outputs of two runs.
func equal(g *expr.Graph, want, got outcome) error {
	for i, addr := range want.outputs {
		x, y := want.mem.Cells(addr), got.mem.Cells(got.outputs[i])
		for c := range x {
			if x[c] != y[c] {
				return fmt.Errorf("output %d differs at cell %d of %d:\n\treference %s\n\tassembly  %s", i, c, len(x), g.String(x[c]), g.String(y[c]))
			}
		}
	}
	if n, ok := want.result.(expr.Node); ok && n != got.result {
		return errors.New("the results differ")
	}
	return nil
}

// plant plants mistakes in functions, one at a time, and returns how many of them the cases
// that reach the changed instruction refute. It reports the others.
func plant(functions map[string]*function, source *gossa.Source, program *amd64.Program, mutants int, report func(string)) (planted, refuted int) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		f := functions[name]
		if f.cases == 0 {
			continue
		}
		for range mutants {
			mutant, at, what := f.code.Mutate(rng)
			planted++
			if refutes(f.reach[at], source, program.With(mutant)) {
				refuted++
			} else {
				report(fmt.Sprintf("%s: %s (%d cases)", name, what, len(f.reach[at])))
			}
		}
	}
	return planted, refuted
}

// refutes reports whether a case fails.
func refutes(cases []witness, source *gossa.Source, program *amd64.Program) bool {
	for _, w := range cases {
		g := expr.New()
		want, err := w.job.run(source, program, g, w.shape, 0)
		if err != nil {
			return false
		}
		got, err := w.job.run(source, program, g, w.shape, w.level)
		if err != nil || equal(g, want, got) != nil {
			return true
		}
	}
	return false
}
