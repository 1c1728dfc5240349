package monge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/gomonge/monge"

// allowedImports lists the packages of this module that each package may import. A package without an entry
// may not import any package of the module. A name that ends in /... stands for a package and all
// packages in its subdirectories.
var allowedImports = map[string][]string{
	"":                                   nil,
	"internal/asm":                       {"internal/asm/num", "internal/cpuid"},
	"internal/asm/num":                   nil,
	"internal/asm/asmtest":               {"internal/asm", "internal/asm/num", "internal/testdata"},
	"internal/asm/exp/oracle":            {"internal/testdata"},
	"internal/asm/block":                 {"internal/asm", "internal/asm/num", "internal/asm/pass"},
	"internal/asm/compact":               {"internal/asm", "internal/asm/num", "internal/asm/query", "internal/asm/sketch"},
	"internal/asm/gram":                  {"internal/asm", "internal/asm/num", "internal/asm/exp", "internal/asm/distance", "internal/asm/project"},
	"internal/asm/...":                   {"internal/asm", "internal/asm/num", "internal/asm/exp"},
	"internal/cpuid":                     nil,
	"internal/testdata":                  nil,
	"internal/oracle":                    nil,
	"internal/oracle/trial":              {"internal/asm", "internal/asm/asmtest", "internal/oracle", "internal/testdata"},
	"internal/inspect":                   nil,
	"internal/parallel":                  nil,
	"internal/enum":                      nil,
	"internal/fault":                     nil,
	"internal/ending":                    nil,
	"internal/random":                    {"internal/asm/num"},
	"internal/nearest":                   {"internal/asm/num"},
	"internal/modelfile":                 {"internal/npy"},
	"internal/npy":                       nil,
	"internal/outfile":                   {"internal/npy"},
	"dist":                               {"internal/asm/..."},
	"search":                             {"internal/asm", "internal/asm/compact", "internal/asm/pair", "internal/asm/query", "internal/asm/sketch", "internal/fault", "internal/enum", "internal/nearest", "internal/parallel", "dist"},
	"vecmath":                            {"internal/asm/...", "dist"},
	"internal/matrix":                    {"internal/asm/...", "dist"},
	"internal/dense":                     {"internal/asm", "internal/matrix"},
	"internal/algebra":                   {"internal/asm", "internal/matrix", "internal/dense"},
	"internal/gibbs":                     {"internal/asm/...", "internal/matrix", "internal/parallel", "dist"},
	"emd":                                {"internal/fault", "internal/asm/...", "internal/enum", "internal/matrix", "internal/parallel", "internal/random", "internal/simplex", "dist"},
	"sinkhorn":                           {"internal/fault", "internal/asm/...", "internal/enum", "internal/gibbs", "internal/matrix", "internal/parallel", "internal/simplex", "dist"},
	"internal/simplex":                   {"internal/asm/..."},
	"internal/stiefel":                   {"internal/asm", "internal/matrix", "internal/dense", "internal/algebra", "internal/random"},
	"internal/descent":                   {"internal/enum", "internal/algebra"},
	"internal/tabular":                   nil,
	"wda/dataset":                        {"internal/fault", "internal/npy", "internal/enum", "internal/random", "internal/tabular"},
	"internal/knn":                       {"internal/fault", "internal/asm", "internal/asm/num", "internal/asm/gram", "internal/matrix", "internal/nearest", "internal/parallel", "internal/quantize", "dist"},
	"internal/quantize":                  {"internal/algebra", "internal/asm", "internal/asm/num", "internal/asm/codes", "internal/asm/pass", "internal/dense", "internal/matrix", "internal/nearest", "internal/parallel", "internal/random"},
	"internal/subspace":                  {"internal/matrix", "internal/dense", "internal/algebra", "internal/stiefel"},
	"internal/projection":                {"internal/fault", "internal/matrix", "internal/dense", "internal/algebra", "internal/stiefel", "internal/subspace"},
	"internal/projection/projectiontest": {"internal/ending", "internal/projection", "internal/testdata", "wda/dataset"},
	"wda/baseline":                       {"internal/fault", "internal/projection", "internal/matrix", "internal/dense", "internal/algebra", "internal/parallel", "internal/stiefel", "internal/subspace"},
	"internal/discriminant":              {"internal/fault", "internal/asm/num", "internal/matrix", "internal/dense", "internal/parallel", "dist", "sinkhorn", "vecmath", "internal/stiefel", "internal/descent", "internal/subspace", "internal/algebra", "wda/baseline"},
	"internal/discriminant/wdatest":      {"internal/ending"},
	"wda":                                {"internal/projection", "internal/discriminant", "wda/dataset", "internal/fault", "internal/modelfile", "internal/npy", "internal/asm/...", "internal/enum", "internal/matrix", "internal/dense", "internal/parallel", "dist", "sinkhorn", "internal/stiefel", "internal/descent", "internal/algebra", "wda/baseline", "internal/knn", "internal/quantize"},
	"fuzz":                               {"..."},
	"bench":                              {"..."},
	"docs/vectors":                       nil,
}

