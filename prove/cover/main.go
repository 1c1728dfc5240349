// Command cover counts which instructions of the assembly kernels a test binary runs, and which way
// every conditional jump goes. It needs Linux on amd64, and GNU objdump.
//
//	go test -c -o exp.test ./internal/asm/exp
//	cd prove && go run ./cover ../exp.test
//
// The tests of several binaries count together. What no test has reached is listed, and makes the
// exit code 1, unless package known says why nothing can reach it. `bash .ci/cover` takes the tests of
// every folder of internal/asm.
//
// The command runs the tests under ptrace. A breakpoint stands on every instruction until it is
// reached. One on a conditional jump stands until the jump has gone both ways; after 200 000 passes
// in one direction it is removed, and the jump is listed.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"

	"github.com/gomonge/monge/prove/internal/amd64"
	"github.com/gomonge/monge/prove/internal/code"
	"github.com/gomonge/monge/prove/internal/known"
)

const kernelsPath = "github.com/gomonge/monge/internal/asm/"

func main() {
	pattern := flag.String("run", "AVX2", "regular expression of the functions to look at")
	tests := flag.String("tests", ".", "regular expression of the tests to run")
	flag.Parse()
	want, err := regexp.Compile(*pattern)
	if err == nil && flag.NArg() == 0 {
		err = fmt.Errorf("a test binary is needed")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cover:", err)
		os.Exit(2)
	}
	all := covered{}
	for _, binary := range flag.Args() {
		if err := all.run(binary, want, *tests); err != nil {
			fmt.Fprintf(os.Stderr, "cover: %s: %v\n", binary, err)
			os.Exit(1)
		}
	}
	if all.report() > 0 {
		os.Exit(1)
	}
}

// covered are functions by their names, with what tests have reached of them. Addresses are those
// of the binary that a function was first seen in.
type covered map[string]*function

type function struct {
	text *code.Function
	cov  *code.Coverage
}

// run runs the tests of a binary and adds what they reach.
func (c covered) run(binary string, want *regexp.Regexp, tests string) error {
	program, err := code.Read(amd64.Objdump, binary, kernelsPath, func(*code.Inst) any { return nil })
	if err != nil {
		return err
	}
	maps.DeleteFunc(program.Functions, func(name string, _ *code.Function) bool { return !want.MatchString(name) })
	found, err := trace(program, []string{binary, "-test.run=" + tests})
	if err != nil {
		return err
	}
	for name, f := range program.Functions {
		to := c[name]
		if to == nil {
			to = &function{f, code.NewCoverage()}
			c[name] = to
		}
		here, by := code.NewCoverage(), to.text.Entry-f.Entry
		for _, i := range f.Order {
			if found.Reached[i.Addr] {
				here.Reached[i.Addr+by] = true
			}
			if way, ok := found.Taken[i.Addr]; ok {
				here.Taken[i.Addr+by] = way
			}
		}
		to.cov.Add(here)
	}
	return nil
}

// report prints what is missing and returns how much that is.
func (c covered) report() int {
	total, missing, excused := 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(c)) {
		f := c[name]
		total += len(f.text.Order)
		lines := f.text.Missing(f.cov)
		if k, ok := known.Ways[name]; ok && k.Count == len(lines) {
			excused += len(lines)
			continue
		}
		missing += len(lines)
		for _, line := range lines {
			fmt.Printf("%s: %s\n", name, line)
		}
	}
	fmt.Printf("%d functions, %d instructions; not reached, or with a jump in one direction only: %d, and %d that nothing can reach\n", len(c), total, missing, excused)
	return missing
}
