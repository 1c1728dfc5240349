// Command prove proves that the assembly of the kernels returns the bits of their Go
// reference, for every value of the data, at the sizes of a covering set.
//
//	prove [-module DIR] [-run REGEXP] [-mutate N] BINARY
//
// BINARY is a test binary that has all kernels, such as that of package fuzz. docs/PROOF.md
// says what is proved and what is trusted.
package main

import (
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

	"github.com/gomonge/monge/prove/internal/amd64"
	"github.com/gomonge/monge/prove/internal/gossa"
)

const kernelsPath = "github.com/gomonge/monge/internal/asm/"

func main() {
	dir := flag.String("module", "..", "folder of the module that holds the kernels")
	pattern := flag.String("run", "", "regular expression of the kernels to prove")
	mutants := flag.Int("mutate", 0, "plant so many mistakes in every function, one at a time, and name those that the proof does not refute")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "prove: one test binary is needed, for example that of go test -c ./fuzz")
		os.Exit(2)
	}
	if err := prove(*dir, flag.Arg(0), *pattern, *mutants); err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	}
}

func prove(dir, binary, pattern string, mutants int) error {
	want, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	program, err := amd64.Read(binary, kernelsPath)
	if err != nil {
		return err
	}
	var jobs []*job
	var roots []gossa.Root
	for _, k := range kernels {
		for _, t := range k.types {
			if want.MatchString(k.pkg + "." + k.name + t.suffix) {
				j := &job{kernel: k, kinds: t, root: k.root(t), shapes: k.shapes(64 / width(t.t))}
				jobs, roots = append(jobs, j), append(roots, j.root)
			}
		}
	}
	source, err := gossa.Load(dir, "amd64", os.Environ(), roots)
	if err != nil {
		return err
	}
	functions := map[string]*function{}
	for name, c := range program.Functions {
		functions[name] = newFunction(c)
	}
	failed := runAll(jobs, source, program, functions)
	proved, open := 0, 0
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		f := functions[name]
		reason := pending[name]
		switch {
		case f.err != nil:
			fmt.Printf("NOT PROVED %s: %v\n", name, f.err)
		case f.cases > 0:
			proved++
			report(name, f)
		case reason != "":
			open++
			fmt.Printf("open       %s: %s\n", name, reason)
		case pattern == "":
			failed = errors.Join(failed, fmt.Errorf("%s: no kernel uses it: add it to kernels.go", name))
		}
	}
	fmt.Printf("proved %d of %d functions (%d open)\n", proved, len(functions), open)
	if mutants > 0 && failed == nil {
		planted, refuted := plant(functions, source, program, mutants, func(what string) { fmt.Println("not refuted:", what) })
		fmt.Printf("refuted %d of %d planted mistakes\n", refuted, planted)
	}
	return failed
}

// report says how much of a function its cases have reached.
func report(name string, f *function) {
	missing := f.code.Missing(f.cov)
	fmt.Printf("proved     %s: %d cases, %d instructions\n", name, f.cases, f.code.Len())
	for _, m := range missing {
		fmt.Printf("\t%s\n", m)
	}
}

// runAll runs the jobs on all CPUs.
func runAll(jobs []*job, source *gossa.Source, program *amd64.Program, functions map[string]*function) (failed error) {
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
					functions[name].add(f)
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

// root returns the instance of a kernel for its types.
func (k *kernel) root(t kinds) gossa.Root {
	e := k.name
	if k.arguments != "" {
		e += "[" + strings.NewReplacer("K", t.k, "T", t.t).Replace(k.arguments) + "]"
	}
	return gossa.Root{Package: kernelsPath + k.pkg, Expression: e}
}
