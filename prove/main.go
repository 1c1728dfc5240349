// Command prove proves that the assembly of the kernels returns the same bits as the Go reference
// implementations. The proof holds for all values of the data, at a set of sizes that reaches all
// code.
//
//	prove [-module DIR] [-run REGEXP] [-mutate N] BINARY ...
//
// Each BINARY is a test binary for amd64 or arm64 that contains all kernels, such as the test
// binary of package fuzz. The file docs/PROOF.md says what the command proves and what it trusts.
package main

import (
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/gossa"
	"github.com/gomonge/monge/prove/internal/known"
)

const kernelsPath = "github.com/gomonge/monge/internal/asm/"

func main() {
	dir := flag.String("module", "..", "folder of the module with the kernels")
	pattern := flag.String("run", "", "regular expression of the kernels to prove")
	mutants := flag.Int("mutate", 0, "number of mistakes to plant in every function, one at a time; the command prints the mistakes that the proof does not refute")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "prove: no test binary; make one with go test -c ./fuzz")
		os.Exit(2)
	}
	var total tally
	var failed error
	for _, binary := range flag.Args() {
		t, err := prove(*dir, binary, *pattern, *mutants)
		total.proved, total.all = total.proved+t.proved, total.all+t.all
		failed = errors.Join(failed, err)
	}
	fmt.Printf("proved %d of %d functions\n", total.proved, total.all)
	if failed != nil {
		fmt.Fprintln(os.Stderr, "prove:", failed)
		os.Exit(1)
	}
}

// tally counts functions.
type tally struct{ proved, all int }

// targetOf returns the target of a binary.
func targetOf(binary string) (*target, error) {
	file, err := elf.Open(binary)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	switch file.Machine {
	case elf.EM_X86_64:
		return targets[0], nil
	case elf.EM_AARCH64:
		return targets[1], nil
	}
	return nil, fmt.Errorf("%s: a binary for %s; only amd64 and arm64 have kernels", binary, file.Machine)
}

// prove proves the functions of one binary.
func prove(dir, binary, pattern string, mutants int) (count tally, err error) {
	want, err := regexp.Compile(pattern)
	if err != nil {
		return count, err
	}
	t, err := targetOf(binary)
	if err != nil {
		return count, err
	}
	program, err := code.Read(t.objdump, binary, kernelsPath, t.decode)
	if err != nil {
		return count, err
	}
	program.JumpToGo = jumpToGo
	var jobs []*job
	var roots []gossa.Root
	for _, k := range kernels {
		for _, e := range k.types {
			if want.MatchString(k.pkg + "." + k.name + e.suffix) {
				j := &job{target: t, kernel: k, elementTypes: e, root: k.root(e), shapes: k.shapes(64 / width(e.t))}
				jobs, roots = append(jobs, j), append(roots, j.root)
			}
		}
	}
	source, err := gossa.Load(dir, t.arch, os.Environ(), roots)
	if err != nil {
		return count, err
	}
	functions := map[string]*function{}
	for name, f := range program.Functions {
		functions[name] = newFunction(f)
	}
	count.all = len(functions)
	failed := runAll(jobs, source, program, functions)
	var ways, loops, uniform, fixed int
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		f := functions[name]
		switch {
		case f.err != nil:
			fmt.Printf("NOT PROVED %s: %v\n", name, f.err)
		case f.cases > 0:
			count.proved++
			missing, err := printCoverage(name, f)
			ways += missing
			if pattern == "" {
				failed = errors.Join(failed, err)
			}
			for _, l := range f.cov.Loops {
				loops++
				switch {
				case l.Reason == "":
					uniform++
				case l.Fixed:
					fixed++
				}
			}
		case pattern == "":
			failed = errors.Join(failed, fmt.Errorf("%s: not proved, because no kernel in kernels.go uses it", name))
		}
	}
	fmt.Printf("%s: the iterations of %d of %d loops do not depend on their number, and %d loops have a fixed number of iterations; %d instructions or branches without a reason were not reached, or in one direction only\n",
		t.arch, uniform, loops, fixed, ways)
	fmt.Printf("%s: proved %d of %d functions\n", t.arch, count.proved, count.all)
	if mutants > 0 && failed == nil {
		found := map[known.Survivor]bool{}
		planted := plantMistakes(t, functions, source, program, mutants, func(s known.Survivor) {
			fmt.Println("not refuted:", s)
			found[s] = true
		})
		fmt.Printf("| %s | %d | %d |\n", t.arch, planted.all, planted.refuted)
		failed = checkSurvivors(t.arch, found, pattern == "" && mutants == listedMutants)
	}
	return count, failed
}