type goPackage struct {
	ImportPath                string
	GoFiles, Imports          []string
	TestImports, XTestImports []string
	Deps                      []string
}

// inTests lists additional packages that the tests of each package may import. All tests may import
// internal/testdata, internal/oracle and internal/oracle/trial.
var inTests = map[string][]string{
	"internal/asm":          {"internal/asm/..."},
	"internal/asm/...":      {"internal/asm/asmtest", "internal/asm/exp/oracle"},
	"internal/knn":          {"internal/asm/asmtest", "internal/ending"},
	"internal/quantize":     {"internal/asm/asmtest", "internal/ending"},
	"internal/nearest":      {"internal/asm/asmtest"},
	"wda":                   {"internal/ending", "wda/dataset", "internal/discriminant/wdatest"},
	"internal/discriminant": {"internal/discriminant/wdatest", "internal/ending", "internal/asm/asmtest", "internal/knn", "wda/dataset"},
	"wda/baseline":          {"internal/ending", "internal/projection/projectiontest", "wda/dataset"},
	"dist":                  {"internal/asm/asmtest"},
	"search":                {"internal/asm/asmtest", "internal/ending", "internal/testdata"},
	"emd":                   {"internal/ending"},
	"sinkhorn":              {"internal/ending"},
	"internal/simplex":      {"internal/ending"},
	"vecmath":               {"internal/asm/asmtest", "internal/asm/exp/oracle", "internal/random"},
	"internal/dense":        {"internal/ending"},
	"internal/stiefel":      {"internal/ending", "internal/asm/asmtest"},
	"wda/dataset":           {"internal/outfile"},
	"internal/descent":      {"internal/stiefel", "internal/asm/asmtest"},
	"internal/parallel":     {"internal/asm/asmtest"},
	"docs/vectors":          {"internal/asm", "internal/asm/...", "dist", "sinkhorn", "vecmath", "wda"},
}

// TestImportsGoDown checks that every package and its tests import only allowed packages of the
// module.
func TestImportsGoDown(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t, "...") {
		name := nameOf(p)
		allowed, ok := entryFor(allowedImports, name)
		if !ok {
			t.Errorf("%s is on no floor: add it to the table of this test", name)
			continue
		}
		check := func(what string, imports, allowed []string) {
			for _, i := range imports {
				if in, ok := strings.CutPrefix(i, module+"/"); ok && !matchesAny(allowed, in) {
					t.Errorf("%s %s %s, which is not below it (may import %v)", name, what, in, allowed)
				}
				if strings.HasPrefix(i, module+"/fuzz") || strings.HasPrefix(i, module+"/bench") {
					t.Errorf("%s %s %s, which nobody may", name, what, i)
				}
			}
		}
		check("imports", p.Imports, allowed)
		besides, _ := entryFor(inTests, name)
		allowed = slices.Concat(allowed, besides, []string{name, "internal/testdata", "internal/oracle", "internal/oracle/trial"})
		check("imports in tests", slices.Concat(p.TestImports, p.XTestImports), allowed)
	}
}

