package main

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/expr"
	"github.com/gomonge/monge/prove/internal/gossa"
)

// planted counts the mistakes that were planted, and those that the proof has refuted.
type planted struct{ all, refuted int }

// plant plants mistakes in functions, so many in each, one at a time, and returns by packages how many of them
// the cases that reach the changed instruction refute. It reports the others.
func plant(t *target, functions map[string]*function, source *gossa.Source, program *code.Program, mutants int, report func(string)) map[string]planted {
	var mu sync.Mutex
	var workers sync.WaitGroup
	work := make(chan *function)
	counts := map[string]planted{}
	for range runtime.NumCPU() {
		workers.Go(func() {
			for f := range work {
				pkg, _, _ := strings.Cut(f.text.Name, ".")
				hash := fnv.New64()
				fmt.Fprint(hash, f.text.Name)
				rng := rand.New(rand.NewPCG(1, hash.Sum64()))
				reached := func(i *code.Inst) bool { return len(f.reach[i.Addr]) > 0 }
				for done := 0; done < mutants; {
					mutant, at, what := t.mutate(f.text, rng, reached)
					cases := f.reach[at.Addr]
					err := refute(cases, source, program, mutant)
					if what == code.Operation && errors.Is(err, code.ErrUnknown) {
						continue // the tool does not know the other operation
					}
					done++
					mu.Lock()
					c := counts[pkg]
					c.all++
					if err != nil {
						c.refuted++
					} else {
						report(fmt.Sprintf("%s: %s of %s (%d cases)", f.text.Name, what, at.Text, len(cases)))
					}
					counts[pkg] = c
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
	return counts
}

// refute returns why a case fails, nil if none does. It tries some cases that reach the changed instruction, small
// ones first, and then all cases of the kernels that these are of.
func refute(cases []witness, source *gossa.Source, program *code.Program, mutant *code.Function) error {
	size := func(w witness) int { return max(1, w.shape.m) * max(1, w.shape.n) * max(1, w.shape.d) }
	cases = slices.SortedStableFunc(slices.Values(cases), func(a, b witness) int { return cmp.Compare(size(a), size(b)) })
	type run struct {
		job   *job
		level uint64
	}
	most := map[run]int{}
	for _, w := range cases {
		if err := w.fails(source, program, mutant, w.steps); err != nil {
			return err
		}
		most[run{w.job, w.level}] = max(most[run{w.job, w.level}], w.steps)
	}
	for r, steps := range most {
		for _, s := range r.job.shapes {
			for _, s.cut = range []bool{false, true} {
				if err := (witness{job: r.job, shape: s, level: r.level}).fails(source, program, mutant, 8*steps); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// fails returns why a case fails with a mutant, nil if it does not. The mutant may take four times as many
// instructions as the function, and some more.
func (w witness) fails(source *gossa.Source, program *code.Program, mutant *code.Function, steps int) error {
	g := expr.New()
	want, err := w.job.run(source, program, g, w.shape, 0)
	if err != nil {
		return nil
	}
	_, _, err = w.job.check(source, program.With(mutant, 4*steps+10_000), g, w.shape, w.level, want)
	return err
}
