package main

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/gossa"
	"github.com/gomonge/monge/prove/internal/known"
)

// plantCount contains the number of planted mistakes and the number of mistakes that the cases
// refuted.
type plantCount struct{ all, refuted int }

// plantMistakes plants the given number of different mistakes in each function, one at a time. It
// counts the mistakes that the cases refute and calls the function report for each survivor. The
// mistakes depend only on the function and the number of mutants.
func plantMistakes(t *target, functions map[string]*function, source *gossa.Source, program *code.Program, mutants int, report func(known.Survivor)) plantCount {
	var mu sync.Mutex
	var workers sync.WaitGroup
	work := make(chan *function)
	var count plantCount
	for range runtime.NumCPU() {
		workers.Go(func() {
			for f := range work {
				hash := fnv.New64()
				fmt.Fprint(hash, f.text.Name)
				rng := rand.New(rand.NewPCG(1, hash.Sum64()))
				tried := map[known.Survivor]bool{}
				for done, draws := 0, 0; done < mutants && draws < 100*mutants; draws++ {
					mutant, at, what := t.mutate(f.text, rng, f.isReached)
					s := known.Survivor{Arch: t.arch, Function: f.text.Name, Offset: at.Addr - f.text.Entry, Instruction: instructionText(at, f.text), Mistake: what}
					if tried[s] {
						continue
					}
					tried[s] = true
					effect, err := refute(f, source, program, mutant, at.Addr)
					if what == code.ChangedOperation && errors.Is(err, code.ErrUnknown) {
						continue // the symbolic machine does not support the changed operation
					}
					done++
					mu.Lock()
					count.all++
					if err != nil {
						count.refuted++
					} else {
						s.Effect = effect
						report(s)
					}
					mu.Unlock()
				}
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if f := functions[name]; f.cases > 0 {
			work <- f
		}
	}
	close(work)
	workers.Wait()
	return count
}

var (
	hexNumber   = regexp.MustCompile(`^(0x)?[0-9a-f]+$`)
	ripRelative = regexp.MustCompile(`-?0x[0-9a-f]+\(%rip\)`)
)

// instructionText returns the text of an instruction without addresses of the binary. The target of
// a jump becomes an offset from the beginning of the function.
func instructionText(i *code.Inst, f *code.Function) string {
	operands := strings.Split(ripRelative.ReplaceAllString(i.Operands, "(%rip)"), ", ")
	last := &operands[len(operands)-1]
	if to, err := strconv.ParseUint(strings.TrimPrefix(*last, "0x"), 16, 64); err == nil && hexNumber.MatchString(*last) && f.Insts[to] != nil {
		*last = fmt.Sprintf("+%x", to-f.Entry)
	}
	return strings.Join(strings.Fields(i.Op+" "+strings.Join(operands, ", ")), " ")
}

// firstWitnesses is the number of cases of each job that refute tries first.
const firstWitnesses = 24

// refute returns the error of a case that refutes the mutant, or nil if no case does. It first
// tries a few cases of each job, small cases first. Then it tries all cases that reach the changed
// instruction. If no case fails, effect is the largest effect of the mistake over all cases.
func refute(f *function, source *gossa.Source, program *code.Program, mutant *code.Function, at uint64) (effect known.Effect, err error) {
	size := func(w jobCase) int { return max(1, w.shape.m) * max(1, w.shape.n) * max(1, w.shape.d) }
	var some, all []jobCase
	for _, c := range f.jobs {
		w := c.casesReaching(at)
		all = append(all, w...)
		rng := rand.New(rand.NewPCG(1, 1))
		rng.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
		some = append(some, w[:min(firstWitnesses, len(w))]...)
	}
	slices.SortStableFunc(some, func(a, b jobCase) int { return cmp.Compare(size(a), size(b)) })
	for _, w := range some {
		if _, err := w.runPrograms(source, program.With(mutant, stepLimit(w.steps), 0)); err != nil {
			return 0, err
		}
	}
	was, is := code.NewCoverage(), code.NewCoverage()
	for _, w := range all {
		used, err := w.runPrograms(source, program.With(f.text, stepLimit(w.steps), at), program.With(mutant, stepLimit(w.steps), at))
		if err != nil {
			return 0, err
		}
		x, y := used[0][f.text.Name], used[1][f.text.Name]
		effect = max(effect, traceDifference(&x.Trace, &y.Trace))
		x.Trace, y.Trace = code.Trace{}, code.Trace{}
		was.Add(x)
		is.Add(y)
	}
	for l, loop := range is.Loops {
		if loop.Reason != "" && !loop.Fixed && was.Loops[l].Reason == "" {
			effect = known.Loop
		}
	}
	return effect, nil
}

// traceDifference compares the traces of a function and its mutant. It returns the most serious
// effect of the mutation.
func traceDifference(x, y *code.Trace) known.Effect {
	switch {
	case !slices.Equal(x.Path, y.Path):
		return known.Path
	case !slices.Equal(x.Stores, y.Stores):
		return known.Stores
	case !slices.Equal(x.Fetches, y.Fetches):
		return known.Fetches
	case !slices.Equal(x.States, y.States):
		return known.Unused
	}
	return known.Nothing
}

// stepLimit returns the number of instructions that a mutant may run: four times the number
// of instructions that the correct function ran, plus 10,000.
func stepLimit(steps int) int { return 4*steps + 10_000 }

// runPrograms runs a case with each program, in one expression graph. It returns the error of the
// last program, or the coverage of the assembly functions in each run. It panics if the Go
// reference implementation or an earlier program fails, because only the last program may contain a
// mistake.
func (w jobCase) runPrograms(source *gossa.Source, programs ...*code.Program) (used []map[string]*code.Coverage, err error) {
	g := expr.New()
	want, err := w.job.runCase(source, programs[0], g, w.shape, 0)
	if err != nil {
		panic(err)
	}
	for n, p := range programs {
		u, _, err := w.job.proveCase(source, p, g, w.shape, w.level, want)
		switch {
		case err != nil && n < len(programs)-1:
			panic(err)
		case err != nil:
			return nil, err
		}
		used = append(used, u)
	}
	return used, nil
}
