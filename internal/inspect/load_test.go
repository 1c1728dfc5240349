// Package inspect tests that results have the same bits on every machine. It reads the source of
// the packages and the compiler's output.
package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// loadPackages returns the type-checked packages in dir that match the patterns. A package comes
// after the packages that it imports.
func loadPackages(dir string, patterns ...string) ([]*goPackage, error) {
	l, listed, err := listPackagesIn(dir, patterns...)
	if err != nil {
		return nil, err
	}
	var packages []*goPackage
	for _, p := range listed {
		if p.DepOnly || len(p.GoFiles) == 0 {
			continue
		}
		checked, err := l.check(p.ImportPath, p.Dir, p.GoFiles)
		if err != nil {
			return nil, err
		}
		packages = append(packages, checked)
	}
	return packages, nil
}

// listed is a package in the output of go list.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// listPackagesIn returns the packages that match patterns and their dependencies. It also returns a loader
// that reads the export data of these packages.
func listPackagesIn(dir string, patterns ...string) (*loader, []listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,DepOnly,CgoFiles"}, patterns...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %v\n%s", err, &stderr)
	}
	l := &loader{fset: token.NewFileSet(), exports: map[string]string{}, checked: map[string]*types.Package{}}
	l.compiled = importer.ForCompiler(l.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(l.exports[path]) })
	var packages []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return l, packages, nil
		} else if err != nil {
			return nil, nil, err
		}
		l.exports[p.ImportPath] = p.Export
		packages = append(packages, p)
	}
}

// goPackage is a package with its syntax and types.
type goPackage struct {
	Path  string
	Fset  *token.FileSet
	Files []*ast.File
	Info  *types.Info
}

type loader struct {
	fset     *token.FileSet
	exports  map[string]string // export data files by import path
	compiled types.Importer
	checked  map[string]*types.Package
}

// Import implements types.Importer. If package path has already been checked from source, Import
// returns the checked package, so that every function is a single object.
func (l *loader) Import(path string) (*types.Package, error) {
	if p := l.checked[path]; p != nil {
		return p, nil
	}
	return l.compiled.Import(path)
}

func (l *loader) check(path, dir string, files []string) (*goPackage, error) {
	p := &goPackage{Path: path, Fset: l.fset, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Instances: map[*ast.Ident]types.Instance{},
	}}
	for _, name := range files {
		f, err := parser.ParseFile(l.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, f)
	}
	config := types.Config{Importer: l}
	checked, err := config.Check(path, l.fset, p.Files, p.Info)
	if err != nil {
		return nil, err
	}
	l.checked[path] = checked
	return p, nil
}
