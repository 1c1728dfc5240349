// Package gossa runs Go functions on symbolic data. It interprets the SSA form of
// golang.org/x/tools/go/ssa.
//
// Floating-point numbers are expressions. Integers, lengths, indices and branches are concrete
// numbers unless they depend on the data. A function without a body is assembly, and the caller of
// the interpreter runs it.
package gossa

import (
	"errors"
	"fmt"
	"go/types"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// Source is a set of packages in SSA form.
type Source struct {
	program  *ssa.Program
	packages map[string]*ssa.Package // by path
	sizes    types.Sizes
	roots    map[string]*ssa.Function

	bodies, names, structs sync.Map // caches; the keys are functions or types
}

// A Root is a function to run, given as a Go expression such as Rows[float32, float64] and the path
// of the package.
type Root struct{ Package, Expression string }

// Load reads the packages of the roots and their imports for an architecture, and finds the
// function of each root. dir is the folder of the module.
func Load(dir, arch string, env []string, roots []Root) (*Source, error) {
	// The SSA form contains an instance of a generic function, such as f[float64], only if the source
	// uses this instance. Therefore an overlay adds a file that uses the roots to each of their
	// packages. The overlay is never written to disk.
	overlay := map[string][]byte{}
	paths := map[string]string{} // keys are the package paths of the roots
	for _, r := range roots {
		paths[r.Package] = ""
	}
	var patterns []string
	for p := range paths {
		patterns = append(patterns, p)
	}
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes |
		packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedCompiledGoFiles
	config := &packages.Config{Mode: packages.NeedName | packages.NeedFiles, Dir: dir, Env: append(env, "GOARCH="+arch, "GOOS=linux", "CGO_ENABLED=0")}
	found, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		if len(p.GoFiles) == 0 {
			return nil, fmt.Errorf("package %s: %v", p.PkgPath, p.Errors)
		}
		var text strings.Builder
		fmt.Fprintf(&text, "package %s\n", p.Name)
		for i, r := range roots {
			if r.Package == p.PkgPath {
				fmt.Fprintf(&text, "var proveRoot%d = %s\n", i, r.Expression)
			}
		}
		overlay[filepath.Join(filepath.Dir(p.GoFiles[0]), "prove_roots.go")] = []byte(text.String())
	}
	config.Mode, config.Overlay = mode, overlay
	loaded, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, err
	}
	var failed []error
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			failed = append(failed, e)
		}
	})
	if len(failed) > 0 {
		return nil, errors.Join(failed...)
	}
	program, _ := ssautil.AllPackages(loaded, ssa.InstantiateGenerics)
	program.Build()
	s := &Source{program: program, packages: map[string]*ssa.Package{}, sizes: types.SizesFor("gc", arch), roots: map[string]*ssa.Function{}}
	for _, p := range program.AllPackages() {
		s.packages[p.Pkg.Path()] = p
	}
	for i, r := range roots {
		p := s.packages[r.Package]
		global := p.Var(fmt.Sprintf("proveRoot%d", i))
		for _, b := range p.Func("init").Blocks {
			for _, in := range b.Instrs {
				if st, ok := in.(*ssa.Store); ok && st.Addr == global {
					s.roots[r.Package+"."+r.Expression] = functionOf(st.Val)
				}
			}
		}
		if s.roots[r.Package+"."+r.Expression] == nil {
			return nil, fmt.Errorf("%s.%s was not found", r.Package, r.Expression)
		}
	}
	return s, nil
}

// functionOf returns the function that a value refers to.
func functionOf(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		return v
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.ChangeType:
		return functionOf(v.X)
	}
	return nil
}

// Root returns the function that r names.
func (s *Source) Root(r Root) *ssa.Function { return s.roots[r.Package+"."+r.Expression] }
