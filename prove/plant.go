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

// planted counts the mistakes that were planted, and those that the proof has refuted.
type planted struct{ all, refuted int }

// plant plants mistakes in functions, mutants different ones in each, one at a time. It counts the mistakes that the cases
// which reach the changed instruction refute, and reports the others, the survivors. Which mistakes are planted in a
// function depends on the function alone.
func plant(t *target, functions map[string]*function, source *gossa.Source, program *code.Program, mutants int, report func(known.Survivor)) planted {
	var mu sync.Mutex
	var workers sync.WaitGroup
	work := make(chan *function)
	var count planted
	for range runtime.NumCPU() {
		workers.Go(func() {
			for f := range work {
				hash := fnv.New64()
				fmt.Fprint(hash, f.text.Name)
				rng := rand.New(rand.NewPCG(1, hash.Sum64()))
				tried := map[known.Survivor]bool{}
				for done, draws := 0, 0; done < mutants && draws < 100*mutants; draws++ {
					mutant, at, what := t.mutate(f.text, rng, f.reached)
					s := known.Survivor{Arch: t.arch, Function: f.text.Name, Offset: at.Addr - f.text.Entry, Instruction: plain(at, f.text), Mistake: what}
					if tried[s] {
						continue
					}
					tried[s] = true
					effect, err := refute(f, source, program, mutant, at.Addr)
					if what == code.Operation && errors.Is(err, code.ErrUnknown) {
						continue // the tool does not know the other operation
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
	absolute = regexp.MustCompile(`^(0x)?[0-9a-f]+$`)
	relative = regexp.MustCompile(`-?0x[0-9a-f]+\(%rip\)`)
)

// plain returns the text of an instruction without addresses of the binary: the target of a jump is counted from
// the beginning of the function.
func plain(i *code.Inst, f *code.Function) string {
	operands := strings.Split(relative.ReplaceAllString(i.Operands, "(%rip)"), ", ")
	last := &operands[len(operands)-1]
	if to, err := strconv.ParseUint(strings.TrimPrefix(*last, "0x"), 16, 64); err == nil && absolute.MatchString(*last) && f.Insts[to] != nil {
		*last = fmt.Sprintf("+%x", to-f.Entry)
	}
	return strings.Join(strings.Fields(i.Op+" "+strings.Join(operands, ", ")), " ")
}

// witnesses is how many cases of a job are tried first.
const witnesses = 24

// refute returns why a case fails that reaches the changed instruction, nil if none does. It tries some cases of each
// job first, small ones before large ones, and then all. If none fails, the mutant is proved as the function is, and effect is what
// the mistake changes.
func refute(f *function, source *gossa.Source, program *code.Program, mutant *code.Function, at uint64) (effect known.Effect, err error) {
	size := func(w witness) int { return max(1, w.shape.m) * max(1, w.shape.n) * max(1, w.shape.d) }
	var some, all []witness
	for _, c := range f.jobs {
		w := c.reaching(at)
		all = append(all, w...)
		rng := rand.New(rand.NewPCG(1, 1))
		rng.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
		some = append(some, w[:min(witnesses, len(w))]...)
	}
	slices.SortStableFunc(some, func(a, b witness) int { return cmp.Compare(size(a), size(b)) })
	for _, w := range some {
		if _, err := w.fails(source, program.With(mutant, limit(w.steps), 0)); err != nil {
			return 0, err
		}
	}
	was, is := code.NewCoverage(), code.NewCoverage()
	for _, w := range all {
		used, err := w.fails(source, program.With(f.text, limit(w.steps), at), program.With(mutant, limit(w.steps), at))
		if err != nil {
			return 0, err
		}
		x, y := used[0][f.text.Name], used[1][f.text.Name]
		effect = max(effect, compare(&x.Trace, &y.Trace))
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

// compare returns what differs in the traces of a function and of a mutant.
func compare(x, y *code.Trace) known.Effect {
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

// limit is how many instructions a mutant may take: four times as many as the function, and some more.
func limit(steps int) int { return 4*steps + 10_000 }

// fails runs a case with each program in one graph. It returns why the last one fails, or the functions
// of assembly that each has used. The reference and the other programs were proved before.
func (w witness) fails(source *gossa.Source, programs ...*code.Program) (used []map[string]*code.Coverage, err error) {
	g := expr.New()
	want, err := w.job.run(source, programs[0], g, w.shape, 0)
	if err != nil {
		panic(err)
	}
	for n, p := range programs {
		u, _, err := w.job.check(source, p, g, w.shape, w.level, want)
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