// listedMutants is the value of -mutate for which survivors.txt lists the mistakes that are not refuted.
const listedMutants = 10

// checkSurvivors compares found, the planted mistakes that the proof did not detect, with the list in
// package known. It returns an error if found contains a mistake that is not listed. If all is true, it
// also returns an error if found lacks a listed mistake of arch.
func checkSurvivors(arch string, found map[known.Survivor]bool, all bool) error {
	list, err := known.Survivors()
	if err != nil {
		return err
	}
	for s := range found {
		if list[s] == "" {
			err = errors.Join(err, fmt.Errorf("not refuted, but not in survivors.txt: %s", s))
		}
	}
	for s := range list {
		if all && s.Arch == arch && !found[s] {
			err = errors.Join(err, fmt.Errorf("in survivors.txt, but refuted or not planted: %s", s))
		}
	}
	return err
}

// printCoverage prints two lists for a function: the instructions and branches that no case
// reached, and the loops whose iterations may depend on the iteration number. It returns an error
// if the length of a list is not the length recorded in the package known. If the first list has
// an unexpected length, ways is this length. Otherwise ways is 0.
func printCoverage(name string, f *function) (ways int, err error) {
	fmt.Printf("proved     %s: %d cases, %d instructions\n", name, f.cases, len(f.text.Order))
	missing, excuse := f.text.Missing(f.cov), known.Unreached[name]
	switch {
	case len(missing) != excuse.Count:
		ways = len(missing)
		for _, m := range missing {
			fmt.Printf("\t%s\n", m)
		}
		err = fmt.Errorf("%s: %d instructions or branches are not reached, or in one direction only; package known gives reasons for %d", name, ways, excuse.Count)
	case len(missing) > 0:
		fmt.Printf("\t%d instructions or branches: %s\n", len(missing), excuse.Reason)
	}
	open := 0
	for _, at := range slices.Sorted(maps.Keys(f.cov.Loops)) {
		if l := f.cov.Loops[at]; l.Reason != "" && !l.Fixed {
			open++
			fmt.Printf("\tloop at %x, %d iterations: %s\n", at, l.Iterations, l.Reason)
		}
	}
	if excuse := known.UnprovedLoops[name]; open != excuse.Count {
		err = errors.Join(err, fmt.Errorf("%s: the iterations of %d loops may depend on their number; package known gives reasons for %d", name, open, excuse.Count))
	} else if open > 0 {
		fmt.Printf("\t%d loops: %s\n", open, excuse.Reason)
	}
	return ways, err
}

// runAll runs the jobs on all CPUs and collects the results in functions.
func runAll(jobs []*job, source *gossa.Source, program *code.Program, functions map[string]*function) (failed error) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	work := make(chan *job)
	for range runtime.NumCPU() {
		workers.Go(func() {
			for j := range work {
				start := time.Now()
				n, found, err := j.prove(source, program)
				mu.Lock()
				for name, f := range found {
					functions[name].merge(f)
				}
				failed = errors.Join(failed, err)
				fmt.Printf("%s: %d cases, %.1f s\n", j, n, time.Since(start).Seconds())
				mu.Unlock()
			}
		})
	}
	for _, j := range jobs {
		work <- j
	}
	close(work)
	workers.Wait()
	return failed
}

// root returns the instance of a kernel for element types.
func (k *kernel) root(t elementTypes) gossa.Root {
	e := k.name
	if k.arguments != "" {
		e += "[" + strings.NewReplacer("K", t.k, "T", t.t).Replace(k.arguments) + "]"
	}
	return gossa.Root{Package: kernelsPath + k.pkg, Expression: e}
}
