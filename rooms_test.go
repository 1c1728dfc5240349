package monge

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// room is a part of a package: files, and the rooms whose names they may use besides
// their own.
type room struct {
	name  string
	files []string
	below []string
}

// rooms are those of package wda: a user sees one page of documentation, whoever works on
// it three ideas. The objective and its solvers are objective and solvers, on samples; the
// served artefact is model; model selection is choice, within a fit, and comparison, of
// fits. What they have in common are the words of the public interface.
var rooms = map[string][]room{"wda": {
	{"words", []string{"doc.go", "errors.go", "settings.go", "choices.go", "report.go", "check.go", "wire.go"}, nil},
	{"model", []string{"model.go", "classifier.go", "holder.go", "hash.go", "file.go", "array.go"}, []string{"words"}},
	{"samples", []string{"samples.go", "span.go", "whiten.go"}, []string{"words"}},
	{"objective", []string{"objective.go", "memory.go", "gradient.go", "canonical.go", "warnings.go", "faraway.go"}, []string{"words", "samples"}},
	{"solvers", []string{"solver.go", "descending.go", "ascent.go", "alternating.go", "eigen.go", "minibatch.go", "population.go"}, []string{"words", "samples", "objective"}},
	{"choice", []string{"choose.go", "validation.go"}, []string{"words", "samples", "objective", "solvers"}},
	{"fit", []string{"fit.go", "prepare.go"}, []string{"words", "model", "samples", "objective", "solvers", "choice"}},
	{"comparison", []string{"crossvalidate.go", "score.go"}, []string{"words", "model", "samples", "objective", "solvers", "choice", "fit"}},
}}

// exportData returns the function that opens what the compiler has said of a package that
// p depends on.
func exportData(t *testing.T, p goPackage) importer.Lookup {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", p.ImportPath).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}

// TestRoomsLookDown checks every use of a name of a package with rooms, that of a field or
// method included, against the table: what imports are between packages.
func TestRoomsLookDown(t *testing.T) {
	for _, p := range list(t, "./...") {
		name := nameOf(p)
		table, ok := rooms[name]
		if !ok {
			continue
		}
		of := map[string]*room{}
		for i, r := range table {
			for _, f := range r.files {
				of[f] = &table[i]
				if !slices.Contains(p.GoFiles, f) {
					t.Errorf("%s has no file %s: the table of this test has", name, f)
				}
			}
		}
		fset := token.NewFileSet()
		var files []*ast.File
		for _, f := range p.GoFiles {
			if of[f] == nil {
				t.Errorf("%s/%s is in no room: add it to the table of this test", name, f)
			}
			parsed, err := parser.ParseFile(fset, filepath.Join(filepath.FromSlash(name), f), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, parsed)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: importer.ForCompiler(fset, "gc", exportData(t, p))}
		if _, err := config.Check(p.ImportPath, fset, files, info); err != nil {
			t.Fatal(err)
		}
		uses := 0
		for id, object := range info.Uses {
			if object.Pkg() == nil || object.Pkg().Path() != p.ImportPath {
				continue
			}
			at := fset.Position(id.Pos())
			user, owner := of[filepath.Base(at.Filename)], of[filepath.Base(fset.Position(object.Pos()).Filename)]
			if user == nil || owner == nil || user == owner {
				continue
			}
			if uses++; !slices.Contains(user.below, owner.name) {
				t.Errorf("%v: %s is of room %q, which is not below %q", at, id.Name, owner.name, user.name)
			}
		}
		t.Logf("%s: %d uses of names of another room", name, uses)
	}
}
