package main

import (
	"cmp"
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
				hash := fnv.New64()
				fmt.Fprint(hash, f.text.Name)
				rng := rand.New(rand.NewPCG(1, hash.Sum64()))
				for range mutants {
					mutant, at, what := t.mutate(f.text, rng)
					cases := f.reach[at.Addr]
					refuted := refutes(cases, source, program.With(mutant))
					mu.Lock()
					pkg, _, _ := strings.Cut(f.text.Name, ".")
					c := counts[pkg]
					c.all++
					if refuted {
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

// refutes reports whether a case fails. Small ones are tried first.
func refutes(cases []witness, source *gossa.Source, program *code.Program) bool {
	size := func(w witness) int { return max(1, w.shape.m) * max(1, w.shape.n) * max(1, w.shape.d) }
	for _, w := range slices.SortedStableFunc(slices.Values(cases), func(a, b witness) int { return cmp.Compare(size(a), size(b)) }) {
		g := expr.New()
		want, err := w.job.run(source, program, g, w.shape, 0)
		if err != nil {
			return false
		}
		if _, err := w.job.check(source, program, g, w.shape, w.level, want); err != nil {
			return true
		}
	}
	return false
}