// TestLibraryIsLight checks that no library package depends on net/http, and that dist, search and sinkhorn do not
// depend on gonum.
func TestLibraryIsLight(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t, "dist", "search", "sinkhorn", "wda/...") {
		for _, d := range p.Deps {
			if d == "net/http" {
				t.Errorf("%s depends on %s", p.ImportPath, d)
			}
		}
	}
	for _, p := range listPackages(t, "dist", "search", "sinkhorn") {
		for _, d := range p.Deps {
			if strings.Contains(d, "gonum") {
				t.Errorf("%s depends on %s", p.ImportPath, d)
			}
		}
	}
}

// entryFor returns the table entry of the named package. If the table does not list the name,
// entryFor returns the entry of the longest pattern that matches the name.
func entryFor(table map[string][]string, name string) ([]string, bool) {
	if a, ok := table[name]; ok {
		return a, true
	}
	best := ""
	for k := range table {
		if strings.HasSuffix(k, "/...") && matchesPattern(k, name) && len(k) > len(best) {
			best = k
		}
	}
	a, ok := table[best]
	return a, ok && best != ""
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matchesPattern(p, name) })
}

func matchesPattern(pattern, name string) bool {
	if pattern == "..." {
		return true
	}
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == dir || strings.HasPrefix(name, dir+"/")
	}
	return pattern == name
}

// nameOf returns the path of a package within the module.
func nameOf(p goPackage) string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

// listPackages returns the packages of the module whose names match patterns.
func listPackages(t *testing.T, patterns ...string) (ps []goPackage) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to list packages with")
	}
	all, err := listAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if matchesAny(patterns, nameOf(p)) {
			ps = append(ps, p)
		}
	}
	if len(ps) < len(patterns) {
		t.Fatalf("%d packages match %v", len(ps), patterns)
	}
	return ps
}

// listAll lists the packages of the module with the go command, once for all tests.
var listAll = sync.OnceValues(func() (ps []goPackage, err error) {
	var stderr bytes.Buffer
	cmd := exec.Command("go", "list", "-json=ImportPath,GoFiles,Imports,TestImports,XTestImports,Deps", "./...")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %v\n%s", err, &stderr)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			return ps, nil
		} else if err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
})

// TestExportedNamesHaveComments checks that the exported functions, types, methods, constants and
// variables of public packages have doc comments.
func TestExportedNamesHaveComments(t *testing.T) {
	t.Parallel()
	// Methods of standard interfaces need no comment.
	standard := []string{"Error", "Is", "Unwrap", "String", "MarshalBinary", "UnmarshalBinary", "MarshalText", "UnmarshalText"}
	for _, p := range listPackages(t, "dist", "search", "vecmath", "sinkhorn", "wda/...") {
		fset, files := token.NewFileSet(), []*ast.File(nil)
		for _, file := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(filepath.FromSlash(nameOf(p)), file), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		exported, err := doc.NewFromFiles(fset, files, p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		checkFuncs := func(funcs []*doc.Func) {
			for _, f := range funcs {
				if f.Doc == "" && (f.Recv == "" || !slices.Contains(standard, f.Name)) {
					t.Errorf("%v: %s has no comment", fset.Position(f.Decl.Pos()), f.Name)
				}
			}
		}
		checkValues := func(values []*doc.Value) {
			for _, v := range values {
				for _, spec := range v.Decl.Specs {
					if s := spec.(*ast.ValueSpec); v.Doc == "" && s.Doc == nil && s.Comment == nil {
						t.Errorf("%v: %s has no comment", fset.Position(s.Pos()), s.Names[0].Name)
					}
				}
			}
		}
		checkFuncs(exported.Funcs)
		checkValues(slices.Concat(exported.Consts, exported.Vars))
		for _, typ := range exported.Types {
			if typ.Doc == "" {
				t.Errorf("%v: %s has no comment", fset.Position(typ.Decl.Pos()), typ.Name)
			}
			checkFuncs(slices.Concat(typ.Funcs, typ.Methods))
			checkValues(slices.Concat(typ.Consts, typ.Vars))
		}
	}
}
